"""Output files of commands besides the answer; bad ones are refused before the work."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import click

from .._files import check_target
from ..cards import DealSet, counted
from ..formats import write_stream
from .command import Option
from .inputs import CommandError

Force = Annotated[bool, Option("--force", help="Replace an existing file.")]
PAGES = (".html", ".htm")
"""File formats of pages."""


def check_output(option: str, path: str | Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a file whose name suggests another type of content.

    Anything that exists and is not a regular file (a pipe, ``/dev/stdout``) may have any name.
    Raises click.BadParameter, and OSError for a file that cannot be written.
    """
    target = Path(path)
    of_any_name = target.exists() and not target.is_file()
    if target.suffix.lower() not in suffixes and not of_any_name:
        *others, last = suffixes
        expected = f"{', '.join(others)} or {last}" if others else last
        raise click.BadParameter(f"{option} {str(path)!r} (expected a name in {expected})")
    check_target(target)


def may_replace(path: str | Path, force: bool) -> None:
    """On a terminal, ask before a file is replaced.

    Raises CommandError if the user declines, or if nobody can be asked.
    """
    target = Path(path)
    if force or not target.is_file() or not target.stat().st_size:
        return
    asked = sys.stdin.isatty() and sys.stderr.isatty()
    if not (asked and click.confirm(f"{path} exists. Replace it?", err=True)):
        raise CommandError(f"{path} exists already (--force replaces it)")


def write_told(chunks: Iterable[DealSet], path: str | Path, format: str | None) -> None:
    """Write deals to a file, and report their number on standard error."""
    count = write_stream(chunks, path, format)
    click.echo(f"note: {counted(count, 'deal')} written to {path}", err=True)
