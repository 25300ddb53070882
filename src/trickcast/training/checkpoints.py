"""Where a training stands, kept in a file from which it goes on after a kill."""

import pickle
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from ..formats.files import atomic_writer

if TYPE_CHECKING:
    from .loop import TrainingConfig

_FORMAT = "trickcast training 1"
_MAY_CHANGE = {"epochs", "patience", "evaluate_every", "chunk"}


class TrainingError(RuntimeError):
    """A training that cannot go on: another training's checkpoint, an error that is no number."""


@dataclass
class State:
    """Where a training stands besides the network's weights and the optimizer's state."""

    epoch: int = 0
    seconds: float = 0.0
    best: dict[str, float] = field(default_factory=dict)
    """The report of the epoch with the lowest validation error."""
    best_weights: dict[str, Tensor] = field(default_factory=dict)
    recent: list[dict[str, Tensor]] = field(default_factory=list)
    """The weights at the last validations, whose mean is what is validated."""
    validation_sha256: str = ""
    legs: list[dict[str, Any]] = field(default_factory=list)
    """Which deals were trained on, and from which epoch on."""

    @property
    def best_epoch(self) -> int:
        """The epoch with the lowest validation error; 0 before the first validation."""
        return int(self.best.get("epoch", 0))

    def mean_with(self, network: nn.Module, averaged: int) -> dict[str, Tensor]:
        """Return the mean of the network's weights and those of the validations just before.

        ``averaged`` weights in all at most. Every drawing of examples pulls the weights its own
        way; the mean of a few is better than any, and costs nothing.
        """
        now = {name: weights.clone() for name, weights in network.state_dict().items()}
        self.recent = [*self.recent, now][-averaged:]
        return {
            name: torch.stack([weights[name] for weights in self.recent]).mean(0) for name in now
        }

    def note(self, line: dict[str, float], weights: dict[str, Tensor]) -> None:
        """Keep the weights if the reported validation error is the lowest so far."""
        if line["validation_error"] < self.best.get("validation_error", float("inf")):
            self.best, self.best_weights = dict(line), weights

    def use_deals(self, training_sha256: str, validation_sha256: str, deals: int) -> None:
        """Note the deals of this run. Raises TrainingError for other validation deals."""
        if self.validation_sha256 not in ("", validation_sha256):
            raise TrainingError("the checkpoint was validated on other deals than these")
        self.validation_sha256 = validation_sha256
        if not self.legs or self.legs[-1]["sha256"] != training_sha256:
            self.legs.append({"from_epoch": self.epoch, "deals": deals, "sha256": training_sha256})

    def record(self) -> dict[str, Any]:
        """Return what a model file says of its training."""
        return {
            "deals": self.legs[-1]["deals"],
            "sha256": self.legs[-1]["sha256"],
            "legs": self.legs,
            "validation_sha256": self.validation_sha256,
            "best": self.best,
            "epochs": self.epoch,
            "seconds": round(self.seconds, 1),
        }


def save_checkpoint(
    path: Path,
    state: State,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    config: "TrainingConfig",
) -> None:
    """Write everything that the training needs to go on, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "format": _FORMAT,
        "config": asdict(config),
        "state": {f.name: getattr(state, f.name) for f in fields(state)},
        "network": network.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    with atomic_writer(path) as stream:
        torch.save(content, stream)


def load_checkpoint(
    path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, config: "TrainingConfig"
) -> State:
    """Fill network and optimizer from a checkpoint and return where its training stands.

    Without such a file, return the state of a training not begun. Raises TrainingError for a file
    that is no checkpoint, or that of another configuration.
    """
    if not path.exists():
        return State()
    try:
        content = torch.load(path, weights_only=True)
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise TrainingError(f"{path}: not a checkpoint, or a damaged one ({error})") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise TrainingError(f"{path}: not a checkpoint of this program (expected {_FORMAT!r})")
    for name, value in asdict(config).items():
        found = content["config"].get(name)
        if name not in _MAY_CHANGE and found != value:
            raise TrainingError(
                f"{path}: a checkpoint of another training: its {name} is {found!r}, not {value!r}"
            )
    network.load_state_dict(content["network"])
    optimizer.load_state_dict(content["optimizer"])
    return State(**content["state"])
