"""The solved deals of pgx (Hugging Face ``sotetsuk/dds_dataset``), NumPy ``.npy``. Read only.

An integer array of shape (2, n, 4). ``[0]`` holds the cards, a number for each suit S H D C:
thirteen base-4 digits, most significant first, for the cards A 2 3 … K in this order; a digit is
the owner, N E S W = 0-3. ``[1]`` holds the tricks, a number for each declarer N E S W: five
hexadecimal digits, most significant first, for C D H S NT.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .._arrays import Header, array_header
from ..cards import COUNT_OF_SEAT, FOUR_FULL_HANDS, DealSet, Seat, Suit, cut, shorten
from .bulk import salvaged
from .format import Format, FormatError, Reading
from .streams import on_disk

_MAGIC = b"\x93NUMPY"
_MOST_DEALS = 1 << 40
_KING_TO_TWO = np.arange(12, 0, -1)
_CARD_SHIFTS = 2 * (12 - np.concatenate([[0], _KING_TO_TWO]))  # of A K … 2
_STRAIN_SHIFTS = np.array([4, 8, 12, 16, 0])  # of S H D C N


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    """Read through a memory map: a file of any size takes the memory of one chunk."""
    with on_disk(stream) as path:
        numbers = _map(path, reading.name)
        for first in range(0, numbers.shape[1], chunk):
            part = np.array(numbers[:, first : first + chunk], dtype=np.int64)

            def deals(start: int, end: int, first: int = first, part: Any = part) -> DealSet:
                rows = part[:, start:end]
                return unpack(rows[0], rows[1], reading.name, first + start)

            yield from salvaged(deals, part.shape[1], reading)


def read_header(file: BinaryIO, name: str, *, whole: bool = False) -> Header:
    """Return the array description in a file's header.

    With ``whole``, the array must fill the rest. Raises FormatError without solved deals.
    """
    try:
        header = array_header(file, whole=whole)
    except ValueError as error:
        raise FormatError(f"{cut(str(error))} (expected a .npy array)", name) from None
    shape, dtype = header.shape, header.dtype
    plain = len(shape) == 3 and shape[::2] == (2, 4) and dtype.kind in "iu"
    if not plain or not 0 <= shape[1] < _MOST_DEALS:
        raise FormatError(
            f"{shorten(f'{dtype} array of shape {shape}')} (expected int32 of shape (2, n, 4))",
            name,
        )
    return header


def _map(path: Path, name: str) -> NDArray[Any]:
    """Return the (2, n, 4) array of a file without loading it."""
    with path.open("rb") as file:
        shape, by_column, dtype, start = read_header(file, name, whole=True)
    if not shape[1]:
        return np.empty(shape, dtype=dtype)
    return np.memmap(path, dtype, "r", start, shape, "F" if by_column else "C")


def unpack(keys: NDArray[Any], values: NDArray[Any], name: str, first: int) -> DealSet:
    """Turn (m, 4) numbers of suits and (m, 4) of declarers into deals.

    Raises FormatError for the first row that is not a deal, counted from ``first`` in ``name``.
    """
    owners = (keys[:, :, None] >> _CARD_SHIFTS & 3).astype(np.uint8).reshape(-1, 52)
    tricks = (values[:, None, :] >> _STRAIN_SHIFTS[:, None] & 15).astype(np.uint8)
    counts = COUNT_OF_SEAT[owners].sum(axis=1, dtype=np.uint32)
    no_key = (keys < 0) | (keys >= 1 << 26)
    no_value = (values < 0) | (values >= 1 << 20) | (tricks > 13).any(axis=1)
    wrong = (counts != FOUR_FULL_HANDS) | no_key.any(axis=1) | no_value.any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        held = np.bincount(owners[row], minlength=4)
        if no_key[row].any():
            suit = Suit(int(np.argmax(no_key[row])))
            what = f"{keys[row, suit]} for {suit.name.lower()} (expected thirteen base-4 digits)"
        elif (held != 13).any():
            seat = Seat(int(np.argmax(held != 13)))
            what = f"{seat.word} holds {held[seat]} cards (expected 13)"
        else:
            seat = Seat(int(np.argmax(no_value[row])))
            what = (
                f"{values[row, seat]:#x} for declarer {seat.word} "
                "(expected five hexadecimal digits 0 to D)"
            )
        raise FormatError(what, f"{name}: record {first + row}")
    return DealSet(owners, tricks)


FORMAT = Format(
    name="pgx",
    title="pgx solved deals, NumPy array",
    suffixes=(".npy",),
    sniff=lambda head: head.startswith(_MAGIC),
    reader=_read,
    text=False,
)
