"""Lines of best play: the tricks that follow a solved result, and the positions along them."""

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN
from ..cards.positions import packed

_SUITS = np.arange(52) // 13
Numbers = NDArray[np.intp]


class _Plays:
    """One line for each of m results, all played together card by card."""

    def __init__(self, owners: NDArray[np.uint8], tables: NDArray[np.uint8]):
        self.results = np.nonzero(tables != UNKNOWN)
        """Rows, strains and declarers, (m,) each, of the known results in (n, 5, 4) tables."""
        rows, self.strains, self.declarers = self.results
        self.left = owners[rows]
        """(m, 52) owners of the cards not yet played, 255 for the others."""
        self.leaders = (self.declarers + 1) % 4
        self._every = np.arange(len(rows))
        self._trick: list[Numbers] = []

    def legal(self) -> NDArray[np.bool_]:
        """Return the legal cards, (m, 52)."""
        legal: NDArray[np.bool_] = self.left == ((self.leaders + len(self._trick)) % 4)[:, None]
        if self._trick:
            same = legal & (self._trick[0][:, None] // 13 == _SUITS)
            legal &= same | ~same.any(1, keepdims=True)
        return legal

    def play(self, cards: Numbers) -> None:
        """Play a card, (m,), in each line; after four cards the winner leads."""
        self.left[self._every, cards] = UNKNOWN
        self._trick.append(cards)
        if len(self._trick) == 4:
            trick = np.stack(self._trick, axis=1)
            suit, led = trick // 13, trick[:, :1] // 13
            trumps = suit == self.strains[:, None]
            strength = np.where(trumps, 26, np.where(suit == led, 13, 0)) - trick % 13
            self.leaders = (self.leaders + strength.argmax(axis=1)) % 4
            self._trick = []


def encode_lines(
    owners: NDArray[np.uint8], tables: NDArray[np.uint8], lines: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return lines as bytes, (n, …) uint8: a nibble per card, low nibble first.

    It is the card's index among the legal ones, starting from the ace of spades. ``lines`` is
    (n, 5, 4, 4 * tricks) card indices; those of unknown results are left out. Raises
    ValueError for an illegal card.
    """
    plays = _Plays(owners, tables)
    cards = lines[plays.results].astype(np.intp)
    places, every = np.empty(cards.shape, np.uint8), np.arange(len(cards))
    for turn in range(cards.shape[1]):
        legal, now = plays.legal(), cards[:, turn]
        _check_playable((now < 52) & legal[every, np.minimum(now, 51)])
        places[:, turn] = (legal.cumsum(axis=1) - 1)[every, now]
        plays.play(now)
    both: NDArray[np.uint8] = places[:, 0::2] | places[:, 1::2] << np.uint8(4)
    return both.reshape(len(owners), both.size // max(len(owners), 1))


def decode_lines(
    owners: NDArray[np.uint8], tables: NDArray[np.uint8], data: NDArray[np.uint8], tricks: int
) -> NDArray[np.uint8]:
    """Return the (n, 5, 4, 4 * tricks) lines from bytes, 255 for unknown results.

    Raises ValueError for bytes that name a card that is not available.
    """
    plays = _Plays(owners, tables)
    both = data.reshape(-1, 2 * tricks)
    places = np.stack([both & 15, both >> 4], axis=2).reshape(-1, 4 * tricks)
    lines = np.full((*tables.shape, 4 * tricks), UNKNOWN, np.uint8)
    for turn in range(4 * tricks):
        legal, place = plays.legal(), places[:, turn]
        _check_playable(place < legal.sum(axis=1))
        cards = (legal & (legal.cumsum(axis=1) == place[:, None] + 1)).argmax(axis=1)
        lines[..., turn][plays.results] = cards
        plays.play(cards)
    return lines


def line_positions(
    owners: NDArray[np.uint8], tables: NDArray[np.uint8], lines: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the positions after each trick of lines of best play.

    A side's tricks to come follow from the result and the tricks it has won. So one
    result of a position is known: that of the declarer whose left-hand opponent leads. Cards are
    moved up to the highest ranks of their suits. Positions after one trick come first, in the order
    of deals, strains and declarers.

    Args:
        owners: Owners, shape (n, 52), uint8.
        tables: Tricks, shape (n, 5, 4), uint8, 255 where unknown.
        lines: Card indices in the order played, shape (n, 5, 4, 4 * tricks), uint8.

    Returns:
        Owners, shape (m, 52), uint8, 255 for played cards; and tricks, shape (m, 5, 4),
        uint8, 255 where unknown.

    Raises:
        ValueError: In a line, a side wins more than its result, or cannot reach it.

    Example:
        >>> from trickcast.solver import solve_line_batches
        >>> owners = tc.random_deals(1, seed=1).owners
        >>> tables, lines = next(solve_line_batches(owners, 1, strains=np.array([0])))
        >>> left, tricks = line_positions(owners, tables, lines)
        >>> left.shape, (left != 255).sum(axis=1)
        ((4, 52), array([48, 48, 48, 48]))
    """
    plays = _Plays(owners, tables)
    cards, to_come = lines[plays.results].astype(np.intp), tables[plays.results].astype(int)
    found, every = (
        [(np.empty((0, 52), np.uint8), np.empty((0, 5, 4), np.uint8))],
        np.arange(len(cards)),
    )
    for turn in range(cards.shape[1]):
        plays.play(cards[:, turn])
        if turn % 4 < 3:
            continue
        left = 12 - turn // 4
        ours = plays.leaders % 2 == plays.declarers % 2
        to_come -= ours
        if ((to_come < 0) | (to_come > left)).any():
            raise ValueError("a line is not best play: it cannot reach its result")
        tricks = np.full((len(cards), 5, 4), UNKNOWN, np.uint8)
        of_side = np.where(ours, left - to_come, to_come)  # the leader to the next trick defends
        tricks[every, plays.strains, (plays.leaders + 3) % 4] = of_side
        found.append((packed(plays.left), tricks))
    return np.concatenate([o for o, _ in found]), np.concatenate([t for _, t in found])


def _check_playable(playable: NDArray[np.bool_]) -> None:
    if not playable.all():
        raise ValueError("a line has a card that cannot be played")
