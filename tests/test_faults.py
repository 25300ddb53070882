"""When the system fails in the midst of writing, and when a bit of a file has flipped."""

import errno
import json
import os
import re
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from faults import LIBRARY_JOBS, Job, contents, do, sound
from trickcast import openings
from trickcast.bidding.softrules import SoftRuleSystem, save_shading
from trickcast.library import Library, LibraryError, verify

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
HANDS = ["A.KQ9832.T94.AKT", "Q4.AT7.QJ872.732", "KJ95.J65.K3.J654", "T87632.4.A65.Q98"]
SEATS = ["--north", HANDS[0], "--east", HANDS[1], "--south", HANDS[2]]
TROUBLES = {
    "the disk is full": errno.ENOSPC,
    "the folder is read-only": errno.EROFS,
    "permission is lost": errno.EACCES,
    "the disk fails": errno.EIO,
}


def failing(job: Job, trouble: int, at: int) -> Job:
    """A job whose ``at``-th call of the system for writing fails: opening, syncing or renaming."""
    calls = 0

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == at:
                raise OSError(trouble, os.strerror(trouble))
            return call(*given, **named)

        return counted

    def work(folder: Path) -> None:
        real = Path.open

        def opened(path: Path, mode: str = "r", *given: Any, **named: Any) -> Any:
            call = watched(real) if mode == "xb" else real
            return call(path, mode, *given, **named)

        Path.open = opened  # type: ignore[method-assign, assignment]
        Path.replace = watched(Path.replace)  # type: ignore[method-assign]
        vars(os)["fsync"] = watched(os.fsync)
        try:
            job.work(folder)
        except OSError as error:
            assert error.errno == trouble and error.strerror
            return
        assert calls < at, "the failure was swallowed"

    return Job(job.name, work, job.ending)


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("job", LIBRARY_JOBS, ids=lambda job: job.name)
def test_a_library_outlives_every_failure_of_the_system(
    job: Job, trouble: str, tmp_path: Path
) -> None:
    do(job, tmp_path / "once")
    once = job.ending(tmp_path / "once")
    root = tmp_path / "failing"
    for at in (1, 2, 3, 5, 11):
        do(failing(job, TROUBLES[trouble], at), root)
        assert sound(root)
        assert not list(root.rglob("*.tmp"))
    do(job, root)
    assert job.ending(root) == once


PICTURES = [
    ["simulate", *SEATS, "--contract", "3N", "--by", "S", "--force", "--picture", "old.svg"],
    ["nearest", HANDS[0], "--hands", "hands.txt", "--force", "--map", "old.html"],
    ["explain", "(52x4)-(26x4)-26-13-1", "--force", "--svg", "old.svg"],
    ["deal", "--script", "script.dl", "--force", "--picture", "old.svg"],
]


@pytest.mark.parametrize("asked", PICTURES, ids=lambda asked: asked[0])
def test_a_picture_is_written_whole_or_not_at_all(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    if asked[0] == "deal":
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    old = Path(asked[-1])
    old.write_text("old")
    Path("hands.txt").write_text("\n".join(HANDS))
    Path("script.dl").write_text("action frequency (hcp(north), 0, 37)")
    monkeypatch.setattr(os, "fsync", no_space)
    assert run(*asked)[::2] == (2, f"trickcast: {old}: No space left on device\n")
    assert old.read_text() == "old" and not list(tmp_path.glob("*.tmp"))
    asked = [word for word in asked if word != "--force"]
    assert run(*asked)[::2] == (2, f"trickcast: {old} exists already (--force replaces it)\n")


def test_shaded_rules_are_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, old = openings.load("polish-club"), tmp_path / "old.json"
    assert isinstance(system, SoftRuleSystem)
    old.write_text("old")
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match=re.escape(str(old))):
        save_shading(old, system, "abc")
    assert old.read_text() == "old"


def no_space(_: int) -> None:
    """What ``os.fsync`` does on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_two_writers_end_as_one_after_the_other(tmp_path: Path) -> None:
    for job in LIBRARY_JOBS:
        do(job, tmp_path / "once")
    children = []
    (tmp_path / "both").mkdir()
    for job in LIBRARY_JOBS:
        if (child := os.fork()) == 0:
            try:
                job.work(tmp_path / "both")
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(children)
    assert contents(tmp_path / "both") == contents(tmp_path / "once")


def test_a_clock_that_goes_back_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is kept depends on the time of day, and nobody asks for it."""
    import time

    def backwards() -> float:
        raise AssertionError("the time of day was asked for")

    for job in LIBRARY_JOBS:
        do(job, tmp_path / "once")
    monkeypatch.setattr(time, "time", backwards)
    for job in LIBRARY_JOBS:
        do(job, tmp_path / "back")
    for path in (tmp_path / "back").rglob("*"):
        os.utime(path, (1, 1))
    for job in LIBRARY_JOBS[:2]:
        do(job, tmp_path / "back")
    assert contents(tmp_path / "back") == contents(tmp_path / "once")


# --- a flipped bit --------------------------------------------------------------------------------


def flips(data: bytes, every: int) -> Iterator[bytes]:
    """Yield the bytes with one bit flipped, at places ``every`` so many bytes."""
    for place in range(0, len(data), every):
        flipped = bytearray(data)
        flipped[place] ^= 1 << place % 8
        yield bytes(flipped)


def test_a_flipped_bit_of_a_library_is_named_or_changes_nothing(tmp_path: Path) -> None:
    root = tmp_path / "library"
    for job in LIBRARY_JOBS:
        do(job, root)
    before = [(s.file, s.deals, s.seed, s.start, s.use, s.sha256) for s in Library(root).shards]
    files = {".zrd": 17, ".strain": 11, ".json": 67}
    for suffix, every in files.items():
        path = next(iter(sorted(root.rglob(f"*{suffix}"))))
        whole = path.read_bytes()
        for data in flips(whole, every):
            path.write_bytes(data)
            try:
                named = verify(Library(root), sample=0).problems
            except LibraryError as error:
                named = (str(error),)
            if not named:
                assert suffix == ".json"  # a letter of a text that decides nothing
                after = Library(root).shards
                assert before == [
                    (s.file, s.deals, s.seed, s.start, s.use, s.sha256) for s in after
                ]
        path.write_bytes(whole)
    assert verify(Library(root), sample=0).problems == ()


def test_a_flipped_bit_of_a_shipped_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trickcast.bidding import registry
    from trickcast.estimator import files as models
    from trickcast.pairs import files as pairs
    from trickcast.papers import opening_networks

    package = Path(tc.__file__).parent
    weights = tmp_path / "weights"
    shutil.copytree(package / "weights", weights)
    shutil.copytree(package / "bidding" / "weights", tmp_path / "openings")
    shutil.copytree(package / "papers" / "weights", tmp_path / "papers")
    monkeypatch.setattr(models, "_WEIGHTS", weights)
    monkeypatch.setattr(pairs, "WEIGHTS", weights / "pairs")
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path / "openings")
    monkeypatch.setattr(opening_networks, "WEIGHTS", tmp_path / "papers")
    monkeypatch.setattr("trickcast.estimator.estimator._loaded", OrderedDict())
    loads: list[tuple[Path, Callable[[], object]]] = [
        (weights / "fast.onnx", lambda: tc.Estimator("fast")),
        (weights / "pairs" / "hand2vec.onnx", lambda: tc.HandEmbedding()),
        (tmp_path / "papers" / "52-60-7.npz", lambda: openings.load("52-60-7")),
        (tmp_path / "openings" / "polish-club.json", lambda: openings.load("polish-club")),
    ]
    for path, load in loads:
        whole = path.read_bytes()
        for data in flips(whole, len(whole) // 3):
            path.write_bytes(data)
            with pytest.raises(tc.ModelError, match=path.name):
                load()
        path.write_bytes(whole)


def test_a_flipped_bit_of_a_trainings_file_is_named_or_changes_nothing(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from fuzz.mutator import CORPUS
    from trickcast.library import read_positions
    from trickcast.papers.experiments.trained import load
    from trickcast.training.catalogue import find_training
    from trickcast.training.errors import TrainingError
    from trickcast.training.suit_networks import SuitNetwork, read_weights
    from trickcast.training.trainer import read_checkpoint

    def plain(value: Any) -> Any:
        """What can be compared."""
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, tuple | list):
            return [plain(inner) for inner in value]
        if isinstance(value, torch.nn.Module):
            return plain(value.state_dict())
        if isinstance(value, torch.Tensor | np.ndarray):
            return np.asarray(value).tobytes()
        return repr(value)

    fast = find_training("fast").settings
    reads: dict[str, Callable[[Path], Any]] = {
        "checkpoint/fast.checkpoint": lambda path: read_checkpoint(path, fast),
        "trained-network/one.network": lambda path: load(path).network,
        "weights/suits.npz": lambda path: read_weights(path, SuitNetwork),
        "endings/two.npz": lambda path: read_positions(path.parent),
    }
    for file, read in reads.items():
        path = tmp_path / file
        path.parent.mkdir()
        path.write_bytes(whole := (CORPUS / file).read_bytes())
        before, refused = plain(read(path)), 0
        for data in flips(whole, 1 + len(whole) // 200):
            path.write_bytes(data)
            try:
                assert plain(read(path)) == before, f"{file} is read as another"
            except (TrainingError, LibraryError):
                refused += 1
        assert refused > 50


def test_figures_of_a_run_that_were_cut_short_are_named(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from trickcast.papers.experiments.finished_figures import Store
    from trickcast.papers.experiments.run_deals import ExperimentError

    Store(tmp_path, "smoke").add([{"row": "a", "exact": 1.0}, {"row": "b", "exact": 2.0}])
    whole = (tmp_path / "smoke.jsonl").read_bytes()
    assert [json.loads(line)["row"] for line in whole.splitlines()] == ["a", "b"]
    (tmp_path / "smoke.jsonl").write_bytes(whole[:-5])
    with pytest.raises(ExperimentError, match="line 2: not a figure of ours"):
        Store(tmp_path, "smoke")
