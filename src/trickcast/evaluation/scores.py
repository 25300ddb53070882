"""How good estimates are, as in the papers: percentage within two tricks | within one | exact."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cards import UNKNOWN, Strain

UNSOLVED = (
    "no known tricks to compare with (solve them first with trickcast.solve(deals), or trickcast "
    "convert IN OUT --solve)"
)


@dataclass(frozen=True, slots=True)
class Score:
    """Percent of results estimated within two tricks, within one, and exactly."""

    within_2: float
    within_1: float
    exact: float
    n: int
    """Number of results compared."""

    def __str__(self) -> str:
        return f"{self.within_2:.2f} | {self.within_1:.2f} | {self.exact:.2f}"


def compare(estimated: ArrayLike, tricks: ArrayLike) -> Score:
    """Compare estimated tricks with the real ones.

    Args:
        estimated: Estimated tricks, an array of any shape.
        tricks: Real tricks, the same shape, all known.

    Returns:
        A Score: percent of results within two tricks, within one, and exact.

    Raises:
        ValueError: Shapes differ, there is nothing to compare, or a number is not whole.

    Example:
        >>> from trickcast import evaluation
        >>> print(evaluation.compare([9, 10, 7, 4], [9, 9, 9, 9]))
        75.00 | 50.00 | 25.00
    """
    ours, real = np.asarray(estimated), _results(tricks)
    if ours.shape != real.shape or not ours.size:
        raise ValueError(f"estimates of shape {ours.shape} and tricks of shape {real.shape}")
    ours, real = _whole(ours, "estimates"), _whole(real, "tricks")
    off = np.abs(ours - real)
    within_2, within_1, exact = (100 * float((off <= k).mean()) for k in (2, 1, 0))
    return Score(within_2, within_1, exact, off.size)


def score(estimated: ArrayLike, tricks: ArrayLike) -> dict[str, Score]:
    """Compare estimated tricks with the real ones, strain by strain.

    Args:
        estimated: Estimated tricks, shape (…, 5, 4).
        tricks: Real tricks, shape (…, 5, 4); 255 for unknown results, which are left out.

    Returns:
        A Score for each strain, ``"S"`` to ``"N"``, over all declarers, and for ``"suits"``, the
        four suits together.

    Raises:
        ValueError: Shapes differ, no result is known, or a number is not whole.

    Example:
        >>> from trickcast import evaluation
        >>> deals = tc.random_deals(2, seed=1)
        >>> print(evaluation.score(tc.estimate(deals).tricks, tc.solve(deals).tricks)["suits"].n)
        32
    """
    ours, real = np.asarray(estimated), _results(tricks)
    if ours.shape != real.shape or real.shape[-2:] != (5, 4):
        raise ValueError(
            f"estimates of shape {ours.shape} and tricks of shape {real.shape} "
            "(expected (…, 5, 4) of both)"
        )
    known = real != UNKNOWN
    if not known.any():
        raise ValueError(UNSOLVED)
    parts = {strain.letter: [int(strain)] for strain in Strain} | {"suits": [0, 1, 2, 3]}
    scores = {}
    for name, strains in parts.items():
        chosen = known[..., strains, :]
        if chosen.any():
            scores[name] = compare(ours[..., strains, :][chosen], real[..., strains, :][chosen])
    return scores


def _results(tricks: ArrayLike | None) -> NDArray[Any]:
    """Return real tricks as an array. Raises ValueError for None, those of unsolved deals."""
    if tricks is None:
        raise ValueError(UNSOLVED)
    return np.asarray(tricks)


def _whole(numbers: NDArray[Any], name: str) -> NDArray[np.int64]:
    """Return numbers of tricks as integers. Raises ValueError if that would change one."""
    with np.errstate(invalid="ignore"):  # what is not finite
        whole = numbers.astype(np.int64)
    changed = numbers[whole != numbers]
    if changed.size:
        raise ValueError(
            f"{name} hold {changed[0]!s} (expected whole numbers of tricks; round means with "
            "numpy.rint)"
        )
    return whole
