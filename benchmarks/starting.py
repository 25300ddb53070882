"""The first answer of a new process, and one deal of a loaded model, each beside its lower bound.

The bound of ``trickcast estimate DEAL`` is a Python that imports NumPy and ONNX Runtime; that of
one deal is the session's own run. Processor time is given beside wall time, because it depends less
on other work on the machine.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from trickcast import Deal, Estimator
from trickcast.estimator.files import load_session

DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
ROUNDS = 15
CALLS = 300


def seconds(arguments: list[str]) -> tuple[float, float]:
    """Return the wall and processor seconds of one Python with these arguments."""
    start, used = time.perf_counter(), os.times()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    end, now = time.perf_counter(), os.times()
    busy = now.children_user + now.children_system - used.children_user - used.children_system
    return end - start, busy


def cold() -> None:
    commands = {
        "import numpy, onnxruntime": ["-c", "import numpy, onnxruntime"],
        "trickcast estimate DEAL": ["-m", "trickcast", "estimate", DEAL],
        "tc.estimate(DEAL)": ["-c", f"import trickcast as tc; tc.estimate({DEAL!r})"],
    }
    for arguments in commands.values():
        seconds(arguments)  # so that everything is compiled already
    rounds = [[seconds(arguments) for arguments in commands.values()] for _ in range(ROUNDS)]
    floors: list[float] = []
    for i, name in enumerate(commands):
        wall, busy = (median(each[i][kind] for each in rounds) for kind in (0, 1))
        floors = floors or [wall, busy]
        print(
            f"{name:<26} {1000 * wall:5.0f} ms ({wall / floors[0]:.2f} x), "
            f"of the processor {1000 * busy:5.0f} ms ({busy / floors[1]:.2f} x)"
        )


def warm(model: str) -> None:
    estimator, deal = Estimator(model, threads=1), Deal(DEAL)
    session, _ = load_session(model)
    inputs = {"owners": deal.owners[None], "strains": np.arange(5)}

    def of(run: Callable[[], object]) -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    pairs = [
        (of(lambda: estimator(deal)), of(lambda: session.run(["probabilities"], inputs)))
        for _ in range(CALLS)
    ]
    ours, floor = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    print(
        f"{model + ', one deal':<26} {1e6 * ours:5.0f} µs: {ours / floor:.2f} x its session's own"
    )


def main() -> None:
    cold()
    for model in ("fast", "accurate"):
        warm(model)


if __name__ == "__main__":
    main()
