"""Errors whose message is sent to the client.

An error is sent as RFC 9457 ``application/problem+json``.
"""

import json
from http import HTTPStatus
from typing import Any

PROBLEM = "application/problem+json"


def problem(status: int, detail: str, errors: list[dict[str, str]] | None = None) -> bytes:
    """Return the body of an error; ``errors`` point to the invalid keys and explain each."""
    content: dict[str, Any] = {
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return json.dumps(content | ({} if errors is None else {"errors": errors})).encode()


class RefusedError(ValueError):
    """A question that cannot be answered; the message says what was expected, of a key or not."""

    def __init__(self, message: str, *keys: str):
        super().__init__(message)
        self.keys = keys


class BusyError(RuntimeError):
    """Too much load, or no answer in time; the same question may be asked again."""


class JobError(RuntimeError):
    """The process computing an answer ended without one on every try."""


class ForbiddenError(RuntimeError):
    """The resource belongs to someone else."""


class MissingError(RuntimeError):
    """The resource does not exist."""


class DoneError(RuntimeError):
    """The action was already done, and its result stands."""


class OftenError(RuntimeError):
    """Too many requests from one client."""


class DamagedError(RuntimeError):
    """The server's stored data cannot be read."""
