"""LIN, the format of Bridge Base Online: ``code|value|`` pairs, on one line or over many.

The codes that Board has fields for: ``pn`` players from South on, ``md`` dealer (1 South, 2 West,
3 North, 4 East) and the hands of S W N E, of which East is mostly left out, ``ah`` board number,
``sv`` vulnerability, ``mb`` call (``!`` alerted), ``an`` its explanation, ``pc`` card played,
``mc`` declarer's tricks in all when claimed. Contract and declarer follow from the auction, the
result from ``mc`` or a whole play. A board that says more keeps all its pairs as they are.
"""

import io
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ..cards import Board, DealError, DealSet, shorten
from .base import Format, FormatError, Reading, raised_by
from .lin_board import HELD, board_of, owners_of, pairs_of
from .notices import Notices
from .records import NO_TRICKS, SAYS_NOTHING, Table, deal_sets, place_of, some_deals

_CODE = re.compile(r"[A-Za-z0-9*]{1,2}")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_SNIFF = re.compile(rb"(^|\|)\s*(md\|[0-4]?\s*[SHDC,]|(pn|vg|qx)\|[^|]*\|)", re.IGNORECASE)
_BEGINS = ("pn", "qx", "md")
"""Codes that begin the next board once the deal of this one is given."""
_KNOWN = HELD | {"qx"}
"""Codes that are read, in capitals too; others are kept as they are."""

_NOBODY = ("pn", ",,,")
_START = ("st", "")
"""What BBO writes before ``md``; it says nothing."""

_Pair = tuple[str, str]


def _sniff(head: bytes) -> bool:
    return b"\0" not in head and not head.lstrip().startswith(b"[") and bool(_SNIFF.search(head))


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    notices = Notices(reading.name)
    boards = _deals(_boards(_pairs(stream, reading, notices), reading), reading, notices)
    yield from some_deals(deal_sets(boards, chunk), reading)
    notices.close()


def board_of_text(text: str) -> tuple[bytes, Board]:
    """Return the 52 owners and the board of a LIN text.

    Raises FormatError where it does not hold one board, or what is no LIN.
    """
    reading = Reading("lin")
    notices = Notices(reading.name)
    pairs = _pairs(io.BytesIO(text.encode()), reading, notices)
    deals = list(_deals(_boards(pairs, reading), reading, notices))
    if len(deals) != 1:
        many = f"{len(deals)} boards in the LIN text (expected one)"
        raise reading.error("", many if deals else "there is no deal in it")
    return deals[0][:2]


def _pairs(stream: BinaryIO, reading: Reading, notices: Notices) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, code, value); line breaks within a value are taken out.

    Raises FormatError where the text is not made of such pairs; where the reading is lenient what
    stands in place of a code is left out, and ``md`` is a code wherever it stands.
    """
    line, code = 1, ""
    for token in _tokens(stream, reading, notices):
        text = _text(token, reading, notices, line)
        clean = text.strip()
        if code and not (clean.lower() == "md" and reading.lenient):
            yield line, code, text.replace("\r", "").replace("\n", "")
            code = ""
        elif _CODE.fullmatch(clean):
            code = clean.lower() if clean.lower() in _KNOWN else clean
        else:
            at = line + text[: len(text) - len(text.lstrip())].count("\n")
            reason = (
                f"{shorten(clean)} is not a LIN code (expected code|value| pairs such as md|3S…|)"
            )
            if not reading.lenient:
                raise reading.error(f"line {at}", reason)
            notices.add("what is no LIN code, left out", f"line {at}", reason)
        line += text.count("\n")


def _tokens(stream: BinaryIO, reading: Reading, notices: Notices) -> Iterator[bytes]:
    """Yield what stands between the bars, and blanks after the last one as an empty value."""
    rest, count, lines = b"", 0, 1
    while block := stream.read(1 << 16):
        *tokens, rest = (rest + block).split(b"|")
        count += len(tokens)
        yield from tokens
        lines += sum(token.count(b"\n") for token in tokens)
        if len(rest) > reading.limits.line:
            raise reading.error(
                f"line {lines}",
                f"{reading.limits.line:,} bytes without a '|' "
                f"(expected code|value| pairs; {raised_by('line')})",
            )
    if rest.strip(b" \t\r\n\x1a"):
        text = _text(rest, reading, notices, lines)
        reason = f"the file ends in the middle of {shorten(text)} (expected '|')"
        if not reading.lenient:
            raise reading.error(f"line {lines}", reason)
        notices.add("values cut short", f"line {lines}", reason)
        yield rest
    elif count % 2:
        yield b""


def _text(token: bytes, reading: Reading, notices: Notices, line: int) -> str:
    if wrong := _CONTROL.search(token):
        reason = f"byte 0x{wrong[0][0]:02x} (expected LIN text)"
        if not reading.lenient:
            raise reading.error(f"line {line}", reason)
        notices.add("control characters, read as blanks", f"line {line}", reason)
        token = _CONTROL.sub(b" ", token)
    try:
        return token.decode("utf-8-sig")
    except UnicodeDecodeError:
        return token.decode("iso-8859-1")


def _boards(
    found: Iterable[tuple[int, str, str]], reading: Reading
) -> Iterator[tuple[int, list[_Pair]]]:
    """Group pairs by board, with the line of its deal; names hold until others are given.

    Refuses pairs that belong to no deal.
    """
    pairs: list[_Pair] = []
    deal_line, players, number = 0, "", 0
    for number, code, value in found:
        if code in _BEGINS and deal_line:
            while pairs[-1] == _START:  # it is the beginning of the next board
                pairs.pop()
            yield deal_line, pairs
            pairs, deal_line = [], 0
        if code == "pn":
            players = value if value.strip(" ,") else ""
            if not players:  # it only ends what held before
                continue
        elif code == "md":
            deal_line = number
            if players and all(before != "pn" for before, _ in pairs):
                pairs.append(("pn", players))
        if pairs or (code, value) != _START:
            pairs.append((code, value))
        if len(pairs) > reading.limits.board:
            raise reading.error(
                f"line {number}",
                f"{reading.limits.board:,} pairs of one board ({raised_by('board')})",
            )
    if deal_line:
        yield deal_line, pairs
    elif pairs:
        reason = "the board has no md (expected md|3S…|)"
        reading.refuse(reading.error(f"line {number}", reason))


def _deals(
    boards: Iterable[tuple[int, list[_Pair]]], reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the unknown tricks of each board."""
    for number, pairs in boards:
        deal = next(value for code, value in pairs if code == "md")
        try:
            owners = owners_of(deal)
        except DealError as error:
            reading.refuse(reading.error(f"line {number}", str(error)))
            continue
        yield owners, board_of(pairs, owners, notices.at(f"line {number}")), NO_TRICKS


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    notices = Notices("LIN output")
    index, named = 0, False  # whether names were written, which hold until others are given
    for deals in sets:
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        for owners, board in zip(deals.owners, boards, strict=True):
            place = place_of(board, index)
            try:
                pairs = pairs_of(board, owners.tobytes(), notices.at(place))
            except ValueError as error:
                raise FormatError(f"{place}: cannot write {error}") from None
            own_names = any(code == "pn" for code, _ in pairs)
            if (named and not own_names) or (index and not _begins(pairs)):
                pairs.insert(0, _NOBODY)
            named = own_names
            stream.write(("".join(f"{code}|{value}|" for code, value in pairs) + "\n").encode())
            index += 1
    notices.close()


def _begins(pairs: list[_Pair]) -> bool:
    """Whether a reader takes pairs that follow a board for another one's from the first on."""
    return next(code for code, value in pairs if (code, value) != _START) in _BEGINS


FORMAT = Format(
    name="lin",
    title="LIN of Bridge Base Online",
    suffixes=(".lin",),
    sniff=_sniff,
    reader=_read,
    write=_write,
    tricks=False,
    boards=True,
)
