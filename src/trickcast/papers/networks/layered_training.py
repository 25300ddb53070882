"""Whole models of 2004 and 2009: one network for suit contracts, one for notrump, in one file."""

import os
from dataclasses import dataclass
from typing import get_args

import numpy as np

from ...cards import DealSet, shorten
from ...training.settings import check_settings, setting
from ...training.solved_deals import deals_checksum
from ...training.trainer import Lessons, Report, Trained
from ...training.trainer import train as run
from ..codings import CODINGS, CardCoding, find_coding, find_head
from .examples import Contracts, Examples, all_examples, draw_examples
from .full_batch import FullBatch, RpropConfig
from .layered_network import LayeredNetwork
from .network_name import NetworkName

_CODINGS = [name for name, coding in CODINGS.items() if isinstance(coding, CardCoding)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperConfig(RpropConfig):
    """Everything that decides a training, except its deals. Raises ValueError for a bad value."""

    contracts: Contracts
    network: str = "(52x4)-(26x4)-26-13-1"
    """Its printed name."""
    coding: str = setting("52x4", "the coding of deals as inputs")

    def __post_init__(self) -> None:
        coding, name = find_coding(self.coding), NetworkName(self.network)
        if self.contracts not in get_args(Contracts):
            raise ValueError(
                f"contracts is {shorten(self.contracts)} (expected 'suit' or 'notrump')"
            )
        if not isinstance(coding, CardCoding):
            raise ValueError(
                f"coding is {self.coding}, which model files do not hold (expected one of "
                f"{', '.join(_CODINGS)}; trickcast reproduce trains networks of others)"
            )
        if name.layers[0].neurons != coding.size:
            inputs = name.layers[0].neurons
            fitting = [name for name in _CODINGS if CODINGS[name].size == inputs]
            expected = (
                f"expected --set coding=… with one of {', '.join(fitting)}"
                if fitting
                else f"no coding gives {inputs}"
            )
            raise ValueError(
                f"network {self.network} has {inputs} inputs and the coding {self.coding} gives "
                f"{coding.size} ({expected})"
            )
        if any(len(parts) > 1 for parts in name.joins):
            raise ValueError(
                f"network {self.network} has extra inputs, which model files do not hold "
                "(trickcast reproduce trains such networks)"
            )
        if name.layers[-1].neurons != 1:
            raise ValueError(
                f"network {self.network} has {name.layers[-1].neurons} outputs (expected 1)"
            )
        check_settings(self)
        if self.patience < self.evaluate_every:
            raise ValueError(
                f"patience is {self.patience}, less than evaluate_every, {self.evaluate_every}"
            )
        if not 0 < self.initial_update <= self.largest_update:
            raise ValueError(
                f"initial_update is {self.initial_update} "
                f"(expected more than 0, at most largest_update, {self.largest_update})"
            )


PaperTrained = Trained[PaperConfig, LayeredNetwork]


def train(
    config: PaperConfig,
    training: DealSet,
    validation: DealSet,
    checkpoint: str | os.PathLike[str],
    *,
    minutes: float | None = None,
    report: Report = lambda line: None,
) -> PaperTrained:
    """Train one network, continuing from ``checkpoint`` if that file exists.

    Both sets of deals must be wholly solved. ``report`` is called at every validation with epoch,
    training and validation error (root mean square, in tricks), percent exact, and seconds. The
    same configuration and deals give the same network on the same machine, however often the
    training was interrupted. To continue with more deals or epochs, copy the checkpoint.

    Raises ValueError for deals that are not solved, and TrainingError for a checkpoint of another
    configuration or an error that is not a number.
    """
    coding = find_coding(config.coding)

    def draw(drawing: int) -> Examples:
        rng = np.random.default_rng([config.seed, drawing])
        return draw_examples(training, config.contracts, config.examples, coding, rng)

    def network() -> LayeredNetwork:
        # as in the papers: tanh inside if inputs fall below zero, though outputs are above it
        activation = "tanh" if coding.negative else "logistic"
        return LayeredNetwork(
            config.network, seed=config.seed, activation=activation, output="logistic"
        )

    task = FullBatch(
        config,
        network(),
        network(),
        find_head("equal"),
        Lessons(len(training), deals_checksum(training), deals_checksum(validation)),
        draw,
        all_examples(validation, config.contracts, coding),
    )
    return run(task, checkpoint, minutes=minutes, report=report)
