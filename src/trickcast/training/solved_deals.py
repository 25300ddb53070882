"""Completely solved deals, and the checksums that identify them; needs no torch."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealSet, Seat, Strain
from ..library import Library, Use


def known_tricks(deals: DealSet) -> NDArray[np.uint8]:
    """Return the (n, 5, 4) tricks of completely solved deals. Raises ValueError for others."""
    if len(deals) == 0:
        raise ValueError("no deals to train or validate on")
    tricks = deals.tricks_or_unknown
    if (tricks == UNKNOWN).any():
        row, strain, declarer = np.argwhere(tricks == UNKNOWN)[0]
        raise ValueError(
            f"deal {row} of {len(deals)}: the result of {Strain(strain)} by {Seat(declarer)} is "
            "not known (expected solved deals; trickcast generate makes them)"
        )
    return tricks


def library_deals(
    library: Library, use: Use, first: int | None = None, *, whole: bool = True
) -> DealSet:
    """Return the ``first`` deals of one use, all by default.

    Raises ValueError, naming library and use, if there are none, or if ``whole`` and one of them is
    not solved in all strains.
    """
    deals = library.deals(use)[:first]
    if not len(deals):
        raise ValueError(
            f"{library}: no deals for {use} (expected some; trickcast generate --use {use} makes "
            "them)"
        )
    if whole:
        try:
            known_tricks(deals)
        except ValueError as error:
            raise ValueError(f"{library}, for {use}: {error}") from None
    return deals


def checksum(*arrays: NDArray[np.generic]) -> str:
    """Return the SHA-256 of arrays, one after the other."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def deals_checksum(deals: DealSet) -> str:
    """Return the checksum of owners and tricks, which identifies a network's training data."""
    return checksum(deals.owners, deals.tricks_or_unknown)
