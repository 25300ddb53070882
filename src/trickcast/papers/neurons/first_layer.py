"""The first layer of a trained network, opened: the weight of each card in each neuron."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...cards import Strain
from ...dealing import random_deals
from ...estimator.files import ModelInfo, load_session
from ..codings import CODINGS, Coding, random_views

_DEALS, _SEED = 2_000, 2009
HANDS = ("N", "E", "S", "W")
_STRAINS = {
    "suit": tuple(strain for strain in Strain if strain != Strain.NOTRUMP),
    "notrump": (Strain.NOTRUMP,),
}
"""The two networks of a model file, and what each estimates."""

_NOT_BY_CARD = (
    "the first layer does not see cards one by one (expected a network of 52, 104 or 52x4 inputs)"
)


class OpenedError(ValueError):
    """A network that cannot be opened, or a picture that cannot be drawn; the message says why."""


@dataclass(frozen=True, eq=False)
class FirstLayer:
    """The parts of a network that show what its first layer looks at."""

    weight: NDArray[np.float64]
    """Shape (blocks, neurons, inputs). A layer is fully joined within each of its blocks."""
    bias: NDArray[np.float64]
    """Shape (blocks, neurons)."""
    leaving: NDArray[np.float64] | None
    """The weights after it, shape (blocks, neurons of the second layer, inputs). None in a network
    with one layer, whose first neurons are its outputs."""
    tanh: bool = False
    """Whether its neurons are tanh; otherwise they are logistic."""


@dataclass(frozen=True, eq=False)
class Opened:
    """The first layer of one network."""

    name: str
    """Description of the network."""
    weights: NDArray[np.float64]
    """Shape (neurons, parts, 52), cards from the ace of spades to the two of clubs. Parts are the
    numbers that the coding has for each card: one number (52), side and hand (104), the hand's own
    input for a neuron that sees one hand, or the four hands."""
    parts: tuple[tuple[str, ...], ...]
    """For each neuron the names of its parts: ``("card",)``, ``("side", "hand")``, ``("S",)`` …"""
    effects: NDArray[np.float64]
    """Shape (neurons,). The standard deviation of a neuron's activation over random deals, times
    the norm of its outgoing weights (times 1 if it is an output itself)."""


def open_model(model: str | os.PathLike[str]) -> list[Opened]:
    """Return the first layers of a model: of its network for suits, and of the one for notrump.

    Args:
        model: Name of a shipped model, or path of an ``.onnx`` file.

    Returns:
        An Opened for each network.

    Raises:
        OpenedError: The first layer does not see cards one by one.
        ModelError: The file is missing, damaged or not one of ours.

    Example:
        >>> [opened.weights.shape for opened in open_model("(52x4)-(26x4)-26-13-1")]
        [(104, 1, 52), (104, 1, 52)]
    """
    info = load_session(model)[1]
    coding = CODINGS.get(info.metadata.get("coding", ""))
    if coding is None:
        raise OpenedError(f"{info.name}: {_NOT_BY_CARD}")
    layers = {contracts: _stored_layer(info, contracts) for contracts in _STRAINS}
    return [
        open_layer(f"{info.name}, {contracts}", layer, coding, _STRAINS[contracts])
        for contracts, layer in layers.items()
    ]


def open_layer(name: str, layer: FirstLayer, coding: Coding, strains: Sequence[Strain]) -> Opened:
    """Return a first layer by card, with the effects of its neurons.

    Args:
        name: Name of the network.
        layer: Weights and biases of the layer.
        coding: Coding of the network's inputs.
        strains: Strains in whose results the effects are measured.

    Returns:
        An Opened.

    Raises:
        OpenedError: The layer does not see cards one by one.

    Example:
        >>> from trickcast.papers.codings import find_coding
        >>> layer = FirstLayer(np.ones((1, 1, 52)), np.zeros((1, 1)), None)
        >>> open_layer("52-1", layer, find_coding("52"), [Strain.SPADES]).parts
        (('card',),)
    """
    weights, parts = _by_card(layer.weight, coding, name)
    blocks, neurons, inputs = layer.weight.shape
    owners = random_deals(_DEALS, seed=_SEED).owners
    views = random_views(owners, strains, _DEALS, np.random.default_rng(_SEED))
    rows = coding.encode(views.owners, views.strain, views.declarer)
    cards = rows[:, : blocks * inputs].reshape(len(rows), blocks, inputs)
    sums = np.einsum("nbi,boi->nbo", cards.astype(np.float64), layer.weight) + layer.bias
    activations = np.tanh(sums) if layer.tanh else expit(sums)
    spread = activations.reshape(len(rows), blocks * neurons).std(axis=0, ddof=1)
    return Opened(name, weights, parts, spread * _outgoing(layer))


def sees_cards(coding: Coding) -> bool:
    """Return whether networks of a coding have inputs of their own for every card.

    Args:
        coding: The coding.

    Returns:
        Whether it has.

    Example:
        >>> from trickcast.papers.codings import find_coding
        >>> sees_cards(find_coding("52x4")), sees_cards(find_coding("26x4"))
        (True, False)
    """
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
    raise OpenedError(f"{name}: {_NOT_BY_CARD}")


def _outgoing(layer: FirstLayer) -> NDArray[np.float64]:
    """Return the norm of the weights that leave each neuron of the first layer."""
    neurons = layer.bias.size
    if layer.leaving is None:
        return np.ones(neurons)
    norms: NDArray[np.float64] = np.sqrt(np.square(layer.leaving).sum(axis=1))  # (blocks, inputs)
    return norms.ravel()[:neurons]


def _stored_layer(info: ModelInfo, contracts: str) -> FirstLayer:
    """Read the first layer, and the weights after it, of a file that ``trickcast train`` wrote."""
    names = [f"{contracts}_1_weight", f"{contracts}_1_bias"]
    if len(info.name.split("-")) > 2:  # inputs, this layer, others: as the printed name counts
        names.append(f"{contracts}_2_weight")
    try:
        weight, bias, *leaving = read_arrays(info.path, names).values()
    except LookupError as error:
        raise OpenedError(f"not a layered network whose name counts its layers: {error}") from None
    weights = _blocks(weight)
    return FirstLayer(
        weights,
        bias.astype(np.float64).reshape(weights.shape[:2]),
        _blocks(leaving[0]) if leaving else None,
        tanh=info.metadata.get("activation") == "tanh",
    )


def _blocks(stored: NDArray[Any]) -> NDArray[np.float64]:
    """Turn stored ([blocks,] inputs, neurons) into (blocks, neurons, inputs)."""
    return stored.astype(np.float64).reshape(-1, *stored.shape[-2:]).transpose(0, 2, 1)


_GRAPH, _OUTPUT, _NAME = 7, 12, 1
"""Numbers of fields in onnx.proto: ModelProto.graph, GraphProto.output, ValueInfoProto.name."""


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Return stored weights of a file by their names in its graph.

    ONNX Runtime returns only outputs. But protobuf merges the fields of two messages that follow
    each other, so a second message after the file's makes its weights outputs as well.
    Raises LookupError if the graph has no weights of such a name.
    """
    import onnxruntime as ort
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    wanted = list(names)
    outputs = b"".join(_field(_OUTPUT, _field(_NAME, name.encode())) for name in wanted)
    options = ort.SessionOptions()
    options.log_severity_level = 4  # errors come as exceptions, and would be printed too
    try:
        session = ort.InferenceSession(
            path.read_bytes() + _field(_GRAPH, outputs),
            options,
            ["CPUExecutionProvider"],
            enable_fallback=0,
        )
    except (errors.Fail, errors.InvalidGraph) as error:
        raise LookupError(f"{path}: no arrays {', '.join(wanted)} ({str(error)[:200]})") from None
    kinds = {"tensor(uint8)": np.uint8, "tensor(float)": np.float32}
    empty = {
        entry.name: np.zeros([1, *entry.shape[1:]], kinds[entry.type])
        for entry in session.get_inputs()
    }
    return dict(zip(wanted, session.run(wanted, empty), strict=True))


def _field(number: int, content: bytes) -> bytes:
    """Write a field of bytes as protobuf does: its number and type, its length, its content."""
    length, left = bytearray(), len(content)
    while left > 127:
        length.append(left & 127 | 128)
        left >>= 7
    return bytes([number << 3 | 2, *length, left]) + content
