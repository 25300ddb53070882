"""Pavlicek's ``.zrd``: solved deals in 23 bytes each.

Bytes 0-12 hold the owners, two bits per card, lowest bits first: spades from the ace to the two,
then hearts, diamonds, clubs; W N E S = 0-3. Bytes 13-22 hold declarers' tricks, a nibble each,
low nibble first: strains NT S H D C, each by declarers W N E S. (Richard Pavlicek, rpbridge.net.)

A record cannot express an unknown result, so only fully solved deals can be written.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    COUNT_OF_SEAT,
    FOUR_FULL_HANDS,
    DealError,
    DealSet,
    Seat,
    Strain,
    check_owners,
    counted,
)
from .bulk import read_records, require_solved, salvaged
from .format import Format, FormatError, Reading

RECORD = 23
"""Bytes per deal."""
_TEXT = bytes([*range(32, 127), *b"\t\r\n"])
CARD_BYTES = 13
"""Bytes that hold the cards."""

_SEATS = np.array([3, 0, 1, 2], dtype=np.uint8)  # the meaning of the codes 0-3: W N E S
_CODES = np.argsort(_SEATS).astype(np.uint8)
_UINT8 = {np.dtype("uint8")}
_BYTE = np.arange(256)
_OWNERS_OF_BYTE = _SEATS[_BYTE[:, None] >> np.array([0, 2, 4, 6]) & 3]
_FOUR_OWNERS = _OWNERS_OF_BYTE.view(np.uint32).ravel()  # four uint8 looked up as one word
_COUNTS = COUNT_OF_SEAT[_OWNERS_OF_BYTE].sum(axis=1, dtype=np.uint32)
_TWO_NIBBLES = np.stack([_BYTE & 15, _BYTE >> 4], axis=1).astype(np.uint8).view(np.uint16).ravel()
_TRICK_ORDER = np.array(
    [4 * ((s + 1) % 5) + (d + 1) % 4 for s in Strain for d in Seat]
)  # the index of each of our cells among the twenty nibbles


def decode(
    data: bytes | memoryview, name: str = "zrd data", first: int = 0
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the (n, 52) owners and (n, 5, 4) tricks of n records.

    ``name`` and ``first`` (the index of the first record in its file) are for messages only.
    Raises FormatError naming the byte and record if ``data`` is cut short, a seat does
    not hold thirteen cards, or a result is more than thirteen tricks.
    """
    if len(data) % RECORD:
        last = len(data) // RECORD
        raise _error(name, first + last, 0, f"only {counted(len(data) % RECORD, 'byte')} left "
                     f"(expected a whole record of {RECORD})")  # fmt: skip
    records = np.frombuffer(data, dtype=np.uint8).reshape(-1, RECORD)
    cards = records[:, :CARD_BYTES]
    wrong = _COUNTS[cards].sum(axis=1, dtype=np.uint32) != FOUR_FULL_HANDS
    nibbles = _TWO_NIBBLES[records[:, CARD_BYTES:]].view(np.uint8)
    if wrong.any() or (nibbles.size and nibbles.max() > 13):
        raise _first_error(cards, wrong, nibbles, name, first)
    owners = _FOUR_OWNERS[cards].view(np.uint8)
    return owners, nibbles[:, _TRICK_ORDER].reshape(-1, 5, 4)


def _first_error(
    cards: NDArray[np.uint8],
    wrong: NDArray[np.bool_],
    nibbles: NDArray[np.uint8],
    name: str,
    first: int,
) -> FormatError:
    """Return the error for the first bad record."""
    row = int(np.argmax(wrong | (nibbles > 13).any(axis=1)))
    if wrong[row]:
        held = np.bincount(_OWNERS_OF_BYTE[cards[row]].ravel(), minlength=4)
        seat = Seat(int(np.argmax(held != 13)))
        what = f"{seat.word} holds {held[seat]} cards (expected 13)"
        return _error(name, first + row, 0, what)
    cell = int(np.argmax(nibbles[row] > 13))
    what = f"{nibbles[row, cell]} tricks (expected 0 to 13)"
    return _error(name, first + row, CARD_BYTES + cell // 2, what)


def _error(name: str, record: int, offset: int, what: str) -> FormatError:
    return FormatError(what, f"{name}: byte {record * RECORD + offset} (record {record})")


def encode(owners: NDArray[np.uint8], tricks: NDArray[np.uint8], first: int = 0) -> bytes:
    """Return the records of (n, 52) owners and (n, 5, 4) tricks; the inverse of ``decode``.

    ``first`` is the number of deals before these, for messages, which count from 1. Raises
    FormatError naming the first deal that has an unknown result or one above thirteen,
    DealError for an invalid deal.
    """
    cells = (len(owners), 5, 4)
    if owners.shape[1:] != (52,) or tricks.shape != cells or {owners.dtype, tricks.dtype} != _UINT8:
        raise DealError(
            f"{owners.dtype} owners of shape {owners.shape} with {tricks.dtype} tricks of shape "
            f"{tricks.shape} (expected uint8 of (n, 52) with (n, 5, 4))"
        )
    check_owners(owners)
    require_solved(tricks, "zrd", first)
    codes = _CODES[owners].reshape(-1, CARD_BYTES, 4)
    nibbles = np.empty((len(owners), 20), dtype=np.uint8)
    nibbles[:, _TRICK_ORDER] = tricks.reshape(-1, 20)
    records = np.empty((len(owners), RECORD), dtype=np.uint8)
    records[:, :CARD_BYTES] = (
        codes[..., 0] | codes[..., 1] << 2 | codes[..., 2] << 4 | codes[..., 3] << 6
    )
    records[:, CARD_BYTES:] = nibbles[:, 0::2] | nibbles[:, 1::2] << 4
    return records.tobytes()


def _sniff(head: bytes) -> bool:
    """Return whether the first complete records are deals: random bytes are not.

    Text can pass by its letters alone, but real deals never consist only of text.
    """
    whole = min(len(head) // RECORD, 8)
    if not whole or not head[: whole * RECORD].translate(None, _TEXT):
        return False
    try:
        decode(head[: whole * RECORD])
    except FormatError:
        return False
    return True


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    for first, block in read_records(stream, reading, RECORD, chunk):

        def deals(start: int, end: int, first: int = first, block: bytes = block) -> DealSet:
            part = memoryview(block)[start * RECORD : end * RECORD]
            return DealSet(*decode(part, reading.name, first + start))

        yield from salvaged(deals, len(block) // RECORD, reading)


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    first = 0
    for deals in sets:
        stream.write(encode(deals.owners, deals.tricks_or_unknown, first))
        first += len(deals)


FORMAT = Format(
    name="zrd",
    title="Pavlicek's solved deals, 23 bytes each",
    suffixes=(".zrd",),
    sniff=_sniff,
    reader=_read,
    text=False,
    write=_write,
)
