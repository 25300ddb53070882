"""Check a list of rules for oddities: rules that never fire, rules that hide one another."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cards import as_hands
from ..dealing.language.rulefile import Rule
from .cells import Bools
from .drawing import random_hands
from .rules import RuleSystem
from .system import Indices


@dataclass(frozen=True)
class Overlap:
    """Two rules for different calls that fit the same hands."""

    first: Rule
    """The earlier of the two rules, which makes the call."""
    second: Rule
    share: float
    """The share of the hands that fit the second rule and are taken by the first."""


@dataclass(frozen=True)
class Review:
    """The result of ``review``; prints as text."""

    hands: int
    calls: dict[str, float]
    """The share of hands that each call opens."""
    fired: tuple[int, ...]
    """The number of hands that each rule opened."""
    unreachable: tuple[Rule, ...]
    """Rules proved never to fire: earlier rules take every hand, or no hand fits."""
    unseen: tuple[Rule, ...]
    """Other rules that did not fire."""
    overlaps: tuple[Overlap, ...]
    """Largest share first."""

    def __str__(self) -> str:
        lines = [f"{self.hands:,} hands"]
        lines += [f"{call:>7}  {share:9.4%}" for call, share in self.calls.items()]
        lines += [f"line {rule.line}: can never fire: {rule}" for rule in self.unreachable]
        lines += [f"line {rule.line}: did not fire: {rule}" for rule in self.unseen]
        lines += [
            f"line {o.first.line}: {o.first.call} ({o.first.name}) takes {o.share:.1%} of the "
            f"hands for {o.second.call} ({o.second.name}, line {o.second.line})"
            for o in self.overlaps
        ]
        return "\n".join(lines)


def review(system: RuleSystem, hands: Any = None) -> Review:
    """Find rules that can never fire, and rules that overlap.

    The proof that a rule can never fire is logical (see ``RuleSystem.unreachable``). Overlaps are
    counted on hands. A final rule without conditions overlaps with all others, so it is left out.

    Args:
        system: The RuleSystem.
        hands: Hands to open, shape (n, 52), bool, or a list of hands. Default: 100,000 random ones,
            the same each time.

    Returns:
        A Review, which prints as text.

    Raises:
        DealError: A hand is not valid.

    Example:
        >>> review(tc.openings.load("polish-club-rules")).hands
        100000
    """
    held = random_hands(100_000, seed=0) if hands is None else as_hands(hands)[0]
    fits = system.fits(held)
    fired = system.fired(held)
    times = np.bincount(fired, minlength=len(system.rules))
    shares = dict.fromkeys(system.calls, 0.0)
    for rule, count in zip(system.rules, times, strict=True):
        shares[rule.call] += float(count) / max(len(held), 1)
    return Review(
        hands=len(held),
        calls=shares,
        fired=tuple(int(count) for count in times),
        unreachable=system.unreachable,
        unseen=tuple(
            rule
            for rule, count in zip(system.rules, times, strict=True)
            if count == 0 and rule not in system.unreachable
        ),
        overlaps=_overlaps(system, fits, fired),
    )


def _overlaps(system: RuleSystem, fits: Bools, fired: Indices) -> tuple[Overlap, ...]:
    found = []
    for i, second in enumerate(system.rules):
        rows = fired[fits[:, i]]
        if not second.clauses or not len(rows):
            continue
        shares = np.bincount(rows, minlength=i + 1)[:i] / len(rows)
        for j in np.flatnonzero(shares):
            first = system.rules[j]
            if first.call != second.call:
                found.append(Overlap(first, second, float(shares[j])))
    return tuple(sorted(found, key=lambda overlap: -overlap.share))
