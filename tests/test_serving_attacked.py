"""The server against those who mean it harm: each weakness that was found, by its class."""

import asyncio
import gzip
import json
import os
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

import test_serving
from test_contest import DEAL, Clock, problem
from test_serving import EASY, NORTH, running, solvers_of
from test_serving_parts import wait_until
from trickcast._processes import Refusal
from trickcast.dealing import ConstraintError
from trickcast.web.serve import contest as contests
from trickcast.web.serve import jobs
from trickcast.web.serve.api import application
from trickcast.web.serve.connections import HEAD
from trickcast.web.serve.contest import Contest
from trickcast.web.serve.errors import BusyError
from trickcast.web.serve.guard import Limits
from trickcast.web.serve.server import ServeError, connections_of
from trickcast.web.serve.store import Rules, Store

CLUB = "https://club.example.org"


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[httpx.Client, subprocess.Popen[str], list[str]]]:
    with running("--solvers", "2", "--seconds", "300", "--allow-origin", CLUB) as served:
        yield served


@pytest.fixture(scope="module")
def client(server) -> httpx.Client:
    return server[0]


def place(client: httpx.Client) -> tuple[str, int | None]:
    return client.base_url.host, client.base_url.port


def request(path: str, body: bytes = b"", more: str = "") -> bytes:
    method = "POST" if body else "GET"
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


# --- few bytes that become many ------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.solver
def test_what_was_passed_over_in_a_file_is_told_by_the_hundred(client) -> None:
    packed = gzip.compress(f"{EASY}\n".encode() + b"N:\n" * 90_000)
    for name in ("a", "♠" * 60):
        answer = client.post("/v1/solve?from=text", files={"file": (name, packed)})
        assert answer.status_code == 200 and len(answer.content) < 100_000
        content = answer.json()
        assert len(content["results"]) == 1
        assert len(content["skipped"]) == 100 and content["more_skipped"] == 89_900
    converted = client.post("/v1/convert?to=text&from=text", files={"file": ("a", packed)})
    assert converted.headers["trickcast-skipped"] == "90000"


def test_an_answer_that_is_too_large_is_refused(monkeypatch) -> None:
    def much(asked: Any, tell: Any) -> None:
        for _ in range(5):
            tell("result", "x" * 5_000_000)

    monkeypatch.setitem(jobs.JOBS, "much", much)
    sent = list[bytes]()
    with pytest.raises(Refusal, match="the answer is too large .expected at most 16,777,216 bytes"):
        jobs.answer(json.dumps({"job": "much"}).encode(), sent.append)
    assert len(sent) == 3


def test_a_text_of_the_language_that_is_wrong_ends_no_process(monkeypatch) -> None:
    def wrong(*_: object) -> None:
        raise ConstraintError("rule, line 1, column 7: hpc is not a count")

    monkeypatch.setitem(jobs.JOBS, "wrong", wrong)
    with pytest.raises(Refusal, match="hpc is not a count"):
        jobs.answer(b'{"job": "wrong"}', lambda _: None)


# --- pages of other sites ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/v1/models", {"sec-fetch-site": "cross-site"}, 403),
        ("/v1/models", {"sec-fetch-site": "same-site"}, 403),
        ("/v1/models", {"sec-fetch-site": "same-origin"}, 200),
        ("/v1/models", {"sec-fetch-site": "none"}, 200),
        ("/v1/models", {}, 200),
        ("/v1/models", {"sec-fetch-site": "cross-site", "origin": CLUB}, 200),
        ("/v1/models", {"sec-fetch-site": "cross-site", "origin": f"{CLUB}.evil.org"}, 403),
        ("/", {"sec-fetch-site": "cross-site"}, 200),
    ],
)
def test_what_a_page_of_another_site_asks_for_is_refused(client, path, headers, status) -> None:
    for method in ("GET", "HEAD"):
        assert client.request(method, path, headers=headers).status_code == status


def test_a_site_that_is_allowed_may_ask_and_frame_the_page(client) -> None:
    asked = {"origin": CLUB, "access-control-request-method": "POST"}
    asked["access-control-request-headers"] = "content-type"
    preflight = client.options("/v1/estimate", headers=asked)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, CLUB)
    for content, status in (({"hands": [NORTH]}, 200), ({}, 422)):
        answer = client.post("/v1/hand", json=content, headers={"origin": CLUB})
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == CLUB
    assert f"frame-ancestors {CLUB}" in client.get("/").headers["content-security-policy"]
    evil = client.options("/v1/estimate", headers=asked | {"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in evil.headers
    assert "access-control-allow-origin" not in client.get("/v1/models").headers


@pytest.mark.parametrize(
    "origin", ["club.example.org", f"{CLUB}/", "ftp://x", f"{CLUB} 'self'", ""]
)
def test_what_is_no_origin_is_one_plain_line(origin) -> None:
    command = [sys.executable, "-m", "trickcast", "serve", f"--allow-origin={origin}"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2 and len(ended.stderr.splitlines()) == 1
    assert "is not an origin (expected one such as https://club.example.org, or *)" in ended.stderr


# --- connections ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_who_sends_nothing_is_cut_off(client) -> None:
    """At once after connecting, after a line's end, and after a request with its answer."""
    with ExitStack() as stack:
        lines = [
            stack.enter_context(socket.create_connection(place(client), timeout=60))
            for _ in range(30)
        ]
        for number, line in enumerate(lines):
            if number % 3 == 1:
                line.sendall(b"\r\n")
            elif number % 3 == 2:
                line.sendall(request("/healthz"))
                whole = b""
                while not whole.endswith(b"}"):
                    whole += line.recv(1000)
                line.sendall(b"\r\n")
        for line in lines:
            assert line.recv(1000) == b""


def test_a_head_is_measured_by_itself(client) -> None:
    """At its length it is taken, whatever came before; longer it is not, even at once."""

    def answers(sent: bytes) -> list[bytes]:
        with socket.create_connection(place(client), timeout=60) as line:
            with suppress(OSError):  # it is closed already
                line.sendall(sent)
                line.shutdown(socket.SHUT_WR)
            with suppress(ConnectionError):
                return [part[:3] for part in line.makefile("rb").read().split(b"HTTP/1.1 ")[1:]]
            return []

    before = request("/v1/hand", b" " * 60_000)
    fill = "".join(f"x-{number}: {'y' * 3990}\r\n" for number in range(16))
    assert HEAD - 5_000 < len(fill) < HEAD - 1_000
    last = "Connection: close\r\n"
    assert answers(before + request("/healthz", more=fill + last)) == [b"400", b"200"]
    # no answer may be left to read, where the server ended while more was sent
    assert {*answers(request("/healthz", more=fill + fill + last))} <= {b"400"}
    assert {*answers(request("/healthz?" + "x" * 70_000, more=last))} <= {b"400"}
    many = request("/healthz") * 200
    assert len(answers(many)) < 200


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts files of Linux")
def test_when_no_more_files_can_be_opened_work_goes_on_and_all_is_as_before_after(
    monkeypatch,
) -> None:
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0", "--solvers", "1"]

    def limited() -> Any:
        shell = ["sh", "-c", f"ulimit -n 160; exec {shlex.join(command)}"]
        pipe = subprocess.PIPE
        return subprocess.Popen(shell, stdout=pipe, stderr=pipe, text=True, bufsize=1)

    monkeypatch.setattr(test_serving, "start", limited)
    with running() as (client, process, log), ExitStack() as stack:
        (solver,) = solvers_of(process.pid)
        refused = 0
        for _ in range(100):
            line = stack.enter_context(socket.socket())
            line.settimeout(60)
            line.connect(place(client))
            if not refused:
                line.setblocking(False)
                time.sleep(0.002)
                with suppress(BlockingIOError):
                    refused += line.recv(100).startswith(b"HTTP/1.1 503 ")
        assert refused
        for _ in range(3):
            assert client.post("/v1/solve", json={"deals": [EASY]}).status_code == 200
        assert len(os.listdir(f"/proc/{process.pid}/fd")) < 160  # noqa: PTH208
        stack.close()

        def as_before() -> bool:
            with suppress(httpx.TransportError):
                return httpx.post(f"{client.base_url}/v1/solve", json={"deals": [EASY]}).is_success
            return False

        assert wait_until(as_before, 60)
        assert solvers_of(process.pid) == [solver]  # it was kept, and is asked
        assert len(log) < 200


def test_what_files_there_are_is_shared_out() -> None:
    for files in (256, 1024, 20_000, 1 << 17):
        backlog, connections = connections_of(files, 2)
        assert 0 < backlog <= 2048 and files / 3 < connections < files
    with pytest.raises(ServeError, match="only 64 files can be open"):
        connections_of(64, 2)


# --- processes -----------------------------------------------------------------------------------


def ended(process: int) -> bool:
    """Whether a process waits for nothing but its parent: not while threads of it (l) end."""
    listed = ["ps", "-o", "stat=", "-p", str(process)]
    return not subprocess.run(listed, capture_output=True, text=True).stdout.strip(" \nZNs<")


@pytest.mark.solver
def test_solvers_that_died_idle_are_not_asked(server) -> None:
    client, process, log = server
    for _ in range(2):
        assert wait_until(lambda: len(solvers_of(process.pid)) == 2, 30)
        said = len(log)
        killed = solvers_of(process.pid)
        for solver in killed:
            os.kill(solver, signal.SIGKILL)
        assert wait_until(lambda: all(map(ended, killed)), 10)  # noqa: B023
        assert client.post("/v1/solve", json={"deals": [EASY]}).status_code == 200
        assert [line for line in log[said:] if "WARNING" in line] == []
        assert client.post("/v1/solve", json={"deals": [EASY]}).status_code == 200


@pytest.mark.solver
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits another process")
def test_a_solver_that_cannot_be_started_is_started_later(server) -> None:
    import resource

    client, process, _ = server
    before = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    assert wait_until(lambda: len(solvers_of(process.pid)) == 2, 30)
    client.get("/healthz")  # its connection is there
    opened = max(map(int, os.listdir(f"/proc/{process.pid}/fd")))  # noqa: PTH208
    try:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (opened - 3, before[1]))
        for solver in solvers_of(process.pid):
            os.kill(solver, signal.SIGKILL)
        statuses = set()
        for _ in range(4):
            answer = client.post("/v1/solve", json={"deals": [EASY]})
            statuses.add(answer.status_code)
        assert statuses == {503} and "no solver can be started" in answer.json()["detail"]
        assert answer.headers["retry-after"] == "1"
    finally:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, before)
    for _ in range(4):
        assert client.post("/v1/solve", json={"deals": [EASY]}).status_code == 200
    assert len(solvers_of(process.pid)) == 2  # all slots are in use again, and each is kept


# --- the contest ---------------------------------------------------------------------------------


class Solved:
    """An engine that has every answer."""

    async def ask(self, *_: Any) -> AsyncIterator[tuple[str, Any]]:
        yield "result", {"exact": [[6] * 4] * 5}


@pytest.fixture
def contest(tmp_path, monkeypatch) -> Iterator[Contest]:
    monkeypatch.setattr(contests, "prepared", lambda *given: problem())
    monkeypatch.setattr(contests, "_AGAIN_SECONDS", 0.01)
    held = Contest(tmp_path / "contest.sqlite", Rules(length=30, ready=20), Clock())
    yield held
    held.close()


@cache
def server_of(contest: Contest) -> Any:
    return application(frozenset({"here"}), Limits(), 1, contest)


async def ask(
    contest: Contest, path: str, question: Any, address: str = "1.2.3.4"
) -> httpx.Response:
    transport = httpx.ASGITransport(app=server_of(contest), client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        return await client.post(f"/v1/contest/{path}", json=question)


BEGIN = {"hands": 4, "strain": "N"}


def test_another_program_that_holds_the_contests_file_holds_up_nobody(contest, tmp_path) -> None:
    other = sqlite3.connect(tmp_path / "contest.sqlite", isolation_level=None)

    async def main() -> tuple[int, httpx.Response]:
        filling = asyncio.create_task(contest.fill(Solved()))
        await asyncio.sleep(0.05)
        other.execute("BEGIN IMMEDIATE")
        asking, turns = asyncio.create_task(ask(contest, "begin", BEGIN)), 0
        while not asking.done():
            await asyncio.sleep(0.01)
            turns += 1
        other.execute("ROLLBACK")
        while await contest.do(lambda store: store.ready()) < contest.rules.ready:
            await asyncio.sleep(0.01)
        filling.cancel()
        return turns, await asking

    turns, answer = asyncio.run(main())
    other.close()
    assert turns > 20  # of the loop, which went on all the time
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert asyncio.run(ask(contest, "begin", BEGIN)).status_code == 200


def test_who_waits_for_the_contests_file_is_told_so_in_time(contest, monkeypatch) -> None:
    monkeypatch.setattr(contests, "_STORE_SECONDS", 0.05)
    with contest.store._lock, pytest.raises(BusyError, match="in use"):
        asyncio.run(asyncio.wait_for(contest.do(lambda store: store.ready()), 30))


def test_a_damaged_contest_is_told_so_and_goes_on_when_it_is_mended(contest, tmp_path) -> None:
    path = tmp_path / "contest.sqlite"
    for _ in range(500):
        contest.store.add(problem())
    contest.close()  # all is in the file itself
    sound = path.read_bytes()
    path.write_bytes(sound[:4096] + bytes(b ^ 0xA5 for b in sound[4096:]))
    answer = asyncio.run(ask(contest, "begin", BEGIN))
    assert answer.status_code == 503 and "the contest's file is damaged" in answer.json()["detail"]
    path.write_bytes(sound)
    assert asyncio.run(ask(contest, "begin", BEGIN)).status_code == 200
    with sqlite3.connect(path) as other:
        other.execute("UPDATE problems SET content = '[]'")
    other.close()
    player = asyncio.run(ask(contest, "begin", BEGIN)).json()
    chunk = {key: player[key] for key in ("token", "chunk")}
    answer = asyncio.run(ask(contest, "deal", chunk))
    assert answer.status_code == 503 and "is damaged" in answer.json()["detail"]


def test_filling_goes_on_whatever_happens(contest, monkeypatch) -> None:
    errors = [sqlite3.DatabaseError("damaged"), MemoryError("much"), KeyError("x")]
    ready = type(contest.store).ready

    def failing(store: Any) -> int:
        if errors:
            raise errors.pop()
        return ready(store)

    monkeypatch.setattr(Store, "ready", failing)

    async def main() -> int:
        filling = asyncio.create_task(contest.fill(Solved()))
        while contest.store.ready() < contest.rules.ready if not errors else True:
            await asyncio.sleep(0.01)
            assert not filling.done()
        filling.cancel()
        return contest.store.ready()

    assert asyncio.run(main()) >= contest.rules.ready


def test_one_address_cannot_take_all_deals(contest) -> None:
    for _ in range(40):
        contest.store.add(problem())

    async def taken(address: str, tries: int) -> int:
        begun = await ask(contest, "begin", BEGIN, address)
        if begun.status_code == 429:
            assert begun.headers["retry-after"] == "1"
            return 0
        player = {key: begun.json()[key] for key in ("token", "chunk")}
        count = 0
        for number in range(tries):
            given = await ask(contest, "deal", player, address)
            count += given.status_code == 200
            answer = player | {"number": number, "tricks": 6}
            await ask(contest, "answer", answer, address)
        return count

    rules, clock = contest.rules, contest._clock
    assert asyncio.run(taken("1.2.3.4", 20)) == rules.at_once - 1  # one to begin
    assert contest.store.ready() > 20
    assert asyncio.run(taken("1.2.3.4", 5)) == 0
    assert asyncio.run(taken("2001:db8::1", 20)) == rules.at_once - 1
    assert asyncio.run(taken("2001:db8::2", 5)) == 0  # of the same network
    assert asyncio.run(taken("2001:db9::1", 5)) == 5
    clock.now += 3 * rules.every
    assert asyncio.run(taken("1.2.3.4", 5)) == 2
    assert DEAL in problem()["deal"]


# --- what helps to watch, and saves time ---------------------------------------------------------


def test_a_request_has_an_id_in_its_answer_and_in_the_log(server) -> None:
    client, _, log = server
    given = client.get("/v1/models", headers={"x-request-id": "proxy-7.a_B"})
    assert given.headers["x-request-id"] == "proxy-7.a_B"
    own = [client.get("/nope", headers={"x-request-id": bad}) for bad in ("a b", "x" * 65, "")]
    ids = {answer.headers["x-request-id"] for answer in own}
    assert len(ids) == 3 and all(len(number) == 16 for number in ids)
    assert wait_until(lambda: ids | {"proxy-7.a_B"} <= {line.split()[-1] for line in log}, 10)


def test_answers_are_packed_for_who_can_unpack_them(client) -> None:
    deals = {"deals": [EASY] * 40}
    packed = client.post("/v1/estimate", json=deals)
    assert packed.headers["content-encoding"] == "gzip"
    plain = client.post("/v1/estimate", json=deals, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    assert int(packed.headers["content-length"]) < len(plain.content) / 4
    assert (
        client.get("/", headers={"accept-encoding": "gzip"}).headers["content-encoding"] == "gzip"
    )


def test_each_question_can_be_tried_on_a_page(client) -> None:
    page = client.get("/docs")
    assert "form-action 'self'" in page.headers["content-security-policy"]
    for name in ("simulate", "solve", "pair", "models"):
        assert f"action='./docs/{name}'" in page.text
    assert f"name='hands' value='{NORTH}' required" in page.text
    as_sent = {"hands": NORTH, "trump": ""}
    answer = client.get("/docs/hand", params=as_sent, follow_redirects=True)
    assert answer.status_code == 200 and answer.url.path == "/v1/hand"
    assert answer.json()["results"][0]["hand"] == NORTH
    assert client.get("/docs/nope").status_code == 404
