"""The library of solved deals: immutable shards, resumable to make, split for ever."""

from .endings import (
    count_endings,
    generate_endings,
    holds_endings,
    read_endings,
    verify_endings,
)
from .files import LibraryError
from .generate import Strains, generate, shard_file
from .manifest import SHARD, USES, Shard, Use
from .storage import Place, holds_library
from .store import Library, append
from .verify import Verification, verify
from .worth import endings_worth, tables_worth

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
