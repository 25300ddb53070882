"""A folder of solved deals: immutable shards and the manifest that lists them."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np

from .._files import atomic_writer
from ..cards import DealSet
from ..dealing import random_deals
from ..formats import zrd
from ..solver import solve
from .manifest import (
    SHARD,
    LibraryError,
    Shard,
    Use,
    locked,
    read_manifest,
    write_manifest,
)


class Library:
    """The solved deals of a folder.

    Raises LibraryError when the folder holds no library, or a damaged manifest.
    """

    def __init__(self, folder: str | PathLike[str]):
        self.folder = Path(folder)
        self.shards = tuple(read_manifest(self.folder))
        if not self.shards:
            raise LibraryError(
                f"{self.folder}: no library of solved deals (expected a folder with manifest.json; "
                "trickcast generate makes one)"
            )

    def __len__(self) -> int:
        return sum(shard.deals for shard in self.shards)

    def __repr__(self) -> str:
        return f"<Library of {len(self):,} deals in {self.folder}>"

    def count(self, use: Use) -> int:
        """Return the number of deals for one use."""
        return sum(shard.deals for shard in self.shards if shard.use == use)

    def stream(self, use: Use) -> Iterator[DealSet]:
        """Yield the shards of one use, in the order of the manifest, their digests checked."""
        return (self.read(shard) for shard in self.shards if shard.use == use)

    def deals(self, use: Use) -> DealSet:
        """Return all deals of one use, with their tricks."""
        return DealSet.concatenate(self.stream(use))

    def read(self, shard: Shard) -> DealSet:
        """Return one shard's deals. Raises LibraryError when its file is missing or damaged."""
        return read_shard(self.folder, shard)


def read_shard(folder: Path, shard: Shard) -> DealSet:
    """Return a shard's deals, or raise LibraryError when its file is not what the manifest says."""
    path = folder / shard.file
    if not path.exists():
        raise LibraryError(f"{path}: the shard is missing (the manifest lists {shard.deals} deals)")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != shard.sha256:
        raise LibraryError(
            f"{path}: the shard is damaged ({len(data):,} bytes; not the manifest's SHA-256). "
            "A generated shard may be deleted: trickcast generate makes it again"
        )
    return DealSet(*zrd.decode(data, str(path)))


def write_shard(folder: Path, file: str, deals: DealSet) -> str:
    """Write solved deals as a shard, whole or not at all, and return its SHA-256."""
    data = zrd.encode(deals.owners, deals.tricks_or_unknown)
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        stream.write(data)
    return hashlib.sha256(data).hexdigest()


def append(
    folder: str | PathLike[str], deals: DealSet, name: str, use: Use, *, solver: str, source: str
) -> None:
    """Add solved deals from elsewhere (seed unknown) as shards ``imported/NAME-….zrd``.

    Raises LibraryError when the name is taken or unfit for a file, a deal is not wholly solved, or
    one is in the library already: deals that test must not be trained on.
    """
    root = Path(folder)
    if not re.fullmatch(r"[\w.-]+", name) or name.startswith("."):
        raise LibraryError(f"{name!r} cannot name a shard (expected letters, digits, _ . and -)")
    if deals.tricks is None or (deals.tricks > 13).any():
        raise LibraryError(f"{name}: not every deal is solved (a shard holds all twenty results)")
    root.mkdir(parents=True, exist_ok=True)
    with locked(root):
        shards = read_manifest(root)
        held = [deals, *(read_shard(root, shard) for shard in shards)]
        if twice := _repeated(held):
            raise LibraryError(f"{name}: {twice} deals stand twice, in {root} or in themselves")
        for start in range(0, len(deals), SHARD):
            file, piece = f"imported/{name}-{start:09d}.zrd", deals[start : start + SHARD]
            if (root / file).exists():
                raise LibraryError(f"{root / file}: the library has this shard already")
            shards.append(
                Shard(
                    file=file,
                    deals=len(piece),
                    seed=None,
                    start=None,
                    use=use,
                    sha256=write_shard(root, file, piece),
                    solver=solver,
                    source=source,
                )
            )
        write_manifest(root, shards)


def _repeated(sets: list[DealSet]) -> int:
    """Count the deals that stand more than once in all these sets."""
    rows = np.concatenate([np.ascontiguousarray(deals.owners) for deals in sets]).view("V52")
    return len(rows) - len(np.unique(rows))


@dataclass(frozen=True, slots=True)
class Verification:
    """What ``verify`` found."""

    shards: int
    deals: int
    solved_again: int
    problems: tuple[str, ...]
    """One line for each thing that is wrong."""


def verify(
    library: Library, *, sample: int = 40, seed: int = 0, progress: bool = False
) -> Verification:
    """Check every shard's digest and cards, and solve ``sample`` random deals again.

    Also finds shard files that the manifest does not list, shards of one seed that overlap, and
    seeded shards whose cards are not those of their seed.
    """
    problems, sound = list[str](), list[Shard]()
    for shard in library.shards:
        try:
            deals = library.read(shard)
        except ValueError as error:
            problems.append(str(error))
            continue
        sound.append(shard)
        if len(deals) != shard.deals:
            problems.append(f"{shard.file}: {len(deals)} deals (the manifest says {shard.deals})")
        elif shard.seed is not None and not np.array_equal(
            deals.owners, random_deals(shard.deals, shard.seed, shard.start or 0).owners
        ):
            problems.append(f"{shard.file}: not the deals of seed {shard.seed}")
    problems += _misfits(library)
    if twice := _repeated([library.read(shard) for shard in sound]):
        problems.append(f"{twice} deals stand more than once")
    sample = min(sample, sum(shard.deals for shard in sound))
    problems += _solve_again(library, sound, sample, seed, progress)
    return Verification(len(library.shards), len(library), sample, tuple(problems))


def _misfits(library: Library) -> list[str]:
    """Find unlisted files, files listed twice and overlapping ranges."""
    listed = Counter(shard.file for shard in library.shards)
    found = {str(p.relative_to(library.folder).as_posix()) for p in library.folder.rglob("*.zrd")}
    problems = [f"{file}: not in the manifest" for file in sorted(found - set(listed))]
    problems += [f"{file}: listed {n} times" for file, n in listed.items() if n > 1]
    seeded = sorted(
        (shard for shard in library.shards if shard.seed is not None),
        key=lambda shard: (shard.seed, shard.start),
    )
    problems += [
        f"{a.file} and {b.file} hold the same deals"
        for a, b in pairwise(seeded)
        if a.seed == b.seed and a.end > (b.start or 0)
    ]
    return problems


def _solve_again(
    library: Library, shards: list[Shard], sample: int, seed: int, progress: bool
) -> list[str]:
    """Solve a random sample of the deals and compare."""
    if sample == 0:
        return []
    sizes = np.array([shard.deals for shard in shards])
    chosen = np.sort(np.random.default_rng(seed).choice(sizes.sum(), size=sample, replace=False))
    of_shard = np.searchsorted(np.cumsum(sizes), chosen, side="right")
    rows = chosen - (np.cumsum(sizes) - sizes)[of_shard]
    deals = DealSet.concatenate(
        library.read(shards[i])[rows[of_shard == i]] for i in np.unique(of_shard)
    )
    again = solve(deals, progress=progress).tricks
    wrong = np.flatnonzero((again != deals.tricks_or_unknown).any(axis=(1, 2)))
    return [f"{shards[of_shard[i]].file}: deal {rows[i]} solves differently" for i in wrong]
