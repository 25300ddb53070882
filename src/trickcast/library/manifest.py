"""The list of a library's shards: what each holds, where it came from, what it may be used for."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from .._files import atomic_writer

Use = Literal["train", "validation", "test"]
USES: tuple[Use, ...] = get_args(Use)
SHARD = 4096
"""Deals of a full shard; shard borders are the multiples of it."""
MANIFEST = "manifest.json"
_RECORD = "Pavlicek .zrd, 23 bytes a deal"


class LibraryError(ValueError):
    """A library that is damaged, or a request that would damage it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One immutable file of solved deals."""

    file: str
    """Path inside the library."""
    deals: int
    seed: int | None
    """Seed of ``random_deals``; None for deals from elsewhere."""
    start: int | None
    """Index of the first deal under that seed."""
    use: Use
    """What the deals may be used for, fixed for ever when the shard is added."""
    sha256: str
    solver: str
    source: str

    @property
    def end(self) -> int:
        """Index after the last deal; the number of deals where there is no seed."""
        return (self.start or 0) + self.deals


def read_manifest(folder: Path) -> list[Shard]:
    """Return the shards listed in a library's manifest; none where there is no manifest.

    Raises LibraryError when the manifest is damaged.
    """
    path = folder / MANIFEST
    if not path.exists():
        return []
    try:
        shards = [Shard(**entry) for entry in json.loads(path.read_text("utf-8"))["shards"]]
    except (ValueError, TypeError, KeyError) as error:
        raise LibraryError(f"{path}: not a library's manifest ({error})") from None
    for shard in shards:
        whole = [type(n) is int for n in (shard.deals, shard.seed, shard.start) if n is not None]
        if not all(whole) or not isinstance(shard.file, str) or shard.use not in USES:
            raise LibraryError(f"{path}: not a shard's entry: {shard}")
    return shards


def write_manifest(folder: Path, shards: list[Shard]) -> None:
    """Replace the manifest, whole or not at all; the order of shards does not depend on history."""
    ordered = sorted(
        shards, key=lambda shard: (-1 if shard.seed is None else shard.seed, shard.file)
    )
    content = {
        "deals": sum(shard.deals for shard in ordered),
        "record": _RECORD,
        "shards": [asdict(shard) for shard in ordered],
    }
    with atomic_writer(folder / MANIFEST) as stream:
        stream.write(json.dumps(content, indent=1).encode() + b"\n")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one process at a time change a library; a kill lets go. Needs a system of Unix kind."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows: one process a library is the user's to see to
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
