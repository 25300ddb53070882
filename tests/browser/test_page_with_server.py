"""The page of a server in a real browser: exact answers, unknown hands, what is wrong where."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

import trickcast as tc
from trickcast import openings

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
SOUTH = "KT752.A84.J63.92"
PATIENCE = 90_000  # milliseconds, on a busy machine
RULE = r"\brule \d+, "


@pytest.fixture
def page(fresh_page: Any, server: str) -> Iterator[Any]:
    """The server's page, which must end without an error in its script."""
    with fresh_page(server, PATIENCE, console=False) as shown:
        shown.locator("#about", has_text="server").wait_for()
        yield shown


def show(page: Any, text: str) -> None:
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Show", exact=True).click()


def test_exact_tricks_par_and_opening_bids_arrive_beside_the_estimates(page):
    show(page, DEAL)
    page.locator("#status", has_text="Exact.").wait_for()
    exact, estimate = tc.solve(tc.Deal(DEAL)).tricks, tc.estimate(DEAL)
    merged = page.get_by_role("table", name="double-dummy tricks").locator("tbody tr")
    shown = {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in merged.all()
    }
    missed = int((exact != estimate.tricks).sum())
    told = f"Exact. The network (accurate) missed {missed} of 20 results."
    page.locator("#status", has_text=told).wait_for()
    for name, seats in (("N–S", "NS"), ("E", "E"), ("W", "W")):
        for seat in seats:
            assert shown[name] == [
                str(exact[strain, "NESW".index(seat)]) for strain in (4, 0, 1, 2, 3)
            ]
    assert page.locator(".par .score").inner_text() == "Par N–S +420"
    page.get_by_role("tab", name="Chances").click()
    for strain in range(5):
        for place in range(4):
            mark = page.locator(f"td[data-cell='{strain}-{place}'] .exact").inner_text()
            differs = exact[strain, place] != estimate.tricks[strain, place]
            assert mark == f"= {exact[strain, place]}{' *' if differs else ''}"
    page.get_by_role("tab", name="Bidding").click()
    rows = page.locator(".openings tbody tr")
    rows.nth(3).wait_for()
    call = openings.load("polish-club").explain(tc.Hand("A.KQ9832.T94.AKT"))
    why = rows.locator(".why")
    share = f"{call.probabilities['1H']:.0%}".replace("%", "\u00a0%")
    assert why.nth(0).inner_text() == f"{share}; {re.split(RULE, call.reason)[1]}"
    assert why.nth(1).inner_text() == ">99\u00a0%; not enough"
    choice = page.get_by_label("Opening system")
    assert choice.locator("option").all_inner_texts() == [*openings.names()]
    american = openings.load("standard-american").explain(tc.Hand("A.KQ9832.T94.AKT"))
    choice.select_option("standard-american")
    why.nth(0).filter(has_text=re.split(RULE, american.reason)[1]).wait_for()


def test_two_hands_alone_have_chances_of_game_and_the_contracts_that_score_best(page):
    show(page, "N:- AQ864.K75.A3.KJ4 - KJ5.A64.KQ92.A83")  # East and West
    best = page.locator(".best li")
    best.first.wait_for()
    assert "by East" in best.nth(0).inner_text() or "by West" in best.nth(0).inner_text()
    assert page.locator(".worth tbody tr").count() == 4


def test_the_best_contracts_of_two_hands_are_those_at_their_vulnerability(page):
    show(page, "N:- AQ864.K75.A3.KJ4 - KJ5.A64.KQ92.A83")  # East and West
    best = page.locator(".best li")
    best.first.wait_for()
    before = best.all_inner_texts()
    page.evaluate(
        """async () => {
            const { editBoard } = await import("./store.js");
            editBoard({ vulnerable: "ew" });
        }"""
    )
    page.wait_for_function(
        "old => document.querySelector('.best li').innerText !== old", arg=before[0]
    )


def simulated(page: Any, south: str, north: str) -> None:
    show(page, f"N:- - {south} -")
    page.get_by_role("tab", name="Chances").click()
    page.get_by_label("North: what is known").fill(north)
    page.get_by_label("Level", exact=True).select_option("2")
    page.get_by_label("Strain", exact=True).select_option("S")


def test_a_contract_over_unknown_hands_narrows_until_it_is_known(page):
    simulated(page, SOUTH, "hcp 15-17, balanced")
    page.evaluate(
        """() => new MutationObserver(() => {
            const said = document.querySelector(".chance")?.textContent;
            if (said) (window.seen ??= new Set()).add(said);
        }).observe(document.querySelector(".outcome"), {
            childList: true, characterData: true, subtree: true,
        })"""
    )
    page.get_by_role("button", name="Simulate").click()
    page.locator(".progress", has_text="Done").wait_for()
    chance = page.locator(".chance").inner_text()
    assert "makes" in chance and "%" in chance
    assert page.evaluate("window.seen.size") > 2  # it came in parts
    number = int(chance.split("makes ")[1].split("\u00a0")[0])
    assert 80 <= number <= 100  # the command line's example


def test_what_is_wrong_with_words_stands_beside_the_hand_while_typing(page):
    simulated(page, SOUTH, "")
    page.get_by_label("North: what is known").press_sequentially("hcp 15-17, balancd")
    fault = page.locator("#fault-0")
    fault.filter(has_text="did you mean balanced?").wait_for()
    page.get_by_label("North: what is known").fill("balanced")
    fault.filter(has_text="did you mean").wait_for(state="hidden")
    page.get_by_label("East: what is known").fill("hcp 38")
    page.get_by_role("button", name="Simulate").click()
    page.locator("#fault-1", has_text="no hand fits").wait_for()


def test_leads_have_error_bars_and_a_leader_without_a_hand_is_told(page):
    show(page, f"N:- - - {SOUTH}")
    page.get_by_role("tab", name="Chances").click()
    page.get_by_label("I ask for").select_option("leads")
    page.get_by_label("Declarer", exact=True).select_option("N")
    page.get_by_role("button", name="Simulate").click()
    page.locator(".problem", has_text="East leads: put that hand in").wait_for()
    page.get_by_label("Declarer", exact=True).select_option("S")
    page.get_by_role("button", name="Simulate").click()
    page.locator(".leads tbody tr .whisker rect").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    page.locator(".progress", has_text="Stopped").wait_for()
    first = page.locator(".leads tbody tr").first.inner_text()
    assert "best" in first and " to " in first


AUCTION = "1H P 3H P 4H P P P"


def test_calls_are_explained_and_hidden_hands_fit_them(page):
    asked = []

    def refuse(route):
        asked.append(route.request.post_data_json)
        route.fulfill(status=422, json={"detail": "not now"})

    page.route("**/v1/leads", refuse)
    address = page.url.partition("#")[0]
    calls = AUCTION.replace(" ", "-")
    page.goto(f"{address}#deal={DEAL.replace(' ', '+')}&dealer=N&vul=ns&auction={calls}")
    page.get_by_role("tab", name="Bidding").click()
    rows = page.locator(".calls tbody tr")
    rows.first.wait_for()
    assert rows.count() == 5, "the passes that end an auction show little"
    shown = tc.explain_auction(AUCTION, dealer="N", vulnerable="ns", deal=tc.Deal(DEAL))
    for row, call in zip(rows.all(), shown.calls, strict=False):
        low, high = call.points
        assert row.locator("td").first.inner_text() == f"{low}–{high}"
    assert rows.nth(2).locator("td.fails").count() == 1, "a jump that few make with this hand"
    page.get_by_role("tab", name="Chances").click()
    page.get_by_label("I ask for").select_option("leads")
    run = page.get_by_role("button", name="Simulate")
    run.click()
    page.locator(".problem", has_text="not now").wait_for()
    page.get_by_label("Hidden hands fit the auction").uncheck()
    run.click()
    page.wait_for_function("document.querySelector('.problem').textContent === 'not now'")
    for _ in range(100):
        if len(asked) == 2:
            break
        page.wait_for_timeout(100)
    assert (asked[0]["auction"], asked[0]["dealer"], asked[0]["contract"]) == (AUCTION, "N", "4H")
    assert "auction" not in asked[1] and asked[1]["leader"] == asked[0]["leader"]
    page.get_by_label("Contract strain").select_option("N")  # another contract than was bid
    page.get_by_label("Hidden hands fit the auction").wait_for(state="detached")


def test_a_file_is_saved_with_the_exact_tables_of_all_its_boards(page, tmp_path):
    file, target = tmp_path / "two.pbn", tmp_path / "saved.pbn"
    deals = tc.random_deals(2, seed=3)
    tc.write(deals, file)
    page.locator("#file").set_input_files(file)
    page.locator("#share summary").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as PBN").click()
    saved.value.save_as(target)
    assert (tc.read(target).tricks == tc.solve(deals).tricks).all()


def test_hands_are_dealt_as_words_describe_them(page):
    page.get_by_text("Random").click()
    page.get_by_label("North has").fill("15-17 balanced")
    page.get_by_label("South has").fill("at least 5 heartz")
    page.get_by_role("button", name="Deal by these words").click()
    page.get_by_role("alert").filter(has_text="heartz").wait_for()
    page.get_by_label("South has").fill("at least 5 hearts")
    page.get_by_role("button", name="Deal by these words").click()
    page.wait_for_url(lambda url: "#deal=" in url)
    deal = tc.Deal(page.url.partition("#deal=")[2].partition("&")[0].replace("+", " "))
    assert 15 <= deal.north.hcp <= 17 and deal.north.pattern in ("4333", "4432", "5332")
    assert deal.south.lengths[1] >= 5


def played(page: Any) -> list[dict[str, Any]]:
    """Choose a contract, and note what is asked of its play."""
    asked: list[dict[str, Any]] = []
    page.on("request", lambda sent: asked.append(sent.post_data_json)
            if sent.url.endswith("/v1/play") else None)  # fmt: skip
    page.goto(f"{page.url.partition('#')[0]}#deal={DEAL.replace(' ', '+')}&dealer=N&vul=none")
    page.get_by_role("button", name="hearts by North or South").click()
    page.locator(".verdict").wait_for()
    return asked


def test_every_card_of_the_leader_has_its_exact_result(page):
    played(page)
    exact = tc.solve_leads(DEAL, "4H", by="N")
    for card, tricks in exact.items():
        number = tc.cards.parse_card(card)
        shown = page.locator(f".card[data-card='{number}'] .result").inner_text()
        assert shown == {0: "=", 1: "+1", -1: "−1"}[tricks - 10]


def south_shows(page: Any, played: list[str]) -> None:
    """Wait for the results of South's cards, and compare them."""
    for card, tricks in tc.solve_play(DEAL, "4H", "N", played)[-1].items():
        shown = page.locator(f".card[data-card='{tc.cards.parse_card(card)}'] .result")
        shown.filter(has_text={0: "=", 1: "+1", -1: "−1"}[tricks - 10]).wait_for()


def test_what_comes_after_a_card_is_there_when_it_is_played(page):
    with page.expect_response(lambda sent: "ahead" in (sent.request.post_data or "")) as ahead:
        asked = played(page)
    ahead.value.finished()
    page.wait_for_function("() => !document.querySelector('#status').textContent.includes('…')")
    page.locator(".hand.seat-E .card.plays").first.click()
    south_shows(page, ["SQ"])
    assert [each["cards"] for each in asked if "ahead" not in each] == [[]]


def test_a_card_played_before_that_is_known_is_asked_for(page):
    page.route("**/v1/play", lambda route: route.abort()
               if "ahead" in route.request.post_data else route.continue_())  # fmt: skip
    asked = played(page)
    page.locator(".hand.seat-E .card.plays").first.click()
    south_shows(page, ["SQ"])
    assert [each["cards"] for each in asked if "ahead" not in each] == [[], ["SQ"]]


def test_a_contract_does_not_break_off_the_table_that_is_being_solved(page):
    held = []
    page.route("**/v1/solve", lambda route: held.append(route))
    page.goto(f"{page.url.partition('#')[0]}#deal={DEAL.replace(' ', '+')}&dealer=N&vul=none")
    page.locator("table.makes").wait_for()
    with page.expect_response("**/v1/play"):
        page.get_by_role("button", name="hearts by North or South").click()
    page.locator(".verdict").wait_for()
    page.get_by_label("Contract strain").select_option("N")
    page.locator(".now strong", has_text="notrump by North").wait_for()
    assert len(held) == 1
    held[0].continue_()
    page.locator("#status", has_text="Exact.").wait_for()


def test_a_server_that_refuses_is_not_asked_for_ever(page):
    asked = []

    def refuse(route):
        asked.append(route.request.url)
        route.fulfill(status=422, json={"detail": "no such question"})

    page.route("**/v1/play", refuse)
    page.goto(f"{page.url.partition('#')[0]}#deal={DEAL.replace(' ', '+')}&dealer=N&vul=none")
    page.get_by_role("button", name="hearts by North or South").click()
    page.locator("#status", has_text="no such question").wait_for()
    page.wait_for_timeout(1000)
    assert len(asked) == 1


PLAYED = {
    "deal": DEAL, "contract": "4H", "by": "N", "vulnerable": "none", "players": "expert",
    "lead": None, "auction": None, "expected": 9.9123, "making": 0.7891, "score": 327.1,
    "double_dummy": {"expected": 10.0012, "making": 0.9962, "score": 418.2},
}  # fmt: skip


def test_what_players_take_stands_beside_double_dummy(page):
    asked = []

    def answer(route):
        asked.append(route.request.post_data_json)
        route.fulfill(json={"results": [PLAYED]})

    page.route("**/v1/played", answer)
    page.goto(f"{page.url.partition('#')[0]}#deal={DEAL.replace(' ', '+')}&dealer=N&vul=none")
    page.get_by_role("button", name="hearts by North or South").click()
    line = page.locator(".as-played")
    line.wait_for()
    assert line.inner_text() == "As played: makes 79\u00a0%, 9.9 tricks on average"
    assert asked == [{"deals": [DEAL], "contract": "4H", "by": "N", "vulnerable": "none"}]
    page.get_by_role("tab", name="Chances").click()
    rows = page.locator(".two-ways tbody tr")
    rows.first.wait_for()
    assert [row.split("\t") for row in rows.all_inner_texts()] == [
        ["double dummy", ">99\u00a0%", "10.0", "418"],
        ["as played", "79\u00a0%", "9.9", "327"],
    ]


def test_a_server_that_does_not_know_play_at_the_table_is_no_fault(page):
    page.route("**/v1/played", lambda route: route.fulfill(status=404, json={"detail": "unknown"}))
    page.goto(f"{page.url.partition('#')[0]}#deal={DEAL.replace(' ', '+')}&dealer=N&vul=none")
    page.get_by_role("button", name="hearts by North or South").click()
    page.locator(".verdict").wait_for()
    page.locator("#status", has_text="Exact.").wait_for()
    assert page.locator(".as-played").count() == 0
