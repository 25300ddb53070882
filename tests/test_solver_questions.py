"""What users ask the solver for: some cells of tables, leads and plays; against endplay."""

import warnings
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import UNKNOWN, Seat, Strain
from trickcast.cards.card_play import positions
from trickcast.cards.text import card_text, parse_card

DEALS = tc.random_deals(3, seed=4)
pytestmark = pytest.mark.solver


@pytest.fixture(scope="module")
def tables() -> np.ndarray:
    return tc.solve(DEALS).tricks


@pytest.mark.parametrize("own_process", [False, True])
@pytest.mark.parametrize(
    ("strains", "declarers", "known"),
    [
        ("SN", "NS", 4),
        ("h", None, 4),
        (None, "W", 5),
        (Strain.CLUBS, [Seat.EAST], 1),
        (["S", Strain.HEARTS], Seat.NORTH, 2),
        ("SHDCN", "NESW", 20),
    ],
)
def test_only_the_cells_asked_for_are_solved(
    tables: np.ndarray, strains, declarers, known: int, own_process: bool
) -> None:
    found = tc.solve(DEALS, strains=strains, declarers=declarers, own_process=own_process).tricks
    solved = found != UNKNOWN
    assert (solved.sum((1, 2)) == known).all() and (solved == solved[0]).all()
    np.testing.assert_array_equal(found[solved], tables[solved])
    if known == 4 and declarers == "NS":
        assert solved[0, [0, 4]][:, [0, 2]].all()


def test_cells_that_are_none_are_refused_before_anything_is_solved() -> None:
    with pytest.raises(tc.DealError, match="'X' is not a strain"):
        tc.solve(DEALS, strains="SX")
    with pytest.raises(tc.DealError, match="'Q' is not a seat"):
        tc.solve(DEALS, declarers="Q")
    with pytest.raises(tc.DealError, match="^5 is not a seat"):
        tc.solve(DEALS, declarers=5)
    with pytest.raises(ValueError, match="no strains or no declarers"):
        tc.solve(DEALS, strains="")


def theirs(deal: tc.Deal, strain: str, first: str):
    """The same deal as endplay has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from endplay.types import Deal, Denom, Player
    return Deal(
        deal.pbn,
        first=Player.find(first),
        trump=Denom.find("NT" if strain == "N" else strain),
    )


@pytest.mark.parametrize(("contract", "by", "leader"), [("4H", "N", "E"), ("3nt x", "W", "N")])
def test_leads_are_worth_what_endplay_says(contract: str, by: str, leader: str) -> None:
    answers = tc.solve_leads(DEALS, contract, by=by)
    assert isinstance(answers, list) and len(answers) == len(DEALS)
    for deal, ours in zip(DEALS, answers, strict=True):
        other = theirs(deal, contract[1].upper(), leader)
        from endplay.dds import solve_board

        expected = {card_text(parse_card(str(card))): 13 - n for card, n in solve_board(other)}
        assert ours == expected and len(ours) == 13
        assert min(ours.values()) == tc.solve(deal)[contract[1].upper(), by]
        assert tc.solve_leads(deal, contract, by=Seat.parse(by)) == ours


def test_a_play_is_worth_what_endplay_says() -> None:
    from endplay.dds import solve_board

    deal, strain, by = DEALS[1], Strain.SPADES, Seat.SOUTH
    cards, chance = [], np.random.default_rng(2)
    for _ in range(30):
        now = positions(deal.owners, strain, by.lho, cards)[-1]
        cards.append(int(chance.choice(now.playable)))
    answers = tc.solve_play(deal, "2S", by="S", cards=" ".join(map(card_text, cards)))
    assert answers == tc.solve_play(deal, "2S", by="S", cards=cards)
    other = theirs(deal, "S", "W")
    reached = positions(deal.owners, strain, by.lho, cards)
    for number, (now, ours) in enumerate(zip(reached, answers, strict=True)):
        left = int((now.owners == now.turn).sum())
        for card, n in solve_board(other):
            declarers = n if now.turn.side == by.side else left - n
            assert ours.pop(card_text(parse_card(str(card)))) == now.won[by.side] + declarers
        assert not ours
        if number < len(cards):
            text = card_text(cards[number])
            other.play(text)


def test_what_cannot_be_asked_is_told() -> None:
    deal = DEALS[0]
    with pytest.raises(tc.DealError, match="passed-out deal is not played"):
        tc.solve_leads(deal, "PASS", by="N")
    with pytest.raises(tc.DealError, match="'Q' is not a seat"):
        tc.solve_leads(deal, "4H", by="Q")
    with pytest.raises(tc.DealError, match=r"3 deals \(expected one"):
        tc.solve_play(DEALS, "4H", by="N")
    held = card_text(int(np.flatnonzero(deal.owners == Seat.NORTH)[0]))
    with pytest.raises(tc.DealError, match=f"card 1, {held}: North holds it, and East is to play"):
        tc.solve_play(deal, "4H", by="N", cards=[held])
    wrong: list[Any] = [-1, 52, 1.0, None, True]
    for number in wrong:
        with pytest.raises(tc.DealError, match=rf"card {number} .expected 0 to 51, or a text"):
            tc.solve_play(deal, "4H", by="N", cards=[number])
    with pytest.raises(tc.DealError, match="cards is None .expected cards such as"):
        tc.solve_play(deal, "4H", by="N", cards=None)
    first = np.flatnonzero(deal.owners == Seat.EAST)[:1]  # numbers of NumPy's
    assert len(tc.solve_play(deal, "4H", by="N", cards=list(first))) == 2
    assert tc.solve_leads([], "4H", by="N") == []
