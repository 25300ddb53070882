"""Reading rules from TOML: every mistake is named with its line."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..cards import RANKS
from .calls import parse_call
from .conditions import (
    SHAPE_WORDS,
    AllOf,
    AnyOf,
    Between,
    Compare,
    Condition,
    Honours,
    Longest,
    NoneOf,
    Shapes,
    Term,
)
from .facts import SUITS, is_quantity, quantity_names
from .tomllines import Section, sections

_RANGE = re.compile(r"(\d+(?:\.\d+)?)(?:\s*-\s*(\d+(?:\.\d+)?)|([+-]))?")
_HONOURS = re.compile(r"(.+?)\s+of\s+(\w+)")
_COMPARE = re.compile(r"([^<>=]+)(>=|<=|>|<|=)([^<>=]+)")
_TERM = re.compile(r"(?:(\d+(?:\.\d+)?)\s*\*\s*)?([a-z_]\w*)|(\d+(?:\.\d+)?)")
_FILE_KEYS = ("name", "title", "source", "define", "rule")
_RULE_TEXTS = ("call", "name", "why")


class RuleError(ValueError):
    """A rule file that cannot be used: says which file, line and rule, and what was expected."""


@dataclass(frozen=True)
class Rule:
    """One line of a system: a call, when it is made, and why."""

    call: str
    name: str
    why: str
    condition: AllOf
    line: int
    """Where the rule begins in its file."""

    def __str__(self) -> str:
        return f"{self.call}: {self.name} ({self.condition})"


@dataclass(frozen=True)
class RuleFile:
    """What a rule file says."""

    name: str
    title: str
    source: str
    rules: tuple[Rule, ...]
    path: str


def read_rules(path: str | os.PathLike[str]) -> RuleFile:
    """Read a rule file. Raises RuleError for what is not one, OSError for an unreadable file."""
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise RuleError(f"{os.fspath(path)}, line {line}: not UTF-8 text") from None
    return parse_rules(text, os.fspath(path))


def parse_rules(text: str, path: str = "<rules>") -> RuleFile:
    """Read the text of a rule file; ``path`` names it in errors. Raises RuleError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{path}: not TOML: {error}") from None
    return _Reader(path, sections(text)).read(data)


def read_conditions(table: Mapping[str, Any]) -> AllOf:
    """Read conditions written as in a rule file: ``{"hearts": "6+"}``. Raises RuleError."""
    section = Section("conditions", 1)
    reader = _Reader("conditions", [section])
    return AllOf(reader._conditions(table, _Place("conditions", section, "")))


@dataclass
class _Place:
    """Where in the file we are, for messages."""

    path: str
    section: Section
    what: str

    def fail(self, message: str, key: str | None = None) -> RuleError:
        line = self.section.line_of(key)
        return RuleError(f"{self.path}, line {line}: {self.what}{message}")


class _Reader:
    def __init__(self, path: str, found: list[Section]):
        self._path = path
        self._sections = found
        self._defined: dict[str, AllOf] = {}

    def read(self, data: Mapping[str, Any]) -> RuleFile:
        top = _Place(self._path, self._sections[0], "")
        for key in data:
            if key not in _FILE_KEYS:
                # a table that is none of ours has its own header
                place = next((s for s in self._sections[1:] if s.name.split(".")[0] == key), None)
                where = top if place is None else _Place(self._path, place, "")
                raise where.fail(_unknown(key, _FILE_KEYS), key if place is None else None)
        name, title, source = (_text(data, key, top) for key in ("name", "title", "source"))
        self._define(data.get("define", {}), top)
        rules = data.get("rule", [])
        if not isinstance(rules, list) or not rules:
            raise top.fail("no rules (expected [[rule]] tables, each with a call)", "rule")
        places = [section for section in self._sections if section.name == "rule"]
        if len(places) != len(rules):
            raise top.fail("write each rule as a table of its own, under a line [[rule]]", "rule")
        read = tuple(
            self._rule(i, table, section)
            for i, (table, section) in enumerate(zip(rules, places, strict=True))
        )
        return RuleFile(name, title, source, read, self._path)

    def _define(self, tables: Any, top: _Place) -> None:
        if not isinstance(tables, dict):
            raise top.fail("define is not a table (expected [define.NAME])", "define")
        for name, table in tables.items():
            section = next((s for s in self._sections if s.name == f"define.{name}"), None)
            if section is None or not isinstance(table, dict):
                raise top.fail(f"define.{name}: expected a line [define.{name}]", "define")
            place = _Place(self._path, section, f"define.{name}: ")
            self._defined[name] = AllOf(self._conditions(table, place), name)

    def _rule(self, index: int, table: Mapping[str, Any], section: Section) -> Rule:
        place = _Place(self._path, section, f"rule {index + 1}: ")
        texts = {key: _text(table, key, place) for key in _RULE_TEXTS}
        place.what = f"rule {index + 1} ({texts['name']}): "
        try:
            call = parse_call(texts["call"])
        except ValueError as error:
            raise place.fail(str(error), "call") from None
        rest = {key: value for key, value in table.items() if key not in _RULE_TEXTS}
        condition = AllOf(self._conditions(rest, place))
        return Rule(call, texts["name"], texts["why"], condition, section.line)

    def _conditions(
        self, table: Mapping[str, Any], place: _Place, outer: str | None = None
    ) -> tuple[Condition, ...]:
        """Read the conditions of a table; those inside ``any`` or ``not`` have its line."""
        parts = []
        for key, value in table.items():
            try:
                parts.append(self._condition(key, value, place, outer or key))
            except _Mistake as mistake:
                raise place.fail(f"{key}: {mistake}", outer or key) from None
        return tuple(parts)

    def _condition(self, key: str, value: Any, place: _Place, outer: str) -> Condition:
        if key in ("any", "not"):
            tables = value if isinstance(value, list) else [value]
            if not tables or not all(isinstance(table, dict) and table for table in tables):
                raise _Mistake('expected tables of conditions, such as [{ hcp = "12+" }, …]')
            parts = tuple(AllOf(self._conditions(table, place, outer)) for table in tables)
            return AnyOf(parts) if key == "any" else NoneOf(parts)
        if key == "is":
            return _one_or_all([self._named(name) for name in _texts(value)])
        if key in _SPECIAL:
            return _SPECIAL[key](_texts(value))
        suit, _, rest = key.partition("_")
        if suit in SUITS and rest == "honours":
            return _honours(suit, _single(value))
        if is_quantity(key):
            text, low, high = _range(_single(value))
            return Between(key, low, high, text)
        known = (*quantity_names(), *_SPECIAL, "any", "not", "is", *_RULE_TEXTS)
        raise _Mistake(_unknown(key, (*known, *(f"{s}_honours" for s in SUITS))))

    def _named(self, name: str) -> Condition:
        if name not in self._defined:
            raise _Mistake(_unknown(name, tuple(self._defined) or ("[define.NAME]",)))
        return self._defined[name]


class _Mistake(ValueError):
    """What is wrong with the value of one key."""


def _one_or_all(parts: list[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _unknown(key: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(key, known, n=1)
    shown = ", ".join(known) if len(known) < 8 else f"a quantity such as hcp or {SUITS[0]}"
    return f"{key!r} is not known ({f'did you mean {close[0]}?' if close else f'expected {shown}'})"


def _text(table: Mapping[str, Any], key: str, place: _Place) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise place.fail(f"{key} is missing (expected some text)", key)
    return value.strip()


def _single(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _Mistake(f"{value!r} is not a range (expected text or a number)")
    return str(value).strip()


def _texts(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    if not items or not all(isinstance(item, str) for item in items):
        raise _Mistake(f"{value!r} is not text (expected text, or a list of texts)")
    return tuple(item.strip() for item in items)


def _range(text: str) -> tuple[str, float, float]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise _Mistake(f'{text!r} is not a range (expected such as "12-14", "12+", "11-" or 12)')
    low, high = float(match[1]), float(match[2] or match[1])
    if low > high:
        raise _Mistake(f"the range {text!r} runs downwards (expected {high:g}-{low:g})")
    if match[3] == "+":
        return text, low, float("inf")
    return text, -float("inf") if match[3] == "-" else low, high


def _honours(suit: str, text: str) -> Honours:
    match = _HONOURS.fullmatch(text)
    ranks = "" if match is None else match[2].upper().replace("10", "T")
    if match is None or not set(ranks) <= set(RANKS) or len(set(ranks)) != len(ranks):
        raise _Mistake(f'{text!r} names no honours (expected such as "2+ of AKQ")')
    shown, low, high = _range(match[1])
    if low > len(ranks):
        raise _Mistake(f"{text!r} asks for {low:g} of {len(ranks)} cards")
    return Honours(suit, ranks, low, high, shown)


def _shapes(texts: tuple[str, ...]) -> Shapes:
    for text in texts:
        parts = text.split("=") if "=" in text else list(text)
        digits = [int(part) for part in parts if part.isdigit()]
        wild = parts.count("x")
        whole = len(parts) == 4 and len(digits) + wild == 4
        if text not in (*SHAPE_WORDS, "unbalanced") and not (
            whole and (sum(digits) == 13 or (wild and sum(digits) <= 13))
        ):
            raise _Mistake(
                f'{text!r} is not a shape (expected balanced, semi-balanced, unbalanced, "5332" '
                'for any order or "5=3=3=2" for spades to clubs, x for any length)'
            )
    return Shapes(texts)


def _longest(texts: tuple[str, ...]) -> Longest:
    for text in texts:
        if text not in SUITS:
            raise _Mistake(f"{text!r} is not a suit (expected {', '.join(SUITS)})")
    return Longest(texts)


def _compare(texts: tuple[str, ...]) -> Condition:
    return _one_or_all([_comparison(text) for text in texts])


def _comparison(text: str) -> Compare:
    match = _COMPARE.fullmatch(text)
    if match is None:
        raise _Mistake(f'{text!r} does not compare (expected such as "spades >= hearts")')
    return Compare(_sum(match[1]), match[2], _sum(match[3]))


def _sum(text: str) -> tuple[Term, ...]:
    terms = []
    for part in text.split("+"):
        match = _TERM.fullmatch(part.strip())
        if match is None:
            raise _Mistake(f'{part.strip()!r} is not a term (expected such as 5, hcp or "2 * hcp")')
        number, name = match[1] or match[3], match[2]
        if name is not None and not is_quantity(name):
            raise _Mistake(_unknown(name, quantity_names()))
        terms.append(Term(float(number or 1), name))
    return tuple(terms)


_SPECIAL: dict[str, Callable[[tuple[str, ...]], Condition]] = {
    "shape": _shapes,
    "longest": _longest,
    "compare": _compare,
}
