"""Faults that real files have, each in a small input of our own; and the collection of others."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import round_trip
import trickcast as tc
from trickcast.cards import Board, Deal, DealSet, PartialDeals, Seat, Tag, Vulnerability
from trickcast.formats import FormatError, FormatWarning, iter_deals, read, write_stream

N1 = "N:AK3.QT95.KJ4.Q62 QJ.K873.AQT6.KJ5 T97.AJ64.985.A83 86542.2.732.T974"
N2 = "N:7654.AKQJ.AKQ.98 3.T98.JT98.AKQJT AKQJ2.432.432.32 T98.765.765.7654"
MD1, MD2 = (
    "ST97HAJ64D985CA83,S86542H2D732CT974,SAK3HQT95DKJ4CQ62,",
    ("SAKQJ2H432D432C32,ST98H765D765C7654,S7654HAKQJDAKQC98,"),
)


def of(text: str | bytes, form: str | None, **options: object) -> tuple[list[Board], list[str]]:
    """The boards, and what was told."""
    data = text.encode() if isinstance(text, str) else text
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        deals = DealSet.concatenate(iter_deals(io.BytesIO(data), form, "x", skipped=[], **options))
    return list(deals.boards or [Board()] * len(deals)), [str(note.message) for note in told]


def again(text: str, form: str, through: str) -> list[Board]:
    """The boards when they were written in a format and read again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        sets = list(iter_deals(io.BytesIO(text.encode()), form, skipped=[]))
        out = io.BytesIO()
        write_stream(sets, out, through)
        deals = DealSet.concatenate(iter_deals(io.BytesIO(out.getvalue()), through, skipped=[]))
    return list(deals.boards or ())


def lin(pairs: str, dealer: str = "1", md: str = MD2) -> tuple[Board, list[str]]:
    (board,), told = of(f"qx|o1|md|{dealer}{md}|sv|o|{pairs}", "lin")
    for through in ("lin", "pbn"):
        (kept,) = again(f"qx|o1|md|{dealer}{md}|sv|o|{pairs}", "lin", through)
        assert (kept.auction, kept.contract, kept.declarer, kept.play, kept.result) == (
            board.auction, board.contract, board.declarer, board.play, board.result,
        )  # fmt: skip
    return board, told


def pbn(tags: str) -> tuple[Board, list[str]]:
    text = f'[Board "1"]\n[Dealer "S"]\n[Vulnerable "None"]\n[Deal "{N2}"]\n{tags}\n'
    (board,), told = of(text, "pbn")
    assert again(text, "pbn", "pbn") == [board]
    return board, told


def calls(text: str) -> tuple[str, ...]:
    return tuple({"P": "PASS"}.get(call, call) for call in text.split())


OVER = "mb|p|mb|p|mb|p|"
NONE, NS, BOTH = Vulnerability.NONE, Vulnerability.NS, Vulnerability.BOTH

# --- LIN -----------------------------------------------------------------------------------------


def test_text_before_a_code_is_left_out_and_told() -> None:
    text = f"%% by hand\nqx|o5|md|1{MD2}|\nSouth opens\nmb|1S|{OVER}pg||\n%% next\nmd|2{MD1}|"
    (first, second), told = of(text, "lin")
    assert (first.number, first.contract, first.declarer) == (5, "1S", Seat.SOUTH)
    assert (second.dealer, second.auction) == (Seat.WEST, ())
    assert "'%% by hand' before qx is left out" in told[0] and "2 more like this" in told[1]
    with pytest.warns(FormatWarning) as strictly:
        assert len(DealSet.concatenate(iter_deals(io.BytesIO(text.encode()), "lin"))) == 2
    assert len(strictly) == 2


@pytest.mark.parametrize(
    "text",
    [
        f"%% a\n   qx|o5|md|1{MD2}|\n%% b\n\n  mb|1S|PASSES",  # indented
        f"Part 1\r\nqx|o5|md|1{MD2}|\r\nSouth opens\r\nmb|1S|PASSES",
        f"%% a | b | c\nqx|o5|md|1{MD2}|%% d|\nmb|1S|PASSES",  # bars in a comment
        f"Part 1 qx|o5|md|1{MD2}|South opens mb|1S|PASSES",  # in the line of the code
        f"qx|o5|md|1{MD2}|mb|1S|\n%% why\nan|five|PASSES",
        f"qx|o5|md|1{MD2}|mb|1S|PASSESpg||\n%% the end\n",  # behind the last pair
    ],
)
def test_texts_wherever_they_stand(text: str) -> None:
    data = text.replace("PASSES", OVER).encode()
    with pytest.warns(FormatWarning):  # not an error either where the reading is strict
        (deals,) = iter_deals(io.BytesIO(data), "lin", skipped=None if b"%" in data else [])
    (board,) = deals.boards or ()
    assert (board.number, board.contract, board.auction) == (5, "1S", calls("1S P P P"))


@pytest.mark.parametrize(
    ("pairs", "auction", "contract", "told"),
    [
        ("mb|1S|mb|p|mb|3S|ub||mb|4S|" + OVER, "1S P 4S P P P", "4S", ""),
        ("mb|1S|mb|2C|mb|p|ub|2|mb|p|mb|4S|" + OVER, "1S P 4S P P P", "4S", ""),
        ("mb|1S|mb|p|mb|?|ub||mb|4S|" + OVER, "1S P 4S P P P", "4S", ""),
        ("mb|1S|mb|p|mb|?|mb|4S|" + OVER, "1S P 4S P P P", "4S", ""),
        ("mb|1S-p-?|ub||mb|4S|" + OVER, "1S P 4S P P P", "4S", ""),
        ("mb|1S|" + OVER + "pg||ub|3|", "1S P P P", "1S", ""),
        ("mb|1S-p-4S-p-p-p|", "1S P 4S P P P", "4S", ""),
        ("mb|1S|mb|p|mb|-|mb|2S|", "1S P", None, "mb '-' is not a call"),
        ("mb|1S|mb|pass?|mb|foo|mb|2S|", "1S P", None, "mb 'foo' is not a call"),
        ("mb|-|mb|1N|" + OVER, "1N P P P", None, "does not begin with the dealer"),
        ("mb|1S|mb|p|mb|4S|" + OVER + "mb|5H|" + OVER, "1S P 4S P P P", "4S", "call 7"),
        ("mb|1S|mb|p|mb|1H|" + OVER, "1S P", None, "1H is not higher than 1S"),
        ("mb|1S|mb|r|", "1S", None, "XX has no double before it"),
    ],
)
def test_calls_taken_back_unknown_and_impossible(
    pairs: str, auction: str, contract: str | None, told: str
) -> None:
    board, notes = lin(pairs)
    assert (board.auction, board.contract) == (calls(auction), contract)
    assert (told in notes[0]) if told else not notes


@pytest.mark.parametrize(
    ("pairs", "play", "told"),
    [
        ("pc|ST|pc|S4|pc|S3|pc|S2|up|4|pc|H7|pc|HA|", "H7 HA", ""),
        ("pc|ST|pc|S4|up||pc|S5|", "ST S5", ""),
        ("pc|ST|pc|S4|pc|S3|pc|S2|pg||up|4|", "ST S4 S3 S2", ""),
        (
            "pc|ST|pc|S4|pc|S3|pc|S2|pc|ST|pc|S5|",
            "ST S4 S3 S2",
            "card 5, ST, is impossible: it was",
        ),
        (
            "pc|ST|pc|S4|pc|HT|pc|S2|pc|S3|",
            "ST S4 HT S2",
            "card 5, S3",
        ),
        ("pc|ST|pc|AS|pc|S3|", "ST", "pc 'AS' is not a card"),
        ("pc|S4|pc|S3|", "", "card 1, S4, is impossible: North holds it, and West is to play"),
        ("pc|S3|pc|S2|", "S3 S2", ""),  # a lead out of turn that declarer accepted
    ],
)
def test_cards_taken_back_unknown_and_impossible(pairs: str, play: str, told: str) -> None:
    board, notes = lin(f"mb|1S|{OVER}{pairs}")
    assert board.play == tuple(play.split())
    assert (told in notes[0]) if told else not notes


@pytest.mark.parametrize(
    ("tags", "rs"),
    [
        ('[Contract "Pass"]', "rs|PASS|"),
        ('[Declarer "S"]\n[Contract "3NT"]\n[Auction "S"]\n1C 1S', "rs|3NS|"),
        ('[Declarer "E"]\n[Contract "4SX"]\n[Auction "S"]\n1C AP\n[Result "9"]', "rs|4SXE|"),
        ('[Contract "4S"]', "rs|4S|"),
    ],
)
def test_a_contract_that_no_auction_tells_is_kept_in_lin(tags: str, rs: str) -> None:
    text = f'[Dealer "S"]\n[Deal "{N2}"]\n{tags}\n'
    (board,), _ = of(text, "pbn")
    (kept,) = again(text, "pbn", "lin")
    assert (kept.contract, kept.declarer, kept.result, kept.auction, kept.play) == (
        board.contract, board.declarer, board.result, board.auction, board.play,
    )  # fmt: skip
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        write_stream([DealSet([Deal(N2).owners], None, [board])], out, "lin")
    assert rs in out.getvalue().decode()
    (first, _), _ = of(f"vg|x|\nrs|3NN=,PASS|\nqx|o1|md|1{MD2}|pg||qx|o2|md|1{MD2}|", "lin")
    assert first.contract is None


@pytest.mark.parametrize("names", ["a, Jr,b,c,d", "a,b,c,d,e,f,g,h,i", "a,b,c,d,e,f,g,h,i,j"])
def test_names_that_cannot_be_seated(names: str) -> None:
    (board,), told = of(f"pn|{names}|md|1{MD2}|", "lin")
    assert board.tags == () and "names in pn (expected 4 or 8" in told[0]
    (board,), told = of(f"pn|S,W,N,E,|md|1{MD2}|", "lin")
    assert board.tag("East") == "E" and not told


# --- PBN -----------------------------------------------------------------------------------------


def test_the_tag_with_content_wins() -> None:
    tags = '[Auction "S"]\n[Contract ""]\n[Contract "4S"]\n[Declarer "S"]\n[Auction "S"]\n1S AP\n'
    board, told = pbn(tags + '[Result "9"]\n[Result ""]')
    assert (board.auction, board.contract, board.result) == (calls("1S P P P"), "4S", 9)
    assert "an empty Auction tag is left out" in " ".join(told)
    board, _ = pbn('[Contract "-"]\n[Result "-"]\n[Contract "4S"]\n[Declarer "S"]\n[Result "9"]')
    assert (board.contract, board.declarer, board.result) == ("4S", Seat.SOUTH, 9)
    head = '[Contract "4S"]\n[Declarer "S"]\n'
    for nothing in ("*\n", "- - - -\n", ""):
        board, _ = pbn(f'{head}[Play "W"]\n{nothing}[Play "W"]\nST S4 S3 S2\n*')
        assert board.play == ("ST", "S4", "S3", "S2")
    (board,), _ = of(f'[Event ""]\n[Event "x"]\n[Board ""]\n[Board "4"]\n[Deal "{N2}"]\n', "pbn")
    assert (board.number, board.tag("Event")) == (4, "x")


@pytest.mark.parametrize(
    ("auction", "read", "told"),
    [
        ("1H 1S 3H 2S\nPass 4H AP", "1H 1S 3H", "2S is not higher than 3H"),
        ("1H Pass Pass X\nXX Pass Pass XX", "1H P P X XX P P", "XX has no double before it"),
        ("1H AP\n1S", "1H P P P", "1S comes after the auction has ended"),
        ("1H Pas 2H", "1H", "'Pas' is not a call"),
        ("1H ^I 2H", "1H", "'^I' is not a call"),
        ("1H - 2H Pass", "1H", "'-' is not a call"),
        ("1H Pass 2H -", "1H P 2H", ""),
        ("- 1H Pass", "1H P", "begins with W"),
    ],
)
def test_auctions_up_to_what_is_wrong(auction: str, read: str, told: str) -> None:
    board, notes = pbn(f'[Auction "S"]\n{auction}')
    assert board.auction == (() if "begins" in told else calls(read))
    assert (told in notes[0]) if told else not notes


@pytest.mark.parametrize(
    ("result", "declarer", "tricks"),
    [
        ("NS 9", "N", 9), ("EW 5", "N", 8), ("NS 9 EW 4", "S", 9), ("EW 4 NS 9", "E", 4),
        ("^8", "W", 8), ("^NS 8", "N", 8), ("NS 9 EW 5", "N", None), ("NS 9", "?", None),
        ("ew 10", "E", 10),
    ],
)  # fmt: skip
def test_results_of_sides(result: str, declarer: str, tricks: int | None) -> None:
    board, told = pbn(f'[Declarer "{declarer}"]\n[Contract "3NT"]\n[Result "{result}"]')
    assert board.result == tricks and bool(told) == (tricks is None)


def test_a_result_of_a_side_where_the_auction_tells_the_declarer() -> None:
    board, _ = pbn('[Auction "S"]\n1S Pass 4S AP\n[Result "EW 3"]')
    assert (board.contract, board.declarer, board.result) == ("4S", Seat.SOUTH, 10)


def test_plays_up_to_what_is_wrong() -> None:
    head = '[Declarer "S"]\n[Contract "4S"]\n[Play "W"]\n'
    for rows, play, told in (
        ("ST S4 S3 S2\nS - - -\n*", "ST S4 S3 S2", "'S' is not a card"),
        ("ST S4 S3 S2\nC7 C8 CT -\n*", "ST S4 S3 S2", ""),
        ("ST S4 S3 SA\nC6 C5 CT C3\n*", "ST S4 S3 SA C3 C6", "West holds it, and North is to play"),
        ("ST S4 S3 SA\nC2 C4 C8 CT\n*", "ST S4 S3 SA C2 C4 C8 CT", ""),
    ):
        board, notes = pbn(head + rows)
        assert board.play[: len(play.split())] == tuple(play.split()), rows
        assert (told in " ".join(notes)) or not told


def test_a_tag_ends_a_comment_that_has_no_end() -> None:
    tags = (
        '{Feasible: 10 8\n[South "Ivy"]\n[Declarer "S"]\n[Contract "3NT"]\n{PAR: 3S}\n[Result "10"]'
    )
    board, told = pbn(tags)
    assert (board.tag("South"), board.declarer, board.result) == ("Ivy", Seat.SOUTH, 10)
    assert "the comment that starts here is never closed" in told[0]
    board, told = pbn('{a comment\n[Contract "9H"] in it\n[Result "1"]\n}\n[Result "10"]')
    assert board.result == 10 and not told
    board, told = pbn('[Result "10"]\n{open\n[South "Ivy"]')  # to the end of the file
    assert board.tag("South") == "Ivy" and "never closed" in told[0]


def test_records_without_a_blank_line_between_them() -> None:
    one = f'[Event "a"]\n[Board "20"]\n[West "Ada"]\n[Deal "{N1}"]\n'
    names = '[Event "#"]\n[Board "20"]\n[West "Cid"]\n[Room "Closed"]\n'
    other = f'[Event "b"]\n[Board "1"]\n[West "Eve"]\n[Deal "{N2}"]\n'
    for text in (
        f"{one}\n{names}% PBN 1.0\n{other}",
        one + names + other,
        f"{one}\n{names}\n{other}",
    ):
        boards, _ = of(text, "pbn")
        assert [(b.number, b.tag("West")) for b in boards] == [(20, "Ada"), (20, "Cid"), (1, "Eve")]
        assert again(text, "pbn", "pbn") == boards
    boards, _ = of(f'{one}[Auction "N"]\n1NT AP% PBN 2.1\n{other}', "pbn")  # nor an end of line
    assert [b.auction for b in boards] == [calls("1N P P P"), ()]
    boards, told = of(f'{one}[Event "#"]\n\n{other}', "pbn")  # a tag alone is no record
    assert [b.number for b in boards] == [20, 1] and "Event belongs to no board" in told[0]


@pytest.mark.parametrize("blank", ["\n\n", "\n\n\n", "\n \n", "\r\n\r\n", "\r\r\n"])
@pytest.mark.parametrize("head", ["", "% PBN 2.1\n\n% EXPORT\n\n", "; by hand\n\n"])
def test_a_blank_line_after_every_line(blank: str, head: str) -> None:
    lines = [
        '[Event "x"]',
        '[Dealer "N"]',
        '[Vulnerable "All"]',
        f'[Deal "{N1}"]',
        '[Contract "3NT"]',
    ]
    lines += ['[Declarer "N"]', '[Auction "N"]', "1NT Pass 3NT Pass", "Pass Pass", '[Play "E"]']
    text = head + blank.join([*lines, "H3 H4 H2 H9", "", *lines[:4]])
    (first, second), told = of(text, "pbn")
    assert first.auction == calls("1N P 3N P P P") and first.play == ("H3", "H4", "H2", "H9")
    assert second.contract is None
    if blank != "\r\r\n":  # which is one end of line
        assert "a blank line among calls, cards or results is ignored" in " ".join(told)
    text = "\n".join([*lines[:8], "", *lines[8:], "H3 H4 H2 H9", "", "Text of a page", *lines[:4]])
    (first, second), told = of(text, "pbn")  # and one within the rows alone
    assert first.auction == calls("1N P 3N P P P") and first.play == ("H3", "H4", "H2", "H9")
    assert "'Text of a page' is not PBN" in " ".join(told)


def test_a_whole_play_tells_the_result_and_needs_no_declarer() -> None:
    ranks = "AKQJT98765432"
    deal = f"N:{ranks}... .{ranks}.. ..{ranks}. ...{ranks}"
    play = "\n".join(f"H{rank} D{rank} C{rank} S{rank}" for rank in ranks)
    text = f'[Deal "{deal}"]\n[Declarer "%s"]\n[Contract "%s"]\n[Play "E"]\n{play}\n'
    (board,), told = of(text % ("N", "7S"), "pbn")
    assert board.result == 13 and not told
    assert again(text % ("N", "7S"), "pbn", "pbn") == [board]
    (silent,), _ = of(text % ("?", "7S"), "pbn")
    assert (silent.result, silent.declarer, silent.play) == (None, None, board.play)
    (kept,) = again(text % ("?", "7S"), "pbn", "lin")
    out = io.BytesIO()
    write_stream([DealSet([Deal(deal).owners], None, [kept])], out, "pbn")
    (kept,), _ = of(out.getvalue(), "pbn")
    assert (kept.contract, kept.play) == ("7S", board.play)


# --- hands ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "N:SAK3.HQT95.DKJ4.CQ62 SQJ.HK873.DAQT6.CKJ5 ST97.HAJ64.D985.CA83 S86542.H2.D732.CT974",
        "N:sak3hqt95dkj4cq62 sqjhk873daqt6ckj5 st97haj64d985ca83 s86542h2d732ct974",
        "N:SAK3 HQT95 DKJ4 CQ62 SQJ HK873 DAQT6 CKJ5 ST97 HAJ64 D985 CA83 S86542 H2 D732 CT974",
        N1.rsplit(" ", 1)[0] + " -",
        "S:T97.AJ64.985.A83 86542.2.732.T974 - QJ.K873.AQT6.KJ5",
    ],
)
def test_suit_letters_and_a_hand_that_the_others_leave(text: str) -> None:
    assert Deal(text) == Deal(N1)


def test_addresses_with_explanations() -> None:
    hands = "n=sak3hqt95dkj4cq62&e=sqjhk873daqt6ckj5&s=st97haj64d985ca83&w=s86542h2d732ct974"
    page = f"https://www.bridgebase.com/tools/handviewer.html?{hands}&d=n"
    (board,), told = of(f"{page}&a=1n(15-17)p3n!(to%20play%20(yes))ppp", "links")
    assert board.auction == calls("1N P 3N P P P") and not told
    assert board.explanations == ((0, "15-17"), (2, "to play (yes)"))
    for spelled in ("1n(15-17)-p-3n-p-p-p", "1n!,p,3n,p,p,p", "1npass3n!(a)!ppp", "1N+P+3N+P+P+P"):
        (board,), told = of(f"{page}&a={spelled}&p=h3,h4-h2 h9", "links")
        assert board.auction == calls("1N P 3N P P P") and not told
        assert board.play == ("H3", "H4", "H2", "H9")
    (board,), told = of(f"{page}&a=1np8hp&p=h3h4zz", "links")
    assert board.auction == calls("1N P") and "'8hp' does not begin with a call" in told[0]
    assert board.play == ("H3", "H4")


# --- CSV, BEN, DUP ---


SUITS = ",".join(N1[2:].replace(".", ",").split())
HANDS = ",".join(N1[2:].split())


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (f"w,n,e,s\n{','.join([N1.split()[-1], *N1[2:].split()[:3]])}", {}),
        (f"board;dealer;vul;North;East;South;West\n7;S;EW;{HANDS.replace(',', ';')}",
         {"number": 7, "dealer": Seat.SOUTH, "vulnerability": Vulnerability.EW}),
        (HANDS, {}),
        (f"7,{HANDS}", {"number": 7}),
        (f'7,"{N1}"', {"number": 7}),
        (f'"{N1}"', {}),
        (f"{N1},3NT,N", {"contract": None, "dealer": None}),
        (f"n,e,s,w\n{HANDS.rpartition(',')[0]},", {}),  # a hand that the others leave
        (SUITS, {}),
        (f"{SUITS.lower().replace('t', '10')},7,S/NS",
         {"number": 7, "dealer": Seat.SOUTH, "vulnerability": Vulnerability.NS}),
        (f"{SUITS},7,S,Both",
         {"number": 7, "dealer": Seat.SOUTH, "vulnerability": Vulnerability.BOTH}),
        (",".join(f"{s}{c}" for s in "NESW" for c in "SHDC") + f"\n{SUITS}", {}),
        ("Board," + ",".join(f"{s}_{c}" for s in ("north", "east", "south", "west")
                             for c in ("spades", "hearts", "diamonds", "clubs")) + f"\n7,{SUITS}",
         {"number": 7}),
    ],
)  # fmt: skip
def test_tables_of_other_programs(text: str, meant: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        deals = read(tmp_path / "x.csv")
    assert [deal.pbn for deal in deals] == [N1]
    (board,) = deals.boards or (Board(),)
    for field, value in meant.items():
        assert getattr(board, field) == value


@pytest.mark.parametrize(
    ("text", "contract", "declarer", "result"),
    [
        ("3NT W+1", "3N", "W", 10), ("3NTW+1", "3N", "W", 10), ("4S N=", "4S", "N", 10),
        ("4SXN-2", "4SX", "N", 8), ("4Sx=N", "4SX", "N", 10), ("3NT+1 W", "3N", "W", 10),
        ("N 4S", "4S", "N", None), ("S 3NT =", "3N", "S", 9), ("4♠ by N +1", "4S", "N", 11),
        ("3N W 10", "3N", "W", 10), ("4HXX-S-1", "4HXX", "S", 9), ("2SN+1", "2S", "N", 9),
        ("1NTE-1", "1N", "E", 6), ("Pass", "PASS", None, None), ("N 4S W", None, None, None),
    ],
)  # fmt: skip
def test_contracts_that_say_more(
    text: str, contract: str | None, declarer: str | None, result: int | None
) -> None:
    (board,), told = of(f'contract,deal\n{text},"{N1}"\n', "csv")
    by = None if declarer is None else Seat.parse(declarer)
    assert (board.contract, board.declarer, board.result) == (contract, by, result)
    assert bool(told) == (contract is None)


def test_a_contract_of_many_blanks_is_answered() -> None:  # as once it was not in hours
    (board,), told = of(f'contract,deal\n4S{" " * 30_000}?,"{N1}"\n', "csv")
    assert board.contract is None and told


def test_ben_wherever_its_lines_stand(tmp_path: Path) -> None:
    hands = N1[2:]
    path = tmp_path / "boards.txt"
    for text in (
        f"{hands}\n\n{N2[2:]}\nE All P P 1S\n{hands}\nN - 1N P 3N\n",  # the first has no calls
        f"# boards\n{N2[2:]}\r\nE Both P P 1S\r\n\r\n{hands}\r\nN Love 1N P 3N\r\n",
    ):
        path.write_text(text, newline="")
        deals = read(path, on_error="skip")
        assert [deal.pbn for deal in deals] == [N2, N1] and len(deals.skipped) == 1
        assert [board.vulnerability for board in deals.boards or ()] == [BOTH, NONE]
    path.write_text(f"{hands}\n{N2[2:]}\n")  # four hands alone: as GIB has them, told
    with pytest.warns(FormatWarning, match="read from West on"):
        assert read(path, on_error="skip")[0].west == Deal(N1).north
    with pytest.raises(FormatError, match="four hands without a seat"):
        read(path)


def test_a_record_of_a_machine_that_is_none_takes_no_number_from_the_next() -> None:
    out = io.BytesIO()
    write_stream([DealSet.from_deals([Deal(N1), Deal(N2)])], out, "dup")
    boards, _ = of(b"99" + out.getvalue()[2:], "dup")
    assert [board.number for board in boards] == [2]


# --- boards of two hands -------------------------------------------------------------------------

PARTIAL = '[Deal "W:- K43.AQ5.KJ84.Q32 - A5.KJ42.AQ93.A54"]'


def test_boards_of_two_hands_are_kept_by_formats_that_can() -> None:
    text = (
        f'[Board "1"]\n[Dealer "S"]\n{PARTIAL}\n[Auction "S"]\n1NT Pass 3NT AP\n\n[Deal "{N1}"]\n'
    )
    sets: list[Any] = list(iter_deals(io.BytesIO(text.encode()), "pbn", partial=True))
    assert [type(part) for part in sets] == [PartialDeals, DealSet]
    assert [str(hand) for hand in sets[0].hands[0].values()] == [
        "K43.AQ5.KJ84.Q32", "A5.KJ42.AQ93.A54",
    ]  # fmt: skip
    for form in ("pbn", "lin"):
        out = io.BytesIO()
        write_stream(sets, out, form)
        kept = list(iter_deals(io.BytesIO(out.getvalue()), form, partial=True))
        assert all(np.array_equal(a.owners, b.owners) for a, b in zip(kept, sets, strict=True))
        assert kept[0].boards == sets[0].boards
    with pytest.warns(FormatWarning, match="csv cannot store, and leaves out, 1 board with hidden"):
        write_stream(sets, io.BytesIO(), "csv")
    with pytest.raises(FormatError, match="East's hand is missing, and West's .*'trickcast pair'"):
        list(iter_deals(io.BytesIO(text.encode()), "pbn"))


def test_small_cards_are_for_boards_of_two_hands() -> None:
    text = '[Deal "S:AQxxx.Kx.Axx.Kxx - Kx.Qxxx.Qxxx.AJx -"]'
    with pytest.raises(FormatError, match="x stands for any small card .*'trickcast simulate'"):
        list(iter_deals(io.BytesIO(text.encode()), "pbn"))
    with pytest.warns(FormatWarning, match="x is read as the lowest card that no hand shows"):
        boards: Any = next(iter_deals(io.BytesIO(text.encode()), "pbn", partial=True))
    assert str(boards.hands[0][Seat.SOUTH]) == "AQ432.K2.A32.K32"


def test_commands_take_boards_of_two_hands(
    tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "practice.pbn"
    path.write_text(f'[Board "3"]\n{PARTIAL}\n\n[Board "4"]\n{PARTIAL.replace("W:", "N:")}\n')
    status, out, _ = run("convert", path, tmp_path / "x.lin")
    assert status == 0 and (tmp_path / "x.lin").read_text().count("md|") == 2
    status, out, _ = run("pair", path)
    assert status == 0 and "Board 3" in out and "by N" in out and "by E" in out
    status, out, _ = run("simulate", path, "--board", 4, "--samples", 40, "--solve", 0)
    assert status == 0 and "40 layouts" in out
    status, _, err = run("simulate", path)
    assert status == 2 and "choose one with --board" in err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    err = run("simulate", "-")[2]
    assert err == "trickcast: standard input: 2 boards (choose one with --board NUMBER)\n"
    status, _, err = run("solve", path)
    assert status == 2 and "'trickcast pair'" in err


# --- the collection ------------------------------------------------------------------------------

SPADES = {"auction": "1S P 4S P P P", "contract": "4S", "declarer": Seat.SOUTH}
WILD: dict[str, list[tuple[str, dict[str, object]]]] = {
    "lin_comment_before_md.lin": [
        (N2, SPADES | {"vulnerability": NONE}),
        (N1, {"contract": "4H", "declarer": Seat.SOUTH, "dealer": Seat.SOUTH, "vulnerability": NS}),
    ],
    "lin_comment_before_qx.lin": [(N2, {"number": 5, "contract": "1N"})],
    "lin_text_before_mb.lin": [(N2, SPADES)],
    "lin_undo_bid.lin": [(N2, SPADES)],
    "lin_undo_play.lin": [(N2, SPADES | {"play": "H7 HA H8 H4"})],
    "auction_insufficient.pbn": [(N2, {"auction": "1H 1S 3H", "contract": None})],
    "auction_after_end.lin": [(N2, SPADES)],
    "lin_question_mark_call.lin": [(N2, SPADES)],
    "lin_hyphen_first_seat.lin": [(N2, {"auction": "1N P 3N P P P"})],
    "pbn_empty_auction_first.pbn": [
        (N1, {"auction": "1N 2D X 2S P P 3N P P P", "contract": "3N", "result": 9}),
    ],
    "pbn_cut_record_then_next_file.pbn": [
        (N1, {"number": 20}), (N1, {"number": 20}), (N2, {"number": 1}),
    ],
    "pbn_result_of_side.pbn": [(N1, {"result": 9}), (N1, {"result": 8}), (N1, {"result": 9})],
    "ben_two_lines.txt": [
        (N1, {"dealer": Seat.NORTH, "vulnerability": NONE, "contract": "3N"}),
        (N2, {"dealer": Seat.EAST, "vulnerability": NS, "auction": "P P 1S P 4S P P P"}),
    ],
    "ben_one_line.ben": [
        (N1, {"dealer": Seat.NORTH, "vulnerability": NONE, "auction": "1N P 3N P P P"}),
    ],
    "pbn_suit_letters.pbn": [(N1, {"number": 1})],
    "three_hands_and_dash.txt": [(N1, {})],
    "viewer_alert_text.url": [(N1, {"auction": "1D 2D P P P", "explanations": ((1, "natural"),)})],
    "viewer_note_text.url": [(N1, {"auction": "1N P 3N P P P", "explanations": ((0, "15-17"),)})],
    "pbn_unclosed_comment.pbn": [(N1, {"result": 10, "declarer": Seat.SOUTH, "contract": "3N"})],
    "diagram_pasted.txt": [(N1, {"number": 2, "dealer": Seat.EAST, "vulnerability": NS})],
    "diagram_of_trickcast.txt": [
        ("N:Q8653.85.K2.J875 4.Q2.T98753.KQ62 JT972.AT63.AQ4.T AK.KJ974.J6.A943",
         {"number": 1, "dealer": Seat.NORTH, "vulnerability": NONE}),
    ],
    "diagram_three_lines.txt": [(N1, {})],
    "lower_case_seats.csv": [(N1, {})],
    "sixteen_suits.csv": [(N1, {"number": 1, "dealer": Seat.NORTH, "vulnerability": NONE})],
    "contract_with_declarer.csv": [
        (N1, {"contract": "3N", "declarer": Seat.WEST, "result": 10}),
        (N2, {"contract": "4S", "declarer": Seat.NORTH, "result": None}),
    ],
    "lin_commas_in_names.lin": [(N2, SPADES | {"tags": (Tag("Room", "Open"),), "result": 10})],
    "pbn_one_bad_card.pbn": [(N1, {"play": "H3 H4 H2 H9 DJ D6 D5 D2"})],
    "lin_more_than_52_cards.lin": [(N2, SPADES | {"play": "ST S4 S3 S2"})],
    "pbn_auction_ends_with_hyphen.pbn": [(N1, {"auction": "P 1N P 4C P 4H P", "contract": None})],
    "pbn_double_spaced.pbn": [
        (N1, {"auction": "1N P 3N P P P", "play": "H3 H4 H2 H9 DJ D6 D5 D2",
              "vulnerability": BOTH}),
    ],
}  # fmt: skip
TOLD = {
    "auction_insufficient.pbn": "2S is not higher than 3H",
    "auction_after_end.lin": "after the auction has ended",
    "lin_hyphen_first_seat.lin": "does not begin with the dealer",
    "pbn_unclosed_comment.pbn": "never closed",
    "lin_commas_in_names.lin": "9 names",
    "pbn_one_bad_card.pbn": "'S' is not a card",
    "lin_more_than_52_cards.lin": "it was already played",
}


@pytest.fixture
def wild(shared: Path) -> Path:
    folder = shared / "data" / "boards" / "wild"
    if not folder.is_dir():
        pytest.skip("the collection is not in ../shared")
    return folder


@pytest.mark.parametrize("name", WILD)
def test_files_of_the_collection(wild: Path, name: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        deals = tc.read(wild / name, on_error="skip")
    assert deals.skipped == () and [deal.pbn for deal in deals] == [deal for deal, _ in WILD[name]]
    assert TOLD.get(name, "") in " ".join(str(note.message) for note in told)
    for board, (_, meant) in zip(deals.boards or [Board()] * len(deals), WILD[name], strict=True):
        for field, value in meant.items():
            words = calls(str(value)) if field in ("auction", "play") else value
            assert getattr(board, field) == words, field


def test_the_collection_is_all_here(wild: Path) -> None:
    files = {path.name for path in wild.iterdir()} - {"index.csv"}
    assert files == WILD.keys() | {"small_cards.pbn"}
    with pytest.raises(FormatError, match="'trickcast pair' and 'trickcast simulate'"):
        read(wild / "small_cards.pbn")
    with pytest.warns(FormatWarning, match="x is read as"):
        (boards,) = iter_deals(wild / "small_cards.pbn", partial=True)
    assert boards.boards[0].auction == calls("1S P 2C P 2N P 3N P P P")


@pytest.mark.slow
def test_championships_keep_all_through_pbn_and_lin(shared: Path) -> None:
    assert round_trip.main(shared / "data" / "played" / "championships.pbn.gz", every=16) == 0
