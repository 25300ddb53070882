"""Deals as text: one per line as on the command line, or as Dealer prints them.

A line is ``N:… … … …``, with an optional number before it, or four hands each after its seat
(``printoneline``). ``printall`` gives four columns of four suits under a number. Dealer's
statistics after the deals are ignored. From a pipe, deals are read as soon as they are written.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, cast

import numpy as np

from ..cards import Deal, DealError, DealSet, Seat, Suit, counted
from .board_text import plain_owners
from .format import Format, FormatError, Reading
from .streams import read_lines

_NUMBER = re.compile(r"[0-9]+\s*[.):]\s*(?=[NESWnesw])")
_ONE_LINE = re.compile(
    r"\s+".join(rf"{seat[0]}(?:{seat[1:]})?\s*:?\s+([^\s:]+)"
                for seat in ("north", "east", "south", "west")), re.IGNORECASE
)  # fmt: skip
_OVER_COLUMNS = re.compile(r"\s*[0-9]+\.\s*")
_RANKS = re.compile(r"[AKQJT0-9\s-]*", re.IGNORECASE)
_COLUMN = 20
_BLOCK = 1 << 16
_OF_THE_RUN = re.compile(r"(?:Generated|Produced|Initial random seed|Time needed)\b.*")
_SNIFF = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:(?:[0-9]+\s*[.):]\s*)?(?:[NESW]|north|east|south|west)\s*:"
    rb"|n(?:orth)?\s+[2-9TJQKA.-]+\s+e(?:ast)?\s"
    rb"|[0-9]+\.[ \t]*\r?\n(?:(?:10|[2-9TJQKA-])[ \t\r\n]+)+)",
    re.IGNORECASE,
)


class _Lines:
    """A stream by lines that knows whether the next line is available."""

    def __init__(self, stream: BinaryIO):
        self._take = getattr(stream, "read1", stream.read)
        self._pipe = not stream.seekable()
        self._buffer, self._start = b"", 0

    def readline(self, limit: int) -> bytes:
        """Return the next line, of at most so many bytes; empty at the end."""
        while True:
            end = self._buffer.find(b"\n", self._start) + 1 or len(self._buffer)
            whole = end > self._start and self._buffer[end - 1 : end] == b"\n"
            if whole or end - self._start >= limit or not (block := self._take(_BLOCK)):
                break
            self._buffer, self._start = self._buffer[self._start :] + block, 0
        begin, self._start = self._start, min(end, self._start + limit)
        return self._buffer[begin : self._start]

    @property
    def must_wait(self) -> bool:
        """Whether the next line has yet to come, from a pipe that may take its time."""
        return self._pipe and self._buffer.find(b"\n", self._start) < 0


def begun(head: bytes) -> bool:
    """Return whether the start of a stream holds a complete line that is a deal."""
    return b"\n" in head and _sniff(head)


def _sniff(head: bytes) -> bool:
    return _SNIFF.match(head) is not None


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    flowing, rows = _Lines(stream), bytearray()

    def deals() -> DealSet:
        return DealSet(np.frombuffer(bytes(rows), dtype=np.uint8).reshape(-1, 52))

    for number, text in _texts(read_lines(cast(BinaryIO, flowing), reading), reading):
        try:
            rows += plain_owners(text) or Deal(text).owner_bytes
        except DealError as error:
            reading.refuse(reading.error(f"line {number}", str(error)))
        if len(rows) == 52 * chunk or (rows and flowing.must_wait):
            yield deals()
            rows = bytearray()
    if rows:
        yield deals()


def _texts(lines: Iterable[tuple[int, str]], reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield (line number, text) of deals in PBN notation, from lines as they arrive.

    Refuses a deal in columns that is cut short.
    """
    rows: list[str] | None = None  # of a deal in columns
    last = 0  # the line of its number or of its last row

    def cut_short() -> FormatError:
        reason = f"a deal in columns ends after {counted(len(rows or ()), 'row')} (expected 4)"
        return reading.error(f"line {last}", reason)

    for number, line in lines:
        text = line.removeprefix("\ufeff")
        if not text.strip():
            continue
        if rows is not None and _RANKS.fullmatch(text):
            last = number
            rows.append(text)
            if len(rows) == len(Suit):
                yield number, _of_columns(rows)
                rows = None
            continue
        begins, of_the_run = _OVER_COLUMNS.fullmatch(text), _OF_THE_RUN.fullmatch(text)
        if rows or (rows is not None and (begins or of_the_run)):  # otherwise the number of a line
            reading.refuse(cut_short())
        rows, last = [] if begins else None, number
        if (hands := _ONE_LINE.fullmatch(text.strip())) is not None:
            yield number, f"N:{' '.join(hands.groups())}"
        elif not begins and not of_the_run:
            yield number, _NUMBER.sub("", text.strip(), count=1)
    if rows is not None:
        reading.refuse(cut_short())


def _of_columns(rows: Sequence[str]) -> str:
    """Return the deal of four rows, one per suit, with the ranks of N E S W in columns."""
    hands = [
        ".".join("".join(row[start : start + _COLUMN].split()).replace("-", "") for row in rows)
        for start in range(0, _COLUMN * len(Seat), _COLUMN)
    ]
    return f"N:{' '.join(hands)}"


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    for deals in sets:
        for deal in deals:
            stream.write(f"{deal.pbn}\n".encode())


FORMAT = Format(
    name="text",
    title="deals as text, one a line",
    suffixes=(".txt",),
    sniff=_sniff,
    reader=_read,
    write=_write,
    tricks=False,
)
