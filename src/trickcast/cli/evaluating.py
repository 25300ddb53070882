"""The command that measures how good a model is: evaluate."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Annotated, Any, Protocol

import click
import numpy as np
from rich.table import Table

from .._pieces import over_pieces
from .._progress import Advance, progress_bar
from ..cards import DealSet, Strain, counted
from ..estimator import (
    DEFAULT_LAYOUT,
    DEFAULT_MODEL,
    Estimator,
    ModelError,
    PeerModel,
    TrickEstimate,
)
from ..evaluation import (
    BREAKDOWNS,
    Calibration,
    ClusterSums,
    Evaluation,
    Figures,
    Interval,
    Paired,
    Tally,
)
from ..evaluation.figures import plain
from ..library import USES, Library, holds_library
from ..library.shards import Shard, read_shard
from ..library.storage import Storage, storage_at
from ..plugins import references
from . import views
from .command import Argument, Option
from .deals import From
from .inputs import Cluster, CommandError, Strict, read_deals

PARTS = {strain.letter: strain.name.lower() for strain in Strain} | {
    "suits": "all suits",
    "all": "all",
}
"""The names of an evaluation's parts in tables."""
_TITLES = {
    "declarer": "by declarer",
    "tricks": "by the real number of tricks",
    "fit": "by fit: trumps of declarer and dummy (in notrump, cards of their longest suit)",
    "longest": "by the longest suit in any hand",
}
_PEER_COUNTS = ("declarer", "defenders")
_HITS = ("within_2", "within_1", "exact")
_TIMED = 1024  # deals whose speed is measured together


class _Model(Protocol):
    def __call__(self, deals: Any) -> TrickEstimate: ...


class _Measured:
    """The scores of a model's estimates, and the seconds they took."""

    def __init__(self, name: str):
        self.name, self.tally = name, Tally()
        self._seconds, self._processor_seconds = ClusterSums(2), ClusterSums(2)

    def add(self, model: _Model, deals: DealSet) -> Any:
        """Estimate solved deals and add the results; return the figures for a comparison."""
        if not self._seconds.clusters:
            model(deals[:2])  # late loading must not be timed
        start, busy = perf_counter(), process_time()
        estimates = model(deals)
        self._processor_seconds.add([[20 * len(deals), process_time() - busy]])
        self._seconds.add([[20 * len(deals), perf_counter() - start]])
        return self.tally.add(
            estimates.probabilities, estimates.tricks, deals.tricks_or_unknown, deals.owners
        )

    def merge(self, other: "_Measured") -> None:
        """Add the results for other deals."""
        self.tally.merge(other.tally)
        self._seconds.merge(other._seconds)
        self._processor_seconds.merge(other._processor_seconds)

    def speeds(self) -> tuple[Interval, Interval]:
        """Return results a second, and a second of one core; intervals over 1,024 deals each."""
        results = np.array([1.0, 0.0])
        return self._seconds.mean(results), self._processor_seconds.mean(results)


class _Compared:
    """Models on the same deals and, if there are two, how they differ."""

    def __init__(self, names: Iterable[str]):
        self.measured = [_Measured(name) for name in names]
        self.paired = Paired()

    def merge(self, other: "_Compared") -> None:
        """Add the results for other deals."""
        for ours, theirs in zip(self.measured, other.measured, strict=True):
            ours.merge(theirs)
        self.paired.merge(other.paired)


def _compare(
    models: list[tuple[str, _Model]], piece: DealSet | tuple[Storage, Shard], advance: Advance
) -> _Compared:
    """Measure models on a piece: some deals, or a library's shard."""
    deals = piece if isinstance(piece, DealSet) else read_shard(*piece, cached=True)
    compared = _Compared(name for name, _ in models)
    for start in range(0, len(deals), _TIMED):
        part = deals[start : start + _TIMED]
        figures = [
            each.add(model, part)
            for each, (_, model) in zip(compared.measured, models, strict=True)
        ]
        if len(figures) == 2:
            compared.paired.add(*figures)
        advance(len(part))
    return compared


def evaluate(
    deals: Annotated[
        str,
        Argument(metavar="DEALS", help="File or library of solved deals, or - for standard input."),
    ],
    model: Annotated[
        str, Option(metavar="MODEL", help="Name of a model (see trickcast models) or .onnx file.")
    ] = DEFAULT_MODEL,
    use: Annotated[
        str | None, Option(choices=USES, help="Part of the library (default: test).")
    ] = None,
    peer: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="An ONNX model of another project that takes one strain and declarer per row.",
        ),
    ] = None,
    peer_layout: Annotated[
        str, Option(metavar="ORDER", help="Order of the strains and the four hands in such a row.")
    ] = DEFAULT_LAYOUT,
    peer_counts: Annotated[
        str, Option(choices=_PEER_COUNTS, help="Side whose tricks that model counts.")
    ] = _PEER_COUNTS[0],
    threads: Annotated[
        int | None,
        Option(min=1, help="Threads per network (default: all cores; with --cluster: one)."),
    ] = None,
    as_json: Annotated[
        bool, Option("--json", help="Print all figures as one line of JSON.")
    ] = False,
    source: From = None,
    strict: Strict = False,
    cluster: Cluster = None,
) -> None:
    """Measure the accuracy, calibration and speed of a model on solved deals.

    Example: trickcast evaluate data/library --model fast
    """
    cores = threads if cluster is None else threads or 1
    models: list[tuple[str, _Model]] = [(model, Estimator(model, threads=cores))]
    if peer is not None:
        models.append((peer.name, _open_peer(peer, peer_layout, peer_counts, cores)))
    elif (peer_layout, peer_counts) != (DEFAULT_LAYOUT, _PEER_COUNTS[0]):
        raise click.BadParameter("--peer-layout and --peer-counts need --peer FILE")
    compared = _Compared(name for name, _ in models)
    work, pieces = partial(_compare, models), _pieces_of(deals, use, source, strict, cluster)
    with (
        progress_bar("deals", None, "done", show=True) as bar,
        over_pieces(
            work, pieces, cluster=cluster, cores=threads or 1, ordered=True, advance=bar
        ) as done,
    ):
        for _, some in done:  # in order: the last digit of sums depends on it
            compared.merge(some)
    try:
        evaluated = [(each, each.tally.evaluation()) for each in compared.measured]
    except ValueError as error:
        raise CommandError(f"{deals}: {error}") from None
    differences = compared.paired.differences() if peer is not None else None
    if as_json:
        click.echo(json.dumps(_as_json(evaluated, differences)))
    else:
        _show(evaluated, differences)


def _open_peer(path: Path, layout: str, counts: str, threads: int | None) -> PeerModel:
    if not path.is_file():
        raise CommandError(f"{path}: no such file (expected an .onnx file)")
    try:
        return PeerModel(path, layout, counts, threads=threads)  # type: ignore[arg-type]
    except ModelError:
        raise
    except ValueError as error:
        raise click.BadParameter(f"--peer-layout: {error}") from None


def _pieces_of(
    deals: str, use: str | None, source: str | None, strict: bool, cluster: str | None
) -> Iterator[DealSet | tuple[Storage, Shard]]:
    """Yield the shards of a library, or the deals of a file in chunks."""
    if not holds_library(deals):
        if use is not None:
            raise click.BadParameter(f"--use needs a library, but {deals} is not one")
        for chunk in read_deals(deals, source, strict=strict, kinds="a library, a file"):
            yield DealSet(chunk.owners, chunk.tricks)
        return
    asked, storage = use or "test", storage_at(deals, everywhere=cluster is not None)
    shards = Library(deals).shards
    if all(shard.use != asked for shard in shards):
        there = ", ".join(sorted({shard.use for shard in shards})) or "none"
        raise CommandError(f"{deals}: the library has no deals for {asked} (it has: {there})")
    for shard in shards:
        if shard.use == asked:
            yield storage, shard


def _as_json(
    evaluated: list[tuple[_Measured, Evaluation]], differences: dict[str, Figures] | None
) -> dict[str, Any]:
    """Return all results: the parts by name, then the rest; intervals are lists of three."""
    contents = []
    for each, evaluation in evaluated:
        speed, of_one_core = each.speeds()
        facts = {"model": each.name, "deals": evaluation.deals, "results_a_second": plain(speed, 0)}
        facts |= {"results_a_processor_second": plain(of_one_core, 0)} | plain(evaluation.strains)
        for name in ("cells", "breakdowns", "calibration"):
            facts[name] = plain(getattr(evaluation, name))
        contents.append(facts)
    content: dict[str, Any] = contents[0]
    if differences is not None:
        content |= {"peer": contents[1], "difference": plain(differences)}
    return content | {"published": references("evaluate")}


# --- tables -----------------------------------------------------------------------------------


def _show(
    evaluated: list[tuple[_Measured, Evaluation]], differences: dict[str, Figures] | None
) -> None:
    out = views.ResultConsole()
    for each, evaluation in evaluated:
        deals = counted(evaluation.deals, "deal")
        click.echo(f"{each.name} on {deals}, 95 % intervals over deals\n")
        for table in figures_tables(evaluation.strains, evaluation.calibration):
            out.print(table)
            click.echo()
        speed, of_one_core = (with_error(speed, 0) for speed in each.speeds())
        click.echo(f"{speed} results a second; {of_one_core} a second of one core\n")
    if differences is not None:
        click.echo(f"{evaluated[0][0].name} less {evaluated[1][0].name}, on the same deals\n")
        for table in figures_tables(differences):
            out.print(table)
            click.echo()
    evaluation = evaluated[0][1]
    out.print(_cells(evaluation))
    for name, title in _TITLES.items():
        click.echo(f"\n{title}\n")
        out.print(_breakdown(name, evaluation.breakdowns[name]))
    click.echo("\npublished, percent\n")
    out.print(_published_table())
    click.echo(
        "\nerror: expected less real tricks. calibration: expected calibration error,\n"
        "percent, and what chance alone makes of it. --json has everything."
    )


def _plain_table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2), collapse_padding=True)
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def with_error(found: Interval, digits: int) -> str:
    """Format an interval as its middle and the longer of its two sides."""
    side = max(found.value - found.low, found.high - found.value)
    value = f"{found.value:,.{digits}f}"
    return value if side != side else f"{value} ±{side:,.{digits}f}"


def _known(number: float, digits: int) -> str:
    """Format a number; empty if it is unknown, as for a single deal."""
    return "" if number != number else f"{number:,.{digits}f}"


_FORMATS = {
    "within_2": 2,
    "within_1": 2,
    "exact": 2,
    "log_loss": 4,
    "mean_error": 4,
    "mean_squared_error": 4,
}
"""Figures of a table and their digits."""
_HEADS = ("within 2, %", "within 1, %", "exact, %", "log-loss", "mean error", "squared error")


def _cells_of(figures: Figures) -> list[str]:
    return [with_error(getattr(figures, name), digits) for name, digits in _FORMATS.items()]


def figures_tables(
    parts: dict[str, Figures], calibration: Mapping[str, Calibration] | None = None
) -> list[Table]:
    """Return how often a model is right, and by how much it is wrong: a row per part."""
    heads = () if calibration is None else ("calibration, %", "by chance")
    hits, errors = _plain_table(*_HEADS[:3], *heads), _plain_table(*_HEADS[3:], "results")
    for part, figures in parts.items():
        cells = _cells_of(figures)
        calibrated = list[str]()
        if calibration is not None:
            measured = calibration[part]
            calibrated = [with_error(measured.error, 2), _known(measured.noise, 2)]
        hits.add_row(PARTS[part], *cells[:3], *calibrated)
        errors.add_row(PARTS[part], *cells[3:], f"{figures.results:,}")
    return [hits, errors]


def _cells(evaluation: Evaluation) -> Table:
    table = _plain_table(*(f"mean error, {seat}" for seat in "NESW"))
    for strain, seats in evaluation.cells.items():
        errors = (with_error(seats[seat].mean_error, 4) if seat in seats else "" for seat in "NESW")
        table.add_row(PARTS[strain], *errors)
    return table


def _breakdown(name: str, contracts: dict[str, dict[str, Figures]]) -> Table:
    """Return a row per group with results, in the order of the groups; suits next to notrump."""
    columns = ("exact, %", "mean error", "results")
    table = _plain_table(*(f"{PARTS[name]}\n{head}" for name in contracts for head in columns))
    for label in BREAKDOWNS[name]:
        if not any(label in found for found in contracts.values()):
            continue
        row = list[str]()
        for found in contracts.values():
            if label not in found:
                row += [""] * len(columns)
                continue
            figures = found[label]
            row += [with_error(figures.exact, 1), with_error(figures.mean_error, 3)]
            row.append(f"{figures.results:,}")
        table.add_row(label, *row)
    return table


def _published_table() -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2), collapse_padding=True)
    for column in ("contracts", "network", "paper"):
        table.add_column(column, overflow="fold")
    for column in ("within 2", "within 1", "exact"):
        table.add_column(column, justify="right")
    for row in references("evaluate"):
        shares = (row[name] for name in _HITS)
        table.add_row(PARTS[row["contracts"]], row["network"], row["paper"], *shares)
    return table
