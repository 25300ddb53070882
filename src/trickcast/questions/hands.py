"""Questions about hands: strength, opening, similar hands, and the tricks of two hands."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import Board, DealError, Hand, Seat, Strain, Vulnerability
from .auctions import AuctionText, FirstCaller, Meanings, Style, Vulnerable, check_calls
from .deals import par_conditions
from .declared import Option, Question, QuestionError

if TYPE_CHECKING:  # each is slow to load and needed by few questions
    from ..bidding import Auction, Explanation, NearestSystem, Neighbour, OpeningSystem
    from ..evaluators import HandValue
    from ..pairs import HandEmbedding, PairContract, PairEstimate, PairEstimator

BEST_CONTRACTS = 3
"""Most contracts to list for two hands."""
_LAYOUTS = 200
"""Layouts of the opponents' hands that fit an auction."""


class HandAnswer(TypedDict):
    """What a hand is worth, by the name of each method."""

    hand: str
    lengths: tuple[int, int, int, int]
    pattern: str
    values: dict[str, float]


class BidHand(TypedDict):
    """A hand near another, and how it was opened."""

    hand: str
    call: str
    distance: float


class OpeningAnswer(TypedDict):
    """What to open a hand with, and why."""

    hand: str
    system: str
    call: str
    sure: bool
    doubts: list[str]
    probabilities: dict[str, float]
    reason: str
    nearest: list[BidHand]


class OpeningsAnswer(TypedDict):
    """What several systems open a hand with."""

    hand: str
    openings: list[OpeningAnswer]


class NearHand(TypedDict):
    """A hand and its distance from another."""

    hand: str
    distance: float


class NearestAnswer(TypedDict):
    """The hands nearest to one, nearest first."""

    hand: str
    nearest: list[NearHand]


class PairContractAnswer(TypedDict):
    """A contract of two hands: its score on average, and the chance that it makes."""

    contract: str
    by: str
    expected_score: float
    making: float


class PairAnswer(TypedDict):
    """What two hands take: ``expected`` is strains × declarers, ``probabilities`` × 14 too.

    ``interval_80`` is the lowest and the highest tricks × strains, and the chances are by strain:
    the first of ``declarers`` plays.
    """

    hands: list[str]
    model: str
    strains: list[str]
    declarers: list[str]
    expected: list[list[float]]
    probabilities: list[list[list[float]]]
    interval_80: list[list[int]]
    vulnerable: str
    game: list[float]
    slam: list[float]
    grand: list[float]
    best_contracts: list[PairContractAnswer]


class HandsQuestion(Question):
    """A question about hands, or pairs of them, answered a few at a time."""

    about = "hands"
    turn: ClassVar[int] = 64
    """How many to answer per turn, so that others get theirs."""

    def at_once(self) -> int:
        """Return how many to answer per turn."""
        return self.turn

    def answers(self, given: Sequence[Any]) -> Sequence[Any]:
        """Answer for all given hands or pairs."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class HandQuestion(HandsQuestion):
    """Show what a hand is worth by every common method.

    Example: trickcast hand AKQ2.QJT987.32.2
    """

    trump: Annotated[
        str | None, Option(metavar="[S|H|D|C|N]", help="Trump suit (default: notrump).")
    ] = None

    def check(self) -> None:
        """Parse the suit."""
        self._strain  # noqa: B018

    @cached_property
    def _strain(self) -> Strain | None:
        return None if self.trump is None else Strain.parse(self.trump)

    def ask(self, hand: Hand) -> "list[HandValue]":
        """Return the values of a hand by every method."""
        from .. import evaluators

        return evaluators.describe(hand, self._strain)

    def answer(self, hand: Hand, values: "Iterable[HandValue]") -> HandAnswer:
        """Answer with the values of a hand."""
        return {
            "hand": str(hand),
            "lengths": hand.lengths,
            "pattern": hand.pattern,
            "values": {value.name: round(value.value, 6) for value in values},
        }

    def answers(self, given: Sequence[Hand]) -> Sequence[HandAnswer]:
        """Answer for all hands."""
        return [self.answer(hand, self.ask(hand)) for hand in given]


@dataclass(frozen=True, kw_only=True)
class PairQuestion(HandsQuestion):
    """Estimate what two hands take together, with unknown opponents.

    The partner may be described, as "15-17, balanced": then it is the mean over hands that fit.
    With an auction the opponents' hands, and a partner who is described, fit it.

    Example: trickcast pair AQ864.K75.A3.KJ4 K7.A862.KQ52.873
    """

    about = "pairs"
    vulnerable: Vulnerable = None
    model: Annotated[
        str,
        Option(metavar="MODEL", help="accurate, hand2vec, or on the command line an .onnx file."),
    ] = "accurate"
    auction: AuctionText = None
    dealer: FirstCaller = "N"
    meaning: Meanings = None
    style: Style = None

    def check(self) -> None:
        """Parse the vulnerability and the auction."""
        self._asked  # noqa: B018
        check_calls(self.auction, self.given)
        if self.auction is not None and "model" in self.given:
            raise QuestionError("{} has no effect with {}", "model", "auction")
        self._calls  # noqa: B018

    @cached_property
    def _asked(self) -> Vulnerability | None:
        return None if self.vulnerable is None else Vulnerability.parse(self.vulnerable)

    def sides(self, board: Board | None = None) -> Vulnerability:
        """Return the vulnerable sides: as requested, else the board's, else none."""
        return par_conditions(board, self._asked, None)[0]

    @cached_property
    def _calls(self) -> "Auction | None":
        if self.auction is None:
            return None
        from ..bidding import read_auction

        return read_auction(self.auction, self.dealer, self.sides())

    def at_once(self) -> int:
        """Return how many to answer per turn: layouts take time."""
        return self.turn if self.auction is None else 1

    def ask(self, norths: Sequence[Hand], souths: Sequence[Hand | str]) -> "PairEstimate":
        """Estimate pairs. Raises QuestionError for invalid descriptions."""
        from ..dealing import ConstraintError
        from ..pairs import PairEstimate

        hands = [hand for hand in souths if isinstance(hand, Hand)]
        estimator = pair_estimator(self.model)
        if len(hands) == len(souths):
            estimated = estimator(norths, hands)  # it reports a card in both hands
            if self._calls is None:
                return estimated
        try:
            if self._calls is not None:
                called = map(self._after_calls, norths, souths)
                return PairEstimate(np.stack([*called]))
            means = [estimator.average(*pair).both for pair in zip(norths, souths, strict=True)]
        except ConstraintError as error:
            raise QuestionError(str(error).replace("south", "the partner", 1)) from None
        return PairEstimate(np.stack(means))

    def _after_calls(self, north: Hand, south: Hand | str) -> NDArray[np.float32]:
        """Return (5, 2, 14) chances: means over layouts that fit the auction."""
        from ..bidding import MeaningError, StyleError, deals_after
        from ..estimator import estimate

        assert self._calls is not None
        try:
            deals = deals_after(
                self._calls, north=north, south=south, n=_LAYOUTS, meanings=self.meaning or (),
                style=self.style,
            )  # fmt: skip
        except (MeaningError, StyleError) as error:
            raise QuestionError(str(error)) from None
        chances: NDArray[np.float32] = estimate(deals).probabilities[:, :, ::2].mean(axis=0)
        return chances

    def best(
        self, estimate: "PairEstimate", first: Seat = Seat.NORTH, board: Board | None = None
    ) -> "list[PairContract]":
        """Return the best contracts of one pair, whose first hand is at a seat."""
        from ..pairs import best_contracts

        # the pair counts as North and South there, wherever it sits
        own = Vulnerability.NS if self.sides(board) >> first.side & 1 else Vulnerability.NONE
        return best_contracts(estimate, own, BEST_CONTRACTS)

    def answer(
        self,
        hands: tuple[Hand, Hand | str],
        estimate: "PairEstimate",
        first: Seat = Seat.NORTH,
        board: Board | None = None,
    ) -> PairAnswer:
        """Answer with the estimate of one pair, and its best contracts."""
        low, high = estimate.interval()
        chances = estimate.chances()
        return {
            "hands": [str(hand) for hand in hands],
            "model": self.model,
            "strains": [strain.letter for strain in Strain],
            "declarers": [first.letter, first.partner.letter],
            "expected": _rounded(estimate.both @ np.arange(14), 4),
            "probabilities": _rounded(estimate.both, 6),
            "interval_80": [low.tolist(), high.tolist()],
            "vulnerable": str(self.sides(board)),
            "game": _rounded(chances["game"], 6),
            "slam": _rounded(chances["slam"], 6),
            "grand": _rounded(chances["grand"], 6),
            "best_contracts": [
                {
                    "contract": str(bid.contract),
                    "by": (first if bid.by_first else first.partner).letter,
                    "expected_score": round(bid.expected_score, 2),
                    "making": round(bid.making, 6),
                }
                for bid in self.best(estimate, first, board)
            ],
        }

    def answers(self, given: Sequence[tuple[Hand, Hand | str]]) -> Sequence[PairAnswer]:
        """Answer for all pairs."""
        norths, souths = map(list, zip(*given, strict=True))
        estimates = self.ask(norths, souths)
        return [self.answer(pair, estimates[i]) for i, pair in enumerate(given)]


@dataclass(frozen=True, kw_only=True)
class OpenQuestion(HandsQuestion):
    """Show what SAYC, 2/1, Acol and Polish Club open, or one system, and why.

    Example: trickcast open AKQ2.QJT987.32.2
    """

    most, turn = 100, 8
    system: Annotated[
        str | None,
        Option(
            metavar="SYSTEM",
            help="Name of a system, or on the command line a rule file (.toml). One alone "
            "says how sure it is (default: sayc, 2/1, acol and polish-club).",
        ),
    ] = None
    nearest: Annotated[
        int, Option(min=0, served=20, help="Number of similar hands of a system to show.")
    ] = 3

    def check(self) -> None:
        """Refuse near hands without a system."""
        if self.nearest and "nearest" in self.given and self.system is None:
            raise QuestionError("{} needs {}", "nearest", "system")

    @cached_property
    def openers(self) -> "list[OpeningSystem]":
        """The systems. Raises QuestionError for an unknown name."""
        from .. import bidding

        if self.system is None:
            return [_system(name) for name in bidding.USUAL_SYSTEMS]
        if (name := bidding.registry.named(self.system)) is not None:
            return [_system(name)]
        try:
            return [bidding.load(self.system)]
        except ValueError as error:
            raise QuestionError(str(error)) from None

    def near(self, labelled: Path | None = None) -> "NearestSystem | None":
        """Return the finder of near hands, from a file or the system's bids; None if not needed."""
        if not self.nearest or self.system is None:
            return None
        from .. import bidding

        if labelled is None:
            if (name := bidding.registry.named(self.system)) is not None:
                return _near(name)
            return bidding.NearestSystem(bidding.own_labelled(self.openers[0]))
        try:
            return bidding.NearestSystem(bidding.read_labelled(labelled))
        except ValueError as error:  # includes LabelledError
            raise QuestionError(str(error)) from None

    def ask(self, hand: Hand) -> "list[Explanation]":
        """Return what systems open the hand with. Raises QuestionError for an invalid rule."""
        from ..dealing import ConstraintError

        try:
            return [opener.explain(hand) for opener in self.openers]
        except ConstraintError as error:  # a rule that divides by zero for this hand
            raise QuestionError(str(error)) from None

    def answer(
        self, openings: "Sequence[Explanation]", near: "Sequence[Neighbour]"
    ) -> OpeningAnswer | OpeningsAnswer:
        """Answer with one system's call and hands near by, or with the calls of several systems."""
        answers = [_opening(opening, near) for opening in openings]
        return answers[0] if self.system is not None else {
            "hand": answers[0]["hand"], "openings": answers
        }  # fmt: skip

    def answers(self, given: Sequence[Hand]) -> Sequence[OpeningAnswer | OpeningsAnswer]:
        """Answer for all hands."""
        near = self.near()
        return [
            self.answer(self.ask(hand), () if near is None else near.nearest(hand, self.nearest))
            for hand in given
        ]


def _opening(opening: "Explanation", near: "Sequence[Neighbour]") -> OpeningAnswer:
    return {
        "hand": str(opening.hand),
        "system": opening.system,
        "call": opening.call,
        "sure": opening.sure,
        "doubts": list(opening.doubts),
        "probabilities": {call: round(float(p), 6) for call, p in opening.probabilities.items()},
        "reason": opening.reason,
        "nearest": [
            {
                "hand": str(neighbour.hand),
                "call": neighbour.call,
                "distance": round(neighbour.distance, 4),
            }
            for neighbour in near
        ],
    }


@dataclass(frozen=True, kw_only=True)
class NearestQuestion(HandsQuestion):
    """Find the hands most similar to a hand.

    Example: trickcast nearest AKQ2.QJT987.32.2 -k 3
    """

    most, turn = 100, 8
    k: Annotated[
        int | None,
        Option(
            "-k", min=1, served=100, help="Number of hands to find (default: 5, or all there are)."
        ),
    ] = None
    plus: Annotated[
        str | None,
        Option(
            metavar="HAND", format="hand", help="Change each hand as from --minus to this hand."
        ),
    ] = None
    minus: Annotated[str | None, Option(metavar="HAND", format="hand", help="See --plus.")] = None

    def check(self) -> None:
        """Refuse an incomplete analogy."""
        if (self.plus is None) != (self.minus is None):
            raise QuestionError("{} and {} need each other", "plus", "minus")
        self._way  # noqa: B018

    @cached_property
    def _way(self) -> tuple[Hand, Hand] | None:
        if self.plus is None or self.minus is None:
            return None
        return Hand(self.plus), Hand(self.minus)

    def ask(self, hands: Sequence[Hand], index: Any = None) -> "list[list[tuple[Hand, float]]]":
        """Return the hands nearest to each, with distances, from an index or random hands."""
        embedding = hand_embedding()
        index = embedding.searched if index is None else index
        k = min(5, len(index)) if self.k is None else self.k
        if self._way is None:
            near: list[list[tuple[Hand, float]]] = embedding.nearest(list(hands), k, index)
            return near
        plus, minus = self._way
        return [embedding.analogy(hand, plus=plus, minus=minus, k=k, hands=index) for hand in hands]

    def answer(self, hand: Hand, near: Iterable[tuple[Hand, float]]) -> NearestAnswer:
        """Answer with hands and their distances."""
        return {
            "hand": str(hand),
            "nearest": [
                {"hand": str(neighbour), "distance": round(apart, 6)} for neighbour, apart in near
            ],
        }

    def answers(self, given: Sequence[Hand]) -> Sequence[NearestAnswer]:
        """Answer for all hands."""
        return [self.answer(*row) for row in zip(given, self.ask(given), strict=True)]


def hand_or_words(text: str) -> Hand | str:
    """Return a hand, or its description as text, which is parsed when needed."""
    try:
        return Hand(text)
    except DealError as error:
        if re.fullmatch(r"[\sakqjtAKQJT0-9.-]*", text):  # nothing but cards: an invalid hand
            raise error
        return text


@cache
def pair_estimator(model: str) -> "PairEstimator":
    """Return the network for two hands, loaded once."""
    from ..pairs import PairEstimator

    return PairEstimator(model)


@cache
def hand_embedding() -> "HandEmbedding":
    """Return the vectors of hands, loaded once."""
    from ..pairs import HandEmbedding

    return HandEmbedding()


@cache
def _system(name: str) -> "OpeningSystem":
    """Return a system that ships, loaded once."""
    from .. import bidding

    return bidding.load(name)


@cache
def _near(name: str) -> "NearestSystem":
    from .. import bidding

    return bidding.NearestSystem(bidding.own_labelled(_system(name)))


def _rounded(values: Any, digits: int) -> Any:
    return values.astype(float).round(digits).tolist()
