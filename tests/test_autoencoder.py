"""The training of the 2018 paper in miniature: two phases, their stopping rules, resuming."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch comes with the extra 'train'")

from trickcast.cards import DealSet  # noqa: E402
from trickcast.encodings import find_coding  # noqa: E402
from trickcast.formats import zrd  # noqa: E402
from trickcast.training import TrainingError, all_examples  # noqa: E402
from trickcast.training.autoencoder import (  # noqa: E402
    AutoencoderConfig,
    AutoencoderTraining,
)
from trickcast.training.fullbatch import Batch  # noqa: E402

SHARD = Path(__file__).parents[1] / "data/library/seed-717102/deals-000000000000.zrd"
SMALL = {"batch": 64, "pretraining_epochs": 3, "epochs": 4, "settled": 0.0}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Networks this small are slower on two."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def batch() -> Batch:
    deals = DealSet(*zrd.decode(SHARD.read_bytes()[: 100 * zrd.RECORD]))
    return Batch(*all_examples(deals, "notrump", find_coding("52x4-2018")))


def config(network="(52x4)-(26x4)-52-13-14", **changes) -> AutoencoderConfig:
    return AutoencoderConfig(network=network, **SMALL | changes)


def run(training, batch, report=lambda line: None):
    return training.run(lambda drawing: batch, batch, report)


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


def test_a_frozen_encoder_keeps_what_it_learnt(batch, tmp_path):
    """Its weights after both phases are those after phase 1; unfrozen they move on."""
    networks = {
        frozen: run(AutoencoderTraining(config(frozen=frozen), tmp_path / f"{frozen}"), batch)
        for frozen in (True, False)
    }
    only_coding = AutoencoderTraining(config(epochs=1, frozen=True), tmp_path / "short")
    learnt = run(only_coding, batch).layers[0].weight
    assert torch.equal(networks[True].layers[0].weight, learnt)
    assert not torch.equal(networks[False].layers[0].weight, learnt)


def test_both_errors_fall(batch, tmp_path):
    lines = []
    run(AutoencoderTraining(config(epochs=12), tmp_path / "c"), batch, lines.append)
    for phase in (1, 2):
        errors = [line["training_error"] for line in lines if line["phase"] == phase]
        assert errors[-1] < errors[0]


def test_phase_1_stops_when_settled_and_phase_2_after_the_rises(batch, tmp_path):
    lines = []
    settings = {"settled": 1e9, "rises": 1, "tuning_rate": 0.5, "epochs": 200}
    run(AutoencoderTraining(config(**settings), tmp_path / "c"), batch, lines.append)
    assert [line["epoch"] for line in lines if line["phase"] == 1] == [1, 2]  # 1 to compare with
    errors = [line["validation_error"] for line in lines if line["phase"] == 2]
    assert len(errors) < 200
    assert errors[-1] > errors[-2]
    assert sorted(errors[:-1], reverse=True) == errors[:-1]


def test_an_interrupted_training_ends_the_same(batch, tmp_path):
    straight = run(AutoencoderTraining(config(), tmp_path / "straight"), batch)

    class Killed(Exception):
        pass

    for phase in (1, 2):

        def kill(line, phase=phase):
            if (line["phase"], line["epoch"]) == (phase, 2):
                raise Killed

        path = tmp_path / f"killed-{phase}"
        with pytest.raises(Killed):
            run(AutoencoderTraining(config(), path), batch, kill)
        resumed = run(AutoencoderTraining(config(), path), batch)
        for name, weights in straight.state_dict().items():
            assert torch.equal(weights, resumed.state_dict()[name])


def test_an_error_that_is_no_number_stops(batch, tmp_path):
    broken = Batch(np.full((64, 208), np.nan, np.float32), batch.tricks[:64])
    with pytest.raises(TrainingError, match="phase 1, epoch 0: the error is nan"):
        run(AutoencoderTraining(config(), tmp_path / "c"), broken)


def test_another_training_is_refused(batch, tmp_path):
    run(AutoencoderTraining(config(), tmp_path / "c", deals="a"), batch)
    with pytest.raises(TrainingError, match="its frozen is False, not True"):
        AutoencoderTraining(config(frozen=True), tmp_path / "c", deals="a")
    with pytest.raises(TrainingError, match="other deals"):
        AutoencoderTraining(config(), tmp_path / "c", deals="b")
    (tmp_path / "d").write_bytes(b"nothing")
    with pytest.raises(TrainingError, match="not a checkpoint"):
        AutoencoderTraining(config(), tmp_path / "d")


@pytest.mark.parametrize(
    ("settings", "word"),
    [({"encoders": 4}, "encoders is 4"), ({"loss": "squared"}, "has 14"), ({"batch": 0}, "batch")],
)
def test_a_wrong_setting_is_named(settings, word):
    with pytest.raises(ValueError, match=word):
        config(**settings)
