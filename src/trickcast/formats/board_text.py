"""Shared parts of the formats of boards: hands, contracts, results and plays as text."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    HIDDEN,
    RANKS,
    UNKNOWN,
    Board,
    DealError,
    DealSet,
    PartialDeals,
    Seat,
    Strain,
    board_dealer,
    board_vulnerability,
    card_play,
    card_text,
    parse_card,
    parse_contract,
    shorten,
)
from ..cards.auction import legal_part, parse_call
from ..cards.text import parse_deal, parse_hands
from .format import FormatError, FormatWarning, Notices, Reading

Note = Callable[[str, str], None]
"""``note(kind, message)``: called if something cannot be read or written unchanged."""
Table = NDArray[np.uint8]
"""(5, 4) uint8 of one deal: strains S H D C N by declarers N E S W."""
Outcome = tuple[str | None, Seat | None]
"""Contract and declarer."""
SAYS_NOTHING = Board()
"""The board of a deal if a file gives only its cards."""
NO_TRICKS: Table = np.full((5, 4), UNKNOWN, dtype=np.uint8)
"""The table of a deal without known results."""

_CARDS_OF_SUITS = [{rank: 13 * suit + i for i, rank in enumerate(RANKS)} for suit in range(4)]
_SUIT_AND_RANK = [(card // 13, RANKS[card % 13]) for card in range(52)]
_SMALL_CARD = re.compile(r"[:\s.AKQJT0-9]x", re.IGNORECASE)
_LONGEST_DEAL = 1000
"""Characters: more than any notation of four hands needs."""


def reader_of(
    boards: Callable[[BinaryIO, Reading, Notices], Iterable[tuple[bytes, Board, Table]]],
) -> Callable[[BinaryIO, Reading, int], Iterator[DealSet]]:
    """Return a format's reader; its ``boards`` yields 52 owners, board and tricks of each deal."""

    def read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
        notices = Notices(reading.name)
        yield from deal_sets(boards(stream, reading, notices), reading, chunk)
        notices.close()

    return read


def deal_sets(
    records: Iterable[tuple[bytes, Board, NDArray[np.uint8]]], reading: Reading, chunk: int
) -> Iterator[DealSet]:
    """Collect (52 owners, board, (5, 4) tricks) into sets of at most ``chunk`` deals.

    Boards with hidden hands become PartialDeals if ``reading`` wants them. Raises FormatError at
    the end if there was no deal, not even an invalid one.
    """
    empty, noted = True, len(reading.skipped or ())
    rows, boards, tables, hidden = bytearray(), list[Board](), list[NDArray[np.uint8]](), False

    def gathered() -> DealSet:
        owners = np.frombuffer(bytes(rows), dtype=np.uint8).reshape(-1, 52)
        if hidden:
            return cast(DealSet, PartialDeals(owners, boards))
        known = any(table is not NO_TRICKS for table in tables)
        silent = all(board == SAYS_NOTHING for board in boards)
        return DealSet(owners, np.stack(tables) if known else None, None if silent else boards)

    try:
        for owners, board, table in records:
            empty = False
            if boards and (HIDDEN in owners) != hidden:
                yield gathered()
                rows, boards, tables = bytearray(), [], []
            hidden = HIDDEN in owners
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
    if empty and len(reading.skipped or ()) == noted:
        raise reading.error("", "contains no deals")


def place_of(board: Board, index: int) -> str:
    """Return a name of a deal for people: its board number if it has one, else counted from 1."""
    return f"deal {index + 1}" if board.number is None else f"board {board.number}"


def numbered(sets: Iterable[DealSet]) -> Iterator[DealSet]:
    """Pass on sets of deals, numbered as boards 1, 2, … if only their cards are known.

    A board gets the dealer and the vulnerability of its number. The first set decides whether
    to number.
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


def plain_owners(text: str) -> bytes | None:
    """Read a deal in exact PBN notation, fast; None for any other text."""
    first, hands = "NESW".find(text[:1]), text[2:].split(" ")
    if first < 0 or text[1:2] != ":" or len(text) != 69 or len(hands) != 4:
        return None
    owners = bytearray(b"\xff" * 52)
    try:
        for seat, hand in enumerate(hands, first):
            if len(hand) != 16:
                return None
            for cards, ranks in zip(_CARDS_OF_SUITS, hand.split("."), strict=True):
                for rank in ranks:
                    owners[cards[rank]] = seat % 4
    except (KeyError, ValueError):  # invalid rank, or not four suits
        return None
    return None if 0xFF in owners else bytes(owners)


def shown_owners(text: str, reading: Reading) -> bytes:
    """Read a deal in any accepted notation: 255 for the cards of hands that are ``-``.

    If ``reading`` wants such boards, ``x`` is the lowest card that no hand shows; this is reported.
    Raises DealError for an invalid deal, for unwanted hidden hands or ``x``, and for
    text that is much too long.
    """
    if len(text) > _LONGEST_DEAL:
        raise DealError(f"deal {shorten(text)}: {len(text):,} characters (expected four hands)")
    if _SMALL_CARD.search(text):
        if not reading.partial:
            raise DealError(
                f"deal {shorten(text)}: x stands for any small card (expected every card; "
                "'trickcast pair' and 'trickcast simulate' accept such hands)"
            )
        text = _with_small_cards(text)
        if reading.first_time("small cards"):
            warnings.warn(f"{reading.name}: x is read as the lowest card that no hand shows",
                          FormatWarning, stacklevel=2)  # fmt: skip
    return (parse_hands if reading.partial else parse_deal)(text)


def _with_small_cards(text: str) -> str:
    """Return a deal text in which each ``x`` is the suit's lowest card that no hand shows."""
    first, colon, rest = text.partition(":")
    hands = [hand.upper().replace("10", "T").split(".") for hand in rest.split()]
    for suit in range(4):
        shown = "".join(hand[suit] for hand in hands if len(hand) == 4)
        free = iter([rank for rank in "23456789" if rank not in shown])
        for hand in hands:
            if len(hand) == 4:
                ranks = [next(free, rank) if rank == "X" else rank for rank in hand[suit]]
                hand[suit] = "".join(ranks)
    return first + colon + " ".join(map(".".join, hands))


def hand_texts(owners: bytes) -> list[list[str]]:
    """Return for each seat the ranks held in each suit, from a deal's 52 owners.

    Ranks of a hidden hand are empty.
    """
    hands = [["", "", "", ""] for _ in Seat]
    for (suit, rank), owner in zip(_SUIT_AND_RANK, owners, strict=True):
        if owner != HIDDEN:
            hands[owner][suit] += rank
    return hands


_BY_CONTRACT = re.compile(r"=|[+-]\s*[0-9]{1,2}")
CARD_INDEX = {card_text(card): card for card in range(52)}
"""The number of each card by its text."""
_BY = r"(?:by\s+|-(?=[NESW]))?([NESW](?!\w))"
_OUTCOME = re.compile(
    rf"(?:([NESW])\s+)?([1-7]\s*(?:NT?|SA|[SHDC♠♥♦♣])\s*[X*]{{0,2}})\s*(?:{_BY})?\s*"
    rf"(=|[+-]\s*[0-9]{{1,2}}|(?<=[NESW]\s)[0-9]{{1,2}})?\s*(?:{_BY})?",
    re.IGNORECASE,
)
"""A contract with its declarer and its over- or undertricks: 4HXS-1."""


def contract_text(text: str) -> str:
    """Return a contract as ``4SX`` or ``PASS``. Raises ValueError for an invalid one."""
    level, strain, doubling = parse_contract(text)
    return f"{level}{strain}{'X' * doubling}" if level else "PASS"


def split_outcome(text: str) -> tuple[str, str, str] | None:
    """Split a contract such as ``4HXS-1`` into contract, declarer and result, which may be empty.

    None for other text.
    """
    parts = _OUTCOME.fullmatch(" ".join(text.split()))
    if parts is None:
        return None
    before, contract, declarer, result, after = parts.groups(default="")
    if bool(before) + bool(declarer) + bool(after) > 1:
        return None
    declarer = before or declarer or after
    contract = contract.upper().replace("SA", "NT").replace("*", "X")
    return contract, declarer.upper(), result


def tricks_by_contract(text: str, contract: str) -> int | None:
    """Return the tricks of a result relative to the contract: ``=``, ``+1``, ``-2``; else None.

    Raises DealError for anything but 0 to 13 tricks.
    """
    if contract[:1] not in tuple("1234567") or not _BY_CONTRACT.fullmatch(text):
        return None
    tricks = 6 + int(contract[0]) + int(text.replace(" ", "").replace("=", "0"))
    if not 0 <= tricks <= 13:
        raise DealError(f"{text} in {contract} is {tricks} tricks (expected 0 to 13)")
    return tricks


def tricks_text(text: str, contract: str) -> str:
    """Return a relative result as tricks; any other unchanged, even an impossible one."""
    try:
        tricks = tricks_by_contract(text, contract)
    except DealError:
        return text
    return text if tricks is None else str(tricks)


def outcome_difference(called: Outcome, stated: Outcome, says: str) -> str:
    """Return how ``stated`` differs from the outcome of an auction; empty if it does not.

    Unknown values are no difference. ``says`` introduces what is stated: "the tags say".
    """
    pairs = zip(called, stated, strict=True)
    if called[0] is None or all(said in (None, made) for made, said in pairs):
        return ""
    return f"the auction leads to {_outcome_text(*called)}, {says} {_outcome_text(*stated)}"


def _outcome_text(contract: str | None, declarer: Seat | None) -> str:
    if contract is None:
        return f"declarer {declarer}"
    return contract if declarer is None else f"{contract} by {declarer}"


def parse_played(text: str) -> str:
    """Return a card as ``SA``. Raises ValueError for an invalid card."""
    return text if text in CARD_INDEX else card_text(parse_card(text))


def parse_count(text: str, most: int) -> int:
    """Return a whole number up to ``most``. Raises ValueError for other text."""
    clean = text.strip()
    digits = clean.lstrip("0") or clean[-1:]
    if not (clean.isascii() and clean.isdigit()) or len(digits) > len(str(most)):
        raise ValueError(f"{shorten(text)} is not a number (expected 0 to {most:,})")
    if int(digits) > most:
        raise ValueError(f"{shorten(text)} is too large (expected 0 to {most:,})")
    return int(digits)


def winner_of_texts(trick: Sequence[str], strain: Strain) -> int:
    """Return which of the cards, in the order played, takes the trick in this strain."""
    return card_play.winner([CARD_INDEX[card] for card in trick], strain)


def possible_calls(calls: Sequence[str], note: Note) -> tuple[str, ...]:
    """Return the calls before the first illegal one, which is reported to ``note``."""
    stand, why = legal_part(calls)
    if why:
        note("impossible calls, left out with all that follow",
             f"call {stand + 1} is impossible: {why}; the calls before it are kept")  # fmt: skip
    return tuple(calls[:stand])


def read_calls(words: Sequence[str], note: Note) -> tuple[str, ...]:
    """Return the calls that words spell, up to the first that is invalid or illegal."""
    calls: list[str] = []
    for word in words:
        try:
            calls.append(parse_call(word))
        except ValueError as error:
            note("words that are not calls", f"{error}; the calls before it are kept")
            break
    return possible_calls(calls, note)


def possible_play(
    play: Sequence[str],
    strain: Strain | None,
    owners: bytes,
    note: Note,
    leader: int | None = None,
    declarer: Seat | None = None,
) -> tuple[str, ...]:
    """Return the cards before the first impossible one, which is reported to ``note``.

    A card is impossible if it has gone, or if the seat to play does not hold it. Without a
    ``leader``, the first card of a hand that is shown tells which defender led: a lead out of turn
    may be accepted, and revokes are allowed, as at the table. If the strain is unknown, nobody
    knows whose turn it is.
    """
    if not play:
        return ()
    gone = set[str]()
    for number, card in enumerate(play):
        owner = owners[CARD_INDEX[card]]
        if number and number % 4 == 0 and strain is not None and leader is not None:
            leader = (leader + winner_of_texts(play[number - 4 : number], strain)) % 4
        if leader is None and owner != HIDDEN:
            leader = (owner - number) % 4
            if declarer is not None and leader % 2 == declarer.side:
                leader = declarer.lho
        turn = owner if leader is None else (leader + number) % 4
        if card in gone:
            why = "it was already played"
        elif strain is not None and owner not in (turn, HIDDEN):
            why = f"{Seat(owner).word} holds it, and {Seat(turn).word} is to play"
        else:
            gone.add(card)
            continue
        note("impossible cards, left out with all that follow",
             f"card {number + 1}, {card}, is impossible: {why}; the cards before it "
             "are kept")  # fmt: skip
        return tuple(play[:number])
    return tuple(play)


def tricks_of(
    play: Sequence[str], declarer: Seat | None, strain: Strain | None, owners: bytes | None = None
) -> int | None:
    """Count declarer's tricks in a complete play of 52 cards; None if it is incomplete.

    Also None without a declarer or a strain. With the deal's ``owners`` twelve tricks are enough:
    the last four cards play themselves; and who holds the first card led it, else declarer's LHO.
    """
    if declarer is None or strain is None:
        return None
    cards = list(play)
    leader, taken = declarer.lho, 0
    if cards and owners and owners[CARD_INDEX[cards[0]]] != HIDDEN:
        leader = Seat(owners[CARD_INDEX[cards[0]]])
    if len(cards) != 52 and not (owners and 48 <= len(cards) < 52):
        return None
    for start in range(0, 52, 4):
        trick = cards[start : start + 4]
        if len(trick) < 4 and owners:
            last = _last_cards(cards, owners)
            if last is None:
                return None
            trick = [last[(leader + i) % 4] for i in range(4)]
        leader = Seat((leader + winner_of_texts(trick, strain)) % 4)
        taken += leader.side == declarer.side
    return taken


def _last_cards(play: Sequence[str], owners: bytes) -> list[str] | None:
    """Return each seat's card in the thirteenth trick; None if hidden or of another deal."""
    left: list[list[str]] = [[], [], [], []]
    gone = set(play[:48])
    for card, owner in enumerate(owners):
        if card_text(card) not in gone:
            if owner == HIDDEN:
                return None
            left[owner].append(card_text(card))
    if any(len(cards) != 1 for cards in left):
        return None
    return [cards[0] for cards in left]


def rows_of_play(play: Sequence[str], strain: Strain) -> list[list[str]]:
    """Arrange cards in the order played in PBN's columns, starting with the opening leader.

    Cards not played are ``-``.
    """
    rows, leader = [], 0
    for start in range(0, len(play), 4):
        trick = play[start : start + 4]
        row = ["-"] * 4
        for i, card in enumerate(trick):
            row[(leader + i) % 4] = card
        rows.append(row)
        leader = (leader + winner_of_texts(trick, strain)) % 4
    return rows


def play_of_rows(rows: Sequence[Sequence[str]], strain: Strain, owners: bytes) -> list[str]:
    """Return the cards of PBN's columns in the order played, up to the first unknown one.

    The inverse of ``rows_of_play``. If the four cards of a row are in another seat order
    than the columns, as in some files, they are rearranged.
    """
    play: list[str] = []
    first = owners[CARD_INDEX[rows[0][0]]] if rows and rows[0][0] != "-" else 0
    leader = 0
    for row in rows:
        seats = [(owners[CARD_INDEX[card]] - first) % 4 for card in row if card != "-"]
        if seats != [0, 1, 2, 3] and sorted(seats) == [0, 1, 2, 3]:
            row = [card for _, card in sorted(zip(seats, row, strict=True))]
        trick = [row[(leader + i) % 4] for i in range(4)]
        if "-" in trick:
            return play + trick[: trick.index("-")]
        play += trick
        leader = (leader + winner_of_texts(trick, strain)) % 4
    return play


def parse_seat(text: str) -> Seat | None:
    """Return a seat, or None for the spellings of "unknown"."""
    clean = text.strip()
    try:
        return None if clean in ("", "?", "-") else Seat.parse(clean)
    except DealError as error:
        raise ValueError(str(error)) from None
