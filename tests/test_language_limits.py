"""Whatever the text is, it is read or refused with a sentence of ours, soon, and as it was said."""

import json
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trickcast import ModelError, openings
from trickcast.bidding.rules import RuleSystem
from trickcast.bidding.softrules import open_shading
from trickcast.cards import DealError
from trickcast.dealing import (
    ConstraintError,
    Constraints,
    ConstraintWarning,
    constrained_deals,
    random_deals,
)
from trickcast.dealing.language.mistakes import QUOTED
from trickcast.dealing.language.rulefile import parse_rules
from trickcast.papers.opening_networks import OpeningNetwork, open_networks, save

DEALS = random_deals(300, seed=21)
HEAD = 'name = "mine"\ntitle = "Mine"\nsource = "me"\n'
REST = '\n[[rule]]\ncall = "PASS"\nname = "rest"\nwhy = "nothing else"\n'
DIGITS = "9" * 5_000


def refusal(**asked: str) -> str:
    """The error of a constraint, which must be of at most three lines that quote little."""
    with pytest.raises(ConstraintError) as caught:
        Constraints(**asked)
    lines = str(caught.value).splitlines()
    assert len(lines) <= 3 and max(map(len, lines)) <= 3 * QUOTED
    return lines[0]


SHORT = [
    (f"hcp {DIGITS}", "too long"),
    (f"hcp {DIGITS}+", "too long"),
    ("hcp 1e999", "'1e999' is unexpected"),
    ("hcp ²", "'²' is unexpected"),
    ("hcp 1²", "'1²' is unexpected"),
    ("5²32", "'5²32' is unexpected"),
    ("hcp ٣", "'٣' is unexpected"),
    ("5=3=3=²", "unexpected"),
    ("hcp >= 1" + "+1" * 970, "is not a number"),
    (f"hcp % {'9' * 30} >= 3", "too long"),
    ("hcp * " * 60 + "hcp >= 3", "may exceed"),
    (f"longest {'s' * 9_000}", "is not a suit"),
    ("x" * 90_000, "is not known here"),
    (f"2+ of {'A' * 5_000} in spades", "are not ranks"),
    ("'" * 90_000, "unexpected"),
    ("balanced" + ", hcp 5+" * 40_000, "at most 100,000"),
    ("hcp 12+\x00", "unexpected"),
]


@pytest.mark.parametrize(("text", "words"), SHORT, ids=range(len(SHORT)))
def test_short_forms_that_nobody_means_are_refused(text: str, words: str) -> None:
    assert words in refusal(north=text)


SCRIPTS = [
    (f"hcp(n) > {DIGITS}", "too long"),
    ("hcp(n) * 999999999 * 999999999 > 3", "may exceed"),
    ("altcount 0 4294967296 pt0(n) > 1", "at most 1,000,000"),
    ("altcount 0 1000000 pt0(n) * pt0(n) * pt0(n) > 1", "may exceed"),
    ('action "' + "x" * 50_000, "unexpected"),
    ("hascard(n, " + "A" * 50_000 + ")", "unexpected"),
    (f"hcp({'n' * 50_000})", "unexpected"),
    (f"hcp(n, {'s' * 50_000}) > 3", "is not a suit"),
    ("x = 1" + " x = 1" * 3_000, "a second time"),
    (f"hcp(n) > 3 and {'y' * 50_000}", "is not a name"),
]


@pytest.mark.parametrize(("text", "words"), SCRIPTS, ids=range(len(SCRIPTS)))
def test_scripts_that_nobody_means_are_refused(text: str, words: str) -> None:
    assert words in refusal(condition=text)


def test_a_sum_of_a_thousand_terms_is_a_sum() -> None:
    many = Constraints(north=" + ".join(["hcp"] * 1_000) + " >= 12000")
    assert many.accepts(DEALS).tolist() == Constraints(north="hcp 12+").accepts(DEALS).tolist()
    script = " + ".join(["hcp(east)"] * 1_000) + " - 11999 > 0"
    same = Constraints(condition="hcp(east) >= 12")
    assert Constraints(condition=script).accepts(DEALS).tolist() == same.accepts(DEALS).tolist()


def test_names_that_double_are_worked_out_once() -> None:
    """Copied, the last name would stand for 2**200 conditions."""
    names = [f"a{i} = a{i - 1} or not a{i - 1} and a{i - 1}" for i in range(1, 200)]
    script = "\n".join(["a0 = hcp(north) > 12", *names, "a199"])
    same = Constraints(condition="hcp(north) > 12")
    doubled = Constraints(condition=script)
    assert doubled.accepts(DEALS).tolist() == same.accepts(DEALS).tolist()
    assert doubled.deals(5, seed=3) == same.deals(5, seed=3)


def test_large_counts_are_compared_as_they_are() -> None:
    """A hand of three aces has 3,000,000 points of these, and 9 * 10**12 squared."""
    script = "altcount 1 1000000\npt1(north) * pt1(north) == 9000000000000"
    aces = Constraints(condition="aces(north) == 3")
    assert Constraints(condition=script).accepts(DEALS).tolist() == aces.accepts(DEALS).tolist()


def test_errors_in_long_lines_show_sixty_characters_around_the_place() -> None:
    text = ", ".join(["hcp 5+"] * 100) + ", spaeds 5+, " + ", ".join(["hcp 5+"] * 100)
    with pytest.raises(ConstraintError) as caught:
        Constraints(north=text)
    _, shown, caret = str(caught.value).splitlines()
    assert len(shown) == 2 + QUOTED
    assert shown[caret.index("^") : caret.rindex("^") + 1] == "spaeds"


@pytest.mark.parametrize("seed", [0.7, 1.5, 5.0, "5", None])
def test_a_seed_that_is_not_whole_is_refused(seed: Any) -> None:
    """They gave the deals of seed 0, all alike."""
    with pytest.raises(TypeError, match=r"seed is .* \(expected a whole number\)"):
        constrained_deals(1, seed=seed, north="hcp 12+")
    with pytest.raises(TypeError, match=r"seed is .* \(expected a whole number\)"):
        random_deals(1, seed=seed)


def test_whole_numbers_of_numpy_are_seeds() -> None:
    asked = {"north": "hcp 12+"}
    same = constrained_deals(3, seed=5, **asked)
    assert constrained_deals(np.int32(3), seed=np.int64(5), **asked) == same
    assert constrained_deals(3, seed=6, **asked) != same


def test_a_contradiction_in_a_long_text_is_found_in_time() -> None:
    assert "together" in refusal(west="hcp 5+, " * 1_000 + "hcp 4")


WORDS = st.sampled_from(
    ["hcp", "spades", "of", "AKQ", "in", "longest", "12-14", "5+", "4-", "3", ">=", "=", "+", "-",
     "*", "%", "/", "0", "(", ")", ",", "and", "or", "not", "any", "balanced", "5xx2", "4432",
     "5=3=3=2", "shape", "SA", "♠", "losers", "cccc", "²", "north", "?", ":", "hcp(north)", "x =",
     "predeal", "altcount", "action", "999999999999", "second_length", "unbalanced", "#", "\n"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=12).map(" ".join), st.booleans())
@settings(max_examples=150, deadline=None)
def test_words_in_any_order_are_read_or_refused(text: str, short: bool) -> None:
    if text.strip() == "":
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstraintWarning)
            constraints = Constraints(north=text) if short else Constraints(condition=text)
            constraints.accepts(DEALS)
    except (ConstraintError, DealError) as error:
        assert len(str(error).splitlines()) in (1, 3)


# --- rule files -----------------------------------------------------------------------------------


def rules_of(text: str) -> RuleSystem:
    return RuleSystem(parse_rules(HEAD + text + REST, "mine.toml"))


BROKEN = [
    f'[[rule]]\ncall = "1C"\nname = "r"\nwhy = "w"\nhand = "hcp {DIGITS}"\n',
    f'[[rule]]\ncall = "1C"\nname = "{"r" * 5_000}"\nwhy = "w"\nhand = "hcp ²"\n',
    f'[[rule]]\ncall = "{"1" * 5_000}"\nname = "r"\nwhy = "w"\n',
    f"[[rule]]\n{'k' * 5_000} = 1\n",
    f"x = {DIGITS}\n",
    f"x = {'[' * 5_000}{']' * 5_000}\n",
    f"hand = {DIGITS}\n",
    "[define]\n" + "a = 1979-05-27\n",
    f'[define]\n{"a" * 5_000} = "hcp 12"\n',
    '[define]\n"²" = "hcp 12"\n',
    "# " + "x" * 300_000 + "\n",
    "".join('[[rule]]\ncall = "1C"\nname = "r"\nwhy = "w"\n' for _ in range(1_001)),
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_rule_files_that_nobody_means_are_refused(text: str) -> None:
    with pytest.raises(openings.RuleError) as caught:
        rules_of(text)
    message = str(caught.value)
    assert message.startswith("mine.toml") and max(map(len, message.splitlines())) <= 4 * QUOTED


def test_infinite_and_huge_numbers_in_rules_are_refused_not_overflowed() -> None:
    for number in ("1e999", "inf", "9" * 400):
        with pytest.raises(openings.RuleError, match="line 9"):
            rules_of(f'\n[[rule]]\ncall = "1C"\nname = "r"\nwhy = "w"\nhand = "hcp {number}"\n')


# --- files of trained systems ---------------------------------------------------------------------

ROW = {"call": "PASS", "rule": "rest", "shift": 0.0, "sharpness": 1.0, "hands": 9}
SOFT = {
    "format": "trickcast soft rules 2", "name": "mine", "title": "Mine", "rules_sha256": "abc",
    "shading": [ROW],
}  # fmt: skip
MEND: list[tuple[str, Any]] = [
    *((key, None) for key in SOFT),
    ("name", 5), ("title", []), ("shading", {}), ("shading", [5]), ("shading", [ROW] * 2),
    ("format", "x" * 9_000), ("rules_sha256", "x" * 9_000),
    *(("shading", [{**ROW, key: value}]) for key, value in [
        ("shift", 1e999), ("shift", "a"), ("shift", [1, 2]), ("shift", None), ("shift", 1e9),
        ("sharpness", -1.0), ("sharpness", 0), ("sharpness", 1e999), ("hands", 1e999),
        ("hands", -1), ("hands", 10**30), ("hands", None),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), MEND)
def test_soft_rules_that_are_none_are_a_model_error(key: str, value: Any) -> None:
    rules = rules_of("")
    assert open_shading(json.dumps(SOFT).encode(), "mine.json", rules, "abc").name == "mine"
    content = {name: part for name, part in SOFT.items() if name != key or value is not None}
    data = json.dumps(content | ({} if value is None else {key: value})).encode()
    with pytest.raises(ModelError, match=r"^mine\.json: ") as caught:
        open_shading(data, "mine.json", rules, "abc")
    assert len(str(caught.value)) <= 6 * QUOTED


@pytest.mark.parametrize(
    "data", [b"", b"null", b"5", b"[]", b'"a"', b"\xff", b"[" * 100_000, b"{" * 9, DIGITS.encode()]
)
def test_json_that_is_no_soft_rules_is_a_model_error(data: bytes) -> None:
    with pytest.raises(ModelError, match=r"^mine\.json: not a file of soft rules"):
        open_shading(data, "mine.json", rules_of(""), "abc")


def network(sizes: list[int], outputs: list[str], value: float = 0.0) -> OpeningNetwork:
    layers = tuple(
        (np.full((first, second), value, np.float32), np.zeros(second, np.float32))
        for first, second in pairwise(sizes)
    )
    return OpeningNetwork(layers, tuple(outputs))


UNFIT = [
    [network([51, 2], ["1C", "PASS"])],
    [network([52, 2], ["1C"])],
    [network([52, 2], ["1C", "1C"])],
    [network([52, 2], ["1C", "9C"])],
    [network([52, 2], ["1C", "PASS"], np.nan)],
    [OpeningNetwork((), ())],
    [OpeningNetwork(network([52, 3], []).layers + network([4, 2], []).layers, ("1C", "PASS"))],
    [network([52, 2], ["1C", "PASS"])] * 2,
    [network([52, 2], ["1C", "UNKNOWN"])] * 2,
]


@pytest.mark.parametrize("networks", UNFIT, ids=range(len(UNFIT)))
def test_networks_that_do_not_fit_are_a_model_error(
    networks: list[OpeningNetwork], tmp_path: Path
) -> None:
    path = tmp_path / "mine.npz"
    save(path, networks, {"name": "mine", "title": "Mine"})
    with pytest.raises(ModelError, match=r"^mine\.npz: not a file of opening networks"):
        open_networks(path.read_bytes(), "mine.npz")


def test_a_network_file_that_is_cut_or_flipped_is_whole_or_a_model_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    save(path, [network([52, 2], ["1C", "PASS"])], {"name": "mine", "title": "Mine"})
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        flipped = bytearray(data)
        flipped[place] ^= 0x15
        for damaged in (data[:place], bytes(flipped)):
            try:
                assert open_networks(damaged, "mine.npz").calls == ("1C", "PASS")
            except ModelError as error:
                assert str(error).startswith("mine.npz: not a file of opening networks")
