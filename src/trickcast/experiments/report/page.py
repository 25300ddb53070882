"""The report: reproduction.csv, one line a published row, and a page in Markdown for each paper."""

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
_COUNTS = ("rows", f"reached, or within {ALLOWED} points", "lower, with the reason",
           "no percentage", MISSING)  # fmt: skip


def write_report(store: Store, scale: str, folder: Path) -> list[Path]:
    """Write the report into ``folder`` and return the paths of its files.

    These are reproduction.csv, reproduction/index.md, and reproduction/PAPER.md for every paper.
    They are made from the lines in the folder's reproduction.jsonl: those of earlier runs, each
    with the name of its scale, and in their place or after them those of this run.
    """
    known = Store(folder, "reproduction")
    known.add(line | {"scale": line.get("scale", scale)} for line in store.lines())
    results = read_results(known)
    rows = [result.columns() for result in results.values()]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    files = {
        folder / "reproduction.csv": stream.getvalue(),
        folder / "reproduction" / "index.md": _index(results, scale),
    }
    for paper in PAPERS.values():
        page = _page(paper, results, known)
        files[folder / "reproduction" / f"{paper.name}.md"] = page
    (folder / "reproduction").mkdir(exist_ok=True)
    for path, content in files.items():
        with atomic_writer(path) as output:
            output.write(content.encode())
    return list(files)


def _index(results: Mapping[str, Result], scale: str) -> str:
    """Return the page that leads to those of the papers, and says what they have in common."""
    verdicts = [
        [f"[{paper.title}]({paper.name}.md)", *_counts(_results_of(paper, results))]
        for paper in PAPERS.values()
    ]
    parts = [
        "# The papers, reproduced\n",
        markdown_table(["paper", *_COUNTS], verdicts),
        _two_tests(results.values()),
        f"Made by `trickcast reproduce all --scale {scale} --test GIB` (GIB's 10,000 deals, or "
        "without it the library's test range), `--labelled`, `--pairs` and `--pairs-training` for "
        "the paper of 2023. `reproduction.csv` has the seed, deals and seconds of every figure. "
        "Two networks at a time were trained on a machine of two cores, at scale standard up to "
        "four, whose seconds are up to twice as many.\n",
        "## How to read the tables\n",
        "Percent of results estimated within two tricks | within one | exactly; *published*, then "
        "*ours*, then ours less published (exact). `n` is how many results ours were tested on, "
        "`library` what ours estimate exactly on the library's own test deals, by which nothing "
        "was chosen. Of opening bids, whose tables follow their papers, `exact` is the percent bid "
        "as the teacher or the players bid.\n",
        "## What was chosen for all papers\n",
        _CHOICES.read_text("utf-8"),
    ]
    return "\n".join(part for part in parts if part)


def _page(paper: Paper, results: Mapping[str, Result], known: Store) -> str:
    """Return the page of a paper, the verdict first."""
    parts = [
        f"# {paper.title}\n",
        _verdict(_results_of(paper, results)),
        "[How this was made, how to read the tables, what was chosen for all papers](index.md)\n",
    ]
    for table, declared in paper.tables.items():
        parts.append(f"## {table}\n")
        parts.append(
            _table(declared, results)
            if paper.show is None
            else _shown(paper.show, table, declared, known)
        )
    parts.append(_beyond(paper, known))
    if paper.choices or paper.left_out:
        parts.append("## What the paper leaves open, and what is done here\n")
        parts.append(paper.choices + paper.left_out)
    parts += [finding.show(known) for finding in paper.of_deals]
    parts += [finding.show(known) for finding in paper.of_networks]
    return "\n".join(part for part in parts if part)


def _results_of(paper: Paper, results: Mapping[str, Result]) -> list[Result]:
    """Return the published rows of a paper, with those that it quotes."""
    ids = {row.id for row in paper.rows()} | set(paper.quoted)
    return [result for name, result in results.items() if name in ids]


def _counts(rows: Sequence[Result]) -> list[int]:
    """Return how many rows there are, and how ours do: a number for each of _COUNTS."""
    missing = sum(row.missing for row in rows)
    compared = sum(row.compared for row in rows)
    lower = sum(bool(row.why_lower) for row in rows)
    return [len(rows), compared - lower, lower, len(rows) - compared - missing, missing]


def _verdict(rows: Sequence[Result]) -> str:
    """Return how many rows ours reach, and why others are lower."""
    counts = zip(_counts(rows), _COUNTS, strict=True)
    sentence = "; ".join(f"{count} {what}" for count, what in counts if count)
    reasons: dict[str, list[str]] = {}
    for row in rows:
        reasons.setdefault(row.why_lower, []).append(row.id)
    reasons.pop("", None)
    lower = [f"- Lower: {', '.join(names)}. {why}\n" for why, names in reasons.items()]
    return f"**Verdict:** {sentence}.\n" + ("\n" + "".join(lower) if lower else "")


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
    for row in declared:
        result = results[row.id]
        printed = result.printed
        ours = _three(result.figure(name) for name in _FIGURES)
        less = f"{result.difference:+.2f}" if result.compared else ""
        cells = [row.id, _name(row, printed), printed["contracts"], printed["lead"],
                 _three(printed[name] for name in _FIGURES), ours or result.first_note, less,
                 result.field("n"), result.own_exact, result.field("seconds")]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


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
        return "## Beyond the tables\n\n" + _shown(paper.show, BEYOND, paper.beyond, store)
    lines = []
    for row in paper.beyond:
        line = store.get(row.id)
        if line is not None:
            shares = _three(f"{line[name]:.2f}" for name in _FIGURES)
            cells = [row.id, line["network"].replace("|", "·"), line["note"], shares,
                     str(line["n"]), str(line["seconds"])]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
    missing = [row.id for row in paper.beyond if row.id not in store]
    parts = ["## Named without figures\n"] if lines or missing else []
    if lines:
        head = ["| row | network | | ours | n | seconds |", "|---|---|---|---|---|---|"]
        parts.append("\n".join([*head, *lines]) + "\n")
    if missing:
        parts.append(f"{MISSING.capitalize()}: {', '.join(missing)}.\n")
    return "\n".join(parts)
