"""Random deals, positions and rotations, and the random words behind every choice.

All come from the counter-based generator Philox (Salmon et al., "Parallel random numbers: as easy
as 1, 2, 3", 2011), read as raw words: NumPy promises never to change those, unlike the output of
``Generator``.
"""

import secrets
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..cards import Board, DealSet, checked_whole, shorten
from ..cards.positions import GONE

Floats = NDArray[np.float64]
SECURE: Literal["secure"] = "secure"
"""Used in place of a seed: the system's randomness, which nobody can predict or repeat."""
Seed = int | Literal["secure"]

_CHUNK = 2048
_WORDS_PER_DEAL = 52
_WORDS_PER_STEP = 4  # Philox gives four 64-bit words for each value of its counter
_SEATS = np.repeat(np.arange(4, dtype=np.uint64), 13)
_NOBODY = 4
_TURNS = 1 << 64  # the block of words that rotates deals; those of dealing come before it


def checked_seed(seed: Any) -> int:
    """Return a seed as an int.

    Raises TypeError if it is not a whole number, ValueError if it is not 0 to 2**64 - 1.
    """
    whole = checked_whole(seed, "seed")
    if not 0 <= whole < 1 << 64:
        raise ValueError(f"seed is {whole} (expected 0 to 2**64 - 1)")
    return whole


def random_deals(n: int, seed: int, start: int = 0) -> DealSet:
    """Return ``n`` random deals, all equally likely.

    Deal *i* depends only on the seed and *i*. So any part of a seed's deals can be dealt anywhere,
    in any order, with the same cards.

    Args:
        n: Number of deals, 0 or more.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same deals.
        start: Number of the first deal, 0 to 2**64 - 1.

    Returns:
        A DealSet of the deals ``start`` to ``start + n - 1``.

    Raises:
        ValueError: A number is out of its range.
        TypeError: A number is not whole.

    Source:
        Random words from Philox4x64-10 (Salmon et al. 2011), at counter 13 *i*.

    Example:
        >>> deals = tc.random_deals(1000, seed=1)
        >>> deals[999] == tc.random_deals(1, seed=1, start=999)[0]
        True
    """
    return DealSet(_shuffled(_SEATS, n, seed, start))


def random_positions(n: int, cards: int, seed: int, start: int = 0) -> NDArray[np.uint8]:
    """Return ``n`` random positions with fewer cards, all equally likely.

    Like a deal, a position depends only on its seed, number and size.

    Args:
        n: Number of positions, 0 or more.
        cards: Cards in each hand, 2 to 12.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same positions.
        start: Number of the first position.

    Returns:
        Owners, shape (n, 52), uint8; 255 for played cards.

    Raises:
        ValueError: A number is out of its range.
        TypeError: A number is not whole.

    Example:
        >>> from trickcast.dealing import random_positions
        >>> owners = random_positions(2, cards=5, seed=1)
        >>> (owners < 4).sum(axis=1)
        array([20, 20])
    """
    if not 2 <= cards <= 12:
        raise ValueError(f"cards is {cards} (expected 2 to 12 in a hand)")
    marks = np.full(52, _NOBODY, dtype=np.uint64)
    marks[: 4 * cards] = np.repeat(np.arange(4), cards)
    owners = _shuffled(marks, n, seed, start)
    owners[owners == _NOBODY] = GONE
    return owners


def turned(deals: DealSet, seed: int, *, half: bool = False) -> DealSet:
    """Return deals that are each rotated by 0 to 3 seats, all equally likely.

    Boards keep number, dealer and vulnerability. Tricks, contracts, results and everything else
    that depends on the cards is dropped.

    Args:
        deals: A DealSet.
        seed: Seed of the rotations, 0 to 2**64 - 1.
        half: Whether to rotate by 0 or 2 seats only, so that partners stay on their side.

    Returns:
        A DealSet.

    Raises:
        ValueError: ``seed`` is out of its range.
        TypeError: ``seed`` is not whole.

    Example:
        >>> deals = tc.random_deals(1, seed=1)
        >>> turned(deals, seed=1)[0].north in (deals[0][seat] for seat in "NESW")
        True
    """
    turns = random_turns(len(deals), seed, half=half)
    boards = deals.boards and [
        Board(number=board.number, dealer=board.dealer, vulnerability=board.vulnerability)
        for board in deals.boards
    ]
    return DealSet((deals.owners + turns[:, None]) % 4, None, boards)


def random_turns(n: int, seed: Seed, *, half: bool = False) -> NDArray[np.uint8]:
    """Return by how many seats ``turned`` rotates each of n deals: (n,)."""
    turns = (random_words(seed, _TURNS).raw(n) & np.uint64(3)).astype(np.uint8)
    return turns & np.uint8(2) if half else turns


def fresh_seed() -> int:
    """Return a new seed, drawn from the system's randomness.

    Returns:
        A whole number below 2**53.

    Example:
        >>> 0 <= fresh_seed() < 2**53
        True
    """
    return secrets.randbelow(2**53)


def random_words(seed: Seed, block: int) -> "RandomWords":
    """Return the words of a seed and a block, or words from the system's randomness.

    Raises like ``checked_seed``.
    """
    return SystemWords() if seed == SECURE else RandomWords(checked_seed(seed), block)


class RandomWords:
    """A stream of 64-bit words that depends only on (seed, block).

    The generator is Philox, with other keys than in ``random_deals``.
    """

    def __init__(self, seed: int, block: int):
        self._philox = np.random.Philox(key=seed + (1 << 64), counter=block << 128)

    def raw(self, *shape: int) -> NDArray[np.uint64]:
        """Return words of this shape."""
        words: NDArray[np.uint64] = self._philox.random_raw(int(np.prod(shape))).reshape(shape)
        return words

    def fractions(self, n: int, bits: int = 52) -> Floats:
        """Return (n,) multiples of 2**-bits in [0, 1).

        Up to 52 bits, ``fraction * total`` stays below ``total`` after rounding.
        """
        fractions: Floats = (self.raw(n) >> np.uint64(64 - bits)).astype(np.float64) * 2.0**-bits
        return fractions


class SystemWords(RandomWords):
    """Words from the system's cryptographic randomness; no seed repeats them."""

    def __init__(self) -> None:
        super().__init__(0, 0)

    def raw(self, *shape: int) -> NDArray[np.uint64]:
        """Return words of this shape."""
        words = np.frombuffer(secrets.token_bytes(8 * int(np.prod(shape))), np.uint64)
        return words.reshape(shape).copy()


def _shuffled(marks: NDArray[np.uint64], n: int, seed: int, start: int) -> NDArray[np.uint8]:
    """Return (n, 52) shuffles of the marks, each depending only on its seed and number."""
    # NumPy's integers would overflow
    n, start, seed = checked_whole(n, "n"), checked_whole(start, "start"), checked_seed(seed)
    if n < 0 or not 0 <= start < 1 << 64:
        raise ValueError(f"n is {n} and start is {start} (expected 0 or more, start below 2**64)")
    try:
        shuffles = np.empty((n, 52), dtype=np.uint8)
    except (MemoryError, OverflowError, ValueError):
        raise ValueError(f"n is {shorten(n)} (expected fewer: they need too much memory)") from None
    for begin in range(0, n, _CHUNK):
        _shuffle(shuffles[begin : begin + _CHUNK], marks, seed, start + begin)
    return shuffles


def _shuffle(shuffles: NDArray[np.uint8], marks: NDArray[np.uint64], seed: int, start: int) -> None:
    """Fill ``shuffles`` in place.

    Fifty-two random words are sorted; each carries a mark in its lowest bits. The order of the
    other bits, 61 or more, shuffles the marks.
    """
    low = np.uint64((1 << int(marks.max()).bit_length()) - 1)
    philox = np.random.Philox(key=seed, counter=start * (_WORDS_PER_DEAL // _WORDS_PER_STEP))
    words = philox.random_raw(shuffles.size).reshape(shuffles.shape)
    words &= ~low
    words |= marks
    words.sort(axis=1)
    np.bitwise_and(words, low, out=words)
    shuffles[:] = words
