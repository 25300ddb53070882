"""The report: reproduction.csv, one line a published row, and reproduction.md."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..._files import atomic_writer
from ..catalogue import PAPERS
from ..markdown import markdown_table
from ..paper import Paper, Show
from ..rows import BEYOND, AnyRow, Row
from ..store import Store
from .results import ALLOWED, MISSING, Result, read_results

_FIGURES = ("within_2", "within_1", "exact")
_CHOICES = Path(__file__).with_name("choices.md")


def write_report(store: Store, scale: str, folder: Path) -> tuple[Path, Path]:
    """Write reproduction.csv and reproduction.md into ``folder`` and return their paths.

    Both are made from the lines in its reproduction.jsonl: those of earlier runs, each with the
    name of its scale, and in their place or after them those of this run.
    """
    known = Store(folder, "reproduction")
    known.add(line | {"scale": line.get("scale", scale)} for line in store.lines())
    results = read_results(known)
    table, text = folder / "reproduction.csv", folder / "reproduction.md"
    rows = [result.columns() for result in results.values()]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    for path, content in ((table, stream.getvalue()), (text, _page(results, known, scale))):
        with atomic_writer(path) as output:
            output.write(content.encode())
    return table, text


def _page(results: Mapping[str, Result], known: Store, scale: str) -> str:
    """Return the report for people."""
    parts = [
        "# The papers, reproduced\n",
        f"Made by `trickcast reproduce all --scale {scale} --test GIB` (GIB's 10,000 deals, or "
        "without it the library's test range), `--labelled`, `--pairs` and `--pairs-training` for "
        "the paper of 2023. `reproduction.csv` has the seed, deals and seconds of every figure. "
        "Two networks at a time were trained on a machine of two cores, at scale standard up to "
        "four, whose seconds are up to twice as many.\n",
        "Percent of results estimated within two tricks | within one | exactly; *published*, then "
        "*ours*, then ours less published (exact). `n` is how many results ours were tested on, "
        "`library` what ours estimate exactly on the library's own test deals, by which nothing "
        "was chosen. Of opening bids, whose tables follow their papers, `exact` is the percent bid "
        "as the teacher or the players bid.\n",
        _summary(results.values()),
        _two_tests(results.values()),
    ]
    for paper in PAPERS.values():
        parts.append(f"## {paper.title}\n")
        for table, declared in paper.tables.items():
            parts.append(f"### {table}\n")
            parts.append(
                _table(declared, results)
                if paper.show is None
                else _shown(paper.show, table, declared, known)
            )
        parts.append(_beyond(paper, known))
    parts.append(_choices())
    parts += [finding.show(known) for paper in PAPERS.values() for finding in paper.of_deals]
    parts += [finding.show(known) for paper in PAPERS.values() for finding in paper.of_networks]
    return "\n".join(part for part in parts if part)


def _choices() -> str:
    """Return what was chosen here: for all papers, for each; then what cannot be repeated."""
    texts = [_CHOICES.read_text("utf-8")]
    texts += [paper.choices for paper in PAPERS.values()]
    texts += [paper.left_out for paper in PAPERS.values()]
    return "## What the papers leave open, and what is done here\n\n" + "".join(texts)


def _summary(results: Iterable[Result]) -> str:
    """Return how many rows of each paper ours reach."""
    head = ["paper", "rows", f"reached, or within {ALLOWED} points", "lower, with the reason",
            "no percentage", MISSING]  # fmt: skip
    of_papers: dict[str, list[Result]] = {}
    for result in results:
        of_papers.setdefault(result.printed["paper"], []).append(result)
    counts = []
    for paper, rows in of_papers.items():
        missing = sum(row.missing for row in rows)
        compared = sum(row.compared for row in rows)
        lower = sum(bool(row.why_lower) for row in rows)
        rest = len(rows) - compared - missing
        counts.append([paper, len(rows), compared - lower, lower, rest, missing])
    return markdown_table(head, counts)


def _two_tests(results: Iterable[Result]) -> str:
    """Return how much more the networks estimate exactly on GIB's deals than on the library's."""
    differences = [
        float(result.figure("exact")) - float(result.own_exact)
        for result in results
        if result.own_exact
    ]
    if not differences:
        return ""
    return (
        f"Ours on GIB's deals less ours on the library's, mean of {len(differences)} rows: "
        f"{sum(differences) / len(differences):+.2f}.\n"
    )


def _table(declared: Sequence[AnyRow], results: Mapping[str, Result]) -> str:
    head = ["row", "network", "contracts", "lead", "published", "ours", "less", "n", "library",
            "seconds"]  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    reasons: dict[str, list[str]] = {}
    for row in declared:
        result = results[row.id]
        printed = result.printed
        ours = _three(result.figure(name) for name in _FIGURES)
        less = f"{result.difference:+.2f}" if result.compared else ""
        cells = [row.id, _name(row, printed), printed["contracts"], printed["lead"],
                 _three(printed[name] for name in _FIGURES), ours or result.first_note, less,
                 result.field("n"), result.own_exact, result.field("seconds")]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
        reasons.setdefault(result.why_lower, []).append(row.id)
    reasons.pop("", None)
    lower = [f"- Lower: {', '.join(names)}. {why}" for why, names in reasons.items()]
    return "\n".join([*lines, *([""] if lower else []), *lower]) + "\n"


def _name(row: AnyRow, printed: Mapping[str, str]) -> str:
    labels = row.labels if isinstance(row, Row) else ()
    return " ".join([printed["network"], *(f"({label})" for label in labels)])


def _three(shares: Iterable[str]) -> str:
    within_2, within_1, exact = shares
    return f"{within_2} / {within_1} / {exact}" if within_2 and within_1 and exact else ""


def _shown(show: Show, table: str, declared: Iterable[AnyRow], store: Store) -> str:
    """Return a table as its paper shows it, as far as it is measured."""
    lines = [line for line in (store.get(row.id) for row in declared) if line is not None]
    return show(table, lines) if lines else f"{MISSING}\n"


def _beyond(paper: Paper, store: Store) -> str:
    """Return the table of what the paper names without figures, where it is measured."""
    if paper.show is not None:
        return "### Beyond the tables\n\n" + _shown(paper.show, BEYOND, paper.beyond, store)
    lines = []
    for row in paper.beyond:
        line = store.get(row.id)
        if line is not None:
            shares = _three(f"{line[name]:.2f}" for name in _FIGURES)
            cells = [row.id, line["network"].replace("|", "·"), line["note"], shares,
                     str(line["n"]), str(line["seconds"])]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
    missing = [row.id for row in paper.beyond if row.id not in store]
    parts = ["### Named without figures\n"] if lines or missing else []
    if lines:
        head = ["| row | network | | ours | n | seconds |", "|---|---|---|---|---|---|"]
        parts.append("\n".join([*head, *lines]) + "\n")
    if missing:
        parts.append(f"{MISSING.capitalize()}: {', '.join(missing)}.\n")
    return "\n".join(parts)
