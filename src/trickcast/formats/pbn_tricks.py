"""Trick tables in PBN: the standard's OptimumResultTable, and DoubleDummyTricks from the wild."""

import re

import numpy as np
from numpy.typing import NDArray

from ..cards import PRINTED_SEATS, PRINTED_STRAINS, UNKNOWN, DealError, Seat, Strain, Tag, shorten

Table = NDArray[np.uint8]
"""(5, 4) uint8 of one deal: strains S H D C N by declarers N E S W."""

RESULT_TABLE = "OptimumResultTable"
DIGITS = "DoubleDummyTricks"
_HEADER = r"Declarer;Denomination\2R;Result\2R"
_COLUMNS = ("declarer", "denomination", "result")
_COLUMN = re.compile(r"[+-]?(\w+)(?:\\\d+[LR]?)?", re.IGNORECASE)
_UNKNOWN_RESULTS = ("?", "-", "*", "")


def unknown_table() -> Table:
    """Return a table of which nothing is known."""
    return np.full((5, 4), UNKNOWN, dtype=np.uint8)


def parse_result_table(tag: Tag) -> Table:
    """Read an OptimumResultTable: rows in any order, columns as its header says.

    Raises ValueError saying which row cannot be read.
    """
    names = [found[1].lower() for found in map(_COLUMN.match, tag.value.split(";")) if found]
    if sorted(names) != sorted(set(names)) or not set(_COLUMNS) <= set(names):
        raise ValueError(f"columns {shorten(tag.value)} (expected Declarer;Denomination;Result)")
    columns = [names.index(column) for column in _COLUMNS]
    table = unknown_table()
    for line in tag.lines:
        if not line or line[0] in ";{%":
            continue
        cells = line.split()
        if len(cells) <= max(columns):
            raise ValueError(f"row {shorten(line)} (expected such as 'N NT 8')")
        seat, strain, result = (cells[column] for column in columns)
        try:
            where = Strain.parse(strain), Seat.parse(seat)
        except DealError as error:
            raise ValueError(f"row {shorten(line)}: {error}") from None
        if result in _UNKNOWN_RESULTS:
            continue
        if not result.isdecimal() or int(result) > 13:
            raise ValueError(f"row {shorten(line)}: {result!r} is not tricks (expected 0 to 13)")
        if table[where] not in (UNKNOWN, int(result)):
            raise ValueError(f"row {shorten(line)}: that result stands above as {table[where]}")
        table[where] = int(result)
    return table


def format_result_table(table: Table) -> Tag:
    """Write a table in the standard's order, leaving out the cells that are not known."""
    rows = tuple(
        f"{seat} {'NT' if strain is Strain.NOTRUMP else strain.letter:>2} {table[strain, seat]:>2}"
        for seat in PRINTED_SEATS
        for strain in PRINTED_STRAINS
        if table[strain, seat] != UNKNOWN
    )
    return Tag(RESULT_TABLE, _HEADER, rows)


def parse_digits(text: str) -> Table:
    """Read DoubleDummyTricks: N S E W, in each NT S H D C, a hexadecimal digit each.

    ``F``, ``-`` and ``*`` stand for a result that is not known. Old hand records write 1 for
    "fewer than 7, not solved", so that in a table without any digit from 2 to 6 a 1 is not known
    either. Raises ValueError when ``text`` is not twenty such digits.
    """
    digits = re.sub(r"\s", "", text).upper()
    if wrong := re.search(r"[^0-9A-DF*-]", digits):
        raise ValueError(f"{shorten(text)}: {wrong[0]!r} (expected a digit 0 to D, F, - or *)")
    if len(digits) != 20:
        raise ValueError(f"{shorten(text)}: {len(digits)} digits (expected 20)")
    unsolved = "F*-" if re.search("[2-6]", digits) else "F*-1"
    table = unknown_table()
    for i, digit in enumerate(digits):
        if digit not in unsolved:
            table[PRINTED_STRAINS[i % 5], PRINTED_SEATS[i // 5]] = int(digit, 16)
    return table


def disagreements(one: Table, other: Table) -> int:
    """Count the cells that both tables know and give differently."""
    return int(np.count_nonzero((one != other) & (one != UNKNOWN) & (other != UNKNOWN)))
