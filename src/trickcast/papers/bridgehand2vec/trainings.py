"""The studies of BridgeHand2Vec 2023 that need many networks, all trained alike.

The paper trained each by Adam on 3,200,000 examples of solved deals. Here a network learns from
pairs that ``accurate`` labels. At scale ``full`` these are 400,000 in their eight views, also by
Adam. At ``standard`` it learns for 600 steps, enough to compare networks but not to get the best.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...cards.hand import as_hands
from ...cards.sizes import RANKS, SUITS
from ...dealing import random_deals
from ...formats.hand2vec import PairSet
from ...pairs import PairEstimator
from ...training.lessons import PairRows, join_rows, pair_rows
from ...training.trainer import train
from .hand2vec_network import VECTOR, Hand2Vec
from .hand2vec_training import Hand2VecConfig, Hand2VecTask
from .studies import PRINTED, WITHIN, difference, some_pairs, squared_error, table_3, table_4

_SEED, _CHUNK = 4, 4_096
HELD_OUT = 5_000
"""The last training rows, held out to compare the sources."""
ADAM_RATE = 2e-2
"""Adam's learning rate: the best of 0.005, 0.01 and 0.02 in 2,500 steps; SOAP's is 0.01."""


Comparison = tuple[list[dict[str, float | str]], dict[str, list[float]]]
"""Rows of what is compared, and differences with half the 95 % interval of each."""


@dataclass(frozen=True, slots=True)
class Study:
    """How many networks a study trains, and how."""

    steps: int = 600
    optimizer: str = "soap"
    batch: int = 2_048
    labelled: int = 100_000
    """Pairs that ``accurate`` labels."""
    sizes: tuple[int, ...] = (2, 4, 6, 8, 12, 16)
    runs: int = 3
    """Networks of each size."""
    models: int = 10
    """Networks of size eight that show the spread."""
    rotated: int = 3
    """Networks of size eight with rotated suits, and as many with the suits as dealt."""


STUDIES = {
    "smoke": Study(steps=20, batch=256, labelled=512, sizes=(2, 8), runs=1, models=2, rotated=1),
    "standard": Study(),
    "full": Study(steps=5_000, optimizer="adam", labelled=400_000),
}
"""Studies by scale. 5,000 steps see 400,000 pairs 26 times, three times in each view."""


@lru_cache(maxsize=1)
def labelled_pairs(n: int) -> PairSet:
    """Return ``n`` random pairs with the tricks that ``accurate`` expects for them."""
    owners = random_deals(n, _SEED).owners
    norths, souths = owners == 0, owners == 2
    estimate = PairEstimator()(norths, souths)
    both = (estimate.expected, estimate.by_partner.expected)
    return PairSet(norths, souths, np.stack(both, axis=2))


def train_one(
    study: Study,
    rows: PairRows,
    *,
    size: int = VECTOR,
    seed: int = 1,
    optimizer: str | None = None,
    rotate: bool = True,
) -> Hand2Vec:
    """Return a network that learned from ``rows`` as the study says, or by another optimizer.

    Without ``rotate`` it sees two of a pair's eight views: the hands exchanged, the suits as dealt.
    """
    optimizer = optimizer or study.optimizer
    config = Hand2VecConfig(
        size=size,
        seed=seed,
        steps=study.steps,
        batch=study.batch,
        optimizer=optimizer,
        learning_rate=1e-2 if optimizer == "soap" else ADAM_RATE,
        warm_up=study.steps // 10,
        evaluate_every=study.steps,
    )
    few = PairRows(rows.hands[:1], rows.tricks[:1], "")  # callers measure the network in full
    with TemporaryDirectory() as folder:
        task = (Hand2VecTask if rotate else _SuitsAsDealt)(config, rows, few)
        return train(task, Path(folder) / "one.checkpoint").network


class _SuitsAsDealt(Hand2VecTask):
    """The same training without rotation of the suits; the hands are still exchanged."""

    rotate = False


def one_pass(network: Hand2Vec, pairs: PairSet) -> NDArray[np.float32]:
    """Return the (n, 5) tricks that a network expects for pairs, the first hand declaring."""
    return _answers(network, pair_rows(pairs).hands)


@torch.no_grad()
def _answers(network: Hand2Vec, hands: Tensor) -> NDArray[np.float32]:
    """Return the same for (n, 2, 52) hands."""
    expected: NDArray[np.float32] = torch.cat(
        [network(hands[i : i + _CHUNK]) for i in range(0, len(hands), _CHUNK)]
    ).numpy()
    return expected


@lru_cache(maxsize=64)
def _trained(study: Study, size: int, seed: int, rotate: bool) -> Hand2Vec:
    """Return a network trained on labelled pairs; cached, because studies share some."""
    rows = pair_rows(labelled_pairs(study.labelled))
    return train_one(study, rows, size=size, seed=seed, rotate=rotate)


def sizes_against_error(study: Study, pairs: PairSet) -> list[dict[str, float]]:
    """Return mean squared error and deviation for vectors of several sizes, on ``pairs``."""
    of_sizes = []
    for size in study.sizes:
        runs = [
            squared_error(one_pass(_trained(study, size, seed, True), pairs), pairs)
            for seed in range(1, study.runs + 1)
        ]
        of_sizes.append({"size": size, "runs": len(runs)} | _spread("mse", runs))
    return of_sizes


def ten_models(study: Study, pairs: PairSet) -> list[dict[str, float | str]]:
    """Return mean and deviation over models of every figure of Tables 3 and 4, and of the error."""
    answers = [
        one_pass(_trained(study, VECTOR, seed, True), pairs) for seed in range(1, study.models + 1)
    ]
    rows: list[dict[str, float | str]] = [
        {"figure": "mean squared error"}
        | _spread("value", [squared_error(expected, pairs) for expected in answers])
    ]
    for name, table in (("Table 3", table_3), ("Table 4", table_4)):
        measured = [table(expected, pairs) for expected in answers]
        for contracts in measured[0]:
            for place, within in enumerate(WITHIN):
                values = [shares[contracts][place] for shares in measured]
                rows.append({"figure": f"{name}, {contracts}, {within}"} | _spread("value", values))
    return rows


def sources_compared(study: Study, training: PairSet) -> list[dict[str, float | str]]:
    """Compare the sources of training data, on the last of the authors' training rows."""
    held_out = some_pairs(training, slice(-HELD_OUT, None))
    rows = pair_rows(some_pairs(training, slice(-HELD_OUT)))
    labelled = pair_rows(labelled_pairs(study.labelled))
    both = join_rows([rows, labelled])
    lessons = (
        ("the authors' rows", rows, "soap"),
        ("the authors' rows, by Adam", rows, "adam"),
        ("labelled pairs", labelled, "soap"),
        ("both", both, "soap"),
        ("both, by Adam", both, "adam"),
    )
    errors = list[dict[str, float | str]]()
    for name, source, optimizer in lessons:
        network = train_one(study, source, optimizer=optimizer)
        error = squared_error(one_pass(network, held_out), held_out)
        errors.append({"source": name, "pairs": len(source), "mse": error})
    return errors


def unlike_suits(network: Hand2Vec, pairs: PairSet) -> float:
    """Return by how much a pair's tricks change when its suits are rotated.

    It is the mean absolute difference over all pairs, the three rotations and the five strains, one
    pass each. The tricks of a rotated suit are compared with those of the same suit before
    rotation.
    """
    hands = pair_rows(pairs).hands
    expected, off = _answers(network, hands), []
    for shift in range(1, SUITS):
        order = [(suit + shift) % SUITS for suit in range(SUITS)]
        moved = hands.view(-1, 2, SUITS, RANKS)[:, :, order].flatten(2)
        off.append(np.abs(_answers(network, moved) - expected[:, [*order, SUITS]]).mean())
    return float(np.mean(off))


def rotation_of_labelled(study: Study, pairs: PairSet) -> Comparison:
    """Return what rotation gains for networks that learn from labelled pairs, on ``pairs``.

    The labels come from a network that treats all suits alike, and have no noise.
    """
    return rotation_compared(study, partial(_trained, study, VECTOR), pairs)


def rotation_of_rows(study: Study, training: PairSet) -> Comparison:
    """Return the same for the authors' training rows, on the last of them."""
    rows = pair_rows(some_pairs(training, slice(-HELD_OUT)))
    held_out = some_pairs(training, slice(-HELD_OUT, None))

    def learned(seed: int, rotate: bool) -> Hand2Vec:
        return train_one(study, rows, seed=seed, rotate=rotate)

    return rotation_compared(study, learned, held_out)


def rotation_compared(
    study: Study, learned: Callable[[int, bool], Hand2Vec], pairs: PairSet
) -> Comparison:
    """Compare networks trained with rotated suits and without, and return what rotation gains.

    ``learned`` returns a network for a seed and a choice of rotation. For each kind the result has
    the error; ``unlike``, as from ``unlike_suits``; and ``apart``, the difference between hearts
    and spades of the printed pair; with their deviations over the networks. What rotation gains is
    the decrease of each, with half its 95 % interval; it is empty for one network of each kind.
    """
    example = torch.from_numpy(as_hands(PRINTED["rotation"]["hands"])[0][None])
    rows = list[dict[str, float | str]]()
    for lessons, rotate in (("rotated", True), ("as dealt", False)):
        networks = [learned(seed, rotate) for seed in range(1, study.rotated + 1)]
        errors = [squared_error(one_pass(network, pairs), pairs) for network in networks]
        unlike = [unlike_suits(network, pairs) for network in networks]
        printed = np.array([_answers(network, example)[0, :2] for network in networks], float)
        spades, hearts = printed.mean(axis=0).tolist()
        rows.append(
            {"suits": lessons, "runs": study.rotated, "hearts": hearts, "spades": spades}
            | _spread("mse", errors, "mse_std")
            | _spread("unlike", unlike, "unlike_std")
            | _spread("apart", np.abs(printed[:, 0] - printed[:, 1]).tolist(), "apart_std")
        )
    rotated, dealt = rows
    gone = {}
    for name in ("mse", "unlike", "apart") if study.rotated > 1 else ():
        of, over = ([float(row[name]), float(row[f"{name}_std"])] for row in (dealt, rotated))
        gone[name] = difference(of, over, study.rotated)
    return rows, gone


def _spread(name: str, values: list[float], deviation_name: str = "std") -> dict[str, float]:
    """Return mean and sample deviation, 0 for a single value."""
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return {name: float(np.mean(values)), deviation_name: deviation}
