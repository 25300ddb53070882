"""Solved endings: what a network learns from before, or beside, whole deals.

An ending of ten cards is solved some twenty times faster than a deal. Endings lie in a folder of
their own, in ``.npz`` files of (n, 52) ``owners``, 255 for cards that are gone, and (n, 5, 4)
``tricks``; nothing is ever tested on them, so they have no manifest.
"""

from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .._arrays import read_arrays
from .._files import atomic_writer
from .._progress import progress_bar
from ..cards import cut
from ..cards.endings import cards_a_hand, packed
from ..dealing import random_endings
from ..solver import solve_ending_batches
from .files import LibraryError, locked
from .manifest import SHARD

_MOST_BYTES = 1 << 30
"""Of a file of endings when unpacked; ours have 300 kB."""


def generate_endings(
    folder: str | PathLike[str],
    endings: int,
    cards: int,
    seed: int,
    *,
    start: int = 0,
    workers: int | None = None,
    progress: bool = False,
) -> int:
    """Solve the endings ``start`` to ``start + endings - 1`` of ``seed``, ``cards`` in a hand.

    Files are cut at the multiples of 4,096 and written whole or not at all; those that exist are
    kept, so a run that was killed goes on. Returns the number of endings that were solved now.

    Raises ValueError for numbers out of range.
    """
    if endings < 1 or start < 0:
        raise ValueError(f"endings is {endings}, start {start} (expected 1 and 0 or more)")
    random_endings(0, cards, seed)  # refuses numbers out of range before anything is made
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    end = start + endings
    borders = [start, *range((start // SHARD + 1) * SHARD, end, SHARD), end]
    with locked(root):  # removes what a run that was killed left unfinished
        missing = [
            (first, last, path)
            for first, last in pairwise(borders)
            if not (path := root / _file(cards, seed, first, last)).exists()
        ]
    todo: int = sum(last - first for first, last, _ in missing)
    with progress_bar("generating", todo, "endings", show=progress) as advance:
        for first, last, path in missing:
            owners = packed(random_endings(last - first, cards, seed, first))
            tables = []
            for batch in solve_ending_batches(owners, workers=workers):
                tables.append(batch)
                advance(len(batch))
            with locked(root), atomic_writer(path) as stream:
                np.savez_compressed(stream, owners=owners, tricks=np.concatenate(tables))
    return todo


def _file(cards: int, seed: int, first: int, last: int) -> str:
    return f"cards-{cards:02d}-seed-{seed}-{first:09d}-{last:09d}.npz"


def read_endings(folder: str | PathLike[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return all endings of a folder: owners (n, 52) and tricks (n, 5, 4), uint8.

    Raises LibraryError for a folder without endings, and for a damaged file, naming it.
    """
    paths = sorted(Path(folder).glob("*.npz"))
    if not paths:
        raise LibraryError(
            f"{folder}: no solved endings (make some: trickcast generate --cards 10)"
        )
    read = [_read(path) for path in paths]
    return np.concatenate([owners for owners, _ in read]), np.concatenate([t for _, t in read])


def count_endings(folder: str | PathLike[str]) -> dict[int, int]:
    """Return how many endings a folder holds by the cards in a hand; empty where it holds none.

    Raises LibraryError for a damaged file, naming it.
    """
    if not any(Path(folder).glob("*.npz")):
        return {}
    sizes = np.bincount(cards_a_hand(read_endings(folder)[0]))
    return {int(cards): int(sizes[cards]) for cards in np.flatnonzero(sizes)}


def _read(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    try:
        arrays = read_arrays(path.read_bytes(), _MOST_BYTES)
        owners, tricks = arrays["owners"], arrays["tricks"]
        if owners.shape[1:] != (52,) or tricks.shape != (len(owners), 5, 4):
            raise ValueError(f"owners of shape {owners.shape} and tricks of {tricks.shape}")
        if owners.dtype != np.uint8 or tricks.dtype != np.uint8:
            raise ValueError(f"owners are {owners.dtype}, tricks {tricks.dtype}, not uint8")
        if (tricks.max((1, 2)) > cards_a_hand(owners)).any():
            raise ValueError("more tricks than cards in a hand")
    except (ValueError, KeyError) as error:
        reason = cut(str(error))
        raise LibraryError(f"{path}: not a file of solved endings, or damaged ({reason})") from None
    return owners, tricks
