"""Rows of results: a club's ``ScoreTable``, travellers as CSV, the list of a LIN match."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ..cards import Board, Deal, Seat, Tag, Vulnerability, card_text, parse_card, shorten
from ..formats import FormatError
from ..formats.board_text import contract_text, split_outcome, tricks_by_contract
from ..formats.format import Reading
from ..formats.lin import Pairs
from ..formats.pbn_board import parted
from ..formats.streams import lines_ended, opened
from .tables import Adjusted, Stated

_CELL = re.compile(r'"([^"]*)"|(\S+)')
_UNKNOWN = re.compile(r"[-?*#]*")
_AVERAGE = re.compile(r"A(?:VE?R?(?:AGE)?|VG)?\s*(PLUS|MINUS|[+=-])?", re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")
_MOST = 99_999
"""The highest number of a board, and tables that a row can stand for."""
_OTHER_NAMES = {
    "ns": "pairid_ns", "pair_ns": "pairid_ns", "ns_pair": "pairid_ns",
    "ew": "pairid_ew", "pair_ew": "pairid_ew", "ew_pair": "pairid_ew",
    "tricks": "result", "score": "score_ns", "tables": "multiplicity", "number": "board",
    "vul": "vulnerable", "vulnerability": "vulnerable", "imps": "imp_ns", "imp": "imp_ns",
    "mp": "mp_ns", "percent_ns": "percentage_ns", "percent_ew": "percentage_ew", "by": "declarer",
}  # fmt: skip
"""How columns of travellers are called besides."""
COLUMNS = (
    "board", "deal", "dealer", "vulnerable", "room", "contract", "declarer", "lead", "result",
    "multiplicity", "north", "east", "south", "west", "section", "table", "round", "rank",
    *(f"{name}_{side}" for side in ("ns", "ew") for name in (
        "pairid", "score", "imp", "mp", "percentage", "penalty")),
)  # fmt: skip
"""The columns that are read, in lower case; others are left out, and told."""


class Row(NamedTuple):
    """A row of results, as values of Table; and what is wrong with it."""

    place: str
    values: dict[str, Any]
    wrong: list[str]
    number: int | None = None
    deal: Deal | None = None
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    scoring: str = ""
    """The columns that say by what the pairs are ranked."""


def columns_of(header: str) -> list[str]:
    r"""Return the names of the columns of a PBN table: ``+Rank\3R;Contract\5L``."""
    return [name.partition("\\")[0].lstrip("+-").strip().lower() for name in header.split(";")]


def score_table(tag: Tag, place: str) -> Iterator[Row]:
    """Yield the rows of a ``ScoreTable`` tag."""
    names = columns_of(tag.value)
    lines, _ = parted(tag.lines)
    for number, line in enumerate(lines, start=1):
        cells = [quoted or plain for quoted, plain in _CELL.findall(line)]
        where = f"{place}, ScoreTable row {number}"
        wrong = []
        if len(cells) != len(names):
            wrong = [f"{len(cells)} cells (expected {len(names)}: {', '.join(names)})"]
        yield _row(dict(zip(names, cells, strict=False)), where, wrong)


def travellers(path: Path) -> Iterator[Row]:
    """Yield the rows of a CSV file. Raises FormatError for one whose columns say no results."""
    with path.open("rb") as file:
        reading = Reading(str(path))
        head, content, _ = opened(file, reading, str(path))
        _, content = lines_ended(head, content)
        with TextIOWrapper(content, encoding="utf-8-sig", errors="replace", newline="") as stream:
            try:
                yield from _of_cells(stream, path)
            except csv.Error as error:
                raise FormatError(f"{error} (expected CSV)", str(path)) from None


def _of_cells(stream: Iterator[str], path: Path) -> Iterator[Row]:
    first = next(stream)
    delimiter = max(",;\t", key=first.count)
    table = csv.reader(chain([first], stream), delimiter=delimiter)
    given = [name.strip().lower().replace(" ", "_") for name in next(table)]
    names = [_OTHER_NAMES.get(name, name) for name in given]
    known = set(names)
    if not known & {"board", "deal"} or not known & {"contract", "score_ns"}:
        raise FormatError(
            f"columns {shorten(', '.join(given))} (expected board or deal, and contract or "
            "score_ns; also declarer, result, lead, pairid_ns, pairid_ew …)",
            str(path),
        )
    left_out = [name for name in names if name and name not in COLUMNS]
    for cells in table:
        if any(cell.strip() for cell in cells):
            wrong = []
            if len(cells) != len(names):
                wrong = [f"{len(cells)} cells (expected {len(names)})"]
            if left_out:
                wrong.append(f"ignored columns: {', '.join(left_out)}")
                left_out = []
            row = dict(zip(names, map(str.strip, cells), strict=False))
            yield _row(row, f"{path}: line {table.line_num}", wrong)


class MatchHeader(NamedTuple):
    """What a LIN match begins with: teams, what they carry over, and all results."""

    title: str
    scoring: str
    first: int
    teams: tuple[str, str]
    carried: tuple[float, float]
    results: Sequence[str]
    """Of the open and the closed room in turn, from the first board on."""

    def outcome(self, number: int, room: str) -> dict[str, Any] | None:
        """Return contract, declarer and tricks that the list gives for a room; None for none."""
        place = 2 * (number - self.first) + (room == "closed")
        text = self.results[place] if 0 <= place < len(self.results) else ""
        return None if _UNKNOWN.fullmatch(text) else _outcome(text)


def match_header(pairs: Pairs) -> MatchHeader | None:
    """Return what ``vg`` and ``rs`` before a deal say; None where there is no ``vg``."""
    before = dict(pairs[: [code for code, _ in pairs].index("md")])
    if "vg" not in before:
        return None
    cells = [cell.strip() for cell in before["vg"].split(",")] + [""] * 9
    title, segment, scoring, first, _, home, carried, visit, also = cells[:9]
    return MatchHeader(
        ", ".join(filter(None, (title, segment))),
        scoring,
        int(first) if first.isdecimal() else 1,
        (home, visit),
        (_number(carried) or 0.0, _number(also) or 0.0),
        [text.strip() for text in before.get("rs", "").split(",")],
    )


def room_of(board: Board) -> str | None:
    """Return the room of a record: ``open``, ``closed``, or as the file calls it."""
    room = board.tag("Room")
    label = next((value.strip().lower() for code, value in board.lin if code == "qx"), "")
    if label[:1] in ("o", "c") and label[1:].isdecimal():
        return {"o": "open", "c": "closed"}[label[0]]
    return known_text(room and room.lower())


def known_text(text: str | None) -> str | None:
    """Return a text of a file, or None where it stands for "not known"."""
    clean = (text or "").strip()
    return None if _UNKNOWN.fullmatch(clean) else clean


def stated_score(text: str | None) -> int | None:
    """Return North-South's score by a PBN ``Score``: ``NS 420``, ``EW 50``; None for others."""
    found = re.match(r"(NS|EW|)\s*([+-]?\d+)\b(?!\s*%)", (text or "").strip(), re.IGNORECASE)
    if found is None:
        return None
    return -int(found[2]) if found[1].upper() == "EW" else int(found[2])


def adjusted_score(text: str | None) -> Adjusted | None:
    """Return an artificial score: ``A+``, ``AVG-``, ``60%``; None for any other text."""
    clean = (text or "").strip()
    if found := _AVERAGE.fullmatch(clean):
        sign = {"PLUS": "+", "MINUS": "-", "=": ""}.get(*[(found[1] or "").upper()] * 2)
        return Adjusted(f"A{sign}", {"": 50.0, "+": 60.0, "-": 40.0}[sign or ""])
    if found := _PERCENT.fullmatch(clean):
        return Adjusted(clean.replace(" ", ""), float(found[1]))
    return None


def _row(cells: Mapping[str, str], place: str, wrong: list[str]) -> Row:
    """Read a row; a cell that cannot be read is unknown, and told."""

    def read(name: str, parse: Any) -> Any:
        text = known_text(cells.get(name))
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as error:
            wrong.append(f"{name} {shorten(text)} is left out: {error}")
            return None

    values: dict[str, Any] = {"adjusted": _adjusted(cells)}
    contract = known_text(cells.get("contract"))
    if contract is not None and adjusted_score(contract.partition("/")[0]) is None:
        values |= read("contract", _outcome) or {}
    if (declarer := read("declarer", Seat.parse)) is not None:
        values["declarer"] = declarer
    if (lead := read("lead", parse_card)) is not None:
        values["lead"] = card_text(lead)
    bid = values.get("contract", "")
    if bid != "PASS" and (tricks := read("result", lambda text: _tricks(text, bid))) is not None:
        values["tricks"] = tricks
    scores = [
        None if adjusted_score(cells.get(f"score_{side}")) else read(f"score_{side}", _whole)
        for side in ("ns", "ew")
    ]
    if scores[0] is None and scores[1] is not None:
        scores[0] = -scores[1]
    values["score"] = scores[0]
    values["count"] = read("multiplicity", _count) or 1
    values["numbers"] = tuple(known_text(cells.get(f"pairid_{side}")) for side in ("ns", "ew"))
    values["names"] = tuple(known_text(cells.get(seat.name.lower())) for seat in Seat)
    values["room"] = known_text(cells.get("room")) or known_text(cells.get("table"))
    values["penalties"] = tuple(read(f"penalty_{side}", _finite) or 0.0 for side in ("ns", "ew"))
    columns = {
        name: tuple(read(f"{column}_{side}", _finite) for side in ("ns", "ew"))
        for name, column in (("imps", "imp"), ("matchpoints", "mp"), ("percent", "percentage"))
    }
    values["stated"] = Stated(**columns)
    shown = "imps" * (columns["imps"] != (None, None))
    return Row(
        place,
        values,
        wrong,
        read("board", _count),
        read("deal", Deal),
        read("dealer", Seat.parse),
        read("vulnerable", Vulnerability.parse),
        shown
        or "matchpoints" * any(columns[n] != (None, None) for n in ("matchpoints", "percent")),
    )


def _adjusted(cells: Mapping[str, str]) -> tuple[Adjusted | None, Adjusted | None]:
    """Return the artificial scores of a row, which stand in place of contract or scores.

    ``A+/A-`` is both sides' in one cell, and so is ``A`` alone, which is the same for both.
    """
    ns, ew = (adjusted_score(cells.get(f"score_{side}")) for side in ("ns", "ew"))
    contract = (cells.get("contract") or "").strip()
    first, slash, second = contract.partition("/")
    if ns is None and (given := adjusted_score(first)) is not None:
        ns = given
        ew = ew or (adjusted_score(second) if slash else given if given.text == "A" else None)
    return ns, ew


def _outcome(text: str) -> dict[str, Any]:
    """Read a contract, with declarer and result where they stand with it: ``4SXE-1``."""
    values: dict[str, Any] = {}
    bid, by, result = split_outcome(text) or (text, "", "")
    values["contract"] = contract_text(bid)
    if by:
        values["declarer"] = Seat.parse(by)
    if (tricks := tricks_by_contract(result, values["contract"])) is not None:
        values["tricks"] = tricks
    return values


def _tricks(text: str, contract: str) -> int:
    by_contract = tricks_by_contract(text, contract)
    tricks = int(text) if by_contract is None else by_contract
    if not 0 <= tricks <= 13:
        raise ValueError("expected 0 to 13 tricks")
    return tricks


def _whole(text: str) -> int:
    number = float(text)
    if not number.is_integer():
        raise ValueError("expected a whole number")
    return int(number)


def _count(text: str) -> int:
    number = _whole(text)
    if not 1 <= number <= _MOST:
        raise ValueError(f"expected 1 to {_MOST:,}")
    return number


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("expected a finite number")
    return number


def _number(text: str) -> float | None:
    try:
        return _finite(text)
    except ValueError:
        return None
