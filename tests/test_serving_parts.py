"""The server: files of deals, answers part by part, clients that are slow, leave, or break off."""

import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

import trickcast as tc
from test_serving import DUMMIES, EASY, KNOWN, NORTH, printed, running, solvers_of

CURL = "application/x-www-form-urlencoded"
STREAM = {"accept": "text/event-stream"}
LONG: dict[str, Any] = KNOWN | {"contract": "2S", "by": "S", "samples": 2000, "solve": 2000}


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[httpx.Client, subprocess.Popen[str], list[str]]]:
    with running("--solvers", "1", "--seconds", "300") as served:
        yield served


@pytest.fixture(scope="module")
def client(server) -> httpx.Client:
    return server[0]


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    for line in lines:
        if line and (content := next(lines, None)):  # a stream that is cut off may lack it
            yield line.removeprefix("event: "), json.loads(content.removeprefix("data: "))


@pytest.fixture(scope="module")
def boards(tmp_path_factory) -> Any:
    """Two boards of one-suited hands, which DDS solves at once: a PBN file."""
    path = tmp_path_factory.mktemp("boards") / "two.pbn"
    lines = [
        f'[Board "{number}"]\n[Dealer "{dealer}"]\n[Vulnerable "{sides}"]\n[Deal "{EASY}"]\n'
        for number, dealer, sides in ((7, "S", "All"), (8, "W", "None"))
    ]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    "path",
    [
        "estimate",
        pytest.param("solve", marks=pytest.mark.solver),
        pytest.param("par", marks=pytest.mark.solver),
    ],
)
def test_a_file_is_answered_as_by_the_command_line_sent_either_way(client, boards, path) -> None:
    expected = {"results": printed(path, str(boards))}
    assert [result["board"] for result in expected["results"]] == [7, 8]
    content = boards.read_bytes()
    for kind in ("application/x-pbn", "text/plain", "application/octet-stream", "image/png"):
        by_body = client.post(f"/v1/{path}", content=content, headers={"content-type": kind})
        assert (by_body.status_code, by_body.json()) == (200, expected)
    by_form = client.post(f"/v1/{path}", files={"file": ("two.pbn", content)})
    assert (by_form.status_code, by_form.json()) == (200, expected)


def test_keys_beside_a_file_follow_in_the_address_or_in_the_form(client, boards) -> None:
    content = boards.read_bytes()
    models = [
        client.post("/v1/estimate?model=fast", content=content, headers={"content-type": "x/y"}),
        client.post("/v1/estimate", files={"file": content}, data={"model": "fast"}),
    ]
    for answer in models:
        assert [result["model"] for result in answer.json()["results"]] == ["fast", "fast"]


def test_tables_that_a_file_holds_are_not_solved_again(client) -> None:
    table = "6" * 20  # which DDS would not find
    content = f'[Deal "{EASY}"]\n[DoubleDummyTricks "{table}"]\n'
    content = f'[Dealer "S"]\n[Vulnerable "All"]\n{content}'
    answer = client.post(
        "/v1/solve", content=content, headers={"content-type": "application/x-pbn"}
    )
    (found,) = answer.json()["results"]
    assert found["exact"] == [[6] * 4] * 5
    assert (found["dealer"], found["vulnerable"]) == ("S", "both")


@pytest.mark.solver
def test_the_par_of_a_board_is_that_of_its_number_where_a_file_says_no_more(client) -> None:
    content = f'deal,board\n"{EASY}",7\n'
    answer = client.post("/v1/par?from=csv", content=content, headers={"content-type": "text/csv"})
    found = answer.json()["results"][0]
    assert (found["board"], found["dealer"], found["vulnerable"]) == (7, "S", "both")


@pytest.mark.solver
def test_what_is_no_deal_in_a_file_is_listed_or_refused(client) -> None:
    content = f'[Board "1"]\n[Deal "{EASY}"]\n\n[Board "2"]\n[Deal "N:AK QJ"]\n'.encode()
    answer = client.post("/v1/solve", files={"file": ("a.pbn", content)}).json()
    assert len(answer["results"]) == 1
    (skipped,) = answer["skipped"]
    assert skipped["place"].startswith("a.pbn: ") and skipped["reason"]
    strict = client.post("/v1/solve", files={"file": ("a.pbn", content)}, data={"strict": "true"})
    assert strict.status_code == 422 and strict.json()["detail"].startswith("a.pbn: ")


@pytest.mark.parametrize(
    "path",
    ["session", "estimate", "solve", "par", "bid", "auction", "play", "played", "convert?to=lin"],
)
def test_a_file_without_deals_is_refused_as_by_the_command_line(client, path) -> None:
    headers = {"content-type": "application/x-csv"}
    answer = client.post(f"/v1/{path}", content=b"deal\n", headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (422, "the body: contains no deals")


@pytest.mark.solver
@pytest.mark.parametrize("form", ["pbn", "lin", "csv", "zrd"])
def test_a_file_is_converted_as_by_the_command_line(client, boards, tmp_path, form) -> None:
    target = tmp_path / f"two.{form}"
    command = ["convert", str(boards), str(target), "--solve"]
    assert printed(*command) == []
    asked = {"to": form, "solve": "true"}
    answer = client.post("/v1/convert", files={"file": boards.read_bytes()}, data=asked)
    assert (answer.status_code, answer.content) == (200, target.read_bytes())
    assert answer.headers["trickcast-skipped"] == "0"
    assert answer.headers["content-disposition"].startswith('attachment; filename="deals.')
    content = client.post(
        "/v1/convert",
        files={"file": boards.read_bytes()},
        data=asked,
        headers={"accept": "application/json"},
    ).json()
    (result,) = content["results"]
    assert result.keys() == {"format", "base64" if form == "zrd" else "content"}
    assert answer.headers["trickcast-notes"] == str(len(content.get("notes", ())))
    assert ("notes" in content) == (form in ("lin", "zrd"))  # which leave something out


def test_boards_are_bid_and_explained_as_by_the_command_line(client, boards, tmp_path) -> None:
    kind = {"content-type": "application/x-pbn"}
    asked = "/v1/bid?dealer=E&seats=NS"
    bid = client.post(asked, content=boards.read_bytes(), headers=kind)
    expected = printed("bid", str(boards), "--dealer", "E", "--seats", "NS")
    assert (bid.status_code, bid.json()) == (200, {"results": expected}) and len(expected) == 2
    called = tmp_path / "called.pbn"
    called.write_text(f'{boards.read_text()}\n[Deal "{EASY}"]\n[Auction "S"]\n1NT Pass 3NT AP\n')
    form = {"files": {"file": called.read_bytes()}, "data": {"vulnerable": "ns"}}
    (explained,) = printed("auction", str(called), "--vulnerable", "ns")
    assert client.post("/v1/auction", **form).json() == {
        "results": [explained],
        "notes": ["2 boards without an auction"],
    }


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("bid?hand=AKQ2.QJT987.32.2", "hand and a file are given"),
        ("bid?simulate=true", "simulate needs a hand"),
        ("bid?seats=", "seats is empty"),
        ("auction", "no board has an auction"),
        (f"auction?deal={EASY}", "deal needs calls"),
    ],
)
def test_what_a_file_of_boards_has_no_answer_to_is_refused(client, path, detail) -> None:
    answer = client.post(
        f"/v1/{path}", content=EASY.encode(), headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 422 and detail in answer.json()["detail"]
    alone = client.post("/v1/bid", json={"hand": "AKQ2.QJT987.32.2", "seats": "NS"})
    assert alone.status_code == 422 and "seats needs a file" in alone.json()["detail"]


@pytest.mark.solver
def test_a_match_is_compared_as_by_the_command_line(client, tmp_path) -> None:
    path = tmp_path / "match.pbn"
    path.write_text(
        "".join(
            f'[Board "7"]\n[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{EASY}"]\n[Room "{room}"]\n'
            f'[North "{room[0]}1"]\n[South "{room[0]}2"]\n[Contract "{level}S"]\n[Declarer "N"]\n'
            '[Result "13"]\n\n'
            for room, level in (("Open", 7), ("Closed", 6))
        )
    )
    (expected,) = printed("session", str(path), "--json")
    assert [table["imps"] for table in expected["boards"][0]["tables"]] == [13, -13]
    answer = client.post("/v1/session", files={"file": path.read_bytes()})
    assert answer.json() == {"results": [expected]}
    hidden = client.post(
        "/v1/session", files={"file": path.read_bytes()}, data={"anonymous": "true"}
    )
    names = [pair["names"] for pair in hidden.json()["results"][0]["pairs"]]
    assert names == [["Player 1", "Player 2"], ["Player 3", "Player 4"]]
    scores = {"deals": [EASY], "scores": True}
    (content,) = client.post("/v1/session", json=scores).json()["results"]
    assert content["boards"][0]["tables"] == [] and content["boards"][0]["par"] is None
    ending = client.post("/v1/session", json={"deals": ["N:A - - -"]})
    assert ending.status_code == 422 and client.post("/v1/session", json={}).status_code == 422


@pytest.mark.solver
def test_a_list_of_deals_is_converted_deal_by_deal(client) -> None:
    east = f"E:{' '.join([*EASY[2:].split()[1:], EASY[2:].split()[0]])}"  # the same deal
    for more in ({}, {"from": "lin"}):
        asked = {"deals": [EASY, east], "to": "text", **more}
        answer = client.post("/v1/convert", json=asked)
        assert (answer.status_code, answer.text.split("\n")) == (200, [EASY, EASY, ""])
    solved = client.post("/v1/convert", json={"deals": [EASY], "to": "csv", "solve": True})
    assert solved.status_code == 200 and EASY in solved.text


@pytest.mark.solver
def test_a_table_in_part_is_solved_as_by_the_command_and_what_differs_is_noted(
    client, board, tmp_path
) -> None:
    source, target = tmp_path / "part.pbn", tmp_path / "whole.pbn"
    rows = '[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\nN NT 13\nN S 5\n'
    conditions = '[Board "3"]\n[Dealer "N"]\n[Vulnerable "None"]\n'
    source.write_text(f'{conditions}[Deal "{board.pbn}"]\n{rows}')
    assert printed("convert", str(source), str(target), "--solve") == []
    sent = {"files": {"file": source.read_bytes()}, "data": {"to": "pbn", "solve": "true"}}
    answer = client.post("/v1/convert", **sent)
    assert answer.content == target.read_bytes() and b"NS 420" in answer.content
    assert answer.headers["trickcast-notes"] == "1"
    content = client.post("/v1/convert", **sent, headers={"accept": "application/json"}).json()
    differ = "DDS differs from the file: board 3 in 2 cells; DDS's tricks are used"
    assert content["notes"] == [differ]
    for question in ("solve", "par", "estimate?exact=true"):
        answer = client.post(f"/v1/{question}", files=sent["files"]).json()
        assert answer["notes"] == [differ], question
        whole = client.post(f"/v1/{question}", files={"file": target.read_bytes()}).json()
        assert "notes" not in whole and whole["results"] == answer["results"]


FILES_REFUSED = [
    ({"content": b"rubbish", "headers": {"content-type": "text/plain"}}, "unknown content"),
    (
        {"content": b"", "headers": {"content-type": "text/plain"}},
        "the body: the file is empty",
    ),
    ({"content": b"\x1f\x8b\x08rubbish", "headers": {"content-type": "text/plain"}}, "the body"),
    ({"content": b"x", "headers": {"content-type": "application/x-zrd"}}, "the body"),
    ({"files": {"file": ("../../etc/passwd", b"x")}}, "../../etc/passwd: "),
    ({"files": {"file": b"x"}, "data": {"from": "word"}}, "is not a format"),
    (
        {"files": {"file": b"x"}, "data": {"deals": EASY}},
        "deals and a file are given (expected one of them)",
    ),
    (
        {"files": {"file": b"x"}, "data": {"modell": "fast"}},
        "modell: unknown (expected one of deals, from, strict)",
    ),
    ({"files": {"file": f"{EASY}\n".encode() * 41}}, "too many deals (expected at most 40)"),
]


@pytest.mark.parametrize(("request_", "detail"), FILES_REFUSED)
def test_files_that_cannot_be_read_are_refused_in_plain_words(client, request_, detail) -> None:
    answer = client.post("/v1/solve", **request_)
    assert answer.status_code == 422 and detail in answer.json()["detail"]
    assert len(answer.json()["detail"].splitlines()) <= 3


def test_json_is_read_under_the_type_of_programs_that_are_told_none(client) -> None:
    def ask(name: str, content: Any, kind: str = CURL) -> httpx.Response:
        text = content if isinstance(content, str) else json.dumps(content)
        return client.post(f"/v1/{name}", content=text, headers={"content-type": kind})

    questions: dict[str, Any] = {
        "bid": {"hand": NORTH},
        "auction": {"auction": "1N P", "deal": EASY},
        "hand": {"hands": [NORTH]},
        "estimate": {"deals": [EASY], "model": "fast"},
        "deal": {"boards": 2, "seed": 1},
    }
    for name, asked in questions.items():
        expected = client.post(f"/v1/{name}", json=asked)
        assert expected.status_code == 200, expected.text
        assert ask(name, asked).json() == expected.json(), name
    hand = ask("hand", questions["hand"], "text/plain;charset=UTF-8")
    assert hand.status_code == 200, hand.text
    for line in ({"deal": EASY}, {"deals": [{"deal": EASY}]}, f'{{"deal": "{EASY}"}}\n' * 2):
        assert ask("estimate", line).json()["results"][0]["deal"] == EASY  # a file
    wrong = ask("bid", {"hnad": NORTH}).json()["detail"]
    assert wrong == "hand: missing\nhnad: unknown (did you mean hand?)"
    broken = ask("bid", f'{{"hand": "{NORTH}",}}')
    assert (broken.status_code, broken.json()["detail"]) == (400, "the body is not JSON")
    other = client.post("/v1/hand", content=b"{}", headers={"content-type": "x/y"})
    expected = "x/y is not supported (send JSON with content-type: application/json)"
    assert (other.status_code, other.json()["detail"]) == (415, expected)


def test_no_message_about_a_file_names_options_of_the_command(client, boards) -> None:
    def refused(content: bytes, name: str, **asked: str) -> str:
        answer = client.post("/v1/convert", files={"file": (name, content)}, data=asked)
        assert answer.status_code == 422 and "--" not in answer.json()["detail"]
        return answer.json()["detail"]

    unknown = refused(b"rubbish", "notes", to="pbn")
    assert "; the key from names one)" in unknown and "format=" not in unknown
    hands = EASY.removeprefix("N:").encode()
    assert "if it is GIB, pass from=gib)" in refused(hands, "a.txt", to="pbn", strict="true")
    assert "solve them first with the key solve" in refused(boards.read_bytes(), "a.pbn", to="zrd")


def test_what_is_said_in_the_address_and_in_a_form_is_refused(client, boards) -> None:
    sent = {"files": {"file": boards.read_bytes()}, "data": {"vulnerable": "ns"}}
    answer = client.post("/v1/par?vulnerable=ew", **sent)
    assert (answer.status_code, answer.json()["detail"]) == (422, "vulnerable is given twice")


def test_a_broken_form_and_a_file_where_none_is_read_are_refused(client) -> None:
    broken = {"content": b"--x", "headers": {"content-type": "multipart/form-data"}}
    answer = client.post("/v1/solve", **broken)
    assert answer.status_code == 400 and "with its boundary" in answer.json()["detail"]
    several = client.post("/v1/session", files=[("a", b"1"), ("b", b"2")])
    detail = "the form contains 2 files (send one file)"
    assert (several.status_code, several.json()["detail"]) == (400, detail)
    assert client.post("/v1/hand", files={"file": NORTH.encode()}).status_code == 415


@pytest.mark.solver
def test_boards_come_one_by_one(client) -> None:
    deals = [deal.pbn for deal in tc.random_deals(3, seed=6)]
    question = {"deals": [*deals, EASY]}
    came: list[tuple[str, Any, float]] = []
    with client.stream("POST", "/v1/solve", json=question, headers=STREAM) as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        came = [(*event, time.monotonic()) for event in events(answer.iter_lines())]
    assert [kind for kind, _, _ in came] == ["result"] * 4 + ["end"]
    whole = client.post("/v1/solve", json=question).json()["results"]
    assert [content for _, content, _ in came[:4]] == whole
    assert came[0][2] < came[2][2]


@pytest.mark.solver
def test_intervals_of_a_simulation_narrow_until_its_result(client) -> None:
    question = KNOWN | {"contract": "2S", "by": "S", "making": True, "samples": 200, "solve": 64}
    with client.stream("GET", "/v1/simulate", params=question, headers=STREAM) as answer:
        came = list(events(answer.iter_lines()))
    *partial, result, end = came
    assert (result[0], end) == ("result", ("end", {}))
    assert {kind for kind, _ in partial} == {"partial"} and partial
    assert all(content.keys() == result[1].keys() for _, content in partial)
    solved = [content["solved"] for _, content in came[:-1]]
    assert solved == sorted(solved) and solved[0] < solved[-1] == 64
    widths = [content["making"][2] - content["making"][1] for _, content in came[:-1]]
    assert widths[-1] < widths[0]
    assert [result[1]] == client.get("/v1/simulate", params=question).json()["results"]


def test_what_is_wrong_before_the_first_part_has_its_status(client) -> None:
    answer = client.post("/v1/simulate", json={"north": "balancd"}, headers=STREAM)
    assert answer.status_code == 422 and "balancd" in answer.json()["detail"]


def wait_until(holds: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.parametrize("stream", [True, False])
def test_who_hangs_up_ends_the_work_within_a_second(server, stream) -> None:
    client, process, _ = server
    (solver,) = solvers_of(process.pid)
    place = (client.base_url.host, client.base_url.port)
    body = json.dumps(LONG).encode()
    accept = b"text/event-stream" if stream else b"*/*"
    head = (
        b"POST /v1/simulate HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: %b\r\nContent-Length: %d\r\n\r\n"
    )
    with socket.create_connection(place) as line:
        line.sendall(head % (accept, len(body)) + body)
        if stream:
            while b"partial" not in (part := line.recv(10_000)):
                assert part
        else:
            assert wait_until(lambda: "trickcast_running 1.0" in client.get("/metrics").text, 10)
            time.sleep(0.5)
    assert wait_until(lambda: solver not in solvers_of(process.pid), 1)
    assert wait_until(lambda: "trickcast_running 0.0" in client.get("/metrics").text, 1)
    assert client.post("/v1/solve", json={"deals": [EASY]}).status_code == 200


@pytest.mark.slow
@pytest.mark.solver
def test_a_simulation_ends_before_the_deadline_with_what_it_has() -> None:
    """Of layouts that are solved at once: thousands in six seconds."""
    endless = DUMMIES | {"contract": "7S", "by": "N", "precision": 1e-9}
    for seconds in ("8", "11", "16", "23", "33", "60"):  # other work may leave its solver a tenth
        with running("--seconds", seconds, "--solvers", "1") as (client, _, _):
            while client.post("/v1/solve", json={"deals": [EASY]}).status_code != 200:
                pass  # its process starts
            with client.stream("POST", "/v1/simulate", json=endless, headers=STREAM) as answer:
                *_, (kind, content), end = events(answer.iter_lines())
        if kind == "result":
            break
    assert (kind, content["stopped"], end) == ("result", "interrupt", ("end", {}))


@pytest.mark.slow
@pytest.mark.solver
def test_deadlines_hold_for_streams() -> None:
    with running("--seconds", "2", "--solvers", "1") as (client, _, _):
        while client.post("/v1/solve", json={"deals": [EASY]}).status_code != 200:
            pass  # its process starts
        deals = [EASY, *(deal.pbn for deal in tc.random_deals(39, seed=4))]
        start = time.monotonic()
        with client.stream("POST", "/v1/solve", json={"deals": deals}, headers=STREAM) as answer:
            *_, (kind, content) = events(answer.iter_lines())
        assert (kind, content["status"]) == ("error", 503)
        assert content["detail"] == "no answer within 2 seconds"
        assert time.monotonic() - start < 8


@pytest.mark.slow
@pytest.mark.solver
def test_a_solver_that_crashes_in_a_stream_is_replaced_and_no_board_is_sent_twice(server) -> None:
    client, process, _ = server
    deals = [deal.pbn for deal in tc.random_deals(4, seed=8)]
    got = []
    with client.stream("POST", "/v1/solve", json={"deals": deals}, headers=STREAM) as answer:
        for kind, content in events(answer.iter_lines()):
            got.append((kind, content.get("deal")))
            if len(got) == 1:
                (solver,) = solvers_of(process.pid)
                subprocess.run(["kill", "-9", str(solver)], check=True)
    assert got == [*(("result", deal) for deal in deals), ("end", None)]


@pytest.mark.slow
@pytest.mark.solver
def test_boards_of_a_solver_that_crashes_are_of_one_seed(server) -> None:
    client, process, _ = server
    asked = {"boards": 4, "solve": True}
    with client.stream("POST", "/v1/deal", json=asked, headers=STREAM) as answer:
        got = []
        for _, content in events(answer.iter_lines()):
            got.append(content)
            if len(got) == 1:
                (solver,) = solvers_of(process.pid)
                subprocess.run(["kill", "-9", str(solver)], check=True)
    again = client.post("/v1/deal", json=asked | {"seed": got[0]["seed"]}).json()["results"]
    assert got == [*again, {}]


@pytest.mark.slow
def test_half_a_head_is_cut_off(client) -> None:
    place = (client.base_url.host, client.base_url.port)
    with socket.create_connection(place, timeout=60) as line:
        line.sendall(b"POST /v1/estimate HTTP/1.1\r\nHost: 127.0.")
        assert line.recv(100) == b""


def test_a_head_without_end_is_refused(client) -> None:
    place = (client.base_url.host, client.base_url.port)
    with socket.create_connection(place, timeout=60) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        with suppress(ConnectionError):
            for number in range(100):
                line.sendall(b"x-%d: " % number + b"x" * 4000 + b"\r\n")
                time.sleep(0.001)
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")


@pytest.mark.slow
def test_an_answer_before_the_end_of_a_body_ends_the_connection(client) -> None:
    place = (client.base_url.host, client.base_url.port)
    head = b"POST / HTTP/1.1\r\nHost: evil.example\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(place, timeout=60) as line:
        line.sendall(head)
        answer = line.makefile("rb").read()  # to the end of the connection
    assert answer.startswith(b"HTTP/1.1 421 ") and answer.endswith(b"}")


def test_requests_sent_at_once_are_answered_in_their_order(client) -> None:
    place = (client.base_url.host, client.base_url.port)
    gets = [b"GET /%b HTTP/1.1\r\nHost: 127.0.0.1\r\n" % path for path in (b"healthz", b"nope")]
    last = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    with socket.create_connection(place, timeout=60) as line:
        line.sendall(b"".join(get + b"\r\n" for get in (*gets, last)))
        answers = line.makefile("rb").read().split(b"HTTP/1.1 ")
    assert [answer[:3] for answer in answers] == [b"", b"200", b"404", b"200"]


@pytest.mark.slow
def test_who_does_not_read_a_long_answer_is_cut_off() -> None:
    with running("--seconds", "3", "--running", "1") as (client, _, _):
        deals = [deal.pbn for deal in tc.random_deals(1000, seed=1)]
        body = json.dumps({"deals": deals, "model": "fast"}).encode()
        head = b"POST /v1/estimate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect((client.base_url.host, client.base_url.port))
            line.sendall(head % len(body) + body)
            assert wait_until(lambda: client.get("/v1/models").status_code == 503, 30)
            assert wait_until(lambda: client.get("/v1/models").status_code == 200, 60)


def test_a_hundred_megabytes_are_refused_and_not_kept(server) -> None:
    client, process, _ = server

    def blocks() -> Iterator[bytes]:
        for _ in range(100):
            yield bytes(1_000_000)

    def memory() -> int:
        with open(f"/proc/{process.pid}/statm") as statm:  # noqa: PTH123
            return int(statm.read().split()[1]) * 4096

    before = memory()
    try:
        status = client.post("/v1/solve", content=blocks()).status_code
    except httpx.TransportError:
        status = 413  # the server has closed, while the client was still sending
    assert status == 413
    assert memory() - before < 20_000_000


@pytest.mark.slow
def test_many_that_wait_for_a_solver_are_refused_at_once_and_estimates_are_not() -> None:
    with running("--solvers", "1", "--seconds", "4") as (client, _, _):
        lines = [httpx.Client(base_url=client.base_url, timeout=300) for _ in range(9)]
        threads = [
            threading.Thread(target=lambda line=line: leave(line), daemon=True) for line in lines
        ]
        for thread in threads:
            thread.start()
        assert wait_until(lambda: "trickcast_running 9.0" in client.get("/metrics").text, 30)
        answer = client.post("/v1/solve", json={"deals": [EASY]})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert client.post("/v1/estimate", json={"deals": [EASY]}).status_code == 200
        for line in lines:
            line.close()


def leave(line: httpx.Client) -> None:
    """Ask for what takes long; the test closes the client."""
    try:
        line.post("/v1/simulate", json=LONG)
    except (httpx.HTTPError, RuntimeError):
        return
