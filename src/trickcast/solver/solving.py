"""Exact tables of deals: on this machine, in a separate process, or on a cluster."""

from __future__ import annotations

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
"""Deals that a core of a cluster gets at a time: ten seconds' work."""


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
    """Solve deals: return the exact double-dummy result of every strain and declarer.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
        strains: Strains to solve, such as ``"SN"`` or a list of Strains. Default: all five.
        declarers: Declarers to solve, such as ``"NS"`` or a list of Seats. Default: all four.
        workers: Number of solver threads. Default: all cores. With ``cluster``: threads that solve
            64 deals together.
        progress: Whether to show a bar on standard error.
        own_process: Whether to run DDS in another process, so that a crash there raises
            ``trickcast.solver.SolverCrash`` instead of ending this one.
        cluster: Ray cluster to solve on: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. Default:
            this machine.

    Returns:
        A TrickTable of shape (5, 4) for a single deal and (n, 5, 4) otherwise, in the order of
        ``deals``. Results that were not requested are 255.

    Raises:
        DealError: An entry is not a valid deal; the message names its index. Raised before
                anything is solved.
        ValueError: ``workers`` is below 1, or ``strains`` or ``declarers`` is empty.
        ClusterError: The cluster fails.

    Source:
        DDS 2.9 by Bo Haglund and Soren Hein, through endplay.

    Example:
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
    """Yield an iterator of the tables of each chunk of deals, in order.

    On a cluster, chunks are consumed before earlier ones are solved.

    Args:
        chunks: Owners of deals, each of shape (n, 52), uint8.
        cells: The results to solve, shape (5, 4), bool; the others are 255. Default: all.
        workers: Number of solver threads, as in ``solve``.
        cluster: Ray cluster, as in ``solve``.
        advance: Function that receives the number of deals just solved.

    Yields:
        An iterator of tricks, each of shape (n, 5, 4), uint8.

    Raises:
        DealError: A deal is not valid.
        ClusterError: The cluster fails.

    Example:
        >>> chunks = [tc.random_deals(n, seed=1).owners for n in (1, 2)]
        >>> with solved_chunks(chunks) as tables:
        ...     [each.shape for each in tables]
        [(1, 5, 4), (2, 5, 4)]
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
