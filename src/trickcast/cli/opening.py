"""The command open: what to open a hand with, how sure that is, and why."""

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from ..questions.hands import OpenQuestion
from . import views
from .command import Argument, Option
from .deals import AsJson
from .inputs import read_hands

if TYPE_CHECKING:
    from ..bidding import Explanation

_COLUMNS = ("hand", "call", "probability", "sure", "second", "second_probability")


def open(
    hand: Annotated[
        str, Argument(metavar="HAND", help="A hand, a file with one hand per line, or -.")
    ],
    question: OpenQuestion,
    labelled: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="CSV file of hands that players bid, with columns PBN and OPENING, to find "
            "similar hands in (default: 20,000 random hands, bid by the system).",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, Option("--csv", help="Print one line of CSV per hand.")] = False,
) -> None:
    """Show what each hand is opened with."""
    if as_json and as_csv:
        raise click.BadParameter("--json and --csv cannot be combined")
    if as_csv and question.nearest and "nearest" in question.given:
        raise click.BadParameter(
            "--csv and --nearest cannot be combined: the CSV has no similar hands"
        )
    if labelled is not None and (as_csv or not question.nearest):
        raise click.BadParameter("--labelled has no effect here: no similar hands are shown")
    chosen = question.opener
    near = None if as_csv else question.near(labelled)
    hands = read_hands(hand)
    if as_csv:
        rows = csv.writer(sys.stdout, lineterminator="\n")
        for number, held in enumerate(hands):
            if not number:  # where there is no hand, only the error is printed
                rows.writerow(_COLUMNS)
            rows.writerow(_cells(question.ask(held)))
        return
    title = "nearest hands, by hand vectors (call, distance, hand), bid by "
    title += chosen.name if labelled is None else labelled.name
    for number, held in enumerate(hands):
        opening = question.ask(held)
        neighbours = () if near is None else near.nearest(opening.hand, question.nearest)
        if as_json:
            click.echo(json.dumps(question.answer(opening, neighbours)))
        else:
            lines = [
                str(opening),
                *([title] if neighbours else []),
                *(f"  {near_by}" for near_by in neighbours),
            ]
            click.echo("\n" * bool(number) + views.folded("\n".join(lines)))


def _cells(opening: "Explanation") -> list[object]:
    """Return the columns of one hand; the second call is empty where none other is likely."""
    chances = [
        (call, f"{p:.4f}") for call, p in opening.probabilities.items() if call != opening.call
    ]
    own = f"{opening.probabilities.get(opening.call, 0.0):.4f}"
    return [
        opening.hand,
        opening.call,
        own,
        "yes" if opening.sure else "no",
        *(*chances, ("", ""))[0],
    ]
