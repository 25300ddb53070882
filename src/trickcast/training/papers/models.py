"""A whole model of a paper: a network for suit contracts, one for notrump, one file of both."""

from dataclasses import replace
from time import perf_counter
from typing import Any, get_args

from ...library import Library
from ..export.layered import export_layered
from ..request import Answer, Report, Request, can_export
from ..solved import library_deals
from .examples import Contracts
from .network import PaperConfig, train

__all__ = ["PaperConfig", "shown", "train_networks"]


def train_networks(request: Request, config: PaperConfig, report: Report) -> Answer:
    """Train one leg of both networks, the second when the first is at its end; export both.

    The folder gets a checkpoint of each (``suit.checkpoint``, ``notrump.checkpoint``), from which
    an interrupted training goes on, and at the end the files that ``export_layered`` writes.
    Reports say of which ``contracts`` they are. Raises what ``train`` and ``export_layered`` raise.
    """
    library, started = Library(request.library), perf_counter()
    training = library_deals(library, "train", request.deals)
    validation = library_deals(library, "validation", request.validation)
    networks = {}
    contracts: Contracts
    for contracts in get_args(Contracts):
        left = request.minutes
        if left is not None:
            left = max(left - (perf_counter() - started) / 60, 0.0)
        networks[contracts] = trained = train(
            replace(config, contracts=contracts),
            training,
            validation,
            request.out / f"{contracts}.checkpoint",
            minutes=left,
            report=_of(contracts, report),
        )
        if not trained.done:
            break
    model = None
    if trained.done and can_export():
        model = request.out / f"{config.network}.onnx"
        export_layered(networks["suit"], networks["notrump"], validation, model)
    lessons = f"{trained.record['deals']:,} deals (trickcast evaluate DEALS --model …)"
    return Answer(f"{config.network} ({contracts})", trained, lessons, model)


def _of(contracts: Contracts, report: Report) -> Report:
    return lambda line: report({"contracts": contracts} | line)


def shown(line: dict[str, Any]) -> str:
    """Return an evaluation in words."""
    return (
        f"{line['contracts']} epoch {line['epoch']}: {line['exact']:.2f} % exact, off by "
        f"{line['validation_error']:.4f} tricks (training {line['training_error']:.4f}), "
        f"{line['seconds']:.0f} s"
    )
