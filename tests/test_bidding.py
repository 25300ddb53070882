"""The auction's laws, the network of calls, layouts that fit an auction, and what calls show."""

import pickle
import re
import warnings
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.bidding import Auction, read_auction
from trickcast.bidding.auction_layouts import (
    AuctionError,
    AuctionLayouts,
    AuctionWarning,
    Block,
    Sampler,
)
from trickcast.bidding.bidder import loaded
from trickcast.bidding.cards_played import seats_played
from trickcast.cards import DealError, Seat, Strain, Vulnerability
from trickcast.cards.auction import (
    CALL_NUMBER,
    CALLS,
    AuctionState,
    CallError,
    auction_states,
    is_over,
)
from trickcast.cards.card_play import PlayError
from trickcast.cards.turns import encode_calls, turns_of
from trickcast.dealing import ConstraintError, Constraints, NoDealsError
from trickcast.dealing.shuffling import RandomWords

HAND = "KJ95.J65.K32.T54"
HCP = np.tile(np.array([4, 3, 2, 1] + [0] * 9), 4)


@pytest.fixture(scope="module")
def bidder() -> tc.Bidder:
    return loaded(threads=1)


def lawful(calls: list[str], call: str) -> bool:
    """Law 19 and 22, in words: whether a call may follow."""
    bids = [(i, c) for i, c in enumerate(calls) if c[0] in "1234567"]
    ended = len(calls) >= 4 and calls[-3:] == ["PASS"] * 3
    if ended:
        return False
    if call == "PASS":
        return True
    if call in ("X", "XX"):
        if not bids:
            return False
        at, _ = bids[-1]
        since = [c for c in calls[at + 1 :] if c != "PASS"]
        opponents = (len(calls) - at) % 2 == 1
        if call == "X":
            return opponents and not since
        return not opponents and since == ["X"]
    order = "CDHSN"
    height = int(call[0]), order.index(call[1])
    return not bids or height > (int(bids[-1][1][0]), order.index(bids[-1][1][1]))


def random_auction(rng: np.random.Generator) -> list[str]:
    """Calls chosen at random, short ones mostly and low bids, up to the end of the auction."""
    calls: list[str] = []
    while True:
        may = [call for call in CALLS if lawful(calls, call)]
        if not may:
            return calls
        weights = np.array([4.0, 2.0, 2.0, *([1.0, 0.5, 0.3] + [0.1] * 40)])[: len(may)]
        calls.append(str(rng.choice(may, p=weights / weights.sum())))


def declared(dealer: Seat, calls: list[str]) -> tuple[str, Seat | None]:
    """Law 22 and the definitions: who of the last bidder's side was first to name its strain."""
    sides = [(Seat((dealer + i) % 4), call) for i, call in enumerate(calls)]
    bids = [(seat, call) for seat, call in sides if call[0] in "1234567"]
    if not bids:
        return "PASS", None
    last, bid = bids[-1]
    after = "".join(call for call in calls[len(calls) - calls[::-1].index(bid) :])
    doubling = "XX" if "XX" in after else "X" if "X" in after else ""
    ours = [seat for seat, call in bids if seat in (last, last.partner) and call[1] == bid[1]]
    return bid + doubling, ours[0]


def test_calls_are_those_of_the_laws() -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        calls = random_auction(rng)
        numbers = [CALL_NUMBER[call] for call in calls]
        states = auction_states(numbers)
        for turn, state in enumerate(states):
            made = calls[:turn]
            assert [CALLS[i] for i in np.flatnonzero(state.allowed)] == [
                call for call in CALLS if lawful(made, call)
            ]
            assert state.over == is_over(made)
        assert read_auction(calls, "E").contract == declared(Seat.EAST, calls)
        assert (encode_calls(numbers)[1] == [state.allowed for state in states]).all()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1N 1C", "call 2, 1C: it is not higher than 1N"),
        ("1N P foo", "call 3: 'foo' is not a call"),
        ("X", "call 1, X: there is no bid yet"),
        ("XX", "call 1, XX: there is no bid yet"),
        ("1S X X", "call 3, X: 1S is their own bid"),
        ("1S P X", "call 3, X: 1S is their own bid"),
        ("1S X P X", "call 4, X: 1S is doubled already"),
        ("1S XX", "call 2, XX: 1S is not their own bid"),
        ("1S P XX", "call 3, XX: 1S is not doubled"),
        ("1S X XX P XX", "call 5, XX: 1S is already redoubled"),
        ("P P P P 1C", "call 5, 1C: the auction is over"),
        ("1C AP P", "call 5, PASS: the auction is over"),
        ("7N AP AP", "call 5, AP: the auction is over"),
        ("8C", "call 1: '8C' is not a call"),
        ("1N * P", "call 2: '*' is not a call"),
        ("1N **", "call 2: '**' is not a call"),
    ],
)
def test_a_call_that_is_none_or_not_allowed_is_named(text: str, error: str) -> None:
    with pytest.raises(CallError, match=re.escape(error)):
        read_auction(text)
    with pytest.raises(CallError, match=re.escape(error)):
        tc.deals_after(text, n=1)
    with pytest.raises(CallError):
        tc.Bidder(threads=1).probabilities(HAND, text)


def test_auctions_are_read_as_people_write_them() -> None:
    expected = read_auction("1N P 3N P P P", "S", "ns")
    for text in (
        "1nt - pass - 3NT - ap",
        "1NT!* P 3NT* ap",
        "1N,p,3N,p,p,p",
        ["1N", "PASS", "3N", "P", "P", "P"],
    ):
        assert read_auction(text, "south", "NS") == expected
    opened = read_auction("1S P 2S P 4S P P P")
    for text in (
        "1S - 2S - 4S - - -",
        "1♠ – 2♠ – 4♠ all pass",
        "1S-P-2S-P-4S-P-P-P",
        "1s,-,2s,-,4s ap",
    ):
        assert read_auction(text) == opened
    assert read_auction("1N - 3N P P P") == read_auction("1N P 3N P P P")
    assert read_auction(["1S", "-", "2S"]) == read_auction("1S P 2S")
    assert read_auction(expected) is expected
    assert expected.contract == ("3N", Seat.SOUTH)
    assert read_auction("1H X XX AP", "E").contract == ("1HXX", Seat.EAST)
    assert read_auction("P P P P").contract == ("PASS", None)
    assert read_auction("1N P").contract == (None, None)
    with pytest.raises(DealError, match="'Q' is not a seat"):
        read_auction("1N", "Q")
    with pytest.raises(DealError, match="not a vulnerability"):
        read_auction("1N", "N", "maybe")
    with pytest.raises(CallError, match="not an auction"):
        read_auction(5)


def test_a_caller_sees_the_same_wherever_the_dealer_sits() -> None:
    rows, _ = encode_calls([CALL_NUMBER[call] for call in ("PASS", "1H", "X", "2H")])
    assert len(turns_of(rows, 4)) == 2 and (turns_of(rows, 4)[0] == rows[0]).all()
    assert (turns_of(rows, 4)[1] == rows[4]).all()
    assert len({row.tobytes() for row in rows}) == 5


# --- the network -------------------------------------------------------------------------------


def test_chances_are_of_lawful_calls(bidder: tc.Bidder) -> None:
    rng = np.random.default_rng(2)
    auctions, allowed = [], []
    for _ in range(60):
        calls = random_auction(rng)
        turn = int(rng.integers(len(calls)))
        auctions.append(" ".join(calls[:turn]))
        allowed.append([lawful(calls[:turn], call) for call in CALLS])
    hands = tc.random_deals(60, seed=3).owners == 1
    chances = bidder.probabilities(hands, auctions, dealers="E", vulnerable="both")
    assert chances.shape == (60, 38) and chances.dtype == np.float32
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-4)
    assert (chances[~np.array(allowed)] == 0).all()
    alone = [
        bidder.probabilities(hand, text, dealers="E", vulnerable="both")
        for hand, text in zip(hands, auctions, strict=True)
    ]
    assert np.allclose(alone, chances, atol=1e-5)


def test_chances_are_what_players_know(bidder: tc.Bidder) -> None:
    def likeliest(hand: str, auction: str = "") -> str:
        return CALLS[bidder.probabilities(hand, auction).argmax()]

    assert likeliest("KQ4.AQ5.K873.J94") == "1N"
    assert likeliest("AQJ93.K4.KQ52.84") == "1S"
    assert likeliest("T8632.Q74.J52.84") == "PASS"
    assert likeliest("AK2.AQJ4.AKQ.KJ2") == "2C"
    assert likeliest("T8632.Q74.J52.84", "1N P") == "2H"  # a transfer
    assert likeliest("T8632.Q74.J52.84", "1N P 2H P 2S P") == "PASS"
    assert bidder.calls == CALLS


def test_vulnerability_is_that_of_the_caller(bidder: tc.Bidder) -> None:
    weak = "KQJT732.4.T95.62"
    bold, careful = (
        bidder.probabilities(weak, "", dealers="E", vulnerable=which)[CALL_NUMBER["3S"]]
        for which in ("ns", "ew")
    )
    assert bold > careful
    same = bidder.probabilities(weak, "", dealers="N", vulnerable="ew")[CALL_NUMBER["3S"]]
    assert same == pytest.approx(bold, abs=1e-5)
    with_passes = bidder.probabilities(weak, "P P", dealers="S", vulnerable="ns")
    assert with_passes == pytest.approx(
        bidder.probabilities(weak, "P P", dealers="N", vulnerable="ns"), abs=1e-5
    )


def test_many_hands_and_auctions(bidder: tc.Bidder) -> None:
    assert bidder.probabilities([], []).shape == (0, 38)
    both = bidder.probabilities([HAND, HAND], ["", "1N P"], dealers=["N", "W"])
    assert np.allclose(both[0], bidder.probabilities(HAND), atol=1e-6)
    with pytest.raises(ValueError, match="auctions are 3, hands 2"):
        bidder.probabilities([HAND, HAND], ["", "", ""])
    with pytest.raises(TypeError, match="auctions is None .expected one, or one a hand"):
        bidder.probabilities(HAND, None)
    with pytest.raises(CallError, match="auction 1: call 1, X") as caught:
        bidder.probabilities([HAND, HAND], ["", "X"])
    assert caught.value.made == 0
    with pytest.raises(CallError, match="is over, so there is no next call"):
        bidder.probabilities(HAND, "P P P P")
    with pytest.raises(DealError, match="hand"):
        bidder.probabilities("KJ95.J65.K32.T5")
    with pytest.raises(ValueError, match="threads is 0"):
        tc.Bidder(threads=0)
    with pytest.raises(tc.ModelError, match="no model of calls 'mine'"):
        tc.Bidder("mine")
    again = pickle.loads(pickle.dumps(bidder))
    assert np.array_equal(again.probabilities(HAND), bidder.probabilities(HAND))


def test_the_file_answers_as_when_it_was_written(bidder: tc.Bidder) -> None:
    path = Path(bidder.info.path)
    with np.load(path.with_suffix(".parity.npz")) as kept:
        stored = dict(kept)
    answers = bidder._session.run(
        ["read", "chances"], {name: stored[name] for name in ("turns", "contexts", "hands")}
    )
    assert np.abs(answers[0] - stored["read"]).max() < 1e-3
    assert np.abs(answers[1] - stored["chances"]).max() < 1e-3
    assert path.stat().st_size < 4_000_000
    assert bidder.info.scores["deals_loss"] < 0.7


# --- layouts -----------------------------------------------------------------------------------


def points(deals: tc.DealSet, seat: Seat) -> np.ndarray:
    return (deals.owners == seat) @ HCP


def test_layouts_fit_the_calls() -> None:
    deals = tc.deals_after("1N P 3N P P P", dealer="N", west=HAND, n=400, seed=1)
    assert len(deals) == 400 and all(str(deal.west) == HAND for deal in deals)
    assert 50 < deals.effective_size <= 400
    assert 14 < points(deals, Seat.NORTH).mean() < 16.5
    assert 9 < points(deals, Seat.SOUTH).mean() < 12.5
    lengths = (deals.owners == Seat.NORTH).reshape(-1, 4, 13).sum(axis=2)
    assert (lengths.min(axis=1) >= 2).mean() > 0.9 and (lengths[:, :2].max(axis=1) < 6).mean() > 0.9
    assert len({deal.pbn for deal in deals}) > 390


def test_some_of_the_layouts_tell_as_much_as_their_own_families_say(bidder: tc.Bidder) -> None:
    sampler = Sampler(bidder.read("1S X 4S P P X P P P"), Constraints(north=HAND))
    moving = sampler._run(384, 1, 0, 384)
    block = Block(moving.owners, *sampler._judged(moving))
    random = np.random.default_rng(1)
    for taken in (20, 100, 200):
        those = [np.sort(random.choice(384, taken, replace=False)) for _ in range(40)]
        judged = np.mean([sampler._judged(moving.those(rows))[0] for rows in those])
        assert block.effective_of(taken) == pytest.approx(judged, rel=0.1) and judged < taken
    assert block.effective_of(384) == pytest.approx(block.effective)
    assert sampler.sample(100, 1)[1] == sampler.block(384, 1, 0, 100).effective_of(100)


def test_the_same_seed_gives_the_same_layouts() -> None:
    asked = {"dealer": "E", "vulnerable": "both", "south": HAND, "n": 60}
    first = tc.deals_after("1S P 2S", **asked, seed=7)
    assert first == tc.deals_after("1S P 2S", **asked, seed=7)
    assert first.effective_size == tc.deals_after("1S P 2S", **asked, seed=7).effective_size
    assert first != tc.deals_after("1S P 2S", **asked, seed=8)


def test_known_cards_and_words_always_hold() -> None:
    words = {"north": "SA, hcp 12+", "east": "spades 5+", "condition": "hcp(south) <= 9"}
    deals = tc.deals_after("P 1S P P X P P P", dealer="N", west=HAND, **words, n=2500, seed=2)
    assert len(deals) == 2500
    assert Constraints(west=HAND, **words).accepts(deals).all()
    assert len(tc.deals_after("1N", n=0)) == 0


def exact(bidder: tc.Bidder, auction: Auction, known: np.ndarray) -> dict[bytes, float]:
    """Return the chance of every layout of a few unknown cards, counted one by one."""
    free = np.flatnonzero(known == 255)
    needs = {seat: 13 - int((known == seat).sum()) for seat in Seat}
    (a, b) = (seat for seat in Seat if needs[seat])
    layouts = []
    for mine in combinations(free, needs[a]):
        owners = known.copy()
        owners[free] = b
        owners[list(mine)] = a
        layouts.append(owners)
    rows = np.array(layouts)
    reading = bidder.read(auction)
    logs = sum(reading.log_likelihood(seat, rows == seat) for seat in Seat)
    chances = np.exp(logs - np.max(logs))
    return dict(zip((row.tobytes() for row in rows), chances / chances.sum(), strict=True))


@pytest.fixture
def four_cards_hidden() -> tuple[Auction, np.ndarray]:
    """Four cards of two hands are unknown: there are 70 layouts."""
    known = tc.random_deals(1, seed=11).owners[0].copy()
    for seat in (Seat.NORTH, Seat.EAST):
        known[np.flatnonzero(known == seat)[::3][:4]] = 255
    return read_auction("1C 1H 1S 2H P P X P P P"), known


def constraints_of(known: np.ndarray) -> dict[str, str]:
    return {
        seat.name.lower(): ", ".join(_text(card) for card in np.flatnonzero(known == seat))
        for seat in Seat
    }


def off(owners: np.ndarray, expected: dict[bytes, float]) -> float:
    """Return by how much the shares of layouts are off, in all."""
    keys, counts = np.unique(owners, axis=0, return_counts=True)
    found = {key.tobytes(): count / len(owners) for key, count in zip(keys, counts, strict=True)}
    assert found.keys() <= expected.keys()
    return float(sum(abs(found.get(key, 0) - chance) for key, chance in expected.items()))


@pytest.mark.slow
def test_layouts_come_as_often_as_they_should(bidder: tc.Bidder, four_cards_hidden) -> None:
    auction, known = four_cards_hidden
    expected = exact(bidder, auction, known)
    assert len(expected) == 70
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuctionWarning)
        deals = tc.deals_after(auction, **constraints_of(known), n=20_000, seed=5)
    assert off(deals.owners, expected) < 0.1  # 20,000 independent layouts: some 0.04


@pytest.mark.slow
def test_layouts_led_from_call_to_call_come_as_often(bidder: tc.Bidder, four_cards_hidden) -> None:
    auction, known = four_cards_hidden
    sampler = Sampler(bidder.read(auction), Constraints(**constraints_of(known)))
    led = sampler.call_by_call(8_000, 5)
    assert [owners.shape for owners in led] == [(8_000, 52)] * len(auction.calls)
    for turn in (0, 1, 4, len(auction.calls) - 1):
        expected = exact(bidder, auction.first(turn + 1), known)
        assert off(led[turn], expected) < 0.15  # 8,000 independent layouts: some 0.06
    again = sampler.call_by_call(8_000, 5)
    assert all((one == other).all() for one, other in zip(led, again, strict=True))


def _text(card: int) -> str:
    return "SHDC"[card // 13] + "AKQJT98765432"[card % 13]


def test_swaps_keep_what_is_as_likely(bidder: tc.Bidder) -> None:
    """Where all calls are as likely with every hand, the layouts stay as random deals are."""
    sampler = Sampler(bidder.read("", "N"), Constraints())
    owners, effective, _ = sampler.sample(1000, 3)
    assert effective == pytest.approx(1000, rel=0.05)
    assert abs((owners == 0) @ HCP).mean() == pytest.approx(10, abs=0.5)
    offered = sampler._swapped(
        owners,
        np.tile([0, 2], (1000, 1)),
        np.tile([1, 2], 500),
        RandomWords(1, 2),
    )
    assert set(np.unique((offered != owners).sum(axis=1))) == {2, 4}
    assert all((np.bincount(row, minlength=4) == 13).all() for row in offered)
    assert (offered[owners % 2 == 1] == owners[owners % 2 == 1]).all()


def test_a_contradiction_is_told() -> None:
    yarborough = "8765.8765.876.87"
    with pytest.warns(AuctionWarning, match="call 1, 1N by North, hardly fits the hands"):
        deals = tc.deals_after("1N", dealer="N", north=yarborough, n=20, seed=1)
    assert len(deals) == 20
    with pytest.raises(AuctionError, match="call 1, 1N by North.*of such hands make it"):
        tc.deals_after("1N", dealer="N", north=yarborough, n=20, seed=1, strict=True)
    with pytest.warns(AuctionWarning, match="call 1, 1N by East"):
        tc.deals_after("1N P P P", dealer="E", east="hcp 0-3", n=50, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tc.deals_after("1S P 2S", dealer="N", north="AQJ93.K4.KQ52.84", n=50, seed=1, strict=True)


def test_what_cannot_be_is_an_error() -> None:
    with pytest.raises(ConstraintError):
        tc.deals_after("1N", north=HAND, south=HAND)
    with pytest.raises(ConstraintError):
        tc.deals_after("1N", north="spades 15")
    with pytest.raises(ValueError, match="n is -1"):
        tc.deals_after("1N", n=-1)
    with pytest.raises(TypeError, match="n is 1.5"):
        tc.deals_after("1N", n=1.5)
    with pytest.raises(ValueError, match="seed"):
        tc.deals_after("1N", seed=-1)


def first_tried(number: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a condition that only the first layouts meet."""
    tried = [0]

    def meets(owners: np.ndarray) -> np.ndarray:
        tried[0] += len(owners)
        return np.arange(tried[0] - len(owners), tried[0]) < number

    return meets


def test_few_layouts_suffice_if_no_more_are_wanted(bidder: tc.Bidder) -> None:
    few = {"max_tries": 1, "seed": 1}
    for auction, found in (("1N P", 1), ("1N P", 3), ("", 3)):
        deals = tc.deals_after(auction, condition=first_tried(found), n=found, **few)
        assert len(deals) == found
    with pytest.raises(NoDealsError, match=r"^3 of 4 deals found: .*\(3 of 512 layouts drawn"):
        tc.deals_after("1N P", condition=first_tried(3), n=4, **few)
    with pytest.raises(NoDealsError, match="^512 of 600 deals found"):
        tc.deals_after("1N P", n=600, **few)
    layouts = AuctionLayouts(bidder.read("1N P"), Constraints(condition=first_tried(30)))
    with pytest.warns(AuctionWarning, match="ask for more"):
        assert len(layouts.deals(30, 1, max_tries=1)) == 30


# --- the play ----------------------------------------------------------------------------------


def test_the_play_tells_who_held_what() -> None:
    auction = "1N P 3N P P P"  # by North: East leads, South is dummy, who has no spade
    dummy = ".KQ62.QJT87.AK32"
    deals = tc.deals_after(auction, dealer="N", south=dummy, played="S4 D7 S2 S9 C9", n=200, seed=1)
    assert (deals.owners[:, [10, 12]] == [Seat.EAST, Seat.WEST]).all()
    assert (deals.owners[:, 5] == Seat.NORTH).all()
    cards = seats_played("S4 D7 S2 S9 C9", Strain.NOTRUMP, Seat.NORTH)
    assert cards[-1] == (Seat.NORTH, "C9")  # North took the first trick
    deals = tc.deals_after(auction, dealer="N", south=dummy, played="S4 D7 D2 S9", n=200, seed=1)
    spades = (deals.owners[:, :13] == Seat.WEST).sum(axis=1)
    assert (spades == 0).all()  # West showed out at once


@pytest.mark.parametrize(
    ("played", "error"),
    [
        ("S4 D7 S4", "card 3, S4: it was already played"),
        ("S4 D7 ZZ", "card 3: "),
        ("S4 HA", "card 2, HA: South does not hold it"),
        ("C4 D7", "card 2, D7: South has to follow in clubs"),
    ],
)
def test_cards_that_cannot_have_been_played(played: str, error: str) -> None:
    with pytest.raises(PlayError, match=re.escape(error)):
        tc.deals_after("1N P 3N P P P", dealer="N", south=".KQ62.QJT87.AK32", played=played, n=5)


def test_a_suit_that_ran_out_does_not_come_back() -> None:
    with pytest.raises(PlayError, match="West had run out of spades before"):
        tc.deals_after("1N P 3N P P P", played="S4 S7 D2 SA SK S5 S6 S3", n=5)


def test_the_play_needs_a_contract() -> None:
    with pytest.raises(DealError, match="has not ended"):
        tc.deals_after("1N P", played="S4", n=5)
    with pytest.raises(DealError, match="passed out"):
        tc.deals_after("P P P P", played="S4", n=5)


# --- what calls show ---------------------------------------------------------------------------


def test_what_calls_show() -> None:
    shown = tc.explain_auction("1N P 2C", dealer="W", n=300, seed=1)
    first = shown[0]
    assert (len(shown), first.call, first.by) == (3, "1N", Seat.WEST)
    assert 10 <= first.points.low <= 15 and 16 <= first.points.high <= 18
    assert first.balanced > 0.8 and first.chosen > 0.4
    assert all(part.low >= 2 and part.high <= 5 for part in first.lengths)
    assert len(first.typical) == 3 and first.typical[0].hcp <= first.typical[2].hcp
    text = str(shown)
    assert text.startswith("in championship play") and len(text.splitlines()) == 5
    assert set(shown.columns()) >= {"call", "by", "points_low", "hearts_high", "chosen"}
    assert {len(column) for column in shown.columns().values()} == {3}
    assert len(tc.explain_auction("")) == 0
    with pytest.raises(ValueError, match="n is 0"):
        tc.explain_auction("1N", n=0)


def test_a_board_is_explained_call_by_call(board: tc.Deal) -> None:
    shown = tc.explain_auction("1H P 7N", dealer="N", deal=board, n=100)
    assert shown[0].hand == board.north and not shown[0].unusual
    assert shown[2].unusual and shown[2].chance < 0.01
    assert "7N by South is unusual" in str(shown)


def test_vulnerability_and_dealer_of_an_auction() -> None:
    auction = Auction((0, 3), Seat.SOUTH, Vulnerability.NS)
    assert auction.next_caller == Seat.NORTH and str(auction) == "P 1C"
    assert str(auction.first(1)) == "P" and auction.state == AuctionState(2, 3, 1)


def test_every_order_of_seats_is_the_same_auction(bidder: tc.Bidder) -> None:
    """What the network says depends on places round the table, not on their names."""
    rows = tc.random_deals(4, seed=9).owners
    for dealer, partner in permutations(range(4), 2):
        turned = bidder.read("1D 1S 2C P", Seat(dealer)).log_likelihood(
            Seat(partner), rows == partner
        )
        same = bidder.read("1D 1S 2C P", "N").log_likelihood(
            Seat((partner - dealer) % 4), rows == partner
        )
        assert turned == pytest.approx(same, abs=1e-5)
