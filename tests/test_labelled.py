"""Arrays with names, and what every result is asked in the same words."""

import copy
import pickle

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import TABLE, LabelledArray, Seat, Strain, Suit

NUMBERS = np.arange(60).reshape(3, 5, 4)
MANY, ONE = LabelledArray(NUMBERS, TABLE), LabelledArray(NUMBERS[1], TABLE)
DEALS = tc.random_deals(4, seed=7)
KNOWN = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}


@pytest.mark.parametrize(
    "key",
    [
        ("H", "E"),
        ("hearts", "east"),
        ("♥", "e"),
        (Strain.HEARTS, Seat.EAST),
        (Suit.HEARTS, "E"),
        ("H", 1),
        (Strain.HEARTS, 1),
    ],
)
def test_names_stand_for_the_named_axes_and_leading_ones_stay(key) -> None:
    assert ONE[key] == 25 and isinstance(ONE[key], int)
    assert MANY[key].tolist() == NUMBERS[:, 1, 1].tolist()
    assert MANY[(2, *key)] == 45


def test_numbers_index_as_in_numpy() -> None:
    for key in (1, -1, slice(1, 3), [0, 2], (0, 1), (..., 2), np.array([True, False, True])):
        assert np.array_equal(MANY[key], NUMBERS[key])
    assert np.array_equal(MANY[:, Strain.HEARTS], NUMBERS[:, 1])
    assert np.array_equal(MANY[..., Strain.HEARTS, Seat.SOUTH], NUMBERS[..., 1, 2])
    assert np.array_equal(MANY[..., "S"], NUMBERS[..., 2])
    assert np.array_equal(MANY[:, "S"], NUMBERS[:, 0])
    assert np.array_equal(MANY[[0, 2], "S", "W"], NUMBERS[[0, 2], 0, 3])


def test_what_is_chosen_keeps_its_names() -> None:
    assert MANY[1]["H", "E"] == MANY[1:]["H", "E"][0] == MANY["H"]["E"][1] == 25
    assert MANY[..., "E"]["H"].tolist() == MANY["H", "E"].tolist()
    assert MANY.astype(float)["N", "W"].tolist() == [19.0, 39.0, 59.0]
    copies = MANY.copy(), copy.copy(MANY), copy.deepcopy(MANY), pickle.loads(pickle.dumps(MANY))
    for again in (
        *copies,
        MANY[:],
        MANY[...],
        MANY[[2, 0, 1]][[1, 2, 0]],
        MANY[NUMBERS[:, 0, 0] >= 0],
    ):
        assert np.array_equal(again["C"], NUMBERS[:, 3])
    assert type(MANY + 1) is type(MANY.sum(axis=0)) is np.ndarray


@pytest.mark.parametrize(
    "moved",
    [
        lambda table: table[::-1],
        lambda table: table[[4, 0, 1, 2, 3]],
        lambda table: table[table[:, 0] >= 0],
        lambda table: table[np.asarray(table) >= 0].reshape(5, 4),
        lambda table: table[..., ::-1],
        lambda table: table[::-1, [3, 2, 1, 0]],
        lambda table: np.take(table, [2, 3, 0, 1], axis=1),
        lambda table: np.roll(table, 1, axis=0),
        lambda table: np.sort(table),
        lambda table: np.partition(table, 2),
        lambda table: table.take([4, 3, 2, 1, 0], axis=0),
        lambda table: np.flip(table),
        lambda table: table.T.reshape(5, 4),
    ],
)
def test_reordered_axes_lose_their_names(moved) -> None:
    again = moved(ONE)
    assert again.shape == (5, 4)
    with pytest.raises(IndexError):
        again["N", "N"]


def test_part_of_an_axis_has_numbers_only() -> None:
    for part in (ONE[1:, "N"], ONE["H", ::-1], ONE["H", 1:3], MANY[0, ::-1, "N"]):
        assert isinstance(part, np.ndarray)
        for name in ("N", "H"):
            with pytest.raises(IndexError):
                part[name]
    ends = LabelledArray(np.arange(40).reshape(5, 4, 2), (*TABLE, None), lambda low, high: low)
    assert ends["H", "E"] == 10
    assert ends["H", 1:3].tolist() == [[10, 11], [12, 13]]
    assert ends["H", 1:3, 0].tolist() == [10, 12]


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (("Q", "N"), tc.DealError, "'Q' is not a strain"),
        (("H", "H"), tc.DealError, "'H' is not a seat"),
        (("H", Strain.HEARTS), tc.DealError, "is not a seat"),
        (("H", "N", "S"), IndexError, "too many names"),
        (("H", 4), IndexError, "out of bounds"),
    ],
)
def test_what_is_no_name_is_an_error(key, error, message) -> None:
    with pytest.raises(error, match=message):
        MANY[key]


@pytest.mark.solver
def test_results_of_deals_read_alike() -> None:
    estimate, table = tc.estimate(DEALS, model="fast"), tc.solve(DEALS[:2])
    assert np.array_equal(estimate.expected["H", "N"], np.asarray(estimate.expected)[:, 1, 0])
    assert estimate[2].tricks["H", "N"] == estimate.tricks[2, 1, 0]
    assert estimate.probabilities["H", "N"].shape == (4, 14)
    assert np.array_equal(table["H", "N"], table.tricks["H", "N"]) and table[1]["H", "N"] <= 13
    assert DEALS[:2].with_tricks(table).tricks["H", "N"].tolist() == table["H", "N"].tolist()
    for key in ("H", ("H", "N"), Strain.HEARTS):
        with pytest.raises(TypeError, match=r"indexed by deals.*estimate.tricks\[\"H\", \"N\"\]"):
            estimate[key]


def test_the_chance_of_a_contract_is_asked_alike_of_every_result() -> None:
    estimate = tc.estimate(DEALS, model="fast")
    chances = np.asarray(estimate.probabilities)
    np.testing.assert_allclose(estimate.making("4HX", by="N"), chances[:, 1, 0, 10:].sum(-1))
    np.testing.assert_allclose(estimate[1].making("3N", by="S"), chances[1, 4, 2, 9:].sum())
    np.testing.assert_allclose(estimate.making("4H")["W"], estimate.making("4H", by="west"))
    np.testing.assert_allclose(estimate.at_least(9)["S", "E"], chances[:, 0, 1, 9:].sum(-1))
    assert isinstance(estimate[1].at_least(9, "S", "E"), float)

    least = np.arange(len(DEALS)) % 14
    alone = [estimate.at_least(k, "H", "N")[i] for i, k in enumerate(least)]
    assert np.array_equal(estimate.at_least(least, "H", "N"), alone)
    with pytest.raises(ValueError, match=r"^tricks of shape \(3,\) for .* or one for each deal"):
        estimate.at_least([7, 8, 9])
    with pytest.raises(TypeError, match="^tricks is '9' .expected a number"):
        estimate.at_least("9", "H", "N")

    pair = tc.PairEstimator(threads=1)(DEALS[0].north, DEALS[0].south)
    for chances in pair.chances().values():
        assert chances.dtype == np.float32
    assert pair.making("4H") == pair.making("4H", by="N") == pair.at_least(10)["H"]
    assert pair.making("4H", by="S") == pair.by_partner.making("4H") != pair.making("4H")
    with pytest.raises(tc.DealError, match="East declares"):
        pair.making("4H", by="E")

    played = tc.estimate_played(DEALS, "4H", by="N")
    assert np.array_equal(played.making(), played.making("4H", by="N"))
    assert np.array_equal(played.at_least(10), played.making())
    with pytest.raises(tc.DealError, match="South is not the declarer"):
        played.making("4H", by="S")

    for result in (estimate, pair, played):
        with pytest.raises(tc.DealError, match="passed.out|is not in"):
            result.making("PASS")


@pytest.mark.solver
def test_a_contract_has_one_declarer() -> None:
    own, deal = tc.Contract("4H", by="S"), DEALS[0]
    estimate = tc.estimate(deal, model="fast")
    played = tc.estimate_played(deal, "4H", by="N")
    few = {"samples": 20, "solve": 20, "workers": 1}
    result = tc.simulate(**KNOWN, contracts=[("4H", "N"), ("4H", "S")], **few)
    for conflict in (
        lambda: estimate.making(own, by="N"),
        lambda: tc.estimate_played(deal, own, by="N"),
        lambda: tc.estimate_played(deal, [own], by=["N"]),
        lambda: tc.solve_leads(deal, own, "N", workers=1),
        lambda: tc.solve_play(deal, own, "N", workers=1),
        lambda: tc.contract_chance(**KNOWN, contract=own, by="N", **few),
        lambda: tc.simulate(**KNOWN, contracts=[(own, "N")], **few),
        lambda: tc.simulate_leads(leader=deal.east, contract=own, by="N", **few),
        lambda: result.making(own, by="N"),
        lambda: result.score(own, by="N"),
        lambda: result.values_as_played([(own, "N")]),
        lambda: result.compare("4H", "N", own, "N"),
    ):
        with pytest.raises(tc.DealError, match="4H is by South, not by North .expected one"):
            conflict()
    with pytest.raises(tc.DealError, match="South is not the declarer of this estimate"):
        played.making(tc.Contract("3H", by="S"))
    with pytest.raises(ValueError, match="the auction makes North declarer, not South"):
        auction = {"auction": "1H P 4H P P P", "dealer": "N"}
        tc.simulate_leads(leader=deal.east, contract=own, **auction, **few)

    assert estimate.making(own) == estimate.making("4H", by="S")
    assert tc.estimate_played(deal, own).contracts.tolist() == [4, 1, 0, 2]
    both = tc.estimate_played(deal, [own, "4H"], by=[None, "N"])
    assert both.contracts[:, 3].tolist() == [2, 0]
    assert tc.solve_leads(deal, own, workers=1) == tc.solve_leads(deal, "4H", "S", workers=1)
    assert len(tc.solve_play(deal, own, workers=1)[0]) == 13
    for lacking in (
        lambda: tc.estimate_played(deal, "4H"),
        lambda: tc.solve_leads(deal, "4H", workers=1),
    ):
        with pytest.raises(tc.DealError, match="4H has no declarer .expected by"):
            lacking()


@pytest.mark.solver
def test_a_simulation_reads_like_an_estimate() -> None:
    result = tc.simulate(**KNOWN, samples=30, solve=20, contracts=[("2S", "S")], workers=1)
    low, high = result.interval["S", "S"]
    assert result.interval["S", "S"].low == low <= result.expected["S", "S"] <= high
    assert result.making("2S", by="S") == result.at_least(8, "spades", "south")
    assert result[3] == result.deals[3] and result[:5] == result.deals[:5]
    assert len(result) == 30 == len(list(result))
    with pytest.raises(TypeError, match="indexed by deals"):
        result["S", "S"]
    with pytest.raises(ValueError, match="no declarer .expected strain and declarer"):
        result.making("2S")
    with pytest.raises(ValueError, match="expected 0 to 13"):
        result.at_least(14, "S", "S")
