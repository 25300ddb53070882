"""The chance of a number of tricks, with the same methods for every kind of result."""

from typing import Any

import numpy as np

from .enums import Seat, Strain
from .errors import DealError, shorten
from .labelled import LabelledArray
from .text import declarer_of, parse_contract

COUNTS = np.arange(14, dtype=np.float32)
"""The tricks of a distribution's last axis."""
BOOK = 6
"""Tricks of the book: those before the first that counts."""


class TrickChances:
    """Methods shared by all results that hold a distribution of tricks."""

    __slots__ = ()

    probabilities: LabelledArray
    """(…, 14) float32, 0 … 13 tricks; the axes before the last are the result's strains, seats."""

    def making(self, contract: object, by: str | Seat | None = None) -> Any:
        """Return the chance that a contract makes: ``making("4H", by="N")``.

        A float, or an array of one for each deal. Without ``by``, the Contract's own declarer,
        or an array over all declarers. Doubling changes nothing. Raises DealError for an invalid
        contract or seat, or a seat other than the Contract's declarer.
        """
        level, strain, _ = parse_contract(str(contract))
        by = declarer_of(contract, by)
        if strain is None:
            raise DealError("a passed-out board is not played (expected a contract, such as 4H)")
        return self.at_least(level + BOOK, strain, by)

    def at_least(
        self, tricks: Any, strain: str | Strain | None = None, by: str | Seat | None = None
    ) -> Any:
        """Return the chance of at least so many tricks: ``at_least(10, "H", "N")``.

        ``tricks`` is one number, or (n,) of them, one for each deal. Without ``strain`` or ``by``,
        an array over all strains or declarers. Raises DealError for an invalid strain or seat,
        TypeError if ``tricks`` are not numbers, and ValueError for too many or too few of them.
        """
        least, shape = np.asarray(tricks), self.probabilities.shape
        if least.dtype.kind not in "iuf":
            raise TypeError(f"tricks is {shorten(tricks)} (expected a number)")
        names = self.probabilities.names[:-1]
        if least.ndim and least.shape != shape[: -1 - len(names)]:
            raise ValueError(
                f"tricks of shape {least.shape} for probabilities of shape {shape} "
                "(expected a number, or one for each deal)"
            )
        reached = least.reshape(least.shape + (1,) * (len(shape) - least.ndim)) <= COUNTS
        chances = LabelledArray((self.probabilities * reached).sum(-1, dtype=np.float32), names)
        asked = dict(zip((Strain, Seat), (strain, by), strict=True))
        return chosen(chances, [asked[name] for name in names if name is not None])


def chosen(array: LabelledArray, names: list[Any]) -> Any:
    """Return the cells with these names; None selects all of an axis."""
    if any(name is not None for name in names):
        return array[(..., *(slice(None) if name is None else str(name) for name in names))]
    return array if array.ndim else array.item()
