"""Solving what a network is not sure of."""

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain
from ..solver import solve_cell_batches, solve_strain_batches

_SHARED = 2
"""From so many of a strain's four declarers on, DDS solves all four: it shares work among them, so
that four take the time of 2.0 to 2.1 single ones (`python benchmarks/knob.py --costs`). Among
strains nothing is shared: a whole table takes as long as its five strains."""


def which_to_solve(
    probabilities: NDArray[np.float32], exact_below: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the strains that are solved for all declarers, (n, 5), and the single results besides.

    ``probabilities`` is (n, 5, 4, 14); the single results are (n, 5, 4).
    """
    unsure = probabilities.max(axis=-1) < exact_below
    strains: NDArray[np.bool_] = unsure.sum(axis=-1) >= _SHARED
    return strains, unsure & ~strains[..., None]


def solve_unsure(
    owners: NDArray[np.uint8],
    probabilities: NDArray[np.float32],
    tricks: NDArray[np.uint8],
    exact_below: float,
    threads: int | None,
) -> NDArray[np.bool_]:
    """Replace the estimates that are not sure enough by exact results, in place.

    Solved is every result whose likeliest count has a probability below ``exact_below``, and
    what costs nothing besides. ``owners`` is (n, 52), ``probabilities`` (n, 5, 4, 14), ``tricks``
    (n, 5, 4). Returns which results are exact now, (n, 5, 4).
    """
    strains, alone = which_to_solve(probabilities, exact_below)
    exact: NDArray[np.bool_] = alone | strains[..., None]
    for strain in Strain:
        rows = np.flatnonzero(strains[:, strain])
        tables = [*solve_strain_batches(owners[rows], strain, workers=threads)]
        if tables:
            tricks[rows, strain] = np.concatenate(tables)
        for declarer in Seat:
            rows = np.flatnonzero(alone[:, strain, declarer])
            cells = [*solve_cell_batches(owners[rows], strain, declarer, workers=threads)]
            if cells:
                tricks[rows, strain, declarer] = np.concatenate(cells)
    probabilities[exact] = np.eye(14, dtype=np.float32)[tricks[exact]]
    return exact
