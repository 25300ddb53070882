"""DDS in separate processes, so that a crash there does not end the caller."""

import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._processes import ProcessEnded, Processes, Refusal, Tell
from .._progress import progress_bar
from ..cards import Seat, Strain, TrickTable, as_dealset
from .batches import checked_batches, solve_batches, thread_count

_THREADS = struct.Struct("<I")
_EVERY_CELL = np.ones((5, 4), dtype=np.bool_)
Strains = str | Strain | Iterable[str | Strain] | None
"""Strains by letters, ``"SN"``, or a list of them; None for all."""
Declarers = str | Seat | Iterable[str | Seat] | None
"""Seats by letters, ``"NS"``, or a list of them; None for all."""


class SolverCrash(RuntimeError):
    """The process that solved a batch ended without an answer; the others continue."""


class SolverProcesses:
    """Solvers in separate processes, for any number of threads to use.

    A process is started when first needed, and restarted if it ends. All end with
    ``close``, with the ``with`` block, with the interpreter, and if the caller is killed.

    If a batch of at most 40 deals crashes its process or takes too long, a new process gets it.

    Args:
        processes: Number of processes, 1 or more.
        workers: Solver threads of each. Default: one; None: all cores.
        tries: How often a batch is tried, 1 or more.
        timeout: Seconds that a batch may take. Default: no limit.

    Raises:
        ValueError: A number is below 1.
    """

    def __init__(
        self,
        processes: int = 1,
        *,
        workers: int | None = 1,
        tries: int = 2,
        timeout: float | None = None,
    ):
        if processes < 1 or tries < 1:
            raise ValueError(f"processes is {processes}, tries {tries} (expected 1 or more)")
        self._threads = _THREADS.pack(thread_count(workers))
        self._tries, self._timeout = tries, timeout
        self._processes = Processes(f"{__name__}:answer", processes)

    def solve(
        self,
        deals: Any,
        *,
        strains: Strains = None,
        declarers: Declarers = None,
        progress: bool = False,
    ) -> TrickTable:
        """Return the exact table of every deal; see ``trickcast.solve``.

        Raises SolverCrash naming the deals whose process ended on every try.
        """
        cells = chosen_cells(strains, declarers)
        dealset, single = as_dealset(deals)
        tricks = np.empty((len(dealset), 5, 4), dtype=np.uint8)
        done = 0
        with progress_bar("solving", len(dealset), "deals", show=progress) as advance:
            for batch in self.solve_batches(dealset.owners, cells=cells):
                tricks[done : done + len(batch)] = batch
                done += len(batch)
                advance(len(batch))
        return TrickTable(tricks[0] if single else tricks)

    def solve_batches(
        self, owners: NDArray[np.uint8], *, cells: NDArray[np.bool_] | None = None
    ) -> Iterator[NDArray[np.uint8]]:
        """Yield the tables of (n, 52) owners of deals, at most 40 at a time.

        With ``cells``, (5, 4), only these are solved, and the others are 255.

        Raises DealError at once for an invalid array, and for an invalid deal when its batch is
        reached. Raises SolverCrash for a batch whose process ended; earlier results stay valid, and
        the rest can be requested again.
        """
        asked = self._threads + (_EVERY_CELL if cells is None else cells).tobytes()
        return (
            self._solve_batch(asked, batch, f"deals {start} to {start + len(batch) - 1}")
            for start, batch in checked_batches(owners)
        )

    def _solve_batch(self, asked: bytes, owners: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
        for _ in range(self._tries - 1):
            with suppress(ProcessEnded):
                return self._ask(asked, owners)
        try:
            return self._ask(asked, owners)
        except ProcessEnded as end:
            raise SolverCrash(
                f"{name}: the solver's process {end} (tried: {self._tries} times)"
            ) from None

    def _ask(self, asked: bytes, owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
        with self._processes.ask(asked + owners.tobytes(), timeout=self._timeout) as answer:
            return np.frombuffer(b"".join(answer), dtype=np.uint8).reshape(len(owners), 5, 4)

    def close(self) -> None:
        """End the processes and their current work."""
        self._processes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def chosen_cells(strains: Strains, declarers: Declarers) -> NDArray[np.bool_] | None:
    """Return the (5, 4) cells with these strains and declarers; None for all cells.

    Raises DealError for an invalid strain or seat, ValueError if there are none.
    """
    if strains is None and declarers is None:
        return None
    cells = np.zeros((5, 4), dtype=np.bool_)
    some = strains if isinstance(strains, Iterable) or strains is None else [strains]
    by = declarers if isinstance(declarers, Iterable) or declarers is None else [declarers]
    trumps = Strain if some is None else [Strain.parse(strain) for strain in some]
    seats = Seat if by is None else [Seat.parse(seat) for seat in by]
    cells[np.ix_([int(strain) for strain in trumps], [int(seat) for seat in seats])] = True
    if not cells.any():
        raise ValueError("no strains or no declarers to solve (expected some, or None for all)")
    return cells


def answer(question: bytes, tell: Tell) -> None:
    """Report the tables of the requested deals: the job of a process."""
    (threads,) = _THREADS.unpack_from(question)
    numbers = np.frombuffer(question, dtype=np.uint8, offset=_THREADS.size)
    cells, owners = numbers[:20].reshape(5, 4) > 0, numbers[20:].reshape(-1, 52)
    try:
        for table in solve_batches(owners, cells=cells, workers=threads):
            tell(table.tobytes())
    except ValueError as error:
        raise Refusal(str(error)) from error
