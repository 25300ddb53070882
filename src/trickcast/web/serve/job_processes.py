"""Processes for long work and for reading files, so that it can be stopped at any moment.

If one of them ends (a crash of DDS, a deadline, a client that disconnects), the others continue.
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
_WAITING = 8  # jobs waiting per process; the next is told to try again

Part = tuple[str, Any]
"""A message of a job: ``partial`` with a result so far, or ``result`` with a final one."""
Found = TypeVar("Found")


class JobProcesses:
    """A fixed number of processes; each that ends is replaced."""

    def __init__(
        self, name: str, number: int, observe: Callable[[float], object], *, niceness: int = 0
    ):
        """Prepare them; the system shows ``name``, ``observe`` receives the jobs' waiting times.

        Their ``niceness`` leaves the processor to the server.
        """
        alone = {"OMP_NUM_THREADS": "1"}
        work = f"{__package__}.jobs:answer"
        self._pool = Pool(work, number, title=name, niceness=niceness, environment=alone)
        self._number, self._observe, self._waiting = number, observe, 0
        self._free = asyncio.Semaphore(number)
        self._threads = CapacityLimiter(2 * number + 1)
        self._closing = CapacityLimiter(number)
        """Separate threads: those above may all wait for a process that must be killed first."""
        self._behind: set[asyncio.Task[None]] = set()

    async def run(self, job: str, **asked: Any) -> AsyncGenerator[Part, None]:
        """Do a job of ``jobs.JOBS``; closing this generator ends it.

        A process that dies meanwhile is replaced once, and the new one continues. Raises JobError
        if that dies too, RefusedError if the job cannot be done, BusyError if too many are already
        waiting, or no process can be started.
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
        """Start the processes in advance, which takes a second."""
        await self._in_thread(self._pool.start)

    async def close(self) -> None:
        """End the processes and their current work."""
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
        """Yield the parts of an answer; a process that is left before its end is killed."""
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
        except OSError as error:  # no handles or no memory left
            reason = error.strerror
            raise BusyError(f"no solver can be started ({reason}); try again in a second") from None
        finally:
            if not whole:  # in a separate task: a cancelled one may not await
                self._later(self._end(asking))

    async def _end(self, asking: "asyncio.Task[Answer]") -> None:
        """Kill a process whose work is no longer wanted, and start the next."""
        await run_sync((await asking).close, limiter=self._closing)
        await self.start()

    def _later(self, work: Any) -> None:
        async def quietly() -> None:
            with suppress(OSError, RuntimeError):  # retried with the next question
                await work

        task = asyncio.create_task(quietly())
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)

    async def _in_thread(self, work: Callable[..., Found], *given: Any) -> Found:
        return await run_sync(work, *given, abandon_on_cancel=True, limiter=self._threads)
