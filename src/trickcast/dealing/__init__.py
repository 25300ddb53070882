"""Deal cards: at random by seed and index, and at random under constraints.

Constrained dealing is loaded on access, so dealing at random does not wait for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .shuffling import fresh_seed, random_deals, random_positions, turned

if TYPE_CHECKING:
    from .constraints import (
        ClauseHits,
        ConstraintReport,
        Constraints,
        KnownDeal,
        KnownHand,
        NoDealsError,
        Predicate,
        constrained_deals,
    )
    from .dealt_boards import DealtBoards, Theme, deal_boards, read_theme
    from .each import each_hand
    from .language.dealer_script import (
        Action,
        Expression,
        Outcome,
        Script,
        Settings,
        Text,
        read_script,
    )
    from .language.mistakes import ConstraintError, ConstraintWarning
    from .language.strategy import Strategy, read_strategy
    from .script_output import Actions, Average, Axis, Frequency, Listing, read_actions

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
    "DealtBoards",
    "Expression",
    "Frequency",
    "KnownDeal",
    "KnownHand",
    "Listing",
    "NoDealsError",
    "Outcome",
    "Predicate",
    "Script",
    "Settings",
    "Strategy",
    "Text",
    "Theme",
    "constrained_deals",
    "deal_boards",
    "each_hand",
    "fresh_seed",
    "random_deals",
    "random_positions",
    "read_actions",
    "read_script",
    "read_strategy",
    "read_theme",
    "turned",
]

_MODULES = {
    "dealt_boards": "DealtBoards Theme deal_boards read_theme",
    "constraints": (
        "ClauseHits ConstraintReport Constraints KnownDeal KnownHand NoDealsError Predicate "
        "constrained_deals"
    ),
    "language.dealer_script": "Action Expression Outcome Script Settings Text read_script",
    "language.strategy": "Strategy read_strategy",
    "language.mistakes": "ConstraintError ConstraintWarning",
    "each": "each_hand",
    "script_output": "Actions Average Axis Frequency Listing read_actions",
}
"""The module of each name that is loaded on access."""
_ON_ACCESS = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load constrained dealing on first use."""
    if name in _ON_ACCESS:
        return getattr(import_module(f".{_ON_ACCESS[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
