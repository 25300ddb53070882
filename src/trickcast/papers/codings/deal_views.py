"""The views of a deal that a network sees: turned to the leader, trumps made spades."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...cards import Seat, Strain

LEADER = Seat.WEST
"""Seat of the leader after ``turn``, so South declares and North is dummy."""


class Views(NamedTuple):
    """Deals with their suits permuted, each with one result to be estimated."""

    owners: NDArray[np.uint8]
    """(n, 52)"""
    strain: NDArray[np.int64] | Strain
    """(n,): the strain, as permuted; a single one if there is no choice."""
    declarer: NDArray[np.int64]
    """(n,)"""
    deal: NDArray[np.int64]
    """(n,): index of the deal."""
    strain_before: NDArray[np.int64]
    """(n,): the same strain in the deal as given."""


def random_views(
    owners: NDArray[np.uint8], strains: Sequence[Strain], n: int, rng: np.random.Generator
) -> Views:
    """Draw views of deals: every deal equally often, its trumps moved into one of ``strains``.

    A view is a random declarer and a random permutation of the suits; with several strains, each
    view has a random one. So a deal has 4 × 4 × 6 views with a trump suit and 4 × 24 in notrump.
    has a random one. So a deal has 4 × 4 × 6 views with a trump suit and 4 × 24 in notrump.

    Args:
        owners: Owners, shape (m, 52), uint8.
        strains: Strains that trumps are put into.
        n: Number of views.
        rng: Source of randomness.

    Returns:
        The Views.

    Example:
        >>> owners = tc.random_deals(2, seed=1).owners
        >>> views = random_views(owners, [Strain.SPADES], 6, np.random.default_rng(1))
        >>> views.owners.shape, np.bincount(views.deal)
        ((6, 52), array([3, 3]))
    """
    rounds = -(-n // len(owners))
    deal = np.concatenate([rng.permutation(len(owners)) for _ in range(rounds)])[:n]
    suits = rng.permuted(np.tile(np.arange(4), (n, 1)), axis=1)
    declarer = rng.integers(4, size=n)
    if len(strains) > 1:
        places = rng.choice(np.asarray(strains, dtype=np.int64), size=n)
    else:
        places = np.full(n, strains[0], dtype=np.int64)
    permuted = np.take_along_axis(owners.reshape(-1, 4, 13)[deal], suits[:, :, None], axis=1)
    before = np.concatenate([suits, np.full((n, 1), Strain.NOTRUMP)], axis=1)[np.arange(n), places]
    strain = places if len(strains) > 1 else strains[0]
    return Views(permuted.reshape(n, 52), strain, declarer, deal, before)


def exchange(owners: NDArray[np.uint8], strain: ArrayLike) -> NDArray[np.uint8]:
    """Return owners with the trump suit and spades exchanged; notrump changes nothing.

    Args:
        owners: Owners, shape (n, 52), uint8.
        strain: Strain of all, or strains, shape (n,).

    Returns:
        Owners, shape (n, 52), uint8.

    Example:
        >>> owners = tc.random_deals(2, seed=1).owners
        >>> hearts = exchange(owners, Strain.HEARTS)
        >>> (hearts[:, :13] == owners[:, 13:26]).all()
        np.True_
    """
    trumps = np.asarray(strain)
    if trumps.ndim == 0:
        if trumps in (Strain.SPADES, Strain.NOTRUMP):
            return owners
        return owners.reshape(-1, 4, 13)[:, _exchanged_suits(int(trumps))].reshape(-1, 52)
    order = np.array([_exchanged_suits(trump) for trump in Strain])[trumps]
    suits = np.take_along_axis(owners.reshape(-1, 4, 13), order[:, :, None], axis=1)
    return suits.reshape(-1, 52)


def _exchanged_suits(trumps: int) -> list[int]:
    suits = [0, 1, 2, 3]
    if trumps != Strain.NOTRUMP:
        suits[0], suits[trumps] = trumps, 0
    return suits


def turn(
    owners: NDArray[np.uint8], declarer: ArrayLike, leader: Seat = LEADER
) -> NDArray[np.uint8]:
    """Return owners with the seats turned so that the opening leader sits in one seat.

    Args:
        owners: Owners, shape (n, 52), uint8.
        declarer: Declarer of all, or declarers, shape (n,).
        leader: Seat of the leader after the turn.

    Returns:
        Owners, shape (n, 52), uint8.

    Example:
        >>> owners = tc.random_deals(1, seed=1).owners
        >>> (turn(owners, Seat.WEST, leader=Seat.NORTH) == owners).all()
        np.True_
    """
    shift = ((int(leader.rho) - np.asarray(declarer)) % 4).astype(np.uint8)
    turned: NDArray[np.uint8] = (owners + shift[..., None]) & np.uint8(3)
    return turned
