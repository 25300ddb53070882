"""Deals, tables and estimates as lines for a terminal."""

import os
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ..cards import (
    PRINTED_SEATS,
    PRINTED_STRAINS,
    UNKNOWN,
    Board,
    Deal,
    Grid,
    Seat,
    Strain,
    Vulnerability,
    whole_percent,
)
from ..estimator import TrickEstimate

_RED = (Strain.HEARTS, Strain.DIAMONDS)
_GAP = "  "  # between the columns of a grid
_APART = " " * 3  # two grids side by side, which take 80 characters


class Sheet:
    """Deals one below the other, each with a heading, the four hands, and their results."""

    def __init__(self) -> None:
        self._shown = 0

    def show(self, deal: Deal, board: Board | None, *parts: str) -> None:
        """Print one more deal. Colours are dropped if standard output is not a terminal."""
        self._shown += 1
        if self._shown > 1:
            click.echo()
        click.echo(heading(self._shown, board))
        click.echo(f"{deal}\n" if parts else deal)
        for part in parts:
            click.echo(part, color=False if _plain() else None)


def _plain() -> bool:
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def heading(number: int, board: Board | None) -> str:
    """Return a name for a deal of a file: its board number if it has one, else its position."""
    if board is None or board.number is None:
        return f"Deal {number}"
    details = [f"Board {board.number}"]
    if board.dealer is not None:
        details.append(f"dealer {board.dealer.word}")
    if board.vulnerability is not None:
        details.append(f"vulnerable {vulnerable_sides(board.vulnerability)}")
    return ", ".join(details)


def vulnerable_sides(which: Vulnerability) -> str:
    """Return the vulnerable sides: none, NS, EW or both."""
    return which.name if which in (Vulnerability.NS, Vulnerability.EW) else str(which)


def solved_table(tricks: NDArray[np.uint8]) -> str:
    """Draw a (5, 4) table of exact tricks."""
    return "\n".join(_lines(Grid(lambda *cell: _count(tricks[cell])), width=2))


def short_head() -> str:
    """Return the heading for the lines of ``short_table``."""
    strains = "".join(f"{'NT' if strain == 4 else strain.symbol:>3}" for strain in PRINTED_STRAINS)
    return "board" + "".join(f"  {seat.letter}{strains}" for seat in PRINTED_SEATS)


def short_table(number: int, board: Board | None, tricks: NDArray[np.uint8]) -> str:
    """Draw a (5, 4) table of exact tricks in one line, after its board number or its position."""
    named = number if board is None or board.number is None else board.number
    parts = (
        "   " + "".join(f" {_count(tricks[strain, seat])}" for strain in PRINTED_STRAINS)
        for seat in PRINTED_SEATS
    )
    return f"{named:>5}" + "".join(parts)


def estimate_tables(estimate: TrickEstimate, exact: NDArray[np.uint8] | None) -> str:
    """Draw the expected tricks and the chance of the likeliest, with the exact table next to them.

    A star marks exact results that differ from the tricks that the model names. A result that was
    solved has no chance, but ``=``.
    """

    def expected(strain: Strain, seat: Seat) -> str:
        if estimate.solved[strain, seat]:
            return f"{estimate.tricks[strain, seat]:4} {'=':>4}"
        likeliest = whole_percent(float(estimate.probabilities[strain, seat].max()))
        return f"{estimate.expected[strain, seat]:4.1f} {likeliest:>3}"

    lines = _lines(Grid(expected), width=4, title="expected tricks, chance of the likeliest")
    if exact is None:
        return "\n".join(lines)

    def marked(strain: Strain, seat: Seat) -> str:
        differs = exact[strain, seat] != estimate.tricks[strain, seat]
        return f"{_count(exact[strain, seat])}{'*' if differs else ''}"

    beside = _lines(Grid(marked), width=2, title="exact (* differs)", gap=" ")
    return "\n".join(map(_APART.join, zip(lines, beside, strict=True)))


def _lines(grid: Grid, width: int, title: str | None = None, gap: str = _GAP) -> list[str]:
    """Lay out a grid whose numbers are ``width`` characters wide, the strains right-aligned.

    On a terminal the strains are bold, hearts and diamonds red, and the title dim.
    """
    rows = grid.rows()
    heads = ["", *(f"{strain.symbol:>{width}}" for strain in PRINTED_STRAINS)]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    colours = [None, *("red" if strain in _RED else None for strain in PRINTED_STRAINS)]
    styled = [
        click.style(f"{head:<{size}}", bold=True, fg=colour)
        for head, size, colour in zip(heads, widths, colours, strict=True)
    ]
    lines = [gap.join(styled)]
    lines += [
        gap.join(f"{cell:<{size}}" for cell, size in zip(row, widths, strict=True)) for row in rows
    ]
    if title is not None:
        total = sum(widths) + len(gap) * (len(widths) - 1)
        lines.insert(0, click.style(f"{title:<{total}}", dim=True))
    return lines


def _count(tricks: Any) -> str:
    return " ?" if tricks == UNKNOWN else f"{tricks:>2}"
