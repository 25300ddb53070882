"""The question of the tricks that players take at the table, where nobody sees all the cards."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import Board, Deal, DealSet, Seat, Vulnerability, card_text, parse_card
from ..cards.positions import GONE
from ..estimator import estimate
from ..played import PLAYERS, PlayedEstimate, estimate_played
from ..scoring import Contract, score
from .auctions import AuctionText, Dealer, Vulnerable, check_calls, contract_in, ended_auction
from .deals import named_deal, par_conditions
from .declared import Argument, Hooks, Option, Question, QuestionError

_TOGETHER = 256
"""Boards estimated at a time."""
_PASSED_OUT = "passed out"
Owners = NDArray[np.uint8]
Players = Annotated[str, Option(choices=PLAYERS, help="Players whose results to expect.")]


class Taken(TypedDict):
    """Expected tricks and score of declarer, and the chance to make the contract."""

    expected: float
    making: float
    score: float


class PlayedAnswer(Taken):
    """What players take, ``probabilities`` of 0 … 13 tricks; ``double_dummy`` by ``accurate``."""

    deal: str
    board: NotRequired[int]
    dealer: NotRequired[str]
    contract: str
    by: str
    vulnerable: str
    players: str
    lead: str | None
    auction: str | None
    probabilities: list[float]
    double_dummy: Taken


@dataclass(frozen=True)
class PlayedTable:
    """A board in a contract, with the estimates as played and double dummy."""

    deal: Deal
    board: Board
    contract: Contract
    by: Seat
    vulnerable: Vulnerability
    played: PlayedEstimate
    double_dummy: NDArray[np.float32]
    """(14,) chances of 0 … 13 tricks."""

    def taken(self, chances: Any) -> Taken:
        """Return the value of a distribution of tricks, (14,), in the contract."""
        own = bool(self.vulnerable >> self.by.side & 1)
        points = score(self.contract, np.arange(14), own)
        found = np.asarray(chances, dtype=float)
        return {
            "expected": round(float(found @ np.arange(14)), 4),
            "making": round(float(found[self.contract.tricks :].sum()), 4),
            "score": round(float(found @ points), 1),
        }


@dataclass(frozen=True, kw_only=True)
class PlayedQuestion(Question):
    """Estimate the tricks that players take in a contract at the table.

    Example: trickcast played deals.pbn 4H --by N --boards 1 --lead DQ
    """

    about = "deals"
    contract: Annotated[
        str | None,
        Argument(metavar="CONTRACT", help="Contract, such as 4S or 3NX (default: by the board).",
                 example="4H"),
    ] = None  # fmt: skip
    by: Annotated[
        str | None,
        Option(metavar="[N|E|S|W]", help="Declarer (default: by the board).", example="N"),
    ] = None
    players: Players = "expert"
    lead: Annotated[
        str | None, Option(metavar="CARD", help="Opening lead, such as HK.", example="DQ")
    ] = None
    auction: AuctionText = None
    dealer: Dealer = None
    vulnerable: Vulnerable = None

    def check(self) -> None:
        """Parse contract, seats, lead and auction. Raises QuestionError for a passed-out board."""
        if self._bid is not None and self._bid.strain is None:
            raise QuestionError(f"{self._bid}: a passed-out board has no tricks to estimate")
        check_calls(self.auction, self.given)
        self._declarer, self._card, self._sides, self._dealer, self._calls  # noqa: B018

    @cached_property
    def _bid(self) -> Contract | None:
        return None if self.contract is None else Contract(self.contract)

    @cached_property
    def _declarer(self) -> Seat | None:
        return None if self.by is None else Seat.parse(self.by)

    @cached_property
    def _card(self) -> int | None:
        return None if self.lead is None else parse_card(self.lead)

    @cached_property
    def _sides(self) -> Vulnerability | None:
        return None if self.vulnerable is None else Vulnerability.parse(self.vulnerable)

    @cached_property
    def _dealer(self) -> Seat | None:
        return None if self.dealer is None else Seat.parse(self.dealer)

    @cached_property
    def _calls(self) -> str | None:
        """The whole auction, if the contract and its declarer come from it."""
        if self.auction is None:
            return None
        return str(ended_auction(self.auction, Seat.NORTH))

    def _contract_of(self, board: Board) -> tuple[Contract, Seat] | str:
        """Return contract and declarer: as requested, else the board's; or why there is none."""
        bid, declarer = self._bid, self._declarer
        if self._calls is not None:
            bid, declarer = self._reached(
                self._dealer if self._dealer is not None else board.completed().dealer
            )
        if bid is None and board.contract is not None:
            bid = Contract(board.contract)
        if declarer is None:
            declarer = board.declarer
        if bid is not None and bid.strain is None:
            return _PASSED_OUT
        missing = ["contract"] * (bid is None) + ["declarer"] * (declarer is None)
        if bid is None or declarer is None:
            return f"without {' and '.join(missing)}"
        return bid, declarer

    def _reached(self, dealer: Seat | None) -> tuple[Contract, Seat]:
        """Return the contract of the auction. Raises QuestionError if another is requested."""
        assert self._calls is not None
        first = Seat.NORTH if dealer is None else dealer
        reached, declarer = contract_in(ended_auction(self._calls, first))
        if self._bid is not None and str(self._bid) != str(reached):
            raise QuestionError(f"the auction ends in {reached}, not in {self._bid}")
        if self._declarer is None or self._declarer == declarer:
            return reached, declarer
        if dealer is None:  # nobody has named the dealer
            return reached, self._declarer
        raise QuestionError(
            f"the auction makes {declarer.word} declarer, not {self._declarer.word} "
            f"({dealer.word} dealt)"
        )

    def ask(
        self, boards: Iterable[tuple[Owners, Board]], left_out: Counter[str]
    ) -> Iterator[PlayedTable]:
        """Yield what players take on each board of (52,) owners; ``left_out`` counts the reasons.

        Raises QuestionError for a lead that the leader does not hold, and for incomplete deals.
        """
        asked = self._asked(boards, left_out)
        while some := list(islice(asked, _TOGETHER)):
            yield from self._estimated(some)

    def _asked(
        self, boards: Iterable[tuple[Owners, Board]], left_out: Counter[str]
    ) -> Iterator[tuple[Owners, Board, Contract, Seat]]:
        for owners, board in boards:
            place = "" if board.number is None else f"board {board.number}: "
            if (owners == GONE).any():
                raise QuestionError(f"{place}fewer than 52 cards (expected a whole deal)")
            found = self._contract_of(board)
            if isinstance(found, str):
                left_out[found] += 1
                continue
            bid, declarer = found
            if self._card is not None and owners[self._card] != declarer.lho:
                holder = Seat(int(owners[self._card]))
                raise QuestionError(
                    f"{place}{declarer.lho.word} leads, but {holder.word} holds "
                    f"{card_text(self._card)}"
                )
            yield owners, board, bid, declarer

    def _estimated(
        self, asked: list[tuple[Owners, Board, Contract, Seat]]
    ) -> Iterator[PlayedTable]:
        owners, boards, bids, seats = zip(*asked, strict=True)
        deals = DealSet(np.stack(owners))
        count = len(deals)
        played = estimate_played(
            deals,
            [str(bid) for bid in bids],
            list(seats),
            players=self.players,
            leads=None if self._card is None else [self._card] * count,
            auctions=None if self._calls is None else [self._calls] * count,
        )
        chances = estimate(deals).probabilities
        for row, (board, bid, seat) in enumerate(zip(boards, bids, seats, strict=True)):
            sides, _ = par_conditions(board, self._sides, None)
            double_dummy = chances[row, bid.strain, seat]
            yield PlayedTable(deals[row], board, bid, seat, sides, played[row], double_dummy)

    def answer(self, table: PlayedTable) -> PlayedAnswer:
        """Answer with one board."""
        content = named_deal(table.deal, table.board) | {
            "contract": str(table.contract),
            "by": str(table.by),
            "vulnerable": str(table.vulnerable),
            "players": self.players,
            "lead": None if self._card is None else card_text(self._card),
            "auction": self._calls,
            **table.taken(table.played.probabilities),
            "probabilities": np.round(table.played.probabilities.astype(float), 6).tolist(),
            "double_dummy": table.taken(table.double_dummy),
        }
        if self._dealer is not None:
            content["dealer"] = str(self._dealer)
        return cast(PlayedAnswer, content)

    def answers(
        self, hooks: Hooks, boards: Iterable[tuple[Owners, Board]], note: Callable[[str], object]
    ) -> Iterator[PlayedAnswer]:
        """Yield an answer per board. Raises QuestionError if no board has a contract."""
        left_out, any_asked = Counter[str](), False
        for table in self.ask(boards, left_out):
            any_asked = True
            yield self.answer(table)
        if not any_asked:
            raise self.nothing_to_estimate(left_out)
        for reason, number in left_out.items():
            note(f"{number:,} board{'s' * (number != 1)} {reason}")

    def nothing_to_estimate(self, left_out: Counter[str]) -> QuestionError:
        """Return the error for what was missing if nothing could be estimated."""
        if left_out and not left_out.keys() - {_PASSED_OUT}:
            return QuestionError("passed out: there are no tricks to estimate")
        if self._bid is not None:
            expected = "(expected the declarer: N, E, S or W)"
            return QuestionError(f"{self._bid}: {{}} is missing {expected}", "by")
        if self._declarer is not None:
            missing = f"{{}} {self._declarer}: the contract is missing (expected one such as 4S)"
            return QuestionError(missing, "by")
        if left_out.keys() == {"without declarer"}:
            return QuestionError("the declarer is missing (expected {}: N, E, S or W)", "by")
        names = "contract", "by", "auction", "dealer"
        return QuestionError("no contract (expected {} and {}, or {} and {})", *names)
