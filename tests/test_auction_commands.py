"""The commands auction and bid."""

import json
from pathlib import Path

import pytest

import trickcast as tc

BALANCED_15 = "KQ4.AQ5.K873.J94"
BALANCED_14 = "KQ4.AQ5.Q873.J94"
BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    """A board with an odd auction, one without, and one whose auction breaks the laws."""
    path = tmp_path / "boards.pbn"
    head = f'[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{BOARD}"]\n'
    calls = '[Auction "N"]\n1H Pass 3NT Pass\n4H Pass Pass Pass\n'
    path.write_text(
        f'[Board "1"]\n{head}{calls}\n[Board "2"]\n[Deal "{BOARD}"]\n', encoding="ascii"
    )
    return path


def test_calls_are_explained_as_in_python(run) -> None:
    status, out, err = run("auction", "1nt pass 2C", "--dealer", "E")
    shown = tc.explain_auction("1N P 2C", dealer="E")
    assert (status, err) == (0, "") and out.startswith(str(shown))
    told = json.loads(run("auction", "1N P 2C", "--dealer", "E", "--json")[1])
    assert (told["auction"], told["dealer"]) == ("1N P 2C", "E")
    notrump = told["calls"][0]
    assert notrump["points"] == list(shown[0].points) and len(notrump["lengths"]) == 4
    assert notrump["balanced"] == pytest.approx(shown[0].balanced, abs=1e-4)
    assert "hand" not in notrump


def test_a_meaning_changes_what_a_call_shows(run) -> None:
    words = ("--meaning", "1N: hcp 12-14, balanced")
    (notrump,) = json.loads(run("auction", "1N", *words, "--json")[1])["calls"]
    assert 12 <= notrump["points"][0] <= notrump["points"][1] <= 14 and notrump["balanced"] == 1
    assert json.loads(run("bid", BALANCED_14, *words, "--json")[1])["calls"][0]["call"] == "1N"
    suits = " ".join(map("{}:{}".format, "SHDC", BALANCED_14.split(".")))
    assert run("bid", suits, *words) == run("bid", BALANCED_14, *words)


def test_the_calls_of_a_file_are_judged_by_the_hands(run, boards: Path) -> None:
    status, out, err = run("auction", boards, "--json")
    (told,) = map(json.loads, out.splitlines())
    assert status == 0 and err == "note: 1 board without an auction\n"
    assert (told["board"], told["deal"], len(told["calls"])) == (1, BOARD, 8)
    unusual = [call["call"] for call in told["calls"] if call["unusual"]]
    assert unusual == ["3N"] and told["calls"][2]["hand"] == "KJ95.J65.K3.J654"
    out = run("auction", boards, "--boards", 1)[1]
    assert "3N by South is unusual: <1% would call so with KJ95.J65.K3.J654" in out
    status, _, err = run("auction", boards, "--boards", 2)
    assert status == 2 and "no board has an auction" in err


def test_the_other_boards_of_a_pair_show_its_style(run, tmp_path: Path) -> None:
    path = tmp_path / "session.pbn"
    deals = tc.constrained_deals(3, north="hcp 12-13, balanced, spades 3, hearts 3", seed=1)
    players = "".join(f'[{seat.word} "{seat.letter}"]\n' for seat in tc.Seat)
    text = "\n".join(
        f'[Board "{i}"]\n{players}[Dealer "N"]\n[Deal "{deal.pbn}"]\n[Auction "N"]\n1NT AP\n'
        for i, deal in enumerate(deals, 1)
    )
    path.write_text(text, encoding="ascii")
    told = [json.loads(line) for line in run("auction", path, "--json")[1].splitlines()]
    assert [each["style"] for each in told] == ["ns weak-notrump"] * 3
    alone = run("auction", path, "--board", 2, "--json")[1]
    assert json.loads(alone) == told[1]
    assert "\nstyle: ns weak-notrump\n" in run("auction", path, "--board", 2)[1]
    shown = tc.explain_auction("1N P P P", deal=deals[1], vulnerable="ns", style="ns weak-notrump")
    assert told[1]["calls"][0]["chance"] == pytest.approx(shown[0].chance, abs=1e-4)
    other = run("auction", path, "--board", 2, "--json", "--style", "strong-notrump")[1]
    assert json.loads(other)["style"] == "strong-notrump"
    bid = [json.loads(line) for line in run("bid", path, "--json")[1].splitlines()]
    sides = ["none", "ns", "ew"]
    styles = ["ns weak-notrump"] * 3
    ends = tc.bid_deals(deals, dealers="N", vulnerable=sides, style=styles)
    assert [each["auction"] for each in bid] == [str(end) for end in ends]
    assert str(ends[0]) != str(tc.bid_deals(deals, dealers="N", vulnerable=sides)[0])


def test_one_deal_judges_the_calls_that_are_given(run) -> None:
    (told,) = json.loads(run("auction", "1H", "--deal", BOARD, "--json")[1])["calls"]
    assert told["hand"] == "A.KQ9832.T94.AKT" and told["chance"] > 0.5 and not told["unusual"]


@pytest.mark.slow
def test_the_next_call_is_suggested_and_followed(run) -> None:
    asked = ["bid", BALANCED_15, "--auction", "1S P", "--dealer", "S"]
    status, out, err = run(*asked, "--simulate")
    suggested = tc.suggest_calls(BALANCED_15, "1S P", dealer="S")
    compared = tc.compare_calls(BALANCED_15, "1S P", dealer="S")
    assert (status, err) == (0, "") and out == f"{suggested}\n\n{compared}\n"
    told = json.loads(run(*asked, "--simulate", "--json")[1])
    assert told["by"] == "N" and told["calls"][0]["call"] == suggested.best
    followed = told["compared"]
    assert followed["calls"][0]["imps"] == [0, 0, 0] and len(followed["calls"]) == 3
    assert followed["calls"][1]["points"] == pytest.approx(compared[1].points, abs=0.1)
    assert json.loads(run(*asked, "--json")[1])["compared"] is None


def test_boards_are_bid_into_a_file(run, boards: Path, tmp_path: Path) -> None:
    target = tmp_path / "bid.pbn"
    status, _, err = run("bid", boards, "--out", target)
    assert status == 0 and "2 deals written" in err
    read = tc.read(target)
    ends = tc.bid_deals([BOARD] * 2, dealers=["N", "E"], vulnerable=["none", "ns"])
    assert read.boards is not None
    for board, end in zip(read.boards, ends, strict=True):
        assert " ".join(board.auction).replace("PASS", "P") == str(end)
        assert (board.contract, board.declarer) == end.contract
    assert run("bid", boards, "--out", target)[0] == 2  # it is there
    out = run("bid", boards, "--seats", "NS", "--json")[1]
    for told, board in zip(map(json.loads, out.splitlines()), read.boards, strict=True):
        calls = told["auction"].split()
        first = "NESW".index(told["dealer"])
        assert all(call == "P" for turn, call in enumerate(calls) if (first + turn) % 2)
        assert told["board"] == board.number and told["by"] in "NS"
    assert f"{ends[0].contract[0]} by North" in run("bid", BOARD)[1]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["auction", "1N Q"], "call 2: 'Q' is not a call"),
        (["auction", "1N P 1C"], "call 3, 1C: it is not higher than 1N"),
        (["auction", "1N P P P P"], "call 5, PASS: the auction is over"),
        (["auction", "1S X XX X"], "call 4, X: 1S is doubled already"),
        (["auction", "1N", "--dealer", "Q"], "'Q' is not a seat"),
        (["auction", "1N", "--vulnerable", "us"], "'us' is not a vulnerability"),
        (["auction", ""], "CALLS is empty"),
        (["auction", "1N", "--meaning", ""], "meaning is empty"),
        (["auction", "1N", "--meaning", "ns 2C hcp 5"], "a colon is missing after '2C'"),
        (["auction", "1N", "--meaning", "1N p 2C"], "a colon is missing after '1N p 2C'"),
        (["auction", "1N", "--meaning", "mine"], "'mine' is not a meaning (expected such as"),
        (["auction", "1N", "--meaning", "mine.toml"], "mine.toml: no such file"),
        (["auction", "1N", "--boards", "3"], "--boards needs a file of boards"),
        (["auction", "1N", "--deal", "N:x"], "1 hand (expected 4)"),
        (["bid", "AK"], "'AK' is neither a file nor a hand"),
        (["bid", BALANCED_15, "--auction", "1N P P P"], "is over, so there is no next call"),
        (["bid", BALANCED_15, "--auction", "1S 1H"], "call 2, 1H: it is not higher than 1S"),
        (["bid", BALANCED_15, "--out", "x.pbn"], "--out needs a file of boards"),
        (["bid", BOARD, "--seats", "Q"], "'Q' is not a seat"),
        (["bid", BOARD, "--simulate"], "--simulate needs a hand"),
        (["bid", BOARD, "--boards", "7"], "there is no board 7"),
        (["bid", BOARD, "--json", "--out", "x.pbn"], "--json and --out cannot be combined"),
    ],
)
def test_what_cannot_be_answered_is_said_in_a_line(run, words, reason) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and reason in err


LEADER, ENDED = "KJ95.J65.K32.T54", "1N P 3N P P P"
KNOWN = ["--south", "KQ7.AQ3.AQ7.J762", "--samples", "60", "--solve", "20"]


@pytest.mark.slow
@pytest.mark.solver
def test_leads_take_contract_and_declarer_from_the_auction(run) -> None:
    asked = ["leads", LEADER, "--auction", ENDED, "--dealer", "E", "--samples", 60, "--solve", 20]
    told = json.loads(run(*asked, "--json")[1])
    same = tc.simulate_leads(
        leader=LEADER, auction=ENDED, dealer="E", samples=60, solve=20, scoring="imps"
    )
    assert (told["contract"], told["by"]) == ("3N", "E")
    assert [lead["tricks"][0] for lead in told["leads"]] == pytest.approx(
        [lead.tricks.mean for lead in same], abs=1e-4
    )
    weak = json.loads(run(*asked, "--meaning", "1N: hcp 12-14, balanced", "--json")[1])
    mean = {tuple(lead["cards"]): lead["tricks"][0] for lead in weak["leads"]}
    assert mean != {tuple(lead["cards"]): lead["tricks"][0] for lead in told["leads"]}


@pytest.mark.solver
def test_hidden_hands_of_simulations_fit_the_auction(run, tmp_path: Path) -> None:
    target = tmp_path / "layouts.pbn"
    calls = ["--auction", "1N P 2C P", "--dealer", "S", "--meaning", "1N P 2C: hearts 5+"]
    one = ["--contract", "3N", "--by", "S"]
    status, _, err = run("simulate", *KNOWN, *calls, *one, "--save", target, "--json")
    layouts = tc.read(target)
    assert (status, err) == (0, "") and len(layouts) == 60
    assert all(deal.north.lengths[1] >= 5 for deal in layouts)
    run("simulate", *KNOWN, *calls, *one, "--making", "--vulnerable", "both", "--json")
    told = json.loads(run("compare", "3N", "2N", "--by", "S", *KNOWN, *calls, "--json")[1])
    assert told["layouts"] == 60 and told["contracts"][1]["imps"][0] != 0


@pytest.mark.solver
def test_a_known_hand_that_contradicts_its_call_is_noted(run) -> None:
    asked = ["--south", "QJT98765.432.3.2", *KNOWN[2:], "--contract", "3N", "--by", "N"]
    status, out, err = run("simulate", *asked, "--auction", "1N", "--dealer", "S", "--json")
    assert status == 0 and json.loads(out)["contract"] == "3N"
    assert err.startswith("note: call 1, 1N by South, hardly fits the hands")


def test_boards_are_dealt_that_fit_an_auction(run) -> None:
    asked = [
        "deal",
        "--auction",
        "1N P",
        "--meaning",
        "1N: hcp 12-14, balanced",
        "--east",
        "hcp 9-",
    ]
    _, out, _ = run(*asked, "--dealer", "S", "--vulnerable", "ns", "-n", 20, "--seed", 3, "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert {(each["dealer"], each["vulnerable"]) for each in told} == {("S", "ns")}
    deals = [tc.Deal(each["deal"]) for each in told]
    assert len(deals) == 20 and {deal.south.hcp for deal in deals} <= {12, 13, 14}
    assert all(deal.east.hcp <= 9 for deal in deals)
    for words, reason in (
        (["--secure"], "--secure and --auction cannot be combined"),
        (["--theme", "South opens 1NT"], "--theme and --auction cannot be combined"),
        (["--dealer", "Q"], "'Q' is not a seat"),
    ):
        status, _, err = run(*asked, *words)
        assert status == 2 and reason in err
    assert "--meaning needs --auction" in run("deal", "--meaning", "1N: hcp 12-14")[2]
    assert "call 2, 1C: it is not higher" in run("deal", "--auction", "1N 1C")[2]


def test_opponents_of_a_pair_fit_the_auction(run) -> None:
    pair = ["pair", "AQ864.K75.A3.KJ4", "K7.A862.KQ52.873", "--json"]
    plain = json.loads(run(*pair)[1])
    called = json.loads(run(*pair, "--auction", "1S 2C X P")[1])
    spades = [told["expected"][0][1] for told in (plain, called)]  # by South, through West's clubs
    assert spades[1] < spades[0] - 0.3
    for chances in called["probabilities"]:
        assert [sum(row) for row in chances] == pytest.approx([1, 1], abs=1e-4)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["leads", LEADER], "no contract and declarer (expected CONTRACT and --by, or --auction)"),
        (["leads", LEADER, "3N"], "--by is missing"),
        (["leads", LEADER, "--auction", "1N P 3N"], "has not ended"),
        (["leads", LEADER, "--auction", "P P P P"], "passed out"),
        (["leads", LEADER, "4S", "--auction", ENDED], "the auction ends in 3N, not in 4S"),
        (["leads", LEADER, "--auction", ENDED, "--by", "W"], "makes North declarer, not West"),
        (["leads", LEADER, "3N", "--by", "N", "--dealer", "N"], "--dealer needs --auction"),
        (["leads", LEADER, "3N", "--by", "N", "--meaning", "acol"], "--meaning needs --auction"),
        (["simulate", *KNOWN, "--auction", "1N 1C"], "call 2, 1C: it is not higher than 1N"),
        (["simulate", *KNOWN, "--auction", "1N", "--dealer", "Q"], "'Q' is not a seat"),
        (["simulate", *KNOWN, "--auction", " "], "--auction is empty"),
        (["compare", "3N", "4S", "--by", "S", *KNOWN, "--dealer", "E"], "--dealer needs --auction"),
        (["pair", LEADER, "KQ7.AQ3.AQ7.J762", "--auction", "1N"], "both hands hold"),
        (["pair", LEADER, "AQ7.AQ3.AQ7.J762", "--auction", "1Z"], "call 1: '1Z' is not a call"),
    ],
)
def test_an_auction_that_does_not_fit_the_question_is_said(run, words, reason) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and reason in err


def test_words_that_cannot_be_read_are_shown_with_their_place(run) -> None:
    status, _, err = run("auction", "1N", "--meaning", "1N: hcp foo")
    assert status == 2 and "meaning of 1N, line 1, column 5" in err
