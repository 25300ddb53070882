"""The server, as a process of its own that is asked over HTTP."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import trickcast as tc
from trickcast.cards import Deal
from trickcast.questions.auctions import reads_a_file
from trickcast.questions.hands import OpenQuestion
from trickcast.web.serve.server import ServeError, hosts_of

PAGE = Path(tc.__file__).parent / "web" / "page"
NORTH, SOUTH = "A.KQ9832.T94.AKT", "KJ95.J65.K3.J654"
KNOWN = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
SMALL: dict[str, Any] = KNOWN | {"samples": 60, "solve": 20, "seed": 3}
OPTIONS = [word for key, value in SMALL.items() for word in (f"--{key}", str(value))]
EASY = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
SUITS = EASY.removeprefix("N:").split()
ALL: dict[str, Any] = dict(zip(("north", "east", "south", "west"), SUITS, strict=True))
ALL_OPTIONS = [word for seat, hand in ALL.items() for word in (f"--{seat}", hand)]
DUMMIES, DUMMY_OPTIONS = (
    {"north": SUITS[0], "south": SUITS[2]},
    (*ALL_OPTIONS[:2], *ALL_OPTIONS[4:6]),
)


def start(*options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0", *options]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def _solver_is_there(response: httpx.Response) -> None:
    """Fail by the server's words where it has no solver: a test is skipped that fails by them."""
    if response.status_code == 422:
        said = response.read().decode()
        assert "pip install endplay" not in said, said


@contextmanager
def running(*options: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[str], list[str]]]:
    """A server that is ready: a client of it, its process, and the lines of its log so far."""
    with start(*options) as process:
        assert process.stdout is not None and process.stderr is not None
        log: list[str] = []
        reader = threading.Thread(target=lambda lines: log.extend(lines), args=(process.stderr,))
        reader.start()
        try:
            address = process.stdout.readline().strip()
            hooks: Any = {"response": [_solver_is_there]}
            with httpx.Client(base_url=address, timeout=300, event_hooks=hooks) as client:
                while client.get("/readyz").status_code != 200:
                    time.sleep(0.05)
                yield client, process, log
        finally:
            process.terminate()
            try:
                process.wait(360)  # what runs is finished in as long as an answer may take
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            finally:
                reader.join()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[httpx.Client, subprocess.Popen[str], list[str]]]:
    with running("--solvers", "1", "--seconds", "300") as served:
        yield served


@pytest.fixture(scope="module")
def client(server) -> httpx.Client:
    return server[0]


def printed(*arguments: str) -> list[Any]:
    """What the command line prints with --json."""
    command = [sys.executable, "-m", "trickcast", *arguments, "--json"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr  # which names a solver that is not there
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.solver
@pytest.mark.parametrize(
    ("path", "question", "arguments"),
    [
        ("estimate", {"deals": [EASY]}, ("estimate", EASY)),
        (
            "estimate",
            {"deals": [EASY], "model": "fast", "exact": True},
            ("estimate", EASY, "--model", "fast", "--exact"),
        ),
        ("solve", {"deals": [EASY]}, ("solve", EASY)),
        (
            "par",
            {"deals": [EASY], "vulnerable": "ns", "dealer": "E"},
            ("par", EASY, "--vulnerable", "ns", "--dealer", "E"),
        ),
        ("hand", {"hands": [NORTH], "trump": "H"}, ("hand", NORTH, "--trump", "H")),
        (
            "pair",
            {"north": [NORTH], "south": [SOUTH], "vulnerable": "ALL"},
            ("pair", NORTH, SOUTH, "--vulnerable", "Both"),
        ),
        ("open", {"hands": [NORTH]}, ("open", NORTH)),
        ("open", {"hands": [NORTH], "system": "acol"}, ("open", NORTH, "--system", "acol")),
        (
            "nearest",
            {"hands": [NORTH], "k": 3, "plus": SOUTH, "minus": NORTH},
            ("nearest", NORTH, "-k", "3", "--plus", SOUTH, "--minus", NORTH),
        ),
        ("models", {}, ("models",)),
        (
            "simulate",
            KNOWN | {"samples": 200, "solve": 0, "side": "EW"},
            ("simulate", *OPTIONS[:4], "--samples", "200", "--solve", "0", "--side", "ew"),
        ),
        (
            "simulate",
            SMALL | {"contract": "2S", "by": "S"},
            ("simulate", *OPTIONS, "--contract", "2S", "--by", "S"),
        ),
        (
            "simulate",
            ALL | {"contract": "7S", "by": "S", "making": True},
            ("simulate", *ALL_OPTIONS, "--contract", "7S", "--by", "S", "--making"),
        ),
        (
            "simulate",
            ALL | {"contracts": "2S 7N", "vulnerable": "ns"},
            ("simulate", *ALL_OPTIONS, "--contracts", "2S 7N", "--vulnerable", "ns"),
        ),
        (
            "deal",
            {"south": "hcp 15-17, balanced", "boards": 3, "seed": 4, "solve": True},
            ("deal", "--south", "hcp 15-17, balanced", "-n", "3", "--seed", "4", "--solve"),
        ),
        (
            "play",
            {"deals": [EASY], "contract": "7S", "cards": ["CA", "SA"], "by": "S"},
            ("play", EASY, "7S", "CA", "SA", "--by", "S"),
        ),
        (
            "play",
            {"deals": [EASY], "contract": "7S", "by": "S", "position": True, "ahead": True},
            ("play", EASY, "7S", "--by", "S", "--position", "--ahead"),
        ),
        (
            "pair",
            {"north": [NORTH], "south": [SOUTH], "auction": "P 1H P 1S", "dealer": "W"},
            ("pair", NORTH, SOUTH, "--auction", "P 1H P 1S", "--dealer", "W"),
        ),
        (
            "simulate",
            SMALL
            | {
                "contract": "2S",
                "by": "S",
                "auction": "P P 1N P",
                "dealer": "S",
                "meaning": ["sayc"],
            },
            (
                "simulate",
                *OPTIONS,
                "--contract",
                "2S",
                "--by",
                "S",
                "--auction",
                "P P 1N P",
                "--dealer",
                "S",
                "--meaning",
                "sayc",
            ),
        ),
        (
            "played",
            {"deals": [EASY], "contract": "7S", "by": "N", "lead": "H2", "players": "club"},
            ("played", EASY, "7S", "--by", "N", "--lead", "H2", "--players", "club"),
        ),
        (
            "auction",
            {"auction": "1N P", "dealer": "W", "meaning": ["1N: hcp 12-14, balanced"]},
            ("auction", "1N P", "--dealer", "W", "--meaning", "1N: hcp 12-14, balanced"),
        ),
        ("auction", {"auction": "7S", "deal": EASY}, ("auction", "7S", "--deal", EASY)),
        (
            "bid",
            {"hand": NORTH, "auction": "1S P", "dealer": "S", "simulate": True},
            ("bid", NORTH, "--auction", "1S P", "--dealer", "S", "--simulate"),
        ),
        (
            "play",
            {
                "deals": [f"N:{NORTH} - {SOUTH} -"],
                "now": True,
                "auction": "1N P P P",
                "cards": ["D2"],
            },
            ("play", f"N:{NORTH} - {SOUTH} -", "--now", "--auction", "1N P P P", "D2"),
        ),
        (
            "compare",
            ALL | {"contracts": ["2S", "3N", "4HX by E"], "by": ["S"]},
            ("compare", "2S", "3N", "4HX by E", "--by", "S", *ALL_OPTIONS),
        ),
        (
            "leads",
            {"leader": SUITS[3], "contract": "3N", "by": "S", "scoring": "total"} | DUMMIES,
            ("leads", SUITS[3], "3N", "--by", "S", "--scoring", "total", *DUMMY_OPTIONS),
        ),
    ],
)
def test_answers_are_those_of_the_command_line_asked_either_way(
    client, path, question, arguments
) -> None:
    expected = printed(*arguments)
    by_body = client.post(f"/v1/{path}", json=question)
    assert (by_body.status_code, by_body.json()) == (200, {"results": expected})
    by_address = client.get(f"/v1/{path}", params=question)
    assert (by_address.status_code, by_address.json()) == (200, {"results": expected})


def test_estimates_asked_at_once_are_computed_together_and_are_the_same(client) -> None:
    deals = tc.random_deals(96, seed=5)
    expected = tc.estimate(deals).probabilities.astype(float).round(6)

    def ask(deal: Deal) -> Any:
        answer = httpx.post(f"{client.base_url}/v1/estimate", json={"deals": [deal.pbn]})
        return answer.json()["results"][0]["probabilities"]

    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(ask, deals))
    assert answers == expected.tolist()
    counts = client.get("/metrics").text
    alone = re.search(r'trickcast_together_bucket{le="1.0"} ([\d.]+)', counts)
    every = re.search(r"trickcast_together_count ([\d.]+)", counts)
    assert alone is not None and every is not None and float(alone[1]) < float(every[1])


def test_many_deals_keep_their_order(client) -> None:
    deals = tc.random_deals(200, seed=7)
    asked = {"deals": [deal.pbn for deal in deals], "model": "fast"}
    results = client.post("/v1/estimate", json=asked).json()["results"]
    assert [result["deal"] for result in results] == asked["deals"]
    expected = tc.estimate(deals, "fast").tricks.tolist()
    assert [result["tricks"] for result in results] == expected


ONE = {"contract": "4S", "by": "S"}
WRONG: list[tuple[str, Any, str]] = [
    ("estimate", {"deals": ["N:x"]}, "deal 'N:x': 1 hand (expected 4)"),
    ("estimate", {"deals": [EASY, "N:x"]}, "deal 1: deal 'N:x': 1 hand (expected 4)"),
    ("estimate", {"deals": [EASY], "modell": "fast"}, "modell: unknown (did you mean model?)"),
    ("estimate", {"deals": [EASY], "model": "/etc/passwd"}, "no model '/etc/passwd' (expected"),
    ("estimate", {"deals": [EASY] * 41, "exact": True}, "41 deals to solve (expected at most 40)"),
    ("estimate", {}, "deals: missing"),
    ("estimate", {"deal": [EASY]}, "deals: missing\ndeal: unknown (did you mean deals?)"),
    ("estimate", {"deals": [EASY], "zz": 1}, "zz: unknown (expected one of deals, from, strict"),
    ("estimate", {"deals": EASY}, "deals: expected a list"),
    ("play", {"deals": [EASY], "cards": "HA H5"}, "cards: expected a list"),
    ("simulate", {"samlpes": 3}, "samlpes: unknown (did you mean samples?)"),
    ("simulate", {"samples": "3", "north": 3}, "north: expected text\nsamples: expected a whole"),
    ("simulate", {"making": "y", "seconds": "a"}, "seconds: expected a number\nmaking: expected t"),
    ("simulate", {"north": "x" * 10_001}, "north: too long (expected at most 10,000 characters)"),
    ("estimate", {"deals": []}, "deals: empty (expected at least 1)"),
    ("estimate", {"deals": ["\ud800"]}, "deals.0: half of a surrogate pair (expected text"),
    ("estimate", {"deals": [1]}, "deals.0: expected text"),
    ("estimate", [], "the body is not a JSON object"),
    ("simulate", {"by": "S"}, "by needs contract or contracts"),
    ("simulate", {"contracts": "PASS"}, "contracts must be played"),
    ("simulate", {"contracts": "4S", "contract": "3N"}, "cannot be combined"),
    ("simulate", {"making": True}, "making needs contract"),
    ("simulate", ONE | {"scoring": "imps"}, "scoring has no effect with contract"),
    ("simulate", ONE | {"side": "EW"}, "side has no effect with by"),
    (
        "simulate",
        ONE | {"making": True, "vulnerable": "ns"},
        "vulnerable has no effect with making",
    ),
    ("simulate", {"contracts": "4S", "scoring": "imps"}, "scoring has no effect with contracts"),
    ("simulate", {"contracts": "4S", "by": "S", "side": "EW"}, "side has no effect with by"),
    ("simulate", {"north": " "}, "north is empty"),
    ("simulate", {"north": "balancd"}, "balancd is not known here (did you mean balanced?)"),
    ("simulate", {"north": "hcp 38"}, "north"),
    ("simulate", {"model": "/etc/passwd"}, "no model '/etc/passwd' (expected"),
    ("simulate", {"samples": 30, "solve": 40}, "solve is 40 and samples 30"),
    ("simulate", {"solve": 2001}, "solve is 2001 (expected at most 2,000)"),
    ("compare", {"contracts": ["PASS", "PASS"], "by": ["N"]}, "no contract is played"),
    ("compare", {"contracts": ["4S"], "by": ["N"]}, "fewer than two contracts"),
    ("compare", {"contracts": ["4S", "3N", "2N"], "by": ["N", "E"]}, "2 declarers for 3"),
    ("compare", {"contracts": ["4S", "3N if hcp(north) > 9"]}, "has no else"),
    (
        "compare",
        {"contracts": ["4S", "3N"], "by": ["S"], "side": "EW"},
        "side has no effect with by",
    ),
    ("compare", {"contracts": ["2N", "3N if hpc(north) > 9 else 2N"]}, "hpc is not a count"),
    (
        "compare",
        {"contracts": ["2N", "3N if hcp(north) / 0 > 1 else 2N"], "samples": 20, "solve": 0},
        "rule, line 1, column 7: a division by zero",
    ),
    ("leads", {"leader": NORTH, "contract": "8S", "by": "N"}, "'8S'"),
    ("leads", {"leader": NORTH, "contract": "4S", "by": "N", "east": NORTH}, "is given twice"),
    ("convert", {"deals": [EASY, "N:foo"], "to": "text"}, "deal 1: deal 'N:foo': 1 hand"),
    ("convert", {"deals": [EASY, ""], "to": "text"}, "deal 1: "),
    ("convert", {"deals": ["S_N,deal", f'7,"{EASY}"'], "to": "csv"}, "deal 0: "),
    ("convert", {"deals": [EASY], "to": "doc"}, "to is 'doc' (expected pbn, "),
    (
        "convert",
        {"deals": [EASY], "to": "pbn", "solve": True, "estimate": True},
        "cannot be combined",
    ),
    ("convert", {"deals": [EASY] * 41, "to": "pbn", "solve": True}, "(expected at most 40)"),
    ("solve", {"deals": [EASY] * 41}, "deals: too many (expected at most 40)"),
    ("par", {"deals": [EASY], "vulnerable": "all of us"}, "'all of us'"),
    ("par", {"deals": [EASY], "dealer": "Q"}, "'Q'"),
    ("hand", {"hands": ["AKQ"]}, "hand 'AKQ'"),
    ("hand", {"hands": [NORTH], "trump": "Z"}, "'Z'"),
    ("pair", {"north": [NORTH], "south": [NORTH]}, "both hands hold"),
    (
        "pair",
        {"north": [NORTH] * 2, "south": [SOUTH]},
        "2 hands and 1 partner (expected equally many)",
    ),
    ("open", {"hands": [NORTH], "system": "../x.toml"}, "no opening system '../x.toml'"),
    ("played", {"deals": [EASY], "contract": "7S", "by": "N", "lead": "SA"}, "East leads, but"),
    ("play", {"deals": [EASY], "now": True}, "no auction (expected auction and dealer"),
    ("play", {"deals": [f"N:{NORTH} - - -"], "now": True, "auction": "1N P P P"}, "East's hand"),
    ("played", {"deals": [EASY]}, "no contract (expected contract and by"),
    ("leads", {"leader": NORTH, "auction": "1N P 3N"}, "has not ended"),
    ("leads", {"leader": NORTH}, "no contract and declarer"),
    ("simulate", {"auction": "1N", "meaning": ["/etc/passwd"]}, "no meaning '/etc/passwd'"),
    ("auction", {"auction": "1N Q"}, "call 2: 'Q' is not a call"),
    ("auction", {"auction": "1N", "meaning": ["x.toml"]}, "no meaning 'x.toml' (expected"),
    ("auction", {"auction": "1N", "meaning": ["ns a:b.toml"]}, "no meaning 'ns a:b.toml'"),
    ("auction", {"auction": "1N", "meaning": ["1N: hcp foo"]}, "meaning of 1N"),
    ("bid", {"hand": "AKQ"}, "hand 'AKQ'"),
    ("bid", {"hand": NORTH, "auction": "1N P P P"}, "is over, so there is no next call"),
    ("nearest", {"hands": [NORTH], "plus": SOUTH}, "plus and minus need each other"),
    ("nearest", {"hands": [NORTH], "k": 0}, "k is 0 (expected 1 or more)"),
]


@pytest.mark.parametrize(("path", "question", "detail"), WRONG)
def test_what_is_wrong_is_said_in_plain_words(client, path, question, detail) -> None:
    body = json.dumps(question)
    headers = {"content-type": "application/json"}
    answer = client.post(f"/v1/{path}", content=body, headers=headers)
    assert answer.status_code == 422
    assert (
        answer.headers["content-type"] == "application/problem+json"
        and detail in answer.json()["detail"]
    )
    assert len(answer.json()["detail"].splitlines()) <= 3


@pytest.mark.parametrize(
    ("path", "asked", "key"),
    [
        ("estimate", {"deals": [EASY], "model": "x"}, "model"),
        ("pair", {"north": [NORTH], "south": [SOUTH], "model": "fast"}, "model"),
        ("open", {"hands": [NORTH], "system": "x"}, "system"),
        ("auction", {"auction": "1N", "meaning": ["x.toml"]}, "meaning"),
        ("simulate", {"seed": -1}, "seed"),
        ("simulate", {"precision": -1}, "precision"),
        ("simulate", {"solve": 2001}, "solve"),
        ("simulate", {"scoring": "rubber"}, "scoring"),
        ("deal", {"boards": 0}, "boards"),
        ("deal", {"boards": 1.5}, "boards"),
        ("deal", {"theme": " "}, "theme"),
    ],
)
def test_a_key_that_is_wrong_by_itself_is_pointed_to(client, path, asked, key) -> None:
    answer = client.post(f"/v1/{path}", json=asked)
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["pointer"]) == (422, f"/{key}")
    assert answer.json()["detail"].endswith(fault["detail"])


def test_keys_that_are_wrong_together_are_not_pointed_to(client) -> None:
    answer = client.post("/v1/open", json={"hands": [NORTH], "nearest": 2})
    assert answer.json().keys() == {"title", "status", "detail"}
    assert answer.json()["detail"] == "nearest needs system"


def test_a_number_without_a_fraction_is_whole(client) -> None:
    for whole in ("2.0", "2e0"):
        body = f'{{"boards": {whole}, "seed": 3}}'
        answer = client.post("/v1/deal", content=body, headers={"content-type": "application/json"})
        assert len(answer.json()["results"]) == 2, answer.text


def test_a_body_that_is_packed_is_refused_as_such(client) -> None:
    headers = {"content-type": "application/json", "content-encoding": "GZIP"}
    answer = client.post("/v1/deal", content=b"\x1f\x8b", headers=headers)
    detail = "content-encoding gzip is not supported (expected none)"
    assert (answer.status_code, answer.json()["detail"]) == (415, detail)


def test_what_a_network_notes_of_two_hands_is_told(client) -> None:
    asked = {
        "north": ["T98.T987.T98.T97"],
        "south": ["KJ5.J65.K32.J654"],
        "auction": "1N P 3N P P P",
    }
    answer = client.post("/v1/pair", json=asked).json()
    (note,) = answer["notes"]
    assert len(answer["results"]) == 1 and note.startswith("call 1, 1N by North, hardly fits")


def test_systems_count_in_any_case(client) -> None:
    asked = {"hands": [NORTH], "system": "acol"}
    small, large = (
        client.post("/v1/open", json=asked | {"system": name}).json() for name in ("acol", "ACOL")
    )
    assert small == large and small["results"][0]["system"] == "acol"
    near = [OpenQuestion(system=name).near() for name in ("acol", "Acol")]
    assert near[0] is near[1]
    assert not reads_a_file("Acol") and not reads_a_file("ns ACOL") and reads_a_file("acol.x")


def test_what_is_asked_twice_is_refused(client) -> None:
    twice = f'{{"hands": ["{NORTH}"], "trump": "S", "trump": "H"}}'
    for address, body in (
        ("/v1/hand", twice),
        ("/v1/hand?trump=S", json.dumps({"hands": [NORTH], "trump": "H"})),
    ):
        headers = {"content-type": "application/json"}
        answer = client.post(address, content=body, headers=headers)
        assert (answer.status_code, answer.json()["detail"]) == (422, "trump is given twice")


@pytest.mark.parametrize(
    ("key", "number", "detail"),
    [
        ("seed", "9" * 5000, "seed"),
        ("samples", "-" + "9" * 5000, "samples"),
        ("precision", "9" * 5000, "precision"),
    ],
)
def test_a_number_is_refused_by_its_key_however_long_it_is(client, key, number, detail) -> None:
    headers = {"content-type": "application/json"}
    by_body = client.post("/v1/simulate", content=f'{{"{key}": {number}}}', headers=headers)
    by_address = client.get("/v1/simulate", params={key: number})
    for answer in (by_body, by_address):
        assert answer.status_code == 422 and answer.json()["detail"].startswith(detail)


@pytest.mark.solver
def test_a_key_that_says_nothing_is_not_beside_another(client) -> None:
    asked = ALL | {"contract": "7S", "by": "S", "vulnerable": "ns"}
    nothing = {"making": False, "contracts": None, "side": "NS", "scoring": "total"}
    answers = [client.post("/v1/simulate", json=asked | more) for more in ({}, nothing)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    near = client.post("/v1/open", json={"hands": [NORTH], "nearest": 3})
    model = client.post("/v1/convert", json={"deals": [EASY], "to": "pbn", "model": "accurate"})
    assert (near.status_code, model.status_code) == (200, 200)


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("simulate", {"contract": "3N", "south": SOUTH, "samples": 20, "solve": 0}),
        ("compare", {"contracts": ["3N", "4S"], "south": SOUTH, "samples": 20, "solve": 0}),
        ("estimate", {"deals": [EASY]}),
        ("hand", {"hands": [NORTH]}),
        ("pair", {"north": [NORTH], "south": [SOUTH]}),
        ("open", {"hands": [NORTH]}),
        ("bid", {"hand": NORTH}),
    ],
)
def test_null_is_not_given_for_every_key_that_has_a_default(client, path, asked) -> None:
    schema = client.get("/openapi.json").json()["components"]["schemas"][f"{path.title()}Request"]
    keys = schema["properties"].keys() - schema.get("required", [])
    assert keys - asked.keys()
    bare = client.post(f"/v1/{path}", json=asked)
    nulls = client.post(f"/v1/{path}", json=dict.fromkeys(keys) | asked)
    assert (bare.status_code, nulls.status_code) == (200, 200), nulls.text
    assert nulls.json() == bare.json()
    for key in keys:
        kinds = schema["properties"][key]["anyOf"]
        assert {"type": "null"} in kinds, key


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"[" * 5000, b'{"deals": NaN}', b"9" * 5000, b"null", b'"\\ud800"'],
)
def test_bytes_that_are_no_question_are_refused(client, body) -> None:
    headers = {"content-type": "application/json"}
    for path in ("estimate", "solve", "pair", "models"):
        answer = client.post(f"/v1/{path}", content=body, headers=headers)
        assert answer.status_code in (400, 422) and answer.json()["detail"]


def test_too_large_a_request_is_refused_unread(client) -> None:
    body = b" " * 300_000
    assert client.post("/v1/estimate", content=body).status_code == 413
    assert client.post("/v1/estimate", content=iter([body])).status_code == 413
    with socket.create_connection((client.base_url.host, client.base_url.port)) as line:
        announced = b"Content-Length: 100000000\r\n\r\n"
        line.sendall(b"POST /v1/estimate HTTP/1.1\r\nHost: 127.0.0.1\r\n" + announced)
        assert line.recv(100).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "path", ["/nope", "/v1/nope", "/page/../../etc/passwd", "/%2e%2e/site.py", "/v1/", "/a%00b"]
)
def test_an_unknown_path_is_404(client, path) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["detail"]) == (404, "not found")


def test_only_this_host_and_its_own_pages_may_ask(client) -> None:
    own = f"{client.base_url.host}:{client.base_url.port}"
    for headers, status in (
        ({"host": "evil.example"}, 421),
        ({"host": "[::1"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://{own}"}, 200),
        ({"origin": f"https://{own}"}, 200),
        ({"host": "localhost:1"}, 200),
    ):
        assert client.get("/v1/models", headers=headers).status_code == status


def test_hosts_are_known_however_they_are_written() -> None:
    also = ("Bridge.example.org:8080", "FE80::2", "[fe80::3]:80", "*")
    fixed = {"localhost", "127.0.0.1", "::1"}
    expected = {"vm", "bridge.example.org", "fe80::2", "fe80::3", "*"}
    assert hosts_of("VM", also) == fixed | expected
    for wrong in ("", "http://example.org", "a b", "["):
        with pytest.raises(ServeError, match="is not a host name .expected one such as"):
            hosts_of("127.0.0.1", (wrong,))


@pytest.mark.parametrize("option", ["--allow-host=http://x.org", "--host=\udce9", "--seconds=nan"])
def test_what_cannot_be_served_is_one_plain_line(option) -> None:
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0", option]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert option.partition("=")[0] in ended.stderr and len(ended.stderr.splitlines()) == 1


def test_every_answer_carries_the_policy_of_the_page(client) -> None:
    page = (PAGE / "index.html").read_text("utf-8")
    for path in ("/", "/nope", "/v1/models"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].removesuffix("; frame-ancestors 'none'") in page
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_the_page_is_served_and_told_to_ask_this_server(client) -> None:
    assert client.get("/engine.json").json() == {"engine": "http", "contest": False}
    assert client.get("/").content == (PAGE / "index.html").read_bytes()
    for entry in PAGE.iterdir():
        assert client.get(f"/{entry.name}").content == entry.read_bytes()


@pytest.mark.solver
def test_the_page_asks_what_the_server_answers(client) -> None:
    """The questions in engine.js, with the values that stand for its variables."""
    source = (PAGE / "engine.js").read_text("utf-8")
    assert 'ask("estimate", { deals: [deal.pbn], model }' in source
    assert 'ask("solve", { deals: [deal.pbn] }' in source
    assert "{ north: [deal.hand(first)], south: [deal.hand(second)], vulnerable }" in source
    asked = {
        "estimate": {"deals": [EASY], "model": "accurate"},
        "solve": {"deals": [EASY]},
        "pair": {"north": [NORTH], "south": [SOUTH], "vulnerable": "ns"},
    }
    shapes = {"estimate": ("probabilities", 5), "solve": ("exact", 5), "pair": ("probabilities", 5)}
    for path, question in asked.items():
        key, size = shapes[path]
        assert len(client.post(f"/v1/{path}", json=question).json()["results"][0][key]) == size


def test_the_schema_has_every_question_and_the_keys_of_its_answers(client) -> None:
    schema = client.get("/openapi.json").json()
    names = {path.removeprefix("/v1/") for path in schema["paths"] if path.startswith("/v1/")}
    deals = {"estimate", "solve", "par", "convert", "played"}
    hands = {"hand", "pair", "open", "nearest", "auction", "bid"}
    others = {"simulate", "compare", "leads", "play", "played", "auction", "bid", "deal", "models"}
    others |= {"contest", "session"}
    contest = {f"contest/{step}" for step in ("begin", "deal", "answer", "result", "forget")}
    assert names == deals | hands | contest | others
    keys = schema["components"]["schemas"]["EstimatedDeal"]["properties"]
    answer = client.get("/v1/estimate", params={"deals": EASY}).json()["results"][0]
    assert answer.keys() <= keys.keys()
    assert "/v1/estimate" in client.get("/docs").text
    described = json.dumps(schema["components"]["schemas"])
    assert " --" not in described and "by the script" not in described
    said = [step["summary"] for path in schema["paths"].values() for step in path.values()]
    assert all(said.count(each) <= 2 for each in said)  # POST and GET of one address


def test_head_is_answered_where_get_is_and_other_methods_are_told_all_that_are(client) -> None:
    for path in ("/healthz", "/metrics", "/v1/models", "/", "/v1/contest"):
        get, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (get.status_code, b"")
        assert head.headers["content-type"] == get.headers["content-type"]
    assert client.head("/v1/hand").status_code == 422
    for path, allowed in (("/v1/models", "GET, HEAD, POST"), ("/healthz", "GET, HEAD")):
        answer = client.options(path)
        assert (answer.status_code, answer.headers.get_list("allow")) == (405, [allowed])


def test_health_and_counts(client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    client.get("/v1/nope")
    counts = client.get("/metrics").text
    assert 'trickcast_requests_total{path="other",status="404"}' in counts


def solvers_of(server: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(server)],
        capture_output=True,
        text=True,
    ).stdout
    rows = [row.split() for row in listed.splitlines() if row.endswith(" solver")]
    return [int(row[0]) for row in rows if not row[1].startswith("Z")]


def kill_solver(server: int, times: int, ended: threading.Event) -> None:
    """Kill the solver of a server in mid-request, as often as it is started again."""
    killed: set[int] = set()
    while len(killed) < times and not ended.is_set():
        for solver in set(solvers_of(server)) - killed:
            time.sleep(0.1)
            os.kill(solver, signal.SIGKILL)
            killed.add(solver)
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.parametrize(("times", "status"), [(1, 200), (2, 503)])
def test_a_solver_that_is_killed_is_tried_again_once(times, status) -> None:
    deals = tc.random_deals(6, seed=2)
    with running("--solvers", "1", "--seconds", "300") as (client, process, log):
        ended = threading.Event()
        killer = threading.Thread(target=kill_solver, args=(process.pid, times, ended))
        killer.start()
        answer = client.post("/v1/solve", json={"deals": [deal.pbn for deal in deals]})
        ended.set()
        killer.join()
        assert answer.status_code == status
        if status == 200:
            exact = [result["exact"] for result in answer.json()["results"]]
            assert exact == tc.solve(deals).tricks.tolist()
        else:
            assert answer.headers["retry-after"] == "1"
            assert "the solver failed: " in answer.json()["detail"]
            assert client.post("/v1/solve", json={"deals": [EASY]}).status_code == 200
    assert any("the solver failed" in line for line in log) == (status == 503)


@pytest.mark.slow
def test_too_many_questions_are_told_to_wait_and_health_is_not() -> None:
    deals = {"deals": [deal.pbn for deal in tc.random_deals(6, seed=3)]}
    with running("--running", "1", "--solvers", "1", "--seconds", "300") as (client, process, _):
        first = threading.Thread(
            target=lambda: httpx.post(f"{client.base_url}/v1/solve", json=deals, timeout=300)
        )
        first.start()
        while "trickcast_running 1.0" not in client.get("/metrics").text:
            time.sleep(0.01)
        refused = client.get("/v1/models")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert client.get("/healthz").status_code == 200
        process.terminate()  # what runs is finished: the answer comes
        first.join()
        assert process.wait() == 0


@pytest.mark.slow
def test_a_deadline_is_kept() -> None:
    deals = {"deals": [deal.pbn for deal in tc.random_deals(40, seed=4)]}
    with running("--seconds", "0.2", "--solvers", "1") as (client, _, _):
        answer = client.post("/v1/solve", json=deals)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


@pytest.mark.slow
def test_half_a_request_is_given_up(client) -> None:
    place = (client.base_url.host, client.base_url.port)
    with socket.create_connection(place, timeout=30) as line:
        line.sendall(b"POST /v1/estimate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{")
        assert line.recv(100).startswith(b"HTTP/1.1 408 ")


def test_logs_are_json_where_asked_and_hold_nothing_that_was_asked() -> None:
    with running("--json-logs") as (client, _, log):
        client.get("/v1/hand", params={"hands": NORTH})
        client.get(f"/{NORTH}")
        client.post("/v1/estimate", json={"deals": [f"{EASY}2"]})
    lines = [json.loads(line) for line in log]
    assert {(line["path"], line["status"]) for line in lines} >= {("/v1/hand", 200), ("other", 404)}
    assert NORTH not in "".join(log) and "AKQJT" not in "".join(log)


def test_a_port_in_use_is_one_plain_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "trickcast", "serve", "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"trickcast: 127.0.0.1:{port}: address already in use (choose another with --port)\n"
    )
