"""Where a training stands, kept in a file from which it goes on after a kill."""

import pickle
from collections.abc import Collection
from dataclasses import Field, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor, nn

from .._files import atomic_writer

_FORMAT = "trickcast training 1"
_MAY_CHANGE = {"epochs", "patience", "evaluate_every", "chunk"}


class Configuration(Protocol):
    """A dataclass of everything that decides a training besides its deals."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


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


def mean_of_last(
    recent: list[dict[str, Tensor]], network: nn.Module, averaged: int
) -> dict[str, Tensor]:
    """Add a network's weights to ``recent``, keep the last ``averaged``, return their mean.

    Every drawing of examples pulls the weights its own way; the mean of a few is better than any,
    and costs nothing.
    """
    recent.append({name: weights.clone() for name, weights in network.state_dict().items()})
    del recent[:-averaged]
    return {name: torch.stack([weights[name] for weights in recent]).mean(0) for name in recent[-1]}


def save_checkpoint(
    path: Path,
    state: State,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    config: Configuration,
) -> None:
    """Write everything that the training needs to go on, whole or not at all."""
    content = {
        "state": {f.name: getattr(state, f.name) for f in fields(state)},
        "network": network.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    write_content(path, _FORMAT, config, content)


def load_checkpoint(
    path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, config: Configuration
) -> State:
    """Fill network and optimizer from a checkpoint and return where its training stands.

    Without such a file, return the state of a training not begun. Raises TrainingError for a file
    that is no checkpoint, or that of another configuration.
    """
    content = read_content(path, _FORMAT, config, _MAY_CHANGE)
    if content is None:
        return State()
    network.load_state_dict(content["network"])
    optimizer.load_state_dict(content["optimizer"])
    return State(**content["state"])


def write_content(path: Path, form: str, config: Configuration, content: dict[str, Any]) -> None:
    """Write a training's content with its format and configuration, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        torch.save({"format": form, "config": asdict(config), **content}, stream)


def read_content(
    path: Path, form: str, config: Configuration, may_change: Collection[str] = ()
) -> dict[str, Any] | None:
    """Return what ``write_content`` wrote, None where there is no such file.

    Raises TrainingError for a file of another format, or of a training whose configuration differs
    in more than the settings that ``may_change``.
    """
    if not path.exists():
        return None
    try:
        content = torch.load(path, weights_only=True, map_location="cpu")
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise TrainingError(f"{path}: not a checkpoint, or a damaged one ({error})") from None
    if not isinstance(content, dict) or content.get("format") != form:
        raise TrainingError(f"{path}: not a checkpoint of this program (expected {form!r})")
    check_same(path, content["config"], asdict(config), may_change)
    return content


def check_same(
    path: Path, found: dict[str, Any], ours: dict[str, Any], may_change: Collection[str]
) -> None:
    """Raise TrainingError if a file's configuration differs in more than what may change."""
    for name, value in ours.items():
        if name not in may_change and found.get(name) != value:
            raise TrainingError(
                f"{path}: of another training: its {name} is {found.get(name)!r}, not {value!r}"
            )
