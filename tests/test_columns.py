"""Deals and results are tables to pandas and to polars."""

import sys

import numpy as np
import pandas
import polars
import pytest

import trickcast as tc
from trickcast.cards import TRICK_COLUMNS

DEALS = tc.random_deals(3, seed=1)
ESTIMATE = tc.estimate(DEALS, model="fast")
TRICKS = np.arange(60, dtype=np.uint8).reshape(3, 5, 4) % 14
TRICKS[1, 2, 3] = 255
PAIRS = tc.PairEstimator(threads=1)([deal.north for deal in DEALS], [deal.south for deal in DEALS])


@pytest.mark.parametrize(
    "tabular",
    [
        DEALS,
        DEALS.with_tricks(TRICKS),
        DEALS[:0],
        tc.TrickTable(TRICKS),
        tc.TrickTable(TRICKS[0]),
        ESTIMATE,
        ESTIMATE[0],
        PAIRS,
        PAIRS[0],
    ],
    ids=repr,
)
def test_both_read_the_same_table(tabular) -> None:
    frame = polars.DataFrame(tabular)
    assert frame.columns == list(tabular.columns())
    of_pandas = pandas.DataFrame.from_arrow(tabular)
    assert of_pandas.columns.to_list() == frame.columns and len(of_pandas) == len(frame)
    for name in frame.columns:
        theirs = [None if pandas.isna(value) else value for value in of_pandas[name]]
        assert theirs == frame[name].to_list()
    plain = pandas.DataFrame(tabular.columns())
    assert plain.shape == of_pandas.shape


def test_a_set_of_deals_has_a_row_a_deal_and_nulls_where_nothing_is_known() -> None:
    frame = polars.DataFrame(DEALS.with_tricks(TRICKS))
    assert frame["deal"].to_list() == [deal.pbn for deal in DEALS]
    cells = frame.select(TRICK_COLUMNS).to_numpy().reshape(3, 5, 4)
    assert np.isnan(cells[1, 2, 3]) and frame["D_W"].null_count() == 1
    assert np.array_equal(np.nan_to_num(cells, nan=255), TRICKS)
    assert polars.DataFrame(DEALS).columns == ["deal"]


def test_an_estimate_has_a_row_for_each_strain_and_declarer() -> None:
    frame = polars.DataFrame(ESTIMATE)
    assert len(frame) == 3 * 20
    row = frame.row(by_predicate=(polars.col("deal") == 1) & (polars.col("strain") == "H")
                    & (polars.col("declarer") == "W"), named=True)  # fmt: skip
    assert row["tricks"] == ESTIMATE.tricks["H", "W"][1] and not row["solved"]
    assert row["expected"] == ESTIMATE.expected[1, 1, 3]
    chances = [row[f"p{count}"] for count in range(14)]
    assert chances == ESTIMATE.probabilities[1, 1, 3].tolist()


def test_a_pair_declares_from_either_side() -> None:
    frame = polars.DataFrame(PAIRS)
    south = frame.filter((polars.col("declarer") == "S") & (polars.col("strain") == "N"))
    assert np.allclose(south["expected"], PAIRS.by_partner.expected[:, 4])


def test_without_pyarrow_it_says_what_is_missing(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"trickcast\[data\]"):
        DEALS.__arrow_c_stream__()
