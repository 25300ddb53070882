"""SAYC and two over one against a second reading of their descriptions, in plain Python.

The second reading knows nothing of the rule files. What the descriptions leave open is settled here
as the rule files say that they settle it, and hands on such a border are listed with the reason.
"""

import pickle

import numpy as np
import pytest

from trickcast import Hand, openings

BALANCED = ("4333", "4432", "5332")


def losers(hand: Hand) -> int:
    total = 0
    for suit in "SHDC":
        held = hand.holding(suit)
        total += sum(top not in held for top in "AKQ"[: len(held)])
    return total


def quick_tricks(hand: Hand) -> float:
    total = 0.0
    for suit in "SHDC":
        held = hand.holding(suit)
        for tops, worth in (("AK", 2), ("AQ", 1.5), ("A", 1), ("KQ", 1), ("K", 0.5)):
            if all(top in held for top in tops) and (tops != "K" or len(held) > 1):
                total += worth
                break
    return total


def strong_two_clubs(hand: Hand) -> bool:
    """22 points, or nine tricks: four losers and a six-card major, three and a six-card minor."""
    major, minor = max(hand.lengths[:2]) >= 6, max(hand.lengths[2:]) >= 6
    nine = (major and losers(hand) <= 4) or (minor and losers(hand) <= 3)
    return hand.hcp >= 22 or (17 <= hand.hcp <= 21 and nine)


def one_of_a_suit(hand: Hand) -> str:
    spades, hearts, diamonds, clubs = hand.lengths
    longest = max(hand.lengths)
    if spades >= 5 and spades == longest:
        return "1S"
    if hearts >= 5 and hearts == longest:
        return "1H"
    if diamonds > clubs or diamonds == clubs >= 4:  # 4-4: diamonds; 3-3: clubs
        return "1D"
    return "1C"


def preempt(hand: Hand) -> str | None:
    longest = max(hand.lengths)
    if not 5 <= hand.hcp <= 10 or longest < 7:
        return None
    suit = "SHDC"[hand.lengths.index(longest)]
    level = 3 if longest == 7 else 5 if longest >= 9 and suit in "DC" else 4
    return f"{level}{suit}"


def weak_two(hand: Hand, most: int, sound: bool) -> str | None:
    for suit, length in zip("SHD", hand.lengths, strict=False):
        held = hand.holding(suit)
        top3, top5 = (sum(rank in held for rank in ranks) for ranks in ("AKQ", "AKQJT"))
        good = (top3 >= 2 or top5 >= 3) if sound else top5 >= 2
        if length == 6 and 5 <= hand.hcp <= most and good:
            return f"2{suit}"
    return None


def sayc(hand: Hand) -> str:
    flat = hand.pattern in BALANCED
    if flat and 25 <= hand.hcp <= 27:
        return "3N"
    if strong_two_clubs(hand):
        return "2C"
    if flat and 20 <= hand.hcp <= 21:
        return "2N"
    if flat and 15 <= hand.hcp <= 17:
        return "1N"
    two_longest = sum(sorted(hand.lengths)[2:])
    if hand.hcp >= 12 or (hand.hcp >= 10 and hand.hcp + two_longest >= 20):
        return one_of_a_suit(hand)
    return preempt(hand) or weak_two(hand, 11, sound=False) or "PASS"


def two_over_one(hand: Hand) -> str:
    flat = hand.pattern in BALANCED
    if strong_two_clubs(hand):
        return "2C"
    if flat and 20 <= hand.hcp <= 21:
        return "2N"
    if flat and 15 <= hand.hcp <= 17:
        return "1N"
    for suit in "DC":
        held, rest = hand.holding(suit), [hand.holding(other) for other in "SHDC" if other != suit]
        outside = "".join(rest)
        solid = len(held) >= 7 and held[:3] == "AKQ"
        if solid and not {"A", "K"} & {*outside} and outside.count("Q") <= 1:
            return "3N"
    two_longest = sum(sorted(hand.lengths)[2:])
    good = hand.hcp + two_longest + quick_tricks(hand) >= 22
    if hand.hcp >= 12 or (hand.hcp >= 10 and good):
        return one_of_a_suit(hand)
    return preempt(hand) or weak_two(hand, 10, sound=True) or "PASS"


READINGS = {"sayc": sayc, "2/1": two_over_one}


@pytest.mark.parametrize("system", READINGS)
def test_two_readings_agree_on_two_hundred_hands(system: str) -> None:
    """Up to twelve hands of each call that the second reading makes, 200 in all, then 3,000."""
    reading, rules = READINGS[system], openings.load(system)
    hands = [Hand.from_cards(row) for row in openings.random_hands(8_000, seed=41)]
    by_call: dict[str, list[Hand]] = {}
    for hand in hands:
        by_call.setdefault(reading(hand), []).append(hand)
    chosen = [hand for some in by_call.values() for hand in some[:12]]
    chosen = (chosen + by_call["PASS"][12:])[:200]
    assert len(chosen) == 200 and len(by_call) >= 15
    for some in (chosen, hands[:3_000]):
        assert rules.bid(some) == [reading(hand) for hand in some]


BORDERLINE = [
    # hand, SAYC, 2/1, Acol, why
    ("AQ765.K5.QJ5.A65", "1N", "1N", "1S", "five spades, balanced, 16: Acol's notrump is weak"),
    ("AQ765.K5.Q65.965", "PASS", "PASS", "PASS", "11 balanced: 11 + 5 + 3 is 19, one short of 20"),
    ("KQ765.A54.J6.965", "PASS", "PASS", "PASS", "10: 10 + 5 + 3 is 18"),
    ("AQ765.KJ75.65.65", "PASS", "PASS", "PASS", "10: 10 + 9 is 19; quick tricks do not help"),
    ("AQJ65.K9754.6.65", "1S", "1S", "1S", "10: 10 + 10 is 20, and two quick tricks make 22"),
    ("QJ765.KQ975.Q.65", "1S", "PASS", "1S", "10: 20 by length, but one quick trick: 21 of 22"),
    ("AK65.Q43.KJ54.32", "1D", "1D", "1N", "13 balanced, diamonds longer; Acol's weak notrump"),
    ("AK6.Q43.J543.K32", "1D", "1D", "1N", "four diamonds and three clubs"),
    ("AK65.QJ43.K54.32", "1D", "1D", "1N", "4-4-3-2: three diamonds are the longer minor"),
    ("AK65.QJ4.K54.432", "1C", "1C", "1N", "three of each minor: clubs"),
    ("A5.Q4.KJ654.K432", "1D", "1D", "1D", "13, five diamonds and four clubs"),
    ("A5.4.KJ654.KQ432", "1D", "1D", "1D", "five of each minor: diamonds"),
    ("AKJ65.4.5.AQ6543", "1C", "1C", "1C", "six clubs before five spades: the longer suit"),
    ("KQJ654.84.Q73.J2", "2S", "2S", "2S", "9, a good six-card suit"),
    ("KJ9654.84.Q73.J2", "2S", "PASS", "2S", "8, two honours: too poor for a sound weak two"),
    ("KQT654.84.A73.J2", "2S", "2S", "2S", "10: 10 + 6 + 3 is 19, so no one-bid"),
    ("KQT654.K4.Q73.J2", "1S", "PASS", "1S", "11: 20 by length, but 1.5 quick tricks: 21.5"),
    ("Q98654.84.K73.J2", "PASS", "PASS", "PASS", "6 points, one honour in the suit"),
    ("84.2.KQJ7654.832", "3D", "3D", "3D", "6 points and seven diamonds"),
    ("84.2.K9876543.83", "PASS", "PASS", "PASS", "3 points are too few for any bid"),
    ("AKQJ65.AK5.A3.32", "2C", "2C", "2C", "21, nine tricks: four losers and a six-card major"),
    ("AK54.A5.AKQ654.4", "2C", "2C", "2C", "20 and three losers with a six-card minor"),
    ("A4.K5.AKJ654.KQ2", "1D", "1D", "1D", "20, but four losers with a minor"),
    ("AK4.KQ5.AQ65.KJ2", "2C", "2C", "2N", "22 balanced: two notrump goes to 22 in Acol alone"),
    ("AK4.KQ5.AQ65.AQJ", "3N", "2C", "2C", "25 balanced: SAYC's three notrump"),
    ("4.53.AKQJ765.J32", "1D", "3N", "3N", "11, solid diamonds and nothing outside"),
    ("4.53.AKQJ765.K32", "1D", "1D", "1D", "a king outside: no gambling three notrump"),
    ("AQ54.K765.K654.2", "1D", "1D", "1H", "12, 4-4-4-1: Acol opens the middle suit"),
    ("AQ54.2.K654.KJ54", "1D", "1D", "1D", "13, 4-1-4-4: the suit below the singleton"),
    ("AQ54.K765.2.KJ54", "1C", "1C", "1C", "13, 4-4-1-4: clubs are the longer minor"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "in_sayc", "in_two", "in_acol", "why"), BORDERLINE)
def test_borderline_hands_are_opened_as_the_reason_says(
    hand: str, in_sayc: str, in_two: str, in_acol: str, why: str
) -> None:
    expected = {"sayc": in_sayc, "2/1": in_two, "acol": in_acol}
    found = openings.open_by(hand, ["sayc", "2/1", "acol"])
    assert {name: opening.call for name, opening in found.items()} == expected, why
    for system, reading in READINGS.items():
        assert reading(Hand(hand)) == expected[system], why


def test_a_hand_is_opened_by_the_four_usual_systems() -> None:
    found = openings.open_by("AK65.Q43.KJ54.32")
    assert {name: opening.call for name, opening in found.items()} == {
        "sayc": "1D", "2/1": "1D", "acol": "1N", "polish-club": "1C",
    }  # fmt: skip
    assert [*found] == [*openings.USUAL_SYSTEMS]
    assert str(found["acol"].hand) == "AK65.Q43.KJ54.32" and found["acol"].system == "acol"
    with pytest.raises(ValueError, match=r"'akol' \(did you mean acol\?\)"):
        openings.open_by("AK65.Q43.KJ54.32", ["akol"])
    assert str(openings.load("SAYC").bid("AK65.Q43.KJ54.32")) == "1D"
    with pytest.raises(TypeError, match="system is None .expected a name or a path"):
        openings.load(None)


@pytest.mark.parametrize("name", openings.names())
def test_systems_travel_to_other_processes(name: str) -> None:
    system, hands = openings.load(name), openings.random_hands(500, seed=3)
    again = pickle.loads(pickle.dumps(system))
    assert np.array_equal(again.probabilities(hands), system.probabilities(hands))


def test_the_shares_of_calls_are_those_of_the_page() -> None:
    hands = openings.random_hands(40_000, seed=7)
    shares = {}
    for system in ("sayc", "acol"):
        rules = openings.load(system)
        made, counts = np.unique(rules.choose(hands), return_counts=True)
        shares[system] = {rules.calls[i]: n / len(hands) for i, n in zip(made, counts, strict=True)}
    assert shares["sayc"]["1N"] == pytest.approx(0.048, abs=0.004)  # 15 to 17 of the balanced
    assert shares["acol"]["1N"] == pytest.approx(0.082, abs=0.005)
    assert shares["sayc"]["PASS"] == pytest.approx(0.535, abs=0.01)
