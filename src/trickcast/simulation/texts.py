"""What simulations found, as text and as HTML."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cards import PRINTED_SEATS, PRINTED_STRAINS

if TYPE_CHECKING:
    from .contracts import Simulation
    from .leads import LeadSimulation
    from .making import MakingSimulation

_BAR = 40
ESTIMATED_ONLY = "estimates of the network alone: how far off they are is not known"
DOUBLE_DUMMY = (
    "double dummy: everybody sees all hands; at the table declarers took 0.1 tricks more on "
    "average (OKBridge, 30 million plays)"
)


def cell_texts(result: "Simulation") -> list[tuple[str, list[str]]]:
    """Return a row for each declarer: the seat, and by strain tricks and half the interval."""
    expected, ends = result.expected.array, result.interval.array
    half = (ends[..., 1] - ends[..., 0]) / 2

    def text(strain: int, seat: int) -> str:
        if np.isnan(expected[strain, seat]):
            return "-"
        error = "" if np.isnan(half[strain, seat]) else f" ±{half[strain, seat]:.2f}"
        return f"{expected[strain, seat]:.2f}{error}"

    return [
        (seat.letter, [text(strain, seat) for strain in PRINTED_STRAINS]) for seat in PRINTED_SEATS
    ]


def notes(result: "Simulation | MakingSimulation") -> list[str]:
    """Say what the numbers are, and what they are worth."""
    if result.solved == 0:
        return [ESTIMATED_ONLY, DOUBLE_DUMMY]
    said = ["± and brackets show the 95 % interval"]
    if result.estimated:
        worth = result.worth
        line = (
            f"the network explains {worth.explained:.0%} of the spread: as good as "
            f"{worth.effective:,.0f} solved layouts"
        )
        if result.timed:  # times differ from run to run; what is repeatable stays so to the letter
            line += f", {worth.saving:.1f} times as fast"
        said.append(line + (" (medians of the cells)" if worth.cells > 1 else ""))
    elif result.timed:
        said.append("all by solving: the network would not have paid here")
    return [*said, DOUBLE_DUMMY]


def as_text(result: "Simulation") -> str:
    """Return the table of expected tricks, and what it rests on."""
    lines = [result.headline, "expected tricks"]
    lines.append("  " + "".join(f"{strain.symbol:>14}" for strain in PRINTED_STRAINS))
    lines += [
        f"{seat:<2}" + "".join(f"{cell:>14}" for cell in cells)
        for seat, cells in cell_texts(result)
    ]
    return "\n".join(lines + notes(result))


def as_html(result: "Simulation") -> str:
    """Return the same as HTML."""
    head = "".join(f"<th>{strain.symbol}</th>" for strain in PRINTED_STRAINS)
    rows = "".join(
        f"<tr><th>{seat}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for seat, cells in cell_texts(result)
    )
    said = "<br>".join(escape(note) for note in notes(result))
    return (
        f"<p>{escape(result.headline)}: expected tricks</p>"
        f"<table><tr><th></th>{head}</tr>{rows}</table><p><small>{said}</small></p>"
    )


def bars(chances: NDArray[np.float64]) -> str:
    """Draw the chances of 0 to 13 tricks, (14,), from the first to the last that rounds above 0.

    Nothing where they are not known (NaN).
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


def making_text(result: "MakingSimulation") -> str:
    """Return how often a contract makes, and what that rests on."""
    making = f"makes {percent_text(result.making)}"
    lines = [result.headline, f"{result.contract} by {result.by.word}", making]
    return "\n".join(lines + notes(result))


def leads_text(result: "LeadSimulation") -> str:
    """Return a line for each lead, best first."""
    unit = {"total": "points", "imps": "IMPs"}.get(result.scoring, result.scoring)
    lines = [result.headline, f"leads against {result.contract} by {result.by.word}"]
    lines.append(f"{'lead':12}{'declarer takes':>18}{'set':>25}{unit:>25}")
    for lead in result.leads:
        tricks, points = lead.tricks, lead.gain
        chance = "{:.1%} ({:.1%} to {:.1%})".format(*lead.setting)
        worth = interval_text(points, 2, signed=True)
        if points.low == points.high:
            worth = "no difference"
        cards = lead.cards[0] + "".join(card[1] for card in lead.cards[1:])
        lines.append(
            f"{cards:12}{tricks.mean:>11.2f} ±{tricks.high - tricks.mean:.2f}"
            f"{chance:>25}{worth:>25}{'  equal within the error' * lead.even}"
        )
    return "\n".join([*lines, "± and brackets show the 95 % interval", DOUBLE_DUMMY])


def interval_text(
    value: Sequence[float], digits: int, *, signed: bool = False, unit: str = ""
) -> str:
    """Show a mean and the ends of its interval, where it has one."""
    mean, low, high = (f"{number:{'+' if signed else ''}.{digits}f}" for number in value)
    return f"{mean}{unit}" if low.endswith("nan") else f"{mean}{unit} ({low} to {high})"


def percent_text(value: Sequence[float]) -> str:
    """Show a chance and its interval in percent."""
    return interval_text([100 * number for number in value], 1, unit=" %")
