"""The command that looks inside a network: explain."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from . import reproduce, views
from .deals import AsJson
from .inputs import CommandError

if TYPE_CHECKING:
    from ..inside import Neuron


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(explain)


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
    png: Annotated[
        Path | None, typer.Option(help="The same as PNG; needs the extra trickcast[plots].")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what the neurons of a network's first layer look at."""
    from .. import inside

    try:
        layers = [
            layer
            for model in models
            for layer in (
                reproduce.open_networks(Path(model))
                if Path(model).suffix == ".network"
                else inside.open_model(model)
            )
        ]
        for path, write in ((svg, inside.write_svg), (png, inside.write_png)):
            for number, layer in enumerate(layers if path else []):
                assert path is not None
                write(layer, path.with_stem(f"{path.stem}-{number + 1}") if number else path)
    except inside.OpenedError as error:
        raise CommandError(str(error)) from None
    measured = [inside.neurons(layer) for layer in layers]
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
