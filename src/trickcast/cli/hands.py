"""The commands that value hands and tables: hand, par."""

import json
from typing import Annotated

import click
from rich.table import Table

from ..questions.hands import HandQuestion
from ..questions.par import ParQuestion
from . import views
from .command import Argument
from .deals import AsJson, Deals, From, Workers, with_boards
from .exact_tables import Check, solved
from .inputs import SOLVED_CHUNK, Strict, read_hands
from .selecting import Boards, chosen
from .sheets import Sheet, solved_table, vulnerable_sides


def hand(
    hand: Annotated[
        str, Argument(metavar="HAND", help="A hand, a file with one hand per line, or -.")
    ],
    question: HandQuestion,
    as_json: AsJson = False,
) -> None:
    """Show the count of each method."""
    for number, cards in enumerate(read_hands(hand)):
        values = question.ask(cards)
        if as_json:
            click.echo(json.dumps(question.answer(cards, values)))
            continue
        gap = "\n" if number else ""
        click.echo(f"{gap}{'  '.join(cards.suits())}   {cards.pattern}, {cards.hcp} HCP\n")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in ("method", "value", "range", "counts"):
            table.add_column(column, justify="left" if column in ("method", "counts") else "right")
        for value in values:
            span = "{:g} … {:g}".format(*value.bounds)
            table.add_row(value.title, f"{value.value:g}", span, str(value.kind))
        views.ResultConsole().print(table)


def par(
    deals: Deals,
    question: ParQuestion,
    boards: Boards = None,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
) -> None:
    """Show table and par of each deal."""
    sheet = Sheet()
    chunks = chosen(deals, boards, source, SOLVED_CHUNK, strict)
    for chunk, tables in solved(chunks, workers, check):
        for i, (deal, board) in enumerate(with_boards(chunk)):
            if as_json:
                click.echo(json.dumps(question.answer(deal, board, tables[i].tricks)))
            else:
                vul, first = question.conditions(board)
                best, expected = question.ask(deal, board, tables[i].tricks)
                line = f"{first.word} deals, vulnerable {vulnerable_sides(vul)}: {best}"
                told = [solved_table(tables[i].tricks), f"\n{views.folded(line)}"]
                if expected:
                    brings = zip(expected, best.contracts, strict=True)
                    listed = "; ".join(f"{points:+.0f} in {each.bid}" for points, each in brings)
                    told.append(views.folded(f"expected at the table: NS {listed}"))
                sheet.show(deal, board, *told)
