"""The command that turns a session into printable pages: report."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, BinaryIO

import click
import numpy as np

from .._files import atomic_writer
from ..cards import (
    UNKNOWN,
    Board,
    DealSet,
    Seat,
    TrickTable,
    board_dealer,
    board_vulnerability,
    counted,
)
from ..estimator import DEFAULT_MODEL, Estimator
from ..formats.format import Reading
from ..formats.streams import inner_suffix, opened
from ..played import expected_at_par
from ..questions.deals import par_conditions
from ..scoring import par
from ..session import Judged, Session, joined, judge
from ..session.result_rows import Contents, contents
from ..web.report import (
    GENERATED,
    DealtBoard,
    ReportedBoard,
    hand_pages,
    record_pages,
    report_page,
)
from ..web.words import LANGUAGES
from .command import Argument, Option
from .deals import From, Workers
from .doctor import package_version
from .exact_tables import Check, solved
from .inputs import (
    SOLVED_CHUNK,
    CommandError,
    Strict,
    is_file,
    name_of,
    pass_over,
    passed_over,
    read_deals,
)
from .outputs import PAGES, check_output, may_replace
from .selecting import Boards, Renumber, is_within, ranges_of, selected

_UNKNOWN = (None, "", "?", "-", "#")
_MOST = 40
"""Most boards on a page that are still readable."""
_HEAD = 1_000
"""Bytes at the beginning of a page in which its mark stands."""


def report(
    deals: Annotated[
        list[str],
        Argument(metavar="DEALS", help="Files, - or a deal (N:…); also CSV files of travellers."),
    ],
    out: Annotated[Path, Option("--out", "-o", metavar="FILE", help="HTML file to write.")],
    title: Annotated[
        str | None, Option(metavar="TITLE", help="Heading (default: event, file or deal).")
    ] = (None),
    per_page: Annotated[
        int | None,
        Option(min=1, max=_MOST, help="Print only hand records, this many on a page of A4."),
    ] = None,
    hands: Annotated[
        str | None,
        Option(
            metavar="NESW",
            help="Print single hands of these seats, as curtain cards or lesson sheets.",
        ),
    ] = None,
    boards: Boards = None,
    renumber: Renumber = None,
    hardest_first: Annotated[
        bool, Option("--hardest-first", help="Sort by how unsure the network is.")
    ] = False,
    anonymous: Annotated[bool, Option("--anonymous", help="Replace players' names.")] = False,
    language: Annotated[
        str, Option(choices=(*LANGUAGES,), help="Language of cards and hand records.")
    ] = "en",
    model: Annotated[
        str, Option(metavar="MODEL", help="Model of the chances: a name or an .onnx file.")
    ] = DEFAULT_MODEL,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
    force: Annotated[
        bool, Option("--force", help="Replace any file; a report is replaced without it.")
    ] = False,
) -> None:
    """Write printable pages of a session: hands, makeable contracts, par and results.

    Boards without a number are numbered on, with the dealer and vulnerability of their number. If
    the file has results, the ranking comes first, and each board shows all its tables. --hands NESW
    prints curtain cards. --hands S prints sheets with only South's hand, and room for the auction.

    Example: trickcast report session.pbn -o report.html --per-page 18
    """
    check_output("--out", out, PAGES)
    may_replace(out, force or _is_report(out))
    seats = None if hands is None else _seats(hands)
    kind = "--per-page" if hands is None else "--hands"
    if hands is not None or (per_page is not None and not hardest_first):
        _refuse_vain(kind, hardest_first, check, anonymous, model)
    if language not in LANGUAGES:
        raise click.BadParameter(f"--language {language!r} (expected {', '.join(LANGUAGES)})")
    words = LANGUAGES[language]
    estimator = Estimator(model, threads=workers)
    piped, deals, travellers = _told_apart(deals)
    given = chain.from_iterable(
        read_deals(each, source, chunk=SOLVED_CHUNK, strict=strict, piped=piped) for each in deals
    )
    chunks = [*selected(given, boards, None)]
    said = [board for chunk in chunks for board in chunk.boards or ()]
    played: Session | None = None
    with_results = any(b.contract or b.tag("ScoreTable") is not None for b in said)
    if seats is None and (travellers or with_results):
        streams = (piped if each == "-" and piped else each for each in travellers)
        played = _joined(chunks, deals[0], streams, boards, renumber)
        played = played.anonymous() if anonymous else played
        chunks = [*_boards_of(played)]
    elif renumber is not None:
        chunks = [*selected(iter(chunks), None, renumber, tell=False)]
    if seats is not None:
        dealt = [*dict.fromkeys(_dealt(chunks))]  # each once, however many tables played it
        heading = title or _event(said) or _title(deals[0], dealt)
        _write(out, hand_pages(heading, dealt, seats, per_page, words), len(dealt))
        return
    shown = [*_reported(chunks, estimator, workers, check)]
    judged: Judged | None = None
    if played is not None and per_page is None:
        judged = _judged(played, shown, workers)
        pass_over(judged.skipped)
        shown = [replace(each, played=of) for each, of in zip(shown, judged.boards, strict=True)]
    if hardest_first:
        shown.sort(key=lambda board: -board.difficulty)
    heading = title or _event(said) or _title(deals[0], shown)
    if per_page is not None:
        page = record_pages(heading, shown, per_page, words)
    else:
        about = (
            f"trickcast {package_version('trickcast')}; exact tricks: DDS, or as the file has "
            f"them; chances: {estimator.info.name}"
        )
        page = report_page(heading, shown, _notes(deals[0]), about, judged, words)
    _write(out, page, len(shown))


def _told_apart(given: Sequence[str]) -> tuple[BinaryIO | None, list[str], list[str]]:
    """Return standard input, the arguments with deals, and those of travellers, in any order.

    Travellers with the cards are deals if no other argument has deals. Raises CommandError if there
    are no deals at all, or a file is given twice.
    """
    files = [os.path.realpath(each) if is_file(each) else "" for each in given]
    for each, whole in zip(given, files, strict=True):
        if whole and files.count(whole) > 1:
            raise CommandError(f"{each}: given twice (expected once)")
    piped: BinaryIO | None = None
    found = dict[str, Contents]()
    for each in dict.fromkeys(given):
        if each == "-":
            head, piped, _ = opened(sys.stdin.buffer, Reading(name_of(each)))
            found[each] = contents(head, is_csv=False)
        elif inner_suffix(each).lower() == ".csv" and is_file(each):
            with Path(each).open("rb") as file:
                head, _, _ = opened(file, Reading(each), each)
            found[each] = contents(head)
    travellers = [each for each, has in found.items() if has.results]
    if {*given} == {*travellers}:
        travellers = [each for each in travellers if not found[each].cards]
    deals = [each for each in given if each not in travellers]
    if not deals:
        raise CommandError(f"{name_of(given[0])}: travellers without cards (expected a file with "
                           "the deals, too)")  # fmt: skip
    return piped, deals, travellers


def _refuse_vain(kind: str, hardest_first: bool, check: int, anonymous: bool, model: str) -> None:
    """Raise BadParameter for an option without effect on pages of this kind."""
    given = {"--anonymous": anonymous, "--model": model != DEFAULT_MODEL}
    if kind == "--hands":
        given |= {"--hardest-first": hardest_first, "--check": check > 0}
    for vain in (name for name, value in given.items() if value):
        raise click.BadParameter(f"{vain} has no effect with {kind} (leave one of them out)")


def _notes(source: str) -> list[str]:
    """Return the skipped entries and the warnings about a file, without the file's name."""
    return [
        f"{'Note' if entry.word == 'note' else 'Left out'}: "
        + str(entry).replace(f"{source}: ", "")
        for entry in passed_over()
    ]


def _is_report(path: Path) -> bool:
    """Return whether a file is a report of ours."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return GENERATED.encode() in stream.read(_HEAD)


def _write(out: Path, page: str, boards: int) -> None:
    """Write a page, and report it."""
    with atomic_writer(out) as stream:
        stream.write(page.encode(errors="backslashreplace"))  # for a file name that is not UTF-8
    click.echo(f"{out}: {counted(boards, 'board')}")


def _seats(text: str) -> list[Seat]:
    """Read ``NESW``, or some of these letters."""
    seats = [Seat.parse(letter) for letter in text.upper() if letter in "NESW"]
    if not seats or len({*seats}) != len(text):
        raise click.BadParameter(f"--hands {text!r} (expected letters of seats, as NESW or S)")
    return seats


def _dealt(chunks: Iterable[DealSet]) -> Iterator[DealtBoard]:
    """Yield the boards of deals, with the dealer and the vulnerability of their number."""
    for chunk in chunks:
        for deal, board in zip(chunk, chunk.boards or (), strict=True):
            vulnerability, dealer = par_conditions(board, None, None)
            yield DealtBoard(board.number or 0, dealer, vulnerability, deal)


def _joined(
    chunks: Iterable[DealSet],
    name: str,
    travellers: Iterable[str | BinaryIO],
    boards: str | None,
    renumber: int | None,
) -> Session:
    """Join results to the chosen boards by their own numbers, then number the boards anew."""
    ranges = None if boards is None else ranges_of(boards)
    played = joined(
        chunks, name, travellers, lambda number: ranges is None or is_within(ranges, number)
    )
    if renumber is None:
        return played
    numbered = []
    for number, board in enumerate(played.boards, start=renumber):
        dealer, vulnerability = board.dealer, board.vulnerability
        if not board.tables:
            dealer, vulnerability = board_dealer(number), board_vulnerability(number)
        numbered.append(replace(board, number=number, dealer=dealer, vulnerability=vulnerability))
    return replace(played, boards=tuple(numbered))


def _reported(
    chunks: Sequence[DealSet], estimator: Estimator, workers: int | None, check: int
) -> Iterator[ReportedBoard]:
    """Yield boards with their exact tricks, par and estimates."""
    for chunk, tables in solved(iter(chunks), workers, check, seen=False):
        estimates = estimator(chunk)
        for i, each in enumerate(_dealt([chunk])):
            table = TrickTable(tables[i].tricks)
            best = par(table, each.dealer, each.vulnerability)
            (expected,) = expected_at_par(chunk[i : i + 1], [best], [each.vulnerability])
            yield ReportedBoard(
                **vars(each), table=table, estimate=estimates[i], best=best, expected=expected
            )


def _boards_of(played: Session) -> Iterator[DealSet]:
    """Yield the deals of a session, each once, with the exact tricks in its file."""
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
    events = ((board.tag("Event") or "").lstrip("#") for board in said)  # "##": of all that follow
    return next((event for event in events if event not in _UNKNOWN), None)


def _title(source: str, boards: Sequence[DealtBoard]) -> str:
    """Return the default title of a page: its file name, or its only deal."""
    if is_file(source):
        return Path(source).stem
    return boards[0].deal.pbn if len(boards) == 1 and source != "-" else "Boards"
