"""Our own tables, CSV and Parquet: a row a deal.

Column ``deal`` holds the PBN text, written from North; the columns ``S_N``, ``S_E``, ``S_S``,
``S_W``, ``H_N`` … ``N_W`` (strain S H D C N, declarer N E S W) hold the declarer's tricks, empty
(null in Parquet) where they are not known. Readers find columns by name, in any order.

Parquet needs pyarrow, which ``pip install "trickcast[data]"`` brings.
"""

import csv
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealSet, Seat, Strain, shorten
from .base import Format, FormatError, FormatWarning
from .blocks import on_disk, read_lines
from .handtext import read_deal_texts, write_deal_texts

DEAL = "deal"
TRICKS = tuple(f"{strain}_{declarer}" for strain in Strain for declarer in Seat)
"""The twenty trick columns, in the order of the cells of a tricks array."""

_COUNT = {str(n): n for n in range(14)} | dict.fromkeys(("", "NA", "NaN", "nan"), UNKNOWN)
_COUNT |= {f"{n}.0": n for n in range(14)}  # what pandas writes where other cells are empty
_BAD = 254
_TEXT = [str(n) for n in range(14)] + [""] * 242


def _places(names: Sequence[str], where: str) -> tuple[int, dict[int, int]]:
    """Return which column holds the deal, and column → cell of those that hold tricks.

    Raises FormatError when no column, or more than one, holds the deal or a cell.
    """
    found: dict[str, int] = {}
    ignored = []
    for place, name in enumerate(names):
        if name not in (DEAL, *TRICKS):
            ignored.append(name)
        elif name in found:
            raise FormatError(f"{where}: two columns {name!r} (expected one)")
        else:
            found[name] = place
    if DEAL not in found:
        raise FormatError(
            f"{where}: no column {DEAL!r} among {shorten(', '.join(names))} "
            f"(expected {DEAL} and {TRICKS[0]}, {TRICKS[1]} … {TRICKS[-1]})"
        )
    if ignored:
        warnings.warn(
            f"{where}: columns left out: {shorten(', '.join(ignored))}", FormatWarning, stacklevel=2
        )
    return found.pop(DEAL), {place: TRICKS.index(name) for name, place in found.items()}


# --- CSV ------------------------------------------------------------------------------------


def _read_csv(stream: BinaryIO, name: str, chunk: int) -> Iterator[DealSet]:
    rows = _rows(stream, name)
    line, header = next(rows, (1, []))
    if not header:
        raise FormatError(f"{name}: line 1: the file is empty (expected a header with {DEAL!r})")
    deal_place, places = _places([field.strip() for field in header], f"{name}: line {line}")
    while batch := list(islice(rows, chunk)):
        yield _deals_of_rows(batch, header, deal_place, places, name)


def _deals_of_rows(
    batch: list[tuple[int, list[str]]],
    header: list[str],
    deal_place: int,
    places: dict[int, int],
    name: str,
) -> DealSet:
    """Turn rows with their line numbers into deals; for the places see ``_places``."""
    for line, row in batch:
        if len(row) != len(header):
            raise FormatError(
                f"{name}: line {line}: {len(row)} fields (expected {len(header)}, as in the header)"
            )
    texts = [row[deal_place].strip() for _, row in batch]
    owners = read_deal_texts(texts, lambda i: f"{name}: line {batch[i][0]}")
    counts = [_COUNT.get(row[place].strip(), _BAD) for _, row in batch for place in places]
    found = np.array(counts, dtype=np.uint8).reshape(len(batch), len(places))
    for i, k in np.argwhere(found == _BAD)[:1]:
        line, row = batch[i]
        place = list(places)[k]
        raise FormatError(
            f"{name}: line {line}: {header[place].strip()} is {shorten(row[place])} "
            "(expected 0 to 13, or nothing where not known)"
        )
    return DealSet(owners, _tricks(found, list(places.values())))


def _rows(stream: BinaryIO, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of the lines that are not blank, the header first."""
    lines = read_lines(stream, name)
    number, header = next(((n, text) for n, text in lines if text.strip()), (1, ""))

    def texts() -> Iterator[str]:
        nonlocal number
        yield header
        for number, text in lines:  # noqa: B007  # csv wants the text, messages the number
            yield text

    try:
        for row in csv.reader(texts(), delimiter=max(",;\t", key=header.count), strict=True):
            if any(field.strip() for field in row):
                yield number, row
    except csv.Error as error:
        raise FormatError(
            f"{name}: line {number}: {error} (expected comma-separated values)"
        ) from None


def _tricks(found: NDArray[np.uint8], cells: list[int]) -> NDArray[np.uint8]:
    """Place (n, k) counts in the k cells of (n, 5, 4) tricks that are otherwise unknown."""
    tricks = np.full((len(found), 20), UNKNOWN, dtype=np.uint8)
    tricks[:, cells] = found
    return tricks.reshape(-1, 5, 4)


def _write_csv(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    stream.write(",".join((DEAL, *TRICKS)).encode() + b"\n")
    for deals in sets:
        tricks = deals.tricks_or_unknown.reshape(-1, 20).tolist()
        lines = [  # no field ever needs quoting
            f"{text},{','.join([_TEXT[count] for count in counts])}\n"
            for text, counts in zip(write_deal_texts(deals.owners), tricks, strict=True)
        ]
        stream.write("".join(lines).encode("ascii"))


def _sniff_csv(head: bytes) -> bool:
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    return DEAL.encode() in [field.strip(b' \r"') for field in re.split(rb"[,;\t]", first)]


# --- Parquet --------------------------------------------------------------------------------


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise FormatError(
            'Parquet needs the package pyarrow: pip install "trickcast[data]"'
        ) from None
    return pyarrow


def _read_parquet(stream: BinaryIO, name: str, chunk: int) -> Iterator[DealSet]:
    pa = _pyarrow()
    first = 0
    with on_disk(stream) as path, _damage(pa, name), pa.parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        _, places = _places(names, name)
        columns = [DEAL, *(names[place] for place in places)]
        for batch in file.iter_batches(batch_size=chunk, columns=columns):
            yield _deals_of_batch(pa, batch, name, first)
            first += len(batch)


def _deals_of_batch(pa: Any, batch: Any, name: str, first: int) -> DealSet:
    texts = batch.column(DEAL).cast(pa.string()).to_pylist()
    for i, text in enumerate(texts):
        if text is None:
            raise FormatError(f"{name}: row {first + i}: no deal (expected PBN text)")
    owners = read_deal_texts(texts, lambda i: f"{name}: row {first + i}")
    known = [column for column in batch.schema.names if column != DEAL]
    found = np.full((len(batch), len(known)), UNKNOWN, dtype=np.uint8)
    for k, column in enumerate(known):
        values = batch.column(column).cast(pa.int64())
        counts = values.fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
        wrong = ((counts < 0) | (counts > 13)) & values.is_valid().to_numpy(zero_copy_only=False)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise FormatError(
                f"{name}: row {first + row}: {column} is {counts[row]} "
                "(expected 0 to 13, or null where not known)"
            )
        found[:, k] = counts
    return DealSet(owners, _tricks(found, [TRICKS.index(column) for column in known]))


@contextmanager
def _damage(pa: Any, name: str) -> Iterator[None]:
    """Turn what pyarrow raises for a file that it cannot read into a FormatError."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # the operating system's own: pyarrow's have no number
        reason = str(error).partition("\n")[0]
        raise FormatError(f"{name}: {reason} (expected a Parquet table)") from None


def _write_parquet(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    pa = _pyarrow()
    if not stream.seekable():  # pyarrow asks where it is, which a pipe cannot tell
        with tempfile.TemporaryFile() as file:
            _write_parquet(file, sets)
            file.seek(0)
            shutil.copyfileobj(file, stream, 1 << 20)
        return
    schema = pa.schema([(DEAL, pa.string()), *((column, pa.uint8()) for column in TRICKS)])
    with pa.parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        for deals in sets:
            cells = deals.tricks_or_unknown.reshape(-1, 20)
            columns = [pa.array(write_deal_texts(deals.owners), pa.string())]
            columns += [pa.array(cell, mask=cell == UNKNOWN) for cell in cells.T.copy()]
            writer.write_batch(pa.record_batch(columns, schema=schema))


CSV = Format(
    name="csv",
    title="CSV, a row a deal",
    suffixes=(".csv",),
    sniff=_sniff_csv,
    read=_read_csv,
    write=_write_csv,
)
PARQUET = Format(
    name="parquet",
    title="Parquet, a row a deal",
    suffixes=(".parquet",),
    sniff=lambda head: head.startswith(b"PAR1"),
    read=_read_parquet,
    write=_write_parquet,
)
