"""Evaluation: figures against plain loops, intervals against simulated truth, peers, command."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import trickcast as tc
from trickcast.cards import UNKNOWN, Seat, Strain
from trickcast.estimator import PeerModel
from trickcast.evaluation import ClusterSums, Paired, Tally
from trickcast.evaluation.figures import plain
from trickcast.library import Library

LIBRARY = Path(__file__).parents[1] / "data/library"
SMALL = "(52x4)-(26x4)-26-13-1"


@pytest.fixture(scope="module")
def case():
    """40 deals with made-up probabilities, and results of which some are unknown."""
    rng = np.random.default_rng(5)
    deals = tc.random_deals(40, seed=8)
    probabilities = rng.dirichlet(np.full(14, 0.15), size=(40, 5, 4)).astype(np.float32)
    real = rng.integers(0, 14, size=(40, 5, 4)).astype(np.uint8)
    hit = rng.random(real.shape) < 0.6
    real = np.where(hit, probabilities.argmax(-1), real).astype(np.uint8)
    real[rng.random(real.shape) < 0.1] = UNKNOWN
    real[7] = UNKNOWN
    named = np.clip(probabilities.argmax(-1) + rng.integers(-1, 2, real.shape), 0, 13)
    return deals, probabilities, named.astype(np.uint8), real


def evaluated(case, parts=(slice(None),)):
    deals, probabilities, named, real = case
    tally = Tally()
    for part in parts:
        tally.add(probabilities[part], named[part], real[part], deals.owners[part])
    return tally.evaluation()


def by_loops(case, chosen):
    """Figures of the results for which ``chosen(deal, strain, declarer, tricks)`` is true."""
    deals, probabilities, named, real = case
    rows = []
    for d, deal in enumerate(deals):
        for strain in Strain:
            for seat in Seat:
                tricks = int(real[d, strain, seat])
                if tricks == UNKNOWN or not chosen(deal, strain, seat, tricks):
                    continue
                chances = probabilities[d, strain, seat].astype(float)
                error = sum(k * chance for k, chance in enumerate(chances)) - tricks
                off = abs(int(named[d, strain, seat]) - tricks)
                loss = -np.log(max(chances[tricks], 1e-12))
                rows.append([off <= 2, off <= 1, off == 0, loss, error, error**2])
    if not rows:
        return None
    means = np.mean(rows, axis=0)
    return len(rows), *(100 * means[:3]), *means[3:]


def assert_same(figures, expected):
    if expected is None:
        assert figures is None
        return
    found = (figures.within_2, figures.within_1, figures.exact, figures.log_loss,
             figures.mean_error, figures.mean_squared_error)  # fmt: skip
    assert figures.results == expected[0]
    assert [figure.value for figure in found] == pytest.approx(list(expected[1:]), rel=1e-6)


def fit_of(deal, strain, seat):
    both = [a + b for a, b in zip(deal[seat].lengths, deal[seat.partner].lengths, strict=True)]
    return max(both) if strain == Strain.NOTRUMP else both[strain]


FITS = {"0-4": range(5), "5-6": (5, 6), "7": (7,), "8": (8,), "9": (9,), "10": (10,)}


def test_every_group_against_plain_loops(case):
    found = evaluated(case)
    assert found.deals == 39
    for letter, figures in found.strains.items():
        wanted = {"suits": "SHDC", "all": "SHDCN"}.get(letter, letter)
        assert_same(figures, by_loops(case, lambda deal, s, *_, w=wanted: s.letter in w))
    assert list(found.strains) == [*"SHDCN", "suits", "all"]
    for strain in Strain:
        for seat in Seat:
            cell = found.cells[strain.letter][seat.letter]
            same = (strain, seat)
            assert_same(cell, by_loops(case, lambda deal, s, by, t, w=same: (s, by) == w))
    for contracts in ("suits", "N"):
        tests = {"declarer": {s.letter: lambda deal, s, by, t, w=s: by == w for s in Seat},
                 "tricks": {str(k): lambda deal, s, by, t, w=k: t == w for k in range(14)},
                 "fit": {name: lambda deal, s, by, t, w=w: fit_of(deal, s, by) in w
                         for name, w in (FITS | {"11+": range(11, 27)}).items()},
                 "longest": {name: lambda deal, s, by, t, w=w: max(
                     max(deal[seat].lengths) for seat in Seat) in w
                     for name, w in {"4": (4,), "5": (5,), "6": (6,), "7": (7,),
                                     "8+": range(8, 14)}.items()}}  # fmt: skip
        for name, groups in tests.items():
            assert set(found.breakdowns[name][contracts]) <= set(groups)
            for group, test in groups.items():
                ours = found.breakdowns[name][contracts].get(group)
                expected = by_loops(
                    case,
                    lambda deal, s, by, t, c=contracts, f=test: (
                        (s == Strain.NOTRUMP) == (c == "N") and f(deal, s, by, t)
                    ),
                )
                assert_same(ours, expected)


def test_the_calibration_error_against_plain_loops(case):
    _, probabilities, _, real = case
    bins = [[] for _ in range(15)]
    for chances, tricks in zip(
        probabilities[:, 4].reshape(-1, 14), real[:, 4].ravel(), strict=True
    ):
        if tricks != UNKNOWN:
            stated = float(chances.max())
            bins[min(int(stated * 15), 14)].append((stated, chances.argmax() == tricks))
    count = sum(map(len, bins))
    error = sum(abs(sum(hit - stated for stated, hit in some)) for some in bins) / count
    found = evaluated(case).calibration["N"]
    assert found.error.value == pytest.approx(100 * error)
    assert [each.results for each in found.bins] == [len(some) for some in bins if some]
    assert found.bins[-1].happened.value == pytest.approx(
        100 * np.mean([hit for _, hit in bins[-1]])
    )
    assert found.bins[-1].stated == pytest.approx(100 * np.mean([stated for stated, _ in bins[-1]]))


def test_batches_change_nothing(case):
    whole, parts = evaluated(case), evaluated(case, [slice(0, 9), slice(9, 10), slice(10, 40)])
    for name, figures in whole.strains.items():
        assert parts.strains[name].exact == pytest.approx(figures.exact)
        assert parts.calibration[name].error == pytest.approx(whole.calibration[name].error)


def test_chances_that_come_true_are_within_what_chance_makes():
    rng = np.random.default_rng(3)
    probabilities = rng.dirichlet(np.full(14, 0.2), size=(3000, 5, 4)).astype(np.float32)
    owners = tc.random_deals(3000, seed=1).owners

    def found(sharper):
        real = (probabilities.cumsum(-1) < rng.random((3000, 5, 4, 1))).sum(-1).clip(0, 13)
        stated = probabilities**sharper
        stated /= stated.sum(-1, keepdims=True)
        tally = Tally()
        tally.add(stated, stated.argmax(-1).astype(np.uint8), real.astype(np.uint8), owners)
        return tally.evaluation().calibration["suits"]

    right = found(1)
    assert right.error.value < 2 * right.noise
    assert right.noise < 0.6
    wrong = found(1.5)
    assert wrong.error.low > 5 * wrong.noise
    assert all(b.stated > b.happened.value for b in wrong.bins if b.results > 3000)


def test_two_models_are_compared_deal_by_deal(case):
    deals, probabilities, named, real = case
    tally, paired, same = Tally(), Paired(), Paired()
    ours = tally.add(probabilities, named, real, deals.owners)
    theirs = Tally().add(probabilities, np.minimum(named + 1, 13), real, deals.owners)
    paired.add(ours, theirs)
    same.add(ours, ours)
    assert all(part.exact == (0, 0, 0) for part in same.differences().values())
    shifted = evaluated((deals, probabilities, np.minimum(named + 1, 13), real))
    for name, difference in paired.differences().items():
        apart = tally.evaluation().strains[name].exact.value - shifted.strains[name].exact.value
        assert difference.exact.value == pytest.approx(apart)
        assert difference.exact.low < apart < difference.exact.high


def test_tallies_of_parts_add_up_in_any_order(case):
    deals, probabilities, named, real = case
    whole = evaluated(case)
    for order in ((0, 1, 2), (2, 0, 1)):
        together, paired = Tally(), Paired()
        for part in (slice(15 * place, 15 * place + 15) for place in order):
            tally, some = Tally(), Paired()
            of_part = probabilities[part], named[part], real[part], deals.owners[part]
            figures = tally.add(*of_part)
            some.add(figures, figures)
            together.merge(tally)
            paired.merge(some)
        assert plain(together.evaluation(), 12) == plain(whole, 12)
        assert paired.differences()["all"].results == whole.strains["all"].results


def test_what_cannot_be_compared_is_refused(case):
    deals, probabilities, named, real = case
    with pytest.raises(ValueError, match=r"named of shape \(40, 5\)"):
        Tally().add(probabilities, named[..., 0], real, deals.owners)
    tally = Tally()
    tally.add(probabilities, named, np.full_like(real, UNKNOWN), deals.owners)
    with pytest.raises(ValueError, match="no known tricks"):
        tally.evaluation()


# --- intervals --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["share", "rare", "mean"])
def test_intervals_hold_the_truth_as_often_as_they_say(kind):
    """Clusters of 1 to 20 results that hang together; the truth is known."""
    rng = np.random.default_rng(11)
    chance = {"share": 0.8, "rare": 0.99, "mean": 0.0}[kind]
    clusters, together = {"share": (80, 2), "rare": (300, 10), "mean": (80, 0)}[kind]
    held, naive, rounds = 0, 0, 600
    for _ in range(rounds):
        sizes = rng.integers(1, 21, clusters)
        if kind == "mean":
            sums = sizes * rng.normal(0, 1, clusters) + np.sqrt(sizes) * rng.normal(0, 1, clusters)
        else:  # a deal's own chance, then its results
            own = rng.beta(together * chance, together * (1 - chance), clusters)
            sums = rng.binomial(sizes, own).astype(float)
        found = ClusterSums(2)
        found.add(np.column_stack([sums, sizes]))
        pick = np.array([1.0, 0.0])
        value, low, high = found.mean(pick) if kind == "mean" else found.share(pick)
        held += low <= chance <= high
        error = np.sqrt(value * (1 - value) / sizes.sum()) if kind != "mean" else 0.0
        naive += abs(value - chance) <= 1.96 * error
    assert 0.90 <= held / rounds <= 0.985
    assert naive / rounds < 0.85  # what taking every result for itself would claim


def test_shares_stay_within_zero_and_one():
    found = ClusterSums(2)
    found.add([[20, 20]] * 50)
    value, low, high = found.share(np.array([1.0, 0.0]))
    assert (value, high) == (1, 1)
    assert 0.9 < low < 0.95  # Wilson of 50 out of 50


def test_a_few_results_among_many_clusters_tell_little():
    # one hit of one result, in one of a thousand clusters whose other results are elsewhere
    found = ClusterSums(3)
    found.add([[1.0, 1.0, 5.0], *[[0.0, 0.0, 5.0]] * 999])
    value, low, high = found.share(np.eye(3)[0], np.eye(3)[1])
    assert (value, high) == (1, 1)
    assert low == pytest.approx(1 / (1 + 1.959964**2))  # Wilson's interval of one result


@pytest.mark.parametrize("clusters", [2, 3, 5, 10])
def test_intervals_of_few_clusters_hold_the_truth_as_often_as_they_say(clusters):
    rng = np.random.default_rng(3)
    shares, means, rounds = 0, 0, 600
    for _ in range(rounds):
        found = ClusterSums(3)
        hits = rng.binomial(20, rng.beta(16, 4, clusters))
        found.add(np.column_stack([hits, rng.normal(0, 1, clusters), np.full(clusters, 20)]))
        _, low, high = found.share(np.eye(3)[0])
        shares += low <= 0.8 <= high
        _, low, high = found.mean(np.eye(3)[1])
        means += low <= 0 <= high
    assert shares / rounds >= 0.93 and 0.93 <= means / rounds <= 0.97


@pytest.mark.parametrize("rows", [[[17, 20], [17, 20]], [[17, 20], [18, 20]]])
def test_clusters_that_agree_by_chance_tell_no_more_than_their_results(rows):
    found = ClusterSums(2)
    found.add(rows)
    _, low, high = found.share(np.array([1.0, 0.0]))
    trials = binomtest(int(sum(hits for hits, _ in rows)), 40)
    wilson = trials.proportion_ci(method="wilson")
    assert low < wilson.low and wilson.high < high


def test_a_single_cluster_has_no_spread(case):
    deals, probabilities, named, real = case
    figures = evaluated((deals[:1], probabilities[:1], named[:1], real[:1])).strains["all"]
    assert np.isnan(figures.exact.low)
    assert np.isnan(figures.mean_error.high)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=30))
def test_clusters_without_results_count_for_nothing(pairs):
    rows = [(min(hits, n), n) for hits, n in pairs]
    if sum(n for _, n in rows) == 0:
        return
    some, all_ = ClusterSums(2), ClusterSums(2)
    all_.add(rows)
    some.add([row for row in rows if row[1]])
    pick = np.array([1.0, 0.0])
    assert np.array_equal(some.share(pick), all_.share(pick), equal_nan=True)
    value, low, high = all_.share(pick)
    assert np.isnan(low) or 0 <= low <= value <= high <= 1


def test_the_interval_of_a_share_stays_in_its_range_whatever_the_rounding():
    for clusters in range(2, 60):
        for n in (1, 3, 7, 10, 20):
            for hits in (0, n):
                sums = ClusterSums(2)
                sums.add([(hits, n)] * clusters)
                value, low, high = sums.share(np.array([1.0, 0.0]))
                assert 0 <= low <= value <= high <= 1


# --- calibration at export --------------------------------------------------------------------


def test_a_calibration_is_found_again():
    """Results drawn by known numbers; then by none that keep the order."""
    torch = pytest.importorskip("torch", reason="torch comes with the extra 'train'")
    from trickcast.training.exports import Calibration, fit_calibration

    logits = torch.randn(2000, 5, 4, 14, generator=torch.Generator().manual_seed(1)) * 2
    tilt = (0.05,) * 4 + (-0.1,)
    true = Calibration((0.8,) * 4 + (1.2,), (0.06,) * 4 + (0.0,), (0.0,) * 4 + (0.2,), tilt)
    noise = np.random.default_rng(2).gumbel(size=logits.shape)
    tricks = (true.apply(logits).log().numpy() + noise).argmax(-1).astype(np.uint8)
    found = fit_calibration(logits.softmax(-1).numpy(), tricks)
    assert found.slope == pytest.approx(true.slope, abs=0.08)
    assert found.curve == pytest.approx(true.curve, abs=0.02)
    assert found.doubt == pytest.approx(true.doubt, abs=0.06)
    assert found.tilt == pytest.approx(true.tilt, abs=0.01)
    off = (found.apply(logits) @ torch.arange(14.0)).numpy() - tricks
    assert abs(off[:, :4].mean()) < 1e-3 and abs(off[:, 4].mean()) < 1e-3
    assert len(set(found.slope[:4])) == 1
    few = logits[:100]
    learned_by_heart = few.argmax(-1).numpy().astype(np.uint8)
    found = fit_calibration(few.softmax(-1).numpy(), learned_by_heart)
    assert np.isfinite(found.slope).all()
    assert min(found.curve) >= 0


def test_the_order_of_chances_is_kept():
    torch = pytest.importorskip("torch", reason="torch comes with the extra 'train'")
    from trickcast.training.exports import Calibration

    logits = torch.linspace(-30, 10, 14).expand(1, 5, 4, 14)
    for calibration in (
        Calibration((0.5,) * 5, (0.1,) * 5),
        Calibration((0.5,) * 5, (0.1,) * 5, (0.18,) * 5),
    ):
        for each in (logits, logits / 40):
            assert (calibration.apply(each).diff(dim=-1) >= 0).all()
    sure, unsure = (calibration.apply(each)[0, 0, 0] for each in (logits, logits / 40))
    assert sure[-1] > 0.6
    assert unsure[-1] < (logits / 40).softmax(-1)[0, 0, 0, -1]  # doubt makes it flatter still
    plain = Calibration().apply(logits)
    assert torch.allclose(plain, logits.softmax(-1), atol=1e-6)


def test_a_network_that_is_mostly_wrong_keeps_its_order_too():
    torch = pytest.importorskip("torch", reason="torch comes with the extra 'train'")
    from trickcast.training.exports import fit_calibration

    logits = torch.randn(200, 5, 4, 14, generator=torch.Generator().manual_seed(1))
    least_likely = logits.argmin(-1).numpy().astype(np.uint8)
    found = fit_calibration(logits.softmax(-1).numpy(), least_likely)
    assert min(found.slope) > 0
    assert torch.equal(found.apply(logits).argmax(-1), logits.argmax(-1))


# --- peers ------------------------------------------------------------------------------------


def write_peer(path, width=213, outputs=14, softmax=True, rows="n", seed=0):
    """A peer of one linear layer; return its weights, (width, outputs)."""
    onnx = pytest.importorskip("onnx", reason="onnx comes with the extra 'train'")
    from onnx import TensorProto, helper, numpy_helper

    weights = np.random.default_rng(seed).normal(size=(width, outputs)).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["logits"])]
    if softmax:
        nodes.append(helper.make_node("Softmax", ["logits"], ["chances"], axis=-1))
    name = "chances" if softmax else "logits"
    graph = helper.make_graph(
        nodes,
        "peer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, width])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, outputs])],
        [numpy_helper.from_array(weights, "w")],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return weights


def row_by_hand(deal, strain, declarer, cards):
    """A peer's row, read off the deal's text: the default layout."""
    row = [float(letter == strain) for letter in "NSHDC"]
    for step in (1, 2, 3, 0):
        hand = str(deal["NESW"[("NESW".index(declarer) + step) % 4]])
        for suit in hand.split("."):
            ranks = "AKQJT98765432" if cards == 52 else "AKQJT98"
            row += [float(rank in suit) for rank in ranks]
            if cards == 32:
                row.append(float(sum(rank in "765432" for rank in suit)))
    return np.array(row, np.float32)


@pytest.mark.parametrize("cards", [52, 32])
@pytest.mark.parametrize("counts", ["declarer", "defenders"])
def test_a_peer_gets_its_rows_and_its_answers_are_read(tmp_path, board, cards, counts):
    weights = write_peer(tmp_path / "peer.onnx", 5 + 4 * cards)
    found = PeerModel(tmp_path / "peer.onnx", counts=counts, threads=1)([board, board])
    assert found.probabilities.shape == (2, 5, 4, 14)
    for strain in "SHDCN":
        for declarer in "NESW":
            logits = row_by_hand(board, strain, declarer, cards) @ weights
            chances = np.exp(logits - logits.max())
            chances /= chances.sum()
            if counts == "defenders":
                chances = chances[::-1]
            ours = found.probabilities[1, "SHDCN".index(strain), "NESW".index(declarer)]
            assert np.allclose(ours, chances, atol=1e-4)
            assert found.tricks[1, strain, declarer] == chances.argmax()


def test_a_peers_layout_moves_its_columns(tmp_path, board):
    write_peer(tmp_path / "peer.onnx")
    usual = PeerModel(tmp_path / "peer.onnx").encode(board.owners[None])
    other = PeerModel(tmp_path / "peer.onnx", "declarer lho SHDCN dummy rho").encode(
        board.owners[None]
    )
    assert np.array_equal(other[:, :52], usual[:, -52:])
    assert np.array_equal(other[:, 104:109], usual[:, [1, 2, 3, 4, 0]])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"width": 200}, r"shape \['n', 200\] \(expected rows of 213 or 133"),
        ({"outputs": 13}, "rows of 14 probabilities"),
        ({"rows": 1}, "1 rows at a time"),
        ({"softmax": False}, "not probabilities"),
    ],
)
def test_a_peer_of_another_kind_is_refused(tmp_path, board, made, words):
    write_peer(tmp_path / "peer.onnx", **made)
    with pytest.raises(tc.ModelError, match=words):
        PeerModel(tmp_path / "peer.onnx")(board)


def test_what_a_peer_says_of_itself_is_cut(tmp_path):
    write_peer(tmp_path / "peer.onnx", width=200, rows="\x1b[2J" + "n" * 100_000)
    with pytest.raises(tc.ModelError, match="rows of 213 or 133") as told:
        PeerModel(tmp_path / "peer.onnx")
    assert len(str(told.value)) <= 1010 and "\x1b" not in str(told.value)
    assert len(str(tc.ModelError("x" * 100_000))) <= 1000


def test_a_peer_is_named_when_it_is_no_model(tmp_path):
    (tmp_path / "peer.onnx").write_bytes(b"rubbish")
    with pytest.raises(tc.ModelError, match=r"peer\.onnx: not a model that can be run"):
        PeerModel(tmp_path / "peer.onnx")


@pytest.mark.parametrize(
    "layout", ["", "NSHD lho dummy rho declarer", "NSHDC lho lho rho declarer"]
)
def test_a_layout_that_cannot_be_read(tmp_path, layout):
    write_peer(tmp_path / "peer.onnx")
    with pytest.raises(ValueError, match="not a layout of a row"):
        PeerModel(tmp_path / "peer.onnx", layout)


# --- the command ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solved(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("solved") / "deals.zrd"
    tc.write(Library(LIBRARY).deals("test")[:12], path)
    return path


def test_the_command_says_everything(run, solved, tmp_path):
    write_peer(tmp_path / "peer.onnx")
    arguments = ("evaluate", solved, "--model", SMALL, "--threads", 1)
    status, out, err = run(*arguments, "--peer", tmp_path / "peer.onnx", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["deals"] == found["peer"]["deals"] == 12
    value, low, high = found["suits"]["exact"]
    assert low < value < high
    real = tc.read(solved)
    ours = (tc.estimate(real, model=SMALL).tricks == real.tricks)[:, :4].mean()
    assert value == pytest.approx(100 * ours, abs=1e-3)
    apart = found["suits"]["exact"][0] - found["peer"]["suits"]["exact"][0]
    assert found["difference"]["suits"]["exact"][0] == pytest.approx(apart, abs=1e-3)
    assert found["results_a_processor_second"][0] > 0
    assert {row["network"] for row in found["published"]} >= {"CNN ensemble", SMALL}
    status, out, _ = run(*arguments)
    assert status == 0
    for words in ("spades", "by fit", "calibration", "CNN ensemble", "results a second"):
        assert words in out


def test_groups_stand_in_their_order_where_suits_lack_some(run, tmp_path):
    tricks = np.full((2, 5, 4), 9, np.uint8)
    tricks[0], tricks[:, 4] = 5, [[7] * 4, [2] * 4]  # suits lack 2 and 7, notrump 5 and 9
    tc.write(tc.random_deals(2, seed=4).with_tricks(tricks), tmp_path / "few.zrd")
    out = run("evaluate", tmp_path / "few.zrd", "--model", SMALL, "--threads", 1)[1]
    table = out.partition("by the real number of tricks")[2].partition("published")[0]
    assert re.findall(r"^ *(\d+) ", table.partition("by ")[0], re.MULTILINE) == list("2579")


def test_what_a_single_deal_cannot_tell_is_null_and_blank(run, solved, tmp_path):
    tc.write(tc.read(solved)[:1], tmp_path / "one.zrd")
    arguments = ("evaluate", tmp_path / "one.zrd", "--model", SMALL, "--threads", 1)
    status, out, err = run(*arguments, "--json")
    assert (status, err) == (0, "") and "NaN" not in out
    assert json.loads(out)["calibration"]["all"]["noise"] is None
    text = run(*arguments)[1]
    assert text.startswith(f"{SMALL} on 1 deal, ") and "nan" not in text


@pytest.mark.solver
def test_a_library_without_deals_for_a_use_says_what_it_has(run, solved, tmp_path):
    folder = tmp_path / "library"
    assert run("library", "add", folder, solved, "--name", "a", "--source", "b")[0] == 0
    status, out, err = run("evaluate", folder, "--model", SMALL, "--use", "validation")
    assert (status, out) == (2, "")
    assert err.endswith("the library has no deals for validation (it has: train)\n")
    said = run("library", "verify", folder, "--sample", 1)[1]
    assert said.endswith(": 1 shard with 12 deals is sound; 1 deal solved again agrees\n")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--peer", "nowhere.onnx"], "nowhere.onnx"),
        (["--peer", "PEER", "--peer-counts", "both"], "declarer or defenders"),
        (["--peer", "PEER", "--peer-layout", "SHDCN"], "--peer-layout"),
        (["--peer", "NARROW"], "213 or 133"),
        (["--peer-counts", "defenders"], "--peer-layout and --peer-counts need --peer"),
        (["--use", "validation"], "--use needs a library"),
    ],
)
def test_a_wrong_peer_ends_with_status_2(run, solved, tmp_path, more, words):
    write_peer(tmp_path / "PEER")
    write_peer(tmp_path / "NARROW", width=9)
    more = [str(tmp_path / word) if word in ("PEER", "NARROW") else word for word in more]
    status, out, err = run("evaluate", solved, "--model", SMALL, *more)
    assert (status, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) <= 3


@pytest.mark.solver
def test_estimating_with_exact_results_for_what_is_unsure(run, board):
    arguments = ("estimate", board.pbn, "--model", SMALL, "--solve-below", 1)
    status, out, err = run(*arguments, "--json")
    assert (status, err) == (0, "")
    found, expected = json.loads(out), tc.estimate(board, model=SMALL, solve_below=1)
    assert found["solved"] == expected.solved.tolist()
    assert found["tricks"] == expected.tricks.tolist()
    status, out, _ = run(*arguments)
    assert (status, out.count(" =")) == (0, expected.solved.sum())
    status, out, err = run("estimate", board.pbn, "--solve-below", 2)
    assert (status, out) == (2, "")
    assert err == "trickcast: --solve-below is 2.0 (expected 0 to 1)\n"
