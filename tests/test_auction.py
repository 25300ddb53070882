"""Calls and auctions, against the Laws told another way: seat by seat, from the whole history."""

import random

import pytest

from trickcast.cards import Seat
from trickcast.cards.auction import (
    BIDS,
    CALLS,
    MOST_CALLS,
    contract_of,
    is_over,
    legal_calls,
    legal_part,
    parse_call,
    strain_of,
    with_all_pass,
)


def allowed(history: list[str], call: str) -> bool:
    """Laws 18 to 22: side 0 made the calls of even places."""
    bids = [(i, c) for i, c in enumerate(history) if c in BIDS]
    if len(history) >= 4 and history[-3:] == ["PASS"] * 3:
        return False
    if call == "PASS":
        return True
    if call in BIDS:
        return not bids or BIDS.index(call) > BIDS.index(bids[-1][1])
    if not bids:
        return False
    own = len(history) % 2
    since = [c for c in history[bids[-1][0] + 1 :] if c != "PASS"]
    of_opponents = bids[-1][0] % 2 != own
    return (since == [] and of_opponents) if call == "X" else (since == ["X"] and not of_opponents)


@pytest.mark.parametrize("seed", range(60))
def test_legal_calls_are_those_of_the_laws(seed: int) -> None:
    chance, history = random.Random(seed), list[str]()
    while True:
        legal = [call for call in CALLS if allowed(history, call)]
        assert [CALLS[i] for i in legal_calls(history).nonzero()[0]] == legal
        assert bool(legal) is not is_over(history) and legal_part(history) == (len(history), "")
        for call in set(CALLS) - set(legal):
            stand, why = legal_part([*history, call, "PASS"])
            assert stand == len(history) and why.startswith(call)
        if not legal:
            break
        low = legal[: chance.choice((1, 3, 6))]
        history.append(chance.choice(low))
    assert len(history) <= MOST_CALLS


def test_the_longest_auction() -> None:
    longest = ["PASS"] * 3
    for bid in BIDS:
        longest += [bid, "PASS", "PASS", "X", "PASS", "PASS", "XX", "PASS", "PASS"]
    longest.append("PASS")
    assert len(longest) == MOST_CALLS and legal_part(longest) == (MOST_CALLS, "")
    assert is_over(longest) and contract_of(Seat.EAST, longest) == (
        "7NXX",
        Seat.NORTH,
    )  # who bid 1N


@pytest.mark.parametrize(
    ("auction", "stand", "why"),
    [
        ("1S P 1H", 2, "1H is not higher than 1S"),
        ("1S P P P X", 4, "X comes after the auction has ended"),
        ("P P P P 1C", 4, "1C comes after the auction has ended"),
        ("1S P X", 2, "X of its own side's 1S"),
        ("1S X P XX", 3, "XX of its own side's X"),
        ("P X", 1, "X has no bid before it"),
        ("1S XX", 1, "XX has no double before it"),
        ("1S X 2S XX", 3, "XX has no double before it"),
    ],
)
def test_what_is_wrong_with_a_call(auction: str, stand: int, why: str) -> None:
    assert legal_part([parse_call(call) for call in auction.split()]) == (stand, why)


@pytest.mark.parametrize(
    ("auction", "leads_to"),
    [
        ("1N P 3N P P P", ("3N", Seat.WEST)),
        ("P 1S P 4S X P P P", ("4SX", Seat.NORTH)),
        ("1H 1S 2H 2S P P XX", (None, None)),
        ("1H 1S 2H 2S P P P", ("2S", Seat.NORTH)),
        ("P P P P", ("PASS", None)),
        ("P P P", (None, None)),
    ],
)
def test_contracts_of_auctions_begun_by_west(auction: str, leads_to: object) -> None:
    calls = [parse_call(call) for call in auction.split()]
    assert contract_of(Seat.WEST, calls) == leads_to
    assert is_over(with_all_pass(calls))


def test_spellings() -> None:
    assert [parse_call(text) for text in ("pass", "d", "Rdbl", "1nt", "7N", "double")] == [
        "PASS", "X", "XX", "1N", "7N", "X",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="'8C' is not a call"):
        parse_call("8C")
    assert strain_of("4SX") == 0 and strain_of("PASS") is None and strain_of(None) is None
