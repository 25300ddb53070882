"""Fetch solved deals published by others into a library: those of pgx, on Hugging Face.

A file there is one array: all cards, then all tables. So the first deals are two ranges of bytes,
and a part of them two ranges each. Parts are converted to shards as they arrive; fetched data is
never fetched again. (Tested against servers of this layout; never run against the host.)
"""

import io
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPException
from itertools import groupby
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import DealSet, counted, shorten
from ..formats import pgx
from ..solver import solve
from .shards import (
    SHARD,
    WHOLE,
    Shard,
    Use,
    cards_of,
    checked_use,
    read_manifest,
    read_shard,
    write_manifest,
)
from .storage import LibraryError, Place, Storage, storage_at

HOST = "https://huggingface.co"
DATA_SET, LICENCE = "sotetsuk/dds_dataset", "Apache-2.0"
_SIZES = {500_000: "500K", 2_500_000: "2.5M", 10_000_000: "10M", 100_000_000: "100M"}
_PART = 64
"""Shards whose deals are requested together: twice 4 MiB."""
_TRIES = 6
"""Connections in a row without data before a run gives up."""
_PATIENCE = 30.0
"""Seconds without a byte before a connection is retried."""
_HEADER = 128
_BUSY = (429, 500, 502, 503, 504)


@dataclass
class _Remote:
    """A file on the host, read by ranges."""

    address: str
    etag: str | None = field(default=None, init=False)
    size: int | None = field(default=None, init=False)

    def read(self, first: int, length: int) -> bytes:
        """Return a range of bytes, resuming after a connection that ends early.

        Raises LibraryError if the host does not deliver it.
        """
        data, failures = bytearray(), 0
        while len(data) < length:
            before, reason = len(data), "the connection ended"
            try:
                self._receive(data, first, length)
            except HTTPError as error:
                if error.code not in _BUSY:
                    raise LibraryError(f"{self.address}: {error.code} {error.reason}") from None
                reason = f"{error.code} {error.reason}"
            except (OSError, HTTPException) as error:
                reason = str(getattr(error, "reason", error)) or type(error).__name__
            failures = 0 if len(data) > before else failures + 1
            if failures == _TRIES:
                raise LibraryError(f"{self.address}: {reason} (rerun the command to continue)")
            if failures:
                time.sleep(0.1 * 2**failures)
        return bytes(data)

    def _receive(self, data: bytearray, first: int, length: int) -> None:
        """Add to the data what one connection delivers of a range."""
        begin, end = first + len(data), first + length
        headers = {"Range": f"bytes={begin}-{end - 1}", "User-Agent": "trickcast"}
        with urlopen(Request(self.address, headers=headers), timeout=_PATIENCE) as answer:
            self._check(answer, begin)
            while part := answer.read(1 << 16):
                data += part
                if len(data) > length:
                    raise LibraryError(f"{self.address}: more bytes than were asked for")

    def _check(self, answer: Any, begin: int) -> None:
        """Raise LibraryError for a response that is not the range, or is from another file."""
        kind = answer.headers.get_content_type()
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", answer.headers.get("Content-Range") or "")
        if kind == "text/html":
            raise LibraryError(f"{self.address}: a page (text/html), not the file")
        if answer.status != 206 or match is None or int(match[1]) != begin:
            raise LibraryError(
                f"{self.address}: answer {answer.status} of type {kind} (expected bytes from "
                f"{begin} on, and status 206)"
            )
        etag, size = answer.headers.get("ETag"), int(match[2])
        if self.size is not None and (etag, size) != (self.etag, self.size):
            raise LibraryError(f"{self.address}: the file changed while it was being read")
        self.etag, self.size = etag, size


@dataclass
class _Array:
    """The (2, n, 4) numbers of a remote file."""

    remote: _Remote
    start: int
    deals: int

    @classmethod
    def open(cls, remote: _Remote) -> "_Array":
        """Read the file's header. Raises FormatError or LibraryError."""
        beginning = io.BytesIO(remote.read(0, _HEADER))
        shape, by_column, dtype, start = pgx.read_header(beginning, remote.address)
        expected = start + 32 * shape[1]
        if by_column or dtype != "<i4" or remote.size != expected:
            raise LibraryError(
                f"{remote.address}: {remote.size} bytes of {dtype} (expected {expected} bytes of "
                f"int32, row by row, for {shape[1]:,} deals)"
            )
        return cls(remote, start, shape[1])

    def numbers(self, row: int, first: int, end: int) -> NDArray[np.int64]:
        """Return the cards (row 0) or the tables (row 1) of deals, (n, 4)."""
        begin = self.start + 16 * (row * self.deals + first)
        data = self.remote.read(begin, 16 * (end - first))
        return np.frombuffer(data, dtype="<i4").reshape(-1, 4).astype(np.int64)


def fetch_pgx(
    place: Place,
    deals: int,
    *,
    use: Use = "train",
    sample: int = 40,
    host: str = HOST,
    progress: bool = False,
) -> int:
    """Fetch the first ``deals`` solved deals of pgx into a library; return the number of new ones.

    They come from the smallest of its files that has enough. Deals already in the library are
    kept, so an interrupted run resumes and ends with the same bytes. Memory does not grow with
    ``deals``. Every deal is validated, and a random ``sample`` of all is solved again
    before anything of its part is kept.

    Raises LibraryError if the host delivers no such file or wrong tables, or if the library
    holds these deals from another file, for another use or in shards from another source;
    FormatError for invalid deals, ValueError for a negative ``sample``.
    """
    use = checked_use(use)
    if sample < 0:
        raise ValueError(f"sample is {sample} (expected 0 or more)")
    fitting = [size for size in _SIZES if size >= deals]
    if deals < 1 or not fitting:
        raise LibraryError(f"pgx has at most {max(_SIZES):,} deals (asked for {deals:,})")
    if not host.startswith(("http://", "https://")):
        raise LibraryError(f"{shorten(host)} is not a server (expected an address, http://…)")
    label = _SIZES[min(fitting)]
    file = f"dds_results_{label}.npy"
    array = _Array.open(_Remote(f"{host}/datasets/{DATA_SET}/resolve/main/{file}"))
    if array.deals < deals:
        raise LibraryError(f"{array.remote.address}: {array.deals:,} deals (expected {deals:,})")
    tag = f", {array.remote.etag}" if array.remote.etag else ""
    wanted = _Wanted(storage_at(place), label, use, f"{DATA_SET}, {file}, {LICENCE}{tag}")
    checked = np.sort(np.random.default_rng(deals).choice(deals, min(sample, deals), replace=False))
    missing = wanted.missing(deals)
    todo = sum(end - start for start, end in missing)
    with progress_bar("fetching", todo, "deals", show=progress) as advance:
        for part in _parts(missing):
            _fetch_part(array, wanted, part, checked, advance)
    return todo


@dataclass
class _Wanted:
    """Which deals go where in a library."""

    storage: Storage
    label: str
    use: Use
    source: str
    others: set[Shard] = field(default_factory=set, init=False)
    """Shards from other sources that were read."""
    held: NDArray[np.void] = field(default_factory=lambda: cards_of([]), init=False)
    """The cards of their deals, sorted."""

    def file(self, start: int) -> str:
        """Return the path of a shard inside the library."""
        return f"pgx-{self.label}/deals-{start:012d}{WHOLE.suffix}"

    def missing(self, deals: int) -> list[tuple[int, int]]:
        """Return the first deal and the end of each shard that is missing or incomplete.

        Raises LibraryError if these deals are there from another file or for another use.
        """
        listed = {shard.file: shard for shard in read_manifest(self.storage)}
        ours = [shard for file, shard in listed.items() if file.startswith("pgx-")]
        for shard in ours:
            if (shard.use, shard.source) != (self.use, self.source):
                path = self.storage.path(shard.file)
                raise LibraryError(
                    f"{path}: for {shard.use}, of {shard.source} (asked for {self.use}, of "
                    f"{self.source}); use another folder"
                )
        missing, there = [], self.storage.sizes()
        for start in range(0, deals, SHARD):
            end = min(start + SHARD, deals)
            known = listed.get(self.file(start))
            if known is not None and known.file in there:
                read_shard(self.storage, known)  # raises if it is damaged
                if known.deals >= end - start:
                    continue
            missing.append((start, end))
        return missing

    def keep(self, shards: dict[int, DealSet]) -> None:
        """Write shards, keyed by their first deals, and list them."""
        files = {self.file(start) for start in shards}
        with self.storage.locked():
            self.storage.tidy()
            listed = read_manifest(self.storage)
            self._refuse_held(listed, shards.values())
            others = [shard for shard in listed if shard.file not in files]
            if len(others) < len(listed):  # unlisted while it grows: no kill leaves a wrong digest
                write_manifest(self.storage, others)
            new = [self._write(start, deals) for start, deals in shards.items()]
            write_manifest(self.storage, [*others, *new])

    def _refuse_held(self, listed: list[Shard], new: Iterable[DealSet]) -> None:
        """Raise LibraryError if another shard already holds some of these deals."""
        others = {shard for shard in listed if not shard.file.startswith("pgx-")} - self.others
        if others:
            read = (read_shard(self.storage, shard, cached=True) for shard in others)
            self.held = np.sort(np.concatenate([self.held, cards_of(read)]))
            self.others |= others
        cards = cards_of(new)
        places = self.held.searchsorted(cards)
        twice = int((places < self.held.searchsorted(cards, side="right")).sum())
        if twice:
            raise LibraryError(
                f"{self.storage}: holds {counted(twice, 'deal')} of pgx already, in shards of "
                "another source (use another folder)"
            )

    def _write(self, start: int, deals: DealSet) -> Shard:
        file, data = self.file(start), WHOLE.encode(deals)
        self.storage.write(file, data)
        return Shard(
            file=file,
            deals=len(deals),
            seed=None,
            start=None,
            use=self.use,
            sha256=sha256(data).hexdigest(),
            solver="DDS, by the makers of pgx",
            source=self.source,
        )


def _parts(missing: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Group shards that can be requested as one range."""
    following = groupby(enumerate(missing), key=lambda pair: pair[1][0] // SHARD - pair[0])
    for _, group in following:
        shards = [shard for _, shard in group]
        yield from (shards[i : i + _PART] for i in range(0, len(shards), _PART))


def _fetch_part(
    array: _Array,
    wanted: _Wanted,
    part: list[tuple[int, int]],
    checked: NDArray[np.int64],
    advance: Callable[[int], None],
) -> None:
    """Fetch, check and store the shards of a part."""
    first, end = part[0][0], part[-1][1]
    cards, tables = (array.numbers(row, first, end) for row in (0, 1))
    shards = {}
    for start, stop in part:
        rows = slice(start - first, stop - first)
        shards[start] = pgx.unpack(cards[rows], tables[rows], array.remote.address, start)
    numbers = checked[(checked >= first) & (checked < end)]
    some = pgx.unpack(cards[numbers - first], tables[numbers - first], array.remote.address, 0)
    wrong = (solve(some).tricks != some.tricks_or_unknown).any(axis=(1, 2))
    if wrong.any():
        raise LibraryError(
            f"{array.remote.address}: deal {numbers[wrong.argmax()]} solves differently "
            "(its part is discarded)"
        )
    wanted.keep(shards)
    advance(end - first)
