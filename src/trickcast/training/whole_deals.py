"""Train ``accurate`` and ``fast``: all twenty results of a deal, from files to a file.

``train_model`` reads a library, trains until its schedule or its time is over, and exports at the
end of the schedule. It runs on a processor, on one GPU, and on several under torchrun; training
needs only torch and numpy.
"""

import hashlib
import json
import math
import os
import tomllib
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..cards import DealSet, Strain
from ..cards.errors import one_line
from ..cards.sizes import COUNTS, RANKS, SEATS, STRAINS
from ..dealing import random_deals
from ..library import Library, read_positions
from .errors import TrainingError
from .exports import (
    LEAST,
    TOLERANCE,
    Calibration,
    deal_metadata,
    fit_calibration,
    open_session,
    parity_owners,
    run_all,
    write_model,
)
from .lessons import (
    DealBatch,
    Labelled,
    deal_on,
    exchanged,
    labelled,
    labelled_positions,
    shares,
    step_seed,
    take,
    taught_deals,
)
from .onnx_networks import HalvesGraph, Int8Graph, SuitGraph
from .request import Answer, Request, can_export
from .settings import SHARE, Allowed, at_least, one_of, setting
from .solved_deals import checksum, known_tricks, library_deals
from .suit_networks import (
    SuitNetwork,
    SuitNetworkConfig,
    compile_layers,
    mean_probabilities,
    read_weights,
    write_weights,
)
from .trainer import (
    Lessons,
    Place,
    Progress,
    Recorded,
    Report,
    ScheduleConfig,
    Scheduled,
    Trained,
    beside,
    check_same,
    progress_of,
    record_of,
)
from .trainer import train as run


@torch.no_grad()
def evaluate(
    network: SuitNetwork, deals: Labelled, *, precision: str = "float32", chunk: int = 1024
) -> dict[str, float]:
    """Return the figures of a training's reports.

    ``exact_…`` and ``within_1_…``: percent of results, suits and notrump apart, whose likeliest
    count is the real one, or at most one trick off. ``log_loss``: mean over all results, natural
    logarithm. ``bias``: mean of expected minus real tricks.
    """
    device = deals.owners.device
    sums = torch.zeros(5, 4, dtype=torch.float64)  # strain × figure
    with torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16"):
        for start in range(0, len(deals), chunk):
            rows = slice(start, start + chunk)
            probabilities = mean_probabilities([network], deals.owners[rows])
            sums += _figures(probabilities.float(), shares(deals.labels[rows])).cpu()
    means = sums / (4 * len(deals))
    suits, notrump = means[:4].mean(0).tolist(), means[4].tolist()
    return {
        "exact_suits": 100 * suits[0],
        "exact_notrump": 100 * notrump[0],
        "within_1_suits": 100 * suits[1],
        "within_1_notrump": 100 * notrump[1],
        "log_loss": float(means[:, 2].mean()),
        "bias": float(means[:, 3].mean()),
    }


def _figures(probabilities: Tensor, targets: Tensor) -> Tensor:
    """Return sums over deals and declarers: exact, within one, log-loss, bias, (5, 4) float64."""
    counts = torch.arange(probabilities.shape[-1], device=probabilities.device).float()
    off = (probabilities.argmax(-1) - targets.argmax(-1)).abs()
    figures = [
        off == 0,
        off <= 1,
        -(targets * probabilities.clamp_min(1e-12).log()).sum(-1),
        (probabilities - targets) @ counts,
    ]
    return torch.stack([figure.double().sum((0, 2)) for figure in figures], dim=1)


# --- the training ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisedConfig(ScheduleConfig):
    """All settings of a training, apart from its deals. Raises ValueError for an invalid value."""

    network: SuitNetworkConfig = field(default_factory=SuitNetworkConfig)
    steps: int = setting(40_000, "steps of the whole schedule", at_least(1), may_change=True)
    batch: int = setting(256, "labelled deals in a step", at_least(1))
    taught: int = setting(0, "deals that a teacher labels in a step besides the batch", at_least(0))
    taught_weight: float = setting(
        1.0, "weight of a taught deal over that of a labelled one", at_least(0)
    )
    self_taught: float = setting(
        0.0, "share of the training's own average in what its teachers say", SHARE
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
    compile: bool = setting(
        False,
        "compile the network with torch.compile; a single GPU records the step too",
        may_change=True,
    )
    storage: str = setting(
        "float16",
        "of weights in the exported file: float32, float16, or int8, whose products are int8 too",
        one_of("float32", "float16", "int8"),
        may_change=True,
    )

    def kept(self, steps: int) -> float:
        """Return the share of old in the averaged weights, in which first weights count."""
        return min(self.average, (1 + steps) / (10 + steps))

    def step_seed(self, step: int, rank: int) -> int:
        """Return the seed of a step's random draws: for all processes, then for masks in each."""
        return step_seed(self.seed, step, rank)


Supervised = Trained[SupervisedConfig, SuitNetwork]
"""The result of a leg: the averaged network, on the processor, and how far it has come."""


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

    Resumes from ``checkpoint`` if that file exists, exactly: in float32 on one processor or GPU
    the same deals and configuration give the same weights, however often the training stopped.
    Otherwise it continues from ``weights``, a file of 16-bit weights of the same training. With
    ``anew`` these may be of any training of such a network, and it starts at the first step.
    Results of the ``training`` deals may be unknown: they are ignored in the loss.
    Next to the checkpoint go ``.npz`` (16-bit averaged weights), ``.jsonl`` (every report) and, if
    tensorboard is installed, the folder ``.tensorboard``. In each step ``config.taught`` deals are
    dealt at random and labelled by the mean of ``teachers``, which can include the averaged network
    of this training, or taken from the set ``taught``; and ``config.endings`` are taken from
    ``endings``.
    ``device`` is torch's name of one (default: a GPU if there is one). ``report`` receives every
    evaluation of the averaged network.

    Raises ValueError for validation deals that are not completely solved, training deals without
    any known result, or missing teachers; TrainingError for files of another training, too
    few deals, or a loss that is not finite.
    """
    place, path = Place.here(device), Path(checkpoint)
    deals = training if isinstance(training, Labelled) else labelled(training, whole=False)
    held_out = validation if isinstance(validation, Labelled) else labelled(validation)
    held_out.require_whole()
    deals, held_out = deals.to(place.device), held_out.to(place.device)
    endings = None if endings is None else endings.to(place.device)
    models = [teacher.to(place.device).eval() for teacher in teachers]
    task = _Supervision(
        config, place, Source(config, place, deals, models, taught, endings), held_out
    )
    if weights is not None and not path.exists():
        task.begin_with(Path(weights), anew=anew)
    return run(task, path, minutes=minutes, report=report)


class _Supervision(Scheduled[SupervisedConfig, SuitNetwork]):
    """A training on the whole table of a deal."""

    def __init__(
        self, config: SupervisedConfig, place: Place, source: "Source", held_out: Labelled
    ):
        lessons = Lessons(len(source.deals), source.sha256, held_out.sha256)
        super().__init__(config, SuitNetwork(config.network, seed=config.seed), lessons, place)
        self.source, self.held_out = source, held_out
        self._recorded: Recorded | None = None
        source.own = self.averaged
        if config.compile:
            # torch's own random numbers: those of compiled code take a processor thrice as long
            own = {"fallback_random": True} if place.device.type == "cpu" else None
            compile_layers(self.network, options=own)
            compile_layers(self.averaged)

    def begin_with(self, path: Path, *, anew: bool) -> None:
        """Load the weights of a file, and the progress of its training.

        With ``anew`` only the weights are used, in the first step of a training that may differ.
        Its network may be deeper: layers missing from the file change nothing at first. Raises like
        ``read_weights``, and TrainingError for settings that do not match.
        """
        stored, record = read_weights(path, SuitNetwork)
        weights = stored.state_dict()
        if not anew:
            check_same(path, record.get("config"), self.config, "--anew")
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
        """Return the network as it runs here, once its weights are set."""
        return self.place.parallel(self.network)

    def loss(self, step: int) -> Tensor:
        """Return the mean loss of a step's batch."""
        batch = self.source.batch(step)
        if self.place.rank:
            torch.manual_seed(self.config.step_seed(step, self.place.rank))
        return self._loss(*batch)

    def gradients(self, step: int) -> Tensor:
        """Compute the gradients of a step, and return its loss.

        When compiled for one GPU, everything but drawing the batch is recorded at the first step.
        """
        place = self.place
        if not (self.config.compile and place.device.type == "cuda" and place.world == 1):
            return super().gradients(step)
        batch = self.source.batch(step)
        if self._recorded is None:
            self._recorded = Recorded(lambda *given: self._backward(self._loss(*given)), *batch)
        return self._recorded(*batch)

    def _loss(self, owners: Tensor, targets: Tensor, weight: Tensor) -> Tensor:
        """Return the mean loss of a batch."""
        with self.place.autocast(self.config.precision):
            targets = self.source.said(owners, targets)
            logits = self._model(owners)
            return loss_of(logits, targets, weight, self.config.ordered, self.place.mean)

    def figures(self) -> dict[str, float]:
        """Return the scores of the averaged network on the validation deals."""
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
    """Return new weights for a network's layers, so that each passes its input on unchanged."""
    return {
        name: torch.zeros_like(weights) if ".leave." in name else weights
        for name, weights in network.state_dict().items()
        if name.split(".")[0] in ("before", "after", "pooled")
    }


class Source:
    """What every step learns from: labelled deals, deals that teachers label, and positions."""

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
        if config.self_taught and not teachers:
            raise ValueError(f"self_taught is {config.self_taught} (expected 0 without teachers)")
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
                compile_layers(teacher)
        self.config, self.place, self.deals = config, place, deals
        self.teachers, self.taught, self.endings = teachers, taught, endings
        self.own: Callable[[Tensor], Tensor] | None = None
        self.sha256 = self._checksum()

    def _checksum(self) -> str:
        """Return the checksum of the deals and, after their names, of the other sources."""
        parts = [self.deals.sha256]
        for name, data in (("taught", self.taught), ("endings", self.endings)):
            parts += [] if data is None else [f"{name} {data.sha256}"]
        for teacher in self.teachers:
            weights = [tensor.cpu().numpy() for tensor in teacher.state_dict().values()]
            parts.append(f"teacher {checksum(*weights)}")
        return ", ".join(parts)

    def batch(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return owners (b, 52), targets (b, 5, 4, 14) and weights (b,) for this process.

        Targets of deals that teachers label are still zero: ``said`` fills them in.
        """
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
            weight[self._taught_rows] = config.taught_weight
        return owners, targets, weight

    @property
    def _taught_rows(self) -> slice:
        """The rows of this process's batch that a teacher labels, or has labelled."""
        first = self.config.batch // self.place.world
        return slice(first, first + self.config.taught // self.place.world)

    def _taken(self, data: Labelled, step: int, batch: int) -> DealBatch:
        """Take this process's part of a step's batch."""
        config, place = self.config, self.place
        taken = take(data, step, batch, seed=config.seed, part=(place.rank, place.world))
        return DealBatch(*(tensor.to(place.device) for tensor in taken))

    def _taught(self, step: int) -> DealBatch:
        """Return this process's part of a step's deals that teachers label, or have labelled."""
        config, place = self.config, self.place
        if self.taught is not None:
            return self._taken(self.taught, step, config.taught)
        seed = step_seed(config.seed + 1, step, 0)
        dealt = deal_on(place.device, config.taught, seed)[place.part]
        shape = (len(dealt), STRAINS, SEATS, COUNTS)
        return DealBatch(dealt, torch.zeros(shape, device=place.device))

    def said(self, owners: Tensor, targets: Tensor) -> Tensor:
        """Return the targets of a batch, with the teachers' labels filled in."""
        if not self.teachers:
            return targets
        rows, share = self._taught_rows, self.config.self_taught
        with torch.no_grad():
            said = mean_probabilities(self.teachers, owners[rows])
            if share:
                assert self.own is not None  # the training sets it
                said = said.lerp(self.own(owners[rows]).softmax(-1), share)
        return torch.cat([targets[: rows.start], said, targets[rows.stop :]])


def loss_of(
    logits: Tensor,
    targets: Tensor,
    weight: Tensor,
    ordered: float,
    mean: Callable[[Tensor], Tensor] = lambda number: number,
) -> Tensor:
    """Return the mean loss of (b, 5, 4, 14) logits over the known results.

    Uses cross-entropy and, with weight ``ordered``, the ranked probability score (Epstein, 1969),
    which depends on how many tricks an answer is off. ``targets`` are zero for unknown results.
    ``mean`` averages over the processes that share a batch, so that a result counts alike in all.
    """
    logs = logits.log_softmax(-1)
    known = (targets.sum(-1) > 0).to(logs.dtype)  # (b, 5, 4)
    loss = -(targets * logs).sum(-1)
    if ordered:
        apart = logs.exp().cumsum(-1) - targets.cumsum(-1)
        loss = loss + ordered * apart.square().sum(-1) * known
    # both means are over a deal's twenty results, so that an unknown one counts on neither side
    return (loss.mean((1, 2)) * weight).sum() / mean((known.mean((1, 2)) * weight).sum())


# --- the export -----------------------------------------------------------------------------------


_SAMPLE_DEALS = 1024


def export_suits(
    trained: Supervised,
    name: str,
    validation: DealSet,
    path: str | os.PathLike[str],
    *,
    fresh: DealSet | None = None,
    storage: str | None = None,
    speed: str = "",
) -> None:
    """Write a trained network as an ONNX file: ``owners``, ``strains`` in, ``probabilities`` out.

    ``storage`` defaults to that of the training's settings. Next to the file go
    ``<name>.parity.npz`` (64 deals, and torch's probabilities for them) and a line in
    ``SHA256SUMS``. The calibration and the scores in its metadata are those of the file itself, run
    by ONNX Runtime on the ``validation`` deals. The calibration also uses ``fresh`` deals,
    if there are solved ones that were not trained on: validation deals selected the network,
    so it is a little better on them than on others.

    Raises ValueError for an unknown storage or deals that are not solved, TrainingError if the
    file's outputs differ from torch's; int8, whose products differ, is exempt.
    """
    storage = replace(trained.config, storage=storage or trained.config.storage).storage  # checked
    tricks = known_tricks(validation)
    held_out = validation if fresh is None else DealSet.concatenate([validation, fresh])
    network = deepcopy(trained.network).cpu().eval()
    if storage == "float16":
        network.half().float()  # torch must answer with the weights of the file
    sample = torch.from_numpy(random_deals(_SAMPLE_DEALS, seed=2021).owners.copy())
    stated = run_file(to_onnx(network, storage, sample).SerializeToString(), held_out.owners)
    calibration = fit_calibration(stated, known_tricks(held_out))
    logs = torch.from_numpy(np.log(np.maximum(stated[: len(validation)], LEAST)))
    metadata = deal_metadata(calibration.apply(logs).argmax(-1).numpy(), tricks) | {
        "name": name,
        "seed": str(trained.config.seed),
        "training_deals": str(trained.record["deals"]),
        "training_sha256": trained.record["sha256"],
        "training": json.dumps(record_of(trained.config, trained.progress)),
        "storage": storage,
        "calibration": json.dumps(calibration._asdict()),
        "speed": speed,
    }
    parity = parity_owners()
    logits = torch.from_numpy(run_all(network, parity.copy()))
    write_model(
        Path(path),
        to_onnx(network, storage, sample, calibration),
        metadata,
        {"owners": parity},
        {"probabilities": calibration.apply(logits).numpy()},
        tolerance=math.inf if storage == "int8" else TOLERANCE,
    )


def to_onnx(
    network: SuitNetwork,
    storage: str,
    sample: torch.Tensor,
    calibration: Calibration | None = None,
) -> Any:
    """Return the onnx model of a network: ``owners`` (n, 52) uint8 → ``probabilities``.

    These are (n, k, 4, 14) float32 for the ``strains``, (k,) int64, a second input that defaults to
    all five in the order of ``Strain``. Other strains are not computed. The probabilities are
    calibrated if a ``calibration`` is given. For int8, ``sample`` (m, 52) are deals whose
    features determine the quantization ranges.
    """
    if storage == "int8":
        graph = HalvesGraph if HalvesGraph.fits(network) else Int8Graph
        return graph(network, sample).to_onnx(calibration)
    return SuitGraph(network, half=storage == "float16").to_onnx(calibration)


def run_file(
    model: bytes,
    owners: NDArray[np.uint8],
    chunk: int = 64,
    strains: Sequence[int] = range(len(Strain)),
) -> NDArray[np.float32]:
    """Return the (n, k, 4, 14) probabilities that an ONNX file gives for (n, 52) owners."""
    session = open_session(model)
    inputs = {"strains": np.array(strains)} if list(strains) != list(Strain) else {}
    answers = [np.empty((0, len(strains), 4, 14), np.float32)]
    for start in range(0, len(owners), chunk):
        rows = np.ascontiguousarray(owners[start : start + chunk])
        answers += session.run(["probabilities"], {"owners": rows, **inputs})
    return np.concatenate(answers)


# --- from files to a file -------------------------------------------------------------------------


def train_model(request: Request, config: SupervisedConfig, report: Report) -> Answer | None:
    """Train one leg; export ``NAME.onnx`` at the end of the schedule.

    It is calibrated on all validation deals of the library, even if fewer were requested. The
    folder gets ``NAME.checkpoint`` and the files that ``train`` puts next to it. Raises
    ValueError, before anything is trained, for a network that cannot be exported, a library
    without training deals, or validation deals that are not completely solved; and like
    ``train`` and ``export_suits``.
    """
    if request.anew and request.weights is None:
        raise ValueError("anew takes the weights of a file (expected --weights too)")
    library, root, name = Library(request.library), request.out, request.name
    training = library_deals(library, "train", request.deals, whole=False)
    validation = library_deals(library, "validation")
    trained = train(
        config,
        training,
        validation[: request.validation],
        root / f"{name}.checkpoint",
        weights=request.weights,
        anew=request.anew,
        teachers=[read_weights(path, SuitNetwork)[0] for path in request.teacher],
        taught=None if request.taught is None else taught_deals(request.taught),
        endings=None
        if request.endings is None
        else labelled_positions(*read_positions(request.endings)),
        minutes=request.minutes,
        device=request.device,
        report=report,
    )
    if not Place.here(request.device).leave():
        return None
    model = None
    if trained.done and can_export():
        model = root / f"{name}.onnx"
        export_suits(trained, name, validation, model)
    return Answer(name, trained, f"{trained.record['deals']:,} deals", model)


def shown(line: dict[str, Any]) -> str:
    """Return an evaluation as text."""
    return (
        f"step {line['step']:,}: suits {line['exact_suits']:.2f} %, notrump "
        f"{line['exact_notrump']:.2f} % exact, log-loss {line['log_loss']:.4f} "
        f"(training {line['training_loss']:.4f}), {line['seconds']:.0f} s"
    )


_TABLES = tomllib.loads(Path(__file__).with_name("presets.toml").read_text("utf-8"))

PRESETS: dict[str, SupervisedConfig] = {
    name: SupervisedConfig(**settings | {"network": SuitNetworkConfig(**settings["network"])})
    for name, settings in _TABLES.items()
}
"""Every training by the name of its model."""
