"""Printable pages of a session: hand records, or every board with what happened on it.

A page is self-contained: no script, no font, no link.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    BOOK,
    PRINTED_STRAINS,
    Deal,
    Grid,
    Hand,
    Seat,
    Strain,
    Suit,
    TrickTable,
    Vulnerability,
    counted,
    html_table,
)
from ..estimator import TrickEstimate
from ..scoring import Contract, Par
from ..session import (
    MATCHPOINTS,
    Judged,
    JudgedBoard,
    JudgedTable,
    PairResult,
    matches,
    pairs,
    rankings,
)
from ..session.showing import adding_up, note_on_matches, signed
from .words import ENGLISH, Words

GENERATED = '<meta name="generator" content="trickcast">'
"""Marks a page as ours, so that a later report may replace it."""
_STYLE = Path(__file__).with_name("report.css")
_RED = (Strain.HEARTS, Strain.DIAMONDS)
_UNSURE = 0.5
"""A result is shown as close if the chance of its exact number of tricks is lower than this."""
_SHOWN = 3
"""Most close results to list on a board."""
_SWINGS = 8
"""Most boards to list as those that mattered."""
_CALLS = 4
"""Rounds of calls that fit on a lesson sheet."""
_TALL = 12
"""Results of a board with at least this many tables may continue on the next page."""
_LONG = 40
"""A ranking of at least this many pairs is set in two columns."""
_SIDES = {0: (Seat.NORTH, Seat.SOUTH), 1: (Seat.EAST, Seat.WEST)}
_WIDTH, _HEIGHT = 210.0, 297.0
_EDGE = 8.0
"""Millimetres of A4, and of its margin."""


@dataclass(frozen=True)
class DealtBoard:
    """A board as the players see it before the bidding."""

    number: int
    dealer: Seat
    vulnerability: Vulnerability
    deal: Deal


@dataclass(frozen=True)
class ReportedBoard(DealtBoard):
    """A board of a report: its cards, exact tricks, and a network's estimates."""

    table: TrickTable
    estimate: TrickEstimate
    best: Par
    expected: tuple[float, ...]
    """North-South's expected score at the table in each contract of the par."""
    played: JudgedBoard | None = None
    """What happened on it, if known."""

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
    notes: Iterable[str],
    about: str,
    session: Judged | None = None,
    words: Words = ENGLISH,
) -> str:
    """Return the page, HTML: boards in order, and notes on the rest of the file.

    ``about`` names what solved and estimated them. With a ``session`` the page begins with its
    ranking and the swings that mattered, and boards show their results. ``words`` are used for
    cards, seats and boards; everything else is English.
    """
    missing = "".join(f"<p>{escape(note)}</p>" for note in notes)
    header = (
        f"<header><h1>{escape(title)}</h1>\n<p>{counted(len(boards), 'board')}. "
        "The table says what each declarer makes, double dummy: 4 is ten tricks, – fewer "
        "than seven. Close: "
        "results to which a network that sees all the cards gives an even chance at most, with "
        "that chance. Expected at the table: North–South's average score in the "
        f"contracts of the par, in championship play.</p>\n{missing}</header>\n"
    )
    results = "" if session is None else _results(session, words)
    articles = "\n".join(
        f'<div class="cell{" tall" * _is_tall(board)}">{_article(board, session, words)}</div>'
        for board in boards
    )
    footer = f"<footer><p>{escape(about)}</p></footer>"
    return _html(title, "report", f"{header}{results}<main>\n{articles}\n</main>\n{footer}")


def record_pages(
    title: str, boards: Sequence[ReportedBoard], per_page: int, words: Words = ENGLISH
) -> str:
    """Return hand records as HTML, so many boards on each A4 page."""
    columns = 1 if per_page == 1 else 2 if per_page <= 10 else 3 if per_page <= 21 else 4
    records = [_record(board, words) for board in boards]
    return _pages(title, "records", records, per_page, columns, (21.5, 15.5), words)


def hand_pages(
    title: str,
    boards: Sequence[DealtBoard],
    seats: Sequence[Seat],
    per_page: int | None = None,
    words: Words = ENGLISH,
) -> str:
    """Return single hands as HTML, showing nothing of the others.

    With several ``seats`` they are curtain cards, to be cut out. With one they are lesson sheets,
    each with a form for the auction. ``per_page`` defaults to 32 cards or 8 lessons.
    """
    cards = [_single(board, seat, len(seats) == 1, words) for board in boards for seat in seats]
    if len(seats) == 1:
        return _pages(title, "single lessons", cards, per_page or 8, 2, (22, 14.5), words)
    per_page = per_page or 8 * len(seats)
    columns = len(seats) if per_page % len(seats) == 0 else 4
    return _pages(title, "single", cards, per_page, columns, (11.5, 10), words)


def _pages(
    title: str,
    kind: str,
    cells: Sequence[str],
    per_page: int,
    columns: int,
    size: tuple[float, float],
    words: Words,
) -> str:
    """Return pages of equal cells; ``size`` is a cell's width in letters and height in lines."""
    columns = min(columns, per_page)
    rows = -(-per_page // columns)
    wide, high = (_WIDTH - 2 * _EDGE) / columns, (_HEIGHT - 2 * _EDGE - 9) / rows
    font = min(wide / size[0], high / size[1])
    pages = []
    for start in range(0, len(cells), per_page):
        some = "".join(cells[start : start + per_page])
        pages.append(
            f'<section class="page"><h1>{escape(title)}</h1>\n<main style="grid-template: '
            f"repeat({rows}, {high:.2f}mm) / repeat({columns}, {wide:.2f}mm); "
            f'font-size: {font:.2f}mm">\n{some}</main></section>\n'
        )
    return _html(title, f"sheet {kind}", "".join(pages), words.code)


def _html(title: str, kind: str, body: str, code: str = ENGLISH.code) -> str:
    return (
        f'<!doctype html>\n<html lang="{code}">\n<head>\n<meta charset="utf-8">\n'
        f"{GENERATED}\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE.read_text('utf-8')}</style>\n</head>\n"
        f'<body class="{kind}">\n{body}\n</body>\n</html>\n'
    )


# --- boards ---


def _is_tall(board: ReportedBoard) -> bool:
    """Return whether a board's results may be split across pages."""
    return board.played is not None and len(board.played.board.tables) > _TALL


def _article(board: ReportedBoard, session: Judged | None, words: Words) -> str:
    close = ", ".join(_unsure(board, words))
    results, field = "", ""
    if session is not None and board.played is not None and board.played.board.tables:
        results = _played(session, board.played, words)
        if board.played.field is not None:
            field = f" · field {signed(board.played.field)}"
    return (
        f"<article>\n{_head(board, words)}\n"
        f'<div class="board"><div class="hands">{_hands(board, words)}</div>\n'
        f"{_makes(board, words)}</div>\n"
        f'<p class="par">{_par(board, words)}{_expected(board)}{field}</p>'
        + (f'\n<p class="unsure">Close: {close}</p>' if close else "")
        + results
        + "\n</article>"
    )


def _record(board: ReportedBoard, words: Words) -> str:
    """Return a board in the style of hand records."""
    points = "".join(
        f'<i class="{seat.letter.lower()}">{board.deal[seat].hcp}</i>' for seat in Seat
    )
    return (
        f'<article>{_head(board, words)}<div class="hands">{_hands(board, words)}</div>'
        f'<div class="points" aria-label="high-card points">{points}</div>{_makes(board, words)}'
        f'<p class="par">{_par(board, words)}</p></article>\n'
    )


def _single(board: DealtBoard, seat: Seat, lesson: bool, words: Words) -> str:
    """Return one hand of a board; for a lesson, with room for the auction."""
    form = ""
    if lesson:
        order = [Seat((Seat.WEST + i) % 4) for i in range(4)]
        head = "".join(f"<th>{words.seats[each]}</th>" for each in order)
        before = "<td>–</td>" * order.index(board.dealer)
        first = before + "<td></td>" * (4 - order.index(board.dealer))
        rest = f"<tr>{'<td></td>' * 4}</tr>" * (_CALLS - 1)
        form = (
            f'<table class="calls"><caption>{words.auction}</caption><thead><tr>{head}</tr></thead>'
            f"<tbody><tr>{first}</tr>{rest}</tbody></table>"
        )
    suits = _suits(board.deal[seat], words)
    return f"<article>{_head(board, words)}<h3>{words.seats[seat]}</h3>{suits}{form}</article>\n"


def _head(board: DealtBoard, words: Words) -> str:
    dealer = words.deals.format(words.seats[board.dealer])
    vulnerable = words.vulnerable.format(words.sides[board.vulnerability])
    return f"<h2>{words.board.format(board.number)}<small>{dealer}, {vulnerable}</small></h2>"


def _hands(board: ReportedBoard, words: Words) -> str:
    hands = "".join(_hand(board.deal[seat], seat, words) for seat in Seat)
    return hands + _compass(board, words)


def _makes(board: ReportedBoard, words: Words) -> str:
    grid = Grid(lambda *cell: _level(int(board.table.tricks[cell])))
    rows = [(words.letter(Seat.parse(seat)), *cells) for seat, *cells in grid.rows()]
    return html_table(words.makes, [words.symbol(strain) for strain in PRINTED_STRAINS], rows)


def _par(board: ReportedBoard, words: Words) -> str:
    """Return the par score of a board and the contracts that give it."""
    contracts = []
    for each in board.best.contracts:
        bid = each.contract
        assert bid.strain is not None
        sign = _sign(bid.strain, words)
        seats = "".join(map(words.letter, each.declarers))
        over = f"{each.tricks - bid.tricks:+d}".replace("+0", "=").replace("-", "−")
        contracts.append(f"{bid.level}{sign}{'X' * bid.doubling} {seats} {over}")
    side = words.letter(Seat.NORTH) + words.letter(Seat.SOUTH)
    return f"{words.par} {side} {signed(board.best.score)}: {', '.join(contracts) or words.passed}"


def _expected(board: ReportedBoard) -> str:
    """Return what the contracts of the par score at the table."""
    if not board.expected:
        return ""
    return f" · expected at the table {', '.join(map(signed, board.expected))}"


def _suits(hand: Hand, words: Words) -> str:
    return "".join(
        f"<p>{_sign(Strain(suit), words)} {words.cards(hand.holding(suit)) or '—'}</p>"
        for suit in Suit
    )


def _hand(hand: Hand, seat: Seat, words: Words) -> str:
    points = words.points.format(hand.hcp)
    return (
        f'<div class="hand {seat.letter.lower()}" role="group" '
        f'aria-label="{words.seats[seat]}, {points}">{_suits(hand, words)}'
        f"<small>{points}</small></div>"
    )


def _compass(board: ReportedBoard, words: Words) -> str:
    """Draw the seats: the vulnerable ones red, the dealer underlined."""
    seats = ""
    for seat in Seat:
        vulnerable = int(board.vulnerability) >> (seat % 2) & 1
        marks = " v" * vulnerable + " d" * (seat == board.dealer)
        seats += f'<b class="{seat.letter.lower()}{marks}">{words.letter(seat)}</b>'
    return f'<div class="compass" aria-hidden="true">{seats}</div>'


def _level(tricks: int) -> str:
    return str(tricks - BOOK) if tricks > BOOK else "–"


def _unsure(board: ReportedBoard, words: Words) -> list[str]:
    """Return the results that the network is least sure of, each strain once per side."""
    cells = []
    for strain in Strain:
        for seats in _SIDES.values():
            seat = min(seats, key=lambda seat: board.chances[strain, seat])
            makes = max(board.table.tricks[strain, seat], board.estimate.tricks[strain, seat])
            if makes > BOOK:  # otherwise nobody would play it
                cells.append((float(board.chances[strain, seat]), strain, seat))
    return [
        f"{_sign(strain, words)} by {words.letter(seat)} takes {board.table.tricks[strain, seat]} "
        f"({chance:.0%})"
        for chance, strain, seat in sorted(cells)[:_SHOWN]
        if chance < _UNSURE
    ]


def _sign(strain: Strain, words: Words) -> str:
    text = words.symbol(strain)
    return f'<span class="red">{text}</span>' if strain in _RED else text


# --- results ---


def _played(session: Judged, board: JudgedBoard, words: Words) -> str:
    """Return the results of a board, each with its tables, the best for North-South first."""
    groups: dict[tuple[object, ...], list[JudgedTable]] = defaultdict(list)
    several = sum(table.table.count for table in board.tables) > 2
    for row, judged in enumerate(board.tables):
        table = judged.table
        key = (table.contract, table.declarer, table.tricks, table.score, table.adjusted)
        groups[key if several else (row,)].append(judged)
    ordered = sorted(groups.values(), key=lambda group: -(group[0].table.score or 0))
    heads = ["", "", "Lead", "", _unit(session), "Expected"]
    lines = [[*_cells(session, group, several, words)] for group in ordered]
    leads = Counter[str]()
    for judged in board.tables:
        if judged.table.lead is not None:
            leads[judged.table.lead] += judged.table.count
    note = ""
    if several and leads:
        card, count = leads.most_common(1)[0]
        lead = f"Most common lead: {_card(card, words)}, {count} of {leads.total()}"
        note = f'<p class="unsure">{lead}</p>'
    return _table("results", heads, lines, "results, North–South's") + note


def _cells(
    session: Judged, group: Sequence[JudgedTable], several: bool, words: Words
) -> Iterator[str]:
    """Yield the cells of equal results: how many and whose, or where, contract, lead and so on."""
    first, table = group[0], group[0].table
    count = sum(judged.table.count for judged in group)
    where = f"{count}×" if several else escape(table.room or "")
    pairs = [judged.table.numbers for judged in group if None not in judged.table.numbers]
    played = " ".join(escape(f"{ours}–{theirs}") for ours, theirs in pairs)
    yield f'{where} <span class="pairs">{played}</span>' if played else where
    yield _contract(first, words)
    leads = Counter(judged.table.lead for judged in group if judged.table.lead)
    yield " ".join(_card(card, words) for card, _ in leads.most_common(2))
    if table.adjusted != (None, None):
        yield "/".join("–" if given is None else escape(given.text) for given in table.adjusted)
    else:
        yield signed(table.score)
    yield _compared(session, first)
    yield signed(first.expected)


def _contract(judged: JudgedTable, words: Words) -> str:
    """Return a contract with its result: ``4♥x N +1``."""
    table = judged.table
    if table.contract in (None, "PASS"):
        return "Pass" if table.contract else ""
    bid = Contract(str(table.contract))
    assert bid.strain is not None
    by = "" if table.declarer is None else f" {words.letter(table.declarer)}"
    over = "" if table.tricks is None else f" {table.tricks - bid.tricks:+d}".replace("+0", "=")
    return f"{bid.level}{_sign(bid.strain, words)}{'x' * bid.doubling}{by}{over.replace('-', '−')}"


def _card(card: str, words: Words) -> str:
    return _sign(Strain.parse(card[0]), words) + words.cards(card[1:])


def _unit(session: Judged) -> str:
    return "%" if session.session.scoring == MATCHPOINTS else "IMPs"


def _compared(session: Judged, judged: JudgedTable) -> str:
    if session.session.scoring == MATCHPOINTS:
        return "" if judged.matchpoints is None else f"{100 * judged.matchpoints:.0f}"
    return signed(judged.imps, 1)


def _results(session: Judged, words: Words) -> str:
    """Return the matches, the ranking and the swings that mattered."""
    ranked = pairs(session)
    long = len(ranked) > _LONG
    tables = "".join(_ranking(session, way, placed) for way, placed in rankings(ranked))
    ranking = f'<div class="ranked{" long" * long}">{tables}</div>'
    parts = [_matches(session), *[ranking, _swings(session, words)][:: -1 if long else 1]]
    return f'<section class="ranking">{"".join(parts)}</section>\n'


def _matches(session: Judged) -> str:
    lines = [
        [
            f"{escape(match.teams[0])} – {escape(match.teams[1])}",
            f"{match.imps[0]:g} : {match.imps[1]:g}",
            f"{match.victory_points[0]:.2f} : {match.victory_points[1]:.2f}",
        ]
        for match in matches(session)
    ]
    caption = ". ".join(filter(None, ("matches", note_on_matches(session))))
    return _table("matches", ["Match", "IMPs", "VP"], lines, caption) if lines else ""


def _ranking(
    session: Judged, direction: str | None, ranked: Sequence[tuple[int, PairResult]]
) -> str:
    """Return a ranking: of all pairs, or of those that sat in one direction."""
    by_share = session.session.scoring == MATCHPOINTS
    scale = 100 if by_share else 1
    lines = []
    for place, pair in ranked:
        score = round(scale * pair.score.value, 4)
        shown = f"{score:.1f}" if by_share else signed(score, 1)
        names = " – ".join(map(escape, pair.names))
        label = f"{escape(pair.number)} {names}" if pair.number else names
        values = {name: scale * part.value for name, part in pair.parts.items()}
        total = scale * (pair.score.value - 0.5 * by_share - pair.adjusted)
        parts = [
            signed(part, 1) if name in pair.known else ""
            for name, part in adding_up(values, total, 1).items()
        ]
        ends = pair.score.interval
        reach = f"±{scale * (ends[1] - ends[0]) / 2:.0f}" if ends else ""
        lines.append([f"{place}.", label, str(pair.boards), shown, reach, *parts])
    heads = [
        "",
        {"NS": "North–South", "EW": "East–West"}.get(direction or "", "Pair"),
        "Boards",
        _unit(session),
        "95 %",
        "Contract",
        "Lead",
        "Defence",
        "Declarer",
        "Luck",
    ]
    kept = [not head or any(cells) for head, *cells in zip(heads, *lines, strict=True)]
    rows = [[*compress(line, kept)] for line in (heads, *lines)]
    return _table("ranking", rows[0], rows[1:], "ranking") if lines else ""


def _swings(session: Judged, words: Words) -> str:
    """Return the boards with the largest swings, and what caused them; points break ties."""
    found = [
        (-round(abs(table.value), 6), -abs(table.points.swing), row, board, table)
        for row, board in enumerate(session.boards)
        for table in board.tables
        if table.points is not None and table.value
    ]
    lines, seen = [], set[int]()
    for *_, row, board, table in sorted(found, key=lambda each: each[:3]):
        if row in seen:
            continue
        seen.add(row)
        assert table.points is not None
        parts = [table.points.contract, table.points.play, table.points.luck]
        name = "" if board.board.number is None else str(board.board.number)
        lines.append(
            [name, _contract(table, words), _compared(session, table), *map(signed, parts)]
        )
        if len(lines) == _SWINGS:
            break
    heads = ["Board", "", _unit(session), "Contract", "Play", "Luck"]
    return _table("swings", heads, lines, "swings that mattered, in points") if lines else ""


def _table(kind: str, heads: Sequence[str], lines: Iterable[Sequence[str]], caption: str) -> str:
    """Return a table of cells that are already HTML."""
    head = "".join(f"<th>{text}</th>" for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines
    )
    return (
        f'\n<table class="{kind}"><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
