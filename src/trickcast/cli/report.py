"""The command that makes a session printable pages: report."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click
import numpy as np

from .._files import atomic_writer
from ..cards import UNKNOWN, Board, DealSet, TrickTable, counted
from ..estimator import DEFAULT_MODEL, Estimator
from ..questions.deals import par_conditions
from ..session import Judged, Session, joined, judge
from ..web.report import ReportedBoard, record_pages, report_page
from .command import Option
from .deals import Deals, From, Workers
from .doctor import package_version
from .inputs import SOLVED_CHUNK, Strict, is_file, pass_over, passed_over, read_deals
from .outputs import PAGES, check_output
from .solving import Check, solved

_UNKNOWN = (None, "", "?", "-", "#")
_MOST = 40
"""Boards of a page that can still be read."""


def report(
    deals: Deals,
    out: Annotated[Path, Option("--out", "-o", metavar="FILE", help="The page, HTML.")],
    title: Annotated[str | None, Option(help="Its heading (default: event, file or deal).")] = (
        None
    ),
    per_page: Annotated[
        int | None, Option(min=1, max=_MOST, help="Hand records alone, so many on a page of A4.")
    ] = None,
    hardest_first: Annotated[
        bool, Option("--hardest-first", help="Begin with what the network is least sure of.")
    ] = False,
    anonymous: Annotated[bool, Option("--anonymous", help="Replace names.")] = False,
    model: Annotated[str, Option(help="The network of the chances.")] = DEFAULT_MODEL,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
) -> None:
    """Make printable pages of a session: the hands, what makes, par, what is close, the results.

    Boards without a number count on, and have its dealer and vulnerability. Where the file has
    results the tables of a board stand together, after the ranking.

    Example: trickcast report session.pbn -o report.html --per-page 18
    """
    check_output("--out", out, PAGES)
    estimator = Estimator(model, threads=workers)
    chunks = [*_numbered(read_deals(deals, source, chunk=SOLVED_CHUNK, strict=strict))]
    said = [board for chunk in chunks for board in chunk.boards or ()]
    played: Session | None = None
    if any(board.contract or board.tag("ScoreTable") is not None for board in said):
        played = joined(chunks, deals)
        played = played.anonymous() if anonymous else played
        chunks = [*_boards_of(played)]
    boards = list[ReportedBoard]()
    for chunk, tables in solved(iter(chunks), workers, check, seen=False):
        estimates = estimator(chunk)
        for i, (deal, board) in enumerate(zip(chunk, chunk.boards or (), strict=True)):
            vulnerability, dealer = par_conditions(board, None, None)
            table = TrickTable(tables[i].tricks)
            number = board.number or 0
            boards.append(ReportedBoard(number, dealer, vulnerability, deal, table, estimates[i]))
    judged: Judged | None = None
    if played is not None and per_page is None:
        judged = _judged(played, boards, workers)
        pass_over(judged.skipped)
        boards = [
            replace(board, played=of) for board, of in zip(boards, judged.boards, strict=True)
        ]
    if hardest_first:
        boards.sort(key=lambda board: -board.difficulty)
    heading = title or _event(said) or _title(deals, boards)
    if per_page is not None:
        page = record_pages(heading, boards, per_page)
    else:
        about = (
            f"trickcast {package_version('trickcast')}; exact tricks: DDS, or as the file has "
            f"them; chances: {estimator.info.name}"
        )
        left_out = [str(entry).removeprefix(f"{deals}: ") for entry in passed_over()]
        page = report_page(heading, boards, left_out, about, judged)
    with atomic_writer(out) as stream:
        stream.write(page.encode(errors="backslashreplace"))  # of a file's name in no UTF-8
    click.echo(f"{out}: {counted(len(boards), 'board')}")


def _numbered(chunks: Iterator[DealSet]) -> Iterator[DealSet]:
    """Number the boards that have no number, on from the one before."""
    number = 0
    for chunk in chunks:
        boards = []
        for board in chunk.boards or [Board()] * len(chunk):
            number = number + 1 if board.number is None else board.number
            boards.append(replace(board, number=number))
        yield DealSet(chunk.owners, chunk.tricks, boards)


def _boards_of(played: Session) -> Iterator[DealSet]:
    """Yield the deals of a session, each once, with the exact tricks that its file has."""
    for start in range(0, len(played.boards), SOLVED_CHUNK):
        some = played.boards[start : start + SOLVED_CHUNK]
        deals = DealSet.from_deals([board.deal for board in some if board.deal is not None])
        unknown = np.full((5, 4), UNKNOWN, dtype=np.uint8)
        exact = [unknown if board.exact is None else board.exact for board in some]
        said = [
            Board(number=board.number, dealer=board.dealer, vulnerability=board.vulnerability)
            for board in some
        ]
        yield DealSet(deals.owners, np.stack(exact), said)


def _judged(played: Session, boards: Sequence[ReportedBoard], workers: int | None) -> Judged:
    """Judge a session whose boards are solved."""
    known = [
        replace(board, exact=solved_board.table.tricks)
        for board, solved_board in zip(played.boards, boards, strict=True)
    ]
    return judge(replace(played, boards=tuple(known)), workers=workers)


def _event(said: Sequence[Board]) -> str | None:
    """Return the event that a file names."""
    events = (board.tag("Event") for board in said)
    return next((event for event in events if event not in _UNKNOWN), None)


def _title(source: str, boards: list[ReportedBoard]) -> str:
    """Return what a page is called when nothing says it: as its file, or as its only deal."""
    if is_file(source):
        return Path(source).stem
    return boards[0].deal.pbn if len(boards) == 1 and source != "-" else "Boards"
