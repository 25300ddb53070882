"""A system made of an ordered list of rules: the first that fits makes the call."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, as_hands
from .calls import call_rank
from .conditions import HONOUR, Between, Compare, Condition, Honours
from .facts import Bools, CellFacts, HandFacts
from .rulefile import Rule, RuleError, RuleFile
from .system import Explanation, Indices, OpeningSystem, Probabilities

_CHUNK = 16_384  # hands at a time: the facts of so many stay in the processor's cache


@dataclass(frozen=True)
class RunnerUp:
    """A rule that would have made another call: it fits too, or almost."""

    rule: Rule
    missing: str
    """What the hand lacks for it; empty when the rule fits and only stands lower in the list."""

    def __str__(self) -> str:
        note = f"but {self.missing}" if self.missing else "fits too, lower in the list"
        return f"{self.rule.call}: {self.rule.name}, {note}"


@dataclass(frozen=True, kw_only=True)
class RuleExplanation(Explanation):
    """The rule that fired and the runners-up."""

    rule: Rule
    runners_up: tuple[RunnerUp, ...]

    def lines(self) -> list[str]:
        """Return the text line by line."""
        others = [f"  {runner_up}" for runner_up in self.runners_up]
        return [*super().lines(), f"  because {self.rule.why}", *others]


class RuleSystem(OpeningSystem):
    """The rules of a file as an opening system.

    Raises RuleError when some hand fits no rule, naming its shape and points.
    """

    def __init__(self, file: RuleFile):
        self.name, self.title, self.source = file.name, file.title, file.source
        self.rules = file.rules
        self.calls = tuple(sorted({rule.call for rule in file.rules}, key=call_rank))
        self._calls_of_rules = np.array([self.calls.index(rule.call) for rule in file.rules])
        cells = CellFacts()
        taken = np.zeros(len(cells), np.bool_)  # cells where an earlier rule fits every hand
        unreachable = []
        for rule in file.rules:
            verdict = rule.condition.test(cells)
            if not (verdict.possible & ~taken).any():
                unreachable.append(rule)
            taken |= verdict.sure
        if not taken.all():
            squares = (cells.lengths**2).sum(axis=1)  # small for the shapes that come most
            example = cells.describe(int(np.where(taken, 1_000, squares).argmin()))
            raise RuleError(
                f"{file.path}, line {file.rules[-1].line}: no rule is sure to fit {example} "
                "(end the list with a rule that has no conditions, such as call = 'PASS')"
            )
        self.unreachable = tuple(unreachable)
        """Rules that can never fire, in any of the 560 shapes with any point count.

        Conditions on anything but lengths and points are not looked into, so some rule that never
        fires may be missing here.
        """

    def fits(self, hands: Any) -> Bools:
        """Return which rules fit each hand, fired or not: (n, len(rules)) bool.

        Raises DealError naming a bad hand.
        """
        held, _ = as_hands(hands)
        parts = [np.empty((0, len(self.rules)), np.bool_), *self._fits(held)]
        return np.concatenate(parts)

    def fired(self, hands: Any) -> Indices:
        """Return the index of the rule that makes the call with each hand: (n,).

        Raises DealError naming a bad hand.
        """
        held, _ = as_hands(hands)
        empty = np.empty(0, np.int64)
        return np.concatenate([empty, *(fits.argmax(axis=1) for fits in self._fits(held))])

    def choose(self, held: NDArray[np.bool_]) -> Indices:
        """Return the index in ``calls`` of the call with each of (n, 52) hands: (n,)."""
        calls: Indices = self._calls_of_rules[self.fired(held)]
        return calls

    def explain(self, hand: str | Hand) -> RuleExplanation:
        """Name the rule that fired, and for other calls the rule that fits or almost does.

        A rule almost fits when a single one of its conditions fails, by one point or one card.
        Raises DealError for a bad hand.
        """
        one = Hand(hand)
        facts = HandFacts(one.cards[None])
        fired = int(self.fired(one)[0])
        rule = self.rules[fired]
        near = [
            RunnerUp(other, missing)
            for other in self.rules
            # the catch-all at the end of the list fits everything, which says nothing
            if other.call != rule.call and other.condition.parts
            for missing in [_missing(other, facts)]
            if missing is not None
        ]
        best: dict[str, RunnerUp] = {}
        for runner_up in sorted(near, key=lambda one: bool(one.missing)):
            best.setdefault(runner_up.rule.call, runner_up)
        return RuleExplanation(
            hand=one,
            system=self.name,
            call=rule.call,
            reason=f"rule {fired + 1}, {rule.name}: {rule.condition}",
            probabilities={rule.call: 1.0},
            rule=rule,
            runners_up=tuple(best.values()),
        )

    def margins(self, held: Bools) -> NDArray[np.float32]:
        """Return how far inside or outside each rule (n, 52) hands are: (n, len(rules)) points.

        See ``Condition.margin``; infinite for a rule without conditions.
        """
        parts = [np.empty((0, len(self.rules)), np.float32)]
        for start in range(0, len(held), _CHUNK):
            facts = HandFacts(held[start : start + _CHUNK])
            parts.append(np.stack([rule.condition.margin(facts) for rule in self.rules], axis=1))
        return np.concatenate(parts)

    def _fits(self, held: NDArray[np.bool_]) -> Iterator[Bools]:
        for start in range(0, len(held), _CHUNK):
            facts = HandFacts(held[start : start + _CHUNK])
            yield np.stack([rule.condition.test(facts).sure for rule in self.rules], axis=1)

    def _probabilities(self, held: NDArray[np.bool_]) -> Probabilities:
        return np.eye(len(self.calls), dtype=np.float32)[self.choose(held)]


def _missing(rule: Rule, facts: HandFacts) -> str | None:
    """Say what one hand lacks for a rule; empty if nothing, None if too much."""
    failed = [part for part in rule.condition.parts if not part.test(facts).sure[0]]
    if not failed:
        return ""
    if len(failed) > 1 or failed[0].margin(facts)[0] < -_near(failed[0]):
        return None
    return _shortfall(failed[0], facts)


def _near(condition: Condition) -> float:
    """The margin by which a hand may miss: that of one point or, where cards count, one card."""
    if isinstance(condition, Between | Compare):
        return condition.worth / 2
    return HONOUR / 2 if isinstance(condition, Honours) else 0.5


def _shortfall(condition: Condition, facts: HandFacts) -> str:
    if isinstance(condition, Between | Honours | Compare):
        return f"it asks for {condition} (here {condition.here(facts)})"
    return f"it asks for {condition}"
