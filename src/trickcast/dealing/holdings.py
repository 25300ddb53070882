"""The hands that one seat can still hold, counted by shape and points, and drawn uniformly.

A hand is four holdings. Those of one suit are counted by (length, points); two suits together by
(length, length, points of both); a hand by shape and points, of whichever count. All numbers are
exact: they stay far below 2**53. A hand is drawn top down: its shape, points and the points of its
majors in one draw, the points of a spade and of a diamond holding in the next two, then each
holding among those of its length and points. So the probability of a hand is its cell's weight
over the number of hands in the cell, the same for all hands of the cell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..evaluators.holdings import HoldingIds
from .language.counts import Count, Table
from .language.shapes import LENGTHS
from .structure import POINTS, SUIT_POINTS
from .words import Floats, Words, pick

_IN_SUIT = SUIT_POINTS + 1
"""A suit has fewer points."""
_IN_PAIR = 2 * SUIT_POINTS + 1
"""Two suits have fewer."""
_LENGTHS = (np.arange(8192)[:, None] >> np.arange(13) & 1).sum(axis=1)
"""(8192,) by holding id."""


@dataclass(frozen=True, eq=False)
class _SuitHoldings:
    """The holdings that a seat may have in one suit."""

    ids: NDArray[np.uint16]
    """(m,) in the order of (length, points)."""
    number: NDArray[np.int64]
    """(14, 11) how many there are of each length and points."""
    first: NDArray[np.int64]
    """(14, 11) where the first of these stands in ``ids``."""


class SeatHands:
    """Hands made of a seat's known cards and of free cards, suit by suit as allowed."""

    def __init__(
        self, known: list[int], free: list[int], allowed: NDArray[np.bool_], points: Count
    ):
        """Take holding ids of known and of free cards for four suits; ``allowed`` is (4, 8192)."""
        self._suits = [
            _suit_holdings(known[i], free[i], allowed[i], points.tables[i]) for i in range(4)
        ]
        by_cell = [suit.number for suit in self._suits]
        self._majors, self._minors = _pairs(*by_cell[:2]), _pairs(*by_cell[2:])
        self._major_split = _splits(*by_cell[:2])
        self._minor_split = _splits(*by_cell[2:])

    @property
    def number(self) -> Floats:
        """(560, 41) how many hands there are in each cell."""
        cells: Floats = self._by_major_points().sum(axis=2)
        return cells

    def _by_major_points(self) -> Floats:
        """(560, 41, 21) how many hands of each shape, points, and points in spades and hearts."""
        spades, hearts, diamonds, clubs = LENGTHS.T
        majors, minors = self._majors[spades, hearts], self._minors[diamonds, clubs]
        counts = np.zeros((len(LENGTHS), POINTS, _IN_PAIR))
        for points in range(_IN_PAIR):
            width = min(_IN_PAIR, POINTS - points)
            counts[:, points : points + width, points] = majors[:, points, None] * minors[:, :width]
        return counts

    def weigh(self, weights: Floats) -> "HandDraw":
        """Return the means to draw hands, each as likely as the weight of its (560, 41) cell."""
        classes = self._by_major_points() * weights[:, :, None]
        kept = np.flatnonzero(classes)
        shape, points, major_points = np.unravel_index(kept, classes.shape)
        return HandDraw(self, np.cumsum(classes.ravel()[kept]), shape, points, major_points)


@dataclass(frozen=True, eq=False)
class HandDraw:
    """A distribution over the hands of a seat."""

    hands: SeatHands
    cumulated: Floats
    """(c,) cumulated weights of the classes, which are given by the next three."""
    shape: NDArray[np.intp]
    points: NDArray[np.intp]
    major_points: NDArray[np.intp]

    @property
    def total(self) -> float:
        """The sum of the weights of all hands."""
        return float(self.cumulated[-1]) if self.cumulated.size else 0.0

    def draw(self, n: int, words: Words) -> HoldingIds:
        """Draw ``n`` hands: (n, 4) holding ids."""
        aim = words.fractions(n) * self.total
        drawn = np.searchsorted(self.cumulated, aim, side="right")
        lengths = LENGTHS[self.shape[drawn]]
        majors = self.major_points[drawn]
        minors = self.points[drawn] - majors
        hands = self.hands
        of_spades = pick(
            hands._major_split[lengths[:, 0], lengths[:, 1], majors], words.fractions(n)
        )
        of_diamonds = pick(
            hands._minor_split[lengths[:, 2], lengths[:, 3], minors], words.fractions(n)
        )
        points = (of_spades, majors - of_spades, of_diamonds, minors - of_diamonds)
        ids = np.empty((n, 4), dtype=np.uint16)
        for i, suit in enumerate(hands._suits):
            cell = lengths[:, i], points[i]
            among = (words.fractions(n) * suit.number[cell]).astype(np.int64)
            ids[:, i] = suit.ids[suit.first[cell] + among]
        return ids


def _suit_holdings(
    known: int, free: int, allowed: NDArray[np.bool_], worth: Table | None
) -> _SuitHoldings:
    ids = np.arange(8192, dtype=np.uint16)
    others = 8191 & ~(known | free)
    ids = ids[((ids & known) == known) & ((ids & others) == 0) & allowed]
    lengths = _LENGTHS[ids].astype(np.int64)
    points = np.zeros_like(lengths) if worth is None else worth[ids].astype(np.int64)
    order = np.lexsort((ids, points, lengths))
    number = np.bincount(lengths * _IN_SUIT + points, minlength=14 * _IN_SUIT)
    first = np.cumsum(number) - number
    return _SuitHoldings(ids[order], number.reshape(14, -1), first.reshape(14, -1))


def _pairs(first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    """Return (14, 14, 21) pairs of holdings by their lengths and the points of both."""
    pairs: Floats = _by_first(first, second).sum(axis=3)
    return pairs


def _splits(first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    """Return (14, 14, 21, 11) the same, cumulated by the points of the first."""
    return _by_first(first, second).cumsum(axis=3)


def _by_first(first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    counts = np.zeros((14, 14, _IN_PAIR, _IN_SUIT))
    for points in range(_IN_SUIT):
        counts[:, :, points : points + _IN_SUIT, points] = (
            first[:, None, points, None] * second[None, :, :]
        )
    return counts
