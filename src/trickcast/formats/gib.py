"""Ginsberg's GIB library of solved deals, as text and as binary.

Text: one line of 88 characters per deal: the hands of W N E S, a colon, then twenty hex digits.
They count North-South's tricks in NT S H D C, each with S E N W on lead, that is, declared by
E N W S. An unknown result is written ``-`` (a blank, ``*`` and ``?`` are also
accepted); a line may also end after the hands.

Binary: 26 bytes per deal. First a 32-bit word for each suit S H D C: two bits per card, the ace in
the lowest bits, W N E S = 0-3. Then a 16-bit word for each strain NT S H D C: North-South's tricks
with West on lead in the lowest four bits, then North, East, South. The library's description does
not give the byte order: little endian is assumed and written; big endian is read with a warning
if only that gives deals. A word cannot express an unknown result: only solved deals can be written.

Elsewhere in the package tricks are the declarer's: 13 minus the number above for East and West.
"""

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    COUNT_OF_SEAT,
    DEAL_WIDTH,
    FOUR_FULL_HANDS,
    UNKNOWN,
    Deal,
    DealError,
    DealSet,
    Seat,
    Strain,
    shorten,
    write_deals,
)
from ..cards.many_texts import read_deals
from .bulk import read_records, require_solved, salvaged
from .format import Format, FormatError, FormatWarning, Reading
from .streams import decode_line, read_block, too_long

_TEXT_SEATS = (Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH)
_TEXT_DECLARERS = [Seat.EAST, Seat.NORTH, Seat.WEST, Seat.SOUTH]
_BINARY_DECLARERS = [Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST]
_FILE_STRAINS = [Strain.NOTRUMP, Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS]
_EAST_WEST = [Seat.EAST, Seat.WEST]

_WIDTH = DEAL_WIDTH + 21
_LINE = _WIDTH + 1
_BAD = 254
_DIGITS = b"0123456789ABCD"
_RESULT = np.full(256, _BAD, dtype=np.uint8)
_RESULT[list(_DIGITS)] = _RESULT[list(_DIGITS.lower())] = np.arange(14)
_RESULT[list(b"-*? ")] = UNKNOWN
_DIGIT = np.full(256, ord("-"), dtype=np.uint8)
_DIGIT[:14] = list(_DIGITS)
_HANDS = re.compile(
    rb"(\xef\xbb\xbf)?\s*[2-9TJQKA.]{16}( [2-9TJQKA.]{16}){3}\s*(:|\n|\Z)", re.IGNORECASE
)


def _from_file(ns: NDArray[np.uint8], declarers: list[Seat]) -> NDArray[np.uint8]:
    """Turn (n, 20) North-South tricks in a file's order into (n, 5, 4) declarer's tricks."""
    tricks = np.empty((len(ns), 5, 4), dtype=np.uint8)
    tricks[:, np.array(_FILE_STRAINS)[:, None], declarers] = ns.reshape(-1, 5, 4)
    return _other_side(tricks)


def _to_file(tricks: NDArray[np.uint8], declarers: list[Seat]) -> NDArray[np.uint8]:
    """Turn (n, 5, 4) declarer's tricks into (n, 20) North-South tricks in a file's order."""
    ns = _other_side(tricks.copy())
    return ns[:, np.array(_FILE_STRAINS)[:, None], declarers].reshape(-1, 20)


def _other_side(tricks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Replace the known results of East and West by their opponents' tricks, in place."""
    theirs = tricks[..., _EAST_WEST]
    tricks[..., _EAST_WEST] = np.where(theirs == UNKNOWN, UNKNOWN, np.uint8(13) - theirs)
    return tricks


# --- text -----------------------------------------------------------------------------------


def _read_text(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    number, rest, any_deals = 1, b"", False
    noted = len(reading.skipped or ())
    while block := read_block(stream, chunk * _LINE):
        lines, newline, rest = (rest + block).rpartition(b"\n")
        if len(rest) > reading.limits.row:
            raise too_long(reading, number + lines.count(b"\n") + len(newline), "row")
        for deals in _deals_of_lines(lines + newline, reading, number, chunk):
            any_deals = True
            yield deals
        number += lines.count(b"\n") + len(newline)
    for deals in _deals_of_lines(rest + b"\n", reading, number, chunk):
        any_deals = True
        yield deals
    if not any_deals and len(reading.skipped or ()) == noted:
        raise reading.error("line 1", "the file is empty (expected four hands W N E S)")


def _deals_of_lines(data: bytes, reading: Reading, number: int, chunk: int) -> Iterator[DealSet]:
    """Read whole lines, starting with line ``number`` of the file."""
    characters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    if not len(ends):
        return
    starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    filled = np.flatnonzero(np.maximum.reduceat(characters, starts) > ord(" "))
    starts, ends = starts[filled], ends[filled]
    widths = ends - starts - (characters[ends - 1] == ord("\r"))
    usual = np.flatnonzero(widths == _WIDTH)
    text = characters[starts[usual, None] + np.arange(_WIDTH)]

    owners = np.empty((len(ends), 52), dtype=np.uint8)
    ns = np.empty((len(ends), 20), dtype=np.uint8)
    owners[usual], good = read_deals(text[:, :DEAL_WIDTH], _TEXT_SEATS)
    ns[usual] = _RESULT[text[:, DEAL_WIDTH + 1 :]]
    good &= (text[:, DEAL_WIDTH] == ord(":")) & (ns[usual] != _BAD).all(axis=1)

    keep = np.ones(len(ends), dtype=np.bool_)
    unusual = np.ones(len(ends), dtype=np.bool_)
    unusual[usual[good]] = False
    for row in np.flatnonzero(unusual):
        line = number + int(filled[row])
        try:
            text_of_line = decode_line(data[starts[row] : ends[row] + 1], reading, line)
            owners[row], ns[row] = _read_line(text_of_line, f"{reading.name}: line {line}")
            if ":" not in text_of_line and not reading.named:
                _tell_no_seat(reading, line)
        except FormatError as error:
            reading.refuse(error)
            keep[row] = False
    owners, tricks = owners[keep], _from_file(ns[keep], _TEXT_DECLARERS)
    for start in range(0, len(owners), chunk):
        yield DealSet(owners[start : start + chunk], tricks[start : start + chunk])


def _tell_no_seat(reading: Reading, line: int) -> None:
    """Warn that four hands are assumed to start with West, as in GIB; refuse them if strict."""
    reason = (
        "four hands without a seat (GIB starts with West: if it is GIB, pass "
        'format="gib" or --from gib)'
    )
    if not reading.lenient:
        raise reading.error(f"line {line}", reason)
    if reading.first_time("hands from West"):
        warnings.warn(
            f"{reading.name}: line {line}: {reason}; read from West on", FormatWarning, stacklevel=2
        )


def _read_line(line: str, where: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Read a line in an unusual form: leniently, or with an error that says why."""
    hands, _, results = line.partition(":")
    try:
        deal = Deal(f"W:{hands}")
    except DealError as error:
        raise FormatError(str(error), where) from None
    results = results.rstrip()
    if not results:
        return deal.owners, np.full(20, UNKNOWN, dtype=np.uint8)
    column = len(hands) + 2
    if len(results) != 20:
        raise FormatError(
            f"{len(results)} results {shorten(results)} (expected 20 hexadecimal digits, or none)",
            f"{where}, column {column}",
        )
    ns = _RESULT[list(results.encode("ascii", "replace").replace(b"?", b"-"))]
    for i, character in enumerate(results):
        if not character.isascii() or ns[i] == _BAD:
            raise FormatError(
                f"{character!r} is not a result "
                "(expected 0 to 9 or A to D, or - where it is not known)",
                f"{where}, column {column + i}",
            )
    return deal.owners, ns


def _write_text(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    for deals in sets:
        lines = np.empty((len(deals), _LINE), dtype=np.uint8)
        lines[:, :DEAL_WIDTH] = write_deals(deals.owners, _TEXT_SEATS)
        lines[:, DEAL_WIDTH] = ord(":")
        lines[:, DEAL_WIDTH + 1 : _WIDTH] = _DIGIT[
            _to_file(deals.tricks_or_unknown, _TEXT_DECLARERS)
        ]
        lines[:, _WIDTH] = ord("\n")
        stream.write(lines.tobytes())


# --- binary ---------------------------------------------------------------------------------

_LITTLE = np.dtype([("suits", "<u4", 4), ("results", "<u2", 5)])
_BIG = np.dtype([("suits", ">u4", 4), ("results", ">u2", 5)])
_RECORD = _LITTLE.itemsize
_CARD_SHIFTS = np.arange(0, 26, 2, dtype=np.uint32)
_RESULT_SHIFTS = np.arange(0, 16, 4, dtype=np.uint16)
_CODE_SEATS = np.array(_TEXT_SEATS, dtype=np.uint8)
_SEAT_CODES = np.argsort(_CODE_SEATS).astype(np.uint32)


def _unpack(records: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the (n, 52) owners and (n, 20) nibbles of records, without checking them."""
    codes = records["suits"][:, :, None] >> _CARD_SHIFTS & 3
    nibbles = records["results"][:, :, None] >> _RESULT_SHIFTS & 15
    return _CODE_SEATS[codes].reshape(-1, 52), nibbles.astype(np.uint8).reshape(-1, 20)


def _first_wrong(
    records: NDArray[Any], owners: NDArray[np.uint8], nibbles: NDArray[np.uint8]
) -> tuple[int, str]:
    """Return the index of the first record that is not a solved deal and why, or (n, "")."""
    counts = COUNT_OF_SEAT[owners].sum(axis=1, dtype=np.uint32)
    high_bits = (records["suits"] >> 26 != 0).any(axis=1)
    wrong = (counts != FOUR_FULL_HANDS) | high_bits | (nibbles > 13).any(axis=1)
    if not wrong.any():
        return len(records), ""
    row = int(np.argmax(wrong))
    if high_bits[row]:
        suit = int(np.argmax(records["suits"][row] >> 26 != 0))
        return row, f"the word {records['suits'][row, suit]:#010x} is not a suit (expected 26 bits)"
    held = np.bincount(owners[row], minlength=4)
    if (held != 13).any():
        seat = Seat(int(np.argmax(held != 13)))
        return row, f"{seat.word} holds {held[seat]} cards (expected 13)"
    return row, f"{nibbles[row].max()} tricks (expected 0 to 13)"


def _unpack_checked(
    block: bytes, order: np.dtype[Any]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int, str]:
    records = np.frombuffer(block, dtype=order)
    owners, nibbles = _unpack(records)
    return owners, nibbles, *_first_wrong(records, owners, nibbles)


def _is_deal(block: bytes, order: np.dtype[Any]) -> bool:
    """Return whether the first record is a solved deal in that byte order."""
    return not _unpack_checked(block[:_RECORD], order)[3]


def _read_binary(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    order = _LITTLE
    for first, block in read_records(stream, reading, _RECORD, chunk):
        if first == 0 and _is_deal(block, _BIG) and not _is_deal(block, _LITTLE):
            order = _BIG
            warnings.warn(f"{reading.name}: read as big endian", FormatWarning, stacklevel=2)

        def deals(
            start: int,
            end: int,
            first: int = first,
            block: bytes = block,
            order: np.dtype[Any] = order,
        ) -> DealSet:
            part = block[start * _RECORD : end * _RECORD]
            owners, nibbles, row, reason = _unpack_checked(part, order)
            if reason:
                record = first + start + row
                raise reading.error(f"byte {record * _RECORD} (record {record})", reason)
            return DealSet(owners, _from_file(nibbles, _BINARY_DECLARERS))

        yield from salvaged(deals, len(block) // _RECORD, reading)


def _write_binary(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    first = 0
    for deals in sets:
        require_solved(deals.tricks_or_unknown, "gib-binary", first)
        first += len(deals)
        records = np.zeros(len(deals), dtype=_LITTLE)
        codes = _SEAT_CODES[deals.owners].reshape(-1, 4, 13)
        records["suits"] = np.bitwise_or.reduce(codes << _CARD_SHIFTS, axis=2)
        nibbles = _to_file(deals.tricks_or_unknown, _BINARY_DECLARERS).astype(np.uint16)
        records["results"] = np.bitwise_or.reduce(
            nibbles.reshape(-1, 5, 4) << _RESULT_SHIFTS, axis=2
        )
        stream.write(records.tobytes())


def _sniff_binary(head: bytes) -> bool:
    whole = head[: min(len(head) // _RECORD, 8) * _RECORD]
    return bool(whole) and any(not _unpack_checked(whole, order)[3] for order in (_LITTLE, _BIG))


TEXT = Format(
    name="gib",
    title="GIB library, text",
    suffixes=(".gib", ".txt"),
    sniff=lambda head: _HANDS.match(head) is not None,
    reader=_read_text,
    write=_write_text,
)
BINARY = Format(
    name="gib-binary",
    title="GIB library, binary, 26 bytes a deal",
    suffixes=(".dat",),
    sniff=_sniff_binary,
    reader=_read_binary,
    text=False,
    write=_write_binary,
)
