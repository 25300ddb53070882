"""The site of ``make docs``, as wide as a phone: tables and outputs scroll, pages do not."""

from pathlib import Path
from typing import Any

import pytest

SITE = Path(__file__).parents[2] / "build" / "docs"
PHONE = {"width": 390, "height": 844}
BEYOND = """width => [...document.querySelectorAll('article *')].filter(element => {
  for (let box = element.parentElement; box !== document.body; box = box.parentElement)
    if (getComputedStyle(box).overflowX !== 'visible') return false
  return element.getBoundingClientRect().right > width + 1
}).map(element => element.outerHTML.slice(0, 80))"""
"""What of a page's text is beyond the edge, but for what lies in a box that scrolls."""


def test_no_page_of_the_site_scrolls_sideways(browser: Any) -> None:
    pages = [path for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
    if not pages:
        pytest.skip("no site here: make docs")
    phone = browser.new_page(viewport=PHONE)
    wide = {}
    for path in pages:
        phone.goto(path.as_uri(), wait_until="domcontentloaded")
        beyond = phone.evaluate(BEYOND, PHONE["width"])
        if beyond or phone.evaluate("document.scrollingElement.scrollWidth") > PHONE["width"]:
            wide[path.relative_to(SITE).as_posix()] = beyond
    phone.close()
    assert len(pages) > 50 and wide == {}
