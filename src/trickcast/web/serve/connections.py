"""Connections with limits on time, size and number.

By itself, uvicorn waits forever for a request's head and for a client that does not read its
answer. It keeps reading unwanted bodies, and accepts heads of any size, and connections until no
more files can be opened. Here each of these has a limit.
"""

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .errors import PROBLEM, problem

HEAD = 65_536
"""Most bytes in a request's head, and in any other part before its end arrives."""
_PIECE = 4096  # bytes read at a time: a head can exceed the limit by this much before it is refused
_QUEUED = 16  # requests that may be sent before the first is answered


class Connection(HttpToolsProtocol):
    """A uvicorn connection that limits the time for a request's head and for slow readers."""

    def __init__(self, head_seconds: float, reading_seconds: float, most: int, **options: Any):
        """Set the time limits for a complete head, and for a client to continue reading.

        With more than ``most`` connections the newest is told to try again.
        """
        super().__init__(**options)
        self._head_seconds, self._reading_seconds = head_seconds, reading_seconds
        self._most = most
        self._waiting: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._in_head = False
        self._head_bytes = self._open_bytes = 0
        self._wrong = "this is not an HTTP request"

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self._most:
            self._refuse(503, "too many connections; try again in a second")

    def data_received(self, data: bytes) -> None:
        """Process incoming data, until it exceeds a limit."""
        for start in range(0, len(data), _PIECE):
            if self.transport.is_closing():
                return
            piece = data[start : start + _PIECE]
            self._open_bytes += len(piece)
            super().data_received(piece)
            if len(self.pipeline) > _QUEUED:
                self._wrong = f"too many requests at once (expected at most {_QUEUED})"
            elif self._head_bytes + self._open_bytes > HEAD + _PIECE:
                self._too_long()
            else:
                continue
            self.send_400_response(self._wrong)
        answered = self.cycle is None or self.cycle.response_complete
        if answered and self.timeout_keep_alive_task is None:
            self._wait()  # for the rest of what has begun, even if only a line end

    def on_message_begin(self) -> None:
        """Start waiting for the rest of a head."""
        super().on_message_begin()
        self._in_head, self._head_bytes, self._open_bytes = True, 0, 0
        self._wait()

    def on_url(self, url: bytes) -> None:
        """Process a part of the URL."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Process a header line; those after a body are ignored."""
        self._count(len(name) + len(value) + len(b": \r\n"))
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Note that the head is complete."""
        self._in_head, self._head_bytes, self._open_bytes = False, 0, 0
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Process a part of a body."""
        self._open_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the body is complete."""
        self._head_bytes = self._open_bytes = 0
        super().on_message_complete()
        self._stop_waiting()
        if self.cycle.response_complete:  # comes first if the body is not wanted
            keep = self.timeout_keep_alive, self.timeout_keep_alive_handler
            self.timeout_keep_alive_task = self.loop.call_later(*keep)

    def on_response_complete(self) -> None:
        """If the answer came before the end of the body, wait for the rest a while."""
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body:
            self._wait()

    def pause_writing(self) -> None:
        """Start waiting for the client to read."""
        super().pause_writing()
        self._reading = self.loop.call_later(self._reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue: the client reads."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def connection_lost(self, error: Exception | None) -> None:
        """Cancel the timers."""
        self._stop_waiting()
        if self._reading is not None:
            self._reading.cancel()
        super().connection_lost(error)

    def send_400_response(self, msg: str) -> None:
        """Answer that a request cannot be read, with the reason if known."""
        self._refuse(400, self._wrong)

    def _refuse(self, status: int, detail: str) -> None:
        if self.transport.is_closing():
            return
        body = problem(status, detail)
        again = "retry-after: 1\r\n" if status == 503 else ""
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: {PROBLEM}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n{again}\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    def _count(self, size: int) -> None:
        """Count bytes of a head, or of the lines after a body, that came whole."""
        self._open_bytes = 0
        self._head_bytes += size
        if self._head_bytes > HEAD:
            self._too_long()
            raise ValueError(self._wrong)  # the parser stops

    def _too_long(self) -> None:
        self._wrong = f"the head of the request is too large (expected at most {HEAD:,} bytes)"

    def _wait(self) -> None:
        """Close the connection after a while, unless a timer is already running."""
        if self._waiting is None:
            self._waiting = self.loop.call_later(self._head_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
