"""Train two-hand estimation: distributions from solved and taught deals, means from rows.

There are three sources, any of which may be missing. Solved deals: cross-entropy, one layout each.
Deals labelled by a whole-deal network (``lessons.teach``): the same, cheap and many. Rows of mean
tricks: the squared error of the expectation, weighted more the more layouts a mean includes.
"""

import json
import os
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..cards import DealSet
from ..formats.hand2vec import read_pairs
from ..library import Library
from ..model_format import PAIR_MODEL_FORMAT
from .errors import TrainingError
from .exports import fit_sharpness, parity_owners, run_all, write_model
from .lessons import (
    Labelled,
    PairRows,
    labelled,
    pair_rows,
    solved_rows,
    take_pairs,
    take_rows,
    taught_deals,
)
from .onnx_networks import PairGraph
from .request import Answer, Request, can_export
from .settings import at_least, setting
from .solved_deals import library_deals
from .suit_networks import (
    PairNetwork,
    PairNetworkConfig,
    expected_tricks,
    read_weights,
    write_weights,
)
from .trainer import (
    Lessons,
    Report,
    ScheduleConfig,
    Scheduled,
    Trained,
    beside,
    record_of,
    train,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConfig(ScheduleConfig):
    """All settings of a training, apart from its data. Raises ValueError for an invalid value."""

    network: PairNetworkConfig = field(default_factory=PairNetworkConfig)
    solved: int = setting(64, "solved deals in a step, two pairs each", at_least(0))
    taught: int = setting(192, "taught deals in a step, two pairs each", at_least(0))
    rows: int = setting(192, "rows of mean tricks in a step", at_least(0))
    row_weight: float = setting(
        5.0, "weight of a row's squared error over a cross-entropy", at_least(0)
    )

    def __post_init__(self) -> None:
        super(PairConfig, self).__post_init__()
        if self.solved + self.taught + self.rows == 0:
            raise ValueError("solved, taught and rows are 0 (expected something to learn from)")


@dataclass(frozen=True, slots=True)
class Sources:
    """The data to learn from."""

    solved: Labelled | None = None
    taught: Labelled | None = None
    rows: PairRows | None = None

    def check(self, config: PairConfig) -> None:
        """Raise TrainingError if a source is missing that the steps use."""
        for name in ("solved", "taught", "rows"):
            if getattr(config, name) and getattr(self, name) is None:
                raise TrainingError(
                    f"{name} is {getattr(config, name)} and there are none (expected {name}=0)"
                )

    @property
    def _parts(self) -> tuple[Labelled | PairRows | None, ...]:
        return self.solved, self.taught, self.rows

    @property
    def sha256(self) -> str:
        """Checksums of all."""
        return " ".join("-" if part is None else part.sha256 for part in self._parts)

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts if part is not None)


class PairTask(Scheduled[PairConfig, PairNetwork]):
    """A training on pairs of hands from up to three sources.

    ``start`` are initial weights. The validation rows are only used for measuring. Raises
    TrainingError for a missing source.
    """

    def __init__(
        self,
        config: PairConfig,
        sources: Sources,
        validation: PairRows,
        start: dict[str, Tensor] | None = None,
    ):
        sources.check(config)
        network = PairNetwork(config.network, seed=config.seed)
        if start is not None:
            network.load_state_dict(start)
        lessons = Lessons(len(sources), sources.sha256, validation.sha256)
        super().__init__(config, network, lessons)
        self.sources, self.validation = sources, validation

    def loss(self, step: int) -> Tensor:
        """Return the mean loss of a step."""
        return step_loss(self.network, self.config, self.sources, step)

    def figures(self) -> dict[str, float]:
        """Return the error of the averaged network on the validation rows."""
        return {"mse": mean_squared_error(self.averaged, self.validation)}

    def save_beside(self, checkpoint: Path) -> None:
        """Write the averaged weights in 16 bits."""
        record = record_of(self.config, self.progress)
        write_weights(beside(checkpoint, ".npz"), self.averaged, record)


def step_loss(network: nn.Module, config: PairConfig, sources: Sources, step: int) -> Tensor:
    """Return the mean loss of a step, over all its pairs."""
    hands, targets, tricks = [], [], []
    for data, deals in ((sources.solved, config.solved), (sources.taught, config.taught)):
        if data is not None and deals:
            batch = take_pairs(data, step, deals, config.seed)
            hands.append(batch.hands)
            targets.append(batch.targets)
    if sources.rows is not None and config.rows:
        rows = take_rows(sources.rows, step, config.rows, config.seed)
        hands.append(rows[0])
        tricks.append(rows[1])
    with torch.autocast("cpu", torch.bfloat16):
        logits = network(torch.cat(hands))
    total, pairs = torch.zeros(()), len(logits)
    if targets:
        target = torch.cat(targets)
        logs = logits[: len(target)].log_softmax(-1)
        total = total - (target * logs).sum(-1).mean((1, 2)).sum()
        logits = logits[len(target) :]
    if tricks:
        off = expected_tricks(logits) - tricks[0]
        total = total + config.row_weight * off.square().mean((1, 2)).sum()
    return total / pairs


@torch.inference_mode()
def mean_squared_error(network: nn.Module, rows: PairRows, *, chunk: int = 2048) -> float:
    """Return the mean squared error of expected tricks, all strains, the first hand declaring."""
    total = 0.0
    for start in range(0, len(rows), chunk):
        part = slice(start, start + chunk)
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(rows.hands[part])
        off = expected_tricks(logits[:, :, 0]) - rows.tricks[part, :, 0]
        total += float(off.square().double().mean(1).sum())
    return total / len(rows)


# --- the export -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class About:
    """The metadata to write into the file of a model of two hands."""

    name: str
    scores: dict[str, float]
    """``pairs``, the held-out rows, and the mean squared errors on these."""
    training: dict[str, Any]
    """Configuration and progress."""

    def metadata(self, kind: str, **of_kind: Any) -> dict[str, str]:
        """Return the metadata of a file of that kind, including what only that kind has."""
        stated = {key: json.dumps(value) for key, value in of_kind.items()}
        return stated | {
            "format": PAIR_MODEL_FORMAT,
            "kind": kind,
            "name": self.name,
            "scores": json.dumps({key: round(value, 5) for key, value in self.scores.items()}),
            "training": json.dumps(self.training),
        }


def export_pairs(
    network: PairNetwork, about: About, solved: DealSet, path: str | os.PathLike[str]
) -> None:
    """Write a network of distributions: ``hands`` (n, 2, 52) in, ``probabilities`` out.

    These are (n, 5, 2, 14): strains S H D C N, declared by the first hand and by the second. The
    ``solved`` deals, not used in training, fit the sharpness of the answers. Raises TrainingError
    if the file's outputs differ from torch's.
    """
    net = deepcopy(network).eval().half().float()  # torch must answer with the file's weights
    rows = solved_rows(solved)
    hands, tricks = rows.hands.numpy(), rows.tricks.numpy().astype(np.uint8)
    sharpness = fit_sharpness(torch.from_numpy(run_all(net, hands, chunk=1024)), tricks)
    parity = parity_hands()
    logits = torch.from_numpy(run_all(net, parity)) * torch.tensor(sharpness)[:, None, None]
    write_model(
        Path(path),
        PairGraph(net).to_onnx(sharpness),
        about.metadata("distributions", sharpness=sharpness),
        {"hands": parity},
        {"probabilities": logits.softmax(-1).numpy()},
    )


def parity_hands() -> NDArray[np.uint8]:
    """Return the (64, 2, 52) hands of North and South in the deals of the parity files."""
    owners = parity_owners()
    return np.stack([owners == 0, owners == 2], axis=1).astype(np.uint8)


# --- from files to a file -------------------------------------------------------------------------


PAIRS = PairConfig(
    network=PairNetworkConfig(width=128, before=2, after=1, pooled=2),
    steps=5_000,
    solved=64,
    taught=256,
    rows=96,
    learning_rate=2e-3,
    weight_decay=0.02,
)
_FITTED_DEALS = 4_096


def train_pairs_model(request: Request, config: PairConfig, report: Report) -> Answer:
    """Train one leg of ``pairs``; export ``pairs/accurate.onnx`` at the end of the schedule.

    The ``weights`` of a request are the initial weights. Raises TrainingError if there is
    nothing to learn from, and whatever the training raises.
    """
    solved = None
    if config.solved:
        solved = labelled(library_deals(Library(request.library), "train", request.deals))
    sources = Sources(
        solved,
        taught_deals(request.taught) if config.taught and request.taught else None,
        rows(request.pairs) if config.rows and request.pairs else None,
    )
    start = None
    if request.weights is not None and not _checkpoint(request).exists():
        stored = read_weights(request.weights, PairNetwork)[0]
        if stored.config != config.network:
            raise TrainingError(
                f"{request.weights}: the weights of another network ({stored.config}, not "
                f"{config.network})"
            )
        start = stored.state_dict()
    task = PairTask(config, sources, held_out(request), start)
    return train_and_export(request, task, "accurate", export_pairs, report)


def rows(path: Path) -> PairRows:
    """Return the rows of a file in BridgeHand2Vec's format."""
    return pair_rows(read_pairs(path))


def held_out(request: Request) -> PairRows:
    """Return the validation rows: those given, or the library's validation deals."""
    if request.pairs_validation is not None:
        return rows(request.pairs_validation)
    return solved_rows(library_deals(Library(request.library), "validation", request.validation))


def _checkpoint(request: Request) -> Path:
    return request.out / f"{request.name}.checkpoint"


def train_and_export(
    request: Request,
    task: Any,
    model: str,
    export: Callable[..., None],
    report: Report,
) -> Answer:
    """Train as long as the request says; export a finished network as the model with that name."""
    fitted = None  # read before training, so that the export cannot fail for lack of them
    if can_export():
        fitted = library_deals(Library(request.library), "validation", _FITTED_DEALS)
    trained: Trained[Any, Any] = train(
        cast(Any, task), _checkpoint(request), minutes=request.minutes, report=report
    )
    target = None
    if trained.done and fitted is not None:
        target = request.out / "pairs" / f"{model}.onnx"
        last = trained.progress.last
        scores = {"pairs": float(len(task.validation))}
        scores |= {name: value for name, value in last.items() if name.startswith("mse")}
        export(trained.network, About(model, scores, trained.record), fitted, target)
    learned = trained.record["deals"]
    lessons = f"{learned:,} deals and rows (a folder as src/trickcast/weights/pairs)"
    return Answer(request.name, trained, lessons, target)


def shown(line: dict[str, Any]) -> str:
    """Return an evaluation as text."""
    measured = ", ".join(f"{key} {line[key]:.4f}" for key in line if key.startswith("mse"))
    return (
        f"step {line['step']:,}: {measured} (training {line['training_loss']:.4f}), "
        f"{line['seconds']:.0f} s"
    )
