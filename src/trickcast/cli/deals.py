"""The commands that take deals: estimate, solve, convert."""

import json
import sys
from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from .._progress import progress_bar
from ..answers.deals import estimated_deal, solved_deal
from ..cards import Board, Deal, DealSet, TrickTable
from ..estimator import DEFAULT_MODEL, Estimator
from .inputs import CHUNK, SOLVED_CHUNK, SOME_SOLVED_CHUNK, read_deals
from .sheets import Sheet, estimate_tables, solved_table

Deals = Annotated[
    str, typer.Argument(metavar="DEALS", help="A file, - for standard input, or a deal (N:…).")
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="Format of the input, where it is not plain."),
]
AsJson = Annotated[bool, typer.Option("--json", help="One line of JSON a deal.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Threads (default: all cores).")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(estimate)
    app.command()(solve)
    app.command()(convert)


def estimate(
    deals: Deals,
    model: Annotated[
        str, typer.Option(help="A shipped model (see: trickcast models) or an .onnx file.")
    ] = DEFAULT_MODEL,
    exact: Annotated[
        bool, typer.Option("--exact", help="Solve too, and mark differences.")
    ] = False,
    exact_below: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Solve what the model gives less than this probability."),
    ] = None,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
) -> None:
    """Estimate the tricks of every strain and declarer with a neural network."""
    estimator = Estimator(model, threads=workers)
    sheet = Sheet()
    chunk = SOLVED_CHUNK if exact else CHUNK if exact_below is None else SOME_SOLVED_CHUNK
    chunks = read_deals(deals, source, chunk=chunk)
    pairs = solved(chunks, workers) if exact else ((chunk, None) for chunk in watched(chunks))
    for some, tables in pairs:
        estimates = estimator(some, exact_below=exact_below)
        for i, (deal, board) in enumerate(with_boards(some)):
            table = None if tables is None else tables[i].tricks
            if as_json:
                answer = estimated_deal(deal, board, estimates[i], model, table)
                typer.echo(json.dumps(answer))
            else:
                sheet.show(deal, board, estimate_tables(estimates[i], table))


def solve(
    deals: Deals,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
) -> None:
    """Solve deals exactly: the double-dummy table of each."""
    sheet = Sheet()
    for chunk, tables in solved(read_deals(deals, source, chunk=SOLVED_CHUNK), workers):
        for i, (deal, board) in enumerate(with_boards(chunk)):
            if as_json:
                typer.echo(json.dumps(solved_deal(deal, board, tables[i].tricks)))
            else:
                sheet.show(deal, board, solved_table(tables[i].tricks))


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file, - for standard output.")],
    source_format: From = None,
    target_format: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="Format of the output.")
    ] = None,
    with_tricks: Annotated[bool, typer.Option("--solve", help="Add the exact tricks.")] = False,
    workers: Workers = None,
) -> None:
    """Convert a file of deals to another format, in chunks, whatever its size."""
    from ..formats import FORMATS, write_stream

    if target == "-" and target_format is None:
        names = ", ".join(f.name for f in FORMATS.values() if f.write is not None)
        raise typer.BadParameter(f"standard output needs --to (one of {names})")
    chunks = read_deals(source, source_format, chunk=1 << 16)
    if with_tricks:
        pairs = solved(chunks, workers)
        chunks = (chunk.with_tricks(tables.tricks) for chunk, tables in pairs)
    else:
        chunks = watched(chunks)
    write_stream(chunks, sys.stdout.buffer if target == "-" else target, format=target_format)


def watched(chunks: Iterator[DealSet]) -> Iterator[DealSet]:
    """Pass chunks on under a progress bar."""
    with progress_bar("deals", None, "done", show=not sys.stdout.isatty()) as advance:
        for chunk in chunks:
            yield chunk
            advance(len(chunk))


def solved(chunks: Iterator[DealSet], workers: int | None) -> Iterator[tuple[DealSet, TrickTable]]:
    """Solve chunk by chunk, under one progress bar unless results are seen on the terminal."""
    from ..solver import solve_batches  # estimates alone do not wait for DDS

    with progress_bar("solving", None, "deals", show=not sys.stdout.isatty()) as advance:
        for chunk in chunks:
            tables = np.empty((len(chunk), 5, 4), dtype=np.uint8)
            done = 0
            for batch in solve_batches(chunk.owners, workers=workers):
                tables[done : done + len(batch)] = batch
                done += len(batch)
                advance(len(batch))
            yield chunk, TrickTable(tables)


def with_boards(deals: DealSet) -> Iterator[tuple[Deal, Board | None]]:
    """Yield each deal with what its file says of it."""
    return zip(deals, deals.boards or [None] * len(deals), strict=True)
