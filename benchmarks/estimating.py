"""Results a second of every shipped model, next to what DDS solves in the same run."""

import time

from trickcast import Estimator, models, random_deals, solve

DEALS = 20_000
SOLVED = 80


def best_rate(results: int, run, rounds: int = 3) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return results / min(seconds)


def main() -> None:
    few, deals = random_deals(SOLVED, seed=1), random_deals(DEALS, seed=1)
    solve(few[:2])
    exact = best_rate(20 * SOLVED, lambda: solve(few), rounds=2)
    print(f"{'DDS':<24} {exact:>12,.0f} results/s (strain and declarer), all cores")
    for info in models():
        estimator = Estimator(info.name)
        ours = best_rate(20 * DEALS, lambda e=estimator: e(deals))
        print(f"{info.name:<24} {ours:>12,.0f} results/s, all cores: {ours / exact:,.0f} x DDS")


if __name__ == "__main__":
    main()
