"""ONNX files: a graph is made node by node, checked, told what it is, and written.

Graphs are written by hand because torch's own exporter does worse, even for the smallest networks:
docs/estimator.md, "Export", has the figures.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .._files import atomic_writer
from ..dealing import random_deals
from ..evaluation import score
from ..model_format import MODEL_FORMAT, OUTPUT_ORDER
from .trainer import TrainingError

Array = NDArray[Any]
Ports = Mapping[str, tuple[DTypeLike, Sequence[str | int]]]
"""Inputs or outputs: name → type and shape, its free sizes named by letters."""


class Graph:
    """Nodes and constants so far; every method returns the name of what it adds."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def op(
        self, kind: str, *inputs: str, name: str = "", domain: str = "", **attributes: Any
    ) -> str:
        """Add a node with one output."""
        from onnx import helper

        name = name or f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(
            helper.make_node(kind, list(inputs), [name], domain=domain or None, **attributes)
        )
        return name

    def constant(self, values: Array, name: str = "") -> str:
        """Add a constant."""
        from onnx import numpy_helper

        name = name or f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def cast(self, x: str, name: str = "") -> str:
        """Turn anything into float32."""
        from onnx import TensorProto

        return self.op("Cast", x, name=name, to=TensorProto.FLOAT)

    def shaped(self, x: str, *shape: int) -> str:
        """Reshape; one of the sizes may be -1."""
        return self.op("Reshape", x, self.constant(np.array(shape)))

    def below(self, x: str, limit: float) -> str:
        """1 where x is below the limit, else 0."""
        return self.cast(self.op("Less", x, self.constant(np.array(limit, np.float32))))

    def model(
        self, inputs: Ports, outputs: Ports, *, opset: int = 20, domains: Sequence[str] = ()
    ) -> Any:
        """Return the onnx model; ``domains`` are those of operators that are not ONNX's own.

        Opset 20 is the first with Gelu; ONNX Runtime 1.17 and later run it.
        """
        from onnx import helper

        made = helper.make_graph(
            self._nodes, "trickcast", _ports(inputs), _ports(outputs), self._constants
        )
        standard = helper.make_opsetid("", opset)
        return helper.make_model(
            made,
            opset_imports=[standard, *(helper.make_opsetid(domain, 1) for domain in domains)],
            ir_version=helper.find_min_ir_version_for([standard]),
        )


def _ports(ports: Ports) -> list[Any]:
    from onnx import helper

    return [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)
        for name, (kind, shape) in ports.items()
    ]


TOLERANCE = 1e-3
"""Largest difference between torch, with the weights of the file, and the file."""
Arrays = Mapping[str, NDArray[Any]]
_PARITY_DEALS = 64
_SUMS = "SHA256SUMS"


def write_model(
    path: Path,
    model: Any,
    metadata: Mapping[str, str],
    inputs: Arrays,
    expected: Arrays,
    *,
    tolerance: float = TOLERANCE,
    parity: Arrays | None = None,
) -> None:
    """Write an onnx model with its metadata; beside it ``<name>.parity.npz`` and a checksum.

    ``expected`` are torch's own answers to ``inputs``, each by the name that the model has for it;
    the file may be off by ``tolerance``. The parity file keeps both, or ``parity`` in their place.
    Its line goes into ``SHA256SUMS``. Raises TrainingError, before anything is written, for a
    model that answers otherwise, or whose rows depend on the batch they are in.
    """
    import onnx

    for key, value in sorted(metadata.items()):
        model.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    _check_answers(path, data, inputs, expected, tolerance)
    kept: dict[str, Any] = dict(parity or {**inputs, **expected})
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path.with_suffix(".parity.npz")) as stream:
        np.savez_compressed(stream, **kept)
    with atomic_writer(path) as stream:
        stream.write(data)
    note_checksum(path)


def _check_answers(
    path: Path, data: bytes, inputs: Arrays, expected: Arrays, tolerance: float
) -> None:
    session = open_session(data)
    answers = session.run(list(expected), dict(inputs))
    alone = session.run(list(expected), {name: rows[:1] for name, rows in inputs.items()})
    for (name, wanted), rows, row in zip(expected.items(), answers, alone, strict=True):
        for of, apart, most in (
            ("torch", np.abs(rows - wanted).max(), tolerance),
            ("those of a row alone", np.abs(rows[:1] - row).max(), TOLERANCE),
        ):
            if not apart <= most:
                raise TrainingError(f"{path}: {name} differ from {of} by {apart:.2g}")


def open_session(data: bytes) -> Any:
    """Return ONNX Runtime's session of a model's bytes."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3  # that the default of an input can be overridden is meant
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def parity_owners() -> NDArray[np.uint8]:
    """Return the (64, 52) owners of the deals that every parity file is of."""
    return random_deals(_PARITY_DEALS, seed=2009).owners


def deal_metadata(estimated: ArrayLike, tricks: NDArray[np.uint8]) -> dict[str, str]:
    """Return what all models of whole deals state alike; the scores are of (n, 5, 4) tricks."""
    scores: dict[str, Any] = {"deals": len(tricks)}
    for part, figures in score(np.asarray(estimated), tricks).items():
        shares = (figures.within_2, figures.within_1, figures.exact)
        scores[part] = [round(share, 2) for share in shares]
    return {
        "format": MODEL_FORMAT,
        "output_order": OUTPUT_ORDER,
        "scores": json.dumps({"validation": scores}),
    }


def note_checksum(path: Path) -> None:
    """Put a file's line into the ``SHA256SUMS`` of its folder, in place of an earlier one."""
    sums = path.with_name(_SUMS)
    lines = sums.read_text("utf-8").splitlines() if sums.exists() else []
    lines = [line for line in lines if not line.endswith(f"  {path.name}")]
    lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    lines.sort(key=lambda line: line.split("  ", 1)[1])  # by name
    with atomic_writer(sums) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
