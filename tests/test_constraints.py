"""The two constraint languages against plain Python and endplay, and their errors."""

import doctest
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trickcast import evaluators
from trickcast.cards import Deal, DealError, Hand, Seat
from trickcast.dealing import ConstraintError, Constraints, ConstraintWarning, random_deals

DEALS = random_deals(400, seed=2026)
HANDS = [deal.north for deal in DEALS]
PAGE = Path(__file__).parents[1] / "docs" / "constraints.md"

Test = Callable[[Hand], bool]


def holds(hand: Hand, cards: str) -> bool:
    return all(card in hand for card in cards.split())


def worth(name: str, hand: Hand, trump: str | None = None) -> float:
    return round(float(evaluators.evaluate(name, hand, trump)), 9)


def count(hand: Hand, ranks: str) -> int:
    return sum(str(hand).count(rank) for rank in ranks)


SHORT_FORMS: dict[str, Test] = {
    "hcp 15-17, balanced": lambda h: 15 <= h.hcp <= 17 and h.pattern in ("4333", "4432", "5332"),
    "15-17 HCP , Balanced": lambda h: 15 <= h.hcp <= 17 and h.pattern in ("4333", "4432", "5332"),
    "spades 5+, hearts 3-4": lambda h: h.lengths[0] >= 5 and 3 <= h.lengths[1] <= 4,
    "5+ spades, 3-4 ♥": lambda h: h.lengths[0] >= 5 and 3 <= h.lengths[1] <= 4,
    "6-9 hcp": lambda h: 6 <= h.hcp <= 9,
    "hcp 12": lambda h: h.hcp == 12,
    "hcp 9-": lambda h: h.hcp <= 9,
    "hcp 9 – 11": lambda h: 9 <= h.hcp <= 11,
    "hcp = 12 or hcp>=20": lambda h: h.hcp == 12 or h.hcp >= 20,
    "hcp != 12 and hcp ≤ 14": lambda h: h.hcp != 12 and h.hcp <= 14,
    "4333 or 4432": lambda h: h.pattern in ("4333", "4432"),
    "any 5332": lambda h: h.pattern == "5332",
    "5=3=3=2": lambda h: h.lengths == (5, 3, 3, 2),
    "1=4=4=4 or x=x=5=4": lambda h: h.lengths == (1, 4, 4, 4) or h.lengths[2:] == (5, 4),
    "xx54": lambda h: h.lengths[2:] == (5, 4),
    "any xx54": lambda h: any(
        h.lengths[a] == 5 and h.lengths[b] == 4 for a in range(4) for b in range(4)
    ),
    "shape any 4333 + any 5332 - 5xxx": lambda h: (
        h.pattern in ("4333", "5332") and h.lengths[0] != 5
    ),
    "shape 4432": lambda h: h.lengths == (4, 4, 3, 2),
    "semi-balanced": lambda h: h.pattern in ("4333", "4432", "5332", "5422", "6322"),
    "not balanced, SA": lambda h: (
        h.pattern not in ("4333", "4432", "5332") and holds(h, "SA")
    ),
    "♠AK or HA2": lambda h: holds(h, "SA SK") or holds(h, "HA H2"),
    "AS, not KD": lambda h: holds(h, "SA") and not holds(h, "DK"),
    "not (hcp 10+ or spades 4+)": lambda h: h.hcp < 10 and h.lengths[0] < 4,
    "controls >= 4": lambda h: 2 * count(h, "A") + count(h, "K") >= 4,
    "losers 6-7": lambda h: 6 <= worth("losers", h) <= 7,
    "top3 in spades 2+": lambda h: sum(h.holding("S").count(r) for r in "AKQ") >= 2,
    "hcp in spades 5+": lambda h: worth("hcp", Hand(h)) >= 0 and sum(
        dict(zip("AKQJ", (4, 3, 2, 1), strict=True)).get(r, 0) for r in h.holding("S")
    ) >= 5,
    "fifths 8.6": lambda h: worth("fifths", h) == 8.6,
    "zar 26+": lambda h: worth("zar", h) >= 26,
    "bum_rap 11-13.5": lambda h: 11 <= worth("bum_rap", h) <= 13.5,
    "playing_tricks in hearts 5+": lambda h: worth("playing_tricks", h, "H") >= 5,
    "cccc >= 1250": lambda h: round(100 * worth("cccc", h)) >= 1250,
    "cccc 12.5+": lambda h: round(100 * worth("cccc", h)) >= 1250,
    "cccc 12.5-14.0, 11.75 < cccc": lambda h: 1250 <= round(100 * worth("cccc", h)) <= 1400,
    "aces 2, kings 0 or tens 3": lambda h: (
        count(h, "A") == 2 and (count(h, "K") == 0 or count(h, "T") == 3)
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", SHORT_FORMS)
def test_short_forms_mean_what_players_mean(text: str) -> None:
    passed = Constraints(north=text).accepts(DEALS)
    assert passed.tolist() == [SHORT_FORMS[text](hand) for hand in HANDS]


SCRIPTS: dict[str, Callable[[Deal], bool]] = {
    "hcp(north) >= 15 && hcp(n) <= 17": lambda d: 15 <= d.north.hcp <= 17,
    "condition hcp(west)==10||!(spades(east) > 3)": lambda d: (
        d.west.hcp == 10 or d.east.lengths[0] <= 3
    ),
    "x = hcp(north) + hcp(south)\nx >= 20 and x % 2 == 0 // even": lambda d: (
        d.north.hcp + d.south.hcp >= 20 and (d.north.hcp + d.south.hcp) % 2 == 0
    ),
    "# points\nhcp(east) / 4 == 2 /* drops\nthe rest */": lambda d: d.east.hcp // 4 == 2,
    "-hcp(east) / 4 == -2": lambda d: d.east.hcp // 4 == 2,
    "hcp(north) - hcp(south) - 2 > 1": lambda d: d.north.hcp - d.south.hcp > 3,
    "hcp(north) + 2 * spades(north) > 16": lambda d: d.north.hcp + 2 * d.north.lengths[0] > 16,
    "(spades(n) > 3) + (hearts(n) > 3) + (diamonds(n) > 3) + (clubs(n) > 3) == 2": lambda d: (
        sum(length > 3 for length in d.north.lengths) == 2
    ),
    "spades(n) > 4 ? hcp(n) > 8 : hcp(n) > 12": lambda d: (
        d.north.hcp > (8 if d.north.lengths[0] > 4 else 12)
    ),
    "flat = shape(south, any 4333 + any 4432 + any 5332 - 5xxx - x5xx)\nflat": lambda d: (
        d.south.pattern in ("4333", "4432", "5332") and 5 not in d.south.lengths[:2]
    ),
    "shape(west, 54xx + 45xx)": lambda d: d.west.lengths[:2] in ((5, 4), (4, 5)),
    "hascard(east, AS) and not hascard(EAST, HK)": lambda d: "SA" in d.east and "HK" not in d.east,
    "altcount 0 1 1 1 1 1 1 1\n pt0(north) == 6": lambda d: count(d.north, "AKQJT98") == 6,
    "pointcount 6 4 2 1\nhcp(s) >= 18": lambda d: (
        sum(dict(zip("AKQJ", (6, 4, 2, 1), strict=True)).get(c, 0) for c in str(d.south)) >= 18
    ),
    "keep = 1\nkeep0 = 0\nhcp(n) > 12 and keep and not keep0": lambda d: d.north.hcp > 12,
    "stayman = hcp(n) > 11 and spades(n) == 4\nstayman": lambda d: (
        d.north.hcp > 11 and d.north.lengths[0] == 4
    ),
    "A = hcp(n)\na = hcp(s)\nA > a": lambda d: d.north.hcp > d.south.hcp,
    "Weak = hcp(n) < 8\nweak": lambda d: d.north.hcp < 8,
    "shape(n, any 4333, 5xxx 4432 - 53xx)": lambda d: (
        d.north.pattern == "4333"
        or d.north.lengths == (4, 4, 3, 2)
        or (d.north.lengths[0] == 5 and d.north.lengths[1] != 3)
    ),
    "seed = 3\nopener = 2\nhcp(n) > seed * opener": lambda d: d.north.hcp > 6,
    "c13(s) >= 18": lambda d: (
        sum(dict(zip("AKQJ", (6, 4, 2, 1), strict=True)).get(c, 0) for c in str(d.south)) >= 18
    ),
    "hcp(north, spades) > hcp(south, spade)": lambda d: (
        sum("JQKA".find(c) + 1 for c in d.north.holding("S") if c in "JQKA")
        > sum("JQKA".find(c) + 1 for c in d.south.holding("S") if c in "JQKA")
    ),
    "a = balanced(north) b = not a b or hcp(north) > 20": lambda d: (
        d.north.pattern not in ("4333", "4432", "5332") or d.north.hcp > 20
    ),
}


@pytest.mark.parametrize("text", SCRIPTS)
def test_scripts_mean_what_dealer_means(text: str) -> None:
    passed = Constraints(condition=text).accepts(DEALS)
    assert passed.tolist() == [SCRIPTS[text](deal) for deal in DEALS]


def test_a_whole_script_of_dealer_is_read() -> None:
    text = """
        weak   = hcp(west) <= 9 and spades(west) >= 6
        flat   = shape(north, any 4333 + any 4432 + any 5332 - 5xxx)
        predeal south SAK2, HQJ, D98765, CK43
        condition flat and hcp(north) >= 15 and hcp(north) <= 17 and not weak
        produce 50
        action average "N-S = spades" tricks(south, spades), frequency "HCP" (hcp(north), 10, 20)
    """
    with pytest.warns(ConstraintWarning) as caught:
        constraints = Constraints(condition=text)
    said = [str(warning.message) for warning in caught]
    assert [re.sub(r".*line (\d).*: (\w+) says.*", r"\1 \2", text) for text in said] == [
        "6 produce",
        "7 action",
    ]
    assert Path(caught[0].filename).name == Path(__file__).name
    for deal in constraints.deals(20, seed=1):
        assert str(deal.south) == "AK2.QJ.98765.K43"
        assert 15 <= deal.north.hcp <= 17 and deal.north.lengths[0] < 5
        assert not (deal.west.hcp <= 9 and deal.west.lengths[0] >= 6)


@pytest.mark.parametrize(
    "unused",
    ["action printall\n// BERGEN=0, BISSEL", 'title "a = b"', "seed 99", "startboard 3",
     "opener west", "action # x = 1", 'action printes("x = 1"), /* y = 2 */ printpbn',
     "produce\n  40", "vulnerable none"],
)  # fmt: skip
def test_statements_that_say_nothing_about_the_cards_are_told(unused: str) -> None:
    with pytest.warns(ConstraintWarning) as caught:
        script = Constraints(condition=f"condition hcp(north)>15\n{unused}")
    assert len(caught) == 1 and "line 2" in str(caught[0].message)
    assert all(deal.north.hcp > 15 for deal in script.deals(5, seed=1))


def test_levels_of_long_scripts_are_read() -> None:
    """Scripts that level out rare hands have hundreds of names, each used by the next."""
    levels = [f"level{i} = hcp(north) == {i} and spades(north) >= {i % 7}" for i in range(300)]
    any_of = [f"any{i + 1} = any{i} or level{i} or any{i} and level{i}" for i in range(300)]
    script = "\n".join([*levels, "any0 = 0", *any_of, "any300 and not any5"])
    passed = Constraints(condition=script).accepts(DEALS[:100])
    assert passed.tolist() == [
        hand.hcp >= 5 and hand.lengths[0] >= hand.hcp % 7 for hand in HANDS[:100]
    ]


def test_a_name_that_is_never_used_is_said() -> None:
    with pytest.warns(ConstraintWarning, match="line 2: weak is never used"):
        Constraints(condition="\nweak = hcp(west) < 9\nhcp(north) > 12")


def test_statements_may_follow_an_action() -> None:
    text = "action printpbn, printoneline condition hcp(north) == 40 - 20"
    with pytest.warns(ConstraintWarning, match="action"):
        constraints = Constraints(condition=text)
    assert all(deal.north.hcp == 20 for deal in constraints.deals(5, seed=1))


# --- endplay's reading of the same conditions --------------------------------------------------

SAME_IN_ENDPLAY = [
    "hcp(north) >= 15 and hcp(north) <= 17",
    "hcp(north) + hcp(south) > 24 or spades(north) + spades(south) >= 9",
    "shape(north, any 4333 + any 4432 + any 5332 - 5xxx)",
    "shape(east, 5xxx + x5xx) and not shape(east, any 55xx)",
    "hascard(east, AS) || hascard(west, 2C)",
    "controls(north) >= 4 && losers(south) <= 7",
    "top3(north, spades) == 2 or top5(south, hearts) > 2",
    "c13(east) > 12 and c13(west, clubs) <= 6",
    "aces(north) + kings(south) * 2 - tens(east) > 3",
    "hcp(north, spades) % 3 == 1",
    "spades(north) > 4 ? hcp(north) > 8 : hcp(north) > 12",
    "losers(west, diamonds) == 2 and controls(west, diamonds) == 1",
    "pt9(north) != 10 and pt6(south) < 4",
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pyparsing's, on endplay's grammar
@pytest.mark.parametrize("text", SAME_IN_ENDPLAY)
def test_endplay_passes_the_same_deals(text: str) -> None:
    conditions = pytest.importorskip("endplay.dealer.constraint")
    types = pytest.importorskip("endplay.types")
    test = conditions.ConstraintInterpreter().lambdify(text)
    deals = DEALS[:150]
    theirs = [bool(test(types.Deal(deal.pbn))) for deal in deals]
    assert Constraints(condition=text).accepts(deals).tolist() == theirs
    assert 0 < sum(theirs) < len(theirs)


# --- any expression ---------------------------------------------------------------------------

SEATS = {"north": 0, "east": 1, "south": 2, "west": 3}


@st.composite
def numbers(draw: st.DrawFn, depth: int = 2) -> tuple[str, Callable[[Deal], int]]:
    kind = draw(st.sampled_from(["value", "hcp", "length", "sum"] if depth else ["value", "hcp"]))
    seat = draw(st.sampled_from(list(SEATS)))
    if kind == "value":
        value = draw(st.integers(0, 20))
        return str(value), lambda d: value
    if kind == "hcp":
        return f"hcp({seat})", lambda d: d[seat].hcp
    if kind == "length":
        suit = draw(st.integers(0, 3))
        name = ["spades", "hearts", "diamonds", "clubs"][suit]
        return f"{name}( {seat} )", lambda d: d[seat].lengths[suit]
    (left, first), (right, second) = draw(numbers(depth - 1)), draw(numbers(depth - 1))
    sign = draw(st.sampled_from("+-*"))
    results = {
        "+": lambda d: first(d) + second(d),
        "-": lambda d: first(d) - second(d),
        "*": lambda d: first(d) * second(d),
    }
    return f"({left} {sign} {right})", results[sign]


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3) -> tuple[str, Callable[[Deal], bool]]:
    kind = draw(st.sampled_from(["compare", "and", "or", "not"] if depth else ["compare"]))
    if kind == "compare":
        (left, first), (right, second) = draw(numbers()), draw(numbers())
        if draw(st.booleans()):
            return f"{left} <= {right}", lambda d: first(d) <= second(d)
        return f"{left}=={right}", lambda d: first(d) == second(d)
    left, first = draw(conditions(depth - 1))
    if kind == "not":
        return f"not ({left})", lambda d: not first(d)
    right, second = draw(conditions(depth - 1))
    if kind == "and":
        return f"({left}) and ({right})", lambda d: first(d) and second(d)
    return f"({left}) || ({right})", lambda d: first(d) or second(d)


@given(conditions())
@settings(max_examples=40, deadline=None)
def test_any_condition_is_read_and_computed_right(
    condition: tuple[str, Callable[[Deal], bool]],
) -> None:
    text, test = condition
    deals = DEALS[:40]
    try:
        passed = Constraints(condition=text).accepts(deals)
    except ConstraintError as error:  # found to be contradictory: then nothing may pass
        assert "line" not in str(error)
        passed = np.zeros(len(deals), dtype=bool)
    assert passed.tolist() == [test(deal) for deal in deals]


@given(st.text("hcpsn ()+-=<>!&|any.,:?%*/0123456789xSAKQ\n#", max_size=40), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_with_its_place(text: str, short: bool) -> None:
    if text.strip() == "":
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstraintWarning)
            Constraints(north=text) if short else Constraints(condition=text)
    except ConstraintError as error:
        assert len(str(error).splitlines()) in (1, 3)
    except DealError as error:  # four suits: meant as a hand
        assert short and str(error).startswith("north: hand ")


# --- errors -----------------------------------------------------------------------------------

SHORT_ERRORS = [
    ("hcp 15-17, spaeds 5+", 12, "did you mean spades?"),
    ("blanced", 1, "did you mean balanced?"),
    ("hcp 17-15", 5, "runs backwards (expected 15-17)"),
    ("hcp(north) > 3", 5, "Dealer's language"),
    ("5333", 1, "adds up to 14 cards"),
    ("hcp 15-17, ", 11, "the text ends"),
    ("hcp", 4, "expected a number"),
    ("SAA", 1, "twice"),
    ("zar in spades 20+", 1, "whatever suit"),
    ("top3 in spaeds 2", 9, "did you mean spades?"),
    ("quality 120+", 1, "expected a suit"),
    ("hcp 15 @", 8, "'@' is unexpected"),
    ("cccc 15+", 6, "too small for (expected 15.0 for points, or 1500)"),
    ("hcp 12+, quality in spades > 2", 10, "quality is in hundredths"),
]
SCRIPT_ERRORS = [
    ("hcp(nroth) > 3", 1, 5, "did you mean north?"),
    ("hcp(south) > 3\nand hpc(north) > 3", 2, 5, "did you mean hcp?"),
    ("10 <= hcp(north) <= 12", 1, 18, "a second time"),
    ("hcp(north)", 1, 1, "is a number"),
    ("hcp(north) = 3", 1, 12, "did you mean ==?"),
    ("not hcp(north) > 3", 1, 5, "is a number"),
    ("weak = hcp(west) < 9\n\nwaek and hcp(west) > 3", 3, 1, "did you mean weak?"),
    ("hcp > 3", 1, 1, "hcp(north)"),
    ("hcp(north) 15-17", 1, 1, "is a number"),
    ("hcp(north) == 15-17-", 1, 21, "the text ends"),
    ("shape(north, 4332)", 1, 14, "12 cards"),
    ("hascard(north, SAK)", 1, 16, "2 cards"),
    ("tricks(north, spades) > 9", 1, 1, "not known from the cards"),
    ("hcp(north, spaeds) > 2", 1, 12, "did you mean spades?"),
    ("altcount 3 hcp(north) > 3", 1, 1, "0 values (expected 1 to 13"),
    ("altcount 12 1 hcp(north) > 3", 1, 10, "0 to 9"),
    ("x = 3 x = 4 hcp(north) > x", 1, 7, "second time"),
    ("spades(n) > 3 ? 5 : clubs(n) > 3", 1, 1, "one outcome"),
    ("keep2 = 1\nkep2 and hcp(n) > 3", 2, 1, "did you mean keep2?"),
    ("hcp = 3 hcp > 2", 1, 1, "is a function"),
    ("hcp(n) > 3\naction = hcp(s) > 10\ncondition action", 2, 1, "is a word of the language"),
    ("produce = 3\nhcp(n) > produce", 1, 1, "is a word of the language"),
    ("Vulnerable = 3\nhcp(n) > vulnerable", 1, 1, "is a word of the language"),
    ("predeal = 3\nhcp(n) > predeal", 1, 1, "is a word of the language"),
    ("and = hcp(n) > 3\ncondition and", 1, 1, "is a word of the language"),
    ("hcp(n) > 3 and\n  12 / hcp(n) > 3 and 5 / (3 - 3) > 1", 2, 23, "division by zero"),
    ("hcp(n) * 1000000 * 1000000 * 1000000 > 3", 1, 1, "may exceed 9,007,199,254,740,992"),
    ("hcp(n) > 1234567890123456", 1, 10, "is too long (expected at most 15 characters)"),
    ("altcount 0 9999999 pt0(n) > 3", 1, 12, "expected at most 1,000,000"),
]


def check_place(message: str, text: str, line: int, column: int) -> None:
    first, shown, caret = message.splitlines()
    assert f"line {line}, column {column}:" in first
    assert shown.strip() in " ".join(text.splitlines()[line - 1].split("\t"))
    assert caret.index("^") == 2 + column - 1


@pytest.mark.parametrize(("text", "column", "words"), SHORT_ERRORS)
def test_errors_of_the_short_form_point_at_the_place(text: str, column: int, words: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        Constraints(east=text)
    message = str(caught.value)
    assert message.startswith("east, ") and words in message
    check_place(message, text, 1, column)


@pytest.mark.parametrize(("text", "line", "column", "words"), SCRIPT_ERRORS)
def test_errors_of_scripts_point_at_the_place(
    text: str, line: int, column: int, words: str
) -> None:
    with pytest.raises(ConstraintError) as caught:
        Constraints(condition=text)
    message = str(caught.value)
    assert words in message
    check_place(message, text, line, column)


@pytest.mark.parametrize("text", ["", "  \n", "# nothing"])
def test_empty_text_is_no_constraint(text: str) -> None:
    with pytest.raises(ConstraintError):
        Constraints(north=text)


@pytest.mark.slow
def test_nesting_has_no_end() -> None:
    flat = Constraints(north="balanced").accepts(DEALS).tolist()
    for text in ("(" * 2000 + "balanced" + ")" * 2000, "not " * 2000 + "balanced",
                 "not (" * 2000 + "balanced" + ")" * 2000):  # fmt: skip
        assert Constraints(north=text).accepts(DEALS).tolist() == flat
        script = text.replace("balanced", "balanced(n)")
        assert Constraints(condition=script).accepts(DEALS).tolist() == flat
    deep = "hcp(n) > 1 ? " * 300 + "balanced(n)" + " : hcp(n) > 0" * 300
    passed = Constraints(condition=deep).accepts(DEALS).tolist()
    assert passed == [(h.hcp > 1 and b) or h.hcp == 1 for h, b in zip(HANDS, flat, strict=True)]
    assert Constraints(condition="-" * 2000 + "hcp(n) > 20").deals(1, seed=1)[0].north.hcp > 20


DIVISIONS: dict[str, Callable[[Deal], bool]] = {
    "spades(n) > 0 and 12 / spades(n) > 3": lambda d: 0 < d.north.lengths[0] < 4,
    "12 % spades(n) == 0 and spades(n) > 0": lambda d: d.north.lengths[0] in (1, 2, 3, 4, 6),
    "spades(n) == 0 or 12 / spades(n) > 3": lambda d: d.north.lengths[0] < 4,
    "spades(n) == 0 ? hcp(s) > 9 : 12 / spades(n) > 3": lambda d: (
        d.north.lengths[0] < 4 if d.north.lengths[0] else d.south.hcp > 9
    ),
    "(spades(n) == 0 ? 9 : 12 / spades(n) + 1) > 4": lambda d: d.north.lengths[0] < 4,
    "spades(n) > 0 and (12 / spades(n) > 3) + balanced(s) == 2": lambda d: (
        0 < d.north.lengths[0] < 4 and d.south.pattern in ("4333", "4432", "5332")
    ),
    "spades(n) > 0 and imps(120 / spades(n)) > 1": lambda d: 0 < d.north.lengths[0] < 3,
    "hcp(s) > 0 and hcp(n) / hcp(s) > 1": lambda d: (
        d.south.hcp > 0 and d.north.hcp // d.south.hcp > 1
    ),
}


@pytest.mark.parametrize("text", DIVISIONS)
def test_a_division_by_zero_matters_only_where_nothing_else_decides(text: str) -> None:
    deals = random_deals(5000, seed=1)
    asked = Constraints(condition=text)
    assert asked.accepts(deals).tolist() == [bool(DIVISIONS[text](deal)) for deal in deals]
    assert all(DIVISIONS[text](deal) for deal in asked.deals(200, seed=1))


def test_a_division_by_zero_that_decides_is_an_error_with_its_place() -> None:
    text = "hcp(south) > 3\nand hcp(north) / spades(north) > 2"
    asked = Constraints(condition=text)
    for act in (lambda: asked.accepts(random_deals(5000, seed=1)), lambda: asked.deals(500, 1)):
        with pytest.raises(ConstraintError, match="division by zero") as caught:
            act()
        check_place(str(caught.value), text, 2, 5)
    within = random_deals(5000, seed=1).owners
    within = within[(within[:, :13] == Seat.NORTH).any(axis=1)]
    assert asked.accepts(within).any()


FIFTHS = [
    ("fifths(north) + fifths(south) >= 24.8", lambda n, s: n + s >= 248),
    ("fifths(north) + fifths(south) == 25.2", lambda n, s: n + s == 252),
    ("3 * fifths(north) >= 30.6", lambda n, s: 3 * n >= 306),
    ("fifths(north) - fifths(south) < 2.4", lambda n, s: n - s < 24),
    ("fifths(north) % 0.4 == 0", lambda n, s: n % 4 == 0),
    ("fifths(north) / 0.2 == 52", lambda n, s: n == 104),
]  # fmt: skip


@pytest.mark.parametrize(("text", "test"), FIFTHS)
def test_decimals_are_counted_as_they_are_printed(
    text: str, test: Callable[[int, int], bool]
) -> None:
    deals = random_deals(5000, seed=5)
    north, south = (
        [round(10 * worth("fifths", deal[seat])) for deal in deals]  # whole: nothing is lost
        for seat in (Seat.NORTH, Seat.SOUTH)
    )
    expected = [test(n, s) for n, s in zip(north, south, strict=True)]
    assert Constraints(condition=text).accepts(deals).tolist() == expected and any(expected)


def test_conditions_of_a_list_have_chances_of_their_own() -> None:
    deals = random_deals(20_000, seed=2)
    both = Constraints(condition=["rnd(2) == 0", "rnd(2) == 1"]).accepts(deals)
    assert abs(both.mean() - 0.25) < 4 * np.sqrt(0.1875 / 20_000)
    alone = Constraints(condition=["hcp(n) >= 0", "rnd(2) == 0"]).accepts(deals)
    assert (alone == Constraints(condition="rnd(2) == 0").accepts(deals)).all()


def test_the_page_for_users_runs() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried > 10 and failed == 0


def test_short_forms_on_the_page_are_read() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 20
    for row in rows:
        if re.search(r"\b(?:north|east|south|west|[nesw])[,)]", row):
            Constraints(condition=row)
        else:
            Constraints(north=row)


def test_importing_the_package_waits_for_none_of_this() -> None:
    modules = ("lark", "trickcast.dealing.constraints")
    code = f"import sys, trickcast; print(*(name in sys.modules for name in {modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_seats_are_told_apart() -> None:
    for seat in Seat:
        name = seat.name.lower()
        passed = Constraints(**{name: "hcp 12+"}).accepts(DEALS)
        same = Constraints(condition=f"hcp({name}) >= 12").accepts(DEALS)
        assert passed.tolist() == same.tolist() == [deal[seat].hcp >= 12 for deal in DEALS]
