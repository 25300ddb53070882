"""Exact double-dummy tables, by Bo Haglund's DDS through endplay's binding.

DDS solves at most forty tables of five strains in one call and spreads a call over its own
threads. It keeps global state and crashes on deals that are none, so every call of this process
goes through here: validated, in batches, one at a time.
"""

import ctypes
import importlib.util
import operator
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._progress import progress_bar
from .cards import UNKNOWN, Seat, Strain, TrickTable, as_dealset, check_owners
from .cards.endings import cards_a_hand

BATCH = 40
"""Tables that DDS takes in one call; 41 of five strains already fail."""
BOARDS = 200
"""Boards, each of one strain and leader, that DDS takes in one call."""

_dds_is_busy = Lock()
_threads_set: int | None = None
_BIT_OF_RANK = np.uint32(1) << np.arange(14, 1, -1, dtype=np.uint32)  # ace first
_ALL_STRAINS = (0, 0, 0, 0, 0)
_WITHOUT_PAR = -1
_MOST_TRICKS = -1  # as a target: search for the most tricks that the side on lead can take
_ONE_CARD, _EVERY_CARD = 1, 3  # for how many of the leader's cards DDS gives a score
_ALWAYS_SEARCH = 1  # even where all the leader's cards are equal


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
    return _in_batches(_solve_batch, owners, BATCH, workers)


def solve_ending_batches(
    owners: NDArray[np.uint8], *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the tables of endings, (m, 5, 4) uint8: fewer cards are solved much faster.

    ``owners`` is (n, 52); all hands of a row have equally many cards, two or more, and 255 stands
    for those gone. Raises DealError for a row that is no ending, ValueError for one of one card.
    """
    return _in_batches(_solve_endings, owners, BATCH, workers)


def solve_strain_batches(
    owners: NDArray[np.uint8], strain: Strain, *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the declarer's side's tricks in one strain by all four declarers, (m, 4) uint8.

    ``owners`` is (n, 52), of deals. DDS shares work between the declarers of a strain.
    """

    def solve_some(some: NDArray[np.uint8], threads: int) -> NDArray[np.uint8]:
        check_owners(some)  # as in _solve_batch
        left_out = tuple(int(other != strain) for other in Strain)
        return _tables(some, threads, left_out)[:, strain].astype(np.uint8)

    return _in_batches(solve_some, owners, BOARDS, workers)


def solve_cell_batches(
    owners: NDArray[np.uint8], strain: Strain, declarer: Seat, *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the declarer's side's tricks, (m,) uint8, in one strain by one declarer.

    ``owners`` is (n, 52), of deals. The same numbers as in the tables of ``solve_batches``, for a
    fraction of the work where the other nineteen are not needed.
    """

    def solve_some(some: NDArray[np.uint8], threads: int) -> NDArray[np.uint8]:
        found = _solve_boards(some, strain, declarer, _MOST_TRICKS, _ONE_CARD, threads)
        return (13 - found.scores[:, 0]).astype(np.uint8)

    return _in_batches(solve_some, owners, BOARDS, workers)


def makes_batches(
    owners: NDArray[np.uint8],
    strain: Strain,
    declarer: Seat,
    tricks: int,
    *,
    workers: int | None = None,
) -> Iterator[NDArray[np.bool_]]:
    """Yield whether the declarer's side takes ``tricks`` or more, (m,) bool.

    One search for each of the (n, 52) owners, where finding how many tricks takes several.
    Raises ValueError for ``tricks`` outside 1 … 13.
    """
    if not 1 <= tricks <= 13:
        raise ValueError(f"tricks is {tricks} (expected 1 to 13)")

    def solve_some(some: NDArray[np.uint8], threads: int) -> NDArray[np.bool_]:
        found = _solve_boards(some, strain, declarer, 14 - tricks, _ONE_CARD, threads)
        held: NDArray[np.bool_] = found.scores[:, 0] < 14 - tricks  # what the defence needs
        return held

    return _in_batches(solve_some, owners, BOARDS, workers)


def solve_lead_batches(
    owners: NDArray[np.uint8], strain: Strain, declarer: Seat, *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the declarer's side's tricks after each opening lead, (m, 52) uint8.

    255 stands for the cards that the leader, the declarer's left-hand opponent, does not hold.
    """

    def solve_some(some: NDArray[np.uint8], threads: int) -> NDArray[np.uint8]:
        found = _solve_boards(some, strain, declarer, _MOST_TRICKS, _EVERY_CARD, threads)
        listed = np.arange(13) < found.cards[:, None]
        # a card stands for itself and for the lower ones that do as well, bit r for rank r
        ranks = (np.uint32(1) << found.ranks.astype(np.uint32)) | found.equals.astype(np.uint32)
        tricks = np.full((len(some), 4, 13), UNKNOWN, dtype=np.uint8)
        for entry in range(13):
            row, suit = np.flatnonzero(listed[:, entry]), found.suits[listed[:, entry], entry]
            of_entry = (ranks[row, entry, None] & _BIT_OF_RANK) != 0
            scores = (13 - found.scores[row, entry, None]).astype(np.uint8)
            tricks[row, suit] = np.where(of_entry, scores, tricks[row, suit])
        return tricks.reshape(-1, 52)

    return _in_batches(solve_some, owners, BOARDS, workers)


def _in_batches(
    solve_some: Callable[[NDArray[np.uint8], int], NDArray[Any]],
    owners: NDArray[np.uint8],
    size: int,
    workers: int | None,
) -> Iterator[NDArray[Any]]:
    """Yield the results of batch after batch, found in a thread beside the caller's."""
    threads = thread_count(workers)
    pool = ThreadPoolExecutor(1, thread_name_prefix="dds")
    try:
        for start in range(0, len(owners), size):
            yield pool.submit(solve_some, owners[start : start + size], threads).result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def solver_version() -> str:
    """Name the solver and its binding, such as ``DDS 2.9.0 through endplay 0.5.12``."""
    info = (ctypes.c_int * 1024)()  # endplay's DDSInfo is shorter than what DDS 2.9 writes
    _dds()._dll.GetDDSInfo(ctypes.byref(info))
    major, minor, patch = info[:3]
    return f"DDS {major}.{minor}.{patch} through endplay {version('endplay')}"


def thread_count(workers: int | None) -> int:
    """Return ``workers``, or how many cores this process may use where that is None.

    Raises ValueError for ``workers`` below one.
    """
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
    check_owners(owners)  # again: the array may be the caller's, and changed since
    return _tables(owners, threads).astype(np.uint8)


def _solve_endings(owners: NDArray[np.uint8], threads: int) -> NDArray[np.uint8]:
    cards = cards_a_hand(owners)
    if (cards == 1).any():  # of the last trick DDS's tables are wrong
        raise ValueError(f"ending {int((cards == 1).argmax())}: one card a hand (expected 2 to 13)")
    gone = 13 - cards  # DDS counts thirteen tricks, and gives the declarer what the others lack
    return (_tables(owners, threads) - gone[:, None, None]).astype(np.uint8)


def _tables(
    owners: NDArray[np.uint8], threads: int, left_out: tuple[int, ...] = _ALL_STRAINS
) -> NDArray[np.int32]:
    dds = _dds()
    call = dds.ddTableDeals()
    call.noOfTables = len(owners)
    cards = holdings(owners)
    ctypes.memmove(call.ddTableDeal, cards.ctypes.data, cards.nbytes)
    results = dds.ddTablesRes()
    with _dds_with(threads):
        dds.CalcAllTables(call, _WITHOUT_PAR, left_out, results, dds.allParResults())
    tables = ctypes.cast(results.results, ctypes.POINTER(ctypes.c_int))
    return np.ctypeslib.as_array(tables, (len(owners), 5, 4)).copy()


class _Leads(NamedTuple):
    """What DDS says of the opening leads of m boards; each array but ``cards`` is (m, 13) int32."""

    cards: NDArray[np.int32]
    """(m,) how many entries of a row are filled."""
    suits: NDArray[np.int32]
    ranks: NDArray[np.int32]
    equals: NDArray[np.int32]
    """Lower cards of the same suit that are as good: bit *r* for rank *r*."""
    scores: NDArray[np.int32]
    """Tricks of the leader's side; below the target where that cannot be reached."""


def _solve_boards(
    owners: NDArray[np.uint8],
    strain: Strain,
    declarer: Seat,
    target: int,
    solutions: int,
    threads: int,
) -> _Leads:
    check_owners(owners)  # as in _solve_batch
    dds, n = _dds(), len(owners)
    deals = np.zeros((n, 24), dtype=np.uint32)  # trump, first, the empty trick's six, holdings
    deals[:, 0], deals[:, 1] = strain, declarer.lho
    deals[:, 8:] = holdings(owners).reshape(n, 16)
    call, results = dds.boards(), dds.solvedBoards()
    call.noOfBoards = n
    ctypes.memmove(call.deals, deals.ctypes.data, deals.nbytes)
    call.target[:n] = [target] * n
    call.solutions[:n] = [solutions] * n
    call.mode[:n] = [_ALWAYS_SEARCH] * n
    with _dds_with(threads):
        dds.SolveAllBoardsBin(call, results)
    solved = ctypes.cast(results.solvedBoard, ctypes.POINTER(ctypes.c_int))
    numbers = np.ctypeslib.as_array(solved, (n, 54)).copy()
    return _Leads(numbers[:, 1], *numbers[:, 2:].reshape(n, 4, 13).transpose(1, 0, 2))


@contextmanager
def _dds_with(threads: int) -> Iterator[None]:
    """Hold DDS for one call."""
    global _threads_set
    with _dds_is_busy:
        if threads != _threads_set:
            _dds().SetMaxThreads(threads)
            _threads_set = threads
        yield


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
