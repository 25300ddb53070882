"""Checking a library: digests, cards, ranges, and a sample of the labels by solving again."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from .._progress import progress_bar
from ..cards import DealSet
from ..dealing import random_deals
from ..solver import solve_batches
from .manifest import Shard
from .records import ONE_STRAIN, RECORDS, known_strains
from .shards import read_shard, repeated
from .store import Library
from .strains import drawn_strains, solve_drawn


@dataclass(frozen=True, slots=True)
class Verification:
    """What ``verify`` found."""

    shards: int
    deals: int
    solved_again: int
    problems: tuple[str, ...]
    """One line for each thing that is wrong."""


def checked_sample(sample: int) -> int:
    """Return how many shall be solved again. Raises ValueError for fewer than none."""
    if sample < 0:
        raise ValueError(f"sample is {sample} (expected 0 or more)")
    return sample


def verify(
    library: Library, *, sample: int = 40, seed: int = 0, progress: bool = False
) -> Verification:
    """Check every shard's digest and cards, and solve ``sample`` random deals again.

    Deals of one strain are solved again in that strain. Also finds shard files that the manifest
    does not list, shards of one seed that overlap, and seeded shards whose cards or strains are
    not those of their seed. Raises ValueError for a negative ``sample``.
    """
    sample = checked_sample(sample)
    problems, sound = list[str](), list[Shard]()
    for shard in library.shards:
        try:
            deals = read_shard(library.storage, shard)
        except ValueError as error:
            problems.append(str(error))
            continue
        sound.append(shard)
        problems += _not_of_seed(shard, deals)
    problems += _misfits(library)
    if twice := repeated(library.read(shard) for shard in sound):
        problems.append(f"{twice} deals stand more than once")
    sample = min(sample, sum(shard.deals for shard in sound))
    problems += _solve_again(library, sound, sample, seed, progress)
    return Verification(len(library.shards), len(library), sample, tuple(problems))


def _not_of_seed(shard: Shard, deals: DealSet) -> list[str]:
    """Say where the cards or the strains are not those that the shard's seed gives."""
    if shard.seed is None:
        return []
    dealt = random_deals(shard.deals, shard.seed, shard.first)
    if not np.array_equal(deals.owners, dealt.owners):
        return [f"{shard.file}: not the deals of seed {shard.seed}"]
    if shard.kind is ONE_STRAIN and not np.array_equal(
        known_strains(deals.tricks_or_unknown), drawn_strains(shard.deals, shard.seed, shard.first)
    ):
        return [f"{shard.file}: not in the strains that seed {shard.seed} draws"]
    return []


def _misfits(library: Library) -> list[str]:
    """Find unlisted files, files listed twice and overlapping ranges."""
    listed = Counter(shard.file for shard in library.shards)
    present = {
        file
        for file in library.storage.sizes()
        if file.endswith(tuple(record.suffix for record in RECORDS.values()))
    }
    problems = [f"{file}: not in the manifest" for file in sorted(present - set(listed))]
    problems += [f"{file}: listed {n} times" for file, n in listed.items() if n > 1]
    seeded = sorted(
        (shard for shard in library.shards if shard.seed is not None),
        key=lambda shard: (shard.seed, shard.first),
    )
    furthest: Shard | None = None  # of the seed's shards so far
    for shard in seeded:
        if furthest is not None and furthest.seed == shard.seed and shard.first < furthest.end:
            problems.append(f"{furthest.file} and {shard.file} hold the same deals")
            if shard.end <= furthest.end:
                continue
        furthest = shard
    return problems


def _solve_again(
    library: Library, shards: list[Shard], sample: int, seed: int, progress: bool
) -> list[str]:
    """Solve a random sample of the deals and compare what is known of them."""
    if sample == 0:
        return []
    sizes = np.array([shard.deals for shard in shards])
    chosen = np.sort(np.random.default_rng(seed).choice(sizes.sum(), size=sample, replace=False))
    of_shard = np.searchsorted(np.cumsum(sizes), chosen, side="right")
    rows = chosen - (np.cumsum(sizes) - sizes)[of_shard]
    deals = DealSet.concatenate(
        library.read(shards[i])[rows[of_shard == i]] for i in np.unique(of_shard)
    )
    partial = np.array([shards[i].kind is ONE_STRAIN for i in of_shard])
    labels = deals.tricks_or_unknown
    again = np.empty_like(labels)
    with progress_bar("solving again", sample, "deals", show=progress) as advance:
        tables = [np.empty((0, 5, 4), dtype=np.uint8)]
        for batch in solve_batches(deals.owners[~partial]):
            tables.append(batch)
            advance(len(batch))
        again[~partial] = np.concatenate(tables)
        strains = known_strains(labels[partial]).astype(np.uint8)
        again[partial] = solve_drawn(deals.owners[partial], strains, None, advance)
    wrong = np.flatnonzero((again != labels).any(axis=(1, 2)))
    return [f"{shards[of_shard[i]].file}: deal {rows[i]} solves differently" for i in wrong]
