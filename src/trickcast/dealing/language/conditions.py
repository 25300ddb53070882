"""Text about hands as a small tree of numbers and conditions, and how to evaluate it.

A name always refers to the same node, however often it is used. So a tree is walked node
by node (``in_order``), never path by path, and without recursion: text may nest and repeat.

Every node has a least and a greatest possible value. For known hands the two are equal. If, for
example, only shape and points are known, some numbers lie between bounds, and
a condition *must* hold (the lower bound is true), *may* hold (the upper bound is) or cannot.
``Facts`` supplies what is known of the cards. A condition's value is (n,) bool, a number's (n,) int
or float, or () if it is the same for all; divisions of whole numbers drop the remainder, as in
Dealer. A number divided by zero is masked, and a comparison with it may hold but need not. The rest
of the condition decides whether that matters (``spades(n) > 0 and 12 / spades(n) > 3``).
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...cards import DealError, Seat
from ...cards.table import UNKNOWN, check_tricks
from ...evaluators.holdings import HoldingIds, holding_ids, lengths
from .hand_counts import Count, rounded, where
from .mistakes import ConstraintError, Place
from .shapes import COMPARE, LENGTHS, Shapes

Unit = Literal["", "hundredths", "decimal"]
"""Unit of a number: Dealer counts some things in hundredths (``cccc(north)`` is 1525 for a hand
worth 15.25), and a decimal next to them is multiplied by 100 (``cccc(north) > 15.2``)."""


@dataclass(frozen=True, eq=False)
class Number:
    """A literal number."""

    value: int | float
    unit: Unit = ""


@dataclass(frozen=True, eq=False)
class HandCount:
    """A count of one seat's hand."""

    count: Count
    seat: Seat
    unit: Unit = ""


@dataclass(frozen=True, eq=False)
class DealCount:
    """A number that depends on all four hands: tricks, par, chance."""

    name: str
    of: Callable[[NDArray[Any]], NDArray[Any]]
    """Computes the (n,) numbers from (n, 5, 4) tricks, or from (n, 52) owners."""
    from_tricks: bool
    limits: tuple[float, float]
    """The least and the greatest value."""


@dataclass(frozen=True, eq=False)
class Converted:
    """A number derived from another: the score of tricks, the IMPs of a score."""

    name: str
    convert: Callable[[NDArray[Any]], NDArray[Any]]
    part: "Node"
    limits: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """Two numbers joined by ``+ - * / %``; division of whole numbers drops the remainder."""

    operator: str
    left: "Node"
    right: "Node"
    place: Place | None = None
    """The position of a division."""
    unit: Unit = ""
    largest: float = np.inf
    """Upper limit of the result."""


@dataclass(frozen=True, eq=False)
class Choice:
    """``test ? yes : no``, for numbers or conditions."""

    test: "Node"
    yes: "Node"
    no: "Node"
    unit: Unit = ""
    largest: float = 1.0
    """Upper limit of a chosen number."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two numbers compared: ``== != < <= > >=``."""

    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, eq=False)
class InShapes:
    """A seat's lengths are in this set."""

    shapes: Shapes
    seat: Seat


@dataclass(frozen=True, eq=False)
class HasCards:
    """A seat holds all of these cards."""

    cards: tuple[int, ...]
    seat: Seat


@dataclass(frozen=True, eq=False)
class Not:
    """The negation."""

    part: "Node"


@dataclass(frozen=True, eq=False)
class AllOf:
    """Every part holds; true without parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, eq=False)
class AnyOf:
    """At least one part holds."""

    parts: tuple["Node", ...]


Leaf = HandCount | InShapes | HasCards
Node = (
    Number | Leaf | DealCount | Converted | Arithmetic | Choice | Comparison | Not | AllOf | AnyOf
)


@dataclass(frozen=True, eq=False)
class Clause:
    """One of the conditions that must all hold."""

    source: str
    """Its owner: ``north``, ``condition`` for the deal as a whole, or the rule's name."""
    text: str
    """The text as written."""
    node: Node


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the child nodes of a node."""
    match node:
        case Arithmetic(_, left, right) | Comparison(_, left, right):
            return left, right
        case Choice(test, yes, no):
            return test, yes, no
        case Not(part) | Converted(_, _, part):
            return (part,)
        case AllOf(parts) | AnyOf(parts):
            return parts
    return ()


def in_order(roots: Iterable[Node]) -> list[Node]:
    """Return every node once, children before parents."""
    ordered: dict[Node, None] = {}
    waiting = [(root, False) for root in roots][::-1]
    while waiting:
        node, parts_done = waiting.pop()
        if node in ordered:
            continue
        if parts_done:
            ordered[node] = None
        else:
            waiting.append((node, True))
            waiting += [(part, False) for part in reversed(parts_of(node))]
    return list(ordered)


def is_condition(node: Node) -> bool:
    """Return whether ``node`` is true or false rather than a number."""
    while isinstance(node, Choice):
        node = node.yes
    return not isinstance(node, Number | HandCount | DealCount | Converted | Arithmetic)


def conjuncts(node: Node) -> Iterator[Node]:
    """Yield the conditions that must all hold for ``node`` to hold, without duplicates."""
    seen: set[Node] = set()
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, AllOf):
            waiting += reversed(part.parts)
        elif isinstance(part, HasCards) and len(part.cards) > 1:
            yield from (HasCards((card,), part.seat) for card in part.cards)
        else:
            yield part


def leaves(node: Node) -> list[Leaf]:
    """Return the parts that depend on the cards of one seat, in the order of the text."""
    return [part for part in in_order([node]) if isinstance(part, HandCount | InShapes | HasCards)]


def deal_counts(node: Node) -> list[DealCount]:
    """Return the parts that depend on all four hands at once, in the order of the text."""
    return [part for part in in_order([node]) if isinstance(part, DealCount)]


def seats_of(node: Node) -> set[Seat]:
    """Return the seats whose cards a node depends on."""
    return set(Seat) if deal_counts(node) else {leaf.seat for leaf in leaves(node)}


def divides(node: Node) -> bool:
    """Return whether a node divides by what might be zero: anything but a literal number."""
    return any(
        isinstance(part, Arithmetic)
        and part.operator in "/%"
        and not (isinstance(part.right, Number) and part.right.value)
        for part in in_order([node])
    )


def takes_tricks(node: Node) -> bool:
    """Return whether evaluating a node needs trick tables."""
    return any(part.from_tricks for part in deal_counts(node))


# --- the value of a tree --------------------------------------------------------------------------

Values = NDArray[Any]
Tricks = Callable[[NDArray[np.uint8]], Any]
"""Finds the tricks of (n, 52) owners: a TrickTable, or (n, 5, 4) whole numbers from 0 to 13,
strains S H D C N by declarers N E S W."""


class Bounds(NamedTuple):
    """The least and the greatest value; for known values, the same array twice."""

    low: Values
    high: Values

    @property
    def known(self) -> bool:
        """Whether both are certainly the same."""
        return self.low is self.high


def known(values: Any) -> Bounds:
    """Return the bounds of known values."""
    array = np.asanyarray(values)  # may be masked
    return Bounds(array, array)


ANY_NUMBER = Bounds(np.asarray(-np.inf), np.asarray(np.inf))
UNDECIDED = Bounds(np.asarray(False), np.asarray(True))


ASK_FOR_TRICKS = "expected tricks=…, a function that estimates or solves"


class Facts(ABC):
    """What is known of some hands."""

    exact: bool
    """Whether the hands are known; otherwise some values lie between bounds."""

    @abstractmethod
    def count(self, count: Count, seat: Seat) -> Bounds:
        """Return a count of a seat's hand."""

    @abstractmethod
    def in_shapes(self, shapes: Shapes, seat: Seat) -> Bounds:
        """Return whether a seat's lengths are in this set."""

    @abstractmethod
    def has_cards(self, cards: tuple[int, ...], seat: Seat) -> Bounds:
        """Return whether a seat holds all of these cards."""

    def deal_count(self, count: DealCount) -> Bounds:
        """Return a number that depends on all four hands; unbounded unless all are known."""
        return ANY_NUMBER


class HandFacts(Facts):
    """Known hands: (n, 4) holding ids of each seat in question."""

    exact = True

    def __init__(self, ids: dict[Seat, HoldingIds]):
        self._ids = ids
        self._counts: dict[tuple[Count, Seat], Bounds] = {}

    def ids(self, seat: Seat) -> HoldingIds:
        """Return the (n, 4) holding ids of one seat."""
        return self._ids[seat]

    def count(self, count: Count, seat: Seat) -> Bounds:
        """Return a count of a seat's hands, computed once."""
        key = count, seat
        if key not in self._counts:
            self._counts[key] = known(count.of(self.ids(seat)))
        return self._counts[key]

    def in_shapes(self, shapes: Shapes, seat: Seat) -> Bounds:
        """Return whether a seat's lengths are in this set."""
        return known(by_key(shapes)[shape_keys(lengths(self.ids(seat)))])

    def has_cards(self, cards: tuple[int, ...], seat: Seat) -> Bounds:
        """Return whether a seat holds all of these cards."""
        wanted = np.zeros(52, dtype=np.bool_)
        wanted[list(cards)] = True
        mask = holding_ids(wanted[None])
        return known(((self.ids(seat) & mask) == mask).all(axis=1))


class Layouts(HandFacts):
    """The hands of (n, 52) owners, by seat; ``tricks`` finds their tricks."""

    def __init__(self, owners: NDArray[np.uint8], tricks: Tricks | None = None):
        super().__init__({})
        self.owners = owners
        self._find_tricks = tricks
        self._tricks: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.owners)

    def those(self, rows: NDArray[np.bool_]) -> "Layouts":
        """Return the layouts of some rows, with everything computed so far."""
        kept = Layouts(self.owners[rows], self._find_tricks)
        kept._tricks = None if self._tricks is None else self._tricks[rows]
        kept._ids = {seat: ids[rows] for seat, ids in self._ids.items()}
        kept._counts = {key: known(values.low[rows]) for key, values in self._counts.items()}
        return kept

    def ids(self, seat: Seat) -> HoldingIds:
        """Return the (n, 4) holding ids of one seat."""
        if seat not in self._ids:
            self._ids[seat] = holding_ids(self.owners == seat)
        return self._ids[seat]

    def deal_count(self, count: DealCount) -> Bounds:
        """Return a number of the deals; their tricks are found only once.

        Raises ConstraintError if tricks are needed and no function finds them.
        """
        return known(count.of(self.tricks(count.name) if count.from_tricks else self.owners))

    def tricks(self, name: str) -> NDArray[np.uint8]:
        """Return the (n, 5, 4) tricks that ``name`` needs.

        Raises ConstraintError if no function finds them, and for invalid tricks.
        """
        if self._find_tricks is None:
            raise ConstraintError(f"{name}() is not known from the cards alone ({ASK_FOR_TRICKS})")
        if self._tricks is None:
            found = self._find_tricks(self.owners) if len(self) else np.empty((0, 5, 4), np.uint8)
            self._tricks = _checked_tricks(found, len(self))
        return self._tricks


def evaluate(node: Node, facts: HandFacts) -> Values:
    """Return the value of ``node`` for known hands.

    If a division by zero leaves a hand open, a condition does not hold for it, and a number is
    masked.
    """
    return _all_bounds([node], facts)[0].low


def may_hold(node: Node, facts: HandFacts) -> Values:
    """Return whether a condition holds for known hands, or a division by zero leaves it open."""
    return _all_bounds([node], facts)[0].high


def value_of(node: Node, facts: HandFacts) -> Values:
    """Return the value of ``node`` for known hands.

    Raises ConstraintError, with the position, if a division by zero leaves a value open.
    """
    value = bounds([node], facts)[0].low
    if isinstance(value, np.ma.MaskedArray) and value.mask.any():
        raise _by_zero(node, facts, np.ma.getmaskarray(value))
    return np.ma.getdata(value)


def constant_of(node: Node) -> float | None:
    """Return a number that is the same for all deals; None if it depends on cards.

    Raises ConstraintError for a division by zero.
    """
    return None if seats_of(node) else float(value_of(node, HandFacts({})))


def bounds(nodes: Sequence[Node], facts: Facts) -> list[Bounds]:
    """Return the bounds of each node; shared parts are evaluated once.

    Raises ConstraintError, with the position, if a division by zero leaves open whether a
    condition holds for known hands; numbers of such hands are masked.
    """
    found = _all_bounds(nodes, facts)
    if isinstance(facts, HandFacts):
        for node, (low, high) in zip(nodes, found, strict=True):
            if low is not high and (low != high).any():
                raise _by_zero(node, facts, low != high)
    return found


def _by_zero(node: Node, facts: HandFacts, hands: NDArray[np.bool_]) -> ConstraintError:
    """Return the error of the first division by zero for some of these hands."""
    message = "a division by zero occurs with some cards (expected a test before it, such as … > 0)"
    for part in in_order([node]):
        if isinstance(part, Arithmetic) and part.operator in "/%" and part.place is not None:
            divisor = np.ma.filled(evaluate(part.right, facts), 1)
            if (np.broadcast_to(divisor, hands.shape)[hands] == 0).any():
                return part.place.error(message)
    return ConstraintError(message)


def _all_bounds(nodes: Sequence[Node], facts: Facts) -> list[Bounds]:
    order = in_order(nodes)
    uses = Counter(part for node in order for part in parts_of(node))
    uses.update(nodes)  # results to keep
    values: dict[Node, Bounds] = {}
    with np.errstate(all="ignore"):  # products of fractions may be infinite, which compares
        for node in order:
            parts = parts_of(node)
            values[node] = _bounds(node, [values[part] for part in parts], facts)
            for part in parts:
                uses[part] -= 1
                if not uses[part]:
                    del values[part]  # frees memory in long scripts
    return [values[node] for node in nodes]


def _bounds(node: Node, parts: list[Bounds], facts: Facts) -> Bounds:
    match node:
        case Number(value):
            return known(value)
        case HandCount(count, seat):
            return facts.count(count, seat)
        case InShapes(shapes, seat):
            return facts.in_shapes(shapes, seat)
        case HasCards(cards, seat):
            return facts.has_cards(cards, seat)
        case DealCount():
            return facts.deal_count(node)
        case Converted(_, convert):
            return _converted(convert, _number(parts[0], facts).low) if facts.exact else ANY_NUMBER
        case Arithmetic(operator):
            left, right = (_number(part, facts) for part in parts)
            return _calculated(operator, left, right, facts)
        case Comparison(operator):
            left, right = (_number(part, facts) for part in parts)
            return _compared(operator, left, right)
        case Choice():
            test, yes, no = parts
            return _chosen(test, yes, no, facts)
        case Not():
            low, high = parts[0]
            denied = np.logical_not(high)
            return Bounds(denied, denied if low is high else np.logical_not(low))
        case AllOf():
            return _joined(np.logical_and, parts, True)
        case AnyOf():
            return _joined(np.logical_or, parts, False)


def _joined(operator: np.ufunc, parts: list[Bounds], empty: bool) -> Bounds:
    if not parts:
        return known(empty)
    low = np.asarray(reduce(operator, [part.low for part in parts]))
    if all(part.known for part in parts):
        return known(low)
    return Bounds(low, np.asarray(reduce(operator, [part.high for part in parts])))


def _number(value: Bounds, facts: Facts) -> Bounds:
    """Convert a condition used as a number to 0 or 1; between bounds it is unknown."""
    if value.low.dtype != np.bool_:
        return value
    if not facts.exact:
        return ANY_NUMBER
    counted = value.low.astype(np.int64)
    return known(counted if value.known else np.ma.masked_where(value.low != value.high, counted))


def _converted(convert: Callable[[NDArray[Any]], NDArray[Any]], number: Values) -> Bounds:
    values = convert(np.ma.filled(number, 0))
    masked = isinstance(number, np.ma.MaskedArray)
    return known(np.ma.array(values, mask=np.ma.getmask(number)) if masked else values)


def _compared(operator: str, left: Bounds, right: Bounds) -> Bounds:
    compare = COMPARE[operator]
    if left.known and right.known:
        fits = compare(left.low, right.low)
        if isinstance(fits, np.ma.MaskedArray):  # division by zero: the outer condition decides
            return Bounds(fits.filled(False), fits.filled(True))
        return known(fits)
    if operator == "==":
        must = (left.low == left.high) & (right.low == right.high) & (left.low == right.low)
        return Bounds(must, (left.low <= right.high) & (right.low <= left.high))
    if operator == "!=":
        must, may = _compared("==", left, right)
        return Bounds(np.logical_not(may), np.logical_not(must))
    if operator in (">", ">="):
        return Bounds(compare(left.low, right.high), compare(left.high, right.low))
    return Bounds(compare(left.high, right.low), compare(left.low, right.high))


def _chosen(test: Bounds, yes: Bounds, no: Bounds, facts: Facts) -> Bounds:
    if facts.exact and test.known and yes.known and no.known:
        return known(where(test.low, yes.low, no.low))
    if yes.low.dtype != np.bool_:
        if not facts.exact:
            return ANY_NUMBER  # between bounds a choice of numbers is unknown
        chosen = where(test.low, yes.low, no.low)
        undecided = np.broadcast_to(test.low != test.high, chosen.shape)
        return known(np.ma.masked_where(undecided, chosen))
    return Bounds(
        (test.low & yes.low) | (~test.high & no.low), (test.high & yes.high) | (~test.low & no.high)
    )


def _calculated(operator: str, left: Bounds, right: Bounds, facts: Facts) -> Bounds:
    if left.known and right.known:
        divisor = right.low
        if operator in "/%" and (divisor == 0).any():
            if not facts.exact:
                return ANY_NUMBER  # in cells that may hold no hand
            divisor = np.ma.masked_equal(np.atleast_1d(divisor), 0)
        return known(_combined(operator, left.low, divisor))
    if operator == "+":
        return Bounds(rounded(left.low + right.low), rounded(left.high + right.high))
    if operator == "-":
        return Bounds(rounded(left.low - right.high), rounded(left.high - right.low))
    if operator == "*":
        ends = [np.nan_to_num(a * b, posinf=np.inf, neginf=-np.inf) for a in left for b in right]
        return Bounds(rounded(reduce(np.minimum, ends)), rounded(reduce(np.maximum, ends)))
    return ANY_NUMBER


def shape_keys(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return one number for the first three of (…, 4) lengths; the fourth follows from them."""
    keys: NDArray[np.int64] = lengths[..., 0] * 196 + lengths[..., 1] * 14 + lengths[..., 2]
    return keys


def by_key(values: NDArray[Any]) -> NDArray[Any]:
    """Return values given for the 560 shapes as (2744,), indexed by shape key."""
    table = np.zeros(14**3, dtype=values.dtype)
    table[shape_keys(LENGTHS)] = values
    return table


_ADD_OR_MULTIPLY = {"+": np.add, "-": np.subtract, "*": np.multiply}


def _combined(operator: str, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return numbers joined by ``+ - * / %``; division of whole numbers drops the remainder."""
    if operator in _ADD_OR_MULTIPLY:
        wide = left.astype(np.result_type(left, np.int64))  # counts are 32-bit
        return rounded(_ADD_OR_MULTIPLY[operator](wide, right))
    if left.dtype.kind == right.dtype.kind == "i":
        remainder: NDArray[Any] = np.fmod(left, right)  # with the sign of ``left``, as in C
        return remainder if operator == "%" else (left - remainder) // right
    quotient = rounded(np.true_divide(left, right))
    return quotient if operator == "/" else rounded(left - np.trunc(quotient) * right)


def _checked_tricks(found: Any, deals: int) -> NDArray[np.uint8]:
    """Return the tricks that a function gave for so many deals, as uint8 of shape (n, 5, 4).

    Raises ConstraintError for anything else, and for unknown tricks.
    """
    expected = f"(expected ({deals}, 5, 4) whole numbers of 0 to 13)"
    try:
        tricks = check_tricks(found)
    except DealError as error:
        raise ConstraintError(f"tricks returned invalid values: {error}") from None
    except ValueError:  # NumPy's, for lists of different lengths
        raise ConstraintError(f"tricks returned invalid values {expected}") from None
    if tricks.shape != (deals, 5, 4):
        raise ConstraintError(f"tricks returned an array of shape {tricks.shape} {expected}")
    if (tricks == UNKNOWN).any():
        raise ConstraintError(f"tricks returned {UNKNOWN}, which is unknown {expected}")
    return tricks
