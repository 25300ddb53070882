"""A simulation as text and as HTML."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cards import PRINTED_SEATS, PRINTED_STRAINS

if TYPE_CHECKING:
    from .contracts import Simulation
    from .leads import LeadSimulation

_BAR = 40
ESTIMATED_ONLY = "estimates of the network alone: how far off they are is not known"
DOUBLE_DUMMY = (
    "double dummy: everybody sees all hands; at the table declarers took 0.1 tricks more on "
    "average (OKBridge, 30 million plays)"
)


def headline(result: "Simulation | LeadSimulation") -> str:
    """Say in a line how many layouts were estimated and solved."""
    line = f"{result.samples:,} layouts, {result.solved:,} of them solved"
    if result.stopped is not None:
        line += f" (stopped by {result.stopped})"
    return line


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


def notes(result: "Simulation") -> list[str]:
    """Say what the numbers are, and what they are worth."""
    if result.solved == 0:
        return [ESTIMATED_ONLY, DOUBLE_DUMMY]
    explained, effective = result.explained.array, result.effective.array
    known = ~np.isnan(explained)
    said = ["± is half the 95 % interval"]
    if result.estimated:
        said.append(
            f"the network explains {np.median(explained[known]):.0%} of the spread: "
            f"as good as {np.median(effective[known]):,.0f} solved layouts (medians of the cells)"
        )
    return [*said, DOUBLE_DUMMY]


def as_text(result: "Simulation") -> str:
    """Return the table of expected tricks, and what it rests on."""
    lines = [headline(result), "expected tricks"]
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
        f"<p>{escape(headline(result))}: expected tricks</p>"
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
