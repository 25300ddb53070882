"""Draw layouts of the unknown cards uniformly from a set that holds every layout that passes.

Why this is exact. One seat, the *leading* seat, is drawn first. Its hand h is drawn with
probability w(h) / W. Here w(h) is the number of ways to deal the other cards so that the other
seats have allowed shapes, and W is the sum over all allowed hands h. Then one of these
w(h) ways is drawn, each with probability 1 / w(h): lengths seat by seat in proportion to the
layouts that they leave open, then the cards of each suit by a shuffle. So every layout of the set
has probability w(h) / W * 1 / w(h) = 1 / W. Dropping those that fail a condition leaves the others
equally likely. The set holds every layout that passes, because cells and holdings are only left out
if none of their hands passes (``SeatLimits``).
Choices compare a multiple of 2**-52 (2**-40 for lengths of other seats) with
cumulative weights in double precision: probabilities are right to about 1e-12.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Suit
from ..evaluators.holdings import HoldingIds, all_holdings
from ..evaluators.holdings import lengths as lengths_of
from .language.conditions import (
    ANY_NUMBER,
    UNDECIDED,
    Bounds,
    Facts,
    HandCount,
    HandFacts,
    InShapes,
    Node,
    bounds,
    by_key,
    conjuncts,
    deal_counts,
    divides,
    evaluate,
    known,
    leaves,
    may_hold,
    shape_keys,
)
from .language.hand_counts import Count, Table
from .language.shapes import LENGTHS, Shapes, all_shapes
from .shuffling import Floats, RandomWords

UNKNOWN_OWNER = 255

# --- what conditions say about one hand: its allowed shapes, points and holdings
#
# A table has a cell for each of the 560 shapes and each value of one count, such as high-card
# points. Conditions have three values: a cell *may* hold hands that satisfy the condition,
# and it *must* if all of its hands do. Anything that depends on other things (other seats, single
# cards, other counts) is true in some hands and false in others, so ``may`` never excludes an
# allowed hand. Drawing from the cells that may, and testing what they leave open, gives exactly
# the layouts that pass.

SUIT_POINTS = 10
"""The most that a count of cells gives for one suit: with ace, king, queen, jack, 10 hcp."""
POINTS = 4 * SUIT_POINTS + 1
"""Upper limit (exclusive) of such a count for a hand."""
Cells = NDArray[np.bool_]
"""(560, 41) bool, or an array that broadcasts to it: shapes by points."""
FullHands = Mapping[Seat, HoldingIds]
"""The fully known hands, each as (1, 4) holding ids."""


@dataclass(frozen=True)
class CellFacts(Facts):
    """The cells of a table as facts: what shape and points tell about each cell."""

    seat: Seat
    points: Count
    """The count that distinguishes cells of one shape; ``is_cell_count`` is true for it."""
    known: FullHands
    """The other seats' known hands."""
    exact = False

    def count(self, count: Count, seat: Seat) -> Bounds:
        """Return a count if shape, points or a known hand determine it."""
        if seat in self.known:
            return known(count.of(self.known[seat])[0])
        if seat != self.seat:
            return ANY_NUMBER
        if count is self.points:
            return known(np.arange(POINTS)[None, :])
        return ANY_NUMBER if count.by_shape is None else known(count.by_shape[:, None])

    def in_shapes(self, shapes: Shapes, seat: Seat) -> Bounds:
        """Return whether each shape is in this set."""
        return known(shapes[:, None]) if seat == self.seat else UNDECIDED

    def has_cards(self, cards: tuple[int, ...], seat: Seat) -> Bounds:
        """Return no information: shape and points do not determine single cards."""
        return UNDECIDED


def is_cell_count(count: Count) -> bool:
    """Return whether a count is a sum over four suits of 0 to ``SUIT_POINTS`` whole points each."""
    return (
        count.whole is None
        and count.scale == 1
        and all(
            table is not None
            and table.dtype.kind == "i"
            and table.min() >= 0
            and table.max() <= SUIT_POINTS
            for table in count.tables
        )
    )


@dataclass(frozen=True)
class CellLimits:
    """The cells in which a condition may, and those in which it must, be satisfied."""

    may: Cells
    must: Cells

    @property
    def exact(self) -> bool:
        """Whether shape and points decide the condition."""
        return self.may is self.must or bool((self.may == self.must).all())


@dataclass(frozen=True)
class SeatLimits:
    """What the conditions say about one seat."""

    points: Count
    """The count behind the cells."""
    cells: Cells
    """(560, 41) bool, the cells that may hold a hand satisfying the conditions."""
    holdings: NDArray[np.bool_]
    """(4, 8192) bool, the holdings of each suit that they allow."""

    @property
    def shapes(self) -> NDArray[np.bool_]:
        """(560,) bool, the shapes with any such cell."""
        shapes: NDArray[np.bool_] = np.asarray(self.cells.any(axis=1))
        return shapes

    def joined(self, other: "SeatLimits") -> "SeatLimits":
        """Return the limits of both combined; they must use the same count."""
        return SeatLimits(self.points, self.cells & other.cells, self.holdings & other.holdings)

    def within(self, other: "SeatLimits") -> bool:
        """Whether the other one excludes nothing more."""
        return not ((self.cells > other.cells).any() or (self.holdings > other.holdings).any())

    @property
    def says_nothing(self) -> bool:
        """Whether every hand is allowed."""
        return bool(self.cells.all() and self.holdings.all())


def seat_limits(nodes: Sequence[Node], facts: CellFacts) -> SeatLimits:
    """Return what conditions that must all hold say about one seat."""
    cells = np.ones((len(LENGTHS), POINTS), dtype=np.bool_)
    holdings = np.ones((4, 8192), dtype=np.bool_)
    for whole in nodes:
        for node in conjuncts(whole):
            np.logical_and(cells, in_cells(node, facts).may, out=cells)
            suit = only_suit(node, facts.seat)
            if suit is not None:
                holdings[suit] &= may_hold(node, _holdings(facts.seat, suit))
    return SeatLimits(facts.points, cells, holdings)


def decided(node: Node, facts: CellFacts, *, by_shape: bool = False) -> bool:
    """Return whether the seat's structure decides the condition.

    With ``by_shape``, only shapes count, not points and holdings.
    """
    for part in conjuncts(node):
        cells = in_cells(part, facts)
        by_cells = cells.exact and not (by_shape and (cells.may != cells.may[:, :1]).any())
        if not by_cells and (by_shape or not _by_holdings(part, facts.seat)):
            return False
    return True


def only_suit(node: Node, seat: Seat) -> Suit | None:
    """Return the suit of the seat's hand that alone decides the condition, if there is one."""
    suits: set[Suit] = set()
    if deal_counts(node):
        return None
    for leaf in leaves(node):
        if leaf.seat != seat or isinstance(leaf, InShapes):
            return None
        if isinstance(leaf, HandCount):
            suits |= set(leaf.count.suits)
        else:
            suits |= {Suit(card // 13) for card in leaf.cards}
    return suits.pop() if len(suits) == 1 else None


def _holdings(seat: Seat, suit: Suit) -> HandFacts:
    """Return the facts of hands that are the 8,192 holdings of ``suit``, without other cards."""
    ids = np.zeros((8192, 4), dtype=np.uint16)
    ids[:, suit] = np.arange(8192)
    return HandFacts({seat: ids})


def _by_holdings(node: Node, seat: Seat) -> bool:
    """Return whether a condition concerns only one suit, and every holding in it decides it."""
    suit = only_suit(node, seat)
    if suit is None or not divides(node):
        return suit is not None
    facts = _holdings(seat, suit)  # some may divide by zero
    return bool((evaluate(node, facts) == may_hold(node, facts)).all())


def in_cells(node: Node, facts: CellFacts) -> CellLimits:
    """Return the cells of one seat in which a condition may and must hold."""
    (must, may) = bounds([node], facts)[0]
    shape = (len(LENGTHS), POINTS)
    all_may = np.broadcast_to(may, shape)
    return CellLimits(all_may, all_may if must is may else np.broadcast_to(must, shape))


# --- the hands that one seat can still hold, counted by shape and points, and drawn uniformly
#
# A hand is four holdings. Those of one suit are counted by (length, points), two suits together by
# (length, length, total points), a hand by shape and points, of whichever count. All numbers are
# exact: they stay far below 2**53. A hand is drawn top down: its shape, points and the points of
# its majors in one draw, the points of a spade and of a diamond holding in the next two, then each
# holding among those of its length and points. So the probability of a hand is its cell's weight
# over the number of hands in the cell, the same for all hands of the cell.

_IN_SUIT = SUIT_POINTS + 1
"""Upper limit (exclusive) of the points in a suit."""
_IN_PAIR = 2 * SUIT_POINTS + 1
"""Upper limit (exclusive) of the points in two suits."""


@dataclass(frozen=True, eq=False)
class _SuitHoldings:
    """The holdings that a seat may have in one suit."""

    ids: NDArray[np.uint16]
    """(m,) sorted by (length, points)."""
    number: NDArray[np.int64]
    """(14, 11) the number of holdings with each length and points."""
    first: NDArray[np.int64]
    """(14, 11) the index in ``ids`` of the first of these."""


class SeatHands:
    """Hands made of a seat's known cards and of free cards, suit by suit as allowed."""

    def __init__(
        self, known: list[int], free: list[int], allowed: NDArray[np.bool_], points: Count
    ):
        """Take holding ids of known and of free cards for four suits; ``allowed`` is (4, 8192)."""
        self._suits = [
            _suit_holdings(known[i], free[i], allowed[i], points.tables[i]) for i in range(4)
        ]
        spades, hearts, diamonds, clubs = (suit.number for suit in self._suits)
        self._majors, self._minors = _by_first(spades, hearts), _by_first(diamonds, clubs)

    @property
    def number(self) -> Floats:
        """(560, 41) the number of hands in each cell."""
        cells: Floats = self._by_major_points().sum(axis=2)
        return cells

    def _by_major_points(self) -> Floats:
        """(560, 41, 21) the number of hands by shape, points, and points in spades and hearts."""
        spades, hearts, diamonds, clubs = LENGTHS.T
        majors = self._majors.sum(axis=3)[spades, hearts]
        minors = self._minors.sum(axis=3)[diamonds, clubs]
        counts = np.zeros((len(LENGTHS), POINTS, _IN_PAIR))
        for points in range(_IN_PAIR):
            width = min(_IN_PAIR, POINTS - points)
            counts[:, points : points + width, points] = majors[:, points, None] * minors[:, :width]
        return counts

    def weigh(self, weights: Floats) -> "HandDraw":
        """Return a HandDraw in which each hand is as likely as the weight of its (560, 41) cell."""
        classes = self._by_major_points() * weights[:, :, None]
        kept = np.flatnonzero(classes)
        shape, points, major_points = np.unravel_index(kept, classes.shape)
        splits = self._majors.cumsum(axis=3), self._minors.cumsum(axis=3)
        cumulated = np.cumsum(classes.ravel()[kept])
        return HandDraw(self._suits, splits, cumulated, shape, points, major_points)


@dataclass(frozen=True, eq=False)
class HandDraw:
    """A distribution over the hands of a seat."""

    suits: list[_SuitHoldings]
    splits: tuple[Floats, Floats]
    """For the majors and the minors (14, 14, 21, 11): the number of pairs of holdings with
    these lengths and points of both, cumulated by the points of the first."""
    cumulated: Floats
    """(c,) cumulative weights of the classes, which the next three fields define."""
    shape: NDArray[np.intp]
    points: NDArray[np.intp]
    major_points: NDArray[np.intp]

    @property
    def total(self) -> float:
        """The sum of the weights of all hands."""
        return float(self.cumulated[-1]) if self.cumulated.size else 0.0

    def draw(self, n: int, words: RandomWords) -> HoldingIds:
        """Draw ``n`` hands: (n, 4) holding ids."""
        aim = words.fractions(n) * self.total
        drawn = np.searchsorted(self.cumulated, aim, side="right")
        lengths = LENGTHS[self.shape[drawn]]
        majors = self.major_points[drawn]
        minors = self.points[drawn] - majors
        of_majors, of_minors = self.splits
        spades, hearts, diamonds, clubs = lengths.T
        of_spades = _pick(of_majors[spades, hearts, majors], words.fractions(n))
        of_diamonds = _pick(of_minors[diamonds, clubs, minors], words.fractions(n))
        points = (of_spades, majors - of_spades, of_diamonds, minors - of_diamonds)
        ids = np.empty((n, 4), dtype=np.uint16)
        for i, suit in enumerate(self.suits):
            cell = lengths[:, i], points[i]
            among = (words.fractions(n) * suit.number[cell]).astype(np.int64)
            ids[:, i] = suit.ids[suit.first[cell] + among]
        return ids


def _suit_holdings(
    known: int, free: int, allowed: NDArray[np.bool_], worth: Table | None
) -> _SuitHoldings:
    ids = np.arange(8192, dtype=np.uint16)
    others = 8191 & ~(known | free)
    ids = ids[((ids & known) == known) & ((ids & others) == 0) & allowed]
    lengths = lengths_of(ids)
    points = np.zeros_like(lengths) if worth is None else worth[ids].astype(np.int64)
    order = np.lexsort((ids, points, lengths))
    number = np.bincount(lengths * _IN_SUIT + points, minlength=14 * _IN_SUIT)
    first = np.cumsum(number) - number
    return _SuitHoldings(ids[order], number.reshape(14, -1), first.reshape(14, -1))


def _by_first(first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    """Return (14, 14, 21, 11) pairs of holdings by lengths, points of both, and of the first."""
    counts = np.zeros((14, 14, _IN_PAIR, _IN_SUIT))
    for points in range(_IN_SUIT):
        counts[:, :, points : points + _IN_SUIT, points] = (
            first[:, None, points, None] * second[None, :, :]
        )
    return counts


def _pick(cumulated: NDArray[np.float64], fractions: Floats) -> NDArray[np.int64]:
    """Return for each row an index drawn by weight: the one that its fraction falls on.

    ``cumulated`` is (n, k), the cumulative weights of each row; weights of 0 are never picked.
    """
    aim = fractions * cumulated[:, -1]
    picked: NDArray[np.int64] = (cumulated <= aim[:, None]).sum(axis=1)
    return picked


# --- dealing the remaining cards to the other seats, all layouts of their shapes equally likely
#
# If their shapes are unconstrained, the remaining cards are shuffled. Otherwise their suit lengths
# are drawn seat after seat. The number of layouts that a choice of lengths leaves open depends only
# on how many cards remain in the four suits. So it is counted once for all such numbers, from
# the last seat back to the first, and lengths are drawn in proportion to it.

Sizes = NDArray[np.int64]
"""(…, 4) numbers of cards in the four suits."""

_CHOOSE = np.array([[comb(n, k) for k in range(14)] for n in range(14)], dtype=np.float64)
_SEAT_BITS = np.uint64(3)
_PAD = np.uint64(1 << 63)
_FRACTION_BITS = 40  # a state's number, below 2**12, and its fraction fit in one float exactly


@dataclass(frozen=True, eq=False)
class OpenSeat:
    """A seat that still needs cards."""

    seat: Seat
    need: int
    """Number of cards needed."""
    known: Sizes
    """(4,) lengths of its known cards."""
    shapes: Shapes
    """The shapes it may have."""


class OtherSeats:
    """The other seats, and the layouts of the cards left to them."""

    def __init__(self, seats: list[OpenSeat]):
        self._shaped = any(not seat.shapes.all() for seat in seats)
        # Seats with fewer shapes come first: the tables are smaller.
        self._seats = sorted(seats, key=lambda seat: (seat.shapes.sum(), seat.seat))
        self._stages: list[_Stage] = []

    def layouts(self, left: Sizes) -> Floats:
        """Return (m,) the number of layouts for (m, 4) remaining cards; draw from no others."""
        if not self._seats:
            return np.ones(len(left))
        if not self._shaped:
            return np.full(len(left), float(shuffles([seat.need for seat in self._seats])))
        self._stages = []
        return self._count(_keys(left), self._seats)

    def _count(self, states: NDArray[np.int64], seats: list[OpenSeat]) -> Floats:
        """Count the layouts of each state, and store the stages that draw them."""
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

    def deal(self, owners: NDArray[np.uint8], words: RandomWords) -> None:
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
        self, owners: NDArray[np.uint8], free: NDArray[np.bool_], words: RandomWords
    ) -> None:
        left = free.sum(axis=2)
        place = np.arange(13)
        seat = np.full(free.shape, self._seats[-1].seat, dtype=np.uint64)
        used = np.zeros_like(left)
        for stage, shaped in zip(self._stages, self._seats, strict=False):
            more = used + stage.draw(left - used, words)
            mine = (place >= used[..., None]) & (place < more[..., None])
            seat[mine] = shaped.seat
            used = more
        dealt = place < left[..., None]
        keys = words.raw(*free.shape) & ~(_SEAT_BITS | _PAD) | seat
        keys[~dealt] |= _PAD  # sorts behind the cards
        keys.sort(axis=2)
        owners.reshape(-1, 4, 13)[free] = (keys & _SEAT_BITS)[dealt]


class _Stage:
    """The suit lengths of one seat, given the cards left when its turn comes."""

    def __init__(self, keys: NDArray[np.int64], options: Sizes, weights: Floats):
        self._keys = keys
        self._options = options
        cumulated = weights.cumsum(axis=1)
        total = cumulated[:, -1:]
        cumulated = np.divide(cumulated, total, out=np.ones_like(cumulated), where=total > 0)
        self._cumulated = (cumulated + np.arange(len(keys))[:, None]).ravel()

    def draw(self, left: Sizes, words: RandomWords) -> Sizes:
        state = np.searchsorted(self._keys, _keys(left))
        aim = state + words.fractions(len(left), bits=_FRACTION_BITS)
        drawn = np.searchsorted(self._cumulated, aim, side="right")
        lengths: Sizes = self._options[drawn - state * len(self._options)]
        return lengths


def shuffles(needs: list[int]) -> int:
    """Return the number of ways to deal cards to seats that need so many each."""
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


# --- all four seats

LimitsBySeat = Mapping[Seat, SeatLimits]


class KnownCards:
    """The known cards: (52,) uint8, the owner of each or 255."""

    def __init__(self, known: NDArray[np.uint8]):
        self.known = known
        self.counts = np.bincount(known[known < 4], minlength=4)
        """(4,) number of known cards of each seat."""
        by_suit = known.reshape(4, 13)
        self.ids = [_ids(by_suit == seat) for seat in range(4)]
        """For each seat the holding ids of its known cards, suit by suit."""
        self.free = _ids(by_suit == UNKNOWN_OWNER)
        """The holding ids of the cards without a known owner."""
        self.sizes = (by_suit == UNKNOWN_OWNER).sum(axis=1)
        """(4,) number of these cards in each suit."""

    @property
    def open_seats(self) -> list[Seat]:
        """The seats that still need cards."""
        return [seat for seat in Seat if self.counts[seat] < 13]

    @property
    def layouts(self) -> int:
        """Number of ways to deal the other cards."""
        return shuffles([13 - int(self.counts[seat]) for seat in self.open_seats])

    def lengths(self, seat: Seat) -> NDArray[np.int64]:
        """(4,) lengths of the known cards of a seat."""
        return np.array([ids.bit_count() for ids in self.ids[seat]], dtype=np.int64)

    def hands(self, seat: Seat, wanted: SeatLimits) -> SeatHands:
        """Return the hands that a seat may have, made of the holdings in ``wanted``."""
        return SeatHands(self.ids[seat], self.free, wanted.holdings, wanted.points)

    def share(self, seat: Seat, wanted: SeatLimits) -> float:
        """Return the share of the seat's possible hands that is in ``wanted``."""
        hands = self.hands(seat, wanted)
        total = comb(int(self.sizes.sum()), 13 - int(self.counts[seat]))
        return float((hands.number * wanted.cells).sum()) / total


def _ids(suits: NDArray[np.bool_]) -> list[int]:
    return [int(row @ (1 << np.arange(13))) for row in suits]


class Sampler:
    """Draws layouts, never one that the limits exclude."""

    def __init__(self, cards: KnownCards, limits: LimitsBySeat):
        self.cards = cards
        self.leading = _leading(cards, limits)
        """The seat that is drawn first; None to shuffle all cards."""
        others = [seat for seat in cards.open_seats if seat != self.leading]
        self._others = OtherSeats([_open_seat(cards, seat, limits) for seat in others])
        self._draw: HandDraw | None = None
        self.share = 1.0
        """The share of all layouts that can be drawn."""
        if self.leading is not None:
            self._draw = self._weigh(self.leading, limits[self.leading])
            self.share = self._draw.total / cards.layouts

    def _weigh(self, seat: Seat, wanted: SeatLimits) -> HandDraw:
        hands = self.cards.hands(seat, wanted)
        kept = np.flatnonzero((hands.number * wanted.cells).any(axis=1))
        left = self.cards.sizes - (LENGTHS[kept] - self.cards.lengths(seat))
        layouts: Floats = np.zeros(len(LENGTHS))
        layouts[kept] = self._others.layouts(left)
        return hands.weigh(wanted.cells * layouts[:, None])

    def draw(self, n: int, words: RandomWords) -> NDArray[np.uint8]:
        """Return (n, 52) owners."""
        owners = np.tile(self.cards.known, (n, 1))
        if self._draw is not None and self.leading is not None:
            ids = self._draw.draw(n, words)
            owners[all_holdings().cards[ids].reshape(n, 52)] = self.leading
        self._others.deal(owners, words)
        return owners


def _open_seat(cards: KnownCards, seat: Seat, limits: LimitsBySeat) -> OpenSeat:
    shapes = limits[seat].shapes if seat in limits else all_shapes()
    return OpenSeat(seat, 13 - int(cards.counts[seat]), cards.lengths(seat), shapes)


def _leading(cards: KnownCards, limits: LimitsBySeat) -> Seat | None:
    """Return the seat whose points and holdings exclude most; shapes are drawn for all seats."""
    gains = {}
    for seat in cards.open_seats:
        wanted = limits.get(seat)
        if wanted is not None and not wanted.says_nothing:
            cells = np.broadcast_to(wanted.shapes[:, None], wanted.cells.shape)
            by_shape = SeatLimits(wanted.points, cells, np.ones_like(wanted.holdings))
            share = cards.share(seat, wanted)
            gains[seat] = (share / cards.share(seat, by_shape), share, seat)
    return min(gains, key=lambda seat: gains[seat]) if gains else None
