"""JPS (Tian, Gong and Jiang, "Joint policy search", 2020): solved deals in SQLite. Read only.

Table ``records`` has two columns: a number, and a JSON text with ``pbn``, a complete PBN Deal tag,
and ``ddt``, declarers' tricks in C D H S NT, each declared by N E S W.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, BinaryIO

import numpy as np

from ..cards import DealSet, Strain, shorten
from .bulk import read_deal_texts
from .format import Format, Reading, raised_by
from .streams import on_disk

_MAGIC = b"SQLite format 3\0"
_FILE_STRAINS = [Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP]
_STEPS = 100_000
"""Steps of SQLite's virtual machine between two checks of the patience that is left."""
_LOOKS = 100
"""Checks without a row after which a query is ended."""
_BYTES = 1 << 26
"""Bytes of text held at a time."""
_QUOTES = "'\""
_TAG = re.compile(r'\s*\[\s*Deal\s+"([^"]*)"\s*\]\s*')


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    """Read the records in table order. Never writes to the file, nor locks it."""
    with on_disk(stream) as path:
        place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(place, uri=True)) as connection:
                connection.execute("PRAGMA trusted_schema = OFF")
                _require_table(connection, reading)
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, reading.limits.cell)
                patience = _Patience()
                connection.set_progress_handler(patience.runs_out, _STEPS)
                cursor = connection.execute("SELECT * FROM records")
                if len(cursor.description) != 2:
                    raise reading.error(
                        "",
                        f"table records has {len(cursor.description)} columns "
                        "(expected 2: a number and a JSON text)",
                    )
                first = 0
                while rows := _next_rows(cursor, chunk, patience):
                    yield _deals_of_rows(rows, reading, first)
                    first += len(rows)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter for names in a bad schema
            reason = shorten(str(error).partition("\n")[0]).strip(_QUOTES)
            expected = "expected an SQLite file with a table records"
            if "too big" in reason:
                expected = raised_by("cell")
            raise reading.error("", f"{reason} ({expected})") from None


def _require_table(connection: sqlite3.Connection, reading: Reading) -> None:
    """Raise FormatError unless ``records`` is a plain table: a view could compute forever."""
    of_name = "SELECT type, substr(sql, 1, 20) FROM sqlite_schema WHERE lower(name) = 'records'"
    for kind, sql in connection.execute(of_name):
        virtual = str(sql).upper().split()[:2] == ["CREATE", "VIRTUAL"]
        if kind != "table" or virtual:
            what = "virtual table" if virtual else kind
            raise reading.error("", f"records is a {what} (expected a table)")


class _Patience:
    """Ends a query that gives no row for a long time."""

    def __init__(self) -> None:
        self.left = _LOOKS

    def runs_out(self) -> bool:
        """Return whether to end the query."""
        self.left -= 1
        return self.left < 0


def _next_rows(cursor: sqlite3.Cursor, chunk: int, patience: _Patience) -> list[tuple[Any, Any]]:
    """Return the next rows, limited in bytes so that memory stays small."""
    rows, size = list[tuple[Any, Any]](), 0
    while len(rows) < chunk and size < _BYTES and (row := cursor.fetchone()) is not None:
        patience.left = _LOOKS
        rows.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
    return rows


def _deals_of_rows(rows: Sequence[tuple[Any, Any]], reading: Reading, first: int) -> DealSet:
    places, texts, results = list[str](), list[str](), list[list[int]]()
    for i, (number, text) in enumerate(rows):
        place = f"record {first + i} (number {shorten(str(number)).strip(_QUOTES)})"
        try:
            deal, tricks = _parse(text)
        except ValueError as error:
            reading.refuse(reading.error(place, str(error)))
            continue
        places.append(place)
        texts.append(deal)
        results.append(tricks)
    owners, good = read_deal_texts(texts, places.__getitem__, reading)
    tricks_of = np.empty((len(texts), 5, 4), dtype=np.uint8)
    tricks_of[:, _FILE_STRAINS] = np.array(results, dtype=np.uint8).reshape(-1, 5, 4)
    return DealSet(owners[good], tricks_of[good])


def _parse(text: Any) -> tuple[str, list[int]]:
    """Return the deal's text and the twenty results of a JSON text. Raises ValueError."""
    try:
        record = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{shorten(str(error))} (expected a JSON text)") from None
    if not isinstance(record, dict) or not isinstance(record.get("pbn"), str):
        raise ValueError("no text under 'pbn' (expected a PBN Deal tag)")
    tag = _TAG.fullmatch(record["pbn"])
    if tag is None:
        raise ValueError(f"{shorten(record['pbn'])} (expected a PBN Deal tag)")
    tricks = record.get("ddt")
    if (
        not isinstance(tricks, list)
        or len(tricks) != 20
        or not all(type(count) is int and 0 <= count <= 13 for count in tricks)
    ):
        raise ValueError(f"'ddt' is {shorten(repr(tricks)[:1000])} (expected 20 counts of 0 to 13)")
    return tag[1], tricks


FORMAT = Format(
    name="jps",
    title="JPS solved deals, SQLite",
    suffixes=(".db",),
    sniff=lambda head: head.startswith(_MAGIC),
    reader=_read,
    text=False,
)
