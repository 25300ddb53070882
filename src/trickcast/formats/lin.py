"""LIN, the format of Bridge Base Online: ``code|value|`` pairs, on one line or over many.

The codes that Board has fields for: ``pn`` players from South on, ``md`` dealer (1 South, 2 West,
3 North, 4 East) and the hands of S W N E, of which East is mostly left out, ``ah`` board number,
``sv`` vulnerability, ``mb`` call (``!`` alerted), ``an`` its explanation, ``pc`` card played,
``mc`` declarer's tricks in all when claimed. Contract and declarer follow from the auction, the
result from ``mc`` or a whole play. A board that says more keeps all its pairs as they are.
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ..cards import Board, DealError, DealSet
from .base import Format, FormatError
from .lin_board import board_of, owners_of, pairs_of
from .notices import Notices
from .records import NO_TRICKS, SAYS_NOTHING, deal_sets, some_deals

_LONGEST_VALUE = 1 << 18
_CODE = re.compile(r"[A-Za-z0-9*]{1,2}")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_SNIFF = re.compile(rb"(^|\|)\s*(md\|[0-4]?\s*[SHDC,]|(pn|vg|qx)\|[^|]*\|)", re.IGNORECASE)
_BEGINS = ("pn", "qx", "md")
"""Codes that begin the next board once the deal of this one is given."""

_Pair = tuple[str, str]


def _sniff(head: bytes) -> bool:
    return b"\0" not in head and not head.lstrip().startswith(b"[") and bool(_SNIFF.search(head))


def _read(stream: BinaryIO, name: str, chunk: int) -> Iterator[DealSet]:
    notices = Notices(name)
    boards = (
        (*_board(number, pairs, name, notices), NO_TRICKS)
        for number, pairs in _boards(_pairs(stream, name), name)
    )
    yield from some_deals(deal_sets(boards, chunk), name)
    notices.close()


def _pairs(stream: BinaryIO, name: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, code, value); line breaks within a value are taken out.

    Raises FormatError where the text is not made of such pairs.
    """
    line, code = 1, ""
    for token in _tokens(stream, name):
        text = _text(token, name, line)
        if code:
            yield line, code, text.replace("\r", "").replace("\n", "")
            code = ""
        elif _CODE.fullmatch(text.strip()):
            code = text.strip()
        else:
            at = line + text[: len(text) - len(text.lstrip())].count("\n")
            raise FormatError(
                f"{name}: line {at}: {text.strip()[:40]!r} is not a LIN code "
                "(expected code|value| pairs such as md|3S…|)"
            )
        line += text.count("\n")


def _tokens(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield what stands between the bars, and blanks after the last one as an empty value."""
    rest, count, lines = b"", 0, 1
    while block := stream.read(1 << 16):
        *tokens, rest = (rest + block).split(b"|")
        count += len(tokens)
        yield from tokens
        lines += sum(token.count(b"\n") for token in tokens)
        if len(rest) > _LONGEST_VALUE:
            raise FormatError(
                f"{name}: line {lines}: {_LONGEST_VALUE:,} bytes without a '|' "
                "(expected code|value| pairs)"
            )
    if rest.strip(b" \t\r\n\x1a"):
        raise FormatError(
            f"{name}: line {lines}: the file ends in the middle of "
            f"{_text(rest, name, lines)[-40:]!r} (expected '|')"
        )
    if count % 2:
        yield b""


def _text(token: bytes, name: str, line: int) -> str:
    if wrong := _CONTROL.search(token):
        raise FormatError(f"{name}: line {line}: byte 0x{wrong[0][0]:02x} (expected LIN text)")
    try:
        return token.decode("utf-8-sig")
    except UnicodeDecodeError:
        return token.decode("iso-8859-1")


def _boards(found: Iterable[tuple[int, str, str]], name: str) -> Iterator[tuple[int, list[_Pair]]]:
    """Group pairs by board, with the line of its deal; names hold until others are given.

    Raises FormatError for pairs that belong to no deal.
    """
    pairs: list[_Pair] = []
    deal_line, players, number = 0, "", 0
    for number, code, value in found:
        if code in _BEGINS and deal_line:
            yield deal_line, pairs
            pairs, deal_line = [], 0
        if code == "pn":
            players = value
        elif code == "md":
            deal_line = number
            if players and all(before != "pn" for before, _ in pairs):
                pairs.append(("pn", players))
        pairs.append((code, value))
    if deal_line:
        yield deal_line, pairs
    elif pairs:
        raise FormatError(f"{name}: line {number}: the board has no md (expected md|3S…|)")


def _board(number: int, pairs: list[_Pair], name: str, notices: Notices) -> tuple[bytes, Board]:
    deal = next(value for code, value in pairs if code == "md")
    try:
        owners = owners_of(deal)
    except DealError as error:
        raise FormatError(f"{name}: line {number}: {error}") from None
    board = board_of(pairs, owners, notices.at(f"line {number}"))
    return owners, board


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    notices = Notices("LIN output")
    index = 0
    for deals in sets:
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        for owners, board in zip(deals.owners, boards, strict=True):
            place = f"deal {index}"
            try:
                pairs = pairs_of(board, owners.tobytes(), notices.at(place))
            except ValueError as error:
                raise FormatError(f"{place}: cannot write {error}") from None
            stream.write(("".join(f"{code}|{value}|" for code, value in pairs) + "\n").encode())
            index += 1
    notices.close()


FORMAT = Format(
    name="lin",
    title="LIN of Bridge Base Online",
    suffixes=(".lin",),
    sniff=_sniff,
    read=_read,
    write=_write,
    tricks=False,
    boards=True,
)
