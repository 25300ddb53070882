"""The par of deals: what is not known of their tricks is solved, then both sides bid."""

from collections.abc import Sequence
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
    """Return the score when both sides bid perfectly, all cards seen: of one deal, or a list.

    ``deals`` is a Deal, PBN text, a DealSet, a list of these or (n, 52) owners; or a TrickTable.
    Tables that a DealSet knows are not solved again. ``dealer`` and ``vulnerable`` are one value,
    or n of them; without them a board's own count, or those of its number, else North and none.
    ``workers`` is the number of threads (default: all cores).

    Raises DealError for what is not a deal, a seat or a vulnerability, for counts that differ, and
    for a table that does not know every cell; ValueError for ``workers`` below one.

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
    pars = [par_of(*asked) for asked in zip(np.asarray(tables), sides, dealers, strict=True)]
    return pars[0] if single else pars


def _each(asked: Any, what: str, known: list[Any]) -> list[Any]:
    """Return a value for each deal: as asked, one for all or a list, or else as known."""
    if asked is None:
        return known
    if isinstance(asked, str | Seat | Vulnerability):
        return [*repeat(asked, len(known))]
    values = list(asked)
    if len(values) != len(known):
        raise DealError(f"{len(values)} {what} for {len(known)} deals (expected one, or as many)")
    return values
