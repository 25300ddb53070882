"""What every estimator keeps, as a check to run on one's own."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Strain
from ..papers.codings import exchange
from ..papers.codings.conformance import require
from .result import TrickEstimate


def check_estimator(estimate: Callable[[Any], TrickEstimate], tolerance: float = 0.05) -> None:
    """Raise AssertionError where an estimator breaks the rules that all estimators keep.

    Arrays have the promised shapes and types, distributions sum to one and have the stated mean;
    a deal is estimated alike every time, alone and in a batch; turning the deal turns the
    estimate, exchanging two suits exchanges their rows; no deals give no estimates. Probabilities
    may differ by ``tolerance``: a few hundredths where products are those of rounded numbers, as
    in the shipped models, 1e-4 where they are not. What breaks a rule is off by far more.
    """
    seats = np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (60, 1))
    deals = DealSet(np.random.default_rng(1).permuted(seats, axis=1))
    estimated = estimate(deals)
    chances = estimated.probabilities
    for name, array, shape, dtype in (
        ("probabilities", chances, (60, 5, 4, 14), np.float32),
        ("expected", estimated.expected, (60, 5, 4), np.float32),
        ("tricks", estimated.tricks, (60, 5, 4), np.uint8),
    ):
        require(array.shape == shape, f"{name} of shape {array.shape}, not {shape}")
        require(array.dtype == dtype, f"{name} are {array.dtype}, not {np.dtype(dtype)}")
    require((chances >= 0).all(), "a probability is below zero")
    require(np.abs(chances.sum(axis=-1) - 1).max() < 1e-5, "a distribution does not sum to 1")
    off = np.abs((chances * np.arange(14)).sum(axis=-1) - estimated.expected)
    require(off.max() < 1e-3, "expected is not the distribution's mean")
    require(estimated.tricks.max() <= 13, "more than 13 tricks")

    def same(other: NDArray[np.float32], mine: NDArray[np.float32]) -> bool:
        return bool(np.abs(other - mine).max() <= tolerance)

    require(np.array_equal(estimate(deals).probabilities, chances), "a second call differs")
    require(same(estimate(deals[7]).probabilities, chances[7]), "a deal alone differs")
    require(same(estimate(deals[20:50]).probabilities, chances[20:50]), "a part differs")
    turned = np.roll(estimate((deals.owners + 1) % 4).probabilities, -1, axis=2)
    require(same(turned, chances), "turning the deal does not turn the estimate")
    for suit in (Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS):
        exchanged = estimate(exchange(deals.owners, suit)).probabilities
        rule = f"exchanging spades and {suit} does not exchange their rows"
        require(same(exchanged[:, Strain.SPADES], chances[:, suit]), rule)
        require(same(exchanged[:, suit], chances[:, Strain.SPADES]), rule)
    require(estimate(deals[:0]).probabilities.shape == (0, 5, 4, 14), "an empty batch")
