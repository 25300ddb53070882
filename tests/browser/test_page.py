"""The static page in a real browser: what it shows, reads, refuses and keeps."""

import json
import re
import struct
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from xml.etree import ElementTree

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Seat
from trickcast.web import write_site

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
PATIENCE = 60_000  # milliseconds, on a busy machine


@pytest.fixture
def page(fresh_page: Any, site: str) -> Iterator[Any]:
    """A fresh page that must end without an error in its script or a resource missing."""
    with fresh_page(site, PATIENCE, console=True) as shown:
        yield shown


def answered(page: Any) -> Any:
    """The grid of the tab Chances, once the best model has answered."""
    page.locator("#status", has_text=re.compile(r"by accurate|\(accurate\)")).wait_for()
    page.get_by_role("tab", name="Chances").click()
    return shown_grid(page)


def shown_grid(page: Any) -> Any:
    """The grid, once it is there."""
    table = page.get_by_role("table", name="expected tricks")
    table.wait_for()
    return table


def numbers(table: Any) -> list[list[str]]:
    """The numbers of the grid: rows N S E W, columns NT S H D C."""
    rows = table.locator("tbody tr").all()
    return [row.locator(".number").all_inner_texts() for row in rows]


def printed(expected: Any) -> list[list[str]]:
    """What Python expects, as the grid prints it."""
    return [
        [f"{expected[strain, seat]:.1f}" for strain in (4, 0, 1, 2, 3)] for seat in (0, 2, 1, 3)
    ]


def test_a_deal_after_the_address_is_shown_with_the_numbers_of_the_package(page, site):
    page.goto(f"{site}#deal={DEAL.replace(' ', '+')}")
    shown = np.array(numbers(answered(page)), dtype=float)
    ours = np.array(printed(tc.estimate(DEAL).expected), dtype=float)
    assert np.abs(shown - ours).max() < 0.15  # int8 on another kernel, and rounding


def test_contracts_that_make_have_the_chance_of_all_counts_that_make_them(page, site):
    page.goto(f"{site}#deal={DEAL.replace(' ', '+')}")
    page.evaluate(
        """async () => {
            const { state } = await import("./store.js");
            const { gridView } = await import("./grid.js");
            const { render } = await import("./lit-html.js");
            const failing = Array(14).fill(0);
            [failing[8], failing[9], failing[10]] = [0.5, 0.4, 0.1];
            const probabilities = Array(5).fill(Array(4).fill(failing));
            const tricks = Array(5).fill(Array(4).fill(8));
            state.grid = "contracts";
            for (const [id, exact] of [["estimate", null], ["exact", tricks]]) {
                const place = document.createElement("div");
                place.id = id;
                document.body.append(place);
                const estimate = { probabilities, tricks, expected: tricks };
                render(gridView({ estimate, exact, seats: [0, 1, 2, 3] }), place);
            }
        }"""
    )
    cell = page.locator("#estimate [data-cell='4-0']")
    assert cell.inner_text().split() == ["2", "100", "%"]
    assert page.locator("#exact [data-cell='4-0'] small").inner_text() == ""


def test_a_cell_shows_its_distribution(page, site):
    page.goto(f"{site}#deal={DEAL.replace(' ', '%20')}")
    answered(page)
    page.get_by_role("button", name="hearts by North: 10").click()
    chances = page.get_by_role("table", name="hearts by North")
    chances.wait_for()
    assert "10" in chances.locator("tbody th").all_inner_texts()


AHEAD = """async (pbn) => {
    const { BrowserEngine } = await import("./engine.js");
    const { Deal } = await import("./cards.js");
    const engine = new BrowserEngine();
    const giving = new AbortController();
    engine.position = async ({ cards }) => {
        if (cards.at(-1) === "D8") giving.abort();
        return new Map([[cards.join(""), 10]]);
    };
    const found = [{}, {}];
    const told = (run) => (card, results) => (found[run][card] = Object.fromEntries(results));
    const line = { deal: Deal.parse(pbn), contract: "4H", declarer: 0, cards: ["DQ", "DK", "DA"] };
    await engine.ahead(line, giving.signal, told(0));
    await engine.ahead({ ...line, cards: [] }, giving.signal, told(1));
    return found;
}"""


def test_without_a_server_what_comes_after_each_card_is_solved_card_by_card(page):
    found, given_up = page.evaluate(AHEAD, DEAL)
    assert found == {card: {f"DQDKDA{card}": 10} for card in ("DT", "D9", "D4")}
    assert [*given_up] == "SQ S4 HA HT H7 DQ DJ D8".split(), "nobody waits for the others"


TWICE = "button => { button.click(); button.click(); }"
"""Press before the page is drawn anew."""
CALLS = """calls => {
    const shown = [...document.querySelectorAll(".auction tbody td")].map(td => td.innerText);
    return String(shown.filter(Boolean).map(text => text.split(/\\s/)[0])) === String(calls);
}"""


def test_what_is_pressed_twice_at_once_counts_twice(page, tmp_path: Path):
    file = tmp_path / "three.pbn"
    tc.write(tc.DealSet.from_deals([DEAL] * 4), file)
    page.locator("#file").set_input_files(file)
    answered(page)

    def twice(name: str) -> None:
        page.get_by_role("button", name=name).evaluate(TWICE)

    twice("Next board")
    page.locator(".place", has_text="3/4").wait_for()
    cell = page.get_by_role("button", name="hearts by North: 10")
    cell.click()
    chances = page.get_by_role("table", name="hearts by North")
    chances.wait_for()
    cell.evaluate(TWICE)
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert chances.is_visible()
    page.locator(".compass .centre[title='E–W vulnerable']").evaluate(TWICE)
    page.locator(".compass .centre[title='nobody vulnerable']").wait_for()
    page.get_by_label("Contract level").select_option("4")
    lead = page.locator("button.card.plays").first
    lead.evaluate(TWICE)
    slide = page.get_by_label("Card of the play")
    page.wait_for_function("() => document.querySelector('.slide input').value === '1'")
    assert slide.get_attribute("aria-valuetext") == "card 1 of 1"
    page.locator("button.card.plays").first.click()
    page.wait_for_function("() => document.querySelector('.slide input').value === '2'")
    twice("One card back")
    page.wait_for_function("() => document.querySelector('.slide input').value === '0'")
    page.get_by_role("tab", name="Bidding").click()
    page.get_by_role("button", name="1 heart", exact=True).evaluate(TWICE)
    page.get_by_role("button", name="Pass", exact=True).evaluate(TWICE)
    page.wait_for_function(CALLS, arg=["1♥", "Pass", "Pass"])


def test_answers_of_200_deals_are_those_of_python(browser, site):
    """Likeliest counts are equal, and probabilities but for a few.

    Values between two steps of int8 are rounded one way here and the other way there.
    """
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(5 * PATIENCE)
    page.goto(site)
    deals = tc.random_deals(200, seed=2030)
    texts = [deal.pbn for deal in deals]
    answers = page.evaluate(
        """async ([texts, models]) => {
            const { BrowserEngine } = await import("./engine.js");
            const { Deal } = await import("./cards.js");
            const engine = new BrowserEngine();
            const found = {};
            for (const model of models) {
                found[model] = [];
                for (const text of texts) {
                    const estimate = await engine.estimate(Deal.parse(text), model);
                    found[model].push(estimate.probabilities);
                }
            }
            return found;
        }""",
        [texts, ["fast", "accurate"]],
    )
    context.close()
    for model in ("fast", "accurate"):
        ours = tc.estimate(deals, model=model)
        theirs = np.array(answers[model])
        assert theirs.shape == ours.probabilities.shape
        apart = np.abs(theirs - ours.probabilities)
        assert (apart > 0.03).mean() < 0.001  # of eleven layers of `accurate` 0.0002
        assert apart.max() < 0.2
        assert (theirs.argmax(-1) == ours.tricks).mean() > 0.995


def test_two_hands_are_worth_what_the_pair_network_says(page):
    page.locator("#text").fill("N:AQ864.K75.A3.KJ4 - KJ5.A64.KQ92.A83 -")
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("#status", has_text="Estimated from two hands").wait_for()
    page.get_by_role("tab", name="Chances").click()
    shown = numbers(shown_grid(page))
    ours = tc.PairEstimator("accurate")("AQ864.K75.A3.KJ4", "KJ5.A64.KQ92.A83").expected
    theirs = np.array(shown[0], dtype=float)
    assert np.abs(theirs - ours[[4, 0, 1, 2, 3]]).max() < 0.15
    assert len(shown) == 2  # North and South declare


FILE = f"""[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "{DEAL}"]

[Board "2"]
[Deal ""]

[Board "3"]
[Dealer "S"]
[Vulnerable "EW"]
[Deal "E:Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98 A.KQ9832.T94.AKT"]
"""


def test_a_file_is_listed_board_by_board_and_what_is_no_deal_is_told(page, tmp_path: Path):
    file = tmp_path / "three.pbn"
    file.write_text(FILE)
    page.locator("#file").set_input_files(file)
    answered(page)
    assert page.locator(".rail-board .number").all_inner_texts() == ["1", "3"]
    page.locator(".skipped summary").click()
    assert "board 2" in page.locator(".skipped").inner_text()
    page.get_by_role("button", name="Board 3").click()
    page.locator(".facts", has_text="Board 3 · dealer South · E–W vulnerable").wait_for()
    for form in ("pbn", "lin"):
        page.locator("#share summary").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save as {form.upper()}").click()
        target = tmp_path / f"saved.{form}"
        saved.value.save_as(target)
        assert [deal.pbn for deal in tc.read(target)] == [tc.Deal(DEAL).pbn] * 2
        assert [board.dealer for board in tc.read(target).boards] == [Seat.NORTH, Seat.SOUTH]


def test_a_solved_record_shows_its_exact_tricks(page, tmp_path: Path):
    solved = tmp_path / "one.zrd"
    deals = tc.DealSet.from_deals([DEAL])
    table = tc.solve(tc.Deal(DEAL)).tricks
    tc.write(tc.DealSet(deals.owners, table[None]), solved)
    page.locator("#file").set_input_files(solved)
    answered(page)
    marks = page.locator("td[data-cell='1-0'] .exact").inner_text()
    assert marks == f"= {table[1, 0]}"


def test_cards_are_chosen_by_keyboard_alone(page):
    page.locator("#picking summary").focus()
    page.keyboard.press("Enter")
    for seat in range(3):  # the fourth hand fills itself
        page.locator("#picker .seats button").nth(seat).focus()
        page.keyboard.press("Space")
        for card in range(13 * seat, 13 * seat + 13):
            page.locator(f"#picker [data-card='{card}']").focus()
            page.keyboard.press("Enter")
    answered(page)
    assert "#deal=N:AKQJT98765432..." in page.url


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rubbish", "No cards were found in “rubbish”"),
        ("N:AKQ.. ...AA - -", "held by|twice|hand"),
        (
            "N:AKQ2.QJT987.32.Z - - -",
            "“Z” in “AKQ2.QJT987.32.Z” is not a card. Write AKQJT98765432",
        ),
        ("AKQ.432", "is not a hand. Write spades, hearts, diamonds and clubs with dots between"),
        ('[Deal ""]', "Board 1: there is nothing to read. Write the four hands"),
        ("https://bridgebase.com/handviewer.html?myhand=M-1", "the site has them: open the board"),
        ("N:A.KQ9832.T94.AKT A4.AT7.QJ872.732 - -", "♠A is held by North and by East"),
        ("https://example.org/?x=1", "Addresses of this page, of BBO’s hand viewer"),
    ],
)
def test_what_cannot_be_read_is_told_where_it_was_typed(page, text, told):
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Show", exact=True).click()
    alert = page.get_by_role("alert")
    alert.filter(has_text=".").wait_for()
    assert any(part in alert.inner_text() for part in told.split("|"))
    assert DEAL in alert.inner_text()  # a whole example that works


def test_addresses_of_hand_viewers_mean_what_they_mean_to_python(page):
    """One file of cases for both; hands that are not given are unknown on the page."""
    cases = json.loads((files("trickcast.formats") / "link_cases.json").read_text())
    answers = page.evaluate(
        """async (addresses) => {
            const { readText } = await import("./read.js");
            return addresses.map((address) => {
                try {
                    const [board] = readText(address).boards;
                    return { ...board, deal: board.deal.pbn };
                } catch (error) {
                    return { error: error.message };
                }
            });
        }""",
        [case["address"] for case in cases],
    )
    for case, answer in zip(cases, answers, strict=True):
        if "hand is missing" in case.get("error", ""):
            assert answer["deal"].count("-") == 3, case["name"]
        elif "error" in case:
            told = case["error"].replace("SQ", "♠Q").replace("expected an address", "Addresses of")
            assert told in answer["error"], case["name"]
        else:
            assert_board(answer, case)


def assert_board(board: dict[str, Any], case: dict[str, Any]) -> None:
    number, seats = case.get("number"), [*"NESW"]
    assert board["deal"] == tc.Deal(case["deal"]).pbn, case["name"]
    assert board["number"] == number
    assert board["dealer"] == (seats.index(case["dealer"]) if "dealer" in case else None)
    assert board["vulnerable"] == case.get("vulnerability")
    assert board["auction"] == case.get("auction", [])
    assert board["contract"] == case.get("contract")
    declarer = seats.index(case["declarer"]) if "declarer" in case else None
    assert board["declarer"] == declarer
    assert board["play"] == case.get("play", [])
    assert board["players"] == case.get("players", {})


def test_the_page_works_offline_after_its_first_load(browser, site):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{site}#deal={DEAL.replace(' ', '+')}")
    answered(page)
    page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    context.set_offline(True)
    page.reload()
    answered(page)
    context.close()


def test_two_sites_on_one_host_keep_their_own_files(browser, host):
    for name in ("first", "second"):
        write_site(host.folder / name, f"https://{name}.example/")
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    for name in ("first", "second"):
        page.goto(f"{host.address}{name}/")
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    assert len(page.evaluate("caches.keys()")) == 2
    context.close()


def test_what_a_browser_keeps_may_be_damaged(browser, site):
    context = browser.new_context()
    context.add_init_script("for (const key of ['settings', 'contest']) localStorage[key] = '{'")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{site}#deal={DEAL.replace(' ', '+')}")
    answered(page)
    known = "async () => new (await import('./rounds.js')).ServerRounds().known"
    assert page.evaluate(known) is False
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(320, 640), (1280, 800), (1920, 1080)])
def test_nothing_is_wider_than_the_window(browser, site, shots, width, height, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{site}#deal={DEAL.replace(' ', '+')}")
    answered(page)
    page.locator("#picking summary").click()
    page.screenshot(path=shots / f"page-{width}-{scheme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


SEVENS = "N:AKQT984.T98.9.A2 76.AKQJ765.A.KT9 J53.43.KQJ8762.8 2.2.T543.QJ76543"
LINES = """() => [...document.querySelectorAll(".cross .cards")]
    .filter((suit) => {
        const tops = [...suit.querySelectorAll(".card")].map((card) => card.offsetTop);
        return new Set(tops).size > 1;
    })
    .map((suit) => suit.innerText)"""


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_suits_of_seven_cards_stay_on_their_line(browser, site, width):
    context = browser.new_context(viewport={"width": width, "height": 844}, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    widest = json.dumps({"language": "de", "ten": "10"})
    page.add_init_script(f"localStorage.setItem('settings', '{widest}')")
    for turn, declarer in zip("NESW", "WNES", strict=True):
        page.goto("about:blank")
        page.goto(f"{site}#deal={SEVENS.replace(' ', '+')}&contract=4S&by={declarer}")
        page.locator(f".seat-{turn} .card.plays").first.wait_for()
        assert page.evaluate(LINES) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_the_list_of_files_is_complete(site):
    index = json.load(urlopen(f"{site}files.json"))
    for name in index["files"]:
        assert urlopen(f"{site}{name}").status == 200


def test_deals_at_random_may_be_for_a_slam(page):
    def dealt(name: str) -> tc.Deal:
        before = page.url
        page.get_by_text("Random").click()
        page.get_by_role("button", name=name).click()
        page.wait_for_url(lambda url: "#deal=" in url and url != before)
        return tc.Deal(page.url.partition("#deal=")[2].partition("&")[0].replace("+", " "))

    assert dealt("Any deal") != dealt("Any deal")
    for _ in range(3):
        deal = dealt("Slam zone")
        assert max(deal.north.hcp + deal.south.hcp, deal.east.hcp + deal.west.hcp) >= 31
    page.get_by_text("Random").click()
    page.get_by_text("needs a trickcast server").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Any deal").wait_for(state="hidden")


def test_cards_have_the_letters_of_other_languages(page, site):
    page.goto(f"{site}#deal={DEAL.replace(' ', '+')}")
    north = page.get_by_role("region", name="North").locator(".cards")
    for code, hearts in (
        ("fr", "RD9832"), ("de", "KD9832"), ("nl", "HV9832"), ("pl", "KD9832"), ("en", "KQ9832"),
    ):  # fmt: skip
        page.get_by_text("Settings").click()
        page.get_by_label("Cards in").select_option(code)
        page.keyboard.press("Escape")
        north.nth(1).filter(has_text=re.compile(r"^\s*" + r"\s*".join(hearts) + r"\s*$")).wait_for()


def test_a_board_is_saved_as_a_picture(page, site, tmp_path: Path):
    page.goto(f"{site}#deal={DEAL.replace(' ', '+')}&board=7&dealer=S&vul=both")
    page.locator("table.makes").wait_for()
    page.get_by_role("button", name="spades by East", exact=False).click()
    page.locator("#share summary").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG", exact=True).click()
    assert saved.value.suggested_filename == "board-7.svg"
    saved.value.save_as(tmp_path / "board.svg")
    root = ElementTree.parse(tmp_path / "board.svg").getroot()
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "Board 7 · dealer South · all vulnerable"
    assert words.count("♠") == 5 and "K Q 9 8 3 2" in words, "four hands and the table"
    assert any(word and word.startswith("Par") for word in words)
    assert "Chances: spades by East" in words
    page.locator("#share summary").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG", exact=True).click()
    saved.value.save_as(tmp_path / "board.png")
    content = (tmp_path / "board.png").read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 20_000
    assert struct.unpack(">II", content[16:24]) == (2400, 1260)


def test_the_page_has_a_manifest_and_a_card_for_links(page, site):
    def fetched(name: str) -> tuple[str, bytes]:
        answer = urlopen(site + name)
        return answer.headers["content-type"], answer.read()

    assert page.locator("link[rel=manifest]").get_attribute("href") == "./app.webmanifest"
    manifest = json.loads(fetched("app.webmanifest")[1])
    assert manifest["start_url"] == "./" and manifest["display"] == "standalone"
    for icon in manifest["icons"][1:]:
        _, content = fetched(icon["src"])
        width, height = struct.unpack(">II", content[16:24])
        assert icon["sizes"] == f"{width}x{height}"
    image = page.locator("meta[property='og:image']").get_attribute("content")
    kind, content = fetched(image)
    assert kind == "image/png" and struct.unpack(">II", content[16:24]) == (1200, 630)
