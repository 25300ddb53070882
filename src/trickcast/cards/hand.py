"""One seat's thirteen cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .enums import Seat, Suit
from .errors import DealError, counted
from .text import card_text, cards_of, hand_text, holding_text, parse_card, parse_hand

HCP = (4, 3, 2, 1)
"""High-card points of ace, king, queen and jack."""
CARD_HCP = np.tile(np.array([*HCP] + [0] * 9), 4)
"""(52,) high-card points of each card."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Hand:
    """Hold thirteen cards. Immutable, and compared by value.

    ``str`` gives the text back.

    Args:
        text: The hand as spades, hearts, diamonds and clubs with dots between them,
            ``"A.KQ9832.T94.AKT"``; with suit signs, ``"♠A ♥KQ9832 ♦T94 ♣AKT"``; or a Hand.

    Raises:
        DealError: The text is not a hand.

    Example:
        >>> hand = tc.Hand("A.KQ9832.T94.AKT")
        >>> hand.hcp, hand.pattern, hand.holding("hearts")
        (16, '6331', 'KQ9832')
    """

    mask: int
    """Bit *i* is set for card *i* of the package's card order."""

    def __init__(self, text: str | Hand):
        if not isinstance(text, str | Hand):
            raise DealError(f"{type(text).__name__} is not a hand (expected text)")
        mask = text.mask if isinstance(text, Hand) else parse_hand(text)
        object.__setattr__(self, "mask", mask)

    @classmethod
    def from_cards(cls, cards: NDArray[np.bool_]) -> Hand:
        """Build a hand from a (52,) array, true or 1 for its thirteen cards.

        Raises DealError for another shape, values other than 0 and 1, or another number of cards.
        """
        held = np.asarray(cards)
        fault = _fault(held) if held.shape == (52,) else "expected shape (52,)"
        if fault:
            raise DealError(f"array of shape {held.shape} is not a hand: {fault}")
        return cls._from_mask(sum(1 << int(card) for card in np.flatnonzero(held)))

    @classmethod
    def _from_mask(cls, mask: int) -> Hand:
        hand = object.__new__(cls)
        object.__setattr__(hand, "mask", mask)
        return hand

    @property
    def cards(self) -> NDArray[np.bool_]:
        """(52,) bool, true for the cards held."""
        return np.array([self.mask >> card & 1 for card in range(52)], dtype=np.bool_)

    @property
    def hcp(self) -> int:
        """High-card points: ace 4, king 3, queen 2, jack 1."""
        return sum(
            points * (self.mask >> (13 * suit + rank) & 1)
            for suit in Suit
            for rank, points in enumerate(HCP)
        )

    @property
    def lengths(self) -> tuple[int, int, int, int]:
        """Number of spades, hearts, diamonds and clubs."""
        spades, hearts, diamonds, clubs = (
            (self.mask >> 13 * suit & 0x1FFF).bit_count() for suit in Suit
        )
        return spades, hearts, diamonds, clubs

    @property
    def pattern(self) -> str:
        """The lengths from longest to shortest: ``"6331"``, and ``"(10)300"`` for two digits."""
        lengths = sorted(self.lengths, reverse=True)
        return "".join(str(n) if n < 10 else f"({n})" for n in lengths)

    def suits(self) -> list[str]:
        """Return the four holdings with their suit signs: ``♠ A``, and ``♠ —`` for a void."""
        return [f"{suit.symbol} {self.holding(suit) or '—'}" for suit in Suit]

    def holding(self, suit: str | Suit) -> str:
        """Return the ranks held in one suit, highest first; empty for a void."""
        return holding_text(self.mask, Suit.parse(suit))

    def __iter__(self) -> Iterator[str]:
        """Yield the thirteen cards as text, in card order."""
        return map(card_text, cards_of(self.mask))

    def __contains__(self, card: object) -> bool:
        """Return whether the hand holds a card, in any spelling; False for other text."""
        try:
            return isinstance(card, str) and bool(self.mask >> parse_card(card) & 1)
        except DealError:
            return False

    def __len__(self) -> int:
        return 13

    def __str__(self) -> str:
        return hand_text(self.mask)

    def __repr__(self) -> str:
        return f"Hand({str(self)!r})"

    def _repr_html_(self) -> str:
        return f'<span style="font-family:monospace">{" ".join(self.html_lines())}</span>'

    def html_lines(self) -> list[str]:
        """The four holdings as HTML, hearts and diamonds in red."""
        return [
            f'<span style="color:{"#c00" if suit in (1, 2) else "inherit"}">{suit.symbol}</span>'
            f"&nbsp;{self.holding(suit) or '—'}"
            for suit in Suit
        ]


HandLike = str | Hand
"""A hand: a Hand, or its text."""
HandsLike = HandLike | NDArray[Any] | Iterable[HandLike | NDArray[Any]]
"""Hands: one, a list of them, or a (52,) or (n, 52) array of bools or 0/1."""


def as_hands(hands: HandsLike) -> tuple[NDArray[np.bool_], bool]:
    """Turn any accepted form of hands into one array.

    Args:
        hands: A Hand, its text, a list of these, or an array of shape (52,) or (n, 52), bool or 0
            and 1.

    Returns:
        Hands, shape (n, 52), bool; and whether it was a single hand.

    Raises:
        DealError: A hand is not valid; the message names its index.

    Example:
        >>> from trickcast.cards import as_hands
        >>> rows, single = as_hands(["AKQ2.QJT987.32.2", "A.KQ9832.T94.AKT"])
        >>> rows.shape, single
        ((2, 52), False)
    """
    if isinstance(hands, str | Hand):
        return Hand(hands).cards[None], True
    if isinstance(hands, np.ndarray) and hands.dtype.kind in "bui":
        single = hands.ndim == 1 and hands.shape[0] == 52
        held = hands[None] if single else hands
        if held.ndim != 2 or held.shape[1] != 52:
            raise DealError(
                f"array of shape {hands.shape} cannot be read as hands (expected (n, 52))"
            )
        wrong = np.count_nonzero(held, axis=1) != 13
        if held.dtype.kind != "b":
            wrong |= ((held != 0) & (held != 1)).any(axis=1)
        bad = np.flatnonzero(wrong)
        if bad.size:
            raise DealError(f"hand {bad[0]} of {len(held)}: {_fault(held[bad[0]])}")
        return held.astype(np.bool_), single
    try:
        items = list(hands)
    except TypeError:
        raise DealError(
            f"{type(hands).__name__} cannot be read as hands (expected Hand, text, a list or (n, "
            "52) bool)"
        ) from None
    rows = np.zeros((len(items), 52), dtype=np.bool_)
    for i, item in enumerate(items):
        try:
            hand = Hand.from_cards(item) if isinstance(item, np.ndarray) else Hand(item)
            rows[i] = hand.cards
        except DealError as error:
            raise DealError(f"hand {i} of {len(items)}: {error}") from None
    return rows, False


def _fault(row: NDArray[Any]) -> str:
    """Return why (52,) values are not a hand: ``12 cards (expected 13)``; empty if they are one.

    The values may be bools, or zeros and ones.
    """
    if row.dtype.kind not in "buif":
        return f"it holds {row.dtype} (expected bools, or 0 and 1)"
    strange = (row != 0) & (row != 1)
    if strange.any():
        card = int(strange.argmax())
        return f"{card_text(card)} is {row[card]:g} (expected 1 for a card that is held, else 0)"
    count = int(np.count_nonzero(row))
    return "" if count == 13 else f"{counted(count, 'card')} (expected 13)"


def hcp(hands: HandsLike) -> NDArray[np.int64]:
    """Return the high-card points of hands.

    Useful as a constraint on hands, such as ``south=lambda hands: hcp(hands) > 14``.

    Args:
        hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.

    Returns:
        Points, shape (n,); () for one hand.

    Raises:
        DealError: A hand is not valid.

    Example:
        >>> from trickcast.cards import hcp
        >>> hcp(["A.KQ9832.T94.AKT", "Q4.AT7.QJ872.732"])
        array([16,  9])
    """
    rows, single = as_hands(hands)
    points = rows.reshape(-1, 4, 13)[..., : len(HCP)].sum(axis=1) @ np.array(HCP)
    return np.asarray(points[0] if single else points)


def lengths(hands: HandsLike) -> NDArray[np.int64]:
    """Return the number of spades, hearts, diamonds and clubs of hands.

    Args:
        hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.

    Returns:
        Cards, shape (n, 4); (4,) for one hand.

    Raises:
        DealError: A hand is not valid.

    Example:
        >>> from trickcast.cards import lengths
        >>> lengths("A.KQ9832.T94.AKT")
        array([1, 6, 3, 3])
    """
    rows, single = as_hands(hands)
    counts = rows.reshape(-1, 4, 13).sum(axis=2)
    return np.asarray(counts[0] if single else counts)


def hands_of(owners: NDArray[np.uint8], seat: str | Seat) -> NDArray[np.bool_]:
    """Return the hands that one seat holds.

    Args:
        owners: Owners, shape (n, 52), uint8.
        seat: The seat: ``"N"``, ``"North"`` or a Seat.

    Returns:
        Hands, shape (n, 52), bool.

    Raises:
        DealError: ``seat`` is not a seat.

    Example:
        >>> hands_of(tc.random_deals(3, seed=1).owners, "N").sum(axis=1)
        array([13, 13, 13])
    """
    held: NDArray[np.bool_] = owners == Seat.parse(seat)
    return held
