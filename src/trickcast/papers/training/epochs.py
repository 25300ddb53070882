"""Training by epochs of small batches of drawn examples: what the trainings of 2018 share."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from ...training.checkpoints import TrainingError
from ...training.settings import Settings
from ...training.trainer import Lessons
from .best import BestOf
from .examples import Draw, Examples


class EpochConfig(Settings, Protocol):
    """What every such training is given."""

    @property
    def batch(self) -> int:
        """Examples between two changes of the weights."""


C = TypeVar("C", bound=EpochConfig)
Network = TypeVar("Network", bound=nn.Module)


class EpochTask(BestOf[C, Network]):
    """A training whose step is an epoch: one pass over the examples of a drawing."""

    def __init__(self, config: C, steps: int, lessons: Lessons, draw: Draw, held_out: Examples):
        super().__init__(config, lessons, steps)
        self.draw, self.held_out = draw, as_tensors(held_out)
        self._drawn: tuple[int, tuple[Tensor, Tensor]] | None = None

    def examples(self, drawing: int) -> tuple[Tensor, Tensor]:
        """Return inputs and tricks of a drawing, which is made once however often it is used."""
        if self._drawn is None or self._drawn[0] != drawing:
            self._drawn = drawing, as_tensors(self.draw(drawing))
        return self._drawn[1]

    def pass_once(
        self, examples: int, loss: Callable[[Tensor], Tensor], key: Sequence[int], where: str
    ) -> float:
        """Pass over so many examples in random order; return the mean loss of one.

        ``loss`` gives the mean loss of the examples of some rows; ``key`` sets the order of this
        epoch apart from others. Raises TrainingError, saying ``where``, when it is no number.
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
