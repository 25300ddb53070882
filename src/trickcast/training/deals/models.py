"""The trainings of the shipped estimators, from files to files."""

from typing import Any

from ...library import Library, read_endings
from ..export.suits import check_exported, export_suits
from ..parallel import Place
from ..request import Answer, Report, Request, can_export
from ..solved import library_deals
from ..suits import SuitNetwork
from ..weights import read_weights
from .data import labelled_endings
from .distillation import taught_deals
from .presets import PRESETS
from .supervised import SupervisedConfig, train

__all__ = ["PRESETS", "shown", "train_model"]


def train_model(request: Request, config: SupervisedConfig, report: Report) -> Answer | None:
    """Train one leg; export ``NAME.onnx`` at the end of the schedule.

    It is calibrated on all validation deals of the library, also where fewer were asked for. The
    folder gets ``NAME.checkpoint`` and what ``supervised.train`` puts beside it. Raises
    ValueError, before anything is trained, for a network that cannot be exported, a library
    without training deals, or validation deals that are not wholly solved; and what
    ``supervised.train`` and ``export_suits`` raise.
    """
    check_exported(config.network)
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
        else labelled_endings(*read_endings(request.endings)),
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
    """Return an evaluation in words."""
    return (
        f"step {line['step']:,}: suits {line['exact_suits']:.2f} %, notrump "
        f"{line['exact_notrump']:.2f} % exact, log-loss {line['log_loss']:.4f} "
        f"(training {line['training_loss']:.4f}), {line['seconds']:.0f} s"
    )
