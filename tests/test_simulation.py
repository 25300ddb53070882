"""Simulation: the statistics against known truth, the answers against plain counting."""

import itertools
import json

import numpy as np
import pytest

import trickcast as tc
from trickcast.cli import main
from trickcast.dealing import ConstraintError, NoDealsError
from trickcast.scoring import imps, score
from trickcast.simulation import SimulationError, contracts, means

SOUTH, NORTH = "AQ864.K75.A3.KJ4", "hcp 6-9, spades 3-4"
KNOWN = {"south": SOUTH, "north": NORTH}
SPADES = [("4S", "S")]


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


def test_arrays_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="19 solved"):
        means(np.ones((19, 1)), None)
    with pytest.raises(ValueError, match="estimates for"):
        means(np.ones((30, 1)), np.ones((20, 1)))


@pytest.fixture(scope="module")
def counted():
    """Everything solved, nothing estimated."""
    return tc.simulate(**KNOWN, samples=24, exact=24, seed=3)


def test_solved_layouts_are_counted(counted) -> None:
    tricks = counted.deals.tricks
    assert tricks is not None and (tricks[:3] == tc.solve(counted.deals[:3]).tricks).all()
    for strain, seat in itertools.product("SHDCN", "NESW"):
        cell = tricks[:, "SHDCN".index(strain), "NESW".index(seat)].astype(int)
        assert counted.expected[strain, seat] == pytest.approx(cell.mean())
        low, high = counted.interval[strain, seat]
        assert low < cell.mean() < high
        shares = np.bincount(cell, minlength=14) / 24
        np.testing.assert_allclose(counted.distribution(strain, seat), shares)
        assert counted.making(f"2{strain}", seat).mean == pytest.approx((cell >= 8).mean())
        points = counted.score(f"3{strain}X", seat, "ns").mean
        assert points == pytest.approx(score(f"3{strain}X", cell, seat in "NS").mean())


def test_comparisons_are_made_layout_by_layout(counted) -> None:
    spades, notrump = (counted.deals.tricks[:, strain, 2].astype(int) for strain in (0, 4))
    difference = score("4S", spades, True) - score("3N", notrump, True)
    wanted = {
        "total": difference.mean(),
        "imps": imps(difference).mean(),
        "matchpoints": (np.sign(difference) + 1).mean() / 2,
    }
    for scoring, mean in wanted.items():
        found = counted.compare("4S", "S", "3N", "S", vulnerable="ns", scoring=scoring)
        assert found.mean == pytest.approx(mean)
        assert found.low < mean < found.high
        back = counted.compare("3N", "S", "4S", "S", vulnerable="ns", scoring=scoring)
        assert back.mean == pytest.approx(1 - mean if scoring == "matchpoints" else -mean)
    over = counted.compare("4S", "S", "PASS", "S", scoring="total")
    assert over == pytest.approx(counted.score("4S", "S"))
    assert counted.compare("PASS", "N", "4S", "S", scoring="total").mean == pytest.approx(
        -over.mean
    )
    assert counted.compare("4S", "S", "4S", "S", scoring="matchpoints") == (0.5, 0.5, 0.5)


def test_the_best_contracts_are_the_best(counted) -> None:
    means_of = {
        (f"{level}{strain}", seat): counted.score(f"{level}{strain}", seat, "both").mean
        for level, strain, seat in itertools.product(range(1, 8), "SHDCN", "NS")
    }
    best = counted.best_contracts("both", number=4)
    by_contract = [max(means_of[bid, seat] for seat in "NS") for bid, _ in means_of]
    assert [one.worth.mean for one in best] == pytest.approx(sorted(by_contract)[::-2][:4])
    against = counted.best_contracts("both", "imps", number=35)
    assert len(against) == 35 and against[0].worth.mean >= 0
    assert counted.best_contracts(side="EW", number=1)[0].by in (tc.Seat.EAST, tc.Seat.WEST)
    with pytest.raises(SimulationError, match="total, imps or matchpoints"):
        counted.best_contracts(scoring="rubber")
    with pytest.raises(SimulationError, match="NS or EW"):
        counted.best_contracts(side="N")


def test_estimates_and_counting_agree() -> None:
    plain = tc.simulate(**KNOWN, samples=160, exact=160, seed=5, only=SPADES)
    mixed = tc.simulate(**KNOWN, samples=1000, exact=60, seed=6, only=SPADES)
    for ask in (
        lambda r: r.making("4S", "S"),
        lambda r: (r.expected["S", "S"], *r.interval["S", "S"]),
    ):
        (a, a_low, a_high), (b, b_low, b_high) = ask(plain), ask(mixed)
        assert abs(a - b) < 1.6 * np.hypot((a_high - a_low) / 2, (b_high - b_low) / 2)
    assert mixed.explained["S", "S"] > 0.2 and mixed.effective["S", "S"] > 60
    assert np.isnan(mixed.interval["H", "S"]).all() and 6 < mixed.expected["H", "S"] < 9
    assert np.isnan(plain.expected["H", "S"])
    assert str(plain).count("-\n") == 4 and "network" not in str(plain)


def test_the_seed_decides() -> None:
    once, again = (tc.simulate(**KNOWN, samples=100, exact=20, seed=7, only=SPADES) for _ in "12")
    assert once.deals == again.deals and str(once) == str(again)
    other = tc.simulate(**KNOWN, samples=100, exact=20, seed=8, only=SPADES)
    assert other.expected["S", "S"] != once.expected["S", "S"]


def test_without_solving_there_is_no_interval() -> None:
    guess = tc.simulate(**KNOWN, samples=30, exact=0)
    mean, low, high = guess.making("4S", "S")
    assert 0 < mean < 1 and np.isnan([low, high]).all()
    assert np.isnan(guess.interval["S", "S"]).all()
    assert "alone" in str(guess) and "alone" in guess._repr_html_() and "±" not in str(guess)
    assert guess.expected["S", "S"] == pytest.approx(
        tc.estimate(guess.deals).expected[:, 0, 2].mean()
    )


def test_precision_ends_the_solving() -> None:
    result = tc.simulate(**KNOWN, samples=800, exact=400, seed=1, only=SPADES, precision=0.3)
    low, high = result.interval["S", "S"]
    assert result.stopped == "precision" and result.solved < 400 and (high - low) / 2 <= 0.3
    short = tc.simulate(**KNOWN, samples=300, exact=300, seed=1, only=SPADES, seconds=1e-6)
    assert (short.stopped, short.solved) == ("seconds", 20)


WEST = "KJ742.Q5.T983.K6"
AUCTION = {"south": "hcp 15-17, balanced", "north": "hcp 9-12, spades 3-, hearts 3-"}


@pytest.fixture(scope="module")
def led():
    return tc.simulate_leads(
        leader=WEST, contract="3N", by="S", **AUCTION, samples=200, exact=24, seed=1
    )


def test_leads_are_counted(led) -> None:
    assert sorted(card for lead in led for card in lead.cards) == sorted(
        suit + rank for suit, ranks in zip("SHDC", WEST.split("."), strict=True) for rank in ranks
    )
    assert led["DT"].cards == ("DT", "D9", "D8") and led["D3"].cards == ("D3",)
    assert (led.after[:3].min(axis=1) == tc.solve(led.deals[:3]).tricks[:, 4, 2]).all()
    plain = tc.simulate_leads(
        leader=WEST, contract="3N", by="S", **AUCTION, samples=24, exact=24, seed=1
    )
    assert (plain.after == led.after).all(), "the same layouts first"
    column = {
        lead.cards[0]: plain.after[
            :, "SHDC".index(lead.cards[0][0]) * 13 + "AKQJT98765432".index(lead.cards[0][1])
        ]
        for lead in plain
    }
    points = {card: -score("3N", tricks, False) for card, tricks in column.items()}
    best = max(points, key=lambda card: points[card].mean())
    for lead in plain:
        tricks = column[lead.cards[0]]
        assert lead.tricks.mean == pytest.approx(tricks.mean())
        assert lead.setting.mean == pytest.approx((tricks < 9).mean())
        assert lead.points.mean == pytest.approx(points[lead.cards[0]].mean())
        gained = imps(points[lead.cards[0]] - points[best]).mean()
        assert lead.gain.mean == pytest.approx(gained)
        assert lead.even == (lead.gain.low <= 0 <= lead.gain.high)
        # the network sharpens it, and moves it no further than chance allows
        mixed = led[lead.cards[0]].tricks
        assert mixed.low < lead.tricks.mean < mixed.high
    assert [lead.gain.mean for lead in plain] == sorted(
        (one.gain.mean for one in plain), reverse=True
    )
    assert str(plain).count("\n") == len(plain) + 4


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"leader": "KJ742.Q5.T983.K"}, tc.DealError, "12 cards"),
        ({"west": "hcp 5+"}, SimulationError, "given twice"),
        ({"contract": "PASS"}, SimulationError, "passed out"),
        ({"exact": 0}, SimulationError, "exact is 0"),
        ({"scoring": "rubber"}, SimulationError, "rubber"),
        ({"north": WEST}, ConstraintError, "SK is given to"),
    ],
)
def test_leads_that_cannot_be(asked: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tc.simulate_leads(**{"leader": WEST, "contract": "3N", "by": "S", **asked})


def interrupted_after(monkeypatch, batches: int) -> None:
    """Press Ctrl-C while the layouts after the first batches are solved."""
    left = iter(range(batches))

    def solve(owners, *cell, workers=None):
        if next(left, None) is None:
            raise KeyboardInterrupt
        yield np.full(len(owners), 9, dtype=np.uint8)

    monkeypatch.setattr(contracts, "solve_cell_batches", solve)


def test_an_interrupt_keeps_what_is_there_if_asked(monkeypatch) -> None:
    plan = {"samples": 500, "exact": 500, "only": SPADES}
    interrupted_after(monkeypatch, 1)
    result = tc.simulate(**KNOWN, **plan, keep_on_interrupt=True)
    assert (result.stopped, result.solved) == ("interrupt", 200)
    assert "stopped by interrupt" in str(result) and "network" not in str(result)
    interrupted_after(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        tc.simulate(**KNOWN, **plan)
    interrupted_after(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        tc.simulate(**KNOWN, **plan, keep_on_interrupt=True)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"samples": 0}, SimulationError, "samples is 0"),
        ({"exact": 19}, SimulationError, "exact is 19"),
        ({"samples": 100, "exact": 101}, SimulationError, "exact <= samples"),
        ({"precision": 0.0}, SimulationError, "precision is 0"),
        ({"seconds": float("nan")}, SimulationError, "seconds is nan"),
        ({"exact": 0, "precision": 0.1}, SimulationError, "needs exact"),
        ({"only": []}, SimulationError, "empty"),
        ({"only": [("PASS", "S")]}, SimulationError, "passed out"),
        ({"only": [("8S", "S")]}, tc.DealError, "not a contract"),
        ({"only": [("4S", "X")]}, tc.DealError, "seat"),
        ({"north": "SA"}, ConstraintError, "SA is given to"),
        ({"north": "hcp 30+"}, ConstraintError, "hcp"),
        ({"condition": lambda owners: owners[:, 0] > 9, "max_tries": 999}, NoDealsError, "found"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"model": "nowhere.onnx"}, tc.ModelError, "nowhere"),
    ],
)
def test_what_cannot_be(asked: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tc.simulate(**{"south": SOUTH, **asked})


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*args: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["trickcast", *map(str, args)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


HANDS = ["--south", SOUTH, "--north", NORTH, "--samples", 60]


def test_the_command_shows_tricks_and_contracts(run, counted) -> None:
    status, out, err = run("simulate", *HANDS[:4], "--samples", 24, "--exact", 24, "--seed", 3)
    assert (status, err) == (0, "") and out.startswith(str(counted))
    best = counted.best_contracts()[0]
    assert f"{best.contract}" in out and f"{best.worth.mean:+.0f}" in out


def test_the_command_on_one_contract(run, tmp_path) -> None:
    target = tmp_path / "layouts.pbn"
    asked = [*HANDS, "--exact", 30, "--contract", "4S", "--by", "S"]
    status, out, err = run("simulate", *asked, "--save", target, "--json")
    content = json.loads(out)
    result = tc.simulate(**KNOWN, samples=60, exact=30, only=SPADES)
    assert (status, err) == (0, "")
    assert content["making"] == pytest.approx(list(result.making("4S", "S")), abs=1e-4)
    assert sum(content["distribution"]) == pytest.approx(1, abs=1e-3)
    saved = tc.read(target)
    assert (saved.owners == result.deals.owners).all() and (
        saved.tricks == result.deals.tricks
    ).all()
    status, out, _ = run("simulate", *asked)
    assert status == 0 and "makes" in out and "█" in out


def test_the_command_compares(run) -> None:
    status, out, err = run("compare", "4S", "3N", "--by", "S", *HANDS, "--exact", 20)
    assert (status, err) == (0, "") and "IMPs" in out and "matchpoints" in out
    status, out, _ = run("compare", "4S", "PASS", "--by", "S", *HANDS, "--exact", 20, "--json")
    assert status == 0 and len(json.loads(out)["imps"]) == 3


def test_the_command_leads(run) -> None:
    asked = ["leads", WEST, "3N", "--by", "S", "--south", AUCTION["south"], "--samples", 20]
    status, out, err = run(*asked, "--exact", 20, "--json")
    content = json.loads(out)
    assert (status, err) == (0, "") and len(content["leads"]) == 11
    status, out, _ = run(*asked, "--exact", 20, "--scoring", "matchpoints")
    assert status == 0 and "equal within the error" in out


def test_an_interrupted_command_shows_what_is_there(run, monkeypatch) -> None:
    interrupted_after(monkeypatch, 1)
    monkeypatch.setattr("os._exit", lambda status: (_ for _ in ()).throw(SystemExit(status)))
    asked = ["--samples", 500, "--exact", 500, "--contract", "4S", "--by", "S"]
    status, out, err = run("simulate", *HANDS[:4], *asked)
    assert status == 130 and "stopped by interrupt" in out and err == "interrupted\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["simulate", "--south", SOUTH, "--north", "hcp 6-9, spaeds 3"], ["spaeds", "spades"]),
        (["simulate", "--south", ""], ["--south"]),
        (["simulate", "--exact", 5], ["exact is 5"]),
        (["simulate", "--samples", 0], ["samples"]),
        (["simulate", "--contract", "4S"], ["--by"]),
        (["simulate", "--scoring", "rubber"], ["rubber", "imps"]),
        (["simulate", "--side", "N"], ["--side"]),
        (["simulate", "--vulnerable", "we"], ["vulnerability"]),
        (["compare", "4S", "5H", "--by", "S", "--other-by", "W"], ["partners"]),
        (["leads", WEST[:-1], "3N", "--by", "S"], ["12 cards"]),
        (["leads", WEST, "3N", "--by", "S", "--west", "hcp 5+"], ["west", "twice"]),
        (["compare", "PASS", "PASS", "--by", "S"], ["played"]),
    ],
)
def test_a_mistake_ends_with_status_2_and_says_why(run, args, words) -> None:
    status, out, err = run(*args)
    assert (status, out) == (2, "") and len(err.splitlines()) <= 3
    assert all(word in err for word in words), err
