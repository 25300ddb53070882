"""BEN's boards (github.com/lorserker/ben), in two lines or in one. Read only.

Two lines a board: the hands of N E S W, then dealer, vulnerability and calls. One line: dealer,
vulnerability, the hands of N E S W, and the calls behind ``#``, joined by hyphens::

    AK3.QT95.KJ4.Q62 QJ.K873.AQT6.KJ5 T97.AJ64.985.A83 86542.2.732.T974
    N None 1N P 3N P P P

    N None AK3.QT95.KJ4.Q62 QJ.K873.AQT6.KJ5 T97.AJ64.985.A83 86542.2.732.T974 #1N-P-3N-P-P-P
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from ..cards import Board, DealError, Seat, Vulnerability, shorten
from ..cards.auction import contract_of
from .board_text import NO_TRICKS, Note, Table, read_calls, reader_of, shown_owners
from .format import Format, Notices, Reading
from .streams import read_lines

_HANDS = r"[2-9TJQKAX.]{3,20}(?: +[2-9TJQKAX.]{3,20}){3}"
_SAID = r"([NESW]) +(None|N-S|E-W|Both|Love|NS|EW|All|-)(?!\S)"
_HANDS_LINE = re.compile(_HANDS, re.IGNORECASE)
_SAID_LINE = re.compile(rf"{_SAID}(?: +(.*))?", re.IGNORECASE)
_WHOLE_LINE = re.compile(rf"{_SAID} +({_HANDS})\s*(?:#(.*))?", re.IGNORECASE)
_SNIFF = re.compile(
    rf"^\s*(?:{_SAID} +{_HANDS}\s*(?:#|$)|{_HANDS}\s*?\n\s*{_SAID})".encode(),
    re.IGNORECASE | re.MULTILINE,
)


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the unknown tricks of each board."""
    hands, begun = "", 0  # of a board whose second line has not come yet
    for number, line in read_lines(stream, reading):
        text = line.removeprefix("\ufeff").strip()
        if not text:
            continue
        whole, said = _WHOLE_LINE.fullmatch(text), _SAID_LINE.fullmatch(text)
        if hands and (said is None or whole is not None):
            reason = "hands without a line of dealer, vulnerability and calls (expected 'N None …')"
            reading.refuse(reading.error(f"line {begun}", reason))
        if whole is None and (said is None or not hands):
            if _HANDS_LINE.fullmatch(text):
                hands, begun = text, number
            else:
                reason = f"{shorten(text)} (expected hands of N E S W, or such as 'N None 1N P …')"
                reading.refuse(reading.error(f"line {number}", reason))
                hands = ""
            continue
        if whole is not None:
            dealer, vulnerable, hands, calls = whole.groups(default="")
            begun = number
        else:
            assert said is not None
            dealer, vulnerable, calls = said.groups(default="")
        try:
            owners = shown_owners(f"N:{hands}", reading)
        except DealError as error:
            reading.refuse(reading.error(f"line {begun}", str(error)))
        else:
            note = notices.at(f"line {number}")
            yield owners, _board(dealer, vulnerable, calls, note), NO_TRICKS
        hands = ""
    if hands:
        reason = "the file ends after the hands (expected dealer, vulnerability and calls)"
        reading.refuse(reading.error(f"line {begun}", reason))


def _board(dealer: str, vulnerable: str, calls: str, note: Note) -> Board:
    seat = Seat.parse(dealer)
    auction = read_calls(calls.replace("-", " ").split(), note)
    contract, declarer = contract_of(seat, auction)
    return Board(
        dealer=seat,
        vulnerability=Vulnerability.parse(vulnerable),
        contract=contract,
        declarer=declarer,
        auction=auction,
    )


FORMAT = Format(
    name="ben",
    title="BEN's boards",
    suffixes=(".ben", ".txt"),
    sniff=lambda head: _SNIFF.search(head.removeprefix(b"\xef\xbb\xbf")) is not None,
    reader=reader_of(_boards),
    tricks=False,
    boards=True,
)
