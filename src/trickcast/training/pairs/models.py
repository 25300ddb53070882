"""The trainings of the models of two hands, from files to files: ``pairs`` and ``hand2vec``.

``pairs`` is the network behind ``PairEstimator("accurate")``; ``hand2vec`` is the paper's, which
learns from rows of mean tricks, and from as many more as a pair network is asked to label.
"""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..cards import DealSet
from ..formats.hand2vec import read_pairs
from ..library import Library
from ..networks.pairs import PairNetworkConfig
from .checkpoints import TrainingError
from .distill import taught_deals
from .hand2vec import Hand2VecConfig, errors, train_hand2vec
from .pair_data import PairRows, join_rows, pair_rows, solved_rows, teach_rows
from .pair_export import About, export_hand2vec, export_pairs
from .pair_weights import load_pair_weights, save_pair_weights
from .pairs import PairConfig, Sources, mean_squared_error, train_pairs
from .presets import _value
from .schedule import Leg
from .suit_data import labelled

PAIR_PRESETS: dict[str, PairConfig | Hand2VecConfig] = {
    "pairs": PairConfig(
        network=PairNetworkConfig(width=128, before=2, after=1, pooled=2),
        steps=5_000,
        solved=64,
        taught=256,
        rows=96,
        learning_rate=2e-3,
        weight_decay=0.02,
    ),
    "hand2vec": Hand2VecConfig(
        steps=30_000,
        batch=2_048,
        taught=400_000,
        learning_rate=1e-2,
        optimizer="soap",
        evaluate_every=5_000,
    ),
}
"""Every training by name."""
NAMES = {"pairs": "accurate", "hand2vec": "hand2vec"}
"""The model that each training makes."""
_FITTED_DEALS = 4_096
_TAUGHT_SEED = 1_000_003


@dataclass(frozen=True, slots=True)
class PairFiles:
    """Where a training's data is; what is None is not used."""

    library: Path
    """Solved deals: of use ``train`` to learn from, of ``validation`` to fit the export on."""
    rows: Path | None = None
    """BridgeHand2Vec's rows to learn from."""
    validation: Path | None = None
    """Such rows to measure on; without them, the pairs of the library's validation deals."""
    taught: Path | None = None
    """Folder of deals that a whole-deal network labelled, for ``pairs``."""
    teacher: Path | None = None
    """Weights of a pair network: to label for ``hand2vec``, to begin with for ``pairs``."""


def pair_config(name: str, settings: dict[str, str]) -> PairConfig | Hand2VecConfig:
    """Return a preset with some settings changed: ``{"steps": "100", "network.width": "64"}``.

    Raises ValueError for an unknown setting or a bad value, naming it.
    """
    config = PAIR_PRESETS[name]
    known = setting_values(config)
    ours, inner = dict[str, Any](), dict[str, Any]()
    for key, text in settings.items():
        if key not in known:
            raise ValueError(f"no setting {key!r} (expected {', '.join(known)})")
        into = inner if key.startswith("network.") else ours
        into[key.removeprefix("network.")] = _value(key, text, known[key][0])
    if isinstance(config, PairConfig):
        ours["network"] = replace(config.network, **inner)
    return replace(config, **ours)


def setting_values(config: PairConfig | Hand2VecConfig) -> dict[str, tuple[Any, str]]:
    """Return every setting with its value and what it is."""
    parts: list[tuple[str, Any]] = [("", config)]
    if isinstance(config, PairConfig):
        parts.append(("network.", config.network))
    return {
        f"{prefix}{f.name}": (getattr(part, f.name), f.metadata["help"])
        for prefix, part in parts
        for f in fields(part)
        if "help" in f.metadata
    }


def train_pair_model(
    name: str,
    settings: dict[str, str],
    files: PairFiles,
    folder: str | os.PathLike[str],
    *,
    minutes: float | None = None,
    report: Callable[[dict[str, float]], None] = lambda line: None,
) -> Path | None:
    """Train one leg of a model; export it when its schedule is at its end, and return the file.

    The folder gets ``NAME.checkpoint``, from which the same call goes on, and at the end the
    folder ``pairs`` with the model. Raises ValueError for a wrong setting, TrainingError where
    there is nothing to learn from, and what the trainings raise.
    """
    config, root = pair_config(name, settings), Path(folder)
    library = Library(files.library)
    held_out = (
        solved_rows(library.deals("validation"))
        if files.validation is None
        else pair_rows(read_pairs(files.validation))
    )
    task = _Task(
        files,
        library,
        held_out,
        root / f"{name}.checkpoint",
        root / "pairs" / f"{NAMES[name]}.onnx",
        minutes,
        report,
    )
    leg = _pairs(config, task) if isinstance(config, PairConfig) else _hand2vec(config, task)
    return task.target if leg.step == config.steps else None


@dataclass(frozen=True, slots=True)
class _Task:
    """What both trainings need besides their configuration."""

    files: PairFiles
    library: Library
    held_out: PairRows
    checkpoint: Path
    target: Path
    minutes: float | None
    report: Callable[[dict[str, float]], None]

    def fitted(self) -> DealSet:
        """The deals that an export is fitted on."""
        return self.library.deals("validation")[:_FITTED_DEALS]


def _pairs(config: PairConfig, task: _Task) -> Leg:
    files = task.files
    sources = Sources(
        labelled(task.library.deals("train")) if config.solved else None,
        taught_deals(files.taught) if config.taught and files.taught else None,
        pair_rows(read_pairs(files.rows)) if config.rows and files.rows else None,
    )
    start = None
    if files.teacher is not None and not task.checkpoint.exists():
        start = load_pair_weights(files.teacher)[0].state_dict()
    network, leg = train_pairs(
        config,
        sources,
        task.held_out,
        task.checkpoint,
        start=start,
        minutes=task.minutes,
        report=task.report,
    )
    record = {"config": asdict(config), "progress": asdict(leg)}
    save_pair_weights(task.checkpoint.with_suffix(".npz"), network, record)
    if leg.step == config.steps:
        mse = mean_squared_error(network, task.held_out)
        about = About(task.target.stem, {"pairs": float(len(task.held_out)), "mse": mse}, record)
        export_pairs(network, about, task.fitted(), task.target)
    return leg


def _hand2vec(config: Hand2VecConfig, task: _Task) -> Leg:
    files = task.files
    parts = [] if files.rows is None else [pair_rows(read_pairs(files.rows))]
    if files.teacher is not None and config.taught:
        teacher = load_pair_weights(files.teacher)[0]
        parts.append(teach_rows(teacher, config.taught, _TAUGHT_SEED))
    if not parts:
        raise TrainingError(
            "nothing to learn from (expected --pairs, BridgeHand2Vec's rows, or --weights, those "
            "of a pair network)"
        )
    network, leg = train_hand2vec(
        config,
        join_rows(parts),
        task.held_out,
        task.checkpoint,
        minutes=task.minutes,
        report=task.report,
    )
    if leg.step == config.steps:
        record = {"config": asdict(config), "progress": asdict(leg)}
        scores = {"pairs": float(len(task.held_out))} | errors(network, task.held_out)
        export_hand2vec(
            network, About(task.target.stem, scores, record), task.fitted(), task.target
        )
    return leg
