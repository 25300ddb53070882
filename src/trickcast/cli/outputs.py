"""The files that commands write beside their answer, which are refused before the work."""

from pathlib import Path

import click

from .._files import check_target

PAGES = (".html", ".htm")
"""What pages are written as."""


def check_output(option: str, path: str | Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a file whose name says that it is something else than what is written into it.

    What exists and is no regular file (a pipe, ``/dev/stdout``) may have any name. Raises
    click.BadParameter, and OSError for a file that cannot be written.
    """
    target = Path(path)
    of_any_name = target.exists() and not target.is_file()
    if target.suffix.lower() not in suffixes and not of_any_name:
        *others, last = suffixes
        expected = f"{', '.join(others)} or {last}" if others else last
        raise click.BadParameter(f"{option} {str(path)!r} (expected a name in {expected})")
    check_target(target)
