"""The training of ``accurate`` and ``fast``: all twenty results of a deal, in legs.

Runs unchanged on a processor, on one GPU, and on several under torchrun; needs torch and numpy
alone. A training is one schedule of a fixed number of steps, in as many legs as it takes.
"""

import logging
import os
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import torch
from torch import Tensor, nn

from ..cards import DealSet
from ..networks.suit_config import RANKS, SuitNetworkConfig
from ..networks.suits import SuitNetwork, mean_probabilities
from . import suit_data
from .checkpoints import TrainingError
from .evaluating import evaluate
from .journal import Journal
from .parallel import Place
from .schedule import ScheduleConfig
from .snapshots import Progress, load_checkpoint, restart, save_checkpoint, save_weights
from .soap import OPTIMIZERS
from .suit_data import Labelled

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisedConfig(ScheduleConfig):
    """Everything that decides a training besides its deals. Raises ValueError for a bad value."""

    network: SuitNetworkConfig = field(default_factory=SuitNetworkConfig)
    steps: int = field(default=40_000, metadata={"help": "steps of the whole schedule"})
    batch: int = field(default=256, metadata={"help": "labelled deals in a step"})
    taught: int = field(
        default=0,
        metadata={"help": "endings, or deals that a teacher labels, in a step besides the batch"},
    )
    taught_weight: float = field(
        default=1.0, metadata={"help": "weight of a taught deal over that of a labelled one"}
    )
    exchanged: int = field(
        default=0,
        metadata={"help": "lowest ranks of each suit that change hands at random in every batch"},
    )
    warm_up: int = field(
        default=500,
        metadata={"help": "steps of rising rate, at the start and after 16-bit weights"},
    )
    weight_decay: float = field(default=0.01, metadata={"help": "decoupled, as AdamW's"})
    ordered: float = field(
        default=0.0, metadata={"help": "weight of the ranked probability score in the loss"}
    )
    seed: int = field(default=1, metadata={"help": "seed of first weights, batches and dropout"})
    precision: str = field(
        default="bfloat16", metadata={"help": "of matrix products: float32 or bfloat16"}
    )
    compile: bool = field(
        default=False, metadata={"help": "compile the network with torch.compile"}
    )

    def __post_init__(self) -> None:
        super(SupervisedConfig, self).__post_init__()
        for name, least in (("batch", 1), ("taught", 0), ("taught_weight", 0), ("ordered", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)} (expected {least} or more)")
        if not 0 <= self.exchanged <= RANKS:
            raise ValueError(f"exchanged is {self.exchanged} (expected 0 to {RANKS})")
        if self.precision not in ("float32", "bfloat16"):
            raise ValueError(f"precision is {self.precision!r} (expected float32 or bfloat16)")


@dataclass(frozen=True)
class Supervised:
    """What a leg leaves: the averaged network, on the processor, and how far it has come."""

    config: SupervisedConfig
    network: SuitNetwork
    progress: Progress

    @property
    def done(self) -> bool:
        """Whether the schedule has come to its end."""
        return self.progress.step == self.config.steps


def train(
    config: SupervisedConfig,
    training: DealSet | Labelled,
    validation: DealSet | Labelled,
    checkpoint: str | os.PathLike[str],
    *,
    weights: str | os.PathLike[str] | None = None,
    anew: bool = False,
    teachers: Sequence[nn.Module] = (),
    taught: Labelled | None = None,
    minutes: float | None = None,
    device: str | None = None,
    report: Callable[[dict[str, float]], None] = lambda line: None,
) -> Supervised:
    """Train for one leg: to the end of the schedule, or for ``minutes``.

    Goes on from ``checkpoint`` where that file exists, exactly: in float32 on one processor or GPU
    the same deals and configuration give the same weights, however often the training stopped.
    Else it goes on from ``weights``, a file of 16-bit weights of the same training; with ``anew``
    of any training of such a network, and at the first step. Else it begins from nothing.
    Beside the checkpoint go ``.npz`` (16-bit averaged weights), ``.jsonl`` (every report) and,
    where tensorboard is installed, the folder ``.tensorboard``. ``config.taught`` deals a step are
    dealt at random and labelled by the mean of ``teachers``, or taken from the set ``taught``.
    ``device`` is torch's name of one (default: a GPU where there is one). ``report`` gets every
    evaluation of the averaged network.

    Raises ValueError for deals that are not solved or teachers that are missing, TrainingError for
    files of another training, too few deals, or a loss that is no number.
    """
    place, path = Place.here(device), Path(checkpoint)
    deals, held_out = (_on(place.device, given) for given in (training, validation))
    source = Source(config, place, deals, [t.to(place.device).eval() for t in teachers], taught)
    run = _Run(config, place, source, held_out)
    if path.exists():
        run.progress = load_checkpoint(path, config, run.network, run.averaged, run.optimizer)
    elif weights is not None:
        run.progress = restart(Path(weights), config, run.network, run.averaged, anew=anew)
    run.progress.use(deals.sha256, held_out.sha256, len(deals), str(place.device))
    run.begin()
    saved = perf_counter()
    until = None if minutes is None else saved + 60 * minutes
    with Journal(path, run.progress.step, active=place.first) as journal:
        while run.progress.step < config.steps:
            if place.agreed(until is not None and perf_counter() > until):
                break
            run.step()
            if run.progress.step % config.evaluate_every == 0 or run.progress.step == config.steps:
                line = run.evaluate()
                if place.first:
                    journal.write(line)
                    report(line)
            if place.first and perf_counter() - saved > config.checkpoint_seconds:
                run.save(path)
                saved = perf_counter()
        run.check()
        if place.first:
            run.save(path)
    return Supervised(config, run.averaged.cpu(), run.progress)


class _Run:
    """A training while it runs: the network, its average, the optimizer, and how far they are."""

    def __init__(
        self, config: SupervisedConfig, place: Place, source: "Source", held_out: Labelled
    ):
        self.config, self.place, self.source, self.held_out = config, place, source, held_out
        self.network = SuitNetwork(config.network, seed=config.seed).to(place.device)
        self.averaged = deepcopy(self.network).requires_grad_(False).eval()
        self.optimizer = OPTIMIZERS[config.optimizer](
            _groups(self.network, config.weight_decay), lr=config.learning_rate
        )
        self.progress = Progress()
        self.losses, self.counted = torch.zeros((), device=place.device), 0

    def begin(self) -> None:
        """Make ready for the steps of a leg, once weights and progress are what they shall be."""
        self.model = self.place.parallel(self.network)
        if self.config.compile:
            self.model.compile()
        self.started = perf_counter() - self.progress.seconds

    def step(self) -> None:
        """Learn from one batch."""
        config, place, progress = self.config, self.place, self.progress
        for group in self.optimizer.param_groups:
            group["lr"] = config.rate(progress.step, progress.fresh_from)
        torch.manual_seed(suit_data.step_seed(config.seed, progress.step, place.rank))
        with place.autocast(config.precision):
            owners, targets, weight = self.source.batch(progress.step)
            loss = loss_of(self.model(owners), targets, weight, config.ordered)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), config.clip)
        self.optimizer.step()
        progress.step += 1
        _average(self.averaged, self.network, config.kept(progress.step))
        self.losses, self.counted = self.losses + loss.detach(), self.counted + 1
        progress.seconds = perf_counter() - self.started

    def evaluate(self) -> dict[str, float]:
        """Return the figures of the averaged network, and the mean loss since the last time."""
        progress = self.progress
        line = {"step": progress.step, "training_loss": self.check() / self.counted}
        line |= evaluate(self.averaged, self.held_out, precision=self.config.precision)
        progress.last = line | {"seconds": round(progress.seconds, 1)}
        self.losses, self.counted = torch.zeros_like(self.losses), 0
        return progress.last

    def check(self) -> float:
        """Return the sum of the losses. Raises TrainingError when it is no number."""
        found = float(self.losses)
        if not found < float("inf"):
            raise TrainingError(f"step {self.progress.step}: the training loss is {found}")
        return found

    def save(self, path: Path) -> None:
        """Write a checkpoint and beside it the 16-bit weights, unless the loss is no number."""
        self.check()
        save_checkpoint(
            path, self.config, self.progress, self.network, self.averaged, self.optimizer
        )
        save_weights(path.with_suffix(".npz"), self.averaged, self.config, self.progress)


class Source:
    """What every step learns from: labelled deals, and deals that teachers label."""

    def __init__(
        self,
        config: SupervisedConfig,
        place: Place,
        deals: Labelled,
        teachers: Sequence[nn.Module],
        taught: Labelled | None,
    ):
        if (config.taught > 0) != (len(teachers) > 0) + (taught is not None):
            raise ValueError(
                f"taught is {config.taught} (expected 0 without teachers, more with either "
                "teachers or a set that they labelled)"
            )
        if config.batch % place.world or config.taught % place.world:
            raise ValueError(
                f"batch is {config.batch} and taught {config.taught} (expected multiples of the "
                f"{place.world} processes)"
            )
        if config.compile:
            for teacher in teachers:
                teacher.compile()
        self.config, self.place, self.deals = config, place, deals
        self.teachers, self.taught = teachers, taught
        self.turn = config.network.rotation == "learned"

    def batch(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return owners (b, 52), targets (b, 5, 4, 14) and weights (b,) for this process."""
        config, place = self.config, self.place
        part = (place.rank, place.world)
        found = suit_data.take(
            self.deals, step, config.batch, seed=config.seed, turn=self.turn, part=part
        )
        if config.exchanged:
            found = found._replace(owners=suit_data.exchanged(found.owners, config.exchanged))
        weight = torch.ones(len(found.owners), device=place.device)
        if not config.taught:
            return *found, weight
        if self.taught is not None:
            more = suit_data.take(
                self.taught, step, config.taught, seed=config.seed, turn=self.turn, part=part
            )
            more = suit_data.Batch(more.owners.to(place.device), more.targets.to(place.device))
        else:
            owners = suit_data.deal_on(
                place.device,
                config.taught // place.world,
                suit_data.step_seed(config.seed + 1, step, place.rank),
            )
            with torch.no_grad():
                more = suit_data.Batch(owners, mean_probabilities(self.teachers, owners))
        weights = torch.cat([weight, weight.new_full((len(more.owners),), config.taught_weight)])
        owners, targets = (torch.cat(pair) for pair in zip(found, more, strict=True))
        return owners, targets, weights


def loss_of(logits: Tensor, targets: Tensor, weight: Tensor, ordered: float) -> Tensor:
    """Return the mean loss of (b, 5, 4, 14) logits: cross-entropy, and with weight ``ordered`` the
    ranked probability score (Epstein, 1969), which counts by how many tricks an answer is off.
    """
    found = logits.log_softmax(-1)
    loss = -(targets * found).sum(-1)  # (b, 5, 4)
    if ordered:
        apart = found.exp().cumsum(-1) - targets.cumsum(-1)
        loss = loss + ordered * apart.square().sum(-1)
    return (loss.mean((1, 2)) * weight).sum() / weight.sum()


def _on(device: torch.device, deals: DealSet | Labelled) -> Labelled:
    found = suit_data.labelled(deals) if isinstance(deals, DealSet) else deals
    return found.to(device)


def _groups(network: nn.Module, decay: float) -> list[dict[str, object]]:
    """Matrices decay, biases do not."""
    matrices = [weights for weights in network.parameters() if weights.ndim > 1]
    biases = [weights for weights in network.parameters() if weights.ndim == 1]
    return [
        {"params": matrices, "weight_decay": decay},
        {"params": biases, "weight_decay": 0.0},
    ]


@torch.no_grad()
def _average(averaged: nn.Module, network: nn.Module, kept: float) -> None:
    """Move the averaged weights towards the network's, so that a share of the old is kept."""
    for old, new in zip(averaged.parameters(), network.parameters(), strict=True):
        old.lerp_(new, 1 - kept)
