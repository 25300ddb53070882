"""Write files whole or not at all, and look at the beginning of streams."""

import errno
import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_TOKEN_BYTES = 8
HEAD_BYTES = 8192
"""How much of a stream is looked at to recognise its format."""


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open ``path`` for writing: it then holds all that was written, or what it held before.

    The bytes go to a temporary file in the same folder. It replaces the target when the ``with``
    block ends, and is removed if the block fails, also by KeyboardInterrupt. A target that exists
    and is not a regular file (a pipe, ``/dev/stdout``) is written to directly. Raises OSError,
    naming the target.
    """
    mode = _mode(Path(path))
    if mode is not None and not stat.S_ISREG(mode):
        try:
            with Path(path).open("wb") as stream:
                yield stream
        except OSError as error:
            _name(error, path)
            raise
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = _temporary(target)
    try:
        opened = temporary.open("xb")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with opened as stream:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            _name(error, path, temporary)
        raise


def _name(
    error: OSError, path: str | os.PathLike[str], temporary: str | os.PathLike[str] = ""
) -> None:
    """Make an error name the target, unless it names another file or has only its own text."""
    if error.errno is not None and error.filename in (None, str(temporary)):
        error.filename = str(path)
        del error.filename2  # where the temporary file was to go


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise the OSError, naming the path, with which ``atomic_writer`` would refuse it."""
    mode = _mode(Path(path))
    if mode is None or stat.S_ISREG(mode):
        temporary = _temporary(Path(os.path.realpath(path)))
        try:
            temporary.open("xb").close()
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from None
        temporary.unlink()
    elif stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def read_json(data: str | bytes) -> Any:
    """Parse JSON. Raises ValueError for invalid JSON of any kind."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("brackets nested too deep for JSON") from None


def is_temporary(path: Path) -> bool:
    """Return whether a file has a name that ``atomic_writer`` gives to unfinished files."""
    return re.fullmatch(rf"\.[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.tmp", path.name) is not None


def _temporary(target: Path) -> Path:
    return target.with_name(f".{os.urandom(_TOKEN_BYTES).hex()}.tmp")


def _mode(target: Path) -> int | None:
    """Return the mode of an existing file that may be written to; None if there is none."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(mode):
        with target.open("r+b"):  # replacing a file does not check that it may be written to
            pass
    return mode


def peek(stream: BinaryIO, enough: Callable[[bytes], bool] | None = None) -> tuple[bytes, BinaryIO]:
    """Return the first ``HEAD_BYTES`` of a stream (fewer at its end), and the whole stream.

    If a stream cannot seek, what was read is chained to the rest, and reading stops as soon as
    ``enough`` says so.
    """
    take = getattr(stream, "read1", stream.read)
    head = b""
    while len(head) < HEAD_BYTES and (part := take(HEAD_BYTES - len(head))):
        head += part
        if enough is not None and not stream.seekable() and enough(head):
            break
    if stream.seekable():
        stream.seek(-len(head), os.SEEK_CUR)
        return head, stream
    return head, cast(BinaryIO, io.BufferedReader(_Chained(head, stream), 1 << 16))


class _Chained(io.RawIOBase):
    """Bytes already taken from a stream, then the rest of it."""

    def __init__(self, head: bytes, rest: BinaryIO):
        self._head = head
        self._take = getattr(rest, "read1", rest.read)  # what is there, without waiting for more

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        if self._head:
            part, self._head = self._head[: len(view)], self._head[len(view) :]
        else:
            part = self._take(len(view))
        view[: len(part)] = part
        return len(part)


def note_checksum(path: Path) -> None:
    """Write a file's line in the ``SHA256SUMS`` of its folder, replacing an earlier one."""
    sums = path.with_name("SHA256SUMS")
    lines = sums.read_text("utf-8").splitlines() if sums.exists() else []
    lines = [line for line in lines if not line.endswith(f"  {path.name}")]
    lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    lines.sort(key=lambda line: line.split("  ", 1)[1])  # by name
    with atomic_writer(sums) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
