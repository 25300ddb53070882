"""Boards of files chosen by number, numbered anew, and put together."""

import subprocess
import sys
from pathlib import Path

import pytest

import trickcast as tc


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Boards 1 to 12, and 11 to 14 of other deals, the last of which was played."""
    one, two = tmp_path / "one.pbn", tmp_path / "two.pbn"
    tc.write(tc.random_deals(12, seed=1), one)
    deals = tc.random_deals(4, seed=2)
    two.write_text(
        "".join(
            f'[Board "{n}"]\n[Dealer "W"]\n[Vulnerable "None"]\n[Deal "{deal.pbn}"]\n'
            + '[Contract "4S"]\n[Declarer "N"]\n[Result "9"]\n' * (n == 14)
            + "\n"
            for n, deal in enumerate(deals, start=11)
        )
    )
    return [one, two]


def test_boards_are_chosen_and_numbered_anew(run, files, tmp_path) -> None:
    out = tmp_path / "out.pbn"
    assert run("convert", files[0], out, "--boards", "5-7, 12", "--renumber", "1")[0] == 0
    chosen = tc.read(out)
    assert list(chosen) == [tc.read(files[0])[i] for i in (4, 5, 6, 11)]
    assert [board.number for board in chosen.boards] == [1, 2, 3, 4]
    assert [str(board.dealer) for board in chosen.boards] == ["N", "E", "S", "W"]
    assert [str(board.vulnerability) for board in chosen.boards] == ["none", "ns", "ew", "both"]


def test_files_are_put_together_and_numbers_that_stand_twice_are_told(run, files, tmp_path) -> None:
    out = tmp_path / "out.pbn"
    status, _, error = run("convert", *files, out)
    assert status == 0 and len(tc.read(out)) == 16
    assert error.startswith("note: 2 board numbers are used for more than one deal: 11, 12 (")
    assert error.endswith(f"note: 16 deals written to {out}\n")
    run("convert", *files, out, "--renumber", "21", "--force")
    boards = tc.read(out).boards
    assert [board.number for board in boards] == list(range(21, 37))
    assert str(boards[14].vulnerability) == "ew", "board 35 has it so, and was not played"
    assert (boards[15].result, str(boards[15].dealer)) == (9, "W"), "it was played so"


def test_tables_of_one_deal_keep_a_number_in_common(run, tmp_path) -> None:
    deals = tc.random_deals(2, seed=3)
    source, out = tmp_path / "match.pbn", tmp_path / "out.pbn"
    source.write_text(
        "".join(
            f'[Board "{n}"]\n[Deal "{deal.pbn}"]\n[Room "{room}"]\n[Contract "1N"]\n\n'
            for n, deal in enumerate(deals, start=7)
            for room in ("Open", "Closed")
        )
    )
    assert run("convert", source, out, "--renumber", "1")[::2] == (
        0,
        f"note: 4 deals written to {out}\n",
    )
    assert [board.number for board in tc.read(out).boards] == [1, 1, 2, 2]


@pytest.mark.solver
def test_a_report_takes_files_and_numbers(run, files, tmp_path) -> None:
    out = tmp_path / "out.html"
    status, said, error = run("report", *files, "-o", out, "--boards", "12-13", "--per-page", "4")
    assert (status, said) == (0, f"{out}: 3 boards\n") and "1 board number is used for" in error
    travellers = tmp_path / "results.csv"
    travellers.write_text("board,contract,declarer,result\n1,4S,N,9\n1,4S,N,10\n")
    for given in ((files[0], travellers), (travellers, files[0])):
        assert run("report", *given, "-o", out, "--boards", "1", "--force")[0] == 0
        page = out.read_text("utf-8")
        assert "4♠ N" in page and "<h1>one</h1>" in page
    with travellers.open("rb") as piped:
        command = ["report", str(files[0]), "-", "-o", str(out), "--boards", "1"]
        subprocess.run([sys.executable, "-m", "trickcast", *command], stdin=piped, check=True)
    assert out.read_text("utf-8") == page
    travellers.write_text(travellers.read_text() + "88,4S,N,10\n")
    note = "no file has the cards of board 88: it is left out"
    assert note in run("report", files[0], travellers, "-o", out)[2]
    status, _, error = run("report", travellers, "-o", out)
    expected = "travellers without cards (expected a file with the deals, too)"
    assert (status, error) == (2, f"trickcast: {travellers}: {expected}\n")
    assert run("deal", "-n", "2", "--out", tmp_path / "deals.csv")[0] == 0
    deals = tmp_path / "deals.csv", travellers
    assert run("report", *deals, "-o", out, "--per-page", "4")[1] == f"{out}: 2 boards\n"


def test_numbers_that_are_none_are_refused(run, files, tmp_path) -> None:
    for numbers in ("", "a", "3-", "-4", "1-2-3"):
        status, _, error = run("convert", files[0], tmp_path / "out.pbn", "--boards", numbers)
        assert status == 2 and "expected numbers, such as 5-12,15" in error
    status, _, error = run("convert", files[0], tmp_path / "out.pbn", "--boards", "90")
    assert (status, error) == (2, "trickcast: there is no board 90\n")
    status, _, error = run("report", files[0], "-o", tmp_path / "out.html", "--boards", "90")
    assert status == 2 and "there is no board 90" in error


@pytest.mark.parametrize(
    ("numbers", "note"),
    [
        ("2-12", ""),
        ("9-20", "note: there are no boards 13-20\n"),
        ("0,3,99", "note: there are no boards 0, 99\n"),
        ("12-13", "note: there is no board 13\n"),
        ("1-999999999", "note: there are no boards 13-999999999\n"),
    ],
)
def test_numbers_that_no_board_has_are_told(run, files, numbers: str, note: str) -> None:
    assert run("estimate", files[0], "--boards", numbers, "--json")[::2] == (0, note)


def test_a_range_that_runs_backwards_is_refused(run, files, tmp_path) -> None:
    for command in (["estimate", files[0]], ["convert", files[0], tmp_path / "out.pbn"]):
        status, out, err = run(*command, "--boards", "2,3-1")
        assert (status, out) == (2, "")
        assert err == "trickcast: --boards '2,3-1': 3-1 runs backwards (expected 1-3)\n"


def test_a_file_that_is_there_is_replaced_only_on_request(run, files, tmp_path) -> None:
    out = tmp_path / "out.pbn"
    out.write_text("mine")
    for command in (("convert", files[0]), ("deal", "--boards", "2", "--seed", "1", "--out")):
        status, said, error = run(*command, out)
        assert (status, said) == (2, "")
        assert error == f"trickcast: {out} exists already (--force replaces it)\n"
        assert out.read_text() == "mine"
    assert run("convert", files[0], out, "--force")[::2] == (
        0,
        f"note: 12 deals written to {out}\n",
    )
    assert run("deal", "--boards", "2", "--seed", "1", "--out", out, "--force")[::2] == (
        0,
        f"note: 2 deals written to {out}\n",
    )
    assert run("convert", out, out)[0] == 0, "a file may be converted in its place"


def test_another_format_replaces_a_file_only_if_asked(run, tmp_path) -> None:
    path = tmp_path / "x.pbn"
    tc.write(tc.random_deals(3, seed=1), path)
    before = path.read_bytes()
    status, _, err = run("convert", path, path, "--to", "gib")
    assert (status, err) == (2, f"trickcast: {path} exists already (--force replaces it)\n")
    assert path.read_bytes() == before
    assert run("convert", path, path, "--to", "PBN", "--from", "pbn")[0] == 0
    assert run("convert", path, path, "--to", "gib", "--force")[0] == 0
    assert len(tc.read(path, format="gib")) == 3


def test_a_file_with_what_is_not_read_is_replaced_only_if_asked(run, tmp_path) -> None:
    deal = tc.random_deals(1, seed=1)[0].pbn
    for name, text in (("x.csv", f"deal,ns\n{deal},12\n"), ("x.json", f'{{"deal": "{deal}"}}\n')):
        path = tmp_path / name
        path.write_text(text)
        status, _, err = run("convert", path, path)
        assert (status, err) == (2, f"trickcast: {path} exists already (--force replaces it)\n")
        assert path.read_text() == text
        assert run("convert", path, path, "--force")[0] == 0


def test_boards_with_hidden_hands_are_not_counted_where_they_cannot_be_written(
    run, tmp_path
) -> None:
    whole, hidden = tmp_path / "whole.pbn", tmp_path / "hidden.pbn"
    tc.write(tc.random_deals(3, seed=1), whole)
    hidden.write_text('[Board "4"]\n[Deal "N:A.KQ9832.T94.AKT - KJ95.J65.K3.J654 -"]\n')
    out = tmp_path / "x.csv"
    status, _, err = run("convert", whole, hidden, out)
    assert status == 0 and f"note: 3 deals written to {out}\n" in err and len(tc.read(out)) == 3
    why = "1 board with hidden hands, which csv cannot store"
    assert run("convert", hidden, "-", "--to", "csv") == (2, "", f"trickcast: output: {why}\n")
    assert run("convert", hidden, out, "--force") == (2, "", f"trickcast: {out}: {why}\n")
    assert len(tc.read(out)) == 3


def test_a_part_of_a_file_replaces_the_whole_only_if_asked(run, tmp_path) -> None:
    path = tmp_path / "x.pbn"
    tc.write(tc.random_deals(3, seed=1), path)
    before = path.read_bytes()
    status, _, err = run("convert", path, path, "--boards", "1")
    assert status == 2 and "exists already (--force replaces it)" in err
    assert path.read_bytes() == before
    assert run("convert", path, path, "--renumber", "4")[0] == 0
    assert run("convert", path, path, "--boards", "4", "--force")[0] == 0
    assert len(tc.read(path)) == 1
