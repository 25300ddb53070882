"""Exports: the graphs answer as torch does, and every model file ends the same way."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from scipy.special import expit

from trickcast._files import note_checksum
from trickcast.cards import DealSet, Seat, Strain
from trickcast.dealing import random_deals
from trickcast.estimator import Estimator
from trickcast.estimator.files import load_session
from trickcast.pairs import PairEstimator
from trickcast.papers.codings import find_coding, tricks_of
from trickcast.papers.networks.layered_models import export_layered, outputs_of
from trickcast.papers.networks.layered_network import LayeredNetwork
from trickcast.papers.networks.layered_training import PaperConfig
from trickcast.papers.networks.layered_training import train as train_paper
from trickcast.papers.neurons import open_model
from trickcast.training.errors import TrainingError
from trickcast.training.exports import (
    Calibration,
    Graph,
    fit_sharpness,
    open_session,
    write_model,
)
from trickcast.training.onnx_networks import PairGraph, best_range, rounded
from trickcast.training.suit_networks import (
    PairNetwork,
    PairNetworkConfig,
    SuitNetwork,
    SuitNetworkConfig,
    mean_probabilities,
    read_weights,
)
from trickcast.training.trainer import Progress, Trained
from trickcast.training.whole_deals import run_file, to_onnx

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "src/trickcast/weights"


@pytest.fixture(scope="module")
def deals() -> DealSet:
    return random_deals(160, seed=3)


# --- how an export ends -----------------------------------------------------------------------


def doubled(*, minus_mean: bool = False):
    """A model that doubles its input; or one whose answers depend on the batch."""
    graph = Graph()
    x = graph.op("Add", "x", "x", name="" if minus_mean else "y")
    if minus_mean:
        mean = graph.op("ReduceMean", "x", graph.constant(np.array([0])), keepdims=1)
        graph.op("Sub", x, mean, name="y")
    return graph.model({"x": (np.float32, ["n", 2])}, {"y": (np.float32, ["n", 2])})


ROWS = np.array([[1, 2], [3, -4], [8, 0]], np.float32)


def test_a_file_comes_with_its_answers_and_its_checksum(tmp_path):
    for name in ("b", "a", "b"):
        path = tmp_path / "out" / f"{name}.onnx"
        write_model(path, doubled(), {"name": name, "by": "us"}, {"x": ROWS}, {"y": 2 * ROWS})
    lines = (tmp_path / "out/SHA256SUMS").read_text().splitlines()
    for name, line in zip("ab", lines, strict=True):
        path = tmp_path / "out" / f"{name}.onnx"
        assert line == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}.onnx"
        stated = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
        assert stated == {"name": name, "by": "us"}
        with np.load(path.with_suffix(".parity.npz")) as parity:
            assert np.array_equal(parity["x"], ROWS)
            assert np.array_equal(parity["y"], 2 * ROWS)


def test_a_file_that_answers_otherwise_than_torch_is_not_written(tmp_path):
    for wrong in (2 * ROWS + 0.01, 2 * ROWS * np.float32(np.nan)):
        with pytest.raises(TrainingError, match=r"m\.onnx: y differ from torch by (0\.01|nan)"):
            write_model(tmp_path / "m.onnx", doubled(), {}, {"x": ROWS}, {"y": wrong})
    assert not list(tmp_path.iterdir())


def test_a_file_whose_rows_depend_on_each_other_is_not_written(tmp_path):
    answers = 2 * ROWS - ROWS.mean(0)
    with pytest.raises(TrainingError, match="y differ from those of a row alone by 3"):
        write_model(tmp_path / "m.onnx", doubled(minus_mean=True), {}, {"x": ROWS}, {"y": answers})
    assert not list(tmp_path.iterdir())


def test_a_graph_that_is_none_is_not_written(tmp_path):
    graph = Graph()
    graph.op("Add", "x", "nowhere", name="y")
    broken = graph.model({"x": (np.float32, ["n", 2])}, {"y": (np.float32, ["n", 2])})
    with pytest.raises(onnx.checker.ValidationError, match="nowhere"):
        write_model(tmp_path / "m.onnx", broken, {}, {"x": ROWS}, {"y": ROWS})
    assert not list(tmp_path.iterdir())


def test_other_lines_of_the_checksums_stay(tmp_path):
    (tmp_path / "SHA256SUMS").write_text("00  (52x4)-1.onnx\n11  c.npz\n")
    (tmp_path / "b.onnx").write_bytes(b"b")
    note_checksum(tmp_path / "b.onnx")
    expected = f"00  (52x4)-1.onnx\n{hashlib.sha256(b'b').hexdigest()}  b.onnx\n11  c.npz\n"
    assert (tmp_path / "SHA256SUMS").read_text() == expected


# --- the papers' networks ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "coding"),
    [
        ("(52x4)-(26x4)-26-1", "52x4"),
        ("208-4-1", "52x4-marked"),
        ("(52x4)-(13x4)-1", "52x4-2018"),
        ("217-4-1", "52x4-2018+9"),
        ("52-4-1", "52-seats"),
        ("52-4-1", "52-marked"),
        ("104-4-1", "104-marked"),
        ("(26x4)-(13x4)-26-1", "26x4"),
        ("105-4-1", "26x4-trump"),
        ("108-4-1", "26x4-leader"),
        ("109-4-1", "26x4-trump-leader"),
    ],
)
def test_a_network_of_the_papers_is_exported_whole(deals, network, coding, tmp_path):
    tricks = np.random.default_rng(1).integers(0, 14, (40, 5, 4)).astype(np.uint8)
    solved = deals[:40].with_tricks(tricks)
    suit, notrump = (
        Trained(
            PaperConfig(contracts=contracts, network=network, coding=coding),
            LayeredNetwork(network, seed=seed),
            Progress(legs=[{"deals": 3, "sha256": "ab"}]),
            steps=1,
            done=True,
        )
        for seed, contracts in enumerate(("suit", "notrump"))
    )
    path = tmp_path / "paper.onnx"
    export_layered(suit, notrump, solved, path, speed="slow")
    estimator = Estimator(path)
    assert estimator.info.speed == "slow"
    networks = {"suit": suit.network, "notrump": notrump.network}
    outputs = outputs_of(networks, deals.owners, find_coding(coding))
    (answers,) = load_session(path)[0].run(["outputs"], {"owners": deals.owners})
    np.testing.assert_allclose(answers, outputs, atol=1e-5)
    near_limits = np.abs((outputs - 0.1) * 14 / 0.8 % 1 - 0.5) > 0.499
    assert ((estimator(deals).tricks == tricks_of(outputs)) | near_limits).all()
    with pytest.raises(ValueError, match="for suits and one trained for notrump"):
        export_layered(notrump, suit, solved, path)


def test_inputs_below_zero_are_trained_and_exported_with_tanh(deals, tmp_path):
    """As the papers have it; the output is logistic, and whoever looks inside is told."""
    tricks = np.random.default_rng(1).integers(0, 14, (40, 5, 4)).astype(np.uint8)
    solved, path = deals[:40].with_tricks(tricks), tmp_path / "paper.onnx"
    suit, notrump = (
        train_paper(
            PaperConfig(contracts=contracts, network="52-5-1", coding="52", epochs=1, examples=64),
            solved,
            solved,
            tmp_path / contracts,
        )
        for contracts in ("suit", "notrump")
    )
    assert (suit.network.activation, suit.network.output) == ("tanh", "logistic")
    export_layered(suit, notrump, solved, path)
    first, last = (
        [array.detach().numpy().squeeze() for array in (layer.weight, layer.bias)]
        for layer in suit.network.layers
    )
    rows = find_coding("52").encode(deals.owners, Strain.SPADES, Seat.NORTH)
    hidden = np.tanh(rows @ first[0].T + first[1])
    (answers,) = load_session(path)[0].run(["outputs"], {"owners": deals.owners})
    spades_by_north = answers[:, Strain.SPADES, Seat.NORTH]
    np.testing.assert_allclose(spades_by_north, expit(hidden @ last[0] + last[1]), atol=1e-5)
    spread = hidden.std(axis=0) * np.abs(last[0])
    assert np.corrcoef(open_model(path)[0].effects, spread)[0, 1] > 0.9


# --- suits and pairs --------------------------------------------------------------------------


@pytest.mark.parametrize("storage", ["float32", "float16", "int8"])
@pytest.mark.parametrize(
    "network",
    [
        SuitNetworkConfig(width=32, heads=2, before=1, after=1, pooled=1),
        SuitNetworkConfig(width=32, heads=2, before=1, after=2, inputs="cards"),
        SuitNetworkConfig(width=32, heads=0, before=1, after=2, inputs="cards"),
        SuitNetworkConfig(width=32, heads=0, after=0, pooled=1, activation="relu", ratio=2),
    ],
    ids=["attention", "halves", "means", "pooled"],
)
def test_the_exported_graph_answers_as_torch_does(deals, network, storage):
    module = SuitNetwork(network, seed=5).eval()
    torch.nn.init.normal_(module.head.weight, 0.0, 0.2, generator=torch.Generator().manual_seed(1))
    owners = torch.from_numpy(deals.owners.copy())
    with torch.no_grad():
        expected = mean_probabilities([module], owners).numpy()
    assert expected.std(0).max() > 0.02
    model = to_onnx(module, storage, owners).SerializeToString()
    answers = run_file(model, deals.owners, chunk=50)
    apart = np.abs(answers - expected)
    if storage == "int8":
        assert apart.mean() < 0.01
        assert (answers.argmax(-1) == expected.argmax(-1)).mean() > 0.85
    else:
        assert apart.max() <= 1e-3
    assert run_file(model, deals.owners[:0]).shape == (0, 5, 4, 14)
    alone = run_file(model, deals.owners[9:10])
    assert np.abs(alone - answers[9:10]).max() <= 1e-5
    for strains in ([4], [0], [3, 1], [2, 2, 4, 0, 1, 3]):
        some = run_file(model, deals.owners, chunk=50, strains=strains)
        assert some.shape == (len(deals), len(strains), 4, 14)
        assert np.abs(some - answers[:, strains]).max() <= 1e-6


def test_rounding_makes_up_for_what_it_changes():
    """Against rounding to the nearest, where inputs go together, as cards of a suit do."""
    draw = np.random.default_rng(3)
    inputs = draw.normal(size=(2000, 8)) @ draw.normal(size=(8, 48))
    inputs += 0.1 * draw.normal(size=inputs.shape)
    weight = draw.normal(size=(4, 12, 20)).astype(np.float32)
    whole, steps = rounded(weight, inputs.T @ inputs / len(inputs))
    assert whole.shape == weight.shape and steps.shape == (20,)
    assert (whole == np.rint(whole)).all() and np.abs(whole).max() == 63

    def error(integers):
        return np.square(inputs @ (integers * steps - weight).reshape(48, 20)).mean()

    assert error(whole) < 0.2 * error(np.rint(weight / steps))
    alone = rounded(weight, np.eye(48))[0]  # inputs that have nothing to do with each other
    assert (alone == np.rint(weight / steps)).all()


def test_a_range_is_that_in_which_whole_numbers_miss_least():
    draw = torch.Generator().manual_seed(4)
    rows = torch.randn(500, 400, generator=draw)
    features = torch.where(rows < 0, rows / 10, rows**2)  # a long tail above, none below

    def error(low, high):
        step = (high - low) / 255
        zero = round(-low / step)
        whole = torch.round(features / step + zero).clip(0, 255)
        return float((step * (whole - zero) - features).square().mean())

    low, high = best_range(features)
    least = error(low, high)
    assert least < 0.9 * error(float(features.min()), float(features.max()))
    for other in (0.8, 0.9, 1.1, 1.2):
        assert least < error(low, other * high)
    alike = torch.rand(500, 400, generator=draw)  # nothing is rare that a shorter one would cut off
    assert best_range(alike) == (0, float(alike.max()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["accurate", "fast"])
def test_the_graph_that_ships_is_made_again(deals, name):
    """Node by node, and with the same answers: what is rounded depends on the sample of deals."""
    shipped = onnx.load(SHIPPED / f"{name}.onnx")
    stated = {entry.key: entry.value for entry in shipped.metadata_props}
    network, _ = read_weights(ROOT / f"data/weights/{name}.npz", SuitNetwork)
    sample = torch.from_numpy(random_deals(64, seed=2021).owners.copy())
    calibration = Calibration(*map(tuple, json.loads(stated["calibration"]).values()))
    made = to_onnx(network, stated["storage"], sample, calibration)
    assert list(made.graph.node) == list(shipped.graph.node)
    assert list(made.graph.input) == list(shipped.graph.input)
    assert list(made.graph.output) == list(shipped.graph.output)
    for ours, theirs in zip(made.graph.initializer, shipped.graph.initializer, strict=True):
        values, wanted = (onnx.numpy_helper.to_array(constant) for constant in (ours, theirs))
        assert (values.dtype, values.shape) == (wanted.dtype, wanted.shape)
    ours, theirs = (run_file(model.SerializeToString(), deals.owners) for model in (made, shipped))
    assert np.abs(ours - theirs).mean() < 0.01
    assert (ours.argmax(-1) == theirs.argmax(-1)).mean() > 0.9


@pytest.mark.parametrize("after", [0, 1])
def test_the_graph_of_a_pair_network_answers_as_torch_does(deals, after):
    network = PairNetwork(
        PairNetworkConfig(width=16, before=1, after=after, pooled=1, ratio=2), seed=1
    ).eval()
    torch.nn.init.normal_(network.head.weight, generator=torch.Generator().manual_seed(2))
    network.half().float()  # as the file holds the weights
    hands = np.stack([deals.owners == 0, deals.owners == 2], axis=1).astype(np.uint8)
    sharpness = (0.5, 0.5, 0.5, 0.5, 2.0)
    with torch.no_grad():
        logits = network(torch.from_numpy(hands)) * torch.tensor(sharpness)[:, None, None]
    session = open_session(PairGraph(network).to_onnx(sharpness).SerializeToString())
    (answers,) = session.run(["probabilities"], {"hands": hands})
    assert np.abs(answers - logits.softmax(-1).numpy()).max() <= 1e-3


def test_the_pair_model_that_ships_is_made_again(deals, tmp_path):
    shipped = PairEstimator("accurate", threads=1)
    network, _ = read_weights(ROOT / "data/weights/pairs.npz", PairNetwork)
    made = PairGraph(network).to_onnx(json.loads(shipped.info.metadata["sharpness"]))
    for key, value in shipped.info.metadata.items():
        made.metadata_props.add(key=key, value=value)
    onnx.save(made, tmp_path / "again.onnx")
    hands = deals.owners == 0, deals.owners == 2
    again = PairEstimator(tmp_path / "again.onnx", threads=1)(*hands)
    assert np.abs(again.both - shipped(*hands).both).max() <= 1e-3


def test_sharpness_is_what_made_the_results_likely():
    """Results drawn from logits that are then made half as sharp, in notrump twice."""
    logits = torch.randn(3000, 5, 4, 14, generator=torch.Generator().manual_seed(1)) * 2
    rng = np.random.default_rng(2)
    noise = rng.gumbel(size=logits.shape)
    tricks = (logits.numpy() + noise).argmax(-1).astype(np.uint8)
    logits[:, :4] /= 2
    logits[:, 4:] *= 2
    factors = fit_sharpness(logits, tricks)
    assert factors == pytest.approx((2, 2, 2, 2, 0.5), rel=0.03)
