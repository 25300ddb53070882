"""How the page is laid out, measured: the cross, what is cut off, what can be touched, what jumps.

Boxes are compared with each other, not pictures: fonts and widgets differ between machines.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

BOARD = (
    "#deal=N:A.KQ9832.T94.AKT+Q4.AT7.QJ872.732+KJ95.J65.K3.J654+T87632.4.A65.Q98"
    "&board=5&dealer=N&vul=ns&contract=4H&by=N&auction=1H-P-3H-P-4H-P-P-P"
)
PATIENCE = 30_000  # milliseconds, on a busy machine
SIZES = [(390, 844), (1280, 800)]
CUT_OFF = """() => [...document.querySelectorAll("button, summary, .button, th, td, select")]
    .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1
        && !each.querySelector(".spoken"))
    .map((each) => each.outerHTML.slice(0, 90))"""
TOO_SMALL = """() => [...document.querySelectorAll(
        ".top :is(button, summary, .button), .table-tools :is(button, select), .play button, "
        + "#panel button, button.card.plays")]
    .filter((each) => each.checkVisibility())
    .map((each) => [each.getBoundingClientRect(), each.outerHTML.slice(0, 90)])
    .filter(([{ width, height }]) => width < 23.5 || height < 23.5)
    .map(([, html]) => html)"""


@pytest.fixture(params=SIZES, ids=["phone", "desktop"])
def page(request: pytest.FixtureRequest, browser: Any, exact_site: str) -> Iterator[Any]:
    """A board with its contract, on a phone and on a desk."""
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height})
    shown = context.new_page()
    shown.set_default_timeout(PATIENCE)
    shown.goto(f"{exact_site}{BOARD}")
    shown.locator("#status", has_text=re.compile(r"by accurate|\(accurate\)")).wait_for()
    shown.locator(".card.plays .result", has_text="=").first.wait_for()
    yield shown
    context.close()


def box(page: Any, selector: str) -> tuple[float, float, float, float]:
    """Left, top, right, bottom."""
    found = page.locator(selector).first.bounding_box()
    return (found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"])


def test_the_hands_are_a_cross_around_the_compass(page):
    north, east, south, west = (box(page, f".hand.seat-{seat}") for seat in "NESW")
    middle = box(page, ".compass")
    assert north[3] <= middle[1] and middle[3] <= south[1]
    assert west[2] <= middle[0] and middle[2] <= east[0]
    assert abs(north[0] - south[0]) <= 1
    assert abs((north[0] + north[2]) / 2 - (middle[0] + middle[2]) / 2) <= 2
    for side in (west, east):
        assert abs((side[1] + side[3]) / 2 - (middle[1] + middle[3]) / 2) <= 2
    for hand in (west, east):
        assert north[3] <= hand[1] + 1 or hand[2] <= north[0] or hand[0] >= north[2]


@pytest.mark.parametrize("tab", ["Makes", "Chances", "Bidding"])
def test_nothing_is_cut_off_and_all_can_be_touched(page, tab):
    page.get_by_role("tab", name=tab).click()
    page.locator(
        {"Makes": "table.makes", "Chances": ".grid", "Bidding": ".auction"}[tab]
    ).wait_for()
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(TOO_SMALL) == []


def test_the_head_is_one_bar_and_parts_do_not_cover_each_other(page):
    wide = page.viewport_size["width"] > 1000
    assert box(page, ".top")[3] <= (64 if wide else 96)
    table, panel, picking = (box(page, f"#{name}") for name in ("table", "panel", "picking"))
    assert table[2] <= panel[0] if wide else table[3] <= panel[1] + 1
    assert max(table[3], panel[3]) <= picking[1] + 1


def test_the_board_does_not_jump_from_card_to_card(page):
    tops = []
    for _ in range(9):
        best = page.locator("button.card.plays.best").first
        best.wait_for()
        tops.append(box(page, ".table-tools")[1])
        best.click()
    assert max(tops) - min(tops) <= 1
