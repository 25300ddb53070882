"""Errors whose message is sent to the client.

An error is sent as RFC 9457 has it, ``application/problem+json``.
"""

import json
from http import HTTPStatus
from typing import Any

PROBLEM = "application/problem+json"


def problem(status: int, detail: str, errors: list[dict[str, str]] | None = None) -> bytes:
    """Return the body of an error; ``errors`` point to the keys that are wrong, and say how."""
    content: dict[str, Any] = {
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return json.dumps(content | ({} if errors is None else {"errors": errors})).encode()


class RefusedError(ValueError):
    """A question that cannot be answered as it is; the message says what was expected."""


class BusyError(RuntimeError):
    """There is too much to do, or no answer in time; the same question may be asked again."""


class JobError(RuntimeError):
    """The process that was to find an answer ended without one, each time that it was tried."""


class ForbiddenError(RuntimeError):
    """What is asked for is another's."""


class MissingError(RuntimeError):
    """What is asked for is not there."""


class DoneError(RuntimeError):
    """What is asked for was done already, and what was done stands."""


class OftenError(RuntimeError):
    """Somebody asks too often."""


class DamagedError(RuntimeError):
    """What the server keeps cannot be read."""
