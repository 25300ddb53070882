"""Hands similar to a given hand, with the calls chosen for them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, checked_whole
from ..dealing.language.calls import call_rank
from ..pairs import HandEmbedding
from .cells import Bools
from .drawing import random_hands
from .labelled_hands import LabelledHands
from .system import Explanation, Floats, Indices, OpeningSystem, Probabilities

_AT_ONCE = 1_024  # hands compared with all labelled ones at a time
_OWN_HANDS, _OWN_SEED = 20_000, 2023
Coding = Callable[[Bools], NDArray[np.floating]]
_HONOUR_POINTS = np.array([4, 3, 2, 1], dtype=np.float32)


def code_counts(hands: Bools) -> Floats:
    """Return points, four lengths and the numbers of aces, kings, queens and jacks.

    These are the inputs of the Heuristic network of BridgeHand2Vec, scaled to a standard deviation
    near 1. The paper does not list the nine; they are inferred from its summary: 1 + 4 + 4.

    Args:
        hands: Hands, shape (n, 52), bool.

    Returns:
        The nine numbers of each hand, shape (n, 9), float32.

    Example:
        >>> code_counts(random_hands(3, seed=1)).shape
        (3, 9)
    """
    suits = hands.reshape(-1, 4, 13)
    honours = suits[:, :, :4].sum(axis=1).astype(np.float32)  # (n, 4)
    points = honours @ _HONOUR_POINTS
    lengths = suits.sum(axis=2)
    columns = [(points - 10) / 4, (lengths - 3.25) / 1.8, (honours - 1) / 0.85]
    counts: Floats = np.column_stack(columns).astype(np.float32)
    return counts


@dataclass(frozen=True)
class Neighbour:
    """A labelled hand near a given hand."""

    hand: Hand
    call: str
    distance: float
    """Euclidean distance between the codes of both hands."""

    def __str__(self) -> str:
        return f"{self.call:>4}  {self.distance:.3f}  {self.hand}"


class NearestSystem(OpeningSystem):
    """Opens as the nearest labelled hand was opened (k = 1), or by a vote of the ``k`` nearest.

    Args:
        labelled: Hands and their opening bids.
        code: Function that turns (n, 52) bool hands into (n, d) numbers, between which distances
            are Euclidean, such as ``code_counts``: points, lengths and honours. Default: the
            vectors of a ``HandEmbedding``.
        name: Name of the system.
        k: Number of hands that vote, 1 or more.

    Raises:
        ModelError: The vectors are missing.
        ValueError: There are fewer than ``k`` labelled hands.
    """

    def __init__(
        self,
        labelled: LabelledHands,
        code: Coding | None = None,
        *,
        name: str = "nearest-hands",
        k: int = 1,
    ):
        if not len(labelled):
            raise ValueError("no labelled hands to search")
        if not 1 <= k <= len(labelled):
            raise ValueError(f"k is {k} (expected 1 to the {len(labelled)} labelled hands)")
        self.name, self.title = name, f"The {k} nearest of {len(labelled):,} labelled hands"
        self.calls = tuple(sorted(set(labelled.calls), key=call_rank))
        self.labelled, self.k = labelled, k
        self._code = HandEmbedding().encode if code is None else code
        self._places: Floats = np.asarray(self._code(labelled.hands), np.float32)
        self._chosen = np.array([self.calls.index(call) for call in labelled.calls])

    def nearest(self, hand: str | Hand, k: int = 5) -> tuple[Neighbour, ...]:
        """Return the ``k`` labelled hands nearest to one, nearest first; all, if there are fewer.

        Raises DealError for an invalid hand, ValueError for a ``k`` below 1.
        """
        checked_whole(k, "k", 1)
        rows, distances = self._near(Hand(hand).cards[None], k)
        return tuple(
            Neighbour(
                Hand.from_cards(self.labelled.hands[row]), self.labelled.calls[row], float(distance)
            )
            for row, distance in zip(rows[0], distances[0], strict=True)
        )

    def explain(self, hand: str | Hand) -> Explanation:
        """Show the nearest labelled hands. Raises DealError for an invalid hand."""
        near = "; ".join(" ".join(str(other).split()) for other in self.nearest(hand, self.k))
        reason = f"nearest labelled hands (call, distance, hand): {near}"
        return self._explained(Hand(hand), reason)

    def _probabilities(self, held: Bools) -> Probabilities:
        votes = self._chosen[self._near(held, self.k)[0]]  # (n, k)
        shares: Probabilities = (
            (votes[:, :, None] == np.arange(len(self.calls))).mean(axis=1).astype(np.float32)
        )
        return shares

    def _near(self, held: Bools, k: int) -> tuple[Indices, Floats]:
        """Return indices and distances of the ``k`` labelled hands nearest to each: (n, k) both."""
        k = min(k, len(self.labelled))
        rows = np.empty((len(held), k), np.int64)
        distances = np.empty((len(held), k), np.float32)
        norms = np.square(self._places).sum(axis=1)
        for start in range(0, len(held), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            places = np.asarray(self._code(held[part]), np.float32)
            squares = np.square(places).sum(axis=1)[:, None] + norms - 2 * places @ self._places.T
            rows[part] = np.argsort(squares, axis=1, kind="stable")[:, :k]
            least = np.take_along_axis(squares, rows[part], axis=1)
            distances[part] = np.sqrt(np.maximum(least, 0))
        return rows, distances


def own_labelled(system: OpeningSystem) -> LabelledHands:
    """Return 20,000 random hands with a system's own calls, in place of hands bid by players.

    Args:
        system: The OpeningSystem.

    Returns:
        LabelledHands, the same each time.

    Example:
        >>> len(own_labelled(tc.openings.load("polish-club-rules")).calls)
        20000
    """
    hands = random_hands(_OWN_HANDS, _OWN_SEED)
    return LabelledHands(hands, tuple(system.bid(hands)))
