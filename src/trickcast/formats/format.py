"""A file format, and one reading of a file: its limits, errors and warnings."""

import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import BinaryIO, TypeVar

from ..cards import DealSet, NoteWarning, Skipped, counted, shorten


class FormatError(ValueError):
    """Report a file that cannot be read or written.

    The message names the file and the place, and says what was expected.
    """

    def __init__(self, reason: str, place: str = ""):
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason = reason
        self.place = place


class FormatWarning(NoteWarning):
    """Something in a file was read leniently, or left out because a format cannot hold it."""


_VARIABLE = "TRICKCAST_LIMIT_"
_NUMBER = re.compile(r"[0-9]+")
_Part = TypeVar("_Part", bound=Sized)
_FREELY_UNPACKED = 1 << 24
"""Bytes that any file may unpack to, whatever its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a reader accepts before it calls a file broken or hostile.

    No known file of deals comes near these limits. An environment variable raises each, such as
    ``TRICKCAST_LIMIT_LINE=1000000``; the errors name it.
    """

    line: int = 1 << 18
    """Bytes in a line of PBN, or in a value of LIN."""
    row: int = 1 << 16
    """Bytes in a line of the formats with one deal per line."""
    board: int = 1 << 16
    """Lines in a PBN board, pairs in a LIN board."""
    cell: int = 1 << 16
    """Bytes in a cell of a database or Parquet table."""
    unpacked: int = 200
    """Bytes unpacked per byte of a compressed file, above the first 16 MiB."""
    skipped: int = 100_000
    """Invalid entries skipped in a file."""

    @classmethod
    def from_environment(cls) -> "Limits":
        """Return the limits that the environment sets. Raises FormatError for an invalid number."""
        chosen = {}
        for limit in fields(cls):
            variable = _VARIABLE + limit.name.upper()
            text = os.environ.get(variable)
            if text is None:
                continue
            if not (text.isascii() and text.isdigit() and len(text) < 19):
                raise FormatError(f"{variable} is {shorten(text)} (expected a whole number)")
            chosen[limit.name] = int(text)
        return cls(**chosen)

    def unpacked_from(self, size: int) -> int:
        """Return how many bytes a file of ``size`` bytes may unpack to."""
        return _FREELY_UNPACKED + self.unpacked * size


def raised_by(limit: str) -> str:
    """Return the part of an error message that says how to raise a limit."""
    return f"a larger {_VARIABLE}{limit.upper()} raises the limit"


@dataclass(slots=True)
class Reading:
    """One reading of a file: its name in messages, and how invalid entries are handled."""

    name: str
    skipped: list[Skipped] | None = None
    """List that collects invalid entries; None if they are errors."""
    limits: Limits = field(default_factory=Limits.from_environment)
    of: str = "deal"
    """What the file is read for."""
    partial: bool = False
    """Whether boards with hidden hands are wanted, as PartialDeals."""
    named: bool = False
    """Whether the format was named instead of detected."""
    _waiting: list[FormatError] | None = field(default=None, init=False, repr=False)
    """Errors waiting for their turn in ``in_order``."""

    _told: set[str] = field(default_factory=set, init=False, repr=False)

    def first_time(self, kind: str) -> bool:
        """Return whether something of a kind occurs for the first time; it is reported once."""
        new = kind not in self._told
        self._told.add(kind)
        return new

    @property
    def lenient(self) -> bool:
        """Whether invalid entries are skipped."""
        return self.skipped is not None

    def error(self, place: str, reason: str) -> FormatError:
        """Return the error for a place in the file."""
        return FormatError(reason, f"{self.name}: {place}" if place else self.name)

    def refuse(self, trouble: FormatError) -> None:
        """Note an invalid entry, or raise it if none may be skipped."""
        if self._waiting is not None:
            self._waiting.append(trouble)
            if len(self._waiting) > self.limits.skipped:
                self._release()
            return
        if self.skipped is None:
            raise trouble
        self.skipped.append(Skipped(trouble.place or self.name, trouble.reason))
        if len(self.skipped) > self.limits.skipped:
            self.skipped = None  # this is another kind of file
            raise FormatError(
                f"{self.limits.skipped:,} places are not {self.of}s ({raised_by('skipped')})",
                self.name,
            )

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Hold back refusals inside the block, then report them in the order of the file.

        For readers that look at many lines (rows) more than once. The places must begin with the
        line (row). Raises what ``refuse`` raises, before any other error from the block.
        """
        self._waiting = []
        try:
            yield
        except Exception:
            self._release()
            raise
        self._release()

    def _release(self) -> None:
        waiting, self._waiting = self._waiting or [], None
        for trouble in sorted(waiting, key=self._number_of):
            self.refuse(trouble)

    def _number_of(self, trouble: FormatError) -> int:
        """Return the first number of a place, after the name of the file."""
        number = _NUMBER.search(trouble.place, len(self.name))
        return 0 if number is None else int(number[0])

    def passed_on(self, parts: Iterable[_Part], expected: str) -> Iterator[_Part]:
        """Pass on what a reader yields, deals or hands, some at a time.

        Any fault in the bytes becomes a FormatError that names the file, the place and what
        was ``expected``. In a lenient reading, items before a fatal error stand;
        if nothing was read, the first skipped entry is raised as an error.
        """
        noted = len(self.skipped or ())
        count = 0
        try:
            for part in parts:
                count += len(part)
                yield part
        except FormatError as error:
            if not count or self.skipped is None:
                raise
            self.refuse(FormatError(f"{error.reason}; the rest is not read", error.place))
        except (MemoryError, Warning):  # a warning that was made an error
            raise
        except OSError as error:
            if error.errno is not None:  # otherwise a library's error about the content
                raise
            raise self._trouble(error, count, expected) from error
        except Exception as error:
            raise self._trouble(error, count, expected) from error
        if not count and self.skipped is not None and len(self.skipped) > noted:
            first = self.skipped[noted]
            raise FormatError(first.reason, first.place)

    def _trouble(self, error: Exception, count: int, expected: str) -> FormatError:
        """Turn a library's error for bytes that no reader foresaw into a FormatError."""
        reason = shorten(str(error).partition("\n")[0])
        return self.error(
            f"after {counted(count, self.of)}",
            f"{type(error).__name__} {reason} (expected {expected})",
        )


Reader = Callable[[BinaryIO, Reading, int], Iterator[DealSet]]
"""``reader(stream, reading, chunk)`` yields DealSets of at most ``chunk`` deals, in file order. The
stream may not be seekable. Raises FormatError, or passes it to ``reading.refuse`` if later deals
can still be read."""
Writer = Callable[[BinaryIO, Iterable[DealSet]], None]
"""``write(stream, sets)`` writes all deals of the sets, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format: how to recognise, read and, with ``write``, write it."""

    name: str
    """The name for ``format=`` and ``--to``."""
    title: str
    suffixes: tuple[str, ...]
    """Lower case, with the dot; the first is the usual one. Suffixes may be shared (``.txt``)."""
    sniff: Callable[[bytes], bool]
    """Whether a file beginning with these bytes (some kilobytes) looks like this format."""
    reader: Reader
    write: Writer | None = None
    tricks: bool = True
    """Whether it holds trick tables."""
    boards: bool = False
    """Whether it holds board data besides the cards."""
    partial: bool = False
    """Whether it can hold boards with hidden hands."""
    fields: tuple[str, ...] = ()
    """The fields of a board that it holds, if not all."""
    text: bool = True
    """Whether it is lines of text, with any line endings and any encoding."""

    def read(self, stream: BinaryIO, reading: Reading | str, chunk: int) -> Iterator[DealSet]:
        """Yield the deals of a stream, at most ``chunk`` at a time.

        Any fault in the bytes becomes a FormatError that names the file, the place and what
        was expected. If ``reading`` is lenient, deals before a fatal error stand;
        a file without a single deal is an error all the same.
        """
        reading = Reading(reading, named=True) if isinstance(reading, str) else reading
        yield from reading.passed_on(self.reader(stream, reading, chunk), self.title)


class Notices:
    """Warnings about one file: the first of each kind is issued at once, the rest are counted."""

    def __init__(self, name: str):
        self.name = name
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, place: str, message: str) -> None:
        """Warn with ``message`` unless there was a notice of this kind before."""
        self._counts[kind] += 1
        if self._counts[kind] == 1:
            _warn(f"{self.name}: {place}: {message}")

    def at(self, place: str) -> Callable[[str, str], None]:
        """Return ``add`` for one place: a function of kind and message."""
        return lambda kind, message: self.add(kind, place, message)

    def close(self) -> None:
        """Warn how many more there were of each kind."""
        for kind, count in self._counts.items():
            if count > 1:
                _warn(f"{self.name}: {count - 1:,} more like this: {kind}")


def _warn(message: str) -> None:
    warnings.warn(message, FormatWarning, stacklevel=4)
