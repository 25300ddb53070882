"""RBN, Richard Pavlicek's notation: a letter, a blank and data on each line. Read only.

Fields: ``H`` hands (first seat, then up to four clockwise, each after ``:`` or, if players do
not see it, ``;``), ``B`` board, ``A`` auction (dealer, vulnerability, calls), ``D`` date, ``E``
event, ``L`` place, ``F`` scoring. The last four, ``B`` and ``H`` hold for later records
until others are given. ``C`` contract and declarer, ``R`` declarer's tricks, or over- or
undertricks, ``P`` the leader and the cards in the order played, without a suit
for cards of the suit led. A blank line ends a record. Text in braces is a comment, on one
line or many. Lines with ``%`` are headers. Other fields are reported as left out.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from ..cards import (
    Board,
    DealError,
    Seat,
    Tag,
    Vulnerability,
    shorten,
)
from ..cards.auction import contract_of, parse_call, strain_of
from .board_text import (
    NO_TRICKS,
    Note,
    Outcome,
    Table,
    outcome_difference,
    parse_count,
    possible_calls,
    possible_play,
    reader_of,
    shown_owners,
    tricks_of,
)
from .format import Format, Notices, Reading
from .streams import read_lines

_TAGS = {"E": "Event", "L": "Site", "D": "Date", "F": "Scoring"}
"""Fields that PBN has tags for, in PBN's order."""
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
_CONTRACT = re.compile(r"([1-7])([CDHSN])T?(X{0,2}|R)[ :]*([NESW])?", re.IGNORECASE)
_RESULT = re.compile(r"(=|[+-]?[0-9]{1,2})(?![0-9]).*")
_PLAY = re.compile(r"([NESW]):(.*)")
_CARD = re.compile(r"([SHDC]?)([2-9TJQKA])")
_SNIFF = re.compile(rb"^H [NESW][:;][2-9TJQKA.]+[:;]", re.MULTILINE)
_COMMENT = re.compile(r"\{[^}]*\}")
_PASSED = re.compile(r"P(?:ass(?:ed)?(?:\s*out)?)?", re.IGNORECASE)

_T = TypeVar("_T")
_Fields = dict[str, tuple[int, str]]
"""Line number and data of each field."""


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the unknown tricks of each record."""
    for fields in _records(stream, reading, notices):
        line, hands = fields["H"]
        try:
            owners = _owners(hands, reading)
        except DealError as error:
            reading.refuse(reading.error(f"line {line}", str(error)))
            continue
        yield owners, _board(fields, owners, notices), NO_TRICKS


def _records(stream: BinaryIO, reading: Reading, notices: Notices) -> Iterator[_Fields]:
    """Yield the fields of each record, with those that hold from earlier ones."""
    fields: _Fields = {}
    own: set[str] = set()  # fields of the record itself
    number = 0
    for number, text, blank in _without_comments(stream, reading, notices):
        field = _LINE.fullmatch(text.rstrip())
        if blank:
            if own:
                yield from _complete(fields, own, reading, number)
            fields = {name: fields[name] for name in _KEPT if name in fields}
            own = set()
        elif not text.strip():  # only a comment
            continue
        elif field is not None:
            fields[field[1]] = (number, (field[2] or "").strip())
            own.add(field[1])
        elif text[0] != "%":
            notices.add("lines that are not RBN, left out", f"line {number}",
                        f"{shorten(text)} is not RBN and is left out (expected a letter, a blank "
                        "and data)")  # fmt: skip
    if own:
        yield from _complete(fields, own, reading, number)


def _without_comments(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[int, str, bool]]:
    """Yield number and text of each line without its comments, and whether it was blank."""
    inside: list[tuple[int, str]] = []  # the line that opened a comment, and those after it
    for number, line in read_lines(stream, reading, latin_1=True):
        blank, text = not (inside or line.strip()), line
        if inside:
            inside.append((number, line))
            _, end, text = line.partition("}")
            if not end:
                continue
            inside = []
        if "{" in text and text[0] != "%":
            text, begun, _ = _COMMENT.sub("", text).partition("{")
            inside = [(number, line)] if begun else []
        yield number, text, blank
    if inside:
        notices.add("comments without an end", f"line {inside[0][0]}",
                    "the comment that starts here is never closed (expected '}'); the line ends "
                    "it")  # fmt: skip
    for number, line in inside[1:]:  # none of them has a }
        yield number, line.partition("{")[0], not line.strip()


def _complete(fields: _Fields, own: set[str], reading: Reading, number: int) -> Iterator[_Fields]:
    """Yield a record that has hands; one without hands, or with text only, is not a deal."""
    if "H" in own or ("H" in fields and own & {"A", "C", "P", "R"}):
        yield fields
    elif own & {"B", "A", "C", "P", "R", "M"}:
        reason = "the board has no hands (expected a line such as H N:AK.QJ.T98.765432:…)"
        reading.refuse(reading.error(f"line {number}", reason))


def _owners(hands: str, reading: Reading) -> bytes:
    """Return the 52 owners of an H field. Raises DealError."""
    first, *texts = re.split("[:;]", hands.rstrip(":;"))
    texts += ["-"] * (4 - len(texts))
    return shown_owners(f"{first}:{' '.join(text or '-' for text in texts)}", reading)


def _board(fields: _Fields, owners: bytes, notices: Notices) -> Board:
    def value_of(name: str, parse: Callable[[str], _T]) -> _T | None:
        """Return what a field holds; unreadable values are reported and left out."""
        line, text = fields.get(name, (0, ""))
        try:
            return parse(text) if text else None
        except ValueError as error:
            notices.add(f"fields {name} left out", f"line {line}", f"{name}: {error}")
            return None

    def note_on(name: str) -> Note:
        line = fields.get(name, (0, ""))[0]
        return lambda kind, message: notices.add(kind, f"line {line}", f"{name}: {message}")

    number = value_of("B", lambda text: parse_count(text, 999_999_999))
    dealer, vulnerability, rounds = value_of("A", _opened) or (None, None, "")
    auction = possible_calls(_calls(rounds, note_on("A")), note_on("A"))
    called = (None, None) if dealer is None else contract_of(dealer, auction)
    stated = value_of("C", _contract) or (None, None)
    if difference := outcome_difference(called, stated, "C says"):
        note_on("C")("fields C that the auction contradicts, left out",
                     f"{difference}; the auction counts")  # fmt: skip
    contract, declarer = stated if called[0] is None else called
    cards = value_of("P", lambda text: _play(text, contract, note_on("P"))) or []
    leader = Seat.parse(fields["P"][1][0]) if cards else None
    play = possible_play(cards, strain_of(contract), owners, note_on("P"), leader)
    result = value_of("R", lambda text: _result(text, contract))
    if result is None:
        result = tricks_of(play, declarer, strain_of(contract), owners)
    for name, (line, _) in fields.items():
        if name not in (*_KEPT, *"ACPR"):
            notices.add(f"fields {name} left out", f"line {line}", f"{name} is left out")
    return Board(
        number=number,
        dealer=dealer,
        vulnerability=vulnerability,
        contract=contract,
        declarer=declarer,
        result=result,
        auction=auction,
        play=play,
        tags=tuple(Tag(tag, fields[name][1]) for name, tag in _TAGS.items() if name in fields),
    )


def _contract(text: str) -> Outcome:
    """Return contract and declarer of a C field. Raises ValueError."""
    if _PASSED.fullmatch(text):
        return "PASS", None
    parts = _CONTRACT.fullmatch(text.strip())
    if parts is None:
        raise ValueError(f"{shorten(text)} (expected such as 4SX:N)")
    level, strain, doubling, seat = parts.groups()
    contract = level + strain.upper() + doubling.upper().replace("R", "XX")
    return contract, None if seat is None else Seat.parse(seat)


def _result(text: str, contract: str | None) -> int:
    """Return the tricks of an R field. Raises ValueError."""
    parts = _RESULT.fullmatch(text)
    if parts is None:
        raise ValueError(f"{shorten(text)} (expected the tricks of declarer)")
    tricks = int(parts[1].replace("=", "0"))
    if parts[1][0] in "+-=":
        if strain_of(contract) is None:
            raise ValueError(f"{shorten(text)} of no contract")
        tricks += 6 + int(str(contract)[0])
    if not 0 <= tricks <= 13:
        raise ValueError(f"{shorten(text)} (expected 0 to 13 tricks)")
    return tricks


def _play(text: str, contract: str | None, note: Note) -> list[str]:
    """Return the cards of a P field in the order played, up to the first invalid card.

    Raises ValueError if nothing can be read.
    """
    strain, parts = strain_of(contract), _PLAY.fullmatch(text)
    if strain is None or parts is None:
        raise ValueError(f"{shorten(text)} (expected such as N:SAK52, and a contract)")
    cards, at = list[str](), 0
    played = parts[2].replace(":", "").replace(" ", "")
    while at < len(played):
        match = _CARD.match(played, at)
        if match is None or not (match[1] or len(cards) % 4):
            note("fields P read in part",
                 f"{shorten(played[at:])} is not a card (expected such as SA)")  # fmt: skip
            break
        cards.append((match[1] or cards[len(cards) // 4 * 4][0]) + match[2])
        at = match.end()
    return cards


def _opened(text: str) -> tuple[Seat | None, Vulnerability | None, str]:
    """Return dealer, vulnerability and the text of the calls of an A field. Raises ValueError."""
    parts = _AUCTION.fullmatch(text)
    if parts is None:
        raise ValueError(f"{shorten(text)} (expected such as NZ:1NP3N:PPP)")
    return Seat.parse(parts[1]), _VULNERABLE[parts[2]], parts[3].replace(":", "")


def _calls(rounds: str, note: Note) -> list[str]:
    """Return the calls of an A field, up to the first invalid call."""
    calls, at = list[str](), 0
    while at < len(rounds):
        call = _CALL.match(rounds, at)
        if call is None:
            note("fields A read in part",
                 f"{shorten(rounds[at:])} is not a call (expected P, X, R or 1C to 7N); the calls "
                 "before it are kept")  # fmt: skip
            break
        calls.append(parse_call(call[1]))
        at = call.end()
    return calls


FORMAT = Format(
    name="rbn",
    title="Richard's Bridge Notation",
    suffixes=(".rbn",),
    sniff=lambda head: b"\0" not in head and _SNIFF.search(head) is not None,
    reader=reader_of(_boards),
    tricks=False,
    boards=True,
)
