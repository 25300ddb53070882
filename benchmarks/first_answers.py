"""Cost of trickcast simulate without a contract, and accuracy of its intervals.

    python benchmarks/first_answers.py --pools pools --runs 20

There are ten questions: South's hand, with North's known, described, or unknown. The layouts of
each are solved once (--pools keeps them). The package's own survey is then run again and again on
layouts drawn from these with replacement:

- tables: the work of solving, in whole tables of twenty (a strain with both declarers of a side is
  a fifth of one, as DDS solves it);
- tricks: how many 95 % intervals of the ten expected tricks hold the mean of all layouts;
- chance: how many of the best contract's chance do;
- first: the same for the first figures, by the network alone;
- shared: the network's common error on a question, relative to the spread within a layout
  (``_SHARED`` of simulation/controls.py).

With --live, each question is also asked once of the package, and its processor time is divided by
that of solving a table.

    python benchmarks/first_answers.py --timed 20 60

asks each question of the package with so many layouts solved, then again with the seconds that it
took, while every core but one is kept busy. A time limit must not give wider intervals than a
number of layouts that takes as long. ``ratio`` is that of the medians of the ± of a side's expected
tricks; ``best`` asks only for the side's longest fit (``--contract``).
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trickcast as tc
from trickcast.cards import DealSet, Seat, Strain, Suit
from trickcast.dealing import Constraints
from trickcast.estimator import DEFAULT_MODEL
from trickcast.simulation import Simulation
from trickcast.simulation.contracts import Tables, survey_of
from trickcast.simulation.layouts import Clock, Layouts
from trickcast.solver import solve_batches

QUESTIONS = 10
SIDE = (Seat.NORTH, Seat.SOUTH)
COLUMNS = ("tables", "solved", "tricks", "chance", "first", "shared")


def known(case: int) -> dict[str, Any]:
    """Return the known cards of one question: South holds over half of the points with North."""
    deal = tc.random_deals(1, seed=4141, start=case)[0]
    south, north = deal.south, deal.north
    if south.hcp + north.hcp < 20:
        south, north = deal.west, deal.east
    fit = int(np.add(south.lengths, north.lengths).argmax())
    described = f"hcp {max(north.hcp - 1, 0)}-{north.hcp + 1}, "
    described += f"{Suit(fit).name.lower()} {north.lengths[fit]}+"
    return {"south": south, "north": (north, described, None)[case % 3]}


def pool_of(case: int, layouts: int, folder: Path) -> dict[str, NDArray[Any]]:
    """Return solved layouts of a question, and the cost of a table in seconds."""
    path = folder / f"q{case}.npz"
    if not path.exists():
        owners = Constraints(**known(case)).deals(layouts, seed=case).owners
        start = time.process_time()
        exact = np.concatenate(list(solve_batches(owners, workers=1)))
        cost = (time.process_time() - start) / layouts
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(path, owners=owners, exact=exact, cost=cost)
    return dict(np.load(path))


class Drawn:
    """A source of layouts drawn from a pool."""

    trial = 0.0

    def __init__(self, pool: dict[str, NDArray[Any]], chances: NDArray[np.float32], seed: int):
        self._pool, self._chances = pool, chances
        self._random = np.random.default_rng(seed)
        self.rows = np.empty(0, dtype=np.intp)
        self.tables = 0.0

    def deal(self, number: int) -> int:
        """Draw ``number`` layouts."""
        self.rows = self._random.integers(0, len(self._pool["exact"]), number)
        return number

    def estimate(self, start: int, stop: int) -> NDArray[np.float32]:
        """Return the estimates of some layouts, in the cells of the side."""
        some = self._chances[self.rows[start:stop]][:, :, list(SIDE)]
        return some.reshape(stop - start, -1, 14)

    def solve(self, rows: NDArray[np.intp], question: Any = None) -> Any:
        """Yield the exact results of some layouts."""
        self.tables += len(rows) * len(question.cells) / len(SIDE) / len(Strain)
        yield self._pool["exact"][self.rows[rows]]

    def now(self) -> float:
        """Return zero: time does not matter here."""
        return 0.0


def replayed(case: int, pool: dict[str, NDArray[Any]], runs: int) -> NDArray[np.float64]:
    """Return the means of COLUMNS over some runs of a question."""
    chances = tc.Estimator(DEFAULT_MODEL, threads=1)(pool["owners"]).probabilities
    cells = [(strain, seat) for strain in Strain for seat in SIDE]
    exact = pool["exact"].astype(float)
    truth = exact.mean(axis=0)
    inside = (chances @ np.arange(14.0) ** 2 - (chances @ np.arange(14.0)) ** 2).mean(axis=0)
    off = (chances @ np.arange(14.0)).mean(axis=0) - truth
    shared = float((off**2)[:, :3:2].mean() / inside[:, :3:2].mean())
    rows = []
    for run in range(runs):
        source = Drawn(pool, chances, 1000 * case + run)
        begin, wanted = survey_of(Tables(cells, tables=True), None, "NS", "none")
        survey = begin(source)

        def so_far(ongoing: bool, source: Drawn = source, survey: Any = survey) -> Layouts:
            deals = DealSet(pool["owners"][source.rows[survey.rows]])
            numbers = (survey.estimates, survey.exact, None)
            return Layouts(deals, *numbers, Clock(0, 0, 0), None, False, ongoing)

        first: list[Layouts] = []

        def told(_: int, first: list[Layouts] = first, so_far: Any = so_far) -> None:
            if not first:
                first.append(so_far(True))

        survey.go(told, partial(_wanted, wanted, so_far))
        held = [
            _holds(Simulation(layouts, cells), pool["exact"]) for layouts in (*first, so_far(False))
        ]
        rows.append((source.tables, survey.solving.done, *held[1], held[0][0], shared))
    means: NDArray[np.float64] = np.array(rows).mean(axis=0)
    return means


def _wanted(wanted: Any, so_far: Any) -> Any:
    return wanted(so_far(True))


def _holds(found: Simulation, exact: NDArray[np.uint8]) -> tuple[float, float]:
    """Return the share of intervals of tricks that hold the truth, and whether the chance does."""
    ends, truth = np.asarray(found.interval)[:, SIDE], exact.mean(axis=0)[:, SIDE]
    (best,) = found.best_contracts(number=1)
    assert best.contract.strain is not None
    made = (exact[:, best.contract.strain, best.by] >= best.contract.tricks).mean()
    share = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean()
    return float(share), float(best.making.low <= made <= best.making.high)


def live(case: int, cost: float) -> tuple[float, float]:
    """Return the processor time of one question in tables, and the seconds to the first figures."""
    start, clock, first = time.monotonic(), time.process_time(), list[float]()

    def told(_: Any) -> None:
        if not first:
            first.append(time.monotonic() - start)

    tc.simulate(**known(case), side="NS", seed=case, workers=1, progress=told)
    return (time.process_time() - clock) / cost, first[0]


@contextmanager
def busy() -> Iterator[None]:
    """Keep every core but one busy."""
    loop = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(loop) for _ in range((os.cpu_count() or 2) - 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def timed(case: int, number: int, *, one: bool) -> tuple[float, float, float, float]:
    """Return seconds and ± for a number of solved layouts, then for a time limit as long."""
    asked: dict[str, Any] = {**known(case), "seed": case}
    if one:
        pair = Constraints(**known(case)).deals(1, seed=case)[0]
        fit = Strain(int(np.add(pair.south.lengths, pair.north.lengths).argmax()))
        asked["contracts"] = [(f"3{fit.letter}", "S")]
    else:
        asked["side"] = "NS"
    seconds, widths = list[float](), list[float]()
    for timed_too in (False, True):
        asked |= {"solve": None, "seconds": seconds[0]} if timed_too else {"solve": number}
        start = time.monotonic()
        found = tc.simulate(**asked)
        seconds.append(time.monotonic() - start)
        ends = np.asarray(found.interval)
        widths.append(float(np.nanmedian(ends[..., 1] - ends[..., 0])) / 2)
    return seconds[0], widths[0], seconds[1], widths[1]


def print_timed(numbers: Sequence[int]) -> None:
    """Print a line for each question and number of layouts, and the ratios of all."""
    print("question   asked  layouts  seconds      ±  seconds      ±   ratio")
    ratios = []
    with busy():
        timed(0, 20, one=False)  # loads everything
        for case in range(QUESTIONS):
            for number in numbers:
                for one in (False, True):
                    told = timed(case, number, one=one)
                    ratios.append(told[3] / told[1])
                    cells = "".join(f"{each:9.2f}{width:7.3f}" for each, width in
                                    (told[:2], told[2:]))  # fmt: skip
                    kind = "best" if one else "side"
                    print(f"{case:8}{kind:>8}{number:9}{cells}{ratios[-1]:8.2f}", flush=True)
    print(f"ratio: median {np.median(ratios):.2f}, largest {max(ratios):.2f}")


def main() -> None:
    """Print a line for each question, and the medians of all."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--pools", type=Path, default="pools", help="a folder for what is solved")
    asked.add_argument("--layouts", type=int, default=400, help="of each question")
    asked.add_argument("--runs", type=int, default=20, help="of each question")
    asked.add_argument("--live", action="store_true")
    asked.add_argument("--timed", type=int, nargs="+", metavar="N", help="compare times alone")
    options = asked.parse_args()
    if options.timed:
        print_timed(options.timed)
        return
    print("question" + "".join(f"{column:>9}" for column in COLUMNS))
    lines = []
    for case in range(QUESTIONS):
        pool = pool_of(case, options.layouts, options.pools)
        lines.append(replayed(case, pool, options.runs))
        asked_live = ""
        if options.live:
            tables, first = live(case, float(pool["cost"]))
            asked_live = f"   live: {tables:.0f} tables, first figures after {first:.2f} s"
        print(f"{case:8}" + "".join(f"{n:9.3f}" for n in lines[-1]) + asked_live, flush=True)
    print(f"{'median':>8}" + "".join(f"{n:9.3f}" for n in np.median(lines, axis=0)))
    print(f"{'mean':>8}" + "".join(f"{n:9.3f}" for n in np.mean(lines, axis=0)))


if __name__ == "__main__":
    main()
