"""What is known of a board besides its cards."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any, NamedTuple

from .auction import BIDS, CALLS, parse_call
from .enums import Seat, Vulnerability
from .errors import DealError, shorten
from .text import card_text, parse_card, parse_contract


class Tag(NamedTuple):
    """A PBN tag, ``[name "value"]``, and the lines after it."""

    name: str
    """Empty for lines before the first tag of a board."""
    value: str
    lines: tuple[str, ...] = ()
    """The unchanged lines up to the next tag: the rows of a section, comments, ``%`` lines."""


_READ = (("dealer", Seat), ("vulnerability", Vulnerability), ("declarer", Seat))
"""Fields that may be given as text."""
_COUNTS = (
    ("number", 0, inf, "a whole number, 1 or more"),
    ("result", 0, 13, "0 to 13 tricks"),
)
"""Whole numbers: the name, the least and the most of each, and what a message expects."""
_CONTRACTS = frozenset(["PASS", *(f"{bid}{double}" for bid in BIDS for double in ("", "X", "XX"))])
_CALLS = frozenset(CALLS)
_CARDS = frozenset(map(card_text, range(52)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Hold what is known of a deal: number, dealer, vulnerability, contract, calls and play.

    The fields up to ``play`` mean the same for every file format. Immutable, and compared by value.

    Args:
        number: Board number, 1 or more; 0 if a file says so.
        dealer: Seat, or its letter or name.
        vulnerability: Vulnerability, or its name.
        contract: Contract as text, such as ``"4SX"``.
        declarer: Seat, or its letter or name.
        result: Tricks that declarer took, 0 to 13.
        auction: Calls, dealer first.
        explanations: Explanations of calls, as pairs of index and text.
        play: Cards in the order played.
        tags: PBN tags that the other fields don't cover.
        lin: LIN codes and values that the other fields don't cover.

    Raises:
        DealError: A field is not valid.

    Example:
        >>> board = tc.Board(number=3, dealer="S", contract="4SX", declarer="north")
        >>> board.declarer, str(board.completed().vulnerability)
        (<Seat.NORTH: 0>, 'ew')
    """

    number: int | None = None
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    contract: str | None = None
    """Level, strain and doubling (``"4SX"``), or ``"PASS"`` when passed out."""
    declarer: Seat | None = None
    result: int | None = None
    """Tricks that declarer took."""
    auction: tuple[str, ...] = ()
    """The calls from the dealer on: ``PASS X XX 1C … 7N``."""
    explanations: tuple[tuple[int, str], ...] = ()
    """(index of the call, text) for each explained or alerted call, in order; the text
    may be empty."""
    play: tuple[str, ...] = ()
    """The cards in the order in which they were played: ``SA``."""
    tags: tuple[Tag, ...] = ()
    """The PBN tags that the fields above do not express in full, in file order. A tag that has a
    field (``Contract "?"``, an auction with comments) is used while the two agree."""
    lin: tuple[tuple[str, str], ...] = ()
    """All (code, value) pairs of a LIN board that says more than the fields above; used while the
    two agree."""

    def __post_init__(self) -> None:
        """Parse the fields given as text, and normalise their spelling."""
        for name, kind in _READ:
            value = getattr(self, name)
            if value is not None and type(value) is not kind:
                object.__setattr__(self, name, kind.parse(value))
        if self.contract is not None and self.contract not in _CONTRACTS:
            level, strain, doubling = parse_contract(self.contract)
            text = "PASS" if strain is None else f"{level}{strain.letter}{'X' * doubling}"
            object.__setattr__(self, "contract", text)
        for name, least, most, expected in _COUNTS:
            count = getattr(self, name)
            if count is not None and not (type(count) is int and least <= count <= most):
                object.__setattr__(self, name, _count(name, count, least, most, expected))
        if type(self.auction) is not tuple or not _CALLS.issuperset(self.auction):
            object.__setattr__(self, "auction", _each("auction", self.auction, parse_call))
        if type(self.play) is not tuple or not _CARDS.issuperset(self.play):
            object.__setattr__(self, "play", _each("play", self.play, _card))

    def tag(self, name: str) -> str | None:
        """Return the value of the first of ``tags`` with this name, such as ``"Event"``."""
        return next((tag.value for tag in self.tags if tag.name == name), None)

    def completed(self) -> Board:
        """Return the board, filling in a missing dealer and vulnerability from its number.

        A board without a number, or with number 0, is returned unchanged.

        >>> board = Board(number=7).completed()
        >>> str(board.dealer), str(board.vulnerability)
        ('S', 'both')
        """
        if self.number is None or None not in (self.dealer, self.vulnerability):
            return self
        if self.number < 1:  # files may say 0, which has no standard dealer
            return self
        return replace(
            self,
            dealer=board_dealer(self.number) if self.dealer is None else self.dealer,
            vulnerability=(
                board_vulnerability(self.number)
                if self.vulnerability is None
                else self.vulnerability
            ),
        )

    def stated(self) -> tuple[str, ...]:
        """Return the names of the fields that are set."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) not in (None, ()))


def _each(name: str, texts: object, read: Callable[[str], str]) -> tuple[str, ...]:
    """Return each text as ``read`` spells it. Raises DealError."""
    if not isinstance(texts, Sequence) or isinstance(texts, str):
        raise DealError(f"{name} is {shorten(texts)} (expected a sequence of texts)")
    if wrong := [text for text in texts if not isinstance(text, str)]:
        raise DealError(f"{name} has {shorten(wrong[0])} (expected texts)")
    try:
        return tuple(map(read, texts))
    except ValueError as error:
        raise DealError(f"{name}: {error}") from None


def _count(name: str, number: Any, least: int, most: float, expected: str) -> int:
    with suppress(TypeError):
        if not isinstance(number, bool) and least <= operator.index(number) <= most:
            return operator.index(number)
    raise DealError(f"{name} is {shorten(number)} (expected {expected})")


def _card(text: str) -> str:
    return card_text(parse_card(text))


def board_dealer(number: int) -> Seat:
    """Return the dealer of a board: North, East, South, West in turn.

    Args:
        number: Board number, 1 or more.

    Returns:
        The Seat.

    Raises:
        ValueError: The number is not whole, or below 1.

    Example:
        >>> from trickcast.cards import board_dealer
        >>> board_dealer(1).word, board_dealer(16).word
        ('North', 'West')
    """
    return Seat((_checked_number(number) - 1) % 4)


def board_vulnerability(number: int) -> Vulnerability:
    """Return the vulnerability of a board, which repeats every sixteen boards.

    Args:
        number: Board number, 1 or more.

    Returns:
        The Vulnerability.

    Raises:
        ValueError: The number is not whole, or below 1.

    Example:
        >>> from trickcast.cards import board_vulnerability
        >>> [str(board_vulnerability(number)) for number in (1, 2, 3, 4)]
        ['none', 'ns', 'ew', 'both']
    """
    before = _checked_number(number) - 1
    return Vulnerability((before + before // 4) % 4)


def _checked_number(number: int) -> int:
    try:
        whole = operator.index(number)
    except TypeError:
        whole = 0
    if whole < 1:
        raise ValueError(f"board number {shorten(number)} (expected a whole number, 1 or more)")
    return whole
