"""The commands simulate, compare and leads."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from simulation_samples import AUCTION, KNOWN, NORTH, SOUTH, SPADES, WEST, interrupted_after
from trickcast.cards import Seat, Strain, card_text
from trickcast.cli import simulations
from trickcast.cli.standard_streams import SafeOutput
from trickcast.dealing import ConstraintError
from trickcast.questions import Hooks
from trickcast.questions.simulations import CompareQuestion, ContractSheet, SimulateQuestion
from trickcast.simulation import contracts, trick_picture
from trickcast.solver import solve_lead_batches

HANDS = ["--south", SOUTH, "--north", NORTH, "--samples", 60]
ONE = ["--contract", "4S", "--by", "S"]
FEW = ["--samples", 20, "--solve", 0]


def test_the_command_shows_tricks_and_contracts(run, monkeypatch) -> None:
    tricks = np.random.default_rng(1).integers(5, 12, size=(20, 5, 4)).astype(np.uint8)
    monkeypatch.setattr(contracts, "solve_batches", lambda owners, **rest: iter([tricks]))
    counted = tc.simulate(**KNOWN, side="NS", samples=20, solve=20, seed=3)
    status, out, err = run("simulate", *HANDS[:4], "--samples", 20, "--solve", 20, "--seed", 3)
    assert (status, err) == (0, "") and out.startswith(str(counted))
    best = counted.best_contracts()[0]
    assert f"{best.contract}" in out and f"{best.worth.mean:+.0f}" in out


@pytest.mark.solver
def test_the_command_on_one_contract(run, tmp_path) -> None:
    target = tmp_path / "layouts.pbn"
    asked = [*HANDS, "--solve", 20, "--contract", "4S", "--by", "S"]
    status, out, err = run("simulate", *asked, "--save", target, "--json")
    content = json.loads(out)
    result = tc.simulate(**KNOWN, samples=60, solve=20, contracts=SPADES)
    assert (status, err) == (0, "")
    assert content["making"] == pytest.approx(list(result.making("4S", "S")), abs=1e-4)
    assert sum(content["distribution"]) == pytest.approx(1, abs=1e-3)
    saved = tc.read(target)
    assert (saved.owners == result.deals.owners).all() and (
        saved.tricks == result.deals.tricks
    ).all()
    page, picture = tmp_path / "tricks.html", tmp_path / "tricks.svg"
    status, out, _ = run("simulate", *asked, "--picture", page)
    assert status == 0 and "makes" in out and "█" in out
    assert run("simulate", *asked, "--picture", picture)[0] == 0
    assert picture.read_text("utf-8") == trick_picture(result, "4S", "S")
    assert page.read_text("utf-8").endswith(trick_picture(result, "4S", "S"))
    status, _, err = run("simulate", *asked, "--picture", page)
    assert status == 2 and f"{page} exists already (--force replaces it)" in err


@pytest.mark.solver
def test_a_board_has_its_own_vulnerability_and_dealer(run, tmp_path: Path) -> None:
    path = tmp_path / "x.pbn"
    hands = "N:A.KQ9832.T94.AKT - KJ95.J65.K3.J654 -"
    path.write_text(f'[Board "2"]\n[Dealer "E"]\n[Vulnerable "All"]\n[Deal "{hands}"]\n')
    asked = ("simulate", path, "--contract", "4H", "--by", "N", "--samples", 40, "--solve", 20)
    by_board, by_option, none = (
        json.loads(run(*asked, *more, "--json")[1])
        for more in ((), ("--vulnerable", "both"), ("--vulnerable", "none"))
    )
    assert by_board == by_option and by_board["vulnerable"] == "both"
    assert by_board["score"][0] > none["score"][0]
    called = [json.loads(run(*asked, "--auction", "P P 1H", *more, "--json")[1])
              for more in ((), ("--dealer", "E", "--vulnerable", "both"))]  # fmt: skip
    assert called[0] == called[1]
    assert run(*asked, "--making", "--json")[0] == 0


@pytest.mark.solver
def test_the_command_on_making_alone(run) -> None:
    asked = [*HANDS, "--solve", 20, "--contract", "4S", "--by", "S", "--making"]
    status, out, err = run("simulate", *asked)
    assert (status, err) == (0, "") and "makes" in out and "tricks" not in out.split("double")[0]
    assert json.loads(run("simulate", *asked, "--json")[1])["making"][0] > 0


@pytest.mark.solver
def test_the_command_says_that_a_precision_was_not_reached(run) -> None:
    asked = ["--contract", "4S", "--by", "S", "--precision", 0.01, "--seconds", 0.001]
    status, out, err = run("simulate", *HANDS[:4], *asked)
    assert status == 0 and "stopped by seconds" in out and "± 0.01 was not reached" in err


@pytest.mark.solver
def test_the_command_compares(run) -> None:
    status, out, err = run("compare", "4S", "3N", "--by", "S", *HANDS, "--solve", 20)
    assert (status, err) == (0, "") and "IMPs" in out and "matchpoints" in out
    assert "points of NS; against 4S by S:" in out
    asked = ["--solve", 0, "--samples", 20]
    _, out, _ = run("compare", "4S", "3N", "--by", "S", *HANDS, *asked, "--vulnerable", "ns")
    assert "points of NS, vulnerable NS; against" in out
    assert "their error is not known" in " ".join(out.split())
    status, out, _ = run("compare", "4S", "PASS", "--by", "S", *HANDS, "--solve", 20, "--json")
    told = json.loads(out)
    assert status == 0 and (told["compared_with"], told["vulnerable"]) == ("4S by S", "none")
    assert [row["contract"] for row in told["contracts"]] == ["4S by S", "PASS"]
    assert len(told["contracts"][1]["imps"]) == 3


@pytest.mark.parametrize("asked", [[], ONE, ["--contracts", "4S", "--by", "S"]])
def test_answers_say_the_vulnerability_that_their_points_are_for(run, asked: list[str]) -> None:
    few = ["--samples", 20, "--solve", 0, "--vulnerable", "NS", "--json"]
    status, out, _ = run("simulate", *HANDS[:4], *asked, *few)
    assert status == 0 and json.loads(out)["vulnerable"] == "ns"


@pytest.mark.solver
def test_the_command_leads(run) -> None:
    asked = ["leads", WEST, "3N", "--by", "S", "--south", AUCTION["south"], "--samples", 20]
    status, out, err = run(*asked, "--solve", 20, "--json")
    content = json.loads(out)
    assert (status, err) == (0, "") and len(content["leads"]) == 11
    assert content["vulnerable"] == "none"
    status, out, _ = run(*asked, "--solve", 20, "--scoring", "matchpoints")
    assert status == 0 and "equal within the error" in out and content["leads"][0]["even"]


def test_an_interrupted_command_shows_what_is_there(run, monkeypatch) -> None:
    interrupted_after(monkeypatch, 1)
    monkeypatch.setattr("os._exit", lambda status: (_ for _ in ()).throw(SystemExit(status)))
    asked = ["--samples", 500, "--solve", 500, "--contract", "4S", "--by", "S"]
    status, out, err = run("simulate", *HANDS[:4], *asked)
    assert status == 130 and "stopped by interrupt" in out and err == "interrupted\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["simulate", "--south", SOUTH, "--north", "hcp 6-9, spaeds 3"], ["spaeds", "spades"]),
        (["simulate", "--south", ""], ["--south is empty"]),
        (["simulate", "--solve", 5], ["solve is 5"]),
        (["simulate", "--samples", 0], ["samples"]),
        (["simulate", "--by", "S"], ["--by needs --contract or --contracts"]),
        (["simulate", "--making"], ["--making needs --contract"]),
        (["simulate", *ONE, "--scoring", "imps"], ["--scoring has no effect with --contract"]),
        (["simulate", *ONE, "--making", "--vulnerable", "ns"], ["vulnerable", "making"]),
        (["simulate", "--contracts", "4S", "--scoring", "imps"], ["scoring", "contracts"]),
        (["simulate", "--contracts", "4S", "--by", "S", "--side", "NS"], ["side", "by"]),
        (["simulate", "--contract", "4S", "--by", "S", "--picture", "x.png"], [".svg", "x.png"]),
        (["simulate", "--scoring", "rubber"], ["rubber", "imps"]),
        (["simulate", "--side", "N"], ["--side is 'N' (expected NS or EW)"]),
        (["simulate", "--save", "layouts.docx"], ["layouts.docx", "suffix"]),
        (["simulate", "--save", "layouts.zrd"], ["layouts.zrd", "whole tables", ".pbn"]),
        (["compare", "4S", "3N", "--by", "S", "--save", "no/such/x.pbn"], ["no/such/x.pbn"]),
        (["leads", WEST, "3N", "--by", "S", "--save", "."], ["suffix"]),
        (["leads", WEST, "3N", "--by", "S", "--scoring", "rubber"], ["rubber", "imps"]),
        (["simulate", "--vulnerable", "we"], ["vulnerability"]),
        (["compare", "4S", "5H", "3N", "--by", "S", "--by", "W"], ["2 declarers for 3"]),
        (["compare", "4S"], ["fewer than two contracts"]),
        (["compare", "4S", "3N", "--by", "S", "--side", "EW"], ["--side has no effect with --by"]),
        (["compare", "3N if hpc(north) >= 16 else 2N", "2N", "--by", "S"], ["rule", "hpc", "hcp"]),
        (["compare", "3N if hcp(east) / 0 > 1 else 2N", "2N", *FEW], ["division by zero"]),
        (["simulate", "2S"], ["'2S' is a contract, not a board (write --contract 2S)"]),
        (["simulate", "3nt", "--by", "S"], ["(write --contract 3N)"]),
        (["leads", WEST[:-1], "3N", "--by", "S"], ["12 cards"]),
        (["leads", WEST, "3N", "--by", "S", "--west", "hcp 5+"], ["west", "twice"]),
        (["compare", "PASS", "PASS", "--by", "S"], ["played"]),
    ],
)
def test_a_mistake_ends_with_status_2_and_says_why(run, args, words) -> None:
    status, out, err = run(*args)
    assert (status, out) == (2, "") and len(err.splitlines()) <= 3
    assert all(word in err for word in words), err


@pytest.mark.parametrize("asked", [["simulate", *HANDS], ["leads", WEST, "3N", "--by", "S"]])
def test_a_file_that_cannot_be_written_is_told_before_the_work(run, monkeypatch, asked) -> None:
    monkeypatch.setattr(tc.simulation, asked[0].replace("leads", "simulate_leads"), None)
    status, out, err = run(*asked, "--save", "/proc/nowhere/x.pbn")
    assert (status, out) == (2, "") and "/proc/nowhere/x.pbn" in err


@pytest.mark.solver
def test_layouts_are_saved_though_nobody_reads_the_answer(tmp_path) -> None:
    target = tmp_path / "layouts.pbn"
    asked = ["simulate", *HANDS, "--solve", 20, "--contract", "4S", "--by", "S", "--save", target]
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "trickcast", *map(str, asked)]
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert ended.returncode == 0 and not ended.stderr, ended.stderr.decode()
    assert len(tc.read(target)) == 60


@pytest.mark.solver
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_answer_is_shown_though_its_layouts_cannot_be_saved(run, tmp_path) -> None:
    full = tmp_path / "layouts.pbn"
    full.symlink_to("/dev/full")
    asked = ["simulate", *HANDS, "--solve", 20, "--contract", "4S", "--by", "S"]
    status, out, err = run(*asked, "--save", full)
    assert status == 2 and "makes" in out and "No space left" in err


@pytest.mark.solver
def test_no_line_is_wider_than_80_characters(run) -> None:
    for asked in (
        ["leads", WEST, "4SX", "--by", "S", "--samples", 20, "--scoring", "total"],
        ["leads", WEST, "4S", "--by", "S", "--samples", 20, "--scoring", "matchpoints"],
        ["simulate", *HANDS, "--solve", 20, "--contract", "4S", "--by", "S"],
        ["simulate", *HANDS, "--solve", 20, "--contract", "4S", "--by", "S", "--making"],
        ["hand", SOUTH],
        ["hand", SOUTH, "--trump", "S"],
    ):
        status, out, _ = run(*asked)
        assert status == 0 and max(map(len, out.splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.solver
def test_several_contracts_in_one_sheet(run) -> None:
    asked = ["--south", SOUTH, "--north", NORTH, "--samples", 20, "--solve", 20, "--workers", 1]
    status, out, err = run("simulate", *asked, "--contracts", "3N,4s", "--by", "S", "--json")
    assert (status, err) == (0, "")
    rows = json.loads(out)["contracts"]
    assert [(row["contract"], row["by"]) for row in rows] == [("3N", "S"), ("4S", "S")]
    result = tc.simulate(
        **KNOWN, samples=20, solve=20, contracts=[("3N", "S"), ("4S", "S")], workers=1
    )
    for row, bid in zip(rows, ("3N", "4S"), strict=True):
        assert row["making"] == pytest.approx(list(result.making(bid, "S")), abs=1e-4)
        failing = 1 - row["making"][0]  # some lead sets it, of one suit or another
        shares = [lead["setting"][0] for lead in row["leads"]]
        assert len(shares) == 4 and shares == sorted(shares, reverse=True)
        assert shares[0] <= failing + 1e-3 <= sum(shares) + 2e-3
    text = run("simulate", *asked, "--contracts", "4S")[1]
    assert "lead that sets it" in text and max(map(len, text.splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.solver
def test_of_several_contracts_the_leads_are_found_in_the_time_there_is(monkeypatch) -> None:
    """The clock of the test goes on by a second at each look."""
    now = iter(range(1_000_000))
    monkeypatch.setattr("trickcast.questions.simulations.time.time", lambda: next(now))
    asked = SimulateQuestion(**KNOWN, contracts="3N,4S", by="S", samples=60, solve=60)
    everything, early, late = (
        asked.but(**more).ask(Hooks(workers=1, until=until, keep_on_interrupt=True))
        for more, until in (({}, None), ({"seconds": 20}, None), ({}, 0))
    )
    assert isinstance(everything, ContractSheet) and isinstance(early, ContractSheet)
    assert isinstance(late, ContractSheet) and late.simulation.stopped == "interrupt"
    assert [leads for _, leads in late.rows] == [[], []]
    for (_, all_leads), (_, some) in zip(everything.rows, early.rows, strict=True):
        assert {lead.lead for lead in some} == {lead.lead for lead in all_leads}
    over = asked.but(seconds=1e-9).ask(Hooks(workers=1))
    assert isinstance(over, ContractSheet) and [leads for _, leads in over.rows] == [[], []]
    lead, same = everything.rows[1][1][0], early.rows[1][1][0]
    assert lead.setting.high - lead.setting.low < same.setting.high - same.setting.low


@pytest.mark.solver
def test_no_lead_is_said_to_set_what_none_sets(run) -> None:
    known = [
        "--south",
        "AQ864.K75.A3.KJ4",
        "--north",
        "KJ95.J62.K94.A32",
        "--east",
        "T732.Q83.QJT.T98",
    ]
    status, out, err = run("simulate", *known, "--contracts", "4S", "--by", "S", "--workers", 1)
    assert (status, err) == (0, "")
    (row,) = (line.split() for line in out.splitlines() if line.startswith("4S"))
    assert row[-1] == "none"


@pytest.mark.solver
def test_of_a_known_leader_the_cards_that_beat_a_contract(run) -> None:
    deal = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
    hands = zip(("--north", "--east", "--south", "--west"), deal, strict=True)
    asked = [str(word) for pair in hands for word in pair]
    out = run("simulate", *asked, "--contracts", "5H 3N", "--side", "ns", "--json")[1]
    rows = json.loads(out)["contracts"]
    assert [row["contract"] for row in rows] == ["5H", "3N"]
    for row, (strain, needed) in zip(rows, ((1, 11), (4, 9)), strict=True):
        (tricks,) = solve_lead_batches(deal.owners[None], Strain(strain), Seat.parse(row["by"]))
        sets = {lead["lead"] for lead in row["leads"] if lead["setting"][0] == 1}
        cards = np.flatnonzero(tricks[0] < needed)
        assert sets == {card_text(int(card)) for card in cards} and len(sets) > 0


@pytest.mark.parametrize(
    "options", [["--contracts", "4S", "--contract", "3N"], ["--contracts", "PASS"],
                ["--contracts", ","],
                ["--contract", "3N,4H"]],
)  # fmt: skip
def test_lists_of_contracts_that_cannot_be(run, options: list[str]) -> None:
    assert run("simulate", "--south", SOUTH, *options)[0] == 2


@pytest.mark.slow
@pytest.mark.solver
def test_contracts_stand_double_dummy_and_as_played_side_by_side(run) -> None:
    one = [*HANDS, "--solve", 20, *ONE]
    result = tc.simulate(**KNOWN, samples=60, solve=20, contracts=SPADES)
    told = json.loads(run("simulate", *one, "--json")[1])["played"]
    assert told["making"] == pytest.approx(list(result.as_played("4S", "S").making), abs=1e-4)
    club = json.loads(run("simulate", *one, "--players", "club", "--json")[1])["played"]
    assert club["score"][0] != told["score"][0]
    out = run("simulate", *one)[1]
    assert "double dummy                as played" in out and "OKBridge" not in out
    making = result.as_played("4S", "S").making.mean
    assert f"{100 * making:.1f} %" in out
    assert json.loads(run("simulate", *one, "--making", "--json")[1])["played"]["making"][0] > 0
    sheet = json.loads(run("simulate", *HANDS, "--solve", 20, "--contracts", "4S,3N", "--by", "S",
                           "--json")[1])  # fmt: skip
    gains = json.loads(run("compare", "4S", "3N", "--by", "S", *HANDS, "--solve", 20, "--json")[1])
    worth = [row["played"]["worth"][0] for row in sheet["contracts"]]
    told = [row["played"] for row in gains["contracts"]]
    assert [each["score"][0] for each in told] == pytest.approx(worth, abs=0.1)
    assert told[1]["total"][0] == pytest.approx(worth[1] - worth[0], abs=0.1)
    out = run("compare", "4S", "3N", "--by", "S", *HANDS, "--solve", 20)[1]
    assert out.count("  as played") == 2


@pytest.mark.slow
@pytest.mark.solver
def test_contracts_and_leads_are_ranked_by_either(run) -> None:
    for rank in ("double-dummy", "played"):
        asked = ["simulate", *HANDS[:4], "--samples", 60, "--solve", 0, "--rank", rank, "--json"]
        best = json.loads(run(*asked)[1])["best"]
        worth = [(row if rank == "double-dummy" else row["played"])["worth"][0] for row in best]
        assert worth == sorted(worth, reverse=True) and len(worth) == 5
        leads = ["leads", WEST, "3N", "--by", "S", "--samples", 60, "--solve", 20, "--rank", rank]
        rows = json.loads(run(*leads, "--json")[1])["leads"]
        gains = [(row if rank == "double-dummy" else row["played"])["gain"][0] for row in rows]
        assert gains == sorted(gains, reverse=True)
        assert run(*leads)[1].splitlines()[4].startswith(rows[0]["cards"][0])
    status, _, err = run("simulate", *HANDS, *ONE, "--rank", "played")
    assert status == 2 and "--rank has no effect with --contract" in err
    assert "--rank is 'luck' (expected" in run("simulate", *HANDS, "--rank", "luck")[2]


class Terminal(io.BytesIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_picture_of_results_so_far_is_refreshed_in_place(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Terminal()
    output = SafeOutput(terminal, "utf-8", line_buffering=True)
    monkeypatch.setattr(sys, "stderr", output)
    with simulations._watched(Hooks(), lambda found: f"first\n{found}") as hooks:
        assert hooks.watch is not None
        hooks.watch("one")
        hooks.watch("two")
    shown = terminal.getvalue().decode()
    assert "\x1b[1A\x1b[2K" in shown and "\\" not in shown


@pytest.mark.parametrize(
    "asked",
    [["simulate", *HANDS], ["compare", "4S", "3N", *HANDS], ["leads", WEST, "3N", "--by", "S"]],
)
def test_saved_layouts_replace_no_other_file_unasked(run, tmp_path, asked) -> None:
    target = tmp_path / "evening.pbn"
    target.write_text("an evening")
    status, out, err = run(*asked, "--save", target)
    assert (status, out) == (2, "") and "exists already (--force replaces it)" in err
    assert target.read_text() == "an evening"


def test_saved_layouts_replace_a_file_if_asked(run, tmp_path) -> None:
    target = tmp_path / "evening.pbn"
    target.write_text("an evening")
    status, *_ = run("simulate", *HANDS, "--solve", 0, "--save", target, "--force")
    assert status == 0 and len(tc.read(target)) == 60


def test_a_text_of_the_language_that_is_wrong_is_no_traceback(run, monkeypatch) -> None:
    def wrong(*_: object) -> None:
        raise ConstraintError("rule, line 1, column 7: hpc is not a count")

    monkeypatch.setattr(CompareQuestion, "ask", wrong)
    told = run("compare", "4S", "3N", "--by", "S")
    assert told == (2, "", "trickcast: rule, line 1, column 7: hpc is not a count\n")
