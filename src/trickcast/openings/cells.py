"""The numbers that rules speak of: points, lengths, honours.

The same numbers are kept for real hands and for *cells*: all hands of one shape and one point
count. In a cell some numbers are only known to lie between bounds, which is enough to prove
that a rule can never fire, or that every hand finds a rule.
"""

from abc import ABC, abstractmethod
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..cards import RANKS
from ..evaluators import get, names
from ..evaluators.evaluator import Evaluator
from ..evaluators.holdings import all_holdings, holding_ids

Numbers = NDArray[np.float32]
Bools = NDArray[np.bool_]
Bounds = tuple[Numbers, Numbers]
"""The smallest and the largest value, (n,) each; the same array twice where a value is known."""

SUITS = ("spades", "hearts", "diamonds", "clubs")
_ORDERED = ("longest_length", "second_length", "third_length", "shortest_length")
_HCP = "hcp"


def quantity_names() -> tuple[str, ...]:
    """Return the names that a rule may give a range for, every evaluator among them."""
    points = (f"{suit}_hcp" for suit in SUITS)
    return (_HCP, *SUITS, *points, *_ORDERED, *names())


def is_quantity(name: str) -> bool:
    """Whether a rule may give a range for ``name``: one of ``quantity_names``, or an alias."""
    return name in quantity_names() or any(name in get(known).aliases for known in names())


def is_length(name: str) -> bool:
    """Whether a quantity counts cards, not points."""
    return name in SUITS or name in _ORDERED


class Facts(ABC):
    """The quantities of n hands or cells, worked out when first asked for."""

    def __init__(self, lengths: NDArray[np.int64]):
        self.lengths = lengths
        """(n, 4) cards in spades, hearts, diamonds and clubs."""
        self._bounds: dict[str, Bounds] = {}

    def __len__(self) -> int:
        return len(self.lengths)

    def bounds(self, name: str) -> Bounds:
        """Return the bounds of one of ``quantity_names``."""
        found = self._bounds.get(name)
        if found is None:
            found = self._bounds[name] = self._find(name)
        return found

    def _find(self, name: str) -> Bounds:
        if name in SUITS:
            return _known(self.lengths[:, SUITS.index(name)])
        if name in _ORDERED:
            for i, key in enumerate(_ORDERED):
                self._bounds[key] = _known(np.sort(self.lengths, axis=1)[:, 3 - i])
            return self._bounds[name]
        suit, _, rest = name.partition("_")
        if suit in SUITS and rest == _HCP:
            return self._suit_points(SUITS.index(suit))
        return self._value(get(name))

    @abstractmethod
    def honours(self, suit: int, ranks: str) -> Bounds:
        """Bounds of the number of cards held of these ``ranks`` in one suit (0-3)."""

    @abstractmethod
    def _suit_points(self, suit: int) -> Bounds: ...

    @abstractmethod
    def _value(self, evaluator: Evaluator) -> Bounds: ...


class HandFacts(Facts):
    """The quantities of (n, 52) hands: every one is known."""

    def __init__(self, hands: Bools):
        self._ids = holding_ids(hands)
        super().__init__(_lengths_of_holdings()[self._ids])

    def honours(self, suit: int, ranks: str) -> Bounds:  # noqa: D102
        return _known(_rank_counts(ranks)[self._ids[:, suit]])

    def _suit_points(self, suit: int) -> Bounds:
        return _known(_points_of_holdings()[self._ids[:, suit]])

    def _value(self, evaluator: Evaluator) -> Bounds:
        return _known(evaluator.of_holdings(self._ids))


class CellFacts(Facts):
    """The quantities of all cells: every shape with every point count that it can hold."""

    def __init__(self) -> None:
        lengths, self._points = _cells()
        super().__init__(lengths)

    def describe(self, cell: int) -> str:
        """Return a cell as text: ``4=3=3=3 with 12 HCP``."""
        shape = "=".join(str(length) for length in self.lengths[cell])
        return f"{shape} with {self._points[cell]} HCP"

    def honours(self, suit: int, ranks: str) -> Bounds:  # noqa: D102
        length = self.lengths[:, suit]
        others = len(RANKS) - len(ranks)
        low = np.maximum(length - others, 0)
        return low.astype(np.float32), np.minimum(length, len(ranks)).astype(np.float32)

    def _suit_points(self, suit: int) -> Bounds:
        low, high = (table[self.lengths] for table in _points_by_length())  # (n, 4) each
        rest = [other for other in range(4) if other != suit]
        least = np.maximum(low[:, suit], self._points - high[:, rest].sum(axis=1))
        most = np.minimum(high[:, suit], self._points - low[:, rest].sum(axis=1))
        return least.astype(np.float32), most.astype(np.float32)

    def _value(self, evaluator: Evaluator) -> Bounds:
        if evaluator is get(_HCP):
            return _known(self._points)
        low, high = evaluator.hand_bounds
        return np.full(len(self), low, np.float32), np.full(len(self), high, np.float32)


def _known(values: NDArray[np.generic]) -> Bounds:
    numbers = values.astype(np.float32)
    return numbers, numbers


@cache
def _lengths_of_holdings() -> NDArray[np.int64]:
    return all_holdings().length


@cache
def _rank_counts(ranks: str) -> NDArray[np.int64]:
    return all_holdings().count(ranks)


@cache
def _points_of_holdings() -> NDArray[np.float64]:
    return get(_HCP).holding(all_holdings())


@cache
def _points_by_length() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The fewest and the most points of a holding of 0 … 13 cards."""
    points, lengths = _points_of_holdings().astype(np.int64), _lengths_of_holdings()
    by_length = [points[lengths == length] for length in range(14)]
    return np.array([p.min() for p in by_length]), np.array([p.max() for p in by_length])


@cache
def _cells() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The (n, 4) lengths and (n,) points of all cells."""
    points, sizes = _points_of_holdings().astype(np.int64), _lengths_of_holdings()
    # bit p is set where a holding of that length can have p points
    held = [sum(1 << int(p) for p in np.unique(points[sizes == n])) for n in range(14)]
    shapes, values = [], []
    for shape in product(range(14), repeat=3):
        if sum(shape) > 13:
            continue
        lengths = (*shape, 13 - sum(shape))
        possible = 1
        for length in lengths:
            possible = _sums(possible, held[length])
        for p in range(possible.bit_length()):
            if possible >> p & 1:
                shapes.append(lengths)
                values.append(p)
    return np.array(shapes), np.array(values)


def _sums(sums: int, more: int) -> int:
    """The sums reachable by adding to one of ``sums`` one of ``more``, all as bit sets."""
    result = 0
    for p in range(more.bit_length()):
        if more >> p & 1:
            result |= sums << p
    return result
