"""The first layer of a trained network, opened: which weight each card has in each neuron."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..dealing import random_deals
from ..encodings import Coding, find_coding
from ..estimator.files import load_session
from ..networks import BlockLinear, LayeredNetwork, SideBySide
from ..training.papers.comparator import Comparator
from ..training.papers.examples import draw_views
from .data import ExperimentError
from .spec import CONTRACTS
from .trained import Trained, load

_DEALS, _SEED = 2_000, 2009
HANDS = ("N", "E", "S", "W")


@dataclass(frozen=True, eq=False)
class Opened:
    """The first layer of one network."""

    name: str
    """What network it is."""
    weights: NDArray[np.float64]
    """(neurons, parts, 52): cards from the ace of spades to the two of clubs. Parts are what the
    coding has of each card: one number (52), side and hand (104), the hand's own input for a neuron
    that sees one hand, or the four hands."""
    parts: tuple[tuple[str, ...], ...]
    """For each neuron the names of its parts: ``("card",)``, ``("side", "hand")``, ``("S",)`` …"""
    effects: NDArray[np.float64]
    """(neurons,): standard deviation of a neuron's activation over random deals times the norm of
    its outgoing weights (times 1 where it is an output itself)."""


def open_model(model: str | os.PathLike[str]) -> list[Opened]:
    """Return the first layers of a trained model.

    ``model`` is a ``.network`` file of ``trickcast reproduce`` (one network, or several copies), or
    what ``trickcast estimate`` takes: the name of a shipped model or an ``.onnx`` file, of which
    the network for suits and that for notrump are returned.
    Raises ExperimentError when the first layer does not see cards one by one.
    """
    path = Path(model)
    if path.suffix == ".network":
        if not path.is_file():
            raise ExperimentError(f"{path}: no such file (trickcast reproduce makes them)")
        return open_trained(load(path))
    info = load_session(model)[1]
    try:
        coding = info.coding
    except ValueError as error:
        raise ExperimentError(
            f"{info.name}: its first layer does not see cards one by one ({error})"
        ) from None
    return [
        _open(f"{info.name}, {contracts}", network, coding, contracts)
        for contracts, network in _from_onnx(info.path, info.name).items()
    ]


def open_trained(trained: Trained) -> list[Opened]:
    """Return the first layer of each copy of a network, the tower's of a comparator.

    Raises ExperimentError when the first layer does not see cards one by one.
    """
    network, net = trained.network, trained.net
    layered = network.tower if isinstance(network, Comparator) else network
    assert isinstance(layered, LayeredNetwork)
    coding = find_coding(net.coding)
    return [_open(net.key, copy, coding, net.contracts) for copy in _apart(layered)]


def _open(name: str, network: LayeredNetwork, coding: Coding, contracts: str) -> Opened:
    first = network.layers[0]
    if isinstance(first, SideBySide):
        first = first.parts[0]  # the cards; the other part sees estimators
    assert isinstance(first, BlockLinear)
    raw = first.weight.detach().double().numpy()  # (blocks, neurons, inputs)
    weights, parts = _by_card(raw, coding, name)
    neurons = len(weights)
    strains = CONTRACTS["all_suits" if contracts == "suit" else contracts]
    deals = random_deals(_DEALS, seed=_SEED)
    solved = deals.with_tricks(np.zeros((_DEALS, 5, 4), np.uint8))  # only the cards are used
    rows = draw_views(solved, strains, _DEALS, coding, np.random.default_rng(_SEED)).inputs
    with torch.inference_mode():
        sums = network.layers[0](torch.from_numpy(rows).float().t())[:neurons]
        squash = torch.tanh if network.activation == "tanh" else torch.sigmoid
        spread = squash(sums).std(dim=1).double().numpy()
    return Opened(name, weights, parts, spread * _outgoing(network, neurons))


def sees_cards(coding: Coding) -> bool:
    """Tell whether a network of this coding has inputs of its own for every card."""
    return _family(coding) in ("52", "104", "52x4")


def _family(coding: Coding) -> str:
    return coding.name.split("+")[0].split("-")[0]


def _by_card(
    raw: NDArray[np.float64], coding: Coding, name: str
) -> tuple[NDArray[np.float64], tuple[tuple[str, ...], ...]]:
    """Put (blocks, neurons, inputs) weights in the order of cards."""
    blocks, neurons, inputs = raw.shape
    family = _family(coding)
    if family == "52x4" and (blocks, inputs) == (4, 52):
        hands = tuple((HANDS[block],) for block in range(4) for _ in range(neurons))
        return raw.reshape(4 * neurons, 1, 52), hands
    if family == "52x4" and blocks == 1 and inputs >= 208:
        return raw[0, :, :208].reshape(neurons, 4, 52), (HANDS,) * neurons
    if family in ("52", "104") and blocks == 1:
        count = int(family) // 52
        rising = raw[0, :, : 52 * count].reshape(neurons, count, 4, 13)
        names = ("card",) if count == 1 else ("side", "hand")
        return rising[..., ::-1].reshape(neurons, count, 52), (names,) * neurons
    raise ExperimentError(
        f"{name}: the first layer does not see cards one by one (expected a network of 52, 104 or "
        "52x4 inputs)"
    )


def _outgoing(network: LayeredNetwork, neurons: int) -> NDArray[np.float64]:
    """Return the norm of the weights that leave each neuron of the first layer."""
    if len(network.layers) == 1:
        return np.ones(neurons)
    after = network.layers[1]
    if isinstance(after, SideBySide):
        after = after.parts[0]
    assert isinstance(after, BlockLinear)
    norms = after.weight.detach().double().norm(dim=1).numpy()  # (blocks, inputs)
    outgoing: NDArray[np.float64] = norms.ravel()[:neurons]
    return outgoing


def _apart(network: LayeredNetwork) -> list[LayeredNetwork]:
    """Return the copies of a network as networks of their own."""
    if network.copies == 1:
        return [network]
    alone = []
    for copy in range(network.copies):
        one = LayeredNetwork(
            network.name, seed=0, activation=network.activation, output=network.output
        )
        for ours, theirs in zip(one.layers, network.layers, strict=True):
            assert isinstance(ours, BlockLinear)
            own = slice(copy * ours.blocks, (copy + 1) * ours.blocks)
            ours.load_state_dict({k: v[own] for k, v in theirs.state_dict().items()})
        alone.append(one)
    return alone


def _from_onnx(path: Path, name: str) -> dict[str, LayeredNetwork]:
    """Rebuild the networks that ``trickcast train`` exported."""
    import onnx
    from onnx import numpy_helper

    stored: dict[str, Any] = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer
    }
    networks = {}
    for contracts in ("suit", "notrump"):
        try:
            network = LayeredNetwork(name, seed=0)
            for number, layer in enumerate(network.layers, start=1):
                _fill(layer, stored, f"{contracts}_{number}")
        except (ValueError, KeyError) as error:
            raise ExperimentError(
                f"{path}: not a layered network whose name says its shape ({error})"
            ) from None
        networks[contracts] = network
    return networks


def _fill(layer: nn.Module, stored: dict[str, Any], name: str) -> None:
    assert isinstance(layer, BlockLinear)
    weight, bias = stored[f"{name}_weight"], stored[f"{name}_bias"]
    shape = layer.weight.shape  # (blocks, outputs, inputs)
    turned = weight.reshape(shape[0], shape[2], shape[1]).transpose(0, 2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(turned.copy()))
        layer.bias.copy_(torch.from_numpy(bias.reshape(shape[0], shape[1], 1).copy()))
