"""Polish Club openings: the 1,000 labelled hands of BridgeHand2Vec 2023 (section 3.1, Table 9).

The labelled hands belong to their authors: every function takes them as ``read_labelled`` returns
them. The authors of ``polish-club-rules`` had read these very hands, so figures of anything built
on these rules are for hands that they already knew. ``polish-club-book`` was written without the
hands, so its figures here are those to expect on other hands of the same players.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._files import note_checksum
from ...bidding import (
    PASS,
    LabelledHands,
    NearestSystem,
    OpeningSystem,
    RuleSystem,
    SoftRuleSystem,
    fit_shading,
    load,
    rule_file,
)
from ...bidding.nearest import Coding
from ...bidding.softrules import SURE, save_shading
from ...dealing.language.calls import call_rank
from ...evaluators import evaluate

FOLDS, SEED = 10, 1
_BINS = (0.0, 0.6, 0.8, 0.95, 1.0)
RULES, BOOK = "polish-club-rules", "polish-club-book"
Bools = NDArray[np.bool_]
Doubles = NDArray[np.float64]
Rows = NDArray[np.int64]
Chances = NDArray[np.floating]
Answer = Callable[[Rows, Rows], Chances]
"""From the rows to learn from and the rows held out to the (n, calls) chances of the latter."""
_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5)
"""Exponents tried for the votes of the nearest hands beside the rules."""
_VOTERS = 15


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Probabilities that models gave to labelled hands that they were not trained on."""

    calls: tuple[str, ...]
    probabilities: NDArray[np.float64]
    """(n, len(calls))."""
    labels: tuple[str, ...]

    def hits(self) -> NDArray[np.bool_]:
        """Return which hands have their label as the likeliest call, (n,)."""
        bids = np.array(self.calls)[self.probabilities.argmax(axis=1)]
        hits: NDArray[np.bool_] = bids == np.array(self.labels)
        return hits

    def figures(self) -> dict[str, float]:
        """Return the percent right with one call and with two, and the mean log loss.

        A call that the model never makes costs as much as a probability of 1 in 10,000. The last
        two are meaningful only for a model that gives more than one call a chance.
        """
        order = np.argsort(-self.probabilities, axis=1)
        places = [self.calls.index(c) if c in self.calls else -1 for c in self.labels]
        chances = [
            self.probabilities[i, place] if place >= 0 else 1e-4 for i, place in enumerate(places)
        ]
        two = [place in row[:2] for place, row in zip(places, order, strict=True)]
        return {
            "percent": 100 * float(self.hits().mean()),
            "percent_of_two": 100 * float(np.mean(two)),
            "log_loss": -float(np.log(np.maximum(chances, 1e-4)).mean()),
        }

    def calibration(self) -> list[dict[str, float]]:
        """Return stated and observed frequencies, by the probability of the likeliest call."""
        stated, right = self.probabilities.max(axis=1), self.hits()
        rows = []
        for low, high in pairwise(_BINS):
            inside = (stated > low) & (stated <= high)
            if inside.any():
                rows.append(
                    {
                        "from": low,
                        "to": high,
                        "hands": int(inside.sum()),
                        "stated_percent": 100 * float(stated[inside].mean()),
                        "right_percent": 100 * float(right[inside].mean()),
                    }
                )
        return rows

    def when_sure(self) -> dict[str, float]:
        """Return the percent of hands with a call of ``SURE`` or more, and right in each part."""
        sure, right = self.probabilities.max(axis=1) >= SURE, self.hits()
        return {
            "sure_percent": 100 * float(sure.mean()),
            "right_percent": 100 * float(right[sure].mean()),
            "unsure_right_percent": 100 * float(right[~sure].mean()),
        }


def rules_system(name: str = RULES) -> RuleSystem:
    """Return the Polish Club rules: those taught by the hands, or those of the book (BOOK)."""
    rules = load(name)
    assert isinstance(rules, RuleSystem)
    return rules


def shaded(
    labelled: LabelledHands, rows: NDArray[np.int64] | None = None, name: str = RULES
) -> SoftRuleSystem:
    """Train ``polish-club`` on labelled hands, or on those in some rows."""
    index = np.arange(len(labelled)) if rows is None else rows
    rules = rules_system(name)
    calls = [labelled.calls[i] for i in index]
    shading = fit_shading(rules, labelled.hands[index], calls)
    about = {"name": "polish-club", "title": "Polish Club as players bid it", "hands": len(index)}
    return SoftRuleSystem(rules, shading, about)


def split(n: int, folds: int, seed: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the rows to train on and the rows held out for each fold; ``seed`` mixes the rows."""
    order = np.random.default_rng(seed).permutation(n)
    return [(np.setdiff1d(order, order[fold::folds]), order[fold::folds]) for fold in range(folds)]


def _of_folds(
    labelled: LabelledHands, calls: tuple[str, ...], folds: int, answer: Answer
) -> HeldOut:
    """Return the answers for the hands of each fold, given the rows of the others."""
    chances = np.zeros((len(labelled), len(calls)))
    for training, held_out in split(len(labelled), folds, SEED):
        chances[held_out] = answer(training, held_out)
    return HeldOut(calls, chances, labelled.calls)


def cross_validate(labelled: LabelledHands, folds: int = FOLDS, rules: str = RULES) -> HeldOut:
    """Return the answers of shaded rules for each hand, learned from the other folds."""

    def answer(training: Rows, held_out: Rows) -> Chances:
        return shaded(labelled, training, rules).probabilities(labelled.hands[held_out])

    return _of_folds(labelled, rules_system(rules).calls, folds, answer)


def cross_validate_nearest(
    labelled: LabelledHands, code: Coding, k: int = 1, folds: int = FOLDS
) -> HeldOut:
    """Return the votes of the ``k`` nearest hands of the other folds, by a coding of hands."""
    calls = tuple(sorted(set(labelled.calls), key=call_rank))

    def answer(training: Rows, held_out: Rows) -> Chances:
        return _votes(labelled, training, held_out, code, k, calls)

    return _of_folds(labelled, calls, folds, answer)


def cross_validate_pooled(
    labelled: LabelledHands, code: Coding, rules: str = RULES, folds: int = FOLDS
) -> HeldOut:
    """Return the combined answers of shaded rules and the nearest hands, for each fold unseen.

    They are the rules' probabilities times the votes of fifteen neighbours to a power. The power is
    the one with the lowest log loss in a cross-validation of the other folds alone.
    """
    calls = rules_system(rules).calls

    def answer(training: Rows, held_out: Rows) -> Chances:
        inner = LabelledHands(labelled.hands[training], tuple(labelled.calls[i] for i in training))
        soft = cross_validate(inner, folds=5, rules=rules).probabilities
        votes = np.zeros_like(soft)
        for rest, part in split(len(inner), 5, SEED):
            votes[part] = _votes(inner, rest, part, code, _VOTERS, calls)
        losses = [
            HeldOut(calls, _pool(soft, votes, weight), inner.calls).figures()["log_loss"]
            for weight in _WEIGHTS
        ]
        soft_chances = shaded(labelled, training, rules).probabilities(labelled.hands[held_out])
        near = _votes(labelled, training, held_out, code, _VOTERS, calls)
        return _pool(soft_chances, near, _WEIGHTS[int(np.argmin(losses))])

    return _of_folds(labelled, calls, folds, answer)


def _votes(
    labelled: LabelledHands,
    training: NDArray[np.int64],
    held_out: NDArray[np.int64],
    code: Coding,
    k: int,
    calls: Sequence[str],
) -> Doubles:
    """Return the share of the nearest training hands with each call; other calls are left out."""
    known = LabelledHands(labelled.hands[training], tuple(labelled.calls[i] for i in training))
    system = NearestSystem(known, code, k=k)
    votes = system.probabilities(labelled.hands[held_out])
    shares = np.zeros((len(held_out), len(calls)))
    for column, call in zip(votes.T, system.calls, strict=True):
        if call in calls:
            shares[:, calls.index(call)] = column
    return shares


def _pool(chances: NDArray[np.floating], votes: Doubles, weight: float) -> Doubles:
    together = chances * (votes + 0.5 / _VOTERS) ** weight
    shares: Doubles = together / together.sum(axis=1, keepdims=True)
    return shares


def twins(labelled: LabelledHands) -> dict[str, float]:
    """Return how often players bid hands of the same lengths and points differently.

    The figures are the pairs of such hands, the percent of them that were bid differently, and the
    same for pairs of which at least one was opened. Suppose that players take the best call except
    on a share e of the hands, where they take one other. Then a pair differs with chance
    2 e (1 - e). This gives ``ceiling_percent``, the best percent for a bidder who knows lengths
    and points. It is no more than an estimate: honours are ignored, and hands with twins are the
    common ones.
    """
    lengths = labelled.hands.reshape(-1, 4, 13).sum(axis=2)
    keys = np.column_stack([lengths, evaluate("hcp", labelled.hands).astype(np.int64)])
    group = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    calls = np.array(labelled.calls)
    first, second = np.triu_indices(len(labelled), 1)
    pairs = group[first] == group[second]
    ours, theirs = calls[first[pairs]], calls[second[pairs]]
    differ, opened = ours != theirs, (ours != PASS) | (theirs != PASS)
    share = float(differ.mean())
    return {
        "pairs": int(pairs.sum()),
        "differ_percent": 100 * share,
        "opened_pairs": int(opened.sum()),
        "opened_differ_percent": 100 * float(differ[opened].mean()),
        "ceiling_percent": 50 * (1 + float(np.sqrt(max(1 - 2 * share, 0)))),
    }


def as_bid(system: OpeningSystem, labelled: LabelledHands) -> HeldOut:
    """Return the answers of a system that needs no training, for labelled hands."""
    chances = system.probabilities(labelled.hands).astype(np.float64)
    return HeldOut(system.calls, chances, labelled.calls)


def write_shipped(labelled: LabelledHands, folder: Path) -> dict[str, Any]:
    """Train ``polish-club`` on all hands, write it, and return the metadata of its file.

    ``cross_validated`` are figures of rules that were written with these hands known,
    ``cross_validated_book`` those of the book's rules, taught in the same way.
    """
    system = shaded(labelled)
    for name, rules in (("cross_validated", RULES), ("cross_validated_book", BOOK)):
        figures = cross_validate(labelled, rules=rules).figures()
        system.about[name] = {figure: round(value, 4) for figure, value in figures.items()}
    sha256 = hashlib.sha256(rule_file(RULES).read_bytes()).hexdigest()
    save_shading(folder / "polish-club.json", system, sha256)
    note_checksum(folder / "polish-club.json")
    return system.about
