"""What the page saves and prints of boards, without a solver."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import trickcast as tc

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
TWO = "N:A.KQ9832.T94.AKT - KJ95.J65.K3.J654 -"
PATIENCE = 60_000  # milliseconds, on a busy machine
PBN = f"""[Event "Club night"]
[Board "5"]
[West "Walt"]
[North "Nora"]
[East "Ed"]
[South "Sue"]
[Dealer "N"]
[Vulnerable "NS"]
[Deal "{DEAL}"]
[Declarer "N"]
[Contract "4H"]
[Result "10"]
[Auction "N"]
1H Pass 3H Pass
4H AP
"""


@pytest.fixture
def page(fresh_page: Any, site: str) -> Iterator[Any]:
    """A fresh page; it must end without an error on its console."""
    with fresh_page(site, PATIENCE, console=True) as shown:
        yield shown


def show(page: Any, text: str) -> None:
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Show", exact=True).click()


def answered(page: Any) -> None:
    """Wait for the best network."""
    page.locator("#status", has_text="by accurate").wait_for()


WRITE = """async (kind) => {
    const write = await import("./write.js");
    const { answerAll } = await import("./answers.js");
    return write[kind](await answerAll(() => {}));
}"""


def test_calls_made_by_hand_are_saved(page, tmp_path: Path):
    show(page, PBN)
    answered(page)
    page.get_by_role("tab", name="Bidding").click()
    for _ in range(6):
        page.get_by_role("button", name="Back", exact=True).click()
    for call in ("3 notrump", "Pass", "Pass", "Pass"):
        page.get_by_role("button", name=call, exact=True).click()
    spoken = page.get_by_role("table", name="auction").locator("td .spoken")
    assert [each.text_content().strip() for each in spoken.all()] == ["heart", "notrump"]
    (tmp_path / "saved.pbn").write_text(page.evaluate(WRITE, "toPbn"))
    (board,) = tc.read(tmp_path / "saved.pbn").boards or ()
    assert " ".join(board.auction) == "1H PASS 3N PASS PASS PASS"
    assert (board.contract, str(board.declarer), board.result) == ("3N", "S", None)


def test_two_hands_are_saved_and_printed_with_what_their_declarers_take(page):
    show(page, TWO)
    page.locator(".worth").wait_for()
    heads, cells = (line.split(",") for line in page.evaluate(WRITE, "toCsv").splitlines())
    assert len(cells) == len(heads)
    known = {head[-1] for head, cell in zip(heads[2:], cells[2:], strict=True) if cell}
    assert known == {"N", "S"}
    (board,) = json.loads(page.evaluate(WRITE, "toJson"))
    assert board["declarers"] == ["N", "S"]
    assert {len(row) for row in board["expected"]} == {2}
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    rows = page.locator("#paper tbody tr").all()
    texts = [row.locator("td").all_text_contents() for row in rows]
    assert [all(row) for row in texts] == [True, True, False, False], "N S E W"
    assert float(texts[0][0]) == pytest.approx(board["expected"][4][0], abs=0.06)


def test_lin_keeps_a_contract_without_its_auction_and_its_bars(page, tmp_path: Path):
    auction = PBN.index("[Auction")
    players = PBN[:auction].replace("Nora", "No|ra, the Elder")
    show(page, players)
    answered(page)
    (tmp_path / "saved.lin").write_text(page.evaluate(WRITE, "toLin"))
    (board,) = tc.read(tmp_path / "saved.lin").boards or ()
    assert (board.contract, str(board.declarer), board.result) == ("4H", "N", 10)
    assert (board.tag("North"), board.tag("East")) == ("No/ra the Elder", "Ed")
    show(page, PBN)
    answered(page)
    assert "rs|" not in page.evaluate(WRITE, "toLin"), "the auction tells it"


def test_another_dealer_moves_the_calls_and_with_them_the_declarer(page, tmp_path: Path):
    show(page, PBN)
    answered(page)
    page.get_by_role("button", name="Dealer East").click()
    page.locator(".recorded", has_text="by E").wait_for()
    assert page.locator(".play .now strong").inner_text().endswith("by East")
    assert "dealer=E" in page.url and "by=E" in page.url and "tricks=" not in page.url
    (tmp_path / "saved.pbn").write_text(page.evaluate(WRITE, "toPbn"))
    (board,) = tc.read(tmp_path / "saved.pbn").boards or ()
    assert (str(board.dealer), board.contract, str(board.declarer)) == ("E", "4H", "E")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.locator(".recorded", has_text="by N, =").wait_for()


def test_a_chosen_contract_stays_with_the_board_and_beside_an_auction_is_only_tried(
    page, tmp_path: Path
):
    show(page, DEAL)
    answered(page)
    page.get_by_label("Contract level").select_option("4")
    page.get_by_label("Contract strain").select_option("H")
    page.get_by_label("Contract declarer").select_option("North")
    page.wait_for_url("**contract=4H&by=N")
    (tmp_path / "saved.pbn").write_text(page.evaluate(WRITE, "toPbn"))
    (board,) = tc.read(tmp_path / "saved.pbn").boards or ()
    assert (board.contract, str(board.declarer)) == ("4H", "N")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.wait_for_url("**contract=4H&by=S")
    page.reload()
    answered(page)
    now, tried = page.locator(".play .now strong"), page.get_by_text("What if: the board")
    now.filter(has_text="by South").wait_for()
    page.get_by_role("button", name="spades by North").first.click()
    now.filter(has_text="by North").wait_for()
    assert tried.is_visible() and page.url.endswith("contract=4H&by=S")
    page.get_by_label("Contract level").select_option("")
    now.wait_for(state="detached")
    assert "contract=" not in page.url
    show(page, PBN)
    answered(page)
    assert not tried.count()
    address = page.url
    page.get_by_label("Contract level").select_option("5")
    tried.wait_for()
    assert page.url == address


def test_what_is_set_by_hand_is_added_to_the_lines_of_the_file(page, tmp_path: Path):
    file = f'[Event "Lesson"]\n[Board "7"]\n[Deal "{DEAL}"]\n[Scoring "IMP"]\n'
    show(page, file)
    answered(page)
    assert file in page.evaluate(WRITE, "toPbn"), "as it was"
    page.get_by_role("button", name="Dealer West").click()
    page.get_by_role("button", name="Vulnerability: all vulnerable. Change it").click()
    page.get_by_label("Contract level").select_option("3")
    page.locator(".recorded", has_text="by S").wait_for()
    saved = page.evaluate(WRITE, "toPbn")
    assert set(file.splitlines()) < set(saved.splitlines())
    (tmp_path / "saved.pbn").write_text(saved)
    (board,) = tc.read(tmp_path / "saved.pbn").boards or ()
    facts = board.dealer, board.vulnerability, board.contract, board.declarer
    assert [str(fact) for fact in facts] == ["W", "none", "3N", "S"]
    page.get_by_label("Contract level").select_option("")
    page.locator(".recorded").wait_for(state="detached")
    assert "Contract" not in page.evaluate(WRITE, "toPbn")
