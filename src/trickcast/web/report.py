"""A session as one printable page: of every board the hands, what makes, the par, what is close.

The page needs nothing but itself: no script, no font, no link.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..cards import Deal, Grid, Hand, Seat, Strain, Suit, TrickTable, Vulnerability, counted
from ..estimator import TrickEstimate
from ..scoring import par

_STYLE = Path(__file__).with_name("report.css")
_RED = (Strain.HEARTS, Strain.DIAMONDS)
_BOOK = 6
_UNSURE = 0.5
"""The chance of the exact number of tricks below which a result is shown as close."""
_SHOWN = 3
"""Close results that a board names."""
_SIDES = {0: (Seat.NORTH, Seat.SOUTH), 1: (Seat.EAST, Seat.WEST)}


@dataclass(frozen=True)
class ReportedBoard:
    """A board of a report: its cards, exact tricks, and what a network gave for them."""

    number: int
    dealer: Seat
    vulnerability: Vulnerability
    deal: Deal
    table: TrickTable
    estimate: TrickEstimate

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
    title: str, boards: Sequence[ReportedBoard], left_out: Iterable[str], about: str
) -> str:
    """Return the page, HTML: boards in their order, and what of the file was no board and why.

    ``about`` says what solved and estimated them.
    """
    missing = "".join(f"<p>Left out: {escape(place)}</p>" for place in left_out)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE.read_text('utf-8')}</style>\n</head>\n"
        f"<body>\n<header><h1>{escape(title)}</h1>\n<p>{counted(len(boards), 'board')}. "
        "The table says what each declarer makes, double dummy: 4 is ten tricks, – fewer "
        "than seven. Close: "
        "results of which a network that sees all the cards is less than even sure, and the "
        f"chance that it gives them.</p>\n{missing}</header>\n<main>\n"
        + "\n".join(map(_article, boards))
        + f"\n</main>\n<footer><p>{escape(about)}</p></footer>\n</body>\n</html>\n"
    )


def _article(board: ReportedBoard) -> str:
    vulnerable = {0: "none", 1: "N–S", 2: "E–W", 3: "both"}[int(board.vulnerability)]
    hands = "".join(_hand(board.deal[seat], seat) for seat in Seat)
    best = escape(str(par(board.table, board.vulnerability, board.dealer)))
    close = ", ".join(_unsure(board))
    return (
        f"<article>\n<h2>Board {board.number}<small>{board.dealer.word} deals, vulnerable: "
        f"{vulnerable}</small></h2>\n"
        f'<div class="board"><div class="hands">{hands}{_compass(board)}</div>\n'
        f"{Grid(lambda *cell: _level(int(board.table.tricks[cell]))).html('makes')}</div>\n"
        f'<p class="par">Par {_coloured(best)}</p>'
        + (f'\n<p class="unsure">Close: {close}</p>' if close else "")
        + "\n</article>"
    )


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
    """Put suit signs for the letters of contracts, such as ``4H NS =``."""
    words = contracts.split(" ")
    for i, word in enumerate(words):
        if word[:1].isdigit() and word[1:2] in "SHDC":
            words[i] = word[0] + _sign(Strain.parse(word[1])) + word[2:]
    return " ".join(words)
