"""Positions: every hand has the same number of cards, thirteen or fewer."""

import numpy as np
from numpy.typing import NDArray

from .enums import Seat
from .errors import DealError

GONE = 255
"""Owner of a card that has been played."""


def cards_a_hand(
    owners: NDArray[np.uint8], first: int = 0, total: int | None = None
) -> NDArray[np.int64]:
    """Return the number of cards in each hand of (n, 52) owners, as an (n,) array.

    Raises DealError for the first row that is empty, whose hands differ in length, or that has an
    owner other than a seat (0 to 3) or 255, a played card. If the rows are part of a batch of
    ``total``, the message counts from ``first``.
    """
    hands: NDArray[np.int64] = np.stack(
        [(owners == seat).sum(axis=1, dtype=np.int64) for seat in range(4)], axis=1
    )
    bad = (hands != hands[:, :1]).any(axis=1) | (hands[:, 0] == 0)
    bad |= hands.sum(axis=1) != (owners != GONE).sum(axis=1)
    if bad.any():
        row = int(bad.argmax())
        held = ", ".join(f"{seat.word} {n}" for seat, n in zip(Seat, hands[row], strict=True))
        raise DealError(
            f"position {first + row} of {len(owners) if total is None else total}: {held} cards "
            "(expected equal hands of 1 to 13, and owner 255 for the other cards)"
        )
    held_by_all: NDArray[np.int64] = hands[:, 0]
    return held_by_all


def packed(owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return (n, 52) owners with each suit's remaining cards moved up to its highest ranks.

    Only the order of a suit's cards matters in play, so results stay the same.
    """
    suits = owners.reshape(-1, 4, 13)
    order = np.argsort(suits == GONE, axis=2, kind="stable")
    return np.take_along_axis(suits, order, axis=2).reshape(-1, 52)
