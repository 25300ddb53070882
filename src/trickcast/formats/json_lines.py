"""JSON, one deal per line: output of ``--json``, answers of the server, and files written here.

Each object with ``deal`` is a deal. ``board``, ``dealer``, ``vulnerable``, ``contract``, ``by``,
``result``, ``auction`` and ``play`` have their usual meaning (the last two as lists). ``exact``
is a table of exact tricks in the order of ``strains`` and ``declarers``, null if unknown.
Objects may be in a list, or under ``results``, ``boards`` or ``deals``. Lines without a deal,
such as that of ``skipped``, are ignored.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from ..cards import (
    UNKNOWN,
    Board,
    DealError,
    DealSet,
    Seat,
    Strain,
    Vulnerability,
    shorten,
)
from ..cards.auction import contract_of, is_all_pass, strain_of, with_all_pass
from .board_text import (
    NO_TRICKS,
    SAYS_NOTHING,
    Note,
    Table,
    contract_text,
    outcome_difference,
    parse_count,
    parse_played,
    possible_play,
    read_calls,
    reader_of,
    shown_owners,
)
from .format import Format, Notices, Reading
from .streams import read_lines

_LISTS = ("results", "boards", "deals")
_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "board": ("number", lambda value: parse_count(str(value), 999_999_999)),
    "number": ("number", lambda value: parse_count(str(value), 999_999_999)),
    "dealer": ("dealer", Seat.parse),
    "vulnerable": ("vulnerability", Vulnerability.parse),
    "contract": ("contract", contract_text),
    "by": ("declarer", Seat.parse),
    "declarer": ("declarer", Seat.parse),
    "result": ("result", lambda value: parse_count(str(value), 13)),
}
"""Key → field of Board, and how its value is read."""
_WRITTEN = {
    "board": "number", "dealer": "dealer", "vulnerable": "vulnerability", "contract": "contract",
    "by": "declarer", "result": "result", "auction": "auction", "play": "play",
}  # fmt: skip
"""Key → field of Board, as they are written."""
_SNIFF = re.compile(rb'(?:\xef\xbb\xbf)?\s*[\[{]\s*[\[{"]')


def _values(stream: BinaryIO, reading: Reading) -> Iterator[tuple[int, Any]]:
    """Yield (line number, value): for each line, or for the whole file if it is one value."""
    numbered = ((number, line) for number, line in read_lines(stream, reading) if line.strip())
    first, head = next(numbered, (1, ""))
    lines: Iterator[tuple[int, str]] = numbered
    try:
        yield first, json.loads(head)
    except (ValueError, RecursionError):
        kept, size = list[tuple[int, str]](), len(head)
        for entry in numbered:
            kept.append(entry)
            size += len(entry[1])
            if size > reading.limits.line * 16:
                reason = "a JSON value over too many lines (expected one value a line)"
                break
        else:
            try:
                yield first, json.loads("\n".join([head, *(line for _, line in kept)]))
                return
            except (ValueError, RecursionError) as error:
                reason = f"{shorten(str(error))} (expected JSON, one value a line)"
        reading.refuse(reading.error(f"line {first}", reason))
        lines = chain(kept, numbered)
    for number, line in lines:
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = f"{shorten(str(error))} (expected a JSON value a line)"
            reading.refuse(reading.error(f"line {number}", reason))


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the table of each object that has a deal."""
    for line, value in _values(stream, reading):
        for entry in _entries(value):
            place = f"line {line}"
            content = {"deal": entry} if isinstance(entry, str) else entry
            if not isinstance(content, dict) or "deal" not in content:
                continue
            try:
                owners = shown_owners(str(content["deal"]), reading)
                table = _table(content)
            except (DealError, ValueError) as error:
                reading.refuse(reading.error(place, str(error)))
                continue
            if "tricks" in content and "exact" not in content and "expected" in content:
                notices.add("estimates left out", place, "estimated tricks are left out")
            yield owners, _board(content, owners, notices.at(place)), table


def _board(content: dict[str, Any], owners: bytes, note: Note) -> Board:
    """Return the board data of an object; unreadable values are reported and left out."""
    values: dict[str, Any] = {}
    for key, (field, parse) in _FIELDS.items():
        if content.get(key) is None:
            continue
        try:
            values[field] = parse(content[key])
        except (ValueError, AttributeError, TypeError) as error:
            note(f"{key} left out", f"{key} is left out: {error}")
    words = _words(content.get("auction"))
    ended = bool(words) and is_all_pass(words[-1])
    auction = read_calls(words[:-1] if ended else words, note)
    if ended and len(auction) == len(words) - 1:
        auction = tuple(with_all_pass(auction))
    called = contract_of(values["dealer"], auction) if "dealer" in values else (None, None)
    stated = values.get("contract"), values.get("declarer")
    if difference := outcome_difference(called, stated, "the object says"):
        counts = "both are kept" if stated[0] is not None else "the auction counts"
        note("auctions that lead to another contract than is said", f"{difference}; {counts}")
    if called[0] is not None and stated[0] is None:
        values["contract"], values["declarer"] = called
    play = list[str]()
    try:
        for card in _words(content.get("play", content.get("cards"))):
            play.append(parse_played(card))
    except ValueError as error:
        note("plays read in part", f"{error}; the cards before it are kept")
    strain, declarer = strain_of(values.get("contract")), values.get("declarer")
    values["play"] = possible_play(play, strain, owners, note, declarer=declarer)
    return Board(**values, auction=auction)


def _words(value: Any) -> list[str]:
    """Return the words of a text or a list; cards in it may be objects, as in ``play``."""
    if isinstance(value, str):
        return value.split()
    words = value if isinstance(value, list) else []
    return [str(word.get("card") if isinstance(word, dict) else word) for word in words]


def _entries(value: Any) -> Iterator[Any]:
    """Yield possible deals: an object itself, items of a list, items under the known keys."""
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict) and "deal" not in value:
        yield from chain.from_iterable(
            value[key] for key in _LISTS if isinstance(value.get(key), list)
        )
    else:
        yield value


def _table(content: dict[str, Any]) -> Table:
    """Return the exact tricks of an object. Raises ValueError for an invalid table."""
    exact = content.get("exact")
    if exact is None:
        return NO_TRICKS
    try:
        strains = [Strain.parse(name) for name in content.get("strains", "SHDCN")]
        declarers = [Seat.parse(name) for name in content.get("declarers", "NESW")]
        counts = np.array([[UNKNOWN if n is None else n for n in row] for row in exact])
    except (TypeError, ValueError) as error:
        raise ValueError(f"exact: {shorten(str(error))}") from None
    fits = counts.shape == (len({*strains}), len({*declarers})) and counts.dtype.kind in "iu"
    if not fits or ((counts > 13) & (counts != UNKNOWN)).any() or (counts < 0).any():
        raise ValueError(f"exact is {shorten(str(exact))} (expected rows of 0 to 13 tricks)")
    table = NO_TRICKS.copy()
    table[np.ix_(strains, declarers)] = counts
    return table


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    for deals in sets:
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        for deal, board, table in zip(deals, boards, deals.tricks_or_unknown, strict=True):
            line: dict[str, Any] = {"deal": deal.pbn}
            for key, field in _WRITTEN.items():
                value = getattr(board, field)
                if value not in (None, ()):
                    line[key] = value if type(value) in (int, tuple) else str(value)
            if (table != UNKNOWN).any():
                rows = [[None if n == UNKNOWN else n for n in row] for row in table.tolist()]
                line |= {"strains": [*"SHDCN"], "declarers": [*"NESW"], "exact": rows}
            stream.write(json.dumps(line).encode() + b"\n")


FORMAT = Format(
    name="json",
    title="JSON, a line a deal, as trickcast prints it",
    suffixes=(".json", ".jsonl"),
    sniff=lambda head: _SNIFF.match(head) is not None and b'"deal' in head,
    reader=reader_of(_boards),
    write=_write,
    fields=tuple(_WRITTEN.values()),
)
