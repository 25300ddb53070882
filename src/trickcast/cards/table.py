"""The double-dummy table: tricks by strain and declarer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .columns import Columns, cell_columns
from .enums import Seat, Strain
from .errors import DealError
from .grid import Grid
from .labelled import TABLE, LabelledArray
from .one_or_many import OneOrMany, is_named

UNKNOWN = 255
"""The value in ``tricks`` of an unknown cell."""


def check_tricks(tricks: ArrayLike | TrickTable) -> NDArray[np.uint8]:
    """Return ``tricks``, a table or an array, as uint8 of shape (…, 5, 4).

    Raises DealError for an invalid shape or value.
    """
    array = np.asarray(tricks.tricks if isinstance(tricks, TrickTable) else tricks)
    if array.shape[-2:] != (5, 4) or array.dtype.kind not in "ui":
        raise DealError(
            f"{array.dtype} array of shape {array.shape} cannot be read as tricks (expected (…, "
            "5, 4) uint8)"
        )
    if ((array > 13) & (array != UNKNOWN)).any() or (array < 0).any():
        raise DealError(f"tricks hold {array[(array > 13) & (array != UNKNOWN) | (array < 0)][0]} "
                        "(expected 0 to 13, or 255 for unknown)")  # fmt: skip
    return array.astype(np.uint8)


class TrickTable(OneOrMany):
    """Hold the tricks that each declarer takes in each strain, for one deal or many.

    ``table["H", "N"]`` is the number for hearts declared by North, or an array of n if the table
    holds many deals. ``table[3]`` and ``table[2:5]`` are the tables of those deals. Prints as a
    table.

    Args:
        tricks: Results, shape (5, 4) or (n, 5, 4), uint8: strains S H D C N by declarers N E S W, 0
            to 13 tricks, and 255 for unknown.

    Raises:
        DealError: The array has another shape, or invalid numbers.

    Example:
        >>> table = tc.TrickTable([[10, 3, 10, 3]] * 4 + [[9, 4, 9, 4]])
        >>> table["H", "N"]
        10
        >>> print(table)
              NT   ♠   ♥   ♦   ♣
        N      9  10  10  10  10
        S      9  10  10  10  10
        E      4   3   3   3   3
        W      4   3   3   3   3
    """

    __slots__ = ("tricks",)
    named = ("table", "deal", "deals")
    axes, example = 2, 'tricks["H", "N"]'

    tricks: LabelledArray
    """(5, 4) or (n, 5, 4) uint8, strains S H D C N by declarers N E S W; 255 is unknown."""

    def __init__(self, tricks: ArrayLike):
        array = check_tricks(tricks)
        if array.ndim not in (2, 3):
            raise DealError(f"array of shape {array.shape} is not a table (expected (n, 5, 4))")
        array.flags.writeable = False
        self.tricks = LabelledArray(array, TABLE)

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Restore a pickled table, or a deep copy: arrays forget that they are read-only."""
        self.tricks = state[1]["tricks"]
        self.tricks.flags.writeable = False

    @property
    def numbers(self) -> NDArray[np.uint8]:
        """The tricks."""
        return self.tricks

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) or is_named(key):
            return self.tricks[key]
        return super().__getitem__(key)

    def part(self, index: Any) -> TrickTable:
        """Return the table of one or some of many deals."""
        return TrickTable(self.tricks[index])

    def columns(self) -> Columns:
        """Return ``deal`` (its index), ``strain``, ``declarer``, ``tricks`` (masked if unknown)."""
        tricks = np.ma.masked_equal(self.tricks.reshape(-1, 5, 4), UNKNOWN)
        return cell_columns("deal", "NESW", {"tricks": tricks})

    def text(self) -> str:
        """Draw the table of one deal; unknown cells are question marks."""
        return Grid(self._count).text(margin=4, width=4)

    def html(self) -> str:
        """Draw the table of one deal as HTML."""
        return Grid(self._count).html("tricks, double dummy")

    def _count(self, strain: Strain, seat: Seat) -> str:
        tricks = self.tricks[strain, seat]
        return "?" if tricks == UNKNOWN else str(tricks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrickTable) and np.array_equal(self.tricks, other.tricks)

    def __hash__(self) -> int:
        return hash((self.tricks.shape, self.tricks.tobytes()))

    def __repr__(self) -> str:
        return f"TrickTable({self.tricks.tolist()})" if self.single else super().__repr__()
