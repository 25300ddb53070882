"""Tricks that championship players give away on a board, by role, and how a play compares.

A card costs the tricks by which it falls short of the best card, double dummy. The
lead is the first card, the defence all other cards of the defenders; declarer plays two hands.
"""

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Seat
from ..evaluation.clusters import Z

ROLES = ("lead", "defence", "declarer")
NORMS = Path(__file__).with_name("norms.csv")
"""Role, tricks given away, number of championship boards with that result."""


class Norm(NamedTuple):
    """What championship players give away on a board in a role."""

    mean: float
    """Mean tricks per board."""
    low: float
    """Ends of the 95 % interval of the mean."""
    high: float
    shares: tuple[float, ...]
    """Shares of boards on which 0, 1, 2 … tricks were given away."""

    def at_most(self, tricks: int) -> float:
        """Return the share of boards on which at most this many tricks were given away."""
        return float(sum(self.shares[: tricks + 1]))


@cache
def norms() -> dict[str, Norm]:
    """Return the norm of each role: ``lead``, ``defence``, ``declarer``.

    >>> from trickcast.played import norms
    >>> norms()["lead"].mean < norms()["declarer"].mean
    True
    """
    found = {}
    with NORMS.open(encoding="ascii", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for role in ROLES:
        boards = np.array([int(row["boards"]) for row in rows if row["role"] == role])
        tricks = np.arange(len(boards))
        mean = float(np.average(tricks, weights=boards))
        spread = float(np.average((tricks - mean) ** 2, weights=boards)) ** 0.5
        error = Z * spread / float(boards.sum()) ** 0.5
        shares = tuple(float(share) for share in boards / boards.sum())
        found[role] = Norm(mean, mean - error, mean + error, shares)
    return found


def given_away(
    owners: NDArray[np.uint8], values: NDArray[np.uint8], cards: Sequence[int], declarer: Seat
) -> dict[str, int]:
    """Return the tricks that each role gave away in the play of k cards.

    Args:
        owners: Owners of the deal, shape (52,), uint8.
        values: Tricks of declarer's side with each legal card, shape (k + 1, 52),
            uint8, as from ``values_of_cards``.
        cards: Card indices in the order played.
        declarer: The declarer.

    Returns:
        Numbers of tricks by role: ``lead``, ``defence`` and ``declarer``.

    Example:
        >>> deal = tc.random_deals(1, seed=1)[0]
        >>> from trickcast.solver import values_of_cards
        >>> lead = int(np.flatnonzero(deal.owners == Seat.EAST)[0])
        >>> values = values_of_cards(deal.owners, tc.Strain.NOTRUMP, Seat.NORTH, [lead])
        >>> sorted(given_away(deal.owners, values, [lead], Seat.NORTH))
        ['declarer', 'defence', 'lead']
    """
    lost = dict.fromkeys(ROLES, 0)
    for number, card in enumerate(cards):
        could = values[number][values[number] != UNKNOWN]
        taken = int(values[number][card])
        if owners[card] % 2 == declarer % 2:
            lost["declarer"] += int(could.max()) - taken
        else:
            lost["lead" if number == 0 else "defence"] += taken - int(could.min())
    return lost
