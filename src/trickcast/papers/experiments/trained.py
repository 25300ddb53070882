"""Training of the papers' networks, from the start or from where an earlier run stopped."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..._files import atomic_writer
from ...cards import DealSet
from ...training.errors import TrainingError
from ...training.exports import run_all
from ...training.solved_deals import deals_checksum
from ...training.trainer import Lessons, Progress, read_plain, train, whole
from ..codings import Inputs, find_coding, find_head
from ..networks.authors_autoencoder import AuthorsConfig, AuthorsTask
from ..networks.autoencoder import AutoencoderConfig, AutoencoderTask
from ..networks.comparator import Comparator, ComparatorConfig, ComparatorTask
from ..networks.examples import Draw, Examples
from ..networks.full_batch import FullBatch, RpropConfig
from ..networks.layered_network import LayeredNetwork
from .run_deals import Deals, all_results, require_deals, training_batch
from .scales import Scale
from .spec import Comparison, Net, Pretraining

Report = Callable[[dict[str, float]], None]
_FORMAT = "trickcast experiment 1"
_SECOND_UPDATE = 0.001
"""The first step in a second leg; larger ones would undo the first leg."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetConfig(RpropConfig):
    """Everything that decides a training by Rprop apart from its deals."""

    net: Net


@dataclass(frozen=True)
class Trained:
    """A network trained to its end."""

    net: Net
    """As planned at the scale."""
    network: nn.Module
    record: dict[str, Any]
    """Deals, epochs, seconds, errors."""

    def outputs(self, inputs: Inputs) -> NDArray[np.float32]:
        """Return (n, copies × outputs) for (n, inputs)."""
        return run_all(self.network, inputs)

    def tricks(self, inputs: Inputs) -> NDArray[np.uint8]:
        """Return the (n,) tricks that the network estimates."""
        return find_head(self.net.head).tricks(self.outputs(inputs))


def train_net(
    net: Net, scale: Scale, deals: Deals, folder: Path, report: Report = lambda line: None
) -> Trained:
    """Train a planned network, or load it if it is finished.

    ``folder`` gets a checkpoint during the training, and then the finished network. Raises
    ExperimentError for too few deals, and TrainingError for files of another training or an error
    that is not a number.
    """
    used = deals.training[: require_deals(net, scale, deals.training)]
    checksum, finished = deals_checksum(used), folder / f"{net.slug}.network"
    if finished.exists():
        return _finished(finished, net, checksum)
    checkpoint = folder / f"{net.slug}.checkpoint"
    training = _Training(net, scale, used, deals.validation, checkpoint, report)
    network, record = training.by_rprop() if net.by_rprop else training.by_epochs()
    record |= {"deals": len(used), "sha256": checksum}
    record["epochs_per_second"] = round(record["epochs"] / max(record["seconds"], 1e-9), 2)
    content = {
        "format": _FORMAT,
        "net": asdict(net),
        "record": record,
        "weights": network.state_dict(),
    }
    with atomic_writer(finished) as stream:
        torch.save(content, stream)
    checkpoint.unlink(missing_ok=True)
    return Trained(net, network, record)


def build(net: Net) -> nn.Module:
    """Return a network as the papers describe it: tanh for inputs below zero, logistic otherwise.

    The papers do not say whether the output uses tanh too; here it does only for targets below
    zero.
    """
    if net.comparison is not None:
        return Comparator(_comparator_config(net, 1))
    tanh = find_coding(net.coding).negative
    if net.pretraining is not None:
        output = "linear" if net.pretraining.loss == "cross-entropy" else "logistic"
        return LayeredNetwork(net.network, seed=net.seed, output=output)
    return LayeredNetwork(
        net.network,
        seed=net.seed,
        activation="tanh" if tanh else "logistic",
        output="tanh" if net.head == "fourteen-negative" else "logistic",
        copies=net.copies,
        first=net.first_weights,
        flat=net.flat_weights,
    )


@dataclass(frozen=True)
class _Training:
    """The training of one network, from its start or from where it stopped."""

    net: Net
    scale: Scale
    used: DealSet
    validation: DealSet
    checkpoint: Path
    report: Report

    def by_rprop(self) -> tuple[nn.Module, dict[str, Any]]:
        """Return the network of 2004 or 2009, and the record of its training."""
        net, scale = self.net, self.scale
        schedule = scale.schedule_of(net)
        config = NetConfig(
            net=net,
            examples=schedule.examples,
            redraw=schedule.held * schedule.portions,
            portions=schedule.portions,
            whole_from=int(schedule.epochs * schedule.whole_from),
            epochs=schedule.epochs,
            patience=max(scale.patience, schedule.epochs // 4),
            evaluate_every=scale.evaluate_every,
            averaged=1 if scale.published else 10,
            initial_update=schedule.initial_update,
            steps_back=net.steps_back,
            seed=net.seed,
        )
        done = self._leg(config, self.checkpoint, build(net), Progress())
        if schedule.second:
            again = replace(
                config,
                epochs=done.progress.step + schedule.second,
                whole_from=0,
                initial_update=_SECOND_UPDATE,
            )
            second = self.checkpoint.with_suffix(".second")
            done = self._leg(again, second, done.network, done.progress)
            second.unlink(missing_ok=True)
        progress: Progress = done.progress
        record = {"epochs": progress.step, "seconds": progress.seconds, "best": progress.best}
        return done.network, record

    def _leg(self, config: NetConfig, path: Path, network: nn.Module, start: Progress) -> Any:
        head = find_head(self.net.head)
        task = FullBatch(config, network, build(self.net), head, *self._lessons())
        if start.step:
            task.go_on_from(start)
        return train(task, path, journal=False, report=self.report)

    def by_epochs(self) -> tuple[nn.Module, dict[str, Any]]:
        """Return the network of 2018, and the record of its training."""
        task: Any
        if self.net.comparison is not None:
            config = _comparator_config(self.net, self.scale.tuning_epochs)
            task = ComparatorTask(config, *self._lessons())
        elif self.scale.by_authors:
            task = AuthorsTask(self._authors_config(), find_head(self.net.head), *self._lessons())
        else:
            task = AutoencoderTask(self._autoencoder_config(), *self._lessons())
        # the authors' trainings take hours, and their journal shows how far they are
        trained = train(task, self.checkpoint, journal=self.scale.by_authors, report=self.report)
        progress, errors = trained.progress, ("compression_error", "validation_error")
        record = {"epochs": progress.step, "seconds": progress.seconds}
        told = progress.best or progress.last
        if self.scale.by_authors:
            record |= {"epochs": told["steps"], "counted": told["counted"]}
        return trained.network, record | {k: told[k] for k in errors if k in told}

    def _autoencoder_config(self) -> AutoencoderConfig:
        net, how = self.net, self.net.pretraining
        assert how is not None
        return AutoencoderConfig(
            network=net.network,
            encoders=how.encoders,
            frozen=how.frozen,
            loss=how.loss,
            decoder=how.decoder,
            tuning_rate=how.rate,
            averaged=1 if self.scale.published else 4,
            redraw=1_000_000 if self.scale.published else 2,
            batch=net.batch,
            until=how.until,
            pretraining_epochs=self.scale.pretraining_of(net),
            epochs=self.scale.tuning_epochs,
            seed=net.seed,
        )

    def _authors_config(self) -> AuthorsConfig:
        net, how = self.net, self.net.pretraining
        assert how is not None
        return AuthorsConfig(
            network=net.network,
            encoders=how.encoders,
            frozen=how.frozen,
            tuning_rate=how.rate,
            batch=net.batch,
            pretraining_looks=self.scale.pretraining_of(net),
            looks=self.scale.tuning_epochs,
            seed=net.seed,
        )

    def _lessons(self) -> tuple[Lessons, Draw, Examples]:
        """Return what is learned from, its drawings, and what is validated on."""
        net, used = self.net, self.used
        sums = deals_checksum(used), deals_checksum(self.validation)
        held_out = all_results(self.validation, net.contracts, net.lead, find_coding(net.coding))
        draw = partial(training_batch, net, self.scale, used)
        return Lessons(len(used), *sums), draw, held_out


def _comparator_config(net: Net, epochs: int) -> ComparatorConfig:
    how = net.comparison
    assert how is not None
    return ComparatorConfig(
        network=net.network,
        references=how.references,
        rate=how.rate,
        epochs=epochs,
        seed=net.seed,
    )


def load(path: Path) -> Trained:
    """Return the network of a finished ``.network`` file.

    Raises TrainingError for any other file, and for one of an earlier version of this program.
    """
    content = read_plain(path, "a trained network", _FORMAT)
    return whole(path, "a trained network", lambda: _trained(content))


def _trained(content: dict[str, Any]) -> Trained:
    spec = dict(content["net"])
    for name, kind in (("pretraining", Pretraining), ("comparison", Comparison)):
        spec[name] = None if spec[name] is None else kind(**spec[name])
    net = Net(**spec)
    network = build(net)
    network.load_state_dict(content["weights"])
    return Trained(net, network, dict(content["record"]))


def _finished(path: Path, net: Net, checksum: str) -> Trained:
    """Load a network of this run, or raise TrainingError if it belongs to another."""
    trained = load(path)
    if trained.net != net:
        raise TrainingError(f"{path}: not the network {net.key}, but {trained.net.key}")
    if trained.record.get("sha256") != checksum:
        raise TrainingError(f"{path}: trained on other deals than those of this run")
    return trained
