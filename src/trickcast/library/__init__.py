"""The library of solved deals: a folder of immutable shards, resumable to make, split for ever."""

from .generate import generate, shard_file
from .manifest import SHARD, USES, LibraryError, Shard, Use
from .store import Library, Verification, append, verify

__all__ = [
    "SHARD",
    "USES",
    "Library",
    "LibraryError",
    "Shard",
    "Use",
    "Verification",
    "append",
    "generate",
    "shard_file",
    "verify",
]
