"""Processes that do what takes long or reads files, so that it can be ended at any moment.

What ends one of them (a crash of DDS, a deadline, a client that hangs up) ends nothing else. A
process is ``python`` running ``jobs.main``; both ways a line of JSON is a message, and nothing is
unpickled. It ends with its input, and so with the server, however that one ends.
"""

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from .errors import BusyError, JobError, RefusedError

LOG = logging.getLogger(__name__)
_TRIES = 2
_WAITING = 8  # jobs that wait for each process; the next is told to come again
_NICE = 10
_LONGEST = 1 << 26  # bytes of a line

Part = tuple[str, Any]
"""What a job says: ``partial`` and a result so far, or ``result`` and one that stands."""


class Processes:
    """So many processes, and another for each that ends."""

    def __init__(
        self,
        name: str,
        processes: int,
        observe: Callable[[float], object],
        *,
        behind: bool = False,
    ):
        """Prepare them; the system shows ``name``, ``observe`` is told how long jobs waited.

        Those that work ``behind`` get the processor when the server does not need it, where the
        system can do that.
        """
        self._name = name
        self._before = f"import os, sys; sys.path[:] = {sys.path!r}"
        if behind and hasattr(os, "nice"):
            self._before += f"; os.nice({_NICE})"
        self._number, self._observe = processes, observe
        self._free = asyncio.Semaphore(processes)
        self._idle: list[asyncio.subprocess.Process] = []
        self._waiting = self._alive = 0
        self._starting: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[int]] = set()

    async def run(self, job: str, **asked: Any) -> AsyncGenerator[Part, None]:
        """Do a job of ``jobs.JOBS``; leaving this generator ends it.

        A process that ends in its midst is replaced once, and does what is left. Raises JobError
        where that ends too, RefusedError where the job cannot be done, BusyError where too many
        wait already.
        """
        async with self._turn():
            results = 0
            for last in (False,) * (_TRIES - 1) + (True,):
                try:
                    async with aclosing(self._try(job, asked | {"skip": results})) as parts:
                        async for part in parts:
                            results += part[0] == "result"
                            yield part
                    return
                except JobError as error:
                    LOG.warning("%s: %s", job, error)
                    if last:
                        raise JobError(f"{error} (tried: {_TRIES} times)") from None

    async def start(self) -> None:
        """Start what may be needed, which takes a second."""
        while self._alive < self._number:
            self._idle.append(await self._new())

    async def close(self) -> None:
        """End the processes that wait for work, and those that are started just now."""
        self._number = 0
        if self._starting is not None:
            await self._starting
        while self._idle:
            self._end(self._idle.pop())
        if self._ending:
            await asyncio.wait(self._ending)

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

    async def _try(self, job: str, asked: dict[str, Any]) -> AsyncGenerator[Part, None]:
        process = self._idle.pop() if self._idle else await self._new()
        assert process.stdin is not None and process.stdout is not None
        done = False
        try:
            process.stdin.write(json.dumps({"job": job, **asked}).encode() + b"\n")
            while line := await process.stdout.readline():
                kind, content = json.loads(line)
                if kind in ("end", "refused"):
                    done = True
                    break
                yield kind, content
            else:
                raise JobError(f"the process of the solver ended ({await process.wait()})")
        except OSError as error:
            raise JobError(f"the process of the solver does not listen ({error})") from None
        finally:
            if done and self._alive <= self._number:
                self._idle.append(process)
            else:
                self._end(process)
                self._starting = asyncio.create_task(self.start())
        if kind == "refused":
            raise RefusedError(content)

    async def _new(self) -> asyncio.subprocess.Process:
        self._alive += 1
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", f"{self._before}\nfrom {__package__}.jobs import main; main()"),
            self._name,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )

    def _end(self, process: asyncio.subprocess.Process) -> None:
        self._alive -= 1
        if process.returncode is None:
            process.kill()
            waiting = asyncio.create_task(process.wait())
            self._ending.add(waiting)
            waiting.add_done_callback(self._ending.discard)
