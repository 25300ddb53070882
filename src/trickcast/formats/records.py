"""What the formats of whole boards share: deals as text, and gathering boards into DealSets."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    RANKS,
    UNKNOWN,
    Board,
    DealError,
    DealSet,
    Seat,
    board_dealer,
    board_vulnerability,
    card_text,
    shorten,
)
from ..cards.text import hand_text, parse_hand
from .base import FormatError, Reading

Table = NDArray[np.uint8]
"""(5, 4) uint8 of one deal: strains S H D C N by declarers N E S W."""
SAYS_NOTHING = Board()
"""The board of a deal of which a file gives the cards only."""
NO_TRICKS: Table = np.full((5, 4), UNKNOWN, dtype=np.uint8)
"""The table of a deal of which no result is known."""

_CARD_OF_RANK = {rank: i for i, rank in enumerate(RANKS)}
_SUIT_AND_RANK = [(card // 13, RANKS[card % 13]) for card in range(52)]
_MISSING = ("-", "...")
_LONGEST_DEAL = 1000
"""Characters: more than any way to write four hands takes."""


def deal_sets(
    records: Iterable[tuple[bytes, Board, NDArray[np.uint8]]], chunk: int
) -> Iterator[DealSet]:
    """Gather (52 owners, board, (5, 4) tricks) into DealSets of at most ``chunk`` deals."""
    rows, boards, tables = bytearray(), list[Board](), list[NDArray[np.uint8]]()

    def gathered() -> DealSet:
        owners = np.frombuffer(bytes(rows), dtype=np.uint8).reshape(-1, 52)
        known = any(table is not NO_TRICKS for table in tables)
        silent = all(board == SAYS_NOTHING for board in boards)
        return DealSet(owners, np.stack(tables) if known else None, None if silent else boards)

    try:
        for owners, board, table in records:
            rows += owners
            boards.append(board)
            tables.append(table)
            if len(boards) == chunk:
                yield gathered()
                rows, boards, tables = bytearray(), [], []
    except FormatError:
        if boards:
            yield gathered()
        raise
    if boards:
        yield gathered()


def place_of(board: Board, index: int) -> str:
    """Name a deal to people: by the number of its board where it has one, else counted from 1."""
    return f"deal {index + 1}" if board.number is None else f"board {board.number}"


def numbered(sets: Iterable[DealSet]) -> Iterator[DealSet]:
    """Pass sets of deals on, as boards 1, 2, … where nothing is known of them besides the cards.

    A board gets the dealer and the vulnerability of its number. Whether that is done the first
    set decides.
    """
    number, plain = 0, None
    for deals in sets:
        if plain is None and len(deals):
            plain = deals.boards is None
        if plain and deals.boards is None:
            boards = [
                Board(number=n, dealer=board_dealer(n), vulnerability=board_vulnerability(n))
                for n in range(number + 1, number + len(deals) + 1)
            ]
            yield DealSet(deals.owners, deals.tricks, boards)
        else:
            yield deals
        number += len(deals)


def some_deals(sets: Iterable[DealSet], reading: Reading) -> Iterator[DealSet]:
    """Pass sets of deals on. Raises FormatError at the end when there was none, nor a bad one."""
    empty, noted = True, len(reading.skipped or ())
    for deals in sets:
        empty = False
        yield deals
    if empty and len(reading.skipped or ()) == noted:
        raise reading.error("", "there is no deal in it")


def plain_owners(text: str) -> bytes | None:
    """Read a deal written just as the PBN standard says, fast; None for any other text."""
    first, hands = "NESW".find(text[:1]), text[2:].split(" ")
    if first < 0 or text[1:2] != ":" or len(text) != 69 or len(hands) != 4:
        return None
    owners = bytearray(b"\xff" * 52)
    for i, hand in enumerate(hands):
        suits = hand.split(".")
        if len(hand) != 16 or len(suits) != 4:
            return None
        seat = (first + i) % 4
        for suit, ranks in enumerate(suits):
            for rank in ranks:
                card = _CARD_OF_RANK.get(rank)
                if card is None:
                    return None
                owners[13 * suit + card] = seat
    return None if 0xFF in owners else bytes(owners)


def with_fourth_hand(text: str) -> str:
    """Return PBN deal text with its only missing hand worked out from the other three.

    Text where no hand is missing, or more than one, comes back as it is. Raises DealError where
    the three hands are not 39 different cards, and for text that is much too long.
    """
    if len(text) > _LONGEST_DEAL:
        raise DealError(f"deal {shorten(text)}: {len(text):,} characters (expected four hands)")
    first, colon, rest = text.partition(":")
    hands = rest.split()
    missing = [i for i, hand in enumerate(hands) if hand in _MISSING]
    if len(hands) != 4 or len(missing) != 1:
        return text
    held = 0
    for hand in hands:
        mask = 0 if hand in _MISSING else parse_hand(hand)
        if twice := held & mask:
            card = card_text((twice & -twice).bit_length() - 1)
            raise DealError(f"deal {shorten(text)}: {card} is in two hands")
        held |= mask
    hands[missing[0]] = hand_text(~held & (1 << 52) - 1)
    return first + colon + " ".join(hands)


def hand_texts(owners: bytes) -> list[list[str]]:
    """Return for each seat the ranks held in each suit, of a deal's 52 owners."""
    hands = [["", "", "", ""] for _ in Seat]
    for (suit, rank), owner in zip(_SUIT_AND_RANK, owners, strict=True):
        hands[owner][suit] += rank
    return hands
