"""What the formats of boards share: hands, contracts, results and plays as text."""

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    RANKS,
    UNKNOWN,
    Board,
    DealError,
    DealSet,
    Seat,
    Strain,
    board_dealer,
    board_vulnerability,
    card_text,
    parse_card,
    parse_contract,
    shorten,
)
from ..cards.text import hand_text, parse_hand
from .format import FormatError, Reading

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


_BY_CONTRACT = re.compile(r"=|[+-]\s*[0-9]{1,2}")
_ALL_PASS = ("AP", "ALLPASS")
_NO_JOINTS = str.maketrans("", "", " -_")
_CARDS = {card_text(card): card_text(card) for card in range(52)}


def contract_text(text: str) -> str:
    """Return a contract as ``4SX`` or ``PASS``; raise ValueError when ``text`` is none."""
    level, strain, doubling = parse_contract(text)
    return f"{level}{strain}{'X' * doubling}" if level else "PASS"


def tricks_by_contract(text: str, contract: str) -> int | None:
    """Return the tricks of a result told by its contract's: ``=``, ``+1``, ``-2``; else None."""
    if contract[:1] not in tuple("1234567") or not _BY_CONTRACT.fullmatch(text):
        return None
    more = text.replace(" ", "").replace("=", "0")
    return max(0, 6 + int(contract[0]) + int(more))


def parse_played(text: str) -> str:
    """Return a card as ``SA``; raise ValueError when ``text`` is none."""
    card = _CARDS.get(text)
    return card_text(parse_card(text)) if card is None else card


def parse_count(text: str, most: int) -> int:
    """Return a whole number up to ``most``; raise ValueError when ``text`` is none."""
    clean = text.strip()
    digits = clean.lstrip("0") or clean[-1:]
    if not (clean.isascii() and clean.isdigit()) or len(digits) > len(str(most)):
        raise ValueError(f"{shorten(text)} is no number (expected 0 to {most:,})")
    if int(digits) > most:
        raise ValueError(f"{shorten(text)} is too much (expected 0 to {most:,})")
    return int(digits)


def is_all_pass(text: str) -> bool:
    """Whether ``text`` says that all who come now pass: ``AP``, ``All Pass``."""
    return text.upper().translate(_NO_JOINTS) in _ALL_PASS


def winner(trick: Sequence[str], strain: Strain) -> int:
    """Return which of the cards, in the order played, takes the trick in this strain."""
    trump = strain.letter

    def power(i: int) -> tuple[bool, bool, int]:
        card = trick[i]
        return card[0] == trump, card[0] == trick[0][0], "23456789TJQKA".index(card[1])

    return max(range(len(trick)), key=power)


def tricks_of(
    play: Sequence[str], declarer: Seat, strain: Strain, owners: bytes | None = None
) -> int | None:
    """Count declarer's tricks in a whole play of 52 cards, or None when it is not whole.

    With the deal's ``owners`` twelve tricks are enough: the last four cards play themselves.
    """
    cards = list(play)
    leader, taken = declarer.lho, 0
    if len(cards) != 52 and not (owners and 48 <= len(cards) < 52):
        return None
    for start in range(0, 52, 4):
        trick = cards[start : start + 4]
        if len(trick) < 4 and owners:
            last = _last_cards(cards, owners)
            if last is None:
                return None
            trick = [last[(leader + i) % 4] for i in range(4)]
        leader = Seat((leader + winner(trick, strain)) % 4)
        taken += leader.side == declarer.side
    return taken


def _last_cards(play: Sequence[str], owners: bytes) -> list[str] | None:
    """The card of each seat in the thirteenth trick; None if the play is not of this deal."""
    left: list[list[str]] = [[], [], [], []]
    gone = set(play[:48])
    for card, owner in enumerate(owners):
        if card_text(card) not in gone:
            left[owner].append(card_text(card))
    if any(len(cards) != 1 for cards in left):
        return None
    return [cards[0] for cards in left]


def rows_of_play(play: Sequence[str], declarer: Seat, strain: Strain) -> list[list[str]]:
    """Arrange cards in the order played in PBN's columns: the leader to the first trick first.

    A card not played is ``-``.
    """
    rows, leader = [], 0
    for start in range(0, len(play), 4):
        trick = play[start : start + 4]
        row = ["-"] * 4
        for i, card in enumerate(trick):
            row[(leader + i) % 4] = card
        rows.append(row)
        leader = (leader + winner(trick, strain)) % 4
    return rows


def play_of_rows(rows: Sequence[Sequence[str]], strain: Strain) -> list[str]:
    """Return the cards of PBN's columns in the order played, up to the first that is not known.

    The inverse of ``rows_of_play``.
    """
    play: list[str] = []
    leader = 0
    for row in rows:
        trick = [row[(leader + i) % 4] for i in range(4)]
        if "-" in trick:
            return play + trick[: trick.index("-")]
        play += trick
        leader = (leader + winner(trick, strain)) % 4
    return play


def parse_seat(text: str) -> Seat | None:
    """Return a seat, or None for the spellings of "not known"."""
    clean = text.strip()
    try:
        return None if clean in ("", "?", "-") else Seat.parse(clean)
    except DealError as error:
        raise ValueError(str(error)) from None
