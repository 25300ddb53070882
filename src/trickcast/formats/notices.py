"""Saying what was read leniently, without saying it thousands of times."""

import warnings
from collections import Counter
from collections.abc import Callable

from .base import FormatWarning


class Notices:
    """The warnings of one file: of each kind the first is given at once, the others counted."""

    def __init__(self, name: str):
        self.name = name
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, place: str, message: str) -> None:
        """Warn with ``message`` unless a notice of this kind was given before."""
        self._counts[kind] += 1
        if self._counts[kind] == 1:
            _warn(f"{self.name}: {place}: {message}")

    def at(self, place: str) -> Callable[[str, str], None]:
        """Return ``add`` for one place: a function of kind and message."""
        return lambda kind, message: self.add(kind, place, message)

    def close(self) -> None:
        """Say how many more there were of each kind."""
        for kind, count in self._counts.items():
            if count > 1:
                _warn(f"{self.name}: {count - 1:,} more of the kind: {kind}")


def _warn(message: str) -> None:
    warnings.warn(message, FormatWarning, stacklevel=4)
