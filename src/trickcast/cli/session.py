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
    number: Annotated[
        int | None, Option("--board", min=0, help="Show everything about one board.")
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
    asked = [name for name, given in (("--board", number is not None), ("--pair", pair is not None),
                                      ("--json", as_json), ("--csv", as_csv)) if given]  # fmt: skip
    if len(asked) > 1:
        raise click.BadParameter(f"{' and '.join(asked)} cannot be combined")
    played = room.read(*(sys.stdin.buffer if file == "-" else file for file in files))
    with progress_bar("solving", len(played.boards), "boards", show=True) as advance:
        judged = question.ask(played, workers, advance)
    if as_json:
        click.echo(json.dumps(question.answer(judged)))
    elif as_csv:
        click.echo(room.as_csv(judged), nl=False)
    elif number is not None:
        click.echo("\n\n".join(_boards(judged, number)))
    elif pair is not None:
        click.echo("\n\n".join(_pairs(judged, pair)))
    else:
        click.echo(room.overview(judged, views.ResultConsole().width))
    pass_over(judged.skipped, listed=as_json)


def _boards(judged: room.Judged, number: int) -> list[str]:
    """Return the sheets of all boards with a number. Raises CommandError if there are none."""
    boards = [board for board in judged.boards if board.board.number == number]
    if not boards:
        raise CommandError(f"there is no board {number}")
    width = views.ResultConsole().width
    return [room.board_sheet(judged, board, width) for board in boards]


def _pairs(judged: room.Judged, wanted: str) -> list[str]:
    """Return the sheets of the matching pairs. Raises CommandError if there are none."""
    found = room.find_pairs(judged, wanted)
    if not found:
        raise CommandError(f"there is no pair {wanted!r} (the ranking lists numbers and names)")
    width = views.ResultConsole().width
    return [room.pair_sheet(judged, pair, width) for pair in found]
