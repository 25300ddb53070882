"""Hand strength as people count it: points, tricks, losers, controls.

Each method is an Evaluator, found by name: the nine point counts and eight distributional methods
of Mossakowski & Mańdziuk 2009, Zar points, and those that players use today.
"""

from .conformance import check_evaluator
from .evaluator import Bounds, Evaluator, Kind
from .holdings import Holdings
from .raw import POINTS_FOR_ALL_TRICKS, raw_tricks
from .registry import (
    DISTRIBUTIONAL,
    POINT_COUNTS,
    HandValue,
    describe,
    evaluate,
    evaluate_all,
    get,
    names,
)

__all__ = [
    "DISTRIBUTIONAL",
    "POINTS_FOR_ALL_TRICKS",
    "POINT_COUNTS",
    "Bounds",
    "Evaluator",
    "HandValue",
    "Holdings",
    "Kind",
    "check_evaluator",
    "describe",
    "evaluate",
    "evaluate_all",
    "get",
    "names",
    "raw_tricks",
]


def __dir__() -> list[str]:
    return __all__
