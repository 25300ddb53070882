"""Training the networks of two hands: symmetry, batches, resuming, learning, export, commands."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

import trickcast as tc
from killing import Killed, kill_at
from trickcast.library import append
from trickcast.papers.bridgehand2vec.hand2vec_network import Hand2Vec, suit_orders, symmetric_tricks
from trickcast.papers.bridgehand2vec.hand2vec_training import Hand2VecConfig, Hand2VecTask, errors
from trickcast.training import TrainingError
from trickcast.training.lessons import (
    join_rows,
    labelled,
    solved_rows,
    take_pairs,
    take_rows,
    teach_rows,
    turned_rows,
)
from trickcast.training.suit_networks import (
    PairNetwork,
    PairNetworkConfig,
    SuitNetwork,
    expected_tricks,
    pair_relations,
    read_weights,
)
from trickcast.training.trainer import train
from trickcast.training.two_hands import PairConfig, PairTask, Sources

TINY = PairNetworkConfig(width=16, before=1, after=1, pooled=1, ratio=2)


def lively(config: PairNetworkConfig = TINY) -> PairNetwork:
    """A network whose head is not zero."""
    network = PairNetwork(config, seed=1).eval()
    torch.nn.init.normal_(network.head.weight, generator=torch.Generator().manual_seed(2))
    return network


@pytest.fixture(scope="module")
def deals() -> tc.DealSet:
    """Random deals with tricks that follow from high cards: something to learn without solving."""
    found = tc.random_deals(128, 6)
    points = np.tile([4, 3, 2, 1] + [0] * 9, 4)
    side = np.stack([((found.owners % 2) == s) @ points for s in (0, 1)], axis=1)
    tricks = np.clip(np.round(side * 13 / 40), 0, 13).astype(np.uint8)
    return found.with_tricks(np.tile(tricks[:, None, [0, 1, 0, 1]], (1, 5, 1)))


@pytest.fixture(scope="module")
def hands(deals) -> "torch.Tensor":
    return solved_rows(deals[:20]).hands


def test_relations_of_a_known_suit():
    """North A Q 3, South K 2 in spades; East-West the other eight."""
    pair = torch.zeros(1, 2, 52, dtype=torch.uint8)
    pair[0, 0, [0, 2, 11]] = 1
    pair[0, 1, [1, 12]] = 1
    found = pair_relations(pair)[0, 0]
    assert found.shape == (2, 13, 8)
    queen = found[0, 2]  # held, above: own 1 (ace), partner's 1 (king), theirs none; top for both
    assert queen.tolist() == [1, 0.25, 0.25, 0, 1, 0, 0, 0]
    assert found[0, 0].tolist() == [1, 0, 0, 0, 1, 1, 0, 0]
    assert found[0, 11].tolist() == [1, 0.5, 0.25, 2, 0, 0, 0, 0]
    jack = found[1, 3]  # the opponents', below one card of South's
    assert jack.tolist() == [0, 0, 0, 0, 0, 0, 1, 0.25]


def test_symmetries_are_exact(hands):
    network = lively()
    with torch.no_grad():
        found = network(hands)
        turned = network(hands.flip(1))
        order = torch.tensor([2, 0, 3, 1])
        moved = network(hands.view(-1, 2, 4, 13)[:, :, order].flatten(2))
    assert found.shape == (40, 5, 2, 14) and float(found.std(0).max()) > 0.01
    torch.testing.assert_close(turned.flip(2), found, atol=1e-4, rtol=0)
    torch.testing.assert_close(moved[:, :4], found[:, order], atol=1e-4, rtol=0)
    torch.testing.assert_close(moved[:, 4], found[:, 4], atol=1e-4, rtol=0)


def test_the_papers_network_has_its_sizes(hands):
    network = Hand2Vec(seed=1).eval()
    sizes = [tuple(layer.weight.shape) for layer in network.embedding]
    assert sizes == [(32, 52), (32, 32), (8, 32)]
    sizes = [tuple(layer.weight.shape) for layer in network.head]
    assert sizes == [(128, 16), (128, 128), (5, 128)]
    assert not list(network.norm.parameters())
    assert len(suit_orders()) == 24
    network.standardize(hands.flatten(0, 1))
    with torch.no_grad():
        vectors = network.embed(hands.flatten(0, 1))
        found = symmetric_tricks(network, hands)
        order = torch.tensor([1, 3, 0, 2])
        moved = symmetric_tricks(network, hands.view(-1, 2, 4, 13)[:, :, order].flatten(2))
    torch.testing.assert_close(vectors.mean(0), torch.zeros(8), atol=1e-4, rtol=0)
    torch.testing.assert_close(vectors.var(0), torch.ones(8), atol=1e-3, rtol=0)
    torch.testing.assert_close(moved[:, :4], found[:, order], atol=1e-4, rtol=0)


def test_both_sides_of_a_deal_are_lessons(deals):
    batch = take_pairs(labelled(deals), 3, 16, seed=1)
    assert batch.hands.shape == (32, 2, 52) and batch.targets.shape == (32, 5, 2, 14)
    assert int(batch.hands.sum()) == 32 * 26
    assert not (batch.hands[:16].bool().any(1) & batch.hands[16:].bool().any(1)).any()
    rows = solved_rows(deals)
    found = {
        hand.numpy().tobytes(): tricks for hand, tricks in zip(rows.hands, rows.tricks, strict=True)
    }
    for hand, target in zip(batch.hands, batch.targets, strict=True):
        assert torch.equal(target.argmax(-1).float(), found[hand.numpy().tobytes()])
    passes = torch.cat([take_rows(rows, step, 64, seed=1)[0] for step in range(4)])
    assert len(torch.unique(passes.flatten(1), dim=0)) == 256


def test_deals_that_are_not_wholly_solved_are_no_rows(deals):
    tricks = deals.tricks.copy()
    tricks[3, 1:] = 255  # spades alone are solved
    for partly in (deals.with_tricks(tricks), tc.random_deals(4, seed=1)):
        with pytest.raises(ValueError, match=r"deal \d of \d+: the result of . by . is not known"):
            solved_rows(partly)


def test_turned_rows_turn_hands_and_tricks_alike(deals):
    rows = solved_rows(deals)
    tricks = torch.arange(len(rows) * 10, dtype=torch.float32).view(-1, 5, 2)
    hands, found = turned_rows(rows.hands, tricks, step=5, seed=1)
    suits, before = hands.view(-1, 2, 4, 13), rows.hands.view(-1, 2, 4, 13)
    seen = set()
    for row in range(len(rows)):
        for flip in (0, 1):
            for shift in range(4):
                order = [(suit + shift) % 4 for suit in range(4)]
                if torch.equal(
                    suits[row], before[row].flip(0)[:, order] if flip else before[row][:, order]
                ):
                    seen.add((flip, shift))
                    assert torch.equal(found[row], tricks[row][[*order, 4], flip])
                    break
    assert len(seen) == 8
    dealt, own = turned_rows(rows.hands, tricks, step=5, seed=1, rotate=False)
    exchanged = (dealt != rows.hands).flatten(1).any(1)
    assert 0.3 < exchanged.float().mean() < 0.7
    for row, flip in enumerate(exchanged.int().tolist()):
        assert torch.equal(dealt[row], rows.hands[row].flip(0) if flip else rows.hands[row])
        assert torch.equal(own[row], tricks[row, :, flip])


@pytest.fixture(scope="module")
def trained(deals, tmp_path_factory):
    config = PairConfig(
        network=TINY, steps=60, solved=32, taught=0, rows=16, learning_rate=1e-2, warm_up=5,
        average=0.9, evaluate_every=20,
    )  # fmt: skip
    rows = solved_rows(deals)
    sources = Sources(labelled(deals), None, rows)
    folder, lines = tmp_path_factory.mktemp("pairs"), []
    checkpoint = folder / "pairs.checkpoint"
    made = train(PairTask(config, sources, rows), checkpoint, report=lines.append)
    return config, sources, rows, folder, made, lines


def test_training_learns_and_refuses_what_is_another(trained):
    config, sources, rows, folder, made, lines = trained
    assert made.done and [line["step"] for line in lines] == [20, 40, 60]
    assert lines[-1]["mse"] < 0.5 * lines[0]["mse"] and lines[-1]["mse"] < 2.5
    path = folder / "pairs.checkpoint"
    with pytest.raises(TrainingError, match="validated on other deals"):
        train(PairTask(config, sources, solved_rows(all_six())), path)
    with pytest.raises(TrainingError, match="learning_rate"):
        train(PairTask(replace(config, learning_rate=1.0), sources, rows), path)


def test_lessons_may_be_added(trained, tmp_path):
    config, sources, rows, *_ = trained
    config, path = replace(config, evaluate_every=1), tmp_path / "pairs.checkpoint"
    with pytest.raises(Killed):
        train(PairTask(config, sources, rows), path, report=kill_at(2))
    more = PairTask(config, Sources(labelled(all_six()), None, rows), rows)
    legs = train(more, path, minutes=0).progress.legs
    assert [leg["from_step"] for leg in legs] == [0, 2]


def all_six() -> tc.DealSet:
    found = tc.random_deals(64, 99)
    return found.with_tricks(np.full((64, 5, 4), 6, np.uint8))


def test_a_missing_source_is_told(deals):
    rows = solved_rows(deals)
    with pytest.raises(TrainingError, match=r"taught is 192.*expected taught=0"):
        PairTask(PairConfig(), Sources(labelled(deals), None, rows), rows)
    with pytest.raises(ValueError, match="expected something to learn from"):
        PairConfig(solved=0, taught=0, rows=0)
    with pytest.raises(TrainingError, match="fewer than the 512"):
        take_rows(rows, 0, 512, seed=1)
    with pytest.raises(ValueError, match="even number"):
        PairNetworkConfig(width=15)


def test_weights_travel_in_16_bits(trained, tmp_path):
    *_, folder, made, _ = trained
    again, record = read_weights(folder / "pairs.npz", PairNetwork)
    assert record["progress"]["step"] == 60 and record["config"]["network"] == asdict(TINY)
    for exact, stored in zip(made.network.parameters(), again.parameters(), strict=True):
        torch.testing.assert_close(exact, stored, atol=2e-3, rtol=2e-3)
    taught = teach_rows(again, 50, seed=3, chunk=16)
    assert taught.hands.shape == (50, 2, 52) and taught.tricks.shape == (50, 5, 2)
    with torch.inference_mode():
        wanted = expected_tricks(again(taught.hands))
    torch.testing.assert_close(taught.tricks, wanted, atol=0.1, rtol=0)  # bfloat16
    with pytest.raises(TrainingError, match=r"not the weights of a suit network.*pair network"):
        read_weights(folder / "pairs.npz", SuitNetwork)
    path = tmp_path / "cut.npz"
    path.write_bytes((folder / "pairs.npz").read_bytes()[:-100])
    with pytest.raises(TrainingError, match="not the weights of a pair network"):
        read_weights(path, PairNetwork)


def test_hand2vec_learns_from_rows(deals, tmp_path):
    rows = join_rows([solved_rows(deals), solved_rows(deals)])
    config = Hand2VecConfig(
        steps=150, batch=128, learning_rate=2e-2, warm_up=5, average=0.9, evaluate_every=50
    )
    lines = []
    made = train(Hand2VecTask(config, rows, rows), tmp_path / "h", report=lines.append)
    assert made.done and lines[-1]["mse"] < 0.5 * lines[0]["mse"]
    assert lines[-1]["mse_symmetric"] <= lines[-1]["mse"]
    assert errors(made.network, rows)["mse"] == pytest.approx(lines[-1]["mse"], rel=1e-3)


def test_both_trainings_on_the_command_line(run, deals, tmp_path):
    library = tmp_path / "library"
    append(library, deals[:96], "made", "train", solver="none", source="test")
    append(library, deals[96:], "held", "validation", solver="none", source="test")
    out = tmp_path / "out"
    settings = ("steps=4", "evaluate_every=2", "solved=16", "taught=0", "rows=0", "network.width=8")
    common = ("--library", library, "--out", out)
    given = [word for setting in settings for word in ("--set", setting)]
    status, said, _ = run("train", "pairs", *common, *given)
    assert status == 0 and "step 4: mse " in said and "accurate.onnx" in said
    model = out / "pairs" / "accurate.onnx"
    estimator = tc.PairEstimator(model)
    owners = deals.owners[96:]
    found = estimator(owners == 0, owners == 2)
    assert found.both.shape == (32, 5, 2, 14)
    assert json.loads(estimator.info.metadata["training"])["progress"]["step"] == 4

    weights = out / "pairs.npz"
    sizes = ("steps=4", "evaluate_every=4", "taught=256", "batch=64", "size=5")
    given = [word for setting in sizes for word in ("--set", setting)]
    status, said, _ = run("train", "hand2vec", *common, *given, "--weights", weights)
    assert status == 0 and "mse_symmetric" in said
    embedding = tc.HandEmbedding(out / "pairs" / "hand2vec.onnx")
    assert embedding.size == 5
    assert tc.PairEstimator(out / "pairs" / "hand2vec.onnx")(owners == 0, owners == 2).both.shape
    sums = (out / "pairs" / "SHA256SUMS").read_text().split()
    assert sums[1::2] == ["accurate.onnx", "hand2vec.onnx"]

    status, _, said = run("train", "hand2vec", *common)
    assert status == 2 and "nothing to learn from" in said
    unused = ("--set", "taught=0", "--weights", weights)
    status, _, said = run("train", "hand2vec", *common, *unused)
    assert status == 2 and "taught is 0 (expected 1 or more with --weights" in said
    status, said, _ = run("train", "pairs", "--settings")
    assert status == 0 and "network.width=" in said and "row_weight=" in said
    status, _, said = run("train", "pairs", *common, "--set", "size=3")
    assert status == 2 and "no setting 'size'" in said
