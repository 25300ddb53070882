"""The exact value of every card of a play, by DDS, by hand, and at the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import UNKNOWN, Deal, DealError, Seat, Strain, card_text, parse_card
from trickcast.cards.card_play import PlayError, Position, positions
from trickcast.cards.text import parse_position
from trickcast.dealing import random_positions
from trickcast.solver import solve_lead_batches, values_of_cards

BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
FINESSE = "N:.AQ.. 32... .42.. .K3.."  # West's king is caught when South leads


def tricks_to_come(position: Position, strain: Strain, side: int) -> int:
    """The tricks of a side by trying everything: slow, and simple enough to be believed."""
    if not len(position.playable):
        return 0
    worth = [
        tricks_to_come(after, strain, side) + after.won[side] - position.won[side]
        for after in (position.after(int(card), strain) for card in position.playable)
    ]
    return max(worth) if position.turn.side == side else min(worth)


def some_play(owners, strain: Strain, leader: Seat, seed: int) -> list[int]:
    """Cards that may be played, at random, until the end."""
    chance = np.random.default_rng(seed)
    cards: list[int] = []
    while len((now := positions(owners, strain, leader, cards)[-1]).playable):
        cards.append(int(chance.choice(now.playable)))
    return cards


@pytest.mark.solver
@pytest.mark.parametrize("strain", Strain)
@pytest.mark.parametrize("size", [2, 3])
def test_every_card_is_worth_what_trying_everything_gives(strain: Strain, size: int) -> None:
    for number, owners in enumerate(random_positions(4, size, seed=8)):
        declarer = Seat(number)
        cards = some_play(owners, strain, declarer.lho, number)
        values = values_of_cards(owners, strain, declarer, cards)
        assert values.shape == (4 * size + 1, 52) and (values[-1] == UNKNOWN).all()
        for now, worth in zip(positions(owners, strain, declarer.lho, cards), values, strict=True):
            assert np.array_equal(np.flatnonzero(worth != UNKNOWN), now.playable)
            for card in now.playable:
                after = now.after(int(card), strain)
                side = declarer.side
                assert worth[card] == after.won[side] + tricks_to_come(after, strain, side)


@pytest.mark.solver
def test_the_best_card_keeps_the_value_of_the_table(board: Deal) -> None:
    for strain, declarer in ((Strain.HEARTS, Seat.NORTH), (Strain.NOTRUMP, Seat.WEST)):
        tricks = tc.solve(board)[strain, declarer]
        cards = some_play(board.owners, strain, declarer.lho, 3)[:20]
        values = values_of_cards(board.owners, strain, declarer, cards)
        leads = next(solve_lead_batches(board.owners[None], strain, declarer))[0]
        assert np.array_equal(values[0], leads) and leads.min() == tricks
        reached = positions(board.owners, strain, declarer.lho, cards)
        for i, card in enumerate(cards):  # the best after a card is that card's value
            known = values[i + 1][values[i + 1] != UNKNOWN]
            own = reached[i + 1].turn.side == declarer.side
            assert (known.max() if own else known.min()) == values[i, card]


@pytest.mark.solver
def test_recorded_results_are_what_a_whole_play_comes_to(shared: Path) -> None:
    deals = tc.read(shared / "data" / "boards" / "bbo-daylong.pbn")
    assert deals.boards is not None
    judged = 0
    for deal, board in zip(deals, deals.boards, strict=True):
        if len(board.play) < 48 or board.contract is None or board.declarer is None:
            continue
        strain = Strain.parse(board.contract[1])
        cards = [parse_card(card) for card in board.play]
        now = positions(deal.owners, strain, board.declarer.lho, cards)[-1]
        values = values_of_cards(deal.owners, strain, board.declarer, cards)[-1]
        won = now.won[board.declarer.side]
        assert board.result == (int(values[values != UNKNOWN][0]) if len(now.playable) else won)
        judged += 1
    assert judged


@pytest.mark.solver
def test_a_finesse() -> None:
    owners = np.frombuffer(parse_position(FINESSE), dtype=np.uint8)
    for leader, cards, tricks in ((Seat.SOUTH, "H4 H2", 2), (Seat.NORTH, "HA HQ", 1)):
        first = values_of_cards(owners, Strain.NOTRUMP, Seat.NORTH, leader=leader)[0]
        worth = {card_text(c): int(first[c]) for c in np.flatnonzero(first != UNKNOWN)}
        assert worth == dict.fromkeys(cards.split(), tricks)


@pytest.mark.parametrize(
    ("cards", "number", "said"),
    [
        (["SA"], 0, "North holds it, and East is to play"),
        (["CA"], 0, "North holds it"),
        (["SQ", "SK", "H4"], 2, "West has to follow in spades"),
        (["SQ", "SK", "S2", "SA", "SK"], 4, "it was already played"),
    ],
)
def test_a_card_that_cannot_be_played(cards: list[str], number: int, said: str) -> None:
    with pytest.raises(PlayError, match=f"card {number + 1}, ") as error:
        positions(Deal(BOARD).owners, Strain.HEARTS, Seat.EAST, [parse_card(c) for c in cards])
    assert said in str(error.value) and error.value.played == number


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("N:A... K... Q...", "3 hands"),
        ("N:A... K... Q... A...", "SA is in two hands"),
        ("N:A2... K... Q... J...", "North 2"),
        ("A... K... Q... J...", "0 hands"),
    ],
)
def test_what_is_no_position(text: str, said: str) -> None:
    with pytest.raises(DealError, match=said):
        parse_position(text)


def test_the_command_blames_the_hand_of_a_position_that_is_wrong(run) -> None:
    asked = ["3N", "--by", "N", "--lead", "N"]
    status, _, err = run("play", "N:.AQ.. 32... .42.. .K.", *asked)
    assert status == 2 and ".K." in err and "North" not in err, err


@pytest.mark.solver
def test_the_command_values_the_opening_leads(run) -> None:
    status, out, err = run("play", BOARD, "4H", "--by", "N", "--json")
    content = json.loads(out)
    owners = Deal(BOARD).owners
    leads = next(solve_lead_batches(owners[None], Strain.HEARTS, Seat.NORTH))[0]
    assert (status, err) == (0, "") and content["tricks"] == 10 and content["cards"] == []
    assert content["now"]["turn"] == "E"
    assert content["now"]["tricks"] == {
        card_text(card): int(leads[card]) for card in np.flatnonzero(leads != UNKNOWN)
    }


@pytest.mark.solver
def test_the_position_alone_has_the_values_that_judging_the_play_has(run) -> None:
    played = "DQ DK DA D4 D6".split()
    whole = json.loads(run("play", BOARD, "4H", *played, "--by", "N", "--json")[1])
    alone = json.loads(run("play", BOARD, "4H", *played, "--by", "N", "--position", "--json")[1])
    assert alone["now"] == whole["now"] and alone["now"]["turn"] == "N"
    assert alone["cards"] == [] and alone["roles"] is None
    assert alone["tricks"] == max(alone["now"]["tricks"].values())
    asked = ("play", BOARD, "4H", *played, "--by", "N", "--position", "--ahead")
    ahead = json.loads(run(*asked, "--json")[1])["ahead"]
    assert [*ahead] == [*alone["now"]["tricks"]]
    for card, after in ahead.items():
        then = run("play", BOARD, "4H", *played, card, "--by", "N", "--position", "--json")[1]
        assert after == json.loads(then)["now"]
    text = run(*asked)[1]
    assert all(f"after {card}: East to play; declarer takes after" in text for card in ahead)
    refused = run("play", BOARD, "4H", "--by", "N", "--position", "--now")[2]
    assert refused.startswith("trickcast: --position cannot be combined with --now")


@pytest.mark.solver
def test_after_the_last_card_nothing_comes(run) -> None:
    one_each = "N:A... K... Q... J..."
    asked = ("play", one_each, "1S", "--by", "S", "--position", "--ahead", "--json")
    assert json.loads(run(*asked, "SJ", "SA", "SK")[1])["ahead"] == {"SQ": None}
    assert json.loads(run(*asked, "SJ", "SA", "SK", "SQ")[1])["ahead"] == {}
    refused = run("play", BOARD, "4H", "--by", "N", "--ahead", "--now")[2]
    assert refused.startswith("trickcast: --ahead cannot be combined with --now")


@pytest.mark.solver
def test_the_command_says_where_tricks_were_given_away(run) -> None:
    played = ["HA", "H5", "H4", "H2", "S4", "SK", "S2", "SA"]
    out = run("play", BOARD, "4H", *played, "--by", "N", "--json")[1]
    content = json.loads(out)
    values = values_of_cards(
        Deal(BOARD).owners, Strain.HEARTS, Seat.NORTH, [parse_card(card) for card in played]
    )
    given = dict.fromkeys("NEW", 0)
    best = 10
    for entry, row in zip(content["cards"], values, strict=False):
        worth = int(row[parse_card(entry["card"])])
        assert entry["tricks"] == worth and entry["lost"] == abs(worth - best)
        assert (entry["card"] in entry["best"]) == (entry["lost"] == 0)
        given["N" if entry["seat"] == "S" else entry["seat"]] += entry["lost"]
        best = worth
    assert content["given"] == given and sum(given.values())
    text = run("play", BOARD, "4H", " ".join(played).lower(), "--by", "N")[1]
    assert text.count("* trick") == sum(entry["lost"] > 0 for entry in content["cards"])
    assert "North to play" in text and max(map(len, text.splitlines())) <= 80


@pytest.mark.solver
def test_the_command_takes_positions(run) -> None:
    _, out, _ = run("play", FINESSE, "3N", "--by", "N", "--lead", "S", "--json")
    content = json.loads(out)
    assert content["ending"] == FINESSE and content["tricks"] == 2
    assert content["now"] == {"turn": "S", "tricks": {"H4": 2, "H2": 2}}
    text = run("play", FINESSE, "3N", "H4", "H3", "HA", "--by", "N", "--lead", "S")[1]
    assert text.startswith("North  .AQ..\n") and "East to play" in text
    assert "trick 1: North's HA gave 1 trick away; as good as possible: HQ\n" in text
    assert "given away: North 1, East 0, West 0" in text


@pytest.mark.solver
def test_the_command_judges_the_play_of_a_file(run, shared: Path) -> None:
    path = shared / "data" / "boards" / "bbo-daylong.pbn"
    status, out, err = run("play", path, "--board", 1, "--json")
    assert status == 0, err
    content = json.loads(out)
    board = tc.read(path).boards[0]
    assert content["board"] == 1 and content["contract"] == board.contract
    assert tuple(card["card"] for card in content["cards"]) == board.play
    assert run("play", path, "--board", 77)[0] == 2


@pytest.mark.solver
def test_a_recorded_play_is_of_the_contract_that_is_named(run, tmp_path: Path) -> None:
    tags = f'[Board "1"]\n[Deal "{BOARD}"]\n[Declarer "N"]\n[Contract "4H"]\n'
    (tmp_path / "x.pbn").write_text(f'{tags}[Play "E"]\nDQ DK DA D4\n')
    recorded = run("play", tmp_path / "x.pbn", "--json")
    assert run("play", tmp_path / "x.pbn", "4H", "--by", "N", "--json") == recorded
    assert len(json.loads(recorded[1])["cards"]) == 4
    status, out, err = run("play", tmp_path / "x.pbn", "4S", "--by", "N", "--json")
    assert status == 0 and json.loads(out)["cards"] == []
    assert err == "note: board 1: the recorded play is not of this contract, and is left out\n"


@pytest.mark.solver
def test_a_recorded_play_goes_up_to_what_cannot_be_played(run, tmp_path: Path) -> None:
    md = "md|3SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|"
    calls = "mb|4H|mb|p|mb|p|mb|p|pc|HA|pc|H5|pc|S2|"
    (tmp_path / "x.lin").write_text(f"pn|a,b,c,d|{md}ah|Board 3|sv|o|{calls}\n")
    status, out, err = run("play", tmp_path / "x.lin", "--json")
    assert status == 0 and len(json.loads(out)["cards"]) == 2
    assert err == (
        "note: board 3: card 3, S2: West has to follow in hearts; the play is judged up to there\n"
    )
    assert run("play", BOARD, "4H", "SA", "--by", "N")[0] == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "there is nothing to judge (expected CONTRACT and --by)"),
        (["4H"], "4H: --by is missing (expected the declarer: N, E, S or W)"),
        (["--by", "N"], "--by N: the contract is missing (expected one such as 4S)"),
        (["PASS", "--by", "N"], "PASS: a passed-out board has no play to judge"),
        (["4HN", "SQ", "S5"], "'4HN'"),
        (["4S", "--by", "Q"], "'Q'"),
    ],
)
def test_the_half_of_a_contract_that_is_missing_or_wrong_is_named(
    run, asked: list[str], said: str
) -> None:
    status, out, err = run("play", BOARD, *asked)
    assert (status, out) == (2, "") and said in err, err


def test_a_board_that_a_file_has_not_is_named_with_what_was_skipped(run, tmp_path: Path) -> None:
    good = f'[Board "1"]\n[Deal "{BOARD}"]\n[Contract "4H"]\n[Declarer "N"]\n\n'
    (tmp_path / "x.pbn").write_text(good + '[Board "2"]\n[Deal "N:AK"]\n')
    status, out, err = run("play", tmp_path / "x.pbn", "--board", "2")
    assert (status, out) == (2, "")
    assert err.startswith("trickcast: there is no board 2\nskipped: ") and "line 7" in err, err
    error = run("play", tmp_path / "x.pbn", "--boards", "9", "--now")[2]
    assert error == "trickcast: there is no board 9\n"


@pytest.mark.solver
def test_of_boards_with_one_number_the_first_is_shown(run, tmp_path: Path) -> None:
    board = f'[Board "1"]\n[Deal "{BOARD}"]\n[Contract "4H"]\n[Declarer "N"]\n[Play "E"]\nSQ\n\n'
    (tmp_path / "x.pbn").write_text(board * 2)
    for asked, which in (
        ([], "the first that can be judged is shown (--all: all of them)"),
        (["--all"], "all are judged"),
    ):
        status, _, err = run("play", tmp_path / "x.pbn", "--board", "1", *asked)
        assert (status, err) == (0, f"note: 2 boards are numbered 1; {which}\n")


@pytest.mark.solver
def test_boards_that_are_passed_out_are_called_so(run, tmp_path: Path) -> None:
    deal = f'[Deal "{BOARD}"]\n'
    passed, played = (
        f'{deal}[Contract "Pass"]\n\n',
        f'{deal}[Contract "4H"]\n[Declarer "N"]\n\n',
    )
    (tmp_path / "x.pbn").write_text(passed)
    assert "the board was passed out" in run("play", tmp_path / "x.pbn")[2]
    (tmp_path / "x.pbn").write_text(passed + played + f'{deal}[Contract "4H"]\n')
    status, _, err = run("play", tmp_path / "x.pbn")
    assert status == 0
    assert err == "note: 1 board passed out\nnote: 1 board without declarer\n"
