"""Rules as a prior: each call's chance, learned from what players did with the same hands.

If a hand fits a rule by only half a point, half the players might not follow it. So each rule
gets a chance to fire that grows with the hand's margin, and the list is walked
through as before. A call's probability is the chance that one of its rules fires after all earlier
ones did not. The model learns how much players shade each rule, and how blurred its edge is.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import atomic_writer
from ..cards import Hand, counted, whole_percent
from ..dealing.language.mistakes import clip
from ..estimator import ModelError
from ..estimator.files import BROKEN
from .cells import Bools
from .rules import RuleExplanation, RuleSystem
from .system import Indices, OpeningSystem, Probabilities, likely

Doubles = NDArray[np.float64]

_FORMAT = "trickcast soft rules 2"
_FAR = 60.0  # larger margins change nothing
_SHARPEST = 1_000.0
_LEAST = 1e-4  # probability shared out over all calls: people do anything once
SURE = 0.8
"""A less likely call is not sure: players would disagree."""
SEEN = 5
"""Nor is a call by a rule that opened fewer of the training hands."""


@dataclass(frozen=True, eq=False)
class Shading:
    """What was learned of a list of rules, one number per rule in each field."""

    shift: Doubles
    """Points by which players are more generous (above 0) or stricter than the rule."""
    sharpness: Doubles
    """How fast the chance to fire grows with the margin, per point."""
    hands: Indices
    """Number of training hands that each rule opens."""


class SoftRuleSystem(OpeningSystem):
    """Rules with blurred edges; its probabilities are meant literally."""

    def __init__(self, rules: RuleSystem, shading: Shading, about: Mapping[str, Any]):
        self.name, self.title = about["name"], about["title"]
        self.about = dict(about)
        """How the system was trained, and its scores."""
        self.rules = rules
        self.shading = shading
        self.calls = rules.calls

    def explain(self, hand: str | Hand) -> RuleExplanation:
        """Show the probabilities, the rule that fits and the runners-up.

        Raises DealError for an invalid hand.
        """
        one = Hand(hand)
        plain = self.rules.explain(one)
        chances = likely(self.calls, self.probabilities(one), least=0.02)
        shown = ", ".join(f"{call} {whole_percent(chance)}" for call, chance in chances.items())
        if plain.call != self.bid(one):
            shown += f"; by the rules alone {plain.call}"
        return RuleExplanation(
            hand=one,
            system=self.name,
            call=self.bid(one),
            reason=f"{shown}; {plain.reason}",
            probabilities=chances,
            doubts=self._doubts(one, chances),
            rule=plain.rule,
            runners_up=plain.runners_up,
        )

    def _doubts(self, one: Hand, chances: Mapping[str, float]) -> tuple[str, ...]:
        first, second = [*chances.items(), ("", 0.0)][:2]
        doubts = []
        if first[1] < SURE:
            doubts.append(
                f"players would disagree ({first[0]} {first[1]:.0%}, {second[0]} {second[1]:.0%})"
            )
        hands = int(self.shading.hands[self.rules.fired(one)[0]])
        if hands < SEEN:
            total = int(self.shading.hands.sum())
            doubts.append(f"its rule was seen with {hands} of the {total:,} hands it learned from")
        return tuple(doubts)

    def _sure(self, held: Bools) -> Bools:
        clear = self._probabilities(held).max(axis=1, initial=0) >= SURE
        seen = self.shading.hands[self.rules.fired(held)] >= SEEN
        sure: Bools = clear & seen
        return sure

    def _probabilities(self, held: Bools) -> Probabilities:
        firing, _ = _walk(_clip(self.rules.margins(held)), self.shading)
        return _by_call(self.rules, firing).astype(np.float32)


def fit_shading(
    rules: RuleSystem,
    hands: Bools,
    calls: Sequence[str],
    *,
    shift_prior: float = 0.3,
    sharpness_prior: float = 0.3,
) -> Shading:
    """Learn how players shade rules, from hands and the calls they chose.

    Finds the likeliest shading, given normal priors. So a rule that few hands meet stays as it
    is written. Calls that no rule makes are ignored.

    Args:
        rules: The RuleSystem.
        hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.
        calls: The call of each hand.
        shift_prior: Standard deviation of the shifts around 0, in points.
        sharpness_prior: Standard deviation of the logarithms of the sharpness around that of all
            rules.

    Returns:
        A Shading.

    Raises:
        ValueError: There is not one call for each hand.

    Example:
        >>> rules = tc.openings.load("polish-club-rules")
        >>> hands = tc.random_deals(200, seed=1).owners == 0
        >>> fit_shading(rules, hands, rules.bid(hands)).shift.shape == (len(rules.rules),)
        True
    """
    from scipy.optimize import minimize

    if len(hands) != len(calls):
        given = f"{counted(len(hands), 'hand')} and {counted(len(calls), 'call')}"
        raise ValueError(f"{given} (expected a call for each hand)")
    known = np.array([call in rules.calls for call in calls], dtype=np.bool_)
    margins = _clip(rules.margins(hands[known]))
    wanted = np.array([rules.calls.index(call) for call in np.array(calls)[known]])
    of_rule = np.array([rules.calls.index(rule.call) for rule in rules.rules])
    size = len(rules.rules)
    opened = np.bincount(rules.fired(hands[known]), minlength=size)

    def cost(parameters: Doubles) -> tuple[float, Doubles]:
        shading = _shading(parameters, opened)
        firing, chance = _walk(margins, shading)
        mine = np.where(of_rule == wanted[:, None], firing, 0)  # rules that make the wanted call
        total = mine.sum(axis=1, keepdims=True) + _LEAST
        share = mine / total
        later = share[:, ::-1].cumsum(axis=1)[:, ::-1] - share
        slope = share * (1 - chance) - chance * later  # of the log likelihood, by logit
        edge = margins + shading.shift
        by_shift = (slope * shading.sharpness).sum(axis=0)
        by_sharpness = (slope * edge * shading.sharpness).sum(axis=0)
        shifts, spread = parameters[:size], parameters[size : 2 * size]
        value = -np.log(total).sum() + (shifts**2).sum() / (2 * shift_prior**2)
        value += (spread**2).sum() / (2 * sharpness_prior**2)
        gradient = np.concatenate(
            [
                shifts / shift_prior**2 - by_shift,
                spread / sharpness_prior**2 - by_sharpness,
                [-by_sharpness.sum()],
            ]
        )
        return float(value), gradient

    found = minimize(cost, np.zeros(2 * size + 1), jac=True, method="L-BFGS-B")
    return _shading(found.x, opened)


def _shading(parameters: Doubles, opened: Indices) -> Shading:
    size = len(opened)
    sharpness = np.exp(parameters[size : 2 * size] + parameters[-1])
    return Shading(parameters[:size], sharpness, opened)


def _clip(margins: NDArray[np.float32]) -> Doubles:
    return np.clip(margins, -_FAR, _FAR).astype(np.float64)


def _walk(margins: Doubles, shading: Shading) -> tuple[Doubles, Doubles]:
    """Return each rule's chance to make the call, and its chance to fire once it is reached."""
    logits = np.clip((margins + shading.shift) * shading.sharpness, -_FAR, _FAR)
    chance = 1 / (1 + np.exp(-logits))
    chance[margins >= _FAR] = 1  # a rule without conditions
    passed = np.cumprod(1 - chance, axis=1)
    before = np.concatenate([np.ones((len(margins), 1)), passed[:, :-1]], axis=1)
    return chance * before, chance


def _by_call(rules: RuleSystem, firing: Doubles) -> Doubles:
    found = np.zeros((len(firing), len(rules.calls)))
    for share, rule in zip(firing.T, rules.rules, strict=True):
        found[:, rules.calls.index(rule.call)] += share
    chances: Doubles = (found + _LEAST) / (found + _LEAST).sum(axis=1, keepdims=True)
    return chances


def save_shading(path: str | os.PathLike[str], system: SoftRuleSystem, rules_sha256: str) -> None:
    """Write what was learned as JSON, with the checksum of its rule file.

    Raises OSError for a file that cannot be written.
    """
    shading = system.shading
    content = {
        "format": _FORMAT,
        **system.about,
        "rules_sha256": rules_sha256,
        "shading": [
            {
                "call": rule.call,
                "rule": rule.name,
                "shift": round(float(shift), 4),
                "sharpness": round(float(sharpness), 4),
                "hands": int(hands),
            }
            for rule, shift, sharpness, hands in zip(
                system.rules.rules, shading.shift, shading.sharpness, shading.hands, strict=True
            )
        ],
    }
    with atomic_writer(path) as stream:
        stream.write(f"{json.dumps(content, indent=1, ensure_ascii=False)}\n".encode())


def open_shading(data: bytes, name: str, rules: RuleSystem, rules_sha256: str) -> SoftRuleSystem:
    """Return the system from the bytes that ``save_shading`` wrote for the same rules.

    ``name`` is the file's name in errors. Raises ModelError for anything else.
    """
    try:
        content = json.loads(data)
        shading = _read_shading(content.pop("shading"))
        texts = [content[key] for key in ("format", "rules_sha256", "name", "title")]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("format, rules_sha256, name and title are texts")
    except BROKEN as error:
        raise ModelError(f"{name}: not a file of soft rules ({clip(str(error))})") from None
    if texts[:2] != [_FORMAT, rules_sha256] or len(shading.shift) != len(rules.rules):
        raise ModelError(
            f"{name}: learned for other rules (format {clip(texts[0])!r}, rules SHA-256 "
            f"{clip(texts[1])}, expected {_FORMAT!r} and {rules_sha256})"
        )
    return SoftRuleSystem(rules, shading, content)


def _read_shading(rows: Sequence[Mapping[str, Any]]) -> Shading:
    """Read what was learned of each rule. Raises ValueError for invalid numbers."""
    shift = np.array([row["shift"] for row in rows], dtype=np.float64)
    sharpness = np.array([row["sharpness"] for row in rows], dtype=np.float64)
    hands = np.array([row["hands"] for row in rows], dtype=np.int64)
    if not shift.ndim == sharpness.ndim == hands.ndim == 1:
        raise ValueError("shift, sharpness and hands are a number each")
    if not (np.abs(shift) < _FAR).all():
        raise ValueError(f"a shift is not a number of points below {_FAR:g}")
    if not ((sharpness > 0) & (sharpness < _SHARPEST)).all() or (hands < 0).any():
        raise ValueError("a sharpness is not above 0, or a number of hands below 0")
    return Shading(shift, sharpness, hands)
