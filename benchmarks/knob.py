"""Accuracy against speed, from the network alone to solving everything (`solve_below`).

Accuracy is measured on many test deals of the library, whose results are known, so that nothing is
searched. Speed is measured on a few deals with one thread, per second of processor time. With
--costs: the time that DDS takes for a search, a single result, a strain's four, and a table. With
--coupling: how well the joint distribution of partners fits validation deals, by `apart`.
"""

import argparse
import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from trickcast import DealSet, Estimator, TrickEstimate, random_deals, solve
from trickcast.cards import Seat, Strain
from trickcast.estimator import DEFAULT_MODEL, exact
from trickcast.evaluation import ClusterSums, Tally
from trickcast.evaluation.figures import plain
from trickcast.library import Library
from trickcast.solver import makes_batches, solve_cell_batches, solve_strain_batches

BOUNDS = (0.0, 0.5, 0.55, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
APART = (2.0, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0)
LIBRARY = Path(__file__).parents[1] / "data/library"
COUNTED, TIMED, BATCH = 4096, 300, 20


class Known:
    """Answers searches from known tables, in place of DDS."""

    def __init__(self, deals: DealSet):
        self.tables = dict(zip(map(bytes, deals.owners), deals.tricks_or_unknown, strict=True))

    def search(
        self, owners: NDArray[np.uint8], questions: NDArray[np.int64], *, workers: int | None
    ) -> Iterator[NDArray[np.bool_]]:
        tricks = np.stack([self.tables[bytes(row)] for row in owners])
        strains, declarers, least = questions.T
        yield tricks[np.arange(len(owners)), strains, declarers] >= least

    def solve(
        self, owners: NDArray[np.uint8], strain: Strain, *, workers: int | None
    ) -> Iterator[NDArray[np.uint8]]:
        yield np.array([self.tables[bytes(row)][strain] for row in owners]).reshape(-1, 4)


def accuracy(estimated: TrickEstimate, deals: DealSet, bound: float) -> dict[str, Any]:
    chances, tricks, known = estimated.probabilities.copy(), estimated.tricks.copy(), Known(deals)
    with (
        patch.object(exact, "search_batches", known.search),
        patch.object(exact, "solve_strain_batches", known.solve),
    ):
        decided = exact.decide(deals.owners, chances, tricks, bound, 1)
    tally = Tally()
    tally.add(chances, tricks, deals.tricks_or_unknown, deals.owners)
    figures = tally.evaluation().strains
    row = {
        "bound": bound,
        "searches": decided.searches / len(deals),
        "known": 100 * float(decided.exact.mean()),
        "stated": 100 * float(chances.max(-1).mean()),
    }
    return row | {part: plain(figures[part].exact, 3) for part in ("suits", "N")}


def speed(model: Estimator, deals: DealSet, bound: float) -> list[float]:
    seconds = ClusterSums(2)
    for start in range(0, len(deals), BATCH):
        some = deals[start : start + BATCH]
        busy = time.process_time()
        model(some, solve_below=bound)
        seconds.add([[len(some), time.process_time() - busy]])
    rate: list[float] = plain(seconds.mean(np.array([1.0, 0.0])), 3)
    return rate


def costs(model: Estimator, deals: DealSet) -> None:
    def milliseconds(batches: Iterator[Any]) -> float:
        busy = time.process_time()
        for _ in batches:
            pass
        return 1000 * (time.process_time() - busy) / len(deals)

    def table() -> Iterator[Any]:
        yield solve(deals, workers=1)

    print(f"table of 20: {milliseconds(table()):.1f} ms")
    tricks = round(float(model(deals)["S", "N"].mean()))
    for strain in (Strain.SPADES, Strain.NOTRUMP):
        four = milliseconds(solve_strain_batches(deals.owners, strain, workers=1))
        single = milliseconds(solve_cell_batches(deals.owners, strain, Seat.NORTH, workers=1))
        search = milliseconds(makes_batches(deals.owners, strain, Seat.NORTH, tricks, workers=1))
        print(
            f"{strain.name.lower()}: one {single:.1f} ms, four {four:.1f} ms "
            f"({four / single:.2f} x), one search {search:.1f} ms ({search / single:.2f} x)"
        )


def coupling(model: Estimator) -> None:
    deals = Library(LIBRARY).deals("validation")[:COUNTED]
    tricks = deals.tricks_or_unknown.astype(np.int64)
    chances = model(deals).probabilities
    sides = [(chances[:, :, [s, s + 2]], tricks[:, :, [s, s + 2]]) for s in (0, 1)]
    for apart in APART:
        losses = []
        for estimates, real in sides:
            one, other = estimates.reshape(-1, 2, 14).swapaxes(0, 1)
            joint = exact.coupled(one, other, apart)
            took, partner_took = real.reshape(-1, 2).T
            chance = joint[np.arange(len(joint)), took, partner_took] / joint.sum((1, 2))
            losses.append(-np.log(chance).mean())
        print(f"apart {apart:g}: log-loss of both results {np.mean(losses):.4f}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default=DEFAULT_MODEL)
    options.add_argument("--deals", type=int, default=TIMED, help="deals that are timed")
    options.add_argument("--bounds", type=float, nargs="*", default=BOUNDS)
    options.add_argument("--json", action="store_true")
    options.add_argument("--costs", action="store_true")
    options.add_argument("--coupling", action="store_true")
    asked = options.parse_args()
    model = Estimator(asked.model, threads=1)
    timed = random_deals(asked.deals, seed=77)
    if asked.costs or asked.coupling:
        run = partial(costs, model, timed) if asked.costs else partial(coupling, model)
        run()
        return
    counted = Library(LIBRARY).deals("test")[:COUNTED]
    estimated = model(counted)
    model(timed[:2], solve_below=1)  # what loads late must not be timed
    for bound in asked.bounds:
        row = accuracy(estimated, counted, bound) | {"deals_a_second": speed(model, timed, bound)}
        if asked.json:
            print(json.dumps(row), flush=True)
            continue
        rate = row["deals_a_second"][0]
        print(
            f"below {bound:4.2f}: {row['searches']:5.1f} searches a deal, suits "
            f"{row['suits'][0]:6.2f} %, notrump {row['N'][0]:6.2f} % exact, stated "
            f"{row['stated']:6.2f} %, {rate:,.1f} deals/s of one core",
            flush=True,
        )


if __name__ == "__main__":
    main()
