"""Reading Dealer's language and DealerV2's: what they say of cards, and what is to be done."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...cards import Seat
from . import shapes as shape_rules
from .actions import Action, ActionReader, Settings
from .braces import braced_shapes
from .counts import (
    CARD_POINTS,
    DEALER_POINTS,
    HUNDREDTHS,
    Count,
    card_count,
    find_count,
    half_losers,
    is_own_count,
    known_counts,
    length,
    parse_card_text,
    parse_suit,
    unknown,
)
from .dealwide import chance, dealt_before, imps_of, par_of, score_of, tricks_of
from .errors import ConstraintError, OutsideError, clip, pointed
from .evaluation import ASK_FOR_TRICKS, constant_of
from .reading import COMPARISONS, Branch, Reader
from .syntax import is_reserved, no_name
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
    deal_counts,
    in_order,
    is_condition,
    takes_tricks,
)

_LARGEST_POINT = 1_000_000
_LONGEST_PARAMETER = 1_000
_PARAMETER = re.compile(r'//[^\n]*|#[^\n]*|/\*.*?\*/|"[^"\n]*"|\$([0-9])', re.DOTALL)
"""A parameter such as ``$1``, or a comment or text in quotes, where ``$1`` is none."""


@dataclass(frozen=True, eq=False)
class Script:
    """What a text says: conditions, cards that are dealt beforehand, and what is to be done."""

    clauses: tuple[Clause, ...]
    predealt: tuple[tuple[int, Seat], ...]
    """(card, seat) pairs."""
    settings: Settings
    actions: tuple[Action, ...]
    notes: tuple[str, ...]
    """What was read and has no effect, each with its line."""
    asides: tuple[str, ...]
    """Which statements say nothing about the cards, each with its line: settings and actions."""
    unsolved: ConstraintError | None
    """The error where a condition needs tricks and nothing finds them; None where none does."""

    @property
    def takes_chances(self) -> bool:
        """Whether its condition asks for ``rnd()``."""
        counts = [part for clause in self.clauses for part in deal_counts(clause.node)]
        return any(count.name == "rnd" for count in counts)


def read_script(
    text: str,
    source: str = "condition",
    parameters: Mapping[int, str] | None = None,
    *,
    chances: int = 0,
) -> Script:
    """Read a script of Dealer's language, or a single condition of it.

    ``parameters`` are the texts that ``$0`` to ``$9`` stand for. Scripts that go together have each
    their own number ``chances``, which keeps what ``rnd()`` says in one apart from the others.
    Raises ConstraintError with line, column and a caret.
    """
    text = _with_parameters(text, source, parameters or {})
    return _ScriptReader(text, source, chances).script()


def _with_parameters(text: str, source: str, parameters: Mapping[int, str]) -> str:
    for number, value in parameters.items():
        if len(value) > _LONGEST_PARAMETER:
            raise ConstraintError(
                f"{source}: ${number} has {len(value):,} characters (expected at most "
                f"{_LONGEST_PARAMETER:,})"
            )

    def replaced(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        if int(match[1]) not in parameters:
            message = f"{match[0]} stands for a text that was not given (expected parameters={{…}})"
            raise pointed(text, match.start(), match.end(), message, source)
        return parameters[int(match[1])]

    marked = text[:1] == "\ufeff"  # the byte order mark of a file
    return _PARAMETER.sub(replaced, text[1:] if marked else text)


class _ScriptReader(Reader):
    def __init__(self, text: str, source: str, chances: int):
        super().__init__(text, "script", source)
        self.chances = chances
        self.per_deal = False  # whether what is read is an action, worked out deal by deal
        self.names: dict[str, Node] = {}
        self.lower_case: dict[str, str] = {}
        self.used: set[str] = set()
        self.notes: list[str] = []
        self.asides: list[str] = []
        self.places: dict[Node, Branch] = {}
        self.points: dict[str, tuple[float, ...]] = {
            f"pt{i}": CARD_POINTS[name] for i, name in enumerate(DEALER_POINTS)
        }

    def script(self) -> Script:
        asked: list[tuple[Branch, list[Clause]]] = []
        dealt_lengths: list[Clause] = []
        predealt: list[tuple[int, Seat]] = []
        actions: list[Action] = []
        listed: Branch = None
        doing = ActionReader(self, self.node, self.named, self.is_name, self.units)
        for statement in self.tree.children:
            match str(statement.data):
                case "definition":
                    self.define(*statement.children)
                case "condition":
                    asked.append((statement, self.clauses(statement.children[-1])))
                case "predeal":
                    dealt_lengths += self.predeal(statement, predealt)
                case "altcount":
                    self.altcount(statement)
                case "setting":
                    doing.setting(statement)
                    self.aside(statement)
                case "actions":
                    if listed is not None:
                        self.note(listed, "this action is replaced by the later one and")
                    listed = statement
                    self.per_deal = True
                    actions, senseless = doing.actions(statement)
                    self.per_deal = False
                    self.aside(statement)
                    self.notes += senseless
        for statement, _ in asked[:-1]:
            text = clip(self.written(statement))
            self.note(statement, f"the last condition counts, as in Dealer: {text!r}")
        clauses = (*dealt_lengths, *(asked[-1][1] if asked else ()))
        for statement in self.tree.children:
            if statement.data == "definition" and str(statement.children[0]) not in self.used:
                self.note(statement, f"{clip(statement.children[0])} is never used and")
        return Script(
            clauses,
            tuple(predealt),
            doing.settings,
            tuple(actions),
            tuple(self.notes),
            tuple(self.asides),
            self.unsolved(clauses),
        )

    def unsolved(self, clauses: tuple[Clause, ...]) -> ConstraintError | None:
        """Return the error that points at the first number that takes tricks."""
        nodes = in_order([clause.node for clause in clauses])
        asking = [self.places[node] for node in nodes if node in self.places and takes_tricks(node)]
        if not asking:
            return None
        name = asking[0]
        message = f"{clip(name)}() is not known from the cards alone ({ASK_FOR_TRICKS})"
        return self.error(name, message)

    def outside(self, branch: Branch, name: str) -> OutsideError:
        """Return the error of a function that another program works out."""
        error = self.error(branch, f"{name}() is worked out by a program outside")
        return OutsideError(str(error), error.mistake)

    def is_name(self, word: str) -> bool:
        return word in self.names or word.lower() in self.lower_case

    def define(self, name: Branch, value: Branch) -> None:
        if name in self.names:
            raise self.error(name, f"{clip(name)} is defined a second time")
        if is_reserved(name):
            raise self.error(name, no_name(name))
        if is_own_count(name) or name.lower() in self.points:
            raise self.error(name, f"{clip(name)} is a function (expected another name)")
        self.names[str(name)] = self.nested(value, self.node)
        self.lower_case[name.lower()] = str(name)

    def clauses(self, tree: Branch) -> list[Clause]:
        parts = [tree]
        if tree.data == "both":
            parts = [part for part in tree.children if hasattr(part, "data")]
        return [Clause(self.source, self.written(p), self.condition(p)) for p in parts]

    def predeal(self, tree: Branch, predealt: list[tuple[int, Seat]]) -> list[Clause]:
        """Add the cards to ``predealt``, and return the lengths (``spades(north)==6``)."""
        seat: Seat | None = None
        lengths = []
        for token in tree.children[1:]:
            if token.type == "SEAT":
                seat = Seat.parse(str(token))
            elif token.type == "BIAS":
                suit, place, number = re.split(r"\s*(?:\(|\)\s*==)\s*", str(token))
                count = HandCount(length(parse_suit(suit)), Seat.parse(place))
                equal = Comparison("==", count, Number(int(number)))
                lengths.append(Clause(self.source, self.written(token), equal))
            elif seat is None:
                raise self.error(token, f"whose {clip(token)}? (expected such as predeal north SA)")
            elif token.type == "CARDS":
                cards = self.checked(token, parse_card_text, str(token))
                predealt += [(card, seat) for card in cards]
        return lengths

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
        self.notes.append(f"{self.source}, line {self.line(tree)}: {what} has no effect")

    def aside(self, tree: Branch) -> None:
        what = f"{tree.children[0]} says nothing about the cards and has no effect"
        self.asides.append(f"{self.source}, line {self.line(tree)}: {what}")

    def condition(self, tree: Branch) -> Node:
        """Read a condition; a name for a number is one, true unless that is 0, as in Dealer."""
        node = self.nested(tree, self.node)
        if is_condition(node):
            return node
        if tree.data != "call":
            return Comparison("!=", node, Number(0))
        text = clip(self.written(tree))
        raise self.error(tree, f"{text} is a number (expected a condition such as … > 0)")

    def node(self, tree: Branch) -> Node:
        parts = tree.children
        match str(tree.data):
            case "number":
                return Number(self.number(parts[0]))
            case "decimal":
                return self.units.decimal(Number(self.number(parts[0])))
            case "name":
                return self.named(parts[0])
            case "call":
                return self.call(*parts)
            case "shape":
                return InShapes(self.shapes(parts[2]), Seat.parse(str(parts[1])))
            case "braces":
                return self.braces(parts[0])
            case "hascard":
                return self.hascard(parts[1], parts[2])
            case "score":
                taken = self.nested(parts[3], self.node)
                node: Node = self.checked(tree, score_of, str(parts[1]), str(parts[2]), taken)
                return node
            case "converted":
                return self.converted(parts[0], self.nested(parts[1], self.node), parts[1])
            case "outside":
                raise self.outside(parts[0], "usereval")
            case "negation":
                return Not(self.condition(parts[1]))
            case "minus":
                operand = self.nested(parts[1], self.node)
                return self.calculation(tree, Number(0), [(str(parts[0]), operand)])
            case "comparison":
                operator = COMPARISONS.get(str(parts[1]), str(parts[1]))
                left, right = (self.nested(part, self.node) for part in parts[::2])
                return Comparison(operator, *self.units.aligned(left, right))
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
        if is_condition(first) != is_condition(second):  # 1 and 0 are conditions too
            first, second = (
                Comparison("!=", outcome, Number(0))
                if isinstance(outcome, Number) and outcome.value in (0, 1)
                else outcome
                for outcome in (first, second)
            )
        if is_condition(first) != is_condition(second):
            raise self.error(no, "one outcome is a number, the other a condition")
        chosen = Choice(self.condition(test), *self.units.aligned(first, second))
        return self.units.like(chosen, first, second)

    def named(self, token: Branch) -> Node:
        """Return what a name stands for: a name of the script goes before any function's."""
        name = token if token in self.names else self.lower_case.get(token.lower())
        if name is not None:
            self.used.add(str(name))  # tokens of other kinds are not equal
            return self.names[name]
        if token.lower() in known_counts() or token.lower() in self.points:
            name = clip(token)
            raise self.error(token, f"whose {name}? (expected such as {name}(north))")
        names = [*self.names, *known_counts()]
        message = unknown(str(token), names, "a name defined above").replace("one such as ", "")
        raise self.error(token, message)

    def call(self, name: Branch, place: Branch, suit_name: Branch = None) -> Node:
        word = name.lower()
        if word in ("tricks", "dds", "par", "opc"):
            return self.of_deal(word, name, place, suit_name)
        if place.type == "SIDE_WORD":
            raise self.error(place, f"{place} are two hands (expected one, such as north)")
        seat, suit = Seat.parse(str(place)), None
        if suit_name is not None:
            suit = self.checked(suit_name, parse_suit, str(suit_name))
        if word in ("balanced", "semibalanced"):
            return InShapes(shape_rules.balanced(semi=word != "balanced"), seat)
        if word in self.points:
            return HandCount(card_count(self.points[word], suit, word), seat)
        find = half_losers if word == "ltc" else lambda suit: find_count(word, suit)
        count: Count = self.checked(name, find, suit)
        node = HandCount(count, seat)
        return self.units.hundredths(node) if word in (*HUNDREDTHS, "ltc") else node

    def of_deal(self, word: str, name: Branch, place: Branch, detail: Branch) -> Node:
        """Read ``tricks(north, spades)``, ``dds(…)`` or ``par(NS, both)``."""
        if word == "opc":
            raise self.outside(name, "opc")
        side = place.type == "SIDE_WORD"
        if side != (word == "par") or (detail is None and not side):
            example = "par(NS)" if word == "par" else f"{word}(north, spades)"
            raise self.error(name, f"{name} of what? (expected such as {example})")
        node: Node
        if side:
            vulnerable = "none" if detail is None else str(detail)
            node = self.checked(place, par_of, str(place), vulnerable)
        else:
            node = self.checked(detail, tricks_of, Seat.parse(str(place)), str(detail))
        self.places[node] = name
        return node

    def converted(self, word: Branch, value: Node, branch: Branch) -> Node:
        """Read ``imps(…)`` or ``rnd(…)``."""
        if word.lower() == "imps":
            return imps_of(value)
        below = constant_of(value)
        if below == 0 and self.per_deal:
            return dealt_before()
        if below is None or below != int(below) or not 1 <= below <= _LARGEST_POINT:
            message = f"rnd of {clip(self.written(branch))}"
            raise self.error(branch, f"{message} (expected a number of 1 to {_LARGEST_POINT:,})")
        return chance(int(below), word.start_pos or 0, self.chances)

    def braces(self, token: Branch) -> Node:
        """Read ``shape{north, 5+xxx - (5332)}``."""
        place, comma, items = str(token)[:-1].partition("{")[2].partition(",")
        if not comma:
            raise self.error(token, "whose shape? (expected such as shape{north, 5+xxx})")
        seat: Seat = self.checked(token, Seat.parse, place.strip())
        return InShapes(self.checked(token, braced_shapes, items.strip()), seat)

    def hascard(self, place: Branch, token: Branch) -> Node:
        cards = self.checked(token, parse_card_text, str(token))
        if len(cards) != 1:
            raise self.error(token, f"{token} is {len(cards)} cards (expected one, such as SA)")
        return HasCards((cards[0],), Seat.parse(str(place)))
