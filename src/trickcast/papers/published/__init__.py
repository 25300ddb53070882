"""The tables that the papers print (the CSV files of this folder), and functions that read them.

``published_results.csv`` has every published figure with its id. The others have the hands, deals,
weights and frequencies that the papers print.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from ...cards import DealSet, Seat, shorten

_FOLDER = Path(__file__).parent
_SHARES = ("within_2", "within_1", "exact")
_DOUBTED = "m09-TXI-02"
_DOUBT = "within two perhaps a misprint: these players have 93.68 there with two hands"


class PublishedError(ValueError):
    """Raised for a table that the package does not have; the message lists the ones it has."""


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a published table.

    Args:
        name: File name of the table.

    Returns:
        Rows, from column to text as printed.

    Raises:
        PublishedError: There is no such table.

    Example:
        >>> read_table("hand_patterns.csv")[0]["pattern"]
        '4-4-3-2'
    """
    path = _FOLDER / name
    if not path.is_file():
        known = ", ".join(sorted(table.name for table in _FOLDER.glob("*.csv")))
        raise PublishedError(f"no published table {shorten(name)} (there are: {known or 'none'})")
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def published_results() -> dict[str, dict[str, str]]:
    """Return every published row by its id, in the order of the papers.

    Returns:
        Rows, from column to text as printed, by id.

    Example:
        >>> published_results()["m09-TV-01"]["paper"]
        'mossakowski2009'
    """
    return {row["id"]: row for row in read_table("published_results.csv")}


def best_results() -> list[dict[str, str]]:
    """Return the best published test results on four known hands, and the human players'.

    Each paper and kind gives one row for suits and one for notrump: the one with the most exact
    estimates.

    Returns:
        Rows, suits first and the most exact first, with ``contracts`` (suits or N), ``id``,
        ``paper``, ``table``, ``network``, ``within_2``, ``within_1``, ``exact`` (percent) and
        ``notes``.

    Example:
        >>> best_results()[0]["contracts"]
        'suits'
    """
    best: dict[tuple[str, str, bool], dict[str, str]] = {}
    for row in published_results().values():
        contracts = "N" if row["contracts"] == "notrump" else "suits"
        human = row["network"].startswith("human")
        known = row["problem"] == "DDBP4" and row["exact"]
        if not known or row["notes"].startswith("train") or "2009 Table XI" in row["notes"]:
            continue  # on training deals, or quoted from a paper that is here
        key = (contracts, row["paper"], human)
        if key not in best or float(row["exact"]) > float(best[key]["exact"]):
            columns = ("id", "paper", "table", "network", *_SHARES, "notes")
            best[key] = {"contracts": contracts} | {column: row[column] for column in columns}
    return sorted(best.values(), key=lambda row: (row["contracts"] == "N", -float(row["exact"])))


def contest_results() -> list[dict[str, str]]:
    """Return Table XI of 2009: the results of 24 players and the networks with two and four hands.

    Returns:
        Rows with ``hands`` (2 or 4), ``trump`` (N or S), ``who``, ``within_2``, ``within_1``,
        ``exact`` (percent) and ``note``.

    Example:
        >>> sorted({row["hands"] for row in contest_results()})
        ['2', '4']
    """
    return [
        {
            "hands": row["problem"].removeprefix("DDBP"),
            "trump": {"notrump": "N", "spades": "S"}[row["contracts"]],
            "who": row["network"],
            **{share: row[share] for share in _SHARES},
            "note": _DOUBT if name == _DOUBTED else "",
        }
        for name, row in published_results().items()
        if name.startswith("m09-TXI-")
    ]


@dataclass(frozen=True, eq=False)
class Samples:
    """The deals printed in the papers with all their cards; all in spades."""

    deals: DealSet
    leaders: list[Seat]
    rows: list[dict[str, str]]
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
    """Return the deals of Figures 9 to 11 of 2009.

    Returns:
        The Samples: the deals, their leaders and the rows as printed.

    Example:
        >>> samples = sample_deals()
        >>> len(samples.deals) == len(samples.leaders)
        True
    """
    rows = read_table("sample_deals.csv")
    leaders = [Seat.parse(row["leader"]) for row in rows]
    return Samples(DealSet.from_deals(row["pbn"] for row in rows), leaders, rows)
