"""The command played, and the same question over HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest

import trickcast as tc

BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
AUCTION = "1H P 4H P P P"


def test_a_contract_is_shown_as_played_beside_double_dummy(run) -> None:
    status, out, err = run("played", BOARD, "4H", "--by", "N")
    told = json.loads(run("played", BOARD, "4H", "--by", "N", "--json")[1])
    played, seen = tc.estimate_played(BOARD, "4H", by="N"), tc.estimate(BOARD)
    assert (status, err) == (0, "") and "as played   double dummy" in out
    assert told["expected"] == pytest.approx(played.expected, abs=1e-3)
    assert told["making"] == pytest.approx(played.making(), abs=1e-3)
    assert told["score"] == pytest.approx(played.score(), abs=0.1)
    assert told["probabilities"] == pytest.approx(list(played.probabilities), abs=1e-5)
    assert told["double_dummy"]["making"] == pytest.approx(seen.making("4H", by="N"), abs=1e-3)
    assert f"{told['making']:.0%}" in out and f"{told['double_dummy']['making']:.0%}" in out


def test_lead_auction_and_players_count(run) -> None:
    def told(*words: str) -> Any:
        return json.loads(run("played", BOARD, *words, "--json")[1])

    plain = told("4H", "--by", "N")
    for words in (["--lead", "DQ"], ["--auction", AUCTION], ["--players", "club"]):
        other = told("4H", "--by", "N", *words)
        assert other["probabilities"] != plain["probabilities"]
    out = run("played", BOARD, "4H", "--by", "N", "--lead", "dq")[1]
    assert "4H by North, lead ♦Q, vulnerable none, expert players\n" in out
    called = told("--auction", "1nt p 3nt ap", "--dealer", "S")
    assert (called["contract"], called["by"], called["auction"]) == ("3N", "S", "1N P 3N P P P")
    assert told("4H", "--by", "N", "--vulnerable", "ns")["score"] > plain["score"]


def test_the_boards_of_a_file_are_in_their_own_contracts(run, tmp_path: Path) -> None:
    def board(number: int, contract: str, by: str) -> str:
        tags = {"Board": number, "Deal": BOARD, "Contract": contract, "Declarer": by}
        return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + "\n"

    path = tmp_path / "boards.pbn"
    path.write_text(board(1, "4H", "N") + board(2, "Pass", "") + board(3, "3NX", "E"))
    status, out, err = run("played", path, "--json")
    told = [json.loads(line) for line in out.splitlines()]
    found = [(each["board"], each["contract"], each["by"]) for each in told]
    assert found == [(1, "4H", "N"), (3, "3NX", "E")]
    assert status == 0 and "note: 1 board passed out" in err
    estimate = tc.estimate_played([BOARD] * 2, ["4H", "3NX"], by=["N", "E"])
    assert [each["expected"] for each in told] == pytest.approx(estimate.expected, abs=1e-3)
    alone = json.loads(run("played", path, "--boards", 3, "--json")[1])
    assert alone == told[1] | {"dealer": "S"} and told[1]["vulnerable"] == "ew"  # board 3's
    asked = json.loads(run("played", path, "--boards", 3, "--vulnerable", "none", "--json")[1])
    assert asked["vulnerable"] == "none" and asked["score"] > alone["score"]  # down, doubled
    odd = tmp_path / "odd.pbn"
    odd.write_text('[Dealer "S"]\n' + board(1, "4H", "N"))
    calls = ("--auction", "P 1H P 4H P P P", "--dealer", "W")
    for words, dealer in (((), "S"), (calls, "W")):
        assert json.loads(run("played", odd, *words, "--json")[1])["dealer"] == dealer
    assert run("played", path, "--boards", 9)[2] == "trickcast: there is no board 9\n"
    assert "passed out" in run("played", path, "--boards", 2)[2]


def test_a_board_without_a_dealer_has_that_of_its_number(run, tmp_path: Path) -> None:
    path = tmp_path / "board.pbn"
    path.write_text(f'[Board "2"]\n[Deal "{BOARD}"]\n')
    for words in ((), ("--boards", 2)):
        out = run("played", path, *words, "--auction", "1H P 4H P P P", "--json")[1]
        assert json.loads(out)["by"] == "E"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["4H"], "4H: --by is missing (expected the declarer: N, E, S or W)"),
        (["4Z", "--by", "N"], "'4Z' is not a contract"),
        (["4H", "--by", "Q"], "'Q' is not a seat"),
        (["4H", "--by", "N", "--lead", "SA"], "East leads, but North holds SA"),
        (["4H", "--by", "N", "--lead", "ZA"], "'ZA'"),
        (["PASS", "--by", "N"], "a passed-out board has no tricks to estimate"),
        (["--auction", "P P P P"], "the auction was passed out"),
        (["4H", "--auction", "1H P 4S P P P"], "the auction ends in 4S, not in 4H"),
        (["--auction", "1H P 4H"], "has not ended"),
        (["--auction", "1H P 1D"], "call 3, 1D: it is not higher than 1H"),
        (["--auction", AUCTION, "--by", "S", "--dealer", "N"], "makes North declarer, not South"),
        (["4H", "--by", "N", "--dealer", "N"], "--dealer needs --auction"),
        (["4H", "--by", "N", "--players", "me"], "players is 'me' (expected expert or club)"),
        ([], "no contract (expected CONTRACT and --by, or --auction and --dealer)"),
    ],
)
def test_what_cannot_be_estimated_is_said_in_a_line(run, words, reason) -> None:
    status, out, err = run("played", BOARD, *words)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and reason in err


def test_an_estimate_adds_the_contracts_that_players_reach(run) -> None:
    status, out, err = run("estimate", BOARD, "--played")
    told = json.loads(run("estimate", BOARD, "--played", "--json")[1])["played"]
    assert (status, err) == (0, "") and "at the table, in championship play" in out
    shares = [each["share"] for each in told]
    assert shares == sorted(shares, reverse=True) and 0.5 < sum(shares) <= 1
    assert (told[0]["contract"], told[0]["by"]) == ("4H", "N") and "4H by N" in out
    played = tc.estimate_played(BOARD, "4H", by="N")
    assert told[0]["making"] == pytest.approx(played.making(), abs=1e-3)
    assert "played" not in json.loads(run("estimate", BOARD, "--json")[1])
