"""The studies of BridgeHand2Vec 2023 that need many networks, trained alike.

The paper trained each on 3,200,000 examples of solved deals, by Adam. Here a network learns from
pairs that ``accurate`` labels: at scale ``full`` from 400,000 in their eight views, by Adam too; at
``standard`` for 600 steps, which is enough to compare networks, not to have the best.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray

from ....dealing import random_deals
from ....embedding import PairEstimator
from ....formats.hand2vec import PairSet
from ....networks.hand2vec import VECTOR, Hand2Vec
from ....training.pairs.data import PairRows, join_rows, pair_rows
from ....training.pairs.hand2vec import Hand2VecConfig, Hand2VecTask
from ....training.trainer import train
from .studies import some_pairs, squared_error, table_3, table_4

_SEED, _CHUNK = 4, 4_096
HELD_OUT = 5_000
"""Training rows, the last of them, that the comparison of sources is measured on."""
ADAM_RATE = 2e-2
"""Adam's learning rate: the best of 0.005, 0.01 and 0.02 in 2,500 steps; SOAP's is 0.01."""


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
    """Networks of every size."""
    models: int = 10
    """Networks of size eight for the spread."""


STUDIES = {
    "smoke": Study(steps=20, batch=256, labelled=512, sizes=(2, 8), runs=1, models=2),
    "standard": Study(),
    "full": Study(steps=5_000, optimizer="adam", labelled=400_000),
}
"""By scale. 5,000 steps see 400,000 pairs 26 times, in each of their views three times."""


@lru_cache(maxsize=1)
def labelled_pairs(n: int) -> PairSet:
    """Return ``n`` random pairs with the tricks that ``accurate`` expects of them."""
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
) -> Hand2Vec:
    """Return a network that learned from ``rows`` as the study says, or by another optimizer."""
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
    few = PairRows(rows.hands[:1], rows.tricks[:1], "")  # measured in full where it is asked for
    with TemporaryDirectory() as folder:
        return train(Hand2VecTask(config, rows, few), Path(folder) / "one.checkpoint").network


@torch.no_grad()
def one_pass(network: Hand2Vec, pairs: PairSet) -> NDArray[np.float32]:
    """Return the (n, 5) tricks that a network expects of pairs, the first hand declaring."""
    hands = pair_rows(pairs).hands
    expected: NDArray[np.float32] = torch.cat(
        [network(hands[i : i + _CHUNK]) for i in range(0, len(hands), _CHUNK)]
    ).numpy()
    return expected


@lru_cache(maxsize=32)
def _answers(study: Study, size: int, seed: int, pairs: PairSet) -> NDArray[np.float32]:
    """What a network trained on labelled pairs says of others: two studies share some."""
    rows = pair_rows(labelled_pairs(study.labelled))
    return one_pass(train_one(study, rows, size=size, seed=seed), pairs)


def sizes_against_error(study: Study, pairs: PairSet) -> list[dict[str, float]]:
    """Return mean squared error and deviation for vectors of several sizes, on ``pairs``."""
    of_sizes = []
    for size in study.sizes:
        runs = [
            squared_error(_answers(study, size, seed, pairs), pairs)
            for seed in range(1, study.runs + 1)
        ]
        of_sizes.append({"size": size, "runs": len(runs)} | _spread("mse", runs))
    return of_sizes


def ten_models(study: Study, pairs: PairSet) -> list[dict[str, float | str]]:
    """Return mean and deviation over models of every figure of Tables 3 and 4, and of the error."""
    answers = [_answers(study, VECTOR, seed, pairs) for seed in range(1, study.models + 1)]
    rows: list[dict[str, float | str]] = [
        {"figure": "mean squared error"}
        | _spread("value", [squared_error(expected, pairs) for expected in answers])
    ]
    for name, table in (("Table 3", table_3), ("Table 4", table_4)):
        measured = [table(expected, pairs) for expected in answers]
        for contracts in measured[0]:
            for place, within in enumerate(("within 2", "within 1", "exactly")):
                values = [shares[contracts][place] for shares in measured]
                rows.append({"figure": f"{name}, {contracts}, {within}"} | _spread("value", values))
    return rows


def sources_compared(study: Study, training: PairSet) -> list[dict[str, float | str]]:
    """Return what each source of lessons brings, on the last of the authors' training rows."""
    held_out = some_pairs(training, slice(-HELD_OUT, None))
    rows = pair_rows(some_pairs(training, slice(-HELD_OUT)))
    labelled = pair_rows(labelled_pairs(study.labelled))
    both = join_rows([rows, labelled])
    lessons = (
        ("the authors' rows", rows, "soap"),
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


def _spread(name: str, values: list[float]) -> dict[str, float]:
    """Return mean and sample deviation, 0 of a single value."""
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return {name: float(np.mean(values)), "std": deviation}
