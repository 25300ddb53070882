"""The 95 % interval of a sum whose parts vary, some by a variance that is itself only measured."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

BOTH_SIDES, ONE_SIDE = 0.975, 0.95
"""Quantiles of what chance exceeds once in twenty times, on both sides or on one."""
_MANY = 1e9
"""Degrees of freedom at which Student's t is the normal distribution."""


class Spread(NamedTuple):
    """A variance that is itself measured, or known."""

    variance: float = 0.0
    freedom: float = float("inf")
    """Its degrees of freedom: networks less one, if their spread gave it."""


def half_width(parts: Sequence[Spread], quantile: float = BOTH_SIDES) -> float:
    """Return half the interval of a sum with these variances, by Student's t.

    The degrees of freedom are those of Welch (1947). With two or three networks there are few, so
    the interval is much wider than two standard errors.
    """
    from scipy.special import stdtrit  # takes time to load

    whole = sum(part.variance for part in parts)
    doubt = sum(part.variance**2 / part.freedom for part in parts)
    return sqrt(whole) * float(stdtrit(min(whole**2 / doubt, _MANY) if doubt else _MANY, quantile))
