"""The command train: the networks of the papers, and the estimators of today."""

from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ..library import Library
from . import pair_training
from .inputs import CommandError


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(train)


def train(
    network: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK",
            help="accurate, accurate-large, fast, pairs, hand2vec, or a paper's printed name.",
        ),
    ] = "accurate",
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
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="End this leg after so long; the same command "
            "goes on (not for the papers' networks).",
        ),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="16-bit weights to go on from (not for the papers').")
    ] = None,
    endings: Annotated[
        Path | None,
        typer.Option(help="Folder of endings to learn besides, with --set taught=N a step."),
    ] = None,
    pairs: pair_training.Rows = None,
    pairs_validation: pair_training.HeldOut = None,
    taught: pair_training.Taught = None,
) -> None:
    """Train a network on a library, and export it. Goes on where an earlier run stopped."""
    from ..training import TrainingError
    from ..training.presets import PRESETS

    given = [_pair(text) for text in settings or ()]
    try:
        if pair_training.knows(network):
            files = pair_training.Files(library, pairs, pairs_validation, taught, weights)
            pair_training.train(network, dict(given), files, out, minutes, show_settings)
        elif network not in PRESETS:
            _train_paper(network, library, out, given, show_settings)
        elif show_settings:
            _show_settings(network)
        else:
            _train_whole(network, library, out, dict(given), minutes, weights, endings)
    except (ValueError, TrainingError) as error:
        raise CommandError(str(error)) from None


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is no setting (expected NAME=VALUE)")
    return name.strip(), value


def _train_whole(
    name: str,
    library: Path,
    out: Path,
    given: dict[str, str],
    minutes: float | None,
    weights: Path | None,
    endings: Path | None,
) -> None:
    """Train one leg of an estimator; export it when its schedule is at its end."""
    from ..training import supervised
    from ..training.distill import besides
    from ..training.presets import configured
    from ..training.suit_export import export_suits

    config, source = configured(name, given), Library(library)
    training, validation = source.deals("train"), source.deals("validation")

    def report(line: dict[str, float]) -> None:
        typer.echo(
            f"step {line['step']:,}: suits {line['exact_suits']:.2f} %, notrump "
            f"{line['exact_notrump']:.2f} % exact, log-loss {line['log_loss']:.4f} "
            f"(training {line['training_loss']:.4f}), {line['seconds']:.0f} s"
        )

    leg = supervised.train(
        config,
        training,
        validation,
        out / f"{name}.checkpoint",
        weights=weights,
        taught=besides(None, endings),
        minutes=minutes,
        report=report,
    )
    if not leg.done:
        typer.echo(f"{name}: step {leg.progress.step:,} of {config.steps:,}; run this again")
        return
    export_suits(leg, name, validation, out / f"{name}.onnx")
    typer.echo(f"{out / name}.onnx: trained on {len(training):,} deals")


def _show_settings(name: str) -> None:
    from ..training.presets import PRESETS

    config = PRESETS[name]
    for prefix, part in (("", config), ("network.", config.network)):
        for setting in fields(part):
            if setting.name != "network":
                value = getattr(part, setting.name)
                typer.echo(f"{prefix}{setting.name}={value}  {setting.metadata['help']}")


def _train_paper(
    network: str,
    library: Path,
    out: Path,
    given: list[tuple[str, str]],
    show_settings: bool,
) -> None:
    """Train the two networks of a paper's printed name, and export them."""
    from ..training import TrainingConfig, train_model

    defaults = [f for f in fields(TrainingConfig) if f.name not in ("contracts", "network")]
    if show_settings:
        for setting in defaults:
            typer.echo(f"{setting.name}={setting.default}  {setting.metadata['help']}")
        return
    chosen = {name: _value(name, value, defaults) for name, value in given}
    source = Library(library)

    def report(contracts: str, line: dict[str, float]) -> None:
        typer.echo(
            f"{contracts} epoch {line['epoch']}: {line['exact']:.2f} % exact, off by "
            f"{line['validation_error']:.4f} tricks (training {line['training_error']:.4f}), "
            f"{line['seconds']:.0f} s"
        )

    training, validation = source.deals("train"), source.deals("validation")
    path = train_model(training, validation, out, report=report, network=network, **chosen)
    typer.echo(f"{path}: trained on {len(training):,} deals (trickcast evaluate DEALS --model …)")


def _value(name: str, text: str, defaults: list[Field[Any]]) -> Any:
    """Read a setting's value as the type of its default."""
    for setting in defaults:
        if setting.name == name:
            kind: Any = type(setting.default)
            try:
                return kind(text)
            except ValueError:
                raise ValueError(f"{name}={text}: expected {name}={kind.__name__}") from None
    known = ", ".join(setting.name for setting in defaults)
    raise ValueError(f"no setting {name!r} (expected one of {known})")
