"""Shapes: sets of suit lengths, one bool for each of the 560 shapes that a hand can have.

Patterns such as ``5xx2`` name shapes, as do the items of DealerV2's ``shape{seat, items}``:
``5+xx5+``, ``5M(332)``, ``4+s4+h(xx):d>c``. An item has four slots, each with the lengths that it
allows. A slot belongs to the suit named after it (``s h d c``, ``M`` one major, ``m`` one minor).
Slots without a name take the remaining suits in order, but those inside brackets in any order.
"""

import re
from dataclasses import dataclass
from functools import cache, reduce
from itertools import groupby, permutations, product

import numpy as np
from numpy.typing import NDArray

from .mistakes import clip

Shapes = NDArray[np.bool_]
"""(560,) bool, a set of rows of LENGTHS."""

LENGTHS = np.array(
    [tuple(lengths) for lengths in product(range(14), repeat=4) if sum(lengths) == 13],
    dtype=np.int64,
)
"""(560, 4) int64: every way for a hand's spades, hearts, diamonds, clubs to add up to 13."""
LENGTHS.flags.writeable = False

_BALANCED = ("4333", "4432", "5332")
_SEMI_BALANCED = (*_BALANCED, "5422", "6322")

Pattern = tuple[int | None, int | None, int | None, int | None]
"""Lengths of four suits; None for any length."""


def all_shapes() -> Shapes:
    """Return the set of all shapes."""
    return np.ones(len(LENGTHS), dtype=np.bool_)


def parse_pattern(text: str) -> Pattern:
    """Read four characters such as ``5xx2``, or lengths such as ``10=1=x=x`` and ``5-3-3-2``.

    Raises ValueError if they cannot add up to 13 cards.
    """
    parts = re.split("[=-]", text.lower()) if re.search("[=-]", text) else list(text.lower())
    lengths = [None if part == "x" else int(part) for part in parts]
    fixed = [length for length in lengths if length is not None]
    if sum(fixed) > 13 or (len(fixed) == 4 and sum(fixed) != 13):
        raise ValueError(f"{text} adds up to {sum(fixed)} cards (expected 13)")
    spades, hearts, diamonds, clubs = lengths
    return spades, hearts, diamonds, clubs


def exactly(pattern: Pattern) -> Shapes:
    """Return the shapes with these lengths of spades, hearts, diamonds, clubs."""
    fixed = [(suit, length) for suit, length in enumerate(pattern) if length is not None]
    return reduce(np.logical_and, [LENGTHS[:, suit] == n for suit, n in fixed], all_shapes())


@cache
def any_order(pattern: Pattern) -> Shapes:
    """Return the shapes with these lengths in any order of suits; read-only."""
    orders = {(a, b, c, d) for a, b, c, d in permutations(pattern)}
    shapes: Shapes = reduce(np.logical_or, map(exactly, orders))
    shapes.flags.writeable = False
    return shapes


@cache
def balanced(*, semi: bool = False) -> Shapes:
    """Return 4333, 4432 and 5332 in any order; ``semi`` adds 5422 and 6322.

    The set is read-only.
    """
    patterns = map(parse_pattern, _SEMI_BALANCED if semi else _BALANCED)
    shapes: Shapes = reduce(np.logical_or, map(any_order, patterns))
    shapes.flags.writeable = False
    return shapes


COMPARE = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
"""The comparison for each sign."""
_MOST_ITEMS = 200
"""Most items in one ``shape{}``."""
_ELEMENT = r"(?:[0-9xX]|\[[0-9-]+\])"
_SIGN = re.compile(r"[\s,]*([-+]?)[\s,]*")
_SLOT = re.compile(rf"({_ELEMENT})([-+]?)\s*([shdcMm]?)")
_ITEM_BEGINS = re.compile(rf"\(?{_ELEMENT}[-+]?[shdcMm]?[()]?{_ELEMENT}|{_ELEMENT}[-+]?[Mm]")
_TERM = re.compile(r"\s*([-+]?)\s*(?:([0-9]{1,2})\s*(?:\*\s*([shdc]))?|([shdc]))")
_SUITS = {"s": (0,), "h": (1,), "d": (2,), "c": (3,), "M": (0, 1), "m": (2, 3)}


@dataclass(frozen=True)
class _Slot:
    lengths: NDArray[np.bool_]
    """(14,) the lengths it allows."""
    suits: tuple[int, ...]
    """The suits that its name allows; none without a name."""
    bracket: int
    """The bracket it is in; each slot outside brackets has one of its own."""


def braced_shapes(text: str) -> Shapes:
    """Return the shapes of the items; ``text`` is what follows the seat.

    Raises ValueError for an invalid item or condition on lengths.
    """
    shapes, place, items = ~all_shapes(), 0, 0
    while (sign := _SIGN.match(text, place)) is not None and sign.end() < len(text):
        slots, place = _slots(text, sign.end())
        allowed = _fitting(slots)
        if text[place : place + 1] == ":":
            end = _end_of_condition(text, place + 1)
            allowed, place = allowed & _conditions(text[place + 1 : end]), end
        shapes = shapes & ~allowed if sign[1] == "-" else shapes | allowed
        items += 1
        if items > _MOST_ITEMS:
            raise ValueError(f"more than {_MOST_ITEMS} items in one shape{{}} (write several)")
    if not items:
        raise ValueError("no shape here (expected such as shape{north, 5+xxx - 5332})")
    return shapes


def _slots(text: str, start: int) -> tuple[list[_Slot], int]:
    """Read four slots, and return where the item ends."""
    slots: list[_Slot] = []
    place, inside = start, False
    brackets = 0
    while len(slots) < 4 or inside:
        character = text[place : place + 1]
        if character in ("(", ")") and (character == ")") == inside:
            inside, place, brackets = not inside, place + 1, brackets + 1
            continue
        match = _SLOT.match(text, place)
        if match is None or len(slots) == 4:
            item = text[start:].split()[0]
            raise ValueError(
                f"{clip(item)} is not a shape (expected such as 5+xx2-, (4432) or 5M(332))"
            )
        element, bound, name = match.groups()
        place = match.end()
        last = len(slots) == 3 and not inside
        many = not element.isdigit()  # an x or a list, which have no bound
        begins = match.end() if many else match.end(2)
        if last and bound and not name and _ITEM_BEGINS.match(text, begins):
            bound, place = "", match.end(1)  # as in 5332-5xxx, a subtraction
        if many and bound:
            raise ValueError(
                f"{clip(element + bound)}: only a number has a bound (expected such as 5+ or 2-)"
            )
        brackets += not inside
        slots.append(_Slot(_lengths(element, bound), _SUITS.get(name, ()), brackets))
    after = re.compile(r"\s*(?=:)").match(text, place)
    return slots, after.end() if after else place


def _lengths(element: str, bound: str) -> NDArray[np.bool_]:
    """Return the (14,) lengths of ``5``, ``5+``, ``2-``, ``x`` or ``[013-68]``."""
    numbers = np.arange(14)
    if element in "xX":
        return np.ones(14, dtype=np.bool_)
    if element[0] != "[":
        length = int(element)
        low, high = (0 if bound == "-" else length), (13 if bound == "+" else length)
        return (low <= numbers) & (numbers <= high)
    allowed = np.zeros(14, dtype=np.bool_)
    listed = element[1:-1]
    if re.fullmatch(r"(?:[0-9](?:-[0-9])?)+", listed) is None:
        raise ValueError(f"{clip(element)} is not a list of lengths (expected such as [013-6])")
    for low, high in re.findall(r"([0-9])(?:-([0-9]))?", listed):
        if high and low > high:
            raise ValueError(f"{clip(element)} runs backwards (expected {high}-{low})")
        allowed[int(low) : int(high or low) + 1] = True
    return allowed


def _fitting(slots: list[_Slot]) -> Shapes:
    """Return the shapes that fit the slots for any assignment of suits."""
    fitting = ~all_shapes()
    for suits in permutations(range(4)):
        pairs = list(zip(slots, suits, strict=True))
        if any(slot.suits and suit not in slot.suits for slot, suit in pairs):
            continue
        free = [(slot.bracket, suit) for slot, suit in pairs if not slot.suits]
        ordered = [
            suit
            for _, together in groupby(free, key=lambda pair: pair[0])
            for suit in sorted(suit for _, suit in together)
        ]
        if ordered == sorted(ordered):
            columns = [slot.lengths[LENGTHS[:, suit]] for slot, suit in pairs]
            fitting |= reduce(np.logical_and, columns)
    return fitting


def _end_of_condition(text: str, start: int) -> int:
    """Return where the condition of an item ends: before the next item."""
    for separator in re.compile(r"\s*[-+,]\s*|\s+").finditer(text, start):
        if _ITEM_BEGINS.match(text, separator.end()):
            return separator.start()
    return len(text)


def _conditions(text: str) -> Shapes:
    """Return the shapes of ``d>c,h+s==10 or s>h``: a comma binds tighter than ``or``."""
    fitting = ~all_shapes()
    for alternative in re.split(r"\bor\b|\|\|", text):
        parts = re.split(r",|\band\b|&&", alternative)
        fitting |= reduce(np.logical_and, [_condition(part) for part in parts])
    return fitting


def _condition(text: str) -> Shapes:
    sides = re.split(r"(==|!=|<=|>=|<|>)", text)
    if len(sides) != 3:
        raise ValueError(f"{clip(text)!r} is not a condition on lengths (expected such as d>c)")
    left, sign, right = sides
    fitting: Shapes = np.asarray(COMPARE[sign](_sum(left), _sum(right)))
    return np.broadcast_to(fitting, len(LENGTHS))


def _sum(text: str) -> NDArray[np.int64]:
    total, place = np.zeros(len(LENGTHS), dtype=np.int64), 0
    while place == 0 or text[place:].strip():
        match = _TERM.match(text, place)
        if match is None or (place > 0 and not match[1]):
            raise ValueError(f"{clip(text)!r} is not a sum of lengths (expected such as h+s)")
        sign, number, times, letter = match.groups()
        suit = times or letter
        term = int(number or 1) * (LENGTHS[:, "shdc".index(suit)] if suit else 1)
        total = total - term if sign == "-" else total + term
        place = match.end()
    return total
