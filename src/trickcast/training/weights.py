"""Weights that travel: 16 bits each, as plain arrays and JSON in an ``.npz``, to go on from.

Small enough to commit, and reading such a file runs nothing that is in it.
"""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch

from .._arrays import read_arrays
from .._files import atomic_writer
from ..cards import cut, shorten
from .checkpoints import TrainingError
from .pair_network import PairNetwork, PairNetworkConfig
from .suit_config import SuitNetworkConfig
from .suits import SuitNetwork

_MOST_BYTES = 1 << 30
"""Of a file when unpacked: 500 million weights."""
_SQUARED, _FEW = 64, 1000
"""A layer has about as many weights as its width squared, or a quarter of it where seats share."""
Network = TypeVar("Network", SuitNetwork, PairNetwork)


class _Kind(NamedTuple):
    """How files of a class of networks call it, and the class of its sizes."""

    name: str
    config: Any

    @property
    def format(self) -> str:
        return f"trickcast {self.name} weights 1"


_KINDS: dict[type, _Kind] = {
    SuitNetwork: _Kind("suit network", SuitNetworkConfig),
    PairNetwork: _Kind("pair network", PairNetworkConfig),
}


def write_weights(
    path: str | os.PathLike[str], network: SuitNetwork | PairNetwork, record: dict[str, Any]
) -> None:
    """Write a network's weights and the record of the training that made them, whole or not at all.

    Raises TrainingError for a weight that 16 bits cannot hold.
    """
    target = Path(path)
    arrays = {name: weights.cpu().half().numpy() for name, weights in network.state_dict().items()}
    for name, weights in arrays.items():
        if not np.isfinite(weights).all():
            raise TrainingError(f"{target}: a weight of {name} is no number below 65,504")
    content = json.dumps({"format": _KINDS[type(network)].format} | record)
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(target) as stream:
        np.savez(stream, metadata=np.array(content), **arrays)


def read_weights(
    path: str | os.PathLike[str], network: type[Network]
) -> tuple[Network, dict[str, Any]]:
    """Return the network of a file of weights, of that class, and the record of its training.

    Raises FileNotFoundError, TrainingError for a file that holds no such weights.
    """
    source, kind = Path(path), _KINDS[network]
    try:
        arrays = read_arrays(source.read_bytes(), _MOST_BYTES)
        record = json.loads(str(arrays.pop("metadata")))
        weights = {
            name: torch.from_numpy(array.astype(np.float32)) for name, array in arrays.items()
        }
        if record["format"] != kind.format:
            raise ValueError(f"its format is {shorten(record['format'])}, not {kind.format!r}")
        config = kind.config(**record["config"]["network"])
        _check_sizes(config, sum(array.numel() for array in weights.values()))
        stored = network(config, seed=0)
        stored.load_state_dict(weights)
    except FileNotFoundError:
        raise
    except Exception as error:  # sizes that make no network raise nearly anything
        raise TrainingError(
            f"{source}: not the weights of a {kind.name}, or damaged ({cut(str(error), 300)})"
        ) from None
    return stored, record


def _check_sizes(config: Any, weights: int) -> None:
    """Raise ValueError where a network would have far more weights than its file."""
    for name, size in asdict(config).items():
        if isinstance(size, int | float) and size * size > _SQUARED * max(weights, _FEW):
            raise ValueError(f"its {name} is {size:g}, of {weights:,} weights")
