"""The command that writes deals in another format: convert."""

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, cast

import click

from ..cards import DealSet
from ..formats import FORMATS, find_format, format_of, format_to_write, write_stream
from ..questions.converting import ConvertQuestion
from .command import Argument, Option
from .deals import From, Workers, watched
from .exact_tables import Check, solved
from .inputs import Cluster, Strict, read_boards
from .outputs import may_replace, write_told
from .selecting import Boards, Renumber, selected

_OPEN = ("csv", "parquet", "json")
"""Formats that may have columns or keys of other programs, which are not written again."""


def convert(
    sources: Annotated[list[str], Argument(metavar="IN", help="Files, or - for standard input.")],
    target: Annotated[
        str, Argument(metavar="OUT", help="A file, - for standard output.", filled=True)
    ],
    question: ConvertQuestion,
    boards: Boards = None,
    renumber: Renumber = None,
    source_format: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
    as_json: Annotated[
        bool, Option("--json", help="List skipped entries as one line of JSON.")
    ] = False,
    cluster: Cluster = None,
    force: Annotated[
        bool, Option("--force", help="Replace any file; IN itself may be rewritten without it.")
    ] = False,
) -> None:
    """Write files of deals as one of another format, in chunks."""
    if check and not question.solve:
        raise click.BadParameter("--check needs --solve")
    if cluster is not None and not question.solve:
        raise click.BadParameter("--cluster needs --solve")
    if target == "-" and as_json:
        raise click.BadParameter("--json needs a file as OUT, not standard output")
    if target == "-" and question.to is None:
        names = ", ".join(f.name for f in FORMATS.values() if f.write is not None)
        raise click.BadParameter(f"standard output needs --to (one of {names})")
    form = format_to_write(target, question.to)
    in_place = any(_same_file(source, target) for source in sources)
    strict = strict or in_place  # otherwise skipped entries would be lost
    if target != "-":
        same = in_place and boards is None and _format_stays(target, source_format, form.name)
        safe = same and form.name not in _OPEN
        may_replace(target, force or safe)  # otherwise boards, or what they say, would be lost
    seen, worked_out = target == "-", question.solve or question.estimate
    chunks = cast(  # includes boards with hidden hands if nothing is computed
        Iterator[DealSet],
        chain.from_iterable(
            read_boards(source, source_format, 1 << 16, strict, partial=not worked_out)
            for source in sources
        ),
    )
    if boards is not None or renumber is not None or len(sources) > 1:
        chunks = selected(chunks, boards, renumber)
    if not question.solve:
        chunks = watched(chunks, seen)

    def with_tables(chunks: Iterator[DealSet]) -> Iterator[DealSet]:
        for chunk, tables in solved(chunks, workers, check, seen=seen, cluster=cluster):
            yield chunk.with_tricks(tables.tricks)

    chunks = question.ask(chunks, form.name, with_tables, workers)
    if target == "-":
        write_stream(chunks, sys.stdout.buffer, question.to)
    else:
        write_told(chunks, target, question.to)
    if question.estimate:
        click.echo(
            "note: unknown tricks were filled in with estimates, which readers take for exact",
            err=True,
        )


def _format_stays(path: str, source_format: str | None, new: str) -> bool:
    """Return whether a file keeps its format when it is rewritten."""
    old = format_of(path) if source_format is None else find_format(source_format)
    return old.name == new


def _same_file(source: str, target: str) -> bool:
    """Return whether the input and the output are the same file."""
    there = "-" not in (source, target) and Path(source).exists() and Path(target).exists()
    return there and Path(source).samefile(target)
