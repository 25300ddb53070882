"""Deals turned around the table at random."""

import numpy as np

from ..cards import DealSet
from .words import Words, checked_seed

_BLOCK = 1 << 64  # of the random words: those of dealing come before


def turned(deals: DealSet, seed: int, *, half: bool = False) -> DealSet:
    """Return deals, each turned by 0 to 3 seats clockwise, all four as likely.

    With ``half`` North and South change places, and East and West, or nobody does. Tricks are not
    taken along. The same seed gives the same turns.
    Raises ValueError for a ``seed`` outside 0 … 2**64 - 1, TypeError for one that is not whole.
    """
    turns = (Words(checked_seed(seed), _BLOCK).raw(len(deals)) & np.uint64(3)).astype(np.uint8)
    if half:
        turns &= 2
    return DealSet((deals.owners + turns[:, None]) % 4, None, deals.boards)
