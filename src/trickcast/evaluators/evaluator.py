"""A hand-strength method: a name, a source, bounds, and the value of a holding."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..cards import HandsLike, Strain, as_hands
from .holdings import Floats, HoldingIds, HoldingValue, holding_ids, holding_table

Bounds = tuple[float, float]
"""Smallest and largest possible value."""


class Kind(StrEnum):
    """What the numbers of a method count."""

    POINTS = "point count"
    DISTRIBUTION = "points with distribution"
    TRICKS = "tricks"
    LOSERS = "losers"
    CONTROLS = "controls"


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluator:
    """One hand-strength method: the sum of the values of each suit's holding.

    ``evaluators.get`` gives the methods that ship. A method of your own is built the same way and
    checked with ``evaluators.check_evaluator``.

    >>> points = tc.evaluators.get("work_points")
    >>> float(points.evaluate("A.KQ9832.T94.AKT")), points.hand_bounds
    (16.0, (0, 37))
    """

    name: str
    """Lower-case identifier."""
    title: str
    """Name in the literature."""
    kind: Kind
    source: str
    """Where the rules come from; notes choices made where the rules leave something open."""
    hand_bounds: Bounds
    """Bounds for one hand, at notrump."""
    pair_bounds: Bounds
    """Bounds for the sum of two hands of one deal, at notrump."""
    holding: HoldingValue
    """The value of a holding at notrump."""
    side_holding: HoldingValue | None = None
    """The value of a holding in a side suit; None if the same as at notrump."""
    trump_holding: HoldingValue | None = None
    """The value of a holding in trumps; None if the same as in a side suit."""
    trump_hand_bounds: Bounds | None = None
    """Like ``hand_bounds``, with a trump suit; None if trumps change nothing."""
    trump_pair_bounds: Bounds | None = None
    """Like ``pair_bounds``, with a trump suit; None if trumps change nothing."""
    whole: Callable[[HoldingIds], Floats] | None = None
    """Added for the hand as a whole, from (n, 4) holding ids to (n,)."""
    aliases: tuple[str, ...] = ()
    """Other names that users know it by."""
    rising: bool = True
    """Whether more means a stronger hand; false for counts of losers."""
    symmetric: bool = True
    """Whether exchanging suits (and trumps with them) changes nothing."""

    @property
    def knows_trumps(self) -> bool:
        """Whether the value depends on the trump suit."""
        return self.side_holding is not None or self.trump_holding is not None

    def evaluate(self, hands: HandsLike, trump: str | Strain | None = None) -> Floats:
        """Return the value of each hand: (n,) float64, or () for one hand.

        ``hands`` is a Hand, dotted text, a list of these, or an (n, 52) bool array. ``trump`` is
        a suit, or None or notrump; methods without ``knows_trumps`` give the same value for all.
        Raises DealError naming an invalid hand or strain.
        """
        held, single = as_hands(hands)
        values = self.of_holdings(holding_ids(held), trump)
        return values[0, ...] if single else values

    def of_holdings(self, ids: HoldingIds, trump: str | Strain | None = None) -> Floats:
        """Return the (n,) values of hands given as (n, 4) holding ids."""
        trumps = parse_trump(trump)
        side = self.holding if trumps is None else self.side_holding or self.holding
        values = np.zeros(len(ids))
        for suit in range(4):
            value = self.trump_holding or side if suit == trumps else side
            values += holding_table(value)[ids[:, suit]]
        return values if self.whole is None else values + self.whole(ids)

    def bounds(self, trump: str | Strain | None = None, *, pair: bool = False) -> Bounds:
        """Return the smallest and largest value of a hand, or of the sum of a ``pair`` of hands.

        This is the range that the papers map to [0.1, 0.9] for a network's input. Raises
        DealError if ``trump`` is not a strain.
        """
        at_notrump = self.pair_bounds if pair else self.hand_bounds
        if parse_trump(trump) is None:
            return at_notrump
        return (self.trump_pair_bounds if pair else self.trump_hand_bounds) or at_notrump

    def __repr__(self) -> str:
        return f"<Evaluator {self.name}: {self.title}>"


def parse_trump(trump: str | Strain | None) -> Strain | None:
    """Return the trump suit, or None at notrump. Raises DealError for an invalid strain."""
    strain = Strain.NOTRUMP if trump is None else Strain.parse(trump)
    return None if strain is Strain.NOTRUMP else strain
