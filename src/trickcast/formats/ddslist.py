"""The test lists of DDS, ``list100.txt`` and the like. Read only.

``NUMBER n``, then n records. Each begins with ``PBN dealer vulnerability trump first "deal"``.
Its other lines begin with a word. ``TABLE`` (declarers' tricks in S H D C NT, each declared by
N E S W) and ``PLAY`` (number of cards, then the cards) are read. ``FUT``, ``TRACE``, ``PAR`` and
``PAR2`` are DDS's expected answers for the lead given by trump and first; they are ignored.
Codes: seats N E S W = 0-3; vulnerable none, both, N-S, E-W = 0-3.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from ..cards import (
    UNKNOWN,
    Board,
    DealError,
    DealSet,
    Seat,
    Vulnerability,
    counted,
    parse_card,
    shorten,
)
from .board_text import parse_count
from .bulk import read_deal_texts
from .format import Format, Reading
from .streams import read_lines

_VULNERABLE = (Vulnerability.NONE, Vulnerability.BOTH, Vulnerability.NS, Vulnerability.EW)
_DEAL = re.compile(r'PBN\s+([0-3])\s+([0-3])\s+([0-4])\s+([0-3])\s+"([^"]*)"')
_PLAY = re.compile(r'PLAY\s+([0-9]{1,2})\s+"([^"]*)"')
_MOST_DEALS = 999_999_999
_COUNTS = {str(count): count for count in range(14)}
_PASSED_OVER = ("FUT", "TRACE", "PAR", "PAR2")
_NO_TRICKS = (UNKNOWN,) * 20


@dataclass(slots=True)
class _Record:
    line: int
    number: int
    deal: str
    dealer: Seat
    vulnerability: Vulnerability
    tricks: tuple[int, ...] = _NO_TRICKS
    play: tuple[str, ...] = ()


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    stripped = ((number, text.strip()) for number, text in read_lines(stream, reading))
    lines = ((number, text) for number, text in stripped if text)
    number, text = next(lines, (1, ""))
    expected = _announced(text, reading, number)
    begun, records = 0, list[_Record]()
    passing = False  # whether the lines of a refused record are being skipped
    for number, text in lines:
        word = text.split(maxsplit=1)[0]
        begins = word == "PBN"
        if begins and len(records) == chunk:
            yield _deals(records, reading)
            records = []
        begun += begins
        if passing and not begins:
            continue
        try:
            if begins:
                records.append(_begun(text, number, begun))
            else:
                _add_line(word, text, records)
            passing = False
        except (DealError, ValueError) as error:
            reading.refuse(reading.error(f"line {number}", str(error)))
            passing = begins
    if records:
        yield _deals(records, reading)
    if begun != expected:
        reason = (
            f"the file ends after {counted(begun, 'deal')} (expected {expected}, as NUMBER says)"
        )
        reading.refuse(reading.error(f"line {number}", reason))


def _announced(text: str, reading: Reading, number: int) -> int:
    """Return the number of deals announced in the first line."""
    words = text.split()
    try:
        if len(words) != 2 or words[0] != "NUMBER":
            raise ValueError(shorten(text) if text else "the file is empty")
        return parse_count(words[1], _MOST_DEALS)
    except ValueError as error:
        reason = f"{error} (expected NUMBER and how many deals)"
        raise reading.error(f"line {number}", reason) from None


def _begun(text: str, line: int, number: int) -> _Record:
    """Return the record that a PBN line begins. Raises ValueError for an invalid line."""
    deal = _DEAL.fullmatch(text)
    if deal is None:
        raise ValueError(
            f"{shorten(text)} "
            '(expected PBN, codes of dealer, vulnerability, trump and first, and "deal")'
        )
    return _Record(line, number, deal[5], Seat(int(deal[1])), _VULNERABLE[int(deal[2])])


def _add_line(word: str, text: str, records: list[_Record]) -> None:
    """Add a line's data to the last record. Raises ValueError if it cannot be read."""
    if word not in ("TABLE", "PLAY", *_PASSED_OVER):
        raise ValueError(
            f"{shorten(text)} (expected a line with PBN, FUT, TABLE, PAR, PAR2, PLAY or TRACE)"
        )
    if not records:
        raise ValueError(f"{word} before the first deal (expected PBN)")
    if word == "TABLE":
        records[-1].tricks = _table(text)
    elif word == "PLAY":
        records[-1].play = _play(text)


def _table(text: str) -> tuple[int, ...]:
    numbers = text.split()[1:]
    if len(numbers) != 20:
        raise ValueError(f"{len(numbers)} results (expected 20)")
    counts = tuple(_COUNTS.get(number, UNKNOWN) for number in numbers)
    if UNKNOWN in counts:
        wrong = shorten(numbers[counts.index(UNKNOWN)])
        raise ValueError(f"{wrong} tricks (expected 0 to 13)")
    return counts


def _play(text: str) -> tuple[str, ...]:
    play = _PLAY.fullmatch(text)
    cards = play[2] if play else ""
    if play is None or len(cards) != 2 * int(play[1]):
        raise ValueError(f"{shorten(text)} (expected PLAY, the number of cards, cards)")
    for place in range(0, len(cards), 2):
        parse_card(cards[place : place + 2])
    return tuple(cards[place : place + 2] for place in range(0, len(cards), 2))


def _deals(records: list[_Record], reading: Reading) -> DealSet:
    """Collect records, except invalid deals."""
    owners, good = read_deal_texts(
        [record.deal for record in records], lambda i: f"line {records[i].line}", reading
    )
    records = [records[i] for i in np.flatnonzero(good)]
    tricks = np.array([record.tricks for record in records], dtype=np.uint8).reshape(-1, 5, 4)
    boards = [
        Board(
            number=record.number,
            dealer=record.dealer,
            vulnerability=record.vulnerability,
            play=record.play,
        )
        for record in records
    ]
    return DealSet(owners[good], tricks, boards)


FORMAT = Format(
    name="dds-list",
    title="DDS test list",
    suffixes=(".txt",),
    sniff=lambda head: re.match(rb"\s*NUMBER\s+\d+\s", head) is not None,
    reader=_read,
    boards=True,
)
