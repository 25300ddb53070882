"""Intervals for figures whose results come in clusters: the twenty results of a deal.

A deal that is hard for one declarer is hard for all. So its twenty results are far from twenty
independent ones; the deals are what was drawn at random. All figures here are ratios of sums over
deals, and their variance is that of the linearised ratio, taken over deals (Cochran, Sampling
Techniques, 1977, chapter 6; the cluster-robust variance of Liang and Zeger, 1986). Unlike a
bootstrap it needs one pass, constant memory, and no random numbers; with
thousands of deals both agree. The variance is itself an estimate, and a poor one for few deals. So
intervals use Student's t with one degree of freedom fewer than there are deals (Korn and
Graubard, Survey Methodology 24, 1998).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_TAIL = 0.975  # 95 % on both sides
Z = 1.959963984540054
"""Standard errors on either side of a mean in a 95 % interval, if no variance is estimated."""

Array = NDArray[np.float64]


def standard_errors(freedom: float) -> float:
    """Return half the width of a 95 % interval in standard errors, by Student's t.

    ``freedom`` is the degrees of freedom of the variance.
    """
    from scipy.special import stdtrit  # a tenth of a second, which estimates need not spend

    return float(stdtrit(freedom, _TAIL))


class Interval(NamedTuple):
    """A figure and its 95 % confidence interval."""

    value: float
    low: float
    """NaN if there is a single cluster, since then the spread is unknown."""
    high: float

    def times(self, factor: float) -> "Interval":
        """Return the figure in another unit; ``factor`` is above zero."""
        return Interval(*(factor * number for number in self))


class ClusterSums:
    """Sums of rows and of their products: all that a ratio and its interval need.

    A row has ``width`` numbers, the sums over one cluster's results; the last is the number of
    results. A cluster without results counts for nothing.
    """

    def __init__(self, width: int):
        self.clusters = 0
        self.total = np.zeros(width)
        self.products = np.zeros((width, width))

    def add(self, rows: ArrayLike) -> None:
        """Add (m, width) rows, one per new cluster."""
        some = np.asarray(rows, dtype=np.float64)
        some = some[some[:, -1] > 0]
        self.clusters += len(some)
        self.total += some.sum(axis=0)
        self.products += some.T @ some

    def merge(self, other: "ClusterSums") -> None:
        """Add the sums of other clusters."""
        self.clusters += other.clusters
        self.total += other.total
        self.products += other.products

    @property
    def results(self) -> int:
        """Number of results."""
        return int(self.total[-1])

    def spread(self, top: Array, bottom: Array | None = None) -> tuple[float, float]:
        """Return the ratio of two weighted sums, and its standard error.

        ``top`` and ``bottom``, (width,), weight the columns; ``bottom`` is the number of results
        unless given. The error is NaN for a single cluster.
        """
        below = np.eye(len(self.total))[-1] if bottom is None else bottom
        size = float(below @ self.total)
        value = float(top @ self.total) / size
        residual = top - value * below
        if self.clusters < 2:
            return value, float("nan")
        squares = max(float(residual @ self.products @ residual), 0.0)
        return value, float(np.sqrt(squares * self.clusters / (self.clusters - 1))) / size

    def mean(self, top: Array, bottom: Array | None = None) -> Interval:
        """Return a mean, or another ratio of sums (as in ``spread``), and its interval."""
        value, error = self.spread(top, bottom)
        half = self._errors() * error
        return Interval(value, value - half, value + half)

    def share(self, top: Array, bottom: Array | None = None) -> Interval:
        """Return a share in [0, 1] and its interval, which stays in that range.

        Wilson's interval (1927) for as many independent results as would have the share's standard
        error, but no more than there are: clusters that agree by chance tell no more (Korn and
        Graubard, 1998). If all results are alike there is no error to use; the number is then that
        of the clusters, weighted by results (Kish, Survey Sampling, 1965).
        """
        value, error = self.spread(top, bottom)
        if np.isnan(error):
            return Interval(value, error, error)
        below = np.eye(len(self.total))[-1] if bottom is None else bottom
        results = float(below @ self.total)
        varied = value * (1 - value)
        if varied > 0:
            n = min(varied / error**2, results) if error > 0 else results
            z = self._errors()
        else:
            n, z = results**2 / float(below @ self.products @ below), Z
        centre = (value + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(varied / n + (z / (2 * n)) ** 2)
        low, high = max(0.0, float(centre - half)), min(1.0, float(centre + half))  # by rounding
        return Interval(value, min(value, low), max(value, high))

    def _errors(self) -> float:
        """Return the half-width of an interval in standard errors."""
        return float("nan") if self.clusters < 2 else standard_errors(self.clusters - 1)
