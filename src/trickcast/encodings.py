"""Codings: how a deal becomes the input of a network, and its output a number of tricks.

A coding turns one result to be estimated (a deal, a strain, a declarer) into a row of numbers. It
first turns the deal so that the leader always sits in one place and the trumps are always spades,
which is how a network trained for one leader and one trump suit serves them all (Mossakowski and
Mańdziuk, "Learning without human expertise", IEEE Transactions on Neural Networks 20(2), 2009).
"""

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cards import Seat, Strain

LEADER = Seat.WEST
"""Where the leader sits after ``turn``; so South declares and North is dummy."""

MODEL_FORMAT = "trickcast model 1"
"""What the metadata of every model file of ours states as its format."""
OUTPUT_ORDER = "tricks of the declarer's side; strains S H D C N; declarers N E S W"
"""And as the order of its outputs."""

_SEATS = np.arange(4, dtype=np.uint8)


class Coding(Protocol):
    """What a coding states of itself; name and version are stored in every model file."""

    @property
    def name(self) -> str:
        """The papers' name for it."""
        ...

    @property
    def version(self) -> int:
        """Goes up whenever the numbers change, so that no old model is fed new input."""
        ...

    @property
    def size(self) -> int:
        """Inputs a row."""
        ...

    def encode(
        self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike
    ) -> NDArray[np.uint8]:
        """Return the (n, size) inputs of (n, 52) owners, for one or n strains and declarers."""
        ...


class FourHands:
    """52×4: a group of 52 inputs for each hand, 1 for the cards that it holds and 0 for the rest.

    The groups stand in the order N E S W of the turned deal: dummy, declarer's right-hand
    opponent, declarer, leader. In a group the cards go from the ace of spades (of trumps) to the
    two of clubs; the 2009 paper does not state its order.
    """

    name = "52x4"
    version = 1
    size = 208

    def encode(
        self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike
    ) -> NDArray[np.uint8]:
        """Return (n, 208) uint8 of zeros and ones for (n, 52) owners.

        ``strain`` and ``declarer`` are one value for all deals or n values.
        """
        turned = turn(exchange(owners, strain), declarer)
        held = turned[:, None, :] == _SEATS[:, None]  # (n, 4, 52)
        rows: NDArray[np.uint8] = held.view(np.uint8).reshape(-1, self.size)
        return rows


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


def turn(owners: NDArray[np.uint8], declarer: ArrayLike) -> NDArray[np.uint8]:
    """Return (n, 52) owners with the seats turned so that the declarer's leader is ``LEADER``."""
    shift = ((int(LEADER.rho) - np.asarray(declarer)) % 4).astype(np.uint8)
    turned: NDArray[np.uint8] = (owners + shift[..., None]) & np.uint8(3)
    return turned


LOWEST, HIGHEST = 0.1, 0.9
"""The ends of the 14 equal ranges into which a single output is cut, for 0 to 13 tricks."""
RANGE = (HIGHEST - LOWEST) / 14
"""The width of a range."""


def output_of(tricks: ArrayLike) -> NDArray[np.float32]:
    """Return what a one-output network is trained to give: the centre of the range of ``tricks``.

    The 2009 paper does not say where in a range its targets lie; Mańdziuk and Suchan (2018) used
    the centre.
    """
    return (LOWEST + RANGE * (np.asarray(tricks, dtype=np.float32) + 0.5)).astype(np.float32)


def tricks_of(outputs: ArrayLike) -> NDArray[np.uint8]:
    """Return the tricks in whose range each output falls; those beyond an end belong to it."""
    ranges = np.floor((np.asarray(outputs, dtype=np.float32) - LOWEST) / RANGE)
    return np.asarray(np.clip(ranges, 0, 13), dtype=np.uint8)


CODINGS: dict[str, Coding] = {coding.name: coding for coding in (FourHands(),)}
"""Every coding by name."""


def find_coding(name: str, version: int | None = None) -> Coding:
    """Return the coding of that name (and version).

    Raises ValueError when there is none, listing those that there are.
    """
    coding = CODINGS.get(name)
    if coding is None or version not in (None, coding.version):
        wanted = name if version is None else f"{name} version {version}"
        known = ", ".join(f"{c.name} version {c.version}" for c in CODINGS.values())
        raise ValueError(f"no coding {wanted} (there are: {known})")
    return coding


def check_coding(coding: Coding) -> None:
    """Raise AssertionError where a coding breaks the rules that all codings keep.

    Rows have the stated size, keep their order and are the same alone as in a batch; nothing
    changes when the deal is turned with its declarer, or when trumps and spades are exchanged.
    """
    rng = np.random.default_rng(0)
    owners = rng.permuted(np.tile(np.repeat(_SEATS, 13), (8, 1)), axis=1)
    for strain in Strain:
        for declarer in Seat:
            rows = coding.encode(owners, strain, declarer)
            assert rows.shape == (8, coding.size), f"{rows.shape} is not (8, {coding.size})"
            alone = coding.encode(owners[5:6], strain, declarer)
            assert np.array_equal(rows[5:6], alone), "a row depends on its batch"
            each = coding.encode(owners, np.full(8, strain), np.full(8, declarer))
            assert np.array_equal(rows, each), "n strains and declarers differ from one"
            turned = coding.encode((owners + 1) % 4, strain, declarer.lho)
            assert np.array_equal(rows, turned), "turning the deal changes the input"
            trumps = strain if strain == Strain.NOTRUMP else Strain.SPADES
            exchanged = coding.encode(exchange(owners, strain), trumps, declarer)
            assert np.array_equal(rows, exchanged), "exchanging the trumps changes the input"
    assert coding.encode(owners[:0], 0, 0).shape == (0, coding.size), "an empty batch fails"
