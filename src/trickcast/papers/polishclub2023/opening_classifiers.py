"""The three networks of BridgeHand2Vec 2023, Table 9: Raw, Heuristic and Combined.

Each is two perceptrons with hidden layers of 8, 16 and 8, one for the level of the opening and
one for its denomination. The paper does not state activations, optimiser, epochs, or the coding of
pass. Here they are ReLU and softmax, Adam, and pass as level 0 with no denomination.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...bidding import PASS, LabelledHands, code_counts
from ...cards import Strain
from ...dealing.language.calls import level
from .held_out import split

Floats = NDArray[np.float32]
HIDDEN = (8, 16, 8)
_LEVELS, _STRAINS = 8, 6  # level 0 and the sixth denomination are pass


def raw(hands: NDArray[np.bool_]) -> Floats:
    """Return the 52 cards: (n, 52)."""
    return hands.astype(np.float32)


def combined(hands: NDArray[np.bool_]) -> Floats:
    """Return the cards and the nine counts: (n, 61)."""
    return np.concatenate([raw(hands), code_counts(hands)], axis=1)


INPUTS: dict[str, Callable[[NDArray[np.bool_]], Floats]] = {
    "raw": raw,
    "heuristic": code_counts,
    "combined": combined,
}


@dataclass(frozen=True, kw_only=True)
class NetworkTraining:
    """How the perceptrons are trained: of four settings that we tried, the best for all three."""

    epochs: int = 60
    rate: float = 0.005
    batch: int = 64
    weight_decay: float = 0.3
    seed: int = 1


class _Perceptrons(nn.Module):
    """One perceptron for each fold, trained side by side."""

    def __init__(self, folds: int, sizes: Sequence[int], generator: torch.Generator):
        super().__init__()
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for inputs, outputs in pairwise(sizes):
            bound = (6 / inputs) ** 0.5  # He et al. 2015, for ReLU
            weight = torch.empty(folds, inputs, outputs).uniform_(
                -bound, bound, generator=generator
            )
            self.weights.append(nn.Parameter(weight))
            self.biases.append(nn.Parameter(torch.zeros(folds, 1, outputs)))

    def forward(self, x: Tensor) -> Tensor:
        """Turn (folds, n, inputs) into (folds, n, classes) logits."""
        last = len(self.weights) - 1
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = torch.baddbmm(bias, x, weight)
            x = x if i == last else x.relu()
        return x


def cross_validated_bids(
    model: str,
    labelled: LabelledHands,
    folds: int = 10,
    seed: int = 1,
    training: NetworkTraining | None = None,
) -> list[str]:
    """Return the bids of ``raw``, ``heuristic`` or ``combined``, one for every hand.

    Each hand is bid by networks trained on the other folds, the same folds as in
    ``held_out.cross_validate``. Raises ValueError for another model.
    """
    if model not in INPUTS:
        raise ValueError(f"{model!r} is no model of Table 9 (expected {', '.join(INPUTS)})")
    settings = training or NetworkTraining()
    inputs = torch.from_numpy(INPUTS[model](labelled.hands))
    levels, strains = _classes(labelled.calls)
    parts = split(len(labelled), folds, seed)
    outputs = []
    for classes, count in ((levels, _LEVELS), (strains, _STRAINS)):
        networks = _train(inputs, torch.from_numpy(classes), count, [t for t, _ in parts], settings)
        logits = np.empty((len(labelled), count), dtype=np.float32)
        with torch.inference_mode():
            for fold, (_, held_out) in enumerate(parts):
                rows = inputs[held_out].expand(folds, -1, -1)
                logits[held_out] = networks(rows)[fold].numpy()
        outputs.append(logits)
    return _calls(*outputs)


def _train(
    inputs: Tensor,
    classes: Tensor,
    count: int,
    training_rows: Sequence[NDArray[np.int64]],
    settings: NetworkTraining,
) -> _Perceptrons:
    generator = torch.Generator().manual_seed(settings.seed)
    folds = len(training_rows)
    networks = _Perceptrons(folds, (inputs.shape[1], *HIDDEN, count), generator)
    optimizer = torch.optim.AdamW(
        networks.parameters(), lr=settings.rate, weight_decay=settings.weight_decay
    )
    size = min(len(rows) for rows in training_rows)  # folds differ by at most one hand
    rows = torch.from_numpy(np.stack([part[:size] for part in training_rows]))  # (folds, size)
    for _ in range(settings.epochs):
        order = torch.rand(folds, size, generator=generator).argsort(dim=1)
        for batch in torch.split(rows.gather(1, order), settings.batch, dim=1):
            logits = networks(inputs[batch]).flatten(0, 1)
            loss = nn.functional.cross_entropy(logits, classes[batch].flatten()) * folds
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return networks


def _classes(calls: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    levels = np.array([level(call) for call in calls])
    strains = np.array([5 if call == PASS else Strain.parse(call[1]) for call in calls])
    return levels.astype(np.int64), strains.astype(np.int64)


def _calls(levels: Floats, strains: Floats) -> list[str]:
    """Return pass if level 0 is likeliest, else the likeliest level and denomination."""
    best = strains[:, :5].argmax(axis=1)
    return [
        PASS if row == 0 else f"{row}{Strain(strain).letter}"
        for row, strain in zip(levels.argmax(axis=1).tolist(), best.tolist(), strict=True)
    ]
