"""Exact tables of deals, as users ask for them: here, in a process of its own, or on a cluster."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from .._pieces import over_pieces
from .._progress import Advance, nothing, progress_bar
from ..cards import DealsLike, TrickTable, as_dealset
from .batches import solve_batches, thread_count
from .processes import Declarers, SolverProcesses, Strains, chosen_cells

_PIECE = 64
"""Deals that a core of a cluster gets at a time: ten seconds."""


def solve(
    deals: DealsLike,
    *,
    strains: Strains = None,
    declarers: Declarers = None,
    workers: int | None = None,
    progress: bool = False,
    own_process: bool = False,
    cluster: str | None = None,
) -> TrickTable:
    """Return the exact double-dummy table of every deal, in input order.

    ``deals`` is a Deal, PBN text, a DealSet, a list of these or (n, 52) owners; the table has the
    shape (5, 4) for a single deal and (n, 5, 4) otherwise. With ``strains``, such as ``"SN"``, or
    ``declarers``, such as ``"NS"`` (or lists of Strains and Seats), these alone are solved; the
    other results are 255. ``workers`` is the number of threads
    (default: all cores); ``progress`` shows a bar on a terminal's standard error. With
    ``own_process`` DDS runs in one for this call: should it crash there, that is an error
    (``trickcast.solver.SolverCrash``) and not the end of this process. ``cluster`` is a Ray
    cluster, ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``, whose cores solve 64 deals at a time,
    or each ``workers`` of them together; its processes are their own as it is.

    Raises DealError for what is not a deal, before anything is solved, ValueError for ``workers``
    below one, and ClusterError where the cluster fails.

    >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
    >>> print(tc.solve(deal))
          NT   ♠   ♥   ♦   ♣
    N      8   7  10   6   9
    S      8   7  10   6   9
    E      3   6   3   7   3
    W      3   6   3   7   4
    """
    if own_process and cluster is None:
        with SolverProcesses(1, workers=workers) as solvers:
            return solvers.solve(deals, strains=strains, declarers=declarers, progress=progress)
    cells = chosen_cells(strains, declarers)
    dealset, single = as_dealset(deals)
    with (
        progress_bar("solving", len(dealset), "deals", show=progress) as bar,
        solved_chunks(
            [dealset.owners], cells=cells, workers=workers, cluster=cluster, advance=bar
        ) as solved,
    ):
        (tricks,) = solved
    return TrickTable(tricks[0] if single else tricks)


@contextmanager
def solved_chunks(
    chunks: Iterable[NDArray[np.uint8]],
    *,
    cells: NDArray[np.bool_] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    advance: Advance = nothing,
) -> Iterator[Iterator[NDArray[np.uint8]]]:
    """Yield an iterator of the (n, 5, 4) tables of each chunk of (n, 52) owners, in their order.

    ``workers`` and ``cluster`` as in ``solve``; ``advance`` is told how many were just solved. On a
    cluster chunks are taken before those ahead of them are solved.
    """
    counts: deque[int] = deque()

    def pieces() -> Iterator[NDArray[np.uint8]]:
        for owners in chunks:
            size = max(len(owners), 1) if cluster is None else _PIECE
            starts = range(0, len(owners), size) or [0]
            counts.append(len(starts))
            yield from (owners[start : start + size] for start in starts)

    cores = 1 if workers is None else thread_count(workers)
    work = partial(_solve, workers if cluster is None else cores, cells)
    with over_pieces(
        work, pieces(), cluster=cluster, cores=cores, ordered=True, advance=advance
    ) as done:
        tables = (solved for _, solved in done)
        yield (np.concatenate([first, *islice(tables, counts.popleft() - 1)]) for first in tables)


def _solve(
    workers: int | None,
    cells: NDArray[np.bool_] | None,
    owners: NDArray[np.uint8],
    advance: Advance,
) -> NDArray[np.uint8]:
    """Return the tables of a piece."""
    tables = [np.empty((0, 5, 4), dtype=np.uint8)]
    for batch in solve_batches(owners, cells=cells, workers=workers):
        tables.append(batch)
        advance(len(batch))
    return np.concatenate(tables)
