"""Answers about deals: estimated, solved, at par. Tables are strains S H D C N × N E S W."""

from typing import Any, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import Board, Deal, Seat, Strain, TrickTable, Vulnerability
from ..estimator import TrickEstimate
from ..scoring import par


class DealAnswer(TypedDict):
    """Which deal it is, and the order of its tables."""

    deal: str
    board: NotRequired[int]
    strains: list[str]
    declarers: list[str]


class SolvedDeal(DealAnswer):
    """The exact tricks of a deal, (5, 4); 255 is unknown."""

    exact: list[list[int]]


class EstimatedDeal(DealAnswer):
    """The estimated tricks of a deal: tables of (5, 4), ``probabilities`` of (5, 4, 14)."""

    model: str
    expected: list[list[float]]
    tricks: list[list[int]]
    probabilities: list[list[list[float]]]
    solved: NotRequired[list[list[bool]]]
    exact: NotRequired[list[list[int]]]


class ParAnswer(TypedDict):
    """The par of a deal; ``ns`` is North-South's score."""

    deal: str
    board: NotRequired[int]
    dealer: str
    vulnerable: str
    ns: int
    contracts: list[str]


def solved_deal(deal: Deal, board: Board | None, tricks: NDArray[np.uint8]) -> SolvedDeal:
    """Answer with (5, 4) exact tricks."""
    return {**_deal(deal, board), "exact": tricks.tolist()}


def estimated_deal(
    deal: Deal,
    board: Board | None,
    estimate: TrickEstimate,
    model: str,
    exact: NDArray[np.uint8] | None = None,
) -> EstimatedDeal:
    """Answer with the estimate of one deal, and its (5, 4) exact tricks where they are given."""
    content: dict[str, Any] = {
        **_deal(deal, board),
        "model": model,
        "expected": np.round(estimate.expected.astype(float), 4).tolist(),
        "tricks": estimate.tricks.tolist(),
        "probabilities": np.round(estimate.probabilities.astype(float), 6).tolist(),
    }
    if estimate.solved.any():
        content["solved"] = estimate.solved.tolist()
    if exact is not None:
        content["exact"] = exact.tolist()
    return cast(EstimatedDeal, content)  # mypy wants all keys of a literal with **


def named_deal(deal: Deal, board: Board | None) -> dict[str, Any]:
    """Return what names a deal in every answer: its cards, and its board number if it has one."""
    content: dict[str, Any] = {"deal": deal.pbn}
    if board is not None and board.number is not None:
        content["board"] = board.number
    return content


def par_conditions(
    board: Board | None, vulnerable: Vulnerability | None, dealer: Seat | None
) -> tuple[Vulnerability, Seat]:
    """Return who is vulnerable and who deals: as asked, else as the board says, or its number.

    Where nothing says it nobody is vulnerable, and North deals.
    """
    known = (board or Board()).completed()
    sides = known.vulnerability if vulnerable is None else vulnerable
    first = known.dealer if dealer is None else dealer
    return sides or Vulnerability.NONE, first or Seat.NORTH


def par_answer(
    deal: Deal, board: Board | None, table: TrickTable, vulnerable: Vulnerability, dealer: Seat
) -> ParAnswer:
    """Answer with the par of a solved deal."""
    best = par(table, vulnerable, dealer)
    content = named_deal(deal, board) | {
        "dealer": str(dealer),
        "vulnerable": str(vulnerable),
        "ns": best.score,
        "contracts": [str(contract) for contract in best.contracts],
    }
    return cast(ParAnswer, content)


def _deal(deal: Deal, board: Board | None) -> DealAnswer:
    order = {
        "strains": [strain.letter for strain in Strain],
        "declarers": [seat.letter for seat in Seat],
    }
    return cast(DealAnswer, named_deal(deal, board) | order)
