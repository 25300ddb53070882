"""Estimate the tricks of two hands in one pass of a network, without sampling."""

import os
from itertools import permutations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..cards import DealError, Hand, HandLike, HandsLike, Seat, checked_whole, counted, hands_of
from ..cards.hand import as_hands
from ..cards.text import card_text
from ..dealing.constraints import Constraints, KnownHand
from ..estimator.files import ModelError, check_distributions, check_shape, run_model
from .estimate import PairEstimate
from .files import PairModelInfo, load_pair_model, pickled, vector_size

_ORDERS = list(permutations(range(4)))
_FAR = 1_000
"""Tricks, or fewer than none, that only a damaged network gives."""


class PairEstimator:
    """Load a model of two hands once, and call it on pairs of partners.

    All suits are treated alike: exchanging two suits exchanges their results.

    Args:
        model: ``"accurate"``, ``"hand2vec"`` (the network of the 2023 paper), or path of an
            ``.onnx`` file that ``trickcast train`` exported.
        threads: Number of threads. Default: all cores.
        batch_size: Pairs computed at a time.

    Raises:
        ModelError: The model is unknown, missing or damaged.
        ValueError: ``threads`` or ``batch_size`` is below 1.

    Example:
        >>> estimated = tc.PairEstimator(threads=1)("A.KQ9832.T94.AKT", "KJ95.J65.K3.J654")
        >>> estimated.expected.round().astype(int)  # S H D C N, the first hand declares
        array([ 6, 10,  6,  8,  8])
    """

    info: PairModelInfo
    """The model's file and its metadata."""

    def __init__(
        self,
        model: str | os.PathLike[str] = "accurate",
        *,
        threads: int | None = None,
        batch_size: int = 512,
    ):
        self.batch_size = checked_whole(batch_size, "batch_size", 1)
        session, self.info = load_pair_model(model, threads)
        self._threads = threads
        self._network: _Network = (
            Distributions(session, self.info)
            if self.info.kind == "distributions"
            else Vectors(session, self.info)
        )

    def __repr__(self) -> str:
        return f"<PairEstimator {self.info.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model's name, or its path if it does not ship, and its checksum."""
        return pickled(self, self.info, threads=self._threads, batch_size=self.batch_size)

    def __call__(self, norths: HandsLike, souths: HandsLike) -> PairEstimate:
        """Estimate the tricks of pairs of partners, whose opponents' hands are unknown.

        Args:
            norths: The first hand of each pair. A Hand, its text, a list of these, or hands of
                shape (n, 52), bool.
            souths: The partners: as many, or one for all.

        Returns:
            A PairEstimate, the first hand as declarer; two single hands give arrays without the
            leading axis.

        Raises:
            DealError: A hand is not valid, partners share a card, or counts differ.
        """
        pairs, single = as_pairs(norths, souths)
        both = np.empty((len(pairs), 5, 2, 14), dtype=np.float32)
        for start in range(0, len(pairs), self.batch_size):
            rows = slice(start, start + self.batch_size)
            both[rows] = self._network(pairs[rows])
        return PairEstimate(both[0] if single else both)

    def average(
        self, hand: HandLike, partner: KnownHand, *, samples: int = 1000, seed: int = 0
    ) -> PairEstimate:
        """Estimate one hand, as declarer, with a partner known only by a description.

        Args:
            hand: A Hand, or its text.
            partner: What ``constrained_deals`` takes for a seat, such as ``"hcp 15-17, balanced"``.
            samples: Number of partners to average over.
            seed: Seed that chooses them.

        Returns:
            A PairEstimate of one pair, the mean over the partners.

        Raises:
            DealError: The hand is not valid.
            ConstraintError: The description cannot be read.
            NoDealsError: Too few hands fit.
            ValueError: ``samples`` is below 1.

        Example:
            >>> estimator = tc.PairEstimator(threads=1)
            >>> estimated = estimator.average("KT752.A84.J63.92", "hcp 15-17")
            >>> estimated.expected.shape, estimated.making("2S") > estimated.making("4S")
            ((5,), True)
        """
        checked_whole(samples, "samples", 1)
        deals = Constraints(north=Hand(hand), south=partner).deals(samples, seed)
        souths = hands_of(deals.owners, Seat.SOUTH)
        return PairEstimate(self(hand, souths).both.mean(axis=0, dtype=np.float32))


def as_pairs(norths: HandsLike, souths: HandsLike) -> tuple[NDArray[np.uint8], bool]:
    """Return hands and their partners as (n, 2, 52) zeros and ones, and whether it was one pair.

    Raises DealError like ``PairEstimator.__call__``.
    """
    (first, one_first), (second, one_second) = as_hands(norths), as_hands(souths)
    if len(first) != len(second) and not (one_first or one_second):
        hands = counted(len(first), "hand")
        partners = counted(len(second), "partner")
        raise DealError(f"{hands} and {partners} (expected equally many)")
    n = len(second) if one_first else len(first)
    pairs = np.empty((n, 2, 52), dtype=np.uint8)
    pairs[:, 0], pairs[:, 1] = first, second
    shared = np.argwhere(pairs.all(axis=1))
    single = one_first and one_second
    for row, card in shared[:1]:
        where = "" if n == 1 else f"pair {row} of {n}: "
        raise DealError(f"{where}both hands hold {card_text(int(card))}")
    return pairs, single


class _Network(Protocol):
    """A model file that can be run."""

    def __call__(self, pairs: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return (n, 5, 2, 14) probabilities for (n, 2, 52) pairs, n ≥ 1."""


class Distributions:
    """A network that gives distributions."""

    def __init__(self, session: Any, info: PairModelInfo):
        self._session, self._info = session, info

    def __call__(self, pairs: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the distributions for (n, 2, 52) pairs."""
        (chances,) = run_model(self._session, self._info, ["probabilities"], {"hands": pairs})
        check_distributions(chances, (len(pairs), 5, 2, 14), self._info)
        return chances


class Vectors:
    """BridgeHand2Vec: mean tricks from two vectors, and a normal scatter around them.

    Averages over the 24 orders of the suits, so that all suits are treated alike.
    """

    def __init__(self, session: Any, info: PairModelInfo):
        self._session, self._info = session, info
        self._scatters = [Scatter(info.spread["suits"])] * 4 + [Scatter(info.spread["notrump"])]

    def __call__(self, pairs: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the distributions for (n, 2, 52) pairs."""
        tricks = self.tricks(pairs)
        chances = [scatter(tricks[:, i]) for i, scatter in enumerate(self._scatters)]
        return np.stack(chances, axis=1)

    def tricks(self, pairs: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return (n, 5, 2) mean tricks: strains, declarers."""
        n = len(pairs)
        suits = pairs.astype(np.bool_).reshape(n, 2, 4, 13)
        moved = np.concatenate([suits[:, :, order].reshape(2 * n, 52) for order in _ORDERS])
        vectors = encode(self._session, self._info, moved).reshape(len(_ORDERS), n, 2, -1)
        both = np.stack([vectors, vectors[:, :, ::-1]], axis=2)  # (orders, n, declarer, 2, size)
        rows = run_tricks(self._session, self._info, both.reshape(len(_ORDERS) * n * 2, -1))
        if rows.size and np.abs(rows).max() > _FAR:
            raise ModelError(
                f"{self._info.path}: the model's means are not tricks (from {rows.min():.3g} to "
                f"{rows.max():.3g})"
            )
        answers = rows.reshape(len(_ORDERS), n, 2, 5)
        tricks = np.zeros((n, 5, 2), dtype=np.float32)
        for order, answer in zip(_ORDERS, answers.transpose(0, 1, 3, 2), strict=True):
            tricks[:, order] += answer[:, :4]
            tricks[:, 4] += answer[:, 4]
        return tricks / np.float32(len(_ORDERS))


def encode(session: Any, info: PairModelInfo, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the (n, size) vectors of (n, 52) hands, from the first half of a file of vectors."""
    size = vector_size(session)
    nothing = np.empty((0, 2 * size), dtype=np.float32)
    (vectors,) = run_model(session, info, ["vectors"], {"hands": hands, "pairs": nothing})
    check_shape(vectors, (len(hands), size), info)
    return vectors


def run_tricks(
    session: Any, info: PairModelInfo, pairs: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return (n, 5) tricks of (n, 2 × size) vectors, from the second half of a file of vectors."""
    nothing = np.empty((0, 52), dtype=np.bool_)
    (tricks,) = run_model(session, info, ["tricks"], {"hands": nothing, "pairs": pairs})
    check_shape(tricks, (len(pairs), 5), info)
    return tricks


class Scatter:
    """Distributions over 0 … 13 tricks around means: a normal curve at the whole numbers.

    ``deviation`` is the curve's, in tricks. The curve is shifted until its mean over 0 … 13 is the
    requested one, within 0.001.
    """

    def __init__(self, deviation: float):
        self._deviation = deviation
        self._centres = np.linspace(-8, 21, 2901)
        self._means = self._curve(self._centres) @ np.arange(14)

    def __call__(self, means: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return (…, 14) float32 probabilities for (…) means; those beyond 0 … 13 are clipped."""
        centres = np.interp(means, self._means, self._centres)
        return self._curve(centres).astype(np.float32)

    def _curve(self, centres: NDArray[np.float64]) -> NDArray[np.float64]:
        off = (np.arange(14) - np.asarray(centres)[..., None]) / self._deviation
        logs = -0.5 * off**2
        weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
        shares: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
        return shares
