"""Pairs and matches of a session: totals, their causes, and how certain they are."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..cards import Seat
from ..evaluation.clusters import standard_errors
from ..scoring import imps, victory_points
from .judging import Judged, JudgedTable
from .tables import MATCHPOINTS, Adjusted, Floats, Table, two_fields

PARTS = ("contract", "lead", "defence", "declarer", "luck")
_DIRECTIONS = ("NS", "EW")
_EVEN = 0.5


@dataclass(frozen=True)
class Total:
    """A sum of IMPs or a mean share, and its 95 % interval over boards."""

    value: float
    interval: tuple[float, float] | None
    """None if there is a single board."""


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """The result of a pair, or a player, in a session."""

    number: str | None
    """As the file writes it; with the direction if two pairs share a number."""
    names: tuple[str, ...]
    boards: int
    recorded: int
    """Boards whose whole play is known."""
    score: Total
    """Total IMPs, or the mean share of the matchpoints."""
    parts: dict[str, Total]
    """Totals of PARTS; with ``adjusted`` they sum to the IMPs, or to the share minus 0.5."""
    adjusted: float
    """The effect of artificial scores and penalties, which no part explains."""
    lost: dict[str, int]
    """Tricks given away by role, as far as plays and leads are known."""
    direction: str | None = None
    """``"NS"`` or ``"EW"`` if each direction has its own ranking; None if all share one.
    """

    @property
    def known(self) -> set[str]:
        """The parts with any known values: a role only if its plays or leads are known."""
        return {"contract", "luck", *self.lost}

    @property
    def label(self) -> str:
        """The number, or the names."""
        return self.number or " – ".join(self.names)


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match of two teams."""

    segment: str
    teams: tuple[str, str]
    boards: int
    imps: tuple[float, float]
    """What each team won, with its carry-over, less its penalties."""
    victory_points: tuple[float, float]
    """Each team's by its own result. They do not add up to 20 if a penalty or an artificial score,
    such as average plus for both sides, is not the other team's gain or loss."""


@dataclass
class _Row:
    """A board of a pair, all from the pair's side."""

    value: float
    parts: dict[str, float]
    whole: bool
    lost: dict[str, int]


def pairs(judged: Judged) -> list[PairResult]:
    """Return the pairs of a session, best first.

    A pair's ``contract`` includes the auctions of both sides. Its ``lead``, ``defence`` and
    ``declarer`` are its own. Its ``luck`` is the rest: the cards, what the opponents gave away, and
    the results of other tables.

    Args:
        judged: The judged session.

    Returns:
        A PairResult for each pair.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result,ns,ew"]
        >>> rows += [f"1,{deal},4H,N,10,1,2", f"1,{deal},3NT,S,8,3,4"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> judged = session.judge(session.read("results.csv"))
        >>> [(pair.number, pair.score.value) for pair in session.pairs(judged)]
        [('1', 10.0), ('4', 10.0), ('2', -10.0), ('3', -10.0)]
    """
    return _results(judged, _seats_of_pairs)


def players(judged: Judged) -> list[PairResult]:
    """Return the players whose names are known, best first.

    Leads belong to the leader; defence is what a defender's own cards gave away.

    Args:
        judged: The judged session.

    Returns:
        A PairResult for each player.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result,north,south"]
        >>> rows += [f"1,{deal},4H,N,10,Ann,Bo", f"1,{deal},3NT,S,8,Cy,Di"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> judged = session.judge(session.read("results.csv"))
        >>> [(player.names[0], player.score.value) for player in session.players(judged)]
        [('Ann', 10.0), ('Bo', 10.0), ('Cy', -10.0), ('Di', -10.0)]
    """
    return _results(judged, _seats_of_players)


def matches(judged: Judged) -> list[Match]:
    """Return the matches of two teams, in their order, with victory points.

    A board counts if each team sat North-South at one table, or if a table has an artificial
    score, which gives each team its own IMPs. Penalties in IMPs are taken from a team's total.
    Without team names, the pairs of the open room stand for the teams.

    Args:
        judged: The judged session.

    Returns:
        A Match for each match.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,room,deal,contract,declarer,result"]
        >>> rows += [f"1,open,{deal},4H,N,10", f"1,closed,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> judged = session.judge(session.read("results.csv"))
        >>> [match.imps for match in session.matches(judged)]
        [(10.0, 0.0)]
    """
    met: dict[tuple[str, frozenset[str]], list[_Tables]] = defaultdict(list)
    order: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}
    for board in judged.session.boards:
        at_board: dict[tuple[str, frozenset[str]], _Tables] = defaultdict(list)
        for table in board.tables:
            teams = table.teams or _teams_of_room(table.room)
            if teams is None or teams[0] == teams[1]:
                continue
            key = ", ".join(filter(None, table.segment)), frozenset(teams)
            order.setdefault(key, teams)
            at_board[key].append((teams, table))
        for key, tables in at_board.items():
            met[key].append(tables)
    by_share = judged.session.scoring == MATCHPOINTS
    found = (_match(key[0], order[key], boards, by_share) for key, boards in met.items())
    return [match for match in found if match is not None]


_Tables = list[tuple[tuple[str, str], Table]]
"""The tables of a board with the teams that sat North-South and East-West."""


def _match(
    segment: str, teams: tuple[str, str], boards: Sequence[_Tables], by_share: bool
) -> Match | None:
    """Return the match of two teams; None where no board counts."""
    won, margins, carried, taken = np.zeros((4, 2))
    count = 0
    for tables in boards:
        for sat, table in tables:
            turn = 1 if sat == teams else -1
            before = np.array(table.carried[::turn])
            carried = np.where(np.abs(before) > np.abs(carried), before, carried)
            if not by_share:  # else penalties are percent of a board
                taken += table.penalties[::turn]
        own = _imps_of_teams(teams, tables)
        if own is not None:
            count += 1
            margins += own
            won += own if own.sum() else own.clip(0)
    if not count:
        return None
    won += carried - taken
    margins += carried - carried[::-1] - taken
    return Match(
        segment=segment,
        teams=teams,
        boards=count,
        imps=(float(won[0]), float(won[1])),
        victory_points=(
            victory_points(margins[0], count)[0],
            victory_points(margins[1], count)[0],
        ),
    )


def _imps_of_teams(teams: tuple[str, str], tables: _Tables) -> Floats | None:
    """Return (2,) what a board brings each of two teams; None where it does not count.

    An artificial score takes the place of the comparison, and brings each team its own IMPs: the
    mean of both where the scores of both tables are artificial.
    """
    known = [each for each in tables if each[1].score is not None or any(each[1].adjusted)]
    if len({sat[0] for sat, _ in known}) < len(known):
        return None
    if any(any(table.adjusted) for _, table in known):
        given = [[table.adjusted[sat.index(team)] for sat, table in known] for team in teams]
        own = [[score.imps for score in some if score and score.imps is not None] for some in given]
        return np.array([np.mean(some) if some else 0.0 for some in own]) if any(own) else None
    scores = {sat[0]: table.score for sat, table in known if table.score is not None}
    if len(scores) < 2:
        return None
    gain = float(imps(scores[teams[0]] - scores[teams[1]]))
    return np.array([gain, -gain])


def _teams_of_room(room: str | None) -> tuple[str, str] | None:
    if room not in ("open", "closed"):
        return None
    teams = "North–South of the open room", "East–West of the open room"
    return teams if room == "open" else teams[::-1]


# --- rows of pairs and players ---

_Who = tuple[str | None, tuple[str, ...], tuple[Seat, ...]]
"""Number, names and seats."""


def _seats_of_pairs(table: Table, side: int, fields: bool) -> Iterator[_Who]:
    """Yield the pair of a side, if it is known and does not sit against itself."""
    seats = (Seat(side), Seat(side + 2))
    names = tuple(name for seat in seats if (name := table.names[seat]))
    others = {table.names[Seat(1 - side)], table.names[Seat(3 - side)]}
    number = table.numbers[side]
    if number is not None:
        if fields:
            yield f"{number} {_DIRECTIONS[side]}", names, seats
        elif number != table.numbers[1 - side]:
            yield number, names, seats
    elif len(names) == 2 and {*names} != others:
        yield None, names, seats


def _seats_of_players(table: Table, side: int, fields: bool) -> Iterator[_Who]:
    """Yield the players of a side whose names are known and belong to only one seat."""
    for seat in (Seat(side), Seat(side + 2)):
        name = table.names[seat]
        if name and table.names.count(name) == 1:
            yield None, (name,), (seat,)


def _results(judged: Judged, seats_of: Callable[..., Iterator[_Who]]) -> list[PairResult]:
    fields = two_fields(board.tables for board in judged.session.boards)
    by_share = judged.session.scoring == MATCHPOINTS
    rows: dict[object, list[_Row]] = defaultdict(list)
    adjusted: dict[object, list[Adjusted]] = defaultdict(list)
    taken: dict[object, float] = defaultdict(float)
    called: dict[object, tuple[str | None, tuple[str, ...]]] = {}
    sat: dict[object, Counter[int]] = defaultdict(Counter)
    for board in judged.boards:
        for table in board.tables:
            for side in (0, 1):
                for number, names, seats in seats_of(table.table, side, fields):
                    key = number or frozenset(names)
                    if len(names) > len(called.setdefault(key, (number, names))[1]):
                        called[key] = number, names
                    sat[key][side] += 1
                    taken[key] += table.table.penalties[side]
                    if (given := table.table.adjusted[side]) is not None:
                        if by_share or given.imps is not None:
                            adjusted[key].append(given)
                    elif table.value is not None and not any(table.table.adjusted):
                        rows[key].append(_row(table, side, seats))
    apart = _apart(judged, sat.values())
    found = [
        replace(
            _result(*called[key], rows[key], adjusted[key], taken[key], by_share),
            direction=_DIRECTIONS[sat[key].most_common(1)[0][0]] if apart else None,
        )
        for key in called
        if rows[key] or adjusted[key]
    ]
    return sorted(found, key=lambda pair: -pair.score.value)


def _apart(judged: Judged, sat: Iterable[Counter[int]]) -> bool:
    """Return whether directions cannot be compared: most sit one way only, and in no team room."""
    tables = (table for board in judged.session.boards for table in board.tables)
    if any(table.teams or _teams_of_room(table.room) for table in tables):
        return False
    ways = [len(sides) for sides in sat]
    return 2 * ways.count(2) < len(ways)


def rankings(found: Sequence[PairResult]) -> list[tuple[str | None, list[tuple[int, PairResult]]]]:
    """Return each ranking: its direction, or None for all, and its pairs with their places.

    Pairs with the same score share a place.

    Args:
        found: The pairs, as from ``pairs``.

    Returns:
        One ranking; two if the directions are ranked separately, North-South first.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result,ns,ew"]
        >>> rows += [f"1,{deal},4H,N,10,1,2", f"1,{deal},3NT,S,8,3,4"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> found = session.pairs(session.judge(session.read("results.csv")))
        >>> [(way, [(n, p.number) for n, p in ranked]) for way, ranked in session.rankings(found)]
        [('NS', [(1, '1'), (2, '3')]), ('EW', [(1, '4'), (2, '2')])]
    """
    ways = [way for way in (None, *_DIRECTIONS) if any(pair.direction == way for pair in found)]
    return [(way, _placed([p for p in found if p.direction == way])) for way in ways]


def _placed(found: Sequence[PairResult]) -> list[tuple[int, PairResult]]:
    placed, place, before = list[tuple[int, PairResult]](), 0, None
    for number, pair in enumerate(found, start=1):
        score = round(pair.score.value, 6)
        place, before = (place if score == before else number), score
        placed.append((place, pair))
    return placed


def _row(table: JudgedTable, side: int, seats: tuple[Seat, ...]) -> _Row:
    """Return a table from the view of some players of a side."""
    assert table.value is not None
    sign, by = 1 - 2 * side, table.table.declarer
    parts, lost = dict.fromkeys(PARTS, 0.0), dict[str, int]()
    value = sign * table.value
    if table.parts is not None:
        parts["contract"] = sign * table.parts.contract
    if by is not None and by in seats:
        if table.parts is not None:
            parts["declarer"] = sign * (table.parts.declarer or 0.0)
        lost |= {"declarer": table.given["declarer"]} if "declarer" in table.given else {}
    elif by is not None and by.side != side:
        if by.lho in seats:
            if table.parts is not None:
                parts["lead"] = sign * (table.parts.lead or 0.0)
            lost |= {"lead": table.given["lead"]} if "lead" in table.given else {}
        parts["defence"] = sign * sum(table.defended.get(seat, 0.0) for seat in seats)
        if "defence" in table.given:
            own = sum(table.by_seat.get(seat, 0) for seat in seats)
            lost["defence"] = own - lost.get("lead", 0)
    parts["luck"] = value - sum(parts.values())
    return _Row(value, parts, "declarer" in table.given, lost)


def _result(
    number: str | None,
    names: tuple[str, ...],
    rows: Sequence[_Row],
    adjusted: Sequence[Adjusted],
    taken: float,
    by_share: bool,
) -> PairResult:
    boards = len(rows) + len(adjusted)
    values = np.array([row.value for row in rows])
    artificial = adjusted_values(values, adjusted, by_share)
    penalty = taken / 100 if by_share else taken
    none = np.zeros(len(adjusted))

    def total(played: Iterable[float], given: Floats, extra: float = 0.0) -> Total:
        each = np.concatenate([np.array(list(played)), given])
        return _total(each, extra, by_share)

    score = total(values, artificial, -penalty)
    if by_share:
        ends = score.interval
        score = Total(
            score.value + _EVEN, ends and (max(0.0, ends[0] + _EVEN), min(1.0, ends[1] + _EVEN))
        )
    lost: dict[str, int] = defaultdict(int)
    for row in rows:
        for role, tricks in row.lost.items():
            lost[role] += tricks
    return PairResult(
        number=number,
        names=names,
        boards=boards,
        recorded=sum(row.whole for row in rows),
        score=score,
        parts={
            name: total([row.parts[name] for row in rows], none)
            if name in ("contract", "luck", *lost)
            else Total(0.0, None)
            for name in PARTS
        },
        adjusted=total(0 * values, artificial, -penalty).value,
        lost=dict(lost),
    )


def adjusted_values(values: Floats, adjusted: Sequence[Adjusted], by_share: bool) -> Floats:
    """Return the value of artificial scores.

    Average plus is 60 %, or the pair's own percentage if higher; average minus is 40 %, or
    its own if lower (law 12C2).
    """
    if not by_share:
        return np.array([given.imps for given in adjusted], dtype=np.float64)
    own = float(values.mean()) if len(values) else 0.0
    bounds = {"A+": max, "A-": min}
    shares = [
        bounds[given.text](given.percent / 100 - _EVEN, own)
        if given.text in bounds
        else given.percent / 100 - _EVEN
        for given in adjusted
    ]
    return np.array(shares)


def _total(each: Floats, extra: float, by_share: bool) -> Total:
    """Return the sum or mean over boards, with its interval by Student's t."""
    n = len(each)
    scale = 1 / n if by_share else 1.0
    value = (float(each.sum()) + extra) * scale
    if n < 2:
        return Total(value, None)
    half = standard_errors(n - 1) * float(each.std(ddof=1)) * n**0.5 * scale
    return Total(value, (value - half, value + half))
