"""A library at an address that fsspec knows, such as ``s3://bucket/library``."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from .._files import atomic_writer
from ..cards.errors import one_line
from .files import LibraryError

CACHE = "TRICKCAST_CACHE"
"""Environment variable: the folder of shards that were fetched before, by their digests."""
_NO_CACHE = (OSError, RuntimeError)
"""What a cache raises that cannot be used; RuntimeError where a user has no home."""


@dataclass(frozen=True)
class Bucket:
    """Objects under an address, as the storage of a library.

    An object is put whole or not at all, as object storage does. There is no lock: one run at a
    time changes a library.
    """

    url: str
    near = False

    def __str__(self) -> str:
        return self.url

    def path(self, file: str) -> str:
        """Return how an object is called in messages."""
        return f"{self.url.rstrip('/')}/{file}"

    def read(self, file: str, most: int, sha256: str | None = None) -> bytes | None:
        """Return the bytes of an object, or None where it has more than ``most``.

        With the ``sha256`` that it has to have, a copy in the cache is taken for it, or kept where
        the cache can be written.
        Raises FileNotFoundError where there is none, LibraryError where it cannot be read.
        """
        if sha256 is None:
            return self._fetch(file, most)
        with suppress(*_NO_CACHE):
            data = _copy(sha256).read_bytes()
            if _digest(data) == sha256:
                return data
        fetched = self._fetch(file, most)
        if fetched is not None and _digest(fetched) == sha256:
            with suppress(*_NO_CACHE):
                _copy(sha256).parent.mkdir(parents=True, exist_ok=True)
                with atomic_writer(_copy(sha256)) as stream:
                    stream.write(fetched)
        return fetched

    def write(self, file: str, data: bytes) -> None:
        """Put an object. Raises LibraryError where that fails."""
        try:
            with self._opened(file) as (system, path):
                system.pipe_file(path, data)
        except FileNotFoundError as error:
            raise LibraryError(f"{self.path(file)}: {error}") from error

    def arrived(self, file: str) -> bool:
        """Tell whether an object that was put elsewhere can be seen here: it always can."""
        return True

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every object under the address, by its path within."""
        with self._opened("") as (system, root):
            try:
                listed = system.find(root, detail=True)
            except FileNotFoundError:
                return {}
            start = len(root.rstrip("/")) + 1
            return {path[start:]: int(facts["size"]) for path, facts in listed.items()}

    def locked(self, *, alone: bool = True) -> nullcontext[None]:
        """Do nothing: see the class."""
        return nullcontext()

    def tidy(self) -> None:
        """Do nothing: there are no unfinished objects."""

    def _fetch(self, file: str, most: int) -> bytes | None:
        with self._opened(file) as (system, path):
            data: bytes = system.cat_file(path, start=0, end=most + 1)
        return data if len(data) <= most else None

    @contextmanager
    def _opened(self, file: str) -> Iterator[tuple[Any, str]]:
        """Yield the file system and a path in it; what goes wrong is told in one line."""
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
        except Exception as error:  # each system has errors of its own
            raise LibraryError(f"{self.path(file)}: {one_line(error)}") from error


_INSTALL = "object storage needs {} (install it by: pip install 'trickcast[cluster]')"


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _copy(sha256: str) -> Path:
    """Return where a shard is kept on this machine. Raises RuntimeError where there is no home."""
    if named := os.environ.get(CACHE):
        folder = Path(named)
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trickcast"
    return folder / sha256[:2] / sha256
