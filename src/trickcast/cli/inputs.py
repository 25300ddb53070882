"""What a command is given: a file, standard input, a literal deal, or an address of a hand viewer.

What is no deal in a file is passed over and told when the command is done, unless it is strict.
"""

import io
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from ..cards import Deal, DealError, DealSet, Skipped, shorten
from .command import Option

if TYPE_CHECKING:
    from ..library import Use

Strict = Annotated[bool, Option("--strict", help="Refuse a file in which anything is no deal.")]
Cluster = Annotated[
    str | None,
    Option(metavar="local|auto|ray://HOST:PORT", help="Work on a Ray cluster (default: here)."),
]
_SHOWN = 2
"""Places passed over that are told one by one."""


class CommandError(Exception):
    """What a command was asked cannot be done; the message says why."""


CHUNK = 4096
"""Deals handled at a time: the memory that a command needs does not grow with its input."""
SOLVED_CHUNK = 40
"""Deals handled at a time where they are solved: a batch of DDS, so results come steadily."""
SOME_SOLVED_CHUNK = 400
"""Deals handled at a time where some results are solved: DDS takes those of a strain together."""


def read_deals(
    source: str, format: str | None = None, chunk: int = CHUNK, strict: bool = False
) -> Iterator[DealSet]:
    """Yield the deals of a file, of ``-`` (standard input), of a literal deal or an address.

    What is no deal in a file is kept for ``tell_skipped``, or an error where ``strict``. Raises
    DealError when ``source`` is neither a file nor a deal, FormatError for a bad file.
    """
    no_file = source != "-" and not is_file(source)
    link = no_file and source.lstrip().lower().startswith(("http://", "https://"))
    if format is None and no_file and not link:
        yield DealSet.from_deals([_literal(source)])
        return
    from ..formats import find_format, stream  # a literal deal does not wait for all formats

    if format is not None:
        find_format(format)
    skipped = None if strict else _skipped
    if source == "-":
        yield from stream(sys.stdin.buffer, format, "standard input", chunk, skipped=skipped)
    elif link:
        yield from stream(io.BytesIO(source.encode()), "links", "the address")
    else:
        yield from stream(source, format, chunk=chunk, skipped=skipped)


_skipped: list[Skipped] = []
"""What the command that runs has passed over so far."""


def forget_skipped() -> None:
    """Begin another command."""
    _skipped.clear()


def passed_over() -> tuple[Skipped, ...]:
    """Return what the command that runs has passed over so far."""
    return tuple(_skipped)


def tell_skipped(as_json: bool) -> bool:
    """Say what was passed over, in three lines at most or as a line of JSON; return whether."""
    if as_json and _skipped:
        click.echo(json.dumps({"skipped": [entry._asdict() for entry in _skipped]}))
    for entry in _skipped[:_SHOWN]:
        click.echo(f"skipped: {entry}", err=True)
    if len(_skipped) > _SHOWN:
        click.echo(f"skipped: {len(_skipped) - _SHOWN:,} more (--json lists all)", err=True)
    return bool(_skipped)


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
    raise click.BadParameter(f"{text!r} is no use of deals (expected one of {', '.join(USES)})")


def read_hands(source: str) -> Iterator[str]:
    """Yield the hands of a file or standard input, one a line, or the literal hand."""
    if source == "-":
        lines: Iterable[str] = sys.stdin
    elif is_file(source):
        try:
            lines = Path(source).read_text("utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise CommandError(
                f"{source}: byte {error.start}: {error.reason} (expected hands in UTF-8)"
            ) from None
    else:
        if not source.strip():
            raise DealError("an empty argument (expected a hand, a file of hands, or -)")
        lines = [source]
    return (line.strip() for line in lines if line.strip())
