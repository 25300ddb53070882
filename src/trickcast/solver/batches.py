"""Exact double-dummy results of many deals, batch by batch.

All input is checked and copied before it reaches DDS.
"""

import ctypes
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.metadata import version
from threading import Event
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealError, Seat, Strain, check_owners, checked_whole, shorten
from ..cards.positions import cards_a_hand
from . import dds

BATCH = dds.BATCH
"""Tables per batch."""
BOARDS = dds.BOARDS
"""Deals per batch for one strain, or for one strain and declarer."""
MOST_LINE_TRICKS = 6
"""Most tricks in a line of best play."""

_TABLES_A_THREAD, _BOARDS_A_THREAD = 8, 40
"""Work for each thread in one call of DDS: a second or two, after which a result that nobody
waits for any more is abandoned. The last thread of a call works while the others wait."""
_MOST_THREADS = 1024
_Result = TypeVar("_Result")
_Kind = TypeVar("_Kind", Strain, Seat)
_Solve = Callable[[NDArray[np.uint8], slice, int, Event], NDArray[Any]]
"""Solves some owners, given their rows in the batch and a thread count, unless given up."""
_Check = Callable[[NDArray[np.uint8], int, int], None]
"""Raises for owners that must not reach DDS, given their first row and the total number."""


def solve_batches(
    owners: NDArray[np.uint8],
    *,
    cells: NDArray[np.bool_] | None = None,
    workers: int | None = None,
) -> Iterator[NDArray[np.uint8]]:
    """Yield the tables of deals, a batch at a time.

    DDS runs in a helper thread, because Python notices a signal such as Ctrl-C only
    between two of its own steps. So the caller stops at once, and DDS after the current call.

    Args:
        owners: Owners of deals, shape (n, 52), uint8.
        cells: The results to solve, shape (5, 4), bool; the others are 255. Default: all.
        workers: Number of solver threads. Default: all cores.

    Yields:
        Tricks, shape (m, 5, 4), uint8.

    Raises:
        DealError: A deal is not valid.

    Example:
        >>> next(solve_batches(tc.random_deals(2, seed=1).owners)).shape
        (2, 5, 4)
    """
    if cells is None or cells.all():
        return _in_batches(check_owners, _solve_deals, owners, BATCH, _TABLES_A_THREAD, workers)
    solve_some = partial(_solve_cells, cells)
    return _in_batches(check_owners, solve_some, owners, BATCH, _BOARDS_A_THREAD, workers)


def solve_position_batches(
    owners: NDArray[np.uint8], *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the tables of positions, a batch at a time; fewer cards are solved much faster.

    Args:
        owners: Owners, shape (n, 52), uint8, 255 for played cards. All hands of a row have
                equally many cards, two or more.
        workers: Number of solver threads. Default: all cores.

    Yields:
        Tricks, shape (m, 5, 4), uint8.

    Raises:
        DealError: A row is not a position.
        ValueError: A hand has only one card.

    Example:
        >>> from trickcast.dealing.shuffling import random_positions
        >>> next(solve_position_batches(random_positions(2, 5, seed=1))).max()
        np.uint8(4)
    """
    return _in_batches(_check_positions, _solve_positions, owners, BATCH, _TABLES_A_THREAD, workers)


def solve_strain_batches(
    owners: NDArray[np.uint8], strain: Strain, *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the tricks in one strain by all four declarers, a batch at a time.

    Args:
        owners: Owners of deals, shape (n, 52), uint8.
        strain: The strain.
        workers: Number of solver threads. Default: all cores.

    Yields:
        Tricks, shape (m, 4), uint8.

    Raises:
        DealError: A deal is not valid.
        ValueError: ``strain`` is not one.

    Example:
        >>> next(solve_strain_batches(tc.random_deals(2, seed=1).owners, Strain.SPADES)).shape
        (2, 4)
    """
    trump = _member(Strain, strain)
    left_out = tuple(int(other != trump) for other in Strain)

    def solve_some(
        some: NDArray[np.uint8], rows: slice, threads: int, given_up: Event
    ) -> NDArray[np.uint8]:
        return _as_tricks(dds.tables(some, threads, given_up, left_out)[:, trump])

    return _in_batches(check_owners, solve_some, owners, BOARDS, _BOARDS_A_THREAD, workers)


def solve_cell_batches(
    owners: NDArray[np.uint8], strain: Strain, declarer: Seat, *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the tricks of declarer's side in one strain by one declarer, a batch at a time.

    These are the same numbers as in the tables of ``solve_batches``, for a fraction of the work.

    Args:
        owners: Owners of deals, shape (n, 52), uint8.
        strain: The strain.
        declarer: The declarer.
        workers: Number of solver threads. Default: all cores.

    Yields:
        Tricks, shape (m,), uint8.

    Raises:
        DealError: A deal is not valid.
        ValueError: ``strain`` or ``declarer`` is not one.

    Example:
        >>> owners = tc.random_deals(2, seed=1).owners
        >>> next(solve_cell_batches(owners, Strain.SPADES, Seat.NORTH))
        array([ 9, 10], dtype=uint8)
    """
    trump, seat = _member(Strain, strain), _member(Seat, declarer)

    def solve_some(
        some: NDArray[np.uint8], rows: slice, threads: int, given_up: Event
    ) -> NDArray[np.uint8]:
        best = dds.leads(some, trump, seat.lho, dds.MOST_TRICKS, dds.ONE_CARD, threads, given_up)
        return _as_tricks(13 - best.scores[:, 0])

    return _in_batches(check_owners, solve_some, owners, BOARDS, _BOARDS_A_THREAD, workers)


def makes_batches(
    owners: NDArray[np.uint8],
    strain: Strain,
    declarer: Seat,
    tricks: int,
    *,
    workers: int | None = None,
) -> Iterator[NDArray[np.bool_]]:
    """Yield whether declarer's side takes at least so many tricks, a batch at a time.

    Each deal needs one search, where finding the number of tricks needs several.

    Args:
        owners: Owners of deals, shape (n, 52), uint8.
        strain: The strain.
        declarer: The declarer.
        tricks: Number of tricks, 1 to 13.
        workers: Number of solver threads. Default: all cores.

    Yields:
        Whether the contract makes, shape (m,), bool.

    Raises:
        DealError: A deal is not valid.
        ValueError: ``tricks`` is out of its range, or ``strain`` or ``declarer`` is not one.

    Example:
        >>> owners = tc.random_deals(2, seed=1).owners
        >>> next(makes_batches(owners, Strain.SPADES, Seat.NORTH, 7))
        array([ True,  True])
    """
    trump, seat = _member(Strain, strain), _member(Seat, declarer)
    tricks = checked_whole(tricks, "tricks")
    if not 1 <= tricks <= 13:
        raise ValueError(f"tricks is {tricks} (expected 1 to 13)")
    questions = np.array([[trump, seat, tricks]])
    return search_batches(owners, questions.repeat(len(owners), axis=0), workers=workers)


def search_batches(
    owners: NDArray[np.uint8], questions: NDArray[np.int64], *, workers: int | None = None
) -> Iterator[NDArray[np.bool_]]:
    """Yield whether a side takes at least so many tricks, with one question per deal.

    Args:
        owners: Owners of deals, shape (n, 52), uint8.
        questions: Strain, declarer and tricks of declarer's side (1 to 13), shape (n, 3).
        workers: Number of solver threads. Default: all cores.

    Yields:
        Whether it does, shape (m,), bool.

    Raises:
        DealError: A deal is not valid.

    Example:
        >>> owners = tc.random_deals(2, seed=1).owners
        >>> next(search_batches(owners, np.array([[0, 0, 7], [4, 1, 9]])))
        array([ True, False])
    """

    def solve_some(
        some: NDArray[np.uint8], rows: slice, threads: int, given_up: Event
    ) -> NDArray[np.bool_]:
        strains, declarers, tricks = questions[rows].T
        needed = 14 - tricks  # by the defence
        leaders = (declarers + 1) % 4
        best = dds.leads(some, strains, leaders, needed, dds.ONE_CARD, threads, given_up)
        held: NDArray[np.bool_] = best.scores[:, 0] < needed
        return held

    return _in_batches(check_owners, solve_some, owners, BOARDS, _BOARDS_A_THREAD, workers)


def solve_line_batches(
    owners: NDArray[np.uint8],
    tricks: int,
    *,
    strains: NDArray[np.uint8] | None = None,
    known: NDArray[np.uint8] | None = None,
    workers: int | None = None,
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    """Yield the tables of deals and lines of best play, a batch at a time.

    After a result is found, some tricks are played with cards that keep it, while the solver
    remembers what it found.

    Args:
        owners: Owners of deals, shape (n, 52), uint8.
        tricks: Number of tricks to play on, 1 to 6.
        strains: Strain of each deal, shape (n,), uint8; the other results are 255. Default: all.
        known: Known results, shape (n, 5, 4), uint8; they save a third of the time.
        workers: Number of solver threads. Default: all cores.

    Yields:
        Tricks, shape (m, 5, 4), and card indices in the order of play, shape (m, 5, 4, 4 * tricks),
        uint8.

    Raises:
        DealError: A deal is not valid.
        ValueError: ``tricks`` is out of its range.

    Example:
        >>> tables, lines = next(solve_line_batches(tc.random_deals(1, seed=1).owners, 2))
        >>> tables.shape, lines.shape
        ((1, 5, 4), (1, 5, 4, 8))
    """
    if not 1 <= (tricks := checked_whole(tricks, "tricks")) <= MOST_LINE_TRICKS:
        raise ValueError(f"tricks is {tricks} (expected 1 to {MOST_LINE_TRICKS})")
    asked = np.ones((len(owners), 5), bool)
    if strains is not None:
        asked = strains[:, None] == np.arange(5)
    tables = np.full((len(owners), 5, 4), UNKNOWN, np.uint8) if known is None else known

    def solve_some(
        some: NDArray[np.uint8], rows: slice, threads: int, given_up: Event
    ) -> NDArray[np.uint8]:
        found, cards = dds.lines(some, tables[rows], asked[rows], tricks, threads, given_up)
        return np.concatenate([found[..., None], cards], axis=3)

    batches = _in_batches(check_owners, solve_some, owners, BATCH, _TABLES_A_THREAD, workers)
    return ((batch[..., 0], batch[..., 1:]) for batch in batches)


def solve_lead_batches(
    owners: NDArray[np.uint8], strain: Strain, declarer: Seat, *, workers: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the tricks of declarer's side after each opening lead, a batch at a time.

    Args:
        owners: Owners of deals, shape (n, 52), uint8.
        strain: The strain.
        declarer: The declarer, whose left-hand opponent leads.
        workers: Number of solver threads. Default: all cores.

    Yields:
        Tricks by card, shape (m, 52), uint8; 255 for cards that the leader does not hold.

    Raises:
        DealError: A deal is not valid.
        ValueError: ``strain`` or ``declarer`` is not one.

    Example:
        >>> owners = tc.random_deals(2, seed=1).owners
        >>> (next(solve_lead_batches(owners, Strain.SPADES, Seat.NORTH)) < 255).sum(axis=1)
        array([13, 13])
    """
    trump, seat = _member(Strain, strain), _member(Seat, declarer)

    def solve_some(
        some: NDArray[np.uint8], rows: slice, threads: int, given_up: Event
    ) -> NDArray[np.uint8]:
        leads = dds.leads(some, trump, seat.lho, dds.MOST_TRICKS, dds.EVERY_CARD, threads, given_up)
        scores = dds.scores_of_cards(leads)
        tricks = np.full(scores.shape, UNKNOWN, dtype=np.uint8)
        tricks[scores >= 0] = _as_tricks(13 - scores[scores >= 0])
        return tricks

    return _in_batches(check_owners, solve_some, owners, BOARDS, _BOARDS_A_THREAD, workers)


def _in_batches(
    check: _Check,
    solve_some: _Solve,
    owners: NDArray[np.uint8],
    size: int,
    a_thread: int,
    workers: int | None,
) -> Iterator[NDArray[Any]]:
    """Yield the results batch by batch, each from one or more calls of DDS."""
    batches = checked_batches(owners, size, check)
    threads = thread_count(workers)
    call = min(size, a_thread * threads)

    def solve_batch(batch: NDArray[np.uint8], start: int, given_up: Event) -> NDArray[Any]:
        calls = range(0, len(batch), call)
        rows = [slice(start + i, start + min(i + call, len(batch))) for i in calls]
        some = [batch[i : i + call] for i in calls]
        return np.concatenate(
            [solve_some(*each, threads, given_up) for each in zip(some, rows, strict=True)]
        )

    return (beside(partial(solve_batch, batch, start)) for start, batch in batches)


def checked_batches(
    owners: NDArray[np.uint8], size: int = BATCH, check: _Check = check_owners
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield the first row of each batch of (n, 52) owners, and a checked copy of the batch.

    Raises DealError at once if the array has another shape or type.
    """
    if (
        not isinstance(owners, np.ndarray)
        or isinstance(owners, np.ma.MaskedArray)
        or owners.dtype != np.uint8
        or owners.shape[1:] != (52,)
    ):
        raise DealError(
            f"{type(owners).__name__} of {getattr(owners, 'dtype', 'no type')} and shape "
            f"{np.shape(owners)} cannot be read as owners (expected an array of (n, 52) uint8, "
            "not masked)"
        )

    def batches() -> Iterator[tuple[int, NDArray[np.uint8]]]:
        for start in range(0, len(owners), size):
            # a copy, because the caller's array could change while DDS reads it
            batch = np.array(owners[start : start + size], order="C")
            check(batch, start, len(owners))
            yield start, batch

    return batches()


def beside(work: Callable[[Event], _Result]) -> _Result:
    """Run ``work`` in a helper thread; cancel it if the caller is interrupted."""
    given_up = Event()
    pool = ThreadPoolExecutor(1, thread_name_prefix="dds")
    try:
        return pool.submit(work, given_up).result()
    finally:
        given_up.set()
        pool.shutdown(wait=False, cancel_futures=True)


@cache
def solver_version() -> str:
    """Name the solver and its binding, such as ``DDS 2.9.0 through endplay 0.5.12``."""

    def ask(given_up: Event) -> list[int]:
        info = (ctypes.c_int * 1024)()  # endplay's DDSInfo is shorter than what DDS 2.9 writes
        with dds.held(None, given_up) as binding:
            binding._dll.GetDDSInfo(ctypes.byref(info))
        return info[:3]

    major, minor, patch = beside(ask)
    return f"DDS {major}.{minor}.{patch} through endplay {version('endplay')}"


def thread_count(workers: int | None) -> int:
    """Return the number of threads to use.

    Args:
        workers: Number of threads, or None for the number of cores this process may use.

    Returns:
        The number; at most 1,024, which is more than DDS can use.

    Raises:
        ValueError: ``workers`` is below 1.

    Example:
        >>> thread_count(2), thread_count(5000)
        (2, 1024)
    """
    if workers is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    return min(checked_whole(workers, "workers", 1), _MOST_THREADS)


def _member(kind: type[_Kind], value: Any) -> _Kind:
    try:
        return kind(value)
    except ValueError:
        name = kind.__name__.lower()
        raise ValueError(f"{shorten(value)} is not a {name} (expected a {kind.__name__})") from None


def _solve_deals(
    some: NDArray[np.uint8], rows: slice, threads: int, given_up: Event
) -> NDArray[np.uint8]:
    return _as_tricks(dds.tables(some, threads, given_up))


def _solve_cells(
    cells: NDArray[np.bool_],
    some: NDArray[np.uint8],
    rows: slice,
    threads: int,
    given_up: Event,
) -> NDArray[np.uint8]:
    tables = np.full((len(some), 5, 4), UNKNOWN, dtype=np.uint8)
    for strain in np.flatnonzero(cells.any(axis=1)).tolist():
        declarers = np.flatnonzero(cells[strain])
        if len(declarers) == 1:  # one leader costs 0.6 of four, two cost more than four
            leader = int(declarers[0] + 1) % 4
            best = dds.leads(some, strain, leader, dds.MOST_TRICKS, dds.ONE_CARD, threads, given_up)
            tables[:, strain, declarers[0]] = _as_tricks(13 - best.scores[:, 0])
        else:
            left_out = tuple(int(other != strain) for other in Strain)
            solved = _as_tricks(dds.tables(some, threads, given_up, left_out)[:, strain])
            tables[:, strain, declarers] = solved[:, declarers]
    return tables


def _check_positions(owners: NDArray[np.uint8], first: int, total: int) -> None:
    cards = cards_a_hand(owners, first, total)
    if (cards == 1).any():  # DDS's tables are wrong for the last trick
        row = first + int((cards == 1).argmax())
        raise ValueError(f"position {row} of {total}: one card a hand (expected 2 to 13)")


def _solve_positions(
    some: NDArray[np.uint8], rows: slice, threads: int, given_up: Event
) -> NDArray[np.uint8]:
    gone = 13 - cards_a_hand(some)  # DDS counts to thirteen: declarer gets the missing tricks
    return _as_tricks(dds.tables(some, threads, given_up) - gone[:, None, None])


def _as_tricks(numbers: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
    if numbers.size and not (numbers.min() >= 0 and numbers.max() <= 13):
        raise RuntimeError(f"DDS answered {numbers.min()} to {numbers.max()} tricks")
    return numbers.astype(np.uint8)
