"""From two trained networks of the papers to one ONNX file that says what it is."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import DealSet, Seat, Strain
from ...training.export.calibration import fit_thresholds
from ...training.export.ending import deal_metadata, parity_owners, write_model
from ...training.export.graph import Array, Graph
from ...training.solved import known_tricks
from ..codings import Coding, find_coding, tricks_of
from ..networks import BlockLinear, LayeredNetwork, run
from .examples import Contracts
from .network import PaperTrained

_OPSET = 17  # of 2022: old enough for every ONNX Runtime in use
_TOLERANCE = 1e-4  # of an output; a trick is 0.057
_CHECKED: dict[Contracts, Strain] = {"suit": Strain.SPADES, "notrump": Strain.NOTRUMP}
_OPERATORS = {"logistic": "Sigmoid", "tanh": "Tanh", "linear": "Identity"}
Networks = Mapping[Contracts, LayeredNetwork]


def export_layered(
    suit: PaperTrained,
    notrump: PaperTrained,
    validation: DealSet,
    path: str | os.PathLike[str],
    *,
    speed: str = "",
) -> None:
    """Write the networks for suits and for notrump as one ONNX file.

    Beside it go ``<name>.parity.npz`` (64 deals and what torch answers on them) and a line in
    ``SHA256SUMS``. Thresholds are fitted, and scores counted, on the ``validation`` deals. The
    file's inputs ``suit`` and ``notrump`` are (rows, coding.size), its outputs
    ``suit_output`` and ``notrump_output`` (rows,) float32.

    Raises ValueError when the networks differ in name or coding, or a deal is not solved,
    TrainingError when the file does not answer as torch does.
    """
    if (suit.config.contracts, notrump.config.contracts) != ("suit", "notrump"):
        raise ValueError("expected a network trained for suits and one trained for notrump")
    for setting in ("network", "coding"):
        if getattr(suit.config, setting) != getattr(notrump.config, setting):
            raise ValueError(f"the two networks differ in their {setting}")
    networks: Networks = {"suit": suit.network, "notrump": notrump.network}
    coding = find_coding(suit.config.coding)
    tricks = known_tricks(validation)
    outputs = outputs_of(networks, validation.owners, coding)
    parity = parity_owners()
    answers = outputs_of(networks, parity, coding)
    write_model(
        Path(path),
        to_onnx(networks, coding),
        _metadata(suit, notrump, coding, outputs, tricks) | {"speed": speed},
        {kind: coding.encode(parity, strain, Seat.NORTH) for kind, strain in _CHECKED.items()},
        {f"{kind}_output": answers[:, strain, Seat.NORTH] for kind, strain in _CHECKED.items()},
        tolerance=_TOLERANCE,
        parity={"owners": parity, "outputs": answers},
    )


def outputs_of(
    networks: Networks, owners: NDArray[np.uint8], coding: Coding
) -> NDArray[np.float32]:
    """Return what torch answers for (n, 52) owners: (n, 5, 4), every strain and declarer."""
    outputs = np.empty((len(owners), 5, 4), dtype=np.float32)
    for strain in Strain:
        network = networks["notrump" if strain == Strain.NOTRUMP else "suit"]
        for declarer in Seat:
            inputs = coding.encode(owners, strain, declarer)
            outputs[:, strain, declarer] = run(network, inputs)
    return outputs


def _metadata(
    suit: PaperTrained,
    notrump: PaperTrained,
    coding: Coding,
    outputs: NDArray[np.float32],
    tricks: NDArray[np.uint8],
) -> dict[str, str]:
    """Everything that using the file rightly, and trusting it, needs."""
    fitted = {
        kind: fit_thresholds(outputs[:, strains].ravel(), tricks[:, strains].ravel())
        for kind, strains in (("suit", slice(0, 4)), ("notrump", slice(4, 5)))
    }
    return deal_metadata(tricks_of(outputs), tricks) | {
        "name": suit.config.network,
        "coding": coding.name,
        "coding_version": str(coding.version),
        "activation": suit.network.activation,
        "seed": str(suit.config.seed),
        "training_deals": str(suit.record["deals"]),
        "training_sha256": suit.record["sha256"],
        "training": json.dumps({"suit": suit.record, "notrump": notrump.record}),
        "thresholds": json.dumps({kind: asdict(ranges) for kind, ranges in fitted.items()}),
    }


def to_onnx(networks: Networks, coding: Coding) -> Any:
    """Return the onnx model: for each network its layers, an input and an output named after it."""
    graph = Graph()
    for kind, network in networks.items():
        x = graph.cast(kind, f"{kind}_0")
        for number, layer in enumerate(network.layers, start=1):
            assert isinstance(layer, BlockLinear)
            last = number == len(network.layers)
            operator = _OPERATORS[network.output if last else network.activation]
            x = _layer(graph, layer, operator, x, f"{kind}_{number}")
        flat = graph.constant(np.array([-1]), f"{kind}_flat")
        graph.op("Reshape", x, flat, name=f"{kind}_output")
    dtype = coding.encode(np.empty((0, 52), np.uint8), Strain.SPADES, Seat.NORTH).dtype
    return graph.model(
        {kind: (dtype, [f"{kind}_rows", coding.size]) for kind in networks},
        {f"{kind}_output": (np.float32, [f"{kind}_rows"]) for kind in networks},
        opset=_OPSET,
    )


def _layer(graph: Graph, layer: BlockLinear, operator: str, x: str, name: str) -> str:
    """Add one layer behind x, its result, which is that of ``operator``, called ``name``."""
    weights, biases = layer.weight.detach().numpy(), layer.bias.detach().numpy()
    blocks, width, size = weights.shape

    def constant(what: str, values: Array) -> str:
        return graph.constant(values, f"{name}_{what}")

    if blocks == 1:
        weight, bias = constant("weight", weights[0].T), constant("bias", biases.ravel())
        return graph.op(operator, graph.op("Gemm", x, weight, bias, name=f"{name}_0"), name=name)
    weight = constant("weight", weights.transpose(0, 2, 1))
    bias = constant("bias", biases.transpose(0, 2, 1))
    apart = constant("apart", np.array([-1, blocks, size]))
    together = constant("together", np.array([-1, blocks * width]))
    x = graph.op("Reshape", x, apart, name=f"{name}_0")  # (n, blocks, size)
    x = graph.op("Transpose", x, name=f"{name}_1", perm=[1, 0, 2])
    x = graph.op("MatMul", x, weight, name=f"{name}_2")  # (blocks, n, width)
    x = graph.op("Add", x, bias, name=f"{name}_3")
    x = graph.op("Transpose", x, name=f"{name}_4", perm=[1, 0, 2])
    x = graph.op("Reshape", x, together, name=f"{name}_5")  # (n, blocks × width)
    return graph.op(operator, x, name=name)
