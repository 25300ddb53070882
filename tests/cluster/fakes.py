"""Solvers of no work, for workers of a cluster: they find this module by PYTHONPATH."""

import importlib
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SOLVE: Any = importlib.import_module("trickcast.library.generate")._solve
WORKERS = "TRICKCAST_TEST_WORKERS"
"""Environment variable: a folder in which a worker at work has a file named by its process."""


def _numbers(begin: int, n: int) -> NDArray[np.uint8]:
    """Return tricks that depend on a deal's number alone."""
    numbers = (np.arange(begin, begin + n) * 7919 % 14).astype(np.uint8)
    return np.broadcast_to(numbers[:, None, None], (n, 5, 4)).copy()


def at_once(job: Any, begin: int, owners: Any, advance: Any) -> NDArray[np.uint8]:
    """Solve in no time."""
    advance(len(owners))
    return _numbers(begin, len(owners))


def slowly(job: Any, begin: int, owners: Any, advance: Any) -> NDArray[np.uint8]:
    """Solve in a third of a second, in steps, and say which process does."""
    file = Path(os.environ[WORKERS]) / str(os.getpid())
    file.touch()
    for _ in range(6):
        time.sleep(0.05)
        advance(len(owners) // 6)
    file.unlink()
    return _numbers(begin, len(owners))


def without_memory(job: Any, begin: int, owners: Any, advance: Any) -> NDArray[np.uint8]:
    """Die as a process does that asks for more memory than there is."""
    raise MemoryError("cannot allocate 12 GiB")


def dies(job: Any, begin: int, owners: Any, advance: Any) -> NDArray[np.uint8]:
    """Take the worker's process along."""
    os._exit(1)


def dies_while_writing(job: Any, begin: int, owners: Any, advance: Any) -> NDArray[np.uint8]:
    """Die once in the midst of writing a shard, as far as that can be seen afterwards."""
    begun = job.storage.root.with_suffix(f".{begin}")
    if not begun.exists():
        begun.touch()
        (job.storage.root / f".{begin:016x}.tmp").write_bytes(b"half of a shard")
        os._exit(1)
    return at_once(job, begin, owners, advance)


def leg_of_a_training(asked: Any) -> Any:
    """Train in a worker, which says which process it is; the second is killed before step 15."""
    parallel: Any = importlib.import_module("trickcast.training.trainer")
    real, before = parallel.Place.agreed, iter(range(15))
    folder, rank = Path(os.environ[WORKERS]), os.environ["RANK"]
    begun = {path.name for path in folder.iterdir()}

    def agreed(place: Any, stop: bool) -> bool:
        if next(before, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(place, stop)

    if rank == "1" and rank not in begun:
        parallel.Place.agreed = agreed
    (folder / ("again" if rank in begun else rank)).touch()
    return importlib.import_module("trickcast.training.cluster")._leg(asked)


def measured(job: Any, begin: int, owners: Any, advance: Any) -> Any:
    """Solve, and leave a file that says what it took of the processor."""
    busy = time.process_time()
    tables = _SOLVE(job, begin, owners, advance)
    file = Path(os.environ[WORKERS]) / f"{begin}.seconds"
    file.write_text(str(time.process_time() - busy), "utf-8")
    return tables


def spent(folder: Path) -> float:
    """Return the seconds that ``measured`` left in a folder, and empty it."""
    files = list(folder.glob("*.seconds"))
    total = sum(float(file.read_text("utf-8")) for file in files)
    for file in files:
        file.unlink()
    return total
