"""The checks that every hand-strength method must pass, ours and yours."""

import re

import numpy as np

from ..cards import Hand, Suit
from .evaluator import Evaluator
from .holdings import Bools, Floats, Ints, all_holdings, holding_ids

_TOLERANCE = 1e-9
_HANDS = 512


def check_evaluator(method: Evaluator, seed: int = 0) -> None:
    """Check a method on random and extreme hands, at notrump and with each trump suit.

    The values must have the right shape, type and order, be repeatable, and not depend on the
    batch. They must stay within the declared bounds and leave the input unchanged. All suits must
    count alike, unless the method declares otherwise.

    Args:
        method: The Evaluator.
        seed: Seed of the random hands.

    Raises:
        AssertionError: A check fails; the message names the method and the check.

    Example:
        >>> from trickcast.evaluators import get
        >>> check_evaluator(get("work_points"))
    """
    _require(method, bool(re.fullmatch(r"[a-z][a-z0-9_]*", method.name)), "name is an identifier")
    _require(method, bool(method.title and method.source), "title and source are given")
    _check_parts(method)
    north, south = _pairs(seed)
    for trump in (None, *Suit):
        _check_values(method, north, trump)
        _check_bounds(method, north, south, trump)
        if method.symmetric:
            _check_suits(method, north, trump, np.random.default_rng(seed).permutation(4))


def _require(method: Evaluator, claim: bool, words: str) -> None:
    if not claim:
        raise AssertionError(f"evaluator {method.name!r}: fails {words!r}")


def _pairs(seed: int) -> tuple[Bools, Bools]:
    """Return two hands of each of many random deals; the first deals have extreme suits."""
    order = np.random.default_rng(seed).random((_HANDS, 52)).argsort(axis=1)
    order[0] = np.arange(52)
    order[1] = np.arange(51, -1, -1)
    order[2] = np.arange(52).reshape(4, 13).T.ravel()  # all aces, kings and queens to one hand
    rows = np.arange(_HANDS)[:, None]
    north, south = np.zeros((2, _HANDS, 52), dtype=np.bool_)
    north[rows, order[:, :13]] = True
    south[rows, order[:, 13:26]] = True
    return north, south


def _check_parts(method: Evaluator) -> None:
    """Check that there is one value per holding and one per hand, as summing them assumes."""
    holdings, ids = all_holdings(), holding_ids(_pairs(0)[0])
    parts = [
        (name, value(holdings), len(holdings.cards))
        for name in ("holding", "side_holding", "trump_holding")
        if (value := getattr(method, name)) is not None
    ]
    if method.whole is not None:
        parts.append(("whole", method.whole(ids), len(ids)))
    for name, values, count in parts:
        words = f"{name} gives shape ({count},), not {np.shape(values)}"
        _require(method, np.shape(values) == (count,), words)


def _check_values(method: Evaluator, hands: Bools, trump: Suit | None) -> None:
    before = hands.copy()
    values = _values(method, hands, trump)
    _require(method, values.shape == (len(hands),), f"shape (n,), not {values.shape}")
    _require(method, values.dtype == np.float64, f"float64, not {values.dtype}")
    _require(method, bool(np.isfinite(values).all()), "finite values")
    _require(method, np.array_equal(before, hands), "input left alone")
    _require(method, np.array_equal(values, _values(method, hands, trump)), "same values again")
    backwards = _values(method, hands[::-1], trump)[::-1]
    _require(method, np.array_equal(values, backwards), "values in the order of the hands")
    _require(method, _values(method, hands[:0], trump).shape == (0,), "no values for no hands")
    for i in range(8):
        hand = Hand.from_cards(hands[i])
        for form in (hand, str(hand), hands[i]):
            single = method.evaluate(form, _strain(trump))
            _require(method, single.shape == (), f"shape () for one hand, not {single.shape}")
            _require(method, bool(single == values[i]), f"{hand} alone worth as much as in a batch")


def _check_bounds(method: Evaluator, north: Bools, south: Bools, trump: Suit | None) -> None:
    first, second = _values(method, north, trump), _values(method, south, trump)
    for values, pair in ((first, False), (second, False), (first + second, True)):
        low, high = method.bounds(_strain(trump), pair=pair)
        inside = (values >= low - _TOLERANCE) & (values <= high + _TOLERANCE)
        words = f"{'pair ' if pair else ''}value within [{low:g}, {high:g}]"
        if not inside.all():
            worst = int(np.flatnonzero(~inside)[0])
            words += f", not {values[worst]:g} for {Hand.from_cards(north[worst])}"
        _require(method, bool(inside.all()), words)


def _check_suits(
    method: Evaluator,
    hands: Bools,
    trump: Suit | None,
    order: Ints,
) -> None:
    """Exchange suits, so that suit ``i`` is what was suit ``order[i]``."""
    exchanged = hands.reshape(-1, 4, 13)[:, order].reshape(-1, 52)
    new_trump = None if trump is None else Suit(int(np.flatnonzero(order == trump)[0]))
    difference = _values(method, hands, trump) - _values(method, exchanged, new_trump)
    same = bool((np.abs(difference) <= _TOLERANCE).all())
    _require(method, same, "same value when suits are exchanged")


def _values(method: Evaluator, hands: Bools, trump: Suit | None) -> Floats:
    return method.evaluate(hands, _strain(trump))


def _strain(trump: Suit | None) -> str | None:
    return None if trump is None else trump.letter
