"""Which opening lead beats a contract, over the solved layouts of a simulation."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Seat, Suit, card_text
from ..scoring import Contract
from .contracts import Simulation
from .controls import MINIMUM_EXACT, means
from .layouts import solve_layouts
from .leads import Leads
from .outcomes import Value, played_by, strain_of, values

_STEP = 4  # layouts solved between checks whether they are enough


class BeatingLead(NamedTuple):
    """A lead, and the share of the layouts in which it sets the contract."""

    lead: str
    """A card if the leader's hand is the same in all layouts; otherwise a suit's letter."""
    setting: Value
    """(probability, low, high)."""


def beating_leads(
    result: Simulation,
    contract: str | Contract,
    by: str | Seat,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    enough: Callable[[int], bool] | None = None,
) -> list[BeatingLead]:
    """Return the leads against a contract, the one that sets it most often first.

    If the leader's hand is known in full, a lead is a card. Otherwise it is a suit, led as well as
    possible in each layout. Every solved layout is solved again for each card.

    Args:
        result: The Simulation.
        contract: The contract, such as ``"3N"``.
        by: The declarer.
        workers: Number of threads. Default: all cores.
        cluster: Ray cluster, as in ``simulate``.
        enough: Function that returns whether a number of layouts is enough; they are then chosen at
            random. Default: all layouts.

    Returns:
        A BeatingLead for each lead; an empty list if fewer than 20 layouts were solved.

    Example:
        >>> result = tc.simulate(
        ...     south="AQ864.K75.A3.KJ4", contracts=[("3N", "S")], samples=40, solve=20, seed=1
        ... )
        >>> sorted(lead.lead for lead in beating_leads(result, "3N", "S"))
        ['C', 'D', 'H', 'S']
    """
    bid, declarer = played_by(contract, by)
    owners = result.deals.owners[: result.solved]
    if not len(owners):
        return []
    measure = Leads(strain_of(bid), declarer)
    order = np.arange(len(owners))
    parts: list[NDArray[np.uint8]] = []
    if enough is not None:
        order = np.random.default_rng(len(owners)).permutation(order)
    step = len(owners) if enough is None or cluster is not None else _STEP
    for start in range(0, len(owners), step):
        if enough is not None and enough(start):
            break
        parts += solve_layouts(measure, owners[order[start : start + step]], workers, cluster)
    order = order[: sum(map(len, parts))]
    if len(order) < min(len(owners), MINIMUM_EXACT):
        return []
    taken = np.concatenate(parts)
    leader = owners == declarer.lho
    if (leader == leader[0]).all():
        cards = np.flatnonzero(leader[0])
        names, least = [card_text(int(card)) for card in cards], taken[:, cards]
    else:  # 255, a card not held, is never a suit's minimum unless the suit is void
        names = [suit.letter for suit in Suit]
        least = taken.reshape(-1, 4, 13).min(axis=2)
    sets = ((least < bid.tricks) & (least != UNKNOWN)).astype(float)
    # the network says nothing about leads, but layouts that it doubted were solved more often
    chance = result.chance
    if chance is not None:
        chance = chance[order] * len(order) / len(owners)
    unsaid = None if chance is None else np.zeros((result.samples, len(names)))
    found = means(sets, unsaid, unit=1.0, chance=chance, effect=result.effect)
    shares: list[Any] = values(found.chances())
    leads = [BeatingLead(name, share) for name, share in zip(names, shares, strict=True)]
    return sorted(leads, key=lambda lead: -lead.setting.mean)
