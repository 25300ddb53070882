"""The contest in a real browser: a short chunk against the application, the page's clock faked."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_page_for_everybody import serious, tab_to  # type: ignore[import-not-found]

from test_contest import LENGTH, problem
from trickcast.web.serve.store import Rules, Store

SERVER = """
import socket, sys, uvicorn
from pathlib import Path
from trickcast.web.serve.api import application
from trickcast.web.serve.contest import Contest
from trickcast.web.serve.guard import Limits
from trickcast.web.serve.store import Rules
contest = Contest(Path(sys.argv[1]), Rules(length=int(sys.argv[2]), ready=0))
app = application(frozenset({"127.0.0.1"}), Limits(), 1, contest)
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none")).run(sockets=[listening])
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A real server of short chunks, with its own clock."""
    file = tmp_path / "contest.sqlite"
    store = Store(file, Rules(), lambda: 0)
    for _ in range(LENGTH + 1):
        store.add(problem())
    store.close()
    command = [sys.executable, "-c", SERVER, str(file), str(LENGTH)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()


def test_a_chunk_is_played_to_its_end_on_a_phone(browser: Any, address: str, shots: Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.clock.install()
    page.goto(f"{address}/contest.html")
    page.locator("#name").fill("<b>Ann</b>")
    page.get_by_role("button", name="Begin").click()
    for number in range(LENGTH + 1):
        page.get_by_role("button", name="8 tricks", exact=True).wait_for()
        page.screenshot(path=shots / "contest.png", full_page=True)
        if number == LENGTH:
            page.clock.fast_forward(31_000)
        else:
            page.get_by_role("button", name="8 tricks", exact=True).click()
        page.get_by_role("status").filter(has_text="take 8").wait_for()
        page.locator("button.go").click()
    page.get_by_role("heading", name="Your chunk").wait_for()
    page.screenshot(path=shots / "contest-score.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    table = page.get_by_role("table").first
    assert table.locator(".you td").all_inner_texts() == ["66.67", "66.67", "66.67"]
    page.get_by_role("button", name="Another chunk").click()
    best = page.get_by_role("table", name="The best: notrump, all four hands known")
    assert best.locator("tbody th").inner_text() == "<b>Ann</b>"
    page.get_by_role("button", name="Delete my name and results").click()
    best.wait_for(state="detached")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (390, "dark"), (1280, "dark")])
def test_axe_finds_nothing_serious_in_a_contest_and_nothing_is_too_wide(
    browser: Any, address: str, axe: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 740}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.set_default_timeout(60_000)

    def check() -> None:
        assert serious(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.goto(f"{address}/contest.html")
    page.get_by_label("North and South alone").check()
    check()
    page.get_by_role("button", name="Begin").click()
    for number in range(LENGTH + 1):
        page.get_by_role("button", name="7 tricks", exact=True).wait_for()
        if number == 0:
            check()
        page.get_by_role("button", name="7 tricks", exact=True).click()
        page.get_by_role("status").filter(has_text="take 8").wait_for()
        if number == 0:
            check()
        page.locator("button.go").click()
    page.get_by_role("heading", name="Your chunk").wait_for()
    check()
    context.close()


def test_a_chunk_is_played_by_the_keyboard_alone(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{address}/contest.html")
    page.get_by_role("button", name="Begin").wait_for()
    tab_to(page, "notrump")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    tab_to(page, "Your name")
    page.keyboard.type("Bea")
    tab_to(page, "Begin")
    page.keyboard.press("Enter")
    for _ in range(LENGTH + 1):
        page.get_by_role("timer").wait_for()
        tab_to(page, "8 tricks")
        page.keyboard.press("Space")
        page.get_by_role("status").filter(has_text="take 8").wait_for()
        page.keyboard.press("Enter")  # what comes next has the focus
    page.get_by_role("heading", name="Your chunk").wait_for()
    you = page.get_by_role("table").first.locator(".you td")
    assert you.all_inner_texts() == ["100.00"] * 3
    page.close()


def test_the_static_page_lets_practise_and_tells_nobody(browser: Any, site: str) -> None:
    asked: list[str] = []
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("request", lambda request: asked.append(request.url))
    page.clock.install()
    page.goto(f"{site}contest.html")
    page.get_by_text("nothing is sent anywhere").wait_for()
    page.get_by_label("spades").check()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="9 tricks", exact=True).click()  # for training
    page.get_by_role("status").filter(has_text="North and South take").wait_for()
    page.locator("button.go").click()
    for number in range(1, 28):
        page.get_by_role("heading", name=f"Deal {number} of 27").wait_for()
        if number == 27:
            page.clock.fast_forward(31_000)
        else:
            page.get_by_role("button", name="9 tricks", exact=True).click()
        page.get_by_role("status").filter(has_text="North and South take").wait_for()
        page.locator("button.go").click()
    page.get_by_role("status").filter(has_text="27 deals count").wait_for()
    rows = page.get_by_role("table").first.locator("tbody tr")
    assert rows.first.locator("th").inner_text() == "you"
    said = page.get_by_role("table").nth(1).locator("tbody tr")
    assert said.count() == 28
    assert said.nth(27).locator("td").first.inner_text() == "none"
    right = sum(
        said.nth(i).locator("td").nth(0).inner_text()
        == said.nth(i).locator("td").nth(1).inner_text()
        for i in range(1, 28)
    )
    assert rows.first.locator("td").nth(2).inner_text() == f"{100 * right / 27:.2f}"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("table").nth(1).locator("a").nth(3).click()
    page.get_by_role("tab", name="Makes").wait_for()
    page.go_back()
    page.get_by_role("status").filter(has_text="27 deals count").wait_for()
    assert all(url.startswith(site) for url in asked)
    assert page.evaluate("Object.keys(localStorage)") == ["contest-results"]
    assert context.cookies() == []
    context.close()


@pytest.fixture
def practice(browser: Any, site: str) -> Iterator[Any]:
    """The contest of the static page on a phone, its clock in our hands."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.clock.install(time="2026-11-26T12:00:00Z")
    page.goto(f"{site}contest.html")
    page.get_by_role("button", name="Five deals").wait_for()
    yield page
    context.close()


def test_five_deals_are_answered_by_digits_with_the_score_so_far(practice: Any, shots: Path):
    page = practice
    page.get_by_role("button", name="Five deals").click()
    right = 0
    for number, keys in enumerate(("8", "10", "1", "0", "13"), start=1):
        page.get_by_role("heading", name=f"Deal {number} of 5").wait_for()
        for key in keys:
            page.keyboard.press(key)
        if keys == "1":
            assert page.get_by_role("timer").is_visible(), "a second digit may follow"
            page.clock.fast_forward(900)
        told = page.get_by_role("status").filter(has_text="North and South take")
        told.wait_for()
        text = told.inner_text()
        exact = int(text.rstrip(".").split()[-1])
        assert text.startswith("Right!" if exact == int(keys) else f"You said {keys}.")
        right += exact == int(keys)
        assert "of the 40 points" in page.locator(".reason").inner_text()
        page.get_by_text(f"So far: {right} of {number} right").wait_for()
        page.screenshot(path=shots / "contest-told.png", full_page=True)
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your five deals").wait_for()
    assert page.get_by_role("table").nth(1).locator("tbody tr").count() == 5
    assert page.locator("svg.bars").count() == 4, "you and three networks"
    page.evaluate(
        "() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"
    )
    page.get_by_role("button", name="Share").click()
    page.get_by_text("Copied").wait_for()
    line = page.evaluate("window.copied")
    assert line.startswith("Beat the net, 5 deals: ") and f"{right} of 5 right http" in line
    assert sum(line.count(mark) for mark in "🟩🟨🟧⬜") == 5 and line.count("🟩") == right
    page.get_by_role("button", name="Another round").click()
    page.get_by_text(f"So far: {right} of 5 deals right").wait_for()
    page.reload()
    page.get_by_role("button", name="Delete my results here").click()
    page.get_by_text("So far").wait_for(state="detached")
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_the_deal_of_the_day_is_the_same_for_all_and_played_once(
    practice: Any, browser: Any, site: str
):
    def deal_shown(page: Any) -> str:
        page.get_by_role("button", name="Deal of the day").click()
        page.get_by_role("heading", name="Deal of the day, 2026-11-26").wait_for()
        return page.locator("hand-diagram").inner_text() + page.locator(".task").inner_text()

    first = deal_shown(practice)
    practice.keyboard.press("7")
    practice.get_by_role("button", name="See the score").click()
    practice.get_by_text("One deal counts").wait_for()
    practice.get_by_role("button", name="Another round").click()
    practice.get_by_text("Today’s deal:").wait_for()
    assert practice.get_by_role("button", name="Deal of the day").count() == 0
    context = browser.new_context()
    other = context.new_page()
    other.clock.install(time="2026-11-26T20:00:00Z")
    other.goto(f"{site}contest.html")
    assert deal_shown(other) == first
    context.close()


def test_the_paper_s_way_names_the_strain_of_each_deal(practice: Any):
    page = practice
    page.get_by_label("named for each deal").check()
    page.get_by_role("button", name="Begin").click()
    strains = set()
    for _ in range(28):
        page.get_by_role("timer").wait_for()
        strains.add(page.locator(".task").inner_text().split(",")[0])
        page.keyboard.press("9")
        page.locator(".reason").wait_for()
        page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text="27 deals count").wait_for()
    assert strains == {"Notrump", "Spades"}
    rows = page.get_by_role("table").first.locator("tbody th").all_inner_texts()
    assert sum(row.endswith("notrump, as printed") or "notrump," in row for row in rows) == 3


def test_a_server_without_a_contest_lets_practise(browser: Any, server: str):
    page = browser.new_page()
    page.goto(f"{server}contest.html")
    page.get_by_role("button", name="Five deals").click()
    page.get_by_role("timer").wait_for()
    page.close()
