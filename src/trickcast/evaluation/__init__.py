"""How good estimates are: hits, errors, calibration of chances, each with its interval."""

from .answers_file import AnswersError, open_answers, read_answers
from .benchmark import (
    SETS,
    Answers,
    TestSet,
    Truth,
    find_set,
    read_table_truth,
    score_answers,
    truth_of_deals,
)
from .breakdown import BREAKDOWNS, CONTRACTS
from .clusters import ClusterSums, Interval
from .figures import Calibration, CalibrationBin, Evaluation, Figures
from .scores import Score, compare, score
from .tally import Paired, Tally

__all__ = [
    "BREAKDOWNS",
    "CONTRACTS",
    "SETS",
    "Answers",
    "AnswersError",
    "Calibration",
    "CalibrationBin",
    "ClusterSums",
    "Evaluation",
    "Figures",
    "Interval",
    "Paired",
    "Score",
    "Tally",
    "TestSet",
    "Truth",
    "compare",
    "find_set",
    "open_answers",
    "read_answers",
    "read_table_truth",
    "score",
    "score_answers",
    "truth_of_deals",
]


def __dir__() -> list[str]:
    return __all__
