"""A cluster of two machines on this one, whose workers and machines can be killed.

``python tests/cluster/nodes.py --kills 20`` kills at random moments while shards are labelled, as
often a worker as a whole machine, then the driver, and compares every byte (minutes).
"""

import argparse
import importlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import fakes  # noqa: E402
from faults import contents  # noqa: E402
from trickcast.library import Library, generate, verify  # noqa: E402

GENERATE: Any = importlib.import_module("trickcast.library.generate")
STORE = 100 << 20
DEALS = 30 * 4096
DRIVER = """
import fakes, importlib, sys
GENERATE = importlib.import_module("trickcast.library.generate")
GENERATE._solve = fakes.slowly
GENERATE.generate(sys.argv[1], int(sys.argv[2]), seed=3, cluster="auto")
"""


class Nodes:
    """A head that works nothing, and two machines of one core each, or more."""

    def __init__(self, workers: Path, cores: int = 1) -> None:
        source = Path(GENERATE.__file__).parents[2]
        os.environ["PYTHONPATH"] = os.pathsep.join([str(source), str(HERE), str(HERE.parent)])
        os.environ |= {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", fakes.WORKERS: str(workers)}
        # a machine that is busy with other things is not taken for dead, nor are workers put last
        os.environ |= {"RAY_health_check_timeout_ms": "60000", "RAY_worker_niceness": "0"}
        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0"}
        from ray.cluster_utils import Cluster

        self.workers, self._cores = workers, cores
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            self.machines = [self._machine(), self._machine()]
        except BaseException:
            self._cluster.shutdown()
            raise
        os.environ["RAY_ADDRESS"] = self.address = self._cluster.address

    def _machine(self) -> Any:
        for _ in range(3):
            try:
                return self._cluster.add_node(num_cpus=self._cores, object_store_memory=STORE)
            except Exception as error:  # Ray has no class of its own for this
                if "timed out during startup" not in str(error):
                    raise
        raise RuntimeError("no machine could be started: this one is too busy")

    def kill_machine(self, which: int) -> None:
        """Kill a machine with all its processes, and put another in its place."""
        self._cluster.remove_node(self.machines[which], allow_graceful=False)
        self.machines[which] = self._machine()

    def kill_worker(self, chance: random.Random) -> bool:
        """Kill a process that is solving; return whether there was one."""
        busy = sorted(self.workers.iterdir())
        if not busy:
            return False
        victim = chance.choice(busy)
        victim.unlink(missing_ok=True)
        try:
            os.kill(int(victim.name), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def stop(self) -> None:
        """End all processes of the cluster."""
        import ray

        ray.shutdown()
        self._cluster.shutdown()
        os.environ.pop("RAY_ADDRESS", None)


@contextmanager
def two_nodes(cores: int = 1) -> Iterator[Nodes]:
    """Yield a cluster, and end it."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        nodes = Nodes(Path(folder), cores)
        try:
            yield nodes
        finally:
            nodes.stop()
            os.environ.clear()
            os.environ.update(before)


def once(folder: Path) -> dict[str, bytes]:
    """Return what a run without a cluster writes."""
    real, GENERATE._solve = GENERATE._solve, fakes.at_once
    try:
        generate(folder, DEALS, seed=3)
    finally:
        GENERATE._solve = real
    return contents(folder)


def strike(nodes: Nodes, folder: Path, kills: int, chance: random.Random) -> float:
    """Label shards while workers or machines are killed so often; return the seconds it took."""
    begun = time.monotonic()
    command = [sys.executable, "-c", DRIVER, str(folder), str(DEALS)]
    driver = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # Ray tells of each that died
    try:
        for _ in range(kills):
            _await_shards(folder, driver)
            time.sleep(chance.uniform(0, 4))
            if driver.poll() is None and (chance.random() < 0.5 or not nodes.kill_worker(chance)):
                nodes.kill_machine(chance.randrange(2))
        assert driver.wait(timeout=240) == 0
    finally:
        driver.kill()
        driver.wait()
    return time.monotonic() - begun


def strike_driver(folder: Path, kills: int, chance: random.Random) -> None:
    """Label shards, the driver killed so often and started again."""
    command = [sys.executable, "-c", DRIVER, str(folder), str(DEALS)]
    for _ in range(kills):
        driver = subprocess.Popen(command)
        _await_shards(folder, driver, more=True)
        time.sleep(chance.uniform(0, 0.5))
        driver.kill()
        driver.wait()
    subprocess.run(command, check=True, timeout=300)


def _await_shards(folder: Path, driver: "subprocess.Popen[bytes]", more: bool = False) -> None:
    """Wait until there is a shard, or more than there were."""
    before = len(list(folder.rglob("*.zrd"))) if more else 0
    while len(list(folder.rglob("*.zrd"))) <= before and driver.poll() is None:
        time.sleep(0.05)


def sound(folder: Path, expected: dict[str, bytes]) -> bool:
    """Whether a library has every byte that it should have, and nothing else."""
    return contents(folder) == expected and not verify(Library(folder), sample=0).problems


def main() -> None:
    """Strike in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name, two_nodes() as nodes:
        root = Path(name)
        expected = once(root / "once")
        for run in range(given.kills):
            seconds = strike(nodes, root / "struck", 1, chance)
            assert sound(root / "struck", expected), f"run {run}: not the bytes of one run"
            print(f"run {run}: {seconds:.0f} s, every byte as it should be", flush=True)
            shutil.rmtree(root / "struck")
        strike_driver(root / "struck", 5, chance)
        assert sound(root / "struck", expected)
        print("driver killed 5 times: every byte as it should be")


if __name__ == "__main__":
    main()
