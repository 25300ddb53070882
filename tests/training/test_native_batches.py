"""docs/reproduce_natively.py: the program of full batches against torch's operations."""

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from trickcast.encodings import find_head
from trickcast.networks import LayeredNetwork
from trickcast.training.papers.examples import Examples
from trickcast.training.papers.fullbatch import FullBatch, RpropConfig
from trickcast.training.trainer import Lessons

RNG = np.random.default_rng(1)
SCRIPT = Path(__file__).parents[2] / "docs/reproduce_natively.py"

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.fixture(scope="module")
def native():
    spec = importlib.util.spec_from_file_location("reproduce_natively", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
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
@pytest.mark.parametrize("n", [1, 128, 1_000])
def test_sums_and_gradients_are_those_of_torch(native, name, activation, output, n):
    network = LayeredNetwork(name, seed=1, activation=activation, output=output)
    size = network.name.layers[0].neurons
    inputs = torch.from_numpy(RNG.normal(size=(n, size)).astype(np.float32))
    targets = torch.from_numpy(RNG.random((n, network.name.layers[-1].neurons)).astype(np.float32))
    error = native.descend(
        native.NativeBatch.program, network, native.tiled(inputs), targets.t().contiguous()
    )
    ours = [parameter.grad.clone() for parameter in network.parameters()]
    network.zero_grad()
    torchs = (network(inputs) - targets).square().sum()
    torchs.backward()
    assert error == pytest.approx(torchs.item(), rel=1e-5)
    for gradient, parameter in zip(ours, network.parameters(), strict=True):
        assert float((gradient - parameter.grad).abs().max()) <= 1e-5 * max(1.0, error)


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
