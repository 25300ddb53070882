"""Polish Club openings, the 1,000 labelled hands of BridgeHand2Vec 2023 (section 3.1, Table 9).

The labelled hands belong to their authors: every function takes them as ``read_labelled`` gives
them. The rules of ``polish-club-rules`` were written by people who had read these very hands, so
figures of anything built on the rules are of hands that the rules knew.
"""

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..openings import (
    LabelledHands,
    OpeningSystem,
    RuleSystem,
    SoftRuleSystem,
    fit_shading,
    load,
    rule_file,
)
from ..openings.shipped import note_checksum
from ..openings.softrules import save_shading

FOLDS = 10
_BINS = (0.0, 0.6, 0.8, 0.95, 1.0)
RULES = "polish-club-rules"


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What models said of labelled hands that they were not trained on."""

    calls: tuple[str, ...]
    probabilities: NDArray[np.float64]
    """(n, len(calls))."""
    labels: tuple[str, ...]

    def _hits(self) -> NDArray[np.bool_]:
        bids = np.array(self.calls)[self.probabilities.argmax(axis=1)]
        hits: NDArray[np.bool_] = bids == np.array(self.labels)
        return hits

    def figures(self) -> dict[str, float]:
        """Return the percent right with one call and with two, and the mean log loss.

        A call that the model never makes costs as much as a probability of 1 in 10,000. The last
        two mean something for a model that gives more than one call a chance.
        """
        order = np.argsort(-self.probabilities, axis=1)
        places = [self.calls.index(c) if c in self.calls else -1 for c in self.labels]
        given = [
            self.probabilities[i, place] if place >= 0 else 1e-4 for i, place in enumerate(places)
        ]
        two = [place in row[:2] for place, row in zip(places, order, strict=True)]
        return {
            "percent": 100 * float(self._hits().mean()),
            "percent_of_two": 100 * float(np.mean(two)),
            "log_loss": -float(np.log(np.maximum(given, 1e-4)).mean()),
        }

    def calibration(self) -> list[dict[str, float]]:
        """Return, by the probability of the likeliest call, what was stated and what was right."""
        stated, right = self.probabilities.max(axis=1), self._hits()
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


def rules_system() -> RuleSystem:
    """Return the Polish Club rules."""
    rules = load(RULES)
    assert isinstance(rules, RuleSystem)
    return rules


def shaded(labelled: LabelledHands, rows: NDArray[np.int64] | None = None) -> SoftRuleSystem:
    """Train ``polish-club`` on labelled hands, or on those of some rows."""
    index = np.arange(len(labelled)) if rows is None else rows
    rules = rules_system()
    calls = [labelled.calls[i] for i in index]
    shading = fit_shading(rules, labelled.hands[index], calls)
    about = {"name": "polish-club", "title": "Polish Club as players bid it", "hands": len(index)}
    return SoftRuleSystem(rules, shading, about)


def split(n: int, folds: int, seed: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the rows to train on and those held out of each fold; ``seed`` mixes the rows."""
    order = np.random.default_rng(seed).permutation(n)
    return [(np.setdiff1d(order, order[fold::folds]), order[fold::folds]) for fold in range(folds)]


def cross_validate(labelled: LabelledHands, folds: int = FOLDS, seed: int = 1) -> HeldOut:
    """Return what ``polish-club`` says of each hand, trained on the hands of the other folds."""
    calls = rules_system().calls
    found = np.zeros((len(labelled), len(calls)))
    for training, held_out in split(len(labelled), folds, seed):
        system = shaded(labelled, training)
        found[held_out] = system.probabilities(labelled.hands[held_out])
    return HeldOut(calls, found, labelled.calls)


def as_bid(system: OpeningSystem, labelled: LabelledHands) -> HeldOut:
    """Return what a system that needs no training says of labelled hands."""
    chances = system.probabilities(labelled.hands).astype(np.float64)
    return HeldOut(system.calls, chances, labelled.calls)


def disagreements(system: OpeningSystem, labelled: LabelledHands) -> dict[tuple[str, str], int]:
    """Count (call of the system, call of the players) where they differ, most frequent first."""
    counts: dict[tuple[str, str], int] = {}
    for ours, theirs in zip(system.bid(labelled.hands), labelled.calls, strict=True):
        if ours != theirs:
            counts[ours, theirs] = counts.get((ours, theirs), 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def write_shipped(labelled: LabelledHands, folder: Path) -> dict[str, Any]:
    """Train ``polish-club`` on all hands, write it, and return what the file says of itself."""
    system = shaded(labelled)
    figures = cross_validate(labelled).figures()
    system.about["cross_validated"] = {name: round(value, 4) for name, value in figures.items()}
    sha256 = hashlib.sha256(rule_file(RULES).read_bytes()).hexdigest()
    save_shading(folder / "polish-club.json", system, sha256)
    note_checksum(folder / "polish-club.json")
    return system.about
