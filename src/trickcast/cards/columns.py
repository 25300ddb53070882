"""Deals and results as columns, for pandas, polars and other tools that read Arrow."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .enums import RANKS, Seat, Strain

TRICK_COLUMNS = tuple(f"{strain}_{declarer}" for strain in Strain for declarer in Seat)
"""Names of the twenty trick columns, in the order of the cells of a tricks array: ``S_N`` …"""
HAND_WIDTH = 16
"""Characters of a hand: thirteen ranks and three dots."""
DEAL_WIDTH = 4 * HAND_WIDTH + 3
"""Characters of four hands with a blank between them."""
BLANKS = [HAND_WIDTH, 2 * HAND_WIDTH + 1, 3 * HAND_WIDTH + 2]
"""Indices of the blanks."""
_LETTER = np.frombuffer(RANKS.encode() * 4, dtype=np.uint8)
_SUIT = np.repeat(np.arange(4, dtype=np.uint8), 13)

Columns = dict[str, Sequence[str] | NDArray[Any]]


class Tabular(ABC):
    """Base of tables for ``polars.DataFrame(it)`` and ``pandas.DataFrame.from_arrow(it)``.

    Both ask for an Arrow stream, which needs pyarrow (``pip install "trickcast[data]"``);
    ``pandas.DataFrame(it.columns())`` doesn't.
    """

    __slots__ = ()

    @abstractmethod
    def columns(self) -> Columns:
        """Return the columns of the table by name, all of the same length."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the columns through Arrow's PyCapsule interface, without a copy.

        Raises ModuleNotFoundError if pyarrow is not installed.
        """
        try:
            import pyarrow
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                'an Arrow table needs pyarrow; install it with: pip install "trickcast[data]"'
            ) from None
        return pyarrow.table(self.columns()).__arrow_c_stream__(requested_schema)


def cell_columns(thing: str, declarers: str, cells: Mapping[str, NDArray[Any]]) -> Columns:
    """Return (n, 5, k) arrays as columns with a row for each item, strain and declarer.

    Args:
        thing: Name of the column that counts the n items, such as ``"deal"``.
        declarers: Letters of the k declarers.
        cells: Arrays of shape (n, 5, k) by the names of their columns.

    Returns:
        Columns by name, each of length 5 n k.

    Example:
        >>> columns = cell_columns("deal", "NESW", {"tricks": np.full((2, 5, 4), 9)})
        >>> len(columns["tricks"]), columns["deal"][21], columns["strain"][21]
        (40, np.int64(1), np.str_('S'))
    """
    shape = next(iter(cells.values())).shape
    index, strain, declarer = np.indices(shape).reshape(3, -1)
    return {
        thing: index,
        "strain": np.array([str(strain) for strain in Strain])[strain],
        "declarer": np.array(list(declarers))[declarer],
        **{name: cell.reshape(-1) for name, cell in cells.items()},
    }


def chance_columns(probabilities: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """Return chances of 0 to 13 tricks as fourteen arrays by name.

    Args:
        probabilities: Chances, shape (…, 14).

    Returns:
        Arrays of shape (…), named ``p0`` to ``p13``.

    Example:
        >>> chance_columns(np.eye(14, dtype=np.float32)[[9, 10]])["p9"]
        array([1., 0.], dtype=float32)
    """
    return {f"p{count}": probabilities[..., count] for count in range(14)}


def write_deals(owners: NDArray[np.uint8], seats: Sequence[int]) -> NDArray[np.uint8]:
    """Return deals as characters, ranks from the ace down.

    Args:
        owners: Owners, shape (n, 52), uint8.
        seats: Seat numbers, 0 to 3, in the order of writing.

    Returns:
        ASCII characters, shape (n, 67), uint8.

    Example:
        >>> text = write_deals(tc.random_deals(2, seed=1).owners, (0, 1, 2, 3))
        >>> text.shape, text[1].tobytes().decode() == tc.random_deals(2, seed=1)[1].pbn[2:]
        ((2, 67), True)
    """
    text = np.full((len(owners), DEAL_WIDTH), ord("."), dtype=np.uint8)
    text[:, BLANKS] = ord(" ")
    by_seat = np.argsort(owners, axis=1, kind="stable").reshape(-1, 4, 13)
    rows = np.arange(len(owners))[:, None]
    for k, seat in enumerate(seats):
        cards = by_seat[:, seat]
        columns = k * (HAND_WIDTH + 1) + np.arange(13) + _SUIT[cards]
        text[rows, columns] = _LETTER[cards]
    return text


def write_deal_texts(owners: NDArray[np.uint8]) -> list[str]:
    """Return the canonical texts of deals: ``N:`` and the four hands clockwise.

    Args:
        owners: Owners, shape (n, 52), uint8.

    Returns:
        A list of n texts, which ``Deal`` reads.

    Example:
        >>> deals = tc.random_deals(2, seed=1)
        >>> write_deal_texts(deals.owners) == [deal.pbn for deal in deals]
        True
    """
    text = write_deals(owners, (0, 1, 2, 3)).tobytes().decode("ascii")
    return [f"N:{text[i : i + DEAL_WIDTH]}" for i in range(0, len(text), DEAL_WIDTH)]
