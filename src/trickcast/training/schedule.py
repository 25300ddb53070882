"""Trainings of one schedule: AdamW or SOAP, a warm-up and a cosine, averaged weights.

What the networks of ``deals`` and of ``pairs`` share. Each supplies the loss of a step and what is
measured.
"""

from abc import abstractmethod
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from .checkpoints import TrainingError
from .fields import MORE_THAN_0, SEED, SHARE, at_least, check_settings, one_of, setting
from .parallel import Place
from .soap import OPTIMIZERS
from .trainer import Lessons, Task

_SEEDS = 1 << 64
"""Of torch's generator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleConfig:
    """How weights move. Raises ValueError for a bad value."""

    steps: int = setting(20_000, "steps of the whole schedule", at_least(1))
    learning_rate: float = setting(1e-3, "highest learning rate", MORE_THAN_0)
    warm_up: int = setting(200, "steps of rising rate", at_least(0))
    optimizer: str = setting("adam", "adam or soap", one_of(*OPTIMIZERS))
    weight_decay: float = setting(0.0, "decoupled, as AdamW's", at_least(0))
    clip: float = setting(1.0, "longest gradient", MORE_THAN_0)
    average: float = setting(0.999, "share of old in the averaged weights", SHARE)
    seed: int = setting(1, "seed of first weights, batches and dropout", SEED)
    evaluate_every: int = setting(
        1_000, "steps between two evaluations", at_least(1), may_change=True
    )
    checkpoint_seconds: float = setting(
        120, "seconds between checkpoints", MORE_THAN_0, may_change=True
    )

    def __post_init__(self) -> None:
        check_settings(self)

    def rate(self, step: int, fresh_from: int = 0) -> float:
        """Return the learning rate of a step: linear warm-up, then a cosine to zero at the end.

        ``fresh_from`` is the step at which the optimizer began anew: it is warmed up again.
        """
        rising = min(1.0, (step - fresh_from + 1) / (self.warm_up + 1))
        falling = 0.5 + 0.5 * torch.cos(torch.tensor(torch.pi * step / self.steps)).item()
        return self.learning_rate * rising * falling

    def kept(self, steps: int) -> float:
        """Return the share of old in the averaged weights after so many steps: none after one."""
        return min(self.average, steps / (9 + steps)) if steps > 1 else 0.0

    def step_seed(self, step: int, rank: int) -> int:
        """Return the seed of what a step draws by torch's own generator."""
        return (self.seed * 1_000_003 + step) % _SEEDS


C = TypeVar("C", bound=ScheduleConfig)
Network = TypeVar("Network", bound=nn.Module)


class Scheduled(Task[C, Network]):
    """A training of one schedule; its result is the averaged network."""

    def __init__(self, config: C, network: Network, lessons: Lessons, place: Place = Task.place):
        super().__init__(config, lessons, config.steps)
        self.place = place
        self.network = network.to(place.device).train()
        self.averaged = deepcopy(self.network).requires_grad_(False).eval()
        self.optimizer = OPTIMIZERS[config.optimizer](
            self.groups(), lr=config.learning_rate, weight_decay=config.weight_decay
        )
        self._parts: dict[str, Any] = {
            "network": self.network,
            "averaged": self.averaged,
            "optimizer": self.optimizer,
        }
        self._losses, self._counted = torch.zeros((), device=place.device), 0

    @abstractmethod
    def loss(self, step: int) -> Tensor:
        """Return the loss of a step, whose lessons depend on nothing but its number."""

    @abstractmethod
    def figures(self) -> dict[str, float]:
        """Return what is reported of the averaged network."""

    def groups(self) -> Iterable[Any]:
        """Return what the optimizer moves."""
        return self.network.parameters()

    def step(self) -> None:
        """Learn from one batch."""
        config, step = self.config, self.progress.step
        for group in self.optimizer.param_groups:
            group["lr"] = config.rate(step, self.progress.fresh_from)
        torch.manual_seed(config.step_seed(step, 0))  # what is drawn for all is drawn alike by all
        loss = self.loss(step)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), config.clip)
        self.optimizer.step()
        self._average(config.kept(step + 1))
        self._losses = self._losses + self.place.mean(loss.detach())
        self._counted += 1

    @torch.no_grad()
    def _average(self, kept: float) -> None:
        """Move the averaged weights towards the network's, so that a share of the old is kept."""
        for old, new in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
            old.lerp_(new, 1 - kept)
        for ours, theirs in zip(self.averaged.buffers(), self.network.buffers(), strict=True):
            ours.copy_(theirs)

    def validate(self) -> dict[str, float]:
        """Return the figures of the averaged network, and the mean loss since the last time."""
        loss = self._checked() / self._counted
        self._losses, self._counted = torch.zeros_like(self._losses), 0
        return {"step": self.progress.step, "training_loss": loss} | self.figures()

    def state(self) -> dict[str, Any]:
        """Return the states of networks, optimizer and losses, unless these are no number."""
        states = {name: part.state_dict() for name, part in self._parts.items()}
        return states | {"losses": self._checked(), "counted": self._counted}

    def restore(self, state: dict[str, Any]) -> None:
        """Take these up."""
        for name, part in self._parts.items():
            part.load_state_dict(state[name])
        self._losses, self._counted = self._losses + state["losses"], state["counted"]

    def result(self) -> Network:
        """Return the averaged network, on the processor."""
        return self.averaged.cpu()

    def _checked(self) -> float:
        """Return the sum of the losses. Raises TrainingError when it is no number."""
        losses = float(self._losses)
        if not losses < float("inf"):
            raise TrainingError(f"step {self.progress.step}: the training loss is {losses}")
        return losses
