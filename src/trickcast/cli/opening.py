"""The command open: what to open a hand with, and why."""

import json
from typing import Annotated

import typer

from ..cards import Hand
from .deals import AsJson
from .inputs import CommandError, read_hands


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("open")(open_hand)


def open_hand(
    hand: Annotated[
        str, typer.Argument(metavar="HAND", help="A hand, or a file of hands, one a line, or -.")
    ],
    system: Annotated[
        str, typer.Option(help="polish-club, standard-american, … or a rule file (.toml).")
    ] = "polish-club",
    as_json: AsJson = False,
) -> None:
    """Suggest an opening bid, and say why."""
    from .. import openings

    try:
        chosen = openings.load(system)
    except ValueError as error:
        raise CommandError(str(error)) from None
    for number, text in enumerate(read_hands(hand)):
        told = chosen.explain(Hand(text))
        if as_json:
            chances = {call: round(float(p), 6) for call, p in told.probabilities.items()}
            content = {"hand": str(told.hand), "system": told.system, "call": told.call}
            typer.echo(json.dumps(content | {"probabilities": chances, "reason": told.reason}))
        else:
            typer.echo(f"{chr(10) if number else ''}{told}")
