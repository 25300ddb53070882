"""The commands for experiments: reproduce, explain."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ..formats import read
from ..library import Library
from . import views
from .deals import AsJson
from .inputs import CommandError

if TYPE_CHECKING:
    from ..experiments.inside import Neuron


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(reproduce)
    app.command()(explain)


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="mossakowski2004, mossakowski2009, mandziuk2018 or all."
        ),
    ],
    table: Annotated[
        str | None, typer.Option(help="One table or section of it: V, 1, VI-E, beyond …")
    ] = None,
    scale: Annotated[
        str, typer.Option(help="smoke (a minute), standard (a day of two cores) or full.")
    ] = "smoke",
    library: Annotated[Path, typer.Option(help="The library of solved deals.")] = Path(
        "data/library"
    ),
    test: Annotated[
        Path | None,
        typer.Option(help="A file of solved deals to test on, as GIB's; else the library's."),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for networks and figures, from which a run goes on.")
    ] = Path("trained/reproduction"),
    report: Annotated[
        Path | None,
        typer.Option(help="Folder for reproduction.csv and .md (default: that of out)."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Networks trained at a time.")] = 1,
) -> None:
    """Repeat the experiments of a paper and put ours beside the published figures.

    Goes on where an earlier run stopped.
    """
    from .. import experiments as room
    from ..training import TrainingError

    if scale not in room.SCALES:
        raise typer.BadParameter(f"no scale {scale!r} (expected one of {', '.join(room.SCALES)})")
    size, docs = room.SCALES[scale], report or out
    try:
        rows = room.rows_of(paper, table)
        deals = room.gather(
            Library(library),
            size,
            None if test is None else read(test),
            room.agreed_deals(out, size),
        )
        typer.echo(
            f"{paper} at scale {scale}: {len(room.planned(rows, size))} networks for {len(rows)} "
            f"rows, {len(deals.training):,} training and {len(deals.test):,} test deals"
        )

        def finished(store: room.Store, name: str) -> None:
            room.write_report(store, scale, docs)
            typer.echo(f"finished {name}")

        store = room.reproduce(rows, size, deals, out, workers=workers, finished=finished)
        written = room.write_report(store, scale, docs)
    except (room.ExperimentError, TrainingError) as error:
        raise CommandError(str(error)) from None
    typer.echo(f"{written[0]}: done")


def explain(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL…",
            help="Shipped models, .onnx files, or .network files of trickcast reproduce.",
        ),
    ],
    svg: Annotated[
        Path | None, typer.Option(help="Draw the weights of the first layer into this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what the neurons of a network's first layer look at."""
    from ..experiments import ExperimentError, inside, opened, pictures
    from ..training import TrainingError

    try:
        layers = [layer for model in models for layer in opened.open_model(model)]
    except (ExperimentError, TrainingError) as error:
        raise CommandError(str(error)) from None
    measured = [inside.neurons(layer) for layer in layers]
    if svg is not None:
        for number, layer in enumerate(layers):
            named = svg if number == 0 else svg.with_stem(f"{svg.stem}-{number + 1}")
            named.write_text(pictures.weights_svg(layer), encoding="utf-8")
    if as_json:
        networks = [
            {"network": layer.name, "neurons": [asdict(one) | {"shows": one.shows} for one in rows]}
            for layer, rows in zip(layers, measured, strict=True)
        ]
        typer.echo(json.dumps({"networks": networks, "shares": inside.shares(measured)}))
        return
    for layer, rows in zip(layers, measured, strict=True):
        typer.echo(layer.name)
        views.ResultConsole().print(_neurons_table(rows))
    for pattern, share in inside.shares(measured).items():
        typer.echo(
            f"{pattern}: {share['neurons']:.0%} of neurons, {share['networks']:.0%} of networks"
        )


def _neurons_table(rows: "list[Neuron]") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("neuron", "sees", "ace", "stands out", "suit", "its share", "honours'",
                   "gradient", "effect", "shows"):  # fmt: skip
        table.add_column(column, no_wrap=True)
    for one in rows:
        table.add_row(
            *(str(one.number), one.part, one.ace, f"{one.ace_ratio:.2f}", one.suit),
            *(f"{one.suit_share:.0%}", f"{one.honour_share:.0%}", f"{one.gradient:+.2f}"),
            *(f"{one.effect:.2f}", " ".join(one.shows)),
        )
    return table
