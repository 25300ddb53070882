"""Update the figures and pictures of docs/evaluation.md.

Run from the root of the repository; the file of solved deals adds a column:

    python docs/make_evaluation.py ../shared/data/gib/gib-10000.txt

``--part evaluation`` takes a minute of one core per 40,000 deals, ``--part knob`` five minutes.
"""

import argparse
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from trickcast.evaluation import BREAKDOWNS

PAGE = Path("docs/evaluation.md")
LIBRARY = "data/library"
NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs", "N": "notrump"}
NAMES |= {"suits": "all suits", "all": "all"}
HEADS = {"fit": "fit", "longest": "longest suit", "tricks": "tricks"}
COLOURS = {"suits": "#1f5f8b", "N": "#b5541c"}
Row = list[str]


def main() -> None:
    """Measure, write the page's tables, draw its pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", nargs="?", help="a file of solved deals, beside the library's")
    options.add_argument("--part", choices=["evaluation", "knob"])
    given = options.parse_args()
    if given.part != "knob":
        found = {"our test deals": evaluate(LIBRARY)}
        if given.file:
            found[Path(given.file).name] = evaluate(given.file)
        for name, table in evaluation_tables(found).items():
            replace(name, table)
        Path("docs/reliability.svg").write_text(reliability(found["our test deals"]), "utf-8")
    if given.part != "evaluation":
        rows = [json.loads(line) for line in output("benchmarks/knob.py", "--json").splitlines()]
        replace("knob", knob_table(rows))
        Path("docs/knob.svg").write_text(knob(rows), "utf-8")


def evaluate(deals: str) -> dict[str, Any]:
    """Return the command's evaluation of the default model on solved deals."""
    found: dict[str, Any] = json.loads(output("-m", "trickcast", "evaluate", deals, "--json"))
    return found


def output(*arguments: str) -> str:
    """Return the output of a Python process."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def replace(name: str, table: list[Row]) -> None:
    """Replace a table of the page, between the two comments with its name."""
    page = PAGE.read_text("utf-8")
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE}: no <!-- {name} --> with its <!-- end -->")
    lines = ["| " + " | ".join(row) + " |" for row in table]
    lines.insert(1, "|" + "---|" * len(table[0]))
    PAGE.write_text(
        pattern.sub(lambda found: found[1] + "\n".join(["", *lines, "", ""]) + found[2], page),
        "utf-8",
    )


# --- tables -----------------------------------------------------------------------------------


def with_error(interval: list[float], digits: int) -> str:
    """Write [value, low, high] as the value and the longer of its two sides."""
    value, low, high = interval
    return f"{value:.{digits}f} ± {max(value - low, high - value):.{digits}f}"


def evaluation_tables(found: dict[str, dict[str, Any]]) -> dict[str, list[Row]]:
    """Return the page's tables by name."""
    ours = found["our test deals"]
    return {
        "hits": list(hits(found)),
        "quality": list(quality(found)),
        "fit": list(breakdown(ours, "fit")),
        "longest": list(breakdown(ours, "longest")),
        "tricks": list(breakdown(ours, "tricks")),
        "declarers": list(declarers(ours)),
        "published": list(published(ours)),
    }


def hits(found: dict[str, dict[str, Any]]) -> Iterator[Row]:
    """Yield within two, within one and exact, by strain."""
    yield ["", *(f"{name}, {each['deals']:,}" for name, each in found.items())]
    for part, title in NAMES.items():
        kinds = ("within_2", "within_1", "exact")
        cells = (" \\| ".join(with_error(each[part][kind], 2) for kind in kinds)
                 for each in found.values())  # fmt: skip
        yield [title, *cells]


def quality(found: dict[str, dict[str, Any]]) -> Iterator[Row]:
    """Yield calibration, log-loss and the error of the expectation, by strain and set of deals."""
    yield ["", "deals", "calibration error, %", "by chance, %", "log-loss", "mean error",
           "mean squared error"]  # fmt: skip
    for name, each in found.items():
        for part, title in NAMES.items():
            calibration = each["calibration"][part]
            yield [
                title,
                name,
                with_error(calibration["error"], 2),
                f"{calibration['noise']:.2f}",
                *(with_error(each[part][kind], 4)
                  for kind in ("log_loss", "mean_error", "mean_squared_error")),
            ]  # fmt: skip


def breakdown(found: dict[str, Any], name: str) -> Iterator[Row]:
    """Yield exact percent and mean error by group, suits beside notrump."""
    groups = found["breakdowns"][name]
    yield [HEADS[name], "suits, exact %", "mean error", "results", "notrump, exact %", "mean error",
           "results"]  # fmt: skip
    for label in BREAKDOWNS[name]:
        if not (label in groups["suits"] or label in groups["N"]):
            continue
        row = [label]
        for contracts in ("suits", "N"):
            figures = groups[contracts].get(label)
            if figures is None:
                row += ["", "", ""]
                continue
            row += [with_error(figures["exact"], 1), with_error(figures["mean_error"], 3)]
            row.append(f"{figures['results']:,}")
        yield row


def declarers(found: dict[str, Any]) -> Iterator[Row]:
    """Yield mean error by strain and declarer."""
    yield ["", "North", "East", "South", "West"]
    for part, seats in found["cells"].items():
        yield [NAMES[part], *(with_error(seats[seat]["mean_error"], 4) for seat in "NESW")]


def published(found: dict[str, Any]) -> Iterator[Row]:
    """Yield the best of each paper, and ours among them."""
    rows = [(NAMES[row["contracts"]], row["network"], f"{row['paper']}, {row['table']}",
             [float(row[kind]) for kind in ("within_2", "within_1", "exact")])
            for row in found["published"]]  # fmt: skip
    rows += [(NAMES[part], f"**{found['model']}**", "trickcast, our test deals",
              [found[part][kind][0] for kind in ("within_2", "within_1", "exact")])
             for part in ("suits", "N")]  # fmt: skip
    yield ["contracts", "network", "source", "within 2", "within 1", "exact"]
    for contracts, network, source, shares in sorted(rows, key=lambda row: (row[0], -row[3][2])):
        yield [contracts, network, source, *(f"{share:.2f}" for share in shares)]


def knob_table(rows: list[dict[str, Any]]) -> list[Row]:
    """Return the cost and the gain of each bound."""
    table = [["`solve_below`", "searches a deal", "suits, exact %", "notrump, exact %", "stated, %",
              "deals/s of one core"]]  # fmt: skip
    for row in rows:
        rate = row["deals_a_second"]
        digits = 0 if rate[0] > 100 else 1
        table.append([f"{row['bound']:g}", f"{row['searches']:.1f}", with_error(row["suits"], 2),
                      with_error(row["N"], 2), f"{row['stated']:.2f}",
                      with_error(rate, digits)])  # fmt: skip
    return table


# --- pictures ---------------------------------------------------------------------------------

_SIZE, _LEFT, _TOP = 300, 56, 34


class Plot:
    """An SVG panel with two axes; positions are shares in [0, 1] of its width and height."""

    def __init__(self, offset: int, title: str, across: str, up: str):
        self.left = offset + _LEFT
        self.body = [
            f'<rect x="{self.left}" y="{_TOP}" width="{_SIZE}" height="{_SIZE}" fill="none" '
            'stroke="#888"/>'
        ]
        middle = self.left + _SIZE / 2
        self.text(middle, _TOP - 12, title, anchor="middle", weight="bold")
        self.text(middle, _TOP + _SIZE + 36, across, anchor="middle")
        x, y = self.left - 40, _TOP + _SIZE / 2
        self.text(x, y, up, anchor="middle", more=f'transform="rotate(-90 {x} {y})"')

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a position lies on the page."""
        return self.left + _SIZE * x, _TOP + _SIZE * (1 - y)

    def text(self, x: float, y: float, words: str, *, anchor: str = "start",
             weight: str = "normal", fill: str = "#222", more: str = "") -> None:  # fmt: skip
        """Write words at a point of the page."""
        self.body.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{fill}" {more}>{words}</text>'
        )

    def tick(self, share: float, words: str, *, up: bool) -> None:
        """Mark a value on an axis."""
        x, y = self.at(0, share) if up else self.at(share, 0)
        x2, y2 = self.at(1, share) if up else self.at(share, 1)
        self.line(x, y, x2, y2, "#ddd", 1)
        if up:
            self.text(x - 6, y + 4, words, anchor="end")
        else:
            self.text(x, y + 16, words, anchor="middle")

    def line(self, x: float, y: float, x2: float, y2: float, colour: str, width: float,
             more: str = "") -> None:  # fmt: skip
        """Draw a line between two points of the page."""
        self.body.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width:g}" {more}/>'
        )

    def dot(self, share: float, height: float, colour: str, radius: float = 3.5) -> None:
        """Draw a point."""
        x, y = self.at(share, height)
        self.body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"/>')


def page(plots: list[Plot], width: int) -> str:
    """Return panels as one picture."""
    height = _TOP + _SIZE + 50
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    return "\n".join([*lines, *(item for plot in plots for item in plot.body), "</svg>"]) + "\n"


def reliability(found: dict[str, Any]) -> str:
    """Draw stated against observed frequencies, suits and notrump, with their counts below."""
    plots = []
    for place, part in enumerate(("suits", "N")):
        error = with_error(found["calibration"][part]["error"], 2)
        title = f"{NAMES[part]}: calibration error {error} %"
        plot = Plot(place * (_SIZE + 90), title, "stated, %", "came true, %")
        for percent in range(0, 101, 20):
            plot.tick(percent / 100, str(percent), up=True)
            plot.tick(percent / 100, str(percent), up=False)
        plot.line(*plot.at(0, 0), *plot.at(1, 1), "#999", 1, 'stroke-dasharray="4 3"')
        bins = found["calibration"][part]["bins"]
        most = max(each["results"] for each in bins)
        for each in bins:
            x, y = plot.at(each["low"] + 0.004, 0.18 * each["results"] / most)
            height = plot.at(0, 0)[1] - y
            plot.body.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{_SIZE / 15 - 2:.1f}" '
                f'height="{height:.1f}" fill="{COLOURS[part]}" fill-opacity="0.25"/>'
            )
            value, low, high = each["happened"]
            share = each["stated"] / 100
            plot.line(*plot.at(share, low / 100), *plot.at(share, high / 100), COLOURS[part], 1.5)
            plot.dot(share, value / 100, COLOURS[part])
        plots.append(plot)
    return page(plots, 2 * (_SIZE + 90) - 10)


def knob(rows: list[dict[str, Any]]) -> str:
    """Draw exact percent against deals a second, from all-exact to all-neural."""
    plot = Plot(0, "solve_below: from solving to estimating", "deals/s of one core", "exact, %")
    least = math.floor(math.log10(min(row["deals_a_second"][0] for row in rows)))
    most = math.ceil(math.log10(max(row["deals_a_second"][0] for row in rows)))
    bottom = 10 * math.floor(min(min(row["suits"][0], row["N"][0]) for row in rows) / 10)
    for power in range(least, most + 1):
        plot.tick((power - least) / (most - least), f"{10**power:,}", up=False)
    for percent in range(bottom, 101, 5):
        plot.tick((percent - bottom) / (100 - bottom), str(percent), up=True)
    for part, below in (("suits", True), ("N", False)):
        places = [
            (
                (math.log10(row["deals_a_second"][0]) - least) / (most - least),
                (row[part][0] - bottom) / (100 - bottom),
            )
            for row in rows
        ]
        for one, other in pairwise(places):
            plot.line(*plot.at(*one), *plot.at(*other), COLOURS[part], 2)
        for place in places:
            plot.dot(*place, COLOURS[part])
        last_x, last_y = math.inf, math.inf  # of labels, which would overlap at the top
        for row, place in zip(reversed(rows), reversed(places), strict=True):
            spot_x, spot_y = plot.at(*place)
            if part == "suits" and math.hypot(spot_x - last_x, spot_y - last_y) > 13:
                plot.text(spot_x - 6, spot_y + 15, f"{row['bound']:g}", anchor="end")
                last_x, last_y = spot_x, spot_y
        title = plot.at(0.03, 0.12 if below else 0.05)
        plot.text(*title, NAMES[part], fill=COLOURS[part], weight="bold")
    return page([plot], _SIZE + 90)


if __name__ == "__main__":
    main()
