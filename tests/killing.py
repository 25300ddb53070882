"""Trainings that are killed: at which moments, and how a test knows."""

from collections.abc import Callable
from typing import Any


class Killed(Exception):
    """Stands for a kill: nothing catches it but the test."""


def kill_at(call: int, then: Callable[..., Any] = lambda *given, **named: None) -> Any:
    """Return a function that does as ``then``, and afterwards kills at its ``call``-th call."""
    calls = 0

    def counted(*given: Any, **named: Any) -> Any:
        nonlocal calls
        result = then(*given, **named)
        calls += 1
        if calls == call:
            raise Killed
        return result

    return counted
