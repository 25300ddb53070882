"""Apply one function to many pieces of work: here, one after another, or on a Ray cluster.

A piece keeps one core busy for ten seconds or more: a shard to label, a network to train. The
function gets a piece and a counter to call as it goes, and does not know where it runs. Ray hands
out the pieces, and restarts those whose worker or machine died.
"""

import ctypes
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from ._progress import Advance, nothing
from .cards.errors import one_line

_PATIENCE = 10.0
"""Seconds that a cluster has to answer."""
_SETTINGS = {
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else a warning from every process
    "RAY_NUM_REDIS_GET_RETRIES": "8",  # seconds: what answers may not be a cluster
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Settings of Ray, unless the caller has set them."""
_NAMESPACE = "trickcast"
"""Ray's name for our own connections, which tells them from the caller's."""
_LOCAL_STORE = 200 << 20
"""Bytes of shared memory for a cluster on this machine: pieces return little."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""glibc's settings of memory, numbered as in malloc.h."""
_KEPT = 128 << 10
"""Bytes of freed memory that glibc keeps: its first value, which would grow to 64 MB."""
MEMORY = 400 << 20
"""Bytes of memory that each core of a piece needs."""
RETRIES = 20
"""How often a piece is started again after its worker died."""
_FEWEST_WAITING = 32
"""Fewest pieces that Ray has at a time; twice as many as can run, if that is more."""
_MUCH_SLOWER = 0.7
"""A machine is called slow if its cores do less than this share of the median."""
_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


class ClusterError(RuntimeError):
    """A cluster that cannot be reached or used, or that lost a piece for good."""


@contextmanager
def over_pieces(
    work: Callable[[_Piece, Advance], _Result],
    pieces: Iterable[_Piece],
    *,
    cluster: str | None = None,
    cores: int = 1,
    ordered: bool = False,
    advance: Advance = nothing,
) -> Iterator[Iterator[tuple[_Piece, _Result]]]:
    """Yield an iterator of pieces and what ``work`` returned for each.

    Without a ``cluster`` the work is done here, in order. ``"local"`` starts a Ray cluster on this
    machine for the time of the ``with`` block. ``"auto"`` is the one that runs here or that
    ``RAY_ADDRESS`` names, and ``"ray://HOST:PORT"`` is one elsewhere. On a cluster each piece has
    ``cores`` cores, and pieces come back as they are done, or in order if ``ordered``. ``work`` and
    pieces must be picklable, and doing a piece twice must do no harm. ``advance`` gets what
    ``work`` counts, wherever it runs.

    What ``work`` raises is raised here. Raises ClusterError for a cluster that does not answer
    within ten seconds, has another version of Python, Ray or trickcast, or has no machine large
    enough; ModuleNotFoundError, with the command to install it, if Ray is missing.
    """
    if cluster is None:
        yield ((piece, work(piece, advance)) for piece in pieces)
        return
    with _connected(cluster) as ray:
        refuse_small_machines(ray, cluster, cores)
        run = _Run(ray, work, cores, advance)
        try:
            done = run.results(pieces)
            yield (result for _, result in (_in_order(done) if ordered else done))
        except BaseException:
            run.give_up()
            raise


def connected(cluster: str | None) -> AbstractContextManager[Any]:
    """Stay connected to a cluster, so that all work in the ``with`` block is done on the same one.

    Yields Ray, or None if the work is done here. Raises what ``over_pieces`` raises.
    """
    return nullcontext() if cluster is None else _connected(cluster)


def check_cluster(cluster: str | None) -> None:
    """Raise ClusterError for a text that names no cluster."""
    if cluster not in (None, "local", "auto") and not str(cluster).startswith("ray://"):
        raise ClusterError(
            f"{cluster!r} is not a cluster (expected local, auto or ray://HOST:PORT)"
        )


def _in_order(numbered: Iterator[tuple[int, _Result]]) -> Iterator[tuple[int, _Result]]:
    """Yield results in order, holding back those that come early."""
    early: dict[int, _Result] = {}
    turn = 0
    for number, result in numbered:
        early[number] = result
        while turn in early:
            yield turn, early.pop(turn)
            turn += 1


# --- the cluster ------------------------------------------------------------------------------


@contextmanager
def _connected(cluster: str) -> Iterator[ModuleType]:
    """Yield Ray, connected for the time of the block; keep a connection that the caller has."""
    check_cluster(cluster)
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a cluster needs Ray (install it with: pip install 'trickcast[cluster]')"
        ) from error
    _keep_little_memory()
    if ray.is_initialized():
        yield ray
        return
    options: dict[str, Any] = {"address": cluster, "namespace": _NAMESPACE}
    options |= {"log_to_driver": False, "logging_level": "error"}
    if cluster == "local":
        options |= {"object_store_memory": _LOCAL_STORE, "include_dashboard": False}
    else:
        _knock(cluster if cluster != "auto" else os.environ.get("RAY_ADDRESS", ""))
    try:
        ray.init(**options)
    except Exception as error:  # a plain one if the machine is too busy to start
        raise ClusterError(f"cluster {cluster}: {one_line(error)}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _keep_little_memory() -> None:
    """Make glibc return freed memory: this process runs for long and holds large lists."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library has other settings, or none
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(_M_TRIM_THRESHOLD, _KEPT)
            mallopt(_M_MMAP_THRESHOLD, _KEPT)


def _knock(address: str) -> None:
    """Raise ClusterError unless something answers at an address; Ray would ask for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not address or address in ("auto", "local"):
        return
    if not host or not port.isdigit():
        raise ClusterError(
            f"{address!r} is not the address of a cluster (expected ray://HOST:PORT)"
        )
    try:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"cluster {address}: nothing answers there ({getattr(error, 'strerror', '') or error}; "
            "start a cluster with: ray start --head --ray-client-server-port 10001)"
        ) from None


def refuse_small_machines(ray: ModuleType, cluster: str, cores: int) -> None:
    """Raise ClusterError if no machine can ever run a piece; Ray would wait for one.

    A cluster that has no cores yet may grow.
    """
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    with_cores = [machine for machine in machines if machine.get("CPU", 0)]
    needed = cores * MEMORY
    fit = [
        machine
        for machine in with_cores
        if machine["CPU"] >= cores and machine.get("memory", 0) >= needed
    ]
    if with_cores and not fit:
        raise ClusterError(
            f"cluster {cluster}: no machine has {cores} cores and {needed >> 20:,} MB of "
            "memory free for each piece (use fewer --workers, or larger machines)"
        )


# --- the pieces -------------------------------------------------------------------------------


class _Run:
    """The pieces that Ray has, and their progress."""

    def __init__(
        self, ray: ModuleType, work: Callable[..., Any], cores: int, advance: Advance
    ) -> None:
        self._ray, self._cores, self._advance = ray, cores, advance
        self._ours = ray.get_runtime_context().namespace == _NAMESPACE
        self._task = ray.remote(_do).options(
            num_cpus=cores,
            memory=cores * MEMORY,
            max_retries=RETRIES,
            retry_exceptions=[ConnectionError, TimeoutError],
        )
        self._counts = None
        if advance is not nothing:
            self._counts = ray.remote(_Counts).options(num_cpus=0, max_restarts=-1).remote()
        self._shared = ray.put((work, _fingerprint(), self._counts))  # sent to a machine once
        self._pending: dict[Any, tuple[int, Any]] = {}
        self._finished: list[int] = []
        self._reported, self._whole, self._asked = 0, 0, 0.0
        self._most = self._room()
        self._speeds: dict[str, tuple[float, float]] = {}

    def results(self, pieces: Iterable[_Piece]) -> Iterator[tuple[int, tuple[_Piece, Any]]]:
        """Yield each piece's number, the piece and its result, as pieces are done."""
        waiting = enumerate(pieces)
        while True:
            while (
                len(self._pending) < self._most and (following := next(waiting, None)) is not None
            ):
                self._begin(*following)
            if not self._pending:
                self._ask()
                return
            # asking for each alone costs as much as handing it out
            some = 1 + len(self._pending) // 8
            done, _ = self._ray.wait(
                list(self._pending), num_returns=some, timeout=1.0, fetch_local=False
            )
            for task in done:
                yield self._result(task)
            if time.monotonic() - self._asked > 1:
                self._ask()

    def give_up(self) -> None:
        """Cancel what is not done, if the connection is the caller's and stays open.

        Our own connection ends now, and its pieces with it. Cancelling them first could crash this
        process: Ray 2.60 dies if a piece is cancelled just as it ends.
        """
        if not self._ours:
            for task in self._pending:
                self._ray.cancel(task, force=True)

    def _room(self) -> int:
        """Return how many pieces to hand to Ray at a time; a cluster grows and shrinks."""
        cores = self._ray.cluster_resources().get("CPU", 0)
        return max(_FEWEST_WAITING, int(2 * cores / self._cores))

    def _begin(self, number: int, piece: Any) -> None:
        every = 1 + self._most / 400  # seconds: a few hundred reports a second in all
        task = self._task.remote(self._shared, number, piece, every)
        self._pending[task] = number, piece

    def _result(self, task: Any) -> tuple[int, tuple[Any, Any]]:
        number, piece = self._pending[task]
        try:
            result, place, done, seconds = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise _told(error.cause) from error
        except self._ray.exceptions.RayError as error:
            raise ClusterError(f"piece {number} failed for good: {one_line(error)}") from error
        del self._pending[task]
        self._finished.append(number)
        self._whole += done
        before = self._speeds.get(place, (0, 0.0))
        self._speeds[place] = before[0] + done, before[1] + seconds
        return number, (piece, result)

    def _ask(self) -> None:
        """Bring the bar up to date: what is done, what is under way, and which machine lags."""
        self._asked, self._most = time.monotonic(), self._room()
        finished, self._finished = self._finished, []
        if self._counts is None:
            return
        try:
            under_way = self._ray.get(self._counts.under_way.remote(finished), timeout=_PATIENCE)
        except (self._ray.exceptions.RayError, TimeoutError):
            return  # its machine died: it starts again elsewhere, and gets later reports
        known = self._whole + under_way
        self._advance(known - self._reported, slowest(self._speeds))
        self._reported = known


def slowest(speeds: dict[str, tuple[float, float]]) -> str:
    """Name the machine that is much slower than the median; return "" if there is none.

    ``speeds`` has, by machine, the amount done and the seconds of its cores.
    """
    rates = {place: done / seconds for place, (done, seconds) in speeds.items() if seconds}
    if len(rates) < 2:
        return ""
    place = min(rates, key=lambda name: rates[name])
    usual = float(np.median([*rates.values()]))
    if rates[place] >= _MUCH_SLOWER * usual:
        return ""
    return f"slow: {place}, {rates[place]:,.1f} a second per core, not {usual:,.1f}"


class _Counts:
    """Progress of the pieces under way: one object for a run, somewhere in the cluster."""

    def __init__(self) -> None:
        self._done: dict[int, int] = {}
        self._over: set[int] = set()

    def report(self, number: int, done: int) -> None:
        """Record how much of a piece is done; a restarted piece reports less than before."""
        if number not in self._over:  # a report may arrive after its piece's result
            self._done[number] = done

    def under_way(self, finished: list[int]) -> int:
        """Return what is done of the pieces under way, given those finished since last asked."""
        self._over.update(finished)
        for number in finished:
            self._done.pop(number, None)
        return sum(self._done.values())


def _do(
    shared: tuple[Callable[[Any, Advance], Any], str, Any], number: int, piece: Any, every: float
) -> tuple[Any, str, int, float]:
    """Do a piece in a worker; return the result, the machine, what was counted, the seconds.

    ``shared`` is what all pieces have in common: the work, the driver's fingerprint, the counts.
    """
    import ray

    work, fingerprint, counts = shared
    node = ray.get_runtime_context().get_node_id()
    place = f"{socket.gethostname()}/{node[:4]}"
    if fingerprint != _fingerprint():
        raise ClusterError(
            f"{place} has another version of trickcast than this machine (install the same "
            "version there)"
        )
    begun = reported = time.monotonic()
    total = 0

    def advance(done: int, note: str = "") -> None:
        nonlocal total, reported
        total += done
        if counts is not None and time.monotonic() - reported > every:
            reported = time.monotonic()
            counts.report.remote(number, total)

    result = work(piece, advance)
    return result, place, total, time.monotonic() - begun


@cache
def _fingerprint() -> str:
    """Return a digest of the source, which tells this version of trickcast from others."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _told(error: BaseException) -> BaseException:
    """Return a worker's error as it is raised here."""
    if isinstance(error, ModuleNotFoundError):
        missing = error.name or str(error)
        return ClusterError(f"a machine of the cluster lacks a package: {missing}")
    return error
