"""What simulations found, as a terminal shows it and as JSON."""

import json

import click
from rich.console import Group
from rich.table import Table

from ..questions.simulations import (
    CompareQuestion,
    ContractSheet,
    LeadsQuestion,
    SimulateQuestion,
)
from ..simulation import (
    Comparison,
    ContractChance,
    LeadSimulation,
    Simulation,
    bars,
)
from ..simulation.outcomes import even_of
from ..simulation.texts import interval_text, percent_text, wrapped
from . import views
from .sheets import vulnerable_sides

UNITS = {"total": "points", "imps": "IMPs", "matchpoints": "matchpoints"}
"""Ways of scoring, and what they count in."""


def show_contract(question: SimulateQuestion, result: Simulation, as_json: bool) -> None:
    """Show one contract: chance, score, tricks and their distribution."""
    if as_json:
        click.echo(json.dumps(question.answer(result)))
        return
    ((value, _),) = question.better(result).rows
    bid, by, strain = value.contract, value.by, value.contract.strain
    assert strain is not None  # the simulation has refused a pass
    making, points = result.making(bid, by), result.score(bid, by, question.sides)
    chances = result.distribution(strain, by)
    tricks = interval_text((result.expected[strain, by], *result.interval[strain, by]), 2)
    sides = vulnerable_sides(question.sides)
    better = f" (the better of {question.side})" if len(question.asked) > 1 else ""
    click.echo(f"{result.headline}\n{bid} by {by.word}{better}, vulnerable {sides}")
    click.echo(f"{'makes':10} {percent_text(making)}")
    click.echo(f"{'points':10} {interval_text(points, 0, signed=True)}")
    click.echo(f"{'tricks':10} {tricks}\n{bars(chances)}")
    click.echo("\n".join(wrapped(result.notes)))


def show_making(question: SimulateQuestion, result: ContractChance, as_json: bool) -> None:
    """Show how often a contract makes."""
    click.echo(json.dumps(question.answer(result)) if as_json else str(result))


def show_all(question: SimulateQuestion, result: Simulation, as_json: bool) -> None:
    """Show the expected tricks of all contracts, and a side's best."""
    if as_json:
        click.echo(json.dumps(question.answer(result)))
    else:
        views.ResultConsole().print(every_sheet(question, result))


def every_sheet(question: SimulateQuestion, result: Simulation) -> Group:
    """Return the expected tricks of all contracts, and a side's best, to be printed."""
    scoring = question.scoring
    unit = UNITS[scoring]
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("contract", "by", "makes", f"expected {unit}"):
        table.add_column(column)
    even = even_of(scoring)
    for value in question.best(result):
        digits, signed = 0 if scoring == "total" else 2, scoring != "matchpoints"
        worth = interval_text(value.worth, digits, signed=signed)
        if scoring != "total" and value.worth == (even, even, even):
            worth = "compared with"
        table.add_row(str(value.contract), value.by.letter, percent_text(value.making), worth)
    return Group(f"{result}\n", table)


def show_contracts(question: SimulateQuestion, sheet: ContractSheet, as_json: bool) -> None:
    """Show some contracts in one sheet, each with the lead that beats it most often."""
    if as_json:
        click.echo(json.dumps(question.answer(sheet)))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("contract", "makes", "points", "lead that sets it"):
        table.add_column(column)
    for value, leads in sheet.rows:
        lead = "?"
        if leads:
            best = leads[0]
            lead = f"{best.lead} {percent_text(best.setting)}" if best.setting.mean > 0 else "none"
        worth = interval_text(value.worth, 0, signed=True)
        made = percent_text(value.making)
        table.add_row(f"{value.contract} {value.by}", made, worth, lead)
    result = sheet.simulation
    click.echo(f"{result.headline}\nvulnerable {vulnerable_sides(question.sides)}")
    views.ResultConsole().print(table)
    click.echo("lead: a suit, led as well as possible, or of a known hand a card")
    click.echo("\n".join(wrapped(result.notes)))


def show_comparison(question: CompareQuestion, result: Comparison, as_json: bool) -> None:
    """Show what contracts are worth, and by how much each beats the first."""
    click.echo(json.dumps(question.answer(result)) if as_json else str(result))


def show_leads(question: LeadsQuestion, result: LeadSimulation, as_json: bool) -> None:
    """Show every lead, best first."""
    click.echo(json.dumps(question.answer(result)) if as_json else str(result))
