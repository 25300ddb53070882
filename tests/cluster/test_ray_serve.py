"""The server on Ray Serve, as the example has it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from test_serving import DUMMIES, EASY
from test_serving_parts import STREAM, events

EXAMPLE = Path(__file__).parents[2] / "examples" / "serving" / "on_ray.py"
START_SECONDS = 180  # on a busy machine


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """A client of one replica, on a Ray of its own."""
    if not request.config.getoption("--cluster"):
        pytest.skip("a cluster takes minutes: make cluster-test")
    pytest.importorskip("ray.serve", exc_type=ImportError)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    alone = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    command = [sys.executable, str(EXAMPLE), str(port), "1"]
    with (
        subprocess.Popen(command, env=alone) as serving,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as visitor,
    ):
        try:
            end = time.monotonic() + START_SECONDS
            while not answers(visitor):
                assert serving.poll() is None and time.monotonic() < end
                time.sleep(1)
            yield visitor
        finally:
            serving.send_signal(signal.SIGINT)


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def test_a_replica_answers_refuses_and_sends_events(client: httpx.Client) -> None:
    assert client.get("/").text.startswith("<!doctype html>")
    (solved,) = client.post("/v1/solve", json={"deals": [EASY]}).json()["results"]
    assert solved["deal"] == EASY and len(solved["exact"]) == 5
    assert client.post("/v1/solve", json={"deals": ["N:AK"]}).status_code == 422
    assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 421
    question = DUMMIES | {"contract": "7S", "by": "N", "making": True, "samples": 40, "solve": 20}
    with client.stream("GET", "/v1/simulate", params=question, headers=STREAM) as answer:
        kinds = [kind for kind, _ in events(answer.iter_lines())]
    assert kinds[-2:] == ["result", "end"]
