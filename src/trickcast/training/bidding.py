"""The training of the network of calls: auctions of played boards, and auctions of teachers.

Boards are read from a folder of PBN files. Deals are kept apart by their cards and events by their
names, whole; a step learns from whole auctions, all turns of all four seats.
"""

import hashlib
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from ..cards import Board
from ..cards.auction import CALL_NUMBER, CALLS, PASS, CallError, auction_states
from ..encodings.auctions import SIDES, STYLES, WIDTH, encode_calls, with_sides
from ..formats import FormatWarning, stream
from ..networks.bidding import BiddingNetwork, BiddingNetworkConfig
from ..networks.settings import SHARE, at_least, setting
from .checkpoints import TrainingError
from .schedule import ScheduleConfig, Scheduled
from .trainer import Lessons

DEALS_APART, EVENTS_APART = 20, 16
"""One deal in so many and one event in so many, by their hashes, are kept for validation."""
_POINTS = np.tile(np.array([4, 3, 2, 1] + [0] * 9), 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiddingConfig(ScheduleConfig):
    """Everything that decides a training besides its boards. Raises ValueError for a bad value."""

    network: BiddingNetworkConfig = field(default_factory=BiddingNetworkConfig)
    batch: int = setting(256, "auctions in a step", at_least(1))
    unknown: float = setting(0.5, "share of sides whose methods are not told", SHARE)
    taught: int = setting(0, "auctions of teachers in a step, besides", at_least(0))
    told: float = setting(0.0, "share of the loss that is the teachers' word on boards", SHARE)


class Auctions(NamedTuple):
    """Auctions, turn by turn: n turns of m auctions."""

    rows: NDArray[np.uint8]
    """(n, WIDTH) as ``encodings.auctions`` has them."""
    allowed: NDArray[np.bool_]
    """(n, 38)."""
    calls: NDArray[np.int64]
    """(n,) what was called."""
    starts: NDArray[np.int64]
    """(m + 1,) the first turn of each auction, and the end."""
    hands: NDArray[np.bool_]
    """(m, 4, 52) from the dealer on."""

    def __len__(self) -> int:
        return len(self.hands)

    @property
    def sha256(self) -> str:
        """A digest of hands and calls."""
        digest = hashlib.sha256(np.packbits(self.hands).tobytes())
        digest.update(self.calls.astype(np.uint8).tobytes())
        digest.update(self.rows[:, -SIDES:].tobytes())
        return digest.hexdigest()


class Batch(NamedTuple):
    """Some auctions as the network takes them: see ``BiddingNetwork.forward``."""

    rows: Tensor
    lengths: Tensor
    hands: Tensor
    seats: Tensor
    turns: NDArray[np.int64]
    """(n,) which turns of ``Auctions`` the rows are."""


def batch_of(auctions: Auctions, chosen: NDArray[np.int64]) -> Batch:
    """Arrange auctions for the network."""
    begin, end = auctions.starts[chosen], auctions.starts[chosen + 1]
    counts = end - begin
    of = np.repeat(np.arange(len(chosen)), counts)
    turn = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
    lengths = ((counts[:, None] - np.arange(4) + 3) // 4).clip(0).ravel()
    order = np.argsort(-lengths, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    seats = place[4 * of + turn % 4]
    into = np.lexsort((seats, turn // 4))
    there = lengths[order] > 0
    turns = (begin[of] + turn)[into]
    return Batch(
        torch.from_numpy(auctions.rows[turns]),
        torch.from_numpy(lengths[order][there]),
        torch.from_numpy(auctions.hands[chosen].reshape(-1, 52)[order][there]),
        torch.from_numpy(seats[into]),
        turns,
    )


def log_chances(network: BiddingNetwork, batch: Batch, allowed: NDArray[np.bool_]) -> Tensor:
    """Return (n, 38) logarithms of the chances of the calls that are allowed, else -1e9."""
    logits = network(batch.rows, batch.lengths, batch.hands, batch.seats)
    return functional.log_softmax(
        logits.masked_fill(torch.from_numpy(~allowed[batch.turns]), -1e9), dim=1
    )


class BiddingTask(Scheduled[BiddingConfig, BiddingNetwork]):
    """A training on the auctions of boards, with ``teachers`` also on auctions that they bid."""

    def __init__(
        self,
        config: BiddingConfig,
        boards: Auctions,
        validation: dict[str, Auctions],
        teachers: Sequence[BiddingNetwork] = (),
        taught: Auctions | None = None,
    ):
        if bool(config.taught or config.told) != bool(teachers) or bool(config.taught) != bool(
            taught
        ):
            raise TrainingError("teachers and their auctions go with told and taught")
        lessons = Lessons(len(boards), boards.sha256, next(iter(validation.values())).sha256)
        super().__init__(config, BiddingNetwork(config.network, seed=config.seed), lessons)
        self.boards, self.validation = boards, validation
        self.teachers, self.taught = [teacher.eval() for teacher in teachers], taught

    def loss(self, step: int) -> Tensor:
        """Return the mean of minus the logarithm of the chance of a call."""
        config = self.config
        batch = batch_of(self.boards, _chosen(len(self.boards), config.batch, config.seed, step))
        self._hide_methods(batch, step)
        chances = log_chances(self.network, batch, self.boards.allowed)
        made = torch.from_numpy(self.boards.calls[batch.turns])
        loss = functional.nll_loss(chances, made)
        if config.told:
            told = self._told(batch, self.boards)
            loss = (1 - config.told) * loss - config.told * (told * chances).sum(1).mean()
        if self.taught is not None:
            number = _chosen(len(self.taught), config.taught, config.seed + 1, step)
            more = batch_of(self.taught, number)
            chances = log_chances(self.network, more, self.taught.allowed)
            loss = loss - (self._told(more, self.taught) * chances).sum(1).mean()
        return loss

    @torch.no_grad()
    def _told(self, batch: Batch, auctions: Auctions) -> Tensor:
        """Return what the teachers say of each turn: the mean of their chances."""
        said = [log_chances(teacher, batch, auctions.allowed).exp() for teacher in self.teachers]
        return torch.stack(said).mean(0)

    def _hide_methods(self, batch: Batch, step: int) -> None:
        """Tell the methods of some sides only, in place."""
        rng = np.random.default_rng([self.config.seed, step, 7])
        hidden = torch.from_numpy(rng.random((len(batch.hands), 2)) < self.config.unknown)
        columns = batch.rows[:, WIDTH - SIDES : WIDTH - 2].view(-1, 2, len(STYLES))
        columns *= (~hidden[batch.seats])[:, :, None].to(torch.uint8)

    def figures(self) -> dict[str, float]:
        """Return log-loss and share of right calls on each set that is held out."""
        found: dict[str, float] = {}
        for name, auctions in self.validation.items():
            loss, right = scores(self.averaged, auctions)
            found |= {f"{name}_loss": loss, f"{name}_right": right}
        losses = [found[f"{name}_loss"] for name in self.validation]
        return found | {"validation_error": float(np.mean(losses))}


@torch.no_grad()
def scores(
    networks: BiddingNetwork | Sequence[BiddingNetwork], auctions: Auctions, *, chunk: int = 512
) -> tuple[float, float]:
    """Return log-loss a call, methods not told, and the share of calls that were the likeliest.

    Of several networks the mean of their chances counts.
    """
    asked = [networks] if isinstance(networks, BiddingNetwork) else list(networks)
    loss, right = 0.0, 0
    for start in range(0, len(auctions), chunk):
        batch = batch_of(auctions, np.arange(start, min(start + chunk, len(auctions))))
        batch.rows[:, WIDTH - SIDES : WIDTH - 2] = 0
        chances = torch.stack([log_chances(n, batch, auctions.allowed).exp() for n in asked])
        mean = chances.mean(0).clamp_min(1e-30)
        made = torch.from_numpy(auctions.calls[batch.turns])
        loss += float(functional.nll_loss(mean.log(), made, reduction="sum"))
        right += int((mean.argmax(1) == made).sum())
    return loss / len(auctions.calls), right / len(auctions.calls)


def _chosen(n: int, size: int, seed: int, step: int) -> NDArray[np.int64]:
    """Return the lessons of a step: whole rounds through all, each in an order of its own."""
    size = min(size, n)
    a_round, within = divmod(step, n // size)
    order = np.random.default_rng([seed, a_round]).permutation(n)
    return order[within * size : (within + 1) * size]


# --- boards ------------------------------------------------------------------------------------


class BoardSet(NamedTuple):
    """Boards whose auctions are whole, with (n, 52) owners."""

    owners: NDArray[np.uint8]
    boards: tuple[Board, ...]

    def those(self, chosen: Iterable[int]) -> "BoardSet":
        """Return some of them."""
        index = np.fromiter(chosen, np.int64)
        return BoardSet(self.owners[index], tuple(self.boards[i] for i in index))


def read_boards(folder: Path) -> BoardSet:
    """Read the boards of all PBN files of a folder that have a dealer and a lawful whole auction.

    Each table once: what has the same cards, calls and players is the same. Raises TrainingError
    where there is none, FormatError for a file that cannot be read.
    """
    paths = sorted(path for path in folder.rglob("*.pbn*") if path.is_file())
    owners: list[NDArray[np.uint8]] = []
    boards: dict[tuple[object, ...], Board] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        for path in paths:
            for deals in stream(path, skipped=[]):
                for cards, board in zip(deals.owners, deals.boards or (), strict=False):
                    players = tuple(board.tag(seat) for seat in ("North", "East", "South", "West"))
                    key = cards.tobytes(), board.auction, players
                    if _usable(board) and key not in boards:
                        boards[key] = board
                        owners.append(cards)
    if not boards:
        raise TrainingError(f"{folder}: no PBN file has a board with an auction")
    return BoardSet(np.stack(owners), tuple(boards.values()))


def _usable(board: Board) -> bool:
    if not board.auction or board.dealer is None or board.vulnerability is None:
        return False
    try:
        return auction_states([CALL_NUMBER[call] for call in board.auction])[-1].over
    except CallError:
        return False


def split_boards(boards: BoardSet) -> dict[str, BoardSet]:
    """Return ``training``, ``deals`` and ``events``: no deal and no event is in two of them."""
    apart: dict[str, list[int]] = {"training": [], "deals": [], "events": []}
    of_events = set()
    kinds = []
    for cards, board in zip(boards.owners, boards.boards, strict=True):
        event = _hash((board.tag("Event") or "").encode()) % EVENTS_APART == 0
        kinds.append(event)
        if event:
            of_events.add(cards.tobytes())
    for i, cards in enumerate(boards.owners):
        key = cards.tobytes()
        if kinds[i]:
            apart["events"].append(i)
        elif key not in of_events:
            kept = _hash(key) % DEALS_APART == 0
            apart["deals" if kept else "training"].append(i)
    return {name: boards.those(index) for name, index in apart.items()}


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


def auctions_of(boards: BoardSet) -> Auctions:
    """Return the auctions of boards as the network learns them, with methods where they show."""
    rows, allowed, calls, counts = [], [], [], []
    hands = np.empty((len(boards.boards), 4, 52), dtype=np.bool_)
    methods = _methods(boards)
    for i, board in enumerate(boards.boards):
        assert board.dealer is not None and board.vulnerability is not None
        made = [CALL_NUMBER[call] for call in board.auction]
        seen, may = encode_calls(made)
        own = (board.dealer + np.arange(len(made))) % 2
        seen = with_sides(seen[:-1], own, board.vulnerability, methods[i])
        rows.append(seen)
        allowed.append(may[:-1])
        calls.append(made)
        counts.append(len(made))
        seats = (board.dealer + np.arange(4)) % 4
        hands[i] = boards.owners[i] == seats[:, None]
    return Auctions(
        np.concatenate(rows),
        np.concatenate(allowed),
        np.concatenate(calls).astype(np.int64),
        np.concatenate([[0], np.cumsum(counts)]),
        hands,
    )


def _methods(boards: BoardSet) -> NDArray[np.uint8]:
    """Return (n, 2, styles): what the other deals of an event show of each pair's methods."""
    shown: dict[tuple[object, ...], list[tuple[int, int, bytes, int, int, int]]] = defaultdict(list)
    for i, board in enumerate(boards.boards):
        for side, names in enumerate((("North", "South"), ("East", "West"))):
            players = tuple(sorted(board.tag(name) or "" for name in names))
            if all(players):
                shown[(board.tag("Event"), *players)].append((i, side, *_opening(boards, i, side)))
    methods = np.zeros((len(boards.boards), 2, len(STYLES)), dtype=np.uint8)
    for seen in shown.values():
        for i, side, deal, *_ in seen:
            others = [
                (call, points, longest) for _, _, d, call, points, longest in seen if d != deal
            ]
            methods[i, side] = _styles(others)
    return methods


def _opening(boards: BoardSet, i: int, side: int) -> tuple[bytes, int, int, int]:
    """Return the deal, and opening call, points and length of the suit opened, if a side opened."""
    board, cards = boards.boards[i], boards.owners[i]
    assert board.dealer is not None
    for turn, call in enumerate(board.auction):
        if call != CALLS[PASS]:
            seat = (board.dealer + turn) % 4
            if seat % 2 != side:
                break
            held = cards == seat
            suit = "SHDC".find(call[1:])
            length = int(held.reshape(4, 13)[suit].sum()) if suit >= 0 else 0
            return cards.tobytes(), CALL_NUMBER[call], int(_POINTS[held].sum()), length
    return cards.tobytes(), PASS, 0, 0


def _styles(openings: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return which of ``STYLES`` a pair's openings show."""
    notrumps = [points for call, points, _ in openings if call == CALL_NUMBER["1N"]]
    clubs = [points >= 16 for call, points, _ in openings if call == CALL_NUMBER["1C"]]
    majors = [
        length == 4
        for call, _, length in openings
        if call in (CALL_NUMBER["1H"], CALL_NUMBER["1S"])
    ]
    strong = weak = natural = artificial = five = four = False
    if len(notrumps) >= 2:
        mean = sum(notrumps) / len(notrumps)
        strong, weak = mean >= 14.75, mean <= 13.5
    if len(clubs) >= 3:
        share = sum(clubs) / len(clubs)
        natural, artificial = share <= 0.5, share >= 0.8
    if len(majors) >= 4:
        share = sum(majors) / len(majors)
        five, four = share <= 0.1, share >= 0.25
    return [int(shown) for shown in (strong, weak, natural, artificial, five, four)]
