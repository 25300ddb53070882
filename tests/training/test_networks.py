"""Printed network names against Table III of the 2009 paper, and networks against plain sums."""

import numpy as np
import pytest
import torch

from trickcast.papers.networks import NetworkName
from trickcast.papers.networks.layered_network import LayeredNetwork
from trickcast.training.exports import run_all

TABLE_III = {  # Mossakowski and Mańdziuk 2009: neurons, connections
    "(26x4)-(13x4)-(7x4)-13-1": (198, 845),
    "(26x4)-(13x4)-(13x4)-26-13-1": (248, 2483),
    "52-25-1": (78, 1325),
    "52-26-13-6-1": (98, 1774),
    "104-30-4-1": (139, 3244),
    "(52x4)-(8x4)-8-1": (249, 1928),
    "(52x4)-(13x4)-13-1": (274, 3393),
    "(52x4)-(26x4)-26-13-1": (352, 8463),
}


@pytest.mark.parametrize("name", TABLE_III)
def test_table_iii(name):
    neurons, connections = TABLE_III[name]
    assert NetworkName(name).neurons == neurons
    assert NetworkName(name).connections == connections
    parameters = LayeredNetwork(name, seed=1).named_parameters()
    assert sum(p.numel() for key, p in parameters if key.endswith("weight")) == connections


UNBUILDABLE = (
    *("", "52", "52-x-1", "52-0-1", "52--1", "(52x4", "(+84)-1", "(52+)-1", "52+36-1"),
    *("(52x4)-(26x3)-1", "(26x4)-(7x4)-1", "52-(26x4)-1", "52-(13+4)-(5+2)-1"),
    *("(52x4+84)-(13x4)-1", "(52x4)-(13x4+21)-1", "(0x4+5)-(0x4+5)-1", "(5x0+4)-1"),
)


OTHER_NETWORKS = {  # Table X, and the 2018 paper: neurons, connections
    "(52+36)-25-1": (52 + 36 + 26, 88 * 25 + 25),
    "(104+68)-50-10-1": (172 + 61, 172 * 50 + 500 + 10),
    "(52x4+84)-(13x4+21)-26-1": (
        292 + 73 + 27,
        52 * 13 * 4 + 84 * 21 + 73 * 26 + 26,
    ),
    "208-104-52-13-14": (391, 208 * 104 + 104 * 52 + 52 * 13 + 13 * 14),
    "(52x4)-(26x4)-52-13-14": (391, 52 * 26 * 4 + 104 * 52 + 52 * 13 + 13 * 14),
    "(26x4+4)-(13x4+4)-13-1": (108 + 56 + 14, 104 + 16 + 56 * 13 + 13),
}


@pytest.mark.parametrize("name", OTHER_NETWORKS)
def test_estimator_inputs_and_autoencoders(name):
    neurons, connections = OTHER_NETWORKS[name]
    assert (NetworkName(name).neurons, NetworkName(name).connections) == (neurons, connections)
    network = LayeredNetwork(name, seed=1)
    weights = [p for key, p in network.named_parameters() if key.endswith("weight")]
    assert sum(weight.numel() for weight in weights) == connections
    inputs = np.zeros((2, NetworkName(name).layers[0].neurons), np.float32)
    assert run_all(network, inputs).shape == (2, NetworkName(name).layers[-1].neurons)


def test_extra_inputs_reach_their_own_neurons_only():
    network = LayeredNetwork("(52x4+84)-(13x4+21)-26-1", seed=1)
    x = torch.zeros(292, 3)
    x[0:52, 1] = 1.0  # the first hand
    x[208:, 2] = 1.0  # the estimators
    first = network.layers[0](x)
    of_hand, of_estimators = ((first[:, k] - first[:, 0]).abs() > 0 for k in (1, 2))
    assert of_hand.tolist() == [True] * 13 + [False] * 60
    assert of_estimators.tolist() == [False] * 52 + [True] * 21


def test_copies_are_networks_of_their_own():
    together = LayeredNetwork("(52x4)-(13x4)-13-1", seed=5, copies=3)
    inputs = np.random.default_rng(0).integers(0, 2, (7, 208), dtype=np.uint8)
    outputs = run_all(together, inputs, chunk=4)
    assert outputs.shape == (7, 3)
    for copy in range(3):
        alone = LayeredNetwork("(52x4)-(13x4)-13-1", seed=1)
        for ours, theirs in zip(alone.layers, together.layers, strict=True):
            own = slice(copy * ours.blocks, (copy + 1) * ours.blocks)
            ours.load_state_dict({k: v[own] for k, v in theirs.state_dict().items()})
        np.testing.assert_allclose(run_all(alone, inputs)[:, 0], outputs[:, copy], atol=1e-6)


@pytest.mark.parametrize("name", UNBUILDABLE)
def test_a_name_that_cannot_be_built_is_quoted(name):
    with pytest.raises(ValueError) as caught:
        NetworkName(name)
    assert f"network {name!r}" in str(caught.value)


def test_the_first_layer_sees_one_hand_only():
    network = LayeredNetwork("(52x4)-(26x4)-1", seed=1)
    first = network.layers[0]
    x = torch.zeros(208, 2)
    x[52:104, 1] = 1.0  # the second hand alone
    change = (first(x)[:, 1] - first(x)[:, 0]).abs().detach().numpy().reshape(4, 26)
    assert (change[1] > 0).all()
    assert (change[[0, 2, 3]] == 0).all()


@pytest.mark.parametrize("activation", ["logistic", "tanh"])
def test_a_network_is_its_sums(activation):
    network = LayeredNetwork("(52x4)-(26x4)-26-13-1", seed=7, activation=activation)
    inputs = np.random.default_rng(0).integers(0, 2, (5, 208), dtype=np.uint8)
    squash = np.tanh if activation == "tanh" else lambda x: 1 / (1 + np.exp(-x))
    values = inputs.astype(np.float64)
    for layer in network.layers:
        weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()[:, :, 0]
        blocks = np.split(values, len(weight), axis=1)
        sums = [x @ w.T + b for x, w, b in zip(blocks, weight, bias, strict=True)]
        values = squash(np.concatenate(sums, axis=1))
    np.testing.assert_allclose(run_all(network, inputs, chunk=2), values, atol=1e-6)


def test_the_seed_alone_decides_the_first_weights():
    torch.manual_seed(0)
    first = LayeredNetwork("52-25-1", seed=3).state_dict()
    torch.manual_seed(1)
    again, other = (LayeredNetwork("52-25-1", seed=seed).state_dict() for seed in (3, 4))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["layers.0.weight"], other["layers.0.weight"])


@pytest.mark.parametrize("name", ["52-25-1", "(52x4+84)-(13x4+21)-26-1"])
def test_first_weights_can_be_smaller(name):
    usual, small = (LayeredNetwork(name, seed=3, first=first).state_dict() for first in (1, 0.25))
    assert all(torch.equal(usual[part] / 4, small[part]) for part in usual)


@pytest.mark.parametrize("name", ["52-25-1", "(52x4+84)-(13x4+21)-26-1"])
def test_first_weights_can_be_as_great_in_all_layers(name):
    weights = LayeredNetwork(name, seed=3, first=2.0, flat=True).state_dict()
    greatest = [float(part.abs().max()) for part in weights.values() if part.numel() > 20]
    assert greatest and all(1.7 < at <= 2 for at in greatest)


def test_an_unknown_activation():
    with pytest.raises(ValueError, match="'relu'"):
        LayeredNetwork("52-1", seed=1, activation="relu")
