"""What a CSV table says of boards besides the cards: six columns, each a field of Board."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..cards import Board, Seat, Vulnerability
from .auction import contract_text
from .base import FormatWarning


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(text)
    return int(text)


_COLUMNS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "board": ("number", _whole),
    "dealer": ("dealer", Seat.parse),
    "vulnerable": ("vulnerability", Vulnerability.parse),
    "contract": ("contract", contract_text),
    "declarer": ("declarer", Seat.parse),
    "result": ("result", _whole),
}
COLUMNS = tuple(_COLUMNS)
"""The names of the columns, in the order in which they are written."""
FIELDS = tuple(field for field, _ in _COLUMNS.values())
"""The fields of Board that they hold."""


def cells_of(board: Board) -> list[str]:
    """Return the cells of a board; empty where nothing is known."""
    values = [getattr(board, field) for field in FIELDS]
    return ["" if value is None else str(value) for value in values]


def boards_of(rows: Iterable[Sequence[str]], names: Sequence[str], where: str) -> list[Board]:
    """Return the boards of rows of cells, which are those of the columns ``names``.

    A cell that cannot be read says nothing, and a FormatWarning tells how many there are.
    """
    boards, unread = [], 0
    for row in rows:
        values: dict[str, Any] = {}
        for name, cell in zip(names, row, strict=True):
            field, parse = _COLUMNS[name]
            try:
                values[field] = parse(cell.strip()) if cell.strip() else None
            except ValueError:
                unread += 1
        boards.append(Board(**values))
    if unread:
        warnings.warn(
            f"{where}: {unread:,} cells of {', '.join(names)} cannot be read and are left out",
            FormatWarning,
            stacklevel=2,
        )
    return boards
