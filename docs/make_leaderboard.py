"""Make the tables of docs/leaderboard.md from the files in results/.

    python docs/make_leaderboard.py
    python docs/make_leaderboard.py --measure ../shared/data/gib/gib-10000.txt   # ours anew, first

A file in results/ is an entry: ``name``, ``how`` (the command or the paper), and one of two kinds
of figures. Either ``by`` (its author, with an address) and ``score``, the line of ``trickcast bench
FILE --json``. Or, for figures that cannot be measured again, ``printed``, ids of rows in
published_results.csv by contracts, and their ``task``.
"""

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trickcast._files import atomic_writer
from trickcast.evaluation import SETS
from trickcast.papers.experiments.markdown import markdown_table
from trickcast.papers.published import published_results

DOCS = Path(__file__).parent
RESULTS, PAGE = DOCS.parent / "results", DOCS / "leaderboard.md"
BEGIN, END = "<!-- scores -->\n", "<!-- end -->\n"
PARTS = {"suits": "all suits", "N": "notrump"}
TASKS = {"deals": "four hands known", "pairs": "two hands known", "table": "play at the table"}
HITS = ("within_2", "within_1", "exact")


def main() -> None:
    """Measure if asked to, and write the tables into the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--measure", metavar="FILE", help="GIB's 10,000 deals")
    if gib := options.parse_args().measure:
        for path in RESULTS.glob("*.json"):
            measure(path, gib)
    entries = [
        (path, json.loads(path.read_text("utf-8"))) for path in sorted(RESULTS.glob("*.json"))
    ]
    before, _, after = PAGE.read_text("utf-8").partition(BEGIN)
    parts = [""]
    for one in SETS.values():
        scored = [
            (path, entry)
            for path, entry in entries
            if entry.get("score", {}).get("set") == str(one)
        ]
        if scored:
            parts.append(f"## {one.name}: {TASKS[one.task]}\n\n{one.about}; `{one}`.\n")
            parts.append(of_set(scored))
    parts.append(
        "## Printed figures\n\nPercent within 2 | 1 | exact, as printed, on other deals of GIB's "
        "library (players: on 27 to 864 of them). They cannot be scored here.\n"
    )
    parts.append(of_printed([entry for _, entry in entries if "printed" in entry]))
    with atomic_writer(PAGE) as stream:
        tables = "\n".join([*parts, END + after.partition(END)[2]])
        stream.write((before + BEGIN + tables).encode())


def measure(path: Path, gib: str) -> None:
    """Score an entry again, if ``make_answers.py`` can answer it and its deals are here."""
    entry = json.loads(path.read_text("utf-8"))
    program, *words = shlex.split(entry["how"])
    places = {"gib-10000": gib, "library-test": str(DOCS.parent / "data/library")}
    if program != "python" or words[1] not in places:
        return
    deals = ["--deals", places[words[1]]]
    with TemporaryDirectory() as folder:
        answers = f"{folder}/answers.parquet"
        made = [sys.executable, str(DOCS / "make_answers.py"), *words[1:3], answers, *deals]
        subprocess.run(made, check=True)
        bench = [sys.executable, "-m", "trickcast", "bench", answers, *deals, "--json"]
        scored = subprocess.run(bench, stdout=subprocess.PIPE, check=True).stdout
    entry["score"] = json.loads(scored)
    with atomic_writer(path) as stream:
        stream.write((json.dumps(entry, indent=1, ensure_ascii=False) + "\n").encode())


def of_set(entries: Sequence[tuple[Path, Any]]) -> str:
    """Return the table of a set: best log-loss in suits first, entries without it by their hits."""
    rows = []
    for path, entry in entries:
        score = entry["score"]
        by_part = {part: score["figures"][part] for part in PARTS if part in score["figures"]}
        losses = [figures["log_loss"] for figures in by_part.values() if "log_loss" in figures]
        loss = by_part.get("suits", {}).get("log_loss")
        cells = [f"[{entry['name']}](../results/{path.name})", entry["by"]]
        for part in PARTS:
            figures = by_part.get(part)
            cells.append("" if figures is None else hits(figures))
            cells.append(with_error(figures["log_loss"], 4) if figures and losses else "")
        exact = max(figures["exact"][0] for figures in by_part.values())
        order = (0, loss[0]) if loss else (1, -exact)
        rows.append((order, [*cells, score["answers"]]))
    head = ["entry", "by"]
    for words in PARTS.values():
        head += [f"{words}: within 2 \\| 1 \\| exact, %", "log-loss"]
    return markdown_table([*head, "answers"], [cells for _, cells in sorted(rows)])


def hits(figures: Any) -> str:
    """Return the three shares, the last with its interval."""
    within_2, within_1, exact = (figures[name] for name in HITS)
    return f"{within_2[0]:.2f} \\| {within_1[0]:.2f} \\| {with_error(exact, 2)}"


def with_error(interval: Sequence[float], digits: int) -> str:
    """Return an interval as its value and the longer of its sides."""
    value, low, high = interval
    return f"{value:.{digits}f} ± {max(value - low, high - value):.{digits}f}"


def of_printed(entries: Sequence[Any]) -> str:
    """Return the table of figures as printed."""
    published, rows = published_results(), []
    for entry in entries:
        cells = [entry["name"], TASKS[entry["task"]], entry["how"]]
        for part in PARTS:
            row = published.get(entry["printed"].get(part, ""))
            cells.append("" if row is None else " \\| ".join(row[name] for name in HITS))
        rows.append(cells)
    return markdown_table(["", "task", "where", *PARTS.values()], rows)


if __name__ == "__main__":
    main()
