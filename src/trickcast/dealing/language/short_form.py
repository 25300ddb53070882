"""Reading the short form: ``hcp 15-17, balanced``, every clause about one seat's hand."""

import re
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
from lark import Token, v_args

from ...cards import Seat, Suit
from .conditions import (
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
    leaves,
)
from .hand_counts import (
    HUNDREDTHS,
    find_count,
    honours,
    is_count,
    known_counts,
    length,
    parse_card_text,
    parse_suit,
    unknown,
)
from .mistakes import clip, pointed
from .parsing import COMPARISONS, Branch, Reader, aligned
from .shapes import any_order, balanced, exactly, parse_pattern


def read_hand(
    text: str, seat: Seat, *, source: str | None = None, names: Mapping[str, Node] | None = None
) -> tuple[Clause, ...]:
    """Read the short form for one seat.

    ``source`` names the text in errors, by default the seat; ``names`` are words that somebody
    defined, in lower case. Raises ConstraintError with line, column and a caret.
    """
    reader = _HandReader(text, seat, source or seat.name.lower(), names or {})
    parts = list[Branch]()
    for part in reader.tree.children:
        parts += part.children if getattr(part, "data", "") == "together" else [part]
    return tuple(
        Clause(reader.source, reader.written(part), reader.read(part))
        for part in parts
        if not isinstance(part, Token)
    )


class _HandReader(Reader):
    def __init__(self, text: str, seat: Seat, source: str, names: Mapping[str, Node]):
        super().__init__(text, "hand", source)
        self.seat = seat
        self.names = names

    def hand(self, parts: list[Any]) -> Node:
        return AllOf(_nodes(parts))

    together = hand

    def alternatives(self, parts: list[Any]) -> Node:
        """Alternatives of shapes alone are one set of shapes."""
        nodes = _nodes(parts)
        shapes = [node.shapes for node in nodes if isinstance(node, InShapes)]
        if len(shapes) < len(nodes):
            return AnyOf(nodes)
        return InShapes(reduce(np.logical_or, shapes), self.seat)

    def denial(self, parts: list[Any]) -> Node:
        return Not(parts[-1])

    def named(self, parts: list[Token]) -> Node:
        (token,) = parts
        word = token.lower()
        if word in self.names:
            return self.names[word]
        if not is_count(word):
            words = [*self.names, *known_counts(), "balanced", "semibalanced", "unbalanced"]
            raise ValueError(unknown(str(token), words, "known here"))
        end = self.place(token).end
        message = f"{clip(token)} of how much? (expected a number or a range, such as 12-14)"
        raise pointed(self.text, end, end, message, self.source)

    @v_args(meta=True)
    def bound(self, meta: Branch, parts: list[Any]) -> Node:
        left, sign, right = parts
        compared = self.compared(meta, COMPARISONS.get(sign, str(sign)), left, right)
        if not leaves(compared):
            written = clip(self.written(meta))
            raise ValueError(f"{written} says nothing of the hand (expected hcp 12-14)")
        return compared

    def compared(self, place: Branch, operator: str, left: Node, right: Node) -> Comparison:
        """Return two numbers compared; a whole number is refused where it can only mean points."""
        for counted, limit in ((left, right), (right, left)):
            if (
                isinstance(counted, HandCount)
                and counted.unit == "hundredths"
                and isinstance(limit, Number)
                and limit.unit != "decimal"
                and 0 < 100 * limit.value <= counted.count.bounds[1]
            ):
                raise self.error(
                    place,
                    f"{counted.count.name} is in hundredths, which {limit.value} is too small for "
                    f"(expected {limit.value}.0 for points, or {100 * limit.value})",
                )
        return Comparison(operator, *aligned(left, right))

    def number(self, parts: list[Token]) -> Number:
        return self.limit(parts[0])

    def limit(self, token: Token, digits: str | None = None) -> Number:
        """Read a number; ``digits`` is what of the token says it."""
        digits = str(token) if digits is None else digits
        return Number(self.number_of(token, digits), "decimal" if "." in digits else "")

    @v_args(meta=True)
    def total(self, meta: Branch, parts: list[Any]) -> Node:
        if isinstance(parts[0], Token):  # a number and its sign, as in "5+ hearts"
            token, *others = parts
            parts = [self.limit(token, token[:-1].strip()), token[-1], *others]
        result = self.joined(meta, parts)
        if not leaves(result):
            written = clip(self.written(meta))
            raise ValueError(f"{written} is no number (expected one, or hcp 12-14)")
        return result

    times = led = total

    def suit(self, parts: list[Token]) -> Suit:
        return parse_suit(str(parts[0]))

    def longest(self, parts: list[Any]) -> Node:
        suit = parts[1]
        mine = HandCount(length(suit), self.seat)
        others = [HandCount(length(other), self.seat) for other in Suit if other != suit]
        return AllOf(tuple(Comparison(">=", mine, other) for other in others))

    def flat(self, parts: list[Token]) -> Node:
        word = parts[0].lower()
        shapes = balanced(semi=word.startswith("semi"))
        return InShapes(~shapes if word.startswith("un") else shapes, self.seat)

    def shapeset(self, parts: list[Any]) -> Node:
        return InShapes(parts[1], self.seat)

    def pattern(self, parts: list[Token]) -> Node:
        pattern = parse_pattern(str(parts[-1]))
        # "5332" alone is a pattern as players say it; with an x or = the suits are meant in order
        ordered = len(parts) == 1 and None in pattern
        make = exactly if ordered else any_order
        return InShapes(make(pattern), self.seat)

    def exact(self, parts: list[Token]) -> Node:
        return InShapes(exactly(parse_pattern(str(parts[0]))), self.seat)

    def cards(self, parts: list[Token]) -> Node:
        return HasCards(tuple(parse_card_text(str(parts[0]))), self.seat)

    def span(self, parts: list[Any]) -> Node:
        token, count = parts if isinstance(parts[0], Token) else reversed(parts)
        text = str(token)
        ends = [self.limit(token, end.strip()) for end in re.split("[-–+]", text) if end.strip()]
        most = count.count.bounds[1]
        if count.count.name.startswith("of ") and ends[0].value > most:
            expected = f"expected {most:.0f} or fewer"
            raise self.error(token, f"{clip(text)} of {most:.0f} cards ({expected})")
        if token.type == "RANGE":
            if ends[0].value > ends[1].value:
                expected = f"expected {ends[1].value}-{ends[0].value}"
                raise self.error(token, f"{text} runs backwards ({expected})")
            signs = zip((">=", "<="), ends, strict=True)
            return AllOf(tuple(self.compared(token, sign, count, end) for sign, end in signs))
        sign = {"NUMBER": "==", "ATLEAST": ">=", "ATMOST": "<="}[token.type]
        return self.compared(token, sign, count, ends[0])

    def measure(self, parts: list[Any]) -> HandCount:
        name, *of_suit = parts
        suit = of_suit[-1] if of_suit else None
        unit: Any = "hundredths" if name.lower() in HUNDREDTHS else ""
        return HandCount(find_count(str(name), suit), self.seat, unit)

    def honours(self, parts: list[Any]) -> HandCount:
        return HandCount(honours(str(parts[1]), parts[-1]), self.seat)


def _nodes(parts: list[Any]) -> tuple[Node, ...]:
    return tuple(part for part in parts if not isinstance(part, Token))
