"""The contest: its clock, its answers, its players, its file, over HTTP."""

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from typing import Any

import httpx
import numpy as np
import pytest

import trickcast as tc
from test_serving import running
from trickcast.cards import Deal, Seat
from trickcast.web.contest import (
    KINDS,
    NETWORKS,
    SOLVED,
    drawn,
    interval,
    prepared,
    printed,
    score,
    strain_of,
)
from trickcast.web.serve.api import application
from trickcast.web.serve.contest import Contest
from trickcast.web.serve.guard import Limits
from trickcast.web.serve.server import serve
from trickcast.web.serve.store import Rules

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
LENGTH = 3


class Clock:
    """A clock that a test sets."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Client:
    """Asks the application itself, which is not started: nothing of it solves."""

    def __init__(self, contest: Contest | None):
        self._application = application(frozenset({"here"}), Limits(), 1, contest)

    def post(self, path: str, json: Any) -> httpx.Response:
        return asyncio.run(self._ask("POST", path, json=json))

    def get(self, path: str) -> httpx.Response:
        return asyncio.run(self._ask("GET", path))

    async def _ask(self, method: str, path: str, **content: Any) -> httpx.Response:
        transport = httpx.ASGITransport(app=self._application)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.request(method, path, **content)


def problem(exact: int = 8) -> Any:
    """A problem whose networks are one, two and three tricks off."""
    networks = {name: exact - off for off, name in enumerate(NETWORKS, 1)}
    answers = {f"{h}{s}": {"exact": exact, "networks": networks} for h, s in SOLVED}
    return {"deal": DEAL, "leader": "W", "answers": answers}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "contest.sqlite"


CONTESTS: list[Contest] = []


@pytest.fixture(autouse=True)
def closed_at_the_end() -> Iterator[None]:
    yield
    while CONTESTS:
        CONTESTS.pop().store.close()


def contest_in(file: Path, clock: Clock) -> Contest:
    CONTESTS.append(Contest(file, Rules(length=LENGTH, at_once=100), clock))
    return CONTESTS[-1]


def opened(file: Path, clock: Clock, problems: int = 20) -> Client:
    """A server on the file, with so many deals more."""
    contest = contest_in(file, clock)
    for _ in range(problems):
        contest.store.add(problem())
    return Client(contest)


@pytest.fixture
def client(file, clock) -> Client:
    return opened(file, clock)


def ask(client: Client, path: str, status: int = 200, /, **question: Any) -> Any:
    answer = client.post(f"/v1/contest/{path}", json=question)
    assert answer.status_code == status, answer.text
    return answer.json()


def begin(client: Client, hands: int = 4, strain: str = "N", **more: Any) -> dict[str, Any]:
    begun = ask(client, "begin", hands=hands, strain=strain, **more)
    return {"token": begun["token"], "chunk": begun["chunk"]}


def play(client: Client, player: dict[str, Any], answers: list[int]) -> Any:
    """Answer the training deal, and then so."""
    for number, tricks in enumerate([0, *answers]):
        ask(client, "deal", **player)
        taken = ask(client, "answer", **player, number=number, tricks=tricks)
    return taken


def best(client: Client, place: int = 0) -> Any:
    return client.get("/v1/contest").json()["best"][place]["players"]


def test_no_answer_is_told_before_one_is_given(client) -> None:
    begun = ask(client, "begin", hands=2, strain="S", name="Ann")
    assert (begun["length"], begun["seconds"]) == (LENGTH, 30)
    player = {"token": begun["token"], "chunk": begun["chunk"]}
    north, _, south, _ = DEAL.removeprefix("N:").split()
    assert ask(client, "deal", **player) == {
        "number": 0,
        "length": LENGTH,
        "deal": f"N:{north} - {south} -",
        "strain": "S",
        "leader": "W",
        "seconds": 30,
    }
    assert ask(client, "result", **player)["deals"] == []
    taken = ask(client, "answer", **player, number=0, tricks=7)
    assert taken["deal"] == DEAL and taken["exact"] == 8 and not taken["late"]
    assert taken["networks"] == dict(zip(NETWORKS, (7, 6, 5), strict=True))


def test_a_late_answer_is_none(client, clock) -> None:
    player = begin(client)
    ask(client, "deal", **player)
    clock.now += 30.5
    taken = ask(client, "answer", **player, number=0, tricks=8)
    assert taken["late"] and taken["tricks"] is None and taken["exact"] == 8


def test_a_deal_that_is_asked_for_again_is_the_same_with_less_time(client, clock) -> None:
    player = begin(client)
    first = ask(client, "deal", **player)
    clock.now += 12
    assert ask(client, "deal", **player) == first | {"seconds": 18}
    clock.now += 19
    assert ask(client, "deal", **player)["number"] == 1
    refused = ask(client, "answer", 409, **player, number=0, tricks=8)
    assert "no answer came in time" in refused["detail"]


def test_the_first_answer_stands(client) -> None:
    player = begin(client)
    ask(client, "deal", **player)
    ask(client, "answer", **player, number=0, tricks=3)
    refused = ask(client, "answer", 409, **player, number=0, tricks=8)
    assert refused["detail"] == "deal 0 was answered already (it was 3)"
    assert ask(client, "result", **player)["deals"][0]["tricks"] == 3


def test_of_many_answers_at_once_one_is_taken(client) -> None:
    player = begin(client)
    ask(client, "deal", **player)
    question = player | {"number": 0}

    async def answers() -> list[httpx.Response]:
        questions = [question | {"tricks": tricks} for tricks in range(8)]
        asked = [client._ask("POST", "/v1/contest/answer", json=each) for each in questions]
        return await asyncio.gather(*asked)

    statuses = [answer.status_code for answer in asyncio.run(answers())]
    assert sorted(statuses) == [200] + 7 * [409]


def test_two_players_at_once_get_deals_of_their_own(file, clock) -> None:
    """And by two servers on the same file."""
    first, second = opened(file, clock, 0), opened(file, clock, 0)
    store = contest_in(file, clock).store
    for number in range(8):
        content = problem()
        content["answers"]["4N"]["exact"] = number
        store.add(content)

    def exacts(client: Client) -> list[int]:
        player = begin(client)
        play(client, player, [5] * LENGTH)
        return [deal["exact"] for deal in ask(client, "result", **player)["deals"]]

    with ThreadPoolExecutor(2) as threads:
        both = [exact for part in threads.map(exacts, (first, second)) for exact in part]
    assert sorted(both) == list(range(8))
    third = begin(first)
    answer = first.post("/v1/contest/deal", json=third)
    assert answer.status_code == 503 and "retry-after" in answer.headers


def test_a_chunk_is_scored_as_printed_beside_the_networks(client, clock) -> None:
    player = begin(client, name="Ann")
    taken = play(client, player, [8, 7])
    assert not taken["finished"] and best(client) == []
    ask(client, "deal", **player)
    clock.now += 60
    result = ask(client, "result", **player)  # which ends the last deal
    assert result["finished"]
    mine = [result["player"][name][0] for name in ("within_2", "within_1", "exact")]
    assert mine == [66.67, 66.67, 33.33]  # training does not count, no answer is right in nothing
    nets = [
        [result["networks"][name][share][0] for share in ("within_2", "within_1", "exact")]
        for name in NETWORKS
    ]
    assert nets == [[100, 100, 0], [100, 0, 0], [0, 0, 0]]
    assert [row["exact"] for row in result["printed"]] == [73.68, 60.78, 37.31]
    refused = ask(client, "deal", 409, **player)
    assert refused["detail"] == "the chunk is finished"
    (row,) = best(client)
    assert (row["name"], row["chunks"], row["begun"], row["deals"]) == ("Ann", 1, 1, LENGTH)
    assert row["exact"] == interval(1, 3)


def test_the_strain_is_named_with_each_deal_where_that_is_asked(file, clock) -> None:
    client = opened(file, clock, 0)
    store = contest_in(file, clock).store
    deals = [deal.pbn for deal in tc.random_deals(40, seed=5)]
    both = {
        strain: [deal for deal in deals if strain_of("named", deal) == strain] for strain in "NS"
    }
    assert min(map(len, both.values())) >= 10, "each about as often"
    for deal in [*both["N"][:2], *both["S"][:2]]:
        content = problem()
        content["deal"] = deal
        content["answers"]["4S"]["exact"] = 4
        store.add(content)
    player = begin(client, strain="named", name="Ann")
    strains = []
    for number in range(LENGTH + 1):
        given = ask(client, "deal", **player)
        strains.append(given["strain"])
        taken = ask(client, "answer", **player, number=number, tricks=8)
        assert taken["strain"] == given["strain"]
        assert taken["exact"] == {"N": 8, "S": 4}[given["strain"]]
    assert set(strains) == {"N", "S"}
    result = ask(client, "result", **player)
    assert [deal["strain"] for deal in result["deals"]] == strains
    assert result["player"]["exact"][0] == round(100 * strains[1:].count("N") / LENGTH, 2)
    assert result["printed"] == printed(4, "named") and len(result["printed"]) == 6
    (row,) = best(client, KINDS.index((4, "named")))
    assert row["name"] == "Ann" and best(client) == []


def test_the_most_exact_players_come_first_and_only_with_full_chunks(client) -> None:
    for name, answers in (("Ann", [8, 8, 1]), ("Ben", [8, 8, 8]), ("Cat", [8, 8])):
        play(client, begin(client, name=name), answers)
    assert [row["name"] for row in best(client)] == ["Ben", "Ann"]
    assert best(client, 1) == best(client, 2) == []


def test_a_contest_goes_on_where_the_server_is_started_again(file, clock) -> None:
    client = opened(file, clock)
    player = begin(client, name="Ann")
    play(client, player, [8])
    ask(client, "deal", **player)
    clock.now += 10
    again = opened(file, clock, 0)
    assert ask(again, "deal", **player)["seconds"] == 20
    assert ask(again, "answer", **player, number=2, tricks=8)["tricks"] == 8
    more = begin(again, token=player["token"])
    assert more["token"] == player["token"] and more["chunk"] != player["chunk"]


@pytest.mark.parametrize(
    ("name", "question", "status", "detail"),
    [
        ("deal", {"token": "no such"}, 403, "no player has this token"),
        ("forget", {"token": "no such"}, 403, "no player has this token"),
        ("deal", {"chunk": 999}, 404, "this player has no such chunk"),
        ("answer", {"number": 2, "tricks": 7}, 404, "deal 2 of this chunk has not been asked for"),
        ("answer", {"number": 0, "tricks": 14}, 422, "tricks: "),
        ("answer", {"number": 0, "tricks": "8"}, 422, "tricks: "),
        ("answer", {"number": 0}, 422, "tricks: "),
        ("begin", {"hands": 3, "strain": "N"}, 422, "hands: "),
        ("begin", {"hands": 4, "strain": "H"}, 422, "strain: "),
    ],
)
def test_what_cannot_be_is_refused_in_plain_words(client, name, question, status, detail) -> None:
    player = begin(client)
    if name == "forget":
        del player["chunk"]
    if name == "begin":
        player = {}
    assert ask(client, name, status, **player | question)["detail"].startswith(detail)


def test_a_chunk_is_its_player_s_alone(client) -> None:
    ann, ben = begin(client), begin(client)
    ask(client, "deal", **ann)
    taken = {"token": ben["token"], "chunk": ann["chunk"], "number": 0, "tricks": 8}
    ask(client, "answer", 404, **taken)
    ask(client, "result", 404, token=ben["token"], chunk=ann["chunk"])


HOSTILE = ["<script>alert(1)</script>", "'; DROP TABLE players; --", '"><img src=x>', "Zoë ♠"]


def test_hostile_names_are_texts_like_any(client) -> None:
    for name in HOSTILE:
        play(client, begin(client, name=name), [8, 8, 8])
    answer = client.get("/v1/contest")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert {row["name"] for row in answer.json()["best"][0]["players"]} == set(HOSTILE)


@pytest.mark.parametrize("name", ["a\x00b", "\u202eevil", "a\nb", "x" * 41])
def test_names_that_cannot_be_shown_in_a_line_are_refused(client, name) -> None:
    refused = ask(client, "begin", 422, hands=4, strain="N", name=name)
    assert refused["detail"].startswith("name: ")


def test_a_player_is_deleted_whole_and_the_token_is_in_no_file(client, file) -> None:
    player = begin(client, name="Zebulon Fink")
    play(client, player, [8, 8, 8])
    assert ask(client, "forget", token=player["token"]) == {"forgotten": True}
    ask(client, "result", 403, **player)
    assert best(client) == []
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for name in ("players", "chunks", "deals"):
            assert database.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,)
    database.close()
    assert b"Zebulon" not in file.read_bytes()


def test_unknown_keys_are_refused_in_the_address_too(client) -> None:
    answer = client.get("/v1/contest?x=1")
    assert (answer.status_code, answer.json()["detail"]) == (422, "x: unknown")


def test_a_server_without_a_contest_says_so() -> None:
    client = Client(None)
    detail = "this server holds no contest (see trickcast serve --contest)"
    assert ask(client, "begin", 404, hands=4, strain="N")["detail"] == detail
    assert client.get("/v1/contest").json()["detail"] == detail


def refusal(path: Path) -> str:
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0", "--contest", str(path)]
    ended = run(command, capture_output=True, text=True)
    assert ended.returncode == 2 and ended.stdout == ""
    return ended.stderr


@pytest.mark.slow
@pytest.mark.solver
def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path) -> None:
    text, other = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("no data base, but many words" * 100)
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE bids (x)")
    database.close()
    before = other.read_bytes()
    assert "notes.txt: file is not a database" in refusal(text)
    assert "other.sqlite belongs to another program" in refusal(other)
    assert other.read_bytes() == before
    assert "unable to open" in refusal(tmp_path / "missing" / "contest.sqlite")


def test_without_a_solver_there_is_no_contest(file, monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install endplay"):
        serve("127.0.0.1", 0, contest=file)
    assert not file.exists()


@pytest.mark.slow
@pytest.mark.solver
def test_a_real_server_solves_deals_and_plays_them_out(file) -> None:
    with running("--solvers", "1", "--contest", str(file)) as (client, _, _):
        begun = client.post("/v1/contest/begin", json={"hands": 4, "strain": "S"}).json()
        player = {"token": begun["token"], "chunk": begun["chunk"]}
        assert begun["length"] == 27
        while (answer := client.post("/v1/contest/deal", json=player)).status_code != 200:
            reason = answer.json()["detail"]
            assert reason.startswith(("deals are being solved", "too many deals for one address"))
            time.sleep(1)
        given = answer.json()
        question = player | {"number": 0, "tricks": 0}
        taken = client.post("/v1/contest/answer", json=question).json()
    exact = int(tc.solve(Deal(given["deal"]))["S", Seat.parse(given["leader"]).rho])
    declares = given["leader"] in "EW"
    assert taken["exact"] == (exact if declares else 13 - exact)


@pytest.mark.solver
def test_answers_are_tricks_of_north_and_south_whoever_declares() -> None:
    deal = Deal(DEAL)
    tricks = tc.solve(deal).tricks
    estimate = tc.estimate(deal)
    for leader in Seat:
        answers = prepared(deal, leader, tricks)["answers"]
        for strain in ("N", "S"):
            answer, declarer = answers[f"4{strain}"], leader.rho
            exact, ours = (
                int(tc.solve(deal)[strain, declarer]),
                int(estimate.tricks[strain, declarer]),
            )
            if declarer.side:
                exact, ours = 13 - exact, 13 - ours
            assert (answer["exact"], answer["networks"]["accurate"]) == (exact, ours)


@pytest.mark.solver
def test_what_networks_say_of_two_hands_depends_on_them_alone() -> None:
    north, east, south, west = DEAL.removeprefix("N:").split()
    turned = Deal(f"N:{north} {west} {south} {east}")
    tables = [tc.solve(deal).tricks for deal in (Deal(DEAL), turned)]
    one, other = (
        prepared(deal, Seat.WEST, table)["answers"]
        for deal, table in zip((Deal(DEAL), turned), tables, strict=True)
    )
    for kind in ("2N", "2S"):
        said = [answers[kind]["networks"] for answers in (one, other)]
        differences = [abs(said[0][name] - said[1][name]) for name in NETWORKS]
        assert max(differences) <= 1  # other layouts are drawn for the other deal


def test_deals_are_a_function_of_seed_and_number() -> None:
    assert drawn(7, 5) == drawn(7, 5) != drawn(8, 5)
    leaders = [drawn(7, number)[1] for number in range(200)]
    assert all(30 < leaders.count(seat) < 75 for seat in Seat)


def test_intervals_are_those_of_clopper_and_pearson() -> None:
    assert interval(0, 27) == [0, 0, 12.77]  # 1 - 0.025^(1/27)
    assert interval(27, 27) == [100, 87.23, 100]
    assert interval(14, 27)[0] == 51.85
    assert score([]) == {"deals": 0, "within_2": None, "within_1": None, "exact": None}


def test_every_kind_has_its_printed_rows_and_one_is_doubted() -> None:
    rows = {kind: printed(*kind) for kind in KINDS}
    assert [len(part) for part in rows.values()] == [3, 3, 3, 3, 6, 6]
    doubted = [
        (kind, row["within_2"]) for kind, part in rows.items() for row in part if row["note"]
    ]
    assert doubted == [((4, "S"), 88.34), ((4, "named"), 88.34)]


@pytest.mark.solver
def test_the_practice_of_the_static_page_holds_true_answers() -> None:
    practice = json.loads(
        (Path(tc.__file__).parent / "web" / "page" / "practice.json").read_text("utf-8")
    )
    assert len(practice["problems"]) == 112
    for made in practice["problems"][:2]:
        table = np.asarray(tc.solve(Deal(made["deal"])).tricks)
        assert prepared(Deal(made["deal"]), Seat.parse(made["leader"]), table) == made
