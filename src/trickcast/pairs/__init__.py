"""Hands as vectors, and what two hands are worth when the other two are not known."""

from .._public import public_names
from .atlas import write_map
from .estimate import PairEstimate
from .files import PairModelInfo, pair_models
from .index import HandIndex
from .pairs import PairEstimator
from .vectors import HandEmbedding
from .worth import PairContract, best_contracts

__dir__ = public_names(__name__)
