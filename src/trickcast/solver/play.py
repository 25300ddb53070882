"""The exact value of every card of a play."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Seat
from ..cards.enums import Strain
from ..cards.play import Position, positions
from . import dds
from .batches import beside, thread_count


def solve_play(
    owners: NDArray[np.uint8],
    strain: Strain,
    declarer: Seat,
    cards: Sequence[int] = (),
    *,
    leader: Seat | None = None,
    workers: int | None = None,
) -> NDArray[np.uint8]:
    """Return what each card is worth before each of k cards of a play, and after the last.

    ``owners`` is (52,), a deal's, or a position's with 255 for the cards gone; ``cards`` are card
    indices in the order of play; ``leader`` leads first (default: declarer's left-hand opponent).
    The result is (k + 1, 52) uint8: the tricks that declarer's side takes in all, from the first
    card on, when this card is played next and everybody plays as well as possible after it; 255
    for a card that cannot be played.

    Raises DealError for owners that are neither, PlayError for a card that cannot be played,
    ValueError for ``workers`` below one.
    """
    reached = positions(owners, strain, declarer.lho if leader is None else leader, cards)
    open_ones = [number for number, now in enumerate(reached) if len(now.playable)]
    threads = thread_count(workers)
    values = np.full((len(reached), 52), UNKNOWN, dtype=np.uint8)
    for start in range(0, len(open_ones), dds.BOARDS):
        numbers = open_ones[start : start + dds.BOARDS]
        some = [reached[number] for number in numbers]
        boards = dds.boards(
            np.stack([now.owners for now in some]),
            np.array([strain] * len(some)),
            np.array([now.leader for now in some]),
            _tricks(some),
        )
        solved = beside(
            lambda given_up, boards=boards: dds.solve(  # type: ignore[misc]
                boards, dds.MOST_TRICKS, dds.EVERY_CARD, threads, given_up
            )
        )
        for number, mover in zip(numbers, dds.scores_of_cards(solved), strict=True):
            values[number] = _declarers(mover, reached[number], declarer)
    return values


def _tricks(some: Sequence[Position]) -> NDArray[np.uint8]:
    """Return the cards on the tables, (n, 3), 255 for none."""
    tables = [now.trick + (UNKNOWN,) * (3 - len(now.trick)) for now in some]
    return np.array(tables, dtype=np.uint8)


def _declarers(mover: NDArray[np.int32], now: Position, declarer: Seat) -> NDArray[np.uint8]:
    """Turn (52,) tricks still to come of the side to play into all of declarer's."""
    left = len(np.flatnonzero(now.owners == now.turn))
    playable = now.playable
    to_come = mover[playable]
    if to_come.min() < 0 or to_come.max() > left:
        raise RuntimeError(f"DDS answered {to_come.min()} to {to_come.max()} of {left} tricks")
    values = np.full(52, UNKNOWN, dtype=np.uint8)
    own = now.turn.side == declarer.side
    values[playable] = now.won[declarer.side] + (to_come if own else left - to_come)
    return values
