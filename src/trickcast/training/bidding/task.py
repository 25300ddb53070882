"""The training task of the network of calls: auctions of played boards, and of teachers.

A step learns from whole auctions, all turns of all four seats.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from ...cards.styles import STYLES
from ...cards.turns import SIDES, WIDTH
from ..errors import TrainingError
from ..settings import SHARE, at_least, setting
from ..trainer import Lessons, ScheduleConfig, Scheduled
from .auction_files import Auctions
from .network import BiddingNetwork, BiddingNetworkConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class BiddingConfig(ScheduleConfig):
    """All settings of a training, apart from its boards. Raises ValueError for an invalid value."""

    network: BiddingNetworkConfig = field(default_factory=BiddingNetworkConfig)
    batch: int = setting(256, "auctions in a step", at_least(1))
    unknown: float = setting(0.5, "share of sides whose methods are not told", SHARE)
    taught: int = setting(0, "auctions of teachers in a step, besides", at_least(0))
    told: float = setting(0.0, "share of the loss that is the teachers' word on boards", SHARE)


class Batch(NamedTuple):
    """Some auctions as the network takes them: see ``BiddingNetwork.forward``."""

    rows: Tensor
    lengths: Tensor
    hands: Tensor
    seats: Tensor
    turns: NDArray[np.int64]
    """(n,) the turn of ``Auctions`` in each row."""


def batch_of(auctions: Auctions, chosen: NDArray[np.int64]) -> Batch:
    """Arrange auctions for the network."""
    begin, end = auctions.starts[chosen], auctions.starts[chosen + 1]
    counts = end - begin
    of = np.repeat(np.arange(len(chosen)), counts)
    turn = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
    lengths = ((counts[:, None] - np.arange(4) + 3) // 4).clip(0).ravel()
    order = np.argsort(-lengths, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    seats = place[4 * of + turn % 4]
    into = np.lexsort((seats, turn // 4))
    there = lengths[order] > 0
    turns = (begin[of] + turn)[into]
    return Batch(
        torch.from_numpy(auctions.rows[turns]),
        torch.from_numpy(lengths[order][there]),
        torch.from_numpy(auctions.hands[chosen].reshape(-1, 52)[order][there]),
        torch.from_numpy(seats[into]),
        turns,
    )


def log_chances(network: BiddingNetwork, batch: Batch, allowed: NDArray[np.bool_]) -> Tensor:
    """Return (n, 38) log-chances of the calls that are allowed, else -1e9."""
    logits = network(batch.rows, batch.lengths, batch.hands, batch.seats)
    return functional.log_softmax(
        logits.masked_fill(torch.from_numpy(~allowed[batch.turns]), -1e9), dim=1
    )


class BiddingTask(Scheduled[BiddingConfig, BiddingNetwork]):
    """A training on the auctions of boards, and on auctions ``taught`` that teachers bid.

    ``begin`` are the initial weights.
    """

    def __init__(
        self,
        config: BiddingConfig,
        boards: Auctions,
        validation: dict[str, Auctions],
        taught: Auctions | None = None,
        begin: dict[str, Tensor] | None = None,
    ):
        if (config.taught and taught is None) or (config.told and boards.told is None):
            raise TrainingError("told and taught need teachers")
        held_out = ", ".join(f"{name} {data.sha256}" for name, data in validation.items())
        learned = boards.sha256 if taught is None else f"{boards.sha256}, taught {taught.sha256}"
        lessons = Lessons(len(boards), learned, held_out)
        network = BiddingNetwork(config.network, seed=config.seed)
        if begin is not None:
            network.load_state_dict(begin)
        super().__init__(config, network, lessons)
        self.boards, self.validation, self.taught = boards, validation, taught

    def loss(self, step: int) -> Tensor:
        """Return the mean of minus the log-chance of a call."""
        config = self.config
        batch = batch_of(self.boards, _chosen(len(self.boards), config.batch, config.seed, step))
        self._hide_methods(batch, step)
        chances = log_chances(self.network, batch, self.boards.allowed)
        made = torch.from_numpy(self.boards.calls[batch.turns])
        loss = functional.nll_loss(chances, made)
        if config.told:
            loss = (1 - config.told) * loss + config.told * _off(chances, batch, self.boards)
        if config.taught and self.taught is not None:
            number = _chosen(len(self.taught), config.taught, config.seed + 1, step)
            more = batch_of(self.taught, number)
            chances = log_chances(self.network, more, self.taught.allowed)
            loss = loss + _off(chances, more, self.taught)
        return loss

    def _hide_methods(self, batch: Batch, step: int) -> None:
        """Reveal the methods of only some sides, in place."""
        rng = np.random.default_rng([self.config.seed, step, 7])
        hidden = torch.from_numpy(rng.random((len(batch.hands), 2)) < self.config.unknown)
        columns = batch.rows[:, WIDTH - SIDES : WIDTH - 2].view(-1, 2, len(STYLES))
        columns *= (~hidden[batch.seats])[:, :, None].to(torch.uint8)

    def figures(self) -> dict[str, float]:
        """Return log-loss and share of correct calls on each held-out set."""
        found: dict[str, float] = {}
        for name, auctions in self.validation.items():
            loss, right = scores(self.averaged, auctions)
            found |= {f"{name}_loss": loss, f"{name}_right": right}
        losses = [found[f"{name}_loss"] for name in self.validation]
        return found | {"validation_error": float(np.mean(losses))}


def _off(chances: Tensor, batch: Batch, auctions: Auctions) -> Tensor:
    """Return the mean loss relative to the teachers' chances."""
    assert auctions.told is not None
    told = torch.from_numpy(auctions.told[batch.turns].astype(np.float32))
    return -(told * chances).sum(1).mean()


@torch.no_grad()
def scores(
    networks: BiddingNetwork | Sequence[BiddingNetwork], auctions: Auctions, *, chunk: int = 512
) -> tuple[float, float]:
    """Return log-loss per call, without methods, and the share of calls that were the likeliest.

    For several networks, uses the mean of their chances.
    """
    asked = [networks] if isinstance(networks, BiddingNetwork) else list(networks)
    loss, right = 0.0, 0
    for start in range(0, len(auctions), chunk):
        batch = batch_of(auctions, np.arange(start, min(start + chunk, len(auctions))))
        batch.rows[:, WIDTH - SIDES : WIDTH - 2] = 0
        chances = torch.stack([log_chances(n, batch, auctions.allowed).exp() for n in asked])
        mean = chances.mean(0).clamp_min(1e-30)
        made = torch.from_numpy(auctions.calls[batch.turns])
        loss += float(functional.nll_loss(mean.log(), made, reduction="sum"))
        right += int((mean.argmax(1) == made).sum())
    return loss / len(auctions.calls), right / len(auctions.calls)


def _chosen(n: int, size: int, seed: int, step: int) -> NDArray[np.int64]:
    """Return the lessons of a step: complete passes over all, each in a different order."""
    size = min(size, n)
    a_round, within = divmod(step, n // size)
    order = np.random.default_rng([seed, a_round]).permutation(n)
    return order[within * size : (within + 1) * size]
