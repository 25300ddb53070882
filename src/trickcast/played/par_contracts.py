"""Score the contracts of a par at the table, where nobody sees all the cards."""

from collections.abc import Sequence

import numpy as np

from ..cards import DealSet, Vulnerability
from ..scoring import Par, score
from .estimate import estimate_played

_COUNTS = np.arange(14)


def expected_at_par(
    deals: DealSet, pars: Sequence[Par], vulnerable: Sequence[Vulnerability]
) -> list[tuple[float, ...]]:
    """Return North-South's expected score at the table in each contract of each deal's par.

    Play is as in championships. If either partner may declare, it is the mean of both.

    Args:
        deals: n deals.
        pars: Their pars.
        vulnerable: Their vulnerable sides.

    Returns:
        n tuples, a number for each of ``Par.contracts``; empty for a board that is passed out.

    Example:
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> from trickcast.played import expected_at_par
        >>> deals, best = tc.DealSet.from_deals([deal]), tc.par(deal, vulnerable="none")
        >>> ((expected,),) = expected_at_par(deals, [best], [tc.Vulnerability.NONE])
        >>> 0 < expected < best.score
        True
    """
    asked = [
        (row, number, each.contract, seat)
        for row, best in enumerate(pars)
        for number, each in enumerate(best.contracts)
        for seat in each.declarers
    ]
    sums = [[0.0] * len(best.contracts) for best in pars]
    if asked:
        rows, numbers, contracts, seats = zip(*asked, strict=True)
        played = estimate_played(deals[np.array(rows)], contracts, seats)
        for row, number, contract, seat, chances in zip(
            rows, numbers, contracts, seats, played.probabilities, strict=True
        ):
            points = chances @ score(contract, _COUNTS, bool(vulnerable[row] >> seat.side & 1))
            share = len(pars[row].contracts[number].declarers)
            sums[row][number] += float(points if seat.side == 0 else -points) / share
    return [tuple(each) for each in sums]
