"""The weights of a pair network in 16 bits: plain arrays and JSON in an ``.npz``, to go on from."""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..formats.files import atomic_writer
from ..networks.pairs import PairNetwork, PairNetworkConfig
from .checkpoints import TrainingError

_FORMAT = "trickcast pair network weights 1"


def save_pair_weights(
    path: str | os.PathLike[str], network: PairNetwork, record: dict[str, Any]
) -> None:
    """Write the weights, and the record of the training that made them.

    Raises TrainingError for a weight that 16 bits cannot hold.
    """
    arrays = {name: weights.half().numpy() for name, weights in network.state_dict().items()}
    for name, weights in arrays.items():
        if not np.isfinite(weights).all():
            raise TrainingError(f"{path}: a weight of {name} is no number below 65,504")
    with atomic_writer(Path(path)) as stream:
        content = json.dumps({"format": _FORMAT} | record)
        np.savez(stream, metadata=np.array(content), **arrays)


def load_pair_weights(path: str | os.PathLike[str]) -> tuple[PairNetwork, dict[str, Any]]:
    """Return the network of a weights file and the record of its training.

    Raises FileNotFoundError, TrainingError for a file that holds no such weights.
    """
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as arrays:
            record = json.loads(str(arrays["metadata"]))
            weights = {
                name: torch.from_numpy(arrays[name].astype(np.float32))
                for name in arrays.files
                if name != "metadata"
            }
        if record["format"] != _FORMAT:
            raise ValueError(f"its format is {record['format']!r}, not {_FORMAT!r}")
        network = PairNetwork(PairNetworkConfig(**record["config"]["network"]), seed=0)
        network.load_state_dict(weights)
    except (ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile) as error:
        raise TrainingError(
            f"{path}: not the weights of a pair network, or damaged ({error})"
        ) from None
    return network, record
