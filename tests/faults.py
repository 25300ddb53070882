"""Kills ``generate`` and ``append`` at random moments, and sees that nothing is lost or wrong.

``python tests/faults.py --kills 200`` (minutes). Deals are not solved: a kill in DDS loses no more
than one while Python deals, so the time goes to where files are written.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from trickcast.library import Library, verify

PROGRAM = """
import importlib, sys
import numpy as np
import trickcast as tc
from trickcast.library import append, generate

rooms = [importlib.import_module(f"trickcast.library.{name}") for name in ("generate", "store")]
for room in rooms:
    room.SHARD = 2
def sevens(owners, *, workers=None):
    yield np.full((len(owners), 5, 4), 7, np.uint8)
def sevens_in_a_strain(owners, strain, *, workers=None):
    yield np.full((len(owners), 4), 7, np.uint8)
rooms[0].solve_batches = sevens
importlib.import_module("trickcast.library.strains").solve_strain_batches = sevens_in_a_strain
rooms[0].solver_version = lambda: "none"

print("go", flush=True)
job, folder = sys.argv[1:]
if job == "generate":
    generate(folder, 25, seed=3, use="test")
elif job == "strains":
    generate(folder, 25, seed=4, strains="one")
else:
    deals = tc.random_deals(25, seed=5)
    deals = deals.with_tricks(np.full((25, 5, 4), 7, np.uint8))
    append(folder, deals, "friend", "train", solver="none", source="by post")
"""
JOBS = ("generate", "strains", "append")


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def work(job: str, folder: Path, seconds: float | None = None) -> tuple[float, bool]:
    """Do a job, or kill it so long after it began; return how long it took, and whether it ended.

    A job that finds what a killed run of it finished may refuse to do it twice.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, job, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "go\n"
    begin = time.perf_counter()
    try:
        _, complaint = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return time.perf_counter() - begin, False
    if process.returncode and "25 deals stand twice" not in complaint:
        raise AssertionError(f"{job} in {folder}: {complaint}")
    return time.perf_counter() - begin, True


def sound(folder: Path) -> bool:
    """Whether all is well but for finished shards that are still to be listed."""
    if not (folder / "manifest.json").exists():
        return True
    problems = verify(Library(folder), sample=0).problems
    return all(problem.endswith(": not in the manifest") for problem in problems)


def strike(kills: int, seed: int, folder: Path) -> int:
    """Kill jobs so often; return how many libraries were filled on the way, all alike.

    Raises AssertionError where a kill left damage, or a library that ends with other bytes.
    """
    chance = random.Random(seed)
    takes = {job: work(job, folder / "once")[0] for job in JOBS}
    once, filled = contents(folder / "once"), 0
    root, waiting = folder / "0", list(JOBS)
    while kills or waiting != list(JOBS):
        job = waiting[0]
        moment = chance.uniform(0, 1.2) * takes[job] if kills else None
        kills -= moment is not None
        if work(job, root, moment)[1]:
            waiting.pop(0)
        assert sound(root), f"{root}: {verify(Library(root), sample=0).problems}"
        if not waiting:
            assert contents(root) == once, f"{root}: not the bytes of a run that was not killed"
            filled += 1
            root, waiting = folder / str(filled), list(JOBS)
    return filled


def main() -> None:
    """Strike in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        filled = strike(given.kills, given.seed, Path(folder))
    print(f"{given.kills} kills: {filled} libraries were filled, each with the same bytes")


if __name__ == "__main__":
    main()
