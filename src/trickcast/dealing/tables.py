"""What a Dealer script asks of its deals: averages, frequencies, and how many deals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Vulnerability
from .language.actions import Action, Expression
from .language.errors import pointed
from .language.scripts import read_script

_LARGEST_TABLE = 10_000
"""Cells of a frequency table."""


@dataclass(frozen=True, eq=False)
class Average:
    """``average "label" number``: the mean over all deals."""

    label: str
    number: Expression

    def of(self, owners: NDArray[np.uint8]) -> float:
        """Return the mean over (n, 52) owners."""
        return float(self.number.values(owners).mean())


@dataclass(frozen=True, eq=False)
class Frequency:
    """``frequency "label" (number, low, high)``, or of two numbers with two ranges."""

    label: str
    axes: tuple[tuple[Expression, int, int], ...]
    """One or two numbers, each with the least and the greatest value that is counted apart."""

    def of(self, owners: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return how often each value occurs in (n, 52) owners.

        An axis has the numbers below its range first, then one place for each whole number of the
        range (fractions are cut off), then those above it.
        """
        places, sizes = [], []
        for number, low, high in self.axes:
            whole = np.trunc(number.values(owners)).clip(low - 1, high + 1)
            places.append(whole.astype(np.int64) - (low - 1))
            sizes.append(high - low + 3)
        cells = np.ravel_multi_index(tuple(places), tuple(sizes))
        return np.bincount(cells, minlength=int(np.prod(sizes))).reshape(sizes)


@dataclass(frozen=True, eq=False)
class Actions:
    """What a script says of its deals besides which ones they are."""

    tables: tuple[Average | Frequency, ...]
    printing: tuple[str, ...]
    """The other actions by their words, lower case, such as ``printpbn``, in order."""
    produce: int | None
    seed: int | None
    dealer: Seat | None
    vulnerability: Vulnerability | None


def read_actions(text: str, source: str = "script") -> Actions:
    """Read what a script does with its deals.

    Raises ConstraintError for what cannot be read, with the place.
    """
    script = read_script(text, source)
    tables: list[Average | Frequency] = []
    printing = []
    for action in script.actions:
        whole = all(float(number).is_integer() for limits in action.limits for number in limits)
        if action.name == "average" and not action.takes_tricks:
            tables.append(Average(action.title or "", action.expressions[0]))
        elif action.name == "frequency" and whole and not action.takes_tricks:
            tables.append(_frequency(action, text, source))
        else:
            printing.append(action.name)
    said = script.settings
    return Actions(
        tuple(tables), tuple(printing), said.produce, said.seed, said.dealer, said.vulnerable
    )


def _frequency(action: Action, text: str, source: str) -> Frequency:
    """Return the table of an action whose limits are whole numbers."""
    axes = tuple(
        (number, int(low), int(high))
        for number, (low, high, _) in zip(action.expressions, action.limits, strict=True)
    )
    wrong = None
    if any(low > high for _, low, high in axes):
        wrong = "has no range (expected whole numbers, the least first)"
    elif np.prod([high - low + 3 for _, low, high in axes]) > _LARGEST_TABLE:
        wrong = f"is too large (expected at most {_LARGEST_TABLE:,} cells)"
    if wrong:
        before = "".join(text.splitlines(keepends=True)[: action.line - 1])
        start = len(before) + action.column - 1
        raise pointed(text, start, start + len(action.name), f"{action.name} {wrong}", source)
    return Frequency(action.title or "", axes)
