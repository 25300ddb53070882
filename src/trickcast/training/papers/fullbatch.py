"""Full-batch Rprop on the squared error, the training of the 2004 and 2009 papers.

Knows networks and numbers only: what the examples are is for its callers to say.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..encodings import Head, Inputs
from ..networks import run_all
from .checkpoints import (
    Configuration,
    State,
    TrainingError,
    load_checkpoint,
    mean_of_last,
    save_checkpoint,
)


class FullBatch(Configuration, Protocol):
    """The settings of a training; ``TrainingConfig`` says what each of them is."""

    @property
    def redraw(self) -> int:
        """Epochs after which an example has made way for another."""

    @property
    def portions(self) -> int:
        """Parts that the examples are drawn in, and replaced one after the other."""

    @property
    def whole_from(self) -> int:
        """The epoch from which on all portions are used; before it, a quarter of them."""

    @property
    def epochs(self) -> int: ...  # noqa: D102
    @property
    def patience(self) -> int: ...  # noqa: D102
    @property
    def evaluate_every(self) -> int: ...  # noqa: D102
    @property
    def averaged(self) -> int: ...  # noqa: D102
    @property
    def initial_update(self) -> float: ...  # noqa: D102
    @property
    def largest_update(self) -> float: ...  # noqa: D102
    @property
    def weight_decay(self) -> float: ...  # noqa: D102
    @property
    def chunk(self) -> int: ...  # noqa: D102


class Batch(NamedTuple):
    """Examples of one number of tricks each."""

    inputs: Inputs
    """(m, inputs)"""
    tricks: NDArray[np.uint8]
    """(m,)"""


class Descent:
    """A training under way: a network, its optimizer, and where it stands.

    ``network`` is changed; ``candidate``, of the same shape, is given the mean of its last states,
    which is what is validated, and in the end the best of these.
    """

    def __init__(
        self,
        network: nn.Module,
        candidate: nn.Module,
        head: Head,
        settings: FullBatch,
        checkpoint: Path,
    ):
        self.network, self.candidate = network, candidate
        self.head, self.settings, self.checkpoint = head, settings, checkpoint
        self.optimizer = torch.optim.Rprop(
            network.parameters(),
            lr=settings.initial_update,
            step_sizes=(1e-6, settings.largest_update),
        )
        self.state: State = load_checkpoint(checkpoint, network, self.optimizer, settings)

    def run(
        self,
        draw: Callable[[int], Batch],
        held_out: Batch,
        report: Callable[[dict[str, float]], None] = lambda line: None,
    ) -> None:
        """Train to the end, and leave the best state in ``candidate``.

        ``draw(k)`` gives the k-th portion of examples, always the same for the same k, so that
        resuming needs no state. Raises TrainingError when the error is no number.
        """
        state, settings = self.state, self.settings
        started = perf_counter() - state.seconds
        drawn: dict[int, tuple[Tensor, Tensor]] = {}  # (examples, inputs), (examples, outputs)
        while state.epoch < settings.epochs and not self._waits_in_vain():
            wanted = portions_at(settings, state.epoch)
            drawn = {k: drawn[k] if k in drawn else self._tensors(draw(k)) for k in wanted}
            error = self._step(drawn.values())
            if state.epoch % settings.evaluate_every == 0 or state.epoch == settings.epochs:
                mean = mean_of_last(state.recent, self.network, settings.averaged)
                self.candidate.load_state_dict(mean)
                state.seconds = perf_counter() - started
                line = {"epoch": state.epoch, "training_error": error / self.head.unit}
                line |= self._validate(held_out) | {"seconds": round(state.seconds, 1)}
                state.note(line, mean)
                save_checkpoint(self.checkpoint, state, self.network, self.optimizer, settings)
                report(line)
        self.candidate.load_state_dict(state.best_weights)

    def _waits_in_vain(self) -> bool:
        """Tell whether the error has not fallen for long; few examples may not show it falling."""
        since = max(self.state.best_epoch, self.settings.whole_from)
        return self.state.epoch - since >= self.settings.patience

    def _tensors(self, batch: Batch) -> tuple[Tensor, Tensor]:
        targets = self.head.targets(batch.tricks)
        return torch.from_numpy(batch.inputs), torch.from_numpy(targets)

    def _step(self, portions: Collection[tuple[Tensor, Tensor]]) -> float:
        """Make one epoch, and return the root mean square error of the outputs before it."""
        # the gradient of the squared error summed over all examples, chunk by chunk: a chunk's
        # activations stay in the processor's cache
        self.optimizer.zero_grad()
        total, count = 0.0, 0
        for portion in portions:
            chunks = (torch.split(part, self.settings.chunk) for part in portion)
            for inputs, targets in zip(*chunks, strict=True):
                misses = self.network(inputs) - targets
                loss = misses.square().sum()
                loss.backward()
                total += loss.item()
                count += misses.numel()
        if not np.isfinite(total):
            raise TrainingError(f"epoch {self.state.epoch}: the training error is {total}")
        for weights in self.network.parameters():
            assert weights.grad is not None
            weights.grad.add_(weights.detach(), alpha=self.settings.weight_decay)
        self.optimizer.step()
        self.state.epoch += 1
        return float((total / count) ** 0.5)

    def _validate(self, held_out: Batch) -> dict[str, float]:
        """Return error (as that of training) and percent exact of the candidate, copies in all."""
        outputs = run_all(self.candidate, held_out.inputs, self.settings.chunk)
        misses = outputs - self.head.targets(held_out.tricks)
        exact = [
            (self.head.tricks(part) == held_out.tricks).mean()
            for part in np.split(outputs, outputs.shape[1] // self.head.outputs, axis=1)
        ]
        return {
            "validation_error": float(np.square(misses).mean() ** 0.5) / self.head.unit,
            "exact": 100 * float(np.mean(exact)),
        }


def portions_at(settings: FullBatch, epoch: int) -> range:
    """Return the numbers of the portions that an epoch learns from.

    One portion makes way for the next every ``redraw / portions`` epochs. Were all examples
    replaced at once, Rprop's step sizes, which live on signs that stay the same, would have to be
    found again. A few examples are enough to find the way at first, and cost less.
    """
    count, hold = settings.portions, max(settings.redraw // settings.portions, 1)
    newest = epoch // hold + count
    used = count if epoch >= settings.whole_from else max(count // 4, 1)
    return range(newest - used, newest)
