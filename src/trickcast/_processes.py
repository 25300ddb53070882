"""Processes that answer questions; a crash of one of them harms nothing else.

A process is ``python`` running ``main`` below. It reads questions from standard input and writes
answers to standard output until its input ends, which it does when the caller ends for any reason.
In both directions a frame is its length (four bytes, little-endian) and that many bytes. Each part
of an answer begins with a byte that says whether more follows. Nothing is unpickled.

The pools of the standard library, loky and pebble do not serve. In them a process that dies takes
the others' work along; or running work cannot be stopped, says nothing before its end, or goes on
after the caller was killed.
"""

import os
import signal
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from queue import Empty, SimpleQueue
from threading import Lock, Thread, Timer
from typing import Any, BinaryIO, Self
from weakref import finalize

_LENGTH = struct.Struct("<I")
_PART, _END, _REFUSED = b"\0", b"\1", b"\2"
_CLOSED = "these processes are closed"
Tell = Callable[[bytes], None]
"""Sends a part of an answer."""


class ProcessEnded(RuntimeError):
    """A process ended in the middle of an answer; the others go on."""


class Refusal(ValueError):
    """A question that cannot be answered: raised in the process, and again in the caller."""


class Processes:
    """A number of equal processes, which any number of threads may ask.

    A process starts when it is first needed, and again after it has ended. All end with ``close``,
    with the ``with`` block, with the interpreter, and when the caller is killed.
    """

    def __init__(
        self,
        work: str,
        number: int = 1,
        *,
        title: str = "",
        niceness: int = 0,
        environment: Mapping[str, str] | None = None,
    ):
        """Prepare ``number`` processes that answer by the function ``"package.module:name"``.

        The function gets a question, as bytes, and a ``Tell``, and may raise Refusal; any other
        error ends the process. ``environment`` is added to the caller's, ``niceness`` lets other
        programs go first, and ``title`` shows in the system's list of processes.
        """
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        self._all = [_Process(work, title, niceness, environment) for _ in range(number)]
        for process in self._all:
            self._idle.put(process)

    def ask(self, question: bytes, *, timeout: float | None = None) -> "Answer":
        """Ask a process, as soon as one is free, and return its answer as it arrives.

        A process that takes longer than ``timeout`` seconds is ended.
        """
        process = self._idle.get()
        try:
            return Answer(process, question, timeout, self._idle.put)
        except BaseException:  # Ctrl-C: it would go on with what nobody waits for
            process.end()
            self._idle.put(process)
            raise

    def start(self) -> None:
        """Start the idle processes that do not run, so that the next question need not wait."""
        for _ in range(self._idle.qsize()):
            try:
                process = self._idle.get_nowait()
            except Empty:  # the others are asked
                return
            try:
                process.running()
            finally:  # one that could not be started is tried again when it is asked
                self._idle.put(process)

    def close(self) -> None:
        """End the processes and their work; anyone waiting for one gets a RuntimeError."""
        for process in self._all:
            process.close()
            self._idle.put(process)  # wakes one that waits, which puts it back for the next

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class Answer:
    """An iterator of the parts of an answer, as bytes. Close it if you leave it early.

    Raises ProcessEnded if the process ends before its answer, Refusal if it refuses.
    """

    def __init__(
        self,
        process: "_Process",
        question: bytes,
        timeout: float | None,
        give_back: Callable[["_Process"], None],
    ):
        self._slot, self._give_back = process, give_back
        self._process = process.running()
        self._leaving, self._left = Lock(), False
        self._late = Timer(timeout or 0, self._process.kill)
        self._late.daemon = True
        if timeout is not None:
            self._late.start()
        with suppress(OSError):  # it no longer reads
            _send(self._process.stdin, question)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        if self._left:
            raise StopIteration
        try:
            part = _receive(self._process.stdout)
        except BaseException:
            self.close()
            raise
        if part is None:
            self.close()
            raise ProcessEnded(f"ended {_why(self._process.returncode)}")
        if part[:1] == _PART:
            return part[1:]
        self._leave()
        if part[:1] == _REFUSED:
            raise Refusal(part[1:].decode())
        raise StopIteration

    def close(self) -> None:
        """End the process unless the answer is complete; any thread may call this."""
        self._leave(self._slot.end)

    def _leave(self, first: Callable[[], None] = lambda: None) -> None:
        with self._leaving:
            if self._left:
                return
            self._left = True
            self._late.cancel()
            try:
                first()
            finally:
                self._give_back(self._slot)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class _Process:
    """One process at a time, which gives one answer at a time."""

    def __init__(
        self, work: str, title: str, niceness: int, environment: Mapping[str, str] | None
    ) -> None:
        begin = f"import os, sys; sys.path[:] = {sys.path!r}"
        if niceness and hasattr(os, "nice"):
            begin += f"; os.nice({niceness})"
        program = f"{begin}\nfrom {__name__} import main; main({work!r})"
        self._command = [sys.executable, "-c", program, *([title] if title else [])]
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._end: finalize[Any, Any] = finalize(self, lambda: None)
        self._owner = 0
        self._closed = False

    def running(self) -> subprocess.Popen[bytes]:
        """Return the process; start one if there is none, or only that of a forked parent."""
        if self._closed:
            raise RuntimeError(_CLOSED)
        ended = self._process is not None and self._process.poll() is not None
        if ended and self._owner == os.getpid():
            self._end()  # it ended while it was idle
        if self._process is None or not self._end.alive or self._owner != os.getpid():
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=None if self._environment is None else {**os.environ, **self._environment},
            )
            self._owner = os.getpid()
            self._end = finalize(self, _end, self._process, self._owner)
            if self._closed:  # in the meantime
                self._end()
                raise RuntimeError(_CLOSED)
        return self._process

    def end(self) -> None:
        """End the process, if there is one."""
        self._end()

    def close(self) -> None:
        """End the process, if there is one, and start no more."""
        self._closed = True
        self._end()


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if owner != os.getpid():  # a fork shares the pipes, but not the child
        return
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # a question was not sent: nobody waits for its answer
            if pipe is not None:
                pipe.close()


def _why(status: int | None) -> str:
    if status is not None and status < 0:
        return f"by signal {signal.Signals(-status).name}"
    return f"with status {status}"


def _send(stream: BinaryIO | Any, *content: bytes) -> None:
    stream.write(_LENGTH.pack(sum(map(len, content))) + b"".join(content))
    stream.flush()


def _receive(stream: BinaryIO | Any) -> bytes | None:
    """Return a frame's content, or None if the stream ended first."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    content: bytes = stream.read(size)
    return content if len(content) == size else None


def main(work: str) -> None:
    """Answer questions until the input ends; what is printed goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller's terminal sends it to both
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asked: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_answer, args=(work, asked, answers), daemon=True).start()
    while (question := _receive(questions)) is not None:
        asked.put(question)
    os._exit(0)  # in the middle of an answer too: the caller has gone


def _answer(work: str, asked: "SimpleQueue[bytes]", answers: BinaryIO) -> None:
    try:
        module, _, name = work.partition(":")
        function = getattr(import_module(module), name)
        while True:
            question = asked.get()
            try:
                function(question, lambda part: _send(answers, _PART, part))
            except Refusal as refusal:
                _send(answers, _REFUSED, str(refusal).encode())
            else:
                _send(answers, _END)
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # which the caller sees
