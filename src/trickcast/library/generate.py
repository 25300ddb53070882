"""Fill a library with random deals and DDS's results for them.

Shards are labelled as pieces, here or on a cluster. On a cluster, the worker that labels a new
shard also writes it; the caller lists them all, and replaces earlier listings.
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
from ..cards import UNKNOWN, DealSet, checked_whole, shorten
from ..dealing import random_deals
from ..dealing.shuffling import checked_seed
from ..solver import (
    MOST_LINE_TRICKS,
    solve_batches,
    solve_line_batches,
    solver_version,
    thread_count,
)
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
    read_data,
    read_manifest,
    read_shard,
    write_manifest,
)
from .storage import LibraryError, Storage, storage_at

SOURCE = "trickcast generate"
Strains = Literal["all", "one"]
"""What is solved for a deal: its whole table, or one strain drawn at random."""
_RECORD: dict[Strains, Record] = {"all": WHOLE, "one": ONE_STRAIN}
_LISTING = 0.1
"""Share of the time that listing may take: a manifest of 100,000 shards takes seconds to write,
so the longer it is, the rarer. Files that a kill leaves unlisted are found again."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What a run adds to a library, and how it solves."""

    storage: Storage
    seed: int
    use: Use
    record: Record
    """How deals are solved and stored: which results are known, and whether with lines."""
    threads: int | None
    apart: bool
    """Whether the worker that labels a new shard writes it."""
    solve: Callable[["_Job", int, NDArray[np.uint8], Advance], NDArray[np.uint8]]

    def adds_lines_to(self, shard: Shard) -> bool:
        """Return whether a shard has the wanted deals and results, but not their lines."""
        return shard.kind is not self.record and shard.kind is self.record.without_lines

    def remove_plain(self, shard: Shard, sizes: dict[str, int]) -> None:
        """Remove the file without lines, left by a kill, of a shard that is listed with lines."""
        plain = shard_file(self.seed, shard.first, shard.kind.without_lines)
        if shard.kind.lines and plain in sizes:
            self.storage.remove(plain)

    def dealt(self, begin: int, n: int) -> DealSet:
        """Return the deals from ``begin`` on."""
        return random_deals(n, self.seed, begin)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A shard to be made."""

    begin: int
    end: int
    held: int | None
    """Deals that its file already holds, perhaps beyond its end; None without a file."""
    listed: Shard | None
    """The manifest entry that it replaces: a shard that must grow or get lines, or whose
    file is missing."""
    plain: bool = False
    """Whether the file of that entry exists and must get lines."""

    @property
    def missing(self) -> int:
        """Number of deals to solve."""
        return max(self.end - self.begin - (self.held or 0), 0)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A finished shard, and its bytes if they must still be written."""

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
    lines: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    progress: bool = False,
) -> int:
    """Solve random deals into a library; repeat the call to continue.

    Deals already in the library are kept. So a run that was killed, or that is repeated with more
    ``deals``, continues where the shards end. It gives the same bytes as one run, here or anywhere.
    A shard is written completely or not at all. Several runs may fill one folder.

    Args:
        place: Folder or address such as ``s3://bucket/library``, created if missing.
        deals: Number of deals, from ``start`` on.
        seed: Seed of the deals.
        start: Number of the first deal of the seed.
        use: Permanent role: train, validation or test.
        strains: ``"all"`` for whole tables; ``"one"`` for one random strain of each deal, by all
            four declarers. Other results stay unknown (255).
        lines: Tricks of best play to store after each result, 0 to 6. Deals already solved
                get them too.
        workers: Number of solver threads. Default: all cores; with ``cluster`` one for each shard.
        cluster: Ray cluster: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. Default: this
            machine. A cluster solves many shards at the same time.
        progress: Whether to show a bar on standard error.

    Returns:
        The number of deals that were newly solved.

    Raises:
        LibraryError: A shard is damaged, partly overlaps these deals, has another role, or was
            solved in other strains.
        ClusterError: The cluster fails.
        ValueError: A number is out of its range, or ``use`` or ``strains`` has another value.

    Example:
        >>> generate("library", 4, seed=1), generate("library", 6, seed=1)
        (4, 2)
    """
    deals, start = checked_range(deals, start, "deals")
    seed, use = checked_seed(seed), checked_use(use)
    cores = 1 if workers is None else thread_count(workers)
    storage = storage_at(place, everywhere=cluster is not None)
    threads = workers if cluster is None else cores
    job = _Job(storage, seed, use, _record(strains, lines), threads, cluster is not None, _solve)
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
            ):  # a worker that was killed while writing has left a partial file
                with storage.locked():
                    storage.tidy()
    return solved


def shard_file(seed: int, start: int, record: Record = WHOLE) -> str:
    """Return the path of a generated shard inside its library.

    Args:
        seed: Seed of the deals.
        start: Number of the first deal.
        record: How the shard stores a deal. Default: whole tables.

    Returns:
        Path relative to the library.

    Example:
        >>> shard_file(1, 4096)
        'seed-1/deals-000000004096.zrd'
    """
    return f"seed-{seed}/deals-{start:012d}{record.suffix}"


def _record(strains: Strains, lines: int) -> Record:
    """Return the record for these strains. Raises ValueError for unknown strains."""
    if strains not in tuple(_RECORD):
        raise ValueError(f"strains is {shorten(strains)} (expected {' or '.join(_RECORD)})")
    if not 0 <= (lines := checked_whole(lines, "lines")) <= MOST_LINE_TRICKS:
        raise ValueError(f"lines is {lines} (expected 0 to {MOST_LINE_TRICKS} tricks)")
    return _RECORD[strains].with_lines(lines) if lines else _RECORD[strains]


# --- what is missing --------------------------------------------------------------------------


def _missing_pieces(job: _Job, start: int, end: int) -> list[_Piece]:
    """Cut the range at multiples of a shard, and leave out what the library holds.

    A shard whose file is missing is made again, up to its old end. Raises LibraryError if the
    range conflicts with existing shards. Call it under the library's lock.
    """
    listed, sizes = _Listed(read_manifest(job.storage), job.seed), job.storage.sizes()
    borders = [start, *range((start // SHARD + 1) * SHARD, end, SHARD), end]
    pieces = (_missing_piece(job, listed, sizes, a, b) for a, b in pairwise(borders))
    return [piece for piece in pieces if piece is not None]


def _missing_piece(
    job: _Job, listed: "_Listed", sizes: dict[str, int], a: int, b: int
) -> _Piece | None:
    """Return what must be made of the shard of deals ``a`` to ``b``, or None."""
    begin, end, replaced = a, b, None
    for shard in listed.sharing(a, b):
        _refuse_conflict(job, shard, a, b)
        replaced = shard
        if shard.file not in sizes:
            begin, end = shard.first, max(b, shard.end)
            continue
        if job.storage.near:
            read_shard(job.storage, shard)  # raises if it is damaged
        elif sizes[shard.file] != shard.deals * shard.kind.size:
            raise LibraryError(
                f"{job.storage.path(shard.file)}: the shard is damaged ({sizes[shard.file]:,} "
                "bytes; not the manifest's). Delete it, and trickcast generate will recreate it"
            )
        if job.adds_lines_to(shard):
            begin, end = shard.first, max(b, shard.end)
        elif shard.first <= a and b <= shard.end:
            job.remove_plain(shard, sizes)
            return None
    size = sizes.get(shard_file(job.seed, begin, job.record))
    held = None if size is None else size // job.record.size
    to_get_lines = replaced is not None and job.adds_lines_to(replaced)
    if held and (to_get_lines or replaced is None):  # unlisted, from a killed run: keep all of it
        border = (begin // SHARD + 1) * SHARD
        following = (shard.first for shard in listed.sharing(end, border))
        end = max(end, min(begin + held, border, *following))
    plain = replaced is not None and to_get_lines and replaced.file in sizes
    return _Piece(begin, end, held, replaced, plain)


class _Listed:
    """The shards of a manifest, searchable for those that share a seed's deals with a range."""

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
        """Return the seed's shards that hold any of these deals, in manifest order."""
        blocks = (self._by_block.get(block, ()) for block in _blocks(begin, end))
        near = dict.fromkeys(shard for block in blocks for shard in block)
        return [shard for shard in near if shard.first < end and begin < shard.end]

    def remove(self, shard: Shard) -> None:
        """Remove a shard from the list."""
        del self.shards[shard.file]
        for block in _blocks(shard.first, shard.end):
            self._by_block[block].remove(shard)

    def add(self, shard: Shard) -> None:
        """Add a shard to the list."""
        self.shards[shard.file] = shard
        self._enter(shard)


def _blocks(begin: int, end: int) -> range:
    return range(begin // SHARD, (end - 1) // SHARD + 1)


def _refuse_conflict(job: _Job, shard: Shard, a: int, b: int) -> None:
    """Raise if the wanted deals ``a`` to ``b`` conflict with a shard that shares some of them."""
    path, first = job.storage.path(shard.file), shard.first
    if shard.use != job.use:
        raise LibraryError(
            f"{path}: these deals are for {shard.use}, permanently (asked for {job.use})"
        )
    kind, lines = shard.kind, job.record.lines
    if kind.strains != job.record.strains:
        raise LibraryError(
            f"{path}: holds these deals, solved in {kind.strains} of their strains "
            f"(asked for {job.record.strains}; ask for other deals)"
        )
    if kind.lines not in (0, lines) and (lines or shard.end < b):
        raise LibraryError(
            f"{path}: holds these deals with lines of {kind.lines} tricks (asked for {lines}; ask "
            f"for as many, --lines {kind.lines}, or for other deals)"
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
    """Solve the missing deals of a shard, and write it if that is the labeller's job."""
    kept = _kept(job, piece)
    n = len(kept) // job.record.size
    new = job.dealt(piece.begin + n, piece.end - piece.begin - n)
    tables, lines = _solve_piece(job, piece, piece.begin + n, new.owners, advance)
    data = kept + job.record.encode(new.with_tricks(tables), lines)
    shard = Shard(
        file=shard_file(job.seed, piece.begin, job.record),
        deals=n + len(new),
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
    if piece.held != shard.deals:
        with job.storage.locked():
            job.storage.write(shard.file, data)
    return _Labelled(shard, None)


def _kept(job: _Job, piece: _Piece) -> bytes:
    """Return the records of a piece that already exist.

    They are in a short shard that must grow, or in a file that was finished when a run was
    killed before it could list it.
    """
    if piece.held is None:
        return b""
    if piece.listed is not None and not job.adds_lines_to(piece.listed):
        return read_data(job.storage, piece.listed)
    file = shard_file(job.seed, piece.begin, job.record)
    data = job.storage.read(file, most=SHARD * job.record.size) or b""
    path = job.storage.path(file)
    try:
        deals = decode_shard(path, job.record, data)
        ours = len(deals) and (deals.owners == job.dealt(piece.begin, len(deals)).owners).all()
    except LibraryError:
        ours = False
    if not ours:
        raise LibraryError(
            f"{path}: not in the manifest, and not the deals from {piece.begin} on of "
            f"seed {job.seed}. Delete the file, and trickcast generate will recreate it"
        )
    return data[: (piece.end - piece.begin) * job.record.size]


def _solve_piece(
    job: _Job, piece: _Piece, begin: int, owners: NDArray[np.uint8], advance: Advance
) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    """Return (n, 5, 4) tricks of the deals from ``begin`` on, and their lines if requested.

    Known results without lines are not searched again.
    """
    if not job.record.lines:
        return job.solve(job, begin, owners, advance), None
    known = np.full((len(owners), 5, 4), UNKNOWN, np.uint8)
    if piece.listed is not None and piece.plain:
        solved = read_shard(job.storage, piece.listed).tricks_or_unknown[begin - piece.begin :]
        known[: len(solved)] = solved
    strains = None
    if job.record.strains == "one":
        strains = drawn_strains(len(owners), job.seed, begin)
    tables, lines = [known[:0]], [np.empty((0, 5, 4, 4 * job.record.lines), np.uint8)]
    for table, line in solve_line_batches(
        owners, job.record.lines, strains=strains, known=known, workers=job.threads
    ):
        tables.append(table)
        lines.append(line)
        advance(len(table))
    return np.concatenate(tables), np.concatenate(lines)


def _solve(job: _Job, begin: int, owners: NDArray[np.uint8], advance: Advance) -> NDArray[np.uint8]:
    """Return (n, 5, 4) tricks of the deals from ``begin`` on, 255 if not solved."""
    if job.record.strains == "one":
        strains = drawn_strains(len(owners), job.seed, begin)
        return solve_drawn(owners, strains, job.threads, advance)
    tables = [np.empty((0, 5, 4), dtype=np.uint8)]
    for batch in solve_batches(owners, workers=job.threads):
        tables.append(batch)
        advance(len(batch))
    return np.concatenate(tables)


class _Manifest:
    """Lists shards as they are made; the only part of a run that writes the manifest."""

    def __init__(self, job: _Job):
        self._job = job
        self._waiting: list[tuple[_Piece, _Labelled]] = []
        self._next = 0.0
        self._replaced: list[str] = []
        """Files whose deals are now listed with lines."""

    def add(self, piece: _Piece, labelled: _Labelled) -> None:
        """List a shard, now or soon."""
        self._waiting.append((piece, labelled))
        if time.monotonic() >= self._next:
            self.write()

    def write(self) -> None:
        """List all waiting shards. Reads the library again: another run may use it too."""
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
            finally:  # if one of a batch is refused, those before it are still listed
                if done:
                    write_manifest(storage, list(listed.shards.values()))
                    for file in self._replaced:
                        storage.remove(file)
                    self._replaced.clear()
        ended = time.monotonic()
        self._next = ended + (ended - begun) / _LISTING

    def _list(self, listed: _Listed, piece: _Piece, labelled: _Labelled) -> None:
        storage, shard = self._job.storage, labelled.shard
        sharing = listed.sharing(shard.first, shard.end)
        for other in sharing:
            _refuse_conflict(self._job, other, shard.first, shard.end)
            whole = other.first <= shard.first and shard.end <= other.end
            if whole and other != piece.listed and not self._job.adds_lines_to(other):
                return  # another run has made it in the meantime
        for other in sharing:
            listed.remove(other)
            if other.file != shard.file:
                self._replaced.append(other.file)
        if labelled.data is None and not storage.arrived(shard.file):
            raise LibraryError(
                f"{storage.path(shard.file)}: written by another machine, but not visible here "
                "(expected a folder that all machines share, or an address such as s3://…)"
            )
        if labelled.data is not None:
            if any(other.file == shard.file for other in sharing):
                # unlisted while it grows: no kill leaves a wrong digest
                write_manifest(storage, list(listed.shards.values()))
            storage.write(shard.file, labelled.data)
        listed.add(shard)
