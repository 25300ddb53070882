"""Groupings of results: by declarer, by tricks, and by shape as players see it."""

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain

SUITS, NOTRUMP = slice(0, 4), slice(4, 5)
CONTRACTS: dict[str, slice] = {"suits": SUITS, "N": NOTRUMP}
"""Suit contracts and notrump, which every breakdown keeps apart, as strains of a trick array."""

_FITS = ("5-6", "7", "8", "9", "10", "11+")
_SUIT_LENGTHS = ("4", "5", "6", "7", "8+")

BREAKDOWNS: dict[str, tuple[str, ...]] = {
    "declarer": tuple(seat.letter for seat in Seat),
    "tricks": tuple(map(str, range(14))),
    "fit": ("0-4", *_FITS),
    "longest": _SUIT_LENGTHS,
}
"""Name → its groups, in order.

``tricks`` are the real ones. ``fit``: for a suit contract, the number of trumps of declarer's side;
in notrump, the cards in its longest suit. ``longest``: cards in the longest suit of any
hand of the deal, a measure of how wild it is.
"""


def groups(owners: NDArray[np.uint8], tricks: NDArray[np.uint8]) -> dict[str, NDArray[np.intp]]:
    """Return, for each of BREAKDOWNS, the group number of every result, (n, 5, 4).

    ``owners`` is (n, 52), ``tricks`` (n, 5, 4); the group of an unknown result (255) is 0.
    """
    shape = tricks.shape
    lengths = np.stack(
        [(owners.reshape(-1, 4, 13) == seat).sum(axis=-1) for seat in Seat], axis=-1
    )  # (n, suit, seat)
    side = lengths + lengths[..., [2, 3, 0, 1]]  # cards of declarer and dummy
    fit = np.concatenate([side, side.max(axis=1, keepdims=True)], axis=1)
    longest = lengths.max(axis=(1, 2))[:, None, None]
    numbers = {
        "declarer": np.arange(4),
        "tricks": np.where(tricks > 13, 0, tricks),
        "fit": np.searchsorted([5, 7, 8, 9, 10, 11], fit, side="right"),
        "longest": np.clip(longest, 4, 8) - 4,
    }
    assert shape[1:] == (len(Strain), len(Seat))
    return {name: np.broadcast_to(group, shape).astype(np.intp) for name, group in numbers.items()}
