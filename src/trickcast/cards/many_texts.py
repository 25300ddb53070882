"""Parse many deals in the usual spelling at once: hands of 16 characters, deals of 67."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .columns import BLANKS, DEAL_WIDTH, HAND_WIDTH
from .enums import RANKS, Seat

_DOT = ord(".")
_RANK = np.full(256, 255, dtype=np.uint8)
_RANK[list(RANKS.encode())] = _RANK[list(RANKS.lower().encode())] = np.arange(13)
_RANK[_DOT] = 0
_ANY_HAND = np.frombuffer(b"AKQJT98765432...", dtype=np.uint8)


def read_hands(text: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (m, 13) cards of (m, 16) characters, and which rows are valid.

    The cards of the other rows are meaningless. Repeated cards are not detected here.
    """
    dots = text == _DOT
    ranks = _RANK[text]
    good = (dots.sum(axis=1) == 3) & (ranks.max(axis=1, initial=0) < 13)
    if not good.all():  # keep three dots in every row, so that the cards still form an array
        ranks = _RANK[np.where(good[:, None], text, _ANY_HAND)]
        dots = np.where(good[:, None], dots, _ANY_HAND == _DOT)
    ranks += np.cumsum(dots, axis=1, dtype=np.uint8) * np.uint8(13)
    return ranks[~dots].reshape(-1, 13), good


def read_deals(
    text: NDArray[np.uint8], seats: tuple[int, int, int, int]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (n, 52) owners of (n, 67) characters, and which rows are valid deals.

    ``seats`` are the seats of the four hands in their order.
    """
    columns = text[:, [k * (HAND_WIDTH + 1) + i for k in range(4) for i in range(HAND_WIDTH)]]
    cards, readable = read_hands(columns.reshape(-1, HAND_WIDTH))
    owners = np.full((len(text), 52), 255, dtype=np.uint8)
    places = cards.reshape(-1, 52).astype(np.intp)
    places += np.arange(len(text))[:, None] * 52
    owners.reshape(-1)[places] = np.repeat(np.array(seats, dtype=np.uint8), 13)
    good = readable.reshape(-1, 4).all(axis=1) & (text[:, BLANKS] == ord(" ")).all(axis=1)
    good &= owners.max(axis=1, initial=0) < 4  # a repeated card means that another is missing
    return owners, good


def read_usual_texts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (n, 52) owners of deals, and which texts are 69 characters in the usual spelling.

    The owners of the other texts, which may still be deals, are meaningless.
    """
    owners = np.zeros((len(texts), 52), dtype=np.uint8)
    read = np.zeros(len(texts), dtype=np.bool_)
    for first in Seat:
        usual = [
            i
            for i, text in enumerate(texts)
            if len(text) == DEAL_WIDTH + 2 and text[0] == first.letter and text[1] == ":"
        ]
        if not usual:
            continue
        joined = "".join([texts[i] for i in usual]).encode("ascii", "replace")
        columns = np.frombuffer(joined, dtype=np.uint8).reshape(-1, DEAL_WIDTH + 2)[:, 2:]
        seats = (first, first.lho, first.partner, first.rho)
        owners[usual], good = read_deals(columns, seats)
        read[np.array(usual, dtype=np.intp)[good]] = True
    return owners, read
