"""Questions about calls, what they show and what to call next, and their shared options."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import Board, Deal, DealSet, Seat, Vulnerability, counted
from ..cards.auction import CallError
from ..cards.positions import GONE
from ..cards.styles import PairStyles, style_over
from ..scoring import Contract
from .deals import named_deal
from .declared import Argument, Hooks, Option, Question, QuestionError

if TYPE_CHECKING:
    from ..bidding import (
        Auction,
        AuctionReading,
        AuctionShown,
        CallShown,
        ComparedCalls,
        SuggestedCalls,
    )

_TOGETHER = 256
"""Boards bid at a time."""

AuctionText = Annotated[
    str | None,
    Option(metavar="CALLS", filled=True, help="All calls, dealer first: '1N P 3N P P P'.",
           example="1N P 3N P P P"),
]  # fmt: skip
Dealer = Annotated[
    str | None, Option(metavar="[N|E|S|W]", help="Dealer (default: by the board, or N).")
]
FirstCaller = Annotated[str, Option(metavar="[N|E|S|W]", help="Dealer.")]
Vulnerable = Annotated[
    str | None,
    Option(metavar="[none|ns|ew|both]", help="Vulnerable sides (default: by the board, or none)."),
]
Sides = Annotated[str, Option(metavar="[none|ns|ew|both]", help="Vulnerable sides.")]
Meanings = Annotated[
    list[str] | None,
    Option(metavar="MEANING", filled=True, example=["1N: hcp 12-14, balanced"],
           help="Meaning of a call, '1N: hcp 12-14, balanced', or a system; on the "
           "command line also a file (.toml)."),
]  # fmt: skip
Style = Annotated[
    str | None,
    Option(metavar="STYLE", filled=True, example="ns precision, ew weak-notrump",
           help="Methods of the players: 'weak-notrump', or 'ns precision, ew acol'."),
]  # fmt: skip


class ShownCall(TypedDict):
    """A call and the hands that make it: the middle nine tenths of points and lengths (S H D C).

    ``hand``, ``chance`` and ``unusual`` are of the caller's own hand, where the deal is known.
    """

    call: str
    by: str
    points: tuple[int, int]
    lengths: list[tuple[int, int]]
    balanced: float
    chosen: float
    instead: dict[str, float]
    typical: list[str]
    hand: NotRequired[str]
    chance: NotRequired[float]
    unusual: NotRequired[bool]


class AuctionAnswer(TypedDict):
    """What each call of an auction shows.

    ``style`` is what was told of the players' methods, or their other boards of the file show.
    """

    deal: NotRequired[str]
    board: NotRequired[int]
    auction: str
    dealer: str
    vulnerable: str
    style: NotRequired[str]
    calls: list[ShownCall]


class NextCall(TypedDict):
    """A call that players would make, how many of them, and what it shows."""

    call: str
    chance: float
    shows: str


class FollowedCall(TypedDict):
    """What comes of a call: points of the caller's side, IMPs [mean, low, high] over the first."""

    call: str
    points: float
    imps: list[float]
    contracts: dict[str, float]


class FollowedCalls(TypedDict):
    """Calls followed to the end of the auction over layouts, as players would score."""

    layouts: int
    effective_size: float
    calls: list[FollowedCall]


class BidAnswer(TypedDict):
    """The calls that players would make next, the likeliest first."""

    hand: str
    auction: str
    dealer: str
    vulnerable: str
    by: str
    calls: list[NextCall]
    compared: FollowedCalls | None


class BoardAnswer(TypedDict):
    """A board that was bid to the end; ``contract`` is PASS where all passed."""

    deal: str
    board: NotRequired[int]
    dealer: str
    vulnerable: str
    auction: str
    contract: str
    by: str | None


@dataclass(frozen=True, kw_only=True)
class CallsQuestion(Question):
    """Base class of questions about calls."""

    dealer: FirstCaller = "N"
    vulnerable: Sides = "none"
    meaning: Meanings = None
    style: Style = None

    def check(self) -> None:
        """Parse the dealer and the vulnerability."""
        self._told  # noqa: B018

    @cached_property
    def _told(self) -> dict[str, Any]:
        return {
            "dealer": Seat.parse(self.dealer),
            "vulnerable": Vulnerability.parse(self.vulnerable),
            "meanings": self.meaning or (),
            "style": self.style,
        }

    def answers(
        self,
        hooks: Hooks,
        boards: Iterable[tuple[NDArray[np.uint8], Board]] | None = None,
        note: Callable[[str], object] = lambda text: None,
    ) -> Iterator[Any]:
        """Yield a single answer, or one for each board of a file, (52,) owners; log to ``note``."""
        if boards is None:
            return iter([self.one()])
        held = [(_deal(*each), each[1]) for each in boards]
        return self.of_boards(held, pair_styles(held), note)

    def one(self) -> Any:
        """Return the single answer if there is no file."""
        raise NotImplementedError

    def of_boards(
        self,
        boards: Iterable[tuple[Deal, Board]],
        pairs: PairStyles,
        note: Callable[[str], object],
    ) -> Iterator[Any]:
        """Yield an answer for each board of a file, with the known styles of its pairs."""
        raise NotImplementedError

    def style_on(self, deal: Deal, board: Board, pairs: PairStyles) -> str:
        """Return the style as given, else as the pairs' other boards show it."""
        with reading_calls():
            return style_over(self.style, pairs.of(deal.owners, board))


@dataclass(frozen=True, kw_only=True)
class AuctionQuestion(CallsQuestion):
    """Explain the calls of an auction, as in championship play.

    Example: trickcast auction "1N P 2C" --dealer N
    """

    filed, most = "auction", 20  # each takes a second or two
    auction: Annotated[
        str,
        Argument(metavar="CALLS", filled=True, example="1N P 2C",
                 help="Calls such as '1N P 2C', or a file."),
    ]  # fmt: skip
    deal: Annotated[
        str | None,
        Option(metavar="DEAL", format="deal", help="The four hands, to judge each call."),
    ] = None

    def ask(self, deal: Deal | None = None) -> "AuctionShown":
        """Explain the calls; ``deal`` defaults to the given one."""
        from ..bidding import explain_auction

        if deal is None and self.deal is not None:
            deal = Deal(self.deal)
        with reading_calls():
            return explain_auction(self.auction, **self._told, deal=deal)

    def answer(
        self, shown: "AuctionShown", deal: Deal | None = None, board: Board | None = None
    ) -> AuctionAnswer:
        """Answer with the explanation, for a board of a file or on its own."""
        if deal is None and self.deal is not None:
            deal = Deal(self.deal)
        content = ({} if deal is None else named_deal(deal, board)) | {
            "auction": " ".join("P" if each.call == "PASS" else each.call for each in shown.calls),
            "dealer": str(self._told["dealer"]),
            "vulnerable": str(self._told["vulnerable"]),
            **({"style": self.style} if self.style else {}),
            "calls": [_shown(each) for each in shown.calls],
        }
        return cast(AuctionAnswer, content)

    def one(self) -> AuctionAnswer:
        """Return the single answer if there is no file."""
        return self.answer(self.ask())

    def of_boards(
        self,
        boards: Iterable[tuple[Deal, Board]],
        pairs: PairStyles,
        note: Callable[[str], object],
    ) -> Iterator[AuctionAnswer]:
        """Yield an answer for each board that has an auction."""
        for asked, shown, deal, board in self.explained(boards, pairs, note):
            yield asked.answer(shown, deal, board)

    def explained(
        self,
        boards: Iterable[tuple[Deal, Board]],
        pairs: PairStyles,
        note: Callable[[str], object],
    ) -> "Iterator[tuple[AuctionQuestion, AuctionShown, Deal, Board]]":
        """Yield each board with an auction, the question about it and what its calls show.

        Reports omissions to ``note``. Raises QuestionError if no board has an auction.
        """
        if self.deal is not None:
            raise QuestionError("{} needs calls, but a file has its own deals", "deal")
        silent, any_explained = 0, False
        for deal, board in boards:
            if not board.auction:
                silent += 1
                continue
            any_explained = True
            known = board.completed()
            asked = self.but(
                auction=" ".join(board.auction),
                dealer=self._first("dealer", known.dealer),
                vulnerable=self._first("vulnerable", known.vulnerability),
                style=self.style_on(deal, board, pairs) or None,
            )
            try:
                shown = asked.ask(deal)
            except CallError as error:
                name = "a board" if board.number is None else f"board {board.number}"
                note(f"{name}: {error}")
                continue
            yield asked, shown, deal, board
        if not any_explained:
            raise QuestionError("no board has an auction (trickcast bid adds them)")
        if silent:
            note(f"{counted(silent, 'board')} without an auction")

    def _first(self, name: str, of_board: object) -> str:
        """Return the requested value, else the board's, else the default."""
        usual: str = getattr(self, name)
        return usual if name in self.given or of_board is None else str(of_board)


@dataclass(frozen=True, kw_only=True)
class BidQuestion(CallsQuestion):
    """Suggest the next call with a hand, as championship players would.

    Example: trickcast bid KQ4.AQ5.K873.J94 --auction "1S P" --dealer S
    """

    filed, most = "hand", 400
    hand: Annotated[
        str,
        Argument(metavar="HAND", format="hand", filled=True, example="KQ4.AQ5.K873.J94",
                 help="Hand of the caller, or a file of boards to bid."),
    ]  # fmt: skip
    auction: Annotated[
        str, Option(metavar="CALLS", help="The calls so far: '1S P' (default: none).")
    ] = ""
    simulate: Annotated[
        bool, Option(help="Compare the scores that the best three calls lead to.")
    ] = False
    seats: Annotated[
        str | None,
        Option(metavar="SEATS", help="With a file: seats that bid, such as NS; the others pass."),
    ] = None

    def ask(self) -> "tuple[SuggestedCalls, ComparedCalls | None]":
        """Return the suggested calls and, if requested, what the best ones lead to."""
        from ..bidding import compare_calls, suggest_calls

        with reading_calls():
            suggested = suggest_calls(self.hand, self.auction, **self._told)
            compared = None
            if self.simulate:
                compared = compare_calls(self.hand, self.auction, **self._told)
        return suggested, compared

    def answer(self, suggested: "SuggestedCalls", compared: "ComparedCalls | None") -> BidAnswer:
        """Answer with the calls."""
        read = suggested.auction
        return {
            "hand": str(suggested.hand),
            "auction": str(read),
            "dealer": str(read.dealer),
            "vulnerable": str(read.vulnerable),
            "by": str(read.next_caller),
            "calls": [
                {"call": each.call, "chance": round(each.chance, 4), "shows": each.reason}
                for each in suggested
            ],
            "compared": None if compared is None else _followed(compared),
        }

    def one(self) -> BidAnswer:
        """Return the single answer if there is no file. Raises QuestionError for ``seats``."""
        if self.seats is not None:
            raise QuestionError("{} needs a file of boards", "seats")
        return self.answer(*self.ask())

    def of_boards(
        self,
        boards: Iterable[tuple[Deal, Board]],
        pairs: PairStyles,
        note: Callable[[str], object],
    ) -> Iterator[BoardAnswer]:
        """Yield the boards of a file, bid to the end."""
        for some in self.bid(boards, pairs):
            for deal, board in some:
                yield self.board_answer(deal, board)

    def bid(
        self, boards: Iterable[tuple[Deal, Board]], pairs: PairStyles
    ) -> Iterator[list[tuple[Deal, Board]]]:
        """Yield boards with calls, some at a time: the network's at ``seats``, else passes.

        Raises QuestionError for invalid seats, and for options that have no effect on a file.
        """
        if self.simulate:
            raise QuestionError("{} needs a hand, not a file of boards", "simulate")
        bidding = [Seat.parse(letter) for letter in ("NESW" if self.seats is None else self.seats)]
        if not bidding:
            raise QuestionError("{} is empty (expected such as NS)", "seats")
        given = iter(boards)
        while some := list(islice(given, _TOGETHER)):
            yield [
                (deal, board)
                for (deal, _), board in zip(some, self._bid(some, pairs, bidding), strict=True)
            ]

    def _bid(
        self, boards: Sequence[tuple[Deal, Board]], pairs: PairStyles, bidding: Sequence[Seat]
    ) -> list[Board]:
        from ..bidding import bid_deals

        known = [self._known(board) for _, board in boards]
        with reading_calls():
            ends = bid_deals(
                [deal for deal, _ in boards],
                self.auction,
                dealers=[board.dealer or Seat.NORTH for board in known],
                vulnerable=[board.vulnerability or Vulnerability.NONE for board in known],
                seats=bidding,
                meanings=self.meaning or (),
                style=[self.style_on(deal, board, pairs) for deal, board in boards],
            )
        return [_with_calls(board, end) for board, end in zip(known, ends, strict=True)]

    def board_answer(self, deal: Deal, board: Board) -> BoardAnswer:
        """Answer with a board that was bid to the end."""
        content = named_deal(deal, board) | {
            "auction": " ".join("P" if call == "PASS" else call for call in board.auction),
            "contract": board.contract,
            "by": None if board.declarer is None else str(board.declarer),
        }
        return cast(BoardAnswer, content)

    def _known(self, board: Board) -> Board:
        """Return a board with dealer and vulnerability: as requested, its own, or the default."""
        said = board.completed()
        told = self._told
        dealer = told["dealer"] if "dealer" in self.given else said.dealer
        sides = told["vulnerable"] if "vulnerable" in self.given else said.vulnerability
        return Board(
            number=board.number,
            dealer=told["dealer"] if dealer is None else dealer,
            vulnerability=told["vulnerable"] if sides is None else sides,
            tags=board.tags,
        )


@contextmanager
def reading_calls() -> Iterator[None]:
    """Turn errors in meanings, styles and descriptions into a QuestionError."""
    from ..bidding import MeaningError, StyleError
    from ..dealing import ConstraintError

    try:
        yield
    except (MeaningError, StyleError, ConstraintError) as error:
        raise QuestionError(str(error)) from None


def pair_styles(boards: Iterable[tuple[Deal, Board]]) -> PairStyles:
    """Return the methods of a file's pairs, inferred from its boards."""
    return PairStyles((deal.owners, board) for deal, board in boards)


def check_calls(auction: str | None, given: frozenset[str]) -> None:
    """Refuse options about an auction if there is none. Raises QuestionError."""
    if auction is None:
        for name in ("dealer", "meaning", "style"):
            if name in given:
                raise QuestionError("{} needs {}", name, "auction")


def heard(
    auction: "Auction", meanings: Sequence[str] | None, style: str | None
) -> "AuctionReading":
    """Return an auction as the network reads it. Raises QuestionError for meanings and style."""
    from ..bidding import loaded_bidder

    with reading_calls():
        return loaded_bidder(threads=1).read(auction, meanings=meanings or (), style=style)


def reads_a_file(meaning: str) -> bool:
    """Return whether a meaning is the path of a file, not a description or a shipped system."""
    first, _, rest = meaning.strip().partition(" ")
    told = rest.strip() if first.lower() in ("ns", "ew") else meaning.strip()
    if told.lower().endswith(".toml"):
        return True
    from ..bidding.registry import named

    return ":" not in told and named(told) is None


def ended_auction(
    text: str, dealer: Seat, vulnerable: Vulnerability = Vulnerability.NONE
) -> "Auction":
    """Read an auction that ends in a contract.

    Raises CallError for illegal calls, QuestionError for an auction without a contract.
    """
    from ..bidding import read_auction

    read = read_auction(text, dealer, vulnerable)
    contract, declarer = read.contract
    if contract is None:
        raise QuestionError(f"the auction {read} has not ended (expected three passes at its end)")
    if declarer is None:
        raise QuestionError("the auction was passed out: there are no tricks")
    return read


def contract_in(auction: "Auction") -> tuple[Contract, Seat]:
    """Return the contract in which an auction ended, and its declarer."""
    contract, declarer = auction.contract
    assert contract is not None and declarer is not None  # ended_auction has made sure
    return Contract(contract), declarer


def _deal(owners: NDArray[np.uint8], board: Board) -> Deal:
    """Return the deal of a board of a file. Raises QuestionError for fewer cards."""
    if (owners == GONE).any():
        place = "" if board.number is None else f"board {board.number}: "
        raise QuestionError(f"{place}fewer than 52 cards (expected a whole deal)")
    return DealSet(owners[None])[0]


def _with_calls(board: Board, auction: "Auction") -> Board:
    """Return a board with an auction and the contract in which it ended."""
    contract, declarer = auction.contract
    calls = tuple("PASS" if call == "P" else call for call in str(auction).split())
    return replace(board, auction=calls, contract=contract, declarer=declarer)


def _shown(shown: "CallShown") -> ShownCall:
    answer: ShownCall = {
        "call": shown.call,
        "by": str(shown.by),
        "points": (shown.points.low, shown.points.high),
        "lengths": [(part.low, part.high) for part in shown.lengths],
        "balanced": round(shown.balanced, 4),
        "chosen": round(shown.chosen, 4),
        "instead": {call: round(chance, 4) for call, chance in shown.instead},
        "typical": [str(hand) for hand in shown.typical],
    }
    if shown.hand is not None and shown.chance is not None:
        answer |= {
            "hand": str(shown.hand),
            "chance": round(shown.chance, 4),
            "unusual": shown.unusual,
        }
    return answer


def _followed(compared: "ComparedCalls") -> FollowedCalls:
    return {
        "layouts": compared.layouts,
        "effective_size": round(compared.effective_size, 1),
        "calls": [
            {
                "call": each.call,
                "points": round(each.points, 1),
                "imps": [
                    round(number, 4)
                    for number in (each.imps, each.imps - each.error, each.imps + each.error)
                ],
                "contracts": {name: round(share, 4) for name, share in each.contracts},
            }
            for each in compared
        ],
    }
