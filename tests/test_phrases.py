"""Hands as people say them: natural phrases, hands by name, and strategies, by plain Python."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trickcast import DealError, Hand, openings
from trickcast.cards import Deal, Seat
from trickcast.dealing import ConstraintError, Constraints, random_deals, read_strategy
from trickcast.dealing.language.conditions import AllOf, Layouts, evaluate
from trickcast.dealing.language.descriptions import read_description
from trickcast.dealing.language.named_hands import hands_by_name

DEALS = random_deals(1_000, seed=48)
HANDS = [deal.north for deal in DEALS]
BALANCED = ("4333", "4432", "5332")
Test = Callable[[Hand], bool]


@cache
def bids(system: str) -> dict[Hand, str]:
    return dict(zip(HANDS, openings.load(system).bid(HANDS), strict=True))


def bid(hand: Hand, system: str) -> str:
    return bids(system)[hand]


def five_card_major(hand: Hand) -> bool:
    return max(hand.lengths[:2]) >= 5


def strong_notrump(hand: Hand) -> bool:
    return 15 <= hand.hcp <= 17 and hand.pattern in BALANCED


FOURTEEN: dict[str, Test] = {
    "15-17 balanced": strong_notrump,
    "balanced 15-17": strong_notrump,
    "15-17 points": lambda h: 15 <= h.hcp <= 17,
    "at least 5 hearts": lambda h: h.lengths[1] >= 5,
    "5+ hearts": lambda h: h.lengths[1] >= 5,
    "five spades": lambda h: h.lengths[0] == 5,
    "5-3-3-2": lambda h: h.pattern == "5332",
    "any 4-4-4-1": lambda h: h.pattern == "4441",
    "weak two in hearts": lambda h: bid(h, "sayc") == "2H",
    "1NT opening": strong_notrump,
    "opens 1H": lambda h: bid(h, "sayc") == "1H",
    "10 or more points": lambda h: h.hcp >= 10,
    "no five-card major": lambda h: not five_card_major(h),
    "6-9 HCP with 4 spades": lambda h: 6 <= h.hcp <= 9 and h.lengths[0] == 4,
}
"""The phrases of the page's first visitors."""

MORE: dict[str, Test] = {
    "15-17 hcp balanced": strong_notrump,
    "15-17 bal": strong_notrump,
    "15 to 17 pts, bal": strong_notrump,
    "between 15 and 17 points, balanced": strong_notrump,
    "12+ 5 spades": lambda h: h.hcp >= 12 and h.lengths[0] == 5,
    "hcp 12+ spades 5+ hearts 3-4": lambda h: (
        h.hcp >= 12 and h.lengths[0] >= 5 and 3 <= h.lengths[1] <= 4
    ),
    "at most three hearts": lambda h: h.lengths[1] <= 3,
    "no more than 3 ♥": lambda h: h.lengths[1] <= 3,
    "three or fewer hearts": lambda h: h.lengths[1] <= 3,
    "up to 9 points": lambda h: h.hcp <= 9,
    "fewer than 4 spades": lambda h: h.lengths[0] < 4,
    "more than four spades": lambda h: h.lengths[0] > 4,
    "exactly 6 clubs": lambda h: h.lengths[3] == 6,
    "5+ cards in hearts": lambda h: h.lengths[1] >= 5,
    "5+ major": five_card_major,
    "a five-card major, 10+": lambda h: five_card_major(h) and h.hcp >= 10,
    "6-card heart suit": lambda h: h.lengths[1] >= 6,
    "6-card suit": lambda h: max(h.lengths) >= 6,
    "15—17 balanced": strong_notrump,
    "ace of spades": lambda h: "SA" in h,
    "10+ with the queen\nof ♥": lambda h: h.hcp >= 10 and "HQ" in h,
    "10 of Diamonds": lambda h: "DT" in h,
    "the 2 of clubs or spade ace": lambda h: "C2" in h or "SA" in h,
    "no ace of spades, not the heart king": lambda h: "SA" not in h and "HK" not in h,
    "no aces": lambda h: not any(card[1] == "A" for card in h),
    "10+ without a king": lambda h: h.hcp >= 10 and not any(card[1] == "K" for card in h),
    "no controls, 5+ spades": lambda h: (
        h.lengths[0] >= 5 and not any(card[1] in "AK" for card in h)
    ),
    "no hcp in hearts, no cards in spades": lambda h: (
        h.lengths[0] == 0 and not {*h.holding("H")} & {*"AKQJ"}
    ),
    "spades 5+, hearts 5+": lambda h: min(h.lengths[:2]) >= 5,
    "spades 5 or hearts 5": lambda h: 5 in h.lengths[:2],
    "(spades 4+, hearts 5+) or (spades 5+, hearts 4+)": lambda h: (
        min(h.lengths[:2]) >= 4 and max(h.lengths[:2]) >= 5
    ),
    "spades 4-5 or hearts 4-5": lambda h: not {4, 5}.isdisjoint(h.lengths[:2]),
    "4-5 spades": lambda h: 4 <= h.lengths[0] <= 5,
    "4 to 5 major": lambda h: not {4, 5}.isdisjoint(h.lengths[:2]),
    "no 5-card minor": lambda h: max(h.lengths[2:]) < 5,
    "without a 5-card major 15-17": lambda h: 15 <= h.hcp <= 17 and not five_card_major(h),
    "15-17 balanced or 20-21 balanced": lambda h: (
        h.pattern in BALANCED and (15 <= h.hcp <= 17 or 20 <= h.hcp <= 21)
    ),
    "5-4-x-x": lambda h: h.lengths[:2] == (5, 4),
    "hcp >= 10 + spades": lambda h: h.hcp >= 10 + h.lengths[0],
    "5 + hearts >= hcp": lambda h: 5 + h.lengths[1] >= h.hcp,
    "a 1NT opener": strong_notrump,
    "opens 1NT (acol)": lambda h: bid(h, "acol") == "1N",
    "opens 1♣ (Polish Club)": lambda h: bid(h, "polish-club-rules") == "1C",
    "1S opening (2/1)": lambda h: bid(h, "2/1") == "1S",
    "opens 1S (standard-american)": lambda h: bid(h, "standard-american") == "1S",
    "a weak two": lambda h: bid(h, "sayc") in ("2D", "2H", "2S"),
    "opens a weak two": lambda h: bid(h, "sayc") in ("2D", "2H", "2S"),
    "weak two in ♥ (polish-club)": lambda h: (
        bid(h, "polish-club-rules") == "2D" and h.lengths[1] == 6
    ),
    "Michaels over 1♥": lambda h: h.hcp >= 6 and h.lengths[0] >= 5 and max(h.lengths[2:]) >= 5,
    "michaels over 1C": lambda h: h.hcp >= 6 and min(h.lengths[:2]) >= 5,
    "pre-empt in spades": lambda h: bid(h, "sayc") in ("3S", "4S"),
}


@pytest.mark.parametrize("text", [*FOURTEEN, *MORE])
def test_phrases_mean_what_people_mean(text: str) -> None:
    passed = Constraints(north=text).accepts(DEALS)
    assert passed.tolist() == [(FOURTEEN | MORE)[text](hand) for hand in HANDS]


@pytest.mark.parametrize(
    "text", ["15-17 balanced with a 5-card major", "opens 2H", "Michaels over 1S"]
)
def test_phrases_of_every_seat_are_dealt(text: str) -> None:
    for seat in Seat:
        asked = Constraints(**{seat.name.lower(): text})
        alone = Constraints(north=text)
        for deal in asked.deals(5, seed=1):
            turned = Deal.from_owners((deal.owners + (4 - seat)) % 4)
            assert alone.accepts(turned.owners[None]).all()


def test_each_part_of_a_phrase_is_a_clause_of_its_own() -> None:
    clauses = read_description("6-9 HCP with 4 spades, no five-card major", Seat.EAST)
    assert [clause.text for clause in clauses] == ["6-9 HCP", "4 spades", "no five-card major"]
    assert {clause.source for clause in clauses} == {"east"}


@pytest.mark.parametrize("name", hands_by_name())
@pytest.mark.parametrize("system", ["sayc", "2/1", "acol", "polish-club"])
def test_every_hand_by_name_is_one_or_said_to_be_missing(name: str, system: str) -> None:
    if (name, system) == ("weak two in diamonds", "polish-club"):
        with pytest.raises(ConstraintError, match="polish-club has no weak two in diamonds"):
            read_description(f"{name} ({system})", Seat.WEST)
    else:
        asked = Constraints(west=f"{name} ({system})")
        assert asked.accepts(asked.deals(3, seed=5)).all()


@pytest.mark.parametrize("system", ["sayc", "2/1", "acol", "polish-club-rules"])
def test_the_openings_of_a_system_share_out_all_hands(system: str) -> None:
    made = [*bids(system).values()]
    for call in openings.load(system).calls:
        if call != "PASS":
            opened = Constraints(north=f"opens {call} ({system})").accepts(DEALS)
            assert opened.tolist() == [each == call for each in made]


# --- small cards ----------------------------------------------------------------------------------


def test_an_x_is_drawn_from_the_cards_below_the_ten() -> None:
    asked = Constraints(south="AQxxx.Kxx.Ax.KJx", north="SJ, S9")
    seen = set()
    for deal in asked.deals(200, seed=3):
        assert deal.south.lengths == (5, 3, 2, 3) and deal.south.hcp == 17
        spades, hearts, diamonds, clubs = map(deal.south.holding, "SHDC")
        assert (spades[:2], hearts[:1], diamonds[:1], clubs[:2]) == ("AQ", "K", "A", "KJ")
        seen |= {*spades[2:]}
        assert not {*spades[2:], *hearts[1:], *diamonds[1:], *clubs[2:]} & {*"AKQJT"}
    assert seen == {*"8765432"}


def test_one_suit_with_small_cards_is_the_whole_suit() -> None:
    held = [h.holding("S") for h in HANDS]
    expected = [len(s) == 4 and s[:2] == "AQ" and not {*s[2:]} & {*"AKQJT"} for s in held]
    for text in ("SAQxx", "♠AQxx", "♠️AQxx, hcp 0+"):
        assert Constraints(north=text).accepts(DEALS).tolist() == expected


@pytest.mark.parametrize("text", ["AQxxx.Kxx.Ax.KJx", "♠AQxxx ♥Kxx ♦Ax ♣KJx"])
def test_an_x_in_a_whole_hand_is_told(text: str) -> None:
    with pytest.raises(DealError, match=r"stands for any small card.*simulate"):
        Hand(text)


# --- errors ---------------------------------------------------------------------------------------

AMBIGUOUS = [
    ("5+", 1, "5+ points or cards? (expected 5+ hcp, or 5+ spades)"),
    ("balanced, 6-9", 11, "6-9 points or cards? (expected 6-9 hcp, or 6-9 spades)"),
    ("4 or 5 spades", 1, "4-5 points or cards? (expected 4-5 hcp, or 4-5 spades)"),
    ("balanced or 5422 15-17", 1,
     "which words belong together? "
     "(expected (balanced) or (5422 15-17); or (balanced or 5422), 15-17)"),
    ("15-17 balanced or 5422", 1,
     "which words belong together? "
     "(expected (15-17 balanced) or (5422); or 15-17, (balanced or 5422))"),
    ("not balanced 15-17", 1,
     "not balanced, or not all of it? (expected a comma or brackets after not)"),
    ("5-5 majors", 1, "5-5 in both suits or in one? "
     "(expected spades 5+, hearts 5+; or spades 5 or hearts 5)"),
    ("12-14, 4–4 minors", 8, "4–4 in both suits or in one? "
     "(expected diamonds 4+, clubs 4+; or diamonds 4 or clubs 4)"),
    ("not 4-5 major", 5, "4-5 in both suits or in one? (expected (spades 4+, hearts 5+) or "
     "(spades 5+, hearts 4+); or spades 4-5 or hearts 4-5)"),
    ("5-4 in the majors", 1, "5-4 which way round? (expected (spades 5+, hearts 4+) or"),
    ("five-five minors", 1, "five-five in both suits or in one? (expected diamonds 5+, clubs 5+"),
    ("5-4 majors", 1, "5-4 which way round? "
     "(expected (spades 5+, hearts 4+) or (spades 4+, hearts 5+))"),
    ("4432 + 4333", 1, "4432 + points? (expected 4432 or 4333, or shape 4432 + 4333)"),
    ("balanced, 5332+", 11, "5332+ points? (expected 5332 for the shape)"),
    ("15-17 hearts 3+", 1, "15-17 hearts are too many (expected a comma: 15-17, hearts 4+)"),
]  # fmt: skip
WRONG = [
    ("void in spades", 1, "void in spades is not known here (expected spades 0)"),
    ("a singleton heart", 1, "a singleton heart is not known here (expected hearts 1)"),
    ("15+, doubleton club", 6, "doubleton club is not known here (expected clubs 2)"),
    ("no void", 4, "void is not known here (expected such as spades 0)"),
    ("AK in spades", 1, "AK is not known here (expected 2 of AK in spades)"),
    ("akq in hearts 3", 1, "(expected no suit, or 2 of AKQ in hearts)"),
    ("15-17 hpc", 7, "hpc is not a count (did you mean hcp?)"),
    ("5+ spaeds", 4, "spaeds is not a count (did you mean spades?)"),
    ("opens", 1, "opens what? (expected such as opens 1NT)"),
    ("weak two in clubs", 1, "weak what? (expected such as weak two in spades)"),
    ("opens 1NT (kaplan)", 1,
     "kaplan is not a known system (expected sayc, 2/1, acol or polish-club)"),
    ("opens 6N", 1, "sayc never opens 6N (expected another bid, or another system)"),
    ("AQxxx.Kxx.Ax.KJ", 1, "12 cards (expected 13)"),
    ("SKQJTxxxxxxxxx", 1, "there are eight cards below the ten"),
    ("no aces 15-17", 9, "aces 15-17 are too many (expected a comma before 15-17)"),
    ("balanced no spades 15+", 20, "spades 15+ are too many (expected a comma before 15+)"),
    ("opens 1NT, north 5 hearts", 12, "north is a seat (expected what one hand holds; in a theme"),
    ("15-17 balanced and North has 8-9", 20, "North is a seat (expected"),
    ("South opens 1NT", 1, "South is a seat (expected"),
    ("West: 15-17", 1, "West is a seat (expected"),
    ("passes", 1, "passes is not known here (expected such as hcp"),
    ("“15-17”", 1, "“ is a curly quotation mark (expected straight ones, or none)"),
    ("15-17, balanced’", 16, "’ is a curly quotation mark"),
    ("ace", 4, "ace of how much? (expected such as ace 1, or SA for a card)"),
    ("5 of hearts", 6, "of hearts? (expected such as 3 spades, 2 of AKQ in spades, or SA"),
    ("AK of spades", 7, "of spades? (expected such as 3 spades, 2 of AKQ in spades, or SA"),
    ("5+ cards", 4, "cards in what? (expected a suit, such as cards in spades)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "column", "words"), [*AMBIGUOUS, *WRONG])
def test_what_can_mean_two_things_or_nothing_says_what_to_write(
    text: str, column: int, words: str
) -> None:
    with pytest.raises(ConstraintError) as caught:
        Constraints(east=text)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"east, line 1, column {column}: ")


# --- any phrase -----------------------------------------------------------------------------------

LENGTH = st.integers(0, 7)
PARTS = st.one_of(
    st.tuples(st.integers(10, 14), st.integers(15, 25)).map(
        lambda ends: (f"{ends[0]}-{ends[1]}", lambda h: ends[0] <= h.hcp <= ends[1])
    ),
    st.integers(10, 20).map(lambda n: (f"{n}+ points", lambda h: h.hcp >= n)),
    st.tuples(LENGTH, st.integers(0, 3)).map(
        lambda two: (
            f"{two[0]}+ {('spades', 'hearts', 'diamonds', 'clubs')[two[1]]}",
            lambda h: h.lengths[two[1]] >= two[0],
        )
    ),
    st.just(("balanced", lambda h: h.pattern in BALANCED)),
    st.just(("no five-card major", lambda h: not five_card_major(h))),
    st.just(("5-3-3-2", lambda h: h.pattern == "5332")),
)


@settings(max_examples=60, deadline=None)
@given(parts=st.lists(PARTS, min_size=1, max_size=4), data=st.data())
def test_words_beside_each_other_mean_what_they_mean_apart_by_commas(parts, data) -> None:
    between = [data.draw(st.sampled_from([" ", ", ", " with ", " and "])) for _ in parts[1:]]
    text = parts[0][0] + "".join(b + part[0] for b, part in zip(between, parts[1:], strict=True))
    clauses = read_description(text, Seat.NORTH)
    assert [clause.text for clause in clauses] == [part[0] for part in parts]
    asked = AllOf(tuple(clause.node for clause in clauses))
    passed = evaluate(asked, Layouts(DEALS.owners[:300]))
    assert passed.tolist() == [all(test(hand) for _, test in parts) for hand in HANDS[:300]]


TOKENS = st.sampled_from(
    ["15-17", "5+", "12+", "at least", "five", "or more", "or", "and", "with", "no", "not", "(",
     ")", ",", "balanced", "bal", "hearts", "points", "major", "five-card", "suit", "5-3-3-2",
     "any", "opens", "1NT", "opening", "weak two", "in", "hearts", "michaels over", "1H", "(acol)",
     "hcp", ">=", "+", "AQxxx.Kxx.Ax.KJx", "SAxx", "card",
     "aces", "ace of", "spade", "the", "cards", "between", "to", "exactly"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(words=st.lists(TOKENS, min_size=1, max_size=8))
def test_any_words_are_read_or_refused_with_their_place(words: list[str]) -> None:
    text = " ".join(words)
    try:
        clauses = read_description(text, Seat.NORTH)
    except ConstraintError as error:
        assert error.mistake is not None and error.mistake.line == 1
        assert 1 <= error.mistake.column <= len(text) + 1
    else:
        assert clauses


# --- strategies -----------------------------------------------------------------------------------


def test_a_strategy_chooses_a_contract_for_each_deal() -> None:
    text = "4S by N if spades(north) >= 5 and hcp(n) >= 14 else 3NTx if hcp(north) >= 16 else pass"
    rule = read_strategy(text)
    assert [str(outcome) for outcome in rule.outcomes] == ["4S by N", "3NX", "PASS"]
    expected = [0 if h.lengths[0] >= 5 and h.hcp >= 14 else 1 if h.hcp >= 16 else 2 for h in HANDS]
    assert rule.choose(DEALS).tolist() == rule.choose(DEALS.owners).tolist() == expected
    assert rule.choose(DEALS[:0]).tolist() == []
    assert rule.decided_by(DEALS).tolist() == expected and len(rule.conditions) == 2


def test_a_strategy_names_each_contract_once_and_may_have_no_condition() -> None:
    invite = read_strategy("4♥ if hcp(n) > 15 else 3H if hcp(n) > 9 else 4H")
    assert [str(outcome) for outcome in invite.outcomes] == ["4H", "3H"]
    assert invite.choose(DEALS).tolist() == [int(10 <= h.hcp <= 15) for h in HANDS]
    assert not read_strategy("6NT").choose(DEALS).any()


def test_a_strategy_may_ask_for_tricks() -> None:
    rule = read_strategy("3N if tricks(north, notrump) >= 9 else 2N")
    with pytest.raises(ConstraintError, match="not known from the cards"):
        rule.choose(DEALS)
    tables = np.full((len(DEALS), 5, 4), 8, np.uint8)
    tables[::2, 4, 0] = 9
    assert rule.choose(DEALS, lambda _: tables).tolist() == [0, 1] * (len(DEALS) // 2)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("3N if hcp(nroth) > 3 else 2N", 11, "did you mean north?"),
        ("3N if hcp(north) > 3", 21, "the text ends (expected else"),
        ("3N if hcp(north) else 2N", 7, "is a number"),
        ("8N if hcp(north) > 3 else 2N", 1, "expected pass, a contract such as 4S"),
        ("3N hcp(north) > 3", 4, "expected if, by, the end"),
    ],
)
def test_a_mistake_in_a_strategy_is_pointed_at(text: str, column: int, words: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        read_strategy(text)
    assert str(caught.value).startswith(f"strategy, line 1, column {column}: ")
    assert words in str(caught.value)
