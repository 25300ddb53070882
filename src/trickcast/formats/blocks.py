"""What the array formats share: reading a stream piece by piece, and one check before writing."""

import codecs
import io
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealSet, Seat, Strain, counted
from .base import FormatError, Reading, raised_by

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read_block(stream: BinaryIO, size: int) -> bytes:
    """Return the next ``size`` bytes, fewer only at the end of the stream (a pipe gives less)."""
    block = stream.read(size) or b""
    if len(block) in (0, size):
        return block
    parts, missing = [block], size - len(block)
    while missing and (block := stream.read(missing)):
        parts.append(block)
        missing -= len(block)
    return b"".join(parts)


def read_records(
    stream: BinaryIO, reading: Reading, record: int, chunk: int
) -> Iterator[tuple[int, bytes]]:
    """Yield (index of the first record, bytes) for blocks of at most ``chunk`` whole records.

    Refuses a last record that is cut short, after the whole records before it. Raises FormatError
    for an empty stream.
    """
    first = extra = 0
    while block := read_block(stream, chunk * record):
        whole = len(block) // record
        if whole:
            yield first, block[: whole * record]
        first += whole
        if extra := len(block) % record:
            reading.refuse(
                reading.error(
                    f"byte {first * record} (record {first})",
                    f"only {counted(extra, 'byte')} left (expected a whole record of {record})",
                )
            )
    if not first and not extra:
        raise reading.error("byte 0", f"the file is empty (expected {record} bytes a deal)")


def salvaged(
    read: Callable[[int, int], DealSet], count: int, reading: Reading
) -> Iterator[DealSet]:
    """Yield the deals ``read(start, end)`` of ``count`` rows: all at once where all are deals.

    Otherwise fewer are tried, and more again after each success, so that a few bad rows among many
    cost little; those that are no deals are refused one by one.
    """
    start, size = 0, count
    while start < count:
        end = min(start + size, count)
        try:
            deals = read(start, end)
        except FormatError as error:
            if size > 1 and reading.lenient:
                size = max(1, min(size, count - start) // 8)
                continue
            reading.refuse(error)
        else:
            yield deals
            size *= 2
        start = end


def rechunked(sets: Iterable[DealSet], chunk: int) -> Iterator[DealSet]:
    """Join sets of deals and cut them into sets of ``chunk``, the last of which may be smaller."""
    held, count = list[DealSet](), 0
    try:
        for deals in sets:
            held.append(deals)
            count += len(deals)
            while count >= chunk:
                joined = DealSet.concatenate(held)
                yield joined[:chunk]
                held, count = [joined[chunk:]], count - chunk
    except FormatError:
        if count:
            yield DealSet.concatenate(held)
        raise
    if count:
        yield DealSet.concatenate(held)


def text_lines(stream: BinaryIO, reading: Reading, limit: str) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, bytes) for the lines of a file, refusing those without end.

    ``limit`` names the one of ``reading.limits`` that a line may not pass.
    """
    longest, number = getattr(reading.limits, limit), 0
    while raw := stream.readline(longest + 1):
        number += 1
        if len(raw) > longest:
            reading.refuse(too_long(reading, number, limit))
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(longest)
            continue
        yield number, raw


def too_long(reading: Reading, number: int, limit: str) -> FormatError:
    """Return the error of a line that is longer than any of deals."""
    longest = f"{getattr(reading.limits, limit):,} bytes"
    return reading.error(f"line {number}", f"longer than {longest} ({raised_by(limit)})")


def read_lines(
    stream: BinaryIO, reading: Reading, *, latin_1: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its ending) for the lines of a text file.

    Refuses a line that is longer than any of these formats has, and one that is not UTF-8 text,
    which is read as ISO 8859-1 where ``latin_1`` (files with names of people may be so).
    """
    for number, raw in text_lines(stream, reading, "row"):
        try:
            text = decode_line(raw, reading, number, latin_1=latin_1)
        except FormatError as error:
            reading.refuse(error)
            continue
        yield number, text


def decode_line(raw: bytes, reading: Reading, number: int, *, latin_1: bool = False) -> str:
    """Return a line as text without its ending, or raise FormatError."""
    if len(raw) > reading.limits.row:
        raise too_long(reading, number, "row")
    if number == 1:
        raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if not latin_1 or _CONTROL.search(raw):  # no text at all
            raise reading.error(
                f"line {number}, column {error.start + 1}",
                f"byte 0x{raw[error.start]:02x} (expected text)",
            ) from None
        text = raw.decode("iso-8859-1")
    return text.rstrip("\r\n")


@contextmanager
def on_disk(stream: BinaryIO) -> Iterator[Path]:
    """Give a file holding what is left of the stream, for formats that need to seek or to map.

    It is the stream's own file when it reads one from its beginning, else a temporary copy.
    """
    raw = getattr(stream, "raw", stream)
    if isinstance(raw, io.FileIO) and isinstance(raw.name, str) and Path(raw.name).is_file():
        same = os.path.samestat(os.fstat(raw.fileno()), Path(raw.name).stat())
        if same and stream.tell() == 0:
            yield Path(raw.name)
            return
    with tempfile.TemporaryDirectory(prefix="trickcast-") as folder:
        copy = Path(folder) / "copy"
        with copy.open("wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
        yield copy


def require_solved(tricks: NDArray[np.uint8], format_name: str, first: int) -> None:
    """Raise FormatError naming the first deal with a result that the format cannot hold.

    ``first`` is how many deals there are before these.
    """
    if not tricks.size or tricks.max() <= 13:
        return
    row, strain, declarer = np.argwhere(tricks > 13)[0]
    found = tricks[row, strain, declarer]
    what = "is not known" if found == UNKNOWN else f"is {found}"
    raise FormatError(
        f"deal {first + row + 1}: the result of {Strain(strain)} by {Seat(declarer)} {what}, and "
        f"{format_name} holds only deals with all twenty results "
        "(solve them first: trickcast.solve(deals), or --solve)"
    )
