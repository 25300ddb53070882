"""A simulation of many cells that stops by itself: every strain is solved as far as it needs.

All layouts are estimated first, so that there are figures before anything is solved. Then the first
of them are solved in all strains, and more in strains that are not precise enough yet. No
clock decides, so the same seed gives the same result.
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
"""Layouts estimated before the first figures, and in each turn after that."""
_PILOT = 24
"""Layouts solved in every strain."""

Wanted = dict[Strain, int]
"""How many layouts to solve in each strain that is not precise enough yet."""


class Survey:
    """A running simulation; ``go`` completes it, and intermediate results are always available."""

    chance: Floats | None = None
    """None: all layouts had the same chance to be solved."""
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
        """(n, 5, 4) exact results of the layouts solved in any strain; 255 for the other cells."""
        return self._exact[: self.solving.done]

    @property
    def rows(self) -> Rows:
        """Numbers of the layouts in the result, the solved ones first."""
        return np.arange(self.estimating.done)

    @property
    def estimates(self) -> NDArray[np.float32] | None:
        """Their estimates."""
        return np.concatenate(self._estimates)

    @property
    def answers(self) -> bool:
        """Whether there is a result to report yet."""
        return self.estimating.done > 0

    def go(self, advance: Callable[[int], None], wanted: Callable[[], Wanted]) -> None:
        """Estimate, and solve until nothing more is ``wanted``.

        Calls ``advance`` with the number just solved in some strain.
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
        """Solve so many layouts in these strains; strains with the same number go together."""
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
    """Return the total number of layouts to solve for 95 % intervals of ± ``precision``."""
    ratio = float(np.nanmax(half_widths)) / precision
    if not solved >= MINIMUM_EXACT or ratio <= 1:
        return solved
    return int(np.ceil(solved * min(min(ratio, 2.0) ** 2 * 1.03, 2.0)))
