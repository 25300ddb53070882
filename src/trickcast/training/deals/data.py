"""Labelled deals on the training device, and the batches that a step takes of them.

Which deals a step takes follows from (seed, step) alone, by the counter-based generator Philox: a
training resumed at any step goes on exactly, and needs no state of a generator.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...cards import UNKNOWN, DealSet
from ...cards.endings import cards_a_hand, packed
from ...cards.sizes import COUNTS, RANKS, SEATS, SUITS
from ..checkpoints import TrainingError
from ..solved import checksum, known_tricks
from ..suits import turned

_ORDER, _TURNS = 0, 1  # what a draw is for: a part of the generator's counter


@dataclass(frozen=True, slots=True)
class Labelled:
    """Deals with what is known of their results, as tensors on one device."""

    owners: Tensor
    """(n, 52) uint8; 255 for cards that are gone."""
    labels: Tensor
    """(n, 5, 4) uint8 tricks, 255 where they are not known, or (n, 5, 4, 14) uint8 shares: a
    teacher's probabilities × 255."""
    sha256: str
    """Checksum that says which deals and labels these are."""

    def __len__(self) -> int:
        return len(self.owners)

    def to(self, device: torch.device) -> "Labelled":
        """Return the same on another device."""
        return Labelled(self.owners.to(device), self.labels.to(device), self.sha256)

    def require_whole(self) -> None:
        """Raise ValueError when a result is not known."""
        if self.labels.ndim == 3 and (unknown := (self.labels == UNKNOWN).flatten(1).any(1)).any():
            row = int(unknown.int().argmax())
            raise ValueError(
                f"deal {row} of {len(self)}: not all results are known (expected whole tables)"
            )


class DealBatch(NamedTuple):
    """What one step learns from."""

    owners: Tensor
    """(b, 52) uint8"""
    targets: Tensor
    """(b, 5, 4, 14) float32 probabilities, zeros where a result is not known"""


def labelled(deals: DealSet, *, whole: bool = True) -> Labelled:
    """Return solved deals as tensors.

    Raises ValueError when a deal is not wholly solved; or, not ``whole``, when nothing is known of
    a deal.
    """
    tricks = known_tricks(deals) if whole else deals.tricks_or_unknown
    if (nothing := (tricks == UNKNOWN).all((1, 2))).any() or len(deals) == 0:
        row = f"deal {int(nothing.argmax())} of {len(deals)}" if len(deals) else "no deals"
        raise ValueError(f"{row}: nothing is known (expected solved deals)")
    return from_arrays(deals.owners.copy(), tricks.copy())


def labelled_endings(owners: NDArray[np.uint8], tricks: NDArray[np.uint8]) -> Labelled:
    """Return solved endings, (n, 52) owners and (n, 5, 4) tricks, as tensors.

    Only the order of a suit's cards matters in play, so those left move up to the highest ranks.
    Tricks that are not known are 255. Raises ValueError for the first row that is no ending: all
    hands have equally many cards, and no side takes more tricks than that.
    """
    cards = cards_a_hand(owners)
    most = np.where(tricks == UNKNOWN, 0, tricks).max((1, 2))
    if (most > cards).any():
        row = int((most > cards).argmax())
        raise ValueError(
            f"ending {row} of {len(owners)}: {most[row]} tricks (expected at most the "
            f"{cards[row]} cards of a hand)"
        )
    return from_arrays(packed(owners), tricks.copy())


def from_arrays(owners: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Labelled:
    """Return checked arrays as tensors on the same memory, with their SHA-256."""
    return Labelled(torch.from_numpy(owners), torch.from_numpy(labels), checksum(owners, labels))


def take(
    data: Labelled, step: int, batch: int, *, seed: int, turn: bool, part: tuple[int, int] = (0, 1)
) -> DealBatch:
    """Return the batch of a step: without replacement within a pass over the deals.

    ``part`` is (rank, world): each process takes its share of the batch. With ``turn``, every
    deal is turned by a random number of seats and its labels with it. Raises TrainingError when
    there are fewer deals than a batch takes.
    """
    if len(data) < batch:
        raise TrainingError(f"{len(data)} deals are fewer than a batch of {batch}")
    epoch, place = divmod(step, len(data) // batch)
    mine = slice(place * batch + part[0], (place + 1) * batch, part[1])
    rows = torch.from_numpy(_order(seed, epoch, len(data))[mine]).to(data.owners.device)
    owners, targets = data.owners[rows], shares(data.labels[rows])
    if not turn:
        return DealBatch(owners, targets)
    turns = _generator(seed, step, _TURNS).integers(SEATS, size=batch, dtype=np.uint8)
    return turned_batch(
        owners, targets, torch.from_numpy(turns[part[0] :: part[1]]).to(owners.device)
    )


def turned_batch(owners: Tensor, targets: Tensor, turns: Tensor) -> DealBatch:
    """Move hand and result of each deal by its number of seats, (b,) uint8."""
    seats = torch.arange(SEATS, device=turns.device)
    source = (seats - turns[:, None].long()) % SEATS  # the seat whose result comes to stand here
    index = source[:, None, :, None].expand_as(targets)
    return DealBatch(turned(owners, turns[:, None]), targets.gather(2, index))


def exchanged(
    owners: Tensor, ranks: int, part: slice = slice(None), batch: int | None = None
) -> Tensor:
    """Return (b, 52) owners of whole deals, the ``ranks`` lowest cards of each suit dealt anew to
    the hands that held them, by torch's own generator. They are a ``part`` of a ``batch``, for all
    of which is drawn.

    Lengths stay, and so do nearly all results: in 320 deals that DDS solved again, three and four
    ranks changed 0.1 % of them, five 0.7 % and six 2.9 % (``docs/make_exchange.py``).
    """
    suits = owners.view(-1, SUITS, RANKS)
    low = suits[..., RANKS - ranks :]
    shape = (batch or len(low), *low.shape[1:])
    order = torch.rand(shape, device=owners.device)[part].argsort(-1)
    return torch.cat([suits[..., : RANKS - ranks], low.gather(-1, order)], -1).flatten(1)


def shares(labels: Tensor) -> Tensor:
    """Return float32 probabilities (b, 5, 4, 14) of labels of either kind, zeros for unknown."""
    if labels.ndim == 3:
        counts = torch.arange(COUNTS, dtype=torch.uint8, device=labels.device)
        return (labels[..., None] == counts).float()
    levels = labels.float()
    return levels / levels.sum(-1, keepdim=True)


def deal_on(device: torch.device, n: int, seed: int) -> Tensor:
    """Return (n, 52) owners of random deals, made on the device: a sort of random numbers."""
    generator = torch.Generator(device).manual_seed(seed)
    numbers = torch.rand(n, 52, generator=generator, device=device)
    return (numbers.argsort(1) % SEATS).to(torch.uint8)


def step_seed(seed: int, step: int, rank: int) -> int:
    """Return a seed for what a step draws on its device (deals to be taught, dropout)."""
    words = np.random.SeedSequence([seed, step, rank]).generate_state(2, np.uint32)
    return int(words[0]) << 31 | int(words[1]) >> 1  # 63 bits


@lru_cache(maxsize=4)
def _order(seed: int, epoch: int, n: int) -> NDArray[np.int64]:
    return _generator(seed, epoch, _ORDER).permutation(n)


def _generator(seed: int, count: int, use: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, count, use]))
