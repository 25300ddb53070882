"""Accuracy of a simulation's intervals, and the time that the network saves.

    python benchmarks/simulation.py --pools pools.npz

The layouts of varied questions are solved once, each in the one strain and declarer asked for
(--pools keeps these results: another model does not change them). Then the package's own code
replays simulations on layouts drawn from these with replacement, as cheap arithmetic. Its clock
counts the CPU seconds that dealing, solving, estimating (one strain) and loading the model take
here. Each question is asked, with the network and by solving alone, for expected tricks, to ± 0.05;
for the chance of the contract nearest to even, to ± 3 % (a search a layout, which is cheaper than
counting); and for a rare result, three tricks more (or less, if there are not so many):

- coverage: how many 95 % intervals hold the mean of all layouts of the question;
- bias: the mean of the repeated answers minus that mean, in its standard errors, and as a share of
  the ± that was asked for;
- saving: the time of solving alone divided by the time taken, for the same half-width; and the same
  if the network has no say in which layouts are solved. c is the time of dealing and estimating a
  layout divided by that of solving it. "The rest", 1 - r², is what the network leaves, divided by
  the gain of choosing layouts by doubt;
- the first two also with fixed numbers, 1,000 layouts and 100 solved, because stopping by the
  interval's width is itself a choice by the results.

Then the points of three contracts, not vulnerable, have fixed numbers too: the contract nearest to
even, the lowest that makes in less than a tenth of the layouts, and the highest that fails in less
than a tenth.

Last, 40 layouts of each question are solved with East and West exchanged. Pairs of such layouts
(antithetic ones) would help if their results are opposed, with a correlation below 0.
"""

import argparse
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trickcast import Estimator, random_deals
from trickcast._pieces import over_pieces
from trickcast._progress import Advance
from trickcast.cards import Seat, Strain, Suit
from trickcast.dealing import Constraints
from trickcast.scoring import score
from trickcast.simulation import Means, Plan, means
from trickcast.simulation.choice import PILOT, doubt_of
from trickcast.simulation.layouts import CORRECTED_MODEL
from trickcast.simulation.run import Aim, Run
from trickcast.solver import makes_batches, solve_cell_batches

Numbers = NDArray[Any]
Pool = tuple[Numbers, Numbers]
"""The results of a question's layouts: exact, and as estimated with the doubt (n, 2), of points
with their squares (n, 3)."""
TRICKS = np.arange(14.0)
RARE = 3  # tricks from the contract nearest to even
NEVER = float("inf")
DEALT = 8192  # layouts on which dealing is timed
SOME = 40  # layouts on which single searches are timed, and solved with East and West exchanged
FIXED = Plan(samples=1000, solve=100)
POINTS = [Plan(samples=1000, solve=solve) for solve in (20, 60, 200)]
SELDOM = 0.1
FREE = (0.0, 0.0, 0.0, 0.0)  # the seconds that a replay with fixed numbers takes do not matter


def question(case: int, layouts: int, seed: int) -> tuple[NDArray[np.uint8], Strain]:
    """Return the owners of one question's layouts, and the strain that South declares.

    The side with more points is North-South. In turn, the known hands are both of its hands;
    South's, with the points and the length of a suit of North's; and South's alone. Every third
    strain is notrump, the others are the longest fit.
    """
    deal = random_deals(1, seed=seed, start=case)[0]
    south, north = deal.south, deal.north
    if south.hcp + north.hcp < 20:
        south, north = deal.west, deal.east
    fit = int(np.add(south.lengths, north.lengths).argmax())
    described = f"hcp {max(north.hcp - 1, 0)}-{north.hcp + 1}, "
    described += f"{Suit(fit).name.lower()} {north.lengths[fit]}+"
    known: dict[str, Any] = {"south": south, "north": (north, described, None)[case % 3]}
    strain = Strain.NOTRUMP if case // 3 % 3 == 0 else Strain(fit)
    return Constraints(**known).deals(layouts, seed=case).owners, strain


def contract_of(exact: Numbers) -> int:
    """Return the tricks of the contract nearest to even."""
    return int(np.clip(np.median(exact), 1, 13))


def exchanged(owners: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return layouts with the hands of East and West exchanged."""
    return np.array([Seat.NORTH, Seat.WEST, Seat.SOUTH, Seat.EAST], dtype=np.uint8)[owners]


def solve_pools(options: argparse.Namespace) -> dict[str, Numbers]:
    """Solve every question's layouts; read those solved before, and solve the rest."""
    pools: dict[str, list[Any]] = {"exact": [], "solve": [], "make": [], "exchanged": []}
    asked = [options.layouts, options.seed]
    if options.pools is not None and options.pools.exists():
        kept = np.load(options.pools)
        if kept["asked"].tolist() != asked:
            raise SystemExit(f"{options.pools}: layouts and seed {kept['asked']}, not {asked}")
        pools = {name: list(kept[name]) for name in pools}
    cases = range(len(pools["exact"]), options.cases)
    work = partial(solve_question, options.layouts, options.seed)
    with over_pieces(work, cases, cluster=options.cluster, ordered=True) as done:
        for _, question_pools in done:
            for name, values in question_pools.items():
                pools[name].append(values)
            if options.pools is not None:
                solved: dict[str, Any] = {name: np.array(values) for name, values in pools.items()}
                np.savez(options.pools, asked=asked, **solved)
    return {name: np.array(values[: options.cases]) for name, values in pools.items()}


def solve_question(layouts: int, seed: int, case: int, advance: Advance) -> dict[str, Any]:
    """Solve a question's layouts, and some with East and West exchanged; time solving."""
    owners, strain = question(case, layouts, seed)
    start = time.process_time()
    exact = np.concatenate(list(solve_cell_batches(owners, strain, Seat.SOUTH, workers=1)))
    solving = (time.process_time() - start) / len(owners)
    goal = contract_of(exact)
    start = time.process_time()
    made = list(makes_batches(owners[:SOME], strain, Seat.SOUTH, goal, workers=1))
    making = (time.process_time() - start) / SOME
    other = solve_cell_batches(exchanged(owners[:SOME]), strain, Seat.SOUTH, workers=1)
    assert (np.concatenate(made) == (exact[:SOME] >= goal)).all()
    return {
        "exact": exact, "solve": solving, "make": making, "exchanged": np.concatenate(list(other))
    }  # fmt: skip


class Asked(Aim):
    """A question about one number of each layout, exact and estimated, with the doubt about it.

    Of ``points``, those for 0 to 13 tricks, the estimates have the squares too.
    """

    empty = np.empty(0)
    usual_cost = 0.006

    def __init__(self, chance: bool, points: Numbers | None = None):
        self.chance, self.by_doubt, self.points = chance, True, points

    def means(self, exact: Numbers, estimates: Numbers | None, chance: Numbers | None) -> Means:
        estimated, squares, unit = None if estimates is None else estimates[:, :1], None, 1.0
        if self.points is not None:  # as in a simulation's scores
            usual = int(np.bincount(np.searchsorted(self.points, exact)).argmax())
            unit = abs(self.points[usual] - self.points[usual - 1 if usual else 1])
            squares = None if estimates is None else estimates[:, 2:]
        return means(exact[:, None], estimated, unit=unit, chance=chance, squares=squares)

    def doubts(self, estimates: Numbers) -> Numbers | None:
        return estimates[:, 1] if self.by_doubt else None

    def interval(self, estimated: Means) -> tuple[Numbers, Numbers]:
        return estimated.chances()[1:] if self.chance else estimated.interval()

    def half_widths(self, estimated: Means) -> Numbers:
        low, high = self.interval(estimated)
        return (high - low) / 2


class Replay:
    """Layouts drawn from a pool, and the seconds they would have taken."""

    def __init__(
        self,
        pool: Pool,
        rng: Generator,
        dealing: float,
        solving: float,
        estimating: float,
        loading: float,
    ):
        self.exact, self.estimated = pool
        self.rng, self.dealing, self.solving = rng, dealing, solving
        self.estimating, self.loading = estimating, loading
        self.trial = loading + PILOT * estimating
        self.rows = np.empty(0, dtype=np.int64)
        self.seconds = 0.0

    def deal(self, number: int) -> int:
        have = len(self.rows)
        if number > have:
            wanted = max(number, 2 * have)
            self.seconds += wanted * self.dealing  # as if all were dealt again
            drawn = self.rng.integers(len(self.exact), size=wanted - have)
            self.rows = np.concatenate([self.rows, drawn])
        return number

    def estimate(self, start: int, stop: int) -> Numbers:
        self.seconds += (stop - start) * self.estimating + (self.loading if start == 0 else 0)
        return self.estimated[self.rows[start:stop]]

    def solve(self, rows: Numbers, question: Any = None) -> Iterator[Numbers]:
        self.seconds += len(rows) * self.solving
        yield self.exact[self.rows[rows]]

    def now(self) -> float:
        return self.seconds


def replay(
    pool: Pool, asked: Asked, plan: Plan, rng: Generator, *times: float
) -> tuple[float, ...]:
    """Simulate once: the mean, the ends of its interval, the seconds."""
    source = Replay(pool, rng, *times)
    run = Run(source, asked, plan, rng.random)
    run.go()
    estimated = asked.means(run.exact, run.estimates, run.chance)
    low, high = asked.interval(estimated)
    return estimated.mean[0], low[0], high[0], source.seconds


def measure(
    pool: Pool, asked: Asked, precision: float, rng: Generator, repeats: int, *times: float
) -> dict[str, float]:
    """Return the figures of one question, asked in one way."""
    exact, estimated = pool[0], pool[1][:, 0]
    plan, truth = Plan(precision=precision), exact.mean()
    dealing, solving, estimating, _ = times

    def replays(plan: Plan, *times: float, by_doubt: bool = True) -> Numbers:
        asked.by_doubt = by_doubt
        return np.array([replay(pool, asked, plan, rng, *times) for _ in range(repeats)]).T

    got, alike = replays(plan, *times), replays(plan, *times, by_doubt=False)
    alone, fixed = replays(plan, dealing, solving, estimating, NEVER), replays(FIXED, *times)
    share = np.corrcoef(estimated, exact)[0, 1] ** 2 if exact.std() and estimated.std() else 0.0
    half = [(high - low) / 2 for _, low, high, _ in (got[:, 0], alone[:, 0])]

    def coverage(runs: Numbers) -> float:
        return 100 * float(((runs[1] <= truth) & (truth <= runs[2])).mean())

    def bias(runs: Numbers) -> float:
        scatter = runs[0].std() / np.sqrt(repeats)
        return (runs[0].mean() - truth) / scatter if scatter else 0.0

    return {
        "coverage, %": coverage(got),
        "  coverage of solving alone": coverage(alone),
        "  coverage, fixed numbers": coverage(fixed),
        "bias, standard errors": bias(got),
        "  bias of solving alone": bias(alone),
        "  bias, fixed numbers": bias(fixed),
        "bias, % of the ± asked": 100 * (got[0].mean() - truth) / precision,
        "agrees with solving alone": float(abs(got[0, 0] - alone[0, 0]) <= np.hypot(*half)),
        "explained share r²": share,
        "  the rest divided by": divided(exact, estimated, pool[1][:, 1]),
        "cost c of an estimate, %": 100 * (dealing + estimating) / solving,
        "seconds by solving alone": alone[3].mean(),
        "saving": alone[3].mean() / got[3].mean(),
        "  all chosen alike": alone[3].mean() / alike[3].mean(),
    }


def points_covered(
    exact: Numbers, chances: Numbers, strain: Strain, rng: Generator, repeats: int
) -> dict[str, dict[str, float]]:
    """Return how many intervals of a contract's points hold the truth, by kind of contract."""
    makes = {goal: float((exact >= goal).mean()) for goal in range(7, 14)}
    seldom = [goal for goal, share in makes.items() if 0 < share < SELDOM]
    nearly = [goal for goal, share in makes.items() if 1 - SELDOM < share < 1]
    goals = {"near even": [max(contract_of(exact), 7)], "seldom makes": seldom[:1],
             "seldom fails": nearly[-1:]}  # fmt: skip
    doubts = doubt_of(chances[:, None], TRICKS[:, None])
    rows: dict[str, dict[str, float]] = {}
    for name, goal in ((name, goal) for name, found in goals.items() for goal in found):
        points = score(f"{goal - 6}{strain.letter}", np.arange(14), False).astype(float)
        estimates = np.stack([chances @ points, doubts, chances @ points**2], axis=1)
        pool = points[exact], estimates
        asked, truth = Asked(chance=False, points=points), points[exact].mean()
        row = rows[f"points, {name}"] = {}
        for plan in POINTS:
            runs = np.array([replay(pool, asked, plan, rng, *FREE) for _ in range(repeats)]).T
            held = (runs[1] <= truth) & (truth <= runs[2])
            row[f"coverage, {plan.solve} solved"] = 100 * float(held.mean())
    return rows


def divided(exact: Numbers, estimated: Numbers, doubts: Numbers) -> float:
    """Return the factor by which choosing layouts by doubt lowers the variance of the misses."""
    control = estimated - estimated.mean()
    slope = exact @ control / max(control @ control, 1e-9)
    squares = np.square(exact - exact.mean() - slope * control)
    chosen = doubts.mean() * (squares / doubts).mean()
    return float(squares.mean() / chosen) if chosen else 1.0


def opposed(
    exact: Numbers, other: Numbers, owners: NDArray[np.uint8], estimator: Estimator, strain: Strain
) -> dict[str, float]:
    """Return correlations of layouts with those in which East and West are exchanged."""
    pairs = [
        estimator.probabilities(some, [strain])[:, 0, Seat.SOUTH] @ TRICKS
        for some in (owners[:SOME], exchanged(owners[:SOME]))
    ]
    results = exact[:SOME].astype(float), other.astype(float)
    rest = [y - x for y, x in zip(results, pairs, strict=True)]
    kinds = {"exact tricks": results, "estimated tricks": pairs, "exact less estimated": rest}
    return {
        name: np.corrcoef(a, b)[0, 1] if a.std() and b.std() else 1.0
        for name, (a, b) in kinds.items()
    }


def replay_question(
    options: argparse.Namespace,
    estimator: Estimator,
    loading: float,
    piece: tuple[int, dict[str, Any]],
    advance: Advance,
) -> dict[str, dict[str, float]]:
    """Replay simulations of a question that is solved, and return the figures of each kind."""
    case, pools = piece
    owners, strain = question(case, options.layouts, options.seed)
    start = time.process_time()
    question(case, DEALT, options.seed)
    dealing = (time.process_time() - start) / DEALT
    exact = pools["exact"].astype(int)
    start = time.process_time()
    chances = estimator.probabilities(owners, [strain])[:, 0, Seat.SOUTH].astype(float)
    estimating = (time.process_time() - start) / len(owners)
    goal, rng = contract_of(exact), np.random.default_rng([options.seed, case])
    made = (np.arange(14) >= goal).astype(float)
    rare = (np.arange(14) >= (goal + RARE if goal + RARE <= 13 else goal - RARE)).astype(float)
    rows = {}
    for name, outcome, precision, solving in (
        ("expected tricks", TRICKS, options.tricks, pools["solve"]),
        ("chance to make", made, options.making, pools["make"]),
        ("chance of a rare result", rare, options.making, pools["make"]),
    ):
        asked = Asked(chance=outcome is not TRICKS)
        doubts = doubt_of(chances[:, None], outcome[:, None])
        pool = outcome[exact], np.stack([chances @ outcome, doubts], axis=1)
        times = dealing, solving, estimating, loading
        rows[name] = measure(pool, asked, precision, rng, options.repeats, *times)
    rows |= points_covered(exact, chances, strain, rng, options.repeats)
    other = pools["exchanged"]
    return rows | {"East and West exchanged": opposed(exact, other, owners, estimator, strain)}


def time_estimates(options: argparse.Namespace) -> tuple[Estimator, float]:
    """Load the model; return it with the CPU seconds that loading took."""
    start = time.process_time()
    estimator = Estimator(options.model, threads=1)
    return estimator, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--layouts", type=int, default=400, help="solved for each question")
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--tricks", type=float, default=0.05, help="± tricks asked for")
    parser.add_argument("--making", type=float, default=0.03, help="± chance asked for")
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--model", default=CORRECTED_MODEL, help="a shipped model or an .onnx file")
    parser.add_argument("--pools", type=Path, help="file (.npz) that keeps what was solved")
    parser.add_argument("--cluster", help="local, auto or ray://HOST:PORT: a question is a piece")
    options = parser.parse_args()
    estimator, loading = time_estimates(options)
    pools = solve_pools(options)
    rows: dict[str, list[dict[str, float]]] = {}
    pieces = [
        (case, {name: values[case] for name, values in pools.items()})
        for case in range(options.cases)
    ]
    with over_pieces(
        partial(replay_question, options, estimator, loading), pieces, cluster=options.cluster,
        ordered=True,
    ) as done:  # fmt: skip
        for _, figures in done:
            for name, row in figures.items():
                rows.setdefault(name, []).append(row)
    print(f"{estimator.info.name}, loaded in {loading:.2f} s; {options.cases} questions, seed "
          f"{options.seed}, {options.repeats} simulations of each")  # fmt: skip
    for name, measured in rows.items():
        kind = name + f" ({len(measured)})" * (len(measured) < options.cases)
        print(f"\n{kind:30}{'lowest':>10}{'median':>10}{'mean':>10}{'highest':>10}")
        for figure in measured[0]:
            values = np.array([row[figure] for row in measured])
            shown = (values.min(), np.median(values), values.mean(), values.max())
            print(f"{figure:30}" + "".join(f"{value:>10.2f}" for value in shown))


if __name__ == "__main__":
    main()
