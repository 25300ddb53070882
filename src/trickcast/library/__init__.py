"""The library of solved deals: immutable shards, resumable to make, split for ever."""

from .generate import Strains, generate, shard_file
from .labels import endings_worth, tables_worth
from .library import Library, Verification, append, verify
from .shards import SHARD, USES, Shard, Use
from .solved_positions import (
    count_endings,
    generate_endings,
    holds_endings,
    read_endings,
    verify_endings,
)
from .storage import LibraryError, Place, holds_library

__all__ = [
    "SHARD",
    "USES",
    "Library",
    "LibraryError",
    "Place",
    "Shard",
    "Strains",
    "Use",
    "Verification",
    "append",
    "count_endings",
    "endings_worth",
    "generate",
    "generate_endings",
    "holds_endings",
    "holds_library",
    "read_endings",
    "shard_file",
    "tables_worth",
    "verify",
    "verify_endings",
]
