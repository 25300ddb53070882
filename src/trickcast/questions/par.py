"""The question of the par of a deal."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import Board, Deal, DealSet, Seat, TrickTable, Vulnerability
from ..scoring import Par, par
from .deals import MOST_SOLVED, named_deal, par_conditions
from .declared import Option, Question


class ParAnswer(TypedDict):
    """The par of a deal; ``ns`` is North-South's score.

    ``expected`` is what each of the contracts brings North-South on average at the table.
    """

    deal: str
    board: NotRequired[int]
    dealer: str
    vulnerable: str
    ns: int
    contracts: list[str]
    expected: list[float]


@dataclass(frozen=True, kw_only=True)
class ParQuestion(Question):
    """Find the par of each deal: North-South's score if both sides bid perfectly.

    Besides the par it says what its contracts bring on average in championship play, where nobody
    sees all the cards.

    Example: trickcast par deals.pbn --vulnerable ns
    """

    about, most = "deals", MOST_SOLVED
    vulnerable: Annotated[
        str | None,
        Option(
            metavar="[none|ns|ew|both]",
            help="Vulnerable sides (default: by the board, or none).",
            example="ns",
        ),
    ] = None
    dealer: Annotated[
        str | None,
        Option(metavar="[N|E|S|W]", help="Dealer (default: by the board, or N).", example="E"),
    ] = None

    def check(self) -> None:
        """Parse the vulnerability and the dealer."""
        self._said  # noqa: B018

    @cached_property
    def _said(self) -> tuple[Vulnerability | None, Seat | None]:
        return (
            None if self.vulnerable is None else Vulnerability.parse(self.vulnerable),
            None if self.dealer is None else Seat.parse(self.dealer),
        )

    def conditions(self, board: Board | None) -> tuple[Vulnerability, Seat]:
        """Return the vulnerable sides and the dealer of a board."""
        return par_conditions(board, *self._said)

    def ask(
        self, deal: Deal, board: Board | None, tricks: NDArray[np.uint8]
    ) -> tuple[Par, tuple[float, ...]]:
        """Return a deal's par, from (5, 4) exact tricks, and what its contracts score in play."""
        from ..played import expected_at_par

        vulnerable, dealer = self.conditions(board)
        best = par(TrickTable(tricks), dealer, vulnerable)
        return best, expected_at_par(DealSet.from_deals([deal]), [best], [vulnerable])[0]

    def answer(self, deal: Deal, board: Board | None, tricks: NDArray[np.uint8]) -> ParAnswer:
        """Answer with a deal's par, from (5, 4) exact tricks."""
        vulnerable, dealer = self.conditions(board)
        best, expected = self.ask(deal, board, tricks)
        content = named_deal(deal, board) | {
            "dealer": str(dealer),
            "vulnerable": str(vulnerable),
            "ns": best.score,
            "contracts": [str(contract) for contract in best.contracts],
            "expected": [round(points, 1) for points in expected],
        }
        return cast(ParAnswer, content)
