"""Everyday jobs on the command line and in Python, as people ask for them (docs/guides/jobs.md)."""

import json

import numpy as np
import pytest

import trickcast as tc
from trickcast.bidding import USUAL_SYSTEMS
from trickcast.simulation import Simulation

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


# --- simulations ---------------------------------------------------------------------------------

KNOWN = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
OPTIONS = [text for seat, hand in KNOWN.items() for text in (f"--{seat}", hand)]


@pytest.fixture(scope="module")
def surveyed() -> list[Simulation]:
    """What was told on the way, and the last."""
    told: list[Simulation] = []
    told.append(tc.simulate(**KNOWN, side="NS", seed=2, progress=told.append))
    return told


def test_the_first_figures_are_there_before_anything_is_solved(surveyed) -> None:
    first, last = surveyed[0], surveyed[-1]
    assert first.solved == 0 and first.ongoing and not last.ongoing
    wide, narrow = (np.asarray(found.interval)[:, ::2] for found in (first, last))
    assert np.isfinite(wide).all() and "first figures" in str(first)
    assert np.median(wide[..., 1] - wide[..., 0]) > np.median(narrow[..., 1] - narrow[..., 0])
    assert (abs(wide.mean(axis=2) - narrow.mean(axis=2)) < 0.6).all()


def test_it_ends_when_enough_is_known_of_the_side_that_asks(surveyed) -> None:
    found = surveyed[-1]
    ends = np.asarray(found.interval)
    assert (ends[:, ::2, 1] - ends[:, ::2, 0] <= 0.3 + 1e-9).all() and np.isnan(ends[:, 1::2]).all()
    (best,) = found.best_contracts(number=1)
    assert best.making.high - best.making.low <= 0.1 + 1e-9
    solved = (found.deals.tricks_or_unknown != 255).sum(axis=0)
    assert not solved[:, 1::2].any(), "none of the opponents' cells"
    assert (solved[:, ::2] >= 20).all() and (solved[:, 0] == solved[:, 2]).all()
    assert len({*solved[:, 0]}) > 1, "no strain further than it needs"
    exact = tc.solve(found.deals[:20], declarers="NS").tricks
    assert (found.deals.tricks[:20, :, ::2] == exact[:, :, ::2]).all()


def test_the_same_seed_gives_the_same_figures_and_the_command_shows_them(run, surveyed) -> None:
    _, out, err = run("simulate", *OPTIONS, "--seed", 2, "--json")
    told = json.loads(out)
    np.testing.assert_allclose(
        np.array(told["expected"])[:, 0].astype(float), surveyed[-1].expected[:, 0], atol=1e-4
    )
    assert told["expected"][0][1] is None and told["stopped"] is None and err == ""


def test_more_precision_solves_more(surveyed) -> None:
    few = tc.simulate(**KNOWN, side="NS", seed=2, precision=0.4)
    assert 20 <= few.solved < surveyed[-1].solved


def test_the_better_declarer_is_taken_and_said(run) -> None:
    few = ["--solve", 20, "--samples", 40]
    _, out, _ = run("simulate", *OPTIONS, "--contract", "3N", *few)
    assert "3N by North (the better of NS), vulnerable none" in out
    told = json.loads(run("simulate", *OPTIONS, "--contract", "3N", *few, "--json")[1])
    assert told["by"] == "N"
    _, out, _ = run("compare", "2S", "3N", *OPTIONS, *few)
    assert "against 2S by " in out and "3N by N" in out


def test_an_invitation_and_a_sacrifice_are_compared(run) -> None:
    rule = "3N if hcp(north) >= 17 else 2N"
    asked = [*OPTIONS, "--solve", 20, "--samples", 40, "--json"]
    told = json.loads(run("compare", "PASS", rule, "3N", *asked)[1])
    assert [row["contract"].partition(",")[0] for row in told["contracts"]] == [
        "PASS", rule, "3N by N",
    ]  # fmt: skip
    told = json.loads(run("compare", "5DX", "--by", "E", "4S", "--by", "N", *asked)[1])
    assert told["side"] == "EW" and told["compared_with"] == "5DX by E"
    first, second = told["contracts"]
    assert first["imps"] == [0, 0, 0] and all(len(second[name]) == 3 for name in ("score", "imps"))
    assert second["total"][0] == pytest.approx(second["score"][0] - first["score"][0], abs=1e-3)


def test_a_partner_may_be_described(run) -> None:
    hand, words = KNOWN["south"], "15-17, balanced"
    told = json.loads(run("pair", hand, words, "--json")[1])
    mean = tc.PairEstimator("accurate").average(hand, words)
    assert told["hands"] == [hand, words]
    np.testing.assert_allclose(np.array(told["expected"])[:, 0], mean.expected, atol=1e-3)
    assert "the mean over hands that fit" in run("pair", hand, words)[1]
    status, _, err = run("pair", hand, "15-17, balncd")
    assert status == 2 and "did you mean balanced" in err
    assert "12 cards" in run("pair", hand, "K7.A862.KQ52.87")[2]
