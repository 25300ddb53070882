"""The result of an estimate: a distribution over tricks for every strain and declarer."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cards import (
    COUNTS,
    TABLE,
    Grid,
    LabelledArray,
    OneOrMany,
    Seat,
    Strain,
    TrickChances,
    cell_columns,
    chance_columns,
    whole_percent,
)
from ..cards.columns import Columns
from .files import are_distributions


class TrickEstimate(OneOrMany, TrickChances):
    """Hold the estimated tricks of declarer's side, for one deal or many.

    ``estimate.expected["H", "N"]`` is the mean number of tricks in hearts declared by North, or an
    array of n; ``tricks`` and ``probabilities`` take names too. ``estimate[3]`` and
    ``estimate[2:5]`` are the estimates of those deals.

    Args:
        probabilities: Probability of 0 to 13 tricks, shape (…, 5, 4, 14), float32. They sum to 1
            within a thousandth.
        tricks: Likeliest number of tricks, shape (…, 5, 4), uint8.
        solved: Whether a result was solved instead, shape (…, 5, 4), bool. Default: none.

    Raises:
        ValueError: Shapes differ, or a result has no such probabilities.

    Example:
        >>> estimated = tc.estimate(tc.random_deals(5, seed=1))
        >>> estimated.tricks["N", "S"].shape, estimated[3].expected.shape, len(estimated[2:5])
        ((5,), (5, 4), 3)
        >>> estimated[3].making("1N", by="S") > estimated[3].making("7N", by="S")
        True
    """

    named = ("estimate", "deal", "deals")
    axes, example = 2, 'tricks["H", "N"]'

    probabilities: LabelledArray
    """(5, 4, 14) or (n, 5, 4, 14) float32: strains S H D C N, declarers N E S W, 0 … 13 tricks."""
    tricks: LabelledArray
    """(5, 4) or (n, 5, 4) uint8, the single count that the model names."""

    def __init__(
        self,
        probabilities: ArrayLike,
        tricks: ArrayLike,
        solved: ArrayLike | None = None,
    ):
        probabilities, tricks = np.asarray(probabilities), np.asarray(tricks)
        solved = None if solved is None else np.asarray(solved)
        if probabilities.shape[-3:] != (5, 4, 14) or tricks.shape != probabilities.shape[:-1]:
            raise ValueError(
                f"probabilities of shape {probabilities.shape} with tricks of shape "
                f"{tricks.shape} (expected (…, 5, 4, 14) with (…, 5, 4))"
            )
        if solved is not None and solved.shape != tricks.shape:
            raise ValueError(f"solved of shape {solved.shape} with tricks of shape {tricks.shape}")
        if not are_distributions(probabilities):
            raise ValueError(
                f"probabilities from {probabilities.min():.3g} to {probabilities.max():.3g} "
                "(expected fourteen for each result, 0 or more, that sum to 1)"
            )
        self._set(probabilities, tricks, solved)

    @classmethod
    def _trusted(
        cls,
        probabilities: NDArray[np.float32],
        tricks: NDArray[np.uint8],
        solved: NDArray[np.bool_] | None,
    ) -> "TrickEstimate":
        estimates = object.__new__(cls)
        estimates._set(probabilities, tricks, solved)
        return estimates

    def _set(
        self,
        probabilities: NDArray[np.float32],
        tricks: NDArray[np.uint8],
        solved: NDArray[np.bool_] | None,
    ) -> None:
        self.probabilities = LabelledArray(probabilities, (*TABLE, None))
        self.tricks = LabelledArray(tricks, TABLE)
        self._solved = solved

    @cached_property
    def solved(self) -> LabelledArray:
        """(5, 4) or (n, 5, 4) bool, the results that were solved instead of estimated."""
        solved = np.broadcast_to(np.False_, self.tricks.shape)
        return LabelledArray(solved if self._solved is None else self._solved, TABLE)

    @cached_property
    def expected(self) -> LabelledArray:
        """(5, 4) or (n, 5, 4) float32, the mean of the distribution."""
        return LabelledArray((self.probabilities @ COUNTS).astype(np.float32), TABLE)

    @property
    def numbers(self) -> NDArray[np.uint8]:
        """The tricks."""
        return self.tricks

    def part(self, index: Any) -> "TrickEstimate":
        """Return the estimates of one or some of many deals."""
        solved = None if self._solved is None else self._solved[index]
        return TrickEstimate._trusted(self.probabilities[index], self.tricks[index], solved)

    def columns(self) -> Columns:
        """Return ``deal`` (its index), ``strain``, ``declarer``, ``tricks``, ``expected``,
        ``solved`` and the chances ``p0`` … ``p13``.
        """
        every = self.part(None) if self.single else self
        cells = {name: getattr(every, name) for name in ("tricks", "expected", "solved")}
        return cell_columns("deal", "NESW", cells | chance_columns(every.probabilities))

    def text(self) -> str:
        """Draw the estimate of one deal."""
        grid = Grid(lambda *cell: "{:>5}{:>5}".format(*self._mean_and_chance(*cell)))
        return grid.text(margin=2, width=10)

    def html(self) -> str:
        """Draw the estimate of one deal as HTML."""
        from html import escape  # late import: its table of characters is needed only here

        grid = Grid(
            lambda *cell: "{} <small>{}</small>".format(*map(escape, self._mean_and_chance(*cell)))
        )
        return grid.html("expected tricks")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TrickEstimate)
            and np.array_equal(self.tricks, other.tricks)
            and np.array_equal(self.probabilities, other.probabilities)
            and np.array_equal(self.solved, other.solved)
        )

    def __hash__(self) -> int:
        return hash((self.tricks.shape, self.tricks.astype(np.uint8).tobytes()))

    def _mean_and_chance(self, strain: Strain, seat: Seat) -> tuple[str, str]:
        if self.solved[strain, seat]:
            return str(self.tricks[strain, seat]), "="
        chance = whole_percent(float(self.probabilities[strain, seat].max()))
        return f"{self.expected[strain, seat]:.1f}", chance
