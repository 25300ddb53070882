"""The server behind nginx, as the example has it."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from test_serving import KNOWN, running
from test_serving_parts import STREAM, events, wait_until

CONFIGURATION = Path(__file__).parents[1] / "examples" / "serving" / "nginx.conf"
PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/local/bin:/usr/bin")
HOST = {"host": "bridge.example.org"}


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of nginx in front of one server."""
    if PROGRAM is None:
        pytest.skip("nginx is not installed")
    folder = tmp_path_factory.mktemp("nginx")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running("--solvers", "1", "--allow-host", HOST["host"]) as (client, _, _):
        site = CONFIGURATION.read_text().replace("listen 80;", f"listen 127.0.0.1:{port};")
        site = site.replace("127.0.0.1:8801", f"127.0.0.1:{client.base_url.port}")
        site = re.sub(r"server 127\.0\.0\.1:8802;", "", site)
        whole = folder / "nginx.conf"
        whole.write_text(
            f"pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
            f"http {{ access_log off; client_body_temp_path {folder}; {site} }}\n"
        )
        command = [PROGRAM, "-e", f"{folder}/error.log", "-c", str(whole), "-g", "daemon off;"]
        with subprocess.Popen(command) as proxy:
            address = f"http://127.0.0.1:{port}"

            def listens() -> bool:
                with socket.socket() as line:
                    return line.connect_ex(("127.0.0.1", port)) == 0

            assert wait_until(listens, 30)
            with httpx.Client(base_url=address, headers=HOST, timeout=60) as visitor:
                yield visitor
            proxy.terminate()


def test_answers_and_refusals_come_through_the_proxy(proxied: httpx.Client) -> None:
    assert proxied.get("/").text.startswith("<!doctype html>")
    origin = {"origin": "https://bridge.example.org"}
    assert proxied.get("/healthz", headers=origin).json() == {"status": "ok"}
    assert proxied.get("/healthz", headers={"origin": "https://evil.example"}).status_code == 403
    assert proxied.post("/v1/solve", json={"deals": ["N:AK"]}).status_code == 422
    assert proxied.post("/v1/solve", content=bytes(300_000)).status_code == 413


@pytest.mark.solver
def test_events_go_on_as_they_come(proxied: httpx.Client) -> None:
    question = KNOWN | {"contract": "2S", "by": "S", "making": True, "samples": 200, "solve": 64}
    with proxied.stream("GET", "/v1/simulate", params=question, headers=STREAM) as answer:
        kinds = [kind for kind, _ in events(answer.iter_lines())]
    assert kinds[-2:] == ["result", "end"] and {*kinds[:-2]} == {"partial"}
