"""Calls, contracts and cards played, as PBN and LIN spell them, and what follows from them."""

import re
from collections.abc import Sequence

from ..cards import DealError, Seat, Strain, card_text, parse_card, parse_contract, shorten
from ..cards.auction import contract_of as contract_of
from ..cards.auction import is_over as is_over

MOST_CALLS = 319
"""Calls of the longest auction that the laws allow."""

_CALLS = {
    **dict.fromkeys(("P", "PASS"), "PASS"),
    **dict.fromkeys(("X", "D", "DBL", "DOUBLE"), "X"),
    **dict.fromkeys(("XX", "R", "RDBL", "REDOUBLE"), "XX"),
    **{f"{level}{strain}": f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"},
    **{f"{level}NT": f"{level}N" for level in range(1, 8)},
}
_BY_CONTRACT = re.compile(r"=|[+-]\s*[0-9]{1,2}")
_ALL_PASS = ("AP", "ALLPASS")
_NO_JOINTS = str.maketrans("", "", " -_")
_CARDS = {card_text(card): card_text(card) for card in range(52)}


def parse_call(text: str) -> str:
    """Return a call as ``PASS X XX 1C … 7N``; raise ValueError when ``text`` is none."""
    call = _CALLS.get(text.upper())
    if call is None:
        raise ValueError(f"{shorten(text)} is not a call (expected Pass, X, XX or 1C to 7NT)")
    return call


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


def with_all_pass(auction: Sequence[str]) -> list[str]:
    """Return the auction ended by passes."""
    calls = list(auction)
    while not is_over(calls):
        calls.append("PASS")
    return calls


def strain_of(contract: str | None) -> Strain | None:
    """Return the strain of a contract; None where there is none to play."""
    if contract is None or contract == "PASS":
        return None
    return Strain.parse(contract[1])


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
