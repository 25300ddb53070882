"""Read the languages of Dealer and DealerV2: conditions on the cards, and actions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lark import Token, v_args
from numpy.typing import NDArray

from ...cards import DealError, DealsLike, Seat, Strain, Vulnerability, as_dealset
from ...scoring import Contract, imps, par, score
from .conditions import (
    ASK_FOR_TRICKS,
    AllOf,
    AnyOf,
    Choice,
    Clause,
    Comparison,
    Converted,
    DealCount,
    HandCount,
    HasCards,
    InShapes,
    Layouts,
    Node,
    Not,
    Number,
    Tricks,
    constant_of,
    deal_counts,
    in_order,
    is_condition,
    takes_tricks,
    value_of,
)
from .hand_counts import (
    CARD_POINTS,
    DEALER_POINTS,
    HUNDREDTHS,
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
from .mistakes import BY_PARAMETERS, ConstraintError, OutsideError, clip, pointed
from .parsing import (
    COMPARISONS,
    Branch,
    Reader,
    Start,
    aligned,
    is_reserved,
    largest,
    no_name,
    unit_of,
)
from .shapes import balanced, braced_shapes

_LARGEST_POINT = 1_000_000
_LONGEST_PARAMETER = 1_000
_PARAMETER = re.compile(r'//[^\n]*|#[^\n]*|/\*.*?\*/|"[^"\n]*"|\$([0-9])', re.DOTALL)
"""A parameter such as ``$1``; or a comment or quoted text, where ``$1`` is not a parameter."""
SENSELESS = {
    "export": "makes no sense here (it writes predeal arguments for another run)",
}
"""Actions of Dealer that are reported and ignored, with the reason."""
KNOWN_PRINTS = (
    "printall", "printew", "printns", "printside", "print", "printcompact", "printoneline",
    "printpbn", "printes", "printrpt", "csvrpt", "evalcontract",
)  # fmt: skip
"""Actions that print deals, or something about each."""
_WORDS = ("ns", "ew", "deal", "parcontract")
"""Words that they can print besides seats, numbers and texts."""


@dataclass(frozen=True, eq=False)
class Expression:
    """A number, or a condition, for each deal."""

    text: str
    """The text as written."""
    node: Node

    @property
    def takes_tricks(self) -> bool:
        """Whether the tricks of each deal are needed."""
        return takes_tricks(self.node)

    def values(self, deals: DealsLike, tricks: Tricks | None = None) -> NDArray[Any]:
        """Return the (n,) numbers of deals, conditions as 0 and 1.

        ``deals`` is anything that makes a DealSet; ``tricks`` finds the (n, 5, 4) tricks of (n, 52)
        owners. Raises ConstraintError for a division by zero, and if tricks are needed without it.
        """
        owners = as_dealset(deals)[0].owners
        values = np.broadcast_to(value_of(self.node, Layouts(owners, tricks)), len(owners))
        return values.astype(np.int64) if values.dtype == np.bool_ else values


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a strategy plays: a contract, and the declarer if it is named."""

    contract: Contract
    by: Seat | None

    def __str__(self) -> str:
        return str(self.contract) if self.by is None else f"{self.contract} by {self.by}"


@dataclass(frozen=True, eq=False)
class Text:
    """A text that an action prints literally."""

    text: str


Item = Expression | Seat | Text | str
"""What an action prints: a number, a seat's hand, a quoted text, or a word of Dealer's (``NS``,
``deal``, ``trix(deal)``)."""


@dataclass(frozen=True, eq=False)
class Action:
    """One action of a script."""

    name: str
    """Lower-case name: ``average``, ``frequency``, ``bktfreq``, ``printpbn`` …"""
    title: str | None
    """The quoted text; None without one."""
    expressions: tuple[Expression, ...]
    """The numbers it reports: one for an average, one or two for a frequency."""
    limits: tuple[tuple[float, float, float], ...]
    """For a frequency: the least value, the greatest, and the step of each expression."""
    items: tuple[Item, ...]
    """For an action that prints: what its brackets contain."""
    line: int
    column: int
    """Position; both count from 1."""

    @property
    def takes_tricks(self) -> bool:
        """Whether the tricks of each deal are needed."""
        said = [item for item in self.items if isinstance(item, Expression)]
        return any(expression.takes_tricks for expression in (*self.expressions, *said))


@dataclass
class Settings:
    """What a script says about the run and the boards; None for anything it leaves out."""

    produce: int | None = None
    generate: int | None = None
    seed: int | None = None
    start_board: int | None = None
    title: str | None = None
    dealer: Seat | None = None
    opener: Seat | None = None
    vulnerable: Vulnerability | None = None
    lines: dict[str, int] = field(default_factory=dict)
    """The line of the script for each of them, counted from 1."""


@dataclass(frozen=True, eq=False)
class Script:
    """The content of a script: conditions, predealt cards, and actions."""

    clauses: tuple[Clause, ...]
    predealt: tuple[tuple[int, Seat], ...]
    """(card, seat) pairs."""
    settings: Settings
    actions: tuple[Action, ...]
    notes: tuple[str, ...]
    """What was read and has no effect, each with its line."""
    asides: tuple[str, ...]
    """Statements that say nothing about the cards, each with its line: settings and actions."""
    unsolved: ConstraintError | None
    """The error if a condition needs tricks and nothing finds them; None if none needs any."""

    @property
    def takes_chances(self) -> bool:
        """Whether its condition uses ``rnd()``."""
        counts = [part for clause in self.clauses for part in deal_counts(clause.node)]
        return any(count.name == "rnd" for count in counts)


def read_script(
    text: str,
    source: str = "condition",
    parameters: Mapping[int, str] | None = None,
    *,
    chances: int = 0,
) -> Script:
    """Read a script or a condition in Dealer's language.

    Args:
        text: The script.
        source: Name of the text in messages.
        parameters: Replacements for ``$0`` to ``$9``, by number.
        chances: Number that keeps ``rnd()`` independent of other scripts for the same deals.

    Returns:
        A Script, which ``condition`` arguments accept.

    Raises:
        ConstraintError: The text cannot be read; the message has line, column and a caret.

    Example:
        >>> strong = read_script("hcp(north) >= 20")
        >>> tc.constrained_deals(1, condition=strong, seed=1)[0].north.hcp >= 20
        True
    """
    text = _with_parameters(text, source, parameters or {})
    return _ScriptReader(text, source, chances).script_of()


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
            message = f"{match[0]} has no value (expected {BY_PARAMETERS})"
            raise pointed(text, match.start(), match.end(), message, source)
        return parameters[int(match[1])]

    marked = text[:1] == "\ufeff"  # byte order mark of a file
    return _PARAMETER.sub(replaced, text[1:] if marked else text)


def outcomes_of(text: str, source: str = "strategy") -> tuple[list[Outcome], list[Node]]:
    """Read ``3N if hcp(north) >= 16 else 2N``: the contracts, and the conditions between them.

    Raises ConstraintError with line, column and a caret.
    """
    reader = _ScriptReader(text, source, 0, "strategy")
    outcomes, conditions = list[Outcome](), list[Node]()
    for branch in reader.tree.children:
        if isinstance(branch, Token):
            continue
        if branch.data == "outcome":
            contract, *by = branch.children
            seat = Seat.parse(str(by[-1])) if by else None
            outcomes.append(Outcome(reader.checked(contract, Contract), seat))
        else:
            conditions.append(reader.condition_of(branch))
    return outcomes, conditions


class _ScriptReader(Reader):
    def __init__(self, text: str, source: str, chances: int, start: Start = "script"):
        super().__init__(text, start, source)
        self.chances = chances
        self.in_action = False
        """Whether values are computed deal by deal."""
        self.names: dict[str, Node] = {}
        self.lower_case: dict[str, str] = {}
        self.used: set[str] = set()
        self.calls: dict[Node, Branch] = {}
        """Results of functions, with the position of their call."""
        self.settings = Settings()
        self.notes: list[str] = []
        self.asides: list[str] = []
        self.points: dict[str, tuple[float, ...]] = {
            f"pt{i}": CARD_POINTS[name] for i, name in enumerate(DEALER_POINTS)
        }

    # --- statements

    def script_of(self) -> Script:
        """Read the tables of points, which hold for the whole script, then the rest in order."""
        self.read_points()
        conditions: list[tuple[Branch, list[Clause]]] = []
        dealt_lengths: list[Clause] = []
        predealt: list[tuple[int, Seat]] = []
        actions: list[Action] = []
        listed: Branch = None
        for statement in self.tree.children:
            match str(statement.data):
                case "definition":
                    self.define(*statement.children)
                case "condition":
                    conditions.append((statement, self.clauses(statement.children[-1])))
                case "predeal":
                    dealt_lengths += self.predeal(statement, predealt)
                case "setting":
                    self.set(statement)
                case "actions":
                    if listed is not None:
                        self.note(listed, "this action is replaced by the later one and")
                    listed, actions = statement, self.actions_of(statement)
        for statement, _ in conditions[:-1]:
            text = clip(self.written(statement))
            self.note(statement, f"the last condition counts, as in Dealer: {text!r}")
        clauses = (*dealt_lengths, *(conditions[-1][1] if conditions else ()))
        for statement in self.tree.children:
            if statement.data == "definition" and str(statement.children[0]) not in self.used:
                self.note(statement, f"{clip(statement.children[0])} is never used and")
        return Script(
            clauses,
            tuple(predealt),
            self.settings,
            tuple(actions),
            tuple(self.notes),
            tuple(self.asides),
            self.unsolved(clauses),
        )

    def unsolved(self, clauses: tuple[Clause, ...]) -> ConstraintError | None:
        """Return the error that points at the first number that needs tricks."""
        for node in in_order([clause.node for clause in clauses]):
            if node in self.calls and takes_tricks(node):
                name = self.calls[node].children[0]
                message = f"{clip(name)}() is not known from the cards alone ({ASK_FOR_TRICKS})"
                return self.error(name, message)
        return None

    def note(self, statement: Branch, what: str) -> None:
        self.notes.append(f"{self.source}, line {self.line(statement)}: {what} has no effect")

    def aside(self, statement: Branch) -> None:
        what = f"{statement.children[0]} says nothing about the cards and has no effect"
        self.asides.append(f"{self.source}, line {self.line(statement)}: {what}")

    def define(self, name: Token, value: Branch) -> None:
        if name in self.names:
            raise self.error(name, f"{clip(name)} is defined a second time")
        if is_reserved(name):
            raise self.error(name, no_name(name))
        if is_own_count(name) or name.lower() in self.points:
            raise self.error(name, f"{clip(name)} is a function (expected another name)")
        self.names[str(name)] = self.read(value)
        self.lower_case[name.lower()] = str(name)

    def clauses(self, branch: Branch) -> list[Clause]:
        parts = branch.children[::2] if branch.data == "both" else [branch]
        return [Clause(self.source, self.written(p), self.condition_of(p)) for p in parts]

    def condition_of(self, branch: Branch) -> Node:
        """Read a condition; a named number counts as one, true unless it is 0."""
        node: Node = self.read(branch)
        if is_condition(node):
            return node
        if branch.data == "call":
            raise self.no_condition(branch)
        return Comparison("!=", node, Number(0))

    def no_condition(self, branch: Branch) -> ConstraintError:
        text = clip(self.written(branch))
        return self.error(branch, f"{text} is a number (expected a condition such as … > 0)")

    def predeal(self, statement: Branch, predealt: list[tuple[int, Seat]]) -> list[Clause]:
        """Add the cards to ``predealt``, and return the lengths (``spades(north)==6``)."""
        seat: Seat | None = None
        lengths = []
        for token in statement.children[1:]:
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
                predealt += [(card, seat) for card in self.checked(token, parse_card_text)]
        return lengths

    def read_points(self) -> None:
        """Read each ``pointcount`` and ``altcount``; the last one of a table counts."""
        read: dict[str, Branch] = {}
        for statement in self.tree.children:
            if statement.data == "altcount":
                name = self.altcount(statement)
                if name in read:
                    word = read[name].children[0].lower()
                    self.note(read[name], f"this {word} is replaced by the later one and")
                read[name] = statement

    def altcount(self, statement: Branch) -> str:
        """Read the values of a table, and return its name."""
        word, *numbers = statement.children
        name = "hcp"  # pointcount changes hcp
        if word.lower() == "altcount":
            index, *numbers = numbers
            name = f"pt{self.number_of(index)}"
            if name not in self.points:
                raise self.error(index, f"altcount {clip(index)} (expected 0 to 9)")
        values = [self.number_of(number) for number in numbers]
        if not 0 < len(values) <= 13:
            raise self.error(statement, f"{len(values)} values (expected 1 to 13, for ace, king …)")
        for number, value in zip(numbers, values, strict=True):
            if abs(value) > _LARGEST_POINT:
                message = f"{clip(number)} points (expected at most {_LARGEST_POINT:,})"
                raise self.error(number, message)
        self.points[name] = tuple(values)
        return name

    def set(self, statement: Branch) -> None:
        """Read ``produce 40`` and the like; the first produce and generate count."""
        self.aside(statement)
        word, value = statement.children[0].lower(), statement.children[1]
        name = "start_board" if word == "startboard" else word
        if word in ("produce", "generate") and getattr(self.settings, word) is not None:
            return
        setattr(self.settings, name, self.setting_value(word, value))
        self.settings.lines[name] = self.line(statement)

    def setting_value(self, word: str, value: Token) -> Any:
        if word in ("dealer", "opener"):
            return Seat.parse(str(value))
        if word == "title":
            return str(value)[1:-1]
        if word == "vulnerable":
            return self.checked(value, Vulnerability.parse)
        least, digits, most = (0, 20, "2**64 - 1") if word == "seed" else (1, 15, f"{10**15 - 1:,}")
        number = int(value) if value.isdigit() and len(value) <= digits else -1
        if not least <= number < 2**64:
            expected = f"(expected a whole number, {least} to {most})"
            raise self.error(value, f"{word} {clip(value)} {expected}")
        return number

    def checked(self, token: Token, parse: Any, *arguments: Any) -> Any:
        """Return ``parse`` applied to a token's text; its errors point at the token."""
        try:
            return parse(str(token), *arguments)
        except ValueError as error:
            raise self.error(token, str(error)) from None

    # --- actions

    def actions_of(self, statement: Branch) -> list[Action]:
        """Read one list of actions, and note those that make no sense here."""
        self.aside(statement)
        actions = []
        self.in_action = True
        for branch in statement.children[1:]:
            word = branch.children[0]
            try:
                action = self.action(branch, word)
            except OutsideError as error:
                mistake = error.mistake
                assert mistake is not None  # it has a position
                where = f"{self.source}, line {mistake.line}"
                self.notes.append(f"{where}: {word} has no effect: {mistake.message}")
                continue
            reason = SENSELESS.get(action.name)
            if action.name.startswith("print") and action.name not in KNOWN_PRINTS:
                reason = "is not an action that is known here"
            if reason is None:
                actions.append(action)
            else:
                where = f"{self.source}, line {action.line}, column {action.column}"
                self.notes.append(f"{where}: {clip(word.lower())} {reason} and has no effect")
        self.in_action = False
        return actions

    def action(self, branch: Branch, word: Token) -> Action:
        name, parts, title = word.lower(), branch.children[1:], None
        expressions, limits = list[Expression](), list[tuple[float, float, float]]()
        items: tuple[Item, ...] = ()
        if branch.data == "printed":
            free = name == "evalcontract" or name not in KNOWN_PRINTS  # words of its own
            items = tuple(self.item(part, free) for part in parts)
        else:
            if isinstance(parts[0], Token):
                title, parts = str(parts[0])[1:-1], parts[1:]
            size = {"average": 1, "frequency": 3}.get(name, 4)
            if branch.data == "frequency" and len(parts) not in (size, 2 * size):
                what = "(…, least, most)" if size == 3 else "(…, least, most, step)"
                raise self.error(
                    branch,
                    f"{len(parts)} values in brackets (expected {what}, or both for two "
                    "expressions)",
                )
            for start in range(0, len(parts), size):
                expressions.append(self.expression(parts[start]))
                limits += self.limits(parts[start + 1 : start + size], expressions[-1])
        place = self.place(branch)
        line, column = self.line(branch), place.start - self.text.rfind("\n", 0, place.start)
        return Action(name, title, tuple(expressions), tuple(limits), items, line, column)

    def expression(self, branch: Branch) -> Expression:
        return Expression(self.written(branch), self.read(branch))

    def limits(
        self, parts: list[Branch], expression: Expression
    ) -> list[tuple[float, float, float]]:
        """Return numbers that are the same for all deals, in the unit of the expression."""
        numbers = []
        for part in parts:
            number = constant_of(aligned(expression.node, self.read(part))[1])
            if number is None:
                text = clip(self.written(part))
                raise self.error(part, f"{text} depends on the cards (expected a number)")
            numbers.append(number)
        return [(numbers[0], numbers[1], [*numbers, 1][2])] if numbers else []

    def item(self, part: Branch, free: bool) -> Item:
        """Read an item between commas; unless ``free``, words must be known ones."""
        if not isinstance(part, Token):
            word = str(part.children[0]) if part.data == "name" else ""
            if word and not self.is_name(word) and (free or word.lower() in _WORDS):
                return word.lower()
            return self.expression(part)
        match part.type:
            case "STRING":
                return Text(str(part)[1:-1])
            case "LINE_END":
                return Text("\n")
            case "SEAT":
                return Seat.parse(str(part))
        if self.is_name(part) or not (free or part.type in ("SIDE", "REPORTED")):
            return Expression(str(part), self.named(part))
        if part.type == "REPORTED":
            return self.reported(part)
        return str(part) if part.type == "SIDE" else part.lower()

    def reported(self, part: Token) -> str:
        """Read ``trix(deal)``, ``trix(north)`` or ``parcontract(ns)``, without blanks."""
        text = "".join(part.lower().split())
        word, inner = text[:-1].split("(")
        parse = Vulnerability.parse if word == "parcontract" else Seat.parse
        if (word, inner) != ("trix", "deal"):
            self.checked(part, lambda _: parse(inner))
        return text

    # --- expressions: a method for each rule of the grammar

    def number(self, parts: list[Token]) -> Node:
        return Number(self.number_of(parts[0]))

    def decimal(self, parts: list[Token]) -> Node:
        return Number(self.number_of(parts[0]), "decimal")

    @v_args(meta=True)
    def sum(self, meta: Branch, parts: list[Any]) -> Node:
        return self.joined(meta, parts)

    product = sum

    @v_args(meta=True)
    def minus(self, meta: Branch, parts: list[Any]) -> Node:
        return self.joined(meta, [Number(0), *parts])

    def comparison(self, parts: list[Any]) -> Node:
        left, sign, right = parts
        return Comparison(COMPARISONS.get(sign, str(sign)), *aligned(left, right))

    def negation(self, parts: list[Any]) -> Node:
        return Not(self.truth(parts[1]))

    def both(self, parts: list[Any]) -> Node:
        return AllOf(tuple(self.truth(part) for part in parts[::2]))

    def either(self, parts: list[Any]) -> Node:
        return AnyOf(tuple(self.truth(part) for part in parts[::2]))

    def truth(self, node: Node) -> Node:
        """Return a condition; a named number counts as one, true unless it is 0, as in Dealer."""
        if is_condition(node):
            return node
        if node in self.calls and node not in self.names.values():
            raise self.no_condition(self.calls[node])
        return Comparison("!=", node, Number(0))

    def choose(self, parts: list[Any]) -> Node:
        test, yes, no = parts
        if is_condition(yes) != is_condition(no):  # 1 and 0 are conditions too
            yes, no = (
                Comparison("!=", outcome, Number(0))
                if isinstance(outcome, Number) and outcome.value in (0, 1)
                else outcome
                for outcome in (yes, no)
            )
        if is_condition(yes) != is_condition(no):
            raise ValueError("one outcome is a number, the other a condition")
        yes, no = aligned(yes, no)
        most = max(largest(yes), largest(no))
        return Choice(self.truth(test), yes, no, unit_of(yes, no), most)

    def name(self, parts: list[Token]) -> Node:
        return self.named(parts[0])

    def is_name(self, word: str) -> bool:
        return word in self.names or word.lower() in self.lower_case

    def named(self, token: Token) -> Node:
        """Return what a name stands for: the script's own names take precedence over functions."""
        name = token if token in self.names else self.lower_case.get(token.lower())
        if name is not None:
            self.used.add(str(name))  # tokens of other types are not equal
            return self.names[name]
        if token.lower() in known_counts() or token.lower() in self.points:
            name = clip(token)
            raise self.error(token, f"whose {name}? (expected such as {name}(north))")
        names = [*self.names, *known_counts()]
        message = unknown(str(token), names, "a name defined above").replace("one such as ", "")
        raise self.error(token, message)

    @v_args(tree=True)
    def call(self, tree: Branch) -> Node:
        name, place, *suits = tree.children
        word = name.lower()
        node: HandCount | DealCount
        if word in ("tricks", "dds", "par", "opc"):
            node = self.of_deal(word, name, place, *suits)
        elif place.type == "SIDE_WORD":
            raise self.error(place, f"{place} are two hands (expected one, such as north)")
        else:
            seat = Seat.parse(str(place))
            suit = self.checked(suits[0], parse_suit) if suits else None
            if word in ("balanced", "semibalanced"):
                return InShapes(balanced(semi=word != "balanced"), seat)
            if word in self.points:
                count = card_count(self.points[word], suit, word)
            elif word == "ltc":
                count = half_losers(suit)
            else:
                count = self.checked(name, find_count, suit)
            unit: Any = "hundredths" if word in (*HUNDREDTHS, "ltc") else ""
            node = HandCount(count, seat, unit if word not in self.points else "")
        self.calls[node] = tree
        return node

    def of_deal(
        self, word: str, name: Token, place: Token, detail: Token | None = None
    ) -> DealCount:
        """Read ``tricks(north, spades)``, ``dds(…)`` or ``par(NS, both)``."""
        if word == "opc":
            raise self.outside_of(name, "opc")
        node: DealCount
        if word == "par" and place.type == "SIDE_WORD":
            node = self.checked(place, _par, str(detail or "none"))
        elif word != "par" and place.type != "SIDE_WORD" and detail is not None:
            node = self.checked(detail, _tricks, Seat.parse(str(place)))
        else:
            example = "par(NS)" if word == "par" else f"{word}(north, spades)"
            raise self.error(name, f"{name} of what? (expected such as {example})")
        return node

    def outside(self, parts: list[Token]) -> Node:
        raise self.outside_of(parts[0], "usereval")

    def outside_of(self, branch: Branch, name: str) -> OutsideError:
        """Return the error for a function that needs another program."""
        error = self.error(branch, f"{name}() needs a separate program")
        return OutsideError(str(error), error.mistake)

    def score(self, parts: list[Any]) -> Node:
        return _score(str(parts[1]), str(parts[2]), parts[3])

    @v_args(tree=True)
    def converted(self, tree: Branch) -> Node:
        """Read ``imps(…)`` or ``rnd(…)``."""
        word, value = tree.children
        if word.lower() == "imps":
            return Converted("imps", lambda scores: np.asarray(imps(scores)), value, (-24, 24))
        below = constant_of(value)
        if below == 0 and self.in_action:
            return DealCount("rnd", lambda owners: np.arange(len(owners)), False, (0, 2**53))
        if below is None or below != int(below) or not 1 <= below <= _LARGEST_POINT:
            expected = f"(expected a number of 1 to {_LARGEST_POINT:,})"
            raise self.error(tree, f"{clip(self.written(tree))} {expected}")
        return _chance(int(below), word.start_pos or 0, self.chances)

    def shape(self, parts: list[Any]) -> Node:
        return InShapes(parts[2], Seat.parse(str(parts[1])))

    def braces(self, parts: list[Token]) -> Node:
        """Read ``shape{north, 5+xxx - (5332)}``."""
        place, comma, items = str(parts[0])[:-1].partition("{")[2].partition(",")
        if not comma:
            raise ValueError("whose shape? (expected such as shape{north, 5+xxx})")
        return InShapes(braced_shapes(items.strip()), Seat.parse(place.strip()))

    def hascard(self, parts: list[Token]) -> Node:
        cards = self.checked(parts[2], parse_card_text)
        if len(cards) != 1:
            message = f"{parts[2]} is {len(cards)} cards (expected one, such as SA)"
            raise self.error(parts[2], message)
        return HasCards((cards[0],), Seat.parse(str(parts[1])))


# --- numbers that depend on four hands: tricks, par, chance, scores

_MOST_SCORED = 7600
"""The largest score: seven redoubled, vulnerable, thirteen down."""
_HALVES = 4 ** np.arange(26, dtype=np.uint64)
_GOLDEN = 0x9E3779B97F4A7C15


def _tricks(strain_name: str, seat: Seat) -> DealCount:
    """Return the tricks that ``seat`` takes as declarer. Raises ValueError for a bad strain."""
    word = strain_name.lower()
    try:
        strain = Strain.NOTRUMP if word in ("notrump", "notrumps") else Strain.parse(strain_name)
    except DealError:
        raise ValueError(
            f"{clip(strain_name)} is not a strain (expected spades … clubs or notrump)"
        ) from None
    return DealCount(
        "tricks", lambda tables: tables[:, strain, seat].astype(np.int64), True, (0, 13)
    )


def _par(side: str, vulnerable: str) -> DealCount:
    """Return the par score from one side's view; North deals. Raises ValueError for other words."""
    try:
        vulnerability = Vulnerability.parse(vulnerable)
    except DealError as error:
        raise ValueError(str(error)) from None
    sign = 1 if side.upper() == "NS" else -1

    def scores(tables: NDArray[Any]) -> NDArray[Any]:
        pars = [par(table, Seat.NORTH, vulnerability).score for table in tables]
        return sign * np.array(pars, dtype=np.int64)

    return DealCount("par", scores, True, (-_MOST_SCORED, _MOST_SCORED))


def _chance(below: int, place: int, script: int) -> DealCount:
    """Return a random whole number from 0 to ``below`` - 1.

    It is a hash of the layout, of the ``place`` in the text and of the ``script``, so a deal
    always gets the same number.
    """
    place += script << 32  # texts are shorter than this

    def numbers(owners: NDArray[Any]) -> NDArray[Any]:
        seats = owners.astype(np.uint64)
        start = np.uint64((place + 1) * _GOLDEN % 2**64)
        words = _mixed(_mixed(seats[:, :26] @ _HALVES + start) ^ (seats[:, 26:] @ _HALVES))
        fractions = (words >> np.uint64(12)).astype(np.float64) * 2.0**-52
        return np.floor(fractions * below).astype(np.int64)

    return DealCount("rnd", numbers, False, (0, below))


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return words whose every bit depends on every input bit (the end of splitmix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


def _score(vulnerable: str, contract: str, taken: Node) -> Converted:
    """Return declarer's score for a contract (``x4S``, ``z3Nx``, ``4S``) and the tricks taken.

    Raises ValueError for a word other than ``vul`` or ``nv``.
    """
    if vulnerable.lower() not in ("vul", "nv"):
        raise ValueError(f"{clip(vulnerable)} is not known here (expected vul or nv)")
    bid = Contract(contract.lower().lstrip("xz").upper())

    def scores(tricks: NDArray[Any]) -> NDArray[Any]:
        whole = np.rint(tricks).astype(np.int64)
        if (whole != tricks).any() or (whole < 0).any() or (whole > 13).any():
            raise ConstraintError(f"the tricks of score(…, {contract}, …) are not 0 to 13")
        return np.asarray(score(bid, whole, vulnerable.lower() == "vul"))

    return Converted("score", scores, taken, (-_MOST_SCORED, _MOST_SCORED))
