"""From a trained network of pairs of hands to the ONNX file that ships."""

import json
import os
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...cards import DealSet
from ...model_format import PAIR_MODEL_FORMAT
from ...papers.networks import run_all
from ..pair_network import PairNetwork
from ..pairs.data import solved_rows
from ..solved import known_tricks
from .calibration import fit_sharpness
from .ending import parity_owners, write_model
from .pair_graph import PairGraph


@dataclass(frozen=True, slots=True)
class About:
    """What the file of a model of two hands is told to say of itself."""

    name: str
    scores: dict[str, float]
    """``pairs``, the held-out rows, and the mean squared errors on these."""
    training: dict[str, Any]
    """Configuration and progress."""

    def metadata(self, kind: str, **of_kind: Any) -> dict[str, str]:
        """Return the metadata of a file of that kind, and what only files of that kind state."""
        stated = {key: json.dumps(value) for key, value in of_kind.items()}
        return stated | {
            "format": PAIR_MODEL_FORMAT,
            "kind": kind,
            "name": self.name,
            "scores": json.dumps({key: round(value, 5) for key, value in self.scores.items()}),
            "training": json.dumps(self.training),
        }


def export_pairs(
    network: PairNetwork, about: About, solved: DealSet, path: str | os.PathLike[str]
) -> None:
    """Write a network of distributions: ``hands`` (n, 2, 52) in, ``probabilities`` out.

    These are (n, 5, 2, 14): strains S H D C N, declared by the first hand and by the second. The
    ``solved`` deals, none that was trained on, fit how sure the answers are. Raises TrainingError
    when the file does not answer as torch.
    """
    net = deepcopy(network).eval().half().float()  # torch shall answer with the file's weights
    hands = solved_rows(solved).hands.numpy()
    tricks = np.concatenate([known_tricks(solved)[:, :, side] for side in ([0, 2], [1, 3])])
    sharpness = fit_sharpness(torch.from_numpy(run_all(net, hands, chunk=1024)), tricks)
    parity = parity_hands()
    logits = torch.from_numpy(run_all(net, parity)) * torch.tensor(sharpness)[:, None, None]
    write_model(
        Path(path),
        PairGraph(net).to_onnx(sharpness),
        about.metadata("distributions", sharpness=sharpness),
        {"hands": parity},
        {"probabilities": logits.softmax(-1).numpy()},
    )


def parity_hands() -> NDArray[np.uint8]:
    """Return the (64, 2, 52) hands of North and South in the deals of the parity files."""
    owners = parity_owners()
    return np.stack([owners == 0, owners == 2], axis=1).astype(np.uint8)
