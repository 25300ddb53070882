"""Simulate whether a contract makes: one search a layout, where counting tricks takes several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    """Whether a contract makes in each layout, by one declarer or by either of a side."""

    usual_cost = 0.004

    def __init__(self, bid: Contract, declarers: Sequence[Seat]):
        self.bid, self.declarers = bid, declarers
        self.cells = [(strain_of(bid), by) for by in declarers]
        self.empty = np.empty((0, len(declarers)), dtype=np.bool_)

    def solve(self, owners: NDArray[np.uint8], workers: int | None) -> Iterator[NDArray[np.bool_]]:
        """Yield whether it makes, (m, declarers) bool."""
        made = (
            makes_batches(owners, strain, by, self.bid.tricks, workers=workers)
            for strain, by in self.cells
        )
        for batch in zip(*made, strict=True):
            yield np.stack(batch, axis=1)

    def means(
        self, exact: NDArray[np.bool_], estimates: NDArray[np.float32] | None, chance: Floats | None
    ) -> Means:
        """Return the chance by each declarer."""
        estimated = None
        if estimates is not None:
            estimated = estimates[:, :, self.bid.tricks :].sum(axis=2, dtype=float)
        return means(exact.astype(float), estimated, unit=1.0, chance=chance, effect=self.effect)

    def doubts(self, estimates: NDArray[np.float32]) -> Floats:
        """Return the doubt about whether it makes."""
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
    """The declarer; if two were possible, the better one, or the first of equals."""
    made: NDArray[np.bool_]
    """(solved,) bool, whether the contract makes in each of the first ``solved`` layouts."""

    def __init__(self, layouts: Layouts, measure: Making):
        super().__init__(layouts)
        self._probabilities = layouts.probabilities
        self._means = measure.means(layouts.exact, self._probabilities, self.chance)
        self._column = int(self._means.mean.argmax())
        self.contract, self.by = measure.bid, measure.declarers[self._column]
        self.made = layouts.exact[:, self._column]

    def making(self) -> Value:
        """Return the chance to make it: (probability, low, high)."""
        return values(self._means.chances())[self._column]

    @property
    def worth(self) -> Worth:
        """What the network was worth."""
        effective = self._means.effective
        explained, saving = self._means.explained, self.saved(effective)
        column = self._column
        return Worth(
            float(explained[column]), float(effective[column]), float(saving[column]), cells=1
        )

    def __repr__(self) -> str:
        return f"<ContractChance of {self.contract} by {self.by}, {self.solved:,} layouts solved>"

    def __str__(self) -> str:
        making = f"makes {percent_text(self.making())}"
        lines = [self.headline, f"{self.contract} by {self.by.word}", making]
        return "\n".join(lines + wrapped(self.notes))
