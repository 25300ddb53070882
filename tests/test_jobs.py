"""Everyday jobs on the command line and in Python, as people ask for them (docs/guides/jobs.md)."""

import json
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.bidding import USUAL_SYSTEMS
from trickcast.cards import as_dealset, hcp, lengths
from trickcast.dealing import deal_boards, each_hand
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
    assert status == 2 and "--secure and --seed cannot be combined" in err
    assert run("deal", "-n", 0)[2] == "trickcast: --boards is 0 (expected 1 or more)\n"


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
    assert "--nearest needs --system" in run("open", hand, "--nearest", 2)[2]


@pytest.mark.slow
def test_a_hand_may_have_small_cards_wherever_one_is_asked_for(run) -> None:
    small, whole = "AQxxx.Kx2.Ax.KJx", "AQ432.K32.A2.KJ2"
    asked = (("open",), ("hand",), ("pair", "15-17, balanced"), ("nearest", "-k", 1),
             ("bid", "--auction", "1S P", "--dealer", "S"))  # fmt: skip
    for name, *more in asked:
        told = run(name, whole, *more)
        note = f"note: each x is taken as the lowest card: {whole}\n"
        assert run(name, small, *more) == (0, told[1], note + told[2])
    leads = ["3N", "--by", "S", "--solve", 20, "--samples", 20, "--json"]
    assert run("leads", small, *leads)[:2] == run("leads", whole, *leads)[:2]
    assert "at position 9 stands for any" in run("open", "xxxxxxxxx.xx.x.x")[2]


# --- simulations ---------------------------------------------------------------------------------

KNOWN = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
OPTIONS = [text for seat, hand in KNOWN.items() for text in (f"--{seat}", hand)]


@pytest.fixture(scope="module")
def surveyed() -> list[Simulation]:
    """What was told on the way, and the last."""
    told: list[Simulation] = []
    told.append(tc.simulate(**KNOWN, side="NS", seed=2, progress=told.append))
    return told


@pytest.mark.slow
@pytest.mark.solver
def test_the_first_figures_are_there_before_anything_is_solved(surveyed) -> None:
    first, last = surveyed[0], surveyed[-1]
    assert first.solved == 0 and first.ongoing and not last.ongoing
    wide, narrow = (np.asarray(found.interval)[:, ::2] for found in (first, last))
    assert np.isfinite(wide).all() and "first figures" in str(first)
    assert np.median(wide[..., 1] - wide[..., 0]) > np.median(narrow[..., 1] - narrow[..., 0])
    assert (abs(wide.mean(axis=2) - narrow.mean(axis=2)) < 0.6).all()


@pytest.mark.slow
@pytest.mark.solver
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


@pytest.mark.slow
@pytest.mark.solver
def test_the_same_seed_gives_the_same_figures_and_the_command_shows_them(run, surveyed) -> None:
    _, out, err = run("simulate", *OPTIONS, "--seed", 2, "--json")
    told = json.loads(out)
    np.testing.assert_allclose(
        np.array(told["expected"])[:, 0].astype(float), surveyed[-1].expected[:, 0], atol=1e-4
    )
    assert told["expected"][0][1] is None and told["stopped"] is None and err == ""


@pytest.mark.slow
@pytest.mark.solver
def test_more_precision_solves_more(surveyed) -> None:
    few = tc.simulate(**KNOWN, side="NS", seed=2, precision=0.4)
    assert 20 <= few.solved < surveyed[-1].solved


@pytest.mark.slow
@pytest.mark.solver
def test_the_better_declarer_is_taken_and_said(run) -> None:
    few = ["--solve", 20, "--samples", 40]
    _, out, _ = run("simulate", *OPTIONS, "--contract", "3N", *few)
    assert "3N by South (the better of NS), vulnerable none" in out
    told = json.loads(run("simulate", *OPTIONS, "--contract", "3N", *few, "--json")[1])
    assert told["by"] == "S"
    _, out, _ = run("compare", "2S", "3N", *OPTIONS, *few)
    assert "against 2S by " in out and "3N by S" in out


@pytest.mark.slow
@pytest.mark.solver
def test_the_chance_to_make_is_that_of_the_better_declarer(run) -> None:
    few = ["--solve", 40, "--samples", 200]
    _, out, _ = run("simulate", *OPTIONS, "--contract", "2S", "--making", *few)
    told = json.loads(run("simulate", *OPTIONS, "--contract", "2S", "--making", *few, "--json")[1])
    seat = {"N": "North", "S": "South"}[told["by"]]
    assert f"2S by {seat} (the better of NS)\n" in out
    both = {
        by: tc.contract_chance(**KNOWN, contract="2S", by=by, solve=200, samples=200).making()
        for by in "NS"
    }
    all_solved = tc.contract_chance(**KNOWN, contract="2S", solve=200, samples=200)
    assert all_solved.making() == max(both.values()) == both[str(all_solved.by)]
    assert tc.contract_chance(**KNOWN, contract="2S", side="EW", solve=20, samples=20).by in (1, 3)


def test_an_invitation_and_a_sacrifice_are_compared(run) -> None:
    rule = "3N if hcp(north) >= 17 else 2N"
    asked = [*OPTIONS, "--solve", 20, "--samples", 40, "--json"]
    told = json.loads(run("compare", "PASS", rule, "3N", *asked)[1])
    assert [row["contract"].partition(",")[0] for row in told["contracts"]] == [
        "PASS", rule, "3N by S",
    ]  # fmt: skip
    told = json.loads(run("compare", "5DX", "--by", "E", "4S", "--by", "N", *asked)[1])
    assert told["side"] == "EW" and told["compared_with"] == "5DX by E"
    first, second = told["contracts"]
    assert first["imps"] == [0, 0, 0] and all(len(second[name]) == 3 for name in ("score", "imps"))
    assert second["total"][0] == pytest.approx(second["score"][0] - first["score"][0], abs=1)


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


def test_pair_takes_x_in_a_typed_deal(run) -> None:
    status, out, err = run("pair", "N:xxxx.Kxx.Qxx.KQJ - Jxx.AQx.Kxx.Axxx -", "--json")
    assert status == 0 and "x is read as the lowest card that no hand shows" in err
    assert json.loads(out)["hands"] == ["5432.K32.Q32.KQJ", "J76.AQ4.K54.A432"]


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three boards, numbered 1 to 3."""
    path = tmp_path_factory.mktemp("session") / "three.pbn"
    tc.write(deal_boards(3, seed=4).deals, path)
    return path


@pytest.mark.solver
def test_solve_prints_one_line_a_board(run, session) -> None:
    tables = tc.solve(tc.read(session)).tricks
    status, out, _ = run("solve", session, "--short")
    head, *lines = out.splitlines()
    assert status == 0 and len(lines) == 3 and all(len(line) <= 80 for line in [head, *lines])
    assert head.split() == ["board", *(cell for seat in "NSEW" for cell in (seat, *_STRAINS))]
    for number, (line, table) in enumerate(zip(lines, tables, strict=True), 1):
        first, *cells = map(int, line.split())
        assert first == number
        assert cells == table[[4, 0, 1, 2, 3]][:, [0, 2, 1, 3]].T.ravel().tolist()
    assert "do not go together" in run("solve", session, "--short", "--json")[2]


_STRAINS = ["NT", "♠", "♥", "♦", "♣"]


@pytest.mark.slow
@pytest.mark.solver
def test_boards_of_several_files_are_chosen_everywhere(run, session) -> None:
    deals = tc.read(session)
    for command in ("solve", "par", "estimate"):
        _, out, _ = run(command, session, session, "--boards", "2-3", "--json")
        asked = [json.loads(line) for line in out.splitlines()]
        assert [answer["board"] for answer in asked] == [2, 3, 2, 3]
        assert [answer["deal"] for answer in asked] == [deals[i].pbn for i in (1, 2, 1, 2)]
        _, out, _ = run(command, session, "--board", 3, "--json")
        assert json.loads(out)["board"] == 3
        status, out, err = run(command, session, "--board", 9)
        assert (status, out, err) == (2, "", "trickcast: there is no board 9\n")


# --- Python --------------------------------------------------------------------------------------


def test_hands_are_tested_in_arrays_or_one_at_a_time() -> None:
    strong = tc.constrained_deals(20, seed=1, south=lambda hands: hcp(hands) >= 18)
    long = tc.constrained_deals(20, seed=1, south=lambda hands: lengths(hands)[:, 0] >= 6)
    one = tc.constrained_deals(20, seed=1, south=each_hand(lambda hand: hand.hcp >= 18))
    assert one == strong and all(deal.south.hcp >= 18 for deal in strong)
    assert all(deal.south.lengths[0] >= 6 for deal in long)


def test_lists_of_texts_are_deals_and_name_the_bad_one() -> None:
    deals = tc.random_deals(50, seed=3)
    texts = [deal.pbn for deal in deals]
    texts[7] = " ".join(f"{seat}:{hand}" if seat == "E" else str(hand) for seat, hand in zip(
        "ESWN", [deals[7].east, deals[7].south, deals[7].west, deals[7].north], strict=True
    ))  # fmt: skip
    found, single = as_dealset(texts)
    assert found == deals and not single
    with pytest.raises(tc.DealError, match="deal 9: "):
        as_dealset([*texts[:9], texts[9].replace("N:", "N:A")])
    twice = texts[3][:2] + texts[3][2:19] + texts[3][2:19] + texts[3][36:]
    with pytest.raises(tc.DealError, match="deal 3: "):
        as_dealset([*texts[:3], twice])


# --- output --------------------------------------------------------------------------------------


@pytest.mark.solver
def test_deal_and_convert_write_the_same_tags(run, tmp_path: Path) -> None:
    plain, solved, converted = (tmp_path / f"{name}.pbn" for name in ("a", "b", "c"))
    run("deal", "-n", 2, "--seed", 5, "--out", plain)
    run("deal", "-n", 2, "--seed", 5, "--solve", "--out", solved)
    run("convert", plain, converted, "--solve")
    assert "[OptimumScore" in solved.read_text() and solved.read_bytes() == converted.read_bytes()


@pytest.mark.solver
def test_saved_layouts_have_the_vulnerability_that_was_asked_about(run, tmp_path: Path) -> None:
    saved = tmp_path / "layouts.pbn"
    asked = [*OPTIONS, "--contract", "2S", "--by", "S", "--solve", 20, "--samples", 20]
    run("simulate", *asked, "--vulnerable", "ew", "--save", saved)
    boards = tc.read(saved).boards
    assert {(board.dealer, str(board.vulnerability)) for board in boards} == {(None, "ew")}


@pytest.mark.solver
def test_par_names_a_contract_once_in_words(run, board) -> None:
    assert str(tc.par(board)) == "NS +420: 4♥ by N or S"
    assert "NS +420: 4♥ by N or S\n" in run("par", board.pbn)[1]
    assert {str(tc.par(deal)) for deal in tc.random_deals(4, seed=2)} >= {
        "NS -100: 3♥X by N or S, down 1", "NS -430: 3NT by W, +1; 4NT by W",
    }  # fmt: skip


@pytest.mark.solver
def test_the_lead_that_others_are_compared_with_stands_on_top(run) -> None:
    asked = ["leads", "KJ742.Q5.T983.K6", "3N", "--by", "S", "--south", "hcp 15-17, balanced"]
    out = run(*asked, "--solve", 20, "--samples", 20, "--seed", 1)[1]
    rows = out.splitlines()[4:]
    assert "compared with" in rows[0][:43] and out.count("compared with") == 2  # as played too


# --- leads that were made ------------------------------------------------------------------------

LEADS = Path(__file__).parents[1] / "examples" / "leads.pbn"
FEW = ["--solve", 20, "--samples", 40]


@pytest.mark.slow
def test_a_lead_of_a_record_is_judged_exactly_and_from_its_leaders_hand(run) -> None:
    status, out, err = run("leads", LEADS, *FEW, "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert (status, err, [answer["board"] for answer in told]) == (0, "", [1, 3, 12])
    for answer in told:
        deal, auction = tc.Deal(answer["deal"]), answer["auction"]
        exact = tc.solve_leads(deal, answer["contract"], by=answer["by"])
        assert exact[answer["lead"]] == answer["exact"]["tricks"]
        assert answer["exact"]["cost"] == exact[answer["lead"]] - min(exact.values())
        best = {card for card, tricks in exact.items() if tricks == min(exact.values())}
        assert {*answer["exact"]["best"]} == best and answer["lead"] in exact
        board = tc.Board(number=answer["board"]).completed()
        asked = [
            "--auction",
            auction,
            "--dealer",
            board.dealer,
            "--vulnerable",
            board.vulnerability,
        ]
        alone = json.loads(run("leads", deal[answer["leader"]], *asked, *FEW, "--json")[1])
        assert {name: answer[name] for name in alone} == alone, "what its hand could know"
        (made,) = (lead for lead in alone["leads"] if answer["lead"] in lead["cards"])
        assert answer["best"] == alone["leads"][0]["cards"][0]
        assert answer["cost"][0] == pytest.approx(-made["gain"][0])


def test_leads_of_a_record_are_shown_in_a_table(run) -> None:
    status, out, err = run("leads", LEADS, "--board", 3, *FEW)
    lines = out.splitlines()
    assert (status, err) == (0, "") and all(len(line) <= 80 for line in lines)
    assert lines[2].startswith("    3  4S by E    S C7           1  ST92 HKQ97… ")
    assert lines[3].startswith("1 lead gave 1 trick away, double dummy; from the leader's hand ")
    ranked = json.loads(run("leads", LEADS, "--board", 3, *FEW, "--rank", "played", "--json")[1])
    assert ranked["best"] == ranked["leads"][0]["cards"][0] and ranked["cost"][0] >= 0


def test_records_without_leads_or_auctions_say_so(run, tmp_path) -> None:
    owners = tc.read(LEADS).owners[[0] * 4]
    boards = [
        tc.Board(number=1),
        tc.Board(number=2, contract="PASS"),
        tc.Board(number=3, contract="2S", declarer="S"),
        tc.Board(number=4, contract="2S", declarer="S", play=("S2",)),
    ]
    path = tmp_path / "few.pbn"
    tc.write(tc.DealSet(owners, None, boards), path)
    status, out, err = run("leads", path)
    assert (status, out) == (2, "")
    assert "card 1, S2, is impossible" in err  # North holds it, and West is to play
    for reason in ("1 board without contract and declarer", "1 board passed out"):
        assert reason in err
    assert "2 boards without an opening lead" in err
    boards[3] = tc.Board(number=4, contract="2S", declarer="S", play=("SK",))
    tc.write(tc.DealSet(owners, None, boards), path)
    _, out, err = run("leads", path, *FEW)
    assert "    4* 2S by S    W SK           -  SK " in out
    assert "*: without an auction that fits" in out and "note: 1 board passed out\n" in err
    assert run("leads", path, "4H")[2] == (
        "trickcast: CONTRACT has no effect with a file (each board has its own)\n"
    )
    assert "no such file" in run("leads", "none.pbn")[2]


def test_who_leads_must_be_known(run) -> None:
    status, _, err = run("leads", "KJ742.Q5.T983.K6", "3N")
    assert status == 2 and "3N: --by is missing (" in err and "which hand leads" in err
