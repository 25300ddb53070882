"""Rows of results: PBN's ``ScoreTable``, and the cells that CSV and LIN share with it."""

import re
from collections.abc import Callable, Iterator, Mapping, Set
from typing import NamedTuple, TypeVar

from ..cards import Seat, Tag, shorten
from .board_text import contract_text, split_outcome, tricks_by_contract
from .pbn_board import parted

SCORE_TABLE = "ScoreTable"
_T = TypeVar("_T")
_CELL = re.compile(r'"([^"]*)"|(\S+)')
_UNKNOWN = re.compile(r"[-?*#]*")
_AVERAGE = re.compile(r"A(?:VE?R?(?:AGE)?|VG)?\s*(PLUS|MINUS|[+=-])?", re.IGNORECASE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_SHARE = r"(0|[0-9]{2,3}(?:\.[0-9]+)?)\s*%?"
_SHARES = re.compile(rf"{_SHARE}\s*[/-]\s*{_SHARE}")
_TRICKS = re.compile(r"[0-9]{1,2}")
_IN_WORDS = re.compile(r"(made|making)(?:\s+([1-7]))?|(?:down|off)\s+([0-9]{1,2})", re.IGNORECASE)
OTHER_NAMES = {
    "ns": "pairid_ns", "pair_ns": "pairid_ns", "ns_pair": "pairid_ns",
    "ew": "pairid_ew", "pair_ew": "pairid_ew", "ew_pair": "pairid_ew",
    "tricks": "result", "score": "score_ns", "tables": "multiplicity", "number": "board",
    "board_no": "board", "board_number": "board", "by": "declarer",
    "vul": "vulnerable", "vulnerability": "vulnerable", "imps": "imp_ns", "imp": "imp_ns",
    "mp": "mp_ns", "percent_ns": "percentage_ns", "percent_ew": "percentage_ew",
}  # fmt: skip
"""Other names for columns of travellers."""
_NOT_PLAYED = ("NP", "NOTPLAYED", "NOPLAY")
_NO_TRICKS = ("0", "=", "+0")
"""Results that files write for a board passed out."""
_BY_CONTRACT = "=, +1, -2, down 1 or made 1 to 7"
"""Other results that are read, in words."""
_MOST = 99_999
"""The highest board number, and the most tables that a row can represent."""
_LARGEST = 999_999
"""The largest of all other numbers."""


class Outcome(NamedTuple):
    """What was played according to a row; None for missing or unreadable values."""

    contract: str | None
    declarer: Seat | None
    tricks: int | None


def score_rows(tag: Tag) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Yield the cells of each row of a ``ScoreTable`` by column, and what is wrong with the row."""
    names = _columns_of(tag.value)
    lines, _ = parted(tag.lines)
    for line in lines:
        cells = [quoted or plain for quoted, plain in _CELL.findall(line)]
        wrong = []
        if len(cells) != len(names):
            wrong = [f"{len(cells)} cells (expected {len(names)}: {', '.join(names)})"]
        row: dict[str, str] = {}
        for name, cell in zip(names, cells, strict=False):
            if row.setdefault(name, cell) != cell:
                wrong.append(
                    f"two columns {name}, with {shorten(row[name])} and {shorten(cell)}; "
                    "the first counts"
                )
        yield row, wrong


def _columns_of(header: str) -> list[str]:
    r"""Return the names of the columns of a PBN table: ``+Rank\3R;Contract\5L``."""
    return [name.partition("\\")[0].lstrip("+-").strip().lower() for name in header.split(";")]


def column_names(head: bytes) -> set[str]:
    """Return the names in the first line of CSV, in lower case."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].decode("latin-1")
    given = re.split("[,;\t]", first.lower())
    return {name.strip(' \r"').replace(" ", "_") for name in given}


def has_results(columns: Set[str]) -> bool:
    """Return whether columns are those of travellers."""
    names = {OTHER_NAMES.get(name, name) for name in columns}
    return not (names.isdisjoint(("board", "deal")) or names.isdisjoint(("contract", "score_ns")))


def known_text(text: str | None) -> str | None:
    """Return a text of a file, or None if it means "unknown"."""
    clean = (text or "").strip()
    return None if _UNKNOWN.fullmatch(clean) else clean


def artificial_score(text: str | None) -> tuple[str, float] | None:
    """Return an artificial score with its percentage: ``A+``, ``AVG-``, ``60%``; else None."""
    clean = (text or "").strip()
    if found := _AVERAGE.fullmatch(clean):
        sign = {"PLUS": "+", "MINUS": "-", "=": ""}.get(*[(found[1] or "").upper()] * 2)
        return f"A{sign}", {"": 50.0, "+": 60.0, "-": 40.0}[sign or ""]
    if (found := _PERCENT.fullmatch(clean)) and float(found[1]) <= 100:
        return clean.replace(" ", ""), float(found[1])
    return None


def artificial_cells(text: str) -> tuple[str, str]:
    """Return what a cell has for each side: ``A+/A-``, ``60/40``, ``50%-50%``."""
    if found := _SHARES.fullmatch(text.strip()):
        return f"{found[1]}%", f"{found[2]}%"
    first, _, second = text.partition("/")
    return first, second


def is_unplayed(contract: str | None) -> bool:
    """Return whether a contract's cell says that the board was not played there."""
    return "".join((contract or "").upper().split()) in _NOT_PLAYED


def read_cell(
    cells: Mapping[str, str], name: str, parse: Callable[[str], _T], wrong: list[str]
) -> _T | None:
    """Read a cell of a row; None for an unknown or unreadable one, which is reported."""
    text = known_text(cells.get(name))
    if text is None:
        return None
    try:
        return parse(text)
    except ValueError as error:
        over = _PERCENT.fullmatch(text) and artificial_score(text) is None
        reason = "expected at most 100 %" if over else error
        wrong.append(f"{name} {shorten(text)} is left out: {reason}")
        return None


def outcome(cells: Mapping[str, str], wrong: list[str]) -> Outcome:
    """Read the contract, declarer and result of a row; ``wrong`` collects contradictions.

    The contract may say it all (``4SXE-1``). Columns for declarer and result take precedence.
    """
    contract = by = made = None
    text = known_text(cells.get("contract"))
    if is_unplayed(text):
        text = None
    if text is not None and artificial_score(artificial_cells(text)[0]) is None:
        bid, declarer, result = split_outcome(text) or (text, "", "")
        contract = read_cell({"contract": bid}, "contract", _contract, wrong)
        by = Seat.parse(declarer) if declarer else None
        made = _tricks({"result": result}, contract, wrong)
    own_by = read_cell(cells, "declarer", Seat.parse, wrong)
    own_made = _tricks(cells, contract, wrong)
    if own_by is not None and by not in (None, own_by):
        wrong.append(f"contract {shorten(text)}, but declarer {own_by.letter}, which counts")
    if own_made is not None and made not in (None, own_made):
        wrong.append(f"contract {shorten(text)}, but result {own_made}, which counts")
    return Outcome(
        contract, by if own_by is None else own_by, made if own_made is None else own_made
    )


def _contract(text: str) -> str:
    try:
        return contract_text(text)
    except ValueError:
        raise ValueError(
            "expected such as 4S, 3NX or PASS, NP (not played), or A+/A- or 60/40 (adjusted)"
        ) from None


def _tricks(cells: Mapping[str, str], contract: str | None, wrong: list[str]) -> int | None:
    """Read declarer's tricks: ``10``, by the contract ``=``, ``+1``, ``-2``, or ``made 4``."""

    def parse(text: str) -> int | None:
        if contract == "PASS":
            if text in _NO_TRICKS:
                return None
            raise ValueError("the board was passed out")
        if contract is not None and (words := _IN_WORDS.fullmatch(text)):
            made, count, down = words.groups()
            text = "=" if made else f"-{down}"
            if count is not None:
                text = f"+{int(count) - int(contract[0])}".replace("+-", "-")
            if made and text.startswith("-"):
                raise ValueError(f"expected {contract[0]} or more in {contract}")
        elif contract is None and (_IN_WORDS.fullmatch(text) or text[0] in "=+-"):
            raise ValueError("it counts from the contract, which is not known")
        tricks = tricks_by_contract(text, contract or "")
        if tricks is None and _TRICKS.fullmatch(text.removesuffix(".0")):
            tricks = whole(text)
        if tricks is None or not 0 <= tricks <= 13:
            raise ValueError(f"expected 0 to 13 tricks, or {_BY_CONTRACT}")
        return tricks

    return read_cell(cells, "result", parse, wrong)


def whole(text: str) -> int:
    """Return a whole number, also from text like ``3.0``. Raises ValueError for any other text."""
    number = float(text)
    if not number.is_integer() or abs(number) > _LARGEST:
        raise ValueError(f"expected a whole number up to {_LARGEST:,}")
    return int(number)


def count_from_1(text: str) -> int:
    """Return the number of a board or of tables. Raises ValueError for any other text."""
    number = whole(text)
    if not 1 <= number <= _MOST:
        raise ValueError(f"expected 1 to {_MOST:,}")
    return number
