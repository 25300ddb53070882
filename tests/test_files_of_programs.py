"""Files as programs and people write them, and what they say of the boards."""

import gzip
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Board, Seat, Vulnerability
from trickcast.formats import FormatError, FormatWarning

A = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
B = "N:QT8.QJT976.T54.4 A.A542.Q986.Q862 K7542.83.732.A53 J963.K.AKJ.KJT97"


def boards_of(folder: Path, name: str, text: str) -> list[tuple[str, Board]]:
    """Read a file leniently: the deals with their boards, of which none may be skipped."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        deals = tc.read(path, on_error="skip")
    assert deals.skipped == ()
    return [(deal.pbn, board) for deal, board in zip(deals, deals.boards or [], strict=True)]


@pytest.mark.parametrize(
    "between", ["\n\n", "\r\n\r\n", "\n \n"], ids=["unix", "dos", "a blank in it"]
)
def test_blank_lines_between_all_tags_leave_each_board_its_own_deal(
    tmp_path: Path, between: str
) -> None:
    tags = []
    for number, deal in enumerate((A, B), 1):
        tags += ['[Event "club"]', f'[Board "{number}"]', '[Dealer "W"]', f'[Deal "{deal}"]']
    for first in (0, 1):  # a file may begin its boards with Event or with Board
        kept = [tag for tag in tags if not (first and tag.startswith("[Event"))]
        read = boards_of(tmp_path, "x.pbn", between.join(kept) + "\n")
        assert [(deal, board.number) for deal, board in read] == [(A, 1), (B, 2)]


def test_a_deal_given_twice_does_not_slip_to_the_next_board(tmp_path: Path) -> None:
    text = f'[Board "1"]\n[Deal "{A}"]\n[Deal "{A}"]\n[Board "2"]\n[Deal "{B}"]\n'
    read = boards_of(tmp_path, "x.pbn", text)
    assert [(deal, board.number) for deal, board in read] == [(A, 1), (B, 2)]


@pytest.mark.parametrize("quotes", ["“”", "''", "„“", "‘’", "  "])
def test_tags_in_the_quotes_of_a_word_processor(tmp_path: Path, quotes: str) -> None:
    begin, end = quotes[0], quotes[1]
    text = f"[Board {begin}7{end}]\n[Deal {begin}{A}{end}]\n"
    assert [(deal, board.number) for deal, board in boards_of(tmp_path, "x.pbn", text)] == [(A, 7)]
    with pytest.raises(FormatError, match="is not a tag"):
        tc.read(tmp_path / "x.pbn")


@pytest.mark.parametrize(
    ("tags", "outcome"),
    [
        ('[Contract "4H="]\n[Declarer "N"]', ("4H", Seat.NORTH, 10)),
        ('[Contract "4HXN-1"]', ("4HX", Seat.NORTH, 9)),
        ('[Contract "3NT by S +2"]', ("3N", Seat.SOUTH, 11)),
        ('[Contract "3NN="]', ("3N", Seat.NORTH, 9)),
        ('[Contract "3SA"]\n[Declarer "W"]\n[Result "-3"]', ("3N", Seat.WEST, 6)),
        ('[Contract "4H"]\n[Declarer "N"]\n[Result "+1"]', ("4H", Seat.NORTH, 11)),
        ('[Contract "4H"]\n[Declarer "N"]\n[Result "="]', ("4H", Seat.NORTH, 10)),
        ('[Contract "4HE"]\n[Declarer "North"]', (None, Seat.NORTH, None)),
        ('[Contract "Passed Out"]', ("PASS", None, None)),
        ('[Contract "4H"]\n[Declarer "N"]\n[Result "10"]', ("4H", Seat.NORTH, 10)),
    ],
)
def test_contracts_as_players_write_them(
    tmp_path: Path, tags: str, outcome: tuple[str | None, Seat | None, int | None]
) -> None:
    ((_, board),) = boards_of(tmp_path, "x.pbn", f'[Board "1"]\n[Deal "{A}"]\n{tags}\n')
    assert (board.contract, board.declarer, board.result) == outcome


@pytest.mark.parametrize(
    ("number", "vulnerable", "read"),
    [
        ("Board 12", "N/S", (12, Vulnerability.NS)),
        ("#3", "E/W", (3, Vulnerability.EW)),
        ("No. 4", "Love all", (4, Vulnerability.NONE)),
        ("bd 5", "Game all", (5, Vulnerability.BOTH)),
    ],
)
def test_numbers_and_vulnerabilities_in_words(
    tmp_path: Path, number: str, vulnerable: str, read: tuple[int, Vulnerability]
) -> None:
    text = f'[Board "{number}"]\n[Vulnerable "{vulnerable}"]\n[Deal "{A}"]\n'
    ((_, board),) = boards_of(tmp_path, "x.pbn", text)
    assert (board.number, board.vulnerability) == read


def test_a_table_with_other_names_of_its_columns(tmp_path: Path) -> None:
    hands = ";".join(A[2:].split())
    text = f"Number;Dealer;Vul;North;East;South;West;Room\r\n8;W;None;{hands};open\r\n"
    ((deal, board),) = boards_of(tmp_path, "x.csv", text)
    assert (deal, board.number, board.dealer, board.vulnerability) == (A, 8, Seat.WEST, 0)
    text = f"PBN,board number\n{A},4\n"
    ((deal, board),) = boards_of(tmp_path, "x.csv", text)
    assert (deal, board.number) == (A, 4)


ONE_LINE = "n {} e {} s {} w {} \n"
COLUMNS = """   1.
A                   Q 4                 K J 9 5             T 8 7 6 3 2
K Q 9 8 3 2         A T 7               J 6 5               4
10 9 4              Q J 8 7 2           K 3                 A 6 5
A K T               7 3 2               J 6 5 4             Q 9 8

   2.
Q T 8               A                   K 7 5 4 2           J 9 6 3
Q J T 9 7 6         A 5 4 2             8 3                 K
T 5 4               Q 9 8 6             7 3 2               A K J
4                   Q 8 6 2             A 5 3               K J T 9 7

Generated 2 hands
Produced 2 hands
Initial random seed 1
Time needed    0.000 sec
"""


@pytest.mark.parametrize(
    "text",
    [
        COLUMNS,
        COLUMNS.replace("\n", "\r\n"),
        "".join(ONE_LINE.format(*deal[2:].split()) for deal in (A, B)) + "Generated 2 hands\n",
        f"1. {A}\n2. {B}\n",
    ],
    ids=["printall", "printall, DOS", "printoneline", "numbered"],
)
def test_what_dealer_prints_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(text.encode())
    assert [deal.pbn for deal in tc.read(path)] == [A, B]


def test_dealers_columns_hold_voids_and_long_suits(tmp_path: Path) -> None:
    rows = [["AKQJT9876", "5432", "-", "-"], ["-", "AKQJT98", "765432", "-"],
            ["2", "A", "KQJT987", "6543"], ["AKQ", "J", "-", "T98765432"]]  # fmt: skip
    lines = ["".join(f"{' '.join(cell):20}" for cell in row) for row in rows]
    path = tmp_path / "x.txt"
    path.write_text("   1.\n" + "\n".join(lines) + "\n\n")
    (deal,) = tc.read(path)
    assert deal.pbn == ("N:AKQJT9876..2.AKQ 5432.AKQJT98.A.J .765432.KQJT987. ..6543.T98765432")


@pytest.mark.parametrize(
    ("rows", "after", "place", "others"),
    [
        (3, "", "line 10: a deal in columns ends after 3 rows", []),
        (1, "Generated 2 hands\n", "line 8: a deal in columns ends after 1 row", []),
        (2, COLUMNS, "line 9: a deal in columns ends after 2 rows", [A, B]),
        (2, f"{B}\n", "line 9: a deal in columns ends after 2 rows", [B]),
        (0, "", "line 7: a deal in columns ends after 0 rows", []),
    ],
)
def test_a_deal_in_columns_that_is_cut_short_is_told(
    tmp_path: Path, rows: int, after: str, place: str, others: list[str]
) -> None:
    path = tmp_path / "x.txt"
    path.write_text("".join(COLUMNS.splitlines(keepends=True)[: 7 + rows]) + after)
    deals = tc.read(path, on_error="skip")
    assert [deal.pbn for deal in deals] == [A, *others]
    assert [str(entry) for entry in deals.skipped] == [f"{path}: {place} (expected 4)"]
    with pytest.raises(FormatError, match=place):
        tc.read(path)


def test_a_pipe_that_stays_open_gets_each_answer_at_once() -> None:
    command = [sys.executable, "-m", "trickcast", "estimate", "-", "--json", "--model", "fast"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as asked:
        assert asked.stdin is not None and asked.stdout is not None and asked.stderr is not None
        for deal in (A, "N:a bad one", B):
            asked.stdin.write(f"{deal}\n".encode())
            asked.stdin.flush()
            if deal in (A, B):  # the answer comes though nothing ends
                assert json.loads(asked.stdout.readline())["deal"] == deal
        asked.stdin.close()
        (skipped,) = json.loads(asked.stdout.readline())["skipped"]
        assert skipped["place"] == "standard input: line 2"
        assert asked.wait() == 3


@pytest.mark.solver
@pytest.mark.parametrize("name", ["x.pbn.gz", "x.zrd.GZ", "x.csv.gz", "x.lin.gz"])
def test_packed_files_are_written_and_read_again(tmp_path: Path, name: str) -> None:
    deals = tc.solve(tc.random_deals(2, seed=3)).tricks
    solved = tc.random_deals(2, seed=3).with_tricks(deals)
    target = tmp_path / name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # LIN holds no tricks
        tc.write(solved, target)
        first = target.read_bytes()
        tc.write(solved, target)
        plain = tmp_path / name[:-3].lower()
        tc.write(solved, plain)
    assert target.read_bytes() == first and gzip.decompress(first) == plain.read_bytes()
    assert np.array_equal(tc.read(target).owners, solved.owners)


def test_a_packed_file_is_whole_or_not_there(tmp_path: Path) -> None:
    def failing():
        yield tc.random_deals(1000, seed=1)
        raise RuntimeError("the source went away")

    target = tmp_path / "x.pbn.gz"
    tc.write(tc.random_deals(1, seed=2), target)
    before = target.read_bytes()
    with pytest.raises(RuntimeError):
        tc.formats.write_stream(failing(), target)
    assert target.read_bytes() == before and [*tmp_path.iterdir()] == [target]
    with pytest.raises(FormatError, match="unknown suffix"):
        tc.write(tc.random_deals(1, seed=2), tmp_path / "x.gz")
