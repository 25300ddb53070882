"""The contest in a real browser: a short chunk against the application, the page's clock faked."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
