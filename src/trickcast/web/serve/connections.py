"""Connections that end where the other side is too slow.

uvicorn waits for the rest of a request's head, and for a client that does not read its answer, as
long as that likes, and reads on in a body that nobody wants; here each has an end.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD = 65_536
"""Bytes that a request's head may have before its end is there."""


class Connection(HttpToolsProtocol):
    """A connection of uvicorn with a time for the head of a request, and for reading on."""

    def __init__(self, head_seconds: float, reading_seconds: float, **options: Any):
        """Wait so long from the first byte of a head to its last, and for a client to read on."""
        super().__init__(**options)
        self._head_seconds, self._reading_seconds = head_seconds, reading_seconds
        self._head: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._rest: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        """Take what comes; refuse a head without end."""
        super().data_received(data)
        self._head_bytes = 0 if self._head is None else self._head_bytes + len(data)
        if self._head_bytes > HEAD and not self.transport.is_closing():
            self.send_400_response(f"The head of a request has at most {HEAD:,} bytes.")

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        super().on_message_begin()
        self._head = self.loop.call_later(self._head_seconds, self.transport.abort)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a line of a head; those after a body are passed over."""
        if self._head is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there."""
        _cancel(self._head)
        self._head = None
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Where the answer came before the end of the body, wait for that a while."""
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body:
            self._rest = self.loop.call_later(self._head_seconds, self.transport.abort)

    def on_message_complete(self) -> None:
        """The body is there."""
        super().on_message_complete()
        _cancel(self._rest)

    def pause_writing(self) -> None:
        """Begin to wait for the client."""
        super().pause_writing()
        self._reading = self.loop.call_later(self._reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        super().resume_writing()
        _cancel(self._reading)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the times."""
        for timer in (self._head, self._rest, self._reading):
            _cancel(timer)
        super().connection_lost(error)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
