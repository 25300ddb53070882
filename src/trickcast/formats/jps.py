"""JPS (Tian, Gong and Jiang, "Joint policy search", 2020): solved deals in SQLite. Read only.

Table ``records`` has two columns: a number, and a JSON text with ``pbn``, a whole PBN Deal tag, and
``ddt``, the declarers' tricks in C D H S NT, in each declared by N E S W.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, BinaryIO

import numpy as np

from ..cards import DealSet, Strain, shorten
from .base import Format, FormatError
from .blocks import on_disk
from .handtext import read_deal_texts

_MAGIC = b"SQLite format 3\0"
_FILE_STRAINS = [Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP]
_TAG = re.compile(r'\s*\[\s*Deal\s+"([^"]*)"\s*\]\s*')


def _read(stream: BinaryIO, name: str, chunk: int) -> Iterator[DealSet]:
    """Read the records in the order of the table. Never writes to the file, nor locks it."""
    with on_disk(stream) as path:
        place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(place, uri=True)) as connection:
                cursor = connection.execute("SELECT * FROM records")
                if len(cursor.description) != 2:
                    raise FormatError(
                        f"{name}: table records has {len(cursor.description)} columns "
                        "(expected 2: a number and a JSON text)"
                    )
                first = 0
                while rows := cursor.fetchmany(chunk):
                    yield _deals_of_rows(rows, name, first)
                    first += len(rows)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter for names in a bad schema
            reason = str(error).partition("\n")[0][:120]
            raise FormatError(
                f"{name}: {reason} (expected an SQLite file with a table records)"
            ) from None


def _deals_of_rows(rows: Sequence[tuple[Any, Any]], name: str, first: int) -> DealSet:
    texts, results = [], []
    for i, (number, text) in enumerate(rows):
        where = f"{name}: record {first + i} (number {number})"
        deal, tricks = _parse(text, where)
        texts.append(deal)
        results.append(tricks)
    owners = read_deal_texts(texts, lambda i: f"{name}: record {first + i} (number {rows[i][0]})")
    tricks_of = np.empty((len(rows), 5, 4), dtype=np.uint8)
    tricks_of[:, _FILE_STRAINS] = np.array(results, dtype=np.uint8).reshape(-1, 5, 4)
    return DealSet(owners, tricks_of)


def _parse(text: Any, where: str) -> tuple[str, list[int]]:
    """Return the deal's text and the twenty results of one JSON text."""
    try:
        record = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"{where}: {error} (expected a JSON text)") from None
    if not isinstance(record, dict) or not isinstance(record.get("pbn"), str):
        raise FormatError(f"{where}: no text under 'pbn' (expected a PBN Deal tag)")
    tag = _TAG.fullmatch(record["pbn"])
    if tag is None:
        raise FormatError(f"{where}: {shorten(record['pbn'])} (expected a PBN Deal tag)")
    tricks = record.get("ddt")
    if (
        not isinstance(tricks, list)
        or len(tricks) != 20
        or not all(isinstance(count, int) and 0 <= count <= 13 for count in tricks)
    ):
        raise FormatError(
            f"{where}: 'ddt' is {shorten(str(tricks))} (expected 20 counts of 0 to 13)"
        )
    return tag[1], tricks


FORMAT = Format(
    name="jps",
    title="JPS solved deals, SQLite",
    suffixes=(".db",),
    sniff=lambda head: head.startswith(_MAGIC),
    read=_read,
)
