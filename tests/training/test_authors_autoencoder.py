"""The training of 2018 as its authors' program has it."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from trickcast.papers.codings import find_head
from trickcast.papers.experiments.all_papers import SCALES, rows_of
from trickcast.papers.experiments.finished_figures import Store
from trickcast.papers.experiments.rows import Row
from trickcast.papers.experiments.scales import Scale
from trickcast.papers.networks.authors_autoencoder import (
    AuthorsConfig,
    AuthorsTask,
    TensorFlowRMSProp,
)
from trickcast.papers.networks.examples import Examples
from trickcast.training.trainer import Lessons, train

SMALL = {"batch": 16, "passes": 3, "settled": 1, "stale": 2, "looks": 4, "pretraining_looks": 3}


def examples(n: int, seed: int) -> Examples:
    rng = np.random.default_rng(seed)
    owners = np.argsort(rng.random((n, 52)), 1) // 13
    inputs = np.concatenate([owners == seat for seat in range(4)], axis=1).astype(np.uint8)
    return Examples(inputs, rng.integers(0, 14, n, np.uint8))


def task(head: str = "fourteen", **settings: Any) -> AuthorsTask:
    config = AuthorsConfig(**{"network": "(52x4)-(6x4)-5-14", **SMALL, **settings})
    drawn, held_out = examples(50, 1), examples(30, 2)
    lessons = Lessons(50, "a", "b")
    return AuthorsTask(config, find_head(head), lessons, lambda k: drawn, held_out)


def test_the_means_of_squares_begin_at_one_and_epsilon_is_under_the_root() -> None:
    weight = torch.nn.Parameter(torch.tensor([2.0]))
    optimizer = TensorFlowRMSProp([weight], lr=0.1, momentum=0.2)
    squares, move, value = 1.0, 0.0, 2.0
    for gradient in (3.0, -1.0, 0.5):
        weight.grad = torch.tensor([gradient])
        optimizer.step()
        squares = 0.9 * squares + 0.1 * gradient**2
        move = 0.2 * move + 0.1 * gradient / (squares + 1e-10) ** 0.5
        value -= move
        assert weight.item() == pytest.approx(value, rel=1e-6)


def test_first_weights_and_biases_are_normal() -> None:
    parts = task(network="208-104-52-13-14").network.parameters()
    weights = torch.cat([part.detach().ravel() for part in parts])
    assert weights.mean().abs() < 0.02 and weights.std() == pytest.approx(1, abs=0.02)


def test_the_decoder_is_the_encoder_transposed() -> None:
    training = task()
    inputs = torch.from_numpy(examples(7, 3).inputs).float()
    layer: Any = training.network.layers[0]
    hidden = [(inputs[:, 52 * k : 52 * k + 52] @ layer.weight[k].T + layer.bias[k].T).sigmoid()
              for k in range(4)]  # fmt: skip
    expected = [h @ layer.weight[k] + training.decoding[0][k].T for k, h in enumerate(hidden)]
    torch.testing.assert_close(training._decoded(inputs), torch.cat(expected, dim=1))


def test_a_batch_is_a_quarter_and_the_loss_the_squared_error_of_the_softmax() -> None:
    training = task(encoders=0)
    batches = training._cut()
    assert [sum(len(tricks) for _, tricks in batch) for batch in batches] == [16, 16, 16, 2]
    inputs, tricks = batches[0][0]
    chances = training.network(inputs.float()).softmax(1).detach().numpy()
    expected = np.square(chances - np.eye(14)[tricks.numpy()]).mean(1).sum()
    assert training._loss(inputs.float(), tricks).item() == pytest.approx(expected, rel=1e-5)


def test_phases_end_when_too_many_looks_saw_nothing_better(tmp_path: Path) -> None:
    looked: list[dict[str, Any]] = []
    trained = train(task(looks=50), tmp_path / "a.checkpoint", journal=False, report=looked.append)
    first, second = ([line for line in looked if line["phase"] == k] for k in (1, 2))
    assert [line["steps"] for line in first] == [3 * (k + 1) for k in range(len(first))]
    fell = [a["training_error"] - b["training_error"] for a, b in pairwise(first)]
    assert first[-1]["counted"] == sum(step < 0.01 for step in fell)
    assert first[-1]["counted"] == 2 or len(first) == SMALL["pretraining_looks"]
    assert [line["steps"] for line in second] == [12 * (k + 1) for k in range(len(second))]
    stale = [b["exact"] <= a["exact"] for a, b in pairwise(second)]
    assert sum(stale) == second[-1]["counted"] == 3 and stale[-1]
    assert trained.done


def test_going_on_is_exact(tmp_path: Path) -> None:
    whole = train(task(), tmp_path / "whole.checkpoint", journal=False).network
    path = tmp_path / "cut.checkpoint"
    while not (leg := train(task(), path, journal=False, minutes=0)).done:
        one = task()
        one.steps = leg.progress.step + 1
        train(one, path, journal=False)
    for ours, theirs in zip(leg.network.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)


def test_a_frozen_encoder_stays(tmp_path: Path) -> None:
    training = task(frozen=True)
    while training.phase.number == 1:
        training.step()
        training.validate()
    before = training.network.layers[0].weight.clone()
    last: Any = training.network.layers[-1]
    moved = last.weight.clone()
    training.step()
    torch.testing.assert_close(training.network.layers[0].weight, before, rtol=0, atol=0)
    assert not torch.equal(last.weight, moved)


def test_one_output_is_trained_too(tmp_path: Path) -> None:
    trained = train(task("equal-unit", network="(52x4)-(6x4)-5-1"), tmp_path / "a", journal=False)
    outputs = trained.network(torch.from_numpy(examples(9, 3).inputs))
    assert outputs.shape == (9, 1) and outputs.min() > 0 and outputs.max() < 1


def test_the_scale_takes_a_quarter_of_what_each_row_has() -> None:
    scale: Scale = SCALES["authors"]
    rows = {row.id: row for row in rows_of("mandziuk2018") if isinstance(row, Row)}
    suits, notrump = (scale.plan(rows[name].net) for name in ("m18-T1-05", "m18-T2-05"))
    assert (suits.deals, suits.batch) == (100_000, 200_000)
    assert (notrump.deals, notrump.batch) == (380_928, 190_464)
    for net in (suits, notrump):
        assert net.pretraining is not None and net.pretraining.by_authors
        assert net.pretraining.until == 0 and "by its authors' program" in net.key
        full = SCALES["full"].plan(rows["m18-T1-05"].net)
        assert net.slug != full.slug and "authors" not in full.key


def test_figures_are_kept_apart_from_those_as_printed(tmp_path: Path) -> None:
    store = Store(tmp_path, "reproduction")
    store.add({"authors": "m18-T1-05", "seed": seed, "deals": deals, "exact": 50 + seed}
              for seed, deals in ((2, 200), (1, 200), (3, 100)))  # fmt: skip
    store.add([{"printed": "m18-T1-05", "seed": 1, "exact": 57.0}])
    again = Store(tmp_path, "reproduction")
    assert [line["exact"] for line in again.by_authors("m18-T1-05")] == [53, 51, 52]
    assert len(again.as_printed("m18-T1-05")) == 1


def test_a_row_is_trained_measured_and_kept(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    tiny = replace(SCALES["authors"], fewest=50, validation=20, tests=30,
                   pretraining_epochs={"any": 1}, tuning_epochs=1)  # fmt: skip
    monkeypatch.setitem(SCALES, "authors", tiny)
    row = "m18-beyond-no-pretraining-D-104-all_suits"
    (tmp_path / "rows.txt").write_text(f"{row}\n")
    arguments = ("reproduce", "mandziuk2018", "--rows", tmp_path / "rows.txt", "--scale", "authors",
                 "--training-deals", 50, "--out", tmp_path)  # fmt: skip
    assert run(*arguments)[0] == 0
    (line,) = Store(tmp_path, "reproduction").by_authors(row)
    assert line["seed"] == 1 and line["epochs"] == 400 and line["n"] == 240
    assert (tmp_path / "reproduction/mandziuk2018.md").exists()


def test_rows_of_other_papers_have_no_such_training(run: Any, tmp_path: Path) -> None:
    status, _, err = run("reproduce", "mossakowski2009", "--row", "m09-TV-05", "--scale", "authors",
                         "--out", tmp_path)  # fmt: skip
    assert status == 2 and "trained in two phases" in err
