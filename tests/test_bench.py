"""trickcast bench: answers of anybody to a test set, and what is refused."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import parquet

import trickcast as tc
from trickcast.cards import DealSet, Strain
from trickcast.evaluation import SETS, Evaluation, Tally, truth_of_deals
from trickcast.evaluation import benchmark as rooms_own
from trickcast.evaluation.tally import evaluate_rows
from trickcast.library import Library

DEALS = 60
PBN = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
TABLES = "deal,contract,declarer,tricks,tables\n"
PACKED = gzip.compress(TABLES.encode(), mtime=0)
"""Without the time, which would name the test otherwise in each process."""
LIBRARY = Path(__file__).parents[1] / "data/library"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of solved deals, which are two test sets in this test."""
    deals = Library(LIBRARY).deals("test")[:DEALS]
    path = tmp_path / "deals.zrd"
    tc.write(deals, path)
    monkeypatch.setattr(rooms_own, "_checked", lambda asked, truth: truth)
    digests = {
        name: truth_of_deals(SETS[name], deals).digest
        for name in ("library-test", "library-test-pairs")
    }
    monkeypatch.undo()
    for name, digest in digests.items():
        monkeypatch.setitem(SETS, name, replace(SETS[name], digest=digest))
    return path


def answers(name: str = "library-test") -> pandas.DataFrame:
    deals = Library(LIBRARY).deals("test")[:DEALS]
    table = pandas.DataFrame(tc.estimate(deals, model="fast").columns())
    table.insert(0, "set", str(SETS[name]))
    return table


class Result(NamedTuple):
    status: int
    out: str
    err: str


def bench(run: Any, table: pandas.DataFrame, deals: Path, *more: str) -> Result:
    path = deals.with_name("answers.csv")
    table.to_csv(path, index=False)
    return Result(*run("bench", path, "--deals", deals, *more))


def test_our_own_answers_score_as_evaluate_does(run: Any, small: Path) -> None:
    evaluated = json.loads(run("evaluate", small, "--model", "fast", "--json")[1])
    scored = json.loads(bench(run, answers(), small, "--json").out)
    for part in ("S", "H", "D", "C", "N", "suits", "all"):
        assert scored["figures"][part] == evaluated[part]
        assert scored["calibration"][part] == evaluated["calibration"][part]


def test_parquet_and_cards_in_place_of_numbers_say_the_same(run: Any, small: Path) -> None:
    table = answers().drop(columns="tricks").sample(frac=1, random_state=1)
    deals = Library(LIBRARY).deals("test")
    table["deal"] = [deals[number].pbn for number in table["deal"]]
    path = small.with_name("answers.parquet")
    table.to_parquet(path, index=False)
    of_parquet = json.loads(run("bench", path, "--deals", small, "--json")[1])
    of_csv = json.loads(bench(run, answers(), small, "--json").out)
    assert of_parquet["figures"] == of_csv["figures"]
    table.assign(tricks=14).to_parquet(path, index=False)
    assert "parquet, row 1: tricks is 14" in run("bench", path, "--deals", small)[2]


def test_the_score_is_signed(run: Any, small: Path) -> None:
    last = bench(run, answers(), small).out.splitlines()[-1]
    name, version, digest = str(SETS["library-test"]).split("/")
    assert last.startswith(f"set:{name}|version:{version}|digest:{digest}|answers:")


def test_tricks_alone_have_no_log_loss_and_suits_may_be_left_out(run: Any, small: Path) -> None:
    table = answers()
    notrump = table[table.strain == "N"]
    content = json.loads(
        bench(run, notrump[["set", "deal", "strain", "declarer", "tricks"]], small, "--json").out
    )
    assert content["figures"].keys() == {"N"} and content["calibration"] == {}
    assert content["figures"]["N"]["results"] == 4 * DEALS
    assert "log_loss" not in content["figures"]["N"]
    real = Library(LIBRARY).deals("test")[:DEALS].tricks_or_unknown
    hits = notrump.tricks.to_numpy().reshape(DEALS, 4) == real[:, Strain.NOTRUMP]
    assert content["figures"]["N"]["exact"][0] == pytest.approx(100 * hits.mean(), abs=1e-4)


def test_two_hands_are_asked_for_north_and_south_alone(run: Any, small: Path) -> None:
    table = answers("library-test-pairs")
    result = bench(run, table, small)
    assert result.status == 2 and "is not asked in library-test-pairs" in result.err
    of_pair = table[table.declarer.isin(["N", "S"])]
    content = json.loads(bench(run, of_pair, small, "--json").out)
    assert content["figures"]["all"]["results"] == DEALS * 10


def test_pairs_take_our_own_table_with_its_column_renamed(run: Any, small: Path) -> None:
    owners = Library(LIBRARY).deals("test")[:DEALS].owners
    table = pandas.DataFrame(tc.PairEstimator()(owners == 0, owners == 2).columns())
    table.insert(0, "set", str(SETS["library-test-pairs"]))
    result = bench(run, table.rename(columns={"pair": "deal"}), small, "--json")
    assert json.loads(result.out)["figures"]["all"]["results"] == DEALS * 10


def test_chances_may_be_off_by_as_much_as_is_said_and_numbers_may_be_floats(
    run: Any, small: Path
) -> None:
    chances = {f"p{count}": 0.0 for count in range(14)} | {"p8": 0.555, "p9": 0.444}
    table = answers().assign(**chances)
    exact = json.loads(bench(run, table, small, "--json").out)["figures"]
    table = table.assign(deal=table.deal.astype(float), tricks=table.tricks.astype(float))
    assert json.loads(bench(run, table, small, "--json").out)["figures"] == exact
    result = bench(run, table.assign(p9=0.443), small)
    assert result.status == 2 and "line 2: the chances add up to 0.9980 (expected" in result.err


def spoilt(**columns: Any) -> Any:
    def spoil(table: pandas.DataFrame) -> pandas.DataFrame:
        return table.assign(**columns)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (spoilt(set="library-test/1/000000000000"), "made for 'library-test/1/000000000000"),
        (spoilt(set="library-test/0/e945eb93e48b"), "made for 'library-test/0/e945eb93e48b"),
        (spoilt(set="hard-deals/1/000000000000"), "no test set 'hard-deals'"),
        (spoilt(deal=0), "is answered twice"),
        (spoilt(deal=DEALS), "is not a deal of the set"),
        (spoilt(strain="X"), "is not asked"),
        (spoilt(tricks=14), "tricks is 14 (expected 0 to 13)"),
        (spoilt(p3=2.0), "(expected 1 within 0.001, none below 0; write four decimals or more)"),
        (spoilt(p3="many"), "p3 is 'many', not a number"),
        (lambda table: table.drop(columns="p9"), "no column p9"),
        (lambda table: table[["set", "deal", "strain", "declarer"]], "no answers"),
        (lambda table: table.drop(columns="set"), "no column set"),
        (lambda table: table.iloc[20:], "answers in suits are missing, first deal 0, S by N"),
        (lambda table: table[table.strain != "D"], "240 of 960 answers in suits are missing"),
        (lambda table: table[table.declarer == "N"], "720 of 960 answers in suits are missing"),
        (lambda table: table.iloc[:0], "answers.csv: contains no answers"),
    ],
)
def test_what_cannot_be_scored_is_refused(run: Any, small: Path, spoil: Any, says: str) -> None:
    result = bench(run, spoil(answers()), small)
    assert (result.status, result.out) == (2, "")
    assert says in result.err and len(result.err.splitlines()) <= 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"set,deal\n\n\nx\n", "line 4: 1 cells (expected 2)"),
        (b"set,deal,strain,declarer,tricks\n\n\n%s,0,S,N,14\n", "line 4: tricks is 14"),
        (b"", "answers.csv: the file is empty"),
        (b"set;deal\n\n\nx\n", "line 4: 1 cells (expected 2)"),
        (b"set,deal,tricks,Tricks, tricks\n", "answers.csv: two columns tricks (expected one)"),
        ("set,deal\nM\u00fcller,0\n".encode("latin-1"), "not text in UTF-8"),
        (b"set,deal\n" + b"x" * 140_000 + b",0\n", "line 2: field larger than field limit"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(
    run: Any, small: Path, content: bytes, says: str
) -> None:
    path = small.with_name("answers.csv")
    path.write_bytes(content.replace(b"%s", str(SETS["library-test"]).encode()))
    result = Result(*run("bench", path, "--deals", small))
    assert (result.status, result.out) == (2, "") and says in result.err


def test_two_columns_of_one_name_are_refused_in_parquet(run: Any, small: Path) -> None:
    path, table = small.with_name("answers.parquet"), pyarrow.Table.from_pandas(answers())
    parquet.write_table(table.append_column("tricks", [[7] * len(table)]), path)
    result = Result(*run("bench", path, "--deals", small))
    assert result.status == 2 and "two columns tricks (expected one)" in result.err


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheets_separators_say_the_same(run: Any, small: Path, separator: str) -> None:
    path, table = small.with_name("answers.csv"), answers()
    expected = json.loads(bench(run, table, small, "--json").out)["figures"]
    table.to_csv(path, index=False, sep=separator)
    assert json.loads(run("bench", path, "--deals", small, "--json")[1])["figures"] == expected


def test_other_deals_than_the_sets_are_refused(run: Any, small: Path) -> None:
    others = small.with_name("others.zrd")
    tc.write(Library(LIBRARY).deals("validation")[:DEALS], others)
    small.with_name("answers.csv").write_text(answers().to_csv(index=False))
    result = Result(*run("bench", small.with_name("answers.csv"), "--deals", others))
    assert result.status == 2
    assert f"(expected {SETS['library-test'].digest}" in result.err


def test_the_sets_are_those_of_their_digests() -> None:
    deals = Library(LIBRARY).deals("test")
    for name in ("library-test", "library-test-pairs"):
        assert truth_of_deals(SETS[name], deals).digest == SETS[name].digest


def test_gib_and_okbridge_are_those_of_their_digests(shared: Path) -> None:
    gib = tc.read(shared / "data/gib/gib-10000.txt")
    for name in ("gib-10000", "gib-10000-pairs"):
        assert truth_of_deals(SETS[name], gib).digest == SETS[name].digest
    played = rooms_own.read_table_truth(SETS["okbridge"], shared / "data/played/okbridge.csv.gz")
    assert played.times is not None and played.times.sum() == 167_385


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (PACKED[:40], "not results at the table (Compressed file ended"),
        (f"{TABLES}{PBN}\n".encode(), "not results at the table"),
        (f"{TABLES}{PBN},3N,N,many,2\n".encode(), "not results at the table (invalid literal"),
        (TABLES.encode(), "contains no results at the table"),
        (f"{TABLES}{PBN},PASS,N,0,2\n".encode(), "contains no results at the table"),
    ],
)
def test_what_is_not_results_at_the_table_is_refused(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "tables.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(says)):
        rooms_own.read_table_truth(SETS["okbridge"], path)


def test_results_at_the_table_count_as_often_as_they_came_about(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Library(LIBRARY).deals("test")[:2]
    rows = [
        (first.pbn, "4S", "N", 10, 3),
        (first.pbn, "4S", "N", 9, 1),
        (second.pbn, "1NTX", "E", 7, 2),
    ]
    place = tmp_path / "tables.csv"
    names = ["deal", "contract", "declarer", "tricks", "tables"]
    pandas.DataFrame(rows, columns=names).to_csv(place, index=False)
    monkeypatch.setattr(rooms_own, "_checked", lambda asked, truth: truth)
    table = pandas.DataFrame(
        {"set": str(SETS["okbridge"]), "deal": [1, 0], "contract": ["1nx", "4S"],
         "declarer": ["E", "N"], "tricks": [8, 10]}
    )  # fmt: skip
    figures = json.loads(bench(run, table, place, "--json").out)["figures"]
    assert figures["S"]["exact"][0] == 75 and figures["N"]["exact"][0] == 0
    assert figures["all"]["results"] == 6 and figures["all"]["within_1"][0] == 100


def test_rows_of_single_results_are_evaluated_as_by_tally() -> None:
    deals: DealSet = Library(LIBRARY).deals("test")[:200]
    found, real = tc.estimate(deals, model="fast"), deals.tricks_or_unknown
    tally = Tally()
    tally.add(found.probabilities, found.tricks, real, deals.owners)
    deal, cell = np.indices((200, 20)).reshape(2, -1)
    rows: Evaluation = evaluate_rows(
        found.probabilities.reshape(-1, 14), found.tricks.ravel(), real.ravel(),
        deals=deal, strains=cell // 4, times=np.ones(4000, dtype=np.int64),
    )  # fmt: skip
    of_tally = tally.evaluation()
    for part, figures in of_tally.strains.items():
        for name in ("exact", "log_loss", "mean_error"):
            assert getattr(rows.strains[part], name) == pytest.approx(getattr(figures, name))
        assert rows.calibration[part].error == pytest.approx(of_tally.calibration[part].error)


def test_sets_are_listed(run: Any) -> None:
    lines = [json.loads(line) for line in run("bench", "--json")[1].splitlines()]
    assert [line["set"] for line in lines] == [str(one) for one in SETS.values()]
    assert all(one.source for one in SETS.values())
