"""Solved deals in a folder or at an address: immutable shards, and the manifest that lists them."""

import hashlib
import re
from collections.abc import Iterator

from ..cards import DealSet, shorten
from .files import LibraryError
from .manifest import LONGEST_TEXT, SHARD, Shard, Use, checked_use, read_manifest, write_manifest
from .records import WHOLE
from .shards import read_shard, repeated
from .storage import Place, Storage, storage_at
from .worth import tables_worth

_LONGEST_NAME = 100


class Library:
    """The solved deals of a folder, or of an address such as ``s3://bucket/library``.

    Shards that are far are kept on this machine once they were read, by their digests.

    Raises LibraryError when the place holds no library, or a damaged manifest.
    """

    def __init__(self, place: Place):
        self.storage = storage_at(place)
        self.shards = tuple(read_manifest(self.storage))
        if not self.shards:
            raise LibraryError(
                f"{self}: no library of solved deals (expected a folder with manifest.json; "
                "trickcast generate makes one)"
            )

    def __len__(self) -> int:
        return sum(shard.deals for shard in self.shards)

    def __repr__(self) -> str:
        return f"<Library of {len(self):,} deals in {self}>"

    def __str__(self) -> str:
        return str(self.storage)

    def count(self, use: Use) -> int:
        """Return the number of deals for one use. Raises LibraryError for any other word."""
        return sum(shard.deals for shard in self._for(use))

    @property
    def tables_worth(self) -> float:
        """What the solver's seconds in all shards would have solved in whole tables."""
        return tables_worth(self.shards)

    def stream(self, use: Use) -> Iterator[DealSet]:
        """Return an iterator of the shards of one use, in the order of the manifest.

        Their digests are checked. Raises LibraryError for a word that is no use, and in the course
        of it what ``read`` raises.
        """
        return (self.read(shard) for shard in self._for(use))

    def deals(self, use: Use) -> DealSet:
        """Return all deals of one use, with their tricks: 255 in strains that are not solved.

        Raises LibraryError as ``stream`` does.
        """
        return DealSet.concatenate(self.stream(use))

    def read(self, shard: Shard) -> DealSet:
        """Return one shard's deals. Raises LibraryError when its file is missing or damaged."""
        return read_shard(self.storage, shard, cached=True)

    def _for(self, use: Use) -> list[Shard]:
        use = checked_use(use)
        return [shard for shard in self.shards if shard.use == use]


def append(place: Place, deals: DealSet, name: str, use: Use, *, solver: str, source: str) -> None:
    """Add solved deals from elsewhere (seed unknown) as shards ``imported/NAME-….zrd``.

    A call that was killed goes on when it is repeated, and so is a shard healed that was deleted.

    Raises LibraryError when there are no deals, the name is taken or unfit for a file, the use is
    not one of the three, a deal is not wholly solved, or one is in the library already: deals that
    test must not be trained on.

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
    if not len(deals):
        raise LibraryError(f"{name}: no deals (expected one or more)")
    if deals.tricks is None or (deals.tricks > 13).any():
        raise LibraryError(f"{name}: not every deal is solved (a shard holds all twenty results)")
    pieces = [deals[start : start + SHARD] for start in range(0, len(deals), SHARD)]
    contents = [WHOLE.encode(piece) for piece in pieces]
    shards = [
        Shard(
            file=f"imported/{name}-{SHARD * i:09d}.zrd",
            deals=len(piece),
            seed=None,
            start=None,
            use=use,
            sha256=hashlib.sha256(data).hexdigest(),
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
            if shard not in shards or shard.file in present  # else it heals what was lost
        ]
        if twice := repeated([deals, *(read_shard(storage, shard, cached=True) for shard in kept)]):
            raise LibraryError(f"{name}: {twice} deals stand twice, in {storage} or in themselves")
        for shard in shards:
            _refuse_taken(storage, shard, kept)
        for shard, data in zip(shards, contents, strict=True):
            storage.write(shard.file, data)
        write_manifest(storage, [*kept, *shards])


def _refuse_taken(storage: Storage, shard: Shard, listed: list[Shard]) -> None:
    """Raise where a new shard's file is another's; one that a killed run left may be the same."""
    path = storage.path(shard.file)
    if any(other.file == shard.file for other in listed):
        raise LibraryError(f"{path}: the library has this shard already")
    try:
        data = storage.read(shard.file, most=shard.deals * shard.kind.size)
    except FileNotFoundError:
        return
    if data is None or hashlib.sha256(data).hexdigest() != shard.sha256:
        raise LibraryError(
            f"{path}: the library has this shard already, unlisted and of other deals "
            "(delete the file, or take another name)"
        )
