"""Format numbers with intervals, chances as bars, and notes, in lines of at most 80 characters."""

from collections.abc import Iterable, Sequence
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

_BAR = 40
_WIDTH = 80
ESTIMATED_ONLY = "network estimates only: their error is not known"
FIRST_FIGURES = "first figures, by the network only; ± is its usual error"
INTERVALS = "± and brackets show the 95 % interval"
KNOWN = "every hand is known: solved once, so there is no chance"
RANKS = ("double-dummy", "played")
"""What contracts and leads may be ranked by."""
AS_PLAYED = "as played"
PLAYED_BY = {
    "expert": "as played: what championship players take, who see two hands (intervals count only "
    "the layouts)",
    "club": "as played: what club players take, who see two hands (intervals count only the "
    "layouts)",
}
DOUBLE_DUMMY = "double dummy: everybody sees all hands"


def wrapped(notes: Iterable[str]) -> list[str]:
    """Break notes into lines."""
    return [line for note in notes for line in wrap(note, _WIDTH)]


def bars(chances: NDArray[np.float64]) -> str:
    """Draw the chances of 0 to 13 tricks, from the first to the last that rounds above 0.

    Args:
        chances: Chances, shape (14,), or NaN where they are unknown.

    Returns:
        A line for each number of tricks; empty if the chances are unknown.

    Example:
        >>> print(bars(np.eye(14)[9] / 2 + np.eye(14)[10] / 2))
         9  50.0% ████████████████████████████████████████
        10  50.0% ████████████████████████████████████████
    """
    if np.isnan(chances).any():
        return ""
    shown = np.flatnonzero(chances >= 0.0005)
    longest = chances.max()
    lines = []
    for tricks in range(shown[0], shown[-1] + 1):
        bar = "█" * round(_BAR * chances[tricks] / longest)
        lines.append(f"{tricks:>2} {chances[tricks]:6.1%} {bar}".rstrip())
    return "\n".join(lines)


def interval_text(
    value: Sequence[float], digits: int, *, signed: bool = False, unit: str = ""
) -> str:
    """Show a mean and the ends of its interval, if it has one."""
    mean, low, high = (f"{number:{'+' if signed else ''}.{digits}f}" for number in value)
    return f"{mean}{unit}" if low.endswith("nan") else f"{mean}{unit} ({low} to {high})"


def percent_text(value: Sequence[float]) -> str:
    """Show a chance and its interval in percent."""
    return interval_text([100 * number for number in value], 1, unit=" %")


def error_text(mean: float, half_width: float) -> str:
    """Show a mean and half its interval, if it has one; a dash if it is unknown."""
    if np.isnan(mean):
        return "-"
    return f"{mean:.2f}" if np.isnan(half_width) else f"{mean:.2f} ±{half_width:.2f}"
