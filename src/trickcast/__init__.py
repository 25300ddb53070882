"""How many tricks will these cards take? Exact solving and neural estimates for bridge."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .cards import (
    Board,
    Deal,
    DealError,
    DealSet,
    Hand,
    Seat,
    Strain,
    Suit,
    TrickTable,
    Vulnerability,
)
from .dealing import random_deals
from .estimator import Estimator, ModelError, ModelInfo, TrickEstimate, estimate, models
from .formats import FormatError, FormatWarning, read, stream, write
from .solver import solve

if TYPE_CHECKING:
    from . import evaluators, openings
    from .embedding import HandEmbedding, PairEstimate, PairEstimator
    from .simulation import simulate, simulate_leads, simulate_making

__all__ = [
    "Board",
    "Deal",
    "DealError",
    "DealSet",
    "Estimator",
    "FormatError",
    "FormatWarning",
    "Hand",
    "HandEmbedding",
    "ModelError",
    "ModelInfo",
    "PairEstimate",
    "PairEstimator",
    "Seat",
    "Strain",
    "Suit",
    "TrickEstimate",
    "TrickTable",
    "Vulnerability",
    "estimate",
    "evaluators",
    "models",
    "openings",
    "random_deals",
    "read",
    "simulate",
    "simulate_leads",
    "simulate_making",
    "solve",
    "stream",
    "write",
]

_ON_ACCESS = {
    "HandEmbedding": ".embedding",
    "PairEstimate": ".embedding",
    "PairEstimator": ".embedding",
    "evaluators": ".evaluators",
    "openings": ".openings",
    "simulate": ".simulation",
    "simulate_leads": ".simulation",
    "simulate_making": ".simulation",
}
"""Where the names are that are loaded when they are first asked for."""


def __getattr__(name: str) -> Any:
    """Load a part of the package that most users never touch when it is first asked for."""
    if name in _ON_ACCESS:
        module = import_module(_ON_ACCESS[name], __name__)
        return module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
