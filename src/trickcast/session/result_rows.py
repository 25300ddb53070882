"""Rows of results: a club's ``ScoreTable``, travellers as CSV, the list of a LIN match."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from math import isfinite
from typing import Any, BinaryIO, NamedTuple

from ..cards import (
    TRICK_COLUMNS,
    Board,
    Deal,
    Seat,
    Tag,
    Vulnerability,
    card_text,
    parse_card,
    shorten,
)
from ..formats import FormatError, csv_parquet
from ..formats.format import Reading
from ..formats.lin import Pairs
from ..formats.score_table import (
    OTHER_NAMES,
    artificial_cells,
    artificial_score,
    column_names,
    count_from_1,
    has_results,
    is_unplayed,
    known_text,
    outcome,
    read_cell,
    score_rows,
    whole,
)
from ..formats.streams import lines_ended, read_lines
from .tables import IMPS, MATCHPOINTS, Adjusted, Stated

_SMALL = re.compile(r"[0-9]{1,6}")
_DECIMAL_COMMA = re.compile(r"([0-9]),([0-9]{1,2})$")
COLUMNS = (
    "board", "deal", "dealer", "vulnerable", "room", "contract", "declarer", "lead", "result",
    "multiplicity", "north", "east", "south", "west", "section", "table", "round", "rank",
    *(f"{name}_{side}" for side in ("ns", "ew") for name in (
        "pairid", "score", "imp", "mp", "percentage", "penalty")),
)  # fmt: skip
"""The columns that are read, in lower case; others are ignored and reported."""

_SCORINGS = frozenset(
    ("I", "IMP", "IMPS", "X", "XIMP", "XIMPS", "P", "MP", "MATCH", "POINT", "POINTS", "MATCHPOINT",
     "MATCHPOINTS", "PAIRS", "TEAMS")
)  # fmt: skip
"""Words of the kinds of scoring that are computed as named."""
_OF_WORDS = {"north", "east", "south", "west", "room", "table", "pairid_ns", "pairid_ew"}
"""Columns of names, not numbers."""
_BETWEEN_NAMES = re.compile(r"[&/+]|\s[-–]\s")
_OF_DEALS = frozenset(
    name.lower() for name in (csv_parquet.DEAL, *csv_parquet.COLUMNS, *TRICK_COLUMNS)
)
"""The columns of the files of deals that we write, in lower case."""


class Row(NamedTuple):
    """A row of results, as values of Table, with its errors."""

    place: str
    values: dict[str, Any]
    wrong: list[str]
    number: int | None = None
    deal: Deal | None = None
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    scoring: str = ""
    """The columns that give the unit for ranking pairs."""


def score_table(tag: Tag, place: str) -> Iterator[Row]:
    """Yield the rows of a ``ScoreTable`` tag."""
    for number, (cells, wrong) in enumerate(score_rows(tag), start=1):
        if not _is_empty(cells):
            yield _row(cells, f"{place}, ScoreTable row {number}", wrong)


def pair_names(tag: Tag, wrong: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the numbers of pairs and their two names from a ``TotalScoreTable`` tag.

    Adds names that are not two to ``wrong``.
    """
    for cells, _ in score_rows(tag):
        section, number = (known_text(cells.get(name)) for name in ("section", "pairid"))
        if (text := known_text(cells.get("names"))) is None or number is None:
            continue
        names = [name.strip() for name in _BETWEEN_NAMES.split(text)]
        if len(names) == 2 and all(names):
            yield str(_of_section(section, number)), (names[0], names[1])
        else:
            wrong.append(f"TotalScoreTable: the Names of pair {number} are left out (expected two, "
                         "with ' - ', & or / between them)")  # fmt: skip


def travellers(head: bytes, content: BinaryIO, reading: Reading) -> Iterator[Row]:
    """Yield the rows of CSV that is opened; lines that are not text are refused.

    Raises FormatError for a file without columns of results.
    """
    _, content = lines_ended(head, content)
    try:
        yield from _of_lines(read_lines(content, reading, latin_1=True), reading.name)
    except csv.Error as error:
        raise FormatError(f"{error} (expected CSV)", reading.name) from None


class Contents(NamedTuple):
    """What a CSV file has."""

    cards: bool
    results: bool
    """Whether its rows are travellers. Deals with their exact tricks, as we write them, are not."""


def contents(head: bytes, *, is_csv: bool = True) -> Contents:
    """Return what a CSV file has, by its first line; a stream need not be CSV."""
    head, _ = lines_ended(head, BytesIO(head))
    names = column_names(head)
    cards = csv_parquet.CSV.sniff(head)
    ours = names <= _OF_DEALS and not names.isdisjoint(map(str.lower, TRICK_COLUMNS))
    return Contents(cards, (is_csv and not cards) or (has_results(names) and not ours))


def _of_lines(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Row]:
    line, first = next((found for found in lines if found[1].strip()), (1, ""))
    if not first:
        raise FormatError("no line of text (expected travellers)", path)

    def texts() -> Iterator[str]:
        nonlocal line
        yield first
        for number, text in lines:
            line = number
            yield f"{text}\n"

    delimiter = max(",;\t", key=first.count)
    table = csv.reader(texts(), delimiter=delimiter)
    given = [name.strip().lower().replace(" ", "_") for name in next(table)]
    names = _columns_of_travellers(given, path)
    left_out = [name for name in names if name and name not in COLUMNS]
    for cells in table:
        row = dict(zip(names, map(str.strip, cells), strict=False))
        if any(row.values()) and not _is_empty(row):
            wrong = []
            if len(cells) != len(names):
                wrong = [f"{len(cells)} cells (expected {len(names)})"]
            if left_out:
                wrong.append(f"ignored columns: {', '.join(left_out)}")
                left_out = []
            yield _row(row, f"{path}: line {line}", wrong)


def _columns_of_travellers(given: Sequence[str], path: str) -> list[str]:
    """Return our names for the columns; other files' names count if ours are absent.

    Raises FormatError if no column has results, or two columns have the same name.
    """
    names = list[str]()
    for name in given:
        ours = OTHER_NAMES.get(name, name)
        names.append(name if ours in (*given, *names) else ours)
    if not has_results({*names}):
        raise FormatError(
            f"columns {shorten(', '.join(given))} (expected board or deal, and contract or "
            "score_ns; also declarer, result, lead, pairid_ns, pairid_ew …)",
            path,
        )
    if twice := next((name for name in COLUMNS if names.count(name) > 1), None):
        raise FormatError(f"two columns {twice!r} (expected one)", path)
    return names


class MatchHeader(NamedTuple):
    """The start of a LIN match: teams, their carry-over, and all results."""

    title: str
    scoring: str
    first: int
    teams: tuple[str, str]
    carried: tuple[float, float]
    results: Sequence[str]
    """Alternately from the open and the closed room, starting with the first board."""
    wrong: Sequence[str]
    """Parts of the heading that cannot be read."""

    def outcome(self, number: int, room: str, wrong: list[str]) -> dict[str, Any] | None:
        """Return the list's result for a room as values of Table; None if there is none.

        Adds errors to ``wrong``.
        """
        place = 2 * (number - self.first) + (room == "closed")
        cells = {
            "contract": _plain_minus(self.results[place]) if 0 <= place < len(self.results) else ""
        }
        values = outcome(cells, wrong)._asdict() | {"adjusted": _adjusted(cells)}
        return values if values["contract"] or any(values["adjusted"]) else None


def match_header(pairs: Pairs) -> MatchHeader | None:
    """Return what ``vg`` and ``rs`` before a deal say; None without ``vg``."""
    before = dict(pairs[: [code for code, _ in pairs].index("md")])
    if "vg" not in before:
        return None
    cells = [cell.strip() for cell in before["vg"].split(",")] + [""] * 9
    title, segment, scoring, first, _, home, carried, visit, also = cells[:9]
    wrong = []
    if first and not _SMALL.fullmatch(first):
        wrong.append(f"{shorten(first)} is no board number: the results begin with board 1")
    name = "IMPs carried over"
    imps = [read_cell({name: text}, name, _finite, wrong) for text in (carried, also)]
    return MatchHeader(
        ", ".join(filter(None, (title, segment))),
        scoring,
        int(first) if _SMALL.fullmatch(first) else 1,
        (home, visit),
        (imps[0] or 0.0, imps[1] or 0.0),
        [text.strip() for text in before.get("rs", "").split(",")],
        wrong,
    )


def room_of(board: Board) -> str | None:
    """Return the room of a record: ``open``, ``closed``, or the file's own name."""
    room = board.tag("Room")
    label = next((value.strip().lower() for code, value in board.lin if code == "qx"), "")
    if label[:1] in ("o", "c") and label[1:].isdecimal():
        return {"o": "open", "c": "closed"}[label[0]]
    return known_text(room and room.lower())


def stated_score(text: str | None) -> int | None:
    """Return North-South's score in a PBN ``Score``: ``NS 420``, ``EW 50``; None for other text.

    Raises ValueError for a number that is too long.
    """
    found = re.match(r"(NS|EW|)\s*([+-]?)(\d+)\b(?!\s*%)", (text or "").strip(), re.IGNORECASE)
    if found is None:
        return None
    if not _SMALL.fullmatch(found[3]):
        raise ValueError(f"score {shorten(text)} is left out: expected at most six digits")
    return int(f"{found[2]}{found[3]}") * (-1 if found[1].upper() == "EW" else 1)


def scoring_said(text: str | None) -> str:
    """Return the meaning of a ``Scoring`` tag or a ``vg`` code; empty if it has none."""
    clean = (text or "").strip("#? ").upper()
    if clean in ("I", "B") or "IMP" in clean or "BUTLER" in clean or "CROSS" in clean:
        return IMPS
    if clean.partition(";")[0] in ("P", "MP") or "MATCH" in clean or "PAIRS" in clean:
        return MATCHPOINTS
    return ""


def is_as_named(text: str) -> bool:
    """Return whether all words of a ``Scoring`` tag are of scorings that we compute."""
    words = re.findall(r"\w+", text.upper())
    return all(word in _SCORINGS or word.startswith("CROSS") for word in words)


def adjusted_score(text: str | None) -> Adjusted | None:
    """Return an artificial score: ``A+``, ``AVG-``, ``60%``; None for any other text."""
    given = artificial_score(text)
    return given and Adjusted(*given)


def _is_empty(cells: Mapping[str, str]) -> bool:
    """Return whether a board was not played, and has no score either."""
    scores = (known_text(cells.get(f"score_{side}")) for side in ("ns", "ew"))
    return is_unplayed(cells.get("contract")) and not any(scores)


def _row(cells: Mapping[str, str], place: str, wrong: list[str]) -> Row:
    """Read a row; unreadable cells are unknown and reported."""
    cells = {
        name: text if name in _OF_WORDS else _plain_minus(text) for name, text in cells.items()
    }

    def read(name: str, parse: Any) -> Any:
        return read_cell(cells, name, parse, wrong)

    values = outcome(cells, wrong)._asdict() | {"adjusted": _adjusted(cells)}
    if (lead := read("lead", parse_card)) is not None:
        values["lead"] = card_text(lead)
    ns, ew = (
        None if adjusted_score(cells.get(f"score_{side}")) else read(f"score_{side}", _score)
        for side in ("ns", "ew")
    )
    if ew is not None and ns not in (None, -ew):
        wrong.append(f"score_ns {ns}, but score_ew {ew}: score_ns counts")
    elif ew is not None:
        ns = -ew
    values["score"] = ns
    values["count"] = read("multiplicity", _count) or 1
    section = known_text(cells.get("section"))
    values["numbers"] = tuple(
        _of_section(section, known_text(cells.get(f"pairid_{side}"))) for side in ("ns", "ew")
    )
    values["names"] = tuple(known_text(cells.get(seat.name.lower())) for seat in Seat)
    room = known_text(cells.get("room"))
    values["room"] = known_text(cells.get("table")) if room is None else room.lower()
    values["penalties"] = tuple(read(f"penalty_{side}", _taken) or 0.0 for side in ("ns", "ew"))
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


def _of_section(section: str | None, number: str | None) -> str | None:
    """Return the number of a pair with its section in front, ``A1``, unless it has it already."""
    if section is None or number is None or not number[-1].isdigit():  # names need no section
        return number
    between, then = ("-", "[- ]") if section[-1].isdigit() else ("", "[- ]?[0-9]")
    has_it = re.match(re.escape(section) + then, number, re.IGNORECASE)
    return number if has_it else f"{section}{between}{number}"


def _adjusted(cells: Mapping[str, str]) -> tuple[Adjusted | None, Adjusted | None]:
    """Return the artificial scores of a row, which replace contract or scores.

    ``A+/A-`` covers both sides in one cell. ``A`` alone is the same for both.
    """
    ns, ew = (adjusted_score(cells.get(f"score_{side}")) for side in ("ns", "ew"))
    contract = (cells.get("contract") or "").strip()
    first, second = artificial_cells(contract)
    if ns is None and (given := adjusted_score(first)) is not None:
        ns = given
        ew = ew or (adjusted_score(second) if second else given if given.text == "A" else None)
    return ns, ew


def _plain_minus(text: str) -> str:
    """Return a text with an ASCII minus for the typographic one that we print."""
    return text.replace("\N{MINUS SIGN}", "-")


def _score(text: str) -> int:
    try:
        _finite(text)
        return whole(text)
    except ValueError as error:
        raise ValueError(f"{error}, or such as A- or 60%") from None


def _count(text: str) -> int:
    _finite(text)
    return count_from_1(text)


def _finite(text: str) -> float:
    try:
        number = float(_DECIMAL_COMMA.sub(r"\1.\2", text))
    except ValueError:
        raise ValueError("expected a number") from None
    if not isfinite(number):
        raise ValueError("expected a finite number")
    return number


def _taken(text: str) -> float:
    number = _finite(text)
    if number < 0:
        raise ValueError(f"expected {-number:g}, which is taken from the pair")
    return number
