"""The whole pipeline in miniature, on the first deals of the library."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import trickcast as tc
from trickcast.cards import DealSet, Strain
from trickcast.estimator import Estimator, ModelError
from trickcast.estimator.files import load_session
from trickcast.estimator.kinds import OneOutput
from trickcast.formats import zrd
from trickcast.library import append
from trickcast.papers.codings import find_coding, tricks_of
from trickcast.papers.training.best import mean_of_last
from trickcast.papers.training.examples import all_examples, draw_examples
from trickcast.papers.training.fullbatch import portions_at
from trickcast.papers.training.network import PaperConfig, train
from trickcast.training import Request, TrainingError
from trickcast.training import train as train_request
from trickcast.training.export.calibration import fit_thresholds

SHARD = Path(__file__).parents[2] / "data/library/seed-717102/deals-000000000000.zrd"
SMALL = {"examples": 512, "redraw": 10, "epochs": 40, "evaluate_every": 10, "patience": 40}


@pytest.fixture(scope="module")
def deals() -> DealSet:
    return DealSet(*zrd.decode(SHARD.read_bytes()[: 300 * zrd.RECORD]))


@pytest.fixture(scope="module")
def exported(deals, tmp_path_factory) -> Path:
    library, out = (tmp_path_factory.mktemp(name) for name in ("library", "out"))
    append(library, deals[:200], "train", "train", solver="none", source="test")
    append(library, deals[200:], "held", "validation", solver="none", source="test")
    settings = {name: str(value) for name, value in SMALL.items()}
    name = "(52x4)-(26x4)-26-13-1"
    answer = train_request(Request(name=name, settings=settings, library=library, out=out))
    assert answer is not None and answer.model is not None
    return answer.model


def test_a_trained_model_beats_the_commonest_count(deals, exported):
    estimated = Estimator(exported)(deals[200:]).tricks.astype(int)
    real = deals.tricks[200:].astype(int)
    for strains in (slice(0, 4), slice(4, 5)):
        ours = np.abs(estimated[:, strains] - real[:, strains]).mean()
        constant = np.abs(np.median(real[:, strains]) - real[:, strains]).mean()
        assert ours < 0.9 * constant


def test_training_hides_no_public_name():
    """A room named as a public function would take its place once imported."""
    assert [info.name for info in tc.models()]
    assert all(hasattr(tc, name) for name in tc.__all__)


def test_the_exported_model_answers_as_torch_did(exported):
    with np.load(exported.with_suffix(".parity.npz")) as parity:
        owners, outputs = parity["owners"], parity["outputs"]
    assert owners.shape == (64, 52)
    assert np.abs(OneOutput(*load_session(exported)).outputs(owners) - outputs).max() <= 1e-4


def test_the_model_says_where_it_comes_from(deals, exported):
    metadata = Estimator(exported).info.metadata
    assert metadata["training_deals"] == "200"
    assert metadata["coding"] == "52x4"
    assert json.loads(metadata["scores"])["validation"]["deals"] == 100
    assert json.loads(metadata["training"])["notrump"]["config"]["epochs"] == 40


def test_an_export_without_its_metadata_is_refused(exported, tmp_path):
    import onnx

    model = onnx.load(exported)
    kept = [entry for entry in model.metadata_props if entry.key != "thresholds"]
    del model.metadata_props[:]
    model.metadata_props.extend(kept)
    onnx.save(model, tmp_path / "bare.onnx")
    with pytest.raises(ModelError, match=r"bare\.onnx: .*does not state its thresholds"):
        Estimator(tmp_path / "bare.onnx")


@pytest.mark.parametrize("cut", [0, 100, 20_000])
def test_an_export_cut_short_is_refused(exported, tmp_path, cut):
    (tmp_path / "cut.onnx").write_bytes(exported.read_bytes()[:cut])
    with pytest.raises(ModelError, match=r"cut\.onnx.*SHA-256"):
        Estimator(tmp_path / "cut.onnx")


def test_a_checkpoint_of_another_training_is_refused(deals, tmp_path):
    settings = SMALL | {"epochs": 10}
    train(PaperConfig(contracts="suit", **settings), deals[:50], deals[200:], tmp_path / "c")
    with pytest.raises(TrainingError, match="its seed is 1, not 2"):
        config = PaperConfig(contracts="suit", seed=2, **settings)
        train(config, deals[:50], deals[200:], tmp_path / "c")
    with pytest.raises(TrainingError, match="validated on other deals"):
        config = PaperConfig(contracts="suit", **settings)
        train(config, deals[:50], deals[250:], tmp_path / "c")
    (tmp_path / "rubbish").write_bytes(b"not a checkpoint")
    with pytest.raises(TrainingError, match="rubbish: not a checkpoint"):
        train(config, deals[:50], deals[200:], tmp_path / "rubbish")


def test_weight_decay_is_added_to_the_summed_gradient(deals, tmp_path):
    """One step of Rprop moves every weight by 0.1 against the sign of gradient + decay × weight."""
    decay = 1e6  # so large that the sign is that of the weight
    config = PaperConfig(contracts="notrump", examples=64, epochs=1, weight_decay=decay, averaged=1)
    trained = train(config, deals[:50], deals[200:], tmp_path / "c")
    before = type(trained.network)(config.network, seed=config.seed)
    for old, new in zip(before.parameters(), trained.network.parameters(), strict=True):
        far = old.abs() > 1e-3
        torch.testing.assert_close((new - old)[far], -0.1 * old.sign()[far])


@pytest.mark.parametrize("setting", [{"contracts": "hearts"}, {"network": "52-25-1"}, {"epochs": 0},
                                     {"network": "(52x4)-(26x4)-26-14"}, {"initial_update": 0.0},
                                     {"weight_decay": -1.0}, {"coding": "51"}, {"chunk": 0},
                                     {"patience": 10}, {"averaged": 0}])  # fmt: skip
def test_a_wrong_setting_is_named(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        PaperConfig(**{"contracts": "suit"} | setting)


def test_examples_are_the_labels_of_their_cards(deals):
    """Every drawn row is a view of some deal, with the result of that deal in that view."""
    coding = find_coding("52x4")
    few = deals[:3]
    for contracts, strains in (("suit", range(4)), ("notrump", [Strain.NOTRUMP])):
        plain = all_examples(few, contracts, coding)
        known = {_without_side_suits(row): t for row, t in zip(*plain, strict=True)}
        assert len(known) == 3 * 4 * len(strains)
        drawn = draw_examples(few, contracts, 200, coding, np.random.default_rng(1))
        if contracts == "notrump":
            known = {_without_suits(row): t for row, t in zip(*plain, strict=True)}
            assert all(known[_without_suits(r)] == t for r, t in zip(*drawn, strict=True))
        else:
            assert all(known[_without_side_suits(r)] == t for r, t in zip(*drawn, strict=True))


def _without_side_suits(row):
    """The trumps, and the side suits in whatever order."""
    suits = row.reshape(4, 4, 13).transpose(1, 0, 2)
    return suits[0].tobytes(), tuple(sorted(suit.tobytes() for suit in suits[1:]))


def _without_suits(row):
    suits = row.reshape(4, 4, 13).transpose(1, 0, 2)
    return tuple(sorted(suit.tobytes() for suit in suits))


def test_unsolved_deals_are_refused(deals, tmp_path):
    tricks = deals.tricks.copy()
    tricks[7, 2, 1] = 255
    with pytest.raises(ValueError, match="deal 7 of 300: the result of D by E is not known"):
        train(PaperConfig(contracts="suit"), deals.with_tricks(tricks), deals[:9], tmp_path / "c")


def test_thresholds_recover_those_that_made_the_results():
    rng = np.random.default_rng(5)
    outputs = rng.uniform(0.1, 0.9, 60_000).astype(np.float32)
    noise = rng.logistic(scale=1 / 40, size=outputs.size)
    fitted = fit_thresholds(outputs, tricks_of(outputs + noise))
    edges = 0.1 + 0.8 / 14 * np.arange(1, 14)
    assert np.abs(np.array(fitted.thresholds) - edges).max() < 0.004
    assert fitted.slope == pytest.approx(40, rel=0.03)


@pytest.mark.parametrize(
    ("portions", "redraw", "whole_from"), [(1, 5, 0), (4, 8, 0), (16, 160, 40)]
)
def test_examples_are_replaced_one_portion_after_the_other(portions, redraw, whole_from):
    settings = SimpleNamespace(portions=portions, redraw=redraw, whole_from=whole_from)
    used = [portions_at(settings, epoch) for epoch in range(400)]
    for epoch, now in enumerate(used):
        whole = epoch >= whole_from
        assert len(now) == (portions if whole else max(portions // 4, 1))
    lives = Counter(k for now in used[whole_from:] for k in now)
    whole_lives = [n for k, n in lives.items() if used[whole_from][-1] < k <= used[-1][0]]
    assert whole_lives and set(whole_lives) == {redraw}
    assert all(now[-1] - before[-1] in (0, 1) for before, now in pairwise(used))


def test_the_mean_of_the_last_few_weights():
    recent, network = [], torch.nn.Linear(1, 1)
    for value in (1.0, 2.0, 6.0):
        torch.nn.init.constant_(network.weight, value)
        mean = mean_of_last(recent, network, 2)
    assert len(recent) == 2 and mean["weight"].item() == 4.0
    torch.nn.init.zeros_(network.weight)
    assert recent[-1]["weight"].item() == 6.0  # copies, not the network's own
