"""Questions about unknown layouts. A value is [number, low, high], null if unknown."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any, NamedTuple, NotRequired, TypeVar, cast

import numpy as np
from typing_extensions import TypedDict

from .. import simulation
from .._pieces import connected
from ..bidding import Auction, read_auction
from ..cards import LabelledArray, Seat, Strain, Vulnerability
from ..dealing import ConstraintError
from ..scoring import Contract
from ..simulation import (
    AsPlayed,
    BeatingLead,
    Compared,
    Comparison,
    ContractChance,
    ContractValue,
    Result,
    Simulation,
    SimulationError,
    Value,
    beating_leads,
)
from ..simulation.as_played import contract_as_played
from ..simulation.texts import RANKS
from .auctions import AuctionText, FirstCaller, Meanings, Style, check_calls, heard
from .declared import Argument, Hooks, Option, Question, QuestionError
from .played import Players

PlayedContract = tuple[Contract, Seat]
Simulated = TypeVar("Simulated", bound=Result)
SCORINGS = ("total", "imps", "matchpoints")
_IN_VAIN = (
    ("vulnerable", "making"),
    ("scoring", "contract"),
    ("rank", "contract"),
    ("rank", "contracts"),
    ("scoring", "contracts"),
    ("side", "by"),
)
"""Options of ``simulate`` that have no effect beside another."""
_BEST, _CANDIDATES = 5, 12
"""Contracts of a side to list, and the candidates for the best as played."""
_FOR_LEADS = 0.5  # share of the time of several contracts: for the leads that beat them
Numbers = list[float | None]


class Counts(TypedDict):
    """How many layouts there are, how many of them were solved, and why no more."""

    layouts: int
    solved: int
    stopped: str | None


class PlayedContractAnswer(TypedDict):
    """What players make of a contract at the table."""

    making: Numbers
    score: Numbers
    tricks: Numbers


class MakingAnswer(Counts):
    """How often a contract makes; ``played`` is at the table, null before the last answer."""

    contract: str
    by: str
    making: Numbers
    played: PlayedContractAnswer | None


class ContractAnswer(MakingAnswer):
    """What a contract is worth, and the chances of 0 … 13 tricks."""

    vulnerable: str
    score: Numbers
    distribution: list[float]


class WorthAnswer(TypedDict):
    """How often a contract makes, and what it is worth."""

    making: Numbers
    worth: Numbers


class RankedContract(WorthAnswer):
    """One of the best contracts of a side, double dummy and at the table."""

    contract: str
    by: str
    played: WorthAnswer | None


class EveryContractAnswer(Counts):
    """The expected tricks of all contracts, strains × declarers, and the best of them."""

    strains: list[str]
    declarers: list[str]
    expected: list[Any]
    interval: NotRequired[list[Any]]
    explained: NotRequired[list[Any]]
    effective: NotRequired[list[Any]]
    vulnerable: str
    best: list[RankedContract]


class BeatingLeadAnswer(TypedDict):
    """A lead against a contract, and how often it sets it."""

    lead: str
    setting: Numbers


class BeatenContract(RankedContract):
    """A contract with the leads against it, the best first."""

    leads: list[BeatingLeadAnswer]


class ContractsAnswer(Counts):
    """Some contracts in one sheet."""

    vulnerable: str
    contracts: list[BeatenContract]


class GainsAnswer(TypedDict):
    """What a contract is worth to a side, and by how much it beats the first."""

    score: Numbers
    total: Numbers
    imps: Numbers
    matchpoints: Numbers


class ComparedContract(GainsAnswer):
    """The same double dummy and at the table."""

    contract: str
    played: GainsAnswer | None


class ComparisonAnswer(Counts):
    """Contracts or ways of bidding, in points of ``side``."""

    side: str
    vulnerable: str
    compared_with: str
    contracts: list[ComparedContract]


SimulationAnswer = ContractAnswer | MakingAnswer | EveryContractAnswer | ContractsAnswer


@dataclass(frozen=True)
class ContractSheet:
    """Some contracts, each with the leads that beat it."""

    simulation: Simulation
    rows: list[tuple[ContractValue, list[BeatingLead]]]


class RankedValue(NamedTuple):
    """A contract's value double dummy, and as played; None if not computed yet."""

    seen: ContractValue
    played: ContractValue | None


Known = Annotated[
    str | None,
    Option(
        metavar="HAND",
        filled=True,
        help="A hand, or a description such as 'hcp 15-17, balanced'.",
        example="hcp 15-17, balanced",
    ),
]
Condition = Annotated[
    str | None,
    Option(metavar="CONDITION", filled=True, help="Condition on the deal, in Dealer's language.",
           example="hearts(north) + hearts(south) >= 8"),
]  # fmt: skip
Vulnerable = Annotated[str, Option(metavar="[none|ns|ew|both]", help="Vulnerable sides.")]
Rank = Annotated[str, Option(choices=RANKS, help="Results to rank by.")]


@dataclass(frozen=True, kw_only=True)
class LayoutsQuestion(Question):
    """What is known of the cards, and how much to deal, estimate and solve."""

    north: Known = None
    east: Known = None
    south: Known = None
    west: Known = None
    condition: Condition = None
    auction: AuctionText = None
    dealer: FirstCaller = "N"
    meaning: Meanings = None
    style: Style = None
    samples: Annotated[
        int | None,
        Option(
            min=1, served=20_000, help="Layouts to estimate (default: best accuracy per second)."
        ),
    ] = None
    solve: Annotated[
        int | None,
        Option(min=0, served=2000,
               help="Layouts to solve, 0 or at least 20 (default: 200, or as needed)."),
    ] = None  # fmt: skip
    precision: Annotated[
        float | None, Option(above=0, help="Stop when the expected tricks are this precise (±).")
    ] = None
    seconds: Annotated[float | None, Option(above=0, help="Stop after this many seconds.")] = None
    seed: Annotated[int, Option(min=0, max=2**64 - 1, help="Seed of the layouts.")] = 0
    players: Players = "expert"
    model: Annotated[
        str | None,
        Option(metavar="MODEL",
               help="Name of a model, or on the command line an .onnx file (default: fast; "
               "accurate with --solve 0)."),
    ] = None  # fmt: skip
    vulnerable: Vulnerable = "none"

    def check(self) -> None:
        """Parse the vulnerability and the auction."""
        self.sides  # noqa: B018
        check_calls(self.auction, self.given)
        self.calls  # noqa: B018

    @cached_property
    def calls(self) -> Auction | None:
        """The auction so far."""
        if self.auction is None:
            return None
        return read_auction(self.auction, self.dealer, self.sides)

    @cached_property
    def sides(self) -> Vulnerability:
        """The vulnerable sides."""
        return Vulnerability.parse(self.vulnerable)

    def ask(self, hooks: Hooks) -> Any:
        """Deal, estimate and solve, and return the result."""
        raise NotImplementedError

    def answers(self, hooks: Hooks) -> Iterator[Any]:
        """Yield the final answer; a watcher receives intermediate answers."""
        watch = hooks.watch
        if watch is not None:
            told = watch
            hooks = replace(hooks, watch=lambda found: told(self.answer(found, last=False)))
        yield self.answer(self.ask(hooks))

    def answer(self, result: Any, *, last: bool = True) -> Any:
        """Answer with the result; only the ``last`` answer includes values as played."""
        raise NotImplementedError

    def simulated(
        self,
        simulate: Callable[..., Simulated],
        hooks: Hooks,
        seconds: float | None = None,
        **own: Any,
    ) -> Simulated:
        """Simulate. Raises QuestionError for an impossible request."""

        def watch(found: Any) -> None:
            if hooks.watch is not None:
                hooks.watch(found)
            if hooks.until is not None and time.time() > hooks.until:
                raise KeyboardInterrupt

        watched = hooks.watch is not None or hooks.until is not None
        if self.calls is not None:
            own["auction"] = heard(self.calls, self.meaning, self.style)
        try:
            return simulate(
                north=self.north,
                east=self.east,
                south=self.south,
                west=self.west,
                condition=self.condition,
                samples=self.samples,
                solve=self.solve,
                precision=self.precision,
                seconds=self.seconds if seconds is None else seconds,
                seed=self.seed,
                model=self.model,
                workers=hooks.workers,
                cluster=hooks.cluster,
                progress=watch if watched else hooks.bar,
                keep_on_interrupt=hooks.keep_on_interrupt,
                **own,
            )
        except (ConstraintError, SimulationError) as error:
            raise QuestionError(str(error)) from None


@dataclass(frozen=True, kw_only=True)
class SimulateQuestion(LayoutsQuestion):
    """Deal the hidden hands many times, and find what contracts make.

    Example: trickcast simulate --south AQ864.K75.A3.KJ4 --north "hcp 6-9"
    """

    contract: Annotated[
        str | None,
        Option(metavar="CONTRACT", help="Only this contract; much faster."),
    ] = None
    contracts: Annotated[
        str | None,
        Option(metavar="LIST", help="Several contracts, such as 3N,4H,5C, with the best lead."),
    ] = None
    by: Annotated[
        str | None,
        Option(metavar="[N|E|S|W]", help="Declarer (default: the better of --side)."),
    ] = None
    making: Annotated[
        bool, Option(help="Only the chance to make; faster still. --precision 0.03 is ± 3 %.")
    ] = False
    scoring: Annotated[str, Option(choices=SCORINGS, help="Scoring that ranks contracts.")] = (
        "total"
    )
    side: Annotated[str, Option(choices=("NS", "EW"), help="Side whose contracts are ranked.")] = (
        "NS"
    )
    rank: Rank = "double-dummy"

    def check(self) -> None:
        """Refuse contradictory options, and options without effect."""
        super().check()
        if self.contract is not None and self.contracts is not None:
            raise QuestionError("{} and {} cannot be combined", "contract", "contracts")
        if self.by is not None and self.contract is None and self.contracts is None:
            raise QuestionError("{} needs {} or {}", "by", "contract", "contracts")
        if self.making and self.contract is None:
            raise QuestionError("{} needs {}", "making", "contract")
        vain = next((pair for pair in _IN_VAIN if self.given.issuperset(pair)), None)
        if vain is not None and not (self.auction and vain == ("vulnerable", "making")):
            raise QuestionError("{} has no effect with {}", *vain)
        self.asked  # noqa: B018

    @cached_property
    def asked(self) -> list[PlayedContract]:
        """The requested contracts, with each possible declarer; empty for all contracts."""
        if self.contract is not None:
            bids = [Contract(self.contract)]
        elif self.contracts is not None:
            bids = [Contract(text) for text in self.contracts.replace(",", " ").split()]
        else:
            return []
        if not bids or any(bid.strain is None for bid in bids):
            raise QuestionError("{} must be played (expected such as 3N,4H,5C)", "contracts")
        first = Seat.NORTH if self.side == "NS" else Seat.EAST
        seats = (first, first.partner) if self.by is None else (Seat.parse(self.by),)
        return [(bid, seat) for bid in dict.fromkeys(bids) for seat in seats]

    def ask(self, hooks: Hooks) -> Simulation | ContractChance | ContractSheet:
        """Simulate the contracts."""
        if self.contracts is not None:
            return self._sheet(hooks)
        if self.contract is None:
            return self.simulated(simulation.simulate, hooks, side=self.side, vulnerable=self.sides)
        if not self.making:
            return self.simulated(simulation.simulate, hooks, contracts=self.asked)
        bid = self.asked[0][0]
        return self.simulated(
            simulation.contract_chance, hooks, contract=bid, by=self.by, side=self.side
        )

    def _sheet(self, hooks: Hooks) -> ContractSheet:
        """Simulate several contracts, then the leads that beat them, within the time limit."""
        start, seconds, first = time.time(), self.seconds, hooks
        if hooks.until is not None:
            first = replace(hooks, until=start + _FOR_LEADS * (hooks.until - start))
        if first.watch is not None:
            told = first.watch
            first = replace(first, watch=lambda found: told(self.better(found)))
        with connected(hooks.cluster):  # once, for the leads too
            found = self.simulated(
                simulation.simulate,
                first,
                None if seconds is None else _FOR_LEADS * seconds,
                contracts=self.asked,
            )
            values = [value for value, _ in self.better(found).rows]
            rows = []
            for number, value in enumerate(values):
                leads = beating_leads(
                    found,
                    value.contract,
                    value.by,
                    workers=hooks.workers,
                    cluster=hooks.cluster,
                    enough=self._enough(start, hooks.until, len(values) - number),
                )
                rows.append((value, leads))
        return ContractSheet(found, rows)

    def _enough(
        self, start: float, until: float | None, contracts: int
    ) -> Callable[[int], bool] | None:
        """Return whether the time for the leads of the first of some contracts is over.

        Each gets its share of the remaining time; if it is too short, there are no leads.
        """
        if self.seconds is None and until is None:
            return None
        now = time.time()
        end = min(
            math.inf if self.seconds is None else start + self.seconds,
            math.inf if until is None else until,
        )
        end = now + (end - now) / contracts
        return lambda solved: time.time() >= end

    def better(self, found: Simulation) -> ContractSheet:
        """Return each contract once, with the declarer who scores more; the first of equals."""
        best: dict[Contract, ContractValue] = {}
        for bid, seat in self.asked:
            worth = found.score(bid, seat, self.sides)
            if bid not in best or worth.mean > best[bid].worth.mean:
                best[bid] = ContractValue(bid, seat, found.making(bid, seat), worth)
        return ContractSheet(found, [(value, []) for value in best.values()])

    def best(self, found: Simulation, *, last: bool = True) -> list[RankedValue]:
        """Return the best contracts of the side, among those that are good double dummy."""
        asked_for = _CANDIDATES if last and self.rank == "played" else _BEST
        seen = found.best_contracts(self.sides, self.scoring, side=self.side, number=asked_for)
        if not last:
            return [RankedValue(value, None) for value in seen]
        rows = self.as_played(found, seen)
        if self.rank == "played":
            rows.sort(key=lambda row: -(row.played or row.seen).worth.mean)
        return rows[:_BEST]

    def as_played(self, found: Simulation, values: list[ContractValue]) -> list[RankedValue]:
        """Return values with their counterparts as played."""
        contracts = [(value.contract, value.by) for value in values]
        told = found.values_as_played(contracts, self.sides, self.scoring, players=self.players)
        return [RankedValue(*pair) for pair in zip(values, told, strict=True)]

    def one_as_played(self, found: Simulation | ContractChance) -> AsPlayed:
        """Return the value of the single contract as played."""
        if isinstance(found, Simulation):
            ((value, _),) = self.better(found).rows
            bid, by = value.contract, value.by
        else:
            bid, by = found.contract, found.by
        danger = bool(self.sides >> by.side & 1)
        return contract_as_played(found.deals, bid, by, danger, self.players, found.effect)

    def answer(
        self, result: Simulation | ContractChance | ContractSheet, *, last: bool = True
    ) -> SimulationAnswer:
        """Answer with one contract, some, or all."""
        if isinstance(result, ContractSheet):
            return self._contracts_answer(result, last)
        if isinstance(result, ContractChance):
            return {
                **counts(result),
                "contract": str(result.contract),
                "by": str(result.by),
                "making": numbers(result.making()),
                "played": _played(self.one_as_played(result)) if last else None,
            }
        if self.asked:
            return self._contract_answer(result, last)
        return self._every_answer(result, last)

    def _contract_answer(self, found: Simulation, last: bool) -> ContractAnswer:
        ((value, _),) = self.better(found).rows
        bid, by = value.contract, value.by
        assert bid.strain is not None  # the simulation has refused a pass
        return {
            **counts(found),
            "contract": str(bid),
            "by": str(by),
            "making": numbers(found.making(bid, by)),
            "vulnerable": str(self.sides),
            "score": numbers(found.score(bid, by, self.sides)),
            "distribution": found.distribution(bid.strain, by).round(4).tolist(),
            "played": _played(self.one_as_played(found)) if last else None,
        }

    def _every_answer(self, found: Simulation, last: bool) -> EveryContractAnswer:
        content: dict[str, Any] = {
            **counts(found),
            "strains": [strain.letter for strain in Strain],
            "declarers": [seat.letter for seat in Seat],
            "expected": _table(found.expected, 4),
        }
        if found.solved:
            content["interval"] = _table(found.interval, 4)
            content["explained"] = _table(found.explained, 4)
            content["effective"] = _table(found.effective, 1)
        content["vulnerable"] = str(self.sides)
        content["best"] = [_ranked(value) for value in self.best(found, last=last)]
        return cast(EveryContractAnswer, content)  # mypy wants all keys of a literal with **

    def _contracts_answer(self, sheet: ContractSheet, last: bool) -> ContractsAnswer:
        values = [value for value, _ in sheet.rows]
        rows = [RankedValue(value, None) for value in values]
        if last:
            rows = self.as_played(sheet.simulation, values)
        contracts: list[BeatenContract] = [
            {
                **_ranked(row),
                "leads": [{"lead": lead, "setting": numbers(share)} for lead, share in leads],
            }
            for row, (_, leads) in zip(rows, sheet.rows, strict=True)
        ]
        return {**counts(sheet.simulation), "vulnerable": str(self.sides), "contracts": contracts}


@dataclass(frozen=True, kw_only=True)
class CompareQuestion(LayoutsQuestion):
    """Compare contracts of either side, or ways of bidding.

    Each is compared with the first, layout by layout. A way of bidding is a rule:
    "3N if hcp(north) >= 16 else 2N".

    Example: trickcast compare 3N 4S --by S --south AQ864.K75.A3.KJ4
    """

    needed = ("contracts",)
    contracts: Annotated[
        list[str] | None,
        Argument(metavar="CONTRACT", help="Two or more contracts or rules, such as 4S, PASS or '3N "
                 "if hcp(north) >= 16 else 2N'.", example=["3N", "4S"]),
    ] = None  # fmt: skip
    by: Annotated[
        list[str] | None,
        Option(metavar="[N|E|S|W]", help="Declarer of all, or once for each contract (default: the "
               "better of --side).", example=["S"]),
    ] = None  # fmt: skip
    side: Annotated[
        str, Option(choices=("NS", "EW"), help="Side that declares where --by does not say.")
    ] = "NS"

    def check(self) -> None:
        """Refuse fewer than two contracts, declarers that do not fit them, and a side in vain."""
        super().check()
        if len(self.contracts or ()) < 2:
            raise QuestionError("fewer than two contracts (expected two or more, such as 3N 4S)")
        if self.given.issuperset(("side", "by")):
            raise QuestionError("{} has no effect with {}", "side", "by")
        self.choices  # noqa: B018

    @cached_property
    def choices(self) -> list[str | simulation.Choice]:
        """The contracts and rules, with their declarers if given."""
        contracts, seats = self.contracts or [], self.by or []
        if len(seats) not in (0, 1, len(contracts)):
            raise QuestionError(
                f"{len(seats)} declarers for {len(contracts)} contracts (expected {{}} once, or "
                "once for each)",
                "by",
            )
        declarers: list[str | None] = [*seats] if seats else [None]
        if len(declarers) == 1:
            declarers *= len(contracts)
        try:
            read = [
                simulation.Choice.read(text, "N" if seat is None else seat)
                for text, seat in zip(contracts, declarers, strict=True)
            ]
        except SimulationError as error:
            raise QuestionError(str(error)) from None
        if not any(contract.level for choice in read for _, contract in choice.rules):
            raise QuestionError("no contract is played (expected at least one that is not PASS)")
        return [contracts[i] if seat is None else read[i] for i, seat in enumerate(declarers)]

    def ask(self, hooks: Hooks) -> Comparison:
        """Simulate all choices."""
        return self.simulated(
            partial(simulation.compare, *self.choices),
            hooks,
            side=self.side,
            vulnerable=self.sides,
        )

    def answer(self, result: Comparison, *, last: bool = True) -> ComparisonAnswer:
        """Answer with the value of each choice, and its gain over the first."""
        told = [_gains(row) for row in result.as_played(self.players)] if last else []
        return {
            **counts(result),
            "side": result.side,
            "vulnerable": str(self.sides),
            "compared_with": result.rows[0].choice.text,
            "contracts": [
                {
                    "contract": row.choice.text,
                    **_gains(row),
                    "played": told[number] if last else None,
                }
                for number, row in enumerate(result)
            ],
        }


def numbers(value: Value) -> Numbers:
    """Return a value for JSON, which has no NaN."""
    return [None if math.isnan(number) else round(number, 4) for number in value]


def _played(found: AsPlayed) -> PlayedContractAnswer:
    return {
        "making": numbers(found.making),
        "score": numbers(found.points),
        "tricks": numbers(found.tricks),
    }


def _gains(row: Compared) -> GainsAnswer:
    return {
        "score": numbers(row.score),
        "total": numbers(row.points),
        "imps": numbers(row.imps),
        "matchpoints": numbers(row.matchpoints),
    }


def _ranked(row: RankedValue) -> RankedContract:
    return {
        "contract": str(row.seen.contract),
        "by": str(row.seen.by),
        **_worth(row.seen),
        "played": None if row.played is None else _worth(row.played),
    }


def _worth(value: ContractValue) -> WorthAnswer:
    return {"making": numbers(value.making), "worth": numbers(value.worth)}


def counts(result: Result) -> Counts:
    """Return the numbers of layouts in a result, and why there are no more."""
    return {"layouts": result.samples, "solved": result.solved, "stopped": result.stopped}


def _table(cells: LabelledArray, digits: int) -> list[Any]:
    """Return cells as lists, null for unknown numbers."""
    table: list[Any] = np.where(
        np.isnan(cells),
        None,
        cells.round(digits),  # type: ignore[call-overload]
    ).tolist()
    return table
