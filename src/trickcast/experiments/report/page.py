"""The report: docs/reproduction.csv, one line a published row, and docs/reproduction.md."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...cards import RANKS
from ...formats.files import atomic_writer
from ..explained import ALLOWED, why_lower
from ..inside import BOUNDS
from ..reference import SAMPLE_COLUMNS, published_results, sample_deals
from ..runner import PAPERS
from ..spec import AnyRow, Paper, PublishedRow, Show, markdown_table
from ..store import Store
from .choices import CHOICES

OURS = (
    *("ours_within_2", "ours_within_1", "ours_exact", "ours_n"),
    *("seconds", "seed", "note"),
)
"""The columns that follow those of the published results."""
_FIGURES = {"ours_within_2": "within_2", "ours_within_1": "within_1", "ours_exact": "exact"}
_MISSING = "not measured yet"
_LOWER = "; lower: "
_OWN = "on the library's test deals exact "
_QUOTED = "printed there from another paper, whose row it is"


def write_report(store: Store, scale: str, folder: Path) -> tuple[Path, Path]:
    """Write reproduction.csv and reproduction.md into ``folder`` and return their paths.

    Rows that this run has not measured keep what an earlier reproduction.csv in that folder says.
    """
    table, text = folder / "reproduction.csv", folder / "reproduction.md"
    rows = reproduction_rows(store, _read(table))
    if scale == "standard":  # what is said of that one alone
        for row in rows.values():
            note, why = row["note"].partition(_LOWER)[0], why_lower(row)
            row["note"] = f"{note}{_LOWER}{why}" if why else note
    folder.mkdir(parents=True, exist_ok=True)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(next(iter(rows.values()))), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows.values())
    for path, content in ((table, stream.getvalue()), (text, _text(rows, store, scale))):
        with atomic_writer(path) as output:
            output.write(content.encode())
    return table, text


def _read(path: Path) -> dict[str, dict[str, str]]:
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["id"]: row for row in csv.DictReader(stream)}


def reproduction_rows(store: Store, before: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return every published row with ours beside it, all as text, by id."""
    humans = {
        row.id: row.note
        for paper in PAPERS.values()
        for row in paper.rows()
        if isinstance(row, PublishedRow)
    }
    rows = {}
    for name, printed in published_results().items():
        line = store.get(name)
        if line is not None:
            ours = _ours(line)
        elif name in humans:
            ours = dict.fromkeys(OURS, "") | {"note": humans[name]}
        elif printed["notes"].startswith("quoted"):
            ours = dict.fromkeys(OURS, "") | {"note": _QUOTED}
        elif name in before:
            ours = {column: before[name].get(column, "") for column in OURS}
        else:
            ours = dict.fromkeys(OURS, "") | {"note": _MISSING}
        rows[name] = printed | ours
    return rows


def _ours(line: dict[str, Any]) -> dict[str, str]:
    ours = {ours: f"{line[name]:.2f}" if name in line else "" for ours, name in _FIGURES.items()}
    ours |= {"ours_n": str(line.get("n", "")), "seconds": str(line.get("seconds", ""))}
    notes = [
        line["note"],
        f"trained: {line['network']}",
        f"measured on {line['on'] if 'on' in line else line['test']}",
    ]
    if "own" in line:
        notes.append(f"{_OWN}{line['own']['exact']:.2f} (n {line['own']['n']})")
    if "training" in line:
        notes.append(f"{line['training']}, {line['epochs']} epochs")
    if "compression_error" in line:
        notes.append(f"compression error {line['compression_error']}")
    note = "; ".join(part for part in notes if part)
    return ours | {"seed": str(line.get("seed", "")), "note": note}


def _text(rows: dict[str, dict[str, str]], store: Store, scale: str) -> str:
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
        _summary(rows),
        _two_tests(rows),
    ]
    for paper in PAPERS.values():
        parts.append(f"## {paper.title}\n")
        for table, declared in paper.tables.items():
            parts.append(f"### {table}\n")
            parts.append(
                _table([rows[row.id] for row in declared])
                if paper.show is None
                else _shown(paper.show, table, declared, store)
            )
        parts.append(_beyond(paper, store))
    parts += [
        CHOICES,
        _leaders(store),
        _shapes(store),
        _weights(store),
        _patterns(store),
        _samples(store),
    ]
    return "\n".join(part for part in parts if part)


def _summary(rows: dict[str, dict[str, str]]) -> str:
    """Return how many rows of each paper ours reach."""
    head = ["paper", "rows", f"reached, or within {ALLOWED} points", "lower, with the reason",
            "no percentage", _MISSING]  # fmt: skip
    found = []
    for paper in dict.fromkeys(row["paper"] for row in rows.values()):
        of_it = [row for row in rows.values() if row["paper"] == paper]
        missing = sum(row["note"] == _MISSING for row in of_it)
        compared = [row for row in of_it if row["exact"] and row["ours_exact"]]
        lower = sum(_LOWER in row["note"] for row in compared)
        rest = len(of_it) - len(compared) - missing
        found.append([paper, len(of_it), len(compared) - lower, lower, rest, missing])
    return markdown_table(head, found)


def _two_tests(rows: dict[str, dict[str, str]]) -> str:
    """Return how much more the networks estimate exactly on GIB's deals than on the library's."""
    more = [float(row["ours_exact"]) - float(_own(row)) for row in rows.values() if _own(row)]
    if not more:
        return ""
    return (
        f"Ours on GIB's deals less ours on the library's, mean of {len(more)} rows: "
        f"{sum(more) / len(more):+.2f}.\n"
    )


def _own(row: dict[str, str]) -> str:
    """Return what a row's note says of the library's test deals, "" where it says nothing."""
    return row["note"].partition(_OWN)[2].partition(" ")[0]


def _table(rows: list[dict[str, str]]) -> str:
    head = ["row", "network", "contracts", "lead", "published", "ours", "less", "n", "library",
            "seconds"]  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        published = _three(row["within_2"], row["within_1"], row["exact"])
        ours = _three(row["ours_within_2"], row["ours_within_1"], row["ours_exact"])
        both = row["exact"] and row["ours_exact"]
        less = f"{float(row['ours_exact']) - float(row['exact']):+.2f}" if both else ""
        cells = [row["id"], _name(row), row["contracts"], row["lead"], published,
                 ours or row["note"].split("; trained:")[0], less,
                 row["ours_n"], _own(row), row["seconds"]]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    reasons: dict[str, list[str]] = {}
    for row in rows:
        reasons.setdefault(row["note"].partition(_LOWER)[2], []).append(row["id"])
    reasons.pop("", None)
    lower = [f"- Lower: {', '.join(names)}. {why}" for why, names in reasons.items()]
    return "\n".join([*lines, *([""] if lower else []), *lower]) + "\n"


def _name(row: dict[str, str]) -> str:
    extra = [part.strip() for part in row["notes"].split(";")]
    kept = [part for part in extra if part == "train" or part.startswith(
        ("target tricks", "topology", "encoder frozen", "cross-test", "trained on"))]  # fmt: skip
    return " ".join([row["network"], *(f"({part})" for part in kept)])


def _three(*shares: str) -> str:
    return " / ".join(shares) if all(shares) else ""


def _shown(show: Show, table: str, declared: Iterable[AnyRow], store: Store) -> str:
    """Return a table as its paper shows it, as far as it is measured."""
    lines = [line for line in (store.get(row.id) for row in declared) if line is not None]
    return show(table, lines) if lines else f"{_MISSING}\n"


def _beyond(paper: Paper, store: Store) -> str:
    """Return the table of what the paper names without figures, where it is measured."""
    if paper.show is not None:
        return "### Beyond the tables\n\n" + _shown(paper.show, "beyond", paper.beyond, store)
    lines = []
    for row in paper.beyond:
        line = store.get(row.id)
        if line is not None:
            shares = _three(*(f"{line[name]:.2f}" for name in _FIGURES.values()))
            cells = [row.id, line["network"].replace("|", "·"), line["note"], shares,
                     str(line["n"]), str(line["seconds"])]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
    missing = [row.id for row in paper.beyond if row.id not in store]
    parts = ["### Named without figures\n"] if lines or missing else []
    if lines:
        head = ["| row | network | | ours | n | seconds |", "|---|---|---|---|---|---|"]
        parts.append("\n".join([*head, *lines]) + "\n")
    if missing:
        parts.append(f"{_MISSING.capitalize()}: {', '.join(missing)}.\n")
    return "\n".join(parts)


def _leaders(store: Store) -> str:
    found = store.findings("leader matters")
    if not found:
        return ""
    lines = [
        "## How often the leader matters\n",
        "Percent of deals in which the tricks of North and South differ with the leader of one "
        "side. Published (2009): 7 for West against East in spades.\n",
        "| deals | leaders | S | H | D | C | N |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in found:
        for pair in ("W or E", "N or S"):
            shares = [f"{line['percent'][strain][pair]:.2f}" for strain in "SHDCN"]
            name = line["finding"].removeprefix("leader matters on the ")
            lines.append(f"| {name} ({line['deals']:,}) | {pair} | " + " | ".join(shares) + " |")
    return "\n".join(lines) + "\n"


def _shapes(store: Store) -> str:
    line = store.get("shape deviations")
    if line is None:
        return ""
    head = ["## Errors and long suits\n",
            f"Of {line['network'].replace('|', '·')} on {line['deals']:,} training deals (2004, "
            "Table 2): deals by the network's error, and the mean standard deviation of their "
            "sixteen suit lengths.\n",
            "| network less truth | deals | deviation |", "|---|---|---|"]  # fmt: skip
    body = [f"| {d} | {n} | {mean} |" for d, (n, mean) in line["by_difference"].items()]
    return "\n".join([*head, *body]) + "\n"


def _weights(store: Store) -> str:
    """Return our 52-1 weights beside Table VII of 2009."""
    found = store.findings("Table VII: ")
    if not found:
        return ""
    parts = [
        "## Table VII: the weights of 52-1\n",
        "Ours, brought to the table's scale by least squares (published), suits S H D C.\n",
    ]
    for line in found:
        group = line["finding"].removeprefix("Table VII: ")
        parts.append(f"{group}: correlation {line['correlation']:.4f}\n")
        parts.append("| rank | S | H | D | C |\n|---|---|---|---|---|")
        for rank, ours, theirs in zip(RANKS[::-1], line["ours"], line["published"], strict=True):
            cells = (f"{one:.2f} ({other:.2f})" for one, other in zip(ours, theirs, strict=True))
            parts.append(f"| {rank} | " + " | ".join(cells) + " |")
        parts.append("")
    return "\n".join(parts) + "\n"


def _patterns(store: Store) -> str:
    """Return what the first layers show, percent of their neurons (of networks)."""
    found = store.findings("patterns: ")
    if not found:
        return ""
    lines = [
        "## What the first layers show\n",
        "Percent of neurons; in brackets percent of the networks from different starts that "
        "show it at all. `trickcast explain` lists every neuron; the definitions are in "
        "`experiments/inside.py`.\n",
        "| network | " + " | ".join(BOUNDS) + " |",
        "|---|" + "---|" * len(BOUNDS),
    ]
    for line in found:
        shares = (line["percent"][pattern] for pattern in BOUNDS)
        cells = (f"{share['neurons']:g} ({share['networks']:g})" for share in shares)
        lines.append(f"| {line['network'].replace('|', '·')} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _samples(store: Store) -> str:
    """Return the estimates of the printed deals: the papers' networks and all of ours."""
    samples, found = sample_deals(), store.findings("samples: ")
    figures = " | ".join(row["figure"] for row in samples.rows)
    truth = " | ".join(row["ns_tricks"] for row in samples.rows)
    lines = [
        "## The printed deals\n",
        "Tricks of North and South in spades. Published estimates in brackets.\n",
        f"| | {figures} |",
        "|---|" + "---|" * len(samples.rows),
        f"| truth | {truth} |",
    ]
    for line in found:
        column = SAMPLE_COLUMNS.get(line["network"].split(" | ")[0], "")
        cells = [
            f"{ours} ({row[column]})" if column else str(ours)
            for ours, row in zip(line["ns_tricks"], samples.rows, strict=True)
        ]
        lines.append(f"| {line['network'].replace('|', '·')} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
