r"""Portable Bridge Notation, tistis.nl/pbn/pbn_v21.txt.

The reader takes files as they are found: deals from any first seat, boards without blank lines
between them, other tables' records of a deal without a Deal tag, text between boards. What it reads
leniently it says by FormatWarnings. The writer gives PBN 2.1 in export order, in ASCII (text that
is not ASCII, such as players' names, in UTF-8, which readers of today take).
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ..cards import Board, Deal, DealError, DealSet, Tag, cut, shorten
from .base import Format, FormatError, Reading, raised_by
from .lin_board import beyond_fields
from .notices import Notices
from .pbn_board import NoteOnTag, read_board, write_board
from .pbn_lines import (
    EXPORT_ORDER,
    TagLine,
    blocks,
    check_lines,
    escape,
    pieces,
    read_lines,
)
from .records import (
    NO_TRICKS,
    SAYS_NOTHING,
    Table,
    deal_sets,
    hand_texts,
    place_of,
    plain_owners,
    some_deals,
    with_fourth_hand,
)

_OF_THE_DEAL = ("Deal", "Board", "Dealer", "Vulnerable")
"""What the record of another table shares with the board before when it does not say it."""
_OF_A_TABLE = frozenset(("Declarer", "Contract", "Result", "Auction", "Play", "Score"))
"""What the record of another table says at least one of."""
_EXPORTED = frozenset(EXPORT_ORDER)
_SNIFF = re.compile(
    rb'^(?:\xef\xbb\xbf)?[ \t]*(%\s*PBN\b|\[\s*(Event|Site|Board|Deal|Date|Dealer|West|North)\s+")',
    re.MULTILINE | re.IGNORECASE,
)


def _sniff(head: bytes) -> bool:
    return b"\0" not in head and _SNIFF.search(head) is not None


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    notices = Notices(reading.name)
    yield from some_deals(deal_sets(_boards(stream, reading, notices), chunk), reading)
    notices.close()


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the trick table of each record of a deal."""
    before: dict[str, TagLine] = {}
    text, owners = None, b""
    lines = read_lines(stream, reading, notices)
    for record in _records(blocks(pieces(lines, reading, notices), reading), reading, notices):
        before = _complete(record, before, reading, notices)
        deal = before.get("Deal")
        if deal is None:  # it was "#", and there is none before
            continue
        if deal.value != text:  # tables of one deal stand together
            try:
                text, owners = deal.value, _owners(deal, notices)
            except DealError as error:
                reading.refuse(reading.error(f"line {deal.number}", str(error)))
                text = None
                continue
        tags = [t.tag for t in record if t.name != "Deal"]
        if deal.lines:
            tags.append(Tag("Deal", "", tuple(deal.lines)))
        board, table = SAYS_NOTHING, NO_TRICKS
        if tags:
            board, table = read_board(tags, _note_on(record, notices))
        yield owners, board, table


def _note_on(record: list[TagLine], notices: Notices) -> NoteOnTag:
    """Return what takes notes of the tags of a record, each at the line of its tag."""
    lines: dict[str, list[int]] = {}
    for tag in record:
        if tag.name:
            lines.setdefault(tag.name, []).append(tag.number)

    def note(kind: str, message: str, name: str, nth: int = 0) -> None:
        numbers = lines.get(name) or next(iter(lines.values()))  # worked out from another tag
        notices.add(kind, f"line {numbers[nth]}", message)

    return note


class _Record:
    """The tags of one board so far."""

    def __init__(self) -> None:
        self.tags: list[TagLine] = []
        self.names: set[str] = set()
        self._number: str | None = None

    def add(self, block: list[TagLine]) -> None:
        """Put a block of tags to those that are there."""
        if self.tags and not block[0].name:
            self.tags[-1].lines += block[0].lines
            block = block[1:]
        self.tags += block
        for tag in block:
            self.names.add(tag.name)
            if tag.name == "Board" and self._number is None:
                self._number = tag.value

    def begin_with(self, other: "_Record") -> None:
        """Put what stands before at the beginning."""
        self.tags, block = other.tags, self.tags
        self.names, self._number = other.names, other._number
        if block:
            self.add(block)

    @property
    def is_whole(self) -> bool:
        """Whether this is a record by itself, and not only the beginning of the next one."""
        return "Deal" in self.names or not self.names.isdisjoint(_OF_A_TABLE)

    def is_other_board_than(self, block: list[TagLine]) -> bool:
        """Whether the number in a block says that it is of another board."""
        values = [tag.value for tag in block if tag.name == "Board" and tag.value != "#"]
        return bool(values) and values != [self._number]


def _records(
    found: Iterable[list[TagLine]], reading: Reading, notices: Notices
) -> Iterator[list[TagLine]]:
    """Make of blocks the records of boards played: one block each, where files keep to the rule.

    Only the record of another table at the same board has no Deal tag. Refuses a board without
    deal.
    """
    held, waiting = _Record(), _Record()
    for block in found:  # waiting is what stands before a Deal, or comments
        names = {tag.name for tag in block}
        if not waiting.names.isdisjoint(names & _EXPORTED):
            reading.refuse(_no_deal(waiting.tags, reading))
            waiting = _Record()
        if held.tags and ("Deal" in names or held.is_other_board_than(block)):
            if held.is_whole:
                yield held.tags
            else:
                waiting.begin_with(held)
            held = _Record()
        if "Deal" in names:
            held, waiting = waiting, _Record()
        elif not held.tags or names == {""}:
            waiting.add(block)
            continue
        elif not held.names.isdisjoint(names - {"Note", ""}):
            yield held.tags
            held, waiting = waiting, _Record()
        else:
            notices.add("blank lines inside a board", f"line {block[0].number}",
                        "a blank line within a board is passed over")  # fmt: skip
            if waiting.tags:
                held.add(waiting.tags)
                waiting = _Record()
        held.add(block)
        if len(held.tags) > reading.limits.board:
            raise reading.error(
                f"line {block[0].number}",
                f"{reading.limits.board:,} tags of one board ({raised_by('board')})",
            )
    if waiting.names - {""}:
        reading.refuse(_no_deal(waiting.tags, reading))
    elif waiting.tags and held.tags:
        held.add(waiting.tags)
    if held.tags:
        yield held.tags


def _no_deal(block: list[TagLine], reading: Reading) -> FormatError:
    number = next((tag.number for tag in block if tag.name), block[0].number)
    board = next((f"board {shorten(tag.value)}" for tag in block if tag.name == "Board"), "a board")
    return reading.error(f"line {number}", f'{board} has no Deal tag (expected [Deal "N:…"])')


def _complete(
    record: list[TagLine], before: dict[str, TagLine], reading: Reading, notices: Notices
) -> dict[str, TagLine]:
    """Fill in what a record takes from the one before: values ``#``, and the deal.

    Returns the record's tags by name. A value that the board before does not have is an error;
    where the reading is lenient the tag is left out, and a deal refused.
    """
    for tag in [tag for tag in record if tag.value == "#"]:
        if tag.name in before:
            tag.value = before[tag.name].value
            tag.lines = tag.lines or before[tag.name].lines
    unknown = [tag for tag in record if tag.value == "#"]
    for tag in unknown:
        place = f"line {tag.number}"
        reason = f"{cut(tag.name)} is '#', the value of the board before, which has none"
        if tag.name == "Deal" or not reading.lenient:
            reading.refuse(reading.error(place, reason))
        else:
            notices.add("values '#' of no board before, left out", place, f"{reason}: left out")
    if unknown:
        record[:] = [tag for tag in record if tag.value != "#"]
    named = {tag.name: tag for tag in reversed(record)}
    if "Deal" not in named and "Deal" in before:
        first = next((tag.number for tag in record if tag.name), 0)
        notices.add("records without Deal tag, of the deal before", f"line {first}",
                    "no Deal tag: taken as another table's record of the deal before")  # fmt: skip
        for shared in _OF_THE_DEAL:
            if shared in before and shared not in named:
                named[shared] = TagLine(shared, before[shared].value, first)
                record.append(named[shared])
    return named


def _owners(deal: TagLine, notices: Notices) -> bytes:
    """Return the 52 owners that a Deal tag gives, or raise DealError."""
    owners = plain_owners(deal.value)
    if owners is not None:
        return owners
    text = with_fourth_hand(deal.value)
    owners = Deal(text).owner_bytes
    if text != deal.value:
        notices.add("hands worked out from the other three", f"line {deal.number}",
                    "a hand is not given; it is what the other three leave")  # fmt: skip
    return owners


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    notices = Notices("PBN output")
    stream.write(b"% PBN 2.1\n% EXPORT\n")
    index = 0
    for deals in sets:
        tables = deals.tricks_or_unknown
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        for owners, board, table in zip(deals.owners, boards, tables, strict=True):
            stream.write(_record(owners.tobytes(), board, table, index, notices).encode())
            index += 1
    notices.close()


def _record(owners: bytes, board: Board, table: Table, index: int, notices: Notices) -> str:
    """Return a board as text, with the blank line that ends it."""
    place = place_of(board, index)
    deal = "N:" + " ".join(map(".".join, hand_texts(owners)))
    if board.lin and (more := beyond_fields(board, owners)):
        notices.add("what only LIN holds, left out", place,
                    f"PBN does not hold and leaves out LIN's {', '.join(more)}")  # fmt: skip
    try:
        tags = write_board(board, deal, table, notices.at(place))
        for tag in tags:
            check_lines(tag)
    except ValueError as error:
        raise FormatError(f"{place}: cannot write {error}") from None
    lines = []
    for tag in tags:
        if tag.name:
            lines.append(f'[{tag.name} "{escape(tag.value)}"]')
        lines += tag.lines
    return "\n".join([*lines, "", ""])


FORMAT = Format(
    name="pbn",
    title="Portable Bridge Notation",
    suffixes=(".pbn",),
    sniff=_sniff,
    reader=_read,
    write=_write,
    boards=True,
)
