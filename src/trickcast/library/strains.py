"""Labels for less: each deal of a seed solved in one strain, drawn for it.

One strain costs a fifth of a table, so the same seconds solve five times as many deals, and no two
results share a layout.
"""

import numpy as np
from numpy.typing import NDArray

from .._progress import Advance, nothing
from ..cards import UNKNOWN, Strain
from ..solver import solve_strain_batches

_DRAWS = 1 << 64
"""Added to the seed: the generator of strains is another than that of cards."""
_WORDS_A_STEP = 4  # Philox gives four 64-bit words for each value of its counter


def drawn_strains(n: int, seed: int, start: int = 0) -> NDArray[np.uint8]:
    """Return the strains, (n,) uint8, in which deals ``start`` to ``start + n - 1`` are solved.

    Uniform over the five; deal *i*'s depends on (seed, *i*) alone: the first word of Philox at
    counter *i*, modulo five.
    """
    philox = np.random.Philox(key=_DRAWS | seed, counter=start)
    words: NDArray[np.uint64] = philox.random_raw(n * _WORDS_A_STEP)[::_WORDS_A_STEP]
    return (words % np.uint64(len(Strain))).astype(np.uint8)


def solve_drawn(
    owners: NDArray[np.uint8],
    strains: NDArray[np.uint8],
    workers: int | None,
    advance: Advance = nothing,
) -> NDArray[np.uint8]:
    """Solve each of (n, 52) owners in its strain of (n,) by all declarers.

    Returns (n, 5, 4) tricks, 255 in the other strains; ``advance`` gets the number just solved.
    """
    tricks = np.full((len(owners), 5, 4), UNKNOWN, dtype=np.uint8)
    for strain in Strain:
        rows = np.flatnonzero(strains == strain)
        solved = 0
        for batch in solve_strain_batches(owners[rows], strain, workers=workers):
            tricks[rows[solved : solved + len(batch)], strain] = batch
            solved += len(batch)
            advance(len(batch))
    return tricks
