"""The commands for experiments: reproduce, explain."""

import json
from collections.abc import Sequence
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
    from ..experiments import Deals, Material, Scale
    from ..experiments.inside import Neuron
    from ..experiments.rows import AnyRow


PaperName = Annotated[
    str,
    typer.Argument(
        metavar="PAPER",
        help="mossakowski2004, mossakowski2009, mandziuk2018, yegnanarayana1996, polishclub2023, "
        "bridgehand2vec or all.",
    ),
]
TableName = Annotated[
    str | None, typer.Option(help="One table or section of it: V, 1, VI-E, B1, beyond …")
]
ScaleName = Annotated[
    str, typer.Option(help="smoke (a minute), standard (some hours of two cores) or full.")
]
LibraryFolder = Annotated[Path, typer.Option(help="The library of solved deals.")]
TestFile = Annotated[
    Path | None,
    typer.Option(help="A file of solved deals to test on, as GIB's; else the library's."),
]
OutFolder = Annotated[
    Path, typer.Option(help="Folder for networks and figures, from which a run goes on.")
]
ReportFolder = Annotated[
    Path | None, typer.Option(help="Folder for reproduction.csv and .md (default: that of out).")
]
LabelledFile = Annotated[
    Path | None,
    typer.Option(help="The file of Polish Club hands that players bid, for polishclub2023."),
]
PairsFile = Annotated[
    Path | None, typer.Option(help="BridgeHand2Vec's validation rows, for bridgehand2vec.")
]
TrainingPairsFile = Annotated[Path | None, typer.Option(help="Its training rows.")]
Workers = Annotated[int, typer.Option(min=1, help="Networks trained at a time.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(reproduce)
    app.command()(explain)


def reproduce(
    paper: PaperName,
    table: TableName = None,
    scale: ScaleName = "smoke",
    library: LibraryFolder = Path("data/library"),
    test: TestFile = None,
    out: OutFolder = Path("trained/reproduction"),
    report: ReportFolder = None,
    labelled: LabelledFile = None,
    pairs: PairsFile = None,
    pairs_training: TrainingPairsFile = None,
    workers: Workers = 1,
) -> None:
    """Repeat the experiments of a paper and put ours beside the published figures.

    Goes on where an earlier run stopped.
    """
    from .. import experiments as room
    from ..formats.hand2vec import read_pairs
    from ..openings import LabelledError, read_labelled
    from ..training import TrainingError

    if scale not in room.SCALES:
        raise typer.BadParameter(f"no scale {scale!r} (expected one of {', '.join(room.SCALES)})")
    size, docs = room.SCALES[scale], report or out

    def finished(store: room.Store, name: str) -> None:
        room.write_report(store, scale, docs)
        typer.echo(f"finished {name}")

    try:
        rows = room.rows_of(paper, table)
        material = room.Material(
            labelled=None if labelled is None else read_labelled(labelled),
            pairs=None if pairs is None else read_pairs(pairs),
            training_pairs=None if pairs_training is None else read_pairs(pairs_training),
        )
        deals = _gather(library, size, test, out) if room.need_deals(rows) else None
        typer.echo(f"{paper} at scale {scale}: {_plan(rows, size, deals, material)}")
        store = room.reproduce(
            rows, size, deals, out, material=material, workers=workers, finished=finished
        )
        written = room.write_report(store, scale, docs)
    except (room.ExperimentError, TrainingError, LabelledError) as error:
        raise CommandError(str(error)) from None
    typer.echo(f"{written[0]}: done")


def _gather(library: Path, scale: "Scale", test: Path | None, out: Path) -> "Deals":
    """Take the deals of a run, the same as before where it goes on."""
    from ..experiments import agreed_deals, gather

    outside = None if test is None else read(test)
    return gather(Library(library), scale, outside, agreed_deals(out, scale))


def _plan(
    rows: "Sequence[AnyRow]", scale: "Scale", deals: "Deals | None", material: "Material"
) -> str:
    """Say what a run is going to do, and what it leaves out."""
    from ..experiments import planned, waiting

    said, left_out = f"{len(rows)} rows", len(waiting(rows, material))
    if deals is not None:
        said += (
            f", {len(planned(rows, scale))} networks, {len(deals.training):,} training and "
            f"{len(deals.test):,} test deals"
        )
    if left_out:
        said += f"; {left_out} of the rows wait for files (--labelled, --pairs, --pairs-training)"
    return said


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
    from ..experiments import ExperimentError, inside, opened, pictures
    from ..training import TrainingError

    try:
        layers = [layer for model in models for layer in opened.open_model(model)]
        for path, write in ((svg, pictures.write_svg), (png, pictures.write_png)):
            for number, layer in enumerate(layers if path else []):
                assert path is not None
                write(layer, path.with_stem(f"{path.stem}-{number + 1}") if number else path)
    except (ExperimentError, TrainingError) as error:
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
