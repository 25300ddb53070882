"""Dealing what is left to the other seats, all layouts of their shapes alike.

Where no shape is asked of them, the cards left are shuffled. Otherwise their suit lengths are
drawn seat after seat. The number of layouts that a choice of lengths leaves open depends on the
numbers of cards left in the four suits alone, so it is counted once for all such numbers, from
the last seat back to the first, and lengths are drawn in proportion to it.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat
from .language.evaluation import by_key, shape_keys
from .language.shapes import LENGTHS, Shapes
from .words import Floats, Words

Sizes = NDArray[np.int64]
"""(…, 4) numbers of cards in the four suits."""

_CHOOSE = np.array([[comb(n, k) for k in range(14)] for n in range(14)], dtype=np.float64)
_SEAT_BITS = np.uint64(3)
_PAD = np.uint64(1 << 63)
_FRACTION_BITS = 40  # a state's number, below 2**12, and its fraction fit one float exactly


@dataclass(frozen=True, eq=False)
class OpenSeat:
    """A seat with cards to come."""

    seat: Seat
    need: int
    """How many."""
    known: Sizes
    """(4,) lengths of its known cards."""
    shapes: Shapes
    """Those that it may have."""


class Rest:
    """The other seats, and the layouts of the cards left to them."""

    def __init__(self, seats: list[OpenSeat]):
        self._shaped = any(not seat.shapes.all() for seat in seats)
        # Seats with fewer shapes first: the tables are smaller.
        self._seats = sorted(seats, key=lambda seat: (seat.shapes.sum(), seat.seat))
        self._stages: list[_Stage] = []

    def layouts(self, left: Sizes) -> Floats:
        """Return how many layouts (m, 4) cards left have: (m,); draw only from such numbers."""
        if not self._seats:
            return np.ones(len(left))
        if not self._shaped:
            return np.full(len(left), float(shuffles([seat.need for seat in self._seats])))
        self._stages = []
        return self._count(_keys(left), self._seats)

    def _count(self, states: NDArray[np.int64], seats: list[OpenSeat]) -> Floats:
        """Count the layouts of each state, and keep the stages that draw them."""
        keys, where = np.unique(states, return_inverse=True)
        left = _sizes(keys)
        seat = seats[0]
        if len(seats) == 1:
            shape = left + seat.known
            fits = (left.sum(axis=1) == seat.need) & (shape <= 13).all(axis=1)
            fits &= by_key(seat.shapes)[shape_keys(np.minimum(shape, 13))]
            one_or_none: Floats = fits.astype(np.float64)[where]
            return one_or_none
        options = LENGTHS[seat.shapes] - seat.known
        options = options[(options >= 0).all(axis=1)]
        if not len(options):
            return np.zeros(len(states))
        fits = (left[:, None] >= options).all(axis=2)
        weights = np.zeros(fits.shape)
        state, option = np.nonzero(fits)
        ways = _CHOOSE[left[state], options[option]].prod(axis=1)
        place = len(self._stages)
        then = self._count(_keys(left[state] - options[option]), seats[1:])
        weights[state, option] = ways * then
        self._stages.insert(place, _Stage(keys, options, weights))
        layouts: Floats = weights.sum(axis=1)[where]
        return layouts

    def deal(self, owners: NDArray[np.uint8], words: Words) -> None:
        """Give the cards of (n, 52) owners that are 255 to the other seats, in place."""
        if not self._seats:
            return
        free = owners == 255
        if not self._shaped:
            needs = [seat.need for seat in self._seats]
            order = np.repeat([seat.seat for seat in self._seats], needs).astype(np.uint64)
            keys = words.raw(len(owners), len(order)) & ~_SEAT_BITS | order
            keys.sort(axis=1)
            owners[free] = (keys & _SEAT_BITS).ravel()
            return
        self._deal_shapes(owners, free.reshape(-1, 4, 13), words)

    def _deal_shapes(
        self, owners: NDArray[np.uint8], free: NDArray[np.bool_], words: Words
    ) -> None:
        left = free.sum(axis=2)
        position = np.arange(13)
        seat = np.full(free.shape, self._seats[-1].seat, dtype=np.uint64)
        used = np.zeros_like(left)
        for stage, one in zip(self._stages, self._seats, strict=False):
            more = used + stage.draw(left - used, words)
            mine = (position >= used[..., None]) & (position < more[..., None])
            seat[mine] = one.seat
            used = more
        dealt = position < left[..., None]
        keys = words.raw(*free.shape) & ~(_SEAT_BITS | _PAD) | seat
        keys[~dealt] |= _PAD  # sorts behind the cards
        keys.sort(axis=2)
        owners.reshape(-1, 4, 13)[free] = (keys & _SEAT_BITS)[dealt]


class _Stage:
    """How long the suits of one seat are, given what is left when its turn comes."""

    def __init__(self, keys: NDArray[np.int64], options: Sizes, weights: Floats):
        self._keys = keys
        self._options = options
        cumulated = weights.cumsum(axis=1)
        total = cumulated[:, -1:]
        cumulated = np.divide(cumulated, total, out=np.ones_like(cumulated), where=total > 0)
        self._cumulated = (cumulated + np.arange(len(keys))[:, None]).ravel()

    def draw(self, left: Sizes, words: Words) -> Sizes:
        state = np.searchsorted(self._keys, _keys(left))
        aim = state + words.fractions(len(left), bits=_FRACTION_BITS)
        drawn = np.searchsorted(self._cumulated, aim, side="right")
        lengths: Sizes = self._options[drawn - state * len(self._options)]
        return lengths


def shuffles(needs: list[int]) -> int:
    """Return in how many ways cards can be dealt to seats that need so many."""
    total, ways = sum(needs), 1
    for need in needs:
        ways *= comb(total, need)
        total -= need
    return ways


def _keys(sizes: Sizes) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = sizes @ np.array([2744, 196, 14, 1])
    return keys


def _sizes(keys: NDArray[np.int64]) -> Sizes:
    sizes: Sizes = keys[:, None] // np.array([2744, 196, 14, 1]) % 14
    return sizes
