"""How every export ends: the model is checked, told what it is, and written with all beside it."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._files import atomic_writer
from ...dealing import random_deals
from ...evaluation import score
from ...model_format import MODEL_FORMAT, OUTPUT_ORDER
from ..checkpoints import TrainingError

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
    rows_alone: bool = True,
) -> None:
    """Write an onnx model with its metadata; beside it ``<name>.parity.npz`` and a checksum.

    ``expected`` are torch's own answers to ``inputs``, each by the name that the model has for it;
    the file may be off by ``tolerance``. The parity file keeps both, or ``parity`` in their place.
    Its line goes into ``SHA256SUMS``. ``rows_alone`` says that every input's first row alone gives
    every answer's first row, which is checked. Raises TrainingError, before anything is written,
    for a model that answers otherwise, or whose rows depend on the batch they are in.
    """
    import onnx

    for key, value in sorted(metadata.items()):
        model.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    _check_answers(path, data, inputs, expected, tolerance, rows_alone)
    kept: dict[str, Any] = dict(parity or {**inputs, **expected})
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path.with_suffix(".parity.npz")) as stream:
        np.savez_compressed(stream, **kept)
    with atomic_writer(path) as stream:
        stream.write(data)
    note_checksum(path)


def _check_answers(
    path: Path,
    data: bytes,
    inputs: Arrays,
    expected: Arrays,
    tolerance: float,
    rows_alone: bool,
) -> None:
    session = open_session(data)
    answers = session.run(list(expected), dict(inputs))
    alone = [rows[:1] for rows in answers]
    if rows_alone:
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
