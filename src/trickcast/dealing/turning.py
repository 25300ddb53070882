"""Deals turned around the table at random."""

import numpy as np

from ..cards import Board, DealSet
from .words import Words, checked_seed

_BLOCK = 1 << 64  # of the random words: those of dealing come before


def turned(deals: DealSet, seed: int, *, half: bool = False) -> DealSet:
    """Return deals, each turned by 0 to 3 seats clockwise, all four as likely.

    With ``half`` North and South change places, and East and West, or nobody does. The same seed
    gives the same turns. Boards keep number, dealer and vulnerability; tricks, contracts, results
    and whatever else was said of the cards as they lay are not taken along.
    Raises ValueError for a ``seed`` outside 0 … 2**64 - 1, TypeError for one that is not whole.
    """
    turns = (Words(checked_seed(seed), _BLOCK).raw(len(deals)) & np.uint64(3)).astype(np.uint8)
    if half:
        turns &= 2
    boards = None if deals.boards is None else [_as_dealt(board) for board in deals.boards]
    return DealSet((deals.owners + turns[:, None]) % 4, None, boards)


def _as_dealt(board: Board) -> Board:
    return Board(number=board.number, dealer=board.dealer, vulnerability=board.vulnerability)
