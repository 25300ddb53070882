"""The views of a deal in which a network sees it: turned to the leader, trumps made spades."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cards import Seat, Strain

LEADER = Seat.WEST
"""Where the leader sits after ``turn``; so South declares and North is dummy."""


def exchange(owners: NDArray[np.uint8], strain: ArrayLike) -> NDArray[np.uint8]:
    """Return (n, 52) owners with the trump suit and spades exchanged; notrump changes nothing."""
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
    """Return (n, 52) owners with the seats turned so that the declarer's leader is ``leader``."""
    shift = ((int(leader.rho) - np.asarray(declarer)) % 4).astype(np.uint8)
    turned: NDArray[np.uint8] = (owners + shift[..., None]) & np.uint8(3)
    return turned
