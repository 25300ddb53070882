"""Encode an auction for a network: what each caller has seen at each turn.

A turn's row holds the calls since the caller's previous one and the state of the auction, all
from the caller's view: me, left-hand opponent, partner, right-hand opponent. A recurrent network
reads the turns of one seat in order; no row contains a hand.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .auction import CALLS, DOUBLE, FIRST_BID, PASS, AuctionState
from .enums import Vulnerability
from .styles import STYLES

_NO_CALL = len(CALLS)
_SEEN = 4 * (len(CALLS) + 1)
_STATE = 8 + 5 + 5 + 3 + 3 + 4 + 20 + 20 + 12 + 5
SIDES = 2 * len(STYLES) + 2
"""Last columns of a row: styles of the own side, of the opponents, and vulnerability of
both."""
WIDTH = _SEEN + _STATE + SIDES
"""Length of a row."""


class Seen:
    """An auction in progress, as seen by the next caller."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.state = AuctionState()
        self._named = np.zeros((4, 5), dtype=np.uint8)
        """Strains that the seat of each turn modulo 4 has bid."""
        self._latest = np.zeros((4, 5), dtype=np.uint8)
        """The strain of its last bid."""
        self._did = np.zeros((4, 3), dtype=np.uint8)
        """Whether it passed before any bid, doubled, bid more than once."""

    def row(self) -> NDArray[np.uint8]:
        """Return (WIDTH,) uint8; the columns of ``SIDES`` are 0."""
        turn = self.state.turn
        row = np.zeros(WIDTH, dtype=np.uint8)
        for place, before in enumerate(range(turn - 4, turn)):
            call = self.calls[before] if before >= 0 else _NO_CALL
            row[place * (len(CALLS) + 1) + call] = 1
        around = (turn + np.arange(4)) % 4  # me, left, partner, right
        parts = (
            _state_row(self.state),
            self._named[around].ravel(),
            self._latest[around].ravel(),
            self._did[around].ravel(),
            self._named[around[[0, 2]]].max(axis=0),
        )
        row[_SEEN : WIDTH - SIDES] = np.concatenate(parts)
        return row

    def hear(self, call: int) -> None:
        """Add a call to the auction. Raises CallError for an illegal call."""
        state, self.state = self.state, self.state.after(call)
        self.calls.append(call)
        seat = state.turn % 4
        if call >= FIRST_BID:
            self._did[seat, 2] |= self._named[seat].any()
            strain = (call - FIRST_BID) % 5
            self._named[seat, strain] = 1
            self._latest[seat] = 0
            self._latest[seat, strain] = 1
        elif call == DOUBLE:
            self._did[seat, 1] = 1
        elif call == PASS and state.bid == PASS:
            self._did[seat, 0] = 1


def encode_calls(calls: Sequence[int]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return what is seen at each turn of an auction, and which calls are legal.

    (k + 1, WIDTH) uint8 and (k + 1, 38) bool for k calls; the last row is the turn after them. The
    columns of ``SIDES`` are 0. Raises CallError for an illegal call.
    """
    return _encoded(tuple(calls))


@lru_cache(maxsize=1024)
def _encoded(calls: tuple[int, ...]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    seen = Seen()
    rows, allowed = [seen.row()], [seen.state.allowed]
    for call in calls:
        seen.hear(call)
        rows.append(seen.row())
        allowed.append(seen.state.allowed)
    found = np.stack(rows), np.stack(allowed)
    for array in found:
        array.flags.writeable = False
    return found


def _state_row(state: AuctionState) -> NDArray[np.uint8]:
    """Return level and strain of the last bid, its bidder, doubling, passes and dealer's place."""
    row = np.zeros(28, dtype=np.uint8)
    if state.bid == PASS:
        row[0] = row[13] = 1
    else:
        level, strain = divmod(state.bid - FIRST_BID, 5)
        row[1 + level] = row[8 + strain] = 1
        row[14 + (state.turn - state.bidder - 1) % 4] = 1
        row[18 + state.doubling] = 1
    row[21 + min(state.passes, 2)] = 1
    row[24 + state.turn % 4] = 1
    return row


def turns_of(rows: NDArray[np.uint8], turn: int) -> NDArray[np.uint8]:
    """Return the rows of one seat's turns up to ``turn``: (turn // 4 + 1, WIDTH)."""
    return rows[turn % 4 : turn + 1 : 4]


def with_sides(
    rows: NDArray[np.uint8],
    sides: NDArray[np.int64],
    vulnerable: Vulnerability,
    styles: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    """Return rows with the facts about both sides: vulnerability, and (2, styles) methods.

    ``sides`` are the callers' sides, 0 for North-South.
    """
    rows = rows.copy()
    both = np.array([vulnerable & 1, vulnerable >> 1], dtype=np.uint8)
    rows[:, -2], rows[:, -1] = both[sides], both[1 - sides]
    rows[:, -SIDES:-2] = np.concatenate([styles[sides], styles[1 - sides]], axis=1)
    return rows
