"""Reading many deals at once: hands in sixteen columns, records of fixed size, sets of deals."""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    BLANKS,
    DEAL_WIDTH,
    HAND_WIDTH,
    RANKS,
    UNKNOWN,
    Deal,
    DealError,
    DealSet,
    Seat,
    Strain,
    counted,
)
from .format import FormatError, Reading
from .streams import read_block

_DOT = ord(".")
_RANK = np.full(256, 255, dtype=np.uint8)
_RANK[list(RANKS.encode())] = _RANK[list(RANKS.lower().encode())] = np.arange(13)
_RANK[_DOT] = 0
_ANY_HAND = np.frombuffer(b"AKQJT98765432...", dtype=np.uint8)


def read_hands(text: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (m, 13) cards of (m, 16) characters, and which rows could be read so.

    The cards of the other rows mean nothing. A card that stands twice is not noticed here.
    """
    dots = text == _DOT
    ranks = _RANK[text]
    good = (dots.sum(axis=1) == 3) & (ranks.max(axis=1, initial=0) < 13)
    if not good.all():  # keep three dots in every row, so that the cards still form an array
        ranks = _RANK[np.where(good[:, None], text, _ANY_HAND)]
        dots = np.where(good[:, None], dots, _ANY_HAND == _DOT)
    ranks += np.cumsum(dots, axis=1, dtype=np.uint8) * np.uint8(13)
    return ranks[~dots].reshape(-1, 13), good


def read_deals(
    text: NDArray[np.uint8], seats: tuple[int, int, int, int]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (n, 52) owners of (n, 67) characters, and which rows are deals written so.

    ``seats`` are those of the four hands in their order.
    """
    columns = text[:, [k * (HAND_WIDTH + 1) + i for k in range(4) for i in range(HAND_WIDTH)]]
    cards, readable = read_hands(columns.reshape(-1, HAND_WIDTH))
    owners = np.full((len(text), 52), 255, dtype=np.uint8)
    places = cards.reshape(-1, 52).astype(np.intp)
    places += np.arange(len(text))[:, None] * 52
    owners.reshape(-1)[places] = np.repeat(np.array(seats, dtype=np.uint8), 13)
    good = readable.reshape(-1, 4).all(axis=1) & (text[:, BLANKS] == ord(" ")).all(axis=1)
    good &= owners.max(axis=1, initial=0) < 4  # where a card stands twice another is missing
    return owners, good


def read_deal_texts(
    texts: list[str], place: Callable[[int], str], reading: Reading
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the (n, 52) owners of deals written as PBN does, and which of the texts are deals.

    Texts of the usual 69 characters are read at once, others one by one and leniently. One that is
    no deal is refused, as what stands at ``place(index)``.
    """
    owners = np.empty((len(texts), 52), dtype=np.uint8)
    left = np.ones(len(texts), dtype=np.bool_)
    for first in Seat:
        usual = [
            i
            for i, text in enumerate(texts)
            if len(text) == DEAL_WIDTH + 2 and text[0] == first.letter and text[1] == ":"
        ]
        joined = "".join([texts[i] for i in usual]).encode("ascii", "replace")
        columns = np.frombuffer(joined, dtype=np.uint8).reshape(-1, DEAL_WIDTH + 2)[:, 2:]
        seats = (first, first.lho, first.partner, first.rho)
        owners[usual], good = read_deals(columns, seats)
        left[np.array(usual, dtype=np.intp)[good]] = False
    for i in np.flatnonzero(left):
        try:
            owners[i] = Deal(texts[i]).owners
            left[i] = False
        except DealError as error:
            reading.refuse(reading.error(place(int(i)), str(error)))
    return owners, ~left


def read_records(
    stream: BinaryIO, reading: Reading, record: int, chunk: int
) -> Iterator[tuple[int, bytes]]:
    """Yield (index of the first record, bytes) for blocks of at most ``chunk`` whole records.

    Refuses a last record that is cut short, after the whole records before it. Raises FormatError
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
    """Yield the deals ``read(start, end)`` of ``count`` rows: all at once where all are deals.

    Otherwise fewer are tried, and more again after each success, so that a few bad rows among many
    cost little; those that are no deals are refused one by one.
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
    """Join sets of deals and cut them into sets of ``chunk``, the last of which may be smaller."""
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

    ``first`` is how many deals there are before these.
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
