"""Opening systems against the hands that the papers print, networks, and labelled files."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast import Hand, ModelError, openings, papers
from trickcast.bidding import registry
from trickcast.bidding.rules import RuleSystem
from trickcast.papers.opening_networks import (
    CascadeSystem,
    NetworkSystem,
    OpeningNetwork,
    code_cards,
    code_features,
    open_networks,
    save,
)
from trickcast.papers.published import read_table
from trickcast.papers.yegnanarayana1996.backpropagation import (
    BackPropagation,
    call_targets,
    train_network,
)

DOCS = Path(__file__).parents[1] / "docs"
SUITS = ("spades", "hearts", "diamonds", "clubs")
NETWORKS = ("52-60-7", "52-60-12", "cascade-1996")


def printed(table: str) -> list[tuple[str, list[str], dict[str, str]]]:
    """The hands of a table of the 1996 paper with the experts' calls."""
    rows = [row for row in read_table("opening_bids_1996.csv") if row["source_table"] == table]
    return [
        (
            ".".join(row[suit] for suit in SUITS),
            row["expert_bids"].replace("P", "PASS").split("|"),
            row,
        )
        for row in rows
    ]


@pytest.fixture(scope="module")
def teacher() -> RuleSystem:
    rules = openings.load("standard-american")
    assert isinstance(rules, RuleSystem)
    return rules


@pytest.fixture(scope="module")
def fresh() -> np.ndarray:
    return openings.random_hands(4_000, seed=1_996)


def agreement(system: openings.OpeningSystem, rules: RuleSystem, hands: np.ndarray) -> float:
    wanted = [c if c in system.calls else openings.UNKNOWN for c in rules.bid(hands)]
    return float(np.mean(np.array(system.bid(hands)) == np.array(wanted)))


# --- the package -----------------------------------------------------------------------------


def test_openings_load_on_access_and_without_torch() -> None:
    code = (
        "import sys, trickcast as tc; assert 'trickcast.bidding' not in sys.modules;"
        "tc.openings.load('52-60-12').bid('A.KQ9832.T94.AKT');"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert tc.openings is openings


# --- standard american, against the printed hands -----------------------------------------------


@pytest.mark.parametrize(("table", "agreed"), [("3", 18), ("7", 9), ("B1", 60)])
def test_the_teacher_bids_the_printed_hands(teacher: RuleSystem, table: str, agreed: int) -> None:
    rows = printed(table)
    assert sum(teacher.bid(hand) in experts for hand, experts, _ in rows) >= agreed


@pytest.mark.parametrize(
    ("hand", "call"),
    [
        # the running text of the 1996 paper
        ("Q8632.KJ5.A97.QJ", "1S"),
        ("AJ93.K84.K743.A9", "1S"),
        ("AJ93.K8.K743.A94", "1C"),
        # ends of the ranges
        ("AK2.KQ3.KJ54.Q32", "1N"),
        ("AK2.KQ3.AJ54.Q32", "1D"),
        ("AK2.AK3.AK54.Q32", "2N"),
        ("AKQ2.AKQ.AK54.32", "2C"),
        ("2.3.KQJT98765.32", "5D"),
        ("32.2.54.AKQ98732", "3N"),
    ],
)
def test_standard_american(teacher: RuleSystem, hand: str, call: str) -> None:
    assert teacher.bid(hand) == call


# --- polish club -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "options"),
    [
        # the four controversial hands of BridgeHand2Vec, Table 10, with the options it names
        ("AK8765.Q76.J65.6", {"1S", "2D"}),
        ("AQ765.K5.QJ5.A65", {"1S", "1N"}),
        ("AJT2.KQ.65.QJ654", {"1C", "2C"}),
        ("AK65.AK65.K765.6", {"1C", "1D"}),
        ("A.KQ9832.T94.AKT", {"1H"}),
    ],
)
def test_polish_club(hand: str, options: set[str]) -> None:
    assert openings.load("polish-club-rules").bid(hand) in options


def test_polish_rules_agree_with_the_labelled_hands(shared: Path) -> None:
    labelled = openings.read_labelled(shared / "data" / "openings" / "polish-club-1000.csv")
    assert len(labelled) == 1_000
    assert labelled.calls.count("PASS") == 549 and labelled.calls.count("1C") == 127
    assert labelled.agreement(openings.load("polish-club-rules")) == 0.923


# --- the networks of 1996 ------------------------------------------------------------------------


def test_the_coding_of_cards_is_the_papers() -> None:
    bits = "0100000101010" + "0101001000000" + "0100001100000" + "0100000110000"
    coded = code_cards(Hand("K753.KJ8.K87.K76").cards[None])
    assert coded.astype(int).tolist() == [[int(bit) for bit in bits]]


def test_the_feature_coding_has_thirteen_values_and_three_marks() -> None:
    coded = code_features(
        np.stack([Hand("K753.KJ8.K87.K76").cards, Hand(".AQ..KJT98765432").cards])
    )
    assert coded[0].tolist() == [3, 0, 0, 0, -1, 3, 1, 0, -1, 3, 0, 0, -1, 3, 0, 0]
    assert coded[1].tolist() == [-1, 4, 2, -1, -1, 3, 1, *[0] * 9]


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_agree_with_their_teacher(
    name: str, teacher: RuleSystem, fresh: np.ndarray
) -> None:
    system = openings.load(name)
    assert agreement(system, teacher, fresh[:200]) >= 0.92  # the paper's figure, on as many hands
    assert agreement(system, teacher, fresh) >= 0.95
    chances = system.probabilities(fresh)
    assert chances.shape == (len(fresh), len(system.calls))
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(fresh)), abs=1e-4)
    assert chances.min() >= 0


@pytest.mark.parametrize(("name", "column"), [("52-60-7", "net_1level"), ("52-60-12", "net_2nt")])
def test_networks_please_the_experts_as_often_as_the_published(name: str, column: str) -> None:
    rows = printed("B1")
    published = sum(row[column].replace("P", "PASS") in experts for _, experts, row in rows)
    ours = sum(openings.load(name).bid(hand) in experts for hand, experts, _ in rows)
    assert ours >= published > 40


def test_the_cascade_opens_any_hand_and_finds_the_rare_bids(teacher: RuleSystem) -> None:
    cascade, flat = openings.load("cascade-1996"), openings.load("52-60-12")
    assert isinstance(cascade, CascadeSystem)
    assert set(cascade.calls) == set(teacher.calls)
    recall: dict[str, list[float]] = {cascade.name: [], flat.name: []}
    for call in ("2C", "2D", "2H", "2S", "2N", "3C", "3H", "4S", "5D"):
        hands = openings.hands_opened(teacher, call, 100, seed=77)
        for system in (cascade, flat):
            recall[system.name].append(np.mean([bid == call for bid in system.bid(hands)]))
    assert np.mean(recall[cascade.name]) > 0.95 > np.mean(recall[flat.name])
    assert np.mean(recall[cascade.name][:5]) > np.mean(recall[flat.name][:5])


def test_both_readings_of_the_outputs() -> None:
    network = OpeningNetwork((), ("1C", "1D", openings.UNKNOWN))
    activations = np.array([[0.9, 0.2, 0.1], [0.4, 0.3, 0.1], [0.9, 0.8, 0.1], [0.1, 0.2, 0.6]])
    assert network.read(activations.astype(np.float32)).tolist() == [0, 0, 0, 2]
    assert network.read(activations.astype(np.float32), "threshold").tolist() == [0, 2, 2, 2]


def test_networks_explain_their_answers() -> None:
    flat = openings.load("52-60-7")
    assert isinstance(flat, NetworkSystem)
    shown = flat.explain("Q8632.KJ5.A97.QJ")
    assert shown.call == flat.bid("Q8632.KJ5.A97.QJ") == "1S" and "1S 0." in shown.reason
    assert next(iter(shown.probabilities)) == "1S"
    assert flat.bid("2.3.KQJT98765.32") == openings.UNKNOWN
    cascade = openings.load("cascade-1996").explain("2.3.KQJT98765.32")
    assert cascade.call == "5D" and cascade.reason.startswith("52-60-3 says 5D")
    last = openings.load("cascade-1996").explain("Q8632.KJ5.A97.QJ")
    assert last.reason.count("UNKNOWN") == 4 and "52-60-6 says 1S" in last.reason


# --- back-propagation ----------------------------------------------------------------------------


def test_a_step_follows_the_gradient() -> None:
    """One step on all hands against finite differences of half the squared error."""
    hands = openings.random_hands(20, seed=1)
    targets = np.random.default_rng(1).random((20, 3)).astype(np.float32)
    rate = 1e-3

    def layers(epochs: int) -> list[np.ndarray]:
        settings = BackPropagation(epochs=epochs, rate=rate, momentum=0.0, batch=20, seed=4)
        trained = train_network("52-5-4-3", ("1C", "1D", "1H"), hands, targets, settings)
        return [array.astype(float) for layer in trained.network.layers for array in layer]

    def error(arrays: list[np.ndarray]) -> float:
        values = hands.astype(float)
        for weights, biases in zip(arrays[::2], arrays[1::2], strict=True):
            values = 1 / (1 + np.exp(-(values @ weights + biases)))
        return float(((values - targets) ** 2).sum() / 2)

    before, after = layers(1), layers(2)
    for i, (array, later) in enumerate(zip(before, after, strict=True)):
        for place in list(np.ndindex(array.shape))[:: max(1, array.size // 6)]:
            change = 1e-5
            sides = []
            for sign in (1, -1):
                moved = [one.copy() for one in before]
                moved[i][place] += sign * change
                sides.append(error(moved))
            slope = (sides[0] - sides[1]) / (2 * change)
            assert later[place] - array[place] == pytest.approx(-rate * slope, rel=0.02, abs=2e-7)


def test_training_learns_and_is_the_same_for_the_same_seed(teacher: RuleSystem) -> None:
    outputs = ("PASS", "1C", "1D", "1H", "1S", "1N", openings.UNKNOWN)
    hands = openings.random_hands(2_000, seed=3)
    targets = call_targets(teacher, hands, outputs)
    settings = BackPropagation(epochs=40, seed=2)
    one = train_network("52-20-7", outputs, hands, targets, settings)
    two = train_network("52-20-7", outputs, hands, targets, settings)
    assert one.tss == two.tss < 0.5 * len(hands)
    system = NetworkSystem(one.network, {"name": "mine", "title": "Mine"}, "highest")
    assert agreement(system, teacher, openings.random_hands(2_000, seed=4)) > 0.75


def test_training_refuses_what_does_not_match(teacher: RuleSystem) -> None:
    hands = openings.random_hands(5, seed=1)
    with pytest.raises(ValueError, match="expected 52 or 16 inputs"):
        train_network("51-5-2", ("1C", "1D"), hands, np.zeros((5, 2), np.float32))
    with pytest.raises(ValueError, match="as many outputs"):
        train_network("52-5-3", ("1C", "1D"), hands, np.zeros((5, 2), np.float32))
    with pytest.raises(ValueError, match="no UNKNOWN"):
        call_targets(teacher, openings.random_hands(500, seed=1), ("PASS", "1C"))
    with pytest.raises(ValueError, match="rate is 0"):
        BackPropagation(rate=0)
    for name in ("abc", "52", "52-0-2", "52-5-", "52--2"):
        with pytest.raises(ValueError, match="expected sizes of layers, such as 52-60-7"):
            train_network(name, ("1C", "1D"), hands, np.zeros((5, 2), np.float32))
    for targets in (np.zeros((3, 2), np.float32), np.zeros(5, np.float32)):
        with pytest.raises(ValueError, match=r"expected \(5, 2\): a row for each hand"):
            train_network("52-5-2", ("1C", "1D"), hands, targets)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("rate", np.nan),
        ("rate", np.inf),
        ("final_rate", -5),
        ("final_rate", np.nan),
        ("momentum", 1),
        ("epochs", 1.5),
        ("epochs", 0),
        ("batch", 2.0),
    ],
)
def test_training_refuses_bad_settings(setting: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{setting} is {value} .expected"):
        BackPropagation(**{setting: value})
    assert BackPropagation(final_rate=0).final_rate == 0


# --- files of networks ---------------------------------------------------------------------------


def test_networks_are_saved_and_loaded(tmp_path: Path, fresh: np.ndarray) -> None:
    shipped = openings.load("52-60-7")
    assert isinstance(shipped, NetworkSystem)
    path = tmp_path / "mine.npz"
    save(path, [shipped.network], {"name": "mine", "title": "Mine"})
    again = open_networks(path.read_bytes(), "mine.npz")
    assert again.name == "mine" and again.bid(fresh[:50]) == shipped.bid(fresh[:50])


def test_a_damaged_or_missing_network_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, copy = tmp_path / "ours", tmp_path / "weights"
    shutil.copytree(registry.WEIGHTS, ours)
    shutil.copytree(papers.WEIGHTS, copy)
    monkeypatch.setattr("trickcast.bidding.registry.WEIGHTS", ours)
    monkeypatch.setattr("trickcast.papers.opening_networks.WEIGHTS", copy)
    assert openings.load("52-60-7").bid("Q8632.KJ5.A97.QJ") == "1S"
    data = bytearray((copy / "52-60-7.npz").read_bytes())
    data[300] ^= 1
    (copy / "52-60-7.npz").write_bytes(data)
    with pytest.raises(ModelError, match=r"52-60-7\.npz: the model file is damaged .*SHA-256"):
        openings.load("52-60-7")
    (copy / "52-60-7.npz").unlink()
    with pytest.raises(ModelError, match="the model file is missing"):
        openings.load("52-60-7")
    (ours / "polish-club.json").write_text("{}", "utf-8")
    with pytest.raises(ModelError, match=r"polish-club\.json: the model file is damaged"):
        openings.load("polish-club")
    (copy / "SHA256SUMS").unlink()
    with pytest.raises(ModelError, match="SHA256SUMS: the list of model files is missing"):
        openings.load("52-60-12")


def test_other_files_are_not_networks(tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    np.savez(other, x=np.zeros(3))
    np.save(tmp_path / "plain.npy", np.zeros(3))
    for data in (other.read_bytes(), (tmp_path / "plain.npy").read_bytes(), b"not zipped", b"PK"):
        with pytest.raises(ModelError, match=r"other\.npz: not a file of opening networks"):
            open_networks(data, "other.npz")


# --- labelled hands ------------------------------------------------------------------------------


def test_labelled_hands_are_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(";PBN;OPENING\n3;Q8632.KJ5.A97.QJ;1S\n\n1;AJ93.K8.K743.A94;1nt\n", "utf-8")
    found = openings.read_labelled(path)
    assert found.calls == ("1S", "1N") and found.hands.shape == (2, 52)
    assert Hand.from_cards(found.hands[1]) == Hand("AJ93.K8.K743.A94")
    assert found.agreement(openings.load("standard-american")) == 0.5
    path.write_text("opening,pbn\nP,AJ93.K8.K743.A94\n", "utf-8")
    assert openings.read_labelled(path).calls == ("PASS",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: expected a header"),
        ("a;b\n1;2\n", "line 1: expected a header with the columns PBN and OPENING"),
        ("PBN;OPENING\nAJ93.K8.K743.A94;1C\nAJ93.K8.K743.A94;1Z\n", r"line 3 \(row 2\): '1Z'"),
        ("PBN;OPENING\nAJ93.K8.K743.A9;1C\n", r"line 2 \(row 1\): hand .*12 cards"),
        ("PBN;OPENING\nAJ93.K8.K743.A94\n", r"line 2 \(row 1\): 1 fields \(expected 2\)"),
        ("PBN;OPENING\nAJ93.K8.K743.A94;UNKNOWN\n", r"row 1\): 'UNKNOWN' is not an opening call"),
    ],
)
def test_bad_labelled_files_name_the_row(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(openings.LabelledError, match=said):
        openings.read_labelled(path)


def test_an_empty_labelled_file_has_no_agreement(tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    path.write_text("PBN;OPENING\n", "utf-8")
    found = openings.read_labelled(path)
    assert len(found) == 0 and found.hands.shape == (0, 52)
    with pytest.raises(ValueError, match="no labelled hands"):
        found.agreement(openings.load("polish-club-rules"))


# --- the tables of 1996 --------------------------------------------------------------------------


def test_the_tables_stand_beside_the_published(teacher: RuleSystem) -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.yegnanarayana1996 import agreement as tables

    patterns = {row["pattern"]: row for row in tables.table_1(hands=50_000)}
    assert patterns["4-4-3-2"]["ours"] == pytest.approx(patterns["4-4-3-2"]["exact"], abs=0.8)
    assert sum(row["ours"] for row in patterns.values()) == pytest.approx(100)
    flat = openings.load("52-60-12")
    differ = tables.table_2(teacher, flat)
    assert [row["published_percent"] for row in differ[:2]] == [17.5, 21.25]
    assert 0 < np.mean([row["ours_percent"] for row in differ]) < 10
    rows = tables.hand_table("B1", [teacher, flat])
    assert tables.experts_agree(rows, "published_two_notrump") == (52, 61)
    assert tables.experts_agree(rows, "standard-american")[0] >= 60
    with pytest.raises(ValueError, match="expected 3, 5, 7 or B1"):
        tables.hand_table("4", [teacher])
    assert tables.experts_agree(rows, flat.name)[1] == 61
    row = tables.measure_flat("one-level", 60, epochs=3, fresh=300)
    assert row["network"] == "52-60-7" and row["n"] == 200 and row["fresh_hands"] == 300
    assert row["exact"] <= row["lenient"] <= 100 and 0 < row["threshold_answers"] < 100
    assert tables.measure_flat("2-NT", 40, epochs=1, fresh=200)["network"] == "52-40-12"
    assert tables.measure_flat("one-level", 60, 1, 200, inputs=16)["network"] == "16-60-7"
    assert tables.measure_experiment_1("52-30-6-13", 1, 200)["network"] == "52-30-6-13"


def test_a_lenient_teacher_accepts_what_a_point_would_change(teacher: RuleSystem) -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.yegnanarayana1996 import agreement as tables

    def calls(text: str) -> set[str]:
        (row,) = tables.accepted(teacher, Hand(text).cards[None])
        return {call for call, fine in zip(teacher.calls, row, strict=True) if fine}

    assert calls("A98.K2.AQJ62.AT6") >= {"1N"}
    assert calls("5432.432.432.432") == {"PASS"}
    hands = openings.random_hands(3_000, seed=12)
    fine = tables.accepted(teacher, hands)
    assert fine[np.arange(3_000), teacher.choose(hands)].all()  # its own call always
    assert 1 < fine.sum(axis=1).mean() < 2
    assert tables.agreement(teacher, hands) == tables.lenient_agreement(teacher, hands) == 100


def test_level_and_denomination_are_taught_and_read() -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.yegnanarayana1996 import trained_networks as paper

    rules = paper.teacher()
    hands = openings.random_hands(300, seed=8)
    targets = paper.level_and_strain_targets(rules, hands)
    assert paper.read_level_and_strain(targets) == rules.bid(hands)


@pytest.mark.slow
def test_the_cascade_is_trained_from_high_to_low() -> None:
    pytest.importorskip("torch", reason="the experiments need torch")
    from trickcast.papers.yegnanarayana1996 import trained_networks as paper

    few = BackPropagation(epochs=1)
    trained = paper.train_cascade(each=20, one_level=400, settings=few)
    outputs = [one.network.outputs for one in trained]
    assert [names[0] for names in outputs] == ["5C", "4C", "3C", "2C", "PASS"]
    assert all(names[-1] == openings.UNKNOWN for names in outputs[:-1])
    assert openings.UNKNOWN not in outputs[-1]


def test_the_documented_bids_are_ours() -> None:
    """In the tables of printed hands on the page, what ships bids as it does now."""
    shipped = {name: openings.load(name) for name in ("standard-american", *NETWORKS)}
    checked, head = 0, list[str]()
    for line in (DOCS / "reproduction/yegnanarayana1996.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[:2] == ["row", "hand"]:
            head = cells
        elif head and len(cells) == len(head) and cells[0].isdigit():
            row = dict(zip(head, cells, strict=True))
            assert all(row[name] == system.bid(row["hand"]) for name, system in shipped.items())
            checked += 1
    assert checked == 19 + 7 + 10 + 61


# --- the documentation ---------------------------------------------------------------------------


def test_the_documented_examples_are_true(tmp_path: Path) -> None:
    text = (DOCS / "openings.md").read_text("utf-8")
    blocks = re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)
    shown = next(block for language, block in blocks if language == "")
    system = openings.load("polish-club")
    assert str(system.explain("AK65.AK65.K765.6")).splitlines() == shown.splitlines()
    path = tmp_path / "mine.toml"
    path.write_text(next(block for language, block in blocks if language == "toml"), "utf-8")
    mine = openings.load(path)
    assert mine.calls == ("PASS", "1S", "1N") and mine.bid("AQ765.K5.QJ5.A65") == "1S"
    for name in openings.names():
        assert f"`{name}`" in text
