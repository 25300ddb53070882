"""Constrained deals: uniform over exactly the layouts that fit, and honest when none does."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from trickcast.cards import Deal, DealError, DealSet, Hand, Seat, card_text, hands_of
from trickcast.dealing import (
    ConstraintError,
    Constraints,
    NoDealsError,
    constrained_deals,
    random_deals,
)
from trickcast.dealing.language.shapes import LENGTHS
from trickcast.papers.published import read_table

SOUTH = "AQ864.K75.A3.KJ4"
FIRST_DEAL_OF_SEED_1 = "N:K32.82.K84.Q9853 J95.AJT.Q752.T62 AQ864.K75.A3.KJ4 T7.Q9643.JT96.A7"
SIGNIFICANT = 1e-4

# --- uniform: every layout of small cases --------------------------------------------------------

BOARD = Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")


def all_layouts(owners: np.ndarray, free: list[int]) -> list[Deal]:
    """Every way to deal the free cards so that each seat gets as many as it had."""
    need = [sum(owners[card] == seat for card in free) for seat in range(4)]
    found = []

    def give(seat: int, left: list[int], row: np.ndarray) -> None:
        if seat == 4:
            found.append(Deal.from_owners(row))
            return
        for cards in combinations(left, need[seat]):
            after = row.copy()
            after[list(cards)] = seat
            give(seat + 1, [card for card in left if card not in cards], after)

    give(0, free, owners.copy())
    return found


def known_text(seat: int, free: list[int]) -> list[str]:
    """The cards of a seat of BOARD that are not free, as constraint text."""
    cards = [card_text(c) for c in range(52) if BOARD.owners[c] == seat and c not in free]
    return [", ".join(cards)]


def pick_free(each: tuple[int, int, int, int], seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    return sorted(
        int(card)
        for seat in range(4)
        for card in rng.permutation(np.flatnonzero(BOARD.owners == seat))[: each[seat]]
    )


def losers(hand: Hand) -> int:
    """Missing ace, king, queen, as far as the suit is long enough to lose to them."""
    return sum(
        rank not in hand.holding(suit)
        for suit in "SHDC"
        for rank in "AKQ"[: len(hand.holding(suit))]
    )


Check = Callable[[Deal], bool]
CASES: dict[str, tuple[tuple[int, int, int, int], int, dict[str, Any], Check]] = {
    "nothing but known cards": ((3, 0, 3, 3), 1, {}, lambda d: True),
    "points of one seat": (
        (2, 2, 2, 2), 2, {"north": "hcp 15-18"}, lambda d: 15 <= d.north.hcp <= 18
    ),
    "points and shape of one seat": (
        (3, 3, 3, 0), 3, {"east": "hcp 8-12, diamonds 4-5"},
        lambda d: 8 <= d.east.hcp <= 12 and 4 <= d.east.lengths[2] <= 5,
    ),
    "shapes of two seats": (
        (2, 2, 2, 2), 4, {"south": "spades 4+", "west": "clubs 3, hearts 1+"},
        lambda d: d.south.lengths[0] >= 4 and d.west.lengths[3] == 3 and d.west.lengths[1] >= 1,
    ),
    "points of one seat and shapes of two others": (
        (3, 2, 2, 2), 5, {"north": "hcp 12-17", "east": "hearts 2-3", "south": "spades 3-4"},
        lambda d: 12 <= d.north.hcp <= 17 and 2 <= d.east.lengths[1] <= 3
        and 3 <= d.south.lengths[0] <= 4,
    ),
    "points of two seats": (
        (3, 3, 0, 3), 6, {"north": "hcp 14+", "west": "hcp 6+"},
        lambda d: d.north.hcp >= 14 and d.west.hcp >= 6,
    ),
    "honours": (
        (2, 2, 2, 2), 16, {"north": "top3 in hearts 1-2, not DK", "south": "hcp 6+"},
        lambda d: 1 <= sum(c in d.north.holding("H") for c in "AKQ") <= 2
        and "DK" not in d.north and d.south.hcp >= 6,
    ),
    "alternatives": (
        (3, 0, 3, 3), 8, {"south": "hcp 12+ or (hcp 9-, 4432) or spades 5"},
        lambda d: d.south.hcp >= 12 or (d.south.hcp <= 9 and d.south.pattern == "4432")
        or d.south.lengths[0] == 5,
    ),
    "another count than points": (
        (3, 3, 3, 0), 12, {"north": "losers 5, hcp 10+", "south": "controls 2-4"},
        lambda d: losers(d.north) == 5 and d.north.hcp >= 10
        and 2 <= 2 * str(d.south).count("A") + str(d.south).count("K") <= 4,
    ),
    "two seats in one condition": (
        (2, 2, 2, 2), 9,
        {"condition": "hcp(north) + hcp(south) >= 26 or spades(east) > 3", "west": "controls 2+"},
        lambda d: (d.north.hcp + d.south.hcp >= 26 or d.east.lengths[0] > 3)
        and 2 * str(d.west).count("A") + str(d.west).count("K") >= 2,
    ),
    "a function": (
        (3, 3, 0, 3), 10, {"north": "hcp 14+", "condition": lambda owners: owners[:, 13] == 1},
        lambda d: d.north.hcp >= 14 and "HA" in d.east,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_layout_that_fits_is_equally_likely(name: str) -> None:
    each, seed, asked, check = CASES[name]
    free = pick_free(each, seed)
    layouts = all_layouts(BOARD.owners, free)
    fitting = {deal.owner_bytes: 0 for deal in layouts if check(deal)}
    assert len(fitting) > 5 and (len(fitting) < len(layouts) or not asked)
    values: dict[str, Any] = {s.name.lower(): known_text(s, free) for s in Seat}
    for key, value in asked.items():
        values[key] = [*values.get(key, []), value]
    constraints = Constraints(**values)
    deals = constraints.deals(40 * len(fitting), seed=seed)
    for row in deals.owners:
        fitting[row.tobytes()] += 1  # a layout that does not fit is a KeyError
    assert chisquare(list(fitting.values())).pvalue > SIGNIFICANT
    report = constraints.report()
    assert report.layouts == len(layouts)
    if report.accepted == report.tried:
        assert report.share == pytest.approx(len(fitting) / len(layouts))


# --- uniform: as plain rejection ------------------------------------------------------------------

LARGE: dict[str, dict[str, Any]] = {
    "1NT opposite a known hand": {"north": "hcp 15-17, balanced", "south": SOUTH},
    "a seat alone": {"west": "hcp 10-13, spades 4+, not any 4333"},
    "three seats": {
        "north": "hcp 9-14, spades 4-6",
        "east": "hearts 3+, clubs 2-5",
        "west": "hcp 8+, 3+ hearts",
    },
    "known in part": {"north": "SAK, H2, hcp 12+", "south": "HA, hcp 8+, clubs 3-"},
    "losers and points": {"east": "losers 5-6, hcp 11-13", "north": "controls 3+"},
}


def plain_rejection(constraints: Constraints, deals: int) -> np.ndarray:
    """Deal the unknown cards at random and keep what fits."""
    found: list[np.ndarray] = []
    free = np.flatnonzero(constraints.known == 255)
    need = 13 - np.bincount(constraints.known[constraints.known < 4], minlength=4)
    rng = np.random.default_rng(5)
    while sum(map(len, found)) < deals:
        owners = np.tile(constraints.known, (20_000, 1))
        seats = np.tile(np.repeat(np.arange(4, dtype=np.uint8), need), (len(owners), 1))
        owners[:, free] = rng.permuted(seats, axis=1)
        found.append(owners[constraints.accepts(owners)])
    return np.concatenate(found)[:deals]


@pytest.mark.parametrize("name", LARGE)
def test_deals_are_those_of_plain_rejection(name: str) -> None:
    constraints = Constraints(**LARGE[name])
    drawn = constraints.deals(6_000, seed=3).owners
    rejected = plain_rejection(constraints, 6_000)
    assert constraints.accepts(drawn).all()
    pvalues = [  # shape and points of each seat, and who holds each card
        same_distribution(feature(drawn, one), feature(rejected, one))
        for one in Seat
        for feature in (shape_of, points_of, honours_of)
    ]
    pvalues += [
        same_distribution(drawn[:, card], rejected[:, card])
        for card in np.flatnonzero(constraints.known == 255)
    ]
    assert min(pvalues) > 10 * SIGNIFICANT / len(pvalues)


def lengths_of(owners: np.ndarray, seat: Seat) -> np.ndarray:
    return (owners == seat).reshape(-1, 4, 13).sum(axis=2)


def shape_of(owners: np.ndarray, seat: Seat) -> np.ndarray:
    return lengths_of(owners, seat) @ np.array([1000, 100, 10, 1])


def points_of(owners: np.ndarray, seat: Seat) -> np.ndarray:
    values = np.tile([4, 3, 2, 1, *[0] * 9], 4)
    return (owners == seat) @ values


def honours_of(owners: np.ndarray, seat: Seat) -> np.ndarray:
    """How the points lie in the longest suit."""
    held = (owners == seat).reshape(-1, 4, 13)
    longest = held.sum(axis=2).argmax(axis=1)
    return held[np.arange(len(held)), longest][:, :4] @ np.array([8, 4, 2, 1])


def same_distribution(first: np.ndarray, second: np.ndarray) -> float:
    values = np.unique(np.concatenate([first, second]))
    table = np.array([[(part == value).sum() for value in values] for part in (first, second)])
    common = table.sum(axis=0) >= 20
    rare = table[:, ~common].sum(axis=1, keepdims=True)
    table = np.hstack([table[:, common], rare[:, : int(rare.sum() > 0)]])
    return 1.0 if table.shape[1] < 2 else float(chi2_contingency(table).pvalue)


# --- counted, not tried ---------------------------------------------------------------------------


def test_shares_are_the_known_frequencies() -> None:
    for row in read_table("hand_patterns.csv")[:8]:
        text = row["pattern"].replace("-", "")
        share = Constraints(east=f"any {text}").report(1).share
        assert 100 * share == pytest.approx(float(row["total_percent_exact"]), rel=1e-4)
    # the published share of 10 points, the commonest number, and four hands have 37
    assert Constraints(north="hcp 10").report(1).share == pytest.approx(0.0940511, rel=1e-5)
    exact = 4 / math.comb(52, 13)
    assert Constraints(north="hcp 37").report(1).share == pytest.approx(exact, rel=1e-12)
    ranges = [Constraints(west=f"hcp {p}-{p + 4}").report(1).share for p in range(0, 40, 5)]
    assert sum(ranges) == pytest.approx(1, rel=1e-12)
    assert len(LENGTHS) == 560


@given(st.data())
@settings(max_examples=10, deadline=None)
def test_acceptance_rates_are_those_of_random_deals(data: st.DataObject) -> None:
    """The sampler leaves out no layout that fits: the rates could not agree otherwise."""
    asked = {}
    for seat in data.draw(st.lists(st.sampled_from(["north", "east", "west"]), unique=True)):
        low = data.draw(st.integers(0, 12))
        parts = [f"hcp {low}-{low + data.draw(st.integers(3, 9))}"]
        parts += data.draw(
            st.lists(
                st.sampled_from(
                    ["spades 4-", "hearts 2+", "not any 4333", "not HK", "balanced or clubs 4+",
                     "top5 in diamonds 1+", "xx4x or SA", "losers 9-"]
                ),
                max_size=2,
            )
        )  # fmt: skip
        asked[seat] = ", ".join(parts)
    constraints = Constraints(**asked)
    report = constraints.report()
    deals = random_deals(20_000, seed=4)
    hits = int(constraints.accepts(deals).sum())
    error = math.sqrt((hits + 1) / 20_000**2 + report.share**2 / max(1, report.accepted))
    assert abs(hits / 20_000 - report.share) < 5 * error, (asked, hits, report)


# --- what can be asked ----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_deals_and_more_of_them_begin_alike() -> None:
    asked = {"south": SOUTH, "north": "hcp 6-9, spades 3-4", "west": "hcp 11+, hearts 5+"}
    deals = constrained_deals(3_000, seed=1, **asked)
    assert len(deals) == 3_000 and deals == constrained_deals(3_000, seed=1, **asked)
    assert constrained_deals(7, seed=1, **asked) == deals[:7]
    assert constrained_deals(7, seed=2, **asked) != deals[:7]
    joined, stream = [], Constraints(**asked).stream(1)
    while sum(map(len, joined)) < 3_000:
        joined.append(next(stream)[0])
    assert (np.concatenate(joined)[:3_000] == deals.owners).all()
    assert len(constrained_deals(0, seed=1, **asked)) == 0
    assert len(np.unique(deals.owners, axis=0)) == 3_000


def test_these_deals_never_change_without_notice() -> None:
    deal = constrained_deals(1, seed=1, south=SOUTH, north="hcp 6-9, spades 3-4")[0]
    assert deal.pbn == FIRST_DEAL_OF_SEED_1


def test_hands_are_read_in_every_form() -> None:
    hand = Hand(SOUTH)
    for value in (SOUTH, "AQ864 K75 A3 KJ4", "♠AQ864 ♥K75 ♦A3 ♣KJ4", hand, hand.cards):
        assert all(deal.south == hand for deal in constrained_deals(5, seed=1, south=value))
    deals = constrained_deals(50, seed=1, west=["SAK", "h10, C2", "hcp 20-"])
    assert all({"SA", "SK", "HT", "C2"} <= set(deal.west) for deal in deals)
    everyone = [str(hand) for hand in BOARD]
    names = [seat.name.lower() for seat in Seat]
    known = constrained_deals(3, seed=1, **dict(zip(names, everyone, strict=True)))
    assert list(known) == [BOARD] * 3


def test_functions_see_hands_or_owners() -> None:
    seen = []

    def aces(hands: np.ndarray) -> np.ndarray:
        seen.append((hands.shape[1], hands.dtype))
        return hands[:, ::13].sum(axis=1) == 3

    deals = constrained_deals(100, seed=1, east=aces, condition=lambda owners: owners[:, 51] == 0)
    assert all(str(deal.east).count("A") == 3 and "C2" in deal.north for deal in deals)
    assert set(seen) == {(52, np.dtype(bool))}
    with pytest.raises(ConstraintError, match=r"returned float64 of shape \(\) \(expected bool"):
        constrained_deals(1, seed=1, condition=lambda owners: np.float64(1))


def test_rare_hands_are_drawn_not_awaited() -> None:
    deals = constrained_deals(2_000, seed=1, north="hcp 30+, spades 7+")
    assert all(deal.north.hcp >= 30 and deal.north.lengths[0] >= 7 for deal in deals)
    together = constrained_deals(50, seed=1, north="hcp 37", south="hcp 3")
    assert all(deal.north.hcp == 37 and deal.south.hcp == 3 for deal in together)
    opposite = constrained_deals(50, seed=1, south=SOUTH, condition="hcp(n) + hcp(s) >= 36")
    assert all(deal.north.hcp >= 19 for deal in opposite)


# --- when nothing fits ----------------------------------------------------------------------------

CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({"north": "SA", "south": SOUTH}, "SA is given to South and to North"),
    ({"north": SOUTH, "south": SOUTH}, "SA is given to North and to South"),
    ({"north": "SAKQJT98765432, HA"}, "North has 14 known cards"),
    ({"condition": "predeal north SA south SA hcp(north) > 3"}, "SA is given to North and to"),
    ({"north": "hcp 26+", "south": SOUTH}, "north: no hand fits 'hcp 26.'.* 0-23 high-card points"),
    ({"north": "spades 7+, balanced, hearts 7+"}, "no hand fits 'spades 7.*'balanced' together"),
    ({"east": "spades 9+", "south": SOUTH}, "'spades 9.*0-8 spades"),
    ({"west": "hcp 17, hcp 12"}, "'hcp 17' and 'hcp 12' together"),
    ({"north": "hcp 25+", "south": "hcp 16+"}, "points do not add up.*expected 40"),
    ({"north": "hcp 9-", "south": "hcp 9-", "east": "hcp 9-", "west": "hcp 9-"}, "0-36"),
    ({"north": "spades 7+", "south": "spades 7+"}, "shapes.*cannot occur together"),
    ({"north": "spades 2", "south": "spades 2", "east": "spades 2", "west": "spades 2"}, "shapes"),
    ({"south": SOUTH, "condition": "hcp(south) < 10"}, "'hcp.south. < 10' fails: .* of South"),
    ({"west": "controls 13"}, "no hand fits 'controls 13'"),
    ({"condition": "3 > 4"}, "never true"),
    ({"north": "top3 in spades 3, not SA"}, "no hand fits"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "words"), CONTRADICTIONS)
def test_contradictions_are_found_before_dealing(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ConstraintError, match=words) as caught:
        Constraints(**asked)
    assert len(str(caught.value).splitlines()) <= 3


def test_too_few_deals_is_an_error_with_the_rate_and_the_clause() -> None:
    asked = {"north": "hcp 10+", "condition": "controls(north) + controls(south) >= 10"}
    with pytest.raises(NoDealsError, match="least often passed.*controls.north") as caught:
        constrained_deals(10_000, seed=1, max_tries=20_000, **asked)
    error = caught.value
    assert len(str(error).splitlines()) <= 3
    assert 0 < len(error.deals) < 10_000 and "max_tries" in str(error)
    assert error.deals == constrained_deals(len(error.deals), seed=1, **asked)
    assert error.report.tried >= 20_000 and error.report.accepted == len(error.deals)


def test_without_a_try_there_are_no_deals() -> None:
    with pytest.raises(ValueError, match="max_tries is 0 .expected 1 or more"):
        constrained_deals(1, seed=1, max_tries=0)
    assert len(constrained_deals(3, seed=1, max_tries=3)) == 3


def test_what_never_happens_ends() -> None:
    nothing = lambda owners: np.zeros(len(owners), dtype=bool)  # noqa: E731
    with pytest.raises(NoDealsError, match="0 of 1 deals found: no layout found") as caught:
        constrained_deals(1, seed=1, condition=nothing, max_tries=50_000)
    assert len(caught.value.deals) == 0


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"south": "AQ864.K75.A3.KJ"}, "south: .*12 cards"),
        ({"south": "AQ864.K75.A3.KJ42"}, "south: .*14 cards"),
        ({"south": "AQ864 K75 A3 KJ"}, "south: .*12 cards"),
        ({"south": "AQ864.K75.A3"}, "south: hand 'AQ864.K75.A3': 3 suits .expected four, "),
    ],
)
def test_a_hand_that_is_none_is_a_deal_error(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(DealError, match=words):
        Constraints(**asked)


@pytest.mark.parametrize("value", [3, {"hcp": 3}, np.zeros(52, dtype=bool)])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="north|cards"):
        Constraints(north=value)


def test_numbers_are_checked() -> None:
    for n, seed in ((-1, 1), (1, -1), (1, 2**64)):
        with pytest.raises(ValueError, match="expected 0"):
            constrained_deals(n, seed)
    with pytest.raises(TypeError, match="tricks is 5 .expected a function of owners"):
        constrained_deals(2, 1, tricks=5, condition="tricks(south,spades)==0")


# --- the report -----------------------------------------------------------------------------------


def test_the_report_counts_the_hits_of_each_clause() -> None:
    constraints = Constraints(north="hcp 15-17, balanced", condition="aces(n) == aces(s)")
    report = constraints.report()
    assert [clause.text for clause in report.clauses] == [
        "hcp 15-17",
        "balanced",
        "aces(n) == aces(s)",
    ]
    points, shape, aces = report.clauses
    assert points.exact == pytest.approx(0.100963, rel=1e-4)
    assert shape.exact == pytest.approx(0.476037, rel=1e-4)
    assert aces.exact is None and aces.share == aces.hits / aces.tries
    for clause in report.clauses:
        assert abs(clause.hits / clause.tries - clause.share) < 0.02
        assert clause.together <= clause.hits
    assert report.killer is points
    text = str(report)
    assert "1 in " in text and all(clause.text in text for clause in report.clauses)
    assert "nothing else" in repr(Constraints()) and "balanced" in repr(constraints)
    hits = constraints.accepts(random_deals(50_000, seed=6)).mean()
    assert report.share == pytest.approx(hits, rel=0.1)


def test_accepts_takes_deals_or_owners() -> None:
    deals = random_deals(100, seed=1)
    constraints = Constraints(north="hcp 10+", south=str(deals[3].south))
    passed = constraints.accepts(deals)
    assert passed.tolist() == [i == 3 and deals[3].north.hcp >= 10 for i in range(100)]
    assert (constraints.accepts(deals.owners) == passed).all()
    assert constraints.accepts(DealSet(np.empty((0, 52), np.uint8))).shape == (0,)
    assert hands_of(deals.owners, "N").shape == (100, 52)
