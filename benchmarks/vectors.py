"""Speed of hand vectors and of two-hand estimation: a Markdown table, processor and wall time.

python benchmarks/vectors.py [--threads 2] [--deals 50000] [--pairs 10000]
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import trickcast as tc
from trickcast.library import Library
from trickcast.pairs import pair_models


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the wall seconds and the processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def honesty(model: str, deals: tc.DealSet) -> list[tuple[str, ...]]:
    """Return rows of bins: how often at least so many tricks were taken, beside the chance stated.

    They cover all strains and numbers of tricks, except chances of exactly 0 or 1.
    """
    estimator = tc.PairEstimator(model)
    stated, happened = [], []
    for side in (0, 1):
        estimated = estimator(deals.owners == side, deals.owners == side + 2)
        taken = deals.tricks_or_unknown[:, :, side]
        for count in range(1, 14):
            stated.append(estimated.at_least(count).ravel())
            happened.append((taken >= count).ravel())
    chance, real = np.concatenate(stated), np.concatenate(happened)
    rows: list[tuple[str, ...]] = []
    for low in np.arange(0, 1, 0.1):
        inside = (chance > max(low, 0.005)) & (chance <= min(low + 0.1, 0.995))
        rows.append(
            (
                model,
                f"{low:.0%} to {low + 0.1:.0%}",
                f"{inside.sum():,}",
                f"{chance[inside].mean():.1%}",
                f"{real[inside].mean():.1%}",
            )
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--deals", type=int, default=50_000)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--library", type=Path)
    options = parser.parse_args()
    owners = tc.random_deals(options.deals, 1).owners
    hands = np.concatenate([owners == seat for seat in range(4)])
    embedding = tc.HandEmbedding(threads=options.threads)
    embedding.encode(hands[:1000])
    few = embedding.encode(hands[:1000])
    rows = [
        (f"encode {len(hands):,} hands", timed(lambda: embedding.encode(hands)), len(hands)),
        ("index of 200,000 hands", timed(lambda: embedding.searched), 1),
        ("5 nearest of 1,000 vectors", timed(lambda: embedding.nearest(few)), 1000),
    ]
    for info in pair_models():
        estimator = tc.PairEstimator(info.name, threads=options.threads)
        pairs = [owners[: options.pairs] == seat for seat in (0, 2)]
        estimator(pairs[0][:100], pairs[1][:100])
        spent = timed(partial(estimator, *pairs))
        rows.append((f"{info.name}: {options.pairs:,} pairs", spent, options.pairs))
    print("| | seconds | processor seconds | in a processor second |\n|---|---|---|---|")
    for name, (wall, processor), count in rows:
        print(f"| {name} | {wall:.3f} | {processor:.3f} | {count / processor:,.0f} |")
    if options.library is not None:
        deals = Library(options.library).deals("test")[:20_000]
        print("\n| model | chance stated | results | mean | happened |\n|---|---|---|---|---|")
        for info in pair_models():
            for row in honesty(info.name, deals):
                print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
