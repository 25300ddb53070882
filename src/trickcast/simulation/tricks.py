"""Answer ``tricks()``, ``dds()`` and ``par()`` of a Dealer script."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet
from ..estimator import loaded
from ..solver import solve as solve_deals

TrickFinder = Callable[[NDArray[np.uint8]], NDArray[np.uint8]]
"""(n, 52) owners to (n, 5, 4) tricks."""


def trick_finder(
    *, solve: bool = False, model: str = "accurate", workers: int | None = None
) -> TrickFinder:
    """Return a function that finds the tricks that a script asks for, for ``Constraints``.

    Args:
        solve: Whether to solve with DDS instead of estimating.
        model: Name or path of the network, which is loaded when first needed.
        workers: Number of threads. Default: all cores.

    Returns:
        A function from owners, shape (n, 52), to tricks, shape (n, 5, 4), uint8: exact, or the
        likeliest.

    Example:
        >>> trick_finder(model="fast")(tc.random_deals(2, seed=1).owners).shape
        (2, 5, 4)
    """

    def solved(owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return solve_deals(DealSet(owners), workers=workers).tricks

    def estimated(owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return loaded(model, workers)(DealSet(owners)).tricks

    return solved if solve else estimated
