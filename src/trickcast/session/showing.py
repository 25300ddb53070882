"""Show a judged session as JSON, as CSV, and as lines for a terminal.

Rounded parts still add up: the rounding error is assigned to luck.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from ..cards import PRINTED_STRAINS, Seat, counted
from ..played import norms
from ..played.norms import ROLES
from ..scoring import Contract
from .columns import WIDTH, columns, paragraph
from .judging import Judged, JudgedBoard, JudgedTable, ScoreParts
from .ranking import PARTS, Match, PairResult, adjusted_values, matches, pairs, players, rankings
from .tables import MATCHPOINTS, Table

_EVEN = 0.5
_FEW = 2
"""Most tables of a board that are listed individually; beyond that, contracts are counted."""
_MINUS = "−"
_LUCK = "Where no play is recorded, luck includes the play."
_CARRIED = "Victory points count IMPs carried over, but not the boards that these come from."
_SHED_OF_BOARD, _SHED_OF_PAIR = (9, 8, 5), (4, 3)
"""Columns of the sheets that are dropped if there is no room, in this order."""
_WAYS: dict[str | None, str] = {"NS": "North–South", "EW": "East–West"}
"""Headings of the rankings of one direction."""


def as_json(judged: Judged) -> dict[str, Any]:
    """Return everything about a judged session as plain values; unknown values are None.

    Scores, IMPs, ``matchpoints`` (0 to 1), ``expected`` scores and ``parts`` (points) of tables are
    North-South's. Those of pairs are their own.

    Args:
        judged: The judged session.

    Returns:
        ``scoring``, ``boards``, ``pairs``, ``players``, ``matches`` and ``skipped``.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result"]
        >>> rows += [f"1,{deal},4H,N,10", f"1,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> content = session.as_json(session.judge(session.read("results.csv")))
        >>> content["boards"][0]["par"], content["boards"][0]["tables"][0]["imps"]
        (420, 10.0)
    """
    digits = 4 if judged.session.scoring == MATCHPOINTS else 2
    return {
        "scoring": judged.session.scoring,
        "boards": [_board_json(board) for board in judged.boards],
        "pairs": [_pair_json(judged, pair, digits) for pair in pairs(judged)],
        "players": [_pair_json(judged, player, digits) for player in players(judged)],
        "matches": [_match_json(match) for match in matches(judged)],
        "skipped": [entry._asdict() for entry in judged.skipped],
    }


def _board_json(judged: JudgedBoard) -> dict[str, Any]:
    board, best = judged.board, judged.par
    return {
        "number": board.number,
        "deal": None if board.deal is None else board.deal.pbn,
        "dealer": board.dealer.letter,
        "vulnerable": str(board.vulnerability),
        "par": None if best is None else best.score,
        "par_contracts": None if best is None else [str(each) for each in best.contracts],
        "field": _rounded(judged.field, 2),
        "tables": [_table_json(table) for table in judged.tables],
    }


def _table_json(judged: JudgedTable) -> dict[str, Any]:
    table = judged.table
    content: dict[str, Any] = {
        "room": table.room,
        "contract": table.contract,
        "declarer": None if table.declarer is None else table.declarer.letter,
        "lead": table.lead,
        "tricks": table.tricks,
        "score": table.score,
        "imps": _rounded(judged.imps, 4),
        "matchpoints": _rounded(judged.matchpoints, 4),
        "expected": _rounded(judged.expected, 2),
        "making": _rounded(judged.making, 4),
        "count": table.count,
        "pairs": list(table.numbers),
        "names": list(table.names),
        "adjusted": [given and given.text for given in table.adjusted],
        "penalties": list(table.penalties),
        "lost": judged.given or None,
        "parts": None,
    }
    if judged.points is not None:
        parts = _of_parts(judged.points)
        content["parts"] = adding_up(parts, judged.points.swing, 2)
    return content


def _of_parts(parts: ScoreParts) -> dict[str, float | None]:
    return {name: getattr(parts, name) for name in PARTS}


def _pair_json(judged: Judged, pair: PairResult, digits: int) -> dict[str, Any]:
    totals = {"score": pair.score} | pair.parts
    even = _EVEN if judged.session.scoring == MATCHPOINTS else 0.0
    score, adjusted = round(pair.score.value, digits), round(pair.adjusted, digits)
    values = {name: total.value for name, total in pair.parts.items()}
    return {
        "number": pair.number,
        "names": list(pair.names),
        "boards": pair.boards,
        "recorded": pair.recorded,
        "score": score,
        **adding_up(values, score - even - adjusted, digits),
        "adjusted": adjusted,
        "intervals": {
            name: None if total.interval is None else [round(end, digits) for end in total.interval]
            for name, total in totals.items()
        },
        "lost": pair.lost,
        "direction": pair.direction,
    }


def _match_json(match: Match) -> dict[str, Any]:
    return {
        "segment": match.segment,
        "teams": list(match.teams),
        "boards": match.boards,
        "imps": list(match.imps),
        "victory_points": list(match.victory_points),
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None or value != value else round(value, digits)


def adding_up(
    parts: dict[str, float | None] | dict[str, float], total: float, digits: int
) -> dict[str, float | None]:
    """Return rounded parts that sum to the rounded total."""
    shown = {name: _rounded(value, digits) for name, value in parts.items()}
    known = sum(value or 0.0 for name, value in shown.items() if name != "luck")
    return shown | {"luck": round(round(total, digits) - known, digits)}


CSV_COLUMNS = (
    "board", "deal", "dealer", "vulnerable", "par", "room", "ns", "ew", "north", "east", "south",
    "west", "contract", "declarer", "lead", "tricks", "count", "score", "imps", "matchpoints",
    "expected", "making", *(f"{name}_part" for name in PARTS), "adjusted_ns", "adjusted_ew",
    "penalty_ns", "penalty_ew",
)  # fmt: skip


def as_csv(judged: Judged) -> str:
    """Return a judged session as CSV, with a line for each table.

    Args:
        judged: The judged session.

    Returns:
        CSV with a header.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result"]
        >>> rows += [f"1,{deal},4H,N,10", f"1,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> len(session.as_csv(session.judge(session.read("results.csv"))).splitlines())
        3
    """
    text = io.StringIO()
    table_of = csv.DictWriter(text, CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    table_of.writeheader()
    for board in as_json(judged)["boards"]:
        for table in board["tables"]:
            row = {"board": board["number"]} | board | table
            row |= zip(("ns", "ew"), table["pairs"], strict=True)
            row |= zip(("north", "east", "south", "west"), table["names"], strict=True)
            row |= zip(("adjusted_ns", "adjusted_ew"), table["adjusted"], strict=True)
            row |= zip(("penalty_ns", "penalty_ew"), table["penalties"], strict=True)
            row |= {f"{name}_part": value for name, value in (table["parts"] or {}).items()}
            table_of.writerow(row)
    return text.getvalue()


# --- lines for a terminal ---


def overview(judged: Judged, width: int = WIDTH) -> str:
    """Return a session's overview: its boards, matches and ranking.

    Args:
        judged: The judged session.
        width: Characters of a line.

    Returns:
        Text.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result,ns,ew"]
        >>> rows += [f"1,{deal},4H,N,10,1,2", f"1,{deal},3NT,S,8,3,4"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> session.overview(session.judge(session.read("results.csv"))).split()[0]
        'Board'
    """
    if not any(board.tables for board in judged.boards):
        return "No board has a contract or a result, so there is nothing to judge."
    parts = [_boards(judged, width), _ranking(judged, width), _matches(judged, width)]
    scored = [
        sum(t.table.count for t in board.tables if t.table.score is not None)
        for board in judged.boards
    ]
    if max(scored) == 1:
        parts.append("Each board was played at one table, so there is nothing to compare.")
    return "\n\n".join(filter(None, parts))


def _boards(judged: Judged, width: int) -> str:
    rows = [["Board", "", "Contract", "Lead", "Tricks", "Score", _unit(judged), "Expected"]]
    for board in judged.boards:
        name = "" if board.board.number is None else str(board.board.number)
        best = "" if board.par is None else f"par {signed(board.par.score)}"
        if sum(t.table.count for t in board.tables) > _FEW:
            rows.append([name, best, *_commonest(board)])
            continue
        for table in board.tables:
            rows.append([name, table.table.room or best, *_cells(judged, table)])
            name = ""
    return columns(rows, right=(0, 4, 5, 6, 7), width=width, wraps=(1,))


def _commonest(board: JudgedBoard) -> list[str]:
    """Return what most tables of a board played."""
    contracts = Counter[str]()
    leads = Counter[str]()
    for judged in board.tables:
        table = judged.table
        if table.contract is not None:
            contracts[_contract(table)] += table.count
        if table.lead is not None:
            leads[table.lead] += table.count
    often = [f"{bid} at {count} of {contracts.total()}" for bid, count in contracts.most_common(1)]
    if len(contracts) == contracts.total() > 1:
        often = [f"{len(contracts)} different"]
    lead = [card for card, _ in leads.most_common(1)]
    return ["".join(often), "".join(lead), "", "", "", signed(board.field)]


def _cells(judged: Judged, table: JudgedTable) -> list[str]:
    said = table.table
    return [
        _contract(said),
        said.lead or "",
        "" if said.tricks is None else str(said.tricks),
        signed(said.score) if said.adjusted == (None, None) else _adjusted(said),
        _compared(judged, table),
        signed(table.expected),
    ]


def _adjusted(table: Table) -> str:
    return "/".join("–" if given is None else given.text for given in table.adjusted)


def _unit(judged: Judged) -> str:
    return "MP %" if judged.session.scoring == MATCHPOINTS else "IMPs"


def _compared(judged: Judged, table: JudgedTable) -> str:
    if judged.session.scoring == MATCHPOINTS:
        return "" if table.matchpoints is None else f"{100 * table.matchpoints:.1f}"
    return signed(table.imps, 1)


def _ranking(judged: Judged, width: int) -> str:
    found = pairs(judged)
    tables = []
    for direction, ranked in rankings(found):
        rows = [_head(judged, _WAYS.get(direction, "Pair"))]
        rows += [[f"{place}.", *_of_pair(judged, pair)] for place, pair in ranked]
        right = (0, *range(2, len(rows[0])))
        tables.append(columns(rows, right=right, width=width, wraps=(1,)))
    if not found:
        return ""
    note = _note(judged, found)
    tables[-1] += f"\n{paragraph(note, width)}" * bool(note)
    return "\n\n".join(tables)


def _head(judged: Judged, who: str) -> list[str]:
    parts = ["Contract", "Lead", "Defence", "Declarer", "Luck", "Adjusted"]
    return ["", who, "Boards", _unit(judged), *parts * _is_judged(judged)]


def _is_judged(judged: Judged) -> bool:
    return any(board.exact is not None for board in judged.boards)


def _of_pair(judged: Judged, pair: PairResult) -> list[str]:
    scale = 100 if judged.session.scoring == MATCHPOINTS else 1
    score = f"{scale * pair.score.value:.1f}" if scale > 1 else signed(pair.score.value, 1)
    names = [pair.label] + [f"({' – '.join(pair.names)})"] * bool(pair.number and pair.names)
    cells = [" ".join(names), str(pair.boards), score]
    if _is_judged(judged):
        cells += _parts_of(judged, pair).values()
        cells += [signed(scale * pair.adjusted, 1)] * bool(pair.adjusted)
    return cells


def _parts_of(judged: Judged, pair: PairResult) -> dict[str, str]:
    """Return a pair's parts as shown: they add up, and are blank if nothing is known."""
    by_share = judged.session.scoring == MATCHPOINTS
    scale, even = (100, _EVEN) if by_share else (1, 0.0)
    values = {name: scale * each.value for name, each in pair.parts.items()}
    shown = adding_up(values, scale * (pair.score.value - even - pair.adjusted), 1)
    return {name: signed(part, 1) if name in pair.known else "" for name, part in shown.items()}


def _note(judged: Judged, found: Sequence[PairResult]) -> str:
    """Return how far the totals can be trusted."""
    boards = max(pair.boards for pair in found)
    ends = [pair.score.interval for pair in found if pair.score.interval]
    if not ends or not _is_judged(judged):
        return ""
    half = sum((high - low) / 2 for low, high in ends) / len(ends)
    reach = f"{100 * half:.0f} %" if judged.session.scoring == MATCHPOINTS else f"{half:.0f} IMPs"
    recorded = sum(pair.recorded for pair in found) < sum(pair.boards for pair in found)
    luck = f"{_LUCK} " if recorded else ""
    return (
        f"{luck}95 % intervals reach ±{reach} on average over {counted(boards, 'board')}"
        " (--pair shows those of a pair)."
    )


def _matches(judged: Judged, width: int) -> str:
    parts = []
    for segment, played in groupby(matches(judged), key=lambda match: match.segment):
        rows = [["Match", "IMPs", "VP"]]
        rows += [
            [
                " – ".join(match.teams),
                " : ".join(f"{imps:g}".replace("-", _MINUS) for imps in match.imps),
                " : ".join(f"{points:.2f}" for points in match.victory_points),
            ]
            for match in played
        ]
        heading = f"{paragraph(segment, width)}\n" if segment else ""
        parts.append(heading + columns(rows, right=(1, 2), width=width, wraps=(0,)))
    if parts and (note := note_on_matches(judged)):
        parts.append(paragraph(note, width))
    return "\n\n".join(parts)


def note_on_matches(judged: Judged) -> str:
    """Return what victory points do not allow for; empty if there is nothing."""
    carried = any(any(table.carried) for board in judged.session.boards for table in board.tables)
    return _CARRIED if carried else ""


def board_sheet(judged: Judged, board: JudgedBoard, width: int = WIDTH) -> str:
    """Return the sheet of a board: its deal, par, tables and what each was worth.

    Args:
        judged: The judged session.
        board: One of its boards.
        width: Characters of a line.

    Returns:
        Text.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result"]
        >>> rows += [f"1,{deal},4H,N,10", f"1,{deal},3NT,S,8"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> judged = session.judge(session.read("results.csv"))
        >>> print(session.board_sheet(judged, judged.boards[0])[:35])
        Board 1: North deals, vulnerable: n
    """
    said = board.board
    name = "Board" if said.number is None else f"Board {said.number}"
    lines = [f"{name}: {said.dealer.word} deals, vulnerable: {said.vulnerability}"]
    if said.deal is not None:
        lines += [str(said.deal)]
    if board.exact is not None:
        exact = board.exact
        rows = [["", *(strain.symbol for strain in PRINTED_STRAINS)]]
        rows += [
            [seat.letter, *(str(exact[strain, seat]) for strain in PRINTED_STRAINS)]
            for seat in Seat
        ]
        lines += [columns(rows, right=range(1, 6), width=width)]
        lines += [paragraph(f"Par {board.par}", width)]
    if board.field is not None:
        lines.append(f"Field {signed(board.field)}: the mean of what its contracts are worth")
    ordered = sorted(board.tables, key=lambda table: -(table.table.score or 0))
    rows = [["", "NS", "EW", "Contract", "Lead", "Tricks", "Score", _unit(judged), "Expected",
             "Makes", "Contract", "Play", "Luck", "Given away"]]  # fmt: skip
    rows += [
        [
            "" if table.table.count == 1 else f"{table.table.count}×",
            *_who(table.table),
            *_cells(judged, table),
            "" if table.making is None else f"{table.making:.0%}",
            *_three_parts(table.points),
            ", ".join(f"{role} {n}" for role, n in table.given.items() if n),
        ]
        for table in ordered
    ]
    lines.append(
        columns(
            rows, right=(0, *range(5, 13)), width=width, wraps=(1, 2, 6, 13), sheds=_SHED_OF_BOARD
        )
    )
    if any(table.points is not None for table in ordered):
        words = f"Contract + play + luck = score − field. {_LUCK}"
        lines.append(paragraph(words, width))
    return "\n\n".join(lines)


def _who(table: Table) -> tuple[str, str]:
    """Return the names of North-South and East-West, or the room."""
    sides = []
    for side, number in enumerate(table.numbers):
        names = [name for name in (table.names[side], table.names[side + 2]) if name]
        sides.append(number or " – ".join(names))
    if not any(sides):
        sides[0] = table.room or ""
    return sides[0], sides[1]


def _three_parts(parts: ScoreParts | None) -> list[str]:
    if parts is None:
        return ["", "", ""]
    played = parts.lead is not None
    values = {"contract": parts.contract, "play": parts.play if played else None, "luck": 0.0}
    return [signed(value) for value in adding_up(values, parts.swing, 0).values()]


def pair_sheet(judged: Judged, pair: PairResult, width: int = WIDTH) -> str:
    """Return a pair's own sheet: its boards, its totals with intervals, what it gave away.

    Args:
        judged: The judged session.
        pair: One of its pairs, as from ``pairs``.
        width: Characters of a line.

    Returns:
        Text.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result,ns,ew"]
        >>> rows += [f"1,{deal},4H,N,10,1,2", f"1,{deal},3NT,S,8,3,4"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> judged = session.judge(session.read("results.csv"))
        >>> session.pair_sheet(judged, session.pairs(judged)[0]).splitlines()[0]
        '1: 1 board'
    """
    scale = 100 if judged.session.scoring == MATCHPOINTS else 1
    own = {PARTS[0]: "Contract", **{role: role.capitalize() for role in ROLES}, "luck": "Luck"}
    rows = [["Board", "", "Contract", "Lead", "Tricks", "Score", _unit(judged), *own.values()]]
    is_judged = _is_judged(judged)
    for board, table, result, won in _own_boards(judged, pair):
        parts = _parts_of(judged, result) if is_judged else {}
        value = scale * won
        side = _side_of(pair, table.table)
        cells = _cells(judged, table)[:4]
        if table.table.score is not None:
            cells[3] = signed(table.table.score * (1 - 2 * side))
        rows.append(
            ["" if board.board.number is None else str(board.board.number), ("N–S", "E–W")[side],
             *cells, f"{value:.1f}" if scale > 1 else signed(value, 1),
             *parts.values()]
        )  # fmt: skip
    lines = [f"{' '.join(_of_pair(judged, pair)[:1])}: {counted(pair.boards, 'board')}"]
    lines.append(columns(rows, right=(0, *range(4, 12)), width=width, sheds=_SHED_OF_PAIR))
    totals = [["", _unit(judged), "95 % interval"]]
    shares = _parts_of(judged, pair) if is_judged else {}
    for name, sums in {"score": pair.score, **pair.parts}.items():
        if name != "score" and not shares.get(name):
            continue
        shown = _unsigned if (name, scale) == ("score", 100) else signed
        ends = [shown(scale * end, 1) for end in sums.interval or ()]
        total = shares.get(name) or shown(scale * sums.value, 1)
        totals.append([name.capitalize(), total, " to ".join(ends)])
    if pair.adjusted:
        totals.append(["Adjusted scores, penalties", signed(scale * pair.adjusted, 1), ""])
    lines.append(columns(totals, right=(1,), width=width))
    alone = [player for player in players(judged) if player.names[0] in pair.names]
    if alone and pair.lost:
        rows = [["Player", "Boards", *own.values()]]
        rows += [_of_player(judged, player, scale) for player in alone]
        lines.append(columns(rows, right=range(1, 7), width=width, wraps=range(7)))
    if pair.recorded:
        lost = [
            f"{role} {pair.lost.get(role, 0)} (champions: {norms()[role].mean:.2f} a board)"
            for role in ROLES
        ]
        lines.append(paragraph(f"Tricks given away: {', '.join(lost)}", width))
    if is_judged:
        luck = "Luck is the rest: the cards, the opponents' plays, what other tables did"
        more = "." if pair.recorded == pair.boards else "; and your play where it is not recorded."
        lines.append(paragraph(luck + more, width))
    return "\n\n".join(lines)


def _of_player(judged: Judged, player: PairResult, scale: int) -> list[str]:
    """Return a player's parts over all boards, with any partner, each with its interval."""
    cells = [player.names[0], str(player.boards)]
    for name, shown in _parts_of(judged, player).items():
        ends = player.parts[name].interval
        reach = f" ±{scale * (ends[1] - ends[0]) / 2:.1f}" if ends and shown else ""
        cells.append(f"{shown}{reach}")
    return cells


def _own_boards(
    judged: Judged, pair: PairResult
) -> Iterator[tuple[JudgedBoard, JudgedTable, PairResult, float]]:
    """Yield the boards of a pair, its result on each alone, and what it counts among them all.

    The two differ for average plus and average minus, which depend on the other boards.
    """
    found = [*_boards_alone(judged, pair)]
    by_share = judged.session.scoring == MATCHPOINTS
    given = [table.table.adjusted[_side_of(pair, table.table)] for _, table, _ in found]
    values = np.array(
        [
            result.score.value - result.adjusted - _EVEN
            for (*_, result), adjusted in zip(found, given, strict=True)
            if adjusted is None
        ]
    )
    for (board, table, result), adjusted in zip(found, given, strict=True):
        won = result.score.value
        if by_share and adjusted is not None:
            among, alone = (adjusted_values(v, [adjusted], True)[0] for v in (values, values[:0]))
            won += float(among - alone)
        yield board, table, result, won


def _boards_alone(
    judged: Judged, pair: PairResult
) -> Iterator[tuple[JudgedBoard, JudgedTable, PairResult]]:
    """Yield the boards of a pair, and its result if each were the only one."""
    for board in judged.boards:
        for table in board.tables:
            if not _may_be_of(pair, table.table):
                continue
            alone = replace(judged, boards=(replace(board, tables=(table,)),))
            for result in pairs(alone):
                if _is(pair, result):
                    yield board, table, result


def _may_be_of(pair: PairResult, table: Table) -> bool:
    if pair.number is None:
        return bool({*pair.names} & {*table.names})
    return pair.number in table.numbers or _undirected(pair.number) in table.numbers


def _undirected(number: str) -> str:
    """Return the number of a pair without the direction that two fields need."""
    return number.removesuffix(" EW").removesuffix(" NS")


def _is(pair: PairResult, other: PairResult) -> bool:
    return pair.number == other.number and (bool(pair.number) or {*pair.names} == {*other.names})


def _side_of(pair: PairResult, table: Table) -> int:
    if pair.number in table.numbers and pair.number is not None:
        return table.numbers.index(pair.number)
    if pair.number is not None:
        return int(_undirected(pair.number) != table.numbers[0] or pair.number.endswith(" EW"))
    return int({table.names[0], table.names[2]} != {*pair.names})


def find_pairs(judged: Judged, wanted: str) -> list[PairResult]:
    """Return the pairs with a number, or with a part of a name.

    Args:
        judged: The judged session.
        wanted: Number, or part of a name.

    Returns:
        A list of pairs, possibly empty.

    Example:
        >>> from pathlib import Path
        >>> from trickcast import session
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> rows = ["board,deal,contract,declarer,result,ns,ew"]
        >>> rows += [f"1,{deal},4H,N,10,1,2", f"1,{deal},3NT,S,8,3,4"]
        >>> size = Path("results.csv").write_text("\\n".join(rows))
        >>> judged = session.judge(session.read("results.csv"))
        >>> [pair.number for pair in session.find_pairs(judged, "1")]
        ['1']
    """
    found = pairs(judged)
    text = wanted.strip().casefold()
    of_number = [
        p for p in found if (p.number or "").casefold() in (text, f"{text} ns", f"{text} ew")
    ]
    if of_number:
        return of_number
    return [p for p in found if text and any(text in name.casefold() for name in p.names)]


def _contract(table: Table) -> str:
    if table.contract is None:
        if table.adjusted != (None, None):
            return ""
        known = (table.declarer, table.tricks, table.score)
        return "no result" if known == (None, None, None) else "?"
    if table.contract == "PASS":
        return "Pass"
    bid = Contract(table.contract)
    strain = bid.strain.symbol if bid.strain is not None else ""
    by = "" if table.declarer is None else f" {table.declarer.letter}"
    return f"{bid.level}{strain}{'x' * bid.doubling}{by}"


def signed(value: float | None, digits: int = 0) -> str:
    """Return a number with its sign, using a true minus sign; empty if it is not known."""
    if value is None or value != value:
        return ""
    text = f"{value:+.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else text.replace("-", _MINUS)


def _unsigned(value: float, digits: int) -> str:
    return f"{value:.{digits}f}"
