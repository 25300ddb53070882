"""A training of one schedule in as many legs as it takes, whatever the network and its loss."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from .checkpoints import TrainingError, read_content, write_content
from .journal import Journal
from .soap import OPTIMIZERS

Network = TypeVar("Network", bound=nn.Module)
_FORMAT = "trickcast scheduled training 1"
_MAY_CHANGE = {"evaluate_every", "checkpoint_seconds"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleConfig:
    """How weights move: AdamW or SOAP, a warm-up and a cosine, averaged weights."""

    steps: int = field(default=20_000, metadata={"help": "steps of the whole schedule"})
    learning_rate: float = field(default=1e-3, metadata={"help": "highest learning rate"})
    warm_up: int = field(default=200, metadata={"help": "steps of rising rate"})
    optimizer: str = field(default="adam", metadata={"help": "adam or soap"})
    weight_decay: float = field(default=0.0, metadata={"help": "decoupled, as AdamW's"})
    clip: float = field(default=1.0, metadata={"help": "longest gradient"})
    average: float = field(default=0.999, metadata={"help": "share of old in the averaged weights"})
    seed: int = field(default=1, metadata={"help": "seed of first weights and batches"})
    evaluate_every: int = field(default=1_000, metadata={"help": "steps between two evaluations"})
    checkpoint_seconds: float = field(default=120, metadata={"help": "seconds between checkpoints"})

    def __post_init__(self) -> None:
        for name in ("steps", "evaluate_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 1 or more)")
        for name in ("warm_up", "weight_decay", "seed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 0 or more)")
        for name in ("learning_rate", "clip", "checkpoint_seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)} (expected more than 0)")
        if not 0 <= self.average < 1:
            raise ValueError(f"average is {self.average} (expected 0 to less than 1)")
        if self.optimizer not in OPTIMIZERS:
            known = " or ".join(OPTIMIZERS)
            raise ValueError(f"optimizer is {self.optimizer!r} (expected {known})")

    def rate(self, step: int, fresh_from: int = 0) -> float:
        """Return the learning rate of a step: linear warm-up, then a cosine to zero at the end.

        ``fresh_from`` is the step at which the optimizer began anew: it is warmed up again.
        """
        rising = min(1.0, (step - fresh_from + 1) / (self.warm_up + 1))
        falling = 0.5 + 0.5 * torch.cos(torch.tensor(torch.pi * step / self.steps)).item()
        return self.learning_rate * rising * falling

    def kept(self, step: int) -> float:
        """Return the share of old in the averaged weights at a step: less in the first ones."""
        return min(self.average, (1 + step) / (10 + step))


@dataclass
class Leg:
    """How far a training has come."""

    step: int = 0
    seconds: float = 0.0
    """Spent in all legs."""
    data: str = ""
    """Checksum of what it learns from and is validated on."""
    last: dict[str, float] = field(default_factory=dict)
    """The report of the last evaluation."""


@dataclass
class _Run(Generic[Network]):
    """What a training moves, and its checkpoint."""

    network: Network
    config: ScheduleConfig
    path: Path
    leg: Leg

    def __post_init__(self) -> None:
        self.averaged = AveragedModel(
            self.network, avg_fn=lambda old, new, n: old.lerp(new, 1 - self.config.kept(int(n)))
        )
        self.optimizer = OPTIMIZERS[self.config.optimizer](
            self.network.parameters(),
            lr=self.config.learning_rate,
            weight_decay=self.config.weight_decay,
        )
        self._parts: dict[str, Any] = {
            "network": self.network,
            "averaged": self.averaged,
            "optimizer": self.optimizer,
        }

    def restore(self) -> None:
        """Go on from the checkpoint where there is one."""
        content = read_content(self.path, _FORMAT, self.config, _MAY_CHANGE)
        if content is None:
            return
        if content["leg"]["data"] != self.leg.data:
            raise TrainingError(f"{self.path}: the training so far had other data than this")
        self.leg = Leg(**content["leg"])
        for name, part in self._parts.items():
            part.load_state_dict(content[name])

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        states = {name: part.state_dict() for name, part in self._parts.items()}
        write_content(self.path, _FORMAT, self.config, {"leg": asdict(self.leg), **states})

    def step(self, loss: Callable[[Network, int], Tensor]) -> Tensor:
        """Take one step and return its loss."""
        self.optimizer.param_groups[0]["lr"] = self.config.rate(self.leg.step)
        torch.manual_seed(self.config.seed * 1_000_003 + self.leg.step)
        found = loss(self.network.train(), self.leg.step)
        self.optimizer.zero_grad()
        found.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        self.optimizer.step()
        self.averaged.update_parameters(self.network)
        self.leg.step += 1
        return found.detach()

    @property
    def result(self) -> Network:
        """The averaged network, ready to answer."""
        return cast(Network, self.averaged.module.eval())


def run_schedule(
    network: Network,
    config: ScheduleConfig,
    loss: Callable[[Network, int], Tensor],
    evaluate: Callable[[Network], dict[str, float]],
    checkpoint: Path,
    *,
    data: str,
    minutes: float | None = None,
    report: Callable[[dict[str, float]], None] = lambda line: None,
) -> tuple[Network, Leg]:
    """Train until the schedule ends, or ``minutes`` are over; return the averaged network.

    ``loss`` gets the network and the step, on which alone its batch may depend: so a training that
    goes on from its checkpoint goes on exactly. Raises TrainingError for a checkpoint of another
    training or other ``data``, and for a loss that is no number.
    """
    run = _Run(network, config, checkpoint, Leg(data=data))
    run.restore()
    leg = run.leg
    started = saved = perf_counter()
    before, total, counted = leg.seconds, torch.zeros(()), 0
    with Journal(checkpoint, leg.step) as journal:
        while leg.step < config.steps:
            if minutes is not None and perf_counter() - started > 60 * minutes:
                break
            total, counted = total + run.step(loss), counted + 1
            leg.seconds = before + perf_counter() - started
            if leg.step % config.evaluate_every == 0 or leg.step == config.steps:
                if not torch.isfinite(total):
                    raise TrainingError(f"step {leg.step}: the training loss is no number")
                line = {"step": leg.step, "training_loss": float(total) / counted}
                line |= evaluate(run.result) | {"seconds": round(leg.seconds, 1)}
                leg.last, total, counted = line, torch.zeros(()), 0
                journal.write(line)
                report(line)
            if perf_counter() - saved > config.checkpoint_seconds:
                run.save()
                saved = perf_counter()
        run.save()
    return run.result, leg
