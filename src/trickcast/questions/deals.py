"""Questions about deals: estimate, solve. Tables are strains S H D C N × N E S W."""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import Board, Deal, DealSet, Seat, Strain, Vulnerability
from ..estimator import DEFAULT_MODEL, Estimator, TrickEstimate
from .declared import Option, Question

MOST_SOLVED = 40
"""Most deals that a server solves per request: some seconds on one core."""
_AUCTIONS, _LIKELY = 100, 4
"""Auctions drawn for a deal, and the most contracts to list."""


class DealAnswer(TypedDict):
    """Which deal it is, dealer and vulnerability if its board has them, the order of its tables."""

    deal: str
    board: NotRequired[int]
    dealer: NotRequired[str]
    vulnerable: NotRequired[str]
    strains: list[str]
    declarers: list[str]


class SolvedDeal(DealAnswer):
    """The exact tricks of a deal, (5, 4); 255 is unknown."""

    exact: list[list[int]]


class LikelyContract(TypedDict):
    """A contract at the table: how often it is reached, and what players take in it.

    Of a board that is passed out only the share is known. ``double_dummy`` is the chance that it
    makes as estimated.
    """

    contract: str
    by: str | None
    share: float
    expected: float | None
    making: float | None
    score: float | None
    double_dummy: float | None


class EstimatedDeal(DealAnswer):
    """The estimated tricks of a deal: tables of (5, 4), ``probabilities`` of (5, 4, 14)."""

    model: str
    expected: list[list[float]]
    tricks: list[list[int]]
    probabilities: list[list[list[float]]]
    solved: NotRequired[list[list[bool]]]
    exact: NotRequired[list[list[int]]]
    played: NotRequired[list[LikelyContract]]


@dataclass(frozen=True, kw_only=True)
class EstimateQuestion(Question):
    """Estimate the tricks of every strain and declarer with a neural network.

    Example: trickcast estimate deals.pbn --solve-below 0.8
    """

    about = "deals"
    model: Annotated[
        str,
        Option(metavar="MODEL", help="Name of a model, or on the command line an .onnx file."),
    ] = DEFAULT_MODEL
    exact: Annotated[bool, Option(help="Solve too, and mark the differences.")] = False
    solve_below: Annotated[
        float | None,
        Option(
            min=0, max=1, served=False, help="Solve until every result is at least this probable."
        ),
    ] = None

    played: Annotated[
        bool,
        Option(served=False, help="Add the likeliest contracts at the table, and what they take."),
    ] = False

    def at_the_table(
        self, deal: Deal, board: Board | None, estimate: TrickEstimate
    ) -> list[LikelyContract]:
        """Return the contracts that experts reach most often, with the tricks they take.

        Auctions are drawn from the network of calls.
        """
        from ..bidding import bid_deals
        from ..played import estimate_played

        sides, dealer = par_conditions(board, None, None)
        ends = bid_deals([deal] * _AUCTIONS, dealers=dealer, vulnerable=sides, seed=0)
        reached = Counter(end.contract for end in ends).most_common(_LIKELY)
        found: list[LikelyContract] = []
        for (contract, by), count in reached:
            assert contract is not None  # every auction has ended
            told: LikelyContract = {
                "contract": contract,
                "by": None if by is None else by.letter,
                "share": count / _AUCTIONS,
                "expected": None,
                "making": None,
                "score": None,
                "double_dummy": None,
            }
            if by is not None:
                played = estimate_played(deal, contract, by)
                told |= {
                    "expected": round(played.expected, 4),
                    "making": round(played.making(), 4),
                    "score": round(played.score(sides), 1),
                    "double_dummy": round(float(estimate.making(contract, by)), 4),
                }
            found.append(told)
        return found

    def ask(self, deals: DealSet, estimator: Estimator) -> TrickEstimate:
        """Estimate deals with an estimator of this model."""
        return estimator(deals, solve_below=self.solve_below)

    def answer(
        self,
        deal: Deal,
        board: Board | None,
        estimate: TrickEstimate,
        exact: NDArray[np.uint8] | None = None,
        played: list[LikelyContract] | None = None,
    ) -> EstimatedDeal:
        """Answer with the estimate of one deal, and its (5, 4) exact tricks if given."""
        content: dict[str, Any] = {
            **_deal(deal, board),
            "model": self.model,
            "expected": np.round(estimate.expected.astype(float), 4).tolist(),
            "tricks": estimate.tricks.tolist(),
            "probabilities": np.round(estimate.probabilities.astype(float), 6).tolist(),
        }
        if estimate.solved.any():
            content["solved"] = estimate.solved.tolist()
        if exact is not None:
            content["exact"] = exact.tolist()
        if played is not None:
            content["played"] = played
        return cast(EstimatedDeal, content)  # mypy wants all keys of a literal with **


@dataclass(frozen=True, kw_only=True)
class SolveQuestion(Question):
    """Solve each deal for the exact tricks of every strain and declarer.

    Tables that a file has already are shown as they are.

    Example: trickcast solve deals.pbn --json
    """

    about, most = "deals", MOST_SOLVED

    def answer(self, deal: Deal, board: Board | None, tricks: NDArray[np.uint8]) -> SolvedDeal:
        """Answer with (5, 4) exact tricks."""
        return {**_deal(deal, board), "exact": tricks.tolist()}


def named_deal(deal: Deal, board: Board | None) -> dict[str, Any]:
    """Return the identity of a deal in every answer: its cards, and what its board says of it.

    These are number, dealer and vulnerability; without them a pipe would score another board.
    """
    content: dict[str, Any] = {"deal": deal.pbn}
    if board is not None and board.number is not None:
        content["board"] = board.number
    if board is not None and board.dealer is not None:
        content["dealer"] = str(board.dealer)
    if board is not None and board.vulnerability is not None:
        content["vulnerable"] = str(board.vulnerability)
    return content


def par_conditions(
    board: Board | None, vulnerable: Vulnerability | None, dealer: Seat | None
) -> tuple[Vulnerability, Seat]:
    """Return the vulnerable sides and the dealer: as requested, else by the board or its number.

    Default: nobody is vulnerable, and North deals.
    """
    known = (board or Board()).completed()
    sides = known.vulnerability if vulnerable is None else vulnerable
    first = known.dealer if dealer is None else dealer
    return sides or Vulnerability.NONE, first or Seat.NORTH


def _deal(deal: Deal, board: Board | None) -> DealAnswer:
    order = {
        "strains": [strain.letter for strain in Strain],
        "declarers": [seat.letter for seat in Seat],
    }
    return cast(DealAnswer, named_deal(deal, board) | order)
