"""Exact double-dummy tables, by Bo Haglund's DDS through endplay's binding.

DDS solves at most forty tables of five strains in one call and spreads a call over its own
threads. It keeps global state and crashes on deals that are none, so every call of this process
goes through here: validated, in batches, one at a time.
"""

import ctypes
import importlib.util
import operator
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._progress import progress_bar
from .cards import TrickTable, as_dealset, check_owners

BATCH = 40
"""Tables that DDS takes in one call; 41 of five strains already fail."""

_dds_is_busy = Lock()
_threads_set: int | None = None
_BIT_OF_RANK = np.uint32(1) << np.arange(14, 1, -1, dtype=np.uint32)  # ace first
_ALL_STRAINS = (0, 0, 0, 0, 0)
_WITHOUT_PAR = -1


def solve(deals: Any, *, workers: int | None = None, progress: bool = False) -> TrickTable:
    """Return the exact double-dummy table of every deal, in input order.

    ``deals`` is a Deal, PBN text, a DealSet, a list of these or (n, 52) owners; the table has the
    shape (5, 4) for a single deal and (n, 5, 4) otherwise. ``workers`` is the number of threads
    (default: all cores); ``progress`` shows a bar on a terminal's standard error.

    Raises DealError for what is not a deal, before anything is solved, and ValueError for
    ``workers`` below one.
    """
    dealset, single = as_dealset(deals)
    tricks = np.empty((len(dealset), 5, 4), dtype=np.uint8)
    done = 0
    with progress_bar("solving", len(dealset), "deals", show=progress) as advance:
        for batch in solve_batches(dealset.owners, workers=workers):
            tricks[done : done + len(batch)] = batch
            done += len(batch)
            advance(len(batch))
    return TrickTable(tricks[0] if single else tricks)


def solve_batches(
    owners: NDArray[np.uint8], *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the tables of (n, 52) owners that are known to be deals, a batch at a time.

    DDS runs in a thread beside the caller's, because a signal such as Ctrl-C is only seen between
    two steps of Python: so it stops the caller at once, and DDS after the batch in hand.
    """
    threads = _thread_count(workers)
    pool = ThreadPoolExecutor(1, thread_name_prefix="dds")
    try:
        for start in range(0, len(owners), BATCH):
            yield pool.submit(_solve_batch, owners[start : start + BATCH], threads).result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def solver_version() -> str:
    """Name the solver and its binding, such as ``DDS 2.9.0 through endplay 0.5.12``."""
    info = (ctypes.c_int * 1024)()  # endplay's DDSInfo is shorter than what DDS 2.9 writes
    _dds()._dll.GetDDSInfo(ctypes.byref(info))
    major, minor, patch = info[:3]
    return f"DDS {major}.{minor}.{patch} through endplay {version('endplay')}"


def _thread_count(workers: int | None) -> int:
    if workers is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    threads = operator.index(workers)
    if threads < 1:
        raise ValueError(f"workers is {threads} (expected 1 or more)")
    return threads


def _solve_batch(owners: NDArray[np.uint8], threads: int) -> NDArray[np.uint8]:
    global _threads_set
    check_owners(owners)  # again: the array may be the caller's, and changed since
    dds = _dds()
    call = dds.ddTableDeals()
    call.noOfTables = len(owners)
    cards = holdings(owners)
    ctypes.memmove(call.ddTableDeal, cards.ctypes.data, cards.nbytes)
    results = dds.ddTablesRes()
    with _dds_is_busy:
        if threads != _threads_set:
            dds.SetMaxThreads(threads)
            _threads_set = threads
        dds.CalcAllTables(call, _WITHOUT_PAR, _ALL_STRAINS, results, dds.allParResults())
    tables = ctypes.cast(results.results, ctypes.POINTER(ctypes.c_int))
    return np.ctypeslib.as_array(tables, (len(owners), 5, 4)).astype(np.uint8)


def holdings(owners: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Turn (n, 52) owners into DDS's (n, 4, 4) holdings: hand by suit, bit *r* for rank *r*."""
    held = owners.reshape(-1, 1, 4, 13) == np.arange(4, dtype=np.uint8)[:, None, None]
    # sums keep the memory order of their input, and DDS reads the order of C
    return np.ascontiguousarray((held * _BIT_OF_RANK).sum(axis=-1, dtype=np.uint32))


@cache
def _dds() -> ModuleType:
    """Load endplay's ``_dds`` alone.

    Importing it by name would first run endplay's root module, which loads matplotlib (half a
    second, and seconds on a machine that never drew) and a parser generator for nothing.
    """
    endplay = importlib.util.find_spec("endplay")
    if endplay is None or endplay.origin is None:
        raise ModuleNotFoundError("the solver needs endplay: pip install endplay", name="endplay")
    binding = importlib.util.spec_from_file_location(
        "endplay._dds", Path(endplay.origin).parent / "_dds" / "__init__.py"
    )
    assert binding is not None and binding.loader is not None
    module = importlib.util.module_from_spec(binding)
    binding.loader.exec_module(module)
    return module
