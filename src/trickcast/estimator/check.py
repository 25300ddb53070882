"""A check of the rules that every estimator keeps, also for your own."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Strain
from .result import TrickEstimate


def check_estimator(estimate: Callable[[Any], TrickEstimate], tolerance: float = 0.05) -> None:
    """Check that an estimator keeps the rules of all estimators.

    Arrays have the promised shapes and types. Distributions sum to one and have the stated mean. A
    deal gets the same estimate every time, alone and in a batch. Rotating the deal rotates the
    estimate, and exchanging two suits exchanges their rows. No deals give no estimates.

    Args:
        estimate: Function from deals to a TrickEstimate, such as an Estimator.
        tolerance: How far probabilities may differ: a few hundredths if products are those of
            rounded numbers, as in the shipped models, otherwise 1e-4. Broken rules differ by far
            more.

    Raises:
        AssertionError: A rule is broken; the message says which.

    Example:
        >>> check_estimator(tc.Estimator("fast"))
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
        suits = deals.owners.reshape(-1, 4, 13).copy()
        suits[:, [Strain.SPADES, suit]] = suits[:, [suit, Strain.SPADES]]
        exchanged = estimate(suits.reshape(-1, 52)).probabilities
        rule = f"exchanging spades and {suit} does not exchange their rows"
        require(same(exchanged[:, Strain.SPADES], chances[:, suit]), rule)
        require(same(exchanged[:, suit], chances[:, Strain.SPADES]), rule)
    require(estimate(deals[:0]).probabilities.shape == (0, 5, 4, 14), "an empty batch")


def require(claim: bool | np.bool_, words: str) -> None:
    """Raise AssertionError, with this message, if a claim is false."""
    if not claim:  # ``python -O`` would drop an assert
        raise AssertionError(words)
