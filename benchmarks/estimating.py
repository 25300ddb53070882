"""Results a second of every shipped model, next to what DDS solves in the same run.

Deals come as bare owners, so checking them is counted; a result is a distribution over tricks.
"""

import time
from collections.abc import Callable
from functools import partial

from trickcast import Estimator, models, random_deals, solve

DEALS = 8_000
SOLVED = 80


def best_rate(results: int, run: Callable[[], object], rounds: int = 3) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return results / min(seconds)


def main() -> None:
    few, owners = random_deals(SOLVED, seed=1), random_deals(DEALS, seed=1).owners
    solve(few[:2])
    exact = best_rate(20 * SOLVED, lambda: solve(few), rounds=2)
    print(f"{'DDS':<24} {exact:>12,.0f} results/s (strain and declarer), all cores")
    for info in models():
        both = [Estimator(info.name, threads=1), Estimator(info.name)]
        alone, ours = (best_rate(20 * DEALS, partial(each, owners)) for each in both)
        print(
            f"{info.name:<24} {ours:>12,.0f} results/s, all cores: {ours / exact:,.0f} x DDS; "
            f"{alone:,.0f} with one thread"
        )


if __name__ == "__main__":
    main()
