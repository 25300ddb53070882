"""Which results of a deal are solved if not its whole table, and what labels cost.

One strain costs a fifth of a table, so the same seconds solve five times as many deals, and no two
results share a layout. The worth of labels is the solver time they cost, in units of a whole
table. The prices are processor seconds of DDS, from ``python benchmarks/solving.py --prices``,
and the measurement is in docs/log/labels.md.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .._progress import Advance, nothing
from ..cards import UNKNOWN, Strain
from ..solver import solve_strain_batches
from .shards import Shard

_DRAWS = 1 << 64
"""Added to the seed, so that strains use another generator than cards."""
_WORDS_A_STEP = 4  # Philox gives four 64-bit words for each value of its counter
PRICE_OF_STRAIN = {
    Strain.SPADES: 0.19,
    Strain.HEARTS: 0.19,
    Strain.DIAMONDS: 0.19,
    Strain.CLUBS: 0.19,
    Strain.NOTRUMP: 0.17,
}
"""One strain of a deal with its four declarers. Suits are alike on random deals."""
PRICE_OF_LINES = 0.045
"""A trick of best play after every result of a deal, as a share of the deal's own cost."""
PRICE_OF_POSITION = {12: 0.38, 11: 0.16, 10: 0.06, 9: 0.03}
"""The whole table of a position, by cards in a hand; smaller ones cost next to nothing."""


def drawn_strains(n: int, seed: int, start: int = 0) -> NDArray[np.uint8]:
    """Return the strains, (n,) uint8, in which deals ``start`` to ``start + n - 1`` are solved.

    Uniform over the five. Deal *i*'s depends only on (seed, *i*): it is the first word of Philox at
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

    Returns (n, 5, 4) tricks, 255 in the other strains; ``advance`` receives the number just solved.
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


def tables_worth(shards: Iterable[Shard]) -> float:
    """Return the worth of shards in whole tables, by solver time.

    Args:
        shards: Shards of a library.

    Returns:
        Number of tables.

    Example:
        >>> from trickcast.library import Library, generate
        >>> solved = generate("library", 4, seed=1)
        >>> tables_worth(Library("library").shards)
        4.0
    """
    return sum(_worth(shard) for shard in shards)


def positions_worth(counts: dict[int, int]) -> float:
    """Return the worth of positions in whole tables, by solver time.

    Args:
        counts: Numbers of positions by cards in a hand.

    Returns:
        Number of tables.

    Example:
        >>> round(positions_worth({11: 1000}), 1)
        160.0
    """
    return sum(n * PRICE_OF_POSITION.get(cards, 0.0) for cards, n in counts.items())


def _worth(shard: Shard) -> float:
    lines = 1 + shard.kind.lines * PRICE_OF_LINES
    if shard.kind.strains == "all" or shard.seed is None:
        return lines * shard.deals
    strains = drawn_strains(shard.deals, shard.seed, shard.first)
    prices = np.array([PRICE_OF_STRAIN[strain] for strain in Strain])
    return lines * float(prices[strains].sum())
