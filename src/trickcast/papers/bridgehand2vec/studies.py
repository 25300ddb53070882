"""BridgeHand2Vec 2023: its tables and studies, measured on any pairs with mean tricks.

The rows belong to the paper's authors: every function takes pairs as ``read_pairs`` returns them.
Their test set of 200,000 boards is not published. Their validation rows take its place: they are of
the same kind, hands of North and South with mean tricks over ten layouts.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import Hand
from ...dealing import random_deals
from ...evaluators import evaluate
from ...formats.hand2vec import PairSet
from ...pairs import HandEmbedding, PairEstimate, PairEstimator
from ..experiments.intervals import Spread, half_width
from ..published import published_results

PRINTED: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("printed.toml").read_text("utf-8")
)
"""What the paper prints beside its accuracy figures, by table or study, as in the file."""
_FRESH_SEED = 5
FIGURES = ("within_2", "within_1", "exact")
"""Columns of published results."""
WITHIN = ("within 2", "within 1", "exactly")
"""Names, in our rows, of the shares that ``table_3`` and ``table_4`` return."""
PRINTED_NETWORKS = 10
"""Networks that Tables 3 and 4 average over."""
LAYOUTS = 10
"""Layouts that a row's tricks are averaged over."""


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
    """Return the percent off by at most 2, 1 and 0 after both are rounded to whole tricks.

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


def difference(of: Sequence[float], over: Sequence[float], *runs: int) -> list[float]:
    """Return by how much the first mean exceeds the second, and half its 95 % interval.

    Each is a mean over networks, followed by their standard deviation. ``runs`` are their numbers,
    of both or of each, two or more.
    """
    pairs = zip((of[1], over[1]), (runs[0], runs[-1]), strict=True)
    parts = [Spread(deviation**2 / n, n - 1) for deviation, n in pairs]
    return [of[0] - over[0], half_width(parts)]


def printed_shares() -> dict[str, tuple[str, float]]:
    """Return the printed figures of Tables 3 and 4, as printed, and their deviations.

    They are named as ``Table 3, all_suits, exactly``.
    """
    return {
        f"Table {table}, {row['contracts']}, {words}": (row[name], deviation)
        for table, of_table in PRINTED["models"].items()
        for row, deviations in ((published_results()[id], std) for id, std in of_table.items())
        for words, name, deviation in zip(WITHIN, FIGURES, deviations, strict=True)
    }


def short_of_printed(rows: Sequence[Mapping[str, Any]], networks: int) -> dict[str, list[float]]:
    """Return, by figure, how far our networks are below the ten printed ones, as a difference.

    ``rows`` have a ``figure``, its mean ``value`` and ``std``. For one network the result is empty.
    """
    printed, short = printed_shares(), {}
    for row in rows if networks > 1 else ():
        if row["figure"] in printed:
            share, deviation = printed[row["figure"]]
            theirs, ours = (float(share), deviation), (row["value"], row["std"])
            short[row["figure"]] = difference(theirs, ours, PRINTED_NETWORKS, networks)
    return short


def variances(estimate: PairEstimate) -> NDArray[np.float64]:
    """Return the (n, 5) variance of one layout's tricks, as an estimate states it."""
    off = np.arange(14) - estimate.expected[..., None]
    spread: NDArray[np.float64] = (estimate.probabilities * off**2).sum(axis=-1, dtype=np.float64)
    return spread


def table_5(embedding: HandEmbedding) -> dict[str, NDArray[np.float64]]:
    """Return mean and standard deviation of every component on 200,000 hands.

    The hands are fresh, because the model was standardized on the searched ones.
    """
    owners = random_deals(50_000, _FRESH_SEED).owners
    hands = np.concatenate([owners == seat for seat in range(4)])
    vectors = embedding.encode(hands).astype(np.float64)
    return {"mean": vectors.mean(axis=0), "std": vectors.std(axis=0)}


def table_6(embedding: HandEmbedding) -> list[dict[str, Any]]:
    """Return the hands nearest to the query, and our distances of those that the paper prints."""
    query, printed_hands = PRINTED["table_6"]["query"], PRINTED["table_6"]["hands"][1:]
    nearest = embedding.nearest(query, len(printed_hands))
    return [
        {
            "published": printed,
            "published_distance": distance,
            "our_distance_of_it": embedding.distance(query, printed),
            "ours": str(hand),
            "distance": apart,
        }
        for (printed, distance), (hand, apart) in zip(printed_hands, nearest, strict=True)
    ]


def nearest_to_zero(embedding: HandEmbedding) -> list[dict[str, Any]]:
    """Return the hands nearest to the zero vector."""
    printed_hands = PRINTED["zero"]["hands"]
    nearest = embedding.nearest(np.zeros(embedding.size, np.float32), len(printed_hands))
    return [
        {"published": printed, "ours": str(hand), "hcp": hand.hcp, "distance": apart}
        for printed, (hand, apart) in zip(printed_hands, nearest, strict=True)
    ]


def table_7(embedding: HandEmbedding) -> list[dict[str, Any]]:
    """Return the hands nearest to y + (H1 - H2), beside the printed ones."""
    rows = []
    plus, minus = PRINTED["table_7"]["change"]
    for y, printed_hands in PRINTED["table_7"]["nearest"].items():
        nearest = embedding.analogy(y, plus=plus, minus=minus, k=len(printed_hands))
        rows += [
            {"y": y, "published": printed, "ours": str(hand), "distance": apart}
            for printed, (hand, apart) in zip(printed_hands, nearest, strict=True)
        ]
    return rows


def rotation_example(embedding: HandEmbedding) -> list[dict[str, Any]]:
    """Return the tricks in hearts and in spades of the pair whose suits are alike.

    They come from the shipped models. One pass of the paper's network may tell the suits apart. The
    mean over all orders of the suits cannot, nor can ``accurate``, which treats all suits alike.
    """
    hands = PRINTED["rotation"]["hands"]
    spades, hearts = embedding.tricks(*hands)[:2].tolist()
    rows: list[dict[str, Any]] = [
        {"model": "hand2vec, one pass", "hearts": hearts, "spades": spades}
    ]
    for name, model in (("hand2vec, all orders of the suits", "hand2vec"), ("accurate",) * 2):
        estimate = PairEstimator(model)(*hands)
        rows.append(
            {"model": name, "hearts": estimate.expected["H"], "spades": estimate.expected["S"]}
        )
    return rows


def components_known(embedding: HandEmbedding, hands: int = 20_000) -> dict[str, float]:
    """Return the linear multiple correlation of the vector with points and with lengths."""
    index = embedding.searched
    vectors, cards = index.vectors[:hands].astype(float), index.hands[:hands]
    known = np.column_stack([vectors, np.ones(len(vectors))])
    points = evaluate("work_points", cards)
    lengths = cards.reshape(-1, 4, 13).sum(axis=2)
    correlations = {}
    for name, values in [("HCP", points), *zip(("♠", "♥", "♦", "♣"), lengths.T, strict=True)]:
        fitted = known @ np.linalg.lstsq(known, values.astype(float), rcond=None)[0]
        correlations[name] = float(np.corrcoef(fitted, values)[0, 1])
    return correlations


def printed_shape(hand: str) -> str:
    """Return the lengths and points of a printed hand, for tables."""
    cards = Hand(hand)
    return f"{'-'.join(map(str, cards.lengths))}, {cards.hcp} HCP"
