"""What labels are worth: the solver's seconds that they cost, where a whole table costs one.

The prices are processor seconds of DDS, from ``python benchmarks/solving.py --prices``; the
measurement is in docs/library.md.
"""

from collections.abc import Iterable

import numpy as np

from ..cards import Strain
from .manifest import Shard
from .records import ONE_STRAIN
from .strains import drawn_strains

PRICE_OF_STRAIN = {
    Strain.SPADES: 0.19,
    Strain.HEARTS: 0.19,
    Strain.DIAMONDS: 0.19,
    Strain.CLUBS: 0.19,
    Strain.NOTRUMP: 0.17,
}
"""One strain of a deal with its four declarers. Suits are alike on random deals."""
PRICE_OF_ENDING = {12: 0.38, 11: 0.16, 10: 0.06, 9: 0.03}
"""The whole table of an ending, by the cards in a hand; smaller ones cost next to nothing."""


def tables_worth(shards: Iterable[Shard]) -> float:
    """Return what shards are worth in whole tables."""
    return sum(_worth(shard) for shard in shards)


def endings_worth(counts: dict[int, int]) -> float:
    """Return what endings are worth in whole tables, given their number by cards in a hand."""
    return sum(n * PRICE_OF_ENDING.get(cards, 0.0) for cards, n in counts.items())


def _worth(shard: Shard) -> float:
    if shard.kind is not ONE_STRAIN or shard.seed is None:
        return float(shard.deals)
    strains = drawn_strains(shard.deals, shard.seed, shard.first)
    prices = np.array([PRICE_OF_STRAIN[strain] for strain in Strain])
    return float(prices[strains].sum())
