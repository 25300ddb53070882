"""The training of the 2018 paper by its authors' program, which is not all printed.

The paper gives the address of its code, and the code adds the following. A batch is a quarter of
all examples, the same quarter every time. Weights and biases begin as N(0, 1). The decoder is the
encoder transposed. RMSProp is TensorFlow's, with decay 0.9; the first phase has rate 0.001 and
momentum 0.2. Fine tuning lowers the squared error of the softmax, as the mean of the fourteen
outputs. The first phase ends when its error has fallen by less than 0.01 in 100 steps more than
five times. The second looks every 100 passes, and ends when the percent exact has not risen since
the last look more than 25 times; the result is the network at that point. Both counts are totals.
The authors look at their *test* deals; here validation deals play that part.
"""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...training.errors import TrainingError
from ...training.exports import run_all
from ...training.settings import SEED, at_least, setting
from ...training.trainer import Lessons, Place, Task
from ..codings import Head
from .best_state import as_tensors
from .examples import Draw, Examples
from .layered_network import LayeredNetwork

_CHUNK = 4_000
"""Examples that a CPU computes at a time; a GPU takes a batch whole."""


class TensorFlowRMSProp(torch.optim.Optimizer):
    """RMSProp as in TensorFlow 1: its means of squares begin at 1, its epsilon is under the root.

    Both matter with gradients as small as those of a mean over 200,000 examples.
    """

    def __init__(self, parameters: Any, lr: float, decay: float = 0.9, momentum: float = 0.0):
        super().__init__(parameters, {"lr": lr, "decay": decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Move all weights once."""
        for group in self.param_groups:
            for weights in group["params"]:
                state, gradient = self.state[weights], weights.grad
                if not state:
                    state["squares"] = torch.ones_like(weights)
                    state["move"] = torch.zeros_like(weights)
                state["squares"].lerp_(gradient.square(), 1 - group["decay"])
                state["move"].mul_(group["momentum"]).addcdiv_(
                    gradient, (state["squares"] + 1e-10).sqrt(), value=group["lr"]
                )
                weights.sub_(state["move"])


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorsConfig:
    """Everything that decides such a training apart from its deals."""

    evaluate_every: ClassVar[int] = 1
    checkpoint_seconds: ClassVar[float] = 120

    network: str
    """Printed name of the estimator, ``(52x4)-(26x4)-52-13-14``."""
    encoders: int = 1
    """Layers that are pretrained; 0 for none."""
    frozen: bool = False
    tuning_rate: float = 0.004
    batch: int = setting(200_000, "examples in a batch", at_least(1))
    settled: int = 5
    """How often the first phase may fall by less than 0.01 and still go on."""
    stale: int = 25
    """How often the second phase may fail to rise and still go on."""
    passes: int = 100
    """Passes over all batches between two looks of the second phase; steps in the first."""
    pretraining_looks: int = setting(1_000, "looks of the first phase at most", at_least(1))
    looks: int = setting(1_000, "looks of the second phase at most", at_least(1))
    seed: int = setting(1, "seed of first weights", SEED)


@dataclass
class _Phase:
    """The state of a training beside its progress."""

    number: int
    look: int = 0
    """Looks of this phase so far."""
    steps: int = 0
    """Steps of this phase so far."""
    figure: float = float("nan")
    """At the last look: the error in the first phase, percent exact in the second."""
    counted: int = 0
    """Looks so far that count towards the end of the phase."""
    compression_error: float = float("nan")
    """The last one of the first phase."""


class AuthorsTask(Task[AuthorsConfig, LayeredNetwork]):
    """Both phases, one after the other; a step of the trainer goes up to the next look.

    It runs on a GPU if there is one.
    """

    def __init__(
        self, config: AuthorsConfig, head: Head, lessons: Lessons, draw: Draw, held_out: Examples
    ):
        first = config.pretraining_looks if config.encoders else 0
        super().__init__(config, lessons, first + config.looks)
        self.place = Place.here()
        device = self.place.device
        self.head, self._draw, self._held_out = head, draw, held_out
        self._batches: list[list[tuple[Tensor, Tensor]]] = []
        generator = torch.Generator().manual_seed(config.seed)
        # with fourteen outputs the softmax is part of the loss
        output = "linear" if head.outputs > 1 else None
        self.network = LayeredNetwork(config.network, seed=config.seed, output=output)
        self.targets = torch.from_numpy(head.targets(np.arange(14))).t().contiguous().to(device)
        layers: Any = list(self.network.layers)
        starts = [layer.weight.shape[::2] for layer in reversed(layers[: config.encoders])]
        self.decoding = nn.ParameterList(torch.empty(blocks, size, 1) for blocks, size in starts)
        with torch.no_grad():
            for weights in (*self.network.parameters(), *self.decoding):
                weights.normal_(generator=generator)
        self.network.to(device)
        self.decoding.to(device)
        self.phase = _Phase(1 if config.encoders else 2)
        # compiled, a GPU keeps on the chip what it would otherwise write and read again
        self._graded = torch.compile(self._loss) if device.type == "cuda" else self._loss
        self._prepare()

    def _prepare(self) -> None:
        """Set up the optimizer of a phase."""
        layers, encoders = list(self.network.layers), self.config.encoders
        if self.phase.number == 1:
            moved = [x for layer in layers[:encoders] for x in layer.parameters()]
            self.optimizer = TensorFlowRMSProp([*moved, *self.decoding], lr=0.001, momentum=0.2)
            return
        fixed = encoders if self.config.frozen else 0
        for layer in layers[:fixed]:
            layer.requires_grad_(False)
        moved = [x for layer in layers[fixed:] for x in layer.parameters()]
        self.optimizer = TensorFlowRMSProp(moved, lr=self.config.tuning_rate)

    def over(self) -> bool:
        """Return whether the second phase has ended."""
        phase, config = self.phase, self.config
        return phase.number == 2 and (phase.counted > config.stale or phase.look >= config.looks)

    def step(self) -> None:
        """Train up to the next look."""
        batches, phase = self._batches or self._cut(), self.phase
        steps = self.config.passes * (len(batches) if phase.number == 2 else 1)
        for _ in range(steps):
            error = self._descend(batches[phase.steps % len(batches)])
            phase.steps += 1
        self._error = float(error)
        phase.look += 1

    def _cut(self) -> list[list[tuple[Tensor, Tensor]]]:
        """Cut the examples into batches, and these into chunks of inputs and tricks.

        In memory the examples of one input are adjacent, as the layers compute them.
        """
        inputs, tricks = (part.to(self.place.device) for part in as_tensors(self._draw(0)))
        chunk = _CHUNK if self.place.device.type == "cpu" else self.config.batch
        for begin in range(0, len(inputs), self.config.batch):
            rows = slice(begin, begin + self.config.batch)
            both = torch.split(inputs[rows], chunk), torch.split(tricks[rows], chunk)
            self._batches.append([(x.t().contiguous().t(), y) for x, y in zip(*both, strict=True)])
        return self._batches

    def _descend(self, batch: list[tuple[Tensor, Tensor]]) -> Tensor:
        """Change the weights by a batch; return the mean loss before the change."""
        self.optimizer.zero_grad()
        examples = sum(len(tricks) for _, tricks in batch)
        total = torch.zeros((), dtype=torch.float64, device=self.place.device)
        for inputs, tricks in batch:
            loss = self._graded(inputs.float(), tricks) / examples
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
        self.optimizer.step()
        return total

    def _loss(self, inputs: Tensor, tricks: Tensor) -> Tensor:
        """Return the summed loss of some examples."""
        if self.phase.number == 1:
            sums = self._decoded(inputs)
            return functional.binary_cross_entropy_with_logits(sums, inputs, reduction="sum")
        outputs = self.network(inputs).t()  # as it is laid out in memory
        if self.head.outputs > 1:
            outputs = outputs.softmax(dim=0)
        error: Tensor = (outputs - self.targets[:, tricks]).square().mean(dim=0).sum()
        return error

    def _decoded(self, inputs: Tensor) -> Tensor:
        """Return the autoencoder's outputs before the logistic: (n, inputs)."""
        x, layers = inputs.t(), list(self.network.layers)[: self.config.encoders]
        for layer in layers:
            x = layer(x).sigmoid()
        for number, (layer, starts) in enumerate(zip(reversed(layers), self.decoding, strict=True)):
            weights: Any = layer.weight
            x = x.reshape(len(weights), -1, x.shape[-1])
            x = torch.baddbmm(starts, weights.transpose(1, 2), x).flatten(0, 1)
            x = x.sigmoid() if number + 1 < len(layers) else x
        return x.t()

    def validate(self) -> dict[str, float]:
        """Return the figures of a look, and count it if it brings the phase nearer to its end."""
        phase = self.phase
        line = {"phase": phase.number, "steps": phase.steps, "training_error": self._error}
        if self._error != self._error:
            raise TrainingError(f"phase {phase.number}, step {phase.steps}: the error is no number")
        if phase.number == 1:
            phase.counted += phase.figure - self._error < 0.01  # not at the first look, against nan
            phase.figure = self._error
            if phase.counted > self.config.settled or phase.look >= self.config.pretraining_looks:
                self._tune(self._error)
            return line | {"counted": phase.counted}
        exact = self._exact()
        phase.counted += exact <= phase.figure
        phase.figure = exact
        told = {"compression_error": phase.compression_error} if self.config.encoders else {}
        return line | {"exact": exact, "counted": phase.counted} | told

    def _tune(self, compression_error: float) -> None:
        """Begin the second phase."""
        self.phase = _Phase(2, compression_error=compression_error)
        self._prepare()

    def _exact(self) -> float:
        """Return percent exact on the validation deals."""
        inputs, tricks = self._held_out
        return 100 * float((self.head.tricks(run_all(self.network, inputs)) == tricks).mean())

    def state(self) -> dict[str, Any]:
        """Return the weights, the optimizer's means and the phase."""
        return {
            "network": self.network.state_dict(),
            "decoding": self.decoding.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "phase": asdict(self.phase),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state."""
        self.phase = _Phase(**state["phase"])
        self._prepare()
        self.network.load_state_dict(state["network"])
        self.decoding.load_state_dict(state["decoding"])
        self.optimizer.load_state_dict(state["optimizer"])

    def result(self) -> LayeredNetwork:
        """Return the network as it is."""
        return self.network.cpu()
