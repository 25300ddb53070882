"""The library of solved deals: a folder of immutable shards, resumable to make, split for ever."""

from .endings import generate_endings, read_endings
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
    "generate_endings",
    "read_endings",
    "shard_file",
    "verify",
]
