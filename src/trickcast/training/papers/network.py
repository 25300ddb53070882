"""The training of the 2009 paper: full-batch Rprop on the squared error, with weight decay."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np

from ..cards import DealSet
from ..encodings import find_coding, find_head
from ..networks import LayeredNetwork, NetworkName
from .examples import Contracts, all_examples, deals_checksum, draw_examples
from .fullbatch import Batch, Descent


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """Everything that decides a training besides its deals. Raises ValueError for a bad value."""

    portions: ClassVar[int] = 1
    """All examples are replaced at once."""
    whole_from: ClassVar[int] = 0

    contracts: Contracts = field(metadata={"help": "contracts to train for: suit or notrump"})
    network: str = field(
        default="(52x4)-(26x4)-26-13-1", metadata={"help": "the network's printed name"}
    )
    coding: str = field(default="52x4", metadata={"help": "the coding of deals as inputs"})
    examples: int = field(default=131_072, metadata={"help": "examples in the full batch"})
    redraw: int = field(default=100, metadata={"help": "epochs between two drawings of examples"})
    epochs: int = field(default=5_000, metadata={"help": "epochs at most"})
    patience: int = field(
        default=1_000, metadata={"help": "epochs without a lower validation error before stopping"}
    )
    evaluate_every: int = field(default=100, metadata={"help": "epochs between two validations"})
    averaged: int = field(
        default=5, metadata={"help": "validations whose weights are averaged into the network"}
    )
    initial_update: float = field(default=0.1, metadata={"help": "Rprop's initial update value"})
    largest_update: float = field(default=50.0, metadata={"help": "Rprop's largest update value"})
    weight_decay: float = field(default=1e-4, metadata={"help": "weight decay"})
    seed: int = field(default=1, metadata={"help": "seed of first weights and examples"})
    chunk: int = field(default=4_096, metadata={"help": "examples computed at a time"})

    def __post_init__(self) -> None:
        coding, name = find_coding(self.coding), NetworkName(self.network)
        if self.contracts not in get_args(Contracts):
            raise ValueError(f"contracts is {self.contracts!r} (expected 'suit' or 'notrump')")
        if name.layers[0].neurons != coding.size:
            raise ValueError(
                f"network {self.network} has {name.layers[0].neurons} inputs and the coding "
                f"{self.coding} gives {coding.size}"
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
        for count in (
            "examples", "redraw", "epochs", "patience", "evaluate_every", "averaged", "chunk"
        ):  # fmt: skip
            if getattr(self, count) < 1:
                raise ValueError(f"{count} is {getattr(self, count)} (expected 1 or more)")
        if self.patience < self.evaluate_every:
            raise ValueError(
                f"patience is {self.patience}, less than evaluate_every, {self.evaluate_every}"
            )
        if not 0 < self.initial_update <= self.largest_update:
            raise ValueError(
                f"initial_update is {self.initial_update} "
                f"(expected more than 0, at most largest_update, {self.largest_update})"
            )
        if self.weight_decay < 0 or self.seed < 0:
            raise ValueError(
                f"weight_decay is {self.weight_decay} and seed {self.seed} (expected 0 or more)"
            )


@dataclass(frozen=True)
class Trained:
    """A trained network, in the state that had the lowest validation error, and its record."""

    config: TrainingConfig
    network: LayeredNetwork
    record: dict[str, Any]
    """What the model file says of the training: deals, checksum, epochs, errors, seconds."""


def train(
    config: TrainingConfig,
    training: DealSet,
    validation: DealSet,
    checkpoint: str | os.PathLike[str],
    report: Callable[[dict[str, float]], None] = lambda line: None,
) -> Trained:
    """Train one network, going on from ``checkpoint`` where that file exists.

    Both sets of deals must be wholly solved. ``report`` is called at every validation with epoch,
    training and validation error (root mean square, in tricks), percent exact, and seconds. The
    same configuration and deals give the same network on the same machine, however often the
    training was interrupted. To train on with more deals or epochs, copy the checkpoint.

    Raises ValueError for deals that are not solved, TrainingError for a checkpoint of another
    configuration or when the error stops being a number.
    """
    coding = find_coding(config.coding)
    network = LayeredNetwork(config.network, seed=config.seed)
    candidate = LayeredNetwork(config.network, seed=config.seed)
    descent = Descent(network, candidate, find_head("equal"), config, Path(checkpoint))
    state = descent.state
    state.use_deals(deals_checksum(training), deals_checksum(validation), len(training))

    def draw(drawing: int) -> Batch:
        rng = np.random.default_rng([config.seed, drawing])
        return Batch(*draw_examples(training, config.contracts, config.examples, coding, rng))

    descent.run(draw, Batch(*all_examples(validation, config.contracts, coding)), report)
    return Trained(config, candidate, state.record() | {"config": asdict(config)})
