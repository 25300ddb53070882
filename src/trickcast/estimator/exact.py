"""Decide results that a network is unsure of, with few DDS searches.

Most doubt is between two neighbouring counts. One search with the right target decides
between them for less than half the cost of finding the count. A side's two declarers nearly
always take equally many tricks, so a result for one tells about the other.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import Strain
from ..cards.sizes import COUNTS, SEATS, STRAINS
from ..solver import search_batches, solve_strain_batches

_WHOLE_FROM = 0.995
"""Bound from which a strain is solved for its four declarers, who share the work: reaching it by
searches would take as many (`python benchmarks/knob.py`)."""
_APART = 3.5
"""How much the log-chance of a difference between partners' tricks falls per trick,
before both estimates are matched; the likeliest of 0.5-steps on 4,096 validation deals
(`python benchmarks/knob.py --coupling`)."""
_PASSES = 15
"""Iterations over a joint distribution to match both estimates."""
_NEVER_NOTHING = 1e-9

_Floats = NDArray[np.float32]


class Decided(NamedTuple):
    """What is known after the searches."""

    exact: NDArray[np.bool_]
    """(n, 5, 4): results that are certain, not just sure enough."""
    searches: int
    """Number of DDS searches used; a strain solved whole counts as none."""


def decide(
    owners: NDArray[np.uint8],
    probabilities: _Floats,
    tricks: NDArray[np.uint8],
    sure: float,
    threads: int | None,
) -> Decided:
    """Make every result at least this ``sure``, in place.

    Searches results whose likeliest count has a lower probability, until it is high enough;
    the partner's estimate is updated too. ``owners`` is (n, 52), ``probabilities`` (n, 5, 4, 14),
    ``tricks`` (n, 5, 4).
    """
    unsure = probabilities.max(axis=-1) < sure
    if sure >= _WHOLE_FROM:
        return Decided(_solve_strains(owners, probabilities, tricks, unsure, threads), 0)
    # (n, 5, 2, 2): North and South, East and West
    sides = _by_sides(unsure).any(axis=-1)
    deals, strains, first = np.nonzero(sides)
    partners = _by_sides(probabilities)[sides]
    doubts = Doubts(partners[:, 0], partners[:, 1])
    searches = 0
    while len(rows := doubts.left(sure)):
        asked = doubts.questions(rows, sure)
        whose, least = asked
        declarers = first[rows] + 2 * whose
        questions = np.stack([strains[rows], declarers, least], axis=1)
        batches = search_batches(owners[deals[rows]], questions, workers=threads)
        doubts.learn(rows, asked, np.concatenate([*batches]))
        searches += len(rows)
    exact = np.zeros(unsure.shape, dtype=np.bool_)
    for partner, chances in enumerate(doubts.each()):
        at = deals, strains, first + 2 * partner
        likeliest, known = chances.argmax(axis=-1), doubts.known[:, partner]
        chances[known] = np.eye(COUNTS, dtype=np.float32)[likeliest[known]]
        probabilities[at], tricks[at], exact[at] = chances, likeliest, known
    return Decided(exact, searches)


def coupled(one: _Floats, other: _Floats, apart: float = _APART) -> _Floats:
    """Return the joint distribution of partners' tricks, (m, 14, 14), from both estimates, (m, 14).

    Among distributions with these marginals it is the nearest to one that falls by the factor
    exp(-apart) with every trick between partners (iterative proportional fitting; Deming and
    Stephan, 1940).
    """
    counts = np.arange(COUNTS)
    nearness = np.exp(-apart * np.abs(counts[:, None] - counts)).astype(np.float32)
    joint = np.broadcast_to(nearness, (len(one), COUNTS, COUNTS)).copy()
    for _ in range(_PASSES):
        joint *= (one / np.maximum(joint.sum(2), _NEVER_NOTHING))[:, :, None]
        joint *= (other / np.maximum(joint.sum(1), _NEVER_NOTHING))[:, None, :]
    possible: _Floats = np.maximum(joint, _NEVER_NOTHING * nearness)
    return possible


class Doubts:
    """The joint distributions of two partners' tricks, for m sides, narrowed by searches."""

    def __init__(self, one: _Floats, other: _Floats):
        self._joint = coupled(one, other)
        self._bounds = np.tile(np.array([0, COUNTS - 1]), (len(one), 2, 1))  # fewest, most

    @property
    def known(self) -> NDArray[np.bool_]:
        """(m, 2) whether the searches have left a single number of tricks."""
        alone: NDArray[np.bool_] = self._bounds[..., 0] == self._bounds[..., 1]
        return alone

    def each(self, rows: NDArray[np.intp] | slice = slice(None)) -> tuple[_Floats, _Floats]:
        """Return the distributions of both declarers, (m, 14) each."""
        joint = self._joint[rows]
        total = joint.sum((1, 2))[:, None]
        return joint.sum(2) / total, joint.sum(1) / total

    def left(self, sure: float) -> NDArray[np.intp]:
        """Return the rows with a declarer whose tricks are less sure than this."""
        return np.flatnonzero((np.stack(self.each()).max(-1) < sure).any(0))

    def questions(
        self, rows: NDArray[np.intp], sure: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return which declarer, 0 or 1, to ask about in each row, and for how many tricks.

        The question whose answer is closest to even is the most informative.
        """
        chances = np.stack(self.each(rows), axis=1)  # (m, 2, 14)
        at_least = chances[..., ::-1].cumsum(-1)[..., ::-1]
        unevenness = np.abs(at_least - 0.5)[..., 1:]  # "0 or more" is not a question
        unevenness[chances.max(-1) >= sure] = 1
        whose, least = np.divmod(unevenness.reshape(len(rows), -1).argmin(1), COUNTS - 1)
        return whose, least + 1

    def learn(
        self,
        rows: NDArray[np.intp],
        asked: tuple[NDArray[np.intp], NDArray[np.intp]],
        answers: NDArray[np.bool_],
    ) -> None:
        """Update by whether each side takes so many tricks."""
        whose, least = asked
        possible = (np.arange(COUNTS) >= least[:, None]) == answers[:, None]
        of_one = (whose == 0)[:, None, None]
        self._joint[rows] *= np.where(of_one, possible[:, :, None], possible[:, None, :])
        self._bounds[rows[answers], whose[answers], 0] = least[answers]
        self._bounds[rows[~answers], whose[~answers], 1] = least[~answers] - 1


def _solve_strains(
    owners: NDArray[np.uint8],
    probabilities: _Floats,
    tricks: NDArray[np.uint8],
    unsure: NDArray[np.bool_],
    threads: int | None,
) -> NDArray[np.bool_]:
    """Solve each strain with an unsure declarer for all four; strains share no work."""
    exact = np.broadcast_to(unsure.any(axis=-1, keepdims=True), unsure.shape).copy()
    for strain in Strain:
        rows = np.flatnonzero(exact[:, strain, 0])
        tables = [*solve_strain_batches(owners[rows], strain, workers=threads)]
        if tables:
            tricks[rows, strain] = np.concatenate(tables)
    probabilities[exact] = np.eye(COUNTS, dtype=np.float32)[tricks[exact]]
    return exact


def _by_sides(of_declarers: NDArray[Any]) -> NDArray[Any]:
    """Turn (n, 5, 4, …) by declarers N E S W into (n, 5, 2, 2, …) by sides and their declarers."""
    shape = (-1, STRAINS, 2, SEATS // 2, *of_declarers.shape[3:])
    return of_declarers.reshape(shape).swapaxes(2, 3)
