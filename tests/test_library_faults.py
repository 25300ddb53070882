"""What can befall a library: kills, two writers, lost and damaged files, hostile manifests."""

import importlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from faults import contents, strike
from trickcast._pieces import over_pieces
from trickcast.library import Library, LibraryError, Shard, append, generate, shard_file, verify
from trickcast.library.storage import Folder

GENERATE: Any = importlib.import_module("trickcast.library.generate")


def sevens(owners: np.ndarray, *, workers: int | None = None) -> Any:
    """In place of DDS: these tests are of files."""
    yield np.full((len(owners), 5, 4), 7, np.uint8)


@pytest.fixture(autouse=True)
def small_shards_of_sevens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GENERATE, "SHARD", 4)
    monkeypatch.setattr(GENERATE, "solve_batches", sevens)


def here(work: Any, pieces: Any, *, cluster: str | None, **rest: Any) -> Any:
    """In place of a cluster."""
    return over_pieces(work, pieces, **rest)


@pytest.mark.slow
def test_ten_kills_lose_nothing(tmp_path: Path) -> None:
    """``python tests/faults.py`` does two hundred."""
    strike(10, seed=1, folder=tmp_path)


def test_a_run_on_a_cluster_leaves_nothing_unfinished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is killed while it writes leaves a temporary file; another does its piece."""
    real = GENERATE._label

    def label(job: Any, piece: Any, advance: Any) -> Any:
        (tmp_path / f".{piece.begin:016x}.tmp").write_bytes(b"half of a shard")
        return real(job, piece, advance)

    monkeypatch.setattr(GENERATE, "_label", label)
    monkeypatch.setattr(GENERATE, "over_pieces", here)
    assert generate(tmp_path, 8, 3, cluster="elsewhere") == 8
    assert {path.name for path in tmp_path.rglob("*")} == {
        "manifest.json", "seed-3", "deals-000000000000.zrd", "deals-000000000004.zrd",
    }  # fmt: skip


@pytest.mark.parametrize("cluster", [None, "elsewhere"])
def test_a_shorter_run_keeps_all_that_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: str | None
) -> None:
    monkeypatch.setattr(GENERATE, "over_pieces", here)
    generate(tmp_path, 7, seed=3)
    before = contents(tmp_path)
    (tmp_path / "manifest.json").unlink()
    assert generate(tmp_path, 5, seed=3, cluster=cluster) == 0
    assert contents(tmp_path) == before


@pytest.mark.parametrize("cluster", [None, "elsewhere"])
def test_what_a_killed_run_left_does_not_reach_into_another_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: str | None
) -> None:
    monkeypatch.setattr(GENERATE, "over_pieces", here)
    generate(tmp_path / "other", 4, seed=3)
    generate(tmp_path / "library", 1, seed=3, start=3)
    file = shard_file(3, 0)
    (tmp_path / "library" / file).write_bytes((tmp_path / "other" / file).read_bytes())
    assert generate(tmp_path / "library", 2, seed=3, cluster=cluster) == 0
    library = Library(tmp_path / "library")
    assert [(shard.start, shard.deals) for shard in library.shards] == [(0, 3), (3, 1)]
    assert verify(library, sample=0).problems == ()


def test_only_folders_of_shards_are_tidied(tmp_path: Path) -> None:
    """A set of endings, or a training, below a library has writers of its own."""
    leftover = ".0123456789abcdef.tmp"
    for folder in ("endings", "seed-3", "imported", "pgx-500K"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / leftover).write_bytes(b"half")
    generate(tmp_path, 1, seed=4)
    assert [path.parent.name for path in tmp_path.rglob(leftover)] == ["endings"]


def test_files_that_others_write_or_move_meanwhile_are_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("there", "moved", ".0123456789abcdef.tmp"):
        (tmp_path / name).write_bytes(b"abc")
    real = Path.stat

    def stat(path: Path, **options: Any) -> os.stat_result:
        if path.name == "moved":
            path.unlink(missing_ok=True)
        return real(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    assert Folder(tmp_path).sizes() == {"there": 3}


def test_a_library_that_grew_since_it_was_opened_is_not_called_damaged(tmp_path: Path) -> None:
    generate(tmp_path, 6, seed=3)
    library = Library(tmp_path)
    generate(tmp_path, 7, seed=3)
    complaint = "deals-000000000004.zrd: the shard was replaced .*open it again"
    with pytest.raises(LibraryError, match=complaint):
        library.deals("train")
    (problem,) = verify(library, sample=0).problems
    assert "open it again" in problem and "Delete" not in problem
    assert len(Library(tmp_path).deals("train")) == 7


def at_once(*runs: Any) -> list[BaseException | None]:
    """Do the runs in threads that all have decided what is missing before any writes."""
    together = threading.Barrier(len(runs))
    outcomes: list[BaseException | None] = [None] * len(runs)
    real = GENERATE._solve

    def solve_together(*given: Any) -> Any:
        together.wait(timeout=20)
        return real(*given)

    def work(i: int) -> None:
        try:
            runs[i]()
        except LibraryError as error:
            outcomes[i] = error

    GENERATE._solve = solve_together
    try:
        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(runs))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        GENERATE._solve = real
    return outcomes


@pytest.mark.solver
def test_deals_wanted_for_two_uses_at_once_are_for_one(tmp_path: Path) -> None:
    outcomes = at_once(
        lambda: generate(tmp_path, 4, seed=3, use="train"),
        lambda: generate(tmp_path, 4, seed=3, use="test"),
    )
    refused = [str(error) for error in outcomes if error]
    assert len(refused) == 1 and "permanently" in refused[0]
    library = Library(tmp_path)
    assert len(library) == 4 and library.shards[0].use == ("test" if outcomes[0] else "train")
    assert verify(library, sample=0).problems == ()


@pytest.mark.solver
def test_a_shorter_run_beside_a_longer_one_takes_nothing_away(tmp_path: Path) -> None:
    outcomes = at_once(
        lambda: generate(tmp_path, 4, seed=3),
        lambda: generate(tmp_path, 1, seed=3),
    )
    assert outcomes == [None, None] and len(Library(tmp_path)) == 4
    assert verify(Library(tmp_path), sample=0).problems == ()


@pytest.mark.solver
def test_runs_whose_ranges_cross_are_refused_or_whole(tmp_path: Path) -> None:
    outcomes = at_once(
        lambda: generate(tmp_path, 3, seed=3),
        lambda: generate(tmp_path, 2, seed=3, start=2),
    )
    assert sum(error is not None for error in outcomes) == 1
    assert "already" in str(outcomes[0] or outcomes[1])
    assert verify(Library(tmp_path), sample=0).problems == ()


def test_a_shard_that_was_lost_is_made_again(tmp_path: Path) -> None:
    generate(tmp_path, 10, seed=3)
    before = contents(tmp_path)
    for start in (0, 8):
        (tmp_path / shard_file(3, start)).unlink()
    assert len(verify(Library(tmp_path), sample=0).problems) == 2
    assert generate(tmp_path, 1, seed=3) == 4  # the whole shard that the deal is of
    assert generate(tmp_path, 10, seed=3) == 2
    assert contents(tmp_path) == before


def test_a_library_whose_shards_are_all_bad_is_reported(tmp_path: Path) -> None:
    generate(tmp_path, 8, seed=3)
    for start in (0, 4):
        (tmp_path / shard_file(3, start)).write_bytes(b"nothing")
    problems = verify(Library(tmp_path)).problems
    assert len(problems) == 2 and all("Delete the file" in problem for problem in problems)
    for start in (0, 4):
        (tmp_path / shard_file(3, start)).unlink()
    assert generate(tmp_path, 8, seed=3) == 8
    assert verify(Library(tmp_path), sample=0).problems == ()


SOLVED = tc.random_deals(5, seed=8).with_tricks(np.full((5, 5, 4), 7, np.uint8))


def add(folder: Path, deals: tc.DealSet = SOLVED, name: str = "friend") -> None:
    append(folder, deals, name, "train", solver="", source="by post")


def test_adding_goes_on_after_a_kill_before_the_manifest(tmp_path: Path) -> None:
    add(tmp_path)
    before = contents(tmp_path)
    (tmp_path / "manifest.json").unlink()
    (tmp_path / "imported" / ".0123456789abcdef.tmp").write_bytes(b"half")
    add(tmp_path)
    assert contents(tmp_path) == before
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(LibraryError, match="unlisted shard of this name"):
        add(tmp_path, SOLVED[:4])


def test_an_added_shard_that_was_lost_can_be_added_again(tmp_path: Path) -> None:
    add(tmp_path)
    before = contents(tmp_path)
    (tmp_path / "imported" / "friend-000000000.zrd").unlink()
    with pytest.raises(LibraryError, match="missing"):
        add(tmp_path, SOLVED[:4], "other")
    add(tmp_path)
    assert contents(tmp_path) == before
    for name in ("a" * 101, "x" * 5000):
        with pytest.raises(LibraryError, match="cannot name a shard"):
            add(tmp_path, SOLVED, name)


def entry(**changed: Any) -> dict[str, Any]:
    return {
        "file": "seed-3/deals-000000000000.zrd",
        "deals": 4,
        "seed": 3,
        "start": 0,
        "use": "train",
        "sha256": "0" * 64,
        "solver": "DDS",
        "source": "trickcast generate",
    } | changed


def test_no_entry_is_made_that_could_not_be_read() -> None:
    for changed in ({"use": "Test"}, {"seed": np.int64(3)}, {"sha256": ""}):
        with pytest.raises(LibraryError, match="not a shard's entry, by its"):
            Shard(**entry(**changed))


WRONG_ENTRIES = [
    [5],
    [None],
    [[]],
    ["text"],
    [{}],
    [entry(deals="4")],
    [entry(deals=4.0)],
    [entry(deals=True)],
    [entry(deals=0)],
    [entry(deals=-4)],
    [entry(deals=10**30)],
    [entry(seed=None)],
    [entry(start=None)],
    [entry(seed=-1)],
    [entry(seed=2**64)],
    [entry(start=2**64 - 1)],
    [entry(seed="3")],
    [entry(use="play")],
    [entry(use=["train"])],
    [entry(sha256="abc")],
    [entry(sha256=None)],
    [entry(solver=7)],
    [entry(source="x" * 1_000_000)],
    [entry(file="x" * 1_000_000 + ".zrd")],
    [entry(file="x" * 900 + ".zrd")],
    [entry(file=7)],
    [entry(file="")],
    [entry(file=".")],
    [entry(file="../../../etc/passwd")],
    [entry(file="../outside.zrd")],
    [entry(file="/etc/passwd")],
    [entry(file="/dev/zero")],
    [entry(file="seed-3/../../outside.zrd")],
    [entry(file="./seed-3/deals-000000000000.zrd")],
    [entry(file="a\0b.zrd")],
    [entry(file="seed-3/deals.txt")],
    [entry(record="pickle")],
    [entry(record=["a"])],
    [entry(record="one strain of a deal by four declarers, 16 bytes a deal")],
    [entry(more=1)],
]


@pytest.mark.parametrize("shards", WRONG_ENTRIES, ids=range(len(WRONG_ENTRIES)))
def test_a_wrong_entry_is_an_error_of_one_line(tmp_path: Path, shards: list[Any]) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"shards": shards}))
    complaints = []
    try:
        complaints += verify(Library(tmp_path)).problems
    except LibraryError as error:
        complaints.append(str(error))
    assert len(complaints) == 1
    assert "\n" not in complaints[0] and len(complaints[0]) < 500


@pytest.mark.parametrize(
    "text",
    ["", "null", "5", "[]", "{}", '{"shards": null}', '{"shards": {"a": 1}}', '{"shards": 5}',
     "[" * 100_000, '{"shards": [' + "[" * 900 + "]" * 900 + "]}", "\xff", '{"shards": ',
     '{"shards": [{"deals": 1' + "0" * 5000 + "}]}"],
    ids=range(13),
)  # fmt: skip
def test_what_is_no_manifest_is_an_error_of_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, "latin-1")
    for use in (Library, lambda folder: generate(folder, 1, seed=3)):
        with pytest.raises(LibraryError, match="manifest") as caught:
            use(tmp_path)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


def test_an_empty_list_of_shards_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"shards": []}')
    with pytest.raises(LibraryError, match="not a library"):
        Library(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of Unix kind")
@pytest.mark.parametrize("what", ["device", "pipe", "folder", "link outside", "circle", "manifest"])
def test_what_is_no_file_of_the_library_is_not_read(tmp_path: Path, what: str) -> None:
    library = tmp_path / "library"
    generate(library, 4, seed=3)
    outside = tmp_path / "outside.zrd"
    path = library / ("manifest.json" if what == "manifest" else shard_file(3, 0))
    path.rename(outside)
    if what == "device":
        path.symlink_to("/dev/zero")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "circle":
        path.symlink_to(path.name)
    else:
        path.symlink_to(outside)
    complaints = []
    try:
        complaints += verify(Library(library)).problems
    except LibraryError as error:
        complaints.append(str(error))
    assert len(complaints) == 1 and "\n" not in complaints[0]
    assert any(word in complaints[0] for word in ("outside", "regular", "not a path", "levels"))


@pytest.mark.skipif(os.name == "nt", reason="links of Unix kind")
def test_nothing_is_written_outside_the_library(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "library" / "seed-3").symlink_to(tmp_path / "outside")
    with pytest.raises(LibraryError, match="outside"):
        generate(tmp_path / "library", 4, seed=3)
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("bit", [0, 100, 400, 700])
def test_a_flipped_bit_of_a_shard_is_found(tmp_path: Path, bit: int) -> None:
    generate(tmp_path, 4, seed=3)
    file = tmp_path / shard_file(3, 0)
    data = bytearray(file.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)
    assert len(verify(Library(tmp_path), sample=0).problems) == 1
