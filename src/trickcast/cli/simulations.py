"""The commands that deal hidden hands many times: simulate, compare, leads."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import click
from rich.live import Live

from .._files import atomic_writer, check_target
from ..cards import Board, DealError, DealSet, Seat, shorten
from ..formats import format_to_write, write
from ..questions import Hooks
from ..questions.declared import QuestionError
from ..questions.leads import LeadsQuestion
from ..questions.simulations import (
    CompareQuestion,
    ContractSheet,
    LayoutsQuestion,
    SimulateQuestion,
)
from ..scoring import Contract
from ..simulation import Comparison, ContractChance, Result, trick_picture
from . import views
from .answers import (
    every_sheet,
    show_all,
    show_comparison,
    show_contract,
    show_contracts,
    show_leads,
    show_making,
)
from .command import Argument, Option
from .deals import Workers
from .inputs import Cluster, CommandError, is_file, known_hands, name_of, read_hands
from .judged_leads import judge_leads
from .outputs import PAGES, Force, check_output, may_replace
from .selecting import Boards, chosen

_INTERRUPTED = 130
_PICTURES = (".svg", *PAGES)

_WHOLE_TABLES = {"zrd", "gib-binary"}
"""Formats that cannot store an unknown result."""

AsJson = Annotated[bool, Option("--json", help="Print one line of JSON.")]
Save = Annotated[
    str | None, Option(metavar="FILE", help="File for the layouts and their solved results.")
]


class _Board(Argument):
    """A board. For a contract in its place the error names the option to use."""

    def check(self, name: str, value: Any) -> Any:
        """Return a value. Raises QuestionError for a contract."""
        try:
            contract = Contract(value)
        except DealError:
            return value
        if is_file(value):
            return value
        raise QuestionError(f"{value!r} is a contract, not a board (write --contract {contract})")


def simulate(
    *,
    board: Annotated[
        str | None,
        _Board(
            metavar="BOARD",
            help="Board with hidden hands, its dealer and vulnerability: a file or text.",
        ),
    ] = None,
    number: Annotated[int | None, Option("--board", min=0, help="Only this board number.")] = None,
    question: SimulateQuestion,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
    save: Save = None,
    picture: Annotated[
        str | None,
        Option(metavar="FILE", help="SVG or HTML file for a chart of the tricks of --contract."),
    ] = None,
    force: Force = False,
) -> None:
    """Show what contracts make, of the hands that a board shows or options say."""
    if board is not None:
        question = _on_board(question, board, number)
    if picture is not None and question.contract is None:
        raise click.BadParameter("--picture needs --contract")
    if picture is not None and question.making:
        raise click.BadParameter(
            "--making and --picture cannot be combined: --making counts no tricks"
        )
    _check_files(save, force, picture)
    watching = None if as_json or question.asked else partial(every_sheet, question, last=False)
    with _watched(_hooks(workers, cluster), watching) as hooks:
        result = question.ask(hooks)
    if isinstance(result, ContractSheet):
        sheet = result
        _deliver(
            question,
            sheet.simulation,
            save,
            lambda: show_contracts(question, sheet, as_json),
        )
    elif isinstance(result, ContractChance):
        made = result
        _deliver(question, made, save, lambda: show_making(question, made, as_json))
    elif question.asked:
        one = result
        if picture is not None:
            ((value, _),) = question.better(one).rows
            cell = value.contract, value.by
            _draw(trick_picture(one, *cell), Path(picture), *cell)
        _deliver(question, one, save, lambda: show_contract(question, one, as_json))
    else:
        every = result
        _deliver(question, every, save, lambda: show_all(question, every, as_json))


def _on_board(question: SimulateQuestion, source: str, number: int | None) -> SimulateQuestion:
    """Return the question with the hands of a board, and its dealer and vulnerability.

    Options take precedence over the board.
    """
    board, shown = known_hands(source, number)
    if len(shown) == len(Seat):
        raise CommandError(
            f"{name_of(source)}: all four hands are shown (trickcast solve gives their tricks)"
        )
    said = {seat.word.lower(): str(hand) for seat, hand in shown.items()}
    known, called = board.completed(), question.auction is not None
    if known.vulnerability is not None and (called or not question.making):
        said["vulnerable"] = str(known.vulnerability)
    if known.dealer is not None and called:
        said["dealer"] = str(known.dealer)
    return question.but(**{name: of for name, of in said.items() if name not in question.given})


def compare(
    *,
    question: CompareQuestion,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
    save: Save = None,
    force: Force = False,
) -> None:
    """Show by how much each contract beats the first."""
    _check_files(save, force)
    with _watched(_hooks(workers, cluster), None if as_json else _so_far) as hooks:
        result = question.ask(hooks)
    _deliver(question, result, save, lambda: show_comparison(question, result, as_json))


def leads(
    *,
    question: LeadsQuestion,
    boards: Boards = None,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
    save: Save = None,
    force: Force = False,
) -> None:
    """Show what every lead is worth, or of a file what each lead cost."""
    if not question.is_hand and (question.leader == "-" or is_file(question.leader)):
        if save is not None:
            raise click.BadParameter("--save needs a hand")
        hooks = _hooks(workers, cluster)
        hooks = replace(hooks, keep_on_interrupt=False)
        chunks = chosen([question.leader], boards)
        judge_leads(question, chunks, hooks, as_json=as_json, whole=boards is None)
        return
    if boards is not None:
        raise click.BadParameter(f"--boards needs a file ({shorten(question.leader)} is none)")
    if not question.is_hand:
        question = question.but(leader=str(next(read_hands(question.leader))))
    _check_files(save, force)
    result = question.ask(_hooks(workers, cluster))
    _deliver(question, result, save, lambda: show_leads(question, result, as_json))


def _hooks(workers: int | None, cluster: str | None) -> Hooks:
    return Hooks(workers=workers, cluster=cluster, bar=True, keep_on_interrupt=True)


@contextmanager
def _watched(hooks: Hooks, picture: Callable[[Any], Any] | None) -> Iterator[Hooks]:
    """Show a ``picture`` of the results so far on a terminal, until the final one."""
    if picture is None or not sys.stderr.isatty():
        yield hooks
        return
    # a command's standard error escapes control characters, except for this
    console = views.ResultConsole(file=getattr(sys.stderr, "steering", sys.stderr))
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield replace(hooks, watch=lambda found: live.update(picture(found), refresh=True))


def _so_far(found: Comparison) -> str:
    return found.text(None)


def _check_files(save: str | None, force: bool, picture: str | None = None) -> None:
    """Refuse files that cannot be written before the work, not after it."""
    if save is not None and (format := format_to_write(save)).name in _WHOLE_TABLES:
        raise click.BadParameter(
            f"--save {save!r}: {format.title} holds whole tables alone, and here parts are solved "
            "(expected .pbn, .csv or another that holds what is not known)"
        )
    if save is not None:
        check_target(save)
        may_replace(save, force)
    if picture is not None:
        check_output("--picture", picture, _PICTURES)
        may_replace(picture, force)


def _draw(svg: str, file: Path, bid: Contract, by: Seat) -> None:
    """Write a picture; wrap it in a page if the file is HTML."""
    title = f"{bid} by {by.word}"
    page = f"<!doctype html>\n<meta charset='utf-8'>\n<title>{title}</title>\n{svg}"
    with atomic_writer(file) as stream:
        stream.write((page if file.suffix.lower() in PAGES else svg).encode())


def _deliver(
    question: LayoutsQuestion, result: Result, save: str | None, show: Callable[[], None]
) -> None:
    """Save the layouts, show the answer, and exit as interrupted if the command was.

    In this order, because the reader of the answer may go away; it is shown even if saving fails.
    """
    precision = question.precision
    if precision is not None and result.stopped != "precision" and not result.known:
        print(f"note: ± {precision:g} was not reached", file=sys.stderr)
    try:
        if save is not None:
            # without an auction no dealer was stated
            dealer = None if question.auction is None else Seat.parse(question.dealer)
            board = Board(dealer=dealer, vulnerability=question.sides)
            deals, tricks = result.deals, result.deals.tricks
            write(DealSet(deals.owners, tricks, [board] * len(deals)), save)
    finally:
        show()
    if result.stopped == "interrupt":
        sys.stdout.flush()
        raise click.exceptions.Exit(_INTERRUPTED)
