"""Everyday jobs on the command line and in Python, as people ask for them (docs/guides/jobs.md)."""

import json

import trickcast as tc
from trickcast.bidding import USUAL_SYSTEMS

# --- dealing -------------------------------------------------------------------------------------


def test_boards_are_others_each_time_unless_a_seed_is_given(run) -> None:
    first, second = (run("deal", "-n", 3) for _ in "ab")
    assert first[1] != second[1]
    said, seed, _ = first[2].partition("--seed ")
    assert said == "note: " and run("deal", "-n", 3, "--seed", seed and _.split()[0])[:2] == (
        0, first[1],
    )  # fmt: skip
    assert run("deal", "-n", 3, "--seed", 5)[2] == ""


def test_secure_boards_have_no_seed(run) -> None:
    _, out, err = run("deal", "-n", 2, "--secure", "--json")
    assert err == "" and [json.loads(line)["seed"] for line in out.splitlines()] == [None, None]
    status, _, err = run("deal", "--secure", "--seed", 3)
    assert status == 2 and "secure has no seed" in err


def test_a_lesson_has_its_opener_as_dealer(run) -> None:
    theme = ["--theme", "South opens a weak two", "--vulnerable", "ns"]
    _, out, _ = run("deal", "-n", 20, *theme, "--rotate", "any", "--json", "--seed", 2)
    boards = [json.loads(line) for line in out.splitlines()]
    assert {board["dealer"] for board in boards} == {*"NESW"}
    for board in boards:
        opener = tc.Deal(board["deal"])[board["dealer"]]
        assert tc.openings.load("sayc").bid(opener) in ("2D", "2H", "2S")
        assert board["vulnerable"] == ("ns" if board["dealer"] in "NS" else "ew")
    _, out, _ = run("deal", "-n", 3, "--dealer", "E", "--json")
    assert [json.loads(line)["dealer"] for line in out.splitlines()] == ["E"] * 3


# --- opening bids --------------------------------------------------------------------------------


def test_open_shows_what_the_usual_systems_bid(run) -> None:
    hand = "AK65.Q43.KJ54.32"
    expected = {name: tc.openings.load(name).bid(hand) for name in USUAL_SYSTEMS}
    assert len({*expected.values()}) == 3
    lines = run("open", hand)[1].splitlines()
    assert dict(line.split()[:2] for line in lines[2:]) == expected
    told = json.loads(run("open", hand, "--json")[1])
    assert {opening["system"]: opening["call"] for opening in told["openings"]} == expected
    assert run("open", hand, "--csv")[1].splitlines()[1] == ",".join([hand, *expected.values()])
    assert run("open", hand, "--system", "acol")[1].startswith(f"{hand}: 1N (acol)")
    assert "nearest needs system" in run("open", hand, "--nearest", 2)[2]
