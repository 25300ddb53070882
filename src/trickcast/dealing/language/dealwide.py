"""Numbers of Dealer's language that take four hands: tricks, par, chance, scores, IMPs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import DealError, Seat, Strain, Vulnerability
from ...cards.table import UNKNOWN, check_tricks
from ...scoring import Contract, imps, par, score
from .errors import ConstraintError, clip
from .tree import Converted, DealCount, Node

_MOST_SCORED = 7600
"""The largest score: a redoubled contract of seven, vulnerable, thirteen tricks down."""
_HALVES = 4 ** np.arange(26, dtype=np.uint64)
_GOLDEN = 0x9E3779B97F4A7C15


def tricks_of(seat: Seat, strain_name: str) -> DealCount:
    """Return the tricks that ``seat`` takes as declarer. Raises ValueError for no strain."""
    word = strain_name.lower()
    try:
        strain = Strain.NOTRUMP if word in ("notrump", "notrumps") else Strain.parse(strain_name)
    except DealError:
        raise ValueError(
            f"{clip(strain_name)} is not a strain (expected spades … clubs or notrump)"
        ) from None
    return DealCount(
        "tricks", lambda tables: tables[:, strain, seat].astype(np.int64), True, (0, 13)
    )


def checked_tricks(found: Any, deals: int) -> NDArray[np.uint8]:
    """Return what a function gave as the tricks of so many deals, as uint8 of shape (n, 5, 4).

    Raises ConstraintError for what are none, or not all known.
    """
    expected = f"(expected ({deals}, 5, 4) whole numbers of 0 to 13)"
    try:
        tricks = check_tricks(found)
    except DealError as error:
        raise ConstraintError(f"tricks returned what are none: {error}") from None
    except ValueError:  # NumPy's, of lists that differ in length
        raise ConstraintError(f"tricks returned what are none {expected}") from None
    if tricks.shape != (deals, 5, 4):
        raise ConstraintError(f"tricks returned an array of shape {tricks.shape} {expected}")
    if (tricks == UNKNOWN).any():
        raise ConstraintError(f"tricks returned {UNKNOWN}, which is unknown {expected}")
    return tricks


def par_of(side: str, vulnerable: str) -> DealCount:
    """Return the par score as one side sees it; North deals. Raises ValueError for other words."""
    try:
        vulnerability = Vulnerability.parse(vulnerable)
    except DealError as error:
        raise ValueError(str(error)) from None
    sign = 1 if side.upper() == "NS" else -1

    def scores(tables: NDArray[Any]) -> NDArray[Any]:
        pars = [par(table, vulnerability, Seat.NORTH).ns_score for table in tables]
        return sign * np.array(pars, dtype=np.int64)

    return DealCount("par", scores, True, (-_MOST_SCORED, _MOST_SCORED))


def chance(below: int, place: int, script: int) -> DealCount:
    """Return a random whole number from 0 up to ``below``, which is not reached.

    It is a hash of the layout, of ``place`` in the text and of which ``script`` it is, so a deal
    has the same one whenever it is asked.
    """
    place += script << 32  # no text is as long

    def numbers(owners: NDArray[Any]) -> NDArray[Any]:
        seats = owners.astype(np.uint64)
        start = np.uint64((place + 1) * _GOLDEN % 2**64)
        words = _mixed(_mixed(seats[:, :26] @ _HALVES + start) ^ (seats[:, 26:] @ _HALVES))
        fractions = (words >> np.uint64(12)).astype(np.float64) * 2.0**-52
        return np.floor(fractions * below).astype(np.int64)

    return DealCount("rnd", numbers, False, (0, below))


def dealt_before() -> DealCount:
    """Return the number of deals before each, in the order in which they are given."""
    return DealCount("rnd", lambda owners: np.arange(len(owners)), False, (0, 2**53))


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return words of which each bit depends on every bit of the given (the end of splitmix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


def score_of(vulnerable: str, contract: str, taken: Node) -> Converted:
    """Return declarer's score for a contract (``x4S``, ``z3Nx``, ``4S``) and the tricks taken.

    Raises ValueError for a word that is not ``vul`` or ``nv``.
    """
    if vulnerable.lower() not in ("vul", "nv"):
        raise ValueError(f"{clip(vulnerable)} is not known here (expected vul or nv)")
    bid = contract_of(contract)

    def scores(tricks: NDArray[Any]) -> NDArray[Any]:
        whole = np.rint(tricks).astype(np.int64)
        if (whole != tricks).any() or (whole < 0).any() or (whole > 13).any():
            raise ConstraintError(f"the tricks of score(…, {contract}, …) are not 0 to 13")
        return np.asarray(score(bid, whole, vulnerable.lower() == "vul"))

    return Converted("score", scores, taken, (-_MOST_SCORED, _MOST_SCORED))


def contract_of(text: str) -> Contract:
    """Read a contract as Dealer writes them: ``x4S``, doubled ``x4Sx``, with ``z`` or nothing."""
    return Contract(text.lower().lstrip("xz").upper())


def imps_of(difference: Node) -> Converted:
    """Return the IMPs of a difference of scores."""
    return Converted("imps", lambda scores: np.asarray(imps(scores)), difference, (-24, 24))
