"""The command that estimates what players take at the table: played."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import click
import numpy as np
from numpy.typing import NDArray

from ..cards import Board, counted
from ..questions.played import PlayedQuestion, PlayedTable, Taken
from ..simulation.texts import bars
from .command import Option
from .deals import AsJson, Deals, From, watched, with_boards
from .inputs import CommandError, Strict, read_deals
from .sheets import Sheet, vulnerable_sides


def played(
    deals: Deals,
    question: PlayedQuestion,
    number: Annotated[int | None, Option("--board", min=0, help="Only this board number.")] = None,
    as_json: AsJson = False,
    source: From = None,
    strict: Strict = False,
) -> None:
    """Show what players take, beside what is estimated double dummy."""
    sheet, left_out, matching = Sheet(), Counter[str](), 0

    def boards() -> Iterator[tuple[NDArray[np.uint8], Board]]:
        nonlocal matching
        for chunk in watched(read_deals(deals, source, strict=strict)):
            for row, (_, board) in enumerate(with_boards(chunk)):
                if number is None or (board is not None and board.number == number):
                    matching += 1
                    yield chunk.owners[row], board or Board()

    shown = False
    for table in question.ask(boards(), left_out):
        shown = True
        if as_json:
            click.echo(json.dumps(question.answer(table)))
        else:
            sheet.show(table.deal, table.board, _text(table, question.players))
    if number is not None and not matching:
        raise CommandError(f"there is no board {number}")
    if not shown:
        raise CommandError(question.nothing_to_estimate(left_out))
    for reason, boards_left in left_out.items():
        click.echo(f"note: {counted(boards_left, 'board')} {reason}", err=True)


def _text(table: PlayedTable, players: str) -> str:
    taken, seen = table.taken(table.played.probabilities), table.taken(table.double_dummy)
    sides = vulnerable_sides(table.vulnerable)
    chances = np.asarray(table.played.probabilities, dtype=float)
    return "\n".join(
        [
            f"{table.contract} by {table.by.word}, vulnerable {sides}, {players} players",
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
