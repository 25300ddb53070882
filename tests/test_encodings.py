"""Codings against cards read one by one, and the symmetries that all codings keep."""

import subprocess
import sys

import numpy as np
import pytest

from trickcast.cards import RANKS, Deal, Seat, Strain
from trickcast.dealing import random_deals
from trickcast.papers.codings import (
    CODINGS,
    HEADS,
    FourHands,
    Joined,
    OneOutput,
    check_coding,
    exchange,
    find_coding,
    find_head,
    output_of,
    tricks_of,
    turn,
)


@pytest.mark.parametrize("name", CODINGS)
def test_every_coding_keeps_the_rules(name):
    check_coding(find_coding(name))


def test_the_rules_catch_a_coding_that_forgets_the_leader():
    class Forgetful(FourHands):
        def encode(self, owners, strain, declarer):
            return super().encode(owners, strain, Seat.NORTH)

    with pytest.raises(AssertionError, match="turning"):
        check_coding(Forgetful())


def test_the_rules_are_checked_without_asserts_too():
    """``python -O`` leaves them out."""
    told = """if True:
        from trickcast.papers.codings import FourHands, check_coding
        from trickcast.estimator import TrickEstimate, check_estimator
        import numpy as np

        class Negative(FourHands):
            negative = True

        class Unequal:
            probabilities = np.ones((60, 5, 4, 14), np.float32)
            expected = np.ones((60, 5, 4), np.float32)
            tricks = np.ones((60, 5, 4), np.uint8)

        for check, broken in (check_coding, Negative()), (check_estimator, lambda deals: Unequal):
            try:
                check(broken)
            except AssertionError as error:
                print(error)
    """
    out = subprocess.run([sys.executable, "-O", "-c", told], capture_output=True, text=True)
    assert out.stderr == ""
    assert out.stdout.splitlines() == [
        "the sign of the inputs is another",
        "a distribution does not sum to 1",
    ]


@pytest.mark.parametrize("strain", Strain)
@pytest.mark.parametrize("declarer", Seat)
def test_four_hands_card_by_card(board, strain, declarer):
    (row,) = FourHands().encode(board.owners[None], strain, declarer)
    # groups: dummy, declarer's right-hand opponent, declarer, leader
    hands = [board[seat] for seat in (declarer.partner, declarer.rho, declarer, declarer.lho)]
    trumps = {0: 0, strain: 0} if strain == Strain.NOTRUMP else {0: int(strain), int(strain): 0}
    expected = []
    for hand in hands:
        holdings = str(hand).split(".")
        for suit in range(4):
            holding = holdings[trumps.get(suit, suit) if strain != Strain.NOTRUMP else suit]
            expected += [int(rank in holding) for rank in RANKS]
    assert row.tolist() == expected


def test_rows_of_the_paper_hold_thirteen_cards_a_hand():
    deals = random_deals(100, seed=3)
    rows = FourHands().encode(deals.owners, Strain.CLUBS, Seat.EAST).reshape(-1, 4, 52)
    assert (rows.sum(axis=2) == 13).all()
    assert (rows.sum(axis=1) == 1).all()


def test_exchange_and_turn_undo_themselves():
    owners = random_deals(20, seed=4).owners
    for strain in Strain:
        assert np.array_equal(exchange(exchange(owners, strain), strain), owners)
    assert np.array_equal(turn(owners, Seat.SOUTH), owners)  # West leads already
    assert np.array_equal(turn(turn(owners, Seat.WEST), Seat.EAST), owners)


def test_outputs_stand_for_tricks():
    assert tricks_of(output_of(range(14))).tolist() == list(range(14))
    assert tricks_of([0.0, 0.099, 0.101, 0.5, 0.899, 0.901, 1.0]).tolist() == [
        0,
        0,
        0,
        7,
        13,
        13,
        13,
    ]
    assert output_of(0) == pytest.approx(0.1 + 0.4 / 14)
    edges = 0.1 + 0.8 / 14 * np.arange(1, 14)
    assert tricks_of(edges - 1e-5).tolist() == list(range(13))
    assert tricks_of(edges + 1e-5).tolist() == list(range(1, 14))


@pytest.mark.parametrize(("name", "version"), [("53x4", None), ("52x4", 99)])
def test_an_unknown_coding_is_named_with_those_there_are(name, version):
    with pytest.raises(ValueError, match=r"no coding .5.*there are: 52x4 version 1"):
        find_coding(name, version)


def test_one_deal_in_many_views_at_once():
    deal = Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
    strains, declarers = np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5)
    rows = FourHands().encode(np.tile(deal.owners, (20, 1)), strains, declarers)
    for row, strain, declarer in zip(rows, strains, declarers, strict=True):
        assert np.array_equal(row, FourHands().encode(deal.owners[None], strain, declarer)[0])


@pytest.fixture
def row_of(board):
    """Encode the example board: a coding's name, a strain, a declarer to a row of numbers."""

    def row_of(name, strain=Strain.SPADES, declarer=Seat.SOUTH):
        return find_coding(name).encode(board.owners[None], strain, declarer)[0]

    return row_of


@pytest.mark.parametrize(
    ("name", "ranks", "suits"),
    [
        # rank of 2, 3, K, A; suits S H D C, as the papers print them
        ("26x4", (0.1, 0.17, 0.83, 0.9), (0.3, 0.5, 0.7, 0.9)),
        ("26x4-2004", (0.1, 0.17, 0.83, 0.9), (0.1, 0.367, 0.633, 0.9)),
        ("26x4-2004-0-1", (0.0, 1 / 12, 11 / 12, 1.0), (0.0, 1 / 3, 2 / 3, 1.0)),
        ("26x4-2004-0.2-0.8", (0.2, 0.25, 0.75, 0.8), (0.2, 0.4, 0.6, 0.8)),
    ],
)
def test_rank_and_suit_of_each_card(board, row_of, name, ranks, suits):
    cards = row_of(name).reshape(4, 13, 2)
    for seat, hand in zip(Seat, cards, strict=True):
        held = [(suit, rank) for suit, text in enumerate(board[seat].suits()) for rank in text
                if rank in RANKS]  # fmt: skip
        assert len(held) == 13
        for (suit, rank), (ours, its_suit) in zip(held, hand, strict=True):
            assert its_suit == pytest.approx(suits[suit], abs=0.001)
            if rank in "23KA":
                assert ours == pytest.approx(ranks["23KA".index(rank)], abs=0.004)


@pytest.mark.parametrize(
    ("name", "values"),
    [("52", (1, -1, 1, -1)), ("52-seats", (1, -0.8, 0.8, -1)), ("52-partners", (1, -1, 0.8, -1))],
)
def test_one_number_a_card_from_the_two_up(board, row_of, name, values):
    expected = [values[board.owners[13 * suit + 12 - k]] for suit in range(4) for k in range(13)]
    assert row_of(name, Strain.NOTRUMP) == pytest.approx(expected)
    marked = row_of("52-marked", Strain.DIAMONDS).reshape(4, 13)
    assert np.abs(marked).tolist() == [[0.5] * 13, [0.5] * 13, [1.0] * 13, [0.5] * 13]
    assert np.abs(row_of("52-marked", Strain.NOTRUMP)).tolist() == [0.5] * 52


def test_side_and_hand(board, row_of):
    sides, hands = row_of("104").reshape(2, 52)
    owners = board.owners.reshape(4, 13)[:, ::-1].ravel()
    assert sides.tolist() == [1 if owner in (Seat.NORTH, Seat.SOUTH) else -1 for owner in owners]
    assert hands.tolist() == [1 if owner in (Seat.NORTH, Seat.WEST) else -1 for owner in owners]


def test_the_order_of_2018_gives_the_same_rows():
    """W N E S with South on lead is the leader's left-hand opponent first, as N E S W with West."""
    owners = random_deals(50, seed=9).owners
    for strain in Strain:
        for declarer in Seat:
            ours = find_coding("52x4").encode(owners, strain, declarer)
            theirs = find_coding("52x4-2018").encode(owners, strain, declarer)
            assert np.array_equal(ours, theirs)


def test_inputs_for_leader_and_trumps(row_of):
    nine = row_of("52x4-2018+9", Strain.HEARTS, Seat.NORTH)[208:]
    assert nine.tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 0]  # S H D C N; W N E S: East leads
    leader = row_of("26x4-leader", Strain.HEARTS, Seat.NORTH)[104:]
    assert leader.tolist() == [0, 1, 0, 0]
    trumps = [row_of("26x4-trump", strain)[104] for strain in Strain]
    assert trumps == pytest.approx([0.3, 0.5, 0.7, 0.9, 0.1])


def test_estimator_inputs_go_from_their_bounds_to_the_ends(board, row_of):
    work = [board[seat].hcp for seat in Seat]
    assert row_of("work") == pytest.approx([0.1 + 0.8 * points / 37 for points in work])
    assert row_of("work-sum") == pytest.approx([0.1 + 0.8 * (work[0] + work[2]) / 40])
    first = row_of("work-lengths")[:5]
    assert first[1:] == pytest.approx([0.1 + 0.8 * n / 13 for n in board.north.lengths])
    sizes = {"points": 36, "distribution": 32, "methods": 68, "methods-sums": 102, "zar": 4,
             "methods-lengths": 84, "52+points": 88, "52x4+methods-lengths": 292}  # fmt: skip
    for name, size in sizes.items():
        row = row_of(name, Strain.HEARTS)
        assert row.shape == (size,)
        assert (row[-4:] >= 0.1 - 1e-6).all()
        assert (row[-4:] <= 0.9 + 1e-6).all()


def test_codings_that_treat_deals_differently_are_not_joined():
    with pytest.raises(ValueError, match="52-marked and points treat deals differently"):
        Joined(find_coding("52-marked"), find_coding("points"))


@pytest.mark.parametrize("name", HEADS)
def test_heads_know_their_targets(name):
    head = find_head(name)
    targets = head.targets(np.arange(14))
    assert targets.shape == (14, head.outputs)
    assert head.tricks(targets).tolist() == list(range(14))
    assert head.tricks(targets).dtype == np.uint8


def test_heads_of_the_papers():
    assert find_head("linear").targets(range(14))[[0, 13], 0] == pytest.approx([0.1, 0.9])
    assert find_head("fourteen-negative").targets([2])[0].tolist() == [-1, -1, 1] + [-1] * 11
    proportional, wider_middle = find_head("proportional"), find_head("wider-middle")
    assert isinstance(proportional, OneOutput) and isinstance(wider_middle, OneOutput)
    narrow, wide = (np.diff(proportional.limits)[k] for k in (0, 5))
    assert wide / narrow == pytest.approx(12927 / 2725)  # ranges of 1 and of 6 tricks
    middle = np.diff(wider_middle.limits)
    assert middle[5] > middle[0]
    with pytest.raises(ValueError, match="no head 'thirteen'"):
        find_head("thirteen")
