"""Exact tables of deals, as users ask for them: here, or in a process apart."""

from typing import Any

import numpy as np

from .._progress import progress_bar
from ..cards import DealError, TrickTable, as_dealset
from .apart import SolverProcesses
from .batches import solve_batches


def solve(
    deals: Any, *, workers: int | None = None, progress: bool = False, apart: bool = False
) -> TrickTable:
    """Return the exact double-dummy table of every deal, in input order.

    ``deals`` is a Deal, PBN text, a DealSet, a list of these or (n, 52) owners; the table has the
    shape (5, 4) for a single deal and (n, 5, 4) otherwise. ``workers`` is the number of threads
    (default: all cores); ``progress`` shows a bar on a terminal's standard error. With ``apart``
    DDS runs in a process of its own for this call: should it crash there, that is an error
    (``trickcast.solver.apart.SolverCrash``) and not the end of this process.

    Raises DealError for what is not a deal, before anything is solved, and ValueError for
    ``workers`` below one.

    >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
    >>> print(tc.solve(deal))
          NT   ♠   ♥   ♦   ♣
    N      8   7  10   6   9
    S      8   7  10   6   9
    E      3   6   3   7   3
    W      3   6   3   7   4
    """
    if isinstance(deals, np.ma.MaskedArray):
        raise DealError("a masked array is not deals (expected every card's owner)")
    if apart:
        with SolverProcesses(1, workers=workers) as solvers:
            return solvers.solve(deals, progress=progress)
    dealset, single = as_dealset(deals)
    tricks = np.empty((len(dealset), 5, 4), dtype=np.uint8)
    done = 0
    with progress_bar("solving", len(dealset), "deals", show=progress) as advance:
        for batch in solve_batches(dealset.owners, workers=workers):
            tricks[done : done + len(batch)] = batch
            done += len(batch)
            advance(len(batch))
    return TrickTable(tricks[0] if single else tricks)
