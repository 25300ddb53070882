"""A real browser on a real site: Chromium driven by Playwright, a site served from a sub-folder."""

import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trickcast.web import write_site

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = "axe-core@4.10.3"
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class _Quiet(SimpleHTTPRequestHandler):
    """A host that sends the packed file where the browser takes it."""

    protocol_version = "HTTP/1.1"

    def send_head(self) -> Any:
        packed = Path(self.translate_path(self.path) + ".gz")
        if "gzip" not in self.headers.get("accept-encoding", "") or not packed.is_file():
            return super().send_head()
        self.send_response(200)
        self.send_header("content-type", self.guess_type(self.path.partition("?")[0]))
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(packed.stat().st_size))
        self.end_headers()
        return packed.open("rb")

    def log_message(self, *told: Any) -> None:
        pass


@pytest.fixture(scope="session", autouse=True)
def asked_for(request: pytest.FixtureRequest) -> None:
    """Whether these tests shall run: then what they need must be there."""
    if not request.config.getoption("--browser"):
        pytest.skip("a real browser takes minutes: make browser-test")


class Host(NamedTuple):
    """A web host: what lies in its folder is at its address."""

    folder: Path
    address: str


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A web host without a site."""
    root = tmp_path_factory.mktemp("host")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(root))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Host(root, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


@pytest.fixture(scope="session")
def site(host: Host) -> str:
    """The address of a site that lies in a sub-folder of a web host."""
    write_site(host.folder / "club" / "tricks")
    return f"{host.address}club/tricks/"


@pytest.fixture(scope="session")
def exact_site(site: str) -> str:
    """The same, where the solver that it has was built."""
    if not (files("trickcast.web") / "wasm" / "dds.wasm").is_file():
        pytest.skip("the page's solver is not built: make wasm")
    return site


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server of our own, with the page on it."""
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0", "--solvers", "1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        yield f"{running.stdout.readline().strip()}/"
        running.terminate()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, from npm."""
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "pack", AXE, "--silent", "--pack-destination", str(folder)]
    subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=300)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as package:
        script = package.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


@pytest.fixture
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for screenshots."""
    return tmp_path_factory.getbasetemp()


@contextmanager
def _fresh_page(
    browser: Any, address: str, patience: int, *, console: bool, **given: Any
) -> Iterator[Any]:
    """A page that must end without an error in its script, or on its ``console``."""
    context = browser.new_context(**given)
    shown = context.new_page()
    shown.set_default_timeout(patience)
    trouble: list[str] = []
    shown.on("pageerror", lambda error: trouble.append(str(error)))
    if console:
        shown.on("console", lambda told: trouble.extend([told.text] * (told.type == "error")))
    shown.goto(address)
    yield shown
    assert trouble == []
    context.close()


@pytest.fixture
def fresh_page(browser: Any) -> Callable[..., AbstractContextManager[Any]]:
    """Opens such a page at an address."""
    return partial(_fresh_page, browser)
