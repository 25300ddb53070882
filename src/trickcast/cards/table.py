"""The double-dummy table: tricks by strain and declarer."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .enums import Seat, Strain
from .errors import DealError

UNKNOWN = 255
"""What ``tricks`` holds where a cell is not known."""
PRINTED_SEATS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
"""Row order of printed tables, as in PBN."""
PRINTED_STRAINS = (Strain.NOTRUMP, Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS)
"""Column order of printed tables, as in PBN."""


def check_tricks(tricks: ArrayLike) -> NDArray[np.uint8]:
    """Return ``tricks`` as uint8 of shape (…, 5, 4), or raise DealError where it cannot be one."""
    array = np.asarray(tricks)
    if array.shape[-2:] != (5, 4) or array.dtype.kind not in "ui":
        raise DealError(
            f"{array.dtype} array of shape {array.shape} is not tricks (expected (…, 5, 4) uint8)"
        )
    if ((array > 13) & (array != UNKNOWN)).any() or (array < 0).any():
        raise DealError(f"tricks hold {array[(array > 13) & (array != UNKNOWN) | (array < 0)][0]} "
                        "(expected 0 to 13, or 255 for unknown)")  # fmt: skip
    return array.astype(np.uint8)


class TrickTable:
    """Tricks that each declarer takes in each strain, for one deal or for many.

    ``table["H", "N"]`` is the count for hearts declared by North (an array where the table holds
    many deals), ``table[3]`` and ``table[2:5]`` the tables of those deals. Prints as a table.
    """

    __slots__ = ("tricks",)

    tricks: NDArray[np.uint8]
    """(5, 4) or (n, 5, 4) uint8, strains S H D C N by declarers N E S W; 255 is unknown."""

    def __init__(self, tricks: ArrayLike):
        array = check_tricks(tricks)
        if array.ndim not in (2, 3):
            raise DealError(f"array of shape {array.shape} is not a table (expected (n, 5, 4))")
        array.flags.writeable = False
        self.tricks = array

    def __len__(self) -> int:
        if self.tricks.ndim == 2:
            raise TypeError("the table of one deal has no length")
        return len(self.tricks)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            strain, seat = key
            cell = self.tricks[..., Strain.parse(strain), Seat.parse(seat)]
            return int(cell) if self.tricks.ndim == 2 else cell
        if self.tricks.ndim == 2:
            raise TypeError('the table of one deal is indexed by strain and seat: table["H", "N"]')
        return TrickTable(self.tricks[key])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrickTable) and np.array_equal(self.tricks, other.tricks)

    def __hash__(self) -> int:
        return hash((self.tricks.shape, self.tricks.tobytes()))

    def __str__(self) -> str:
        if self.tricks.ndim == 3:
            return "\n\n".join(str(table) for table in map(TrickTable, self.tricks))
        lines = ["    " + "".join(f"{strain.symbol:>4}" for strain in PRINTED_STRAINS)]
        for seat in PRINTED_SEATS:
            cells = (self.tricks[strain, seat] for strain in PRINTED_STRAINS)
            lines.append(f"{seat:<4}" + "".join(f"{_cell(tricks):>4}" for tricks in cells))
        return "\n".join(lines)

    def __repr__(self) -> str:
        if self.tricks.ndim == 3:
            return f"<TrickTable of {len(self):,} deals>"
        return f"TrickTable({self.tricks.tolist()})"

    def _repr_html_(self) -> str:
        if self.tricks.ndim == 3:
            return f"<p>{repr(self)[1:-1]}</p>"
        head = "".join(f"<th>{strain.symbol}</th>" for strain in PRINTED_STRAINS)
        rows = "".join(
            f"<tr><th>{seat}</th>"
            + "".join(f"<td>{_cell(self.tricks[strain, seat])}</td>" for strain in PRINTED_STRAINS)
            + "</tr>"
            for seat in PRINTED_SEATS
        )
        return f"<table><tr><th></th>{head}</tr>{rows}</table>"


def _cell(tricks: np.uint8) -> str:
    return "?" if tricks == UNKNOWN else str(tricks)
