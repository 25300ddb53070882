"""How true the intervals of a simulation are, and what the network saves.

    python benchmarks/simulation.py --cases 50 --repeats 300 --layouts 2000

For each of many varied questions (two hands or one, a strain, South declares) all layouts are
solved once; then simulations are drawn from these layouts again and again, as cheap arithmetic:

- coverage: how many 95 % intervals hold the mean of the whole pool;
- bias: control-variate means less the pool's, in standard errors of their mean;
- saving: CPU time that exact-only would need for the same half-width over the time taken, beside
  the best possible 1 / (√(1-r²) + √(r²c))², c the time of an estimate over that of a solve.

The pool stands for all layouts, so simulations are drawn from it with replacement.
"""

import argparse
import time

import numpy as np

from trickcast import Estimator, random_deals
from trickcast.cards import Seat, Strain
from trickcast.dealing import Constraints
from trickcast.simulation import means
from trickcast.solver import solve_cell_batches

TRICKS = np.arange(14.0)


def question(case: int, layouts: int):
    """Return the owners of one question's layouts, and the strain and declarer asked for.

    Both hands of North-South are fixed in odd cases, South's alone in even ones; the strain is
    their longest fit, and notrump in every third case.
    """
    deal = random_deals(1, seed=77, start=case)[0]
    known = {"south": deal.south} | ({"north": deal.north} if case % 2 else {})
    fit = np.add(deal.south.lengths, deal.north.lengths)
    strain = Strain.NOTRUMP if case % 3 == 0 else Strain(int(fit.argmax()))
    return Constraints(**known).deals(layouts, seed=case).owners, strain, Seat.SOUTH


def repeated(rng, exact, estimated, solved: int, samples: int, repeats: int):
    """Simulate many times from a pool of (n,) exact results and estimates: a column a time."""
    rows = rng.integers(len(exact), size=(samples, repeats))
    return means(exact[rows[:solved]], estimated[rows], unit=1.0)


def measure(case: int, options, estimator: Estimator) -> dict[str, float]:
    owners, strain, seat = question(case, options.layouts)
    start = time.process_time()
    exact = np.concatenate(list(solve_cell_batches(owners, strain, seat, workers=1)))
    solving = (time.process_time() - start) / len(owners)
    start = time.process_time()
    chances = estimator(owners).probabilities[:, strain, seat].astype(float)
    cost = (time.process_time() - start) / len(owners) / solving
    rng = np.random.default_rng(case)
    goal = int(np.clip(np.median(exact), 1, 13))
    found = {"cost": cost}
    outcomes = {"tricks": TRICKS, "make": (np.arange(14) >= goal).astype(float)}
    for name, outcome in outcomes.items():
        y, x = outcome[exact], chances @ outcome
        truth = y.mean()
        got = repeated(rng, y, x, options.exact, options.samples, options.repeats)
        low, high = got.interval() if name == "tricks" else got.chances()[1:]
        scatter = got.mean.std() / np.sqrt(options.repeats)
        explained = np.corrcoef(x, y)[0, 1] ** 2 if x.std() and y.std() else 0.0
        plain = y.var() / got.mean.var() if got.mean.var() else options.exact
        taken = options.exact + options.samples * cost
        best = (np.sqrt(1 - explained) + np.sqrt(explained * cost)) ** -2
        found |= {
            f"{name} coverage": ((low <= truth) & (truth <= high)).mean(),
            f"{name} bias": (got.mean.mean() - truth) / scatter if scatter else 0.0,
            f"{name} explained": explained,
            f"{name} saving": plain / taken,
            f"{name} of possible": plain / taken / max(best, 1.0),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--layouts", type=int, default=2000, help="solved for each question")
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--exact", type=int, default=100)
    parser.add_argument("--model", default=None)
    options = parser.parse_args()
    estimator = Estimator(*([options.model] if options.model else []), threads=1)
    rows = [measure(case, options, estimator) for case in range(options.cases)]
    print(f"{estimator.info.name}, {options.cases} questions of {options.layouts} layouts")
    print(f"{options.repeats} simulations of {options.samples}, {options.exact} of them solved")
    print(f"{'':22}{'lowest':>10}{'median':>10}{'mean':>10}{'highest':>10}")
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        shown = (values.min(), np.median(values), values.mean(), values.max())
        print(f"{name:22}" + "".join(f"{value:>10.4f}" for value in shown))


if __name__ == "__main__":
    main()
