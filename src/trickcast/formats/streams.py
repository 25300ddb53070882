"""The bytes of a file: unpacked and recoded, by blocks and by lines, or as a file on disk.

``opened`` undoes gzip and UTF-16 for any format, and ``lines_ended`` converts the line ends
of old Macintoshes; ``zipped`` compresses.
"""

import codecs
import gzip
import io
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO, cast

from .._files import peek
from .format import FormatError, Notices, Reading, raised_by

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP_SUFFIX = ".gz"
_GZIP = b"\x1f\x8b\x08"
_BLOCK = 1 << 16
_SEEN = 64
"""Number of bytes that show whether text is UTF-16."""


def opened(
    stream: BinaryIO,
    reading: Reading,
    path: str = "",
    enough: Callable[[bytes], bool] | None = None,
) -> tuple[bytes, BinaryIO, str]:
    """Return the first bytes of a file's content, all of it, and the suffix that gives its format.

    ``path`` is empty for a stream without a name. From a pipe it reads no more than is
    ``enough`` to detect the format. Raises FormatError for an empty file, and for
    a ``.gz`` file that is not gzip. Later reads raise it if compressed data
    is damaged, or larger than ``reading.limits.unpacked`` allows.
    """
    suffix = PurePath(path).suffix
    head, stream = peek(stream, enough)
    if head.startswith(_GZIP):
        head, stream = peek(_stream_of(_unzipped(stream, reading)))
        suffix = inner_suffix(path)
    elif head and suffix.lower() == GZIP_SUFFIX:
        raise reading.error("byte 0", f"not a gzip file (expected one, as {suffix} says)")
    if encoding := _utf_16(head):
        head, stream = peek(_stream_of(_recoded(stream, encoding, reading)))
    if not head:
        raise reading.error("", f"the file is empty (expected {reading.of}s)")
    return head, stream, suffix


def checked_stream(stream: BinaryIO) -> BinaryIO:
    """Return a stream. Raises TypeError if it is of text, or something else."""
    if isinstance(stream, io.TextIOBase):
        raise TypeError("the file is open as text (expected its path, or open(path, 'rb'))")
    if not hasattr(stream, "read"):
        kind = type(stream).__name__
        raise TypeError(f"{kind} is not a file (expected a path or a stream of bytes)")
    return stream


def inner_suffix(path: str) -> str:
    """Return the suffix that gives a file's format: ``.pbn`` for ``deals.pbn.gz``."""
    pure = PurePath(path)
    return (pure.with_suffix("") if _is_zipped(pure) else pure).suffix


@contextmanager
def zipped(file: BinaryIO, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a file to write to: it is gzipped, with reproducible bytes, for ``.gz``."""
    if not _is_zipped(PurePath(path)):
        yield file
        return
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        yield cast(BinaryIO, packed)


def _is_zipped(path: PurePath) -> bool:
    return path.suffix.lower() == GZIP_SUFFIX


def lines_ended(head: bytes, stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """Return the first bytes and all of a text, with line ends of CR alone replaced by LF."""
    if b"\r" not in head or b"\n" in head:
        return head, stream
    blocks = iter(lambda: stream.read(_BLOCK), b"")
    return peek(_stream_of(block.replace(b"\r", b"\n") for block in blocks))


def _utf_16(head: bytes) -> str | None:
    """Return the encoding's name if the text is UTF-16: half of its bytes are zero."""
    for encoding, mark, high in (
        ("utf-16-le", codecs.BOM_UTF16_LE, 1),
        ("utf-16-be", codecs.BOM_UTF16_BE, 0),
    ):
        marked = head.startswith(mark)
        seen = head[2 * marked : 2 * marked + _SEEN]
        noughts, others = seen[high::2], seen[1 - high :: 2]
        if marked and 2 * noughts.count(0) > len(noughts):
            return encoding
        text = all(byte in b"\t\r\n" or byte >= 32 for byte in others)
        if len(noughts) > 8 and noughts.count(0) == len(noughts) and text:
            return encoding
    return None


def _unzipped(stream: BinaryIO, reading: Reading) -> Iterator[bytes]:
    """Yield the content of gzip members, one after the other."""
    packed = unpacked = 0
    member, begun = zlib.decompressobj(wbits=31), False
    while block := stream.read(_BLOCK):
        if packed and not begun:  # padding after a member, as within its last block
            block = block.lstrip(b"\0")
        packed += len(block)
        pending = False  # whether the member has more to give
        while block or pending:
            try:
                part = member.decompress(block, _BLOCK)
            except zlib.error as error:
                raise reading.error(f"byte {packed}", f"{error} (expected gzip)") from None
            unpacked += len(part)
            if unpacked > reading.limits.unpacked_from(packed):
                raise reading.error(
                    f"byte {packed}", f"unpacks to {unpacked:,} bytes ({raised_by('unpacked')})"
                )
            yield part
            begun = not member.eof
            pending = begun and len(part) == _BLOCK
            block = member.unconsumed_tail
            if member.eof:
                block = member.unused_data.lstrip(b"\0")
                member = zlib.decompressobj(wbits=31)
    if begun:
        raise reading.error(f"byte {packed}", "the file ends (expected the rest of its gzip data)")


def _recoded(stream: BinaryIO, encoding: str, reading: Reading) -> Iterator[bytes]:
    """Yield UTF-16 text as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    size = 0
    while block := stream.read(_BLOCK):
        try:
            yield decoder.decode(block).encode()
        except UnicodeDecodeError as error:
            place = f"byte {size + error.start}"
            raise reading.error(place, f"{error.reason} (expected UTF-16 text)") from None
        size += len(block)
    if decoder.getstate()[0]:
        raise reading.error(f"byte {size}", "the file ends in the middle of a UTF-16 character")


def _stream_of(parts: Iterator[bytes]) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_PieceStream(parts), _BLOCK))


class _PieceStream(io.RawIOBase):
    """Bytes produced piece by piece, as a stream."""

    def __init__(self, parts: Iterator[bytes]):
        self._parts = parts
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        while not self._left:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._left = memoryview(part)
        size = min(len(view), len(self._left))
        view[:size], self._left = self._left[:size], self._left[size:]
        return size


_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_ODDEST = 50
"""Text has at most one control character in so many bytes; random bytes have one in ten."""


def is_text(head: bytes) -> bool:
    """Return whether a file that begins so is text; a few control characters may be damage."""
    return _ODDEST * len(_CONTROL.findall(head)) <= len(head)


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


def text_lines(stream: BinaryIO, reading: Reading, limit: str) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, bytes) for the lines of a file, refusing endless ones.

    ``limit`` names the field of ``reading.limits`` that applies to a line.
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
    """Return the error for a line that is too long for deals."""
    longest = f"{getattr(reading.limits, limit):,} bytes"
    return reading.error(f"line {number}", f"longer than {longest} ({raised_by(limit)})")


def read_lines(
    stream: BinaryIO, reading: Reading, *, latin_1: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its ending) for the lines of a text file.

    Refuses a line that is longer than any of these formats has, and one that is not UTF-8 text.
    With ``latin_1`` that is read as ISO 8859-1 (for files with names of people), and noted.
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
        if not latin_1 or _CONTROL.search(raw):  # not text at all
            raise reading.error(
                f"line {number}, column {error.start + 1}",
                f"byte 0x{raw[error.start]:02x} (expected text)",
            ) from None
        text = as_latin_1(error, reading, number)
    return text.rstrip("\r\n")


def as_latin_1(error: UnicodeDecodeError, reading: Reading, number: int) -> str:
    """Return text that is not UTF-8 as if it were ISO 8859-1; a warning says so once per file."""
    if reading.first_time("ISO 8859-1"):
        Notices(reading.name).add("", f"line {number}",
            f"byte 0x{error.object[error.start]:02x} is not UTF-8: such text is read as "
            "ISO 8859-1 (convert the file to UTF-8 if letters are wrong)")  # fmt: skip
    return error.object.decode("iso-8859-1")


@contextmanager
def on_disk(stream: BinaryIO) -> Iterator[Path]:
    """Yield a file with the rest of the stream, for formats that need to seek or to map.

    It is the stream's own file if read from its beginning, else a temporary copy.
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
