"""Hands with the call that a player chose: read the file of BridgeHand2Vec and similar ones."""

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, as_hands, counted, shorten
from ..dealing.language.calls import parse_call
from .system import OpeningSystem

_COLUMNS = ("PBN", "OPENING")


class LabelledError(ValueError):
    """An invalid file of labelled hands; the message names file, row and fault."""


@dataclass(frozen=True, eq=False)
class LabelledHands:
    """Hands and the calls chosen with them. Raises ValueError if their numbers differ."""

    hands: NDArray[np.bool_]
    """(n, 52) bool."""
    calls: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.hands) != len(self.calls):
            hands, calls = counted(len(self.hands), "hand"), counted(len(self.calls), "call")
            raise ValueError(f"{hands} and {calls} (expected a call for each hand)")

    def __len__(self) -> int:
        return len(self.calls)

    def agreement(self, system: OpeningSystem) -> float:
        """Return the share of hands on which a system makes the labelled call.

        Raises ValueError if there are no hands.
        """
        if not self.calls:
            raise ValueError("no labelled hands to compare with")
        pairs = zip(system.bid(self.hands), self.calls, strict=True)
        return sum(bid == call for bid, call in pairs) / len(self)


def read_labelled(path: str | os.PathLike[str]) -> LabelledHands:
    """Read hands and the calls that players made with them, from a CSV file.

    Args:
        path: CSV file with the columns PBN and OPENING, separated by semicolons, commas or tabs.
            Other columns are ignored.

    Returns:
        LabelledHands.

    Raises:
        LabelledError: A hand or call is not valid; the message names the row.
        OSError: The file cannot be read.

    Example:
        >>> size = Path("hands.csv").write_text("PBN;OPENING\\nAQ864.K75.A3.KJ4;1S")
        >>> read_labelled("hands.csv").calls
        ('1S',)
    """
    shown = os.fspath(path)
    try:
        text = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise LabelledError(f"{shown}: not UTF-8 text (expected a CSV file)") from None
    lines = text.splitlines()
    header = lines[0] if lines else ""
    separator = max(";,\t", key=header.count)
    columns = [column.strip().upper() for column in header.split(separator)]
    if not set(_COLUMNS) <= set(columns):
        raise LabelledError(
            f"{shown}, line 1: expected a header with the columns {' and '.join(_COLUMNS)}, "
            f"found {shorten(header)}"
        )
    rows = csv.reader(lines[1:], delimiter=separator)
    try:
        return _read_rows(rows, columns, shown)
    except csv.Error as error:
        raise LabelledError(f"{shown}, line {rows.line_num + 1}: {error}") from None


def _read_rows(rows: Iterable[list[str]], columns: list[str], shown: str) -> LabelledHands:
    hand_column, call_column = (columns.index(name) for name in _COLUMNS)
    hands, calls = [], []
    for line, row in enumerate(rows, start=2):
        if not any(field.strip() for field in row):
            continue
        where = f"{shown}, line {line} (row {line - 1})"
        if len(row) != len(columns):
            raise LabelledError(f"{where}: {len(row)} fields (expected {len(columns)})")
        try:
            hands.append(Hand(row[hand_column]))
            calls.append(parse_call(row[call_column]))
        except ValueError as error:  # includes DealError
            raise LabelledError(f"{where}: {error}") from None
    return LabelledHands(as_hands(hands)[0], tuple(calls))
