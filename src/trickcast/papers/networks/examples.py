"""Training examples from solved deals: one result (strain, declarer) of one deal each."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...cards import DealSet, Seat, Strain
from ...training.solved_deals import known_tricks
from ..codings import Coding, Inputs, random_views

Contracts = Literal["suit", "notrump"]
"""Contracts that a network estimates: in any suit, turned to spades, or in notrump."""
STRAINS: dict[Contracts, tuple[Strain, ...]] = {
    "suit": (Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS),
    "notrump": (Strain.NOTRUMP,),
}


class Examples(NamedTuple):
    """Network inputs, and the tricks that declarer takes."""

    inputs: Inputs
    """(m, coding.size)"""
    tricks: NDArray[np.uint8]
    """(m,)"""


Draw = Callable[[int], Examples]
"""Returns the k-th drawing of examples, always the same for the same k, so that resuming needs no
state of a generator."""


def draw_examples(
    deals: DealSet, contracts: Contracts, n: int, coding: Coding, rng: np.random.Generator
) -> Examples:
    """Draw ``n`` examples: every deal equally often, in random views of it.

    A view is a random declarer and a random permutation of the suits. Tricks follow the cards: the
    suit that ends up in the place of spades is the trump suit, and permuting the side suits (in
    notrump all four) changes nothing. So a solved deal gives 4 × 4 × 6 examples with a trump suit
    and 4 × 24 in notrump. No two drawings are alike, and this stands in for more solved deals. With
    20,480 deals and 65,536 examples, the validation error in notrump stopped falling at 1.21 tricks
    after 900 epochs on the same examples. With new ones every 50 epochs it was 1.13 after 1,700.
    """
    strain = Strain.NOTRUMP if contracts == "notrump" else Strain.SPADES
    return draw_views(deals, (strain,), n, coding, rng)


def draw_views(
    deals: DealSet, strains: Sequence[Strain], n: int, coding: Coding, rng: np.random.Generator
) -> Examples:
    """Draw ``n`` examples as ``draw_examples`` does, with the trumps in the place of ``strains``.

    With several strains each example has a random one.
    """
    views = random_views(deals.owners, strains, n, rng)
    return Examples(
        coding.encode(views.owners, views.strain, views.declarer),
        known_tricks(deals)[views.deal, views.strain_before, views.declarer],
    )


def all_examples(deals: DealSet, contracts: Contracts, coding: Coding) -> Examples:
    """Return every result of every deal as users will ask for it: no suits permuted."""
    pairs = [(strain, declarer) for strain in STRAINS[contracts] for declarer in Seat]
    tricks = known_tricks(deals)
    return Examples(
        np.concatenate([coding.encode(deals.owners, *pair) for pair in pairs]),
        np.concatenate([tricks[:, strain, declarer] for strain, declarer in pairs]),
    )
