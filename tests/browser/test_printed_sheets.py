"""The printed sheets in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from trickcast.cards import Deal, Seat, Vulnerability
from trickcast.web.report import DealtBoard, hand_pages


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
