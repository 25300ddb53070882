"""The printable page of a session."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.played import expected_at_par

BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"


class Elements(HTMLParser):
    """What a page is made of: its elements with their attributes, and its text."""

    def __init__(self, page: str):
        super().__init__()
        self.elements = list[tuple[str, dict[str, str | None]]]()
        self.open = list[str]()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def session(tmp_path: Path) -> Path:
    deals = tc.random_deals(3, seed=2)
    texts = [BOARD, *(deal.pbn for deal in deals)]
    path = tmp_path / "session.pbn"
    path.write_text(
        "".join(
            f'[Event "Pairs <&> Teams"]\n[Board "{n}"]\n[Dealer "S"]\n[Vulnerable "EW"]\n'
            f'[Deal "{text}"]\n\n'
            for n, text in enumerate(texts, start=7)
        )
    )
    return path


@pytest.mark.solver
def test_a_session_becomes_one_file_without_scripts_or_links(
    run, session: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    assert run("report", session, "-o", out)[:2] == (0, f"{out}: 4 boards\n")
    page = Elements(out.read_text("utf-8"))
    assert page.open == [], "every element ends"
    assert not {"script", "link", "img", "a", "iframe"} & {tag for tag, _ in page.elements}
    assert not re.search(r"https?:|url\(|@import|src=", out.read_text("utf-8"))
    assert page.text.count("Pairs <&> Teams") == 2, "the title and the heading"
    assert [tag for tag, _ in page.elements].count("article") == 4
    assert "South deals, vulnerable: E–W" in page.text


@pytest.mark.solver
def test_a_board_shows_its_hands_what_makes_and_the_par(run, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    run("report", session, "-o", out)
    deals = tc.read(session)
    article = out.read_text("utf-8").partition("<article>")[2].partition("</article>")[0]
    text = Elements(article).text
    assert "♥ KQ9832" in text and "♦ 1094" in text and "16 HCP" in text
    cells = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", article.partition("<tbody>")[2])
    rows = [cells[i : i + 6] for i in range(0, 24, 6)]
    assert rows == [
        ["N", "2", "1", "4", "–", "3"],
        ["S", "2", "1", "4", "–", "3"],
        ["E", "–", "–", "–", "1", "–"],
        ["W", "–", "–", "–", "1", "–"],
    ]
    par = tc.par(deals[0])
    assert not isinstance(par, list)
    (expected,) = expected_at_par(deals[:1], [par], [tc.Vulnerability.EW])[0]
    assert f"Par NS +420: 4♥ NS = · expected at the table {expected:+.0f}\n" in text


@pytest.mark.solver
def test_what_is_close_is_what_the_network_gives_less_than_even(
    run, session: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    run("report", session, "-o", out)
    deals = tc.read(session)
    articles = out.read_text("utf-8").split("<article>")[1:]
    told = 0
    for deal, article in zip(deals, articles, strict=True):
        estimate, table = tc.estimate(deal), tc.solve(deal)
        line = Elements(article.partition("</article>")[0]).text.partition("Close: ")[2]
        for sign, seat, tricks, percent in re.findall(
            r"(NT|.) by (.) takes (\d+) \((\d+)%\)", line
        ):
            strain = "N" if sign == "NT" else "SHDC"["♠♥♦♣".index(sign)]
            assert table[strain, seat] == int(tricks)
            chance = estimate.probabilities["SHDCN".index(strain), "NESW".index(seat), int(tricks)]
            assert chance < 0.5 and f"{chance:.0%}" == f"{percent}%"
            told += 1
    assert told, "some result of these boards is close"


@pytest.mark.solver
def test_the_hardest_boards_come_first_on_request(run, session: Path, tmp_path: Path) -> None:
    orders = {}
    for options in ((), ("--hardest-first",)):
        out = tmp_path / "report.html"
        assert run("report", session, "-o", out, "--title", "Mine", *options)[0] == 0
        page = out.read_text("utf-8")
        assert "<h1>Mine</h1>" in page
        orders[options] = [int(n) for n in re.findall(r"<h2>Board (\d+)", page)]
    exact = tc.solve(tc.read(session)).tricks
    chances = tc.estimate(tc.read(session)).probabilities
    sure = {
        number: sum(
            chances[i, strain, seat, exact[i, strain, seat]]
            for strain in range(5)
            for seat in range(4)
        )
        for i, number in enumerate(range(7, 11))
    }
    assert orders[()] == [7, 8, 9, 10]
    assert orders[("--hardest-first",)] == sorted(sure, key=lambda number: sure[number])


@pytest.mark.solver
def test_a_report_replaces_reports_and_nothing_else(run, tmp_path: Path) -> None:
    out = tmp_path / "notes.html"
    out.write_text("<p>my notes")
    asked = ("report", BOARD, "-o", out)
    assert run(*asked) == (2, "", f"trickcast: {out} exists already (--force replaces it)\n")
    assert out.read_text() == "<p>my notes"
    assert run(*asked, "--force")[0] == 0
    assert run(*asked, "--hands", "S")[0] == 0 and run(*asked)[0] == 0
    help_text = " ".join(run("report", "--help")[1].split())
    assert "a report is replaced without it" in help_text


@pytest.mark.solver
def test_broken_boards_are_named_and_the_others_printed(run, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    with session.open("a") as file:
        file.write('[Board "11"]\n[Deal "N:AK<b>.. - - -"]\n')
    status, _, err = run("report", session, "-o", out)
    assert status == 3 and "AK<b>" in err
    page = out.read_text("utf-8")
    assert page.count("<article>") == 4 and "Left out: line " in page
    assert "AK&lt;b&gt;" in page and str(tmp_path) not in page
    assert run("report", session, "-o", tmp_path / "x.html", "--strict")[0] == 2
    assert run("report", session, "-o", tmp_path / "no" / "x.html")[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "session.pbn"]


@pytest.mark.solver
def test_a_page_is_called_as_its_file_or_as_its_only_deal(run, tmp_path: Path) -> None:
    out, plain = tmp_path / "report.html", tmp_path / "club.txt"
    plain.write_text(f"{BOARD}\n{BOARD}\n")
    for source, title in ((BOARD, BOARD), (plain, "club")):
        assert run("report", source, "-o", out)[0] == 0
        assert f"<title>{title}</title>" in out.read_text("utf-8")
    with plain.open("rb") as piped:
        command = [sys.executable, "-m", "trickcast", "report", "-", "-o", str(out)]
        subprocess.run(command, stdin=piped, check=True)
    assert "<title>Boards</title>" in out.read_text("utf-8")


@pytest.mark.solver
def test_boards_without_numbers_count_on(run, tmp_path: Path) -> None:
    assert run("report", BOARD, "-o", tmp_path / "a.html", "--title", "One")[0] == 0
    page = (tmp_path / "a.html").read_text("utf-8")
    assert "<h2>Board 1<small>North deals, vulnerable: none" in page
    (tmp_path / "x.pbn").write_text(f'[Board "0"]\n[Deal "{BOARD}"]\n\n[Deal "{BOARD}"]\n')
    assert run("report", tmp_path / "x.pbn", "-o", tmp_path / "a.html")[0] == 0
    page = (tmp_path / "a.html").read_text("utf-8")
    assert re.findall("<h2>Board ([0-9]+)", page) == ["0", "1"]


RESULTS = (
    ("Open", "4H", "N", 10, "DQ"),
    ("Closed", "3NT", "S", 8, "S6"),
)


@pytest.fixture
def match(tmp_path: Path) -> Path:
    """Two boards that two tables played, the second with all exact tricks in the file."""
    other = tc.random_deals(1, seed=3)[0]
    lines = []
    for number, deal in enumerate((tc.Deal(BOARD), other), start=1):
        for room, contract, by, tricks, lead in RESULTS:
            play = f'[Play "{"ENSW"[("NS".index(by)) * 3]}"]\n{lead}\n*\n' if number == 1 else ""
            players = "".join(
                f'[{seat} "{seat[0]} of {room} <b>"]\n'
                for seat in ("North", "East", "South", "West")
            )
            lines.append(
                f'[Event "Final"]\n[Board "{number}"]\n[Dealer "N"]\n[Vulnerable "None"]\n'
                f'[Deal "{deal.pbn}"]\n{players}[Room "{room}"]\n[Contract "{contract}"]\n'
                f'[Declarer "{by}"]\n[Result "{tricks}"]\n{play}\n'
            )
    path = tmp_path / "match.pbn"
    path.write_text("".join(lines))
    return path


@pytest.mark.solver
def test_rooms_of_a_match_stand_together_under_their_board(
    run, match: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    assert run("report", match, "-o", out)[:2] == (0, f"{out}: 2 boards\n")
    page = out.read_text("utf-8")
    assert Elements(page).open == [] and page.count("<article>") == 2
    (results, _) = re.findall(r'<table class="results">.*?</table>', page)
    rows = re.findall(r"<tr>(.*?)</tr>", results)[1:]
    cells = [[Elements(cell).text for cell in re.findall(r"<td>(.*?)</td>", row)] for row in rows]
    expected = [tc.estimate_played(BOARD, c, by=by).score() for c, by in (("4H", "N"), ("3N", "S"))]
    assert cells == [
        ["open", "4♥ N =", "♦Q", "+420", "+10.0", f"{expected[0]:+.0f}"],
        ["closed", "3NT S −1", "♠6", "−50", "−10.0", f"{expected[1]:+.0f}"],
    ]
    assert f"field {np.mean(expected):+.0f}" in Elements(page).text
    ranking = re.search(r'<table class="ranking">.*?</table>', page)
    assert ranking is not None and "N of Open &lt;b&gt; – S of Open &lt;b&gt;" in ranking[0]
    swings = re.search(r'<table class="swings">.*?</table>', page)
    assert swings is not None and swings[0].count("<tr>") == 3
    assert str(tmp_path) not in page
    run("report", match, "-o", out, "--anonymous")
    assert "of Open" not in out.read_text("utf-8")


@pytest.mark.solver
def test_equal_results_of_many_tables_are_counted(run, match: Path, tmp_path: Path) -> None:
    text = match.read_text().split("\n\n")[0]
    rows = "4H N DQ 10 3\n4H N DA 10 1\n3NT S S6 8 2\nPass - - - 1\n"
    table = f'[ScoreTable "Contract;Declarer;Lead;Result;Multiplicity"]\n{rows}'
    path, out = tmp_path / "club.pbn", tmp_path / "club.html"
    path.write_text(re.sub(r"\[Room.*", "", text, flags=re.DOTALL) + table)
    assert run("report", path, "-o", out)[0] == 3, "East does not hold the ace that was led"
    page = out.read_text("utf-8")
    found = re.search(r'<table class="results">.*?</table>', page)
    assert found is not None
    rows_of = re.findall(r"<tr><td>(\d)×</td><td>(.*?)</td>", found[0])
    assert [(n, Elements(bid).text) for n, bid in rows_of] == [
        ("4", "4♥ N ="), ("1", "Pass"), ("2", "3NT S −1"),
    ]  # fmt: skip
    assert "Most common lead: ♦Q, 3 of 6" in Elements(page).text


@pytest.mark.solver
def test_equal_results_have_the_pairs_that_had_them(run, match: Path, tmp_path: Path) -> None:
    text = re.sub(r"\[Room.*", "", match.read_text().split("\n\n")[0], flags=re.DOTALL)
    rows = "1 4 4H N 10\n2 5 4H N 10\n3 6 3NT S 8\n"
    path, out = tmp_path / "club.pbn", tmp_path / "club.html"
    path.write_text(f'{text}[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n{rows}')
    assert run("report", path, "-o", out)[0] == 0
    found = re.search(r'<table class="results">.*?</table>', out.read_text("utf-8"))
    assert found is not None
    firsts = [Elements(cell).text for cell in re.findall(r"<tr><td>(.*?)</td>", found[0])]
    assert firsts == ["2× 1–4 2–5", "1× 3–6"]
    ranking = re.search(r'<table class="ranking">.*?</table>', out.read_text("utf-8"))
    assert ranking is not None and "Boards" in ranking[0] and "Declarer" not in ranking[0]
    path.write_text(path.read_text() + "1 9 4H N 9\n")
    assert run("report", path, "-o", out)[0] == 3
    page = out.read_text("utf-8")
    assert "<p>Note: board 1, ScoreTable row 4: pair 1 played this board before: board 1" in page


@pytest.mark.slow
@pytest.mark.solver
def test_hand_records_are_so_many_on_a_page(run, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "hands.html"
    deals = tc.random_deals(20, seed=5)
    tc.write(deals, tmp_path / "deals.pbn")
    assert run("report", tmp_path / "deals.pbn", "-o", out, "--per-page", "18")[0] == 0
    page = out.read_text("utf-8")
    assert Elements(page).open == []
    sheets = page.split('<section class="page">')[1:]
    assert [sheet.count("<article>") for sheet in sheets] == [18, 2]
    assert "Close" not in page and "size: A4; margin: 0" in page
    first = Elements(sheets[0].partition("</article>")[0]).text
    assert "Board 1" in first and "North deals, vulnerable: none" in first and "Par NS" in first
    assert run("report", session, "-o", out, "--per-page", "0")[0] == 2


def test_single_hands_are_cards_or_lessons(run, match: Path, tmp_path: Path) -> None:
    out = tmp_path / "hands.html"
    assert run("report", match, "-o", out, "--hands", "NS")[:2] == (0, f"{out}: 2 boards\n")
    page = out.read_text("utf-8")
    assert Elements(page).open == [] and re.findall("<h3>(.*?)</h3>", page) == [
        "North", "South", "North", "South",
    ]  # fmt: skip
    text = Elements(page).text
    assert "KQ9832" in text and "AT7".replace("T", "10") not in text, "East's hand is not shown"
    assert "Par" not in text and "auction" not in text
    assert run("report", match, "-o", out, "--hands", "w")[0] == 0
    lesson = out.read_text("utf-8")
    first = lesson.partition("<tbody>")[2].partition("</tr>")[0]
    assert first == "<tr><td>–</td><td></td><td></td><td></td>", "North deals, West has no call"
    assert lesson.count("<article>") == 2 and "Q98" in lesson
    for wrong in ("X", "NN", ""):
        status, _, error = run("report", match, "-o", out, "--hands", wrong)
        assert status == 2 and "expected letters of seats" in error
    of_pages = (["--anonymous"], ["--model", "fast"])
    for vain in (["--hardest-first"], ["--check", "3"], *of_pages):
        status, _, error = run("report", match, "-o", out, "--hands", "S", *vain)
        assert status == 2 and f"{vain[0]} has no effect with --hands" in error
    for vain in of_pages:
        status, _, error = run("report", match, "-o", out, "--per-page", "2", *vain)
        assert status == 2 and f"{vain[0]} has no effect with --per-page" in error


@pytest.mark.solver
def test_a_heading_is_without_the_marks_of_the_format(run, session: Path, tmp_path: Path) -> None:
    session.write_text(session.read_text().replace('"Pairs <&> Teams"', '"##Pairs"'))
    out = tmp_path / "report.html"
    assert run("report", session, "-o", out)[0] == 0
    assert "<h1>Pairs</h1>" in out.read_text("utf-8")


@pytest.mark.solver
def test_rankings_have_intervals_and_long_ones_two_columns(run, tmp_path: Path) -> None:
    deals = tc.random_deals(2, seed=5)
    tc.write(deals, tmp_path / "deals.pbn")
    rows = ["board,ns,ew,contract,declarer,result"]
    rows += [
        f"{board},{pair},{pair + 100},{1 + (pair + board) % 3}NT,N,{5 + pair % 5}"
        for board in (1, 2)
        for pair in range(1, 22)
    ]
    (tmp_path / "club.csv").write_text("\n".join(rows))
    out = tmp_path / "club.html"
    assert run("report", tmp_path / "deals.pbn", tmp_path / "club.csv", "-o", out)[0] == 0
    page = out.read_text("utf-8")
    assert 'class="ranked long"' in page and page.count('class="cell tall"') == 2
    tables = [table.partition("</table>")[0] for table in page.split('<table class="ranking">')[1:]]
    for direction, table in zip(("North–South", "East–West"), tables, strict=True):
        places = re.findall(r"<tr><td>(.*?)</tr>", table)
        assert len(places) == 21 and all("±" in place for place in places) and direction in table
        assert places[0].startswith("1.")


@pytest.mark.solver
def test_of_equal_swings_those_of_most_points_are_listed(run, tmp_path: Path) -> None:
    deals, out = tmp_path / "deals.pbn", tmp_path / "club.html"
    tc.write(tc.random_deals(10, seed=5), deals)
    rows = ["board,contract,declarer,result"]
    rows += [f"{board},1N,N,{tricks}" for board in range(1, 11) for tricks in (7, 8, 6, 7)]
    rows += [f"{board},7NXX,N,{tricks}" for board in (9, 10) for tricks in (0, 13)]
    (tmp_path / "club.csv").write_text("\n".join(rows))
    assert run("report", deals, tmp_path / "club.csv", "-o", out)[0] == 0
    page = out.read_text("utf-8")
    swings = page.partition('<table class="swings">')[2].partition("</table>")[0]
    found = re.findall(r"<tr><td>(\d+)</td><td>(.)", swings)
    assert len(found) == 8 and {*found[:2]} == {("9", "7"), ("10", "7")}


@pytest.mark.solver
def test_results_follow_their_boards_when_these_are_chosen_or_renumbered(
    run, tmp_path: Path
) -> None:
    deals, club, out = tmp_path / "deals.pbn", tmp_path / "club.csv", tmp_path / "club.html"
    tc.write(tc.random_deals(3, seed=5), deals)
    rows = [f"{board},4H,N,{tricks}" for board in (2, 3) for tricks in (9, 10)]
    club.write_text("\n".join(["board,contract,declarer,result", *rows]))
    asked = ("report", deals, club, "-o", out)
    boards = "<h2>Board (.*?)<small>(.*?)</small>"
    assert run(*asked, "--renumber", "101")[::2] == (0, "")
    page = out.read_text("utf-8")
    assert re.findall(boards, page) == [
        ("101", "North deals, vulnerable: N–S"), ("102", "East deals, vulnerable: N–S"),
        ("103", "South deals, vulnerable: E–W"),
    ]  # fmt: skip
    assert page.count('<table class="results">') == 2, "all results of boards 2 and 3"
    assert run(*asked, "--boards", "2", "--renumber", "7")[::2] == (0, "")
    page = out.read_text("utf-8")
    assert re.findall(boards, page) == [("7", "East deals, vulnerable: N–S")]
    assert page.count('<table class="results">') == 1
    club.write_text(club.read_text() + "\n4,4H,N,10")
    assert run(*asked)[::2] == (
        3,
        f"note: {club}: no file has the cards of board 4: it is left out\n",
    )


@pytest.mark.solver
def test_numbers_of_pairs_are_text_not_elements(run, tmp_path: Path) -> None:
    deals, out = tmp_path / "deals.pbn", tmp_path / "club.html"
    tc.write(tc.random_deals(1, seed=5), deals)
    rows = ["board,ns,ew,contract,declarer,result"]
    rows += [f"1,<i>{pair}</i>,&{pair},4H,N,{9 + pair}" for pair in (1, 2)]
    (tmp_path / "club.csv").write_text("\n".join(rows))
    assert run("report", deals, tmp_path / "club.csv", "-o", out)[0] == 0
    page = Elements(out.read_text("utf-8"))
    assert page.open == [] and "i" not in {tag for tag, _ in page.elements}
    assert all(page.text.count(number) == 2 for number in ("<i>1</i>", "<i>2</i>", "&1", "&2"))


@pytest.mark.solver
def test_results_have_the_seats_and_cards_of_the_language(run, match: Path, tmp_path: Path) -> None:
    match.write_text(match.read_text().replace('[Declarer "S"]', '[Declarer "W"]'))
    out = tmp_path / "report.html"
    assert run("report", match, "-o", out, "--language", "fr")[0] == 0
    text = Elements(out.read_text("utf-8")).text
    results = text[text.index("Lead") :]
    assert "4♥ N =" in results and "3SA O −1" in results and "♦D" in results
    assert not re.search(r"NT|♦Q|\b[1-7](SA|.) W|by W", text)


@pytest.mark.slow
@pytest.mark.solver
def test_hand_records_speak_five_languages(run, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "hands.html"
    for language, ranks, seat, notrump in (
        ("fr", "ARDV", "Ouest", "SA"), ("de", "AKDB", "Ost", "SA"), ("nl", "AHVB", "Zuid", "SA"),
        ("pl", "AKDW", "Rozdanie", "BA"), ("en", "AKQJ", "South", "NT"),
    ):  # fmt: skip
        options = ("--per-page", "18", "--language", language)
        assert run("report", session, "-o", out, *options)[0] == 0
        assert f'<html lang="{language}">' in out.read_text("utf-8")
        text = Elements(out.read_text("utf-8")).text
        ace, king, queen, jack = tuple(ranks)
        assert f"♥ {king}{queen}9832" in text and f"♠ {king}{jack}95" in text
        assert f"♣ {ace}{king}10" in text and notrump in text
        assert run("report", session, "-o", out, "--hands", "NESW", "--language", language)[0] == 0
        assert seat in Elements(out.read_text("utf-8")).text
    status, _, error = run("report", session, "-o", out, "--language", "xx")
    assert status == 2 and "expected en, fr, de, nl or pl" in error
