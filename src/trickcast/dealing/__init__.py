"""Dealing cards: at random by seed and index, and at random under constraints.

Constrained dealing is loaded on access: who only deals at random does not wait for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .random import random_deals, random_positions

if TYPE_CHECKING:
    from .constrained import Constraints, constrained_deals
    from .language.actions import Action, Expression, Settings, Text
    from .language.errors import ConstraintError, ConstraintWarning
    from .language.scripts import Script, read_script
    from .listing import Listing
    from .passing import Predicate
    from .report import ClauseHits, ConstraintReport, NoDealsError
    from .tables import Actions, Average, Axis, Frequency, read_actions
    from .turning import turned

__all__ = [
    "Action",
    "Actions",
    "Average",
    "Axis",
    "ClauseHits",
    "ConstraintError",
    "ConstraintReport",
    "ConstraintWarning",
    "Constraints",
    "Expression",
    "Frequency",
    "Listing",
    "NoDealsError",
    "Predicate",
    "Script",
    "Settings",
    "Text",
    "constrained_deals",
    "random_deals",
    "random_positions",
    "read_actions",
    "read_script",
    "turned",
]

_ON_ACCESS = {
    "Action": "language.actions",
    "Actions": "tables",
    "Average": "tables",
    "Axis": "tables",
    "Frequency": "tables",
    "Listing": "listing",
    "read_actions": "tables",
    "turned": "turning",
    "ClauseHits": "report",
    "ConstraintError": "language.errors",
    "ConstraintReport": "report",
    "ConstraintWarning": "language.errors",
    "Constraints": "constrained",
    "Expression": "language.actions",
    "NoDealsError": "report",
    "Predicate": "passing",
    "Script": "language.scripts",
    "Settings": "language.actions",
    "Text": "language.actions",
    "constrained_deals": "constrained",
    "read_script": "language.scripts",
}


def __getattr__(name: str) -> Any:
    """Load constrained dealing when something of it is first asked for."""
    if name in _ON_ACCESS:
        return getattr(import_module(f".{_ON_ACCESS[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
