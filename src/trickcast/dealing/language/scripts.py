"""Reading Dealer's language, as far as it speaks of cards."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...cards import Seat
from . import shapes as shape_rules
from .counts import (
    CARD_POINTS,
    DEALER_POINTS,
    Count,
    card_count,
    find_count,
    is_own_count,
    known_counts,
    parse_card_text,
    parse_suit,
    unknown,
)
from .errors import clip
from .reading import COMPARISONS, Branch, Reader
from .tree import (
    AllOf,
    AnyOf,
    Choice,
    Clause,
    Comparison,
    HandCount,
    HasCards,
    InShapes,
    Node,
    Not,
    Number,
    is_condition,
)

_LARGEST_POINT = 1_000_000


@dataclass(frozen=True, eq=False)
class Script:
    """What a text says: conditions, and cards that are dealt beforehand."""

    clauses: tuple[Clause, ...]
    predealt: tuple[tuple[int, Seat], ...]
    """(card, seat) pairs."""
    notes: tuple[str, ...]
    """What was read and has no effect, each with its line."""


def read_script(text: str, source: str = "condition") -> Script:
    """Read a script of Dealer's language, or a single condition of it.

    Raises ConstraintError with line, column and a caret.
    """
    return _ScriptReader(text, source).script()


def read_numbers(text: str, places: Sequence[tuple[int, int]], source: str) -> list[Node]:
    """Read the expressions that stand at (start, end) in a script, with the names it defines.

    Raises ConstraintError as ``read_script`` does, and for the expressions with their place.
    """
    script = _ScriptReader(text, source)
    script.script()
    numbers = []
    for start, end in places:
        before = "".join("\n" if character == "\n" else " " for character in text[:start])
        there = _ScriptReader(before + text[start:end], source)
        there.names, there.lower_case, there.points = script.names, script.lower_case, script.points
        (statement,) = there.tree.children
        numbers.append(there.nested(statement.children[-1], there.node))
    return numbers


class _ScriptReader(Reader):
    def __init__(self, text: str, source: str):
        super().__init__(text, "script", source)
        self.names: dict[str, Node] = {}
        self.lower_case: dict[str, str] = {}
        self.used: set[str] = set()
        self.notes: list[str] = []
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
                    self.note(statement, f"{word} says nothing about the cards and")
        for statement in self.tree.children:
            if statement.data == "definition" and statement.children[0] not in self.used:
                self.note(statement, f"{clip(statement.children[0])} is never used and")
        return Script(tuple(clauses), tuple(predealt), tuple(self.notes))

    def define(self, name: Branch, value: Branch) -> None:
        if name in self.names:
            raise self.error(name, f"{clip(name)} is defined a second time")
        if is_own_count(name) or name.lower() in self.points:
            raise self.error(name, f"{clip(name)} is a function (expected another name)")
        self.names[str(name)] = self.nested(value, self.node)
        self.lower_case[name.lower()] = str(name)

    def clauses(self, tree: Branch) -> list[Clause]:
        parts = [tree]
        if tree.data == "both":
            parts = [part for part in tree.children if hasattr(part, "data")]
        return [Clause(self.source, self.written(p), self.condition(p)) for p in parts]

    def predeal(self, tree: Branch) -> list[tuple[int, Seat]]:
        seat = Seat.parse(str(tree.children[0]))
        dealt = []
        for token in tree.children[1:]:
            dealt += [(card, seat) for card in self.checked(token, parse_card_text, str(token))]
        return dealt

    def altcount(self, tree: Branch) -> None:
        word, *numbers = tree.children
        name = "hcp"  # which is what pointcount changes
        if word.lower() == "altcount":
            index, *numbers = numbers
            name = f"pt{self.number(index)}"
            if name not in self.points:
                raise self.error(index, f"altcount {clip(index)} (expected 0 to 9)")
        values = [self.number(number) for number in numbers]
        if not 0 < len(values) <= 13:
            raise self.error(tree, f"{len(values)} values (expected 1 to 13, for ace, king …)")
        for number, value in zip(numbers, values, strict=True):
            if abs(value) > _LARGEST_POINT:
                message = f"{clip(number)} points (expected at most {_LARGEST_POINT:,})"
                raise self.error(number, message)
        self.points[name] = tuple(values)

    def note(self, tree: Branch, what: str) -> None:
        line = self.text.count("\n", 0, self.span(tree)[0]) + 1
        self.notes.append(f"{self.source}, line {line}: {what} has no effect")

    def condition(self, tree: Branch) -> Node:
        """Read a condition; a name for a number is one, true unless that is 0, as in Dealer."""
        node = self.nested(tree, self.node)
        if is_condition(node):
            return node
        if tree.data in ("name", "number"):
            return Comparison("!=", node, Number(0))
        text = clip(self.written(tree))
        raise self.error(tree, f"{text} is a number (expected a condition such as … > 0)")

    def node(self, tree: Branch) -> Node:
        parts = tree.children
        match str(tree.data):
            case "number":
                return Number(self.number(parts[0]))
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
                operand = self.nested(parts[1], self.node)
                return self.calculation(tree, Number(0), [(str(parts[0]), operand)])
            case "comparison":
                operator = COMPARISONS.get(str(parts[1]), str(parts[1]))
                left, right = (self.nested(part, self.node) for part in parts[::2])
                return Comparison(operator, left, right)
            case "sum" | "product":
                first, *others = (self.nested(part, self.node) for part in parts[::2])
                operators = map(str, parts[1::2])
                return self.calculation(tree, first, list(zip(operators, others, strict=True)))
            case "both":
                return AllOf(tuple(self.condition(part) for part in parts[::2]))
            case "either":
                return AnyOf(tuple(self.condition(part) for part in parts[::2]))
        return self.choice(*parts)

    def choice(self, test: Branch, yes: Branch, no: Branch) -> Node:
        first, second = self.nested(yes, self.node), self.nested(no, self.node)
        if is_condition(first) != is_condition(second):
            raise self.error(no, "one outcome is a number, the other a condition")
        return Choice(self.condition(test), first, second)

    def named(self, token: Branch) -> Node:
        """Return what a name stands for: a name of the script goes before any function's."""
        name = token if token in self.names else self.lower_case.get(token.lower())
        if name is not None:
            self.used.add(name)
            return self.names[name]
        if token.lower() in known_counts() or token.lower() in self.points:
            name = clip(token)
            raise self.error(token, f"whose {name}? (expected such as {name}(north))")
        names = [*self.names, *known_counts()]
        message = unknown(str(token), names, "a name defined above").replace("one such as ", "")
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
