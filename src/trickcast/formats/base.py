"""What a file format is to this package, and the errors that reading one gives."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ..cards import DealSet


class FormatError(ValueError):
    """A file that is not what it should be: file, line or byte offset, what was expected."""


class FormatWarning(UserWarning):
    """Something in a file was read leniently, or left out because a format cannot hold it."""


Reader = Callable[[BinaryIO, str, int], Iterator[DealSet]]
"""``read(stream, name, chunk)`` yields DealSets of at most ``chunk`` deals, in file order; ``name``
stands in messages. The stream may not be seekable. Raises FormatError."""
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
    read: Reader
    write: Writer | None = None
    tricks: bool = True
    """Whether it holds trick tables."""
    boards: bool = False
    """Whether it holds what boards know besides the cards."""
