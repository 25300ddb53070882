"""Results of simulations, formatted for a terminal and as JSON."""

import json

import click
from rich.console import Group
from rich.table import Table

from ..questions.leads import LeadsQuestion
from ..questions.simulations import (
    CompareQuestion,
    ContractSheet,
    SimulateQuestion,
)
from ..simulation import (
    Comparison,
    ContractChance,
    ContractValue,
    LeadSimulation,
    Simulation,
    bars,
)
from ..simulation.outcomes import even_of
from ..simulation.texts import AS_PLAYED, PLAYED_BY, interval_text, percent_text, wrapped
from . import views
from .sheets import vulnerable_sides

UNITS = {"total": "points", "imps": "IMPs", "matchpoints": "matchpoints"}
"""Scoring methods, and their units."""
_HEAD = f"{'':11} {'double dummy':27} {AS_PLAYED}"


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
    played = question.one_as_played(result)
    click.echo(f"{result.headline}\n{bid} by {by.word}{better}, vulnerable {sides}\n{_HEAD}")
    click.echo(_beside("makes", percent_text(making), percent_text(played.making)))
    shown = [interval_text(value, 0, signed=True) for value in (points, played.points)]
    click.echo(_beside("points", *shown))
    click.echo(_beside("tricks", tricks, interval_text(played.tricks, 2)))
    click.echo(f"{bars(chances)}")
    click.echo("\n".join(wrapped([*result.notes, PLAYED_BY[question.players]])))


def show_making(question: SimulateQuestion, result: ContractChance, as_json: bool) -> None:
    """Show how often a contract makes."""
    if as_json:
        click.echo(json.dumps(question.answer(result)))
        return
    played = question.one_as_played(result)
    better = f" (the better of {question.side})" if question.by is None else ""
    click.echo(f"{result.headline}\n{result.contract} by {result.by.word}{better}\n{_HEAD}")
    click.echo(_beside("makes", percent_text(result.making()), percent_text(played.making)))
    click.echo("\n".join(wrapped([*result.notes, PLAYED_BY[question.players]])))


def show_all(question: SimulateQuestion, result: Simulation, as_json: bool) -> None:
    """Show the expected tricks of all contracts, and a side's best."""
    if as_json:
        click.echo(json.dumps(question.answer(result)))
    else:
        views.ResultConsole().print(every_sheet(question, result))


def every_sheet(question: SimulateQuestion, result: Simulation, *, last: bool = True) -> Group:
    """Return the expected tricks of all contracts, and a side's best, as text."""
    scoring = question.scoring
    unit = UNITS[scoring]
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("contract", "by", "makes", f"expected {unit}"):
        table.add_column(column)
    even = even_of(scoring)

    def shown(value: ContractValue) -> tuple[str, str]:
        digits, signed = 0 if scoring == "total" else 2, scoring != "matchpoints"
        worth = interval_text(value.worth, digits, signed=signed)
        if scoring != "total" and value.worth == (even, even, even):
            worth = "compared with"
        return percent_text(value.making), worth

    for seen, played in question.best(result, last=last):
        table.add_row(str(seen.contract), seen.by.letter, *shown(seen))
        if played is not None:
            table.add_row(f" {AS_PLAYED}", "", *shown(played))
    notes = wrapped([PLAYED_BY[question.players]]) if last else []
    return Group(f"{result}\n", table, *notes)


def show_contracts(question: SimulateQuestion, sheet: ContractSheet, as_json: bool) -> None:
    """Show some contracts on one sheet, each with the lead that beats it most often."""
    if as_json:
        click.echo(json.dumps(question.answer(sheet)))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("contract", "makes", "points", "lead that sets it"):
        table.add_column(column)
    rows = question.as_played(sheet.simulation, [value for value, _ in sheet.rows])
    for (value, leads), (_, played) in zip(sheet.rows, rows, strict=True):
        lead = "?"
        if leads:
            best = leads[0]
            lead = f"{best.lead} {percent_text(best.setting)}" if best.setting.mean > 0 else "none"
        worth = interval_text(value.worth, 0, signed=True)
        made = percent_text(value.making)
        table.add_row(f"{value.contract} {value.by}", made, worth, lead)
        if played is not None:
            worth = interval_text(played.worth, 0, signed=True)
            table.add_row(f" {AS_PLAYED}", percent_text(played.making), worth, "")
    result = sheet.simulation
    click.echo(f"{result.headline}\nvulnerable {vulnerable_sides(question.sides)}")
    views.ResultConsole().print(table)
    click.echo("lead: a suit (its best card), or one card if the leader's hand is known")
    click.echo("\n".join(wrapped([*result.notes, PLAYED_BY[question.players]])))


def show_comparison(question: CompareQuestion, result: Comparison, as_json: bool) -> None:
    """Show what contracts are worth, and the gain of each over the first."""
    if as_json:
        click.echo(json.dumps(question.answer(result)))
    else:
        click.echo(result.text(question.players))


def show_leads(question: LeadsQuestion, result: LeadSimulation, as_json: bool) -> None:
    """Show every lead, best first."""
    if as_json:
        click.echo(json.dumps(question.answer(result)))
    else:
        click.echo(result.text(question.rank, question.players))


def _beside(name: str, seen: str, played: str) -> str:
    """Show a value double dummy, with its value as played next to it."""
    return f"{name:11} {seen:27} {played}".rstrip()
