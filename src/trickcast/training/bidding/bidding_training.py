"""The training of the model of calls, from files to files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..request import Answer, Request, can_export
from ..trainer import FORMAT, Report, Trained, read_plain, train
from .auction_files import auctions_of, read_boards, split_boards
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
"""A network that starts from a teacher's weights, and also learns from several teachers."""
TAUGHT_DEALS, TAUGHT_SEED = 50_000, 5
MODEL = "championship"


def train_bidding(
    folder: Path,
    out: Path,
    config: BiddingConfig = BIDDING,
    *,
    name: str = "bidding",
    teachers: Sequence[Path] = (),
    minutes: float | None = None,
    report: Report = lambda line: None,
) -> tuple[Trained[BiddingConfig, BiddingNetwork], Path | None]:
    """Train a leg on the PBN files of a folder; export a model at the end of the schedule.

    The same call continues from ``NAME.checkpoint`` in ``out``. ``teachers`` are
    such checkpoints of other trainings; the first one's weights are the initial weights. Without
    onnx the model is not written. Raises TrainingError for boards without auctions and
    for a checkpoint of another training.
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
    trained = train(task, out / f"{name}.checkpoint", minutes=minutes, report=report)
    if not trained.done or not can_export():
        return trained, None
    target = out / f"{name}.onnx"
    export_bidding(trained.network, MODEL, scores_of(trained.progress.last), trained.record, target)
    return trained, target


def train_model(request: Request, config: BiddingConfig, report: Report) -> Answer:
    """Train a leg on ``request.folder``. Raises like ``train_bidding``."""
    assert request.folder is not None  # the catalogue has made sure
    trained, model = train_bidding(
        request.folder,
        request.out,
        config,
        name=request.name,
        teachers=request.teacher,
        minutes=request.minutes,
        report=report,
    )
    return Answer(request.name, trained, f"{trained.record['deals']:,} auctions", model)


def shown(line: dict[str, Any]) -> str:
    """Return an evaluation as text."""
    kinds = ", of new ".join(
        f"{kind} {line[f'{kind}_loss']:.4f} ({line[f'{kind}_right']:.1%} right)"
        for kind in ("deals", "events")
    )
    return f"step {line['step']:,}: log-loss a call of new {kinds}, {line['seconds']:.0f} s"


def scores_of(line: dict[str, Any]) -> dict[str, float]:
    """Return the scores of an evaluation on held-out auctions."""
    return {
        name: value
        for name, value in line.items()
        if name.endswith(("_loss", "_right")) and name != "training_loss"
    }


def network_of(checkpoint: Path) -> BiddingNetwork:
    """Return the averaged network of a checkpoint. Raises TrainingError for other files."""
    content = read_plain(checkpoint, "a checkpoint", FORMAT)
    config = BiddingNetworkConfig(**content["config"]["network"])
    network = BiddingNetwork(config, seed=0)
    network.load_state_dict(content["state"]["averaged"])
    return network.eval()
