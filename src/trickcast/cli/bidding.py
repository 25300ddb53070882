"""The commands about what cards and tables are worth: hand, par."""

import json
from typing import Annotated

import typer
from rich.table import Table

from ..cards import Board, Hand, Seat, Strain, Vulnerability
from ..scoring import par as par_of
from ..solver import solve as solve_deals
from . import views
from .deals import AsJson, Deals, From, Workers, show_deal, with_boards
from .inputs import SOLVED_CHUNK, read_deals


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(hand)
    app.command()(par)


def hand(
    hand: Annotated[str, typer.Argument(metavar="HAND", help='Such as "AKQ2.QJT987.32.2".')],
    trump: Annotated[
        str | None, typer.Option(help="Count for a contract in this suit (default: notrump).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a hand is worth by every method that players use."""
    from .. import evaluators

    cards = Hand(hand)
    values = evaluators.describe(cards, None if trump is None else Strain.parse(trump))
    if as_json:
        content = {"hand": str(cards), "lengths": cards.lengths, "pattern": cards.pattern}
        typer.echo(json.dumps(content | {"values": {v.name: v.value for v in values}}))
        return
    typer.echo(f"{'  '.join(cards.suits())}   {cards.pattern}, {cards.hcp} HCP\n")
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("method", "value", "range", "counts"):
        table.add_column(column, justify="left" if column in ("method", "counts") else "right")
    for value in values:
        span = "{:g} … {:g}".format(*value.bounds)
        table.add_row(value.title, f"{value.value:g}", span, str(value.kind))
    views.console().print(table)


def par(
    deals: Deals,
    vulnerable: Annotated[
        str | None, typer.Option(help="none, ns, ew or both (default: as the board says, or none).")
    ] = None,
    dealer: Annotated[
        str | None, typer.Option(help="N, E, S or W (default: as the board says, or N).")
    ] = None,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
) -> None:
    """Find the par: the score, North-South's, when both sides bid perfectly."""
    out = views.console()
    shown = 0
    for chunk in read_deals(deals, source, chunk=SOLVED_CHUNK):
        tables = solve_deals(chunk, workers=workers, progress=True)
        for i, (deal, board) in enumerate(with_boards(chunk)):
            told = board or Board()
            vul = Vulnerability.parse(vulnerable or told.vulnerability or Vulnerability.NONE)
            first = Seat.parse(dealer or told.dealer or Seat.NORTH)
            found = par_of(tables[i], vul, first)
            if as_json:
                contracts = [str(contract) for contract in found.contracts]
                content = {"deal": deal.pbn, "dealer": str(first), "vulnerable": str(vul)}
                typer.echo(json.dumps(content | {"ns": found.ns_score, "contracts": contracts}))
                continue
            show_deal(out, shown + i, deal, board, alone=len(chunk) == 1 and not shown)
            out.print(views.solved_table(tables[i].tricks))
            out.print(
                f"\n{first.name.capitalize()} deals, vulnerable {views.vulnerable(vul)}: {found}"
            )
        shown += len(chunk)
