"""Styles: a side's known methods, given by name or inferred from a pair's earlier openings.

As text, a style is a comma-separated list of names. Each applies to both sides, or to the side
written before it: ``"weak-notrump"``, ``"ns precision, ew strong-notrump"``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .auction import CALL_NUMBER, CALLS, PASS
from .board import Board
from .errors import shorten
from .hand import CARD_HCP

STYLES = (
    "strong-notrump",
    "weak-notrump",
    "natural-club",
    "strong-club",
    "five-card-majors",
    "four-card-majors",
)
"""Facts about a side, in neighbouring pairs that exclude each other."""
SYSTEMS = {
    "acol": ("weak-notrump", "natural-club", "four-card-majors"),
    "precision": ("strong-club", "five-card-majors"),
    "standard-american": ("strong-notrump", "natural-club", "five-card-majors"),
}
"""Names that stand for several styles."""
_SIDES = {"ns": ("North", "South"), "ew": ("East", "West")}
_MAJORS = CALL_NUMBER["1H"], CALL_NUMBER["1S"]
_Pair = tuple[str | None, ...]
_Opening = tuple[int, int, int]
"""An opening call, with the opener's points and length in the suit opened."""


class StyleError(ValueError):
    """Raised for a style that cannot be read; names it and lists the known styles."""


@lru_cache(maxsize=1024)
def read_style(style: str | None) -> NDArray[np.uint8]:
    """Return (2, styles): what a text says about North-South and East-West.

    Raises StyleError for an unknown name, and for two names that exclude each other.
    """
    sides = list(_SIDES)
    known = np.zeros((len(sides), len(STYLES)), dtype=np.uint8)
    for part in filter(None, (part.strip().lower() for part in (style or "").split(","))):
        first, _, rest = part.partition(" ")
        whose = [sides.index(first)] if first in sides else [*range(len(sides))]
        name = "-".join((rest if first in sides else part).split())
        if name not in STYLES and name not in SYSTEMS:
            raise StyleError(
                f"style is {shorten(part)} (expected {', '.join((*STYLES, *SYSTEMS))}; ns or ew "
                "before one says whose)"
            )
        for told in SYSTEMS.get(name, (name,)):
            known[whose, STYLES.index(told)] = 1
    for place in range(0, len(STYLES), 2):
        if known[:, place : place + 2].all(axis=1).any():
            one, other = STYLES[place : place + 2]
            raise StyleError(f"style is both {one} and {other} (expected one of them for a side)")
    known.flags.writeable = False
    return known


def style_text(known: NDArray[np.uint8]) -> str:
    """Return the text of (2, styles), the inverse of ``read_style``."""
    sides = list(_SIDES)
    return ", ".join(
        name if known[:, place].all() else f"{sides[known[:, place].argmax()]} {name}"
        for place, name in enumerate(STYLES)
        if known[:, place].any()
    )


def style_over(told: str | None, shown: NDArray[np.uint8]) -> str:
    """Return the stated style as text, with (2, styles) inferred where nothing is stated.

    Raises StyleError as ``read_style`` does.
    """
    known, others = (each.reshape(len(_SIDES), -1, 2) for each in (read_style(told), shown))
    both = np.where(known.any(axis=2, keepdims=True), known, others)
    return style_text(both.reshape(shown.shape))


class PairStyles:
    """Infer the methods of the pairs of a file from their openings, given (52,) owners and boards.

    Pairs are recognised by their names, and only within one event.
    """

    def __init__(self, boards: Iterable[tuple[NDArray[np.uint8], Board]]):
        self._shown: dict[_Pair, list[tuple[bytes, _Opening]]] = defaultdict(list)
        for cards, board in boards:
            for side, pair in enumerate(_pairs(board)):
                if pair is not None:
                    opened = cards.tobytes(), _opening(cards, board, side)
                    self._shown[pair].append(opened)

    def of(self, cards: NDArray[np.uint8], board: Board) -> NDArray[np.uint8]:
        """Return (2, styles): what the pairs of a board show on their other deals.

        A pair without names, or with too few openings, shows nothing.
        """
        deal, found = cards.tobytes(), []
        for pair in _pairs(board):
            opened = self._shown.get(pair or (), ())
            found.append(_styles([opening for other, opening in opened if other != deal]))
        return np.array(found, dtype=np.uint8)


def _pairs(board: Board) -> Iterator[_Pair | None]:
    """Yield the pairs of a board, None for a pair with an unknown name."""
    for names in _SIDES.values():
        players = tuple(sorted(board.tag(name) or "" for name in names))
        yield (board.tag("Event"), *players) if all(players) else None


def _opening(cards: NDArray[np.uint8], board: Board, side: int) -> _Opening:
    """Return how a side opened; PASS if it did not."""
    dealer = board.completed().dealer
    if dealer is not None:
        for turn, call in enumerate(board.auction):
            if call != CALLS[PASS]:
                seat = (dealer + turn) % 4
                if seat % 2 != side:
                    break
                held = cards == seat
                suit = "SHDC".find(call[1:])
                length = int(held.reshape(4, 13)[suit].sum()) if suit >= 0 else 0
                return CALL_NUMBER[call], int(CARD_HCP[held].sum()), length
    return PASS, 0, 0


def _styles(openings: Sequence[_Opening]) -> list[int]:
    """Return which of ``STYLES`` these openings show."""
    notrumps = [points for call, points, _ in openings if call == CALL_NUMBER["1N"]]
    clubs = [points >= 16 for call, points, _ in openings if call == CALL_NUMBER["1C"]]
    majors = [length == 4 for call, _, length in openings if call in _MAJORS]
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
