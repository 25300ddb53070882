"""Simulation: the answers against plain counting."""

import inspect
import itertools
from collections import OrderedDict
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import trickcast as tc
from simulation_samples import AUCTION, KNOWN, SOUTH, SPADES, WEST, interrupted_after
from trickcast.cards import Seat, Strain
from trickcast.dealing import ConstraintError, NoDealsError
from trickcast.estimator import estimator
from trickcast.scoring import imps, score
from trickcast.simulation import (
    SimulationError,
    Value,
    beating,
    leads,
    making,
    means,
    trick_picture,
)
from trickcast.simulation import layouts as laid
from trickcast.simulation.outcomes import gain_intervals


@pytest.fixture(scope="module")
def counted():
    """Everything solved, nothing estimated."""
    return tc.simulate(**KNOWN, samples=20, solve=20, seed=3)


@pytest.mark.solver
def test_solved_layouts_are_counted(counted) -> None:
    tricks = counted.deals.tricks
    assert tricks is not None and (tricks[:3] == tc.solve(counted.deals[:3]).tricks).all()
    for strain, seat in itertools.product("SHDCN", "NESW"):
        cell = tricks[:, "SHDCN".index(strain), "NESW".index(seat)].astype(int)
        assert counted.expected[strain, seat] == pytest.approx(cell.mean())
        low, high = counted.interval[strain, seat]
        assert low < cell.mean() < high
        shares = np.bincount(cell, minlength=14) / 20
        np.testing.assert_allclose(counted.distribution(strain, seat), shares)
        assert counted.making(f"2{strain}", seat).mean == pytest.approx((cell >= 8).mean())
        points = counted.score(f"3{strain}X", seat, "ns").mean
        assert points == pytest.approx(score(f"3{strain}X", cell, seat in "NS").mean())


@pytest.mark.slow
@pytest.mark.solver
def test_fewer_tricks_are_never_less_likely_and_bars_add_to_the_chance() -> None:
    few = tc.simulate(**KNOWN, samples=200, solve=20, seed=1)
    for strain, seat in itertools.product("SHDCN", "NESW"):
        bars = few.distribution(strain, seat)
        low, high = few.distribution_interval(strain, seat)
        assert bars.sum() == pytest.approx(1) and (low <= bars).all() and (bars <= high).all()
        assert bars.min() >= 0
        chances = np.array([few.making(f"{level}{strain}", seat) for level in range(1, 8)])
        np.testing.assert_allclose(chances[:, 0], bars[::-1].cumsum()[6::-1], atol=1e-12)
        assert (np.diff(chances, axis=0) <= 1e-12).all()  # their ends, too
        assert (np.diff(chances[:, [1, 0, 2]]) >= -1e-12).all()


@pytest.mark.solver
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


@pytest.mark.solver
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
    assert counted.best_contracts(side="EW", number=1)[0].by in (Seat.EAST, Seat.WEST)
    with pytest.raises(SimulationError, match="total, imps or matchpoints"):
        counted.best_contracts(scoring="rubber")
    with pytest.raises(SimulationError, match="NS or EW"):
        counted.best_contracts(side="N")
    with pytest.raises(SimulationError, match="number is -1"):
        counted.best_contracts(number=-1)


@pytest.mark.solver
def test_estimates_and_counting_agree() -> None:
    plain = tc.simulate(**KNOWN, samples=60, solve=60, seed=5, contracts=SPADES)
    mixed = tc.simulate(**KNOWN, samples=400, solve=40, seed=6, contracts=SPADES)
    for ask in (
        lambda r: r.making("4S", "S"),
        lambda r: (r.expected["S", "S"], *r.interval["S", "S"]),
    ):
        (a, a_low, a_high), (b, b_low, b_high) = ask(plain), ask(mixed)
        assert abs(a - b) < 1.6 * np.hypot((a_high - a_low) / 2, (b_high - b_low) / 2)
    assert mixed.explained["S", "S"] > 0.2 and mixed.effective["S", "S"] > 40
    for result in (plain, mixed):  # nothing but what was asked for is known, or estimated
        assert np.isnan([result.expected["H", "S"], *result.interval["H", "S"]]).all()
        assert np.isnan(result.compare("4S", "S", "3N", "S")).all()
        assert result.best_contracts("both", "imps", side="EW") == []
        assert str(result).count("-\n") == 1  # South's row alone
    assert "network" not in str(plain)


@pytest.mark.solver
def test_the_seed_decides() -> None:
    once, again = (
        tc.simulate(**KNOWN, samples=40, solve=20, seed=7, contracts=SPADES) for _ in "12"
    )
    assert once.deals == again.deals and str(once) == str(again)
    other = tc.simulate(**KNOWN, samples=40, solve=20, seed=8, contracts=SPADES)
    assert other.expected["S", "S"] != once.expected["S", "S"]
    named, larger = (
        tc.simulate(**KNOWN, samples=40, solve=20, seed=7, contracts=SPADES, model=model)
        for model in ("fast", "accurate")
    )
    assert named.expected["S", "S"] == once.expected["S", "S"] != larger.expected["S", "S"]


def test_without_solving_there_is_no_interval() -> None:
    guess = tc.simulate(**KNOWN, samples=30, solve=0)
    mean, low, high = guess.making("4S", "S")
    assert 0 < mean < 1 and np.isnan([low, high]).all()
    assert np.isnan(guess.interval["S", "S"]).all()
    assert (
        "estimates only" in str(guess)
        and "estimates only" in guess._repr_html_()
        and "±" not in str(guess)
    )
    assert guess.expected["S", "S"] == pytest.approx(
        tc.estimate(guess.deals).expected[:, 0, 2].mean()
    )


@pytest.mark.solver
def test_precision_ends_the_solving() -> None:
    asked = {**KNOWN, "seed": 1, "contracts": SPADES}
    for precision in (0.35, 0.15):  # without the network; and in several leaps, by doubt
        result = tc.simulate(**asked, samples=800, solve=400, precision=precision)
        low, high = result.interval["S", "S"]
        assert result.stopped == "precision" and result.solved < 400
        assert (high - low) / 2 <= precision
        told = tc.simulate(**asked, samples=result.samples, solve=result.solved)
        assert told.interval["S", "S"] == (low, high), "told what was planned"
    short = tc.simulate(**KNOWN, seed=1, contracts=SPADES, seconds=1e-6)
    assert (short.stopped, short.solved) == ("seconds", 20)


@pytest.mark.solver
def test_the_number_of_estimates_follows_from_what_they_explain() -> None:
    asked = {"solve": 20, "seed": 2, "contracts": SPADES}
    result = tc.simulate(**KNOWN, **asked)
    assert result.solved == 20 and 40 <= result.samples <= 20 * 256 and result.estimated
    again = tc.simulate(**KNOWN, **asked)
    assert str(again) == str(result) and again.making("4S", "S") == result.making("4S", "S")


@pytest.mark.solver
def test_where_few_layouts_fit_all_that_are_found_are_used(monkeypatch) -> None:
    # 4,096 tries find more than the 20 to be solved, and fewer than would pay
    rare = {"condition": lambda owners: owners[:, 25] + owners[:, 38] + owners[:, 51] == 9}
    result = tc.simulate(**rare, solve=20, seed=1, max_tries=4096, contracts=SPADES)
    assert result.solved == 20 and 20 < result.samples < 256 and result.stopped is None
    interrupted_after(monkeypatch, 99)
    result = tc.simulate(**rare, seed=1, max_tries=4096, contracts=SPADES, precision=0.01)
    assert 80 < result.solved == result.samples < 100 and result.stopped == "max_tries"


@pytest.mark.solver
def test_a_small_question_does_not_load_the_network(monkeypatch) -> None:
    monkeypatch.setattr(laid, "_LOADING", np.inf)
    monkeypatch.setattr(estimator, "Estimator", None)
    monkeypatch.setattr(estimator, "_loaded", OrderedDict())
    result = tc.simulate(**KNOWN, contracts=SPADES, precision=0.6, seed=4)
    assert result.stopped == "precision" and not result.estimated
    assert "would not have paid" in "\n".join(result.notes)


@pytest.mark.solver
def test_what_is_saved_counts_all_that_was_done(counted) -> None:
    # all of it dealt and solved, as without a network
    assert counted.saving["S", "S"] == pytest.approx(1)
    helped = tc.simulate(**KNOWN, contracts=SPADES, samples=200, solve=20, seed=6)
    # a second for each deal, estimate and solve: 420 in all, where solving alone takes two a layout
    helped.clock = laid.Clock(dealing=200, estimating=200, solving=20)
    assert helped.saving["S", "S"] == pytest.approx(2 * helped.effective["S", "S"] / 420)


@pytest.mark.solver
def test_whether_a_contract_makes() -> None:
    asked = {**KNOWN, "samples": 200, "solve": 20, "seed": 6}  # no more, and none by doubt
    found = tc.contract_chance(**asked, contract="4S", by="S")
    counted = tc.simulate(**asked, contracts=SPADES)
    tricks = counted.deals.tricks
    assert found.deals == counted.deals.with_tricks(None) and found.solved == 20
    assert (found.made == (tricks[:20, 0, 2] >= 10)).all()
    np.testing.assert_allclose(found.making(), counted.making("4S", "S"), atol=0.01)
    worth = found.worth
    assert 0 < worth.explained <= 1 and worth.effective > 30 and worth.saving > 0
    assert f"makes {100 * found.making().mean:.1f} %" in str(found)
    guess = tc.contract_chance(**KNOWN, contract="4S", by="S", samples=30, solve=0)
    assert (
        0 < guess.making().mean < 1
        and np.isnan(guess.making().low)
        and "estimates only" in str(guess)
    )
    with pytest.raises(SimulationError, match="passed-out"):
        tc.contract_chance(**KNOWN, contract="PASS", by="S")


def test_precision_of_a_chance(monkeypatch) -> None:
    rng = np.random.default_rng(1)

    def flip(owners, *cell, workers=None):
        yield rng.random(len(owners)) < 0.7

    monkeypatch.setattr(making, "makes_batches", flip)
    monkeypatch.setattr(laid, "_LOADING", np.inf)
    monkeypatch.setattr(estimator, "_loaded", OrderedDict())
    found = tc.contract_chance(**KNOWN, contract="4S", by="S", precision=0.05)
    low, high = found.making()[1:]
    assert found.stopped == "precision" and 0.045 < (high - low) / 2 <= 0.05 and low < 0.7 < high


def test_the_network_is_asked_for_the_strains_of_the_question(monkeypatch) -> None:
    """And what it says of other strains and declarers is not kept."""
    asked = []

    class Spy(tc.Estimator):
        def probabilities(self, deals, strains):
            asked.append(list(strains))
            return super().probabilities(deals, strains)

    monkeypatch.setattr(estimator, "Estimator", Spy)
    monkeypatch.setattr(estimator, "_loaded", OrderedDict())
    guess = {"samples": 8, "solve": 0}  # estimated in one turn
    both = [("4S", "S"), ("3N", "N"), ("2S", "N")]
    contracts_asked = tc.simulate(**KNOWN, **guess, contracts=both)
    making = tc.contract_chance(**KNOWN, **guess, contract="4S", by="S")
    all_cells = tc.simulate(**KNOWN, **guess)
    assert [list(map(str, strains)) for strains in asked] == [["S", "N"], ["S"], [*"SHDCN"]]
    whole = tc.estimate(contracts_asked.deals)
    shares = (result._probabilities for result in (contracts_asked, making, all_cells))
    assert [len(chances[0]) for chances in shares if chances is not None] == [3, 1, 20]
    for strain, seat in ("SS", "NN", "SN"):
        cell = whole.expected[:, "SHDCN".index(strain), "NESW".index(seat)]
        assert contracts_asked.expected[strain, seat] == pytest.approx(cell.mean(), abs=1e-4)
    made = whole.probabilities[:, 0, 2, 10:].sum(axis=1).mean()
    assert making.making().mean == pytest.approx(made, abs=1e-4)


def test_all_questions_take_the_same_keywords() -> None:
    shared = {*inspect.signature(tc.simulate).parameters} - {"contracts", "side"}
    assert {"north", "condition", "samples", "solve", "seed", "precision"} < shared
    for function, own in (
        (tc.simulate, {"contracts", "side"}),
        (tc.compare, {"choices", "by", "side", "vulnerable"}),
        (tc.contract_chance, {"contract", "by", "side"}),
        (tc.simulate_leads, {"leader", "contract", "by", "vulnerable", "scoring"}),
    ):
        assert {*inspect.signature(function).parameters} == shared | own
    with pytest.raises(TypeError, match="nroth"):
        tc.simulate(**{"nroth": "hcp 5+"})


@pytest.mark.solver
def test_the_picture_shows_the_distribution(counted) -> None:
    picture = ElementTree.fromstring(trick_picture(counted, "4S", "S"))
    texts = [one.text for one in picture.iter() if one.tag.endswith("text")]
    chances = counted.distribution("S", "S")
    assert texts[0] == "4S by South" and texts[1].startswith("makes ")
    assert {f"{chance:.1%}" for chance in chances if chance >= 0.0005} <= set(texts)
    bars = [one.attrib for one in picture.iter() if one.tag.endswith("rect")][1:]
    heights = np.array([float(bar["height"]) for bar in bars])
    shown = chances[np.flatnonzero(chances)[0] : np.flatnonzero(chances)[-1] + 1]
    np.testing.assert_allclose(heights / heights.sum(), shown, atol=2e-3)
    colours = [bar["fill"] for bar in bars]
    first = int(np.flatnonzero(chances)[0])
    assert len(set(colours[: 10 - first])) == 1 and len(set(colours)) == 2
    some = tc.simulate(**KNOWN, samples=20, solve=20, seed=3, contracts=SPADES)
    with pytest.raises(SimulationError, match="neither solved nor estimated"):
        trick_picture(some, "3N", "S")


@pytest.fixture(scope="module")
def led():
    return tc.simulate_leads(
        leader=WEST, contract="3N", by="S", **AUCTION, samples=200, solve=24, seed=1
    )


@pytest.mark.solver
def test_leads_are_counted(led, monkeypatch) -> None:
    assert sorted(card for lead in led for card in lead.cards) == sorted(
        suit + rank for suit, ranks in zip("SHDC", WEST.split("."), strict=True) for rank in ranks
    )
    assert led["DT"].cards == ("DT", "D9", "D8") and led["D3"].cards == ("D3",)
    assert (led.after[:3].min(axis=1) == tc.solve(led.deals[:3]).tricks[:, 4, 2]).all()
    monkeypatch.setattr(leads, "solve_lead_batches", lambda *asked, workers: iter([led.after]))
    plain = tc.simulate_leads(
        leader=WEST, contract="3N", by="S", **AUCTION, samples=24, solve=24, seed=1
    )
    assert (plain.deals.owners == led.deals.owners[:24]).all(), "the same layouts first"
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
        assert lead.tricks.low < led[lead.cards[0]].tricks.mean < lead.tricks.high
    assert [lead.gain.mean for lead in plain] == sorted(
        (one.gain.mean for one in plain), reverse=True
    )
    assert str(plain).count("\n") == len(plain) + 8
    assert max(map(len, str(plain).splitlines())) <= 80


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"leader": "KJ742.Q5.T983.K"}, tc.DealError, "12 cards"),
        ({"west": "hcp 5+"}, SimulationError, "given twice"),
        ({"contract": "PASS"}, SimulationError, "passed-out"),
        ({"solve": 0}, SimulationError, "solve is 0"),
        ({"scoring": "rubber"}, SimulationError, "rubber"),
        ({"dealer": "nobody"}, tc.DealError, "'nobody' is not a seat"),
        ({"north": WEST}, ConstraintError, "SK is given to"),
    ],
)
def test_leads_that_cannot_be(asked: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tc.simulate_leads(**{"leader": WEST, "contract": "3N", "by": "S", **asked})


def test_an_interrupt_keeps_what_is_there_if_asked(monkeypatch) -> None:
    plan = {"samples": 500, "solve": 500, "contracts": SPADES}
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
        ({"samples": 19}, SimulationError, "samples is 19"),
        ({"solve": 19}, SimulationError, "solve is 19"),
        ({"samples": 100, "solve": 101}, SimulationError, "solve <= samples"),
        ({"precision": 0.0}, SimulationError, "precision is 0"),
        ({"seconds": float("nan")}, SimulationError, "seconds is nan"),
        ({"precision": "a"}, TypeError, "precision is 'a' .expected a number"),
        ({"seconds": "x"}, TypeError, "seconds is 'x' .expected a number"),
        ({"solve": 0, "precision": 0.1}, SimulationError, "needs exact"),
        ({"solve": 0, "samples": 50, "cluster": "zz"}, RuntimeError, "'zz' is not a cluster"),
        ({"dealer": "nobody"}, tc.DealError, "'nobody' is not a seat"),
        ({"contracts": 5}, SimulationError, "5 has no declarer .expected a list such as"),
        ({"contracts": []}, SimulationError, "empty"),
        ({"contracts": [("PASS", "S")]}, SimulationError, "passed-out"),
        ({"contracts": ["4S"]}, SimulationError, "'4S' has no declarer .expected a list such as"),
        ({"contracts": "4S"}, SimulationError, "'4S' has no declarer"),
        ({"contracts": ("4S", "S")}, SimulationError, "'4S' has no declarer .expected a list"),
        ({"contracts": "4S by Q"}, tc.DealError, "'Q' is not a seat"),
        ({"contracts": tc.Contract("4S")}, SimulationError, "4S has no declarer"),
        ({"contracts": [("8S", "S")]}, tc.DealError, "not a contract"),
        ({"contracts": [("4S", "X")]}, tc.DealError, "seat"),
        ({"north": "SA"}, ConstraintError, "SA is given to"),
        ({"north": "hcp 30+"}, ConstraintError, "hcp"),
        ({"condition": lambda owners: owners[:, 0] > 9, "max_tries": 999}, NoDealsError, "found"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"model": "nowhere.onnx"}, tc.ModelError, "nowhere"),
    ],
)
def test_what_cannot_be(asked: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tc.simulate(**{"south": SOUTH, **asked})


# --- deals that are known ---------------------------------------------------------------------

BOARD = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
HANDS = {"north": BOARD.north, "east": BOARD.east, "south": BOARD.south}


@pytest.mark.solver
def test_a_known_deal_is_solved_once_and_has_no_intervals() -> None:
    table = tc.solve(BOARD)
    known = tc.simulate(**HANDS, precision=0.01, contracts=[("4H", "N"), "3N by N"])
    assert (known.samples, known.solved, known.stopped, known.known) == (1, 1, None, True)
    assert known.deals.owners[0].tolist() == BOARD.owners.tolist()
    assert known.expected["H", "N"] == table["H", "N"] == 10
    assert known.making("4H", "N")[0] == 1 and known.making("3N", "N")[0] == 0
    for numbers in (known.interval["H", "N"], known.making("4H", "N")[1:]):
        assert np.isnan(numbers).all()
    assert known.compare("4H", "N", "3N", "N").mean == imps(420 - -50)
    assert "±" not in str(known) and "95 %" not in str(known) and "10.00" in str(known)
    made = tc.contract_chance(**HANDS, contract="4H", by="N")
    assert made.making().mean == 1 and np.isnan(made.making().low) and made.solved == 1
    with pytest.raises(NoDealsError):
        tc.simulate(**HANDS, condition=lambda owners: owners[:, 0] > 3)


def test_a_known_deal_is_estimated_once() -> None:
    known = tc.simulate(**HANDS, solve=0)
    assert (known.samples, known.solved) == (1, 0)
    assert str(known).startswith("1 layout, estimated\n")
    chances = tc.estimate(BOARD, model="accurate").probabilities[Strain.HEARTS, Seat.NORTH]
    assert known.expected["H", "N"] == pytest.approx(chances @ np.arange(14), abs=1e-4)


@pytest.mark.solver
def test_leads_against_a_known_deal_are_solved_once() -> None:
    known = tc.simulate_leads(
        leader=BOARD.east, contract="4H", by="N", north=BOARD.north, south=BOARD.south
    )
    assert len(known.deals) == 1 and len(known.after) == 1
    for lead in known:
        card = "SHDC".index(lead.cards[0][0]) * 13 + "AKQJT98765432".index(lead.cards[0][1])
        assert lead.tricks.mean == known.after[0, card]
        assert np.isnan([*lead.tricks[1:], *lead.setting[1:], *lead.gain[1:]]).all()
        assert lead.even == (lead.gain.mean == 0)
    assert "nan" not in str(known) and "±" not in str(known)


@pytest.mark.solver
def test_a_lead_that_always_loses_the_same_is_not_the_reference(led) -> None:
    value = Value(9.0, 8.5, 9.5)

    def half(*gain: float, first: bool = False) -> str:
        return str(led._half(value, value, Value(*gain), first=first))

    assert half(-1.0, -1.0, -1.0).endswith("-1.00 ±0.00  ")
    assert half(-0.1, -0.3, 0.1).endswith("-0.10 ±0.20 =")
    assert half(0.0, 0.0, 0.0).endswith("  no difference")
    assert half(0.0, 0.0, 0.0, first=True).endswith("  compared with")


@pytest.mark.solver
def test_a_lead_is_judged_as_played_too(led) -> None:
    played = led.as_played()
    assert len(played) == 13
    for lead in led:
        told = played[lead.cards[0]]
        assert abs(told.tricks.mean - lead.tricks.mean) < 2
        assert told.tricks.low < told.tricks.mean < told.tricks.high
        assert 0 <= told.making.low <= told.making.mean <= told.making.high <= 1
    assert led.as_played() is played
    worst = max(played, key=lambda card: played[card].tricks.mean)
    assert "as played" in str(led) and f"{played[worst].tricks.mean:.2f} ±" in str(led)
    gains = [played[lead.cards[0]].gain.mean for lead in led.ranked("played")]
    assert gains == sorted(gains, reverse=True) and max(gains) >= 0
    best = min(played.values(), key=lambda told: told.points.mean)
    assert best.gain == (0, 0, 0) and best.setting.mean == pytest.approx(1 - best.making.mean)
    assert led.ranked() == led.leads
    with pytest.raises(SimulationError, match="rank is 'luck' .expected double-dummy or played"):
        led.ranked("luck")


def test_contracts_are_compared_as_played_layout_by_layout() -> None:
    known = tc.simulate(south="AQ864.K75.A3.KJ4", north="hcp 6-9, spades 3-4",
                        samples=300, solve=0, seed=1)  # fmt: skip
    asked = [("4S", "S"), ("3N", "S"), ("2S", "S")]
    values = known.values_as_played(asked, "ns")
    for (contract, by), value in zip(asked, values, strict=True):
        alone = known.as_played(contract, by, "ns")
        assert value.worth == pytest.approx(alone.points, abs=1e-2)
        assert value.making == pytest.approx(alone.making, abs=1e-4)
    difference = known.compare_as_played("4S", "S", "3N", "S", vulnerable="ns", scoring="total")
    assert difference.mean == pytest.approx(values[0].worth.mean - values[1].worth.mean, abs=1e-2)
    against = known.values_as_played(asked, "ns", "imps")
    best = max(range(3), key=lambda i: values[i].worth.mean)
    assert against[best].worth == pytest.approx((0, 0, 0), abs=1e-3)
    same = known.compare_as_played("4S", "S", "4S", "S", scoring="matchpoints")
    assert same == pytest.approx((0.5, 0.5, 0.5), abs=1e-3)
    passed = known.compare_as_played("4S", "S", "PASS", "S", vulnerable="ns", scoring="total")
    assert passed.mean == pytest.approx(values[0].worth.mean, abs=1e-2)
    with pytest.raises(SimulationError, match=r"South and West .expected partners"):
        known.compare_as_played("4S", "S", "3N", "W")
    with pytest.raises(SimulationError, match=r"South and East .expected partners"):
        known.values_as_played([("4S", "S"), ("4H", "E")], "ns", "imps")


@pytest.mark.solver
def test_ways_of_bidding_are_compared_as_played() -> None:
    rule = "4S if hcp(north) >= 8 else 2S"
    told = tc.compare("2S", "4S", rule, by="S", south="AQ864.K75.A3.KJ4",
                      north="hcp 6-9, spades 3-4", samples=300, solve=20, seed=1)  # fmt: skip
    low, _, chosen = told.as_played()
    assert low.points == pytest.approx((0, 0, 0), abs=1e-3)
    assert low.matchpoints == pytest.approx((0.5, 0.5, 0.5), abs=1e-3)
    assert chosen.points.mean == pytest.approx(chosen.score.mean - low.score.mean, abs=0.5)
    assert str(told).count("  as played") == 3


def test_a_contract_is_judged_as_played_on_the_same_layouts() -> None:
    known = tc.simulate(south="AQ864.K75.A3.KJ4", north="hcp 6-9, spades 3-4",
                        samples=400, solve=0, seed=1)  # fmt: skip
    told = known.as_played("4S", "S", "ns")
    estimate = tc.estimate_played(known.deals, "4S", "S")
    assert np.isclose(told.tricks.mean, np.mean(estimate.expected), atol=1e-5)
    assert np.isclose(told.making.mean, np.mean(estimate.making()), atol=1e-5)
    assert np.isclose(told.points.mean, np.mean(estimate.score("ns")), atol=1e-2)
    club = known.as_played("4S", "S", "ns", players="club")
    assert club.tricks.mean != told.tricks.mean
    with pytest.raises(ValueError, match="expected expert or club"):
        known.as_played("4S", "S", players="nobody")


def test_shares_of_matchpoints_stay_within_0_and_1() -> None:
    close = means(np.repeat([1.0, 0.5], [39, 1])[:, None], None, unit=0.5)
    assert close.interval()[1][0] > 1
    assert gain_intervals(close, "matchpoints")[0].high == 1
    assert gain_intervals(close, "imps")[0].high > 1


def test_no_workers_are_refused_before_a_cluster_is_asked() -> None:
    question = leads.Leads(Strain.SPADES, Seat.SOUTH)
    for cluster in (None, "nowhere"):
        with pytest.raises(ValueError, match="workers is 0"):
            tc.simulate(**KNOWN, samples=20, solve=20, contracts=SPADES, workers=0, cluster=cluster)
        with pytest.raises(ValueError, match="workers is 0"):
            [*laid.solve_layouts(question, tc.random_deals(1, seed=1).owners, 0, cluster)]


@pytest.mark.solver
def test_a_lead_beats_as_many_layouts_as_the_solved_stand_for(monkeypatch) -> None:
    known = {"south": "AQJT98.A32.K32.2", "west": "K2.KQJ.AQJT.KQJT"}
    simulation = tc.simulate(**known, contracts=[("4S", "S")], samples=300, solve=100)
    assert simulation.chance is not None and simulation.chance.shape == (100,)
    stand_for = 1 / simulation.chance
    assert stand_for.sum() == pytest.approx(300, rel=0.25)
    # as if the lead of a diamond set the contract in the layouts that stand for the most
    sets = stand_for > np.quantile(stand_for, 0.8)
    taken = np.full((100, 52), 255, dtype=np.uint8)
    taken[:, 26] = np.where(sets, 9, 10)
    monkeypatch.setattr(beating, "solve_layouts", lambda *asked: iter([taken]))
    diamond = next(one for one in beating.beating_leads(simulation, "4S", "S") if one.lead == "DA")
    share = stand_for[sets].sum() / stand_for.sum()
    assert diamond.setting.mean == pytest.approx(share, abs=0.03) and share > sets.mean() + 0.05
    assert diamond.setting.low < share < diamond.setting.high
