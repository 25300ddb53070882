"""Which opening lead beats a contract, over the solved layouts of a simulation."""

from typing import Any, NamedTuple

import numpy as np

from ..cards import UNKNOWN, Seat, Suit, card_text
from ..scoring import Contract
from .contracts import Simulation
from .controls import means
from .layouts import solve_layouts
from .leads import Leads
from .outcomes import Value, played, strain_of, values


class BeatingLead(NamedTuple):
    """A lead, and the share of the layouts in which it sets the contract."""

    lead: str
    """A card, where the leader's hand is the same in all layouts; else a suit's letter."""
    setting: Value
    """(probability, low, high)."""


def beating_leads(
    result: Simulation,
    contract: str | Contract,
    by: str | Seat,
    *,
    workers: int | None = None,
    cluster: str | None = None,
) -> list[BeatingLead]:
    """Return the leads against a contract, that which sets it most often first.

    Where the leader's hand is known in full a lead is a card; else it is a suit, led as well as
    possible in each layout. Every solved layout is solved again, for every card; none where
    nothing was solved. ``cluster`` as in ``simulate``.
    """
    bid, declarer = played(contract), Seat.parse(by)
    owners = result.deals.owners[: result.solved]
    if not len(owners):
        return []
    question = Leads(strain_of(bid), declarer)
    taken = np.concatenate([*solve_layouts(question, owners, workers, cluster)])
    leader = owners == declarer.lho
    if (leader == leader[0]).all():
        cards = np.flatnonzero(leader[0])
        names, least = [card_text(int(card)) for card in cards], taken[:, cards]
    else:  # 255, a card that is not held, is never the least of a suit that is
        names = [suit.letter for suit in Suit]
        least = taken.reshape(-1, 4, 13).min(axis=2)
    sets = ((least < bid.tricks) & (least != UNKNOWN)).astype(float)
    # the network says nothing of a lead, but those that it doubted were solved more often
    unsaid = None if result.chance is None else np.zeros((result.samples, len(names)))
    found = means(sets, unsaid, unit=1.0, chance=result.chance, effect=result.effect)
    shares: list[Any] = values(found.chances())
    leads = [BeatingLead(name, share) for name, share in zip(names, shares, strict=True)]
    return sorted(leads, key=lambda lead: -lead.setting.mean)
