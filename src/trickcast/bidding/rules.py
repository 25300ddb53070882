"""A system made of an ordered list of rules: the first match makes the call."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, HandsLike, as_hands
from ..dealing.language.calls import call_rank
from ..dealing.language.conditions import (
    AllOf,
    Clause,
    Comparison,
    HandFacts,
    Node,
    Number,
    bounds,
    evaluate,
)
from ..dealing.language.rulefile import Rule, RuleError, RuleFile
from .cells import Bools, Cells, facts_of
from .margins import margins, worth
from .system import Explanation, Indices, OpeningSystem, Probabilities

_CHUNK = 16_384  # hands at a time: their facts stay in the processor's cache


@dataclass(frozen=True)
class RunnerUp:
    """A rule that would have made another call: it matches too, or almost."""

    rule: Rule
    missing: str
    """What the hand lacks for it; empty if the rule fits but comes later in the list."""

    def __str__(self) -> str:
        note = self.missing or "fits too, lower in the list"
        return f"{self.rule.call} ({self.rule.name}) {note}"


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

    Raises RuleError if some hand fits no rule, naming its shape and points.
    """

    def __init__(self, file: RuleFile):
        self.name, self.title, self.source = file.name, file.title, file.source
        self.rules = file.rules
        self.calls = tuple(sorted({rule.call for rule in file.rules}, key=call_rank))
        self._calls_of_rules = np.array([self.calls.index(rule.call) for rule in file.rules])
        self._conditions = [rule.condition for rule in file.rules]
        cells = Cells()
        taken = np.zeros(len(cells), np.bool_)  # cells where an earlier rule fits every hand
        unreachable = []
        fits = bounds(self._conditions, cells)
        for rule, (must, may) in zip(file.rules, fits, strict=True):
            if not (may & ~taken).any():
                unreachable.append(rule)
            taken |= must
        if not taken.all():
            squares = (cells.lengths**2).sum(axis=1)  # small for the commonest shapes
            example = cells.describe(int(np.where(taken, 1_000, squares).argmin()))
            raise RuleError(
                f"{file.path}, line {file.rules[-1].line}: no rule is sure to fit {example} "
                "(end the list with a rule that asks nothing of the hand, such as call = 'PASS')"
            )
        self.unreachable = tuple(unreachable)
        """Rules that can never fire, in any of the 560 shapes with any point count.

        Conditions on anything but lengths and points are not examined, so some rules that never
        fire may be missing here.
        """

    def fits(self, hands: HandsLike) -> Bools:
        """Return which rules fit each hand, fired or not: (n, len(rules)) bool.

        Raises DealError naming an invalid hand.
        """
        held, _ = as_hands(hands)
        parts = [np.empty((0, len(self.rules)), np.bool_), *self._fits(held)]
        return np.concatenate(parts)

    def fired(self, hands: HandsLike) -> Indices:
        """Return the index of the rule that makes the call with each hand: (n,).

        Raises DealError naming an invalid hand.
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

        A rule almost fits if only one of its conditions fails, by one point or one card.
        Raises DealError for an invalid hand.
        """
        one = Hand(hand)
        facts = facts_of(one.cards[None])
        fired = int(self.fired(one)[0])
        rule = self.rules[fired]
        near = [
            RunnerUp(other, missing)
            for other in self.rules
            # the catch-all at the end of the list fits everything, which says nothing
            if other.call != rule.call and other.clauses
            for missing in [_missing(other, facts)]
            if missing is not None
        ]
        best: dict[str, RunnerUp] = {}
        for runner_up in sorted(near, key=lambda other: bool(other.missing)):
            best.setdefault(runner_up.rule.call, runner_up)
        return RuleExplanation(
            hand=one,
            system=self.name,
            call=rule.call,
            reason=f"rule {fired + 1}, {rule.name}: {rule.asks}",
            probabilities={rule.call: 1.0},
            rule=rule,
            runners_up=tuple(best.values()),
        )

    def margins(self, held: Bools) -> NDArray[np.float32]:
        """Return how far inside or outside each rule (n, 52) hands are: (n, len(rules)) points.

        See ``margins``; infinite for a rule without conditions.
        """
        parts = [np.empty((0, len(self.rules)), np.float32)]
        for start in range(0, len(held), _CHUNK):
            chunk = held[start : start + _CHUNK]
            of_rules = margins(self._conditions, facts_of(chunk))
            parts.append(_columns(of_rules, len(chunk)))
        return np.concatenate(parts)

    def _fits(self, held: NDArray[np.bool_]) -> Iterator[Bools]:
        for start in range(0, len(held), _CHUNK):
            chunk = held[start : start + _CHUNK]
            fits = bounds(self._conditions, facts_of(chunk))
            yield _columns([fit.low for fit in fits], len(chunk))

    def _probabilities(self, held: NDArray[np.bool_]) -> Probabilities:
        return np.eye(len(self.calls), dtype=np.float32)[self.choose(held)]


def _columns(values: list[NDArray[Any]], n: int) -> NDArray[Any]:
    """Return (n, columns) of values that are (n,) or () each."""
    return np.stack([np.broadcast_to(column, n) for column in values], axis=1)


def _missing(rule: Rule, facts: HandFacts) -> str | None:
    """Return what a hand lacks for a rule; empty if nothing, None if too much."""
    failed = [clause for clause in rule.clauses if not evaluate(clause.node, facts).all()]
    if not failed:
        return ""
    if len(failed) > 1 or margins([failed[0].node], facts)[0] < -_near(failed[0].node):
        return None
    return f"needs {failed[0].text}{_here(failed[0], facts)}"


def _comparisons(node: Node) -> list[Comparison]:
    """Return the comparisons in a condition if they all concern one number."""
    parts = node.parts if isinstance(node, AllOf) and len(node.parts) == 2 else (node,)
    comparisons = [part for part in parts if isinstance(part, Comparison)]
    alike = len(comparisons) == len(parts) and len({part.left for part in comparisons}) == 1
    return comparisons if alike else []


def _near(node: Node) -> float:
    """Return the margin by which a hand may miss: one point or, if cards are counted, one card."""
    return float(worth(node)) / 2 if _comparisons(node) else 0.5


def _here(clause: Clause, facts: HandFacts) -> str:
    """Return what a hand has instead, if the condition concerns a number."""
    comparisons = _comparisons(clause.node)
    if not comparisons:
        return ""
    left, right = (evaluate(side, facts) for side in (comparisons[0].left, comparisons[0].right))
    if isinstance(comparisons[0].right, Number):
        return f" (here {left.item():g})"
    return f" (here {left.item():g} and {right.item():g})"
