"""Commands that need exact tables take those that a file holds."""

import json
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import UNKNOWN, Board, DealSet
from trickcast.cli import exact_tables
from trickcast.solver import solve_batches

COMMANDS = (["par"], ["solve"], ["estimate", "--exact", "--model", "fast"])


@pytest.fixture(scope="module")
def exact() -> DealSet:
    deals = tc.random_deals(3, seed=11)
    boards = [Board(number=number) for number in (4, 5, 6)]
    return DealSet(deals.owners, tc.solve(deals).tricks, boards)


def no_solver(*_: object, **__: object) -> None:
    raise AssertionError("a deal whose table is known was solved")


@pytest.mark.solver
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_tables_of_the_file_are_not_solved_again(
    command: list[str], run, tmp_path: Path, exact: DealSet, monkeypatch
) -> None:
    tc.write(exact, tmp_path / "known.pbn")
    tc.write(exact.with_tricks(None), tmp_path / "cards.pbn")
    name, *options = command
    status, solved_here, err = run(name, tmp_path / "cards.pbn", *options, "--json")
    assert (status, err) == (0, "")

    def some(owners, **_):
        return no_solver() if len(owners) else iter(())

    monkeypatch.setattr("trickcast.solver.solving.solve_batches", some)
    status, taken, err = run(name, tmp_path / "known.pbn", *options, "--json")
    assert (status, taken) == (0, solved_here)
    assert err == "note: 3 tables were taken from the file (--check N solves N again)\n"


@pytest.mark.solver
def test_only_what_is_unknown_is_solved(exact: DealSet, monkeypatch) -> None:
    assert exact.tricks is not None
    tricks = exact.tricks.copy()
    tricks[1, 2, 3] = UNKNOWN
    asked = []

    def some(owners, **_):
        asked.append(owners)
        return solve_batches(owners)

    monkeypatch.setattr("trickcast.solver.solving.solve_batches", some)
    ((_, tables),) = exact_tables.solved(iter([exact.with_tricks(tricks)]), None)
    assert np.array_equal(tables.tricks, exact.tricks)
    assert np.array_equal(np.concatenate(asked), exact.owners[1:2])


@pytest.mark.solver
def test_a_check_says_that_tables_agree(run, tmp_path: Path, exact: DealSet) -> None:
    tc.write(exact, tmp_path / "known.pbn")
    _, out, err = run("solve", tmp_path / "known.pbn", "--check", 2)
    assert err.splitlines() == [
        "note: 1 table was taken from the file",
        "note: 2 tables solved again, as the file says",
    ]
    assert out == run("solve", tmp_path / "known.pbn")[1]


@pytest.mark.solver
def test_a_check_names_the_boards_that_differ_and_shows_dds(
    run, tmp_path: Path, exact: DealSet
) -> None:
    assert exact.tricks is not None
    tricks = exact.tricks.copy()
    tricks[1, 0] = 13 - tricks[1, 0]
    changed = int((tricks != exact.tricks).sum())
    tc.write(exact.with_tricks(tricks), tmp_path / "wrong.pbn")
    _, out, err = run("solve", tmp_path / "wrong.pbn", "--check", 2, "--json")
    assert err.splitlines()[1] == (
        f"note: DDS differs from the file: board 5 in {changed} cells; DDS's tricks are used"
    )
    assert [json.loads(line)["exact"] for line in out.splitlines()] == exact.tricks.tolist()
    _, out, err = run("solve", tmp_path / "wrong.pbn", "--check", 1, "--json")
    assert "differs" not in err and json.loads(out.splitlines()[1])["exact"] == tricks[1].tolist()


@pytest.mark.solver
def test_check_goes_with_solving(run, tmp_path: Path, exact: DealSet) -> None:
    tc.write(exact, tmp_path / "known.pbn")
    for command in (["convert", tmp_path / "known.pbn", tmp_path / "x.lin"], ["estimate", "x"]):
        status, _, err = run(*command, "--check", 1)
        assert status == 2 and "--check needs" in err
    status, _, err = run("convert", tmp_path / "known.pbn", tmp_path / "x.lin", "--cluster", "auto")
    assert status == 2 and "--cluster needs --solve" in err


@pytest.mark.solver
def test_par_names_the_board_in_json(run, tmp_path: Path, exact: DealSet) -> None:
    tc.write(exact, tmp_path / "known.pbn")
    lines = run("par", tmp_path / "known.pbn", "--json")[1].splitlines()
    assert [json.loads(line)["board"] for line in lines] == [4, 5, 6]


def test_a_real_file_of_299_boards_needs_no_solver(run, shared: Path, monkeypatch) -> None:
    def some(owners, **_):
        return no_solver() if len(owners) else iter(())

    monkeypatch.setattr("trickcast.solver.solving.solve_batches", some)
    status, out, err = run("par", shared / "data" / "boards" / "example2.pbn", "--json")
    assert status == 0 and "299 tables were taken" in err
    assert len(out.splitlines()) == 299
