"""Contracts and ways of bidding compared on the same layouts."""

import re
from typing import Any

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import hands_of, hcp, lengths
from trickcast.dealing import ConstraintError
from trickcast.scoring import imps, matchpoints
from trickcast.simulation import Comparison, SimulationError

KNOWN = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
RULE = (
    "4S by S if hcp(north) >= 16 and spades(north) >= 3 else 1N by N if hearts(north) == 3 else 2S"
)
CHOICES = ("2S", "4S", RULE, "4HX by E", "PASS")


@pytest.fixture(scope="module")
def solved() -> Comparison:
    return tc.compare(*CHOICES, by="S", vulnerable="ns", **KNOWN, samples=24, solve=24, seed=2)


@pytest.fixture(scope="module")
def points(solved) -> list[np.ndarray[Any, Any]]:
    """What each choice scores for North-South on each layout, worked out from whole tables."""
    table = tc.solve(solved.deals)
    norths = hands_of(solved.deals.owners, "N")
    game = (hcp(norths) >= 16) & (lengths(norths)[:, 0] >= 3)
    notrump = lengths(norths)[:, 1] == 3
    assert 0 < game.sum() < 24 and (notrump & ~game).sum() > 0, "every rule is tried"
    two, four = (tc.score(bid, table["S", "S"], vulnerable=True) for bid in ("2S", "4S"))
    one = tc.score("1N", table["N", "N"], vulnerable=True)
    against = -tc.score("4HX", table["H", "E"], vulnerable=False)
    rule = np.where(game, four, np.where(notrump, one, two))
    return [two, four, rule, against, np.zeros(24)]


@pytest.mark.solver
def test_every_number_is_the_mean_over_the_layouts(solved, points) -> None:
    assert len(solved) == len(solved.rows) == 5 and solved.side == "NS"
    for row, own in zip(solved, points, strict=True):
        difference = own - points[0]
        assert row.score.mean == pytest.approx(own.mean())
        assert row.points.mean == pytest.approx(difference.mean())
        assert row.imps.mean == pytest.approx(imps(difference).mean())
        shares = [matchpoints(pair)[0] for pair in zip(own, points[0], strict=True)]
        assert row.matchpoints.mean == pytest.approx(np.mean(shares))
        for value in (row.score, row.points, row.imps, row.matchpoints):
            assert value.low <= value.mean <= value.high
    assert solved.rows[0].points == (0, 0, 0) and solved.rows[0].matchpoints == (0.5, 0.5, 0.5)


@pytest.mark.solver
def test_differences_are_paired(solved) -> None:
    """On the same layouts a gain is known far better than two means apart from each other."""
    game, rule = solved["4S by S"], solved[RULE]
    apart = np.hypot(game.score.high - game.score.mean, rule.score.high - rule.score.mean)
    assert rule.points.high - rule.points.mean < apart
    with pytest.raises(KeyError):
        solved["3S by S"]


@pytest.mark.slow
@pytest.mark.solver
def test_the_network_corrected_agrees_with_solving_all() -> None:
    asked: dict[str, Any] = {"by": "S", **KNOWN, "seed": 5}
    exact = tc.compare("2S", "4S", RULE, **asked, samples=60, solve=60)
    mixed = tc.compare("2S", "4S", RULE, **asked, samples=300, solve=30)
    for one, other in zip(exact, mixed, strict=True):
        half = np.hypot(one.score.high - one.score.mean, other.score.high - other.score.mean)
        assert abs(one.score.mean - other.score.mean) < 2 * half
    guess = tc.compare("2S", "4S by E", **asked, samples=20, solve=0)
    assert np.isnan(guess.rows[1].imps.low) and guess.rows[1].imps.mean != 0


@pytest.mark.solver
def test_it_is_that_of_one_simulation() -> None:
    asked: dict[str, Any] = {**KNOWN, "samples": 60, "solve": 20, "seed": 3}
    result = tc.simulate(**asked, contracts=[("2S", "S"), ("3N", "N")])
    compared = tc.compare(("2S", "S"), tc.Contract("3N", by="N"), **asked)
    gain = result.compare("3N", "N", "2S", "S")
    np.testing.assert_allclose(compared["3N by N"].imps, gain)
    np.testing.assert_allclose(compared["2S by S"].score, result.score("2S", "S"))


@pytest.mark.slow
@pytest.mark.solver
def test_the_better_declarer_is_taken_where_nobody_is_told() -> None:
    asked: dict[str, Any] = {**KNOWN, "samples": 40, "solve": 40, "seed": 3}
    rule = "4S if spades(north) >= 4 else 2S"
    both = [tc.compare("2N", "4S", rule, by=by, **asked) for by in "NS"]
    taken = tc.compare("2N", "4S", rule, **asked)
    for number, row in enumerate(taken):
        assert row.score.mean == max(result.rows[number].score.mean for result in both)
    assert taken[rule].choice.text.startswith(f"{rule}, by ")


@pytest.mark.solver
def test_a_comparison_prints(solved) -> None:
    lines = str(solved).splitlines()
    assert lines[1] == "points of NS, vulnerable NS; against 2S by S:"
    assert all(len(line) <= 80 for line in lines) and "<pre>" in solved._repr_html_()
    assert any(line.startswith("PASS") for line in lines) and "0.50" in lines[3]


@pytest.mark.parametrize(
    ("choices", "options", "error", "message"),
    [
        (["4S"], {"by": "S"}, SimulationError, "fewer than two"),
        ([["3N", "4S"]], {"by": "S"}, SimulationError, "pass contracts one by one"),
        ([("3N", "4S", "5C")], {"by": "S"}, SimulationError, "pass contracts one by one"),
        (["4S", "3N"], {"side": "N"}, SimulationError, "side is"),
        (["PASS", "PASS"], {}, SimulationError, "no contract is played"),
        (["4S by S", "3N by N if hcp(north) > 9"], {}, SimulationError, "no else"),
        (["4S by S", "8N by N"], {}, tc.DealError, "not a contract"),
        (["4S by S", "3N by X"], {}, tc.DealError, "not a seat"),
        (["4S by S", "3N by N"], {"vulnerable": "most"}, tc.DealError, "not a vulnerability"),
    ],
)
def test_what_cannot_be_compared(choices, options, error, message) -> None:
    with pytest.raises(error, match=message):
        tc.compare(*choices, **options, **KNOWN, samples=20, solve=0)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("hpc(north) >= 16", "rule, line 1, column 7: hpc is not a count (did you mean hcp?)"),
        ("x", "rule, line 1, column 7: x is not a name"),
        ("hcp(north)", "rule, line 1, column 7: hcp(north) is a number"),
        ("tricks(south, notrump) >= 9", "tricks() is not known from the cards alone (expected co"),
    ],
)
def test_a_wrong_rule_is_told_before_anything_is_dealt(monkeypatch, condition, message) -> None:
    monkeypatch.setattr("trickcast.simulation.simulating.lay_out", None)
    for by in ("S", None):
        with pytest.raises(ConstraintError, match=re.escape(message)):
            tc.compare("2N", f"3N if {condition} else 2N", by=by, **KNOWN)


def test_a_rule_that_divides_by_zero_is_told_with_its_place() -> None:
    asked: dict[str, Any] = {"by": "S", "north": KNOWN["north"], "samples": 200, "solve": 0}
    with pytest.raises(ConstraintError, match="rule, line 1, column 7: a division by zero"):
        tc.compare("2N", "3N if hcp(south) / 0 > 1 else 2N", **asked)
    first = "PASS if spades(south) == 0 else 3N if hcp(south) / spades(south) > 1 else 2N"
    assert len(tc.compare("2N", first, **asked)) == 2


def test_a_hand_with_a_described_partner_is_the_mean_over_partners() -> None:
    estimator = tc.PairEstimator(threads=1)
    found = estimator.average(KNOWN["south"], KNOWN["north"], samples=300, seed=1)
    asked = {"north": KNOWN["south"], "south": KNOWN["north"]}
    partners = hands_of(tc.constrained_deals(300, seed=1, **asked).owners, "S")
    each = estimator(KNOWN["south"], partners)
    np.testing.assert_allclose(found.expected, each.expected.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(found.making("4S"), each.making("4S").mean(), atol=1e-5)
    assert estimator.average(KNOWN["south"], KNOWN["north"], samples=300, seed=1) == found
    with pytest.raises(ValueError, match="expected 1 or more"):
        estimator.average(KNOWN["south"], "hcp 15-17", samples=0)


def test_points_and_lengths_of_hands_make_tests_of_them() -> None:
    deals = tc.random_deals(50, seed=9)
    norths = hands_of(deals.owners, "N")
    assert hcp(norths).tolist() == [deal.north.hcp for deal in deals]
    assert lengths(norths).tolist() == [[*deal.north.lengths] for deal in deals]
    assert hcp(deals[0].north) == deals[0].north.hcp
    strong = tc.constrained_deals(5, seed=1, south=lambda hands: hcp(hands) >= 18)
    assert all(deal.south.hcp >= 18 for deal in strong)
