"""What a Dealer script asks for besides conditions: how many deals, and what is done with them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...cards import Seat, Vulnerability
from .errors import clip, pointed
from .evaluation import Layouts, evaluate
from .scripts import read_numbers
from .tree import Node

_NOT_CODE = re.compile(r'//[^\n]*|#[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|"[^"\n]*"')
_ACTION = re.compile(r"\baction\b(?!\s*=)", re.IGNORECASE)
_NEXT = re.compile(
    r"\b(?:action|condition|predeal|altcount|pointcount|produce|generate|dealer|opener|vulnerable|"
    r"seed\s+\d|title\b|[a-z_]\w*\s*=[^=])",
    re.IGNORECASE,
)
_ITEM = re.compile(r'\s*([a-z_]\w*)\s*("[^"\n]*")?\s*', re.IGNORECASE)
_WHOLE = re.compile(r"\s*(-?\d{1,6})\s*")
_LARGEST_TABLE = 10_000
"""Cells of a frequency table."""


@dataclass(frozen=True, eq=False)
class Average:
    """``average "label" number``: the mean over all deals."""

    label: str
    number: Node

    def of(self, owners: NDArray[np.uint8]) -> float:
        """Return the mean over (n, 52) owners."""
        return float(_values(self.number, owners).mean())


@dataclass(frozen=True, eq=False)
class Frequency:
    """``frequency "label" (number, low, high)``, or of two numbers with two ranges."""

    label: str
    axes: tuple[tuple[Node, int, int], ...]
    """One or two numbers, each with the least and the greatest value that is counted apart."""

    def of(self, owners: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return how often each value occurs in (n, 52) owners.

        An axis has the numbers below its range first, then one place for each whole number of the
        range (fractions are cut off), then those above it.
        """
        places, sizes = [], []
        for number, low, high in self.axes:
            whole = np.trunc(_values(number, owners)).clip(low - 1, high + 1)
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
    return _ActionReader(text, source).actions()


def _values(node: Node, owners: NDArray[np.uint8]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.broadcast_to(evaluate(node, Layouts(owners)), len(owners))
    return values.astype(np.float64)


def _blank(part: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", part[0])


def _blank_but_quotes(part: re.Match[str]) -> str:
    return part[0] if part[0].startswith('"') else _blank(part)


class _ActionReader:
    def __init__(self, text: str, source: str):
        self.text, self.source = text, source
        # places stay the same without comments, and without what stands in quotes
        self._code = _NOT_CODE.sub(_blank_but_quotes, text)
        self._bare = _NOT_CODE.sub(_blank, text)

    def actions(self) -> Actions:
        tables: list[Average | Frequency] = []
        printing = []
        for start, end in self._items():
            word = _ITEM.match(self._code, start, end)
            if word is None:
                raise self._wrong(start, end, "is no action (expected such as printpbn)")
            label = (word[2] or "").strip('"')
            match word[1].lower():
                case "average":
                    tables.append(Average(label, self._number(word.end(), end)))
                case "frequency":
                    tables.append(self._frequency(label, word.end(), end))
                case other:
                    printing.append(other)
        dealer, vulnerable = self._said("dealer"), self._said("vulnerable")
        return Actions(
            tuple(tables),
            tuple(printing),
            self._whole("produce"),
            self._whole("seed"),
            None if dealer is None else Seat.parse(dealer),
            None if vulnerable is None else Vulnerability.parse(vulnerable),
        )

    def _said(self, statement: str) -> str | None:
        said = re.search(rf"(?i)\b{statement}\s+([a-z]+)\b(?!\s*=)", self._bare)
        return said[1] if said else None

    def _whole(self, statement: str) -> int | None:
        said = re.search(rf"(?i)\b{statement}\s+(\d+)", self._bare)
        return int(said[1]) if said else None

    def _items(self) -> Iterator[tuple[int, int]]:
        """Yield where each action begins and ends in the text."""
        for word in _ACTION.finditer(self._bare):
            following = _NEXT.search(self._bare, word.end())
            yield from self._parts(word.end(), following.start() if following else len(self.text))

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield where what commas part begins and ends; commas in brackets part nothing."""
        depth = 0
        for place in range(start, end):
            depth += {"(": 1, ")": -1}.get(self._bare[place], 0)
            if self._bare[place] == "," and not depth:
                yield start, place
                start = place + 1
        if self._code[start:end].strip():
            yield start, end

    def _frequency(self, label: str, start: int, end: int) -> Frequency:
        first, last = self._bare.find("(", start, end), self._bare.rfind(")", start, end)
        parts = list(self._parts(first + 1, last)) if 0 <= first < last else []
        if len(parts) not in (3, 6):
            raise self._wrong(
                start, end, "is no table (expected (number, low, high), once or twice)"
            )
        axes = []
        for i in range(0, len(parts), 3):
            bounds = [_WHOLE.fullmatch(self._bare, *part) for part in parts[i + 1 : i + 3]]
            low, high = (int(bound[1]) if bound else None for bound in bounds)
            if low is None or high is None or low > high:
                raise self._wrong(
                    start, end, "has no range (expected whole numbers, the least first)"
                )
            axes.append((self._number(*parts[i]), low, high))
        if np.prod([high - low + 3 for _, low, high in axes]) > _LARGEST_TABLE:
            raise self._wrong(
                start, end, f"is too large (expected at most {_LARGEST_TABLE:,} cells)"
            )
        return Frequency(label, tuple(axes))

    def _number(self, start: int, end: int) -> Node:
        """Read an expression in its place: the names of the script hold, and errors point there."""
        if not self._bare[start:end].strip():
            raise self._wrong(start, end, "has no number (expected such as hcp(north))")
        return read_numbers(self.text, [(start, end)], self.source)[0]

    def _wrong(self, start: int, end: int, message: str) -> Exception:
        """Return the error of an action."""
        while end > start + 1 and self.text[end - 1].isspace():
            end -= 1
        shown = clip(self.text[start:end].strip()) or "nothing"
        return pointed(self.text, start, end, f"{shown} {message}", self.source)
