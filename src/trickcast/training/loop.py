"""The training of the 2009 paper: full-batch Rprop on the squared error, with weight decay."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, get_args

import numpy as np
import torch

from ..cards import DealSet
from ..encodings import RANGE, find_coding, output_of, tricks_of
from ..networks import LayeredNetwork, NetworkName, run
from .checkpoints import TrainingError, load_checkpoint, save_checkpoint
from .examples import Contracts, all_examples, deals_checksum, draw_examples


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """Everything that decides a training besides its deals. Raises ValueError for a bad value."""

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
    candidate = LayeredNetwork(config.network, seed=config.seed)  # holds the mean to be validated
    optimizer = torch.optim.Rprop(
        network.parameters(), lr=config.initial_update, step_sizes=(1e-6, config.largest_update)
    )
    state = load_checkpoint(Path(checkpoint), network, optimizer, config)
    state.use_deals(deals_checksum(training), deals_checksum(validation), len(training))
    held_out = all_examples(validation, config.contracts, coding)
    inputs, targets = torch.empty(0), torch.empty(0)
    started, drawn = perf_counter() - state.seconds, None

    while state.epoch < config.epochs and state.epoch - state.best_epoch < config.patience:
        if drawn != (drawn := state.epoch // config.redraw):
            rng = np.random.default_rng([config.seed, drawn])  # so that resuming needs no state
            batch = draw_examples(training, config.contracts, config.examples, coding, rng)
            inputs = torch.from_numpy(batch.inputs)  # (examples, coding.size)
            targets = torch.from_numpy(output_of(batch.tricks))  # (examples,)

        # the gradient of the squared error summed over all examples, chunk by chunk: a chunk's
        # activations stay in the processor's cache
        optimizer.zero_grad()
        error = 0.0
        for start in range(0, config.examples, config.chunk):
            chunk = slice(start, start + config.chunk)
            loss = (network(inputs[chunk])[:, 0] - targets[chunk]).square().sum()
            loss.backward()
            error += loss.item()
        if not np.isfinite(error):
            raise TrainingError(f"epoch {state.epoch}: the training error is {error}")
        for weights in network.parameters():
            assert weights.grad is not None
            weights.grad.add_(weights.detach(), alpha=config.weight_decay)
        optimizer.step()
        state.epoch += 1

        if state.epoch % config.evaluate_every == 0 or state.epoch == config.epochs:
            mean = state.mean_with(network, config.averaged)
            candidate.load_state_dict(mean)
            outputs = run(candidate, held_out.inputs, config.chunk)
            misses = outputs - output_of(held_out.tricks)
            state.seconds = perf_counter() - started
            line = {
                "epoch": state.epoch,
                "training_error": (error / config.examples) ** 0.5 / RANGE,
                "validation_error": float(np.square(misses).mean() ** 0.5) / RANGE,
                "exact": 100 * float((tricks_of(outputs) == held_out.tricks).mean()),
                "seconds": round(state.seconds, 1),
            }
            state.note(line, mean)
            save_checkpoint(Path(checkpoint), state, network, optimizer, config)
            report(line)

    candidate.load_state_dict(state.best_weights)
    return Trained(config, candidate, state.record() | {"config": asdict(config)})
