"""The command that compares the tables of a session: session."""

import json
import sys
from typing import Annotated

import click

from .. import session as room
from .._progress import progress_bar
from .command import Argument, Option
from .inputs import CommandError, pass_over


def session(
    files: Annotated[
        list[str],
        Argument(
            metavar="FILE", help="Deals with results, travellers as CSV, - for standard input."
        ),
    ],
    number: Annotated[
        int | None, Option("--board", min=0, help="Everything about a board.")
    ] = None,
    pair: Annotated[
        str | None, Option("--pair", metavar="NUMBER|NAME", help="A pair's own sheet.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="All of it as a line of JSON.")] = False,
    as_csv: Annotated[bool, Option("--csv", help="A line for each table.")] = False,
    anonymous: Annotated[bool, Option("--anonymous", help="Replace names.")] = False,
    players: Annotated[
        str, Option(metavar="expert|club", help="Whose play at the table is expected.")
    ] = "expert",
    scores: Annotated[bool, Option("--scores", help="Scores alone: nothing is solved.")] = False,
    workers: Annotated[int | None, Option(min=1, help="Threads (default: all cores).")] = None,
) -> None:
    """Compare the tables of a session: scores, par, what a contract is worth, and what was luck.

    Example: trickcast session results.pbn --pair 12
    """
    if players not in ("expert", "club"):
        raise click.BadParameter(f"--players {players!r} (expected expert or club)")
    asked = [name for name, given in (("--board", number is not None), ("--pair", pair is not None),
                                      ("--json", as_json), ("--csv", as_csv)) if given]  # fmt: skip
    if len(asked) > 1:
        raise click.BadParameter(f"{' and '.join(asked)} do not go together")
    judged = answer(files, anonymous=anonymous, players=players, scores=scores, workers=workers)
    click.echo(shown(judged, number, pair, asked))
    pass_over(judged.skipped, listed=as_json)


def answer(
    files: list[str],
    *,
    anonymous: bool = False,
    players: str = "expert",
    scores: bool = False,
    workers: int | None = None,
) -> room.Judged:
    """Return the session of some files, judged or, with ``scores``, only compared."""
    sources = [sys.stdin.buffer if file == "-" else file for file in files]
    played = room.read(*sources, anonymous=anonymous)
    if scores:
        return room.compared(played)
    with progress_bar("solving", len(played.boards), "boards", show=True) as advance:
        return room.judge(played, players=players, workers=workers, advance=advance)


def shown(judged: room.Judged, number: int | None, pair: str | None, asked: list[str]) -> str:
    """Return what is printed. Raises CommandError for a board or a pair that is not there."""
    if asked == ["--json"]:
        return json.dumps(room.as_json(judged))
    if asked == ["--csv"]:
        return room.as_csv(judged).rstrip("\n")
    if number is not None:
        boards = [board for board in judged.boards if board.board.number == number]
        if not boards:
            raise CommandError(f"there is no board {number}")
        return "\n\n".join(room.board_sheet(judged, board) for board in boards)
    if pair is not None:
        found = room.find_pairs(judged, pair)
        if not found:
            raise CommandError(f"there is no pair {pair!r} (the ranking lists numbers and names)")
        return "\n\n".join(room.pair_sheet(judged, each) for each in found)
    return room.overview(judged)
