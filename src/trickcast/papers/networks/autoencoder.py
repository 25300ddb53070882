"""The training of the 2018 paper: an autoencoder of the deal, then the estimator on its encoder.

Mańdziuk and Suchan, "Solving the Double Dummy Bridge Problem with Shallow Autoencoders", ICONIP
2018. Phase 1 learns to reproduce the 208 inputs (cross-entropy, RMSProp), and stops when its error
hardly changes. Phase 2 puts the other layers of the network in the decoder's place and trains for
tricks (RMSProp), with or without the encoder, until the validation error has risen 25 times. The
state with the lowest error is kept. The paper states neither batch size nor decay, nor whether the
25 rises are consecutive. Here they are counted in all, the decay is 0.9, as in the libraries of
that time, and what is validated and kept is the mean of the last few epochs' weights.
"""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from ...cards import shorten
from ...training.exports import run_all
from ...training.trainer import Lessons
from .best_state import EpochTask
from .examples import Draw, Examples
from .layered_network import LayeredNetwork
from .network_name import NetworkName


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoencoderConfig:
    """Everything that decides such a training apart from its deals. Raises ValueError if wrong."""

    evaluate_every: ClassVar[int] = 1
    checkpoint_seconds: ClassVar[float] = 120

    network: str
    """Printed name of the estimator: inputs, encoders, then the layers put on top of them."""
    encoders: int = 1
    """Layers that are pretrained: 1; more for the deep autoencoders that failed; 0 for none."""
    decoder: str = "joined"
    """Whether an encoder decodes all hands together ("joined") or each apart ("dedicated")."""
    frozen: bool = False
    """Whether the encoder keeps its weights of phase 1."""
    loss: str = "cross-entropy"
    """Loss of phase 2: cross-entropy of 14 softmax outputs, or squared error of one on [0, 1]."""
    pretraining_rate: float = 0.001
    tuning_rate: float = 0.004
    settled: float = 0.01
    """Phase 1 stops when its error, summed over the inputs, changes by less in an epoch."""
    until: float = 0.0
    """Phase 1 also stops at an error this low."""
    rises: int = 25
    batch: int = 256
    decay: float = 0.9
    """Decay of RMSProp's mean of squares."""
    averaged: int = 4
    """Epochs of phase 2 whose last weights are averaged for validation."""
    redraw: int = 1
    """Epochs between two drawings of examples."""
    pretraining_epochs: int = 100
    """Most epochs of phase 1."""
    epochs: int = 300
    """Most epochs of phase 2."""
    seed: int = 1

    def __post_init__(self) -> None:
        layers = NetworkName(self.network).layers
        if not 0 <= self.encoders < len(layers) - 1 or (self.frozen and not self.encoders):
            raise ValueError(
                f"encoders is {self.encoders} (network {self.network} can have 0 to "
                f"{len(layers) - 2}, and one to freeze)"
            )
        if self.decoder not in ("joined", "dedicated"):
            raise ValueError(
                f"decoder is {shorten(self.decoder)} (expected 'joined' or 'dedicated')"
            )
        expected = {"cross-entropy": 14, "squared": 1}.get(self.loss)
        if layers[-1].neurons != expected:
            raise ValueError(
                f"loss is {shorten(self.loss)} and network {self.network} has {layers[-1].neurons} "
                "outputs (expected 'cross-entropy' and 14, or 'squared' and 1)"
            )
        for name in ("rises", "batch", "averaged", "redraw", "pretraining_epochs", "epochs"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 1 or more)")

    @property
    def autoencoder(self) -> str:
        """Printed name of the autoencoder; the decoder mirrors the encoder."""
        printed = self.network.split("-")[: self.encoders + 1]
        if self.decoder == "dedicated":
            return "-".join([*printed, *reversed(printed[:-1])])
        layers = NetworkName(self.network).layers[: self.encoders]
        return "-".join([*printed, *(str(layer.neurons) for layer in reversed(layers))])


@dataclass
class _Phase:
    """The state of a training beside its progress."""

    number: int = 1
    epoch: int = 0
    """Epochs of this phase so far."""
    error: float = float("inf")
    """Error of the last epoch: in phase 1 of training, in phase 2 of validation."""
    compression_error: float = float("inf")
    """The last one of phase 1."""
    risen: int = 0


class AutoencoderTask(EpochTask[AutoencoderConfig, LayeredNetwork]):
    """Both phases, one after the other."""

    network: LayeredNetwork
    candidate: LayeredNetwork

    def __init__(self, config: AutoencoderConfig, lessons: Lessons, draw: Draw, held_out: Examples):
        first = config.pretraining_epochs if config.encoders else 0
        super().__init__(config, first + config.epochs, lessons, draw, held_out)
        self.phase = _Phase(1 if config.encoders else 2)
        self.candidate = self._estimator("linear")
        self._prepare()

    def _estimator(self, output: str | None) -> LayeredNetwork:
        return LayeredNetwork(self.config.network, seed=self.config.seed, output=output)

    def _prepare(self) -> None:
        """Build the autoencoder, or in phase 2 the estimator, and the optimizer."""
        config, number = self.config, self.phase.number
        name = config.autoencoder if number == 1 else config.network
        # the outputs' squashing is part of the losses, which stay exact for large sums
        self.network = LayeredNetwork(
            name, seed=config.seed, activation="logistic", output="linear"
        )
        if number == 2 and config.frozen:
            for layer in list(self.network.layers)[: config.encoders]:
                layer.requires_grad_(False)
        rate = config.pretraining_rate if number == 1 else config.tuning_rate
        trained = [weights for weights in self.network.parameters() if weights.requires_grad]
        self.optimizer = torch.optim.RMSprop(trained, lr=rate, alpha=config.decay, foreach=True)

    def over(self) -> bool:
        """Return whether the validation error has risen so often, or the epochs are used up."""
        phase, config = self.phase, self.config
        return phase.number == 2 and (phase.risen >= config.rises or phase.epoch >= config.epochs)

    def step(self) -> None:
        """Run one epoch; after the last of phase 1 switch to phase 2."""
        phase, config = self.phase, self.config
        inputs, tricks = self.examples(self.progress.step // config.redraw)
        error = self.pass_once(
            len(inputs),
            lambda rows: self._loss(inputs[rows], tricks[rows]) / len(rows),
            key=(phase.number, phase.epoch),
            where=f"phase {phase.number}, epoch {phase.epoch}",
        )
        phase.epoch += 1
        self._line = {"phase": phase.number, "epoch": phase.epoch, "training_error": error}
        if phase.number == 1:
            change, phase.error = abs(phase.error - error), error
            phase.compression_error = error
            settled = change < config.settled or error <= config.until
            if settled or phase.epoch >= config.pretraining_epochs:
                self._tune()

    def _tune(self) -> None:
        """Switch to phase 2 with the encoder as it is."""
        encoder = list(self.network.layers)[: self.config.encoders]
        self.phase = _Phase(2, compression_error=self.phase.compression_error)
        self._prepare()
        for ours, learnt in zip(self.network.layers, encoder, strict=False):
            ours.load_state_dict(learnt.state_dict())

    def _loss(self, inputs: Tensor, tricks: Tensor) -> Tensor:
        """Return the summed loss of some examples."""
        outputs = self.network(inputs)
        if self.phase.number == 1:
            return functional.binary_cross_entropy_with_logits(
                outputs, inputs.float(), reduction="sum"
            )
        return tuning_loss(outputs, tricks, self.config.loss)

    def validate(self) -> dict[str, float]:
        """Return the errors of the epoch; in phase 2 validate, and count a rise of the error."""
        if self._line["phase"] == 1:
            return self._line
        phase, (inputs, tricks) = self.phase, self.held_out
        self.average(self.config.averaged)
        outputs = torch.from_numpy(run_all(self.candidate, inputs.numpy()))
        error = tuning_loss(outputs, tricks, self.config.loss).item() / len(tricks)
        phase.risen += error > phase.error
        phase.error = error
        line = self._line | {"validation_error": error, "rises": phase.risen}
        return line | (
            {"compression_error": phase.compression_error} if self.config.encoders else {}
        )

    def state(self) -> dict[str, Any]:
        """Return the common state of such trainings, and the phase."""
        return super().state() | {"phase": asdict(self.phase)}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state."""
        self.phase = _Phase(**state["phase"])
        self._prepare()
        super().restore(state)

    def result(self) -> LayeredNetwork:
        """Return the estimator in its best state; before phase 2, in its initial state."""
        network = self._estimator("linear" if self.config.loss == "cross-entropy" else None)
        if self.best_weights is not None:
            network.load_state_dict(self.best_weights)
        return network


def tuning_loss(outputs: Tensor, tricks: Tensor, loss: str) -> Tensor:
    """Return the summed loss of phase 2 for (n, 14) or (n, 1) outputs before their activation.

    A single output is logistic on [0, 1]; its target is the middle of one of fourteen equal parts
    (the head ``equal-unit``).
    """
    if loss == "cross-entropy":
        return functional.cross_entropy(outputs, tricks, reduction="sum")
    return (outputs[:, 0].sigmoid() - (tricks + 0.5) / 14).square().sum()
