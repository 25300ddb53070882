"""Where a library is stored: a folder, or an address of object storage supported by fsspec.

Folders have their own code: fsspec replaces local files in place, and it would open
anything that a manifest names. Reading a folder also avoids loading fsspec.
"""

import errno
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from typing_extensions import override

from .._files import atomic_writer, is_temporary
from ..cards import shorten
from ..cards.errors import one_line

CACHE = "TRICKCAST_CACHE"
"""Environment variable: the folder that caches fetched shards, by their digests."""
Place = str | PathLike[str]
"""A folder, or an address that fsspec supports, such as ``s3://bucket/library``."""
_FOLDERS = ("seed-*", "imported", "pgx-*")
"""Subfolders with a library's shards."""
_LOCK = ".lock"
"""The file that is locked on Windows, where a folder cannot be; not created elsewhere."""
_ASK_AGAIN = 0.01
"""Seconds between attempts to get a lock."""
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors for a file that has disappeared, and for a dangling link."""
_INSTALL = "object storage needs {} (install it with: pip install 'trickcast[cluster]')"


class LibraryError(ValueError):
    """A library that is damaged, or a request that would damage it."""


class Storage(ABC):
    """The files of a library, by their relative paths."""

    near: bool
    """Whether reading all of it is cheap."""

    @abstractmethod
    def path(self, file: str) -> str:
        """Return the name of a file for messages."""

    @abstractmethod
    def read(self, file: str, most: int, digest: str | None = None) -> bytes | None:
        """Return the bytes of a file, or None if it has more than ``most``.

        If its SHA-256 ``digest`` is given, a copy on this machine may be used instead.
        Raises FileNotFoundError if there is none, LibraryError if it cannot be read.
        """

    @abstractmethod
    def write(self, file: str, data: bytes) -> None:
        """Write a file atomically. Raises LibraryError or OSError if that fails."""

    @abstractmethod
    def remove(self, file: str) -> None:
        """Remove an existing file."""

    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Return the size in bytes of every finished file, by relative path."""

    def arrived(self, file: str) -> bool:
        """Return whether a file written by another machine is visible from here."""
        return True

    def locked(self) -> AbstractContextManager[None]:
        """Let only one process at a time change the library, if possible."""
        return nullcontext()

    def tidy(self) -> None:  # noqa: B027 (objects are never unfinished)
        """Remove unfinished files of killed runs; call it under the lock."""


def storage_at(place: Place, *, everywhere: bool = False) -> Storage:
    """Return the storage of a place; with ``everywhere``, one that other machines can use too."""
    text = fspath(place)
    if "://" in text:
        return Bucket(text)
    return Folder(Path(text).absolute() if everywhere else Path(text))


def holds_library(place: Place) -> bool:
    """Return whether a place is a library, not a file of deals; an address always is.

    Args:
        place: Path or address.

    Returns:
        True if it is.

    Example:
        >>> holds_library("s3://bucket/library"), holds_library("nowhere")
        (True, False)
    """
    return "://" in fspath(place) or (Path(place) / "manifest.json").is_file()


@dataclass(frozen=True)
class Folder(Storage):
    """A folder on disk; it touches nothing outside, and one process at a time writes."""

    root: Path
    near = True

    def __str__(self) -> str:
        return str(self.root)

    @override
    def path(self, file: str) -> str:
        return str(self.root / file)

    def inner_path(self, file: str) -> Path:
        """Return the path of a file. Raises LibraryError if it is outside the folder.

        Both ``..`` and links can lead outside.
        """
        try:
            stays = (self.root / file).resolve().is_relative_to(self.root.resolve())
        except (OSError, RuntimeError, ValueError) as error:  # circular links, a name with a NUL
            raise LibraryError(f"{self}: {shorten(file)} is not a path ({error})") from None
        if not stays:
            raise LibraryError(f"{self}: {shorten(file)} is outside the library's folder")
        return self.root / file

    @override
    def read(self, file: str, most: int, digest: str | None = None) -> bytes | None:
        """Also raise LibraryError for anything but a regular file.

        So no manifest can make us read a device, a pipe or anything outside the library.
        """
        path = self.inner_path(file)
        # opening a pipe would wait for its writer before we could tell
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

    @override
    def write(self, file: str, data: bytes) -> None:
        path = self.inner_path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as stream:
            stream.write(data)

    @override
    def remove(self, file: str) -> None:
        self.inner_path(file).unlink(missing_ok=True)

    @override
    def sizes(self) -> dict[str, int]:
        sizes = {}
        for folder, _, files in os.walk(self.root):
            for name in files:
                path = Path(folder, name)
                if is_temporary(path) or name == _LOCK:
                    continue
                try:
                    sizes[path.relative_to(self.root).as_posix()] = path.stat().st_size
                except OSError as error:
                    if error.errno not in _NO_FILE:
                        raise
        return sizes

    @override
    def arrived(self, file: str) -> bool:
        return (self.root / file).exists()

    @override
    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder itself, so that no lock file is left in it; a kill releases the lock."""
        from filelock import lock_descriptor  # readers need not load it

        self.root.mkdir(parents=True, exist_ok=True)
        if os.name == "nt":
            descriptor = os.open(self.root / _LOCK, os.O_RDWR | os.O_CREAT)
        else:
            descriptor = os.open(self.root, os.O_RDONLY)
        try:
            lock_descriptor(descriptor, poll_interval=_ASK_AGAIN)
            yield
        finally:
            os.close(descriptor)

    @override
    def tidy(self) -> None:
        """Leave other folders inside alone: they have their own locks and writers."""
        for folder in (self.root, *(f for name in _FOLDERS for f in self.root.glob(name))):
            if folder != self.root and folder.is_symlink():
                continue
            for leftover in folder.glob(".*.tmp"):
                if is_temporary(leftover):
                    leftover.unlink()


@dataclass(frozen=True)
class Bucket(Storage):
    """Objects under an address.

    Object storage writes an object atomically, and it is visible everywhere at
    once. There is no lock: only one run at a time may change a library.
    """

    url: str
    near = False

    def __str__(self) -> str:
        return self.url

    @override
    def path(self, file: str) -> str:
        return f"{self.url.rstrip('/')}/{file}"

    @override
    def read(self, file: str, most: int, digest: str | None = None) -> bytes | None:
        """Keep a copy of a file with a digest, if the cache can be written."""
        if digest is None:
            return self._fetch(file, most)
        copy = _copies() / digest[:2] / digest
        with suppress(OSError):
            data = copy.read_bytes()
            if sha256(data).hexdigest() == digest:
                return data
        fetched = self._fetch(file, most)
        if fetched is not None and sha256(fetched).hexdigest() == digest and copy.is_absolute():
            with suppress(OSError):
                copy.parent.mkdir(parents=True, exist_ok=True)
                with atomic_writer(copy) as stream:
                    stream.write(fetched)
        return fetched

    @override
    def write(self, file: str, data: bytes) -> None:
        try:
            with self._opened(file) as (system, path):
                system.pipe_file(path, data)
        except FileNotFoundError as error:
            raise LibraryError(f"{self.path(file)}: {error}") from error

    @override
    def remove(self, file: str) -> None:
        with self._opened(file) as (system, path):
            system.rm_file(path)

    @override
    def sizes(self) -> dict[str, int]:
        with self._opened("") as (system, root):
            try:
                listed = system.find(root, detail=True)
            except FileNotFoundError:
                return {}
            start = len(root.rstrip("/")) + 1
            return {path[start:]: int(facts["size"]) for path, facts in listed.items()}

    def _fetch(self, file: str, most: int) -> bytes | None:
        with self._opened(file) as (system, path):
            data: bytes = system.cat_file(path, start=0, end=most + 1)
        return data if len(data) <= most else None

    @contextmanager
    def _opened(self, file: str) -> Iterator[tuple[Any, str]]:
        """Yield the file system and a path in it; errors become one-line messages."""
        try:
            import fsspec
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(_INSTALL.format("fsspec")) from error
        try:
            yield fsspec.core.url_to_fs(self.path(file), use_listings_cache=False)
        except (FileNotFoundError, LibraryError):
            raise
        except ImportError as error:
            raise ModuleNotFoundError(_INSTALL.format(error.name or error)) from error
        except Exception as error:  # each file system has its own errors
            raise LibraryError(f"{self.path(file)}: {one_line(error)}") from error


def _copies() -> Path:
    """Return the folder of copies; a relative path if the user has no home."""
    if named := os.environ.get(CACHE):
        return Path(named).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("trickcast", appauthor=False)
