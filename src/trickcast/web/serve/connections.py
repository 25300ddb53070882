"""Connections that end where the other side is too slow.

uvicorn waits for the rest of a request's head, and for a client that does not read its answer, as
long as that likes; here each has a time, after which the connection is cut.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class Connection(H11Protocol):
    """A connection of uvicorn with a time for the head of a request, and for reading on."""

    def __init__(self, head_seconds: float, reading_seconds: float, **options: Any):
        """Wait so long from the first byte of a head to its last, and for a client to read on."""
        super().__init__(**options)
        self._head_seconds, self._reading_seconds = head_seconds, reading_seconds
        self._head: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        """Take what comes, and see whether it ends within a request's head."""
        super().data_received(data)
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if begun and self._head is None:
            self._head = self.loop.call_later(self._head_seconds, self.transport.abort)
        elif not begun:
            _cancel(self._head)
            self._head = None

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
        _cancel(self._head)
        _cancel(self._reading)
        super().connection_lost(error)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
