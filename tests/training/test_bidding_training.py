"""The network of calls in torch: boards read and split, features, training, teachers, export."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import trickcast as tc
from trickcast.bidding.bidder import Bidder
from trickcast.cards import Board, DealSet, Seat, Vulnerability
from trickcast.cards.auction import CALL_NUMBER, CALLS, auction_states
from trickcast.cards.board import Tag
from trickcast.cards.styles import STYLES
from trickcast.cards.turns import SIDES, encode_calls
from trickcast.training.bidding.auction_files import auctions_of, read_boards, split_boards
from trickcast.training.bidding.bidding_training import network_of, train_bidding
from trickcast.training.bidding.export import export_bidding
from trickcast.training.bidding.network import (
    FEATURES,
    BiddingNetwork,
    BiddingNetworkConfig,
    hand_features,
)
from trickcast.training.bidding.task import BiddingConfig, BiddingTask, batch_of, log_chances
from trickcast.training.bidding.teaching import bid_deals, told_by
from trickcast.training.errors import TrainingError
from trickcast.training.trainer import train

SMALL = BiddingNetworkConfig(context=16, hand=16, joined=16, last=8, dropout=0.25)
CONFIG = BiddingConfig(
    network=SMALL, steps=12, batch=16, warm_up=2, evaluate_every=6, optimizer="soap"
)
POINTS = np.tile(np.array([4, 3, 2, 1] + [0] * 9), 4)


def bid(owners: np.ndarray, dealer: int) -> tuple[str, ...]:
    """Bid by the simplest of systems: open 1N with 15 points or more, else pass."""
    for turn in range(4):
        if (owners == (dealer + turn) % 4) @ POINTS >= 15:
            return ("PASS",) * turn + ("1N",) + ("PASS",) * 3
    return ("PASS",) * 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Boards of 40 events in two files, a few of them twice, some without a usable auction."""
    path = tmp_path_factory.mktemp("played")
    deals = tc.random_deals(400, seed=21)
    boards = [
        Board(
            number=i + 1,
            dealer=Seat(i % 4),
            vulnerability=Vulnerability(i // 4 % 4),
            auction=("1N", "1C", "PASS") if i == 5 else bid(deals.owners[i], i % 4),
            tags=tuple(
                Tag(name, value)
                for name, value in (
                    ("Event", f"Open {i // 10}"),
                    *((seat, f"{seat} {i // 10}") for seat in ("West", "North", "East", "South")),
                )
            ),
        )
        for i in range(400)
    ]
    tc.write(DealSet(deals.owners[:250], boards=boards[:250]), path / "a.pbn")
    tc.write(DealSet(deals.owners[240:], boards=boards[240:]), path / "b.pbn.gz")
    (path / "readme.txt").write_text("no deals")
    return path


def test_boards_are_read_once_and_kept_apart(folder: Path) -> None:
    boards = read_boards(folder)
    assert len(boards.boards) == 399  # ten stand in both files, one breaks the laws
    apart = split_boards(boards)
    assert set(apart) == {"training", "deals", "events"} and all(p.boards for p in apart.values())
    assert sum(len(part.boards) for part in apart.values()) == 399
    deals = {name: {row.tobytes() for row in part.owners} for name, part in apart.items()}
    assert not deals["training"] & (deals["deals"] | deals["events"])
    events = {name: {b.tag("Event") for b in part.boards} for name, part in apart.items()}
    assert not events["events"] & (events["training"] | events["deals"])
    again = split_boards(read_boards(folder))
    assert (again["training"].owners == apart["training"].owners).all()


def test_a_folder_without_auctions_is_an_error(tmp_path: Path) -> None:
    tc.write(tc.random_deals(2, seed=1), tmp_path / "bare.pbn")
    with pytest.raises(TrainingError, match="no PBN file has a board with an auction"):
        read_boards(tmp_path)


def test_auctions_are_turned_into_turns(folder: Path) -> None:
    boards = read_boards(folder)
    auctions = auctions_of(boards)
    assert len(auctions.calls) == auctions.starts[-1] == sum(len(b.auction) for b in boards.boards)
    assert auctions.allowed[np.arange(len(auctions.calls)), auctions.calls].all()
    for i in (0, 7, 100):
        board = boards.boards[i]
        rows = auctions.rows[auctions.starts[i] : auctions.starts[i + 1]]
        made = [CALL_NUMBER[call] for call in board.auction]
        assert (rows[:, :-SIDES] == encode_calls(made)[0][:-1, :-SIDES]).all()
        own = [board.vulnerability >> ((board.dealer + t) % 2) & 1 for t in range(len(rows))]
        assert rows[:, -2].tolist() == own
        assert (auctions.hands[i, 1] == (boards.owners[i] == board.dealer.lho)).all()
    told = auctions.rows[:, -SIDES:-2].reshape(-1, 2, len(STYLES)).sum(axis=(0, 1))
    assert told[STYLES.index("strong-notrump")] > 0  # pairs open 1N with 15 or more
    assert told.sum() == told[STYLES.index("strong-notrump")]


def test_features_of_a_hand_are_its_honours_lengths_and_points() -> None:
    network = BiddingNetwork(SMALL, seed=1)
    hands = torch.from_numpy(np.stack([tc.Hand(text).cards for text in (
        "AKQ2.QJT9.432.32", "AKQ3.QJT9.542.87", "AK32.QJT9.Q32.32"
    )]))  # fmt: skip
    found = network.features(hands)
    assert found.shape == (3, FEATURES)
    assert (found[0] == found[1]).all() and (found[0] != found[2]).any()
    assert found[0, :6].tolist() == [1, 1, 1, 0, 0, 0]
    assert found[0, 24:33].tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 0]  # four spades
    assert (found == hand_features(hands.float(), network.sums, network.limits)).all()


def test_a_batch_answers_as_its_auctions_alone(folder: Path) -> None:
    auctions = auctions_of(read_boards(folder))
    network = BiddingNetwork(SMALL, seed=1).eval()
    together = batch_of(auctions, np.arange(40))
    assert sorted(together.turns) == list(range(int(auctions.starts[40])))
    chances = torch.empty(int(auctions.starts[40]), len(CALLS))
    with torch.no_grad():
        chances[together.turns] = log_chances(network, together, auctions.allowed)
        for i in (0, 3, 39):
            alone = batch_of(auctions, np.array([i]))
            found = log_chances(network, alone, auctions.allowed)
            assert torch.allclose(found, chances[alone.turns], atol=1e-5)
    assert torch.allclose(chances.exp().sum(1), torch.ones(len(chances)), atol=1e-5)


def test_the_file_answers_as_torch(tmp_path: Path, folder: Path) -> None:
    network = BiddingNetwork(SMALL, seed=3).eval()
    path = tmp_path / "bidding" / "small.onnx"
    export_bidding(network, "small", {"deals_loss": 1.0}, {}, path)
    auctions = auctions_of(read_boards(folder).those(range(30)))
    auctions.rows[:, -SIDES:-2] = 0
    batch = batch_of(auctions, np.arange(30))
    with torch.no_grad():
        expected = log_chances(network, batch, auctions.allowed).exp().numpy()
    bidder = Bidder(path, threads=1)
    boards = read_boards(folder).boards
    for place, turn in enumerate(batch.turns):
        i = int(np.searchsorted(auctions.starts, turn, side="right")) - 1
        made = int(turn - auctions.starts[i])
        said = bidder.probabilities(
            auctions.hands[i, made % 4],
            " ".join(boards[i].auction[:made]),
            dealers=boards[i].dealer,
            vulnerable=boards[i].vulnerability,
        )
        assert np.abs(said - expected[place]).max() < 1e-4


def test_a_training_learns_goes_on_and_teaches(tmp_path: Path, folder: Path) -> None:
    config = replace(CONFIG, steps=80, evaluate_every=40, learning_rate=1e-2, optimizer="adam")
    lines: list[dict[str, float]] = []
    _, model = train_bidding(folder, tmp_path, config, report=lines.append)
    assert model is not None and lines[-1]["deals_loss"] < 1.0 < np.log(38)
    assert Bidder(model).info.scores["events_right"] == pytest.approx(
        lines[-1]["events_right"], abs=1e-4
    )
    teacher = network_of(tmp_path / "bidding.checkpoint")
    taught = bid_deals([teacher], 30, seed=4)
    assert len(taught) == 30 and taught.told is not None
    assert np.allclose(taught.told.astype(float).sum(axis=1), 1, atol=5e-3)
    assert taught.allowed[np.arange(len(taught.calls)), taught.calls].all()
    for i in range(30):
        calls = taught.calls[taught.starts[i] : taught.starts[i + 1]]
        assert auction_states(calls.tolist())[-1].over


def test_the_command_trains_on_a_folder_and_goes_on(run, tmp_path: Path, folder: Path) -> None:
    small = ["steps=4", "batch=16", "warm_up=1", "evaluate_every=2", "network.context=16",
             "network.hand=16", "network.joined=16", "network.last=8"]  # fmt: skip
    asked = ["train", "bidding", folder, "--out", tmp_path]
    asked += [word for text in small for word in ("--set", text)]
    status, out, err = run(*asked, "--minutes", 0)
    assert (status, err) == (0, "") and "of 4; rerun the command to continue" in out
    status, out, err = run(*asked)
    model = tmp_path / "bidding.onnx"
    assert (status, err) == (0, "") and f"{model}: trained on" in out
    assert "log-loss a call of new deals" in out
    assert Bidder(model).probabilities("KQ4.AQ5.K873.J94").shape == (38,)


def test_going_on_is_exact(tmp_path: Path, folder: Path) -> None:
    parts = {name: auctions_of(part) for name, part in split_boards(read_boards(folder)).items()}
    boards = parts.pop("training")
    teacher = BiddingNetwork(SMALL, seed=9)
    told = told_by([teacher], boards)
    taught = bid_deals([teacher], 20, seed=1)
    config = replace(CONFIG, taught=8, told=0.5)

    def task() -> BiddingTask:
        return BiddingTask(config, told, parts, taught, teacher.state_dict())

    whole = train(task(), tmp_path / "whole.checkpoint").network
    cut = task()
    cut.steps = 5
    train(cut, tmp_path / "cut.checkpoint")
    again = train(task(), tmp_path / "cut.checkpoint").network
    for name, weights in whole.state_dict().items():
        assert torch.equal(weights, again.state_dict()[name]), name


def test_teachers_are_needed_where_they_are_asked(folder: Path) -> None:
    parts = {name: auctions_of(part) for name, part in split_boards(read_boards(folder)).items()}
    boards = parts.pop("training")
    for config in (replace(CONFIG, told=0.5), replace(CONFIG, taught=8)):
        with pytest.raises(TrainingError, match="need teachers"):
            BiddingTask(config, boards, parts)
