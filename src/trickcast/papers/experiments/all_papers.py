"""Every paper that these experiments repeat, and the scales with the papers' own settings."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from ... import papers as folders
from ...cards import shorten
from .paper import SUBJECTS, Paper
from .rows import AgreementRow, AnyRow, Row
from .run_deals import ExperimentError
from .scales import SCALES_FILE, Scale, read_scales


def find_papers() -> dict[str, Paper]:
    """Return the ``PAPER`` of every folder with a ``paper.toml``, in the order of the report."""
    found = sorted(file for path in folders.__path__ for file in Path(path).glob("*/paper.toml"))
    declared: list[Paper] = [
        import_module(f"{folders.__name__}.{file.parent.name}").PAPER for file in found
    ]
    declared.sort(key=lambda paper: (SUBJECTS.index(paper.subject), paper.year, paper.name))
    return {paper.name: paper for paper in declared}


def find_scales(papers: Iterable[Paper]) -> dict[str, Scale]:
    """Return the scales by name, with the settings that papers declare for their networks.

    Raises ValueError if two papers have settings for one network.
    """
    scales = read_scales(SCALES_FILE)
    for paper in papers:
        for name, own in paper.settings.items():
            scales[name] = scales[name].with_settings(own.schedules, own.pretraining_epochs)
    return scales


PAPERS = find_papers()
"""Every paper by name."""
SCALES = find_scales(PAPERS.values())
"""Every scale by name: a minute in all; four hours on two cores; the papers' sizes."""


def rows_of(paper: str, table: str | None = None) -> tuple[AnyRow, ...]:
    """Return the rows of a paper, of one of its tables, or of all papers ("all").

    Raises ExperimentError for an unknown paper or table, with a list of the known ones, and for a
    table when all papers are asked for.
    """
    if paper == "all":
        if table is not None:
            raise ExperimentError(
                f"--table {shorten(table)} needs one paper (expected one of {', '.join(PAPERS)}, "
                "not all)"
            )
        return tuple(row for every in PAPERS.values() for row in every.rows())
    if paper not in PAPERS:
        known = ", ".join([*PAPERS, *([] if table else ["all"])])
        raise ExperimentError(f"no experiments of {shorten(paper)} (there are: {known})")
    try:
        return PAPERS[paper].rows(table)
    except ValueError as error:
        raise ExperimentError(str(error)) from None


def chosen_rows(
    rows: Sequence[AnyRow], ids: Sequence[str], networks: Sequence[str]
) -> tuple[AnyRow, ...]:
    """Return the rows with these ids and these networks, as their names are printed.

    Without ids, or without networks, all rows match. Raises ExperimentError for an id or a network
    that no row has, naming the nearest, and if no single row has one of both.
    """
    of_network = {row.id: row.net.network for row in rows if isinstance(row, Row | AgreementRow)}
    for kind, names, known in (
        ("row", ids, {row.id for row in rows}),
        ("network", networks, set(of_network.values())),
    ):
        for name in names:
            if not known:
                some = ", ".join(repr(row.id) for row in rows[:5])
                raise ExperimentError(
                    f"no {kind} {name!r} here: these rows are chosen by --row alone "
                    f"(expected ids as {some})"
                )
            if name not in known:
                near = get_close_matches(name, sorted(known), n=5, cutoff=0.3)
                nearest = ", ".join(near or sorted(known)[:5])
                raise ExperimentError(f"no {kind} {name!r} here (nearest: {nearest})")
    chosen = tuple(
        row
        for row in rows
        if (not ids or row.id in ids) and (not networks or of_network.get(row.id, "") in networks)
    )
    if not chosen:
        own = ", ".join(
            f"the network of {name} is {of_network[name]}"
            if name in of_network
            else f"{name} is chosen by --row alone"
            for name in ids
        )
        raise ExperimentError(
            f"--row and --network share no row: {own} (asked: {', '.join(networks)})"
        )
    return chosen
