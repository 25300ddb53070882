"""Read many deals at once: texts, records of fixed size, sets of deals."""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Deal, DealError, DealSet, Seat, Strain, counted
from ..cards.many_texts import read_usual_texts
from .format import FormatError, Reading
from .streams import read_block


def read_deal_texts(
    texts: list[str], place: Callable[[int], str], reading: Reading
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (n, 52) owners of deals in PBN notation, and which of the texts are deals.

    Invalid deals are refused with the position ``place(index)``.
    """
    owners, good = read_usual_texts(texts)
    for i in np.flatnonzero(~good):
        try:
            owners[i] = Deal(texts[i]).owners
            good[i] = True
        except DealError as error:
            reading.refuse(reading.error(place(int(i)), str(error)))
    return owners, good


def read_records(
    stream: BinaryIO, reading: Reading, record: int, chunk: int
) -> Iterator[tuple[int, bytes]]:
    """Yield (index of the first record, bytes) for blocks of at most ``chunk`` whole records.

    Refuses a last record that is cut short, after the complete records. Raises FormatError
    for an empty stream.
    """
    first = extra = 0
    while block := read_block(stream, chunk * record):
        whole = len(block) // record
        if whole:
            yield first, block[: whole * record]
        first += whole
        if extra := len(block) % record:
            reading.refuse(
                reading.error(
                    f"byte {first * record} (record {first})",
                    f"only {counted(extra, 'byte')} left (expected a whole record of {record})",
                )
            )
    if not first and not extra:
        raise reading.error("byte 0", f"the file is empty (expected {record} bytes a deal)")


def salvaged(
    read: Callable[[int, int], DealSet], count: int, reading: Reading
) -> Iterator[DealSet]:
    """Yield the deals ``read(start, end)`` of ``count`` rows: all at once if all are valid.

    Otherwise tries fewer, and more again after each success, so that a few bad rows among many
    cost little. Invalid rows are refused one by one.
    """
    start, size = 0, count
    while start < count:
        end = min(start + size, count)
        try:
            deals = read(start, end)
        except FormatError as error:
            if size > 1 and reading.lenient:
                size = max(1, min(size, count - start) // 8)
                continue
            reading.refuse(error)
        else:
            yield deals
            size *= 2
        start = end


def rechunked(sets: Iterable[DealSet], chunk: int) -> Iterator[DealSet]:
    """Join sets of deals and cut them into sets of ``chunk``; the last may be smaller."""
    waiting, count = list[DealSet](), 0
    try:
        for deals in sets:
            waiting.append(deals)
            count += len(deals)
            while count >= chunk:
                joined = DealSet.concatenate(waiting)
                yield joined[:chunk]
                waiting, count = [joined[chunk:]], count - chunk
    except FormatError:
        if count:
            yield DealSet.concatenate(waiting)
        raise
    if count:
        yield DealSet.concatenate(waiting)


def require_solved(tricks: NDArray[np.uint8], format_name: str, first: int) -> None:
    """Raise FormatError naming the first deal with a result that the format cannot hold.

    ``first`` is the number of deals before these.
    """
    if not tricks.size or tricks.max() <= 13:
        return
    row, strain, declarer = np.argwhere(tricks > 13)[0]
    found = tricks[row, strain, declarer]
    what = "is not known" if found == UNKNOWN else f"is {found}"
    raise FormatError(
        f"deal {first + row + 1}: the result of {Strain(strain)} by {Seat(declarer)} {what}, and "
        f"{format_name} holds only deals with all twenty results "
        "(solve them first with trickcast.solve(deals), or --solve)"
    )
