"""Supervised training in miniature: learning, resuming, teaching, exporting."""

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from killing import Killed, kill_at
from trickcast.cards import DealSet, Strain
from trickcast.dealing import random_deals
from trickcast.estimator import Estimator
from trickcast.library import Library
from trickcast.solver import solve
from trickcast.training import TrainingError, whole_deals
from trickcast.training import lessons as suit_data
from trickcast.training.lessons import taught_deals, teach
from trickcast.training.suit_networks import (
    SuitNetwork,
    SuitNetworkConfig,
    mean_probabilities,
    read_weights,
    write_weights,
)
from trickcast.training.trainer import Place, Progress, Trained, read_journal
from trickcast.training.whole_deals import (
    Source,
    SupervisedConfig,
    evaluate,
    export_suits,
    loss_of,
    train,
)

LIBRARY = Path(__file__).parents[2] / "data/library"
TINY = SuitNetworkConfig(width=32, heads=1, before=0, after=1, ratio=2)
CONFIG = SupervisedConfig(
    network=TINY, steps=12, batch=16, warm_up=2, evaluate_every=4, precision="float32", average=0.9
)


@torch.no_grad()
def divergence(
    student: torch.nn.Module, teachers: list[torch.nn.Module], owners: torch.Tensor
) -> float:
    """Return the mean Kullback-Leibler divergence of a student from its teachers, per result."""
    target = mean_probabilities(teachers, owners)
    ours = mean_probabilities([student], owners)
    logs = target.clamp_min(1e-12).log() - ours.clamp_min(1e-12).log()
    return float((target * logs).sum(-1).mean())


@pytest.fixture(scope="module")
def deals() -> DealSet:
    return next(Library(LIBRARY).stream("train"))[:160]


@pytest.fixture(scope="module")
def trained(deals, tmp_path_factory):
    """A network that has learned 64 real deals by heart, and its folder."""
    folder = tmp_path_factory.mktemp("trained")
    config = replace(
        CONFIG, network=replace(TINY, width=64), steps=150, batch=64, learning_rate=1e-2,
        warm_up=10, evaluate_every=150,
    )  # fmt: skip
    return train(config, deals[:64], deals[:64], folder / "a.checkpoint"), folder


def test_64_deals_are_learned_by_heart(trained):
    leg, _ = trained
    assert leg.done
    assert leg.progress.last["exact_suits"] > 80  # naming the commonest count gives about 20
    assert leg.progress.last["exact_notrump"] > 80
    assert abs(leg.progress.last["bias"]) < 0.1


def weights_of(network):
    return torch.cat([weights.flatten() for weights in network.state_dict().values()])


def test_16_bit_weights_go_on_closely(deals, tmp_path):
    """From the middle of the schedule, on a machine that has the weights file alone."""
    config = replace(CONFIG, steps=40, evaluate_every=20, learning_rate=5e-3)

    here, there = tmp_path / "here.checkpoint", tmp_path / "there.checkpoint"
    straight = train(config, deals[:100], deals[100:], tmp_path / "straight.checkpoint")
    with pytest.raises(Killed):
        train(config, deals[:100], deals[100:], here,
              report=kill_at(1))  # fmt: skip
    found, content = read_weights(here.with_suffix(".npz"), SuitNetwork)
    assert 0 < content["progress"]["step"] < 40
    fresh = train(config, deals[:100], deals[100:], there, weights=here.with_suffix(".npz"))
    assert fresh.progress.fresh_from == content["progress"]["step"]
    assert fresh.progress.last["log_loss"] == pytest.approx(
        straight.progress.last["log_loss"], abs=0.1
    )
    assert here.with_suffix(".npz").stat().st_size < 2.5 * found.weights + 20_000
    with pytest.raises(TrainingError, match=r"is 1, not 2 \(expected the same settings, or --anew"):
        train(replace(config, seed=2), deals[:100], deals[100:], tmp_path / "c",
              weights=here.with_suffix(".npz"))  # fmt: skip
    deeper = train(
        replace(config, network=replace(TINY, before=1, after=3), steps=4),
        deals[:100], deals[100:], tmp_path / "e",
        weights=here.with_suffix(".npz"), anew=True, minutes=0,
    )  # fmt: skip
    owners = torch.from_numpy(deals.owners.copy())
    torch.testing.assert_close(deeper.network(owners), found(owners))  # new layers do nothing yet
    anew = train(
        replace(config, seed=2, steps=4), deals[:100], deals[100:], tmp_path / "d",
        weights=here.with_suffix(".npz"), anew=True,
    )  # fmt: skip
    assert anew.progress.step == 4


def test_an_unknown_storage_is_refused_before_anything_is_done(tmp_path):
    path = tmp_path / "a.onnx"
    record = Trained(CONFIG, SuitNetwork(TINY, seed=1), Progress(), 0, done=False)
    with pytest.raises(ValueError, match="storage is 'int4' .expected float32 or float16 or int8"):
        export_suits(record, "a", random_deals(2, seed=1), path, storage="int4")
    assert not [*tmp_path.iterdir()]


def test_stored_weights_are_the_weights(trained):
    leg, folder = trained
    stored, content = read_weights(folder / "a.npz", SuitNetwork)
    torch.testing.assert_close(weights_of(stored), weights_of(leg.network), rtol=1e-3, atol=1e-6)
    assert content["config"]["network"]["width"] == 64
    assert content["progress"]["legs"][0]["deals"] == 64


@pytest.mark.parametrize("damage", ["cut", "empty", "rubbish", "other arrays"])
def test_weights_that_are_none_are_refused(trained, tmp_path, damage):
    data = (trained[1] / "a.npz").read_bytes()
    path = tmp_path / "bad.npz"
    path.write_bytes({"cut": data[:2000], "empty": b"", "rubbish": b"rubbish"}.get(damage, b""))
    if damage == "other arrays":
        np.savez(path, metadata=np.array(json.dumps({"format": "another"})))
    with pytest.raises(TrainingError, match=r"bad\.npz: not the weights of a suit network"):
        read_weights(path, SuitNetwork)


def test_weights_beyond_16_bits_are_refused(trained, tmp_path):
    leg, _ = trained
    network = SuitNetwork(leg.config.network, seed=1)
    torch.nn.init.constant_(network.head.bias, 1e6)
    with pytest.raises(TrainingError, match=r"head\.bias"):
        write_weights(tmp_path / "a.npz", network, {})


def test_a_checkpoint_of_another_training_is_refused(deals, tmp_path):
    path = tmp_path / "a.checkpoint"
    config = replace(CONFIG, steps=4)
    train(config, deals[:100], deals[100:], path)
    with pytest.raises(TrainingError, match="its learning_rate is 0.001, not 0.01"):
        train(replace(config, learning_rate=0.01), deals[:100], deals[100:], path)
    with pytest.raises(TrainingError, match="validated on other deals"):
        train(config, deals[:100], deals[110:], path)
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(TrainingError, match=r"a\.checkpoint: not a checkpoint"):
        train(config, deals[:100], deals[100:], path)


def test_a_loss_that_is_no_number_stops_the_training(deals, tmp_path):
    config = replace(CONFIG, learning_rate=1e30, clip=1e30, warm_up=0)
    with pytest.raises(TrainingError, match="the training loss is"):
        train(config, deals[:100], deals[100:], tmp_path / "a.checkpoint")
    assert not (tmp_path / "a.checkpoint").exists()


def test_every_deal_is_taken_once_in_a_pass(deals):
    data = suit_data.labelled(deals[:100])
    rows = {row.numpy().tobytes(): i for i, row in enumerate(data.owners)}

    def taken(step, part=(0, 1)):
        batch = suit_data.take(data, step, 20, seed=1, part=part)
        return [rows[row.numpy().tobytes()] for row in batch.owners]

    first, second = ([row for s in range(5) for row in taken(5 * p + s)] for p in (0, 1))
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second
    halves = taken(3, (0, 2)), taken(3, (1, 2))
    assert sorted(halves[0] + halves[1]) == sorted(taken(3))


@pytest.mark.slow
@pytest.mark.solver
def test_the_lowest_cards_change_hands_and_hardly_a_result(deals):
    few = deals[:24]
    torch.manual_seed(3)
    owners = suit_data.exchanged(torch.from_numpy(few.owners.copy()), 3).numpy()
    old, new = few.owners.reshape(-1, 4, 13), owners.reshape(-1, 4, 13)
    assert (old[..., :10] == new[..., :10]).all()
    assert (np.sort(old[..., 10:]) == np.sort(new[..., 10:])).all()
    assert (old != new).any((1, 2)).mean() > 0.5
    solved = solve(owners).tricks
    assert (solved != few.tricks).mean() < 0.02  # 0.1 % of many


def test_fewer_deals_than_a_batch_are_refused(deals, tmp_path):
    with pytest.raises(TrainingError, match=r"batch is 16 \(expected at most the 10 there are"):
        train(CONFIG, deals[:10], deals[100:], tmp_path / "a")
    few, config = suit_data.labelled(deals[:3]), replace(CONFIG, endings=4)
    with pytest.raises(TrainingError, match=r"endings is 4 \(expected at most the 3 there are"):
        train(config, deals[:100], deals[100:], tmp_path / "a", endings=few)
    assert not list(tmp_path.iterdir())
    with pytest.raises(TrainingError, match="3 deals are fewer than a batch of 4"):
        suit_data.take(few, 0, 4, seed=1)


@pytest.mark.slow
def test_two_processes_learn_as_one_does(run, tmp_path):
    """Under torchrun, with gloo: the curve of one process, within rounding."""
    small = {"width": 32, "heads": 1, "before": 0, "after": 1, "ratio": 2, "dropout": 0}
    settings = {f"network.{name}": str(value) for name, value in small.items()} | {
        "steps": "6", "batch": "16", "warm_up": "2", "evaluate_every": "2",
        "precision": "float32", "exchanged": "4",
    }  # fmt: skip
    options = ["fast", "--library", str(LIBRARY), "--deals", "64", "--validation", "32"]
    options += ["--device", "cpu", "--threads", "1"]
    options += [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    assert run("train", *options, "--out", tmp_path / "one")[0] == 0
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command = [*torchrun, "-m", "trickcast", "train", *options, "--out", str(tmp_path / "two")]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    one, two = (read_journal(tmp_path / name / "fast.jsonl") for name in ("one", "two"))
    assert [line["step"] for line in two] == [line["step"] for line in one] == [2, 4, 6]
    for line, other in zip(one, two, strict=True):
        for name in ("training_loss", "log_loss", "bias"):
            assert line[name] == pytest.approx(other[name], abs=1e-5)
    assert (tmp_path / "two" / "fast.onnx").exists()


def test_results_that_are_not_known_have_no_part_in_the_loss():
    """Its gradients on their logits are nothing; the mean is that of the results left."""
    generator = torch.Generator().manual_seed(1)
    labels = torch.randint(14, (6, 5, 4), generator=generator, dtype=torch.uint8)
    logits = torch.randn(6, 5, 4, 14, generator=generator).requires_grad_()
    hidden = torch.rand(6, 5, 4, generator=generator) < 0.7
    hidden[:, 0, 0], hidden[5] = False, False
    weight = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.5, 0.5])
    targets = suit_data.shares(torch.where(hidden, 255, labels))
    assert (targets.sum(-1) == (~hidden)).all()
    loss = loss_of(logits, targets, weight, 0.3)
    loss.backward()
    assert (logits.grad[hidden] == 0).all() and (logits.grad[~hidden] != 0).any(-1).all()
    total = count = 0.0
    for deal, strain, seat in (~hidden).nonzero().tolist():
        alone = torch.zeros(1, 5, 4, 14)
        alone[0, strain, seat] = targets[deal, strain, seat]
        single = loss_of(logits[deal : deal + 1].detach(), alone, torch.ones(1), 0.3)
        total, count = total + float(weight[deal] * single), count + float(weight[deal])
    assert float(loss.detach()) == pytest.approx(total / count, rel=1e-5)


def test_a_network_learns_from_tables_of_which_a_part_is_known(deals, tmp_path):
    """One strain of each deal is known, the others come from other deals."""
    tricks = np.full((64, 5, 4), 255, np.uint8)
    rows, strains = np.arange(64), np.arange(64) % 5
    tricks[rows, strains] = deals.tricks[rows, strains]
    config = replace(CONFIG, steps=60, learning_rate=1e-2, evaluate_every=20)
    lines = []
    train(config, deals[:64].with_tricks(tricks), deals[:64], tmp_path / "a", report=lines.append)
    assert lines[-1]["log_loss"] < lines[0]["log_loss"] - 0.1


def test_endings_are_learned_too(deals, tmp_path):
    """Three cards a hand of real deals; the labels here are any that can be taken."""
    rng = np.random.default_rng(1)
    owners = deals.owners[:40].copy()
    for row in owners:
        for seat in range(4):
            row[rng.permutation(np.flatnonzero(row == seat))[3:]] = 255
    tricks = rng.integers(0, 4, (40, 5, 4)).astype(np.uint8)
    data = suit_data.labelled_positions(owners, tricks)
    suits = data.owners.view(-1, 4, 13)
    assert ((suits != 255).int().diff(dim=2) <= 0).all()  # those left stand first
    before, after = owners[3].reshape(4, 13), suits[3].numpy()
    assert all(
        a[a != 255].tolist() == b[b != 255].tolist() for a, b in zip(before, after, strict=True)
    )
    leg = train(replace(CONFIG, steps=4), data, deals[100:], tmp_path / "a")
    assert leg.done
    with pytest.raises(ValueError, match="position 5 of 40"):
        bad = tricks.copy()
        bad[5, 0, 0] = 4
        suit_data.labelled_positions(owners, bad)
    with pytest.raises(
        ValueError, match="position 2 of 40: North 2, East 3, South 3, West 3 cards"
    ):
        short = owners.copy()
        short[2, np.flatnonzero(short[2] == 0)[0]] = 255
        suit_data.labelled_positions(short, tricks)


def test_dealt_on_the_device_means_thirteen_each():
    owners = suit_data.deal_on(torch.device("cpu"), 500, seed=5)
    assert owners.dtype == torch.uint8
    for seat in range(4):
        assert ((owners == seat).sum(1) == 13).all()
    shares = (owners[:, :, None] == torch.arange(4)).float().mean(0)
    assert (shares - 0.25).abs().max() < 0.09  # 4.6 standard deviations
    assert torch.equal(owners, suit_data.deal_on(torch.device("cpu"), 500, seed=5))
    assert not torch.equal(owners, suit_data.deal_on(torch.device("cpu"), 500, seed=6))


def test_figures_are_those_of_numpy(deals, trained):
    leg, _ = trained
    with torch.no_grad():
        probabilities = mean_probabilities([leg.network], torch.from_numpy(deals.owners.copy()))
    real, ours = deals.tricks.astype(int), probabilities.numpy()
    off = np.abs(ours.argmax(-1) - real)
    figures = evaluate(leg.network, suit_data.labelled(deals), chunk=33)
    notrump = int(Strain.NOTRUMP)
    assert figures["exact_suits"] == pytest.approx(100 * (off[:, :4] == 0).mean())
    assert figures["within_1_notrump"] == pytest.approx(100 * (off[:, notrump] <= 1).mean())
    chosen = np.take_along_axis(ours, real[..., None], -1)
    assert figures["log_loss"] == pytest.approx(-np.log(chosen).mean(), rel=1e-4)
    assert figures["bias"] == pytest.approx((ours @ np.arange(14) - real).mean(), abs=1e-5)


def test_the_ordered_loss_is_the_ranked_probability_score():
    """One certain answer, two tricks off: its distribution functions differ by 1 in two places."""
    logits = torch.full((1, 5, 4, 14), -50.0)
    logits[..., 7] = 0
    target = torch.nn.functional.one_hot(torch.full((1, 5, 4), 9), 14).float()
    plain, ordered = (float(loss_of(logits, target, torch.ones(1), w)) for w in (0.0, 1.0))
    assert ordered - plain == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("kept", [False, True], ids=["on the fly", "kept in a file"])
def test_a_student_comes_nearer_to_its_teacher(deals, trained, tmp_path, kept):
    teacher = trained[0].network
    config = replace(CONFIG, steps=60, taught=48, learning_rate=1e-2, evaluate_every=60)
    given: dict[str, Any] = {"teachers": [teacher]}
    if kept:
        given = {"taught": teach([teacher], 96, 7, tmp_path / "taught", chunk=50)}
    fresh = torch.from_numpy(deals.owners[100:].copy())
    before = divergence(SuitNetwork(TINY, seed=1).eval(), [teacher], fresh)
    student = train(config, deals[:64], deals[100:], tmp_path / "s.checkpoint", **given)
    assert divergence(student.network, [teacher], fresh) < 0.8 * before
    assert divergence(teacher, [teacher], fresh) == 0


def test_kept_labels_are_the_teachers(trained, tmp_path):
    teacher = trained[0].network
    data = teach([teacher], 70, 7, tmp_path / "taught", start=30, chunk=32, precision="float32")
    with torch.no_grad():
        expected = mean_probabilities([teacher], data.owners)
    assert (suit_data.shares(data.labels) - expected).abs().max() < 0.01
    assert len(taught_deals(tmp_path / "taught")) == 70
    labels = (tmp_path / "taught/labels.npy").read_bytes()
    assert hashlib.sha256(labels).hexdigest() in data.sha256, "records tell labels apart"
    (tmp_path / "taught/labels.npy").write_bytes(b"short")
    with pytest.raises(TrainingError, match="not a complete set of taught deals"):
        taught_deals(tmp_path / "taught")


def test_kept_labels_outlive_what_is_refused_and_what_is_written_to_them(trained, tmp_path):
    teacher, folder = trained[0].network, tmp_path / "taught"
    before = teach([teacher], np.int64(6), np.int64(7), folder, start=np.int64(3)).labels.clone()
    for given, told in (
        (([teacher], 6, -1), "seed is -1"),
        (([teacher], 0, 7), "deals is 0"),
        (([], 6, 7), "no teachers"),
    ):
        with pytest.raises(ValueError, match=told):
            teach(*given, folder)
    taught_deals(folder).labels.zero_()  # of a file that nobody else may write to, at times
    assert torch.equal(taught_deals(folder).labels, before)


def test_teachers_and_their_share_go_together(deals, trained, tmp_path):
    teacher = trained[0].network
    with pytest.raises(ValueError, match="taught is 0"):
        train(CONFIG, deals[:64], deals[100:], tmp_path / "a", teachers=[teacher])
    with pytest.raises(ValueError, match="taught is 16"):
        train(replace(CONFIG, taught=16), deals[:64], deals[100:], tmp_path / "a")
    with pytest.raises(ValueError, match="endings is 16"):
        train(replace(CONFIG, endings=16), deals[:64], deals[100:], tmp_path / "a")
    with pytest.raises(ValueError, match=r"self_taught is 0.5 \(expected 0 without teachers"):
        train(replace(CONFIG, self_taught=0.5), deals[:64], deals[100:], tmp_path / "a")


def test_a_training_is_a_share_of_its_own_teacher(deals, trained, tmp_path):
    teacher, own = trained[0].network, SuitNetwork(TINY, seed=5).eval()
    config = replace(CONFIG, batch=8, taught=6, self_taught=0.25)
    solved = suit_data.labelled(deals[:64])
    source = Source(config, Place(torch.device("cpu")), solved, [teacher], None, None)
    source.own = own
    owners, drawn, _ = source.batch(3)
    targets = source.said(owners, drawn)
    assert torch.equal(targets[:8], drawn[:8]) and not drawn[8:].any()
    with torch.no_grad():
        said = [mean_probabilities([network], owners[8:]) for network in (teacher, own)]
    torch.testing.assert_close(targets[8:], 0.75 * said[0] + 0.25 * said[1])
    config = replace(config, steps=8, evaluate_every=4)
    whole, half = tmp_path / "whole.checkpoint", tmp_path / "half.checkpoint"
    given: dict[str, Any] = {"teachers": [teacher]}
    at_once = train(config, deals[:64], deals[100:], whole, **given)
    train(config, deals[:64], deals[100:], half, minutes=0, **given)
    later = train(config, deals[:64], deals[100:], half, **given)
    for one, other in zip(at_once.network.parameters(), later.network.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_recorded_step_is_the_step_that_was_recorded(deals, tmp_path, monkeypatch):
    config = replace(CONFIG, compile=True, network=replace(TINY, dropout=0.1))
    recorded = train(config, deals[:64], deals[100:], tmp_path / "recorded.checkpoint")
    monkeypatch.setattr(whole_deals, "Recorded", lambda work, *given: work)
    plain = train(config, deals[:64], deals[100:], tmp_path / "plain.checkpoint")
    for one, other in zip(recorded.network.parameters(), plain.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_step_takes_its_share_of_each_kind_of_lesson(deals, trained, tmp_path):
    kept = teach([trained[0].network], 32, 7, tmp_path / "taught")
    solved, endings = (suit_data.labelled(deals[part]) for part in (slice(0, 64), slice(64, 80)))
    config = replace(CONFIG, batch=8, taught=6, taught_weight=0.25, endings=2, exchanged=0)
    source = Source(config, Place(torch.device("cpu")), solved, [], kept, endings)
    owners, targets, weight = source.batch(3)
    assert weight.tolist() == [1.0] * 8 + [0.25] * 6 + [1.0] * 2
    for data, rows in ((solved, slice(0, 8)), (kept, slice(8, 14)), (endings, slice(14, 16))):
        expected = suit_data.take(data, 3, rows.stop - rows.start, seed=config.seed)
        assert torch.equal(owners[rows], expected.owners)
        assert torch.equal(targets[rows], expected.targets)


@pytest.mark.parametrize("setting", [{"steps": 0}, {"batch": 0}, {"learning_rate": 0.0},
                                     {"average": 1.0}, {"precision": "float16"}, {"taught": -1},
                                     {"endings": -1},
                                     {"warm_up": -1}, {"clip": 0.0}, {"ordered": -1.0},
                                     {"evaluate_every": 0}, {"seed": -1}])  # fmt: skip
def test_a_wrong_setting_is_named(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        replace(CONFIG, **setting)


def test_the_rate_rises_and_falls_to_zero():
    config = replace(CONFIG, steps=1000, warm_up=100)
    rates = [config.rate(step) for step in range(1000)]
    assert rates[0] < 1e-4 < rates[60] < rates[105]
    assert max(rates) <= config.learning_rate
    assert rates[500] == pytest.approx(config.learning_rate / 2, rel=0.01)
    assert rates[-1] < 1e-6
    assert config.rate(500, fresh_from=500) < 0.02 * rates[500]


@pytest.mark.slow
def test_a_training_runs_from_the_command_line(run, tmp_path):
    settings = {"steps": 2, "evaluate_every": 2, "batch": 8, "endings": 4, "network.width": 16,
                "network.heads": 1, "network.after": 1}  # fmt: skip
    chosen = [f"--set={name}={value}" for name, value in settings.items()]
    status, out, err = run(
        "train", "accurate", f"--out={tmp_path}", f"--library={LIBRARY}", "--validation=32",
        f"--endings={LIBRARY.parent / 'endings'}", "--deals=24", "--device=cpu", *chosen,
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert "step 2:" in out and "accurate.onnx: trained on 24 deals" in out
    assert {path.name for path in tmp_path.iterdir()} >= {"accurate.checkpoint", "accurate.npz"}


def test_the_log_leaves_out_what_is_made_again(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"step": 4}\n{"step": 8}\n{"st')
    assert [line["step"] for line in read_journal(tmp_path / "a.jsonl")] == [4, 8]


def test_a_calibration_is_fitted_on_fresh_deals_too(deals, trained, tmp_path):
    from trickcast.training.exports import fit_calibration
    from trickcast.training.whole_deals import export_suits, run_file, to_onnx

    path = tmp_path / "tiny.onnx"
    export_suits(trained[0], "tiny", deals[:24], path, fresh=deals[24:64])
    metadata = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
    network, sample = trained[0].network, torch.from_numpy(deals.owners.copy())
    graph = to_onnx(network, metadata["storage"], sample).SerializeToString()
    of_all = fit_calibration(run_file(graph, deals[:64].owners), deals[:64].tricks)
    stated = json.loads(metadata["calibration"])
    for kind, numbers in of_all._asdict().items():
        assert stated[kind] == pytest.approx(numbers, abs=0.02)
    assert json.loads(metadata["scores"])["validation"]["deals"] == 24


def test_an_export_says_what_it_is(deals, trained, tmp_path):
    from trickcast.training.whole_deals import export_suits, run_file

    path = tmp_path / "tiny.onnx"
    export_suits(trained[0], "tiny", deals[:64], path)
    metadata = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
    assert metadata["name"] == "tiny"
    assert metadata["training_deals"] == "64"
    scores = json.loads(metadata["scores"])["validation"]
    assert scores["suits"][2] == pytest.approx(trained[0].progress.last["exact_suits"], abs=0.5)
    with np.load(path.with_suffix(".parity.npz")) as parity:
        apart = run_file(path.read_bytes(), parity["owners"]) - parity["probabilities"]
    assert np.abs(apart).max() <= 1e-3
    assert (tmp_path / "SHA256SUMS").read_text().endswith("  tiny.onnx\n")
    estimator = Estimator(path, threads=1)
    whole, some = estimator(deals), estimator.probabilities(deals, "CN")
    assert np.abs(some - whole.probabilities[:, 3:]).max() <= 1e-6  # calibrated each by its own
