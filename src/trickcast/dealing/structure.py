"""What conditions say of one hand's shape and points, so that it can be drawn instead of awaited.

A table has a cell for each of the 560 shapes and each value of one count, such as high-card points.
Conditions are read in three values: a cell *may* hold hands that satisfy the condition, and it
*must* where all hands of it do. What looks at other things (other seats, single cards, other
counts) is true in some hands and false in others, so ``may`` never excludes an allowed hand:
drawing from the cells that may, and testing what they leave open, gives the layouts that pass and
no others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Suit
from ..evaluators.holdings import HoldingIds
from .language.counts import Count
from .language.evaluation import (
    ANY_NUMBER,
    UNDECIDED,
    Bounds,
    Facts,
    HandFacts,
    bounds,
    evaluate,
    known,
    may_hold,
)
from .language.shapes import LENGTHS, Shapes
from .language.tree import HandCount, InShapes, Node, conjuncts, deal_counts, divides, leaves

SUIT_POINTS = 10
"""The most that a count of cells gives for one suit: with ace, king, queen, jack, 10 hcp."""
POINTS = 4 * SUIT_POINTS + 1
"""A hand has fewer, of such a count."""
Cells = NDArray[np.bool_]
"""(560, 41) bool, or what broadcasts to it: shapes by points."""
Known = Mapping[Seat, HoldingIds]
"""The hands that are known in full, each as (1, 4) holding ids."""


@dataclass(frozen=True)
class View(Facts):
    """What a table of cells is about, and what shape and points tell of each cell."""

    seat: Seat
    points: Count
    """The count that tells cells of one shape apart; one that ``is_cell_count``."""
    known: Known
    """The other seats' known hands."""
    exact = False

    def count(self, count: Count, seat: Seat) -> Bounds:
        """Return a count where shape, points or a known hand give it."""
        if seat in self.known:
            return known(count.of(self.known[seat])[0])
        if seat != self.seat:
            return ANY_NUMBER
        if count is self.points:
            return known(np.arange(POINTS)[None, :])
        return ANY_NUMBER if count.by_shape is None else known(count.by_shape[:, None])

    def in_shapes(self, shapes: Shapes, seat: Seat) -> Bounds:
        """Return whether each shape is one of these."""
        return known(shapes[:, None]) if seat == self.seat else UNDECIDED

    def has_cards(self, cards: tuple[int, ...], seat: Seat) -> Bounds:
        """Shape and points do not tell single cards."""
        return UNDECIDED


def is_cell_count(count: Count) -> bool:
    """Tell whether a count is a sum over four suits of 0 to ``SUIT_POINTS`` whole points each."""
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
class Cellwise:
    """In which cells a condition may, and in which it must, be satisfied."""

    may: Cells
    must: Cells

    @property
    def exact(self) -> bool:
        """Whether shape and points decide."""
        return self.may is self.must or bool((self.may == self.must).all())


@dataclass(frozen=True)
class SeatStructure:
    """What the conditions say of one seat."""

    points: Count
    """The count of the cells."""
    cells: Cells
    """(560, 41) bool, the cells that may hold a hand satisfying them."""
    holdings: NDArray[np.bool_]
    """(4, 8192) bool, the holdings of each suit that they allow."""

    @property
    def shapes(self) -> NDArray[np.bool_]:
        """(560,) bool, the shapes with any such cell."""
        shapes: NDArray[np.bool_] = np.asarray(self.cells.any(axis=1))
        return shapes

    def joined(self, other: "SeatStructure") -> "SeatStructure":
        """Return what both say together, of the same count."""
        return SeatStructure(self.points, self.cells & other.cells, self.holdings & other.holdings)

    def within(self, other: "SeatStructure") -> bool:
        """Whether the other one excludes nothing more."""
        return not ((self.cells > other.cells).any() or (self.holdings > other.holdings).any())

    @property
    def says_nothing(self) -> bool:
        """Whether every hand may do."""
        return bool(self.cells.all() and self.holdings.all())


def structure(nodes: Sequence[Node], view: View) -> SeatStructure:
    """Return what conditions that all have to hold say of one seat."""
    cells = np.ones((len(LENGTHS), POINTS), dtype=np.bool_)
    holdings = np.ones((4, 8192), dtype=np.bool_)
    for whole in nodes:
        for node in conjuncts(whole):
            np.logical_and(cells, cellwise(node, view).may, out=cells)
            suit = only_suit(node, view.seat)
            if suit is not None:
                holdings[suit] &= may_hold(node, _holdings(view.seat, suit))
    return SeatStructure(view.points, cells, holdings)


def decided(node: Node, view: View, *, by_shape: bool = False) -> bool:
    """Tell whether the seat's structure decides the condition.

    ``by_shape`` asks whether its shapes do, without points and holdings.
    """
    for part in conjuncts(node):
        cells = cellwise(part, view)
        by_cells = cells.exact and not (by_shape and (cells.may != cells.may[:, :1]).any())
        if not by_cells and (by_shape or not _by_holdings(part, view.seat)):
            return False
    return True


def only_suit(node: Node, seat: Seat) -> Suit | None:
    """Return the suit of the seat's hand that alone decides, if there is one."""
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
    """Return the facts of hands that are the 8,192 holdings of ``suit``, and no other cards."""
    ids = np.zeros((8192, 4), dtype=np.uint16)
    ids[:, suit] = np.arange(8192)
    return HandFacts({seat: ids})


def _by_holdings(node: Node, seat: Seat) -> bool:
    """Tell whether a condition is on one suit alone, and decided by every holding in it."""
    suit = only_suit(node, seat)
    if suit is None or not divides(node):
        return suit is not None
    facts = _holdings(seat, suit)  # some may divide by zero
    return bool((evaluate(node, facts) == may_hold(node, facts)).all())


def cellwise(node: Node, view: View) -> Cellwise:
    """Return in which cells of one seat a condition may and must hold."""
    (must, may) = bounds([node], view)[0]
    shape = (len(LENGTHS), POINTS)
    all_may = np.broadcast_to(may, shape)
    return Cellwise(all_may, all_may if must is may else np.broadcast_to(must, shape))
