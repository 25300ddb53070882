"""Arrays that accept the names of strains and seats: ``expected["H", "N"]``."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .enums import Alphabet, Seat, Strain

Axis = type[Strain] | type[Seat] | None
"""Names of the positions along an axis; None for an axis indexed by numbers only."""
TABLE = (Strain, Seat)
"""Strains S H D C N by declarers N E S W."""

_WHOLE = slice(None)


class LabelledArray(np.ndarray[tuple[Any, ...], np.dtype[Any]]):
    """A NumPy array that also takes names for strains and seats.

    A key that begins with a name applies to the named axes, and keeps all axes before those:
    ``tricks["H", "N"]`` of (5, 4) tricks is a number, of (n, 5, 4) tricks an array of n, and
    ``tricks["H"]`` keeps the declarers. Letters, words, enums and numbers are all accepted. Any
    other key works as in NumPy, and may also contain names: ``tricks[3, "H", "N"]``,
    ``tricks[..., "N"]``. What is chosen keeps the names of the axes that are whole and in their
    order; reordered or cut axes have numbers only, as ``tricks[::-1]`` of a (5, 4) array. Copies
    and ``astype`` keep the names. Results of arithmetic and NumPy's functions have none.

    Raises DealError for an invalid strain or seat.

    >>> table = tc.TrickTable([[10, 3, 10, 3]] * 4 + [[9, 4, 9, 4]])
    >>> table.tricks["H", "N"], table.tricks["notrump", "East"], table.tricks[4, 1].item()
    (10, 4, 4)
    """

    names: tuple[Axis, ...]
    """Names of the positions along the last axes."""
    cell: Callable[..., Any] | None
    """Turns the numbers of a cell into one value, if a cell has several."""

    def __new__(
        cls, array: ArrayLike, names: Sequence[Axis], cell: Callable[..., Any] | None = None
    ) -> "LabelledArray":
        """View an array, whose last axes have these names."""
        labelled = np.asarray(array).view(cls)
        labelled.names, labelled.cell = tuple(names), cell
        return labelled

    def __array_finalize__(self, source: Any) -> None:
        """Begin without names: NumPy may have reordered the axes."""
        self.names, self.cell = (), None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return the result of a computation as a plain array."""
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def __reduce__(self) -> Any:
        return LabelledArray, (np.asarray(self), self.names, self.cell)

    def __copy__(self) -> "LabelledArray":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "LabelledArray":
        return self.copy()

    def copy(self, order: Any = "C") -> "LabelledArray":
        """Return a copy with the same names."""
        return LabelledArray(super().copy(order), self.names, self.cell)

    def astype(self, dtype: Any, *options: Any, **named: Any) -> Any:
        """Return a copy of another type with the same names."""
        return LabelledArray(super().astype(dtype, *options, **named), self.names, self.cell)

    def sort(self, *options: Any, **named: Any) -> None:
        """Sort in place; the names no longer apply."""
        super().sort(*options, **named)
        self.names, self.cell = (), None

    def partition(self, *options: Any, **named: Any) -> None:
        """Partition in place; the names no longer apply."""
        super().partition(*options, **named)
        self.names, self.cell = (), None

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        axes: list[Axis] = [None] * (self.ndim - len(self.names)) + [*self.names]
        if parts and is_name(parts[0]) and self.names:
            first = next(i for i, axis in enumerate(axes) if axis is not None)
            parts = (slice(None),) * first + parts
        elif not any(isinstance(part, str) for part in parts):
            return self._numbered(key)
        elif any(part is Ellipsis for part in parts):
            at = next(i for i, part in enumerate(parts) if part is Ellipsis)
            filling = (slice(None),) * (self.ndim - len(parts) + 1)
            parts = parts[:at] + filling + parts[at + 1 :]
        if len(parts) > self.ndim:
            raise IndexError(f"too many names for an array of shape {self.shape}")
        parts += (slice(None),) * (self.ndim - len(parts))
        picks = tuple(map(_pick, axes, parts))
        found = np.asarray(self)[picks]
        if found.ndim == 0:
            return found.item()
        slices = [pick for pick in picks if isinstance(pick, slice)]
        if len(slices) != found.ndim:  # lists or arrays moved the axes
            return found
        left = [
            axis if pick == _WHOLE else None
            for axis, pick in zip(axes, picks, strict=True)
            if isinstance(pick, slice)
        ]
        if self.cell is not None and found.ndim == 1 and picks[-1:] == (_WHOLE,):
            return self.cell(*found.tolist())
        return LabelledArray(found, _from_the_first(left), self.cell)

    def _numbered(self, key: Any) -> Any:
        """Index as NumPy does; a single index of the axes before leaves the last ones unchanged."""
        found = np.asarray(self)[key]
        axes = len(self.names)
        mask = np.asarray(key) if isinstance(key, list | np.ndarray) else np.zeros(1)
        used = mask.ndim if mask.dtype == np.bool_ else 1
        whole = key is Ellipsis or (isinstance(key, slice) and key == _WHOLE)
        if isinstance(key, tuple) or not axes or not (whole or used <= self.ndim - axes):
            return found
        return LabelledArray(found, self.names, self.cell)


def is_name(part: object) -> bool:
    """Return whether an index is a name: a text, or a strain, suit or seat."""
    return isinstance(part, str | Alphabet)


def _pick(axis: Axis, part: Any) -> Any:
    """Return the number of a name on its axis; return other indices unchanged."""
    return int(axis.parse(part)) if axis is not None and is_name(part) else part


def _from_the_first(axes: list[Axis]) -> list[Axis]:
    """Drop the axes before the first one that has names."""
    return axes[next((i for i, axis in enumerate(axes) if axis is not None), len(axes)) :]
