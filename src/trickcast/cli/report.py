"""The command that makes a session a printable page: report."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from .._files import atomic_writer
from ..cards import Board, TrickTable, counted
from ..estimator import DEFAULT_MODEL, Estimator
from ..questions.deals import par_conditions
from ..web.report import ReportedBoard, report_page
from .command import Option
from .deals import Deals, From, Workers, with_boards
from .doctor import package_version
from .inputs import SOLVED_CHUNK, Strict, is_file, passed_over, read_deals
from .outputs import PAGES, check_output
from .solving import Check, solved

_UNKNOWN = (None, "", "?", "-", "#")


def report(
    deals: Deals,
    out: Annotated[Path, Option("--out", "-o", metavar="FILE", help="The page, HTML.")],
    title: Annotated[str | None, Option(help="Its heading (default: event, file or deal).")] = (
        None
    ),
    hardest_first: Annotated[
        bool, Option("--hardest-first", help="Begin with what the network is least sure of.")
    ] = False,
    model: Annotated[str, Option(help="The network of the chances.")] = DEFAULT_MODEL,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
) -> None:
    """Make one printable page of a session: the hands, what makes, par, what is close.

    Boards without a number count on, and have its dealer and vulnerability.

    Example: trickcast report session.pbn -o report.html --hardest-first
    """
    check_output("--out", out, PAGES)
    estimator = Estimator(model, threads=workers)
    boards = list[ReportedBoard]()
    heading = title
    chunks = read_deals(deals, source, chunk=SOLVED_CHUNK, strict=strict)
    for chunk, tables in solved(chunks, workers, check, seen=False):
        estimates = estimator(chunk)
        for i, (deal, known) in enumerate(with_boards(chunk)):
            said = known or Board()
            number = said.number
            if number is None:
                number = boards[-1].number + 1 if boards else 1
            vulnerability, dealer = par_conditions(replace(said, number=number), None, None)
            board = ReportedBoard(
                number,
                dealer,
                vulnerability,
                deal,
                TrickTable(tables[i].tricks),
                estimates[i],
            )
            boards.append(board)
            if heading is None and said.tag("Event") not in _UNKNOWN:
                heading = said.tag("Event")
    if hardest_first:
        boards.sort(key=lambda board: -board.difficulty)
    about = (
        f"trickcast {package_version('trickcast')}; exact tricks: DDS, or as the file has them; "
        f"chances: {estimator.info.name}"
    )
    left_out = [str(entry).removeprefix(f"{deals}: ") for entry in passed_over()]
    page = report_page(heading or _title(deals, boards), boards, left_out, about)
    with atomic_writer(out) as stream:
        stream.write(page.encode(errors="backslashreplace"))  # of a file's name in no UTF-8
    click.echo(f"{out}: {counted(len(boards), 'board')}")


def _title(source: str, boards: list[ReportedBoard]) -> str:
    """Return what a page is called when nothing says it: as its file, or as its only deal."""
    if is_file(source):
        return Path(source).stem
    return boards[0].deal.pbn if len(boards) == 1 and source != "-" else "Boards"
