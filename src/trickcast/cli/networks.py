"""The commands for networks: models, evaluate, train."""

import json
from collections.abc import Iterator
from dataclasses import Field, asdict, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from ..cards import DealSet, Strain
from ..estimator import DEFAULT_MODEL, Estimator
from ..estimator import models as shipped_models
from ..evaluation import Score, score
from ..library import Library
from . import views
from .deals import AsJson, From, watched
from .inputs import CommandError, as_use, read_deals

_PARTS = {strain.letter: strain.name.lower() for strain in Strain} | {"suits": "all suits"}


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(models)
    app.command()(evaluate)
    app.command()(train)


def models(as_json: AsJson = False) -> None:
    """List the models that ship: size, accuracy, speed."""
    for info in shipped_models():
        if as_json:
            content = {"name": info.name, "bytes": info.size, "sha256": info.sha256}
            typer.echo(json.dumps(content | {"accuracy": info.accuracy, "speed": info.speed}))
            continue
        typer.echo(f"{info}{' (the default)' if info.name == DEFAULT_MODEL else ''}")
        for deals, found in info.accuracy.items():
            for part in ("suits", "N"):
                shares = " | ".join(f"{share:.2f}" for share in found[part])
                typer.echo(f"  {_PARTS[part]:<10}{shares}  ({deals} deals)")
        if info.speed:
            typer.echo(f"  {info.speed}")
    if not as_json:
        typer.echo("Percent of results estimated within two tricks | within one | exactly.")


def evaluate(
    deals: Annotated[
        str, typer.Argument(metavar="DEALS", help="A file of solved deals, - or a library.")
    ],
    model: Annotated[
        str, typer.Option(help="A shipped model (see: trickcast models) or an .onnx file.")
    ] = DEFAULT_MODEL,
    use: Annotated[str, typer.Option(help="Which deals of a library.")] = "test",
    as_json: AsJson = False,
    source: From = None,
) -> None:
    """Compare a model with solved deals, as the papers do, strain by strain."""
    estimator = Estimator(model)
    estimated, tricks = list[NDArray[np.uint8]](), list[NDArray[np.uint8]]()
    for chunk in watched(_solved_deals(deals, use, source)):
        estimated.append(estimator(chunk).tricks)
        tricks.append(chunk.tricks_or_unknown)
    if not tricks:
        raise CommandError(f"{deals}: there are no deals for {use} in it")
    try:
        scores = score(np.concatenate(estimated), np.concatenate(tricks))
    except ValueError as error:
        raise CommandError(f"{deals}: {error}") from None
    compared = sum(map(len, tricks))
    if as_json:
        content = {"model": model, "deals": compared}
        typer.echo(json.dumps(content | {part: _rounded(found) for part, found in scores.items()}))
        return
    _show(model, compared, scores)


def train(
    network: Annotated[
        str, typer.Argument(metavar="NETWORK", help="The printed name of a network.")
    ] = "(52x4)-(26x4)-26-13-1",
    library: Annotated[Path, typer.Option(help="The library of solved deals to train on.")] = Path(
        "data/library"
    ),
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and the model.")] = Path(
        "trained"
    ),
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; see --settings."),
    ] = None,
    show_settings: Annotated[
        bool, typer.Option("--settings", help="List the settings and their defaults.")
    ] = False,
) -> None:
    """Train a network on a library, and export it. Goes on where an earlier run stopped."""
    from ..training import TrainingConfig, TrainingError, train_model

    defaults = [f for f in fields(TrainingConfig) if f.name not in ("contracts", "network")]
    if show_settings:
        for setting in defaults:
            typer.echo(f"{setting.name}={setting.default}  {setting.metadata['help']}")
        return
    chosen = dict(_setting(text, defaults) for text in settings or ())
    source = Library(library)

    def report(contracts: str, line: dict[str, float]) -> None:
        typer.echo(
            f"{contracts} epoch {line['epoch']}: {line['exact']:.2f} % exact, off by "
            f"{line['validation_error']:.4f} tricks (training {line['training_error']:.4f}), "
            f"{line['seconds']:.0f} s"
        )

    training, validation = source.deals("train"), source.deals("validation")
    try:
        path = train_model(training, validation, out, report=report, network=network, **chosen)
    except (ValueError, TrainingError) as error:
        raise CommandError(str(error)) from None
    typer.echo(f"{path}: trained on {len(training):,} deals (trickcast evaluate DEALS --model …)")


def _setting(text: str, defaults: list[Field[Any]]) -> tuple[str, Any]:
    """Read one ``name=value``, the value as the type of the setting's default."""
    name, _, value = text.partition("=")
    for setting in defaults:
        if setting.name == name.strip():
            kind: Any = type(setting.default)
            try:
                return setting.name, kind(value)
            except ValueError:
                raise typer.BadParameter(f"{text!r}: expected {name}={kind.__name__}") from None
    known = ", ".join(setting.name for setting in defaults)
    raise typer.BadParameter(f"{text!r} is no setting (expected NAME=VALUE, NAME one of {known})")


def _solved_deals(deals: str, use: str, source: str | None) -> Iterator[DealSet]:
    if (Path(deals) / "manifest.json").is_file():
        return Library(deals).stream(as_use(use))
    return read_deals(deals, source)


def _rounded(found: Score) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(found).items()}


def _show(model: str, deals: int, scores: dict[str, Score]) -> None:
    typer.echo(f"{model} on {deals:,} deals, percent")
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("")
    for column in ("within 2", "within 1", "exact", "results"):
        table.add_column(column, justify="right")
    for part, found in scores.items():
        shares = (f"{share:.2f}" for share in (found.within_2, found.within_1, found.exact))
        table.add_row(_PARTS[part], *shares, f"{found.n:,}")
    views.ResultConsole().print(table)
