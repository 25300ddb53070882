"""The question for boards dealt at random, such as fit what is known."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from .. import dealing
from ..cards import Board, Deal, DealSet, board_dealer, board_vulnerability
from .deals import SolveQuestion, named_deal
from .declared import Hooks, Option, Question, QuestionError

_PRODUCED = 40  # by Dealer, where a script says nothing
_CHUNK = 1 << 12
Owners = NDArray[np.uint8]


class DealtBoard(TypedDict):
    """A numbered board, and its exact tricks where they are asked for."""

    deal: str
    board: int
    dealer: str
    vulnerable: str
    strains: NotRequired[list[str]]
    declarers: NotRequired[list[str]]
    exact: NotRequired[list[list[int]]]


Known = Annotated[
    str | None,
    Option(
        metavar="HAND",
        help="A hand, or a description such as 'hcp 15-17, balanced'.",
        example="hcp 15-17, balanced",
    ),
]


@dataclass(frozen=True, kw_only=True)
class DealQuestion(Question):
    """Deal random boards, or boards that fit what you ask.

    Example: trickcast deal --south "hcp 15-17, balanced" -n 8 --out boards.pbn
    """

    north: Known = None
    east: Known = None
    south: Known = None
    west: Known = None
    condition: Annotated[
        str | None,
        Option(metavar="CONDITION", help="Condition on the deal, in Dealer's language.",
               example="hearts(north) + hearts(south) >= 8"),
    ] = None  # fmt: skip
    boards: Annotated[
        int | None,
        Option("--boards", "-n", min=1, served=1000,
               help="Number of boards (default: 1, or by the script)."),
    ] = None  # fmt: skip
    first: Annotated[
        int | None,
        Option(min=1, served=1_000_000,
               help="Number of the first board (default: 1, or by the script)."),
    ] = None  # fmt: skip
    seed: Annotated[
        int | None,
        Option(min=0, max=2**64 - 1, help="Seed of the boards (default: 0)."),
    ] = None
    rotate: Annotated[
        str | None,
        Option(choices=("any", "half"),
               help="Rotate each board at random, by 0 to 3 seats or by 0 or 2."),
    ] = None  # fmt: skip
    solve: Annotated[bool, Option(help="Add exact tricks.")] = False
    exact: Annotated[
        bool, Option(help="Solve tricks(), dds() and par() instead of estimating.")
    ] = False
    tries: Annotated[
        int | None,
        Option(min=1, served=4_000_000,
               help="Most layouts to draw, at least 512 (default: 4 million)."),
    ] = None  # fmt: skip

    def start(self, script: dealing.Actions | None) -> int:
        """Return the number of the first board."""
        return self.first or (None if script is None else script.start_board) or 1

    def ask(self, find: "TrickFinder", script: dealing.Actions | None = None) -> DealSet:
        """Deal. Raises QuestionError for what cannot be read, or fits too few layouts."""
        if self.exact and script is None and self.condition is None:
            raise QuestionError("exact needs a script or a condition")
        number = self.boards or (1 if script is None else script.produce or _PRODUCED)
        seed = self.seed if self.seed is not None else (script.seed if script else None) or 0
        given = (self.condition, None if script is None else script.script)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dealing.ConstraintWarning)  # actions have effect
                constraints = dealing.Constraints(
                    north=self.north,
                    east=self.east,
                    south=self.south,
                    west=self.west,
                    condition=[part for part in given if part is not None],
                    tricks=find,
                )
            most = {} if self.tries is None else {"max_tries": self.tries}
            deals = constraints.deals(number, seed, **most)
            if self.rotate is not None:
                deals = dealing.turned(deals, seed, half=self.rotate == "half")
        except dealing.ConstraintError as error:
            text = str(error).replace("expected parameters={…}", "expected it written out")
            raise QuestionError(
                text.replace(" (max_tries)", "").replace("max_tries", "tries")
            ) from None
        return deals

    def numbered(self, deals: DealSet, script: dealing.Actions | None = None) -> Iterator[DealSet]:
        """Yield the deals as boards; a script may say who deals and who is vulnerable."""
        dealer = None if script is None else script.dealer
        vulnerability = None if script is None else script.vulnerability
        first = self.start(script)
        for start in range(0, len(deals), _CHUNK):
            some = deals[start : start + _CHUNK]
            boards = [
                Board(
                    number=n,
                    dealer=board_dealer(n) if dealer is None else dealer,
                    vulnerability=board_vulnerability(n)
                    if vulnerability is None
                    else vulnerability,
                )
                for n in range(first + start, first + start + len(some))
            ]
            yield DealSet(some.owners, None, boards)

    def answer(self, deal: Deal, board: Board, tricks: Owners | None) -> DealtBoard:
        """Answer with one board, and its (5, 4) exact tricks where they are known."""
        content: dict[str, Any] = named_deal(deal, board) | {
            "dealer": str(board.dealer),
            "vulnerable": str(board.vulnerability),
        }
        if tricks is not None:
            content |= SolveQuestion().answer(deal, board, tricks)
        return cast(DealtBoard, content)

    def answers(self, hooks: Hooks) -> Iterator[DealtBoard]:
        """Yield the boards."""
        from ..solver import solve_batches

        deals = self.ask(TrickFinder(self.exact, hooks.workers))
        for chunk in self.numbered(deals):
            assert chunk.boards is not None
            for row, (deal, board) in enumerate(zip(chunk, chunk.boards, strict=True)):
                tricks = None
                if self.solve:
                    ((tricks,),) = solve_batches(chunk.owners[row : row + 1], workers=hooks.workers)
                yield self.answer(deal, board, tricks)


class TrickFinder:
    """What ``tricks()`` and its kin are answered by: loaded when first asked."""

    def __init__(self, exact: bool, workers: int | None):
        self._exact, self._workers = exact, workers
        self.asked = False
        """Whether a script or a condition asked for tricks."""
        self._tables: Owners | None = None

    def __call__(self, owners: Owners) -> Owners:
        """Return the tricks of (n, 52) owners."""
        from ..simulation import trick_finder  # most scripts do without DDS and networks

        self.asked = True
        return trick_finder(solve=self._exact, workers=self._workers)(owners)

    def once(self, owners: Owners) -> Owners:
        """Return the tricks of the deals that all actions are about, found the first time."""
        if self._tables is None:
            self._tables = self(owners)
        return self._tables
