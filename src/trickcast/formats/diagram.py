r"""Deals drawn as diagrams, as people paste them. Read only.

Supported: four hands around a compass (North alone, West and East side by side,
South), each with one suit per line or four suits on one line; the same stacked vertically with the
compass between; four hands in columns or lines, each with its seat. Suits have signs or
letters, or are words in the order S H D C. ``Board 2``, ``East Deals``, ``Dealer: E``, ``N-S
Vul`` and the like are read from the surrounding text, as is the table of exact tricks that
``trickcast solve`` prints. Other text is ignored.
"""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from ..cards import (
    Board,
    Deal,
    DealError,
    Seat,
    Strain,
    Vulnerability,
    counted,
)
from .board_text import NO_TRICKS, Table, reader_of
from .format import Format, Notices, Reading
from .streams import read_lines

_RANK = r"(?:10|[2-9TJQKA])"
_SUITS = {sign: suit for signs in ("♠♥♦♣", "♤♡♢♧", "SHDC") for suit, sign in enumerate(signs)}
_SUITS |= {"SPADES": 0, "HEARTS": 1, "DIAMONDS": 2, "CLUBS": 3}
_RANKS = rf"{_RANK}(?:[ ,]?{_RANK})*(?!\w)"
_VOID = r"(?:void|none|[-–—]+)(?!\S)"
_ITEM = re.compile(
    rf"(?:([♠♥♦♣♤♡♢♧])[\ufe0e\ufe0f]?[ :]?"
    rf"|(?<![\w.])(spades|hearts|diamonds|clubs|[SHDC])[ :.-]{{0,3}}(?={_RANKS}|{_VOID}))"
    rf"(?: ?({_RANKS})| ?{_VOID})?",
    re.IGNORECASE,
)
"""A suit of a hand: its sign or letter, then ranks or a dash; after a sign it may be empty."""
_WORD = rf"(?:{_RANK}+|[-–—])"
_WORDS = re.compile(
    rf"(?:(north|east|south|west|[NESW])\b *[:=]?)? *({_WORD}(?: +{_WORD})*) *", re.I
)
_DOTTED = re.compile(
    r" *(north|east|south|west|[NESW])"
    r" *(?:[:=]? +([2-9TJQKA10-]*(?:\.[2-9TJQKA10-]*){3})|[:=] *(-)) *", re.I,
)  # fmt: skip
"""A hand after its seat; or a dash for the one that gets the remaining cards."""
_BARE = re.compile(_WORD, re.IGNORECASE)
_RULE = re.compile(r"[-=+|: ]+")
_BLANK = re.compile(r"[^\S ]")
_SEAT = re.compile(r"\b(north|east|south|west|[NESW])\b", re.IGNORECASE)
_SEATS_ALONE = re.compile(r"[\s:|+*.-]*(?:(?:north|east|south|west|[NESW])[\s:|+*.-]*)+", re.I)
_NUMBER = re.compile(r"\b(?:board|brd|bd)\.?\s*(?:no\.?|nr\.?|number|#)?\s*:?\s*(\d{1,9})\b", re.I)
_DEALER = re.compile(
    r"\b(north|east|south|west|[NESW])\s+deals\b|\b(?:dealer|dlr)\b\s*[:=.]?\s*"
    r"(north|east|south|west|[NESW])\b", re.IGNORECASE,
)  # fmt: skip
_SIDES = (
    r"(N-S|NS|N/S|E-W|EW|E/W|none|nil|neither|both|all|love all|game all|north-south|east-west)"
)
_VULNERABLE = re.compile(
    rf"\b{_SIDES}(?:\s+sides?)?\s+vul(?:n|nerable)?\b|\bvul(?:n|nerable|nerability)?\b\s*[:=.]?\s*"
    rf"{_SIDES}\b|\b(love all|game all)\b", re.IGNORECASE,
)  # fmt: skip
_TABLE = re.compile(r"\s*NT\s+♠\s+♥\s+♦\s+♣\s*")
_TABLE_ROW = re.compile(r"\s*([NESW])\s+" + r"\s+".join([r"(\d{1,2}|\?)"] * 5) + r"\s*")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST = 1000
"""Most characters of a line that are examined."""
_SNIFFED = 1 << 14


class _Hand(NamedTuple):
    text: str
    """The four suits, joined by dots."""
    seat: Seat | None
    """The seat that a label names."""


@dataclass
class _Drawing:
    """What has been read of one deal so far."""

    line: int = 0
    """Line of its first hand."""
    blocks: list[list[_Hand]] = field(default_factory=list)
    """Hands side by side."""
    compass: bool = False
    """Whether compass letters appear between the hands."""
    number: int | None = None
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    table: Table = field(default_factory=lambda: NO_TRICKS)
    wrong: list[tuple[int, str]] = field(default_factory=list)
    """Line and reason for unreadable parts of the table."""

    @property
    def hands(self) -> list[_Hand]:
        return [hand for block in self.blocks for hand in block]

    def owners(self) -> bytes:
        """Return the 52 owners. Raises DealError."""
        hands = self.hands
        seats = [hand.seat for hand in hands]
        sizes = [len(block) for block in self.blocks]
        if len(hands) < 4:
            raise DealError(f"a diagram of {counted(len(hands), 'hand')} (expected 4)")
        if set(seats) != set(Seat):
            labelled = seats
            if sizes == [1, 2, 1] or (sizes == [1, 1, 1, 1] and self.compass):
                seats = [Seat.NORTH, Seat.WEST, Seat.EAST, Seat.SOUTH]
            else:
                raise DealError("four hands without seats (expected N, W and E, S)")
            for label, seat in zip(labelled, seats, strict=True):
                if label not in (None, seat) and not self.compass:  # its letters are no labels
                    raise DealError(f"{label}'s hand in {seat}'s place (expected North on top)")
        texts = {seat: hand.text for seat, hand in zip(seats, hands, strict=True)}
        return Deal("N:" + " ".join(texts[seat] for seat in Seat)).owner_bytes

    def board(self) -> Board:
        """Return the data of the board."""
        return Board(number=self.number, dealer=self.dealer, vulnerability=self.vulnerability)


class _Drawn(NamedTuple):
    """A parsed line."""

    items: list[tuple[int, str]]
    """Suit and ranks of each suit of a hand."""
    rest: str
    """The rest of the line."""


def _take_apart(line: str) -> _Drawn:
    items = [
        (
            _SUITS[(found[1] or found[2]).upper()],
            re.sub(r"[ ,]", "", found[3] or "").upper(),
        )
        for found in _ITEM.finditer(line)
    ]
    return _Drawn(items, _ITEM.sub("  ", line) if items else line)


def _take_row_apart(line: str, suit: int, across: bool) -> _Drawn:
    """Parse a row of hands side by side in which the suits have no signs, or the row has one sign.

    Without a sign the row is of the next ``suit``. Four hands, or a sign, are only allowed if the
    hands are ``across``, each below its seat. No items for any other line.
    """
    words = line.replace("|", " ").split()
    if across and len(words) == 5:
        suit = _SUITS.get(words.pop(0).rstrip(":").upper(), -1)
    seats = [word for word in words if _SEAT.fullmatch(word.rstrip(":"))]
    ranks = [word for word in words if _BARE.fullmatch(word)]
    if len(ranks) + len(seats) < len(words) or len(ranks) not in ((4,) if across else (1, 2)):
        return _Drawn([], line)
    return _Drawn([(suit, word.upper()) for word in ranks], " ".join(seats))


def _drawings(lines: Iterable[tuple[int, str]]) -> Iterator[_Drawing]:
    """Yield the deals drawn in the lines, complete or not."""
    drawing, column = _Drawing(), list[list[str]]()  # suits so far of hands side by side
    labels: list[Seat] = []  # of the previous line
    own: list[Seat] = []  # of the hands side by side being read
    bare = False  # whether their suits have no signs
    for number, text in lines:
        line = _BLANK.sub(" ", html.unescape(_COLOUR.sub("", text[:_LONGEST])).expandtabs())
        line = line.replace("**", "  ")
        if not line.strip():
            continue
        if _TABLE_ROW.fullmatch(line) or _TABLE.fullmatch(line):
            _add_results(drawing, line, number)
            continue
        across = len(own if column else labels) == 4
        row = _take_row_apart(line, len(column[0]) if column else 0, across)
        hands = [] if row.items and (across or column) else _hands_on_a_line(line)
        drawn = _Drawn([], "") if hands else _take_apart(line)
        if bare and not row.items:
            column = []
        if row.items and not hands and (across or not drawn.items):
            drawn, bare = row, True
        elif drawn.items:
            bare = False
        begins = not column and (hands or (drawn.items and drawn.items[0][0] == 0))
        if begins and (len(drawing.hands) >= 4 or not drawing.hands):
            if drawing.hands:
                yield drawing
                drawing = _Drawing()
            drawing.line = number
        if _says_number(drawn.rest) and drawing.hands and not column:
            yield drawing  # the rest is another board
            drawing = _Drawing(line=number)
        _add_facts(drawing, drawn.rest)
        if hands:
            drawing.blocks.append(hands)
        elif drawn.items:
            suits = {suit for suit, _ in drawn.items}
            if suits == {len(column[0]) if column else 0}:
                if not column:
                    own = _labels_of(drawn.rest, labels, len(drawn.items))
                    column = [[] for _ in drawn.items]
                if len(column) == len(drawn.items):
                    for hand, (_, ranks) in zip(column, drawn.items, strict=True):
                        hand.append(ranks)
            else:
                column = []
            if column and len(column[0]) == 4:
                seats: list[Seat | None] = [*own] or [None] * len(column)
                texts = [".".join(hand) for hand in column]
                if not bare or all(_count(text) == 13 for text in texts):
                    drawing.blocks.append([_Hand(*hand) for hand in zip(texts, seats, strict=True)])
                column = []
        if drawn.items or not _RULE.fullmatch(line):
            alone = not hands and not drawn.items and _SEATS_ALONE.fullmatch(line) is not None
            labels = [Seat.parse(found[0]) for found in _SEAT.finditer(line)] if alone else []
            drawing.compass = drawing.compass or (bool(drawing.blocks) and alone)
    if drawing.hands:
        yield drawing


def _count(text: str) -> int:
    """Return the number of cards in a text."""
    return len(re.sub(r"[.–—-]|1(?=0)", "", text))


def _labels_of(rest: str, before: list[Seat], count: int) -> list[Seat]:
    """Return the seats of hands that begin on a line, from it or from the previous line."""
    if count == 1 and (label := re.fullmatch(r"\s*(north|east|south|west|[NESW])\s*[:=]?\s*", rest,
                                             re.IGNORECASE)):  # fmt: skip
        return [Seat.parse(label[1])]
    return before if len(before) == count else []


def _hands_on_a_line(line: str) -> list[_Hand]:
    """Return the hands of a line that holds complete ones: each four words, or four suits."""
    if (found := _DOTTED.fullmatch(line)) is not None:
        return [_Hand(found[2] or found[3], Seat.parse(found[1]))]
    items = _take_apart(line).items
    if items and [suit for suit, _ in items] == [0, 1, 2, 3] * (len(items) // 4):
        texts = [ranks for _, ranks in items]
        seats = _labels_of(_take_apart(line).rest, [], len(items) // 4)
    elif (words := _WORDS.fullmatch(line)) is not None:
        texts = words[2].split()
        seats = [Seat.parse(words[1])] if words[1] and len(texts) == 4 else []
        parts = [".".join(texts[k : k + 4]) for k in range(0, len(texts), 4)]
        if len(texts) not in (4, 8) or any(_count(part) != 13 for part in parts):
            return []
    else:
        return []
    hands = [".".join(texts[k : k + 4]) for k in range(0, len(texts), 4)]
    own = seats if len(seats) == len(hands) else [None] * len(hands)
    return [_Hand(*hand) for hand in zip(hands, own, strict=True)]


def _says_number(text: str) -> bool:
    return _NUMBER.search(text) is not None


def _add_facts(drawing: _Drawing, text: str) -> None:
    """Read number, dealer and vulnerability from the text around the hands."""
    if found := _NUMBER.search(text):
        drawing.number = int(found[1])
    if found := _DEALER.search(text):
        drawing.dealer = Seat.parse(found[1] or found[2])
    if found := _VULNERABLE.search(text):
        words = next(word for word in found.groups() if word).upper()
        words = words.replace("NORTH-SOUTH", "NS").replace("EAST-WEST", "EW")
        drawing.vulnerability = Vulnerability.parse(words)


def _add_results(drawing: _Drawing, line: str, number: int) -> None:
    """Read a row of the table of exact tricks."""
    row = _TABLE_ROW.fullmatch(line)
    if row is None or len(drawing.hands) < 4:
        return
    if drawing.table is NO_TRICKS:
        drawing.table = NO_TRICKS.copy()
    strains = (Strain.NOTRUMP, Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS)
    for strain, count in zip(strains, row.groups()[1:], strict=True):
        if count != "?" and int(count) <= 13:
            drawing.table[strain, Seat.parse(row[1])] = int(count)
        elif count != "?":
            reason = f"{count} tricks by {row[1]} are left out (expected 0 to 13)"
            drawing.wrong.append((number, reason))


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the tricks of each deal drawn."""
    for drawing in _drawings(read_lines(stream, reading)):
        try:
            owners = drawing.owners()
        except DealError as error:
            reading.refuse(reading.error(f"line {drawing.line}", str(error)))
        else:
            for line, reason in drawing.wrong:
                notices.add("tricks that cannot be read, left out", f"line {line}", reason)
            yield owners, drawing.board(), drawing.table


def _sniff(head: bytes) -> bool:
    lines = head[:_SNIFFED].decode("utf-8", "replace").splitlines()
    for drawing in _drawings(enumerate(lines, 1)):
        try:
            return bool(drawing.owners())
        except DealError:
            if len(drawing.hands) >= 4 and any(sign in "♠♤" for line in lines for sign in line):
                return True  # to report what is wrong with it
    return False


FORMAT = Format(
    name="diagram",
    title="diagrams of deals",
    suffixes=(".txt",),
    sniff=lambda head: b"\0" not in head and _sniff(head),
    reader=reader_of(_boards),
    boards=True,
)
