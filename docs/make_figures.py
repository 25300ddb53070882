"""Write the accuracy, size and speed of the shipped models into the pages that show them.

    python docs/make_figures.py                                             # from figures.json
    python docs/make_figures.py --measure ../shared/data/gib/gib-10000.txt  # measure first

Each of these pages has a table between two comments, so every figure has one source: figures.json,
and for sizes the files of the models. Speeds come from ``python benchmarks/estimating.py``.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import trickcast as tc

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs/figures.json"
CARDS = {"accurate": "accurate", "fast": "fast", "(52x4)-(26x4)-26-13-1": "mossakowski2009"}
SETS = {"gib": "GIB, 10,000 deals", "tests": "our test deals, 20,480"}
TABLE = re.compile(r"(<!-- figures -->\n).*?(<!-- end of figures -->)", re.DOTALL)
Figures = dict[str, dict[str, Any]]


def main() -> None:
    """Measure if asked to, and write every page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--measure", metavar="FILE", help="GIB's 10,000 deals")
    given = options.parse_args()
    figures: Figures = json.loads(FIGURES.read_text("utf-8"))
    if given.measure:
        for model, known in figures.items():
            known |= {"gib": measure(model, [given.measure])}
            known |= {"tests": measure(model, ["data/library", "--use", "test"])}
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    for page, text in pages(figures).items():
        page.write_text(text, "utf-8")


def measure(model: str, deals: list[str]) -> dict[str, Any]:
    """Return shares of results within two, within one and exact, and the calibration error."""
    command = [sys.executable, "-m", "trickcast", "evaluate", *deals, "--model", model, "--json"]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = json.loads(output)
    kinds = ("within_2", "within_1", "exact")
    shares = {
        name: [round(found[part][kind][0], 2) for kind in kinds]
        for name, part in (("suits", "suits"), ("notrump", "N"))
    }
    worst = max(found["calibration"][strain]["error"][0] for strain in "SHDCN")
    return shares | {"calibration": round(worst, 2)}


def pages(figures: Figures) -> dict[Path, str]:
    """Return the text of every page, with its table."""
    tables = {
        ROOT / "README.md": overview(figures),
        ROOT / "docs/models/index.md": overview(figures),
    }
    for model, card in CARDS.items():
        tables[ROOT / f"docs/models/{card}.md"] = of_model(figures[model])
    return {page: filled(page, table) for page, table in tables.items()}


def filled(page: Path, table: list[list[str]]) -> str:
    """Return a page with the table between its comments."""
    text = page.read_text("utf-8")
    if not TABLE.search(text):
        raise SystemExit(f"{page}: no <!-- figures --> with its <!-- end of figures -->")
    lines = ["| " + " | ".join(row) + " |" for row in table]
    lines.insert(1, "|" + "---|" * len(table[0]))
    return TABLE.sub(lambda found: found[1] + "\n".join(["", *lines, "", ""]) + found[2], text)


def overview(figures: Figures) -> list[list[str]]:
    """Return a row for every model, on GIB's deals."""
    rows = [["model", "size", "suits", "notrump", "results per second, two cores"]]
    sizes = {info.name: info.size for info in tc.models()}
    for model, known in figures.items():
        remark = ", the default" if model == tc.estimator.DEFAULT_MODEL else ""
        size = sizes[model]
        rows.append([
            f"`{model}`{remark}",
            f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} kB",
            *(shares(known["gib"][strain]) for strain in ("suits", "notrump")),
            f"{known['results_per_second']}: {known['times_dds']} × DDS",
        ])  # fmt: skip
    return rows


def of_model(known: dict[str, Any]) -> list[list[str]]:
    """Return the table of one model on both sets of deals."""
    hits = ([each, *(shares(known[name][each]) for name in SETS)] for each in ("suits", "notrump"))
    errors = (f"{known[name]['calibration']:.2f} %" for name in SETS)
    return [["", *SETS.values()], *hits, ["largest calibration error of a strain", *errors]]


def shares(values: list[float]) -> str:
    """Write within two, within one and exact."""
    within_2, within_1, exact = (f"{value:.2f}" for value in values)
    return f"{within_2} \\| {within_1} \\| **{exact}**"


if __name__ == "__main__":
    main()
