"""What the cards played so far show about the hands: who held them, and who showed out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..cards import DealError, Hand, Seat, Strain, Suit, parse_card, shorten
from ..cards.auction_text import Auction
from ..cards.card_play import PlayError
from ..dealing.constraints import hand_of
from ..formats.board_text import parse_played, winner_of_texts


def seats_played(played: Any, strain: Strain, declarer: Seat) -> list[tuple[Seat, str]]:
    """Return who played each card, in the order of play: ``"H4 H2 HK"`` or a list of cards.

    Raises PlayError for text that is not a card, and for a card played twice.
    """
    if not isinstance(played, Iterable):
        raise PlayError(f"played is {shorten(played)} (expected cards such as 'H4 H2')", 0)
    texts = played.replace(",", " ").split() if isinstance(played, str) else list(played)
    cards: list[tuple[Seat, str]] = []
    turn = declarer.lho
    for number, text in enumerate(texts):
        try:
            card = parse_played(str(text).upper().replace("10", "T"))
        except ValueError as error:
            raise PlayError(f"card {number + 1}: {error}", number) from None
        if card in (earlier for _, earlier in cards):
            raise PlayError(f"card {number + 1}, {card}: it was already played", number)
        cards.append((turn, card))
        turn = turn.lho
        if len(cards) % 4 == 0:
            trick = cards[-4:]
            turn = trick[winner_of_texts([card for _, card in trick], strain)][0]
    return cards


def told_by_play(
    auction: Auction, played: Any, given: Mapping[Seat, Sequence[Any]]
) -> dict[Seat, list[str]]:
    """Return, as descriptions, what the play shows of each seat: cards held, suits run out of.

    ``given`` are hands and descriptions already known. Raises PlayError for cards that a given
    hand does not hold or that do not follow suit, and DealError if the auction has not ended, since
    then the leader is unknown.
    """
    contract, declarer = auction.contract
    if contract is None:
        raise DealError(f"the auction {auction} has not ended: who leads is not known yet")
    if declarer is None:
        raise DealError("the board was passed out: no card is played")
    hands = {seat: _hand(seat, parts) for seat, parts in given.items()}
    cards = seats_played(played, Strain.parse(contract[1]), declarer)
    out: dict[tuple[Seat, str], int] = {}
    for number, (seat, card) in enumerate(cards):
        led = cards[number - number % 4][1][0]
        before = [c for s, c in cards[:number] if s == seat]
        _check(number, card, seat, led, hands.get(seat), before, out)
        if card[0] != led:
            out.setdefault((seat, led), sum(c[0] == led for c in before))
    told: dict[Seat, list[str]] = {}
    for seat, card in cards:
        told.setdefault(seat, []).append(card)
    for (seat, suit), length in out.items():
        told[seat].append(f"{Suit.parse(suit).name.lower()} {length}")
    return told


def _hand(seat: Seat, parts: Sequence[Any]) -> Hand | None:
    hands = [hand_of(part, seat.name.lower()) for part in parts if not callable(part)]
    return next((hand for hand in hands if hand is not None), None)


def _check(
    number: int,
    card: str,
    seat: Seat,
    led: str,
    hand: Hand | None,
    before: Sequence[str],
    out: Mapping[tuple[Seat, str], int],
) -> None:
    """Raise PlayError for a card that its seat cannot have played."""
    name = f"card {number + 1}, {card}"
    if (seat, card[0]) in out:
        suit = Suit.parse(card[0]).name.lower()
        raise PlayError(f"{name}: {seat.word} had run out of {suit} before", number)
    if hand is None:
        return
    if not hand.mask >> parse_card(card) & 1:
        raise PlayError(f"{name}: {seat.word} does not hold it ({shorten(str(hand))})", number)
    if card[0] != led and any(c[0] == led and c not in before for c in hand):
        suit = Suit.parse(led).name.lower()
        raise PlayError(f"{name}: {seat.word} has to follow in {suit}", number)
