"""Trick tables in PBN: the standard's OptimumResultTable, others from the wild.

Programs write 1 for what they did not solve, and for a side that makes no contract, where the real
result is anything up to 6. So in a table that holds no result from 2 to 6 no 1 is believed; nor is
a table of twenty noughts. Our own writer marks the rare table in which such a 1 is a result.
"""

import re
from collections.abc import Sequence

import numpy as np

from ..cards import PRINTED_SEATS, PRINTED_STRAINS, UNKNOWN, DealError, Seat, Strain, Tag, shorten
from .auction import parse_count
from .pbn_lines import parted
from .records import Table

RESULT_TABLE = "OptimumResultTable"
DIGITS = "DoubleDummyTricks"
ABILITY = "Ability"
_EXACT = "; every 1 is a result"
_HEADER = r"Declarer;Denomination\2R;Result\2R"
_COLUMNS = ("declarer", "denomination", "result")
_COLUMN = re.compile(r"[+-]?(\w+)(?:\\\d+[LR]?)?", re.IGNORECASE)
_ABILITY = re.compile(
    " +".join(f"{seat}:(?P<{seat}>[0-9A-D]{{5}})" for seat in "NESW"), re.IGNORECASE
)
_LOW = frozenset(range(2, 7))
_PLAIN = {str(tricks): tricks for tricks in range(14)}
_UNKNOWN_RESULTS = ("?", "-", "*", "")


def unknown_table() -> Table:
    """Return a table of which nothing is known."""
    return np.full((5, 4), UNKNOWN, dtype=np.uint8)


def parse_result_table(tag: Tag) -> Table:
    """Read an OptimumResultTable: rows in any order, columns as its header says.

    Results that are placeholders are unknown. Raises ValueError saying which row cannot be read.
    """
    names = [found[1].lower() for found in map(_COLUMN.match, tag.value.split(";")) if found]
    if sorted(names) != sorted(set(names)) or not set(_COLUMNS) <= set(names):
        raise ValueError(f"columns {shorten(tag.value)} (expected Declarer;Denomination;Result)")
    columns = [names.index(column) for column in _COLUMNS]
    table = unknown_table()
    rows, comments = parted(tag.lines)
    for line in rows:
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
        try:
            tricks = _PLAIN[result] if result in _PLAIN else parse_count(result, 13)
        except ValueError as error:
            raise ValueError(f"row {shorten(line)}: {error}") from None
        if table[where] not in (UNKNOWN, tricks):
            raise ValueError(f"row {shorten(line)}: that result stands above as {table[where]}")
        table[where] = tricks
    return table if _EXACT in comments else _believed(table)


def remarks(tag: Tag) -> tuple[str, ...]:
    """Return the comments among the rows of a table, as lines of their own."""
    texts = [text for text in parted(tag.lines)[1] if text != _EXACT]
    closed = (text + "}" * (text[0] == "{" and text[-1] != "}") for text in texts)
    return tuple(line for text in closed for line in text.split("\n"))


def format_result_table(table: Table, comments: Sequence[str] = ()) -> Tag:
    """Write a table in the standard's order, leaving out the cells that are not known."""
    rows = tuple(
        f"{seat} {'NT' if strain is Strain.NOTRUMP else strain.letter:>2} {table[strain, seat]:>2}"
        for seat in PRINTED_SEATS
        for strain in PRINTED_STRAINS
        if table[strain, seat] != UNKNOWN
    )
    exact = () if np.array_equal(_believed(table), table) else (_EXACT,)
    return Tag(RESULT_TABLE, _HEADER, (*exact, *comments, *rows))


def _believed(table: Table) -> Table:
    """Return a table with its placeholders as unknown."""
    if not _LOW.isdisjoint(table.tobytes()):
        return table
    placeholders = (table == 1) | (table == 0).all()
    return np.where(placeholders, np.uint8(UNKNOWN), table)


def parse_digits(text: str) -> Table:
    """Read DoubleDummyTricks: N S E W, in each NT S H D C, a hexadecimal digit each.

    ``F``, ``-`` and ``*`` stand for a result that is not known, as placeholders do. Raises
    ValueError when ``text`` is not twenty such digits.
    """
    digits = re.sub(r"\s", "", text).upper()
    if wrong := re.search(r"[^0-9A-DF*-]", digits):
        raise ValueError(f"{shorten(text)}: {wrong[0]!r} (expected a digit 0 to D, F, - or *)")
    if len(digits) != 20:
        raise ValueError(f"{shorten(text)}: {len(digits)} digits (expected 20)")
    return _believed(_of_digits(digits, PRINTED_SEATS))


def parse_ability(text: str) -> Table:
    """Read Deep Finesse's Ability, ``N:34425 E:A98B7 …``: a hexadecimal digit for NT S H D C each.

    One program writes the next seat's first digit as the last of each, and so every digit of three
    seats in the wrong place. Raises ValueError for that, and when ``text`` is not such.
    """
    seats = _ABILITY.fullmatch(text.strip())
    if seats is None:
        raise ValueError(f"{shorten(text)} (expected such as N:34425 E:A98B7 S:34425 W:A98B7)")
    digits = [seats[name].upper() for name in "NESW"]
    if all(digits[i][4] == digits[i + 1][0] for i in range(3)):
        raise ValueError(
            f"{shorten(text)}: each seat begins with the digit that the last ends with"
        )
    return _believed(_of_digits("".join(digits), tuple(Seat)))


def _of_digits(digits: str, seats: Sequence[Seat]) -> Table:
    """Return the table of hexadecimal digits, for the seats NT S H D C each."""
    table = unknown_table()
    for i, digit in enumerate(digits):
        if digit not in "F*-":
            table[PRINTED_STRAINS[i % 5], seats[i // 5]] = int(digit, 16)
    return table


def format_digits(table: Table) -> str:
    """Write DoubleDummyTricks; ``-`` stands for a result that is not known."""
    cells = [table[strain, seat] for seat in PRINTED_SEATS for strain in PRINTED_STRAINS]
    return "".join("-" if cell == UNKNOWN else f"{cell:x}" for cell in cells)


def disagreements(one: Table, other: Table) -> int:
    """Count the cells that both tables know and give differently."""
    return int(np.count_nonzero((one != other) & (one != UNKNOWN) & (other != UNKNOWN)))
