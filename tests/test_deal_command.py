"""The command deal: boards that fit what is asked, and what Dealer's scripts do with them."""

import json
import warnings
from collections import Counter
from io import BytesIO, TextIOWrapper
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Board, DealSet, Seat, Vulnerability, board_dealer, board_vulnerability
from trickcast.dealing import (
    Average,
    ConstraintError,
    Constraints,
    ConstraintWarning,
    Frequency,
    constrained_deals,
    read_actions,
    turned,
)
from trickcast.evaluators import evaluate
from trickcast.scoring import par

SCRIPT = """# a weak notrump opposite anything, as of old
produce 60
points = hcp(north)  // counted once
condition points >= 12 and points <= 14 and shape(north, any 4333 + any 4432 + any 5332)
action average "South has" hcp(south),   // commas, in comments
       frequency "points" (points, 12, 13),
       frequency "by spades" (points, 12, 14, spades(north), 2, 5), printes("!"), printpbn
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
    written = f"note: 20 deals written to {target}\n"
    assert run("deal", *asked, "--first", 15, "--out", target) == (0, "", written)
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
    status, out, _ = run("deal", "-n", 3, "--seed", 0, "--out", target, *options)
    assert (status, out) == (0, "")
    assert np.array_equal(tc.read(target).owners, constrained_deals(3, 0).owners)


@pytest.mark.solver
def test_solved_boards_hold_their_tricks(run) -> None:
    _, out, err = run("deal", "-n", 2, "--seed", 3, "--solve", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    deals = constrained_deals(2, 3)
    assert err == "" and [line["deal"] for line in lines] == [deal.pbn for deal in deals]
    assert [line["exact"] for line in lines] == tc.solve(deals).tricks.tolist()
    assert [(line["board"], line["dealer"], line["vulnerable"]) for line in lines] == [
        (1, "N", "none"), (2, "E", "ns"),
    ]  # fmt: skip


def test_all_boards_after_an_auction_have_its_dealer_as_the_help_says(run) -> None:
    _, out, _ = run("deal", "-n", 2, "--auction", "1N P", "--json")
    boards = [json.loads(line) for line in out.splitlines()]
    assert [(board["dealer"], board["vulnerable"]) for board in boards] == [("N", "none")] * 2
    told = " ".join(run("deal", "--help")[1].split())
    assert "board number; N with auction" in told and "board number; none with auction" in told


@pytest.mark.solver
def test_a_diagram_shows_the_board(run) -> None:
    out = run("deal", "--south", "AQ864.K75.A3.KJ4", "--to", "diagram", "--solve")[1]
    assert out.startswith("Board 1, dealer North, vulnerable none\n") and "♠ AQ864" in out
    assert "NT" in out


@pytest.mark.solver
def test_diagrams_are_a_line_apart(run) -> None:
    for options in ([], ["--solve"]):
        out = run("deal", "-n", 2, "--to", "diagram", *options)[1]
        assert "\n\n\n" not in out and not out.endswith("\n\n")
        assert out.count("\n\n") == 1 + len(options) * 2


@pytest.mark.solver
def test_formats_of_the_output_are_told(run, tmp_path: Path) -> None:
    names = "pbn, lin, gib, text, zrd, csv, parquet, gib-binary, json, bri, dup"
    assert run("deal", "--to", "foo") == (
        2,
        "",
        f"trickcast: 'foo' is not a format (expected one of {names}); for the screen: diagram\n",
    )
    assert (
        f"can only be read (formats to write: {names}); for the screen: diagram"
        in run("deal", "--to", "pgx")[2]
    )
    status, out, err = run("deal", "--to", "diagram", "--out", tmp_path / "x.txt")
    assert (status, out) == (2, "") and "--to diagram is only for the screen" in err, err
    assert not (tmp_path / "x.txt").exists()
    for output in (["--to", "zrd"], ["--out", tmp_path / "x.zrd"]):
        status, _, err = run("deal", *output)
        assert status == 2 and "deal 1: " in err and "(solve them first with --solve)" in err
    assert run("deal", "--out", tmp_path / "x.zrd", "--solve")[0] == 0


@pytest.mark.slow
@pytest.mark.solver
def test_exact_needs_what_may_ask_for_tricks(run) -> None:
    assert "--exact needs a script or a condition" in run("deal", "-n", 2, "--exact")[2]
    asked = ["deal", "--condition", "tricks(south, notrump) >= 9", "--exact", "--json"]
    _, out, err = run(*asked, "--seed", 0)
    assert err == "" and tc.solve(json.loads(out)["deal"]).tricks[4, 2] >= 9


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
    asked = ["deal", "-n", 9, "--south", "hcp 20+", "--json", "--seed", 0]
    lines = run(*asked, "--rotate", "half")[1].splitlines()
    whole = turned(constrained_deals(9, 0, south="hcp 20+"), 0, half=True)
    assert [json.loads(line)["deal"] for line in lines] == [deal.pbn for deal in whole]
    assert run(*asked, "--rotate", "left")[0] == 2


def test_a_script_deals_and_counts(run, script: Path, tmp_path: Path) -> None:
    target = tmp_path / "boards.pbn"
    status, out, err = run("deal", "--script", script, "--out", target, "--seed", 4)
    assert (status, err) == (0, f"note: 60 deals written to {target}\n")
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
    names = ["deal", "deal", "average", *["frequency"] * 2, "listing"]
    assert [next(iter(line)) for line in lines] == names and lines[5]["text"] == "!!"
    assert np.sum(lines[3]["counts"]) == 2 and np.shape(lines[4]["counts"]) == (5, 6)


def test_a_script_has_its_own_number_and_seed(run, tmp_path: Path) -> None:
    path = tmp_path / "seeded.dl"
    path.write_text("seed 12\nproduce 3\nhcp(south) > 20\naction printoneline\n")
    expected = [deal.pbn for deal in constrained_deals(3, 12, condition="hcp(south) > 20")]
    assert run("deal", "--script", path)[1].split("\n")[:3] == expected
    assert run("deal", "--script", path, "--seed", 12, "-n", 2)[1].split("\n")[:2] == expected[:2]
    path.write_text("hcp(south) > 20\n")
    assert run("deal", "--script", path)[1].count("[Deal ") == 40


def test_a_script_comes_from_standard_input(run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"\xef\xbb\xbfproduce 2 seed 12345678901234567890\nhcp(n) > 12 action printoneline"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
    expected = constrained_deals(2, 12345678901234567890, condition="hcp(n) > 12")
    assert run("deal", "--script", "-")[1].split("\n")[:2] == [deal.pbn for deal in expected]
    for text, said in [
        (b"hcp(n) > $1", "$1 has no value (expected it written out)"),
        (b"produce 0 hcp(n) > 3", "standard input, line 1, column 9: produce 0 (expected"),
        (b"", "standard input: the text is empty"),
    ]:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
        status, out, err = run("deal", "--script", "-")
        assert (status, out) == (2, "") and said in err
    assert "an empty argument (expected a file with a script" in run("deal", "--script", "")[2]
    said = "$1 has no value (expected it written out)"
    assert said in run("deal", "--condition", "hcp(n) > $1")[2]


def test_what_a_script_says_in_vain_is_told(run, tmp_path: Path) -> None:
    path = tmp_path / "vain.dl"
    path.write_text("generate 100\n\nopener south\nhcp(n) > 3\naction printoneline, printall")
    status, out, err = run("deal", "--script", path, "-n", 2)
    assert status == 0 and len(out.splitlines()) == 2
    assert f"{path}, line 1: generate has no effect" in err and "--tries" in err
    assert f"{path}, line 3: opener has no effect" in err
    assert "printed once, by printoneline; no effect: printall" in err
    assert "printed once" not in run("deal", "--script", path, "-n", 2, "--to", "pbn")[2]
    path.write_text("hcp(n) > 3\naction printcompact(hcp(n))")
    assert "line 2: what stands in the brackets of printcompact" in run("deal", "--script", path)[2]


def test_chance_is_the_same_in_a_script_and_its_action(run, tmp_path: Path) -> None:
    path = tmp_path / "chance.dl"
    path.write_text("x = rnd(10)\nproduce 30\ncondition x == 3 action average x")
    asked = ["deal", "--script", path, "--condition", "rnd(10) > 4", "--seed", 2]
    assert run(*asked)[1] == "average: 3\n"


def test_fractions_are_cut_off_and_ends_are_counted_apart() -> None:
    (table,) = read_actions('action frequency "" (hcp(north) - 10, -2, 2)').tables
    assert isinstance(table, Frequency)
    owners = tc.random_deals(500, seed=2).owners
    points = np.array([deal.north.hcp for deal in tc.random_deals(500, seed=2)]) - 10
    counts = [(points < -2).sum(), *((points == n).sum() for n in range(-2, 3)), (points > 2).sum()]
    assert table.of(owners).tolist() == counts
    (share,) = read_actions("action average hcp(north) > 9").tables
    assert isinstance(share, Average) and share.of(owners) == np.mean(points > -1)


def test_steps_of_decimals_are_whole_and_end_where_said() -> None:
    deals = tc.random_deals(2000, seed=2)
    fifths = [round(10 * float(evaluate("fifths", deal.north))) for deal in deals]
    text = 'action bktfreq "" (fifths(north), 10, 11, 0.2), bktfreq "" (hcp(north), 5, 22, 5)'
    fine, coarse = read_actions(text).tables
    assert isinstance(fine, Frequency) and isinstance(coarse, Frequency)
    assert fine.axes[0].labels == ["below", "10", "10.2", "10.4", "10.6", "10.8", "11", "above"]
    steps = [0 if n < 100 else 7 if n > 110 else 1 + (n - 100) // 2 for n in fifths]
    assert fine.of(deals.owners).tolist() == np.bincount(steps, minlength=8).tolist()
    points = [deal.north.hcp for deal in deals]
    places = [0 if n < 5 else 5 if n > 22 else 1 + (n - 5) // 5 for n in points]
    assert coarse.of(deals.owners).tolist() == np.bincount(places, minlength=6).tolist()
    assert max(points) > 22


def test_turned_boards_keep_what_stays_true() -> None:
    deals = constrained_deals(50, 1)
    told = Board(number=3, dealer=Seat.SOUTH, vulnerability=Vulnerability.EW, contract="4S",
                 declarer=Seat.NORTH, result=10, play=("SQ",), auction=("PASS",))  # fmt: skip
    boards = turned(DealSet(deals.owners, None, [told] * 50), 5).boards
    assert boards == (Board(number=3, dealer=Seat.SOUTH, vulnerability=Vulnerability.EW),) * 50


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("action average", "the text ends"),
        ("action average hcp(nrth)", "line 1, column 20"),
        ("action frequency hcp(north)", "line 1, column 18"),
        ("action frequency (hcp(north), 5, 2)", "has no range"),
        ("# a\fb\naction frequency (hcp(north), 5, 2)", "line 2, column 8"),
        ("action frequency (hcp(north), 0, 99999)", "too large"),
        ('action printall, "x"', "is unexpected here"),
    ],
)
def test_an_action_that_cannot_be_read_is_shown(text: str, said: str) -> None:
    with pytest.raises(ConstraintError, match=r"line \d, column") as error:
        read_actions(text, "x.dl")
    assert said in str(error.value) and len(str(error.value).splitlines()) == 3


def test_what_cannot_be_dealt_is_said(run, tmp_path: Path) -> None:
    status, _, err = run("deal", "--condition", "hcp(north) == hcp(south) + 37", "--tries", 1000)
    assert status == 2 and "more tries" in err and len(err.splitlines()) <= 3
    assert run("deal", "--script", tmp_path / "missing.dl")[0] == 2
    assert run("deal", "--json", "--to", "pbn")[0] == 2


TRICKS = """title "What a fit is worth"
produce 30
startboard 5
dealer west
condition spades(north) + spades(south) >= 8
taken = tricks(north, spades)
action average "tricks" taken, frequency "tricks" (taken, 5, 12),
       bktfreq "points" (hcp(n), 0, 20, 5),
       csvrpt(north, hcp(south), "x", trix(north), parcontract(none)), printes(rnd(0), " "),
       printew, export(north)
"""


@pytest.mark.slow
@pytest.mark.solver
def test_tricks_of_a_script_are_exact_when_asked_for(run, tmp_path: Path) -> None:
    path = tmp_path / "fit.dl"
    path.write_text(TRICKS)
    status, out, err = run("deal", "--script", path, "-n", 6, "--exact", "--seed", 2)
    assert status == 0 and err.startswith("note: ") and "export" in err and "line 10" in err
    deals = constrained_deals(6, 2, condition="spades(north) + spades(south) >= 8")
    exact = tc.solve(deals).tricks
    taken = exact[:, 0, 0]
    assert f"tricks: {taken.mean():.6g}\n" in out
    rows = [line.split() for line in out.splitlines()]
    for tricks, count in Counter(taken.tolist()).items():
        assert [str(tricks), str(count), f"{count / 6:.2%}"] in rows
    steps = Counter(5 * (deal.north.hcp // 5) for deal in deals)
    for low, count in steps.items():
        assert [str(low), str(count), f"{count / 6:.2%}"] in rows
    for deal, table in zip(deals, exact, strict=True):
        counts = " ".join(map(str, table[:, 0]))
        best = "; ".join(map(str, par(table, "N", "none").contracts))
        assert f"{deal.north},{deal.south.hcp},x,{counts},{best}" in out.splitlines()
    assert "0 1 2 3 4 5 \n" in out  # printes: how many deals there were before
    lines = out.splitlines()
    last = lines[-5:-1] if not lines[-1] else lines[-4:]
    west, east = deals[5].west, deals[5].east
    spades = [" ".join(hand.holding("S")) or "-" for hand in (west, east)]
    assert last[0] == f"{spades[0]:20}{spades[1]}"


@pytest.mark.slow
@pytest.mark.solver
def test_tricks_of_a_script_are_estimated_else_and_that_is_told(run, tmp_path: Path) -> None:
    path = tmp_path / "fit.dl"
    path.write_text("tricks(south, notrump) >= 9\naction printoneline\n")
    status, out, err = run("deal", "--script", path, "-n", 3)
    assert status == 0 and "note: tricks() is estimated by a network (--exact solves it)" in err
    estimates = tc.estimate(out.splitlines())
    assert (estimates.tricks[:, 4, 2] >= 9).all()
    _, out, err = run("deal", "--script", path, "-n", 2, "--exact", "--first", 3, "--to", "pbn")
    assert '[Board "3"]' in out, err
    (tmp_path / "x.pbn").write_text(out)
    assert (tc.solve(tc.read(tmp_path / "x.pbn")).tricks[:, 4, 2] >= 9).all()


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".SVG"])
def test_tables_become_a_picture(run, script: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"weak{suffix}"
    asked = ["deal", "--script", script, "--out", tmp_path / "x.pbn", "--picture", target]
    asked += ["--seed", 3]
    assert run(*asked)[0] == 0
    drawn = target.read_bytes()
    magic = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert drawn.startswith(magic[suffix.lower()]) and len(drawn) > 5000
    if suffix == ".svg":
        (tmp_path / "x.pbn").unlink()
        status, _, err = run(*asked)
        assert status == 2 and f"{target} exists already" in err
        assert run(*asked, "--force")[0] == 0 and target.read_bytes() == drawn
        for text in (b"by spades", b"points", b"South has: ", b"percent of boards"):
            assert text in drawn


def test_a_picture_that_cannot_be_drawn_is_told_before_the_work(
    run, script: Path, tmp_path: Path
) -> None:
    asked = ["deal", "--script", script, "-n", 2, "--picture"]
    for target, said in (("x.txt", "expected a name in .svg"), ("none/x.svg", "No such file")):
        status, out, err = run(*asked, tmp_path / target)
        assert (status, out) == (2, "") and said in err
    assert "needs a --script" in run("deal", "--picture", tmp_path / "x.svg")[2]


def test_a_condition_without_effect_is_told(run) -> None:
    twice = "condition hcp(north)>=15\ncondition hcp(north)<=8"
    status, _, err = run("deal", "--condition", twice, "--seed", 1)
    assert status == 0 and err.startswith("note: condition, line 1: the last condition counts")


SCRIPTS = sorted((Path(__file__).parent / "dealer_scripts").glob("*.dl"))
"""Scripts in the ways in which people write them."""


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_as_people_write_them_run(run, path: Path) -> None:
    status, out, err = run("deal", "--script", path, "-n", 2)
    assert status == 0 and out and "Traceback" not in err
    _, out, _ = run("deal", "--script", path, "-n", 2, "--json")
    dealt = [line["deal"] for line in map(json.loads, out.splitlines()) if "deal" in line]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        asked = Constraints(condition=path.read_text(), tricks=lambda o: tc.estimate(o).tricks)
    assert len(dealt) == 2 and asked.accepts(DealSet.from_deals(dealt)).all()


def test_a_table_wider_than_the_screen_keeps_every_number(run, tmp_path: Path) -> None:
    script = tmp_path / "wide.dl"
    script.write_text("produce 500\naction frequency (hcp(south), 8, 14, hcp(north), 0, 30)\n")
    status, out, _ = run("deal", "--script", script, "--seed", 3)
    assert status == 0 and max(map(len, out.splitlines())) <= 80 and "…" not in out
    tables = [line for line in out.splitlines() if line and not line.startswith("value")]
    assert len(tables) == 2 * 9  # below, 8 to 14, above; twice
    assert sum(int(number) for line in tables for number in line.split()[1:]) == 500
