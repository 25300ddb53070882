"""What ``tricks()``, ``dds()`` and ``par()`` of a Dealer script are answered by."""

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
    """Return the function that finds the tricks that a script asks for.

    It takes (n, 52) uint8 owners and gives (n, 5, 4) uint8 tricks: the likeliest by the network
    ``model``, which is loaded when first needed, or with ``solve`` what DDS finds. ``workers`` is
    the number of threads (default: all cores).
    """

    def solved(owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return solve_deals(DealSet(owners), workers=workers).tricks

    def estimated(owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return loaded(model, workers)(DealSet(owners)).tricks

    return solved if solve else estimated
