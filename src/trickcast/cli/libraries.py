"""The commands for the library of solved deals: generate, library info | verify | split | add."""

import json
from pathlib import Path
from typing import Annotated, cast

import click
from rich.table import Table

from ..cards import DealSet, counted
from ..formats import write_stream
from ..library import (
    USES,
    Library,
    LibraryError,
    Shard,
    Use,
    append,
    count_positions,
    generate_positions,
    holds_positions,
    positions_worth,
    tables_worth,
    verify_positions,
)
from ..library import generate as generate_deals
from ..library import verify as verify_library
from ..library.fetch import DATA_SET, HOST, LICENCE, fetch_pgx
from ..solver import MOST_LINE_TRICKS
from . import views
from .command import Argument, Group, Option, command
from .inputs import Cluster, Strict, read_deals
from .outputs import Force, may_replace

_MOST = 2**64 - 1
_MOST_DEALS = 2**31 - 1
"""Largest number of deals in a library: its manifest could not list more shards."""
Folder = Annotated[
    str,
    Argument(metavar="LIBRARY", help="Folder or address of a library (s3://…).", filled=True),
]
Out = Annotated[
    str,
    Option(
        metavar="LIBRARY",
        help="Folder or address of the library (s3://…), created if missing.",
        filled=True,
    ),
]


def generate(
    deals: Annotated[
        int, Option(min=1, max=_MOST_DEALS, help="Number of deals the library should hold.")
    ],
    seed: Annotated[int, Option(min=0, max=_MOST, help="Seed of the deals.")],
    out: Out,
    start: Annotated[
        int,
        Option(
            min=0, max=_MOST // 2, help="First deal of the seed, so that machines can share it."
        ),
    ] = 0,
    use: Annotated[str, Option(choices=USES, help="Permanent role of the deals.")] = "train",
    workers: Annotated[
        int | None,
        Option(min=1, help="Solver threads (default: all cores; with --cluster: one per shard)."),
    ] = None,
    cards: Annotated[
        int,
        Option(min=2, max=13, help="Cards per hand; fewer than 13 give positions to train on."),
    ] = 13,
    strains: Annotated[
        str,
        Option(
            choices=("all", "one"), help="Solve whole tables, or one random strain of each deal."
        ),
    ] = "all",
    lines: Annotated[
        int,
        Option(min=0, max=MOST_LINE_TRICKS, help="Tricks of best play to store with each result."),
    ] = 0,
    cluster: Cluster = None,
) -> None:
    """Generate random deals and solve them into a library. Rerun the command to continue.

    Example: trickcast generate --deals 4096 --seed 1 --out library
    """
    if cards < 13:
        if strains != "all":
            raise click.BadParameter("--strains one needs whole deals; leave out --cards")
        if use != "train":
            raise click.BadParameter(
                f"--use is {use}, but positions are only for training (expected train)"
            )
        if lines:
            raise click.BadParameter("--lines needs whole deals; leave out --cards")
        solved = generate_positions(
            out, deals, cards, seed, start=start, workers=workers, cluster=cluster, progress=True
        )
        click.echo(f"{out}: {deals:,} positions of {cards} cards, {solved:,} of them newly solved")
        return
    solved = generate_deals(
        out,
        deals,
        seed,
        start=start,
        use=cast(Use, use),
        strains="one" if strains == "one" else "all",
        lines=lines,
        workers=workers,
        cluster=cluster,
        progress=True,
    )
    click.echo(
        f"{out}: holds deals {start} to {start + deals - 1} of seed {seed}, "
        f"{solved:,} of them newly solved"
    )


def info(
    folder: Folder,
    as_json: Annotated[bool, Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Show what a library or a folder of positions holds.

    Its worth is the time that solving its results took, in whole tables of a deal.

    Example: trickcast library info data/library
    """
    if holds_positions(folder):
        _info_positions(folder, count_positions(folder), as_json)
        return
    library = Library(folder)
    if as_json:
        click.echo(json.dumps(_facts(library)))
        return
    click.echo(
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
        strains = first.kind.strains
        if first.kind.lines:
            strains += f", lines of {first.kind.lines} tricks"
        table.add_row(first.use, seed, span, f"{deals:,}", str(len(rows)), strains)
    views.ResultConsole().print(table)
    click.echo(", ".join(f"{library.count(use):,} for {use}" for use in USES))
    click.echo(f"solved by {', '.join(sorted({shard.solver for shard in library.shards}))}")


def _info_positions(folder: str, counts: dict[int, int], as_json: bool) -> None:
    total, worth = sum(counts.values()), positions_worth(counts)
    if as_json:
        facts = {"endings": total, "tables_worth": round(worth, 1), "by_cards": counts}
        click.echo(json.dumps(facts))
        return
    click.echo(f"{total:,} solved positions in {folder}, worth {worth:,.0f} whole tables")
    click.echo(", ".join(f"{counts[cards]:,} of {cards} cards" for cards in sorted(counts)))


def _facts(library: Library) -> dict[str, object]:
    """Return the output of ``info`` as JSON types; ``tables_worth`` by use too."""
    runs = [
        {
            "use": rows[0].use,
            "seed": rows[0].seed,
            "start": rows[0].start,
            "deals": sum(shard.deals for shard in rows),
            "shards": len(rows),
            "strains": rows[0].kind.strains,
            "lines": rows[0].kind.lines,
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
    """Group consecutive shards of the same kind."""

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


def verify(
    folder: Folder,
    sample: Annotated[int, Option(min=0, help="Number of deals to solve again.")] = 40,
    seed: Annotated[int, Option(min=0, help="Seed that chooses the sample.")] = 0,
) -> None:
    """Check all shards of a library, and solve a sample again.

    Also checks the files of a folder of positions.

    Example: trickcast library verify data/library --sample 100
    """
    if holds_positions(folder):
        verified = verify_positions(folder, sample=sample, seed=seed, progress=True)
        piece, one = "file", "position"
    else:
        verified = verify_library(Library(folder), sample=sample, seed=seed, progress=True)
        piece, one = "shard", "deal"
    if verified.problems:
        shown = "; ".join(verified.problems[:3])
        raise LibraryError(
            f"{folder}: {counted(len(verified.problems), 'problem')}, such as {shown}"
        )
    click.echo(
        f"{folder}: {counted(verified.shards, piece)} with {counted(verified.deals, one)} "
        f"{'is' if verified.shards == 1 else 'are'} sound; "
        f"{counted(verified.solved_again, one)} solved again "
        f"agree{'s' * (verified.solved_again == 1)}"
    )


def split(
    folder: Folder,
    use: Annotated[str | None, Option(choices=USES, help="Only the deals with this role.")] = None,
    out: Annotated[
        Path | None, Option(metavar="FILE", help="File to write these deals to.")
    ] = None,
    force: Force = False,
) -> None:
    """List the shards for training, validation and test, or write one part to a file.

    Example: trickcast library split data/library --use test --out test.zrd
    """
    library = Library(folder)
    if out is not None:
        if use is None:
            raise click.BadParameter("--out needs --use train, --use validation or --use test")
        may_replace(out, force)
        part = cast(Use, use)
        write_stream(library.stream(part), out)
        click.echo(f"{out}: {library.count(part):,} deals for {use}")
        return
    for shard in library.shards:
        if use in (None, shard.use):
            click.echo(f"{shard.use:<10}  {shard.deals:>5}  {shard.file}")


def add(
    folder: Folder,
    files: Annotated[list[str], Argument(metavar="FILE", help="Files of solved deals.")],
    name: Annotated[str, Option(metavar="NAME", help="Name of the new shards.")],
    source: Annotated[str, Option(metavar="SOURCE", help="Where the deals come from.")],
    use: Annotated[str, Option(choices=USES, help="Permanent role of the deals.")] = "train",
    solver: Annotated[str, Option(metavar="NAME", help="Solver of the deals.")] = "unknown",
    strict: Strict = False,
) -> None:
    """Add solved deals from files as new shards.

    Example: trickcast library add library deals.zrd --name club --source ours
    """
    deals = DealSet.concatenate(
        chunk for file in files for chunk in read_deals(file, strict=strict)
    )
    append(folder, deals, name, cast(Use, use), solver=solver, source=source)
    click.echo(f"{folder}: {len(deals):,} deals added for {use}")


def fetch(
    data_set: Annotated[
        str, Argument(metavar="NAME", choices=("pgx",), help="Name of the data set: pgx.")
    ],
    deals: Annotated[int, Option(min=1, help="Number of deals, from the first on.")],
    out: Out,
    use: Annotated[str, Option(choices=USES, help="Permanent role of the deals.")] = "train",
    sample: Annotated[int, Option(min=0, help="Number of deals to solve again.")] = 40,
    host: Annotated[str, Option(metavar="ADDRESS", help="Server of the files.")] = HOST,
) -> None:
    """Download published solved deals into a library. Rerun the command to continue.

    pgx: up to 100 million random deals, sotetsuk/dds_dataset on Hugging Face, Apache-2.0.

    Example: trickcast library fetch pgx --deals 1000000 --out pgx
    """
    new = fetch_pgx(out, deals, use=cast(Use, use), sample=sample, host=host, progress=True)
    click.echo(
        f"{out}: holds the first {deals:,} deals of pgx, {new:,} of them newly downloaded\n"
        f"source {DATA_SET} of {host}, licence {LICENCE}"
    )


library = Group(
    "library",
    short_help="Inspect, check, split and extend a library of solved deals.",
    help="Inspect, check, split and extend a library of solved deals.\n\n"
    "\b\nExample: trickcast library info data/library",
    no_args_is_help=False,
    commands=[command(part) for part in (info, verify, split, add, fetch)],
)
