"""Diagrams, BEN, our own JSON, files of dealing machines; and files that hold no deals."""

import io
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import format_samples as sample
import trickcast as tc
from trickcast.cards import Board, Deal, DealSet, Seat, Strain, Tag, Vulnerability, card_text
from trickcast.formats import FORMATS, FormatError, FormatWarning, iter_deals, read, write_stream
from trickcast.formats.board_text import tricks_of

DEAL = Deal("N:AK3.QT95.KJ4.Q62 QJ.K873.AQT6.KJ5 T97.AJ64.985.A83 86542.2.732.T974")
VOIDS = Deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
HANDS = {seat: str(DEAL[seat]) for seat in Seat}


def of(text: str | bytes, form: str | None = None, **options: object) -> DealSet:
    data = text.encode() if isinstance(text, str) else text
    return DealSet.concatenate(iter_deals(io.BytesIO(data), form, "x", **options))


# --- diagrams ------------------------------------------------------------------------------------


def column(hand: str, signs: str = "♠♥♦♣", gap: str = " ", void: str = "—") -> list[str]:
    rows = zip(signs, hand.split("."), strict=True)
    return [f"{sign}{gap}{' '.join(ranks).replace('T', '10') or void}" for sign, ranks in rows]


def compass(deal: Deal, wide: int = 16, **style: str) -> str:
    north, east, south, west = (column(str(hand), **style) for hand in deal)
    middle = zip(west, ["N", "W   E", "S", ""], east, strict=True)
    rows = [" " * wide + row for row in north]
    rows += [f"{a:{wide}}{b:^8}    {c}" for a, b, c in middle]
    return "\n".join([*rows, *(" " * wide + row for row in south), ""])


@pytest.mark.parametrize(
    "style",
    [
        {},
        {"gap": ""},
        {"signs": "SHDC"},
        {"signs": "SHDC", "gap": ": "},
        {"signs": "SHDC", "gap": "-", "void": "--"},
        {"signs": ("Spades", "Hearts", "Diamonds", "Clubs"), "gap": " "},
        {"void": ""},
        {"void": "-"},
        {"void": "none"},
        {"signs": "SHDC", "void": "void"},
        {"signs": ("&spades;", "&hearts;", "&diams;", "&clubs;")},
        {"signs": ("!S", "!H", "!D", "!C")},
        {"gap": "\u00a0"},
    ],
)
def test_four_hands_around_a_compass(style: dict[str, str]) -> None:
    for deal in (DEAL, VOIDS):
        deals = of(f"Match 3\nBoard 9\n{compass(deal, **style)}\nA dull deal.\n")
        assert list(deals) == [deal]
        assert deals.boards is not None and deals.boards[0].number == 9


@pytest.mark.parametrize(
    ("head", "board"),
    [
        ("Board 2\nEast Deals\nN-S Vul", (2, Seat.EAST, Vulnerability.NS)),
        ("Dealer: W   Vul: None", (None, Seat.WEST, Vulnerability.NONE)),
        ("Bd. 17 Dlr North, Both sides vulnerable", (17, Seat.NORTH, Vulnerability.BOTH)),
        ("South deals. Game all.", (None, Seat.SOUTH, Vulnerability.BOTH)),
        ("North-South vulnerable", (None, None, Vulnerability.NS)),
        ("Board 3, dealer South, vulnerable EW", (3, Seat.SOUTH, Vulnerability.EW)),
        ("Deal 4", (None, None, None)),
    ],
)
def test_what_is_said_around_a_diagram(head: str, board: tuple[object, ...]) -> None:
    deals = of(f"{head}\n{compass(DEAL)}", "diagram")
    said = (deals.boards or [Board()])[0]
    assert (said.number, said.dealer, said.vulnerability) == board


@pytest.mark.solver
def test_the_output_of_our_commands(tmp_path: Path, run) -> None:
    path = tmp_path / "deals.txt"
    _, out, _ = run("deal", "--boards", 3, "--seed", 5, "--to", "diagram")
    path.write_text(out)
    drawn = read(path)
    _, pbn, _ = run("deal", "--boards", 3, "--seed", 5, "--to", "pbn")
    dealt = of(pbn, "pbn")
    assert list(drawn) == list(dealt) and drawn.boards == dealt.boards
    status, out, _ = run("solve", DEAL.pbn)
    if status == 0:
        path.write_text(out)
        solved = read(path)
        assert list(solved) == [DEAL] and solved.tricks is not None
        assert (solved.tricks[0] == tc.solve(DEAL).tricks).all()


def test_hands_with_their_seats() -> None:
    words = {seat: " ".join(hand.split(".")) for seat, hand in HANDS.items()}
    lines = [f"{seat.letter}: {words[seat]}\n" for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
    lines.append(f"South {HANDS[Seat.SOUTH]}\n")
    signed = "".join(f"{seat.word}: {'  '.join(column(HANDS[seat]))}\n" for seat in Seat)
    titled = "".join(f"{seat.word}\n" + "\n".join(column(HANDS[seat])) + "\n" for seat in Seat)
    beside = zip(*(column(hand) for hand in HANDS.values()), strict=True)
    columns = "North           East            South           West\n" + "".join(
        "".join(f"{cell:16}" for cell in row) + "\n" for row in beside
    )
    told = "".join(f"{seat.letter} = {hand}\n" for seat, hand in HANDS.items())
    missing = told.replace(HANDS[Seat.WEST], "-")
    for text in ("".join(lines), signed, titled, columns, told, missing):
        assert list(of(text)) == [DEAL], text


@pytest.mark.parametrize("deal", [DEAL, VOIDS])
def test_suits_without_signs(deal: Deal) -> None:
    signs = dict.fromkeys("♠♥♦♣", "")
    north, east, south, west = (
        [row.strip().replace(" ", "") for row in column(str(hand), signs="    ", void="-")]
        for hand in deal
    )
    rows = [*north, *map("   ".join, zip(west, east, strict=True)), *south]
    labelled = ["North", *rows[:4], "West   East", *rows[4:8], "South", *rows[8:]]
    compass = [*rows[:4], *map("  N  ".join, zip(west, east, strict=True)), *south]
    across = list(zip(north, east, south, west, strict=True))
    named = "North  East  South  West\n"
    for text in (
        "\n".join(rows),
        "\n".join(labelled),
        "\n".join(compass),
        named + "\n".join(map("  ".join, across)),
        named + "\n".join(f"{s}  {'  '.join(row)}" for s, row in zip(signs, across, strict=True)),
        f"|  | {named.strip().replace('  ', ' | ')} |\n|---|---|---|---|---|\n"
        + "\n".join(f"| {s} | {' | '.join(row)} |" for s, row in zip("SHDC", across, strict=True)),
    ):
        assert list(of(f"Board 3\n{text}\nWest leads.\n")) == [deal], text


def test_more_than_thirteen_tricks_in_the_table_are_told() -> None:
    table = "   NT  ♠  ♥  ♦  ♣\nN   9  8 14  ?  7\nS   9  8 99 13  7\n"
    with pytest.warns(FormatWarning) as told:
        deals = of(f"{compass(DEAL)}\n{table}", "diagram")
    assert str(told[0].message).endswith(": 14 tricks by N are left out (expected 0 to 13)")
    assert str(told[1].message).startswith("x: 1 more like this") and len(told) == 2
    assert deals.tricks is not None and deals.tricks[0, :, 0].tolist() == [8, 255, 255, 7, 9]


def test_a_label_on_a_hand_is_heard_or_refused() -> None:
    drawn = {seat: " ".join(map("".join, zip("♠♥♦♣", HANDS[seat].split("."), strict=True)))
             for seat in Seat}  # fmt: skip
    lines = [f"North {drawn[Seat.NORTH]}",
             f"West {drawn[Seat.WEST]}   East {drawn[Seat.EAST]}",
             f"South {drawn[Seat.SOUTH]}"]  # fmt: skip
    assert of("\n".join(lines), "diagram").owners.tobytes() == tc.Deal(DEAL).owner_bytes
    with pytest.raises(FormatError, match="S's hand in N's place .expected North on top"):
        of("\n".join(reversed(lines)), "diagram")


def test_diagrams_that_are_none() -> None:
    whole, lines = compass(DEAL), column(HANDS[Seat.NORTH])
    for text, reason in (
        ("\n".join(lines), "a diagram of 1 hand .expected 4"),
        ("\n".join(lines * 4), "four hands without seats"),
        (whole.replace("Q 10 9 5", "K 10 9 5"), "HK is held by North and by East"),
        (whole.replace("Q 10 9 5", "Q 10 9"), "North's hand .*12 cards"),
    ):
        with pytest.raises(FormatError, match=reason):
            of(text, "diagram")
        assert FORMATS["diagram"].sniff(text.encode()) == (text.count("♠") == 4)  # else no diagram
    skipped: list[object] = []
    text = f"Board 1\n{whole}\nBoard 2\n" + "\n".join(lines) + f"\nBoard 3\n{whole}"
    deals = of(text, "diagram", skipped=skipped)
    assert [board.number for board in deals.boards or ()] == [1, 3] and len(skipped) == 1


# --- BEN and GIB ---------------------------------------------------------------------------------

FOUR = " ".join(HANDS.values())


def test_ben_begins_with_north() -> None:
    for text in (f"{FOUR}\nE N-S 1N X P 2H P P P\n", f"E N-S {FOUR} #1N-X-P-2H-P-P-P\n"):
        deals = of(text * 2)
        assert list(deals) == [DEAL, DEAL] and deals.boards is not None
        board = deals.boards[1]
        assert (board.dealer, board.vulnerability) == (Seat.EAST, Vulnerability.NS)
        assert (board.contract, board.declarer) == ("2H", Seat.NORTH)
    skipped: list[object] = []
    deals = of(f"{FOUR}\n{FOUR}\nN None P\nnothing\n{FOUR}\n", "ben", skipped=skipped)
    assert len(deals) == 1 and len(skipped) == 3
    with pytest.warns(FormatWarning, match="'1X' is not a call .*the calls before it are kept"):
        deals = of(f"{FOUR}\nN None P 1X 2C\n", "ben")
    assert (deals.boards or [Board()])[0].auction == ("PASS",)


def test_four_hands_without_a_seat_are_gibs_and_that_is_told() -> None:
    from_west = Deal(f"W:{FOUR}")
    with pytest.raises(FormatError, match="line 1: four hands without a seat .*--from gib"):
        of(f"{FOUR}\n")
    with pytest.warns(FormatWarning, match="read from West on"):
        assert list(of(f"{FOUR}\n{FOUR}\n", skipped=[])) == [from_west] * 2
    assert list(of(f"{FOUR}\n", "gib")) == [from_west]


# --- JSON ----------------------------------------------------------------------------------------


@pytest.mark.solver
def test_our_json_is_read_again(tmp_path: Path, run) -> None:
    path = tmp_path / "boards.pbn"
    tc.write(DealSet([DEAL.owners], None, [Board(number=7, dealer=Seat.WEST)]), path)
    answers = [
        run("estimate", path, "--json"),
        run("par", path, "--json"),
        run("solve", path, "--json"),
    ]
    for status, out, _ in answers:
        if status != 0:
            continue  # no solver here
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            deals = of(out)
        assert list(deals) == [DEAL] and deals.boards is not None and deals.boards[0].number == 7
    if answers[2][0] == 0:
        assert (of(answers[2][1]).tricks == tc.solve(DEAL).tricks).all()


def test_json_is_written_and_read_again() -> None:
    tricks = np.full((2, 5, 4), 255, dtype=np.uint8)
    tricks[0, 4, :2] = 9, 4
    board = Board(
        number=9, dealer=Seat.NORTH, vulnerability=Vulnerability.EW, contract="3N",
        declarer=Seat.NORTH, result=9, auction=("1N", "PASS", "3N", "PASS", "PASS", "PASS"),
        play=("H3", "H4", "H2", "H9"),
    )  # fmt: skip
    deals = DealSet([DEAL.owners, VOIDS.owners], tricks, [board, Board()])
    out = io.BytesIO()
    write_stream([deals], out, "json")
    first, second = map(json.loads, out.getvalue().splitlines())
    assert second == {"deal": VOIDS.pbn} and first["dealer"] == "N" and first["vulnerable"] == "ew"
    assert first["exact"][4] == [9, 4, None, None] and first["play"] == ["H3", "H4", "H2", "H9"]
    assert of(out.getvalue()) == deals
    with pytest.warns(
        FormatWarning, match="json cannot store, and leaves out, what boards say .Event."
    ):
        write_stream(
            [DealSet([DEAL.owners], None, [Board(tags=(Tag("Event", "x"),))])], io.BytesIO(), "json"
        )
    with pytest.warns(FormatWarning, match="dup cannot store, and leaves out, .*auction"):
        write_stream([DealSet([DEAL.owners], None, [board])], io.BytesIO(), "dup")


def test_json_of_an_auction_and_a_play() -> None:
    entry = {"deal": DEAL.pbn, "dealer": "N", "auction": "1N P 3N P P P", "result": 9}
    entry |= {"cards": [{"card": "H3"}, {"card": "H4"}, {"card": "HA"}]}
    with pytest.warns(FormatWarning, match="card 3, HA, is impossible"):
        (board,) = of(json.dumps(entry), "json").boards or ()
    assert (board.contract, board.declarer, board.result) == ("3N", Seat.NORTH, 9)
    assert board.play == ("H3", "H4") and len(board.auction) == 6
    for wrong in ({"auction": ["1N", "8C"]}, {"play": ["ZZ"]}, {"result": 14}):
        with pytest.warns(FormatWarning):
            of(json.dumps(entry | wrong), "json")
    for odd in ({"auction": 5, "play": None}, {"auction": [None], "cards": True}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            assert list(of(json.dumps(entry | odd), "json")) == [DEAL]


@pytest.mark.parametrize(
    ("stated", "message", "outcome"),
    [
        ({"contract": "4S", "by": "E"}, "the object says 4S by E; both", ("4S", Seat.EAST)),
        ({"by": "E"}, "the object says declarer E; the auction counts", ("3N", Seat.NORTH)),
        ({"contract": "3N"}, "", ("3N", None)),
        ({"by": "N"}, "", ("3N", Seat.NORTH)),
        ({"auction": "1N P 3N AP"}, "", ("3N", Seat.NORTH)),
        ({"by": "E", "auction": "1N"}, "", (None, Seat.EAST)),
    ],
)
def test_json_whose_auction_leads_elsewhere(
    stated: dict[str, str], message: str, outcome: tuple[str | None, Seat | None]
) -> None:
    entry = {"deal": DEAL.pbn, "dealer": "N", "auction": "1N P 3N P P P", **stated}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        (board,) = of(json.dumps(entry), "json").boards or ()
    assert (board.contract, board.declarer) == outcome
    assert len(told) == bool(message) and all(message in str(entry.message) for entry in told)


def test_a_bad_first_line_of_json_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "not json\n" + json.dumps({"deal": DEAL.pbn}, separators=(",", ":")) + "\n[\n"
    with pytest.raises(FormatError, match="x: line 1: 'Expecting value"):
        of(text * 2, "json")
    for limit in ("100000", "100"):  # a file too long to be one value too
        monkeypatch.setenv("TRICKCAST_LIMIT_LINE", limit)
        skipped: list[object] = []
        assert list(of(text * 20, "json", skipped=skipped)) == [DEAL] * 20
        assert [str(entry).split(":")[1] for entry in skipped[:3]] == [
            " line 1", " line 3", " line 4",
        ]  # fmt: skip
        assert len(skipped) == 40


def test_json_in_other_shapes() -> None:
    entry = {"deal": DEAL.pbn, "board": 3, "dealer": "S", "vulnerable": "ns", "contract": "4SX"}
    entry |= {"by": "E", "strains": ["N", "S"], "declarers": ["W"], "exact": [[1], [255]]}
    for shape in (entry, [entry], {"results": [entry]}, {"boards": [entry], "skipped": []}):
        for indent in (None, 2):
            deals = of(json.dumps(shape, indent=indent))
            assert list(deals) == [DEAL] and deals.tricks is not None and deals.boards is not None
            assert deals.tricks[0, 4, 3] == 1 and (deals.tricks != 255).sum() == 1
            assert deals.boards[0] == Board(
                number=3, dealer=Seat.SOUTH, vulnerability=Vulnerability.NS, contract="4SX",
                declarer=Seat.EAST,
            )  # fmt: skip
    assert len(of(json.dumps({"deals": [DEAL.pbn, DEAL.pbn]}), "json")) == 2
    for wrong in ([[14]], [[1, 2]], "x", [["x"]], [[-1]]):
        with pytest.raises(FormatError, match="exact"):
            of(json.dumps(entry | {"exact": wrong}), "json")
    with pytest.raises(FormatError, match="line 2: .*JSON value a line"):
        of(json.dumps(entry) + "\n{\n", "json")
    with pytest.warns(FormatWarning, match="dealer is left out"):
        assert list(of(json.dumps(entry | {"dealer": 5}), "json")) == [DEAL]


# --- dealing machines ----------------------------------------------------------------------------


def numbers(deal: Deal) -> bytes:
    """The cards of North, East and South as two digits, by another route."""
    owner = {card: seat for seat in "NESW" for card in sample.DECK if has(deal, seat, card)}
    text = "".join(
        f"{place:02}" for seat in "NES" for place, card in enumerate(sample.DECK, 1)
        if owner[card] == seat
    )  # fmt: skip
    return text.encode()


def has(deal: Deal, seat: str, card: str) -> bool:
    return card[1] in str(deal[seat]).split(".")["SHDC".index(card[0])]


def test_bri_is_numbers_of_cards(tmp_path: Path) -> None:
    data = numbers(DEAL).ljust(128) + numbers(VOIDS).ljust(128, b"\0")
    (tmp_path / "x.bri").write_bytes(data)
    assert list(read(tmp_path / "x.bri")) == [DEAL, VOIDS]
    assert sample.write_bytes(FORMATS["bri"], DealSet([DEAL.owners])) == data[:128]
    skipped: list[object] = []
    bad = data[:128].replace(b"01", b"00") + data
    assert len(of(bad, "bri", skipped=skipped)) == 2 and "card number 00" in str(skipped[0])
    with pytest.raises(FormatError, match=r"byte 128 \(record 1\): card number .. appears twice"):
        of(data[:128] + data[2:4] + data[2:128], "bri")


def test_dup_holds_the_cards_twice_and_names_its_boards() -> None:
    deals = DealSet([DEAL.owners, VOIDS.owners], None, [Board(number=7), Board(number=8)])
    data = sample.write_bytes(FORMATS["dup"], deals)
    assert len(data) == 312 and data[:78] == numbers(DEAL)
    assert data[78:95] == b"\x06AK3\x03QT95\x04KJ4\x05Q62" and data[146:156] == b"NN00701008"
    again = of(data)
    assert list(again) == [DEAL, VOIDS] and again.boards is not None
    assert again.boards[1] == Board(number=8).completed()
    backwards = of(data.replace(b"NN007", b"yy007"), "dup")
    assert [board.number for board in backwards.boards or ()] == [8, 7]
    with pytest.warns(FormatWarning, match="second list of the cards .DGE. differs"):
        assert list(of(data.replace(b"\x06AK3", b"\x06AK4"), "dup")) == [DEAL, VOIDS]
    with pytest.warns(FormatWarning, match="control bytes|'x0' .*no number|has no number"):
        assert of(data.replace(b"NN007", b"xx007"), "dup").boards == (Board(), Board())
    apart = DealSet(deals.owners, None, [Board(number=7), Board(number=9)])
    with pytest.raises(FormatError, match="board 9 after board 7"):
        write_stream([apart], io.BytesIO(), "dup")


def test_dup_tells_what_a_boards_number_does_not_say() -> None:
    def again(*sets: DealSet) -> tuple[tuple[Board, ...], list[str]]:
        out = io.BytesIO()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            write_stream(sets, out, "dup")
        return of(out.getvalue(), "dup").boards or (), [str(entry.message) for entry in told]

    def one(**fields: object) -> DealSet:
        return DealSet([DEAL.owners], None, [Board(**fields)])

    same = Board(number=1, dealer="N", vulnerability="none")
    assert again(one(number=1, dealer="N", vulnerability="none")) == ((same,), [])
    boards, told = again(one(number=1, dealer="E", vulnerability="both"), one(dealer="S"))
    assert boards == (same, Board(number=2).completed()) and told == [
        "DUP output: board 1: dealer E is left out: by its number the board has dealer N",
        "DUP output: board 1: vulnerability both is left out: by its number the board has "
        "vulnerability none",
        "DUP output: 1 more like this: boards with another dealer than their number's",
    ]
    assert again(one(number=0)) == ((Board(number=0),), [])
    assert "has no dealer" in again(one(number=0, dealer="E"))[1][0]
    boards, told = again(one(number=5), DealSet([VOIDS.owners]))
    assert [board.number for board in boards] == [5, 6] and not told
    with pytest.raises(FormatError, match="board 1000 .expected numbers 0 to 999"):
        again(one(number=1000))


@settings(max_examples=30, deadline=None)
@given(sample.deal_sets())
def test_round_trips_of_dealing_machines(deals: DealSet) -> None:
    for name in ("bri", "dup"):
        out = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            write_stream([deals], out, name)
        assert FORMATS[name].sniff(out.getvalue())
        assert (of(out.getvalue(), name).owners == deals.owners).all()


# --- what holds no deals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("x.tcl", "main {\n  reject if {[hcp north] < 12}\n}\n", "a script for Deal .Tcl."),
        ("x.txt", "source lib/score.tcl\nmain {\n accept\n}\n", "read the output of Deal"),
        ("x.bml", "1C; 16+\n 1D; 0-7\n", "BML, which describes a bidding system"),
        ("x", "#TITLE Precision\n1C; 16+\n", "contains no deals"),
    ],
)
def test_files_of_other_kinds_are_named(tmp_path: Path, name: str, text: str, what: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=what):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["x.pbn", "x.lin", "x.txt", "x"])
def test_pages_and_pictures_under_the_names_of_deals_are_called_so(
    tmp_path: Path, recwarn, name: str
) -> None:
    page = f"<!DOCTYPE html>\n<html><pre>\n{tc.random_deals(1, seed=1)[0]}\n</pre></html>\n"
    for content, what in (
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0", "a picture, not deals"),
        (page.replace("♠", "").encode(), "HTML, not deals"),
        (b"\n<HTML><body>Results</body></HTML>", "HTML, not deals"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError, match=f"{name}: {what}"):
            read(tmp_path / name)
    (tmp_path / "x.pbn").write_text(page, "utf-8")
    with pytest.raises(FormatError, match=r"x\.pbn: HTML, not deals"):
        read(tmp_path / "x.pbn")
    assert not recwarn.list


@pytest.mark.parametrize("first", list(Seat))
def test_tricks_are_counted_from_whoever_led(first: Seat) -> None:
    (deal,) = tc.random_deals(1, seed=3)
    left, leader, play, won = set(range(52)), first, [], [0, 0]
    for _ in range(13):
        trick: list[int] = []
        for turn in range(4):
            own = {card for card in left if deal.owners[card] == (leader + turn) % 4}
            trick.append(
                min({card for card in own if trick and card // 13 == trick[0] // 13} or own)
            )
            left.remove(trick[-1])
        spades = [card for card in trick if card < 13]
        best = min(spades or (card for card in trick if card // 13 == trick[0] // 13))
        leader = Seat((leader + trick.index(best)) % 4)
        won[leader.side] += 1
        play += map(card_text, trick)
    for count in (48, 50, 52):
        found = tricks_of(play[:count], Seat.SOUTH, Strain.SPADES, deal.owner_bytes)
        assert found == won[0]
