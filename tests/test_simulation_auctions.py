"""Simulations whose hidden hands follow an auction."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trickcast as tc
from trickcast.bidding import AuctionLayouts, AuctionWarning, loaded_bidder, read_auction
from trickcast.dealing import Constraints, NoDealsError
from trickcast.simulation import SimulationError
from trickcast.simulation.controls import means

OPENER = "AQ864.K75.A3.KJ4"
LEADER = "KJ95.J65.K32.T54"
RAISED: dict[str, Any] = {"south": OPENER, "auction": "1S P 2S P", "dealer": "S"}
GAME: dict[str, Any] = {"leader": LEADER, "auction": "1N P 3N P P P", "dealer": "E"}


@pytest.mark.solver
def test_hidden_hands_follow_the_auction() -> None:
    told = tc.simulate(**RAISED, contracts=[("4S", "S")], samples=300, solve=20, seed=3)
    plain = tc.simulate(south=OPENER, contracts=[("4S", "S")], samples=300, solve=20, seed=3)
    assert np.mean([deal.north.lengths[0] >= 3 for deal in told.deals]) > 0.95
    assert np.mean([deal.north.lengths[0] >= 3 for deal in plain.deals]) < 0.7
    assert all(str(deal.south) == OPENER for deal in told.deals)
    again = tc.simulate(**RAISED, contracts=[("4S", "S")], samples=300, solve=20, seed=3)
    assert (told.deals.owners == again.deals.owners).all()
    assert told.effect >= 1 == plain.effect
    assert "the layouts fit the auction" in str(told)


def test_more_layouts_begin_with_the_same() -> None:
    few = tc.simulate(**RAISED, samples=100, solve=0, seed=3)
    many = tc.simulate(**RAISED, samples=700, solve=0, seed=3)
    assert (many.deals.owners[:100] == few.deals.owners).all()


def test_words_hold_beside_the_auction_and_own_meanings_count() -> None:
    bidder = tc.Bidder(threads=1)
    heard = bidder.read("1N P", "E", meanings="1N: hcp 12-14, balanced")
    told = tc.simulate(south="KQ97.KQ7.AQ82.A2", north="spades 4+", auction=heard,
                       samples=100, solve=0)  # fmt: skip
    assert all(deal.north.lengths[0] >= 4 for deal in told.deals)
    assert {deal.east.hcp for deal in told.deals} <= {12, 13, 14}


def test_a_call_that_hardly_fits_is_told_by_what_it_should_show() -> None:
    bidder = tc.Bidder(threads=1)
    whole = {"south": OPENER, "north": "KT73.Q94.K652.T5", "east": "J95.AJT8.QJ8.Q87"}
    with pytest.warns(AuctionWarning, match="call 1, 3C by West, .* in championship play"):
        tc.simulate(**whole, auction="3C", dealer="W", samples=1, solve=0)
    heard = bidder.read("1S P 2S P", "S", meanings="1S: spades 4, hcp 20+")
    with pytest.warns(AuctionWarning, match="1S by South, .* by the meanings given hardly any"):
        tc.simulate(south=OPENER, auction=heard, samples=100, solve=0)


@pytest.mark.solver
def test_contract_and_declarer_follow_from_a_whole_auction() -> None:
    told = tc.simulate_leads(**GAME, samples=40, solve=20)
    assert (str(told.contract), told.by.word) == ("3N", "East")
    assert all(str(deal.south) == LEADER for deal in told.deals)
    assert np.mean([deal.east.hcp for deal in told.deals]) > 13


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"auction": "1N P"}, "the auction 1N P has not ended"),
        ({"auction": "P P P P"}, "the board was passed out"),
        ({"contract": "4S"}, "ends in 3N, not in 4S"),
        ({"by": "N"}, "makes East declarer, not North"),
        ({"auction": None}, "expected both, or a whole auction"),
    ],
)
def test_a_lead_needs_one_contract(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(SimulationError, match=words):
        tc.simulate_leads(**(GAME | changes))


@pytest.mark.solver
def test_the_chance_of_a_contract_follows_too() -> None:
    told = tc.contract_chance(**RAISED, contract="2S", by="S", samples=100, solve=20)
    assert told.making().mean > 0.8


def test_layouts_that_hang_together_widen_intervals() -> None:
    taken = np.random.default_rng(1).integers(7, 12, (50, 1)).astype(float)
    alone, together = means(taken, None), means(taken, None, effect=4.0)
    assert np.allclose(together.error, 2 * alone.error)
    assert np.allclose(together.effective, alone.effective / 4)
    assert np.allclose(together.mean, alone.mean)


@pytest.mark.solver
def test_an_auction_has_its_own_vulnerability() -> None:
    calls = read_auction("1N P 3N P P P", "E", "ew")
    texts = tc.simulate_leads(**GAME, vulnerable="ew", samples=40, solve=20, seed=1)
    told = tc.simulate_leads(leader=LEADER, auction=calls, samples=40, solve=20, seed=1)
    assert told.vulnerable and texts.vulnerable
    assert [lead.points for lead in told.leads] == [lead.points for lead in texts.leads]
    other = tc.simulate_leads(leader=LEADER, auction=calls, vulnerable="ns",
                              samples=40, solve=20, seed=1)  # fmt: skip
    assert [lead.points for lead in other.leads] == [lead.points for lead in told.leads]
    opened = read_auction("1S P 2S P", "S", "ns")
    compared = tc.compare("2S", "4S", by="S", south=OPENER, auction=opened, samples=40, solve=20)
    assert str(compared.vulnerable) == "ns"


@pytest.mark.solver
def test_a_contract_may_bring_its_declarer() -> None:
    size: dict[str, Any] = {"samples": 40, "solve": 20, "seed": 1}
    east = tc.contract_chance(south=OPENER, contract=tc.Contract("4H", by="E"), **size)
    assert (
        str(east.by) == "E"
        and east.making()
        == tc.contract_chance(south=OPENER, contract="4H", by="E", **size).making()
    )
    pair, alone = (
        tc.simulate(south=OPENER, contracts=contracts, **size).making("4H", by="E")
        for contracts in ([("4H", "E")], [tc.Contract("4H", by="E")])
    )
    assert pair == alone
    led = tc.simulate_leads(leader=LEADER, contract=tc.Contract("3N", by="E"), **size)
    assert str(led.by) == "E"
    with pytest.raises(SimulationError, match=r"^3N has no declarer .expected by, or"):
        tc.simulate_leads(leader=LEADER, contract="3N")


def test_layouts_of_an_auction_follow_the_seed_and_stay_when_no_more_are_found() -> None:
    reading = loaded_bidder(threads=1).read("1N P 3N P P P", "E", "none")
    first = AuctionLayouts(reading, Constraints(south=LEADER))
    once = first.deals(10, 1)
    assert (first.deals(10, 2).owners != once.owners).any()
    assert (first.deals(10, 1).owners == once.owners).all()

    tried = 0

    def often_at_first(owners: NDArray[np.uint8]) -> NDArray[np.bool_]:
        nonlocal tried
        tried += len(owners)
        return np.full(len(owners), tried < 20_000)

    scarce = AuctionLayouts(reading, Constraints(south=LEADER, condition=often_at_first))
    begun = scarce.deals(10, 1)
    with pytest.raises(NoDealsError) as raised:
        scarce.deals(20_000, 1)
    kept = raised.value.deals
    assert len(kept) >= len(begun) == 10
    assert (kept.owners[:10] == begun.owners).all()
