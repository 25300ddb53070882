"""The values of suits: honours together, length, shortage, trumps, losers.

These are the rules; ``evaluators.catalogue`` turns them into named methods with sources.
"""

import numpy as np

from .holdings import Bools, Floats, HoldingIds, Holdings, lengths
from .points import card_values

_HONOURS = "AKQJT"
_ACE, _TEN = 1 << 0, 1 << 4  # bits of a holding id

work_points = card_values(4, 3, 2, 1, 0)


def honour_tricks(h: Holdings) -> Floats:
    """Expected tricks from honours: the first matching combination counts."""
    a, k, q, j, t = (h.has(rank) for rank in _HONOURS)
    combinations = [
        (a & k, 2.0),
        (a & q, 1.5),
        (a, 1.0),
        (k & q, 1.0),
        (k & j & t, 1.0),
        (k & (h.length >= 2), 0.5),
        (q & j & (h.length >= 3), 0.5),
    ]
    return np.select([held for held, _ in combinations], [value for _, value in combinations], 0.0)


def playing_tricks(h: Holdings) -> Floats:
    """Honour tricks, and one, two or three more for the fifth to seventh card beside honours."""
    long = np.clip(h.length - 4, 0, 3)
    value: Floats = honour_tricks(h) + np.where(h.count(_HONOURS) > 0, long, 0)
    return value


def playing_tricks_in_trumps(h: Holdings) -> Floats:
    """Like a side suit, and more for trump honours and for trump length."""
    a, k, q, j, t = (h.has(rank) for rank in _HONOURS)
    lower = np.select([q & j, q, j & t], [1.0, 0.5, 0.5], 0.0)
    length = np.select([h.length >= 6, h.length == 5, h.length == 4], [2.0, 1.0, 0.5], 0.0)
    value: Floats = playing_tricks(h) + a + k + lower + length
    return value


def _missing(h: Holdings, ace: float, king: float, queen: float) -> Floats:
    """The cost of missing top cards, as far as the suit is long enough to lose to them."""
    value: Floats = (
        ace * (~h.has("A") & (h.length >= 1))
        + king * (~h.has("K") & (h.length >= 2))
        + queen * (~h.has("Q") & (h.length >= 3))
    )
    return value


def losing_tricks(h: Holdings) -> Floats:
    """One loser for each missing ace, king, queen among at most three cards."""
    return _missing(h, 1, 1, 1)


def new_losing_tricks(h: Holdings) -> Floats:
    """Like the losing trick count, but a missing ace costs 1.5, a king 1, a queen 0.5."""
    return _missing(h, 1.5, 1, 0.5)


def long_suits(h: Holdings) -> Floats:
    """Work points, and 1 for five cards or more."""
    value: Floats = work_points(h) + (h.length >= 5)
    return value


def asset(h: Holdings) -> Floats:
    """Like ``long_suits``, and 2 for a void, 1 for a singleton."""
    value: Floats = long_suits(h) + np.clip(2 - h.length, 0, 2)
    return value


def guarded_points(h: Holdings) -> Floats:
    """Work points, minus 1 for a queen or jack that is the only honour of its suit."""
    single = (h.has("Q") | h.has("J")) & (h.count("AKQJ") == 1)
    value: Floats = work_points(h) - single
    return value


def stayman(h: Holdings) -> Floats:
    """Like ``guarded_points``, and 5 for a void, 3 for a singleton, 1 for a doubleton."""
    short = np.select([h.length == 0, h.length == 1, h.length == 2], [5.0, 3.0, 1.0], 0.0)
    value: Floats = guarded_points(h) + short
    return value


def beyond_third(h: Holdings) -> Floats:
    """Work points, and 1 for each card beyond the third."""
    value: Floats = work_points(h) + np.clip(h.length - 3, 0, None)
    return value


def beyond_fourth(h: Holdings) -> Floats:
    """Work points, and 1 for each card beyond the fourth."""
    value: Floats = work_points(h) + np.clip(h.length - 4, 0, None)
    return value


def minus_value(h: Holdings) -> Floats:
    """Work points minus 1 for honours in too short a suit, else minus 0.5 for scattered ones."""
    _, k, q, j, _ = (h.has(rank) for rank in _HONOURS)
    too_short = (k & (h.length < 2)) | (q & (h.length < 3)) | (j & (h.length < 4))
    scattered = (h.count(_HONOURS) > 0) & ~_solid(h)
    value: Floats = work_points(h) - np.select([too_short, scattered], [1.0, 0.5], 0.0)
    return value


def missing_aces_and_tens(ids: HoldingIds) -> Floats:
    """-1 for a hand without aces, -0.5 for one without tens."""
    aces, tens = ((ids & bit).any(axis=1) for bit in (_ACE, _TEN))
    value: Floats = np.where(aces, 0.0, -1.0) + np.where(tens, 0.0, -0.5)
    return value


def plus_value(h: Holdings) -> Floats:
    """Work points, and more for aces, for tens in company, for suits rich in honours."""
    company = h.has("T") & ((h.count("AKQJ") > 0) | h.has("9"))
    value: Floats = work_points(h) + 0.25 * h.has("A") + 0.5 * company + 0.5 * _solid(h)
    return value


def _solid(h: Holdings) -> Bools:
    """Three honours, or two of ace, king and queen."""
    solid: Bools = (h.count(_HONOURS) >= 3) | (h.count("AKQ") >= 2)
    return solid


def quick_tricks(h: Holdings) -> Floats:
    """AK 2, AQ 1.5, A 1, KQ 1, guarded K 0.5."""
    a, k, q = (h.has(rank) for rank in "AKQ")
    return np.select([a & k, a & q, a, k & q, k & (h.length >= 2)], [2.0, 1.5, 1.0, 1.0, 0.5], 0.0)


def shape_of_zar(ids: HoldingIds) -> Floats:
    """The length of the two longest suits, plus the longest minus the shortest."""
    ordered = np.sort(lengths(ids), axis=1)
    value: Floats = (2.0 * ordered[:, 3] + ordered[:, 2] - ordered[:, 0]).astype(np.float64)
    return value
