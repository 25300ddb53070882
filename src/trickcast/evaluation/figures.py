"""The figures of an evaluation as values, each with its interval."""

from dataclasses import dataclass, fields
from typing import Any

from .clusters import Interval


@dataclass(frozen=True, slots=True)
class Figures:
    """How good the estimates of one group of results are."""

    results: int
    """Number of results compared, each a strain and declarer of a deal."""
    within_2: Interval
    """Percentage whose named tricks are at most two off; likewise ``within_1`` and ``exact``."""
    within_1: Interval
    exact: Interval
    log_loss: Interval
    """Mean of -ln of the probability given to the true result."""
    mean_error: Interval
    """Mean of expected minus real tricks.

    Grouped by real tricks it is pulled to the middle: an expectation for deals with thirteen real
    tricks can only err below.
    """
    mean_squared_error: Interval
    """Mean square of expected minus real tricks."""


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """The results whose likeliest count has a probability in one range."""

    low: float
    high: float
    results: int
    stated: float
    """Mean probability of the likeliest count, in percent."""
    happened: Interval
    """Percentage of results in which it was true."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Whether stated chances hold true."""

    error: Interval
    """Expected calibration error, percent.

    Results go into 15 ranges of equal width by the probability of their likeliest count. The error
    is the mean, over results, of the distance between a range's mean probability and the share
    that was correct (Naeini et al., "Obtaining well calibrated probabilities using Bayesian
    binning", 2015; Guo et al., "On calibration of modern neural networks", 2017). The interval is
    that of the differences with their signs.
    """
    noise: float
    """Roughly the part due to chance: the mean error if all stated chances were right."""
    bins: tuple[CalibrationBin, ...]
    """The ranges that are not empty, from the lowest."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How good estimates are, overall and by group."""

    deals: int
    """Deals compared."""
    strains: dict[str, Figures]
    """S H D C N; ``suits``, the four together; ``all``, all five.

    Parts without a known result are omitted, and ``all`` unless suits and notrump have some.
    """
    cells: dict[str, dict[str, Figures]]
    """Strain → declarer (N E S W)."""
    breakdowns: dict[str, dict[str, dict[str, Figures]]]
    """``declarer``, ``tricks``, ``fit``, ``longest`` (see BREAKDOWNS) → suits, N → group."""
    calibration: dict[str, Calibration]
    """As ``strains``."""


def plain(value: Any, digits: int = 5) -> Any:
    """Return values of this module in a form that JSON can hold; an interval is [value, low, high].

    Unknown values (for a single deal: a bound, the noise) are null.
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
