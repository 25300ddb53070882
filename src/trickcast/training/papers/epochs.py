"""Training by epochs on drawn examples, going on after a kill: what the trainings of 2018 share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from .checkpoints import Configuration, TrainingError, read_content, write_content
from .fullbatch import Batch

Draw = Callable[[int], Batch]
Report = Callable[[dict[str, float]], None]


class EpochConfig(Configuration, Protocol):
    """What every such training is given."""

    @property
    def batch(self) -> int:
        """Examples between two changes of the weights."""

    @property
    def seed(self) -> int:
        """Decides the first weights and the order of the examples."""


@dataclass
class Standing:
    """Where a training stands."""

    epoch: int = 0
    best_error: float = float("inf")
    """The lowest validation error."""
    best_weights: dict[str, Tensor] = field(default_factory=dict)
    seconds: float = 0.0


class EpochTraining(ABC):
    """A training under way, going on from ``checkpoint`` where that file exists.

    ``deals`` is the checksum of the training deals. Raises TrainingError for a file that is no
    checkpoint, or one of another configuration or of other deals.
    """

    form: ClassVar[str]
    """The format of its checkpoints."""
    network: nn.Module
    optimizer: torch.optim.Optimizer
    standing: Standing

    def __init__(self, config: EpochConfig, checkpoint: Path, deals: str, standing: Standing):
        self._settings, self.checkpoint, self.deals = config, checkpoint, deals
        self.standing = standing
        self._drawn: tuple[int, Tensor, Tensor] | None = None
        self.prepare()
        content = read_content(checkpoint, self.form, config)
        if content is not None:
            if content["deals"] != deals:
                raise TrainingError(f"{checkpoint}: was trained on other deals than these")
            self.standing = type(standing)(**content["standing"])
            self.prepare()
            self.network.load_state_dict(content["network"])
            self.optimizer.load_state_dict(content["optimizer"])

    @abstractmethod
    def prepare(self) -> None:
        """Build the network, and the optimizer, of the phase in which the training stands."""

    @abstractmethod
    def over(self) -> bool:
        """Tell whether the training is at its end."""

    @abstractmethod
    def step(self, draw: Draw, held_out: Batch) -> dict[str, float]:
        """Make one epoch and return what is reported of it."""

    def run_epochs(self, draw: Draw, held_out: Batch, report: Report) -> None:
        """Train to the end, with a checkpoint after each epoch.

        Raises TrainingError when an error is no number.
        """
        started = perf_counter() - self.standing.seconds
        while not self.over():
            line = self.step(draw, held_out)
            self.standing.seconds = perf_counter() - started
            self._save()
            report(line | {"seconds": round(self.standing.seconds, 1)})

    def examples(self, draw: Draw, drawing: int) -> tuple[Tensor, Tensor]:
        """Return inputs and tricks of a drawing, which is made once however often it is used."""
        if self._drawn is None or self._drawn[0] != drawing:
            self._drawn = (drawing, *as_tensors(draw(drawing)))
        return self._drawn[1:]

    def pass_once(
        self, examples: int, loss: Callable[[Tensor], Tensor], key: Sequence[int], where: str
    ) -> float:
        """Pass over so many examples in random order; return the mean loss of one.

        ``loss`` gives the mean loss of the examples of some rows; ``key`` sets the order of this
        epoch apart from others. Raises TrainingError, saying ``where``, when it is no number.
        """
        order = torch.from_numpy(
            np.random.default_rng([self._settings.seed, *key]).permutation(examples)
        )
        total = 0.0
        for start in range(0, examples, self._settings.batch):
            rows = order[start : start + self._settings.batch]
            mean = loss(rows)
            self.optimizer.zero_grad()
            mean.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            total += mean.item() * len(rows)
        if not np.isfinite(total):
            raise TrainingError(f"{where}: the error is {total / examples}")
        return total / examples

    def keep_if_best(self, error: float, weights: dict[str, Tensor]) -> bool:
        """Keep the weights if this validation error is the lowest so far; tell whether it is."""
        if error >= self.standing.best_error:
            return False
        self.standing.best_error = error
        self.standing.best_weights = {name: w.clone() for name, w in weights.items()}
        return True

    def _save(self) -> None:
        content: dict[str, Any] = {
            "deals": self.deals,
            "standing": asdict(self.standing),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        write_content(self.checkpoint, self.form, self._settings, content)


def as_tensors(batch: Batch) -> tuple[Tensor, Tensor]:
    """Return inputs as they are and tricks as int64."""
    return torch.from_numpy(batch.inputs), torch.from_numpy(batch.tricks.astype(np.int64))
