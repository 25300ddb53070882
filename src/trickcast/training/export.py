"""From two trained networks to one ONNX file that says what it is."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, Strain
from ..dealing import random_deals
from ..encodings import MODEL_FORMAT, OUTPUT_ORDER, Coding, find_coding, tricks_of
from ..evaluation import score
from ..formats.files import atomic_writer
from ..networks import BlockLinear, LayeredNetwork, run
from .papers.examples import Contracts
from .papers.network import PaperTrained as Trained
from .solved import known_tricks
from .thresholds import Thresholds, fit_thresholds

_OPSET, _IR_VERSION = 17, 8  # of 2022: old enough for every ONNX Runtime in use
_PARITY_DEALS = 64


def export(
    suit: Trained,
    notrump: Trained,
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

    Raises ValueError when the networks differ in name or coding, or a deal is not solved.
    """
    import onnx

    if (suit.config.contracts, notrump.config.contracts) != ("suit", "notrump"):
        raise ValueError("expected a network trained for suits and one trained for notrump")
    for setting in ("network", "coding"):
        if getattr(suit.config, setting) != getattr(notrump.config, setting):
            raise ValueError(f"the two networks differ in their {setting}")
    networks: dict[Contracts, LayeredNetwork] = {"suit": suit.network, "notrump": notrump.network}
    coding = find_coding(suit.config.coding)
    tricks = known_tricks(validation)
    outputs = outputs_of(networks, validation.owners, coding)
    metadata = _metadata(suit, notrump, coding, outputs, tricks) | {"speed": speed}

    model = _to_onnx(networks, coding)
    for key, value in sorted(metadata.items()):
        model.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(model)
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    parity = random_deals(_PARITY_DEALS, seed=2009).owners
    np.savez_compressed(
        target.with_suffix(".parity.npz"),
        owners=parity,
        outputs=outputs_of(networks, parity, coding),
    )
    data = model.SerializeToString()
    with atomic_writer(target) as stream:
        stream.write(data)
    _note_checksum(target, hashlib.sha256(data).hexdigest())


def outputs_of(
    networks: dict[Contracts, LayeredNetwork], owners: NDArray[np.uint8], coding: Coding
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
    suit: Trained,
    notrump: Trained,
    coding: Coding,
    outputs: NDArray[np.float32],
    tricks: NDArray[np.uint8],
) -> dict[str, str]:
    """Everything that using the file rightly, and trusting it, needs."""
    fitted: dict[Contracts, Thresholds] = {
        "suit": fit_thresholds(outputs[:, :4].ravel(), tricks[:, :4].ravel()),
        "notrump": fit_thresholds(outputs[:, 4].ravel(), tricks[:, 4].ravel()),
    }
    scores: dict[str, Any] = {"deals": len(tricks)}
    for name, figures in score(tricks_of(outputs), tricks).items():
        scores[name] = [
            round(share, 2) for share in (figures.within_2, figures.within_1, figures.exact)
        ]
    return {
        "format": MODEL_FORMAT,
        "name": suit.config.network,
        "coding": coding.name,
        "coding_version": str(coding.version),
        "output_order": OUTPUT_ORDER,
        "seed": str(suit.config.seed),
        "training_deals": str(suit.record["deals"]),
        "training_sha256": suit.record["sha256"],
        "training": json.dumps({"suit": suit.record, "notrump": notrump.record}),
        "scores": json.dumps({"validation": scores}),
        "thresholds": json.dumps(
            {
                contracts: {"thresholds": found.thresholds, "slope": found.slope}
                for contracts, found in fitted.items()
            }
        ),
    }


def _to_onnx(networks: dict[Contracts, LayeredNetwork], coding: Coding) -> Any:
    """Build the graph: for each network its layers, an input and an output named after it."""
    from onnx import TensorProto, helper

    nodes, weights, inputs, outputs = [], [], [], []
    for name, network in networks.items():
        rows = f"{name}_rows"
        empty = coding.encode(np.empty((0, 52), np.uint8), Strain.SPADES, Seat.NORTH)
        kind = TensorProto.UINT8 if empty.dtype == np.uint8 else TensorProto.FLOAT
        inputs.append(helper.make_tensor_value_info(name, kind, [rows, coding.size]))
        outputs.append(helper.make_tensor_value_info(f"{name}_output", TensorProto.FLOAT, [rows]))
        nodes.append(helper.make_node("Cast", [name], [f"{name}_0"], to=TensorProto.FLOAT))
        for i, layer in enumerate(network.layers):
            assert isinstance(layer, BlockLinear)
            layer_nodes, layer_weights = _layer_nodes(layer, f"{name}_{i}", f"{name}_{i + 1}")
            nodes += layer_nodes
            weights += layer_weights
        weights.append(_constant(f"{name}_flat", np.array([-1])))
        last = f"{name}_{len(network.layers)}"
        nodes.append(helper.make_node("Reshape", [last, f"{name}_flat"], [f"{name}_output"]))
    graph = helper.make_graph(nodes, "trickcast", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", _OPSET)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)


def _layer_nodes(layer: BlockLinear, before: str, after: str) -> tuple[list[Any], list[Any]]:
    """Return the nodes and weights of one logistic layer, from tensor ``before`` to ``after``."""
    from onnx import helper

    blocks, width, size = layer.weight.shape
    weights = [
        _constant(f"{after}_weight", layer.weight.detach().numpy().transpose(0, 2, 1)),
        _constant(f"{after}_bias", layer.bias.detach().numpy().transpose(0, 2, 1)),
        _constant(f"{after}_apart", np.array([-1, blocks, size])),
        _constant(f"{after}_together", np.array([-1, blocks * width])),
    ]
    weight, bias, apart, together = (tensor.name for tensor in weights)
    steps: list[tuple[str, list[str], dict[str, Any]]] = [
        ("Reshape", [apart], {}),  # (n, blocks, size)
        ("Transpose", [], {"perm": [1, 0, 2]}),
        ("MatMul", [weight], {}),  # (blocks, n, width)
        ("Add", [bias], {}),
        ("Transpose", [], {"perm": [1, 0, 2]}),
        ("Reshape", [together], {}),  # (n, blocks × width)
        ("Sigmoid", [], {}),
    ]
    if blocks == 1:
        weights = [
            _constant(weight, layer.weight.detach().numpy()[0].T),
            _constant(bias, layer.bias.detach().numpy().ravel()),
        ]
        steps = [("Gemm", [weight, bias], {}), ("Sigmoid", [], {})]
    nodes, tensor = [], before
    for i, (operator, operands, attributes) in enumerate(steps):
        result = after if i == len(steps) - 1 else f"{after}_{i}"
        nodes.append(helper.make_node(operator, [tensor, *operands], [result], **attributes))
        tensor = result
    return nodes, weights


def _constant(name: str, values: NDArray[Any]) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(np.ascontiguousarray(values), name)


def _note_checksum(path: Path, sha256: str) -> None:
    """Put the file's line into the folder's SHA256SUMS, in place of an earlier one."""
    sums = path.with_name("SHA256SUMS")
    lines = sums.read_text("utf-8").splitlines() if sums.exists() else []
    lines = [line for line in lines if not line.endswith(f"  {path.name}")]
    lines = sorted([*lines, f"{sha256}  {path.name}"], key=lambda line: line.split("  ")[1])
    with atomic_writer(sums) as stream:
        stream.write(("\n".join(lines) + "\n").encode())
