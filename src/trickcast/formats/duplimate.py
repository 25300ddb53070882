"""BRI and DUP, the files of dealing machines.

BRI: the cards of North, East and South, thirteen each, as two digits, from 01 (ace of spades) to 52
(two of clubs); West has the rest. A file of only these has 128 bytes per deal, padded.

DUP: 156 bytes per board: BRI (78), DGE (68) and ten control bytes. DGE: each of N E S W as its
four suits, each a sign and the ranks. Control: Y or N for random deals, Y or N for boards in
descending order, the lowest number (3 digits), copies (2), the highest number (3). The signs of the
suits are those of code page 437, bytes 6 3 4 5 for S H D C; the reader accepts anything in
their place. The layout follows njhammond/hand_record_utility; no machine's file was available.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from ..cards import Board, DealError, DealSet, Seat
from .board_text import SAYS_NOTHING, hand_texts
from .bulk import read_records
from .format import Format, FormatError, Notices, Reading

_BRI, _DGE = 78, 68
_BRI_RECORD, _DUP_RECORD = 128, 156
_SUIT_SIGNS = (b"\x06", b"\x03", b"\x04", b"\x05")
_HIGHEST = 999
_CONTROL = re.compile(rb"([YN])([YN])([ 0-9]{3})([ 0-9]{2})([ 0-9]{3})", re.IGNORECASE)
_RANKS_IN_DGE = re.compile(rb"[^2-9TJQKA]", re.IGNORECASE)


def _owners(cards: bytes) -> bytes:
    """Return the 52 owners of 39 two-digit numbers. Raises DealError."""
    if not cards.isdigit():
        raise DealError(f"{cards[:20]!r} are not card numbers (expected 39 of 01 to 52)")
    owners = np.full(52, Seat.WEST, dtype=np.uint8)
    numbers = [int(cards[i : i + 2]) for i in range(0, _BRI, 2)]
    if min(numbers) < 1 or max(numbers) > 52:
        wrong = next(number for number in numbers if not 1 <= number <= 52)
        raise DealError(f"card number {wrong:02} (expected 01 to 52)")
    if len(set(numbers)) < 39:
        twice = next(number for i, number in enumerate(numbers) if number in numbers[:i])
        raise DealError(f"card number {twice:02} appears twice")
    owners[np.array(numbers) - 1] = np.repeat([Seat.NORTH, Seat.EAST, Seat.SOUTH], 13)
    return owners.tobytes()


def _sniff(head: bytes, size: int) -> bool:
    records = [head[i : i + size] for i in range(0, min(len(head), 8 * size) - size + 1, size)]
    try:
        return bool(records) and all(_owners(record[:_BRI]) for record in records)
    except DealError:
        return False


def _read_bri(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    for first, block in read_records(stream, reading, _BRI_RECORD, chunk):
        rows = [owners for _, owners, _ in _records(block, first, _BRI_RECORD, reading)]
        yield DealSet(np.array(rows, dtype=np.uint8).reshape(-1, 52))


def _records(
    block: bytes, first: int, size: int, reading: Reading
) -> Iterator[tuple[int, list[int], bytes]]:
    """Yield the number, the 52 owners and the bytes after the cards of each valid record."""
    for number, start in enumerate(range(0, len(block), size), start=first):
        record = block[start : start + size]
        try:
            yield number, [*_owners(record[:_BRI])], record[_BRI:]
        except DealError as error:
            reading.refuse(reading.error(f"byte {number * size} (record {number})", str(error)))


def _read_dup(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    notices = Notices(reading.name)
    for first, block in read_records(stream, reading, _DUP_RECORD, chunk):
        rows, boards = [], []
        for index, owners, more in _records(block, first, _DUP_RECORD, reading):
            place = f"record {index}"
            if _RANKS_IN_DGE.sub(b"", more[:_DGE]).upper() != _ranks(bytes(owners)):
                notices.add("contradictory records", place,
                            "the second list of the cards (DGE) differs; the numbers are "
                            "used")  # fmt: skip
            rows.append(owners)
            boards.append(_board(more[_DGE:], index, place, notices))
        yield DealSet(np.array(rows, dtype=np.uint8).reshape(-1, 52), None, boards)
    notices.close()


def _board(control: bytes, index: int, place: str, notices: Notices) -> Board:
    """Return the number of a board, with its dealer and vulnerability."""
    found = _CONTROL.fullmatch(control)
    lowest, highest = (found[3].strip(), found[5].strip()) if found else (b"", b"")
    if found is None or not lowest.isdigit() or (found[2] in b"Yy" and not highest.isdigit()):
        notices.add("control bytes that cannot be read", place,
                    f"{control!r} (expected such as b'NN00101036'): the board has no "
                    "number")  # fmt: skip
        return Board()
    number = int(highest) - index if found[2] in b"Yy" else int(lowest) + index
    return Board(number=max(number, 0)).completed()


def _ranks(owners: bytes) -> bytes:
    return "".join("".join(suits) for suits in hand_texts(owners)).encode()


def _cards(owners: bytes) -> bytes:
    return b"".join(
        b"%02d" % (card + 1)
        for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH)
        for card, owner in enumerate(owners)
        if owner == seat
    )


def _write_bri(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    for deals in sets:
        for row in deals.owners:
            stream.write(_cards(row.tobytes()).ljust(_BRI_RECORD))


def _write_dup(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    """Write consecutively numbered boards: a file stores only the first and last number.

    Board data that contradicts its number is reported as left out.
    """
    records, numbers, notices = list[bytes](), list[int](), Notices("DUP output")
    for deals in sets:
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        for row, board in zip(deals.owners, boards, strict=True):
            owners, number = row.tobytes(), board.number
            if number is None:
                number = numbers[-1] + 1 if numbers else 1
            numbers.append(number)
            _tell_lost(board, number, notices)
            signs = (
                sign + ranks.encode()
                for suits in hand_texts(owners)
                for sign, ranks in zip(_SUIT_SIGNS, suits, strict=True)
            )
            records.append(_cards(owners) + b"".join(signs))
    if not numbers:
        return
    for before, number in pairwise(numbers):
        if number != before + 1:
            raise FormatError(
                f"board {number} after board {before} (expected numbers one after the other: a "
                "file for a dealing machine names only its first and last board)"
            )
    for number in (numbers[0], numbers[-1]):
        if number > _HIGHEST:
            raise FormatError(f"board {number} (expected numbers 0 to {_HIGHEST})")
    control = b"NN%03d01%03d" % (numbers[0], numbers[-1])
    for record in records:
        stream.write(record + control)
    notices.close()


def _tell_lost(board: Board, number: int, notices: Notices) -> None:
    """Report a dealer or vulnerability that differs from the number's."""
    read = Board(number=number).completed()
    for name in ("dealer", "vulnerability"):
        own, meant = getattr(board, name), getattr(read, name)
        if own not in (None, meant):
            has = f"no {name}" if meant is None else f"{name} {meant}"
            notices.add(f"boards with another {name} than their number's", f"board {number}",
                        f"{name} {own} is left out: by its number the board has {has}")  # fmt: skip


BRI = Format(
    name="bri",
    title="BRI, card numbers for dealing machines",
    suffixes=(".bri",),
    sniff=lambda head: _sniff(head, _BRI_RECORD),
    reader=_read_bri,
    write=_write_bri,
    tricks=False,
    text=False,
)
DUP = Format(
    name="dup",
    title="DUP of dealing machines",
    suffixes=(".dup",),
    sniff=lambda head: _sniff(head, _DUP_RECORD),
    reader=_read_dup,
    write=_write_dup,
    tricks=False,
    boards=True,
    fields=("number", "dealer", "vulnerability"),
    text=False,
)
