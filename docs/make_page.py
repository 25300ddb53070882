"""Take the picture of the page for the README: our own server in headless Chromium.

python docs/make_page.py    # needs the extra browser, and chromium
"""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path("docs/page.png")
DEAL = "N:A.KQ9832.T94.AKT+Q4.AT7.QJ872.732+KJ95.J65.K3.J654+T87632.4.A65.Q98"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    """Show a deal on the page, choose a contract, and take the picture."""
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            take(f"{server.stdout.readline().strip()}/#deal={DEAL}&board=5&dealer=N&vul=ns")
        finally:
            server.terminate()


def take(address: str) -> None:
    """Save a picture of the page with a deal."""
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(address)
        page.locator("#status", has_text="Exact").wait_for()
        page.get_by_role("button", name="hearts by North").click()
        page.locator(".card.plays .result", has_text="=").first.wait_for()
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
