"""Export the trained network of calls to the ONNX file that ships."""

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...cards.auction import CALL_NUMBER
from ...cards.turns import WIDTH, encode_calls, turns_of
from ...dealing import random_deals
from ...model_format import BIDDING_MODEL_FORMAT
from ..exports import Graph, write_model
from .network import BiddingNetwork, linear_features

_PARITY_AUCTION = "1N PASS 2C X PASS PASS XX PASS 2H PASS 4H"
_HONOURS, _LONGEST = 24, 9


def export_bidding(
    network: BiddingNetwork,
    name: str,
    scores: dict[str, float],
    training: dict[str, Any],
    path: str | os.PathLike[str],
) -> None:
    """Write the network: ``turns`` to ``read``, and ``contexts`` with ``hands`` to ``chances``.

    ``turns`` are (steps, seats, WIDTH) uint8, ``read`` (steps, seats, k) float32. ``contexts`` are
    rows of ``read``, (a, b, k), and ``hands`` (m, 52) bool. ``chances`` are log-chances of the
    calls, (a, m, 38), where b is 1 or m. Inputs of an output that is not needed may have no rows.
    Raises TrainingError if the file's outputs differ from torch's.
    """
    net = deepcopy(network).eval()
    turns, hands = parity_inputs()
    with torch.no_grad():
        flat = torch.from_numpy(turns.reshape(-1, WIDTH))
        lengths = torch.full((turns.shape[1],), len(turns))
        ready = net.ready(net.contexts(flat, lengths))
        read = torch.cat([*ready], dim=1).view(*turns.shape[:2], -1)
        contexts = read[-1][:, None]
        head = type(ready)(*(part.view(*turns.shape[:2], -1)[-1][:, None] for part in ready))
        logits = net.join(head, net.hands(torch.from_numpy(hands)))
    write_model(
        Path(path),
        to_onnx(net),
        {
            "format": BIDDING_MODEL_FORMAT,
            "name": name,
            "scores": json.dumps({key: round(value, 5) for key, value in scores.items()}),
            "training": json.dumps(training),
        },
        {"turns": turns, "contexts": contexts.numpy(), "hands": hands},
        {"read": read.numpy(), "chances": logits.log_softmax(-1).numpy()},
        rows_alone=False,
    )


def parity_inputs() -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (2, 4, WIDTH) first turns of an auction, and 64 hands."""
    rows, _ = encode_calls([CALL_NUMBER[call] for call in _PARITY_AUCTION.split()])
    turns = np.stack([turns_of(rows, 4 + seat) for seat in range(4)], axis=1)
    return turns, random_deals(64, seed=2009).owners == 0


def to_onnx(network: BiddingNetwork) -> Any:
    """Return the onnx model."""
    graph = Graph()
    config = network.config
    size = 2 * config.joined + config.last + network.calls.out_features
    _read(graph, network)
    _chances(graph, network)
    return graph.model(
        {
            "turns": (np.uint8, ["steps", "seats", WIDTH]),
            "contexts": (np.float32, ["a", "b", size]),
            "hands": (np.bool_, ["m", 52]),
        },
        {
            "read": (np.float32, ["steps", "seats", size]),
            "chances": (np.float32, ["a", "m", network.calls.out_features]),
        },
    )


def _linear(graph: Graph, x: str, layer: torch.nn.Linear) -> str:
    x = graph.op("MatMul", x, graph.constant(layer.weight.detach().numpy().T))
    return (
        x if layer.bias is None else graph.op("Add", x, graph.constant(layer.bias.detach().numpy()))
    )


def _read(graph: Graph, network: BiddingNetwork) -> None:
    size = network.config.context
    turns = graph.op("Relu", _linear(graph, graph.cast("turns"), network.turn))
    weights = [layer.weight.detach().numpy() for layer in (network.into, network.onward)]
    biases = [layer.bias.detach().numpy() for layer in (network.into, network.onward)]
    states = graph.op(
        "GRU",
        turns,
        *(graph.constant(_gates(w)[None]) for w in weights),
        graph.constant(np.concatenate([_gates(b) for b in biases])[None]),
        hidden_size=size,
        linear_before_reset=1,
    )
    states = graph.op("Squeeze", states, graph.constant(np.array([1])))
    heads = _linear(graph, graph.op("Add", turns, states), network.heads)
    joined, last = network.config.joined, network.config.last
    sizes = graph.constant(np.array([joined, joined, last + network.calls.out_features]))
    parts = graph.split(heads, sizes, 3)
    gate = graph.op("Sigmoid", parts[1])
    graph.op("Concat", parts[0], gate, parts[2], name="read", axis=2)


def _gates(values: NDArray[Any]) -> NDArray[Any]:
    """Reorder the gates reset, kept, fresh for ONNX: kept, reset, fresh."""
    reset, kept, fresh = np.split(values, 3)
    return np.concatenate([kept, reset, fresh])


def _chances(graph: Graph, network: BiddingNetwork) -> None:
    config = network.config
    x = graph.op("Relu", _linear(graph, _features(graph), network.hand))
    x = graph.op("Relu", graph.op("Add", x, _linear(graph, x, network.hand_again)))
    hands = _linear(graph, x, network.hand_joined)
    sizes = np.array([config.joined, config.joined, config.last, network.calls.out_features])
    joined, gate, last, calls = graph.split("contexts", graph.constant(sizes), 4)
    x = graph.op("Mul", graph.op("Relu", graph.op("Add", joined, hands)), gate)
    x = graph.op("Relu", graph.op("Add", _linear(graph, x, network.last), last))
    logits = graph.op("Add", _linear(graph, x, network.calls), calls)
    graph.op("LogSoftmax", logits, name="chances", axis=2)


def _features(graph: Graph) -> str:
    """Compute ``training.bidding.network.hand_features``."""
    values = linear_features()
    found = graph.op("MatMul", graph.cast("hands"), graph.constant(values["sums"]))
    sizes = graph.constant(np.array([_HONOURS, 4, 4, 1, 1]))
    honours, lengths, points, whole, controls = graph.split(found, sizes, 5)
    column = graph.op("Unsqueeze", lengths, graph.constant(np.array([2])))
    limits = values["limits"]
    long = graph.cast(graph.op("GreaterOrEqual", column, graph.constant(limits[:_LONGEST])))
    strong = graph.cast(graph.op("GreaterOrEqual", whole, graph.constant(limits[_LONGEST:])))

    def over(x: str, by: float) -> str:
        return graph.op("Div", x, graph.constant(np.array(by, np.float32)))

    return graph.op(
        "Concat",
        honours,
        graph.shaped(long, -1, 4 * _LONGEST),
        graph.op("ReduceSum", long, graph.constant(np.array([1])), keepdims=0),
        strong,
        over(lengths, 4),
        over(points, 4),
        over(graph.op("Mul", lengths, points), 16),
        over(whole, 10),
        over(controls, 4),
        axis=1,
    )
