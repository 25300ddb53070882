"""Pairs of hands to learn from: those of solved deals, and rows of mean tricks.

A solved deal is two lessons: North-South's hands with East-West's unseen, and the reverse. Each is
one layout of the unseen cards out of millions, so its tricks are a sample of what two-hand
estimation asks for. A row holds the mean over several layouts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...cards import DealSet
from ...cards.sizes import STRAINS, SUITS
from ...dealing import random_deals
from ...formats.hand2vec import PairSet
from ..checkpoints import TrainingError
from ..deals.data import Labelled, shares
from ..pair_network import PairNetwork, expected_tricks
from ..solved import checksum, known_tricks

_SIDES = ((0, 2), (1, 3))


@dataclass(frozen=True, slots=True)
class PairRows:
    """Pairs of hands with mean tricks, as tensors."""

    hands: Tensor
    """(n, 2, 52) uint8, zeros and ones."""
    tricks: Tensor
    """(n, 5, 2) float32, strains S H D C N, declared by the first hand and by the second."""
    sha256: str
    """Checksum that says which rows these are."""

    def __len__(self) -> int:
        return len(self.hands)


class PairBatch(NamedTuple):
    """Pairs of a step with distributions of tricks."""

    hands: Tensor
    """(b, 2, 52) uint8"""
    targets: Tensor
    """(b, 5, 2, 14) float32 probabilities"""


def pair_rows(pairs: PairSet) -> PairRows:
    """Return what ``read_pairs`` read as tensors."""
    hands = np.stack([pairs.norths, pairs.souths], axis=1).astype(np.uint8)
    return _rows(hands, pairs.tricks)


def join_rows(parts: Sequence[PairRows]) -> PairRows:
    """Return all rows as one."""
    return _rows(
        np.concatenate([part.hands.numpy() for part in parts]),
        np.concatenate([part.tricks.numpy() for part in parts]),
    )


def solved_rows(deals: DealSet) -> PairRows:
    """Return both pairs of every solved deal, with the tricks of that one layout.

    Raises ValueError when a deal is not wholly solved.
    """
    tricks = known_tricks(deals)
    both = np.concatenate([tricks[:, :, list(side)] for side in _SIDES])
    return _rows(_both_pairs(deals.owners), both.astype(np.float32))


def teach_rows(network: PairNetwork, n: int, seed: int, *, chunk: int = 1024) -> PairRows:
    """Return ``n`` pairs of the random deals of ``seed`` with the tricks the network expects."""
    hands = np.empty((n, 2, 52), np.uint8)
    tricks = np.empty((n, STRAINS, 2), np.float32)
    for start in range(0, n, 2 * chunk):
        rows = slice(start, min(start + 2 * chunk, n))
        both = _both_pairs(random_deals(chunk, seed, start // 2).owners)
        hands[rows] = both[: rows.stop - start]
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            logits = network.eval()(torch.from_numpy(hands[rows]))
        tricks[rows] = expected_tricks(logits).numpy()
    return _rows(hands, tricks)


def _both_pairs(owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the (2 n, 2, 52) pairs of (n, 52) deals: all of North-South, then all of East-West."""
    pairs = [np.stack([owners == seat for seat in side], axis=1) for side in _SIDES]
    return np.concatenate(pairs).astype(np.uint8)


def _rows(hands: NDArray[np.uint8], tricks: NDArray[np.float32]) -> PairRows:
    return PairRows(torch.from_numpy(hands), torch.from_numpy(tricks), checksum(hands, tricks))


def take_pairs(data: Labelled, step: int, deals: int, seed: int) -> PairBatch:
    """Return both pairs of each of the ``deals`` deals of a step.

    Raises TrainingError when there are fewer deals than a step takes.
    """
    rows = _batch(len(data), step, deals, seed)
    owners, targets = data.owners[rows], shares(data.labels[rows])
    hands = [torch.stack([owners == seat for seat in side], dim=1) for side in _SIDES]
    return PairBatch(
        torch.cat(hands).to(torch.uint8),
        torch.cat([targets[:, :, list(side)] for side in _SIDES]),
    )


def take_rows(rows: PairRows, step: int, batch: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return hands (b, 2, 52) and tricks (b, 5, 2) of a step.

    Raises TrainingError when there are fewer rows than a step takes.
    """
    chosen = _batch(len(rows), step, batch, seed)
    return rows.hands[chosen], rows.tricks[chosen]


def turned_rows(
    hands: Tensor, tricks: Tensor, step: int, seed: int, *, rotate: bool = True
) -> tuple[Tensor, Tensor]:
    """Exchange the hands of half the rows, and shift the suits of each by a random number.

    The paper's eight views of a pair; two where suits do not ``rotate``. Returns hands (b, 2, 52)
    and the first hand's tricks (b, 5).
    """
    rng = np.random.default_rng([seed, step, 1])
    flip = torch.from_numpy(rng.integers(2, size=len(hands)))
    shift = torch.from_numpy(rng.integers(SUITS if rotate else 1, size=len(hands)))
    rows = torch.arange(len(hands))
    order = (torch.arange(SUITS) + shift[:, None]) % SUITS  # (b, 4): the suit that comes here
    strains = torch.cat([order, torch.full((len(hands), 1), SUITS)], dim=1)
    seats = torch.stack([flip, 1 - flip], dim=1)
    suits = hands.view(-1, 2, SUITS, 13)
    moved = suits[rows[:, None, None], seats[:, :, None], order[:, None]]
    return moved.flatten(2), tricks[rows[:, None], strains, flip[:, None]]


def _batch(n: int, step: int, batch: int, seed: int) -> Tensor:
    """Return the rows of a step: without replacement within a pass over all."""
    if n < batch:
        raise TrainingError(f"{n} are fewer than the {batch} of a step")
    epoch, place = divmod(step, n // batch)
    return torch.from_numpy(_order(n, epoch, seed)[place * batch : (place + 1) * batch])


@lru_cache(maxsize=3)  # a step takes from three sources at most
def _order(n: int, epoch: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, epoch, n]).permutation(n)
