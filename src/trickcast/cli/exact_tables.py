"""The exact tables that commands need: those that a file holds, and DDS for the others."""

import sys
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import click
import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import DealSet, TrickTable
from .command import Option

if TYPE_CHECKING:
    from ..questions.file_tables import FileTables

Check = Annotated[
    int, Option(min=0, metavar="N", help="Solve N of the tables in the file again, to check them.")
]


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
    from ..questions.file_tables import FileTables  # an estimate alone waits for neither
    from ..solver import solved_chunks

    of_file = FileTables(check)
    waiting: deque[tuple[DealSet, NDArray[np.uint8], NDArray[np.intp]]] = deque()

    def to_solve() -> Iterator[NDArray[np.uint8]]:
        for chunk in chunks:
            tables = chunk.tricks_or_unknown.copy()
            asked = of_file.to_solve(tables)
            advance(len(chunk) - len(asked))
            waiting.append((chunk, tables, asked))
            yield chunk.owners[asked]

    with (
        progress_bar("solving", None, "deals", show=not (seen and sys.stdout.isatty())) as advance,
        solved_chunks(to_solve(), workers=workers, cluster=on, advance=advance) as exact_tables,
    ):
        for exact in exact_tables:
            chunk, tables, asked = waiting.popleft()
            of_file.fill(chunk, tables, asked, exact)
            yield chunk, TrickTable(tables)
    _tell(of_file)


def _tell(of_file: "FileTables") -> None:
    """Say on standard error which tables were taken, and whether those solved again differ."""
    if of_file.taken:
        hint = "" if of_file.check else " (--check N solves N again)"
        were = "was" if of_file.taken == 1 else "were"
        said = f"{_tables(of_file.taken)} {were} taken from the file{hint}"
        click.echo(f"note: {said}", err=True)
    if of_file.difference is not None:
        click.echo(f"note: {of_file.difference}", err=True)
    elif of_file.checked:
        click.echo(f"note: {_tables(of_file.checked)} solved again, as the file says", err=True)


def _tables(count: int) -> str:
    return f"{count:,} table" + "s" * (count != 1)
