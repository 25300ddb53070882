"""Overhead of ``solve`` over DDS: the same batches through the bare binding and through us.

With ``--prices`` (some minutes of a free core): the cost of a deal solved in one strain, and of a
position, in processor seconds, where a whole table costs 1. The library counts its worth by these.
"""

import argparse
import ctypes
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickcast import DealSet, estimate, random_deals, solve
from trickcast.cards import Strain
from trickcast.cards.positions import packed
from trickcast.dealing import random_positions
from trickcast.solver import (
    BATCH,
    solve_batches,
    solve_line_batches,
    solve_position_batches,
    solve_strain_batches,
)
from trickcast.solver.dds import held, holdings

ROUNDS = 5
BATCHES = 2
PRICED = 8
"""Deals, and positions of each size, that a round of ``prices`` solves: few, because on a shared
processor the worth of a second changes."""
LINE_TRICKS = 3
"""Tricks of best play after each result."""


def bare(calls: list[Any]) -> float:
    with held(None, Event()) as dds:
        start = time.perf_counter()
        for call in calls:
            dds.CalcAllTables(call, -1, [0] * 5, dds.ddTablesRes(), dds.allParResults())
        return time.perf_counter() - start


def processor_seconds(batches: Iterable[object]) -> float:
    start = time.process_time()
    for _ in batches:
        pass
    return time.process_time() - start


def doubtful(deals: DealSet) -> NDArray[np.intp]:
    """Return the strain of each deal whose results the network is least sure of, by entropy."""
    chances = estimate(deals).probabilities
    certainty = (chances * np.log(np.maximum(chances, 1e-9))).sum((2, 3))
    strains: NDArray[np.intp] = certainty.argmin(1)
    return strains


def solve_each(
    owners: NDArray[np.uint8], strains: NDArray[np.intp], workers: int
) -> Iterator[NDArray[np.uint8]]:
    """Solve each deal in its own strain, by all declarers."""
    for strain in Strain:
        yield from solve_strain_batches(owners[strains == strain], strain, workers=workers)


def with_known_tables(
    owners: NDArray[np.uint8], tables: NDArray[np.uint8], workers: int
) -> Iterator[object]:
    """Solve the lines of deals whose tables are known."""
    yield from solve_line_batches(owners, LINE_TRICKS, known=tables, workers=workers)


def prices(rounds_wanted: int, wanted: list[str]) -> None:
    """Time every kind of label in each round, so that other work on the machine slows all alike."""
    rounds: dict[str, list[float]] = {}
    for turn in range(rounds_wanted):
        deals = random_deals(PRICED, seed=2, start=turn * PRICED)
        owners = deals.owners
        kinds: dict[str, Callable[..., Iterable[object]]]
        kinds = {"whole table": partial(solve_batches, owners)}
        kinds |= {str(strain): partial(solve_strain_batches, owners, strain) for strain in Strain}
        kinds["doubtful strain"] = partial(solve_each, owners, doubtful(deals))
        for cards in range(12, 8, -1):
            positions = packed(random_positions(PRICED, cards, seed=2, start=turn * PRICED))
            kinds[f"position of {cards}"] = partial(solve_position_batches, positions)
        kinds["table, lines"] = partial(solve_line_batches, owners, LINE_TRICKS)
        if "lines alone" in (wanted or ["lines alone"]):
            tables = np.concatenate([*solve_batches(owners, workers=1)])
            kinds["lines alone"] = partial(with_known_tables, owners, tables)
        for kind, batches in kinds.items():
            if wanted and kind not in ("whole table", *wanted):
                continue
            rounds.setdefault(kind, []).append(processor_seconds(batches(workers=1)))
    whole = rounds["whole table"]
    solved = rounds_wanted * PRICED
    print(f"{solved} deals, a core: {sum(whole) / solved:.3f} s a whole table, which costs 1")
    for kind, seconds in rounds.items():
        price = sum(seconds) / sum(whole)
        residuals = [ours - price * theirs for ours, theirs in zip(seconds, whole, strict=True)]
        error = statistics.stdev(residuals) * rounds_wanted**0.5 / sum(whole)
        print(f"{kind:>15}: {price:.3f} ± {error:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prices", action="store_true", help="of labels, in whole tables")
    parser.add_argument("--kinds", nargs="*", default=[], help="of labels, such as 'table, lines'")
    parser.add_argument("--rounds", type=int, default=60, help="of prices, of 8 deals each")
    given = parser.parse_args()
    if given.prices:
        prices(given.rounds, given.kinds)
        return
    deals = random_deals(BATCH * BATCHES, seed=1)
    calls = []
    with held(None, Event()) as dds:
        new_call = dds.ddTableDeals
    for first in range(0, len(deals), BATCH):
        call = new_call()
        call.noOfTables = BATCH
        cards = holdings(deals.owners[first : first + BATCH])
        ctypes.memmove(call.ddTableDeal, cards.ctypes.data, cards.nbytes)
        calls.append(call)
    solve(deals[:2])  # so that both start with DDS set up
    ratios, seconds = [], []
    for turn in range(ROUNDS):
        first_bare = bare(calls) if turn % 2 else None
        start = time.perf_counter()
        solve(deals)
        ours = time.perf_counter() - start
        theirs = first_bare or bare(calls)
        ratios.append(ours / theirs)
        seconds.append(ours)
        print(f"round {turn + 1}: DDS {theirs:.3f} s, solve {ours:.3f} s")
    print(f"solve / bare DDS: median {statistics.median(ratios):.4f} (overhead bar: 1.03)")
    print(f"tables a second, all cores: {len(deals) / statistics.median(seconds):.1f}")


if __name__ == "__main__":
    main()
