"""Hands as four holdings: what a method needs to see of the cards, worked out once for all.

There are only 8,192 sets of cards that one hand can hold in one suit. A method says what each of
them is worth, in one vectorised expression; a million hands are then four million table look-ups.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..cards import RANKS

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
HoldingIds = NDArray[np.uint16]
"""(n, 4) uint16: for each hand and suit S H D C, bit *r* set for rank *r* of RANKS (ace 1)."""


@dataclass(frozen=True, eq=False)
class Holdings:
    """Sets of cards of one suit, row by row."""

    cards: Bools
    """(m, 13) bool, ranks from ace to two."""

    @property
    def length(self) -> Ints:
        """(m,) number of cards."""
        return self.count(RANKS)

    def has(self, rank: str) -> Bools:
        """(m,) bool, true where the rank is held."""
        held: Bools = self.cards[:, RANKS.index(rank)]
        return held

    def count(self, ranks: str) -> Ints:
        """(m,) how many of ``ranks`` are held."""
        counts: Ints = self.cards[:, [RANKS.index(rank) for rank in ranks]].sum(axis=1)
        return counts


HoldingValue = Callable[[Holdings], Floats]
"""What each of m holdings is worth: (m,) float64."""


@cache
def all_holdings() -> Holdings:
    """All 8,192 holdings; row *i* is the one whose id is *i*."""
    ids = np.arange(1 << 13)
    return Holdings((ids[:, None] >> np.arange(13) & 1).astype(np.bool_))


@cache
def holding_table(value: HoldingValue) -> Floats:
    """Tabulate ``value`` by holding id: (8192,) float64."""
    table = np.asarray(value(all_holdings()), dtype=np.float64)
    table.flags.writeable = False
    return table


@cache
def _lengths_by_id() -> Ints:
    return all_holdings().length


def holding_ids(hands: Bools) -> HoldingIds:
    """Return the (n, 4) holding ids of (n, 52) hands."""
    packed = np.packbits(hands.reshape(-1, 13), axis=1, bitorder="little")
    ids: HoldingIds = packed.view("<u2").astype(np.uint16, copy=False).reshape(-1, 4)
    return ids


def lengths(ids: HoldingIds) -> Ints:
    """Return the (n, 4) suit lengths, spades to clubs."""
    return _lengths_by_id()[ids]
