"""A session as printable pages: hand records, or every board with what happened on it.

A page needs nothing but itself: no script, no font, no link.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..cards import Deal, Grid, Hand, Seat, Strain, Suit, TrickTable, Vulnerability, counted
from ..estimator import TrickEstimate
from ..scoring import Contract, par
from ..session import MATCHPOINTS, Judged, JudgedBoard, JudgedTable, matches, pairs

_STYLE = Path(__file__).with_name("report.css")
_RED = (Strain.HEARTS, Strain.DIAMONDS)
_BOOK = 6
_UNSURE = 0.5
"""The chance of the exact number of tricks below which a result is shown as close."""
_SHOWN = 3
"""Close results that a board names."""
_SWINGS = 8
"""Boards that the results name as those that mattered."""
_SIDES = {0: (Seat.NORTH, Seat.SOUTH), 1: (Seat.EAST, Seat.WEST)}
_WIDTH, _HEIGHT = 210.0, 297.0
_EDGE = 8.0
"""Millimetres of A4, and of its margin."""


@dataclass(frozen=True)
class ReportedBoard:
    """A board of a report: its cards, exact tricks, and what a network gave for them."""

    number: int
    dealer: Seat
    vulnerability: Vulnerability
    deal: Deal
    table: TrickTable
    estimate: TrickEstimate
    played: JudgedBoard | None = None
    """What happened on it, where that is known."""

    @cached_property
    def chances(self) -> NDArray[np.float32]:
        """(5, 4): the network's chance of the exact number of tricks."""
        exact = self.table.tricks[..., None]
        return np.take_along_axis(self.estimate.probabilities, exact, axis=-1)[..., 0]

    @property
    def difficulty(self) -> float:
        """How far the network is from the exact tricks: 0 (sure of all) to 1, over all twenty."""
        return float(1 - self.chances.mean())


def report_page(
    title: str,
    boards: Sequence[ReportedBoard],
    left_out: Iterable[str],
    about: str,
    session: Judged | None = None,
) -> str:
    """Return the page, HTML: boards in their order, and what of the file was no board and why.

    ``about`` says what solved and estimated them. With a ``session`` the page begins with its
    ranking and the swings that mattered, and boards have their results.
    """
    missing = "".join(f"<p>Left out: {escape(place)}</p>" for place in left_out)
    header = (
        f"<header><h1>{escape(title)}</h1>\n<p>{counted(len(boards), 'board')}. "
        "The table says what each declarer makes, double dummy: 4 is ten tricks, – fewer "
        "than seven. Close: "
        "results of which a network that sees all the cards is less than even sure, and the "
        f"chance that it gives them.</p>\n{missing}</header>\n"
    )
    results = "" if session is None else _results(session)
    articles = "\n".join(f'<div class="cell">{_article(board, session)}</div>' for board in boards)
    footer = f"<footer><p>{escape(about)}</p></footer>"
    return _html(title, "report", f"{header}{results}<main>\n{articles}\n</main>\n{footer}")


def record_pages(title: str, boards: Sequence[ReportedBoard], per_page: int) -> str:
    """Return hand records as HTML, so many boards on each page of A4."""
    columns = 1 if per_page == 1 else 2 if per_page <= 10 else 3 if per_page <= 21 else 4
    rows = -(-per_page // columns)
    wide, high = (_WIDTH - 2 * _EDGE) / columns, (_HEIGHT - 2 * _EDGE - 9) / rows
    font = min(high / 15.5, wide / 21.5)
    pages = []
    for start in range(0, len(boards), per_page):
        records = "".join(map(_record, boards[start : start + per_page]))
        pages.append(
            f'<section class="page"><h1>{escape(title)}</h1>\n<main style="grid-template: '
            f"repeat({rows}, {high:.2f}mm) / repeat({columns}, {wide:.2f}mm); "
            f'font-size: {font:.2f}mm">\n{records}</main></section>\n'
        )
    return _html(title, "records", "".join(pages))


def _html(title: str, kind: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE.read_text('utf-8')}</style>\n</head>\n"
        f'<body class="{kind}">\n{body}\n</body>\n</html>\n'
    )


# --- boards ---


def _article(board: ReportedBoard, session: Judged | None) -> str:
    best = escape(str(par(board.table, board.vulnerability, board.dealer)))
    close = ", ".join(_unsure(board))
    results, field = "", ""
    if session is not None and board.played is not None and board.played.board.tables:
        results = _played(session, board.played)
        if board.played.field is not None:
            field = f" · field {_signed(board.played.field)}"
    return (
        f"<article>\n{_head(board)}\n"
        f'<div class="board"><div class="hands">{_hands(board)}</div>\n{_makes(board)}</div>\n'
        f'<p class="par">Par {_coloured(best)}{field}</p>'
        + (f'\n<p class="unsure">Close: {close}</p>' if close else "")
        + results
        + "\n</article>"
    )


def _record(board: ReportedBoard) -> str:
    """Return a board as hand records have it."""
    best = escape(str(par(board.table, board.vulnerability, board.dealer)))
    points = "".join(
        f'<i class="{seat.letter.lower()}">{board.deal[seat].hcp}</i>' for seat in Seat
    )
    return (
        f'<article>{_head(board)}<div class="hands">{_hands(board)}</div>'
        f'<div class="points" aria-label="high-card points">{points}</div>{_makes(board)}'
        f'<p class="par">Par {_coloured(best)}</p></article>\n'
    )


def _head(board: ReportedBoard) -> str:
    vulnerable = {0: "none", 1: "N–S", 2: "E–W", 3: "both"}[int(board.vulnerability)]
    return (
        f"<h2>Board {board.number}<small>{board.dealer.word} deals, vulnerable: "
        f"{vulnerable}</small></h2>"
    )


def _hands(board: ReportedBoard) -> str:
    return "".join(_hand(board.deal[seat], seat) for seat in Seat) + _compass(board)


def _makes(board: ReportedBoard) -> str:
    return Grid(lambda *cell: _level(int(board.table.tricks[cell]))).html("makes")


def _hand(hand: Hand, seat: Seat) -> str:
    suits = "".join(
        f"<p>{_sign(Strain(suit))} {hand.holding(suit).replace('T', '10') or '—'}</p>"
        for suit in Suit
    )
    name = f"{seat.word}, {hand.hcp} high-card points"
    return (
        f'<div class="hand {seat.letter.lower()}" role="group" aria-label="{name}">{suits}'
        f"<small>{hand.hcp} HCP</small></div>"
    )


def _compass(board: ReportedBoard) -> str:
    """Draw the seats: the vulnerable red, the dealer underlined."""
    seats = ""
    for seat in Seat:
        vulnerable = int(board.vulnerability) >> (seat % 2) & 1
        marks = " v" * vulnerable + " d" * (seat == board.dealer)
        seats += f'<b class="{seat.letter.lower()}{marks}">{seat.letter}</b>'
    return f'<div class="compass" aria-hidden="true">{seats}</div>'


def _level(tricks: int) -> str:
    return str(tricks - _BOOK) if tricks > _BOOK else "–"


def _unsure(board: ReportedBoard) -> list[str]:
    """Name the results that the network is least sure of, each strain once for a side."""
    cells = []
    for strain in Strain:
        for seats in _SIDES.values():
            seat = min(seats, key=lambda seat: board.chances[strain, seat])
            makes = max(board.table.tricks[strain, seat], board.estimate.tricks[strain, seat])
            if makes > _BOOK:  # else nobody would play it
                cells.append((float(board.chances[strain, seat]), strain, seat))
    return [
        f"{_sign(strain)} by {seat.letter} takes {board.table.tricks[strain, seat]} ({chance:.0%})"
        for chance, strain, seat in sorted(cells)[:_SHOWN]
        if chance < _UNSURE
    ]


def _sign(strain: Strain) -> str:
    return f'<span class="red">{strain.symbol}</span>' if strain in _RED else strain.symbol


def _coloured(contracts: str) -> str:
    """Put suit signs for the letters of contracts, such as ``4H NS =``, and colour the red ones."""
    words = re.sub("[♥♦]", r'<span class="red">\g<0></span>', contracts).split(" ")
    for i, word in enumerate(words):
        if word[:1].isdigit() and word[1:2] in ("S", "H", "D", "C"):
            words[i] = word[0] + _sign(Strain.parse(word[1])) + word[2:]
    return " ".join(words)


# --- results ---


def _played(session: Judged, board: JudgedBoard) -> str:
    """Return the results of a board: each with its tables, the best for North-South first."""
    groups: dict[tuple[object, ...], list[JudgedTable]] = defaultdict(list)
    several = sum(table.table.count for table in board.tables) > 2
    for row, judged in enumerate(board.tables):
        table = judged.table
        key = (table.contract, table.declarer, table.tricks, table.score, table.adjusted)
        groups[key if several else (row,)].append(judged)
    ordered = sorted(groups.values(), key=lambda group: -(group[0].table.score or 0))
    heads = ["", "", "Lead", "", _unit(session), "Expected"]
    lines = [[*_cells(session, group, several)] for group in ordered]
    leads = Counter[str]()
    for judged in board.tables:
        if judged.table.lead is not None:
            leads[judged.table.lead] += judged.table.count
    note = ""
    if several and leads:
        card, count = leads.most_common(1)[0]
        lead = f"Most common lead: {_card(card)}, {count} of {leads.total()}"
        note = f'<p class="unsure">{lead}</p>'
    return _table("results", heads, lines, "results, North–South's") + note


def _cells(session: Judged, group: Sequence[JudgedTable], several: bool) -> Iterator[str]:
    """Yield the cells of equal results: how many or where, contract, lead, score and so on."""
    first, table = group[0], group[0].table
    count = sum(judged.table.count for judged in group)
    yield f"{count}×" if several else escape(table.room or "")
    yield _contract(first)
    leads = Counter(judged.table.lead for judged in group if judged.table.lead)
    yield " ".join(_card(card) for card, _ in leads.most_common(2))
    if table.adjusted != (None, None):
        yield "/".join("–" if given is None else escape(given.text) for given in table.adjusted)
    else:
        yield _signed(table.score)
    yield _compared(session, first)
    yield _signed(first.expected)


def _contract(judged: JudgedTable) -> str:
    """Return a contract with its result: ``4♥x N +1``."""
    table = judged.table
    if table.contract in (None, "PASS"):
        return "Pass" if table.contract else ""
    bid = Contract(str(table.contract))
    assert bid.strain is not None
    by = "" if table.declarer is None else f" {table.declarer.letter}"
    over = "" if table.tricks is None else f" {table.tricks - bid.tricks:+d}".replace("+0", "=")
    return f"{bid.level}{_sign(bid.strain)}{'x' * bid.doubling}{by}{over.replace('-', '−')}"


def _card(card: str) -> str:
    return _sign(Strain.parse(card[0])) + card[1:].replace("T", "10")


def _unit(session: Judged) -> str:
    return "%" if session.session.scoring == MATCHPOINTS else "IMPs"


def _compared(session: Judged, judged: JudgedTable) -> str:
    if session.session.scoring == MATCHPOINTS:
        return "" if judged.matchpoints is None else f"{100 * judged.matchpoints:.0f}"
    return _signed(judged.imps, 1)


def _signed(value: float | None, digits: int = 0) -> str:
    if value is None:
        return ""
    text = f"{value:+.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else text.replace("-", "−")


def _results(session: Judged) -> str:
    """Return the matches, the ranking and the swings that mattered."""
    parts = _matches(session) + _ranking(session) + _swings(session)
    return f'<section class="ranking">{parts}</section>\n'


def _matches(session: Judged) -> str:
    lines = [
        [
            f"{escape(match.teams[0])} – {escape(match.teams[1])}",
            f"{match.imps[0]:g} : {match.imps[1]:g}",
            f"{match.victory_points[0]:.2f} : {match.victory_points[1]:.2f}",
        ]
        for match in matches(session)
    ]
    return _table("matches", ["Match", "IMPs", "VP"], lines, "matches") if lines else ""


def _ranking(session: Judged) -> str:
    by_share = session.session.scoring == MATCHPOINTS
    scale = 100 if by_share else 1
    lines, place, before = [], 0, None
    for number, pair in enumerate(pairs(session), start=1):
        score = round(scale * pair.score.value, 4)
        place, before = (place if score == before else number), score
        shown = f"{score:.1f}" if by_share else _signed(score, 1)
        names = " – ".join(map(escape, pair.names))
        label = f"{pair.number} {names}" if pair.number else names
        parts = [
            _signed(scale * part.value, 1) if name in pair.known else ""
            for name, part in pair.parts.items()
        ]
        lines.append([f"{place}.", label, str(pair.boards), shown, *parts])
    heads = [
        "",
        "Pair",
        "Boards",
        _unit(session),
        "Contract",
        "Lead",
        "Defence",
        "Declarer",
        "Luck",
    ]
    return _table("ranking", heads, lines, "ranking") if lines else ""


def _swings(session: Judged) -> str:
    """Return the boards on which most was won or lost, and by what."""
    found = [
        (abs(table.value or 0.0), row, board, table)
        for row, board in enumerate(session.boards)
        for table in board.tables
        if table.points is not None and table.value
    ]
    lines, seen = [], set[int]()
    for _, row, board, table in sorted(found, key=lambda each: (-each[0], each[1])):
        if row in seen:
            continue
        seen.add(row)
        assert table.points is not None
        parts = [table.points.contract, table.points.play, table.points.luck]
        name = "" if board.board.number is None else str(board.board.number)
        lines.append([name, _contract(table), _compared(session, table), *map(_signed, parts)])
        if len(lines) == _SWINGS:
            break
    heads = ["Board", "", _unit(session), "Contract", "Play", "Luck"]
    return _table("swings", heads, lines, "swings that mattered, in points") if lines else ""


def _table(kind: str, heads: Sequence[str], lines: Iterable[Sequence[str]], caption: str) -> str:
    """Return a table of cells that are HTML already."""
    head = "".join(f"<th>{text}</th>" for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines
    )
    return (
        f'\n<table class="{kind}"><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
