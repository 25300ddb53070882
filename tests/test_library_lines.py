"""Lines of best play in libraries, and the positions along them; against DDS solving each anew."""

import hashlib
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from faults import contents
from trickcast.cards import UNKNOWN, DealSet
from trickcast.cards.positions import cards_a_hand
from trickcast.library import (
    Library,
    LibraryError,
    generate,
    line_positions,
    read_positions,
    shard_file,
    verify,
)
from trickcast.library.shards import ONE_STRAIN, WHOLE
from trickcast.solver import solve_line_batches, solve_position_batches

OWNERS = tc.random_deals(5, seed=3).owners
pytestmark = pytest.mark.solver


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("trickcast.library.generate"), "SHARD", 4)


def solved(owners: np.ndarray, tricks: int, **given: Any) -> tuple[np.ndarray, np.ndarray]:
    tables, lines = zip(*solve_line_batches(owners, tricks, **given), strict=True)
    return np.concatenate(tables), np.concatenate(lines)


@pytest.fixture(scope="module")
def of_three() -> tuple[np.ndarray, np.ndarray]:
    return solved(OWNERS, 3)


@pytest.mark.parametrize("tricks", [3, 6])
def test_positions_along_lines_are_worth_what_dds_finds_anew(
    of_three: tuple[np.ndarray, np.ndarray], tricks: int
) -> None:
    rows = slice(2 if tricks == 3 else 1)
    tables, lines = (part[rows] for part in of_three) if tricks == 3 else solved(OWNERS[rows], 6)
    np.testing.assert_array_equal(tables, tc.solve(OWNERS[rows]).tricks)
    owners, values = line_positions(OWNERS[rows], tables, lines)
    assert len(owners) == len(tables) * 20 * tricks
    assert sorted(set(cards_a_hand(owners).tolist())) == [*range(13 - tricks, 13)]
    known = values != UNKNOWN
    assert (known.sum((1, 2)) == 1).all()
    anew = np.concatenate([*solve_position_batches(owners)])
    np.testing.assert_array_equal(anew[known], values[known])


@pytest.mark.slow
def test_threads_order_and_known_results_change_no_value(
    of_three: tuple[np.ndarray, np.ndarray],
) -> None:
    tables, _ = of_three
    for workers in (1, 2):
        backwards = solved(OWNERS[::-1].copy(), 3, workers=workers)
        for ours, theirs in zip(backwards, of_three, strict=True):
            np.testing.assert_array_equal(ours[::-1], theirs)
    again, other_lines = solved(OWNERS, 3, known=tables)
    np.testing.assert_array_equal(again, tables)
    line_positions(OWNERS, tables, other_lines)
    wrong = tables.copy()
    wrong[2, 1, 0] -= 1
    with pytest.raises(RuntimeError, match="DDS found"):
        solved(OWNERS, 3, known=wrong)


@pytest.mark.parametrize("plain", [WHOLE, ONE_STRAIN])
def test_records_hold_lines(of_three: tuple[np.ndarray, np.ndarray], plain: Any) -> None:
    tables, lines = (part.copy() for part in of_three)
    if plain is ONE_STRAIN:
        tables[:, 1:] = lines[:, 1:] = UNKNOWN
    record = plain.with_lines(3)
    data = record.encode(DealSet(OWNERS, tables), lines)
    assert len(data) == 5 * record.size == 5 * (143 if plain is WHOLE else 40)
    deals, decoded = record.decode_with_lines(data, "a")
    assert deals == record.decode(data, "a") == DealSet(OWNERS, tables)
    np.testing.assert_array_equal(decoded, lines)
    lines[0, 0, 0, 1] = lines[0, 0, 0, 0]
    with pytest.raises(ValueError, match="a line has a card that cannot be played"):
        record.encode(DealSet(OWNERS, tables), lines)
    with pytest.raises(ValueError, match="a: .* cannot be played"):
        record.decode_with_lines(data[:-1] + b"\xff", "a")


@pytest.mark.parametrize("strains", ["all", "one"])
def test_lines_are_generated_go_on_and_are_added(tmp_path: Path, strains: Any) -> None:
    once, grown, added = (tmp_path / name for name in ("once", "grown", "added"))
    assert generate(once, 6, 3, strains=strains, lines=2) == 6
    for deals in (2, 6):
        generate(grown, deals, 3, strains=strains, lines=2)
    assert contents(grown) == contents(once)
    generate(added, 6, 3, strains=strains)
    before = Library(added).deals("train")
    assert generate(added, 6, 3, strains=strains, lines=2) == 6
    assert {p.suffix for p in added.rglob("*.*")} == {
        ".json",
        Path(Library(once).shards[0].file).suffix,
    }
    for folder in (once, added):
        library = Library(folder)
        assert library.deals("train") == before
        assert verify(library, sample=4).problems == ()
        assert len(read_positions(folder)[0]) == 6 * 2 * (20 if strains == "all" else 4)
        assert generate(folder, 6, 3, strains=strains) == 0, "with lines they are there too"
    assert Library(once).tables_worth == pytest.approx(
        1.09 * (6 if strains == "all" else 6 * 0.19), rel=0.1
    )


def test_what_a_killed_run_left_gets_its_lines(tmp_path: Path) -> None:
    generate(tmp_path / "once", 4, 3, lines=1)
    plain, lined = shard_file(3, 0), shard_file(3, 0, WHOLE.with_lines(1))
    for stage in ("file without entry", "entry without removal"):
        folder = tmp_path / stage
        generate(folder, 4, 3)
        (folder / lined).write_bytes((tmp_path / "once" / lined).read_bytes())
        if stage == "entry without removal":
            (folder / "manifest.json").write_bytes(
                (tmp_path / "once" / "manifest.json").read_bytes()
            )
        assert (folder / plain).exists()
        assert generate(folder, 4, 3, lines=1) == 0
        assert contents(folder) == contents(tmp_path / "once")


def test_what_cannot_stand_beside_lines_is_refused(tmp_path: Path) -> None:
    generate(tmp_path, 2, 3, lines=1)
    with pytest.raises(LibraryError, match=r"lines of 1 tricks \(asked for 2; .* --lines 1"):
        generate(tmp_path, 2, 3, lines=2)
    with pytest.raises(LibraryError, match=r"lines of 1 tricks \(asked for 0; .* --lines 1"):
        generate(tmp_path, 3, 3)
    with pytest.raises(ValueError, match=r"lines is 7 \(expected 0 to 6 tricks\)"):
        generate(tmp_path / "new", 2, 3, lines=7)
    with pytest.raises(ValueError, match=r"tricks is 0 \(expected 1 to 6\)"):
        solve_line_batches(OWNERS, 0)
    assert not (tmp_path / "new").exists()


def test_verify_finds_lines_that_are_not_of_best_play(tmp_path: Path) -> None:
    generate(tmp_path, 1, 3, lines=1)
    (shard,) = Library(tmp_path).shards
    whole = (tmp_path / shard.file).read_bytes()
    data = whole[: WHOLE.size] + bytes(len(whole) - WHOLE.size)  # the first card that may be played
    (tmp_path / shard.file).write_bytes(data)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["shards"][0]["sha256"] = hashlib.sha256(data).hexdigest()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    told = (verify(Library(tmp_path), sample=1, seed=seed).problems for seed in range(200))
    wrong = f"{shard.file}: a position along a line of deal 0 solves differently"
    assert any(problems == (wrong,) for problems in told)


def test_commands_know_lines(tmp_path: Path, run: Any) -> None:
    place = ("--seed", 3, "--out", tmp_path)
    assert run("generate", "--deals", 2, "--lines", 1, *place)[0] == 0
    status, out, _ = run("library", "info", tmp_path)
    assert status == 0 and "all, lines of 1 tricks" in out
    facts = json.loads(run("library", "info", tmp_path, "--json")[1])
    assert facts["runs"][0]["lines"] == 1 and facts["tables_worth"] == 2.1
    assert "sound" in run("library", "verify", tmp_path, "--sample", 1)[1]
    status, _, err = run("generate", "--deals", 2, "--cards", 5, "--lines", 1, *place)
    assert status == 2 and "--lines needs whole deals" in err
