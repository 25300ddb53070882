"""What a text says: a small tree of numbers and conditions.

Whatever stands under a name is one node, however often the name is used, so a tree is walked node
by node (``in_order``), never path by path, and without recursion: text may nest and repeat.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...cards import Seat
from .counts import Count
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
class Arithmetic:
    """Two numbers joined by ``+ - * / %``; whole numbers divide without remainder."""

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
    """Every part holds; without parts, anything does."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, eq=False)
class AnyOf:
    """At least one part holds."""

    parts: tuple["Node", ...]


Leaf = HandCount | InShapes | HasCards
Node = Number | Leaf | Arithmetic | Choice | Comparison | Not | AllOf | AnyOf


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
        case Not(part):
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
    return not isinstance(node, Number | HandCount | Arithmetic)


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
    """Return the parts that look at cards, in the order of the text."""
    return [part for part in in_order([node]) if isinstance(part, HandCount | InShapes | HasCards)]
