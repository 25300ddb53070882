"""The commands that deal what is hidden many times: simulate, compare, leads."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from .. import simulation
from .._files import check_target
from ..answers.simulations import PlayedContract, contract_list
from ..cards import Hand, Seat, Vulnerability
from ..dealing import ConstraintError
from ..formats import format_to_write, write
from ..scoring import Contract
from .answers import (
    UNITS,
    show_all,
    show_comparison,
    show_contract,
    show_contracts,
    show_leads,
    show_making,
)
from .inputs import CommandError
from .layout_options import (
    Asked,
    Condition,
    Exact,
    Known,
    Model,
    Precision,
    Samples,
    Seconds,
    Seed,
    Workers,
)

_INTERRUPTED = 130
_PICTURES = (".svg", ".html")

Answer = TypeVar("Answer", bound=simulation.Result)

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


def simulate(
    *,
    north: Known = None,
    east: Known = None,
    south: Known = None,
    west: Known = None,
    condition: Condition = None,
    samples: Samples = None,
    exact: Exact = None,
    precision: Precision = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    model: Model = None,
    workers: Workers = None,
    contract: Annotated[
        str | None, typer.Option(help="Ask for this contract alone (with --by); much faster.")
    ] = None,
    contracts: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Several, such as 3N,4H,5C, and the lead that beats each."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Declarer: N, E, S or W (of --contracts default: the better of --side)."),
    ] = None,
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
    asked = Asked(
        north=north,
        east=east,
        south=south,
        west=west,
        condition=condition,
        samples=samples,
        exact=exact,
        precision=precision,
        seconds=seconds,
        seed=seed,
        model=model,
        workers=workers,
    )
    if side.upper() not in ("NS", "EW"):
        raise typer.BadParameter(f"--side {side!r} (expected NS or EW)")
    several = None if contracts is None else _several(contracts, by, side, contract)
    _check_contract_options(contract, None if several else by, making, picture)
    vul = Vulnerability.parse(vulnerable)
    _check_scoring(scoring)
    _check_files(save, picture)
    if several is not None:
        sheet = _run(simulation.simulate, asked, only=several)
        _deliver(sheet, save, lambda: show_contracts(sheet, several, vul, workers, as_json))
        return
    if contract is None or by is None:
        every = _run(simulation.simulate, asked)
        _deliver(every, save, lambda: show_all(every, vul, scoring, side, as_json))
        return
    bid, seat = Contract(contract), Seat.parse(by)
    if making:
        made = _run(simulation.simulate_making, asked, contract=bid, by=seat)
        _deliver(made, save, lambda: show_making(made, as_json))
        return
    result = _run(simulation.simulate, asked, only=[(bid, seat)])
    if picture is not None:
        _draw(simulation.trick_picture(result, bid, seat), Path(picture), bid, seat)
    _deliver(result, save, lambda: show_contract(result, bid, seat, vul, as_json))


def compare(
    *,
    north: Known = None,
    east: Known = None,
    south: Known = None,
    west: Known = None,
    condition: Condition = None,
    samples: Samples = None,
    exact: Exact = None,
    precision: Precision = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    model: Model = None,
    workers: Workers = None,
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
    asked = Asked(
        north=north,
        east=east,
        south=south,
        west=west,
        condition=condition,
        samples=samples,
        exact=exact,
        precision=precision,
        seconds=seconds,
        seed=seed,
        model=model,
        workers=workers,
    )
    vul = Vulnerability.parse(vulnerable)
    seats = Seat.parse(by), Seat.parse(by if other_by is None else other_by)
    pair = Contract(first), Contract(second)
    if seats[0].side != seats[1].side:
        raise typer.BadParameter(f"{seats[0].word} and {seats[1].word} are not partners")
    played = [(bid, seat) for bid, seat in zip(pair, seats, strict=True) if bid.level]
    if not played:
        raise typer.BadParameter("one of the contracts has to be played")
    _check_files(save)
    result = _run(simulation.simulate, asked, only=played)
    gains = {
        scoring: result.compare(
            pair[0], seats[0], pair[1], seats[1], vulnerable=vul, scoring=scoring
        )
        for scoring in UNITS
    }
    _deliver(result, save, lambda: show_comparison(result, pair, gains, as_json))


def leads(
    *,
    north: Known = None,
    east: Known = None,
    south: Known = None,
    west: Known = None,
    condition: Condition = None,
    samples: Samples = None,
    exact: Exact = None,
    precision: Precision = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    model: Model = None,
    workers: Workers = None,
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
    asked = Asked(
        north=north,
        east=east,
        south=south,
        west=west,
        condition=condition,
        samples=samples,
        exact=exact,
        precision=precision,
        seconds=seconds,
        seed=seed,
        model=model,
        workers=workers,
    )
    bid, declarer, hand = Contract(contract), Seat.parse(by), Hand(leader)
    _check_scoring(scoring)
    _check_files(save)
    result = _run(
        simulation.simulate_leads,
        asked,
        leader=hand,
        contract=bid,
        by=declarer,
        vulnerable=vulnerable,
        scoring=scoring,
    )
    _deliver(result, save, lambda: show_leads(result, as_json))


def _several(
    contracts: str, by: str | None, side: str, contract: str | None
) -> list[PlayedContract]:
    """Return each contract of a list with each of its possible declarers."""
    if contract is not None:
        raise typer.BadParameter("--contract and --contracts do not go together")
    try:
        return contract_list(contracts, by, side)
    except simulation.SimulationError as error:
        raise typer.BadParameter(f"--contracts: {error}") from None


def _check_contract_options(
    contract: str | None, by: str | None, making: bool, picture: str | None
) -> None:
    """Refuse options that do not go together."""
    if (contract is None) != (by is None):
        raise typer.BadParameter("--contract and --by go together")
    for name, asked_for in (("--making", making), ("--picture", picture is not None)):
        if asked_for and contract is None:
            raise typer.BadParameter(f"{name} needs --contract and --by")
    if making and picture is not None:
        raise typer.BadParameter("--making counts no tricks, and --picture draws them")
    if picture is not None and Path(picture).suffix not in _PICTURES:
        raise typer.BadParameter(f"--picture {picture!r} (expected a name in .svg or .html)")


def _check_scoring(scoring: str) -> None:
    if scoring not in UNITS:
        raise typer.BadParameter(f"--scoring {scoring!r} (expected one of {', '.join(UNITS)})")


def _check_files(save: str | None, picture: str | None = None) -> None:
    """Refuse files that cannot be written before the work, not after it."""
    if save is not None:
        format_to_write(save)
    for file in (save, picture):
        if file is not None:
            check_target(file)


def _run(question: Callable[..., Answer], asked: Asked, **own: Any) -> Answer:
    """Simulate with the errors of the command line, and say where a precision was not reached."""
    for name in ("north", "east", "south", "west", "condition"):
        text = asked[name]
        if text is not None and not text.strip():
            raise typer.BadParameter(f"--{name} is empty")
    try:
        result = question(**asked, **own, progress=True, keep_on_interrupt=True)
    except (ConstraintError, simulation.SimulationError) as error:
        raise CommandError(str(error)) from None
    precision = asked["precision"]
    if precision is not None and result.stopped != "precision" and not result.known:
        print(f"note: ± {precision:g} was not reached", file=sys.stderr)
    return result


def _draw(svg: str, file: Path, bid: Contract, by: Seat) -> None:
    """Write a picture, in a page of its own where the file is to be HTML."""
    title = f"{bid} by {by.word}"
    page = f"<!doctype html>\n<meta charset='utf-8'>\n<title>{title}</title>\n{svg}"
    file.write_text(page if file.suffix == ".html" else svg, encoding="utf-8")


def _deliver(result: simulation.Result, save: str | None, show: Callable[[], None]) -> None:
    """Save the layouts, show the answer, and end as a command that was interrupted if it was.

    In this order, for who reads the answer may go away; it is shown where saving fails, too.
    """
    try:
        if save is not None:
            write(result.deals, save)
    finally:
        show()
    if result.stopped == "interrupt":
        sys.stdout.flush()
        raise typer.Exit(_INTERRUPTED)
