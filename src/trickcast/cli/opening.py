"""The command open: what to open a hand with, how sure that is, and why."""

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from .. import dealing
from ..answers.hands import opening_answer
from . import views
from .command import Argument, Option
from .deals import AsJson
from .inputs import CommandError, read_hands

if TYPE_CHECKING:
    from ..bidding import Explanation, NearestSystem, OpeningSystem
    from ..cards import Hand

_NEAREST = 3
"""Near hands that are shown where nothing else is asked for."""
_COLUMNS = ("hand", "call", "probability", "sure", "second", "second_probability")


def open(
    hand: Annotated[
        str, Argument(metavar="HAND", help="A hand, or a file of hands, one a line, or -.")
    ],
    system: Annotated[
        str, Option(help="polish-club, standard-american, … or a rule file (.toml).")
    ] = "polish-club",
    labelled: Annotated[
        Path | None,
        Option(
            help="Hands that players bid (CSV with columns PBN and OPENING), to find near ones in; "
            "else 20,000 random hands that the system itself bids."
        ),
    ] = None,
    nearest: Annotated[
        int | None, Option(min=0, help="How many near hands to show (default: 3).")
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, Option("--csv", help="One line a hand, for spreadsheets.")] = False,
) -> None:
    """Suggest an opening bid, say how sure it is and why, and show how near hands were opened.

    Example: trickcast open AKQ2.QJT987.32.2 --system standard-american
    """
    from .. import bidding as openings

    if as_json and as_csv:
        raise click.BadParameter("--json and --csv exclude each other")
    if as_csv and nearest:
        raise click.BadParameter("--csv shows no near hands: --nearest does not go with it")
    if labelled is not None and (as_csv or nearest == 0):
        raise click.BadParameter("--labelled is for near hands, and none are shown")
    shown = _NEAREST if nearest is None else nearest
    try:
        chosen = openings.load(system)
        near = None if as_csv or not shown else _near(chosen, labelled)
    except ValueError as error:  # LabelledError is one
        raise CommandError(str(error)) from None
    hands = read_hands(hand)
    if as_csv:
        rows = csv.writer(sys.stdout, lineterminator="\n")
        for number, held in enumerate(hands):
            if not number:  # where there is no hand, only the error is printed
                rows.writerow(_COLUMNS)
            rows.writerow(_cells(_explained(chosen, held)))
        return
    title = "nearest hands, by hand vectors (call, distance, hand), bid by "
    title += chosen.name if labelled is None else labelled.name
    for number, held in enumerate(hands):
        opening = _explained(chosen, held)
        neighbours = () if near is None else near.nearest(opening.hand, shown)
        if as_json:
            click.echo(json.dumps(opening_answer(opening, neighbours)))
        else:
            lines = [
                str(opening),
                *([title] if neighbours else []),
                *(f"  {near_by}" for near_by in neighbours),
            ]
            click.echo("\n" * bool(number) + views.folded("\n".join(lines)))


def _explained(chosen: "OpeningSystem", hand: "Hand") -> "Explanation":
    try:
        return chosen.explain(hand)
    except dealing.ConstraintError as error:  # a rule that divides by zero for this hand
        raise CommandError(str(error)) from None


def _near(chosen: "OpeningSystem", labelled: Path | None) -> "NearestSystem":
    from .. import bidding as openings

    known = openings.own_labelled(chosen) if labelled is None else openings.read_labelled(labelled)
    return openings.NearestSystem(known)


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
