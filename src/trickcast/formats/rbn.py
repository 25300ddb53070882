"""RBN, Richard Pavlicek's notation: a letter, a blank and data on each line. Read only.

Fields: ``H`` hands (first seat, then up to four clockwise, each after ``:`` or, where players do
not see it, ``;``), ``B`` board, ``A`` auction (dealer, vulnerability, calls), ``D`` date, ``E``
event, ``L`` place, ``F`` scoring; these last four and ``B`` and ``H`` hold for the records after
until others are given. A blank line ends a record, text in braces is a comment, lines with ``%``
are headers. What the other fields hold is told as left out.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from ..cards import Board, Deal, DealError, DealSet, Seat, Tag, Vulnerability, shorten
from .auction import contract_of, parse_call, parse_count
from .base import Format, Reading
from .blocks import read_lines
from .notices import Notices
from .records import NO_TRICKS, Table, deal_sets, some_deals, with_fourth_hand

_TAGS = {"E": "Event", "L": "Site", "D": "Date", "F": "Scoring"}
"""Fields that PBN has tags for, in its order."""
_KEPT = (*_TAGS, "B", "H")
"""Fields that hold until others are given."""
_FIELDS = "DTLEFSKNBHACPRMI"
_LINE = re.compile(rf"([{_FIELDS}])(?: (.*))?")
_VULNERABLE = {
    "Z": Vulnerability.NONE,
    "N": Vulnerability.NS,
    "E": Vulnerability.EW,
    "B": Vulnerability.BOTH,
    "?": None,
}
_AUCTION = re.compile(r"([NESW])([ZNEB?]):(.*)")
_CALL = re.compile(r"([1-7][CDHSN]|[PXR])((?:\*|\^[0-9])*)")
_SNIFF = re.compile(rb"^H [NESW][:;][2-9TJQKA.]+[:;]", re.MULTILINE)
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)")

_Fields = dict[str, tuple[int, str]]
"""Line number and data of each field."""


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    notices = Notices(reading.name)
    yield from some_deals(deal_sets(_boards(stream, reading, notices), chunk), reading)
    notices.close()


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the unknown tricks of each record."""
    for fields in _records(stream, reading, notices):
        line, hands = fields["H"]
        try:
            owners = _owners(hands)
        except DealError as error:
            reading.refuse(reading.error(f"line {line}", str(error)))
            continue
        yield owners, _board(fields, notices), NO_TRICKS


def _records(stream: BinaryIO, reading: Reading, notices: Notices) -> Iterator[_Fields]:
    """Yield the fields of each record, with those that hold from before it."""
    fields: _Fields = {}
    own: set[str] = set()  # fields of the record itself
    number = 0
    for number, text in read_lines(stream, reading):
        text = _COMMENT.sub("", text) if "{" in text else text
        field = _LINE.fullmatch(text.rstrip())
        if not text.strip():
            if own:
                yield from _complete(fields, own, reading, number)
            fields = {name: fields[name] for name in _KEPT if name in fields}
            own = set()
        elif field is not None:
            fields[field[1]] = (number, (field[2] or "").strip())
            own.add(field[1])
        elif text[0] != "%":
            notices.add("lines that are not RBN, left out", f"line {number}",
                        f"{shorten(text)} is not RBN and is left out (expected a letter, a blank "
                        "and data)")  # fmt: skip
    if own:
        yield from _complete(fields, own, reading, number)


def _complete(fields: _Fields, own: set[str], reading: Reading, number: int) -> Iterator[_Fields]:
    """Yield a record that has hands; a record without any, or a text alone, says no deal."""
    if "H" in own or ("H" in fields and own & {"A", "C", "P", "R"}):
        yield fields
    elif own & {"B", "A", "C", "P", "R", "M"}:
        reason = "the board has no hands (expected a line such as H N:AK.QJ.T98.765432:…)"
        reading.refuse(reading.error(f"line {number}", reason))


def _owners(hands: str) -> bytes:
    """Return the 52 owners of an H field. Raises DealError."""
    first, *texts = re.split("[:;]", hands.rstrip(":;"))
    texts += ["-"] * (4 - len(texts))
    return Deal(with_fourth_hand(f"{first}:{' '.join(text or '-' for text in texts)}")).owner_bytes


def _board(fields: _Fields, notices: Notices) -> Board:
    number, dealer, vulnerability = None, None, None
    calls: list[str] = []
    if "B" in fields:
        line, text = fields["B"]
        try:
            number = parse_count(text, 999_999_999)
        except ValueError as error:
            notices.add("board numbers left out", f"line {line}", f"B: {error}")
    if "A" in fields:
        line, text = fields["A"]
        try:
            dealer, vulnerability, calls = _auction(text)
        except ValueError as error:
            notices.add("auctions left out", f"line {line}", f"A: {error}")
    contract, declarer = (None, None) if dealer is None else contract_of(dealer, calls)
    for name, (line, _) in fields.items():
        if name not in (*_KEPT, "A"):
            notices.add(f"fields {name} left out", f"line {line}", f"{name} is left out")
    return Board(
        number=number,
        dealer=dealer,
        vulnerability=vulnerability,
        contract=contract,
        declarer=declarer,
        auction=tuple(calls),
        tags=tuple(Tag(tag, fields[name][1]) for name, tag in _TAGS.items() if name in fields),
    )


def _auction(text: str) -> tuple[Seat, Vulnerability | None, list[str]]:
    """Return dealer, vulnerability and calls of an A field. Raises ValueError."""
    parts = _AUCTION.fullmatch(text)
    if parts is None:
        raise ValueError(f"{shorten(text)} (expected such as NZ:1NP3N:PPP)")
    calls, at, rounds = [], 0, parts[3].replace(":", "")
    while at < len(rounds):
        call = _CALL.match(rounds, at)
        if call is None:
            raise ValueError(f"{shorten(rounds[at:])} is no call (expected P, X, R or 1C to 7N)")
        calls.append(parse_call(call[1]))
        at = call.end()
    return Seat.parse(parts[1]), _VULNERABLE[parts[2]], calls


FORMAT = Format(
    name="rbn",
    title="Richard's Bridge Notation",
    suffixes=(".rbn",),
    sniff=lambda head: b"\0" not in head and _SNIFF.search(head) is not None,
    reader=_read,
    tricks=False,
    boards=True,
)
