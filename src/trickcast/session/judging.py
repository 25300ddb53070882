"""Judge a session: par, what a contract is worth at the table, and the parts of every swing.

A table's score S is compared with F, the mean worth of the contracts reached at all tables. E is
what its own contract is worth at the table. G is what the lead and the plays gave away, minus what
such players give away on average. Then

    S - F = (E - F) contract + G lead, defence, declarer + (S - E - G) luck.

The same is done in points and in the unit that ranks the pairs. There S is the result of the score
against the other tables, and E, F and G are means of such results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, Skipped, parse_card, parse_contract
from ..cards.card_play import PlayError, positions
from ..played import estimate_played, norms
from ..played.norms import ROLES
from ..scoring import Contract, Par, imps, par, score
from ..solver import solve, trace_plays
from .reading import without_cards
from .tables import MATCHPOINTS, Floats, Session, SessionBoard, Table

_COUNTS = np.arange(14)
_WHOLE_PLAY = 20
"""Cards in a play that is judged for defence and declarer; shorter plays only for the lead."""
_PASSED_OUT: Floats = np.eye(14)[0]


@dataclass(frozen=True)
class ScoreParts:
    """How far a table's score is above the field's, for North-South, and why."""

    contract: float
    lead: float | None
    """None if the lead is unknown, like ``defence`` and ``declarer`` if the play is."""
    defence: float | None
    declarer: float | None
    luck: float
    """The remainder; without a record of the play it is play and luck together."""

    @property
    def play(self) -> float:
        """What the lead, the defence and declarer gave away, as far as known."""
        return sum(part or 0.0 for part in (self.lead, self.defence, self.declarer))

    @property
    def swing(self) -> float:
        """The sum of all parts."""
        return self.contract + self.play + self.luck


@dataclass(frozen=True, kw_only=True)
class JudgedTable:
    """A table of a session, judged."""

    table: Table
    imps: float | None
    matchpoints: float | None
    expected: float | None = None
    """North-South's expected score at the table, given the cards and the contract."""
    making: float | None = None
    """The chance that the contract makes at the table."""
    given: dict[str, int] = field(default_factory=dict)
    """Tricks given away by role, as far as the play is known."""
    by_seat: dict[Seat, int] = field(default_factory=dict)
    """Tricks given away by player; declarer plays dummy's cards."""
    points: ScoreParts | None = None
    """The parts in points; None if the table has no score or nothing to compare it with."""
    parts: ScoreParts | None = None
    """The parts in the unit that ranks the pairs; they sum to ``value``."""
    defended: dict[Seat, float] = field(default_factory=dict)
    """What each defender's own cards brought North-South, in that unit, after the lead."""
    value: float | None = None
    """IMPs of North-South, or their share of the matchpoints minus one half."""


@dataclass(frozen=True, kw_only=True)
class JudgedBoard:
    """A board of a session with its judged tables."""

    board: SessionBoard
    par: Par | None
    exact: NDArray[np.uint8] | None
    """(5, 4) exact tricks."""
    field: float | None
    """The mean worth to North-South of the contracts reached."""
    tables: tuple[JudgedTable, ...]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A session with all its judgements."""

    session: Session
    boards: tuple[JudgedBoard, ...]
    skipped: tuple[Skipped, ...]
    """Entries of the files that don't fit, including plays that end in an impossible card."""


def judge(
    session: Session,
    *,
    players: str = "expert",
    workers: int | None = None,
    advance: Callable[[int], None] = lambda boards: None,
) -> Judged:
    """Judge a session: what every contract, lead and play was worth, and what was luck.

    Tables of tricks in the files are not solved again.

    Args:
        session: The session, as from ``read``.
        players: Whose play at the table is expected: ``"expert"`` or ``"club"``.
        workers: Number of threads. Default: all cores.
        advance: Function that receives the number of boards just solved.

    Returns:
        The Judged session.

    Raises:
        ValueError: ``players`` has another value, or ``workers`` is below 1.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result"]
        >>> rows += [f"1,{deal},4H,N,10", f"1,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> first, second = session.judge(session.read("results.csv")).boards[0].tables
        >>> first.points.contract > 0 > second.points.contract
        True
    """
    judging = _Judging(session, players, workers)
    judging.solve(advance)
    judging.estimate()
    judging.trace()
    boards = tuple(judging.board(number, board) for number, board in enumerate(session.boards))
    skipped = (*session.skipped, *without_cards(session, "only scored"), *judging.skipped)
    return Judged(session=session, boards=boards, skipped=skipped)


def compared(session: Session) -> Judged:
    """Compare the tables of a session by their scores, without solving or estimating.

    Args:
        session: The Session.

    Returns:
        A Judged, as from ``judge``, without what cards and contracts were worth.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result"]
        >>> rows += [f"1,{deal},4H,N,10", f"1,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> tables = session.compared(session.read("results.csv")).boards[0].tables
        >>> [table.imps for table in tables]
        [10.0, -10.0]
    """
    judging = _Judging(session, "expert", None)
    boards = tuple(judging.board(number, board) for number, board in enumerate(session.boards))
    return Judged(session=session, boards=boards, skipped=session.skipped)


class _Judging:
    def __init__(self, session: Session, players: str, workers: int | None):
        self._session, self._players, self._workers = session, players, workers
        self._exact: dict[int, NDArray[np.uint8]] = {}
        """(5, 4) by board."""
        self._chances: dict[tuple[int, str, Seat], Floats] = {}
        """(14,) by board, contract and declarer."""
        self._traces: dict[tuple[int, int], _Trace] = {}
        """By board and table."""
        self.skipped: list[Skipped] = []

    def solve(self, advance: Callable[[int], None]) -> None:
        """Solve every board whose cards are known."""
        rows = []
        for number, board in enumerate(self._session.boards):
            if board.exact is not None:
                self._exact[number] = board.exact
            elif board.deal is not None:
                rows.append(number)
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            tables = solve(self._deals(some), workers=self._workers).tricks
            self._exact |= dict(zip(some, tables, strict=True))
            advance(len(some))

    def estimate(self) -> None:
        """Estimate the tricks at the table in every contract reached."""
        asked = list[tuple[int, str, Seat]]()
        for number, board in enumerate(self._session.boards):
            if board.deal is not None:
                played = {
                    (str(t.contract), t.declarer or Seat.NORTH)
                    for t in board.tables
                    if _is_played(t)
                }
                asked += [(number, *each) for each in sorted(played)]
        if not asked:
            return
        deals = self._deals([number for number, _, _ in asked])
        estimates = estimate_played(
            deals, [bid for _, bid, _ in asked], [by for *_, by in asked], players=self._players
        )
        self._chances = dict(zip(asked, estimates.probabilities.astype(np.float64), strict=True))

    def _deals(self, numbers: Sequence[int]) -> DealSet:
        boards = (self._session.boards[number] for number in numbers)
        return DealSet.from_deals([board.deal for board in boards if board.deal is not None])

    def trace(self) -> None:
        """Follow the exact tricks along every recorded play, or up to the lead."""
        found = []
        for number, board in enumerate(self._session.boards):
            for row, table in enumerate(board.tables):
                cards = self._cards(board, table)
                if cards:
                    found.append((number, row, board, table, cards))
        if not found:
            return
        strains, declarers = [], []
        for *_, table, _ in found:
            _, strain, _ = parse_contract(str(table.contract))
            assert strain is not None and table.declarer is not None
            strains.append(strain)
            declarers.append(table.declarer)
        owners = np.stack([board.deal.owners for _, _, board, *_ in found if board.deal])
        plays = [cards for *_, cards in found]
        traces = trace_plays(owners, strains, declarers, plays, workers=self._workers)
        for (number, row, *_, cards), held, tricks, declarer in zip(
            found, owners, traces, declarers, strict=True
        ):
            seats = held[cards[: len(tricks) - 1]]
            self._traces[number, row] = _Trace(tricks.astype(np.int64), seats, declarer)

    def _cards(self, board: SessionBoard, table: Table) -> list[int]:
        """Return the cards of a play that can be judged: all, only the lead, or none."""
        if board.deal is None or not _is_played(table):
            return []
        texts = table.play or ((table.lead,) if table.lead else ())
        cards = [parse_card(text) for text in texts]
        if not cards:
            return []
        _, strain, _ = parse_contract(str(table.contract))
        assert strain is not None and table.declarer is not None
        try:
            positions(board.deal.owners, strain, table.declarer.lho, cards)
        except PlayError as error:
            cards = cards[: error.played]
            whole, lead = "the play is judged up to there", "of the play, only the lead is judged"
            judged = whole if len(cards) >= _WHOLE_PLAY else lead if cards else "it is not judged"
            self.skipped.append(Skipped(table.place, f"{error}; {judged}"))
        return cards if len(cards) >= _WHOLE_PLAY else cards[:1]

    def board(self, number: int, board: SessionBoard) -> JudgedBoard:
        """Return a judged board, as far as its cards and results are known."""
        exact = self._exact.get(number)
        best = None if exact is None else par(exact, board.dealer, board.vulnerability)
        field = _Field(
            board.tables,
            [self._chances_of(number, table) for table in board.tables],
        )
        enough = sum(table.count for table in board.tables if table.score is not None) > 1
        tables = tuple(
            self._table(number, row, board, field, enough) for row in range(len(board.tables))
        )
        return JudgedBoard(
            board=board,
            par=best,
            exact=exact,
            field=field.mean(_points) if enough and exact is not None else None,
            tables=tables,
        )

    def _chances_of(self, number: int, table: Table) -> Floats | None:
        """Return the chances of 0 to 13 tricks at a table; None if they are unknown."""
        if table.contract == "PASS":
            return _PASSED_OUT
        return self._chances.get((number, str(table.contract), table.declarer or Seat.NORTH))

    def _table(
        self, number: int, row: int, board: SessionBoard, field: "_Field", enough: bool
    ) -> JudgedTable:
        table, chances = board.tables[row], field.chances[row]
        imps_won, share = float(board.imps[row]), float(board.matchpoints[row])
        ranked = share - 0.5 if self._session.scoring == MATCHPOINTS else imps_won
        facts: dict[str, Any] = {
            "table": table,
            "imps": _known(imps_won),
            "matchpoints": _known(share),
            "value": _known(ranked),
        }
        if chances is None or number not in self._exact:
            return JudgedTable(**facts)
        facts["expected"] = float(chances @ north_souths(table))
        if _is_played(table):
            facts["making"] = float(chances[Contract(str(table.contract)).tricks :].sum())
        trace = self._traces.get((number, row))
        if trace is not None:
            facts |= {"given": trace.by_role(), "by_seat": trace.by_seat()}
        if enough and table.score is not None:
            worth = _worth(self._session.scoring, board.others[row])
            facts["points"] = _parts(table, row, field, trace, _points, rest=0.0)
            rest = field.mean(worth)
            facts["parts"] = _parts(table, row, field, trace, worth, rest)
            if trace is not None and trace.whole:
                facts["defended"] = trace.defended(worth(north_souths(table)))
        return JudgedTable(**facts)


_AT_ONCE = 40


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _is_played(table: Table) -> bool:
    """Return whether a contract is known to have been played."""
    return table.contract not in (None, "PASS") and table.declarer is not None


def north_souths(table: Table) -> Floats:
    """Return (14,) North-South's scores in a table's contract for 0 to 13 tricks."""
    if table.contract == "PASS" or table.declarer is None:
        return np.zeros(14)
    side = table.declarer.side
    points = score(str(table.contract), _COUNTS, bool(table.vulnerability >> side & 1))
    return np.asarray(points if side == 0 else -points, dtype=np.float64)


Worth = Callable[[Floats], Floats]
"""The value of North-South's scores in some unit."""


def _points(scores: Floats) -> Floats:
    return scores


def _worth(scoring: str, others: Floats) -> Worth:
    """Return the function that values a score against those of the other tables, sorted."""
    if not len(others):
        return np.zeros_like
    if scoring == MATCHPOINTS:
        return lambda scores: (
            (np.searchsorted(others, scores, "left") + np.searchsorted(others, scores, "right"))
            / (2 * len(others))
            - 0.5
        )
    distinct, count = np.unique(others, return_counts=True)
    return lambda scores: imps(np.subtract.outer(scores, distinct)) @ count / len(others)


@dataclass(frozen=True)
class _Field:
    """The contracts that were reached, with the chances of tricks in each."""

    tables: Sequence[Table]
    chances: Sequence[Floats | None]

    def mean(self, worth: Worth) -> float:
        """Return the mean worth of these contracts, counting every table."""
        known = [
            (table.count, float(chances @ worth(north_souths(table))))
            for table, chances in zip(self.tables, self.chances, strict=True)
            if chances is not None
        ]
        if not known:
            return np.nan
        counts, values = zip(*known, strict=True)
        return float(np.average(values, weights=counts))


def _parts(
    table: Table,
    row: int,
    field: _Field,
    trace: "_Trace | None",
    worth: Worth,
    rest: float,
) -> ScoreParts:
    """Return the parts of a table's swing; ``rest`` is added to the luck."""
    values, chances = worth(north_souths(table)), field.chances[row]
    assert chances is not None and table.score is not None
    value = float(worth(np.array([float(table.score)]))[0])
    expected = float(chances @ values)
    given: dict[str, float | None] = dict.fromkeys(ROLES)
    if trace is not None:
        given |= trace.worth(values)
    known = sum(part or 0.0 for part in given.values())
    return ScoreParts(
        contract=expected - field.mean(worth),
        **given,
        luck=value - expected - known + rest,
    )


@dataclass(frozen=True)
class _Trace:
    """Declarer's exact tricks along a play."""

    tricks: NDArray[np.int64]
    """(k + 1,) before the play and after each card."""
    seats: NDArray[np.uint8]
    """(k,) whose cards they were."""
    declarer: Seat

    @property
    def whole(self) -> bool:
        """Whether it covers more than the lead."""
        return len(self.seats) > 1

    @property
    def _roles(self) -> NDArray[np.int64]:
        """(k,) the role of each card, as an index in ROLES."""
        roles = np.where(self.seats % 2 == self.declarer % 2, 2, 1)
        roles[0] = 0
        return roles

    def by_role(self) -> dict[str, int]:
        """Return the tricks that each role gave away."""
        lost = np.abs(np.diff(self.tricks))
        shown = ROLES if self.whole else ROLES[:1]
        return {name: int(lost[self._roles == role].sum()) for role, name in enumerate(shown)}

    def by_seat(self) -> dict[Seat, int]:
        """Return the tricks that each player gave away; declarer also plays dummy's cards."""
        if not self.whole:
            return {}
        lost = np.abs(np.diff(self.tricks))
        given = {seat: int(lost[self.seats == seat].sum()) for seat in Seat}
        given[self.declarer] += given.pop(self.declarer.partner)
        return given

    def worth(self, values: Floats) -> dict[str, float | None]:
        """Return what each role gave away, minus its norm, from North-South's view.

        ``values`` (14,) are the values of 0 to 13 tricks. The norms are applied one role after the
        other: lead, defence, declarer.
        """
        usual = np.diff(_usual(values, int(self.tricks[0])))
        steps = np.diff(values[self.tricks])
        shown = ROLES if self.whole else ROLES[:1]
        return {
            name: float(steps[self._roles == role].sum() - usual[role])
            for role, name in enumerate(shown)
        }

    def defended(self, values: Floats) -> dict[Seat, float]:
        """Return each defender's part of the defence; half the norm is applied to each."""
        usual = np.diff(_usual(values, int(self.tricks[0])))[1] / 2
        steps, defending = np.diff(values[self.tricks]), self._roles == 1
        return {
            seat: float(steps[defending & (self.seats == seat)].sum() - usual)
            for seat in (self.declarer.lho, self.declarer.rho)
        }


def _usual(values: Floats, tricks: int) -> list[float]:
    """Return a contract's average value: exactly, then after lead, defence and declarer."""
    chances = np.zeros(14)
    chances[tricks] = 1
    means = [float(values[tricks])]
    for role in ROLES:
        shares, sign = norms()[role].shares, -1 if role == "declarer" else 1
        spread = np.zeros(14)
        for lost, share in enumerate(shares):
            np.add.at(spread, np.clip(_COUNTS + sign * lost, 0, 13), share * chances)
        chances = spread
        means.append(float(chances @ values))
    return means
