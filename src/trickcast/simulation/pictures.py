"""The distribution of tricks as an SVG picture for web pages."""

from collections.abc import Sequence
from html import escape

import numpy as np

from ..cards import Seat
from ..scoring import Contract
from .contracts import Simulation
from .controls import Floats
from .outcomes import played_by, strain_of
from .plan import SimulationError
from .texts import percent_text

_STEP, _BAR = 52, 34  # distance between bars, and width of a bar
_LEFT, _TOP, _HEIGHT, _BELOW = 24, 76, 200, 56
_MADE, _DOWN, _INK, _PALE = "#1f7a5c", "#b9bec6", "#22262b", "#6b7280"
_FONT = "font-family='Helvetica, Arial, sans-serif'"


def trick_picture(result: Simulation, contract: str | Contract, by: str | Seat) -> str:
    """Return the distribution of tricks in a contract as a picture.

    Args:
        result: The Simulation.
        contract: The contract, such as ``"4S"``.
        by: The declarer.

    Returns:
        The picture as SVG.

    Raises:
        SimulationError: The tricks of the contract were neither solved nor estimated.

    Example:
        >>> result = tc.simulate(
        ...     south="AQ864.K75.A3.KJ4", contracts=[("4S", "S")], samples=40, solve=20, seed=1
        ... )
        >>> trick_picture(result, "4S", "S")[:4]
        '<svg'
    """
    bid, seat = played_by(contract, by)
    title = f"{bid} by {seat.word}"
    chances = result.distribution(strain_of(bid), seat)
    if np.isnan(chances).any():
        raise SimulationError(f"{title}: its tricks were neither solved nor estimated")
    low, high = result.distribution_interval(strain_of(bid), seat)
    lines = [f"makes {percent_text(result.making(bid, seat))}", result.headline]
    return bars_svg(chances, low, high, bid.tricks, title, lines)


def bars_svg(
    chances: Floats, low: Floats, high: Floats, needed: int, title: str, lines: Sequence[str]
) -> str:
    """Draw the chances of 0 to 13 tricks, (14,), with the ends of their 95 % intervals.

    Bars go from the first number of tricks to the last whose chance rounds above 0; those from
    ``needed`` on have another colour. ``lines``, one or two, go below the title. Ends may be NaN.
    """
    shown = np.flatnonzero(chances >= 0.0005)
    counts = range(int(shown[0]), int(shown[-1]) + 1)
    tallest = float(np.nanmax([chances, high]))
    width = max(2 * _LEFT + _STEP * len(counts), 480)
    left = (width - _STEP * len(counts)) / 2
    base = _TOP + 22 + _HEIGHT
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {base + _BELOW}' "
        f"width='{width}' height='{base + _BELOW}' role='img' aria-label='{escape(title)}'>",
        "<rect width='100%' height='100%' fill='white'/>",
        _text(_LEFT, 30, title, size=18, weight="bold", anchor="start"),
    ]
    for i, line in enumerate(lines):
        parts.append(_text(_LEFT, 50 + 17 * i, line, size=12, ink=_PALE, anchor="start"))
    for i, tricks in enumerate(counts):
        middle = left + _STEP * (i + 0.5)
        height = _HEIGHT * float(chances[tricks]) / tallest
        colour = _MADE if tricks >= needed else _DOWN
        parts.append(
            f"<rect x='{middle - _BAR / 2:.1f}' y='{base - height:.1f}' width='{_BAR}' "
            f"height='{height:.1f}' fill='{colour}'/>"
        )
        top = height
        if not np.isnan(high[tricks]):
            top = max(height, _HEIGHT * float(high[tricks]) / tallest)
            bottom = _HEIGHT * float(low[tricks]) / tallest
            parts.append(
                f"<path d='M{middle:.1f} {base - bottom:.1f}V{base - top:.1f}m-5 0h10' "
                f"stroke='{_INK}' stroke-width='1.2' fill='none'/>"
            )
        parts.append(_text(middle, base - top - 6, f"{chances[tricks]:.1%}", size=12))
        parts.append(_text(middle, base + 18, str(tricks), size=13))
    parts.append(f"<path d='M{left:.1f} {base}h{_STEP * len(counts)}' stroke='{_INK}'/>")
    parts.append(_text(width / 2, base + 40, "tricks, double dummy", size=12, ink=_PALE))
    return "\n".join([*parts, "</svg>\n"])


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int,
    ink: str = _INK,
    weight: str = "normal",
    anchor: str = "middle",
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {_FONT} font-size='{size}' font-weight='{weight}' "
        f"fill='{ink}' text-anchor='{anchor}'>{escape(text)}</text>"
    )
