"""The question what every card of a play is worth, who gave tricks away, and what to play now."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import UNKNOWN, Board, Deal, Seat, Strain, card_text, parse_card
from ..cards.play import PlayError, Position, positions
from ..cards.positions import GONE
from ..cards.text import hand_text, parse_position
from ..scoring import Contract
from .deals import named_deal
from .declared import Argument, Hooks, Option, Question, QuestionError

_PASSED_OUT = "passed out"
Owners = NDArray[np.uint8]


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


class PlayAnswer(TypedDict):
    """What the cards of a play were worth, and what each seat gave away.

    A position of fewer than 52 cards is an ``ending``, not a ``deal``.
    """

    deal: NotRequired[str]
    ending: NotRequired[str]
    board: NotRequired[int]
    contract: str
    by: str
    tricks: int
    cards: list[PlayedCard]
    given: dict[str, int]
    now: CardsNow | None


@dataclass(frozen=True, kw_only=True)
class PlayQuestion(Question):
    """Judge what every card of a play is worth, and who gave tricks away.

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

    def check(self) -> None:
        """Read contract and cards. Raises QuestionError for a board that is passed out."""
        bid = self._bid
        if bid is not None and bid.strain is None:
            raise QuestionError(f"{bid}: a passed-out board has no play to judge")
        self._declarer, self._played, self._leader  # noqa: B018

    @cached_property
    def _bid(self) -> Contract | None:
        return None if self.contract is None else Contract(self.contract)

    @cached_property
    def _declarer(self) -> Seat | None:
        return None if self.by is None else Seat.parse(self.by)

    @cached_property
    def _leader(self) -> Seat | None:
        return None if self.lead is None else Seat.parse(self.lead)

    @cached_property
    def _played(self) -> list[int]:
        words = " ".join(self.cards or ()).replace(",", " ").split()
        return [parse_card(card) for card in words]

    def play_of(self, board: Board) -> "Play | str":
        """Return what is played, as asked or else as the board says; or why nothing is."""
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
        recorded = not self._played and (self._bid, self._declarer, self._leader) == (None,) * 3
        played = [parse_card(card) for card in board.play] if recorded else self._played
        leader = declarer.lho if self._leader is None else self._leader
        return Play(bid, bid.strain, declarer, leader, played, recorded)

    def ask(
        self, owners: Owners, board: Board, note: Callable[[str], object], workers: int | None
    ) -> "Review | str":
        """Judge a play of (52,) owners; or say why there is none. ``note`` is told of its end."""
        from ..solver import values_of_cards  # what is asked wrongly does not wait for DDS

        play = self.play_of(board)
        if isinstance(play, str):
            return play
        reached = _reached(owners, play, board, note)
        cards = play.cards[: len(reached) - 1]
        values = values_of_cards(
            owners, play.strain, play.declarer, cards, leader=play.leader, workers=workers
        )
        return Review(play, reached, cards, values)

    def answer(self, owners: Owners, board: Board, review: "Review") -> PlayAnswer:
        """Answer with everything: cards by their text, tricks of declarer's side in all."""
        now, worth = review.reached[-1], review.values[-1]
        after = {card_text(int(card)): int(worth[card]) for card in now.playable}
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
            "now": {"turn": str(now.turn), "tricks": after} if after else None,
        }
        return cast(PlayAnswer, content)

    def answers(
        self, hooks: Hooks, boards: Iterable[tuple[Owners, Board]], note: Callable[[str], object]
    ) -> Iterator[PlayAnswer]:
        """Yield an answer a board. Raises QuestionError where no board has a play to judge."""
        left_out, judged = Counter[str](), False
        for owners, board in boards:
            review = self.ask(owners, board, note, hooks.workers)
            if isinstance(review, str):
                left_out[review] += 1
            else:
                judged = True
                yield self.answer(owners, board, review)
        if not judged:
            raise QuestionError(self.nothing_to_judge(left_out))
        for reason, number in left_out.items():
            note(f"{number:,} board{'s' * (number != 1)} {reason}")

    def nothing_to_judge(self, left_out: Counter[str]) -> str:
        """Say what was missing where no play could be judged."""
        if left_out and not left_out.keys() - {_PASSED_OUT}:
            boards = left_out.total()
            which = "the board was" if boards == 1 else f"all {boards:,} boards were"
            return f"there is nothing to judge: {which} passed out"
        if self._bid is not None:
            return f"{self._bid}: by is missing (expected the declarer: N, E, S or W)"
        if self._declarer is not None:
            return f"by {self._declarer}: the contract is missing (expected one such as 4S)"
        return "there is nothing to judge (expected contract and by)"


@dataclass(frozen=True)
class Play:
    """A contract, and the cards played."""

    contract: Contract
    strain: Strain
    declarer: Seat
    leader: Seat
    cards: list[int]
    recorded: bool
    """Whether the cards are a file's: what cannot be played ends them, and is no error."""


@dataclass(frozen=True)
class Review:
    """A play and the exact value of all its cards."""

    play: Play
    reached: Sequence[Position]
    cards: list[int]
    values: NDArray[np.uint8]
    """(k + 1, 52), as ``values_of_cards`` gives them."""

    def best(self, number: int) -> int:
        """Return declarer's tricks when the play goes on as well as possible from a position."""
        now, worth = self.reached[number], self.values[number]
        known = worth[worth != UNKNOWN]
        if not len(known):
            return now.won[self.play.declarer.side]
        own = now.turn.side == self.play.declarer.side
        return int(known.max() if own else known.min())

    def lost(self, number: int) -> int:
        """Return the tricks that a card gave away, to whichever side."""
        return abs(self.best(number) - int(self.values[number, self.cards[number]]))

    def as_good(self, number: int) -> list[str]:
        """Return the cards that would have given nothing away."""
        best = np.flatnonzero(self.values[number] == self.best(number))
        return [card_text(int(card)) for card in best]

    def given(self) -> dict[Seat, int]:
        """Return the tricks that each seat gave away; dummy's cards are declarer's."""
        declarer = self.play.declarer
        given = dict.fromkeys(Seat, 0)
        for number in range(len(self.cards)):
            seat = self.reached[number].turn
            given[declarer if seat == declarer.partner else seat] += self.lost(number)
        del given[declarer.partner]
        return given


def is_position(text: str) -> bool:
    """Whether text looks like four hands of fewer than 52 cards in all."""
    first, colon, hands = text.strip().partition(":")
    held = sum(character not in ". -" for character in hands.replace("10", "T"))
    return bool(colon) and len(first) == 1 and len(hands.split()) == 4 and held < 52


def position_owners(text: str) -> Owners:
    """Return the (52,) owners of a position. Raises DealError for what is none."""
    return np.frombuffer(parse_position(text), dtype=np.uint8)


def position_hands(owners: Owners) -> list[str]:
    """Return the hands of a position, dotted."""
    return [
        hand_text(sum(1 << int(card) for card in np.flatnonzero(owners == seat))) for seat in Seat
    ]


def _reached(
    owners: Owners, play: Play, board: Board, note: Callable[[str], object]
) -> list[Position]:
    """Return the positions of the play; a record goes up to what could not be played."""
    try:
        return positions(owners, play.strain, play.leader, play.cards)
    except PlayError as error:
        if not play.recorded:
            raise
        name = "the board" if board.number is None else f"board {board.number}"
        note(f"{name}: {error}; the play is judged up to there")
        return positions(owners, play.strain, play.leader, play.cards[: error.played])


def _named(owners: Owners, board: Board) -> dict[str, Any]:
    if (owners == GONE).any():
        return {"ending": "N:" + " ".join(position_hands(owners))}
    return named_deal(Deal.from_owners(owners), board)
