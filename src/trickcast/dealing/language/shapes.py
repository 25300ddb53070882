"""Shapes: sets of suit lengths, one bool for each of the 560 shapes that a hand can have."""

from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

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
    """Read four characters such as ``5xx2`` or four lengths such as ``10=1=x=x``.

    Raises ValueError when they cannot add up to 13 cards.
    """
    parts = text.lower().split("=") if "=" in text else list(text.lower())
    lengths = [None if part == "x" else int(part) for part in parts]
    fixed = [length for length in lengths if length is not None]
    if sum(fixed) > 13 or (len(fixed) == 4 and sum(fixed) != 13):
        raise ValueError(f"{text} adds up to {sum(fixed)} cards (expected 13)")
    spades, hearts, diamonds, clubs = lengths
    return spades, hearts, diamonds, clubs


def exactly(pattern: Pattern) -> Shapes:
    """Return the shapes with these lengths of spades, hearts, diamonds, clubs."""
    shapes = all_shapes()
    for suit, length in enumerate(pattern):
        if length is not None:
            shapes &= LENGTHS[:, suit] == length
    return shapes


@cache
def any_order(pattern: Pattern) -> Shapes:
    """Return the shapes with these lengths in whichever suits; not to be written to."""
    shapes = np.zeros(len(LENGTHS), dtype=np.bool_)
    for spades, hearts, diamonds, clubs in set(permutations(pattern)):
        shapes |= exactly((spades, hearts, diamonds, clubs))
    shapes.flags.writeable = False
    return shapes


@cache
def balanced(*, semi: bool = False) -> Shapes:
    """Return 4333, 4432 and 5332 in any order; ``semi`` adds 5422 and 6322.

    The set is not to be written to.
    """
    shapes = np.zeros(len(LENGTHS), dtype=np.bool_)
    for pattern in _SEMI_BALANCED if semi else _BALANCED:
        shapes |= any_order(parse_pattern(pattern))
    shapes.flags.writeable = False
    return shapes
