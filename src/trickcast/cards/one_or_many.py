"""What results have in common that are of one deal, or of many."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from .columns import Tabular
from .labelled import is_name

_SHOWN = 10  # of many results that are printed


class OneOrMany(Tabular):
    """Results of one thing, in arrays without a leading axis, or of many, in arrays with one.

    Many have a length, and a number or a slice chooses the results of that one or of those;
    ``str`` shows the first ten. As a table they have a row for each thing, strain and declarer.
    """

    __slots__ = ()

    named: ClassVar[tuple[str, str, str]]
    """What it is, of what, and of what in the plural: ``estimate``, ``deal``, ``deals``."""
    axes: ClassVar[int]
    """Axes of ``numbers`` where they are of one."""
    example: ClassVar[str]
    """How a number is asked for: ``tricks["H", "N"]``."""

    @property
    @abstractmethod
    def numbers(self) -> NDArray[Any]:
        """The array, or one of the arrays, that the results are."""

    @abstractmethod
    def part(self, index: Any) -> Self:
        """Return the results of one of many, or of some."""

    @abstractmethod
    def text(self) -> str:
        """Draw the results of one as lines of text."""

    @abstractmethod
    def html(self) -> str:
        """Draw the results of one as HTML."""

    @property
    def single(self) -> bool:
        """Whether the results are of one, without a leading axis."""
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


def is_named(key: Any) -> bool:
    """Whether a key has the name of a strain or a seat in it."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(map(is_name, parts))
