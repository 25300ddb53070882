"""How good estimates are: hits, errors, chances that come true, each with its interval."""

from .._public import public_names
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
from .report import Calibration, CalibrationBin, Evaluation, Figures
from .scores import Score, compare, score
from .tally import Paired, Tally

__dir__ = public_names(__name__)
