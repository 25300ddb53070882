"""Rule files: their conditions, their mistakes, what can be proved about them."""

import itertools
import re
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trickcast import DealError, Hand, openings
from trickcast.bidding.cells import Cells, facts_of
from trickcast.bidding.rules import RuleSystem
from trickcast.cards import Suit
from trickcast.dealing import ConstraintError, Constraints
from trickcast.dealing.language.conditions import bounds
from trickcast.dealing.language.hand_counts import find_count, hcp
from trickcast.dealing.language.rulefile import OPENER, parse_rules
from trickcast.dealing.language.tomllines import sections
from trickcast.evaluators import evaluate

HEAD = 'name = "mine"\ntitle = "Mine"\nsource = "me"\n'
REST = '\n[[rule]]\ncall = "PASS"\nname = "rest"\nwhy = "nothing else"\n'
SYSTEMS = ("sayc", "2/1", "acol", "standard-american", "polish-club-rules", "polish-club-book")


def rule(call: str, hand: str, name: str = "r") -> str:
    return f'\n[[rule]]\ncall = "{call}"\nname = "{name}"\nwhy = "because"\nhand = """{hand}"""\n'


def system(*rules: str) -> RuleSystem:
    return RuleSystem(parse_rules(HEAD + "".join(rules) + REST, "mine.toml"))


@pytest.fixture(scope="module")
def hands() -> np.ndarray:
    return openings.random_hands(3_000, seed=7)


def fitting(sentence: str, cards: np.ndarray) -> np.ndarray:
    """Which of (n, 52) hands a rule of this sentence fits."""
    return system(rule("1C", sentence)).fits(cards)[:, 0]


# --- conditions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "hand", "fits"),
    [
        ("hcp 16", "A.KQ9832.T94.AKT", True),
        ("hcp 17+", "A.KQ9832.T94.AKT", False),
        ("hcp 15-", "A.KQ9832.T94.AKT", False),
        ("hcp 12 - 16", "A.KQ9832.T94.AKT", True),
        ("hcp >=15", "A.KQ9832.T94.AKT", True),
        ("spades 1, hearts 6+", "A.KQ9832.T94.AKT", True),
        ("spades 2+, hearts 6+", "A.KQ9832.T94.AKT", False),
        ("6331", "A.KQ9832.T94.AKT", True),
        ("3361", "A.KQ9832.T94.AKT", True),
        ("1=6=3=3", "A.KQ9832.T94.AKT", True),
        ("6=1=3=3", "A.KQ9832.T94.AKT", False),
        ("x=6=x=x", "A.KQ9832.T94.AKT", True),
        ("any 63xx", "A.KQ9832.T94.AKT", True),
        ("any 64xx", "A.KQ9832.T94.AKT", False),
        ("10=2=1=0", "AKQJT98765.32.4.", True),
        ("5332 or 6331", "A.KQ9832.T94.AKT", True),
        ("balanced", "AQ765.K5.QJ5.A65", True),
        ("unbalanced", "AQ765.K5.QJ5.A65", False),
        ("semi-balanced", "AQ765.K5.QJ54.A6", True),
        ("balanced", "AQ765.K5.QJ54.A6", False),
        ("longest hearts", "A.KQ9832.T94.AKT", True),
        ("longest clubs", "AK65.AK65.K765.6", False),
        ("longest clubs or longest hearts", "AK65.AK65.K765.6", True),
        ("2 of AKQ in hearts", "A.KQ9832.T94.AKT", True),
        ("3+ of AKQ in hearts", "A.KQ9832.T94.AKT", False),
        ("of AKQ in hearts 2-3", "A.KQ9832.T94.AKT", True),
        ("1 of AT in clubs", "A.KQ9832.T94.AKT", False),
        ("2 of A10 in clubs", "A.KQ9832.T94.AKT", True),
        ("hcp in clubs 7, hcp in diamonds 0-0", "A.KQ9832.T94.AKT", True),
        ("hearts > clubs", "A.KQ9832.T94.AKT", True),
        ("hearts > clubs, clubs > diamonds", "A.KQ9832.T94.AKT", False),
        ("clubs = diamonds", "A.KQ9832.T94.AKT", True),
        ("clubs == diamonds and clubs != hearts", "A.KQ9832.T94.AKT", True),
        ("hcp + longest_length + second_length >= 25", "A.KQ9832.T94.AKT", True),
        ("hcp + longest_length + second_length >= 26", "A.KQ9832.T94.AKT", False),
        ("2 * hcp in hearts < hcp", "A.KQ9832.T94.AKT", True),
        ("3.2 * hcp in hearts < hcp", "A.KQ9832.T94.AKT", False),
        ("10 + hearts >= hcp", "A.KQ9832.T94.AKT", True),
        ("hcp - hearts >= 5 + hearts", "A.KQ9832.T94.AKT", False),
        ("(hcp - 10) * 2 >= 12 + spades - 1", "A.KQ9832.T94.AKT", True),
        ("shortest_length 1, third_length 3", "A.KQ9832.T94.AKT", True),
        ("losers 5-, controls 6+", "A.KQ9832.T94.AKT", True),
        ("minus_value 20-", "432.432.432.5432", True),
        ("hcp 20+ or hearts 6+", "A.KQ9832.T94.AKT", True),
        ("hcp 20+ or hearts 7+", "A.KQ9832.T94.AKT", False),
        ("not hcp 20+", "A.KQ9832.T94.AKT", True),
        ("not (hcp 20+ or hearts 6 and spades 1)", "A.KQ9832.T94.AKT", False),
        ("SA, not (HA or C2)", "A.KQ9832.T94.AKT", True),
    ],
)
def test_rules_and_constraints_understand_the_same_words(
    sentence: str, hand: str, fits: bool
) -> None:
    cards = Hand(hand).cards
    assert fitting(sentence, cards[None]).tolist() == [fits]
    owners = np.zeros(52, np.uint8)
    owners[~cards] = np.repeat([1, 2, 3], 13)
    assert Constraints(north=sentence).accepts(owners[None]).tolist() == [fits]


def test_a_rule_that_asks_nothing_fits_every_hand(hands: np.ndarray) -> None:
    assert system().fits(hands).all() and str(system().rules[0]) == "PASS: rest (any hand)"


def test_every_evaluator_can_be_counted(hands: np.ndarray) -> None:
    facts = facts_of(hands[:200])
    for name in ("zar_points", "kaplan_rubens", "ltc", "quick_tricks"):
        low, high = facts.count(find_count(name), OPENER)
        assert low == pytest.approx(evaluate(name, hands[:200]), abs=1e-9)
        assert high is low


@settings(max_examples=60, deadline=None)
@given(
    low=st.integers(0, 20),
    more=st.integers(0, 12),
    suit=st.sampled_from(["spades", "hearts", "diamonds", "clubs"]),
    length=st.integers(0, 6),
)
def test_conditions_agree_with_counting(low: int, more: int, suit: str, length: int) -> None:
    some = openings.random_hands(40, seed=low * 100 + more)
    found = fitting(f"hcp {low}-{low + more}, {suit} {length}+, longest {suit}", some)
    place = ["spades", "hearts", "diamonds", "clubs"].index(suit)
    for cards, fits in zip(some, found, strict=True):
        hand = Hand.from_cards(cards)
        mine = hand.lengths[place]
        assert fits == (
            low <= hand.hcp <= low + more and mine >= length and mine == max(hand.lengths)
        )


# --- cells: what is proved holds for real hands ---------------------------------------------------


def test_cells_are_all_shapes_with_all_their_points() -> None:
    cells = Cells()
    assert len(np.unique(cells.lengths, axis=0)) == 560
    points = cells.points
    flat = points[(cells.lengths == [4, 3, 3, 3]).all(axis=1)]
    assert flat.min() == 0 and flat.max() == 37
    assert points[(cells.lengths == [13, 0, 0, 0]).all(axis=1)].tolist() == [10]
    # AKQJ of spades, AKQJ of hearts, three honours of diamonds, two of clubs: 10+10+9+7
    assert points[(cells.lengths == [4, 4, 3, 2]).all(axis=1)].max() == 36


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_proved_of_a_cell_is_true_of_its_hands(name: str, hands: np.ndarray) -> None:
    rules = openings.load(name)
    assert isinstance(rules, RuleSystem)
    cells, of_hand = Cells(), cells_of(hands)
    fits = rules.fits(hands)
    for i, one in enumerate(rules.rules):
        must, may = (np.broadcast_to(end, len(cells)) for end in bounds([one.condition], cells)[0])
        assert not (must[of_hand] & ~fits[:, i]).any(), f"{one} is not sure where it says so"
        assert not (fits[:, i] & ~may[of_hand]).any(), f"{one} fits where it says it cannot"


def cells_of(hands: np.ndarray) -> list[int]:
    """The cell of each hand."""
    cells = Cells()
    place = {
        (*shape, points): i
        for i, (shape, points) in enumerate(
            zip(cells.lengths.tolist(), cells.points.tolist(), strict=True)
        )
    }
    lengths, points = hands.reshape(-1, 4, 13).sum(axis=2), evaluate("hcp", hands)
    return [place[(*shape, p)] for shape, p in zip(lengths.tolist(), points.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("name", "suit"),
    [("hcp", 1), ("controls", None), ("zar_points", None), ("top3", 2), ("cccc", None),
     ("playing_tricks", 0), ("second_length", None), ("losers", None)],
)  # fmt: skip
def test_every_count_of_a_hand_is_within_the_bounds_of_its_cell(
    name: str, suit: int | None, hands: np.ndarray
) -> None:
    count = find_count(name, None if suit is None else Suit(suit))
    values = facts_of(hands).count(count, OPENER).low
    low, high = Cells().count(count, OPENER)
    of_hand = cells_of(hands)
    assert (low[of_hand] <= values).all() and (values <= high[of_hand]).all()
    assert Cells().count(hcp(), OPENER).known


def test_rules_that_can_never_fire_are_found(tmp_path: Path) -> None:
    text = HEAD + "".join(
        (
            rule("1N", "hcp 12-14, balanced"),
            rule("1C", "hcp 13, 4333", "hidden by the first"),
            rule("1D", "hcp 38+", "too many points"),
            rule("1H", "hearts 7+, spades 7+", "too many cards"),
            rule("1S", "5 of AKQJT in spades, spades 4-", "honours without cards"),
            rule("2C", "hcp 12-14, clubs > spades", "reachable"),
        )
    )
    path = tmp_path / "mine.toml"
    path.write_text(text + REST, "utf-8")
    with pytest.warns(openings.RuleWarning) as caught:
        mine = openings.load(path)
    assert isinstance(mine, RuleSystem)
    names = ["hidden by the first", "too many points", "too many cards", "honours without cards"]
    assert [one.name for one in mine.unreachable] == names
    messages = [str(warning.message) for warning in caught]
    lines = text.splitlines()
    for name, message in zip(names, messages, strict=True):
        header = lines.index(f'name = "{name}"') - 1  # two lines up, counted from one
        assert f"line {header}:" in message and name in message


def test_the_command_tells_of_rules_that_can_never_fire(run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + rule("1D", "hcp 38+", "too many points") + REST, "utf-8")
    status, _, err = run("open", "AK65.AK65.K765.6", "--system", path)
    assert status == 0 and err.startswith("note: ") and "the rule for 1D" in err


def test_overlaps_are_counted() -> None:
    mine = system(rule("1S", "spades 5+", "spades"), rule("1H", "hearts 5+", "hearts"))
    report = openings.review(mine, openings.random_hands(20_000, seed=3))
    (overlap,) = report.overlaps
    assert (overlap.first.name, overlap.second.name) == ("spades", "hearts")
    # of the hands with five hearts, those with five spades too: exact, by counting hands
    ways = {
        (s, h): comb(13, s) * comb(13, h) * comb(26, 13 - s - h)
        for s, h in itertools.product(range(14), repeat=2)
        if s + h <= 13
    }
    exact = sum(n for (s, h), n in ways.items() if s >= 5 and h >= 5) / sum(
        n for (s, h), n in ways.items() if h >= 5
    )
    assert overlap.share == pytest.approx(exact, abs=0.015)
    assert sum(report.calls.values()) == pytest.approx(1)
    assert sum(report.fired) == report.hands == 20_000


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_rule_that_ships_fires(name: str) -> None:
    rules = openings.load(name)
    assert isinstance(rules, RuleSystem)
    report = openings.review(rules, openings.random_hands(300_000, seed=5))
    assert report.unreachable == report.unseen == ()
    assert "5C" not in report.calls or report.calls["5C"] < 0.001 < report.calls["1S"]


# --- mistakes in files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (rule("1Z", "hcp 12"), 6, "'1Z' is not an opening call"),
        (rule("1NTT", "hcp 12"), 6, "not an opening call"),
        (rule("1C", "hpc 12+"), 9, "did you mean hcp?"),
        (rule("1C", "spades 5+,\nhcp 14-12"), 10, "runs backwards (expected 12-14)"),
        (rule("1C", "\nspades 5+,\nhcp 14-12"), 11, "runs backwards (expected 12-14)"),
        (rule("1C", "hcp about 12"), 9, "about"),
        (rule("1C", "hcp"), 9, "hcp of how much?"),
        (rule("1C", "hcp >= 12-14"), 9, "12-14 is not a number"),
        (rule("1C", "12 > 4"), 9, "says nothing about the hand"),
        (rule("1C", "5331"), 9, "adds up to 12 cards"),
        (rule("1C", "5=3=3"), 9, "unexpected"),
        (rule("1C", "longest haert"), 9, "did you mean hearts?"),
        (rule("1C", "of AKQ in hearts"), 9, "expected a number"),
        (rule("1C", "2+ of AKX in hearts"), 9, "AKX are not ranks"),
        (rule("1C", "2+ of AAK in hearts"), 9, "each once"),
        (rule("1C", "4 of AKQ in hearts"), 9, "4 of 3 cards"),
        (rule("1C", "spades hearts"), 9, "spades of how much?"),
        (rule("1C", "spades > haert"), 9, "did you mean hearts?"),
        (rule("1C", "spades > 2 hearts"), 9, "hearts of how much?"),
        (rule("1C", "opens 1H"), 9, "1H does not belong in a rule"),
        (rule("1C", "weak two in hearts"), 9, "does not belong in a rule"),
        (rule("1C", "opening"), 9, "opening is not known here"),
        (rule("1C", ""), 9, "the text is empty"),
        (rule("1C", "hcp 12").replace('"""hcp 12"""', "12"), 9, "12 is not a sentence"),
        (rule("1C", "hcp 12") + "hpc = 3\n", 10, "'hpc' is not known"),
        (rule("1C", "hcp 12") + 'hcp = "12+"\n', 10, "hcp belongs in the rule's sentence"),
        (rule("1C", "hcp 12") + "any = []\n", 10, "any belongs in the rule's sentence"),
        ('\n[[rule]]\nname = "r"\nwhy = "w"\n', 5, "call is missing"),
        ('\n[[rule]]\ncall = "1C"\nname = "r"\n', 5, "why is missing"),
        ('\n[[rule]]\ncall = "1C"\nname = 5\n', 7, "name is 5 (expected some text)"),
        ('\n[[rules]]\ncall = "1C"\n', 5, "did you mean rule?"),
        ('\n[define]\nx = "hcp x"\n' + rule("1C", "x"), 6, "hcp of how much?"),
        ('\n[define]\nhcp = "hcp 12"\n' + rule("1C", "hcp"), 6, "not a valid name"),
        ('\n[define]\nsak = "hcp 12"\n' + rule("1C", "sak"), 6, "not a valid name"),
        ('\n[define]\nnot = "hcp 12"\n' + rule("1C", "not"), 6, "not a valid name"),
        ('\n[define]\nb = "a"\na = "hcp 12"\n' + rule("1C", "b"), 6, "a is not known here"),
        ('\n[define.x]\nhcp = "12"\n' + rule("1C", "x"), 5, "is not a sentence"),
        ("define = 3\n" + rule("1C", "x"), 4, "define is not a table"),
        ("", 1, "no rules"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(openings.RuleError) as caught:
        parse_rules(HEAD + text + (REST if text else ""), "mine.toml")
    assert str(caught.value).startswith(f"mine.toml, line {line}: "), caught.value
    assert words in str(caught.value) and len(str(caught.value).splitlines()) <= 3


def test_a_mistake_in_a_sentence_is_pointed_at() -> None:
    with pytest.raises(openings.RuleError) as caught:
        parse_rules(HEAD + rule("1C", "hcp 12+, spaeds 5+", "long spades") + REST, "mine.toml")
    assert str(caught.value) == (
        "mine.toml, line 9: rule 1 (long spades): spaeds is not a count (did you mean spades?)\n"
        "  hcp 12+, spaeds 5+\n"
        "           ^^^^^^"
    )


def test_sentences_that_are_defined_are_shared_not_copied(hands: np.ndarray) -> None:
    """Copied, the last of these names would stand for 3**60 sentences."""
    lines = ["a0 = 'hcp 12+, spades 5+'"]
    lines += [f"a{i} = 'a{i - 1} or (a{i - 1}, not a{i - 1}) or a{i - 1}'" for i in range(1, 60)]
    text = HEAD + "\n[define]\n" + "\n".join(lines) + rule("1S", "a59, A59") + REST
    doubled = RuleSystem(parse_rules(text, "mine.toml"))
    plain = system(rule("1S", "hcp 12+, spades 5+"))
    assert doubled.bid(hands) == plain.bid(hands)
    assert np.array_equal(doubled.margins(hands), plain.margins(hands))
    assert "a59" in doubled.explain("AQ765.K5.QJ5.A65").reason


def test_a_name_is_defined_once_in_whichever_case() -> None:
    text = HEAD + '[define]\nstrong = "hcp 17+"\nStrong = "hcp 20+"\n' + REST
    with pytest.raises(openings.RuleError, match="line 6: define Strong: defined already"):
        parse_rules(text, "mine.toml")


def test_a_rule_that_divides_by_zero_is_told_with_its_place(run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    void, single = ".AKQ32.AK65.5432", "2.AKQ32.AK65.543"
    path.write_text(HEAD + rule("1S", "spades 1+, hcp / spades > 3") + REST)
    asked = ["--system", path, "--nearest", 0]
    assert run("open", void, *asked)[1].startswith(f"{void}: PASS")
    assert run("open", single, *asked)[1].startswith(f"{single}: 1S")
    path.write_text(HEAD + rule("1S", "hcp 10+, hcp / spades > 3") + REST)
    for options in ([], ["--csv"]):
        status, _, err = run("open", void, *asked, *options)
        place = f"{path}, line 9: rule 1 (r): hand, line 1, column 10: a division by zero"
        assert status == 2 and place in err and len(err.splitlines()) == 3


def test_bad_toml_and_bad_bytes_are_named_with_their_place(tmp_path: Path) -> None:
    with pytest.raises(openings.RuleError, match=r"mine\.toml: not TOML: .*ne 4"):
        parse_rules(HEAD + "what is this", "mine.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(HEAD.encode() + b'x = "\xe9"')
    with pytest.raises(openings.RuleError, match="line 4: not UTF-8"):
        openings.load(path)
    with pytest.raises(FileNotFoundError):
        openings.load(tmp_path / "none.toml")


def test_a_file_whose_rules_leave_hands_out_is_refused() -> None:
    text = HEAD + rule("1C", "hcp 12+") + rule("PASS", "hcp 10-")
    with pytest.raises(openings.RuleError, match=r"line 11: .*3=3=3=4 with 11 HCP"):
        RuleSystem(parse_rules(text, "mine.toml"))


def test_lines_are_found_past_strings_and_arrays() -> None:
    text = 'a = """\nb = 1\n[[x]]\n"""\nc = [\n  1, # ]\n  2,\n]\nd = "["\n[[rule]]\ne = {f = 1}\n'
    first, second = sections(text)
    assert first.keys == {"a": 1, "c": 5, "d": 9}
    assert (second.name, second.line, second.keys) == ("rule", 10, {"e": 11})


# --- systems made of rules ------------------------------------------------------------------------


def test_the_first_rule_that_fits_makes_the_call() -> None:
    mine = system(rule("1N", "hcp 15-17, balanced"), rule("1S", "spades 5+"))
    assert mine.calls == ("PASS", "1S", "1N")
    assert mine.bid("AQ765.K5.QJ5.A65") == "1N"
    assert mine.bid(["AQ765.K5.QJ5.65A", "AQ765.K5.J5.6532"]) == ["1N", "1S"]


def test_one_hand_many_hands_and_none(hands: np.ndarray) -> None:
    rules = openings.load("polish-club-rules")
    calls = rules.bid(hands)
    assert len(calls) == len(hands) and set(calls) <= set(rules.calls)
    chances = rules.probabilities(hands)
    assert chances.shape == (len(hands), len(rules.calls)) and chances.dtype == np.float32
    assert [rules.calls[i] for i in chances.argmax(axis=1)] == calls
    assert (chances.sum(axis=1) == 1).all()
    one = Hand.from_cards(hands[5])
    assert rules.bid(one) == rules.bid(str(one)) == calls[5]
    assert rules.bid([one]) == [calls[5]]
    assert rules.probabilities(one).shape == (len(rules.calls),)
    assert rules.bid([]) == [] and rules.probabilities([]).shape == (0, len(rules.calls))
    with pytest.raises(DealError, match="hand 1 of 2"):
        rules.bid([one, "AK.AK.AK"])


def test_an_explanation_names_the_rule_and_what_came_close() -> None:
    rules = openings.load("polish-club-rules")
    found = rules.explain("AK65.AK65.K765.6")
    assert isinstance(found, openings.RuleExplanation)
    assert found.call == found.rule.call == rules.bid("AK65.AK65.K765.6") == "1D"
    others = {other.rule.call: other.missing for other in found.runners_up}
    assert others["1C"] == "needs hcp 18+ (here 17)"
    assert others["1S"] == "needs spades 5+ (here 4)"
    assert "2D" not in others and found.call not in others
    assert found.rule.why in str(found) and "1C" in str(found)
    fits_too = rules.explain("AQ765.K5.QJ5.A65")
    assert isinstance(fits_too, openings.RuleExplanation) and fits_too.call == "1N"
    assert [o.rule.call for o in fits_too.runners_up if not o.missing] == ["1S", "1C"]


def test_missing_points_are_points_that_would_change_the_call() -> None:
    """A runner-up for hcp is one point away: give the hand the point and the rule fits."""
    rules = openings.load("standard-american")
    found = rules.explain("AJ4.KQ52.QJ5.K65")  # 16 points, one no trump; 15 would be a heart
    assert found.call == "1N"
    weaker = rules.explain("AJ4.KQ52.QJ5.Q65")
    assert isinstance(weaker, openings.RuleExplanation) and weaker.call == "1H"
    (notrump,) = (o for o in weaker.runners_up if o.rule.call == "1N")
    assert notrump.missing == "needs hcp 16-18 (here 15)"


def test_systems_are_found_by_name_and_unknown_names_get_a_hint() -> None:
    assert set(SYSTEMS) < set(openings.names())
    for name in SYSTEMS:
        assert openings.load(name).name == name
        assert re.search(r'^call = "PASS"', openings.rule_file(name).read_text("utf-8"), re.M)
    with pytest.raises(ValueError, match="did you mean standard-american"):
        openings.load("standard-americain")
    with pytest.raises(ValueError, match=r"expected one of .*\.toml file"):
        openings.load("zzz")


@pytest.mark.parametrize(
    ("text", "call"),
    [("p", "PASS"), ("Pass", "PASS"), ("1nt", "1N"), ("1N", "1N"), (" 4h ", "4H"), ("7NT", "7N")],
)
def test_calls_are_read_as_people_write_them(text: str, call: str) -> None:
    assert openings.parse_call(text) == call


@pytest.mark.parametrize("text", ["", "8C", "0N", "X", "1", "SPADES", "1CC", None, 4])
def test_what_is_no_call_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an opening call"):
        openings.parse_call(text)


# --- drawing hands --------------------------------------------------------------------------------


def test_hands_meet_the_conditions_they_are_drawn_for() -> None:
    hands = openings.hands_meeting("hearts 6+, hcp 6+", 4_000, seed=1)
    lengths, points = hands[:, 13:26].sum(axis=1), evaluate("hcp", hands)
    assert (hands.sum(axis=1) == 13).all() and lengths.min() >= 6 and points.min() >= 6
    assert np.array_equal(hands, openings.hands_meeting("hearts 6+, hcp 6+", 4_000, 1))
    with pytest.raises(ConstraintError, match="did you mean hearts"):
        openings.hands_meeting("haerts 6+", 1, seed=1)


def test_hands_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(ValueError, match="no hand holds 14 hearts .expected 13 at most"):
        openings.hands_meeting("hearts 14+", 3, seed=1)
    assert openings.hands_meeting("hearts 13", 3, seed=1)[:, 13:26].all()
    with pytest.raises(ValueError, match="n is -3"):
        openings.hands_meeting("hearts 5+", -3, seed=1)
    with pytest.raises(TypeError, match="n is 1.5 .expected a whole number"):
        openings.random_hands(1.5, seed=1)
    with pytest.raises(ValueError, match="seed is -1"):
        openings.random_hands(1, seed=-1)


def test_long_suits_come_as_often_as_they_should() -> None:
    hands = openings.hands_meeting("clubs 6+", 40_000, seed=2)
    lengths = np.bincount(hands[:, 39:].sum(axis=1), minlength=14)[6:]
    ways = np.array([comb(13, k) * comb(39, 13 - k) for k in range(6, 14)])
    assert lengths[:3] / 40_000 == pytest.approx((ways / ways.sum())[:3], abs=0.008)
    # each club is as likely as the others, and so is each other card
    assert np.ptp(hands[:, 39:].mean(axis=0)) < 0.02 and np.ptp(hands[:, :39].mean(axis=0)) < 0.02


def test_hands_are_drawn_by_their_call() -> None:
    rules = openings.load("standard-american")
    assert isinstance(rules, RuleSystem)
    for call in ("5C", "2S", "3N", "PASS"):
        assert set(rules.bid(openings.hands_opened(rules, call, 50, seed=4))) == {call}
    with pytest.raises(ValueError, match="never opens '7N'"):
        openings.hands_opened(rules, "7N", 1, seed=1)
    for name in ("polish-club", "52-60-7"):
        system = openings.load(name)
        assert set(system.bid(openings.hands_opened(system, "1N", 20, seed=4))) == {"1N"}
