"""Random hands: any hands, those that meet conditions, and those a system opens with one call."""

from collections.abc import Callable, Sequence
from math import ceil, comb

import numpy as np

from ..cards import Suit, checked_whole, shorten
from ..dealing.language.conditions import (
    AllOf,
    Clause,
    Comparison,
    HandCount,
    Number,
    conjuncts,
    evaluate,
)
from ..dealing.language.descriptions import read_description
from ..dealing.language.hand_counts import length
from ..dealing.language.mistakes import clip
from ..dealing.language.rulefile import OPENER
from ..dealing.shuffling import checked_seed
from .cells import Bools, facts_of
from .rules import RuleSystem
from .system import OpeningSystem

_BATCH = 65_536
_MOST_BATCHES = 400  # 26 million hands: anything rarer is a mistake
_CARDS_OF_A_SUIT = 13
_LONG = 5  # a suit of at least this length is dealt first


def random_hands(n: int, seed: int) -> Bools:
    """Return ``n`` independent random hands.

    Args:
        n: Number of hands, 0 or more.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same hands.

    Returns:
        Hands, shape (n, 52), bool.

    Raises:
        ValueError: A number is out of its range.
        TypeError: A number is not whole.

    Example:
        >>> random_hands(3, seed=1).sum(axis=1)
        array([13, 13, 13])
    """
    return _random(checked_whole(n, "n", 0), np.random.default_rng(checked_seed(seed)))


def hands_meeting(sentence: str, n: int, seed: int) -> Bools:
    """Return ``n`` random hands that satisfy a description, all equally likely.

    Args:
        sentence: The description, such as ``"hearts 6+, hcp 6+"``.
        n: Number of hands, 0 or more.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same hands.

    Returns:
        Hands, shape (n, 52), bool.

    Raises:
        ConstraintError: The description cannot be read.
        ValueError: It fits too few hands or none, or a number is out of its range.
        TypeError: A number is not whole.

    Example:
        >>> hands_meeting("hearts 6+, hcp 6+", 3, seed=1)[:, 13:26].sum(axis=1).min() >= 6
        np.True_
    """
    clauses = read_description(sentence, OPENER, source="hand")
    condition = AllOf(tuple(clause.node for clause in clauses))
    suit, cards = _longest_asked(clauses)

    def draw(generator: np.random.Generator) -> Bools:
        hands = _batch(suit, cards, generator)
        met: Bools = hands[evaluate(condition, facts_of(hands))]
        return met

    return _collect(draw, n, seed, clip(sentence))


def hands_opened(system: OpeningSystem, call: str, n: int, seed: int) -> Bools:
    """Return ``n`` random hands that a system opens with a call.

    If a single rule makes a rare call, only hands that meet its conditions are tried.

    Args:
        system: The OpeningSystem.
        call: The call.
        n: Number of hands, 0 or more.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same hands.

    Returns:
        Hands, shape (n, 52), bool.

    Raises:
        ValueError: The system never or hardly ever makes this call, or a number is out of its
            range.
        TypeError: A number is not whole.

    Example:
        >>> system = tc.openings.load("polish-club-rules")
        >>> system.bid(hands_opened(system, "2N", 3, seed=1))
        ['2N', '2N', '2N']
    """
    if call not in system.calls:
        raise ValueError(
            f"{system.name} never opens {shorten(call)} (expected one of {system.calls})"
        )
    rules = system.rules if isinstance(system, RuleSystem) else ()
    rules = tuple(rule for rule in rules if rule.call == call)
    index = system.calls.index(call)
    suit, cards = _longest_asked(rules[0].clauses if len(rules) == 1 else ())

    def draw(generator: np.random.Generator) -> Bools:
        hands = _batch(suit, cards, generator)
        opened: Bools = hands[system.choose(hands) == index]
        return opened

    return _collect(draw, n, seed, f"opened {call}")


def _collect(draw: Callable[[np.random.Generator], Bools], n: int, seed: int, what: str) -> Bools:
    n, generator = checked_whole(n, "n", 0), np.random.default_rng(checked_seed(seed))
    parts, drawn = [np.empty((0, 52), np.bool_)], 0
    for _ in range(_MOST_BATCHES):
        if drawn >= n:
            break
        parts.append(draw(generator))
        drawn += len(parts[-1])
    if drawn < n:
        raise ValueError(
            f"only {drawn} hands of {_MOST_BATCHES * _BATCH:,} are {what} (expected {n:,})"
        )
    return np.concatenate(parts)[:n]


def _batch(suit: int, cards: int, generator: np.random.Generator) -> Bools:
    if cards < _LONG:
        return _random(_BATCH, generator)
    return _with_long_suit(_BATCH, suit, cards, generator)


def _random(n: int, generator: np.random.Generator) -> Bools:
    hands = np.zeros((n, 52), dtype=np.bool_)
    for start in range(0, n, _BATCH):
        part = hands[start : start + _BATCH]
        first = generator.random(part.shape).argpartition(13, axis=1)[:, :13]
        np.put_along_axis(part, first, True, axis=1)
    return hands


def _with_long_suit(n: int, suit: int, shortest: int, generator: np.random.Generator) -> Bools:
    """Return random hands with at least ``shortest`` cards in a suit, all equally likely."""
    lengths = np.arange(shortest, 14)
    ways = np.array([comb(13, k) * comb(39, 13 - k) for k in lengths], dtype=np.float64)
    held = generator.choice(lengths, size=(n, 1), p=ways / ways.sum())
    inside = generator.random((n, 13)).argsort(axis=1).argsort(axis=1) < held
    outside = generator.random((n, 39)).argsort(axis=1).argsort(axis=1) < 13 - held
    first = 13 * suit
    return np.concatenate([outside[:, :first], inside, outside[:, first:]], axis=1)


def _longest_asked(clauses: Sequence[Clause]) -> tuple[int, int]:
    """Return the suit for which clauses require the most cards, and how many.

    Raises ValueError for more than thirteen.
    """
    asked = [(0, 0)]
    for part in conjuncts(AllOf(tuple(clause.node for clause in clauses))):
        match part:
            case Comparison(">=" | "==", HandCount(count), Number(cards)):
                asked += [(suit, ceil(cards)) for suit in Suit if count is length(suit)]
    suit, cards = max(asked, key=lambda suit_and_cards: suit_and_cards[1])
    if cards > _CARDS_OF_A_SUIT:
        raise ValueError(
            f"no hand holds {cards} {Suit(suit).name.lower()} (expected {_CARDS_OF_A_SUIT} at most)"
        )
    return suit, cards
