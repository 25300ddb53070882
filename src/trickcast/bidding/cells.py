"""A *cell*: all hands of one shape and one number of high-card points.

Rules are evaluated on every cell. Some numbers are only known to lie between bounds there. That
is enough to prove that a rule can never fire, or that every hand matches a rule.
"""

from functools import cache, reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Suit
from ..dealing.language.conditions import (
    UNDECIDED,
    Bounds,
    Facts,
    HandFacts,
    by_key,
    known,
    shape_keys,
)
from ..dealing.language.hand_counts import CARD_POINTS, Count, card_count, hcp
from ..dealing.language.rulefile import OPENER
from ..dealing.language.shapes import Shapes
from ..evaluators.holdings import all_holdings, holding_ids

Bools = NDArray[np.bool_]
_LENGTHS_OF_HOLDINGS = all_holdings().length


def facts_of(hands: Bools) -> HandFacts:
    """Return the facts of (n, 52) hands."""
    return HandFacts({OPENER: holding_ids(hands)})


class Cells(Facts):
    """Every shape with every number of points that it can hold."""

    exact = False

    def __init__(self) -> None:
        self.lengths, self.points = _cells()
        self._keys = shape_keys(self.lengths)

    def __len__(self) -> int:
        return len(self.points)

    def describe(self, cell: int) -> str:
        """Return a cell as text: ``4=3=3=3 with 12 HCP``."""
        shape = "=".join(str(length) for length in self.lengths[cell])
        return f"{shape} with {self.points[cell]} HCP"

    def in_shapes(self, shapes: Shapes, seat: Seat) -> Bounds:
        """Return whether each cell's shape is one of these."""
        return known(by_key(shapes)[self._keys])

    def has_cards(self, cards: tuple[int, ...], seat: Seat) -> Bounds:
        """Return no information: shape and points do not determine single cards."""
        return UNDECIDED

    def count(self, count: Count, seat: Seat) -> Bounds:
        """Return the bounds of a count, by the lengths of the suits."""
        if count is hcp():
            return known(self.points)
        if count.by_shape is not None:
            return known(by_key(count.by_shape)[self._keys])
        if count.whole is not None or count.scale != 1:
            low, high = count.bounds
            return Bounds(np.full(len(self), low), np.full(len(self), high))
        least, most = self._by_suit(count)
        total = Bounds(least.sum(axis=1), most.sum(axis=1))
        for suit in Suit:
            if count is hcp(suit):
                return self._points_in(suit, total)
        return total

    def _by_suit(self, count: Count) -> Bounds:
        """Return the bounds of each suit's contribution, (n, 4) each."""
        ends = [_ends_by_length(table) for table in count.tables]
        least, most = (
            np.stack([ends[suit][end][self.lengths[:, suit]] for suit in Suit], axis=1)
            for end in (0, 1)
        )
        return Bounds(least, most)

    def _points_in(self, suit: Suit, alone: Bounds) -> Bounds:
        """Return the bounds of the points in one suit, given how many the others can hold."""
        low, high = self._by_suit(hcp())
        others = [other for other in Suit if other != suit]
        least = self.points - high[:, others].sum(axis=1)
        most = self.points - low[:, others].sum(axis=1)
        return Bounds(np.maximum(alone.low, least), np.minimum(alone.high, most))


def _ends_by_length(table: NDArray[np.generic] | None) -> tuple[NDArray[np.generic], ...]:
    """Return the least and the greatest value of holdings of 0 to 13 cards: (14,) each."""
    if table is None:
        return np.zeros(14, np.int64), np.zeros(14, np.int64)
    by_length = [table[length == _LENGTHS_OF_HOLDINGS] for length in range(14)]
    return np.array([values.min() for values in by_length]), np.array(
        [values.max() for values in by_length]
    )


@cache
def _cells() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the (n, 4) lengths and (n,) points of all cells."""
    points = card_count(CARD_POINTS["hcp"], Suit.SPADES).tables[Suit.SPADES]
    assert points is not None
    # bit p is set if a holding of that length can have p points
    by_length = [np.unique(points[length == _LENGTHS_OF_HOLDINGS]) for length in range(14)]
    holds = [sum(1 << int(p) for p in values) for values in by_length]
    cells = [
        (lengths, p)
        for lengths in product(range(14), repeat=4)
        if sum(lengths) == 13
        for sums in [reduce(_sums, [holds[length] for length in lengths])]
        for p in range(sums.bit_length())
        if sums >> p & 1
    ]
    return np.array([lengths for lengths, _ in cells]), np.array([p for _, p in cells])


def _sums(sums: int, others: int) -> int:
    """Return the sums of one of ``sums`` and one of ``others``, all as bit sets."""
    return reduce(int.__or__, (sums << p for p in range(others.bit_length()) if others >> p & 1), 0)
