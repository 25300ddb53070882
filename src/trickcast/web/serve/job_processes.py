"""Processes that do what takes long or reads files, so that it can be ended at any moment.

What ends one of them (a crash of DDS, a deadline, a client that hangs up) ends nothing else.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from ..._processes import Answer, ProcessEnded, Refusal
from ..._processes import Processes as Pool
from .errors import BusyError, JobError, RefusedError

LOG = logging.getLogger(__name__)
_TRIES = 2
_WAITING = 8  # jobs that wait for each process; the next is told to try again

Part = tuple[str, Any]
"""What a job says: ``partial`` and a result so far, or ``result`` and one that stands."""
Found = TypeVar("Found")


class JobProcesses:
    """So many processes, and another for each that ends."""

    def __init__(
        self, name: str, number: int, observe: Callable[[float], object], *, niceness: int = 0
    ):
        """Prepare them; the system shows ``name``, ``observe`` is told how long jobs waited.

        By their ``niceness`` they leave the processor to the server.
        """
        alone = {"OMP_NUM_THREADS": "1"}
        work = f"{__package__}.jobs:answer"
        self._pool = Pool(work, number, title=name, niceness=niceness, environment=alone)
        self._number, self._observe, self._waiting = number, observe, 0
        self._free = asyncio.Semaphore(number)
        self._threads = CapacityLimiter(2 * number + 1)
        self._closing = CapacityLimiter(number)
        """Threads apart: those above may all wait for a process that has to be ended first."""
        self._behind: set[asyncio.Task[None]] = set()

    async def run(self, job: str, **asked: Any) -> AsyncGenerator[Part, None]:
        """Do a job of ``jobs.JOBS``; leaving this generator ends it.

        A process that ends in its midst is replaced once, and does what is left. Raises JobError
        where that ends too, RefusedError where the job cannot be done, BusyError where too many
        wait already, or no process can be started.
        """
        async with self._turn():
            results = 0
            for last in (False,) * (_TRIES - 1) + (True,):
                question = json.dumps(asked | {"job": job, "skip": results}).encode()
                try:
                    async with aclosing(self._parts(question)) as parts:
                        async for part in parts:
                            results += part[0] == "result"
                            yield part
                    return
                except ProcessEnded as error:
                    LOG.warning("%s: the process of the solver %s", job, error)
                    if last:
                        told = f"the process of the solver {error} (tried: {_TRIES} times)"
                        raise JobError(told) from None

    async def start(self) -> None:
        """Start what may be needed, which takes a second."""
        await self._in_thread(self._pool.start)

    async def close(self) -> None:
        """End the processes, and what they have in hand."""
        await run_sync(self._pool.close, limiter=self._closing)

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None, None]:
        """Hold one of the processes."""
        if self._waiting >= _WAITING * self._number:
            raise BusyError("too many requests wait for a solver; try again in a second")
        start = time.monotonic()
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        self._observe(time.monotonic() - start)
        try:
            yield
        finally:
            self._free.release()

    async def _parts(self, question: bytes) -> AsyncGenerator[Part, None]:
        """Yield the parts of an answer; a process that is left before its end is ended."""
        asking = asyncio.create_task(self._in_thread(self._pool.ask, question))
        whole = False
        try:
            answer = await asyncio.shield(asking)
            while (part := await self._in_thread(next, answer, None)) is not None:
                yield json.loads(part)
            whole = True
        except Refusal as refusal:
            whole = True
            raise RefusedError(str(refusal)) from None
        except OSError as error:  # no handles or no memory are left
            reason = error.strerror
            raise BusyError(f"no solver can be started ({reason}); try again in a second") from None
        finally:
            if not whole:  # in a task of its own: who is cancelled may not await
                self._later(self._end(asking))

    async def _end(self, asking: "asyncio.Task[Answer]") -> None:
        """End a process that has, or will have, what nobody waits for, and start the next."""
        await run_sync((await asking).close, limiter=self._closing)
        await self.start()

    def _later(self, work: Any) -> None:
        async def quietly() -> None:
            with suppress(OSError, RuntimeError):  # it is tried again when a question comes
                await work

        task = asyncio.create_task(quietly())
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)

    async def _in_thread(self, work: Callable[..., Found], *given: Any) -> Found:
        return await run_sync(work, *given, abandon_on_cancel=True, limiter=self._threads)
