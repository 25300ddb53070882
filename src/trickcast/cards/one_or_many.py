"""Base classes of results for one deal or many, and of results in named rows."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from numpy.typing import NDArray

from .columns import Tabular
from .errors import shorten
from .labelled import is_name

_SHOWN = 10  # the most results that are printed
Row = TypeVar("Row")


def each_of(values: Any, n: int, name: str, kind: type, unit: str = "hand") -> list[Any]:
    """Return a value for each of n hands or deals: the same for all, or those of a list.

    Raises ValueError if there are not as many, TypeError for what is neither one nor a list.
    """
    if isinstance(values, str | kind):
        return [values] * n
    if not isinstance(values, Iterable):
        raise TypeError(f"{name} is {shorten(values)} (expected one, or one a {unit})")
    listed = list(values)
    if len(listed) != n:
        raise ValueError(f"{name} are {len(listed)}, {unit}s {n} (expected one, or one a {unit})")
    return listed


class OneOrMany(Tabular):
    """Results of one item (no leading axis in the arrays) or of many (one leading axis).

    Many results have a length; an index or a slice selects some of them. ``str`` shows the
    first ten. As a table they have a row for each item, strain and declarer.
    """

    __slots__ = ()

    named: ClassVar[tuple[str, str, str]]
    """Names of the result, its item, and the item's plural: ``estimate``, ``deal``, ``deals``."""
    axes: ClassVar[int]
    """Number of axes of ``numbers`` for a single result."""
    example: ClassVar[str]
    """How to look up a number: ``tricks["H", "N"]``."""

    @property
    @abstractmethod
    def numbers(self) -> NDArray[Any]:
        """The array of results, or the main one of several."""

    @abstractmethod
    def part(self, index: Any) -> Self:
        """Return one or some of many results."""

    @abstractmethod
    def text(self) -> str:
        """Draw a single result as lines of text."""

    @abstractmethod
    def html(self) -> str:
        """Draw a single result as HTML."""

    @property
    def single(self) -> bool:
        """Whether this is a single result, without a leading axis."""
        return self.numbers.ndim == self.axes

    def __len__(self) -> int:
        if self.single:
            raise TypeError("the {} of one {} has no length".format(*self.named))
        return len(self.numbers)

    def __getitem__(self, key: Any) -> Any:
        what, thing, things = self.named
        if is_named(key):
            raise TypeError(
                f"the {what} is indexed by {things}, not by names (expected {what}.{self.example})"
            )
        if self.single:
            raise TypeError(
                f"the {what} of one {thing} has no others (its numbers are {what}.{self.example})"
            )
        return self.part(key)

    def __str__(self) -> str:
        if self.single:
            return self.text()
        shown = [self.part(i).text() for i in range(min(len(self), _SHOWN))]
        return "\n\n".join(shown + ["…"] * (len(self) > _SHOWN))

    def __repr__(self) -> str:
        _, thing, things = self.named
        number = (
            f"one {thing}"
            if self.single
            else f"{len(self):,} {thing if len(self) == 1 else things}"
        )
        return f"<{type(self).__name__} of {number}>"

    def _repr_html_(self) -> str:
        return self.html() if self.single else f"<p>{repr(self)[1:-1]}</p>"


class Rows(ABC, Generic[Row]):
    """Results in rows. ``[]`` takes the position of a row, a slice of them, or the name of one."""

    __slots__ = ()

    @property
    @abstractmethod
    def _rows(self) -> Sequence[Row]:
        """The rows in their order."""

    @abstractmethod
    def _answers(self, row: Row, name: str) -> bool:
        """Return whether a row has this name."""

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @overload
    def __getitem__(self, key: int | str) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Row]: ...
    def __getitem__(self, key: int | str | slice) -> Row | Sequence[Row]:
        if not isinstance(key, str):
            return self._rows[key]
        for row in self._rows:
            if self._answers(row, key):
                return row
        raise KeyError(key)


def is_named(key: Any) -> bool:
    """Return whether a key contains the name of a strain or a seat."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(map(is_name, parts))
