"""Boards to play: seeds, the system's randomness, themes, and who deals after turning."""

import numpy as np
import pytest

from trickcast import openings
from trickcast.cards import Deal, Seat, Vulnerability, board_dealer, board_vulnerability
from trickcast.dealing import ConstraintError, constrained_deals, deal_boards, read_theme, turned


def test_a_fresh_seed_is_taken_and_gives_the_same_boards_again() -> None:
    first, second = deal_boards(3), deal_boards(3)
    assert first.seed is not None and second.seed is not None and first.seed != second.seed
    assert first.deals != second.deals
    again = deal_boards(3, seed=first.seed)
    assert again.seed == first.seed and again.deals == first.deals
    assert np.array_equal(constrained_deals(3, first.seed).owners, first.deals.owners)


def test_secure_boards_have_no_seed_and_do_not_come_again() -> None:
    one, two = (deal_boards(20, secure=True, south="15-17 balanced", rotate="half") for _ in "ab")
    assert one.seed is two.seed is None and not np.array_equal(one.deals.owners, two.deals.owners)
    for deal in one.deals:
        assert any(15 <= deal[seat].hcp <= 17 for seat in ("N", "S"))
    with pytest.raises(ValueError, match="secure takes no seed"):
        deal_boards(1, secure=True, seed=3)


def test_secure_deals_are_dealt_evenly() -> None:
    owners = deal_boards(4_000, secure=True).deals.owners
    shares = np.stack([(owners == seat).mean(axis=0) for seat in Seat])
    assert abs(shares - 0.25).max() < 0.04  # 5.8 standard errors


def test_boards_have_the_dealer_and_vulnerability_of_their_number() -> None:
    boards = deal_boards(20, seed=2, first=7).deals.boards
    assert boards is not None and [board.number for board in boards] == [*range(7, 27)]
    for board in boards:
        assert board.dealer == board_dealer(board.number)
        assert board.vulnerability == board_vulnerability(board.number)


@pytest.mark.parametrize("rotate", [None, "any", "half"])
def test_who_opens_deals_also_after_turning(rotate) -> None:
    dealt = deal_boards(
        24, seed=5, theme="South opens a weak two; North has 13+ points", rotate=rotate,
        vulnerable="ns",
    )  # fmt: skip
    assert dealt.deals.boards is not None
    system, dealers = openings.load("sayc"), set()
    for deal, board in zip(dealt.deals, dealt.deals.boards, strict=True):
        assert isinstance(deal, Deal) and board.dealer is not None
        assert system.bid(deal[board.dealer]) in ("2D", "2H", "2S")
        assert deal[board.dealer.partner].hcp >= 13
        mine = Vulnerability.NS if board.dealer in (Seat.NORTH, Seat.SOUTH) else Vulnerability.EW
        assert board.vulnerability == mine
        dealers.add(board.dealer)
    seats = {None: {Seat.SOUTH}, "half": {Seat.NORTH, Seat.SOUTH}, "any": {*Seat}}
    assert dealers == seats[rotate]


def test_boards_are_turned_as_deals_are() -> None:
    plain = deal_boards(30, seed=9, east="weak two in hearts").deals
    for how in ("any", "half"):
        boards = deal_boards(30, seed=9, east="weak two in hearts", rotate=how).deals
        assert np.array_equal(boards.owners, turned(plain, 9, half=how == "half").owners)


def test_a_theme_names_hands_and_who_opens() -> None:
    theme = read_theme(
        "N opens 1NT (acol); east holds a five-card major ; North has no 6-card suit"
    )
    assert theme.dealer == Seat.NORTH
    assert theme.hands == {
        Seat.NORTH: ["opens 1NT (acol)", "no 6-card suit"],
        Seat.EAST: ["a five-card major"],
    }
    assert read_theme("West is balanced").dealer is None
    assert read_theme("South: opens 1NT;") == read_theme(" ; South opens 1NT ;; ")
    assert read_theme("S : 15-17; North:5 hearts").hands == {
        Seat.SOUTH: ["15-17"],
        Seat.NORTH: ["5 hearts"],
    }
    dealt = deal_boards(3, seed=1, theme="West is balanced; East has 10 points", dealer="E")
    assert [board.dealer for board in dealt.deals.boards] == [Seat.EAST] * 3
    assert all(deal.east.hcp == 10 for deal in dealt.deals)


@pytest.mark.parametrize("text", ["a weak two", "", ";", "South", "South:", "Southern: 15-17"])
def test_a_theme_without_a_seat_says_what_to_write(text: str) -> None:
    with pytest.raises(
        ConstraintError, match="whose hand. .expected such as South opens a weak two"
    ):
        read_theme(text)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ConstraintError, match="sayc never opens 7C"):
        deal_boards(1, theme="South opens 7C")
    with pytest.raises(ValueError, match="rotate is 'all' .expected any or half"):
        deal_boards(1, rotate="all")
    with pytest.raises(ValueError, match="first is 0"):
        deal_boards(1, first=0)
