"""play --now: which card now, over layouts; and play beside what championship players give away."""

import json
from pathlib import Path
from typing import Any

import pytest

import trickcast as tc
from trickcast.played import norms

BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
AUCTION = "1H P 2H P 4H P P P"
NOW = ["--now", "--auction", AUCTION, "--dealer", "N"]
NORTH, EAST, SOUTH = "A.KQ9832.T94.AKT", "Q4.AT7.QJ872.732", "KJ95.J65.K3.J654"


def told(run, *words: object) -> Any:
    status, out, err = run("play", *words, *NOW, "--json")
    assert status == 0, err
    return json.loads(out)


@pytest.mark.slow
@pytest.mark.solver
def test_leads_are_weighed_double_dummy_and_as_played(run) -> None:
    answer = told(run, BOARD)
    same = tc.simulate_play(EAST, auction=AUCTION, dealer="N")
    assert (answer["contract"], answer["by"], answer["turn"]) == ("4H", "N", "E")
    assert [tuple(each["cards"]) for each in answer["best"]] == [each.cards for each in same]
    for mine, each in zip(answer["best"], same, strict=True):
        assert mine["tricks"] == pytest.approx(list(each.tricks), abs=1e-4)
        assert mine["as_played"] == pytest.approx(list(each.as_played), abs=1e-3)
        assert mine["as_played"][1] < mine["as_played"][0] < mine["as_played"][2]


@pytest.mark.solver
def test_later_cards_see_dummy_and_the_other_hands_do_not_matter(run) -> None:
    answer = told(run, BOARD, "DQ")
    hidden = told(run, f"N:{NORTH} - {SOUTH} -", "DQ")
    assert hidden == answer and answer["turn"] == "S"
    assert {card for each in answer["best"] for card in each["cards"]} == {"DK", "D3"}
    assert answer["best"][0]["as_played"] is None
    defender = told(run, f"N:- {EAST} {SOUTH} -", "DQ", "DK", "DA", "D4", "D5", "D9")
    assert (defender["turn"], defender["played"][-1]) == ("E", "D9")
    assert (
        tc.simulate_play(EAST, SOUTH, auction=AUCTION, dealer="N", played="DQ DK DA D4 D5 D9").best
        in defender["best"][0]["cards"]
    )


@pytest.mark.solver
def test_a_record_has_its_own_auction_and_play(run, tmp_path: Path) -> None:
    path = tmp_path / "board.pbn"
    path.write_text(
        f'[Board "1"]\n[Dealer "N"]\n[Deal "{BOARD}"]\n[Contract "4H"]\n[Declarer "N"]\n'
        '[Auction "N"]\n1H Pass 2H Pass\n4H Pass Pass Pass\n[Play "E"]\nDQ D3\n'
    )
    status, out, err = run("play", path, "--now", "--json")
    answer = json.loads(out)
    assert (status, err) == (0, "") and answer["board"] == 1
    assert (answer["turn"], answer["played"]) == ("W", ["DQ", "D3"])
    assert "West to play, 4H by North" in run("play", path, "--now")[1]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([BOARD, "--now"], "no auction (expected --auction and --dealer"),
        ([BOARD, "--now", "--auction", "1H P"], "has not ended"),
        ([BOARD, "--now", "--auction", "P P P P"], "passed out"),
        ([BOARD, "3N", *NOW], "the auction ends in 4H, not in 3N"),
        ([BOARD, *NOW, "--by", "E"], "makes North declarer, not East"),
        ([BOARD, *NOW, "--lead", "S"], "--lead cannot be combined with --now"),
        ([BOARD, *NOW, "SQ", "S5", "S3", "H3"], "card 4, H3: North has to follow in spades"),
        ([BOARD, *NOW, "SQ", "SQ"], "card 2, SQ: it was already played"),
        ([BOARD, *NOW, "SA"], "East played SA, but North holds it"),
        ([f"N:- {EAST} {SOUTH} -", *NOW, "SQ"], "North's hand is not known"),
        ([f"N:- {EAST} - -", *NOW, "SQ"], "'s hand is not known"),
        ([BOARD, "4H", "--by", "N", "--auction", AUCTION], "--auction needs --now"),
    ],
)
def test_what_cannot_be_weighed_is_said_in_a_line(run, words, reason) -> None:
    status, out, err = run("play", *words)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and reason in err


@pytest.mark.solver
def test_a_play_is_compared_with_championship_players(run) -> None:
    cards = ["HA", "H5", "H4", "H2", "S4", "SK", "S2", "SA"]
    _, out, _ = run("play", BOARD, "4H", *cards, "--by", "N", "--json")
    roles = json.loads(out)["roles"]
    assert {name: role["given"] for name, role in roles.items()} == {
        "lead": 0, "defence": 1, "declarer": 1
    }  # fmt: skip
    assert roles["lead"]["mean"] == pytest.approx(norms()["lead"].mean, abs=1e-4)
    assert roles["defence"]["at_most"] == pytest.approx(norms()["defence"].at_most(1), abs=1e-4)
    assert "championships   give no more" in run("play", BOARD, "4H", *cards, "--by", "N")[1]
    alone = json.loads(run("play", BOARD, "4H", "--by", "N", "--json")[1])
    assert alone["roles"] is None
