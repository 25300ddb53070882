"""What the actions of a Dealer script print of each deal, as text."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cards import RANKS, Deal, Seat, Suit, Vulnerability
from ..scoring import par
from .language.actions import Action, Expression, Item, Text
from .language.evaluation import Layouts, Tricks

_SIDES = {"ns": (Seat.NORTH, Seat.SOUTH), "ew": (Seat.WEST, Seat.EAST), "deal": tuple(Seat)}
_OF_TWO = {"printns": _SIDES["ns"], "printew": _SIDES["ew"]}
_REPORTS = ("printrpt", "csvrpt")
_COLUMN = 20


@dataclass(frozen=True, eq=False)
class Listing:
    """An action that prints something of each deal: numbers, texts, hands."""

    name: str
    """``printes`` without anything between its items, ``printrpt`` and ``csvrpt`` with commas and a
    line for each deal; ``printew``, ``printns``, ``printside`` and ``print`` hands in columns."""
    items: tuple[Item, ...]

    def of(self, owners: NDArray[np.uint8], tricks: Tricks | None = None) -> str:
        """Return the text for (n, 52) owners; ``tricks`` finds what they take."""
        if not (self.name in _REPORTS or self.name == "printes"):
            seats = [seat for item in self.items for seat in _seats(item)]
            return "\n".join(_columns(Deal.from_owners(row), seats) for row in owners)
        columns = [list(_cells(item, owners, tricks)) for item in self.items]
        if self.name in _REPORTS:
            return "".join(",".join(row) + "\n" for row in zip(*columns, strict=True))
        return "".join("".join(row) for row in zip(*columns, strict=True))


def listing_of(action: Action) -> Listing | None:
    """Return the listing that an action asks for; None where it asks for something else."""
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
    """Yield what an item is for each deal."""
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
            best = par(table, Vulnerability.parse(inner or "none"), Seat.NORTH)
            yield "; ".join(map(str, best.contracts))


def _columns(deal: Deal, seats: list[Seat]) -> str:
    """Return the hands of some seats beside each other, a line a suit."""
    rows = []
    for suit in Suit:
        cells = (" ".join(_ranks(deal, seat, suit)) or "-" for seat in seats)
        rows.append("".join(f"{cell:{_COLUMN}}" for cell in cells).rstrip())
    return "\n".join([*rows, ""])


def _ranks(deal: Deal, seat: Seat, suit: Suit) -> list[str]:
    owners = deal.owners[13 * suit : 13 * suit + 13]
    return [rank for rank, owner in zip(RANKS, owners, strict=True) if owner == seat]
