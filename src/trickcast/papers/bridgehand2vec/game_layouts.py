"""The ten layouts of each pair of hands that BridgeHand2Vec's game is scored on (section 3.2).

A file is a uint8 NumPy array, (pairs, 10, 5, 2): the tricks of North and of South as declarers.
Its content follows from the seed, so it can be made again, or extended:

    python -m trickcast.papers.bridgehand2vec.game_layouts FILE --pairs 1000
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..._arrays import array_header
from ..._files import atomic_writer
from ..._progress import progress_bar
from ...cards import Seat
from ...dealing import random_deals
from ...solver import solve_batches
from ..experiments.run_deals import ExperimentError
from .studies import LAYOUTS

SEED = 2023
PARTNERS = (Seat.NORTH, Seat.SOUTH)
_SAVED = 8
"""Pairs solved between two saves."""
_EXPECTED = f"expected a NumPy file .npy, uint8 of shape (pairs, {LAYOUTS}, 5, 2), at most 13"


def deal_layouts(begin: int, end: int, seed: int = SEED) -> NDArray[np.uint8]:
    """Return the owners of ten layouts of each pair from ``begin`` on: (n, 10, 52) uint8.

    North and South hold what ``random_deals`` gives them. Their opponents' cards are dealt ten
    times, from the seed and the number of the pair.
    """
    owners = random_deals(end - begin, seed, begin).owners
    dealt = np.repeat(owners[:, None], LAYOUTS, axis=1)
    for number, (pair, layouts) in enumerate(zip(owners, dealt, strict=True), start=begin):
        (cards,) = np.nonzero(pair % 2)
        rng = np.random.default_rng([seed, number])
        layouts[:, cards] = rng.permuted(np.tile(pair[cards], (LAYOUTS, 1)), axis=1)
    return dealt


def solve_layouts(file: Path, pairs: int, workers: int | None = None) -> None:
    """Solve the layouts of the first ``pairs``, continuing where the file ends."""
    solved = read_layouts(file) if file.exists() else np.empty((0, LAYOUTS, 5, 2), np.uint8)
    missing = max(pairs - len(solved), 0)
    with progress_bar("solving", missing, "pairs", show=True) as advance:
        for begin in range(len(solved), pairs, _SAVED):
            layouts = deal_layouts(begin, min(begin + _SAVED, pairs))
            tables = np.concatenate(list(solve_batches(layouts.reshape(-1, 52), workers=workers)))
            made = tables.reshape(-1, LAYOUTS, 5, 4)[..., list(PARTNERS)]
            solved = np.concatenate([solved, made])
            with atomic_writer(file) as stream:
                np.save(stream, solved, allow_pickle=False)
            advance(len(made))


def read_layouts(file: Path) -> NDArray[np.uint8]:
    """Return (pairs, 10, 5, 2) tricks. Raises ExperimentError for a file of something else."""
    try:
        with file.open("rb") as stream:
            header = array_header(stream)
            stream.seek(0)
            solved = np.load(stream, allow_pickle=False)
    except OSError as error:
        raise ExperimentError(f"{file}: {error.strerror} ({_EXPECTED})") from None
    except ValueError as error:
        raise ExperimentError(f"{file}: no solved layouts ({_EXPECTED}): {error}") from None
    if header.dtype != np.uint8 or header.shape[1:] != (LAYOUTS, 5, 2) or (solved > 13).any():
        raise ExperimentError(
            f"{file}: no solved layouts ({_EXPECTED}; found {header.dtype}, {header.shape})"
        )
    tricks: NDArray[np.uint8] = solved
    return tricks


def main(arguments: Sequence[str] | None = None) -> None:
    """Make or extend a file of layouts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--workers", type=int)
    given = parser.parse_args(arguments)
    solve_layouts(given.file, given.pairs, given.workers)


if __name__ == "__main__":
    main()
