"""Reading cards, hands and deals as people write them.

Reading is lenient: lower case, ``10`` for the ten, suit signs before their cards, blanks,
``-`` for a void, and suits separated by blanks. Anything else raises a DealError that gives
the position.
A hand is kept as a mask: bit *i* is set for card *i* of the package's card order.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from .enums import RANKS, Seat, Strain, Suit
from .errors import DealError, counted, shorten

CURLY_QUOTES = "“”„‘’‚«»"
"""Quotation marks of word processors, which no shell takes away."""
_VOIDS = "-–—"
_HIDDEN = (*_VOIDS, "...")
_SIGNS = {sign: suit for signs in ("♠♥♦♣", "♤♡♢♧") for sign, suit in zip(signs, Suit, strict=True)}
_SUIT_ENDS = re.compile(f"[.{''.join(_SIGNS)}]")
_INDICES = {letter: i for i, rank in enumerate(RANKS) for letter in (rank, rank.lower())}
_LETTERED = re.compile(r"\s*[SHDC](?:10|[2-9TJQKA.,\s–—-]|[SHDC])*$", re.IGNORECASE)
"""A hand with suit letters: ``SAK3.HQT95.DKJ4.CQ62``."""
_COLON = re.compile("([SHDC♠♥♦♣♤♡♢♧]\ufe0e?\ufe0f?):", re.IGNORECASE)
_SEAT_OF_ONE = re.compile(
    r"\s*(?:[NEW]|S(?=[^HDC]*$)(?=[^.]*\.)|North|East|South|West)\s*:", re.IGNORECASE
)
"""A seat before one hand, as in PBN; ``S:`` is one unless other suits follow in the same way."""
_SIGN_OF_LETTER = str.maketrans("SHDC,", "♠♥♦♣ ")
_VARIATION = "\ufe0e\ufe0f"  # invisible selectors that fonts and phones append to a suit sign
_LETTERS = str.maketrans(
    {sign: suit.letter for sign, suit in _SIGNS.items()} | dict.fromkeys(_VARIATION)
)
_PASSES = ("PASS", "PAS", "P", "AP", "ALLPASS", "PASSEDOUT", "PASSOUT")
_CONTRACT = re.compile(r"([1-7])([SHDC]|NT?)(XX?|[DR])?")
_DOUBLING = {None: 0, "X": 1, "D": 1, "XX": 2, "R": 2}
_FIRST_SEAT = re.compile(r"\s*(N(?:orth)?|E(?:ast)?|S(?:outh)?|W(?:est)?)\s*:", re.IGNORECASE)


def parse_card(text: str) -> int:
    """Return the number of a card, 0 for the ace of spades to 51 for the two of clubs.

    Args:
        text: The card, such as ``SA``, ``♥10``, ``d2`` or ``AS``.

    Returns:
        The number.

    Raises:
        DealError: The text is not a card.

    Example:
        >>> from trickcast.cards import parse_card
        >>> parse_card("SA"), parse_card("♣2")
        (0, 51)
    """
    clean = with_letters(text.strip().upper()).replace("10", "T") if isinstance(text, str) else ""
    if len(clean) == 2 and clean[1] in "SHDC":
        clean = clean[::-1]
    suit = "SHDC".find(clean[:1]) if clean else -1
    rank = RANKS.find(clean[1:]) if len(clean) == 2 else -1
    if suit < 0 or rank < 0:
        raise DealError(f"{shorten(text)} is not a card (expected a suit and a rank, such as SA)")
    return 13 * suit + rank


def with_letters(text: str) -> str:
    """Return a text with letters instead of suit signs: ``4♥`` as ``4H``."""
    return text.translate(_LETTERS)


def card_text(card: int) -> str:
    """Return the text of a card index.

    Args:
        card: Card index, 0 (the ace of spades) to 51 (the two of clubs).

    Returns:
        Suit and rank, such as ``SA``.

    Example:
        >>> card_text(0), card_text(51)
        ('SA', 'C2')
    """
    return "SHDC"[card // 13] + RANKS[card % 13]


def parse_contract(text: str) -> tuple[int, Strain | None, int]:
    """Read the level, strain and doubling of a contract.

    Args:
        text: Text such as ``4S``, ``3NTX`` or ``5♦xx``, or ``PASS`` for a board passed out.

    Returns:
        Level, Strain, and doubling: 0, 1 (doubled) or 2 (redoubled). (0, None, 0) if passed out.

    Raises:
        DealError: The text is not a contract.

    Example:
        >>> level, strain, doubling = parse_contract("4 hx")
        >>> level, str(strain), doubling
        (4, 'H', 1)
    """
    clean = "".join(text.upper().split()) if isinstance(text, str) else ""
    clean = with_letters(clean)
    if clean in _PASSES:
        return 0, None, 0
    matched = _CONTRACT.fullmatch(clean)
    if matched is None:
        raise DealError(
            f"{shorten(text)} is not a contract (expected level, strain and doubling, "
            "such as 4S, 3NX, 6CXX, or PASS)"
        )
    return int(matched[1]), Strain.parse(matched[2]), _DOUBLING[matched[3]]


def declarer_of(contract: object, by: str | Seat | None) -> Seat | None:
    """Return who declares a contract: ``by``, or else the Contract's own declarer.

    Args:
        contract: A Contract, or its text, which has no declarer.
        by: Seat of the declarer, or its letter or name; None if it is not given.

    Returns:
        The declarer; None if neither is given.

    Raises:
        DealError: ``by`` is not a seat, or the Contract has another declarer.

    Example:
        >>> declarer_of(tc.Contract("4H", by="S"), None).word, declarer_of("4H", None)
        ('South', None)
    """
    own: Seat | None = getattr(contract, "by", None)
    seat = own if by is None else Seat.parse(by)
    if own is not None and seat is not own:
        assert seat is not None  # it is another one
        raise DealError(f"{contract} is by {own.word}, not by {seat.word} (expected one declarer)")
    return seat


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
    if ":" in text:
        if seat := _SEAT_OF_ONE.match(text):
            shown = shorten(seat[0].strip())
            raise DealError(f"hand {shorten(text)}: {shown} is a seat (expected the hand alone)")
        text = _COLON.sub(r"\1 ", text)
    if _LETTERED.match(text):
        text = text.upper().translate(_SIGN_OF_LETTER)
    signed = any(sign in text for sign in _SIGNS)
    if not signed and "." not in text:
        fields = text.split()
        if len(fields) == 4:  # suits separated by blanks, void as "-"
            text = ".".join(fields)
    ranks = text.replace("10", "T ")  # keeps the length, so that positions in messages are right
    try:
        mask = sum(_holding(*part) for part in _holdings(ranks, signed))
    except DealError as error:
        raise DealError(f"hand {shorten(text)}: {error}") from None
    separators = text.count(".")
    if separators != 3 and not (signed and not separators):
        raise DealError(
            f"hand {shorten(text)}: {counted(separators + 1, 'suit')} (expected four, "
            "spades.hearts.diamonds.clubs, with nothing between two dots for a void)"
        )
    return mask


def _holdings(text: str, signed: bool) -> Iterator[tuple[int | None, str, int]]:
    """Yield (suit, text, start) for each holding of a hand; the suit is None without a sign."""
    suit, start, signs = None if signed else 0, 0, set[Suit]()
    for end in _SUIT_ENDS.finditer(text):
        yield suit, text[start : end.start()], start
        sign, start = _SIGNS.get(end[0]), end.end()
        if sign in signs:
            raise DealError(f"{end[0]} appears twice, again at position {start}")
        if sign is not None:
            signs.add(sign)
        suit = sign if suit is None or signed else suit + 1
    yield suit, text[start:], start


def _holding(suit: int | None, text: str, start: int) -> int:
    """Return the mask of the cards of one suit, whose text begins after ``start`` characters."""
    if suit is not None and suit <= 3 and len(text) <= 13 and (held := _ranks(text)) is not None:
        return held << 13 * suit
    mask, void = 0, 0
    for position, rank in enumerate(text, start=start + 1):
        index = _INDICES.get(rank, -1)
        if index < 0 and (rank.isspace() or rank in _VARIATION):
            continue
        if suit is None:
            cards = shorten(text[position - start - 1 :].strip())
            raise DealError(
                f"{cards} at position {position} has no suit sign before it (expected one before "
                "the cards of each suit)"
            )
        if index < 0:
            if rank in "xX":
                raise DealError(
                    f"{rank!r} at position {position} stands for any small card: name the card "
                    "here (commands that take a hand, such as 'trickcast simulate', accept x)"
                )
            if rank in CURLY_QUOTES:
                expected = "expected straight ones, or none"
                raise DealError(f"{rank} is a curly quotation mark ({expected})")
            if rank not in _VOIDS:
                expected = f"expected one of {RANKS}"
                raise DealError(f"{rank!r} is not a rank ({expected}) at position {position}")
            void = position
        elif suit > 3:
            raise DealError(f"a fifth suit begins before position {position}")
        else:
            card = 13 * suit + index
            if mask >> card & 1:
                raise DealError(f"{card_text(card)} appears twice, again at position {position}")
            mask |= 1 << card
    if mask and void:
        raise DealError(
            f"{text[void - start - 1]!r} at position {void} is next to cards (expected on its own, "
            "for a void)"
        )
    return mask


@lru_cache(maxsize=1 << 14)
def _ranks(text: str) -> int | None:
    """Return the 13 bits of a plain run of distinct ranks; None for any other text."""
    held = sum(1 << _INDICES.get(rank, 13) for rank in text)
    return held if held < 1 << 13 and held.bit_count() == len(text) else None


def hand_text(mask: int) -> str:
    """Return the dotted text of a hand: ``A.KQ9832.T94.AKT``."""
    return ".".join(holding_text(mask, suit) for suit in Suit)


def holding_text(mask: int, suit: int) -> str:
    """Return the ranks that a hand holds in one suit, highest first; empty for a void."""
    return _ranks_text(mask >> 13 * suit & 0x1FFF)


@cache
def _ranks_text(held: int) -> str:
    return "".join(rank for i, rank in enumerate(RANKS) if held >> i & 1)


def cards_of(mask: int) -> Iterator[int]:
    """Yield the cards of a mask, lowest number first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask -= lowest


def parse_deal(text: str) -> bytes:
    """Return the owners of a deal in PBN notation: first seat, colon, four hands clockwise.

    Without a seat, four full hands begin with North's, on one line or on four.
    One hand may be ``-``; it gets the remaining cards. Raises DealError naming the invalid seat or
    card.
    """
    owners = parse_hands(text)
    hidden = [seat.word for seat in Seat if seat not in owners]
    if hidden:
        raise DealError(
            f"deal {shorten(text)}: {hidden[0]}'s hand is missing"
            + "".join(f", and {seat}'s" for seat in hidden[1:])
            + " (expected four hands; 'trickcast pair' and 'trickcast simulate' accept two)"
        )
    return owners


def parse_hands(text: str) -> bytes:
    """Return the owners of a deal whose hidden hands are written ``-``: 255 for their cards.

    A single hidden hand gets the remaining cards. Raises DealError as ``parse_deal`` does,
    and if no hand is shown.
    """
    text = text.removeprefix("\ufeff")
    first = _FIRST_SEAT.match(text)
    start = Seat.NORTH if first is None else Seat.parse(first[1])
    try:
        hands = _split_hands(text if first is None else text[first.end() :])
        if first is None and not _are_hands(hands):
            drawn = "; of a Deal that prints as a diagram, pass deal.pbn"
            raise DealError(
                "no first seat (expected 'N:' and four hands clockwise, "
                "such as 'N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 …'"
                + drawn * (text.strip().count("\n") > 3)
                + ")"
            )
    except DealError as error:
        raise DealError(f"deal {shorten(text)}: {error}") from None
    if len(hands) != 4:
        raise DealError(f"deal {shorten(text)}: {counted(len(hands), 'hand')} (expected 4)")
    owners, hidden = bytearray(b"\xff" * 52), list[Seat]()
    for i, hand in enumerate(hands):
        seat = Seat((start + i) % 4)
        if hand in _HIDDEN:
            hidden.append(seat)
        else:
            _deal_hand(owners, seat, hand, text)
    if len(hidden) == 1:
        return bytes(owners).replace(b"\xff", bytes(hidden))
    if len(hidden) == 4:
        raise DealError(f"deal {shorten(text)}: no hand is given (expected 13 cards each)")
    return bytes(owners)


def _deal_hand(owners: bytearray, seat: Seat, hand: str, text: str) -> None:
    """Give ``seat`` the cards of ``hand``, refusing one that another seat holds."""
    try:
        mask = parse_hand(hand)
    except DealError as error:
        raise DealError(f"deal {shorten(text)}: {seat.word}'s {error}") from None
    for card in cards_of(mask):
        if owners[card] != 0xFF:
            other = Seat(owners[card]).word
            raise DealError(
                f"deal {shorten(text)}: {card_text(card)} is held by {other} and by {seat.word}"
            )
        owners[card] = seat


def _split_hands(text: str) -> list[str]:
    """Split a text into four hands, however it is spaced.

    Raises DealError for text before the first spade sign, which belongs to no hand.
    """
    if len(text.split()) != 4 and _LETTERED.match(text):
        text = text.upper().translate(_SIGN_OF_LETTER)
    spades = [i for i, character in enumerate(text) if character in "♠♤"]
    if spades:
        before = text[: spades[0]].strip()
        if before:
            sign = text[spades[0]]
            raise DealError(
                f"{shorten(before)} stands before the first {sign} (expected hands alone)"
            )
        return [text[a:b] for a, b in zip(spades, [*spades[1:], None], strict=True)]
    fields = text.split()
    if len(fields) == 4 or len(fields) > 64:
        return fields
    hands, parts = [], ""
    if "." not in text and len(fields) == 16:  # suits separated by blanks
        return [".".join(fields[i : i + 4]) for i in range(0, 16, 4)]
    for field in fields:  # blanks inside the hands: a hand ends with its thirteenth card
        parts += field
        cards = len(parts.replace("10", "T")) - 3
        if parts in _VOIDS or (parts.count(".") == 3 and cards >= 13):
            hands.append(parts)
            parts = ""
    return hands + [parts] * bool(parts)


def _are_hands(hands: list[str]) -> bool:
    """Return whether four texts are hands of thirteen cards."""
    try:
        return len([parse_hand(hand) for hand in hands]) == 4
    except DealError:
        return False


def parse_position(text: str) -> bytes:
    """Return the owners of a position, written as a deal with fewer cards; 255 for played cards.

    Raises DealError for other text, a repeated card, and hands of different lengths.
    """
    first = _FIRST_SEAT.match(text)
    hands = text[first.end() :].split() if first else []
    if first is None or len(hands) != 4:
        raise DealError(
            f"position {shorten(text)}: {counted(len(hands), 'hand')} (expected 'N:' and four "
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
                raise DealError(f"position {shorten(text)}: {card_text(card)} is in two hands")
            if mask >> card & 1:
                owners[card] = seat
    if len({*sizes.values()}) != 1 or not sizes[start]:
        held = ", ".join(f"{seat.word} {sizes[seat]}" for seat in Seat)
        raise DealError(f"position {shorten(text)}: {held} cards (expected equally many)")
    return bytes(owners)
