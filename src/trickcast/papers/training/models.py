"""A whole model of a paper: a network for suit contracts, one for notrump, one file of both."""

from dataclasses import replace
from time import perf_counter
from typing import Any, get_args

from ...library import Library
from ...training.catalogue import Family, Training
from ...training.pairs import models as pairs
from ...training.request import Answer, Report, Request, can_export
from ...training.solved import library_deals
from ..networks import NetworkName
from .examples import Contracts
from .export_layered import export_layered
from .hand2vec_model import HAND2VEC, train_hand2vec_model
from .network import PaperConfig, train

__all__ = ["PaperConfig", "find_training", "shown", "train_networks"]


def find_training(name: str) -> Training | None:
    """Return the training of a paper's network by its name: printed, or ``hand2vec``; else None."""
    if name == "hand2vec":
        options = {"weights", "pairs", "pairs_validation"}
        return Training(Family(options, train_hand2vec_model, pairs.shown), HAND2VEC)
    try:
        NetworkName(name)
    except ValueError:
        return None
    # one thread runs some 10 epochs of 131,072 examples a second, and two are hardly faster, or
    # slower where other programs want the processor too
    family = Family({"deals"}, train_networks, shown, threads=1)
    return Training(family, PaperConfig(contracts="suit"), {"network": name})


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
