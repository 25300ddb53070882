"""Deals as text, one a line, as the command line takes them: ``N:… … … …``."""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ..cards import Deal, DealError, DealSet
from .base import Format, Reading
from .blocks import read_lines

_SNIFF = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:[NESW]|north|east|south|west)\s*:", re.IGNORECASE)


def _sniff(head: bytes) -> bool:
    return _SNIFF.match(head) is not None


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    deals = list[Deal]()
    for number, line in read_lines(stream, reading):
        text = line.removeprefix("\ufeff").strip()
        if not text:
            continue
        try:
            deals.append(Deal(text))
        except DealError as error:
            reading.refuse(reading.error(f"line {number}", str(error)))
        if len(deals) == chunk:
            yield DealSet.from_deals(deals)
            deals = []
    if deals:
        yield DealSet.from_deals(deals)


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
