"""Polish Club learned from labelled hands: shaded rules, and the models of the 2023 paper."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from trickcast import Hand, ModelError, openings
from trickcast.bidding import RuleSystem, SoftRuleSystem, fit_shading
from trickcast.bidding.labelled_hands import LabelledHands
from trickcast.bidding.softrules import open_shading, save_shading
from trickcast.cli import main
from trickcast.dealing.language.rulefile import parse_rules
from trickcast.papers.opening_networks import code_cards

RULES = """
name = "mine"
title = "Mine"
source = "me"
[[rule]]
call = "1N"
name = "balanced"
why = "w"
hand = "hcp 15-17, balanced"
[[rule]]
call = "1S"
name = "spades"
why = "w"
hand = "hcp 12+, spades 5+"
[[rule]]
call = "PASS"
name = "rest"
why = "w"
"""


@pytest.fixture(scope="module")
def rules() -> RuleSystem:
    return RuleSystem(parse_rules(RULES))


@pytest.fixture(scope="module")
def labelled(shared: Path) -> LabelledHands:
    return openings.read_labelled(shared / "data" / "openings" / "polish-club-1000.csv")


def shaded(rules: RuleSystem, shading: openings.Shading) -> SoftRuleSystem:
    return SoftRuleSystem(rules, shading, {"name": "mine", "title": "Mine"})


def shading_of(shift: list[float], sharpness: list[float], hands: object = (9, 9, 9)):
    return openings.Shading(np.array(shift), np.array(sharpness), np.array(hands))


# --- margins -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["standard-american", "polish-club-rules"])
def test_margins_are_above_zero_where_rules_fit(name: str) -> None:
    system = openings.load(name)
    assert isinstance(system, RuleSystem)
    hands = openings.random_hands(20_000, seed=6)
    assert np.array_equal(system.margins(hands) > 0, system.fits(hands))


def test_margins_count_points_and_cards(rules: RuleSystem) -> None:
    balanced = "AQJ2.K54.Q32.K32"  # 15 points: half a point inside 15-17
    hands = np.stack(
        [cards_of(text) for text in (balanced, "AQJ2.K54.Q32.A32", "AQJ2.Q54.Q32.Q32")]
    )
    assert rules.margins(hands)[:, 0].tolist() == [0.5, 1.5, -1.5]
    assert rules.margins(hands)[:, 1].tolist() == [-1.5, -1.5, -1.5]  # a spade short
    assert np.isinf(rules.margins(hands)[:, 2]).all()


def cards_of(text: str) -> np.ndarray:
    return Hand(text).cards


# --- what is learned -----------------------------------------------------------------------------


def test_players_who_open_lighter_are_learned_from(rules: RuleSystem) -> None:
    """Players who open 14 points 1N, and one spade with 11, shift both rules to the generous."""
    lighter = RuleSystem(parse_rules(RULES.replace("15-17", "14-17").replace("12+", "11+")))
    hands = openings.random_hands(4_000, seed=2)
    shading = fit_shading(rules, hands, lighter.bid(hands), shift_prior=1.0)
    assert (shading.shift[:2] > 0.3).all()
    fresh = openings.random_hands(4_000, seed=3)
    wanted = np.array(lighter.bid(fresh))
    soft = np.mean(np.array(shaded(rules, shading).bid(fresh)) == wanted)
    plain = np.mean(np.array(rules.bid(fresh)) == wanted)
    assert soft > plain


def test_faithful_players_make_sharp_rules_and_careless_ones_blurred(rules: RuleSystem) -> None:
    hands = openings.random_hands(4_000, seed=4)
    exact = rules.bid(hands)
    careless = list(exact)
    generator = np.random.default_rng(1)
    edge = np.flatnonzero(np.abs(rules.margins(hands)[:, :2]).min(axis=1) < 1)
    for i in generator.choice(edge, len(edge) // 2, replace=False):
        careless[i] = "PASS"
    sharp = fit_shading(rules, hands, exact).sharpness[:2].mean()
    assert sharp > 2 * fit_shading(rules, hands, careless).sharpness[:2].mean()


def test_probabilities_are_those_of_walking_down_the_list(rules: RuleSystem) -> None:
    system = shaded(rules, shading_of([0.0, 0.5, 0.0], [2.0, 1.0, 1.0]))
    (row,) = system.probabilities(["AQJ32.K54.Q3.K32"])  # 15 points, five spades, balanced
    notrump = 1 / (1 + np.exp(-2.0 * 0.5))
    spade = 1 / (1 + np.exp(-1.0 * (1.5 + 0.5)))  # a card counts three points: half of it inside
    chances = dict(zip(system.calls, row.tolist(), strict=True))
    assert chances["1N"] == pytest.approx(notrump, abs=1e-3)
    assert chances["1S"] == pytest.approx((1 - notrump) * spade, abs=1e-3)
    assert row.sum() == pytest.approx(1)
    assert system.probabilities([]).shape == (0, 3)


def test_calls_that_no_rule_makes_teach_nothing(rules: RuleSystem) -> None:
    hands = openings.random_hands(300, seed=5)
    calls = rules.bid(hands)
    with_odd = fit_shading(rules, np.concatenate([hands, hands[:9]]), [*calls, *["4C"] * 9])
    assert np.allclose(with_odd.shift, fit_shading(rules, hands, calls).shift)


def test_each_hand_needs_its_call(rules: RuleSystem) -> None:
    hands = openings.random_hands(5, seed=1)
    with pytest.raises(ValueError, match="5 hands and 4 calls .expected a call for each hand"):
        LabelledHands(hands, ("1C",) * 4)
    with pytest.raises(ValueError, match="5 hands and 1 call .expected a call for each hand"):
        fit_shading(rules, hands, ["1C"])
    assert not fit_shading(rules, hands[:0], []).shift.any()


def test_shading_is_saved_and_belongs_to_its_rules(rules: RuleSystem, tmp_path: Path) -> None:
    system = shaded(rules, shading_of([0.25, 0.5, 0.0], [2.0, 1.0, 1.0], [7, 4, 99]))
    path = tmp_path / "mine.json"
    save_shading(path, system, "abc")
    again = open_shading(path.read_bytes(), "mine.json", rules, "abc")
    hands = openings.random_hands(50, seed=1)
    assert np.allclose(again.probabilities(hands), system.probabilities(hands))
    assert again.shading.hands.tolist() == [7, 4, 99]
    with pytest.raises(ModelError, match=r"mine\.json: learned for other rules"):
        open_shading(path.read_bytes(), "mine.json", rules, "abd")
    for data in (b"", b"[]", b"7", json.dumps({"shading": [1]}).encode()):
        with pytest.raises(ModelError, match="not a file of soft rules"):
            open_shading(data, "mine.json", rules, "abc")


# --- knowing and not knowing ---------------------------------------------------------------------


def test_a_close_call_is_not_sure(rules: RuleSystem) -> None:
    system = shaded(rules, shading_of([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]))
    close, clear = "AQJ2.K54.Q32.K32", "5432.5432.432.32"  # 15 points balanced: half a point inside
    assert system.sure(close) is False and system.sure(clear) is True
    assert system.sure([close, clear]).tolist() == [False, True]
    assert system.sure([]).shape == (0,)
    told = system.explain(close)
    assert not told.sure and told.doubts[0].startswith("players would disagree (1N 6")
    assert "not sure: players would disagree" in str(told)
    assert system.explain(clear).sure and "not sure" not in str(system.explain(clear))


def test_a_rule_hardly_seen_is_not_sure(rules: RuleSystem) -> None:
    system = shaded(rules, shading_of([0.0, 0.0, 0.0], [9.0, 9.0, 9.0], [9, 4, 987]))
    spades = "AKQJ432.A2.32.32"
    assert system.probabilities(spades).max() > 0.99 and not system.sure(spades)
    (doubt,) = system.explain(spades).doubts
    assert doubt == "its rule was seen with 4 of the 1,000 hands it learned from"
    assert system.sure("AQJ2.KQ4.Q32.K32")  # the same sharpness, a rule seen nine times


def test_what_was_seen_is_counted(rules: RuleSystem) -> None:
    hands = openings.random_hands(500, seed=7)
    calls = rules.bid(hands)
    seen = fit_shading(rules, hands, calls).hands
    assert seen.tolist() == [calls.count(call) for call in ("1N", "1S", "PASS")]


def test_rules_are_sure_and_networks_know_what_they_were_not_taught() -> None:
    hands = openings.random_hands(2_000, seed=9)
    assert openings.load("polish-club-rules").sure(hands).all()
    network = openings.load("52-60-7")
    known = np.array(network.bid(hands)) != openings.UNKNOWN
    assert np.array_equal(network.sure(hands), known) and 0.9 < known.mean() < 1
    assert not network.explain("2.3.KQJT98765.32").sure
    assert openings.load("cascade-1996").sure(hands).all()


def test_where_polish_club_is_sure_it_is_right(labelled: LabelledHands) -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.polishclub2023 import held_out as paper

    found = paper.cross_validate(labelled).when_sure()
    assert found["sure_percent"] > 80 and found["right_percent"] > 93
    assert found["unsure_right_percent"] < 85


# --- near hands ----------------------------------------------------------------------------------


def test_counts_are_points_lengths_and_honours() -> None:
    (row,) = openings.code_counts(cards_of("AKQ2.QJT987.32.2")[None])
    assert row[0] * 4 + 10 == pytest.approx(4 + 3 + 2 + 2 + 1)
    assert row[1:5] * 1.8 + 3.25 == pytest.approx([4, 6, 2, 1])
    assert row[5:] * 0.85 + 1 == pytest.approx([1, 1, 2, 1])


def test_the_nearest_hands_are_found() -> None:
    """Against the plain definition, and the same one by one as all together."""
    calls = tuple("123"[i % 3] + "N" for i in range(300))
    known = LabelledHands(openings.random_hands(300, seed=1), calls)
    system = openings.NearestSystem(known, code_cards)
    hands = openings.random_hands(40, seed=2)
    for i, call in enumerate(system.bid(hands)):
        apart = (known.hands != hands[i]).sum(axis=1) ** 0.5
        near = system.nearest(Hand.from_cards(hands[i]), 4)
        assert [one.distance for one in near] == pytest.approx(np.sort(apart)[:4], abs=1e-3)
        assert call == near[0].call == known.calls[int(apart.argmin())]
        assert near[0].hand == Hand.from_cards(known.hands[int(apart.argmin())])
    assert system.probabilities([]).shape == (0, 3)
    assert "nearest labelled hands" in system.explain("A.KQ9832.T94.AKT").reason


def test_more_neighbours_vote() -> None:
    texts = ("AK32.432.432.432", "AQ32.432.432.432", "432.432.432.AK32")
    known = LabelledHands(np.stack([cards_of(text) for text in texts]), ("1C", "1C", "1D"))
    system = openings.NearestSystem(known, k=3)
    assert system.probabilities("AK32.432.432.432").tolist() == pytest.approx([2 / 3, 1 / 3])
    with pytest.raises(ValueError, match="k is 4 .*the 3 labelled hands"):
        openings.NearestSystem(known, k=4)
    with pytest.raises(ValueError, match="k is 0"):
        system.nearest("AK32.432.432.432", 0)
    assert len(system.nearest("AK32.432.432.432", 9)) == 3
    with pytest.raises(ValueError, match="no labelled hands to search"):
        openings.NearestSystem(LabelledHands(np.empty((0, 52), np.bool_), ()))


def test_a_system_labels_hands_itself() -> None:
    rules = openings.load("polish-club-book")
    own = openings.own_labelled(rules)
    assert len(own) == 20_000 and list(own.calls[:50]) == rules.bid(own.hands[:50])


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(
            sys, "argv", ["trickcast", "open", "--system", "polish-club", *map(str, arguments)]
        )
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return run


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    rows = ("AQJT6.J73.9864.J;P", "KQT73.A74.J976.Q;1S", "KJT97.Q963.A65.9;2D")
    path.write_text("\n".join(("PBN;OPENING", *rows)), "utf-8")
    return path


def test_the_command_shows_near_hands_and_doubts(run, mine: Path) -> None:
    status, out, err = run("AK8765.Q76.J65.6", "--labelled", mine, "--nearest", 2)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "AK8765.Q76.J65.6: 2D (polish-club)"
    assert lines[1].startswith("not sure: players would disagree (2D ")
    assert lines[-3].endswith(f"bid by {mine.name}") and "hand vectors" in lines[-3]
    calls = [line.split()[0] for line in lines[-2:]]
    apart = [float(line.split()[1]) for line in lines[-2:]]
    assert set(calls) < {"PASS", "1S", "2D"} and 0 < apart[0] <= apart[1]
    own = run("AK8765.Q76.J65.6")[1]
    assert "bid by polish-club" in own and len(own.splitlines()) == len(lines) + 1
    assert "nearest" not in run("AK8765.Q76.J65.6", "--nearest", 0)[1]


def test_the_command_tells_machines(run, mine: Path, tmp_path: Path) -> None:
    told = json.loads(run("AK8765.Q76.J65.6", "--json", "--labelled", mine)[1])
    assert told["sure"] is False and len(told["doubts"]) == 1 and len(told["nearest"]) == 3
    assert {one["call"] for one in told["nearest"]} == {"PASS", "1S", "2D"}
    hands = tmp_path / "hands.txt"
    hands.write_text("AK8765.Q76.J65.6\n5432.5432.432.32\n", "utf-8")
    status, out, _ = run(hands, "--csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert status == 0 and [row["call"] for row in rows] == ["2D", "PASS"]
    assert [row["sure"] for row in rows] == ["no", "yes"] and rows[0]["second"] == "PASS"
    assert 0.3 < float(rows[0]["probability"]) < 0.8 < float(rows[1]["probability"])


def test_the_command_names_what_is_wrong(run, mine: Path) -> None:
    mine.write_text("PBN;OPENING\nAJ93.K8.K743.A94;1Z\n", "utf-8")
    for arguments, words in (
        (["AK8765.Q76.J65.6", "--labelled", mine], "line 2 (row 1): '1Z'"),
        (["AK8765.Q76.J65.6", "--labelled", mine.with_name("none.csv")], "none.csv"),
        (["AK8765.Q76.J65.6", "--json", "--csv"], "cannot be combined"),
        (["AK8765.Q76.J65.6", "--csv", "--nearest", "1"], "--csv and --nearest cannot be combined"),
        (["AK8765.Q76.J65.6", "--csv", "--labelled", "none.csv"], "--labelled needs --system"),
        (["AK8765.Q76.J65.6", "--nearest", "0", "--labelled", mine], "--labelled needs --system"),
    ):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "") and words in err and len(err.splitlines()) <= 3


# --- what ships ----------------------------------------------------------------------------------


def test_polish_club_shows_both_calls_of_a_borderline_hand() -> None:
    system = openings.load("polish-club")
    assert system.name == "polish-club"
    clear = system.explain("A.KQ9832.T94.AKT")
    assert clear.call == "1H" and clear.probabilities["1H"] > 0.9
    # Table 10 of the paper: one spade and two diamonds are both options
    close = system.explain("AK8765.Q76.J65.6")
    assert {"1S", "2D"} <= set(close.probabilities) and max(close.probabilities.values()) < 0.7
    assert "2D" in str(close) and "rule" in str(close)


def test_cross_validation_keeps_held_out_hands_apart_and_is_good(labelled: LabelledHands) -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.polishclub2023 import held_out as paper

    parts = paper.split(len(labelled), 10, seed=1)
    assert sorted(np.concatenate([held for _, held in parts]).tolist()) == list(range(1_000))
    assert all(not set(train) & set(held) for train, held in parts)
    found = paper.cross_validate(labelled)
    figures = found.figures()
    assert figures["percent"] >= 91 and figures["percent_of_two"] >= 96.5
    plain = paper.as_bid(paper.rules_system(), labelled).figures()
    assert figures["log_loss"] < plain["log_loss"] / 2
    for row in found.calibration():
        if row["hands"] >= 100:
            assert abs(row["stated_percent"] - row["right_percent"]) < 14
    bids = paper.rules_system().bid(labelled.hands)
    assert sum(ours != theirs for ours, theirs in zip(bids, labelled.calls, strict=True)) == 77


def test_rules_of_the_book_hold_on_hands_they_were_not_written_for(labelled: LabelledHands) -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.polishclub2023 import held_out as paper

    plain = paper.as_bid(paper.rules_system(paper.BOOK), labelled).figures()
    taught = paper.cross_validate(labelled, rules=paper.BOOK).figures()
    assert plain["percent"] == pytest.approx(90.0) and taught["percent"] >= 89.5
    assert taught["log_loss"] < plain["log_loss"] / 2
    pooled = paper.cross_validate_pooled(labelled, openings.code_counts, paper.BOOK, folds=2)
    assert pooled.figures()["log_loss"] < taught["log_loss"] + 0.02
    assert pooled.probabilities.sum(axis=1) == pytest.approx(np.ones(1_000))
    one = paper.cross_validate_nearest(labelled, openings.code_counts).figures()["percent"]
    assert 68 < one < 76  # published, by hand vectors on other hands: 71.36


def test_twins_are_counted() -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.polishclub2023 import held_out as paper

    texts = ("AK32.432.432.432", "AK42.432.532.432", "KA52.432.432.532", "AQ32.432.432.432")
    hands = np.stack([cards_of(text) for text in texts])  # three twins and one with other points
    found = paper.twins(LabelledHands(hands, ("PASS", "PASS", "1C", "1C")))
    assert (found["pairs"], found["opened_pairs"]) == (3, 2)
    assert found["differ_percent"] == pytest.approx(200 / 3)
    assert found["opened_differ_percent"] == 100


def test_the_networks_of_the_paper_learn(labelled: LabelledHands) -> None:
    torch = pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.polishclub2023 import opening_classifiers as networks

    assert [networks.INPUTS[m](labelled.hands[:3]).shape[1] for m in networks.INPUTS] == [52, 9, 61]
    few = networks.NetworkTraining(epochs=15)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the networks are too small to share out
    try:
        bids = networks.cross_validated_bids("heuristic", labelled, folds=3, training=few)
    finally:
        torch.set_num_threads(threads)
    right = np.mean(np.array(bids) == np.array(labelled.calls))
    assert right > 0.6  # always passing is right on 0.549
    with pytest.raises(ValueError, match="no model of Table 9"):
        networks.cross_validated_bids("cooked", labelled)
