r"""Portable Bridge Notation, tistis.nl/pbn/pbn_v21.txt.

The reader takes files as they are found: deals from any first seat, boards without blank lines
between them, other tables' records of a deal without a Deal tag, text between boards. What it reads
leniently it says by FormatWarnings. The writer gives PBN 2.1 in export order, in ASCII (text that
is not ASCII, such as players' names, in UTF-8, which readers of today take).
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ..cards import Board, Deal, DealError, DealSet, Tag, shorten
from .base import Format, FormatError
from .lin_board import HELD
from .notices import Notices
from .pbn_board import read_board, write_board
from .pbn_lines import (
    EXPORT_ORDER,
    TagLine,
    blocks,
    check_lines,
    escape,
    pieces,
    read_lines,
)
from .pbn_tricks import Table
from .records import (
    NO_TRICKS,
    SAYS_NOTHING,
    deal_sets,
    hand_texts,
    plain_owners,
    some_deals,
    with_fourth_hand,
)

_OF_THE_DEAL = ("Deal", "Board", "Dealer", "Vulnerable")
"""What the record of another table shares with the board before when it does not say it."""
_SNIFF = re.compile(
    rb'^(?:\xef\xbb\xbf)?\s*(%\s*PBN\b|\[\s*(Event|Site|Board|Deal|Date|Dealer|West|North)\s+")',
    re.MULTILINE | re.IGNORECASE,
)


def _sniff(head: bytes) -> bool:
    return b"\0" not in head and _SNIFF.search(head) is not None


def _read(stream: BinaryIO, name: str, chunk: int) -> Iterator[DealSet]:
    notices = Notices(name)
    yield from some_deals(deal_sets(_boards(stream, name, notices), chunk), name)
    notices.close()


def _boards(stream: BinaryIO, name: str, notices: Notices) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the trick table of each record of a deal."""
    before: dict[str, TagLine] = {}
    text, owners = None, b""
    found = blocks(pieces(read_lines(stream, name), name, notices), name)
    for record in _records(found, name, notices):
        number = next((tag.number for tag in record if tag.name), 0)
        before = _complete(record, before, name, notices)
        deal = before["Deal"]
        if deal.value != text:  # tables of one deal stand together
            text, owners = deal.value, _owners(deal, name, notices)
        tags = [t.tag for t in record if t.name != "Deal"]
        if deal.lines:
            tags.append(Tag("Deal", "", tuple(deal.lines)))
        board, table = SAYS_NOTHING, NO_TRICKS
        if tags:
            board, table = read_board(tags, notices.at(f"line {number}"))
        yield owners, board, table


def _records(
    found: Iterable[list[TagLine]], name: str, notices: Notices
) -> Iterator[list[TagLine]]:
    """Make of blocks the records of boards played: one block each, where files keep to the rule.

    Only the record of another table at the same board has no Deal tag. Raises FormatError for a
    board without deal.
    """
    held: list[TagLine] = []
    waiting: list[TagLine] = []  # a block without deal before the first one, or comments
    for block in found:
        names = {tag.name for tag in block}
        block = _join(waiting, block, name)
        waiting = []
        if "Deal" in names:
            if held:
                yield held
            held = block
        elif not held or names == {""}:
            waiting = block
        elif _opens_other_board(held, block):
            raise _no_deal(block, name)
        elif names & {tag.name for tag in held} - {"Note", ""}:
            yield held
            held = block
        else:
            notices.add("blank lines inside a board", f"line {block[0].number}",
                        "a blank line within a board is passed over")  # fmt: skip
            held = _join(held, block, name)
    if any(tag.name for tag in waiting):
        raise _no_deal(waiting, name)
    if held:
        yield _join(held, waiting, name)


def _join(first: list[TagLine], second: list[TagLine], name: str) -> list[TagLine]:
    """Put two blocks together as one record."""
    if not first or not second:
        return first or second
    if {tag.name for tag in first} & {tag.name for tag in second} & set(EXPORT_ORDER):
        raise _no_deal(first, name)
    if not second[0].name:
        first[-1].lines += second[0].lines
        second = second[1:]
    return first + second


def _opens_other_board(held: list[TagLine], block: list[TagLine]) -> bool:
    values = [tag.value for tag in block if tag.name == "Board" and tag.value != "#"]
    known = [tag.value for tag in held if tag.name == "Board"]
    return bool(values) and values != known


def _no_deal(block: list[TagLine], name: str) -> FormatError:
    number = next((tag.number for tag in block if tag.name), block[0].number)
    board = next((f"board {shorten(tag.value)}" for tag in block if tag.name == "Board"), "a board")
    return FormatError(f'{name}: line {number}: {board} has no Deal tag (expected [Deal "N:…"])')


def _complete(
    record: list[TagLine], before: dict[str, TagLine], name: str, notices: Notices
) -> dict[str, TagLine]:
    """Fill in what a record takes from the one before: values ``#``, and the deal.

    Returns the record's tags by name.
    """
    for tag in record:
        if tag.value == "#":
            if tag.name not in before:
                raise FormatError(
                    f"{name}: line {tag.number}: {tag.name} is '#', the value of the board before, "
                    "which has none"
                )
            tag.value = before[tag.name].value
            tag.lines = tag.lines or before[tag.name].lines
    named = {tag.name: tag for tag in reversed(record)}
    if "Deal" not in named:
        first = next(tag.number for tag in record if tag.name)
        notices.add("records without Deal tag, of the deal before", f"line {first}",
                    "no Deal tag: taken as another table's record of the deal before")  # fmt: skip
        for shared in _OF_THE_DEAL:
            if shared in before and shared not in named:
                named[shared] = TagLine(shared, before[shared].value, first)
                record.append(named[shared])
    return named


def _owners(deal: TagLine, name: str, notices: Notices) -> bytes:
    """Return the 52 owners that a Deal tag gives, or raise FormatError."""
    owners = plain_owners(deal.value)
    if owners is not None:
        return owners
    try:
        text = with_fourth_hand(deal.value)
        owners = Deal(text).owner_bytes
    except DealError as error:
        raise FormatError(f"{name}: line {deal.number}: {error}") from None
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
    place = f"deal {index}"
    deal = "N:" + " ".join(map(".".join, hand_texts(owners)))
    if board.lin:
        codes = " ".join(sorted({code for code, _ in board.lin} - HELD)) or "alert marks"
        notices.add("what only LIN holds, left out", place,
                    f"PBN does not hold and leaves out LIN's {codes}")  # fmt: skip
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
    read=_read,
    write=_write,
    boards=True,
)
