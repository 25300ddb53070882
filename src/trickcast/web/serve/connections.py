"""Connections that end where the other side is too slow, too long, or one too many.

uvicorn waits for a request's head, and for a client that does not read its answer, as long as that
likes, reads on in a body that nobody wants, and takes heads of any size, and connections until no
more files can be opened; here each has an end.
"""

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .errors import PROBLEM, problem

HEAD = 65_536
"""Bytes that a request's head may have, and any other part before its end is there."""
_PIECE = 4096  # bytes that are read at a time: a head is that much longer before it is refused
_QUEUED = 16  # requests that may be sent before the first is answered


class Connection(HttpToolsProtocol):
    """A connection of uvicorn with a time for the head of a request, and for reading on."""

    def __init__(self, head_seconds: float, reading_seconds: float, most: int, **options: Any):
        """Wait so long for the whole of a head, and for a client to read on.

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
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self._most:
            self._refuse(503, "too many connections; try again in a second")

    def data_received(self, data: bytes) -> None:
        """Take what comes, until it is too much."""
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
            self._wait()  # for the rest of what has begun, be it a line's end alone

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        super().on_message_begin()
        self._in_head, self._head_bytes, self._open_bytes = True, 0, 0
        self._wait()

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a line of a head; those after a body are passed over."""
        self._count(len(name) + len(value) + len(b": \r\n"))
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._in_head, self._head_bytes, self._open_bytes = False, 0, 0
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        self._open_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The body is there."""
        self._head_bytes = self._open_bytes = 0
        super().on_message_complete()
        self._stop_waiting()
        if self.cycle.response_complete:  # which comes first where the body is not wanted
            keep = self.timeout_keep_alive, self.timeout_keep_alive_handler
            self.timeout_keep_alive_task = self.loop.call_later(*keep)

    def on_response_complete(self) -> None:
        """Where the answer came before the end of the body, wait for that a while."""
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body:
            self._wait()

    def pause_writing(self) -> None:
        """Begin to wait for the client."""
        super().pause_writing()
        self._reading = self.loop.call_later(self._reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the times."""
        self._stop_waiting()
        if self._reading is not None:
            self._reading.cancel()
        super().connection_lost(error)

    def send_400_response(self, msg: str) -> None:
        """Answer that a request cannot be read, in the words that are known here."""
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
        """End the connection after a while, unless it waits already."""
        if self._waiting is None:
            self._waiting = self.loop.call_later(self._head_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
