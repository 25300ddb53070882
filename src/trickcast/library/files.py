"""A library's folder on disk: reading nothing outside it, one writer at a time."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .._files import atomic_writer, is_temporary
from ..cards import shorten

_FOLDERS = ("seed-*", "imported", "pgx-*")
"""Where a library's shards lie."""
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors for a file that went meanwhile, and for a link to none."""


class LibraryError(ValueError):
    """A library that is damaged, or a request that would damage it."""


@dataclass(frozen=True)
class Folder:
    """A folder on disk, as the storage of a library."""

    root: Path
    near = True

    def __str__(self) -> str:
        return str(self.root)

    def path(self, file: str) -> str:
        """Return how a file is called in messages."""
        return str(self.root / file)

    def inside(self, file: str) -> Path:
        """Return the path of a file, or raise LibraryError where it leaves the folder.

        It may leave by ``..`` or by a link.
        """
        try:
            stays = (self.root / file).resolve().is_relative_to(self.root.resolve())
        except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a name with a NUL
            raise LibraryError(f"{self}: {shorten(file)} is no path ({error})") from None
        if not stays:
            raise LibraryError(f"{self}: {shorten(file)} is outside the library's folder")
        return self.root / file

    def read(self, file: str, most: int, sha256: str | None = None) -> bytes | None:
        """Return the bytes of a file of the library, or None where it has more than ``most``.

        Raises FileNotFoundError where there is none, and LibraryError where it cannot be read,
        leaves the folder or is not a regular file: no manifest makes us read a device, a pipe or
        what is not the library's.
        """
        path = self.inside(file)
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

    def write(self, file: str, data: bytes) -> None:
        """Write a file, whole or not at all."""
        path = self.inside(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as stream:
            stream.write(data)

    def arrived(self, file: str) -> bool:
        """Tell whether a file that was written elsewhere can be seen here."""
        return (self.root / file).exists()

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every finished file in the folder, by its path within."""
        sizes = {}
        for folder, _, files in os.walk(self.root):
            for name in files:
                path = Path(folder, name)
                if is_temporary(path):
                    continue
                try:
                    sizes[path.relative_to(self.root).as_posix()] = path.stat().st_size
                except OSError as error:
                    if error.errno not in _NO_FILE:
                        raise
        return sizes

    @contextmanager
    def locked(self, *, alone: bool = True) -> Iterator[None]:
        """Let one process at a time change the library, or only those that add files of their own.

        A kill lets go. Needs a Unix system.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows: one process a library is the user's to see to
            yield
            return
        descriptor = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            os.close(descriptor)

    def tidy(self) -> None:
        """Remove unfinished files; to be called under the lock, when nobody else writes.

        They are of runs that were killed. Other folders within have locks, and writers, of their
        own: a set of endings, another library, a training.
        """
        for folder in (self.root, *(f for name in _FOLDERS for f in self.root.glob(name))):
            if folder != self.root and folder.is_symlink():
                continue
            for leftover in folder.glob(".*.tmp"):
                if is_temporary(leftover):
                    leftover.unlink()
