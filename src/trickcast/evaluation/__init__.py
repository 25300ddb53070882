"""How good estimates are: hits, errors, chances that come true, each with its interval."""

from .breakdown import BREAKDOWNS, CONTRACTS
from .clusters import ClusterSums, Interval
from .report import Calibration, CalibrationBin, Evaluation, Figures
from .scores import Score, compare, score
from .tally import Paired, Tally
