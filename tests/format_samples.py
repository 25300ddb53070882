"""Three solved deals, and every array format written card by card, by another route than ours.

Nothing of ``trickcast.formats`` is used here, so that a reader and its writer cannot share a
mistake. The deals: the example board of the BridgeHand2Vec paper with its printed tricks, and two
random deals solved by DDS.
"""

import io
import json
import sqlite3
import struct
from itertools import product
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from trickcast.cards import DealSet

SEATS = "NESW"
STRAINS = "SHDCN"
RANKS = "AKQJT98765432"
DECK = [suit + rank for suit, rank in product("SHDC", RANKS)]

DEALS = (
    "A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98",
    "6543.QJ3.J76.J85 KQT2.AK7.Q9542.6 AJ7.8542.3.AKQT9 98.T96.AKT8.7432",
    "QT.432.AQ9742.63 KJ764.T8.T85.KT5 A85.AJ9.KJ.QJ842 932.KQ765.63.A97",
)
"""Hands of N E S W."""
TABLES = tuple(
    dict(zip("SHDCN", rows, strict=True))
    for rows in (
        ((7, 6, 7, 6), (10, 3, 10, 3), (6, 7, 6, 7), (9, 3, 9, 4), (8, 3, 8, 3)),
        ((5, 7, 5, 7), (6, 6, 6, 6), (2, 11, 2, 11), (7, 6, 7, 6), (6, 7, 6, 7)),
        ((5, 8, 5, 7), (5, 7, 5, 7), (8, 4, 8, 4), (7, 6, 7, 6), (8, 5, 8, 5)),
    )
)
"""Declarers N E S W of each strain."""
PAVLICEK = "J873.J42.Q65.KT2 AT652.A976.AJ82. Q4.85.KT9.A87643 K9.KQT3.743.QJ95"
"""The first deal of his file, by the README of dealerv2."""


def owner(deal: str, card: str) -> str:
    """The seat that holds a card such as SA."""
    for seat, hand in zip(SEATS, deal.split(), strict=True):
        if card[1] in hand.split(".")["SHDC".index(card[0])]:
            return seat
    raise AssertionError(f"nobody holds {card} in {deal}")


def truth() -> DealSet:
    """The sample as the package holds it."""
    owners = [[SEATS.index(owner(deal, card)) for card in DECK] for deal in DEALS]
    tricks = [[table[strain] for strain in STRAINS] for table in TABLES]
    return DealSet(np.array(owners, dtype=np.uint8), np.array(tricks, dtype=np.uint8))


def zrd(deals=DEALS, tables=TABLES) -> bytes:
    records = b""
    for deal, table in zip(deals, tables, strict=True):
        number = 0
        for place, card in enumerate(DECK):
            number |= "WNES".index(owner(deal, card)) << 2 * place
        cells = [table[strain][SEATS.index(seat)] for strain in "NSHDC" for seat in "WNES"]
        for place, count in enumerate(cells):
            number |= count << 104 + 4 * place
        records += number.to_bytes(23, "little")
    return records


def north_south(table: dict[str, tuple[int, ...]], strain: str, leader: str) -> int:
    """Tricks of North-South when ``leader`` leads, that is when the seat on its right declares."""
    declarer = SEATS.index(leader) - 1
    tricks = table[strain][declarer]
    return tricks if leader in "EW" else 13 - tricks


def gib() -> bytes:
    lines = []
    for deal, table in zip(DEALS, TABLES, strict=True):
        north, east, south, west = deal.split()
        digits = [f"{north_south(table, s, leader):X}" for s in "NSHDC" for leader in "SENW"]
        lines.append(f"{west} {north} {east} {south}:{''.join(digits)}\n")
    return "".join(lines).encode()


def gib_binary(order: str = "<") -> bytes:
    records = b""
    for deal, table in zip(DEALS, TABLES, strict=True):
        for suit in "SHDC":
            codes = ["WNES".index(owner(deal, suit + rank)) for rank in RANKS]
            records += struct.pack(f"{order}I", sum(c << 2 * i for i, c in enumerate(codes)))
        for strain in "NSHDC":
            counts = [north_south(table, strain, leader) for leader in "WNES"]
            records += struct.pack(f"{order}H", sum(c << 4 * i for i, c in enumerate(counts)))
    return records


def csv() -> bytes:
    lines = [",".join(["deal", *(f"{s}_{d}" for s in STRAINS for d in SEATS)])]
    for deal, table in zip(DEALS, TABLES, strict=True):
        lines.append(",".join([f"N:{deal}", *(str(n) for s in STRAINS for n in table[s])]))
    return "".join(line + "\n" for line in lines).encode()


def parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, list[object]] = {"deal": [f"N:{deal}" for deal in DEALS]}
    for strain, (i, seat) in product(STRAINS, enumerate(SEATS)):
        columns[f"{strain}_{seat}"] = [table[strain][i] for table in TABLES]
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def jps(folder: Path, records: list[str] | None = None) -> bytes:
    if records is None:
        records = []
        for deal, table in zip(DEALS, TABLES, strict=True):
            results = [n for strain in "CDHSN" for n in table[strain]]
            records.append(json.dumps({"pbn": f'[Deal "N:{deal}"]', "ddt": results}))
    path = folder / "sample.db"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE records (idx INTEGER, info TEXT)")
    connection.executemany("INSERT INTO records VALUES (?, ?)", enumerate(records))
    connection.commit()
    connection.close()
    return path.read_bytes()


def pgx_numbers() -> np.ndarray:
    keys, values = [], []
    for deal, table in zip(DEALS, TABLES, strict=True):
        digits = [
            "".join(str(SEATS.index(owner(deal, suit + rank))) for rank in "A23456789TJQK")
            for suit in "SHDC"
        ]
        keys.append([int(text, 4) for text in digits])
        values.append([int("".join(f"{table[s][i]:x}" for s in "CDHSN"), 16) for i in range(4)])
    return np.array([keys, values], dtype=np.int32)


def pgx() -> bytes:
    numbers = pgx_numbers()
    header = str({"descr": "<i4", "fortran_order": False, "shape": numbers.shape}).encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + numbers.tobytes()


def dds_list() -> bytes:
    lines = [f"NUMBER {len(DEALS)} "]
    for i, (deal, table) in enumerate(zip(DEALS, TABLES, strict=True)):
        lines += [f'PBN {i} {i} 4 {(i + 1) % 4} "N:{deal}" ', "FUT 1 0 14 0 5 "]
        lines += ["TABLE " + " ".join(str(n) for s in STRAINS for n in table[s]) + " "]
        lines += ['PAR "NS 90" "EW -90" "NS:NS 1N" "EW:NS 1N" ', 'PAR2 "90" "1N-NS" ']
        lines += [f'PLAY {i} "{"SAS5"[: 2 * i]}" ', "TRACE 1 5 "]
    return "".join(line + "\n" for line in lines).encode()


def hand2vec() -> bytes:
    names = [f"{seat}{strain}" for seat in "NS" for strain in ("C", "D", "H", "S", "NT")]
    lines = [f";N;S;{';'.join(names)}"]
    for i, deal in enumerate(DEALS):
        north, _, south, _ = deal.split()
        lines.append(f"{i};{north};{south};" + ";".join(f"{k + i / 10:.1f}" for k in range(10)))
    return "".join(line + "\n" for line in lines).encode()


@st.composite
def deal_sets(draw: st.DrawFn, unknown: bool = False, most: int = 6) -> DealSet:
    """Random deals with random tables; with ``unknown`` some cells, or all, are not known."""
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    owners = rng.permuted(np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (n, 1)), axis=1)
    tricks = rng.integers(0, 14, (n, 5, 4), dtype=np.uint8)
    if unknown:
        tricks[rng.random((n, 5, 4)) < draw(st.sampled_from((0, 0.1, 0.9, 1)))] = 255
    return DealSet(owners, tricks)


class Pipe(io.RawIOBase):
    """A stream that cannot seek and gives a few bytes at a time."""

    def __init__(self, data: bytes = b""):
        self.data = data

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer) -> int:
        part, self.data = self.data[:7], self.data[7:]
        part, self.data = part[: len(buffer)], part[len(buffer) :] + self.data
        buffer[: len(part)] = part
        return len(part)

    def write(self, data) -> int:
        self.data += bytes(data)
        return len(data)


def read_bytes(form, data: bytes, chunk: int = 1 << 16) -> DealSet:
    """Read bytes that are called "sample" in messages."""
    return DealSet.concatenate(form.read(io.BytesIO(data), "sample", chunk))


def write_bytes(form, *sets: DealSet) -> bytes:
    stream = io.BytesIO()
    form.write(stream, sets)
    return stream.getvalue()
