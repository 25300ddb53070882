"""Random words to choices; every choice is made from the raw words of a counter-based generator.

NumPy promises to keep those the same for ever, which it does not promise of ``Generator``.
"""

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import shorten

Floats = NDArray[np.float64]


def checked_whole(number: Any, name: str) -> int:
    """Return a whole number as an int. Raises TypeError, with its name, for any other."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{name} is {shorten(number)} (expected a whole number)") from None


def checked_seed(seed: Any) -> int:
    """Return a seed as an int.

    Raises TypeError for what is not whole, ValueError for what is not 0 to 2**64 - 1.
    """
    whole = checked_whole(seed, "seed")
    if not 0 <= whole < 1 << 64:
        raise ValueError(f"seed is {whole} (expected 0 to 2**64 - 1)")
    return whole


class Words:
    """A stream of 64-bit words that depends on (seed, block) alone.

    The generator is Philox, keyed apart from that of ``random_deals``.
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


def pick(cumulated: NDArray[Any], fractions: Floats) -> NDArray[np.int64]:
    """Return for each row the index that its fraction falls on, as likely as its weight.

    ``cumulated`` is (n, k), the cumulated weights of each row; weights of 0 are never picked.
    """
    aim = fractions * cumulated[:, -1]
    picked: NDArray[np.int64] = (cumulated <= aim[:, None]).sum(axis=1)
    return picked
