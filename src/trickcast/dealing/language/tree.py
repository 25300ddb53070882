"""What a text says: a small tree of numbers and conditions.

Whatever stands under a name is one node, however often the name is used, so a tree is walked node
by node (``in_order``), never path by path, and without recursion: text may nest and repeat.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ...cards import Seat
from .counts import Count
from .errors import Place
from .shapes import Shapes


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
class DealCount:
    """A number that the four hands give together: tricks, par, chance."""

    name: str
    of: Callable[[NDArray[Any]], NDArray[Any]]
    """What gives the (n,) numbers of (n, 5, 4) tricks, or of (n, 52) owners."""
    from_tricks: bool
    limits: tuple[float, float]
    """The least and the greatest value."""


@dataclass(frozen=True, eq=False)
class Converted:
    """A number made of another: the score of tricks, the IMPs of a score."""

    name: str
    convert: Callable[[NDArray[Any]], NDArray[Any]]
    part: "Node"
    limits: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """Two numbers joined by ``+ - * / %``; whole numbers divide without remainder."""

    operator: str
    left: "Node"
    right: "Node"
    place: Place | None = None
    """Where a division stands."""


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
    """Every part holds; without parts, anything does."""

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
    """One of the conditions that all have to hold."""

    source: str
    """Whose it is: ``north``, ``condition`` for the deal as a whole, or the rule's."""
    text: str
    """As it was written."""
    node: Node


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the nodes that a node is made of."""
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
    """Return every node once, each after the nodes that it is made of."""
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
    """Tell whether ``node`` is true or false rather than a number."""
    while isinstance(node, Choice):
        node = node.yes
    return not isinstance(node, Number | HandCount | DealCount | Converted | Arithmetic)


def conjuncts(node: Node) -> Iterator[Node]:
    """Yield the conditions that must all hold for ``node`` to hold, each once."""
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
    """Return the parts that look at the cards of one seat, in the order of the text."""
    return [part for part in in_order([node]) if isinstance(part, HandCount | InShapes | HasCards)]


def deal_counts(node: Node) -> list[DealCount]:
    """Return the parts that look at all four hands at once, in the order of the text."""
    return [part for part in in_order([node]) if isinstance(part, DealCount)]


def seats_of(node: Node) -> set[Seat]:
    """Return the seats at whose cards a node looks."""
    return set(Seat) if deal_counts(node) else {leaf.seat for leaf in leaves(node)}


def divides(node: Node) -> bool:
    """Tell whether a node divides by what may be zero: by anything but a number as it stands."""
    return any(
        isinstance(part, Arithmetic)
        and part.operator in "/%"
        and not (isinstance(part.right, Number) and part.right.value)
        for part in in_order([node])
    )


def takes_tricks(node: Node) -> bool:
    """Tell whether trick tables are needed to work a node out."""
    return any(part.from_tricks for part in deal_counts(node))
