"""The BridgeHand2Vec paper as an experiment: its measures against plain counting, its game."""

from itertools import permutations

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import DealSet
from trickcast.embedding import HandEmbedding
from trickcast.experiments import SCALES, ExperimentError, Material
from trickcast.experiments.papers.bridgehand2vec import PAPER, game, layouts, trainings
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


def made_up_layouts(pairs: int) -> np.ndarray:
    """Ten layouts a pair, of which the pair network expects the tricks: in place of DDS."""
    owners = tc.random_deals(pairs, layouts.SEED).owners
    estimate = tc.PairEstimator(threads=1)(owners == 0, owners == 2)
    both = np.stack([estimate.expected, estimate.by_partner.expected], axis=2)
    off = np.random.default_rng(1).normal(0, 1, (pairs, study.LAYOUTS, 1, 1))
    return np.clip(np.rint(both[:, None] + off), 0, 13).astype(np.uint8)


def test_rewards_of_the_game():
    tricks = made_up_layouts(5)
    pool = game.make_pool(tricks)
    assert pool.rewards.shape == (240, 36) and (pool.rewards.max(axis=1) == 0).all()
    assert len(set(game.CALLS)) == 36
    dealt = tc.random_deals(5, layouts.SEED).owners[3]
    cards = pool.hands.reshape(24, 2, 5, 4, 13)  # orders of the suits, partners, pairs
    for order, suits in enumerate(permutations(range(4))):
        for place, seat in enumerate(layouts.PARTNERS):
            held = (dealt == seat).reshape(4, 13)[list(suits)]
            assert (cards[order, place, 3] == held).all()
            rewards = pool.rewards.reshape(24, 2, 5, 36)[order, place, 3]
            calls = dict(zip(game.CALLS, rewards, strict=True))
            for call, strain in (("4S", suits[0]), ("3C", suits[3]), ("3N", 4)):
                taken = tricks[3, :, strain, place]
                expected = score(call, taken, False).mean()
                assert calls[call] - calls["PASS"] == pytest.approx(expected, abs=0.1)


def test_layouts_are_solved_and_go_on_where_they_end(tmp_path):
    dealt = layouts.deal_layouts(0, 3)
    assert (dealt[1:] == layouts.deal_layouts(1, 3)).all()
    assert (np.sort(dealt, axis=2) == np.repeat(np.arange(4), 13)).all()
    pair = np.isin(dealt, layouts.PARTNERS)
    assert (pair == pair[:, :1]).all() and len(np.unique(dealt[0], axis=0)) == study.LAYOUTS
    file = tmp_path / "layouts.npy"
    layouts.main([str(file), "--pairs", "1"])
    first = layouts.read_layouts(file)
    layouts.main([str(file), "--pairs", "1"])
    assert first.shape == (1, 10, 5, 2) and (layouts.read_layouts(file) == first).all()
    solved = tc.solve(DealSet(dealt[0, 7:8])).tricks[0]
    assert (first[0, 7] == solved[:, list(layouts.PARTNERS)]).all()
    for wrong in (b"", b"text", first.tobytes()):
        (tmp_path / "wrong.npy").write_bytes(wrong)
        with pytest.raises(ExperimentError, match=r"wrong\.npy: no solved layouts") as told:
            layouts.read_layouts(tmp_path / "wrong.npy")
        assert "expected a NumPy file .npy, uint8" in str(told.value)
        assert "pickle" not in str(told.value)
    np.savez(tmp_path / "many.npz", first)
    with pytest.raises(ExperimentError, match=r"many\.npz: no solved layouts"):
        layouts.read_layouts(tmp_path / "many.npz")
    with pytest.raises(ExperimentError, match=r"none\.npy: No such file .* \(expected a NumPy"):
        layouts.read_layouts(tmp_path / "none.npy")
    np.save(tmp_path / "wrong.npy", first.astype(np.int64))
    with pytest.raises(ExperimentError, match="found int64"):
        layouts.read_layouts(tmp_path / "wrong.npy")


def test_agents_learn_the_game():
    pool = game.make_pool(made_up_layouts(40))
    learned = game.learn(pool, game.inputs_of("vectors", pool.hands), steps=150, seed=1, batch=400)
    first, last = np.mean(learned.mean_rewards[:3]), np.mean(learned.mean_rewards[-3:])
    assert first < -250 and first + 60 < last < 0
    assert set(learned.bids(game.inputs_of("vectors", pool.hands))) <= set(game.CALLS)
    with pytest.raises(ValueError, match="expected cards or vectors"):
        game.inputs_of("points", pool.hands)


def test_trainings_of_a_study_learn_and_differ_by_their_seed(pairs):
    study = trainings.Study(steps=150, batch=128, labelled=1_024, sizes=(1, 8), runs=1, models=2)
    one, eight = trainings.sizes_against_error(study, pairs)
    assert one["runs"] == 1 and one["std"] == 0
    assert 0.2 < eight["mse"] < one["mse"] < 5, "one number cannot tell suits apart"
    rows = {row["figure"]: row for row in trainings.ten_models(study, pairs)}
    assert len(rows) == 13 and rows["mean squared error"]["std"] > 0
    assert rows["Table 4, notrump, within 2"]["value"] > rows["Table 4, notrump, exactly"]["value"]


def test_every_row_is_measured_and_shown(pairs):
    """At the smallest scale, with made-up rows in place of the authors'."""
    calls = ("PASS", "1C", "7N")
    labelled = LabelledHands(pairs.norths[:3], calls)
    many = PairSet(
        np.tile(pairs.norths, (120, 1)),
        np.tile(pairs.souths, (120, 1)),
        np.tile(pairs.tricks, (120, 1, 1)),
    )
    material = Material(
        labelled=labelled, pairs=pairs, training_pairs=many, layouts=made_up_layouts(4)
    )
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
