"""The exact tables that commands need: from the file if it has them, else from DDS."""

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
    cluster: str | None = None,
) -> Iterator[tuple[DealSet, TrickTable]]:
    """Yield each chunk with its exact tables, under a progress bar unless results are ``seen``.

    Complete tables in a file are used unchanged, except the first ``check`` of them, which
    are solved again; if they differ, DDS's are used. The numbers used, and any differences, are
    reported at the end. ``cluster`` is the one that solves.
    """
    from ..questions.file_tables import FileTables  # an estimate alone needs neither
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
        solved_chunks(
            to_solve(), workers=workers, cluster=cluster, advance=advance
        ) as exact_tables,
    ):
        for exact in exact_tables:
            chunk, tables, asked = waiting.popleft()
            of_file.fill(chunk, tables, asked, exact)
            yield chunk, TrickTable(tables)
    _tell(of_file)


def _tell(of_file: "FileTables") -> None:
    """Report on standard error which tables were used, and whether those solved again differ."""
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
