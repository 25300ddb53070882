import hashlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import DealSet
from trickcast.library import Library, LibraryError, append, generate, shard_file, verify
from trickcast.solver import solver_version

COMMITTED = Path(__file__).parents[1] / "data" / "library"
SMALL = 4
"""Deals of a full shard in these tests: 4,096 would take minutes."""


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("trickcast.library.generate")
    monkeypatch.setattr(module, "SHARD", SMALL)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.solver
def test_a_library_holds_what_its_seed_deals(tmp_path: Path, small_shards: None) -> None:
    assert generate(tmp_path, 9, seed=3) == 9
    library = Library(tmp_path)
    assert [s.deals for s in library.shards] == [4, 4, 1]
    deals = library.deals("train")
    assert (deals.owners == tc.random_deals(9, seed=3).owners).all()
    assert (deals.tricks == tc.solve(deals).tricks).all()
    assert library.shards[0].solver == solver_version()
    assert len(library) == library.count("train") == 9 and library.count("test") == 0
    for shard in library.shards:
        data = (tmp_path / shard.file).read_bytes()
        assert hashlib.sha256(data).hexdigest() == shard.sha256
        assert len(data) == 23 * shard.deals


@pytest.mark.solver
def test_growing_gives_the_bytes_of_one_run(tmp_path: Path, small_shards: None) -> None:
    for deals in (2, 2, 6, 9, 5):
        generate(tmp_path / "grown", deals, seed=3)
    generate(tmp_path / "once", 9, seed=3)
    assert contents(tmp_path / "grown") == contents(tmp_path / "once")


@pytest.mark.solver
def test_only_what_is_missing_is_solved(tmp_path: Path, small_shards: None) -> None:
    assert generate(tmp_path, 5, seed=3) == 5
    assert generate(tmp_path, 6, seed=3) == 1
    assert generate(tmp_path, 6, seed=3) == 0
    assert generate(tmp_path, 3, seed=3, start=2) == 0
    assert generate(tmp_path, 2, seed=4, start=2) == 2


@pytest.mark.solver
def test_another_range_may_start_anywhere(tmp_path: Path, small_shards: None) -> None:
    generate(tmp_path, 4, seed=3, start=2)
    library = Library(tmp_path)
    assert [(s.start, s.deals) for s in library.shards] == [(2, 2), (4, 2)]
    assert (library.deals("train").owners == tc.random_deals(4, seed=3, start=2).owners).all()
    with pytest.raises(LibraryError, match=r"2 to 3 of seed 3 .* at most 2 deals"):
        generate(tmp_path, 4, seed=3)
    generate(tmp_path, 2, seed=3)
    generate(tmp_path, 4, seed=3, start=2)
    with pytest.raises(LibraryError, match="--start 6"):
        generate(tmp_path, 6, seed=3, start=5)
    assert verify(Library(tmp_path), sample=3).problems == ()


@pytest.mark.solver
def test_the_use_of_a_deal_is_for_ever(tmp_path: Path, small_shards: None) -> None:
    generate(tmp_path, 3, seed=3, use="test")
    with pytest.raises(LibraryError, match="for test, permanently"):
        generate(tmp_path, 5, seed=3, use="train")
    generate(tmp_path, 1, seed=4, use="validation")
    library = Library(tmp_path)
    assert [library.count(use) for use in ("train", "validation", "test")] == [0, 1, 3]


@pytest.mark.solver
@pytest.mark.parametrize("stage", ["before the file", "after the file", "grown, before listing"])
def test_a_kill_at_any_moment_loses_at_most_a_shard(
    tmp_path: Path, small_shards: None, stage: str
) -> None:
    generate(tmp_path / "once", 7, seed=3)
    folder = tmp_path / "killed"
    generate(folder, 6 if stage.startswith("grown") else 4, seed=3)
    file = folder / shard_file(3, 4)
    full = (tmp_path / "once" / shard_file(3, 4)).read_bytes()
    if stage == "before the file":
        file.with_name(".0123456789abcdef.tmp").write_bytes(full[:50])
    elif stage == "after the file":
        file.write_bytes(full)
    else:
        manifest = json.loads((folder / "manifest.json").read_text())
        del manifest["shards"][1]
        (folder / "manifest.json").write_text(json.dumps(manifest))
    solved = generate(folder, 7, seed=3)
    assert solved == {"before the file": 3, "after the file": 0}.get(stage, 1)
    assert contents(folder) == contents(tmp_path / "once")


@pytest.mark.slow
@pytest.mark.solver
def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    program = (
        "import importlib, sys\n"
        "importlib.import_module('trickcast.library.generate').SHARD = 1\n"
        "from trickcast.library import generate\n"
        "generate(sys.argv[1], 6, seed=9, start=int(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    runs = [subprocess.Popen([*command, start]) for start in ("0", "6", "12")]
    assert [run.wait(timeout=120) for run in runs] == [0, 0, 0]
    assert len(Library(tmp_path)) == 18
    assert verify(Library(tmp_path), sample=0).problems == ()


@pytest.mark.solver
def test_files_of_others_stay(tmp_path: Path, small_shards: None) -> None:
    (tmp_path / ".mine.tmp").write_text("mine")
    generate(tmp_path, 1, seed=3)
    assert (tmp_path / ".mine.tmp").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.solver
def test_a_killed_process_goes_on(tmp_path: Path) -> None:
    """SIGKILL in the middle of a shard, then the same command again."""
    program = (
        "import importlib, sys\n"
        "importlib.import_module('trickcast.library.generate').SHARD = 4\n"
        "from trickcast.library import generate\n"
        "generate(sys.argv[1], 12, seed=9)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "killed")]
    process = subprocess.Popen(command)
    second = tmp_path / "killed" / shard_file(9, 4)
    until = time.monotonic() + 60
    while not second.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = Library(tmp_path / "killed")
    assert 4 <= len(done) < 12
    subprocess.run(command, check=True, timeout=120)
    assert len(Library(tmp_path / "killed")) == 12
    assert verify(Library(tmp_path / "killed"), sample=4).problems == ()
    command[-1] = str(tmp_path / "once")
    subprocess.run(command, check=True, timeout=120)
    assert contents(tmp_path / "killed") == contents(tmp_path / "once")


def damage_byte(folder: Path) -> None:
    file = folder / shard_file(3, 0)
    file.write_bytes(b"\xff" + file.read_bytes()[1:])


def remove_shard(folder: Path) -> None:
    (folder / shard_file(3, 0)).unlink()


def add_stranger(folder: Path) -> None:
    (folder / "stranger.zrd").write_bytes((folder / shard_file(3, 0)).read_bytes())


def change_tricks(folder: Path) -> None:
    """A wrong label with a right digest: only solving again can tell."""
    file = folder / shard_file(3, 0)
    data = bytearray(file.read_bytes())
    data[13::23] = bytes(4)
    file.write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["shards"][0]["sha256"] = hashlib.sha256(data).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.solver
@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (damage_byte, "damaged"),
        (remove_shard, "missing"),
        (add_stranger, "stranger.zrd: not in the manifest"),
        (change_tricks, "solves differently"),
    ],
)
def test_verify_finds_harm(tmp_path: Path, small_shards: None, harm, complaint: str) -> None:
    generate(tmp_path, 5, seed=3)
    assert verify(Library(tmp_path), sample=0).problems == ()
    harm(tmp_path)
    assert complaint in " ".join(verify(Library(tmp_path), sample=8).problems)


@pytest.mark.solver
def test_shards_inside_a_longer_one_are_all_named(
    tmp_path: Path, small_shards: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(tmp_path, 2, seed=3, start=4)
    generate(tmp_path, 1, seed=3, start=7)
    generate(tmp_path, 1, seed=3, start=8)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    monkeypatch.setattr(importlib.import_module("trickcast.library.generate"), "SHARD", 16)
    generate(tmp_path / "long", 8, seed=3)
    (tmp_path / "long" / shard_file(3, 0)).rename(tmp_path / shard_file(3, 0))
    long = json.loads((tmp_path / "long" / "manifest.json").read_text())
    manifest["shards"] += long["shards"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert verify(Library(tmp_path), sample=0).problems == (
        f"{shard_file(3, 0)} and {shard_file(3, 4)} hold the same deals",
        f"{shard_file(3, 0)} and {shard_file(3, 7)} hold the same deals",
        "3 deals occur more than once",
    )
    with pytest.raises(ValueError, match=r"sample is -1 \(expected 0 or more\)"):
        verify(Library(tmp_path), sample=-1)
    with pytest.raises(TypeError, match=r"sample is 1.5 \(expected a whole number\)"):
        verify(Library(tmp_path), sample=1.5)
    with pytest.raises(ValueError, match=r"seed is -1 \(expected 0 to"):
        verify(Library(tmp_path), seed=-1)


@pytest.mark.solver
def test_damage_stops_generate(tmp_path: Path, small_shards: None) -> None:
    generate(tmp_path, 4, seed=3)
    damage_byte(tmp_path)
    with pytest.raises(LibraryError, match="damaged"):
        generate(tmp_path, 6, seed=3)
    with pytest.raises(LibraryError, match="damaged"):
        Library(tmp_path).deals("train")


@pytest.mark.solver
@pytest.mark.parametrize("content", [b"", b"rubbish", bytes(range(46))])
def test_an_unlisted_file_of_others_says_what_to_do(
    tmp_path: Path, small_shards: None, content: bytes
) -> None:
    path = tmp_path / shard_file(3, 0)
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(LibraryError, match=r"not in the manifest, .*Delete the file") as told:
        generate(tmp_path, 2, seed=3)
    assert str(told.value).startswith(f"{path}: ") and path.read_bytes() == content
    path.unlink()
    assert generate(tmp_path, 2, seed=3) == 2


@pytest.mark.solver
def test_a_word_that_is_no_use_is_refused(tmp_path: Path, small_shards: None) -> None:
    generate(tmp_path, 1, seed=3)
    library = Library(tmp_path)
    use: Any = "trian"
    for ask in (library.count, library.stream, library.deals):
        with pytest.raises(LibraryError, match="use is 'trian' .expected train, validation or"):
            ask(use)
    assert len(library.deals("test")) == library.count("test") == 0


def test_what_cannot_be_asked_for_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    out, solved = tmp_path / "library", DealSet(np.empty((0, 52), np.uint8))
    use: Any = "Test"
    for make in (
        lambda: generate(out, 1, seed=3, use=use),
        lambda: append(out, solved, "friend", use, solver="", source=""),
    ):
        with pytest.raises(LibraryError, match="use is 'Test' .expected train, validation or test"):
            make()
    four: Any = "four"
    with pytest.raises(ValueError, match=r"strains is 'four' \(expected all or one\)"):
        generate(out, 1, seed=3, strains=four)
    with pytest.raises(LibraryError, match=r"friend: no deals \(expected one or more\)"):
        append(out, solved, "friend", "train", solver="", source="")
    for on in (None, "local"):
        with pytest.raises(ValueError, match=r"workers is 0 \(expected 1 or more\)"):
            generate(out, 1, seed=3, workers=0, cluster=on)
    with pytest.raises(ValueError, match=r"deals is 3 and start is 18446744073709551614 .*2\*\*64"):
        generate(out, 3, seed=3, start=2**64 - 2)
    assert not out.exists()


@pytest.mark.solver
@pytest.mark.parametrize("strains", ["all", "one"])
def test_numbers_of_numpy_are_numbers(tmp_path: Path, strains: Any) -> None:
    deals, seed, start = np.uint8(3), np.int64(3), np.int32(254)
    generate(tmp_path / "numpy", deals, seed, start=start, strains=strains)
    generate(tmp_path / "plain", 3, seed=3, start=254, strains=strains)
    assert contents(tmp_path / "numpy") == contents(tmp_path / "plain")


def test_a_folder_without_library(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="not a library"):
        Library(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(LibraryError, match="manifest"):
        Library(tmp_path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        generate(tmp_path / "library", 1, seed=1)


@pytest.mark.solver
def test_appending_deals_from_elsewhere(tmp_path: Path) -> None:
    deals = tc.random_deals(5, seed=8)
    solved = deals.with_tricks(tc.solve(deals).tricks)
    append(tmp_path, solved, "friend", "validation", solver="a friend", source="by post")
    library = Library(tmp_path)
    assert library.deals("validation") == solved
    assert (library.shards[0].seed, library.shards[0].source) == (None, "by post")
    with pytest.raises(LibraryError, match="5 deals occur twice"):
        append(tmp_path, solved, "again", "train", solver="", source="")
    other = tc.random_deals(1, seed=9)
    with pytest.raises(LibraryError, match="already"):
        append(
            tmp_path,
            other.with_tricks(tc.solve(other).tricks),
            "friend",
            "train",
            solver="",
            source="",
        )
    for name in ("../evil", "a/b", ".hidden", ""):
        with pytest.raises(LibraryError, match="cannot name a shard"):
            append(tmp_path, solved, name, "train", solver="", source="")
    with pytest.raises(LibraryError, match="not every deal is solved"):
        append(tmp_path, deals, "other", "train", solver="", source="")
    with pytest.raises(LibraryError, match="not every deal is solved"):
        append(tmp_path, [deals[0]], "other", "train", solver="", source="")
    with pytest.raises(tc.DealError, match="NoneType cannot be read as deals"):
        append(tmp_path, None, "other", "train", solver="", source="")
    append(tmp_path / "parts", [solved[:2], solved[2:]], "parts", "test", solver="", source="")
    assert Library(tmp_path / "parts").deals("test") == solved


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.skipif(not COMMITTED.exists(), reason="an installed package has no library beside it")
def test_the_committed_library_is_sound() -> None:
    library = Library(COMMITTED)
    assert verify(library, sample=10, seed=1).problems == ()
    assert library.count("validation") == library.count("test") == 20_480
    assert library.count("train") >= 50_000
    keys = [DealSet(library.read(s).owners).owners.tobytes() for s in library.shards]
    rows = np.frombuffer(b"".join(keys), dtype="V52")
    assert len(np.unique(rows)) == len(library), "a deal stands in two shards"
