"""Means of exact results, sharpened by estimates: model-assisted two-phase sampling.

All N layouts are estimated, and n of them are also solved, each chosen with a known chance π.
π = n / N if all are alike; it is higher where the network is in doubt (choice.py). Let y be the
exact outcome of a layout (tricks, made or not, a score), x its estimate and h = a + b x. The mean
of y is estimated by the mean over all N of

    h + (y - h) / π  if y is known,  h  otherwise

Its expectation is the mean of y for any a and b, so a bad estimator costs precision and
never adds bias (Särndal, Swensson and Wretman, Model Assisted Survey Sampling, chapters 6 and 9).
If all layouts are alike, the variance is least at b = cov(x, y) / var(x), where it is

    var(y) (1 - r²) / n + var(y) r² / N        (r² the share of the spread that x explains)

compared with var(y) / n without estimates (Cochran, Sampling Techniques, 3rd edition, 12.6; control
variates in Monte Carlo methods are the same). Here, for finite n:

- a and b come from other layouts than those they correct. The solved layouts are split into ten
    parts, and each is corrected with the other nine, in which a layout counts 1 / π. Unsolved ones
    use the mean of the ten. So the spread of the corrected values includes their uncertainty.
- b is multiplied by max(0, 1 - 1/F), F = (n - 2) r² / (1 - r²). If the estimates explain no more
    than chance could, b is 0 and the plain mean of the solved layouts remains.
- var(x) is taken over the solved layouts. If it is larger over all layouts, the share 1 - r² of the
    difference is added. b stays within 0 and 2: an honest estimate has b near 1, and a rare
    outcome cannot throw it far off.
- A few solved layouts may show no miss. So the variance is at least that of one in n being a step
    off, or half that if misses were sought, by doubt.
- A score may hang on a rare result. If ``squares`` are given, the variance that the network states
    counts as much as ``_STATED`` solved layouts, where it is larger than theirs.
- Intervals use Student's t with n - 2 degrees of freedom. Intervals of chances are Wilson's at the
    effective sample size, because errors of chances near 0 or 1 are not symmetric.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]

MINIMUM_EXACT = 20
"""Fewest solved layouts for which an interval is given."""
CONFIDENCE = 0.95
_PARTS = 10
_STEEPEST = 2.0
_SOUGHT = 0.5
"""The least variance for layouts chosen by doubt, as a share of that for equal chances."""
_STATED = 20
"""The solved layouts that the network's own variance is worth."""
_SHARED = 0.05
"""The share of the spread in a layout that is an error common to all layouts."""
_ALL = np.ones((1, 1), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Means:
    """Estimated means of m outcomes; every array is (m,) float64.

    If nothing was solved, ``mean`` is that of the estimates alone. No sample can tell its error, so
    the other arrays are NaN, except that ``guessed`` gives ``error`` and ``effective`` from the
    usual size of the network's errors. Without estimates, ``mean`` is NaN too.
    """

    mean: Floats
    error: Floats
    """Standard error."""
    explained: Floats
    """r², the share of the spread of the exact outcome that the estimates explain."""
    effective: Floats
    """Effective sample size: solved layouts that alone would give this standard error."""
    left: Floats
    """n times the part of the variance that more solving would reduce. If only the n are estimated,
    that is everything the estimates do not explain."""
    solved: int
    layouts: int
    effect: float = 1.0
    """Factor by which variances were widened."""

    @property
    def quantile(self) -> float:
        """Half-width of the 95 % interval in standard errors."""
        freedom = self.solved - 2 if self.solved > 2 else np.inf  # a given error is taken as exact
        return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))

    def interval(self) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the 95 % intervals."""
        return self.mean - self.half_widths, self.mean + self.half_widths

    @property
    def half_widths(self) -> Floats:
        """Half the 95 % intervals."""
        return self.quantile * self.error

    def chances(self) -> tuple[Floats, Floats, Floats]:
        """Return means that are chances, clipped to 0-1, and Wilson's 95 % interval of each."""
        p = np.clip(self.mean, 0, 1)
        t2n = self.quantile**2 / self.effective
        middle = (p + t2n / 2) / (1 + t2n)
        width = np.sqrt(t2n * (p * (1 - p) + t2n / 4)) / (1 + t2n)
        low, high = np.minimum(middle - width, p), np.maximum(middle + width, p)
        return p, np.maximum(low, 0), np.minimum(high, 1)

    def widened(self, effect: float) -> "Means":
        """Return the same means with variances multiplied by ``effect``."""
        if effect == 1:
            return self
        error, effective, left = (
            self.error * effect**0.5,
            self.effective / effect,
            self.left * effect,
        )
        return replace(self, error=error, effective=effective, left=left, effect=effect)


def means(
    exact: Floats,
    estimated: Floats | None,
    *,
    unit: Floats | float = 0.0,
    chance: Floats | None = None,
    effect: float = 1.0,
    squares: Floats | None = None,
) -> Means:
    """Estimate the means of m outcomes from solved layouts, and estimates of many more.

    A single layout without estimates is a known deal: its outcome is the mean, and there is no
    interval (NaN).

    Args:
        exact: Outcomes of the n solved layouts, shape (n, m).
        estimated: Estimates of the same outcomes for all N layouts, the solved ones first, shape
            (N, m). None if there are none.
        unit: Smallest step of an outcome.
        chance: Chance with which each solved layout was chosen, shape (n,). Default: equal chances.
        effect: Factor by which variances of means exceed those of independent layouts.
        squares: Estimates of the squares of outcomes that a rare result may decide, such as scores;
            shape (N, m).

    Returns:
        The Means.

    Raises:
        ValueError: The shapes do not match, or n is below ``MINIMUM_EXACT``.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> estimates = rng.normal(9, 1, (1000, 1))
        >>> found = means(estimates[:50] + rng.normal(0, 0.1, (50, 1)), estimates)
        >>> bool(abs(found.mean[0] - 9) < 0.1)
        True
    """
    n = len(exact)
    if estimated is not None and (
        estimated.shape[1:] != exact.shape[1:] or len(estimated) < max(n, 1)
    ):
        raise ValueError(f"{estimated.shape} estimates for {exact.shape} exact outcomes")
    unknown = np.full(exact.shape[1], np.nan)
    if n == 1 and estimated is None:
        return Means(exact[0], unknown, unknown, unknown, unknown, 1, 1)
    if 0 < n < MINIMUM_EXACT:
        raise ValueError(f"{n} solved layouts (expected {MINIMUM_EXACT} or more)")
    if n == 0:
        mean = unknown if estimated is None else estimated.mean(axis=0)
        layouts = 0 if estimated is None else len(estimated)
        return Means(mean, unknown, unknown, unknown, unknown, 0, layouts)
    floor = np.square(unit) * (n - 1) / n**2
    if estimated is None or len(estimated) == n:
        # without other layouts the estimates don't help, but this shows what they would explain
        spread = np.maximum(exact.var(axis=0, ddof=1), floor)
        explained, left = np.zeros(exact.shape[1]), spread
        if estimated is not None:
            control = estimated - estimated.mean(axis=0)
            explained = _moments(exact, control, np.ones(n), _ALL).explained[0]
            left = spread * np.minimum((1 - explained) * (n - 1) / (n - 2), 1)
        size = np.full(exact.shape[1], float(n))
        alone = Means(exact.mean(axis=0), np.sqrt(spread / n), explained, size, left, n, n)
        return alone.widened(effect)
    return _corrected(exact, estimated, chance, floor, squares).widened(effect)


def guessed(estimated: Floats, squares: Floats) -> Means:
    """Return means from the estimates alone, with the usual size of their errors.

    ``estimated`` and ``squares`` are (N, m), the network's means of m outcomes and of their squares
    in each layout. Part of an error is common to all layouts, so a mean over many is off by the
    root of ``_SHARED`` times the mean spread of a layout.
    """
    layouts = len(estimated)
    mean = estimated.mean(axis=0)
    inside = np.maximum(squares - np.square(estimated), 0).mean(axis=0)
    between = estimated.var(axis=0, ddof=min(1, layouts - 1)) / layouts
    spread = np.maximum(squares.mean(axis=0) - np.square(mean), 1e-12)
    error = np.sqrt(_SHARED * inside + between)
    unknown = np.full_like(mean, np.nan)
    effective = spread / np.maximum(np.square(error), 1e-12)
    return Means(mean, error, unknown, effective, unknown, 0, layouts)


def _corrected(
    exact: Floats,
    estimated: Floats,
    chance: Floats | None,
    floor: Floats | float,
    squared: Floats | None,
) -> Means:
    """Estimate means by the formulas at the top of this module; ``chance`` is (n,), π."""
    n, layouts = len(exact), len(estimated)
    if chance is None:
        weight = beyond = np.full(n, layouts / n)
    else:
        weight, floor = 1 / chance, _SOUGHT * floor
        beyond = weight - 1  # a layout that is certain to be solved leaves no uncertainty
    control = estimated - estimated.mean(axis=0)  # centred, so that sums lose no digits
    paired, other = control[:n], control[n:]
    spread = control.var(axis=0, ddof=1)
    part = np.arange(n) % _PARTS
    moments = _moments(exact, paired, weight, part[:, None] != np.arange(_PARTS))
    slope = moments.slope(spread)
    level = moments.exact_mean - slope * moments.control_mean
    said = level[part] + slope[part] * paired
    missed = exact - said
    known = said + weight[:, None] * missed
    guessed = level.mean(axis=0) + slope.mean(axis=0) * other
    mean = (known.sum(axis=0) + guessed.sum(axis=0)) / layouts
    squares = np.square(known - mean).sum(axis=0) + np.square(guessed - mean).sum(axis=0)
    variance = np.maximum(squares / (layouts - 1) / layouts, floor / n)
    if squared is not None:
        stated = squared[:n] - np.square(estimated[:n]) + np.square(estimated[:n] - said)
        more = (weight * beyond) @ (stated - np.square(missed)) / layouts**2
        variance += np.maximum(more, 0) * _STATED / (n + _STATED)
    whole = _moments(exact, paired, weight, _ALL)
    exact_spread = np.maximum(whole.exact[0], floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.where(variance > 0, exact_spread / variance, n)
    effective = np.where(exact_spread > 0, effective, n)
    left = n * (weight * beyond) @ np.square(missed) / layouts**2
    return Means(mean, np.sqrt(variance), whole.explained[0], effective, left, n, layouts)


@dataclass(frozen=True, slots=True)
class _Moments:
    """Sample variances of m outcomes and their controls in k subsets: (k, m), size (k, 1)."""

    size: Floats
    exact: Floats
    control: Floats
    joint: Floats
    """Covariances."""
    exact_mean: Floats
    control_mean: Floats

    @property
    def explained(self) -> Floats:
        """The squared correlation, 0 if either does not vary."""
        scale = self.exact * self.control
        share = np.zeros_like(scale)
        np.divide(self.joint**2, scale, out=share, where=scale > 1e-18)
        return np.minimum(share, 1.0)

    def slope(self, spread: Floats) -> Floats:
        """The best factor b, shrunk towards 0 as far as the share explained may be chance.

        ``spread`` is the variance of the control over all layouts.
        """
        share, best, kept = self.explained, np.zeros_like(self.joint), np.zeros_like(self.joint)
        unseen = (1 - share) * np.maximum(spread - self.control, 0)
        np.divide(self.joint, self.control + unseen, out=best, where=share > 0)
        chance = (1 - share) / np.maximum(self.size - 2, 1)  # 1/F is this over the share
        np.divide(np.maximum(share - chance, 0), share, out=kept, where=share > 0)
        return np.clip(best * kept, 0, _STEEPEST)


def _moments(exact: Floats, control: Floats, weight: Floats, chosen: NDArray[np.bool_]) -> _Moments:
    """Return the moments of (n, m) outcomes and controls, in the subsets (n, k) ``chosen``.

    ``weight`` is (n,), the number of layouts each one represents. ``_ALL`` is a single subset of
    all layouts.
    The controls must be centred.
    """
    members = np.broadcast_to(chosen, (len(exact), chosen.shape[1])).T * (weight / weight.mean())
    size = members.sum(axis=1, keepdims=True)
    middle = exact.mean(axis=0)
    about = exact - middle
    exact_mean, control_mean = members @ about / size, members @ control / size

    def moment(products: Floats, means: Floats) -> Floats:
        variances: Floats = (members @ products - size * means) / np.maximum(size - 1, 1)
        return variances

    return _Moments(
        size,
        moment(about**2, exact_mean**2),
        moment(control**2, control_mean**2),
        moment(about * control, exact_mean * control_mean),
        exact_mean + middle,
        control_mean,
    )
