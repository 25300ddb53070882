"""Answers about hands: what one is worth, how to open it, which are near it, what two take."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import TypedDict

from ..cards import Hand, Strain, Vulnerability

if TYPE_CHECKING:  # each costs what the others have no use for
    from ..bidding import Explanation, Neighbour
    from ..evaluators import HandValue
    from ..pairs import PairContract, PairEstimate

BEST_CONTRACTS = 3
"""Contracts that are named for two hands."""


class HandAnswer(TypedDict):
    """What a hand is worth, by the name of each method."""

    hand: str
    lengths: tuple[int, int, int, int]
    pattern: str
    values: dict[str, float]


class BidHand(TypedDict):
    """A hand near another, and how it was opened."""

    hand: str
    call: str
    distance: float


class OpeningAnswer(TypedDict):
    """What to open a hand with, and why."""

    hand: str
    system: str
    call: str
    sure: bool
    doubts: list[str]
    probabilities: dict[str, float]
    reason: str
    nearest: list[BidHand]


class NearHand(TypedDict):
    """A hand and its distance from another."""

    hand: str
    distance: float


class NearestAnswer(TypedDict):
    """The hands nearest to one, nearest first."""

    hand: str
    nearest: list[NearHand]


class PairContractAnswer(TypedDict):
    """A contract of two hands: its score on average, and the chance that it makes."""

    contract: str
    by: str
    expected_score: float
    making: float


class PairAnswer(TypedDict):
    """What two hands take: ``expected`` is strains × declarers N S, ``probabilities`` × 14 too.

    ``interval_80`` is the lowest and the highest tricks × strains, and the chances are by strain: N
    declares.
    """

    hands: list[str]
    model: str
    strains: list[str]
    declarers: list[str]
    expected: list[list[float]]
    probabilities: list[list[list[float]]]
    interval_80: list[list[int]]
    vulnerable: str
    game: list[float]
    slam: list[float]
    grand: list[float]
    best_contracts: list[PairContractAnswer]


def hand_answer(hand: Hand, values: "Iterable[HandValue]") -> HandAnswer:
    """Answer with what the methods say of a hand."""
    return {
        "hand": str(hand),
        "lengths": hand.lengths,
        "pattern": hand.pattern,
        "values": {value.name: round(value.value, 6) for value in values},
    }


def opening_answer(opening: "Explanation", near: "Sequence[Neighbour]") -> OpeningAnswer:
    """Answer with a system's call, and hands near by."""
    return {
        "hand": str(opening.hand),
        "system": opening.system,
        "call": opening.call,
        "sure": opening.sure,
        "doubts": list(opening.doubts),
        "probabilities": {call: round(float(p), 6) for call, p in opening.probabilities.items()},
        "reason": opening.reason,
        "nearest": [
            {
                "hand": str(neighbour.hand),
                "call": neighbour.call,
                "distance": round(neighbour.distance, 4),
            }
            for neighbour in near
        ],
    }


def nearest_answer(hand: Hand, near: Iterable[tuple[Hand, float]]) -> NearestAnswer:
    """Answer with hands and their distances."""
    return {
        "hand": str(hand),
        "nearest": [
            {"hand": str(neighbour), "distance": round(apart, 6)} for neighbour, apart in near
        ],
    }


def pair_answer(
    hands: tuple[Hand, Hand],
    estimate: "PairEstimate",
    bids: "Iterable[PairContract]",
    vulnerable: Vulnerability,
    model: str,
) -> PairAnswer:
    """Answer with the estimate of one pair of hands, and its best contracts."""
    low, high = estimate.interval()
    chances = estimate.chances()
    return {
        "hands": [str(hand) for hand in hands],
        "model": model,
        "strains": [strain.letter for strain in Strain],
        "declarers": ["N", "S"],
        "expected": _rounded(estimate.both @ np.arange(14), 4),
        "probabilities": _rounded(estimate.both, 6),
        "interval_80": [low.tolist(), high.tolist()],
        "vulnerable": str(vulnerable),
        "game": _rounded(chances["game"], 6),
        "slam": _rounded(chances["slam"], 6),
        "grand": _rounded(chances["grand"], 6),
        "best_contracts": [
            {
                "contract": str(bid.contract),
                "by": "N" if bid.by_first else "S",
                "expected_score": round(bid.expected_score, 2),
                "making": round(bid.making, 6),
            }
            for bid in bids
        ],
    }


def _rounded(values: Any, digits: int) -> Any:
    return values.astype(float).round(digits).tolist()
