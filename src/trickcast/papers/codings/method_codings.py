"""Human hand strength as network input, as in Table X of the 2009 paper."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...cards import Seat, Strain
from ...evaluators import Evaluator, get
from ...evaluators.holdings import HoldingIds, holding_ids, lengths
from .coding import Inputs, Trumps
from .deal_views import exchange, turn
from .heads import HIGHEST, LOWEST

_PAIRS = ((Seat.NORTH, Seat.SOUTH), (Seat.EAST, Seat.WEST))


@dataclass(frozen=True)
class EstimatorInputs:
    """The values of hand-strength methods, each mapped from its bounds to [0.1, 0.9].

    Each of the hands N E S W of the turned deal has the methods' values in order, and, with
    ``suit_lengths``, the lengths of its four suits (0 to 13 on the same range). Then each of the
    pairs NS and EW has the sums of the ``pair_sums`` methods' values. Without ``hands`` only the
    sum of NS is given (the network 1-1). Methods that depend on trumps get spades, or notrump.
    """

    name: str
    methods: tuple[str, ...]
    hands: bool = True
    pair_sums: bool = False
    suit_lengths: bool = False
    version = 1
    turned = True
    negative = False

    @property
    def trumps(self) -> Trumps:
        """How the trump suit is treated."""
        return "exchanged"

    @property
    def size(self) -> int:
        """Inputs a row."""
        a_hand = len(self.methods) + 4 * self.suit_lengths
        if not self.hands:
            return len(self.methods)
        return 4 * a_hand + 2 * len(self.methods) * self.pair_sums

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, size) float32."""
        view = turn(exchange(owners, strain), declarer)
        notrump = np.broadcast_to(np.asarray(strain) == Strain.NOTRUMP, len(view))
        rows = np.empty((len(view), self.size), dtype=np.float32)
        for trump, chosen in ((None, notrump), (Strain.SPADES, ~notrump)):
            if chosen.any():
                rows[chosen] = self._values(view[chosen], trump)
        return rows

    def _values(self, view: NDArray[np.uint8], trump: Strain | None) -> NDArray[np.float32]:
        """Return the inputs of turned deals that are all in notrump or all in spades."""
        ids = [holding_ids(view == seat) for seat in Seat]
        values = np.stack([self._of_hand(hand, trump) for hand in ids], axis=1)  # (n, 4, methods)
        low, high = self._bounds(trump, pair=False)
        pair_low, pair_high = self._bounds(trump, pair=True)
        pairs = np.stack([values[:, a] + values[:, b] for a, b in _PAIRS], axis=1)
        pairs = (pairs - pair_low) / (pair_high - pair_low)
        if not self.hands:
            return _spread(pairs[:, 0])
        shares = (values - low) / (high - low)
        if self.suit_lengths:
            held = np.stack([lengths(hand) for hand in ids], axis=1) / 13
            shares = np.concatenate([shares, held], axis=2)
        parts = [shares.reshape(len(view), -1)]
        if self.pair_sums:
            parts.append(pairs.reshape(len(view), -1))
        return _spread(np.concatenate(parts, axis=1))

    def _of_hand(self, ids: HoldingIds, trump: Strain | None) -> NDArray[np.float64]:
        return np.stack([method.of_holdings(ids, trump) for method in self._evaluators], axis=1)

    def _bounds(self, trump: Strain | None, *, pair: bool) -> NDArray[np.float64]:
        """Return the lowest and highest values, (2, methods)."""
        return np.array([method.bounds(trump, pair=pair) for method in self._evaluators]).T

    @cached_property
    def _evaluators(self) -> tuple[Evaluator, ...]:
        return tuple(get(name) for name in self.methods)


def _spread(shares: NDArray[np.float64]) -> NDArray[np.float32]:
    return (LOWEST + (HIGHEST - LOWEST) * shares).astype(np.float32)
