"""The command deal: boards that fit what is asked, and what Dealer's scripts do with them."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Seat, Vulnerability, board_dealer, board_vulnerability
from trickcast.dealing import (
    Average,
    ConstraintError,
    Frequency,
    constrained_deals,
    read_actions,
    turned,
)

SCRIPT = """# a weak notrump opposite anything, as of old
produce 60
points = hcp(north)  // counted once
condition points >= 12 and points <= 14 and shape(north, any 4333 + any 4432 + any 5332)
action average "South has" hcp(south),   // commas, in comments
       frequency "points" (points, 12, 13),
       frequency "by spades" (points, 12, 14, spades(north), 2, 5), printes("\\n"), printpbn
vulnerable ew
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "weak.dl"
    path.write_text(SCRIPT, "utf-8")
    return path


def test_boards_are_those_of_the_constraints_numbered_from_the_first(run, tmp_path: Path) -> None:
    target = tmp_path / "boards.pbn"
    asked = ["--south", "hcp 20+", "--north", "spades 5+", "--boards", 20, "--seed", 7]
    assert run("deal", *asked, "--first", 15, "--out", target) == (0, "", "")
    boards = tc.read(target)
    expected = constrained_deals(20, 7, south="hcp 20+", north="spades 5+")
    assert np.array_equal(boards.owners, expected.owners)
    assert boards.boards is not None
    for number, board in enumerate(boards.boards, 15):
        assert board.number == number and board.dealer == board_dealer(number)
        assert board.vulnerability == board_vulnerability(number)
    before = target.read_bytes()
    assert run("deal", *asked, "--first", 15, "--to", "pbn")[1].encode() == before


@pytest.mark.parametrize("suffix", ["lin", "csv", "gib", "txt"])
def test_boards_in_other_formats(run, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"boards.{suffix}"
    options = ["--to", "text"] if suffix == "txt" else []
    status, out, _ = run("deal", "-n", 3, "--out", target, *options)
    assert (status, out) == (0, "")
    assert np.array_equal(tc.read(target).owners, constrained_deals(3, 0).owners)


def test_solved_boards_hold_their_tricks(run) -> None:
    _, out, err = run("deal", "-n", 2, "--seed", 3, "--solve", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    deals = constrained_deals(2, 3)
    assert err == "" and [line["deal"] for line in lines] == [deal.pbn for deal in deals]
    assert [line["exact"] for line in lines] == tc.solve(deals).tricks.tolist()
    assert [(line["board"], line["dealer"], line["vulnerable"]) for line in lines] == [
        (1, "N", "none"), (2, "E", "ns"),
    ]  # fmt: skip


def test_a_diagram_shows_the_board(run) -> None:
    out = run("deal", "--south", "AQ864.K75.A3.KJ4", "--to", "diagram", "--solve")[1]
    assert out.startswith("Board 1, dealer North, vulnerable none\n") and "♠ AQ864" in out
    assert "NT" in out


def test_turns_are_even_and_keep_the_hands(run) -> None:
    deals = constrained_deals(4000, 1, south="hcp 20+")
    for half, seats in ((False, 4), (True, 2)):
        after = turned(deals, 5, half=half)
        strong = [
            next(seat for seat in Seat if np.array_equal(
                (row == seat).nonzero()[0], (before == Seat.SOUTH).nonzero()[0]))
            for before, row in zip(deals.owners, after.owners, strict=True)
        ]  # fmt: skip
        counts = Counter(strong)
        assert len(counts) == seats
        share = 4000 / seats  # five standard deviations of a binomial
        assert all(abs(n - share) < 5 * (share * (1 - 1 / seats)) ** 0.5 for n in counts.values())
        assert after == turned(deals, 5, half=half)
    asked = ["deal", "-n", 9, "--south", "hcp 20+", "--json"]
    lines = run(*asked, "--rotate", "half")[1].splitlines()
    whole = turned(constrained_deals(9, 0, south="hcp 20+"), 0, half=True)
    assert [json.loads(line)["deal"] for line in lines] == [deal.pbn for deal in whole]
    assert run(*asked, "--rotate", "left")[0] == 2


def test_a_script_deals_and_counts(run, script: Path, tmp_path: Path) -> None:
    target = tmp_path / "boards.pbn"
    status, out, err = run("deal", "--script", script, "--out", target, "--seed", 4)
    assert (status, err) == (0, "note: without effect here: printes\n")
    boards = tc.read(target)
    assert len(boards) == 60 and boards.boards is not None
    assert {board.vulnerability for board in boards.boards} == {Vulnerability.EW}
    north = [deal.north.hcp for deal in boards]
    assert {*north} <= {12, 13, 14}
    mean = np.mean([deal.south.hcp for deal in boards])
    assert out.splitlines()[0] == f"South has: {mean:.6g}"
    rows = [line.split() for line in out.splitlines()]
    for points, name in ((12, "12"), (13, "13"), (14, "above")):
        count = north.count(points)
        assert [name, str(count), f"{count / 60:.2%}"] in rows
    spades = [len(deal.north.holding("S")) for deal in boards]
    seen = sorted({*spades})
    pairs = Counter(zip(north, spades, strict=True))
    assert ["by", "spades", *map(str, seen)] in rows
    for points in {*north}:
        assert [str(points), *(str(pairs[points, length]) for length in seen)] in rows


def test_a_script_that_prints_sends_its_tables_aside(run, script: Path) -> None:
    _, out, err = run("deal", "--script", script, "-n", 2)
    assert out.startswith("% PBN") and "South has" in err and "South has" not in out
    script.write_text(SCRIPT.replace(", printpbn", ""))
    _, out, _ = run("deal", "--script", script, "-n", 2)
    assert out.startswith("South has") and "[Deal" not in out
    _, out, _ = run("deal", "--script", script, "-n", 2, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [next(iter(line)) for line in lines] == ["deal", "deal", "average", *["frequency"] * 2]
    assert np.sum(lines[3]["counts"]) == 2 and np.shape(lines[4]["counts"]) == (5, 6)


def test_a_script_has_its_own_number_and_seed(run, tmp_path: Path) -> None:
    path = tmp_path / "seeded.dl"
    path.write_text("seed 12\nproduce 3\nhcp(south) > 20\naction printoneline\n")
    expected = [deal.pbn for deal in constrained_deals(3, 12, condition="hcp(south) > 20")]
    assert run("deal", "--script", path)[1].split("\n")[:3] == expected
    assert run("deal", "--script", path, "--seed", 12, "-n", 2)[1].split("\n")[:2] == expected[:2]
    path.write_text("hcp(south) > 20\n")
    assert run("deal", "--script", path)[1].count("[Deal ") == 40


def test_fractions_are_cut_off_and_ends_are_counted_apart() -> None:
    (table,) = read_actions('action frequency "" (hcp(north) - 10, -2, 2)').tables
    assert isinstance(table, Frequency)
    owners = tc.random_deals(500, seed=2).owners
    points = np.array([deal.north.hcp for deal in tc.random_deals(500, seed=2)]) - 10
    counts = [(points < -2).sum(), *((points == n).sum() for n in range(-2, 3)), (points > 2).sum()]
    assert table.of(owners).tolist() == counts
    (share,) = read_actions("action average hcp(north) > 9").tables
    assert isinstance(share, Average) and share.of(owners) == np.mean(points > -1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("action average", "the text ends"),
        ("action average hcp(nrth)", "line 1, column 20"),
        ("action frequency hcp(north)", "line 1, column 18"),
        ("action frequency (hcp(north), 5, 2)", "has no range"),
        ("action frequency (hcp(north), 0, 99999)", "too large"),
        ('action printall, "x"', "is unexpected here"),
    ],
)
def test_an_action_that_cannot_be_read_is_shown(text: str, said: str) -> None:
    with pytest.raises(ConstraintError, match="line 1") as error:
        read_actions(text, "x.dl")
    assert said in str(error.value) and len(str(error.value).splitlines()) == 3


def test_what_cannot_be_dealt_is_said(run, tmp_path: Path) -> None:
    status, _, err = run("deal", "--condition", "hcp(north) == hcp(south) + 37", "--tries", 1000)
    assert status == 2 and "--tries" in err and len(err.splitlines()) <= 3
    assert run("deal", "--script", tmp_path / "missing.dl")[0] == 2
    assert run("deal", "--json", "--to", "pbn")[0] == 2
