import copy
import itertools
import pickle
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trickcast.bidding import AuctionDeals
from trickcast.cards import (
    Board,
    Deal,
    DealError,
    DealSet,
    Hand,
    Seat,
    Strain,
    Suit,
    TrickTable,
    Vulnerability,
    as_dealset,
    as_hands,
    board_dealer,
    board_vulnerability,
    card_text,
    parse_card,
    parse_contract,
)

TEXT = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"


SIGNS = "♠A♥KQ9832♦T94♣AKT ♠Q4♥AT7♦QJ872♣732 ♠KJ95♥J65♦K3♣J654 ♠T87632♥4♦A65♣Q98"


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    order = draw(st.permutations(range(52)))
    return Deal.from_owners(np.argsort(np.array(order)) // 13)


@given(deals())
def test_deal_texts_round_trip(deal: Deal) -> None:
    assert Deal(deal.pbn) == deal
    assert hash(Deal(deal.pbn)) == hash(deal)
    assert eval(repr(deal)) == deal
    assert pickle.loads(pickle.dumps(deal)) == deal
    assert all(Deal(deal.pbn_from(seat)) == deal for seat in Seat)
    assert Deal.from_owners(deal.owners) == deal


@given(deals(), st.sampled_from(list(Seat)))
def test_hand_texts_round_trip(deal: Deal, seat: Seat) -> None:
    hand = deal[seat]
    assert Hand(str(hand)) == hand
    assert eval(repr(hand)) == hand
    assert Hand.from_cards(hand.cards) == hand
    assert [card_text(i) for i in np.flatnonzero(deal.owners == seat)] == list(hand)
    assert sum(hand.lengths) == 13
    assert sum(h.hcp for h in deal) == 40


@given(deals())
def test_suit_signs_are_another_spelling(deal: Deal) -> None:
    signs = [
        " ".join(f"{suit.symbol}{hand.holding(suit).replace('T', '10') or '—'}" for suit in Suit)
        for hand in deal
    ]
    assert Deal("N: " + "   ".join(signs)) == deal


@pytest.mark.parametrize(
    "text",
    [
        TEXT.lower(),
        TEXT.replace("T", "10"),
        TEXT.replace(" ", "   \t "),
        TEXT.replace(" ", "\n"),
        TEXT.replace(".", " . "),
        TEXT.replace("N:", "n :  "),
        TEXT.replace("N:", "North:"),
        "W:T87632.4.A65.Q98 A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654",
        "west:T87632.4.A65.Q98 A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654",
    ],
)
def test_what_is_plainly_meant_is_read(text: str) -> None:
    assert Deal(text) == Deal(TEXT)


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("", ["no first seat"]),
        (TEXT[3:], ["no first seat", "N:"]),
        (str(Deal(TEXT)), ["no first seat", "diagram, pass deal.pbn"]),
        (TEXT.replace("Q4.", "A4."), ["SA", "North", "East"]),
        (TEXT[:-1], ["West", "12 cards", "expected 13"]),
        (TEXT.replace("T94", "T954"), ["North", "14 cards"]),
        (TEXT.replace("KQ9832", "KQX832"), ["North", "'X' at position 5", ": name the card here"]),
        (TEXT.replace("KQ9832", "KQ98K2"), ["North", "HK", "twice"]),
        (TEXT.rsplit(" ", 1)[0], ["3 hands"]),
        (TEXT + " A.K.Q.J", ["5 hands"]),
        (f"{TEXT[: TEXT.index('KJ95')]}- -", ["South", "missing", "West", "'trickcast pair'"]),
        ("N:- - - -", ["no hand is given"]),
        (TEXT.replace("A65.Q98", "A65Q98"), ["West", "3 suits"]),
        ("N:" + "A" * 1_000_000, ["1 hand"]),
        (TEXT.replace("N:", "Nest:"), ["no first seat"]),
        (TEXT.replace("N:", "Wast:"), ["no first seat"]),
        (f"N: rubbish XYZ {SIGNS}", ["'rubbish XYZ' stands before the first ♠"]),
        (f"N: {SIGNS.replace('♥AT7', '♥AT7 ♠')}", ["5 hands"]),
    ],
)
def test_a_bad_deal_is_refused_with_its_reason(text: str, reasons: list[str]) -> None:
    with pytest.raises(DealError) as caught:
        Deal(text)
    message = str(caught.value)
    assert all(reason in message for reason in reasons), message
    assert len(message) < 400


@pytest.mark.parametrize("text", ["AKX.…", "", "AKQJ", "A.K.Q.J", "...", "AKQJT98765432.A..", "\0"])
def test_a_bad_hand_is_refused(text: str) -> None:
    with pytest.raises(DealError, match="hand"):
        Hand(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("AK♥QJT9♦8765♣432", "'AK' at position 1 has no suit sign before it"),
        ("♥AK.QJ.T9.8765432", "'QJ' at position 5 has no suit sign before it"),
        ("♠AK♥QJT9♦8765♠43♣2", "♠ appears twice, again at position 14"),
        ("AKQ-2.QJT-987.-32-.2", "'-' at position 4 is next to cards .expected on its own"),
        ("- AKQ2.QJT987.32.2", "'-' at position 1 is next to cards"),
        ("AKQ2.QJT987.32.2.", "5 suits"),
        ("N:AKQ2.QJT987.32.2", "'N:' is a seat .expected the hand alone"),
        ("S:AKQ2.QJT987.32.2", "'S:' is a seat .expected the hand alone"),
        ("south: AKQ2.QJT987.32.2", "'south:' is a seat .expected the hand alone"),
        ("S:AKQ2 H:QJT987 D:32 C:22", "C2 appears twice"),
        ("“AKQ2.QJT987.32.2”", "“ is a curly quotation mark .expected straight ones, or none"),
        ("AKQ2:QJT987:32:2", "':' is not a rank"),
        ("AKQ2.QJT987.32..2", "a fifth suit begins before position 17"),
    ],
)
def test_a_hand_that_could_mean_several_is_refused(text: str, reason: str) -> None:
    with pytest.raises(DealError, match=reason):
        Hand(text)


@pytest.mark.parametrize(
    "text",
    [
        "S:A H:KQ9832 D:T94 C:AKT",
        "s: a, h: kq9832, d: 1094, c: akt",
        "♠: A ♥: KQ9832 ♦️:T94 ♣:AKT",
        "C:AKT.D:T94.H:KQ9832.S:A",
        "♣AKT ♦T94 ♥KQ9832 ♠A",
        "♠A.♥KQ9832.♦T94.♣AKT",
        "♠️A♥️KQ9832♦️T94♣️AKT",
        "♡KQ9832 ♤A ♢1094 ♧AK10",
    ],
)
def test_suit_signs_tell_the_suits_in_any_order(text: str) -> None:
    assert Hand(text) == Hand("A.KQ9832.T94.AKT")


@pytest.mark.parametrize("void", ["", "-", "—", "--", " - "])
def test_a_void_is_nothing_or_dashes(void: str) -> None:
    assert Hand(f"{void}.KQT9832.T94.AKT").lengths == (0, 7, 3, 3)
    assert Hand(f"♠{void}♥KQT9832♦T94♣AKT").lengths == (0, 7, 3, 3)


def test_hand_facts() -> None:
    hand = Hand("A.KQ9832.T94.AKT")
    assert (hand.hcp, hand.lengths, hand.pattern) == (16, (1, 6, 3, 3), "6331")
    assert Hand("AKQJT98765432...").pattern == "(13)000"
    assert hand.holding("H") == "KQ9832"
    assert "SA" in hand and "SK" not in hand
    assert all(text in hand for text in ("sa", "♠A", "H9", "d10", "♦10"))
    assert not any(text in hand for text in ("H10", "A", "", "SAA", 0, None, Suit.SPADES))
    assert Hand("AKQ2 QJT987 32 2") == Hand("AKQ2.QJT987.32.2")


def test_diagram_shows_every_holding_in_its_place() -> None:
    lines = str(Deal(TEXT)).splitlines()
    assert len(lines) == 12
    assert lines[0].strip() == "♠ A" and lines[-1].strip() == "♣ J654"
    assert lines[4].startswith("♠ T87632") and lines[4].endswith("♠ Q4")
    html = Deal(TEXT)._repr_html_()
    assert html.count("<tr>") == 3 and "KQ9832" in html


def test_every_member_of_every_alphabet_parses() -> None:
    for kind in (Suit, Strain, Seat):
        for member in kind:
            for text in (member.letter, member.letter.lower(), member.name, f" {member.name} "):
                assert kind.parse(text) is member
    for suit in Suit:
        assert Suit.parse(suit.symbol) is suit
        assert int(Strain.parse(suit.symbol)) == int(suit)
    assert Strain.parse("NT") is Strain.parse("n") is Strain.NOTRUMP
    for text in ("X", "", "NSEW", "10"):
        with pytest.raises(DealError, match="expected one of N E S W"):
            Seat.parse(text)


def test_no_alphabet_takes_a_member_of_another() -> None:
    """Their letters and numbers are alike: S is South and spades, N is North and notrump."""
    for suit in Suit:
        assert Suit.parse(Strain.parse(suit)) is suit
    alphabets: tuple[Any, ...] = (Suit, Strain, Seat, Vulnerability)
    for kind, other in itertools.permutations(alphabets, 2):
        members = () if {kind, other} == {Suit, Strain} else tuple(other)
        for wrong in (*members, 0, 3, None, b"S", 1.5):
            with pytest.raises(DealError, match=f"is not a {kind.__name__.lower()}"):
                kind.parse(wrong)
    with pytest.raises(DealError, match="is not a suit"):
        Suit.parse(Strain.NOTRUMP)


def test_a_cell_asked_for_the_wrong_way_round_is_refused() -> None:
    table = TrickTable(np.arange(20, dtype=np.uint8).reshape(5, 4) % 14)
    assert table[Suit.HEARTS, Seat.NORTH] == table["H", "N"]
    with pytest.raises(DealError, match="Seat.NORTH: 0> is not a strain"):
        table[Seat.NORTH, Strain.SPADES]
    with pytest.raises(DealError, match="Strain.NOTRUMP: 4> is not a seat"):
        Deal(TEXT)[Strain.NOTRUMP]


def test_seats_go_clockwise() -> None:
    assert [Seat.NORTH.lho, Seat.NORTH.partner, Seat.NORTH.rho] == [1, 2, 3]
    assert Seat.WEST.lho is Seat.NORTH
    assert [seat.side for seat in Seat] == [0, 1, 0, 1]


def test_vulnerability_spellings_and_board_numbers() -> None:
    for text, member in (("Love", 0), ("All", 3), ("both", 3), ("N-S", 1), ("EW", 2), ("b", 3)):
        assert Vulnerability.parse(text) == member
    # Laws of Duplicate Bridge 2017, law 2: dealer and vulnerability of the boards 1 to 16
    laws = "none ns ew both ns ew both none ew both none ns both none ns ew".split()
    assert [str(board_vulnerability(n)) for n in range(1, 17)] == laws
    assert [str(board_vulnerability(n)) for n in range(17, 33)] == laws
    assert "".join(str(board_dealer(n)) for n in range(1, 9)) == "NESWNESW"


@pytest.mark.parametrize("number", [0, -3, 1.5, None, "7"])
def test_what_is_no_board_number_has_no_dealer(number) -> None:
    for of_number in (board_dealer, board_vulnerability):
        with pytest.raises(ValueError, match="board number .*expected a whole number, 1 or more"):
            of_number(number)


def test_board_0_of_a_file_is_left_without_a_dealer() -> None:
    assert Board(number=0, contract="PASS").completed() == Board(number=0, contract="PASS")


def test_cards_round_trip() -> None:
    assert [parse_card(card_text(card)) for card in range(52)] == list(range(52))
    assert (parse_card("SA"), parse_card("♥10"), parse_card("c2")) == (0, 17, 51)
    assert (parse_card("as"), parse_card("10♥"), parse_card("2♣\ufe0f")) == (0, 17, 51)
    for text in ("", "A", "SAA", "XA", "S1", "1S", 5, None):
        with pytest.raises(DealError, match="is not a card"):
            parse_card(text)
    with pytest.raises(DealError, match="4 is not a contract"):
        parse_contract(4)


def test_a_board_spells_things_in_one_way_and_refuses_what_they_are_not() -> None:
    board = Board(contract="3NTx", auction=("p", "3nt", "dbl"), play=("s10", "SA"))
    same = Board(contract="3NX", auction=["PASS", "3N", "X"], play=["ST", "SA"])
    assert board == same and hash(board) == hash(same)
    counts = Board(number=np.int64(7), result=np.int64(9))
    assert type(counts.number) is type(counts.result) is int
    refused: list[tuple[dict[str, Any], str]] = [
        ({"number": -1}, "number is -1 .expected a whole number, 1 or more"),
        ({"number": 1.5}, "number is 1.5"),
        ({"number": True}, "number is True"),
        ({"number": "7"}, "number is '7'"),
        ({"dealer": 0}, "0 is not a seat"),
        ({"dealer": True}, "True is not a seat"),
        ({"contract": "4S", "declarer": 9}, "9 is not a seat"),
        ({"vulnerability": 9}, "9 is not a vulnerability"),
        ({"vulnerability": Seat.NORTH}, "is not a vulnerability"),
        ({"contract": '4S,"x"'}, "is not a contract"),
        ({"result": True}, "result is True"),
        ({"result": 14}, "result is 14 .expected 0 to 13 tricks"),
        ({"result": -1}, "result is -1"),
        ({"result": 9.5}, "result is 9.5"),
        ({"result": "10"}, "result is '10'"),
        ({"auction": ("FOO",)}, "'FOO' is not a call"),
        ({"auction": "1N P"}, "auction is '1N P' .expected a sequence of texts"),
        ({"auction": [3]}, "auction has 3 .expected texts"),
        ({"play": ("ZZ",)}, "'ZZ' is not a card"),
    ]
    for fields, says in refused:
        with pytest.raises(DealError, match=says):
            Board(**fields)


def test_a_set_keeps_what_was_checked() -> None:
    owners = Deal(TEXT).owners[None].copy()
    deals = DealSet(owners)
    before = hash(deals)
    seen = owners.view()
    seen.flags.writeable = False
    again = DealSet(seen)
    owners[0] = 0
    assert hash(deals) == hash(again) == before and deals[0] == again[0] == Deal(TEXT)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_copies_and_pickles_keep_what_was_checked(again: Callable[[Any], Any]) -> None:
    table = TrickTable(np.full((1, 5, 4), 7, dtype=np.uint8))
    deals = DealSet(Deal(TEXT).owners[None], table, [Board(number=3)])
    for made in (deals, table, AuctionDeals(deals.owners), Deal(TEXT)):
        same = again(made)
        assert same == made and hash(same) == hash(made) and type(same) is type(made)
        for name in ("owners", "tricks"):
            array = getattr(same, name, None)
            assert array is None or not array.flags.writeable
    assert again(table).tricks["H", "N"].tolist() == [7]
    assert again(deals).boards == deals.boards
    dealt = AuctionDeals(deals.owners)
    dealt.effective_size = 0.5
    assert again(dealt).effective_size == 0.5


@pytest.mark.parametrize(
    ("boards", "says"),
    [
        ([None], r"boards\[0\] is None .expected a Board"),
        ("x", r"boards\[0\] is 'x' .expected a Board"),
        (5, "boards is 5 .expected a Board for each deal"),
        ([Board(), Board()], "2 boards for 1 deal"),
    ],
)
def test_a_set_takes_boards_alone(boards: Any, says: str) -> None:
    owners = Deal(TEXT).owners[None]
    with pytest.raises(DealError, match=says):
        DealSet(owners, boards=boards)
    assert DealSet(owners, boards=(Board(number=n) for n in [3])).boards == (Board(number=3),)


def test_dealset_is_a_view() -> None:
    deal = Deal(TEXT)
    owners = np.stack([deal.owners, deal.owners[::-1]])
    tricks = np.arange(40, dtype=np.uint8).reshape(2, 5, 4) % 14
    deals = DealSet(owners, tricks)
    assert len(deals) == 2 and deals[0] == deal and next(iter(deals)) == deal
    assert np.shares_memory(deals[:1].owners, deals.owners)
    assert not deals.owners.flags.writeable
    assert deals[1:].tricks is not None and (deals[1:].tricks == tricks[1:]).all()
    assert (
        deals[[1, 0]][1] == deal
        and len(deals[[]]) == 0
        and deals[np.array([True, False])][0] == deal
    )
    for wrong in (True, None, np.array(1), "N", [[0]], 0.5, [0.5]):
        with pytest.raises(TypeError):
            deals[wrong]
    assert deals == DealSet(owners, tricks) and hash(deals) == hash(DealSet(owners, tricks))
    assert deals != DealSet(owners) and deals != deals[:1]
    assert DealSet.concatenate([deals[:1], deals[1:]]) == deals
    for what, other in (("ndarray", [deals.owners]), ("Deal", deals)):
        with pytest.raises(TypeError, match=f"^set 0 is of type {what} .expected a DealSet"):
            DealSet.concatenate(other)
    mixed = DealSet.concatenate([deals, DealSet(owners)])
    assert mixed.tricks is not None and (mixed.tricks[2:] == 255).all()
    assert DealSet(owners, np.full((2, 5, 4), 255)).tricks is None
    assert "2 deals" in repr(deals) and deal.pbn in str(deals) and deal.pbn in deals._repr_html_()


def test_a_bad_row_is_named() -> None:
    owners = np.stack([Deal(TEXT).owners] * 3)
    owners[2, 0] = 1
    with pytest.raises(DealError, match="deal 2 of 3: North holds 12"):
        DealSet(owners)
    owners[2, 0] = 7
    with pytest.raises(DealError, match="deal 2 of 3: SA belongs to seat 7"):
        DealSet(owners)
    for seat in (-4, 4, 260):
        with pytest.raises(DealError, match=f"deal 1 of 2: SA belongs to seat {seat} "):
            DealSet(np.where(np.arange(2)[:, None] == 1, seat, Deal(TEXT).owners.astype(int)))
    with pytest.raises(DealError, match=r"\(3, 51\)"):
        DealSet(owners[:, 1:])
    with pytest.raises(DealError, match="deal 1: .*West"):
        as_dealset([TEXT, TEXT[:-1]])
    with pytest.raises(DealError, match="expected 0 to 13"):
        DealSet(owners[:2], np.full((2, 5, 4), 14))


def test_deals_in_every_form() -> None:
    deal = Deal(TEXT)
    for one in (TEXT, deal, deal.owners, deal.owners.astype(int)):
        dealset, single = as_dealset(one)
        assert single and dealset[0] == deal
    pair = DealSet.from_deals([deal, deal])
    for many in ([TEXT, deal], (deal, deal.owners), pair, pair.owners, [pair[:1], TEXT]):
        dealset, single = as_dealset(many)
        assert not single and list(dealset) == [deal, deal]
    for none in ([], np.empty((0, 52), np.uint8), pair[:0]):
        dealset, single = as_dealset(none)
        assert not single and len(dealset) == 0
    with pytest.raises(DealError, match="float"):
        as_dealset(3.5)
    with pytest.raises(DealError, match="float64 array"):
        as_dealset(np.zeros((1, 52)))
    with pytest.raises(DealError, match=r"shape \(3, 0\) cannot be read as owners"):
        as_dealset(np.zeros((3, 0), np.uint8))


@pytest.mark.parametrize("kind", ["U", "O"])
def test_arrays_of_texts_are_deals_as_lists_of_them_are(kind: str) -> None:
    dealset, single = as_dealset(np.array([TEXT, TEXT], dtype=kind))
    assert not single and dealset == as_dealset([TEXT, TEXT])[0]
    with pytest.raises(DealError, match="deal 1: "):
        as_dealset(np.array([TEXT, "N:x"], dtype=kind))


def test_one_of_many_is_counted_as_one() -> None:
    assert repr(as_dealset([TEXT])[0]) == "<DealSet of 1 deal, tricks known for 0>"
    table = TrickTable(np.zeros((1, 5, 4), np.uint8))
    assert repr(table) == "<TrickTable of 1 deal>"


def test_hands_in_every_form() -> None:
    hand = Hand("A.KQ9832.T94.AKT")
    for one in (hand, str(hand), hand.cards, hand.cards.astype(int)):
        cards, single = as_hands(one)
        assert single and Hand.from_cards(cards[0]) == hand
    cards, single = as_hands([hand, str(hand), hand.cards])
    assert not single and cards.shape == (3, 52)
    assert as_hands([])[0].shape == (0, 52)
    with pytest.raises(DealError, match="hand 1 of 2: .* 12 cards"):
        as_hands([hand, "A.KQ9832.T94.AK"])
    with pytest.raises(DealError, match="hand 0 of 2: 12 cards"):
        as_hands(np.stack([np.arange(52) < 12, np.arange(52) < 13]))
    with pytest.raises(DealError, match=r"hand 1 of 2: 1 card \(expected 13\)"):
        as_hands(np.stack([np.arange(52) < 13, np.arange(52) < 1]))
    with pytest.raises(DealError, match=r"shape \(52,\) is not a hand: 1 card"):
        Hand.from_cards(np.arange(52) < 1)
    with pytest.raises(DealError, match="int"):
        as_hands(3)


@pytest.mark.parametrize(("factor", "value"), [(7, "7"), (-1, "-1"), (np.nan, "nan")])
def test_hands_are_bools_or_zeros_and_ones(factor: float, value: str) -> None:
    held = Hand("A.KQ9832.T94.AKT").cards
    assert as_hands([held.astype(np.int8), held * 1.0])[0].tolist() == [held.tolist()] * 2
    wrong = np.where(held, factor, 0)
    wrong = wrong if np.isnan(factor) else wrong.astype(int)
    for hands in ([held, wrong], np.stack([held * 1, wrong])):
        with pytest.raises(DealError, match=f"hand 1 of 2: .*SA is {value} .expected 1 for a card"):
            as_hands(hands)
    with pytest.raises(DealError, match="SA is"):
        Hand.from_cards(wrong)
    with pytest.raises(DealError, match="it holds object"):
        Hand.from_cards(held.astype(object))


def test_trick_table() -> None:
    tricks = np.arange(20, dtype=np.uint8).reshape(5, 4) % 14
    table = TrickTable(tricks)
    assert table["H", "N"] == 4 and table["NT", "west"] == 5 and table[Strain.CLUBS, Seat.WEST] == 1
    assert eval(repr(table)) == table and hash(eval(repr(table))) == hash(table)
    head, north, *rest = str(table).splitlines()
    assert head.split() == ["NT", "♠", "♥", "♦", "♣"]
    assert north.split() == ["N", "2", "0", "4", "8", "12"] and len(rest) == 3
    many = TrickTable(np.stack([tricks, tricks[::-1]]))
    assert len(many) == 2 and many[0] == table and list(many["H", "N"]) == [4, 12]
    unknown = TrickTable(np.full((5, 4), 255))
    assert "?" in str(unknown) and "?" in unknown._repr_html_()
    with pytest.raises(DealError):
        table["X", "N"]
    with pytest.raises(DealError):
        TrickTable(tricks.T)


class _Table(HTMLParser):
    """The headers and cells of an HTML table, with the scope of each."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.read: list[tuple[str, str | None, str]] = []
        self._open: tuple[str, str | None] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = (tag, dict(attrs).get("scope"))

    def handle_data(self, data: str) -> None:
        assert self._open is not None
        self.read.append((*self._open, data))


def test_a_grid_as_html_names_itself_its_rows_and_its_columns() -> None:
    table = TrickTable(np.arange(20, dtype=np.uint8).reshape(5, 4) % 14)
    read = _Table(table._repr_html_()).read
    assert read[0] == ("caption", None, "tricks, double dummy")
    assert [text for *how, text in read if how == ["th", "col"]] == ["NT", "♠", "♥", "♦", "♣"]
    assert [text for *how, text in read if how == ["th", "row"]] == ["N", "S", "E", "W"]
    cells = [text for tag, _, text in read if tag == "td"]
    assert cells == [str(table[strain, seat]) for seat in "NSEW" for strain in "NSHDC"]
    assert cells == [cell for line in str(table).splitlines()[1:] for cell in line.split()[1:]]


def test_results_of_many_are_cut_like_an_array() -> None:
    many = TrickTable(np.arange(12, dtype=np.uint8)[:, None, None] * np.ones((5, 4), np.uint8))
    assert many[2:4] == TrickTable(many.tricks[2:4]) and many[-1]["S", "N"] == 11
    assert str(many) == "\n\n".join([*(str(many[i]) for i in range(10)), "…"])
    assert repr(many) == "<TrickTable of 12 deals>" and "12 deals" in many._repr_html_()
    with pytest.raises(TypeError, match="no length"):
        len(many[0])
    with pytest.raises(TypeError, match=r'tricks\["H", "N"\]'):
        many[0][0]


@pytest.mark.parametrize("between", [" ", "\n", " \r\n"])
def test_four_hands_without_a_seat_begin_with_north(between: str) -> None:
    dotted = TEXT[2:].split()
    spaced = [" ".join(suit or "-" for suit in hand.split(".")) for hand in dotted]
    signed = [" ".join(s + suit for s, suit in zip("♠♥♦♣", hand.split("."), strict=True))
              for hand in dotted]  # fmt: skip
    for hands in (dotted, spaced, signed):
        assert Deal(between.join(hands)) == Deal(TEXT)


def test_a_deal_is_a_text_or_hands() -> None:
    with pytest.raises(DealError, match="^None is not a deal .expected a text, or hands by name"):
        Deal(None)
    with pytest.raises(DealError, match="^a text and hands by name .expected one or the other"):
        Deal("N:... ... ... ...", north="AQ864.K75.A3.KJ4")
    with pytest.raises(DealError, match=r"^deal 0: list is not a deal .expected text, a Deal, or"):
        as_dealset([Deal(TEXT).owners.tolist()])
    with pytest.raises(DealError, match="^deal 1: None is not a deal"):
        as_dealset([Deal(TEXT), None])  # type: ignore[list-item]
