"""The Four C's (CCCC): Kaplan and Rubens's computer count.

E. Kaplan and J. Rubens, "The Four C's", The Bridge World, October 1982. The steps and their
numbers follow R. Pavlicek's restatement (rpbridge.net, 8j19), which endplay also uses.
"""

import numpy as np

from .holdings import Floats, HoldingIds, Holdings, lengths
from .points import card_values

_honours = card_values(4, 3, 2, 1, 0.5)


def four_cs(h: Holdings) -> Floats:
    """Quality times length, then honours, then shortness."""
    value: Floats = quality(h) * h.length / 10 + _tricks(h) + np.clip(3 - h.length, 0, 3)
    return value


def flatness(ids: HoldingIds) -> Floats:
    """-1 for every hand, as the first doubleton does not count, plus 0.5 for 4-3-3-3."""
    flat = (lengths(ids) >= 3).all(axis=1)
    return np.where(flat, -0.5, -1.0)


def quality(h: Holdings) -> Floats:
    """Steps 1 to 11: honours, tens and nines in company, missing honours in a long suit."""
    higher = h.count("AKQJ")
    short, fair = (h.length >= 2) & (h.length <= 6), (h.length >= 4) & (h.length <= 6)
    touching = h.has("T") | h.has("8")
    ten = h.has("T") & (h.has("J") | (higher >= 2)) & short
    nine = h.has("9") & ((touching | (higher == 2)) & short | (higher == 3) & fair)
    no_queen, no_jack = ~h.has("Q"), ~h.has("J")
    long = (
        1.0 * ((h.length >= 7) & (no_queen | no_jack))
        + ((h.length >= 8) & no_queen)
        + ((h.length >= 9) & no_queen & no_jack)
    )
    value: Floats = _honours(h) + 0.5 * ten + 0.5 * nine + long
    return value


def _tricks(h: Holdings) -> Floats:
    """Steps 13 to 23: the value of each honour next to the others."""
    with_ace_or_king = h.has("A") | h.has("K")
    king = np.where(h.length > 1, 2.0, 0.5)
    queen = np.select(
        [h.length >= 3, h.length == 2],
        [np.where(with_ace_or_king, 1.0, 0.75), np.where(with_ace_or_king, 0.5, 0.25)],
        0.0,
    )
    over_jack, over_ten = h.count("AKQ"), h.count("AKQJ")
    jack = np.select([over_jack == 2, over_jack == 1], [0.5, 0.25], 0.0)
    ten = np.where((over_ten == 2) | (over_ten == 1) & h.has("9"), 0.25, 0.0)
    value: Floats = (
        3.0 * h.has("A")
        + king * h.has("K")
        + queen * h.has("Q")
        + jack * h.has("J")
        + ten * h.has("T")
    )
    return value
