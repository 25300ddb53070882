"""The play of the cards: whose turn it is, which cards are legal, and who has won the tricks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .enums import Seat, Strain, Suit
from .errors import DealError
from .positions import GONE, cards_a_hand
from .text import card_text


class PlayError(DealError):
    """An illegal card; ``played`` counts the legal cards before it."""

    def __init__(self, message: str, played: int):
        super().__init__(message)
        self.played = played


def winner(trick: Sequence[int], strain: int) -> int:
    """Return the index of the card that takes the trick, given its cards in the order played."""
    best, suit = trick[0], trick[0] // 13
    for card in trick:
        own = card // 13
        if own == suit:
            best = min(best, card)
        elif own == strain:
            best, suit = card, own
    return trick.index(best)


@dataclass(frozen=True, eq=False)
class Position:
    """The state of a play after some cards."""

    owners: NDArray[np.uint8]
    """(52,) the seat that still holds each card; 255 for cards already played."""
    leader: Seat
    """The seat that led to the trick on the table, or leads to the next."""
    trick: tuple[int, ...]
    """The cards on the table, at most three, in the order played."""
    won: tuple[int, int]
    """Tricks won by North-South and by East-West."""

    @property
    def turn(self) -> Seat:
        """The seat that plays the next card."""
        return Seat((self.leader + len(self.trick)) % 4)

    @property
    def playable(self) -> NDArray[np.intp]:
        """The cards that are legal next: those of the suit led, if the seat has any."""
        held = np.flatnonzero(self.owners == self.turn)
        if self.trick:
            following = held[held // 13 == self.trick[0] // 13]
            return following if len(following) else held
        return held

    def after(self, card: int, strain: Strain) -> "Position":
        """Return the position after a legal card."""
        owners = self.owners.copy()
        owners[card] = GONE
        trick = (*self.trick, card)
        if len(trick) < 4:
            return replace(self, owners=owners, trick=trick)
        leader = Seat((self.leader + winner(trick, strain)) % 4)
        north_south, east_west = self.won
        won = (north_south + (leader.side == 0), east_west + leader.side)
        return Position(owners, leader, (), won)


def positions(
    owners: NDArray[np.uint8], strain: Strain, leader: Seat, cards: Sequence[int]
) -> list[Position]:
    """Return the k + 1 positions of a play of k cards: before each card, and after the last.

    ``owners`` is (52,), a deal's or a position's; ``cards`` are indices in the order of play.
    Raises DealError for invalid owners, PlayError for an illegal card.
    """
    cards_a_hand(owners[None])
    reached = [Position(owners, leader, (), (0, 0))]
    for number, card in enumerate(cards):
        now = reached[-1]
        if card not in now.playable:
            message = f"card {number + 1}, {card_text(card)}: {_refusal(now, card)}"
            raise PlayError(message, number)
        reached.append(now.after(card, strain))
    return reached


def _refusal(now: Position, card: int) -> str:
    owner = now.owners[card]
    if owner == GONE:
        return "it was already played"
    if owner != now.turn:
        return f"{Seat(owner).word} holds it, and {now.turn.word} is to play"
    return f"{now.turn.word} has to follow in {Suit(now.trick[0] // 13).name.lower()}"
