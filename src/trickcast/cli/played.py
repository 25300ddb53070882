"""The command that estimates the tricks that players take at the table: played."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import click
import numpy as np

from ..cards import Board, Suit, card_text, counted, parse_card
from ..questions.played import PlayedQuestion, PlayedTable, Taken
from ..simulation.texts import bars
from .command import Argument
from .deals import AsJson, From, watched, with_boards
from .inputs import Strict
from .selecting import Boards, chosen
from .sheets import Sheet, vulnerable_sides


def played(
    deals: Annotated[str, Argument(metavar="DEAL", help="A deal, a file of boards, or -.")],
    question: PlayedQuestion,
    boards: Boards = None,
    as_json: AsJson = False,
    source: From = None,
    strict: Strict = False,
) -> None:
    """Show what players take, beside what is estimated double dummy."""
    sheet, left_out, shown = Sheet(), Counter[str](), False
    chunks = watched(chosen([deals], boards, source, strict=strict))
    given = (
        (chunk.owners[row], board or Board())
        for chunk in chunks
        for row, (_, board) in enumerate(with_boards(chunk))
    )
    for table in question.ask(given, left_out):
        shown = True
        if as_json:
            click.echo(json.dumps(question.answer(table)))
        else:
            sheet.show(table.deal, table.board, _text(table, question))
    if not shown:
        raise question.nothing_to_estimate(left_out)
    for reason, number in left_out.items():
        click.echo(f"note: {counted(number, 'board')} {reason}", err=True)


def _text(table: PlayedTable, question: PlayedQuestion) -> str:
    led = ""
    if question.lead is not None:
        card = card_text(parse_card(question.lead))
        led = f", lead {Suit.parse(card[0]).symbol}{card[1]}"
    taken, seen = table.taken(table.played.probabilities), table.taken(table.double_dummy)
    sides = vulnerable_sides(table.vulnerable)
    chances = np.asarray(table.played.probabilities, dtype=float)
    return "\n".join(
        [
            f"{table.contract} by {table.by.word}{led}, vulnerable {sides}, "
            f"{question.players} players",
            f"{'':10}{'as played':>12}{'double dummy':>15}",
            *(f"{name:10}{one:>12}{other:>15}" for name, one, other in _rows(taken, seen)),
            bars(chances),
            "double dummy: estimated by accurate, as if everybody saw all cards",
        ]
    )


def _rows(taken: Taken, seen: Taken) -> Iterator[tuple[str, str, str]]:
    yield "tricks", f"{taken['expected']:.1f}", f"{seen['expected']:.1f}"
    yield "makes", f"{taken['making']:.0%}", f"{seen['making']:.0%}"
    yield "points", f"{taken['score']:+.0f}", f"{seen['score']:+.0f}"
