"""Filling a library with random deals and what DDS says of them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import DealSet
from ..dealing import random_deals
from ..solver import solve_batches, solver_version
from .files import LibraryError, locked, read_inside
from .manifest import SHARD, Shard, Use, read_manifest, write_manifest
from .records import ONE_STRAIN, WHOLE, Record
from .shards import decode_shard, read_shard, write_shard
from .strains import drawn_strains, solve_drawn

SOURCE = "trickcast generate"
Strains = Literal["all", "one"]
"""What is solved of a deal: its whole table, or one strain drawn for it."""
_RECORD: dict[Strains, Record] = {"all": WHOLE, "one": ONE_STRAIN}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a run adds to which library."""

    root: Path
    seed: int
    use: Use
    record: Record


def generate(
    folder: str | PathLike[str],
    deals: int,
    seed: int,
    *,
    start: int = 0,
    use: Use = "train",
    strains: Strains = "all",
    workers: int | None = None,
    progress: bool = False,
) -> int:
    """Solve the deals ``start`` to ``start + deals - 1`` of ``seed`` into a library's shards.

    With ``strains="one"`` each deal is solved in one strain alone, drawn from its seed and number,
    by all four declarers; the other results stay unknown (255).

    What the library holds already is kept, so a run that was killed at any moment, or a larger
    ``deals``, goes on where the shards end and gives the same bytes as one run. A shard is written
    whole or not at all; a short last one is replaced when it grows, one that was deleted is made
    again. Several runs may fill one library. Returns the number of deals that were solved now.

    Raises LibraryError when a shard in the range is damaged, overlaps it in part, was added for
    another use or solved in other strains, and ValueError for numbers out of range.
    """
    if deals < 1 or start < 0:
        raise ValueError(f"deals is {deals} and start is {start} (expected 1 and 0 or more)")
    wanted = _Wanted(Path(folder), seed, use, _RECORD[strains])
    random_deals(0, seed, start + deals - 1)  # refuses what is out of range before anything is made
    wanted.root.mkdir(parents=True, exist_ok=True)
    with locked(wanted.root):
        pieces = _missing_pieces(wanted, start, start + deals)
        todo = sum(end - begin - len(_kept(wanted, begin, end)) for begin, end in pieces)
    solved = 0
    with progress_bar("generating", todo, "deals", show=progress) as advance:
        for begin, end in pieces:
            solved += _make_shard(wanted, begin, end, workers, advance)
    return solved


def shard_file(seed: int, start: int, record: Record = WHOLE) -> str:
    """Return a generated shard's path inside its library: of seed, first deal and record alone."""
    return f"seed-{seed}/deals-{start:012d}{record.suffix}"


def _missing_pieces(wanted: _Wanted, start: int, end: int) -> list[tuple[int, int]]:
    """Cut the range at the multiples of a shard, and leave out what the library holds.

    A shard whose file is gone is made again, to where it ended. Raises LibraryError where the
    range cannot stand beside what is there. To be called under the library's lock.
    """
    listed = read_manifest(wanted.root)
    borders = [start, *range((start // SHARD + 1) * SHARD, end, SHARD), end]
    missing = []
    for a, b in pairwise(borders):
        piece: tuple[int, int] | None = a, b
        for shard in listed:
            if not _shares(shard, wanted.seed, a, b):
                continue
            _refuse_conflict(wanted, shard, a, b)
            if not (wanted.root / shard.file).exists():
                piece = shard.first, max(b, shard.end)
                continue
            read_shard(wanted.root, shard)  # raises where it is damaged
            if shard.first <= a and b <= shard.end:
                piece = None
        if piece is not None:
            missing.append(piece)
    return missing


def _shares(shard: Shard, seed: int, begin: int, end: int) -> bool:
    """Whether a shard holds any of these deals of a seed."""
    return shard.seed == seed and shard.first < end and begin < shard.end


def _refuse_conflict(wanted: _Wanted, shard: Shard, a: int, b: int) -> None:
    """Raise when the wanted deals ``a`` to ``b`` cannot stand beside a shard that shares some."""
    path, first = wanted.root / shard.file, shard.first
    if shard.use != wanted.use:
        raise LibraryError(
            f"{path}: these deals are for {shard.use}, for ever (asked for {wanted.use})"
        )
    if shard.kind is not wanted.record:
        raise LibraryError(
            f"{path}: holds these deals, solved in {shard.kind.strains} of their strains "
            f"(asked for {wanted.record.strains}; ask for other deals)"
        )
    if first > a or (first < a and shard.end < b):
        free = shard.end if first <= a else a
        until = "" if first <= a else f", at most {first - a} deals"
        raise LibraryError(
            f"{path}: holds the deals {first} to {shard.end - 1} of seed {shard.seed} "
            f"already (ask for other deals: --start {free}{until})"
        )


def _kept(wanted: _Wanted, begin: int, end: int) -> DealSet:
    """Return the deals of a piece that are solved already.

    They stand in a short shard that is to grow, or in a file that was finished when a run was
    killed before it could list it. To be called under the library's lock.
    """
    file = shard_file(wanted.seed, begin, wanted.record)
    path = wanted.root / file
    listed = [shard for shard in read_manifest(wanted.root) if shard.file == file]
    try:
        if listed and path.exists():
            return read_shard(wanted.root, listed[0])[: end - begin]
        data = read_inside(wanted.root, file, most=SHARD * wanted.record.size)
    except FileNotFoundError:
        return DealSet(np.empty((0, 52), np.uint8))
    deals = decode_shard(path, wanted.record, data or b"")
    if not len(deals) or deals.owners.tobytes() != _dealt(wanted, begin, len(deals)).tobytes():
        raise LibraryError(
            f"{path}: not in the manifest, and not the deals from {begin} on of seed {wanted.seed}"
        )
    return deals[: end - begin]


def _dealt(wanted: _Wanted, begin: int, n: int) -> NDArray[np.uint8]:
    return random_deals(n, wanted.seed, begin).owners


def _make_shard(
    wanted: _Wanted, begin: int, end: int, workers: int | None, advance: Callable[[int], None]
) -> int:
    """Solve what is missing of one shard, write it and list it; return how many were solved.

    The library is asked again before and after: another run may have been here meanwhile.
    """
    root, record = wanted.root, wanted.record
    with locked(root):
        if not _missing_pieces(wanted, begin, end):
            return 0
        kept = _kept(wanted, begin, end)
    deals = random_deals(end - begin, wanted.seed, begin)
    tables = _solve(wanted, begin + len(kept), deals.owners[len(kept) :], workers, advance)
    solved = deals.with_tricks(np.concatenate([kept.tricks_or_unknown, tables]))
    file = shard_file(wanted.seed, begin, record)
    with locked(root):
        if _missing_pieces(wanted, begin, end):
            listed = read_manifest(root)
            others = [shard for shard in listed if not _shares(shard, wanted.seed, begin, end)]
            if len(others) < len(listed):  # unlisted while it grows: no kill leaves a wrong digest
                write_manifest(root, others)
            shard = Shard(
                file=file,
                deals=len(solved),
                seed=wanted.seed,
                start=begin,
                use=wanted.use,
                sha256=write_shard(root, file, record.encode(solved)),
                solver=solver_version(),
                source=SOURCE,
                record=record.name,
            )
            write_manifest(root, [*others, shard])
    return len(tables)


def _solve(
    wanted: _Wanted,
    begin: int,
    owners: NDArray[np.uint8],
    workers: int | None,
    advance: Callable[[int], None],
) -> NDArray[np.uint8]:
    """Return (n, 5, 4) tricks of the deals from ``begin`` on, 255 where not solved."""
    if wanted.record is ONE_STRAIN:
        strains = drawn_strains(len(owners), wanted.seed, begin)
        return solve_drawn(owners, strains, workers, advance)
    tables = [np.empty((0, 5, 4), dtype=np.uint8)]
    for batch in solve_batches(owners, workers=workers):
        tables.append(batch)
        advance(len(batch))
    return np.concatenate(tables)
