"""The codings of the cards themselves: 52×4, 52, 104 and 26×4.

Sources: Mossakowski & Mańdziuk 2004 (ICAISC) and 2009 (IEEE Transactions on Neural Networks 20(2)),
Mańdziuk & Suchan 2018 (ICONIP). The leader of the turned deal sits West, so North is dummy and
South declares, as in most of their tables.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...cards import Seat
from .coding import Inputs, Trumps
from .deal_views import exchange, turn

_SEATS = np.arange(4, dtype=np.uint8)
_MARKS = np.full((5, 52), 0.5, dtype=np.float32)
for _suit in range(4):
    _MARKS[_suit, 13 * _suit : 13 * _suit + 13] = 1.0
_RISING = np.arange(52).reshape(4, 13)[:, ::-1].ravel()
"""The cards of each suit from the two to the ace."""


@dataclass(frozen=True)
class FourHands:
    """52×4: a group of 52 inputs for each hand, 1 for the cards that it holds and 0 for the rest.

    The groups follow the order N E S W of the turned deal: dummy, declarer's right-hand opponent,
    declarer, leader. In a group the cards go from the ace of spades (of trumps) to the two of
    clubs; the 2009 paper does not state its order. Where trumps are ``marked``, suits are not
    exchanged: cards of other suits, and all cards in notrump, are 0.5 instead of 1.
    """

    name: str = "52x4"
    trumps: Trumps = "exchanged"
    version = 1
    size = 208
    turned = True
    negative = False

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, 208) for (n, 52) owners: uint8, or float32 where trumps are marked.

        ``strain`` and ``declarer`` are one value for all deals or n values.
        """
        turned = turn(_exchanged(owners, strain, self.trumps), declarer)
        held = turned[:, None, :] == _SEATS[:, None]  # (n, 4, 52)
        if self.trumps != "marked":
            rows: NDArray[np.uint8] = held.view(np.uint8).reshape(-1, self.size)
            return rows
        marks = np.broadcast_to(_MARKS[np.asarray(strain)], turned.shape)[:, None, :]
        marked: NDArray[np.float32] = np.multiply(held, marks, dtype=np.float32)
        return marked.reshape(-1, self.size)


@dataclass(frozen=True)
class LeaderLast:
    """52×4 of the 2018 paper: hands in the order W N E S, and the leader always South.

    The leader's left-hand opponent comes first, so the numbers are those of ``FourHands``.
    ``extras`` adds the nine inputs that the paper first tried and dropped. The deal is then neither
    turned nor exchanged: five inputs name the strain (S H D C N) and four the leader (W N E S).
    """

    name: str = "52x4-2018"
    extras: bool = False
    version = 1
    negative = False

    @property
    def size(self) -> int:
        """Inputs a row."""
        return 217 if self.extras else 208

    @property
    def turned(self) -> bool:
        """Whether the deal is turned to its leader."""
        return not self.extras

    @property
    def trumps(self) -> Trumps:
        """How the trump suit is treated."""
        return "marked" if self.extras else "exchanged"

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, 208) or (n, 217) uint8 of zeros and ones."""
        if not self.extras:
            owners = turn(exchange(owners, strain), declarer, leader=Seat.SOUTH)
        order = (_SEATS + Seat.WEST) % 4  # W N E S
        held: NDArray[np.bool_] = owners[:, None, :] == order[:, None]
        hands: NDArray[np.uint8] = held.view(np.uint8).reshape(-1, 208)
        if not self.extras:
            return hands
        strains = np.broadcast_to(strain, len(owners))[:, None] == np.arange(5)
        leaders = np.broadcast_to(_leader(declarer), len(owners))[:, None] == order
        return np.concatenate([hands, strains, leaders], axis=1, dtype=np.uint8)


@dataclass(frozen=True)
class OneNumber:
    """52: one input a card, a number for the seat that holds it; suits from the two to the ace.

    With ``values`` 1 for North and South and -1 for East and West the input shows only the side, so
    a side's two hands cannot be told apart. Where trumps are ``marked``, the cards of other suits,
    and all cards in notrump, are halved. Where they are ``ignored``, nothing is done.
    """

    name: str
    values: tuple[float, float, float, float]
    """The numbers for N E S W."""
    trumps: Trumps = "exchanged"
    version = 1
    size = 52
    turned = True
    negative = True

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, 52) float32."""
        turned = turn(_exchanged(owners, strain, self.trumps), declarer)
        rows = np.take(np.array(self.values, dtype=np.float32), turned)
        if self.trumps == "marked":
            rows *= _MARKS[np.asarray(strain)]
        return rows[:, _RISING]


@dataclass(frozen=True)
class PairAndHand:
    """104: two inputs a card, for the side (NS 1, EW -1) and for the hand (N, W 1; S, E -1)."""

    name: str = "104"
    trumps: Trumps = "exchanged"
    version = 1
    size = 104
    turned = True
    negative = True

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, 104) float32."""
        turned = turn(_exchanged(owners, strain, self.trumps), declarer)[:, _RISING]
        sides = np.take(np.array([1, -1, 1, -1], dtype=np.float32), turned)
        hands = np.take(np.array([1, -1, -1, 1], dtype=np.float32), turned)
        if self.trumps == "marked":
            marks = _MARKS[np.asarray(strain)][..., _RISING]
            sides, hands = sides * marks, hands * marks
        return np.concatenate([sides, hands], axis=1)


@dataclass(frozen=True)
class RankAndSuit:
    """26×4: two inputs for each of the thirteen cards of each hand, its rank and its suit.

    Hands follow the order N E S W, their cards from the ace of spades to the two of clubs; the
    papers state neither. Ranks go evenly from ``low`` for a two to ``high`` for an ace. Suits are
    0.3, 0.5, 0.7, 0.9 for S H D C on [0.1, 0.9] (2009), or even from end to end (2004). The extra
    inputs of 2009 are the trump suit's number (0.1 in notrump), instead of exchanging suits, and
    one input for each hand, 1 for the leader's, instead of turning the deal.
    """

    name: str = "26x4"
    low: float = 0.1
    high: float = 0.9
    suits: Literal["2004", "2009"] = "2009"
    trump_input: bool = False
    leader_inputs: bool = False
    version = 1
    negative = False

    @property
    def size(self) -> int:
        """Inputs a row."""
        return 104 + self.trump_input + 4 * self.leader_inputs

    @property
    def turned(self) -> bool:
        """Whether the deal is turned to its leader."""
        return not self.leader_inputs

    @property
    def trumps(self) -> Trumps:
        """How the trump suit is treated."""
        return "marked" if self.trump_input else "exchanged"

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, size) float32."""
        view = _exchanged(owners, strain, self.trumps)
        if self.turned:
            view = turn(view, declarer)
        cards = np.argsort(view, axis=1, kind="stable")  # of N, then E, S, W, each in card order
        parts = [self.numbers[cards].reshape(-1, 104)]
        if self.trump_input:
            shares = np.append(self._suit_shares, 0.0)
            numbers = (self.low + (self.high - self.low) * shares).astype(np.float32)
            parts.append(np.broadcast_to(numbers[np.asarray(strain)], len(view))[:, None])
        if self.leader_inputs:
            leaders = np.broadcast_to(_leader(declarer), len(view))[:, None] == _SEATS
            parts.append(leaders.astype(np.float32))
        return np.concatenate(parts, axis=1)

    @property
    def _suit_shares(self) -> NDArray[np.float64]:
        return np.arange(4) / 3 if self.suits == "2004" else (np.arange(4) + 1) / 4

    @property
    def numbers(self) -> NDArray[np.float32]:
        """(52, 2): rank and suit of each card."""
        ranks, suits = np.tile(np.arange(12, -1, -1) / 12, 4), np.repeat(self._suit_shares, 13)
        shares = np.stack([ranks, suits], axis=1)
        return (self.low + (self.high - self.low) * shares).astype(np.float32)


CardCoding = FourHands | LeaderLast | OneNumber | PairAndHand | RankAndSuit
"""Every coding of the cards that a model file can hold."""


def _exchanged(owners: NDArray[np.uint8], strain: ArrayLike, trumps: Trumps) -> NDArray[np.uint8]:
    return exchange(owners, strain) if trumps == "exchanged" else owners


def _leader(declarer: ArrayLike) -> NDArray[np.int64]:
    return (np.asarray(declarer, dtype=np.int64) + 1) % 4
