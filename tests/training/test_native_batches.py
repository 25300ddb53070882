"""docs/natively.py: its programs against torch's operations."""

from dataclasses import replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from shutil import which
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import trickcast as tc
from trickcast.cards import Seat, Strain
from trickcast.dealing import random_deals
from trickcast.papers.codings import find_coding, find_head
from trickcast.papers.experiments.all_papers import SCALES, rows_of
from trickcast.papers.experiments.rows import Row
from trickcast.papers.experiments.run_deals import Deals
from trickcast.papers.experiments.trained import train_net
from trickcast.papers.networks.authors_autoencoder import AuthorsConfig, AuthorsTask
from trickcast.papers.networks.autoencoder import AutoencoderConfig, AutoencoderTask
from trickcast.papers.networks.examples import Examples
from trickcast.papers.networks.full_batch import FullBatch, RpropConfig
from trickcast.papers.networks.layered_network import LayeredNetwork
from trickcast.training import TrainingError
from trickcast.training.trainer import Lessons

RNG = np.random.default_rng(1)
SCRIPT = Path(__file__).parents[2] / "docs/natively.py"

pytestmark = pytest.mark.skipif(which("g++") is None, reason="needs g++")


@pytest.fixture(scope="module")
def native() -> Any:
    module: Any = ModuleType("natively")
    module.__file__ = str(SCRIPT)
    SourceFileLoader("natively", str(SCRIPT)).exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "activation", "output"),
    [
        ("52-25-1", "logistic", None),
        ("(26x4)-(13x4)-(7x4)-13-1", "logistic", None),
        ("(52x4)-(26x4)-26-14", "logistic", None),
        ("104-33-14", "tanh", "tanh"),
        ("104-30-4-1", "tanh", "linear"),
        ("(52x4+84)-(13x4+21)-26-1", "logistic", None),
    ],
)
@pytest.mark.parametrize("n", [1, 128, 10_000])
def test_sums_and_gradients_are_those_of_torch(native, name, activation, output, n):
    network = LayeredNetwork(name, seed=1, activation=activation, output=output)
    size = network.name.layers[0].neurons
    inputs = torch.from_numpy(RNG.normal(size=(n, size)).astype(np.float32))
    targets = torch.from_numpy(RNG.random((n, network.name.layers[-1].neurons)).astype(np.float32))
    error = native.descend(network, native.tiled(inputs), targets.t().contiguous())
    ours = [parameter.grad.clone() for parameter in network.parameters()]
    network.zero_grad()
    torchs = (network(inputs) - targets).square().sum()
    torchs.backward()
    assert error == pytest.approx(torchs.item(), rel=1e-5)
    for gradient, parameter in zip(ours, network.parameters(), strict=True):
        greatest = float(parameter.grad.abs().max())
        assert float((gradient - parameter.grad).abs().max()) <= 1e-5 * greatest


def test_weights_that_are_no_numbers_are_noticed(native):
    network = LayeredNetwork("52-25-1", seed=1)
    tiles, targets = native.tiled(torch.zeros(9, 52)), torch.zeros(1, 9)
    assert np.isfinite(native.descend(network, tiles, targets))
    next(network.parameters()).data[0, 0, 0] = np.nan
    assert np.isnan(native.descend(network, tiles, targets))


def test_small_numbers_stay_what_they_are(native):
    for name in ("full_batches", "small_batches", "four_hands"):
        native.compiled(name)
    assert np.float32(1e-40) * np.float32(1) > 0  # -ffast-math would link in what forbids it


def test_a_training_is_that_of_torch(native):
    examples = Examples(RNG.random((300, 52), np.float32), RNG.integers(0, 14, 300))
    plain: Any = FullBatch
    results = [
        task(
            RpropConfig(epochs=5, evaluate_every=5, averaged=1),
            *(LayeredNetwork("52-25-1", seed=2) for _ in range(2)),
            find_head("equal"),
            Lessons(300, "a", "b"),
            lambda k: examples,
            examples,
        )
        for task in (native.NativeBatch, plain)
    ]
    for training in results:
        for _ in range(5):
            training.step()
            training.progress.step += 1
    ours, torchs = (training.validate()["validation_error"] for training in results)
    assert ours == pytest.approx(torchs, rel=1e-4)


@pytest.mark.parametrize(
    "settings",
    [
        {"network": "208-104-52-13-14"},
        {"network": "208-104-52-13-14", "frozen": True},
        {"network": "(52x4)-(26x4)-52-13-14", "decoder": "dedicated"},
        {"network": "208-104-52-13-14", "encoders": 2, "frozen": True},
        {"network": "(52x4)-(26x4)-52-13-1", "loss": "squared", "encoders": 0},
    ],
)
def test_small_batches_are_those_of_torch(native, settings):
    deals = random_deals(103, seed=6)  # the last batch is a part of one
    inputs = find_coding("52x4-2018").encode(deals.owners, Strain.SPADES, Seat.WEST)
    examples = Examples(inputs, RNG.integers(0, 14, len(inputs)).astype(np.uint8))
    config = AutoencoderConfig(batch=10, pretraining_epochs=3, epochs=3, averaged=1, **settings)
    both = [
        task(config, Lessons(103, "a", "b"), lambda k: examples, examples)
        for task in (native.NativeAutoencoder, AutoencoderTask)
    ]
    for _ in range(6 if config.encoders else 3):
        lines = []
        for training in both:
            training.step()
            training.progress.step += 1
            lines.append(training.validate())
        assert lines[0] == pytest.approx(lines[1], rel=1e-4)
        both[0].optimizer.load_state_dict(both[0].optimizer.state_dict())  # as a checkpoint does
    for ours, torchs in zip(*(list(task.network.parameters()) for task in both), strict=True):
        assert float((ours - torchs).detach().abs().max()) < 1e-3 * float(torchs.detach().max())


@pytest.mark.parametrize(
    ("network", "kind"), [("208-257-14", np.uint8), ("208-104-52-13-14", np.float32)]
)
def test_what_small_batches_cannot_hold_is_left_to_torch(native, network, kind, monkeypatch):
    monkeypatch.setattr(native, "compiled", None)  # which would be called
    examples = Examples(RNG.integers(0, 2, (20, 208)).astype(kind), np.zeros(20, np.uint8))
    config = AutoencoderConfig(network=network, batch=8)
    training = native.NativeAutoencoder(config, Lessons(20, "a", "b"), lambda k: examples, examples)
    training.step()
    assert np.isfinite(training.validate()["training_error"])


def test_a_training_of_small_batches_without_numbers_is_an_error(native):
    deals = random_deals(10, seed=7)
    inputs = find_coding("52x4-2018").encode(deals.owners, Strain.SPADES, Seat.WEST)
    examples = Examples(inputs, np.zeros(10, np.uint8))
    config = AutoencoderConfig(network="208-104-52-13-14")
    training = native.NativeAutoencoder(config, Lessons(10, "a", "b"), lambda k: examples, examples)
    next(training.network.parameters()).data[0, 0, 0] = np.nan
    with pytest.raises(TrainingError, match="phase 1, epoch 0: the weights are no numbers"):
        training.step()


def authors_examples(deals: int) -> Examples:
    owners = random_deals(deals, seed=8).owners
    inputs = find_coding("52x4-2018").encode(owners, Strain.SPADES, Seat.WEST)
    return Examples(inputs, RNG.integers(0, 14, deals).astype(np.uint8))


@pytest.mark.parametrize(
    "settings",
    [
        {"network": "(52x4)-(26x4)-52-13-14"},
        {"network": "208-156-52-13-14"},
        {"network": "(52x4)-(39x4)-52-13-14", "encoders": 1},
        {"network": "(52x4)-(13x4)-(7x4)-14"},
        {"network": "208-73-17-14", "encoders": 1},
        {"network": "208-104-52-13-14", "encoders": 1, "frozen": True},
    ],
)
def test_the_authors_steps_are_those_of_torch(native, settings):
    examples = authors_examples(10_003)  # which are no whole number of tiles
    config = AuthorsConfig(**{"encoders": 0} | settings, batch=5_000, passes=2, pretraining_looks=2)
    both = [
        task(config, find_head("fourteen"), Lessons(10_003, "a", "b"), lambda k: examples, examples)
        for task in (native.NativeAuthors, AuthorsTask)
    ]
    for _ in range(6):
        lines = []
        for training in both:
            training.step()
            lines.append(training.validate())
        assert lines[0] == pytest.approx(lines[1], rel=1e-5, nan_ok=True)
    for ours, torchs in zip(*(list(task.network.parameters()) for task in both), strict=True):
        assert float((ours - torchs).detach().abs().max()) < 1e-5 * float(torchs.detach().max())
    assert bool(both[0].read) and both[0].phase.number == 2  # these batches were the program's


@pytest.mark.parametrize(
    "settings", [{"network": "208-161-14"}, {"network": "208-20-9-14", "encoders": 2}]
)
def test_what_four_hands_cannot_hold_is_left_to_torch(native, settings, monkeypatch):
    monkeypatch.setattr(native, "compiled", None)  # which would be called
    examples = authors_examples(20)
    config = AuthorsConfig(**{"encoders": 0} | settings, passes=1, pretraining_looks=1)
    training = native.NativeAuthors(
        config, find_head("fourteen"), Lessons(20, "a", "b"), lambda k: examples, examples
    )
    for _ in range(1 if config.encoders == 0 else 2):  # the first phase has one look
        training.step()
        training.validate()
    assert training.phase.steps == 1 and training.phase.number == 2


def test_a_first_phase_on_some_examples_is_kept(native, tmp_path, monkeypatch):
    monkeypatch.setattr(native, "FIRST_PHASES", tmp_path / "kept")
    monkeypatch.setattr(native.NativeAuthors, "every", 10)
    examples = authors_examples(1_000)
    config = AuthorsConfig(network="208-20-14", encoders=1, batch=250, pretraining_looks=2)
    given = find_head("fourteen"), Lessons(1_000, "a", "b"), lambda k: examples, examples
    tuned = native.NativeAuthors(config, *given)
    tuned.step()
    assert [sum(len(x) for x, _ in batch) for batch in tuned._batches] == [25] * 4
    for _ in range(2):
        tuned.validate()
        tuned.step()
    assert sum(len(x) for batch in tuned._batches for x, _ in batch) == 1_000
    frozen = native.NativeAuthors(replace(config, frozen=True), *given)  # has no first phase itself
    assert frozen.phase.number == 2
    assert frozen.phase.compression_error == tuned.phase.compression_error
    weights = frozen.network.layers[0].weight.clone()
    assert not torch.equal(weights, tuned.network.layers[0].weight)
    frozen.step()
    assert torch.equal(weights, frozen.network.layers[0].weight)
    head, _, *data = given
    for changed, deals in ((replace(config, seed=2), "a"), (config, "b")):
        other = native.NativeAuthors(changed, head, Lessons(1_000, deals, "b"), *data)
        assert other.phase.number == 1


def test_a_card_in_no_hand_is_an_error(native):
    inputs = torch.from_numpy(authors_examples(3).inputs).clone()
    inputs[1, inputs[1].argmax()] = 0
    with pytest.raises(TrainingError, match="every card in one of four hands"):
        native.in_threes(inputs)


def test_a_training_by_the_authors_without_numbers_is_an_error(native):
    examples = authors_examples(20)
    config = AuthorsConfig(network="208-20-14", encoders=0, passes=1)
    training = native.NativeAuthors(
        config, find_head("fourteen"), Lessons(20, "a", "b"), lambda k: examples, examples
    )
    next(training.network.parameters()).data[0, 0, 0] = np.nan
    training.step()
    with pytest.raises(TrainingError, match="phase 2, step 1: the error is no number"):
        training.validate()


def test_experiments_as_printed_are_native(native, monkeypatch, tmp_path):
    tricks = RNG.integers(0, 14, (60, 5, 4)).astype(np.uint8)
    solved = tc.DealSet(random_deals(60, seed=5).owners, tricks)
    schedules = {"52": replace(SCALES["full"].schedules["52"], epochs=3, held=3)}
    scale = replace(SCALES["full"], fewest=20, most=40, schedules=schedules)
    called, descend = list[int](), native.descend

    def counted(*given: Any) -> Any:
        called.append(1)
        return descend(*given)

    monkeypatch.setattr(native, "descend", counted)
    monkeypatch.setattr(
        "trickcast.papers.experiments.trained.FullBatch", FullBatch
    )  # put back afterwards
    native.install()
    (row,) = (row for row in rows_of("mossakowski2009", "V") if row.id == "m09-TV-05")
    assert isinstance(row, Row)
    deals = Deals(solved[:40], solved[40:50], solved[50:], "dealt")
    train_net(scale.plan(row.net), scale, deals, tmp_path)
    assert len(called) == 3
