"""A session as it was played: the results of every table, how they compare, and what was luck.

``read`` files, ``judge`` the session, then ask for its ``pairs`` and ``matches``.
"""

from .judging import Judged, JudgedBoard, JudgedTable, ScoreParts, compared, judge
from .ranking import Match, PairResult, Total, matches, pairs, players, rankings
from .reading import joined, read
from .showing import as_csv, as_json, board_sheet, find_pairs, overview, pair_sheet
from .tables import IMPS, MATCHPOINTS, Adjusted, Session, SessionBoard, Stated, Table

__all__ = [
    "IMPS",
    "MATCHPOINTS",
    "Adjusted",
    "Judged",
    "JudgedBoard",
    "JudgedTable",
    "Match",
    "PairResult",
    "ScoreParts",
    "Session",
    "SessionBoard",
    "Stated",
    "Table",
    "Total",
    "as_csv",
    "as_json",
    "board_sheet",
    "compared",
    "find_pairs",
    "joined",
    "judge",
    "matches",
    "overview",
    "pair_sheet",
    "pairs",
    "players",
    "rankings",
    "read",
]


def __dir__() -> list[str]:
    return __all__
