"""Checks that every request passes before it is answered, and headers that every answer gets.

Host, Origin and Sec-Fetch-Site are checked, so that no page of another site can send requests
through a visitor's browser. A body is read completely, up to a size and within a time. Under too
much load the answer is 503 at once. If the client disconnects, its work is cancelled. The log has
method, path, status, time and the request's id, but never the question.
"""

import asyncio
import logging
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .errors import PROBLEM, problem
from .metrics import Metrics

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOG = logging.getLogger(__name__)
_RETRY = {"retry-after": "1"}
_HUNG_UP = 499  # in the log, as in nginx
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
"""What is accepted as the id that a proxy or a client gave to a request."""
_ELSEWHERE = (b"cross-site", b"same-site")
"""What a browser says about a request that does not come from a page of this server."""


@dataclass(frozen=True)
class Limits:
    """Limits of the server's load."""

    running: int = 128
    """Questions in progress at a time."""
    size: int = 262_144
    """Bytes of a request."""
    body_seconds: float = 10
    """Seconds for a complete request to arrive."""
    seconds: float = 60
    """Seconds to wait for an estimate or a free solver; and for the solver's work."""


class Guard:
    """An ASGI application that wraps another."""

    def __init__(
        self,
        application: Application,
        *,
        hosts: frozenset[str],
        origins: frozenset[str],
        limits: Limits,
        metrics: Metrics,
        headers: dict[str, str],
        paths: frozenset[str],
    ):
        """Let through requests to one of ``hosts``, and add ``headers`` to answers without them.

        Pages of ``origins`` may also send requests. ``paths`` are counted by name.
        """
        self._application, self._limits = application, limits
        self._hosts, self._origins = hosts, origins
        self._metrics, self._paths = metrics, paths
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":  # WebSockets are not supported
            await send({"type": "websocket.close", "code": 1008})
            return
        start, status, ended = time.perf_counter(), 500, False
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        number = given if _ID.fullmatch(given) else b"%016x" % random.getrandbits(64)

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal status, ended
            if message["type"] == "http.response.start":
                status = message["status"]
                own = {name for name, _ in message["headers"]}
                more = [header for header in self._headers if header[0] not in own]
                message["headers"] = [*message["headers"], *more, (b"x-request-id", number)]
            elif not message.get("more_body"):
                ended = True
            await send(message)

        try:
            await self._answer(scope, headers, receive, send_with_headers, lambda: ended)
        finally:
            status = status if ended else _HUNG_UP
            seconds = time.perf_counter() - start
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.requests.labels(path, status).inc()
            self._metrics.seconds.labels(path).observe(seconds)
            LOG.info(
                "%s %s %d %.1f ms %s",
                scope["method"] if scope["method"].isalpha() else "?",
                path,
                status,
                seconds * 1000,
                number.decode(),
                extra={
                    "path": path,
                    "status": status,
                    "milliseconds": round(seconds * 1000, 1),
                    "request": number.decode(),
                },
            )

    async def _answer(
        self,
        scope: Scope,
        headers: dict[bytes, bytes],
        receive: Receive,
        send: Send,
        ended: Callable[[], bool],
    ) -> None:
        refusal = self._refusal(headers, scope["path"])
        if refusal is not None:
            await reply(send, *refusal)
            return
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await self._body(headers.get(b"content-length", b""), receive)
        except TimeoutError:
            await reply(
                send,
                408,
                f"the request was not complete within {self._limits.body_seconds:g} seconds",
            )
            return
        except ConnectionAbortedError:
            return
        if body is None:
            most = self._limits.size
            await reply(send, 413, f"the request is too large (expected at most {most:,} bytes)")
            return
        if not scope["path"].startswith("/v1/"):
            await self._application(scope, _replay(body, receive), send)
        elif self._running >= self._limits.running:
            await reply(send, 503, "the server is busy; try again in a second", _RETRY)
        else:
            self._running += 1
            self._metrics.running.set(self._running)
            try:
                async with _listening(receive, ended):
                    await self._application(scope, _replay(body, _never), send)
            finally:
                self._running -= 1
                self._metrics.running.set(self._running)

    def _refusal(self, headers: dict[bytes, bytes], path: str) -> tuple[int, str] | None:
        """Return status and reason if a request is not meant for this server."""
        host = headers.get(b"host", b"").decode("latin-1")
        if hostname(host) not in self._hosts and "*" not in self._hosts:
            return 421, "this server does not answer for that host (see --allow-host)"
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and ("*" in self._origins or origin in self._origins):
            return None
        elsewhere = path.startswith("/v1/") and headers.get(b"sec-fetch-site") in _ELSEWHERE
        if elsewhere or (origin and not _same_place(origin, host)):
            return 403, "requests from pages of other sites are not allowed (see --allow-origin)"
        return None

    async def _body(self, length: bytes, receive: Receive) -> bytes | None:
        """Return the whole body; None as soon as it is known to be too large."""
        most = self._limits.size
        if length.isdigit() and (len(length) > 15 or int(length) > most):
            return None
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionAbortedError
            body += message.get("body", b"")
            if len(body) > most:
                return None
            if not message.get("more_body"):
                return bytes(body)


async def reply(
    send: Send, status: int, detail: str, headers: dict[str, str] | None = None
) -> None:
    """Send an error."""
    body = problem(status, detail)
    told = {"content-type": PROBLEM, "content-length": str(len(body))} | (headers or {})
    lines = [(name.encode(), value.encode()) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def _listening(receive: Receive, ended: Callable[[], bool]) -> AsyncIterator[None]:
    """Cancel the block if the client disconnects before all is ``ended``."""
    work, gone = asyncio.current_task(), False
    assert work is not None

    async def listen() -> None:
        nonlocal gone
        while (await receive())["type"] != "http.disconnect":
            pass
        if not ended():
            gone = True
            work.cancel()

    listener = asyncio.create_task(listen())
    try:
        yield
    except asyncio.CancelledError:
        if not gone or work.uncancel() > 0:
            raise
    finally:
        listener.cancel()


async def _never() -> MutableMapping[str, Any]:
    await asyncio.Event().wait()
    raise AssertionError


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive function that replays a body already read, then continues."""
    given = False

    async def again() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def hostname(host: str) -> str | None:
    """Return the name in a Host, in lower case and without its port; None if it is invalid."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _same_place(origin: str, host: str) -> bool:
    """Return whether an Origin is this server; its scheme may be that of a proxy in front."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
