"""The output of a Dealer script: averages, frequencies, listings, and pictures of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import atomic_writer
from ..cards import RANKS, Deal, Seat, Suit, Vulnerability
from ..scoring import par
from .language.conditions import Layouts, Tricks
from .language.dealer_script import Action, Expression, Item, Script, Text, read_script
from .language.hand_counts import rounded
from .language.mistakes import pointed

_LARGEST_TABLE = 10_000
"""Most cells of a frequency table."""
_IDLE = {
    "generate": "boards are dealt until there are enough of them, or max_tries ends it",
    "opener": "opc() alone asks for it, which needs a separate program",
}
"""Settings of Dealer that change nothing here, with the reason."""
_BARE = ("printcompact", "printoneline")
"""Actions that print deals, and would number each."""


@dataclass(frozen=True, eq=False)
class Average:
    """``average "label" number``: the mean over all deals."""

    label: str
    number: Expression

    def of(self, owners: NDArray[np.uint8], tricks: Tricks | None = None) -> float:
        """Return the mean over (n, 52) owners; ``tricks`` finds their tricks."""
        return float(self.number.values(owners, tricks).mean())


@dataclass(frozen=True, eq=False)
class Axis:
    """A number of each deal, and the values that are counted separately."""

    number: Expression
    low: float
    high: float
    step: float = 1

    @property
    def labels(self) -> list[str]:
        """The least value of each bin, between ``below`` and ``above``."""
        steps = range(int(_steps(self.high, self.low, self.step)) + 1)
        return ["below", *(f"{self.low + step * self.step:g}" for step in steps), "above"]

    def places(self, owners: NDArray[np.uint8], tricks: Tricks | None) -> NDArray[np.int64]:
        """Return the index of the label for each of (n, 52) owners; fractions are truncated."""
        values = self.number.values(owners, tricks)
        values = np.trunc(values) if self.step == 1 else values
        above = len(self.labels) - 2  # the last step may be incomplete
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

        ``tricks`` finds their tricks.
        """
        sizes = tuple(len(axis.labels) for axis in self.axes)
        cells = np.ravel_multi_index(
            tuple(axis.places(owners, tricks) for axis in self.axes), sizes
        )
        return np.bincount(cells, minlength=int(np.prod(sizes))).reshape(sizes)


_SIDES = {"ns": (Seat.NORTH, Seat.SOUTH), "ew": (Seat.WEST, Seat.EAST), "deal": tuple(Seat)}
_OF_TWO = {"printns": _SIDES["ns"], "printew": _SIDES["ew"]}
_REPORTS = ("printrpt", "csvrpt")
_COLUMN = 20


@dataclass(frozen=True, eq=False)
class Listing:
    """An action that prints something about each deal: numbers, texts, hands."""

    name: str
    """``printes`` puts nothing between its items, ``printrpt`` and ``csvrpt`` commas and a
    line for each deal; ``printew``, ``printns``, ``printside`` and ``print`` hands in columns."""
    items: tuple[Item, ...]

    def of(self, owners: NDArray[np.uint8], tricks: Tricks | None = None) -> str:
        """Return the text for (n, 52) owners; ``tricks`` finds their tricks."""
        if not (self.name in _REPORTS or self.name == "printes"):
            seats = [seat for item in self.items for seat in _seats(item)]
            return "\n".join(_columns(Deal.from_owners(row), seats) for row in owners)
        columns = [list(_cells(item, owners, tricks)) for item in self.items]
        if self.name in _REPORTS:
            return "".join(",".join(row) + "\n" for row in zip(*columns, strict=True))
        return "".join("".join(row) for row in zip(*columns, strict=True))


def listing_of(action: Action) -> Listing | None:
    """Return the listing that an action asks for; None for any other action."""
    if action.name in ("printes", *_REPORTS) and action.items:
        return Listing(action.name, action.items)
    if action.name in _OF_TWO:
        return Listing(action.name, _OF_TWO[action.name])
    if action.name in ("print", "printside") and any(map(_seats, action.items)):
        return Listing(action.name, action.items)
    return None


def _seats(item: Item) -> tuple[Seat, ...]:
    if isinstance(item, Seat):
        return (item,)
    return _SIDES.get(item.lower(), ()) if isinstance(item, str) else ()


def _cells(item: Item, owners: NDArray[np.uint8], tricks: Tricks | None) -> Iterator[str]:
    """Yield the text of an item for each deal."""
    if isinstance(item, Expression):
        yield from (f"{value:.12g}" for value in item.values(owners, tricks).tolist())
        return
    if isinstance(item, Text):
        yield from [item.text] * len(owners)
        return
    word, _, inner = str(item).rstrip(")").partition("(")
    if word not in ("trix", "parcontract"):
        for row in owners:
            yield " ".join(str(Deal.from_owners(row)[seat]) for seat in _seats(item)) or str(item)
        return
    for table in Layouts(owners, tricks).tricks(word):
        if word == "trix":
            seats = Seat if inner == "deal" else [Seat.parse(inner)]
            yield " ".join(str(count) for seat in seats for count in table[:, seat])
        else:
            best = par(table, Seat.NORTH, Vulnerability.parse(inner or "none"))
            yield "; ".join(map(str, best.contracts))


def _columns(deal: Deal, seats: list[Seat]) -> str:
    """Return the hands of some seats side by side, a line per suit."""
    rows = []
    for suit in Suit:
        cells = (" ".join(_ranks(deal, seat, suit)) or "-" for seat in seats)
        rows.append("".join(f"{cell:{_COLUMN}}" for cell in cells).rstrip())
    return "\n".join([*rows, ""])


def _ranks(deal: Deal, seat: Seat, suit: Suit) -> list[str]:
    owners = deal.owners[13 * suit : 13 * suit + 13]
    return [rank for rank, owner in zip(RANKS, owners, strict=True) if owner == seat]


@dataclass(frozen=True, eq=False)
class Actions:
    """What a script does with its deals."""

    script: Script
    """The whole script, as a condition."""
    tables: tuple[Average | Frequency, ...]
    listings: tuple[Listing, ...]
    """What is printed about each deal."""
    printing: tuple[str, ...]
    """The other actions by their lower-case names, such as ``printpbn``, in order."""
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

    Args:
        text: Script in Dealer's language.
        source: Name of the text in messages.

    Returns:
        Actions: the Script, its settings, tables and listings.

    Raises:
        ConstraintError: The text cannot be read; the message has line, column and a caret.

    Example:
        >>> read_actions("produce 5\\naction average hcp(north)").produce
        5
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
        before = text.split("\n")[: action.line - 1]
        start = sum(len(line) + 1 for line in before) + action.column - 1
        raise pointed(text, start, start + len(action.name), f"{action.name} {wrong}", source)
    axes = zip(action.expressions, action.limits, strict=True)
    return Frequency(action.title or "", tuple(Axis(number, *limits) for number, limits in axes))


def _steps(values: Any, low: float, step: float) -> NDArray[Any]:
    """Return how many whole steps fit between ``low`` and numbers: 0.6 is three of 0.2."""
    steps: NDArray[Any] = np.floor(rounded((values - low) / step))
    return steps


def _wrong(limits: Sequence[tuple[float, float, float]]) -> str | None:
    """Return what is wrong with the ranges of a table, if anything."""
    if any(low > high or step <= 0 for low, high, step in limits):
        return "has no range (expected the least value first)"
    if np.prod([_steps(high, low, step) + 3 for low, high, step in limits]) > _LARGEST_TABLE:
        return f"is too large (expected at most {_LARGEST_TABLE:,} cells)"
    return None


# --- pictures

SUFFIXES = (".svg", ".png", ".pdf")
"""File formats of pictures."""
_INK, _PALE, _BAR = "#22262b", "#6b7280", "#1f7a5c"
_WIDE, _TALL = 6.4, 3.4
"""Size of a table in inches."""
_NAMED = 24
"""Most values labelled along an axis."""


def write_picture(
    tables: Sequence[tuple[Average | Frequency, Any]], title: str, path: Path
) -> None:
    """Draw tables with their counts, one below the other; averages go under the title.

    Raises ModuleNotFoundError without matplotlib, OSError for a file that cannot be written.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    averages = [
        f"{table.label or 'average'}: {value:.6g}"
        for table, value in tables
        if isinstance(table, Average)
    ]
    counted = [(table, counts) for table, counts in tables if isinstance(table, Frequency)]
    height = _TALL * max(1, len(counted)) + 0.3 * len(averages)
    figure = Figure(figsize=(_WIDE, height), layout="constrained")
    figure.suptitle("\n".join([title, *averages]), color=_INK, fontsize=11, wrap=True)
    for place, (table, counts) in enumerate(counted):
        axes = figure.add_subplot(len(counted), 1, place + 1)
        (_bars if counts.ndim == 1 else _map)(axes, table, counts)
        axes.set_title(table.label, color=_INK, fontsize=10)
        axes.tick_params(colors=_PALE, labelsize=8)
    form = path.suffix[1:].lower() or "svg"
    dated = {"Date": None} if form == "svg" else {}  # the same tables give the same bytes
    with rc_context({"svg.hashsalt": "trickcast"}), atomic_writer(path) as file:
        figure.savefig(file, format=form, dpi=150, metadata=dated)


def _shown(axis: Axis, counts: NDArray[np.int64]) -> tuple[slice, list[str]]:
    """Return the bins from the first to the last that occurs, and their labels."""
    seen = np.flatnonzero(counts)
    places = slice(int(seen[0]), int(seen[-1]) + 1)
    return places, axis.labels[places]


def _bars(axes: Any, table: Frequency, counts: NDArray[np.int64]) -> None:
    places, labels = _shown(table.axes[0], counts)
    shares = 100 * counts[places] / counts.sum()
    bars = axes.bar(range(len(labels)), shares, color=_BAR)
    if len(labels) <= _NAMED / 2:
        axes.bar_label(bars, [f"{share:.1f}" for share in shares], fontsize=8, color=_PALE)
    _name(axes.xaxis, labels)
    axes.set_xlabel(table.axes[0].number.text, color=_PALE, fontsize=9)
    axes.set_ylabel("percent of boards", color=_PALE, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


def _map(axes: Any, table: Frequency, counts: NDArray[np.int64]) -> None:
    """Draw two numbers as a heat map with the percentage of each pair."""
    rows, down = _shown(table.axes[0], counts.sum(axis=1))
    columns, across = _shown(table.axes[1], counts.sum(axis=0))
    shares = 100 * counts[rows, columns] / counts.sum()
    image = axes.imshow(shares, cmap="Greens", aspect="auto", vmin=0)
    if shares.size > _NAMED**2 / 2:
        axes.figure.colorbar(image)
    else:
        for (row, column), share in np.ndenumerate(shares):
            ink = "white" if share > shares.max() / 2 else _INK
            axes.text(column, row, f"{share:.1f}" if share else "", ha="center", va="center",
                      fontsize=7, color=ink)  # fmt: skip
    _name(axes.yaxis, down)
    _name(axes.xaxis, across)
    axes.set_ylabel(table.axes[0].number.text, color=_PALE, fontsize=9)
    axes.set_xlabel(f"{table.axes[1].number.text} (percent of boards)", color=_PALE, fontsize=9)


def _name(axis: Any, labels: list[str]) -> None:
    step = -(-len(labels) // _NAMED)
    axis.set_ticks(range(0, len(labels), step), labels[::step])
