"""The command train: the networks of the papers, and the estimators of today."""

from pathlib import Path
from typing import Annotated, Any

import click

from .command import Argument, Option
from .inputs import Cluster, CommandError

Name = Annotated[
    str,
    Argument(
        metavar="NAME",
        help="accurate (the default), accurate-large, fast, teacher, pairs, hand2vec, or a paper's "
        "printed name.",
    ),
]
LibraryPlace = Annotated[
    str, Option(help="The library of solved deals: a folder, or an address (s3://…).")
]
Out = Annotated[Path, Option(help="Folder for checkpoints and the model.")]
Changes = Annotated[
    list[str] | None,
    Option("--set", metavar="NAME=VALUE", help="Change a setting; see --settings."),
]
ShowSettings = Annotated[bool, Option("--settings", help="List the settings and their defaults.")]
Deals = Annotated[int | None, Option(min=1, help="Train on the first so many (default: all).")]
Validation = Annotated[
    int | None, Option(min=1, help="Validate on the first so many (default: all).")
]
Minutes = Annotated[
    float | None, Option(min=0, help="End this leg after so long; the same command goes on.")
]
Threads = Annotated[int | None, Option(min=1, help="Processor threads.")]
Device = Annotated[str | None, Option(help="torch's name of it, as cpu or cuda (default: a GPU).")]
Weights = Annotated[
    Path | None, Option(help="16-bit weights to go on from; hand2vec: of its teacher.")
]
Anew = Annotated[bool, Option("--anew", help="Take the weights alone, into the first step.")]
Teachers = Annotated[
    list[Path] | None, Option(help="16-bit weights of a teacher; may be repeated.")
]
Taught = Annotated[Path | None, Option(help="Folder of deals that a network labelled.")]
Endings = Annotated[
    str | None,
    Option(help="Folder or address of endings to learn besides, with --set endings=N a step."),
]
Rows = Annotated[
    Path | None,
    Option("--pairs", help="BridgeHand2Vec's rows to learn from (pairs, hand2vec)."),
]
HeldOut = Annotated[
    Path | None,
    Option("--pairs-validation", help="Such rows to measure on (default: the library's)."),
]
Workers = Annotated[
    int, Option(min=1, help="Processes that train together, with --cluster; they share a batch.")
]


def train(
    name: Name = "accurate",
    library: LibraryPlace = "data/library",
    out: Out = Path("trained"),
    settings: Changes = None,
    show_settings: ShowSettings = False,
    deals: Deals = None,
    validation: Validation = None,
    minutes: Minutes = None,
    threads: Threads = None,
    device: Device = None,
    weights: Weights = None,
    anew: Anew = False,
    teacher: Teachers = None,
    taught: Taught = None,
    endings: Endings = None,
    pairs: Rows = None,
    pairs_validation: HeldOut = None,
    cluster: Cluster = None,
    workers: Workers = 1,
) -> None:
    """Train a network on a library, and export it. Goes on where an earlier run stopped.

    Example: trickcast train fast --library data/library --minutes 60
    """
    from .. import training as room

    try:
        if show_settings:
            click.echo("\n".join(room.listed(name)))
            return
        if workers > 1 and cluster is None:
            raise ValueError("--workers needs --cluster (on one machine: torchrun, docs/scale.md)")
        request = room.Request(
            name=name,
            settings=room.read_settings(settings or ()),
            library=library,
            out=out,
            deals=deals,
            validation=validation,
            minutes=minutes,
            threads=threads,
            device=device,
            weights=weights,
            anew=anew,
            teacher=tuple(teacher or ()),
            taught=taught,
            endings=endings,
            pairs=pairs,
            pairs_validation=pairs_validation,
        )
        shown = room.find_training(name).family.shown

        def report(line: dict[str, Any]) -> None:
            click.echo(shown(line))

        answer = room.train(request, report, on=cluster, workers=workers)
    except (ValueError, room.TrainingError) as error:
        raise CommandError(str(error)) from None
    if answer is not None:
        click.echo(answer)
