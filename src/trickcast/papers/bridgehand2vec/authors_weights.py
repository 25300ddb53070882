"""BridgeHand2Vec's own weights, as its authors published them.

``model.pth`` of github.com/johny-b/BridgeHand2Vec (MIT) as an ``.npz`` of arrays, named after its
layers: ``emb1`` to ``emb3``, ``batch_norm``, ``hid1``, ``hid2``, ``out``. A hand's inputs are
clubs, diamonds, hearts, spades, each from the two to the ace: our order reversed. Outputs are
tricks in clubs, diamonds, hearts, spades and notrump. Of the possible orders, only this one
reproduces what the paper prints.
"""

import os
from pathlib import Path

import numpy as np
import torch

from ..._arrays import read_arrays
from ...cards import shorten
from .hand2vec_network import Hand2Vec

_MOST = 1_000_000
"""Most bytes that the arrays may have; they have a hundred thousand."""
_LAYERS = {
    "embedding.0": "emb1", "embedding.1": "emb2", "embedding.2": "emb3",
    "head.0": "hid1", "head.1": "hid2", "head.2": "out",
}  # fmt: skip
"""Our names of the layers, and the authors'."""
_STRAINS = [3, 2, 1, 0, 4]
"""Where S H D C N stand among the authors' outputs."""


def read_authors_network(path: str | os.PathLike[str]) -> Hand2Vec:
    """Return the authors' network, in our order of cards and strains.

    Raises ValueError for a file of anything else, and OSError.
    """
    try:
        arrays = read_arrays(Path(path).read_bytes(), _MOST)
        state = {f"{ours}.{part}": arrays[f"{theirs}.{part}"]
                 for ours, theirs in _LAYERS.items() for part in ("weight", "bias")}  # fmt: skip
        for part in ("running_mean", "running_var", "num_batches_tracked"):
            state[f"norm.{part}"] = arrays[f"batch_norm.{part}"]
        state["embedding.0.weight"] = state["embedding.0.weight"][:, ::-1]
        for part in ("weight", "bias"):
            state[f"head.2.{part}"] = state[f"head.2.{part}"][_STRAINS]
        network = Hand2Vec(seed=0)
        weights = {name: torch.from_numpy(np.array(array)) for name, array in state.items()}
        network.load_state_dict(weights)
    except (KeyError, IndexError, ValueError, RuntimeError) as error:
        raise ValueError(
            f"{os.fspath(path)}: not the weights of BridgeHand2Vec ({shorten(str(error))})"
        ) from None
    return network.eval()
