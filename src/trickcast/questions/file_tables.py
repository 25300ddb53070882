"""The tables in a file: which are trusted, and where DDS disagrees with them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealSet

_NAMED = 3
"""Most differing boards to list."""


@dataclass(slots=True)
class FileTables:
    """What happened to the tables of a file, chunk by chunk."""

    check: int = 0
    """How many complete ones to solve again."""
    deals: int = 0
    """Deals in the chunks so far."""
    taken: int = 0
    checked: int = 0
    _differing: list[str] = field(default_factory=list)

    def to_solve(self, tables: NDArray[np.uint8]) -> NDArray[np.intp]:
        """Return the rows of (n, 5, 4) tables to solve: incomplete ones, and ones to be checked."""
        whole = (tables != UNKNOWN).all(axis=(1, 2))
        again = whole & (whole.cumsum() <= self.check - self.checked)
        self.checked += int(again.sum())
        self.taken += int((whole & ~again).sum())
        return np.flatnonzero(~whole | again)

    def fill(
        self,
        chunk: DealSet,
        tables: NDArray[np.uint8],
        rows: NDArray[np.intp],
        exact: NDArray[np.uint8],
    ) -> None:
        """Replace rows of the chunk's tables by DDS's, and record which had different cells.

        The chunks must come in file order.
        """
        held = tables[rows]
        cells = ((held != exact) & (held != UNKNOWN)).sum(axis=(1, 2))
        for row, count in zip(rows[cells > 0], cells[cells > 0], strict=True):
            board = None if chunk.boards is None else chunk.boards[row].number
            self._note(self.deals + row + 1, board, count)
        tables[rows] = exact
        self.deals += len(chunk)

    def compare(
        self, board: int | None, table: NDArray[np.uint8] | None, exact: NDArray[np.uint8]
    ) -> None:
        """Record a deal, with its board number, if DDS disagrees with its (5, 4) table."""
        self.deals += 1
        if table is not None:
            count = int(((table != exact) & (table != UNKNOWN)).sum())
            if count:
                self._note(self.deals, board, count)

    def _note(self, deal: int, board: int | None, cells: int) -> None:
        place = f"deal {deal}" if board is None else f"board {board}"
        self._differing.append(f"{place} in {cells} cells" if cells > 1 else f"{place} in 1 cell")

    @property
    def difference(self) -> str | None:
        """Where DDS disagrees with the file, in words; None if nowhere."""
        if not self._differing:
            return None
        named = ", ".join(self._differing[:_NAMED])
        more = len(self._differing) - _NAMED
        others = f" and {more:,} more" if more > 0 else ""
        return f"DDS differs from the file: {named}{others}; DDS's tricks are used"
