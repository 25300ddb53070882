"""Training of BridgeHand2Vec: squared error of mean tricks, by Adam as in the paper or by SOAP.

Batch, learning rate, steps and averaging are not stated in the paper and are our choice: see
``Hand2VecConfig``. Every batch shows each row in one of its eight views, drawn anew.
"""

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

from ...dealing import random_deals
from ...training.catalogue import Family, Training
from ...training.errors import TrainingError
from ...training.lessons import PairRows, join_rows, take_rows, teach_rows, turned_rows
from ...training.request import Answer, Request
from ...training.settings import at_least, setting
from ...training.suit_networks import PairNetwork, read_weights
from ...training.trainer import Lessons, Report, ScheduleConfig, Scheduled
from ...training.two_hands import held_out, rows, shown, train_and_export
from .hand2vec_export import export_hand2vec
from .hand2vec_network import VECTOR, Hand2Vec, symmetric_tricks

_STANDARD_DEALS, _STANDARD_SEED = 50_000, 2023


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand2VecConfig(ScheduleConfig):
    """Everything that decides a training apart from its rows. Raises ValueError for a bad value."""

    size: int = setting(VECTOR, "numbers of a hand's vector", at_least(1))
    batch: int = setting(1_024, "pairs in a step", at_least(1))
    taught: int = setting(0, "pairs that a teacher labels, besides rows", at_least(0))


class Hand2VecTask(Scheduled[Hand2VecConfig, Hand2Vec]):
    """A training on rows of mean tricks; the result is standardized on random hands.

    The validation rows are only measured: the network is that of the last step.
    """

    rotate = True
    """Whether suits are rotated. Without rotation a pair has two of its eight views."""

    def __init__(self, config: Hand2VecConfig, training: PairRows, validation: PairRows):
        lessons = Lessons(len(training), training.sha256, validation.sha256)
        super().__init__(config, Hand2Vec(config.size, seed=config.seed), lessons)
        self.training, self.validation = training, validation

    def loss(self, step: int) -> Tensor:
        """Return the mean squared error of a step's rows, each in one of its views."""
        hands, tricks = take_rows(self.training, step, self.config.batch, self.config.seed)
        hands, target = turned_rows(hands, tricks, step, self.config.seed, rotate=self.rotate)
        return functional.mse_loss(self.network(hands), target)

    def figures(self) -> dict[str, float]:
        """Return the errors of the averaged network on the validation rows."""
        standardize(self.averaged)
        return errors(self.averaged, self.validation)

    def result(self) -> Hand2Vec:
        """Return the averaged network, standardized."""
        if self.progress.last.get("step") != self.progress.step:  # otherwise done for its figures
            standardize(self.averaged)
        return super().result()


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

    ``mse`` is for one pass of the paper's network, ``mse_symmetric`` for the mean over suit orders.
    """
    sums = torch.zeros(2, dtype=torch.float64)
    for start in range(0, len(rows), chunk):
        hands, tricks = rows.hands[start : start + chunk], rows.tricks[start : start + chunk, :, 0]
        for i, expected in enumerate((network(hands), symmetric_tricks(network, hands))):
            sums[i] += (expected - tricks).square().double().mean(1).sum()
    one_pass, all_orders = (sums / len(rows)).tolist()
    return {"mse": one_pass, "mse_symmetric": all_orders}


HAND2VEC = Hand2VecConfig(
    steps=30_000,
    batch=2_048,
    taught=400_000,
    learning_rate=1e-2,
    optimizer="soap",
    evaluate_every=5_000,
)
_TAUGHT_SEED = 1_000_003


def find_training(name: str) -> Training | None:
    """Return the training of BridgeHand2Vec's network for ``hand2vec``, None for other names."""
    options = {"weights", "pairs", "pairs_validation"}
    family = Family(options, train_hand2vec_model, shown)
    return Training(family, HAND2VEC) if name == "hand2vec" else None


def train_hand2vec_model(request: Request, config: Hand2VecConfig, report: Report) -> Answer:
    """Train one leg of ``hand2vec``; export ``pairs/hand2vec.onnx`` at the end of the schedule.

    The ``weights`` of a request are those of the pair network that labels. Raises TrainingError
    if there is nothing to learn from, and whatever the training raises.
    """
    parts = [] if request.pairs is None else [rows(request.pairs)]
    if request.weights is not None:
        if not config.taught:
            raise ValueError("taught is 0 (expected 1 or more with --weights, which label rows)")
        teacher = read_weights(request.weights, PairNetwork)[0]
        parts.append(teach_rows(teacher, config.taught, _TAUGHT_SEED))
    if not parts:
        raise TrainingError(
            "nothing to learn from (expected --pairs, BridgeHand2Vec's rows, or --weights, those "
            "of a pair network)"
        )
    task = Hand2VecTask(config, join_rows(parts), held_out(request))
    return train_and_export(request, task, "hand2vec", export_hand2vec, report)
