"""Many deals as one array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .board import Board
from .columns import TRICK_COLUMNS, Columns, Tabular, write_deal_texts
from .deal import Deal, check_owners, unmasked
from .errors import DealError, counted, shorten
from .hand import Hand
from .labelled import TABLE, LabelledArray
from .table import UNKNOWN, TrickTable, check_tricks


class Skipped(NamedTuple):
    """An invalid entry of a file, which was skipped."""

    place: str
    """The file, and the line, record or byte in it."""
    reason: str
    """What is wrong there, and what was expected."""

    @property
    def word(self) -> str:
        """The word that precedes it in the reports of commands."""
        return "skipped"

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class DealSet(Tabular):
    """Hold many deals in two read-only arrays, with what is known of each.

    Indexing or looping makes Deals on demand. A slice gives a DealSet on the same memory, and an
    index by an array a copy. ``polars.DataFrame(deals)`` has one row per deal: its text and, if any
    tricks are known, its twenty results.

    Args:
        owners: The owner of every card, shape (n, 52), uint8: 0 to 3 for N E S W. Cards go from the
            ace of spades to the two of clubs.
        tricks: Known results, shape (n, 5, 4), uint8: strains S H D C N by declarers N E S W, and
            255 for unknown. Default: none are known.
        boards: A Board for each deal. Default: nothing else is known.

    Raises:
        DealError: An array has the wrong shape, a row is not a deal, or an entry not a Board; the
            message gives its index.

    Example:
        >>> deals = tc.random_deals(1000, seed=1)
        >>> deals.owners.shape, len(deals[:10]), deals[0] in list(deals)
        ((1000, 52), 10, True)
    """

    __slots__ = ("boards", "owners", "skipped", "tricks")

    owners: NDArray[np.uint8]
    """(n, 52) uint8, the seat (N E S W = 0-3) holding each card."""
    tricks: LabelledArray | None
    """(n, 5, 4) uint8, 255 where a cell is unknown; None when nothing is known."""
    boards: tuple[Board, ...] | None
    """What a file said of each board besides the cards; None when it said nothing."""
    skipped: tuple[Skipped, ...]
    """Entries that ``read(…, on_error="skip")`` skipped in the file; ignored by ``==``."""

    def __init__(
        self,
        owners: ArrayLike,
        tricks: ArrayLike | TrickTable | None = None,
        boards: Iterable[Board] | None = None,
    ):
        # checked data must not change when the caller changes their array
        array = _checked(owners).astype(np.uint8)
        table = None if tricks is None else check_tricks(tricks)
        if table is not None and table.shape != (len(array), 5, 4):
            raise DealError(f"tricks of shape {table.shape} for {counted(len(array), 'deal')}")
        self._set(array, table, None if boards is None else _boards(boards, len(array)))

    def _set(
        self,
        owners: NDArray[np.uint8],
        tricks: NDArray[np.uint8] | None,
        boards: tuple[Board, ...] | None,
    ) -> None:
        self.owners = _read_only(owners)
        unknown = tricks is None or (tricks.size > 0 and bool((tricks == UNKNOWN).all()))
        self.tricks = (
            None if tricks is None or unknown else LabelledArray(_read_only(tricks), TABLE)
        )
        self.boards = boards
        self.skipped = ()

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Restore a pickled set, or a deep copy; NumPy's arrays forget that they are read-only."""
        for name, value in state[1].items():
            setattr(self, name, value)
        self.owners.flags.writeable = False
        if self.tricks is not None:
            self.tricks.flags.writeable = False

    @classmethod
    def from_deals(cls, deals: Iterable[str | Deal]) -> DealSet:
        """Collect Deals or their texts. Raises DealError naming the index of an invalid one."""
        rows = []
        for i, deal in enumerate(deals):
            try:
                rows.append(Deal(deal).owner_bytes)
            except DealError as error:
                raise DealError(f"deal {i}: {error}") from None
        collected = object.__new__(cls)  # a Deal is already checked
        owners = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, 52)
        collected._set(owners, None, None)
        return collected

    @classmethod
    def concatenate(cls, sets: Iterable[DealSet]) -> DealSet:
        """Join sets in order; data that some sets lack is unknown for their deals.

        Raises TypeError for what is not a DealSet, naming its index.
        """
        parts = list(sets)
        for i, part in enumerate(parts):
            if not isinstance(part, DealSet):
                raise TypeError(f"set {i} is of type {type(part).__name__} (expected a DealSet)")
        joined = object.__new__(cls)
        tricks, boards = None, None
        if any(part.tricks is not None for part in parts):
            tricks = np.concatenate([part.tricks_or_unknown for part in parts])
        if any(part.boards is not None for part in parts):
            boards = tuple(
                board for part in parts for board in part.boards or (Board(),) * len(part)
            )
        owners = [np.empty((0, 52), np.uint8), *(part.owners for part in parts)]
        joined._set(np.concatenate(owners), tricks, boards)
        joined.skipped = tuple(skipped for part in parts for skipped in part.skipped)
        return joined

    @property
    def tricks_or_unknown(self) -> NDArray[np.uint8]:
        """(n, 5, 4) uint8: ``tricks``, or 255 everywhere when nothing is known."""
        if self.tricks is not None:
            return self.tricks
        return np.full((len(self), 5, 4), UNKNOWN, dtype=np.uint8)

    def with_tricks(self, tricks: ArrayLike | TrickTable | None) -> DealSet:
        """Return the same deals with these tricks, a table or an (n, 5, 4) array."""
        deals = DealSet(self.owners, tricks, self.boards)
        deals.skipped = self.skipped
        return deals

    def columns(self) -> Columns:
        """Return ``deal``, the PBN text, and if known ``S_N`` … ``N_W``, masked where unknown."""
        texts: Columns = {"deal": write_deal_texts(self.owners)}
        if self.tricks is None:
            return texts
        cells = np.ma.masked_equal(self.tricks.reshape(-1, 20), UNKNOWN).T
        return texts | dict(zip(TRICK_COLUMNS, cells, strict=True))

    def __len__(self) -> int:
        return len(self.owners)

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Deal: ...
    @overload
    def __getitem__(self, key: slice | NDArray[Any] | Sequence[int]) -> DealSet: ...
    def __getitem__(
        self, key: int | np.integer[Any] | slice | NDArray[Any] | Sequence[int]
    ) -> Deal | DealSet:
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            return Deal._trusted(self.owners[key].tobytes())
        if not isinstance(key, slice):
            key = np.asarray(key)
            if key.ndim != 1 or not (key.dtype.kind in "bui" or not key.size):
                raise TypeError(
                    "a DealSet is indexed by an integer, a slice, or a list or array of integers "
                    "or bools"
                )
            key = key if key.size else key.astype(np.intp)
        part = object.__new__(DealSet)
        boards = None
        if self.boards is not None:
            index = range(len(self))[key] if isinstance(key, slice) else np.arange(len(self))[key]
            boards = tuple(self.boards[i] for i in index)
        part._set(self.owners[key], None if self.tricks is None else self.tricks[key], boards)
        return part

    def __iter__(self) -> Iterator[Deal]:
        return (Deal._trusted(row.tobytes()) for row in self.owners)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DealSet):
            return NotImplemented
        return (
            np.array_equal(self.owners, other.owners)
            and np.array_equal(self.tricks_or_unknown, other.tricks_or_unknown)
            and self.boards == other.boards
        )

    def __hash__(self) -> int:
        return hash((self.owners.tobytes(), self.tricks_or_unknown.tobytes()))

    def __repr__(self) -> str:
        known = 0
        if self.tricks is not None:
            known = int((self.tricks != UNKNOWN).any(axis=(1, 2)).sum())
        return f"<DealSet of {counted(len(self), 'deal')}, tricks known for {known:,}>"

    def __str__(self) -> str:
        shown = "\n".join(deal.pbn for deal in self[:10])
        return f"{self!r}\n{shown}" + ("\n…" if len(self) > 10 else "")

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{i}</td><td><code>{self[i].pbn}</code></td></tr>"
            for i in range(min(len(self), 10))
        )
        return f"<p>{repr(self)[1:-1]}</p><table>{rows}</table>"


def _checked(owners: ArrayLike) -> NDArray[Any]:
    array = unmasked(owners)
    if array.ndim != 2 or array.shape[1] != 52 or array.dtype.kind not in "ui":
        raise DealError(
            f"{array.dtype} array of shape {array.shape} cannot be read as owners (expected "
            "(n, 52) uint8)"
        )
    check_owners(array)
    return array


def _boards(boards: Iterable[Board], n: int) -> tuple[Board, ...]:
    """Return n Boards as a tuple. Raises DealError."""
    if not isinstance(boards, Iterable):
        raise DealError(f"boards is {shorten(boards)} (expected a Board for each deal)")
    listed = tuple(boards)
    for i, board in enumerate(listed):
        if not isinstance(board, Board):
            raise DealError(f"boards[{i}] is {shorten(board)} (expected a Board)")
    if len(listed) != n:
        raise DealError(f"{len(listed)} boards for {counted(n, 'deal')}")
    return listed


def _read_only(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    view = array.view()
    view.flags.writeable = False
    return view


def _of_texts(texts: list[str]) -> DealSet:
    """Collect deals; the usual spelling is parsed in bulk. Raises DealError naming a bad one."""
    from .many_texts import read_usual_texts  # not needed for a single deal

    owners, good = read_usual_texts(texts)
    for i in np.flatnonzero(~good).tolist():
        try:
            owners[i] = Deal(texts[i]).owners
        except DealError as error:
            raise DealError(f"deal {i}: {error}") from None
    collected = object.__new__(DealSet)  # every row has been checked
    collected._set(owners, None, None)
    return collected


DealLike = str | Deal
"""A deal: a Deal, or its text."""
DealsLike = DealLike | DealSet | NDArray[Any] | Iterable[DealLike | DealSet | NDArray[Any]]
"""Deals: one deal, a DealSet, a list of these, or owners of shape (52,) or (n, 52)."""


def as_dealset(deals: DealsLike) -> tuple[DealSet, bool]:
    """Turn any accepted form of deals into a DealSet.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (52,) or (n, 52),
            uint8.

    Returns:
        The DealSet, and whether it was a single deal.

    Raises:
        DealError: An entry is not a deal; the message names its index.

    Example:
        >>> from trickcast.cards import as_dealset
        >>> deals, single = as_dealset(tc.random_deals(2, seed=1)[0])
        >>> len(deals), single
        (1, True)
    """
    if isinstance(deals, DealSet):
        return deals, False
    if isinstance(deals, str | Deal):
        return DealSet.from_deals([Deal(deals)]), True
    if isinstance(deals, np.ndarray) and deals.dtype.kind not in "OUT":  # those kinds hold texts
        if deals.shape[:1] == (0,):
            return DealSet(np.empty((0, 52), np.uint8)), False
        seen = object.__new__(DealSet)  # no copy: the array cannot change during the call
        seen._set(_checked(np.atleast_2d(deals)).astype(np.uint8, copy=False), None, None)
        return seen, deals.ndim == 1
    if not callable(getattr(deals, "columns", len)):  # of pandas, polars or pyarrow
        raise DealError(
            f"{type(deals).__name__} cannot be read as deals (expected a column, such as "
            'frame["deal"], or (n, 52) uint8)'
        )
    try:
        if isinstance(deals, bytes | Mapping | Hand):  # lists of something else
            raise TypeError
        items = list(deals)
    except TypeError:
        raise DealError(
            f"{type(deals).__name__} cannot be read as deals (expected Deal, PBN text, DealSet, "
            "a list of these, or (n, 52) uint8)"
        ) from None
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) == len(items):
        return _of_texts(texts), False
    parts, loose = [], list[Deal]()
    index = 0
    for item in items:
        if isinstance(item, DealSet):
            parts += [DealSet.from_deals(loose), item]
            loose, index = [], index + len(item)
            continue
        try:
            loose.append(Deal.from_owners(item) if isinstance(item, np.ndarray) else Deal(item))
        except DealError as error:
            raise DealError(f"deal {index}: {error}") from None
        index += 1
    return DealSet.concatenate([*parts, DealSet.from_deals(loose)]), False
