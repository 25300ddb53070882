"""Conditions of a rule, each a test of hands that can say what it tests."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .facts import SUITS, Bools, Bounds, Facts, Numbers, is_length

CARD, HONOUR = 3.0, 2.0
"""What a card in a suit, and an honour in it, are worth in points when margins are compared."""
_HALF = np.float32(0.5)


class Verdict(NamedTuple):
    """Where a condition holds for certain and where it may hold, (n,) bool each.

    For real hands both are the same.
    """

    sure: Bools
    possible: Bools


class Condition(ABC):
    """A test of hands (or cells)."""

    @abstractmethod
    def test(self, facts: Facts) -> Verdict:
        """Say where the condition holds."""

    @abstractmethod
    def margin(self, facts: Facts) -> Numbers:
        """How far inside (above 0) or outside real hands are, in points, (n,).

        Half a point inside means that one point less would be too few; a card counts as
        ``CARD`` points, an honour as ``HONOUR``.
        """

    def here(self, facts: Facts) -> str:
        """What the first hand has instead, in words; empty when the text says enough."""
        return ""

    @abstractmethod
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Between(Condition):
    """A quantity within a range, both ends included."""

    quantity: str
    low: float
    high: float
    text: str

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        return _within(facts.bounds(self.quantity), self.low, self.high)

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        return _margin(facts.bounds(self.quantity)[0], self.low, self.high, self.worth)

    @property
    def worth(self) -> float:
        """Points that one of the quantity counts as."""
        return CARD if is_length(self.quantity) else 1.0

    def here(self, facts: Facts) -> str:  # noqa: D102
        return f"{facts.bounds(self.quantity)[0][0]:g}"

    def __str__(self) -> str:
        return f"{self.quantity.replace('_', ' ')} {self.text}"


@dataclass(frozen=True)
class Honours(Condition):
    """So many of certain ranks in one suit."""

    suit: str
    ranks: str
    low: float
    high: float
    text: str

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        return _within(self._count(facts), self.low, self.high)

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        return _margin(self._count(facts)[0], self.low, self.high, HONOUR)

    def here(self, facts: Facts) -> str:  # noqa: D102
        return f"{self._count(facts)[0][0]:g}"

    def _count(self, facts: Facts) -> Bounds:
        return facts.honours(SUITS.index(self.suit), self.ranks)

    def __str__(self) -> str:
        return f"{self.text} of {self.ranks} in {self.suit}"


class Term(NamedTuple):
    """A number, or a quantity so many times."""

    times: float
    quantity: str | None

    def __str__(self) -> str:
        if self.quantity is None:
            return f"{self.times:g}"
        return self.quantity if self.times == 1 else f"{self.times:g} * {self.quantity}"


_SIGNS: dict[str, Callable[[Numbers, Numbers], Bools]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Compare(Condition):
    """Two sums of quantities and numbers, compared."""

    left: tuple[Term, ...]
    sign: str
    right: tuple[Term, ...]

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        low, high = _total(self.left, facts), _total(self.right, facts)
        if self.sign == "=":
            sure = (low[0] == low[1]) & (high[0] == high[1]) & (low[0] == high[0])
            return Verdict(sure, (low[0] <= high[1]) & (high[0] <= low[1]))
        compare = _SIGNS[self.sign]
        worst, best = (0, 1) if self.sign in (">=", ">") else (1, 0)
        return Verdict(compare(low[worst], high[best]), compare(low[best], high[worst]))

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        left, right = _total(self.left, facts)[0], _total(self.right, facts)[0]
        if self.sign == "=":
            off: Numbers = -np.abs(left - right)
            return _signed(off, off == 0, _HALF) * np.float32(self.worth)
        ahead: Numbers = left - right if self.sign[0] == ">" else right - left
        offset = _HALF if self.sign[-1] == "=" else -_HALF
        return _signed(ahead, self.test(facts).sure, offset) * np.float32(self.worth)

    @property
    def worth(self) -> float:
        """Points that a difference of one counts as: those of a card if only cards are counted."""
        names = [term.quantity for term in (*self.left, *self.right) if term.quantity is not None]
        return CARD if all(map(is_length, names)) else 1.0

    def here(self, facts: Facts) -> str:  # noqa: D102
        left, right = _total(self.left, facts)[0][0], _total(self.right, facts)[0][0]
        return f"{left:g} and {right:g}"

    def __str__(self) -> str:
        sides = (" + ".join(str(term) for term in side) for side in (self.left, self.right))
        return f" {self.sign} ".join(sides).replace("_", " ")


@dataclass(frozen=True)
class Shapes(Condition):
    """One of certain suit lengths."""

    texts: tuple[str, ...]

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        held = _shape_margins(self.texts)[_shape_index(facts)] > 0
        return Verdict(held, held)

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        margins: Numbers = _shape_margins(self.texts)[_shape_index(facts)]
        return margins

    def __str__(self) -> str:
        return " or ".join(self.texts)


@dataclass(frozen=True)
class Longest(Condition):
    """One of certain suits is at least as long as every other suit."""

    suits: tuple[str, ...]

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        held = self.margin(facts) > 0
        return Verdict(held, held)

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        mine = [SUITS.index(suit) for suit in self.suits]
        others = [suit for suit in range(4) if suit not in mine]
        longest = facts.lengths.astype(np.float32)
        ahead: Numbers = longest[:, mine].max(axis=1) - longest[:, others].max(axis=1, initial=0)
        return (ahead + _HALF) * np.float32(CARD)

    def __str__(self) -> str:
        return f"no suit longer than {' or '.join(self.suits)}"


@dataclass(frozen=True)
class AllOf(Condition):
    """Every one of some conditions; with none, any hand."""

    parts: tuple[Condition, ...]
    name: str = ""
    """The name it was defined under, which then is its text."""

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        sure, possible = np.ones(len(facts), np.bool_), np.ones(len(facts), np.bool_)
        for part in self.parts:
            verdict = part.test(facts)
            sure &= verdict.sure
            possible &= verdict.possible
            if not possible.any():
                break
        return Verdict(sure, possible)

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        least = np.full(len(facts), np.inf, np.float32)
        for part in self.parts:
            np.minimum(least, part.margin(facts), out=least)
        return least

    def __str__(self) -> str:
        return self.name or ", ".join(str(part) for part in self.parts) or "any hand"


@dataclass(frozen=True)
class AnyOf(Condition):
    """At least one of some conditions."""

    parts: tuple[Condition, ...]

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        verdicts = [part.test(facts) for part in self.parts]
        return Verdict(
            np.logical_or.reduce([verdict.sure for verdict in verdicts]),
            np.logical_or.reduce([verdict.possible for verdict in verdicts]),
        )

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        most: Numbers = np.max([part.margin(facts) for part in self.parts], axis=0)
        return most

    def __str__(self) -> str:
        return "(" + " or ".join(str(part) for part in self.parts) + ")"


@dataclass(frozen=True)
class NoneOf(Condition):
    """None of some conditions."""

    parts: tuple[Condition, ...]

    def test(self, facts: Facts) -> Verdict:  # noqa: D102
        verdict = AnyOf(self.parts).test(facts)
        return Verdict(~verdict.possible, ~verdict.sure)

    def margin(self, facts: Facts) -> Numbers:  # noqa: D102
        return -AnyOf(self.parts).margin(facts)

    def __str__(self) -> str:
        return "not (" + " or ".join(str(part) for part in self.parts) + ")"


def _within(bounds: Bounds, low: float, high: float) -> Verdict:
    least, most = bounds
    sure = (least >= low) & (most <= high)
    return Verdict(sure, sure if least is most else (most >= low) & (least <= high))


def _margin(values: Numbers, low: float, high: float, worth: float) -> Numbers:
    ahead: Numbers = np.minimum(np.float32(high) - values, values - np.float32(low))
    return _signed(ahead, ahead >= 0, _HALF) * np.float32(worth)


def _signed(ahead: Numbers, fits: Bools, offset: np.float32) -> Numbers:
    """Margins half-way between whole numbers; those of fractions keep their side too."""
    margin: Numbers = ahead + offset
    return np.where(fits, np.maximum(margin, _HALF / 2), np.minimum(margin, -_HALF / 2))


def _total(terms: Sequence[Term], facts: Facts) -> Bounds:
    low, high = np.zeros(len(facts), np.float32), np.zeros(len(facts), np.float32)
    for times, quantity in terms:
        if quantity is None:
            low, high = low + np.float32(times), high + np.float32(times)
        else:
            least, most = facts.bounds(quantity)
            low, high = low + np.float32(times) * least, high + np.float32(times) * most
    return low, high


SHAPE_WORDS = {
    "balanced": ("4333", "4432", "5332"),
    "semi-balanced": ("4333", "4432", "5332", "5422", "6322"),
}
"""Words for groups of patterns; ``unbalanced`` is every hand that is not balanced."""


def _shape_index(facts: Facts) -> NDArray[np.int64]:
    index: NDArray[np.int64] = facts.lengths[:, :3] @ np.array([196, 14, 1])
    return index


@cache
def _shape_margins(texts: tuple[str, ...]) -> Numbers:
    """Return (2744,) margins by 196 × spades + 14 × hearts + diamonds.

    The distance of two shapes is the number of cards that change suit.
    """
    shapes = np.array([s for s in product(range(14), repeat=4) if sum(s) == 13])
    fits = np.array([any(_fits(tuple(shape), text) for text in texts) for shape in shapes.tolist()])
    distance = np.abs(shapes[:, None] - shapes).sum(axis=2) / 2  # (560, 560)
    to_other = np.where(fits[:, None] != fits, distance, 14).min(axis=1)
    margins = np.zeros(14**3, np.float32)
    index = shapes[:, :3] @ np.array([196, 14, 1])
    margins[index] = np.where(fits, to_other - 0.5, 0.5 - to_other) * CARD
    return margins


def _fits(lengths: tuple[int, ...], text: str) -> bool:
    if text == "unbalanced":
        return not _fits(lengths, "balanced")
    if text in SHAPE_WORDS:
        return any(_fits(lengths, pattern) for pattern in SHAPE_WORDS[text])
    if "=" in text:
        return _same(lengths, text.split("="))
    return any(_same(order, text) for order in set(permutations(lengths)))


def _same(lengths: Sequence[int], wanted: Sequence[str]) -> bool:
    return all(want == "x" or int(want) == n for want, n in zip(wanted, lengths, strict=True))
