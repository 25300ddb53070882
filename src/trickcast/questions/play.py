"""The question of each card's value: in a recorded play, and for the card to play now."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import (
    UNKNOWN,
    Board,
    Deal,
    DealError,
    Hand,
    Seat,
    Strain,
    Vulnerability,
    card_text,
    parse_card,
    parse_contract,
)
from ..cards.card_play import PlayError, Position, positions
from ..cards.positions import GONE
from ..cards.text import hand_text, parse_position
from ..played import Norm, given_away, norms
from ..scoring import Contract
from .auctions import (
    Dealer,
    Meanings,
    Style,
    Vulnerable,
    contract_in,
    ended_auction,
    reading_calls,
)
from .deals import named_deal
from .declared import Argument, Hooks, Option, Question, QuestionError

if TYPE_CHECKING:
    from ..bidding import Auction
    from ..simulation import CardValue, NextCard, Value

_PASSED_OUT = "passed out"
Owners = NDArray[np.uint8]
Next = tuple[Position, NDArray[np.uint8]]
"""A position, and the values of its (52,) cards."""


class PlayedCard(TypedDict):
    """A card that was played: tricks are declarer's in all, ``best`` as good as possible."""

    trick: int
    seat: str
    card: str
    tricks: int
    lost: int
    best: list[str]


class CardsNow(TypedDict):
    """Who plays next, and what declarer takes after each card."""

    turn: str
    tricks: dict[str, int]


class RoleGiven(TypedDict):
    """Tricks given away in a role, the championship mean, and how often no more are given."""

    given: int
    mean: float
    at_most: float


class PlayAnswer(TypedDict):
    """What the cards of a play were worth, and what each seat gave away.

    A position of fewer than 52 cards is an ``ending``, not a ``deal``. ``roles`` are lead, defence
    and declarer; null for a position, and where no card was played. ``ahead`` has what comes after
    each card of ``now``, null after the last.
    """

    deal: NotRequired[str]
    ending: NotRequired[str]
    board: NotRequired[int]
    dealer: NotRequired[str]
    vulnerable: NotRequired[str]
    contract: str
    by: str
    tricks: int
    cards: list[PlayedCard]
    given: dict[str, int]
    roles: dict[str, RoleGiven] | None
    now: CardsNow | None
    ahead: NotRequired[dict[str, CardsNow | None]]


class WeighedCard(TypedDict):
    """Cards that are the same: declarer's tricks, double dummy and, of a lead, as played.

    A value is [number, low, high]; points are those of the side that plays, ``loss`` tricks given
    away against the best card.
    """

    cards: tuple[str, ...]
    tricks: list[float | None]
    making: list[float | None]
    points: list[float | None]
    loss: list[float | None]
    as_played: list[float | None] | None


class WeighedAnswer(TypedDict):
    """The cards that may be played now, the best first, over layouts that fit what is known."""

    board: NotRequired[int]
    contract: str
    by: str
    auction: str
    played: list[str]
    turn: str
    layouts: int
    effective_size: float
    best: list[WeighedCard]


@dataclass(frozen=True, kw_only=True)
class PlayQuestion(Question):
    """Judge what every card of a play is worth, and who gave tricks away.

    With --now the cards of whoever is to play are weighed over layouts that fit the auction and
    the play so far: of the deal only that hand and dummy are looked at, and others may be hidden.

    Example: trickcast play deals.pbn 4H SQ SA --by N --board 1
    """

    about, most = "deals", 40
    contract: Annotated[
        str | None,
        Argument(metavar="CONTRACT", help="Contract, such as 4S (default: by the board).",
                 example="4S"),
    ] = None  # fmt: skip
    cards: Annotated[
        list[str] | None,
        Argument(metavar="CARDS", help="Cards played so far: SA S2 … (default: as recorded).",
                 example=[]),
    ] = None  # fmt: skip
    by: Annotated[
        str | None,
        Option(metavar="[N|E|S|W]", help="Declarer (default: by the board).", example="N"),
    ] = None
    lead: Annotated[
        str | None,
        Option(metavar="[N|E|S|W]", help="Leader (default: declarer's left-hand opponent)."),
    ] = None
    position: Annotated[
        bool, Option(help="Only the cards to play next; the play so far is not judged.")
    ] = False
    ahead: Annotated[bool, Option(help="Also the cards after each of the cards to play next.")] = (
        False
    )
    now: Annotated[
        bool,
        Option(help="Compare the cards to play over layouts that fit the auction and the play."),
    ] = False
    auction: Annotated[
        str | None,
        Option(metavar="CALLS", filled=True, help="With --now: the calls (default: by the board).",
               example="1N P 3N P P P"),
    ] = None  # fmt: skip
    dealer: Dealer = None
    vulnerable: Vulnerable = None
    meaning: Meanings = None
    style: Style = None

    def check(self) -> None:
        """Parse contract and cards. Raises QuestionError for a board that is passed out."""
        calls = {"auction", "dealer", "vulnerable", "meaning", "style"}
        if not self.now and (vain := calls & self.given):
            raise QuestionError("{} needs {}", min(vain), "now")
        for name in ("position", "ahead"):
            if self.now and getattr(self, name):
                raise QuestionError(
                    "{} cannot be combined with {}: hands may be hidden there", name, "now"
                )
        if self.now and self.lead is not None:
            raise QuestionError(
                "{} cannot be combined with {}: the auction tells who leads", "lead", "now"
            )
        bid = self._bid
        if bid is not None and bid.strain is None:
            raise QuestionError(f"{bid}: a passed-out board has no play to judge")
        self._declarer, self._played, self._leader  # noqa: B018

    @cached_property
    def _bid(self) -> Contract | None:
        return None if self.contract is None or self._begins else Contract(self.contract)

    @cached_property
    def _begins(self) -> bool:
        """Return whether the text given as contract is really the first card."""
        text = self.contract or ""
        for parse, is_card in ((parse_contract, False), (parse_card, True)):  # 4H may be both
            with suppress(DealError):
                parse(text)
                return is_card
        return False

    @cached_property
    def _declarer(self) -> Seat | None:
        return None if self.by is None else Seat.parse(self.by)

    @cached_property
    def _leader(self) -> Seat | None:
        return None if self.lead is None else Seat.parse(self.lead)

    @cached_property
    def _played(self) -> list[int]:
        first = [self.contract] if self.contract is not None and self._begins else []
        words = " ".join([*first, *(self.cards or ())]).replace(",", " ").split()
        return [parse_card(card) for card in words]

    def play_of(self, board: Board) -> "Play | str":
        """Return the play, as requested or else as on the board; or why there is none."""
        bid, declarer = self._bid, self._declarer
        if bid is None and board.contract is not None:
            bid = Contract(board.contract)
        if declarer is None:
            declarer = board.declarer
        if bid is not None and bid.strain is None:
            return _PASSED_OUT
        missing = ["contract"] * (bid is None) + ["declarer"] * (declarer is None)
        if bid is None or bid.strain is None or declarer is None:
            return f"without {' and '.join(missing)}"
        leader = declarer.lho if self._leader is None else self._leader
        recorded = not self._played and _is_of(board, bid.strain, declarer, leader)
        played = [parse_card(card) for card in board.play] if recorded else self._played
        return Play(bid, bid.strain, declarer, leader, played, recorded)

    def ask(
        self, owners: Owners, board: Board, note: Callable[[str], object], workers: int | None
    ) -> "Review | str":
        """Judge a play of (52,) owners; or return why there is none. ``note`` gets remarks."""
        from ..solver import values_in  # invalid requests need not wait for DDS

        play = self.play_of(board)
        if isinstance(play, str):
            return play
        if board.play and not (play.recorded or self._played):
            note(f"{_name(board)}: the recorded play is not of this contract, and is left out")
        reached = _reached(owners, play, board, note)
        if self.position:
            reached = reached[-1:]
        cards = play.cards[: len(reached) - 1]
        now = reached[-1]
        after = [now.after(int(card), play.strain) for card in now.playable if self.ahead]
        values = values_in([*reached, *after], play.strain, play.declarer, workers=workers)
        count = len(reached)
        return Review(
            play, reached, cards, values[:count], list(zip(after, values[count:], strict=True))
        )

    def weigh(self, owners: Owners, board: Board, workers: int | None) -> "NextCard":
        """Weigh the cards of the player to move; of (52,) owners some may be hidden (255).

        Raises QuestionError for a missing auction or an unknown hand,
        DealError for calls and cards that do not fit.
        """
        from ..bidding.cards_played import seats_played
        from ..simulation import simulate_play
        from ..simulation.next_card import next_seat

        calls = self._called(board)
        contract, declarer = contract_in(calls)
        if self._bid is not None and str(self._bid) != str(contract):
            raise QuestionError(f"the auction ends in {contract}, not in {self._bid}")
        if self._declarer is not None and self._declarer != declarer:
            raise QuestionError(
                f"the auction makes {declarer.word} declarer, not {self._declarer.word}"
            )
        played = self._so_far(board)
        strain = contract.strain
        assert strain is not None
        turn = next_seat(seats_played(played, strain, declarer), strain, declarer)
        holder = declarer if turn == declarer.partner else turn
        with reading_calls():
            return simulate_play(
                _hand_of(owners, holder),
                _hand_of(owners, declarer.partner) if played else None,
                auction=calls,
                played=played,
                meanings=self.meaning or (),
                style=self.style,
                workers=workers,
            )

    def _called(self, board: Board) -> "Auction":
        """Return the auction: as requested, or the board's."""
        known = board.completed()
        text = self.auction if self.auction is not None else " ".join(board.auction)
        if not text:
            raise QuestionError(
                "no auction (expected {} and {}, or a board with one)", "auction", "dealer"
            )
        dealer = known.dealer if self.dealer is None else Seat.parse(self.dealer)
        sides = known.vulnerability
        if self.vulnerable is not None:
            sides = Vulnerability.parse(self.vulnerable)
        return ended_auction(
            text, Seat.NORTH if dealer is None else dealer, sides or Vulnerability.NONE
        )

    def _so_far(self, board: Board) -> list[str]:
        return [card_text(card) for card in self._played] or list(board.play)

    def answer(
        self, owners: Owners, board: Board, found: "Review | NextCard"
    ) -> PlayAnswer | WeighedAnswer:
        """Answer with the values of all cards in a play, or of the cards to play now."""
        if isinstance(found, Review):
            return self._judged(owners, board, found)
        content: dict[str, Any] = {} if board.number is None else {"board": board.number}
        content |= {
            "contract": str(found.contract),
            "by": str(found.by),
            "auction": str(self._called(board)),
            "played": self._so_far(board),
            "turn": str(found.seat),
            "layouts": len(found.deals),
            "effective_size": round(found.effective_size, 1),
            "best": [_weighed(each) for each in found],
        }
        return cast(WeighedAnswer, content)

    def _judged(self, owners: Owners, board: Board, review: "Review") -> PlayAnswer:
        """Answer in full: cards as text, total tricks of declarer's side."""
        content: dict[str, Any] = {
            **_named(owners, board),
            "contract": str(review.play.contract),
            "by": str(review.play.declarer),
            "tricks": review.best(0),
            "cards": [
                {
                    "trick": number // 4 + 1,
                    "seat": str(review.reached[number].turn),
                    "card": card_text(card),
                    "tricks": int(review.values[number, card]),
                    "lost": review.lost(number),
                    "best": review.as_good(number),
                }
                for number, card in enumerate(review.cards)
            ],
            "given": {str(seat): number for seat, number in review.given().items()},
            "roles": {
                name: {
                    "given": each.given,
                    "mean": round(each.norm.mean, 4),
                    "at_most": round(each.norm.at_most(each.given), 4),
                }
                for name, each in review.roles(owners).items()
            }
            or None,
            "now": _next_cards(*review.now),
        }
        if self.ahead:
            content["ahead"] = {card: _next_cards(*after) for card, after in review.ahead()}
        return cast(PlayAnswer, content)

    def answers(
        self, hooks: Hooks, boards: Iterable[tuple[Owners, Board]], note: Callable[[str], object]
    ) -> Iterator[PlayAnswer | WeighedAnswer]:
        """Yield an answer per board. Raises QuestionError if no board has a play to judge."""
        left_out, judged = Counter[str](), False
        for owners, board in boards:
            if self.now:
                judged = True
                yield self.answer(owners, board, self.weigh(owners, board, hooks.workers))
                continue
            review = self.ask(owners, board, note, hooks.workers)
            if isinstance(review, str):
                left_out[review] += 1
            else:
                judged = True
                yield self.answer(owners, board, review)
        if not judged:
            raise self.nothing_to_judge(left_out)
        for reason, number in left_out.items():
            note(f"{number:,} board{'s' * (number != 1)} {reason}")

    def nothing_to_judge(self, left_out: Counter[str]) -> QuestionError:
        """Return the error for what was missing if no play could be judged."""
        if left_out and not left_out.keys() - {_PASSED_OUT}:
            boards = left_out.total()
            which = "the board was" if boards == 1 else f"all {boards:,} boards were"
            return QuestionError(f"there is nothing to judge: {which} passed out")
        if self._bid is not None:
            expected = "(expected the declarer: N, E, S or W)"
            return QuestionError(f"{self._bid}: {{}} is missing {expected}", "by")
        if self._declarer is not None:
            missing = f"{{}} {self._declarer}: the contract is missing (expected one such as 4S)"
            return QuestionError(missing, "by")
        return QuestionError("there is nothing to judge (expected {} and {})", "contract", "by")


@dataclass(frozen=True)
class Play:
    """A contract, and the cards played."""

    contract: Contract
    strain: Strain
    declarer: Seat
    leader: Seat
    cards: list[int]
    recorded: bool
    """Whether the cards come from a file: then an impossible card ends them, without an error."""


class Role(NamedTuple):
    """What was given away in a role, and what championship players give away."""

    given: int
    norm: Norm


@dataclass(frozen=True)
class Review:
    """A play and the exact value of all its cards."""

    play: Play
    reached: Sequence[Position]
    cards: list[int]
    values: NDArray[np.uint8]
    """(k + 1, 52), as from ``values_of_cards``."""
    after: Sequence[Next]
    """What follows each legal card, if requested."""

    @property
    def now(self) -> Next:
        """The last position, and the values of its cards."""
        return self.reached[-1], self.values[-1]

    def ahead(self) -> Iterator[tuple[str, Next]]:
        """Yield the text of each legal card, and what follows it."""
        for card, after in zip(self.reached[-1].playable, self.after, strict=False):
            yield card_text(int(card)), after

    def best(self, number: int) -> int:
        """Return declarer's tricks with best play from a position on."""
        now, worth = self.reached[number], self.values[number]
        known = worth[worth != UNKNOWN]
        if not len(known):
            return now.won[self.play.declarer.side]
        own = now.turn.side == self.play.declarer.side
        return int(known.max() if own else known.min())

    def lost(self, number: int) -> int:
        """Return the tricks that a card gave away, to either side."""
        return abs(self.best(number) - int(self.values[number, self.cards[number]]))

    def as_good(self, number: int) -> list[str]:
        """Return the cards that would have given nothing away."""
        best = np.flatnonzero(self.values[number] == self.best(number))
        return [card_text(int(card)) for card in best]

    def given(self) -> dict[Seat, int]:
        """Return the tricks that each seat gave away; declarer also plays dummy's cards."""
        declarer = self.play.declarer
        given = dict.fromkeys(Seat, 0)
        for number in range(len(self.cards)):
            seat = self.reached[number].turn
            given[declarer if seat == declarer.partner else seat] += self.lost(number)
        del given[declarer.partner]
        return given

    def roles(self, owners: Owners) -> dict[str, Role]:
        """Return what each role gave away on a whole deal; empty if no card was played."""
        declarer = self.play.declarer
        if not self.cards or (owners == GONE).any() or self.play.leader != declarer.lho:
            return {}
        given = given_away(owners, self.values, self.cards, declarer)
        return {name: Role(given[name], norm) for name, norm in norms().items()}


def _next_cards(now: Position, worth: NDArray[np.uint8]) -> CardsNow | None:
    tricks = {card_text(int(card)): int(worth[card]) for card in now.playable}
    return {"turn": str(now.turn), "tricks": tricks} if tricks else None


def _hand_of(owners: Owners, seat: Seat) -> Hand:
    """Return a seat's hand. Raises QuestionError if it is hidden."""
    held = owners == seat
    if held.sum() != 13:
        raise QuestionError(
            f"{seat.word}'s hand is not known (expected the hand of whoever is to play, as dealt, "
            "and dummy's)"
        )
    return Hand.from_cards(held)


def _weighed(each: "CardValue") -> WeighedCard:
    return {
        "cards": each.cards,
        "tricks": _numbers(each.tricks),
        "making": _numbers(each.making),
        "points": _numbers(each.points),
        "loss": _numbers(each.loss),
        "as_played": None if each.as_played is None else _numbers(each.as_played),
    }


def _numbers(value: "Value") -> list[float | None]:
    return [None if math.isnan(number) else round(number, 4) for number in value]


def is_position(text: str) -> bool:
    """Whether text looks like four hands of fewer than 52 cards in all."""
    first, colon, hands = text.strip().partition(":")
    held = sum(character not in ". -" for character in hands.replace("10", "T"))
    return bool(colon) and len(first) == 1 and len(hands.split()) == 4 and held < 52


def position_owners(text: str) -> Owners:
    """Return the (52,) owners of a position. Raises DealError for invalid text."""
    return np.frombuffer(parse_position(text), dtype=np.uint8)


def position_hands(owners: Owners) -> list[str]:
    """Return the hands of a position, dotted."""
    return [
        hand_text(sum(1 << int(card) for card in np.flatnonzero(owners == seat))) for seat in Seat
    ]


def _is_of(board: Board, strain: Strain, declarer: Seat, leader: Seat) -> bool:
    """Return whether the recorded play of a board is of these trumps, declarer and leader."""
    said = None if board.contract is None else Contract(board.contract).strain
    return said in (None, strain) and board.declarer in (None, declarer) and leader == declarer.lho


def _reached(
    owners: Owners, play: Play, board: Board, note: Callable[[str], object]
) -> list[Position]:
    """Return the positions of the play; a record ends before an impossible card."""
    try:
        return positions(owners, play.strain, play.leader, play.cards)
    except PlayError as error:
        if not play.recorded:
            raise
        note(f"{_name(board)}: {error}; the play is judged up to there")
        return positions(owners, play.strain, play.leader, play.cards[: error.played])


def _name(board: Board) -> str:
    return "the board" if board.number is None else f"board {board.number}"


def _named(owners: Owners, board: Board) -> dict[str, Any]:
    if (owners == GONE).any():
        return {"ending": "N:" + " ".join(position_hands(owners))}
    return named_deal(Deal.from_owners(owners), board)
