"""The command that repeats the papers: reproduce."""

import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from .._pieces import connected
from ..cli.command import Argument, Option
from ..cli.inputs import Cluster, CommandError
from ..library import Library

if TYPE_CHECKING:
    from .experiments.finished_figures import Store
    from .experiments.rows import AnyRow, Material
    from .experiments.run_deals import Deals
    from .experiments.scales import Scale
    from .neurons import Opened


PaperName = Annotated[
    str,
    Argument(
        metavar="PAPER",
        help="Paper to repeat: mossakowski2004, mossakowski2009, mandziuk2018, yegnanarayana1996, "
        "polishclub2023, bridgehand2vec or all.",
    ),
]
TableNames = Annotated[
    list[str] | None,
    Option(
        metavar="TABLE",
        help="Only this table or section, such as V, 1, VI-E, B1 or beyond. Repeatable.",
    ),
]
RowNames = Annotated[
    list[str] | None,
    Option(metavar="ID", help="Only the row with this id, such as m09-TV-05. Repeatable."),
]
RowsFile = Annotated[
    Path | None, Option("--rows", metavar="FILE", help="File of row ids, one per line.")
]
NetworkNames = Annotated[
    list[str] | None,
    Option(metavar="NETWORK", help="Only rows of this network, such as 52-25-1. Repeatable."),
]
Seeds = Annotated[
    int,
    Option(min=1, help="Networks trained for each row, at scale full or authors."),
]
ScaleName = Annotated[
    str,
    Option(
        choices=("smoke", "standard", "full", "authors"),
        help="Size of the run: a minute's trial, hours on two cores, the papers' own protocol, "
        "or the 2018 authors' program, which takes hours per network.",
    ),
]
TrainingDeals = Annotated[
    int | None,
    Option(min=1, help="Deals to train on (default: as many as the paper has, or the scale)."),
]
Epochs = Annotated[
    int | None,
    Option(min=1, help="Epochs of the 2004 and 2009 networks (default: by scale)."),
]
FirstWeights = Annotated[
    float | None,
    Option(
        help="First weights of these networks, uniform on ± this / √inputs (default: 1; at scale "
        "full 0.3)."
    ),
]
FirstRange = Annotated[
    float | None,
    Option(
        help="First weights, uniform on ± this for any number of inputs (1 in JNNS, the program "
        "of the papers)."
    ),
]
StepsBack = Annotated[
    bool,
    Option(
        "--steps-back",
        help="Let Rprop undo a step that went too far, as published in 1993.",
    ),
]
Batch = Annotated[
    int | None,
    Option(min=1, help="Batch size of the 2018 trainings (default: 256)."),
]
LibraryPlace = Annotated[
    str | None,
    Option(
        metavar="LIBRARY",
        help="Folder or address of the solved deals (s3://…) (default: data/library, here or in "
        "the clone that trickcast runs from).",
    ),
]
TestFile = Annotated[
    Path | None,
    Option(metavar="FILE", help="Solved deals to test on, such as GIB's (default: the library's)."),
]
OutFolder = Annotated[
    Path, Option(help="Folder for networks and figures; a rerun continues from it.")
]
ReportFolder = Annotated[
    Path | None, Option(help="Folder for reproduction.csv and pages (default: --out).")
]
LabelledFile = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Polish Club hands that players bid, for polishclub2023, from "
        "github.com/johny-b/BridgeHand2Vec.",
    ),
]
PairsFile = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="BridgeHand2Vec's validation rows, from github.com/johny-b/BridgeHand2Vec.",
    ),
]
TrainingPairsFile = Annotated[
    Path | None, Option(metavar="FILE", help="BridgeHand2Vec's training rows, from there.")
]
AuthorsFile = Annotated[
    Path | None,
    Option(metavar="FILE", help="The authors' own weights (.npz), to measure on --pairs."),
]
LayoutsFile = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Solved layouts of BridgeHand2Vec's game (default: data/game/layouts.npy, here or in "
        "the clone; python -m trickcast.papers.bridgehand2vec.game_layouts makes them).",
    ),
]
_TRIAL = (
    "a trial of the program: at this scale the figures mean nothing (--scale standard takes some "
    "hours; full is the papers' own protocol)"
)
_INSTALL = "pip install 'trickcast[train]'"
_REPORTED = 10  # seconds between two reports; most small networks would not take that long
_LAYOUTS = Path("data/game/layouts.npy")
Workers = Annotated[
    int, Option(min=1, help="Networks to train at the same time; with --cluster, cores for each.")
]


def reproduce(
    paper: PaperName,
    table: TableNames = None,
    row: RowNames = None,
    rows_file: RowsFile = None,
    network: NetworkNames = None,
    scale: ScaleName = "smoke",
    seeds: Seeds = 1,
    training_deals: TrainingDeals = None,
    epochs: Epochs = None,
    first_weights: FirstWeights = None,
    first_range: FirstRange = None,
    steps_back: StepsBack = False,
    batch: Batch = None,
    library: LibraryPlace = None,
    test: TestFile = None,
    out: OutFolder = Path("trained/reproduction"),
    report: ReportFolder = None,
    labelled: LabelledFile = None,
    pairs: PairsFile = None,
    pairs_training: TrainingPairsFile = None,
    authors_weights: AuthorsFile = None,
    layouts: LayoutsFile = None,
    workers: Workers = 1,
    cluster: Cluster = None,
) -> None:
    """Repeat the experiments of a paper, and compare with its published figures.

    Rerun the command to continue.

    Example: trickcast reproduce mossakowski2009 --row m09-TV-05 --scale full
    """
    from ..bidding import LabelledError
    from ..training import TrainingError
    from .experiments.all_papers import chosen_rows
    from .experiments.pages import table_of_rows, write_report
    from .experiments.run_deals import ExperimentError
    from .experiments.runner import in_two_phases, need_deals, of_torch
    from .experiments.runner import reproduce as run_experiments

    if authors_weights is not None and pairs is None:
        raise click.BadParameter("--authors-weights needs --pairs")
    library = library or str(_in_clone("data/library"))
    widths = {"--first-weights": first_weights, "--first-range": first_range}
    size, docs = _size(scale, widths, seeds), report or out
    size = replace(size, epochs=epochs or 0, steps_back=steps_back, batch=batch or size.batch)
    if training_deals is not None:
        size = replace(size, deals=training_deals, most=training_deals)
    # docs/natively.py also uses this command
    program = ["python", sys.argv[0]] if sys.argv[0].endswith("natively.py") else ["trickcast"]
    command = shlex.join([*program, *sys.argv[1:]])
    made_by = {"command": command, "library": str(library), "test": str(test or "")}

    written = float("-inf")

    def finished(store: "Store", name: str) -> None:
        nonlocal written
        if time.monotonic() - written > _REPORTED:
            write_report(store, scale, docs, made_by)
            written = time.monotonic()
        click.echo(f"finished {name}")

    try:
        ids = [*(row or ()), *(rows_file.read_text("utf-8").split() if rows_file else ())]
        rows = chosen_rows(rows_of_tables(paper, table), ids, network or ())
        if size.by_authors:
            rows = in_two_phases(rows)
        given = {"--epochs": epochs, **widths, "--steps-back": steps_back or None, "--batch": batch}
        given |= {"--seeds": seeds if seeds > 1 else None, "--training-deals": training_deals}
        _refuse_unused(given | {"--test": test}, rows, size)
        untrained = of_torch(rows) if find_spec("torch") is None else []
        rows = _that_run(rows, untrained)
        _check_report(docs)
        material = _material(labelled, pairs, pairs_training, authors_weights, layouts)
        deals = _gather(library, size, test, out) if need_deals(rows) else None
        click.echo(plan_text(f"{paper} at scale {scale}", rows, size, deals, material, untrained))
        with connected(cluster):  # once for all seeds
            for seed in range(1, seeds + 1):
                store = run_experiments(
                    rows, size, deals, out,
                    material=material, workers=workers, seed=seed, cluster=cluster,
                    finished=finished,
                )  # fmt: skip
                files = write_report(store, scale, docs, made_by)
        click.echo(table_of_rows(rows, docs), nl=False)
    except (ExperimentError, TrainingError, LabelledError) as error:
        raise CommandError(str(error)) from None
    click.echo(f"{files[0]}: done")


def _in_clone(path: str | Path) -> Path:
    """Return where the repository's data are: here, or in the clone that this runs from."""
    clone = Path(__file__).parents[3]
    there = clone / path
    return there if not Path(path).exists() and there.exists() else Path(path)


def _size(scale: str, widths: Mapping[str, float | None], seeds: int) -> "Scale":
    """Return a scale with the first weights that were asked for."""
    from .experiments.all_papers import SCALES

    for name, width in widths.items():
        if width is not None and not width > 0:
            raise click.BadParameter(f"{name} is {width} (expected more than 0)")
    if None not in widths.values():
        raise click.BadParameter("--first-weights and --first-range are two ways of saying one")
    size = SCALES[scale]
    if seeds > 1 and not size.published:
        raise click.BadParameter(f"--seeds is for scales full and authors, and this is {scale}")
    first_weights, first_range = widths.values()
    width = first_weights or first_range or size.first_weights
    return replace(size, first_weights=width, flat_weights=first_range is not None)


def _refuse_unused(given: Mapping[str, object], rows: "Sequence[AnyRow]", scale: "Scale") -> None:
    """Raise CommandError for options that would change nothing for these rows."""
    from .experiments.runner import has_pretraining, has_rprop, need_deals, planned

    of_rprop = ("--epochs", "--first-weights", "--first-range", "--steps-back")
    for names, used, what, years in (
        (of_rprop, has_rprop(rows), "has a network trained by Rprop", "2004 or 2009"),
        (["--batch"], has_pretraining(rows) and not scale.by_authors,
         "has a network trained in two phases, by batches of ours", "2018"),
        (["--training-deals", "--seeds"], planned(rows, scale),
         "has a network trained on solved deals", "2004, 2009 or 2018"),
        (["--test"], need_deals(rows), "is measured on solved deals", "2004, 2009 or 2018"),
    ):  # fmt: skip
        unused = [name for name in names if given[name] is not None and not used]
        if unused:
            raise CommandError(
                f"{' and '.join(unused)} would change nothing: none of these rows {what} "
                f"(expected rows of the networks of {years})"
            )


def _that_run(rows: "Sequence[AnyRow]", untrained: "Sequence[AnyRow]") -> "tuple[AnyRow, ...]":
    """Return the rows that can be measured without torch, if torch is missing.

    Raises ModuleNotFoundError, as any training does, if there are none.
    """
    from .experiments.rows import PublishedRow

    left = tuple(row for row in rows if row not in untrained)
    if untrained and all(isinstance(row, PublishedRow) for row in left):
        raise ModuleNotFoundError(
            f"these rows train networks, which needs torch; install it with: {_INSTALL}"
        )
    return left


def _material(
    labelled: Path | None,
    pairs: Path | None,
    pairs_training: Path | None,
    authors_weights: Path | None,
    layouts: Path | None,
) -> "Material":
    """Read the files that some rows are measured on."""
    from ..bidding import read_labelled
    from ..formats.hand2vec import read_pairs
    from .bridgehand2vec.game_layouts import read_layouts
    from .experiments.rows import Material

    authors = None
    if authors_weights is not None and find_spec("torch") is not None:
        from .bridgehand2vec.authors_weights import read_authors_network

        authors = read_authors_network(authors_weights)
    layouts_file = layouts or _in_clone(_LAYOUTS)
    return Material(
        labelled=None if labelled is None else read_labelled(labelled),
        pairs=None if pairs is None else read_pairs(pairs),
        training_pairs=None if pairs_training is None else read_pairs(pairs_training),
        authors=authors,
        layouts=read_layouts(layouts_file) if layouts or layouts_file.exists() else None,
    )


def _check_report(folder: Path) -> None:
    """Check, before anything is trained, that a report can be written to the folder."""
    from .experiments.finished_figures import Store

    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder}: not a folder (expected one for reproduction.csv and pages)")
    Store(folder, "reproduction")


def _gather(library: str, scale: "Scale", test: Path | None, out: Path) -> "Deals":
    """Take the deals of a run, the same as before if it continues."""
    from .experiments.finished_figures import agreed_deals
    from .experiments.run_deals import gather

    if "://" not in library and not Path(library).exists():
        raise CommandError(
            f"{library}: no library of solved deals (expected a folder with manifest.json, as "
            "data/library of a clone of the repository: --library; trickcast generate makes one)"
        )
    return gather(Library(library), scale, test, agreed_deals(out, scale))


def rows_of_tables(paper: str, names: "Sequence[str] | None") -> "tuple[AnyRow, ...]":
    """Return the rows of some tables of a paper, or of all."""
    from .experiments.all_papers import rows_of

    if not names:
        return rows_of(paper)
    return tuple(dict.fromkeys(row for name in names for row in rows_of(paper, name)))


def plan_text(
    what: str,
    rows: "Sequence[AnyRow]",
    scale: "Scale",
    deals: "Deals | None",
    material: "Material",
    untrained: "Sequence[AnyRow]" = (),
) -> str:
    """Return what a run will do, and what it leaves out."""
    from .experiments.runner import options_of, planned, waiting

    said, left_out = f"{what}: {_count(len(rows), 'row')}", waiting(rows, material)
    if scale.name == "smoke":
        said = f"{_TRIAL}\n{said}"
    if deals is not None:
        said += (
            f", {_count(len(planned(rows, scale)), 'network')}, {len(deals.training):,} training "
            f"and {_count(len(deals.test), 'test deal')}"
        )
    if left_out:
        wait = "wait" if len(left_out) > 1 else "waits"
        said += f"; {len(left_out)} of the rows {wait} for files ({options_of(left_out)})"
    if untrained:
        need = "need" if len(untrained) > 1 else "needs"
        said += f"; {_count(len(untrained), 'more row')} {need} torch ({_INSTALL})"
    return said


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + "s" * (number != 1)


def open_networks(path: Path) -> "list[Opened]":
    """Return the first layers of a ``.network`` file that this command made; needs torch."""
    if find_spec("torch") is None:
        raise ModuleNotFoundError(f"reading {path} needs torch; install it with: {_INSTALL}")
    from ..training import TrainingError
    from .experiments.run_deals import ExperimentError
    from .experiments.trained_layers import open_file

    try:
        return open_file(path)
    except (ExperimentError, TrainingError) as error:
        raise CommandError(str(error)) from None
