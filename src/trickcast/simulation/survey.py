"""A simulation of many cells that ends by itself: every strain is solved as far as it needs.

All layouts are estimated first, so that there are figures before anything is solved. Then the first
of them are solved in all strains, and further ones in those of which not enough is known yet. No
clock decides: the same seed gives the same result.
"""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Strain
from .choice import Rows
from .controls import MINIMUM_EXACT, Floats
from .run import Measure, Meter, Source

_FIRST, _CHUNK = 256, 1024
"""Layouts estimated before the first figures, and in each turn after it."""
_PILOT = 24
"""Layouts solved in every strain."""

Wanted = dict[Strain, int]
"""How many layouts are to be solved in each strain of which not enough is known."""


class Survey:
    """A simulation under way; ``go`` takes it to its end, and what is there can always be had."""

    chance: Floats | None = None
    """All layouts had the same to be solved."""
    stopped: str | None = None

    def __init__(
        self,
        source: Source,
        measure: Callable[[list[Strain]], Measure],
        strains: list[Strain],
        samples: int,
        most_exact: int,
    ):
        self._source, self._measure = source, measure
        self._samples, self._most_exact = samples, most_exact
        self._done = dict.fromkeys(strains, 0)
        self._exact = np.full((0, 5, 4), UNKNOWN, dtype=np.uint8)
        self._estimates: list[NDArray[np.float32]] = []
        self.solving, self.estimating, self.dealing = Meter(), Meter(), Meter()

    @property
    def exact(self) -> NDArray[np.uint8]:
        """(n, 5, 4) exact results of the layouts of which any were solved; 255 for the others."""
        return self._exact[: self.solving.done]

    @property
    def rows(self) -> Rows:
        """Numbers of the layouts that the result is of, the solved ones first."""
        return np.arange(self.estimating.done)

    @property
    def estimates(self) -> NDArray[np.float32] | None:
        """Their estimates."""
        return np.concatenate(self._estimates)

    @property
    def answers(self) -> bool:
        """Whether there is anything to tell yet."""
        return self.estimating.done > 0

    def go(self, advance: Callable[[int], None], wanted: Callable[[], Wanted]) -> None:
        """Estimate, and solve until nothing more is ``wanted``.

        ``advance`` is told how many were just solved in some strain.
        """
        now, start = self._source.now, self._source.now()
        self._samples = self._source.deal(self._samples)
        self.dealing.done, self.dealing.seconds = self._samples, now() - start
        self._most_exact = min(self._most_exact, self._samples)
        while self.estimating.done < self._samples:
            start, size = now(), _CHUNK if self.estimating.done else _FIRST
            stop = min(self.estimating.done + size, self._samples)
            self._estimates.append(self._source.estimate(self.estimating.done, stop))
            self.estimating.done = stop
            self.estimating.end_turn(now() - start)
            advance(0)
        asked = dict.fromkeys(self._done, _PILOT)
        while asked:
            self._solve(asked, advance)
            asked = {
                strain: number
                for strain, number in wanted().items()
                if self._done[strain] < self._most_exact
            }

    def _solve(self, wanted: Wanted, advance: Callable[[int], None]) -> None:
        """Solve so many layouts in these strains, those together that go equally far."""
        alike = defaultdict[tuple[int, int], list[Strain]](list)
        for strain, number in wanted.items():
            done = self._done[strain]
            stop = min(max(number, done + 1), self._most_exact)
            alike[done, stop].append(strain)
        for (first, stop), strains in alike.items():
            start, done = self._source.now(), first
            more = max(0, stop - len(self._exact))
            unknown = np.full((more, 5, 4), UNKNOWN, dtype=np.uint8)
            self._exact = np.concatenate([self._exact, unknown])
            for part in self._source.solve(np.arange(first, stop), self._measure(strains)):
                some = slice(done, done + len(part))
                self._exact[some, strains] = part[:, strains]
                done = some.stop
                self._done.update(dict.fromkeys(strains, done))
                self.solving.done = max(self._done.values())
                advance(len(part))
            self.solving.end_turn(self._source.now() - start)


def layouts_wanted(half_widths: Floats, precision: float, solved: int) -> int:
    """Return how many layouts to solve, of so many, for 95 % intervals of ± ``precision``."""
    ratio = float(np.nanmax(half_widths)) / precision
    if not solved >= MINIMUM_EXACT or ratio <= 1:
        return solved
    return int(np.ceil(solved * min(min(ratio, 2.0) ** 2 * 1.03, 2.0)))
