"""The command that looks inside a network: explain."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from rich.table import Table

from ..cli import views
from ..cli.command import Argument, Option
from ..cli.deals import AsJson
from ..cli.inputs import CommandError
from ..cli.outputs import Force, check_output, may_replace
from . import reproduce

if TYPE_CHECKING:
    from .neurons import Neuron, Opened


def explain(
    models: Annotated[
        list[str],
        Argument(
            metavar="MODEL",
            help="Model names, .onnx files, or .network files of trickcast reproduce.",
        ),
    ],
    svg: Annotated[
        Path | None, Option(metavar="FILE", help="SVG file to draw the first layer's weights in.")
    ] = None,
    png: Annotated[
        Path | None,
        Option(metavar="FILE", help="PNG file to draw them in; needs trickcast[plots]."),
    ] = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Show what the neurons of a network's first layer look at.

    Example: trickcast explain "(52x4)-(26x4)-26-13-1" --svg weights.svg
    """
    from .neurons import OpenedError, shares, write_png, write_svg
    from .neurons import neurons as neurons_of

    for option, path in (("--svg", svg), ("--png", png)):
        if path is not None:
            check_output(option, path, (option.replace("--", "."),))
            may_replace(path, force)
    try:
        layers = [layer for model in models for layer in _open(model)]
        drawings = [
            (write, layer, path.with_stem(f"{path.stem}-{number}") if number > 1 else path)
            for path, write in ((svg, write_svg), (png, write_png))
            if path is not None
            for number, layer in enumerate(layers, start=1)
        ]
        for _, _, path in drawings:
            if path not in (svg, png):  # about which it was asked
                may_replace(path, force)
        for write, layer, path in drawings:
            write(layer, path)
    except OpenedError as error:
        raise CommandError(str(error)) from None
    measured = [neurons_of(layer) for layer in layers]
    share_of = shares(measured)
    if as_json:
        networks = [
            {
                "network": layer.name,
                "neurons": [asdict(neuron) | {"shows": neuron.shows} for neuron in neurons],
            }
            for layer, neurons in zip(layers, measured, strict=True)
        ]
        click.echo(json.dumps({"networks": networks, "shares": share_of}))
        return
    for layer, neurons in zip(layers, measured, strict=True):
        click.echo(layer.name)
        views.ResultConsole().print(_neurons_table(neurons))
    for pattern, share in share_of.items():
        click.echo(
            f"{pattern}: {share['neurons']:.0%} of neurons, {share['networks']:.0%} of networks"
        )


def _open(model: str) -> "list[Opened]":
    """Return the first layers of the network that a name or file stands for."""
    path = Path(model)
    if path.suffix == ".network":  # a torch file: the only case here that needs torch
        return reproduce.open_networks(path)
    from .neurons import open_model

    return open_model(model)


def _neurons_table(neurons: "list[Neuron]") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("neuron", "sees", "ace", "stands\nout", "suit", "its\nshare", "honours'\nshare",
                   "gradient", "effect", "shows"):  # fmt: skip
        table.add_column(column, no_wrap=column != "shows")
    for neuron in neurons:
        table.add_row(
            *(str(neuron.number), neuron.part, neuron.ace, f"{neuron.ace_ratio:.2f}"),
            *(neuron.suit, f"{neuron.suit_share:.0%}", f"{neuron.honour_share:.0%}"),
            *(f"{neuron.gradient:+.2f}", f"{neuron.effect:.2f}", " ".join(neuron.shows)),
        )
    return table
