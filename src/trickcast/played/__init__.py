"""The tricks that players really take: a distribution at the table, learned from results.

Double-dummy tricks assume that everybody sees all cards. This model starts from the estimates of
``accurate`` and corrects them for play by people who see two hands.
"""

from .estimate import PLAYERS, PlayedEstimator, estimate_played, loaded_played
from .files import PlayedModelInfo
from .norms import Norm, given_away, norms
from .par_contracts import expected_at_par
from .result import PlayedEstimate

__all__ = [
    "PLAYERS",
    "Norm",
    "PlayedEstimate",
    "PlayedEstimator",
    "PlayedModelInfo",
    "estimate_played",
    "expected_at_par",
    "given_away",
    "loaded_played",
    "norms",
]


def __dir__() -> list[str]:
    return __all__
