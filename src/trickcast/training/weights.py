"""Weights that travel: 16 bits each, as plain arrays and JSON in an ``.npz``, to go on from.

Small enough to commit, and reading such a file runs nothing that is in it.
"""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from .._files import atomic_writer
from .checkpoints import TrainingError

Network = TypeVar("Network", bound=nn.Module)


def write_weights(path: Path, kind: str, network: nn.Module, record: dict[str, Any]) -> None:
    """Write a network's weights and the record of the training that made them, whole or not at all.

    ``kind`` says what the file is of, as in "suit network". Raises TrainingError for a weight that
    16 bits cannot hold.
    """
    arrays = {name: weights.cpu().half().numpy() for name, weights in network.state_dict().items()}
    for name, weights in arrays.items():
        if not np.isfinite(weights).all():
            raise TrainingError(f"{path}: a weight of {name} is no number below 65,504")
    content = json.dumps({"format": _format(kind)} | record)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        np.savez(stream, metadata=np.array(content), **arrays)


def read_weights(
    path: Path, kind: str, build: Callable[[dict[str, Any]], Network]
) -> tuple[Network, dict[str, Any]]:
    """Return the network of a file of that kind, and the record of its training.

    ``build`` makes a network of the stored configuration, ``record["config"]["network"]``.
    Raises FileNotFoundError, TrainingError for a file that holds no such weights.
    """
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            record = json.loads(str(arrays["metadata"]))
            weights = {
                name: torch.from_numpy(arrays[name].astype(np.float32))
                for name in arrays.files
                if name != "metadata"
            }
        if record["format"] != _format(kind):
            raise ValueError(f"its format is {record['format']!r}, not {_format(kind)!r}")
        network = build(record["config"]["network"])
        network.load_state_dict(weights)
    except (ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile) as error:
        raise TrainingError(f"{path}: not the weights of a {kind}, or damaged ({error})") from None
    return network, record


def _format(kind: str) -> str:
    return f"trickcast {kind} weights 1"
