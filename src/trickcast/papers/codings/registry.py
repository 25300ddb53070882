"""Every coding by name."""

from ...cards import shorten
from ...evaluators import DISTRIBUTIONAL, POINT_COUNTS
from .card_codings import FourHands, LeaderLast, OneNumber, PairAndHand, RankAndSuit
from .coding import Coding, Joined
from .method_codings import EstimatorInputs

_SIDES = (1.0, -1.0, 1.0, -1.0)
_WORK = ("work_points",)
_ALL = (*POINT_COUNTS, *DISTRIBUTIONAL)

_CARDS: tuple[Coding, ...] = (
    FourHands(),
    FourHands("52x4-marked", "marked"),
    LeaderLast(),
    LeaderLast("52x4-2018+9", extras=True),
    OneNumber("52", _SIDES),
    OneNumber("52-seats", (1.0, -0.8, 0.8, -1.0)),
    OneNumber("52-partners", (1.0, -1.0, 0.8, -1.0)),
    OneNumber("52-marked", _SIDES, "marked"),
    OneNumber("52-ignored", _SIDES, "ignored"),
    PairAndHand(),
    PairAndHand("104-marked", "marked"),
    RankAndSuit(),
    RankAndSuit("26x4-2004", suits="2004"),
    RankAndSuit("26x4-2004-0-1", 0.0, 1.0, suits="2004"),
    RankAndSuit("26x4-2004-0.2-0.8", 0.2, 0.8, suits="2004"),
    RankAndSuit("26x4-trump", trump_input=True),
    RankAndSuit("26x4-leader", leader_inputs=True),
    RankAndSuit("26x4-trump-leader", trump_input=True, leader_inputs=True),
)
_ESTIMATORS = (
    EstimatorInputs("work-sum", _WORK, hands=False),
    EstimatorInputs("work", _WORK),
    EstimatorInputs("work-lengths", _WORK, suit_lengths=True),
    EstimatorInputs("points", POINT_COUNTS),
    EstimatorInputs("distribution", DISTRIBUTIONAL),
    EstimatorInputs("methods", _ALL),
    EstimatorInputs("methods-sums", _ALL, pair_sums=True),
    EstimatorInputs("methods-lengths", _ALL, suit_lengths=True),
    EstimatorInputs("zar", ("zar_points",)),
)
_BY_NAME: dict[str, Coding] = {coding.name: coding for coding in (*_CARDS, *_ESTIMATORS)}
_JOINED = tuple(
    Joined(_BY_NAME[cards], _BY_NAME[methods])
    for cards, methods in (
        ("52", "points"),
        ("52", "distribution"),
        ("52", "methods-sums"),
        ("52", "zar"),
        ("104", "methods"),
        ("52x4", "methods-lengths"),
    )
)

CODINGS: dict[str, Coding] = _BY_NAME | {coding.name: coding for coding in _JOINED}
"""Every coding by name."""


def find_coding(name: str, version: int | None = None) -> Coding:
    """Return a coding by its name.

    Args:
        name: Name of the coding.
        version: Version. Default: the current one.

    Returns:
        The Coding.

    Raises:
        ValueError: The name or version is unknown; the message lists the known ones.

    Example:
        >>> find_coding("52x4").name
        '52x4'
    """
    coding = CODINGS.get(name)
    if coding is None or version not in (None, coding.version):
        wanted = name if version is None else f"{name} version {version}"
        known = ", ".join(f"{c.name} version {c.version}" for c in CODINGS.values())
        raise ValueError(f"no coding {shorten(wanted)} (there are: {known})")
    return coding
