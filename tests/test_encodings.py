"""Codings against cards read one by one, and the symmetries that all codings keep."""

import numpy as np
import pytest

from trickcast.cards import RANKS, Deal, Seat, Strain
from trickcast.dealing import random_deals
from trickcast.encodings import (
    CODINGS,
    FourHands,
    check_coding,
    exchange,
    find_coding,
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
    with pytest.raises(ValueError, match=r"no coding 5.*there are: 52x4 version 1"):
        find_coding(name, version)


def test_one_deal_in_many_views_at_once():
    deal = Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
    strains, declarers = np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5)
    rows = FourHands().encode(np.tile(deal.owners, (20, 1)), strains, declarers)
    for row, strain, declarer in zip(rows, strains, declarers, strict=True):
        assert np.array_equal(row, FourHands().encode(deal.owners[None], strain, declarer)[0])
