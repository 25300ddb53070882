"""Cost of a cluster: ``generate`` on two or more nodes of one core each, on this machine.

``--deals``: wall time of labelling, with and without Ray on the same cores, in turn and without
start-up, and the CPU seconds that solving took. ``--pieces``: shards without work through driver
and manifest, and the driver's memory over time.
"""

import argparse
import importlib
import pickle
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "cluster")]

import fakes  # noqa: E402
from faults import contents  # noqa: E402
from nodes import Nodes, two_nodes  # noqa: E402
from trickcast.library import Library  # noqa: E402

GENERATE: Any = importlib.import_module("trickcast.library.generate")


def labels(nodes: Nodes, deals: int, shard: int, rounds: int, root: Path) -> None:
    """Label with and without Ray, in turn."""
    GENERATE.SHARD, GENERATE._solve = shard, fakes.measured
    GENERATE.generate(root / "warm", 2 * shard, 7, strains="one", cluster="auto")
    ratios = []
    for number in range(rounds):
        walls, busy = {}, {}
        for name, on in (("here", None), ("cluster", "auto")):
            fakes.spent(nodes.workers)
            begun = time.perf_counter()
            GENERATE.generate(root / f"{name}-{number}", deals, 3, strains="one", cluster=on)
            walls[name] = time.perf_counter() - begun
            busy[name] = fakes.spent(nodes.workers)
            print(f"{name:8} {walls[name]:6.1f} s, {busy[name]:6.1f} s of processor", flush=True)
        assert contents(root / f"here-{number}") == contents(root / f"cluster-{number}")
        ratios.append(walls["cluster"] / walls["here"])
    print(f"cluster / here: {statistics.median(ratios):.3f}, median of {rounds}; bytes equal")


def pieces(count: int, root: Path) -> None:
    """Make shards of four deals that take no time."""
    GENERATE.SHARD, GENERATE._solve = 4, fakes.at_once
    done = threading.Event()
    begun, busy = time.perf_counter(), time.process_time()
    watching = threading.Thread(target=_watch, args=(root / "library", begun, done))
    watching.start()
    try:
        GENERATE.generate(root / "library", 4 * count, 3, cluster="auto")
    finally:
        done.set()
        watching.join()
    seconds, busy = time.perf_counter() - begun, time.process_time() - busy
    size = (root / "library" / "manifest.json").stat().st_size
    assert len(list((root / "library").rglob("*.zrd"))) == count
    print(
        f"{count:,} shards: {count / seconds:,.0f} a second; {size / count:.0f} bytes each listed"
    )
    print(f"the driver's processor: {1000 * busy / count:.2f} ms a shard")
    piece = GENERATE._Piece(4 * count, 4 * count + 4, None, None)
    shard = Library(root / "library").shards[0]
    print(f"a piece is {len(pickle.dumps(piece))} bytes, its answer {len(pickle.dumps(shard))}")


def _watch(folder: Path, begun: float, done: threading.Event) -> None:
    """Print the driver's memory every half minute."""
    while not done.wait(30):
        status = Path("/proc/self/status").read_text()
        resident = int(status.partition("VmRSS:")[2].split()[0]) >> 10
        listed = (folder / "manifest.json").read_text().count('"file"')
        print(f"{time.perf_counter() - begun:5.0f} s: {listed:,} listed, {resident} MB", flush=True)


def main() -> None:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=1024, help="each solved in one strain")
    parser.add_argument("--shard", type=int, default=256, help="deals of a piece")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pieces", type=int, default=0)
    parser.add_argument("--cores", type=int, default=1, help="of each of the two machines")
    given = parser.parse_args()
    import ray

    with tempfile.TemporaryDirectory() as name, two_nodes(given.cores) as nodes:
        ray.init(address="auto", log_to_driver=False, logging_level="error")
        if given.pieces:
            pieces(given.pieces, Path(name))
        if given.deals:
            labels(nodes, given.deals, given.shard, given.rounds, Path(name))


if __name__ == "__main__":
    main()
