"""Printed network names against Table III of the 2009 paper, and networks against plain sums."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch comes with the extra 'train'")

from trickcast.networks import LayeredNetwork, NetworkName, run  # noqa: E402

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
    weights = [layer.weight for layer in LayeredNetwork(name, seed=1).layers]
    assert sum(weight.numel() for weight in weights) == connections


UNBUILDABLE = (
    *("", "52", "52-x-1", "52-0-1", "52--1", "(52x4", "(52x4+84)-1"),
    *("(52x4)-(26x3)-1", "(26x4)-(7x4)-1", "52-(26x4)-1"),
)


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
    np.testing.assert_allclose(run(network, inputs, chunk=2), values[:, 0], atol=1e-6)


def test_the_seed_alone_decides_the_first_weights():
    torch.manual_seed(0)
    first = LayeredNetwork("52-25-1", seed=3).state_dict()
    torch.manual_seed(1)
    again, other = (LayeredNetwork("52-25-1", seed=seed).state_dict() for seed in (3, 4))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["layers.0.weight"], other["layers.0.weight"])


def test_an_unknown_activation():
    with pytest.raises(ValueError, match="'relu'"):
        LayeredNetwork("52-1", seed=1, activation="relu")
