"""The commands that deal what is hidden many times: simulate, compare, leads."""

import json
import math
import sys
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from ..cards import Hand, Seat, Strain, Vulnerability
from ..formats import write
from ..scoring import Contract
from . import views
from .inputs import CommandError
from .sheets import vulnerable_sides

if TYPE_CHECKING:
    from ..simulation import ContractValue, LeadSimulation, MakingSimulation, Simulation, Value
    from ..simulation.outcomes import Result

_INTERRUPTED = 130
_PICTURES = (".svg", ".html")
_UNITS = {"total": "points", "imps": "IMPs", "matchpoints": "matchpoints"}

_HAND = "The hand, or what is known of it: 'hcp 15-17, balanced'."
_Hand = Annotated[str | None, typer.Option(metavar="HAND", help=_HAND)]


def _layouts(
    north: _Hand = None,
    east: _Hand = None,
    south: _Hand = None,
    west: _Hand = None,
    condition: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What is known of the deal, as for Dealer.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Layouts estimated (default: as many as pay).")
    ] = None,
    exact: Annotated[
        int | None,
        typer.Option(min=0, help="Layouts solved: 0, or 20 or more (default: 200, or as needed)."),
    ] = None,
    precision: Annotated[
        float | None, typer.Option(help="Stop when the expected tricks are known to ± this.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this time.")] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**64 - 1, help="The same seed, the same layouts.")
    ] = 0,
    model: Annotated[str | None, typer.Option(help="A shipped model or an .onnx file.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads (default: all cores).")
    ] = None,
) -> None:
    """Only its parameters count: the options with which layouts are dealt, estimated and solved."""


def _deals_layouts(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of ``_layouts`` to a command, which gets them all as ``asked``."""
    shared = signature(_layouts).parameters

    @wraps(command)
    def run(**given: Any) -> None:
        command(asked={name: given.pop(name) for name in shared}, **given)

    own = [one for name, one in signature(command).parameters.items() if name != "asked"]
    every = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*shared.values(), *own)]
    run.__signature__ = Signature(every)  # type: ignore[attr-defined]  # typer reads both
    run.__annotations__ = {one.name: one.annotation for one in every}
    return run


Contracts = Annotated[str, typer.Argument(metavar="CONTRACT", help="Such as 4S, 3NX or PASS.")]
Vulnerable = Annotated[str, typer.Option(help="none, ns, ew or both.")]
AsJson = Annotated[bool, typer.Option("--json", help="One line of JSON.")]
Save = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the layouts and their exact tricks.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(simulate)
    app.command()(compare)
    app.command()(leads)


@_deals_layouts
def simulate(
    asked: dict[str, Any],
    contract: Annotated[
        str | None, typer.Option(help="Ask for this contract alone (with --by); much faster.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Its declarer: N, E, S or W.")] = None,
    making: Annotated[
        bool,
        typer.Option(
            "--making", help="Only how often it makes; faster still. --precision 0.03: to ± 3 %."
        ),
    ] = False,
    vulnerable: Vulnerable = "none",
    scoring: Annotated[
        str, typer.Option(help="Rank contracts by total, imps or matchpoints.")
    ] = "total",
    side: Annotated[str, typer.Option(help="Whose contracts are ranked: NS or EW.")] = "NS",
    as_json: AsJson = False,
    save: Save = None,
    picture: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the tricks of --contract, as .svg or .html."),
    ] = None,
) -> None:
    """Find what contracts make over all layouts that fit what is known."""
    if (contract is None) != (by is None):
        raise typer.BadParameter("--contract and --by go together")
    for name, given in (("--making", making), ("--picture", picture is not None)):
        if given and contract is None:
            raise typer.BadParameter(f"{name} needs --contract and --by")
    if making and picture is not None:
        raise typer.BadParameter("--making counts no tricks, and --picture draws them")
    if picture is not None and Path(picture).suffix not in _PICTURES:
        raise typer.BadParameter(f"--picture {picture!r} (expected a name in .svg or .html)")
    vul = Vulnerability.parse(vulnerable)
    if scoring not in _UNITS:
        raise typer.BadParameter(f"--scoring {scoring!r} (expected one of {', '.join(_UNITS)})")
    if side.upper() not in ("NS", "EW"):
        raise typer.BadParameter(f"--side {side!r} (expected NS or EW)")
    if contract is None or by is None:
        result = _run("simulate", asked)
        _show_all(result, vul, scoring, side, as_json)
    elif making:
        result = _run("simulate_making", asked, contract=Contract(contract), by=Seat.parse(by))
        _show_making(result, as_json)
    else:
        bid, seat = Contract(contract), Seat.parse(by)
        result = _run("simulate", asked, only=[(bid, seat)])
        _show_contract(result, bid, seat, vul, as_json)
        if picture is not None:
            _draw(result.svg(bid, seat), Path(picture), f"{bid} by {seat.word}")
    _finish(result, save)


@_deals_layouts
def compare(
    asked: dict[str, Any],
    first: Contracts,
    second: Annotated[str, typer.Argument(metavar="OTHER", help="The contract to compare with.")],
    by: Annotated[str, typer.Option(help="Declarer of the first: N, E, S or W.")],
    other_by: Annotated[
        str | None, typer.Option(help="Declarer of the second (default: the same).")
    ] = None,
    vulnerable: Vulnerable = "none",
    as_json: AsJson = False,
    save: Save = None,
) -> None:
    """Compare two contracts of one side, layout by layout: points, IMPs, matchpoints."""
    vul = Vulnerability.parse(vulnerable)
    seats = Seat.parse(by), Seat.parse(by if other_by is None else other_by)
    pair = Contract(first), Contract(second)
    if seats[0].side != seats[1].side:
        raise typer.BadParameter(f"{seats[0].word} and {seats[1].word} are not partners")
    played = [(bid, seat) for bid, seat in zip(pair, seats, strict=True) if bid.level]
    if not played:
        raise typer.BadParameter("one of the contracts has to be played")
    result: Simulation = _run("simulate", asked, only=played)
    gains = {
        scoring: result.compare(
            pair[0], seats[0], pair[1], seats[1], vulnerable=vul, scoring=scoring
        )
        for scoring in _UNITS
    }
    if as_json:
        content = {scoring: _numbers(gain) for scoring, gain in gains.items()}
        typer.echo(
            json.dumps({**_counts(result), "first": str(pair[0]), "second": str(pair[1])} | content)
        )
    else:
        typer.echo(f"{result.headline}\n{pair[0]} against {pair[1]}:")
        for scoring, gain in gains.items():
            typer.echo(f"{_UNITS[scoring]:12} {_gain(gain, scoring)}")
    _finish(result, save)


@_deals_layouts
def leads(
    asked: dict[str, Any],
    leader: Annotated[str, typer.Argument(metavar="HAND", help="The leader's hand.")],
    contract: Contracts,
    by: Annotated[str, typer.Option(help="Declarer, whose left-hand opponent leads.")],
    vulnerable: Vulnerable = "none",
    scoring: Annotated[
        str, typer.Option(help="Compare leads by total, imps or matchpoints.")
    ] = "imps",
    as_json: AsJson = False,
    save: Save = None,
) -> None:
    """Compare the opening leads from a hand against a contract."""
    bid, declarer, hand = Contract(contract), Seat.parse(by), Hand(leader)
    result: LeadSimulation = _run(
        "simulate_leads", asked, leader=hand, contract=bid, by=declarer, vulnerable=vulnerable,
        scoring=scoring,
    )  # fmt: skip
    if as_json:
        found = [
            {
                "cards": lead.cards,
                "tricks": _numbers(lead.tricks),
                "setting": _numbers(lead.setting),
                "points": _numbers(lead.points),
                "gain": _numbers(lead.gain),
                "even": bool(lead.even),
            }
            for lead in result
        ]
        content = _counts(result) | {"contract": str(bid), "by": str(declarer)}
        typer.echo(json.dumps(content | {"scoring": scoring, "leads": found}))
    else:
        typer.echo(str(result))
    _finish(result, save)


def _run(question: str, asked: dict[str, Any], **given: Any) -> Any:
    """Simulate with the errors of the command line, and say where a precision was not reached."""
    from .. import simulation
    from ..dealing import ConstraintError

    for seat in ("north", "east", "south", "west", "condition"):
        if asked[seat] is not None and not asked[seat].strip():
            raise typer.BadParameter(f"--{seat} is empty")
    try:
        result = getattr(simulation, question)(
            **asked, **given, progress=True, keep_on_interrupt=True
        )
    except (ConstraintError, simulation.SimulationError) as error:
        raise CommandError(str(error)) from None
    precision = asked["precision"]
    if precision is not None and result.stopped != "precision":
        print(f"note: ± {precision:g} was not reached", file=sys.stderr)
    return result


def _draw(svg: str, file: Path, title: str) -> None:
    """Write a picture, in a page of its own where the file is to be HTML."""
    page = f"<!doctype html>\n<meta charset='utf-8'>\n<title>{title}</title>\n{svg}"
    file.write_text(page if file.suffix == ".html" else svg, encoding="utf-8")


def _finish(result: "Result", save: str | None) -> None:
    """Save the layouts, and end as a command that was interrupted if it was."""
    if save is not None:
        write(result.deals, save)
    if result.stopped == "interrupt":
        sys.stdout.flush()
        raise typer.Exit(_INTERRUPTED)


def _show_contract(
    result: "Simulation", bid: Contract, by: Seat, vul: Vulnerability, as_json: bool
) -> None:
    """Show one contract: chance, score, tricks and their distribution."""
    from ..simulation.tables import interval_text, percent_text

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
    typer.echo(f"{'tricks':10} {tricks}\n{result.bars(strain, by)}")
    for note in result.notes:
        typer.echo(note)


def _show_making(result: "MakingSimulation", as_json: bool) -> None:
    if as_json:
        content = {"contract": str(result.contract), "by": str(result.by)}
        typer.echo(json.dumps(_counts(result) | content | {"making": _numbers(result.making)}))
    else:
        typer.echo(str(result))


def _show_all(
    result: "Simulation", vul: Vulnerability, scoring: str, side: str, as_json: bool
) -> None:
    """Show the expected tricks of all contracts, and a side's best."""
    from ..simulation.tables import interval_text, percent_text

    best = result.best_contracts(vul, scoring, side=side)
    if as_json:
        typer.echo(json.dumps(_summary(result) | {"best": [_ranked_json(one) for one in best]}))
        return
    unit = _UNITS[scoring]
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("contract", "by", "makes", f"expected {unit}"):
        table.add_column(column)
    for one in best:
        signed = scoring != "matchpoints"
        worth = interval_text(one.worth, 0 if scoring == "total" else 2, signed=signed)
        if scoring != "total" and one.worth.low == one.worth.high:
            worth = "compared with"
        table.add_row(str(one.contract), one.by.letter, percent_text(one.making), worth)
    typer.echo(f"{result}\n")
    views.ResultConsole().print(table)


def _gain(gain: "Value", scoring: str) -> str:
    """Show what a contract gains, and whether that may be nothing."""
    from ..simulation.tables import interval_text

    even = 0.5 if scoring == "matchpoints" else 0.0
    known = not math.isnan(gain.low) and gain.low <= even <= gain.high
    digits = 0 if scoring == "total" else 2
    shown = interval_text(gain, digits, signed=scoring != "matchpoints")
    return shown + "   equal within the error" * known


def _numbers(value: "Value") -> list[float | None]:
    """JSON has no NaN."""
    return [None if math.isnan(number) else round(number, 4) for number in value]


def _ranked_json(one: "ContractValue") -> dict[str, Any]:
    content = {"contract": str(one.contract), "by": str(one.by)}
    return content | {"making": _numbers(one.making), "worth": _numbers(one.worth)}


def _counts(result: "Result") -> dict[str, Any]:
    return {"layouts": result.samples, "solved": result.solved, "stopped": result.stopped}


def _summary(result: "Simulation") -> dict[str, Any]:
    content = _counts(result) | {
        "strains": [strain.letter for strain in Strain],
        "declarers": [seat.letter for seat in Seat],
        "expected": result.expected.array.round(4).tolist(),
    }
    if result.solved:
        content["interval"] = result.interval.array.round(4).tolist()
        content["explained"] = result.explained.array.round(4).tolist()
        content["effective"] = result.effective.array.round(1).tolist()
    return content
