"""Beat the net: the test of 24 players from 2009, Table XI, for everyone.

A problem is a deal and its leader, in spades or notrump, with all four hands visible or only
North's and South's. Its answer is the number of tricks that North and South take.
"""

from functools import cache
from typing import Literal, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv
from typing_extensions import TypedDict

from ..cards import Deal, DealSet, Seat, Strain
from ..dealing import random_deals
from ..estimator import Estimator
from ..plugins import references

Hands = Literal[2, 4]
Trump = Literal["N", "S"]
AskedStrain = Literal["N", "S", "named"]

NETWORKS = ("accurate", "fast", "(52x4)-(26x4)-26-13-1")
"""The opponents that a player is compared with; the last is the network of 2009."""
SOLVED: tuple[tuple[Hands, Trump], ...] = ((4, "N"), (4, "S"), (2, "N"), (2, "S"))
"""Known hands and strain, for each kind of problem with answers."""
KINDS: tuple[tuple[Hands, AskedStrain], ...] = (*SOLVED, (4, "named"), (2, "named"))
"""Known hands and strain of chunks; named: the strain is told with each deal, as in the paper."""
LAYOUTS = 64
"""Layouts of the unseen cards over which a network that needs four hands is averaged."""
_CONFIDENCE = 0.95


class Answers(TypedDict):
    """Tricks of North and South in one strain, with so many hands known."""

    exact: int
    networks: dict[str, int]


class Problem(TypedDict):
    """A deal, who leads, and the answers by kind, such as ``4N``."""

    deal: str
    leader: str
    answers: dict[str, Answers]


class Score(TypedDict):
    """Percent of answers within two, within one and exact, each with the ends of its 95 %
    interval; of no deals nothing.
    """

    deals: int
    within_2: list[float] | None
    within_1: list[float] | None
    exact: list[float] | None


class PrintedRow(TypedDict):
    """A row of Table XI, in percent, as printed."""

    who: str
    within_2: float
    within_1: float
    exact: float
    note: str


def drawn(seed: int, number: int) -> tuple[Deal, Seat]:
    """Return a random deal and its leader, which depend only on seed and number."""
    leader = np.random.default_rng([seed, number]).integers(4)
    return random_deals(1, seed, start=number)[0], Seat(int(leader))


def prepared(deal: Deal, leader: Seat, tricks: NDArray[np.uint8]) -> Problem:
    """Return a problem with its answers; ``tricks`` (5, 4) are the exact ones, by declarer."""
    deals = DealSet.concatenate([DealSet.from_deals([deal]), _layouts(deal)])
    estimates = {name: _network(name)(deals) for name in NETWORKS}
    declarer = leader.rho
    answers: dict[str, Answers] = {}
    for hands, trump in SOLVED:
        strain = Strain.parse(trump)
        counts = {}
        for name, estimate in estimates.items():
            if hands == 4:
                counts[name] = int(estimate.tricks[0, strain, declarer])
            else:
                counts[name] = int(estimate.probabilities[1:, strain, declarer].mean(0).argmax())
        answers[f"{hands}{trump}"] = {
            "exact": _of_north_south(int(tricks[strain, declarer]), declarer),
            "networks": {name: _of_north_south(n, declarer) for name, n in counts.items()},
        }
    return {"deal": deal.pbn, "leader": str(leader), "answers": answers}


def strain_of(asked: str, deal: str) -> Trump:
    """Return the strain to ask for: as given, or for ``named``, the one that the deal yields."""
    return cast(Trump, "NS"[crc32(deal.encode()) % 2] if asked == "named" else asked)


def shown(deal: str, hands: int) -> str:
    """Return the deal as a player sees it: unknown hands are ``-``."""
    north, _, south, _ = deal.removeprefix("N:").split()
    return deal if hands == 4 else f"N:{north} - {south} -"


def score(answers: list[tuple[int | None, int]]) -> Score:
    """Score (answer, exact tricks) of deals; a missing answer counts as wrong."""
    errors = [14 if answer is None else abs(answer - exact) for answer, exact in answers]
    return score_of(len(errors), *(sum(e <= most for e in errors) for most in (2, 1, 0)))


def score_of(deals: int, within_2: int, within_1: int, exact: int) -> Score:
    """Return the score for so many deals, given the numbers of answers within each limit."""
    if not deals:
        return {"deals": 0, "within_2": None, "within_1": None, "exact": None}
    return {
        "deals": deals,
        "within_2": interval(within_2, deals),
        "within_1": interval(within_1, deals),
        "exact": interval(exact, deals),
    }


def interval(hits: int, deals: int) -> list[float]:
    """Return the percentage of hits and its 95 % interval, after Clopper and Pearson."""
    tail = (1 - _CONFIDENCE) / 2
    low = betaincinv(hits, deals - hits + 1, tail) if hits else 0.0
    high = betaincinv(hits + 1, deals - hits, 1 - tail) if hits < deals else 1.0
    return [round(100 * float(share), 2) for share in (hits / deals, low, high)]


def printed(hands: int, strain: str) -> list[PrintedRow]:
    """Return the rows of Table XI for a kind; none without the plug-in of the papers."""
    if strain == "named":
        words = {"N": "notrump", "S": "spades"}
        return [
            {**row, "who": f"{row['who']}, {word}"}
            for trump, word in words.items()
            for row in printed(hands, trump)
        ]
    return [
        {
            "who": row["who"],
            "within_2": float(row["within_2"]),
            "within_1": float(row["within_1"]),
            "exact": float(row["exact"]),
            "note": row["note"],
        }
        for row in references("contest")
        if (row["hands"], row["trump"]) == (str(hands), strain)
    ]


def _of_north_south(tricks: int, declarer: Seat) -> int:
    return tricks if declarer.side == 0 else 13 - tricks


def _layouts(deal: Deal) -> DealSet:
    """Return layouts of East's and West's cards, always the same for a deal."""
    owners = np.repeat(DealSet.from_deals([deal]).owners, LAYOUTS, axis=0)
    unseen = np.flatnonzero(owners[0] % 2)
    rng = np.random.default_rng(owners[0])
    owners[:, unseen] = rng.permuted(owners[:, unseen], axis=1)
    return DealSet(owners)


@cache
def _network(name: str) -> Estimator:
    return Estimator(name, threads=1)
