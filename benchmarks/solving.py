"""What ``solve`` adds to DDS: the same batches through the bare binding and through us."""

import ctypes
import statistics
import time

from trickcast import random_deals, solve
from trickcast.solver import BATCH, _dds, holdings

ROUNDS = 5
BATCHES = 2


def bare(calls: list) -> float:
    dds = _dds()
    start = time.perf_counter()
    for call in calls:
        dds.CalcAllTables(call, -1, [0] * 5, dds.ddTablesRes(), dds.allParResults())
    return time.perf_counter() - start


def main() -> None:
    deals = random_deals(BATCH * BATCHES, seed=1)
    calls = []
    for first in range(0, len(deals), BATCH):
        call = _dds().ddTableDeals()
        call.noOfTables = BATCH
        cards = holdings(deals.owners[first : first + BATCH])
        ctypes.memmove(call.ddTableDeal, cards.ctypes.data, cards.nbytes)
        calls.append(call)
    solve(deals[:2])  # both start with DDS set up
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
