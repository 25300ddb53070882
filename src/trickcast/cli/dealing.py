"""The command that deals boards: deal."""

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from .. import dealing
from .._files import check_target
from ..cards import DealSet
from ..formats import FormatError, format_to_write, write_stream
from ..questions.annotating import annotated
from ..questions.dealing import DealQuestion, TrickFinder, written_out
from . import views
from .command import Option
from .deals import Workers, with_boards
from .exact_tables import solved
from .inputs import CommandError, read_text
from .outputs import Force, check_output, may_replace, write_told
from .sheets import Sheet, solved_table

if TYPE_CHECKING:  # the parser is loaded only if there is something to parse
    _Action = dealing.Average | dealing.Frequency | dealing.Listing
    _Answered = tuple[_Action, Any]

_SHEETS = "diagram"
_PRINTING = {
    "printall": _SHEETS,
    "printcompact": _SHEETS,
    "printoneline": "text",
    "printpbn": "pbn",
}
"""Actions of scripts that print deals, and the format used for each."""
_CHUNK = 1 << 12
_NOTED = 2
"""Statements without effect that are reported individually."""
_Finder = Callable[[NDArray[np.uint8]], NDArray[np.uint8]]


def deal(
    *,
    question: DealQuestion,
    script: Annotated[
        str | None,
        Option(metavar="FILE", help="Script in Dealer's language, or - for standard input."),
    ] = None,
    out: Annotated[
        str | None,
        Option(metavar="FILE", help="File to write; its suffix decides the format."),
    ] = None,
    target_format: Annotated[
        str | None,
        Option("--to", metavar="FORMAT", help="Output format, or diagram."),
    ] = None,
    picture: Annotated[
        Path | None,
        Option(metavar="FILE", help="SVG, PNG or PDF file for a chart of the script's tables."),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print one line of JSON per board.")] = False,
    workers: Workers = None,
    force: Force = False,
) -> None:
    """Print or write boards, and what a script asks of them."""
    if as_json and (out or target_format):
        raise click.BadParameter("--json cannot be combined with --out or --to")
    if out == "-":  # boards go there anyway
        out, target_format = None, target_format or "pbn"
    text, name = (None, "") if script is None else read_text(script, "a file with a script")
    find = TrickFinder(question.exact, workers)
    try:
        actions = None if text is None else dealing.read_actions(text, name)
        if out is not None:
            may_replace(out, force)
        form = _format(actions, out, target_format, as_json)
        _check_picture(picture, force, actions)
        dealt = question.ask(find, actions)
        told = [] if actions is None else _told(actions, dealt.deals.owners, find.once)
    except dealing.ConstraintError as error:
        raise CommandError(_as_options(str(error))) from None
    chunks: Iterator[DealSet] = (
        dealt.deals[i : i + _CHUNK] for i in range(0, len(dealt.deals), _CHUNK)
    )
    if question.solve:
        pairs = solved(chunks, workers, seen=out is None)
        chunks = (chunk.with_tricks(tables.tricks) for chunk, tables in pairs)
        if form == "pbn":
            chunks = annotated(chunks)  # as convert does
    if as_json:
        _show_json(question, chunks, dealt.seed)
    elif form == _SHEETS:
        _show(chunks)
    elif out is not None:
        write_told(chunks, out, form)
    elif form is not None:
        write_stream(chunks, sys.stdout.buffer, form)
    for asked, answer in told:
        _tell(asked, answer, as_json, aside=out is None and form not in (None, _SHEETS))
    if picture is not None and actions is not None:
        _draw(told, actions.title or Path(name).name, picture)
    if find.asked and not question.exact:
        click.echo("note: tricks() is estimated by a network (--exact solves it)", err=True)
    if dealt.seed is not None and question.seed is None and not (actions and actions.seed):
        click.echo(f"note: --seed {dealt.seed} deals the same boards again", err=True)


def _as_options(text: str) -> str:
    """Rename arguments of dealing in a text to the command's options."""
    return written_out(text).replace("max_tries", "--tries")


def _format(
    actions: dealing.Actions | None, out: str | None, target_format: str | None, as_json: bool
) -> str | None:
    """Return the format of the boards, None if a script asks only for tables and listings.

    Reports actions without effect on standard error.
    """
    printing = () if actions is None else actions.printing
    notes = () if actions is None else actions.notes
    for note in notes[:_NOTED]:
        click.echo(f"note: {_as_options(note)}", err=True)
    if len(notes) > _NOTED:
        more = len(notes) - _NOTED
        what = "statement has" if more == 1 else "statements have"
        click.echo(f"note: {more:,} more {what} no effect", err=True)
    ignored = [action for action in printing if action not in _PRINTING]
    if ignored:
        click.echo(f"note: no effect here: {', '.join(dict.fromkeys(ignored))}", err=True)
    if out is not None:
        if target_format == _SHEETS:
            raise click.BadParameter(f"--to {_SHEETS} is only for the screen; leave out --out")
        check_target(out)
        return format_to_write(out, target_format).name
    if target_format is not None:
        return _SHEETS if target_format == _SHEETS else _form_to_print(target_format)
    forms = dict.fromkeys(action for action in printing if action in _PRINTING)
    if not forms:
        silent = actions is not None and (actions.tables or actions.listings)
        return None if silent else "pbn"
    chosen, *others = forms
    if others and not as_json:
        what = f"boards are printed once, by {chosen}; no effect: {', '.join(others)}"
        click.echo(f"note: {what} (--to FORMAT chooses)", err=True)
    return _PRINTING[chosen]


def _form_to_print(name: str) -> str:
    """Return the format with this name; errors also list ``diagram``, which is not a format."""
    try:
        return format_to_write("", name).name
    except FormatError as error:
        raise CommandError(f"{error}; for the screen: {_SHEETS}") from None


def _check_picture(picture: Path | None, force: bool, actions: dealing.Actions | None) -> None:
    """Refuse, before the work, a picture of nothing, or one that cannot be written."""
    if picture is None:
        return
    from ..dealing.script_output import SUFFIXES

    check_output("--picture", picture, SUFFIXES)
    may_replace(picture, force)
    if actions is None or not any(isinstance(t, dealing.Frequency) for t in actions.tables):
        raise click.BadParameter("--picture needs a --script with a frequency in its action")
    try:
        import_module("matplotlib")
    except ModuleNotFoundError:
        raise CommandError(
            f"{picture}: a picture needs matplotlib; install it with: pip install "
            "'trickcast[plots]'"
        ) from None


def _show(chunks: Iterator[DealSet]) -> None:
    sheet = Sheet()
    for chunk in chunks:
        for i, (cards, board) in enumerate(with_boards(chunk)):
            tables = () if chunk.tricks is None else (solved_table(chunk.tricks[i]),)
            sheet.show(cards, board, *tables)


def _show_json(question: DealQuestion, chunks: Iterator[DealSet], seed: int | None) -> None:
    for chunk in chunks:
        for i, (cards, board) in enumerate(with_boards(chunk)):
            assert board is not None  # all are numbered
            tricks = None if chunk.tricks is None else chunk.tricks[i]
            click.echo(json.dumps(question.answer(cards, board, tricks, seed)))


def _told(actions: dealing.Actions, owners: NDArray[np.uint8], find: _Finder) -> "list[_Answered]":
    """Return the results of a script's tables and listings for the deals."""
    return [(asked, asked.of(owners, find)) for asked in (*actions.tables, *actions.listings)]


def _tell(asked: "_Action", answer: Any, as_json: bool, aside: bool) -> None:
    """Show the result of one action; on standard error if boards go to standard output."""
    if isinstance(asked, dealing.Listing):
        if as_json:
            click.echo(json.dumps({"listing": asked.name, "text": answer}))
        else:
            click.echo(answer, nl=not answer.endswith("\n"), err=aside)
    elif isinstance(asked, dealing.Average):
        if as_json:
            click.echo(json.dumps({"average": asked.label, "mean": round(answer, 6)}))
        else:
            click.echo(f"{asked.label or 'average'}: {answer:.6g}", err=aside)
    elif as_json:
        ranges = [
            [int(end) if float(end).is_integer() else end for end in (axis.low, axis.high)]
            + [axis.step] * (axis.step != 1)
            for axis in asked.axes
        ]
        content = {"frequency": asked.label, "ranges": ranges, "counts": answer.tolist()}
        click.echo(json.dumps(content))
    else:
        _show_frequency(asked, answer, aside)


def _draw(told: "list[_Answered]", title: str, picture: Path) -> None:
    from ..dealing.script_output import write_picture

    tables = [(a, n) for a, n in told if not isinstance(a, dealing.Listing)]
    write_picture(tables, title, picture)


def _show_frequency(table: dealing.Frequency, counts: Any, aside: bool) -> None:
    """Draw counts: a row for each value of the first number, without empty rows and columns.

    Columns of a second number that do not fit side by side go below the others.
    """
    console = views.ResultConsole(stderr=aside)
    names = [axis.labels for axis in table.axes]
    rows = np.flatnonzero(counts.reshape(len(counts), -1).sum(axis=1)).tolist()
    if counts.ndim == 1:
        shares = counts / counts.sum()
        columns = [("boards", [f"{n:,}" for n in counts]), ("share", [f"{s:.2%}" for s in shares])]
    else:
        filled = np.flatnonzero(counts.sum(axis=0)).tolist()
        columns = [(names[1][c], [f"{n:,}" for n in counts[:, c]]) for c in filled]
    head = table.label or "value"
    first = max(map(len, [head, *(names[0][row] for row in rows)]))
    while columns:
        grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        grid.add_column(head, no_wrap=True)
        room, part = console.width - first, list[list[str]]()
        while columns and (
            (wide := 2 + max(map(len, (columns[0][0], *columns[0][1])))) <= room or not part
        ):
            title, column = columns.pop(0)
            grid.add_column(title, justify="right", no_wrap=True)
            part.append(column)
            room -= wide
        for row in rows:
            grid.add_row(names[0][row], *(column[row] for column in part))
        console.print(grid, *[""] * bool(columns), sep="\n")
