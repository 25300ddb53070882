"""Writing an ONNX graph node by node: constants, operators, and the model they make.

Graphs are written by hand because torch's own exporter does worse, even for the smallest networks:
docs/estimator.md, "Export", has the figures.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

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

    def split(self, x: str, sizes: str, parts: int) -> list[str]:
        """Cut along the last axis into so many parts, whose sizes are a constant."""
        from onnx import helper

        names = [f"split_{len(self._nodes)}_{part}" for part in range(parts)]
        self._nodes.append(helper.make_node("Split", [x, sizes], names, axis=-1))
        return names

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
