"""What holds for every match and every estimate, whatever the numbers are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trickcast as tc
from trickcast.cards import Seat, Strain
from trickcast.scoring import victory_points

BOARDS = st.integers(1, 200)
MARGINS = st.integers(-400, 400)


@given(margin=MARGINS, boards=BOARDS)
def test_victory_points_are_twenty_for_both_and_as_many_for_either_side(margin, boards) -> None:
    ours, theirs = victory_points(margin, boards)
    assert 0 <= ours <= 20 and round(ours + theirs, 2) == 20
    assert victory_points(-margin, boards) == (theirs, ours)
    assert victory_points(0, boards) == (10, 10)


@given(margin=MARGINS, more=st.integers(1, 50), boards=BOARDS)
def test_more_imps_are_never_fewer_victory_points_and_count_less_in_longer_matches(
    margin, more, boards
) -> None:
    assert victory_points(margin + more, boards)[0] >= victory_points(margin, boards)[0]
    won = abs(margin)
    assert victory_points(won, boards + more)[0] <= victory_points(won, boards)[0]


@pytest.mark.parametrize("model", ["accurate", "fast"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_chances_of_at_least_so_many_tricks_fall_from_one_to_nothing(model, seed) -> None:
    estimate = tc.estimate(tc.random_deals(3, seed=seed), model)
    chances = np.stack([estimate.at_least(tricks) for tricks in range(15)], axis=-1)
    np.testing.assert_allclose(chances[..., 0], 1, atol=1e-4)
    assert (chances[..., 14] == 0).all()
    assert (np.diff(chances, axis=-1) <= 1e-6).all()
    np.testing.assert_allclose(-np.diff(chances, axis=-1), estimate.probabilities, atol=1e-5)
    for strain in Strain:
        for seat in Seat:
            making = estimate.making(f"4{strain.letter}", by=seat)
            np.testing.assert_allclose(making, chances[:, strain, seat, 10])


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_two_hands_reach_no_more_tricks_with_a_higher_goal(seed) -> None:
    deal = tc.random_deals(1, seed=seed)[0]
    pair = tc.PairEstimator()(deal.north, deal.south)
    for by in ("N", "S"):
        chances = np.stack([pair.at_least(tricks, by=by) for tricks in range(15)], axis=-1)
        np.testing.assert_allclose(chances[..., 0], 1, atol=1e-4)
        assert (chances[..., 14] == 0).all() and (np.diff(chances, axis=-1) <= 1e-6).all()
