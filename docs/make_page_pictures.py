"""Make the page's icons, and the card that other sites show for a link to it.

python docs/make_page_pictures.py  # needs Chromium, playwright and the page's solver (make wasm)
"""

import shutil
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import trickcast as tc
from trickcast.web import write_site

PAGE = Path(tc.__file__).parent / "web" / "page"
BOARD = (
    "deal=N:A.KQ9832.T94.AKT+Q4.AT7.QJ872.732+KJ95.J65.K3.J654+T87632.4.A65.Q98"
    "&board=1&dealer=N&vul=none&contract=4H&by=N"
)
ICONS = (192, 512)
CARD = (1200, 630)
"""Size in pixels that sites expect for link cards."""


def main() -> None:
    """Draw the icons from icon.svg, and the card from the page itself."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_site(folder)
        host = partial(SimpleHTTPRequestHandler, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), host) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            chromium = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            width, height = CARD
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"http://127.0.0.1:{server.server_port}/#{BOARD}")
            page.locator("#status", has_text="Exact.").wait_for()
            page.locator(".card.plays .result", has_text="=").first.wait_for()
            page.evaluate("document.body.style.zoom = 0.85")
            page.screenshot(path=PAGE / "card.png")
            for size in ICONS:
                page = browser.new_page(viewport={"width": size, "height": size})
                page.set_content(f"<style>body {{ margin: 0 }}</style>{_icon(size)}")
                page.screenshot(path=PAGE / f"icon-{size}.png", omit_background=True)
            browser.close()
            server.shutdown()


def _icon(size: int) -> str:
    svg = (PAGE / "icon.svg").read_text("utf-8")
    return svg.replace("<svg ", f'<svg width="{size}" height="{size}" ', 1)


if __name__ == "__main__":
    main()
