"""Speed of the page: on a slow line, by its own solver, and with a result on every card.

    python benchmarks/page.py  # needs Chromium, playwright, and the page's solver (make wasm)

The static page is opened over 1.6 Mbit/s with 300 ms each way, until its first number appears. Its
solver (DDS as WebAssembly, in workers) and the native one solve the same deals, in turn. A server's
page is asked for the results on the cards of fresh deals, before the lead and after some cards have
been played. A card is then played in it, after a quarter of a second of thought and after none. The
native solver's own time for the same positions is printed beside it.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which
from statistics import median
from typing import Any

import numpy as np

import trickcast as tc
from trickcast.cards import Seat, Strain
from trickcast.cards.card_play import positions
from trickcast.cards.text import card_text, parse_card
from trickcast.solver import values_in
from trickcast.web import write_site

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
SLOW = {
    "offline": False,
    "latency": 300,
    "downloadThroughput": 200_000,
    "uploadThroughput": 200_000,
}
ROUNDS = 5
SOLVE = """async (pbn) => {
    const { BrowserEngine } = await import("./engine.js");
    const { Deal } = await import("./cards.js");
    window.engine ??= new BrowserEngine({ exact: true });
    const began = performance.now();
    const table = await window.engine.solve(Deal.parse(pbn));
    return [table, performance.now() - began];
}"""
CARDS = """async ([pbn, cards]) => {
    const { HttpEngine } = await import("./engine.js");
    const { Deal } = await import("./cards.js");
    window.engine ??= new HttpEngine();
    const began = performance.now();
    const line = { deal: Deal.parse(pbn), contract: "3N", declarer: 2, cards };
    await window.engine.position(line);
    return performance.now() - began;
}"""

PLAY = """async ([pbn, cards, next, thought]) => {
    const { answerOf, resultsOf } = await import("./answers.js");
    const { play } = await import("./table.js");
    const { blank, board, open, state, change } = await import("./store.js");
    const { Deal } = await import("./cards.js");
    const until = async (known) => {
        while (!known()) await new Promise((later) => setTimeout(later, 1));
    };
    const shown = { ...blank(), deal: Deal.parse(pbn) };
    open({ boards: [shown], skipped: [] });
    await until(() => answerOf(board()).exact && answerOf(board()).final);
    change({ line: { contract: "3N", declarer: 2, cards, at: cards.length } });
    await until(() => resultsOf(state.line));
    await new Promise((later) => setTimeout(later, thought));
    const began = performance.now();
    play("SHDC".indexOf(next[0]) * 13 + "AKQJT98765432".indexOf(next[1]));
    await until(() => resultsOf(state.line));
    return performance.now() - began;
}"""
"""A person sees the results on the cards, thinks for some milliseconds, then plays one."""
THOUGHTS = (250, 0)


class Host(SimpleHTTPRequestHandler):
    """A host that sends compressed files."""

    protocol_version = "HTTP/1.1"

    def send_head(self) -> Any:
        """Send the compressed file if there is one."""
        packed = Path(self.translate_path(self.path) + ".gz")
        if not packed.is_file():
            return super().send_head()
        self.send_response(200)
        self.send_header("content-type", self.guess_type(self.path.partition("?")[0]))
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(packed.stat().st_size))
        self.end_headers()
        return packed.open("rb")

    def log_message(self, *told: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """A server that does not report browsers that disconnect."""

    def handle_error(self, *told: Any) -> None:
        """Say nothing."""


def milliseconds(work: Any) -> float:
    """Return how long a call takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def slow_line(browser: Any, site: str) -> None:
    """Open the static page on a slow line, without a cache."""
    taken = []
    for _ in range(ROUNDS):
        context = browser.new_context(service_workers="block")
        page = context.new_page()
        client = context.new_cdp_session(page)
        client.send("Network.enable")
        client.send("Network.emulateNetworkConditions", SLOW)
        began = time.perf_counter()
        page.goto(f"{site}#deal={DEAL.replace(' ', '+')}", wait_until="commit")
        page.locator("table.makes td").first.wait_for()
        taken.append(time.perf_counter() - began)
        context.close()
    print(f"first number on a slow line: {median(taken):.1f} s (median of {ROUNDS})")


def solvers(browser: Any, site: str, count: int) -> None:
    """Solve the same deals in the page and natively."""
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(site)
    page.evaluate(SOLVE, DEAL)
    tc.solve(DEAL)
    ours, native, same = [], [], 0
    for deal in tc.random_deals(count, seed=48):
        native.append(milliseconds(partial(tc.solve, deal)))
        table, taken = page.evaluate(SOLVE, deal.pbn)
        ours.append(taken)
        same += bool((np.array(table) == tc.solve(deal).tricks).all())
    print(f"exact table in the page: {median(ours):.0f} ms, native {median(native):.0f} ms: "
          f"{median(ours) / median(native):.2f} x; {same} of {count} tables equal")  # fmt: skip


def cards(browser: Any, count: int) -> None:
    """Ask a server for the results on cards, before the lead and after some cards were played."""
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0", "--solvers", "1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        page = browser.new_context(bypass_csp=True).new_page()
        page.goto(f"{running.stdout.readline().strip()}/")
        page.evaluate(CARDS, [DEAL, []])
        tc.solve_leads(DEAL, "3N", by="S")
        for when, seed, played in (("choosing a contract", 49, 0), ("a lead", 50, 1),
                                   ("five cards", 51, 5)):  # fmt: skip
            ours, native = [], []
            for deal in tc.random_deals(count, seed=seed):
                cards = some_play(deal, played)
                native.append(milliseconds(solver(deal, cards)))
                ours.append(page.evaluate(CARDS, [deal.pbn, cards]))
            print(f"results on cards by a server, after {when}: {said(ours, native)}")
        for thought in THOUGHTS:
            ours, native = [], []
            for place, deal in enumerate(tc.random_deals(count, seed=52 + thought)):
                *cards, following = some_play(deal, 1 + place % 8)
                native.append(milliseconds(solver(deal, [*cards, following])))
                ours.append(page.evaluate(PLAY, [deal.pbn, cards, following, thought]))
            print(f"results on cards in the page, a card played after {thought} ms of thought: "
                  f"{said(ours, native)}")  # fmt: skip
        running.terminate()


def solver(deal: tc.Deal, cards: list[str]) -> Any:
    """Return a call that solves the position after some cards natively."""
    position = positions(deal.owners, Strain.NOTRUMP, Seat.WEST, parsed(cards))[-1:]
    return partial(values_in, position, Strain.NOTRUMP, Seat.SOUTH)


def said(ours: list[float], native: list[float]) -> str:
    """Return medians and their ratio."""
    return (f"{median(ours):.1f} ms, native {median(native):.1f} ms: "
            f"{median(ours) / median(native):.2f} x")  # fmt: skip


def parsed(cards: list[str]) -> list[int]:
    """Return card numbers."""
    return [parse_card(card) for card in cards]


def some_play(deal: tc.Deal, count: int) -> list[str]:
    """Return the first cards of a play in notrump by South, each the lowest legal one."""
    cards: list[str] = []
    for _ in range(count):
        reached = positions(deal.owners, Strain.NOTRUMP, Seat.WEST, parsed(cards))[-1]
        cards.append(card_text(int(reached.playable[-1])))
    return cards


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--deals", type=int, default=50)
    options.add_argument("--cards", action="store_true", help="Measure results on cards alone.")
    asked = options.parse_args()
    count = asked.deals
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_site(folder)
        host = partial(Host, directory=folder)
        with Server(("127.0.0.1", 0), host) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser = playwright.chromium.launch(
                executable_path=which("chromium") or which("chromium-browser"),
                args=["--no-sandbox"],
            )
            site = f"http://127.0.0.1:{server.server_port}/"
            if not asked.cards:
                slow_line(browser, site)
                solvers(browser, site, count)
            cards(browser, count)
            browser.close()
            server.shutdown()


if __name__ == "__main__":
    main()
