"""Addresses of hand viewers, from the file of cases that every reader of them shares; and RBN."""

import io
import json
import warnings
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trickcast.cards import Deal, DealSet, Seat, Vulnerability
from trickcast.dealing import random_deals
from trickcast.formats import FORMATS, FormatError, FormatWarning, iter_deals
from trickcast.formats.links import read_link

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
CASES = json.loads((files("trickcast.formats") / "link_cases.json").read_text())


def of_text(text: str, form: str, **options) -> DealSet:
    return DealSet.concatenate(iter_deals(io.BytesIO(text.encode()), form, "x", **options))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_case_means_what_it_says(case) -> None:
    if "error" in case:
        with pytest.raises(ValueError, match=case["error"]):
            read_link(case["address"])
        return
    owners, board = read_link(case["address"])
    assert Deal.from_owners(bytearray(owners)).pbn == Deal(case["deal"]).pbn
    assert board.number == case.get("number")
    assert board.dealer == (Seat.parse(case["dealer"]) if "dealer" in case else None)
    meant = case.get("vulnerability")
    assert board.vulnerability == (None if meant is None else Vulnerability.parse(meant))
    assert board.auction == tuple(case.get("auction", ()))
    assert board.contract == case.get("contract")
    assert board.declarer == (Seat.parse(case["declarer"]) if "declarer" in case else None)
    assert board.play == tuple(case.get("play", ()))
    assert {tag.name: tag.value for tag in board.tags} == case.get("players", {})


def test_a_file_of_addresses_is_recognised_and_the_bad_ones_are_told() -> None:
    data = "\n\n".join(case["address"] for case in CASES).encode()
    assert FORMATS["links"].sniff(data)
    skipped = []
    deals = DealSet.concatenate(iter_deals(io.BytesIO(data), skipped=skipped))
    good = [case for case in CASES if "error" not in case]
    assert len(deals) == len(good) and len(skipped) == len(CASES) - len(good)
    assert skipped[0].place == f"standard input: line {2 * len(good) + 1}"


def test_an_address_says_each_thing_once_and_holds_one_board() -> None:
    page = "https://www.bridgebase.com/tools/handviewer.html"
    hands = "n=sahkq9832dt94cakt&e=sq4hat7dqj872c732&s=skj95hj65dk3cj654"
    with pytest.raises(ValueError, match="board='2', and before '1' .expected one of them"):
        read_link(f"{page}?{hands}&b=1&board=2")
    assert read_link(f"{page}?{hands}&b=1&b=1&bbo=y&bbo=n")[1].number == 1
    md = "md|3SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|"
    assert read_link(f"{page}?lin={md}ah|Board 1|")[1].number == 1
    with pytest.raises(FormatError, match="2 boards in the LIN text .expected one"):
        read_link(f"{page}?lin={md}ah|Board 1|{md}ah|Board 2|")


def test_a_contract_that_the_auction_of_an_address_contradicts_is_told() -> None:
    page = "https://www.bridgebase.com/tools/handviewer.html"
    hands = "n=sahkq9832dt94cakt&e=sq4hat7dqj872c732&s=skj95hj65dk3cj654"
    link = f"{page}?{hands}&d=n&a=1hp1sp4hppp"
    for stated, message in (
        ("contract=4S&declarer=E", "leads to 4H by N, contract= and declarer= say 4S by E; the"),
        ("declarer=E", "leads to 4H by N, contract= and declarer= say declarer E; the auction"),
        ("contract=9S", "contract= is left out: '9S' is not a contract"),
    ):
        with pytest.warns(FormatWarning, match=message):
            board = read_link(f"{link}&{stated}")[1]
        assert (board.contract, board.declarer) == ("4H", Seat.NORTH)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        assert read_link(f"{link}&contract=4H&declarer=N")[1].contract == "4H"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.sampled_from(["", "n=", "a=", "lin=", "md|", "v=", "&d="]))
def test_whatever_stands_in_an_address_is_answered(text: str, key: str) -> None:
    for page in ("https://www.bridgebase.com/tools/handviewer.html", "http://[x/ddummy.htm"):
        try:
            read_link(f"{page}?{key}{text}", note=lambda kind, message: None)
        except ValueError as error:
            assert len(str(error)) < 500


# --- RBN -------------------------------------------------------------------------------------

RBN = """% RBN 2.2
D 20010303
E A cup {of tea}
F I
B 1
H N:A.KQ9832.T94.AKT:Q4.AT7.QJ872.732;KJ95.J65.K3.J654
A NZ:1HP1SP:4HXPP:P
C 4HX

B 2
H W:T87632.4.A65.Q98:A.KQ9832.T94.AKT:Q4.AT7.QJ872.732:KJ95.J65.K3.J654
A E?:PPPP

A SB:1N*PPP
M x
R +2
"""


def test_rbn_with_fields_that_hold_for_the_records_after() -> None:
    assert FORMATS["rbn"].sniff(RBN.encode())
    with pytest.warns(FormatWarning) as told:
        deals = of_text(RBN, "rbn")
    assert [str(w.message) for w in told] == ["x: line 15: M is left out"]
    assert [deal.pbn for deal in deals] == [DEAL] * 3
    assert deals.boards is not None
    first, second, third = deals.boards
    assert (first.number, first.dealer, first.vulnerability) == (1, Seat.NORTH, 0)
    assert (first.contract, first.declarer) == ("4HX", Seat.NORTH)
    assert first.tag("Event") == "A cup" and first.tag("Date") == "20010303"
    assert (second.number, second.contract, second.vulnerability) == (2, "PASS", None)
    assert (third.number, third.contract, third.declarer) == (2, "1N", Seat.SOUTH)
    assert third.vulnerability == Vulnerability.BOTH and third.tag("Scoring") == "I"
    assert (first.result, third.result) == (None, 9)


def test_rbn_play_is_read_where_the_deal_allows_it() -> None:
    hands = f"B 1\nH {DEAL.replace(' ', ':')}\nC 4HX N\n"
    for play in ("E:HA542:S4K2A", "E:HAH5H4H2 S4SKS2SA"):
        deals = of_text(f"{hands}P {play}\nR 9:-100\n", "rbn")
        assert deals.boards is not None
        (board,) = deals.boards
        assert (board.contract, board.declarer, board.result) == ("4HX", Seat.NORTH, 9)
        assert board.play == ("HA", "H5", "H4", "H2", "S4", "SK", "S2", "SA")
    for wrong, good in (
        ("E:HKH5H4H2", ""), ("E:AH5", ""), ("E:HA54T", "HA H5 H4"), ("HA", ""),
        ("E:HA5425", "HA H5 H4 H2"),
    ):  # fmt: skip
        with pytest.warns(FormatWarning, match="line 4: P: "):
            deals = of_text(f"{hands}P {wrong}\n", "rbn")
        assert deals.boards is not None and deals.boards[0].play == tuple(good.split())
    with pytest.warns(FormatWarning, match="R: 'x' .expected the tricks"):
        of_text(f"{hands}R x\n", "rbn")


@pytest.mark.parametrize(
    "comment", ["{one line}", "{ C PLEASE\nR 3\n}", "{two\n\nparagraphs\n}{ } ", "% a header {"]
)
def test_rbn_comments_end_no_record_and_hold_no_fields(comment: str) -> None:
    text = f"B 1\nH {DEAL.replace(' ', ':')}\n{comment}\nA NZ:1HP1SP:4HPP:P\nR 10\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        (board,) = of_text(text, "rbn").boards or ()
    assert (board.number, board.contract, board.result) == (1, "4H", 10)


def test_an_rbn_comment_without_end_is_told() -> None:
    hands = f"H {DEAL.replace(' ', ':')}\n"
    text = f"B 1\n{hands}E Cup {{final\n\nB 2\n{hands}A NZ:PPPP {{too\n\nB 3\n{hands}"
    with pytest.warns(FormatWarning) as told:
        boards = of_text(text, "rbn").boards or ()
    assert [board.number for board in boards] == [1, 2, 3] and boards[1].contract == "PASS"
    assert ["line 3: the comment that starts here is never closed" in str(entry.message)
            for entry in told] == [True]  # fmt: skip


def test_rbn_contracts_that_are_none_or_that_the_auction_contradicts() -> None:
    hands = f"B 1\nH {DEAL.replace(' ', ':')}\n"
    for passed in ("P", "pass", "Passed", "passed out"):
        (board,) = of_text(f"{hands}C {passed}\n", "rbn").boards or ()
        assert board.contract == "PASS"
    with pytest.warns(FormatWarning, match="line 3: C: 'PLEASE' .expected such as 4SX:N"):
        (board,) = of_text(f"{hands}C PLEASE\n", "rbn").boards or ()
    assert board.contract is None
    message = "line 4: C: the auction leads to 4H by N, C says 4S by E; the auction counts"
    with pytest.warns(FormatWarning, match=message):
        (board,) = of_text(f"{hands}A NZ:1HP1SP:4HPP:P\nC 4S:E\n", "rbn").boards or ()
    assert (board.contract, board.declarer) == ("4H", Seat.NORTH)


def test_rbn_without_hands_or_with_bad_ones() -> None:
    with pytest.raises(FormatError, match="x: line 1: the board has no hands"):
        of_text("B 1\n", "rbn")
    with pytest.raises(FormatError, match="x: contains no deals"):
        of_text("T A title\n", "rbn")
    with pytest.raises(FormatError, match="x: line 2: .*South's hand is missing"):
        of_text("B 1\nH N:A.KQ9832.T94.AKT:Q4.AT7.QJ872.732\n", "rbn")


def test_rbn_dealer_and_vulnerability_without_the_calls() -> None:
    with pytest.warns(
        FormatWarning, match="line 2: A: 'Y' is not a call .* calls before it are kept"
    ):
        deals = of_text(f"H {DEAL.replace(' ', ':')}\nA NB:1NY\n", "rbn")
    assert deals.boards is not None
    (board,) = deals.boards
    assert (board.dealer, board.vulnerability) == (Seat.NORTH, Vulnerability.BOTH)
    assert board.auction == ("1N",) and board.contract is None


def test_rbn_in_latin_1() -> None:
    text = f"E Coupe d'\xe9t\xe9\nH {DEAL.replace(' ', ':')}\n"
    with pytest.warns(FormatWarning, match="line 1: byte 0xe9 is not UTF-8"):
        deals = DealSet.concatenate(iter_deals(io.BytesIO(text.encode("latin-1")), "rbn"))
    assert deals.boards is not None and deals.boards[0].tag("Event") == "Coupe d'été"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*RBN.splitlines(keepends=True), "\n", "H N:\n", "{", "?\n"])))
def test_damaged_rbn_is_read_or_refused(lines: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        try:
            of_text("".join(lines), "rbn", skipped=[])
        except FormatError as error:
            assert str(error).startswith("x: ")


def test_rbn_of_random_deals_from_every_first_seat() -> None:
    made = random_deals(8, seed=1)
    text = "\n".join(
        f"H {deal.pbn_from('NESW'[i % 4]).replace(' ', ':')}\n" for i, deal in enumerate(made)
    )
    assert of_text(text, "rbn") == made
