"""Bo Haglund's DDS through endplay's binding: loaded once, called by one thread at a time.

DDS keeps global state. It crashes on invalid deals and on two calls at once, and loading the
binding counts as a call. So every load or call holds DDS, in this module only, and all arrays
passed to it are our own, in C order.
"""

import ctypes
import importlib.util
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy import ctypeslib  # np.ctypeslib loads on first use: a fork meanwhile leaves half of it
from numpy.typing import NDArray

from ..cards.card_play import winner

BATCH = 40
"""Most tables in one call of DDS; 41 with five strains already fail."""
BOARDS = 200
"""Most boards, each of one strain and leader, in one call of DDS."""
MOST_TRICKS = -1
"""As a target: search for the most tricks that the side on lead can take."""
ONE_CARD, EVERY_CARD = 1, 3
"""The number of the leader's cards that DDS scores."""
ALL_STRAINS = (0, 0, 0, 0, 0)

_NO_CARD = 255
_WITHOUT_PAR = -1
_ALWAYS_SEARCH = 1  # even if all the leader's cards are equal
_GO_ON = 2  # always search, and keep what was found since the strain was begun
_NUMBER_OF_THREADS = 12  # index in DDS's description of itself, in ints
_PATIENCE = 0.05  # seconds between checks whether a waiting caller is still wanted
BIT_OF_RANK = np.uint32(1) << np.arange(14, 1, -1, dtype=np.uint32)
"""DDS's bit for each rank, ace first."""


_OneOrMany = int | NDArray[np.integer[Any]]


class GivenUp(Exception):
    """The result is no longer wanted."""


class _Turns:
    """Turns at calling DDS: one thread at a time, first come, first served.

    A process forks only between two calls, so DDS is idle in a child.
    """

    def __init__(self) -> None:
        self._next, self._busy = Lock(), Lock()
        self._forking = False
        self._forked_amid_a_call = False
        if hasattr(os, "register_at_fork"):  # Windows has no fork
            os.register_at_fork(
                before=self._before_fork,
                after_in_parent=self._after_fork,
                after_in_child=self._after_fork_in_child,
            )

    @contextmanager
    def taken(self, given_up: Event) -> Iterator[None]:
        """Hold DDS. Raises GivenUp as soon as that is set, RuntimeError if DDS cannot be used.

        A lone lock goes to whichever thread asks first once it is free, often the one that just had
        it. So the next in turn holds a second lock while it waits.
        """
        _acquire(self._next, given_up)
        try:
            _acquire(self._busy, given_up)
        finally:
            self._next.release()
        try:
            if self._forked_amid_a_call:
                raise RuntimeError(
                    "DDS cannot be used: this process was forked during a call (fork while nothing "
                    "is being solved, or start processes by spawn)"
                )
            yield
        finally:
            self._busy.release()

    def _before_fork(self) -> None:
        with self._next:
            self._busy.acquire()
        self._forking = True

    def _after_fork(self) -> None:
        if self._forking:
            self._forking = False
            self._busy.release()

    def _after_fork_in_child(self) -> None:
        # Ctrl-C ends the wait before a fork, and Python forks all the same
        self._forked_amid_a_call |= not self._forking and self._busy.locked()
        self._forking = False
        self._next, self._busy = Lock(), Lock()


def _acquire(lock: Lock, given_up: Event) -> None:
    while not lock.acquire(timeout=_PATIENCE):
        if given_up.is_set():
            raise GivenUp
    if given_up.is_set():
        lock.release()
        raise GivenUp


_turns = _Turns()
_binding: ModuleType | None = None
_threads_set: int | None = None


@contextmanager
def held(threads: int | None, given_up: Event) -> Iterator[ModuleType]:
    """Hold endplay's ``_dds``, loaded, for one call with so many threads (None: as it is).

    Enter it in a thread that signals do not reach: an interrupted load
    leaves half of it. Raises GivenUp as soon as that is set, ModuleNotFoundError without endplay.
    """
    global _binding, _threads_set
    with _turns.taken(given_up):
        if _binding is None:
            _binding = _load()
        if threads is not None and threads != _threads_set:
            _binding.SetMaxThreads(threads)
            _threads_set = threads
        yield _binding


def folder() -> Path:
    """Return endplay's folder, which contains DDS. Raises ModuleNotFoundError without endplay."""
    endplay = importlib.util.find_spec("endplay")
    if endplay is None or endplay.origin is None:
        raise ModuleNotFoundError(
            "exact tricks need the solver DDS; install it with: pip install endplay (for Python "
            "3.11 to 3.13, not for Windows on ARM). Estimates work without it",
            name="endplay",
        )
    return Path(endplay.origin).parent


def _load() -> ModuleType:
    """Load only endplay's ``_dds``.

    Importing it by name would first run endplay's root module. That needlessly loads matplotlib
    (half a second, and seconds if it has never run on the machine) and a parser generator.
    """
    binding = importlib.util.spec_from_file_location(
        "endplay._dds", folder() / "_dds" / "__init__.py"
    )
    assert binding is not None and binding.loader is not None
    module = importlib.util.module_from_spec(binding)
    binding.loader.exec_module(module)
    return module


def tables(
    owners: NDArray[np.uint8],
    threads: int,
    given_up: Event,
    left_out: tuple[int, ...] = ALL_STRAINS,
) -> NDArray[np.int32]:
    """Return DDS's tables, (n, 5, 4), of at most ``BATCH`` checked deals or positions.

    ``left_out`` is 1 for strains that are not solved; DDS takes ``BOARDS`` of a single strain.
    """
    cards = holdings(owners)
    with held(threads, given_up) as dds:
        call, results = dds.ddTableDeals(), dds.ddTablesRes()
        call.noOfTables = len(owners)
        ctypes.memmove(call.ddTableDeal, cards.ctypes.data, cards.nbytes)
        dds.CalcAllTables(call, _WITHOUT_PAR, left_out, results, dds.allParResults())
    numbers = ctypes.cast(results.results, ctypes.POINTER(ctypes.c_int))
    return ctypeslib.as_array(numbers, (len(owners), 5, 4)).copy()


class Leads(NamedTuple):
    """DDS's results for the next cards of m boards; each array but ``cards`` is (m, 13) int32."""

    cards: NDArray[np.int32]
    """(m,) number of valid entries in a row."""
    suits: NDArray[np.int32]
    ranks: NDArray[np.int32]
    equals: NDArray[np.int32]
    """Equally good lower cards of the same suit: bit *r* for rank *r*."""
    scores: NDArray[np.int32]
    """Tricks of the side to play; below the target if it cannot be reached."""


def leads(
    owners: NDArray[np.uint8],
    strain: _OneOrMany,
    leader: _OneOrMany,
    target: _OneOrMany,
    solutions: int,
    threads: int,
    given_up: Event,
) -> Leads:
    """Return DDS's results for the leads of at most ``BOARDS`` checked deals.

    Strain, leader and target are the same for all deals, or (n,) one for each.
    """
    nothing = np.full((len(owners), 3), _NO_CARD, dtype=np.uint8)
    positions = boards(owners, strain, leader, nothing)
    return solve(positions, target, solutions, threads, given_up)


def boards(
    owners: NDArray[np.uint8],
    strains: _OneOrMany,
    leaders: _OneOrMany,
    tricks: NDArray[np.uint8],
) -> NDArray[np.uint32]:
    """Return n positions in DDS's form, (n, 24).

    ``owners`` is (n, 52), 255 for played cards. ``leaders`` is (n,), the leader to the trick on the
    table; ``tricks`` (n, 3) are its cards, 255 for those not played yet.
    """
    n = len(owners)
    positions = np.zeros((n, 24), dtype=np.uint32)  # trump, first, three suits, three ranks
    positions[:, 0], positions[:, 1] = strains, leaders
    on_table = tricks != _NO_CARD
    positions[:, 2:5] = np.where(on_table, tricks // 13, 0)
    positions[:, 5:8] = np.where(on_table, 14 - tricks % 13, 0)
    positions[:, 8:] = holdings(owners).reshape(n, 16)
    return positions


def solve(
    positions: NDArray[np.uint32],
    target: _OneOrMany,
    solutions: int,
    threads: int,
    given_up: Event,
) -> Leads:
    """Return DDS's results for the next cards of at most ``BOARDS`` checked positions."""
    n = len(positions)
    with held(threads, given_up) as dds:
        call, results = dds.boards(), dds.solvedBoards()
        call.noOfBoards = n
        ctypes.memmove(call.deals, positions.ctypes.data, positions.nbytes)
        call.target[:n] = np.broadcast_to(target, n).tolist()
        call.solutions[:n] = [solutions] * n
        call.mode[:n] = [_ALWAYS_SEARCH] * n
        dds.SolveAllBoardsBin(call, results)
    solved = ctypes.cast(results.solvedBoard, ctypes.POINTER(ctypes.c_int))
    numbers = ctypeslib.as_array(solved, (n, 54)).copy()
    return Leads(numbers[:, 1], *numbers[:, 2:].reshape(n, 4, 13).transpose(1, 0, 2))


def traces(
    owners: NDArray[np.uint8],
    strains: NDArray[np.integer[Any]],
    leaders: NDArray[np.integer[Any]],
    plays: Sequence[Sequence[int]],
    threads: int,
    given_up: Event,
) -> list[NDArray[np.uint8]]:
    """Return declarer's tricks along at most ``BOARDS`` checked plays of deals.

    For k cards, the first of the (k + 1,) results is before the play, the others after each card.
    After 48 cards there are no more, since the last trick plays itself.
    """
    n = len(owners)
    nothing = np.full((n, 3), _NO_CARD, dtype=np.uint8)
    positions = boards(owners, strains, leaders, nothing)
    with held(threads, given_up) as dds:
        call, cards, results = dds.boards(), dds.playTracesBin(), dds.solvedPlays()
        call.noOfBoards = cards.noOfBoards = n
        ctypes.memmove(call.deals, positions.ctypes.data, positions.nbytes)
        call.target[:n] = [MOST_TRICKS] * n
        call.solutions[:n] = [ONE_CARD] * n
        call.mode[:n] = [_ALWAYS_SEARCH] * n
        for trace, play in zip(cards.plays, plays, strict=False):
            k = trace.number = len(play)
            trace.suit[:k] = [card // 13 for card in play]
            trace.rank[:k] = [14 - card % 13 for card in play]
        dds.AnalyseAllPlaysBin(call, cards, results, 1)
    return [
        np.array(solved.tricks[: solved.number], dtype=np.uint8) for solved in results.solved[:n]
    ]


def lines(
    owners: NDArray[np.uint8],
    tables: NDArray[np.uint8],
    asked: NDArray[np.bool_],
    tricks: int,
    threads: int,
    given_up: Event,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return tables and lines of best play: (n, 5, 4) and (n, 5, 4, 4 * tricks) card indices.

    Of (n, 52) checked deals, the strains in (n, 5) ``asked`` are solved with their four
    declarers, and each is played on for so many ``tricks``, while DDS remembers what it found.
    Results in ``tables`` are trusted, which is faster; 255 stands for unknown or not requested.
    """
    found, played = np.full_like(tables, _NO_CARD), np.full((*tables.shape, 4 * tricks), _NO_CARD)
    with held(threads, given_up) as dds:
        info = (ctypes.c_int * 1024)()
        dds._dll.GetDDSInfo(ctypes.byref(info))
        threads = max(1, min(threads, info[_NUMBER_OF_THREADS]))
        rows = iter(range(len(owners)))

        def work(thread: int) -> None:
            line = _Line(dds, thread)
            for row in rows:  # each thread takes the next; taking is one atomic step of Python
                for strain in np.flatnonzero(asked[row]).tolist():
                    if given_up.is_set():
                        return
                    line.begin(owners[row], strain)
                    for leader in range(4):
                        cell = row, strain, (leader + 3) % 4
                        found[cell], played[cell] = line.play(leader, int(tables[cell]), tricks)

        with ThreadPoolExecutor(threads, thread_name_prefix="dds") as pool:
            for done in [pool.submit(work, thread) for thread in range(threads)]:
                done.result()
    return found, played.astype(np.uint8)


class _Line:
    """A thread of DDS that solves a strain of a deal, and then plays on with best cards."""

    def __init__(self, dds: ModuleType, thread: int):
        self._dds, self._thread = dds, thread
        self._deal, self._answer = dds.deal(), dds.futureTricks()
        self._numbers = np.frombuffer(self._deal, dtype=np.uint32)
        self._mode = _ALWAYS_SEARCH

    def begin(self, owners: NDArray[np.uint8], strain: int) -> None:
        """Switch to a strain of a deal."""
        self._holdings = holdings(owners[None]).reshape(16)
        self._strain, self._mode = strain, _ALWAYS_SEARCH

    def play(self, leader: int, result: int, tricks: int) -> tuple[int, list[int]]:
        """Return the tricks of declarer's side, given or solved, and the cards of best play."""
        numbers, cards = self._numbers, list[int]()
        numbers[0], numbers[8:] = self._strain, self._holdings
        left, known = 13, result != _NO_CARD
        to_win = left - result if known else MOST_TRICKS  # by the side that leads
        for _ in range(tricks):
            numbers[1], numbers[2:8] = leader, 0
            trick = list[int]()
            for turn in range(4):
                most = to_win if turn % 2 == 0 or to_win == MOST_TRICKS else left - to_win
                card, score = self._best(most if known else MOST_TRICKS)
                if to_win == MOST_TRICKS:
                    to_win, result = score, 13 - score
                elif score != most:
                    raise RuntimeError(f"DDS found {score} tricks where {most} were known")
                seat, suit, rank = (leader + turn) % 4, card // 13, 14 - card % 13
                numbers[8 + 4 * seat + suit] &= ~(np.uint32(1) << np.uint32(rank))
                if turn < 3:
                    numbers[2 + turn], numbers[5 + turn] = suit, rank
                trick.append(card)
            taker = (leader + winner(trick, self._strain)) % 4
            left -= 1
            if taker % 2 == leader % 2:
                to_win -= 1
            else:
                to_win = left - to_win
            leader = taker
            cards += trick
        return result, cards

    def _best(self, target: int) -> tuple[int, int]:
        answer = self._answer
        self._dds.SolveBoard(self._deal, target, ONE_CARD, self._mode, answer, self._thread)
        self._mode = _GO_ON
        return 13 * answer.suit[0] + 14 - answer.rank[0], answer.score[0]


def scores_of_cards(leads: Leads) -> NDArray[np.int32]:
    """Return the score of each card, (m, 52) int32; -1 for cards without one."""
    listed = np.arange(13) < leads.cards[:, None]
    # a card stands for itself and for equally good lower ones, bit r for rank r
    ranks = (np.uint32(1) << leads.ranks.astype(np.uint32)) | leads.equals.astype(np.uint32)
    scores = np.full((len(leads.cards), 4, 13), -1, dtype=np.int32)
    for entry in range(13):
        row, suit = np.flatnonzero(listed[:, entry]), leads.suits[listed[:, entry], entry]
        of_entry = (ranks[row, entry, None] & BIT_OF_RANK) != 0
        scores[row, suit] = np.where(of_entry, leads.scores[row, entry, None], scores[row, suit])
    return scores.reshape(-1, 52)


def holdings(owners: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Turn (n, 52) owners into DDS's (n, 4, 4) holdings: hand by suit, bit *r* for rank *r*."""
    of_hand = owners.reshape(-1, 1, 4, 13) == np.arange(4, dtype=np.uint8)[:, None, None]
    # sums keep the memory order of their input, and DDS reads C order
    return np.ascontiguousarray((of_hand * BIT_OF_RANK).sum(axis=-1, dtype=np.uint32))
