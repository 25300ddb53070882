"""Answers part by part, as ``text/event-stream``, and the errors that may end them."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import Response
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event

from ...cards import DealError
from ...questions import QuestionError
from .errors import (
    BusyError,
    DamagedError,
    DoneError,
    ForbiddenError,
    JobError,
    MissingError,
    OftenError,
    RefusedError,
)
from .job_processes import Part

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
    OftenError: 429,
    DamagedError: 503,
}
"""The errors that are sent to the client, and their status."""
AnswerParts = AsyncGenerator[Part, None]


def problem_of(error: Exception) -> tuple[int, str]:
    """Return the status and the message of an error for the client; log internal ones."""
    status = next(status for kind, status in PROBLEMS.items() if isinstance(error, kind))
    if not isinstance(error, JobError):
        return status, str(error)
    LOG.error("the solver failed: %s", error)
    return status, f"the solver failed: {error}"


async def in_time(parts: AnswerParts, deadline: float, seconds: float) -> AnswerParts:
    """Yield the parts of an answer. Raises BusyError at the deadline, by the loop's clock."""
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


async def events(parts: AnswerParts) -> Response:
    """Answer with parts as they come; an error before the first is sent as usual."""
    first = await anext(parts, None)
    return StreamingResponse(
        _told(parts, first),
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        media_type="text/event-stream",
    )


async def _told(parts: AnswerParts, first: Part | None) -> AsyncGenerator[bytes, None]:
    """Yield parts as events, then ``end``; or ``error`` if an answer is incomplete."""

    def event(kind: str, content: Any) -> bytes:
        return format_sse_event(event=kind, data_str=json.dumps(content))

    async with aclosing(parts):
        try:
            if first is not None:
                yield event(*first)
            async for part in parts:
                yield event(*part)
        except tuple(PROBLEMS) as error:
            status, detail = problem_of(error)
            yield event("error", {"status": status, "detail": detail})
        else:
            yield event("end", {})
