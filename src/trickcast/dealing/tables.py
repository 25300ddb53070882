"""What a Dealer script asks of its deals: averages, frequencies, listings, and how many deals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Vulnerability
from .language.actions import Action, Expression
from .language.errors import pointed
from .language.evaluation import Tricks
from .language.numbers import rounded
from .language.scripts import Script, read_script
from .listing import Listing, listing_of

_LARGEST_TABLE = 10_000
"""Cells of a frequency table."""
_IDLE = {
    "generate": "boards are dealt until there are enough of them, or max_tries ends it",
    "opener": "opc() alone asks for it, which is worked out by a program outside",
}
"""Settings of Dealer that change nothing here, with the reason."""
_BARE = ("printcompact", "printoneline")
"""Actions that print deals, and would print a number with each."""


@dataclass(frozen=True, eq=False)
class Average:
    """``average "label" number``: the mean over all deals."""

    label: str
    number: Expression

    def of(self, owners: NDArray[np.uint8], tricks: Tricks | None = None) -> float:
        """Return the mean over (n, 52) owners; ``tricks`` finds what they take."""
        return float(self.number.values(owners, tricks).mean())


@dataclass(frozen=True, eq=False)
class Axis:
    """A number of each deal, and the values of it that are counted apart."""

    number: Expression
    low: float
    high: float
    step: float = 1

    @property
    def labels(self) -> list[str]:
        """The least value of each place, between ``below`` and ``above``."""
        steps = range(int(_steps(self.high, self.low, self.step)) + 1)
        return ["below", *(f"{self.low + step * self.step:g}" for step in steps), "above"]

    def places(self, owners: NDArray[np.uint8], tricks: Tricks | None) -> NDArray[np.int64]:
        """Return which of the labels fits each of (n, 52) owners; fractions are cut off."""
        values = self.number.values(owners, tricks)
        values = np.trunc(values) if self.step == 1 else values
        above = len(self.labels) - 2  # the last step may end before it is full
        steps = np.where(values > self.high, above, _steps(values, self.low, self.step))
        return steps.clip(-1, above).astype(np.int64) + 1


@dataclass(frozen=True, eq=False)
class Frequency:
    """``frequency "label" (number, low, high)``, or of two numbers with two ranges.

    ``bktfreq`` has a step after each range.
    """

    label: str
    axes: tuple[Axis, ...]
    """One or two."""

    def of(self, owners: NDArray[np.uint8], tricks: Tricks | None = None) -> NDArray[np.int64]:
        """Return how often each value occurs in (n, 52) owners: a count for each label.

        ``tricks`` finds what they take.
        """
        sizes = tuple(len(axis.labels) for axis in self.axes)
        cells = np.ravel_multi_index(
            tuple(axis.places(owners, tricks) for axis in self.axes), sizes
        )
        return np.bincount(cells, minlength=int(np.prod(sizes))).reshape(sizes)


@dataclass(frozen=True, eq=False)
class Actions:
    """What a script says of its deals besides which ones they are."""

    script: Script
    """The whole of it, as a condition."""
    tables: tuple[Average | Frequency, ...]
    listings: tuple[Listing, ...]
    """What is printed of each deal."""
    printing: tuple[str, ...]
    """The other actions by their words, lower case, such as ``printpbn``, in order."""
    notes: tuple[str, ...]
    """What was read and has no effect, each with its line."""
    produce: int | None
    seed: int | None
    start_board: int | None
    title: str | None
    dealer: Seat | None
    vulnerability: Vulnerability | None


def read_actions(text: str, source: str = "script") -> Actions:
    """Read what a script does with its deals.

    Raises ConstraintError for what cannot be read, with the place.
    """
    script = read_script(text, source)
    tables: list[Average | Frequency] = []
    listings, printing = list[Listing](), list[str]()
    said, notes = script.settings, [*script.notes]
    for word, reason in _IDLE.items():
        if word in said.lines:
            notes.append(f"{source}, line {said.lines[word]}: {word} has no effect: {reason}")
    for action in script.actions:
        if action.name == "average":
            tables.append(Average(action.title or "", action.expressions[0]))
        elif action.name in ("frequency", "bktfreq"):
            tables.append(_frequency(action, text, source))
        elif (listing := listing_of(action)) is not None:
            listings.append(listing)
        else:
            printing.append(action.name)
            if action.items and action.name in _BARE:
                where = f"{source}, line {action.line}"
                notes.append(f"{where}: what stands in the brackets of {action.name} has no effect")
    return Actions(
        script=script,
        tables=tuple(tables),
        listings=tuple(listings),
        printing=tuple(printing),
        notes=tuple(notes),
        produce=said.produce,
        seed=said.seed,
        start_board=said.start_board,
        title=said.title,
        dealer=said.dealer,
        vulnerability=said.vulnerable,
    )


def _frequency(action: Action, text: str, source: str) -> Frequency:
    wrong = _wrong(action.limits)
    if wrong:
        before = "".join(text.splitlines(keepends=True)[: action.line - 1])
        start = len(before) + action.column - 1
        raise pointed(text, start, start + len(action.name), f"{action.name} {wrong}", source)
    axes = zip(action.expressions, action.limits, strict=True)
    return Frequency(action.title or "", tuple(Axis(number, *limits) for number, limits in axes))


def _steps(values: Any, low: float, step: float) -> NDArray[Any]:
    """Return how many whole steps lie between ``low`` and numbers: 0.6 is three of 0.2."""
    steps: NDArray[Any] = np.floor(rounded((values - low) / step))
    return steps


def _wrong(limits: Sequence[tuple[float, float, float]]) -> str | None:
    """Return what is wrong with the ranges of a table, if anything."""
    if any(low > high or step <= 0 for low, high, step in limits):
        return "has no range (expected the least value first)"
    if np.prod([_steps(high, low, step) + 3 for low, high, step in limits]) > _LARGEST_TABLE:
        return f"is too large (expected at most {_LARGEST_TABLE:,} cells)"
    return None
