"""What the questions of a simulation have in common: contracts, scores, means with intervals."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain, Vulnerability
from ..scoring import Contract, imps
from .controls import Floats
from .layouts import SimulationError

MAX_TRIES = 4_000_000
"""How many layouts are drawn, at most, to find those that fit."""


class Value(NamedTuple):
    """An estimated mean and its 95 % interval; the ends are NaN where nothing was solved."""

    mean: float
    low: float
    high: float


def played(contract: str | Contract) -> Contract:
    """Return a contract that has a declarer, or raise SimulationError."""
    bid = Contract(contract)
    if bid.strain is None:
        raise SimulationError("a board that is passed out has no declarer (expected a contract)")
    return bid


def strain_of(bid: Contract) -> Strain:
    """Return the strain of a contract that is played."""
    assert bid.strain is not None
    return bid.strain


def is_vulnerable(vulnerable: Any, seat: Seat) -> bool:
    """Return whether a seat's side is."""
    return bool(Vulnerability.parse(vulnerable) >> seat.side & 1)


def gain(difference: NDArray[Any], scoring: str) -> Floats:
    """What differences of scores are worth."""
    if scoring == "total":
        return difference.astype(float)
    if scoring == "imps":
        return np.asarray(imps(difference), dtype=float)
    if scoring == "matchpoints":
        return (np.sign(difference) + 1.0) / 2.0  # type: ignore[no-any-return]
    raise SimulationError(f"scoring is {scoring!r} (expected total, imps or matchpoints)")


def value_of(ends: tuple[Floats, Floats, Floats]) -> Value:
    """Return the first of means, lower and upper ends."""
    return Value(*(float(end[0]) for end in ends))
