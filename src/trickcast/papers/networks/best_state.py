"""Common parts of the papers' trainings: keeping the best state, and epochs over drawn examples."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from ...training.errors import TrainingError
from ...training.settings import Settings
from ...training.trainer import Lessons, Task
from .examples import Draw, Examples

C = TypeVar("C", bound=Settings)
Network = TypeVar("Network", bound=nn.Module)
Weights = dict[str, Tensor]


class BestOf(Task[C, Network]):
    """A training that keeps the best of the states that it validates.

    A subclass sets ``network``, which its steps change; ``optimizer``; and ``candidate``, which is
    validated: the same network, or another one that takes means of its weights.
    """

    network: nn.Module
    candidate: nn.Module
    optimizer: torch.optim.Optimizer
    best_weights: Weights | None = None

    def __init__(self, config: C, lessons: Lessons, steps: int):
        super().__init__(config, lessons, steps)
        self._recent: list[Weights] = []

    def average(self, count: int) -> None:
        """Give the candidate the mean of the network's weights at the last ``count`` validations.

        Every drawing of examples pulls the weights its own way; the mean of a few is better than
        any of them, and costs nothing.
        """
        self.candidate.load_state_dict(mean_of_last(self._recent, self.network, count))

    def keep(self) -> None:
        """Keep the candidate's weights."""
        self.best_weights = _copied(self.candidate)

    def state(self) -> dict[str, Any]:
        """Return the states of network and optimizer, the best weights and those to average."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "best_weights": self.best_weights,
            "recent": self._recent,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.best_weights, self._recent = state["best_weights"], state["recent"]


def mean_of_last(recent: list[Weights], network: nn.Module, count: int) -> Weights:
    """Add a network's weights to ``recent``, keep the last ``count``, return their mean."""
    recent.append(_copied(network))
    del recent[:-count]
    return {name: torch.stack([weights[name] for weights in recent]).mean(0) for name in recent[-1]}


def _copied(network: nn.Module) -> Weights:
    return {name: weights.clone() for name, weights in network.state_dict().items()}


class EpochConfig(Settings, Protocol):
    """The settings that every such training has."""

    @property
    def batch(self) -> int:
        """Examples between two changes of the weights."""


E = TypeVar("E", bound=EpochConfig)


class EpochTask(BestOf[E, Network]):
    """A training whose step is an epoch: one pass over the examples of a drawing."""

    def __init__(self, config: E, steps: int, lessons: Lessons, draw: Draw, held_out: Examples):
        super().__init__(config, lessons, steps)
        self.draw, self.held_out = draw, as_tensors(held_out)
        self._drawn: tuple[int, tuple[Tensor, Tensor]] | None = None

    def examples(self, drawing: int) -> tuple[Tensor, Tensor]:
        """Return the inputs and tricks of a drawing, which is made once and reused."""
        if self._drawn is None or self._drawn[0] != drawing:
            self._drawn = drawing, as_tensors(self.draw(drawing))
        return self._drawn[1]

    def pass_once(
        self, examples: int, loss: Callable[[Tensor], Tensor], key: Sequence[int], where: str
    ) -> float:
        """Pass over ``examples`` in random order; return the mean loss of one example.

        ``loss`` returns the mean loss of the examples in some rows; ``key`` gives this epoch an
        order of its own. Raises TrainingError, saying ``where``, if the loss is not a number.
        """
        order = torch.from_numpy(
            np.random.default_rng([self.config.seed, *key]).permutation(examples)
        )
        total = 0.0
        for start in range(0, examples, self.config.batch):
            rows = order[start : start + self.config.batch]
            mean = loss(rows)
            self.optimizer.zero_grad()
            mean.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            total += mean.item() * len(rows)
        if not np.isfinite(total):
            raise TrainingError(f"{where}: the error is {total / examples}")
        return total / examples


def as_tensors(examples: Examples) -> tuple[Tensor, Tensor]:
    """Return inputs as they are and tricks as int64."""
    return torch.from_numpy(examples.inputs), torch.from_numpy(examples.tricks.astype(np.int64))
