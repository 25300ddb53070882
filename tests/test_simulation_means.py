"""Simulation's statistics against known truth: intervals, bias, and how much is solved."""

import numpy as np
import pytest

from trickcast.simulation import Plan, means
from trickcast.simulation.choice import PILOT, Selection
from trickcast.simulation.plan import Spread
from trickcast.simulation.run import Aim, Run
from trickcast.simulation.survey import layouts_wanted


def trick_counts(rng, share: float, layouts: int, runs: int):
    """Whole tricks with mean 9 (by symmetry), of whose spread x explains about a share."""
    seen, hidden = rng.normal(size=(2, layouts, runs))
    exact = np.round(9 + np.sqrt(share) * seen + np.sqrt(1 - share) * hidden)
    return exact, 9 + np.sqrt(share) * seen


def chances(rng, p: float, sureness: float, layouts: int, runs: int):
    """Outcomes 0 and 1 with mean p, and the honest chances they come from."""
    estimated = rng.beta(p * sureness, (1 - p) * sureness, size=(layouts, runs))
    return (rng.random((layouts, runs)) < estimated).astype(float), estimated


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("solved", [20, 100])
def test_intervals_of_tricks_hold_the_truth(share: float, solved: int) -> None:
    exact, estimated = trick_counts(np.random.default_rng(1), share, 500, 3000)
    found = means(exact[:solved], estimated, unit=1.0)
    low, high = found.interval()
    assert 0.93 <= ((low <= 9) & (high >= 9)).mean() <= 0.97
    scatter = found.mean.std()
    assert abs(found.mean.mean() - 9) < 4 * scatter / np.sqrt(3000), "biased"
    assert found.error.mean() == pytest.approx(scatter, rel=0.08)
    # two-phase sampling: var(y) (1 - r²) / n + var(y) r² / N, within the cost of finding b
    explained = found.explained.mean() if share else 0.0
    best = exact.var() * ((1 - explained) / solved + explained / 500)
    assert scatter**2 < best * (1 + 4 / solved) * 1.1


@pytest.mark.parametrize(("p", "sureness"), [(0.1, 3.0), (0.5, 0.5), (0.5, 3.0), (0.9, 0.5)])
def test_intervals_of_chances_hold_the_truth(p: float, sureness: float) -> None:
    exact, estimated = chances(np.random.default_rng(2), p, sureness, 1000, 3000)
    found = means(exact[:100], estimated)
    _, low, high = found.chances()
    assert 0.93 <= ((low <= p) & (high >= p)).mean() <= 0.97
    assert abs(found.mean.mean() - p) < 4 * found.mean.std() / np.sqrt(3000), "biased"


@pytest.mark.parametrize("wrong", [lambda x: 20 - x, lambda x: 3 * x - 20, lambda x: 0 * x + 4])
def test_a_bad_estimator_adds_no_bias(wrong) -> None:
    exact, estimated = trick_counts(np.random.default_rng(3), 0.8, 400, 2000)
    found = means(exact[:40], wrong(estimated), unit=1.0)
    low, high = found.interval()
    assert abs(found.mean.mean() - 9) < 4 * found.mean.std() / np.sqrt(2000)
    assert 0.93 <= ((low <= 9) & (high >= 9)).mean() <= 0.98
    assert found.mean.var() < 1.1 * exact.var() / 40, "worse than no estimates"


def test_without_estimates_it_is_the_mean_and_its_standard_error() -> None:
    exact = np.random.default_rng(4).integers(7, 12, size=(30, 3)).astype(float)
    for found in (means(exact, None), means(exact, exact + 1)):
        np.testing.assert_allclose(found.mean, exact.mean(axis=0))
        np.testing.assert_allclose(found.error, exact.std(axis=0, ddof=1) / np.sqrt(30))
        np.testing.assert_allclose(found.effective, 30)
    assert means(exact, None).quantile == pytest.approx(2.0484, abs=1e-4)  # t, 28 degrees, 0.975


def test_outcomes_that_never_differed_are_not_certain() -> None:
    same = np.full((40, 1), 1.0)
    _, low, high = means(same, None).chances()
    assert 0.85 < low[0] < 0.95 and high[0] == 1
    low, high = means(same * 10, None, unit=1.0).interval()
    assert 0 < high[0] - low[0] < 0.2
    estimated = np.linspace(0, 1, 90)[:, None]
    assert means(same, estimated).mean[0] == 1, "nothing to learn a slope from"


@pytest.mark.parametrize(("made", "failed"), [(0.1, 2), (0.3, 9), (1, 30)])
def test_scores_that_a_rare_result_decides_allow_for_what_was_not_solved(made, failed) -> None:
    """A game that makes once in twenty or thirty layouts, by an honest network, 20 solved."""
    rng, truth, held = np.random.default_rng(5), 470 * made / (made + failed) - 50, []
    for _ in range(300):
        p = rng.beta(made, failed, (400, 1))
        scores = np.where(rng.random((20, 1)) < p[:20], 420.0, -50.0)
        estimated, squares = 470 * p - 50, 420**2 * p + 50**2 * (1 - p)
        ends = (
            means(scores, estimated, unit=50, squares=each).interval() for each in (None, squares)
        )
        held.append([low[0] <= truth <= high[0] for low, high in ends])
    without, allowed = np.mean(held, axis=0)
    assert without < 0.7 and allowed > 0.85


def test_arrays_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="19 solved"):
        means(np.ones((19, 1)), None)
    with pytest.raises(ValueError, match="estimates for"):
        means(np.ones((30, 1)), np.ones((20, 1)))


@pytest.mark.parametrize("precision", [1e-160, 1e-300, 5e-324])
def test_no_number_of_layouts_reaches_a_tiny_precision(precision: float) -> None:
    spread = Spread(np.array([0.7]), np.array([0.5]), np.array([0.35]))
    assert spread.solves(0.0, precision) > 1e300
    assert spread.estimates(100, precision) == np.inf
    assert layouts_wanted(np.array([0.5]), precision, 100) == 200


@pytest.mark.parametrize("cost", [0.003, 0.05, 0.4, 3.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 0.98])
def test_the_ratio_is_the_best_there_is(share: float, cost: float) -> None:
    spread = Spread(np.array([0.7]), np.array([share]), np.array([0.7 * (1 - share)]))
    best = (np.sqrt(1 - share) + np.sqrt(share * cost)) ** 2  # of the time of solving alone
    ratio = spread.ratio(cost)
    if best > 0.999 or share <= (1 - share) * cost:
        assert ratio == 0
    else:
        time = spread.left(ratio) * (1 + ratio * cost) / 0.7
        assert best <= time <= 1.02 * best + 0.01
    needed = spread.solves(ratio, 0.05)
    assert 1 <= needed * 0.05**2 / 1.96**2 / spread.left(ratio) < 1.2
    if ratio:
        assert spread.estimates(round(needed), 0.05) == pytest.approx(ratio * needed, rel=0.1)
        assert spread.estimates(20, 0.001) == np.inf


class Counted(Aim):
    """The question of one number of each layout, exact and estimated."""

    empty = np.empty(0)
    usual_cost = 0.05

    def means(self, exact, estimates, chance):
        estimated = None if estimates is None else estimates[:, None]
        return means(exact[:, None], estimated, unit=1.0, chance=chance)


class Drawn:
    """Layouts whose tricks are drawn, and a clock that counts what they would have taken."""

    dealing, dealt = 0.0, 0

    def __init__(
        self, seed: int, share: float, cost: float, loading: float = 4.0, dealing: float = 0.0
    ):
        self.dealing = dealing
        self.exact, estimated = trick_counts(np.random.default_rng(seed), share, 20_000, 1)
        self.estimated, self.cost, self.loading, self.seconds = estimated, cost, loading, 0.0
        self.trial = loading + PILOT * cost

    def deal(self, number):
        self.seconds += max(number - self.dealt, 0) * self.dealing
        self.dealt = max(number, self.dealt)
        return number

    def estimate(self, start, stop):
        self.seconds += (stop - start) * self.cost + (self.loading if start == 0 else 0)
        return self.estimated[start:stop, 0]

    def solve(self, rows, measure=None):
        self.seconds += len(rows)
        yield self.exact[rows, 0]

    def now(self):
        return self.seconds


def drawn(
    seed: int, plan: Plan, share: float, cost: float, loading: float = 4.0, dealing: float = 0.0
) -> Run:
    source = Drawn(seed, share, cost, loading, dealing)
    run = Run(source, Counted(), plan, np.random.default_rng(seed).random)
    run.go()
    return run


@pytest.mark.parametrize(
    ("share", "cost", "dealing"),
    [
        (0.0, 0.03, 0),
        (0.4, 0.4, 0),
        (0.8, 0.03, 0),
        (0.95, 0.1, 0),
        (0.9, 3.0, 0),
        (0.9, 0.01, 0.2),
    ],
)
def test_it_is_never_slower_than_solving_alone_and_nearly_as_fast_as_can_be(
    share, cost, dealing
) -> None:
    plan = Plan(precision=0.06)
    runs = [drawn(seed, plan, share, cost, dealing=dealing) for seed in range(30)]
    alone = [drawn(seed, plan, share, cost, np.inf, dealing) for seed in range(30)]
    assert all(run.stopped == "precision" for run in runs)
    assert all(run.estimates is None for run in alone)
    time, alone_time = (sum(run._source.now() for run in some) for some in (runs, alone))
    known = np.mean([run.means().explained[0] for run in runs if run.estimates is not None] or [0])
    price = cost + dealing  # of an estimate
    best = min(1.0, (np.sqrt(1 - known) + np.sqrt(known * price)) ** 2)
    assert time <= 1.05 * alone_time
    assert time <= best * alone_time / 0.85


def test_a_perfect_estimator_is_asked_for_no_more_than_the_precision_takes() -> None:
    source = Drawn(1, 0.9, 0.3, loading=0.0)
    source.estimated = source.exact
    run = Run(source, Counted(), Plan(precision=0.1), np.random.default_rng(1).random)
    run.go()
    # nearly all of the error is that of the mean of the estimates
    needed = source.exact.var() * (1.96 / 0.1) ** 2
    assert run.stopped == "precision" and run.solving.done < 80
    assert run.estimating.done < 1.3 * needed


def test_intervals_hold_the_truth_where_their_width_ended_the_solving() -> None:
    runs = [drawn(seed, Plan(precision=0.1), 0.8, 0.05) for seed in range(600)]
    found = [run.means() for run in runs]
    ends = np.array([one.interval() for one in found])[..., 0]
    assert 0.93 <= ((ends[:, 0] <= 9) & (ends[:, 1] >= 9)).mean() <= 0.97
    centre = np.array([one.mean[0] for one in found])
    assert abs(centre.mean() - 9) < 3 * centre.std() / np.sqrt(600), "biased"
    assert all(one.half_widths[0] <= 0.1 for one in found)


def test_the_clock_ends_it_on_time() -> None:
    for seconds in (10.0, 45.0, 200.0, 1000.0):
        run = drawn(1, Plan(seconds=seconds), 0.8, 0.05)
        assert run.stopped == "seconds"
        assert max(seconds, 20) <= run._source.now() <= max(1.05 * seconds, 20) + 4
    assert run.estimates is not None and run.means().effective[0] > 1500, "the network is used"
    both = drawn(1, Plan(seconds=1000.0, precision=0.1), 0.8, 0.05)
    assert both.stopped == "precision" and both._source.now() < 500
    late = drawn(1, Plan(seconds=100.0, precision=0.01), 0.8, 0.05)
    assert late.stopped == "seconds"


@pytest.mark.parametrize("loading", [0.3, 1.4, 4.0])
@pytest.mark.parametrize("number", [20, 22, 30, 60, 200])
def test_a_time_gives_no_wider_interval_than_a_number_that_takes_as_long(number, loading) -> None:
    """Also where the pilot takes nearly all of it, or loading the network a sixth."""
    widths: dict[str, list[float]] = {"told": [], "timed": []}
    for seed in range(60):
        told = drawn(seed, Plan(solve=number), 0.9, 0.002, loading=loading)
        taken = told._source.now()
        timed = drawn(seed, Plan(seconds=taken), 0.9, 0.002, loading=loading)
        assert timed.stopped == "seconds" and timed._source.now() < 1.12 * taken + 5
        for name, run in (("told", told), ("timed", timed)):
            widths[name].append(float(run.means().half_widths[0]))
    assert np.mean(widths["timed"]) <= 1.03 * np.mean(widths["told"])
    busy = drawn(1, Plan(seconds=1.0), 0.9, 0.002, loading=0.3)
    assert busy.solving.done == 20 and busy.means().effective[0] > 40


def test_who_is_told_hears_of_it_all_the_time() -> None:
    told: list[int] = []
    source = Drawn(1, 0.9, 0.01, loading=0.0)
    run = Run(source, Counted(), Plan(seconds=700.0), np.random.default_rng(1).random)
    run.go(told.append)
    assert run.estimating.done > 10_000
    assert told.count(0) >= run.estimating.done / 1024, "while estimating"
    solved = np.array([done for done in told if done])
    assert (solved[1:] <= 3 * solved.cumsum()[:-1] + 4).all(), "not all at once"


class Doubted(Counted):
    """The same, where how far each estimate misses is known, or thought to be."""

    def means(self, exact, estimates, chance):
        return super().means(exact, None if estimates is None else estimates[:, 0], chance)

    def doubts(self, estimates):
        return estimates[:, 1]


class Uneven(Drawn):
    """Layouts of which every fifth is estimated badly, and the others well."""

    def __init__(self, seed: int, doubts: tuple[float, float], cost: float = 0.02):
        rng = np.random.default_rng(seed)
        seen, bad = 9 + rng.normal(size=20_000), rng.random(20_000) < 0.2
        self.exact = (seen + np.where(bad, 0.6, 0.05) * rng.normal(size=20_000))[:, None]
        self.estimated = np.stack([seen, np.where(bad, *doubts)], axis=1)[:, None]
        self.cost, self.loading, self.seconds, self.trial = cost, 0.0, 0.0, 1.0


def doubted(seed: int, doubts: tuple[float, float], plan: Plan) -> Run:
    run = Run(Uneven(seed, doubts), Doubted(), plan, np.random.default_rng(seed).random)
    run.go()
    return run


@pytest.mark.slow
@pytest.mark.parametrize("doubts", [(0.6, 0.05), (1.0, 1.0), (0.05, 0.6)])
@pytest.mark.parametrize("plan", [Plan(samples=1000, solve=120), Plan(precision=0.08)])
def test_whatever_is_doubted_the_answer_is_unbiased_and_its_interval_true(doubts, plan) -> None:
    found = [doubted(seed, doubts, plan).means() for seed in range(600)]
    ends = np.array([one.interval() for one in found])[..., 0]
    assert 0.93 <= ((ends[:, 0] <= 9) & (ends[:, 1] >= 9)).mean() <= 0.98
    centre = np.array([one.mean[0] for one in found])
    assert abs(centre.mean() - 9) < 3.5 * centre.std() / np.sqrt(600), "biased"
    assert np.mean([one.error[0] for one in found]) == pytest.approx(centre.std(), rel=0.12)


class Rare(Doubted):
    """Whether something happens in a layout."""

    usual_cost = 0.004

    def half_widths(self, estimated):
        _, low, high = estimated.chances()
        return (high - low) / 2


class Seldom(Uneven):
    """Layouts in which it seldom does, and of which the network is too sure that it does not."""

    def __init__(self, seed: int, p: float):
        rng = np.random.default_rng(seed)
        self.exact, honest = chances(rng, p, 1.0, 20_000, 1)
        said = honest[:, 0] ** 1.5
        self.estimated = np.stack([said, np.sqrt(said * (1 - said) + 0.003)], axis=1)[:, None]
        self.cost, self.loading, self.seconds, self.trial = 0.004, 0.0, 0.0, 1.0


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.01, 0.04, 0.2])
@pytest.mark.parametrize(
    "plan", [Plan(samples=1000, solve=100), Plan(samples=2000, solve=30), Plan(precision=0.03)]
)
def test_what_seldom_happens_is_not_taken_to_happen_never(p, plan) -> None:
    held = []
    for seed in range(400):
        run = Run(Seldom(seed, p), Rare(), plan, np.random.default_rng(seed).random)
        run.go()
        _, low, high = run.means().chances()
        held.append(low[0] <= p <= high[0])
    assert np.mean(held) >= 0.91


def test_a_pilot_without_a_miss_still_has_its_estimates() -> None:
    source = Seldom(1, 0.01)
    source.exact[:20] = 0.0
    run = Run(source, Rare(), Plan(solve=200), np.random.default_rng(1).random)
    run.go()
    assert run.solving.done == 200 and run.estimating.done >= 2500


def test_layouts_that_depend_on_each_other_change_no_ratio() -> None:
    exact, estimated = trick_counts(np.random.default_rng(7), 0.8, 256, 1)
    alone, *others = (
        Spread.of(means(exact[:20], estimated, unit=1.0, effect=effect)).ratio(0.02)
        for effect in (1.0, 1.3, 4.0)
    )
    assert others == [alone, alone] and alone > 0


def test_a_clock_that_stands_still_ends_it_too() -> None:
    source, plan = Drawn(1, 0.8, 0.0, loading=0.0), Plan(precision=0.06, samples=20_000)
    run = Run(source, Counted(), plan, np.random.default_rng(1).random)
    run.go()
    assert run.stopped == "precision" and run.means().half_widths[0] <= 0.06
    assert run.estimating.done > 10 * run.solving.done, "estimates that cost nothing"


def test_doubt_that_is_justified_saves_solving() -> None:
    told, precise = Plan(samples=20_000, solve=400), Plan(precision=0.05)
    right, alike = ([doubted(seed, d, told) for seed in range(40)] for d in ((0.6, 0.05), (1, 1)))
    error = [np.mean([run.means().error[0] for run in some]) for some in (right, alike)]
    # all alike the misses have 0.27, in proportion to them 0.16; the mean of estimates has its own
    assert error[0] < 0.8 * error[1]
    times = [
        sum(doubted(seed, d, precise)._source.now() for seed in range(40))
        for d in ((0.6, 0.05), (1.0, 1.0))
    ]
    assert times[0] < 0.85 * times[1]


def test_the_same_layouts_are_chosen_however_the_solving_came_there() -> None:
    doubts = np.random.default_rng(5).random(500) + 0.1

    def choice(steps: list[tuple[int, int]]) -> Selection:
        chosen, doubted = Selection(np.random.default_rng(6).random), 0
        chosen.solved(np.arange(PILOT), 0)
        for layouts, number in steps:
            chosen.add_doubts(doubts[doubted:layouts])
            doubted = layouts
            rows, reach = chosen.next_doubtful(number)
            for row, end in zip(rows, reach, strict=True):  # as if it stopped after any of them
                chosen.solved(np.array([row]), end)
                chance, there = chosen.chance, chosen.in_order(layouts)
                assert chance is not None and (chance > 0).all() and (chance <= 1).all()
                assert sorted(there) == list(range(end)) and len(there) == end
                priority = doubts / chosen._lots[: len(doubts)] if layouts == 500 else None
                if priority is not None and len(there) > len(chosen.rows):
                    later = chosen.rows[PILOT:]
                    assert priority[later].min() >= priority[there[len(chosen.rows) :]].max()
        return chosen

    at_once, in_leaps = choice([(500, 120)]), choice([(300, 70), (500, 120)])
    assert in_leaps.reach <= at_once.reach == 500 and len(in_leaps.rows) == 120
    again = Selection(np.random.default_rng(6).random)
    again.solved(np.arange(PILOT), 0)
    again.add_doubts(doubts[: in_leaps.reach])
    again.solved(again.next_doubtful(120)[0], in_leaps.reach)
    assert set(again.rows) == set(in_leaps.rows)
    assert again.chance == pytest.approx(in_leaps.chance)
    every = choice([(500, 500)])
    np.testing.assert_array_equal(every.chance, 1)
