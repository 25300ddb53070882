"""What an estimate gives: a distribution over tricks for every strain and declarer."""

from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Grid, Seat, Strain, cell_columns, chance_columns, whole_percent
from ..cards.columns import Columns
from ..cards.table import Tricks


class TrickEstimate(Tricks):
    """Estimated tricks of the declarer's side, for one deal or for many.

    ``estimate["H", "N"]`` is the estimated count for hearts declared by North (an array where
    there are many deals), ``estimate[3]`` and ``estimate[2:5]`` the estimates of those deals.
    Prints as a table: expected tricks, and the chance of the likeliest count in percent; ``=``
    stands for that of an exact result.

    >>> estimated = tc.estimate(tc.random_deals(5, seed=1))
    >>> estimated["N", "S"].shape, estimated[3].expected.shape, len(estimated[2:5])
    ((5,), (5, 4), 3)
    """

    named = ("estimate", "deal", "deals")

    probabilities: NDArray[np.float32]
    """(5, 4, 14) or (n, 5, 4, 14) float32: strains S H D C N, declarers N E S W, 0 … 13 tricks."""
    tricks: NDArray[np.uint8]
    """(5, 4) or (n, 5, 4) uint8, the one count that the model names."""

    def __init__(
        self,
        probabilities: NDArray[np.float32],
        tricks: NDArray[np.uint8],
        exact: NDArray[np.bool_] | None = None,
    ):
        if probabilities.shape[-3:] != (5, 4, 14) or tricks.shape != probabilities.shape[:-1]:
            raise ValueError(
                f"probabilities of shape {probabilities.shape} with tricks of shape "
                f"{tricks.shape} (expected (…, 5, 4, 14) with (…, 5, 4))"
            )
        self.probabilities = probabilities
        if exact is not None and exact.shape != tricks.shape:
            raise ValueError(f"exact of shape {exact.shape} with tricks of shape {tricks.shape}")
        self.tricks = tricks
        self._exact = exact

    @cached_property
    def exact(self) -> NDArray[np.bool_]:
        """(5, 4) or (n, 5, 4) bool, the results that were solved and not estimated."""
        return np.broadcast_to(np.False_, self.tricks.shape) if self._exact is None else self._exact

    @cached_property
    def expected(self) -> NDArray[np.float32]:
        """(5, 4) or (n, 5, 4) float32, the mean of the distribution."""
        return (self.probabilities @ np.arange(14, dtype=np.float32)).astype(np.float32)

    def part(self, index: Any) -> "TrickEstimate":
        """Return the estimate of one deal of many, or of some."""
        exact = None if self._exact is None else self._exact[index]
        return TrickEstimate(self.probabilities[index], self.tricks[index], exact)

    def columns(self) -> Columns:
        """Return ``deal`` (its index), ``strain``, ``declarer``, ``tricks``, ``expected``,
        ``exact`` and the chances ``p0`` … ``p13``.
        """
        every = self.part(None) if self.single else self
        cells = {name: getattr(every, name) for name in ("tricks", "expected", "exact")}
        return cell_columns("deal", "NESW", cells | chance_columns(every.probabilities))

    def text(self) -> str:
        """Draw the estimate of one deal."""
        grid = Grid(lambda *cell: "{:>5}{:>5}".format(*self._mean_and_chance(*cell)))
        return grid.text(margin=2, width=10)

    def html(self) -> str:
        """Draw the same as HTML."""
        grid = Grid(
            lambda *cell: "{} <small>{}</small>".format(*map(escape, self._mean_and_chance(*cell)))
        )
        return grid.html("expected tricks")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TrickEstimate)
            and np.array_equal(self.tricks, other.tricks)
            and np.array_equal(self.probabilities, other.probabilities)
            and np.array_equal(self.exact, other.exact)
        )

    def __hash__(self) -> int:
        return hash((self.tricks.shape, self.tricks.astype(np.uint8).tobytes()))

    def _mean_and_chance(self, strain: Strain, seat: Seat) -> tuple[str, str]:
        if self.exact[strain, seat]:
            return str(self.tricks[strain, seat]), "="
        chance = whole_percent(float(self.probabilities[strain, seat].max()))
        return f"{self.expected[strain, seat]:.1f}", chance
