"""Inputs of the network of played results: one row of numbers per table, seen by declarer.

Seats count from declarer: declarer 0, leader 1, dummy 2, the leader's partner 3. Suits are ordered
by importance: trumps first, then by the combined length of declarer and dummy. So neither rotating
the table nor renaming side suits of unequal length changes anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cards import BOOK, Strain

UNKNOWN_LEAD = -1
_SEATS, _SUITS, _RANKS, _COUNTS = 4, 4, 13, 14
_HIGHEST, _NOTRUMP = 7, int(Strain.NOTRUMP)
_LEADER, _DUMMY = 1, 2
_POINTS = np.array([4, 3, 2, 1] + [0] * 9, dtype=np.float32)
_AROUND = np.arange(-3, 4)
"""Numbers of tricks, relative to the contract's, whose chances are separate inputs."""
_LEAD_RANKS = np.array([0, 1, 2, 3, 4, 5] + [6] * 7)
"""The rank of a lead: A K Q J T 9, or lower."""

INNER = 256
"""Numbers from the inner layer of ``accurate``, for one strain: 64 for each seat."""
SIZES = {
    "double dummy": _COUNTS + 2 + len(_AROUND) + _SEATS,
    "contract": _HIGHEST + len(Strain) + 3 + 4,
    "hands": 2 * _SEATS * _SUITS + _SEATS,
    "inner": INNER,
    "lead": 2 + _SUITS + 7 + 3 * _SEATS + 3,
    "auction": 7 + 5 * _SEATS + _SEATS * len(Strain),
}
"""The parts of a row, in this order, and the length of each. Lead and auction may be unknown; then
their parts are zero."""


@dataclass(frozen=True, eq=False)
class Tables:
    """What is known of n tables when play begins."""

    owners: NDArray[np.uint8]
    """(n, 52) the seats that hold the cards."""
    contracts: NDArray[np.int64]
    """(n, 4) level 1–7, strain, doubling 0–2, declarer."""
    club: NDArray[np.bool_]
    """(n,) whether club players play; otherwise experts."""
    leads: NDArray[np.int64] | None = None
    """(n,) the cards led, UNKNOWN_LEAD if unknown."""
    auctions: Sequence[Sequence[str]] | None = None
    """n auctions as calls ``PASS X XX 1C … 7N`` up to the last pass, () if unknown."""

    def __len__(self) -> int:
        return len(self.owners)


def part(name: str) -> slice:
    """Return where a part of the row is.

    >>> part("contract")
    slice(27, 46, None)
    """
    names = list(SIZES)
    start = sum(SIZES[before] for before in names[: names.index(name)])
    return slice(start, start + SIZES[name])


def encode(
    tables: Tables, chances: NDArray[np.float32], inner: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return (n, sum of SIZES) inputs for n tables.

    ``chances`` (n, 4, 14) and ``inner`` (n, 256) come from ``accurate`` for the strains played:
    chances by declarer, and its last inner layer, both by seats N E S W.
    """
    n = len(tables)
    rows = np.zeros((n, sum(SIZES.values())), dtype=np.float32)
    if n == 0:
        return rows
    level, strain, doubling, declarer = tables.contracts.T
    held, order = _holdings(tables.owners, strain, declarer)
    seats = (declarer[:, None] + np.arange(_SEATS)) % _SEATS
    rows[:, part("double dummy")] = _double_dummy(
        np.take_along_axis(chances, seats[:, :, None], axis=1), level + BOOK
    )
    rows[:, part("contract")] = _contract(level, strain, doubling, tables.club)
    rows[:, part("hands")] = _hands(held)
    by_seat = inner.reshape(n, _SEATS, -1)
    turned = np.take_along_axis(by_seat, seats[:, :, None], axis=1)
    rows[:, part("inner")] = turned.reshape(n, -1)
    if tables.leads is not None:
        known = np.flatnonzero(tables.leads != UNKNOWN_LEAD)
        rows[known, part("lead")] = _lead(
            held[known], order[known], strain[known], tables.leads[known]
        )
    if tables.auctions is not None:
        places = np.argsort(order, axis=1)  # of each suit in its order
        for row, calls in enumerate(tables.auctions):
            if calls:
                rows[row, part("auction")] = _auction(calls, places[row])
    return rows


def _holdings(
    owners: NDArray[np.uint8], strain: NDArray[np.int64], declarer: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return (n, seat, suit, rank) zeros and ones, and (n, 4) the suits in their order."""
    n = len(owners)
    seats = ((owners.astype(np.int64) - declarer[:, None]) % _SEATS).reshape(n, _SUITS, _RANKS)
    together = (seats % 2 == 0).sum(axis=2)
    is_trump = np.arange(_SUITS) == strain[:, None]
    order = np.argsort(-together - _RANKS * is_trump, axis=1, kind="stable")
    seats = np.take_along_axis(seats, order[:, :, None], axis=1)
    held = seats[:, None] == np.arange(_SEATS)[:, None, None]
    return held.astype(np.float32), order


def _double_dummy(chances: NDArray[np.float32], needed: NDArray[np.int64]) -> NDArray[np.float32]:
    """Encode (n, 4, 14) chances, with each seat as declarer; ``needed`` (n,) makes the contract."""
    n = len(chances)
    expected = chances @ np.arange(_COUNTS, dtype=np.float32)
    at_least = np.zeros((n, _COUNTS + _COUNTS), dtype=np.float32)  # 0 … 13 tricks and more
    at_least[:, :_COUNTS] = np.cumsum(chances[:, 0, ::-1], axis=1)[:, ::-1]
    return np.concatenate(
        [
            chances[:, 0],
            expected[:, [0, _DUMMY]] - needed[:, None],
            np.take_along_axis(at_least, needed[:, None] + _AROUND, axis=1),
            expected,
        ],
        axis=1,
    )


def _contract(
    level: NDArray[np.int64],
    strain: NDArray[np.int64],
    doubling: NDArray[np.int64],
    club: NDArray[np.bool_],
) -> NDArray[np.float32]:
    needed_for_game = np.array([4, 4, 5, 5, 3])[strain]
    flags = [strain != _NOTRUMP, level >= needed_for_game, level >= _HIGHEST - 1, club]
    one_hot = [level[:, None] == np.arange(1, _HIGHEST + 1)]
    one_hot += [strain[:, None] == np.arange(len(Strain)), doubling[:, None] == np.arange(3)]
    return np.concatenate([*one_hot, np.stack(flags, axis=1)], axis=1).astype(np.float32)


def _hands(held: NDArray[np.float32]) -> NDArray[np.float32]:
    """Encode (n, seat, suit, rank) cards as lengths and high-card points."""
    n = len(held)
    points = held @ _POINTS
    parts = held.sum(axis=3).reshape(n, -1) / 3, points.reshape(n, -1) / 4, points.sum(axis=2) / 5
    return np.concatenate(parts, axis=1)


def _lead(
    held: NDArray[np.float32],
    order: NDArray[np.int64],
    strain: NDArray[np.int64],
    leads: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Encode leads: the card, and who holds what in its suit."""
    n = len(leads)
    suit, rank = np.divmod(leads, _RANKS)
    place = (order == suit[:, None]).argmax(axis=1)
    led = held[np.arange(n), :, place]  # (n, seat, rank)
    mine = led[:, _LEADER]
    above = np.arange(_RANKS) < rank[:, None]
    beside = np.clip(np.stack([rank - 1, rank + 1], axis=1), 0, _RANKS - 1)
    return np.concatenate(
        [
            np.stack([np.ones(n), suit == strain], axis=1),
            place[:, None] == np.arange(_SUITS),
            _LEAD_RANKS[rank][:, None] == np.arange(7),
            led.sum(axis=2) / 3,
            led @ _POINTS / 4,
            (led * above[:, None]).sum(axis=2) / 3,
            np.take_along_axis(mine, beside, axis=1),
            mine.sum(axis=1, keepdims=True) == 1,
        ],
        axis=1,
    ).astype(np.float32)


def _auction(calls: Sequence[str], places: NDArray[np.int64]) -> NDArray[np.float32]:
    """Encode an auction that has ended: who bid, doubled and opened, and which suits.

    ``places`` (4,) are the positions of the suits in their order.
    """
    bids = [(turn, call) for turn, call in enumerate(calls) if call[0] in "1234567"]
    last, final = bids[-1]
    first = next(  # declarer's first bid of the final strain
        turn for turn, call in bids if call[1] == final[1] and (last - turn) % 2 == 0
    )
    row = np.zeros(SIZES["auction"], dtype=np.float32)
    opener = (bids[0][0] - first) % _SEATS
    row[0] = 1
    row[1] = len(bids) / 8
    row[2] = (last - first) % _SEATS == 0  # declarer bid it last too
    row[3] = int(bids[0][1][0]) / 3
    row[4] = bids[0][1][1] == "N"
    row[5] = bids[0][0] / 3  # passes before the opening bid
    row[6] = not any((turn - first) % 2 for turn, _ in bids)  # opponents only passed or doubled
    opened, count, level, doubles, tops = (7 + _SEATS * k for k in range(5))
    strains = 7 + 5 * _SEATS
    row[opened + opener] = 1
    for turn, call in enumerate(calls):
        seat = (turn - first) % _SEATS
        if call in ("X", "XX"):
            row[doubles + seat] += 0.5
        elif call != "PASS":
            row[level + seat] = row[level + seat] or int(call[0]) / 3
            row[count + seat] += 1 / 3
            row[tops + seat] = int(call[0]) / 3
            suit = "SHDC".find(call[1])
            row[strains + seat * len(Strain) + (_SUITS if suit < 0 else places[suit])] = 1
    return row
