"""The layouts of a simulation as players would play them, next to the double-dummy results.

Every layout has a distribution of tricks, not a number. Two contracts are compared layout by
layout. In the same strain by the same declarer a good day is good for both, so the distributions
are joined quantile by quantile; otherwise they are taken to be independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, Vulnerability, card_text
from ..dealing.shuffling import RandomWords
from ..played import loaded_played
from ..scoring import Contract, score
from .controls import Floats, Means
from .outcomes import TRICKS, Value, gain, gain_intervals, intervals, is_vulnerable, values

MOST = 1_000
"""Most layouts estimated: beyond this, the estimate's own error dominates."""
MOST_OF_MANY = 400
"""The same for several contracts."""
MOST_WITH_LEADS = 200
_LOTS = 39


@dataclass(frozen=True, slots=True)
class AsPlayed:
    """Results at the table, over the layouts; intervals reflect only the number of layouts."""

    tricks: Value
    """Declarer's tricks."""
    making: Value
    """The chance that the contract makes."""
    points: Value
    """Declarer's score."""
    gain: Value | None = None
    """For a lead: the gain of the leader's side over the lead that is best by points."""

    @property
    def setting(self) -> Value:
        """The chance to defeat the contract."""
        mean, low, high = (1 - share for share in self.making)
        return Value(mean, high, low)


class Outcomes(NamedTuple):
    """Results on n layouts of a contract, or of one chosen for each: tricks, points, a cell."""

    chances: Floats
    """(n, 14) chances of 0 to 13 tricks."""
    points: NDArray[np.int64]
    """(n, 14) a side's points for 0 to 13 tricks of declarer."""
    cells: NDArray[np.int64]
    """(n,) number of strain and declarer; -1 if the board is passed out."""

    def against(self, other: "Outcomes", scoring: str, effect: float) -> Value:
        """Return the mean gain over another, with its interval. Raises SimulationError."""
        gains = gain(self.points[:, :, None] - other.points[:, None, :], scoring)
        apart = self.chances[:, :, None] * other.chances[:, None, :]
        same = (self.cells == other.cells)[:, None, None]
        joint = np.where(same, _together(self.chances, other.chances), apart)
        found = (joint * gains).sum(axis=(1, 2))
        return gain_intervals(_means(found[:, None], effect), scoring)[0]


def some_of(deals: DealSet, most: int) -> NDArray[np.intp]:
    """Return the numbers of at most ``most`` layouts, drawn uniformly: doubt chose the first ones.

    They are in ascending order.
    """
    if len(deals) <= most:
        return np.arange(len(deals))
    return np.sort(np.argsort(RandomWords(_LOTS, 0).raw(len(deals)))[:most])


def outcomes_of(
    deals: DealSet,
    choices: Sequence[tuple[Sequence[Contract], NDArray[np.intp]]],
    side: int,
    vulnerable: str | Vulnerability,
    players: str,
) -> list[Outcomes]:
    """Return the outcomes of k choices: contracts, and which of them applies on each layout."""
    n = len(deals)
    asked = [
        (row, number, bids[pick])
        for row in range(n)
        for number, (bids, picks) in enumerate(choices)
        for pick in (int(picks[row]),)
    ]
    chances = np.zeros((len(asked), 14))
    chances[:, 0] = 1
    played = [i for i, (_, _, bid) in enumerate(asked) if bid.level]
    if played:
        bids = [asked[i][2] for i in played]
        rows = [asked[i][0] for i in played]
        seats = [bid.by for bid in bids if bid.by is not None]
        texts = [str(bid) for bid in bids]
        chances[played] = loaded_played()(deals[rows], texts, seats, players=players).probabilities
    points = {bid: _points(bid, side, vulnerable) for _, _, bid in asked}
    cells = {bid: -1 if bid.strain is None else 4 * bid.strain + (bid.by or 0) for bid in points}
    k = len(choices)
    return [
        Outcomes(
            chances[number::k],
            np.stack([points[bid] for _, _, bid in asked[number::k]]),
            np.array([cells[bid] for _, _, bid in asked[number::k]]),
        )
        for number in range(k)
    ]


def contract_as_played(
    deals: DealSet, contract: Contract, by: Seat, vulnerable: bool, players: str, effect: float
) -> AsPlayed:
    """Return what a contract is worth at the table, over equally likely layouts."""
    chosen = deals[some_of(deals, MOST)]
    estimate = loaded_played()(chosen, str(contract), by, players=players)
    return summed(estimate.probabilities, contract, vulnerable, effect)


def leads_as_played(
    deals: DealSet,
    contract: Contract,
    by: Seat,
    vulnerable: bool,
    players: str,
    effect: float,
    cards: list[int],
    scoring: str,
) -> list[AsPlayed]:
    """Return the same after each opening lead from a hand that is the same in all layouts."""
    chosen = deals[some_of(deals, MOST_WITH_LEADS)]
    n, k = len(chosen), len(cards)
    leads = [card_text(card) for card in cards] * n
    every = chosen[np.arange(n).repeat(k)]
    estimate = loaded_played()(every, str(contract), by, players=players, leads=leads)
    chances = np.asarray(estimate.probabilities, dtype=float)
    points = np.tile(-score(contract, np.arange(14), vulnerable), (n, 1))
    outcomes = [Outcomes(chances[i::k], points, np.zeros(n, dtype=np.int64)) for i in range(k)]
    found = [summed(each.chances, contract, vulnerable, effect) for each in outcomes]
    best = outcomes[int(np.argmin([each.points.mean for each in found]))]
    return [
        replace(each, gain=outcome.against(best, scoring, effect))
        for each, outcome in zip(found, outcomes, strict=True)
    ]


def summed(chances: Any, contract: Contract, vulnerable: bool, effect: float) -> AsPlayed:
    """Return the value of a contract with (n, 14) chances of tricks: means over n layouts."""
    made = (np.arange(14) >= contract.tricks).astype(float)
    points = score(contract, np.arange(14), vulnerable).astype(float)
    worth = np.asarray(chances, dtype=float) @ np.stack([TRICKS, made, points], axis=1)
    means = _means(worth, effect)
    tricks, _, mean_points = intervals(means)
    return AsPlayed(tricks, values(means.chances())[1], mean_points)


def _together(p: Floats, q: Floats) -> Floats:
    """Return (n, 14, 14) chances of two numbers of tricks, quantile by quantile."""
    ends = [np.pad(chances.cumsum(axis=1), ((0, 0), (1, 0))) for chances in (p, q)]
    high = np.minimum(ends[0][:, 1:, None], ends[1][:, None, 1:])
    low = np.maximum(ends[0][:, :-1, None], ends[1][:, None, :-1])
    joint: Floats = np.maximum(high - low, 0)
    return joint


def _points(bid: Contract, side: int, vulnerable: str | Vulnerability) -> NDArray[np.int64]:
    if bid.by is None:
        return np.zeros(14, dtype=np.int64)
    own = np.asarray(score(bid, np.arange(14), is_vulnerable(vulnerable, bid.by)))
    return own if bid.by.side == side else -own


def _means(found: Floats, effect: float) -> Means:
    """Return the means of (n, m) expectations, one per layout."""
    n, m = found.shape
    variance: Floats = found.var(axis=0, ddof=1) if n > 1 else np.full(m, np.nan)
    nothing = np.zeros(m)
    size = np.full(m, float(n) if n > 1 else np.nan)
    error = np.sqrt(variance / n)
    return Means(found.mean(axis=0), error, nothing, size, nothing, n, n).widened(effect)
