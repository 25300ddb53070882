"""The commands that deal what is hidden many times: simulate, compare, leads."""

import json
import math
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from ..cards import Hand, Seat, Strain, Vulnerability
from ..formats import write
from ..scoring import Contract
from . import views
from .inputs import CommandError

if TYPE_CHECKING:
    from ..simulation import ContractValue, LeadSimulation, Simulation, Value

_INTERRUPTED = 130
_UNITS = {"total": "points", "imps": "IMPs", "matchpoints": "matchpoints"}

_HAND = "The hand, or what is known of it: 'hcp 15-17, balanced'."
North = Annotated[str | None, typer.Option(metavar="HAND", help=_HAND)]
East = Annotated[str | None, typer.Option(metavar="HAND", help=_HAND)]
South = Annotated[str | None, typer.Option(metavar="HAND", help=_HAND)]
West = Annotated[str | None, typer.Option(metavar="HAND", help=_HAND)]
Condition = Annotated[
    str | None, typer.Option(metavar="TEXT", help="What is known of the deal, as for Dealer.")
]
Samples = Annotated[int, typer.Option(min=1, help="Layouts dealt and estimated.")]
Exact = Annotated[int, typer.Option(min=0, help="Layouts solved too: 0, or 20 or more.")]
Seed = Annotated[int, typer.Option(min=0, max=2**64 - 1, help="The same seed, the same layouts.")]
Precision = Annotated[
    float | None, typer.Option(help="Stop solving when tricks are known to ± this.")
]
Seconds = Annotated[float | None, typer.Option(help="Stop solving after this time.")]
Vulnerable = Annotated[str, typer.Option(help="none, ns, ew or both.")]
Model = Annotated[str | None, typer.Option(help="A shipped model or an .onnx file.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Threads (default: all cores).")]
AsJson = Annotated[bool, typer.Option("--json", help="One line of JSON.")]
Save = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the layouts and their exact tricks.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(simulate)
    app.command()(compare)
    app.command()(leads)


def simulate(
    north: North = None,
    east: East = None,
    south: South = None,
    west: West = None,
    condition: Condition = None,
    contract: Annotated[
        str | None, typer.Option(help="Ask for this contract alone (with --by); much faster.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Its declarer: N, E, S or W.")] = None,
    samples: Samples = 2000,
    exact: Exact = 200,
    seed: Seed = 0,
    precision: Precision = None,
    seconds: Seconds = None,
    vulnerable: Vulnerable = "none",
    scoring: Annotated[
        str, typer.Option(help="Rank contracts by total, imps or matchpoints.")
    ] = "total",
    side: Annotated[str, typer.Option(help="Whose contracts are ranked: NS or EW.")] = "NS",
    model: Model = None,
    workers: Workers = None,
    as_json: AsJson = False,
    save: Save = None,
) -> None:
    """Find what contracts make over all layouts that fit what is known."""
    if (contract is None) != (by is None):
        raise typer.BadParameter("--contract and --by go together")
    vul = Vulnerability.parse(vulnerable)
    if scoring not in _UNITS:
        raise typer.BadParameter(f"--scoring {scoring!r} (expected one of {', '.join(_UNITS)})")
    if side.upper() not in ("NS", "EW"):
        raise typer.BadParameter(f"--side {side!r} (expected NS or EW)")
    asked = None if contract is None or by is None else (Contract(contract), Seat.parse(by))
    result = _run(
        None if asked is None else [asked], precision,
        north=north, east=east, south=south, west=west, condition=condition, samples=samples,
        exact=exact, seed=seed, seconds=seconds, model=model, workers=workers,
    )  # fmt: skip
    if asked is not None:
        _show_contract(result, *asked, vul, as_json)
    elif as_json:
        best = result.best_contracts(vul, scoring, side=side)
        typer.echo(json.dumps(_summary(result) | {"best": [_ranked_json(one) for one in best]}))
    else:
        typer.echo(f"{result}\n")
        _show_ranking(result.best_contracts(vul, scoring, side=side), _UNITS[scoring])
    _finish(result, save)


def compare(
    first: Annotated[str, typer.Argument(metavar="CONTRACT", help="Such as 4S, 3NX or PASS.")],
    second: Annotated[str, typer.Argument(metavar="OTHER", help="The contract to compare with.")],
    by: Annotated[str, typer.Option(help="Declarer of the first: N, E, S or W.")],
    other_by: Annotated[
        str | None, typer.Option(help="Declarer of the second (default: the same).")
    ] = None,
    north: North = None,
    east: East = None,
    south: South = None,
    west: West = None,
    condition: Condition = None,
    samples: Samples = 2000,
    exact: Exact = 400,
    seed: Seed = 0,
    seconds: Seconds = None,
    vulnerable: Vulnerable = "none",
    model: Model = None,
    workers: Workers = None,
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
    result = _run(
        played, None, north=north, east=east, south=south, west=west, condition=condition,
        samples=samples, exact=exact, seed=seed, seconds=seconds, model=model, workers=workers,
    )  # fmt: skip
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
            even = 0.5 if scoring == "matchpoints" else 0.0
            verdict = "" if math.isnan(gain.low) or not gain.low <= even <= gain.high else (
                "   equal within the error"
            )  # fmt: skip
            digits = 0 if scoring == "total" else 2
            shown = _interval(gain, digits, signed=scoring != "matchpoints")
            typer.echo(f"{_UNITS[scoring]:12} {shown}{verdict}")
    _finish(result, save)


def leads(
    leader: Annotated[str, typer.Argument(metavar="HAND", help="The leader's hand.")],
    contract: Annotated[str, typer.Argument(metavar="CONTRACT", help="Such as 4S or 3NX.")],
    by: Annotated[str, typer.Option(help="Declarer, whose left-hand opponent leads.")],
    north: North = None,
    east: East = None,
    south: South = None,
    west: West = None,
    condition: Condition = None,
    samples: Samples = 2000,
    exact: Exact = 200,
    seed: Seed = 0,
    seconds: Seconds = None,
    vulnerable: Vulnerable = "none",
    scoring: Annotated[
        str, typer.Option(help="Compare leads by total, imps or matchpoints.")
    ] = "imps",
    model: Model = None,
    workers: Workers = None,
    as_json: AsJson = False,
    save: Save = None,
) -> None:
    """Compare the opening leads from a hand against a contract."""
    from ..simulation import simulate_leads

    bid, declarer, hand = Contract(contract), Seat.parse(by), Hand(leader)
    result = _checked(
        simulate_leads, leader=hand, contract=bid, by=declarer, vulnerable=vulnerable,
        scoring=scoring, north=north, east=east, south=south, west=west, condition=condition,
        samples=samples, exact=exact, seed=seed, seconds=seconds, model=model, workers=workers,
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


def _run(
    only: Iterable[tuple[Contract, Seat]] | None, precision: float | None, **asked: Any
) -> "Simulation":
    """Simulate contracts, and say so where a precision was not reached."""
    from ..simulation import simulate as run

    result: Simulation = _checked(run, only=only, precision=precision, **asked)
    if precision is not None and result.stopped != "precision":
        print(f"note: ± {precision:g} tricks was not reached", file=sys.stderr)
    return result


def _checked(run: Callable[..., Any], **asked: Any) -> Any:
    """Simulate, with the errors of the command line."""
    from ..dealing import ConstraintError
    from ..simulation import SimulationError

    for seat in ("north", "east", "south", "west", "condition"):
        if asked[seat] is not None and not asked[seat].strip():
            raise typer.BadParameter(f"--{seat} is empty")
    try:
        return run(**asked, progress=True, keep_on_interrupt=True)
    except (ConstraintError, SimulationError) as error:
        raise CommandError(str(error)) from None


def _finish(result: "Simulation | LeadSimulation", save: str | None) -> None:
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
    strain = bid.strain
    assert strain is not None  # the simulation has refused a pass
    making, points = result.making(bid, by), result.score(bid, by, vul)
    chances = result.distribution(strain, by)
    if as_json:
        content = {"contract": str(bid), "by": str(by), "making": _numbers(making)}
        content |= {"score": _numbers(points), "distribution": chances.round(4).tolist()}
        typer.echo(json.dumps(_counts(result) | content))
        return
    low, high = result.interval[strain, by]
    tricks = _interval((result.expected[strain, by], low, high), 2)
    typer.echo(f"{result.headline}\n{bid} by {by.word}, vulnerable {views.vulnerable(vul)}")
    typer.echo(
        f"{'makes':10} {_percent(making)}\n{'points':10} {_interval(points, 0, signed=True)}"
    )
    typer.echo(f"{'tricks':10} {tricks}\n{result.bars(strain, by)}")
    for note in result.notes:
        typer.echo(note)


def _show_ranking(best: list["ContractValue"], unit: str) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("contract", "by", "makes", f"expected {unit}"):
        table.add_column(column)
    for one in best:
        worth = _interval(one.worth, 0 if unit == "points" else 2, signed=unit != "matchpoints")
        if unit != "points" and one.worth.low == one.worth.high:
            worth = "compared with"
        table.add_row(str(one.contract), one.by.letter, _percent(one.making), worth)
    views.ResultConsole().print(table)


def _percent(value: "Value") -> str:
    return _interval([100 * number for number in value], 1, unit=" %")


def _interval(value: Iterable[float], digits: int, *, signed: bool = False, unit: str = "") -> str:
    """Show a mean and the ends of its interval, where it has one."""
    mean, low, high = (f"{number:{'+' if signed else ''}.{digits}f}" for number in value)
    return f"{mean}{unit}" if low.endswith("nan") else f"{mean}{unit} ({low} to {high})"


def _numbers(value: "Value") -> list[float | None]:
    """JSON has no NaN."""
    return [None if math.isnan(number) else round(number, 4) for number in value]


def _ranked_json(one: "ContractValue") -> dict[str, Any]:
    content = {"contract": str(one.contract), "by": str(one.by)}
    return content | {"making": _numbers(one.making), "worth": _numbers(one.worth)}


def _counts(result: "Simulation | LeadSimulation") -> dict[str, Any]:
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
