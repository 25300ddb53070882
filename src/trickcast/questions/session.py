"""The question of how the tables of a session compare: bidding, play and luck."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from ..cards import Board, DealSet, counted
from ..played.estimate import PLAYERS
from ..session import Judged, Session, as_json, compared, joined, judge
from .deals import MOST_SOLVED
from .declared import Hooks, Option, Question, QuestionError

Interval = list[float] | None


class SwingParts(TypedDict):
    """The parts of a swing, in points; None where the lead or the play is not known."""

    contract: float
    lead: float | None
    defence: float | None
    declarer: float | None
    luck: float


class SessionTable(TypedDict):
    """A table: scores, IMPs and parts are North-South's, ``matchpoints`` a share.

    ``penalties`` are taken from either side's total: IMPs, or percent of a board.
    """

    room: str | None
    contract: str | None
    declarer: str | None
    lead: str | None
    tricks: int | None
    score: int | None
    imps: float | None
    matchpoints: float | None
    expected: float | None
    making: float | None
    count: int
    pairs: list[str | None]
    names: list[str | None]
    adjusted: list[str | None]
    penalties: list[float]
    lost: dict[str, int] | None
    parts: SwingParts | None


class SessionBoardAnswer(TypedDict):
    """A board with its tables; ``field`` is what its contracts are worth on average."""

    number: int | None
    deal: str | None
    dealer: str
    vulnerable: str
    par: int | None
    par_contracts: list[str] | None
    field: float | None
    tables: list[SessionTable]


class PairStanding(TypedDict):
    """What a pair or a player made; ``intervals`` are of 95 %.

    ``direction`` is ``NS`` or ``EW`` where each has a ranking of its own, else null.
    """

    number: str | None
    names: list[str]
    boards: int
    recorded: int
    score: float
    contract: float
    lead: float
    defence: float
    declarer: float
    luck: float
    adjusted: float
    intervals: dict[str, Interval]
    lost: dict[str, int]
    direction: str | None


class MatchStanding(TypedDict):
    """A match of two teams; ``victory_points`` are each team's by its own result."""

    segment: str
    teams: list[str]
    boards: int
    imps: list[float]
    victory_points: list[float]


class LeftOut(TypedDict):
    """What does not fit, and where."""

    place: str
    reason: str


class SessionAnswer(TypedDict):
    """A session: its boards, and who came where and why."""

    scoring: str
    boards: list[SessionBoardAnswer]
    pairs: list[PairStanding]
    players: list[PairStanding]
    matches: list[MatchStanding]
    skipped: list[LeftOut]


@dataclass(frozen=True, kw_only=True)
class SessionQuestion(Question):
    """Compare the tables of a session, and tell skill from luck.

    Example: trickcast session results.pbn --pair 12
    """

    about, most = "deals", 400
    anonymous: Annotated[bool, Option(help="Replace players' names.")] = False
    players: Annotated[str, Option(choices=PLAYERS, help="Players whose results to expect.")] = (
        PLAYERS[0]
    )
    scores: Annotated[bool, Option(help="Compare only the scores, without solving.")] = False

    def check(self) -> None:
        """Refuse what has no effect. Raises QuestionError."""
        if self.scores and "players" in self.given:
            raise QuestionError("{} has no effect with {}", "players", "scores")

    def ask(
        self,
        played: Session,
        workers: int | None = None,
        advance: Callable[[int], None] = lambda boards: None,
    ) -> Judged:
        """Return a session, judged or only compared; ``advance`` gets how many are solved."""
        played = played.anonymous() if self.anonymous else played
        if self.scores:
            return compared(played)
        return judge(played, players=self.players, workers=workers, advance=advance)

    def answer(self, judged: Judged) -> SessionAnswer:
        """Answer with everything."""
        return cast(SessionAnswer, as_json(judged))

    def answers(
        self,
        hooks: Hooks,
        boards: Iterable[tuple[NDArray[np.uint8], Board]],
        note: Callable[[str], object],
    ) -> Iterator[SessionAnswer]:
        """Answer about (52,) owners with their boards, as one session."""
        rows, said = zip(*boards, strict=True)
        if any((row > 3).any() for row in rows):
            raise QuestionError("fewer than 52 cards (expected deals)")
        played = joined([DealSet(np.stack(rows), boards=said)], "the file")
        unsolved = sum(board.exact is None for board in played.boards)
        if unsolved > MOST_SOLVED and not self.scores:
            raise QuestionError(
                f"{counted(unsolved, 'board')} to solve (expected at most {MOST_SOLVED}, or {{}})",
                "scores",
            )
        yield self.answer(self.ask(played, hooks.workers))
