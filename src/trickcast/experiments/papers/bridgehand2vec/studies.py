"""BridgeHand2Vec 2023: its tables and studies, measured on any pairs with mean tricks.

The authors' rows belong to them: every function takes pairs as ``read_pairs`` gives them.
Their test set of 200,000 boards is not published; their validation rows take its place, of the same
kind: hands of North and South, mean tricks over ten layouts.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cards import Hand
from ....dealing import random_deals
from ....embedding import HandEmbedding, PairEstimate, PairEstimator
from ....evaluators import evaluate
from ....formats.hand2vec import PairSet

_FRESH_SEED = 5
LAYOUTS = 10
"""Layouts that a row's tricks are the mean of."""
ROTATED = ("A432.A432.432.32", "KQJ5.KQJ5.76.765")
"""The pair on which the paper shows that its suits were not alike: hearts 8.25, spades 8.83."""
TABLE_2 = ("A72.K7.AQJ74.A94", "J.J852.T9.KQ6532")
TABLE_2_TRICKS = {"North": "5.0 7.3 10.5 11.1 10.6", "South": "4.9 7.2 10.6 11.1 10.6"}
"""A pair and its printed mean tricks over ten layouts, by declarer: S H D C NT."""
TABLE_5 = {
    "mean": (0.0063, 0.0086, 0.0093, -0.0031, -0.0117, -0.0003, 0.0043, 0.0112),
    "std": (0.9980, 1.0011, 1.0024, 0.9992, 1.0007, 1.0006, 0.9985, 1.0046),
}
"""Mean and standard deviation of the components on 200,000 hands as printed."""
QUERY = "AKQ2.QJT987.32.2"
TABLE_6 = (
    ("AKQ2.QJT987.32.2", 0.0),
    ("AKJ6.QJ6532.T7.9", 0.178),
    ("AQJT.KT9854.J4.7", 0.215),
    ("AKQJ.KJ9864.85.6", 0.232),
    ("AQJT.KJ9654.62.4", 0.240),
    ("AKT5.KT6432.92.5", 0.282),
)
"""The hands nearest to the query as printed, with their distances."""
NEAR_ZERO = ("A72.K432.JT9.Q96", "QT6.A432.Q95.Q94", "QT6.Q95.K432.A32", "A62.K432.Q86.Q96")
"""The hands nearest to the zero vector as printed."""
CHANGE = ("A82.A7643.Q62.Q5", "A82.Q764.Q62.Q53")
"""H1 and H2 of Table 7: the queen of hearts becomes the ace, a club becomes a heart."""
TABLE_7 = {
    "765.Q432.432.432": (
        "765.A6532.532.72", "752.A9542.532.32", "T62.A8543.632.62", "865.A7432.962.94",
        "T52.A6432.964.32",
    ),
    "J6543.432.32.432": (
        "A7653.9875.63.32", "A7532.7632.83.T2", "A7652.T763.T3.86", "A6432.J853.98.32",
        "T9543.9842.74.98",
    ),
}  # fmt: skip
"""Hands y and what the paper prints as nearest to y + (H1 - H2)."""


def some_pairs(pairs: PairSet, rows: slice) -> PairSet:
    """Return some of the rows."""
    return PairSet(pairs.norths[rows], pairs.souths[rows], pairs.tricks[rows])


def squared_error(expected: NDArray[np.float32], pairs: PairSet) -> float:
    """Return the mean squared error of (n, 5) expected tricks, over all strains."""
    return float(((expected - pairs.tricks[:, :, 0]).astype(np.float64) ** 2).mean())


def table_3(expected: NDArray[np.float32], pairs: PairSet) -> dict[str, tuple[float, float, float]]:
    """Return the percent of results less than 2, 1 and 0.5 tricks off, in suits and in notrump."""
    off = np.abs(expected - pairs.tricks[:, :, 0])
    return _shares([off < bound for bound in (2, 1, 0.5)])


def table_4(expected: NDArray[np.float32], pairs: PairSet) -> dict[str, tuple[float, float, float]]:
    """Return the percent off by at most 2, 1 and 0 when both are rounded to whole tricks.

    Halves are rounded to the even number, as NumPy and PyTorch do.
    """
    off = np.abs(np.rint(expected) - np.rint(pairs.tricks[:, :, 0]))
    return _shares([off <= bound for bound in (2, 1, 0)])


def _shares(hits: list[NDArray[np.bool_]]) -> dict[str, tuple[float, float, float]]:
    within_2, within_1, exact = (100 * hit.mean(axis=0) for hit in hits)
    return {
        name: (
            float(within_2[part].mean()),
            float(within_1[part].mean()),
            float(exact[part].mean()),
        )
        for name, part in (("all_suits", slice(0, 4)), ("notrump", slice(4, 5)))
    }


def variances(estimate: PairEstimate) -> NDArray[np.float64]:
    """Return the (n, 5) variance of one layout's tricks that an estimate states."""
    off = np.arange(14) - estimate.expected[..., None]
    found: NDArray[np.float64] = (estimate.probabilities * off**2).sum(axis=-1, dtype=np.float64)
    return found


def table_5(embedding: HandEmbedding) -> dict[str, NDArray[np.float64]]:
    """Return mean and standard deviation of every component on 200,000 hands.

    They are fresh ones: on the searched hands the model was standardized.
    """
    owners = random_deals(50_000, _FRESH_SEED).owners
    hands = np.concatenate([owners == seat for seat in range(4)])
    vectors = embedding.encode(hands).astype(np.float64)
    return {"mean": vectors.mean(axis=0), "std": vectors.std(axis=0)}


def table_6(embedding: HandEmbedding) -> list[dict[str, Any]]:
    """Return the hands nearest to the query, and how far ours puts those that the paper prints."""
    found = embedding.nearest(QUERY, len(TABLE_6) - 1)
    return [
        {
            "published": printed,
            "published_distance": distance,
            "our_distance_of_it": embedding.distance(QUERY, printed),
            "ours": str(hand),
            "distance": apart,
        }
        for (printed, distance), (hand, apart) in zip(TABLE_6[1:], found, strict=True)
    ]


def nearest_to_zero(embedding: HandEmbedding) -> list[dict[str, Any]]:
    """Return the hands nearest to the zero vector."""
    found = embedding.nearest(np.zeros(embedding.size, np.float32), len(NEAR_ZERO))
    return [
        {"published": printed, "ours": str(hand), "hcp": hand.hcp, "distance": apart}
        for printed, (hand, apart) in zip(NEAR_ZERO, found, strict=True)
    ]


def table_7(embedding: HandEmbedding) -> list[dict[str, Any]]:
    """Return the hands nearest to y + (H1 - H2), beside the printed ones."""
    rows = []
    for y, printed in TABLE_7.items():
        found = embedding.analogy(y, plus=CHANGE[0], minus=CHANGE[1], k=len(printed))
        rows += [
            {"y": y, "published": one, "ours": str(hand), "distance": apart}
            for one, (hand, apart) in zip(printed, found, strict=True)
        ]
    return rows


def rotation_example(model: str) -> dict[str, float]:
    """Return the tricks in hearts and in spades of the pair whose suits are alike."""
    found = PairEstimator(model)(*ROTATED)
    return {"hearts": found["H"], "spades": found["S"]}


def components_known(embedding: HandEmbedding, hands: int = 20_000) -> dict[str, float]:
    """Return how well the vector tells points and lengths: multiple correlation, linear."""
    index = embedding.searched
    vectors, cards = index.vectors[:hands].astype(float), index.hands[:hands]
    known = np.column_stack([vectors, np.ones(len(vectors))])
    points = evaluate("work_points", cards)
    lengths = cards.reshape(-1, 4, 13).sum(axis=2)
    found = {}
    for name, values in [("HCP", points), *zip(("♠", "♥", "♦", "♣"), lengths.T, strict=True)]:
        fitted = known @ np.linalg.lstsq(known, values.astype(float), rcond=None)[0]
        found[name] = float(np.corrcoef(fitted, values)[0, 1])
    return found


def printed_shape(hand: str) -> str:
    """Return lengths and points of a printed hand, for tables."""
    found = Hand(hand)
    return f"{'-'.join(map(str, found.lengths))}, {found.hcp} HCP"
