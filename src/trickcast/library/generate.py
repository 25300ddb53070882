"""Filling a library with random deals and their exact tables."""

from collections.abc import Callable
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np

from .._files import is_temporary
from .._progress import progress_bar
from ..cards import DealSet
from ..dealing import random_deals
from ..formats import zrd
from ..solver import solve_batches, solver_version
from .manifest import (
    SHARD,
    LibraryError,
    Shard,
    Use,
    locked,
    read_manifest,
    write_manifest,
)
from .store import read_shard, write_shard

SOURCE = "trickcast generate"


def generate(
    folder: str | PathLike[str],
    deals: int,
    seed: int,
    *,
    start: int = 0,
    use: Use = "train",
    workers: int | None = None,
    progress: bool = False,
) -> int:
    """Solve the deals ``start`` to ``start + deals - 1`` of ``seed`` into a library's shards.

    What the library holds already is kept, so a run that was killed at any moment, or a larger
    ``deals``, goes on where the shards end and gives the same bytes as one run. A shard is written
    whole or not at all; a short last one is replaced when it grows. Returns the number of deals
    that were solved now.

    Raises LibraryError when a shard in the range is damaged, overlaps it in part or was added for
    another use, and ValueError for numbers out of range.
    """
    if deals < 1 or start < 0:
        raise ValueError(f"deals is {deals} and start is {start} (expected 1 and 0 or more)")
    root = Path(folder)
    random_deals(0, seed)  # refuses a seed out of range before anything is made
    root.mkdir(parents=True, exist_ok=True)
    with locked(root):  # whoever writes holds the lock, so what is unfinished now was killed
        _remove_leftovers(root, seed)
    pieces = _missing_pieces(root, seed, start, start + deals, use)
    kept = {begin: _kept(root, seed, begin, end) for begin, end in pieces}
    todo = sum(end - begin - len(kept[begin]) for begin, end in pieces)
    with progress_bar("generating", todo, "deals", show=progress) as advance:
        for begin, end in pieces:
            _make_shard(root, seed, begin, end, use, kept[begin], workers, advance)
    return todo


def shard_file(seed: int, start: int) -> str:
    """Return a generated shard's path inside its library: made from seed and first deal alone."""
    return f"seed-{seed}/deals-{start:012d}.zrd"


def _missing_pieces(root: Path, seed: int, start: int, end: int, use: Use) -> list[tuple[int, int]]:
    """Cut the range at the multiples of a shard, and leave out what the library holds."""
    shards = [shard for shard in read_manifest(root) if shard.seed == seed]
    borders = [start, *range((start // SHARD + 1) * SHARD, end, SHARD), end]
    missing = []
    for a, b in pairwise(borders):
        for shard in shards:
            first = shard.start or 0
            if first < b and a < shard.end:
                _refuse_conflict(root, shard, a, b, use)
        if not any((s.start or 0) <= a and b <= s.end for s in shards):
            missing.append((a, b))
    return missing


def _refuse_conflict(root: Path, shard: Shard, a: int, b: int, use: Use) -> None:
    """Raise when the wanted deals ``a`` to ``b`` cannot stand beside a shard that shares some."""
    first = shard.start or 0
    if shard.use != use:
        raise LibraryError(
            f"{root / shard.file}: these deals are for {shard.use}, for ever (asked for {use})"
        )
    if first > a or (first < a and shard.end < b):
        free = shard.end if first <= a else a
        until = "" if first <= a else f", at most {first - a} deals"
        raise LibraryError(
            f"{root / shard.file}: holds the deals {first} to {shard.end - 1} of seed {shard.seed} "
            f"already (ask for other deals: --start {free}{until})"
        )
    read_shard(root, shard)  # raises where it is damaged


def _kept(root: Path, seed: int, begin: int, end: int) -> DealSet:
    """Return the deals of a piece that are solved already.

    They stand in a short shard that is to grow, or in a file that was finished when a run was
    killed before it could list it.
    """
    file = shard_file(seed, begin)
    for shard in read_manifest(root):
        if shard.file == file:
            return read_shard(root, shard)
    if not (root / file).exists():
        return DealSet(np.empty((0, 52), np.uint8))
    found = DealSet(*zrd.decode((root / file).read_bytes(), str(root / file)))
    if not np.array_equal(found.owners, random_deals(len(found), seed, begin).owners):
        raise LibraryError(
            f"{root / file}: not in the manifest, and not the deals from {begin} on of seed {seed}"
        )
    return found[: end - begin]


def _make_shard(
    root: Path,
    seed: int,
    begin: int,
    end: int,
    use: Use,
    kept: DealSet,
    workers: int | None,
    advance: Callable[[int], None],
) -> None:
    """Solve what is missing of one shard, write it and list it."""
    deals = random_deals(end - begin, seed, begin)
    tables = [kept.tricks_or_unknown]
    for batch in solve_batches(deals.owners[len(kept) :], workers=workers):
        tables.append(batch)
        advance(len(batch))
    file = shard_file(seed, begin)
    solved = deals.with_tricks(np.concatenate(tables))
    with locked(root):
        listed = read_manifest(root)
        others = [shard for shard in listed if shard.file != file]
        if len(others) < len(listed):  # unlisted while it grows: no kill leaves a wrong digest
            write_manifest(root, others)
        shard = Shard(
            file=file,
            deals=len(solved),
            seed=seed,
            start=begin,
            use=use,
            sha256=write_shard(root, file, solved),
            solver=solver_version(),
            source=SOURCE,
        )
        write_manifest(root, [*others, shard])


def _remove_leftovers(root: Path, seed: int) -> None:
    """Remove the temporary files of a run that was killed while it wrote."""
    for folder in (root, (root / shard_file(seed, 0)).parent):
        for leftover in folder.glob(".*.tmp"):
            if is_temporary(leftover):
                leftover.unlink()
