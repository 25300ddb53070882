"""Every family of trainings, killed at several moments, ends as if it had never been."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from killing import Killed, kill_at
from trickcast.cards import DealSet
from trickcast.library import Library
from trickcast.papers.bridgehand2vec.hand2vec_training import Hand2VecConfig, Hand2VecTask
from trickcast.papers.codings import find_coding, find_head
from trickcast.papers.networks.autoencoder import AutoencoderConfig, AutoencoderTask
from trickcast.papers.networks.comparator import ComparatorConfig, ComparatorTask
from trickcast.papers.networks.examples import all_examples
from trickcast.papers.networks.full_batch import FullBatch, RpropConfig
from trickcast.papers.networks.layered_network import LayeredNetwork
from trickcast.papers.networks.layered_training import PaperConfig
from trickcast.papers.networks.layered_training import train as train_paper
from trickcast.training import trainer
from trickcast.training.errors import TrainingError
from trickcast.training.lessons import labelled, solved_rows
from trickcast.training.suit_networks import PairNetworkConfig, SuitNetworkConfig
from trickcast.training.trainer import Lessons, Progress, Trained, read_journal
from trickcast.training.two_hands import PairConfig, PairTask, Sources
from trickcast.training.whole_deals import SupervisedConfig
from trickcast.training.whole_deals import train as train_deals

Run = Callable[..., Trained[Any, Any]]
TINY = SuitNetworkConfig(width=32, heads=1, before=0, after=1, ratio=2)
DEALS = SupervisedConfig(
    network=TINY, steps=12, batch=16, warm_up=2, evaluate_every=4, precision="float32",
    average=0.9, exchanged=3, checkpoint_seconds=1e-9,
)  # fmt: skip
PAIRS = PairConfig(
    network=PairNetworkConfig(width=16, before=1, after=1, pooled=1, ratio=2), steps=12, solved=16,
    taught=0, rows=16, warm_up=2, evaluate_every=4, average=0.9, checkpoint_seconds=1e-9,
)  # fmt: skip
HAND2VEC = Hand2VecConfig(
    steps=12, batch=32, warm_up=2, evaluate_every=3, average=0.9, optimizer="soap",
    checkpoint_seconds=1e-9,
)  # fmt: skip
SHALLOW = "(52x4)-(26x4)-52-13-14"


@pytest.fixture(scope="module")
def deals() -> DealSet:
    library = Path(__file__).parents[2] / "data/library"
    return next(Library(library).stream("train"))[:160]


def of_deals(config: SupervisedConfig) -> Callable[[DealSet], Run]:
    def of(deals: DealSet) -> Run:
        return lambda path, **given: train_deals(config, deals[:100], deals[100:], path, **given)

    return of


def of_pairs(deals: DealSet) -> Run:
    rows = solved_rows(deals)
    sources = Sources(labelled(deals), None, rows)
    return lambda path, **given: trainer.train(PairTask(PAIRS, sources, rows), path, **given)


def of_hand2vec(deals: DealSet) -> Run:
    rows = solved_rows(deals)
    return lambda path, **given: trainer.train(Hand2VecTask(HAND2VEC, rows, rows), path, **given)


def of_paper(deals: DealSet) -> Run:
    config = PaperConfig(
        contracts="suit", examples=256, redraw=5, epochs=20, evaluate_every=4, patience=20
    )
    return lambda path, **given: train_paper(config, deals[:100], deals[100:], path, **given)


def of_portions(deals: DealSet, steps_back: bool = False) -> Run:
    """Examples that make way a portion at a time, as the experiments have them."""
    config = RpropConfig(
        examples=64,
        redraw=8,
        portions=4,
        whole_from=6,
        epochs=20,
        evaluate_every=4,
        averaged=3,
        steps_back=steps_back,
    )
    examples = all_examples(deals, "notrump", find_coding("52"))

    def run(path: Path, **given: Any) -> Trained[Any, Any]:
        ours, candidate = (LayeredNetwork("52-25-1", seed=1) for _ in range(2))
        lessons, head = Lessons(160, "a", "b"), find_head("equal")

        def draw(k: int) -> Any:
            return type(examples)(*(part[k % 7 :: 7] for part in examples))

        task = FullBatch(config, ours, candidate, head, lessons, draw, examples)
        return trainer.train(task, path, **given)

    return run


def of_autoencoder(deals: DealSet) -> Run:
    config = AutoencoderConfig(
        network=SHALLOW, batch=64, pretraining_epochs=3, epochs=4, settled=0.0, averaged=3
    )
    examples = all_examples(deals[:80], "notrump", find_coding("52x4-2018"))

    def run(path: Path, **given: Any) -> Trained[Any, Any]:
        task = AutoencoderTask(config, Lessons(80, "a", "b"), lambda k: examples, examples)
        return trainer.train(task, path, **given)

    return run


def of_comparator(deals: DealSet) -> Run:
    config = ComparatorConfig(network="(52x4)-(13x4)-13-5-1", batch=128, epochs=6, references=5)
    examples = all_examples(deals[:80], "suit", find_coding("52x4-2018"))

    def run(path: Path, **given: Any) -> Trained[Any, Any]:
        task = ComparatorTask(config, Lessons(80, "a", "b"), lambda k: examples, examples)
        return trainer.train(task, path, **given)

    return run


FAMILIES: dict[str, Callable[[DealSet], Run]] = {
    "deals, dropout": of_deals(replace(DEALS, network=replace(TINY, dropout=0.2, layer_drop=0.3))),
    "deals, soap": of_deals(replace(DEALS, optimizer="soap")),
    "deals, pooled, soap": of_deals(
        replace(DEALS, network=replace(TINY, heads=0, after=0, pooled=1), optimizer="soap")
    ),
    "pairs": of_pairs,
    "hand2vec": of_hand2vec,
    "a paper's network": of_paper,
    "portions": of_portions,
    "steps back": partial(of_portions, steps_back=True),
    "autoencoder": of_autoencoder,
    "comparator": of_comparator,
}


def bytes_of(trained: Trained[Any, Any]) -> dict[str, bytes]:
    return {name: w.numpy().tobytes() for name, w in trained.network.state_dict().items()}


def figures(path: Path) -> list[dict[str, float]]:
    return [
        {name: value for name, value in line.items() if name != "seconds"}
        for line in read_journal(path.with_suffix(".jsonl"))
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_training_killed_and_resumed_ends_bit_equal(deals, family, tmp_path, monkeypatch):
    """Killed in its reports, after writing checkpoints, and in the middle of its steps."""
    run = FAMILIES[family](deals)
    straight = run(tmp_path / "straight.checkpoint")
    path = tmp_path / "killed.checkpoint"
    assert not run(path, minutes=0).done
    step, writing = (torch.optim.Optimizer, "zero_grad"), (trainer, "write_checkpoint")
    for place, name, call in ((*step, 3), (None, "", 2), (*step, 2), (*writing, 1), (*writing, 2)):
        with monkeypatch.context() as patched, pytest.raises(Killed):
            if place is None:
                run(path, report=kill_at(call))
            else:
                patched.setattr(place, name, kill_at(call, getattr(place, name)))
                run(path)
        run(path, minutes=0)  # a leg of no time does nothing and loses nothing
    resumed = run(path)
    assert resumed.done and resumed.progress.step == straight.progress.step
    assert bytes_of(resumed) == bytes_of(straight)
    assert figures(path) == figures(tmp_path / "straight.checkpoint")
    assert not list(tmp_path.glob(".*"))  # no temporary file


def test_other_lessons_go_on_and_other_validation_deals_do_not():
    progress = Progress()
    for lessons in ("some", "some", "more"):
        progress.use(lessons, "held out", 100, "cpu")
        progress.step += 5
    assert [leg["from_step"] for leg in progress.legs] == [0, 10]
    with pytest.raises(TrainingError, match="validated on other deals"):
        progress.use("more", "others", 100, "cpu")


def test_a_training_at_its_end_learned_nothing_from_what_came_later(deals, tmp_path):
    """The same command exports a training that ended elsewhere; the library may have grown."""
    path = tmp_path / "a.checkpoint"
    before = train_deals(DEALS, deals[:100], deals[120:], path)
    after = train_deals(DEALS, deals[:120], deals[120:], path)
    assert after.done and after.progress.legs == before.progress.legs
    assert after.record == before.record and after.record["deals"] == 100
    longer = train_deals(replace(DEALS, steps=16), deals[:120], deals[120:], path)
    assert [leg["from_step"] for leg in longer.progress.legs] == [0, 12]
    assert longer.record["deals"] == 120


def test_a_training_that_begins_with_anothers_weights_has_a_leg_of_its_own():
    progress = Progress()
    for weights in ("", "first", "first", "second"):
        progress.begun_with = weights
        progress.use("the same lessons", "held out", 100, "cpu")
    assert [leg.get("begun_with") for leg in progress.legs] == [None, "first", "second"]


def test_a_kill_is_counted():
    calls = count()
    function = kill_at(2, lambda: next(calls))
    assert function() == 0
    with pytest.raises(Killed):
        function()
    assert function() == 2
