"""What a file format is, and what one reading of a file is: its limits, errors and warnings."""

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
"""Bytes: what a file of any size may be unpacked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a reader takes before it calls a file broken or hostile.

    No file of deals that was met comes near these. An environment variable raises each, such as
    ``TRICKCAST_LIMIT_LINE=1000000``; the errors name it.
    """

    line: int = 1 << 18
    """Bytes of a line of PBN, or of a value in LIN."""
    row: int = 1 << 16
    """Bytes of a line in the formats of a line a deal."""
    board: int = 1 << 16
    """Lines of a PBN board, pairs of a LIN board."""
    cell: int = 1 << 16
    """Bytes of a cell of a database or Parquet table."""
    unpacked: int = 200
    """Bytes unpacked for each byte of a compressed file, above the first 16 MiB."""
    skipped: int = 100_000
    """Places passed over in a file."""

    @classmethod
    def from_environment(cls) -> "Limits":
        """Return the limits that the environment sets. Raises FormatError for what is no number."""
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
        """Return how many bytes a file of ``size`` bytes may be unpacked to."""
        return _FREELY_UNPACKED + self.unpacked * size


def raised_by(limit: str) -> str:
    """Return the words of an error that say how to raise a limit."""
    return f"a larger {_VARIABLE}{limit.upper()} raises the limit"


@dataclass(slots=True)
class Reading:
    """One reading of a file: its name in messages, and what becomes of what is no deal in it."""

    name: str
    skipped: list[Skipped] | None = None
    """Where what is no deal is noted; None where it is an error."""
    limits: Limits = field(default_factory=Limits.from_environment)
    of: str = "deal"
    """What it is read for."""
    partial: bool = False
    """Whether boards with hidden hands are wanted, as PartialDeals."""
    named: bool = False
    """Whether the format was named, and not told from the content."""
    _waiting: list[FormatError] | None = field(default=None, init=False, repr=False)
    """What waits for its turn in ``in_order``."""

    _told: set[str] = field(default_factory=set, init=False, repr=False)

    def first_time(self, kind: str) -> bool:
        """Whether something of a kind is met for the first time, to be told once."""
        new = kind not in self._told
        self._told.add(kind)
        return new

    @property
    def lenient(self) -> bool:
        """Whether what is no deal is passed over."""
        return self.skipped is not None

    def error(self, place: str, reason: str) -> FormatError:
        """Return the error of a place in the file."""
        return FormatError(reason, f"{self.name}: {place}" if place else self.name)

    def refuse(self, trouble: FormatError) -> None:
        """Note what is no deal, or raise it where nothing is passed over."""
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
        """Hold what is refused within, then refuse it in the order of the file.

        For readers that look at many lines (rows) more than once. The places name the line (row)
        first. Raises what ``refuse`` raises, before any other error that comes from within.
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
        """Pass on what a reader reads, deals or hands, some at a time.

        Whatever is wrong with the bytes is a FormatError that names the file, the place and what
        was ``expected``. Where the reading is lenient, what was read stands before an error which
        ends it; where nothing was read what was passed over first is an error all the same.
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
            if error.errno is not None:  # else a library's, of what the bytes are
                raise
            raise self._trouble(error, count, expected) from error
        except Exception as error:
            raise self._trouble(error, count, expected) from error
        if not count and self.skipped is not None and len(self.skipped) > noted:
            first = self.skipped[noted]
            raise FormatError(first.reason, first.place)

    def _trouble(self, error: Exception, count: int, expected: str) -> FormatError:
        """Make an answer of an error that a library raised at bytes which no reader foresaw."""
        reason = shorten(str(error).partition("\n")[0])
        return self.error(
            f"after {counted(count, self.of)}",
            f"{type(error).__name__} {reason} (expected {expected})",
        )


Reader = Callable[[BinaryIO, Reading, int], Iterator[DealSet]]
"""``reader(stream, reading, chunk)`` yields DealSets of at most ``chunk`` deals, in file order. The
stream may not be seekable. Raises FormatError, or gives it to ``reading.refuse`` where the deals
after it can be read all the same."""
Writer = Callable[[BinaryIO, Iterable[DealSet]], None]
"""``write(stream, sets)`` writes all deals of the sets, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format: how it is recognised, read and, where ``write`` is given, written."""

    name: str
    """The word for ``format=`` and ``--to``."""
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
    """Whether it holds what boards know besides the cards."""
    partial: bool = False
    """Whether it can hold boards with hidden hands."""
    fields: tuple[str, ...] = ()
    """Which fields of a board it holds, where it does not hold all."""
    text: bool = True
    """Whether it is lines of text, which may end as on any machine and be of any encoding."""

    def read(self, stream: BinaryIO, reading: Reading | str, chunk: int) -> Iterator[DealSet]:
        """Yield the deals of a stream, at most ``chunk`` at a time.

        Whatever is wrong with the bytes is a FormatError that names the file, the place and what
        was expected. Where ``reading`` is lenient, deals stand that were read before an error which
        ends the reading; a file without a single deal is an error all the same.
        """
        reading = Reading(reading, named=True) if isinstance(reading, str) else reading
        yield from reading.passed_on(self.reader(stream, reading, chunk), self.title)


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
                _warn(f"{self.name}: {count - 1:,} more like this: {kind}")


def _warn(message: str) -> None:
    warnings.warn(message, FormatWarning, stacklevel=4)
