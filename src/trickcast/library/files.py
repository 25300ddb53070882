"""A library's folder on disk: reading nothing outside it, one writer at a time."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._files import is_temporary
from ..cards import shorten


class LibraryError(ValueError):
    """A library that is damaged, or a request that would damage it."""


def inside(folder: Path, file: str) -> Path:
    """Return the path of a library's file, or raise LibraryError where it leaves the folder.

    It may leave by ``..`` or by a link.
    """
    try:
        stays = (folder / file).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a name with a NUL
        raise LibraryError(f"{folder}: {shorten(file)} is no path ({error})") from None
    if not stays:
        raise LibraryError(f"{folder}: {shorten(file)} is outside the library's folder")
    return folder / file


def read_inside(folder: Path, file: str, most: int) -> bytes | None:
    """Return the bytes of a file of the library, or None where it has more than ``most``.

    Raises FileNotFoundError where there is none, and LibraryError where it cannot be read, leaves
    the folder or is not a regular file: no manifest makes us read a device, a pipe or what is not
    the library's.
    """
    path = inside(folder, file)
    # a pipe would wait for its writer before it could be seen to be one
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise LibraryError(f"{path}: not a regular file")
            with open(descriptor, "rb", closefd=False) as stream:
                data = stream.read(most + 1)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None
    except OSError as error:
        raise LibraryError(f"{shorten(str(path))[1:-1]}: {error.strerror}") from None
    return data if len(data) <= most else None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one process at a time change a library; a kill lets go. Needs a system of Unix kind.

    Whoever holds the lock is the only writer, so unfinished files are of a run that was killed:
    they are removed.
    """
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows: one process a library is the user's to see to
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        for leftover in folder.rglob(".*.tmp"):
            if is_temporary(leftover):
                leftover.unlink()
        yield
    finally:
        os.close(descriptor)
