"""The test lists of DDS, ``list100.txt`` and the like. Read only.

``NUMBER n``, then n records. Each begins with ``PBN dealer vulnerability trump first "deal"`` and
holds lines that begin with a word: ``TABLE`` (declarers' tricks in S H D C NT, in each declared by
N E S W) and ``PLAY`` (number of cards, then the cards) are read; ``FUT``, ``TRACE``, ``PAR`` and
``PAR2`` are what DDS must answer for the lead given by trump and first, and are passed over.
Codes: seats N E S W = 0-3; vulnerable none, both, N-S, E-W = 0-3.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from ..cards import UNKNOWN, Board, DealError, DealSet, Seat, Vulnerability, parse_card, shorten
from .base import Format, FormatError
from .blocks import read_lines
from .handtext import read_deal_texts

_VULNERABLE = (Vulnerability.NONE, Vulnerability.BOTH, Vulnerability.NS, Vulnerability.EW)
_DEAL = re.compile(r'PBN\s+([0-3])\s+([0-3])\s+([0-4])\s+([0-3])\s+"([^"]*)"')
_PLAY = re.compile(r'PLAY\s+(\d{1,2})\s+"([^"]*)"')
_PASSED_OVER = ("FUT", "TRACE", "PAR", "PAR2")
_NO_TRICKS = (UNKNOWN,) * 20


@dataclass(slots=True)
class _Record:
    line: int
    deal: str
    dealer: Seat
    vulnerability: Vulnerability
    tricks: tuple[int, ...] = _NO_TRICKS
    play: tuple[str, ...] = ()


def _read(stream: BinaryIO, name: str, chunk: int) -> Iterator[DealSet]:
    stripped = ((number, text.strip()) for number, text in read_lines(stream, name))
    lines = ((number, text) for number, text in stripped if text)
    number, text = next(lines, (1, ""))
    said = re.fullmatch(r"NUMBER\s+(\d+)", text)
    if said is None:
        what = shorten(text) if text else "the file is empty"
        raise FormatError(f"{name}: line {number}: {what} (expected NUMBER and how many deals)")
    count, records = 0, list[_Record]()
    for number, text in lines:
        if text.split(maxsplit=1)[0] == "PBN" and len(records) == chunk:
            yield _deals(records, name, count)
            count, records = count + len(records), []
        _read_line(text, records, f"{name}: line {number}", number)
    if records:
        yield _deals(records, name, count)
        count += len(records)
    if count != int(said[1]):
        raise FormatError(
            f"{name}: line {number}: the file ends after {count} deals "
            f"(expected {said[1]}, as NUMBER says)"
        )


def _read_line(text: str, records: list[_Record], where: str, number: int) -> None:
    """Begin a record, or add to the last one what the line says."""
    word = text.split(maxsplit=1)[0]
    if word == "PBN":
        deal = _DEAL.fullmatch(text)
        if deal is None:
            raise FormatError(
                f"{where}: {shorten(text)} "
                '(expected PBN, codes of dealer, vulnerability, trump and first, and "deal")'
            )
        records.append(_Record(number, deal[5], Seat(int(deal[1])), _VULNERABLE[int(deal[2])]))
    elif word not in ("TABLE", "PLAY", *_PASSED_OVER):
        raise FormatError(
            f"{where}: {shorten(text)} "
            "(expected a line with PBN, FUT, TABLE, PAR, PAR2, PLAY or TRACE)"
        )
    elif not records:
        raise FormatError(f"{where}: {word} before the first deal (expected PBN)")
    elif word == "TABLE":
        records[-1].tricks = _table(text, where)
    elif word == "PLAY":
        records[-1].play = _play(text, where)


def _table(text: str, where: str) -> tuple[int, ...]:
    numbers = text.split()[1:]
    if len(numbers) != 20:
        raise FormatError(f"{where}: {len(numbers)} results (expected 20)")
    for number in numbers:
        if not (number.isascii() and number.isdigit() and int(number) <= 13):
            raise FormatError(f"{where}: {shorten(number)} tricks (expected 0 to 13)")
    return tuple(map(int, numbers))


def _play(text: str, where: str) -> tuple[str, ...]:
    play = _PLAY.fullmatch(text)
    cards = play[2] if play else ""
    if play is None or len(cards) != 2 * int(play[1]):
        raise FormatError(f"{where}: {shorten(text)} (expected PLAY, the number of cards, cards)")
    try:
        for place in range(0, len(cards), 2):
            parse_card(cards[place : place + 2])
    except DealError as error:
        raise FormatError(f"{where}: {error}") from None
    return tuple(cards[place : place + 2] for place in range(0, len(cards), 2))


def _deals(records: list[_Record], name: str, before: int) -> DealSet:
    """Collect records, of which ``before`` others stand before the first."""
    owners = read_deal_texts(
        [record.deal for record in records], lambda i: f"{name}: line {records[i].line}"
    )
    tricks = np.array([record.tricks for record in records], dtype=np.uint8).reshape(-1, 5, 4)
    boards = [
        Board(
            number=before + i,
            dealer=record.dealer,
            vulnerability=record.vulnerability,
            play=record.play,
        )
        for i, record in enumerate(records, start=1)
    ]
    return DealSet(owners, tricks, boards)


FORMAT = Format(
    name="dds-list",
    title="DDS test list",
    suffixes=(".txt",),
    sniff=lambda head: re.match(rb"\s*NUMBER\s+\d+\s", head) is not None,
    read=_read,
    boards=True,
)
