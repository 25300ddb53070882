"""Does this contract make? One search a layout, where counting its tricks takes several."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat
from ..scoring import Contract
from ..solver import makes_batches
from .choice import doubt_of
from .controls import Floats, Means, means
from .layouts import Layouts
from .outcomes import Result, Value, Worth, strain_of, values
from .run import Measure
from .texts import percent_text, wrapped


class Making(Measure):
    """Whether a contract makes, of each layout."""

    empty = np.empty(0, dtype=np.bool_)
    usual_cost = 0.004

    def __init__(self, bid: Contract, by: Seat):
        self.bid, self.by = bid, by
        self.cells = [(strain_of(bid), by)]

    def solve(self, owners: NDArray[np.uint8], workers: int | None) -> Iterator[NDArray[np.bool_]]:
        """Yield whether it makes, (m,) bool."""
        return makes_batches(owners, strain_of(self.bid), self.by, self.bid.tricks, workers=workers)

    def means(
        self, exact: NDArray[np.bool_], estimates: NDArray[np.float32] | None, chance: Floats | None
    ) -> Means:
        """Return the chance."""
        estimated = None
        if estimates is not None:
            estimated = estimates[:, :, self.bid.tricks :].sum(axis=2, dtype=float)
        taken = exact[:, None].astype(float)
        return means(taken, estimated, unit=1.0, chance=chance, effect=self.effect)

    def doubts(self, estimates: NDArray[np.float32]) -> Floats:
        """Return the doubt whether it makes."""
        made = np.arange(14) >= self.bid.tricks
        return doubt_of(estimates, made[:, None].astype(float))

    def half_widths(self, estimated: Means) -> Floats:
        """Return half its interval."""
        _, low, high = estimated.chances()
        return (high - low) / 2


class ContractChance(Result):
    """Results of ``contract_chance``: print it, or take ``making()``."""

    contract: Contract
    by: Seat
    made: NDArray[np.bool_]
    """(solved,) bool, whether the contract makes on the first layouts of ``deals``, the solved."""

    def __init__(self, layouts: Layouts, measure: Making):
        super().__init__(layouts)
        self.contract, self.by = measure.bid, measure.by
        self.made = layouts.exact
        self._measure, self._probabilities = measure, layouts.probabilities

    @cached_property
    def _means(self) -> Means:
        return self._measure.means(self.made, self._probabilities, self.chance)

    def making(self) -> Value:
        """Return the chance to make it: (probability, low, high)."""
        return values(self._means.chances())[0]

    @property
    def worth(self) -> Worth:
        """What the network was worth."""
        effective = self._means.effective
        explained, saving = self._means.explained, self.saved(effective)
        return Worth(float(explained[0]), float(effective[0]), float(saving[0]), cells=1)

    def __repr__(self) -> str:
        return f"<ContractChance of {self.contract} by {self.by}, {self.solved:,} layouts solved>"

    def __str__(self) -> str:
        making = f"makes {percent_text(self.making())}"
        lines = [self.headline, f"{self.contract} by {self.by.word}", making]
        return "\n".join(lines + wrapped(self.notes))
