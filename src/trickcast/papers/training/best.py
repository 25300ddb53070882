"""What the papers' trainings share: the state of the lowest validation error is the result."""

from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from ...training.settings import Settings
from ...training.trainer import Lessons, Task

C = TypeVar("C", bound=Settings)
Network = TypeVar("Network", bound=nn.Module)
Weights = dict[str, Tensor]


class BestOf(Task[C, Network]):
    """A training that keeps the best of the states that it validates.

    A family sets ``network``, which its steps change, ``optimizer``, and ``candidate``, which is
    given what is validated: the same network, or one that takes means of its weights.
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
        any, and costs nothing.
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
        """Take these up."""
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
