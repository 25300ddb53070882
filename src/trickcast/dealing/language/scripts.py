"""From the text of a constraint to the conditions that it states."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..cards import Seat
from . import shapes as shape_rules
from .counts import (
    CARD_POINTS,
    DEALER_POINTS,
    Count,
    card_count,
    find_count,
    known_counts,
    parse_card_text,
    parse_suit,
    unknown,
)
from .errors import ConstraintWarning, pointed
from .expressions import (
    AllOf,
    AnyOf,
    Arithmetic,
    Choice,
    Comparison,
    HandCount,
    HasCards,
    InShapes,
    Node,
    Not,
    Number,
    is_condition,
)
from .shapes import Shapes
from .syntax import Start, parse

Branch = Any
"""A lark Tree or Token; which one the grammar says, and no type can."""

MAX_PARTS = 5_000
"""How large a script may be with all names replaced by what they stand for."""
_COMPARISONS = {"=": "==", "≤": "<=", "≥": ">=", "≠": "!="}


@dataclass(frozen=True, eq=False)
class Clause:
    """One of the conditions that all have to hold."""

    source: str
    """Whose it is: ``north``, or ``condition`` for the deal as a whole."""
    text: str
    """As it was written."""
    node: Node


@dataclass(frozen=True, eq=False)
class Script:
    """What a text says: conditions, and cards that are dealt beforehand."""

    clauses: tuple[Clause, ...]
    predealt: tuple[tuple[int, Seat], ...]
    """(card, seat) pairs."""


def read_hand(text: str, seat: Seat) -> tuple[Clause, ...]:
    """Read the short form, ``hcp 15-17, balanced``, for one seat.

    Raises ConstraintError with line, column and a caret.
    """
    return _HandReader(text, seat).clauses()


def read_script(text: str, source: str = "condition") -> Script:
    """Read a script of Dealer's language, or a single condition of it.

    Statements that say nothing about the cards (produce, action …) give a ConstraintWarning.
    Raises ConstraintError with line, column and a caret.
    """
    return _ScriptReader(text, source).script()


class _Reader:
    """What both languages share."""

    def __init__(self, text: str, start: Start, source: str):
        self.text = text
        self.source = source
        self.tree: Branch = parse(text, start, source)

    def error(self, branch: Branch, message: str) -> Exception:
        return pointed(self.text, *self.span(branch), message, self.source)

    def span(self, branch: Branch) -> tuple[int, int]:
        meta = branch.meta if hasattr(branch, "meta") else branch
        return meta.start_pos or 0, meta.end_pos or 0

    def said(self, branch: Branch) -> str:
        start, end = self.span(branch)
        return " ".join(self.text[start:end].split())

    def checked(self, branch: Branch, make: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``make`` and point at ``branch`` when it objects."""
        try:
            return make(*arguments)
        except ValueError as error:
            raise self.error(branch, str(error)) from None

    def shapes(self, tree: Branch) -> Shapes:
        """Read ``any 4333 + any 4432 - 5xxx``."""
        found: Shapes | None = None
        sign = "+"
        for part in tree.children:
            if not hasattr(part, "children") and part.type == "ADD":
                sign = str(part)
                continue
            one = self.pattern(part)
            found = one if found is None else found | one if sign == "+" else found & ~one
        assert found is not None  # the grammar asks for one
        return found

    def pattern(self, part: Branch) -> Shapes:
        free = hasattr(part, "children")
        text = str(part.children[-1]) if hasattr(part, "children") else str(part)
        pattern: shape_rules.Pattern = self.checked(part, shape_rules.parse_pattern, text)
        return shape_rules.any_order(pattern) if free else shape_rules.exactly(pattern)


class _HandReader(_Reader):
    """The short form: every clause is about one seat."""

    def __init__(self, text: str, seat: Seat):
        super().__init__(text, "hand", seat.name.lower())
        self.seat = seat

    def clauses(self) -> tuple[Clause, ...]:
        parts: list[Branch] = []
        for part in self.tree.children:
            together = hasattr(part, "data") and part.data == "together"
            parts += part.children if together else [part]
        parts = [part for part in parts if not self.is_word(part)]
        return tuple(Clause(self.source, self.said(p), self.node(p)) for p in parts)

    @staticmethod
    def is_word(part: Branch) -> bool:
        return getattr(part, "type", "") in ("AND", "OR", "NOT", "ANY", "IN", "SHAPE")

    def node(self, tree: Branch) -> Node:
        parts = [part for part in tree.children if not self.is_word(part)]
        match str(tree.data):
            case "hand" | "together":
                return AllOf(tuple(self.node(part) for part in parts))
            case "alternatives":
                return AnyOf(tuple(self.node(part) for part in parts))
            case "denial":
                return Not(self.node(parts[0]))
            case "span":
                return self.range(*parts)
            case "bound":
                measure, operator, number = parts
                operator = _COMPARISONS.get(str(operator), str(operator))
                left = HandCount(self.measure(measure), self.seat)
                return Comparison(operator, left, Number(_number(number)))
            case "cards":
                cards = self.checked(parts[0], parse_card_text, str(parts[0]))
                return HasCards(tuple(cards), self.seat)
            case _:
                return InShapes(self.shape(tree, parts), self.seat)

    def shape(self, tree: Branch, parts: list[Branch]) -> Shapes:
        text = str(parts[0])
        if tree.data == "flat":
            return shape_rules.balanced(semi=text.lower().startswith("semi"))
        if tree.data == "shapeset":
            return self.shapes(parts[0])
        pattern = self.checked(parts[0], shape_rules.parse_pattern, text)
        # "5332" alone is a pattern as players say it; with an x or = the suits are meant in order
        ordered = tree.data == "exact" or (len(tree.children) == 1 and None in pattern)
        return shape_rules.exactly(pattern) if ordered else shape_rules.any_order(pattern)

    def range(self, first: Branch, second: Branch) -> Node:
        measure, token = (first, second) if hasattr(first, "data") else (second, first)
        count = HandCount(self.measure(measure), self.seat)
        text = str(token)
        if token.type == "ATLEAST":
            return Comparison(">=", count, Number(_number(text.rstrip("+ "))))
        if token.type == "ATMOST":
            return Comparison("<=", count, Number(_number(text.rstrip("- "))))
        if token.type == "NUMBER":
            return Comparison("==", count, Number(_number(text)))
        low, high = (_number(end) for end in text.replace("–", "-").split("-"))
        if low > high:
            raise self.error(token, f"{text} runs backwards (expected {high}-{low})")
        return AllOf((Comparison(">=", count, Number(low)), Comparison("<=", count, Number(high))))

    def measure(self, tree: Branch) -> Count:
        names = [token for token in tree.children if not self.is_word(token)]
        suit = self.checked(names[1], parse_suit, str(names[1])) if len(names) > 1 else None
        count: Count = self.checked(names[0], find_count, str(names[0]), suit)
        return count


class _ScriptReader(_Reader):
    """Dealer's language."""

    def __init__(self, text: str, source: str):
        super().__init__(text, "script", source)
        self.names: dict[str, Node] = {}
        self.sizes: dict[str, int] = {}
        self.used: set[str] = set()
        self.parts = 0
        self.points: dict[str, tuple[float, ...]] = {
            f"pt{i}": CARD_POINTS[name] for i, name in enumerate(DEALER_POINTS)
        }

    def script(self) -> Script:
        clauses: list[Clause] = []
        predealt: list[tuple[int, Seat]] = []
        for statement in self.tree.children:
            match str(statement.data):
                case "definition":
                    self.define(*statement.children)
                case "condition":
                    clauses += self.clauses(statement.children[-1])
                case "predeal":
                    for part in statement.children[1:]:
                        predealt += self.predeal(part)
                case "altcount":
                    self.altcount(statement)
                case _:
                    word = str(statement.children[0]).split()[0].split("(")[0]
                    self.warn(statement, f"{word} says nothing about the cards and")
        for statement in self.tree.children:
            if statement.data == "definition" and statement.children[0].lower() not in self.used:
                self.warn(statement, f"{statement.children[0]} is never used and")
        return Script(tuple(clauses), tuple(predealt))

    def define(self, name: Branch, value: Branch) -> None:
        word = name.lower()
        if word in self.names:
            raise self.error(name, f"{name} is defined a second time")
        if word in known_counts() or word in self.points:
            raise self.error(name, f"{name} is a function (expected another name)")
        before = self.parts
        self.names[word] = self.node(value)
        self.sizes[word] = self.parts - before

    def clauses(self, tree: Branch) -> list[Clause]:
        parts = [tree]
        if tree.data == "both":
            parts = [part for part in tree.children if hasattr(part, "data")]
        return [Clause(self.source, self.said(p), self.condition(p)) for p in parts]

    def predeal(self, tree: Branch) -> list[tuple[int, Seat]]:
        seat = Seat.parse(str(tree.children[0]))
        dealt = []
        for token in tree.children[1:]:
            dealt += [(card, seat) for card in self.checked(token, parse_card_text, str(token))]
        return dealt

    def altcount(self, tree: Branch) -> None:
        word, *numbers = tree.children
        if word.lower() == "pointcount":
            message = "pointcount would change what hcp means (expected altcount and pt0 to pt9)"
            raise self.error(word, message)
        index, *values = (_number(number) for number in numbers)
        if f"pt{index}" not in self.points:
            raise self.error(numbers[0], f"altcount {index} (expected 0 to 9)")
        if not 0 < len(values) <= 13:
            raise self.error(tree, f"{len(values)} values (expected 1 to 13, for ace, king …)")
        self.points[f"pt{index}"] = tuple(values)

    def warn(self, tree: Branch, what: str) -> None:
        line = self.text.count("\n", 0, self.span(tree)[0]) + 1
        warnings.warn(
            f"{self.source}, line {line}: {what} has no effect",
            ConstraintWarning,
            stacklevel=7,
        )

    def condition(self, tree: Branch) -> Node:
        node = self.node(tree)
        if not is_condition(node):
            message = f"{self.said(tree)} is a number (expected a condition such as … > 0)"
            raise self.error(tree, message)
        return node

    def numbers(self, *trees: Branch) -> tuple[Node, ...]:
        return tuple(self.node(tree) for tree in trees)

    def node(self, tree: Branch) -> Node:
        self.parts += 1
        parts = tree.children
        match str(tree.data):
            case "number":
                return Number(_number(parts[0]))
            case "name":
                return self.named(parts[0])
            case "call":
                return self.call(*parts)
            case "shape":
                return InShapes(self.shapes(parts[2]), Seat.parse(str(parts[1])))
            case "hascard":
                return self.hascard(parts[1], parts[2])
            case "negation":
                return Not(self.condition(parts[1]))
            case "minus":
                return Arithmetic(str(parts[0]), Number(0), self.node(parts[1]))
            case "comparison":
                operator = _COMPARISONS.get(str(parts[1]), str(parts[1]))
                return Comparison(operator, self.node(parts[0]), self.node(parts[2]))
            case "sum" | "product":
                return Arithmetic(str(parts[1]), self.node(parts[0]), self.node(parts[2]))
            case "both":
                return AllOf(tuple(self.condition(part) for part in parts[::2]))
            case "either":
                return AnyOf(tuple(self.condition(part) for part in parts[::2]))
            case _:
                return self.choice(*parts)

    def choice(self, test: Branch, yes: Branch, no: Branch) -> Node:
        found, other = self.node(yes), self.node(no)
        if is_condition(found) != is_condition(other):
            raise self.error(no, "one outcome is a number, the other a condition")
        return Choice(self.condition(test), found, other)

    def named(self, token: Branch) -> Node:
        word = token.lower()
        if word in self.names:
            self.used.add(word)
            self.parts += self.sizes[word]
            if self.parts > MAX_PARTS:
                message = f"with {token} the script has more than {MAX_PARTS:,} parts"
                raise self.error(token, message)
            return self.names[word]
        if word in known_counts() or word in self.points:
            raise self.error(token, f"whose {token}? (expected such as {token}(north))")
        known = [*self.names, *known_counts()]
        message = unknown(str(token), known, "a name defined above").replace("one such as ", "")
        raise self.error(token, message)

    def call(self, name: Branch, place: Branch, suit_name: Branch = None) -> Node:
        word, seat = name.lower(), Seat.parse(str(place))
        suit = None
        if suit_name is not None:
            suit = self.checked(suit_name, parse_suit, str(suit_name))
        if word in ("balanced", "semibalanced"):
            return InShapes(shape_rules.balanced(semi=word != "balanced"), seat)
        if word in ("tricks", "score", "imps", "rnd"):
            raise self.error(name, f"{name}() is not known from the cards alone")
        if word in self.points:
            return HandCount(card_count(self.points[word], suit, word), seat)
        count: Count = self.checked(name, find_count, word, suit)
        return HandCount(count, seat)

    def hascard(self, place: Branch, token: Branch) -> Node:
        cards = self.checked(token, parse_card_text, str(token))
        if len(cards) != 1:
            raise self.error(token, f"{token} is {len(cards)} cards (expected one, such as SA)")
        return HasCards((cards[0],), Seat.parse(str(place)))


def _number(text: Any) -> int | float:
    value = float(str(text))
    return int(value) if value == int(value) else value
