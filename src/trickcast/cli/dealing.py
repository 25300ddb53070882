"""The command that deals boards: deal."""

import json
import sys
import warnings
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
from ..answers.deals import named_deal, solved_deal
from ..cards import Board, DealSet, board_dealer, board_vulnerability
from ..formats import FormatError, format_to_write, write_stream
from . import views
from .command import Option
from .deals import Workers, with_boards
from .inputs import CommandError, read_text
from .layout_options import Condition, Known
from .outputs import check_output
from .sheets import Sheet, solved_table
from .solving import solved

if TYPE_CHECKING:  # the parser is loaded when there is something to parse
    _Asked = dealing.Average | dealing.Frequency | dealing.Listing
    _Told = tuple[_Asked, Any]

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
_NOTED = 2
"""Statements without effect that are told one by one."""
_TURNS = ("any", "half")
_Finder = Callable[[NDArray[np.uint8]], NDArray[np.uint8]]


def deal(
    *,
    north: Known = None,
    east: Known = None,
    south: Known = None,
    west: Known = None,
    condition: Condition = None,
    script: Annotated[
        str | None, Option(metavar="FILE", help="A script in Dealer's language, or - for input.")
    ] = None,
    number: Annotated[
        int | None,
        Option("--boards", "-n", min=1, help="How many (default: 1, or as the script says)."),
    ] = None,
    first: Annotated[
        int | None,
        Option(min=1, help="Number of the first board (default: 1, or as the script says)."),
    ] = None,
    seed: Annotated[
        int | None,
        Option(min=0, max=2**64 - 1, help="The same seed, the same deals (default: 0)."),
    ] = None,
    rotate: Annotated[
        str | None,
        Option(help="Turn each board at random: any (by 0 to 3 seats), or half (by 0 or 2)."),
    ] = None,
    with_tricks: Annotated[bool, Option("--solve", help="Add the exact tricks.")] = False,
    exact: Annotated[
        bool, Option("--exact", help="Solve for tricks() and its kin, not estimate.")
    ] = False,
    tries: Annotated[
        int | None,
        Option(min=1, help="Layouts drawn at most, 512 or more at once (default: 4 million)."),
    ] = None,
    out: Annotated[
        str | None,
        Option(metavar="FILE", help="Write the boards there, by its suffix; - is standard output."),
    ] = None,
    target_format: Annotated[
        str | None,
        Option("--to", metavar="FORMAT", help="Format of the output; or: diagram."),
    ] = None,
    picture: Annotated[
        Path | None,
        Option(metavar="FILE", help="Draw the script's tables, as .svg, .png or .pdf."),
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
    if out == "-":  # where boards go anyway
        out, target_format = None, target_format or "pbn"
    if exact and script is None and condition is None:
        raise click.BadParameter("--exact needs --script or --condition")
    text, name = (None, "") if script is None else read_text(script, "a file with a script")
    find = _Tricks(exact, workers)
    try:
        actions = None if text is None else dealing.read_actions(text, name)
        form = _format(actions, out, target_format, as_json)
        _check_picture(picture, actions)
        start = seed if seed is not None else (actions.seed if actions else None) or 0
        produce = number or (1 if actions is None else actions.produce or _PRODUCED)
        given = (condition, None if actions is None else actions.script)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dealing.ConstraintWarning)  # actions have effect here
            constraints = dealing.Constraints(
                north=north,
                east=east,
                south=south,
                west=west,
                condition=[part for part in given if part is not None],
                tricks=find,
            )
        deals = constraints.deals(produce, start, **({} if tries is None else {"max_tries": tries}))
        if rotate is not None:
            deals = dealing.turned(deals, start, half=rotate == "half")
        told = [] if actions is None else _told(actions, deals.owners, find.once)
    except dealing.ConstraintError as error:
        raise CommandError(_as_options(str(error))) from None
    if first is None:
        first = 1 if actions is None else actions.start_board or 1
    chunks = _boards(deals, first, actions)
    if with_tricks:
        pairs = solved(chunks, workers, seen=out is None)
        chunks = (chunk.with_tricks(tables.tricks) for chunk, tables in pairs)
    if as_json:
        _show_json(chunks)
    elif form == _SHEETS:
        _show(chunks)
    elif form is not None:
        write_stream(chunks, sys.stdout.buffer if out is None else out, form)
    for asked, answer in told:
        _tell(asked, answer, as_json, aside=out is None and form not in (None, _SHEETS))
    if picture is not None and actions is not None:
        _draw(told, actions.title or Path(name).name, picture)
    if find.asked and not exact:
        click.echo("note: tricks() is estimated by a network; --exact solves", err=True)


class _Tricks:
    """What a script's ``tricks()`` and its kin are answered by: loaded when first asked."""

    def __init__(self, exact: bool, workers: int | None):
        self._exact, self._workers = exact, workers
        self.asked = False
        """Whether a script asked for tricks."""
        self._tables: NDArray[np.uint8] | None = None

    def __call__(self, owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
        from ..simulation import trick_finder  # most scripts do without DDS and networks

        self.asked = True
        return trick_finder(solve=self._exact, workers=self._workers)(owners)

    def once(self, owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the tricks of the deals that all actions are about, found the first time."""
        if self._tables is None:
            self._tables = self(owners)
        return self._tables


def _as_options(text: str) -> str:
    """Return what dealing says of its arguments in the words of the command."""
    written = text.replace("expected parameters={…}", "expected it written out")
    return written.replace("max_tries", "--tries")


def _format(
    actions: dealing.Actions | None, out: str | None, target_format: str | None, as_json: bool
) -> str | None:
    """Return the format of the boards, None where a script asks for tables and listings alone.

    Names on standard error the actions that have no effect.
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
        click.echo(f"note: without effect here: {', '.join(dict.fromkeys(ignored))}", err=True)
    if out is not None:
        if target_format == _SHEETS:
            raise click.BadParameter(f"--to {_SHEETS} is to look at, and no file's: without --out")
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
        what = f"boards are printed once, by {chosen}: without effect {', '.join(others)}"
        click.echo(f"note: {what} (--to FORMAT chooses)", err=True)
    return _PRINTING[chosen]


def _form_to_print(name: str) -> str:
    """Return the format of this name; errors tell of ``diagram`` too, which is no file's."""
    try:
        return format_to_write("", name).name
    except FormatError as error:
        raise CommandError(f"{error}; to look at: {_SHEETS}") from None


def _check_picture(picture: Path | None, actions: dealing.Actions | None) -> None:
    """Refuse before the work a picture of nothing, or one that cannot be written."""
    if picture is None:
        return
    from ..dealing.script_output import SUFFIXES

    check_output("--picture", picture, SUFFIXES)
    if actions is None or not any(isinstance(t, dealing.Frequency) for t in actions.tables):
        raise click.BadParameter("--picture needs a --script with a frequency in its action")
    try:
        import_module("matplotlib")
    except ModuleNotFoundError:
        raise CommandError(
            f"{picture}: a picture needs matplotlib (pip install 'trickcast[plots]')"
        ) from None


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


def _told(actions: dealing.Actions, owners: NDArray[np.uint8], find: _Finder) -> "list[_Told]":
    """Return what the tables and listings of a script say of the deals."""
    return [(asked, asked.of(owners, find)) for asked in (*actions.tables, *actions.listings)]


def _tell(asked: "_Asked", answer: Any, as_json: bool, aside: bool) -> None:
    """Show what one action says; on standard error where the boards are on standard output."""
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


def _draw(told: "list[_Told]", title: str, picture: Path) -> None:
    from ..dealing.script_output import write_picture

    tables = [(a, n) for a, n in told if not isinstance(a, dealing.Listing)]
    write_picture(tables, title, picture)


def _show_frequency(table: dealing.Frequency, counts: Any, aside: bool) -> None:
    """Draw counts: a row for each value of the first number, without empty rows and columns.

    Columns of a second number that find no room beside the others stand below them.
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
