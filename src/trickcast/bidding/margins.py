"""How far inside or outside a condition a hand is, in points.

Half a point inside means that one point less would be too few. A card counts as three points, an
honour as two (``Count.worth``), and a card that must change its suit counts as a card.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..dealing.language.conditions import (
    AllOf,
    AnyOf,
    Bounds,
    Choice,
    Comparison,
    HandCount,
    HandFacts,
    HasCards,
    InShapes,
    Node,
    Not,
    bounds,
    by_key,
    in_order,
    is_condition,
    leaves,
    shape_keys,
)
from ..dealing.language.hand_counts import CARD, HONOUR
from ..dealing.language.shapes import COMPARE, LENGTHS, Shapes
from ..evaluators.holdings import holding_ids, lengths

Margins = NDArray[np.float32]
_HALF = np.float32(0.5)


def margins(conditions: Sequence[Node], facts: HandFacts) -> list[Margins]:
    """Return the margin of each condition: (n,) each, or () infinite for an empty condition."""
    order = [node for node in in_order(conditions) if is_condition(node)]
    sides = [
        side for node in order if isinstance(node, Comparison) for side in (node.left, node.right)
    ]
    numbers = dict(zip(sides, bounds(sides, facts), strict=True))
    of: dict[Node, Margins] = {}
    for node in order:
        match node:
            case Comparison(operator, left, right):
                of[node] = _of_comparison(operator, numbers[left], numbers[right]) * worth(node)
            case InShapes(shapes, seat):
                keys = shape_keys(lengths(facts.ids(seat)))
                of[node] = by_key(_of_shapes(shapes.tobytes()))[keys]
            case HasCards(cards, seat):
                wanted = np.zeros(52, np.bool_)
                wanted[list(cards)] = True
                lacking = np.bitwise_count(holding_ids(wanted[None]) & ~facts.ids(seat))
                of[node] = (_HALF - lacking.sum(axis=1)) * np.float32(HONOUR)
            case Not(part):
                of[node] = -of[part]
            case AllOf(parts):
                of[node] = _extreme(np.minimum, [of[part] for part in parts], np.inf)
            case AnyOf(parts):
                of[node] = _extreme(np.maximum, [of[part] for part in parts], -np.inf)
            case Choice(test, yes, no):
                first, second = (np.minimum(of[test], of[yes]), np.minimum(-of[test], of[no]))
                of[node] = np.maximum(first, second)
    return [of[node] for node in conditions]


def worth(node: Node) -> np.float32:
    """Return how many points a difference of one is worth: the least of the things counted."""
    counted = [leaf.count.worth for leaf in leaves(node) if isinstance(leaf, HandCount)]
    return np.float32(min(counted, default=CARD))


def _extreme(choose: np.ufunc, parts: list[Margins], empty: float) -> Margins:
    extreme = np.asarray(empty, np.float32)
    for part in parts:
        extreme = choose(extreme, part)
    return extreme


def _of_comparison(operator: str, left: Bounds, right: Bounds) -> Margins:
    difference = (left.low - right.low).astype(np.float32)
    fits = COMPARE[operator](left.low, right.low)
    if operator in ("==", "!="):
        off = -np.abs(difference)
        equal = _signed(off, off == 0, _HALF)
        return equal if operator == "==" else -equal
    ahead = difference if operator[0] == ">" else -difference
    return _signed(ahead, fits, _HALF if operator[-1] == "=" else -_HALF)


def _signed(ahead: Margins, fits: NDArray[np.bool_], offset: np.float32) -> Margins:
    """Return margins half-way between whole numbers; fractional ones keep their sign too."""
    margin = ahead + offset
    sided: Margins = np.where(fits, np.maximum(margin, _HALF / 2), np.minimum(margin, -_HALF / 2))
    return sided


@cache
def _cards_that_move() -> Margins:
    """Return (560, 560) counts of the cards that change suit between two shapes."""
    apart: Margins = (np.abs(LENGTHS[:, None] - LENGTHS).sum(axis=2) / 2).astype(np.float32)
    return apart


@cache
def _of_shapes(shapes: bytes) -> Margins:
    """Return (560,) margins by shape for a set of shapes, given as the bytes of its bools."""
    fits: Shapes = np.frombuffer(shapes, np.bool_)
    to_other = np.where(fits[:, None] != fits, _cards_that_move(), 14).min(axis=1)
    of: Margins = (np.where(fits, to_other - _HALF, _HALF - to_other) * CARD).astype(np.float32)
    return of
