"""Export BridgeHand2Vec's trained network to the ONNX file that ships."""

import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ...cards import DealSet
from ...cards.sizes import RANKS, STRAINS, SUITS
from ...training.exports import Graph, write_model
from ...training.lessons import solved_rows
from ...training.two_hands import About, parity_hands
from .hand2vec_network import Hand2Vec, symmetric_tricks


def export_hand2vec(
    network: Hand2Vec, about: About, solved: DealSet, path: str | os.PathLike[str]
) -> None:
    """Write the paper's network in two halves: ``hands`` to ``vectors``, ``pairs`` to ``tricks``.

    ``hands`` are (n, 52) bool, ``vectors`` (n, size), ``pairs`` (m, 2 × size), ``tricks`` (m, 5).
    The halves are independent, and either may be given no rows. The ``solved`` deals, none of them
    trained on, show how far real tricks scatter around the expected. Raises TrainingError if the
    file and torch give different results.
    """
    net = deepcopy(network).eval()
    hands = parity_hands().reshape(-1, SUITS * RANKS).astype(np.bool_)
    with torch.no_grad():
        vectors = net.embed(torch.from_numpy(hands))
        pairs = vectors.view(-1, 2 * net.size)
        tricks = net.tricks(pairs)
    write_model(
        Path(path),
        to_onnx(net),
        about.metadata("vectors", spread=spread(net, solved)),
        {"hands": hands, "pairs": pairs.numpy()},
        {"vectors": vectors.numpy(), "tricks": tricks.numpy()},
    )


@torch.no_grad()
def spread(network: Hand2Vec, solved: DealSet) -> dict[str, float]:
    """Return the standard deviations of real tricks around the expected, in tricks."""
    rows = solved_rows(solved)
    off = symmetric_tricks(network, rows.hands) - rows.tricks[:, :, 0]
    return {
        "suits": float(off[:, :SUITS].square().mean().sqrt()),
        "notrump": float(off[:, SUITS].square().mean().sqrt()),
    }


def to_onnx(network: Hand2Vec) -> Any:
    """Return the onnx model of both halves."""
    norm = network.norm
    assert norm.running_mean is not None and norm.running_var is not None
    graph = Graph()
    bare = _stack(graph, graph.cast("hands"), network.embedding)
    centred = graph.op("Sub", bare, graph.constant(norm.running_mean.numpy()))
    scale = graph.constant((norm.running_var + norm.eps).rsqrt().numpy())
    graph.op("Mul", centred, scale, name="vectors")
    graph.op("Identity", _stack(graph, "pairs", network.head), name="tricks")
    return graph.model(
        {
            "hands": (np.bool_, ["n", SUITS * RANKS]),
            "pairs": (np.float32, ["m", 2 * network.size]),
        },
        {"vectors": (np.float32, ["n", network.size]), "tricks": (np.float32, ["m", STRAINS])},
    )


def _stack(graph: Graph, x: str, layers: nn.ModuleList) -> str:
    """Add linear layers with an ELU after all but the last."""
    for number, layer in enumerate(layers):
        assert isinstance(layer, nn.Linear)
        if number:
            x = graph.op("Elu", x)
        weight, bias = (part.detach().numpy() for part in (layer.weight, layer.bias))
        x = graph.op("Gemm", x, graph.constant(weight.T), graph.constant(bias))
    return x
