"""Solved positions, from which a network learns before, or alongside, whole deals.

A position of ten cards is solved some twenty times faster than a deal. Positions are in a folder of
their own, or at an address, in ``.npz`` files of (n, 52) ``owners``, 255 for played cards,
and (n, 5, 4) ``tricks``. They are never used for tests, so they have no manifest.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .._arrays import read_arrays
from .._pieces import over_pieces
from .._progress import Advance, progress_bar
from ..cards import checked_whole, cut
from ..cards.positions import cards_a_hand, packed
from ..dealing import random_positions
from ..dealing.shuffling import checked_seed
from ..solver import solve_position_batches, thread_count
from .library import Library, Verification, checked_sample
from .shards import MANIFEST, SHARD, checked_range
from .storage import LibraryError, Place, Storage, storage_at

_MOST_BYTES = 1 << 30
"""Largest unpacked size of a file of positions; ours have 300 kB."""
_MADE = re.compile(r"cards-(\d+)-seed-(\d+)-(\d+)-(\d+)\.npz")
"""The file name of a range, as ``generate_positions`` writes it."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What a run solves, and where it stores the results."""

    storage: Storage
    cards: int
    seed: int
    threads: int | None

    def file(self, first: int, end: int) -> str:
        """Return the name of the file of a range."""
        return f"cards-{self.cards:02d}-seed-{self.seed}-{first:09d}-{end:09d}.npz"

    def missing(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges without a file, cut at multiples of a shard."""
        name = re.compile(rf"cards-{self.cards:02d}-seed-{self.seed}-(\d+)-(\d+)\.npz")
        found = (name.fullmatch(file) for file in self.storage.sizes())
        held = sorted((int(match[1]), int(match[2])) for match in found if match)
        for first, until in [*held, (end, end)]:
            while start < min(first, end):
                border = min(first, end, (start // SHARD + 1) * SHARD)
                yield start, border
                start = border
            start = max(start, until)


def generate_positions(
    place: Place,
    positions: int,
    cards: int,
    seed: int,
    *,
    start: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    progress: bool = False,
) -> int:
    """Solve random positions with fewer cards into a folder; repeat the call to continue.

    Files are cut at multiples of 4,096, and written completely or not at all. Existing files are
    kept.

    Args:
        place: Folder or address, created if missing.
        positions: Number of positions, from ``start`` on.
        cards: Cards in each hand, 2 to 12.
        seed: Seed of the positions.
        start: Number of the first position.
        workers: Number of solver threads. Default: all cores; with ``cluster`` one for each file.
        cluster: Ray cluster: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. Default: this
            machine.
        progress: Whether to show a bar on standard error.

    Returns:
        The number of positions that were newly solved.

    Raises:
        ValueError: A number is out of its range.
        ClusterError: The cluster fails.

    Example:
        >>> generate_positions("fours", 20, cards=4, seed=1)
        20
    """
    positions, start = checked_range(positions, start, "positions")
    cards, seed = checked_whole(cards, "cards"), checked_seed(seed)
    random_positions(0, cards, seed)  # refuses invalid sizes before anything is made
    cores = 1 if workers is None else thread_count(workers)
    storage = storage_at(place, everywhere=cluster is not None)
    job = _Job(storage, cards, seed, workers if cluster is None else cores)
    with storage.locked():
        storage.tidy()
        missing = [*job.missing(start, start + positions)]
    todo: int = sum(b - a for a, b in missing)
    with (
        progress_bar("generating", todo, "positions", show=progress) as bar,
        over_pieces(
            partial(_make, job), missing, cluster=cluster, cores=cores, advance=bar
        ) as made,
    ):
        for (first, last), _ in made:
            if not storage.arrived(job.file(first, last)):
                raise LibraryError(
                    f"{storage.path(job.file(first, last))}: written by another machine, and not "
                    "seen here (expected a folder that all machines share, or an address)"
                )
        if cluster is not None:  # a worker killed while writing has left a partial file
            with storage.locked():
                storage.tidy()
    return todo


def _make(job: _Job, piece: tuple[int, int], advance: Advance) -> None:
    """Solve the positions of a file, and write it."""
    first, end = piece
    owners = packed(random_positions(end - first, job.cards, job.seed, first))
    tables = []
    for batch in solve_position_batches(owners, workers=job.threads):
        tables.append(batch)
        advance(len(batch))
    stream = io.BytesIO()
    np.savez_compressed(stream, owners=owners, tricks=np.concatenate(tables))
    with job.storage.locked():
        job.storage.write(job.file(first, end), stream.getvalue())


def read_positions(place: Place) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Read all positions of a folder.

    For a library these are the positions along the lines of play of its training deals.

    Args:
        place: Folder or address.

    Returns:
        Owners, shape (n, 52), uint8, 255 for played cards; and tricks, shape (n, 5, 4),
        uint8.

    Raises:
        LibraryError: The folder has no positions, or a file is damaged.

    Example:
        >>> made = generate_positions("positions", 20, cards=4, seed=1)
        >>> owners, tricks = read_positions("positions")
        >>> owners.shape, tricks.max() <= 4
        ((20, 52), np.True_)
    """
    storage = storage_at(place)
    if MANIFEST in storage.sizes():
        read = [*Library(place).positions("train")]
    else:
        read = [_read(storage, file, size) for file, size in _files(storage)]
    if not read:
        raise LibraryError(
            f"{place}: no solved positions (create some: trickcast generate --cards 10, or "
            "--lines 3)"
        )
    return np.concatenate([owners for owners, _ in read]), np.concatenate([t for _, t in read])


def holds_positions(place: Place) -> bool:
    """Return whether a place is a folder of positions: it has such files, and no manifest.

    Args:
        place: Folder or address.

    Returns:
        True if it is.

    Example:
        >>> holds_positions("nowhere")
        False
    """
    storage = storage_at(place)
    return bool(_files(storage)) and MANIFEST not in storage.sizes()


def count_positions(place: Place) -> dict[int, int]:
    """Return the number of positions in a folder, by cards in a hand.

    Args:
        place: Folder or address.

    Returns:
        Numbers of positions by cards in a hand; empty if there are none.

    Raises:
        LibraryError: A file is damaged; the message names it.

    Example:
        >>> made = generate_positions("positions", 20, cards=4, seed=1)
        >>> count_positions("positions")
        {4: 20}
    """
    if not _files(storage_at(place)):
        return {}
    sizes = np.bincount(cards_a_hand(read_positions(place)[0]))
    return {int(cards): int(sizes[cards]) for cards in np.flatnonzero(sizes)}


def _files(storage: Storage) -> list[tuple[str, int]]:
    """Return the files of positions with their sizes in bytes."""
    sizes = storage.sizes()
    return [(f, sizes[f]) for f in sorted(sizes) if f.endswith(".npz") and "/" not in f]


def _read(storage: Storage, file: str, size: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    path, data = storage.path(file), storage.read(file, most=size)
    try:
        arrays = read_arrays(data or b"", _MOST_BYTES)
        owners, tricks = arrays["owners"], arrays["tricks"]
        if owners.shape[1:] != (52,) or tricks.shape != (len(owners), 5, 4):
            raise ValueError(f"owners of shape {owners.shape} and tricks of {tricks.shape}")
        if owners.dtype != np.uint8 or tricks.dtype != np.uint8:
            raise ValueError(f"owners are {owners.dtype}, tricks {tricks.dtype}, not uint8")
        if (tricks.max((1, 2)) > cards_a_hand(owners)).any():
            raise ValueError("more tricks than cards in a hand")
    except (ValueError, KeyError) as error:
        reason = cut(str(error))
        raise LibraryError(
            f"{path}: not a file of solved positions, or damaged ({reason}). Delete the file, and "
            "trickcast generate will recreate its positions"
        ) from None
    return owners, tricks


def verify_positions(
    place: Place, *, sample: int = 40, seed: int = 0, progress: bool = False
) -> Verification:
    """Check every file of positions, and solve a sample again.

    Args:
        place: Folder or address.
        sample: Number of positions to solve again.
        seed: Seed that chooses them.
        progress: Whether to show a bar on standard error.

    Returns:
        A Verification: what was checked, and the problems found.

    Raises:
        TypeError: ``sample`` is not a whole number.
        ValueError: ``sample`` is negative.

    Example:
        >>> made = generate_positions("positions", 20, cards=4, seed=1)
        >>> verify_positions("positions").problems
        ()
    """
    sample = checked_sample(sample)
    storage = storage_at(place)
    files, problems = _files(storage), list[str]()
    owners, tricks = [np.empty((0, 52), np.uint8)], [np.empty((0, 5, 4), np.uint8)]
    sound = list[str]()
    for file, size in files:
        try:
            cards, results = _read(storage, file, size)
        except LibraryError as error:
            problems.append(str(error))
            continue
        if not _as_named(file, cards):
            problems.append(f"{file}: does not hold the positions of its name")
        owners.append(cards)
        tricks.append(results)
        sound.append(file)
    every, results = np.concatenate(owners), np.concatenate(tricks)
    begins = np.cumsum([len(cards) for cards in owners])  # the first is empty
    if twice := len(every) - len(np.unique(every, axis=0)):
        problems.append(f"{twice} positions occur more than once")
    sample = min(sample, len(every))
    chosen = np.sort(np.random.default_rng(seed).choice(len(every), size=sample, replace=False))
    with progress_bar("solving again", sample, "positions", show=progress) as advance:
        done = 0
        for batch in solve_position_batches(every[chosen]):
            rows = chosen[done : done + len(batch)]
            for row in rows[(batch != results[rows]).any((1, 2))]:
                of = int(np.searchsorted(begins, row, side="right")) - 1
                problems.append(f"{sound[of]}: position {row - begins[of]} solves differently")
            done += len(batch)
            advance(len(batch))
    return Verification(len(files), len(every), sample, tuple(problems))


def _as_named(file: str, owners: NDArray[np.uint8]) -> bool:
    """Return whether a file holds the positions that its name states, if it states any."""
    if (name := _MADE.fullmatch(file)) is None:
        return True
    cards, seed, first, end = map(int, name.groups())
    return len(owners) == end - first and np.array_equal(
        owners, packed(random_positions(end - first, cards, seed, first))
    )
