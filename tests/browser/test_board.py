"""The board that answers to touch: pastes, links, files, play, what-if, all without a server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
NORTH, EAST, SOUTH, WEST = DEAL[2:].split()
PATIENCE = 15_000  # milliseconds, on a busy machine


@pytest.fixture
def page(fresh_page: Any, exact_site: str) -> Iterator[Any]:
    """A fresh page of a site that solves; it must end without an error on its console."""
    with fresh_page(exact_site, PATIENCE, console=True) as shown:
        yield shown


def exact(page: Any) -> Any:
    """The merged table, once it is exact."""
    table = page.get_by_role("table", name="double-dummy tricks")
    table.wait_for()
    return table


def paste(page: Any, text: str) -> None:
    """Paste into the box, as a person does."""
    page.locator("#text").evaluate(
        """(box, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", text);
            const given = { clipboardData, bubbles: true, cancelable: true };
            box.dispatchEvent(new ClipboardEvent("paste", given));
        }""",
        text,
    )


SIGNS = dict(zip("♠♥♦♣", range(4), strict=True))


def in_signs(hand: str) -> list[str]:
    return [f"{sign} {suit or '-'}" for sign, suit in zip(SIGNS, hand.split("."), strict=True)]


COPIED = "\n".join(
    [f"{'':>16}{line}" for line in in_signs(NORTH)]
    + [f"{a:<32}{b}" for a, b in zip(in_signs(WEST), in_signs(EAST), strict=True)]
    + [f"{'':>16}{line}" for line in in_signs(SOUTH)]
)
PBN = f"""[Event "Club night"]
[Board "5"]
[West "Walt"]
[North "Nora"]
[East "Ed"]
[South "Sue"]
[Dealer "N"]
[Vulnerable "NS"]
[Deal "{DEAL}"]
[Declarer "N"]
[Contract "4H"]
[Result "10"]
[Auction "N"]
1H Pass 3H Pass
4H AP
[Play "E"]
DQ DK DA D4
SQ S5 S2 SA
*
[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]
N NT 8
"""
LIN = (
    "pn|Sue,Walt,Nora,Ed|md|3SKJ95HJ65DK3CJ654,ST87632H4DA65CQ98,SAHKQ9832DT94CAKT,|ah|Board 5|"
    "sv|n|mb|1H|mb|p|mb|3H|mb|p|mb|4H|mb|p|mb|p|mb|p|pc|DQ|pc|DK|pc|DA|pc|D4|mc|10|"
)
RBN = f"B 5\nA NN:1HP3HP4HPPP\nH {DEAL.replace(' ', ':')}\nC 4H:N\nR =\n"
VIEWER = (
    "www.bridgebase.com/tools/handviewer.html?n=sahkq9832dt94cakt&e=sq4hat7dqj872c732"
    "&s=skj95hj65dk3cj654&d=n&v=n&b=5"
)
ONE, TWO = f"N:- - {SOUTH} -", f"N:{NORTH} - {SOUTH} -"
PASTES = {
    "one hand a line": (f"{NORTH}\n{EAST}\n{SOUTH}\n{WEST}", DEAL),
    "four words": (SOUTH.replace(".", " "), ONE),
    "signs": (" ".join(f"{s}{h}" for s, h in zip(SIGNS, SOUTH.split("."), strict=True)), ONE),
    "a copied diagram": (COPIED, DEAL),
    "our own diagram": (str(tc.Deal(DEAL)), DEAL),
    "two seats": (f"N: {NORTH} S: {SOUTH}", TWO),
    "quotes": (f"“{DEAL}”", DEAL),
    "text around it": (f"What makes here: {DEAL}, please?", DEAL),
    "an address without https": (VIEWER, DEAL),
    "RBN": (RBN, DEAL),
    "LIN with auction and play": (LIN, DEAL),
    "PBN with tables and results": (PBN, DEAL),
}
"""What people paste, and the deal that it means."""


@pytest.mark.parametrize("name", PASTES)
def test_what_people_paste_is_read(page, name):
    text, deal = PASTES[name]
    paste(page, text)
    page.wait_for_url(lambda url: "#deal=" in url)
    assert shown_board(page)["deal"] == deal
    assert page.locator("#problem").text_content() == ""
    if name in ("RBN", "LIN with auction and play", "PBN with tables and results"):
        board = shown_board(page)
        assert (board["number"], board["dealer"], board["vulnerable"]) == (5, 0, "ns")
        assert (board["contract"], board["declarer"], board["result"]) == ("4H", 0, 10)
        assert board["auction"] == "1H PASS 3H PASS 4H PASS PASS PASS".split()
    if name.startswith(("LIN", "PBN")):
        assert board["play"][:4] == ["DQ", "DK", "DA", "D4"]
        assert board["players"]["North"] == "Nora"


def shown_board(page: Any) -> dict[str, Any]:
    """The board in view, as the page knows it."""
    told = page.evaluate(
        """async () => {
            const { board } = await import("./store.js");
            const { deal, source, ...facts } = board();
            return { deal: deal.pbn, ...facts };
        }"""
    )
    return dict(told)


def test_a_link_keeps_the_whole_board(page, exact_site, browser):
    paste(page, PBN)
    exact(page)
    assert page.locator(".par .score").inner_text() == "Par N–S +620"
    before = shown_board(page)
    other = browser.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(page.url)
    exact(other)
    assert other.locator(".par .score").inner_text() == "Par N–S +620"
    after = shown_board(other)
    facts = ("deal", "number", "dealer", "vulnerable", "contract", "declarer", "result", "auction")
    assert [after[fact] for fact in (*facts, "play")] == [before[fact] for fact in (*facts, "play")]
    other.close()


def test_saved_pbn_keeps_what_the_file_had(page, tmp_path: Path):
    paste(page, PBN)
    exact(page)
    page.locator("#share summary").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as PBN").click()
    saved.value.save_as(tmp_path / "saved.pbn")
    lines = (tmp_path / "saved.pbn").read_text().splitlines()
    assert set(PBN.splitlines()) <= set(lines)
    assert any(line.startswith("[DoubleDummyTricks ") for line in lines)
    boards = tc.read(tmp_path / "saved.pbn").boards
    assert boards is not None
    (board,) = boards
    assert board.result == 10 and board.auction[:3] == ("1H", "PASS", "3H")


SOLVE = """async ({ texts, positions }) => {
    const { BrowserEngine } = await import("./engine.js");
    const { Deal, SEATS } = await import("./cards.js");
    const engine = new BrowserEngine({ exact: true });
    const tables = [];
    for (const text of texts) tables.push(await engine.solve(Deal.parse(text)));
    const results = [];
    for (const { deal, contract, by, cards } of positions) {
        const line = { deal: Deal.parse(deal), contract, declarer: SEATS.indexOf(by), cards };
        results.push(Object.fromEntries(await engine.position(line)));
    }
    return { tables, results };
}"""


def test_200_deals_and_200_positions_are_solved_as_python_does(browser, exact_site):
    deals = tc.random_deals(200, seed=2031)
    tables = tc.solve(deals).tricks
    positions, expected = [], []
    rng = np.random.default_rng(3)
    for place in range(20):
        deal, by = deals[place], "NESW"[place % 4]
        contract = f"{1 + place % 7}{'SHDCN'[place % 5]}"
        cards: list[str] = []
        for _ in range(52):  # a play in which any card may be played
            cards.append(str(rng.choice(sorted(tc.solve_play(deal, contract, by, cards)[-1]))))
            if len(cards) == 40:
                break
        values = tc.solve_play(deal, contract, by, cards)
        for count in range(0, 40, 4):
            given = {"deal": deal.pbn, "contract": contract, "by": by, "cards": cards[:count]}
            positions.append(given)
            expected.append(values[count])
    page = browser.new_context(bypass_csp=True).new_page()
    page.set_default_timeout(10 * PATIENCE)
    page.goto(exact_site)
    found = page.evaluate(SOLVE, {"texts": [d.pbn for d in deals], "positions": positions})
    page.context.close()
    assert (np.array(found["tables"]) == tables).all()
    assert len(found["results"]) == 200 and found["results"] == expected


@pytest.mark.parametrize("width", [390, 1280])
def test_the_answer_is_on_the_first_screen_and_nothing_shifts(browser, exact_site, width):
    height = {390: 844, 1280: 800}[width]
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(
        """window.shift = 0;
        new PerformanceObserver((list) => {
            for (const { hadRecentInput, value } of list.getEntries())
                if (!hadRecentInput) window.shift += value;
        }).observe({ type: "layout-shift", buffered: true });"""
    )
    page.goto(f"{exact_site}#deal={DEAL.replace(' ', '+')}&board=5&dealer=N&vul=ns")
    table = exact(page)
    page.locator("#status", has_text=re.compile(r"by accurate|\(accurate\)")).wait_for()
    box = table.bounding_box()
    assert box["y"] + box["height"] <= height
    assert page.locator(".par").bounding_box()["y"] > 0
    assert page.evaluate("window.shift") <= 0.02
    context.close()


def test_a_deal_is_played_to_its_end_by_touch(browser, exact_site):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{exact_site}#deal={DEAL.replace(' ', '+')}")
    exact(page)
    page.get_by_role("button", name="hearts by North or South").tap()
    played: list[str] = []
    for _ in range(52):
        expected = tc.solve_play(DEAL, "4H", "N", played)[-1]
        for _ in range(PATIENCE // 50):
            if (shown := results(page)) == expected:
                break
            page.wait_for_timeout(50)
        assert shown == expected
        card = sorted(shown)[len(played) % len(shown)]
        played.append(card)
        page.locator(f"[data-card='{tc_index(card)}']").tap()
    page.get_by_text("all cards are played").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def tc_index(card: str) -> int:
    return 13 * "SHDC".index(card[0]) + "AKQJT98765432".index(card[1])


def results(page: Any) -> dict[str, int]:
    """Declarer's tricks after each card that can be played, as the page shows them."""
    shown = page.locator("button.card.plays").evaluate_all(
        "cards => cards.map(c => [c.dataset.card, c.querySelector('.result').textContent])"
    )
    found = {}
    for place, result in shown:
        if not result.strip():
            continue  # not known yet
        suit, rank = divmod(int(place), 13)
        over = 0 if result == "=" else int(result.replace("−", "-"))
        found["SHDC"[suit] + "AKQJT98765432"[rank]] = 10 + over
    return found


GIVEN_UP = """async (texts) => {
    const { BrowserEngine } = await import("./engine.js");
    const { Deal } = await import("./cards.js");
    const engine = new BrowserEngine({ exact: true });
    const first = new AbortController();
    await engine.solve(Deal.parse(texts[0]), first.signal);
    const tables = texts.slice(1).map((text) => engine.solve(Deal.parse(text)));
    first.abort();
    const late = new Promise((done) => setTimeout(() => done(null), 60000));
    return Promise.race([Promise.all(tables), late]);
}"""
"""Give a question up after its answer, while the workers are at others."""


def test_a_question_that_ended_does_not_stop_later_ones(browser, exact_site):
    deals = tc.random_deals(16, seed=11)
    page = browser.new_context(bypass_csp=True).new_page()
    page.set_default_timeout(10 * PATIENCE)
    page.goto(exact_site)
    found = page.evaluate(GIVEN_UP, [deal.pbn for deal in deals])
    page.context.close()
    assert found is not None, "a worker was ended that had other questions"
    assert (np.array(found) == tc.solve(deals[1:]).tricks).all()


def test_two_cards_change_hands_and_the_change_can_be_undone(page):
    paste(page, DEAL)
    exact(page)
    page.get_by_role("button", name="What if?").click()
    page.get_by_role("button", name="spades A of North").click()
    page.get_by_role("button", name="spades Q of East").click()
    page.get_by_text("results changed").wait_for()
    swapped = DEAL.replace("N:A.", "N:Q.").replace(" Q4.", " A4.")
    assert shown_board(page)["deal"] == swapped
    page.locator("#undo").click()
    page.wait_for_url(lambda url: DEAL.split()[1] in url)
    assert shown_board(page)["deal"] == DEAL


def test_36_boards_are_walked_with_arrow_keys_and_survive_a_reload(page, exact_site, tmp_path):
    file = tmp_path / "session.pbn"
    deals = tc.random_deals(36, seed=36)
    tc.write(deals, file)
    page.locator("#file").set_input_files(file)
    page.locator(".place", has_text="1/36").wait_for()
    for number in range(2, 37):
        page.keyboard.press("ArrowRight" if number % 2 else "j")
        page.locator(".place", has_text=f"{number}/36").wait_for()
        assert shown_board(page)["deal"] == deals[number - 1].pbn
    page.wait_for_timeout(500)  # the boards are kept after a moment
    page.reload()
    page.locator(".place", has_text="36/36").wait_for()
    assert page.locator(".rail-board").count() == 36


def test_a_call_after_the_other_makes_the_contract(page):
    paste(page, DEAL)
    page.get_by_role("tab", name="Bidding").click()
    for call in ("1 heart", "Pass", "3 hearts", "Double", "Pass", "4 clubs"):
        page.get_by_role("button", name=call, exact=True).click()
    page.get_by_role("button", name="3 spades", exact=True, disabled=True).wait_for()
    for _ in range(3):
        page.get_by_role("button", name="Pass", exact=True).click()
    assert json.dumps(shown_board(page)["contract"]) == '"4C"'
    assert shown_board(page)["declarer"] == 1
