"""Point counts used alone to estimate tricks, as the papers did for comparison."""

import numpy as np
from numpy.typing import NDArray

from ..cards import DealsLike, Seat, Strain, as_dealset, hands_of, shorten
from .holdings import holding_ids
from .registry import get

POINTS_FOR_ALL_TRICKS = {"work_points": 40, "asset": 40, "stayman": 37}
"""Points of North and South that correspond to thirteen tricks.

Mossakowski & Mańdziuk 2004 print 13/40 for work points. Their paper of 2009 gives results for the
three methods but no conversion; of the whole numbers, these come closest to its results.
"""


def raw_tricks(name: str, deals: DealsLike, trump: str | Strain | None = None) -> NDArray[np.uint8]:
    """Estimate the tricks of North and South from their points alone.

    The points are multiplied by 13 / ``POINTS_FOR_ALL_TRICKS`` and rounded (6.5 to 6), to at most
    13.

    Args:
        name: work_points, asset or stayman.
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
        trump: Trump suit. Default: notrump.

    Returns:
        Tricks, shape (n,), uint8; () for one deal.

    Raises:
        ValueError: The method has no such conversion.
        DealError: A deal or strain is not valid.

    Example:
        >>> raw_tricks("work_points", tc.random_deals(3, seed=1)).shape
        (3,)

    Source:
        Mossakowski and Mańdziuk 2009, section IX.
    """
    method = get(name)
    points_for_all = POINTS_FOR_ALL_TRICKS.get(method.name)
    if points_for_all is None:
        raise ValueError(
            f"{shorten(name)} has no conversion to tricks (expected one of "
            f"{', '.join(POINTS_FOR_ALL_TRICKS)})"
        )
    dealt, single = as_dealset(deals)
    points = sum(
        method.of_holdings(holding_ids(hands_of(dealt.owners, seat)), trump)
        for seat in (Seat.NORTH, Seat.SOUTH)
    )
    tricks = np.clip(np.rint(13 * points / points_for_all), 0, 13).astype(np.uint8)
    return tricks[0, ...] if single else tricks
