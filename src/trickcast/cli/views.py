"""Deals, tables and estimates as a terminal shows them, and as JSON."""

import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ..cards import (
    PRINTED_SEATS,
    PRINTED_STRAINS,
    UNKNOWN,
    Board,
    Deal,
    Seat,
    Strain,
    Vulnerability,
)
from ..estimator import TrickEstimate

_SUIT_STYLE = {Strain.HEARTS: "red", Strain.DIAMONDS: "red"}
_FILE_WIDTH = 160


class ResultConsole(Console):
    """The console for results: as wide as the terminal, wide enough where there is none.

    It drops colours by itself where output is no terminal.
    """

    def __init__(self) -> None:
        width = None if sys.stdout.isatty() else _FILE_WIDTH
        super().__init__(highlight=False, markup=False, width=width)

    def on_broken_pipe(self) -> None:
        """Leave it to the command line what a reader that goes away means."""
        raise


def heading(number: int, board: Board | None) -> str:
    """Name a deal of a file: its board number where it has one, else its place."""
    if board is None or board.number is None:
        return f"Deal {number}"
    details = [f"Board {board.number}"]
    if board.dealer is not None:
        details.append(f"dealer {board.dealer.word}")
    if board.vulnerability is not None:
        details.append(f"vulnerable {vulnerable(board.vulnerability)}")
    return ", ".join(details)


def vulnerable(which: Vulnerability) -> str:
    """Name the vulnerable sides: none, NS, EW or both."""
    return which.name if which in (Vulnerability.NS, Vulnerability.EW) else str(which)


def solved_table(tricks: NDArray[np.uint8]) -> Table:
    """Show a (5, 4) table of exact tricks."""
    return _grid(None, lambda strain, seat: _count(tricks[strain, seat]), width=2)


def estimate_tables(estimate: TrickEstimate, exact: NDArray[np.uint8] | None) -> Table:
    """Show the expected tricks and the chance of the likeliest, and the exact table beside them.

    A star marks the exact results that are not the tricks the model names; an estimate that was
    solved instead has no chance, but ``=``.
    """

    def expected(strain: Strain, seat: Seat) -> str:
        if estimate.exact[strain, seat]:
            return f"{estimate.tricks[strain, seat]:4} {'=':>4}"
        likeliest = estimate.probabilities[strain, seat].max()
        return f"{estimate.expected[strain, seat]:4.1f} {likeliest:3.0%}"

    tables = Table.grid(padding=(0, 4))
    row = [_grid("expected tricks, chance of the likeliest", expected, width=4)]
    if exact is not None:

        def marked(strain: Strain, seat: Seat) -> str:
            differs = exact[strain, seat] != estimate.tricks[strain, seat]
            return f"{_count(exact[strain, seat])}{'*' if differs else ''}"

        row.append(_grid("exact (* differs)", marked, width=2))
    tables.add_row(*row)
    return tables


def _grid(title: str | None, cell: Any, *, width: int) -> Table:
    """Lay out the cells of (strain, seat) as PBN does: a row a declarer, a column a strain.

    Numbers are ``width`` characters wide, and the strains stand over their last digit.
    """
    table = Table(title=title, title_justify="left", title_style="dim", box=None, pad_edge=False)
    table.add_column("")
    for strain in PRINTED_STRAINS:
        table.add_column(f"{strain.symbol:>{width}}", header_style=_SUIT_STYLE.get(strain, ""))
    for seat in PRINTED_SEATS:
        table.add_row(seat.letter, *(cell(strain, seat) for strain in PRINTED_STRAINS))
    return table


def _count(tricks: Any) -> str:
    return " ?" if tricks == UNKNOWN else f"{tricks:>2}"


def as_json(
    deal: Deal,
    board: Board | None,
    *,
    exact: NDArray[np.uint8] | None = None,
    estimate: TrickEstimate | None = None,
    model: str | None = None,
) -> str:
    """Return one line of JSON; tables are strains S H D C N by declarers N E S W."""
    content: dict[str, Any] = {"deal": deal.pbn}
    if board is not None and board.number is not None:
        content["board"] = board.number
    content |= {"strains": [s.letter for s in Strain], "declarers": [s.letter for s in Seat]}
    if estimate is not None:
        content |= {
            "model": model,
            "expected": np.round(estimate.expected.astype(float), 4).tolist(),
            "tricks": estimate.tricks.tolist(),
            "probabilities": np.round(estimate.probabilities.astype(float), 6).tolist(),
        }
        if estimate.exact.any():
            content["solved"] = estimate.exact.tolist()
    if exact is not None:
        content["exact"] = exact.tolist()
    return json.dumps(content)
