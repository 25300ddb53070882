"""Results depend on what was asked alone: not on threads, batch sizes, order, or company."""

import io
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trickcast as tc
from endurance import CALLS, answer, from_children, from_threads, stay_flat
from trickcast.cards import DealSet
from trickcast.dealing import Constraints
from trickcast.formats import FORMATS, iter_deals, write_stream

DEALS = tc.random_deals(33, seed=9)
N = len(DEALS)
ORDERS = st.permutations(range(N))
FEW = settings(max_examples=12, deadline=None)


@cache
def estimator(model: str, threads: int, batch_size: int) -> tc.Estimator:
    return tc.Estimator(model, threads=threads, batch_size=batch_size)


@pytest.mark.parametrize("model", [model.name for model in tc.models()])
@given(ORDERS, st.integers(1, 3), st.sampled_from([1, 2, 7, 32, 512]))
@FEW
def test_estimates(model: str, order: list[int], threads: int, batch_size: int) -> None:
    once = estimator(model, 1, 512)(DEALS)
    again = estimator(model, threads, batch_size)(DEALS[np.array(order)])
    assert (again.tricks == once.tricks[order]).all()
    assert np.abs(again.probabilities - once.probabilities[order]).max() < 1e-5


@pytest.mark.solver
def test_solved_tables() -> None:
    once = tc.solve(DEALS[:3], workers=1).tricks
    assert (tc.solve(DEALS[np.array([2, 0, 1])], workers=3).tricks == once[[2, 0, 1]]).all()


@cache
def pair_estimator(batch_size: int) -> tc.PairEstimator:
    return tc.PairEstimator("hand2vec", threads=1, batch_size=batch_size)


@given(ORDERS, st.sampled_from([1, 5, 512]))
@FEW
def test_estimates_of_two_hands(order: list[int], batch_size: int) -> None:
    norths, souths = DEALS.owners == 0, DEALS.owners == 2
    once = pair_estimator(512)(norths, souths).probabilities
    again = pair_estimator(batch_size)(norths[order], souths[order]).probabilities
    assert np.abs(again - once[order]).max() < 1e-5


@cache
def systems() -> list[Any]:
    return [tc.openings.load(name) for name in tc.openings.names()]


@given(ORDERS)
@settings(max_examples=4, deadline=None)
def test_what_is_said_of_hands_and_deals(order: list[int]) -> None:
    hands = [deal.north for deal in DEALS]
    turned = [hands[i] for i in order]
    for system in systems():
        bids = system.bid(hands)
        assert system.bid(turned) == [bids[i] for i in order]
    names = tc.evaluators.names()
    values = tc.evaluators.evaluate_all(names, hands)
    assert (tc.evaluators.evaluate_all(names, turned) == values[order]).all()
    asked = Constraints(north="hcp 8+, spades 3+", condition="hcp(east) > hcp(west)")
    assert (asked.accepts(DEALS[np.array(order)]) == asked.accepts(DEALS)[order]).all()


@given(st.integers(1, 40), st.integers(0, 2**64 - 1 - 80), st.integers(0, 30))
@FEW
def test_deals_are_their_seeds_and_numbers(n: int, seed: int, start: int) -> None:
    whole = tc.random_deals(start + n, seed)
    assert tc.random_deals(n, seed, start) == whole[start:]


@given(st.sampled_from(["pbn", "lin", "text", "zrd", "csv", "gib"]), st.integers(1, 50))
@FEW
def test_a_file_is_read_alike_in_parts_of_any_size(form: str, chunk: int) -> None:
    tricks = np.random.default_rng(3).integers(0, 14, (N, 5, 4), dtype=np.uint8)
    written = io.BytesIO()
    known = FORMATS[form].tricks
    write_stream([DEALS.with_tricks(tricks) if known else DEALS], written, form)
    parts = list(iter_deals(io.BytesIO(written.getvalue()), form, chunk=chunk))
    assert max(map(len, parts)) <= chunk
    assert (DealSet.concatenate(parts).owners == DEALS.owners).all()


@pytest.mark.solver
@pytest.mark.parametrize("workers", [2, 3])
def test_simulations(workers: int) -> None:
    hand = "AQ52.KJ3.K42.Q73"
    asked: dict[str, Any] = {"samples": 60, "solve": 20, "seed": 4, "contracts": [("4S", "N")]}
    once = tc.simulate(north=hand, workers=1, **asked).expected
    again = tc.simulate(north=hand, workers=workers, **asked).expected
    np.testing.assert_allclose(again, once, atol=1e-5)


# --- the long run, short --------------------------------------------------------------------------


@pytest.mark.solver
def test_calls_leave_nothing_behind() -> None:
    stay_flat("calls", 40 * len(CALLS), answer)


@pytest.mark.solver
def test_threads_and_children_answer_alike() -> None:
    from_threads(8, len(CALLS))
    from_children(len(CALLS))


def test_what_grows_is_seen() -> None:
    kept: list[np.ndarray] = []
    with pytest.raises(AssertionError, match="grows"):
        stay_flat("a leak", 20, lambda step: kept.append(np.ones(1 << 20)))
