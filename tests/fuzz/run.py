"""A million changed inputs over all targets, in processes that may not hang, swell or die.

``PYTHONPATH=src:tests python -m fuzz.run --inputs 1000000 --out build/fuzz`` (an hour or two of a
core). An input is decided by the seed, its target and its number, so that nothing but numbers is
kept: a run that was stopped goes on, and ``--show TARGET NUMBER`` writes one to standard output.
Cheap targets get more inputs than dear ones. Exit status 1 where there are findings.
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from .mutator import corpus_of, mutated
from .targets import TARGETS

SECONDS = 20
"""Of processor time for an input."""
MEGABYTES = 2048
"""That an input may ask for, above what the process has at its beginning."""
PART = 2_000
CHEAP = (
    "agreed-deals", "card-texts", "figures", "format-hand2vec", "format-text", "labelled-hands",
    "model-metadata", "pairs-of-hands", "shard", "soft-rules", "training-settings",
)  # fmt: skip
DEAR = {"format-parquet": 8, "weights": 6, "hands-in-words": 5, "format-jps": 3, "format-pgx": 2,
        "format-unnamed": 3, "checkpoint": 2, "trained-network": 2, "pair-model": 2,
        **dict.fromkeys(CHEAP, 0.4)}  # fmt: skip
"""Milliseconds of an input, about, where that is not one: dear targets get fewer."""


class TimeOut(BaseException):
    """An input took longer than it may."""


def input_of(seed: int, target: str, number: int, corpus: list[bytes]) -> bytes:
    """Return an input by its number."""
    return mutated(random.Random(f"{seed} {target} {number}"), corpus)


def attack_part(target: str, first: int, last: int, seed: int, place: Any, findings: Any) -> None:
    """Give a target its inputs ``first`` to ``last - 1``; put findings of a kind once."""

    def late(*_: object) -> None:
        raise TimeOut

    signal.signal(signal.SIGPROF, late)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    corpus, kinds, attack = corpus_of(target), set(), TARGETS[target]
    for number in range(first, last):
        place.value = number
        data = input_of(seed, target, number, corpus)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            attack(data)
        except (Exception, TimeOut) as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            frames = [
                f for f in traceback.extract_tb(error.__traceback__) if "trickcast" in f.filename
            ]
            where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "target"
            kind = f"{type(error).__name__} at {where}"
            if kind not in kinds:
                kinds.add(kind)
                findings.put((target, number, f"{kind}: {str(error)[:300]}"))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    place.value = last


def run_part(
    target: str, first: int, last: int, seed: int
) -> tuple[list[tuple[str, int, str]], float]:
    """Attack in a process of its own, again where an input ends it; return findings and seconds."""
    context = multiprocessing.get_context("fork")
    found: list[tuple[str, int, str]] = []
    begun = time.perf_counter()
    while first < last:
        place, findings = context.Value("q", first), context.SimpleQueue()
        job = (target, first, last, seed, place, findings)
        process = context.Process(target=attack_part, args=job)
        process.start()
        process.join()
        while not findings.empty():
            found.append(findings.get())
        first = place.value
        if first < last:
            found.append((target, first, f"the process ended with {process.exitcode}"))
            first += 1
    return found, time.perf_counter() - begun


def shares(inputs: int, only: str) -> dict[str, int]:
    """Return how many inputs each target gets."""
    names = [name for name in TARGETS if name.startswith(tuple(only.split(",")))]
    parts = {name: 1 / DEAR.get(name, 1) for name in names}
    whole = sum(parts.values())
    return {name: -(-round(inputs * part / whole) // 100) * 100 for name, part in parts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="targets that begin so, or so,or so")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--worker", default="1/1", help="this one of so many runs at once")
    parser.add_argument("--show", nargs=2, metavar=("TARGET", "NUMBER"))
    given = parser.parse_args()
    if given.show:
        target, number = given.show
        sys.stdout.buffer.write(input_of(given.seed, target, int(number), corpus_of(target)))
        return
    warnings.simplefilter("ignore")
    given.out.mkdir(parents=True, exist_ok=True)
    which, of = map(int, given.worker.split("/"))
    file = given.out / f"parts-{which}.jsonl"
    done = {tuple(json.loads(line)["part"]) for line in file.open()} if file.exists() else set()
    parts = [
        (target, first, min(first + PART, count))
        for target, count in shares(given.inputs, given.only).items()
        for first in range(0, count, PART)
    ]
    random.Random(given.seed).shuffle(parts)  # all targets are under way from the beginning
    for part in parts[which - 1 :: of]:
        if part not in done:
            found, seconds = run_part(*part, given.seed)
            with file.open("a") as lines:
                line = {"part": part, "findings": found, "seconds": round(seconds, 1)}
                lines.write(json.dumps(line) + "\n")
            for finding in found:
                print(*finding, flush=True)
    sys.exit(report(given.out))


def report(out: Path) -> int:
    """Print the inputs and findings of each target; return 1 where there are findings."""
    inputs, found = Counter[str](), Counter[str]()
    for file in sorted(out.glob("parts-*.jsonl")):
        for line in map(json.loads, file.open()):
            target, first, last = line["part"]
            inputs[target] += last - first
            found[target] += len(line["findings"])
    for target in sorted(inputs):
        print(f"{target:<20} {inputs[target]:>9,} {found[target]:>4}")
    print(f"{'all':<20} {inputs.total():>9,} {found.total():>4}")
    return int(found.total() > 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
