"""What calls mean by agreement: descriptions of hands that override the network's beliefs.

A meaning names a call, its place in the auction, and the hands that make it. For example,
``"1N: hcp 12-14, balanced"`` is an opening, ``"1S P 2N: spades 4+, hcp 13+"`` a response. It also
rules out other calls: a hand that would have made the call makes no other in its place.
"""

import os
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import shorten
from ..cards.auction import CALL_NUMBER, CALLS, PASS, CallError, is_all_pass, parse_call
from ..cards.auction_text import Auction, read_auction
from ..dealing.language.conditions import AllOf, evaluate
from ..dealing.language.mistakes import ConstraintError
from ..dealing.language.rulefile import OPENER
from ..dealing.language.short_form import read_hand
from .cells import facts_of
from .registry import load
from .system import OpeningSystem

SLIP = 1e-6
"""The chance of a call that an agreement excludes: too low for any layout to have it by choice."""
_SIDES = {"ns": 0, "ew": 1}
_FILE_KEYS = ("after", "call", "shows", "when", "priority")
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]


class MeaningError(ValueError):
    """A meaning that cannot be read; the message names it and says what was expected."""


@dataclass(frozen=True)
class Meaning:
    """A call, its place in the auction, and the hands that make it."""

    after: tuple[int, ...]
    """The calls before it, from the opening on, or from the dealer on if they begin with a pass."""
    call: int
    fits: Callable[[Bools], Bools]
    """Which of (n, 52) hands make the call: (n,)."""
    side: int | None = None
    """The side whose agreement it is: 0 for North-South, 1 for East-West, None for both."""

    def belongs(self, auction: Auction, turn: int) -> bool:
        """Return whether it applies to the call of a turn, whatever call was made."""
        calls = auction.calls[:turn]
        if self.side not in (None, auction.caller(turn) % 2):
            return False
        if calls == self.after:
            return True
        opened = next((i for i, call in enumerate(calls) if call != PASS), turn)
        return calls[opened:] == self.after and self.after[:1] != (PASS,)


MeaningsLike = str | os.PathLike[str] | Sequence[str | os.PathLike[str] | Meaning]
"""The forms that ``read_meanings`` accepts."""


def read_meanings(meanings: MeaningsLike) -> tuple[Meaning, ...]:
    """Read what calls mean in your system. If two meanings fit a hand, the first counts.

    A file has tables ``[[meaning]]`` with ``after`` (the calls before, ``""`` for an opening),
    ``call`` and ``shows``. Optional are ``when`` (a description that the hand must also meet) and
    ``priority`` (the highest is asked first). A file of opening rules stands for its openings.

    Args:
        meanings: One text or a list: ``"1N: hcp 12-14, balanced"``, the name of an opening system
            (``"acol"``), or the path of a ``.toml`` file. ``ns`` or ``ew`` before it says whose
            agreement it is.

    Returns:
        A tuple of Meanings.

    Raises:
        MeaningError: A meaning is not valid, or its description cannot be read.

    Example:
        >>> [CALLS[meaning.call] for meaning in read_meanings("ns 1N P 2C: hearts 4+, hcp 8+")]
        ['2C']
    """
    found: list[Meaning] = []
    several = isinstance(meanings, Iterable) and not isinstance(meanings, str)
    listed: Any = meanings if several else [meanings]
    for given in listed:
        if isinstance(given, Meaning):
            found.append(given)
            continue
        if not isinstance(given, str | os.PathLike):
            raise MeaningError(
                f"{shorten(given)} is not a meaning (expected text such as "
                "'1N: hcp 12-14', a file, or a list of these)"
            )
        text = os.fspath(given).strip()
        first, _, rest = text.partition(" ")
        side = _SIDES.get(first.lower())
        if side is not None and not rest.strip():
            raise MeaningError(f"no meaning after {first} (expected such as {first} 1N: hcp 12-14)")
        found += _read(text if side is None else rest.strip(), side)
    return tuple(found)


def _read(text: str, side: int | None) -> list[Meaning]:
    if text.lower().endswith(".toml"):
        return _of_file(Path(text), side)
    calls, colon, words = text.partition(":")
    if not colon:
        return _of_system(text, side)
    told = calls.split()
    if any(is_all_pass(" ".join(told[-number:])) for number in (1, 2)):
        raise MeaningError(
            f"{shorten(text)}: {told[-1]} is more than one call (expected such as P)"
        )
    if not (read := _calls(calls, text)):
        raise MeaningError(f"{shorten(text)}: no call before the colon (expected such as 1N)")
    *after, call = read
    return [Meaning(tuple(after), call, _fitting(words, f"meaning of {calls.strip()}"), side)]


def _of_system(name: str, side: int | None) -> list[Meaning]:
    """Return the meanings of the openings of a system that ships."""
    try:
        system = load(name)
    except ValueError as error:
        begun = " ".join(takewhile(_is_call, name.split()))
        why = f"a colon is missing after {shorten(begun)}" if begun else error
        raise MeaningError(
            f"{shorten(name)} is not a meaning (expected such as '1N: hcp 12-14'): {why}"
        ) from None
    return _openings(system, side)


def _openings(system: OpeningSystem, side: int | None) -> list[Meaning]:
    """Return a meaning for each call of a system, including Pass."""

    def opening(call: str) -> Callable[[Bools], Bools]:
        place = system.calls.index(call)
        return lambda hands: np.asarray(system.choose(hands) == place)

    return [
        Meaning((), CALL_NUMBER[call], opening(call), side)
        for call in system.calls
        if call in CALL_NUMBER
    ]


def _is_call(word: str) -> bool:
    try:
        parse_call(word)
    except ValueError:
        return False
    return True


def _of_file(path: Path, side: int | None) -> list[Meaning]:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise MeaningError(f"{path}: no such file") from None
    except (OSError, ValueError, RecursionError) as error:
        raise MeaningError(f"{path}: {shorten(str(error), 200)}") from None
    tables = data.get("meaning")
    if tables is None and "rule" in data:
        try:
            return _openings(load(path), side)
        except ValueError as error:
            raise MeaningError(str(error)) from None
    if not isinstance(tables, list) or not tables:
        raise MeaningError(f"{path}: no meanings (expected tables under [[meaning]])")
    read = [
        _of_table(table, f"{path}, meaning {number}", side)
        for number, table in enumerate(tables, start=1)
    ]
    return [meaning for _, meaning in sorted(read, key=lambda pair: -pair[0])]


def _of_table(table: Any, place: str, side: int | None) -> tuple[float, Meaning]:
    """Return the priority of a table in a file, and its meaning."""
    if not isinstance(table, dict):
        raise MeaningError(f"{place}: {shorten(table)} (expected tables under [[meaning]])")
    for key, value in table.items():
        if key not in _FILE_KEYS:
            raise MeaningError(f"{place}: {shorten(key)} (expected {', '.join(_FILE_KEYS)})")
        if key == "priority":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise MeaningError(f"{place}: priority is {value!r} (expected a number)")
        elif not isinstance(value, str):
            raise MeaningError(f"{place}: {key} is {value!r} (expected text)")
    for key in ("call", "shows"):
        if not table.get(key, "").strip():
            raise MeaningError(f"{place}: {key} is missing")
    before = _calls(table.get("after", ""), place)
    read = _calls(" ".join([*(CALLS[each] for each in before), table["call"]]), place)
    if len(read) != len(before) + 1:
        raise MeaningError(f"{place}: call is {shorten(table['call'])} (expected one call)")
    words = ", ".join(table[key] for key in ("shows", "when") if table.get(key, "").strip())
    meaning = Meaning(before, read[-1], _fitting(words, place), side)
    return float(table.get("priority", 0)), meaning


def _calls(text: str, place: str) -> tuple[int, ...]:
    try:
        calls = read_auction(text).calls
    except CallError as error:
        raise MeaningError(f"{shorten(place)}: {error}") from None
    return calls


def _fitting(words: str, source: str) -> Callable[[Bools], Bools]:
    if not words.strip():
        raise MeaningError(f"{source}: no description of the hand (expected such as hcp 12-14)")
    try:
        clauses = read_hand(words, OPENER, source=source)
    except ConstraintError as error:
        raise MeaningError(str(error)) from None
    condition = AllOf(tuple(clause.node for clause in clauses))
    return lambda hands: np.broadcast_to(evaluate(condition, facts_of(hands)), len(hands))


def agreed(logs: Floats, hands: Bools, meanings: Sequence[Meaning]) -> Floats:
    """Return (m, 38) log-chances of one turn's calls, with meanings applied.

    ``logs`` are the network's. A hand makes the call whose meaning it fits. Another hand makes one
    of the calls without a meaning, in the network's proportions.
    """
    chances = np.exp(logs.astype(np.float64))
    lawful = chances > 0
    free = np.ones(len(hands), dtype=np.bool_)
    given = np.zeros(len(CALLS), dtype=np.bool_)
    makes = np.full(len(hands), -1)
    for meaning in meanings:
        given[meaning.call] = True
        takes = free & meaning.fits(hands)
        makes[takes] = meaning.call
        free &= ~takes
    chances[:, given] *= SLIP
    rows = np.flatnonzero(~free)
    chances[rows] *= SLIP
    chances[rows, makes[rows]] = 1
    chances = np.where(lawful, np.maximum(chances, 1e-30), 0)
    with np.errstate(divide="ignore"):
        new = np.log(chances / chances.sum(axis=1, keepdims=True))
    told: Floats = np.maximum(new, -1e9).astype(np.float32)
    return told
