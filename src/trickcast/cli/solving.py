"""The exact tables that commands need: those that a file holds, and DDS for the others."""

import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

import click
import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import UNKNOWN, DealSet, TrickTable
from .command import Option

Check = Annotated[int, Option(min=0, metavar="N", help="Solve N of the file's own tables again.")]
_NAMED = 3
"""Boards that differ which are named."""


def solved(
    chunks: Iterator[DealSet],
    workers: int | None,
    check: int = 0,
    seen: bool = True,
    on: str | None = None,
) -> Iterator[tuple[DealSet, TrickTable]]:
    """Yield each chunk with its exact tables, under a progress bar unless results are ``seen``.

    A whole table that a file holds is taken as it is, but for the first ``check`` of them, which
    are solved again; where they differ DDS's is taken. What was taken, and what differed, is told
    at the end. ``on`` is the cluster on which they are solved.
    """
    from ..solver import solved_chunks  # who needs estimates alone does not wait for DDS

    held = _Held(check)
    waiting: deque[tuple[DealSet, NDArray[np.uint8], NDArray[np.intp]]] = deque()

    def to_solve() -> Iterator[NDArray[np.uint8]]:
        for chunk in chunks:
            tables = chunk.tricks_or_unknown.copy()
            asked = held.to_solve(tables)
            advance(len(chunk) - len(asked))
            waiting.append((chunk, tables, asked))
            yield chunk.owners[asked]

    with (
        progress_bar("solving", None, "deals", show=not (seen and sys.stdout.isatty())) as advance,
        solved_chunks(to_solve(), workers=workers, on=on, advance=advance) as exact_tables,
    ):
        for exact in exact_tables:
            chunk, tables, asked = waiting.popleft()
            held.compare(chunk, asked, tables[asked], exact)
            tables[asked] = exact
            held.deals += len(chunk)
            yield chunk, TrickTable(tables)
    held.tell()


@dataclass(slots=True)
class _Held:
    """What became of the tables that a file holds."""

    check: int
    deals: int = 0
    """Deals in the chunks before this one."""
    taken: int = 0
    checked: int = 0
    differing: list[str] = field(default_factory=list)

    def to_solve(self, tables: NDArray[np.uint8]) -> NDArray[np.intp]:
        """Return the rows of a chunk that are solved: without a whole table, or to be checked."""
        whole = (tables != UNKNOWN).all(axis=(1, 2))
        again = whole & (whole.cumsum() <= self.check - self.checked)
        self.checked += int(again.sum())
        self.taken += int((whole & ~again).sum())
        return np.flatnonzero(~whole | again)

    def compare(
        self,
        chunk: DealSet,
        rows: NDArray[np.intp],
        known: NDArray[np.uint8],
        exact: NDArray[np.uint8],
    ) -> None:
        """Note which of some rows have known cells that differ from DDS's."""
        cells = ((known != exact) & (known != UNKNOWN)).sum(axis=(1, 2))
        for row, count in zip(rows[cells > 0], cells[cells > 0], strict=True):
            board = None if chunk.boards is None else chunk.boards[row].number
            place = f"deal {self.deals + row + 1}" if board is None else f"board {board}"
            self.differing.append(
                f"{place} in {count} cells" if count > 1 else f"{place} in 1 cell"
            )

    def tell(self) -> None:
        """Say on standard error which tables were taken, and whether those solved again differ."""
        if self.taken:
            hint = "" if self.check else " (--check N solves N of them again)"
            click.echo(f"note: {_tables(self.taken)} taken as the file holds them{hint}", err=True)
        if self.differing:
            named = ", ".join(self.differing[:_NAMED])
            more = len(self.differing) - _NAMED
            others = f" and {more:,} more" if more > 0 else ""
            click.echo(f"note: DDS differs from the file: {named}{others}; DDS is shown", err=True)
        elif self.checked:
            click.echo(f"note: {_tables(self.checked)} solved again, as the file says", err=True)


def _tables(count: int) -> str:
    return f"{count:,} table" + "s" * (count != 1)
