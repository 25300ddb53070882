"""Full-batch Rprop on the squared error, the training of the 2004 and 2009 papers.

This module knows only networks and numbers; its callers decide what the examples are. Every epoch
is a step.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from ...training.errors import TrainingError
from ...training.exports import run_all
from ...training.settings import SEED, at_least, setting
from ...training.trainer import Lessons, Progress
from ..codings import Head
from .best_state import BestOf
from .examples import Draw, Examples


class Rprop(torch.optim.Optimizer):
    """Rprop as first published: a step beyond a lowest point is taken back.

    M. Riedmiller, H. Braun: A direct adaptive method for faster backpropagation learning: the RPROP
    algorithm, IEEE International Conference on Neural Networks 1993. ``torch.optim.Rprop`` stays
    where that step led. Every weight moves by a step of its own; the gradient gives only the sign.
    A step is ``up`` times as long as the last one while the gradient keeps its sign. If the sign
    changes, the last step is taken back, and the one after that is ``down`` times as long.
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 0.1,
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        etas: tuple[float, float] = (0.5, 1.2),
    ):
        """Take the parameters by the names that ``torch.optim.Rprop`` gives them.

        ``lr`` is the first step, ``step_sizes`` the smallest and the largest, ``etas`` down and up.
        """
        super().__init__(parameters, {"lr": lr, "step_sizes": step_sizes, "etas": etas})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Move all weights once."""
        for group in self.param_groups:
            smallest, largest = group["step_sizes"]
            down, up = group["etas"]
            for weights in group["params"]:
                state, gradient = self.state[weights], weights.grad
                if not state:
                    state["length"] = torch.full_like(weights, group["lr"])
                    state["gradient"] = torch.zeros_like(weights)
                    state["move"] = torch.zeros_like(weights)
                same = (gradient * state["gradient"]).sign()
                over = same < 0
                factor = torch.ones_like(weights).masked_fill(same > 0, up).masked_fill(over, down)
                state["length"].mul_(factor).clamp_(smallest, largest)
                move = torch.where(over, -state["move"], -gradient.sign() * state["length"])
                weights.add_(move)
                # the next gradient has nothing to compare with: one overshoot halves a length once
                state["gradient"] = gradient.masked_fill(over, 0)
                state["move"] = move


@dataclass(frozen=True, slots=True, kw_only=True)
class RpropConfig:
    """How weights move, and when the training ends."""

    checkpoint_seconds: ClassVar[float] = 120

    examples: int = setting(131_072, "examples in the full batch", at_least(1))
    redraw: int = setting(100, "epochs between two drawings of examples", at_least(1))
    portions: int = 1
    """Parts that the examples are drawn in, and replaced one after the other."""
    whole_from: int = 0
    """The epoch from which all portions are used; before it, a quarter of them."""
    epochs: int = setting(5_000, "epochs at most", at_least(1), may_change=True)
    patience: int = setting(
        1_000,
        "epochs without a lower validation error before stopping",
        at_least(1),
        may_change=True,
    )
    evaluate_every: int = setting(
        100, "epochs between two validations", at_least(1), may_change=True
    )
    averaged: int = setting(
        5, "validations whose weights are averaged into the network", at_least(1)
    )
    initial_update: float = setting(0.1, "Rprop's initial update value")
    largest_update: float = setting(50.0, "Rprop's largest update value")
    steps_back: bool = False
    """Whether a step that went too far is taken back, as in the Rprop of 1993."""
    weight_decay: float = setting(1e-4, "weight decay", at_least(0))
    seed: int = setting(1, "seed of first weights and examples", SEED)
    chunk: int = setting(2_048, "examples computed at a time", at_least(1), may_change=True)


C = TypeVar("C", bound=RpropConfig)
Network = TypeVar("Network", bound=nn.Module)
_Chunks = list[tuple[Tensor, Tensor]]
"""Inputs and targets, (examples, inputs) and (examples, outputs)."""


class FullBatch(BestOf[C, Network]):
    """A training by full batches.

    It trains ``network``. ``candidate``, of the same shape, takes the mean of the last states of
    ``network``; this mean is validated, and the best one is the result.
    """

    candidate: Network

    def __init__(
        self,
        config: C,
        network: Network,
        candidate: Network,
        head: Head,
        lessons: Lessons,
        draw: Draw,
        held_out: Examples,
    ):
        super().__init__(config, lessons, config.epochs)
        self.network, self.candidate, self.head = network, candidate, head
        self.draw, self.held_out = draw, held_out
        rprop = Rprop if config.steps_back else torch.optim.Rprop
        self.optimizer = rprop(
            network.parameters(),
            lr=config.initial_update,
            step_sizes=(1e-6, config.largest_update),
        )
        self._drawn: dict[int, _Chunks] = {}
        self._error = 0.0

    def go_on_from(self, progress: Progress) -> None:
        """Start from the best state of an earlier training, with its progress."""
        self.progress = Progress(progress.step, progress.seconds, best=progress.best)
        self.candidate.load_state_dict(self.network.state_dict())
        self.keep()

    def over(self) -> bool:
        """Return whether the error has long not fallen; few examples may not show it falling."""
        since = max(int(self.progress.best.get("epoch", 0)), self.config.whole_from)
        return self.progress.step - since >= self.config.patience

    def step(self) -> None:
        """Run one epoch, and note the outputs' root mean square error before it."""
        drawn, epoch = self._drawn, self.progress.step
        self._drawn = {
            k: drawn[k] if k in drawn else self._chunks(self.draw(k))
            for k in portions_at(self.config, epoch)
        }
        total, outputs = self._descend(self._drawn.values())
        if not np.isfinite(total):
            raise TrainingError(f"epoch {epoch}: the training error is {total}")
        for weights in self.network.parameters():
            assert weights.grad is not None
            weights.grad.add_(weights.detach(), alpha=self.config.weight_decay)
        self.optimizer.step()
        self._error = float((total / outputs) ** 0.5)

    def _chunks(self, examples: Examples) -> _Chunks:
        parts = examples.inputs, self.head.targets(examples.tricks)
        inputs, targets = (torch.split(torch.from_numpy(x), self.config.chunk) for x in parts)
        # all examples' values of one input are adjacent, in the order that layers compute in:
        # transposing them in every epoch would take half of its time
        return [(x.t().contiguous().t(), y) for x, y in zip(inputs, targets, strict=True)]

    def _descend(self, portions: Collection[_Chunks]) -> tuple[float, int]:
        """Set the gradients; return the sum of squared errors, and the number of outputs in it."""
        # the gradient of the squared error summed over all examples, chunk by chunk: a chunk's
        # activations stay in the processor's cache
        self.optimizer.zero_grad()
        total, count = 0.0, 0
        for inputs, targets in chain.from_iterable(portions):
            misses = self.network(inputs) - targets
            loss = misses.square().sum()
            loss.backward()
            total += loss.item()
            count += misses.numel()
        return total, count

    def validate(self) -> dict[str, float]:
        """Return errors in tricks and percent exact of the candidate, over all its copies."""
        self.average(self.config.averaged)
        held_out, head = self.held_out, self.head
        outputs = run_all(self.candidate, held_out.inputs, self.config.chunk)
        misses = outputs - head.targets(held_out.tricks)
        exact = [
            (head.tricks(part) == held_out.tricks).mean()
            for part in np.split(outputs, outputs.shape[1] // head.outputs, axis=1)
        ]
        return {
            "epoch": self.progress.step,
            "training_error": self._error / head.unit,
            "validation_error": float(np.square(misses).mean() ** 0.5) / head.unit,
            "exact": 100 * float(np.mean(exact)),
        }

    def result(self) -> Network:
        """Return the candidate in its best state; before any validation, in its initial state."""
        if self.best_weights is not None:
            self.candidate.load_state_dict(self.best_weights)
        return self.candidate


def portions_at(settings: RpropConfig, epoch: int) -> range:
    """Return the numbers of the portions that an epoch learns from.

    A new portion replaces the oldest every ``redraw / portions`` epochs. If all examples were
    replaced at once, Rprop would have to find its step sizes again, because they depend on signs
    that stay the same. At first a few examples are enough to find the way, and they cost less.
    """
    count, hold = settings.portions, max(settings.redraw // settings.portions, 1)
    newest = epoch // hold + count
    used = count if epoch >= settings.whole_from else max(count // 4, 1)
    return range(newest - used, newest)
