"""Tricks and par as tags of PBN boards; boards as columns of CSV."""

from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Board, DealSet, Seat, Tag, Vulnerability
from trickcast.formats import FormatWarning
from trickcast.formats.csv_parquet import boards_of
from trickcast.formats.pbn_board import format_digits, parse_digits

BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
NAMES = ("DoubleDummyTricks", "OptimumScore", "ParContract")


def tags(path: Path) -> dict[str, str]:
    boards = tc.read(path).boards
    assert boards is not None
    return {tag.name: tag.value for tag in boards[0].tags}


@pytest.mark.solver
def test_a_solved_board_has_the_tags_of_bridge_composer(run, tmp_path: Path) -> None:
    source, target = tmp_path / "a.pbn", tmp_path / "b.pbn"
    source.write_text(
        f'[Board "4"]\n[Dealer "W"]\n[Vulnerable "All"]\n[Deal "{BOARD}"]\n'
        '[OptimumScore "NS -90"]\n[ParContract "EW 1S="]\n'
    )
    assert run("convert", source, target, "--solve")[:2] == (0, "")
    written = target.read_text()
    assert '[DoubleDummyTricks "87a698' in written and '[ParContract "NS 4H="]' in written
    assert '[OptimumScore "NS 620"]' in written and "1S=" not in written
    assert '[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\nN NT  8\n' in written
    assert [name for name in tags(target) if name in NAMES] == list(NAMES)
    assert run("convert", target, source, "--solve", "--force")[0] == 0
    assert source.read_bytes() == target.read_bytes()


def test_real_boards_keep_the_tricks_that_another_program_wrote(
    run, shared: Path, tmp_path: Path
) -> None:
    source, target = shared / "data" / "boards" / "example2.pbn", tmp_path / "b.pbn"
    assert run("convert", source, target, "--solve")[0] == 0
    before, after = tc.read(source).boards, tc.read(target).boards
    assert before is not None and after is not None
    compared = 0
    for old, new in zip(before, after, strict=True):
        theirs, ours = old.tag("DoubleDummyTricks"), new.tag("DoubleDummyTricks")
        assert theirs is not None and ours is not None
        assert theirs.lower() == ours
        score = old.tag("OptimumScore")
        if score is not None and new.tag("OptimumScore") is not None:
            compared += 1
            assert int(score.split()[1]) == int((new.tag("OptimumScore") or "").split()[1])
    assert compared > 200


@pytest.mark.solver
def test_estimates_fill_only_what_is_not_known(run, tmp_path: Path) -> None:
    deals = tc.random_deals(2, seed=3)
    solved = tc.solve(deals).tricks.copy()
    solved[1] = 255
    boards = [Board(number=n, tags=(Tag("Event", "x"),)) for n in (1, 2)]
    tc.write(DealSet(deals.owners, solved, boards), tmp_path / "a.pbn")
    target = tmp_path / "b.pbn"
    asked = ("convert", tmp_path / "a.pbn", target, "--estimate", "--model", "fast")
    status, _, err = run(*asked)
    assert status == 0 and "estimates" in err
    after = tc.read(target)
    expected = tc.Estimator("fast")(deals).tricks
    assert after.tricks is not None
    assert np.array_equal(after.tricks[0], solved[0])
    assert np.array_equal(after.tricks[1], expected[1])
    assert "without a solver" in target.read_text()
    assert run(*asked, "--solve")[0] == 2


@pytest.mark.solver
def test_deals_without_dealer_get_tricks_and_those_of_a_list_their_numbers(
    run, tmp_path: Path
) -> None:
    (tmp_path / "a.pbn").write_text(f'[Event "x"]\n[Deal "{BOARD}"]\n')
    (tmp_path / "a.txt").write_text(f"{BOARD}\n")
    for source, names in (("a.pbn", NAMES[:1]), ("a.txt", NAMES)):
        assert run("convert", tmp_path / source, tmp_path / "b.pbn", "--solve", "--force")[0] == 0
        assert [name for name in tags(tmp_path / "b.pbn") if name in NAMES] == list(names)


@pytest.mark.solver
def test_digits_are_read_as_they_were_written(board: tc.Deal) -> None:
    table = tc.solve(board).tricks.copy()
    assert np.array_equal(parse_digits(format_digits(table)), table)
    table[2, 3] = 255
    assert np.array_equal(parse_digits(format_digits(table)), table)


BOARDS = [
    Board(number=7, dealer=Seat.SOUTH, vulnerability=Vulnerability.BOTH),
    Board(contract="4SX", declarer=Seat.WEST, result=9, number=8),
    Board(),
]


def test_csv_keeps_what_a_board_is(tmp_path: Path, recwarn) -> None:
    deals = DealSet(tc.random_deals(3, seed=2).owners, None, BOARDS)
    tc.write(deals, tmp_path / "a.csv")
    header, first, second, _ = (tmp_path / "a.csv").read_text().splitlines()
    assert header.startswith("board,dealer,vulnerable,contract,declarer,result,deal,S_N,")
    assert first.startswith("7,S,both,,,,N:") and second.startswith("8,,,4SX,W,9,N:")
    assert tc.read(tmp_path / "a.csv") == deals and tc.read(tmp_path / "a.csv").boards == (*BOARDS,)
    assert not recwarn.list


def test_csv_of_deals_alone_is_as_it_was(tmp_path: Path) -> None:
    tc.write(tc.random_deals(1, seed=2), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("deal,S_N,S_E")


def test_cells_that_cannot_be_read_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"deal,board,dealer\n{BOARD},seven,X\n{BOARD},3,W\n")
    with pytest.warns(
        FormatWarning, match=r"line 2: board is left out: 'seven' .*, also in dealer$"
    ):
        deals = tc.read(tmp_path / "a.csv")
    assert deals.boards == (Board(), Board(number=3, dealer=Seat.WEST))


def test_the_first_cell_that_cannot_be_read_is_named() -> None:
    rows = [["1", "both"], ["2", "Z"]]
    with pytest.warns(FormatWarning) as said:
        boards_of(rows, ["board", "vulnerable"], "a.csv", [2, 5])
    assert [str(warning.message) for warning in said] == [
        "a.csv: line 5: vulnerable is left out: 'Z' is not a vulnerability "
        "(expected none, ns, ew or both)"
    ]


@pytest.mark.parametrize(
    ("contract", "result", "tricks"),
    [("4H", "=", 10), ("4H", "+1", 11), ("3NX", "- 2", 7), ("1C", "-7", 0), ("4H", "9", 9)],
)
def test_results_by_the_contract_are_read(
    tmp_path: Path, recwarn: pytest.WarningsRecorder, contract: str, result: str, tricks: int
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"result,contract,deal\n{result},{contract},{BOARD}\n")
    assert tc.read(path).boards == (Board(contract=contract, result=tricks),)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("contract", "result"), [("PASS", "+1"), ("", "="), ("7N", "+1"), ("4H", "-12")]
)
def test_results_of_no_contract_or_impossible_tricks_say_nothing(
    tmp_path: Path, contract: str, result: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"contract,result,deal\n{contract},{result},{BOARD}\n")
    with pytest.warns(FormatWarning, match=r"result is left out: .*expected 0 to 13"):
        assert tc.read(path).boards == (Board(contract=contract or None),)


def test_a_contract_that_other_columns_contradict_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = ("4HN=,S,8", "4HN=,,", "4HN=,N,10")
    path.write_text("contract,declarer,result,deal\n" + "".join(f"{r},{BOARD}\n" for r in rows))
    with pytest.warns(FormatWarning) as told:
        boards = tc.read(path).boards
    assert [str(warning.message) for warning in told] == [
        f"{path}: line 2: the contract says declarer N, the column S, which counts; "
        "1 more contradiction"
    ]
    made = Board(contract="4H", declarer="N", result=10)
    assert boards == (Board(contract="4H", declarer="S", result=8), made, made)


def test_a_network_needs_estimates(run, tmp_path: Path) -> None:
    source, target = tmp_path / "a.pbn", tmp_path / "b.csv"
    tc.write(BOARD, source)
    status, out, err = run("convert", source, target, "--model", "fast")
    assert (status, out) == (2, "") and "--model needs --estimate" in err
    assert not target.exists()
    assert run("convert", source, target, "--model", "fast", "--estimate")[0] == 0


def test_convert_says_how_to_solve_and_what_can_be_written(run, tmp_path: Path) -> None:
    source = tmp_path / "a.pbn"
    tc.write(BOARD, source)
    assert "(solve them first with --solve)" in run("convert", source, tmp_path / "b.zrd")[2]
    for target in ("-", tmp_path / "b"):
        err = run("convert", source, target, "--to", "foo")[2]
        assert "to is 'foo' (expected pbn, lin" in err and "pgx" not in err
        err = run("convert", source, target, "--to", "rbn")[2]
        assert "Richard's Bridge Notation (rbn) can only be read (formats to write: pbn, " in err


def test_csv_says_what_else_it_leaves_out(tmp_path: Path) -> None:
    board = Board(number=1, auction=("1C", "PASS", "PASS", "PASS"))
    with pytest.warns(FormatWarning, match=r"what boards say \(auction\) of 1 deal"):
        tc.write(DealSet(tc.random_deals(1, seed=2).owners, None, [board]), tmp_path / "a.csv")
