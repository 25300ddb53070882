"""Kills ``generate``, ``library add``, ``train`` and ``reproduce`` at random moments, and sees that
nothing is lost or wrong: what was killed so often ends as what was not.

``PYTHONPATH=src python tests/faults.py --kills 200`` (minutes). Deals are not solved: a kill in DDS
loses no more than one while Python deals, so the time goes to where files are written.
"""

import argparse
import importlib
import json
import os
import random
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import trickcast as tc
from trickcast.library import Library, append, generate, verify

DEALS = 25
_IN_A_ROW = 5
"""Kills after which a job is let end."""
SOLVED = tc.random_deals(DEALS, seed=5).with_tricks(np.full((DEALS, 5, 4), 7, np.uint8))


class Job(NamedTuple):
    """What is killed: what it does in a folder, and what is compared when it has ended."""

    name: str
    work: Callable[[Path], object]
    ending: Callable[[Path], object]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# --- libraries ------------------------------------------------------------------------------------


def sevens(owners: Any, *, workers: int | None = None) -> Any:
    """In place of DDS."""
    yield np.full((len(owners), 5, 4), 7, np.uint8)


def sevens_in_a_strain(owners: Any, strain: Any, *, workers: int | None = None) -> Any:
    yield np.full((len(owners), 4), 7, np.uint8)


def in_small_shards(work: Callable[[Path], object]) -> Callable[[Path], object]:
    """Do so in shards of two deals, without DDS. It is for a process of its own."""

    def done(folder: Path) -> object:
        making: Any = importlib.import_module("trickcast.library.generate")
        labels: Any = importlib.import_module("trickcast.library.labels")
        storing: Any = importlib.import_module("trickcast.library.library")
        making.SHARD = storing.SHARD = 2
        making.solve_batches, labels.solve_strain_batches = sevens, sevens_in_a_strain
        making.solver_version = lambda: "none"
        return work(folder)

    return done


def add(folder: Path) -> None:
    """Add deals; a run that was killed when all but its last breath was done has added them."""
    try:
        append(folder, SOLVED, "friend", "train", solver="none", source="by post")
    except ValueError as error:
        if f"{DEALS} deals occur twice" not in str(error):
            raise


LIBRARY_JOBS = tuple(
    Job(name, in_small_shards(work), contents)
    for name, work in (
        ("generate", lambda folder: generate(folder, DEALS, seed=3, use="test")),
        ("generate --strains one", lambda folder: generate(folder, DEALS, seed=4, strains="one")),
        ("library add", add),
    )
)


# --- trainings ------------------------------------------------------------------------------------


def training_jobs() -> tuple[Job, Job]:
    """Return a training of whole deals, and the experiments of one table."""
    import torch

    from trickcast.papers.experiments import trained
    from trickcast.papers.experiments.all_papers import SCALES, rows_of
    from trickcast.papers.experiments.finished_figures import Store
    from trickcast.papers.experiments.run_deals import gather
    from trickcast.papers.experiments.runner import reproduce
    from trickcast.training.suit_networks import SuitNetworkConfig
    from trickcast.training.trainer import read_journal
    from trickcast.training.whole_deals import SupervisedConfig, train

    torch.set_num_threads(1)  # a fork has none of the threads
    library = Library(Path(__file__).parents[1] / "data" / "library")
    solved = next(library.stream("train"))[:160]
    config = SupervisedConfig(
        network=SuitNetworkConfig(width=32, heads=1, before=0, after=1, ratio=2), steps=60,
        batch=16, warm_up=2, evaluate_every=4, precision="float32", average=0.9,
        checkpoint_seconds=1e-9,
    )  # fmt: skip
    scale, rows = SCALES["smoke"], rows_of("mossakowski2004")[:1]
    deals = gather(library, scale)

    def without_seconds(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        timed = ("seconds", "epochs_per_second")
        return [{k: v for k, v in line.items() if k not in timed} for line in lines]

    def of_training(folder: Path) -> object:
        state = torch.load(folder / "t.checkpoint", weights_only=True)["state"]
        weights = {name: w.numpy().tobytes() for name, w in state["averaged"].items()}
        return weights, without_seconds(read_journal(folder / "t.jsonl"))

    def weights_of(path: Path) -> dict[str, bytes]:
        network = trained.load(path).network
        return {name: w.numpy().tobytes() for name, w in network.state_dict().items()}

    def of_experiments(folder: Path) -> object:
        weights = [weights_of(path) for path in sorted(folder.rglob("*.network"))]
        return weights, without_seconds(Store(folder, "smoke").lines())

    return (
        Job("train", lambda folder: train(config, solved[:100], solved[100:],
                                          folder / "t.checkpoint"), of_training),
        Job("reproduce", lambda folder: reproduce(rows, scale, deals, folder), of_experiments),
    )  # fmt: skip


# --- kills ----------------------------------------------------------------------------------------


def do(job: Job, folder: Path, seconds: float | None = None) -> tuple[float, bool]:
    """Do a job in a child, or kill it so long after it began; return the time, and if it ended.

    Raises AssertionError with what the job raised.
    """
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        complaint = "no end"
        try:
            job.work(folder)
            complaint = ""
        except BaseException:
            complaint = traceback.format_exc()
        finally:
            os.write(tell, complaint.encode()[:60_000])
            os._exit(bool(complaint))
    os.close(tell)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)  # nobody has waited for it, so the number is still its own
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(told, "rb") as pipe:
        complaint = pipe.read().decode()
    if status != -signal.SIGKILL:
        assert (status, complaint) == (0, ""), f"{job.name} in {folder}: {complaint}"
    return time.perf_counter() - begun, status == 0


def sound(folder: Path) -> bool:
    """Whether all is well with a library but for finished shards that are still to be listed."""
    if not (folder / "manifest.json").exists():
        return True
    problems = verify(Library(folder), sample=0).problems
    return all(problem.endswith(": not in the manifest") for problem in problems)


def strike(kills: int, seed: int, folder: Path, jobs: Sequence[Job] = LIBRARY_JOBS) -> Counter[str]:
    """Kill jobs so often, one after the other in one folder; return how often each was killed.

    Whenever all have ended another folder is begun. Raises AssertionError where a kill left
    damage, or an ending that is not that of jobs which were not killed.
    """
    chance, killed = random.Random(seed), Counter[str]()
    takes = {job.name: do(job, folder / "once")[0] for job in jobs}
    once = [job.ending(folder / "once") for job in jobs]
    root, waiting, in_a_row = folder / "0", list(jobs), 0
    while killed.total() < kills or len(waiting) < len(jobs):
        job, moment = waiting[0], None
        if killed.total() < kills and in_a_row < _IN_A_ROW:
            moment = chance.uniform(0, 1.2) * takes[job.name]
        if do(job, root, moment)[1]:
            waiting.pop(0)
            in_a_row = 0
        else:
            killed[job.name] += 1
            in_a_row += 1
        assert sound(root), f"{root}: {verify(Library(root), sample=0).problems}"
        if not waiting:
            assert [job.ending(root) for job in jobs] == once, f"{root}: another ending"
            root, waiting = folder / str(int(root.name) + 1), list(jobs)
    return killed


def main() -> None:
    """Strike in a temporary folder: three of five kills at libraries, one at each training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    a_fifth = given.kills // 5
    shares = [(given.kills - 2 * a_fifth, LIBRARY_JOBS)]
    shares += [(a_fifth, (job,)) for job in training_jobs()]
    with tempfile.TemporaryDirectory() as folder:
        for place, (kills, jobs) in enumerate(shares):
            killed = strike(kills, given.seed, Path(folder) / str(place), jobs)
            print(json.dumps(killed), "and every ending as without", flush=True)


if __name__ == "__main__":
    main()
