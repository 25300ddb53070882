"""What trainings learn from: labelled deals, labelled pairs of hands, and the batches of a step.

The deals of a step depend only on (seed, step), through the counter-based generator Philox. So a
training resumed at any step continues exactly, without a stored generator state.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .._arrays import array_header
from .._files import read_json
from ..cards import UNKNOWN, DealSet, cut
from ..cards.positions import cards_a_hand, packed
from ..cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS
from ..dealing import random_deals
from ..dealing.shuffling import checked_seed
from ..formats.hand2vec import PairSet
from ..library.shards import checked_range
from .errors import TrainingError
from .solved_deals import checksum, known_tricks
from .suit_networks import PairNetwork, expected_tricks, mean_probabilities

# --- whole deals ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Labelled:
    """Deals and their known results, as tensors on one device."""

    owners: Tensor
    """(n, 52) uint8; 255 for played cards."""
    labels: Tensor
    """(n, 5, 4) uint8 tricks, 255 if unknown, or (n, 5, 4, 14) uint8 shares: a
    teacher's probabilities × 255."""
    sha256: str
    """Checksum that identifies these deals and labels."""

    def __len__(self) -> int:
        return len(self.owners)

    def to(self, device: torch.device) -> "Labelled":
        """Return the same on another device."""
        return Labelled(self.owners.to(device), self.labels.to(device), self.sha256)

    def require_whole(self) -> None:
        """Raise ValueError if a result is unknown."""
        if self.labels.ndim == 3 and (unknown := (self.labels == UNKNOWN).flatten(1).any(1)).any():
            row = int(unknown.int().argmax())
            raise ValueError(
                f"deal {row} of {len(self)}: not all results are known (expected whole tables)"
            )


class DealBatch(NamedTuple):
    """The lessons of one step."""

    owners: Tensor
    """(b, 52) uint8"""
    targets: Tensor
    """(b, 5, 4, 14) float32 probabilities, zeros for unknown results"""


def labelled(deals: DealSet, *, whole: bool = True) -> Labelled:
    """Return solved deals as tensors.

    Raises ValueError if a deal is not completely solved; or, unless ``whole``, if nothing is known
    of a deal.
    """
    tricks = known_tricks(deals) if whole else deals.tricks_or_unknown
    if (nothing := (tricks == UNKNOWN).all((1, 2))).any() or len(deals) == 0:
        row = f"deal {int(nothing.argmax())} of {len(deals)}" if len(deals) else "no deals"
        raise ValueError(f"{row}: nothing is known (expected solved deals)")
    return from_arrays(deals.owners.copy(), tricks.copy())


def labelled_positions(owners: NDArray[np.uint8], tricks: NDArray[np.uint8]) -> Labelled:
    """Return solved positions, (n, 52) owners and (n, 5, 4) tricks, as tensors.

    Only the order of a suit's cards matters in play, so those left move up to the highest ranks.
    Unknown tricks are 255. Raises ValueError for the first invalid row: in a position
    all hands have equally many cards, and no side takes more tricks than that.
    """
    cards = cards_a_hand(owners)
    most = np.where(tricks == UNKNOWN, 0, tricks).max((1, 2))
    if (most > cards).any():
        row = int((most > cards).argmax())
        raise ValueError(
            f"position {row} of {len(owners)}: {most[row]} tricks (expected at most the "
            f"{cards[row]} cards of a hand)"
        )
    return from_arrays(packed(owners), tricks.copy())


def from_arrays(owners: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Labelled:
    """Return checked arrays as tensors on the same memory, with their SHA-256."""
    return Labelled(torch.from_numpy(owners), torch.from_numpy(labels), checksum(owners, labels))


def take(
    data: Labelled, step: int, batch: int, *, seed: int, part: tuple[int, int] = (0, 1)
) -> DealBatch:
    """Return the batch of a step: without replacement within a pass over the deals.

    ``part`` is (rank, world): each process takes its share of the batch. Raises TrainingError
    if there are fewer deals than a batch takes.
    """
    if len(data) < batch:
        raise TrainingError(f"{len(data)} deals are fewer than a batch of {batch}")
    epoch, place = divmod(step, len(data) // batch)
    mine = slice(place * batch + part[0], (place + 1) * batch, part[1])
    rows = _order(seed, epoch, len(data), data.owners.device)[mine]
    return DealBatch(data.owners[rows], shares(data.labels[rows]))


def exchanged(
    owners: Tensor, ranks: int, part: slice = slice(None), batch: int | None = None
) -> Tensor:
    """Return (b, 52) owners of whole deals, with the ``ranks`` lowest cards of each suit redealt
    to the hands that held them, by torch's own generator. They are a ``part`` of a ``batch``;
    random numbers are drawn for all of it.

    Lengths stay, and so do nearly all results. In 320 deals that DDS solved again, three and four
    ranks changed 0.1 % of them, five 0.7 % and six 2.9 % (``docs/make_exchange.py``).
    """
    suits = owners.view(-1, SUITS, RANKS)
    low = suits[..., RANKS - ranks :]
    shape = (batch or len(low), *low.shape[1:])
    order = torch.rand(shape, device=owners.device)[part].argsort(-1)
    return torch.cat([suits[..., : RANKS - ranks], low.gather(-1, order)], -1).flatten(1)


def shares(labels: Tensor) -> Tensor:
    """Return float32 probabilities (b, 5, 4, 14) for labels of either kind, zeros for unknown."""
    if labels.ndim == 3:
        counts = torch.arange(COUNTS, dtype=torch.uint8, device=labels.device)
        return (labels[..., None] == counts).float()
    levels = labels.float()
    return levels / levels.sum(-1, keepdim=True)


def deal_on(device: torch.device, n: int, seed: int) -> Tensor:
    """Return (n, 52) owners of random deals, made on the device by sorting random numbers."""
    generator = torch.Generator(device).manual_seed(seed)
    numbers = torch.rand(n, 52, generator=generator, device=device)
    return (numbers.argsort(1) % SEATS).to(torch.uint8)


def step_seed(seed: int, step: int, rank: int) -> int:
    """Return a seed for the random numbers of a step on its device (deals to label, dropout)."""
    words = np.random.SeedSequence([seed, step, rank]).generate_state(2, np.uint32)
    return int(words[0]) << 31 | int(words[1]) >> 1  # 63 bits


@lru_cache(maxsize=4)
def _order(seed: int, epoch: int, n: int, device: torch.device) -> Tensor:
    """Return the order of a pass, on the device: copying it at every step would stall."""
    rng = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, epoch, 0]))
    return torch.from_numpy(rng.permutation(n)).to(device)


# --- deals labelled by a teacher ------------------------------------------------------------------


_FORMAT = "trickcast taught deals 1"
_LEVELS = 255


def teach(
    teachers: Sequence[nn.Module],
    n: int,
    seed: int,
    folder: str | os.PathLike[str],
    *,
    start: int = 0,
    device: str = "cpu",
    precision: str = "bfloat16",
    chunk: int = 1024,
    report: Callable[[int], None] = lambda done: None,
) -> Labelled:
    """Label the random deals ``start`` to ``start + n - 1`` of ``seed`` and store them in a folder.

    ``labels.npy`` is (n, 5, 4, 14) uint8, the mean probabilities of the teachers in 255ths: 280
    bytes per deal. ``taught.json`` identifies the deals, has the labels' SHA-256 for the records
    of trainings that use them, and is written last. ``report`` receives
    the number of deals done; ``precision`` is that of the products, float32 or bfloat16.

    The folder's old contents are deleted first. Raises ValueError, before that, without
    teachers or for numbers out of range, TypeError for numbers that are not whole.
    """
    n, start = checked_range(n, start, "deals")
    seed = checked_seed(seed)
    if not teachers:
        raise ValueError("no teachers (expected one or more)")
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    (root / "taught.json").unlink(missing_ok=True)
    shape = (n, STRAINS, SEATS, COUNTS)
    labels = np.lib.format.open_memmap(root / "labels.npy", "w+", np.uint8, shape)
    models = [teacher.to(device).eval() for teacher in teachers]
    kind, narrow = torch.device(device).type, precision == "bfloat16"
    for begin in range(0, n, chunk):
        owners = random_deals(min(chunk, n - begin), seed, start + begin).owners
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=narrow):
            taught = mean_probabilities(models, torch.from_numpy(owners.copy()).to(device))
        labels[begin : begin + chunk] = (taught * _LEVELS).round().byte().cpu().numpy()
        report(begin + len(owners))
    labels.flush()
    with (root / "labels.npy").open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    content = {"format": _FORMAT, "deals": n, "seed": seed, "start": start, "sha256": digest}
    (root / "taught.json").write_text(json.dumps(content) + "\n", "utf-8")
    return taught_deals(root)


def taught_deals(folder: str | os.PathLike[str]) -> Labelled:
    """Return the deals of a folder filled by ``teach``; labels stay in the file until read.

    Raises TrainingError if it is incomplete.
    """
    root = Path(folder)
    try:
        content = read_json((root / "taught.json").read_bytes())
        with (root / "labels.npy").open("rb") as file:
            header = array_header(file)
        shape = (content["deals"], STRAINS, SEATS, COUNTS)
        known = header.shape == shape and header.dtype == np.dtype(np.uint8)
        if content["format"] != _FORMAT or not known:
            raise ValueError(f"{content}, with {header.dtype} labels of shape {header.shape}")
        labels = np.load(root / "labels.npy", mmap_mode="c")  # torch wants writable memory
        owners = random_deals(content["deals"], content["seed"], content["start"]).owners.copy()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(
            f"{root}: not a complete set of taught deals ({cut(str(error))})"
        ) from None
    return Labelled(
        torch.from_numpy(owners), torch.from_numpy(labels), f"{root.name}: {json.dumps(content)}"
    )


# --- pairs of hands -------------------------------------------------------------------------------


_SIDES = ((0, 2), (1, 3))


@dataclass(frozen=True, slots=True)
class PairRows:
    """Pairs of hands with mean tricks, as tensors."""

    hands: Tensor
    """(n, 2, 52) uint8, zeros and ones."""
    tricks: Tensor
    """(n, 5, 2) float32, strains S H D C N, declared by the first hand and by the second."""
    sha256: str
    """Checksum that identifies these rows."""

    def __len__(self) -> int:
        return len(self.hands)


class PairBatch(NamedTuple):
    """Pairs of a step with distributions of tricks."""

    hands: Tensor
    """(b, 2, 52) uint8"""
    targets: Tensor
    """(b, 5, 2, 14) float32 probabilities"""


def pair_rows(pairs: PairSet) -> PairRows:
    """Return the result of ``read_pairs`` as tensors."""
    hands = np.stack([pairs.norths, pairs.souths], axis=1).astype(np.uint8)
    return _rows(hands, pairs.tricks)


def join_rows(parts: Sequence[PairRows]) -> PairRows:
    """Return all rows in one."""
    return _rows(
        np.concatenate([part.hands.numpy() for part in parts]),
        np.concatenate([part.tricks.numpy() for part in parts]),
    )


def solved_rows(deals: DealSet) -> PairRows:
    """Return both pairs of every solved deal, with the tricks of that single layout.

    Raises ValueError if a deal is not completely solved.
    """
    tricks = known_tricks(deals)
    both = np.concatenate([tricks[:, :, list(side)] for side in _SIDES])
    return _rows(_both_pairs(deals.owners), both.astype(np.float32))


def teach_rows(network: PairNetwork, n: int, seed: int, *, chunk: int = 1024) -> PairRows:
    """Return ``n`` pairs from the random deals of ``seed`` with the network's expected tricks."""
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

    Raises TrainingError if there are fewer deals than a step takes.
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

    Raises TrainingError if there are fewer rows than a step takes.
    """
    chosen = _batch(len(rows), step, batch, seed)
    return rows.hands[chosen], rows.tricks[chosen]


def turned_rows(
    hands: Tensor, tricks: Tensor, step: int, seed: int, *, rotate: bool = True
) -> tuple[Tensor, Tensor]:
    """Exchange the hands of half the rows, and shift the suits of each by a random number.

    These are the paper's eight views of a pair; two unless suits ``rotate``. Returns hands
    (b, 2, 52) and the first hand's tricks (b, 5).
    """
    rng = np.random.default_rng([seed, step, 1])
    flip = torch.from_numpy(rng.integers(2, size=len(hands)))
    shift = torch.from_numpy(rng.integers(SUITS if rotate else 1, size=len(hands)))
    rows = torch.arange(len(hands))
    order = (torch.arange(SUITS) + shift[:, None]) % SUITS  # (b, 4): the suit that moves here
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
    return torch.from_numpy(_pair_order(n, epoch, seed)[place * batch : (place + 1) * batch])


@lru_cache(maxsize=3)  # a step takes from at most three sources
def _pair_order(n: int, epoch: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, epoch, n]).permutation(n)
