"""Methods that sum the values of single cards: the table is the definition."""

import numpy as np

from .evaluator import Bounds, Evaluator, Kind
from .holdings import Floats, Holdings, HoldingValue


def card_values(ace: float, king: float, queen: float, jack: float, ten: float) -> HoldingValue:
    """Return the value of a holding, given the values of its honours."""
    honours = np.array([ace, king, queen, jack, ten])

    def value(holdings: Holdings) -> Floats:
        points: Floats = holdings.cards[:, :5] @ honours
        return points

    return value


def _count(
    name: str,
    title: str,
    cards: tuple[float, float, float, float, float],
    hand: Bounds,
    pair: Bounds,
    source: str,
    *aliases: str,
    kind: Kind = Kind.POINTS,
) -> Evaluator:
    return Evaluator(
        name=name,
        title=title,
        kind=kind,
        source=source,
        hand_bounds=hand,
        pair_bounds=pair,
        holding=card_values(*cards),
        aliases=aliases,
    )


_VIII = "Mossakowski & Mańdziuk 2009, Table VIII"

TABLE_VIII = (
    _count("work_points", "Work point count (HCP)", (4, 3, 2, 1, 0), (0, 37), (0, 40),
           f"{_VIII}; M. C. Work, from B. McCampbell 1915", "hcp", "wpc"),
    _count("bamberger", "Bamberger", (7, 5, 3, 1, 0), (0, 61), (0, 64), _VIII),
    _count("collet", "Collet", (4, 3, 2, 0.5, 0.5), (0, 36.5), (0, 40), _VIII),
    _count("four_aces", "Four aces", (3, 2, 1, 0.5, 0), (0, 24.5), (0, 26), _VIII),
    _count("polish", "Polish", (7, 4, 3, 0, 0), (0, 56), (0, 56), _VIII),
    _count("reith", "Reith", (6, 4, 3, 2, 1), (0, 54), (0, 64), _VIII),
    _count("robertson", "Robertson", (7, 5, 3, 2, 1), (0, 62), (0, 72), _VIII),
    _count("vernes", "Vernes", (4, 3.1, 1.9, 0.9, 0), (0, 36.9), (0, 39.6), _VIII),
    _count("akq", "AKQ points", (4, 3, 2, 0, 0), (0, 36), (0, 36), _VIII),
)  # fmt: skip
"""The nine point counts of the 2009 paper, in the paper's order."""

MODERN_POINTS = (
    _count("bum_rap", "BUM-RAP", (4.5, 3, 1.5, 0.75, 0.25), (0, 36.75), (0, 40),
           "J. Rubens, The Bridge World; T. Andrews, Evaluating Hands", "bumrap"),
    _count("fifths", "Fifths", (4, 2.8, 1.8, 1, 0.4), (0, 35.4), (0, 40),
           "T. Andrews, Fifths: an evaluator for 3NT"),
    _count("controls", "Controls", (2, 1, 0, 0, 0), (0, 12), (0, 12),
           "Blue Team Club; G. Rosenkranz, Romex", kind=Kind.CONTROLS),
    _count("queen_points", "Queen points (QP)", (3, 2, 1, 0, 0), (0, 24), (0, 24),
           "slam points of relay systems: ace 3, king 2, queen 1", "qp"),
)  # fmt: skip
"""Point counts that players use today."""
