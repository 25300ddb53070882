"""What a constraint says: a small tree of numbers and conditions, and its value on many layouts.

Both languages are read into this tree. A condition's value is (n,) bool, a number's (n,) int or
float; divisions of whole numbers drop the remainder, as in Dealer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat
from ..evaluators.holdings import HoldingIds, holding_ids, lengths
from .counts import Count
from .errors import ConstraintError
from .shapes import LENGTHS, Shapes

Values = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Number:
    """A number as it stands."""

    value: int | float


@dataclass(frozen=True, eq=False)
class HandCount:
    """A count of one seat's hand."""

    count: Count
    seat: Seat


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """Two numbers joined by ``+ - * / %``."""

    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, eq=False)
class Choice:
    """``test ? yes : no``, for numbers or conditions."""

    test: "Node"
    yes: "Node"
    no: "Node"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two numbers compared: ``== != < <= > >=``."""

    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, eq=False)
class InShapes:
    """One seat's lengths are among these."""

    shapes: Shapes
    seat: Seat


@dataclass(frozen=True, eq=False)
class HasCards:
    """One seat holds all of these cards."""

    cards: tuple[int, ...]
    seat: Seat


@dataclass(frozen=True, eq=False)
class Not:
    """The contrary."""

    part: "Node"


@dataclass(frozen=True, eq=False)
class AllOf:
    """Every part holds."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, eq=False)
class AnyOf:
    """At least one part holds."""

    parts: tuple["Node", ...]


Node = (
    Number
    | HandCount
    | Arithmetic
    | Choice
    | Comparison
    | InShapes
    | HasCards
    | Not
    | AllOf
    | AnyOf
)

OPERATORS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
}


class Layouts:
    """(n, 52) owners, seen hand by hand."""

    def __init__(self, owners: NDArray[np.uint8]):
        self.owners = owners
        self._ids: dict[Seat, HoldingIds] = {}

    def __len__(self) -> int:
        return len(self.owners)

    def ids(self, seat: Seat) -> HoldingIds:
        """Return the (n, 4) holding ids of one seat."""
        if seat not in self._ids:
            self._ids[seat] = holding_ids(self.owners == seat)
        return self._ids[seat]


def is_condition(node: Node) -> bool:
    """Tell whether ``node`` is true or false rather than a number."""
    if isinstance(node, Choice):
        return is_condition(node.yes)
    return not isinstance(node, Number | HandCount | Arithmetic)


def conjuncts(node: Node) -> Iterator[Node]:
    """Yield the conditions that must all hold for ``node`` to hold."""
    if isinstance(node, AllOf):
        for part in node.parts:
            yield from conjuncts(part)
    elif isinstance(node, HasCards) and len(node.cards) > 1:
        yield from (HasCards((card,), node.seat) for card in node.cards)
    else:
        yield node


def leaves(node: Node) -> Iterator[HandCount | InShapes | HasCards]:
    """Yield the parts that look at cards."""
    match node:
        case HandCount() | InShapes() | HasCards():
            yield node
        case Arithmetic(_, left, right) | Comparison(_, left, right):
            yield from leaves(left)
            yield from leaves(right)
        case Choice(test, yes, no):
            for part in (test, yes, no):
                yield from leaves(part)
        case Not(part):
            yield from leaves(part)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from leaves(part)


def calculate(operator: str, left: Values, right: Values) -> Values:
    """Apply ``+ - * / %``. Raises ZeroDivisionError where a divisor is 0."""
    if operator in OPERATORS:
        result: Values = OPERATORS[operator](
            np.asarray(left, np.result_type(left, np.int64)), right
        )
        return result
    if (np.asarray(right) == 0).any():
        raise ZeroDivisionError
    remainder: Values = np.fmod(left, right)  # of the sign of ``left``, as in C
    if operator == "%":
        return remainder
    whole = np.asarray(left).dtype.kind == np.asarray(right).dtype.kind == "i"
    return (left - remainder) // right if whole else np.true_divide(left, right)


def evaluate(node: Node, layouts: Layouts) -> Values:
    """Return the value of ``node`` on each layout: (n,), or () where it is always the same.

    Raises ConstraintError for a division by zero.
    """
    match node:
        case Number(value):
            return np.asarray(value)
        case HandCount(count, seat):
            return count.of(layouts.ids(seat))
        case Arithmetic(operator, left, right):
            try:
                return calculate(operator, _number(left, layouts), _number(right, layouts))
            except ZeroDivisionError:
                raise ConstraintError("a division by zero occurs on some layouts") from None
        case Comparison(operator, left, right):
            result: Values = OPERATORS[operator](_number(left, layouts), _number(right, layouts))
            return result
        case Choice(test, yes, no):
            return np.where(*(evaluate(part, layouts) for part in (test, yes, no)))
        case InShapes(shapes, seat):
            fits: Values = shape_table(shapes)[shape_keys(lengths(layouts.ids(seat)))]
            return fits
        case HasCards(cards, seat):
            held: Values = (layouts.owners[:, list(cards)] == seat).all(axis=1)
            return held
        case Not(part):
            return np.logical_not(evaluate(part, layouts))
        case AllOf(parts):
            return np.asarray(reduce(np.logical_and, (evaluate(p, layouts) for p in parts)))
        case AnyOf(parts):
            return np.asarray(reduce(np.logical_or, (evaluate(p, layouts) for p in parts)))


def _number(node: Node, layouts: Layouts) -> Values:
    """A condition that is counted with is 0 or 1."""
    values = evaluate(node, layouts)
    return values.astype(np.int64) if values.dtype == np.bool_ else values


def shape_keys(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return one number for the first three of (…, 4) lengths; the fourth follows from them."""
    keys: NDArray[np.int64] = lengths[..., 0] * 196 + lengths[..., 1] * 14 + lengths[..., 2]
    return keys


def shape_table(shapes: Shapes) -> NDArray[np.bool_]:
    """Return (2744,) bool: ``shapes`` by shape key."""
    table = np.zeros(14**3, dtype=np.bool_)
    table[shape_keys(LENGTHS)] = shapes
    return table
