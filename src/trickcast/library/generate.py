"""Filling a library with random deals and what DDS says of them.

Shards are labelled as pieces, here or on a cluster. There, who labels a new shard writes it too;
whoever called lists them all, and replaces what was listed before.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import pairwise
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .._pieces import over_pieces
from .._progress import Advance, progress_bar
from ..cards import DealSet, shorten
from ..dealing import random_deals
from ..dealing.shuffling import checked_seed
from ..solver import solve_batches, solver_version, thread_count
from .labels import drawn_strains, solve_drawn
from .shards import (
    ONE_STRAIN,
    SHARD,
    WHOLE,
    Record,
    Shard,
    Use,
    checked_range,
    checked_use,
    decode_shard,
    read_manifest,
    read_shard,
    write_manifest,
)
from .storage import LibraryError, Storage, storage_at

SOURCE = "trickcast generate"
Strains = Literal["all", "one"]
"""What is solved of a deal: its whole table, or one strain drawn for it."""
_RECORD: dict[Strains, Record] = {"all": WHOLE, "one": ONE_STRAIN}
_LISTING = 0.1
"""Share of the time that may go into listing: a manifest of 100,000 shards is written in seconds,
so it is written less often the longer it is. What a kill leaves unlisted is found again."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What a run adds to which library, and how it solves."""

    storage: Storage
    seed: int
    use: Use
    record: Record
    threads: int | None
    apart: bool
    """Whether who labels a new shard writes it."""
    solve: Callable[["_Job", int, NDArray[np.uint8], Advance], NDArray[np.uint8]]

    def dealt(self, begin: int, n: int) -> DealSet:
        """Return the deals from ``begin`` on."""
        return random_deals(n, self.seed, begin)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A shard to be made."""

    begin: int
    end: int
    held: int | None
    """Deals that its file holds already, perhaps beyond its end; None where there is no file."""
    listed: Shard | None
    """The manifest's entry that it replaces: of a shard that is to grow, or whose file is gone."""

    @property
    def missing(self) -> int:
        """How many deals are to be solved."""
        return max(self.end - self.begin - (self.held or 0), 0)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A shard that was made, and its bytes where they are still to be written."""

    shard: Shard
    data: bytes | None


def generate(
    place: str | PathLike[str],
    deals: int,
    seed: int,
    *,
    start: int = 0,
    use: Use = "train",
    strains: Strains = "all",
    workers: int | None = None,
    cluster: str | None = None,
    progress: bool = False,
) -> int:
    """Solve the deals ``start`` to ``start + deals - 1`` of ``seed`` into a library's shards.

    ``place`` is a folder or an address such as ``s3://bucket/library``. With ``strains="one"`` each
    deal is solved in one strain alone, drawn from its seed and number, by all four declarers; the
    other results stay unknown (255). ``cluster`` is a Ray cluster, ``"local"``, ``"auto"`` or
    ``"ray://HOST:PORT"``, on which shards are made at the same time, each by ``workers`` threads
    (default: one); without it they are made here, one after another, by all cores.

    What the library holds already is kept, so a run that was killed at any moment, or a larger
    ``deals``, goes on where the shards end and gives the same bytes as one run, here or anywhere. A
    shard is written whole or not at all; a short last one is replaced when it grows, one that was
    deleted is made again. Several runs may fill one folder. Returns the number of deals that were
    solved now.

    Raises LibraryError when a shard in the range is damaged, overlaps it in part, was added for
    another use or solved in other strains, ClusterError where the cluster fails, and ValueError for
    numbers out of range and for words that are no ``use`` or ``strains``.
    """
    deals, start = checked_range(deals, start, "deals")
    seed, use = checked_seed(seed), checked_use(use)
    cores = 1 if workers is None else thread_count(workers)
    storage = storage_at(place, everywhere=cluster is not None)
    threads = workers if cluster is None else cores
    job = _Job(storage, seed, use, _record(strains), threads, cluster is not None, _solve)
    with storage.locked():
        storage.tidy()
        pieces = _missing_pieces(job, start, start + deals)
    solved, manifest = 0, _Manifest(job)
    with (
        progress_bar("generating", sum(p.missing for p in pieces), "deals", show=progress) as bar,
        over_pieces(
            partial(_label, job), pieces, cluster=cluster, cores=cores, advance=bar
        ) as done,
    ):
        try:
            for piece, labelled in done:
                manifest.add(piece, labelled)
                solved += piece.missing
        finally:
            manifest.write()
            if (
                cluster is not None
            ):  # a worker that was killed while it wrote has left what it wrote
                with storage.locked():
                    storage.tidy()
    return solved


def shard_file(seed: int, start: int, record: Record = WHOLE) -> str:
    """Return a generated shard's path inside its library: of seed, first deal and record alone."""
    return f"seed-{seed}/deals-{start:012d}{record.suffix}"


def _record(strains: Strains) -> Record:
    """Return how deals are kept that are solved so. Raises ValueError for any other word."""
    if strains not in tuple(_RECORD):
        raise ValueError(f"strains is {shorten(strains)} (expected {' or '.join(_RECORD)})")
    return _RECORD[strains]


# --- what is missing --------------------------------------------------------------------------


def _missing_pieces(job: _Job, start: int, end: int) -> list[_Piece]:
    """Cut the range at the multiples of a shard, and leave out what the library holds.

    A shard whose file is gone is made again, to where it ended. Raises LibraryError where the
    range cannot stand beside what is there. To be called under the library's lock.
    """
    listed, sizes = _Listed(read_manifest(job.storage), job.seed), job.storage.sizes()
    borders = [start, *range((start // SHARD + 1) * SHARD, end, SHARD), end]
    pieces = (_missing_piece(job, listed, sizes, a, b) for a, b in pairwise(borders))
    return [piece for piece in pieces if piece is not None]


def _missing_piece(
    job: _Job, listed: "_Listed", sizes: dict[str, int], a: int, b: int
) -> _Piece | None:
    """Return what has to be made of the shard of deals ``a`` to ``b``, or None."""
    begin, end, replaced = a, b, None
    for shard in listed.sharing(a, b):
        _refuse_conflict(job, shard, a, b)
        replaced = shard
        if shard.file not in sizes:
            begin, end = shard.first, max(b, shard.end)
            continue
        if job.storage.near:
            read_shard(job.storage, shard)  # raises where it is damaged
        elif sizes[shard.file] != shard.deals * shard.kind.size:
            raise LibraryError(
                f"{job.storage.path(shard.file)}: the shard is damaged ({sizes[shard.file]:,} "
                "bytes; not the manifest's). Delete it, and trickcast generate makes it again"
            )
        if shard.first <= a and b <= shard.end:
            return None
    size = sizes.get(shard_file(job.seed, begin, job.record))
    held = None if size is None else size // job.record.size
    if held and replaced is None:  # unlisted, of a run that was killed: all of it is kept
        border = (begin // SHARD + 1) * SHARD
        following = (shard.first for shard in listed.sharing(end, border))
        end = max(end, min(begin + held, border, *following))
    return _Piece(begin, end, held, replaced)


class _Listed:
    """The shards of a manifest, and which of a seed share deals with a range."""

    def __init__(self, shards: list[Shard], seed: int):
        self.shards = {shard.file: shard for shard in shards}
        self._seed = seed
        self._by_block: dict[int, list[Shard]] = {}
        for shard in shards:
            self._enter(shard)

    def _enter(self, shard: Shard) -> None:
        if shard.seed == self._seed:
            for block in _blocks(shard.first, shard.end):
                self._by_block.setdefault(block, []).append(shard)

    def sharing(self, begin: int, end: int) -> list[Shard]:
        """Return the seed's shards that hold any of these deals, in the order of the manifest."""
        blocks = (self._by_block.get(block, ()) for block in _blocks(begin, end))
        near = dict.fromkeys(shard for block in blocks for shard in block)
        return [shard for shard in near if shard.first < end and begin < shard.end]

    def remove(self, shard: Shard) -> None:
        """Take a shard off the list."""
        del self.shards[shard.file]
        for block in _blocks(shard.first, shard.end):
            self._by_block[block].remove(shard)

    def add(self, shard: Shard) -> None:
        """Put a shard on the list."""
        self.shards[shard.file] = shard
        self._enter(shard)


def _blocks(begin: int, end: int) -> range:
    return range(begin // SHARD, (end - 1) // SHARD + 1)


def _refuse_conflict(job: _Job, shard: Shard, a: int, b: int) -> None:
    """Raise when the wanted deals ``a`` to ``b`` cannot stand beside a shard that shares some."""
    path, first = job.storage.path(shard.file), shard.first
    if shard.use != job.use:
        raise LibraryError(
            f"{path}: these deals are for {shard.use}, for ever (asked for {job.use})"
        )
    if shard.kind is not job.record:
        raise LibraryError(
            f"{path}: holds these deals, solved in {shard.kind.strains} of their strains "
            f"(asked for {job.record.strains}; ask for other deals)"
        )
    if first > a or (first < a and shard.end < b):
        free = shard.end if first <= a else a
        until = "" if first <= a else f", at most {first - a} deals"
        raise LibraryError(
            f"{path}: holds the deals {first} to {shard.end - 1} of seed {shard.seed} "
            f"already (ask for other deals: --start {free}{until})"
        )


# --- making shards ----------------------------------------------------------------------------


def _label(job: _Job, piece: _Piece, advance: Advance) -> _Labelled:
    """Solve what is missing of a shard, and write it where that is the labeller's to do."""
    kept = _kept(job, piece)
    deals = job.dealt(piece.begin, piece.end - piece.begin)
    tables = job.solve(job, piece.begin + len(kept), deals.owners[len(kept) :], advance)
    solved = deals.with_tricks(np.concatenate([kept.tricks_or_unknown, tables]))
    data = job.record.encode(solved)
    shard = Shard(
        file=shard_file(job.seed, piece.begin, job.record),
        deals=len(solved),
        seed=job.seed,
        start=piece.begin,
        use=job.use,
        sha256=sha256(data).hexdigest(),
        solver=solver_version(),
        source=SOURCE,
        record=job.record.name,
    )
    if not job.apart or piece.listed is not None:
        return _Labelled(shard, data)
    if piece.held != len(solved):
        with job.storage.locked():
            job.storage.write(shard.file, data)
    return _Labelled(shard, None)


def _kept(job: _Job, piece: _Piece) -> DealSet:
    """Return the deals of a piece that are solved already.

    They stand in a short shard that is to grow, or in a file that was finished when a run was
    killed before it could list it.
    """
    if piece.held is None:
        return DealSet(np.empty((0, 52), np.uint8))
    if piece.listed is not None:
        return read_shard(job.storage, piece.listed)
    file = shard_file(job.seed, piece.begin, job.record)
    data = job.storage.read(file, most=SHARD * job.record.size)
    path = job.storage.path(file)
    try:
        deals = decode_shard(path, job.record, data or b"")
        ours = len(deals) and (deals.owners == job.dealt(piece.begin, len(deals)).owners).all()
    except LibraryError:
        ours = False
    if not ours:
        raise LibraryError(
            f"{path}: not in the manifest, and not the deals from {piece.begin} on of "
            f"seed {job.seed}. Delete the file, and trickcast generate makes it again"
        )
    return deals[: piece.end - piece.begin]


def _solve(job: _Job, begin: int, owners: NDArray[np.uint8], advance: Advance) -> NDArray[np.uint8]:
    """Return (n, 5, 4) tricks of the deals from ``begin`` on, 255 where not solved."""
    if job.record is ONE_STRAIN:
        strains = drawn_strains(len(owners), job.seed, begin)
        return solve_drawn(owners, strains, job.threads, advance)
    tables = [np.empty((0, 5, 4), dtype=np.uint8)]
    for batch in solve_batches(owners, workers=job.threads):
        tables.append(batch)
        advance(len(batch))
    return np.concatenate(tables)


class _Manifest:
    """Lists shards as they are made: the only writer of a run."""

    def __init__(self, job: _Job):
        self._job = job
        self._waiting: list[tuple[_Piece, _Labelled]] = []
        self._next = 0.0

    def add(self, piece: _Piece, labelled: _Labelled) -> None:
        """List a shard, now or soon."""
        self._waiting.append((piece, labelled))
        if time.monotonic() >= self._next:
            self.write()

    def write(self) -> None:
        """List all that waits for it. The library is asked again: another run may be here too."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        begun = time.monotonic()
        storage = self._job.storage
        with storage.locked():
            listed = _Listed(read_manifest(storage), self._job.seed)
            done = 0
            try:
                for piece, labelled in waiting:
                    self._list(listed, piece, labelled)
                    done += 1
            finally:  # of a batch in which one is refused, those before it are listed
                if done:
                    write_manifest(storage, list(listed.shards.values()))
        ended = time.monotonic()
        self._next = ended + (ended - begun) / _LISTING

    def _list(self, listed: _Listed, piece: _Piece, labelled: _Labelled) -> None:
        storage, shard = self._job.storage, labelled.shard
        sharing = listed.sharing(shard.first, shard.end)
        for other in sharing:
            _refuse_conflict(self._job, other, shard.first, shard.end)
            if other != piece.listed and other.first <= shard.first and shard.end <= other.end:
                return  # another run has made it meanwhile
        for other in sharing:
            listed.remove(other)
        if labelled.data is None and not storage.arrived(shard.file):
            raise LibraryError(
                f"{storage.path(shard.file)}: written by another machine, and not seen here "
                "(expected a folder that all machines share, or an address such as s3://…)"
            )
        if labelled.data is not None:
            if sharing:  # unlisted while it grows: no kill leaves a wrong digest
                write_manifest(storage, list(listed.shards.values()))
            storage.write(shard.file, labelled.data)
        listed.add(shard)
