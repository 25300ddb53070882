"""Hands as vectors: encoding, distances, neighbours, analogies, and back to a hand."""

import operator
import os
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, HandsLike, checked_whole
from ..cards.hand import as_hands
from ..dealing import random_deals
from ..estimator import ModelError
from .files import PairModelInfo, load_pair_model, pickled, vector_size
from .index import HandIndex, check_vectors
from .pairs import as_pairs, encode, run_tricks

SEARCHED, SEED = 200_000, 2023
"""Default number of hands to search, and the seed of the deals they come from."""
_CHUNK = 4_096
_STARTS = 16  # starts of ``decode``: nine of ten hands are recovered, with 1 a quarter
Near = list[tuple[Hand, float]]
"""Hands with their distances, nearest first."""


class HandEmbedding:
    """Turn hands into vectors: hands that take similar tricks with any partner are close.

    Distances are Euclidean. Over random hands every component has mean 0 and standard deviation 1.

    The methods take hands or vectors: a float array of shape (size,) or (n, size) is read as
    vectors, everything else as hands. One may be compared with many. They raise DealError for an
    invalid hand, and ValueError for vectors of another size, for values that are not numbers, and
    for counts that differ.

    Args:
        model: Name of a model that has vectors, or path of its file.
        threads: Number of threads. Default: all cores.

    Raises:
        ModelError: The model is unknown, missing or damaged, or has no vectors.
        ValueError: ``threads`` is below 1.

    Source:
        Sztyber-Betley et al., BridgeHand2Vec Bridge Hand Representation, ECAI 2023.

    Example:
        >>> embedding = tc.HandEmbedding(threads=1)
        >>> embedding.encode(["A.KQ9832.T94.AKT", "A.KQ9843.T92.AKT"]).shape
        (2, 8)
        >>> near = embedding.distance("A.KQ9832.T94.AKT", "A.KQ9843.T92.AKT")
        >>> near < embedding.distance("A.KQ9832.T94.AKT", "KJ95.J65.K3.J654")
        True
    """

    info: PairModelInfo
    """The model's file and its metadata."""

    def __init__(self, model: str | os.PathLike[str] = "hand2vec", *, threads: int | None = None):
        self._session, self.info = load_pair_model(model, threads)
        self._threads = threads
        if self.info.kind != "vectors":
            raise ModelError(
                f"{self.info.path}: has no vectors (expected hand2vec or a similar model)"
            )

    def __repr__(self) -> str:
        return f"<HandEmbedding {self.info.name}, {self.size} numbers a hand>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model's name, or its path if it does not ship, and its checksum."""
        return pickled(self, self.info, threads=self._threads)

    @property
    def size(self) -> int:
        """Length of a vector."""
        return vector_size(self._session)

    def encode(self, hands: HandsLike) -> NDArray[np.float32]:
        """Return the vectors of hands.

        Args:
            hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.

        Returns:
            Vectors, shape (n, size), float32; (size,) for one hand.

        Raises:
            DealError: A hand is not valid.
        """
        rows, single = as_hands(hands)
        vectors = np.empty((len(rows), self.size), dtype=np.float32)
        for start in range(0, len(rows), _CHUNK):
            part = slice(start, start + _CHUNK)
            vectors[part] = encode(self._session, self.info, rows[part])
        return vectors[0] if single else vectors

    def tricks(self, hands: HandsLike, partners: HandsLike) -> NDArray[np.float32]:
        """Return the mean tricks that the network expects of hands with their partners.

        This is one pass of the paper's network. ``PairEstimator("hand2vec")`` averages over all
        orders of the suits, which is better.

        Args:
            hands: Hands or vectors of the declarers.
            partners: Hands or vectors of their partners.

        Returns:
            Mean tricks, shape (n, 5), strains S H D C N; (5,) for one pair.

        Raises:
            DealError: A hand is not valid, or partners share a card.
        """
        if not (_are_vectors(hands) or _are_vectors(partners)):
            as_pairs(hands, partners)
        pairs = np.concatenate(np.broadcast_arrays(*self._matching(hands, partners)), axis=-1)
        tricks = run_tricks(self._session, self.info, np.atleast_2d(pairs))
        return tricks if pairs.ndim == 2 else tricks[0]

    def distance(self, first: HandsLike, second: HandsLike) -> Any:
        """Return the distance between hands or vectors.

        Args:
            first: Hands or vectors.
            second: Hands or vectors.

        Returns:
            A float for one and one, otherwise shape (n,), float32.

        Raises:
            DealError: A hand is not valid.
            ValueError: A vector is not valid, or counts differ.
        """
        here, there = self._matching(first, second)
        distances = np.sqrt(((here - there) ** 2).sum(axis=-1))
        return float(distances) if distances.ndim == 0 else distances

    def index(self, hands: HandsLike) -> HandIndex:
        """Return an index of hands for repeated searches. Raises ValueError for no hands."""
        rows, _ = as_hands(hands)
        return HandIndex(rows, self.encode(rows))

    @cached_property
    def searched(self) -> HandIndex:
        """The 200,000 hands of seeded deals that are searched by default."""
        owners = random_deals(SEARCHED // 4, SEED).owners
        return self.index(np.concatenate([owners == seat for seat in range(4)]))

    def nearest(
        self, hand: HandsLike, k: int = 5, hands: HandsLike | HandIndex | None = None
    ) -> Any:
        """Return the ``k`` nearest hands of a hand or vector.

        Args:
            hand: Hands or vectors.
            k: Number of nearest hands.
            hands: Hands to search, or a HandIndex. Default: 200,000 random ones, the same each
                time.

        Returns:
            Pairs of Hand and distance, nearest first; a list of these for many.

        Raises:
            DealError: A hand is not valid.
            ValueError: There are fewer than ``k`` hands, or a vector is not valid.
        """
        vectors = self._vectors(hand)
        index = self._index(hands)
        distances, rows = index.query(np.atleast_2d(vectors), checked_whole(k, "k"))
        near: list[Near] = [
            [(index.hand(row), float(apart)) for row, apart in zip(*pair, strict=True)]
            for pair in zip(rows, distances, strict=True)
        ]
        return near[0] if vectors.ndim == 1 else near

    def analogy(
        self,
        y: HandsLike,
        *,
        plus: HandsLike,
        minus: HandsLike,
        k: int = 5,
        hands: HandsLike | HandIndex | None = None,
    ) -> Any:
        """Return the ``k`` hands nearest to y + (plus - minus).

        Args:
            y: Hands or vectors.
            plus: Hands or vectors.
            minus: Hands or vectors.
            k: Number of nearest hands.
            hands: As in ``nearest``.

        Returns:
            Pairs of Hand and distance, nearest first; a list of these if any of the three are many.

        Raises:
            DealError: A hand is not valid.
            ValueError: There are fewer than ``k`` hands, or a vector is not valid.
        """
        start, there, here = self._matching(y, plus, minus)
        return self.nearest(start + (there - here), k, hands)

    def decode(
        self, vector: HandsLike, hands: HandsLike | HandIndex | None = None
    ) -> tuple[Hand, float]:
        """Return a hand whose vector is close to a hand or vector.

        The search begins with the nearest hands of the index, and exchanges single cards as long as
        that reduces the distance. There may be closer hands.

        Args:
            vector: One hand or vector.
            hands: As in ``nearest``.

        Returns:
            The Hand, and its distance.

        Raises:
            DealError: A hand is not valid.
            ValueError: There are no hands to search, or the vector is not valid.
        """
        target = self._vectors(vector)
        if target.ndim != 1:
            raise ValueError(f"vector of shape {target.shape} (expected ({self.size},))")
        index = self._index(hands)
        near = self.nearest(target, min(_STARTS, len(index)), index)
        reached = (self._climb(target, start.cards, apart) for start, apart in near)
        return min(reached, key=operator.itemgetter(1))

    def _climb(
        self, target: NDArray[np.float32], cards: NDArray[np.bool_], best: float
    ) -> tuple[Hand, float]:
        """Exchange cards of a (52,) hand, ``best`` away, until no exchange brings it closer."""
        while True:
            held, others = np.flatnonzero(cards), np.flatnonzero(~cards)
            away, taken = (part.ravel() for part in np.meshgrid(held, others))
            rows = np.arange(len(away))
            tried = np.tile(cards, (len(away), 1))
            tried[rows, away], tried[rows, taken] = False, True
            apart = np.sqrt(((self.encode(tried) - target) ** 2).sum(axis=1))
            closest = int(apart.argmin())
            if not apart[closest] < best:
                return Hand.from_cards(cards), best
            cards, best = tried[closest], float(apart[closest])

    def _index(self, hands: HandsLike | HandIndex | None) -> HandIndex:
        if hands is None:
            return self.searched
        return hands if isinstance(hands, HandIndex) else self.index(hands)

    def _vectors(self, hands: HandsLike) -> NDArray[np.float32]:
        """Return vectors unchanged (float arrays), and hands encoded."""
        if not _are_vectors(hands):
            return self.encode(hands)
        check_vectors(np.atleast_2d(hands), self.size)
        return hands.astype(np.float32)

    def _matching(self, *hands: HandsLike) -> list[NDArray[np.float32]]:
        """Return the vectors of each argument; those with many must have equally many."""
        encoded = [self._vectors(each) for each in hands]
        counts = [len(vectors) for vectors in encoded if vectors.ndim == 2]
        if len(set(counts)) > 1:
            numbers = " and ".join(map(str, counts))
            raise ValueError(f"{numbers} hands or vectors (expected equally many, or one)")
        return encoded


def _are_vectors(hands: HandsLike) -> TypeGuard[NDArray[np.floating[Any]]]:
    return isinstance(hands, np.ndarray) and hands.dtype.kind == "f"
