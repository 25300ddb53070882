"""The training of the 2018 paper: an autoencoder of the deal, then the estimator on its encoder.

Mańdziuk and Suchan, "Solving the Double Dummy Bridge Problem with Shallow Autoencoders", ICONIP
2018. Phase 1 learns to give back the 208 inputs (cross-entropy, RMSProp), and stops when its error
hardly changes. Phase 2 puts the other layers of the network in the decoder's place and trains for
tricks, with or without the encoder (RMSProp), until the validation error has risen 25 times; the
state with the lowest is kept. The paper states neither batch size nor decay, nor whether the 25
rises follow each other: here they are counted in all, the decay is 0.9, as in the libraries of that
time, and what is validated and kept is the mean of the last few epochs' weights.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ..networks import LayeredNetwork, NetworkName, run_all
from .checkpoints import mean_of_last
from .epochs import Draw, EpochTraining, Report, Standing
from .fullbatch import Batch


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
    batch: int = 256
    decay: float = 0.9
    """Of RMSProp's mean of squares."""
    averaged: int = 4
    """Epochs of phase 2 whose last weights are averaged into what is validated."""
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
        for name in ("rises", "batch", "averaged", "redraw", "pretraining_epochs", "epochs"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 1 or more)")

    @property
    def autoencoder(self) -> str:
        """Printed name of the autoencoder; the decoder mirrors the encoder, fully joined."""
        printed = self.network.split("-")[: self.encoders + 1]
        layers = NetworkName(self.network).layers[: self.encoders]
        return "-".join([*printed, *(str(layer.neurons) for layer in reversed(layers))])


@dataclass
class _Standing(Standing):
    """Where a training stands; ``epoch`` counts those of this phase."""

    phase: int = 1
    epochs: int = 0
    """Of both phases."""
    error: float = float("inf")
    """Of the last epoch: in phase 1 of training, in phase 2 of validation."""
    compression_error: float = float("inf")
    risen: int = 0
    recent: list[dict[str, Tensor]] = field(default_factory=list)
    """The weights after the last epochs of phase 2."""


class AutoencoderTraining(EpochTraining):
    """Both phases; see ``EpochTraining``."""

    form = "trickcast autoencoder 1"
    network: LayeredNetwork
    standing: _Standing

    def __init__(self, config: AutoencoderConfig, checkpoint: Path, deals: str = ""):
        self.config = config
        super().__init__(config, checkpoint, deals, _Standing())

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
        self, draw: Draw, held_out: Batch, report: Report = lambda line: None
    ) -> LayeredNetwork:
        """Train both phases to their ends and return the network in its best state.

        ``draw(k)`` gives the k-th drawing of examples, always the same for the same k. Raises
        TrainingError when an error is no number.
        """
        self.run_epochs(draw, held_out, report)
        output = "linear" if self.config.loss == "cross-entropy" else None
        return self._estimator(self.standing.best_weights, output)

    def _estimator(self, weights: dict[str, Tensor], output: str | None) -> LayeredNetwork:
        network = LayeredNetwork(self.config.network, seed=self.config.seed, output=output)
        network.load_state_dict(weights)
        return network

    def over(self) -> bool:
        """Phase 2 ends after so many rises of the validation error, or epochs."""
        standing = self.standing
        if standing.phase == 1:
            return False
        return standing.risen >= self.config.rises or standing.epoch >= self.config.epochs

    def prepare(self) -> None:
        """Build the autoencoder, or in phase 2 the estimator."""
        config, phase = self.config, self.standing.phase
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
        self.optimizer = torch.optim.RMSprop(trained, lr=rate, alpha=config.decay)

    def step(self, draw: Draw, held_out: Batch) -> dict[str, float]:
        """Make one epoch; after the last of phase 1 go over to phase 2."""
        standing, config = self.standing, self.config
        inputs, tricks = self.examples(draw, standing.epochs // config.redraw)
        error = self.pass_once(
            len(inputs),
            lambda rows: self._loss(inputs[rows], tricks[rows]) / len(rows),
            key=(standing.phase, standing.epoch),
            where=f"phase {standing.phase}, epoch {standing.epoch}",
        )
        standing.epoch, standing.epochs = standing.epoch + 1, standing.epochs + 1
        line = {"phase": standing.phase, "epoch": standing.epoch, "training_error": error}
        if standing.phase == 2:
            return line | self._validate(held_out)
        change, standing.error = abs(standing.error - error), error
        standing.compression_error = error
        if change < config.settled or standing.epoch >= config.pretraining_epochs:
            self._tune()
        return line

    def _tune(self) -> None:
        """Go over to phase 2 with the encoder as it is."""
        encoder = list(self.network.layers)[: self.config.encoders]
        standing = self.standing
        standing.phase, standing.epoch, standing.error = 2, 0, float("inf")
        self.prepare()
        for ours, learnt in zip(self.network.layers, encoder, strict=False):
            ours.load_state_dict(learnt.state_dict())

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
        weights = mean_of_last(standing.recent, self.network, self.config.averaged)
        outputs = torch.from_numpy(run_all(self._estimator(weights, "linear"), held_out.inputs))
        tricks = torch.from_numpy(held_out.tricks.astype(np.int64))
        error = tuning_loss(outputs, tricks, self.config.loss).item() / len(tricks)
        standing.risen += error > standing.error
        standing.error = error
        self.keep_if_best(error, weights)
        return {"validation_error": error, "rises": standing.risen}


def tuning_loss(outputs: Tensor, tricks: Tensor, loss: str) -> Tensor:
    """Return the summed loss of phase 2: (n, 14) or (n, 1) sums of the output neurons.

    The one output is logistic on [0, 1], its target the middle of fourteen equal parts (the head
    ``equal-unit``).
    """
    if loss == "cross-entropy":
        return functional.cross_entropy(outputs, tricks, reduction="sum")
    return (outputs[:, 0].sigmoid() - (tricks + 0.5) / 14).square().sum()
