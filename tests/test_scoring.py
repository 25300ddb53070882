"""Scores against a printed scoring card, par against the game it stands for and against DDS."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trickcast.cards import DealError, Seat, Strain, TrickTable, Vulnerability
from trickcast.scoring import BIDDING_ORDER, Contract, imps, matchpoints, par, score

# made exactly, not vulnerable / vulnerable: undoubled, doubled, redoubled, for levels 1 to 7
MADE = {
    "minor": [
        ((70, 140, 230), (70, 140, 230)),
        ((90, 180, 560), (90, 180, 760)),
        ((110, 470, 640), (110, 670, 840)),
        ((130, 510, 720), (130, 710, 920)),
        ((400, 550, 800), (600, 750, 1000)),
        ((920, 1090, 1380), (1370, 1540, 1830)),
        ((1440, 1630, 1960), (2140, 2330, 2660)),
    ],
    "major": [
        ((80, 160, 520), (80, 160, 720)),
        ((110, 470, 640), (110, 670, 840)),
        ((140, 530, 760), (140, 730, 960)),
        ((420, 590, 880), (620, 790, 1080)),
        ((450, 650, 1000), (650, 850, 1200)),
        ((980, 1210, 1620), (1430, 1660, 2070)),
        ((1510, 1770, 2240), (2210, 2470, 2940)),
    ],
    "notrump": [
        ((90, 180, 560), (90, 180, 760)),
        ((120, 490, 680), (120, 690, 880)),
        ((400, 550, 800), (600, 750, 1000)),
        ((430, 610, 920), (630, 810, 1120)),
        ((460, 670, 1040), (660, 870, 1240)),
        ((990, 1230, 1660), (1440, 1680, 2110)),
        ((1520, 1790, 2280), (2220, 2490, 2980)),
    ],
}
OVERTRICK = {
    "minor": ((20, 100, 200), (20, 200, 400)),
    "major": ((30, 100, 200), (30, 200, 400)),
    "notrump": ((30, 100, 200), (30, 200, 400)),
}
DOWN = {
    (False, 0): (50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650),
    (True, 0): (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300),
    (False, 1): (100, 300, 500, 800, 1100, 1400, 1700, 2000, 2300, 2600, 2900, 3200, 3500),
    (True, 1): (200, 500, 800, 1100, 1400, 1700, 2000, 2300, 2600, 2900, 3200, 3500, 3800),
    (False, 2): (200, 600, 1000, 1600, 2200, 2800, 3400, 4000, 4600, 5200, 5800, 6400, 7000),
    (True, 2): (400, 1000, 1600, 2200, 2800, 3400, 4000, 4600, 5200, 5800, 6400, 7000, 7600),
}
KIND = {"C": "minor", "D": "minor", "H": "major", "S": "major", "N": "notrump"}


@pytest.mark.parametrize("vul", [False, True])
@pytest.mark.parametrize("doubling", [0, 1, 2])
@pytest.mark.parametrize("strain", KIND)
def test_every_score_is_that_of_the_card(strain: str, doubling: int, vul: bool) -> None:
    for level in range(1, 8):
        contract = f"{level}{strain}{'X' * doubling}"
        expected = []
        for tricks in range(14):
            over = tricks - level - 6
            if over < 0:
                expected.append(-DOWN[vul, doubling][-over - 1])
            else:
                made = MADE[KIND[strain]][level - 1][vul][doubling]
                expected.append(made + over * OVERTRICK[KIND[strain]][vul][doubling])
            assert score(contract, tricks, vul) == expected[-1], (contract, tricks)
        assert score(contract, np.arange(14, dtype=np.uint8), vul).tolist() == expected


def test_passed_out_scores_nothing() -> None:
    assert score("PASS", 0, vulnerable=True) == 0
    assert score("pass", [0, 7], vulnerable=False).tolist() == [0, 0]


def test_contracts_read_and_print() -> None:
    for level in range(1, 8):
        for strain in Strain:
            for doubling in range(3):
                contract = Contract(f"{level}{strain}{'X' * doubling}")
                assert (contract.level, contract.strain, contract.doubling) == (
                    level, strain, doubling,
                )  # fmt: skip
                assert Contract(str(contract)) == contract == eval(repr(contract))
                assert contract.tricks == level + 6
    assert {Contract(t) for t in ("3n", "3NT", " 3 nt ")} == {Contract("3N")}
    assert Contract("4♠x") == Contract("4SX") and hash(Contract("4♠x")) == hash(Contract("4SX"))
    assert {Contract(t) for t in ("5DD", "5♢d", "5♦️ X")} == {Contract("5DX")}
    assert Contract("2nt r") == Contract("2NXX") and Contract("Passed out") == Contract("PASS")
    assert str(Contract("p")) == "PASS" and Contract("PASS").strain is None
    assert Contract("4S") != Contract("4SX")


@pytest.mark.parametrize("text", ["", "8S", "0N", "4", "S4", "4SXXX", "4T", "4SXN", "4S="])
def test_what_is_not_a_contract(text: str) -> None:
    with pytest.raises(DealError, match="is not a contract"):
        Contract(text)


@pytest.mark.parametrize("tricks", [-1, 14, 255, 9.5, [3, 99]])
def test_tricks_out_of_range(tricks) -> None:
    with pytest.raises(ValueError, match="expected whole numbers 0 to 13"):
        score("4S", tricks, vulnerable=False)


def test_scores_of_no_tricks_are_none() -> None:
    assert score("4S", [], vulnerable=True).tolist() == []
    assert score("4S", np.zeros((0, 3)), vulnerable=True).shape == (0, 3)


def test_vulnerability_of_declarer_is_yes_or_no() -> None:
    with pytest.raises(TypeError, match="'none'"):
        score("4S", 10, vulnerable="none")


# --- IMPs and matchpoints --------------------------------------------------------------------

IMP_CARD = {  # largest difference of each number of IMPs, as printed in law 78
    0: 10, 1: 40, 2: 80, 3: 120, 4: 160, 5: 210, 6: 260, 7: 310, 8: 360, 9: 420, 10: 490,
    11: 590, 12: 740, 13: 890, 14: 1090, 15: 1290, 16: 1490, 17: 1740, 18: 1990, 19: 2240,
    20: 2490, 21: 2990, 22: 3490, 23: 3990, 24: 15200,
}  # fmt: skip


def test_imps_are_those_of_the_card() -> None:
    differences = np.arange(0, 8000, 10)
    expected = [min(i for i, most in IMP_CARD.items() if d <= most) for d in differences]
    assert imps(differences).tolist() == expected
    assert imps(-differences).tolist() == [-i for i in expected]
    assert imps(430) == 10 and imps(-20) == -1 and type(imps(0)) is int


@pytest.mark.parametrize("wrong", [np.nan, np.inf, None, "620"])
def test_what_is_no_finite_number_is_worth_nothing(wrong) -> None:
    with pytest.raises(ValueError, match="expected finite numbers"):
        imps([wrong, 20])
    with pytest.raises(ValueError, match="expected finite numbers"):
        matchpoints([wrong, 100, 200])
    assert imps([]).tolist() == []


def test_imps_of_narrow_numbers() -> None:
    assert imps(np.array([-128, 127], np.int8)).tolist() == [-3, 3]


def test_matchpoints() -> None:
    assert matchpoints([420, 450, 420, -50, 170]).tolist() == [0.625, 1, 0.625, 0, 0.25]
    assert matchpoints([100, 100]).tolist() == [0.5, 0.5]
    for bad in ([620], [], [[1, 2]], 7):
        with pytest.raises(ValueError, match="two or more"):
            matchpoints(bad)


@given(st.lists(st.integers(-400, 400).map(lambda n: 10 * n), min_size=2, max_size=30))
def test_matchpoints_count_each_pair_of_tables(scores: list[int]) -> None:
    shares = [
        (sum(own > s for s in scores) + (sum(own == s for s in scores) - 1) / 2) / (len(scores) - 1)
        for own in scores
    ]
    assert matchpoints(scores).tolist() == pytest.approx(shares)
    assert sum(shares) == pytest.approx(len(scores) / 2)


# --- par -------------------------------------------------------------------------------------

# the example board of the BridgeHand2Vec paper: strains S H D C N by declarers N E S W
BOARD = [[7, 6, 7, 6], [10, 3, 10, 3], [6, 7, 6, 7], [9, 3, 9, 4], [8, 3, 8, 3]]
BIDS = [(level, strain) for level in range(1, 8) for strain in BIDDING_ORDER]


def auction_value(table: list[list[int]], vul: int, dealer: int) -> int:
    """North-South's score when four players bid, each seeing everything: the whole game tree.

    No doubles are bid: what fails is doubled by the side that gains.
    """

    def end(bid: int, side: int) -> int:
        level, strain = BIDS[bid]
        best = max(table[strain][side], table[strain][side + 2])
        doubling = "X" if best < level + 6 else ""
        own = score(f"{level}{strain}{doubling}", best, bool(vul >> side & 1))
        return own if side == 0 else -own

    @cache
    def value(bid: int, holder: int, passes: int, turn: int) -> int:
        if passes == (3 if bid >= 0 else 4):
            return end(bid, holder) if bid >= 0 else 0
        options = [value(bid, holder, passes + 1, 1 - turn)]
        options += [value(higher, turn, 0, 1 - turn) for higher in range(bid + 1, 35)]
        return max(options) if turn == 0 else min(options)

    return value(-1, 0, 0, dealer % 2)


def possible_tables(seed: int, n: int) -> list[list[list[int]]]:
    """Tables such as deals have: one side's tricks and the other's make about thirteen."""
    rng = np.random.default_rng(seed)
    north = rng.integers(0, 14, (n, 5, 1)) + rng.integers(-1, 2, (n, 5, 4)) * [1, 0, 1, 0]
    east = 13 - north - rng.integers(0, 2, (n, 5, 4))
    tables = np.where(np.arange(4) % 2 == 0, north, east)
    return np.clip(tables, 0, 13).tolist()


def test_par_is_the_value_of_the_auction() -> None:
    rng = np.random.default_rng(5)
    wild = rng.integers(0, 14, (10, 5, 4)).tolist()
    for table in [BOARD, *possible_tables(4, 20), *wild]:
        vul, dealer = int(rng.integers(4)), int(rng.integers(4))
        found = par(np.array(table, np.uint8), Seat(dealer), Vulnerability(vul))
        assert found.score == auction_value(table, vul, dealer), (table, vul, dealer)


def test_par_of_a_board() -> None:
    found = par(TrickTable(np.array(BOARD, np.uint8)), "N", "none")
    assert found.score == 420
    assert [str(c) for c in found.contracts] == ["4H NS ="]
    assert str(found) == "NS +420: 4♥ by N or S"
    (contract,) = found.contracts
    assert contract.contract == Contract("4H")
    assert contract.declarers == (Seat.NORTH, Seat.SOUTH) and contract.tricks == 10


def test_par_of_a_board_passed_out_and_of_one_that_both_sides_make() -> None:
    six = np.full((5, 4), 6, np.uint8)
    assert par(six, "S", "both").score == 0
    assert par(six, "S", "both").contracts == ()
    assert str(par(six, "S", "both")) == "NS +0: PASS"
    hot = six.copy()
    hot[Strain.NOTRUMP] = 7
    assert str(par(hot, "N", "none")) == "NS +90: 1NT by N or S"
    assert str(par(hot, "E", "none")) == "NS -90: 1NT by E or W"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.full((5, 4), 255, np.uint8), "the result of S by N is not known .expected all twenty"),
        (np.zeros((2, 5, 4), np.uint8), r"tricks of shape \(2, 5, 4\) .expected"),
    ],
)
def test_par_needs_one_whole_table(table: np.ndarray, words: str) -> None:
    with pytest.raises(DealError, match=words):
        par(table, "N", "none")


def in_words(contract: str) -> set[str]:
    """``3D-EW+1`` of DDS is 3D with one over and 4D; here each with its side and its tricks."""
    bid, seats, over = contract.partition("-")[0], contract.partition("-")[2], 0
    if "+" in seats:
        seats, _, text = seats.partition("+")
        over = int(text)
    down = int(seats.partition("-")[2] or 0)
    seats = seats.partition("-")[0]
    level, rest = int(bid[0]), bid[1:].replace("*", "X")
    tricks = level + 6 + over - down
    return {f"{level + i}{rest} {seats} {tricks}" for i in range(over + 1)}


def test_par_is_that_of_the_dds_files(shared) -> None:
    words = {"0": "none", "1": "both", "2": "ns", "3": "ew"}
    seen = 0
    for path in sorted((shared / "data/dds").glob("*.txt")):
        for line in path.read_text().splitlines():
            tag, *fields = line.split()
            if tag == "PBN":
                dealer, vul = "NESW"[int(fields[0])], words[fields[1]]
            elif tag == "TABLE":
                table = np.array(fields, dtype=np.uint8).reshape(5, 4)
            elif tag == "PAR2":
                ns_score, *contracts = (field.strip('"') for field in fields)
                found = par(table, dealer, vul)
                assert found.score == int(ns_score), line
                ours = {
                    f"{c.contract} {''.join(s.letter for s in c.declarers)} {c.tricks}"
                    for c in found.contracts
                }
                assert ours == set().union(*map(in_words, contracts)), line
                seen += 1
    assert seen > 100
