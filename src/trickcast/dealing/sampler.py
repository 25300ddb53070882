"""Layouts of the unknown cards, drawn uniformly from a set that holds all that pass.

Why this is exact. Let one seat, the *leading* seat, be drawn first. Its hand h is drawn with
probability w(h) / W, where w(h) is the number of ways to deal the other cards so that the other
seats have shapes they may have, and W the sum over the hands that h may be. Then one of these
w(h) ways is drawn, each with probability 1 / w(h): lengths seat by seat in proportion to the
layouts that they leave open, then the cards of each suit by a shuffle. So every layout of the set
has probability w(h) / W * 1 / w(h) = 1 / W. Dropping those that fail a condition leaves the others
equally likely. The set holds every layout that passes, because cells and shapes are only left out
where no hand of theirs passes (``structure``).
Choices are made by comparing a multiple of 2**-52 (2**-40 for lengths of other seats) with
cumulated weights in double precision: probabilities are right to about 1e-12.
"""

from collections.abc import Mapping
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat
from .holdings import HandDraw, SeatHands
from .language.shapes import LENGTHS, all_shapes
from .rest import OpenSeat, Rest, shuffles
from .structure import SeatStructure
from .words import Floats, Words

UNKNOWN_OWNER = 255
_CARDS = (np.arange(8192)[:, None] >> np.arange(13) & 1).astype(np.bool_)
"""(8192, 13) the cards of each holding id."""

Structures = Mapping[Seat, SeatStructure]


class Position:
    """The known cards: (52,) uint8, the owner of each or 255."""

    def __init__(self, known: NDArray[np.uint8]):
        self.known = known
        self.held = np.bincount(known[known < 4], minlength=4)
        """(4,) known cards of each seat."""
        by_suit = known.reshape(4, 13)
        self.ids = [_ids(by_suit == seat) for seat in range(4)]
        """For each seat the holding ids of its known cards, suit by suit."""
        self.free = _ids(by_suit == UNKNOWN_OWNER)
        """The holding ids of the cards whose owner is open."""
        self.sizes = (by_suit == UNKNOWN_OWNER).sum(axis=1)
        """(4,) how many these are."""

    @property
    def open_seats(self) -> list[Seat]:
        """The seats with cards to come."""
        return [seat for seat in Seat if self.held[seat] < 13]

    @property
    def layouts(self) -> int:
        """In how many ways the other cards can be dealt."""
        return shuffles([13 - int(self.held[seat]) for seat in self.open_seats])

    def lengths(self, seat: Seat) -> NDArray[np.int64]:
        """(4,) lengths of the known cards of a seat."""
        return np.array([ids.bit_count() for ids in self.ids[seat]], dtype=np.int64)

    def hands(self, seat: Seat, wanted: SeatStructure) -> SeatHands:
        """Return the hands that a seat may have, made of the holdings of ``wanted``."""
        return SeatHands(self.ids[seat], self.free, wanted.holdings, wanted.points)

    def share(self, seat: Seat, wanted: SeatStructure) -> float:
        """Return which part of the seat's possible hands is ``wanted``."""
        hands = self.hands(seat, wanted)
        total = comb(int(self.sizes.sum()), 13 - int(self.held[seat]))
        return float((hands.number * wanted.cells).sum()) / total


def _ids(held: NDArray[np.bool_]) -> list[int]:
    return [int(row @ (1 << np.arange(13))) for row in held]


class Sampler:
    """Draws layouts; those that the structures exclude never come."""

    def __init__(self, position: Position, structures: Structures):
        self.position = position
        self.leading = _leading(position, structures)
        """The seat that is drawn first; None to shuffle all cards."""
        others = [seat for seat in position.open_seats if seat != self.leading]
        self._rest = Rest([_open_seat(position, seat, structures) for seat in others])
        self._draw: HandDraw | None = None
        self.share = 1.0
        """Which part of all layouts may come."""
        if self.leading is not None:
            self._draw = self._weigh(self.leading, structures[self.leading])
            self.share = self._draw.total / position.layouts

    def _weigh(self, seat: Seat, wanted: SeatStructure) -> HandDraw:
        hands = self.position.hands(seat, wanted)
        kept = np.flatnonzero((hands.number * wanted.cells).any(axis=1))
        left = self.position.sizes - (LENGTHS[kept] - self.position.lengths(seat))
        layouts: Floats = np.zeros(len(LENGTHS))
        layouts[kept] = self._rest.layouts(left)
        return hands.weigh(wanted.cells * layouts[:, None])

    def draw(self, n: int, words: Words) -> NDArray[np.uint8]:
        """Return (n, 52) owners."""
        owners = np.tile(self.position.known, (n, 1))
        if self._draw is not None and self.leading is not None:
            ids = self._draw.draw(n, words)
            owners[_CARDS[ids].reshape(n, 52)] = self.leading
        self._rest.deal(owners, words)
        return owners


def _open_seat(position: Position, seat: Seat, structures: Structures) -> OpenSeat:
    shapes = structures[seat].shapes if seat in structures else all_shapes()
    return OpenSeat(seat, 13 - int(position.held[seat]), position.lengths(seat), shapes)


def _leading(position: Position, structures: Structures) -> Seat | None:
    """Choose the seat whose points and holdings exclude most; shapes are drawn for all seats."""
    gains = {}
    for seat in position.open_seats:
        wanted = structures.get(seat)
        if wanted is not None and not wanted.says_nothing:
            cells = np.broadcast_to(wanted.shapes[:, None], wanted.cells.shape)
            by_shape = SeatStructure(wanted.points, cells, np.ones_like(wanted.holdings))
            share = position.share(seat, wanted)
            gains[seat] = (share / position.share(seat, by_shape), share, seat)
    return min(gains, key=lambda seat: gains[seat]) if gains else None
