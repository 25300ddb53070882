"""Training the model of results at the table, from small PBN files made here."""

import numpy as np
import pytest
import torch

import trickcast as tc
from trickcast.cards import Seat, card_text
from trickcast.estimator import ModelError
from trickcast.played import PlayedEstimator
from trickcast.played.network_inputs import UNKNOWN_LEAD, part
from trickcast.training.errors import TrainingError
from trickcast.training.played_results import (
    FOLDS,
    PlayedConfig,
    inputs_of,
    read_results,
    score,
    train_played,
    unseen,
)

TINY = PlayedConfig(members=5, width=16, epochs=20, batch=64, learning_rate=1e-2, club=1.0)
DEALS = tc.random_deals(400, seed=7)
BIDS = ["1N", "2S", "3H", "3N", "4S"]


def record(deal, contract, by, result, lead):
    """One table of a match: South opened nothing that matters, the bid was passed out."""
    return (
        f'[Event "match"]\n[Dealer "{by}"]\n[Vulnerable "None"]\n[Deal "{deal.pbn}"]\n'
        f'[Declarer "{by}"]\n[Contract "{contract}"]\n[Result "{result}"]\n'
        f'[Auction "{by}"]\n{contract} Pass Pass Pass\n[Play "{Seat.parse(by).lho}"]\n'
        f"{lead} - - -\n*\n\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Experts take a trick fewer than double dummy, the club two fewer."""
    folder = tmp_path_factory.mktemp("tables")
    chances = tc.estimate(DEALS).probabilities
    texts, club = ["% PBN 2.1\n"], ["% PBN 2.1\n"]
    for number, deal in enumerate(DEALS):
        contract, by = BIDS[number % 5], "NESW"[number % 4]
        strain, seat = "SHDCN".index(contract[1]), "NESW".index(by)
        likely = int(chances[number, strain, seat].argmax())
        lead = card_text(int(np.flatnonzero(deal.owners == (seat + 1) % 4)[-1]))
        texts.append(record(deal, contract, by, max(likely - 1, 0), lead))
        club.append(
            f'[Event "club"]\n[Deal "{deal.pbn}"]\n'
            '[ScoreTable "Contract\\4L;Declarer\\1;Result\\2R;Multiplicity"]\n'
            f"{contract} {by} {max(likely - 2, 0)} 3\n{contract}X {by} {likely} 1\n"
            "PASS - - 2\n\n"
        )
    (folder / "match.pbn").write_text("".join(texts))
    (folder / "club").mkdir()
    (folder / "club" / "evening.pbn").write_text("".join(club))
    return folder


def test_files_are_read_table_by_table(folder):
    lines = []
    results = read_results(folder, lines.append)
    tables = results.tables
    assert len(results.tricks) == 1200 and tables.club.sum() == 800
    assert sorted(line["results"] for line in lines) == [400, 800]
    assert set(results.times[tables.club]) == {1, 3} and set(results.times[~tables.club]) == {1}
    assert (tables.leads[~tables.club] != UNKNOWN_LEAD).all()
    assert (tables.leads[tables.club] == UNKNOWN_LEAD).all()
    assert {len(calls) for calls in tables.auctions} == {0, 4}
    doubled = tables.contracts[:, 2] == 1
    assert doubled.sum() == 400 and tables.club[doubled].all()


def test_entries_that_cannot_be_read_are_reported(tmp_path, folder):
    whole = (folder / "match.pbn").read_text()
    (tmp_path / "match.pbn").write_text(whole.replace('[Deal "N:', '[Deal "N:K', 1))
    lines = []
    assert len(read_results(tmp_path, lines.append).tricks) == 399
    assert lines[0]["skipped"] == 1


def test_rows_of_a_score_table_are_read_as_a_session_reads_them(tmp_path):
    """Results by the contract, quoted cells, ordered columns; bad rows are counted, not learned."""
    (tmp_path / "club.pbn").write_text(
        f'[Event "club"]\n[Deal "{DEALS[0].pbn}"]\n'
        '[ScoreTable "+Names\\12L;+Contract\\5L;Declarer;Result;Multiplicity"]\n'
        '"A B" 4H N +1 1\n"A B" 4H N = 2\n"A B" 3NT S -2 -\nC 4HN+1 - - 1\nD 4S W 10 4\n'
        "E PASS - - 1\nF A+/A- - - 1\nG 4S N - 1\n"
        "H 4S N +9 1\nI 9S N 9 1\nJ 4SN N 9 0\nA B 4H N 9\nK 4SE-1 N 10 1\n\n"
    )
    lines = []
    results = read_results(tmp_path, lines.append)
    assert results.tricks.tolist() == [11, 10, 7, 11, 10]
    assert results.times.tolist() == [1, 2, 1, 1, 4]
    assert results.tables.contracts[:, 0].tolist() == [4, 4, 3, 4, 4]
    assert [line["skipped"] for line in lines] == [5]


def test_deals_without_boards_teach_nothing(tmp_path, folder):
    (tmp_path / "bare.pbn").write_text(f'[Deal "{DEALS[0].pbn}"]\n\n')
    (tmp_path / "match.pbn").write_text((folder / "match.pbn").read_text())
    lines = []
    assert len(read_results(tmp_path, lines.append).tricks) == 400
    assert [line["results"] for line in lines] == [0, 400]


def test_a_lead_or_auction_that_does_not_fit_is_not_believed(tmp_path):
    deal = DEALS[0]
    theirs = card_text(int(np.flatnonzero(deal.owners == 0)[0]))  # declarer's own card
    text = record(deal, "3N", "N", 9, theirs).replace("3N Pass Pass", "2N Pass Pass")
    (tmp_path / "slip.pbn").write_text(text)
    results = read_results(tmp_path)
    assert results.tables.leads.tolist() == [UNKNOWN_LEAD] and results.tables.auctions == ((),)


def test_nothing_to_learn_from(tmp_path):
    with pytest.raises(TrainingError, match="no results to learn from"):
        read_results(tmp_path)
    tc.write(DEALS[:5], tmp_path / "bare.pbn")
    with pytest.raises(TrainingError, match="no results to learn from"):
        read_results(tmp_path)


@pytest.mark.slow
def test_training_from_files_to_a_model_that_ships(folder, tmp_path):
    lines = []
    path = train_played(folder, tmp_path / "one", TINY, lines.append)
    assert [line["epoch"] for line in lines if "epoch" in line] == [*range(1, 21)]
    estimator = PlayedEstimator(path, threads=1)
    assert set(estimator.info.scores) == {"nothing", "lead", "auction", "both"}
    again = train_played(folder, tmp_path / "two", TINY)
    assert again.read_bytes() == path.read_bytes()
    seats = ["NESW"[number % 4] for number in range(400)]
    bids = BIDS * 80
    experts = estimator(DEALS, bids, seats).expected
    club = estimator(DEALS, bids, seats, players="club").expected
    dd = tc.estimate(DEALS).expected[np.arange(400), ["SHDCN".index(b[1]) for b in bids],
                                     ["NESW".index(s) for s in seats]]  # fmt: skip
    assert -1.5 < (experts - dd).mean() < -0.5  # learned that a trick is lost
    assert (club - experts).mean() < -0.2


def test_members_answer_for_deals_that_they_have_not_seen(folder):
    """What is stated of a deal comes from the members whose fold it is in, and from no other."""
    from trickcast.training.played_results import Ensemble, _spread

    results = read_results(folder)
    rows = inputs_of(results.tables, tc.Estimator("accurate"))
    torch.manual_seed(1)
    ensemble = Ensemble(TINY, *_spread(rows)).eval()
    before = unseen(results, rows, ensemble)
    with torch.no_grad():
        ensemble.leave.bias[2] += torch.linspace(0, 5, 14)
    changed = (np.abs(unseen(results, rows, ensemble) - before) > 1e-4).any(axis=1)
    assert (changed == (results.folds == 2)).all()
    same_deal = results.folds.reshape(-1)[np.argsort(results.tables.owners[:, 0], kind="stable")]
    assert set(same_deal) == set(range(FOLDS))
    assert score(results, rows, ensemble, "nothing")["club"]["results"] == 1600


def test_unknown_leads_and_auctions_are_zero(folder):
    results = read_results(folder)
    rows = inputs_of(results.tables, tc.Estimator("accurate"))
    club = results.tables.club
    for name in ("lead", "auction"):
        assert not rows[club][:, part(name)].any()
        assert (rows[~club][:, part(name)][:, 0] == 1).all()


def test_a_model_of_another_accurate_is_refused(folder, tmp_path):
    import onnx

    path = train_played(folder, tmp_path, TINY)
    model = onnx.load(path)
    for fact in model.metadata_props:
        if fact.key == "base_sha256":
            fact.value = "0" * 64
    onnx.save(model, path)
    with pytest.raises(ModelError, match="trained on another accurate"):
        PlayedEstimator(path)


def test_the_command_trains_on_a_folder(run, folder, tmp_path):
    tiny = ["members=5", "width=8", "epochs=2", "batch=64"]
    changes = [word for text in tiny for word in ("--set", text)]
    status, out, err = run("train", "played", folder, "--out", tmp_path, *changes)
    model = tmp_path / "played.onnx"
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == f"{model}: trained on 1,200 results"
    assert "match.pbn: 400 results" in out and "epoch 2 of 2: loss" in out
    assert PlayedEstimator(model, threads=1)(DEALS[0], "3N", "S").probabilities.shape == (14,)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["played"], "played learns from files (expected played FOLDER)"),
        (["bidding"], "bidding learns from files (expected bidding FOLDER)"),
        (["played", "nowhere"], "nowhere: no results to learn from"),
        (["bidding", "nowhere"], "nowhere: no PBN file has a board with an auction"),
        (["played", "x", "--library", "y"], "played takes no --library (only accurate"),
        (["played", "x", "--minutes", "3"], "played takes no --minutes"),
        (["fast", "x"], "fast takes no FOLDER (only played, bidding, bidding-taught)"),
        (["played", "x", "--set", "members=1"], "members is 1 (expected 5 or more)"),
    ],
)
def test_what_cannot_be_trained_is_said_in_a_line(run, words, reason):
    status, out, err = run("train", *words)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and reason in err
