"""Hands as vectors, and the worth of two hands when the other two are unknown."""

from .atlas import write_map
from .estimate import PairEstimate
from .files import PairModelInfo, pair_models
from .index import HandIndex
from .pairs import PairEstimator
from .vectors import HandEmbedding
from .worth import PairContract, best_contracts

__all__ = [
    "HandEmbedding",
    "HandIndex",
    "PairContract",
    "PairEstimate",
    "PairEstimator",
    "PairModelInfo",
    "best_contracts",
    "pair_models",
    "write_map",
]


def __dir__() -> list[str]:
    return __all__
