"""Next calls, boards bid by the network, meanings of one's own, and the next card."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import trickcast as tc
from trickcast.bidding import MeaningError, read_auction, read_meanings
from trickcast.bidding.meanings import agreed
from trickcast.cards import DealError
from trickcast.cards.auction import CALL_NUMBER, CallError
from trickcast.cards.card_play import PlayError
from trickcast.dealing import Constraints
from trickcast.dealing.language.systems import rule_file

BALANCED_12 = "KQ4.A95.K873.J94"
BALANCED_15 = "KQ4.AQ5.K873.J94"
BALANCED_14 = "KQ4.AQ5.Q873.J94"
LEADER = "KJ95.J65.K32.T54"
DUMMY = "A84.K92.J854.K93"
DECLARER = "KQ7.AQ3.AQ7.J762"
THREE_NOTRUMP = {"auction": "1N P 3N P P P", "dealer": "E"}


# --- suggestions --------------------------------------------------------------------------------


def test_the_likeliest_call_comes_first_with_what_it_shows() -> None:
    told = tc.suggest_calls(BALANCED_15)
    assert told.best == "1N"
    chances = [each.chance for each in told]
    assert chances == sorted(chances, reverse=True)
    assert told[0].shown.balanced > 0.8
    assert "balanced" in told[0].reason
    bidder = tc.Bidder(threads=1)
    row = bidder.probabilities(BALANCED_15)
    assert np.isclose(told[0].chance, row[bidder.calls.index("1N")], atol=1e-5)


def test_an_auction_that_is_over_has_no_next_call() -> None:
    for ask in (tc.suggest_calls, tc.compare_calls):
        with pytest.raises(CallError, match="the auction 1N P P P is over"):
            ask(BALANCED_15, "1N P P P")


def test_calls_are_compared_on_the_same_layouts() -> None:
    told = tc.compare_calls(BALANCED_15, "1S P", dealer="S", calls=["4S", "P"], n=60)
    game, passed = told
    assert game.imps == game.error == 0
    assert game.points > passed.points + 50
    assert passed.imps + passed.error < 0
    assert game.contracts[0][0] == "4S S"
    assert [row for row in str(told).splitlines() if row.startswith("PASS")]
    again = tc.compare_calls(BALANCED_15, "1S P", dealer="S", calls=["4S", "P"], n=60)
    assert str(again) == str(told)


# --- whole boards -------------------------------------------------------------------------------


def test_boards_are_bid_to_the_end_call_by_call_as_the_network_says() -> None:
    deals = tc.random_deals(12, seed=5)
    dealers = ["N", "E", "S", "W"] * 3
    auctions = tc.bid_deals(deals, dealers=dealers, vulnerable="ns")
    bidder = tc.Bidder(threads=1)
    for deal, auction in zip(deals, auctions, strict=True):
        assert auction.state.over
        for turn, call in enumerate(auction.calls):
            hand = deal[auction.caller(turn)]
            row = bidder.probabilities(hand, auction.first(turn))
            assert row[call] >= row.max() - 1e-5


def test_seats_that_do_not_bid_pass() -> None:
    deals = tc.random_deals(30, seed=6)
    auctions = tc.bid_deals(deals, seats=["N", "S"])
    assert not any(any(auction.calls[1::2]) for auction in auctions)
    assert sum(any(auction.calls[::2]) for auction in auctions) > 20
    assert all(auction.state.over for auction in auctions)


def test_drawn_calls_follow_the_seed() -> None:
    deals = tc.random_deals(20, seed=7)
    drawn = [tuple(map(str, tc.bid_deals(deals, seed=seed))) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


# --- meanings -----------------------------------------------------------------------------------


def test_layouts_keep_to_what_a_call_means() -> None:
    weak = tc.deals_after("1N P 3N P P P", meanings="1N: hcp 12-14, balanced", n=300, seed=1)
    assert {deal.north.hcp for deal in weak} == {12, 13, 14}
    assert all(deal.north.pattern in ("4333", "4432", "5332") for deal in weak)


def test_small_cards_that_a_meaning_names_stay_where_it_says() -> None:
    promised = Constraints(north="spades 5+, S8")
    deals = tc.deals_after("1S P", meanings="1S: spades 5+, S8", n=300, seed=1)
    assert promised.accepts(deals).all()
    other = tc.deals_after("1S", meanings="1H: spades 5+, S8", n=300, seed=1)
    assert not promised.accepts(other).any()
    low = [deal.owners[[7, 8, 9, 10, 11, 12]] for deal in deals]
    assert all(0 < np.mean(np.array(low)[:, card] == 0) < 1 for card in range(6))


def test_a_hand_that_would_have_made_the_call_makes_no_other() -> None:
    told = tc.suggest_calls(BALANCED_14, meanings="1N: hcp 12-14, balanced")
    assert told.best == "1N"
    assert told[0].chance > 0.999
    deals = tc.deals_after("1C P", meanings="1N: hcp 12-14, balanced", n=300, seed=1)
    assert not any(
        12 <= deal.north.hcp <= 14 and deal.north.pattern in ("4333", "4432", "5332")
        for deal in deals
    )


def test_a_meaning_holds_after_its_calls_and_for_its_side() -> None:
    hand = "KJ95.AQ65.K32.54"
    stayman = {"meanings": "1N P 2C: hearts 4, hcp 8+"}
    assert tc.suggest_calls(hand, "1N P", **stayman).best == "2C"
    assert tc.suggest_calls(hand, "P P 1N P", **stayman).best == "2C"
    east_west = {"meanings": "ew 1N: hcp 12-14, balanced"}
    assert tc.suggest_calls(BALANCED_14, dealer="N", **east_west).best != "1N"
    assert tc.suggest_calls(BALANCED_14, dealer="E", **east_west).best == "1N"


def test_a_system_says_what_openings_mean() -> None:
    told = tc.suggest_calls(BALANCED_15, meanings="polish-club-rules")
    assert told.best == tc.openings.load("polish-club-rules").bid(BALANCED_15)
    assert told[0].chance > 0.999


def test_a_rule_file_says_what_its_openings_mean(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(rule_file("polish-club-rules").read_bytes())
    told, shipped = (read_meanings(f"ns {name}") for name in (file, "polish-club-rules"))
    assert [(each.call, each.side) for each in told] == [(each.call, 0) for each in shipped]


def test_of_two_meanings_the_first_or_the_one_of_higher_priority_counts(tmp_path: Path) -> None:
    texts = ["1D: hcp 12-14, balanced", "1N: hcp 12-16, balanced"]
    assert tc.suggest_calls(BALANCED_14, meanings=texts).best == "1D"
    assert tc.suggest_calls(BALANCED_14, meanings=texts[::-1]).best == "1N"
    file = tmp_path / "system.toml"
    file.write_text(
        '[[meaning]]\ncall = "1D"\nshows = "hcp 12-14, balanced"\n'
        '[[meaning]]\nafter = ""\ncall = "1N"\nshows = "hcp 12-16"\nwhen = "balanced"\n'
        "priority = 2\n"
    )
    assert tc.suggest_calls(BALANCED_14, meanings=str(file)).best == "1N"


def test_chances_stay_chances_and_unlawful_calls_stay_out() -> None:
    bidder = tc.Bidder(threads=1)
    hands = tc.random_deals(200, seed=8).owners == 0
    reading = bidder.read("1S", meanings=["1S 2N: hcp 15-17", "1S P: hcp 0-9"])
    chances = np.exp(reading.log_chances([1], hands)[0])
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-5)
    assert (chances[:, CALL_NUMBER["1H"]] == 0).all()
    points = np.array([deal.north.hcp for deal in tc.random_deals(200, seed=8)])
    assert (chances[points <= 9, CALL_NUMBER["PASS"]] > 0.999).all()
    assert (chances[points > 9, CALL_NUMBER["PASS"]] < 0.001).all()
    none = agreed(np.log(np.maximum(chances, 1e-30)).astype(np.float32), hands, ())
    assert np.allclose(np.exp(none), chances, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1N", "a colon is missing after '1N'"),
        ("1N:", "no description of the hand"),
        ("1N: quick 3", "line 1, column"),
        ("X: hcp 3", "there is no bid yet"),
        ("1S P 1H: hcp 3", "not higher than 1S"),
        ("2Z: hcp 3", "is not a call"),
        (": hcp 3", "no call before the colon"),
        ("nowhere.toml", "no such file"),
        ("ns", r"no meaning after ns .expected such as ns 1N: hcp 12-14"),
        ("AP: hcp 0+", "AP is more than one call"),
        ("1N all pass: hcp 0+", "pass is more than one call"),
        (None, "None is not a meaning .expected text such as"),
        ([5], "5 is not a meaning"),
    ],
)
def test_what_is_no_meaning_is_refused(text: Any, words: str) -> None:
    with pytest.raises(MeaningError, match=words):
        read_meanings(text)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no meanings"),
        ("[[meaning]]\ncall = 3\n", "call is 3"),
        ('[[meaning]]\ncall = "1N"\n', "shows is missing"),
        ('[[meaning]]\ncall = "1N"\nshows = "hcp 3"\nprio = 3\n', "'prio'"),
        ('[[meaning]]\ncall = "1N"\nshows = "hcp 3"\npriority = "high"\n', "priority is 'high'"),
        ("[[meaning", "Expected"),
        ("meaning = [1]", r"meaning 1: '?1'? .expected tables under"),
        ('[[meaning]]\ncall = "1N 2N"\nshows = "hcp 3"\n', "call is '1N 2N' .expected one call"),
        ('[[meaning]]\ncall = " ! "\nshows = "hcp 3"\n', "call is ' ! ' .expected one call"),
        ('[[meaning]]\nafter = "1N P"\ncall = " ! "\nshows = "hcp 3"\n', "expected one call"),
        ("[[rule]]\n", "x.toml, line 1: name is missing"),
    ],
)
def test_what_is_no_file_of_meanings_is_refused(tmp_path: Path, content: str, words: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(content)
    with pytest.raises(MeaningError, match=words):
        read_meanings(str(file))


def test_meanings_and_cards_may_come_from_an_iterator() -> None:
    weak = ["1N: hcp 12-14, balanced"]
    told = tc.suggest_calls(BALANCED_12, meanings=iter(weak))
    assert str(told) == str(tc.suggest_calls(BALANCED_12, meanings=weak))
    assert told.best == "1N" and told[0].shown.points == (12, 14)
    asked: dict[str, Any] = {"calls": ["1N", "P"], "n": 2}
    compared = tc.compare_calls(BALANCED_12, meanings=iter(weak), **asked)
    assert str(compared) == str(tc.compare_calls(BALANCED_12, meanings=weak, **asked))


@pytest.mark.solver
def test_the_cards_so_far_may_come_from_an_iterator() -> None:
    told = tc.simulate_play(DECLARER, DUMMY, played=iter(["S5"]), n=2, **THREE_NOTRUMP)
    assert told.seat.word == "West" and all("S5" in deal.south for deal in told.deals)


# --- the next card ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.solver
def test_cards_are_worth_what_the_solver_says_in_every_layout() -> None:
    told = tc.simulate_play(DECLARER, DUMMY, played="S5", n=12, seed=2, **THREE_NOTRUMP)
    assert told.seat.word == "West"
    for deal, row in zip(told.deals, told.after, strict=True):
        exact = tc.solve_play(deal, "3N", by="E", cards="S5")[-1]
        assert exact == {card: int(row[i]) for i, card in enumerate(_deck()) if row[i] != 255}
        assert str(deal["E"]) == DECLARER
        assert str(deal["W"]) == DUMMY
    means = [told.after[:, _deck().index(each.cards[0])].mean() for each in told]
    assert np.allclose(means, [each.tricks.mean for each in told])
    assert told[0].loss.mean == 0


@pytest.mark.solver
def test_an_opening_lead_is_told_as_played_too() -> None:
    told = tc.simulate_play(LEADER, n=20, seed=1, **THREE_NOTRUMP)
    assert told.seat.word == "South"
    assert sum(len(each.cards) for each in told) == 13
    assert all(each.as_played is not None and 5 < each.as_played.mean < 13 for each in told)
    assert told["S9"] is told["s9"]


@pytest.mark.parametrize(
    ("hand", "dummy", "asked", "kind", "words"),
    [
        (LEADER, None, {"auction": "1N P"}, DealError, "has not ended"),
        (LEADER, None, {"auction": "P P P P"}, DealError, "passed out"),
        (LEADER, DUMMY, {}, DealError, "before the opening lead"),
        (DECLARER, None, {"played": "S5"}, DealError, "dummy is missing"),
        (LEADER, DUMMY, {"played": "S5 S4"}, DealError, "South played S5, but North holds it"),
        (DECLARER, DUMMY, {"played": "S5 H2 S6"}, PlayError, "West has to follow in spades"),
        (DECLARER, DUMMY, {"played": "S5 S5"}, PlayError, "it was already played"),
        (DECLARER, DUMMY, {"played": 5}, PlayError, "played is 5 .expected cards such as"),
        (DECLARER, DUMMY, {"played": "S5", "players": "x"}, ValueError, "players is 'x'"),
        (DECLARER, DUMMY, {"auction": read_auction("1N")}, DealError, "has not ended"),
        (DECLARER, DUMMY, {"auction": read_auction("1N"), "dealer": "x"}, DealError, "not a seat"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    hand: str, dummy: str | None, asked: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        tc.simulate_play(hand, dummy, n=10, **(THREE_NOTRUMP | asked))


def _deck() -> list[str]:
    return [suit + rank for suit in "SHDC" for rank in "AKQJT98765432"]


def test_auctions_are_read_alike_from_text_and_from_boards() -> None:
    deals = tc.random_deals(2, seed=9)
    first = tc.bid_deals(deals, ["1N P", read_auction("1N P")])
    assert [str(auction)[:3] for auction in first] == ["1N ", "1N "]


def test_the_deal_of_a_wrong_auction_is_named() -> None:
    deals = tc.random_deals(2, seed=2)
    with pytest.raises(CallError, match="^deal 1: call 3, 1C: it is not higher than 1N"):
        tc.bid_deals(deals, (auction for auction in ("1N", "1N P 1C")))
    with pytest.raises(CallError, match="^call 2, 1C: it is not higher than 1N"):
        tc.bid_deals(deals, "1N 1C")
    with pytest.raises(DealError, match="^deal 1: 'Q' is not a seat"):
        tc.bid_deals(deals, dealers=["N", "Q"])
    with pytest.raises(ValueError, match="^auctions are 3, deals 2 .expected one, or one a deal"):
        tc.bid_deals(deals, ["1N", "P", "P"])


def test_a_model_of_calls_is_a_bidder() -> None:
    asked: dict[str, dict[str, Any]] = {
        "deals_after": {"auction": "1N"},
        "explain_auction": {"auction": "1N"},
        "suggest_calls": {"hand": BALANCED_15},
        "compare_calls": {"hand": BALANCED_15},
        "bid_deals": {"deals": tc.random_deals(1, seed=1)},
        "simulate_play": {"hand": LEADER, **THREE_NOTRUMP},
    }
    for name, given in asked.items():
        with pytest.raises(TypeError, match="^model is 'championship' .expected a Bidder"):
            getattr(tc, name)(**given, model="championship")


@pytest.mark.parametrize("seed", [-1, 1 << 64])
def test_seeds_are_checked(seed: int) -> None:
    asked: dict[str, tuple[Any, ...]] = {
        "explain_auction": ("1N",),
        "suggest_calls": (BALANCED_15,),
    }
    asked |= {"compare_calls": (BALANCED_15,), "bid_deals": (tc.random_deals(1, seed=1),)}
    for name, given in asked.items():
        with pytest.raises(ValueError, match=f"^seed is {seed} .expected 0 to"):
            getattr(tc, name)(*given, seed=seed)
    with pytest.raises(TypeError, match="seed is 'a' .expected a whole number"):
        tc.explain_auction("1N", seed="a")


def test_calls_to_compare_are_one_or_more() -> None:
    with pytest.raises(ValueError, match="calls is empty"):
        tc.compare_calls(BALANCED_15, calls=[], n=20)
    assert [each.call for each in tc.compare_calls(BALANCED_15, calls="1N", n=1)] == ["1N"]


def test_of_nothing_there_is_nothing_to_say() -> None:
    with pytest.raises(ValueError, match=r"most is 0 .expected 1 or more"):
        tc.suggest_calls("KQ4.AQ5.K873.J94", most=0)
    with pytest.raises(ValueError, match=r"n is 0 .expected 1 or more"):
        tc.compare_calls("KQ4.AQ5.K873.J94", n=0)
    with pytest.raises(ValueError, match=r"n is 0 .expected 1 or more"):
        tc.simulate_play("KJ95.J65.K32.T54", auction="1N P 3N P P P", dealer="E", n=0)


def test_one_layout_has_no_error() -> None:
    compared = tc.compare_calls("KQ4.AQ5.K873.J94", calls=["1N", "1D"], n=1)
    assert compared[0].error == 0 and np.isnan(compared[1].error)
    assert "±" not in str(compared)


@pytest.mark.solver
def test_rows_are_found_by_position_slice_and_name() -> None:
    hands: dict[str, Any] = {"south": "balanced, hcp 15-17", "samples": 20, "solve": 20}
    results: list[tuple[Any, str]] = [
        (tc.suggest_calls(BALANCED_15), "1nt"),
        (tc.compare_calls(BALANCED_15, calls=["P", "1N"], n=2), "pass"),
        (tc.simulate_play(DECLARER, DUMMY, played="S5", n=2, **THREE_NOTRUMP), ""),
        (tc.simulate_leads(leader=LEADER, contract="3N", by="N", **hands), ""),
        (tc.compare("3N", "2N", by="S", **hands), " 3N  by S"),
    ]
    for told, name in results:
        rows = list(told)
        assert len(told) == len(rows) > 1
        assert told[0] is told[np.int64(0)] is told[-len(rows)] is rows[0]
        assert list(told[:2]) == rows[:2] and list(told[1:]) == rows[1:]
        assert told[name or rows[0].cards[0].lower()] is rows[0]
        with pytest.raises(KeyError, match="7X"):
            told["7X"]
        with pytest.raises(IndexError):
            told[len(rows)]


@pytest.mark.solver
@pytest.mark.parametrize("n", [1, 19])
def test_few_layouts_have_no_intervals(n: int) -> None:
    told = tc.simulate_play(LEADER, n=n, **THREE_NOTRUMP)
    assert "±" not in str(told) and "nan" not in str(told)
    assert "no intervals: fewer than 20 layouts" in str(told)
    for each in told:
        for value in (each.tricks, each.making, each.points, each.loss, each.as_played):
            assert value is not None and np.isnan([value.low, value.high]).all()


@pytest.mark.solver
def test_intervals_of_cards_are_those_of_a_simulation() -> None:
    told = tc.simulate_play(DECLARER, DUMMY, played="S5", n=40, seed=2, **THREE_NOTRUMP)
    assert "no intervals" not in str(told)
    size = min(40, told.effective_size)
    t = stats.t.ppf(0.975, 38)
    for each in told:
        taken = told.after[:, _deck().index(each.cards[0])]
        half = t * taken.std(ddof=1) / size**0.5
        assert np.allclose(each.tricks, taken.mean() + half * np.array([0, -1, 1]))
        share = float((taken >= 9).mean())
        middle = (share + t**2 / size / 2) / (1 + t**2 / size)  # Wilson, 1927
        assert np.isclose((each.making.low + each.making.high) / 2, middle)
        assert 0 <= each.making.low < share <= each.making.high <= 1
    certain = max(told, key=lambda each: each.making.mean)
    assert certain.making.mean == 1 and certain.making.low < 1
    assert told[0].loss == (0, 0, 0) and all(
        each.loss.low < each.loss.high for each in told.cards[1:]
    )


def test_no_impossible_call_is_shown_instead() -> None:
    shown = tc.explain_auction("7N X XX P P P", dealer="N", n=20)
    assert [call for call, _ in shown[3].instead] == []
    assert all(chance > 0 for call in shown.calls for _, chance in call.instead)
