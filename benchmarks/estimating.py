"""Results a second of every shipped model, beside those that DDS solves in the same run.

Deals come as bare owners, so checking them is included; a result is a distribution over tricks.
DDS and the models take turns, so that a slow minute of the machine slows all of them down. Each
figure is the median of seven turns; the ratios to DDS also have their least and most.
"""

import time
from collections.abc import Callable
from functools import partial
from statistics import median

from trickcast import Estimator, models, random_deals, solve

DEALS = 2_000
SOLVED = 40
TURNS = 7
RESULTS = 20
"""Results per deal."""


def rate(deals: int, run: Callable[[], object]) -> float:
    """Return the results a second of a run, or of as many runs as take a second."""
    start, results, seconds = time.perf_counter(), 0, 0.0
    while seconds < 1:
        run()
        results += RESULTS * deals
        seconds = time.perf_counter() - start
    return results / seconds


def main() -> None:
    few, owners = random_deals(SOLVED, seed=1), random_deals(DEALS, seed=1).owners
    names = [info.name for info in models()]
    runs = {
        (name, threads): partial(Estimator(name, threads=threads), owners)
        for name in names
        for threads in (1, None)
    }
    exact: list[float] = []
    rates: dict[tuple[str, int | None], list[float]] = {which: [] for which in runs}
    for _ in range(TURNS):
        exact.append(rate(SOLVED, partial(solve, few)))
        for which, run in runs.items():
            rates[which].append(rate(DEALS, run))
    print(f"{'DDS':<24} {median(exact):>12,.0f} results/s (strain and declarer), all cores")
    for name in names:
        all_cores = rates[name, None]
        times = [ours / theirs for ours, theirs in zip(all_cores, exact, strict=True)]
        print(
            f"{name:<24} {median(all_cores):>12,.0f} results/s, all cores: {median(times):,.0f} x "
            f"DDS ({min(times):,.0f} to {max(times):,.0f}); "
            f"{median(rates[name, 1]):,.0f} with one thread"
        )


if __name__ == "__main__":
    main()
