"""DDS in processes of its own, so that what ends it does not end the caller.

A worker is ``python`` running ``main`` below: it reads deals from its standard input and writes
tables to its standard output until its input ends, which it does with the caller, however that
one ends. A frame is its length in bytes (four, little-endian) and that many bytes: a question is
the number of threads (four bytes) and (n, 52) owners, an answer a zero byte and (n, 5, 4) tricks,
or a one and a message. Nothing is unpickled.
"""

import os
import signal
import struct
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread, Timer
from types import TracebackType
from typing import Any, BinaryIO, Self
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import TrickTable, as_dealset
from .batches import checked_batches, solve_batches, thread_count

_LENGTH = struct.Struct("<I")
_SOLVED, _FAILED = b"\0", b"\1"


class SolverCrash(RuntimeError):
    """The process that solved a batch ended without an answer; the others go on."""


class SolverProcesses:
    """Solvers, each in a process of its own, for any number of threads to use.

    A process is started when it is first needed, and again after it ended. They end with
    ``close``, with the ``with`` block, with the interpreter, and when the caller is killed.
    """

    def __init__(
        self,
        processes: int = 1,
        *,
        workers: int | None = 1,
        tries: int = 2,
        timeout: float | None = None,
    ):
        """Prepare ``processes`` solvers of ``workers`` threads each (None: all cores).

        A batch of at most 40 deals that ends its process, or takes longer than ``timeout``
        seconds, is given to a new one until it was tried ``tries`` times. Raises ValueError for
        numbers below one.
        """
        if processes < 1 or tries < 1:
            raise ValueError(f"processes is {processes}, tries {tries} (expected 1 or more)")
        self._threads = thread_count(workers)
        self._tries, self._timeout = tries, timeout
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._workers = [_Worker() for _ in range(processes)]
        for worker in self._workers:
            self._idle.put(worker)

    def solve(self, deals: Any, *, progress: bool = False) -> TrickTable:
        """Return the exact table of every deal, as ``trickcast.solve``, which see.

        Raises SolverCrash naming the deals whose process ended each time that it was tried.
        """
        dealset, single = as_dealset(deals)
        tricks = np.empty((len(dealset), 5, 4), dtype=np.uint8)
        done = 0
        with progress_bar("solving", len(dealset), "deals", show=progress) as advance:
            for batch in self.solve_batches(dealset.owners):
                tricks[done : done + len(batch)] = batch
                done += len(batch)
                advance(len(batch))
        return TrickTable(tricks[0] if single else tricks)

    def solve_batches(self, owners: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
        """Yield the tables of (n, 52) owners of deals, at most 40 at a time.

        Raises DealError for what is no such array at once, and for what is no deal; SolverCrash
        for a batch whose process ended: what was yielded stands, and the rest can be asked for
        again.
        """
        return (
            self._solve_batch(batch, f"deals {start} to {start + len(batch) - 1}")
            for start, batch in checked_batches(owners)
        )

    def _solve_batch(self, owners: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
        worker = self._idle.get()
        try:
            for _ in range(self._tries - 1):
                with suppress(SolverCrash):
                    return worker.solve(owners, self._threads, self._timeout)
            return worker.solve(owners, self._threads, self._timeout)
        except SolverCrash as crash:
            raise SolverCrash(f"{name}: {crash} (tried: {self._tries} times)") from None
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End the processes, and what they have in hand."""
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Worker:
    """One process, of which one thread at a time asks."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._end: finalize[Any, Any] = finalize(self, lambda: None)
        self._owner = 0
        self._closed = False

    def solve(
        self, owners: NDArray[np.uint8], threads: int, timeout: float | None
    ) -> NDArray[np.uint8]:
        """Return the (n, 5, 4) tricks. Raises SolverCrash where the process ends or is late."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        late = Timer(timeout or 0, process.kill)
        if timeout is not None:
            late.start()
        answer = None
        try:
            with suppress(OSError):  # it no longer reads
                _send(process.stdin, _LENGTH.pack(threads) + owners.tobytes())
                answer = _receive(process.stdout)
        except BaseException:  # Ctrl-C: it would go on with what nobody waits for
            self._end()
            raise
        finally:
            late.cancel()
        if answer is None:
            self._end()
            raise SolverCrash(f"the solver's process ended {_why(process.returncode)}")
        if answer[:1] == _FAILED:
            raise ValueError(answer[1:].decode())
        return np.frombuffer(answer[1:], dtype=np.uint8).reshape(len(owners), 5, 4)

    def close(self) -> None:
        """End the process, if there is one, for good."""
        self._closed = True
        self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process; a new one where there is none, or only that of a forked parent."""
        if self._closed:
            raise RuntimeError("these solver processes are closed")
        if self._process is None or not self._end.alive or self._owner != os.getpid():
            program = f"import sys; sys.path[:] = {sys.path!r}\nfrom {__name__} import main; main()"
            self._process = subprocess.Popen(
                [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            self._owner = os.getpid()
            self._end = finalize(self, _end, self._process, self._owner)
        return self._process


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if owner != os.getpid():  # a fork shares the pipes, but not the child
        return
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # of a question that was not sent: nobody waits for its answer
            if pipe is not None:
                pipe.close()


def _why(status: int | None) -> str:
    if status is not None and status < 0:
        return f"by signal {signal.Signals(-status).name}"
    return f"with status {status}"


def _send(stream: BinaryIO | Any, content: bytes) -> None:
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def _receive(stream: BinaryIO | Any) -> bytes | None:
    """Return a frame's content; None where the stream ended before it."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    content: bytes = stream.read(size)
    return content if len(content) == size else None


def main() -> None:
    """Answer questions until the input ends; what is printed goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller's terminal sends it to both
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asked: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_answer, args=(asked, answers), daemon=True).start()
    while (question := _receive(questions)) is not None:
        asked.put(question)
    os._exit(0)  # in the midst of a batch too: the caller has gone


def _answer(asked: SimpleQueue[bytes], answers: BinaryIO) -> None:
    try:
        while True:
            question = asked.get()
            (threads,) = _LENGTH.unpack(question[: _LENGTH.size])
            owners = np.frombuffer(question[_LENGTH.size :], dtype=np.uint8).reshape(-1, 52)
            try:
                tables = [table.tobytes() for table in solve_batches(owners, workers=threads)]
            except ValueError as error:
                _send(answers, _FAILED + str(error).encode())
            else:
                _send(answers, _SOLVED + b"".join(tables))
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # which the caller sees as a crash
