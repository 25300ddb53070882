"""What an evaluation finds, as values; every figure with its interval."""

from dataclasses import dataclass, fields
from typing import Any

from .clusters import Interval


@dataclass(frozen=True, slots=True)
class Figures:
    """How good the estimates of one group of results are."""

    results: int
    """Results compared: a strain and declarer of a deal each."""
    within_2: Interval
    """Percent whose named tricks are at most two off, as ``within_1`` and ``exact``."""
    within_1: Interval
    exact: Interval
    log_loss: Interval
    """Mean of -ln of the probability that was given to what came true."""
    mean_error: Interval
    """Mean of expected less real tricks.

    Grouped by real tricks it leans to the middle by nature: who gave thirteen tricks an expectation
    of thirteen could only err below.
    """
    mean_squared_error: Interval
    """Mean square of expected less real tricks."""


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """The results whose likeliest count has a probability in one range."""

    low: float
    high: float
    results: int
    stated: float
    """Mean probability of the likeliest count, percent."""
    happened: Interval
    """Percent of them in which it came true."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Whether stated chances come true."""

    error: Interval
    """Expected calibration error, percent.

    Results go into 15 ranges of equal width by the probability of their likeliest count; the error
    is the mean, over results, of the distance between a range's mean probability and the share of
    it that came true (Naeini et al., "Obtaining well calibrated probabilities using Bayesian
    binning", 2015; Guo et al., "On calibration of modern neural networks", 2017). The interval is
    of the differences with their signs kept.
    """
    noise: float
    """Roughly what chance alone makes of it: the mean error if all stated chances were right."""
    bins: tuple[CalibrationBin, ...]
    """The ranges that are not empty, from the lowest."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How good estimates are, in all and group by group."""

    deals: int
    """Deals compared."""
    strains: dict[str, Figures]
    """S H D C N; ``suits``, the four together; ``all``. Left out without a known result."""
    cells: dict[str, dict[str, Figures]]
    """Strain → declarer (N E S W)."""
    breakdowns: dict[str, dict[str, dict[str, Figures]]]
    """``declarer``, ``tricks``, ``fit``, ``longest`` (see BREAKDOWNS) → suits, N → group."""
    calibration: dict[str, Calibration]
    """As ``strains``."""


def plain(value: Any, digits: int = 5) -> Any:
    """Return values of this module as what JSON can hold; an interval is [value, low, high].

    What is not known (of a single deal: a bound, the noise) is null.
    """
    if isinstance(value, dict):
        return {key: plain(value, digits) for key, value in value.items()}
    if isinstance(value, tuple):
        return [plain(value, digits) for value in value]
    if isinstance(value, float):
        return None if value != value else round(value, digits)
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: plain(getattr(value, field.name), digits) for field in fields(value)}
    return value
