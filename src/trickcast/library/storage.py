"""Where a library lies: a folder, or an address of object storage."""

from contextlib import AbstractContextManager
from os import PathLike, fspath
from pathlib import Path
from typing import Protocol

from .bucket import Bucket
from .files import Folder

Place = str | PathLike[str]
"""A folder, or an address that fsspec knows, such as ``s3://bucket/library``."""


class Storage(Protocol):
    """The files of a library, by their paths within it."""

    @property
    def near(self) -> bool:
        """Whether reading all of it costs little."""

    def path(self, file: str) -> str:
        """Return how a file is called in messages."""

    def read(self, file: str, most: int, sha256: str | None = None) -> bytes | None:
        """Return a file's bytes, or None where it has more than ``most``.

        A copy with the ``sha256`` may be taken for it. Raises FileNotFoundError, LibraryError.
        """

    def write(self, file: str, data: bytes) -> None:
        """Write a file, whole or not at all."""

    def arrived(self, file: str) -> bool:
        """Tell whether a file that another machine wrote can be seen from here."""

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every file."""

    def locked(self, *, alone: bool = True) -> AbstractContextManager[None]:
        """Let one process at a time change the library, where that can be done.

        Those that only add files of their own need not be alone: they wait for who is, no more.
        """

    def tidy(self) -> None:
        """Remove what killed runs left unfinished; to be called under the lock."""


def storage_at(place: Place, *, everywhere: bool = False) -> Storage:
    """Return the storage of a place; ``everywhere`` one that processes elsewhere can use too."""
    text = fspath(place)
    if "://" in text:
        return Bucket(text)
    return Folder(Path(text).absolute() if everywhere else Path(text))


def holds_library(place: Place) -> bool:
    """Tell whether a place is a library rather than a file of deals: an address always is."""
    return "://" in fspath(place) or (Path(place) / "manifest.json").is_file()
