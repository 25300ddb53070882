"""The commands for models: models, evaluate."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

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
