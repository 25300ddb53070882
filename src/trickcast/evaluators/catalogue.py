"""The methods that ship: names, sources and bounds of every rule in this room.

Bounds are exact: the smallest and largest value over all hands, and over all pairs of hands of one
deal (the tests search them all).
"""

from . import distribution as rules
from .evaluator import Evaluator, Kind
from .kaplan_rubens import flatness, four_cs
from .points import MODERN_POINTS, TABLE_VIII, card_values

_IX = "Mossakowski & Mańdziuk 2009, Table IX"

TABLE_IX = (
    Evaluator(
        name="honour_tricks",
        title="Honour tricks",
        kind=Kind.TRICKS,
        source=f"{_IX}; combinations that it leaves open after E. Culbertson",
        hand_bounds=(0, 8),
        pair_bounds=(0, 10),
        holding=rules.honour_tricks,
        aliases=("honor_tricks",),
    ),
    Evaluator(
        name="playing_tricks",
        title="Playing tricks",
        kind=Kind.TRICKS,
        source=f"{_IX}; no bonus for short suits, as it prints none",
        hand_bounds=(0, 11),
        pair_bounds=(0, 18),
        trump_hand_bounds=(0, 16),
        trump_pair_bounds=(0, 24),
        holding=rules.playing_tricks,
        trump_holding=rules.playing_tricks_in_trumps,
    ),
    Evaluator(
        name="losing_trick_count",
        title="Losing trick count (LTC)",
        kind=Kind.LOSERS,
        source=f"{_IX}; the standard count, from F. D. Courtenay 1934",
        hand_bounds=(0, 12),
        pair_bounds=(0, 24),
        holding=rules.losing_tricks,
        aliases=("ltc", "losers"),
        rising=False,
    ),
    Evaluator(
        name="asset",
        title="Asset system",
        kind=Kind.DISTRIBUTION,
        source=f"{_IX}; short suits count beside trumps only, which fits the paper's section IX-B",
        hand_bounds=(0, 37),
        pair_bounds=(0, 44),
        trump_hand_bounds=(0, 37),
        trump_pair_bounds=(0, 50),
        holding=rules.long_suits,
        side_holding=rules.asset,
        trump_holding=rules.long_suits,
    ),
    Evaluator(
        name="stayman",
        title="Stayman point count",
        kind=Kind.DISTRIBUTION,
        source=f"{_IX}, which prints no numbers: ours fit the paper's section IX-B (5-3-1 for "
        "shortness beside trumps, -1 for a queen or jack that is its suit's only honour)",
        hand_bounds=(0, 37),
        pair_bounds=(0, 40),
        trump_hand_bounds=(0, 37),
        trump_pair_bounds=(0, 55),
        holding=rules.guarded_points,
        side_holding=rules.stayman,
        trump_holding=rules.guarded_points,
    ),
    Evaluator(
        name="three_and_four",
        title="Rule of three and four",
        kind=Kind.DISTRIBUTION,
        source=f"{_IX}; at notrump every suit is a side suit",
        hand_bounds=(1, 38),
        pair_bounds=(2, 54),
        trump_hand_bounds=(0, 38),
        trump_pair_bounds=(0, 53),
        holding=rules.beyond_third,
        trump_holding=rules.beyond_fourth,
    ),
    Evaluator(
        name="minus_value",
        title="Moins-value",
        kind=Kind.DISTRIBUTION,
        source=f"{_IX}; the rules for suits are read as one or the other, for each suit",
        hand_bounds=(-3, 36.5),
        pair_bounds=(-4.5, 40),
        holding=rules.minus_value,
        whole=rules.missing_aces_and_tens,
        aliases=("moins_value",),
    ),
    Evaluator(
        name="plus_value",
        title="Plus-value",
        kind=Kind.DISTRIBUTION,
        source=f"{_IX}; the ten is an honour, and each suit counts",
        hand_bounds=(0, 40),
        pair_bounds=(0, 47),
        holding=rules.plus_value,
    ),
)
"""The eight distributional methods of the 2009 paper, in the paper's order."""

ZAR = Evaluator(
    name="zar_points",
    title="Zar points",
    kind=Kind.DISTRIBUTION,
    source="Mossakowski & Mańdziuk 2009, section VIII; Z. Petkov 2003",
    hand_bounds=(8, 58),
    pair_bounds=(16, 96),
    holding=card_values(6, 4, 2, 1, 0),
    whole=rules.shape_of_zar,
    aliases=("zar",),
)

MODERN = (
    *MODERN_POINTS,
    Evaluator(
        name="cccc",
        title="Four C's (CCCC), Kaplan and Rubens",
        kind=Kind.DISTRIBUTION,
        source="E. Kaplan & J. Rubens, The Bridge World, October 1982; steps by R. Pavlicek",
        hand_bounds=(-0.5, 35.6),
        pair_bounds=(-1, 62.5),
        holding=four_cs,
        whole=flatness,
        aliases=("kaplan_rubens", "knr"),
    ),
    Evaluator(
        name="quick_tricks",
        title="Quick tricks",
        kind=Kind.TRICKS,
        source="defensive tricks of E. Culbertson and C. Goren",
        hand_bounds=(0, 8),
        pair_bounds=(0, 8),
        holding=rules.quick_tricks,
    ),
    Evaluator(
        name="new_losing_trick_count",
        title="New losing trick count (NLTC)",
        kind=Kind.LOSERS,
        source="J. Koelman, The Bridge World, May 2003",
        hand_bounds=(0, 12),
        pair_bounds=(0, 24),
        holding=rules.new_losing_tricks,
        aliases=("nltc",),
        rising=False,
    ),
)
"""What players use today, besides the methods of the paper."""

METHODS = (*TABLE_VIII, *TABLE_IX, ZAR, *MODERN)
"""Every method, the paper's first."""
