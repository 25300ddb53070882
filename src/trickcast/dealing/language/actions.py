"""What a script asks to be done with the deals: settings, and actions with their expressions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import Seat, Vulnerability, as_dealset
from .errors import OutsideError, clip
from .evaluation import Layouts, Tricks, constant_of, value_of
from .reading import Branch, Reader
from .tree import Node, takes_tricks
from .units import Units

SENSELESS = {
    "export": "makes no sense here (it writes predeal arguments for another run)",
}
"""Actions of Dealer that are named and ignored, with the reason."""
KNOWN_PRINTS = (
    "printall", "printew", "printns", "printside", "print", "printcompact", "printoneline",
    "printpbn", "printes", "printrpt", "csvrpt", "evalcontract",
)  # fmt: skip
"""Actions that print deals, or something of each."""
_WORDS = ("ns", "ew", "deal", "parcontract")
"""What they can be asked to print besides seats, numbers and texts."""


@dataclass(frozen=True, eq=False)
class Expression:
    """A number, or a condition, of each deal."""

    text: str
    """As it was written."""
    node: Node

    @property
    def takes_tricks(self) -> bool:
        """Whether the tricks of each deal have to be found."""
        return takes_tricks(self.node)

    def values(self, deals: Any, tricks: Tricks | None = None) -> NDArray[Any]:
        """Return the (n,) numbers of deals, conditions as 0 and 1.

        ``deals`` is what makes a DealSet; ``tricks`` finds the (n, 5, 4) tricks of (n, 52) owners.
        Raises ConstraintError for a division by zero, and where tricks are needed without it.
        """
        owners = as_dealset(deals)[0].owners
        values = np.broadcast_to(value_of(self.node, Layouts(owners, tricks)), len(owners))
        return values.astype(np.int64) if values.dtype == np.bool_ else values


@dataclass(frozen=True, eq=False)
class Text:
    """A text that an action prints as it stands."""

    text: str


Item = Expression | Seat | Text | str
"""What an action prints: a number, a seat's hand, a text in quotes, or a word of Dealer's (``NS``,
``deal``, ``trix(deal)``)."""


@dataclass(frozen=True, eq=False)
class Action:
    """One action of a script."""

    name: str
    """In lower case: ``average``, ``frequency``, ``bktfreq``, ``printpbn`` …"""
    title: str | None
    """The text in quotes; None without."""
    expressions: tuple[Expression, ...]
    """What an average is of; of a frequency, one expression or two."""
    limits: tuple[tuple[float, float, float], ...]
    """Of a frequency, for each expression the least value, the greatest, and the step."""
    items: tuple[Item, ...]
    """Of an action that prints, what stands in its brackets."""
    line: int
    column: int
    """Both counted from 1."""

    @property
    def takes_tricks(self) -> bool:
        """Whether the tricks of each deal have to be found."""
        said = [item for item in self.items if isinstance(item, Expression)]
        return any(expression.takes_tricks for expression in (*self.expressions, *said))


@dataclass
class Settings:
    """What a script says of the run and the boards; None for what it does not say."""

    produce: int | None = None
    generate: int | None = None
    seed: int | None = None
    start_board: int | None = None
    title: str | None = None
    dealer: Seat | None = None
    opener: Seat | None = None
    vulnerable: Vulnerability | None = None
    lines: dict[str, int] = field(default_factory=dict)
    """In which line of the script each of them stands, counted from 1."""


@dataclass
class ActionReader:
    """Reads the settings and actions of a script; ``read`` reads expressions, ``named`` names."""

    reader: Reader
    read: Callable[[Branch], Node]
    named: Callable[[Branch], Node]
    is_name: Callable[[str], bool]
    """Tells whether a word is a name of the script."""
    units: Units
    settings: Settings = field(default_factory=Settings)

    def setting(self, tree: Branch) -> None:
        """Read ``produce 40`` and the like; the first produce and generate stand."""
        word, value = str(tree.children[0]).lower(), tree.children[1]
        of_settings = {"vulnerable": "vulnerable", "startboard": "start_board"}.get(word, word)
        if word in ("produce", "generate") and getattr(self.settings, word) is not None:
            return
        setattr(self.settings, of_settings, self._value(word, value))
        self.settings.lines[of_settings] = self.reader.line(tree)

    def _value(self, word: str, value: Branch) -> Any:
        if word in ("dealer", "opener"):
            return Seat.parse(str(value))
        if word == "title":
            return str(value)[1:-1]
        if word == "vulnerable":
            return self.reader.checked(value, Vulnerability.parse, str(value))
        least, digits, most = (0, 20, "2**64 - 1") if word == "seed" else (1, 15, f"{10**15 - 1:,}")
        number = int(value) if value.isdigit() and len(value) <= digits else -1
        if number < least or number >= 2**64:
            expected = f"(expected a whole number, {least} to {most})"
            raise self.reader.error(value, f"{word} {clip(str(value))} {expected}")
        return number

    def actions(self, tree: Branch) -> tuple[list[Action], list[str]]:
        """Return the actions of one list, and a note for each that makes no sense here."""
        actions, notes = [], []
        for branch in tree.children[1:]:
            try:
                action = getattr(self, f"_{branch.data}")(branch)
            except OutsideError as error:
                mistake = error.mistake
                assert mistake is not None  # it points at a place
                place = f"{self.reader.source}, line {mistake.line}"
                notes.append(f"{place}: {branch.children[0]} has no effect: {mistake.message}")
                continue
            reason = SENSELESS.get(action.name)
            if action.name.startswith("print") and action.name not in KNOWN_PRINTS:
                reason = "is not an action that is known here"
            if reason is None:
                actions.append(action)
            else:
                place = f"line {action.line}, column {action.column}"
                where = f"{self.reader.source}, {place}"
                notes.append(f"{where}: {clip(action.name)} {reason} and has no effect")
        return actions, notes

    def _expression(self, branch: Branch) -> Expression:
        return Expression(self.reader.written(branch), self.read(branch))

    def _action(self, branch: Branch, **parts: Any) -> Action:
        start = self.reader.span(branch)[0]
        text = self.reader.text
        given = {"title": None, "expressions": (), "limits": (), "items": ()} | parts
        return Action(
            name=str(branch.children[0]).lower(),
            line=text.count("\n", 0, start) + 1,
            column=start - text.rfind("\n", 0, start),
            **given,
        )

    def _average(self, branch: Branch) -> Action:
        title, parts = _title(branch)
        return self._action(branch, title=title, expressions=(self._expression(parts[0]),))

    def _frequency(self, branch: Branch) -> Action:
        title, parts = _title(branch)
        size = 3 if str(branch.children[0]).lower() == "frequency" else 4
        if len(parts) not in (size, 2 * size):
            what = "(…, least, most)" if size == 3 else "(…, least, most, step)"
            raise self.reader.error(
                branch,
                f"{len(parts)} values in brackets (expected {what}, or both for two expressions)",
            )
        expressions, limits = [], []
        for start in range(0, len(parts), size):
            expression = self._expression(parts[start])
            low, high, *step = (
                self._constant(part, expression) for part in parts[start + 1 : start + size]
            )
            expressions.append(expression)
            limits.append((low, high, step[0] if step else 1))
        return self._action(
            branch, title=title, expressions=tuple(expressions), limits=tuple(limits)
        )

    def _constant(self, branch: Branch, expression: Expression) -> float:
        """Return a number that is the same for all deals, in the unit of the expression."""
        _, node = self.units.aligned(expression.node, self.read(branch))
        constant = constant_of(node)
        if constant is None:
            text = clip(self.reader.written(branch))
            raise self.reader.error(branch, f"{text} depends on the cards (expected a number)")
        return constant

    def _printed(self, branch: Branch) -> Action:
        name = str(branch.children[0]).lower()
        free = name == "evalcontract" or name not in KNOWN_PRINTS  # words of its own
        return self._action(branch, items=tuple(self._item(p, free) for p in branch.children[1:]))

    def _item(self, part: Branch, free: bool) -> Item:
        """Read what stands between commas; where they are not ``free``, words are known ones."""
        if hasattr(part, "data"):
            word = str(part.children[0]) if part.data == "name" else ""
            if word and not self.is_name(word) and (free or word.lower() in _WORDS):
                return word.lower()
            return self._expression(part)
        if part.type == "STRING":
            return Text(str(part)[1:-1])
        if part.type == "LINE_END":
            return Text("\n")
        if part.type == "SEAT":
            return Seat.parse(str(part))
        if self.is_name(str(part)):
            return Expression(str(part), self.named(part))
        if part.type == "SIDE":
            return str(part)
        if part.type == "REPORTED":
            return self._reported(part)
        return str(part).lower() if free else Expression(str(part), self.named(part))

    def _reported(self, part: Branch) -> str:
        """Read ``trix(deal)``, ``trix(north)`` or ``parcontract(ns)``, without blanks."""
        text = "".join(str(part).lower().split())
        word, inner = text[:-1].split("(")
        if word == "parcontract":
            self.reader.checked(part, Vulnerability.parse, inner)
        elif inner != "deal":
            self.reader.checked(part, Seat.parse, inner)
        return text


def _title(branch: Branch) -> tuple[str | None, list[Branch]]:
    """Return the text in quotes, and the branches after it."""
    parts = branch.children[1:]
    if getattr(parts[0], "type", "") == "STRING":
        return str(parts[0])[1:-1], parts[1:]
    return None, parts
