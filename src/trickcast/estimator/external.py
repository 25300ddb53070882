"""Detect models that keep arrays in other files; they are not loaded.

In ONNX, an array can refer to a path beside the model, and ONNX Runtime reads its numbers
from there. Our models are single files. This module reads the protocol buffer wire format (each
field is a key, then a number, eight or four bytes, or a length and that many bytes). It follows
only the fields of ``onnx.proto`` that lead to arrays.
"""

from collections.abc import Iterator

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_DEEPEST = 64
"""Limit of nested graphs; ONNX Runtime reads no more than a hundred messages deep."""
_LEADS_TO = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
"""For each message, the fields that lead to a tensor, and the messages they hold."""
_EXTERNAL_DATA, _DATA_LOCATION = 13, 14  # of a tensor


def keeps_data_elsewhere(model: bytes) -> bool:
    """Return whether an array of an ONNX model is stored outside it.

    Raises ValueError if the bytes are not a protocol buffer.
    """
    return _any_external(memoryview(model), "model", 0)


def _any_external(message: memoryview, kind: str, depth: int) -> bool:
    if depth > _DEEPEST:
        raise ValueError(f"messages nested more than {_DEEPEST} deep")
    if kind == "tensor":
        return any(
            field == _EXTERNAL_DATA or (field == _DATA_LOCATION and value != 0)
            for field, value in _fields(message)
        )
    inner = _LEADS_TO[kind]
    return any(
        _any_external(value, inner[field], depth + 1)
        for field, value in _fields(message)
        if field in inner and isinstance(value, memoryview)
    )


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the number and the value of each field: an integer, or the bytes of other types."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        field, wire = key >> 3, key & 7
        if wire == _VARINT:
            number, place = _varint(message, place)
            yield field, number
            continue
        if wire == _BYTES:
            size, place = _varint(message, place)
        elif wire in (_EIGHT, _FOUR):
            size = 8 if wire == _EIGHT else 4
        else:
            raise ValueError(f"wire type {wire}")
        if place + size > len(message):
            raise ValueError("a field that is longer than its message")
        yield field, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """Return an integer of seven bits per byte, lowest first, and the position after it."""
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(message):
            break
        byte = message[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
    raise ValueError("a number that does not end")
