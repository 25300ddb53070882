"""The part of the command train that makes the models of two hands."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

Rows = Annotated[
    Path | None,
    typer.Option("--pairs", help="BridgeHand2Vec's rows to learn from (pairs, hand2vec)."),
]
HeldOut = Annotated[
    Path | None,
    typer.Option("--pairs-validation", help="Such rows to measure on (default: the library's)."),
]
Taught = Annotated[
    Path | None, typer.Option(help="Folder of deals that a network labelled (pairs).")
]


class Files(NamedTuple):
    """Where the data lies, as the options say."""

    library: Path
    rows: Path | None
    validation: Path | None
    taught: Path | None
    teacher: Path | None


def knows(name: str) -> bool:
    """Whether this is the name of such a training."""
    return name in ("pairs", "hand2vec")


def train(
    name: str,
    settings: dict[str, str],
    files: Files,
    out: Path,
    minutes: float | None,
    show_settings: bool,
) -> None:
    """Train one leg and export the model when its schedule is at its end, or list the settings.

    Raises ValueError and TrainingError as the training.
    """
    from ..training.pair_models import PairFiles, pair_config, setting_values, train_pair_model

    config = pair_config(name, settings)
    if show_settings:
        for key, (value, meaning) in setting_values(config).items():
            typer.echo(f"{key}={value}  {meaning}")
        return

    def report(line: dict[str, float]) -> None:
        errors = ", ".join(f"{key} {line[key]:.4f}" for key in line if key.startswith("mse"))
        typer.echo(
            f"step {line['step']:,}: {errors} (training {line['training_loss']:.4f}), "
            f"{line['seconds']:.0f} s"
        )

    path = train_pair_model(name, settings, PairFiles(*files), out, minutes=minutes, report=report)
    if path is None:
        typer.echo(f"{name}: not yet at its end, step {config.steps:,}; run this again")
    else:
        typer.echo(f"{path}: trained (its folder is as src/trickcast/weights/pairs)")
