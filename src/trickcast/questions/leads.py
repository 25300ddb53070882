"""The question of what to lead: from a hand, and on boards that were played."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple, NotRequired, cast

from typing_extensions import TypedDict

from .. import simulation
from ..cards import Board, Deal, DealError, Hand, Seat
from ..scoring import Contract
from ..simulation import AsPlayed, Lead, LeadSimulation, Value
from ..simulation.outcomes import even_of
from .auctions import ended_auction
from .declared import Argument, Hooks, Option, QuestionError
from .simulations import SCORINGS, Counts, LayoutsQuestion, Numbers, Rank, counts, numbers

LAYOUTS_A_BOARD = 100
"""Layouts to solve for each board of a file."""
_OWN = ("contract", "by", "auction", "dealer", "vulnerable")
"""Options that each board of a file sets itself."""


class PlayedLeadAnswer(TypedDict):
    """What declarers take at the table after a lead, and what the lead is worth."""

    tricks: Numbers
    setting: Numbers
    points: Numbers
    gain: Numbers


class LeadAnswer(PlayedLeadAnswer):
    """What there is to say of a lead, double dummy and at the table."""

    cards: tuple[str, ...]
    even: bool
    played: PlayedLeadAnswer | None


class LeadsAnswer(Counts):
    """Every lead against a contract, best first."""

    contract: str
    by: str
    vulnerable: str
    scoring: str
    leads: list[LeadAnswer]


class ExactLead(TypedDict):
    """What declarer takes after the lead that was made, double dummy, and the best leads."""

    tricks: int
    cost: int
    best: list[str]


class JudgedLeadAnswer(LeadsAnswer):
    """A lead that was made: exact, and beside what its leader could know.

    ``cost`` is what it lost against ``best``, in units of ``scoring``; ``auction`` is null where
    hidden hands could not follow one.
    """

    board: NotRequired[int]
    deal: str
    leader: str
    auction: str | None
    lead: str
    exact: ExactLead
    best: str
    cost: Numbers


@dataclass(frozen=True, kw_only=True)
class LeadsQuestion(LayoutsQuestion):
    """Compare the opening leads from a hand against a contract.

    With a whole auction, contract and declarer follow from it. Of a file of played boards, each
    lead that was made is compared with the best: exactly, and from the leader's hand alone.

    Example: trickcast leads Q63.T9.KJ984.Q32 --auction "1N P 3N P P P" --dealer S
    """

    leader: Annotated[
        str,
        Argument(
            metavar="HAND",
            help="Hand of the leader; on the command line also a file of played boards.",
            format="hand",
            example="Q63.T9.KJ984.Q32",
        ),
    ]
    contract: Annotated[
        str | None,
        Argument(
            metavar="CONTRACT",
            help="Contract, such as 4S or 3NX (default: by --auction).",
            example="3N",
        ),
    ] = None
    by: Annotated[
        str | None,
        Option(
            metavar="[N|E|S|W]",
            help="Declarer, left of whom the leader sits (default: by --auction).",
            example="S",
        ),
    ] = None
    scoring: Annotated[str, Option(choices=SCORINGS, help="Scoring that compares leads.")] = "imps"
    rank: Rank = "double-dummy"

    def check(self) -> None:
        """Parse contract and declarer; if the leader is not a hand, it may be a file of boards."""
        self._contract, self.sides  # noqa: B018
        if self.is_hand:
            super().check()
            self._require()

    @cached_property
    def is_hand(self) -> bool:
        """Whether the leader is a hand."""
        try:
            Hand(self.leader)
        except DealError:
            return False
        return True

    @cached_property
    def _contract(self) -> dict[str, Any]:
        return {
            "contract": None if self.contract is None else Contract(self.contract),
            "by": None if self.by is None else Seat.parse(self.by),
        }

    def _require(self) -> None:
        if self.calls is not None:
            return
        if self.contract is None:
            raise QuestionError(
                "no contract and declarer (expected {} and {}, or {})", "contract", "by", "auction"
            )
        if self.by is None:
            raise QuestionError(
                f"{self.contract}: {{}} is missing (expected the declarer, N, E, S or W, who says "
                "which hand leads; or {})",
                "by",
                "auction",
            )

    def ask(self, hooks: Hooks) -> LeadSimulation:
        """Find declarer's tricks after each lead."""
        hand = Hand(self.leader)
        self._require()
        return self.simulated(
            simulation.simulate_leads,
            hooks,
            vulnerable=self.sides,
            scoring=self.scoring,
            leader=hand,
            **self._contract,
        )

    def answer(self, result: LeadSimulation, *, last: bool = True) -> LeadsAnswer:
        """Answer with every lead."""
        leads = result.ranked(self.rank if last else "double-dummy", self.players)
        told = result.as_played(self.players) if last else {}
        return {
            **counts(result),
            "contract": str(result.contract),
            "by": str(result.by),
            "vulnerable": str(self.sides),
            "scoring": result.scoring,
            "leads": [_lead(lead, told.get(lead.cards[0])) for lead in leads],
        }

    def check_file(self) -> None:
        """Refuse options that have no effect on the boards of a file. Raises QuestionError."""
        if vain := [name for name in _OWN if name in self.given]:
            raise QuestionError("{} has no effect with a file (each board has its own)", vain[0])

    def judge(self, deal: Deal, board: Board | None, hooks: Hooks) -> "JudgedLead | str":
        """Judge the lead made on a board; or return why there is none to judge."""
        from ..solver import solve_leads  # invalid requests need not wait for DDS

        if board is not None and board.contract == "PASS":
            return "passed out"
        if board is None or board.contract is None or board.declarer is None:
            return "without contract and declarer"
        if not board.play:
            return "without an opening lead"
        contract, declarer = Contract(board.contract), board.declarer
        leader = deal[declarer.lho]
        if board.play[0] not in leader:
            return "led with a card that the leader does not hold"
        known = board.completed()
        told = {"contract": str(contract), "by": str(declarer)}
        if calls := _auction_of(known, contract, declarer):
            told = {"auction": calls, "dealer": str(known.dealer)}
        own: dict[str, Any] = {"vulnerable": str(known.vulnerability or "none"), **told}
        if self.solve is None and self.precision is None and self.seconds is None:
            own["solve"] = LAYOUTS_A_BOARD
        methods = {} if calls else {"meaning": None, "style": None}
        asked = self.but(leader=str(leader), **own, **methods)
        exact = solve_leads(deal, contract, declarer, workers=hooks.workers)
        assert isinstance(exact, dict)  # of one deal
        return JudgedLead(asked, deal, board, exact, asked.ask(hooks))


class LeadCost(NamedTuple):
    """What a lead lost against the best of its hand, and whether it may have lost nothing."""

    best: Lead
    cost: Value
    even: bool


@dataclass(frozen=True)
class JudgedLead:
    """A lead made on a board, with the alternatives."""

    asked: LeadsQuestion
    """The same, judged from the leader's hand alone."""
    deal: Deal
    board: Board
    exact: dict[str, int]
    """Declarer's tricks after each lead, double dummy."""
    leads: LeadSimulation

    @property
    def card(self) -> str:
        """The card that was led."""
        return self.board.play[0]

    @property
    def exact_cost(self) -> int:
        """The tricks that it gave away, double dummy."""
        return self.exact[self.card] - min(self.exact.values())

    @property
    def exact_best(self) -> list[str]:
        """The leads that would have given nothing away."""
        fewest = min(self.exact.values())
        return [card for card, tricks in self.exact.items() if tricks == fewest]

    @cached_property
    def cost(self) -> LeadCost:
        """Its loss judged from the leader's hand, in the requested ranking."""
        asked, leads = self.asked, self.leads
        best, made = leads.ranked(asked.rank, asked.players)[0], leads[self.card]
        if asked.rank == "played":
            told = leads.as_played(asked.players)
            first, lost = told[best.cards[0]].gain, told[made.cards[0]].gain
            assert first is not None and lost is not None
            even = made is best or lost.low <= first.mean <= lost.high
            return LeadCost(best, _less(lost, first.mean), even)
        return LeadCost(best, _less(made.gain, even_of(asked.scoring)), made is best or made.even)

    def answer(self) -> JudgedLeadAnswer:
        """Answer with the lead, its cost, and every other."""
        numbered = {} if self.board.number is None else {"board": self.board.number}
        calls = self.asked.auction
        content: dict[str, Any] = {
            **numbered,
            "deal": self.deal.pbn,
            "leader": str(self.leads.by.lho),
            "auction": calls,
            "lead": self.card,
            "exact": {
                "tricks": self.exact[self.card],
                "cost": self.exact_cost,
                "best": self.exact_best,
            },
            "best": self.cost.best.cards[0],
            "cost": numbers(self.cost.cost),
            **self.asked.answer(self.leads),
        }
        return cast(JudgedLeadAnswer, content)


def _less(gain: Value, even: float) -> Value:
    """Return the loss for a ``gain``, where ``even`` means no difference."""
    return Value(even - gain.mean, even - gain.high, even - gain.low)


def _auction_of(board: Board, contract: Contract, declarer: Seat) -> str | None:
    """Return the calls of a board, if complete and ending in its contract."""
    if not board.auction or board.dealer is None:
        return None
    calls = " ".join(board.auction)
    try:
        ended = ended_auction(calls, board.dealer).contract
    except (DealError, QuestionError):
        return None
    return calls if ended == (str(contract), declarer) else None


def _lead(lead: Lead, played: AsPlayed | None) -> LeadAnswer:
    told: PlayedLeadAnswer | None = None
    if played is not None and played.gain is not None:
        points = Value(-played.points.mean, -played.points.high, -played.points.low)
        told = {
            "tricks": numbers(played.tricks),
            "setting": numbers(played.setting),
            "points": numbers(points),
            "gain": numbers(played.gain),
        }
    return {
        "cards": lead.cards,
        "tricks": numbers(lead.tricks),
        "setting": numbers(lead.setting),
        "points": numbers(lead.points),
        "gain": numbers(lead.gain),
        "even": lead.even,
        "played": told,
    }
