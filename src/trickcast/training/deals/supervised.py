"""The training of ``accurate`` and ``fast``: all twenty results of a deal, in legs.

Runs unchanged on a processor, on one GPU, and on several under torchrun; needs torch and numpy
alone. A training is one schedule of a fixed number of steps, in as many legs as it takes.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor, nn

from ...cards import DealSet
from ...cards.errors import one_line
from ...cards.sizes import RANKS
from ..checkpoints import Progress, TrainingError, beside, check_same, progress_of, record_of
from ..fields import Allowed, at_least, one_of, setting
from ..parallel import Place
from ..schedule import ScheduleConfig, Scheduled
from ..solved import checksum
from ..suit_config import SuitNetworkConfig
from ..suits import SuitNetwork, mean_probabilities
from ..trainer import Lessons, Report, Trained
from ..trainer import train as run
from ..weights import read_weights, write_weights
from .data import DealBatch, Labelled, deal_on, exchanged, labelled, step_seed, take
from .evaluating import evaluate


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisedConfig(ScheduleConfig):
    """Everything that decides a training besides its deals. Raises ValueError for a bad value."""

    network: SuitNetworkConfig = field(default_factory=SuitNetworkConfig)
    steps: int = setting(40_000, "steps of the whole schedule", at_least(1), may_change=True)
    batch: int = setting(256, "labelled deals in a step", at_least(1))
    taught: int = setting(0, "deals that a teacher labels in a step besides the batch", at_least(0))
    taught_weight: float = setting(
        1.0, "weight of a taught deal over that of a labelled one", at_least(0)
    )
    endings: int = setting(0, "solved endings in a step besides the batch", at_least(0))
    exchanged: int = setting(
        0,
        "lowest ranks of each suit that change hands at random in every batch",
        Allowed(f"0 to {RANKS}", range(RANKS + 1).__contains__),
        may_change=True,
    )
    warm_up: int = setting(
        500, "steps of rising rate, at the start and after 16-bit weights", at_least(0)
    )
    weight_decay: float = setting(0.01, "decoupled, as AdamW's", at_least(0))
    ordered: float = setting(0.0, "weight of the ranked probability score in the loss", at_least(0))
    precision: str = setting(
        "bfloat16",
        "of matrix products: float32 or bfloat16",
        one_of("float32", "bfloat16"),
        may_change=True,
    )
    compile: bool = setting(False, "compile the network with torch.compile", may_change=True)
    storage: str = setting(
        "float16",
        "of weights in the exported file: float32, float16, or int8, whose products are int8 too",
        one_of("float32", "float16", "int8"),
        may_change=True,
    )

    def kept(self, steps: int) -> float:
        """Return the share of old in the averaged weights, where the first ones count too."""
        return min(self.average, (1 + steps) / (10 + steps))

    def step_seed(self, step: int, rank: int) -> int:
        """Return the seed of what a step draws: for all processes, then other masks in each."""
        return step_seed(self.seed, step, rank)


Supervised = Trained[SupervisedConfig, SuitNetwork]
"""What a leg leaves: the averaged network, on the processor, and how far it has come."""


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
    endings: Labelled | None = None,
    minutes: float | None = None,
    device: str | None = None,
    report: Report = lambda line: None,
) -> Supervised:
    """Train for one leg: to the end of the schedule, or for ``minutes``.

    Goes on from ``checkpoint`` where that file exists, exactly: in float32 on one processor or GPU
    the same deals and configuration give the same weights, however often the training stopped.
    Else it goes on from ``weights``, a file of 16-bit weights of the same training; with ``anew``
    of any training of such a network, and at the first step. Else it begins from nothing.
    Of the ``training`` deals some results may be unknown: they have no part in the loss.
    Beside the checkpoint go ``.npz`` (16-bit averaged weights), ``.jsonl`` (every report) and,
    where tensorboard is installed, the folder ``.tensorboard``. ``config.taught`` deals a step are
    dealt at random and labelled by the mean of ``teachers``, or taken from the set ``taught``; and
    ``config.endings`` a step are taken from ``endings``.
    ``device`` is torch's name of one (default: a GPU where there is one). ``report`` gets every
    evaluation of the averaged network.

    Raises ValueError for validation deals that are not wholly solved, training deals of which
    nothing is known, or teachers that are missing; TrainingError for files of another training, too
    few deals, or a loss that is no number.
    """
    place, path = Place.here(device), Path(checkpoint)
    deals = training if isinstance(training, Labelled) else labelled(training, whole=False)
    held_out = validation if isinstance(validation, Labelled) else labelled(validation)
    held_out.require_whole()
    deals, held_out = deals.to(place.device), held_out.to(place.device)
    models = [teacher.to(place.device).eval() for teacher in teachers]
    task = _Supervision(
        config, place, Source(config, place, deals, models, taught, endings), held_out
    )
    if weights is not None and not path.exists():
        task.begin_with(Path(weights), anew=anew)
    return run(task, path, minutes=minutes, report=report)


class _Supervision(Scheduled[SupervisedConfig, SuitNetwork]):
    """A training of the whole table of a deal."""

    def __init__(
        self, config: SupervisedConfig, place: Place, source: "Source", held_out: Labelled
    ):
        lessons = Lessons(len(source.deals), source.sha256, held_out.sha256)
        super().__init__(config, SuitNetwork(config.network, seed=config.seed), lessons, place)
        self.source, self.held_out = source, held_out

    def begin_with(self, path: Path, *, anew: bool) -> None:
        """Take up the weights of a file, and the progress of its training.

        ``anew`` takes the weights alone, into the first step of a training that may be another one;
        its network may be deeper: layers that the file lacks change nothing at first. Raises what
        ``read_weights`` raises, and TrainingError for settings that do not fit.
        """
        stored, record = read_weights(path, SuitNetwork)
        weights = stored.state_dict()
        if not anew:
            check_same(path, record.get("config"), self.config)
        progress = progress_of(path, record)
        for target in (self.network, self.averaged):
            try:
                target.load_state_dict(_new_layers(target) | weights if anew else weights)
            except RuntimeError as error:
                raise TrainingError(
                    f"{path}: the weights of another network ({one_line(error)})"
                ) from None
        if anew:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            self.progress = Progress(legs=progress.legs, begun_with=digest)
        else:
            self.progress = progress
            self.progress.fresh_from = self.progress.step

    @cached_property
    def _model(self) -> nn.Module:
        """The network as it runs here, once its weights are what they shall be."""
        model = self.place.parallel(self.network)
        if self.config.compile:
            # torch's own random numbers: those of compiled code take three times as long
            own = {"fallback_random": True} if self.place.device.type == "cpu" else {}
            model.compile(options=own)
        return model

    def loss(self, step: int) -> Tensor:
        """Return the mean loss of a step's batch."""
        with self.place.autocast(self.config.precision):
            owners, targets, weight = self.source.batch(step)
            if self.place.rank:
                torch.manual_seed(self.config.step_seed(step, self.place.rank))
            logits = self._model(owners)
            return loss_of(logits, targets, weight, self.config.ordered, self.place.mean)

    def figures(self) -> dict[str, float]:
        """Return how good the averaged network is on the validation deals."""
        return evaluate(self.averaged, self.held_out, precision=self.config.precision)

    def groups(self) -> list[dict[str, object]]:
        """Return matrices, which decay, and biases, which do not."""
        parameters = list(self.network.parameters())
        return [
            {
                "params": [weights for weights in parameters if weights.ndim > 1],
                "weight_decay": self.config.weight_decay,
            },
            {
                "params": [weights for weights in parameters if weights.ndim == 1],
                "weight_decay": 0.0,
            },
        ]

    def save_beside(self, checkpoint: Path) -> None:
        """Write the averaged weights in 16 bits."""
        record = record_of(self.config, self.progress)
        write_weights(beside(checkpoint, ".npz"), self.averaged, record)


def _new_layers(network: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a network's layers, each of which hands on what it is given."""
    return {
        name: torch.zeros_like(weights) if ".leave." in name else weights
        for name, weights in network.state_dict().items()
        if name.split(".")[0] in ("before", "after", "pooled")
    }


class Source:
    """What every step learns from: labelled deals, deals that teachers label, and endings."""

    def __init__(
        self,
        config: SupervisedConfig,
        place: Place,
        deals: Labelled,
        teachers: Sequence[nn.Module],
        taught: Labelled | None,
        endings: Labelled | None,
    ):
        if (config.taught > 0) != (len(teachers) > 0) + (taught is not None):
            raise ValueError(
                f"taught is {config.taught} (expected 0 without teachers, more with either "
                "teachers or a set that they labelled)"
            )
        if (config.endings > 0) != (endings is not None):
            raise ValueError(
                f"endings is {config.endings} (expected 1 or more with a set of endings, 0 without)"
            )
        for name, data in (("batch", deals), ("taught", taught), ("endings", endings)):
            if data is not None and len(data) < (wanted := getattr(config, name)):
                raise TrainingError(
                    f"{name} is {wanted} (expected at most the {len(data)} there are)"
                )
        if any(n % place.world for n in (config.batch, config.taught, config.endings)):
            raise ValueError(
                f"batch is {config.batch}, taught {config.taught} and endings {config.endings} "
                f"(expected multiples of the {place.world} processes)"
            )
        if config.compile:
            for teacher in teachers:
                teacher.compile()
        self.config, self.place, self.deals = config, place, deals
        self.teachers, self.taught, self.endings = teachers, taught, endings
        self.sha256 = self._checksum()

    def _checksum(self) -> str:
        """Return the checksum of the deals and, after their names, of what else there is."""
        parts = [self.deals.sha256]
        for name, data in (("taught", self.taught), ("endings", self.endings)):
            parts += [] if data is None else [f"{name} {data.sha256}"]
        for teacher in self.teachers:
            weights = [tensor.cpu().numpy() for tensor in teacher.state_dict().values()]
            parts.append(f"teacher {checksum(*weights)}")
        return ", ".join(parts)

    def batch(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return owners (b, 52), targets (b, 5, 4, 14) and weights (b,) for this process."""
        config = self.config
        batches = [self._taken(self.deals, step, config.batch)]
        if config.exchanged:
            owners, targets = batches[0]
            drawn = exchanged(owners, config.exchanged, self.place.part, config.batch)
            batches[0] = DealBatch(drawn, targets)
        if config.taught:
            batches.append(self._taught(step))
        if self.endings is not None:
            batches.append(self._taken(self.endings, step, config.endings))
        owners, targets = (torch.cat(parts) for parts in zip(*batches, strict=True))
        weight = torch.ones(len(owners), device=self.place.device)
        if config.taught:
            first = len(batches[0].owners)
            weight[first : first + len(batches[1].owners)] = config.taught_weight
        return owners, targets, weight

    def _taken(self, data: Labelled, step: int, batch: int) -> DealBatch:
        """Take this process's part of a step's batch."""
        config, place = self.config, self.place
        part, turn = (place.rank, place.world), config.network.rotation == "learned"
        taken = take(data, step, batch, seed=config.seed, turn=turn, part=part)
        return DealBatch(*(tensor.to(place.device) for tensor in taken))

    def _taught(self, step: int) -> DealBatch:
        """Return this process's part of a step's deals that teachers label, or labelled."""
        config, place = self.config, self.place
        if self.taught is not None:
            return self._taken(self.taught, step, config.taught)
        seed = step_seed(config.seed + 1, step, 0)
        dealt = deal_on(place.device, config.taught, seed)[place.part]
        with torch.no_grad():
            return DealBatch(dealt, mean_probabilities(self.teachers, dealt))


def loss_of(
    logits: Tensor,
    targets: Tensor,
    weight: Tensor,
    ordered: float,
    mean: Callable[[Tensor], Tensor] = lambda number: number,
) -> Tensor:
    """Return the mean loss of (b, 5, 4, 14) logits over the results that are known.

    Cross-entropy, and with weight ``ordered`` the ranked probability score (Epstein, 1969), which
    counts by how many tricks an answer is off. ``targets`` are zero where a result is unknown.
    ``mean`` is over the processes that share a batch, so that a result counts alike in all.
    """
    logs = logits.log_softmax(-1)
    known = (targets.sum(-1) > 0).to(logs.dtype)  # (b, 5, 4)
    loss = -(targets * logs).sum(-1)
    if ordered:
        apart = logs.exp().cumsum(-1) - targets.cumsum(-1)
        loss = loss + ordered * apart.square().sum(-1) * known
    # both means are over a deal's twenty results, so that an unknown one counts on neither side
    return (loss.mean((1, 2)) * weight).sum() / mean((known.mean((1, 2)) * weight).sum())
