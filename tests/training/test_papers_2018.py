"""What is found of the networks of 2018 beside their rows: errors of both phases, pairs."""

import re
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from trickcast.library import Library
from trickcast.papers.codings import find_coding
from trickcast.papers.experiments.all_papers import SCALES, rows_of
from trickcast.papers.experiments.finished_figures import Store
from trickcast.papers.experiments.run_deals import Deals, all_results, gather
from trickcast.papers.experiments.spec import Comparison, Net, Pretraining
from trickcast.papers.experiments.trained import Trained, train_net
from trickcast.papers.mandziuk2018.findings import ERRORS, PAIRS
from trickcast.papers.networks.comparator import Comparator
from trickcast.papers.networks.examples import Examples
from trickcast.papers.published import published_results

LIBRARY = Path(__file__).parents[2] / "data/library"
SMOKE = SCALES["smoke"]
BY_ID = {row.id: row for row in rows_of("mandziuk2018")}
NET = Net(network="208-104-52-13-14", coding="52x4-2018", contracts="notrump", lead="NS",
          head="fourteen", pretraining=Pretraining(rate=0.002))  # fmt: skip
COMPARATOR = Net(network="(52x4)-(26x4)-26-13-1", coding="52x4-2018", contracts="notrump",
                 lead="NS", head="fourteen", comparison=Comparison())  # fmt: skip


@pytest.fixture(scope="module")
def deals() -> Deals:
    return gather(Library(LIBRARY), SMOKE)


class Undecided(nn.Module):
    """Says of every deal that all numbers of tricks are as likely."""

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.zeros(len(inputs), 14)


def test_errors_of_a_network_that_knows_nothing_are_those_of_fourteen_equal_chances(deals):
    (line,) = ERRORS.measure(Trained(NET, Undecided(), {"compression_error": 2.0}), SMOKE, deals)
    wrong, right = 1 / 14, 13 / 14
    assert line["squared"] == pytest.approx((13 * wrong**2 + right**2) / 14, abs=1e-4)
    assert line["cross_entropy"] == pytest.approx(log(14), abs=1e-4)
    assert line["compression"] == 2.0 and line["n"] == 2 * len(deals.test)
    other = Net(network="52-25-1", coding="52", contracts="notrump")
    assert ERRORS.measure(Trained(other, Undecided(), {}), SMOKE, deals) == []


def test_errors_stand_beside_the_published(tmp_path):
    store = Store(tmp_path, "standard")
    assert ERRORS.show(store) == ""
    store.add([{"row": "m18-T1-06", "network": "a | b", "compression_error": 26.295},
               {"row": "m18-T1-05", "network": "c", "compression_error": 26.295},
               {"finding": "errors: a", "network": "a | b", "squared": 0.0585,
                "cross_entropy": 1.9},
               {"finding": "errors: d", "network": "d | e", "squared": 0.05,
                "cross_entropy": 1.5, "compression": 2.0},
               {"printed": "m18-T1-06", "seed": 1, "network": "f", "compression_error": 45.6},
               {"finding": "errors: f", "network": "f", "squared": 0.06, "cross_entropy": 1.8,
                "as_printed": True},
               {"finding": "errors: g", "network": "g", "squared": 0.07, "cross_entropy": 1.7,
                "as_printed": True}])  # fmt: skip
    shown = ERRORS.show(store)
    lines = shown.splitlines()
    both = "| 45.90 | 45.600 | 26.295 | 0.059 | 0.0600 | 0.0585 | 1.8000 | 1.9000 |"
    assert f"| m18-T1-06 {both}" in lines
    assert "| m18-T1-05 | 46.98 |  | 26.295 | 0.043 |  |  |  |  |" in lines  # not measured yet
    assert lines[-1] == "| d · e |  |  | 2.000 |  |  | 0.0500 |  | 1.5000 |"
    assert "0.0700" not in shown  # as printed, of a network that no row has


class Known(nn.Module):
    """Finds in a deal the tricks that it takes."""

    def __init__(self, known: Examples):
        super().__init__()
        rows = (row.tobytes() for row in known.inputs)
        self.tricks = dict(zip(rows, known.tricks.tolist(), strict=True))

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.tensor([[float(self.tricks[row.tobytes()])] for row in inputs.numpy()])


class Knowing(Comparator):
    """Says of two deals what is true, or with ``sign`` -1 always the other."""

    def __init__(self, known: Examples, sign: int):
        nn.Module.__init__(self)
        self.tower: nn.Module = Known(known)  # type: ignore[assignment]
        self.sign = sign

    def compare(self, first: Tensor, second: Tensor) -> Tensor:
        return self.sign * (first - second)[:, 0]


@pytest.mark.parametrize(("sign", "percent"), [(1, 100.0), (-1, 0.0)])
def test_who_knows_the_tricks_tells_every_pair_apart(deals, sign, percent):
    results = all_results(deals.test, COMPARATOR.contracts, "NS", find_coding("52x4-2018"))
    trained = Trained(COMPARATOR, Knowing(results, sign), {})
    (line,) = PAIRS.measure(trained, SMOKE, deals)
    pairs, said = zip(*line["by_difference"].values(), strict=True)
    assert set(said) == {percent} and line["n"] == len(results.tricks)
    shares = np.bincount(results.tricks) / len(results.tricks)
    alike = np.square(shares).sum()  # of results by chance, so many take the same number
    assert sum(pairs) == pytest.approx(10 * line["n"] * (1 - alike), rel=0.03)
    assert PAIRS.measure(Trained(NET, Undecided(), {}), SMOKE, deals) == []


def test_pairs_are_shown_by_difference(tmp_path):
    store = Store(tmp_path, "standard")
    assert PAIRS.show(store) == ""
    store.add([{"finding": "pairs: all_suits", "n": 80_000, "by_difference": {"1": [9_000, 61.5],
                "12": [3, 100.0]}},
               {"finding": "pairs: notrump", "n": 20_000, "by_difference": {"1": [500, 60.0]}},
               ])  # fmt: skip
    lines = PAIRS.show(store).splitlines()
    assert "| tricks apart | all_suits, pairs | right | notrump, pairs | right |" in lines
    assert lines[-2:] == ["| 1 | 9,000 | 61.50 | 500 | 60.00 |", "| 12 | 3 | 100.00 |  |  |"]


def test_without_pretraining_and_with_another_decoder_only_that_is_different():
    """What the claim that pretraining helps compares are networks alike in all else."""
    for number, shape in ((1, "F-104"), (3, "F-156"), (5, "D-104"), (7, "D-156")):
        for table, contracts in (("T1", "all_suits"), ("T2", "notrump")):
            first = BY_ID[f"m18-{table}-0{number}"].net
            second = BY_ID[f"m18-beyond-no-pretraining-{shape}-{contracts}"].net
            assert second.pretraining.encoders == 0
            assert replace(second, pretraining=first.pretraining) == first
    dedicated = BY_ID["m18-beyond-dedicated-decoder-104"].net
    assert dedicated.key.endswith("decoder dedicated | seed 1")
    frozen = Pretraining(rate=0.004, frozen=True, until=45.9)
    assert replace(dedicated, pretraining=frozen) == BY_ID["m18-T1-06"].net


def test_as_printed_an_encoder_is_trained_until_its_printed_error():
    for name, printed in published_results().items():
        if name.startswith("m18-"):
            net = BY_ID[name].net
            (error,) = re.findall(r"compression error=([\d.]+)", printed["notes"])
            assert float(error) == net.pretraining.until
            as_printed, ours = SCALES["full"].plan(net), SCALES["standard"].plan(net)
            assert as_printed.pretraining.until == net.pretraining.until > 0
            assert f"until {net.pretraining.until:g}" in as_printed.key
            assert ours.pretraining.until == 0 and "until" not in ours.key
            assert replace(as_printed, batch=8).key != as_printed.key


def test_a_network_that_was_not_pretrained_has_no_compression_error(deals, tmp_path):
    nothing = SMOKE.plan(replace(NET, pretraining=Pretraining(rate=0.002, encoders=0)))
    trained = train_net(nothing, SMOKE, deals, tmp_path)
    assert trained.record["epochs"] == SMOKE.tuning_epochs
    assert "compression" not in ERRORS.measure(trained, SMOKE, deals)[0]
    trained = train_net(SMOKE.plan(NET), SMOKE, deals, tmp_path)
    assert trained.record["epochs"] == SMOKE.tuning_epochs + 1
    assert 0 < ERRORS.measure(trained, SMOKE, deals)[0]["compression"] < 208
