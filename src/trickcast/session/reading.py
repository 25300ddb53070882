"""Read a session: every table of every board in some files, joined by deal."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    UNKNOWN,
    Board,
    Deal,
    DealSet,
    Seat,
    Skipped,
    Tag,
    Vulnerability,
    counted,
    shorten,
)
from ..cards.auction import strain_of
from ..formats import FormatError, iter_deals
from ..formats.board_text import tricks_of
from ..formats.format import Reading
from ..formats.score_table import SCORE_TABLE, known_text
from ..formats.streams import checked_stream, inner_suffix, opened
from ..scoring import Contract, score
from .result_rows import (
    MatchHeader,
    Row,
    contents,
    is_as_named,
    match_header,
    pair_names,
    room_of,
    score_table,
    scoring_said,
    stated_score,
    travellers,
)
from .tables import IMPS, MATCHPOINTS, Session, SessionBoard, Table, two_fields

_SEGMENT = ("Event", "Stage", "Round", "Section")
_POSSIBLE_SCORES = frozenset(
    sign * int(points)
    for level in range(1, 8)
    for strain in "SDN"
    for doubled in ("", "X", "XX")
    for vulnerable in (False, True)
    for points in score(f"{level}{strain}{doubled}", np.arange(14), vulnerable)
    for sign in (1, -1)
) | {0}
_CLOSE = 0.011
"""Files round to hundredths."""
_SHOWN = 8
_TOTALS = "TotalScoreTable"
"""PBN's tag with a ranking."""


def read(*files: str | os.PathLike[str] | BinaryIO, anonymous: bool = False) -> Session:
    """Read every table of every board in some files, joined by deal.

    Files hold deals with contracts and results in any format: rooms of a match in PBN or LIN, the
    ``ScoreTable`` of a club's PBN, results at the head of a LIN match. Travellers are CSV files
    with the columns ``board`` or ``deal``, ``contract``, ``declarer``, ``result`` and others. Those
    without deals are joined to the deals of the other files by board number.

    Anything that cannot be read or doesn't fit together is in ``skipped`` of the session, by file
    and board. A table with missing data is kept without it.

    Args:
        files: Paths, or binary streams opened for reading.
        anonymous: Whether to replace the names of players, teams and pairs.

    Returns:
        The Session.

    Raises:
        FormatError: A file cannot be read at all.
        OSError: A file cannot be opened.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result"]
        >>> rows += [f"1,{deal},4H,N,10", f"1,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> [table.score for table in session.read("results.csv").boards[0].tables]
        [420, -50]
    """
    reader = _Reader()
    for file in files:
        reader.add(file)
    session = reader.session()
    return session.anonymous() if anonymous else session


def joined(
    sets: Iterable[DealSet],
    name: str,
    travellers: Iterable[str | BinaryIO] = (),
    wanted: Callable[[int], bool] = lambda number: True,
) -> Session:
    """Return the session of boards that have already been read.

    Args:
        sets: DealSets with boards.
        name: Name of their file in messages.
        travellers: CSV files, or binary streams, of results of these boards. Results of other
            boards are left out and reported.
        wanted: Whether a board of a number is wanted. Results of those that are not are left out
            without a report.

    Returns:
        A Session, as from ``read``.

    Raises:
        FormatError: A file cannot be read.
        OSError: A file cannot be opened.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result"]
        >>> rows += [f"1,{deal},4H,N,10", f"1,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> len(session.joined([tc.read("results.csv")], "results.csv").boards)
        1
    """
    reader = _Reader(wanted)
    reader.add_sets(sets, name)
    for file in travellers:
        reader.add(file)
    session = reader.session()
    known = tuple(board for board in session.boards if board.deal is not None)
    left_out = without_cards(session, "left out")
    return replace(session, boards=known, skipped=(*session.skipped, *left_out))


def without_cards(session: Session, outcome: str) -> list[Skipped]:
    """Return a note on the boards of which no file has the cards: they are "only scored"."""
    unseen = {board.number or 0: board for board in session.boards if board.deal is None}
    if not unseen:
        return []
    they = "it is" if len(unseen) == 1 else "they are"
    place = _file_of(next(iter(unseen.values())).tables[0].place)
    return [Told(place, f"no file has the cards of {_boards_shown(unseen)}: {they} {outcome}")]


def _boards_shown(numbers: Collection[int]) -> str:
    """Return boards as text: ``board 3``, ``boards 1-8, 12``."""
    ranges = list[list[int]]()
    for number in sorted(numbers):
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    shown = ", ".join("-".join(map(str, ends)) for ends in ranges[:_SHOWN])
    shown += " …" * (len(ranges) > _SHOWN)
    return f"board{'s' * (len(numbers) > 1)} {shown}"


def _file_of(place: str) -> str:
    """Return the file of a row of travellers."""
    return place.rpartition(": line ")[0]


class Told(Skipped):
    """A mismatch at a table that still counts; commands call it a note."""

    __slots__ = ()

    @property
    def word(self) -> str:
        """The word that precedes it in the reports of commands."""
        return "note"


@dataclass
class _Joined:
    """A board while its tables are collected."""

    number: int | None
    deal: Deal | None
    dealer: Seat
    vulnerability: Vulnerability
    place: str
    segment: tuple[str | None, ...] = ()
    exact: NDArray[np.uint8] | None = None
    tables: list[Table] = field(default_factory=list)
    listed: list[int] = field(default_factory=list)
    """Indices of the tables that are rows of its ScoreTable."""
    matches: set[Any] = field(default_factory=set)
    """The matches whose first table has been met."""


class _Reader:
    def __init__(self, wanted: Callable[[int], bool] = lambda number: True) -> None:
        self._wanted = wanted
        """Whether travellers of a board's number count."""
        self._files: dict[str, str] = {}
        """The files as they were named, by their real paths."""
        self._of_several: dict[str, set[int]] = defaultdict(set)
        """The boards of travellers, by file, whose number is of several deals."""
        self._boards: dict[bytes | int, _Joined] = {}
        """By 52 owners, or by number if no file has the cards."""
        self._skipped: list[Skipped] = []
        self._rows: list[Row] = []
        """Travellers without a deal, joined once all files are read."""
        self._scorings: Counter[str] = Counter()
        self._not_supported: dict[str, str] = {}
        """Kinds of scoring that are not computed as named, with the place of the first."""
        self._tables_read: set[tuple[bytes, Any]] = set()
        self._pair_names: dict[str, set[tuple[str, str]]] = defaultdict(set)
        """The names that a TotalScoreTable has for the number of a pair."""
        self._totals_read: set[Tag] = set()
        self._records: dict[Any, str] = {}
        """The file with a record that names everybody."""
        self._silent: list[tuple[_Joined, str, dict[str, Any]]] = []
        """Records of a file that say nothing about the play."""
        self._with_results = False
        """Whether a record of the file has a result."""

    def add(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        """Read a file or a stream. Raises FormatError for a file that was read before."""
        if not isinstance(file, str | os.PathLike):
            name = "standard input"
            self._files[name] = name
            content = self._add_travellers(checked_stream(file), name, is_csv=False)
            if content is not None:
                self.add_sets(iter_deals(content, name=name, skipped=self._skipped), name)
            return
        path = os.fspath(file)
        whole = os.path.realpath(path)
        if whole in self._files:
            raise FormatError("given twice (expected once)", path)
        self._files[whole] = path
        if inner_suffix(path).lower() == ".csv":
            with Path(path).open("rb") as stream:
                if self._add_travellers(stream, path, is_csv=True) is None:
                    return
        self.add_sets(iter_deals(path, skipped=self._skipped), path)

    def _add_travellers(self, stream: BinaryIO, name: str, *, is_csv: bool) -> BinaryIO | None:
        """Read travellers; return all of the stream, unread, if it has something else."""
        reading = Reading(name, self._skipped)
        head, content, _ = opened(stream, reading, name if is_csv else "")
        if not contents(head, is_csv=is_csv).results:
            return content
        for traveller in travellers(head, content, reading):
            if traveller.number is None or self._wanted(traveller.number):
                self._add_row(traveller, name)
        return None

    def add_sets(self, sets: Iterable[DealSet], path: str) -> None:
        """Take the boards of a file that has already been read."""
        self._silent, self._with_results = [], False
        header: MatchHeader | None = None
        listed: dict[tuple[int, bytes], set[str]] = {}
        for chunk in sets:
            tricks = chunk.tricks_or_unknown
            boards = chunk.boards or [Board()] * len(chunk)
            for row, (owners, board) in enumerate(zip(chunk.owners, boards, strict=True)):
                if board.lin and (found := match_header(board.lin)):
                    header = found
                    self._tell_all(_place(path, board.number), found.wrong)
                room = self._add_record(path, owners, board, tricks[row], header)
                if header is not None and board.number is not None and room:
                    listed.setdefault((board.number, owners.tobytes()), set()).add(room)
        if header is not None:
            self._add_listed(path, header, listed)
        if self._with_results:  # otherwise it is a file of deals only
            for joined, place, facts in self._silent:
                self._add_table(joined, place, facts, [])

    def session(self) -> Session:
        """Return the session that was read."""
        for row in self._rows:
            self._add_table_of_number(row)
        self._tell_of_several()
        self._name_pairs()
        self._check_numbers()
        self._check_pairs()
        boards = [self._board(joined) for joined in self._boards.values()]
        if not boards:
            first = next(iter(self._skipped), Skipped(", ".join(self._files.values()), ""))
            more = f"{first.reason}; no board is left" if first.reason else "contains no boards"
            raise FormatError(f"{more} (expected deals or travellers)", first.place)
        scoring = self._scoring(boards)
        unit = "IMPs" if scoring == IMPS else scoring
        ranked = any(board.tables for board in boards)
        for text, place in self._not_supported.items() if ranked else ():
            self._tell(place, f"Scoring {shorten(text)} is not supported: ranked by {unit}")
        if scoring == IMPS:
            self._check_adjusted(boards)
        return Session(boards=tuple(boards), skipped=tuple(self._skipped), scoring=scoring)

    # --- records ---

    def _add_record(
        self,
        path: str,
        owners: NDArray[np.uint8],
        board: Board,
        tricks: NDArray[np.uint8],
        header: MatchHeader | None,
    ) -> str | None:
        """Add the record of a table, with the ScoreTable of its board; return its room."""
        joined = self._joined(path, owners, board)
        if joined.exact is None and (tricks != UNKNOWN).all():
            joined.exact = tricks
        place = _place(path, joined.number)
        room = room_of(board)
        facts = self._facts(place, joined, board, room, header)
        text = known_text(board.tag("Scoring") or (header and header.scoring))
        scoring = scoring_said(text)
        if text is not None and not (scoring and is_as_named(text)):
            self._not_supported.setdefault(text, place)
        team_match = IMPS if "teams" in facts or room in ("open", "closed") else ""
        self._scorings[scoring or team_match] += 1
        rows = list[Row]()
        for tag in board.tags:
            key = owners.tobytes(), tag
            if tag.name == SCORE_TABLE and key not in self._tables_read:
                self._tables_read.add(key)  # every table's record may repeat it
                rows += score_table(tag, place)
            if tag.name == _TOTALS and tag not in self._totals_read:
                self._totals_read.add(tag)
                wrong = list[str]()
                for number, names in pair_names(tag, wrong):
                    self._pair_names[number].add(names)
                self._tell_all(place, wrong)
        for row in rows:
            joined.listed.append(len(joined.tables))
            self._add_table(joined, row.place, row.values, row.wrong)
            self._scorings[row.scoring] += 1
        said = any(facts[name] is not None for name in ("contract", "tricks", "score"))
        self._with_results = self._with_results or said or bool(rows)
        if joined.listed and (not said or _filled(joined, facts)):
            return room
        if not said and not facts["play"] and not facts["auction"]:
            self._silent.append((joined, place, facts))
            return room
        if self._is_known_record(path, owners, board, facts):
            return room
        if joined.listed:
            self._tell(place, "the ScoreTable has no row for this record, so it was added")
        self._add_table(joined, place, facts, [])
        return room

    def _facts(
        self,
        place: str,
        joined: _Joined,
        board: Board,
        room: str | None,
        header: MatchHeader | None,
    ) -> dict[str, Any]:
        """Return what a record says about its table, as values of Table."""
        names = tuple(known_text(board.tag(seat.word)) for seat in Seat)
        facts: dict[str, Any] = {
            "room": room,
            "contract": board.contract,
            "declarer": board.declarer,
            "lead": board.play[0] if board.play else None,
            "tricks": _tricks(board, joined.deal) if board.result is None else board.result,
            "auction": board.auction,
            "play": board.play,
            "score": None,
            "names": names,
            "segment": tuple(known_text(board.tag(name)) for name in _SEGMENT),
        }
        try:
            facts["score"] = stated_score(board.tag("Score"))
        except ValueError as error:
            self._tell(place, str(error))
        home, visit = (known_text(board.tag(name)) for name in ("HomeTeam", "VisitTeam"))
        if home and visit:
            match = facts["segment"], home, visit, board.tag("Table")
            second = room == "closed" or (room != "open" and match in joined.matches)
            facts["teams"] = (visit, home) if second else (home, visit)
            joined.matches.add(match)
        if header is not None:
            facts |= _of_header(header, room)
            in_list = f"{place}, list of results"
            listed = self._listed(in_list, header, board.number, room or "open")
            said = listed.get("contract")
            if said is None or facts["contract"] in (None, said):
                for name, value in listed.items():
                    if facts.get(name) is None:
                        facts[name] = value
                    elif value not in (None, facts[name]):
                        self._tell(in_list, f"{name} {value}, but {facts[name]} in the record, "
                                   "which counts")  # fmt: skip
            else:
                self._tell(place, f"the list of results has {said}, the auction leads to "
                           f"{facts['contract']}, which counts")  # fmt: skip
        if room is None and (table := known_text(board.tag("Table"))):
            facts["room"] = table
        return facts

    def _listed(
        self, place: str, header: MatchHeader, number: int | None, room: str
    ) -> dict[str, Any]:
        """Return the entry of the list of results for a room, if any; report mismatches."""
        wrong = list[str]()
        listed = None if number is None else header.outcome(number, room, wrong)
        self._tell_all(place, wrong)
        return listed or {}

    def _is_known_record(
        self, path: str, owners: NDArray[np.uint8], board: Board, facts: dict[str, Any]
    ) -> bool:
        """Return whether another file has the same record of the same players; report it."""
        if None in facts["names"] or not (facts["play"] or facts["auction"]):
            return False
        names = ("room", "contract", "declarer", "tricks", "auction", "play", "names", "segment")
        key = owners.tobytes(), *(facts[name] for name in names)
        first = self._records.setdefault(key, path)
        if first != path:
            self._tell(_place(path, board.number), f"the same record is in {first} too; it counts "
                       "once")  # fmt: skip
        return first != path

    def _add_listed(
        self, path: str, header: MatchHeader, listed: dict[tuple[int, bytes], set[str]]
    ) -> None:
        """Add the tables that appear only in the list of results."""
        for (number, owners), rooms in listed.items():
            for room in {"open", "closed"} - rooms:
                place = f"{_place(path, number)}, list of results"
                if facts := self._listed(place, header, number, room):
                    facts |= {"room": room, **_of_header(header, room)}
                    self._add_table(self._boards[owners], place, facts, [])

    def _joined(self, path: str, owners: NDArray[np.uint8], board: Board) -> _Joined:
        """Return the board of a deal, started if it is new; report differences."""
        place = _place(path, board.number)
        known = board.completed()
        dealer, vulnerability = known.dealer, known.vulnerability
        key = owners.tobytes()
        joined = self._boards.get(key)
        if joined is None:
            if vulnerability is None:
                self._tell(place, "no vulnerability is given, so nobody counts as vulnerable")
            segment = tuple(known_text(board.tag(name)) for name in _SEGMENT)
            joined = _Joined(board.number, Deal.from_owners(owners), dealer or Seat.NORTH,
                             vulnerability or Vulnerability.NONE, path, segment)  # fmt: skip
            self._boards[key] = joined
            return joined
        if board.number not in (None, joined.number):
            if joined.number is None:
                joined.number = board.number
            else:
                self._tell(place, f"the same deal as board {joined.number} in {joined.place}: "
                           "their tables are compared")  # fmt: skip
        if board.vulnerability not in (None, joined.vulnerability):
            self._tell(place, f"vulnerable: {vulnerability}, but {joined.vulnerability} in "
                       f"{joined.place}; the first counts for all tables")  # fmt: skip
        if board.dealer not in (None, joined.dealer):
            self._tell(place, f"{board.dealer.word} deals, but {joined.dealer.word} in "
                       f"{joined.place}")  # fmt: skip
        return joined

    # --- travellers ---

    def _add_row(self, row: Row, path: str) -> None:
        self._scorings[row.scoring] += 1
        if row.deal is None:
            self._rows.append(row)
            return
        said = Board(number=row.number, dealer=row.dealer, vulnerability=row.vulnerability)
        joined = self._joined(path, np.array(row.deal.owners), said)
        self._add_table(joined, row.place, row.values, row.wrong)

    def _add_table_of_number(self, row: Row) -> None:
        """Add a traveller's row to the board of its number."""
        if row.number is None:
            self._tell_all(row.place, row.wrong)
            self._skip(row.place, "no deal and no board number")
            return
        found = [board for board in self._boards.values() if board.number == row.number]
        if len(found) > 1:
            self._of_several[_file_of(row.place)].add(row.number)
            return
        if not found:
            said = Board(number=row.number, dealer=row.dealer, vulnerability=row.vulnerability)
            known = said.completed()
            assert known.dealer is not None and known.vulnerability is not None
            joined = _Joined(row.number, None, known.dealer, known.vulnerability, row.place)
            self._boards[row.number] = joined
            found = [joined]
        elif row.vulnerability not in (None, found[0].vulnerability):
            self._tell(row.place, f"vulnerable: {row.vulnerability}, but "
                       f"{found[0].vulnerability} in {found[0].place}, which counts")  # fmt: skip
        if row.dealer not in (None, found[0].dealer):
            self._tell(row.place, f"{row.dealer.word} deals, but {found[0].dealer.word} in "
                       f"{found[0].place}")  # fmt: skip
        self._add_table(found[0], row.place, row.values, row.wrong)

    def _tell_of_several(self) -> None:
        """Report travellers of boards with several deals. Raises FormatError if no others count."""
        for path, numbers in self._of_several.items():
            have, their = ("has", "its") if len(numbers) == 1 else ("have", "their")
            reason = (
                f"{_boards_shown(numbers)} {have} several deals, so {their} results cannot "
                "be joined (expected the files of one session)"
            )
            if not any(joined.tables for joined in self._boards.values()):
                raise FormatError(reason, path)
            self._skip(path, reason)

    # --- tables ---

    def _add_table(
        self, joined: _Joined, place: str, facts: dict[str, Any], wrong: Iterable[str]
    ) -> None:
        """Add a table, with the score that its contract gives; report mismatches."""
        self._tell_all(place, wrong)
        table = Table(place=place, vulnerability=joined.vulnerability, **facts)
        points, reasons = _scored(table)
        tell = self._skip if points is None else self._tell
        for reason in reasons:
            tell(place, reason)
        self._tell_all(place, _of_pairs(table))
        joined.tables.append(replace(table, score=points))

    def _board(self, joined: _Joined) -> SessionBoard:
        """Return the board; report where the file compares its tables differently."""
        board = SessionBoard(
            number=joined.number,
            deal=joined.deal,
            dealer=joined.dealer,
            vulnerability=joined.vulnerability,
            tables=tuple(joined.tables),
            exact=joined.exact,
        )
        place = joined.place if joined.number is None else f"board {joined.number}"
        off = [t.place for t, ours in zip(board.tables, board.imps, strict=True)
               if _is_off(t.stated.imps, ours)]  # fmt: skip
        if off:
            self._tell(off[0], f"{counted(len(off), 'table')} of {place} with other IMPs than the "
                       "mean against each other table (a datum?); ours count")  # fmt: skip
        off = [t.place for t, ours in zip(board.tables, board.matchpoints, strict=True)
               if _is_off(t.stated.percent, 100 * ours, 100)]  # fmt: skip
        if off:
            self._tell(off[0], f"{counted(len(off), 'table')} of {place} with another percentage "
                       "than the share of scores beaten; ours count")  # fmt: skip
        return board

    def _name_pairs(self) -> None:
        """Name the players of tables by the numbers of their pairs, where a number is one pair."""
        boards = [joined.tables for joined in self._boards.values()]
        if not self._pair_names or two_fields(boards):
            return
        for tables in boards:
            for row, table in enumerate(tables):
                ns, ew = (self._pair_names.get(number or "", set()) for number in table.numbers)
                (north, south), (east, west) = (
                    next(iter(found)) if len(found) == 1 else (None, None) for found in (ns, ew)
                )
                found = zip(table.names, (north, east, south, west), strict=True)
                names = tuple(own or listed for own, listed in found)
                tables[row] = replace(table, names=names)

    def _check_numbers(self) -> None:
        """Report boards of one event and number whose deals differ."""
        same: dict[Any, list[_Joined]] = defaultdict(list)
        for joined in self._boards.values():
            if joined.number is not None and joined.deal is not None:
                same[joined.number, joined.segment].append(joined)
        apart: dict[tuple[str, Any], list[int]] = defaultdict(list)
        for (number, segment), boards in same.items():
            first, *others = boards
            for other in others:
                if turn := _turn(first, other):
                    self._tell(_place(other.place, number), f"the deal of board {number} in "
                               f"{first.place}, turned by {90 * turn}°: their tables are not "
                               "compared")  # fmt: skip
                else:
                    apart[other.place, segment].append(number)
        for (place, _), numbers in apart.items():
            listed = sorted({*numbers})
            shown = ", ".join(map(str, listed[:_SHOWN])) + " …" * (len(listed) > _SHOWN)
            self._tell(place, f"{counted(len(numbers), 'deal')} with the number of another: "
                       f"{shown}; they are kept apart")  # fmt: skip

    def _check_pairs(self) -> None:
        """Report repeated rows, and pairs that sit against themselves or play a board twice."""
        boards = [joined.tables for joined in self._boards.values()]
        fields = two_fields(boards)
        for tables in boards:
            met, rows = dict[str, str](), dict[Any, str]()
            for table in tables:
                ns, ew = table.numbers
                result = table.contract, table.declarer, table.tricks, table.score, table.adjusted
                first = rows.setdefault((table.numbers, result), table.place)
                if None not in table.numbers and first != table.place:
                    self._tell(table.place, f"the same pairs and result as {first}; both count")
                    continue
                if fields:
                    continue
                if ns is not None and ns == ew:
                    self._tell(table.place, f"pair {ns} plays against itself: it is not counted")
                    continue
                for number in filter(None, (ns, ew)):
                    if number in met:
                        self._tell(table.place, f"pair {number} played this board before: "
                                   f"{met[number]}; both count")  # fmt: skip
                    met.setdefault(number, table.place)

    def _check_adjusted(self, boards: Iterable[SessionBoard]) -> None:
        """Tell of percentages that have no IMPs."""
        for table in (table for board in boards for table in board.tables):
            for side, given in zip(("North-South", "East-West"), table.adjusted, strict=True):
                if given is not None and given.imps is None:
                    self._skip(table.place, f"{given.text} has no IMPs, so {side}'s board does not "
                               "count (expected A+, A or A-, or 60, 50 or 40 %)")  # fmt: skip

    def _tell_all(self, place: str, reasons: Iterable[str]) -> None:
        for reason in reasons:
            self._tell(place, reason)

    def _skip(self, place: str, reason: str) -> None:
        self._skipped.append(Skipped(place, reason))

    def _tell(self, place: str, reason: str) -> None:
        self._skipped.append(Told(place, reason))

    def _scoring(self, boards: list[SessionBoard]) -> str:
        """Return the unit that ranks pairs: as the files say, else by the number of tables."""
        said = {name: count for name, count in self._scorings.items() if name}
        if said:
            return max(said, key=lambda name: said[name])
        most = max(sum(table.count for table in board.tables) for board in boards)
        return IMPS if most <= 2 else MATCHPOINTS


def _tricks(board: Board, deal: Deal | None) -> int | None:
    """Return the tricks that a complete play shows; None if it is incomplete."""
    strain = strain_of(board.contract)
    if strain is None or board.declarer is None or deal is None:
        return None
    return tricks_of(board.play, board.declarer, strain, deal.owner_bytes)


def _place(path: str, number: int | None) -> str:
    return path if number is None else f"{path}: board {number}"


def _of_header(header: MatchHeader, room: str | None) -> dict[str, Any]:
    """Return a match heading's facts for a room: team 1 is N-S in the open room."""
    turn = -1 if room == "closed" else 1
    facts: dict[str, Any] = {"segment": (header.title or None, None, None, None)}
    if all(header.teams):
        facts |= {"teams": header.teams[::turn], "carried": header.carried[::turn]}
    return facts


def _filled(joined: _Joined, facts: dict[str, Any]) -> bool:
    """Add what a record says to its row of the ScoreTable; return whether it has one.

    A record that is met again, or only repeats its result, adds nothing.
    """
    tells = {name: facts[name] for name in ("play", "auction") if facts[name]}
    alike = [i for i in joined.listed if _is_row_of(facts, joined.tables[i])]
    told = [(joined.tables[i].play, joined.tables[i].auction) for i in alike]
    if not tells or (facts["play"], facts["auction"]) in told:
        return bool(alike)
    for index in alike:
        table = joined.tables[index]
        if table.play or table.auction:
            continue
        if table.count > 1:
            joined.listed.append(len(joined.tables))
            joined.tables.append(replace(table, count=table.count - 1))
        names = tuple(own or other for own, other in zip(facts["names"], table.names, strict=True))
        lead = table.lead or facts["lead"]
        joined.tables[index] = replace(table, count=1, names=names, lead=lead, **tells)
        return True
    return False


def _is_row_of(facts: dict[str, Any], row: Table) -> bool:
    """Return whether a row may be a record's table: same contract, declarer, tricks and lead."""
    if facts["contract"] is None or facts["contract"] != row.contract:
        return False
    pairs = [(facts[name], getattr(row, name)) for name in ("declarer", "tricks", "lead")]
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def _scored(table: Table) -> tuple[int | None, list[str]]:
    """Return the score of a table, and what is wrong with the file's data about it."""
    said, points = table.score, None
    contract, declarer, tricks = table.contract, table.declarer, table.tricks
    if contract == "PASS":
        points = 0
    elif contract is not None and declarer is not None and tricks is not None:
        vulnerable = bool(table.vulnerability >> declarer.side & 1)
        points = int(score(contract, tricks, vulnerable)) * (1 if declarer.side == 0 else -1)
    if any(table.adjusted):
        return None, []
    if points is not None:
        if said not in (None, points):
            bid = Contract(str(contract))
            return points, [
                f"score {said} where {bid}, {tricks} tricks, should be {points}, which counts"
            ]
        return points, []
    missing = [
        name
        for name, value in (("contract", contract), ("declarer", declarer), ("result", tricks))
        if value is None
    ]
    if said in _POSSIBLE_SCORES and len(missing) == 3:  # the file gives only scores
        return said, []
    without = f"without {' and '.join(', '.join(missing).rsplit(', ', 1))}"
    if said is None:
        return None, [f"{without}: the table has no score"]
    if said not in _POSSIBLE_SCORES:
        return None, [f"score {said}, which no contract gives, {without}: the table has no score"]
    return said, [f"{without}: the score {said} counts"]


def _of_pairs(table: Table) -> list[str]:
    """Return what is wrong with a table's players and percentages."""
    wrong = []
    north, east, south, west = table.names
    if None not in table.names and {north, south} == {east, west}:
        wrong.append("a pair plays against itself: it is not counted")
    ns, ew = table.stated.percent
    both = None not in (ns, ew) and not any(table.adjusted)
    if both and abs((ns or 0) + (ew or 0) - 100) > 2 * _CLOSE:
        wrong.append(f"percentages {ns:g} and {ew:g} do not add up to 100")
    sides = ("North-South", "East-West")
    for (side, given), (other, own) in permutations(zip(sides, table.adjusted, strict=True)):
        if given is not None and own is None:
            wrong.append(f"an adjusted score only for {side}; {other}'s board does not count")
    return wrong


def _is_off(stated: tuple[float | None, float | None], ours: float, total: float = 0) -> bool:
    """Return whether a file states a different value for North-South, or for East-West."""
    values = (ours, total - ours)
    return any(
        said is not None and not np.isnan(value) and abs(said - value) > _CLOSE
        for said, value in zip(stated, values, strict=True)
    )


def _turn(first: _Joined, other: _Joined) -> int:
    """Return by how many seats one deal is rotated against another; 0 if it is not."""
    assert first.deal is not None and other.deal is not None
    owners, turned = (np.array(board.deal.owners) for board in (first, other) if board.deal)
    return next((k for k in (1, 2, 3) if ((owners + k) % 4 == turned).all()), 0)
