"""Arrays stored in an ONNX file, read by ONNX Runtime alone."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_GRAPH, _OUTPUT, _NAME = 7, 12, 1
"""Numbers of fields in onnx.proto: ModelProto.graph, GraphProto.output, ValueInfoProto.name."""


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Return stored weights of a file by their names in its graph.

    ONNX Runtime tells outputs only. But of two protobuf messages one after the other the fields
    are merged, so a second message after the file's makes its weights outputs as well.
    Raises LookupError when the graph has none of such a name.
    """
    import onnxruntime as ort
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    wanted = list(names)
    outputs = b"".join(_field(_OUTPUT, _field(_NAME, name.encode())) for name in wanted)
    options = ort.SessionOptions()
    options.log_severity_level = 4  # errors come as exceptions, and would be printed besides
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
