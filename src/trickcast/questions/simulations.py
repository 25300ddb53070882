"""Questions about layouts that are not known. A value is [number, low, high], null if unknown."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, NotRequired, TypeVar, cast

import numpy as np
from typing_extensions import TypedDict

from .. import simulation
from .._pieces import connected
from ..cards import Hand, LabelledArray, Seat, Strain, Vulnerability
from ..dealing import ConstraintError
from ..scoring import Contract
from ..simulation import (
    BeatingLead,
    ContractChance,
    ContractValue,
    Lead,
    LeadSimulation,
    Result,
    Simulation,
    SimulationError,
    Value,
    beating_leads,
)
from .declared import Argument, Hooks, Option, Question, QuestionError

PlayedContract = tuple[Contract, Seat]
Simulated = TypeVar("Simulated", bound=Result)
SCORINGS = ("total", "imps", "matchpoints")
_IN_VAIN = (
    ("vulnerable", "making"),
    ("scoring", "contract"),
    ("side", "contract"),
    ("scoring", "contracts"),
    ("side", "by"),
)
"""What can be said to ``simulate`` that changes nothing beside another."""
_FOR_LEADS = 0.5  # of the time of several contracts: for the leads that beat them
Numbers = list[float | None]


class Counts(TypedDict):
    """How many layouts there are, how many of them were solved, and why no more."""

    layouts: int
    solved: int
    stopped: str | None


class MakingAnswer(Counts):
    """How often a contract makes."""

    contract: str
    by: str
    making: Numbers


class ContractAnswer(MakingAnswer):
    """What a contract is worth, and the chances of 0 … 13 tricks."""

    vulnerable: str
    score: Numbers
    distribution: list[float]


class RankedContract(TypedDict):
    """One of the best contracts of a side."""

    contract: str
    by: str
    making: Numbers
    worth: Numbers


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


class ComparisonAnswer(Counts):
    """By how much one contract beats another."""

    first: str
    second: str
    by: str
    other_by: str
    vulnerable: str
    total: Numbers
    imps: Numbers
    matchpoints: Numbers


class LeadAnswer(TypedDict):
    """What there is to say of a lead."""

    cards: tuple[str, ...]
    tricks: Numbers
    setting: Numbers
    points: Numbers
    gain: Numbers
    even: bool


class LeadsAnswer(Counts):
    """Every lead against a contract, best first."""

    contract: str
    by: str
    vulnerable: str
    scoring: str
    leads: list[LeadAnswer]


SimulationAnswer = ContractAnswer | MakingAnswer | EveryContractAnswer | ContractsAnswer


@dataclass(frozen=True)
class ContractSheet:
    """Some contracts, each with the leads that beat it."""

    simulation: Simulation
    rows: list[tuple[ContractValue, list[BeatingLead]]]


Known = Annotated[
    str | None,
    Option(
        metavar="HAND",
        filled=True,
        help="The hand, or what is known of it: 'hcp 15-17, balanced'.",
        example="hcp 15-17, balanced",
    ),
]
Condition = Annotated[
    str | None,
    Option(metavar="TEXT", filled=True, help="What is known of the deal, as for Dealer.",
           example="hearts(north) + hearts(south) >= 8"),
]  # fmt: skip
Vulnerable = Annotated[str, Option(help="none, ns, ew or both.")]
Declarer = Annotated[str, Option(help="Declarer: N, E, S or W.", example="S")]


@dataclass(frozen=True, kw_only=True)
class LayoutsQuestion(Question):
    """What is known of the cards, and how much is dealt, estimated and solved."""

    north: Known = None
    east: Known = None
    south: Known = None
    west: Known = None
    condition: Condition = None
    samples: Annotated[
        int | None,
        Option(min=1, served=20_000, help="Layouts estimated (default: as many as pay)."),
    ] = None
    solve: Annotated[
        int | None,
        Option(min=0, served=2000,
               help="Layouts solved: 0, or 20 or more (default: 200, or as needed)."),
    ] = None  # fmt: skip
    precision: Annotated[
        float | None, Option(above=0, help="Stop when the expected tricks are known to ± this.")
    ] = None
    seconds: Annotated[float | None, Option(above=0, help="Stop after this time.")] = None
    seed: Annotated[int, Option(min=0, max=2**64 - 1, help="The same seed, the same layouts.")] = 0
    model: Annotated[
        str | None,
        Option(help="A model that ships, to the command also an .onnx file (default: fast; "
               "where solve is 0 accurate)."),
    ] = None  # fmt: skip
    vulnerable: Vulnerable = "none"

    def check(self) -> None:
        """Read who is vulnerable."""
        self.sides  # noqa: B018

    @cached_property
    def sides(self) -> Vulnerability:
        """Who is vulnerable."""
        return Vulnerability.parse(self.vulnerable)

    def ask(self, hooks: Hooks) -> Any:
        """Deal, estimate and solve, and return what was found."""
        raise NotImplementedError

    def answers(self, hooks: Hooks) -> Iterator[Any]:
        """Yield the one answer; who watches is told of answers so far."""
        watch = hooks.watch
        if watch is not None:
            told = watch
            hooks = replace(hooks, watch=lambda found: told(self.answer(found)))
        yield self.answer(self.ask(hooks))

    def answer(self, result: Any) -> Any:
        """Answer with what was found."""
        raise NotImplementedError

    def _simulated(
        self,
        simulate: Callable[..., Simulated],
        hooks: Hooks,
        seconds: float | None = None,
        **own: Any,
    ) -> Simulated:
        """Simulate. Raises QuestionError for what cannot be."""

        def watch(found: Any) -> None:
            if hooks.watch is not None:
                hooks.watch(found)
            if hooks.until is not None and time.time() > hooks.until:
                raise KeyboardInterrupt

        watched = hooks.watch is not None or hooks.until is not None
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
    """Find what contracts make over all layouts that fit what is known.

    Example: trickcast simulate --south AQ864.K75.A3.KJ4 --north "hcp 6-9"
    """

    contract: Annotated[
        str | None, Option(help="Ask for this contract alone (with by); much faster.")
    ] = None
    contracts: Annotated[
        str | None,
        Option(metavar="LIST", help="Several, such as 3N,4H,5C, and the lead that beats each."),
    ] = None
    by: Annotated[
        str | None,
        Option(help="Declarer: N, E, S or W (of contracts default: the better of side)."),
    ] = None
    making: Annotated[
        bool, Option(help="Only how often it makes; faster still. With precision 0.03: to ± 3 %.")
    ] = False
    scoring: Annotated[str, Option(choices=SCORINGS, help="How contracts are ranked.")] = "total"
    side: Annotated[str, Option(choices=("NS", "EW"), help="Whose contracts are ranked.")] = "NS"

    def check(self) -> None:
        """Refuse what does not go together, and what would change nothing."""
        super().check()
        if self.contract is not None and self.contracts is not None:
            raise QuestionError("contract and contracts do not go together")
        if self.contracts is None and (self.contract is None) != (self.by is None):
            raise QuestionError("contract and by go together")
        if self.making and self.contract is None:
            raise QuestionError("making needs contract and by")
        if vain := next((pair for pair in _IN_VAIN if self.given.issuperset(pair)), None):
            raise QuestionError("{} has no effect with {}".format(*vain))
        self.asked  # noqa: B018

    @cached_property
    def asked(self) -> list[PlayedContract]:
        """The contracts that are asked about, with each of their possible declarers; none: all."""
        if self.contract is not None and self.by is not None:
            return [(Contract(self.contract), Seat.parse(self.by))]
        if self.contracts is None:
            return []
        bids = [Contract(text) for text in self.contracts.replace(",", " ").split()]
        if not bids or any(bid.strain is None for bid in bids):
            raise QuestionError("contracts are to be played, such as 3N,4H,5C")
        first = Seat.NORTH if self.side == "NS" else Seat.EAST
        seats = (first, first.partner) if self.by is None else (Seat.parse(self.by),)
        return [(bid, seat) for bid in dict.fromkeys(bids) for seat in seats]

    def ask(self, hooks: Hooks) -> Simulation | ContractChance | ContractSheet:
        """Find what the contracts make."""
        if self.contracts is not None:
            return self._sheet(hooks)
        if self.contract is None:
            return self._simulated(simulation.simulate, hooks)
        if not self.making:
            return self._simulated(simulation.simulate, hooks, contracts=self.asked)
        ((bid, by),) = self.asked
        return self._simulated(simulation.contract_chance, hooks, contract=bid, by=by)

    def _sheet(self, hooks: Hooks) -> ContractSheet:
        """Find what several contracts make, then the leads that beat them, in the time there is."""
        start, seconds, first = time.time(), self.seconds, hooks
        if hooks.until is not None:
            first = replace(hooks, until=start + _FOR_LEADS * (hooks.until - start))
        if first.watch is not None:
            told = first.watch
            first = replace(first, watch=lambda found: told(self._better(found)))
        with connected(hooks.cluster):  # once, for the leads too
            found = self._simulated(
                simulation.simulate,
                first,
                None if seconds is None else _FOR_LEADS * seconds,
                contracts=self.asked,
            )
            values = [value for value, _ in self._better(found).rows]
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

        Each has its share of what is left; one whose share is too short has no leads.
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

    def _better(self, found: Simulation) -> ContractSheet:
        """Return each contract once, by the declarer who scores more; the first of equals."""
        best: dict[Contract, ContractValue] = {}
        for bid, seat in self.asked:
            worth = found.score(bid, seat, self.sides)
            if bid not in best or worth.mean > best[bid].worth.mean:
                best[bid] = ContractValue(bid, seat, found.making(bid, seat), worth)
        return ContractSheet(found, [(value, []) for value in best.values()])

    def best(self, found: Simulation) -> list[ContractValue]:
        """Return the best contracts of the side."""
        return found.best_contracts(self.sides, self.scoring, side=self.side)

    def answer(self, result: Simulation | ContractChance | ContractSheet) -> SimulationAnswer:
        """Answer with one contract, some, or all."""
        if isinstance(result, ContractSheet):
            return self._contracts_answer(result)
        if isinstance(result, ContractChance):
            return {
                **_counts(result),
                "contract": str(result.contract),
                "by": str(result.by),
                "making": _numbers(result.making()),
            }
        return self._contract_answer(result) if self.asked else self._every_answer(result)

    def _contract_answer(self, found: Simulation) -> ContractAnswer:
        ((bid, by),) = self.asked
        assert bid.strain is not None  # the simulation has refused a pass
        return {
            **_counts(found),
            "contract": str(bid),
            "by": str(by),
            "making": _numbers(found.making(bid, by)),
            "vulnerable": str(self.sides),
            "score": _numbers(found.score(bid, by, self.sides)),
            "distribution": found.distribution(bid.strain, by).round(4).tolist(),
        }

    def _every_answer(self, found: Simulation) -> EveryContractAnswer:
        content: dict[str, Any] = {
            **_counts(found),
            "strains": [strain.letter for strain in Strain],
            "declarers": [seat.letter for seat in Seat],
            "expected": _table(found.expected, 4),
        }
        if found.solved:
            content["interval"] = _table(found.interval, 4)
            content["explained"] = _table(found.explained, 4)
            content["effective"] = _table(found.effective, 1)
        content["vulnerable"] = str(self.sides)
        content["best"] = [_ranked(value) for value in self.best(found)]
        return cast(EveryContractAnswer, content)  # mypy wants all keys of a literal with **

    def _contracts_answer(self, sheet: ContractSheet) -> ContractsAnswer:
        contracts: list[BeatenContract] = [
            {
                **_ranked(value),
                "leads": [{"lead": lead, "setting": _numbers(share)} for lead, share in leads],
            }
            for value, leads in sheet.rows
        ]
        counts = _counts(sheet.simulation)
        return {**counts, "vulnerable": str(self.sides), "contracts": contracts}


@dataclass(frozen=True, kw_only=True)
class CompareQuestion(LayoutsQuestion):
    """Compare two contracts of one side, layout by layout: points, IMPs, matchpoints.

    Example: trickcast compare 3N 4S --by S --south AQ864.K75.A3.KJ4
    """

    first: Annotated[
        str, Argument(metavar="CONTRACT", help="Such as 4S, 3NX or PASS.", example="3N")
    ]
    second: Annotated[
        str, Argument(metavar="OTHER", help="The contract to compare with.", example="4S")
    ]
    by: Declarer
    other_by: Annotated[str | None, Option(help="Declarer of the second (default: the same).")] = (
        None
    )

    def check(self) -> None:
        """Refuse contracts of two sides, and two that are passed out."""
        super().check()
        by, other_by = self.seats
        if by.side != other_by.side:
            raise QuestionError(f"{by.word} and {other_by.word} are not partners")
        if not any(bid.level for bid in self.bids):
            raise QuestionError("one of the contracts has to be played")

    @cached_property
    def bids(self) -> tuple[Contract, Contract]:
        """Both contracts."""
        return Contract(self.first), Contract(self.second)

    @cached_property
    def seats(self) -> tuple[Seat, Seat]:
        """Their declarers."""
        by = Seat.parse(self.by)
        return by, by if self.other_by is None else Seat.parse(self.other_by)

    def ask(self, hooks: Hooks) -> Simulation:
        """Find what both make."""
        both = zip(self.bids, self.seats, strict=True)
        return self._simulated(
            simulation.simulate, hooks, contracts=[(bid, seat) for bid, seat in both if bid.level]
        )

    def gains(self, found: Simulation) -> dict[str, Value]:
        """Return by how much the first beats the second, by way of scoring."""
        (first, second), (by, other_by) = self.bids, self.seats
        return {
            scoring: found.compare(
                first, by, second, other_by, vulnerable=self.sides, scoring=scoring
            )
            for scoring in SCORINGS
        }

    def answer(self, result: Simulation) -> ComparisonAnswer:
        """Answer with the gains of the first contract."""
        gains = self.gains(result)
        return {
            **_counts(result),
            "first": str(self.bids[0]),
            "second": str(self.bids[1]),
            "by": str(self.seats[0]),
            "other_by": str(self.seats[1]),
            "vulnerable": str(self.sides),
            "total": _numbers(gains["total"]),
            "imps": _numbers(gains["imps"]),
            "matchpoints": _numbers(gains["matchpoints"]),
        }


@dataclass(frozen=True, kw_only=True)
class LeadsQuestion(LayoutsQuestion):
    """Compare the opening leads from a hand against a contract.

    Example: trickcast leads Q63.T9.KJ984.Q32 3N --by S
    """

    leader: Annotated[
        str,
        Argument(metavar="HAND", help="The leader's hand.", format="hand",
                 example="Q63.T9.KJ984.Q32"),
    ]  # fmt: skip
    contract: Annotated[str, Argument(metavar="CONTRACT", help="Such as 4S or 3NX.", example="3N")]
    by: Annotated[str, Option(help="Declarer, whose left-hand opponent leads.", example="S")]
    scoring: Annotated[str, Option(choices=SCORINGS, help="How leads are compared.")] = "imps"

    def check(self) -> None:
        """Read hand and contract."""
        super().check()
        self._own  # noqa: B018

    @cached_property
    def _own(self) -> dict[str, Any]:
        return {
            "leader": Hand(self.leader),
            "contract": Contract(self.contract),
            "by": Seat.parse(self.by),
        }

    def ask(self, hooks: Hooks) -> LeadSimulation:
        """Find what declarer takes after each lead."""
        return self._simulated(
            simulation.simulate_leads,
            hooks,
            vulnerable=self.sides,
            scoring=self.scoring,
            **self._own,
        )

    def answer(self, result: LeadSimulation) -> LeadsAnswer:
        """Answer with every lead."""
        return {
            **_counts(result),
            "contract": str(result.contract),
            "by": str(result.by),
            "vulnerable": str(self.sides),
            "scoring": result.scoring,
            "leads": [_lead(lead) for lead in result],
        }


def _numbers(value: Value) -> Numbers:
    """JSON has no NaN."""
    return [None if math.isnan(number) else round(number, 4) for number in value]


def _ranked(value: ContractValue) -> RankedContract:
    return {
        "contract": str(value.contract),
        "by": str(value.by),
        "making": _numbers(value.making),
        "worth": _numbers(value.worth),
    }


def _lead(lead: Lead) -> LeadAnswer:
    return {
        "cards": lead.cards,
        "tricks": _numbers(lead.tricks),
        "setting": _numbers(lead.setting),
        "points": _numbers(lead.points),
        "gain": _numbers(lead.gain),
        "even": lead.even,
    }


def _counts(result: Result) -> Counts:
    return {"layouts": result.samples, "solved": result.solved, "stopped": result.stopped}


def _table(cells: LabelledArray, digits: int) -> list[Any]:
    """Return cells as lists, null where a number is not known."""
    table: list[Any] = np.where(
        np.isnan(cells),
        None,
        cells.round(digits),  # type: ignore[call-overload]
    ).tolist()
    return table
