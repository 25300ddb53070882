"""Means of exact results, sharpened by estimates: control variates from two-phase sampling.

Of N layouts all are estimated and the first n are solved too. With y the exact outcome of a
layout (tricks, made or not, a score) and x its estimate, the mean of y is estimated by

    mean over the solved of  y - b (x - mean of x over all)

whose expectation is the mean of y whatever b is, so a bad estimator costs precision and never
adds bias. The variance is least at b = cov(x, y) / var(x), where it is

    var(y) (1 - r²) / n + var(y) r² / N        (r² the share of the spread that x explains)

against var(y) / n without estimates (Cochran, Sampling Techniques, 3rd edition, 12.6; control
variates of Monte Carlo methods are the same). Here, for finite n:

- b comes from other layouts than those it corrects: the solved are cut into ten parts, each is
  corrected with the b of the other nine, and the mean of x leaves those nine out. So the mean stays
  unbiased, exactly, and the spread of the corrected values counts the uncertainty of b.
- b is multiplied by max(0, 1 - 1/F), F = (n - 2) r² / (1 - r²): where the estimates explain nothing
  that could not be chance, b is 0 and what remains is the plain mean of the solved.
- var(x) is that of the solved or of all layouts, whichever is larger, and b stays within 0 and 2:
  an honest estimate has b near 1, and a rare outcome cannot throw it far off.
- Intervals take Student's t with n - 2 degrees of freedom; those of chances are Wilson's at the
  effective sample size, since chances near 0 or 1 have no symmetric error.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]

MINIMUM_EXACT = 20
"""Solved layouts without which no interval is given."""
CONFIDENCE = 0.95
_PARTS = 10
_STEEPEST = 2.0
_ALL = np.ones((1, 1), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Means:
    """Estimated means of m outcomes; every array is (m,) float64.

    Where nothing was solved ``mean`` is that of the estimates alone, whose error no sample can
    tell: all else is NaN. It is NaN too where there are none either.
    """

    mean: Floats
    error: Floats
    """Standard error."""
    explained: Floats
    """r², the share of the spread of the exact outcome that the estimates explain."""
    effective: Floats
    """Effective sample size: how many solved layouts alone would have this standard error."""
    solved: int
    layouts: int

    @property
    def quantile(self) -> float:
        """How many standard errors the 95 % interval goes to either side."""
        return float(stdtrit(self.solved - 2, (1 + CONFIDENCE) / 2)) if self.solved > 2 else np.nan

    def interval(self) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the 95 % intervals."""
        return self.mean - self.half_widths, self.mean + self.half_widths

    @property
    def half_widths(self) -> Floats:
        """Half the 95 % intervals."""
        return self.quantile * self.error

    def chances(self) -> tuple[Floats, Floats, Floats]:
        """Return means that are chances, brought into 0-1, and Wilson's 95 % interval of each."""
        p = np.clip(self.mean, 0, 1)
        t2n = self.quantile**2 / self.effective
        middle = (p + t2n / 2) / (1 + t2n)
        width = np.sqrt(t2n * (p * (1 - p) + t2n / 4)) / (1 + t2n)
        low, high = np.minimum(middle - width, p), np.maximum(middle + width, p)
        return p, np.maximum(low, 0), np.minimum(high, 1)


def means(exact: Floats, estimated: Floats | None, *, unit: Floats | float = 0.0) -> Means:
    """Estimate the means of m outcomes.

    ``exact`` is (n, m), the outcomes of the solved layouts; ``estimated`` (N, m), the estimates of
    the same outcomes for all layouts, the solved ones first, or None where there are none.
    ``unit`` is the smallest step of an outcome: where all solved layouts agree, the next might
    not, and the variance is taken to be that of one in n being a step off.

    One layout alone, and no estimates, is a deal that is known: its outcome is the mean, and no
    chance is left that an interval could tell of (NaN).

    Raises ValueError for arrays that do not fit together, and for other n below MINIMUM_EXACT.
    """
    n = len(exact)
    if estimated is not None and (
        estimated.shape[1:] != exact.shape[1:] or len(estimated) < max(n, 1)
    ):
        raise ValueError(f"{estimated.shape} estimates for {exact.shape} exact outcomes")
    unknown = np.full(exact.shape[1], np.nan)
    if n == 1 and estimated is None:
        return Means(exact[0], unknown, unknown, unknown, 1, 1)
    if 0 < n < MINIMUM_EXACT:
        raise ValueError(f"{n} solved layouts (expected {MINIMUM_EXACT} or more)")
    if n == 0:
        mean = unknown if estimated is None else estimated.mean(axis=0)
        return Means(mean, unknown, unknown, unknown, 0, 0 if estimated is None else len(estimated))
    floor = np.square(unit) * (n - 1) / n**2
    spread = np.maximum(exact.var(axis=0, ddof=1), floor)
    if estimated is None or len(estimated) == n:
        # estimates of no other layouts sharpen nothing, but show what they would explain
        explained = np.zeros(exact.shape[1])
        if estimated is not None:
            explained = _moments(exact, estimated - estimated.mean(axis=0), _ALL).explained[0]
        size = np.full(exact.shape[1], float(n))
        return Means(exact.mean(axis=0), np.sqrt(spread / n), explained, size, n, n)
    return _corrected(exact, estimated, spread, floor)


def _corrected(
    exact: Floats, estimated: Floats, exact_spread: Floats, floor: Floats | float
) -> Means:
    """Estimate means by the formulas at the top of this module."""
    n, layouts = len(exact), len(estimated)
    control = estimated - estimated.mean(axis=0)  # about zero, so that sums lose no digits
    total, paired = control.sum(axis=0), control[:n]
    spread = control.var(axis=0, ddof=1)
    part = np.arange(n) % _PARTS
    others = _moments(exact, paired, part[:, None] != np.arange(_PARTS))
    centre = (total - others.control_sum) / (layouts - others.size)
    corrected = exact - others.slope(spread)[part] * (paired - centre[part])
    # mean of (y - bx) over n plus mean of bx over N: the variances, and their covariance
    # where b is not the best one
    left = np.maximum(corrected.var(axis=0, ddof=1), floor)
    whole = _moments(exact, paired, _ALL)
    slope = whole.slope(spread)[0]
    common = slope**2 * spread + 2 * slope * (whole.joint[0] - slope * whole.control[0])
    variance = left / n + np.maximum(common, 0) / layouts
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.where(variance > 0, exact_spread / variance, n)
    effective = np.where(exact_spread > 0, effective, n)
    return Means(
        corrected.mean(axis=0), np.sqrt(variance), whole.explained[0], effective, n, layouts
    )


@dataclass(frozen=True, slots=True)
class _Moments:
    """Sample variances of m outcomes and their controls in k subsets: (k, m), size (k, 1)."""

    size: Floats
    exact: Floats
    control: Floats
    joint: Floats
    """Covariances."""
    control_sum: Floats

    @property
    def explained(self) -> Floats:
        """The squared correlation, 0 where either does not vary."""
        scale = self.exact * self.control
        share = np.zeros_like(scale)
        np.divide(self.joint**2, scale, out=share, where=scale > 1e-18)
        return np.minimum(share, 1.0)

    def slope(self, spread: Floats) -> Floats:
        """The best factor b, drawn towards 0 as far as the share explained may be chance.

        ``spread`` is the variance of the control over all layouts.
        """
        share, best, kept = self.explained, np.zeros_like(self.joint), np.zeros_like(self.joint)
        np.divide(self.joint, np.maximum(self.control, spread), out=best, where=share > 0)
        chance = (1 - share) / (self.size - 2)  # 1/F is this over the share
        np.divide(np.maximum(share - chance, 0), share, out=kept, where=share > 0)
        return np.clip(best * kept, 0, _STEEPEST)


def _moments(exact: Floats, control: Floats, chosen: NDArray[np.bool_]) -> _Moments:
    """Return the moments of (n, m) outcomes and controls, in the subsets (n, k) ``chosen``.

    ``_ALL`` is the one subset of all. The controls have to lie about zero.
    """
    members = np.broadcast_to(chosen, (len(exact), chosen.shape[1])).T.astype(float)
    size = members.sum(axis=1, keepdims=True)
    about = exact - exact.mean(axis=0)
    exact_sum, control_sum = members @ about, members @ control

    def moment(products: Floats, sums: Floats) -> Floats:
        variances: Floats = (members @ products - sums / size) / (size - 1)
        return variances

    return _Moments(
        size,
        moment(about**2, exact_sum**2),
        moment(control**2, control_sum**2),
        moment(about * control, exact_sum * control_sum),
        control_sum,
    )
