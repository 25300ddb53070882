"""Two-hand estimation: symmetries, distributions, the authors' rows, training and export."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from trickcast.cli import main
from trickcast.formats.hand2vec import read_pairs
from trickcast.library import Library
from trickcast.pairs import PairEstimate, best_contracts, pair_models
from trickcast.pairs import pairs as pairs_module
from trickcast.pairs.pairs import Scatter
from trickcast.scoring import score

N, S = "A432.A432.432.32", "KQJ5.KQJ5.76.765"
MODELS = [info.name for info in pair_models()]


@pytest.fixture(scope="module", params=MODELS)
def estimator(request) -> tc.PairEstimator:
    return tc.PairEstimator(request.param, threads=1)


@pytest.fixture(scope="module")
def accurate() -> tc.PairEstimator:
    return tc.PairEstimator(threads=1)


@pytest.fixture(scope="module")
def pairs() -> tuple[np.ndarray, np.ndarray]:
    owners = tc.random_deals(60, 4).owners
    return owners == 0, owners == 2


def test_the_two_models_ship_and_answer_as_torch_did() -> None:
    assert MODELS == ["accurate", "hand2vec"]
    for info in pair_models():
        assert info.scores["mse"] > 0 and info.size > 0 and info.name in str(info)
        with np.load(info.path.with_suffix(".parity.npz")) as parity:
            arrays = dict(parity)
        if "probabilities" in arrays:
            hands = arrays["hands"]
            found = tc.PairEstimator(info.path)(hands[:, 0], hands[:, 1]).both
            assert np.abs(found - arrays["probabilities"]).max() < 1e-3
        else:
            vectors = tc.HandEmbedding(info.path).encode(arrays["hands"])
            assert np.abs(vectors - arrays["vectors"]).max() < 1e-3


def test_shapes_and_distributions(estimator, pairs) -> None:
    found = estimator(*pairs)
    assert found.probabilities.shape == (60, 5, 14) and found.probabilities.dtype == np.float32
    assert found.expected.shape == (60, 5) and found.expected.dtype == np.float32
    assert (found.probabilities >= 0).all()
    np.testing.assert_allclose(found.probabilities.sum(axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(
        found.expected, (found.probabilities * np.arange(14)).sum(axis=-1), atol=1e-4
    )
    one = estimator(pairs[0][3], pairs[1][3])
    assert one.probabilities.shape == (5, 14)
    np.testing.assert_allclose(one.expected, found.expected[3], atol=1e-4)
    assert one.expected["H"] == pytest.approx(float(found.expected["H"][3]), abs=1e-4)
    assert estimator(pairs[0][:0], pairs[1][:0]).probabilities.shape == (0, 5, 14)
    assert len(found[2:5]) == 3 and np.array_equal(found[4].expected, found.expected[4])


def test_exchanging_suits_exchanges_their_results(estimator, pairs) -> None:
    """Exact, where the paper's network was still 0.009 apart after training on turned suits."""
    assert estimator(N, S).expected["H"] == pytest.approx(estimator(N, S).expected["S"], abs=0.001)
    found = estimator(*pairs).expected
    order = np.array([2, 0, 3, 1])
    moved = [hands.reshape(-1, 4, 13)[:, order].reshape(-1, 52) for hands in pairs]
    np.testing.assert_allclose(estimator(*moved).expected[:, :4], found[:, order], atol=1e-3)
    np.testing.assert_allclose(estimator(*moved).expected[:, 4], found[:, 4], atol=1e-3)


def test_exchanging_the_hands_exchanges_the_declarers(estimator, pairs) -> None:
    found, turned = estimator(*pairs), estimator(*pairs[::-1])
    np.testing.assert_allclose(turned.expected, found.by_partner.expected, atol=1e-3)
    np.testing.assert_allclose(turned.by_partner.both, found.both, atol=1e-3)


def test_the_example_board_of_the_paper(accurate, board) -> None:
    """Table 1's tricks are one layout of many; the estimates lie around their mean."""
    layouts = tc.Deal(board)
    found = accurate(layouts.north, layouts.south)
    assert found.expected["H"] > found.expected["S"] and found.expected["H"] > found.expected["N"]
    assert abs(found.expected["H"] - 10) < 1.5
    low, high = found.interval(0.98)
    assert (low <= high).all() and low[1] <= 10 <= high[1]


def test_one_hand_against_many(accurate) -> None:
    hand = np.zeros(52, bool)
    hand[::4] = True
    free = np.flatnonzero(~hand)
    rng = np.random.default_rng(1)
    many = np.zeros((5, 52), bool)
    for row in many:
        row[rng.choice(free, 13, replace=False)] = True
    found = accurate(hand, many)
    assert len(found) == 5 and len(accurate(many, hand)) == 5
    np.testing.assert_allclose(found.expected[2], accurate(hand, many[2]).expected, atol=1e-4)


@pytest.mark.parametrize(
    ("norths", "souths", "message"),
    [
        (N, N, "both hands hold SA"),
        ([N, N], [S, N], "pair 1 of 2: both hands hold SA"),
        ([N], [N], "^both hands hold SA"),
        ([N, N, N], [S, S], "3 hands and 2 partners"),
        ("A432.A432.432.3", S, "12 cards"),
        ([N], ["KQJ5.KQJ5.76.76"], "hand 0 of 1"),
    ],
)
def test_bad_pairs_are_told(accurate, norths, souths, message) -> None:
    with pytest.raises(tc.DealError, match=message):
        accurate(norths, souths)


def test_bad_settings_and_models_are_told(tmp_path, monkeypatch) -> None:
    with pytest.raises(ValueError, match="batch_size is 0"):
        tc.PairEstimator(batch_size=0)
    with pytest.raises(ValueError, match="threads is 0"):
        tc.PairEstimator(threads=0)
    with monkeypatch.context() as patched:
        far = np.array([[8, 3e38, 9, 1, 7]], np.float32)
        patched.setattr(pairs_module, "run_tricks", lambda s, i, pairs: far.repeat(len(pairs), 0))
        with pytest.raises(tc.ModelError, match=r"means are not tricks \(from 1 to 3e\+38\)"):
            tc.PairEstimator("hand2vec", threads=1)(N, S)
    with pytest.raises(tc.ModelError, match="expected one of accurate, hand2vec"):
        tc.PairEstimator("fast-pairs")
    whole_deals = tc.models()[0].path
    with pytest.raises(tc.ModelError, match="expected 'trickcast pair model 1'"):
        tc.PairEstimator(whole_deals)
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(pair_models()[0].path.read_bytes()[:-1000])
    with pytest.raises(tc.ModelError, match="not a model that can be run"):
        tc.PairEstimator(damaged)
    with pytest.raises(ValueError, match="share is 1"):
        tc.PairEstimator()(N, S).interval(1)
    with pytest.raises(TypeError, match="share is 'a' .expected a number"):
        tc.PairEstimator()(N, S).interval("a")
    with pytest.raises(ValueError, match="expected"):
        PairEstimate(np.zeros((5, 14), np.float32))


def test_batches_change_nothing(pairs) -> None:
    whole = tc.PairEstimator(threads=1)(*pairs)
    parts = tc.PairEstimator(threads=1, batch_size=7)(*pairs)
    np.testing.assert_allclose(parts.both, whole.both, atol=1e-5)


def test_the_scatter_has_the_mean_asked_for() -> None:
    means = np.linspace(0.05, 12.95, 200, dtype=np.float32)
    for deviation in (0.7, 1.2):
        shares = Scatter(deviation)(means)
        np.testing.assert_allclose(shares.sum(axis=-1), 1, atol=1e-5)
        np.testing.assert_allclose(shares @ np.arange(14), means, atol=2e-3)
        middle = shares[100]
        spread = np.sqrt(((np.arange(14) - means[100]) ** 2 * middle).sum())
        assert spread == pytest.approx(deviation, rel=0.05)
    assert Scatter(1.0)(np.array([-1.0, 14.0])).argmax(axis=-1).tolist() == [0, 13]


def test_chances_intervals_and_contracts_are_counted_right() -> None:
    both = np.zeros((5, 2, 14), np.float32)
    both[:, :, 8] = 1
    both[1, 0, 8], both[1, 0, 9], both[1, 0, 10] = 0.25, 0.25, 0.5
    estimate = PairEstimate(both)
    assert estimate.expected["H"] == pytest.approx(9.25) and estimate.by_partner.expected["H"] == 8
    assert estimate.chances()["game"].tolist() == [0, 0.5, 0, 0, 0]
    assert estimate.interval(0.8)[0].tolist() == [8] * 5
    assert estimate.interval(0.8)[1].tolist() == [8, 10, 8, 8, 8]
    best = best_contracts(estimate, "ns", k=35)
    games = {str(one.contract): one for one in best}
    wanted = 0.5 * score("4H", 10, True) + 0.25 * (score("4H", 9, True) + score("4H", 8, True))
    assert games["4H"].expected_score == pytest.approx(wanted) and games["4H"].by_first
    assert games["4H"].making == pytest.approx(0.5) and best[0] is games["4H"]
    assert str(best_contracts(estimate, "none")[0].contract) == "4H"
    with pytest.raises(ValueError, match="an estimate of 2 pairs"):
        best_contracts(PairEstimate(np.stack([both, both])))
    for k in (0, -1):
        with pytest.raises(ValueError, match=f"k is {k} .expected 1 or more"):
            best_contracts(estimate, k=k)
    text = str(estimate)
    assert "9.2" in text or "9.3" in text
    assert "<table>" in estimate._repr_html_() and "one pair" in repr(estimate)


def test_the_accurate_one_agrees_with_solved_deals(accurate) -> None:
    """Against exact tricks that no training saw: one layout each, so errors are large but fair."""
    folder = Path(__file__).parents[1] / "data" / "library"
    deals = next(Library(folder).stream("test"))[:400]
    assert deals.tricks is not None
    for first, second in ((0, 2), (1, 3)):
        found = accurate(deals.owners == first, deals.owners == second)
        tricks = deals.tricks[:, :, first]
        off = found.expected - tricks
        assert abs(off.mean()) < 0.1 and (off**2).mean() < 1.1
        # chances of at least so many tricks: as many happen as are stated
        for count in (8, 9, 10):
            stated, happened = found.at_least(count), tricks >= count
            assert abs(stated.mean() - happened.mean()) < 0.03
        chances = np.take_along_axis(found.probabilities, tricks[..., None].astype(int), -1)
        assert -np.log(chances).mean() < 1.35  # log 14 is 2.64


@pytest.mark.parametrize(("model", "bar"), [("accurate", 0.095), ("hand2vec", 0.145)])
def test_the_bars_hold_on_the_authors_validation_rows(shared, model, bar) -> None:
    rows = read_pairs(shared / "data/bridgehand2vec/validation-50000.csv")
    part = slice(0, 6000)
    found = tc.PairEstimator(model)(rows.norths[part], rows.souths[part])
    assert ((found.expected - rows.tricks[part, :, 0]) ** 2).mean() <= bar


@pytest.mark.parametrize("kind", [tc.PairEstimator, tc.HandEmbedding])
def test_what_is_loaded_is_pickled_by_its_name_or_path_and_its_checksum(kind, tmp_path) -> None:
    made = kind("hand2vec", threads=1)
    copy = pickle.loads(pickle.dumps(made))
    assert copy.info.sha256 == made.info.sha256 and repr(copy) == repr(made)
    path = tmp_path / "own.onnx"
    content = made.info.path.read_bytes()
    path.write_bytes(content)
    own = pickle.dumps(kind(path, threads=1))
    assert pickle.loads(own).info.path == path
    path.write_bytes(content + b"\x72\x00")  # an empty text in a field of its own: another file
    with pytest.raises(tc.ModelError, match="not the model that was pickled"):
        pickle.loads(own)


def test_estimates_of_pairs_are_compared_by_value(accurate) -> None:
    one, same = accurate([N, N], [S, S]), accurate([N, N], [S, S])
    assert one == same and hash(one) == hash(same) and one[0] == one[1] and one != one[0]
    assert one[0] != one[0].by_partner and one != "estimate"


def test_pair_on_the_command_line(monkeypatch, capsys, tmp_path) -> None:
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["trickcast", "pair", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    status, out, _ = run(N, S)
    assert status == 0 and "best contracts, vulnerable none" in out and "♠ A432" in out
    status, out, _ = run(N, S, "--json", "--model", "hand2vec", "--vulnerable", "ns")
    told = json.loads(out)
    assert status == 0 and told["hands"] == [N, S] and told["vulnerable"] == "ns"
    assert (told["strains"], told["declarers"]) == ([*"SHDCN"], ["N", "S"])
    found = tc.PairEstimator("hand2vec")(N, S)
    np.testing.assert_allclose(told["probabilities"], found.both, atol=1e-6)
    for declarer, by in enumerate((found, found.by_partner)):
        np.testing.assert_allclose(np.array(told["expected"])[:, declarer], by.expected, atol=1e-3)
    for typed, name, shown in (("ALL", "both", "both"), ("NS", "ns", "NS")):
        assert json.loads(run(N, S, "--vulnerable", typed, "--json")[1])["vulnerable"] == name
        assert f"vulnerable {shown}:" in run(N, S, "--vulnerable", typed)[1]
    assert len(told["best_contracts"]) == 3 and len(told["game"]) == 5
    (tmp_path / "n.txt").write_text(f"{N}\n{N}\n")
    (tmp_path / "s.txt").write_text(f"{S}\n{S}\n")
    status, out, _ = run(tmp_path / "n.txt", tmp_path / "s.txt", "--json")
    assert status == 0 and len(out.splitlines()) == 2
    (tmp_path / "none.txt").touch()
    (tmp_path / "bad.txt").write_text(f"{N}\n\nAKQ\n")
    for arguments, message in (
        ((N, N), "both hands hold SA"),
        ((N, tmp_path / "s.txt"), "1 hand and 2 partners"),
        ((N, S, "--vulnerable", "us"), "not a vulnerability"),
        ((N, ""), "empty"),
        ((N, S, "--model", "other"), "no model of two hands"),
        ((N, "missing.txt"), "the partner, line 1, column 8: '.' is unexpected here"),
        ((tmp_path / "none.txt", S), "none.txt: contains no hands"),
        ((tmp_path / "bad.txt", tmp_path / "s.txt"), "bad.txt: line 3: hand 'AKQ': 1 suit"),
    ):
        status, _, err = run(*arguments)
        assert status == 2 and message in err and len(err.splitlines()) <= 3


def test_east_and_west_are_scored_by_their_own_vulnerability(run: Any, tmp_path: Path) -> None:
    hands = "A.KQ9832.T94.AKT", "KJ95.J65.K3.J654"
    path = tmp_path / "pair.pbn"
    path.write_text(f'[Board "1"]\n[Deal "E:{hands[0]} - {hands[1]} -"]\n')

    def told(place: list[str], vulnerable: str) -> dict[str, Any]:
        status, out, _ = run("pair", *place, "--vulnerable", vulnerable, "--json")
        assert status == 0
        return dict(json.loads(out))

    ours, theirs = (told([str(path)], sides) for sides in ("ew", "ns"))
    north = told([*hands], "ns")
    assert ours["declarers"] == ["E", "W"] and north["declarers"] == ["N", "S"]
    assert {each["by"] for each in ours["best_contracts"]} <= {"E", "W"}
    assert ours["expected"] == north["expected"]
    scores = [
        [(each["contract"], each["expected_score"]) for each in answer["best_contracts"]]
        for answer in (ours, north, theirs)
    ]
    assert scores[0] == scores[1] != scores[2]
    path.write_text(path.read_text().replace("[Deal", '[Vulnerable "EW"]\n[Deal'))
    assert json.loads(run("pair", path, "--json")[1]) == ours
    assert "best contracts, vulnerable EW" in run("pair", path)[1]
