"""Random deals, each a function of its seed and index alone."""

import operator

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet

_CHUNK = 2048
_WORDS_A_DEAL = 52
_WORDS_A_STEP = 4  # Philox gives four 64-bit words for each value of its counter
_SEATS = np.repeat(np.arange(4, dtype=np.uint64), 13)


def random_deals(n: int, seed: int, start: int = 0) -> DealSet:
    """Return ``n`` uniformly random deals: those numbered ``start`` to ``start + n - 1``.

    Deal *i* depends on (seed, *i*) alone, so any range can be dealt anywhere, in any order, and
    gives the same cards: the deal's 52 random words come from the counter-based generator Philox
    (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) at counter 13 *i*.

    Raises ValueError for a negative ``n``, a ``start`` outside 0 … 2**64 - 1 or a ``seed`` outside
    the same, TypeError for numbers that are not whole.
    """
    n, seed, start = map(operator.index, (n, seed, start))  # NumPy's integers would overflow
    if n < 0 or not 0 <= start < 1 << 64:
        raise ValueError(f"n is {n} and start is {start} (expected 0 or more, start below 2**64)")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is {seed} (expected 0 to 2**64 - 1)")
    owners = np.empty((n, 52), dtype=np.uint8)
    for begin in range(0, n, _CHUNK):
        _deal(owners[begin : begin + _CHUNK], seed, start + begin)
    return DealSet(owners)


def _deal(owners: NDArray[np.uint8], seed: int, start: int) -> None:
    """Fill ``owners`` in place.

    Fifty-two random words are sorted; in their two lowest bits each carries a seat, thirteen of
    every seat. The order of the other 62 bits shuffles the seats.
    """
    philox = np.random.Philox(key=seed, counter=start * (_WORDS_A_DEAL // _WORDS_A_STEP))
    words = philox.random_raw(owners.size).reshape(owners.shape)
    words &= ~np.uint64(3)
    words |= _SEATS
    words.sort(axis=1)
    np.bitwise_and(words, np.uint64(3), out=words)
    owners[:] = words
