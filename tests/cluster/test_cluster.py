"""Work on Ray: two machines of one core on this one, killed while they label."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from faults import contents
from nodes import DEALS, DRIVER, Nodes, once, sound, strike, strike_driver, two_nodes
from trickcast.library import Library, verify

TRAINING = """
import importlib, sys
from dataclasses import replace
from pathlib import Path
import fakes
from trickcast.training import Request, train
SMALL = {"width": 32, "heads": 1, "before": 0, "after": 1, "ratio": 2, "dropout": 0}
settings = {f"network.{name}": str(value) for name, value in SMALL.items()} | {
    "steps": "24", "batch": "16", "warm_up": "2", "evaluate_every": "6", "precision": "float32",
    "exchanged": "4",
}
request = Request(
    name="fast", settings=settings, library=LIBRARY, deals=256, validation=64, device="cpu",
    out=Path(sys.argv[1]), threads=1,
)
told = []
importlib.import_module("trickcast.training.cluster")._leg = fakes.leg_of_a_training
answer = train(request, told.append, cluster="auto", workers=2)
assert answer is not None and answer.trained.done and told[-1]["step"] == 24
train(replace(request, out=request.out / "alone"))
""".replace("LIBRARY", repr(str(Path(__file__).parents[2] / "data" / "library")))


@pytest.fixture(scope="session")
def nodes(request: pytest.FixtureRequest) -> Iterator[Nodes]:
    """Whether these tests shall run: then what they need must be there."""
    if not request.config.getoption("--cluster"):
        pytest.skip("a cluster takes minutes: make cluster-test")
    from s3_server import s3_server

    with s3_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():  # before the machines, which inherit it
            patch.setenv(name, value)
        server.make_bucket("bridge")
        with two_nodes() as nodes:
            yield nodes


@pytest.fixture(scope="session")
def expected(nodes: Nodes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of a run without a cluster."""
    return once(tmp_path_factory.mktemp("once") / "library")


def program(solve: str, place: Path | str, deals: int = 8 * 4096, more: str = "") -> list[str]:
    """Return a driver of its own process, as users have it, that tells an error in one line."""
    text = DRIVER.replace("slowly", solve).replace(
        "GENERATE.generate(", more + "GENERATE.generate("
    )
    return [sys.executable, "-c", text, str(place), str(deals)]


def complaint(command: list[str], timeout: float = 300) -> str:
    """Return the last line that a failing program prints."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert ended.returncode
    return ended.stderr.strip().splitlines()[-1]


def trickcast(*arguments: Any) -> tuple[int, str, str]:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "trickcast", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=400)
    return ended.returncode, ended.stdout, ended.stderr


def test_workers_and_machines_that_die_cost_no_byte(
    nodes: Nodes, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """``python tests/cluster/nodes.py`` does twenty runs."""
    strike(nodes, tmp_path, kills=2, chance=random.Random(1))
    assert sound(tmp_path, expected)


def test_a_driver_that_dies_goes_on(
    nodes: Nodes, expected: dict[str, bytes], tmp_path: Path
) -> None:
    strike_driver(tmp_path, kills=2, chance=random.Random(2))
    assert sound(tmp_path, expected)


def test_workers_write_shards_to_a_bucket_themselves(
    nodes: Nodes, expected: dict[str, bytes], tmp_path: Path
) -> None:
    command = program("at_once", "s3://bridge/library", DEALS)
    subprocess.run(command, check=True, timeout=400)
    library = Library("s3://bridge/library")
    assert library.storage.read("manifest.json", 1 << 20) == expected["manifest.json"]
    assert verify(library, sample=0).problems == ()


def test_a_worker_that_dies_while_it_writes_leaves_nothing(
    nodes: Nodes, expected: dict[str, bytes], tmp_path: Path
) -> None:
    command = program("dies_while_writing", tmp_path / "library", 2 * 4096)
    subprocess.run(command, check=True, timeout=400, stderr=subprocess.DEVNULL)
    files = sorted(file for file in expected if file.endswith(".zrd"))[:2]
    written = contents(tmp_path / "library")
    assert sorted(written) == ["manifest.json", *files]
    assert all(written[file] == expected[file] for file in files)


def test_commands_answer_as_without_a_cluster(nodes: Nodes, tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).with_name("commands.py")), str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert ended.returncode == 0, ended.stderr


def test_a_training_whose_worker_dies_goes_on_and_ends_as_one_alone(
    nodes: Nodes, tmp_path: Path
) -> None:
    """Two workers; one is killed three steps after a checkpoint. Ray Train begins both again."""
    for path in nodes.workers.iterdir():
        path.unlink()
    subprocess.run(
        [sys.executable, "-c", TRAINING, str(tmp_path)],
        check=True, timeout=400, stderr=subprocess.DEVNULL,  # Ray tells of what died
    )  # fmt: skip
    assert {path.name for path in nodes.workers.iterdir()} == {"0", "1", "again"}
    for path in nodes.workers.iterdir():
        path.unlink()
    ours, theirs = (
        [json.loads(line) for line in (folder / "fast.jsonl").read_text("utf-8").splitlines()]
        for folder in (tmp_path, tmp_path / "alone")
    )
    assert [line["step"] for line in ours] == [line["step"] for line in theirs]
    for line, other in zip(ours, theirs, strict=True):
        for name in ("training_loss", "log_loss", "bias"):
            assert line[name] == pytest.approx(other[name], abs=1e-5)
    assert (tmp_path / "fast.onnx").exists()


def test_ctrl_c_ends_at_once_and_lists_what_is_done(
    nodes: Nodes, expected: dict[str, bytes], tmp_path: Path
) -> None:
    python, c, text, *rest = program("slowly", tmp_path, DEALS)
    hear = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command = [python, c, hear + text, *rest]  # who runs in the background has it ignored
    driver = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while len(list(tmp_path.rglob("*.zrd"))) < 12 and time.monotonic() < until:
        time.sleep(0.1)
    driver.send_signal(signal.SIGINT)
    assert driver.wait(timeout=60) != 0
    # the driver hears of up to five at a time, and not of what the two machines just ended
    assert 5 <= len(Library(tmp_path).shards) < 30
    subprocess.run(command, check=True, timeout=400)
    assert sound(tmp_path, expected)


@pytest.mark.parametrize(
    ("solve", "words"),
    [("without_memory", "MemoryError: cannot allocate 12 GiB"), ("dies", "failed for good")],
)
def test_a_piece_that_cannot_be_done_is_one_line(
    nodes: Nodes, tmp_path: Path, solve: str, words: str
) -> None:
    few = "import trickcast._pieces as p; p.RETRIES = 1\n"
    assert words in complaint(program(solve, tmp_path, more=few))
    assert not list(tmp_path.rglob("*.zrd"))


def test_a_machine_too_small_or_another_trickcast_is_one_line(nodes: Nodes, tmp_path: Path) -> None:
    status, _, errors = trickcast(
        "generate", "--deals", 1, "--seed", 3, "--out", tmp_path, "--cluster", "auto",
        "--workers", 64,
    )  # fmt: skip
    assert status == 2 and "no machine has 64 cores" in errors and errors.count("\n") == 1
    other = "import trickcast._pieces as p; p._fingerprint = lambda: 'another'\n"
    assert "has another version of trickcast than this machine" in complaint(
        program("at_once", tmp_path, more=other)
    )


def test_no_process_of_a_local_cluster_outlives_its_command(nodes: Nodes, tmp_path: Path) -> None:
    status, out, errors = trickcast(
        "generate", "--deals", 9, "--seed", 3, "--cards", 4, "--out", tmp_path, "--cluster", "local"
    )
    assert (status, errors) == (0, "") and "9 of them newly solved" in out
    machines = [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if os.access(path.with_name("environ"), os.R_OK)
        and b"raylet/raylet" in path.read_bytes()
        and str(nodes.workers).encode() in path.with_name("environ").read_bytes()
    ]
    assert len(machines) == 3, "other machines than the three of these tests"
