"""Time and memory of the readers on hostile files: each pattern at eleven sizes, each doubled.

Each reading runs in a process of its own, and leniently, so that no first error ends it. The
processor time of a linear reader grows no faster than the file. The last column is the exponent of
its growth over the last doublings, 1 for linear and 2 for quadratic (small if the file is refused
early).
"""

import argparse
import gzip
import io
import json
import math
import multiprocessing
import resource
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
TAG = f'[Deal "{DEAL}"]\n'
MD = "md|3SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|"
GIB = "T87632.4.A65.Q98 A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654\n"
VIEWER = "https://www.bridgebase.com/tools/handviewer.html?"
SECONDS = 600


def filled(head: str, unit: str, tail: str = "") -> Callable[[int], bytes]:
    """Return a maker of files of a given size: one beginning, repeated units, one end."""

    def make(size: int) -> bytes:
        times = max(1, (size - len(head) - len(tail)) // len(unit))
        return (head + unit * times + tail).encode()

    return make


def counted(head: str, unit: str) -> Callable[[int], bytes]:
    """Return a maker like that of ``filled``, with a number in each unit."""

    def make(size: int) -> bytes:
        return (head + "".join(unit % i for i in range(size // (len(unit) + 3)))).encode()

    return make


def parquet_of_equal_rows(size: int) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()).take([0] * size), [DEAL])
    file = io.BytesIO()
    pq.write_table(pa.table({"deal": rows}), file, compression="zstd")
    return file.getvalue()


def parquet_of_a_long_cell(size: int) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), ["A" * size])
    file = io.BytesIO()
    pq.write_table(pa.table({"deal": rows}), file, compression="zstd")
    return file.getvalue()


def database(script: str) -> Callable[[int], bytes]:
    """Return a maker of SQLite files; ``script`` (with the size as %d) creates ``records``."""

    def make(size: int) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.db"
            connection = sqlite3.connect(path)
            connection.executescript(script % size)
            connection.commit()
            connection.close()
            return path.read_bytes()

    return make


def npy_of_deep_header(size: int) -> bytes:
    header = b"(" * min(size, 60_000) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


# fmt: off
PATTERNS: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "PBN: a long Note": ("pbn", filled(f'{TAG}[Auction "N"]\nAP\n[Note "1:a', " ", 'b"]\n')),
    "PBN: AP again and again": ("pbn", filled(f'{TAG}[Auction "N"]\n', "AP\n")),
    "PBN: calls without end": ("pbn", filled(f'{TAG}[Auction "N"]\n', "1C\n")),
    "PBN: notes in an auction": ("pbn", filled(f'{TAG}[Auction "N"]\n1C ', "=1=\n")),
    "PBN: braces in an auction": ("pbn", filled(f'{TAG}[Auction "N"]\n', '"{{{{\n')),
    "PBN: many Auctions": ("pbn", filled(TAG, '[Auction "N"]\n')),
    "PBN: other tags, then Auctions": ("pbn", lambda n: counted(TAG, '[T%d ""]\n')(n // 2)
                                       + filled("", '[Auction "N"]\n')(n // 2)),
    "PBN: tags on one line": ("pbn", filled(TAG, '[A "b"] ')),
    "PBN: comments on one line": ("pbn", filled(TAG, "{} ")),
    "PBN: open quotes": ("pbn", filled(TAG, '[A "\n')),
    "PBN: blank lines": ("pbn", filled(TAG, "\n")),
    "PBN: blank lines in a board": ("pbn", counted(TAG, '[T%d ""]\n\n')),
    "PBN: blocks without a deal": ("pbn", counted(f"{TAG}\n", '[Board "%d"]\n\n')),
    "PBN: values of the board before": ("pbn", filled(TAG, '[Event "#"]\n')),
    "PBN: bad deals": ("pbn", filled(TAG, '[Deal "N:A"]\n')),
    "PBN: a long deal": ("pbn", filled(f'{TAG}[Deal "N:', "A ", '"]\n')),
    "PBN: a deal without end": ("pbn", filled(f'{TAG}[Deal "N:A.', " ", "\n")),
    "PBN: quotes of a writer": ("pbn", filled(f"{TAG}[Deal ", "' ", "\n")),
    "PBN: rows of a table": ("pbn", filled(f'{TAG}[OptimumResultTable "Declarer;Denomination;'
                                           'Result"]\n', "N NT 1\n")),
    "PBN: cards": ("pbn", filled(f'{TAG}[Contract "1C"]\n[Declarer "W"]\n[Play "N"]\n', "SA ")),
    "LIN: doubles in one value": ("lin", filled(f"{MD}mb|", "X", "?q|")),
    "LIN: redoubles in one value": ("lin", filled(f"{MD}mb|", "RDBL", "?q|")),
    "LIN: calls": ("lin", filled(MD, "mb|p|")),
    "LIN: blanks in a heading": ("lin", filled(f"{MD}ah|Board", " ", "x|")),
    "LIN: cards": ("lin", filled(MD, "pc|SA|")),
    "LIN: explanations": ("lin", filled(f"{MD}mb|1C|", "an|x|")),
    "LIN: names": ("lin", filled(MD, "pn|a,b,c,d|")),
    "LIN: bars": ("lin", filled(MD, "|")),
    "LIN: bad deals": ("lin", filled(MD, "md|3SA,|")),
    "LIN: a long hand": ("lin", filled(f"{MD}md|3S", "A", "|")),
    "GIB: blank lines": ("gib", filled(GIB, "\n")),
    "GIB: lines of blanks": ("gib", filled(GIB, " \n")),
    "GIB: short lines": ("gib", filled(GIB, "x\n")),
    "text: blank lines": ("text", filled(f"{DEAL}\n", "\n")),
    "text: short lines": ("text", filled(f"{DEAL}\n", "N:\n")),
    "CSV: columns": ("csv", filled(f"deal\n{DEAL}\n", ",")),
    "CSV: quotes": ("csv", filled(f"deal\n{DEAL}\n", '"\n')),
    "CSV: bad rows": ("csv", filled(f"deal\n{DEAL}\n", "x\n")),
    "DDS list: a number": ("dds-list", filled("NUMBER ", "9", "\n")),
    "DDS list: bad deals": ("dds-list", filled(f'NUMBER 1\nPBN 0 0 0 0 "{DEAL}"\n',
                                               'PBN 0 0 0 0 ""\n')),
    "DDS list: a long TABLE": ("dds-list", filled(f'NUMBER 1\nPBN 0 0 0 0 "{DEAL}"\nTABLE',
                                                  " 1")),
    "RBN: calls": ("rbn", filled(f"H {DEAL.replace(' ', ':')}\nA NZ:", "P")),
    "RBN: braces": ("rbn", filled(f"H {DEAL.replace(' ', ':')}\n", "{")),
    "RBN: hands": ("rbn", filled(f"H {DEAL.replace(' ', ':')}\n\n", "H N:\n\n")),
    "links: calls": ("links", filled(f"{VIEWER}n=s&a=", "p")),
    "links: parameters": ("links", filled(VIEWER, "&a=p")),
    "links: LIN": ("links", filled(f"{VIEWER}lin=", "%7C")),
    "gzip: blanks": ("pbn", lambda n: gzip.compress((TAG + (";" + " " * 999 + "\n") * n).encode())),
    "Parquet: equal rows": ("parquet", lambda n: parquet_of_equal_rows(10 * n)),
    "Parquet: a long cell": ("parquet", parquet_of_a_long_cell),
    "SQLite: an endless view": ("jps", database(
        "CREATE VIEW records AS WITH RECURSIVE t(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM t) "
        "SELECT i, i FROM t")),
    "SQLite: computed cells": ("jps", database(
        "CREATE TABLE records (i INTEGER, t GENERATED ALWAYS AS (hex(zeroblob(100 * %d))));"
        "INSERT INTO records (i) VALUES (1)")),
    "SQLite: rows without meaning": ("jps", database(
        "CREATE TABLE records (i, t); WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
        "FROM t LIMIT %d / 4) INSERT INTO records SELECT i, '{}' FROM t")),
    "npy: a deep header": ("pgx", npy_of_deep_header),
}
# fmt: on


def measure(form: str, data: bytes, answer: "multiprocessing.connection.Connection") -> None:
    """Send the seconds and additional megabytes of a reading, and how it ended."""
    from trickcast.formats import FormatError, iter_deals

    warnings.simplefilter("ignore")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()  # not affected by other programs on the machine
    ended = "read"
    try:
        for _ in iter_deals(io.BytesIO(data), form, skipped=[]):
            pass
    except FormatError as error:
        ended = str(error)
        assert len(ended) < 700, ended
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    answer.send((seconds, peak / 1024, ended))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=1 << 21, help="bytes of the largest files")
    parser.add_argument("--only", default="", help="patterns that begin so")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    import trickcast.formats  # noqa: F401  # once, before the processes start

    context = multiprocessing.get_context("fork")
    sizes = [options.largest >> shift for shift in range(10, -1, -1)]
    figures = {}
    print(f"{'pattern':<34} {'largest':>11} {'seconds':>8} {'peak MB':>8} {'growth':>7}  ended")
    for name, (form, make) in PATTERNS.items():
        if not name.startswith(options.only):
            continue
        rows = []
        for size in sizes:
            data = make(size)
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=measure, args=(form, data, theirs))
            process.start()
            if not ours.poll(SECONDS):
                process.kill()
                raise SystemExit(f"{name}: more than {SECONDS} s for {len(data):,} bytes")
            rows.append((len(data), *ours.recv()))
            process.join()
        (_, early, *_), (length, seconds, peak, ended) = rows[-4], rows[-1]
        growth = math.log2(max(seconds, 1e-3) / max(early, 1e-3)) / 3
        figures[name] = rows
        print(f"{name:<34} {length:>11,} {seconds:>8.3f} {peak:>8.1f} {growth:>7.2f}  {ended[:60]}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
