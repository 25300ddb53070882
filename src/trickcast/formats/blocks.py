"""What the array formats share: reading a stream piece by piece, and one check before writing."""

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Seat, Strain
from .base import FormatError

LONGEST_LINE = 1 << 16
"""Bytes: no line of any format here comes near it, so a longer one is another kind of file."""


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
    stream: BinaryIO, name: str, record: int, chunk: int
) -> Iterator[tuple[int, bytes]]:
    """Yield (index of the first record, bytes) for blocks of at most ``chunk`` whole records.

    Raises FormatError for an empty stream and for a last record that is cut short, the latter
    after the whole records before it.
    """
    first = 0
    while block := read_block(stream, chunk * record):
        whole = len(block) // record
        if whole:
            yield first, block[: whole * record]
        first += whole
        if extra := len(block) % record:
            raise FormatError(
                f"{name}: byte {first * record} (record {first}): only {extra} bytes are left "
                f"(expected a whole record of {record})"
            )
    if not first:
        raise FormatError(f"{name}: byte 0: the file is empty (expected {record} bytes a deal)")


def read_lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its ending) for the lines of a text file.

    Raises FormatError for a line that is not UTF-8 text or longer than any of these formats has.
    """
    number = 0
    while raw := stream.readline(LONGEST_LINE + 1):
        number += 1
        yield number, decode_line(raw, name, number)


def decode_line(raw: bytes, name: str, number: int) -> str:
    """Return a line as text without its ending, or raise FormatError."""
    if len(raw) > LONGEST_LINE:
        raise FormatError(
            f"{name}: line {number}: longer than {LONGEST_LINE} bytes (expected a line a deal)"
        )
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name}: line {number}, column {error.start + 1}: byte 0x{raw[error.start]:02x} "
            "(expected text)"
        ) from None
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
    """Raise FormatError naming the first deal with a result that the format cannot hold."""
    if not tricks.size or tricks.max() <= 13:
        return
    row, strain, declarer = np.argwhere(tricks > 13)[0]
    found = tricks[row, strain, declarer]
    what = "is not known" if found == UNKNOWN else f"is {found}"
    raise FormatError(
        f"deal {first + row}: the result of {Strain(strain)} by {Seat(declarer)} {what}, and "
        f"{format_name} holds only deals with all twenty results "
        "(solve them first: trickcast convert IN OUT --solve)"
    )
