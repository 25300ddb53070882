"""How many layouts to deal, estimate and solve: as requested, or the best number.

Solving n layouts at s seconds each, and estimating q n at e seconds each, takes n (s + q e) and
gives the variance (controls.py)

    var(y) ((1 - r²) + r² / q) / n

So the time for a given variance depends only on q, not on n. With c = e / s it is least at
q = sqrt(r² / ((1 - r²) c)), and is then (√(1 - r²) + √(r² c))² of the time of solving alone
(Cochran, Sampling Techniques, 3rd edition, 12.7). Of several outcomes the worst known counts. If
layouts are chosen by doubt (choice.py), less than 1 - r² remains: as the solved ones show, or,
before any was chosen, the mean of that and the network's own prediction.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ..cards import checked_number, checked_whole
from .controls import CONFIDENCE, MINIMUM_EXACT, Floats, Means

USUAL_EXACT = 200
"""Default number of layouts to solve."""
USUAL_SAMPLES = 2000
"""Default number of layouts to estimate if none are solved."""
MOST_EXACT = 20_000
"""Most layouts solved for a precision or within a time limit, unless more are requested."""
MOST_SAMPLES = 100_000
"""The same for estimated layouts; a thousand of them take a megabyte."""
_RATIOS = np.exp2(np.arange(1.0, 8.5, 0.5))  # 2 to 256: at most 1 % dearer than the best between


class SimulationError(ValueError):
    """Raised for a simulation that is impossible as requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much to deal, estimate and solve. Raises SimulationError for an impossible plan."""

    samples: int | None = None
    """Layouts to deal and estimate; None for the best accuracy per second."""
    solve: int | None = None
    """Layouts to solve as well; None for as many as are needed, or 200."""
    precision: float | None = None
    """Half the width of the 95 % interval at which solving stops."""
    seconds: float | None = None
    """Time after which solving stops, counted from the start."""

    def __post_init__(self) -> None:
        for name in ("samples", "solve"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checked_whole(getattr(self, name), name))
        if self.samples is not None and self.samples < 1:
            raise SimulationError(f"samples is {self.samples} (expected 1 or more)")
        if self.solve != 0 and self.most_exact < MINIMUM_EXACT:
            name = "samples" if self.solve is None else "solve"
            raise SimulationError(
                f"{name} is {self.most_exact} (expected {MINIMUM_EXACT} or more, for an interval "
                "from fewer means nothing, or solve 0 for estimates without intervals)"
            )
        if self.samples is not None and self.most_exact > self.samples:
            raise SimulationError(
                f"solve is {self.solve} and samples {self.samples} (expected solve <= samples: the "
                "solved layouts are some of them)"
            )
        for name in ("precision", "seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < checked_number(value, name) < np.inf:
                raise SimulationError(f"{name} is {value} (expected a number above 0)")
            if value is not None and self.solve == 0:
                raise SimulationError(f"{name} needs exact results (solve is 0)")

    @property
    def open_ended(self) -> bool:
        """Whether a precision or the clock ends the solving, not a number of layouts."""
        return self.precision is not None or self.seconds is not None

    @property
    def told(self) -> bool:
        """Whether both numbers are fixed in advance."""
        return self.solve == 0 or (self.samples is not None and not self.open_ended)

    @property
    def most_exact(self) -> int:
        """Most layouts to solve."""
        if self.solve is not None:
            return self.solve
        most = MOST_EXACT if self.open_ended else USUAL_EXACT
        return most if self.samples is None else min(most, self.samples)

    @property
    def most_samples(self) -> int:
        """Most layouts to deal."""
        if self.samples is not None:
            return self.samples
        return USUAL_SAMPLES if self.solve == 0 else max(MOST_SAMPLES, self.most_exact)


@dataclass(frozen=True, slots=True)
class Spread:
    """How m outcomes vary, and how much of that the estimates explain: (m,) float64 each."""

    variance: Floats
    explained: Floats
    """The share of the variance that more estimates would reduce: r², corrected for chance.
    If layouts were chosen by doubt it is 1: the rest does not depend on their number."""
    rest: Floats
    """n times the variance of a mean that would remain if all layouts were estimated."""

    @classmethod
    def of(
        cls, estimated: Means, *, chosen: bool = False, doubts: Floats | None = None
    ) -> "Spread":
        """Compute it from the means of what was solved so far, some ``chosen`` by doubt.

        Pass ``doubts`` about layouts if the next ones will be chosen by them and none was yet.
        Then the few solved layouts and the network count equally in predicting its error.
        """
        n = estimated.solved
        explained = np.clip(1 - (1 - estimated.explained) * (n - 1) / (n - 2), 0, 1)
        variance = estimated.effective * estimated.error**2 * estimated.effect
        if chosen:
            explained = np.ones_like(explained)
        if doubts is None:
            return cls(variance, explained, estimated.left)
        said = np.square(doubts).mean() * estimated.effect
        focus = doubts.mean() ** 2 / np.square(doubts).mean()  # the least that choosing leaves
        return cls(variance, explained, focus * (estimated.left + said) / 2)

    def left(self, ratio: float) -> float:
        """Return n times the variance of a mean at ``ratio`` estimates per solve; 0 for none."""
        left = self.rest + self.variance * self.explained / ratio if ratio else self.variance
        return float(left.max())

    def ratio(self, cost: float, *, alone: bool = True) -> float:
        """Return the best number of estimates per solve, 0 if solving ``alone`` is as fast.

        ``cost`` is the time of one estimate over that of one solve.
        """
        times = [self.left(ratio) * (1 + ratio * cost) for ratio in _RATIOS]
        best = int(np.argmin(times))
        return 0.0 if alone and times[best] >= self.left(0) else float(_RATIOS[best])

    def solves(self, ratio: float, half_width: float) -> float:
        """Return how many layouts to solve for a 95 % interval of ± ``half_width``."""
        tail = (1 + CONFIDENCE) / 2
        rough = self.left(ratio) / half_width / half_width  # the square may underflow to 0
        needed = rough * stdtrit(np.inf, tail) ** 2
        quantile = stdtrit(max(needed, MINIMUM_EXACT) - 2, tail)  # Student's is wider for few
        return float(rough * quantile**2)

    def estimates(self, solved: int, half_width: float) -> float:
        """Return how many layouts to estimate for that, given those solved; inf if none suffice."""
        error = half_width / stdtrit(solved - 2, (1 + CONFIDENCE) / 2)
        room = error**2 - self.rest / solved
        needed = np.full_like(room, np.inf)
        np.divide(self.variance * self.explained, room, out=needed, where=room > 0)
        return float(needed.max())
