"""The commands for the library of solved deals: generate, library info | verify | split | add."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..cards import DealSet
from ..formats import read, write_stream
from ..library import (
    USES,
    Library,
    LibraryError,
    Shard,
    append,
    count_endings,
    endings_worth,
    generate_endings,
    tables_worth,
)
from ..library import generate as generate_deals
from ..library import verify as verify_library
from . import views
from .inputs import Cluster, as_use

_MOST = 2**64 - 1
Folder = Annotated[
    str, typer.Argument(metavar="LIBRARY", help="A library's folder or address (s3://…).")
]
group = typer.Typer(help="Look after a library of solved deals.", rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(generate)
    app.add_typer(group, name="library")


def generate(
    deals: Annotated[int, typer.Option(min=1, help="How many deals there shall be.")],
    seed: Annotated[
        int, typer.Option(min=0, max=_MOST, help="Seed: deal i depends on (seed, i) alone.")
    ],
    out: Annotated[
        str, typer.Option(help="The library's folder or address (s3://…); made when missing.")
    ],
    start: Annotated[
        int, typer.Option(min=0, max=_MOST // 2, help="First deal: machines can share a seed.")
    ] = 0,
    use: Annotated[
        str, typer.Option(help="What the deals are for, for ever: train, validation or test.")
    ] = "train",
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Threads of the solver (default: all cores; with --cluster: one a shard)."
        ),
    ] = None,
    cards: Annotated[
        int,
        typer.Option(
            min=2, max=13, help="Fewer than 13 in a hand: endings to train on, in a folder."
        ),
    ] = 13,
    strains: Annotated[
        str,
        typer.Option(help="all: whole tables; one: each deal in one strain, drawn at random."),
    ] = "all",
    cluster: Cluster = None,
) -> None:
    """Deal at random, solve, and keep in a library. Goes on where an earlier run stopped."""
    if not out.strip(" ."):
        raise typer.BadParameter("--out is empty (expected the library's folder)")
    if strains not in ("all", "one"):
        raise typer.BadParameter(f"--strains is {strains!r} (expected all or one)")
    if cards < 13:
        if strains != "all":
            raise typer.BadParameter("--strains one is of whole deals (expected no --cards)")
        if use != "train":
            raise typer.BadParameter(f"--use is {use}: endings are for training alone")
        solved = generate_endings(
            out, deals, cards, seed, start=start, workers=workers, on=cluster, progress=True
        )
        typer.echo(f"{out}: {deals:,} endings of {cards} cards, {solved:,} of them solved now")
        return
    solved = generate_deals(
        out,
        deals,
        seed,
        start=start,
        use=as_use(use),
        strains="one" if strains == "one" else "all",
        workers=workers,
        on=cluster,
        progress=True,
    )
    typer.echo(
        f"{out}: the deals {start} to {start + deals - 1} of seed {seed} are there, "
        f"{solved:,} of them solved now"
    )


@group.command()
def info(
    folder: Folder,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what a library, or a folder of endings, holds and is worth in whole tables.

    Worth is the solver's seconds that the labels cost, where a whole table costs one.
    """
    if counts := _endings(folder):
        _info_endings(folder, counts, as_json)
        return
    library = Library(folder)
    if as_json:
        typer.echo(json.dumps(_facts(library)))
        return
    typer.echo(
        f"{len(library):,} solved deals in {folder}, worth {library.tables_worth:,.0f} whole tables"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for name, justify in (("use", "left"), ("seed", "left"), ("range", "left"), ("deals", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    table.add_column("shards", justify="right")
    table.add_column("strains", justify="left")
    for rows in _runs(library):
        first, last = rows[0], rows[-1]
        seed = "none" if first.seed is None else str(first.seed)
        span = first.source if first.seed is None else f"{first.start} … {last.end - 1}"
        deals = sum(shard.deals for shard in rows)
        table.add_row(first.use, seed, span, f"{deals:,}", str(len(rows)), first.kind.strains)
    views.ResultConsole().print(table)
    typer.echo(", ".join(f"{library.count(use):,} for {use}" for use in USES))
    typer.echo(f"solved by {', '.join(sorted({shard.solver for shard in library.shards}))}")


def _info_endings(folder: str, counts: dict[int, int], as_json: bool) -> None:
    total, worth = sum(counts.values()), endings_worth(counts)
    if as_json:
        facts = {"endings": total, "tables_worth": round(worth, 1), "by_cards": counts}
        typer.echo(json.dumps(facts))
        return
    typer.echo(f"{total:,} solved endings in {folder}, worth {worth:,.0f} whole tables")
    typer.echo(", ".join(f"{counts[cards]:,} of {cards} cards" for cards in sorted(counts)))


def _endings(folder: str) -> dict[int, int]:
    """Return what a place holds where that is endings."""
    has_manifest = "://" not in folder and (Path(folder) / "manifest.json").exists()
    return {} if has_manifest else count_endings(folder)


def _facts(library: Library) -> dict[str, object]:
    """Return what ``info`` shows as JSON's types; ``tables_worth`` by use too."""
    runs = [
        {
            "use": rows[0].use,
            "seed": rows[0].seed,
            "start": rows[0].start,
            "deals": sum(shard.deals for shard in rows),
            "shards": len(rows),
            "strains": rows[0].kind.strains,
            "record": rows[0].record,
            "solver": rows[0].solver,
            "source": rows[0].source,
            "tables_worth": round(tables_worth(rows), 1),
        }
        for rows in _runs(library)
    ]
    return {
        "deals": len(library),
        "tables_worth": round(library.tables_worth, 1),
        **{use: library.count(use) for use in USES},
        "runs": runs,
    }


def _runs(library: Library) -> list[list[Shard]]:
    """Put shards of one kind together whose deals follow each other."""

    def kind(shard: Shard) -> tuple[object, ...]:
        return shard.seed, shard.use, shard.record, shard.solver, shard.source

    runs: list[list[Shard]] = []
    for shard in library.shards:
        last = runs[-1][-1] if runs else None
        if last and kind(last) == kind(shard) and shard.start in (None, last.end):
            runs[-1].append(shard)
        else:
            runs.append([shard])
    return runs


@group.command()
def verify(
    folder: Folder,
    sample: Annotated[int, typer.Option(min=0, help="Deals to solve again.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="Chooses the sample.")] = 0,
) -> None:
    """Check digests, cards and ranges of all shards, and solve a sample again."""
    verified = verify_library(Library(folder), sample=sample, seed=seed, progress=True)
    if verified.problems:
        shown = "; ".join(verified.problems[:3])
        raise LibraryError(f"{folder}: problems: {len(verified.problems)}, such as: {shown}")
    typer.echo(
        f"{folder}: {verified.shards:,} shards with {verified.deals:,} deals are sound; "
        f"{verified.solved_again:,} deals solved again agree"
    )


@group.command()
def split(
    folder: Folder,
    use: Annotated[str | None, typer.Option(help="Only the deals for this use.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write them into this file.")] = None,
) -> None:
    """Show which shards are for training, validation and test, or write those of one use."""
    library = Library(folder)
    if out is not None:
        if use is None:
            raise typer.BadParameter("--out needs --use (train, validation or test)")
        write_stream(library.stream(as_use(use)), out)
        typer.echo(f"{out}: {library.count(as_use(use)):,} deals for {use}")
        return
    for shard in library.shards:
        if use is None or shard.use == as_use(use):
            typer.echo(f"{shard.use:<10}  {shard.deals:>5}  {shard.file}")


@group.command()
def add(
    folder: Folder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files of solved deals.")],
    name: Annotated[str, typer.Option(help="Name of the new shards.")],
    source: Annotated[str, typer.Option(help="Where the deals come from.")],
    use: Annotated[str, typer.Option(help="What they are for, for ever.")] = "train",
    solver: Annotated[str, typer.Option(help="What solved them.")] = "unknown",
) -> None:
    """Add solved deals from elsewhere as new shards."""
    deals = DealSet.concatenate(read(file) for file in files)
    append(folder, deals, name, as_use(use), solver=solver, source=source)
    typer.echo(f"{folder}: {len(deals):,} deals added for {use}")
