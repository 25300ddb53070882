"""What simulations found, as a terminal shows it and as JSON."""

import json
import math

import click
from rich.table import Table

from ..answers.simulations import (
    PlayedContract,
    better_declarers,
    comparison_answer,
    contract_answer,
    contracts_answer,
    every_contract_answer,
    leads_answer,
    making_answer,
    with_leads,
)
from ..cards import Seat, Vulnerability
from ..scoring import Contract
from ..simulation import (
    ContractChance,
    LeadSimulation,
    Simulation,
    Value,
    bars,
)
from ..simulation.outcomes import even_of, is_even
from ..simulation.texts import interval_text, percent_text, wrapped
from . import views
from .sheets import vulnerable_sides

UNITS = {"total": "points", "imps": "IMPs", "matchpoints": "matchpoints"}
"""Ways of scoring, and what they count in."""


def show_contract(
    result: Simulation, bid: Contract, by: Seat, vul: Vulnerability, as_json: bool
) -> None:
    """Show one contract: chance, score, tricks and their distribution."""
    strain = bid.strain
    assert strain is not None  # the simulation has refused a pass
    if as_json:
        click.echo(json.dumps(contract_answer(result, bid, by, vul)))
        return
    making, points = result.making(bid, by), result.score(bid, by, vul)
    chances = result.distribution(strain, by)
    tricks = interval_text((result.expected[strain, by], *result.interval[strain, by]), 2)
    click.echo(f"{result.headline}\n{bid} by {by.word}, vulnerable {vulnerable_sides(vul)}")
    click.echo(f"{'makes':10} {percent_text(making)}")
    click.echo(f"{'points':10} {interval_text(points, 0, signed=True)}")
    click.echo(f"{'tricks':10} {tricks}\n{bars(chances)}")
    click.echo("\n".join(wrapped(result.notes)))


def show_making(result: ContractChance, as_json: bool) -> None:
    """Show how often a contract makes."""
    if as_json:
        click.echo(json.dumps(making_answer(result)))
    else:
        click.echo(str(result))


def show_all(
    result: Simulation, vul: Vulnerability, scoring: str, side: str, as_json: bool
) -> None:
    """Show the expected tricks of all contracts, and a side's best."""
    best = result.best_contracts(vul, scoring, side=side)
    if as_json:
        click.echo(json.dumps(every_contract_answer(result, best, vul)))
        return
    unit = UNITS[scoring]
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("contract", "by", "makes", f"expected {unit}"):
        table.add_column(column)
    even = even_of(scoring)
    for value in best:
        digits, signed = 0 if scoring == "total" else 2, scoring != "matchpoints"
        worth = interval_text(value.worth, digits, signed=signed)
        if scoring != "total" and value.worth == (even, even, even):
            worth = "compared with"
        table.add_row(str(value.contract), value.by.letter, percent_text(value.making), worth)
    click.echo(f"{result}\n")
    views.ResultConsole().print(table)


def show_contracts(
    result: Simulation,
    pairs: list[PlayedContract],
    vul: Vulnerability,
    workers: int | None,
    as_json: bool,
    cluster: str | None,
) -> None:
    """Show some contracts in one sheet, each with the lead that beats it most often."""
    rows = with_leads(result, better_declarers(result, pairs, vul), workers, cluster)
    if as_json:
        click.echo(json.dumps(contracts_answer(result, rows, vul)))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("contract", "makes", "points", "lead that sets it"):
        table.add_column(column)
    for value, leads in rows:
        lead = "?"
        if leads:
            best = leads[0]
            lead = f"{best.lead} {percent_text(best.setting)}" if best.setting.mean > 0 else "none"
        worth = interval_text(value.worth, 0, signed=True)
        made = percent_text(value.making)
        table.add_row(f"{value.contract} {value.by}", made, worth, lead)
    click.echo(f"{result.headline}\nvulnerable {vulnerable_sides(vul)}")
    views.ResultConsole().print(table)
    click.echo("lead: a suit, led as well as possible, or of a known hand a card")
    click.echo("\n".join(wrapped(result.notes)))


def show_comparison(
    result: Simulation,
    pair: tuple[Contract, Contract],
    seats: tuple[Seat, Seat],
    vul: Vulnerability,
    gains: dict[str, Value],
    as_json: bool,
) -> None:
    """Show by how much one contract beats another, by every way of scoring."""
    if as_json:
        click.echo(json.dumps(comparison_answer(result, pair, seats, vul, gains)))
        return
    one, other = (
        f"{bid} by {seat.word}" if bid.level else str(bid)
        for bid, seat in zip(pair, seats, strict=True)
    )
    click.echo(f"{result.headline}\n{one} against {other}, vulnerable {vulnerable_sides(vul)}:")
    for scoring, gain in gains.items():
        click.echo(f"{UNITS[scoring]:12} {_gain_text(gain, scoring)}")
    click.echo("\n".join(wrapped(result.notes)))


def show_leads(result: LeadSimulation, vul: Vulnerability, as_json: bool) -> None:
    """Show every lead, best first."""
    click.echo(json.dumps(leads_answer(result, vul)) if as_json else str(result))


def _gain_text(gain: Value, scoring: str) -> str:
    """Show what a contract gains, and whether that may be nothing."""
    shown = interval_text(gain, 0 if scoring == "total" else 2, signed=scoring != "matchpoints")
    known = not math.isnan(gain.low)
    return shown + "   equal within the error" * (known and is_even(gain, scoring))
