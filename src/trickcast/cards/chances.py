"""The chance of so many tricks, asked of every result in the same words."""

from typing import Any

import numpy as np

from .enums import Seat, Strain
from .errors import DealError
from .labelled import LabelledArray
from .text import parse_contract

COUNTS = np.arange(14, dtype=np.float32)
"""The tricks of a distribution's last axis."""
BOOK = 6
"""Tricks that a side takes before any counts."""


class TrickChances:
    """What all results with a distribution of tricks can be asked."""

    __slots__ = ()

    probabilities: LabelledArray
    """(…, 14) float32, 0 … 13 tricks; the axes before the last are the result's strains, seats."""

    def making(self, contract: object, by: str | Seat | None = None) -> Any:
        """Return the chance that a contract makes: ``making("4H", by="N")``.

        A float, or an array of one for each deal. Without ``by`` it is the Contract's own declarer,
        or an array of all. Doubling changes nothing. Raises DealError for an invalid
        contract or seat.
        """
        level, strain, _ = parse_contract(str(contract))
        by = getattr(contract, "by", None) if by is None else by
        if strain is None:
            raise DealError("a passed-out board is not played (expected a contract, such as 4H)")
        return self.at_least(level + BOOK, strain, by)

    def at_least(
        self, tricks: Any, strain: str | Strain | None = None, by: str | Seat | None = None
    ) -> Any:
        """Return the chance of so many tricks or more: ``at_least(10, "H", "N")``.

        Without ``strain`` or ``by``, an array of all strains or declarers. Raises DealError for
        what is not a strain or a seat.
        """
        reached = np.asarray(tricks)[..., None] <= COUNTS
        names = self.probabilities.names[:-1]
        chances = LabelledArray((self.probabilities * reached).sum(-1, dtype=np.float32), names)
        asked = dict(zip((Strain, Seat), (strain, by), strict=True))
        return chosen(chances, [asked[name] for name in names if name is not None])


def chosen(array: LabelledArray, names: list[Any]) -> Any:
    """Return the cells of these names; None stands for all of an axis."""
    if any(name is not None for name in names):
        return array[(..., *(slice(None) if name is None else str(name) for name in names))]
    return array if array.ndim else array.item()
