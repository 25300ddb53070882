"""Tests of one hand at a time, as redeal has them, made tests of many."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand


def each_hand(test: Callable[[Hand], bool]) -> Callable[[NDArray[np.bool_]], NDArray[np.bool_]]:
    """Return a test of (n, 52) hands that asks ``test`` of each Hand, for seats of ``Constraints``.

    Slower than a test of arrays (``trickcast.cards`` has ``hcp`` and ``lengths`` for these), some
    100,000 hands a second.

    >>> deals = tc.constrained_deals(3, seed=1, south=each_hand(lambda hand: hand.hcp > 17))
    >>> all(deal.south.hcp > 17 for deal in deals)
    True
    """

    def tested(hands: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.array([bool(test(Hand.from_cards(row))) for row in hands], dtype=np.bool_)

    tested.__name__ = getattr(test, "__name__", "test")
    return tested
