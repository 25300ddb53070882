"""One function over many pieces of work: here, one after another, or on a Ray cluster.

A piece is what one core does in ten seconds or more: a shard to label, a network to train. The
function gets a piece and a counter to call as it goes, and does not know where it runs. Ray hands
the pieces out, and does again what a worker, or a machine, that died had in hand.
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
"""Ray's settings, unless the caller has his own."""
_NAMESPACE = "trickcast"
"""Ray's name for what connections of ours share: it tells them from the caller's."""
_LOCAL_STORE = 200 << 20
"""Bytes of shared memory of a cluster on this machine: what pieces return is small."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Settings of glibc's memory, by their numbers in malloc.h."""
_KEPT = 128 << 10
"""Bytes of freed memory that glibc keeps: it begins with so many, and would come to 64 MB."""
MEMORY = 400 << 20
"""Bytes that a core of a piece asks of its machine."""
RETRIES = 20
"""How often a piece whose worker died is begun again."""
_FEWEST_WAITING = 32
"""Pieces handed to Ray at a time, at least; else twice as many as can run."""
_MUCH_SLOWER = 0.7
"""A machine is told of whose cores do less than this share of the usual one's."""
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

    Without a ``cluster`` they are done here, in order. It is Ray's: ``"local"`` starts one on this
    machine for the time of the ``with`` block, ``"auto"`` is the one that runs here or that
    ``RAY_ADDRESS`` names, ``"ray://HOST:PORT"`` one elsewhere; there a piece has ``cores``, and
    pieces come as they are done, or in order where they shall be ``ordered``. ``work`` and pieces
    must be picklable, and what is done twice must do no harm. ``advance`` gets what ``work``
    counts, wherever it runs.

    What ``work`` raises is raised here. Raises ClusterError for a cluster that does not answer
    within ten seconds, runs another Python, Ray or trickcast, or has no machine large enough; and
    ModuleNotFoundError, with the line to install it, where Ray is missing.
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

    Yields Ray, or nothing where work is done here. Raises as ``over_pieces``.
    """
    return nullcontext() if cluster is None else _connected(cluster)


def _in_order(numbered: Iterator[tuple[int, _Result]]) -> Iterator[tuple[int, _Result]]:
    """Keep back what comes before its turn."""
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
    """Yield Ray, connected for the time of the block; a connection of the caller's is kept."""
    if cluster not in ("local", "auto") and not cluster.startswith("ray://"):
        raise ClusterError(
            f"{cluster!r} is not a cluster (expected local, auto or ray://HOST:PORT)"
        )
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
    except Exception as error:  # of no class of its own where a machine is too busy to start
        raise ClusterError(f"cluster {cluster}: {one_line(error)}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _keep_little_memory() -> None:
    """Have glibc give back what this process frees, which works for long and holds large lists."""
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
    """Raise where no machine can ever run a piece, which Ray would wait for.

    A cluster without any core yet may grow.
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
    """The pieces that are with Ray, and how far they are."""

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
        """Yield the number of each piece, the piece and its result, as they are done."""
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
        """Let go of all that is not done, where the connection is the caller's and stays.

        Ours ends now and takes its pieces along. To cancel them first could bring this process
        down: Ray 2.60 dies of a piece that is cancelled in the moment in which it ends.
        """
        if not self._ours:
            for task in self._pending:
                self._ray.cancel(task, force=True)

    def _room(self) -> int:
        """Return how many pieces Ray is handed at a time; a cluster grows and shrinks."""
        cores = self._ray.cluster_resources().get("CPU", 0)
        return max(_FEWEST_WAITING, int(2 * cores / self._cores))

    def _begin(self, number: int, piece: Any) -> None:
        every = 1 + self._most / 400  # seconds: some hundred reports a second from all
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
            return  # its machine died: it begins again elsewhere, and hears of the rest
        known = self._whole + under_way
        self._advance(known - self._reported, slowest(self._speeds))
        self._reported = known


def slowest(speeds: dict[str, tuple[float, float]]) -> str:
    """Name the machine that does much less a second than the usual one; nothing if there is none.

    ``speeds`` has what was done, and the seconds of its cores, by machine.
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
    """How far the pieces under way are: one for a run, somewhere in the cluster."""

    def __init__(self) -> None:
        self._done: dict[int, int] = {}
        self._over: set[int] = set()

    def report(self, number: int, done: int) -> None:
        """Take in how much of a piece is done; one that began again says less than before."""
        if number not in self._over:  # a report may come after its piece
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
    """Return what tells this trickcast from another: a digest of its source."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _told(error: BaseException) -> BaseException:
    """Return what went wrong in a worker as it is to be raised here."""
    if isinstance(error, ModuleNotFoundError):
        missing = error.name or str(error)
        return ClusterError(f"a machine of the cluster lacks a package: {missing}")
    return error
