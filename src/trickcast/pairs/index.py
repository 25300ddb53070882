"""Nearest neighbours among the vectors of many hands."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand

Neighbours = tuple[NDArray[np.float64], NDArray[np.int64]]
"""Distances and rows, (n, k) each."""


def check_vectors(vectors: NDArray[np.floating], size: int) -> None:
    """Raise ValueError, naming the row, unless these are (n, size) numbers that float32 holds."""
    if vectors.ndim != 2 or vectors.shape[1] != size:
        raise ValueError(f"vectors of shape {vectors.shape} (expected (n, {size}))")
    held = np.abs(vectors) <= np.finfo(np.float32).max
    for row, component in np.argwhere(~held)[:1]:
        raise ValueError(
            f"vector {row} of {len(vectors)}: component {component} is "
            f"{vectors[row, component]} (expected a number that float32 holds)"
        )


class HandIndex:
    """Hands and their vectors, searched by SciPy's k-d tree.

    Raises ValueError for an empty index, or different counts of hands and vectors.
    """

    hands: NDArray[np.bool_]
    """(n, 52) bool."""
    vectors: NDArray[np.float32]
    """(n, size) float32."""

    def __init__(self, hands: NDArray[np.bool_], vectors: NDArray[np.float32]):
        from scipy.spatial import KDTree

        if len(hands) != len(vectors):
            raise ValueError(f"{len(hands)} hands and {len(vectors)} vectors")
        if not len(hands):
            raise ValueError("no hands to search (expected one or more)")
        self.hands, self.vectors = hands, vectors
        self._tree: Any = KDTree(vectors, balanced_tree=False)  # sliding midpoints build faster

    def __len__(self) -> int:
        return len(self.hands)

    def __repr__(self) -> str:
        return f"<HandIndex of {len(self):,} hands>"

    def query(self, vectors: NDArray[np.float32], k: int) -> Neighbours:
        """Return the distances and rows of the ``k`` nearest hands of (n, size) vectors.

        Nearest first; distances are Euclidean. Raises ValueError for vectors of another size or
        that are not numbers (naming the row), and for ``k`` below one or above the number of hands.
        """
        check_vectors(vectors, self.vectors.shape[1])
        if not 1 <= k <= len(self):
            raise ValueError(f"k is {k} (expected 1 to {len(self):,}, the hands in the index)")
        distances, rows = self._tree.query(vectors, k=np.arange(1, k + 1))
        return distances, rows

    def hand(self, row: int) -> Hand:
        """Return one hand."""
        return Hand.from_cards(self.hands[row])
