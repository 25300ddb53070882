"""The commands that deal what is hidden many times: simulate, compare, leads."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import click
from click.core import ParameterSource

from .. import simulation
from .._files import atomic_writer, check_target
from .._pieces import connected
from ..answers.simulations import PlayedContract, contract_list, without_effect
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
from .command import Argument, Option
from .inputs import Cluster, CommandError, known_hands
from .layout_options import (
    Condition,
    Exact,
    Known,
    Model,
    Precision,
    Samples,
    Seconds,
    Seed,
    Workers,
    layout_options,
)
from .outputs import PAGES, check_output

_INTERRUPTED = 130
_PICTURES = (".svg", *PAGES)

Answer = TypeVar("Answer", bound=simulation.Result)

_WHOLE_TABLES = {"zrd", "gib-binary"}
"""Formats that cannot say that a result is not known."""

Contracts = Annotated[str, Argument(metavar="CONTRACT", help="Such as 4S, 3NX or PASS.")]
Vulnerable = Annotated[str, Option(help="none, ns, ew or both.")]
AsJson = Annotated[bool, Option("--json", help="One line of JSON.")]
Save = Annotated[
    str | None, Option(metavar="FILE", help="Write the layouts, with what was solved of them.")
]


def simulate(
    *,
    board: Annotated[
        str | None,
        Argument(
            metavar="BOARD", help="A file or text of a board with hidden hands (default: none)."
        ),
    ] = None,
    number: Annotated[
        int | None, Option("--board", min=0, help="Only this board number of a file.")
    ] = None,
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
    cluster: Cluster = None,
    contract: Annotated[
        str | None, Option(help="Ask for this contract alone (with --by); much faster.")
    ] = None,
    contracts: Annotated[
        str | None,
        Option(metavar="LIST", help="Several, such as 3N,4H,5C, and the lead that beats each."),
    ] = None,
    by: Annotated[
        str | None,
        Option(help="Declarer: N, E, S or W (of --contracts default: the better of --side)."),
    ] = None,
    making: Annotated[
        bool,
        Option(
            "--making", help="Only how often it makes; faster still. --precision 0.03: to ± 3 %."
        ),
    ] = False,
    vulnerable: Vulnerable = "none",
    scoring: Annotated[str, Option(help="Rank contracts by total, imps or matchpoints.")] = "total",
    side: Annotated[str, Option(help="Whose contracts are ranked: NS or EW.")] = "NS",
    as_json: AsJson = False,
    save: Save = None,
    picture: Annotated[
        str | None,
        Option(metavar="FILE", help="Draw the tricks of --contract, as .svg or .html."),
    ] = None,
) -> None:
    """Find what contracts make over all layouts that fit what is known.

    Example: trickcast simulate --south AQ864.K75.A3.KJ4 --north "hcp 6-9"
    """
    asked = layout_options(locals())
    if board is not None:
        shown = known_hands(board, number)
        if len(shown) == len(Seat):
            raise CommandError(f"{board}: all four hands are shown (trickcast solve gives their "
                               "tricks)")  # fmt: skip
        asked |= {seat.word.lower(): str(hand) for seat, hand in shown.items()
                  if asked[seat.word.lower()] is None}  # fmt: skip
    if side.upper() not in ("NS", "EW"):
        raise click.BadParameter(f"--side {side!r} (expected NS or EW)")
    several = None if contracts is None else _several(contracts, by, side, contract)
    _check_contract_options(contract, None if several else by, making, picture)
    _check_effects()
    vul = Vulnerability.parse(vulnerable)
    _check_scoring(scoring)
    _check_files(save, picture)
    if several is not None:
        with connected(cluster):  # once, for the leads too
            sheet = _run(simulation.simulate, asked, contracts=several)
            _deliver(
                sheet, save, lambda: show_contracts(sheet, several, vul, workers, as_json, cluster)
            )
        return
    if contract is None or by is None:
        every = _run(simulation.simulate, asked)
        _deliver(every, save, lambda: show_all(every, vul, scoring, side, as_json))
        return
    bid, seat = Contract(contract), Seat.parse(by)
    if making:
        made = _run(simulation.contract_chance, asked, contract=bid, by=seat)
        _deliver(made, save, lambda: show_making(made, as_json))
        return
    result = _run(simulation.simulate, asked, contracts=[(bid, seat)])
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
    cluster: Cluster = None,
    first: Contracts,
    second: Annotated[str, Argument(metavar="OTHER", help="The contract to compare with.")],
    by: Annotated[str, Option(help="Declarer of the first: N, E, S or W.")],
    other_by: Annotated[
        str | None, Option(help="Declarer of the second (default: the same).")
    ] = None,
    vulnerable: Vulnerable = "none",
    as_json: AsJson = False,
    save: Save = None,
) -> None:
    """Compare two contracts of one side, layout by layout: points, IMPs, matchpoints.

    Example: trickcast compare 3N 4S --by S --south AQ864.K75.A3.KJ4
    """
    asked = layout_options(locals())
    vul = Vulnerability.parse(vulnerable)
    seats = Seat.parse(by), Seat.parse(by if other_by is None else other_by)
    pair = Contract(first), Contract(second)
    if seats[0].side != seats[1].side:
        raise click.BadParameter(f"{seats[0].word} and {seats[1].word} are not partners")
    played = [(bid, seat) for bid, seat in zip(pair, seats, strict=True) if bid.level]
    if not played:
        raise click.BadParameter("one of the contracts has to be played")
    _check_files(save)
    result = _run(simulation.simulate, asked, contracts=played)
    gains = {
        scoring: result.compare(
            pair[0], seats[0], pair[1], seats[1], vulnerable=vul, scoring=scoring
        )
        for scoring in UNITS
    }
    _deliver(result, save, lambda: show_comparison(result, pair, seats, vul, gains, as_json))


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
    cluster: Cluster = None,
    leader: Annotated[str, Argument(metavar="HAND", help="The leader's hand.")],
    contract: Annotated[str, Argument(metavar="CONTRACT", help="Such as 4S or 3NX.")],
    by: Annotated[str, Option(help="Declarer, whose left-hand opponent leads.")],
    vulnerable: Vulnerable = "none",
    scoring: Annotated[str, Option(help="Compare leads by total, imps or matchpoints.")] = "imps",
    as_json: AsJson = False,
    save: Save = None,
) -> None:
    """Compare the opening leads from a hand against a contract.

    Example: trickcast leads Q63.T9.KJ984.Q32 3N --by S
    """
    asked = layout_options(locals())
    bid, declarer, hand = Contract(contract), Seat.parse(by), Hand(leader)
    vul = Vulnerability.parse(vulnerable)
    _check_scoring(scoring)
    _check_files(save)
    result = _run(
        simulation.simulate_leads,
        asked,
        leader=hand,
        contract=bid,
        by=declarer,
        vulnerable=vul,
        scoring=scoring,
    )
    _deliver(result, save, lambda: show_leads(result, vul, as_json))


def _several(
    contracts: str, by: str | None, side: str, contract: str | None
) -> list[PlayedContract]:
    """Return each contract of a list with each of its possible declarers."""
    if contract is not None:
        raise click.BadParameter("--contract and --contracts do not go together")
    try:
        return contract_list(contracts, by, side)
    except simulation.SimulationError as error:
        raise click.BadParameter(f"--contracts: {error}") from None


def _check_contract_options(
    contract: str | None, by: str | None, making: bool, picture: str | None
) -> None:
    """Refuse options that do not go together."""
    if (contract is None) != (by is None):
        raise click.BadParameter("--contract and --by go together")
    for name, asked_for in (("--making", making), ("--picture", picture is not None)):
        if asked_for and contract is None:
            raise click.BadParameter(f"{name} needs --contract and --by")
    if making and picture is not None:
        raise click.BadParameter("--making counts no tricks, and --picture draws them")


def _check_effects() -> None:
    """Refuse options of this command that would change nothing."""
    context = click.get_current_context()
    given = {
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if vain := without_effect(given):
        raise click.BadParameter("--{} has no effect with --{}".format(*vain))


def _check_scoring(scoring: str) -> None:
    if scoring not in UNITS:
        raise click.BadParameter(f"--scoring {scoring!r} (expected one of {', '.join(UNITS)})")


def _check_files(save: str | None, picture: str | None = None) -> None:
    """Refuse files that cannot be written before the work, not after it."""
    if save is not None and (format := format_to_write(save)).name in _WHOLE_TABLES:
        raise click.BadParameter(
            f"--save {save!r}: {format.title} holds whole tables alone, and here parts are solved "
            "(expected .pbn, .csv or another that holds what is not known)"
        )
    if save is not None:
        check_target(save)
    if picture is not None:
        check_output("--picture", picture, _PICTURES)


def _run(question: Callable[..., Answer], asked: dict[str, Any], **own: Any) -> Answer:
    """Simulate with the errors of the command line, and say where a precision was not reached."""
    for name in ("north", "east", "south", "west", "condition"):
        text = asked[name]
        if text is not None and not text.strip():
            raise click.BadParameter(f"--{name} is empty")
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
    with atomic_writer(file) as stream:
        stream.write((page if file.suffix.lower() in PAGES else svg).encode())


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
        raise click.exceptions.Exit(_INTERRUPTED)
