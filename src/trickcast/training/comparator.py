"""The comparator that the 2018 paper plans: it says which of two deals promises more tricks.

Mańdziuk and Suchan, ICONIP 2018, Figure 3. Two towers that share their weights look at a deal each,
and the layers on top see what both found. An unknown deal is then placed by comparing it with
reference deals whose results are known. The paper gives no more than the idea; everything else
here is ours.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..networks import LayeredNetwork, NetworkName
from .checkpoints import TrainingError, read_content, write_content
from .fullbatch import Batch

_FORMAT = "trickcast comparator 1"
_COUNTS = 14
_AT_ONCE = 128
"""Deals compared with all references at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparatorConfig:
    """Everything that decides such a training besides its deals. Raises ValueError if wrong."""

    network: str
    """Printed name of the network whose first layers are the tower, and the rest the comparison."""
    tower: int = 2
    """Layers of the tower besides its inputs."""
    references: int = 20
    """Reference deals for each number of tricks."""
    rate: float = 0.001
    """Of RMSProp."""
    batch: int = 1024
    pairings: int = 4
    """Deals of the batch that each deal is compared with."""
    patience: int = 10
    """Epochs without a lower validation error before stopping."""
    epochs: int = 100
    seed: int = 1

    def __post_init__(self) -> None:
        layers = NetworkName(self.network).layers
        if not 1 <= self.tower < len(layers) - 1 or layers[-1].neurons != 1:
            raise ValueError(
                f"network {self.network} with a tower of {self.tower} layers is no comparator "
                "(expected one output, and layers beyond the tower)"
            )
        for name in ("references", "batch", "pairings", "patience", "epochs"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 1 or more)")


class Comparator(nn.Module):
    """Towers, comparison and reference deals. Raises ValueError for a name that cannot be one."""

    references: Tensor
    """(14 × references, inputs), those of 0 tricks first."""
    there_are: Tensor
    """(14,): 1 where there are references of that number of tricks, else 0."""

    def __init__(self, config: ComparatorConfig):
        super().__init__()
        parts = config.network.split("-")
        width = NetworkName(config.network).layers[config.tower].neurons
        inputs = NetworkName(config.network).layers[0].neurons
        self.tower = LayeredNetwork("-".join(parts[: config.tower + 1]), seed=config.seed)
        self.top = LayeredNetwork(
            "-".join([str(2 * width), *parts[config.tower + 1 :]]),
            seed=config.seed + 1,
            output="linear",
        )
        self.register_buffer("references", torch.zeros(_COUNTS * config.references, inputs))
        self.register_buffer("there_are", torch.zeros(_COUNTS))

    def compare(self, first: Tensor, second: Tensor) -> Tensor:
        """Return (n,) log odds that the first of two deals takes more tricks, from (n, width) both.

        Exchanging the deals only changes the sign.
        """
        there = self.top(torch.cat([first, second], dim=1))
        back = self.top(torch.cat([second, first], dim=1))
        log_odds: Tensor = (there - back)[:, 0]
        return log_odds

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn (n, inputs) into (n, 14): the log likelihood of each number of tricks.

        Against a reference of k tricks a deal of t wins if t > k, loses if t < k, and does either
        with equal chances if t = k.
        """
        known = self.tower(self.references)  # (references, width)
        return torch.cat([self._place(part, known) for part in self.tower(inputs).split(_AT_ONCE)])

    def _place(self, features: Tensor, known: Tensor) -> Tensor:
        """Return the log likelihoods of a few deals."""
        log_odds = self.compare(
            features.repeat_interleave(len(known), dim=0), known.repeat(len(features), 1)
        ).view(len(features), _COUNTS, -1)
        wins = functional.logsigmoid(log_odds).mean(dim=2) * self.there_are  # (n, 14 references)
        losses = functional.logsigmoid(-log_odds).mean(dim=2) * self.there_are
        counts = torch.arange(_COUNTS)
        share = (counts[:, None] > counts).float() + 0.5 * (counts[:, None] == counts)  # t, k
        return wins @ share.t() + losses @ (1 - share).t()

    def choose_references(self, batch: Batch, rng: np.random.Generator) -> None:
        """Take reference deals from known ones.

        Where a result is rare the same deal repeats; one that no deal has gets no references.
        """
        each = len(self.references) // _COUNTS
        for count in range(_COUNTS):
            rows = np.flatnonzero(batch.tricks == count)
            self.there_are[count] = float(len(rows) > 0)
            if len(rows):
                chosen = rng.choice(rows, size=each, replace=len(rows) < each)
                inputs = torch.from_numpy(batch.inputs[chosen]).float()
                self.references[count * each : (count + 1) * each] = inputs


@dataclass
class _Standing:
    """Where a training stands."""

    epoch: int = 0
    best_epoch: int = 0
    best_error: float = float("inf")
    best_weights: dict[str, Tensor] = field(default_factory=dict)
    seconds: float = 0.0


class ComparatorTraining:
    """A training under way, going on from ``checkpoint`` where that file exists.

    ``deals`` is the checksum of the training deals. Raises TrainingError for a file that is no
    checkpoint, or one of another configuration or of other deals.
    """

    def __init__(self, config: ComparatorConfig, checkpoint: Path, deals: str = ""):
        self.config, self.checkpoint, self.deals = config, checkpoint, deals
        self.network, self.standing = Comparator(config), _Standing()
        self.optimizer = torch.optim.RMSprop(self.network.parameters(), lr=config.rate)
        content = read_content(checkpoint, _FORMAT, config)
        if content is not None:
            if content["deals"] != deals:
                raise TrainingError(f"{checkpoint}: was trained on other deals than these")
            self.standing = _Standing(**content["standing"])
            self.network.load_state_dict(content["network"])
            self.optimizer.load_state_dict(content["optimizer"])

    @property
    def record(self) -> dict[str, Any]:
        """What is reported of a finished training."""
        standing = self.standing
        return {
            "epochs": standing.epoch,
            "seconds": standing.seconds,
            "validation_error": standing.best_error,
        }

    def run(
        self,
        draw: Callable[[int], Batch],
        held_out: Batch,
        report: Callable[[dict[str, float]], None] = lambda line: None,
    ) -> Comparator:
        """Train to the end and return the network in its best state, with its references.

        ``draw(k)`` gives the examples of the k-th epoch, always the same for the same k. Raises
        TrainingError when the error is no number.
        """
        standing, config = self.standing, self.config
        started = perf_counter() - standing.seconds
        while (
            standing.epoch < config.epochs
            and standing.epoch - standing.best_epoch < config.patience
        ):
            error = self._epoch(draw(standing.epoch))
            if not np.isfinite(error):
                raise TrainingError(f"epoch {standing.epoch}: the error is {error}")
            standing.epoch += 1
            with torch.inference_mode():
                held = self._loss(_tensors(held_out), np.arange(len(held_out.tricks)))
            if held.item() < standing.best_error:
                standing.best_epoch, standing.best_error = standing.epoch, held.item()
                weights = self.network.state_dict()
                standing.best_weights = {name: w.clone() for name, w in weights.items()}
            standing.seconds = perf_counter() - started
            self._save()
            line = {"epoch": standing.epoch, "training_error": error}
            line |= {"validation_error": held.item(), "seconds": round(standing.seconds, 1)}
            report(line)
        self.network.load_state_dict(standing.best_weights)
        self.network.choose_references(draw(0), np.random.default_rng(config.seed))
        return self.network

    def _epoch(self, batch: Batch) -> float:
        """Pass once over the examples in random order; return the mean loss of a pair."""
        tensors = _tensors(batch)
        rng = np.random.default_rng([self.config.seed, self.standing.epoch])
        order = rng.permutation(len(batch.tricks))
        total, steps = 0.0, 0
        for start in range(0, len(order), self.config.batch):
            loss = self._loss(tensors, order[start : start + self.config.batch])
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            total, steps = total + loss.item(), steps + 1
        return total / steps

    def _loss(self, tensors: tuple[Tensor, Tensor], rows: "np.ndarray[Any, Any]") -> Tensor:
        """Return the mean loss of the pairs of some examples, each with the next few."""
        chosen = torch.from_numpy(rows)
        inputs, tricks = (tensor[chosen] for tensor in tensors)
        features = self.network.tower(inputs)
        losses = []
        for shift in range(1, self.config.pairings + 1):
            other, theirs = features.roll(shift, dims=0), tricks.roll(shift)
            won = 0.5 + 0.5 * torch.sign(tricks - theirs)  # 1, ½, 0
            log_odds = self.network.compare(features, other)
            losses.append(functional.binary_cross_entropy_with_logits(log_odds, won))
        return torch.stack(losses).mean()

    def _save(self) -> None:
        content = {
            "deals": self.deals,
            "standing": asdict(self.standing),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        write_content(self.checkpoint, _FORMAT, self.config, content)


def _tensors(batch: Batch) -> tuple[Tensor, Tensor]:
    return torch.from_numpy(batch.inputs), torch.from_numpy(batch.tricks.astype(np.float32))
