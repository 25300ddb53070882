"""What simulations found, as a terminal shows it and as JSON."""

import json
import math
from typing import Any

import numpy as np
import typer
from rich.table import Table

from ..cards import Seat, Strain, Vulnerability
from ..scoring import Contract
from ..simulation import (
    Cells,
    ContractValue,
    Lead,
    LeadSimulation,
    MakingSimulation,
    Result,
    Simulation,
    Value,
    bars,
    beating_leads,
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
    making, points = result.making(bid, by), result.score(bid, by, vul)
    chances = result.distribution(strain, by)
    if as_json:
        content = {"contract": str(bid), "by": str(by), "making": _numbers(making)}
        content |= {"score": _numbers(points), "distribution": chances.round(4).tolist()}
        typer.echo(json.dumps(_counts(result) | content))
        return
    tricks = interval_text((result.expected[strain, by], *result.interval[strain, by]), 2)
    typer.echo(f"{result.headline}\n{bid} by {by.word}, vulnerable {vulnerable_sides(vul)}")
    typer.echo(f"{'makes':10} {percent_text(making)}")
    typer.echo(f"{'points':10} {interval_text(points, 0, signed=True)}")
    typer.echo(f"{'tricks':10} {tricks}\n{bars(chances)}")
    typer.echo("\n".join(wrapped(result.notes)))


def show_making(result: MakingSimulation, as_json: bool) -> None:
    """Show how often a contract makes."""
    if as_json:
        content = {"contract": str(result.contract), "by": str(result.by)}
        typer.echo(json.dumps(_counts(result) | content | {"making": _numbers(result.making)}))
    else:
        typer.echo(str(result))


def show_all(
    result: Simulation, vul: Vulnerability, scoring: str, side: str, as_json: bool
) -> None:
    """Show the expected tricks of all contracts, and a side's best."""
    best = result.best_contracts(vul, scoring, side=side)
    if as_json:
        typer.echo(json.dumps(_summary(result) | {"best": [_ranked_json(value) for value in best]}))
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
    typer.echo(f"{result}\n")
    views.ResultConsole().print(table)


def show_contracts(
    result: Simulation,
    contracts: list[tuple[Contract, Seat]],
    vul: Vulnerability,
    workers: int | None,
    as_json: bool,
) -> None:
    """Show some contracts in one sheet, each with the lead that beats it most often."""
    rows = [
        (
            ContractValue(bid, by, result.making(bid, by), result.score(bid, by, vul)),
            beating_leads(result, bid, by, workers=workers),
        )
        for bid, by in contracts
    ]
    if as_json:
        content = [
            _ranked_json(value)
            | {"leads": [{"lead": lead, "setting": _numbers(share)} for lead, share in leads]}
            for value, leads in rows
        ]
        typer.echo(json.dumps(_counts(result) | {"contracts": content}))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("contract", "makes", "points", "lead that sets it"):
        table.add_column(column)
    for value, leads in rows:
        lead = f"{leads[0].lead} {percent_text(leads[0].setting)}" if leads else "?"
        worth = interval_text(value.worth, 0, signed=True)
        made = percent_text(value.making)
        table.add_row(f"{value.contract} {value.by}", made, worth, lead)
    typer.echo(f"{result.headline}\nvulnerable {vulnerable_sides(vul)}")
    views.ResultConsole().print(table)
    typer.echo("lead: a suit, led as well as possible, or of a known hand a card")
    typer.echo("\n".join(wrapped(result.notes)))


def show_comparison(
    result: Simulation, pair: tuple[Contract, Contract], gains: dict[str, Value], as_json: bool
) -> None:
    """Show by how much one contract beats another, by every way of scoring."""
    if as_json:
        content = _counts(result) | {"first": str(pair[0]), "second": str(pair[1])}
        content |= {scoring: _numbers(gain) for scoring, gain in gains.items()}
        typer.echo(json.dumps(content))
        return
    typer.echo(f"{result.headline}\n{pair[0]} against {pair[1]}:")
    for scoring, gain in gains.items():
        typer.echo(f"{UNITS[scoring]:12} {_gain_text(gain, scoring)}")


def show_leads(result: LeadSimulation, as_json: bool) -> None:
    """Show every lead, best first."""
    if not as_json:
        typer.echo(str(result))
        return
    content = _counts(result) | {"contract": str(result.contract), "by": str(result.by)}
    content |= {"scoring": result.scoring, "leads": [_lead_json(lead) for lead in result]}
    typer.echo(json.dumps(content))


def _gain_text(gain: Value, scoring: str) -> str:
    """Show what a contract gains, and whether that may be nothing."""
    shown = interval_text(gain, 0 if scoring == "total" else 2, signed=scoring != "matchpoints")
    known = not math.isnan(gain.low)
    return shown + "   equal within the error" * (known and is_even(gain, scoring))


def _numbers(value: Value) -> list[float | None]:
    """JSON has no NaN."""
    return [None if math.isnan(number) else round(number, 4) for number in value]


def _ranked_json(value: ContractValue) -> dict[str, Any]:
    content = {"contract": str(value.contract), "by": str(value.by)}
    return content | {"making": _numbers(value.making), "worth": _numbers(value.worth)}


def _lead_json(lead: Lead) -> dict[str, Any]:
    """Return what there is to say of a lead."""
    return {
        "cards": lead.cards,
        "tricks": _numbers(lead.tricks),
        "setting": _numbers(lead.setting),
        "points": _numbers(lead.points),
        "gain": _numbers(lead.gain),
        "even": lead.even,
    }


def _counts(result: Result) -> dict[str, Any]:
    """Return how many layouts there are, and why no more."""
    return {"layouts": result.samples, "solved": result.solved, "stopped": result.stopped}


def _summary(result: Simulation) -> dict[str, Any]:
    content = _counts(result) | {
        "strains": [strain.letter for strain in Strain],
        "declarers": [seat.letter for seat in Seat],
        "expected": _table(result.expected, 4),
    }
    if result.solved:
        content["interval"] = _table(result.interval, 4)
        content["explained"] = _table(result.explained, 4)
        content["effective"] = _table(result.effective, 1)
    return content


def _table(cells: Cells, digits: int) -> list[Any]:
    """Return cells as lists, null where a number is not known."""
    table: list[Any] = np.where(
        np.isnan(cells.array),
        None,
        cells.array.round(digits),  # type: ignore[call-overload]
    ).tolist()
    return table
