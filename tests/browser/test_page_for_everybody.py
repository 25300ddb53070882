"""The page by keyboard alone, under axe, at 320 pixels, on paper."""

from pathlib import Path
from typing import Any

import pytest

import trickcast as tc

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
PATIENCE = 90_000  # milliseconds, on a busy machine


def opened(browser: Any, address: str, width: int, scheme: str = "light") -> Any:
    """A page in a window of that width."""
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    return page


def serious(page: Any, axe: str) -> list[str]:
    """What axe finds that is serious or critical, with the elements."""
    page.evaluate(axe)
    violations = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{found['id']}: {[node['html'][:120] for node in found['nodes'][:3]]}"
        for found in violations
        if found["impact"] in ("serious", "critical")
    ]


def stop_if_it_still_runs(page: Any) -> None:
    """End a simulation, unless it has ended by itself."""
    page.evaluate(
        """() => {
            const run = document.querySelector("#whatif-run");
            if (run.textContent === "Stop") run.click();
        }"""
    )


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark"), (320, "light")])
def test_axe_finds_nothing_serious_and_nothing_is_too_wide(browser, server, axe, width, scheme):
    page = opened(browser, f"{server}#deal={DEAL.replace(' ', '+')}", width, scheme)

    def check() -> None:
        assert serious(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.locator("#status", has_text="Exact.").wait_for()
    check()
    page.get_by_role("button", name="hearts by North or South").click()
    page.get_by_label("Card of the play").wait_for()
    page.get_by_text("Enter or change cards").click()
    page.get_by_text("Settings").click()
    check()
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Bidding").click()
    page.locator(".openings tbody tr").first.wait_for()
    check()
    page.get_by_role("tab", name="Chances").click()
    page.get_by_role("button", name="clubs by North").click()
    page.get_by_label("East: what is known").fill("balancd")
    page.locator("#fault-1", has_text="did you mean").wait_for()
    check()
    page.get_by_label("East: what is known").fill("")
    page.get_by_role("button", name="Simulate").click()
    page.locator(".chance").wait_for()
    check()
    page.get_by_label("I ask for").select_option("leads")
    stop_if_it_still_runs(page)
    page.get_by_role("button", name="Simulate").click()
    page.locator(".leads").wait_for()
    check()
    page.context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious_on_the_static_page(browser, exact_site, axe, width):
    page = opened(browser, exact_site, width)
    page.get_by_text("Paste a deal, drop a file").wait_for()
    assert serious(page, axe) == []
    page.goto(f"{exact_site}#deal={DEAL.replace(' ', '+')}&contract=4H&by=N&vul=both&dealer=N")
    page.locator("#status", has_text="Exact.").wait_for()
    page.locator(".card.plays .result", has_text="=").first.wait_for()
    assert serious(page, axe) == []
    page.get_by_role("button", name="What if?").click()
    page.get_by_role("tab", name="Chances").click()
    page.get_by_text("need a trickcast server").wait_for()
    assert serious(page, axe) == []
    page.get_by_text("Random").click()
    box = page.locator("#random .sheet").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    page.get_by_role("button", name="Any deal").wait_for()
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Any deal").click()
    page.locator("#text").fill("rubbish")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="This works").wait_for()
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def tab_to(page: Any, name: str) -> None:
    """Press Tab until what has the focus is called that."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(
            """(name) => {
                const { activeElement: at } = document;
                const label = at.ariaLabel ?? at.labels?.[0]?.textContent ?? at.textContent;
                return label.trim().startsWith(name);
            }""",
            name,
        ):
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


def test_the_keyboard_alone_is_enough(browser, server):
    page = opened(browser, server, 1280)
    page.locator("#about", has_text="server").wait_for()
    tab_to(page, "Paste a deal")
    page.keyboard.type(DEAL)
    page.keyboard.press("Enter")
    page.locator("#status", has_text="Exact.").wait_for()
    assert page.locator("#text").input_value() == "", "the box waits for the next deal"
    tab_to(page, "hearts by North or South")
    page.keyboard.press("Enter")
    page.get_by_label("Card of the play").wait_for()
    tab_to(page, "Makes")
    page.keyboard.press("ArrowRight")
    page.get_by_role("table", name="hearts by North", exact=True).wait_for()
    tab_to(page, "hearts by North")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.get_by_role("table", name="hearts by North", exact=True).wait_for()
    tab_to(page, "Level")
    page.keyboard.type("5")
    tab_to(page, "East: what is known")
    page.keyboard.type("hcp 8-12")
    page.keyboard.press("Enter")
    page.locator(".chance", has_text="5").wait_for()
    tab_to(page, "Stop")
    page.keyboard.press("Enter")
    page.locator(".progress", has_text="Stopped").wait_for()
    page.context.close()


def test_boards_are_printed_two_a_page(browser, site, shots, tmp_path: Path):
    file = tmp_path / "boards.pbn"
    tc.write(tc.random_deals(6, seed=7), file)
    page = opened(browser, site, 1280)
    page.locator("#file").set_input_files(file)
    page.locator("#share summary").click()
    # Without a window no dialog opens, so the browser's own print would never end, and then it
    # refuses the one below: "Page is already being printed".
    page.evaluate("() => { window.prints = 0; window.print = () => { window.prints += 1; }; }")
    page.get_by_role("button", name="Print").click()
    page.wait_for_function("window.prints === 1")
    page.locator("#status", has_text="6 boards are estimated").wait_for()
    paper = page.pdf(path=shots / "boards.pdf", format="A4")
    assert paper.count(b"/Type /Page\n") == 3
    page.emulate_media(media="print")
    assert page.locator(".printed .number").count() == 6 * 20
    assert not page.locator("header").is_visible()
    page.context.close()
