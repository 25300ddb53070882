"""The weights of a pair network, in a file to go on from."""

import os
from pathlib import Path
from typing import Any

from ..networks.pairs import PairNetwork, PairNetworkConfig
from .weights import read_weights, write_weights

_KIND = "pair network"


def save_pair_weights(
    path: str | os.PathLike[str], network: PairNetwork, record: dict[str, Any]
) -> None:
    """Write the weights in 16 bits, and the record of the training that made them.

    Raises TrainingError for a weight that 16 bits cannot hold.
    """
    write_weights(Path(path), _KIND, network, record)


def load_pair_weights(path: str | os.PathLike[str]) -> tuple[PairNetwork, dict[str, Any]]:
    """Return the network of a weights file and the record of its training.

    Raises FileNotFoundError, TrainingError for a file that holds no such weights.
    """
    return read_weights(
        Path(path), _KIND, lambda config: PairNetwork(PairNetworkConfig(**config), seed=0)
    )
