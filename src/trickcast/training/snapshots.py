"""Where a supervised training stands: exact checkpoints, and 16-bit weights that travel.

A checkpoint holds everything, so that going on from it changes nothing; it stays on its machine.
The weights file holds the averaged weights alone (``weights``): small enough to commit, and a
training goes on from it closely, with a fresh optimizer.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..networks.suit_config import SuitNetworkConfig
from ..networks.suits import SuitNetwork
from .checkpoints import TrainingError, check_same, read_content, write_content
from .weights import read_weights, write_weights

if TYPE_CHECKING:
    from .supervised import SupervisedConfig

_CHECKPOINT = "trickcast supervised training 1"
_KIND = "suit network"
MAY_CHANGE = {"evaluate_every", "checkpoint_seconds", "precision", "compile"}
"""Settings that a leg may have of its own."""


@dataclass
class Progress:
    """How far a training has come."""

    step: int = 0
    seconds: float = 0.0
    """Spent in all legs."""
    fresh_from: int = 0
    """The step at which the optimizer began anew, from 16-bit weights."""
    validation_sha256: str = ""
    last: dict[str, float] = field(default_factory=dict)
    """The report of the last evaluation."""
    legs: list[dict[str, Any]] = field(default_factory=list)
    """Which deals were learned from which step on, on which device."""

    def use(self, training_sha256: str, validation_sha256: str, deals: int, device: str) -> None:
        """Note the deals of this leg. Raises TrainingError for other validation deals."""
        if self.validation_sha256 not in ("", validation_sha256):
            raise TrainingError("the training so far was validated on other deals than these")
        self.validation_sha256 = validation_sha256
        leg = {"deals": deals, "sha256": training_sha256, "device": device}
        if not self.legs or {key: self.legs[-1][key] for key in leg} != leg:
            self.legs.append({"from_step": self.step} | leg)


def save_checkpoint(
    path: Path,
    config: "SupervisedConfig",
    progress: Progress,
    network: nn.Module,
    averaged: nn.Module,
    optimizer: torch.optim.Optimizer,
) -> None:
    """Write everything that the training needs to go on exactly, whole or not at all."""
    content = {
        "progress": asdict(progress),
        "network": network.state_dict(),
        "averaged": averaged.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    write_content(path, _CHECKPOINT, config, content)


def load_checkpoint(
    path: Path,
    config: "SupervisedConfig",
    network: nn.Module,
    averaged: nn.Module,
    optimizer: torch.optim.Optimizer,
) -> Progress:
    """Fill networks and optimizer from a checkpoint and return how far its training has come.

    Raises FileNotFoundError, TrainingError for a file that is no checkpoint, or that of another
    configuration.
    """
    content = read_content(path, _CHECKPOINT, config, MAY_CHANGE)
    if content is None:
        raise FileNotFoundError(f"{path}: no such checkpoint")
    network.load_state_dict(content["network"])
    averaged.load_state_dict(content["averaged"])
    optimizer.load_state_dict(content["optimizer"])
    return Progress(**content["progress"])


def save_weights(
    path: Path, network: SuitNetwork, config: "SupervisedConfig", progress: Progress
) -> None:
    """Write the weights in 16 bits, with what a training needs to go on from them closely.

    Raises TrainingError for a weight that 16 bits cannot hold.
    """
    record = {"config": asdict(config), "progress": asdict(progress)}
    write_weights(path, _KIND, network, record)


def load_weights(path: Path) -> tuple[SuitNetwork, dict[str, Any]]:
    """Return the network of a weights file, and its configuration and progress as stored.

    Raises FileNotFoundError, TrainingError for a file that holds no such weights.
    """
    return read_weights(
        path, _KIND, lambda config: SuitNetwork(SuitNetworkConfig(**config), seed=0)
    )


def _new_layers(network: nn.Module) -> dict[str, torch.Tensor]:
    """Return the weights of a network's layers, each of which hands on what it is given."""
    return {
        name: torch.zeros_like(weights) if ".leave." in name else weights
        for name, weights in network.state_dict().items()
        if name.split(".")[0] in ("before", "after", "pooled")
    }


def restart(
    path: Path, config: "SupervisedConfig", network: nn.Module, averaged: nn.Module, *, anew: bool
) -> Progress:
    """Fill both networks from a weights file and return the progress of its training.

    ``anew`` takes the weights alone, into the first step of a training that may be another one;
    its network may be deeper: layers that the file lacks change nothing at first. Raises what
    ``load_weights`` raises, and TrainingError for a configuration that does not fit.
    """
    found, content = load_weights(path)
    weights = found.state_dict()
    if not anew:
        check_same(path, content["config"], asdict(config), MAY_CHANGE)
    for target in (network, averaged):
        try:
            target.load_state_dict(_new_layers(target) | weights if anew else weights)
        except RuntimeError as error:
            raise TrainingError(f"{path}: the weights of another network ({error})") from None
    if anew:
        return Progress(legs=content["progress"]["legs"])
    progress = Progress(**content["progress"])
    progress.fresh_from = progress.step
    return progress
