"""Take the picture of the page in the README: the static site in headless Chromium.

python docs/make_page.py    # needs the extra browser, chromium and `make wasm`
"""

import shutil
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

from trickcast.web import write_site

PICTURE = Path("docs/page.png")
DEAL = "N:A.KQ9832.T94.AKT+Q4.AT7.QJ872.732+KJ95.J65.K3.J654+T87632.4.A65.Q98"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    """Write a site, show a deal on it, choose a contract, and take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        write_site(folder)
        handler = partial(SimpleHTTPRequestHandler, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            take(f"http://127.0.0.1:{server.server_port}/#deal={DEAL}&board=5&dealer=N&vul=ns")
            server.shutdown()


def take(address: str) -> None:
    """Save what the page shows of a deal."""
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(address)
        page.locator("#status", has_text="by accurate").wait_for()
        page.get_by_role("button", name="hearts by North").click()
        page.locator(".card.plays .result", has_text="=").first.wait_for()
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
