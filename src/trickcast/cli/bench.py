"""The command that scores any program's answers to a test set: bench."""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import click
from rich.table import Table

from ..cards import DealSet
from ..evaluation import (
    SETS,
    Answers,
    AnswersError,
    Evaluation,
    TestSet,
    Truth,
    open_answers,
    read_answers,
    read_table_truth,
    score_answers,
    truth_of_deals,
)
from ..evaluation.figures import plain
from ..library import Library, holds_library
from . import views
from .command import Argument, Option
from .deals import AsJson
from .evaluating import PARTS, figures_tables, with_error
from .inputs import CommandError, read_deals

_OF_CHANCES = ("log_loss", "mean_squared_error")
_DIGITS = 12


def bench(
    answers: Annotated[
        str | None,
        Argument(
            metavar="FILE", help="CSV or Parquet file of answers (default: list the test sets)."
        ),
    ] = None,
    deals: Annotated[
        str | None,
        Option(metavar="PATH", help="File or library of the test set (default: data/library)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score any program's answers to a test set.

    Example: trickcast bench answers.csv --deals gib-10000.txt
    """
    if answers is None:
        _show_sets(as_json)
        return
    asked, table = open_answers(answers)
    truth = _truth(asked, deals)
    said = read_answers(table, asked, truth)
    evaluation = score_answers(truth, said)
    digest = hashlib.sha256(Path(answers).read_bytes()).hexdigest()[:_DIGITS]
    content = _as_json(asked, said, evaluation, digest)
    if as_json:
        click.echo(json.dumps(content))
        return
    click.echo(f"{asked.name}, {asked.about}; 95 % intervals over deals\n")
    out = views.ResultConsole()
    by_chances = figures_tables(evaluation.strains, evaluation.calibration)
    by_tricks = figures_tables(evaluation.strains)[:1]
    for part in by_tricks if said.probabilities is None else by_chances:
        out.print(part)
        click.echo()
    click.echo(content["signature"])


def _truth(asked: TestSet, place: str | None) -> Truth:
    """Read a test set. Raises CommandError if it is missing, or is a different one."""
    where = place or asked.place
    if not where or not (Path(where).exists() or holds_library(where)):
        raise CommandError(
            f"{asked.name}: its deals are not here (expected --deals with them: {asked.source})"
        )
    try:
        if asked.task == "table":
            return read_table_truth(asked, where)
        solved = (
            Library(where).deals("test")
            if holds_library(where)
            else DealSet.concatenate(list(read_deals(where, strict=True)))
        )
        return truth_of_deals(asked, solved)
    except ValueError as error:
        if isinstance(error, AnswersError):
            raise
        raise CommandError(f"{where}: {error}") from None


def _as_json(asked: TestSet, said: Answers, found: Evaluation, digest: str) -> dict[str, Any]:
    """Return the score in the form of a leaderboard entry."""
    figures = plain(found.strains)
    calibration = plain(found.calibration)
    if said.probabilities is None:
        calibration = {}
        for part in figures.values():
            for name in _OF_CHANCES:
                del part[name]
    exact = ", ".join(
        f"{PARTS[part]} {with_error(found.strains[part].exact, 2)}"
        for part in ("suits", "N")
        if part in found.strains
    )
    signature = (
        f"set:{asked.name}|version:{asked.version}|digest:{asked.digest}|answers:{digest}"
        f"|trickcast:{version('trickcast')}|exact %: {exact}"
    )
    return {
        "set": str(asked),
        "task": asked.task,
        "deals": found.deals,
        "answers": digest,
        "signature": signature,
        "figures": figures,
        "calibration": calibration,
    }


def _show_sets(as_json: bool) -> None:
    """List the test sets, as in the column ``set`` of an answers file."""
    if as_json:
        for one in SETS.values():
            click.echo(json.dumps({"set": str(one), "task": one.task, "about": one.about,
                                   "source": one.source}))  # fmt: skip
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2), collapse_padding=True)
    for column in ("column set", "task", "what it is"):
        table.add_column(column)
    for one in SETS.values():
        table.add_row(str(one), one.task, one.about)
    views.ResultConsole().print(table)
