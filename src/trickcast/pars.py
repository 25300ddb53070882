"""The par of deals: solve tricks that are not known, then bid for both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cards import UNKNOWN, Board, DealError, DealsLike, Seat, TrickTable, Vulnerability, as_dealset
from .scoring import Par
from .scoring import par as par_of
from .solver import solve


def par(
    deals: DealsLike | TrickTable,
    dealer: str | Seat | Sequence[str | Seat] | None = None,
    vulnerable: str | Vulnerability | Sequence[str | Vulnerability] | None = None,
    *,
    workers: int | None = None,
) -> Par | list[Par]:
    """Return the par of each deal: the score if both sides bid perfectly, seeing all cards.

    Tables that a DealSet already holds are not solved again.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8; or a
            TrickTable.
        dealer: Dealer of all deals, or a list of n. Default: the board's, else by its number,
            else North.
        vulnerable: Vulnerability of all deals, or a list of n: none, ns, ew or both. Default: as
            for ``dealer``, else none.
        workers: Number of solver threads. Default: all cores.

    Returns:
        A Par, or a list of n: ``score`` in points for North-South, and the contracts that score it.

    Raises:
        DealError: A deal, seat or vulnerability is not valid, counts differ, or a table has unknown
            results.
        ValueError: ``workers`` is below 1.

    Example:
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> best = tc.par(deal, dealer="N", vulnerable="none")
        >>> best.score, str(best)
        (420, 'NS +420: 4♥ by N or S')
    """
    boards: Sequence[Board] | None = None
    tables: NDArray[np.uint8]
    if isinstance(deals, TrickTable):
        tables, single = deals.tricks.reshape(-1, 5, 4), deals.single
    else:
        dealset, single = as_dealset(deals)
        boards, tables = dealset.boards, dealset.tricks_or_unknown.copy()
        missing = (tables == UNKNOWN).any(axis=(1, 2))
        if missing.any():
            tables[missing] = solve(dealset[missing], workers=workers).tricks
    known = [board.completed() for board in boards or [Board()] * len(tables)]
    dealers = _each(dealer, "dealers", [board.dealer or Seat.NORTH for board in known])
    sides = _each(
        vulnerable,
        "vulnerabilities",
        [board.vulnerability or Vulnerability.NONE for board in known],
    )
    pars = [par_of(*asked) for asked in zip(np.asarray(tables), dealers, sides, strict=True)]
    return pars[0] if single else pars


def _each(asked: Any, what: str, known: list[Any]) -> list[Any]:
    """Return a value for each deal: as given, one for all or a list, or else as known."""
    if asked is None:
        return known
    if isinstance(asked, str) or not isinstance(asked, Iterable):
        return [*repeat(asked, len(known))]
    values = list(asked)
    if len(values) != len(known):
        raise DealError(
            f"{what} are {len(values)}, deals {len(known)} (expected one, or one a deal)"
        )
    return values
