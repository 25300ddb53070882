"""The commands that estimate or solve deals: estimate, solve."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import click

from .._progress import progress_bar
from ..cards import Board, Deal, DealSet, whole_percent
from ..estimator import Estimator
from ..questions.deals import EstimateQuestion, LikelyContract, SolveQuestion
from .command import Argument, Option
from .exact_tables import Check, solved
from .inputs import CHUNK, SOLVED_CHUNK, SOME_SOLVED_CHUNK, Cluster, Strict
from .selecting import Boards, chosen
from .sheets import Sheet, estimate_tables, short_head, short_table, solved_table

Deals = Annotated[
    list[str],
    Argument(
        metavar="DEALS",
        help="Files, - for standard input, deals (N:…) or a viewer's address.",
    ),
]
From = Annotated[
    str | None,
    Option("--from", metavar="FORMAT", help="Input format (default: detected)."),
]
AsJson = Annotated[bool, Option("--json", help="Print one line of JSON per answer.")]
Workers = Annotated[int | None, Option(min=1, help="Threads (default: all cores).")]


def estimate(
    deals: Deals,
    question: EstimateQuestion,
    boards: Boards = None,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
) -> None:
    """Show the estimate of each deal."""
    if check and not question.exact:
        raise click.BadParameter("--check needs --exact")
    estimator = Estimator(question.model, threads=workers)
    sheet = Sheet()
    chunk = CHUNK if question.solve_below is None else SOME_SOLVED_CHUNK
    chunk = SOLVED_CHUNK if question.exact else chunk
    chunks = chosen(deals, boards, source, chunk, strict)
    pairs = (
        solved(chunks, workers, check)
        if question.exact
        else ((chunk, None) for chunk in watched(chunks))
    )
    for some, tables in pairs:
        estimates = question.ask(some, estimator)
        for i, (deal, board) in enumerate(with_boards(some)):
            table = None if tables is None else tables[i].tricks
            likely = question.at_the_table(deal, board, estimates[i]) if question.played else None
            if as_json:
                click.echo(json.dumps(question.answer(deal, board, estimates[i], table, likely)))
                continue
            parts = [] if likely is None else [_at_the_table(likely)]
            sheet.show(deal, board, estimate_tables(estimates[i], table), *parts)


def _at_the_table(contracts: Sequence[LikelyContract]) -> str:
    """Return a line for each contract that players reach, and the tricks they take in it."""
    columns, widths = ("reached", "tricks", "makes", "double dummy", "points"), (8, 8, 8, 14, 8)
    head = f"{'contract':11}" + "".join(map("{:>{}}".format, columns, widths))
    lines = ["\nat the table, in championship play", head]
    for each in contracts:
        name = each["contract"] if each["by"] is None else f"{each['contract']} by {each['by']}"
        line = f"{name:11}{each['share']:>8.0%}"
        if each["making"] is not None and each["double_dummy"] is not None:
            makes, seen = whole_percent(each["making"]), whole_percent(each["double_dummy"])
            line += f"{each['expected']:>8.1f}{makes:>8}{seen:>14}{each['score']:>+8.0f}"
        lines.append(line)
    return "\n".join(lines)


def solve(
    deals: Deals,
    question: SolveQuestion,
    boards: Boards = None,
    short: Annotated[bool, Option(help="One line a board.")] = False,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
    cluster: Cluster = None,
) -> None:
    """Show the table of each deal."""
    if short and as_json:
        raise click.BadParameter("--short and --json do not go together")
    sheet, number = Sheet(), 0
    size = SOLVED_CHUNK if cluster is None else CHUNK
    chunks = chosen(deals, boards, source, size, strict)
    for chunk, tables in solved(chunks, workers, check, cluster=cluster):
        for i, (deal, board) in enumerate(with_boards(chunk)):
            if as_json:
                click.echo(json.dumps(question.answer(deal, board, tables[i].tricks)))
            elif short:
                number += 1
                if number == 1:
                    click.echo(short_head())
                click.echo(short_table(number, board, tables[i].tricks))
            else:
                sheet.show(deal, board, solved_table(tables[i].tricks))


def watched(chunks: Iterator[DealSet], seen: bool = True) -> Iterator[DealSet]:
    """Pass chunks on under a progress bar, unless results are ``seen`` on a terminal."""
    with progress_bar("deals", None, "done", show=not (seen and sys.stdout.isatty())) as advance:
        for chunk in chunks:
            yield chunk
            advance(len(chunk))


def with_boards(deals: DealSet) -> Iterator[tuple[Deal, Board | None]]:
    """Yield each deal with its data from the file."""
    return zip(deals, deals.boards or [None] * len(deals), strict=True)
