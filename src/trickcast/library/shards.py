"""Shards, the immutable files of solved deals: their records, and the manifest that lists them.

Most hold whole tables as in ``.zrd``, where a record has a nibble for each of twenty results and
no value for "unknown" (14 and 15 are undefined, and Pavlicek's readers would take them for tricks).
So deals solved in one strain have their own record of 16 bytes:

- bytes 0-12: the owners, two bits per card, lowest bits first, N E S W = 0-3: spades from ace to
    two, then hearts, diamonds, clubs;
- byte 13: the strain, S H D C N = 0-4;
- bytes 14-15: declarers' tricks N E S W, a nibble each, low nibble first.

The other sixteen results are unknown, 255 in arrays. Either record may be followed by lines, tricks
of best play after each known result, by strain and declarer: a nibble per card, low nibble first,
its index among the legal cards, counted from the ace of spades. The manifest
states for each shard what it holds, where it came from and what it may be used for.
"""

import json
import re
import reprlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealSet, Strain, checked_whole, shorten
from ..formats import zrd
from ..solver import MOST_LINE_TRICKS
from .lines import decode_lines, encode_lines
from .storage import LibraryError, Storage

Use = Literal["train", "validation", "test"]
USES: tuple[Use, ...] = get_args(Use)
SHARD = 4096
"""Deals of a full shard; shard borders are multiples of this."""
MANIFEST = "manifest.json"
_MOST_BYTES = 1 << 27
"""Largest manifest: 1.9 billion deals of whole tables."""
_MOST_DEALS = 1 << 24
"""Largest shard from elsewhere."""
LONGEST_TEXT = 1000
"""Most characters of a text in an entry."""
_INDICES = 1 << 64
_CARD_BYTES, _BYTES = 13, 16
_SHIFTS = np.array([0, 2, 4, 6], dtype=np.uint8)


# --- records -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """One way to store deals in a shard."""

    name: str
    """Its name in a manifest."""
    suffix: str
    """Suffix of the shards' files."""
    size: int
    """Bytes per deal."""
    strains: str
    """The strains in which a deal is solved: ``all`` or ``one``."""
    encode_deals: Callable[[DealSet], bytes]
    decode_deals: Callable[[bytes, str], DealSet]
    lines: int = 0
    """Tricks of best play after each result."""

    @property
    def without_lines(self) -> "Record":
        """The record of the same deals and results without lines."""
        return WHOLE if self.strains == "all" else ONE_STRAIN

    def with_lines(self, tricks: int) -> "Record":
        """Return the record followed by lines of so many tricks."""
        size = self.size + 2 * tricks * (20 if self.strains == "all" else 4)
        name = f"{self.name.partition(',')[0]}, {tricks} tricks of best play, {size} bytes a deal"
        return replace(self, name=name, suffix=f"{self.suffix}lines", size=size, lines=tricks)

    def encode(self, deals: DealSet, lines: NDArray[np.uint8] | None = None) -> bytes:
        """Return the bytes of deals, and of (n, 5, 4, 4 * tricks) lines if there are any.

        Raises ValueError for a deal with other known results, and for an illegal card.
        """
        data = self.encode_deals(deals)
        if not self.lines:
            return data
        if lines is None:
            raise ValueError("the lines of these deals are not known")
        records = np.frombuffer(data, np.uint8).reshape(-1, self.without_lines.size)
        more = encode_lines(deals.owners, deals.tricks_or_unknown, lines)
        return np.concatenate([records, more], axis=1).tobytes()

    def decode(self, data: bytes, name: str) -> DealSet:
        """Return deals and results, given a name for messages.

        Raises ValueError for invalid records.
        """
        if not self.lines:
            return self.decode_deals(data, name)
        if len(data) % self.size:
            raise ValueError(f"{name}: {len(data)} bytes (expected records of {self.size})")
        records = np.frombuffer(data, np.uint8).reshape(-1, self.size)
        return self.decode_deals(records[:, : self.without_lines.size].tobytes(), name)

    def decode_with_lines(self, data: bytes, name: str) -> tuple[DealSet, NDArray[np.uint8]]:
        """Return deals and (n, 5, 4, 4 * tricks) lines, 255 for unknown results.

        Raises ValueError like ``decode``, and for illegal lines.
        """
        deals = self.decode(data, name)
        more = np.frombuffer(data, np.uint8).reshape(-1, self.size)[:, self.without_lines.size :]
        try:
            lines = decode_lines(deals.owners, deals.tricks_or_unknown, more, self.lines)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        return deals, lines

    def __reduce__(self) -> tuple[Callable[[str], "Record"], tuple[str]]:
        return _record_named, (self.name,)  # the same object in another process


def _encode_strain(deals: DealSet) -> bytes:
    tricks = deals.tricks_or_unknown
    known = (tricks != UNKNOWN).all(axis=2)
    if (known.sum(axis=1) != 1).any() or ((tricks != UNKNOWN) != known[:, :, None]).any():
        raise ValueError("not every deal is solved in one strain by four declarers")
    strains = known.argmax(axis=1)
    four = tricks[np.arange(len(deals)), strains]
    records = np.empty((len(deals), _BYTES), dtype=np.uint8)
    cards = deals.owners.reshape(-1, _CARD_BYTES, 4) << _SHIFTS
    records[:, :_CARD_BYTES] = np.bitwise_or.reduce(cards, axis=2)
    records[:, _CARD_BYTES] = strains
    records[:, _CARD_BYTES + 1 :] = four[:, 0::2] | four[:, 1::2] << 4
    return records.tobytes()


def _decode_strain(data: bytes, name: str) -> DealSet:
    if len(data) % _BYTES:
        raise ValueError(f"{name}: {len(data)} bytes (expected records of {_BYTES})")
    records = np.frombuffer(data, dtype=np.uint8).reshape(-1, _BYTES)
    strains, pairs = records[:, _CARD_BYTES], records[:, _CARD_BYTES + 1 :]
    four = np.stack([pairs & 15, pairs >> 4], axis=2).reshape(-1, 4)
    wrong = (strains >= len(Strain)) | (four > 13).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{name}: record {row}: strain {strains[row]}, tricks {four[row].tolist()} "
            "(expected 0 to 4, and 0 to 13)"
        )
    owners = records[:, :_CARD_BYTES, None] >> _SHIFTS & 3
    tricks = np.full((len(records), 5, 4), UNKNOWN, dtype=np.uint8)
    tricks[np.arange(len(records)), strains] = four
    return DealSet(owners.reshape(-1, 52), tricks)


def known_strains(tricks: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return the strain in which each deal of (n, 5, 4) tricks is solved, for one-strain deals."""
    strains: NDArray[np.intp] = (tricks[:, :, 0] != UNKNOWN).argmax(axis=1)
    return strains


WHOLE = Record(
    name="Pavlicek .zrd, 23 bytes a deal",
    suffix=".zrd",
    size=zrd.RECORD,
    strains="all",
    encode_deals=lambda deals: zrd.encode(deals.owners, deals.tricks_or_unknown),
    decode_deals=lambda data, name: DealSet(*zrd.decode(data, name)),
)
ONE_STRAIN = Record(
    name="one strain of a deal by four declarers, 16 bytes a deal",
    suffix=".strain",
    size=_BYTES,
    strains="one",
    encode_deals=_encode_strain,
    decode_deals=_decode_strain,
)
RECORDS = {
    record.name: record
    for plain in (WHOLE, ONE_STRAIN)
    for record in (plain, *(plain.with_lines(n) for n in range(1, MOST_LINE_TRICKS + 1)))
}


def _record_named(name: str) -> Record:
    return RECORDS[name]


# --- shards ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One immutable file of solved deals.

    Raises LibraryError for values that are invalid in a manifest, so none is written that cannot be
    read.
    """

    file: str
    """Path inside the library."""
    deals: int
    seed: int | None
    """Seed of ``random_deals``; None for deals from elsewhere."""
    start: int | None
    """Index of the first deal under that seed."""
    use: Use
    """The permanent role of the deals, set when the shard is added."""
    sha256: str
    solver: str
    source: str
    record: str = WHOLE.name
    """How the file stores a deal: the name of one of ``RECORDS``."""

    def __post_init__(self) -> None:
        if wrong := _wrong_field(self):
            raise LibraryError(_no_entry(wrong, {name: getattr(self, name) for name in _FIELDS}))

    @property
    def first(self) -> int:
        """Index of the first deal; 0 without a seed."""
        return self.start or 0

    @property
    def end(self) -> int:
        """Index after the last deal; the number of deals without a seed."""
        return self.first + self.deals

    @property
    def kind(self) -> Record:
        """How the file stores a deal."""
        return RECORDS[self.record]


_FIELDS = tuple(field.name for field in fields(Shard))
"""In the order of an entry; the record, the last, is only written if unusual."""
_SHARED = ("use", "solver", "source", "record")
"""Texts that most entries have in common, shared in memory."""
_encode = json.JSONEncoder().encode


def _no_entry(wrong: str, entry: Any) -> str:
    return f"not a shard's entry, by {wrong}: {reprlib.repr(entry)}"


def _wrong_field(shard: Shard) -> str | None:
    """Return the first invalid field of an entry."""
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
    if shard.end > _INDICES or (not seeded and shard.kind.without_lines is not WHOLE):
        return "its seed and start"
    return None


def _is_index(number: object) -> bool:
    return type(number) is int and 0 <= number < _INDICES


def checked_use(use: str) -> Use:
    """Return a use of deals. Raises LibraryError for an unknown one."""
    if use not in USES:
        raise LibraryError(f"use is {shorten(use)} (expected {', '.join(USES[:-1])} or {USES[-1]})")
    return use


def checked_range(count: int, start: int, what: str) -> tuple[int, int]:
    """Return the number of deals or positions wanted, and the first one's number, as ints.

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


def read_shard(storage: Storage, shard: Shard, *, cached: bool = False) -> DealSet:
    """Return a shard's deals. Raises LibraryError if its file does not match the manifest.

    With ``cached``, a local copy may be used for remote storage.
    """
    data = read_data(storage, shard, cached=cached)
    path = storage.path(shard.file)
    deals = decode_shard(path, shard.kind, data)
    if len(deals) != shard.deals:
        raise LibraryError(f"{path}: {len(deals)} deals (the manifest says {shard.deals})")
    return deals


def read_data(storage: Storage, shard: Shard, *, cached: bool = False) -> bytes:
    """Return the bytes of a shard, checked against its digest. Raises like ``read_shard``."""
    path = storage.path(shard.file)
    advice = "trickcast generate will recreate it"
    if shard.seed is None:
        advice = "restore it from a copy, or add its deals again"
    try:
        most, digest = shard.deals * shard.kind.size, shard.sha256 if cached else None
        data = storage.read(shard.file, most, digest)
    except FileNotFoundError:
        raise LibraryError(
            f"{path}: the shard is missing (the manifest lists {shard.deals} deals; {advice})"
        ) from None
    if data is None or sha256(data).hexdigest() != shard.sha256:
        if shard not in read_manifest(storage):  # a run made it grow after its entry was read
            raise LibraryError(
                f"{path}: the shard was replaced while the library was read (open it again)"
            )
        size = "more than all its deals" if data is None else f"{len(data):,} bytes"
        raise LibraryError(
            f"{path}: the shard is damaged ({size}; not the manifest's SHA-256). "
            f"Delete the file, and {advice}"
        )
    return data


def read_lines(
    storage: Storage, shard: Shard, *, cached: bool = False
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the owners, (n, 52), the tricks, (n, 5, 4), and the lines of a shard that has lines.

    Lines are (n, 5, 4, 4 * tricks) card indices, 255 for unknown results. Raises
    LibraryError like ``read_shard``, and for illegal lines.
    """
    data = read_data(storage, shard, cached=cached)
    try:
        deals, lines = shard.kind.decode_with_lines(data, storage.path(shard.file))
    except ValueError as error:
        raise LibraryError(f"{error}") from None
    return deals.owners, deals.tricks_or_unknown, lines


def decode_shard(path: str, record: Record, data: bytes) -> DealSet:
    """Return the deals of a shard's bytes. Raises LibraryError for invalid records."""
    try:
        return record.decode(data, path)
    except ValueError as error:
        raise LibraryError(f"{error}") from None


def repeated(sets: Iterable[DealSet]) -> int:
    """Count the deals that occur more than once in these sets."""
    rows = cards_of(sets)
    return len(rows) - len(np.unique(rows))


def cards_of(sets: Iterable[DealSet]) -> NDArray[np.void]:
    """Return the cards of all deals in these sets, each as one sortable value."""
    owners = [np.empty((0, 52), np.uint8), *(deals.owners for deals in sets)]
    return np.ascontiguousarray(np.concatenate(owners)).view("V52").ravel()


# --- the manifest ------------------------------------------------------------------------------


def read_manifest(storage: Storage) -> list[Shard]:
    """Return the shards listed in a library's manifest; empty without a manifest.

    Raises LibraryError if the manifest is damaged.
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
            raise ValueError("its shards are not a list")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = shorten(str(error))[1:-1]
        raise LibraryError(f"{path}: not a library's manifest ({reason})") from None
    del data  # long lists are large: free each form as soon as possible
    return [_shard(path, entry) for entry in entries]


def write_manifest(storage: Storage, shards: list[Shard]) -> None:
    """Replace the manifest atomically; the order of shards does not depend on history.

    Entries state how their files store deals if they hold less than whole tables.
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
    """Return the shard of an entry. Raises LibraryError with a one-line message."""
    try:
        for name in _SHARED:
            if name in entry:
                entry[name] = sys.intern(entry[name])
        return Shard(**entry)
    except TypeError:  # not a mapping, other keys, or values that cannot be compared
        wrong = _no_entry("its keys or their types", entry)
        raise LibraryError(f"{path}: {wrong}") from None
    except LibraryError as error:
        raise LibraryError(f"{path}: {error}") from None
