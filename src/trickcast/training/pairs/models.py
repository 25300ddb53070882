"""The trainings of the models of two hands, from files to files: ``pairs`` and ``hand2vec``.

``pairs`` is the network behind ``PairEstimator("accurate")``; ``hand2vec`` is the paper's, which
learns from rows of mean tricks, and from as many more as a pair network is asked to label.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from ...formats.hand2vec import read_pairs
from ...library import Library
from ..checkpoints import TrainingError
from ..deals.data import labelled
from ..deals.distillation import taught_deals
from ..export.pairs import About, export_pairs
from ..pair_network import PairNetwork, PairNetworkConfig
from ..request import Answer, Report, Request, can_export
from ..solved import library_deals
from ..trainer import Trained, train
from ..weights import read_weights
from .data import PairRows, pair_rows, solved_rows
from .distributions import PairConfig, PairTask, Sources

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

    The ``weights`` of a request are those to begin with. Raises TrainingError where there is
    nothing to learn from, and what the training raises.
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
    return leg(request, task, "accurate", export_pairs, report)


def rows(path: Path) -> PairRows:
    """Return the rows of a file as BridgeHand2Vec's."""
    return pair_rows(read_pairs(path))


def held_out(request: Request) -> PairRows:
    """The rows that a training is measured on: those given, or the library's validation deals."""
    if request.pairs_validation is not None:
        return rows(request.pairs_validation)
    return solved_rows(library_deals(Library(request.library), "validation", request.validation))


def _checkpoint(request: Request) -> Path:
    return request.out / f"{request.name}.checkpoint"


def leg(
    request: Request,
    task: Any,
    model: str,
    export: Callable[..., None],
    report: Report,
) -> Answer:
    """Train one leg, and export a network that is at its end as the model of that name."""
    fitted = None  # read before anything is trained: an export may not fail for want of them
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
    """Return an evaluation in words."""
    measured = ", ".join(f"{key} {line[key]:.4f}" for key in line if key.startswith("mse"))
    return (
        f"step {line['step']:,}: {measured} (training {line['training_loss']:.4f}), "
        f"{line['seconds']:.0f} s"
    )
