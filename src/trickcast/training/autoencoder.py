"""The training of the 2018 paper: an autoencoder of the deal, then the estimator on its encoder.

Mańdziuk and Suchan, "Solving the Double Dummy Bridge Problem with Shallow Autoencoders", ICONIP
2018. Phase 1 learns to give back the 208 inputs (cross-entropy, RMSProp), and stops when its error
hardly changes. Phase 2 puts the other layers of the network in the decoder's place and trains for
tricks, with or without the encoder (RMSProp), until the validation error has risen 25 times; the
state with the lowest is kept. The paper states neither batch size nor decay, nor whether the 25
rises follow each other: here they are counted in all, and the decay is torch's 0.99.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ..networks import LayeredNetwork, NetworkName, run_all
from .checkpoints import TrainingError, read_content, write_content
from .fullbatch import Batch

_FORMAT = "trickcast autoencoder 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoencoderConfig:
    """Everything that decides such a training besides its deals. Raises ValueError if wrong."""

    network: str
    """Printed name of the estimator: inputs, encoders, then the layers put on top of them."""
    encoders: int = 1
    """Layers that are pretrained: 1, or more for the deep autoencoders that did not do."""
    frozen: bool = False
    """Whether the encoder keeps what it learnt in phase 1."""
    loss: str = "cross-entropy"
    """Of phase 2: cross-entropy of 14 softmax outputs, or squared error of one on [0, 1]."""
    pretraining_rate: float = 0.001
    tuning_rate: float = 0.004
    settled: float = 0.01
    """Phase 1 stops when its error, summed over the inputs, changes by less in an epoch."""
    rises: int = 25
    batch: int = 1024
    redraw: int = 1
    """Epochs between two drawings of examples."""
    pretraining_epochs: int = 100
    """At most."""
    epochs: int = 300
    """Of phase 2, at most."""
    seed: int = 1

    def __post_init__(self) -> None:
        layers = NetworkName(self.network).layers
        if not 1 <= self.encoders < len(layers) - 1:
            raise ValueError(
                f"encoders is {self.encoders} (network {self.network} can have 1 to "
                f"{len(layers) - 2})"
            )
        expected = {"cross-entropy": 14, "squared": 1}.get(self.loss)
        if layers[-1].neurons != expected:
            raise ValueError(
                f"loss is {self.loss!r} and network {self.network} has {layers[-1].neurons} "
                "outputs (expected 'cross-entropy' and 14, or 'squared' and 1)"
            )
        for name in ("rises", "batch", "redraw", "pretraining_epochs", "epochs"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 1 or more)")

    @property
    def autoencoder(self) -> str:
        """Printed name of the autoencoder; the decoder mirrors the encoder, fully joined."""
        printed = self.network.split("-")[: self.encoders + 1]
        layers = NetworkName(self.network).layers[: self.encoders]
        return "-".join([*printed, *(str(layer.neurons) for layer in reversed(layers))])


@dataclass
class _Standing:
    """Where a training stands."""

    phase: int = 1
    epoch: int = 0
    """Epochs of this phase."""
    epochs: int = 0
    """Of both."""
    error: float = float("inf")
    """Of the last epoch: in phase 1 of training, in phase 2 of validation."""
    compression_error: float = float("inf")
    risen: int = 0
    best_error: float = float("inf")
    best_weights: dict[str, Tensor] = field(default_factory=dict)
    seconds: float = 0.0


class AutoencoderTraining:
    """A training under way, going on from ``checkpoint`` where that file exists.

    ``deals`` is the checksum of the training deals. Raises TrainingError for a file that is no
    checkpoint, or one of another configuration or of other deals.
    """

    def __init__(self, config: AutoencoderConfig, checkpoint: Path, deals: str = ""):
        self.config, self.checkpoint, self.deals = config, checkpoint, deals
        self.standing = _Standing()
        self._start_phase(1)
        self._load()

    @property
    def record(self) -> dict[str, Any]:
        """What is reported of a finished training."""
        return {
            "epochs": self.standing.epochs,
            "seconds": self.standing.seconds,
            "compression_error": self.standing.compression_error,
            "validation_error": self.standing.best_error,
        }

    def run(
        self,
        draw: Callable[[int], Batch],
        held_out: Batch,
        report: Callable[[dict[str, float]], None] = lambda line: None,
    ) -> LayeredNetwork:
        """Train both phases to their ends and return the network in its best state.

        ``draw(k)`` gives the k-th drawing of examples, always the same for the same k. Raises
        TrainingError when an error is no number.
        """
        standing, config = self.standing, self.config
        started, drawn = perf_counter() - standing.seconds, None
        while not self._over():
            if drawn != (drawn := standing.epochs // config.redraw):
                batch = draw(drawn)
                inputs = torch.from_numpy(batch.inputs)
                tricks = torch.from_numpy(batch.tricks.astype(np.int64))
            error = self._epoch(inputs, tricks)
            if not np.isfinite(error):
                raise TrainingError(
                    f"phase {standing.phase}, epoch {standing.epoch}: the error is {error}"
                )
            standing.epoch, standing.epochs = standing.epoch + 1, standing.epochs + 1
            line = {"phase": standing.phase, "epoch": standing.epoch, "training_error": error}
            if standing.phase == 1:
                change, standing.error = abs(standing.error - error), error
                standing.compression_error = error
                if change < config.settled or standing.epoch >= config.pretraining_epochs:
                    self._tune()
            else:
                line |= self._validate(held_out)
            standing.seconds = perf_counter() - started
            self._save()
            report(line | {"seconds": round(standing.seconds, 1)})
        tuned = LayeredNetwork(
            config.network,
            seed=config.seed,
            output="linear" if config.loss == "cross-entropy" else None,
        )
        tuned.load_state_dict(standing.best_weights)
        return tuned

    def _over(self) -> bool:
        standing = self.standing
        if standing.phase == 1:
            return False
        return standing.risen >= self.config.rises or standing.epoch >= self.config.epochs

    def _start_phase(self, phase: int) -> None:
        config = self.config
        name = config.autoencoder if phase == 1 else config.network
        # the outputs' squashing is part of the losses, which is exact for large sums too
        self.network = LayeredNetwork(
            name, seed=config.seed, activation="logistic", output="linear"
        )
        if phase == 2 and config.frozen:
            for layer in list(self.network.layers)[: config.encoders]:
                layer.requires_grad_(False)
        rate = config.pretraining_rate if phase == 1 else config.tuning_rate
        trained = [weights for weights in self.network.parameters() if weights.requires_grad]
        self.optimizer = torch.optim.RMSprop(trained, lr=rate)

    def _tune(self) -> None:
        """Go over to phase 2 with the encoder as it is."""
        encoder = list(self.network.layers)[: self.config.encoders]
        self._start_phase(2)
        for ours, learnt in zip(self.network.layers, encoder, strict=False):
            ours.load_state_dict(learnt.state_dict())
        standing = self.standing
        standing.phase, standing.epoch, standing.error = 2, 0, float("inf")

    def _epoch(self, inputs: Tensor, tricks: Tensor) -> float:
        """Pass once over the examples in random order; return the mean loss of one."""
        standing, batch = self.standing, self.config.batch
        rng = np.random.default_rng([self.config.seed, standing.phase, standing.epoch])
        order = torch.from_numpy(rng.permutation(len(inputs)))
        total = 0.0
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            loss = self._loss(inputs[rows], tricks[rows])
            self.optimizer.zero_grad()
            (loss / len(rows)).backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            total += loss.item()
        return total / len(order)

    def _loss(self, inputs: Tensor, tricks: Tensor) -> Tensor:
        """Return the summed loss of some examples."""
        outputs = self.network(inputs)
        if self.standing.phase == 1:
            return functional.binary_cross_entropy_with_logits(
                outputs, inputs.float(), reduction="sum"
            )
        return tuning_loss(outputs, tricks, self.config.loss)

    def _validate(self, held_out: Batch) -> dict[str, float]:
        """Measure phase 2, keep the state if it is the best, count a rise of the error."""
        standing = self.standing
        outputs = torch.from_numpy(run_all(self.network, held_out.inputs))
        tricks = torch.from_numpy(held_out.tricks.astype(np.int64))
        error = tuning_loss(outputs, tricks, self.config.loss).item() / len(tricks)
        standing.risen += error > standing.error
        standing.error = error
        if error < standing.best_error:
            standing.best_error = error
            standing.best_weights = {
                name: weights.clone() for name, weights in self.network.state_dict().items()
            }
        return {"validation_error": error, "rises": standing.risen}

    def _save(self) -> None:
        content = {
            "deals": self.deals,
            "standing": asdict(self.standing),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        write_content(self.checkpoint, _FORMAT, self.config, content)

    def _load(self) -> None:
        content = read_content(self.checkpoint, _FORMAT, self.config)
        if content is None:
            return
        if content["deals"] != self.deals:
            raise TrainingError(f"{self.checkpoint}: was trained on other deals than these")
        self.standing = _Standing(**content["standing"])
        self._start_phase(self.standing.phase)
        self.network.load_state_dict(content["network"])
        self.optimizer.load_state_dict(content["optimizer"])


def tuning_loss(outputs: Tensor, tricks: Tensor, loss: str) -> Tensor:
    """Return the summed loss of phase 2: (n, 14) or (n, 1) sums of the output neurons.

    The one output is logistic on [0, 1], its target the middle of fourteen equal parts (the head
    ``equal-unit``).
    """
    if loss == "cross-entropy":
        return functional.cross_entropy(outputs, tricks, reduction="sum")
    return (outputs[:, 0].sigmoid() - (tricks + 0.5) / 14).square().sum()
