"""Reading the files of shards, and finding deals that stand twice."""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet
from .files import LibraryError
from .manifest import Shard, read_manifest
from .records import Record
from .storage import Storage


def read_shard(storage: Storage, shard: Shard, *, cached: bool = False) -> DealSet:
    """Return a shard's deals, or raise LibraryError when its file is not what the manifest says.

    With ``cached`` a copy on this machine is taken for what is far.
    """
    path = storage.path(shard.file)
    advice = "trickcast generate makes it again"
    if shard.seed is None:
        advice = "restore it from a copy, or add its deals again"
    try:
        most, digest = shard.deals * shard.kind.size, shard.sha256 if cached else None
        data = storage.read(shard.file, most, digest)
    except FileNotFoundError:
        raise LibraryError(
            f"{path}: the shard is missing (the manifest lists {shard.deals} deals; {advice})"
        ) from None
    if data is None or hashlib.sha256(data).hexdigest() != shard.sha256:
        if shard not in read_manifest(storage):  # a run made it grow after its entry was read
            raise LibraryError(
                f"{path}: the shard was replaced while the library was read (open it again)"
            )
        size = "more than all its deals" if data is None else f"{len(data):,} bytes"
        raise LibraryError(
            f"{path}: the shard is damaged ({size}; not the manifest's SHA-256). "
            f"Delete the file, and {advice}"
        )
    deals = decode_shard(path, shard.kind, data)
    if len(deals) != shard.deals:
        raise LibraryError(f"{path}: {len(deals)} deals (the manifest says {shard.deals})")
    return deals


def decode_shard(path: str, record: Record, data: bytes) -> DealSet:
    """Return the deals of a shard's bytes, or raise LibraryError where they are no such records."""
    try:
        return record.decode(data, path)
    except ValueError as error:
        raise LibraryError(f"{error}") from None


def repeated(sets: Iterable[DealSet]) -> int:
    """Count the deals that stand more than once in all these sets."""
    rows = cards_of(sets)
    return len(rows) - len(np.unique(rows))


def cards_of(sets: Iterable[DealSet]) -> NDArray[np.void]:
    """Return the cards of all deals in these sets, each as one value that can be sorted."""
    owners = [np.empty((0, 52), np.uint8), *(deals.owners for deals in sets)]
    return np.ascontiguousarray(np.concatenate(owners)).view("V52").ravel()
