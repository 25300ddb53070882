"""What a CSV table says of boards besides the cards: six columns, each a field of Board."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..cards import Board, Seat, Vulnerability, counted
from .auction import contract_text, parse_count, tricks_by_contract
from .base import FormatWarning
from .notices import Notices
from .records import place_of
from .table_cells import UNKNOWN_TEXTS


def _number(text: str) -> int:
    return parse_count(_whole(text), 999_999_999)


def _result(text: str) -> int:
    return parse_count(_whole(text), 13)


def _whole(text: str) -> str:
    """Return a number without the ``.0`` that pandas writes where others are empty."""
    return text.removesuffix(".0")


_COLUMNS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "board": ("number", _number),
    "dealer": ("dealer", Seat.parse),
    "vulnerable": ("vulnerability", Vulnerability.parse),
    "contract": ("contract", contract_text),
    "declarer": ("declarer", Seat.parse),
    "result": ("result", _result),
}
COLUMNS = tuple(_COLUMNS)
"""The names of the columns, in the order in which they are written."""
FIELDS = tuple(field for field, _ in _COLUMNS.values())
"""The fields of Board that they hold."""


def cells_of(board: Board) -> list[str]:
    """Return the cells of a board; empty where nothing is known."""
    values = [getattr(board, field) for field in FIELDS]
    return ["" if value is None else str(value) for value in values]


def tell_left_out(boards: Iterable[Board], first: int, notices: Notices) -> None:
    """Tell which boards say something in columns that are not written; the first is deal ``first``.

    The columns were left out where nothing stood in them as the file began.
    """
    for i, board in enumerate(boards, start=first):
        if any(cells_of(board)):
            notices.add("boards of which the columns are left out", place_of(board, i),
                        f"the columns {', '.join(COLUMNS)} are left out, as the first deals say "
                        "nothing in them")  # fmt: skip


def boards_of(
    rows: Iterable[Sequence[str]], names: Sequence[str], where: str, lines: Sequence[int] = ()
) -> list[Board]:
    """Return the boards of rows of cells, which are those of the columns ``names``.

    A cell that cannot be read says nothing; a FormatWarning names the first, with its line where
    the ``lines`` of the rows are given, and tells how many more there are.
    """
    boards, first, unread = [], "", 0
    for i, row in enumerate(rows):
        values: dict[str, Any] = {}
        for name, cell in zip(names, row, strict=True):
            field, parse = _COLUMNS[name]
            text = cell.strip()
            try:
                if name == "result":
                    text = _by_contract(text, values.get("contract"))
                values[field] = None if text in UNKNOWN_TEXTS else parse(text)
            except ValueError as error:
                unread += 1
                line = f"line {lines[i]}: " if lines else ""
                first = first or f"{line}{name} is left out: {error}"
        boards.append(Board(**values))
    if unread:
        others = f"; {counted(unread - 1, 'more cell')} cannot be read" if unread > 1 else ""
        warnings.warn(f"{where}: {first}{others}", FormatWarning, stacklevel=2)
    return boards


def _by_contract(text: str, contract: str | None) -> str:
    """Return a result that is told by its contract's tricks (``=``, ``+1``) as the tricks."""
    tricks = tricks_by_contract(text, contract or "")
    return text if tricks is None else str(tricks)
