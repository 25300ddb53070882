"""The comparator that the 2018 paper plans: it estimates which of two deals takes more tricks.

Mańdziuk and Suchan, ICONIP 2018, Figure 3. Two towers that share their weights each see one deal,
and the layers on top see the outputs of both. An unknown deal is then placed by comparing it with
reference deals whose results are known. The paper gives only the idea; everything else is ours.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...training.trainer import Lessons
from .best_state import EpochTask
from .examples import Draw, Examples
from .layered_network import LayeredNetwork
from .network_name import NetworkName

_COUNTS = 14
_AT_ONCE = 128
"""Deals compared with all references at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparatorConfig:
    """Everything that decides such a training apart from its deals. Raises ValueError if wrong."""

    evaluate_every: ClassVar[int] = 1
    checkpoint_seconds: ClassVar[float] = 120

    network: str
    """Printed name of the network; its first layers are the tower, and the rest the comparison."""
    tower: int = 2
    """Layers of the tower, not counting its inputs."""
    references: int = 20
    """Reference deals for each number of tricks."""
    rate: float = 0.001
    """Learning rate of RMSProp."""
    batch: int = 1024
    pairings: int = 4
    """Deals of the batch that each deal is compared with."""
    patience: int = 10
    """Epochs without a lower validation error before stopping."""
    epochs: int = 100
    seed: int = 1

    def __post_init__(self) -> None:
        layers = NetworkName(self.network).layers
        if not 1 <= self.tower < len(layers) - 1 or layers[-1].neurons != 1:
            raise ValueError(
                f"network {self.network} with a tower of {self.tower} layers is no comparator "
                "(expected one output, and layers beyond the tower)"
            )
        for name in ("references", "batch", "pairings", "patience", "epochs"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 1 or more)")


class Comparator(nn.Module):
    """Towers, comparison and reference deals. Raises ValueError for an unsuitable name."""

    references: Tensor
    """(14 × references, inputs), those of 0 tricks first."""
    there_are: Tensor
    """(14,): 1 if there are references of that number of tricks, else 0."""

    def __init__(self, config: ComparatorConfig):
        super().__init__()
        parts = config.network.split("-")
        width = NetworkName(config.network).layers[config.tower].neurons
        inputs = NetworkName(config.network).layers[0].neurons
        self.tower = LayeredNetwork("-".join(parts[: config.tower + 1]), seed=config.seed)
        self.top = LayeredNetwork(
            "-".join([str(2 * width), *parts[config.tower + 1 :]]),
            seed=config.seed + 1,
            output="linear",
        )
        self.register_buffer("references", torch.zeros(_COUNTS * config.references, inputs))
        self.register_buffer("there_are", torch.zeros(_COUNTS))

    def compare(self, first: Tensor, second: Tensor) -> Tensor:
        """Return (n,) log odds that the first deal takes more tricks, from (n, width) of both.

        Exchanging the deals changes only the sign.
        """
        there = self.top(torch.cat([first, second], dim=1))
        back = self.top(torch.cat([second, first], dim=1))
        log_odds: Tensor = (there - back)[:, 0]
        return log_odds

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn (n, inputs) into (n, 14): the log likelihood of each number of tricks.

        Against a reference of k tricks, a deal of t tricks wins if t > k and loses if t < k.
        If t = k, each has the same chance.
        """
        known = self.tower(self.references)  # (references, width)
        return torch.cat([self._place(part, known) for part in self.tower(inputs).split(_AT_ONCE)])

    def _place(self, features: Tensor, known: Tensor) -> Tensor:
        """Return the log likelihoods of a few deals."""
        log_odds = self.compare(
            features.repeat_interleave(len(known), dim=0), known.repeat(len(features), 1)
        ).view(len(features), _COUNTS, -1)
        wins = functional.logsigmoid(log_odds).mean(dim=2) * self.there_are  # (n, 14 references)
        losses = functional.logsigmoid(-log_odds).mean(dim=2) * self.there_are
        counts = torch.arange(_COUNTS)
        share = (counts[:, None] > counts).float() + 0.5 * (counts[:, None] == counts)  # t, k
        return wins @ share.t() + losses @ (1 - share).t()

    def choose_references(self, examples: Examples, rng: np.random.Generator) -> None:
        """Choose reference deals from solved ones.

        If a result is rare, deals repeat; a result without deals gets no references.
        """
        each = len(self.references) // _COUNTS
        for count in range(_COUNTS):
            rows = np.flatnonzero(examples.tricks == count)
            self.there_are[count] = float(len(rows) > 0)
            if len(rows):
                chosen = rng.choice(rows, size=each, replace=len(rows) < each)
                inputs = torch.from_numpy(examples.inputs[chosen]).float()
                self.references[count * each : (count + 1) * each] = inputs


class ComparatorTask(EpochTask[ComparatorConfig, Comparator]):
    """A training on pairs of deals; each epoch has a drawing of its own."""

    network: Comparator

    def __init__(self, config: ComparatorConfig, lessons: Lessons, draw: Draw, held_out: Examples):
        super().__init__(config, config.epochs, lessons, draw, held_out)
        self.network = self.candidate = Comparator(config)
        self.optimizer = torch.optim.RMSprop(
            self.network.parameters(), lr=config.rate, foreach=True
        )

    def over(self) -> bool:
        """Return whether the validation error has been no lower for so many epochs."""
        return self.progress.step - self.progress.best.get("epoch", 0) >= self.config.patience

    def step(self) -> None:
        """Run one epoch."""
        epoch = self.progress.step
        inputs, tricks = self.examples(epoch)
        self._error = self.pass_once(
            len(inputs),
            lambda rows: self._loss(inputs[rows], tricks[rows]),
            key=(epoch,),
            where=f"epoch {epoch}",
        )

    def validate(self) -> dict[str, float]:
        """Return both errors."""
        with torch.inference_mode():
            error = self._loss(*self.held_out).item()
        epoch = self.progress.step
        return {"epoch": epoch, "training_error": self._error, "validation_error": error}

    def result(self) -> Comparator:
        """Return the network in its best state, with references from the first drawing."""
        if self.best_weights is not None:
            self.network.load_state_dict(self.best_weights)
        self.network.choose_references(self.draw(0), np.random.default_rng(self.config.seed))
        return self.network

    def _loss(self, inputs: Tensor, tricks: Tensor) -> Tensor:
        """Return the mean loss of the pairs of some examples, each with the next few."""
        features = self.network.tower(inputs)
        losses = []
        for shift in range(1, self.config.pairings + 1):
            other, theirs = features.roll(shift, dims=0), tricks.roll(shift)
            won = 0.5 + 0.5 * torch.sign(tricks - theirs)  # 1, ½, 0
            log_odds = self.network.compare(features, other)
            losses.append(functional.binary_cross_entropy_with_logits(log_odds, won))
        return torch.stack(losses).mean()
