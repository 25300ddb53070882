"""Long runs: memory and handles stay flat, and the answers stay what they were.

``PYTHONPATH=src python tests/endurance.py`` (``make endurance``; a quarter of an hour of a core).
A million deals are streamed from one format to another, ten thousand calls of every kind are made
in one process, then the same calls from 64 threads, and from children by fork and by spawn. A
million solved deals are fetched over ten connections that are cut, and without.
"""

import argparse
import hashlib
import io
import multiprocessing
import os
import tempfile
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import trickcast as tc
from pgx_host import Host, as_pgx
from trickcast.cards import DealSet
from trickcast.formats import iter_deals, write_stream
from trickcast.library import Library
from trickcast.library.fetch import fetch_pgx

EASY = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
DEALS = tc.random_deals(24, seed=7)
HANDS = [str(deal.north) for deal in DEALS]
SOLVED = Path(__file__).parents[1] / "data" / "library"
_MEGABYTES, _PART = 40, 50_000


def megabytes() -> float:
    """Return what the process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def handles() -> int:
    """Return how many files, pipes and sockets are open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def pbn_of(deals: DealSet) -> bytes:
    written = io.BytesIO()
    write_stream([deals], written, "pbn")
    return written.getvalue()


def read(written: bytes) -> DealSet:
    return DealSet.concatenate(iter_deals(io.BytesIO(written), "pbn"))


@cache
def rules() -> tc.openings.OpeningSystem:
    return tc.openings.load("standard-american")


@cache
def pairs() -> tc.PairEstimator:
    return tc.PairEstimator(threads=1)


def refused(text: str) -> str:
    try:
        return repr(tc.Deal(text))
    except tc.DealError as error:
        return str(error)


CALLS: dict[str, Callable[[int], Any]] = {
    "estimate": lambda i: tc.estimate(DEALS[i], "fast").probabilities.tobytes(),
    "pair": lambda i: pairs()(DEALS[i].north, DEALS[i].south).probabilities.tobytes(),
    "solve": lambda i: tc.solve(EASY).tricks.tobytes(),
    "open": lambda i: rules().bid(HANDS[i]),
    "points": lambda i: tc.evaluators.evaluate("zar", HANDS[i]).tobytes(),
    "read": lambda i: read(pbn_of(DEALS[i : i + 1])).owners.tobytes(),
    "refuse": lambda i: refused(f"N:{i}... ... ..."),
    "deal": lambda i: tc.random_deals(3, seed=i).owners.tobytes(),
}
"""One call of each kind, about a deal by its number; the answers can be compared."""


def answer(number: int) -> Any:
    """Return the answer of a call by its number: kinds and deals in turn."""
    kinds = list(CALLS)
    return CALLS[kinds[number % len(kinds)]](number // len(kinds) % len(DEALS))


def stay_flat(name: str, steps: int, work: Callable[[int], object]) -> None:
    """Do steps of work; after a tenth neither memory nor handles may grow."""
    held = opened = 0.0
    for step in range(steps):
        work(step)
        if step == steps // 10:
            held, opened = megabytes(), handles()
    grown, more = megabytes() - held, handles() - opened
    print(f"{name}: {megabytes():.0f} MB, {grown:+.1f} MB and {more:+.0f} handles after a tenth")
    assert grown < _MEGABYTES and more <= 0, f"{name} grows"


def stream_deals(deals: int, folder: Path) -> None:
    """Write so many deals as .zrd part by part, stream them to text, and read them again."""

    def made() -> Any:
        for start in range(0, deals, _PART):
            part = tc.random_deals(min(_PART, deals - start), 11, start)
            yield part.with_tricks(np.full((len(part), 5, 4), start // _PART % 14, np.uint8))

    packed, text = folder / "deals.zrd", folder / "deals.txt"
    write_stream(made(), packed)
    write_stream(iter_deals(packed, chunk=_PART), text, "text")
    both = zip(made(), iter_deals(text, "text", chunk=_PART), strict=True)

    def compare(step: int) -> None:
        here, there = next(both)
        assert (here.owners == there.owners).all(), f"part {step} is read as another"

    stay_flat(f"{deals:,} deals streamed", -(-deals // _PART), compare)


def from_threads(threads: int, calls: int) -> None:
    """Make the calls from many threads at once; every answer is that of one thread."""
    alone = [answer(number) for number in range(calls)]
    started = threading.Barrier(threads)

    def work(offset: int) -> bool:
        started.wait()
        order = [(number + 7 * offset) % calls for number in range(calls)]
        return all(answer(number) == alone[number] for number in order)

    with ThreadPoolExecutor(threads) as pool:
        assert all(pool.map(work, range(threads))), "another answer from another thread"
    print(f"{threads} threads, {calls} calls each: the answers of one")


def answers(calls: int) -> list[Any]:
    return [answer(number) for number in range(calls)]


def from_children(calls: int) -> None:
    """Make the calls in children by fork and by spawn, while this process has used everything."""
    alone = answers(calls)
    for way in ("fork", "spawn"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            assert pool.apply_async(answers, (calls,)).get(600) == alone, f"others by {way}"
    print(f"fork and spawn, {calls} calls each: the same answers")


def fetch_over_cuts(deals: int, folder: Path) -> None:
    """Fetch solved deals with ten cut connections and without: the bytes are the same."""
    library = Library(SOLVED)
    numbers = np.load(io.BytesIO(as_pgx(DealSet.concatenate(map(library.read, library.shards)))))
    file = io.BytesIO()
    np.save(
        file, np.resize(numbers.transpose(1, 0, 2), (2_500_000, 2, 4)).transpose(1, 0, 2).copy()
    )
    held, cuts = {}, 0
    with Host(file.getvalue(), "dds_results_2.5M.npy") as host:
        for name, faults in (("plain", []), ("cut", ["cut", "cut", ""] * 5)):
            host.faults = list(faults)
            assert fetch_pgx(folder / name, deals, host=host.address) == deals
            cuts += faults.count("cut") - host.faults.count("cut")
            held[name] = {
                path.relative_to(folder / name): hashlib.sha256(path.read_bytes()).digest()
                for path in (folder / name).rglob("*")
                if path.is_file()
            }
    assert held["cut"] == held["plain"] and cuts == 10, f"other bytes after {cuts} cuts"
    print(f"{deals:,} deals fetched over {cuts} cut connections: the same {len(held['cut'])} files")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=64)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    stay_flat(f"{given.calls:,} calls", given.calls, answer)
    from_threads(given.threads, 5 * len(CALLS))
    from_children(5 * len(CALLS))
    with tempfile.TemporaryDirectory() as folder:
        stream_deals(given.deals, Path(folder))
        fetch_over_cuts(given.deals, Path(folder))


if __name__ == "__main__":
    main()
