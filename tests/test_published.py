"""The tables of the papers: read, complete, and named where they are used."""

import doctest
import re
from pathlib import Path

import pytest

import trickcast
from trickcast.cards import Seat
from trickcast.papers import published
from trickcast.papers.published import (
    SAMPLE_COLUMNS,
    PublishedError,
    best_results,
    published_results,
    read_table,
    sample_deals,
)

PACKAGE = Path(trickcast.__file__).parent
TABLES = sorted(path.name for path in (PACKAGE / "published").glob("*.csv"))


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_a_table_has_all_its_columns(name: str) -> None:
    rows = read_table(name)
    assert rows and all(None not in row and None not in row.values() for row in rows)


def test_every_table_that_is_used_is_there() -> None:
    used = {
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r'read_table\("(.+?)"\)', path.read_text("utf-8"))
    }
    assert used == set(TABLES) - {"opening_bids_1996_rejected.csv"}  # that one is for readers


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(published).attempted >= 2
    assert doctest.testmod(published).failed == 0


def test_an_unknown_table_is_refused_with_those_there_are() -> None:
    with pytest.raises(PublishedError, match=r"no published table 'weights.csv' .*weights_52_1"):
        read_table("weights.csv")


def test_ids_of_published_results_are_unique() -> None:
    assert len(published_results()) == len(read_table("published_results.csv"))


def test_the_best_published_results_are_those_of_the_papers_best_networks() -> None:
    """2009: Table V and X; 2018: Tables 1 and 2; 2004: Table 1; training deals do not count."""
    best = best_results()
    exact = {
        (row["paper"], row["contracts"]): row["exact"]
        for row in best
        if not row["network"].startswith("human")
    }
    assert exact == {
        ("mossakowski2004", "N"): "34.02",
        ("mossakowski2009", "suits"): "53.11",
        ("mossakowski2009", "N"): "38.78",
        ("mandziuk2018", "suits"): "51.28",
        ("mandziuk2018", "N"): "41.73",
        ("bridgehand2vec2023", "suits"): "64.13",
        ("bridgehand2vec2023", "N"): "63.83",
    }
    players = [row["exact"] for row in best if row["network"].startswith("human")]
    assert players == ["53.06", "73.68"]


def test_the_printed_deals_have_a_leader_and_every_network_s_estimate() -> None:
    samples = sample_deals()
    assert len(samples.deals) == len(samples.leaders) == len(samples.rows) == 3
    assert samples.leaders == [Seat.NORTH, Seat.SOUTH, Seat.WEST]
    for column in SAMPLE_COLUMNS.values():
        assert all(0 <= int(row[column]) <= 13 for row in samples.rows)
