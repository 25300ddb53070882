"""Which layouts are solved: a pilot first, then those that the network is unsure about.

Solving a layout tells little if the network is already sure of it. So the first ``PILOT`` layouts
are solved as they come. Of the others, those with the greatest doubt / u are solved, with u drawn
uniformly from 0 to 1 for each. This is priority sampling (Duffield, Lund and Thorup, Journal of the
ACM 54, 2007): a layout is chosen with the chance min(1, doubt / τ), where τ is the greatest
doubt / u of all unsolved layouts. The variance is least if the doubt is proportional to the error
of the estimate (Neyman 1934). Layouts come in random order, so any of N could have been among the
first m. With both, a layout's chance is π = 1 - (1 - min(1, doubt / τ)) (1 - m / N).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .controls import MINIMUM_EXACT, Floats

PILOT = MINIMUM_EXACT
"""Layouts solved as they come, before deciding whether to use the network."""
_LEAST = 0.003
"""Variance, of tricks or of a chance, added to the network's own."""
Rows = NDArray[np.intp]
Lots = Callable[[int], Floats]
"""Returns so many numbers, drawn uniformly from [0, 1)."""


class Selection:
    """The numbers of the solved layouts, in the order in which they were solved."""

    rows: Rows
    reach: int
    """Number of layouts they were chosen from; 0 if they are simply the first ones."""
    doubts: Floats
    """Doubts about the layouts so far."""

    def __init__(self, lots: Lots):
        self._draw, self._lots = lots, np.empty(0)
        self.doubts = np.empty(0)
        self.rows, self.reach, self._first = np.empty(0, dtype=np.intp), 0, 0

    def add_doubts(self, doubts: Floats) -> None:
        """Add the doubts about the next layouts; each is above 0."""
        self.doubts = np.concatenate([self.doubts, doubts])
        self._lots = np.concatenate([self._lots, 1 - self._draw(len(doubts))])

    def next_first(self, number: int) -> tuple[Rows, list[int]]:
        """Return the layouts to solve to have the first ``number``, and the reach after each."""
        rows = np.arange(len(self.rows), number)
        return rows, [0] * len(rows)

    def next_doubtful(self, number: int) -> tuple[Rows, list[int]]:
        """Return the layouts to solve to have ``number``, and the reach after each.

        Wherever solving stops, the solved layouts are those of highest priority within the reach.
        """
        if not self.reach:
            self._first = len(self.rows)
        layouts, reached = len(self.doubts), self.reach or self._first
        wanted, rest = number - len(self.rows), self._unsolved(layouts)
        priority = self.doubts / self._lots
        before, beyond = rest[rest < reached], rest[rest >= reached]
        threshold = priority[before].max() if len(before) else np.inf
        alike = beyond[priority[beyond] > threshold]
        if len(alike) < wanted:  # use some that were not doubtful enough before
            ranked = rest[np.argsort(-priority[rest], kind="stable")][:wanted]
            again = ranked[ranked < reached]
            alike = np.sort(ranked[ranked >= reached])
        else:
            again = before[:0]
        ends = [reached] * len(again) + [*alike.tolist(), layouts]
        rows = np.concatenate([again, alike])[:wanted]
        # after those taken from before, a solved layout extends the reach up to the next one
        return rows, ends[1 : len(rows) + 1]

    def solved(self, rows: Rows, reach: int) -> None:
        """Record these layouts as solved."""
        self.rows, self.reach = np.concatenate([self.rows, rows]), reach

    def in_order(self, layouts: int) -> Rows:
        """Return the numbers of so many layouts, or of those in reach, the solved ones first.

        Both groups are in ascending order, whatever the order of solving.
        """
        return np.concatenate([np.sort(self.rows), self._unsolved(self.reach or layouts)])

    @property
    def chance(self) -> Floats | None:
        """The chance with which each solved layout was chosen, in ascending order of numbers.

        None if all had the same chance.
        """
        if not self.reach:
            return None
        rest, sure = self._unsolved(self.reach), np.ones(len(self.rows))
        if len(rest):
            threshold = (self.doubts[rest] / self._lots[rest]).max()
            sure = np.minimum(1, self.doubts[np.sort(self.rows)] / threshold)
        return 1 - (1 - sure) * (1 - self._first / self.reach)

    def _unsolved(self, layouts: int) -> Rows:
        left = np.ones(layouts, dtype=np.bool_)
        left[self.rows[self.rows < layouts]] = False
        return np.flatnonzero(left)


def doubt_of(chances: NDArray[Any], outcomes: Floats) -> Floats:
    """Return the doubt about (N, cells, 14) estimates: (N,).

    It is the root of the variance of (14, m) outcomes, averaged over cells and outcomes, plus a
    little: the network may be wrong even where it is sure.
    """
    p = chances.astype(float)
    variance = p @ np.square(outcomes) - np.square(p @ outcomes)
    doubt: Floats = np.sqrt(np.maximum(variance, 0).mean(axis=(1, 2)) + _LEAST)
    return doubt
