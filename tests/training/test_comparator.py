"""The comparator: exchanging the deals exchanges the answer, and references place a deal."""

from pathlib import Path

import numpy as np
import pytest
import torch

from trickcast.cards import DealSet
from trickcast.formats import zrd
from trickcast.papers.codings import find_coding
from trickcast.papers.training.comparator import (
    Comparator,
    ComparatorConfig,
    ComparatorTask,
)
from trickcast.papers.training.examples import Examples, all_examples
from trickcast.training.trainer import Lessons, train

SHARD = Path(__file__).parents[2] / "data/library/seed-717102/deals-000000000000.zrd"
SMALL = {"network": "(52x4)-(13x4)-13-5-1", "batch": 128, "epochs": 12, "references": 5}


@pytest.fixture(scope="module")
def batches() -> tuple[Examples, Examples]:
    deals = DealSet(*zrd.decode(SHARD.read_bytes()[: 500 * zrd.RECORD]))
    coding = find_coding("52x4-2018")
    return all_examples(deals[:400], "suit", coding), all_examples(deals[400:], "suit", coding)


def test_exchanging_the_deals_changes_the_sign():
    network = Comparator(ComparatorConfig(**SMALL))
    first, second = torch.rand(2, 9, 13)
    torch.testing.assert_close(network.compare(first, second), -network.compare(second, first))
    assert (network.compare(first, first) == 0).all()


def test_deals_are_placed_among_the_references(batches, tmp_path):
    training, held_out = batches
    config, lessons = ComparatorConfig(**SMALL), Lessons(400, "a", "b")
    task = ComparatorTask(config, lessons, lambda drawing: training, held_out)
    network = train(task, tmp_path / "c").network
    with torch.inference_mode():
        scores = network(torch.from_numpy(held_out.inputs)).numpy()
    assert scores.shape == (len(held_out.tricks), 14)
    misses = np.abs(scores.argmax(axis=1) - held_out.tricks.astype(int)).mean()
    constant = np.abs(np.median(held_out.tricks) - held_out.tricks.astype(int)).mean()
    assert misses < 0.75 * constant


def test_a_result_without_references_is_left_out(batches):
    training = batches[0]
    few = training.tricks < 13
    network = Comparator(ComparatorConfig(**SMALL))
    network.choose_references(
        Examples(training.inputs[few], training.tricks[few]), np.random.default_rng(0)
    )
    assert network.there_are.tolist() == [1.0] * 13 + [0.0]
    assert (network.references[:65].sum(dim=1) == 52).all()


@pytest.mark.parametrize(
    "wrong", [{"network": "52-25-1"}, {"network": "52-25-13-14"}, {"pairings": 0}, {"tower": 4}]
)
def test_a_wrong_setting_is_named(wrong):
    with pytest.raises(ValueError, match=r"52-25|pairings|tower"):
        ComparatorConfig(**SMALL | wrong)
