"""The training of BridgeHand2Vec: squared error of mean tricks, by Adam as in the paper or SOAP.

What the paper does not state (batch, learning rate, steps, averaging) is ours: see
``Hand2VecConfig``. Every batch holds each row in one of its eight views, drawn anew.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from ..dealing import random_deals
from ..networks.hand2vec import VECTOR, Hand2Vec, symmetric_tricks
from .pair_data import PairRows, take_rows, turned_rows
from .schedule import Leg, ScheduleConfig, run_schedule

_STANDARD_DEALS, _STANDARD_SEED = 50_000, 2023


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand2VecConfig(ScheduleConfig):
    """Everything that decides a training besides its rows. Raises ValueError for a bad value."""

    size: int = field(default=VECTOR, metadata={"help": "numbers of a hand's vector"})
    batch: int = field(default=1_024, metadata={"help": "pairs in a step"})
    taught: int = field(default=0, metadata={"help": "pairs that a teacher labels, besides rows"})

    def __post_init__(self) -> None:
        super(Hand2VecConfig, self).__post_init__()
        for name, least in (("size", 1), ("batch", 1), ("taught", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)} (expected {least} or more)")


def train_hand2vec(
    config: Hand2VecConfig,
    training: PairRows,
    validation: PairRows,
    checkpoint: str | os.PathLike[str],
    *,
    start: dict[str, Tensor] | None = None,
    minutes: float | None = None,
    report: Callable[[dict[str, float]], None] = lambda line: None,
) -> tuple[Hand2Vec, Leg]:
    """Train one leg; return the averaged network, standardized on random hands, and the progress.

    ``start`` are weights to begin with. The validation rows are measured and nothing else: the
    network is that of the last step.
    Raises TrainingError as ``run_schedule``.
    """

    def loss(network: Hand2Vec, step: int) -> Tensor:
        hands, tricks = take_rows(training, step, config.batch, config.seed)
        hands, target = turned_rows(hands, tricks, step, config.seed)
        return functional.mse_loss(network(hands), target)

    def measured(network: Hand2Vec) -> dict[str, float]:
        standardize(network)
        return errors(network, validation)

    network = Hand2Vec(config.size, seed=config.seed)
    if start is not None:
        network.load_state_dict(start)
    network, leg = run_schedule(
        network,
        config,
        loss,
        measured,
        Path(checkpoint),
        data=f"{training.sha256} {validation.sha256}",
        minutes=minutes,
        report=report,
    )
    if leg.last.get("step") != leg.step:  # else it was measured, and standardized for that
        standardize(network)
    return network, leg


def standardize(network: Hand2Vec) -> None:
    """Give the vectors of random hands mean 0 and standard deviation 1."""
    network.standardize(_standard_hands())


@cache
def _standard_hands() -> Tensor:
    """(200,000, 52) bool."""
    owners = torch.from_numpy(random_deals(_STANDARD_DEALS, _STANDARD_SEED).owners.copy())
    return torch.cat([owners == seat for seat in range(4)])


@torch.no_grad()
def errors(network: Hand2Vec, rows: PairRows, *, chunk: int = 4096) -> dict[str, float]:
    """Return mean squared errors over all strains, North declaring.

    ``mse`` is that of the paper's network, ``mse_symmetric`` that of the mean over suit orders.
    """
    sums = torch.zeros(2, dtype=torch.float64)
    for start in range(0, len(rows), chunk):
        hands, tricks = rows.hands[start : start + chunk], rows.tricks[start : start + chunk, :, 0]
        for i, found in enumerate((network(hands), symmetric_tricks(network, hands))):
            sums[i] += (found - tricks).square().double().mean(1).sum()
    one, mean = (sums / len(rows)).tolist()
    return {"mse": one, "mse_symmetric": mean}
