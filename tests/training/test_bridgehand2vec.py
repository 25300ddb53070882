"""The BridgeHand2Vec paper as an experiment: its measures against plain counting, its game."""

import numpy as np
import pytest

import trickcast as tc
from trickcast.embedding import HandEmbedding
from trickcast.experiments import SCALES, Material
from trickcast.experiments.papers.bridgehand2vec import PAPER, game, trainings
from trickcast.experiments.papers.bridgehand2vec import studies as study
from trickcast.formats.hand2vec import PairSet
from trickcast.openings import LabelledHands
from trickcast.scoring import score


@pytest.fixture(scope="module")
def pairs() -> PairSet:
    """Random pairs with made-up mean tricks: those of `accurate`, 0.4 off by turns."""
    owners = tc.random_deals(60, 4).owners
    norths, souths = owners == 0, owners == 2
    found = tc.PairEstimator(threads=1)(norths, souths)
    both = np.stack([found.expected, found.by_partner.expected], axis=2)
    off = np.where(np.arange(60)[:, None, None] % 2, 0.4, -0.4)
    return PairSet(norths, souths, np.clip(both + off, 0, 13).astype(np.float32))


def test_shares_are_counted_as_the_tables_do():
    tricks = np.array([[8.0, 8.0, 8.0, 8.0, 7.5]] * 2, np.float32)
    pairs = PairSet(np.zeros((2, 52), bool), np.zeros((2, 52), bool), np.stack([tricks] * 2, 2))
    expected = np.array([[8.4, 8.5, 9.0, 10.0, 8.4], [8.0] * 5], np.float32)
    suits, notrump = study.table_3(expected, pairs).values()
    assert suits == pytest.approx((87.5, 75.0, 62.5)) and notrump == pytest.approx((100, 100, 0))
    suits, notrump = study.table_4(expected, pairs).values()  # 8.5 rounds to 8, 7.5 to 8
    assert suits == pytest.approx((100.0, 87.5, 75.0)) and notrump == pytest.approx((100, 100, 100))
    off = (0.4**2 + 0.5**2 + 1 + 4 + 0.9**2 + 0.5**2) / 10
    assert study.squared_error(expected, pairs) == pytest.approx(off, rel=1e-5)


def test_the_error_of_made_up_rows_is_known(pairs):
    found = tc.PairEstimator(threads=1)(pairs.norths, pairs.souths)
    assert study.squared_error(found.expected, pairs) == pytest.approx(0.16, abs=0.005)
    floor = study.variances(found).mean() / study.LAYOUTS
    assert 0.04 < floor < 0.12, "the issue says 0.08 to 0.09 over all rows"


def test_printed_hands_are_hands_and_ours_stand_beside_them():
    embedding = HandEmbedding(threads=1)
    for table in (study.table_6(embedding), study.nearest_to_zero(embedding)):
        for row in table:
            tc.Hand(row["published"])
            assert row["distance"] >= 0
    assert len(study.table_7(embedding)) == 10
    known = study.components_known(embedding, hands=2_000)
    assert min(known.values()) > 0.9
    assert study.printed_shape("AKQ2.QJT987.32.2") == "4-6-2-1, 12 HCP"


def test_rewards_of_the_game():
    pool = game.make_pool(60, seed=4)
    assert pool.rewards.shape == (60, 36) and (pool.rewards.max(axis=1) == 0).all()
    assert len(set(game.CALLS)) == 36
    owners = tc.random_deals(60, 4).owners
    found = tc.PairEstimator()(owners == 0, owners == 2).probabilities[7]
    game_in_spades = found[0] @ score("4S", np.arange(14, dtype=np.uint8), False)
    calls = {call: pool.rewards[7, i] for i, call in enumerate(game.CALLS)}
    assert calls["4S"] - calls["PASS"] == pytest.approx(game_in_spades, abs=0.1)


def test_agents_learn_the_game():
    pool = game.make_pool(400, seed=11)
    learned = game.learn(pool, game.inputs_of("vectors", pool.hands), steps=150, seed=1, batch=400)
    first, last = np.mean(learned.mean_rewards[:3]), np.mean(learned.mean_rewards[-3:])
    assert first < -250 and first + 60 < last < 0
    assert set(learned.bids(game.inputs_of("vectors", pool.hands))) <= set(game.CALLS)
    with pytest.raises(ValueError, match="expected cards or vectors"):
        game.inputs_of("points", pool.hands)


def test_short_trainings_learn_and_differ_by_their_seed(pairs):
    short = trainings.Short(steps=150, batch=128, labelled=1_024, sizes=(1, 8), runs=1, models=2)
    one, eight = trainings.sizes_against_error(short, pairs)
    assert one["runs"] == 1 and one["std"] == 0
    assert 0.2 < eight["mse"] < one["mse"] < 5, "one number cannot tell suits apart"
    rows = {row["figure"]: row for row in trainings.ten_models(short, pairs)}
    assert len(rows) == 13 and rows["mean squared error"]["std"] > 0
    assert rows["Table 4, notrump, within 2"]["value"] > rows["Table 4, notrump, exactly"]["value"]


def test_every_row_is_measured_and_shown(pairs):
    """At the smallest scale, with made-up rows in place of the authors'."""
    calls = ("PASS", "1C", "7N")
    labelled = LabelledHands(pairs.norths[:3], calls)
    material = Material(labelled=labelled, pairs=pairs, training_pairs=PairSet(
        np.tile(pairs.norths, (120, 1)), np.tile(pairs.souths, (120, 1)),
        np.tile(pairs.tricks, (120, 1, 1)),
    ))  # fmt: skip
    assert PAPER.show is not None
    for table, rows in (*PAPER.tables.items(), ("beyond", PAPER.beyond)):
        lines = []
        for row in rows:
            name = "row" if row.id.startswith("b23") else "finding"
            lines.append({name: row.id, **row.measure(SCALES["smoke"], material)})
        shown = PAPER.show(table, lines)
        assert len(shown) > 40 and "nan" not in shown
        if table == "Table 1":
            assert "20 of the 20" in shown
        if table == "Table 8":
            assert shown.splitlines()[0].endswith("| 4H | 7N |") and "the 3 labelled" in shown
