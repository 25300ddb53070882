"""Find methods by name, and apply them to hands."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from ..cards import Hand, HandsLike, Strain, as_hands, shorten
from .catalogue import METHODS, TABLE_IX
from .evaluator import Bounds, Evaluator, Kind
from .holdings import Floats, holding_ids
from .points import TABLE_VIII

POINT_COUNTS = tuple(method.name for method in TABLE_VIII)
"""The nine point counts of Mossakowski & Mańdziuk 2009, in the order of its Table VIII."""
DISTRIBUTIONAL = tuple(method.name for method in TABLE_IX)
"""The eight distributional methods of the same paper, in the order of its Table IX."""

_BY_NAME = {name: method for method in METHODS for name in (method.name, *method.aliases)}


def names() -> tuple[str, ...]:
    """Return the names of all methods, the paper's first; ``get`` also knows aliases.

    Returns:
        Names that ``get`` and ``evaluate`` accept.

    Example:
        >>> names()[:3]
        ('work_points', 'bamberger', 'collet')
    """
    return tuple(method.name for method in METHODS)


def get(name: str | Evaluator) -> Evaluator:
    """Return the method with this name or alias.

    Args:
        name: Name or alias, in upper or lower case. An Evaluator is returned unchanged.

    Returns:
        An Evaluator.

    Raises:
        ValueError: There is no such method.

    Example:
        >>> tc.evaluators.get("hcp").title
        'Work point count (HCP)'
    """
    if isinstance(name, Evaluator):
        return name
    asked = name.strip().lower() if isinstance(name, str) else ""
    method = _BY_NAME.get(asked.replace("-", "_").replace(" ", "_"))
    if method is None:
        close = get_close_matches(asked, _BY_NAME, n=1)
        hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(names())}"
        raise ValueError(f"{shorten(name)} is not a hand-strength method ({hint})")
    return method


def evaluate(name: str | Evaluator, hands: HandsLike, trump: str | Strain | None = None) -> Floats:
    """Return the value of each hand by one method.

    Args:
        name: Name or alias of a method (see ``names()``), or an Evaluator.
        hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.
        trump: Trump suit. Default: notrump.

    Returns:
        Values in the unit of the method, shape (n,), float64; () for one hand.

    Raises:
        ValueError: There is no such method.
        DealError: A hand is not valid.

    Example:
        >>> tc.evaluators.evaluate("work_points", ["AKQ2.QJT987.32.2", "A.KQ9832.T94.AKT"])
        array([12., 16.])
    """
    return get(name).evaluate(hands, trump)


def evaluate_all(
    methods: Iterable[str | Evaluator], hands: HandsLike, trump: str | Strain | None = None
) -> Floats:
    """Return the values of each hand by several methods.

    Args:
        methods: Names of methods, or Evaluators.
        hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.
        trump: Trump suit. Default: notrump.

    Returns:
        Values, shape (n, number of methods), float64; one axis less for one hand.

    Raises:
        ValueError: There is no such method.
        DealError: A hand is not valid.

    Example:
        >>> tc.evaluators.evaluate_all(["work_points", "zar"], "A.KQ9832.T94.AKT")
        array([16., 36.])
    """
    held, single = as_hands(hands)
    ids = holding_ids(held)
    columns = [get(method).of_holdings(ids, trump) for method in methods]
    values = np.stack(columns, axis=1) if columns else np.empty((len(ids), 0))
    return values[0] if single else values


@dataclass(frozen=True, slots=True)
class HandValue:
    """The value of one hand by one method."""

    name: str
    title: str
    kind: Kind
    value: float
    bounds: Bounds
    """Smallest and largest value of any hand."""
    source: str


def describe(hand: str | Hand, trump: str | Strain | None = None) -> list[HandValue]:
    """Return the values of one hand by every method.

    Args:
        hand: A Hand, or its text.
        trump: Trump suit. Default: notrump.

    Returns:
        A list of HandValues, in the order of ``names()``: name, title, value, bounds and what it
        counts.

    Raises:
        DealError: ``hand`` is not a hand, or ``trump`` not a strain.

    Example:
        >>> for value in tc.evaluators.describe("A.KQ9832.T94.AKT")[:2]:
        ...     print(value.name, value.value, value.bounds)
        work_points 16.0 (0, 37)
        bamberger 27.0 (0, 61)
    """
    cards = Hand(hand)
    values = evaluate_all(METHODS, cards, trump)
    return [
        HandValue(
            method.name,
            method.title,
            method.kind,
            float(value),
            method.bounds(trump),
            method.source,
        )
        for method, value in zip(METHODS, values, strict=True)
    ]
