"""What the papers print, as tables: published results and the deals of the figures."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cards import DealSet, Seat
from .data import ExperimentError

_INSTALLED = Path(__file__).parent / "reference"
_SOURCE = Path(__file__).parents[3] / "docs" / "reference"


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of one of the reference tables, text as printed.

    Raises ExperimentError when the table is missing.
    """
    for folder in (_INSTALLED, _SOURCE):
        if (folder / name).is_file():
            with (folder / name).open(encoding="utf-8", newline="") as stream:
                return list(csv.DictReader(stream))
    raise ExperimentError(f"{name}: the papers' figures are missing; install trickcast again")


def published_results() -> dict[str, dict[str, str]]:
    """Return every published row by its id, in the order of the papers."""
    return {row["id"]: row for row in read_table("published_results.csv")}


@dataclass(frozen=True, eq=False)
class Samples:
    """The deals printed in the papers with all their cards; all in spades."""

    deals: DealSet
    leaders: list[Seat]
    rows: list[dict[str, Any]]
    """As printed: figure, ns_tricks, and the estimates of the paper's networks."""


SAMPLE_COLUMNS = {
    "(52x4)-(13x4)-13-1": "est_52x4_13x4_13_1",
    "(52x4)-(26x4)-26-13-1": "est_52x4_26x4_26_13_1",
    "104-30-4-1": "est_104_30_4_1",
    "52-25-1": "est_52_25_1",
    "(104+68)-50-10-1": "est_104p68_50_10_1",
    "(52x4+84)-(13x4+21)-26-1": "est_52x4p84_13x4p21_26_1",
}
"""Which column of the printed deals holds the estimates of which network."""


def sample_deals() -> Samples:
    """Return the deals of Figures 9 to 11 of 2009."""
    rows = read_table("sample_deals.csv")
    leaders = [Seat.parse(row["leader"]) for row in rows]
    return Samples(DealSet.from_deals(row["pbn"] for row in rows), leaders, list(rows))
