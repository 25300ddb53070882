"""The training of the 2018 paper in miniature: two phases, their stopping rules, resuming."""

from pathlib import Path

import numpy as np
import pytest
import torch

from trickcast.cards import DealSet
from trickcast.formats import zrd
from trickcast.papers.codings import find_coding
from trickcast.papers.training.autoencoder import AutoencoderConfig, AutoencoderTask
from trickcast.papers.training.examples import Examples, all_examples
from trickcast.training import TrainingError
from trickcast.training.trainer import Lessons, train

SHARD = Path(__file__).parents[2] / "data/library/seed-717102/deals-000000000000.zrd"
SMALL = {"batch": 64, "pretraining_epochs": 3, "epochs": 4, "settled": 0.0}
LESSONS = Lessons(100, "a", "a")


@pytest.fixture(scope="module")
def batch() -> Examples:
    deals = DealSet(*zrd.decode(SHARD.read_bytes()[: 100 * zrd.RECORD]))
    return all_examples(deals, "notrump", find_coding("52x4-2018"))


def config(network="(52x4)-(26x4)-52-13-14", **changes) -> AutoencoderConfig:
    return AutoencoderConfig(network=network, **SMALL | changes)


def run(config, checkpoint, batch, report=lambda line: None, lessons=LESSONS):
    task = AutoencoderTask(config, lessons, lambda drawing: batch, batch)
    return train(task, checkpoint, report=report).network


@pytest.mark.parametrize(
    ("network", "encoders", "autoencoder"),
    [
        ("208-104-52-13-14", 1, "208-104-208"),
        ("(52x4)-(39x4)-52-13-14", 1, "(52x4)-(39x4)-208"),
        ("208-104-52-13-14", 2, "208-104-52-104-208"),
    ],
)
def test_the_decoder_mirrors_the_encoder(network, encoders, autoencoder):
    assert config(network, encoders=encoders).autoencoder == autoencoder
    dedicated = config(decoder="dedicated")
    assert dedicated.autoencoder == "(52x4)-(26x4)-(52x4)"


def test_without_encoders_there_is_no_phase_1(batch, tmp_path):
    lines = []
    network = run(config(encoders=0), tmp_path / "none", batch, lines.append)
    assert [(line["phase"], line["epoch"]) for line in lines] == [(2, k) for k in range(1, 5)]
    assert not any("compression_error" in line for line in lines)
    pretrained = run(config(), tmp_path / "one", batch)
    assert not torch.equal(network.layers[0].weight, pretrained.layers[0].weight)


def test_what_a_dedicated_decoder_learns_serves_the_same_estimator(batch, tmp_path):
    lines = []
    networks = {
        decoder: run(config(decoder=decoder), tmp_path / decoder, batch, lines.append)
        for decoder in ("joined", "dedicated")
    }
    weights = [network.layers[0].weight for network in networks.values()]
    assert weights[0].shape == weights[1].shape and not torch.equal(*weights)
    errors = [line["training_error"] for line in lines if line["phase"] == 1]
    assert errors[5] < errors[3]


def test_a_frozen_encoder_keeps_what_it_learnt(batch, tmp_path):
    """Its weights after both phases are those after phase 1; unfrozen they move on."""
    networks = {
        frozen: run(config(frozen=frozen), tmp_path / f"{frozen}", batch)
        for frozen in (True, False)
    }
    only_coding = run(config(epochs=1, frozen=True), tmp_path / "short", batch)
    learnt = only_coding.layers[0].weight
    assert torch.equal(networks[True].layers[0].weight, learnt)
    assert not torch.equal(networks[False].layers[0].weight, learnt)


def test_both_errors_fall(batch, tmp_path):
    lines = []
    run(config(epochs=12), tmp_path / "c", batch, lines.append)
    for phase in (1, 2):
        errors = [line["training_error"] for line in lines if line["phase"] == phase]
        assert errors[-1] < errors[0]


def test_phase_1_stops_when_settled_and_phase_2_after_the_rises(batch, tmp_path):
    lines = []
    settings = {"settled": 1e9, "rises": 1, "tuning_rate": 0.5, "epochs": 200}
    run(config(**settings), tmp_path / "c", batch, lines.append)
    assert [line["epoch"] for line in lines if line["phase"] == 1] == [1, 2]  # 1 to compare with
    errors = [line["validation_error"] for line in lines if line["phase"] == 2]
    assert len(errors) < 200
    assert errors[-1] > errors[-2]
    assert sorted(errors[:-1], reverse=True) == errors[:-1]


def test_phase_1_stops_at_an_error_as_low_as_asked(batch, tmp_path):
    lines = []
    run(config(pretraining_epochs=40), tmp_path / "whole", batch, lines.append)
    errors = [line["training_error"] for line in lines if line["phase"] == 1]
    lines.clear()
    run(config(pretraining_epochs=40, until=errors[4]), tmp_path / "part", batch, lines.append)
    assert [line["training_error"] for line in lines if line["phase"] == 1] == errors[:5]


def test_an_error_that_is_no_number_stops(batch, tmp_path):
    broken = Examples(np.full((64, 208), np.nan, np.float32), batch.tricks[:64])
    with pytest.raises(TrainingError, match="phase 1, epoch 0: the error is nan"):
        run(config(), tmp_path / "c", broken)


def test_another_training_is_refused(batch, tmp_path):
    run(config(), tmp_path / "c", batch)
    with pytest.raises(TrainingError, match="its frozen is False, not True"):
        run(config(frozen=True), tmp_path / "c", batch)
    with pytest.raises(TrainingError, match="validated on other deals"):
        run(config(), tmp_path / "c", batch, lessons=Lessons(100, "a", "b"))


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"encoders": 4}, "encoders is 4"),
        ({"encoders": 0, "frozen": True}, "and one to freeze"),
        ({"decoder": "none"}, "decoder is 'none'"),
        ({"loss": "squared"}, "has 14"),
        ({"batch": 0}, "batch"),
    ],
)
def test_a_wrong_setting_is_named(settings, word):
    with pytest.raises(ValueError, match=word):
        config(**settings)
