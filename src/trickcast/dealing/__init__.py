"""Dealing cards: at random by seed and index, and at random under constraints.

Constrained dealing is loaded on access: who only deals at random does not wait for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .random import random_deals, random_endings

if TYPE_CHECKING:
    from .constrained import Constraints, Predicate, constrained_deals
    from .language.actions import Actions, Average, Frequency, read_actions
    from .language.errors import ConstraintError, ConstraintWarning
    from .report import ClauseHits, ConstraintReport, NoDealsError
    from .turning import turned

__all__ = [
    "Actions",
    "Average",
    "ClauseHits",
    "ConstraintError",
    "ConstraintReport",
    "ConstraintWarning",
    "Constraints",
    "Frequency",
    "NoDealsError",
    "Predicate",
    "constrained_deals",
    "random_deals",
    "random_endings",
    "read_actions",
    "turned",
]

_ON_ACCESS = {
    "Actions": "language.actions",
    "Average": "language.actions",
    "Frequency": "language.actions",
    "read_actions": "language.actions",
    "turned": "turning",
    "ClauseHits": "report",
    "ConstraintError": "language.errors",
    "ConstraintReport": "report",
    "ConstraintWarning": "language.errors",
    "Constraints": "constrained",
    "NoDealsError": "report",
    "Predicate": "constrained",
    "constrained_deals": "constrained",
}


def __getattr__(name: str) -> Any:
    """Load constrained dealing when something of it is first asked for."""
    if name in _ON_ACCESS:
        return getattr(import_module(f".{_ON_ACCESS[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
