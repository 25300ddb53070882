"""The commands about what cards and tables are worth: hand, par."""

import json
from typing import Annotated

import click
from rich.table import Table

from ..answers.deals import par_answer, par_conditions
from ..answers.hands import hand_answer
from ..cards import Seat, Strain, Vulnerability
from ..scoring import par as par_of
from . import views
from .command import Argument, Option
from .deals import AsJson, Deals, From, Workers, with_boards
from .inputs import SOLVED_CHUNK, Strict, read_deals, read_hands
from .sheets import Sheet, solved_table, vulnerable_sides
from .solving import Check, solved


def hand(
    hand: Annotated[
        str, Argument(metavar="HAND", help="A hand, or a file of hands, one a line, or -.")
    ],
    trump: Annotated[
        str | None, Option(help="Count for a contract in this suit (default: notrump).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a hand is worth by every method that players use.

    Example: trickcast hand AKQ2.QJT987.32.2
    """
    from .. import evaluators

    strain = None if trump is None else Strain.parse(trump)
    for number, cards in enumerate(read_hands(hand)):
        values = evaluators.describe(cards, strain)
        if as_json:
            click.echo(json.dumps(hand_answer(cards, values)))
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
    vulnerable: Annotated[
        str | None,
        Option(help="none, ns, ew or both (default: the board's, its number's, or none)."),
    ] = None,
    dealer: Annotated[
        str | None, Option(help="N, E, S or W (default: the board's, its number's, or N).")
    ] = None,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
) -> None:
    """Find the par: the score, North-South's, when both sides bid perfectly.

    Example: trickcast par deals.pbn --vulnerable ns
    """
    told_vulnerable = None if vulnerable is None else Vulnerability.parse(vulnerable)
    told_dealer = None if dealer is None else Seat.parse(dealer)
    sheet = Sheet()
    chunks = read_deals(deals, source, chunk=SOLVED_CHUNK, strict=strict)
    for chunk, tables in solved(chunks, workers, check):
        for i, (deal, board) in enumerate(with_boards(chunk)):
            vul, first = par_conditions(board, told_vulnerable, told_dealer)
            if as_json:
                click.echo(json.dumps(par_answer(deal, board, tables[i], vul, first)))
            else:
                best = par_of(tables[i], vul, first)
                line = f"{first.word} deals, vulnerable {vulnerable_sides(vul)}: {best}"
                told = f"\n{views.folded(line)}"
                sheet.show(deal, board, solved_table(tables[i].tricks), told)
