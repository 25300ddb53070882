"""Solved deals in a folder or at an address: immutable shards, and the manifest that lists them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import UNKNOWN, DealSet, DealsLike, as_dealset, checked_whole, shorten
from ..dealing import random_deals
from ..dealing.shuffling import checked_seed
from ..solver import solve_batches, solve_position_batches
from .labels import drawn_strains, solve_drawn, tables_worth
from .lines import line_positions
from .shards import (
    LONGEST_TEXT,
    RECORDS,
    SHARD,
    WHOLE,
    Shard,
    Use,
    checked_use,
    known_strains,
    read_lines,
    read_manifest,
    read_shard,
    repeated,
    write_manifest,
)
from .storage import LibraryError, Place, Storage, storage_at

_LONGEST_NAME = 100


class Library:
    """Open the solved deals in a folder, or at an address such as ``s3://bucket/library``.

    Shards read from an address are cached on this machine, by their digests.

    Args:
        place: Folder or address.

    Raises:
        LibraryError: There is no library, or its manifest is damaged.

    Example:
        >>> deals = tc.random_deals(2, seed=1)
        >>> solved = deals.with_tricks(tc.solve(deals).tricks)
        >>> append("solved", solved, "mine", "test", solver="DDS", source="ours")
        >>> Library("solved")
        <Library of 2 deals in solved>
    """

    def __init__(self, place: Place):
        self.storage = storage_at(place)
        self.shards = tuple(read_manifest(self.storage))
        if not self.shards:
            raise LibraryError(
                f"{self}: not a library of solved deals (expected a folder with manifest.json; "
                "trickcast generate creates one)"
            )

    def __len__(self) -> int:
        return sum(shard.deals for shard in self.shards)

    def __repr__(self) -> str:
        return f"<Library of {len(self):,} deals in {self}>"

    def __str__(self) -> str:
        return str(self.storage)

    def count(self, use: Use) -> int:
        """Return the number of deals for one use. Raises LibraryError for an unknown use."""
        return sum(shard.deals for shard in self._for(use))

    @property
    def tables_worth(self) -> float:
        """The solver time of all shards, in whole tables."""
        return tables_worth(self.shards)

    def stream(self, use: Use) -> Iterator[DealSet]:
        """Return an iterator of the shards of one use, in manifest order.

        Checks their digests. Raises LibraryError for an unknown use, and while iterating
        whatever ``read`` raises.
        """
        return (self.read(shard) for shard in self._for(use))

    def deals(self, use: Use) -> DealSet:
        """Return all deals of one use, with their tricks: 255 in strains that are not solved.

        Raises LibraryError like ``stream``.
        """
        return DealSet.concatenate(self.stream(use))

    def read(self, shard: Shard) -> DealSet:
        """Return one shard's deals. Raises LibraryError if its file is missing or damaged."""
        return read_shard(self.storage, shard, cached=True)

    def positions(self, use: Use) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
        """Yield the positions along the lines of each shard that has lines; see ``line_positions``.

        Raises LibraryError like ``stream``.
        """
        for shard in self._for(use):
            if shard.kind.lines:
                yield line_positions(*read_lines(self.storage, shard, cached=True))

    def _for(self, use: Use) -> list[Shard]:
        use = checked_use(use)
        return [shard for shard in self.shards if shard.use == use]


def append(
    place: Place, deals: DealsLike, name: str, use: Use, *, solver: str, source: str
) -> None:
    """Add solved deals from elsewhere to a library, as shards ``imported/NAME-….zrd``.

    A call that was killed can be repeated, as can one whose shard was deleted.

    Args:
        place: Folder or address of the library, created if missing.
        deals: Solved deals, all 20 results known: a DealSet, or a list of them.
        name: Name of the new shards.
        use: Permanent role: train, validation or test.
        solver: Name of the solver.
        source: Where the deals come from.

    Raises:
        LibraryError: There are no deals, the name is taken or not valid, ``use`` is unknown, a
            deal is not completely solved, or the library already has one of them. So test deals are
            never trained on.
        DealError: ``deals`` are not deals.

    Example:
        >>> deals = tc.random_deals(2, seed=1)
        >>> solved = deals.with_tricks(tc.solve(deals).tricks)
        >>> append("library", solved, "mine", "test", solver="DDS", source="ours")
        >>> len(Library("library").deals("test"))
        2
    """
    storage, use = storage_at(place), checked_use(use)
    if not re.fullmatch(r"[\w.-]+", name) or name.startswith(".") or len(name) > _LONGEST_NAME:
        raise LibraryError(
            f"{shorten(name)} cannot name a shard (expected at most {_LONGEST_NAME} letters, "
            "digits, _ . and -)"
        )
    for text in (solver, source):
        if len(text) > LONGEST_TEXT:
            raise LibraryError(f"{shorten(text)} is longer than {LONGEST_TEXT} characters")
    solved, _ = as_dealset(deals)
    if not len(solved):
        raise LibraryError(f"{name}: no deals (expected one or more)")
    if solved.tricks is None or (solved.tricks > 13).any():
        raise LibraryError(f"{name}: not every deal is solved (a shard holds all twenty results)")
    pieces = [solved[start : start + SHARD] for start in range(0, len(solved), SHARD)]
    contents = [WHOLE.encode(piece) for piece in pieces]
    shards = [
        Shard(
            file=f"imported/{name}-{SHARD * i:09d}.zrd",
            deals=len(piece),
            seed=None,
            start=None,
            use=use,
            sha256=sha256(data).hexdigest(),
            solver=solver,
            source=source,
        )
        for i, (piece, data) in enumerate(zip(pieces, contents, strict=True))
    ]
    with storage.locked():
        storage.tidy()
        present = storage.sizes()
        kept = [
            shard
            for shard in read_manifest(storage)
            if shard not in shards or shard.file in present  # otherwise it restores what was lost
        ]
        if twice := repeated(
            [solved, *(read_shard(storage, shard, cached=True) for shard in kept)]
        ):
            raise LibraryError(
                f"{name}: {twice} deals occur twice, in {storage} or among the new ones"
            )
        for shard in shards:
            _refuse_taken(storage, shard, kept)
        for shard, data in zip(shards, contents, strict=True):
            storage.write(shard.file, data)
        write_manifest(storage, [*kept, *shards])


def _refuse_taken(storage: Storage, shard: Shard, listed: list[Shard]) -> None:
    """Raise if a new shard's file exists for another shard; a killed run may have left the same."""
    path = storage.path(shard.file)
    if any(other.file == shard.file for other in listed):
        raise LibraryError(f"{path}: the library already has this shard")
    try:
        data = storage.read(shard.file, most=shard.deals * shard.kind.size)
    except FileNotFoundError:
        return
    if data is None or sha256(data).hexdigest() != shard.sha256:
        raise LibraryError(
            f"{path}: the library already has an unlisted shard of this name with other deals "
            "(delete the file, or use another name)"
        )


# --- verifying ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of ``verify``."""

    shards: int
    deals: int
    solved_again: int
    problems: tuple[str, ...]
    """One line for each problem."""


def checked_sample(sample: int) -> int:
    """Return how many deals to solve again.

    Raises TypeError for a number that is not whole, ValueError for a negative one.
    """
    return checked_whole(sample, "sample", 0)


def verify(
    library: Library, *, sample: int = 40, seed: int = 0, progress: bool = False
) -> Verification:
    """Check the digest and the cards of every shard, and solve a sample again.

    Deals of one strain are solved in that strain, and of deals with lines of play one position too.
    Also finds shard files that the manifest does not list, shards of a seed that overlap, and
    shards whose deals are not those of their seed.

    Args:
        library: The Library.
        sample: Number of deals to solve again.
        seed: Seed that chooses them, 0 to 2**64 - 1.
        progress: Whether to show a bar on standard error.

    Returns:
        A Verification: what was checked, and the problems found.

    Raises:
        TypeError: ``sample`` is not a whole number.
        ValueError: ``sample`` is negative, or ``seed`` out of its range.

    Example:
        >>> from trickcast.library import generate
        >>> solved = generate("generated", 4, seed=1)
        >>> verify(Library("generated"), sample=2).problems
        ()
    """
    sample, seed = checked_sample(sample), checked_seed(seed)
    problems, sound = list[str](), list[Shard]()
    for shard in library.shards:
        try:
            deals = read_shard(library.storage, shard)
        except ValueError as error:
            problems.append(str(error))
            continue
        sound.append(shard)
        problems += _not_of_seed(shard, deals) + _bad_lines(library, shard)
    problems += _misfits(library)
    if twice := repeated(library.read(shard) for shard in sound):
        problems.append(f"{twice} deals occur more than once")
    sample = min(sample, sum(shard.deals for shard in sound))
    problems += _solve_again(library, sound, sample, seed, progress)
    return Verification(len(library.shards), len(library), sample, tuple(problems))


def _not_of_seed(shard: Shard, deals: DealSet) -> list[str]:
    """Return where the cards or the strains differ from those of the shard's seed."""
    if shard.seed is None:
        return []
    dealt = random_deals(shard.deals, shard.seed, shard.first)
    if not np.array_equal(deals.owners, dealt.owners):
        return [f"{shard.file}: not the deals of seed {shard.seed}"]
    if shard.kind.strains == "one" and not np.array_equal(
        known_strains(deals.tricks_or_unknown), drawn_strains(shard.deals, shard.seed, shard.first)
    ):
        return [f"{shard.file}: not in the strains that seed {shard.seed} draws"]
    return []


def _bad_lines(library: Library, shard: Shard) -> list[str]:
    """Return where the lines of a shard are illegal, or cannot lead to their results."""
    try:
        if shard.kind.lines:
            line_positions(*read_lines(library.storage, shard))
    except LibraryError as error:
        return [str(error)]
    except ValueError as error:
        return [f"{shard.file}: {error}"]
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
    """Solve a random sample of the deals, and compare the known results."""
    if sample == 0:
        return []
    sizes = np.array([shard.deals for shard in shards])
    chosen = np.sort(np.random.default_rng(seed).choice(sizes.sum(), size=sample, replace=False))
    of_shard = np.searchsorted(np.cumsum(sizes), chosen, side="right")
    rows = chosen - (np.cumsum(sizes) - sizes)[of_shard]
    deals = DealSet.concatenate(
        library.read(shards[i])[rows[of_shard == i]] for i in np.unique(of_shard)
    )
    partial = np.array([shards[i].kind.strains == "one" for i in of_shard])
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
    found = [f"{shards[of_shard[i]].file}: deal {rows[i]} solves differently" for i in wrong]
    for i in np.unique(of_shard):
        if shards[i].kind.lines:
            found += _positions_again(library, shards[i], rows[of_shard == i], seed)
    return found


def _positions_again(
    library: Library, shard: Shard, rows: NDArray[np.intp], seed: int
) -> list[str]:
    """Solve one random position along the lines of each of these deals."""
    deals = read_lines(library.storage, shard, cached=True)
    number, one = np.random.default_rng(seed), list[tuple[NDArray[np.uint8], NDArray[np.uint8]]]()
    for row in rows:
        owners, tricks = line_positions(*(part[row : row + 1] for part in deals))
        drawn = int(number.integers(len(owners)))
        one.append((owners[drawn], tricks[drawn]))
    tables = np.concatenate([*solve_position_batches(np.stack([owners for owners, _ in one]))])
    return [
        f"{shard.file}: a position along a line of deal {row} solves differently"
        for row, (_, tricks), table in zip(rows, one, tables, strict=True)
        if (table != tricks)[tricks != UNKNOWN].any()
    ]
