"""What the page makes of boards as people have them: the same as the package, or said in words."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import board_dealer, board_vulnerability

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
NORTH, EAST, SOUTH, WEST = DEAL[2:].split()
NOT_COMPARED = {
    "comment_after_action.dl": "a script",
    "index.csv": "says what the others are",
    "ben_one_line.ben": "no format of the page",
    "ben_two_lines.txt": "no format of the page",
}
PATIENCE = 60_000  # milliseconds, on a busy machine
READ = """async (files) => {
    const { readText, textOf } = await import("./read.js");
    return files.map((bytes) => {
        try {
            const text = typeof bytes === "string" ? bytes : textOf(Uint8Array.from(bytes));
            const { boards, skipped } = readText(text);
            return { skipped, boards: boards.map((board) => ({ ...board, deal: board.deal.pbn })) };
        } catch (error) {
            return { error: error.message };
        }
    });
}"""


@pytest.fixture(scope="module")
def page(browser: Any, site: str) -> Iterator[Any]:
    """A page whose modules are asked."""
    shown = browser.new_page()
    shown.set_default_timeout(PATIENCE)
    shown.goto(site)
    yield shown
    shown.close()


def read(page: Any, *texts: Any) -> list[Any]:
    """What the page reads in each text or file: boards and what was skipped, or an error."""
    return list(page.evaluate(READ, list(texts)))


def facts(board: dict[str, Any]) -> tuple[Any, ...]:
    """What the page says of a board."""
    names = ("deal", "number", "dealer", "vulnerable", "contract", "declarer", "result")
    return (*(board[name] for name in names), tuple(board["auction"]))


def expected(deal: tc.Deal, board: tc.Board) -> tuple[Any, ...]:
    """What the package says of it; the page takes from the number what else is not said."""
    dealer, sides, number = board.dealer, board.vulnerability, board.number
    if number:
        dealer = board_dealer(number) if dealer is None else dealer
        sides = board_vulnerability(number) if sides is None else sides
    return (
        deal.pbn, number,
        None if dealer is None else int(dealer),
        None if sides is None else str(sides).lower(),
        board.contract,
        None if board.declarer is None else int(board.declarer),
        board.result,
        board.auction if dealer == board.dealer else (),
    )  # fmt: skip


def test_files_as_people_have_them_are_read_as_the_package_reads_them(page, shared: Path):
    folders = [shared / "data" / "boards" / name for name in ("wild", "minimal")]
    paths = [path for folder in folders for path in sorted(folder.iterdir())]
    paths = [path for path in paths if path.name not in NOT_COMPARED]
    answers = read(page, *(list(path.read_bytes()) for path in paths))
    compared = 0
    for path, answer in zip(paths, answers, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                deals = tc.read(path)
            except tc.FormatError:
                continue
        boards = deals.boards or [tc.Board()] * len(deals)
        ours = [expected(*pair) for pair in zip(deals, boards, strict=True)]
        assert [facts(board) for board in answer["boards"]] == ours, path.name
        assert answer["skipped"] == [], path.name
        compared += 1
    assert compared > 30


def test_records_of_other_tables_have_the_deal_before(page):
    first = f'[Board "3"]\n[Dealer "E"]\n[Deal "{DEAL}"]\n[Declarer "N"]\n[Contract "4H"]\n'
    other = '[West "Zak"]\n[Declarer "S"]\n[Contract "3NT"]\n[Result "8"]\n'
    (answer,) = read(page, f'{first}\n{other}\n[Board "4"]\n[Deal "{DEAL}"]\n')
    assert [(b["number"], b["dealer"], b["contract"]) for b in answer["boards"]] == [
        (3, 1, "4H"), (3, 1, "3N"), (4, 3, None)
    ]  # fmt: skip
    assert {board["deal"] for board in answer["boards"]} == {tc.Deal(DEAL).pbn}
    (answer,) = read(page, f'{first}\n[Board "4"]\n{other}')
    assert "board 4: it has no Deal tag" in answer["skipped"][0]


def suits(hand: str, between: str = "\n") -> str:
    """A hand as it is drawn."""
    return between.join(f"{sign} {ranks}" for sign, ranks in zip("♠♥♦♣", hand.split("."),
                                                                strict=True))  # fmt: skip


STACKED = "\n".join(map(suits, (NORTH, WEST))) + "\nN\nW   E\nS\n" + "\n".join(
    map(suits, (EAST, SOUTH))
)  # fmt: skip
THREE_LINES = f"      {NORTH}\n{WEST}    {EAST}\n      {SOUTH}".replace(".", " ")
LETTERS = "\n".join(
    f"{seat}\n{suits(hand)}" for seat, hand in zip("NWES", (NORTH, WEST, EAST, SOUTH), strict=True)
)
HANDS = (NORTH, EAST, SOUTH, WEST)
SUIT_LETTERS = " ".join(
    ".".join(map("".join, zip("SHDC", hand.split("."), strict=True))) for hand in HANDS
)
COLUMNS = ",".join(f'"{suit}"' for hand in HANDS for suit in hand.split("."))


@pytest.mark.parametrize(
    "text",
    [
        STACKED,
        THREE_LINES,
        LETTERS,
        f'[Deal "N:{SUIT_LETTERS}"]',
        f"n,e,s,w\n{','.join(HANDS)}",
        f'{COLUMNS},"1","N/-"',
    ],
    ids=["stacked", "three lines", "letters above", "suit letters", "lower case", "16 columns"],
)
def test_deals_are_read_in_these_forms_too(page, text):
    (answer,) = read(page, text)
    assert [board["deal"] for board in answer["boards"]] == [tc.Deal(DEAL).pbn]
    assert answer["skipped"] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\n".join(map(suits, HANDS)), "nothing says whose the hands are"),
        ("\n".join(suits(hand, " ") for hand in HANDS), "nothing says whose the hands are"),
        (STACKED.replace("♦ A65", "A65"), "of 4 hands 3 can be read"),
        (THREE_LINES.replace("A65 Q98", "A65.Q98"), "cannot be read as a hand or two"),
    ],
    ids=["no seats", "lines without seats", "a suit without sign", "a line half with dots"],
)
def test_hands_whose_seats_or_cards_are_not_clear_are_refused(page, text, told):
    (answer,) = read(page, text)
    assert told in answer["error"]


VIEWER = "https://www.bridgebase.com/tools/handviewer.html"


def test_an_address_is_read_only_where_it_has_the_deal(page):
    pbn = f'[Site "https://example.org/"]\n[Event "{VIEWER}"]\n[Deal "{DEAL}"]\n'
    viewer = f"{VIEWER}?n={NORTH}&e={EAST}&s={SOUTH}"
    texts = [pbn, f"See https://example.org/forum\n{DEAL}", f"Look: {viewer} there"]
    for answer in read(page, *texts):
        assert [board["deal"] for board in answer["boards"]] == [tc.Deal(DEAL).pbn]
    (answer,) = read(page, "https://example.org/forum")
    assert "has no deal that can be read" in answer["error"]


@pytest.mark.parametrize("word", ["constructor", "toString", "__proto__"])
def test_words_that_every_object_has_mean_nothing(page, word):
    pbn = f'[Deal "{DEAL}"]\n[Vulnerable "{word}"]\n[{word} "x"]\n'
    table = f"{word},n,e,s,w\nx,{','.join(HANDS)}"
    address = f"{VIEWER}?n={NORTH}&e={EAST}&s={SOUTH}"
    texts = [pbn, table, MD.replace("|sv|o|", f"|sv|{word}|"), f"{address}&{word}=1&d={word}"]
    for answer in read(page, *texts):
        assert [board["vulnerable"] for board in answer["boards"]] == [None]
    (answer,) = read(page, f"{address}&v={word}")
    assert "For the vulnerability write -, n, e or b" in answer["error"]


def test_only_a_board_s_heading_numbers_a_board_of_lin(page):
    headings = {"Board 7": 7, "board #12": 12, "Semifinal 2": None, "Board 7 of 24": None}
    answers = read(page, *(f"{MD}ah|{heading}|" for heading in headings))
    assert [answer["boards"][0]["number"] for answer in answers] == [*headings.values()]


def test_impossible_tricks_of_a_zrd_file_are_refused(page, tmp_path):
    deals = tc.DealSet(tc.random_deals(1, seed=4).owners, np.full((1, 5, 4), 13, np.uint8))
    tc.write(deals, tmp_path / "deals.zrd")
    told = """async (bytes) => {
        const { readZrd } = await import("./read.js");
        try {
            return readZrd(Uint8Array.from(bytes)).boards[0].exact;
        } catch (error) {
            return error.message;
        }
    }"""
    record = list((tmp_path / "deals.zrd").read_bytes())
    assert page.evaluate(told, record) == [[13] * 4] * 5
    record[-1] = 0xE0 + 13
    assert "deal 1 of the file has 14 tricks" in page.evaluate(told, record)


def of_auction(page: Any, text: str) -> tuple[Any, ...]:
    """Contract, declarer, calls and notes of a board."""
    (answer,) = read(page, text)
    (board,) = answer["boards"]
    return (board["contract"], board["declarer"], " ".join(board["auction"]), board["notes"])


MD = "md|1SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|sv|o|"  # South deals
PASSES = "mb|p|mb|p|mb|p|"


@pytest.mark.parametrize(
    ("calls", "auction"),
    [
        ("mb|1S|mb|p|mb|3H|ub||mb|4S|", "1S PASS 4S"),
        ("\nSouth opens\nmb|1S|mb|p|mb|4S|", "1S PASS 4S"),
        ("mb|1S|mb|p|mb|?|pg||ub||mb|4S|", "1S PASS 4S"),
        ("mb|1S|mb|2H|mb|3H|mb|p|ub|3|mb|p|mb|4S|", "1S PASS 4S"),
    ],
)
def test_calls_of_lin_are_those_that_stand(page, calls, auction):
    told = of_auction(page, MD + calls + PASSES)
    assert told == ("4S", 2, f"{auction} PASS PASS PASS", [])


def test_what_is_impossible_in_an_auction_is_said(page):
    contract, declarer, calls, notes = of_auction(page, f"{MD}mb|1H|mb|1S|mb|3H|mb|2S|{PASSES}")
    assert (contract, declarer, calls) == (None, None, "1H 1S 3H")
    assert notes == [
        "Call 4 of the auction is impossible: 2S is not higher than 3H. The calls before it are "
        "kept."
    ]
    contract, declarer, calls, notes = of_auction(page, f"{MD}mb|-|mb|1N|mb|p|{PASSES}")
    assert (contract, declarer, calls) == (None, None, "")
    assert notes == ["The auction does not begin with the dealer, and is left out."]


def test_a_comment_before_a_deal_does_not_hide_it(page):
    first = f"qx|o1|{MD}mb|1S|{PASSES}pg||\n"
    (answer,) = read(page, f"%% one\n{first}%% second board\n{MD}mb|1H|{PASSES}")
    assert [(b["number"], b["contract"]) for b in answer["boards"]] == [(1, "1S"), (None, "1H")]


def test_a_contract_that_is_stated_counts_and_the_difference_is_said(page):
    tags = f'[Board "1"]\n[Dealer "N"]\n[Deal "{DEAL}"]\n[Declarer "E"]\n[Contract "1NT"]\n'
    contract, declarer, _, notes = of_auction(page, f'{tags}[Auction "N"]\n1NT AP\n')
    assert (contract, declarer) == ("1N", 1)
    assert notes == ["The auction leads to 1N by N, and the board says 1N by E: that is shown."]


def test_placeholders_in_trick_tables_are_no_results(page):
    rows = [f"{seat} {strain} {tricks}" for seat in "NESW"
            for strain, tricks in (("NT", 1), ("S", 7), ("H", 10), ("D", 1), ("C", 9))]  # fmt: skip
    table = '[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\n' + "\n".join(rows)
    digits = '[DoubleDummyTricks "' + "17a19" * 4 + '"]'
    empty = '[DoubleDummyTricks "' + "0" * 20 + '"]'
    for tags in (table, digits, empty):
        (answer,) = read(page, f'[Board "1"]\n[Deal "{DEAL}"]\n{tags}\n')
        assert answer["boards"][0]["exact"] is None
        assert any("taken as unknown" in note for note in answer["boards"][0]["notes"]) != (
            tags is empty
        )
    (answer,) = read(page, f'[Deal "{DEAL}"]\n{table.replace("E D 1", "E D 6")}\n')
    assert answer["boards"][0]["exact"][2] == [1, 6, 1, 1], "a 6 tells that the rest was solved too"


def test_files_in_utf_16_are_read(page):
    text = f'[Board "7"]\n[Deal "{DEAL}"]\n'
    for encoding in ("utf-16", "utf-16-be", "utf-8-sig"):
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        (answer,) = read(page, list(mark + text.encode(encoding)))
        assert answer["boards"][0]["number"] == 7, encoding


def test_what_explains_a_call_in_an_address_is_no_call(page):
    address = (
        "https://www.bridgebase.com/tools/handviewer.html?n=sahkq9832dt94cakt&e=sq4hat7dqj872c732"
        "&s=skj95hj65dk3cj654&d=n&a="
    )
    for calls in ("1n(15-17)p3nppp", "1n!(15-17%20(14))pass-3nppp"):
        assert of_auction(page, address + calls) == ("3N", 0, "1N PASS 3N PASS PASS PASS", [])


@pytest.fixture
def shown(fresh_page: Any, site: str) -> Iterator[Any]:
    """A page of its own, into which things are put."""
    with fresh_page(site, PATIENCE, console=True) as shown:
        yield shown


def show(page: Any, text: str) -> None:
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Show", exact=True).click()


def test_cards_that_are_missing_are_said(shown):
    status = shown.locator("#status")
    show(shown, DEAL.removesuffix("8"))
    status.filter(has_text="West was given 12 of 13 cards: ♣8, which no other hand has").wait_for()
    show(shown, DEAL.removesuffix("98").replace(".732", ".73"))
    status.filter(has_text="East has 12 of 13 cards. West has 11 of 13 cards.").wait_for()
    assert "QJ872.73+" in shown.url, "what is known of the hands stays in the address"
    shown.reload()
    status.filter(has_text="East has 12 of 13 cards. West has 11 of 13 cards.").wait_for()


@pytest.mark.parametrize("width", [360, 390, 430])
def test_long_names_of_players_do_not_widen_the_page(browser, site, width):
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.set_default_timeout(PATIENCE)
    page.goto(site)
    names = "pn|Bartholomew the Elder,Maximiliana of West,Alexandrina North,Christopherson|"
    show(page, names + MD + "mb|1H|" + PASSES)
    page.locator(".player", has_text="Christopherson").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    edges = page.evaluate(
        "[...document.querySelectorAll('.hand small')].map(e => e.getBoundingClientRect().right)"
    )
    assert max(edges) <= width
    page.close()
