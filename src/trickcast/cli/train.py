"""The command train; its options are the fields of a training's ``Request``."""

from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click

from ..training.request import Request
from .command import METAVARS
from .inputs import CommandError

_PLACES = {"library": "LIBRARY", "endings": "FOLDER", "device": "DEVICE"}
_KINDS = get_type_hints(Request)


def _option(option: Field[Any]) -> click.Option:
    """Return a field of a request as an option; the request itself checks the bounds."""
    kind = _KINDS[option.name]
    kinds = [each for each in get_args(kind) or (kind,) if each not in (type(None), Ellipsis)]
    several = option.default == ()
    facts: dict[str, Any] = {"help": option.metadata["help"], "multiple": several}
    if option.default not in (MISSING, (), None):
        facts["default"] = option.default
    if kind is bool:
        facts["is_flag"] = True
    else:
        base = kinds[0] if kinds[0] in METAVARS else str
        facts["metavar"] = _PLACES.get(option.name, METAVARS[base])
        facts["type"] = click.Path(path_type=Path) if base is Path else base
    return click.Option([option.name, "--" + option.name.replace("_", "-")], **facts)


def _train(
    name: str,
    folder: Path | None,
    changes: tuple[str, ...],
    show_settings: bool,
    cluster: str | None,
    workers: int,
    **options: Any,
) -> None:
    from .. import training as room

    try:
        if show_settings:
            click.echo("\n".join(room.listed(name)))
            return
        if workers > 1 and cluster is None:
            raise ValueError("--workers needs --cluster (on one machine: torchrun, docs/scale.md)")
        request = Request(name=name, folder=folder, settings=room.read_settings(changes), **options)
        shown = room.find_training(name).family.shown
        result = room.train(
            request, lambda line: click.echo(shown(line)), cluster=cluster, workers=workers
        )
    except (ValueError, room.TrainingError) as error:
        raise CommandError(str(error)) from None
    if result is not None:
        click.echo(result)


train = click.Command(
    "train",
    callback=_train,
    short_help="Train a network on a library or on played boards, and export it.",
    help="Train a network on a library, and export it. Rerun the command to continue.\n\n"
    "NAME is accurate (the default), accurate-large, fast, teacher, pairs, hand2vec, or a paper's "
    "network by its printed name.\n\n"
    "played (tricks at the table), bidding and bidding-taught (calls) learn from the PBN files of "
    "FOLDER instead.",
    epilog="\b\nExample: trickcast train fast --library data/library --minutes 60",
    params=[
        click.Argument(["name"], default=Request().name, metavar="[NAME]"),
        click.Argument(
            ["folder"], required=False, metavar="[FOLDER]", type=click.Path(path_type=Path)
        ),
        click.Option(
            ["changes", "--set"],
            multiple=True,
            metavar="NAME=VALUE",
            help="Change a setting (see --settings). Repeatable.",
        ),
        click.Option(["show_settings", "--settings"], is_flag=True, help="List the settings."),
        *(_option(option) for option in fields(Request) if "help" in option.metadata),
        click.Option(
            ["--cluster"],
            metavar="CLUSTER",
            help="Ray cluster to train on: local, auto or ray://HOST:PORT.",
        ),
        click.Option(
            ["--workers"],
            default=1,
            type=click.IntRange(min=1),
            metavar="N",
            help="Number of training processes, with --cluster.",
        ),
    ],
)
"""``accurate`` (the default), ``fast``, ``pairs`` … or a name from a plug-in."""
