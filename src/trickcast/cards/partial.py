"""Boards with hidden hands, such as those for bidding practice."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .board import Board
from .enums import Seat
from .hand import Hand
from .table import UNKNOWN

HIDDEN = 255
"""The owner of a card of a hidden hand."""


class PartialDeals:
    """Boards with hidden hands, in the order of their file.

    They cannot be solved. ``PairEstimator`` estimates two hands of partners, and any known
    hands can be simulated. ``hands`` gives the known hands of each board.
    """

    __slots__ = ("boards", "owners")

    owners: NDArray[np.uint8]
    """(n, 52) uint8, the seat (N E S W = 0-3) holding each card, or 255: HIDDEN."""
    boards: tuple[Board, ...]

    def __init__(self, owners: NDArray[np.uint8], boards: Sequence[Board]):
        self.owners, self.boards = owners, tuple(boards)

    def __len__(self) -> int:
        return len(self.owners)

    def __repr__(self) -> str:
        return f"<PartialDeals of {len(self):,} boards>"

    @property
    def tricks_or_unknown(self) -> NDArray[np.uint8]:
        """(n, 5, 4) uint8: 255 everywhere."""
        return np.full((len(self), 5, 4), UNKNOWN, dtype=np.uint8)

    @property
    def hands(self) -> list[dict[Seat, Hand]]:
        """The known hands of each board, by their seat."""
        return [
            {seat: Hand.from_cards(row == seat) for seat in Seat if seat in row}
            for row in self.owners
        ]
