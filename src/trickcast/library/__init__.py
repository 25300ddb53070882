"""The library of solved deals: immutable shards, resumable generation, a permanent split."""

from .generate import Strains, generate, shard_file
from .labels import positions_worth, tables_worth
from .library import Library, Verification, append, verify
from .lines import line_positions
from .shards import SHARD, USES, Shard, Use
from .solved_positions import (
    count_positions,
    generate_positions,
    holds_positions,
    read_positions,
    verify_positions,
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
    "count_positions",
    "generate",
    "generate_positions",
    "holds_library",
    "holds_positions",
    "line_positions",
    "positions_worth",
    "read_positions",
    "shard_file",
    "tables_worth",
    "verify",
    "verify_positions",
]


def __dir__() -> list[str]:
    return __all__
