"""Accuracy against speed, from the network alone to solving everything (`exact_below`).

Accuracy is counted on many test deals of the library, whose results are known; speed is measured
on a few, with one thread, per second of processor time. With --costs: what DDS takes for a single
result, for a strain's four, and for a table.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trickcast import DealSet, Estimator, TrickEstimate, random_deals, solve
from trickcast.cards import Seat, Strain
from trickcast.estimator import DEFAULT_MODEL
from trickcast.estimator.exact import which_to_solve
from trickcast.evaluation import ClusterSums, Tally
from trickcast.evaluation.report import plain
from trickcast.library import Library
from trickcast.solver import solve_cell_batches, solve_strain_batches

BOUNDS = (0.0, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
LIBRARY = Path(__file__).parents[1] / "data/library"
COUNTED, TIMED, BATCH = 4096, 100, 20


def accuracy(estimated: TrickEstimate, deals: DealSet, bound: float) -> dict[str, Any]:
    strains, alone = which_to_solve(estimated.probabilities, bound)
    exact = alone | strains[..., None]
    known = deals.tricks_or_unknown
    tricks = np.where(exact, known, estimated.tricks)
    chances = np.where(
        exact[..., None], np.eye(14, dtype=np.float32)[tricks], estimated.probabilities
    )
    tally = Tally()
    tally.add(chances, tricks, known, deals.owners)
    figures = tally.evaluation().strains
    row = {"bound": bound, "solved": 100 * float(exact.mean())}
    return row | {part: plain(figures[part].exact, 3) for part in ("suits", "N")}


def speed(model: Estimator, deals: DealSet, bound: float) -> list[float]:
    seconds = ClusterSums(2)
    for start in range(0, len(deals), BATCH):
        some = deals[start : start + BATCH]
        busy = time.process_time()
        model(some, exact_below=bound)
        seconds.add([[len(some), time.process_time() - busy]])
    rate: list[float] = plain(seconds.mean(np.array([1.0, 0.0])), 3)
    return rate


def solve_four(deals: DealSet, strain: Strain) -> None:
    for _ in solve_strain_batches(deals.owners, strain, workers=1):
        pass


def solve_one(deals: DealSet, strain: Strain) -> None:
    for _ in solve_cell_batches(deals.owners, strain, Seat.NORTH, workers=1):
        pass


def costs(deals: DealSet) -> None:
    def milliseconds(run: Callable[[], object]) -> float:
        busy = time.process_time()
        run()
        return 1000 * (time.process_time() - busy) / len(deals)

    print(f"table of 20: {milliseconds(lambda: solve(deals, workers=1)):.1f} ms")
    for strain in (Strain.SPADES, Strain.NOTRUMP):
        four = milliseconds(partial(solve_four, deals, strain))
        one = milliseconds(partial(solve_one, deals, strain))
        print(f"{strain.name.lower()}: one {one:.1f} ms, four {four:.1f} ms ({four / one:.2f} x)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default=DEFAULT_MODEL)
    options.add_argument("--deals", type=int, default=TIMED, help="deals that are timed")
    options.add_argument("--bounds", type=float, nargs="*", default=BOUNDS)
    options.add_argument("--json", action="store_true")
    options.add_argument("--costs", action="store_true")
    asked = options.parse_args()
    if asked.costs:
        costs(random_deals(asked.deals, seed=77))
        return
    model = Estimator(asked.model, threads=1)
    counted = Library(LIBRARY).deals("test")[:COUNTED]
    estimated = model(counted)
    timed = random_deals(asked.deals, seed=77)
    model(timed[:2], exact_below=1)  # what is loaded late shall not be timed
    for bound in asked.bounds:
        row = accuracy(estimated, counted, bound) | {"deals_a_second": speed(model, timed, bound)}
        if asked.json:
            print(json.dumps(row), flush=True)
            continue
        rate = row["deals_a_second"][0]
        print(
            f"below {bound:4.2f}: {row['solved']:5.1f} % solved, suits {row['suits'][0]:6.2f} %, "
            f"notrump {row['N'][0]:6.2f} % exact, {rate:,.1f} deals/s of one core",
            flush=True,
        )


if __name__ == "__main__":
    main()
