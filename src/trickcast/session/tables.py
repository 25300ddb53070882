"""The data of a session: boards, the tables that played them, and how their scores compare."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import Deal, Seat, Skipped, Vulnerability
from ..scoring import cross_imps, matchpoints

Floats = NDArray[np.float64]
IMPS, MATCHPOINTS = "imps", "matchpoints"

_PAIR_NUMBER = re.compile(r"([A-Za-z]{0,2}[ -]?|[0-9]{1,2}-)[0-9]+( NS| EW)?")
_AVERAGES = {50.0: 0.0, 60.0: 3.0, 40.0: -3.0}
"""IMPs of an artificial adjusted score by its percentage (law 86): average plus, 60 %, is 3."""


class Adjusted(NamedTuple):
    """An artificial adjusted score of one side: ``A``, ``A+``, ``A-``, or a percentage."""

    text: str
    percent: float

    @property
    def imps(self) -> float | None:
        """IMPs; None for percentages other than those of the averages."""
        return _AVERAGES.get(self.percent)


class Stated(NamedTuple):
    """The comparison that a file states for a table, for North-South and for East-West."""

    imps: tuple[float | None, float | None] = (None, None)
    matchpoints: tuple[float | None, float | None] = (None, None)
    percent: tuple[float | None, float | None] = (None, None)


NOTHING_STATED = Stated()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What happened at one table; None for unknown values."""

    place: str
    """The file and the record or row of this table."""
    vulnerability: Vulnerability
    room: str | None = None
    contract: str | None = None
    """``"4SX"``, or ``"PASS"``."""
    declarer: Seat | None = None
    lead: str | None = None
    tricks: int | None = None
    """Tricks that declarer took."""
    auction: tuple[str, ...] = ()
    play: tuple[str, ...] = ()
    """The cards in the order played."""
    score: int | None = None
    """North-South's score."""
    names: tuple[str | None, ...] = (None, None, None, None)
    """Names of North, East, South and West."""
    numbers: tuple[str | None, str | None] = (None, None)
    """Pair numbers of North-South and East-West, as the file writes them."""
    count: int = 1
    """Number of tables with exactly this result."""
    adjusted: tuple[Adjusted | None, Adjusted | None] = (None, None)
    penalties: tuple[float, float] = (0.0, 0.0)
    """Penalties from either side's total: percent of a board, or IMPs."""
    stated: Stated = NOTHING_STATED
    segment: tuple[str | None, ...] = ()
    """Event, stage, round and section."""
    teams: tuple[str, str] | None = None
    """Teams of North-South and of East-West."""
    carried: tuple[float, float] = (0.0, 0.0)
    """IMPs that these teams carry over from before."""


@dataclass(frozen=True, kw_only=True)
class SessionBoard:
    """A board, and every table that played it."""

    number: int | None
    deal: Deal | None
    """None if no file has the cards."""
    dealer: Seat
    vulnerability: Vulnerability
    tables: tuple[Table, ...]
    exact: NDArray[np.uint8] | None = None
    """(5, 4) exact tricks, if a file has them all."""

    @cached_property
    def scores(self) -> Floats:
        """(n,) North-South's scores; nan if there is none."""
        return np.array([np.nan if t.score is None else t.score for t in self.tables])

    @cached_property
    def others(self) -> list[Floats]:
        """The sorted scores that each table is compared with, one for each count."""
        count = np.array([table.count for table in self.tables])
        known = ~np.isnan(self.scores)
        everyone = np.sort(np.repeat(self.scores[known], count[known]))
        return [
            np.delete(everyone, np.searchsorted(everyone, score)) if there else everyone
            for score, there in zip(self.scores, known, strict=True)
        ]

    @cached_property
    def imps(self) -> Floats:
        """(n,) IMPs of North-South: the mean against each of the others; nan if there are none.

        Artificial scores count as in law 86.
        """
        return self._compared(cross_imps, [_imps_of(table) for table in self.tables])

    @cached_property
    def matchpoints(self) -> Floats:
        """(n,) shares of North-South, 0 to 1; nan if there is none."""
        shares = [None if (a := t.adjusted[0]) is None else a.percent / 100 for t in self.tables]
        return self._compared(matchpoints, shares)

    def _compared(self, compare: Any, given: list[float | None]) -> Floats:
        values = np.full(len(self.tables), np.nan)
        known = np.flatnonzero(~np.isnan(self.scores))
        count = np.array([self.tables[row].count for row in known], dtype=int)
        if count.sum() >= 2:
            first = np.cumsum(count) - count
            values[known] = compare(np.repeat(self.scores[known], count))[first]
        for row, value in enumerate(given):
            if value is not None:
                values[row] = value
        return values


def _imps_of(table: Table) -> float | None:
    return None if table.adjusted[0] is None else table.adjusted[0].imps


@dataclass(frozen=True, kw_only=True)
class Session:
    """Boards with all their tables, and the entries of the files that don't fit."""

    boards: tuple[SessionBoard, ...]
    skipped: tuple[Skipped, ...] = ()
    """Entries that cannot be read, or don't fit together: where, and why."""
    scoring: str = IMPS
    """``"imps"`` or ``"matchpoints"``: the unit that ranks pairs."""

    @property
    def tables(self) -> int:
        """Number of tables, each counted as many times as it stands for results."""
        return sum(table.count for board in self.boards for table in board.tables)

    def anonymous(self) -> "Session":
        """Return the session with the names of players, pairs and teams replaced.

        Numbers of pairs, such as 12, A5 or 1-5, stay.
        """
        known: dict[tuple[str, str], str] = {}

        def other(kind: str, name: str | None) -> str | None:
            if name is None or (kind == "Pair" and _PAIR_NUMBER.fullmatch(name)):
                return name
            count = sum(1 for said, _ in known if said == kind)
            return known.setdefault((kind, name), f"{kind} {count + 1}")

        boards = []
        for board in self.boards:
            tables = [
                replace(
                    table,
                    names=tuple(other("Player", name) for name in table.names),
                    numbers=(other("Pair", table.numbers[0]), other("Pair", table.numbers[1])),
                    teams=table.teams
                    and (str(other("Team", table.teams[0])), str(other("Team", table.teams[1]))),
                )
                for table in board.tables
            ]
            boards.append(replace(board, tables=tuple(tables)))
        skipped = []
        for each in self.skipped:
            reason = each.reason
            for (kind, name), new in known.items():
                if kind == "Pair":
                    reason = reason.replace(f"pair {name} ", f"{new.lower()} ")
            skipped.append(each._replace(reason=reason))
        return replace(self, boards=tuple(boards), skipped=tuple(skipped))


def two_fields(boards: Iterable[Sequence[Table]]) -> bool:
    """Return whether a number means two pairs, distinguished by their direction.

    This is so if most numbers sit both ways on one board, which no pair can play twice.
    """
    everyone, twice = set[str | None](), set[str | None]()
    for tables in boards:
        ns, ew = ({table.numbers[side] for table in tables} - {None} for side in (0, 1))
        everyone |= ns | ew
        twice |= ns & ew
    return 2 * len(twice) > len(everyone)
