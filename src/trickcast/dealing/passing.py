"""Whether layouts pass what is asked of them: clauses of text, and tests in Python."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat
from .language.errors import ConstraintError
from .language.evaluation import Layouts, evaluate, may_hold
from .language.tree import Node

Bools = NDArray[np.bool_]
Predicate = Callable[[NDArray[Any]], Any]
"""A test in Python. A seat's gets (n, 52) bool hands, a condition's (n, 52) uint8 owners; it
returns (n,) bool."""


@dataclass(frozen=True, eq=False)
class Test:
    """A predicate in Python as a clause."""

    source: str
    text: str
    function: Predicate
    seat: Seat | None


def passes(asked: Node | Test, layouts: Layouts) -> Bools:
    """Return which layouts pass: (n,) bool. What a division by zero leaves open does not.

    Raises ConstraintError for a test that returns anything else than (n,) bool.
    """
    if isinstance(asked, Test):
        return _tested(asked, layouts)
    return np.broadcast_to(evaluate(asked, layouts), len(layouts))


def may_pass(asked: Node | Test, layouts: Layouts) -> Bools:
    """Return the same, but that what a division by zero leaves open passes."""
    if isinstance(asked, Test):
        return _tested(asked, layouts)
    return np.broadcast_to(may_hold(asked, layouts), len(layouts))


def _tested(test: Test, layouts: Layouts) -> Bools:
    given = layouts.owners if test.seat is None else layouts.owners == test.seat
    passed = np.asarray(test.function(given))
    if passed.shape != (len(layouts),) or passed.dtype != np.bool_:
        raise ConstraintError(
            f"{test.source}: {test.text} returned {passed.dtype} of shape {passed.shape} "
            f"(expected bool of shape ({len(layouts)},))"
        )
    return passed
