"""The printed sheets in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from trickcast.cards import Deal, Seat, Vulnerability
from trickcast.web.report import DealtBoard, _html, hand_pages


@pytest.mark.parametrize(
    "deal",
    [
        "S:AKQJT8653.2.A4.3 92.Q963.J85.AJ85 7.AJ85.KT73.KT74 4.KT74.Q962.Q962",
        "S:3.KQJT97652.A4.2 AJ85.A3.J85.AJ85 KT74.8.KT73.KT74 Q962.4.Q962.Q963",
    ],
)
def test_a_long_suit_of_a_lesson_leaves_the_auction_alone(
    browser: Any, tmp_path: Path, deal: str
) -> None:
    board = DealtBoard(1, Seat.NORTH, Vulnerability.NONE, Deal(deal))
    path = tmp_path / "lessons.html"
    path.write_text(hand_pages("Lessons", [board], [Seat.SOUTH]), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    form, sheet = (page.locator(name).bounding_box() for name in (".calls", "article"))
    right_end = """suit => {
        const text = document.createRange();
        text.selectNodeContents(suit);
        return text.getBoundingClientRect().right;
    }"""
    for suit in page.locator("article p").all():
        assert suit.evaluate(right_end) < form["x"]
    assert form["x"] + form["width"] < sheet["x"] + sheet["width"]
    assert form["y"] + form["height"] < sheet["y"] + sheet["height"]
    page.close()


@pytest.mark.parametrize("width", [360, 375, 600, 800])
def test_sheets_are_as_wide_as_a_phone_and_as_paper_on_paper(
    browser: Any, tmp_path: Path, width: int
) -> None:
    deal = Deal("S:AKQJT8653.2.A4.3 92.Q963.J85.AJ85 7.AJ85.KT73.KT74 4.KT74.Q962.Q962")
    board = DealtBoard(1, Seat.NORTH, Vulnerability.NONE, deal)
    path = tmp_path / "cards.html"
    path.write_text(hand_pages("Cards", [board], [Seat.SOUTH]), "utf-8")
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(media="print")
    paper = page.locator(".page").first.bounding_box()["width"]
    assert paper == pytest.approx(210 / 25.4 * 96, abs=1)
    page.close()


def test_a_contract_stays_on_its_line(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    cells = "<td>1×</td><td>2♠x W −2</td><td>♦Q ♠6</td>"
    table = f'<article><table class="results"><tr>{cells}</tr></table></article>'
    path.write_text(_html("Results", "report", table), "utf-8")
    page = browser.new_page(viewport={"width": 120, "height": 700})
    page.goto(path.as_uri())
    first, second, third = (cell.bounding_box()["height"] for cell in page.locator("td").all())
    assert first == second == third < 25
    assert page.evaluate("document.documentElement.scrollWidth") <= 120
    page.close()
