"""The played session: joining, comparing, judging, and what files get wrong."""

import csv
import gzip
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast import session
from trickcast.cards import Seat, Strain, parse_card, parse_contract
from trickcast.formats import FormatError, FormatWarning
from trickcast.scoring import cross_imps, datum, imps, score, victory_points
from trickcast.session.columns import columns
from trickcast.session.showing import adding_up, signed
from trickcast.solver import trace_plays, values_of_cards

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PLAYED = SHARED / "played"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
needs_shared = pytest.mark.skipif(not PLAYED.is_dir(), reason="needs ../shared/data/played")
DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"


# --- scales ---


def test_cross_imps_are_means_against_each_other_table():
    scores = [420, 450, -50, 420, 100, -1100]
    expected = [
        np.mean([imps(ours - theirs) for j, theirs in enumerate(scores) if j != i])
        for i, ours in enumerate(scores)
    ]
    assert cross_imps(scores) == pytest.approx(expected)
    assert cross_imps(scores).sum() == pytest.approx(0)
    with pytest.raises(ValueError, match="two or more"):
        cross_imps([420])


def test_a_datum_is_a_mean_in_tens_without_the_extremes():
    assert datum([420, 450, 420, -50]) == 310
    assert datum([-420, -450, -420, 50]) == -310
    assert datum([620, 650, 620, -100, 1430], left_out=1) == 630
    with pytest.raises(ValueError, match="left out"):
        datum([620, 650], left_out=1)
    with pytest.raises(ValueError, match="left_out is -1 .expected 0 or more"):
        datum([620, 650], left_out=-1)
    with pytest.raises(TypeError, match=r"left_out is 1\.5 .expected a whole number"):
        datum([620, 650], left_out=1.5)


@pytest.mark.parametrize("boards", [1, 8, 10, 14, 16, 20, 24, 32])
def test_victory_points_follow_the_formula_and_its_rule(boards):
    blitz = 15 * boards**0.5
    golden = (5**0.5 - 1) / 2
    won = [victory_points(margin, boards)[0] for margin in range(int(blitz) + 3)]
    for margin, points in enumerate(won):
        part = min(1, margin / blitz)
        exact = 10 + 10 * (1 - golden ** (3 * part)) / (1 - golden**3)
        assert abs(points - exact) < 0.0151
        assert victory_points(-margin, boards) == (round(20 - points, 2), points)
    steps = np.diff(np.rint(100 * np.array(won)))
    assert (np.diff(steps) <= 0).all(), "no IMP is worth more than the one before"
    assert won[0] == 10 and won[-1] == 20


@pytest.mark.parametrize("boards", [2.5, float("nan"), float("inf"), "16", None])
def test_victory_points_want_a_whole_number_of_boards(boards):
    with pytest.raises(TypeError, match="boards is .* .expected a whole number"):
        victory_points(10, boards)
    with pytest.raises(ValueError, match="boards is 0 .expected 1 or more"):
        victory_points(10, 0)
    with pytest.raises(ValueError, match="difference of IMPs .* .expected one number"):
        victory_points([1, 2], 16)


def test_victory_points_of_sixteen_boards_as_results_have_them():
    assert [victory_points(margin, 16)[0] for margin in (0, 1, 2, 3, 10, 59, 60, 90)] == [
        10.0, 10.31, 10.61, 10.91, 12.8, 19.93, 20.0, 20.0,
    ]  # fmt: skip
    assert victory_points(0.5, 16) == (10.16, 9.84) or victory_points(0.5, 16) == (10.15, 9.85)
    with pytest.raises(ValueError, match="boards"):
        victory_points(3, 0)


# --- a session by hand ---

TRAVELLERS = """board,ns,ew,contract,declarer,result,lead,score_ns,score_ew,penalty_ns
1,1,4,4S,N,10,,420,,
1,2,5,4S,N,11,,450,,10
1,3,6,4S,N,9,,-50,,
2,1,5,3NT,S,=,,600,,
2,2,6,3NT,S,=,,,-600,
2,3,4,3NT,S,-1,,-100,,
3,1,6,A+/A-,,,,,,
3,2,4,2H,W,8,,-110,,
3,3,5,2H,W,7,,100,,
"""
"""Three boards, six pairs; vulnerable are nobody, North-South, East-West."""


@pytest.fixture
def club(tmp_path: Path) -> list[Path]:
    """Hand records of three boards, and the travellers."""
    deals = tc.random_deals(3, seed=4)
    records = tmp_path / "hands.pbn"
    records.write_text(
        "".join(f'[Board "{n}"]\n[Deal "{deal.pbn}"]\n\n' for n, deal in enumerate(deals, 1))
    )
    travellers = tmp_path / "travellers.csv"
    travellers.write_text(TRAVELLERS)
    return [records, travellers]


def test_a_session_has_the_ranking_of_the_laws(club):
    played = session.read(*club)
    assert played.skipped == () and played.tables == 9 and played.scoring == "matchpoints"
    shares = [board.matchpoints.tolist() for board in played.boards]
    assert shares == [[0.5, 1, 0], [0.75, 0.75, 0], [0.6, 0, 1]]
    found = session.pairs(session.compared(played))
    # 1: .5 + .75 + average plus, which is its own 62.5 %; 2: 1 + .75 + 0 less a tenth of a board
    # 6: 1 + .25 + average minus, 40 %
    assert [(pair.number, round(100 * pair.score.value, 2)) for pair in found] == [
        ("4", 83.33), ("1", 62.5), ("2", 55.0), ("6", 55.0), ("3", 33.33), ("5", 8.33),
    ]  # fmt: skip
    assert all(pair.boards == 3 for pair in found)


@pytest.mark.parametrize(
    ("pair", "shown"),
    [("1", ["50.0", "75.0", "62.5"]), ("2", ["90.0", "75.0", "0.0"]),
     ("6", ["100.0", "25.0", "40.0"])],
)  # fmt: skip
def test_the_boards_of_a_pair_s_sheet_add_up_to_its_score(run, club, pair, shown):
    out = run("session", *club, "--scores", "--pair", pair)[1]
    assert re.findall(r"^ +\d .* ([0-9.]+)$", out, re.MULTILINE) == shown
    (score,) = re.findall(r"^Score +([0-9.]+)", out, re.MULTILINE)
    assert float(score) == pytest.approx(sum(map(float, shown)) / 3, abs=0.051)


@pytest.mark.solver
def test_the_ranking_in_words(run, club):
    status, out, error = run("session", *club)
    assert (status, error) == (0, "")
    ranks = re.findall(r"^ *(\d)\. +(\d) +3 +([\d.]+)", out, re.MULTILINE)
    assert ranks == [
        ("1", "1", "62.5"), ("2", "2", "55.0"), ("3", "3", "33.3"),
        ("1", "4", "83.3"), ("2", "6", "55.0"), ("3", "5", "8.3"),
    ]  # fmt: skip
    assert out.index("North–South") < out.index("East–West")


def test_a_contract_that_only_one_table_played_is_not_the_board_s(run, tmp_path):
    path = tmp_path / "odd.csv"
    rows = ["1,4S,N,10", "1,3N,N,9", "1,4S,S,10", "2,4S,N,10", "2,4S,N,9", "2,3N,N,9"]
    path.write_text("\n".join(["board,contract,declarer,result", *rows]))
    shown = [line.split(maxsplit=1)[1] for line in run("session", path, "--scores")[1].splitlines()]
    assert shown == ["Contract", "3 different", "4♠ N at 2 of 3"]


def test_a_match_is_shown_under_its_event(run, match):
    match.write_text(match.read_text().replace("[Board", '[Event "Cup"]\n[Board'))
    out = run("session", match, "--scores")[1]
    assert re.search(r"\n\nCup\nMatch +IMPs +VP\nReds – Blues +12 : 0 +18.97 : 1.03\n", out), out
    assert "carried over" not in out


@pytest.mark.solver
def test_parts_add_up_to_the_digit(run, club):
    status, out, _ = run("session", *club, "--json")
    content = json.loads(out)
    assert status == 0 and list(content)[:2] == ["scoring", "boards"]
    names = ("contract", "lead", "defence", "declarer", "luck")
    for board in content["boards"]:
        assert isinstance(board["par"], int)
        for table in board["tables"]:
            if table["parts"] is not None:
                total = sum(table["parts"][name] or 0 for name in names)
                assert total == pytest.approx(table["score"] - board["field"], abs=0.0051)
                assert round(total, 6) == round(total, 2)
    for pair in content["pairs"]:
        total = sum(pair[name] for name in names) + pair["adjusted"]
        assert round(total, 9) == round(pair["score"] - 0.5, 9)
        assert pair["intervals"]["score"][0] <= pair["score"] <= pair["intervals"]["score"][1]


@pytest.mark.solver
def test_parts_are_as_defined(club):
    played = session.read(*club)
    judged = session.judge(played)
    board = judged.boards[0]
    worth = [
        tc.estimate_played(board.board.deal, "4S", by="N").score(str(board.board.vulnerability))
    ]
    assert board.field == pytest.approx(worth[0], abs=0.01)
    for table in board.tables:
        assert table.expected == pytest.approx(worth[0], abs=0.01)
        assert table.points.contract == pytest.approx(0, abs=1e-6)
        assert table.points.luck == pytest.approx(table.table.score - table.expected)
    for board in judged.boards:
        for table in board.tables:
            if table.points is not None:
                assert table.points.swing == pytest.approx(table.table.score - board.field)
                assert table.parts.swing == pytest.approx(table.value)


# --- rooms of a match ---

PLAY = '[Play "E"]\nDQ D3 DA D4\nC7 C4 C8 CA\n*\n'  # North declares: East leads


def room(name: str, contract: str, declarer: str, result: int, more: str = "") -> str:
    players = {"Open": "ABCD", "Closed": "WXYZ"}[name]
    names = zip(("North", "East", "South", "West"), players, strict=True)
    tags = "".join(f'[{seat} "{player}"]\n' for seat, player in names)
    return (
        f'[Board "7"]\n[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{DEAL}"]\n{tags}[Room "{name}"]\n'
        '[HomeTeam "Reds"]\n[VisitTeam "Blues"]\n[Scoring "IMP"]\n'
        f'[Declarer "{declarer}"]\n[Contract "{contract}"]\n[Result "{result}"]\n{more}\n'
    )


@pytest.fixture
def match(tmp_path: Path) -> Path:
    path = tmp_path / "match.pbn"
    path.write_text(room("Open", "4H", "N", 10) + room("Closed", "3NT", "S", 8))
    return path


@pytest.mark.solver
def test_two_rooms_are_one_board(match):
    played = session.read(match)
    (board,) = played.boards
    assert [table.score for table in board.tables] == [620, -100]
    assert board.imps.tolist() == [12, -12] and board.matchpoints.tolist() == [1, 0]
    assert played.scoring == "imps" and played.skipped == ()
    judged = session.judge(played)
    (found,) = session.matches(judged)
    assert found.teams == ("Reds", "Blues") and found.imps == (12, 0)
    assert found.victory_points == victory_points(12, 1)
    ranked = session.pairs(judged)
    assert [(pair.names, pair.score.value) for pair in ranked] == [
        (("A", "C"), 12), (("X", "Z"), 12), (("B", "D"), -12), (("W", "Y"), -12),
    ]  # fmt: skip
    for pair in ranked:
        total = sum(part.value for part in pair.parts.values())
        assert total == pytest.approx(pair.score.value) and pair.score.interval is None


@pytest.mark.parametrize(
    ("said", "unit", "told"),
    [
        ("IMP;Cross1", "imps", ""),
        ("Match Points", "matchpoints", ""),
        ("IMP;Butler", "imps", "'IMP;Butler' is not supported: ranked by IMPs"),
        ("BAM", "imps", "'BAM' is not supported: ranked by IMPs"),
        ("MP;Ascherman", "matchpoints", "'MP;Ascherman' is not supported: ranked by matchpoints"),
        ("Rubber", "imps", "'Rubber' is not supported: ranked by IMPs"),
    ],
)
def test_a_scoring_that_is_not_computed_is_told_once(match, said, unit, told):
    match.write_text(match.read_text().replace('"IMP"', f'"{said}"'))
    played = session.read(match)
    assert played.scoring == unit
    found = [(entry.place, entry.reason) for entry in played.skipped]
    assert found == [(f"{match}: board 7", f"Scoring {told}")] * bool(told)
    match.write_text(f'[Scoring "{said}"]\n[Board "1"]\n[Deal "{DEAL}"]\n')
    assert session.read(match).skipped == (), "deals alone are not ranked"


def rooms(path: Path, *second: str) -> session.Judged:
    """Write a match of two boards: 10 IMPs on the first, and these rows of the second."""
    head = "board,room,contract,declarer,result,score_ns,score_ew,penalty_ns,penalty_ew"
    first = ("1,open,4H,N,10,,,,", "1,closed,3NT,S,8,,,,")
    path.write_text("\n".join((head, *first, *second)) + "\n")
    return session.compared(session.read(path))


@pytest.mark.parametrize(
    ("second", "won", "margins"),
    [
        (("2,open,A+/A-,,,,,,", "2,closed,3NT,S,9,,,,"), (13, 0), (13, -13)),
        (("2,open,3NT,S,9,,,,", "2,closed,A+/A-,,,,,,"), (10, 3), (7, -7)),
        (("2,open,A+/A-,,,,,,",), (13, 0), (13, -13)),
        (("2,open,A,,,,,,",), (10, 0), (10, -10)),
        (("2,open,A+/A+,,,,,,", "2,closed,3NT,S,9,,,,"), (13, 3), (13, -7)),
        (("2,open,A-/A-,,,,,,", "2,closed,3NT,S,9,,,,"), (7, -3), (7, -13)),
        (("2,open,A+/A+,,,,,,", "2,closed,A+/A+,,,,,,"), (13, 3), (13, -7)),
        (("2,open,A+/A,,,,,,", "2,closed,A/A+,,,,,,"), (13, 0), (13, -10)),
        (("2,open,60%/40%,,,,,,", "2,closed,3NT,S,9,,,,"), (13, 0), (13, -13)),
        (("2,open,A+,,,,,,", "2,closed,3NT,S,9,,,,"), (13, 0), (13, -10)),
        (("2,open,3NT,S,9,,,2,", "2,closed,3NT,S,9,,,,"), (8, 0), (8, -10)),
        (("2,open,3NT,S,9,,,,", "2,closed,3NT,S,9,,,2,1.5"), (8.5, -2), (8.5, -12)),
    ],
)
def test_a_match_counts_adjusted_scores_and_penalties(tmp_path, second, won, margins):
    (found,) = session.matches(rooms(tmp_path / "match.csv", *second))
    assert (found.boards, found.imps) == (2, won)
    assert found.victory_points == tuple(victory_points(each, 2)[0] for each in margins)


def test_a_board_without_a_score_at_both_tables_is_none_of_a_match(tmp_path):
    for second in ("2,closed,3NT,S,9,,,,", "2,open,55%/45%,,,,,,"):
        (found,) = session.matches(rooms(tmp_path / "match.csv", second))
        assert (found.boards, found.imps) == (1, (10, 0))


def test_penalties_in_percent_are_not_taken_from_imps(tmp_path):
    row = "2,open,3NT,S,9,,,10,"
    path = tmp_path / "match.csv"
    rooms(path, row)
    path.write_text(path.read_text().replace("penalty_ew", "mp_ns").replace(row, f"{row}1"))
    judged = session.compared(session.read(path))
    assert judged.session.scoring == "matchpoints"
    assert [found.imps for found in session.matches(judged)] == [(10, 0)]


def test_percentages_in_imps_are_averages_or_told(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(
        "board,ns,ew,contract,declarer,result,imp_ns\n1,1,2,4H,N,10,10\n1,3,4,3NT,S,8,-10\n"
        "2,1,2,60%/40.0 %,,,\n2,3,4,50%/55%,,,\n"
    )
    played = session.read(path)
    found = session.pairs(session.compared(played))
    assert {pair.number: (pair.score.value, pair.boards) for pair in found} == {
        "1": (13, 2), "2": (-13, 2), "3": (-10, 2), "4": (10, 1),
    }  # fmt: skip
    (told,) = (entry for entry in played.skipped if "IMPs" in entry.reason)
    assert told.place == f"{path}: line 5" and told.reason == (
        "55% has no IMPs, so East-West's board does not count "
        "(expected A+, A or A-, or 60, 50 or 40 %)"
    )
    assert type(told) is tc.cards.Skipped, "no note: something does not count"


@pytest.mark.solver
def test_a_recorded_play_is_judged_by_role(tmp_path):
    deal = tc.Deal(DEAL)
    cards = list[int]()
    strain, declarer = Strain.HEARTS, Seat.NORTH
    rng = np.random.default_rng(3)
    for _ in range(24):  # any cards that may be played
        now = values_of_cards(deal.owners, strain, declarer, cards)[-1]
        cards.append(int(rng.choice(np.flatnonzero(now != 255))))
    values = values_of_cards(deal.owners, strain, declarer, cards)
    trace = trace_plays(deal.owners[None], [strain], [declarer], [cards])[0]
    assert trace[1:].tolist() == [int(values[k, card]) for k, card in enumerate(cards)]

    played_cards = [tc.cards.card_text(card) for card in cards]
    board = tc.cards.Board(
        number=1, dealer=Seat.NORTH, vulnerability=tc.cards.Vulnerability.NONE, contract="4H",
        declarer=declarer, result=int(trace[-1]), play=tuple(played_cards),
    )  # fmt: skip
    tc.write(tc.DealSet(deal.owners[None], boards=[board]), tmp_path / "a.pbn")
    other = room("Closed", "4H", "N", 10).replace('"7"', '"1"').replace("All", "None")
    (tmp_path / "b.pbn").write_text(other)
    judged = session.judge(session.read(tmp_path / "a.pbn", tmp_path / "b.pbn"))
    table = judged.boards[0].tables[0]
    lost = np.abs(np.diff(trace.astype(int)))
    own = deal.owners[cards] % 2 == 0
    assert table.given == {
        "lead": lost[0], "defence": lost[1:][~own[1:]].sum(), "declarer": lost[own].sum()
    }  # fmt: skip
    assert sum(table.by_seat.values()) == lost.sum()
    # played out as recorded, all points that plays gave away are in the parts, less the usual ones
    exact, taken = score("4H", trace[[0, -1]].astype(int), vulnerable=False)
    from trickcast.played import norms

    chances = np.eye(14)[trace[0]]
    for role, sign in (("lead", 1), ("defence", 1), ("declarer", -1)):
        spread = np.zeros(14)
        for tricks, chance in enumerate(chances):
            for n, share in enumerate(norms()[role].shares):
                spread[min(13, max(0, tricks + sign * n))] += chance * share
        chances = spread
    usual = float(chances @ score("4H", np.arange(14), vulnerable=False)) - exact
    assert table.points.play == pytest.approx(taken - exact - usual)


@pytest.mark.solver
def test_a_pair_s_sheet_has_its_players_over_all_boards(run, tmp_path):
    path = tmp_path / "some.pbn"
    text = room("Open", "4H", "N", 10, PLAY) + room("Closed", "4H", "N", 9)
    other = (
        text.replace('"7"', '"8"')
        .replace(DEAL, "S" + DEAL[1:])
        .replace("DQ D3 DA D4\nC7 C4 C8 CA", "CQ")
    )
    path.write_text(text + other)
    out = run("session", path, "--pair", "B")[1]
    head, *rows = out.partition("Player  ")[2].splitlines()
    assert "Boards" in head and [row.split()[:2] for row in rows[:2]] == [["B", "2"], ["D", "2"]]
    judged = session.judge(session.read(path))
    leader, partner = (p for p in session.players(judged) if p.names[0] in "BD")
    (pair,) = (p for p in session.pairs(judged) if p.names == ("B", "D"))
    assert leader.parts["lead"] == pair.parts["lead"] and pair.parts["lead"].value != 0
    assert partner.parts["lead"].value == 0
    assert f"{pair.parts['lead'].value:+.1f}".replace("-", "−") in rows[0] and "±" in rows[0]


def lin_deal(text: str, dealer: int) -> str:
    """Write a deal as LIN does: South, West, North; East's cards are those left."""
    deal = tc.Deal(text)
    hands = [deal[seat] for seat in "SWN"]
    suits = [zip("SHDC", str(hand).split("."), strict=True) for hand in hands]
    return f"{dealer}" + "".join("".join(s + r for s, r in hand) + "," for hand in suits)


def test_a_match_in_lin_has_both_rooms_the_list_and_what_is_carried_over(run, tmp_path):
    one, two = lin_deal(DEAL, 1), lin_deal(tc.random_deals(1, seed=9)[0].pbn, 2)
    text = (
        "vg|Cup,Final,I,1,2,Reds,3,Blues,0.5|\nrs|4HN=,3NS-1,PASS,4SE-1|\n"
        "pn|A,B,C,D,W,X,Y,Z|\n"
        f"qx|o1|md|{one}|sv|o|mb|p|mb|p|mb|4H|mb|p|mb|p|mb|p|pc|DQ|mc|10|\n"
        f"qx|c1|md|{one}|sv|o|\n"
        f"qx|o2|md|{two}|sv|n|mb|p|mb|p|mb|p|mb|p|\n"
    )
    (tmp_path / "match.lin").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played = session.read(tmp_path / "match.lin")
    first, second = played.boards
    assert [(t.room, t.contract, t.score) for t in first.tables] == [
        ("open", "4H", 420), ("closed", "3N", -50),
    ]  # fmt: skip
    assert [(t.room, t.contract, t.score) for t in second.tables] == [
        ("open", "PASS", 0), ("closed", "4S", 50),
    ]  # fmt: skip
    assert first.tables[0].names == ("C", "D", "A", "B")
    (found,) = session.matches(session.compared(played))
    assert found.imps == (10 + 3, 2 + 0.5) and found.teams == ("Reds", "Blues")
    carried = "Victory points count IMPs carried over, but not the boards that these come from."
    assert run("session", tmp_path / "match.lin", "--scores")[1].endswith(f"\n{carried}\n")


def lin_match(first: str, results: str, carried: str = "3") -> str:
    deal = lin_deal(DEAL, 1)
    return (
        f"vg|Cup,Final,I,{first},2,Reds,{carried},Blues,0.5|\nrs|{results}|\n"
        "pn|A,B,C,D,W,X,Y,Z|\n"
        f"qx|o1|md|{deal}|sv|o|mb|p|mb|p|mb|4H|mb|p|mb|p|mb|p|pc|DQ|\nqx|c1|md|{deal}|sv|o|\n"
    )


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ("4HN+9,3NS=", "result '+9' is left out: "),
        ("4HN-15,3NS=", "result '-15' is left out: "),
        ("xyz,3NS=", "contract 'xyz' is left out: expected such as 4S"),
        ("A+,3NS=", "an adjusted score only for North-South"),
        ("4HS=,3NS=", "declarer S, but N in the record, which counts"),
    ],
)
def test_a_bad_result_of_a_list_costs_no_other(tmp_path, results, said):
    path = tmp_path / "match.lin"
    path.write_text(lin_match("1", results))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played = session.read(path)
    assert played.boards[0].tables[-1].score == 400
    (place,) = (entry.place for entry in played.skipped if entry.reason.startswith(said))
    assert place.startswith(f"{path}: board 1")


def test_numbers_without_end_are_told(tmp_path):
    path = tmp_path / "match.lin"
    path.write_text(lin_match("9" * 5000, "4HN=,3NS=", carried="many"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played = session.read(path)
    assert [table.score for table in played.boards[0].tables] == [420, 400]
    told = " | ".join(entry.reason for entry in played.skipped)
    assert "99…99" in told and "no board number: the results begin with board 1" in told
    assert "IMPs carried over 'many' is left out" in told
    other = tmp_path / "match.pbn"
    other.write_text(room("Open", "4H", "N", 10, f'[Score "NS {"9" * 5000}"]\n'))
    played = session.read(other)
    assert played.boards[0].tables[0].score == 620
    assert [entry.reason.rpartition(": ")[2] for entry in played.skipped] == [
        "expected at most six digits"
    ]


# --- club files ---

ROWS = r"""[ScoreTable "PairId_NS\3R;PairId_EW\3R;Contract\4L;Declarer\1;Lead;Result;Multiplicity"]
1 2 4H   N DQ 10 1
3 4 3NT  S -   8 1
5 6 Pass - -   - 1
? ? 4H   N -  10 3
"""


def test_rows_of_a_score_table_are_tables_and_the_record_is_one_of_them(tmp_path):
    (tmp_path / "club.pbn").write_text(room("Open", "4H", "N", 10, PLAY) + "")
    text = room("Open", "4H", "N", 10, PLAY).rstrip("\n") + "\n" + ROWS
    (tmp_path / "club.pbn").write_text(text)
    played = session.read(tmp_path / "club.pbn")
    (board,) = played.boards
    assert played.tables == 6 and played.skipped == ()
    assert [table.count for table in board.tables] == [1, 1, 1, 3]
    first = board.tables[0]
    assert first.numbers == ("1", "2") and len(first.play) == 8 and first.names[0] == "A"
    assert board.scores.tolist() == [620, -100, 0, 620]
    assert board.matchpoints.tolist() == [0.7, 0, 0.2, 0.7]
    assert board.imps[1] == pytest.approx((4 * -12 - 3) / 5)


def test_pairs_have_the_names_of_the_total_score_table(run, tmp_path):
    path = tmp_path / "club.pbn"
    text = f'[Board "1"]\n[Deal "{DEAL}"]\n{ROWS}'
    names = ['1 "Ann Bell - Bo Clay-Dunn"', '2 "Cy & Di"', '3 "Em"', '4 "Flo/Gus"', '4 "Hal / Ida"']
    table = '[TotalScoreTable "PairId;Names"]\n' + "\n".join(names) + "\n"
    path.write_text(f"{text}{table}\n" + text.replace('"1"', '"2"', 1) + table)
    played = session.read(path)
    first, second = played.boards[0].tables[:2]
    assert (first.numbers, second.numbers) == (("1", "2"), ("3", "4"))
    assert first.names == ("Ann Bell", "Cy", "Bo Clay-Dunn", "Di")
    assert second.names == (None,) * 4, "no names, and those of two pairs"
    (reason,) = (entry.reason for entry in played.skipped if "Total" in entry.reason)
    said = "the Names of pair 3 are left out (expected two, with ' - ', & or / between them)"
    assert reason == f"TotalScoreTable: {said}"
    assert "(Ann Bell – Bo Clay-Dunn)" in run("session", path, "--scores")[1]


def test_each_record_adds_its_play_to_its_row_of_a_score_table(tmp_path):
    second = '[Play "W"]\nD6 DT DJ DK\nC8 CA C2 C4\n*\n'
    third = room("Open", "4H", "N", 10, PLAY.replace("DA D4", "DA D9"))
    records = [room("Open", "4H", "N", 10, PLAY), room("Open", "3NT", "S", 8, second), third]
    text = "\n".join(f"{record.rstrip()}\n{ROWS}" for record in [*records, records[0]])
    (tmp_path / "club.pbn").write_text(text)
    played = session.read(tmp_path / "club.pbn")
    (board,) = played.boards
    assert played.tables == 6 and played.skipped == ()
    assert [table.count for table in board.tables] == [1, 1, 1, 1, 2]
    assert [len(table.play) for table in board.tables] == [8, 8, 0, 8, 0]
    assert [table.names[0] for table in board.tables] == ["A", "A", None, "A", None]


def test_a_record_without_a_row_in_the_score_table_is_added_and_told(tmp_path):
    rows = ROWS.replace("? ? 4H   N -  10 3\n", "")
    records = [room("Open", "4H", "N", 10, PLAY), room("Open", "4S", "E", 9)]
    (tmp_path / "club.pbn").write_text(
        f"{records[0].rstrip()}\n{rows}\n{records[1].rstrip()}\n{rows}"
    )
    played = session.read(tmp_path / "club.pbn")
    assert [len(table.play) for table in played.boards[0].tables] == [8, 0, 0, 0]
    assert [entry.reason for entry in played.skipped] == [
        "the ScoreTable has no row for this record, so it was added"
    ]


def test_anonymous_sessions_name_nobody_in_their_notes(tmp_path):
    path = tmp_path / "club.csv"
    path.write_text(
        "board,ns,ew,contract,declarer,result\n1,Ann & Bo,A5,4H,N,10\n1,Ann & Bo,12,3NT,S,8\n"
    )
    played = session.read(path)
    assert any("pair Ann & Bo played" in entry.reason for entry in played.skipped)
    unnamed = played.anonymous()
    assert "Ann" not in repr(unnamed.skipped)
    assert any("pair 1 played this board" in entry.reason for entry in unnamed.skipped)
    assert [table.numbers for table in unnamed.boards[0].tables] == [
        ("Pair 1", "A5"),
        ("Pair 1", "12"),
    ]


@needs_shared
def test_club_files_state_the_scores_and_imps_that_are_found():
    for name, count in (("club-pairs.pbn", 429), ("club-score-tables.pbn", 552)):
        played = session.read(PLAYED / name)
        assert played.tables == count and played.skipped == ()
        stated = 0
        for board in played.boards:
            for table, ours in zip(board.tables, board.imps, strict=True):
                if table.stated.imps[0] is not None:
                    stated += 1
                    assert ours == pytest.approx(table.stated.imps[0], abs=0.0051)
        assert stated > 100


@needs_shared
def test_scores_and_imps_of_a_match_are_those_that_its_file_states():
    text = (SHARED / "boards" / "example2.pbn").read_text("utf-8")
    stated = {}
    for record in text.split("\n\n"):
        tags = dict(re.findall(r'\[(\w+) "([^"]*)"', record))
        if tags.get("Score") and tags.get("ScoreIMP"):
            key = tags["Board"], tags["HomeTeam"], tags["VisitTeam"]
            stated[key] = int(tags["Score"].split()[1]), int(tags["ScoreIMP"].split()[1])
    played = session.read(SHARED / "boards" / "example2.pbn")
    assert played.tables == 299
    seen = 0
    for board in played.boards:
        by_teams = {table.teams: table.score for table in board.tables}
        for teams, points in by_teams.items():
            assert teams is not None
            home, visit = teams
            key = str(board.number), home, visit
            if key in stated and (visit, home) in by_teams:
                seen += 1
                assert (points, imps(points - by_teams[visit, home])) == stated[key]
    assert seen > 250


def duplicate(contract: str, by: str, tricks: int, vulnerable: str) -> int:
    """Score a contract by the laws' table, on its own."""
    level, strain = int(contract[0]), contract[1]
    doubled = contract.count("X") - (0 if strain != "X" else 1)
    side = "NS" if by in "NS" else "EW"
    vul = vulnerable in ("All", "Both", side)
    over = tricks - 6 - level
    if over < 0:
        if not doubled:
            points = over * (100 if vul else 50)
        elif vul:
            points = -(200 + 300 * (-over - 1)) * doubled
        else:
            points = (
                -[0, 100, 300, 500][min(-over, 3)] * doubled - 300 * max(0, -over - 3) * doubled
            )
    else:
        trick = 20 if strain in "CD" else 30
        base = (level * trick + 10 * (strain == "N")) * 2**doubled
        points = base + (50 if base < 100 else 500 if vul else 300) + 50 * doubled
        points += {6: 750 if vul else 500, 7: 1500 if vul else 1000}.get(level, 0)
        points += over * (100 * doubled * (1 + vul) if doubled else trick)
    return points if by in "NS" else -points


@pytest.mark.slow
@needs_shared
def test_records_of_championships_join_by_deal_and_nothing_is_lost(tmp_path):
    with gzip.open(PLAYED / "championships.pbn.gz", "rt", encoding="utf-8") as stream:
        records = stream.read(2_000_000).split("\n\n")[:-1]
    (tmp_path / "some.pbn").write_text("\n\n".join(records) + "\n\n", "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played = session.read(tmp_path / "some.pbn")
    assert played.tables == len(records) > 1000
    by_deal: dict[str, list[int | None]] = {}
    for record in records:
        tags = dict(re.findall(r'\[(\w+) "([^"]*)"', record))
        points = None
        if tags.get("Contract", "").upper() == "PASS":
            points = 0
        elif tags.get("Contract") and tags.get("Declarer") and tags.get("Result", "").isdecimal():
            points = duplicate(
                tags["Contract"], tags["Declarer"], int(tags["Result"]), tags["Vulnerable"]
            )
        by_deal.setdefault(tc.Deal(tags["Deal"]).pbn, []).append(points)
    assert len(played.boards) == len(by_deal)
    same = 0
    for board in played.boards:
        expected = by_deal[board.deal.pbn]
        ours = [table.score for table in board.tables]
        known = [points for points in ours if points is not None]
        means = [
            np.mean([imps(a - b) for j, b in enumerate(known) if j != i])
            for i, a in enumerate(known)
            if len(known) > 1
        ]
        found = board.imps[~np.isnan(board.imps)]
        agree = all(a == b for a, b in zip(ours, expected, strict=True) if b is not None)
        same += agree and found == pytest.approx(means)
    assert same >= 0.99 * len(played.boards)


# --- what does not fit ---


def reasons(*paths: Path) -> list[str]:
    return [entry.reason for entry in session.read(*paths).skipped]


RESULTS = "expected 0 to 13 tricks, or =, +1, -2, down 1 or made 1 to 7"
CONTRACTS = "expected such as 4S, 3NX or PASS, NP (not played), or A+/A- or 60/40 (adjusted)"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,,,,,455,", "score 455, which no contract gives"),
        ("1,999%,,,,,", "contract '999%' is left out: expected at most 100 %"),
        ("1,,,,,100.5 %,", "score_ns '100.5 %' is left out: expected at most 100 %"),
        ("1,A+/101%,,,,,", "an adjusted score only for North-South"),
        ("1,4S,N,10,,,60%", "percentage_ns '60%' is left out: expected a number"),
        ("1,4S,N,,,420,", "without result: the score 420 counts"),
        ("1,,,10,,,", "without contract and declarer: the table has no score"),
        ("1,4S,N,10,,620,", "score 620 where 4S, 10 tricks, should be 420"),
        ("1,9S,N,10,,,", "contract '9S' is left out"),
        ("1,4S,N,10,,,nan", "percentage_ns 'nan' is left out: expected a finite number"),
        ("100000,4S,N,10,,,", "board '100000' is left out: expected 1 to 99,999"),
        ("1,4S,N,14,,,", "result '14' is left out: expected 0 to 13"),
        ("1,4S,N,10,SB,,", "lead 'SB' is left out"),
        ("1,4S,N,made 3,,,", "result 'made 3' is left out: expected 4 or more in 4S"),
        ("1,4S,N,down 11,,,", "result 'down 11' is left out: "),
        ("1,,N,down 1,,,", "result 'down 1' is left out: it counts from the contract, which is"),
        ("1,150/40,,,,,", "contract '150/40' is left out"),
        ("x,4S,N,10,,,", "no deal and no board number"),
        ("1,4S,N,10,,,,9", "8 cells (expected 7)"),
        ("1,4SN+9,,,,,", "result '+9' is left out: "),
        ("1,4S,N,-15,,,", "result '-15' is left out: "),
        ("1,4SN-11,,,,,", "result '-11' is left out: "),
        ("1,4S N 14,,,,,", "result '14' is left out: expected 0 to 13"),
        ("1,,N,+1,,,", "result '+1' is left out: it counts from the contract, which is"),
        ("1,4H dbl,N,+2,,,", "result '+2' is left out: it counts from the contract, which is"),
        ("1,4H,N,made 11,,,", f"result 'made 11' is left out: {RESULTS}"),
        ("1,4H,N,abc,,,", f"result 'abc' is left out: {RESULTS}"),
        ("1,bye,,,,,", f"contract 'bye' is left out: {CONTRACTS}"),
        ("1,A-+,,,,,", f"contract 'A-+' is left out: {CONTRACTS}"),
        ("1,,,,,A--,", "score_ns 'A--' is left out: expected a number, or such as A- or 60%"),
        ("1,4SE=,N,10,,,", "contract '4SE=', but declarer N, which counts"),
        ("1,4SN-1,N,10,,,", "contract '4SN-1', but result 10, which counts"),
        ("1,PASS,,9,,,", "result '9' is left out: the board was passed out"),
        ("x,4S,N,10,,,", "board 'x' is left out: expected a number"),
        ("1,4S,N,10,,ten,", "score_ns 'ten' is left out: expected a number"),
        ("1,4S,N,10,,,half", "percentage_ns 'half' is left out: expected a number"),
    ],
)
def test_rows_that_cannot_be_read_are_told(tmp_path, club, row, said):
    path = tmp_path / "odd.csv"
    path.write_text(f"board,contract,declarer,result,lead,score_ns,percentage_ns\n{row}\n")
    told = reasons(club[0], path)
    assert any(reason.startswith(said) for reason in told), told


def test_a_penalty_is_no_bonus(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("board,ns,contract,declarer,result,penalty_ns\n1,1,4S,N,10,−10\n1,2,4S,N,9,0\n")
    played = session.read(path)
    assert [table.penalties for table in played.boards[0].tables] == [(0, 0)] * 2
    assert [entry.reason for entry in played.skipped] == [
        "penalty_ns '-10' is left out: expected 10, which is taken from the pair"
    ]


def test_a_contract_may_say_all_and_as_often_as_it_likes(tmp_path, club):
    path = tmp_path / "odd.csv"
    path.write_text(
        "board,contract,declarer,result,score_ns,score_ew\n"
        "1,4S N 10,,,420,-420\n1,4SN=,N,10,420,\n1,4SN+1,N,+1,,-450\n1,PASS,,0,0,0\n"
    )
    played = session.read(club[0], path)
    assert played.skipped == ()
    assert [table.score for table in played.boards[0].tables] == [420, 420, 450, 0]
    path.write_text("board,score_ns,score_ew\n1,420,50\n")
    assert "score_ns 420, but score_ew 50: score_ns counts" in reasons(club[0], path)


def test_results_may_be_words(tmp_path, club):
    path = tmp_path / "odd.csv"
    path.write_text(
        "board,contract,declarer,result,score_ns\n1,3S,N,Made 4,\n1,3S,N,made,\n1,3S,N,down 1,\n"
        "1,All Pass,,,\n1,NP,,,\n1,Not played,,,\n1,60/40,,,\n1,50%-50%,,,\n1,NP,,,A+\n"
    )
    played = session.read(club[0], path)
    tables = played.boards[0].tables
    assert [entry.place for entry in played.skipped] == [f"{path}: line 10"], "of a side only"
    assert [table.score for table in tables] == [170, 140, -50, 0, None, None, None]
    texts = [tuple(given and given.text for given in table.adjusted) for table in tables[4:]]
    assert texts == [("60%", "40%"), ("50%", "50%"), ("A+", None)]


def test_a_minus_may_be_the_typographic_one(tmp_path, club):
    path = tmp_path / "odd.csv"
    path.write_text(
        "board,contract,declarer,result,score_ns,north\n"
        "1,4S,N,−1,−50,A−B\n1,4SN−2,,,,\n1,A−/A+,,,,\n1,,,,−100,\n",
        "utf-8",
    )
    played = session.read(club[0], path)
    assert played.skipped == ()
    first, second, third, fourth = played.boards[0].tables
    assert (first.score, second.score, fourth.score) == (-50, -100, -100)
    assert third.adjusted[0] is not None and third.adjusted[0].text == "A-"
    assert first.names[0] == "A−B"


def test_scores_alone_count_and_what_counts_is_a_note(run, tmp_path, club):
    path = tmp_path / "scores.csv"
    path.write_text("board,score_ns,ns,ew\n1,420,1,2\n1,-50,3,4\n")
    assert run("session", club[0], path, "--scores")[::2] == (0, "")
    path.write_text("board,contract,declarer,score_ns\n1,4S,N,420\n1,4S,N,\n")
    status, _, error = run("session", club[0], path, "--scores")
    assert status == 3 and error.splitlines() == [
        f"note: {path}: line 2: without result: the score 420 counts",
        f"skipped: {path}: line 3: without result: the table has no score",
    ]


def test_columns_of_one_meaning_are_refused_or_told(tmp_path, club):
    path = tmp_path / "odd.csv"
    path.write_text("board,contract,by,declarer,tricks,result\n1,4S,S,N,9,10\n")
    played = session.read(club[0], path)
    assert [entry.reason for entry in played.skipped] == ["ignored columns: by, tricks"]
    assert played.boards[0].tables[0].declarer is Seat.NORTH
    assert played.boards[0].tables[0].score == 420
    path.write_text("board,contract,Result,by,result\n1,4S,10,N,9\n")
    with pytest.raises(FormatError, match=r"odd\.csv: two columns 'result' \(expected one\)"):
        session.read(path)
    text = room("Open", "4H", "N", 10).rstrip("\n") + "\n"
    table = '[ScoreTable "Contract;Declarer;Result;Result"]\n4H N 10 10\n4H N 9 10\n'
    (tmp_path / "club.pbn").write_text(text + table)
    played = session.read(tmp_path / "club.pbn")
    assert [entry.reason for entry in played.skipped] == [
        "two columns result, with '9' and '10'; the first counts"
    ]


def test_travellers_of_a_match_may_be_latin_1_and_name_rooms_as_pbn_does(tmp_path):
    path = tmp_path / "match.csv"
    path.write_bytes(
        (
            "board,deal,contract,declarer,result,room,north\n"
            f"1,{DEAL},4H,N,10,Open,Müller\n1,{DEAL},3NT,S,8,CLOSED,Núñez\n"
        ).encode("iso-8859-1")
    )
    noted = "line 2: byte 0xfc is not UTF-8"
    with pytest.warns(FormatWarning, match=noted):
        played = session.read(path)
    tables = played.boards[0].tables
    assert [table.names[0] for table in tables] == ["Müller", "Núñez"]
    assert [found.imps for found in session.matches(session.compared(played))] == [(10, 0)]
    path.write_bytes(path.read_bytes() + f"2,{DEAL},4H,N,10,Open,\x01\xff\n".encode("iso-8859-1"))
    with pytest.warns(FormatWarning, match=noted):
        played = session.read(path)
    assert [(entry.place, entry.reason) for entry in played.skipped] == [
        (f"{path}: line 4, column 87", "byte 0xff (expected text)")
    ]
    path.write_bytes(b"\x01\xff\n")
    with pytest.raises(FormatError, match="no line of text"):
        session.read(path)


def test_travellers_may_have_semicolons_and_may_be_packed(tmp_path, club):
    path = tmp_path / "odd.csv.gz"
    with gzip.open(path, "wt") as stream:
        stream.write("Board;Contract;By;Tricks;NS;EW\n1;4SXN+1;;;1;2\n1;3NT=;S;;3;4\n")
    played = session.read(club[0], path)
    assert played.skipped == ()
    assert [table.score for table in played.boards[0].tables] == [690, 400]


@pytest.mark.parametrize(("row", "counted"), [("A+,", ["1"]), ("A+,A-", ["1", "2"])])
def test_a_score_adjusted_for_one_side_is_none_for_the_other(tmp_path, club, row, counted):
    path = tmp_path / "odd.csv"
    path.write_text(f"board,ns,ew,score_ns,score_ew\n1,1,2,{row}\n")
    played = session.read(club[0], path)
    found = {pair.number: pair.boards for pair in session.pairs(session.compared(played))}
    assert [number for number, boards in sorted(found.items()) if boards] == counted
    assert len(played.skipped) == (row == "A+,")


def test_travellers_may_be_written_as_spreadsheets_do(tmp_path, club):
    path = tmp_path / "odd.csv"
    path.write_text(
        "Board No;NS Pair;EW Pair;Contract;By;Result;percentage_ns\n"
        "1;1;2;4S;N;+1;100,0\n1;3;4;Pass Out;;;0,00\n"
    )
    played = session.read(club[0], path)
    assert played.skipped == ()
    first, second = played.boards[0].tables
    assert (first.score, first.stated.percent[0]) == (450, 100)
    assert (second.score, second.stated.percent[0]) == (0, 0)


def test_percentages_pairs_and_columns_that_do_not_fit_are_told(tmp_path, club):
    path = tmp_path / "odd.csv"
    path.write_text(
        "board,ns,ew,contract,declarer,result,percentage_ns,percentage_ew,mood\n"
        "1,1,2,4S,N,10,100,30,good\n1,3,3,4S,N,9,,,\n2,1,2,4S,N,10,,,\n2,1,4,3S,N,10,,,\n"
    )
    told = " | ".join(reasons(club[0], path))
    assert "percentages 100 and 30 do not add up to 100" in told
    assert "pair 3 plays against itself" in told and "pair 1 played this board before" in told
    assert "ignored columns: mood" in told


@pytest.mark.parametrize("other", ["2", "1"])
def test_a_row_that_is_repeated_is_told(tmp_path, other):
    path = tmp_path / "odd.csv"
    row = f"1,1,{other},4S,N,10"
    path.write_text(f"board,ns,ew,contract,declarer,result\n{row}\n1,3,3,4S,N,9\n{row}\n")
    told = [f"{entry.place}: {entry.reason}" for entry in session.read(path).skipped]
    assert told[-1] == f"{path}: line 4: the same pairs and result as {path}: line 2; both count"
    assert session.read(path).tables == 3


def test_a_file_given_twice_is_refused(run, tmp_path, club):
    again = tmp_path / "." / "more" / ".." / "travellers.csv"
    (tmp_path / "more").mkdir()
    with pytest.raises(FormatError, match=r"travellers\.csv: given twice \(expected once\)"):
        session.read(club[1], again)
    for command in (("session",), ("report", "-o", tmp_path / "club.html")):
        for files in ((club[0], *club), (*club, again)):
            status, _, error = run(*command, *files)
            assert status == 2 and error.endswith(": given twice (expected once)\n"), error


def test_numbers_of_two_fields_are_pairs_of_their_own(tmp_path):
    path = tmp_path / "mitchell.csv"
    path.write_text(
        "board,ns,ew,contract,declarer,result\n1,1,1,4S,N,10\n1,2,2,4S,N,9\n"
        "2,1,2,4S,N,10\n2,2,1,4S,N,11\n"
    )
    played = session.read(path)
    found = {pair.number for pair in session.pairs(session.compared(played))}
    assert found == {"1 NS", "1 EW", "2 NS", "2 EW"}
    assert not any("itself" in entry.reason for entry in played.skipped)


@pytest.mark.parametrize(
    ("section", "given", "numbers"),
    [
        ("AB", ("1", "11"), {"A1", "A11", "B1", "B11"}),
        ("AB", ("{}1", "{}-11"), {"A1", "A-11", "B1", "B-11"}),
        ("12", ("1", "11"), {"1-1", "1-11", "2-1", "2-11"}),
    ],
)
def test_each_section_has_pairs_of_its_own(tmp_path, section, given, numbers):
    ns, ew = given
    rows = [(each, ns.format(each), ew.format(each)) for each in section]
    path = tmp_path / "sections.csv"
    path.write_text(
        "section,board,ns,ew,contract,declarer,result\n"
        + "".join(f"{each},1,{n},{e},4S,N,{9 + i}\n" for i, (each, n, e) in enumerate(rows))
    )
    played = session.read(path)
    assert {number for table in played.boards[0].tables for number in table.numbers} == numbers
    assert played.anonymous().boards == played.boards
    assert not any("played this board" in entry.reason for entry in played.skipped)
    table = '[ScoreTable "Section;PairId_NS;PairId_EW;Contract;Declarer;Result"]\n'
    table += "".join(f"{each} {n} {e} 4H N {9 + i}\n" for i, (each, n, e) in enumerate(rows))
    (tmp_path / "club.pbn").write_text(f'[Board "1"]\n[Deal "{DEAL}"]\n{table}')
    found = session.pairs(session.compared(session.read(tmp_path / "club.pbn")))
    assert {pair.number: pair.boards for pair in found} == dict.fromkeys(numbers, 1)


def ways(path: Path) -> list[tuple[str | None, list[str | None]]]:
    found = session.pairs(session.compared(session.read(path)))
    assert [pair.direction for pair in found].count(None) in (0, len(found))
    return [(way, [pair.number for _, pair in placed]) for way, placed in session.rankings(found)]


def test_each_direction_of_a_mitchell_has_a_ranking_and_a_howell_one(run, tmp_path):
    path = tmp_path / "session.csv"
    head = "board,ns,ew,contract,declarer,result\n"
    path.write_text(f"{head}1,1,1,4S,N,10\n1,2,2,4S,N,9\n2,1,2,4S,N,10\n2,2,1,4S,N,11\n")
    assert ways(path) == [("NS", ["1 NS", "2 NS"]), ("EW", ["2 EW", "1 EW"])]
    out = run("session", path, "--scores")[1]
    assert re.findall(r"^(\d)\. +(\d \w\w)", out, re.MULTILINE) == [
        ("1", "1 NS"), ("2", "2 NS"), ("1", "2 EW"), ("2", "1 EW"),
    ]  # fmt: skip
    pairs = json.loads(run("session", path, "--scores", "--json")[1])["pairs"]
    assert [pair["direction"] for pair in pairs].count("NS") == 2
    path.write_text(f"{head}1,1,3,4S,N,10\n1,4,2,4S,N,9\n2,3,1,4S,N,10\n2,2,4,4S,N,11\n")
    assert ways(path) == [(None, ["1", "2", "3", "4"])]
    path.write_text(
        "board,room,north,south,east,west,contract,declarer,result\n"
        "1,open,A,C,B,D,4S,N,10\n1,closed,E,G,F,H,4S,N,9\n"
    )
    assert [way for way, _ in ways(path)] == [None]


@pytest.mark.solver
def test_a_pair_s_sheet_and_the_ranking_say_the_same():
    judged = session.judge(session.read(EXAMPLES / "deals.pbn", EXAMPLES / "travellers.csv"))
    text = session.overview(judged)
    for pair in session.pairs(judged):
        sheet = session.pair_sheet(judged, pair)
        (row,) = re.findall(rf"^\d\. +{pair.number} .*", text, re.MULTILINE)
        for name in ("Contract", "Luck"):
            (total,) = re.findall(rf"^{name} +([+−]?[0-9.]+)", sheet, re.MULTILINE)
            assert total in row.split()
        assert "Declarer" not in sheet and "Defence" not in sheet, "nothing is recorded"
    first = next(line for line in session.pair_sheet(judged, session.pairs(judged)[0]).splitlines()
                 if line.startswith("    1"))  # fmt: skip
    assert first.split()[-2:] == ["+13.4", "+36.6"]


LONG_NAMES = ("Katarzyna Nowak-Kowalska", "Bartholomew Featherstone", "Elisabeth Müller", "Jo")


@pytest.mark.solver
@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_line_is_wider_than_there_is_room(match, width):
    text = match.read_text()
    for short, long in zip("ABCD", LONG_NAMES, strict=True):
        text = text.replace(f'"{short}"', f'"{long}"')
    match.write_text(text)
    judged = session.judge(session.read(match))
    shown = [session.overview(judged, width)]
    shown += [session.board_sheet(judged, board, width) for board in judged.boards]
    shown += [session.pair_sheet(judged, pair, width) for pair in session.pairs(judged)]
    lines = "\n".join(shown).splitlines()
    assert max(map(len, lines)) <= width
    assert {word for line in lines for word in line.split()} >= {"Katarzyna", "Featherstone"}


def test_columns_give_way_in_turn():
    rows = [["Name", "Makes", "Score"], ["Ann – Bo", "84%", "+420"]]

    def laid_out(width: int) -> list[str]:
        return columns(rows, (1, 2), width=width, wraps=(0,), sheds=(1,)).splitlines()

    assert laid_out(22) == ["Name      Makes  Score", "Ann – Bo    84%   +420"]
    assert laid_out(20) == ["Name     Makes Score", "Ann – Bo   84%  +420"]
    assert laid_out(17) == ["Name  Makes Score", "Ann –   84%  +420", "Bo"]
    assert laid_out(11) == ["Name  Score", "Ann –  +420", "Bo"]


def test_deals_that_do_not_fit_their_number_are_told(tmp_path, club):
    turned = "E:" + DEAL[2:]
    path, other = tmp_path / "a.pbn", tmp_path / "b.pbn"
    path.write_text(room("Open", "4H", "N", 10))
    other.write_text(room("Closed", "4H", "N", 10).replace(DEAL, turned))
    (reason,) = reasons(path, other)
    assert f"the deal of board 7 in {path}, turned by 90°" in reason
    another = tc.random_deals(1, seed=8)[0].pbn
    other.write_text(room("Closed", "4H", "N", 10).replace(DEAL, another))
    (reason,) = reasons(path, other)
    assert reason.startswith("1 deal with the number of another: 7")
    other.write_text(room("Closed", "4H", "N", 10).replace('"7"', '"8"').replace("All", "None"))
    told = " | ".join(reasons(path, other))
    assert "the same deal as board 7" in told and "vulnerable: none, but both" in told


def test_the_same_record_in_two_files_counts_once(tmp_path):
    path, other = tmp_path / "a.pbn", tmp_path / "b.pbn"
    path.write_text(room("Open", "4H", "N", 10, PLAY))
    other.write_text(room("Open", "4H", "N", 10, PLAY) + room("Closed", "3NT", "S", 8))
    played = session.read(path, other)
    assert played.tables == 2
    assert [entry.reason for entry in played.skipped] == [
        f"the same record is in {path} too; it counts once"
    ]


@pytest.mark.solver
def test_one_table_is_not_compared(run, tmp_path):
    path = tmp_path / "one.pbn"
    path.write_text(room("Open", "4H", "N", 10))
    status, out, _ = run("session", path)
    assert status == 0 and "nothing to compare" in out
    content = json.loads(run("session", path, "--json")[1])
    (table,) = content["boards"][0]["tables"]
    assert table["imps"] is None and table["matchpoints"] is None and table["parts"] is None
    assert table["expected"] == pytest.approx(
        tc.estimate_played(DEAL, "4H", by="N").score("both"), abs=0.01
    )


def test_rows_without_a_result_are_no_tables_to_compare_with(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(
        "board,ns,ew,contract,declarer,result\n1,1,4,4H,N,10\n1,2,0,,,\n2,1,5,4H,N,10\n2,2,4,NP,,\n"
    )
    out = run("session", path, "--scores")[1]
    assert "       no result\n" in out and "?" not in out
    assert out.endswith("\nEach board was played at one table, so there is nothing to compare.\n")


def test_records_without_a_result_stay_tables(tmp_path):
    path = tmp_path / "some.pbn"
    silent = f'[Board "7"]\n[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{DEAL}"]\n[Room "Closed"]\n\n'
    path.write_text(room("Open", "4H", "N", 10) + silent)
    played = session.read(path)
    assert played.tables == 2
    assert [entry.reason for entry in played.skipped] == [
        "without contract, declarer and result: the table has no score"
    ]


@pytest.mark.solver
def test_a_play_that_breaks_the_rules_is_judged_up_to_there(tmp_path):
    wrong = PLAY.replace("C8 CA", "C8 SA")  # North has clubs
    path = tmp_path / "some.pbn"
    path.write_text(room("Open", "4H", "N", 10, wrong) + room("Closed", "4H", "N", 9))
    judged = session.judge(session.read(path))
    assert any("has to follow in clubs" in entry.reason for entry in judged.skipped)
    assert judged.boards[0].tables[0].given == {"lead": 0}


# --- commands ---


@pytest.mark.solver
def test_names_are_replaced(run, match):
    status, out, _ = run("session", match, "--anonymous", "--json")
    content = json.loads(out)
    assert status == 0
    names = {name for pair in content["pairs"] for name in pair["names"]}
    assert names == {f"Player {n}" for n in range(1, 9)}
    assert content["matches"][0]["teams"] == ["Team 1", "Team 2"]
    for hidden in ("Reds", "Blues"):
        assert hidden not in out


@pytest.mark.solver
def test_one_board_one_pair_and_a_table(run, club, match):
    status, out, _ = run("session", match, "--board", "7")
    assert status == 0 and "4♥ N" in out and "Par NS +620" in out and "A – C" in out
    status, out, _ = run("session", *club, "--pair", "4")
    assert status == 0 and out.startswith("4: 3 boards") and "95 % interval" in out
    sheet = run("session", match, "--pair", "a")[1]
    assert sheet.startswith("A – C: 1 board") and "Player" not in sheet, "no play is recorded"
    status, out, _ = run("session", *club, "--csv")
    lines = out.splitlines()
    assert status == 0 and len(lines) == 10 and lines[0].startswith("board,deal,dealer")
    assert run("session", *club, "--board", "9")[2] == "trickcast: there is no board 9\n"
    assert "there is no pair '99'" in run("session", *club, "--pair", "99")[2]
    assert run("session", *club, "--board", "1", "--json")[0] == 2
    _, out, error = run("session", *club, "--board", "2-4")
    assert re.findall(r"^Board (\d)", out, re.MULTILINE) == ["2", "3"]
    assert error == "note: there is no board 4\n"
    status, _, error = run("session", *club, "--boards", "x")
    assert status == 2 and "'x' (expected numbers, such as 5-12,15)" in error
    assert run("session", *club, "--players", "novice")[0] == 2


def test_boards_without_cards_are_scored_only(run, club):
    status, out, error = run("session", club[1], "--json")
    content = json.loads(out)
    unseen = f"note: {club[1]}: no file has the cards of boards {{}}: they are only scored\n"
    assert (status, error) == (3, unseen.format("1-3"))
    assert run("session", club[1], "--scores")[::2] == (0, "")
    assert {board["deal"] for board in content["boards"]} == {None}
    assert content["boards"][0]["tables"][1]["matchpoints"] == 1
    assert content["boards"][0]["tables"][1]["expected"] is None
    assert content["pairs"][0]["number"] == "4"
    club[1].write_text(club[1].read_text().replace("\n2,", "\n9,"))
    assert unseen.format("1, 3, 9") in run("session", club[1])[2]


def test_adjusted_scores_and_penalties_are_in_json_and_csv(run, club):
    tables = [
        table
        for board in json.loads(run("session", *club, "--scores", "--json")[1])["boards"]
        for table in board["tables"]
    ]
    assert [table["penalties"] for table in tables] == [[0, 0], [10, 0], *[[0, 0]] * 7]
    assert [table["adjusted"] for table in tables[5:8]] == [[None] * 2, ["A+", "A-"], [None] * 2]
    rows = list(csv.DictReader(run("session", *club, "--scores", "--csv")[1].splitlines()))
    names = ("adjusted_ns", "adjusted_ew", "penalty_ns", "penalty_ew")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("A+", "A-", "0.0", "0.0") if n == 6 else ("", "", "10.0" if n == 1 else "0.0", "0.0")
        for n in range(9)
    ]


def test_a_match_may_come_on_standard_input(match):
    with match.open("rb") as stream:
        played = session.read(stream)
    assert played.tables == 2 and played.boards[0].imps.tolist() == [12, -12]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_travellers_may_come_on_standard_input(tmp_path, club, pack):
    (tmp_path / "piped").write_bytes(pack(b"\n" + club[1].read_bytes()))
    with (tmp_path / "piped").open("rb") as stream:
        played = session.read(club[0], stream)
    named = session.read(*club)
    assert played.tables == named.tables == 9 and played.skipped == ()
    assert [b.matchpoints.tolist() for b in played.boards] == [
        b.matchpoints.tolist() for b in named.boards
    ]
    with (tmp_path / "piped").open("rb") as stream:
        assert session.joined([tc.read(club[0])], "hands", [stream]).tables == 9


def test_scores_alone_need_no_solver(run, club):
    status, out, _ = run("session", *club, "--scores", "--json")
    content = json.loads(out)
    assert status == 0 and content["boards"][0]["par"] is None
    assert content["boards"][0]["tables"][0]["expected"] is None
    assert content["pairs"][0]["score"] == 0.8333
    error = "trickcast: --players has no effect with --scores\n"
    assert run("session", *club, "--scores", "--players", "club") == (2, "", error)
    club[1].write_text("board,contract,declarer,result\n1,PASS,,\n1,4S,N,10\n")
    (board, *_) = json.loads(run("session", *club, "--scores", "--json")[1])["boards"]
    assert board["field"] is None, "passes alone are no field"


@pytest.mark.solver
def test_what_was_left_out_is_told_and_is_the_status(run, tmp_path, club):
    path = tmp_path / "odd.csv"
    path.write_text("board,score_ns\n1,455\n1,420\n")
    status, _, error = run("session", club[0], path)
    assert status == 3 and "score 455, which no contract gives" in error
    status, out, error = run("session", club[0], path, "--json")
    assert status == 3 and "score 455, which no contract gives" in error
    assert "score 455" in json.loads(out)["skipped"][0]["reason"]


def test_two_sessions_at_once_are_told_once(run, tmp_path, club):
    other, more = tmp_path / "other.pbn", tmp_path / "more.csv"
    deals = tc.random_deals(3, seed=8)
    other.write_text(
        "".join(f'[Board "{n}"]\n[Deal "{deal.pbn}"]\n\n' for n, deal in enumerate(deals, 2))
    )
    more.write_text("board,ns,contract,declarer,result\n2,1,4H,N,10\n4,2,4H,N,9\n")
    status, out, error = run("session", *club, other, more, "--scores")
    many = "boards 2-3 have several deals, so their results cannot be joined"
    one = "board 2 has several deals, so its results cannot be joined"
    expected = "(expected the files of one session)"
    assert status == 3 and re.findall("^ +([14])", out, re.MULTILINE) == ["1", "4"]
    assert error.splitlines()[:2] == [
        f"skipped: {club[1]}: {many} {expected}", f"skipped: {more}: {one} {expected}"
    ]  # fmt: skip
    more.write_text(more.read_text().partition("4,2")[0])
    error = f"trickcast: {more}: {one} {expected}\n"
    assert run("session", club[0], other, more, "--scores") == (2, "", error)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("", "contains no boards"),
        ("x,4S,N\n", "line 2: board 'x' is left out: expected a number; no board is left"),
    ],
)
def test_a_file_without_boards_is_named_with_the_reason(tmp_path, row, told):
    path = tmp_path / "odd.csv"
    path.write_text(f"board,contract,declarer\n{row}")
    with pytest.raises(FormatError) as error:
        session.read(path)
    assert str(error.value) == f"{path}: {told} (expected deals or travellers)"


def test_files_that_are_no_session_are_refused(run, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="expected board or deal"):
        session.read(path)
    status, _, error = run("session", path)
    assert status == 2 and "expected board or deal" in error
    path.write_text("\n\n\n")
    error = f"trickcast: {path}: no line of text (expected travellers)\n"
    assert run("session", path) == (2, "", error)
    error = f"trickcast: {path}: only blank lines (expected deals)\n"
    assert run("par", path) == (2, "", error)


@pytest.mark.solver
def test_deals_that_we_wrote_as_csv_are_no_travellers(run, tmp_path, match):
    path = tmp_path / "deals.csv"
    assert run("deal", "-n", "2", "--seed", "1", "--out", path)[0] == 0
    said = "No board has a contract or a result, so there is nothing to judge.\n"
    assert run("session", path) == (0, said, "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tc.write(tc.read(match), path)
    played = session.read(path)
    assert (
        played.tables == 2 and played.skipped == () and played.boards[0].imps.tolist() == [12, -12]
    )
    path.write_text(f"deal\n{DEAL}\n")
    assert run("session", path)[1] == said


def test_rounded_parts_add_up():
    parts = {"contract": 1.04, "lead": None, "defence": 0.55, "declarer": -0.25, "luck": 7.0}
    shown = adding_up(parts, 3.14159, 1)
    assert shown["lead"] is None
    assert round(sum(value or 0 for value in shown.values()), 9) == 3.1


@pytest.mark.solver
def test_play_of_a_deal_is_traced_for_many_at_once():
    deals = tc.random_deals(3, seed=6)
    owners = deals.owners
    leads = [[int(np.flatnonzero(row == 1)[0])] for row in owners]
    found = trace_plays(owners, [Strain.NOTRUMP] * 3, [Seat.NORTH] * 3, leads)
    for row, lead, tricks in zip(owners, leads, found, strict=True):
        values = values_of_cards(row, Strain.NOTRUMP, Seat.NORTH)[0]
        known = values[values != 255]
        assert tricks.tolist() == [int(known.min()), int(values[lead[0]])]
    assert parse_contract("3N")[1] is Strain.NOTRUMP and parse_card("SA") == 0


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(420, 0, "+420"), (-50, 0, "−50"), (0, 0, "0"), (-0.04, 1, "0.0"), (1.25, 1, "+1.2"),
     (None, 0, ""), (np.nan, 1, "")],
)  # fmt: skip
def test_a_number_is_shown_with_its_sign(value: float | None, digits: int, text: str) -> None:
    assert signed(value, digits) == text
