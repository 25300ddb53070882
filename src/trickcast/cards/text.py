"""Reading cards, hands and deals as people write them.

What is plainly meant is accepted: lower case, ``10`` for the ten, suit signs, blanks, ``-`` for a
void or several suits apart by blanks. Everything else is a DealError that gives the position.
A hand is kept as a mask: bit *i* is set for card *i* of the package's card order.
"""

import re

from .enums import RANKS, Seat, Strain, Suit
from .errors import DealError, counted, shorten

_VOIDS = "-–—"
_SIGNS = {sign: suit for signs in ("♠♥♦♣", "♤♡♢♧") for sign, suit in zip(signs, Suit, strict=True)}
_VARIATION = "\ufe0e\ufe0f"  # invisible selectors that fonts and phones append to a suit sign
_PASSES = ("PASS", "P", "AP", "PASSEDOUT")
_CONTRACT = re.compile(r"([1-7])([SHDC]|NT?)(XX?|[DR])?")
_DOUBLING = {None: 0, "X": 1, "D": 1, "XX": 2, "R": 2}
_FIRST_SEAT = re.compile(r"\s*([NESWnesw])(?:orth|ast|outh|est)?\s*:", re.IGNORECASE)


def parse_card(text: str) -> int:
    """Return the card index of text such as ``SA``, ``♥10`` or ``d2``.

    Raises DealError when it is not a card.

    >>> parse_card("SA"), parse_card("♣2")
    (0, 51)
    """
    clean = text.strip().upper().replace("10", "T")
    for sign in _VARIATION:
        clean = clean.replace(sign, "")
    suit = _SIGNS.get(clean[:1], "SHDC".find(clean[:1]) if clean else -1)
    rank = RANKS.find(clean[1:]) if len(clean) == 2 else -1
    if suit < 0 or rank < 0:
        raise DealError(f"{shorten(text)} is not a card (expected a suit and a rank, such as SA)")
    return 13 * suit + rank


def card_text(card: int) -> str:
    """Return the text of a card index: ``card_text(0) == "SA"``.

    >>> card_text(0), card_text(51)
    ('SA', 'C2')
    """
    return "SHDC"[card // 13] + RANKS[card % 13]


def parse_contract(text: str) -> tuple[int, Strain | None, int]:
    """Return level, strain and doubling (0, 1, 2) of text such as ``4S``, ``3NTX`` or ``5♦xx``.

    A board passed out is (0, None, 0). Raises DealError when it is not a contract.

    >>> level, strain, doubling = parse_contract("4 hx")
    >>> level, str(strain), doubling
    (4, 'H', 1)
    """
    clean = "".join(text.upper().split())
    for sign, suit in _SIGNS.items():
        clean = clean.replace(sign, suit.letter)
    for sign in _VARIATION:
        clean = clean.replace(sign, "")
    if clean in _PASSES:
        return 0, None, 0
    matched = _CONTRACT.fullmatch(clean)
    if matched is None:
        raise DealError(
            f"{shorten(text)} is not a contract (expected level, strain and doubling, "
            "such as 4S, 3NX, 6CXX, or PASS)"
        )
    return int(matched[1]), Strain.parse(matched[2]), _DOUBLING[matched[3]]


def parse_hand(text: str) -> int:
    """Return the mask of a hand of thirteen cards.

    Raises DealError for an unknown character, a repeated card, or another number of cards.
    """
    mask = _parse_cards(text)
    if mask.bit_count() != 13:
        raise DealError(f"hand {shorten(text)}: {counted(mask.bit_count(), 'card')} (expected 13)")
    return mask


def _parse_cards(text: str) -> int:
    """Read four holdings, however many cards they hold."""
    if not any(sign in text for sign in _SIGNS) and "." not in text:
        fields = text.split()
        if len(fields) == 4:  # suits apart by blanks, void as "-"
            text = ".".join(fields)
    mask, suit, separators, signs, previous = 0, 0, 0, 0, ""
    for position, character in enumerate(text, start=1):
        if character == ".":
            suit, separators = suit + 1, separators + 1
        elif character in _SIGNS:
            suit, signs = _SIGNS[character], signs + 1
        elif character == "0" and previous == "1":
            mask = _add(mask, suit, "T", position - 1, text)
        elif character in "1" and text[position : position + 1] == "0":
            pass  # the 1 of a ten: its 0 comes next
        elif not (character.isspace() or character in _VOIDS or character in _VARIATION):
            mask = _add(mask, suit, character, position, text)
        previous = character
    if separators != 3 and not (signs and not separators):
        raise DealError(
            f"hand {shorten(text)}: {counted(separators + 1, 'suit')} (expected four, "
            "spades.hearts.diamonds.clubs, with nothing between two dots for a void)"
        )
    return mask


def _add(mask: int, suit: int, rank: str, position: int, text: str) -> int:
    index = RANKS.find(rank.upper())
    if index < 0:
        raise DealError(
            f"hand {shorten(text)}: {rank!r} is not a rank (expected one of {RANKS}) "
            f"at position {position}"
        )
    if suit > 3:
        raise DealError(f"hand {shorten(text)}: a fifth suit begins before position {position}")
    bit = 1 << (13 * suit + index)
    if mask & bit:
        raise DealError(
            f"hand {shorten(text)}: {card_text(13 * suit + index)} stands twice, "
            f"again at position {position}"
        )
    return mask | bit


def hand_text(mask: int) -> str:
    """Return the dotted text of a hand: ``A.KQ9832.T94.AKT``."""
    return ".".join(holding_text(mask, suit) for suit in Suit)


def holding_text(mask: int, suit: int) -> str:
    """Return the ranks that a hand holds in one suit, highest first; empty for a void."""
    return "".join(rank for i, rank in enumerate(RANKS) if mask >> (13 * suit + i) & 1)


def parse_deal(text: str) -> bytes:
    """Return the owners of a deal written as PBN does: first seat, colon, four hands clockwise.

    Raises DealError naming the seat or card that is wrong.
    """
    text = text.removeprefix("\ufeff")
    first = _FIRST_SEAT.match(text)
    if first is None:
        raise DealError(
            f"deal {shorten(text)}: no first seat (expected 'N:' and four hands clockwise, "
            "such as 'N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 …')"
        )
    hands = _split_hands(text[first.end() :])
    if len(hands) != 4:
        raise DealError(f"deal {shorten(text)}: {counted(len(hands), 'hand')} (expected 4)")
    owners = bytearray(b"\xff" * 52)
    for i, hand in enumerate(hands):
        seat = Seat((Seat.parse(first[1]) + i) % 4)
        _deal_hand(owners, seat, hand, text)
    return bytes(owners)


def _deal_hand(owners: bytearray, seat: Seat, hand: str, text: str) -> None:
    """Give ``seat`` the cards of ``hand``, refusing one that another seat holds."""
    name = seat.word
    if hand in _VOIDS:
        raise DealError(f"deal {shorten(text)}: {name}'s hand is missing (expected 13 cards)")
    try:
        mask = parse_hand(hand)
    except DealError as error:
        raise DealError(f"deal {shorten(text)}: {name}'s {error}") from None
    for card in range(52):
        if mask >> card & 1:
            if owners[card] != 0xFF:
                other = Seat(owners[card]).word
                raise DealError(
                    f"deal {shorten(text)}: {card_text(card)} is held by {other} and by {name}"
                )
            owners[card] = seat


def _split_hands(text: str) -> list[str]:
    """Cut the four hands apart, however they are blanked out."""
    spades = [i for i, character in enumerate(text) if character in "♠♤"]
    if spades:
        return [text[a:b] for a, b in zip(spades, [*spades[1:], None], strict=True)]
    fields = text.split()
    if len(fields) == 4 or len(fields) > 64:
        return fields
    hands, parts = [], ""
    for field in fields:  # blanks inside the hands: a hand ends with its thirteenth card
        parts += field
        cards = len(parts.replace("10", "T")) - 3
        if parts in _VOIDS or (parts.count(".") == 3 and cards >= 13):
            hands.append(parts)
            parts = ""
    return hands + [parts] * bool(parts)


def parse_ending(text: str) -> bytes:
    """Return the owners of an ending, written as a deal of fewer cards; 255 for those gone.

    Raises DealError for what is no such text, a card that stands twice, or hands of different
    lengths.
    """
    first = _FIRST_SEAT.match(text)
    hands = text[first.end() :].split() if first else []
    if first is None or len(hands) != 4:
        raise DealError(
            f"ending {shorten(text)}: {counted(len(hands), 'hand')} (expected 'N:' and four "
            "clockwise, such as 'N:A2... K3... .A2.. .K3..')"
        )
    start = Seat.parse(first[1])
    owners = bytearray(b"\xff" * 52)
    sizes = {}
    for i, hand in enumerate(hands):
        seat, mask = Seat((start + i) % 4), _parse_cards(hand)
        sizes[seat] = mask.bit_count()
        for card in range(52):
            if mask >> card & 1 and owners[card] != 0xFF:
                raise DealError(f"ending {shorten(text)}: {card_text(card)} is in two hands")
            if mask >> card & 1:
                owners[card] = seat
    if len({*sizes.values()}) != 1 or not sizes[start]:
        held = ", ".join(f"{seat.word} {sizes[seat]}" for seat in Seat)
        raise DealError(f"ending {shorten(text)}: {held} cards (expected equally many)")
    return bytes(owners)
