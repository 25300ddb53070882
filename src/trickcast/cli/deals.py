"""The commands that take deals: estimate, solve, convert."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console

from ..cards import Board, Deal, DealSet
from ..estimator import DEFAULT_MODEL, Estimator
from ..formats import FORMATS, write_stream
from ..solver import solve as solve_deals
from . import views
from .inputs import CHUNK, SOLVED_CHUNK, read_deals

Deals = Annotated[
    str, typer.Argument(metavar="DEALS", help="A file, - for standard input, or a deal (N:…).")
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="Format of the input, where it is not plain."),
]
AsJson = Annotated[bool, typer.Option("--json", help="One line of JSON a deal.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Threads of the solver (default: all cores).")
]


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
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
) -> None:
    """Estimate the tricks of every strain and declarer with a neural network."""
    estimator = Estimator(model)
    out = views.console()
    shown = 0
    for chunk in read_deals(deals, source, chunk=SOLVED_CHUNK if exact else CHUNK):
        estimates = estimator(chunk)
        tables = solve_deals(chunk, workers=workers, progress=True).tricks if exact else None
        for i, (deal, board) in enumerate(with_boards(chunk)):
            table = None if tables is None else tables[i]
            if as_json:
                line = views.as_json(deal, board, exact=table, estimate=estimates[i], model=model)
                typer.echo(line)
                continue
            show_deal(out, shown + i, deal, board, alone=len(chunk) == 1 and not shown)
            out.print(views.estimate_tables(estimates[i], table))
        shown += len(chunk)


def solve(
    deals: Deals,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
) -> None:
    """Solve deals exactly: the double-dummy table of each."""
    out = views.console()
    shown = 0
    for chunk in read_deals(deals, source, chunk=SOLVED_CHUNK):
        tables = solve_deals(chunk, workers=workers, progress=True).tricks
        for i, (deal, board) in enumerate(with_boards(chunk)):
            if as_json:
                typer.echo(views.as_json(deal, board, exact=tables[i]))
                continue
            show_deal(out, shown + i, deal, board, alone=len(chunk) == 1 and not shown)
            out.print(views.solved_table(tables[i]))
        shown += len(chunk)


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file, - for standard output.")],
    source_format: From = None,
    target_format: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="Format of the output.")
    ] = None,
    solved: Annotated[bool, typer.Option("--solve", help="Add the exact tricks.")] = False,
    workers: Workers = None,
) -> None:
    """Convert a file of deals to another format, in chunks, whatever its size."""
    if target == "-" and target_format is None:
        names = ", ".join(f.name for f in FORMATS.values() if f.write is not None)
        raise typer.BadParameter(f"standard output needs --to (one of {names})")
    chunks = read_deals(source, source_format, chunk=1 << 16)
    if solved:
        chunks = (
            c.with_tricks(solve_deals(c, workers=workers, progress=True).tricks) for c in chunks
        )
    write_stream(chunks, sys.stdout.buffer if target == "-" else target, format=target_format)


def with_boards(deals: DealSet) -> Iterator[tuple[Deal, Board | None]]:
    """Yield each deal with what its file says of it."""
    return zip(deals, deals.boards or [None] * len(deals), strict=True)


def show_deal(out: Console, index: int, deal: Deal, board: Board | None, *, alone: bool) -> None:
    """Print the heading, where it says something, and the four hands."""
    if index:
        out.print()
    if not alone or board is not None:
        out.print(views.heading(index + 1, board))
    out.print(str(deal))
    out.print()
