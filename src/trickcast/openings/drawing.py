"""Random hands: any, those that meet conditions, and those that a system opens with one call."""

from collections.abc import Callable, Mapping
from math import comb
from typing import Any

import numpy as np

from .conditions import AllOf, Between, Condition
from .facts import SUITS, Bools, HandFacts
from .rulefile import read_conditions
from .rules import RuleSystem

_BATCH = 65_536
_MOST_BATCHES = 400  # 26 million hands: rarer than that is a mistake
_LONG = 5  # a suit of at least so many cards is dealt first


def random_hands(n: int, seed: int) -> Bools:
    """Return ``n`` independent random hands, (n, 52) bool, the same for the same ``seed``."""
    return _random(n, np.random.default_rng(seed))


def hands_meeting(conditions: Mapping[str, Any] | Condition, n: int, seed: int) -> Bools:
    """Return ``n`` random hands that meet ``conditions``, (n, 52) bool.

    ``conditions`` are written as in a rule file: ``{"hearts": "6+", "hcp": "6+"}``. Among the
    hands that meet them all are equally likely. Raises RuleError for conditions that cannot be
    read, and ValueError when they are met too rarely.
    """
    given = conditions if isinstance(conditions, Condition) else read_conditions(conditions)
    suit, length = _longest_asked(given)

    def draw(generator: np.random.Generator) -> Bools:
        hands = _batch(suit, length, generator)
        met: Bools = hands[given.test(HandFacts(hands)).sure]
        return met

    return _collect(draw, n, seed, str(given))


def hands_opened(system: RuleSystem, call: str, n: int, seed: int) -> Bools:
    """Return ``n`` random hands that ``system`` opens with ``call``, (n, 52) bool.

    A rare call that one rule makes is looked for among the hands that meet its conditions only.
    Raises ValueError for a call that the system does not make, or too rarely.
    """
    rules = [rule for rule in system.rules if rule.call == call]
    if not rules:
        raise ValueError(f"{system.name} never opens {call!r} (expected one of {system.calls})")
    index = system.calls.index(call)
    condition = rules[0].condition if len(rules) == 1 else AllOf(())
    suit, length = _longest_asked(condition)

    def draw(generator: np.random.Generator) -> Bools:
        hands = _batch(suit, length, generator)
        opened: Bools = hands[system.choose(hands) == index]
        return opened

    return _collect(draw, n, seed, f"opened {call}")


def _collect(draw: Callable[[np.random.Generator], Bools], n: int, seed: int, what: str) -> Bools:
    generator = np.random.default_rng(seed)
    parts, found = [np.empty((0, 52), np.bool_)], 0
    for _ in range(_MOST_BATCHES):
        if found >= n:
            break
        parts.append(draw(generator))
        found += len(parts[-1])
    if found < n:
        raise ValueError(
            f"only {found} hands of {_MOST_BATCHES * _BATCH:,} are {what} (expected {n:,})"
        )
    return np.concatenate(parts)[:n]


def _batch(suit: int, length: int, generator: np.random.Generator) -> Bools:
    if length < _LONG:
        return _random(_BATCH, generator)
    return _with_long_suit(_BATCH, suit, length, generator)


def _random(n: int, generator: np.random.Generator) -> Bools:
    hands = np.zeros((n, 52), dtype=np.bool_)
    for start in range(0, n, _BATCH):
        part = hands[start : start + _BATCH]
        first = generator.random(part.shape).argpartition(13, axis=1)[:, :13]
        np.put_along_axis(part, first, True, axis=1)
    return hands


def _with_long_suit(n: int, suit: int, length: int, generator: np.random.Generator) -> Bools:
    """Random hands of at least ``length`` cards in one suit, all such hands equally likely."""
    lengths = np.arange(length, 14)
    ways = np.array([comb(13, k) * comb(39, 13 - k) for k in lengths], dtype=np.float64)
    held = generator.choice(lengths, size=(n, 1), p=ways / ways.sum())
    inside = generator.random((n, 13)).argsort(axis=1).argsort(axis=1) < held
    outside = generator.random((n, 39)).argsort(axis=1).argsort(axis=1) < 13 - held
    first = 13 * suit
    return np.concatenate([outside[:, :first], inside, outside[:, first:]], axis=1)


def _longest_asked(condition: Condition) -> tuple[int, int]:
    """The suit of which a condition asks for the most cards, and how many."""
    if isinstance(condition, Between) and condition.quantity in SUITS:
        return SUITS.index(condition.quantity), int(np.ceil(max(condition.low, 0)))
    if isinstance(condition, AllOf) and condition.parts:
        return max(map(_longest_asked, condition.parts), key=lambda asked: asked[1])
    return 0, 0
