"""Answers of simulations. A value is [number, low, high], null where it is not known."""

import math
from typing import Any, NotRequired, cast

import numpy as np
from typing_extensions import TypedDict

from ..cards import LabelledArray, Seat, Strain, Vulnerability
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

PlayedContract = tuple[Contract, Seat]
_IN_VAIN = (
    ("vulnerable", "making"),
    ("scoring", "contract"),
    ("side", "contract"),
    ("scoring", "contracts"),
    ("side", "by"),
)
"""What can be said to ``simulate`` that changes nothing beside another."""
Numbers = list[float | None]


def without_effect(given: set[str]) -> tuple[str, str] | None:
    """Return what was said to ``simulate`` in vain, and beside what; None where all has effect."""
    return next((pair for pair in _IN_VAIN if given.issuperset(pair)), None)


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


def contract_answer(
    result: Simulation, bid: Contract, by: Seat, vulnerable: Vulnerability
) -> ContractAnswer:
    """Answer with one contract that is not a pass."""
    assert bid.strain is not None  # the simulation has refused a pass
    return {
        **_counts(result),
        "contract": str(bid),
        "by": str(by),
        "making": _numbers(result.making(bid, by)),
        "vulnerable": str(vulnerable),
        "score": _numbers(result.score(bid, by, vulnerable)),
        "distribution": result.distribution(bid.strain, by).round(4).tolist(),
    }


def making_answer(result: ContractChance) -> MakingAnswer:
    """Answer with how often a contract makes."""
    return {
        **_counts(result),
        "contract": str(result.contract),
        "by": str(result.by),
        "making": _numbers(result.making()),
    }


def every_contract_answer(
    result: Simulation, best: list[ContractValue], vulnerable: Vulnerability
) -> EveryContractAnswer:
    """Answer with all contracts; ``best`` are a side's best."""
    content: dict[str, Any] = {
        **_counts(result),
        "strains": [strain.letter for strain in Strain],
        "declarers": [seat.letter for seat in Seat],
        "expected": _table(result.expected, 4),
    }
    if result.solved:
        content["interval"] = _table(result.interval, 4)
        content["explained"] = _table(result.explained, 4)
        content["effective"] = _table(result.effective, 1)
    content["vulnerable"] = str(vulnerable)
    content["best"] = [_ranked(value) for value in best]
    return cast(EveryContractAnswer, content)  # mypy wants all keys of a literal with **


def contract_list(contracts: str, by: str | None, side: str) -> list[PlayedContract]:
    """Return each contract of a list such as ``3N,4H`` with each of its possible declarers.

    Raises SimulationError for a list without contracts to be played, DealError for what is none.
    """
    bids = [Contract(text) for text in contracts.replace(",", " ").split()]
    if not bids or any(bid.strain is None for bid in bids):
        raise SimulationError("contracts are to be played, such as 3N,4H,5C")
    first = Seat.NORTH if side.upper() == "NS" else Seat.EAST
    seats = (first, first.partner) if by is None else (Seat.parse(by),)
    return [(bid, seat) for bid in dict.fromkeys(bids) for seat in seats]


def better_declarers(
    result: Simulation, pairs: list[PlayedContract], vulnerable: Vulnerability
) -> list[ContractValue]:
    """Return each contract once, by the declarer who scores more; the first of equals."""
    best: dict[Contract, ContractValue] = {}
    for bid, seat in pairs:
        value = ContractValue(
            bid, seat, result.making(bid, seat), result.score(bid, seat, vulnerable)
        )
        if bid not in best or value.worth.mean > best[bid].worth.mean:
            best[bid] = value
    return list(best.values())


def with_leads(
    result: Simulation, values: list[ContractValue], workers: int | None, on: str | None = None
) -> list[tuple[ContractValue, list[BeatingLead]]]:
    """Solve for the leads that beat each contract, here or ``on`` a cluster."""
    return [
        (value, beating_leads(result, value.contract, value.by, workers=workers, cluster=on))
        for value in values
    ]


def contracts_answer(
    result: Simulation,
    rows: list[tuple[ContractValue, list[BeatingLead]]],
    vulnerable: Vulnerability,
) -> ContractsAnswer:
    """Answer with some contracts and the leads that beat them."""
    contracts: list[BeatenContract] = [
        {
            **_ranked(value),
            "leads": [{"lead": lead, "setting": _numbers(share)} for lead, share in leads],
        }
        for value, leads in rows
    ]
    return {**_counts(result), "vulnerable": str(vulnerable), "contracts": contracts}


def comparison_answer(
    result: Simulation,
    pair: tuple[Contract, Contract],
    seats: tuple[Seat, Seat],
    vulnerable: Vulnerability,
    gains: dict[str, Value],
) -> ComparisonAnswer:
    """Answer with the gains of the first contract over the second, by way of scoring."""
    return {
        **_counts(result),
        "first": str(pair[0]),
        "second": str(pair[1]),
        "by": str(seats[0]),
        "other_by": str(seats[1]),
        "vulnerable": str(vulnerable),
        "total": _numbers(gains["total"]),
        "imps": _numbers(gains["imps"]),
        "matchpoints": _numbers(gains["matchpoints"]),
    }


def leads_answer(result: LeadSimulation, vulnerable: Vulnerability) -> LeadsAnswer:
    """Answer with every lead."""
    return {
        **_counts(result),
        "contract": str(result.contract),
        "by": str(result.by),
        "vulnerable": str(vulnerable),
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
