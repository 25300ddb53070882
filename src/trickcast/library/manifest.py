"""The list of a library's shards: what each holds, where it came from, what it may be used for."""

import json
import re
import reprlib
import sys
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from ..cards import shorten
from ..dealing.shuffling import checked_whole
from .files import LibraryError
from .records import RECORDS, WHOLE, Record
from .storage import Storage

Use = Literal["train", "validation", "test"]
USES: tuple[Use, ...] = get_args(Use)
SHARD = 4096
"""Deals of a full shard; shard borders are the multiples of it."""
MANIFEST = "manifest.json"
_MOST_BYTES = 1 << 27
"""Of a manifest: 1.9 billion deals of whole tables."""
_MOST_DEALS = 1 << 24
"""Of a shard from elsewhere."""
LONGEST_TEXT = 1000
"""Characters of a text in an entry."""
_INDICES = 1 << 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One immutable file of solved deals.

    Raises LibraryError for values that no manifest may have: none is written that cannot be read.
    """

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
    record: str = WHOLE.name
    """How the file holds a deal: the name of one of ``RECORDS``."""

    def __post_init__(self) -> None:
        if wrong := _wrong_field(self):
            raise LibraryError(_no_entry(wrong, {name: getattr(self, name) for name in _FIELDS}))

    @property
    def first(self) -> int:
        """Index of the first deal; 0 where there is no seed."""
        return self.start or 0

    @property
    def end(self) -> int:
        """Index after the last deal; the number of deals where there is no seed."""
        return self.first + self.deals

    @property
    def kind(self) -> Record:
        """How the file holds a deal."""
        return RECORDS[self.record]


_FIELDS = tuple(field.name for field in fields(Shard))
"""In the order of an entry; the record, which is the last, only where it is another than usual."""
_SHARED = ("use", "solver", "source", "record")
"""Texts that most entries have in common, and therefore share in memory."""
_encode = json.JSONEncoder().encode


def checked_use(use: str) -> Use:
    """Return what deals may be used for. Raises LibraryError for any other word."""
    if use not in USES:
        raise LibraryError(f"use is {shorten(use)} (expected {', '.join(USES[:-1])} or {USES[-1]})")
    return use


def checked_range(count: int, start: int, what: str) -> tuple[int, int]:
    """Return how many deals or endings are wanted, and the first one's number, as ints.

    Raises ValueError for a range that is empty or leaves 0 … 2**64 - 1, TypeError for numbers that
    are not whole.
    """
    count, start = checked_whole(count, what), checked_whole(start, "start")
    if count < 1 or start < 0 or start + count > _INDICES:
        raise ValueError(
            f"{what} is {count} and start is {start} (expected 1 or more, and 0 or more; their sum "
            "at most 2**64)"
        )
    return count, start


def read_manifest(storage: Storage) -> list[Shard]:
    """Return the shards listed in a library's manifest; none where there is no manifest.

    Raises LibraryError when the manifest is damaged.
    """
    path = storage.path(MANIFEST)
    try:
        data = storage.read(MANIFEST, _MOST_BYTES)
    except FileNotFoundError:
        return []
    try:
        if data is None:
            raise ValueError(f"more than {_MOST_BYTES:,} bytes")
        entries = json.loads(data)["shards"]
        if not isinstance(entries, list):
            raise ValueError("its shards are no list")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = shorten(str(error))[1:-1]
        raise LibraryError(f"{path}: not a library's manifest ({reason})") from None
    del data  # a long list is large: none of its forms is held longer than the next needs it
    return [_shard(path, entry) for entry in entries]


def write_manifest(storage: Storage, shards: list[Shard]) -> None:
    """Replace the manifest, whole or not at all; the order of shards does not depend on history.

    Entries say how their files hold deals where they hold less than whole tables.
    """
    ordered = sorted(
        shards, key=lambda shard: (-1 if shard.seed is None else shard.seed, shard.file)
    )
    head = {"deals": sum(shard.deals for shard in ordered), "record": WHOLE.name, "shards": []}
    before, _, after = json.dumps(head, indent=1).rpartition("[]")
    data = bytearray(before.encode() + b"[")
    for shard in ordered:
        data += b"\n%b," % _entry(shard).encode()
    if ordered:
        data[-1:] = b"\n "
    data += b"]%b\n" % after.encode()
    storage.write(MANIFEST, bytes(data))


def _entry(shard: Shard) -> str:
    """Return an entry as ``json.dumps`` with an indent of 1 would, in half the time."""
    names = _FIELDS[:-1] if shard.kind is WHOLE else _FIELDS
    lines = ",\n".join(f'   "{name}": {_encode(getattr(shard, name))}' for name in names)
    return f"  {{\n{lines}\n  }}"


def _shard(path: str, entry: Any) -> Shard:
    """Return the shard of an entry, or raise LibraryError in one line."""
    try:
        for name in _SHARED:
            if name in entry:
                entry[name] = sys.intern(entry[name])
        return Shard(**entry)
    except TypeError:  # no mapping, other keys, or values that cannot be compared
        wrong = _no_entry("its keys or their types", entry)
        raise LibraryError(f"{path}: {wrong}") from None
    except LibraryError as error:
        raise LibraryError(f"{path}: {error}") from None


def _no_entry(wrong: str, entry: Any) -> str:
    return f"not a shard's entry, by {wrong}: {reprlib.repr(entry)}"


def _wrong_field(shard: Shard) -> str | None:
    """Name the first field of an entry that cannot be right."""
    texts = (shard.file, shard.sha256, shard.solver, shard.source, shard.record)
    if any(type(text) is not str or len(text) > LONGEST_TEXT for text in texts):
        return "a text"
    parts = PurePosixPath(shard.file)
    if parts.is_absolute() or ".." in parts.parts or str(parts) != shard.file:
        return "its file"
    if not shard.file.isprintable():
        return "its file"
    if shard.record not in RECORDS or parts.suffix != shard.kind.suffix:
        return "its record"
    if shard.use not in USES:
        return "its use"
    if not re.fullmatch("[0-9a-f]{64}", shard.sha256):
        return "its sha256"
    if type(shard.deals) is not int or not 0 < shard.deals <= _MOST_DEALS:
        return "its deals"
    seeded = shard.seed is not None
    for number in (shard.seed, shard.start):
        if (number is not None) != seeded or (seeded and not _is_index(number)):
            return "its seed and start"
    if shard.end > _INDICES or (not seeded and shard.kind is not WHOLE):
        return "its seed and start"
    return None


def _is_index(number: object) -> bool:
    return type(number) is int and 0 <= number < _INDICES
