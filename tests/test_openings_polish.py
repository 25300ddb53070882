"""Polish Club learned from labelled hands: shaded rules, and the models of the 2023 paper."""

import json
from pathlib import Path

import numpy as np
import pytest

from trickcast import Hand, ModelError, openings
from trickcast.openings import RuleSystem, SoftRuleSystem, fit_shading
from trickcast.openings.labelled import LabelledHands
from trickcast.openings.rulefile import parse_rules
from trickcast.openings.softrules import open_shading, save_shading

RULES = """
name = "mine"
title = "Mine"
source = "me"
[[rule]]
call = "1N"
name = "balanced"
why = "w"
hcp = "15-17"
shape = "balanced"
[[rule]]
call = "1S"
name = "spades"
why = "w"
hcp = "12+"
spades = "5+"
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
    shading = openings.Shading(np.array([0.0, 0.5, 0.0]), np.array([2.0, 1.0, 1.0]))
    system = shaded(rules, shading)
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


def test_shading_is_saved_and_belongs_to_its_rules(rules: RuleSystem, tmp_path: Path) -> None:
    system = shaded(rules, openings.Shading(np.array([0.25, 0.5, 0.0]), np.array([2.0, 1.0, 1.0])))
    path = tmp_path / "mine.json"
    save_shading(path, system, "abc")
    again = open_shading(path.read_bytes(), "mine.json", rules, "abc")
    hands = openings.random_hands(50, seed=1)
    assert np.allclose(again.probabilities(hands), system.probabilities(hands))
    with pytest.raises(ModelError, match=r"mine\.json: learned for other rules"):
        open_shading(path.read_bytes(), "mine.json", rules, "abd")
    for data in (b"", b"[]", b"7", json.dumps({"shading": [1]}).encode()):
        with pytest.raises(ModelError, match="not a file of soft rules"):
            open_shading(data, "mine.json", rules, "abc")


# --- what ships ----------------------------------------------------------------------------------


def test_polish_club_shows_both_calls_of_a_borderline_hand() -> None:
    system = openings.load("polish-club")
    assert system.name == "polish-club" and openings.load().name == "polish-club"
    clear = system.explain("A.KQ9832.T94.AKT")
    assert clear.call == "1H" and clear.probabilities["1H"] > 0.9
    # Table 10 of the paper: one spade and two diamonds are both options
    close = system.explain("AK8765.Q76.J65.6")
    assert {"1S", "2D"} <= set(close.probabilities) and max(close.probabilities.values()) < 0.7
    assert "2D" in str(close) and "rule" in str(close)


def test_cross_validation_keeps_held_out_hands_apart_and_is_good(labelled: LabelledHands) -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.experiments import polishclub2023 as paper

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
    counts = paper.disagreements(paper.rules_system(), labelled)
    assert sum(counts.values()) == 77


def test_the_networks_of_the_paper_learn(labelled: LabelledHands) -> None:
    torch = pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.experiments import polishclub2023_networks as networks

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
