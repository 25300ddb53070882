"""LIN: read as Bridge Base writes it, converted to PBN and back, and lossless."""

import dataclasses
import io
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board_strategies import deal_sets, play_of, played_boards
from trickcast.cards import Board, Deal, DealSet, Seat, Strain, Tag, Vulnerability
from trickcast.dealing import random_deals
from trickcast.formats import FormatError, FormatWarning, iter_deals, read, write_stream
from trickcast.formats.board_text import tricks_of

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
MD = "4S59JKH56JD3KC456J,S23678TH4D56AC89Q,SAH2389KQD49TCTKA,"

SAMPLE = f"""pn|Sue,Walt,Nora,Ed|st||md|{MD}|rh||ah|Board 7|sv|b|mb|p|mb|p|mb|1H!|an|natural |
mb|d|mb|3N|mb|p|mb|p|mb|p|nt|a remark|pg||pc|C4|pc|C8|pc|CT|pc|C2|pg||mc|8|pg||
"""


def of_text(text: str, **options: int) -> DealSet:
    return DealSet.concatenate(iter_deals(io.BytesIO(text.encode()), "lin", "x.lin", **options))


def written(deals: DealSet, format: str = "lin") -> str:
    out = io.BytesIO()
    write_stream([deals], out, format)
    return out.getvalue().decode()


def only(deals: DealSet) -> Board:
    assert deals.boards is not None and len(deals) == 1
    return deals.boards[0]


def test_a_board_with_everything() -> None:
    deals = of_text(SAMPLE)
    board = only(deals)
    assert deals[0] == Deal(DEAL)
    assert (board.number, board.dealer, board.vulnerability) == (7, Seat.EAST, Vulnerability.BOTH)
    assert board.auction == ("PASS", "PASS", "1H", "X", "3N", "PASS", "PASS", "PASS")
    assert board.explanations == ((2, "natural"),)
    assert (board.contract, board.declarer, board.result) == ("3N", Seat.EAST, 8)
    assert board.play == ("C4", "C8", "CT", "C2")
    assert [board.tag(seat) for seat in ("South", "West", "North", "East")] == [
        "Sue", "Walt", "Nora", "Ed",
    ]  # fmt: skip
    assert ("nt", "a remark") in board.lin
    assert of_text(written(deals)) == deals
    assert "|nt|a remark|" in written(deals)


@pytest.mark.parametrize(
    ("digit", "dealer"), [("1", "S"), ("2", "W"), ("3", "N"), ("4", "E"), ("0", None), ("", None)]
)
def test_dealer(digit: str, dealer: str | None) -> None:
    deals = of_text(f"md|{digit}{MD[1:]}|sv|e|")
    board = only(deals)
    assert board.dealer == (None if dealer is None else Seat.parse(dealer))
    assert board.vulnerability == Vulnerability.EW


def test_hands_as_written_in_the_wild() -> None:
    east = "SQ4HAT7DQJ872C732"
    for md in (
        MD + east,
        MD.rstrip(","),
        MD.lower(),
        MD.replace("T", "10"),
        MD[:5] + "\n" + MD[5:],
    ):
        assert of_text(f"md|{md}|sv|o|")[0] == Deal(DEAL)
    south, west, _north, _ = MD[1:].split(",")
    assert of_text(f"md|1{south},{west},,{east}|sv|o|")[0] == Deal(DEAL)


def test_many_boards_on_one_line_and_over_many() -> None:
    made = random_deals(4, seed=1)
    text = written(made)
    for version in (
        text.replace("\n", ""),
        text.replace("\n", "\r\n"),
        text.replace("|pg", "|\npg"),
    ):
        assert np.array_equal(of_text(version, chunk=3).owners, made.owners)


def test_codes_in_capitals_begin_boards_too() -> None:
    deals = of_text(f"md|{MD}|sv|o|\nPN|a,b,c,d|MD|{MD}|Sv|e|NT|hello|")
    assert len(deals) == 2 and deals.boards is not None
    first, second = deals.boards
    assert (first.vulnerability, second.vulnerability) == (0, Vulnerability.EW)
    assert second.tag("South") == "a" and ("NT", "hello") in second.lin


def test_nobody_is_vulnerable_in_three_spellings() -> None:
    for none in "o0-":
        board = only(of_text(f"md|{MD}|sv|{none}|"))
        assert board.vulnerability == Vulnerability.NONE and board.lin == ()


def test_text_that_is_not_utf_8_is_told() -> None:
    lin = f"pn|Łukasz,Zoé,,|md|{MD}|"
    assert only(of_text(lin)).tag("South") == "Łukasz"
    with pytest.warns(FormatWarning, match="line 1: byte 0xa3 is not UTF-8: such text is read as"):
        (deals,) = iter_deals(io.BytesIO(lin.encode("cp1250")))
    assert only(deals).tag("South") == "£ukasz"


def test_rooms_of_a_match_share_the_names() -> None:
    text = (
        "vg|Final,1|\npn|S1,W1,N1,E1,S2,W2,N2,E2|pg||\n"
        f"qx|o3|md|{MD}|sv|n|mb|p|mb|p|mb|p|mb|p|pg||\nqx|c3|md|{MD}|sv|n|mb|1C|mb|p|mb|p|mb|p|pg||\n"
    )
    deals = of_text(text)
    assert deals.boards is not None
    one, other = deals.boards
    assert (one.number, one.contract, one.declarer, one.tag("South")) == (3, "PASS", None, "S1")
    assert (other.number, other.contract, other.declarer) == (3, "1C", Seat.EAST)
    assert other.tag("North") == "N2"
    assert of_text(written(deals)) == deals


def test_result_of_a_play_without_its_last_trick() -> None:
    rng = random.Random(5)
    owners = random_deals(1, seed=5).owners[0]
    names = play_of(rng, owners.tobytes(), Strain.NOTRUMP, Seat.WEST, 52)
    auction = "".join(f"mb|{call}|" for call in ("1N", "p", "p", "p"))
    deal = written(DealSet(owners[None], None, [Board(dealer=Seat.SOUTH)])).split("rh")[0]
    results = []
    for played in (52, 51, 48, 47):
        text = deal + auction + "".join(f"pc|{name}|" for name in names[:played])
        results.append(only(of_text(text)).result)
    assert results[0] is not None and results[0] == results[1] == results[2]
    assert results[3] is None


@pytest.mark.parametrize("form", ["lin", "pbn"])
def test_a_hidden_hand_may_lead(form: str) -> None:
    south, _, north = MD[1:].split(",")[:3]
    calls = "".join(f"mb|{call}|" for call in "1H p 1S p 4H p p p".split())
    play = ("HT", "H5", "H4", "HK", "HQ", "H7", "H6", "S2")

    def read_play(play: tuple[str, ...]) -> tuple[str, ...]:
        text = f"md|3{south},,{north},|{calls}" + "".join(f"pc|{card}|" for card in play)
        (deals,) = iter_deals(io.BytesIO(text.encode()), "lin", partial=True)
        if form == "pbn":
            data = written(deals, "pbn").encode()
            (deals,) = iter_deals(io.BytesIO(data), "pbn", partial=True)
        assert deals.boards is not None
        return deals.boards[0].play

    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        assert read_play(play) == play
    if form == "lin":  # South took the second trick in place of North
        with pytest.warns(FormatWarning, match="card 5, H6, is impossible: South holds it, and N"):
            assert read_play((*play[:4], "H6")) == play[:4]


def test_the_tricks_of_a_play_that_ends_with_hidden_cards_are_not_known() -> None:
    rng = random.Random(5)
    owners = random_deals(1, seed=5).owners[0]
    names = play_of(rng, owners.tobytes(), Strain.NOTRUMP, Seat.WEST, 52)
    calls = "".join(f"mb|{call}|" for call in ("1N", "p", "p", "p"))
    deal = written(DealSet(owners[None], None, [Board(dealer=Seat.SOUTH)])).split("|md|")[1]
    south, _, north = deal.split("|")[0].split(",")[:3]
    results = []
    for played in (48, 49, 51, 52):
        text = f"md|{south},,{north},|{calls}" + "".join(f"pc|{name}|" for name in names[:played])
        (deals,) = iter_deals(io.BytesIO(text.encode()), "lin", partial=True)
        assert deals.boards is not None and len(deals.boards[0].play) == played
        results.append(deals.boards[0].result)
    assert results[:3] == [None] * 3
    taken = tricks_of(tuple(names), Seat.SOUTH, Strain.NOTRUMP, owners.tobytes())
    assert results[3] == taken is not None  # as with all hands shown


def test_an_auction_that_leads_elsewhere_than_rs_is_told() -> None:
    text = f"md|{MD}|mb|1C|mb|AP|"
    with pytest.warns(FormatWarning, match="to 1C by E, rs says 4S by W; both are kept"):
        board = only(of_text(f"{text}rs|4SW|"))
    assert (board.contract, board.declarer, board.auction[0]) == ("4S", Seat.WEST, "1C")
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        assert only(of_text(f"{text}rs|1C|")).contract == "1C"


def test_what_is_written() -> None:
    board = Board(
        number=7, dealer=Seat.EAST, vulnerability=Vulnerability.BOTH, contract="3N",
        declarer=Seat.EAST, result=8, auction=("PASS", "PASS", "1H", "X", "3N", *["PASS"] * 3),
        explanations=((2, "natural"), (3, "")), play=("D3", "DA", "D4", "D2", "S2"),
        tags=(Tag("South", "Sue"),),
    )  # fmt: skip
    assert written(DealSet(Deal(DEAL).owners[None], None, [board])) == (
        "pn|Sue,,,|st||md|4SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|rh||ah|Board 7|"
        "sv|b|mb|p|mb|p|mb|1H!|an|natural|mb|d!|mb|3N|mb|p|mb|p|mb|p|"
        "pg||pc|D3|pc|DA|pc|D4|pc|D2|pg||pc|S2|pg||mc|8|pg||\n"
    )


def plain(deals: DealSet) -> DealSet:
    """The boards without texts that a LIN file cannot hold."""
    clean = str.maketrans(dict.fromkeys("|\u2028\u2029", " "))
    boards = []
    for board in deals.boards or ():
        notes = tuple((i, text.translate(clean).strip()) for i, text in board.explanations)
        boards.append(dataclasses.replace(board, explanations=notes))
    return DealSet(deals.owners, None, boards)


@settings(max_examples=60, deadline=None)
@given(deal_sets(played_boards()).map(plain))
def test_round_trip(deals: DealSet) -> None:
    assert of_text(written(deals)) == deals


@settings(max_examples=40, deadline=None)
@given(deal_sets(played_boards()).map(plain))
def test_from_lin_to_pbn_and_back(deals: DealSet) -> None:
    lin = written(deals)
    out = io.BytesIO(written(of_text(lin), "pbn").encode())
    assert written(DealSet.concatenate(iter_deals(out, "pbn"))) == lin


PIECES = (
    "ah|Board 7|", "ah|Board|", "ah|x|", "ah||", "qx|o7|", "qx|c3|", "qx||", "sv|o|", "sv|x|",
    "mb|p|", "mb|1C*|", "mb|pp|", "mb||", "mb|ap|", "an|hi|", "pc|SA|", "pc||", "mc|7|", "mc||",
    "pn|a,b,c,d|", "pn||", "pn|,,,|", "pg||", "pg|x|", "rh||", "st||", "nt|x|", "vg|a|", "sk||",
)  # fmt: skip


def test_a_round_trip_changes_no_board() -> None:
    read = 0

    @settings(max_examples=200, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.lists(st.sampled_from(PIECES), max_size=2),
                st.sampled_from("1234"),
                st.lists(st.sampled_from(PIECES), max_size=5),
            ),
            min_size=1,
            max_size=3,
        )
    )
    def changed(boards: list[tuple[list[str], str, list[str]]]) -> None:
        nonlocal read
        text = "".join(
            f"{''.join(before)}md|{dealer}{MD[1:]}|{''.join(after)}"
            for before, dealer, after in boards
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            try:
                deals = of_text(text)
            except FormatError:  # a last board without a deal
                return
            assert of_text(written(deals)) == deals
        read += 1

    changed()
    assert read >= 10, "most texts are refused"


def test_players_stay_at_their_board(shared: Path) -> None:
    boards = read(shared / "data" / "boards" / "minimal" / "pn.pbn")
    text = written(boards)
    assert text.splitlines()[1].startswith("pn|,,,|")
    deals = of_text(text)
    assert deals.boards is not None
    assert [board.tag("North") for board in deals.boards] == ["B", None]
    assert "pn" not in written(boards[1:])


def test_conversions_say_what_they_leave_out() -> None:
    deals = of_text(SAMPLE)
    with pytest.warns(FormatWarning, match="PBN cannot store, and leaves out, LIN's nt"):
        text = written(deals, "pbn")
    pbn = DealSet.concatenate(iter_deals(io.BytesIO(text.encode()), "pbn"))
    assert only(pbn) == dataclasses.replace(only(deals), lin=())
    odd = dataclasses.replace(only(pbn), tags=(Tag("Event", "Cup"),), contract="4S")
    with pytest.warns(FormatWarning) as said:
        written(DealSet(pbn.owners, None, [odd]))
        written(DealSet(pbn.owners, None, [dataclasses.replace(odd, number=None)]))
    lost = "LIN cannot store, and leaves out, Event"
    assert [str(warning.message) for warning in said] == [
        f"LIN output: board {odd.number}: {lost}", f"LIN output: deal 1: {lost}",
    ]  # fmt: skip
    bar = dataclasses.replace(only(pbn), explanations=((2, "a|b"),))
    with pytest.warns(FormatWarning, match="leaves out, explanations"):
        assert "|an|a/b|" in written(DealSet(pbn.owners, None, [bar]))


def test_what_is_written_of_an_auction_is_not_told_as_left_out() -> None:
    text = (
        f'[Deal "{DEAL}"]\n[Dealer "N"]\n[Auction "N"]\n1H =1= Pass! $2 4H AP\n'
        '[Note "1:five or more"]\n[Play "E"]\nDQ {top}\n'
    )
    deals = DealSet.concatenate(iter_deals(io.BytesIO(text.encode()), "pbn"))
    lost = "leaves out, parts of Auction, parts of Play$"
    with pytest.warns(FormatWarning, match=lost):
        assert "mb|1H!|an|five or more|mb|p|mb|4H|" in written(deals)
    text = text.replace("DQ {top}", "DQ D3 DA D10\n- - C9 -").replace("Pass! $2", "Pass")
    deals = DealSet.concatenate(iter_deals(io.BytesIO(text.encode()), "pbn"))
    assert "pc|DQ|pc|D3|pc|DA|pc|DT|pg||pc|C9|" in written(deals), "a play without its end is whole"


@pytest.mark.parametrize(
    ("pairs", "lost"),
    [
        ("ah|Semi-final, table 3|sv|o|", "ah 'Semi-final, table 3'"),
        ("mb|1N!|an|15-17|an|balanced|nt|hello|", "an '15-17', nt"),
        ("mb|1N?|mb|p|", "mb '1N?'"),
        ("mb|1N|an|15-17|mb|p|", "alert marks (!)"),
        ("sv|o|ah|Board 7|mc|9|", None),  # only in another order
    ],
)
def test_a_conversion_names_what_is_lost_and_nothing_else(
    pairs: str, lost: str | None, recwarn: pytest.WarningsRecorder
) -> None:
    deals = of_text(f"md|{MD}|{pairs}")
    assert only(deals).lin
    written(deals, "pbn")
    place = "board 7" if "Board 7" in pairs else "deal 1"
    note = f"PBN output: {place}: PBN cannot store, and leaves out, LIN's {lost}"
    assert [str(warning.message) for warning in recwarn] == ([note] if lost else [])


@pytest.mark.parametrize("calls", ["mb|1N|mb|AP|", "mb|All Pass|", "mb|1N|mb|p|mb|AP|"])
def test_all_pass_says_no_more_than_the_passes(calls: str) -> None:
    deals = of_text(f"md|{MD}|{calls}")
    assert only(deals).contract in ("1N", "PASS") and only(deals).lin == ()
    written(deals, "pbn")  # without a warning


def test_a_changed_board_is_written_anew() -> None:
    deals = of_text(SAMPLE)
    changed = dataclasses.replace(only(deals), number=8)
    with pytest.warns(FormatWarning, match="differs from its LIN pairs"):
        text = written(DealSet(deals.owners, None, [changed]))
    assert only(of_text(text)).number == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pn|a,b,c,d|", "line 1: the board has no md (expected md|3S…|)"),
        (f"md|{MD[:30]}", "line 1: the file ends in the middle of '4S59"),
        (f"md|{MD[:30]}|", "line 1: deal 'S:59JK"),
        (f"st||\nmd|{MD.replace('2389KQ', '2389KK')}|", "HK appears twice"),
        (f"md|{MD.replace('SA', 'SJ')}|", "SJ is held by South and by North"),
        ("md|3,,,|", "no hand is given"),
        ("md|3,SAKQJT98765432,,|", "hand is missing, and East's, and South's"),
        (f"md|{MD}SKHKDKCK,|", "5 hands"),
        ("hello world|what|", "line 1: 'hello world' is not a LIN code"),
        ("x" * (1 << 20), "262,144 bytes without a '|'"),
        ("md|\0\1|", "byte 0x00 (expected LIN text)"),
    ],
)
def test_bad_files(text: str, message: str) -> None:
    with pytest.raises(FormatError) as raised:
        of_text(text)
    assert message in str(raised.value) and str(raised.value).startswith("x.lin: line ")
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ("mb|8C|", "mb '8C' is not a call .*the calls before it are kept"),
        ("pc|S1|", "pc 'S1' is not a card .*the cards before it are kept"),
        ("mc|14|", "mc '14' is kept as text"),
        ("sv|x|", "sv 'x' is kept as text"),
    ],
)
def test_values_that_cannot_be_read_are_kept_and_told(pairs: str, message: str) -> None:
    with pytest.warns(FormatWarning, match=message):
        deals = of_text(f"md|{MD}|{pairs}")
    assert pairs in written(deals)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_text_is_read_or_refused(data: st.DataObject) -> None:
    text = list(SAMPLE)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 20))] = data.draw(st.text("|,SHDC1Apmbcmd \n"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        try:
            deals = of_text("".join(text))
        except FormatError as error:
            assert str(error).startswith("x.lin: line ")
        else:
            assert of_text(written(deals)) == deals


def test_real_file(shared: Path) -> None:
    path = shared / "data" / "boards" / "example1.lin"
    deals = read(path)
    assert deals.boards is not None
    endplay_lin = pytest.importorskip("endplay.parsers.lin")
    theirs = endplay_lin.loads(path.read_text())
    assert [Deal(record.deal.to_pbn()).pbn for record in theirs] == [deal.pbn for deal in deals]
    said = [(board.number, board.contract, str(board.declarer)) for board in deals.boards]
    assert said == [
        (1, "5H", "S"), (2, "2S", "W"), (3, "2H", "S"), (4, "4H", "S"),
        (5, "3N", "S"), (6, "3H", "S"), (7, "4S", "S"), (8, "3N", "S"),
    ]  # fmt: skip
    for deal, board in zip(deals, deals.boards, strict=True):
        owner = {card: seat for seat, hand in zip(Seat, deal, strict=True) for card in hand}
        led = [owner[card] for card in board.play[4::4]]  # who leads took the trick before
        taken = sum(seat.side == board.declarer.side for seat in led)
        if len(board.play) == 52:
            assert board.result - taken in (0, 1)
    claimed = {3: 9, 7: 11}
    assert {b.number: b.result for b in deals.boards if len(b.play) < 52} == claimed
    assert deals.boards[0].explanations[1] == (3, "Michaels -- 5+ !S; 9+ total points; forcing")
    assert of_text(written(deals)) == deals
