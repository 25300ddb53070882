"""The command that deals boards: deal."""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import click
import numpy as np
from rich.table import Table

from .. import dealing
from .._files import check_target
from ..answers.deals import named_deal, solved_deal
from ..cards import Board, DealSet, board_dealer, board_vulnerability
from ..formats import format_to_write, write_stream
from . import views
from .command import Option
from .deals import Workers, with_boards
from .inputs import CommandError
from .layout_options import Condition, Known
from .sheets import Sheet, solved_table
from .solving import solved

_SHEETS = "diagram"
_PRINTING = {
    "printall": _SHEETS,
    "printcompact": _SHEETS,
    "printoneline": "text",
    "printpbn": "pbn",
}
"""Actions of scripts that print deals, and the format they become."""
_PRODUCED = 40  # by Dealer, where a script says nothing
_CHUNK = 1 << 12
_TURNS = ("any", "half")


def deal(
    *,
    north: Known = None,
    east: Known = None,
    south: Known = None,
    west: Known = None,
    condition: Condition = None,
    script: Annotated[
        str | None, Option(metavar="FILE", help="A script in Dealer's language.")
    ] = None,
    number: Annotated[
        int | None,
        Option("--boards", "-n", min=1, help="How many (default: 1, or as the script says)."),
    ] = None,
    first: Annotated[int, Option(min=1, help="Number of the first board.")] = 1,
    seed: Annotated[
        int | None,
        Option(min=0, max=2**64 - 1, help="The same seed, the same deals (default: 0)."),
    ] = None,
    rotate: Annotated[
        str | None,
        Option(help="Turn each board at random: any (by 0 to 3 seats), or half (by 0 or 2)."),
    ] = None,
    with_tricks: Annotated[bool, Option("--solve", help="Add the exact tricks.")] = False,
    tries: Annotated[
        int | None, Option(min=1, help="Layouts drawn at most (default: 4 million).")
    ] = None,
    out: Annotated[
        str | None, Option(metavar="FILE", help="Write the boards there, by its suffix.")
    ] = None,
    target_format: Annotated[
        str | None,
        Option("--to", metavar="FORMAT", help="Format of the output; or: diagram."),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="One line of JSON a board.")] = False,
    workers: Workers = None,
) -> None:
    """Deal numbered boards at random that fit what is asked, each as likely as any other.

    Example: trickcast deal --south "hcp 15-17, balanced" -n 8 --out boards.pbn
    """
    if rotate not in (None, *_TURNS):
        raise click.BadParameter(f"--rotate {rotate!r} (expected one of {', '.join(_TURNS)})")
    if as_json and (out or target_format):
        raise click.BadParameter("--json and --out or --to do not go together")
    text = None if script is None else Path(script).read_text("utf-8", errors="replace")
    try:
        actions = dealing.read_actions(text or "", script or "") if text else None
        form = _format(actions, out, target_format)
        start = seed if seed is not None else actions.seed or 0 if actions else 0
        produce = number or (1 if actions is None else actions.produce or _PRODUCED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dealing.ConstraintWarning)  # actions have effect here
            constraints = dealing.Constraints(
                north=north,
                east=east,
                south=south,
                west=west,
                condition=[part for part in (condition, text) if part is not None],
            )
        deals = constraints.deals(produce, start, **({} if tries is None else {"max_tries": tries}))
    except dealing.ConstraintError as error:
        raise CommandError(str(error).replace("max_tries", "--tries")) from None
    if rotate is not None:
        deals = dealing.turned(deals, start, half=rotate == "half")
    chunks = _boards(deals, first, actions)
    if with_tricks:
        pairs = solved(chunks, workers, seen=out is None)
        chunks = (chunk.with_tricks(tables.tricks) for chunk, tables in pairs)
    if as_json:
        _show_json(chunks)
    elif form == _SHEETS:
        _show(chunks)
    elif form is not None:
        write_stream(chunks, out or sys.stdout.buffer, format=form)
    if actions is not None:
        _tell(actions, deals, as_json, aside=out is None and form is not None)


def _format(
    actions: dealing.Actions | None, out: str | None, target_format: str | None
) -> str | None:
    """Return the format of the boards, None where a script asks for tables alone.

    Names on standard error the actions that have no effect.
    """
    printing = () if actions is None else actions.printing
    ignored = [action for action in printing if action not in _PRINTING]
    if ignored:
        click.echo(f"note: without effect here: {', '.join(dict.fromkeys(ignored))}", err=True)
    if out is not None:
        check_target(out)
        return format_to_write(out, target_format).name
    if target_format is not None:
        return _SHEETS if target_format == _SHEETS else format_to_write("", target_format).name
    forms = [_PRINTING[action] for action in printing if action in _PRINTING]
    return forms[0] if forms else None if actions is not None and actions.tables else "pbn"


def _boards(deals: DealSet, first: int, actions: dealing.Actions | None) -> Iterator[DealSet]:
    """Yield the deals as numbered boards; a script may say who deals and who is vulnerable."""
    dealer = None if actions is None else actions.dealer
    vulnerability = None if actions is None else actions.vulnerability
    for start in range(0, len(deals), _CHUNK):
        some = deals[start : start + _CHUNK]
        boards = [
            Board(
                number=n,
                dealer=board_dealer(n) if dealer is None else dealer,
                vulnerability=board_vulnerability(n) if vulnerability is None else vulnerability,
            )
            for n in range(first + start, first + start + len(some))
        ]
        yield DealSet(some.owners, None, boards)


def _show(chunks: Iterator[DealSet]) -> None:
    sheet = Sheet()
    for chunk in chunks:
        for i, (cards, board) in enumerate(with_boards(chunk)):
            tables = () if chunk.tricks is None else (solved_table(chunk.tricks[i]),)
            sheet.show(cards, board, *tables)


def _show_json(chunks: Iterator[DealSet]) -> None:
    for chunk in chunks:
        for i, (cards, board) in enumerate(with_boards(chunk)):
            assert board is not None and board.dealer is not None  # all are numbered
            content: dict[str, Any] = named_deal(cards, board) | {
                "dealer": str(board.dealer), "vulnerable": str(board.vulnerability),
            }  # fmt: skip
            if chunk.tricks is not None:
                content |= solved_deal(cards, board, chunk.tricks[i])
            click.echo(json.dumps(content))


def _tell(actions: dealing.Actions, deals: DealSet, as_json: bool, aside: bool) -> None:
    """Show the tables of a script; on standard error where the boards are on standard output."""
    for table in actions.tables:
        if isinstance(table, dealing.Average):
            mean = table.of(deals.owners)
            if as_json:
                click.echo(json.dumps({"average": table.label, "mean": round(mean, 6)}))
            else:
                click.echo(f"{table.label or 'average'}: {mean:.6g}", err=aside)
            continue
        counts = table.of(deals.owners)
        if as_json:
            ranges = [[low, high] for _, low, high in table.axes]
            content = {"frequency": table.label, "ranges": ranges, "counts": counts.tolist()}
            click.echo(json.dumps(content))
        else:
            _show_frequency(table, counts, aside)


def _show_frequency(table: dealing.Frequency, counts: Any, aside: bool) -> None:
    """Draw counts: a row for each value of the first number, without empty rows and columns."""
    names = [["below", *map(str, range(low, high + 1)), "above"] for _, low, high in table.axes]
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(table.label or "value")
    total = counts.sum()
    if counts.ndim == 1:
        for title in ("boards", "share"):
            grid.add_column(title, justify="right")
        for place in np.flatnonzero(counts).tolist():
            grid.add_row(names[0][place], f"{counts[place]:,}", f"{counts[place] / total:.2%}")
    else:
        columns = np.flatnonzero(counts.sum(axis=0)).tolist()
        for column in columns:
            grid.add_column(names[1][column], justify="right")
        for row in np.flatnonzero(counts.sum(axis=1)).tolist():
            grid.add_row(names[0][row], *(f"{counts[row, column]:,}" for column in columns))
    views.ResultConsole(stderr=aside).print(grid)
