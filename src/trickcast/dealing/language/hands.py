"""Reading the short form: ``hcp 15-17, balanced``, every clause about one seat's hand."""

import re
from collections.abc import Mapping
from typing import Any

from ...cards import Seat, Suit
from . import shapes as shape_rules
from .counts import (
    HUNDREDTHS,
    Count,
    find_count,
    honours,
    is_count,
    known_counts,
    length,
    parse_card_text,
    parse_suit,
    unknown,
)
from .errors import clip, pointed
from .reading import COMPARISONS, Branch, Reader
from .shapes import LENGTHS, Shapes
from .tree import (
    AllOf,
    AnyOf,
    Clause,
    Comparison,
    HandCount,
    HasCards,
    InShapes,
    Node,
    Not,
    Number,
)

_WORDS = ("AND", "OR", "NOT", "ANY", "IN", "OF", "SHAPE", "LONGEST")


def read_hand(
    text: str, seat: Seat, *, source: str | None = None, names: Mapping[str, Node] | None = None
) -> tuple[Clause, ...]:
    """Read the short form for one seat.

    ``source`` names the text in errors, by default the seat; ``names`` are words that somebody
    defined, in lower case. Raises ConstraintError with line, column and a caret.
    """
    return _HandReader(text, seat, source or seat.name.lower(), names or {}).clauses()


class _HandReader(Reader):
    def __init__(self, text: str, seat: Seat, source: str, names: Mapping[str, Node]):
        super().__init__(text, "hand", source)
        self.seat = seat
        self.names = names

    def clauses(self) -> tuple[Clause, ...]:
        parts: list[Branch] = []
        for part in self.tree.children:
            together = hasattr(part, "data") and part.data == "together"
            parts += part.children if together else [part]
        return tuple(
            Clause(self.source, self.written(part), self.nested(part, self.node))
            for part in parts
            if not _is_word(part)
        )

    def node(self, tree: Branch) -> Node:
        parts = [part for part in tree.children if not _is_word(part)]
        match str(tree.data):
            case "hand" | "together":
                return AllOf(tuple(self.nested(part, self.node) for part in parts))
            case "alternatives":
                return _any_of([self.nested(part, self.node) for part in parts])
            case "denial":
                return Not(self.nested(parts[0], self.node))
            case "named":
                return self.named(parts[0])
            case "span":
                return self.range(*parts)
            case "bound":
                return self.bound(tree, *parts)
            case "longest":
                return self.longest(parts[0])
            case "cards":
                cards = self.checked(parts[0], parse_card_text, str(parts[0]))
                return HasCards(tuple(cards), self.seat)
        return InShapes(self.shape(tree, parts), self.seat)

    def named(self, token: Branch) -> Node:
        word = token.lower()
        if word in self.names:
            return self.names[word]
        if not is_count(word):
            words = [*self.names, *known_counts(), "balanced", "semibalanced", "unbalanced"]
            raise self.error(token, unknown(str(token), words, "known here"))
        end = self.span(token)[1]
        message = f"{clip(token)} of how much? (expected a number or a range, such as 12-14)"
        raise pointed(self.text, end, end, message, self.source)

    def bound(self, tree: Branch, left: Branch, sign: Branch, right: Branch) -> Node:
        if not any(part.data == "measure" for part in tree.iter_subtrees()):
            message = f"{clip(self.written(tree))} says nothing of the hand (expected hcp 12-14)"
            raise self.error(tree, message)
        operator = COMPARISONS.get(str(sign), str(sign))
        return self.compared(tree, operator, self.value(left), self.value(right))

    def compared(self, place: Branch, operator: str, left: Node, right: Node) -> Comparison:
        """Return two numbers compared, a decimal beside hundredths being a hundred times as much.

        A whole number that can only mean points is refused there.
        """
        for counted, limit in ((left, right), (right, left)):
            if not (isinstance(counted, HandCount) and self.units.in_hundredths(counted)):
                continue
            if not isinstance(limit, Number) or self.units.has_point(limit):
                continue
            if 0 < 100 * limit.value <= counted.count.bounds[1]:
                expected = f"expected {limit.value}.0 for points, or {100 * limit.value}"
                what = (
                    f"{counted.count.name} is in hundredths, which {limit.value} is too small for"
                )
                raise self.error(place, f"{what} ({expected})")
        return Comparison(operator, *self.units.aligned(left, right))

    def limit(self, token: Branch, text: str | None = None) -> Number:
        """Read a number; ``text`` is what of the token says it."""
        digits = str(token) if text is None else text
        number = Number(self.number(token, digits))
        return self.units.decimal(number) if "." in digits else number

    def value(self, tree: Branch) -> Node:
        """Read a side of a comparison: a count, a number, or a sum of these."""
        parts = tree.children
        match str(tree.data):
            case "measure":
                return self.measure(tree)
            case "number":
                return self.limit(parts[0])
        if not any(part.data == "measure" for part in tree.iter_subtrees()):
            message = f"{clip(self.written(tree))} is no number (expected one, or hcp 12-14)"
            raise self.error(tree, message)
        if tree.data == "led":  # the first token is a number and its sign
            text = str(parts[0])
            first: Node = self.limit(parts[0], text[:-1].strip())
            parts = [None, text[-1], *parts[1:]]
        else:
            first = self.nested(parts[0], self.value)
        operators = [str(operator) for operator in parts[1::2]]
        others = [self.nested(operand, self.value) for operand in parts[2::2]]
        return self.calculation(tree, first, list(zip(operators, others, strict=True)))

    def longest(self, token: Branch) -> Node:
        suit = self.checked(token, parse_suit, str(token))
        mine = HandCount(length(suit), self.seat)
        return AllOf(
            tuple(
                Comparison(">=", mine, HandCount(length(other), self.seat))
                for other in Suit
                if other != suit
            )
        )

    def shape(self, tree: Branch, parts: list[Branch]) -> Shapes:
        text = str(parts[0])
        if tree.data == "flat":
            word = text.lower()
            shapes = shape_rules.balanced(semi=word.startswith("semi"))
            return ~shapes if word.startswith("un") else shapes
        if tree.data == "shapeset":
            return self.shapes(parts[0])
        pattern = self.checked(parts[0], shape_rules.parse_pattern, text)
        # "5332" alone is a pattern as players say it; with an x or = the suits are meant in order
        ordered = tree.data == "exact" or (len(tree.children) == 1 and None in pattern)
        return shape_rules.exactly(pattern) if ordered else shape_rules.any_order(pattern)

    def range(self, first: Branch, second: Branch) -> Node:
        measure, token = (first, second) if hasattr(first, "data") else (second, first)
        count = self.measure(measure)
        text = str(token)
        if measure.children[0].type == "OF":
            self.check_honours(token, str(measure.children[1]))
        match token.type:
            case "RANGE":
                ends = text.replace("–", "-").split("-")
                low, high = (self.limit(token, end.strip()) for end in ends)
                if low.value > high.value:
                    expected = f"expected {high.value}-{low.value}"
                    raise self.error(token, f"{text} runs backwards ({expected})")
                above = self.compared(token, ">=", count, low)
                return AllOf((above, self.compared(token, "<=", count, high)))
            case "NUMBER":
                operator, limit = "==", text
            case "ATLEAST":
                operator, limit = ">=", text.rstrip("+ \t\n\r")
            case _:
                operator, limit = "<=", text.rstrip("- \t\n\r")
        return self.compared(token, operator, count, self.limit(token, limit.strip()))

    def check_honours(self, token: Branch, ranks: str) -> None:
        """Refuse ``4 of AKQ``."""
        most = len(ranks.replace("10", "T"))
        least = re.split(r"[-–+]", str(token))[0].strip()
        if self.number(token, least) > most:
            raise self.error(
                token, f"{clip(str(token))} of {most} cards (expected {most} or fewer)"
            )

    def measure(self, tree: Branch) -> HandCount:
        names = [token for token in tree.children if not _is_word(token)]
        suit = self.checked(names[1], parse_suit, str(names[1])) if len(names) > 1 else None
        make: Any = honours if tree.children[0].type == "OF" else find_count
        count: Count = self.checked(names[0], make, str(names[0]), suit)
        node = HandCount(count, self.seat)
        return self.units.hundredths(node) if names[0].lower() in HUNDREDTHS else node


def _is_word(part: Branch) -> bool:
    return getattr(part, "type", "") in _WORDS


def _any_of(nodes: list[Node]) -> Node:
    """Alternatives; of shapes alone they are one set of shapes."""
    shapes = [node.shapes for node in nodes if isinstance(node, InShapes)]
    if len(shapes) < len(nodes):
        return AnyOf(tuple(nodes))
    union = shapes[0].copy()
    for other in shapes[1:]:
        union |= other
    assert isinstance(nodes[0], InShapes) and len(union) == len(LENGTHS)
    return InShapes(union, nodes[0].seat)
