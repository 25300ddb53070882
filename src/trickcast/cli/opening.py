"""The command open: the opening of a hand, how certain it is, and why."""

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from rich.table import Table

from ..cards import Hand
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
    if labelled is not None and (as_csv or question.system is None or not question.nearest):
        raise click.BadParameter("--labelled needs --system, and similar hands to show")
    openers = question.openers
    near = None if as_csv else question.near(labelled)
    hands = read_hands(hand)
    if as_csv:
        _show_csv(question, hands)
        return
    title = "nearest hands, by hand vectors (call, distance, hand), bid by "
    title += openers[0].name if labelled is None else labelled.name
    for number, held in enumerate(hands):
        openings = question.ask(held)
        neighbours = () if near is None else near.nearest(held, question.nearest)
        if as_json:
            click.echo(json.dumps(question.answer(openings, neighbours)))
            continue
        click.echo("\n" * bool(number), nl=False)
        if question.system is None:
            _show_table(openings)
            continue
        lines = [
            str(openings[0]),
            *([title] if neighbours else []),
            *(f"  {near_by}" for near_by in neighbours),
        ]
        click.echo(views.folded("\n".join(lines)))


def _show_table(openings: "list[Explanation]") -> None:
    """Show each system's opening, and the rule behind it."""
    from ..bidding import RuleExplanation

    click.echo(openings[0].hand)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("system", "opens", "why"):
        table.add_column(column, no_wrap=column != "why")
    for opening in openings:
        rule = opening.rule.name if isinstance(opening, RuleExplanation) else opening.reason
        doubts = "".join(f"; not sure: {doubt}" for doubt in opening.doubts)
        table.add_row(opening.system, opening.call, rule + doubts)
    views.ResultConsole().print(table)


def _show_csv(question: OpenQuestion, hands: Iterable[Hand]) -> None:
    """Show a line per hand: with one system how sure it is, with several their calls."""
    rows = csv.writer(sys.stdout, lineterminator="\n")
    several = question.system is None
    for number, held in enumerate(hands):
        if not number:  # without any hand, only the error is printed
            systems = [opener.name for opener in question.openers]
            rows.writerow(("hand", *systems) if several else _COLUMNS)
        openings = question.ask(held)
        calls = [opening.call for opening in openings]
        rows.writerow((held, *calls) if several else _cells(openings[0]))


def _cells(opening: "Explanation") -> list[object]:
    """Return the columns of one hand; the second call is empty if no other is likely."""
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
