"""The layouts of a simulation as players would play them, beside what they are double dummy."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, card_text
from ..dealing.shuffling import RandomWords
from ..played import PlayedEstimate, PlayedEstimator
from ..scoring import Contract, score
from .controls import Floats, Means
from .outcomes import TRICKS, Value, intervals, values

MOST = 1_000
"""Layouts that are estimated: more sharpen nothing that matters beside the estimate's own error."""
MOST_WITH_LEADS = 200
_LOTS = 39


@dataclass(frozen=True, slots=True)
class AsPlayed:
    """What declarer takes at the table, over the layouts; intervals count their number alone."""

    tricks: Value
    """Declarer's."""
    making: Value
    """The chance that the contract makes."""
    points: Value
    """Declarer's score."""


@cache
def _estimator() -> PlayedEstimator:
    return PlayedEstimator()


def some_of(deals: DealSet, most: int) -> DealSet:
    """Return at most so many of the layouts, drawn evenly: the first ones are chosen by doubt."""
    if len(deals) <= most:
        return deals
    return deals[np.sort(np.argsort(RandomWords(_LOTS, 0).raw(len(deals)))[:most])]


def contract_as_played(
    deals: DealSet, contract: Contract, by: Seat, vulnerable: bool, players: str, effect: float
) -> AsPlayed:
    """Return what a contract is worth at the table, over layouts that are all alike likely."""
    chosen = some_of(deals, MOST)
    estimate = _estimator()(chosen, str(contract), by, players=players)
    return _summed(estimate, contract, vulnerable, effect)


def leads_as_played(
    deals: DealSet,
    contract: Contract,
    by: Seat,
    vulnerable: bool,
    players: str,
    effect: float,
    cards: list[int],
) -> list[AsPlayed]:
    """Return the same after each opening lead of a hand that all layouts have."""
    chosen = some_of(deals, MOST_WITH_LEADS)
    found = []
    for card in cards:
        leads = [card_text(card)] * len(chosen)
        estimate = _estimator()(chosen, str(contract), by, players=players, leads=leads)
        found.append(_summed(estimate, contract, vulnerable, effect))
    return found


def _summed(
    estimate: PlayedEstimate, contract: Contract, vulnerable: bool, effect: float
) -> AsPlayed:
    chances = np.asarray(estimate.probabilities, dtype=float)
    made = (np.arange(14) >= contract.tricks).astype(float)
    points = score(contract, np.arange(14), vulnerable).astype(float)
    means = _means(chances @ np.stack([TRICKS, made, points], axis=1), effect)
    tricks, _, worth = intervals(means)
    return AsPlayed(tricks, values(means.chances())[1], worth)


def _means(found: NDArray[Any], effect: float) -> Means:
    """Return the means of (n, m) expectations, one a layout."""
    n, m = found.shape
    variance: Floats = found.var(axis=0, ddof=1) if n > 1 else np.full(m, np.nan)
    nothing = np.zeros(m)
    size = np.full(m, float(n))
    error = np.sqrt(variance / n)
    return Means(found.mean(axis=0), error, nothing, size, nothing, n, n).widened(effect)
