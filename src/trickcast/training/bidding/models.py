"""The training of the model of calls, from files to files."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..trainer import FORMAT, read_plain, train
from .boards import auctions_of, read_boards, split_boards
from .export import export_bidding
from .network import BiddingNetwork, BiddingNetworkConfig
from .task import BiddingConfig, BiddingTask
from .teaching import bid_deals, told_by

BIDDING = BiddingConfig(
    network=BiddingNetworkConfig(dropout=0.15),
    steps=2_000,
    learning_rate=3e-3,
    optimizer="soap",
    weight_decay=0.03,
    warm_up=100,
    average=0.99,
    evaluate_every=125,
)
"""A network that learns from boards alone."""
STUDENT = replace(
    BIDDING,
    network=BiddingNetworkConfig(dropout=0.1),
    steps=1_200,
    learning_rate=2e-3,
    batch=192,
    taught=192,
    told=0.4,
    evaluate_every=150,
    seed=11,
)
"""One that goes on from a teacher's weights, and learns from several teachers besides."""
TAUGHT_DEALS, TAUGHT_SEED = 50_000, 5
MODEL = "championship"


def train_bidding(
    folder: Path,
    out: Path,
    config: BiddingConfig = BIDDING,
    *,
    teachers: Sequence[Path] = (),
    minutes: float | None = None,
    report: Callable[[dict[str, float]], None] = lambda line: None,
) -> Path | None:
    """Train a leg on the PBN files of a folder; return the model's file at the end of the schedule.

    The same call goes on where it stopped: from ``bidding.checkpoint`` in ``out``. ``teachers`` are
    such checkpoints of other trainings; the first one's weights are those to begin with. Raises
    TrainingError for boards without auctions and for a checkpoint of another training.
    """
    parts = {
        name: auctions_of(boards) for name, boards in split_boards(read_boards(folder)).items()
    }
    boards, taught, begin = parts.pop("training"), None, None
    if teachers:
        networks = [network_of(path) for path in teachers]
        boards = told_by(networks, boards)
        taught = bid_deals(networks, TAUGHT_DEALS, TAUGHT_SEED)
        begin = networks[0].state_dict()
    task = BiddingTask(config, boards, parts, taught, begin)
    trained = train(task, out / "bidding.checkpoint", minutes=minutes, report=report)
    if not trained.done:
        return None
    target = out / "bidding" / f"{MODEL}.onnx"
    export_bidding(trained.network, MODEL, scores_of(trained.progress.last), trained.record, target)
    return target


def scores_of(line: dict[str, Any]) -> dict[str, float]:
    """Return what an evaluation says of held-out auctions."""
    return {
        name: value
        for name, value in line.items()
        if name.endswith(("_loss", "_right")) and name != "training_loss"
    }


def network_of(checkpoint: Path) -> BiddingNetwork:
    """Return the averaged network of a checkpoint. Raises TrainingError for a file that is none."""
    content = read_plain(checkpoint, "a checkpoint", FORMAT)
    config = BiddingNetworkConfig(**content["config"]["network"])
    network = BiddingNetwork(config, seed=0)
    network.load_state_dict(content["state"]["averaged"])
    return network.eval()
