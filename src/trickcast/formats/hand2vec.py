"""BridgeHand2Vec's training rows: pairs of hands with mean tricks, not deals. Read only.

Semicolons separate the fields. After a header: an index, ``N`` and ``S`` (the two hands), then the
tricks of declarer N and of declarer S in clubs, diamonds, hearts, spades and notrump (``NC`` …
``SNT``), each a mean over ten layouts of the other two hands.
(github.com/johny-b/BridgeHand2Vec; Sztyber-Betley, Kołodziej, Betley and Duszak,
"BridgeHand2Vec", ECAI 2023.)

The other two hands are not given, so a row cannot become a DealSet: ``read_pairs`` reads these
files. The format is registered nevertheless, so that a file is recognised for what it is.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cards import HAND_WIDTH, DealError, DealSet, Hand, Seat, Strain, shorten
from ..cards.many_texts import read_hands
from .format import Format, FormatError, Reading
from .streams import read_lines

_LETTERS = ("S", "H", "D", "C", "NT")
_HANDS = ("N", "S")
_TRICKS = tuple(f"{declarer}{strain}" for strain in _LETTERS for declarer in _HANDS)
"""The trick columns in the order of the cells of ``PairSet.tricks``."""


@dataclass(frozen=True, slots=True, eq=False)
class PairSet:
    """Pairs of hands with their mean tricks as a side."""

    norths: NDArray[np.bool_]
    """(n, 52) bool, the first hand."""
    souths: NDArray[np.bool_]
    """(n, 52) bool, its partner."""
    tricks: NDArray[np.float32]
    """(n, 5, 2) float32, tricks in strains S H D C N, declared by N and by S."""

    def __len__(self) -> int:
        return len(self.norths)

    def __repr__(self) -> str:
        return f"<PairSet of {len(self):,} pairs>"


def read_pairs(path: str | os.PathLike[str]) -> PairSet:
    """Read a CSV file of BridgeHand2Vec.

    Raises FormatError naming the line unless it has two hands of different cards and ten numbers
    from 0 to 13, OSError for a file that cannot be opened.
    """
    name = str(path)
    with Path(path).open("rb") as stream:
        lines = ((n, text) for n, text in read_lines(stream, Reading(name)) if text.strip())
        number, header = next(lines, (1, ""))
        names = [field.strip() for field in header.split(";")]
        if missing := [column for column in (*_HANDS, *_TRICKS) if names.count(column) != 1]:
            raise FormatError(
                f"{name}: line {number}: no column {missing[0]!r} (expected ;{';'.join(_HANDS)} "
                f"and {';'.join(_TRICKS)}, in any order)"
            )
        numbers, rows = [], []
        for number, text in lines:
            fields = text.split(";")
            if len(fields) != len(names):
                raise FormatError(
                    f"{name}: line {number}: {len(fields)} fields (expected {len(names)})"
                )
            numbers.append(number)
            rows.append(fields)
    columns = {column: [row[names.index(column)] for row in rows] for column in (*_HANDS, *_TRICKS)}
    norths, souths = (_hands(columns[hand], numbers, name, Seat.parse(hand)) for hand in _HANDS)
    for i in np.flatnonzero((norths & souths).any(axis=1))[:1]:
        raise FormatError(f"{name}: line {numbers[i]}: the two hands hold the same card")
    tricks = np.stack([_means(columns[column], numbers, name) for column in _TRICKS], axis=1)
    return PairSet(norths, souths, tricks.reshape(-1, len(Strain), 2))


def _hands(texts: list[str], numbers: list[int], name: str, seat: Seat) -> NDArray[np.bool_]:
    """Return (n, 52) hands: those of sixteen characters at once, the others one by one."""
    hands = np.zeros((len(texts), 52), dtype=np.bool_)
    usual = np.array([i for i, text in enumerate(texts) if len(text) == HAND_WIDTH], dtype=np.intp)
    joined = "".join([texts[i] for i in usual]).encode("ascii", "replace")
    cards, good = read_hands(np.frombuffer(joined, dtype=np.uint8).reshape(-1, HAND_WIDTH))
    hands[usual[good, None], cards[good]] = True
    for i in np.flatnonzero(hands.sum(axis=1) != 13):  # unusual form, or a repeated card
        try:
            hands[i] = Hand(texts[i]).cards
        except DealError as error:
            side = seat.word
            raise FormatError(f"{name}: line {numbers[i]}: {side}'s {error}") from None
    return hands


def _means(texts: list[str], numbers: list[int], name: str) -> NDArray[np.float32]:
    """Return the numbers of one column."""
    means = np.empty(len(texts))
    for i, text in enumerate(texts):
        try:
            means[i] = float(text)
        except ValueError:
            means[i] = np.nan
    for i in np.flatnonzero(~((means >= 0) & (means <= 13)))[:1]:
        raise FormatError(
            f"{name}: line {numbers[i]}: {shorten(texts[i])} tricks (expected 0 to 13)"
        )
    return means.astype(np.float32)


def _read(stream: BinaryIO, reading: Reading, chunk: int) -> Iterator[DealSet]:
    raise reading.error(
        "",
        "rows of BridgeHand2Vec hold two hands, not deals; "
        "trickcast.formats.hand2vec.read_pairs reads them",
    )


def _sniff(head: bytes) -> bool:
    first = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return {b"N", b"S", b"NNT", b"SNT"} <= {field.strip() for field in first.split(b";")}


FORMAT = Format(
    name="hand2vec",
    title="BridgeHand2Vec pairs of hands",
    suffixes=(".csv",),
    sniff=_sniff,
    reader=_read,
)
