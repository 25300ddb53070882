"""Read the auctions of played boards from PBN files, as lessons for the network of calls.

Deals are separated by their cards, and events by their names, as a whole.
"""

import hashlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...cards import Board, counted
from ...cards.auction import CALL_NUMBER, CallError, auction_states
from ...cards.styles import PairStyles
from ...cards.turns import SIDES, encode_calls, with_sides
from ...formats import FormatWarning, iter_deals
from ..errors import TrainingError

DEALS_APART, EVENTS_APART = 20, 16
"""One deal in this many and one event in this many, by their hashes, are kept for validation."""


@dataclass(frozen=True, eq=False)
class Auctions:
    """Auctions, turn by turn: n turns of m auctions."""

    rows: NDArray[np.uint8]
    """(n, WIDTH) rows from ``cards.turns``."""
    allowed: NDArray[np.bool_]
    """(n, 38)."""
    calls: NDArray[np.int64]
    """(n,) the call made."""
    starts: NDArray[np.int64]
    """(m + 1,) the first turn of each auction, and the end."""
    hands: NDArray[np.bool_]
    """(m, 4, 52) from the dealer on."""
    told: NDArray[np.float16] | None = None
    """(n, 38) the chances given by teachers; None without teachers."""

    def __len__(self) -> int:
        return len(self.hands)

    @property
    def sha256(self) -> str:
        """A digest of hands, calls, and what teachers told."""
        digest = hashlib.sha256(np.packbits(self.hands).tobytes())
        digest.update(self.calls.astype(np.uint8).tobytes())
        digest.update(self.rows[:, -SIDES:].tobytes())
        if self.told is not None:
            digest.update(self.told.tobytes())
        return digest.hexdigest()


class BoardSet(NamedTuple):
    """Boards with complete auctions and (n, 52) owners."""

    owners: NDArray[np.uint8]
    boards: tuple[Board, ...]

    def those(self, chosen: Iterable[int]) -> "BoardSet":
        """Return some of them."""
        index = np.fromiter(chosen, np.int64)
        return BoardSet(self.owners[index], tuple(self.boards[i] for i in index))


def read_boards(folder: Path) -> BoardSet:
    """Read the boards of all PBN files in a folder that have a dealer and a legal complete auction.

    Each table counts once, identified by its cards, calls and players. Raises TrainingError
    if there is none, FormatError for a file that cannot be read.
    """
    paths = sorted(path for path in folder.rglob("*.pbn*") if path.is_file())
    owners: list[NDArray[np.uint8]] = []
    boards: dict[tuple[object, ...], Board] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        for path in paths:
            for deals in iter_deals(path, skipped=[]):
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
    """Return ``training``, ``deals`` and ``events``: no deal and no event is in two of them.

    Raises TrainingError if one of them is empty.
    """
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
    for name, index in apart.items():
        if not index:
            events = len({board.tag("Event") for board in boards.boards})
            raise TrainingError(
                f"{counted(len(boards.boards), 'board')} of {counted(events, 'event')}: too few, "
                f"none for {name}"
            )
    return {name: boards.those(index) for name, index in apart.items()}


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


def auctions_of(boards: BoardSet) -> Auctions:
    """Return the auctions of boards as the network learns them, with methods if they show."""
    rows, allowed, calls, counts = [], [], [], []
    hands = np.empty((len(boards.boards), 4, 52), dtype=np.bool_)
    pairs = PairStyles(zip(boards.owners, boards.boards, strict=True))
    for i, board in enumerate(boards.boards):
        assert board.dealer is not None and board.vulnerability is not None
        made = [CALL_NUMBER[call] for call in board.auction]
        seen, may = encode_calls(made)
        own = (board.dealer + np.arange(len(made))) % 2
        seen = with_sides(seen[:-1], own, board.vulnerability, pairs.of(boards.owners[i], board))
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
