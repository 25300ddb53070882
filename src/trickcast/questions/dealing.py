"""The question that deals boards at random, or boards that fit constraints."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from .. import dealing
from ..cards import Board, Deal
from ..dealing.constraints import FEWEST_TRIES, MAX_TRIES
from ..dealing.language.mistakes import BY_PARAMETERS
from .auctions import AuctionText, Meanings, Style, check_calls, heard
from .deals import SolveQuestion, named_deal
from .declared import Hooks, Option, Question, QuestionError

if TYPE_CHECKING:
    from ..bidding import Auction

_PRODUCED = 40  # Dealer's default number of boards
Owners = NDArray[np.uint8]


class DealtBoard(TypedDict):
    """A numbered board, and its exact tricks where they are asked for.

    ``seed`` gives the same boards again; it is null where they are secure.
    """

    deal: str
    board: int
    dealer: str
    vulnerable: str
    seed: int | None
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
    theme: Annotated[
        str | None,
        Option(metavar="THEME", filled=True, example="South opens a weak two",
               help="Theme, such as 'South opens a weak two'. The opener deals."),
    ] = None  # fmt: skip
    auction: AuctionText = None
    meaning: Meanings = None
    style: Style = None
    dealer: Annotated[
        str | None,
        Option(
            metavar="[N|E|S|W]", help="Dealer (default: by theme or board number; N with auction)."
        ),
    ] = None
    vulnerable: Annotated[
        str | None,
        Option(
            metavar="[none|ns|ew|both]",
            help="Vulnerable sides (default: by board number; none with auction).",
        ),
    ] = None
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
        Option(min=0, max=2**64 - 1, help="Seed of the boards (default: a fresh one)."),
    ] = None
    secure: Annotated[
        bool, Option(help="For events: take every card from the system's randomness.")
    ] = False
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

    def check(self) -> None:
        """Refuse options that exclude each other, and more boards than tries."""
        if self.secure and self.seed is not None:
            raise QuestionError("{} and {} cannot be combined", "secure", "seed")
        if self.secure and self.auction is not None:
            raise QuestionError("{} and {} cannot be combined", "secure", "auction")
        if self.theme is not None and self.auction is not None:
            raise QuestionError("{} and {} cannot be combined", "theme", "auction")
        check_calls(self.auction, self.given - {"dealer"})
        tries = max(self.tries or MAX_TRIES, FEWEST_TRIES)
        if (self.boards or 0) > tries:
            raise QuestionError(
                f"{{}} is {self.boards:,} (expected at most the {tries:,} tries)", "boards"
            )
        self.calls  # noqa: B018

    @cached_property
    def calls(self) -> "Auction | None":
        """The auction so far."""
        if self.auction is None:
            return None
        from ..bidding import read_auction

        return read_auction(self.auction, self.dealer or "N", self.vulnerable or "none")

    def _drawn(self, constraints: dealing.Constraints) -> Any:
        """Return the sampler of layouts that fit the auction."""
        from ..bidding import AuctionLayouts

        assert self.calls is not None
        return AuctionLayouts(heard(self.calls, self.meaning, self.style), constraints)

    def ask(
        self, find: "TrickFinder", script: dealing.Actions | None = None
    ) -> dealing.DealtBoards:
        """Deal. Raises QuestionError for invalid text, or if too few layouts fit.

        A script may set options that are not given: number, first board, seed, dealer and
        vulnerability.
        """
        if self.exact and script is None and self.condition is None:
            raise QuestionError("{} needs a script or a condition", "exact")
        number, seed, first, dealer, vulnerability = (
            getattr(script, name, None)
            for name in ("produce", "seed", "start_board", "dealer", "vulnerability")
        )
        most = {} if self.tries is None else {"max_tries": self.tries}
        dealer = dealer if self.dealer is None else self.dealer
        sides = vulnerability if self.vulnerable is None else self.vulnerable
        try:
            with warnings.catch_warnings():
                if script is not None:  # whose own notes are shown, and whose actions have effect
                    warnings.simplefilter("ignore", dealing.ConstraintWarning)
                return dealing.deal_boards(
                    self.boards or (1 if script is None else number or _PRODUCED),
                    seed=None if self.secure else seed if self.seed is None else self.seed,
                    secure=self.secure,
                    theme=self.theme,
                    north=self.north,
                    east=self.east,
                    south=self.south,
                    west=self.west,
                    condition=[self.condition] * (self.condition is not None)
                    + ([] if script is None else [script.script]),
                    dealer=dealer if self.calls is None else self.calls.dealer,
                    vulnerable=sides if self.calls is None else self.calls.vulnerable,
                    first=self.first or first or 1,
                    rotate=self.rotate,  # type: ignore[arg-type]  # one of its choices
                    tricks=find,
                    among=None if self.calls is None else self._drawn,
                    **most,
                )
        except dealing.ConstraintError as error:
            text = written_out(str(error)).replace(" (max_tries)", "")
            raise QuestionError(text.replace("max_tries", "tries")) from None

    def answer(
        self, deal: Deal, board: Board, tricks: Owners | None, seed: int | None
    ) -> DealtBoard:
        """Answer with one board, and its (5, 4) exact tricks if known."""
        content: dict[str, Any] = named_deal(deal, board) | {"seed": seed}
        if tricks is not None:
            content |= SolveQuestion().answer(deal, board, tricks)
        return cast(DealtBoard, content)

    def answers(self, hooks: Hooks) -> Iterator[DealtBoard]:
        """Yield the boards."""
        from ..solver import solve_batches

        dealt = self.ask(TrickFinder(self.exact, hooks.workers))
        for deal, board in zip(dealt.deals, dealt.deals.boards or (), strict=True):
            tricks = None
            if self.solve:
                ((tricks,),) = solve_batches(deal.owners[None], workers=hooks.workers)
            yield self.answer(deal, board, tricks, dealt.seed)


def written_out(text: str) -> str:
    """Replace what an error expects of Python by what can be done in the text of a script."""
    return text.replace(BY_PARAMETERS, "it written out")


class TrickFinder:
    """Finds tricks for ``tricks()`` and similar functions; loaded on first use."""

    def __init__(self, exact: bool, workers: int | None):
        self._exact, self._workers = exact, workers
        self.asked = False
        """Whether a script or a condition needed tricks."""
        self._tables: Owners | None = None

    def __call__(self, owners: Owners) -> Owners:
        """Return the tricks of (n, 52) owners."""
        from ..simulation import trick_finder  # most scripts need neither DDS nor networks

        self.asked = True
        return trick_finder(solve=self._exact, workers=self._workers)(owners)

    def once(self, owners: Owners) -> Owners:
        """Return the tricks of the deals that all actions share, found only once."""
        if self._tables is None:
            self._tables = self(owners)
        return self._tables
