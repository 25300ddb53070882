"""Answers part by part, as ``text/event-stream``, and the errors that may end them."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import Response
from starlette.types import Receive, Scope, Send

from ...cards import DealError
from ...questions import QuestionError
from .apart import Part
from .errors import (
    BusyError,
    DoneError,
    ForbiddenError,
    JobError,
    MissingError,
    RefusedError,
)

LOG = logging.getLogger(__name__)
PROBLEMS: dict[type[Exception], int] = {
    DealError: 422,
    RefusedError: 422,
    QuestionError: 422,
    BusyError: 503,
    JobError: 503,
    ForbiddenError: 403,
    MissingError: 404,
    DoneError: 409,
}
"""The errors that are answers, and their status."""
Parts = AsyncGenerator[Part, None]


def problem_of(error: Exception) -> tuple[int, str]:
    """Return the status and the words of an error that is an answer; log one of ours."""
    status = next(status for kind, status in PROBLEMS.items() if isinstance(error, kind))
    if not isinstance(error, JobError):
        return status, str(error)
    LOG.error("the solver failed: %s", error)
    return status, f"the solver failed: {error}"


async def in_time(parts: Parts, deadline: float, seconds: float) -> Parts:
    """Yield the parts of an answer. Raises BusyError at the deadline, by the clock of the loop."""
    async with aclosing(parts):
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    part = await anext(parts, None)
            except TimeoutError:
                raise BusyError(f"no answer within {seconds:g} seconds") from None
            if part is None:
                return
            yield part


async def events(parts: Parts) -> Response:
    """Answer with parts as they come; what is wrong before the first is an error as usual."""
    return _Events(parts, await anext(parts, None))


class _Events(Response):
    """A stream of events: parts, then ``end``; or ``error``, where an answer is not finished."""

    media_type = "text/event-stream"

    def __init__(self, parts: Parts, first: Part | None):
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._parts, self._first = parts, first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def tell(kind: str, content: Any) -> None:
            body = f"event: {kind}\ndata: {json.dumps(content)}\n\n".encode()
            await send({"type": "http.response.body", "body": body, "more_body": True})

        headers = self.raw_headers
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async with aclosing(self._parts):
            try:
                if self._first is not None:
                    await tell(*self._first)
                async for part in self._parts:
                    await tell(*part)
            except tuple(PROBLEMS) as error:
                status, detail = problem_of(error)
                await tell("error", {"status": status, "detail": detail})
            else:
                await tell("end", {})
        await send({"type": "http.response.body", "body": b""})
