"""The commands that take deals: estimate, solve, convert."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, cast

import click
import numpy as np

from .._progress import progress_bar
from ..cards import UNKNOWN, Board, Deal, DealSet
from ..estimator import DEFAULT_MODEL, Estimator
from .command import Argument, Option
from .inputs import CHUNK, SOLVED_CHUNK, SOME_SOLVED_CHUNK, Cluster, Strict, read_boards, read_deals
from .sheets import Sheet, estimate_tables, solved_table
from .solving import Check, solved

Deals = Annotated[
    str,
    Argument(metavar="DEALS", help="A file, - for standard input, a deal (N:…), an address."),
]
From = Annotated[
    str | None,
    Option("--from", metavar="FORMAT", help="Format of the input, where it is not plain."),
]
AsJson = Annotated[bool, Option("--json", help="One line of JSON an answer.")]
Workers = Annotated[int | None, Option(min=1, help="Threads (default: all cores).")]


def estimate(
    deals: Deals,
    model: Annotated[
        str, Option(help="A shipped model (see: trickcast models) or an .onnx file.")
    ] = DEFAULT_MODEL,
    exact: Annotated[bool, Option("--exact", help="Solve too, and mark differences.")] = False,
    exact_below: Annotated[
        float | None,
        Option(min=0, max=1, help="Search by DDS until each result is so probable."),
    ] = None,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
) -> None:
    """Estimate the tricks of every strain and declarer with a neural network.

    Example: trickcast estimate deals.pbn --exact-below 0.8
    """
    if check and not exact:
        raise click.BadParameter("--check needs --exact")
    estimator = Estimator(model, threads=workers)
    if as_json:
        from ..answers.deals import estimated_deal
    sheet = Sheet()
    chunk = SOLVED_CHUNK if exact else CHUNK if exact_below is None else SOME_SOLVED_CHUNK
    chunks = read_deals(deals, source, chunk=chunk, strict=strict)
    pairs = (
        solved(chunks, workers, check) if exact else ((chunk, None) for chunk in watched(chunks))
    )
    for some, tables in pairs:
        estimates = estimator(some, solve_below=exact_below)
        for i, (deal, board) in enumerate(with_boards(some)):
            table = None if tables is None else tables[i].tricks
            if as_json:
                answer = estimated_deal(deal, board, estimates[i], model, table)
                click.echo(json.dumps(answer))
            else:
                sheet.show(deal, board, estimate_tables(estimates[i], table))


def solve(
    deals: Deals,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
    cluster: Cluster = None,
) -> None:
    """Show the exact double-dummy table of each deal: the file's own, else solved.

    Example: trickcast solve deals.pbn --json
    """
    from ..answers.deals import solved_deal

    sheet = Sheet()
    size = SOLVED_CHUNK if cluster is None else CHUNK
    chunks = read_deals(deals, source, chunk=size, strict=strict)
    for chunk, tables in solved(chunks, workers, check, on=cluster):
        for i, (deal, board) in enumerate(with_boards(chunk)):
            if as_json:
                click.echo(json.dumps(solved_deal(deal, board, tables[i].tricks)))
            else:
                sheet.show(deal, board, solved_table(tables[i].tricks))


def convert(
    source: Annotated[str, Argument(metavar="IN", help="A file, - for standard input.")],
    target: Annotated[
        str, Argument(metavar="OUT", help="A file, - for standard output.", filled=True)
    ],
    source_format: From = None,
    target_format: Annotated[
        str | None, Option("--to", metavar="FORMAT", help="Format of the output.")
    ] = None,
    with_tricks: Annotated[
        bool, Option("--solve", help="Add the exact tricks (in PBN: and the par).")
    ] = False,
    with_estimates: Annotated[
        bool, Option("--estimate", help="Add estimated tricks where none are known.")
    ] = False,
    model: Annotated[
        str | None, Option(help=f"The network of --estimate (default: {DEFAULT_MODEL}).")
    ] = None,
    workers: Workers = None,
    check: Check = 0,
    strict: Strict = False,
    as_json: Annotated[
        bool, Option("--json", help="List what was skipped, as a line of JSON.")
    ] = False,
    cluster: Cluster = None,
) -> None:
    """Convert a file of deals to another format, in chunks, whatever its size.

    OUT may be IN, of which nothing is skipped then: as with --strict.

    Example: trickcast convert deals.lin deals.pbn --solve
    """
    from ..answers.annotating import annotated
    from ..formats import FORMATS, format_to_write, write_stream

    if check and not with_tricks:
        raise click.BadParameter("--check needs --solve")
    if model is not None and not with_estimates:
        raise click.BadParameter("--model needs --estimate")
    if cluster is not None and not with_tricks:
        raise click.BadParameter("--cluster needs --solve")
    if target == "-" and as_json:
        raise click.BadParameter("--json needs another OUT than standard output")
    if target == "-" and target_format is None:
        names = ", ".join(f.name for f in FORMATS.values() if f.write is not None)
        raise click.BadParameter(f"standard output needs --to (one of {names})")
    if with_tricks and with_estimates:
        raise click.BadParameter("--solve and --estimate do not go together")
    form = format_to_write(target, target_format)
    strict = strict or _same_file(source, target)  # else what is skipped would be lost
    chunks = cast(  # boards with hidden hands among them, where nothing is worked out
        Iterator[DealSet],
        read_boards(source, source_format, 1 << 16, strict,
                    partial=not (with_tricks or with_estimates)),
    )  # fmt: skip
    comment = None
    if with_tricks:
        pairs = solved(chunks, workers, check, seen=target == "-", on=cluster)
        chunks = (chunk.with_tricks(tables.tricks) for chunk, tables in pairs)
    elif with_estimates:
        model = model or DEFAULT_MODEL
        comment = f"tricks without a solver, where they were not known: trickcast {model}"
        chunks = _estimated(watched(chunks, target == "-"), Estimator(model, threads=workers))
    else:
        chunks = watched(chunks, target == "-")
    if (with_tricks or with_estimates) and form.name == "pbn":
        chunks = annotated(chunks, comment)
    write_stream(chunks, sys.stdout.buffer if target == "-" else target, target_format)


def _same_file(source: str, target: str) -> bool:
    """Tell whether what is read is what is written."""
    there = "-" not in (source, target) and Path(source).exists() and Path(target).exists()
    return there and Path(source).samefile(target)


def _estimated(chunks: Iterator[DealSet], estimator: Estimator) -> Iterator[DealSet]:
    """Fill the unknown cells of each chunk with the tricks that the network names."""
    for chunk in chunks:
        known = chunk.tricks_or_unknown
        tricks = np.where(known == UNKNOWN, estimator(chunk).tricks, known)
        yield chunk.with_tricks(tricks)
    click.echo("note: tricks that were not known are estimates, which readers take for exact",
               err=True)  # fmt: skip


def watched(chunks: Iterator[DealSet], seen: bool = True) -> Iterator[DealSet]:
    """Pass chunks on under a progress bar, unless results are ``seen`` on a terminal."""
    with progress_bar("deals", None, "done", show=not (seen and sys.stdout.isatty())) as advance:
        for chunk in chunks:
            yield chunk
            advance(len(chunk))


def with_boards(deals: DealSet) -> Iterator[tuple[Deal, Board | None]]:
    """Yield each deal with what its file says of it."""
    return zip(deals, deals.boards or [None] * len(deals), strict=True)
