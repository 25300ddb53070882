"""What a command is given: a file, standard input, or a literal deal."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..cards import Deal, DealError, DealSet, shorten

if TYPE_CHECKING:
    from ..library import Use


class CommandError(Exception):
    """What a command was asked cannot be done; the message says why."""


CHUNK = 4096
"""Deals handled at a time: the memory that a command needs does not grow with its input."""
SOLVED_CHUNK = 40
"""Deals handled at a time where they are solved: a batch of DDS, so results come steadily."""
SOME_SOLVED_CHUNK = 400
"""Deals handled at a time where some results are solved: DDS takes those of a strain together."""


def read_deals(source: str, format: str | None = None, chunk: int = CHUNK) -> Iterator[DealSet]:
    """Yield the deals of a file, of ``-`` (standard input) or of a literal deal.

    Raises DealError when ``source`` is neither a file nor a deal, FormatError for a bad file.
    """
    if format is None and source != "-" and not is_file(source):
        yield DealSet.from_deals([_literal(source)])
        return
    from ..formats import find_format, stream  # a literal deal does not wait for all formats

    if format is not None:
        find_format(format)
    if source == "-":
        yield from stream(sys.stdin.buffer, format=format, name="standard input", chunk=chunk)
    else:
        yield from stream(source, format=format, chunk=chunk)


def is_file(source: str) -> bool:
    """Whether an argument is the path of something that is there."""
    try:
        return bool(source.strip()) and Path(source).exists()
    except OSError:  # too long for a path
        return False


def _literal(source: str) -> Deal:
    if not source.strip():
        raise DealError("an empty argument (expected a file, - for standard input, or a deal)")
    try:
        return Deal(source)
    except DealError as error:
        if ":" in source[:8] and "." in source:
            raise
        raise DealError(
            f"{shorten(source)} is neither a file nor a deal (a deal reads 'N:' and four hands "
            "clockwise, suits apart by dots)"
        ) from error


def as_use(text: str) -> "Use":
    """Return the use that ``text`` names, or end with a usage error."""
    from ..library import USES

    for use in USES:
        if text == use:
            return use
    raise typer.BadParameter(f"{text!r} is no use of deals (expected one of {', '.join(USES)})")


def read_hands(source: str) -> Iterator[str]:
    """Yield the hands of a file or standard input, one a line, or the literal hand."""
    if source == "-":
        lines: Iterable[str] = sys.stdin
    elif is_file(source):
        lines = Path(source).read_text("utf-8").splitlines()
    else:
        if not source.strip():
            raise DealError("an empty argument (expected a hand, a file of hands, or -)")
        lines = [source]
    return (line.strip() for line in lines if line.strip())
