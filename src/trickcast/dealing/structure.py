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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Suit
from ..evaluators.holdings import HoldingIds
from .counts import Count, length
from .expressions import (
    OPERATORS,
    AllOf,
    AnyOf,
    Arithmetic,
    Choice,
    Comparison,
    HandCount,
    InShapes,
    Layouts,
    Node,
    Not,
    Number,
    calculate,
    conjuncts,
    evaluate,
    leaves,
)
from .shapes import LENGTHS

SUIT_POINTS = 10
"""The most that a count of cells gives for one suit: with ace, king, queen, jack, 10 hcp."""
POINTS = 4 * SUIT_POINTS + 1
"""A hand has fewer, of such a count."""
Cells = NDArray[np.bool_]
"""(560, 41) bool, or what broadcasts to it: shapes by points."""
Known = Mapping[Seat, HoldingIds]
"""The hands that are known in full, each as (1, 4) holding ids."""


class View(NamedTuple):
    """What a table of cells is about."""

    seat: Seat
    points: Count
    """The count that tells cells of one shape apart; one that ``is_cell_count``."""
    known: Known
    """The other seats' known hands."""


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
        return bool((self.may == self.must).all())


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
        found: NDArray[np.bool_] = np.asarray(self.cells.any(axis=1))
        return found

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
                holdings[suit] &= _allowed(node, view.seat, suit)
    return SeatStructure(view.points, cells, holdings)


def decided(node: Node, view: View, *, by_shape: bool = False) -> bool:
    """Tell whether the seat's structure decides the condition.

    ``by_shape`` asks whether its shapes do, without points and holdings.
    """
    for part in conjuncts(node):
        found = cellwise(part, view)
        by_cells = found.exact and not (by_shape and (found.may != found.may[:, :1]).any())
        if not by_cells and (by_shape or only_suit(part, view.seat) is None):
            return False
    return True


def only_suit(node: Node, seat: Seat) -> Suit | None:
    """Return the suit of the seat's hand that alone decides, if there is one."""
    suits: set[Suit] = set()
    for leaf in leaves(node):
        if leaf.seat != seat or isinstance(leaf, InShapes):
            return None
        if isinstance(leaf, HandCount):
            suits |= set(leaf.count.suits)
        else:
            suits |= {Suit(card // 13) for card in leaf.cards}
    return suits.pop() if len(suits) == 1 else None


def _allowed(node: Node, seat: Seat, suit: Suit) -> NDArray[np.bool_]:
    """Return the (8192,) holdings of ``suit`` that satisfy a condition on it alone."""
    owners = np.full((8192, 52), (seat + 1) % 4, dtype=np.uint8)
    held = np.arange(8192)[:, None] >> np.arange(13) & 1
    owners[:, 13 * suit : 13 * suit + 13] = np.where(held == 1, seat, (seat + 1) % 4)
    allowed: NDArray[np.bool_] = np.broadcast_to(evaluate(node, Layouts(owners)), 8192)
    return allowed


def cellwise(node: Node, view: View) -> Cellwise:
    """Return in which cells of one seat a condition may and must hold."""
    match node:
        case InShapes(shapes, of):
            if of == view.seat:
                return _certain(np.broadcast_to(shapes[:, None], (len(LENGTHS), POINTS)))
        case Comparison(operator, left, right):
            first, second = _number(left, view), _number(right, view)
            if first is not None and second is not None:
                return _certain(OPERATORS[operator](first, second))
        case Not(part):
            found = cellwise(part, view)
            return Cellwise(~found.must, ~found.may)
        case AllOf(parts):
            every = [cellwise(part, view) for part in parts]
            return Cellwise(
                np.logical_and.reduce([one.may for one in every]),
                np.logical_and.reduce([one.must for one in every]),
            )
        case AnyOf(parts):
            every = [cellwise(part, view) for part in parts]
            return Cellwise(
                np.logical_or.reduce([one.may for one in every]),
                np.logical_or.reduce([one.must for one in every]),
            )
        case Choice(test, yes, no):
            denied = Not(test)
            return cellwise(AnyOf((AllOf((test, yes)), AllOf((denied, no)))), view)
        case _:
            pass
    shape = (len(LENGTHS), POINTS)
    return Cellwise(np.ones(shape, np.bool_), np.zeros(shape, np.bool_))


def _certain(cells: NDArray[Any]) -> Cellwise:
    full: Cells = np.broadcast_to(cells, (len(LENGTHS), POINTS))
    return Cellwise(full, full)


def _number(node: Node, view: View) -> NDArray[Any] | None:
    """Return the number in each cell, or None where shape and points do not give it."""
    match node:
        case Number(value):
            return np.asarray(value)
        case HandCount(count, of):
            if of in view.known:
                return np.asarray(count.of(view.known[of])[0])
            if of == view.seat and count is view.points:
                return np.arange(POINTS)[None, :]
            for suit in Suit:
                if of == view.seat and count is length(suit):
                    column: NDArray[Any] = LENGTHS[:, suit, None]
                    return column
        case Arithmetic(operator, left, right):
            first, second = _number(left, view), _number(right, view)
            if first is not None and second is not None:
                try:
                    return calculate(operator, first, second)
                except ZeroDivisionError:
                    return None  # in cells that may hold no hand
        case _:
            pass
    return None
