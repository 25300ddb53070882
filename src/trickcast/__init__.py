"""How many tricks will these cards take? Exact solving and neural estimates for bridge.

What most users need has its name here, and is loaded when it is first asked for; what is for
experts is imported from its room, such as ``trickcast.cards`` or ``trickcast.simulation``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bidding as openings
    from . import evaluators, session
    from .bidding import (
        Bidder,
        bid_deals,
        compare_calls,
        deals_after,
        explain_auction,
        suggest_calls,
    )
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
    from .dealing import constrained_deals, random_deals
    from .estimator import Estimator, ModelError, TrickEstimate, estimate, models
    from .formats import FormatError, iter_deals, read, write
    from .pairs import HandEmbedding, PairEstimator
    from .pars import par
    from .played import estimate_played
    from .scoring import Contract, score
    from .simulation import compare, contract_chance, simulate, simulate_leads, simulate_play
    from .solver import solve, solve_leads, solve_play

    __version__: str

__all__ = [
    "Bidder",
    "Board",
    "Contract",
    "Deal",
    "DealError",
    "DealSet",
    "Estimator",
    "FormatError",
    "Hand",
    "HandEmbedding",
    "ModelError",
    "PairEstimator",
    "Seat",
    "Strain",
    "Suit",
    "TrickEstimate",
    "TrickTable",
    "Vulnerability",
    "__version__",
    "bid_deals",
    "compare",
    "compare_calls",
    "constrained_deals",
    "contract_chance",
    "deals_after",
    "estimate",
    "estimate_played",
    "evaluators",
    "explain_auction",
    "iter_deals",
    "models",
    "openings",
    "par",
    "random_deals",
    "read",
    "score",
    "session",
    "simulate",
    "simulate_leads",
    "simulate_play",
    "solve",
    "solve_leads",
    "solve_play",
    "suggest_calls",
    "write",
]

_ROOMS = {
    "bidding": "Bidder bid_deals compare_calls deals_after explain_auction suggest_calls",
    "cards": "Board Deal DealError DealSet Hand Seat Strain Suit TrickTable Vulnerability",
    "dealing": "constrained_deals random_deals",
    "estimator": "Estimator ModelError TrickEstimate estimate models",
    "formats": "FormatError iter_deals read write",
    "pairs": "HandEmbedding PairEstimator",
    "pars": "par",
    "played": "estimate_played",
    "scoring": "Contract score",
    "simulation": "compare contract_chance simulate simulate_leads simulate_play",
    "solver": "solve solve_leads solve_play",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}
_WHOLE_ROOMS = {"evaluators": "evaluators", "openings": "bidding", "session": "session"}
"""Where each name is from, and the names that are rooms themselves."""


def __getattr__(name: str) -> Any:
    """Load a part of the package when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: Any
    if name == "__version__":
        value = import_module("importlib.metadata").version(__name__)
    else:
        room = import_module(f".{_ROOM_OF.get(name) or _WHOLE_ROOMS[name]}", __name__)
        value = getattr(room, name) if name in _ROOM_OF else room
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
