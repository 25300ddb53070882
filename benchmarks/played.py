"""Time of an estimate of play at the table, compared with ``accurate`` on the same deals.

    python benchmarks/played.py --deals 2000

Prints processor time of one thread for ``accurate`` in all strains, for one contract a deal (five
kinds mixed), for one contract for all, and for one deal at a time.
"""

import argparse
import time
from collections.abc import Callable

import trickcast as tc
from trickcast.played import PlayedEstimator

_CONTRACTS = ("3N", "4S", "4H", "5D", "5C")
_ALONE = 200
_REPEATS = 3


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of three runs."""
    taken = []
    for _ in range(_REPEATS):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--deals", type=int, default=2000)
    deals = tc.random_deals(options.parse_args().deals, seed=1)
    accurate, played = tc.Estimator("accurate", threads=1), PlayedEstimator(threads=1)
    mixed = [_CONTRACTS[number % len(_CONTRACTS)] for number in range(len(deals))]
    alone = deals[:_ALONE]
    whole, one = seconds(lambda: accurate(deals)), seconds(lambda: [accurate(d) for d in alone])
    print(f"accurate: {1000 * whole / len(deals):.2f} ms a deal")
    for name, taken, base in (
        ("a contract for each deal", seconds(lambda: played(deals, mixed, "N")), whole),
        ("one contract for all", seconds(lambda: played(deals, "4S", "N")), whole),
        ("one deal at a time", seconds(lambda: [played(d, "4S", "N") for d in alone]), one),
    ):
        print(f"played, {name}: {taken / base:.2f} of accurate's time")


if __name__ == "__main__":
    main()
