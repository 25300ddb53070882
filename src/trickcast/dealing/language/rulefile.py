"""Read rules from TOML, with conditions as sentences; every error gives its line.

A rule describes a hand in the short form of the language of hands. Sentences that
several rules share are defined under a name, parsed once, and shared.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...cards import Seat
from .calls import parse_call
from .conditions import AllOf, Clause, Node
from .hand_counts import known_counts, nearest
from .mistakes import ConstraintError, clip
from .parsing import is_free_name
from .short_form import read_hand
from .tomllines import Section, sections

_FILE_KEYS = ("name", "title", "source", "define", "rule")
_RULE_TEXTS = ("call", "name", "why")
_RULE_KEYS = (*_RULE_TEXTS, "hand")
_OLD_KEYS = ("any", "not", "is", "shape", "longest", "compare")
_LONGEST_FILE = 200_000
_MOST_RULES = 1_000


OPENER = Seat.NORTH
"""The seat whose hand a rule is about; the language needs a seat, and any will do."""


class RuleError(ValueError):
    """An invalid rule file; the message gives file, line and rule, and what was expected."""


@dataclass(frozen=True, eq=False)
class Rule:
    """One line of a system: a call, when it is made, and why."""

    call: str
    name: str
    why: str
    hand: str
    """Its condition on a hand, as written; empty without a condition."""
    clauses: tuple[Clause, ...]
    """The parts of the condition, which must all hold."""
    condition: AllOf
    """The parts as a single condition."""
    line: int
    """The line of the file where the rule begins."""

    def __str__(self) -> str:
        return f"{self.call}: {self.name} ({self.asks})"

    @property
    def asks(self) -> str:
        """Its condition on a hand, in words."""
        return self.hand or "any hand"


@dataclass(frozen=True, eq=False)
class RuleFile:
    """The content of a rule file."""

    name: str
    title: str
    source: str
    rules: tuple[Rule, ...]
    path: str


def read_rules(path: str | os.PathLike[str], seat: Seat = OPENER) -> RuleFile:
    """Read a rule file, with its rules as conditions on ``seat``.

    Raises RuleError for an invalid rule, OSError for an unreadable file.
    """
    with Path(path).open("rb") as stream:
        data = stream.read(4 * _LONGEST_FILE + 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise RuleError(f"{os.fspath(path)}, line {line}: not UTF-8 text") from None
    return parse_rules(text, os.fspath(path), seat)


def parse_rules(text: str, path: str = "<rules>", seat: Seat = OPENER) -> RuleFile:
    """Read the text of a rule file; ``path`` names it in errors. Raises RuleError."""
    if len(text) > _LONGEST_FILE:
        raise RuleError(f"{path}: too long for rules (expected at most {_LONGEST_FILE:,} letters)")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise RuleError(f"{path}: not TOML: brackets are nested too deep") from None
    except (
        ValueError
    ) as error:  # includes TOMLDecodeError; numbers of thousands of digits raise others
        raise RuleError(f"{path}: not TOML: {clip(str(error))}") from None
    return _Reader(path, text, seat).read(data)


@dataclass
class _Place:
    """The current position in the file, for messages."""

    path: str
    section: Section
    what: str

    def error(self, message: str, key: str | None = None, lines_below: int = 0) -> RuleError:
        line = self.section.line_of(key) + lines_below
        return RuleError(f"{self.path}, line {line}: {self.what}{message}")


class _Reader:
    def __init__(self, path: str, text: str, seat: Seat):
        self._path = path
        self._seat = seat
        self._lines = text.split("\n")
        self._sections = sections(text)
        self._defined: dict[str, Node] = {}

    def read(self, data: Mapping[str, Any]) -> RuleFile:
        top = _Place(self._path, self._sections[0], "")
        for key in data:
            if key not in _FILE_KEYS:
                # an unknown table has its own header
                section = next((s for s in self._sections[1:] if s.name.split(".")[0] == key), None)
                place = top if section is None else _Place(self._path, section, "")
                raise place.error(_unknown(key, _FILE_KEYS), key if section is None else None)
        name, title, source = (_text(data, key, top) for key in ("name", "title", "source"))
        self._define(data.get("define", {}), top)
        tables = data.get("rule", [])
        if not isinstance(tables, list) or not tables:
            raise top.error("no rules (expected [[rule]] tables, each with a call)", "rule")
        places = [section for section in self._sections if section.name == "rule"]
        if len(places) != len(tables):
            raise top.error("write each rule as a table of its own, under a line [[rule]]", "rule")
        if len(tables) > _MOST_RULES:
            raise top.error(f"{len(tables):,} rules (expected at most {_MOST_RULES:,})", "rule")
        rules = tuple(
            self._rule(number, table, section)
            for number, (table, section) in enumerate(zip(tables, places, strict=True), start=1)
        )
        return RuleFile(name, title, source, rules, self._path)

    def _define(self, table: Any, top: _Place) -> None:
        section = next((s for s in self._sections if s.name == "define"), self._sections[0])
        if not isinstance(table, dict):
            raise top.error("define is not a table (expected a line [define])", "define")
        for name, value in table.items():
            place = _Place(self._path, section, f"define {clip(name)}: ")
            if isinstance(value, dict):  # it has its own header
                own = f"define.{name}"
                place.section = next((s for s in self._sections if s.name == own), section)
            if not is_free_name(name):
                raise place.error("not a valid name (expected a word of your own)", name)
            if name.lower() in self._defined:
                message = "defined already (upper and lower case are the same; expected another)"
                raise place.error(message, name)
            clauses = self._sentence(value, place, name)
            self._defined[name.lower()] = AllOf(tuple(clause.node for clause in clauses))

    def _rule(self, number: int, table: Mapping[str, Any], section: Section) -> Rule:
        place = _Place(self._path, section, f"rule {number}: ")
        call, name, why = (_text(table, key, place) for key in _RULE_TEXTS)
        place.what = f"rule {number} ({clip(name)}): "
        try:
            call = parse_call(call)
        except ValueError as error:
            raise place.error(str(error), "call") from None
        for key in table:
            if key not in _RULE_KEYS:
                raise place.error(_unknown_in_rule(key), key)
        clauses: tuple[Clause, ...] = ()
        if "hand" in table:
            clauses = self._sentence(table["hand"], place, "hand")
        hand = " ".join(str(table.get("hand", "")).split())
        condition = AllOf(tuple(clause.node for clause in clauses))
        return Rule(call, name, why, hand, clauses, condition, section.line)

    def _sentence(self, value: Any, place: _Place, key: str) -> tuple[Clause, ...]:
        if not isinstance(value, str):
            message = f'{clip(repr(value))} is not a sentence (expected such as "hcp 12-14")'
            raise place.error(message, key)
        try:
            source = str(place.error(key, key))  # for errors when hands are evaluated
            return read_hand(value, self._seat, source=source, names=self._defined)
        except ConstraintError as error:
            mistake = error.mistake
            if mistake is None:
                raise RuleError(str(error)) from None
            below = self._first_line(place.section.line_of(key), value) + mistake.line - 1
            message = f"{mistake.message}\n{mistake.excerpt}"
            raise place.error(message, key, below) from None

    def _first_line(self, line: int, value: str) -> int:
        """Return how many lines below its key a text begins: TOML drops a leading newline."""
        quoted = self._lines[line - 1].rstrip()
        return int("\n" in value and quoted.endswith(('"""', "'''")))


def _unknown_in_rule(key: str) -> str:
    """Return the message for an unknown key of a rule."""
    suit, _, counted = key.partition("_")
    if key in _OLD_KEYS or key in known_counts() or counted in ("hcp", "honours"):
        sentence = f"hcp in {suit} 4+" if counted == "hcp" else "hcp 12-14, spades 5+"
        return f'{key} belongs in the rule\'s sentence (expected such as hand = "{sentence}")'
    return _unknown(key, _RULE_KEYS)


def _unknown(key: str, known: tuple[str, ...]) -> str:
    close = nearest(key, known)
    hint = f"did you mean {close[0]}?" if close else f"expected {', '.join(known)}"
    return f"{clip(key)!r} is not known ({hint})"


def _text(table: Mapping[str, Any], key: str, place: _Place) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise place.error(f"{key} is {clip(repr(value))} (expected some text)", key)
    if not value.strip():
        raise place.error(f"{key} is missing (expected some text)", key)
    return value.strip()
