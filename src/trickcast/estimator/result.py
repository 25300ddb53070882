"""What an estimate gives: a distribution over tricks for every strain and declarer."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import PRINTED_SEATS, PRINTED_STRAINS, Seat, Strain

_SHOWN = 10  # deals of a large estimate that are printed


class TrickEstimate:
    """Estimated tricks of the declarer's side, for one deal or for many.

    ``estimate["H", "N"]`` is the estimated count for hearts declared by North (an array where
    there are many deals), ``estimate[3]`` and ``estimate[2:5]`` the estimates of those deals.
    Prints as a table: expected tricks, and the chance of the likeliest count in percent; ``=``
    stands for that of an exact result.
    """

    probabilities: NDArray[np.float32]
    """(5, 4, 14) or (n, 5, 4, 14) float32: strains S H D C N, declarers N E S W, 0 … 13 tricks."""
    tricks: NDArray[np.uint8]
    """(5, 4) or (n, 5, 4) uint8, the one count that the model names."""

    exact: NDArray[np.bool_]
    """(5, 4) or (n, 5, 4) bool, the results that were solved and not estimated."""

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
        if exact is None:
            exact = np.broadcast_to(np.False_, tricks.shape)
        elif exact.shape != tricks.shape:
            raise ValueError(f"exact of shape {exact.shape} with tricks of shape {tricks.shape}")
        self.tricks = tricks
        self.exact = exact

    @cached_property
    def expected(self) -> NDArray[np.float32]:
        """(5, 4) or (n, 5, 4) float32, the mean of the distribution."""
        return (self.probabilities @ np.arange(14, dtype=np.float32)).astype(np.float32)

    @property
    def _single(self) -> bool:
        return self.tricks.ndim == 2

    def __len__(self) -> int:
        if self._single:
            raise TypeError("the estimate of one deal has no length")
        return len(self.tricks)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            strain, seat = key
            cell = self.tricks[..., Strain.parse(strain), Seat.parse(seat)]
            return int(cell) if self._single else cell
        if self._single:
            raise TypeError('the estimate of one deal is indexed as estimate["H", "N"]')
        return TrickEstimate(self.probabilities[key], self.tricks[key], self.exact[key])

    def _cell(self, strain: Strain, seat: Seat) -> tuple[str, str]:
        if self.exact[strain, seat]:
            return str(self.tricks[strain, seat]), "="
        chance = 100 * self.probabilities[strain, seat].max()
        return f"{self.expected[strain, seat]:.1f}", f"{chance:.0f}%"

    def __str__(self) -> str:
        if not self._single:
            shown = [str(self[i]) for i in range(min(len(self), _SHOWN))]
            return "\n\n".join(shown + ["…"] * (len(self) > _SHOWN))
        lines = ["  " + "".join(f"{strain.symbol:>10}" for strain in PRINTED_STRAINS)]
        for seat in PRINTED_SEATS:
            cells = (self._cell(strain, seat) for strain in PRINTED_STRAINS)
            lines.append(f"{seat:<2}" + "".join(f"{mean:>5}{chance:>5}" for mean, chance in cells))
        return "\n".join(lines)

    def __repr__(self) -> str:
        what = "one deal" if self._single else f"{len(self):,} deals"
        return f"<TrickEstimate of {what}>"

    def _repr_html_(self) -> str:
        if not self._single:
            return f"<p>{repr(self)[1:-1]}</p>"
        head = "".join(f"<th>{strain.symbol}</th>" for strain in PRINTED_STRAINS)
        rows = "".join(
            f"<tr><th>{seat}</th>"
            + "".join(
                "<td>{} <small>{}</small></td>".format(*self._cell(strain, seat))
                for strain in PRINTED_STRAINS
            )
            + "</tr>"
            for seat in PRINTED_SEATS
        )
        return f"<table><tr><th></th>{head}</tr>{rows}</table>"
