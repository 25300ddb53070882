"""DealerV2's dialect: shapes, decimals, lengths dealt, chance, tricks from outside, actions."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from trickcast import scoring
from trickcast.cards import Deal, TrickTable
from trickcast.dealing import (
    ConstraintError,
    Constraints,
    ConstraintWarning,
    random_deals,
    read_script,
)

DEALS = random_deals(400, seed=5)


def tricks(owners: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Tricks that are easy to follow: each seat's spades, in every strain."""
    spades = np.stack([(owners[:, :13] == seat).sum(axis=1) for seat in range(4)], axis=1)
    return np.repeat(spades[:, None, :], 5, axis=1).astype(np.uint8)


SCRIPTS: dict[str, Callable[[Deal], bool]] = {
    "shape{north, 5+xx5+}": lambda d: d.north.lengths[0] >= 5 and d.north.lengths[3] >= 5,
    "shape{north, (4432) + 5s(431)}": lambda d: (
        d.north.pattern == "4432"
        or (d.north.lengths[0] == 5 and sorted(d.north.lengths[1:]) == [1, 3, 4])
    ),
    "shape{north, xxx[0-3]-4432}": lambda d: (
        d.north.lengths[3] <= 3 and d.north.lengths != (4, 4, 3, 2)
    ),
    "shape{south, 5M(332)}": lambda d: d.south.pattern == "5332" and 5 in d.south.lengths[:2],
    "shape{n, [013-5]xxx - 4432}": lambda d: (
        d.north.lengths[0] in (0, 1, 3, 4, 5) and d.north.lengths != (4, 4, 3, 2)
    ),
    "p = pt0(n)\nhcp(n) >= 15 and p > 1\npointcount 6 4 2 1\naltcount 0 1 1": lambda d: (
        sum(dict(zip("AKQJ", (6, 4, 2, 1), strict=True)).get(c, 0) for c in str(d.north)) >= 15
        and sum(c in "AK" for c in str(d.north)) > 1
    ),
    "shape{west, 4+s4+h(xx):d>c,h+s==9}": lambda d: (
        min(d.west.lengths[:2]) >= 4
        and d.west.lengths[2] > d.west.lengths[3]
        and sum(d.west.lengths[:2]) == 9
    ),
    "cccc(north) > 12.25 and cccc(north) <= 1800": lambda d: True,
    "altcount 9 4.5 3 1.5 .75 .25\npt9(north) >= 12.5": lambda d: (
        sum({"A": 4.5, "K": 3, "Q": 1.5, "J": 0.75, "T": 0.25}.get(c, 0) for c in str(d.north))
        >= 12.5
    ),
    "tricks(south, spades) > 4 and dds(n, notrumps) < 3": lambda d: (
        d.south.lengths[0] > 4 and d.north.lengths[0] < 3
    ),
    "score(vul, x3N, 2 * tricks(east, notrump)) > 0": lambda d: d.east.lengths[0] in (5, 6),
    "imps(50 * hcp(north) - 50 * hcp(south)) > 5": lambda d: (
        scoring.imps(50 * d.north.hcp - 50 * d.south.hcp) > 5
    ),
    "hcp(n) > 20\ncondition hcp(south) > 12\n": lambda d: d.south.hcp > 12,
    "spades(n) > 4 ? hcp(n) > 8 : 0": lambda d: d.north.lengths[0] > 4 and d.north.hcp > 8,
    "hascard(n, AS) + hascard(s, AS)": lambda d: "SA" in d.north or "SA" in d.south,
    "\ufeffns = hcp(n) + hcp(s)\r\nns >= 25\r\n// end": lambda d: d.north.hcp + d.south.hcp >= 25,
}


@pytest.mark.parametrize("text", SCRIPTS)
def test_scripts_mean_what_dealer_v2_means(text: str) -> None:
    deals = DEALS
    if "score" in text:  # twice as many tricks as spades, 13 at most
        deals = DEALS[[int((o[:13] == 1).sum()) <= 6 for o in DEALS.owners]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        passed = Constraints(condition=text, tricks=tricks).accepts(deals)
    if "cccc" in text:
        points = read_script("action average cccc(north)").actions[0].expressions[0].values(deals)
        assert passed.tolist() == ((points > 1225) & (points <= 1800)).tolist()
    else:
        assert passed.tolist() == [SCRIPTS[text](deal) for deal in deals]


def test_chance_is_as_often_as_said_and_the_same_for_the_same_deal() -> None:
    deals = random_deals(20_000, seed=2)
    third = Constraints(condition="rnd(100) < 30").accepts(deals)
    assert abs(third.mean() - 0.3) < 4 * np.sqrt(0.21 / 20_000)
    assert (Constraints(condition="rnd(100) < 30").accepts(deals) == third).all()


def test_lengths_are_dealt() -> None:
    deals = Constraints(condition="predeal spades(north)==6, hearts(south)==3").deals(50, seed=1)
    assert all(d.north.lengths[0] == 6 and d.south.lengths[1] == 3 for d in deals)


def test_tricks_are_found_piece_by_piece_and_every_layout_is_counted() -> None:
    asked = Constraints(condition="hcp(n) > 9 and tricks(south, hearts) > 4", tricks=tricks)
    same = Constraints(condition="hcp(n) > 9 and spades(south) > 4")
    drawn = [next(stream) for stream in [asked.stream(1)] for _ in range(60)]
    rate = sum(len(owners) for owners, _ in drawn) / sum(size for _, size in drawn)
    plain = [next(stream) for stream in [same.stream(1)] for _ in range(5)]
    total = sum(size for _, size in plain)
    share = sum(len(o) for o, _ in plain) / total * same.report(100).drawn_from
    assert abs(rate * asked.report(64).drawn_from - share) < 0.03
    assert same.accepts(asked.deals(40, seed=1)).all()


ACTIONS = """produce 25 title "mine" vulnerable EW dealer west
x = hcp(north) > 15
action printall, average "x" 100 * x, // a comment
  frequency (hcp(north), -1, 37), export(north), printes("a", hcp(south), \\n),
  bktfreq (ltc(n), 2.5, 9., .5),
"""


def test_actions_and_settings_are_read() -> None:
    script = read_script(ACTIONS)
    names = [action.name for action in script.actions]
    assert names == ["printall", "average", "frequency", "printes", "bktfreq"]
    assert script.settings.produce == 25 and script.settings.title == "mine"
    assert script.actions[1].title == "x" and script.actions[2].limits == ((-1, 37, 1),)
    assert script.actions[4].limits == ((250, 900, 50),)
    values = script.actions[1].expressions[0].values(DEALS)
    assert values.tolist() == [100 * (deal.north.hcp > 15) for deal in DEALS]
    assert [note for note in script.notes if "line 4" in note and "export" in note]


def test_the_last_table_of_points_counts_for_the_whole_script() -> None:
    first = "pointcount 6 4 2 1\nx = hcp(n)\n"
    script = read_script(f"{first}pointcount 1\naction average x")
    assert script.actions[0].expressions[0].values(DEALS).tolist() == [
        str(deal.north).count("A") for deal in DEALS
    ]
    (note,) = script.notes
    assert note.endswith("line 1: this pointcount is replaced by the later one and has no effect")


ERRORS = [
    ("opc(NS) > 20", "separate program"), ("usereval(40, NS, 3) > 3", "separate program"),
    ("hcp(north) > $1", "has no value"), ("hcp(n) > 3 /* x", "never closed"),
    ("par(north) > 3", "of what"), ("shape{north, 5q}", "is not a shape"),
    ("shape{north, 5xxx:d>}", "not a sum"), ("rnd(0) > 1", "expected a number of 1"),
    ("shape{n, " + "(xxxx) " * 300 + "}", "more than 200"), ("dds(north, foo) > 3", "not a strain"),
    ("action frequency (hcp(n), 1)", "values in brackets"), ("predeal SAK", "whose SAK"),
    ("shape{north, [35]+xxx}", "only a number has a bound"),
    ("shape{north, x+xxx}", "only a number has a bound"),
    ("shape{north, [5-3]xxx}", "runs backwards (expected 3-5)"),
    ('pts = 3 hcp(n) > pts action printes(pst, " ")', "did you mean pts?"),
    ("action printrpt(north, trix(foo))", "'foo' is not a seat"),
    ("action csvrpt(parcontract(foo))", "'foo' is not a vulnerability"),
    ("action printes(x4S)", "is not a name"), ("produce 0", "produce 0 (expected a whole number"),
    ("startboard 0", "startboard 0 (expected"), ("seed 18446744073709551616", "0 to 2**64 - 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), ERRORS, ids=range(len(ERRORS)))
def test_what_cannot_be_answered_gets_a_sentence_with_its_place(text: str, words: str) -> None:
    with pytest.raises(ConstraintError, match="line 1, column") as caught:
        Constraints(condition=text, tricks=tricks)
    assert words in str(caught.value) and len(str(caught.value).splitlines()) == 3


def test_a_number_divided_by_zero_has_no_value_and_is_shown() -> None:
    (action,) = read_script("hcp(n) > 3\naction average hcp(n) / clubs(s)").actions
    with pytest.raises(ConstraintError, match=r"line 2, column 16: a division by zero"):
        action.expressions[0].values(DEALS)
    clubs = DEALS[[int((o[39:] == 2).sum()) > 0 for o in DEALS.owners]]
    expected = [deal.north.hcp // deal.south.lengths[3] for deal in clubs]
    assert action.expressions[0].values(clubs).tolist() == expected


def test_tricks_are_a_table_or_whole_numbers_that_are_known() -> None:
    def asked(find: Callable[[Any], Any]) -> Constraints:
        return Constraints(condition="tricks(north, spades) > 4", tricks=find)

    plain = asked(tricks).accepts(DEALS).tolist()
    assert plain == asked(lambda owners: TrickTable(tricks(owners))).accepts(DEALS).tolist()
    assert plain == asked(lambda owners: tricks(owners).tolist()).accepts(DEALS).tolist()
    for wrong, words in [
        (lambda owners: np.full((len(owners), 5, 4), 255), "255, which is unknown"),
        (lambda owners: tricks(owners) + 0.5, "float64"),
        (lambda owners: tricks(owners)[:1], "shape"),
        (lambda owners: [[1], [2, 3]], "invalid values"),
        (lambda owners: None, "invalid values"),
    ]:
        with pytest.raises(ConstraintError, match=words):
            asked(wrong).deals(2, seed=1)
