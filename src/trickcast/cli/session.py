"""The command that compares the tables of a session: session."""

import json
import sys
from typing import Annotated

import click

from .. import session as room
from .._progress import progress_bar
from ..questions.session import SessionQuestion
from . import views
from .command import Argument, Option
from .deals import Workers
from .inputs import CommandError, pass_over
from .selecting import is_within, ranges_of, tell_missing


def session(
    files: Annotated[
        list[str],
        Argument(
            metavar="FILE",
            help="Deals with results, CSV files of travellers, or -.",
            filled=True,
        ),
    ],
    question: SessionQuestion,
    boards: Annotated[
        str | None,
        Option("--board", "--boards", metavar="5-12,15", help="Show all about these boards."),
    ] = None,
    pair: Annotated[
        str | None, Option("--pair", metavar="NUMBER|NAME", help="Show the sheet of one pair.")
    ] = None,
    as_json: Annotated[
        bool, Option("--json", help="Print everything as one line of JSON.")
    ] = False,
    as_csv: Annotated[bool, Option("--csv", help="Print one line of CSV per table.")] = False,
    workers: Workers = None,
) -> None:
    """Show boards and a ranking, one board, or one pair."""
    asked = [name for name, given in (("--board", boards is not None), ("--pair", pair is not None),
                                      ("--json", as_json), ("--csv", as_csv)) if given]  # fmt: skip
    if len(asked) > 1:
        raise click.BadParameter(f"{' and '.join(asked)} cannot be combined")
    if boards is not None:
        ranges_of(boards)  # refuses what is no number before the work
    played = room.read(*(sys.stdin.buffer if file == "-" else file for file in files))
    with progress_bar("solving", len(played.boards), "boards", show=True) as advance:
        judged = question.ask(played, workers, advance)
    if as_json:
        click.echo(json.dumps(question.answer(judged)))
    elif as_csv:
        click.echo(room.as_csv(judged), nl=False)
    elif boards is not None:
        click.echo("\n\n".join(_boards(judged, boards)))
    elif pair is not None:
        click.echo("\n\n".join(_pairs(judged, pair)))
    else:
        click.echo(room.overview(judged, views.ResultConsole().width))
    pass_over(judged.skipped, listed=as_json)


def _boards(judged: room.Judged, wanted: str) -> list[str]:
    """Return the sheets of all boards with these numbers. Raises CommandError if there are none."""
    ranges = ranges_of(wanted)
    boards = [
        board
        for board in judged.boards
        if (number := board.board.number) is not None and is_within(ranges, number)
    ]
    if not boards:
        raise CommandError(f"there is no board {wanted}")
    tell_missing(ranges, sorted({board.board.number or 0 for board in boards}))
    width = views.ResultConsole().width
    return [room.board_sheet(judged, board, width) for board in boards]


def _pairs(judged: room.Judged, wanted: str) -> list[str]:
    """Return the sheets of the matching pairs. Raises CommandError if there are none."""
    found = room.find_pairs(judged, wanted)
    if not found:
        raise CommandError(f"there is no pair {wanted!r} (the ranking lists numbers and names)")
    width = views.ResultConsole().width
    return [room.pair_sheet(judged, pair, width) for pair in found]
