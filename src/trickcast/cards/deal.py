"""The 52 cards shared among four hands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .enums import Seat
from .errors import DealError
from .hand import Hand, HandLike
from .text import card_text, parse_deal

COUNT_OF_SEAT = np.array([1, 1 << 8, 1 << 16, 1 << 24], dtype=np.uint32)
"""Summed by owner, these count the cards of all four seats in one number, a byte a seat."""
FOUR_FULL_HANDS = np.uint32(0x0D0D0D0D)
"""That sum when every seat holds thirteen."""

_CHUNK = 1 << 14
_HELD = [bytes(b"01"[owner == seat] for owner in range(256)) for seat in Seat]
"""For each seat, a table that maps owners to binary digits: 1 if the seat holds the card."""


def check_owners(
    owners: NDArray[np.integer[Any]], first: int = 0, total: int | None = None
) -> None:
    """Check that owners give every seat thirteen cards.

    Args:
        owners: Owners, shape (n, 52), whole numbers.
        first: Index of the first deal, from which the message counts.
        total: Number of deals in the whole batch. Default: these are all.

    Raises:
        DealError: A deal is not valid; the message names the first one.

    Example:
        >>> check_owners(np.zeros((1, 52), dtype=np.uint8))
        Traceback (most recent call last):
        trickcast.cards.errors.DealError: deal 0 of 1: North holds 52 cards (expected 13)
    """
    total = len(owners) if total is None else total
    for start in range(0, len(owners), _CHUNK):
        chunk = owners[start : start + _CHUNK]
        if chunk.min() < 0 or chunk.max() > 3:
            row, card = np.argwhere((chunk < 0) | (chunk > 3))[0]
            raise DealError(
                f"deal {first + start + row} of {total}: {card_text(int(card))} belongs to seat "
                f"{chunk[row, card]} (expected 0 to 3)"
            )
        counts = COUNT_OF_SEAT[chunk].sum(axis=1, dtype=np.uint32)
        bad = np.flatnonzero(counts != FOUR_FULL_HANDS)
        if bad.size:
            row = bad[0]
            seat, held = next(
                (Seat(s), n) for s, n in enumerate(np.bincount(chunk[row], minlength=4)) if n != 13
            )
            raise DealError(
                f"deal {first + start + row} of {total}: {seat.word} holds {held} cards "
                "(expected 13)"
            )


def unmasked(owners: ArrayLike) -> NDArray[Any]:
    """Return owners as an array. Raises DealError for a masked array: every owner must be known."""
    # a caller with a masked array has loaded numpy.ma; importing it would cost ten milliseconds
    if "numpy.ma" in sys.modules and isinstance(owners, np.ma.MaskedArray):
        raise DealError("owners are a masked array (expected the owner of every card)")
    return np.asarray(owners)


def _together(hands: dict[Seat, Hand]) -> bytes:
    """Return the owners of a deal in which these seats hold these hands."""
    if len(hands) < 3:
        missing = " and ".join(seat.word for seat in Seat if seat not in hands)
        raise DealError(
            f"{missing} have no hand (expected three or four hands; constrained_deals deals "
            "the hidden ones)"
        )
    left = next((seat for seat in Seat if seat not in hands), Seat.WEST)
    owners = np.full(52, 255, dtype=np.uint8)
    for seat, hand in hands.items():
        twice = np.flatnonzero(hand.cards & (owners != 255))
        if twice.size:
            holder = Seat(int(owners[twice[0]]))
            raise DealError(f"{holder.word} and {seat.word} both hold {card_text(int(twice[0]))}")
        owners[hand.cards] = seat
    owners[owners == 255] = left
    return owners.tobytes()


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Deal:
    """Hold the four hands of a deal. Immutable, and compared by value.

    A deal is built either from its text or from hands. ``pbn`` gives the text back, always from
    North on; ``str`` gives a diagram of four hands.

    Args:
        text: The deal as PBN text, ``"N:A.KQ9832.T94.AKT … … …"``: a first seat, then four hands
            clockwise, each as spades, hearts, diamonds and clubs.
        north: North's hand, if the hands are given instead of ``text``. If only three hands are
            given, the fourth gets the remaining cards.
        east: East's hand.
        south: South's hand.
        west: West's hand.

    Raises:
        DealError: The text is not a deal, or the hands do not make one.

    Example:
        >>> deal = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
        >>> deal.north.hcp, deal["S"]
        (16, Hand('KJ95.J65.K3.J654'))
    """

    owner_bytes: bytes
    """52 bytes: the seat (N E S W = 0-3) holding each card."""

    def __init__(
        self,
        text: str | Deal | None = None,
        *,
        north: HandLike | None = None,
        east: HandLike | None = None,
        south: HandLike | None = None,
        west: HandLike | None = None,
    ):
        hands = {Seat.NORTH: north, Seat.EAST: east, Seat.SOUTH: south, Seat.WEST: west}
        given = {seat: Hand(hand) for seat, hand in hands.items() if hand is not None}
        if text is None and not given:
            raise DealError("None is not a deal (expected a text, or hands by name)")
        if text is not None and given:
            raise DealError("a text and hands by name (expected one or the other)")
        if given:
            owners = _together(given)
        elif not isinstance(text, str | Deal):
            raise DealError(
                f"{type(text).__name__} is not a deal (expected text, a Deal, or (52,) uint8 by "
                "Deal.from_owners)"
            )
        else:
            owners = text.owner_bytes if isinstance(text, Deal) else parse_deal(text)
        object.__setattr__(self, "owner_bytes", owners)

    @classmethod
    def from_owners(cls, owners: ArrayLike) -> Deal:
        """Build a deal from (52,) owners."""
        row = unmasked(owners)
        if row.shape != (52,) or row.dtype.kind not in "ui":
            raise DealError(
                f"{row.dtype} array of shape {row.shape} cannot be read as owners (expected "
                "(52,) uint8)"
            )
        if row.min() < 0 or row.max() > 3:
            raise DealError(f"owners {row.min()} to {row.max()} are not seats (expected 0 to 3)")
        check_owners(row.astype(np.uint8)[None])
        return cls._trusted(row.astype(np.uint8).tobytes())

    @classmethod
    def _trusted(cls, owner_bytes: bytes) -> Deal:
        deal = object.__new__(cls)
        object.__setattr__(deal, "owner_bytes", owner_bytes)
        return deal

    @property
    def owners(self) -> NDArray[np.uint8]:
        """(52,) uint8, the seat holding each card; read-only."""
        return np.frombuffer(self.owner_bytes, dtype=np.uint8)

    def __getitem__(self, seat: str | Seat) -> Hand:
        wanted = Seat.parse(seat)
        held = self.owner_bytes[::-1].translate(_HELD[wanted])  # the last card's bit comes first
        return Hand._from_mask(int(held, 2))

    def __iter__(self) -> Iterator[Hand]:
        """Yield the hands of North, East, South and West."""
        return (self[seat] for seat in Seat)

    @property
    def north(self) -> Hand:
        """North's hand."""
        return self[Seat.NORTH]

    @property
    def east(self) -> Hand:
        """East's hand."""
        return self[Seat.EAST]

    @property
    def south(self) -> Hand:
        """South's hand."""
        return self[Seat.SOUTH]

    @property
    def west(self) -> Hand:
        """West's hand."""
        return self[Seat.WEST]

    @property
    def pbn(self) -> str:
        """The canonical text: ``N:`` and the four hands clockwise."""
        return self.pbn_from(Seat.NORTH)

    def pbn_from(self, first: str | Seat) -> str:
        """Return the PBN text starting with another seat."""
        start = Seat.parse(first)
        return f"{start}:" + " ".join(str(self[Seat((start + i) % 4)]) for i in range(4))

    def __str__(self) -> str:
        """The four hands around the table, North on top."""
        blocks = {seat: self[seat].suits() for seat in Seat}
        width = max(max(map(len, blocks[Seat.WEST])), 10) + 4
        middle = ("  N  ", "W   E", "  S  ", "     ")
        gap = max(max(len(line) for s in (0, 2) for line in blocks[Seat(s)]), 9) + 4
        lines = [" " * width + line for line in blocks[Seat.NORTH]]
        lines += [
            f"{west:<{width}}{table:<{gap}}{east}"
            for west, table, east in zip(blocks[Seat.WEST], middle, blocks[Seat.EAST], strict=True)
        ]
        lines += [" " * width + line for line in blocks[Seat.SOUTH]]
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return f"Deal({self.pbn!r})"

    def _repr_html_(self) -> str:
        def cell(seat: Seat | None) -> str:
            if seat is None:
                return "<td></td>"
            lines = "<br>".join(self[seat].html_lines())
            return f'<td style="text-align:left;padding:2px 10px">{lines}</td>'

        grid = (
            (None, Seat.NORTH, None),
            (Seat.WEST, None, Seat.EAST),
            (None, Seat.SOUTH, None),
        )
        rows = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in grid)
        return f'<table style="font-family:monospace;border:0">{rows}</table>'
