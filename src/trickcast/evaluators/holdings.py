"""Hands as four holdings, so that a method is evaluated once per holding.

One hand can hold only 8,192 different sets of cards in one suit. A method gives the value of
each in one vectorised expression. A million hands are then four million table look-ups.
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
        """(m,) bool, true if the rank is held."""
        held: Bools = self.cards[:, RANKS.index(rank)]
        return held

    def count(self, ranks: str) -> Ints:
        """(m,) number of cards held among ``ranks``."""
        counts: Ints = self.cards[:, [RANKS.index(rank) for rank in ranks]].sum(axis=1)
        return counts


HoldingValue = Callable[[Holdings], Floats]
"""The value of each of m holdings: (m,) float64."""


@cache
def all_holdings() -> Holdings:
    """Return all 8,192 holdings; row *i* has the id *i*."""
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
